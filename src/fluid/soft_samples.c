// Samples of deformable solids: taken once, in the mesh's frame, then carried by its cells. Where a cell is squeezed or stretched
// its samples have that much less or more volume.

#include "fluid/soft_samples.h"

#include "fluid/sph.h"
#include "rigid/impulse.h"
#include "soft/cell_finder.h"

#include <stdatomic.h>

#define FIXED_POINT 0x1p-40 // unit of impulses / that of a particle at 1 m/s: sums of whole numbers have no order

static void clear_soft(couFluid *fluid, couSoft *soft)
{
    couClearSamples(fluid, &soft->own);
    couFree(fluid->memory, soft->hosts);
    couShape_Release(soft->body.def.shape);
    *soft = (couSoft){0};
}

void couFreeSoft(couFluid *fluid)
{
    for (size_t s = 0; s < fluid->softs.count; ++s) clear_soft(fluid, &fluid->softs.items[s]);
    COU_FREE_ARRAY(fluid->memory, &fluid->softs);
}

bool couMeetsSolids(const couFluid *fluid)
{
    return fluid->method->sph && ((const couSphParams *)fluid->params)->boundary == cou_boundaryAkinci;
}

// --- Sampling ----------------------------------------------------------------------------------------------------------------

// The solid within the surface of a mesh of tetrahedra.
static couShape *shape_of_faces(const couFluid *fluid, const couSolidMesh *mesh, couFaults *faults)
{
    couMesh *surface = couCreateMesh(mesh->points, mesh->point_count, mesh->faces, mesh->face_count, faults);
    couDistanceGrid *grid = surface ? couCreateDistanceGrid(surface, 0.5f * fluid->spacing, 0, fluid->parallel.threads, faults)
                                    : NULL;
    couShape *shape = grid ? couCreateShape(&(couShapeDef){.kind = cou_shapeMesh, .grid = grid}, faults) : NULL;
    couDistanceGrid_Release(grid);
    couMesh_Release(surface);
    return shape;
}

// The polygon around a mesh of triangles.
static couShape *shape_of_chain(const couSolidMesh *mesh, couFaults *faults)
{
    size_t count;
    couVec3 *points = couSolidMesh_Outline(mesh, &count);
    couShapeDef def = {.kind = cou_shapePolygon, .points = points, .point_count = (int)count, .height = 1};
    couShape *shape = points ? couCreateShape(&def, faults) : NULL;
    couFree(NULL, points);
    return shape;
}

// Where in the mesh each sample is.
static bool find_hosts(couFluid *fluid, const couSolidMesh *mesh, couSoft *soft)
{
    couArenaMark mark = couArena_Mark(fluid->scratch);
    size_t count = soft->own.samples.count;
    soft->hosts = couAlloc(fluid->memory, (count + 1) * sizeof *soft->hosts);
    couDouble3 *points = COU_TAKE(fluid->scratch, couDouble3, mesh->point_count), lower, upper;
    if (!soft->hosts || !points) return false;
    for (size_t i = 0; i < mesh->point_count; ++i) points[i] = couWiden(mesh->points[i]);
    couBoundPoints3(points, mesh->point_count, &lower, &upper);
    couCellFinder finder;
    if (!couCellFinder_Build(&finder, fluid->scratch, mesh, points, lower, upper)) return false;
    for (size_t k = 0; k < count; ++k) {
        double weights[COU_MAX_CORNERS] = {0};
        couCellFinder_FindNearest(&finder, couWiden(soft->own.samples.points[k]), &soft->hosts[k].cell, weights);
        for (int c = 0; c < COU_MAX_CORNERS; ++c) soft->hosts[k].weights[c] = (float)weights[c];
    }
    couArena_Release(fluid->scratch, mark);
    return true;
}

// Samples of a solid, at its first step. What is wrong with its shape is told in the log.
static bool make_ready(couFluid *fluid, const couSolid *solid, couSoft *soft)
{
    const couSolidMesh *mesh = solid->def.mesh;
    couFaults faults = {0};
    soft->body = (couBody){.slot.is_here = true, .kind = cou_rigidFree};
    soft->body.def.shape = mesh->dimension == 3 ? shape_of_faces(fluid, mesh, &faults) : shape_of_chain(mesh, &faults);
    bool is_good = soft->body.def.shape && couSampleBody(fluid, &soft->body, &soft->own) && find_hosts(fluid, mesh, soft);
    for (int f = 0; f < faults.count; ++f)
        couLog(cou_logError, "%s of '%s': %s", faults.items[f].key, solid->def.name, faults.items[f].message);
    couFaults_Clear(&faults);
    soft->is_ready = is_good;
    return is_good;
}

