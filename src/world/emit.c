// Where particles come from and go to: filled volumes, jets from disks and polygons, sinks.
//
// A jet is laid down in layers one spacing apart: each step adds speed * dt to the length of jet that is due, and every whole
// spacing of it becomes a layer at the place where its particles would be by now. A layer is a square lattice at the rest
// spacing, turned and shifted at random, so that the jet has the density of the resting fluid and no grain.

#include "world/world.h"

#include <stdio.h>

bool couAddParticle(couWorld *world, int material, couVec3 position, couVec3 velocity)
{
    couFluid *fluid = &world->fluid;
    size_t i = couTable_AddRows(&fluid->table, 1);
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

// --- Volumes -----------------------------------------------------------------------------------------------------------------

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

bool couIsInsideBody(const couWorld *world, couVec3 x, float margin)
{
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        if (body->is_here && couShape_Distance(body->def.shape, world->def.dimension, couToLocal(body->pose, x)) < margin)
            return true;
    }
    return false;
}

bool couIsBlocked(const couWorld *world, couVec3 a, couVec3 b)
{
    for (size_t k = 0; k < world->body_count; ++k) {
        const couBody *body = &world->bodies[k];
        if (!body->is_here) continue;
        couVec3 p = couToLocal(body->pose, a), q = couToLocal(body->pose, b);
        if (couShape_SegmentHits(body->def.shape, world->def.dimension, p, q)) return true;
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

// Share of the shape's bounds that it fills.
static double filled_share(const couShape *shape, int dimension, couBounds bounds)
{
    enum { SAMPLES = 4096 };
    int inside = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        double u[3];
        low_discrepancy(k, u);
        couVec3 p = {(float)(bounds.lower.x + u[0] * (bounds.upper.x - bounds.lower.x)),
                     (float)(bounds.lower.y + u[1] * (bounds.upper.y - bounds.lower.y)),
                     (float)(bounds.lower.z + u[2] * (bounds.upper.z - bounds.lower.z))};
        inside += couShape_Distance(shape, dimension, p) <= 0.0f;
    }
    return (double)inside / SAMPLES;
}

double couEstimateFill(const couWorld *world, const couShape *shape)
{
    couBounds bounds;
    int dimension = world->def.dimension;
    if (!couShape_Bounds(shape, dimension, &bounds)) return INFINITY;
    double d = world->def.spacing;
    double lattice = ceil((bounds.upper.x - bounds.lower.x) / d) * ceil((bounds.upper.y - bounds.lower.y) / d);
    if (dimension == 3) lattice *= ceil((bounds.upper.z - bounds.lower.z) / d);
    return lattice > 1e12 ? INFINITY : lattice * filled_share(shape, dimension, bounds);
}

// A lattice in the shape's frame, centred in its bounds; along y it begins at the bottom.
typedef struct Lattice {
    int n[3];
    couVec3 first, pitch;
} Lattice;

static int64_t fill_lattice(couWorld *world, int material, const couShape *shape, couPose pose, couVec3 velocity, Lattice lattice,
                            float jitter, bool avoids_particles, int64_t limit)
{
    couFluid *fluid = &world->fluid;
    const int *n = lattice.n;
    couVec3 first = lattice.first;
    float d = COU_MIN(lattice.pitch.x, COU_MIN(lattice.pitch.y, lattice.pitch.z));
    double expected = (double)n[0] * n[1] * n[2];
    // All at once, where it is all of it: growing as they come would leave a quarter of the table unused.
    if (expected < 1e8 && !couTable_Reserve(&fluid->table, fluid->table.count + (size_t)(couEstimateFill(world, shape) + 1.0)))
        return -1;
    if (fluid->dimension == 2) first.z = 0.0f;
    Occupied occupied = {0};
    if (avoids_particles && !occupied_init(&occupied, world)) return -1;
    int64_t added = 0;
    for (int k = 0; k < n[2]; ++k)
        for (int j = 0; j < n[1]; ++j)
            for (int i = 0; i < n[0]; ++i) {
                couVec3 local = {first.x + (float)i * lattice.pitch.x, first.y + (float)j * lattice.pitch.y,
                                 first.z + (float)k * lattice.pitch.z};
                float outside = couShape_Distance(shape, fluid->dimension, local);
                if (outside > 0.0f) {
                    // No point of the row is inside for at least this distance.
                    i += (int)COU_MIN(outside / lattice.pitch.x, (float)(n[0] - i));
                    continue;
                }
                couVec3 x = couToWorld(pose, local);
                couVec3 offset = {couRandomSigned(&world->random), couRandomSigned(&world->random),
                                  couRandomSigned(&world->random)};
                // Half a spacing from walls, less a little so that a volume flush with a wall keeps its first layer.
                if (couIsInsideBody(world, x, 0.45f * d)) continue;
                if (avoids_particles && is_occupied(&occupied, x, fluid->dimension)) continue;
                x = couMulAdd(x, jitter * d, offset);
                if (fluid->dimension == 2) x.z = 0.0f;
                if (added == limit || !couAddParticle(world, material, x, velocity)) {
                    couFree(NULL, occupied.slots);
                    return added == limit ? added : -1;
                }
                ++added;
            }
    couFree(NULL, occupied.slots);
    return added;
}

double couFreeVolume(const couWorld *world, const couShape *shape, couPose pose)
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
        inside += couShape_Distance(shape, dimension, p) <= 0.0f && !couIsInsideBody(world, couToWorld(pose, p), 0.0f);
    }
    return size[0] * size[1] * size[2] * inside / SAMPLES;
}

