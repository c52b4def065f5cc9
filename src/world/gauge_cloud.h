/// Particles as gauges see them, whether a world's or a frame file's: a cloud of columns, and of it the part near a place, sorted
/// into cells, from which values between the particles are found.
#pragma once

#include "fluid/fluid.h"
#include "fluid/kernels.h"

/// Columns, borrowed. Positions and velocities lie `stride` floats apart: those of worlds 4, of frames 3.
typedef struct couGaugeCloud {
    size_t count;
    int dimension;
    size_t stride;
    const float *position, *velocity; ///< [m], [m/s]
    const uint32_t *id;
    const uint8_t *material;
    const float *density;                  ///< relative to rest; NULL: 1
    const float *pressure, *more_pressure; ///< [Pa], added up; NULL: none
    const float *volume;                   ///< of each particle at rest density [m^3]; NULL: by its material
    float mass[COU_MAX_MATERIALS];         ///< of a particle [kg]
    float rest_density[COU_MAX_MATERIALS]; ///< [kg/m^3]
    couKernel kernel;                      ///< values between particles are weighted by it
    float spacing;                         ///< [m]
    couPeriod period;
    const couBodies *bodies; ///< liquid cannot be inside them; NULL: not known
} couGaugeCloud;

/// A particle near the place.
typedef struct couVicinityPoint {
    couVec3 x, v;
    float volume;            ///< at rest density [m^3]
    float density, pressure; ///< [kg/m^3], [Pa]
    uint32_t id, cell;
    uint8_t material;
} couVicinityPoint;

/// The particles within a box, images of a period with them. Zero-initialise; free with couVicinity_Free().
typedef struct couVicinity {
    const couGaugeCloud *cloud;
    COU_ARRAY(couVicinityPoint) points; ///< by cell, then id
    uint32_t *cell_start;
    size_t cell_capacity;
    int32_t cells[3];
    couVec3 lower; ///< of the cells [m]
    float edge;    ///< [m]
} couVicinity;

/// Gathers those within `reach` of the bounds; what was there before goes. False without memory.
bool couVicinity_Gather(couVicinity *near, const couGaugeCloud *cloud, couBounds bounds, float reach);
void couVicinity_Free(couVicinity *near);

/// What is found between the particles.
typedef struct couVicinityValue {
    double support; ///< share of the kernel that liquid fills: 1 inside, about 1/2 at a wall or surface, 0 where it is dry
    double velocity[3], density, pressure;
    int count; ///< particles within reach
} couVicinityValue;

/// At x, which lies within the bounds: Shepard's mean, corrected so that fields that vary linearly come out right however the
/// particles lie, also at walls and surfaces where all are on one side. Where they are too few, or in one plane, the mean alone.
couVicinityValue couVicinity_At(const couVicinity *near, couVec3 x);
/// Share of the room outside of bodies that liquid fills, by the kernel.
double couVicinity_Share(const couVicinity *near, couVec3 x);

/// The world's particles as they are now.
couGaugeCloud couWorld_Cloud(const struct couWorld *world);
/// Volume of a particle at rest density [m^3].
static inline float couGaugeCloud_Volume(const couGaugeCloud *cloud, size_t i)
{
    int material = cloud->material[i];
    return cloud->volume ? cloud->volume[i] : cloud->mass[material] / cloud->rest_density[material];
}
static inline couVec3 couGaugeCloud_Position(const couGaugeCloud *cloud, size_t i)
{
    const float *x = cloud->position + i * cloud->stride;
    return (couVec3){x[0], x[1], x[2]};
}
static inline couVec3 couGaugeCloud_Velocity(const couGaugeCloud *cloud, size_t i)
{
    const float *v = cloud->velocity + i * cloud->stride;
    return (couVec3){v[0], v[1], v[2]};
}
/// Around the points.
couBounds couBoundPoints(const couVec3 *points, int count);
