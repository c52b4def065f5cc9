// The world's deformable solids, as users see them.

#include "fluid/soft_samples.h"
#include "world/look.h"
#include "world/world.h"

#include <stdio.h>

// --- Def ---------------------------------------------------------------------------------------------------------------------

#define JELLY 0.75, 0.2, 0.15

static const char *const model_names[] = {"voronoi", "cauchy", "hybrid", "green", "spring", NULL};
static const char *const rule_names[] = {"constant", "proportional", "inverse", "van-gelder", NULL};
static const char *const color_names[] = {"look", "stress", "strain", "displacement", NULL};
static const couParam solid_params[] = {
    COU_NAME(couSolidDef, name, .help = "unique name"),
    COU_CHOICE(couSolidDef, model, model_names, .initial = {cou_solidGreen},
               .help = "green: may turn and bend; cauchy, hybrid, voronoi: small displacements; spring: edges alone"),
    COU_NUMBER(couSolidDef, density, "kg/m^3", .initial = {1000}, .min = 0, .is_min_open = true, .max = 100000,
               .help = "mass density"),
    COU_NUMBER(couSolidDef, young, "Pa", .initial = {20000}, .min = 0, .max = 1e12, .help = "Young's modulus: stiffness"),
    COU_NUMBER(couSolidDef, poisson, "", .initial = {0.4}, .min = 0, .max = 0.49,
               .help = "Poisson's ratio: how much it keeps its volume"),
    COU_NUMBER(couSolidDef, lambda, "Pa", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e12,
               .help = "Lamé's first coefficient; auto: from young and poisson"),
    COU_NUMBER(couSolidDef, mu, "Pa", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e12,
               .help = "Lamé's second coefficient, of shear; auto: from young and poisson"),
    COU_CHOICE(couSolidDef, rule, rule_names, .initial = {cou_springVanGelder},
               .help = "of the model spring: how stiffness follows from the edge's length"),
    COU_NUMBER(couSolidDef, spring, "N/m, N/m^2, N, Pa", .initial = {NAN}, .is_auto = true, .min = 0, .max = 1e12,
               .help = "of the model spring: what its rule takes; auto: young, for van-gelder alone"),
    COU_NUMBER(couSolidDef, damping, "s", .min = 0, .max = 1e3,
               .help = "internal friction: time that the rate of strain counts for"),
    COU_VECTOR(couSolidDef, velocity, "m/s", .min = -10000, .max = 10000, .help = "at the start"),
    COU_VECTOR(couSolidDef, spin, "rad/s", .min = -10000, .max = 10000, .help = "angular velocity at the start, about `at`"),
    COU_NUMBER(couSolidDef, frequency, "1/s", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e7,
               .help = "its own steps a second; auto: a safe share of the stable limit"),
    COU_NUMBER(couSolidDef, contact_friction, "", .initial = {0.5}, .min = 0, .max = 100,
               .help = "Coulomb friction against bodies; a pair has the geometric mean"),
    COU_NUMBER(couSolidDef, restitution, "", .min = 0, .max = 1, .help = "bounce of its points against bodies"),
    COU_NUMBER(couSolidDef, friction, "", .min = 0, .max = 1,
               .help = "on fluid of the SPH methods: how strongly it sticks: 0 slips, 1 holds"),
    COU_CHOICE(couSolidDef, color_by, color_names,
               .help = "in pictures: its own colour, or von Mises' stress, equivalent strain, displacement, with a scale"),
    COU_NUMBER(couSolidDef, color_max, "Pa, 1, m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e12,
               .help = "upper end of the colours; auto: a tenth of young, a strain of 0.1, a tenth of its length"),
    COU_CHOICE(couSolidDef, color_map, couColorMapNames, .help = "colours from 0 to color_max"),
    COU_LOOK_ROWS(couSolidDef, JELLY, 1.4, COU_BODY_ROUGHNESS),
};
static const couParamTable solid_table = {"solid", solid_params, COU_COUNT(solid_params)};

const couParamTable *couSolidParams(void) { return &solid_table; }

couSolidDef couDefaultSolidDef(void)
{
    couSolidDef def = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&solid_table, &def);
    return def;
}

// Liquid of the SPH methods meets what samples stand for, and in the plane these fill one polygon.
static bool check_outline(const couWorld *world, const couSolidMesh *mesh, couFaults *faults)
{
    size_t count;
    if (mesh->dimension == 3 || !couMeetsSolids(&world->fluid)) return true;
    couVec3 *outline = couSolidMesh_Outline(mesh, &count);
    if (!outline)
        couFaults_Add(
            faults, NULL, "solid.shape",
            "it has holes or several parts: in the plane liquid of the method '%s' meets solids of one closed line alone",
            world->fluid.method->name);
    couFree(NULL, outline);
    return outline != NULL;
}

