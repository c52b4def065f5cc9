// The benchmark of deformable solids: a cube of about 100,000 tetrahedra swings from a wall, in the world as scenes have it,
// without liquid. What counts is tetrahedra times substeps a second: forces, motion and contacts, of which there are none. The
// best of many short spans counts: what else the machine does meanwhile is not the solid's.

#include "bench/bench.h"

#include "base/base.h"
#include "coulis/solid.h"

#include <stdio.h>

enum { ACROSS = 26, SPANS = 60, SUBSTEPS = 4 };

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
        double rate = 0;
        for (int k = 0; k < SPANS; ++k) {
            double begin = couSeconds();
            couStepReport report = couWorld_Advance(world, SUBSTEPS * step);
            double seconds = couSeconds() - begin, now = cells * (double)report.solid_substeps / seconds;
            result->seconds += seconds;
            result->steps += (uint64_t)report.solid_substeps;
            rate = COU_MAX(rate, now);
        }
        double substeps = ceil(1.0 / (30 * step));
        snprintf(result->note, sizeof result->note,
                 "%.1f million updates of a tetrahedron a second: %.0f of them, substeps of %.3g ms; a frame of 1/30 s has %.0f, "
                 "which take %.3g s",
                 1e-6 * rate, cells, 1e3 * step, substeps, substeps * cells / rate);
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
