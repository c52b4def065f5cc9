// Making a world and adding to it. Every def is checked here, whoever made it: scene, program or user code.

#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>

// --- Creation ----------------------------------------------------------------------------------------------------------------

static bool check_method(const char *method, couFaults *faults)
{
    if (memchr(method, 0, COU_NAME_SIZE) && couFindMethod(method)) return true;
    const char *const *names = couMethodNames();
    int count = 0;
    char known[256] = "";
    for (; names[count]; ++count) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", names[count]);
    }
    const char *near = couSuggest(names, count, method);
    couFaults_Add(faults, NULL, "scene.method", "unknown method '%.31s'%s%s%s; known: %s", method, near ? ": did you mean '" : "",
                  near ? near : "", near ? "'?" : "", known);
    return false;
}

static bool init_fluid(couWorld *world)
{
    couFluid *fluid = &world->fluid;
    const couWorldDef *def = &world->def;
    fluid->memory = &world->memory;
    fluid->parallel = couMakeParallel(def->threads);
    fluid->dimension = def->dimension;
    fluid->spacing = def->spacing;
    fluid->gravity = def->gravity;
    if (def->dimension == 2) fluid->gravity.z = 0.0f;
    couTable *table = &fluid->table;
    couTable_Init(table, &world->memory);
    fluid->position_column = couTable_AddColumn(table, "position", "m", cou_stateF32, 4, cou_columnState);
    fluid->velocity_column = couTable_AddColumn(table, "velocity", "m/s", cou_stateF32, 4, cou_columnState);
    fluid->id_column = couTable_AddColumn(table, "id", "", cou_stateU32, 1, cou_columnState);
    fluid->material_column = couTable_AddColumn(table, "material", "", cou_stateU8, 1, cou_columnState);
    fluid->density_column = couTable_AddColumn(table, "density", "", cou_stateF32, 1, cou_columnState);
    fluid->previous_column = couTable_AddColumn(table, "previous", "m", cou_stateF32, 4, cou_columnDerived);
    couGrid_Init(&fluid->grid, &world->memory);
    fluid->contacts.memory = &world->memory;
    fluid->method = couFindMethod(def->method);
    fluid->params = couAlloc(&world->memory, fluid->method->params_bytes);
    fluid->method_state = couAlloc(&world->memory, fluid->method->state_bytes);
    fluid->springs = couCreateSpringNet(&world->memory);
    couBoundary_Init(&fluid->boundary, &world->memory);
    fluid->period = (couPeriod){{def->period.x, def->period.y, def->dimension == 3 ? def->period.z : 0.0f},
                                {def->period_lower.x, def->period_lower.y, def->period_lower.z}};
    if (!fluid->params || !fluid->method_state || !fluid->springs) return false;
    couParams_SetDefaults(fluid->method->params, fluid->params);
    if (fluid->method->init && !fluid->method->init(fluid)) return false;
    return couNeighbors_Init(&fluid->neighbors, &world->memory);
}

couWorld *couCreateWorld(const couWorldDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(&(couParamTable){"scene", couWorldParams()->params, couWorldParams()->count}, def, faults);
    is_good = check_method(def->method, faults) && is_good;
    bool is_periodic = def->period.x > 0.0f || def->period.y > 0.0f || def->period.z > 0.0f;
    if (is_good && is_periodic && !couFindMethod(def->method)->sph) {
        couFaults_Add(faults, NULL, "scene.period", "%s does not know periods; the SPH methods do", def->method);
        is_good = false;
    }
    if (!is_good) return NULL;
    couWorld *world = couAlloc(NULL, sizeof *world);
    if (!world) {
        couFaults_Add(faults, NULL, NULL, "out of memory");
        return NULL;
    }
    world->def = *def;
    world->random.state = couMix64((uint64_t)def->seed);
    world->fluid_top = -INFINITY;
    world->fluid_bottom = INFINITY;
    if (!init_fluid(world)) {
        couFaults_Add(faults, NULL, NULL, "out of memory");
        couDestroyWorld(world);
        return NULL;
    }
    return world;
}