int64_t couFillShape(couWorld *world, int material, const couShape *shape, couPose pose, couVec3 velocity, float jitter,
                     bool avoids_particles, int64_t limit)
{
    couBounds bounds;
    float d = world->fluid.spacing;
    if (!couShape_Bounds(shape, world->fluid.dimension, &bounds)) return 0;
    couVec3 size = couSub(bounds.upper, bounds.lower);
    Lattice lattice = {{COU_MAX(lattice_count(size.x, d), 1), COU_MAX(lattice_count(size.y, d), 1),
                        world->fluid.dimension == 2 ? 1 : COU_MAX(lattice_count(size.z, d), 1)},
                       {0, 0, 0},
                       {d, d, d}};
    lattice.first = (couVec3){bounds.lower.x + 0.5f * (size.x - (float)(lattice.n[0] - 1) * d), bounds.lower.y + 0.5f * d,
                              bounds.lower.z + 0.5f * (size.z - (float)(lattice.n[2] - 1) * d)};
    return fill_lattice(world, material, shape, pose, velocity, lattice, jitter, avoids_particles, limit);
}

// Takes `surplus` of the particles from `first` on away, evenly at random.
static bool thin_out(couWorld *world, size_t first, int64_t surplus)
{
    couTable *table = &world->fluid.table;
    if (!couReserve(&world->memory, (void **)&world->flags, &world->flag_capacity, table->count, 1)) return false;
    memset(world->flags, 1, table->count);
    size_t left = table->count - first, drop = (size_t)surplus;
    for (size_t i = first; i < table->count; ++i, --left) {
        bool is_dropped = couRandomFloat(&world->random) * (float)left < (float)drop;
        world->flags[i] = !is_dropped;
        drop -= is_dropped;
    }
    couTable_Filter(table, world->flags);
    return true;
}

