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
