// Where particles come from and go to: jets from disks and polygons, volumes that emitters fill, sinks.
//
// A jet is laid down in layers one spacing apart: each step adds speed * dt to the length of jet that is due, and every whole
// spacing of it becomes a layer at the place where its particles would be by now. A layer is a square lattice at the rest
// spacing, turned and shifted at random, so that the jet has the density of the resting fluid and no grain.

#include "world/world.h"

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

bool couIsJet(const couEmitterDef *def)
{
    couPose pose;
    return find_face(def->shape, &pose) != NULL;
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
            if (couIsInsideBody(&world->bodies, x, 0.3f * d) || couIsBlocked(&world->bodies, couToWorld(pose, local), x))
                continue;
            if (added == room || !couAddParticle(world, def->material.index1 - 1, x, velocity)) return added;
            ++added;
        }
    return added;
}

couPose couEmitterPose(const couEmitterDef *def, double time)
{
    return def->motion ? def->motion(def->motion_context, time) : def->pose;
}

// Jets flow at 1 m/s unless told otherwise; a volume appears at rest.
static float emitter_speed(const couEmitterDef *def)
{
    if (!isnan(def->speed)) return def->speed;
    return couIsJet(def) ? 1.0f : 0.0f;
}

// Particles that the emitter may still make; ids end, too.
static int64_t room_of(const couWorld *world, const couEmitter *emitter)
{
    int64_t own = (int64_t)emitter->def.max_count - (int64_t)emitter->emitted;
    int64_t all = world->def.max_particles - (int64_t)world->fluid.table.count;
    return COU_MIN(COU_MIN(own, all), (int64_t)(UINT32_MAX - world->fluid.next_id));
}

static void run_jet(couWorld *world, couEmitter *emitter, const couShape *face, couPose face_pose, float dt,
                    couStepReport *report)
{
    const couEmitterDef *def = &emitter->def;
    float d = world->def.spacing;
    couPose pose = couCompose(couEmitterPose(def, world->time), face_pose);
    couVec3 normal = couShape_Kind(face) == cou_shapeDisk ? (couVec3){0, 1, 0} : (couVec3){0, 0, 1};
    float speed = emitter_speed(def);
    couVec3 velocity = couScale(speed, couRotate(pose.rotation, normal));
    if (def->motion) {
        couPose later = couCompose(couEmitterPose(def, world->time + dt), face_pose);
        velocity = couMulAdd(velocity, 1.0f / dt, couSub(later.position, pose.position));
    }
    emitter->travelled += (double)speed * dt;
    while (emitter->travelled >= d) {
        emitter->travelled -= d;
        int64_t room = room_of(world, emitter);
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
    couPose pose = couEmitterPose(def, world->time);
    couVec3 velocity = couScale(emitter_speed(def), couRotate(pose.rotation, (couVec3){0, -1, 0}));
    int64_t room = room_of(world, emitter);
    emitter->travelled += 1; // of a volume: how often it was filled
    emitter->is_filled = !(def->period > 0.0f) || room <= 0;
    if (room <= 0) return;
    if (couEstimateFill(world, def->shape, 1e9) > 1e9) {
        couLog(cou_logWarning, "emitter '%s' is too large to be filled", def->name);
        return;
    }
    couFilling filling = {.material = def->material.index1 - 1,
                          .shape = def->shape,
                          .pose = pose,
                          .velocity = velocity,
                          .jitter = def->jitter,
                          .avoids_particles = true,
                          .limit = room};
    int64_t added = couFillShape(world, &filling);
    if (added <= 0) return;
    emitter->emitted += (uint64_t)added;
    report->emitted += added;
}

// --- Sinks -------------------------------------------------------------------------------------------------------------------

// Clears the marks of particles inside (or outside) the shape and a margin; returns how many those were.
static size_t unmark_inside(const couFluid *fluid, const couShape *shape, couPose pose, float margin, bool is_inverted,
                            uint8_t *is_kept)
{
    size_t count = 0;
    for (size_t i = 0; i < fluid->table.count; ++i) {
        couVec3 x = couToLocal(pose, couXyz(couFluid_Position(fluid)[i]));
        bool is_inside = couShape_Distance(shape, fluid->dimension, x) < margin;
        if (is_inside == is_inverted) continue;
        is_kept[i] = 0;
        ++count;
    }
    return count;
}

int64_t couRemoveInside(couWorld *world, const couShape *shape, couPose pose, float margin, bool is_inverted)
{
    couFluid *fluid = &world->fluid;
    if (!fluid->table.count) return 0;
    couArenaMark mark = couArena_Mark(&world->scratch);
    uint8_t *is_kept = COU_TAKE(&world->scratch, uint8_t, fluid->table.count);
    if (!is_kept) return -1;
    memset(is_kept, 1, fluid->table.count);
    size_t covered = unmark_inside(fluid, shape, pose, margin, is_inverted, is_kept);
    if (covered) couTable_Filter(&fluid->table, is_kept);
    couArena_Release(&world->scratch, mark);
    return (int64_t)covered;
}

static void run_sinks(couWorld *world, couStepReport *report)
{
    for (size_t s = 0; s < world->sinks.count; ++s) {
        const couSink *sink = &world->sinks.items[s];
        if (!sink->slot.is_here || world->time < sink->def.start || world->time >= sink->def.stop) continue;
        int64_t removed = couRemoveInside(world, sink->def.shape, sink->def.pose, 0.0f, sink->def.is_inverted);
        report->removed += COU_MAX(removed, 0);
    }
}

bool couIsEmitting(const couEmitter *emitter, double time)
{
    return emitter->slot.is_here && emitter->is_on && time >= emitter->def.start && time < emitter->def.stop;
}

void couEmit(couWorld *world, float dt, couStepReport *report)
{
    for (size_t e = 0; e < world->emitters.count; ++e) {
        couEmitter *emitter = &world->emitters.items[e];
        if (!couIsEmitting(emitter, world->time)) continue;
        couPose face_pose;
        const couShape *face = find_face(emitter->def.shape, &face_pose);
        if (face)
            run_jet(world, emitter, face, face_pose, dt, report);
        else if (!emitter->is_filled && world->time >= emitter->def.start + emitter->travelled * (double)emitter->def.period)
            run_volume(world, emitter, report);
    }
    run_sinks(world, report);
}
