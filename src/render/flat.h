/// Pictures of 2D scenes: bodies as areas, particles as discs, seen along -z.
#pragma once

#include "render/stage.h"

#define COU_FLAT_TILE_BODIES 64

/// The bodies that may show in one tile of the picture.
typedef struct couFlatTile {
    int count;
    bool is_all; ///< too many to list: ask every body
    int bodies[COU_FLAT_TILE_BODIES];
} couFlatTile;

/// Bodies within `radius` [m] of the tile's centre.
couFlatTile couFindFlatBodies(const couStage *stage, couVec3 centre, float radius);
/// Linear display colour along the ray.
couVec3 couFlatColor(const couStage *stage, const couPictureScene *scene, const couView *view, const couFlatTile *tile,
                     couRay ray);
