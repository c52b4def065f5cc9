/// The particle table: named columns (structure of arrays) that grow, shrink and are reordered together.
#pragma once

#include "base/parallel.h"
#include "coulis/world.h"

#define COU_MAX_COLUMNS 32
#define COU_TABLE_PADDING 16 ///< readable rows beyond the last, for wide loops

typedef enum couColumnRole {
    cou_columnState,   ///< saved, hashed, reordered
    cou_columnDerived, ///< reordered, computed anew each step
    cou_columnScratch  ///< neither: holds nothing between phases
} couColumnRole;

typedef struct couColumn {
    const char *name, *unit;
    couStateType type;
    int components;
    couColumnRole role;
    size_t row_bytes;
    bool has_tail; ///< further rows lie behind the particles'; see couTable_ReserveTail()
    void *data;
} couColumn;

typedef struct couTable {
    couMemory *memory;
    size_t count, capacity, tail;
    couColumn columns[COU_MAX_COLUMNS];
    int column_count;
    void *spare; // one more column of the widest row, for reordering; NULL until then
    size_t spare_bytes;
} couTable;

void couTable_Init(couTable *table, couMemory *memory);
void couTable_Free(couTable *table);
/// Returns the column's number. All columns are registered before the first row.
int couTable_AddColumn(couTable *table, const char *name, const char *unit, couStateType type, int components,
                       couColumnRole role);
static inline void *couTable_Data(const couTable *table, int column) { return table->columns[column].data; }
bool couTable_Reserve(couTable *table, size_t count);
/// Room for `rows` more behind row count + COU_TABLE_PADDING in the columns that have a tail. What is in them does not last:
/// sorting and growing lose it. False without memory.
bool couTable_ReserveTail(couTable *table, size_t rows);
/// Gives the spare column back; the next couTable_Reorder() gets it again.
void couTable_DropSpare(couTable *table);
/// Adds zeroed rows at the end; returns the first one's index, SIZE_MAX without memory.
size_t couTable_AddRows(couTable *table, size_t count);
/// Row k becomes what row order[k] was. `lent` is memory for `count` rows of `spare_bytes`, or NULL: the table then has its
/// own. False without memory; nothing has changed then.
bool couTable_Reorder(couTable *table, const uint32_t *order, void *lent, const couParallel *parallel);
/// Keeps the rows whose flag is set, in order; returns how many were removed.
size_t couTable_Filter(couTable *table, const uint8_t *keep);
