// The spring net. Springs belong to id pairs and outlive neighbour lists; each is kept with the particle of its lower id,
// sorted by partner, in arrays per block of particles. Once a step the whole net is written anew for the particles' new places:
// springs whose partner is gone are dropped, rest lengths flow, new close pairs get a spring. That pass is parallel over
// particles, since each writes only its own springs.
//
// Displacements are a Gauss-Seidel sweep [alg. 3]. Springs between neighbouring cells go by cell colour like the relaxation; the
// few that are stretched further are marked and done afterwards, one by one in storage order. Both orders depend only on the
// particles, so the bits do not depend on threads. About 12 bytes a spring, twice. The sweep is in springs_wide.c.

#include "fluid/springs.h"

#include <stdatomic.h>
#include <stdlib.h>

couSpringNet *couCreateSpringNet(couMemory *memory)
{
    couSpringNet *net = couAlloc(memory, sizeof *net);
    if (net) net->memory = memory;
    return net;
}

static void free_set(couMemory *memory, couSpringSet *set)
{
    for (size_t b = 0; b < set->block_capacity; ++b) {
        couFree(memory, set->blocks[b].items);
        COU_FREE_ARRAY(memory, &set->blocks[b].longs);
    }
    couFree(memory, set->blocks);
    couFree(memory, set->first);
    couFree(memory, set->count);
}

void couDestroySpringNet(couSpringNet *net)
{
    if (!net) return;
    couMemory *memory = net->memory;
    for (int k = 0; k < 2; ++k) {
        free_set(memory, &net->sets[k]);
        couFree(memory, net->maps[k].page_of);
        couFree(memory, net->maps[k].index);
    }
    couFree(memory, net->stamps);
    couFree(memory, net);
}

bool couFluid_HasSprings(const couFluid *fluid)
{
    if (fluid->springs->count) return true;
    for (int m = 0; m < fluid->material_count; ++m)
        if (fluid->materials[m].springs == cou_springsPlastic) return true;
    return false;
}

static bool reserve_set(couMemory *memory, couSpringSet *set, size_t particles)
{
    size_t blocks = (size_t)couBlockCount(particles, COU_SPRING_BLOCK);
    bool is_good = COU_GROW(memory, set->blocks, set->block_capacity, blocks) &&
                   COU_GROW(memory, set->first, set->first_capacity, particles) &&
                   COU_GROW(memory, set->count, set->count_capacity, particles);
    if (!is_good) return false;
    for (size_t b = 0; b < set->block_capacity; ++b) set->blocks[b].count = set->blocks[b].longs.count = 0;
    return true;
}

// Numbers the pages that hold a living particle, from 1 on; 0 is the empty one. Returns how many there are with it.
static size_t number_pages(uint32_t *page_of, const uint32_t *id, size_t count)
{
    size_t pages = 1;
    for (size_t i = 0; i < count; ++i) {
        uint32_t *page = &page_of[id[i] / COU_ID_PAGE];
        if (*page == 0) *page = (uint32_t)pages++;
    }
    return pages;
}

// The map from ids to this step's indices; the last step's becomes the other one.
static bool map_ids(couFluid *fluid)
{
    couSpringNet *net = fluid->springs;
    couIdMap *map = &net->maps[net->current = 1 - net->current];
    const uint32_t *id = couFluid_Id(fluid);
    map->mapped = map->particle_count = 0;
    size_t count = fluid->table.count, mapped = fluid->next_id, pages = mapped / COU_ID_PAGE + 1;
    if (!COU_GROW(net->memory, map->page_of, map->page_capacity, pages)) return false;
    memset(map->page_of, 0, pages * sizeof *map->page_of);
    size_t places = number_pages(map->page_of, id, count) * COU_ID_PAGE;
    if (!COU_GROW(net->memory, map->index, map->index_capacity, places)) return false;
    memset(map->index, 0xff, places * sizeof *map->index);
    for (size_t i = 0; i < count; ++i)
        map->index[(size_t)map->page_of[id[i] / COU_ID_PAGE] * COU_ID_PAGE + id[i] % COU_ID_PAGE] = (uint32_t)i;
    map->mapped = mapped;
    map->particle_count = count;
    return true;
}