static bool check_def(const couWorld *world, const couSolidDef *def, couFaults *faults)
{
    bool is_good = couParams_Check(&solid_table, def, faults);
    is_good = couCheckName(def->name, "solid.name", faults) && is_good;
    is_good = couCheckPose(def->pose, "solid.at", faults) && is_good;
    if (!def->mesh) {
        couFaults_Add(faults, NULL, "solid.mesh", "a mesh is missing");
        is_good = false;
    } else if (couSolidMesh_Dimension(def->mesh) != world->def.dimension) {
        couFaults_Add(faults, NULL, "solid.mesh", "a mesh of %dD in a world of %dD", couSolidMesh_Dimension(def->mesh),
                      world->def.dimension);
        is_good = false;
    }
    if (is_good && def->model == cou_solidSpring && def->rule != cou_springVanGelder && isnan(def->spring)) {
        couFaults_Add(faults, NULL, "solid.spring", "the rule '%s' needs a number", rule_names[def->rule]);
        is_good = false;
    }
    is_good = is_good && check_outline(world, def->mesh, faults);
    if (is_good && def->name[0] && couSolids_FindName(&world->solids, def->name)) {
        couFaults_Add(faults, NULL, "solid.name", "there is a solid '%s' already", def->name);
        is_good = false;
    }
    return is_good;
}

// --- Handles -----------------------------------------------------------------------------------------------------------------

couSolidId couWorld_AddSolid(couWorld *world, const couSolidDef *def, couFaults *faults)
{
    if (!check_def(world, def, faults)) return (couSolidId){0};
    return couSolids_Id(&world->solids, couSolids_Add(&world->solids, def, &world->fluid.parallel, faults));
}

static couSolid *find(const couWorld *world, couSolidId id)
{
    couSolid *solid = couSolids_Find(&world->solids, id);
    COU_ASSERT(solid);
    return solid;
}

bool couWorld_HasSolid(const couWorld *world, couSolidId id) { return couSolids_Find(&world->solids, id) != NULL; }
int couWorld_SolidCount(const couWorld *world) { return couCountSlots(COU_SLOTS(&world->solids)); }

couSolidId couWorld_SolidAt(const couWorld *world, int index)
{
    int place = couNthSlot(COU_SLOTS(&world->solids), index);
    return place < 0 ? (couSolidId){0} : couSolids_Id(&world->solids, &world->solids.items[place]);
}

couSolidId couWorld_FindSolid(const couWorld *world, const char *name)
{
    return couSolids_Id(&world->solids, couSolids_FindName(&world->solids, name));
}

const couSolidDef *couWorld_Solid(const couWorld *world, couSolidId id)
{
    const couSolid *solid = couSolids_Find(&world->solids, id);
    return solid ? &solid->def : NULL;
}

double couWorld_SolidStep(const couWorld *world, couSolidId id)
{
    const couSolid *solid = find(world, id);
    return solid ? solid->step : NAN;
}

// --- Holding and pushing -----------------------------------------------------------------------------------------------------

// Inside of the region, or on it but for rounding.
static bool is_inside(const couSolid *solid, size_t i, const couShape *region, couPose pose, int dimension)
{
    if (!region) return true;
    couBounds bounds = couSolidMesh_Bounds(solid->def.mesh);
    float tolerance = 1e-6f * (1.0f + couLength(couSub(bounds.upper, bounds.lower)));
    return couShape_Distance(region, dimension, couToLocal(pose, couNarrow(solid->position[i]))) <= tolerance;
}

int couWorld_HoldSolid(couWorld *world, couSolidId id, const couHoldDef *def, couFaults *faults)
{
    couSolid *solid = find(world, id);
    if (!solid) return -1;
    if (!couCheckPose(def->region_pose, "solid.hold", faults)) return -1;
    if (!COU_RESERVE(&world->memory, &solid->holds, solid->holds.count + 1)) {
        couFaults_Add(faults, NULL, "solid.hold", "out of memory");
        return -1;
    }
    couHold hold = {def->motion, def->motion_context, COU_POSE_IDENTITY};
    if (def->motion) hold.start = def->motion(def->motion_context, world->time);
    solid->holds.items[solid->holds.count] = hold;
    int count = 0;
    for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
        if (!is_inside(solid, i, def->region, def->region_pose, world->def.dimension)) continue;
        solid->hold[i] = (uint32_t)solid->holds.count + 1;
        solid->anchor[i] = solid->position[i];
        solid->velocity[i] = (couDouble3){0, 0, 0};
        ++count;
    }
    if (!count) {
        couFaults_Add(faults, NULL, "solid.hold", "no point of '%s' is inside of the region", solid->def.name);
        return -1;
    }
    solid->holds.count++;
    return count;
}

