// Volumes filled with particles, at the start and by emitters: a lattice at the rest spacing, outside of bodies and solids.

#include "soft/enclosure.h"
#include "world/world.h"

bool couAddParticle(couWorld *world, int material, couVec3 position, couVec3 velocity)
{
    couFluid *fluid = &world->fluid;
    size_t i = fluid->next_id < UINT32_MAX ? couTable_AddRows(&fluid->table, 1) : SIZE_MAX;
    if (i == SIZE_MAX) return false;
    if (fluid->dimension == 2) position.z = velocity.z = 0.0f;
    float position_w = 1.0f / fluid->mass[material], velocity_w = 0.0f;
    if (fluid->method->weights) fluid->method->weights(fluid, material, &position_w, &velocity_w);
    couFluid_Position(fluid)[i] = (couVec4){position.x, position.y, position.z, position_w};
    couFluid_Previous(fluid)[i] = couFluid_Position(fluid)[i];
    couFluid_Velocity(fluid)[i] = (couVec4){velocity.x, velocity.y, velocity.z, velocity_w};
    couFluid_Id(fluid)[i] = fluid->next_id++;
    couFluid_Material(fluid)[i] = (uint8_t)material;
    couFluid_Density(fluid)[i] = 1.0f;
    return true;
}

// --- Lattices ----------------------------------------------------------------------------------------------------------------

// Cells that hold particles, to keep away from them; a plain hash of the cells of one spacing.
typedef struct Occupied {
    uint64_t *slots;
    size_t mask;
    float inv_cell;
} Occupied;

static uint64_t cell_key(couVec3 x, float inv_cell)
{
    uint64_t a = (uint64_t)(int64_t)floorf(x.x * inv_cell) & 0x1fffff, b = (uint64_t)(int64_t)floorf(x.y * inv_cell) & 0x1fffff,
             c = (uint64_t)(int64_t)floorf(x.z * inv_cell) & 0x1fffff;
    return (a | b << 21 | c << 42) + 1;
}

static bool occupied_init(Occupied *occupied, const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    size_t size = 64;
    while (size < 2 * fluid->table.count) size *= 2;
    *occupied = (Occupied){couAlloc(NULL, size * sizeof(uint64_t)), size - 1, 1.0f / fluid->spacing};
    if (!occupied->slots) return false;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        uint64_t key = cell_key(couXyz(couFluid_Position(fluid)[i]), occupied->inv_cell);
        size_t s = couMix64(key) & occupied->mask;
        while (occupied->slots[s] && occupied->slots[s] != key) s = (s + 1) & occupied->mask;
        occupied->slots[s] = key;
    }
    return true;
}

// True when a cell around x holds a particle.
static bool is_occupied(const Occupied *occupied, couVec3 x, int dimension)
{
    float d = 1.0f / occupied->inv_cell;
    for (int n = 0; n < (dimension == 3 ? 27 : 9); ++n) {
        couVec3 y = {x.x + (float)(n % 3 - 1) * 0.5f * d, x.y + (float)(n / 3 % 3 - 1) * 0.5f * d,
                     dimension == 3 ? x.z + (float)(n / 9 - 1) * 0.5f * d : x.z};
        uint64_t key = cell_key(y, occupied->inv_cell);
        for (size_t s = couMix64(key) & occupied->mask; occupied->slots[s]; s = (s + 1) & occupied->mask)
            if (occupied->slots[s] == key) return true;
    }
    return false;
}

// The surfaces of deformable solids, where they are now.
typedef struct Surfaces {
    couEnclosure *items;
    size_t count;
} Surfaces;

static void free_surfaces(Surfaces *surfaces)
{
    for (size_t s = 0; s < surfaces->count; ++s) couEnclosure_Free(&surfaces->items[s]);
    couFree(NULL, surfaces->items);
}

static bool take_surfaces(Surfaces *surfaces, const couSolids *solids)
{
    *surfaces = (Surfaces){couAlloc(NULL, (solids->count + 1) * sizeof *surfaces->items), 0};
    bool is_good = surfaces->items != NULL;
    for (size_t s = 0; is_good && s < solids->count; ++s) {
        const couSolid *solid = &solids->items[s];
        const couSolidMesh *mesh = solid->def.mesh;
        if (!solid->slot.is_here) continue;
        is_good = couEnclosure_Build(&surfaces->items[surfaces->count++], mesh->dimension, solid->position, mesh->point_count,
                                     mesh->faces, mesh->face_count);
    }
    if (!is_good) free_surfaces(surfaces);
    return is_good;
}

