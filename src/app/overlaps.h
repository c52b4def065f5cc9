/// Particles that start too close to each other.
#pragma once

#include "coulis/coulis.h"

typedef struct couOverlaps {
    size_t count;        ///< particles with another one nearer than the distance
    uint32_t id_a, id_b; ///< the closest such pair
    float distance;      ///< of that pair [m]
} couOverlaps;

/// Finds pairs nearer than `distance` [m]. False without memory.
bool couFindOverlaps(const couWorld *world, float distance, couOverlaps *overlaps);
