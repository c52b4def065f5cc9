// Solids in time: modified Euler, velocities first, then places with the new velocities [Debunne, annex B], in substeps of equal
// length. Held points go where their hold takes them; free ones have the elastic forces, gravity and what pushes them.

#include "soft/solids.h"

#include <stdio.h>

enum { BLOCK = 1024 };
#define SHORT_STEP 1e-5    // of which the user is told [s]
#define SHORTEST_STEP 1e-7 // that it may take; as the key `frequency` has it [s]
#define FARTHEST 1e6       // of a point that still counts as somewhere [m]

// --- Making ------------------------------------------------------------------------------------------------------------------

static void free_solid(couMemory *memory, couSolid *solid)
{
    void *arrays[] = {solid->masses, solid->rest,       solid->position, solid->velocity, solid->push, solid->anchor,
                      solid->hold,   solid->drag_speed, solid->forces,   solid->outer,    solid->load, solid->drift};
    for (int k = 0; k < COU_COUNT(arrays); ++k) couFree(memory, arrays[k]);
    COU_FREE_ARRAY(memory, &solid->holds);
    if (solid->elastic.mesh) couElastic_Free(&solid->elastic);
    couRegions_Free(&solid->regions);
    couSolidMesh_Release(solid->def.mesh);
}

void couSolids_Free(couSolids *solids)
{
    for (size_t s = 0; s < solids->count; ++s) free_solid(solids->memory, &solids->items[s]);
    couFree(solids->memory, solids->items);
}

static bool take_arrays(couMemory *memory, couSolid *solid)
{
    size_t n = solid->def.mesh->point_count;
    couDouble3 **vectors[] = {&solid->rest,   &solid->position, &solid->velocity, &solid->push,
                              &solid->anchor, &solid->forces,   &solid->load,     &solid->drift};
    bool is_good = true;
    for (int k = 0; k < COU_COUNT(vectors); ++k) {
        *vectors[k] = couAlloc(memory, n * sizeof(couDouble3));
        is_good = is_good && *vectors[k];
    }
    solid->masses = couAlloc(memory, n * sizeof *solid->masses);
    solid->hold = couAlloc(memory, n * sizeof *solid->hold);
    solid->drag_speed = couAlloc(memory, n * sizeof *solid->drag_speed);
    solid->outer = couAlloc(memory, n * sizeof *solid->outer);
    return is_good && solid->masses && solid->hold && solid->drag_speed && solid->outer;
}

// Each point has the mass of its region, as the chapter has it. Fillings may leave a point at the tip of a cell with hardly any
// region, which would ask for tiny steps: then each corner of a cell has its share instead.
static void set_masses(couSolid *solid, const couRegions *regions)
{
    const double least_share = 0.2;
    const couSolidMesh *mesh = solid->def.mesh;
    double density = (double)solid->def.density;
    bool is_even = true;
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS];
        couSolidMesh_Corners(mesh, c, p);
        double share = density * couCellVolume(mesh->dimension, p) / mesh->corners;
        for (int k = 0; k < mesh->corners; ++k) solid->masses[mesh->cells[c * (size_t)mesh->corners + (size_t)k]] += share;
    }
    for (size_t i = 0; i < mesh->point_count; ++i)
        is_even = is_even && density * regions->volumes[i] >= least_share * solid->masses[i];
    for (size_t i = 0; is_even && i < mesh->point_count; ++i) solid->masses[i] = density * regions->volumes[i];
}

static couDouble3 rotate(couQuat q, couDouble3 v)
{
    couDouble3 u = {q.x, q.y, q.z}, t = couScale3(2.0, couCross3(u, v));
    return couAdd3(couMulAdd3(v, (double)q.w, t), couCross3(u, t));
}

static couDouble3 to_world(couPose pose, couDouble3 p) { return couAdd3(couWiden(pose.position), rotate(pose.rotation, p)); }

static couDouble3 to_local(couPose pose, couDouble3 p)
{
    return rotate(couConjugate(pose.rotation), couSub3(p, couWiden(pose.position)));
}

