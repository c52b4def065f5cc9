// Forces with the right constants are operators [Debunne, sect. 4.5.2]: mu = 0, lambda = 1 leaves grad(div), mu = 1, lambda = -1
// the Laplacian, both times the volume of the point's region.

#include "soft/operators.h"

static bool apply_one(const couSolidMesh *mesh, const couRegions *regions, couElasticDef def, const couDouble3 *rest,
                      const couDouble3 *places, couDouble3 *out, couFaults *faults)
{
    couElastic elastic;
    if (!couElastic_Build(&elastic, NULL, mesh, regions, &def, faults)) return false;
    couParallel parallel = couMakeParallel(1);
    couElastic_Forces(&elastic, &parallel, (couElasticState){rest, places, NULL}, out);
    for (size_t i = 0; i < mesh->point_count; ++i) out[i] = couScale3(1.0 / regions->volumes[i], out[i]);
    couFreeParallel(&parallel);
    couElastic_Free(&elastic);
    return true;
}

bool couApplyOperators(const couSolidMesh *mesh, const couRegions *regions, couSolidModel model, const couDouble3 *field,
                       couDouble3 *laplacian, couDouble3 *grad_div, couFaults *faults)
{
    COU_ASSERT(model == cou_solidVoronoi || model == cou_solidCauchy || model == cou_solidHybrid);
    couDouble3 *rest = couAlloc(NULL, mesh->point_count * sizeof *rest),
               *places = couAlloc(NULL, mesh->point_count * sizeof *rest);
    bool is_good = rest && places;
    if (!is_good) couFaults_Add(faults, NULL, "solid_mesh", "out of memory for %zu points", mesh->point_count);
    for (size_t i = 0; is_good && i < mesh->point_count; ++i) places[i] = field[i]; // the rest is zero: no digits are lost
    couElasticDef first = {.model = model, .lambda = -1, .mu = 1}, second = {.model = model, .lambda = 1, .mu = 0};
    is_good = is_good && apply_one(mesh, regions, first, rest, places, laplacian, faults) &&
              apply_one(mesh, regions, second, rest, places, grad_div, faults);
    couFree(NULL, rest);
    couFree(NULL, places);
    return is_good;
}