static void drop_body(couWorld *world, couBody *body)
{
    couShape_Release(body->def.shape);
    couFree(&world->memory, body->probes.items);
    couFreeBodySamples(world, body);
}

void couDestroyWorld(couWorld *world)
{
    if (!world) return;
    couMemory *memory = &world->memory;
    for (size_t b = 0; b < world->body_count; ++b) drop_body(world, &world->bodies[b]);
    for (size_t e = 0; e < world->emitter_count; ++e) couShape_Release(world->emitters[e].def.shape);
    for (size_t s = 0; s < world->sink_count; ++s) couShape_Release(world->sinks[s].def.shape);
    for (size_t f = 0; f < world->field_count; ++f) couShape_Release(world->fields[f].def.region);
    for (size_t k = 0; k < world->touch_capacity; ++k) couFree(memory, world->touches[k].items);
    couFree(memory, world->bodies);
    couFree(memory, world->joints);
    couFree(memory, world->touches);
    couFree(memory, world->rigid_bodies);
    couFree(memory, world->rigid_contacts);
    couFree(memory, world->rigid_joints);
    couFree(memory, world->islands);
    couFree(memory, world->is_held);
    couFree(memory, world->body_impulses);
    couFree(memory, world->body_centers);
    couFree(memory, world->emitters);
    couFree(memory, world->sinks);
    couFree(memory, world->fields);
    couFree(memory, world->events);
    couFree(memory, world->flags);
    couFree(memory, world->impulses);
    couFree(memory, world->near_bodies);
    couFluid *fluid = &world->fluid;
    couFreeParallel(&fluid->parallel);
    couTable_Free(&fluid->table);
    couGrid_Free(&fluid->grid);
    couNeighbors_Free(&fluid->neighbors);
    couContacts_Free(&fluid->contacts);
    couDestroySpringNet(fluid->springs);
    couBoundary_Free(&fluid->boundary);
    if (fluid->method && fluid->method->free && fluid->method_state) fluid->method->free(fluid);
    couFree(memory, fluid->params);
    couFree(memory, fluid->method_state);
    couFree(NULL, world);
}

const couWorldDef *couWorld_Def(const couWorld *world) { return &world->def; }
void *couWorld_MethodParams(couWorld *world) { return world->fluid.params; }

// --- Materials ---------------------------------------------------------------------------------------------------------------

static float particle_mass(const couWorld *world, float density)
{
    return (float)(density * pow(world->def.spacing, world->def.dimension));
}

couMaterialId couWorld_AddMaterial(couWorld *world, const couMaterialDef *def, couFaults *faults)
{
    couFluid *fluid = &world->fluid;
    bool is_good = couParams_Check(couMaterialParams(), def, faults);
    is_good = couCheckName(def->name, "material.name", faults) && is_good;
    if (fluid->material_count == COU_MAX_MATERIALS) {
        couFaults_Add(faults, NULL, "material", "a world holds at most %d materials", COU_MAX_MATERIALS);
        is_good = false;
    }
    if (!is_good) return (couMaterialId){0};
    int m = fluid->material_count++;
    fluid->materials[m] = *def;
    fluid->mass[m] = particle_mass(world, def->density);
    if (world->is_prepared) fluid->method->materials_changed(fluid);
    return (couMaterialId){(uint16_t)(m + 1), 1};
}

static int material_index(const couWorld *world, couMaterialId material)
{
    bool is_known = material.index1 > 0 && material.index1 <= world->fluid.material_count;
    COU_ASSERT(is_known);
    return is_known ? material.index1 - 1 : -1;
}