// --- Adjusting ---------------------------------------------------------------------------------------------------------------

typedef void FlowFcn(couSpringBatch *batch, int count, const couVec4 *position, size_t i, float farthest);

typedef struct AdjustJob {
    couFluid *fluid;
    couSpringNet *net;
    float dt;
    int add_material;   // of which springs are added at their current lengths; -1: none
    uint32_t *moved_to; // this step's index by the last one's
    FlowFcn *flow_springs;
    couVec4 flow[COU_MAX_MATERIALS][COU_MAX_MATERIALS]; // as couSpringBatch has it
    bool is_plastic[COU_MAX_MATERIALS][COU_MAX_MATERIALS];
    _Atomic size_t count;
} AdjustJob;

static bool reserve_springs(couSpringNet *net, couSpringBlock *block, size_t more)
{
    size_t wanted = COU_MAX(block->count + more, 256);
    if (COU_RESERVE(net->memory, block, wanted)) return true;
    net->is_out_of_memory = true;
    return false;
}

// A step cannot flow further than the deformation itself.
static couVec4 make_flow(float dt, const couMaterialDef *a, const couMaterialDef *b)
{
    return (couVec4){COU_MIN(dt * 0.5f * (a->flow_stretch + b->flow_stretch), 1.0f),
                     COU_MIN(dt * 0.5f * (a->flow_compress + b->flow_compress), 1.0f),
                     0.5f * (a->yield_stretch + b->yield_stretch), 0.5f * (a->yield_compress + b->yield_compress)};
}

// True when the ends are not in neighbouring cells; ends within h of each other always are.
static bool is_long(const couFluid *fluid, couVec4 a, couVec4 b, float r)
{
    if (r <= fluid->h) return false;
    float inv = 1.0f / fluid->grid.cell_size;
    int dx = couFloorInt(a.x * inv) - couFloorInt(b.x * inv), dy = couFloorInt(a.y * inv) - couFloorInt(b.y * inv),
        dz = couFloorInt(a.z * inv) - couFloorInt(b.z * inv);
    return abs(dx) > 1 || abs(dy) > 1 || abs(dz) > 1;
}

// The rest length of a new spring, one of h that has flowed at once; what it joins is closer than that.
static float new_length(float h, float r, couVec4 flow)
{
    float squeeze = COU_MAX(h - r - flow.w * h, 0.0f);
    return h - flow.y * squeeze;
}

static float distance(couVec4 a, couVec4 b)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    return sqrtf(dx * dx + dy * dy + dz * dz);
}

// Fills a batch with those of `count` springs of particle i whose partners live, and stamps these; returns how many.
static int fill_batch(const AdjustJob *job, size_t i, const couSpring *springs, int count, couSpringBatch *batch,
                      uint32_t *stamps)
{
    const uint8_t *material = couFluid_Material(job->fluid);
    int filled = 0;
    for (int k = 0; k < count; ++k) {
        uint32_t j = job->moved_to[springs[k].partner & ~COU_SPRING_LONG];
        if (j == COU_NO_PARTICLE) continue;
        batch->partner[filled] = j;
        batch->rest_length[filled] = springs[k].rest_length;
        batch->material[filled] = material[j];
        batch->partner_id[filled++] = springs[k].partner_id;
        stamps[j] = (uint32_t)i + 1;
    }
    for (int k = filled; k % COU_WIDTH; ++k) {
        batch->partner[k] = (uint32_t)job->fluid->table.count;
        batch->rest_length[k] = 0.0f, batch->material[k] = 0;
    }
    return filled;
}