static void place(couSolid *solid, int dimension)
{
    const couSolidMesh *mesh = solid->def.mesh;
    couDouble3 center = couWiden(solid->def.pose.position), spin = couWiden(solid->def.spin);
    if (dimension == 2) spin.x = spin.y = 0;
    for (size_t i = 0; i < mesh->point_count; ++i) {
        couDouble3 p = to_world(solid->def.pose, couWiden(mesh->points[i]));
        if (dimension == 2) p.z = 0;
        solid->rest[i] = solid->position[i] = p;
        solid->velocity[i] = couAdd3(couWiden(solid->def.velocity), couCross3(spin, couSub3(p, center)));
        if (dimension == 2) solid->velocity[i].z = 0;
        solid->drift[i] = solid->velocity[i];
    }
    bool *is_outer = couAlloc(NULL, mesh->point_count * sizeof *is_outer);
    for (size_t k = 0; is_outer && k < mesh->face_count * (size_t)mesh->dimension; ++k) is_outer[mesh->faces[k]] = true;
    for (size_t i = 0; i < mesh->point_count; ++i)
        if (!is_outer || is_outer[i]) solid->outer[solid->outer_count++] = (uint32_t)i;
    couFree(NULL, is_outer);
}

static couElasticDef elastic_def(const couSolidDef *def)
{
    double young = def->young, poisson = def->poisson;
    double mu = young / (2 * (1 + poisson)), lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
    return (couElasticDef){.model = (couSolidModel)def->model,
                           .lambda = isnan(def->lambda) ? lambda : (double)def->lambda,
                           .mu = isnan(def->mu) ? mu : (double)def->mu,
                           .rule = (couSpringRule)def->rule,
                           .spring = isnan(def->spring) ? young : (double)def->spring,
                           .damping = def->damping};
}

// The step from the frequency. Green-Lagrange solids and springs grow stiffer when they are stretched: a larger share is left.
static bool choose_step(couSolid *solid, couFaults *faults)
{
    bool is_linear = solid->def.model != cou_solidGreen && solid->def.model != cou_solidSpring;
    double limit = couStableStep(solid->frequency, (double)solid->def.damping);
    if (isnan(solid->frequency)) {
        couFaults_Add(faults, NULL, "solid", "out of memory");
        return false;
    }
    if (isnan(solid->def.frequency)) {
        solid->step = (is_linear ? 0.9 : 0.5) * limit;
        if (!(solid->step >= SHORTEST_STEP)) {
            couFaults_Add(faults, NULL, "solid",
                          "it needs steps of %.2g s, shorter than %g s: it is too stiff, has tiny cells, or is damped too much",
                          solid->step, SHORTEST_STEP);
            return false;
        }
        if (solid->step < SHORT_STEP)
            couLog(cou_logWarning, "the solid '%s' needs steps of %.2g s: it is stiff, has tiny cells, or is damped a lot",
                   solid->def.name, solid->step);
        return true;
    }
    solid->step = 1.0 / (double)solid->def.frequency;
    if (solid->step <= limit) return true;
    couFaults_Add(faults, NULL, "solid.frequency", "%g steps a second are not stable: this solid needs at least %.4g",
                  (double)solid->def.frequency, 1.0 / limit);
    return false;
}

static bool build(couSolids *solids, couSolid *solid, const couParallel *parallel, couFaults *faults)
{
    if (!take_arrays(solids->memory, solid)) {
        couFaults_Add(faults, NULL, "solid", "out of memory for %zu points", solid->def.mesh->point_count);
        return false;
    }
    if (!couRegions_Build(&solid->regions, solid->def.mesh, faults)) return false;
    set_masses(solid, &solid->regions);
    place(solid, solids->dimension);
    couElasticDef def = elastic_def(&solid->def);
    if (!couElastic_Build(&solid->elastic, solids->memory, solid->def.mesh, &solid->regions, &def, faults)) return false;
    couRegions_Free(&solid->regions);
    couElastic_Turn(&solid->elastic, solid->def.pose.rotation);
    solid->frequency = couElastic_MaxFrequency(&solid->elastic, parallel, solid->rest, solid->masses);
    return choose_step(solid, faults);
}

