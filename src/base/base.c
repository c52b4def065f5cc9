// Hooks, faults, memory and the clock.
//
// Every block of memory carries a small header in front of it (its size and the address to free), so that a world can count what
// it holds and freeing needs no size. Bases are shifted by a varying number of cache lines: columns of equal, large size would
// otherwise start in the same cache sets, which made sorting four times slower when we measured it.

#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const char *couVersion(void) { return COU_VERSION; }

static couLogFcn *log_hook;
static void *log_context;
static couAssertFcn *assert_hook;
static couAllocFcn *alloc_hook;
static couFreeFcn *free_hook;

void couSetLog(couLogFcn *log, void *context)
{
    log_hook = log;
    log_context = context;
}

void couSetAssert(couAssertFcn *fcn) { assert_hook = fcn; }

void couSetAllocator(couAllocFcn *alloc, couFreeFcn *release)
{
    alloc_hook = alloc;
    free_hook = release;
}

void couLog(couLogLevel level, const char *format, ...)
{
    if (!log_hook) return;
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log_hook(log_context, level, message);
}

void couAssertFailed(const char *condition, const char *file, int line)
{
    if (assert_hook && assert_hook(condition, file, line)) return;
    if (!assert_hook) fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
    abort();
}

// --- Faults ------------------------------------------------------------------------------------------------------------------

// The whole list where there is no memory for one: that something went wrong must not get lost.
static const couFault no_room = {.message = "no memory, not even for the list of what is wrong"};

void couFaults_Add(couFaults *faults, const char *where, const char *key, const char *format, ...)
{
    if (!faults || faults->items == &no_room) return;
    if (faults->count == faults->capacity) {
        size_t capacity = (size_t)faults->capacity, wanted = COU_MAX(8, 2 * capacity);
        if (!COU_GROW(NULL, faults->items, capacity, wanted)) {
            if (faults->count == 0) *faults = (couFaults){.items = (couFault *)&no_room, .count = 1, .capacity = 1};
            return;
        }
        faults->capacity = (int)capacity;
    }
    couFault *fault = &faults->items[faults->count++];
    snprintf(fault->where, sizeof fault->where, "%s", where ? where : "");
    snprintf(fault->key, sizeof fault->key, "%s", key ? key : "");
    va_list args;
    va_start(args, format);
    vsnprintf(fault->message, sizeof fault->message, format, args);
    va_end(args);
    // One fault, one line: a name with line ends in it shall not look like other faults.
    for (char *at = strpbrk(fault->message, "\r\n"); at; at = strpbrk(at, "\r\n")) *at = ' ';
}

void couFaults_Clear(couFaults *faults)
{
    if (faults->items != &no_room) couFree(NULL, faults->items);
    *faults = (couFaults){0};
}

// --- Memory ------------------------------------------------------------------------------------------------------------------

#define HEADER_BYTES 64 // keeps the block aligned to a cache line

typedef struct BlockHeader {
    void *base;
    size_t bytes; // as counted
} BlockHeader;

void *couAlloc(couMemory *memory, size_t bytes)
{
    static _Atomic unsigned turn;
    size_t stagger = bytes >= 1 << 16 ? 64 * (atomic_fetch_add(&turn, 1) % 31) * 3 : 0;
    size_t total = bytes + HEADER_BYTES + stagger;
    if (total < bytes || total > SIZE_MAX - 63) return NULL;
    total = (total + 63) & ~(size_t)63;
    char *base = alloc_hook ? alloc_hook(total, 64) : aligned_alloc(64, total);
    if (!base) return NULL;
    char *block = base + stagger + HEADER_BYTES;
    memset(block, 0, bytes);
    BlockHeader header = {base, total};
    memcpy(block - sizeof header, &header, sizeof header);
    if (memory) {
        size_t now = atomic_fetch_add(&memory->bytes, total) + total;
        size_t peak = atomic_load(&memory->peak);
        while (now > peak && !atomic_compare_exchange_weak(&memory->peak, &peak, now)) {}
    }
    return block;
}

void couFree(couMemory *memory, void *pointer)
{
    if (!pointer) return;
    BlockHeader header;
    memcpy(&header, (char *)pointer - sizeof header, sizeof header);
    if (memory) atomic_fetch_sub(&memory->bytes, header.bytes);
    if (free_hook)
        free_hook(header.base);
    else
        free(header.base);
}

void *couGrow(couMemory *memory, void *items, size_t *capacity, size_t wanted, size_t item_bytes)
{
    if (wanted <= *capacity) return items;
    size_t room = COU_MAX(wanted, *capacity + *capacity / 2);
    if (room > SIZE_MAX / item_bytes) return items;
    void *bigger = couAlloc(memory, room * item_bytes);
    if (!bigger) return items;
    if (*capacity) memcpy(bigger, items, *capacity * item_bytes);
    couFree(memory, items);
    *capacity = room;
    return bigger;
}

// --- Order -------------------------------------------------------------------------------------------------------------------

typedef struct Heap {
    char *items;
    size_t size; // of an item
    couCompareFcn *compare;
} Heap;

static void swap_items(const Heap *heap, size_t a, size_t b)
{
    char *p = heap->items + a * heap->size, *q = heap->items + b * heap->size, kept[64];
    for (size_t done = 0, bytes; done < heap->size; done += bytes) {
        bytes = COU_MIN(heap->size - done, sizeof kept);
        memcpy(kept, p + done, bytes);
        memcpy(p + done, q + done, bytes);
        memcpy(q + done, kept, bytes);
    }
}

// Lets the item at `place` sink until none below it is greater.
static void sink_item(const Heap *heap, size_t place, size_t count)
{
    for (size_t child; (child = 2 * place + 1) < count; place = child) {
        const char *item = heap->items + child * heap->size;
        if (child + 1 < count && heap->compare(item, item + heap->size) < 0) ++child;
        if (heap->compare(heap->items + place * heap->size, heap->items + child * heap->size) >= 0) return;
        swap_items(heap, place, child);
    }
}

// Merges ever longer runs to and fro between the items and as much room; false without it.
static bool sort_by_merging(char *items, size_t count, size_t size, couCompareFcn *compare)
{
    char *room = count <= SIZE_MAX / size ? couAlloc(NULL, count * size) : NULL, *from = items, *to = room;
    if (!room) return false;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t low = 0; low < count; low += 2 * width) {
            char *a = from + low * size, *a_end = from + COU_MIN(low + width, count) * size;
            char *b = a_end, *b_end = from + COU_MIN(low + 2 * width, count) * size, *next = to + low * size;
            for (; a < a_end && b < b_end; next += size) {
                char **least = compare(a, b) <= 0 ? &a : &b;
                memcpy(next, *least, size);
                *least += size;
            }
            memcpy(next, a, (size_t)(a_end - a));
            memcpy(next + (a_end - a), b, (size_t)(b_end - b));
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * size);
    couFree(NULL, room);
    return true;
}

void couSort(void *items, size_t count, size_t size, couCompareFcn *compare)
{
    if (count < 2 || sort_by_merging(items, count, size, compare)) return;
    Heap heap = {items, size, compare};
    for (size_t place = count / 2; place-- > 0;) sink_item(&heap, place, count);
    for (size_t last = count; last-- > 1;) {
        swap_items(&heap, 0, last);
        sink_item(&heap, 0, last);
    }
}

// --- Time --------------------------------------------------------------------------------------------------------------------

double couSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