int64_t couFillFull(couWorld *world, int material, const couShape *shape, couPose pose, couVec3 velocity, float jitter,
                    int64_t wanted, int64_t limit)
{
    couFluid *fluid = &world->fluid;
    couBounds bounds;
    if (wanted < 1 || !couShape_Bounds(shape, fluid->dimension, &bounds)) return 0;
    double size[3] = {bounds.upper.x - bounds.lower.x, bounds.upper.y - bounds.lower.y, bounds.upper.z - bounds.lower.z};
    int axes = fluid->dimension;
    // The coarsest lattice that has enough: finer along the axis where it is coarsest, again and again.
    double volume = couFreeVolume(world, shape, pose), pitch = pow(volume / (double)wanted, 1.0 / axes);
    int n[3] = {1, 1, 1};
    for (int a = 0; a < axes; ++a) n[a] = COU_MAX((int)(size[a] / pitch), 1);
    size_t first = fluid->table.count;
    uint32_t next_id = fluid->next_id;
    couRandom random = world->random;
    for (;;) {
        Lattice lattice = {
            {n[0], n[1], n[2]}, {0, 0, 0}, {(float)(size[0] / n[0]), (float)(size[1] / n[1]), (float)(size[2] / n[2])}};
        lattice.first = couMulAdd(bounds.lower, 0.5f, lattice.pitch);
        int64_t added = fill_lattice(world, material, shape, pose, velocity, lattice, jitter, false, limit);
        if (added < 0 || added == limit) return added;
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

// --- Jets --------------------------------------------------------------------------------------------------------------------

// The disk or polygon that a jet leaves from, with where it is in the emitter's frame; NULL for a volume.
static const couShape *find_face(const couShape *shape, couPose *pose)
{
    *pose = COU_POSE_IDENTITY;
    while (couShape_Kind(shape) == cou_shapePlaced) {
        const couShapeDef *def = couShape_Def(shape);
        *pose = couCompose(*pose, def->pose);
        shape = def->children[0];
    }
    couShapeKind kind = couShape_Kind(shape);
    return kind == cou_shapeDisk || kind == cou_shapePolygon ? shape : NULL;
}

// One layer of a jet: lattice points of the face, as seen along its normal, `ahead` metres out.
static int64_t emit_layer(couWorld *world, const couEmitterDef *def, const couShape *face, couPose pose, couVec3 velocity,
                          float ahead, int64_t room)
{
    int dimension = world->def.dimension;
    float d = world->def.spacing;
    bool is_disk = couShape_Kind(face) == cou_shapeDisk;
    couVec3 normal = is_disk ? (couVec3){0, 1, 0} : (couVec3){0, 0, 1};
    couVec3 a = {1, 0, 0}, b = is_disk ? (couVec3){0, 0, 1} : (couVec3){0, 1, 0};
    couBounds bounds;
    couShape_Bounds(face, dimension, &bounds);
    couVec3 center = couScale(0.5f, couAdd(bounds.lower, bounds.upper));
    float reach = 0.5f * couLength(couSub(bounds.upper, bounds.lower));
    float angle = dimension == 3 ? couRandomFloat(&world->random) * (float)COU_PI : 0.0f;
    float shift_a = couRandomSigned(&world->random) * 0.5f, shift_b = couRandomSigned(&world->random) * 0.5f;
    // A thin jet is a string of single particles.
    int n = (int)ceilf(reach / d) + 1, rows = dimension == 3 ? n : 0;
    int64_t added = 0;
    for (int j = -rows; j <= rows; ++j)
        for (int i = -n; i <= n; ++i) {
            float u = ((float)i + shift_a) * d, v = dimension == 3 ? ((float)j + shift_b) * d : 0.0f;
            float ca = cosf(angle), sa = sinf(angle);
            couVec3 local = couMulAdd(couMulAdd(center, u * ca - v * sa, a), u * sa + v * ca, b);
            // In the face: on the disk itself, or inside the polygon (the disk's distance is unsigned).
            float distance = couShape_Distance(face, dimension, local);
            if (is_disk ? distance > 1e-6f * d : distance > 0.0f) continue;
            couVec3 offset = {couRandomSigned(&world->random), couRandomSigned(&world->random), couRandomSigned(&world->random)};
            couVec3 x = couMulAdd(couToWorld(pose, couMulAdd(local, ahead, normal)), def->jitter * d, offset);
            // A wall in front of the face may be thinner than what the jet flies in a step.
            if (couIsInsideBody(world, x, 0.3f * d) || couIsBlocked(world, couToWorld(pose, local), x)) continue;
            if (added == room || !couAddParticle(world, def->material.index1 - 1, x, velocity)) return added;
            ++added;
        }
    return added;
}

static couPose emitter_pose(const couEmitterDef *def, double time)
{
    return def->motion ? def->motion(def->motion_context, time) : def->pose;
}

// Jets flow at 1 m/s unless told otherwise; a volume appears at rest.
static float emitter_speed(const couEmitterDef *def)
{
    couPose pose;
    if (!isnan(def->speed)) return def->speed;
    return find_face(def->shape, &pose) ? 1.0f : 0.0f;
}

static void run_jet(couWorld *world, couEmitter *emitter, const couShape *face, couPose face_pose, float dt,
                    couStepReport *report)
{
    const couEmitterDef *def = &emitter->def;
    float d = world->def.spacing;
    couPose pose = couCompose(emitter_pose(def, world->time), face_pose);
    couVec3 normal = couShape_Kind(face) == cou_shapeDisk ? (couVec3){0, 1, 0} : (couVec3){0, 0, 1};
    float speed = emitter_speed(def);
    couVec3 velocity = couScale(speed, couRotate(pose.rotation, normal));
    if (def->motion) {
        couPose later = couCompose(emitter_pose(def, world->time + dt), face_pose);
        velocity = couMulAdd(velocity, 1.0f / dt, couSub(later.position, pose.position));
    }
    emitter->travelled += (double)speed * dt;
    while (emitter->travelled >= d) {
        emitter->travelled -= d;
        int64_t room = COU_MIN((int64_t)def->max_count - (int64_t)emitter->emitted,
                               world->def.max_particles - (int64_t)world->fluid.table.count);
        if (room <= 0) {
            if (emitter->is_on) couLog(cou_logInfo, "emitter '%s' has reached its limit of particles and stops", def->name);
            emitter->is_on = false;
            return;
        }
        // The layer left the face a moment ago and has come `travelled` far since.
        int64_t added = emit_layer(world, def, face, pose, velocity, (float)emitter->travelled, room);
        emitter->emitted += (uint64_t)added;
        report->emitted += added;
    }
}

static void run_volume(couWorld *world, couEmitter *emitter, couStepReport *report)
{
    const couEmitterDef *def = &emitter->def;
    couPose pose = emitter_pose(def, world->time);
    couVec3 velocity = couScale(emitter_speed(def), couRotate(pose.rotation, (couVec3){0, -1, 0}));
    int64_t room = COU_MIN((int64_t)def->max_count - (int64_t)emitter->emitted,
                           world->def.max_particles - (int64_t)world->fluid.table.count);
    emitter->travelled += 1; // of a volume: how often it was filled
    emitter->is_filled = !(def->period > 0.0f) || room <= 0;
    if (room <= 0) return;
    if (couEstimateFill(world, def->shape) > 1e9) {
        couLog(cou_logWarning, "emitter '%s' is too large to be filled", def->name);
        return;
    }
    int64_t added = couFillShape(world, def->material.index1 - 1, def->shape, pose, velocity, def->jitter, true, room);
    if (added <= 0) return;
    emitter->emitted += (uint64_t)added;
    report->emitted += added;
}

// --- Sinks -------------------------------------------------------------------------------------------------------------------

static void run_sinks(couWorld *world, couStepReport *report)
{
    couFluid *fluid = &world->fluid;
    size_t count = fluid->table.count;
    bool has_any = false;
    for (size_t s = 0; s < world->sink_count; ++s) {
        const couSinkDef *def = &world->sinks[s].def;
        if (world->time < def->start || world->time >= def->stop) continue;
        if (!has_any) {
            if (!couReserve(&world->memory, (void **)&world->flags, &world->flag_capacity, count, 1)) return;
            if (count) memset(world->flags, 1, count);
            has_any = true;
        }
        for (size_t i = 0; i < count; ++i) {
            couVec3 x = couToLocal(def->pose, couXyz(couFluid_Position(fluid)[i]));
            bool is_inside = couShape_Distance(def->shape, fluid->dimension, x) < 0.0f;
            if (is_inside != def->is_inverted) world->flags[i] = 0;
        }
    }
    if (has_any) report->removed += (int64_t)couTable_Filter(&fluid->table, world->flags);
}

void couEmit(couWorld *world, float dt, couStepReport *report)
{
    for (size_t e = 0; e < world->emitter_count; ++e) {
        couEmitter *emitter = &world->emitters[e];
        bool is_running = emitter->is_on && world->time >= emitter->def.start && world->time < emitter->def.stop;
        if (!is_running) continue;
        couPose face_pose;
        const couShape *face = find_face(emitter->def.shape, &face_pose);
        if (face)
            run_jet(world, emitter, face, face_pose, dt, report);
        else if (!emitter->is_filled && world->time >= emitter->def.start + emitter->travelled * (double)emitter->def.period)
            run_volume(world, emitter, report);
    }
    if (world->sink_count) run_sinks(world, report);
}
