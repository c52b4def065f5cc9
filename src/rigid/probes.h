/// Probes: small balls just under the surface of a shape, with which it feels the distance function of another. Any shape can so
/// touch any other, convex or not, in 2D and 3D.
#pragma once

#include "rigid/solver.h"

typedef struct couProbe {
    couVec3 center; ///< in the shape's frame [m]
    float radius;   ///< [m]; touches the surface from within
    couVec3 axis;   ///< of the ring on which the ball goes to where it is deepest, unit
    float ring;     ///< radius of that ring [m]; 0: the ball stays at the centre
} couProbe;

typedef struct couProbes {
    couMemory *memory;
    couProbe *items;
    size_t count, capacity;
} couProbes;

enum { COU_MAX_PAIR_CONTACTS = 8 };

/// Appends the probes of a shape; none for a plane. False without memory.
bool couProbes_AddShape(couProbes *probes, const couShape *shape, int dimension);

/// One side of a pair, where it is now.
typedef struct couTouching {
    const couShape *shape;
    const couProbes *probes;
    couPose pose;
} couTouching;

/// Points where a and b overlap, at most COU_MAX_PAIR_CONTACTS of them, well spread, normals out of b; returns how many.
int couFindPairContacts(couTouching a, couTouching b, int dimension, couRigidContact *contacts);
