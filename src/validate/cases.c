// The validation cases. To add one: a run function, and a line here.

#include "validate/validate.h"

#include <string.h>

static const char *const all_models[] = {"hybrid", "green", "cauchy", "voronoi", "spring", NULL};
static const char *const beam_models[] = {"cauchy", "green", NULL};

static const couCase cases[] = {
    {"hydrostatic", cou_claimRest, "water at rest, 1 m deep: force on the bottom and the sides, height", couValidateHydrostatic,
     NULL},
    {"dam-break", cou_claimSplash, "the front of a falling column of water against an experiment, and density while it runs",
     couValidateDamBreak, NULL},
    {"archimedes", cou_claimFloating, "floating boxes, a ball and a bunny displace their own mass, and stay at rest",
     couValidateArchimedes, NULL},
    {"balls", cou_claimFloating, "balls of 400, 1000 and 1400 kg/m^3 rise, stay and sink", couValidateBalls, NULL},
    {"poiseuille", cou_claimViscosity, "2D channel flow started by a force, against its series", couValidatePoiseuille, NULL},
    {"couette", cou_claimViscosity, "2D channel flow started by a moving plate, against its series", couValidateCouette, NULL},
    {"taylor-green", cou_claimViscosity, "2D vortices in a periodic box decay by viscosity alone", couValidateTaylorGreen, NULL},
    {"drop", cou_claimDrops, "a drop without gravity becomes round, and overshoots; where tension is a force: its frequency",
     couValidateDrop, NULL},
    {"films", cou_claimFilms, "2D films between four posts meet at 120 degrees", couValidateFilms, NULL},
    {"clustering", cou_claimFilms, "2D, even distances with the near density, clusters without it", couValidateClustering, NULL},
    {"relaxation", cou_claimSprings, "stress of strained plastic springs falls at the rate alpha, down to the yield plateau",
     couValidateRelaxation, NULL},
    {"recovery", cou_claimSprings, "a squashed elastic block comes back, a plastic one keeps its dent", couValidateRecovery,
     NULL},
    {"terminal", cou_claimMotion, "free fall and projectiles follow the scheme's parabola", couValidateTerminal, NULL},
    {"conservation", cou_claimMotion, "momentum of a free blob; drift of its angular momentum with the step",
     couValidateConservation, NULL},
    {"wave", cou_claimWaves, "a standing wave in a tank: period, loss of height, no dry friction", couValidateWave, NULL},
    {"shear", cou_claimShear, "a weak push makes a liquid flow, at the speed of its viscosity: no yield stress", couValidateShear,
     NULL},
    {"film", cou_claimSlopes, "thick liquid runs down a slope, at Nusselt's speed", couValidateFilm, NULL},
    {"held", cou_claimBuoyancy, "a small ball and box held under water: lifted by the weight they displace", couValidateHeld,
     NULL},
    {"jet", cou_claimJets, "water through a hole in the side of a tank: Torricelli's speed, and how much passes", couValidateJet,
     NULL},
    {"settling", cou_claimWaves, "a small ball sinks in oil at the speed of its drag, wherever it starts on the lattice",
     couValidateSettling, NULL},
    {"levitation", cou_claimLevitation, "a ball over a blower stays, upright and tilted, by its Coanda force",
     couValidateLevitation, NULL},
    {"hanging-cube", 0, "a soft cube swings at its wall: frequency and amplitude over meshes and models", couValidateHangingCube,
     all_models},
    {"cantilever", 0, "a clamped beam bends and swings under its own weight as Euler and Bernoulli say", couValidateCantilever,
     beam_models},
    {"rotation", 0, "a cube that is turned feels no force, with the right strain", couValidateRotation, all_models},
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

const char *const *couCase_Methods(const couCase *which) { return which->models ? which->models : couMethodNames(); }

bool couCase_Suits(const couCase *which, const char *method)
{
    for (const char *const *model = which->models; model && *model; ++model)
        if (strcmp(*model, method) == 0) return true;
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