// Inside of a solid, or closer to one than the margin.
static bool is_in_solid(const Surfaces *surfaces, couVec3 x, double margin)
{
    couDouble3 p = couWiden(x);
    for (size_t s = 0; s < surfaces->count; ++s) {
        const couEnclosure *own = &surfaces->items[s];
        bool is_far = p.x < own->lower.x - margin || p.x > own->upper.x + margin || p.y < own->lower.y - margin ||
                      p.y > own->upper.y + margin || p.z < own->lower.z - margin || p.z > own->upper.z + margin;
        if (is_far) continue;
        if (couEnclosure_Winding(own, p) != 0 || couEnclosure_Distance(own, p) < margin) return true;
    }
    return false;
}

// Lattice points along one axis: as many whole spacings as fit, centred, the first layer half a spacing inside.
static int lattice_count(float extent, float spacing) { return (int)COU_MIN(floorf(extent / spacing + 0.01f), 2.0e9f); }

// The k-th point of a low-discrepancy sequence in the unit cube [Roberts 2018].
static void low_discrepancy(int k, double u[3])
{
    u[0] = fmod(0.5 + 0.8191725133961645 * (k + 1), 1);
    u[1] = fmod(0.5 + 0.6710436067037893 * (k + 1), 1);
    u[2] = fmod(0.5 + 0.5497004779019703 * (k + 1), 1);
}

enum { SHARE_SAMPLES = 4096 };

// Share of the shape's bounds that it fills.
static double filled_share(const couShape *shape, int dimension, couBounds bounds)
{
    int inside = 0;
    for (int k = 0; k < SHARE_SAMPLES; ++k) {
        double u[3];
        low_discrepancy(k, u);
        couVec3 p = {(float)(bounds.lower.x + u[0] * (bounds.upper.x - bounds.lower.x)),
                     (float)(bounds.lower.y + u[1] * (bounds.upper.y - bounds.lower.y)),
                     (float)(bounds.lower.z + u[2] * (bounds.upper.z - bounds.lower.z))};
        inside += couShape_Distance(shape, dimension, p) <= 0.0f;
    }
    return (double)inside / SHARE_SAMPLES;
}

double couEstimateFill(const couWorld *world, const couShape *shape, double enough)
{
    couBounds bounds;
    int dimension = world->def.dimension;
    if (!couShape_Bounds(shape, dimension, &bounds)) return INFINITY;
    double d = world->def.spacing;
    double lattice = ceil((bounds.upper.x - bounds.lower.x) / d) * ceil((bounds.upper.y - bounds.lower.y) / d);
    if (dimension == 3) lattice *= ceil((bounds.upper.z - bounds.lower.z) / d);
    if (lattice <= enough) return lattice;
    return lattice > 1e12 ? INFINITY : lattice * filled_share(shape, dimension, bounds);
}

// A lattice in the shape's frame, centred in its bounds; along y it begins at the bottom.
typedef struct Lattice {
    int n[3];
    couVec3 first, pitch;
} Lattice;

// A point of the lattice becomes a particle, where nothing is in the way. False where it must end: without memory, or beyond
// `limit`.
static bool fill_point(couWorld *world, const couFilling *filling, const Occupied *occupied, const Surfaces *surfaces,
                       couVec3 local, float d, size_t limit)
{
    int dimension = world->fluid.dimension;
    couVec3 x = couToWorld(filling->pose, local);
    couVec3 offset = {couRandomSigned(&world->random), couRandomSigned(&world->random), couRandomSigned(&world->random)};
    // Half a spacing from walls, less a little so that a volume flush with a wall keeps its first layer.
    if (couIsInsideBody(&world->bodies, x, 0.45f * d) || is_in_solid(surfaces, x, 0.45 * (double)d)) {
        if (filling->blocked) ++*filling->blocked;
        return true;
    }
    if (filling->avoids_particles && is_occupied(occupied, x, dimension)) return true;
    x = couMulAdd(x, filling->jitter * d, offset);
    if (dimension == 2) x.z = 0.0f;
    return world->fluid.table.count < limit && couAddParticle(world, filling->material, x, filling->velocity);
}