// Takes over the springs that particle i kept in the last step, and stamps their partners. True when some are long now.
static bool keep_springs(AdjustJob *job, size_t i, couSpringBlock *block, uint32_t *stamps)
{
    couFluid *fluid = job->fluid;
    couSpringNet *net = job->net;
    int old = 1 - net->current, own = couFluid_Material(fluid)[i];
    uint32_t before = couIdMap_Find(&net->maps[old], couFluid_Id(fluid)[i]);
    const couSpringSet *set = &net->sets[old];
    int count = before == COU_NO_PARTICLE ? 0 : set->count[before];
    if (!count || !reserve_springs(net, block, (size_t)count)) return false;
    const couSpring *springs = set->blocks[before / COU_SPRING_BLOCK].items + set->first[before];
    const couVec4 *position = couFluid_Position(fluid);
    float farthest = net->is_holding_far ? fluid->h : INFINITY;
    uint32_t any_long = 0;
    couSpringBatch batch;
    batch.flow = job->flow[own];
    for (int first = 0; first < count; first += COU_SPRING_BATCH) {
        int filled = fill_batch(job, i, springs + first, COU_MIN(count - first, COU_SPRING_BATCH), &batch, stamps);
        job->flow_springs(&batch, filled, position, i, farthest);
        for (int k = 0; k < filled; ++k) {
            if (batch.rest_length[k] > fluid->h && job->is_plastic[own][batch.material[k]]) continue;
            uint32_t j = batch.partner[k];
            uint32_t far = is_long(fluid, position[i], position[j], batch.length[k]) ? COU_SPRING_LONG : 0;
            block->items[block->count++] = (couSpring){batch.partner_id[k], j | far, batch.rest_length[k]};
            any_long |= far;
        }
    }
    return any_long;
}

// Lists particle i's long springs, which are the block's from `first` on.
static void list_longs(couSpringNet *net, couSpringBlock *block, size_t i, size_t first)
{
    for (size_t place = first; place < block->count; ++place) {
        if (!(block->items[place].partner & COU_SPRING_LONG)) continue;
        if (!COU_RESERVE(net->memory, &block->longs, block->longs.count + 1)) {
            net->is_out_of_memory = true;
            return;
        }
        block->longs.items[block->longs.count++] = (couLongSpring){(uint32_t)i, (uint32_t)place};
    }
}

// Those of a list that have a higher id and are not stamped. Most are or have not, and which is as good as random: no branches.
static int find_unstamped(const uint32_t *list, int count, const uint32_t *id, uint32_t own_id, const uint32_t *stamps,
                          uint32_t stamp, uint32_t *found)
{
    int n = 0;
    for (int k = 0; k < count; ++k) {
        uint32_t j = list[k];
        found[n] = j;
        n += (int)(id[j] > own_id) & (int)(stamps[j] != stamp);
    }
    return n;
}

// Keeps a particle's springs from `kept` on sorted by partner, as those before are: the sweep's order must not depend on how they
// came.
static void sort_springs(couSpring *items, size_t kept, size_t count)
{
    for (size_t k = kept; k < count; ++k) {
        couSpring moving = items[k];
        size_t place = k;
        for (; place > 0 && items[place - 1].partner_id > moving.partner_id; --place) items[place] = items[place - 1];
        items[place] = moving;
    }
}