couSolid *couSolids_Add(couSolids *solids, const couSolidDef *def, const couParallel *parallel, couFaults *faults)
{
    couSolid *solid = COU_ADD_SLOT(solids->memory, solids);
    if (!solid) {
        couFaults_Add(faults, NULL, "solid", "out of memory, or more than %d of a kind", COU_MAX_SLOTS);
        return NULL;
    }
    couSlot slot = solid->slot;
    *solid = (couSolid){.slot = slot, .def = *def};
    couSolidMesh_Retain(solid->def.mesh);
    if (!solid->def.name[0]) snprintf(solid->def.name, sizeof solid->def.name, "solid%zu", solids->count);
    if (build(solids, solid, parallel, faults)) return solid;
    free_solid(solids->memory, solid);
    COU_UNDO_SLOT(solids, solid);
    return NULL;
}

couSolid *couSolids_Find(const couSolids *solids, couSolidId id)
{
    return couFindSlot(COU_SLOTS(solids), id.index1, id.generation);
}

couSolid *couSolids_FindName(const couSolids *solids, const char *name)
{
    for (size_t s = 0; s < solids->count; ++s)
        if (solids->items[s].slot.is_here && strcmp(solids->items[s].def.name, name) == 0) return &solids->items[s];
    return NULL;
}

couSolidId couSolids_Id(const couSolids *solids, const couSolid *solid)
{
    if (!solid) return (couSolidId){0};
    return (couSolidId){(uint16_t)(solid - solids->items + 1), solid->slot.generation};
}

// --- Stepping ----------------------------------------------------------------------------------------------------------------

typedef struct MoveJob {
    couSolid *solid;
    const couPose *poses; // of the holds' motions at the end of the substep
    couDouble3 gravity;
    double dt;
} MoveJob;

// Where a held point goes.
static couDouble3 held_place(const MoveJob *job, size_t i)
{
    const couSolid *solid = job->solid;
    uint32_t hold = solid->hold[i];
    if (hold == COU_DRAGGED) {
        couDouble3 way = couSub3(solid->anchor[i], solid->position[i]);
        double length = couLength3(way), most = (double)solid->drag_speed[i] * job->dt;
        return length <= most ? solid->anchor[i] : couMulAdd3(solid->position[i], most / length, way);
    }
    const couHold *by = &solid->holds.items[hold - 1];
    if (!by->motion) return solid->anchor[i];
    return to_world(job->poses[hold - 1], to_local(by->start, solid->anchor[i]));
}

static void move_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const MoveJob *job = context;
    couSolid *solid = job->solid;
    for (size_t i = begin; i < end; ++i) {
        if (solid->hold[i]) {
            couDouble3 to = held_place(job, i);
            solid->velocity[i] = couScale3(1.0 / job->dt, couSub3(to, solid->position[i]));
            solid->position[i] = to;
            continue;
        }
        couDouble3 force = couAdd3(couAdd3(solid->forces[i], solid->push[i]), solid->load[i]);
        couDouble3 a = couMulAdd3(job->gravity, 1.0 / solid->masses[i], force);
        solid->velocity[i] = couMulAdd3(solid->velocity[i], job->dt, a);
        solid->position[i] = couMulAdd3(solid->position[i], job->dt, solid->velocity[i]);
    }
}

// A step of the world, as all solids go through it.
typedef struct WorldStep {
    couBodies *bodies;
    const couParallel *parallel;
    double time;
    float dt;
} WorldStep;

static int count_substeps(const couSolid *solid, float dt)
{
    double wanted = ceil((double)dt / solid->step - 1e-6);
    return (int)COU_CLAMP(wanted, 1.0, 1e6);
}