static int64_t fill_lattice(couWorld *world, const couFilling *filling, Lattice lattice)
{
    couFluid *fluid = &world->fluid;
    const int *n = lattice.n;
    couVec3 first = lattice.first;
    float d = COU_MIN(lattice.pitch.x, COU_MIN(lattice.pitch.y, lattice.pitch.z));
    double expected = (double)n[0] * n[1] * n[2];
    size_t before = fluid->table.count;
    // All at once, where it is all of it: growing as they come would leave a quarter of the table unused. Of a small shape the
    // bounds are good enough: thousands of drops would spend their time on samples.
    size_t room = expected < 1e8 ? (size_t)(couEstimateFill(world, filling->shape, SHARE_SAMPLES) + 1.0) : 0;
    if (!couTable_Reserve(&fluid->table, before + room)) return -1;
    if (fluid->dimension == 2) first.z = 0.0f;
    Occupied occupied = {0};
    Surfaces surfaces;
    if (!take_surfaces(&surfaces, &world->solids)) return -1;
    if (filling->avoids_particles && !occupied_init(&occupied, world)) {
        free_surfaces(&surfaces);
        return -1;
    }
    size_t limit = before + (size_t)filling->limit;
    bool is_good = true;
    for (int k = 0; k < n[2] && is_good; ++k)
        for (int j = 0; j < n[1] && is_good; ++j)
            for (int i = 0; i < n[0] && is_good; ++i) {
                couVec3 local = {first.x + (float)i * lattice.pitch.x, first.y + (float)j * lattice.pitch.y,
                                 first.z + (float)k * lattice.pitch.z};
                float outside = couShape_Distance(filling->shape, fluid->dimension, local);
                if (outside > 0.0f) // no point of the row is inside for at least this distance
                    i += (int)COU_MIN(outside / lattice.pitch.x, (float)(n[0] - i));
                else
                    is_good = fill_point(world, filling, &occupied, &surfaces, local, d, limit);
            }
    couFree(NULL, occupied.slots);
    free_surfaces(&surfaces);
    return is_good || fluid->table.count == limit ? (int64_t)(fluid->table.count - before) : -1;
}

double couWorld_FreeVolume(const couWorld *world, const couShape *shape, couPose pose)
{
    enum { SAMPLES = 1 << 18 };
    int dimension = world->def.dimension, inside = 0;
    couBounds bounds;
    if (!couShape_Bounds(shape, dimension, &bounds)) return INFINITY;
    double size[3] = {bounds.upper.x - bounds.lower.x, bounds.upper.y - bounds.lower.y,
                      dimension == 3 ? bounds.upper.z - bounds.lower.z : 1.0};
    for (int k = 0; k < SAMPLES; ++k) {
        double u[3];
        low_discrepancy(k, u);
        couVec3 p = {(float)(bounds.lower.x + u[0] * size[0]), (float)(bounds.lower.y + u[1] * size[1]),
                     dimension == 3 ? (float)(bounds.lower.z + u[2] * size[2]) : 0.0f};
        inside += couShape_Distance(shape, dimension, p) <= 0.0f && !couIsInsideBody(&world->bodies, couToWorld(pose, p), 0.0f);
    }
    return size[0] * size[1] * size[2] * inside / SAMPLES;
}

int64_t couFillShape(couWorld *world, const couFilling *filling)
{
    couBounds bounds;
    float d = world->fluid.spacing;
    if (!couShape_Bounds(filling->shape, world->fluid.dimension, &bounds)) return 0;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    Lattice lattice = {{COU_MAX(lattice_count(size.x, d), 1), COU_MAX(lattice_count(size.y, d), 1),
                        world->fluid.dimension == 2 ? 1 : COU_MAX(lattice_count(size.z, d), 1)},
                       {0, 0, 0},
                       {d, d, d}};
    lattice.first = (couVec3){bounds.lower.x + 0.5f * (size.x - (float)(lattice.n[0] - 1) * d), bounds.lower.y + 0.5f * d,
                              bounds.lower.z + 0.5f * (size.z - (float)(lattice.n[2] - 1) * d)};
    return fill_lattice(world, filling, lattice);
}

// Takes `surplus` of the particles from `first` on away, evenly at random.
static bool thin_out(couWorld *world, size_t first, int64_t surplus)
{
    couTable *table = &world->fluid.table;
    couArenaMark mark = couArena_Mark(&world->scratch);
    uint8_t *is_kept = COU_TAKE(&world->scratch, uint8_t, table->count);
    if (!is_kept) return false;
    memset(is_kept, 1, table->count);
    size_t left = table->count - first, drop = (size_t)surplus;
    for (size_t i = first; i < table->count; ++i, --left) {
        bool is_dropped = couRandomFloat(&world->random) * (float)left < (float)drop;
        is_kept[i] = !is_dropped;
        drop -= is_dropped;
    }
    couTable_Filter(table, is_kept);
    couArena_Release(&world->scratch, mark);
    return true;
}