// Springs for neighbours of a higher id that have none yet: with rest length h [alg. 4], or at their current lengths on command.
static void add_springs(AdjustJob *job, size_t i, couSpringBlock *block, const uint32_t *stamps)
{
    couFluid *fluid = job->fluid;
    const uint32_t *id = couFluid_Id(fluid), *list = fluid->neighbors.first[i];
    const uint8_t *material = couFluid_Material(fluid);
    const couVec4 *position = couFluid_Position(fluid);
    int own = material[i], neighbor_count = fluid->neighbors.count[i];
    bool is_growing = fluid->materials[own].springs == cou_springsPlastic && job->dt > 0.0f;
    if ((!is_growing && own != job->add_material) || !reserve_springs(job->net, block, (size_t)neighbor_count)) return;
    size_t first = job->net->sets[job->net->current].first[i], kept = block->count - first;
    uint32_t found[COU_SPRING_BATCH];
    for (int begin = 0; begin < neighbor_count; begin += COU_SPRING_BATCH) {
        int count = find_unstamped(list + begin, COU_MIN(neighbor_count - begin, COU_SPRING_BATCH), id, id[i], stamps,
                                   (uint32_t)i + 1, found);
        for (int k = 0; k < count; ++k) {
            uint32_t j = found[k];
            bool is_commanded = own == job->add_material && material[j] == job->add_material;
            if (!is_commanded && !(is_growing && job->is_plastic[own][material[j]])) continue;
            float r = distance(position[i], position[j]);
            float length = is_commanded ? r : new_length(fluid->h, r, job->flow[own][material[j]]);
            block->items[block->count++] = (couSpring){id[j], j, length};
        }
    }
    sort_springs(block->items + first, kept, block->count - first);
}

static void adjust_block(void *context, int b, size_t begin, size_t end, int worker)
{
    AdjustJob *job = context;
    couSpringSet *set = &job->net->sets[job->net->current];
    couSpringBlock *block = &set->blocks[b];
    uint32_t *stamps = job->net->stamps + (size_t)worker * job->fluid->table.count;
    for (size_t i = begin; i < end; ++i) {
        set->first[i] = (uint32_t)block->count;
        bool has_long = keep_springs(job, i, block, stamps);
        add_springs(job, i, block, stamps);
        if (has_long) list_longs(job->net, block, i, set->first[i]);
        set->count[i] = (uint16_t)(block->count - set->first[i]);
    }
    job->count += block->count;
}

// Where the particles of the last step's map are now.
static uint32_t *find_moves(const couFluid *fluid)
{
    const couIdMap *old = &fluid->springs->maps[1 - fluid->springs->current];
    uint32_t *moved_to = COU_TAKE(fluid->scratch, uint32_t, old->particle_count + 1);
    if (!moved_to) return NULL;
    memset(moved_to, 0xff, old->particle_count * sizeof *moved_to);
    const uint32_t *id = couFluid_Id(fluid);
    for (size_t i = 0; i < fluid->table.count; ++i) {
        uint32_t before = couIdMap_Find(old, id[i]);
        if (before != COU_NO_PARTICLE) moved_to[before] = (uint32_t)i;
    }
    return moved_to;
}

static void make_flows(AdjustJob *job)
{
    const couFluid *fluid = job->fluid;
    for (int a = 0; a < fluid->material_count; ++a)
        for (int b = 0; b < fluid->material_count; ++b) {
            const couMaterialDef *first = &fluid->materials[a], *second = &fluid->materials[b];
            job->is_plastic[a][b] = first->springs == cou_springsPlastic && second->springs == cou_springsPlastic;
            if (job->is_plastic[a][b]) job->flow[a][b] = make_flow(job->dt, first, second);
        }
}

static bool rewrite_net(couFluid *fluid, float dt, int add_material)
{
    couSpringNet *net = fluid->springs;
    net->is_out_of_memory = false;
    if (!map_ids(fluid)) return false;
    size_t stamps = (size_t)fluid->parallel.threads * fluid->table.count;
    couArenaMark mark = couArena_Mark(fluid->scratch);
    uint32_t *moved_to = find_moves(fluid);
    bool has_room = moved_to && reserve_set(net->memory, &net->sets[net->current], fluid->table.count) &&
                    COU_GROW(net->memory, net->stamps, net->stamp_capacity, stamps);
    if (!has_room) { // the next step must not look for springs that were not written
        couArena_Release(fluid->scratch, mark);
        net->maps[net->current].mapped = net->maps[net->current].particle_count = 0;
        return false;
    }
    if (stamps) memset(net->stamps, 0, stamps * sizeof *net->stamps);
    static FlowFcn *const variants[cou_isaCount] = COU_VARIANTS(couFlowSprings);
    AdjustJob job = {.fluid = fluid,
                     .net = net,
                     .dt = dt,
                     .add_material = add_material,
                     .moved_to = moved_to,
                     .flow_springs = variants[fluid->neighbors.isa]};
    make_flows(&job);
    couFor(&fluid->parallel, fluid->table.count, COU_SPRING_BLOCK, adjust_block, &job);
    couArena_Release(fluid->scratch, mark);
    net->count = job.count;
    return !net->is_out_of_memory;
}

