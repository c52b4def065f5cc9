// Making a world and adding to it. Every def is checked here, whoever made it: scene, program or user code.

#include "world/world.h"

#include "fluid/body_samples.h"
#include "fluid/collide.h"
#include "fluid/soft_samples.h"

#include <stdio.h>

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
    fluid->scratch = &world->scratch;
    fluid->bodies = &world->bodies;
    fluid->solids = &world->solids;
    fluid->parallel = couMakeParallel(def->threads);
    fluid->dimension = def->dimension;
    fluid->spacing = def->spacing;
    couTable *table = &fluid->table;
    couTable_Init(table, &world->memory);
    fluid->position_column = couTable_AddColumn(table, "position", "m", cou_stateF32, 4, cou_columnState);
    fluid->velocity_column = couTable_AddColumn(table, "velocity", "m/s", cou_stateF32, 4, cou_columnState);
    fluid->id_column = couTable_AddColumn(table, "id", "", cou_stateU32, 1, cou_columnState);
    fluid->material_column = couTable_AddColumn(table, "material", "", cou_stateU8, 1, cou_columnState);
    fluid->density_column = couTable_AddColumn(table, "density", "", cou_stateF32, 1, cou_columnState);
    fluid->previous_column = couTable_AddColumn(table, "previous", "m", cou_stateF32, 4, cou_columnDerived);
    fluid->pressure_column = -1;
    couGrid_Init(&fluid->grid, &world->memory);
    fluid->contacts.memory = &world->memory;
    fluid->method = couFindMethod(def->method);
    COU_ASSERT(!couMethod_FindGap(fluid->method));
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

static void free_fluid(couFluid *fluid)
{
    couFreeParallel(&fluid->parallel);
    couTable_Free(&fluid->table);
    couGrid_Free(&fluid->grid);
    couNeighbors_Free(&fluid->neighbors);
    couContacts_Free(&fluid->contacts);
    couFreeTouches(fluid);
    couFreeBodySamples(fluid);
    couFreeSoft(fluid);
    couDestroySpringNet(fluid->springs);
    couBoundary_Free(&fluid->boundary);
    for (size_t f = 0; f < fluid->fields.count; ++f) couShape_Release(fluid->fields.items[f].def.region);
    COU_FREE_ARRAY(fluid->memory, &fluid->fields);
    for (size_t b = 0; b < fluid->blowers.count; ++b) couShape_Release(fluid->blowers.items[b].def.shape);
    COU_FREE_ARRAY(fluid->memory, &fluid->blowers);
    if (fluid->method && fluid->method->free && fluid->method_state) fluid->method->free(fluid);
    couFree(fluid->memory, fluid->params);
    couFree(fluid->memory, fluid->method_state);
}

