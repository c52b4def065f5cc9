/// Spray, foam and bubbles: passive particles made of frames after the run [Ihmsen, Akinci, Akinci and Teschner 2012]. They are
/// born where air is trapped and at the crests of waves, where the liquid is fast, and follow it; the liquid knows nothing of
/// them.
#pragma once

#include "base/base.h"
#include "coulis/surface.h"

typedef enum couFoamKind {
    cou_foamSpray,  ///< in the air: flies
    cou_foamFoam,   ///< at the surface: goes with the liquid, and grows old
    cou_foamBubble, ///< inside: goes with the liquid and rises
    cou_foamKindCount
} couFoamKind;

typedef struct couFoamParticle {
    couVec3 position; ///< [m]
    couVec3 velocity; ///< [m/s]
    float age;        ///< since its birth [s]
    float life;       ///< that it has left as foam [s]
    uint32_t id;      ///< of those alive in a frame and the next no two share one; free again once there is none above it
    uint8_t kind;     ///< couFoamKind
} couFoamParticle;

/// Zero-initialise; free with couFoam_Clear().
typedef struct couFoam {
    couFoamParticle *items;
    size_t count, capacity;
    size_t refused; ///< births beyond def.most so far
} couFoam;

/// Fill with couDefaultFoamDef(), then change what you need; `spacing` must be given. A potential grows from 0 at its lower limit
/// to 1 at its upper one.
typedef struct couFoamDef {
    float spacing;              ///< of the liquid's particles at rest [m], > 0
    couVec3 gravity;            ///< [m/s^2]
    float air_min, air_max;     ///< limits of trapped air: sum of neighbours' relative speeds [m/s]
    float crest_min, crest_max; ///< limits of wave crests: sum of neighbours' turns of the normal
    float speed_min, speed_max; ///< limits of kinetic energy, as the speeds that have it [m/s]
    float air_rate, crest_rate; ///< births of a particle of the liquid where all potentials are 1 [1/s]
    float life_min, life_max;   ///< of foam, from potential 0 to 1 [s]
    float buoyancy;             ///< of bubbles, in gravities
    float drag;                 ///< with which bubbles take on the liquid's velocity [1/s]
    int seed;
    int most;    ///< particles alive at once; further births are refused and counted
    int threads; ///< 0: all cores; the result does not depend on it
} couFoamDef;

couFoamDef couDefaultFoamDef(void);
const couParamTable *couFoamParams(void);
/// Adds a fault for each number out of range and each pair of limits that is the wrong way round.
bool couFoamDef_Check(const couFoamDef *def, couFaults *faults);

/// What foam may not enter: distance to the nearest solid at `share` (0 to 1) of the way from frame to frame [m], negative
/// inside; the outward normal and the solid's velocity there [m/s]. Called by several threads at once.
typedef float couFoamWallFcn(const void *context, couVec3 place, float share, couVec3 *normal, couVec3 *velocity);

/// From one frame of the liquid to the next. Positions, velocities and ids are needed.
typedef struct couFoamSpan {
    const couSurfacePoints *before; ///< NULL: not known
    const couSurfacePoints *after;
    double seconds; ///< between the two, > 0 and <= 1e6
    int number;     ///< of the frame after, for the seed
    couFoamWallFcn *wall;
    const void *wall_context; ///< both NULL: no walls
} couFoamSpan;

/// Moves the foam from `before` to `after` and lets more be born. Bits depend on the arguments alone, never on the threads. False
/// with a fault when the def is wrong or memory is short; the foam is then of no use.
bool couFoam_Advance(couFoam *foam, const couFoamDef *def, const couFoamSpan *span, couFaults *faults);
COU_INTERNAL_API void couFoam_Clear(couFoam *foam);

/// The three potentials, 0 to 1, of each particle of the liquid [Ihmsen 2012, eqs. 1 to 7]; arrays of points->count.
typedef struct couFoamPotentials {
    float *air, *crest, *energy;
} couFoamPotentials;

/// Where points are not finite all are 0. False with a fault, as above.
bool couFindFoamPotentials(const couFoamDef *def, const couSurfacePoints *points, const couFoamPotentials *potentials,
                           couFaults *faults);
