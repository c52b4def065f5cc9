// The benchmark of deformable solids: a cube of about 100,000 tetrahedra swings from a wall, in the world as scenes have it,
// without liquid. What counts is tetrahedra times substeps a second: forces, motion and contacts, of which there are none.

#include "bench/bench.h"

#include "base/base.h"
#include "coulis/solid.h"

#include <stdio.h>

enum { ACROSS = 26, SUBSTEPS = 100 };

static couSolidId hang_cube(couWorld *world, int model, couFaults *faults)
{
    couSolidDef def = couDefaultSolidDef();
    def.model = model;
    def.mesh = couCreateBoxSolidMesh(3, (couVec3){0.1f, 0.1f, 0.1f}, (int[3]){ACROSS, ACROSS, ACROSS}, faults);
    couSolidId solid = def.mesh ? couWorld_AddSolid(world, &def, faults) : (couSolidId){0};
    couSolidMesh_Release(def.mesh);
    if (!couWorld_HasSolid(world, solid)) return (couSolidId){0};
    couHoldDef hold = {.region = couCreateShape(&(couShapeDef){.kind = cou_shapePlane, .axis = {1, 0, 0}}, faults),
                       .region_pose = COU_POSE_IDENTITY};
    hold.region_pose.position.x = -0.0499f;
    if (hold.region) couWorld_HoldSolid(world, solid, &hold, faults);
    couShape_Release(hold.region);
    return solid;
}

static bool measure(int model, int threads, couBenchResult *result, couFaults *faults)
{
    couWorldDef def = couDefaultWorldDef();
    def.threads = threads;
    couWorld *world = couCreateWorld(&def, faults);
    if (!world) return false;
    couSolidId solid = hang_cube(world, model, faults);
    if (!faults->count) {
        double step = couWorld_SolidStep(world, solid),
               cells = (double)couSolidMesh_CellCount(couWorld_Solid(world, solid)->mesh);
        couWorld_Advance(world, 10 * step); // memory that is touched for the first time
        double begin = couSeconds();
        couStepReport report = couWorld_Advance(world, SUBSTEPS * step);
        result->seconds = couSeconds() - begin;
        result->steps = (uint64_t)report.solid_substeps;
        double rate = cells * (double)report.solid_substeps / result->seconds;
        snprintf(
            result->note, sizeof result->note,
            "%.1f million updates of a tetrahedron a second: %.0f of them, %lld substeps of %.3g ms; a frame of 1/30 s has %.0f",
            1e-6 * rate, cells, (long long)report.solid_substeps, 1e3 * step, ceil(1.0 / (30 * step)));
    }
    couDestroyWorld(world);
    return !faults->count;
}

bool couBenchSolidGreen(int threads, couBenchResult *result, couFaults *faults)
{
    return measure(cou_solidGreen, threads, result, faults);
}

bool couBenchSolidHybrid(int threads, couBenchResult *result, couFaults *faults)
{
    return measure(cou_solidHybrid, threads, result, faults);
}