// --- Placing -----------------------------------------------------------------------------------------------------------------

// The solid as a rigid body that has its mass, momenta and inertia, and falls as long as nothing holds it.
static void describe(couFluid *fluid, const couSolid *solid, couBody *body, float dt)
{
    couDouble3 center = {0, 0, 0}, momentum = {0, 0, 0}, turning = {0, 0, 0};
    double mass = 0, farthest = 0, inertia[6] = {0};
    bool is_held = false;
    size_t count = solid->def.mesh->point_count;
    for (size_t i = 0; i < count; ++i) {
        mass += solid->masses[i];
        center = couMulAdd3(center, solid->masses[i], solid->position[i]);
        momentum = couMulAdd3(momentum, solid->masses[i], solid->velocity[i]);
        is_held = is_held || solid->hold[i];
    }
    center = couScale3(1.0 / mass, center);
    for (size_t i = 0; i < count; ++i) {
        couDouble3 r = couSub3(solid->position[i], center);
        double m = solid->masses[i], r2 = couDot3(r, r);
        turning = couMulAdd3(turning, m, couCross3(r, solid->velocity[i]));
        const double parts[6] = {r2 - r.x * r.x, r2 - r.y * r.y, r2 - r.z * r.z, -r.x * r.y, -r.x * r.z, -r.y * r.z};
        for (int a = 0; a < 6; ++a) inertia[a] += m * parts[a];
        farthest = fmax(farthest, r2);
    }
    couVec3 g = fluid->solids->gravity;
    body->kind = is_held ? cou_rigidDriven : cou_rigidFree;
    body->mass = mass;
    memcpy(body->inertia, inertia, sizeof body->inertia);
    body->start_center = couNarrow(center);
    body->ball_radius = (float)sqrt(farthest);
    body->state = (couRigidState){.position = {center.x, center.y, center.z}, .rotation = {0, 0, 0, 1}};
    memset(body->pushed, 0, sizeof body->pushed);
    const double moved[6] = {momentum.x, momentum.y, momentum.z, turning.x, turning.y, turning.z};
    couAddImpulse(body, fluid->dimension, moved);
    const double pull[3] = {g.x, g.y, g.z};
    for (int a = 0; a < fluid->dimension && !is_held; ++a) body->state.velocity[a] += (double)dt * pull[a];
}

static float clamp_stretch(double ratio) { return (float)COU_CLAMP(ratio, 0.25, 4.0); }

// A sample where its cell is, as fast as that, with what gravity adds to points that are free.
static void place_sample(couFluid *fluid, const couSolid *solid, const couSoft *soft, size_t k, couDouble3 fall, size_t row)
{
    const couBoundary *boundary = &fluid->boundary;
    const couSphState *state = fluid->method_state;
    const couSolidMesh *mesh = solid->def.mesh;
    const couHost *host = &soft->hosts[k];
    couDouble3 x = {0, 0, 0}, v = {0, 0, 0}, now[COU_MAX_CORNERS], rest[COU_MAX_CORNERS];
    for (int c = 0; c < mesh->corners; ++c) {
        uint32_t i = mesh->cells[host->cell * (size_t)mesh->corners + (size_t)c];
        double weight = (double)host->weights[c];
        now[c] = solid->position[i];
        x = couMulAdd3(x, weight, now[c]);
        v = couMulAdd3(v, weight, solid->hold[i] ? solid->drift[i] : couAdd3(solid->drift[i], fall));
    }
    couSolidMesh_Corners(mesh, host->cell, rest);
    float stretch = clamp_stretch(couCellVolume(mesh->dimension, now) / couCellVolume(mesh->dimension, rest));
    float volume = COU_MIN(stretch * soft->own.volumes[k] / state->volume, COU_MOST_SAMPLE_VOLUME);
    size_t place = (size_t)(soft - fluid->softs.items) + fluid->bodies->count;
    couBoundary_Position(boundary)[row] = (couVec4){(float)x.x, (float)x.y, (float)x.z, volume};
    couBoundary_Velocity(boundary)[row] = (couVec4){(float)v.x, (float)v.y, (float)v.z, solid->def.friction};
    couBoundary_Id(boundary)[row] = couMix32(soft->own.samples.ids[k]) + (uint32_t)place;
    couBoundary_Body(boundary)[row] = (uint32_t)place;
    couBoundary_Sample(boundary)[row] = (uint32_t)k;
    couBoundary_Solid(boundary)[row] = soft->own.solids[k];
}

