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
    boundary->sample_column = couTable_AddColumn(table, "sample", "", cou_stateU32, 1, cou_columnDerived);
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

bool couFindSampleVolumes(couMemory *memory, const couKernel *kernel, float gamma, const couVec3 *points, size_t count,
                          float *volumes, const couParallel *parallel)
{
    couBoundary set;
    couNeighbors neighbors;
    couBoundary_Init(&set, memory);
    bool is_good = couNeighbors_Init(&neighbors, memory) && couTable_AddRows(&set.table, count) != SIZE_MAX &&
                   couTable_Reserve(&set.table, count + COU_TABLE_PADDING);
    if (is_good) {
        for (size_t k = 0; k < count; ++k) {
            couBoundary_Position(&set)[k] = (couVec4){points[k].x, points[k].y, points[k].z, 1.0f};
            couBoundary_Id(&set)[k] = (uint32_t)k;
        }
        couGridReport found;
        is_good = couGrid_Sort(&set.grid, &set.table, set.position_column, set.id_column, 1.001f * kernel->h, parallel, &found) &&
                  couNeighbors_Find(&neighbors, &set.grid, couBoundary_Position(&set), count, kernel->h, NULL, parallel);
    }
    for (size_t i = 0; is_good && i < count; ++i) {
        const couVec4 *x = couBoundary_Position(&set);
        double sum = couKernel_Value(kernel, 0);
        for (int k = 0; k < neighbors.count[i]; ++k)
            sum += couKernel_Value(kernel, couLength(couSub(couXyz(x[neighbors.first[i][k]]), couXyz(x[i]))));
        volumes[couBoundary_Id(&set)[i]] = (float)(gamma / sum);
    }
    couNeighbors_Free(&neighbors);
    couBoundary_Free(&set);
    return is_good;
}
