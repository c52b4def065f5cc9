/// Samples: points inside a solid that stand for it in sums over particles, as the boundary particles of [Akinci et al. 2012].
///
/// A fluid at rest on a solid is a lattice whose first layer is half a spacing d outside of the surface. The first layer of
/// samples is half a spacing inside of it (signed distance -d/2), the next at -3d/2 and so on, so that fluid and samples go on
/// as one lattice. Where a wall is too thin for two sheets that are d/2 apart (less than 1.5 d), one sheet in its middle serves
/// both sides; it ends d/2 before the edge of a wedge.
#pragma once

#include "base/base.h"
#include "coulis/shape.h"

enum { COU_MAX_SAMPLE_LAYERS = 4 };

/// Points in a solid that stand for it in sums over particles: layers under its surface, about one spacing apart.
typedef struct couSamples {
    couVec3 *points; ///< in the shape's frame [m]; z = 0 in 2D
    uint32_t *ids;   ///< of each point: distinct within the shape, the same whatever region was asked for
    size_t count;
    size_t point_capacity, id_capacity;
    bool is_thin; ///< somewhere the solid is thinner than one spacing: fluid on both sides would see each other
} couSamples;

/// Samples of a shape with the given spacing [m], 1 to COU_MAX_SAMPLE_LAYERS layers; overwrites `samples`. Of an unbounded shape
/// the part within `region` (in the shape's frame), a larger region only adds points; of a bounded one, with NULL, all. None of
/// an unbounded one without region. Planes, boxes, spheres and hollow boxes have lattices; the rest is covered evenly at random,
/// the same points each time. False without memory, and then nothing is held.
///
/// Ids are distinct for regions of up to 16384 spacings, of up to 4096 with six planes in a union. In 2D solids that leave the
/// plane (meshes, turned parts) have their depth measured in space. Unbounded shapes other than planes, walls on planes and
/// unions with these (a wall around such a union, say) have points and ids that depend on the region.
bool couSampleShape(couMemory *memory, const couShape *shape, int dimension, float spacing, int layers, const couBounds *region,
                    couSamples *samples);
void couSamples_Free(couMemory *memory, couSamples *samples);
/// About how many points that takes while it is made (the region counts only for what is unbounded), to refuse absurd requests
/// beforehand; mostly 5 to 20 % more than come out, up to twice as many for small and for hollow ones. Infinite for unbounded
/// shapes without region.
double couEstimateSamples(const couShape *shape, int dimension, float spacing, int layers, const couBounds *region);