bool couWorld_SetMaterial(couWorld *world, couMaterialId material, const couMaterialDef *def, couFaults *faults)
{
    int m = material_index(world, material);
    if (m < 0) return false;
    bool is_good = couParams_Check(couMaterialParams(), def, faults);
    if (!couCheckName(def->name, "material.name", faults) || !is_good) return false;
    bool has_particles = world->fluid.table.count && memchr(couFluid_Material(&world->fluid), m, world->fluid.table.count);
    if (def->density != world->fluid.materials[m].density && has_particles) {
        couFaults_Add(faults, NULL, "material.density", "the density of '%s' cannot change from %g to %g while it runs",
                      def->name, world->fluid.materials[m].density, def->density);
        return false;
    }
    world->fluid.materials[m] = *def;
    world->fluid.mass[m] = particle_mass(world, def->density);
    if (world->is_prepared) world->fluid.method->materials_changed(&world->fluid);
    return true;
}

const couMaterialDef *couWorld_Material(const couWorld *world, couMaterialId material)
{
    int m = material_index(world, material);
    return m < 0 ? NULL : &world->fluid.materials[m];
}

int couWorld_MaterialCount(const couWorld *world) { return world->fluid.material_count; }

couMaterialId couWorld_MaterialAt(const couWorld *world, int index)
{
    bool is_known = index >= 0 && index < world->fluid.material_count;
    return is_known ? (couMaterialId){(uint16_t)(index + 1), 1} : (couMaterialId){0};
}

float couWorld_ParticleMass(const couWorld *world, int material) { return world->fluid.mass[material]; }

void couWorld_AddSprings(couWorld *world, couMaterialId material)
{
    int m = material_index(world, material);
    if (m >= 0) world->wants_springs[m] = true;
}

void couWorld_DeleteSprings(couWorld *world, couMaterialId material)
{
    int m = material_index(world, material);
    if (m >= 0) couDeleteSprings(&world->fluid, m);
}

size_t couWorld_SpringCount(const couWorld *world) { return world->fluid.springs->count; }

size_t couWorld_CopySprings(const couWorld *world, couSpringView *springs, size_t capacity)
{
    return COU_MIN(couCopySprings(&world->fluid, springs, capacity), capacity);
}

// --- Checks that defs share --------------------------------------------------------------------------------------------------

static bool check_pose(couPose pose, const char *key, couFaults *faults)
{
    couQuat q = pose.rotation;
    float norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (couIsFinite3(pose.position) && fabsf(norm - 1.0f) < 1e-3f) return true;
    couFaults_Add(faults, NULL, key, "the pose must be finite, with a rotation of length 1 (it is %g)", sqrt(norm));
    return false;
}

static bool check_shape(const couWorld *world, const couShape *shape, bool must_be_bounded, const char *key, couFaults *faults)
{
    couBounds bounds;
    if (!shape) {
        couFaults_Add(faults, NULL, key, "a shape is missing");
        return false;
    }
    if (must_be_bounded && !couShape_Bounds(shape, world->def.dimension, &bounds)) {
        couFaults_Add(faults, NULL, key, "the shape has no bounds, so it cannot be filled");
        return false;
    }
    return true;
}

static bool check_material(const couWorld *world, couMaterialId material, const char *key, couFaults *faults)
{
    if (material.index1 > 0 && material.index1 <= world->fluid.material_count) return true;
    couFaults_Add(faults, NULL, key, "a material is missing");
    return false;
}

// Grows a list of the world's by one zeroed element; NULL without memory.
static void *grow(couWorld *world, void **array, size_t *count, size_t *capacity, size_t bytes, couFaults *faults)
{
    if (*count >= UINT16_MAX || !couReserve(&world->memory, array, capacity, *count + 1, bytes)) {
        couFaults_Add(faults, NULL, NULL, "out of memory, or more than %d of a kind", UINT16_MAX);
        return NULL;
    }
    void *element = (char *)*array + (*count)++ * bytes;
    memset(element, 0, bytes);
    return element;
}

// --- Fluid -------------------------------------------------------------------------------------------------------------------

