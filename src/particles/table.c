// The particle table. Reordering copies each column into the spare one and swaps the two, so it costs one column of memory.

#include "particles/table.h"

#define BLOCK 16384 // rows per parallel block

void couTable_Init(couTable *table, couMemory *memory)
{
    *table = (couTable){0};
    table->memory = memory;
}

void couTable_Free(couTable *table)
{
    for (int c = 0; c < table->column_count; ++c) couFree(table->memory, table->columns[c].data);
    couFree(table->memory, table->spare);
    *table = (couTable){0};
}

int couTable_AddColumn(couTable *table, const char *name, const char *unit, couStateType type, int components, couColumnRole role)
{
    COU_ASSERT(table->capacity == 0 && table->column_count < COU_MAX_COLUMNS);
    couColumn *column = &table->columns[table->column_count];
    *column = (couColumn){.name = name, .unit = unit, .type = type, .components = components, .role = role};
    column->row_bytes = couStateType_Size(type) * (size_t)components;
    if (role != cou_columnScratch) table->spare_bytes = COU_MAX(table->spare_bytes, column->row_bytes);
    return table->column_count++;
}

static bool resize(couTable *table, size_t capacity, size_t tail)
{
    void *bigger[COU_MAX_COLUMNS];
    int n = table->column_count;
    // All or nothing: a table with columns of different sizes must never be seen.
    for (int c = 0; c < n; ++c) {
        size_t behind = tail && table->columns[c].has_tail ? tail + COU_TABLE_PADDING : 0;
        bigger[c] = couAlloc(table->memory, (capacity + COU_TABLE_PADDING + behind) * table->columns[c].row_bytes);
        if (bigger[c]) continue;
        while (c-- > 0) couFree(table->memory, bigger[c]);
        return false;
    }
    for (int c = 0; c < n; ++c) {
        couColumn *column = &table->columns[c];
        if (table->count) memcpy(bigger[c], column->data, table->count * column->row_bytes);
        couFree(table->memory, column->data);
        column->data = bigger[c];
    }
    couTable_DropSpare(table); // too small now
    table->capacity = capacity;
    table->tail = tail;
    return true;
}

bool couTable_Reserve(couTable *table, size_t count)
{
    if (count <= table->capacity) return true;
    return resize(table, COU_MAX(count, table->capacity + table->capacity / 4), table->tail);
}

bool couTable_ReserveTail(couTable *table, size_t rows) { return rows <= table->tail || resize(table, table->capacity, rows); }

void couTable_DropSpare(couTable *table)
{
    couFree(table->memory, table->spare);
    table->spare = NULL;
}

size_t couTable_AddRows(couTable *table, size_t count)
{
    if (!couTable_Reserve(table, table->count + count)) return SIZE_MAX;
    size_t first = table->count;
    for (int c = 0; c < table->column_count; ++c) {
        couColumn *column = &table->columns[c];
        if (count) memset((char *)column->data + first * column->row_bytes, 0, count * column->row_bytes);
    }
    table->count += count;
    return first;
}

typedef struct GatherJob {
    const uint32_t *order;
    const char *from;
    char *to;
    size_t row_bytes;
} GatherJob;

static void gather_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const GatherJob *job = context;
    const uint32_t *order = job->order;
    switch (job->row_bytes) {
    case 16:
        for (size_t i = begin; i < end; ++i) ((couVec4 *)job->to)[i] = ((const couVec4 *)job->from)[order[i]];
        break;
    case 4:
        for (size_t i = begin; i < end; ++i) ((uint32_t *)job->to)[i] = ((const uint32_t *)job->from)[order[i]];
        break;
    case 1:
        for (size_t i = begin; i < end; ++i) job->to[i] = job->from[order[i]];
        break;
    default:
        for (size_t i = begin; i < end; ++i)
            memcpy(job->to + i * job->row_bytes, job->from + order[i] * job->row_bytes, job->row_bytes);
    }
}

bool couTable_Reorder(couTable *table, const uint32_t *order, void *lent, const couParallel *parallel)
{
    if (lent)
        couTable_DropSpare(table);
    else if (!table->spare)
        table->spare = couAlloc(table->memory, (table->capacity + COU_TABLE_PADDING) * table->spare_bytes);
    if (!lent && !table->spare) return false;
    for (int c = 0; c < table->column_count; ++c) {
        couColumn *column = &table->columns[c];
        if (column->role == cou_columnScratch) continue;
        GatherJob job = {order, column->data, lent ? lent : table->spare, column->row_bytes};
        couFor(parallel, table->count, BLOCK, gather_block, &job);
        if (!lent && column->row_bytes == table->spare_bytes && !(column->has_tail && table->tail)) {
            void *swapped = column->data;
            column->data = table->spare;
            table->spare = swapped;
        } else {
            memcpy(column->data, job.to, table->count * column->row_bytes);
        }
    }
    return true;
}

size_t couTable_Filter(couTable *table, const uint8_t *keep)
{
    size_t kept = 0;
    for (int c = 0; c < table->column_count; ++c) {
        couColumn *column = &table->columns[c];
        size_t row = column->row_bytes;
        kept = 0;
        for (size_t i = 0; i < table->count; ++i) {
            if (!keep[i]) continue;
            if (kept != i) memcpy((char *)column->data + kept * row, (char *)column->data + i * row, row);
            ++kept;
        }
    }
    size_t removed = table->count - kept;
    table->count = kept;
    return removed;
}
