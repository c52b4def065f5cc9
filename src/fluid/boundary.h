/// Solids as the SPH methods see them: samples with volumes, sorted by a grid of their own.
#pragma once

#include "fluid/kernels.h"
#include "particles/neighbors.h"

typedef struct couBoundary {
    couMemory *memory;
    couTable table;
    int position_column; ///< xyz, w: volume / V of a fluid particle
    int velocity_column; ///< xyz, w: how strongly the liquid sticks, 0 to 1
    int id_column;
    int body_column;   ///< whose it is: a body's place, or behind those a deformable solid's
    int sample_column; ///< which of its samples, for deformable solids
    int solid_column;  ///< share of a sample's density that is solid matter
    couGrid grid;
    bool is_sorted; ///< false after positions changed
    bool is_still;  ///< nothing moves: the sort's memory may go
} couBoundary;

void couBoundary_Init(couBoundary *boundary, couMemory *memory);
void couBoundary_Free(couBoundary *boundary);
/// Gives back what only the next sort needs.
void couBoundary_Trim(couBoundary *boundary);

static inline couVec4 *couBoundary_Position(const couBoundary *boundary)
{
    return couTable_Data(&boundary->table, boundary->position_column);
}
static inline couVec4 *couBoundary_Velocity(const couBoundary *boundary)
{
    return couTable_Data(&boundary->table, boundary->velocity_column);
}
static inline uint32_t *couBoundary_Body(const couBoundary *boundary)
{
    return couTable_Data(&boundary->table, boundary->body_column);
}
static inline uint32_t *couBoundary_Sample(const couBoundary *boundary)
{
    return couTable_Data(&boundary->table, boundary->sample_column);
}
static inline float *couBoundary_Solid(const couBoundary *boundary)
{
    return couTable_Data(&boundary->table, boundary->solid_column);
}
static inline uint32_t *couBoundary_Id(const couBoundary *boundary)
{
    return couTable_Data(&boundary->table, boundary->id_column);
}