static void note_fluid(couWorld *world, size_t first, float speed)
{
    const couVec4 *x = couFluid_Position(&world->fluid);
    couVec3 up = couScale(-1.0f, couNormalize(world->fluid.gravity));
    for (size_t i = first; i < world->fluid.table.count; ++i) {
        float height = couDot(up, couXyz(x[i]));
        world->fluid_top = COU_MAX(world->fluid_top, height + 0.5f * world->def.spacing);
        world->fluid_bottom = COU_MIN(world->fluid_bottom, height - 0.5f * world->def.spacing);
    }
    world->fluid_speed = COU_MAX(world->fluid_speed, speed);
}

int64_t couWorld_AddFluid(couWorld *world, const couFluidDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couFluidParams(), def, faults);
    is_good = check_material(world, def->material, "fluid.material", faults) && is_good;
    is_good = check_shape(world, def->shape, true, "fluid.shape", faults) && is_good;
    is_good = check_pose(def->pose, "fluid.at", faults) && is_good;
    if (!is_good) return -1;
    size_t first = world->fluid.table.count;
    int64_t room = world->def.max_particles - (int64_t)first;
    double expected = couEstimateFill(world, def->shape);
    if (expected > 1.5 * (double)room + 1000) {
        couFaults_Add(faults, NULL, "fluid.shape", "it would take about %.3g particles; max_particles allows %lld more", expected,
                      (long long)room);
        return -1;
    }
    // A liquid that starts as a crystal stays one for long, and bears shear: floating bodies come to rest wherever they were put.
    bool is_liquid = world->fluid.materials[def->material.index1 - 1].springs == cou_springsNone;
    bool is_sph = world->fluid.method->sph != NULL; // whose lattice is at rest, and does not bear shear
    float jitter = isnan(def->jitter) ? (is_sph ? 0.0f : is_liquid ? 0.4f : 0.1f) : def->jitter;
    int m = def->material.index1 - 1;
    int64_t added;
    if (def->is_full) {
        // n_max = rho0 (V - solids) / m [Gagneux 2022, eq. 2.49]
        const couSphParams *sph = is_sph ? world->fluid.params : NULL;
        double volume = couFreeVolume(world, def->shape, def->pose), fill = sph ? (double)sph->fill : 1.0;
        double most = volume / (fill * pow(world->def.spacing, world->def.dimension));
        added = couFillFull(world, m, def->shape, def->pose, def->velocity, jitter, (int64_t)(most + 0.5), room + 1);
        couLog(cou_logInfo, "a closed domain of %.4g m^%d holds %.0f particles; %lld were placed", volume, world->def.dimension,
               most, (long long)added);
    } else {
        added = couFillShape(world, m, def->shape, def->pose, def->velocity, jitter, world->step_count > 0, room + 1);
    }
    if (added < 0 || added > room) {
        world->fluid.table.count = first;
        couFaults_Add(faults, NULL, "fluid.shape", added < 0 ? "out of memory" : "it holds more than max_particles (%d) allows",
                      world->def.max_particles);
        return -1;
    }
    note_fluid(world, first, couLength(def->velocity));
    return added;
}