bool couAdjustSprings(couFluid *fluid, float dt) { return rewrite_net(fluid, dt, -1); }

bool couAddSpringsNow(couFluid *fluid, int material) { return rewrite_net(fluid, 0.0f, material); }

void couAddWantedSprings(couFluid *fluid, bool is_first_step)
{
    bool has_no_springs = fluid->springs->count == 0;
    for (int m = 0; m < fluid->material_count; ++m) {
        // A frozen material is a solid from the beginning, unless it was given its springs.
        bool is_new_solid = is_first_step && has_no_springs && fluid->materials[m].springs == cou_springsFrozen;
        if (!fluid->springs->is_wanted[m] && !is_new_solid) continue;
        couAddSpringsNow(fluid, m);
        fluid->springs->is_wanted[m] = false;
    }
}

void couDeleteSprings(couFluid *fluid, int material)
{
    couSpringNet *net = fluid->springs;
    if (!net->count) return;
    couSpringSet *set = &net->sets[net->current];
    const couIdMap *map = &net->maps[net->current];
    const uint8_t *materials = couFluid_Material(fluid);
    uint8_t *is_freed = couAlloc(NULL, map->particle_count + 1); // by the particle's place when the net was written
    if (!is_freed) return;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        uint32_t place = couIdMap_Find(map, couFluid_Id(fluid)[i]);
        if (place != COU_NO_PARTICLE && materials[i] == material) is_freed[place] = 1;
    }
    for (size_t place = 0; place < map->particle_count; ++place) {
        int count, kept = 0;
        couSpring *springs = couSpringNet_Of(net, place, &count);
        for (int s = 0; s < count && !is_freed[place]; ++s)
            if (!is_freed[springs[s].partner & ~COU_SPRING_LONG]) springs[kept++] = springs[s];
        set->count[place] = (uint16_t)kept;
        net->count -= (size_t)(count - kept);
    }
    couFree(NULL, is_freed);
}

// --- Displacements -----------------------------------------------------------------------------------------------------------

// Moves both ends of a spring, as springs_wide.c does eight at a time.
static inline void apply_spring(const couSpringSweep *sweep, uint32_t i, const couSpring *spring)
{
    uint32_t j = spring->partner & ~COU_SPRING_LONG;
    couVec4 *a = &sweep->position[i], *b = &sweep->position[j];
    float dx = b->x - a->x, dy = b->y - a->y, dz = b->z - a->z;
    float r = sqrtf(dx * dx + dy * dy + dz * dz);
    if (!(r > 0.0f)) return;
    float k = 0.5f * (sweep->k_spring[sweep->material[i]] + sweep->k_spring[sweep->material[j]]);
    float strength = COU_MIN(sweep->dt2 * k * COU_MAX(1.0f - spring->rest_length * sweep->inv_h, 0.0f), 1.0f);
    float d = strength * (spring->rest_length - r) / (r * (a->w + b->w));
    float own = d * a->w, theirs = d * b->w;
    a->x -= own * dx, a->y -= own * dy, a->z -= own * dz;
    b->x += theirs * dx, b->y += theirs * dy, b->z += theirs * dz;
}

typedef void ApplyFcn(const couSpringSweep *sweep, size_t begin, size_t end);

typedef struct ApplyJob {
    const couSpringSweep *sweep;
    ApplyFcn *function;
} ApplyJob;

static void apply_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ApplyJob *job = context;
    job->function(job->sweep, begin, end);
}

