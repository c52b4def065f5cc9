// The validation cases. To add one, or an old one for another method: a run function, and a line here.

#include "validate/validate.h"

#define ALL_FLUIDS "pvfs", "mueller", "sesph", "wcsph", "pcisph", "iisph", "dfsph"

static const couCase cases[] = {
    {"hydrostatic", {ALL_FLUIDS}, "water at rest, 1 m deep: force on the bottom and the sides, height", couValidateHydrostatic},
    {"dam-break",
     {"mueller", "sesph", "wcsph", "pcisph", "iisph", "dfsph"},
     "the front of a falling column of water against an experiment, and density while it runs",
     couValidateDamBreak},
    {"archimedes",
     {"pvfs"},
     "floating boxes, a ball and a bunny displace their own mass, and stay at rest",
     couValidateArchimedes},
    {"balls", {"pvfs"}, "balls of 400, 1000 and 1400 kg/m^3 rise, stay and sink", couValidateBalls},
    {"poiseuille", {"wcsph", "dfsph"}, "2D channel flow started by a force, against its series", couValidatePoiseuille},
    {"couette", {"wcsph", "dfsph"}, "2D channel flow started by a moving plate, against its series", couValidateCouette},
    {"taylor-green", {"wcsph", "dfsph"}, "2D vortices in a periodic box decay by viscosity alone", couValidateTaylorGreen},
    {"drop",
     {"pvfs", "mueller"},
     "a drop without gravity becomes round, and overshoots; mueller: its tension and frequency",
     couValidateDrop},
    {"films", {"pvfs"}, "2D films between four posts meet at 120 degrees", couValidateFilms},
    {"clustering", {"pvfs"}, "2D, even distances with the near density, clusters without it", couValidateClustering},
    {"relaxation",
     {"pvfs"},
     "stress of strained plastic springs falls at the rate alpha, down to the yield plateau",
     couValidateRelaxation},
    {"recovery", {"pvfs"}, "a squashed elastic block comes back, a plastic one keeps its dent", couValidateRecovery},
    {"terminal", {ALL_FLUIDS}, "free fall and projectiles follow the scheme's parabola", couValidateTerminal},
    {"conservation",
     {ALL_FLUIDS},
     "momentum of a free blob; drift of its angular momentum with the step",
     couValidateConservation},
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

const couCase *couCases(int *count)
{
    *count = CASE_COUNT;
    return cases;
}

const char *const *couCaseNames(void)
{
    static const char *names[CASE_COUNT + 1];
    for (int c = 0; c < CASE_COUNT; ++c) names[c] = cases[c].name;
    return names;
}

bool couRunCase(const couCase *which, couTrial *trial)
{
    trial->case_name = which->name;
    which->run(trial);
    return trial->faults.count == 0;
}
