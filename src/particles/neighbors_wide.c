// The neighbour search. For each cell, the particles of the 27 cells around it that lie within the radius of the cell's own bounding
// box are compressed into a small local buffer; then each particle of the cell is tested against the buffer, eight at a time. The
// buffer is in ascending order of storage, so the lists are too. Tried before and dropped: nine rows without the buffer (96 ns a
// particle against 69), cells of half the size (135 ns).

#include "particles/neighbors.h"

typedef struct Box {
    float lower[3], upper[3];
} Box;

static Box cell_box(const couVec4 *position, uint32_t begin, uint32_t end)
{
    couVec4 a = position[begin];
    Box box = {{a.x, a.y, a.z}, {a.x, a.y, a.z}};
    for (uint32_t i = begin + 1; i < end; ++i) {
        couVec4 x = position[i];
        box.lower[0] = COU_MIN(box.lower[0], x.x), box.upper[0] = COU_MAX(box.upper[0], x.x);
        box.lower[1] = COU_MIN(box.lower[1], x.y), box.upper[1] = COU_MAX(box.upper[1], x.y);
        box.lower[2] = COU_MIN(box.lower[2], x.z), box.upper[2] = COU_MAX(box.upper[2], x.z);
    }
    return box;
}

// How far the values lie outside [lower, upper].
static inline couFloatW outside(couFloatW x, float lower, float upper)
{
    couFloatW d = couMaxW(couSubW(couSetW(lower), x), couSubW(x, couSetW(upper)));
    return couMaxW(d, couSetW(0.0f));
}

// Appends the particles [begin, end) that are near the box; returns the new fill.
static size_t collect(const couSearch *search, couSearchScratch *scratch, size_t fill, const Box *box, uint32_t begin,
                      uint32_t end)
{
    // A little more than the radius: rounding here must not lose a pair that the exact test would keep.
    couFloatW limit = couSetW(search->radius * search->radius * 1.00001f);
    for (uint32_t i = begin; i < end; i += COU_WIDTH) {
        uint32_t index[COU_WIDTH];
        float xs[COU_WIDTH], ys[COU_WIDTH], zs[COU_WIDTH];
        for (uint32_t k = 0; k < COU_WIDTH; ++k) index[k] = i + k; // may run into the padding, masked below
        couFloatW x, y, z, w;
        couLoadRecordsW(search->position, index, &x, &y, &z, &w);
        couFloatW dx = outside(x, box->lower[0], box->upper[0]);
        couFloatW dy = outside(y, box->lower[1], box->upper[1]);
        couFloatW dz = outside(z, box->lower[2], box->upper[2]);
        couFloatW d2 = couAddW(couAddW(couMulW(dx, dx), couMulW(dy, dy)), couMulW(dz, dz));
        unsigned bits = couBitsW(couLessW(d2, limit));
        if (end - i < COU_WIDTH) bits &= (1u << (end - i)) - 1;
        couStoreW(xs, x), couStoreW(ys, y), couStoreW(zs, z);
        couCompressW((uint32_t *)scratch->x + fill, (const uint32_t *)xs, bits);
        couCompressW((uint32_t *)scratch->y + fill, (const uint32_t *)ys, bits);
        couCompressW((uint32_t *)scratch->z + fill, (const uint32_t *)zs, bits);
        fill += (size_t)couCompressW(scratch->index + fill, index, bits);
    }
    return fill;
}

// Tests particle i, which is at place `self` of the buffer, against all of it.
static void list_neighbors(couSearch *search, couSearchScratch *scratch, size_t fill, uint32_t i, size_t self)
{
    couNeighbors *neighbors = search->neighbors;
    uint32_t *list = couSearch_Room(search, scratch, COU_MIN(fill, (size_t)COU_MAX_NEIGHBORS) + 3 * COU_WIDTH);
    if (!list) return;
    couVec4 xi = search->position[i];
    couFloatW x = couSetW(xi.x), y = couSetW(xi.y), z = couSetW(xi.z), limit = couSetW(search->radius * search->radius);
    int count = 0, below = 0;
    for (size_t k = 0; k < fill; k += COU_WIDTH) {
        couFloatW dx = couSubW(couLoadW(scratch->x + k), x);
        couFloatW dy = couSubW(couLoadW(scratch->y + k), y);
        couFloatW dz = couSubW(couLoadW(scratch->z + k), z);
        couFloatW r2 = couAddW(couAddW(couMulW(dx, dx), couMulW(dy, dy)), couMulW(dz, dz));
        unsigned bits = couBitsW(couLessW(r2, limit));
        if (self - k < COU_WIDTH) { // the particle itself is in this block
            bits &= ~(1u << (self - k));
            below = count + __builtin_popcount(bits & ((1u << (self - k)) - 1));
        }
        count += couCompressW(list + count, scratch->index + k, bits);
        if (count > COU_MAX_NEIGHBORS) { // the first ones stay
            search->crowded_count++;
            count = COU_MAX_NEIGHBORS;
            if (self >= k + COU_WIDTH || below > count) below = count;
            break;
        }
    }
    int padded = (count + COU_WIDTH - 1) / COU_WIDTH * COU_WIDTH;
    for (int k = count; k < padded; ++k) list[k] = (uint32_t)search->count;
    neighbors->first[i] = list;
    neighbors->count[i] = (uint16_t)count;
    neighbors->below[i] = (uint16_t)below;
    scratch->chunk += padded;
    scratch->chunk_left -= (size_t)padded;
}

void COU_WIDE(couSearchCells)(couSearch *search, size_t first_cell, size_t last_cell, int worker)
{
    const couGrid *grid = search->grid;
    couSearchScratch *scratch = &search->neighbors->scratch[worker];
    uint64_t pairs = 0;
    couRows rows;
    couRows_Start(&rows, grid, first_cell);
    for (size_t cell = first_cell; cell < last_cell; ++cell) {
        uint32_t own_begin = grid->cell_start[cell], own_end = grid->cell_start[cell + 1];
        uint32_t begin[9], end[9];
        couRows_Next(&rows, grid, cell, begin, end);
        size_t candidates = 0;
        for (int r = 0; r < 9; ++r) candidates += end[r] - begin[r];
        if (!couSearchScratch_Reserve(search->neighbors->memory, scratch, candidates)) {
            search->is_out_of_memory = true;
            return;
        }
        Box box = cell_box(search->position, own_begin, own_end);
        size_t fill = 0, own_place = 0;
        for (int r = 0; r < 9; ++r) {
            if (r == 4) { // the cell's own row: note where its own particles begin; all of them are kept
                fill = collect(search, scratch, fill, &box, begin[r], own_begin);
                own_place = fill;
                fill = collect(search, scratch, fill, &box, own_begin, end[r]);
            } else {
                fill = collect(search, scratch, fill, &box, begin[r], end[r]);
            }
        }
        for (size_t k = fill; k < fill + COU_WIDTH; ++k) scratch->x[k] = scratch->y[k] = scratch->z[k] = 1e15f;
        for (uint32_t i = own_begin; i < own_end; ++i) {
            list_neighbors(search, scratch, fill, i, own_place + (i - own_begin));
            pairs += search->neighbors->count[i];
        }
        if (search->is_out_of_memory) return;
    }
    search->pair_count += pairs;
}