enum { APPLY_CELLS = 3 * COU_WIDTH }; // per block: some more than lanes, so that none is idle for long

void couApplySprings(couFluid *fluid, float dt, const float *k_spring)
{
    static ApplyFcn *const variants[cou_isaCount] = COU_VARIANTS(couApplySpringCells);
    couSpringSweep sweep = {.net = fluid->springs,
                            .grid = &fluid->grid,
                            .position = couFluid_Position(fluid),
                            .material = couFluid_Material(fluid),
                            .k_spring = k_spring,
                            .count = fluid->table.count,
                            .dt2 = dt * dt,
                            .inv_h = 1.0f / fluid->h};
    ApplyJob job = {&sweep, variants[fluid->neighbors.isa]};
    for (int color = 0; color < COU_COLORS; ++color) {
        const uint32_t *start = fluid->grid.color_start;
        sweep.cells = fluid->grid.color_cells + start[color];
        couFor(&fluid->parallel, start[color + 1] - start[color], APPLY_CELLS, apply_block, &job);
    }
    const couSpringSet *set = &fluid->springs->sets[fluid->springs->current];
    for (int b = 0; b < couBlockCount(fluid->table.count, COU_SPRING_BLOCK); ++b) {
        const couSpringBlock *springs = &set->blocks[b];
        for (size_t k = 0; k < springs->longs.count; ++k) {
            couLongSpring spring = springs->longs.items[k];
            apply_spring(&sweep, spring.particle, &springs->items[spring.place]);
        }
    }
}

// --- In and out --------------------------------------------------------------------------------------------------------------

static int compare_springs(const void *a, const void *b)
{
    const couSpringView *s = a, *t = b;
    if (s->id_a != t->id_a) return s->id_a < t->id_a ? -1 : 1;
    return (s->id_b > t->id_b) - (s->id_b < t->id_b);
}

size_t couCopySprings(const couFluid *fluid, couSpringView *springs, size_t capacity)
{
    const couSpringNet *net = fluid->springs;
    const uint32_t *id = couFluid_Id(fluid);
    size_t total = 0;
    if (!net->count) return 0;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        // Particles may have moved in the table since the net was written (removals): find where it was.
        uint32_t place = couIdMap_Find(&net->maps[net->current], id[i]);
        if (place == COU_NO_PARTICLE) continue;
        int count;
        const couSpring *items = couSpringNet_Of(net, place, &count);
        for (int k = 0; k < count; ++k, ++total)
            if (total < capacity) springs[total] = (couSpringView){id[i], items[k].partner_id, items[k].rest_length};
    }
    size_t written = COU_MIN(total, capacity);
    if (written) couSort(springs, written, sizeof *springs, compare_springs);
    return total;
}

bool couSetSprings(couFluid *fluid, const couSpringView *springs, size_t count)
{
    couSpringNet *net = fluid->springs;
    if (!map_ids(fluid) || !reserve_set(net->memory, &net->sets[net->current], fluid->table.count)) return false;
    couSpringSet *set = &net->sets[net->current];
    const uint32_t *id = couFluid_Id(fluid);
    // The table is in ascending order of ids when a state is loaded, and so are the springs: one walk through both.
    size_t s = 0;
    net->count = 0;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        couSpringBlock *block = &set->blocks[i / COU_SPRING_BLOCK];
        set->first[i] = (uint32_t)block->count;
        while (s < count && springs[s].id_a < id[i]) ++s;
        for (; s < count && springs[s].id_a == id[i]; ++s) {
            uint32_t j = couIdMap_Find(&net->maps[net->current], springs[s].id_b);
            if (j == COU_NO_PARTICLE) continue;
            if (!reserve_springs(net, block, 1)) return false;
            block->items[block->count++] = (couSpring){springs[s].id_b, j, springs[s].rest_length};
            net->count++;
        }
        set->count[i] = (uint16_t)(block->count - set->first[i]);
    }
    return true;
}