bool couWorld_AddParticles(couWorld *world, couMaterialId material, const couVec3 *positions, const couVec3 *velocities,
                           size_t count, couFaults *faults)
{
    if (!check_material(world, material, "particles.material", faults)) return false;
    for (size_t k = 0; k < count; ++k)
        if (!couIsFinite3(positions[k]) || (velocities && !couIsFinite3(velocities[k]))) {
            couFaults_Add(faults, NULL, "particles", "particle %zu has a position or velocity that is not finite", k);
            return false;
        }
    size_t first = world->fluid.table.count;
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

// --- Bodies ------------------------------------------------------------------------------------------------------------------

// Particles where the body is now must go: nothing could get them out of there in order.
static void clear_fluid(couWorld *world, const couBody *body)
{
    couFluid *fluid = &world->fluid;
    size_t count = fluid->table.count;
    if (!count || !couReserve(&world->memory, (void **)&world->flags, &world->flag_capacity, count, 1)) return;
    size_t covered = 0;
    for (size_t i = 0; i < count; ++i) {
        couVec3 local = couToLocal(body->pose, couXyz(couFluid_Position(fluid)[i]));
        bool is_inside = couShape_Distance(body->def.shape, world->def.dimension, local) < 0.0f;
        world->flags[i] = !is_inside;
        covered += is_inside;
    }
    if (!covered) return;
    couTable_Filter(&fluid->table, world->flags);
    couLog(cou_logInfo, "the body '%s' covers %zu particles, which were removed", body->def.name, covered);
}

couBodyId couWorld_AddBody(couWorld *world, const couBodyDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couBodyParams(), def, faults);
    is_good = couCheckName(def->name, "body.name", faults) && is_good;
    is_good = check_shape(world, def->shape, false, "body.shape", faults) && is_good;
    is_good = check_pose(def->pose, "body.at", faults) && is_good;
    if (def->is_dynamic && def->motion) {
        couFaults_Add(faults, NULL, "body.motion", "a body that moves freely cannot be driven");
        is_good = false;
    }
    if (is_good && def->name[0] && couWorld_FindBody(world, def->name).index1) {
        couFaults_Add(faults, NULL, "body.name", "there is a body '%s' already", def->name);
        is_good = false;
    }
    if (!is_good) return (couBodyId){0};
    couBody *body = grow(world, (void **)&world->bodies, &world->body_count, &world->body_capacity, sizeof *body, faults);
    if (!body) return (couBodyId){0};
    body->def = *def;
    if (!def->name[0]) snprintf(body->def.name, sizeof body->def.name, "body%zu", world->body_count);
    couShape_Retain(def->shape);
    body->generation = 1;
    body->is_here = true;
    world->has_new_bodies = true;
    if (!couInitBody(world, body, faults)) {
        drop_body(world, body);
        world->body_count--;
        return (couBodyId){0};
    }
    clear_fluid(world, body);
    couWakeBodies(world);
    return (couBodyId){(uint16_t)world->body_count, body->generation};
}

couBody *couFindBody(const couWorld *world, couBodyId id)
{
    if (id.index1 == 0 || id.index1 > world->body_count) return NULL;
    couBody *body = &world->bodies[id.index1 - 1];
    return body->is_here && body->generation == id.generation ? body : NULL;
}

void couWorld_RemoveBody(couWorld *world, couBodyId id)
{
    couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    if (!body) return;
    if (body->kind == cou_rigidFree) world->free_count--;
    body->is_here = false;
    world->has_new_bodies = true;
    body->generation++;
    for (size_t j = 0; j < world->joint_count; ++j) {
        couJoint *joint = &world->joints[j];
        if (!joint->is_here || (joint->joint.a != id.index1 - 1 && joint->joint.b != id.index1 - 1)) continue;
        joint->is_here = false;
        joint->generation++;
    }
    couWakeBodies(world);
}

bool couWorld_HasBody(const couWorld *world, couBodyId body) { return couFindBody(world, body) != NULL; }
int couWorld_BodyCapacity(const couWorld *world) { return (int)world->body_count; }

couBodyId couWorld_BodyAt(const couWorld *world, int index)
{
    if (index < 0 || (size_t)index >= world->body_count || !world->bodies[index].is_here) return (couBodyId){0};
    return (couBodyId){(uint16_t)(index + 1), world->bodies[index].generation};
}

couBodyId couWorld_FindBody(const couWorld *world, const char *name)
{
    for (size_t b = 0; b < world->body_count; ++b)
        if (world->bodies[b].is_here && strcmp(world->bodies[b].def.name, name) == 0) return couWorld_BodyAt(world, (int)b);
    return (couBodyId){0};
}

const couBodyDef *couWorld_Body(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    return body ? &body->def : NULL;
}

couPose couWorld_BodyPose(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body ? body->pose : COU_POSE_IDENTITY;
}

couVec3 couWorld_BodyForce(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body ? body->force : (couVec3){0};
}

couVec3 couWorld_BodyTorque(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body ? body->torque : (couVec3){0};
}

static couVec3 vec3(const double v[3]) { return (couVec3){(float)v[0], (float)v[1], (float)v[2]}; }