void couWorld_DragSolid(couWorld *world, couSolidId id, size_t point, couVec3 place, float speed)
{
    couSolid *solid = find(world, id);
    bool is_good = solid && point < solid->def.mesh->point_count && couIsFinite3(place) && speed >= 0.0f;
    COU_ASSERT(is_good);
    if (!is_good) return;
    if (world->def.dimension == 2) place.z = 0.0f;
    solid->hold[point] = COU_DRAGGED;
    solid->anchor[point] = couWiden(place);
    solid->drag_speed[point] = speed;
}

void couWorld_ReleaseSolid(couWorld *world, couSolidId id, const couShape *region, couPose region_pose)
{
    couSolid *solid = find(world, id);
    for (size_t i = 0; solid && i < solid->def.mesh->point_count; ++i)
        if (is_inside(solid, i, region, region_pose, world->def.dimension)) solid->hold[i] = 0;
}

int couWorld_PushSolid(couWorld *world, couSolidId id, const couShape *region, couPose region_pose, couVec3 force)
{
    couSolid *solid = find(world, id);
    COU_ASSERT(couIsFinite3(force));
    if (!solid || !couIsFinite3(force)) return 0;
    if (world->def.dimension == 2) force.z = 0.0f;
    double mass = 0;
    int count = 0;
    for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
        if (!is_inside(solid, i, region, region_pose, world->def.dimension)) continue;
        mass += solid->masses[i];
        ++count;
    }
    for (size_t i = 0; i < solid->def.mesh->point_count; ++i)
        if (is_inside(solid, i, region, region_pose, world->def.dimension))
            solid->push[i] = couScale3(solid->masses[i] / mass, couWiden(force));
    return count;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

couSolidView couWorld_SolidView(const couWorld *world, couSolidId id)
{
    const couSolid *solid = find(world, id);
    if (!solid) return (couSolidView){0};
    return (couSolidView){.mesh = solid->def.mesh,
                          .count = solid->def.mesh->point_count,
                          .position = &solid->position[0].x,
                          .velocity = &solid->velocity[0].x,
                          .rest = &solid->rest[0].x,
                          .mass = solid->masses};
}

void couWorld_CopySolidStress(const couWorld *world, couSolidId id, float *stress, float *strain)
{
    const couSolid *solid = find(world, id);
    for (size_t c = 0; solid && c < solid->def.mesh->cell_count; ++c) {
        double s[6], e[6];
        couElastic_Stress(&solid->elastic, couSolid_State(solid), c, s, e);
        for (int k = 0; k < 6; ++k) {
            if (stress) stress[6 * c + (size_t)k] = (float)s[k];
            if (strain) strain[6 * c + (size_t)k] = (float)e[k];
        }
    }
}

// Of a cell, by what it is coloured by.
static double cell_value(const couSolid *solid, size_t cell, couSolidColor what)
{
    double stress[6], strain[6];
    couElastic_Stress(&solid->elastic, couSolid_State(solid), cell, stress, strain);
    return what == cou_solidColorStress ? couVonMises(stress) : 2.0 / 3.0 * couVonMises(strain);
}

static float displacement_of(const couSolid *solid, size_t i)
{
    return (float)couLength3(couSub3(solid->position[i], solid->rest[i]));
}

void couWorld_CopySolidValues(const couWorld *world, couSolidId id, couSolidColor what, float *values)
{
    const couSolid *solid = find(world, id);
    if (!solid) return;
    const couSolidMesh *mesh = solid->def.mesh;
    memset(values, 0, mesh->point_count * sizeof *values);
    if (what == cou_solidColorLook) return;
    for (size_t i = 0; i < mesh->point_count; ++i) {
        double sum = 0, volume = 0;
        if (what == cou_solidColorDisplacement) {
            values[i] = displacement_of(solid, i);
            continue;
        }
        for (uint32_t k = mesh->around_start[i]; k < mesh->around_start[i + 1]; ++k) {
            size_t c = mesh->around[k] / (uint32_t)mesh->corners;
            couDouble3 p[COU_MAX_CORNERS];
            couSolidMesh_Corners(mesh, c, p);
            double part = couCellVolume(mesh->dimension, p);
            sum += part * cell_value(solid, c, what);
            volume += part;
        }
        values[i] = (float)(sum / volume);
    }
}

float couWorld_SolidColorMax(const couWorld *world, couSolidId id)
{
    const couSolid *solid = find(world, id);
    if (!solid) return 1.0f;
    const couSolidDef *def = &solid->def;
    couVec3 size = couSub(def->mesh->bounds.upper, def->mesh->bounds.lower);
    float length = COU_MAX(COU_MAX(size.x, size.y), size.z);
    const float automatic[] = {1.0f, 0.1f * def->young, 0.1f, 0.1f * length};
    float most = isnan(def->color_max) ? automatic[def->color_by] : def->color_max;
    return most > 0.0f ? most : 1.0f;
}

