// The set of samples that stand for solids.

#include "fluid/boundary.h"

void couBoundary_Init(couBoundary *boundary, couMemory *memory)
{
    *boundary = (couBoundary){.memory = memory};
    couTable *table = &boundary->table;
    couTable_Init(table, memory);
    boundary->position_column = couTable_AddColumn(table, "position", "m", cou_stateF32, 4, cou_columnDerived);
    boundary->velocity_column = couTable_AddColumn(table, "velocity", "m/s", cou_stateF32, 4, cou_columnDerived);
    boundary->id_column = couTable_AddColumn(table, "id", "", cou_stateU32, 1, cou_columnDerived);
    boundary->body_column = couTable_AddColumn(table, "body", "", cou_stateU32, 1, cou_columnDerived);
    boundary->solid_column = couTable_AddColumn(table, "solid", "", cou_stateF32, 1, cou_columnDerived);
    couGrid_Init(&boundary->grid, memory);
}

void couBoundary_Free(couBoundary *boundary)
{
    couTable_Free(&boundary->table);
    couGrid_Free(&boundary->grid);
}

void couBoundary_Trim(couBoundary *boundary)
{
    couTable_DropSpare(&boundary->table);
    couGrid_Trim(&boundary->grid);
}

// Points as a set that can be searched, by number.
static bool make_set(couBoundary *set, couMemory *memory, const couVec3 *points, size_t count, float h,
                     const couParallel *parallel)
{
    couBoundary_Init(set, memory);
    if (couTable_AddRows(&set->table, count) == SIZE_MAX || !couTable_Reserve(&set->table, count + COU_TABLE_PADDING))
        return false;
    for (size_t k = 0; k < count; ++k) {
        couBoundary_Position(set)[k] = (couVec4){points[k].x, points[k].y, points[k].z, 1.0f};
        couBoundary_Id(set)[k] = (uint32_t)k;
    }
    couGridReport found;
    return couGrid_Sort(&set->grid, &set->table, set->position_column, set->id_column, 1.001f * h, parallel, &found);
}

static float distance_between(const couBoundary *a, size_t i, const couBoundary *b, size_t j)
{
    return couLength(couSub(couXyz(couBoundary_Position(b)[j]), couXyz(couBoundary_Position(a)[i])));
}

bool couFindSampleVolumes(couMemory *memory, const couKernel *kernel, float gamma, const couVec3 *points, size_t count,
                          float *volumes, const couParallel *parallel)
{
    couBoundary set;
    couNeighbors neighbors;
    bool is_good = make_set(&set, memory, points, count, kernel->h, parallel);
    is_good = couNeighbors_Init(&neighbors, memory) && is_good &&
              couNeighbors_Find(&neighbors, &set.grid, couBoundary_Position(&set), count, kernel->h, NULL, parallel);
    for (size_t i = 0; is_good && i < count; ++i) {
        double sum = couKernel_Value(kernel, 0);
        for (int k = 0; k < neighbors.count[i]; ++k)
            sum += couKernel_Value(kernel, distance_between(&set, i, &set, neighbors.first[i][k]));
        volumes[couBoundary_Id(&set)[i]] = (float)(gamma / sum);
    }
    couNeighbors_Free(&neighbors);
    couBoundary_Free(&set);
    return is_good;
}
