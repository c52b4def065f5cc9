// The validation cases. To add one: a run function, and a line here.

#include "validate/validate.h"

#include <string.h>

static const couCase cases[] = {
    {"hydrostatic", cou_claimRest, "water at rest, 1 m deep: force on the bottom and the sides, height", couValidateHydrostatic},
    {"dam-break", cou_claimSplash, "the front of a falling column of water against an experiment, and density while it runs",
     couValidateDamBreak},
    {"archimedes", cou_claimFloating, "floating boxes, a ball and a bunny displace their own mass, and stay at rest",
     couValidateArchimedes},
    {"balls", cou_claimFloating, "balls of 400, 1000 and 1400 kg/m^3 rise, stay and sink", couValidateBalls},
    {"poiseuille", cou_claimViscosity, "2D channel flow started by a force, against its series", couValidatePoiseuille},
    {"couette", cou_claimViscosity, "2D channel flow started by a moving plate, against its series", couValidateCouette},
    {"taylor-green", cou_claimViscosity, "2D vortices in a periodic box decay by viscosity alone", couValidateTaylorGreen},
    {"drop", cou_claimDrops, "a drop without gravity becomes round, and overshoots; where tension is a force: its frequency",
     couValidateDrop},
    {"films", cou_claimFilms, "2D films between four posts meet at 120 degrees", couValidateFilms},
    {"clustering", cou_claimFilms, "2D, even distances with the near density, clusters without it", couValidateClustering},
    {"relaxation", cou_claimSprings, "stress of strained plastic springs falls at the rate alpha, down to the yield plateau",
     couValidateRelaxation},
    {"recovery", cou_claimSprings, "a squashed elastic block comes back, a plastic one keeps its dent", couValidateRecovery},
    {"terminal", cou_claimMotion, "free fall and projectiles follow the scheme's parabola", couValidateTerminal},
    {"conservation", cou_claimMotion, "momentum of a free blob; drift of its angular momentum with the step",
     couValidateConservation},
    {"wave", cou_claimWaves, "a standing wave in a tank: period, loss of height, no dry friction", couValidateWave},
    {"shear", cou_claimShear, "a weak push makes a liquid flow, at the speed of its viscosity: no yield stress",
     couValidateShear},
    {"film", cou_claimSlopes, "thick liquid runs down a slope, at Nusselt's speed", couValidateFilm},
    {"held", cou_claimBuoyancy, "a small ball and box held under water: lifted by the weight they displace", couValidateHeld},
    {"jet", cou_claimJets, "water through a hole in the side of a tank: Torricelli's speed, and how much passes", couValidateJet},
    {"settling", cou_claimWaves, "a small ball sinks in oil at the speed of its drag, wherever it starts on the lattice",
     couValidateSettling},
    {"levitation", cou_claimLevitation, "a ball over a blower stays, upright and tilted, by its Coanda force",
     couValidateLevitation},
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

bool couCase_Suits(const couCase *which, const char *method)
{
    const couMethodTraits *traits = couFindMethodTraits(method);
    return traits && ((traits->claims | traits->reports) & which->claim);
}

const char *couMostAccurateMethod(couClaim claim)
{
    const char *best = NULL;
    double least = INFINITY;
    for (const char *const *name = couMethodNames(); *name; ++name) {
        const couMethodTraits *traits = couFindMethodTraits(*name);
        if (!(traits->claims & claim) || !(traits->density_error > 0) || !(traits->density_error < least)) continue;
        best = *name, least = traits->density_error;
    }
    return best;
}

bool couRunCase(const couCase *which, couTrial *trial)
{
    trial->case_name = which->name;
    trial->traits = couFindMethodTraits(trial->method);
    trial->is_reported = trial->traits && !(trial->traits->claims & which->claim);
    which->run(trial);
    return trial->faults.count == 0;
}