couVec3 couWorld_BodyVelocity(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body ? vec3(body->state.velocity) : (couVec3){0};
}

couVec3 couWorld_BodySpin(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body ? vec3(body->state.spin) : (couVec3){0};
}

couVec3 couWorld_BodyCenter(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body ? couBodyCenter(body, body->pose) : (couVec3){0};
}

float couWorld_BodyMass(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body && body->kind == cou_rigidFree ? (float)body->mass : INFINITY;
}

bool couWorld_IsBodyAsleep(const couWorld *world, couBodyId id)
{
    const couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    return body && body->is_asleep;
}

void couWorld_SetBodyVelocity(couWorld *world, couBodyId id, couVec3 velocity, couVec3 spin)
{
    couBody *body = couFindBody(world, id);
    COU_ASSERT(body && body->kind == cou_rigidFree && couIsFinite3(velocity) && couIsFinite3(spin));
    if (!body || body->kind != cou_rigidFree) return;
    if (world->def.dimension == 2) velocity.z = spin.x = spin.y = 0.0f;
    couRigidState *state = &body->state;
    state->velocity[0] = velocity.x, state->velocity[1] = velocity.y, state->velocity[2] = velocity.z;
    state->spin[0] = spin.x, state->spin[1] = spin.y, state->spin[2] = spin.z;
    couWakeBodies(world);
}

void couWorld_PushBody(couWorld *world, couBodyId id, couVec3 impulse, couVec3 point)
{
    couBody *body = couFindBody(world, id);
    COU_ASSERT(body && body->kind == cou_rigidFree && couIsFinite3(impulse) && couIsFinite3(point));
    if (!body || body->kind != cou_rigidFree) return;
    couVec3 arm = couSub(point, couBodyCenter(body, body->pose)), moment = couCross(arm, impulse);
    double given[6] = {impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z};
    couAddImpulse(body, world->def.dimension, given);
    couWakeBodies(world);
}

bool couWorld_SetBodyDynamic(couWorld *world, couBodyId id, bool is_dynamic, couFaults *faults)
{
    couBody *body = couFindBody(world, id);
    COU_ASSERT(body);
    if (!body || is_dynamic == (body->kind == cou_rigidFree)) return body != NULL;
    couWakeBodies(world);
    if (is_dynamic && !couMakeFree(world, body, faults)) return false;
    if (!is_dynamic) couMakeFixed(world, body);
    body->def.is_dynamic = is_dynamic;
    return true;
}

// --- Emitters, sinks, fields, events -----------------------------------------------------------------------------------------

couEmitterId couWorld_AddEmitter(couWorld *world, const couEmitterDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couEmitterParams(), def, faults);
    is_good = couCheckName(def->name, "emitter.name", faults) && is_good;
    is_good = check_material(world, def->material, "emitter.material", faults) && is_good;
    is_good = check_shape(world, def->shape, true, "emitter.shape", faults) && is_good;
    is_good = check_pose(def->pose, "emitter.at", faults) && is_good;
    if (is_good && !(def->stop >= def->start)) {
        couFaults_Add(faults, NULL, "emitter.stop", "stop is %g s, before start at %g s", def->stop, def->start);
        is_good = false;
    }
    if (!is_good) return (couEmitterId){0};
    couEmitter *emitter = grow(world, (void **)&world->emitters, &world->emitter_count, &world->emitter_capacity, sizeof *emitter,
                               faults);
    if (!emitter) return (couEmitterId){0};
    emitter->def = *def;
    if (!def->name[0]) snprintf(emitter->def.name, sizeof emitter->def.name, "emitter%zu", world->emitter_count);
    emitter->is_on = true;
    couShape_Retain(def->shape);
    return (couEmitterId){(uint16_t)world->emitter_count, 1};
}

static couEmitter *find_emitter(const couWorld *world, couEmitterId id)
{
    bool is_known = id.index1 > 0 && id.index1 <= world->emitter_count;
    COU_ASSERT(is_known);
    return is_known ? &world->emitters[id.index1 - 1] : NULL;
}