couSolidMeasurement couWorld_MeasureSolid(const couWorld *world, couSolidId id)
{
    const couSolid *solid = find(world, id);
    couSolidMeasurement measured = {0};
    if (!solid) return measured;
    couMeasurement *all = &measured.all;
    couDouble3 g = couWiden(world->solids.gravity), momentum = {0, 0, 0}, turning = {0, 0, 0}, center = {0, 0, 0};
    double fastest = 0;
    for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
        couDouble3 x = solid->position[i], v = solid->velocity[i];
        double m = solid->masses[i];
        all->mass += m;
        all->kinetic_energy += 0.5 * m * couDot3(v, v);
        all->potential_energy -= m * couDot3(g, x);
        momentum = couMulAdd3(momentum, m, v);
        turning = couMulAdd3(turning, m, couCross3(x, v));
        center = couMulAdd3(center, m, x);
        fastest = fmax(fastest, couLength3(v));
    }
    center = couScale3(1.0 / all->mass, center);
    memcpy(all->momentum, &momentum, sizeof all->momentum);
    memcpy(all->angular_momentum, &turning, sizeof all->angular_momentum);
    memcpy(all->center, &center, sizeof all->center);
    all->max_speed = (float)fastest;
    measured.elastic_energy = couElastic_Energy(&solid->elastic, couSolid_State(solid));
    measured.inverted_count = couSolid_CountInverted(solid);
    for (size_t c = 0; c < solid->def.mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS];
        for (int k = 0; k < solid->def.mesh->corners; ++k)
            p[k] = solid->position[solid->def.mesh->cells[c * (size_t)solid->def.mesh->corners + (size_t)k]];
        measured.volume += couCellVolume(solid->def.mesh->dimension, p);
    }
    return measured;
}

// --- Pictures ----------------------------------------------------------------------------------------------------------------

static bool color_surface(const couWorld *world, couSolidId id, const couSolid *solid, couSurface *surface)
{
    float *values = couAlloc(NULL, surface->vertex_count * sizeof *values);
    surface->colors = couAlloc(NULL, surface->vertex_count * sizeof *surface->colors);
    bool is_good = values && surface->colors;
    float most = couWorld_SolidColorMax(world, id);
    if (is_good) couWorld_CopySolidValues(world, id, solid->def.color_by, values);
    for (size_t i = 0; is_good && i < surface->vertex_count; ++i)
        surface->colors[i] = couColorMap_Linear(solid->def.color_map, values[i] / most);
    couFree(NULL, values);
    return is_good;
}

static void add_normals(couSurface *surface)
{
    for (size_t t = 0; t < surface->element_count; ++t) {
        const uint32_t *n = &surface->indices[3 * t];
        couVec3 a = surface->vertices[n[0]];
        couVec3 normal = couCross(couSub(surface->vertices[n[1]], a), couSub(surface->vertices[n[2]], a));
        for (int k = 0; k < 3; ++k) surface->normals[n[k]] = couAdd(surface->normals[n[k]], normal);
    }
    for (size_t i = 0; i < surface->vertex_count; ++i) surface->normals[i] = couNormalize(surface->normals[i]);
}

bool couWorld_BuildSolidSurface(const couWorld *world, couSolidId id, couSurface *surface)
{
    const couSolid *solid = find(world, id);
    *surface = (couSurface){0};
    if (!solid) return false;
    const couSolidMesh *mesh = solid->def.mesh;
    bool is_flat = mesh->dimension == 2;
    surface->dimension = 3;
    surface->vertex_count = mesh->point_count;
    surface->element_count = is_flat ? mesh->cell_count : mesh->face_count;
    surface->vertices = couAlloc(NULL, mesh->point_count * sizeof *surface->vertices);
    surface->normals = couAlloc(NULL, mesh->point_count * sizeof *surface->normals);
    surface->velocities = couAlloc(NULL, mesh->point_count * sizeof *surface->velocities);
    surface->indices = couAlloc(NULL, 3 * surface->element_count * sizeof *surface->indices);
    bool is_good = surface->vertices && surface->normals && surface->velocities && surface->indices;
    if (is_good) {
        for (size_t i = 0; i < mesh->point_count; ++i) {
            surface->vertices[i] = couNarrow(solid->position[i]);
            surface->velocities[i] = couNarrow(solid->velocity[i]);
        }
        memcpy(surface->indices, is_flat ? mesh->cells : mesh->faces, 3 * surface->element_count * sizeof *surface->indices);
        add_normals(surface);
        if (solid->def.color_by != cou_solidColorLook) is_good = color_surface(world, id, solid, surface);
    }
    if (!is_good) couSurface_Clear(surface);
    return is_good;
}