int64_t couFillFull(couWorld *world, const couFilling *filling, int64_t wanted)
{
    couFluid *fluid = &world->fluid;
    couBounds bounds;
    if (wanted < 1 || !couShape_Bounds(filling->shape, fluid->dimension, &bounds)) return 0;
    double size[3] = {bounds.upper.x - bounds.lower.x, bounds.upper.y - bounds.lower.y, bounds.upper.z - bounds.lower.z};
    int axes = fluid->dimension;
    // The coarsest lattice that has enough: finer along the axis where it is coarsest, again and again.
    double volume = couWorld_FreeVolume(world, filling->shape, filling->pose), pitch = pow(volume / (double)wanted, 1.0 / axes);
    int n[3] = {1, 1, 1};
    for (int a = 0; a < axes; ++a) n[a] = COU_MAX((int)(size[a] / pitch), 1);
    size_t first = fluid->table.count;
    uint32_t next_id = fluid->next_id;
    couRandom random = world->random;
    for (;;) {
        Lattice lattice = {
            {n[0], n[1], n[2]}, {0, 0, 0}, {(float)(size[0] / n[0]), (float)(size[1] / n[1]), (float)(size[2] / n[2])}};
        lattice.first = couMulAdd(bounds.lower, 0.5f, lattice.pitch);
        int64_t added = fill_lattice(world, filling, lattice);
        if (added < 0 || added == filling->limit) return added;
        if (added >= wanted) return thin_out(world, first, added - wanted) ? wanted : -1;
        int coarsest = 0;
        for (int a = 1; a < axes; ++a)
            if (size[a] / n[a] > size[coarsest] / n[coarsest]) coarsest = a;
        n[coarsest]++;
        fluid->table.count = first;
        fluid->next_id = next_id;
        world->random = random;
    }
}

// --- Fluid at the start ------------------------------------------------------------------------------------------------------

static void note_fluid(couWorld *world, size_t first, float speed)
{
    const couVec4 *x = couFluid_Position(&world->fluid);
    couVec3 up = couWorld_Up(world);
    for (size_t i = first; i < world->fluid.table.count; ++i) {
        float height = couDot(up, couXyz(x[i]));
        world->fluid_top = COU_MAX(world->fluid_top, height + 0.5f * world->def.spacing);
        world->fluid_bottom = COU_MIN(world->fluid_bottom, height - 0.5f * world->def.spacing);
    }
    world->fluid_speed = COU_MAX(world->fluid_speed, speed);
}

// Gives the particles from `first` on their own velocities, where the def has such. False with a fault where the function's is
// none.
static bool set_velocities(couWorld *world, const couFluidDef *def, size_t first, float *fastest, couFaults *faults)
{
    const couFluid *fluid = &world->fluid;
    couVec3 spin = fluid->dimension == 2 ? (couVec3){0, 0, def->spin.z} : def->spin;
    *fastest = couLength(def->velocity);
    if (!def->velocity_function && !(couLength(spin) > 0.0f)) return true;
    *fastest = 0.0f;
    for (size_t i = first; i < fluid->table.count; ++i) {
        couVec3 x = couXyz(couFluid_Position(fluid)[i]), own = {0};
        if (def->velocity_function) own = def->velocity_function(def->velocity_context, x);
        float largest = COU_MAX(fabsf(own.x), COU_MAX(fabsf(own.y), fabsf(own.z)));
        if (!couIsFinite3(own) || largest > COU_MAX_VELOCITY) {
            couFaults_Add(faults, NULL, "fluid.velocity",
                          "the function gives %g, %g, %g at x = %g, y = %g, z = %g; it must give numbers from -%d to %d", own.x,
                          own.y, own.z, x.x, x.y, x.z, COU_MAX_VELOCITY, COU_MAX_VELOCITY);
            return false;
        }
        couVec3 v = couAdd(def->velocity, couAdd(couCross(spin, couSub(x, def->pose.position)), own));
        if (fluid->dimension == 2) v.z = 0.0f;
        couVec4 *velocity = &couFluid_Velocity(fluid)[i];
        velocity->x = v.x, velocity->y = v.y, velocity->z = v.z;
        *fastest = COU_MAX(*fastest, couLength(v));
    }
    return true;
}

// n_max = rho0 (V - solids) / m [Gagneux 2022, eq. 2.49]
static int64_t fill_closed(couWorld *world, const couFilling *filling)
{
    const couFluid *fluid = &world->fluid;
    double volume = couWorld_FreeVolume(world, filling->shape, filling->pose);
    double fill = fluid->method->fill ? (double)fluid->method->fill(fluid) : 1.0;
    double most = volume / (fill * pow(fluid->spacing, fluid->dimension));
    int64_t added = couFillFull(world, filling, (int64_t)(most + 0.5));
    couLog(cou_logInfo, "a closed domain of %.4g m^%d holds %.0f particles; %lld were placed", volume, fluid->dimension, most,
           (long long)added);
    return added;
}

