/// The bodies of a run as walls of foam.
#pragma once

#include "app/scene_pictures.h"
#include "surface/foam.h"

/// A body on its way to where a frame has it.
typedef struct couFoamWall {
    const couShape *shape;
    couPose pose;           ///< at the end of the span
    couVec3 velocity, spin; ///< of the pose's origin [m/s], [rad/s]
} couFoamWall;

typedef struct couFoamWalls {
    couFoamWall *items; ///< free with free()
    int count;
    double seconds; ///< of the span
} couFoamWalls;

/// All bodies that bodies.csv has at the frame, seen or not, with the shapes of the cast's; those that the scene does not begin
/// with are no walls. False without memory.
bool couFindFoamWalls(const couCast *cast, const couBodyTable *table, int frame, double seconds, couFoamWalls *walls);
/// Of the nearest body; `context` is a couFoamWalls.
couFoamWallFcn couFoamWalls_Distance;