void couWorld_SetEmitterOn(couWorld *world, couEmitterId id, bool is_on)
{
    couEmitter *emitter = find_emitter(world, id);
    if (emitter) emitter->is_on = is_on;
}

void couWorld_StopEmitters(couWorld *world)
{
    for (size_t e = 0; e < world->emitter_count; ++e) world->emitters[e].is_on = false;
}

int couWorld_EmitterCount(const couWorld *world) { return (int)world->emitter_count; }

couEmitterId couWorld_EmitterAt(const couWorld *world, int index)
{
    bool is_known = index >= 0 && (size_t)index < world->emitter_count;
    return is_known ? (couEmitterId){(uint16_t)(index + 1), 1} : (couEmitterId){0};
}

const couEmitterDef *couWorld_Emitter(const couWorld *world, couEmitterId id)
{
    const couEmitter *emitter = find_emitter(world, id);
    return emitter ? &emitter->def : NULL;
}

bool couWorld_AddSink(couWorld *world, const couSinkDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couSinkParams(), def, faults);
    is_good = check_shape(world, def->shape, false, "sink.shape", faults) && is_good;
    is_good = check_pose(def->pose, "sink.at", faults) && is_good;
    if (!is_good) return false;
    couSink *sink = grow(world, (void **)&world->sinks, &world->sink_count, &world->sink_capacity, sizeof *sink, faults);
    if (!sink) return false;
    sink->def = *def;
    couShape_Retain(def->shape);
    return true;
}

bool couWorld_AddField(couWorld *world, const couFieldDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(couFieldParams(), def, faults);
    is_good = check_pose(def->region_pose, "field.at", faults) && is_good;
    if (def->kind == cou_fieldFunction && !def->function) {
        couFaults_Add(faults, NULL, "field.function", "a field of kind 'function' needs a function");
        is_good = false;
    }
    if (def->kind == cou_fieldRotating && !(couLength(def->vector) > 0.0f)) {
        couFaults_Add(faults, NULL, "field.vector", "a rotating field needs an axis of length > 0");
        is_good = false;
    }
    if (!is_good) return false;
    couField *field = grow(world, (void **)&world->fields, &world->field_count, &world->field_capacity, sizeof *field, faults);
    if (!field) return false;
    field->def = *def;
    if (def->region) couShape_Retain(def->region);
    return true;
}

bool couWorld_AddEvent(couWorld *world, double time, double period, couEventFcn *function, void *context, couFaults *faults)
{
    if (!(time >= 0 && isfinite(time)) || !(period >= 0 && isfinite(period)) || !function) {
        couFaults_Add(faults, NULL, "event.time", "time is %g s and period %g s; both must be finite and >= 0", time, period);
        return false;
    }
    if (period > 0 && period < 1e-6) {
        couFaults_Add(faults, NULL, "event.period", "period is %g s; it must be 0 or at least 1e-6 s", period);
        return false;
    }
    couEvent *event = grow(world, (void **)&world->events, &world->event_count, &world->event_capacity, sizeof *event, faults);
    if (!event) return false;
    *event = (couEvent){time, period, function, context};
    return true;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

couParticleView couWorld_Particles(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    return (couParticleView){fluid->table.count,
                             couFluid_Position(fluid),
                             couFluid_Velocity(fluid),
                             couFluid_Id(fluid),
                             couFluid_Material(fluid),
                             couFluid_Density(fluid),
                             fluid->method->sph ? couSph_Pressure(fluid) : NULL};
}

double couWorld_Time(const couWorld *world) { return world->time; }
uint64_t couWorld_StepCount(const couWorld *world) { return world->step_count; }
const char *couWorld_Choices(const couWorld *world) { return world->choices; }
size_t couWorld_Bytes(const couWorld *world) { return world->memory.bytes; }
size_t couWorld_PeakBytes(const couWorld *world) { return world->memory.peak; }

typedef struct MeasureJob {
    const couFluid *fluid;
    couMeasurement *blocks;
} MeasureJob;

static void measure_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const MeasureJob *job = context;
    const couFluid *fluid = job->fluid;
    const couVec4 *x = couFluid_Position(fluid), *v = couFluid_Velocity(fluid);
    const uint8_t *material = couFluid_Material(fluid);
    couMeasurement sum = {0};
    double max2 = 0;
    for (size_t i = begin; i < end; ++i) {
        double m = fluid->mass[material[i]];
        double px = x[i].x, py = x[i].y, pz = x[i].z, vx = v[i].x, vy = v[i].y, vz = v[i].z;
        double v2 = vx * vx + vy * vy + vz * vz;
        sum.mass += m;
        sum.kinetic_energy += 0.5 * m * v2;
        sum.potential_energy -= m * (fluid->gravity.x * px + fluid->gravity.y * py + fluid->gravity.z * pz);
        sum.momentum[0] += m * vx, sum.momentum[1] += m * vy, sum.momentum[2] += m * vz;
        sum.angular_momentum[0] += m * (py * vz - pz * vy);
        sum.angular_momentum[1] += m * (pz * vx - px * vz);
        sum.angular_momentum[2] += m * (px * vy - py * vx);
        sum.center[0] += m * px, sum.center[1] += m * py, sum.center[2] += m * pz;
        max2 = COU_MAX(max2, v2);
    }
    sum.max_speed = (float)sqrt(max2);
    job->blocks[block] = sum;
}