static bool add_rest(couWorld *world, size_t first)
{
    if (!COU_RESERVE(&world->memory, &world->rests, world->rests.count + 1)) return false;
    world->rests.items[world->rests.count++] = (couRest){first, world->fluid.table.count - first};
    return !world->is_prepared || couSettle(world);
}

int64_t couWorld_AddFluid(couWorld *world, const couFluidDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couFluidParams(), def, faults);
    is_good = couCheckMaterial(world, def->material, "fluid.material", faults) && is_good;
    is_good = couCheckShape(world, def->shape, true, "fluid.shape", faults) && is_good;
    is_good = couCheckPose(def->pose, "fluid.at", faults) && is_good;
    if (!is_good) return -1;
    size_t first = world->fluid.table.count;
    int64_t room = world->def.max_particles - (int64_t)first;
    double most = 1.5 * (double)room + 1000, expected = couEstimateFill(world, def->shape, most);
    if (expected > most) {
        couFaults_Add(faults, NULL, "fluid.shape", "it would take about %.3g particles; max_particles allows %lld more", expected,
                      (long long)room);
        return -1;
    }
    const couMethod *method = world->fluid.method;
    int m = def->material.index1 - 1;
    bool is_rest = def->start == cou_fluidStartAsWorld ? world->def.start == cou_startRest : def->start == cou_fluidStartRest;
    bool has_springs = world->fluid.materials[m].springs != cou_springsNone;
    float jitter = method->fill_jitter ? method->fill_jitter(&world->fluid, has_springs, is_rest) : 0.0f;
    int64_t blocked = 0;
    couFilling filling = {.material = m,
                          .shape = def->shape,
                          .blocked = &blocked,
                          .pose = def->pose,
                          .velocity = def->velocity,
                          .jitter = isnan(def->jitter) ? jitter : def->jitter,
                          .avoids_particles = !def->is_full && world->step_count > 0,
                          .limit = room + 1};
    int64_t added = def->is_full ? fill_closed(world, &filling) : couFillShape(world, &filling);
    if (blocked > 0 && !def->is_full && !filling.avoids_particles && added > 0 && added <= room) {
        int64_t more = couFillRound(world, &filling, added);
        added = more < 0 ? -1 : added + more;
    }
    if (added < 0 || added > room) {
        world->fluid.table.count = first;
        couFaults_Add(faults, NULL, "fluid.shape", added < 0 ? "out of memory" : "it holds more than max_particles (%d) allows",
                      world->def.max_particles);
        return -1;
    }
    float fastest;
    if (!set_velocities(world, def, first, &fastest, faults)) {
        world->fluid.table.count = first;
        return -1;
    }
    note_fluid(world, first, fastest);
    if (is_rest && added > 0 && !add_rest(world, first)) {
        world->fluid.table.count = first;
        couFaults_Add(faults, NULL, "fluid.start", "out of memory");
        return -1;
    }
    return added;
}

bool couWorld_AddParticles(couWorld *world, couMaterialId material, const couVec3 *positions, const couVec3 *velocities,
                           size_t count, couFaults *faults)
{
    if (!couCheckMaterial(world, material, "particles.material", faults)) return false;
    for (size_t k = 0; k < count; ++k)
        if (!couIsFinite3(positions[k]) || (velocities && !couIsFinite3(velocities[k]))) {
            couFaults_Add(faults, NULL, "particles", "particle %zu has a position or velocity that is not finite", k);
            return false;
        }
    size_t first = world->fluid.table.count;
    if (count > UINT32_MAX - world->fluid.next_id) {
        couFaults_Add(faults, NULL, "particles", "%zu particles are more than there are ids left", count);
        return false;
    }
    if (first + count > (size_t)world->def.max_particles || !couTable_Reserve(&world->fluid.table, first + count)) {
        couFaults_Add(faults, NULL, "particles", "%zu particles are more than max_particles (%d) or memory allow", count,
                      world->def.max_particles);
        return false;
    }
    float fastest = 0.0f;
    for (size_t k = 0; k < count; ++k) {
        couVec3 v = velocities ? velocities[k] : (couVec3){0};
        fastest = COU_MAX(fastest, couLength(v));
        couAddParticle(world, material.index1 - 1, positions[k], v);
    }
    note_fluid(world, first, fastest);
    return true;
}