// The k-th of `substeps`. False without memory.
static bool substep(couSolids *solids, couSolid *solid, const WorldStep *step, int k, int substeps)
{
    size_t holds = solid->holds.count;
    couArenaMark mark = couArena_Mark(solids->scratch);
    couPose *poses = COU_TAKE(solids->scratch, couPose, holds + 1);
    if (!poses) return false;
    MoveJob job = {solid, poses, couWiden(solids->gravity), (double)step->dt / substeps};
    for (size_t h = 0; h < holds; ++h)
        if (solid->holds.items[h].motion)
            poses[h] = solid->holds.items[h].motion(solid->holds.items[h].context, step->time + (k + 1) * job.dt);
    couElastic_Forces(&solid->elastic, step->parallel, couSolid_State(solid), solid->forces);
    couFor(step->parallel, solid->def.mesh->point_count, BLOCK, move_block, &job);
    bool is_good = couTouchBodies(solids, solid, step->bodies, step->parallel, (k + 1.0) / substeps, step->dt);
    couArena_Release(solids->scratch, mark);
    return is_good;
}

static bool step_alone(couSolids *solids, couSolid *solid, const WorldStep *step, couStepReport *report)
{
    int substeps = count_substeps(solid, step->dt);
    report->solid_substeps += substeps;
    for (int k = 0; k < substeps; ++k)
        if (!substep(solids, solid, step, k, substeps)) return false;
    return true;
}

// All with the substeps of the one that needs most, so that they meet at the same time.
static bool step_together(couSolids *solids, const WorldStep *step, couStepReport *report)
{
    int substeps = 1;
    for (size_t s = 0; s < solids->count; ++s)
        if (solids->items[s].slot.is_here) substeps = COU_MAX(substeps, count_substeps(&solids->items[s], step->dt));
    for (int k = 0; k < substeps; ++k) {
        for (size_t s = 0; s < solids->count; ++s) {
            if (!solids->items[s].slot.is_here) continue;
            report->solid_substeps++;
            if (!substep(solids, &solids->items[s], step, k, substeps)) return false;
        }
        if (!couTouchSolids(solids)) return false;
    }
    return true;
}

static bool is_sound(const couSolid *solid)
{
    for (size_t i = 0; i < solid->def.mesh->point_count; ++i) {
        couDouble3 x = solid->position[i];
        if (!(couDot3(x, x) < FARTHEST * FARTHEST) || !couIsFiniteDouble3(solid->velocity[i])) return false;
    }
    return true;
}

bool couSolids_Step(couSolids *solids, couBodies *bodies, const couParallel *parallel, double time, float dt,
                    couStepReport *report)
{
    WorldStep step = {bodies, parallel, time, dt};
    for (size_t s = 0; s < solids->count; ++s)
        for (size_t i = 0; i < solids->items[s].def.mesh->point_count; ++i)
            solids->items[s].drift[i] = solids->items[s].position[i];
    bool are_close = couSolids_AreClose(solids, (double)dt);
    if (are_close && !step_together(solids, &step, report)) return false;
    size_t inverted = 0;
    for (size_t s = 0; s < solids->count; ++s) {
        couSolid *solid = &solids->items[s];
        if (!solid->slot.is_here) continue;
        if (!are_close && !step_alone(solids, solid, &step, report)) return false;
        for (size_t i = 0; i < solid->def.mesh->point_count; ++i)
            solid->drift[i] = couScale3(1.0 / (double)dt, couSub3(solid->position[i], solid->drift[i]));
        if (!is_sound(solid) && !report->bad_solid.index1) report->bad_solid = couSolids_Id(solids, solid);
        inverted += couSolid_CountInverted(solid);
    }
    report->inverted_count = COU_MAX(report->inverted_count, (int64_t)inverted);
    return true;
}

float couSolids_MaxSpeed(const couSolids *solids)
{
    double fastest2 = 0;
    for (size_t s = 0; s < solids->count; ++s) {
        const couSolid *solid = &solids->items[s];
        for (size_t k = 0; solid->slot.is_here && k < solid->outer_count; ++k) {
            couDouble3 v = solid->velocity[solid->outer[k]];
            fastest2 = fmax(fastest2, couDot3(v, v));
        }
    }
    return (float)sqrt(fastest2);
}

size_t couSolid_CountInverted(const couSolid *solid)
{
    const couSolidMesh *mesh = solid->def.mesh;
    size_t count = 0;
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS];
        for (int k = 0; k < mesh->corners; ++k) p[k] = solid->position[mesh->cells[c * (size_t)mesh->corners + (size_t)k]];
        count += couCellVolume(mesh->dimension, p) < 0;
    }
    return count;
}