static bool place_solid(couFluid *fluid, size_t s, float dt)
{
    const couSolid *solid = &fluid->solids->items[s];
    couSoft *soft = &fluid->softs.items[s];
    if (!soft->is_ready && !make_ready(fluid, solid, soft)) return false;
    if (!couSettleSamples(fluid, &soft->body, &soft->own)) return false;
    describe(fluid, solid, &soft->body, dt);
    size_t row = couTable_AddRows(&fluid->boundary.table, soft->own.samples.count);
    if (row == SIZE_MAX) return false;
    couDouble3 fall = couScale3((double)dt, couWiden(fluid->solids->gravity));
    for (size_t k = 0; k < soft->own.samples.count; ++k) {
        place_sample(fluid, solid, soft, k, fall, row);
        row += !couIsOutsidePeriod(&fluid->period, couXyz(couBoundary_Position(&fluid->boundary)[row]));
    }
    fluid->boundary.table.count = row;
    return true;
}

bool couPlaceSoft(couStep *step)
{
    couFluid *fluid = step->fluid;
    size_t count = fluid->solids->count;
    fluid->soft_pushes = NULL;
    if (!count) return true;
    size_t known = fluid->softs.count;
    if (!COU_RESERVE(fluid->memory, &fluid->softs, count)) return false;
    for (size_t s = known; s < count; ++s) fluid->softs.items[s] = (couSoft){0};
    fluid->softs.count = count;
    for (size_t s = 0; s < count; ++s)
        if (fluid->solids->items[s].slot.is_here && !place_solid(fluid, s, step->dt)) return false;
    fluid->boundary.is_still = false;
    size_t rows = fluid->boundary.table.count;
    fluid->soft_pushes = couArena_Take(fluid->scratch, rows + 1, sizeof *fluid->soft_pushes);
    for (size_t k = 0; fluid->soft_pushes && k < rows; ++k)
        for (int a = 0; a < 3; ++a) fluid->soft_pushes[k][a] = 0;
    float heaviest = 0.0f;
    for (int m = 0; m < fluid->material_count; ++m) heaviest = COU_MAX(heaviest, fluid->mass[m]);
    fluid->soft_unit = FIXED_POINT * (double)heaviest;
    return fluid->soft_pushes != NULL;
}

// --- Pushing -----------------------------------------------------------------------------------------------------------------

void couPushSoft(const couFluid *fluid, uint32_t row, couVec3 impulse)
{
    const double most = 0x1p62;
    const double parts[3] = {impulse.x, impulse.y, impulse.z};
    for (int a = 0; a < 3; ++a) {
        double units = parts[a] / fluid->soft_unit;
        if (units == 0 || isnan(units)) continue; // the liquid's own report tells of NaN
        atomic_fetch_add_explicit(&fluid->soft_pushes[row][a], (int64_t)rint(COU_CLAMP(units, -most, most)),
                                  memory_order_relaxed);
    }
}

void couSettleSoft(couFluid *fluid, float dt)
{
    for (size_t s = 0; s < fluid->solids->count; ++s) {
        const couSolid *solid = &fluid->solids->items[s];
        memset(solid->load, 0, solid->def.mesh->point_count * sizeof *solid->load);
    }
    if (!fluid->soft_pushes) return;
    const uint32_t *body = couBoundary_Body(&fluid->boundary), *sample = couBoundary_Sample(&fluid->boundary);
    double scale = fluid->soft_unit / (double)dt;
    for (size_t row = 0; row < fluid->boundary.table.count; ++row) {
        if (body[row] < fluid->bodies->count) continue;
        size_t s = body[row] - fluid->bodies->count;
        const couSolid *solid = &fluid->solids->items[s];
        const couSolidMesh *mesh = solid->def.mesh;
        const couHost *host = &fluid->softs.items[s].hosts[sample[row]];
        int64_t units[3];
        for (int a = 0; a < 3; ++a) units[a] = fluid->soft_pushes[row][a];
        couDouble3 force = couScale3(scale, (couDouble3){(double)units[0], (double)units[1], (double)units[2]});
        for (int c = 0; c < mesh->corners; ++c) {
            couDouble3 *load = &solid->load[mesh->cells[host->cell * (size_t)mesh->corners + (size_t)c]];
            *load = couMulAdd3(*load, (double)host->weights[c], force);
        }
    }
    fluid->soft_pushes = NULL;
}