couMeasurement couWorld_MeasureBodies(const couWorld *world)
{
    couMeasurement total = {0};
    for (size_t b = 0; b < world->body_count; ++b) {
        const couBody *body = &world->bodies[b];
        if (!body->is_here || body->kind != cou_rigidFree) continue;
        const double *x = body->state.position, *v = body->state.velocity, *w = body->state.spin;
        couVec3 g = world->fluid.gravity;
        double m = body->mass, inertia[3][3], turning[3], speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        couInertiaToWorld(body, body->state.rotation, inertia);
        for (int a = 0; a < 3; ++a) {
            int next = (a + 1) % 3, last = (a + 2) % 3;
            turning[a] = inertia[a][0] * w[0] + inertia[a][1] * w[1] + inertia[a][2] * w[2];
            total.momentum[a] += m * v[a];
            total.angular_momentum[a] += turning[a] + m * (x[next] * v[last] - x[last] * v[next]);
            total.center[a] += m * x[a];
            total.kinetic_energy += 0.5 * (m * v[a] * v[a] + turning[a] * w[a]);
        }
        total.potential_energy -= m * (g.x * x[0] + g.y * x[1] + g.z * x[2]);
        total.mass += m;
        total.max_speed = COU_MAX(total.max_speed, (float)sqrt(speed2));
    }
    for (int a = 0; a < 3 && total.mass > 0; ++a) total.center[a] /= total.mass;
    return total;
}

couMeasurement couWorld_Measure(const couWorld *world)
{
    enum { BLOCK = 16384 };
    size_t count = world->fluid.table.count;
    int blocks = couBlockCount(count, BLOCK);
    couMeasurement total = {0};
    MeasureJob job = {&world->fluid, couAlloc(NULL, (size_t)(blocks + 1) * sizeof(couMeasurement))};
    if (!job.blocks) return total;
    couFor(&world->fluid.parallel, count, BLOCK, measure_block, &job);
    for (int b = 0; b < blocks; ++b) {
        const couMeasurement *m = &job.blocks[b];
        total.kinetic_energy += m->kinetic_energy;
        total.potential_energy += m->potential_energy;
        total.mass += m->mass;
        total.max_speed = COU_MAX(total.max_speed, m->max_speed);
        for (int a = 0; a < 3; ++a) {
            total.momentum[a] += m->momentum[a];
            total.angular_momentum[a] += m->angular_momentum[a];
            total.center[a] += m->center[a];
        }
    }
    couFree(NULL, job.blocks);
    for (int a = 0; a < 3 && total.mass > 0; ++a) total.center[a] /= total.mass;
    return total;
}