couWorld *couCreateWorld(const couWorldDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(&(couParamTable){"scene", couWorldParams()->params, couWorldParams()->count}, def, faults);
    is_good = check_method(def->method, faults) && is_good;
    bool is_periodic = def->period.x > 0.0f || def->period.y > 0.0f || def->period.z > 0.0f;
    if (is_good && is_periodic && !couFindMethod(def->method)->traits.has_periods) {
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
    world->scratch.memory = &world->memory;
    if (!init_fluid(world)) {
        couFaults_Add(faults, NULL, NULL, "out of memory");
        couDestroyWorld(world);
        return NULL;
    }
    world->bodies = (couBodies){
        .memory = &world->memory, .scratch = &world->scratch, .dimension = def->dimension, .seed = def->seed};
    world->first_gravity = def->gravity;
    world->solids = (couSolids){.memory = &world->memory, .scratch = &world->scratch, .dimension = def->dimension};
    couApplyGravity(world);
    return world;
}

void couDestroyWorld(couWorld *world)
{
    if (!world) return;
    couMemory *memory = &world->memory;
    couFreeGauges(world);
    free_fluid(&world->fluid);
    couBodies_Free(&world->bodies);
    couSolids_Free(&world->solids);
    for (size_t e = 0; e < world->emitters.count; ++e) couShape_Release(world->emitters.items[e].def.shape);
    for (size_t s = 0; s < world->sinks.count; ++s) couShape_Release(world->sinks.items[s].def.shape);
    COU_FREE_ARRAY(memory, &world->emitters);
    COU_FREE_ARRAY(memory, &world->rests);
    COU_FREE_ARRAY(memory, &world->sinks);
    COU_FREE_ARRAY(memory, &world->events);
    couArena_Free(&world->scratch);
    couFree(NULL, world);
}

const couWorldDef *couWorld_Def(const couWorld *world) { return &world->def; }

couVec3 couWorld_Gravity(const couWorld *world)
{
    couVec3 gravity = world->def.gravity;
    if (world->def.dimension == 2) gravity.z = 0.0f;
    return gravity;
}

void *couWorld_MethodParams(couWorld *world) { return world->fluid.params; }

void couApplyGravity(couWorld *world)
{
    couVec3 g = couWorld_Gravity(world), none = {0};
    world->fluid.gravity = world->def.gravity_on == cou_gravityOnBodies ? none : g;
    world->bodies.gravity = world->def.gravity_on == cou_gravityOnFluid ? none : g;
    world->solids.gravity = world->bodies.gravity;
}

void couPrepareAsBefore(couWorld *world)
{
    couFaults none = {0};
    couWorld_Prepare(world, &none);
    couFaults_Clear(&none);
}

bool couWorld_SetGravity(couWorld *world, couVec3 gravity, couGravityOn on, couFaults *faults)
{
    couWorldDef def = couDefaultWorldDef(), old = world->def; // depth and speed of the old one are chosen, perhaps 0
    def.gravity = gravity;
    def.gravity_on = (int)on;
    if (!couParams_Check(couWorldParams(), &def, faults)) return false;
    world->def.gravity = gravity;
    world->def.gravity_on = (int)on;
    couApplyGravity(world);
    if (world->is_prepared && !couWorld_Prepare(world, faults)) {
        world->def = old;
        couApplyGravity(world);
        couPrepareAsBefore(world);
        return false;
    }
    couWakeBodies(&world->bodies);
    return true;
}

// A parameter of the world's own method. What it was derived from it takes up at once, so that a fault is told to who made it,
// and a state that is saved now says the same as the world.
static bool set_own_param(couWorld *world, const couParamTable *table, const char *name, const char *text, couFaults *faults)
{
    couFluid *fluid = &world->fluid;
    size_t bytes = couParams_Size(table);
    void *old = couAlloc(NULL, bytes);
    if (!old) {
        couFaults_Add(faults, NULL, name, "out of memory");
        return false;
    }
    memcpy(old, fluid->params, bytes);
    bool is_good = couParams_SetByName(table, fluid->params, name, text, NULL, faults);
    if (is_good && world->is_prepared && !couWorld_Prepare(world, faults)) {
        is_good = false;
        memcpy(fluid->params, old, bytes);
        couPrepareAsBefore(world);
    }
    couFree(NULL, old);
    return is_good;
}

bool couWorld_SetParam(couWorld *world, const char *name, const char *text, couFaults *faults)
{
    const char *point = strchr(name, '.');
    char part[COU_NAME_SIZE];
    snprintf(part, sizeof part, "%.*s", point ? (int)(point - name) : 0, name);
    const couParamTable *table = point ? couMethodParams(part) : NULL;
    if (!table) {
        couFaults_Add(faults, NULL, name, "a parameter is METHOD.NAME, as \"pvfs.height_error\" or \"sph.tolerance\"");
        return false;
    }
    // Another method's is tried on a block of nobody's.
    const couMethod *method = world->fluid.method;
    bool is_own = table == method->params && (strcmp(part, method->name) == 0 || strcmp(part, table->name) == 0);
    if (is_own) return set_own_param(world, table, point + 1, text, faults);
    void *block = couAlloc(NULL, couParams_Size(table));
    if (!block) {
        couFaults_Add(faults, NULL, name, "out of memory");
        return false;
    }
    bool is_good = couParams_SetByName(table, block, point + 1, text, NULL, faults);
    couFree(NULL, block);
    return is_good;
}

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

float couWorld_ParticleMass(const couWorld *world, int material)
{
    return material >= 0 && material < world->fluid.material_count ? world->fluid.mass[material] : 0.0f;
}

void couWorld_AddSprings(couWorld *world, couMaterialId material)
{
    int m = material_index(world, material);
    if (m >= 0) world->fluid.springs->is_wanted[m] = true;
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

// --- Reading -----------------------------------------------------------------------------------------------------------------

couParticleView couWorld_Particles(const couWorld *world)
{
    const couFluid *fluid = &world->fluid;
    return (couParticleView){
        .count = fluid->table.count,
        .position = couFluid_Position(fluid),
        .velocity = couFluid_Velocity(fluid),
        .id = couFluid_Id(fluid),
        .material = couFluid_Material(fluid),
        .density = couFluid_Density(fluid),
        .pressure = fluid->pressure_column < 0 ? NULL : couTable_Data(&fluid->table, fluid->pressure_column),
    };
}

couSampleView couWorld_Samples(const couWorld *world)
{
    const couBoundary *boundary = &world->fluid.boundary;
    if (!boundary->table.count) return (couSampleView){0};
    return (couSampleView){
        .count = boundary->table.count,
        .position = couBoundary_Position(boundary),
        .velocity = couBoundary_Velocity(boundary),
        .id = couBoundary_Id(boundary),
        .body = couBoundary_Body(boundary),
    };
}

double couWorld_Time(const couWorld *world) { return world->time; }
uint64_t couWorld_StepCount(const couWorld *world) { return world->step_count; }
const char *couWorld_Choices(const couWorld *world) { return world->choices; }
size_t couWorld_Bytes(const couWorld *world) { return world->memory.bytes; }
size_t couWorld_PeakBytes(const couWorld *world) { return world->memory.peak; }
