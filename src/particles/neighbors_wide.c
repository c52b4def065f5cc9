// The neighbour search. For each cell, the particles of the 27 cells around it that lie within the radius of the cell's own
// bounding box are compressed into a small local buffer; then each particle of the cell is tested against the buffer, sixteen
// at a time. The buffer is in ascending order of storage, so the lists are too. Tried before and dropped: nine rows without the
// buffer (96 ns a particle against 69), cells of half the size (135 ns).
//
// Points of a second set go into the same buffer, behind the particles, and into the lists the same way. Around a cell at the end
// of a period some of the buffer is shifted by the period. The shift is added to differences of positions and not to positions:
// what i finds of j is then exactly the opposite of what j finds of i, so that each of a pair lists the other, also at the very
// radius.

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

// `is_wrapped` is a constant at every place: the inner loops exist once for cells inside and once for those at the end of a
// period.

// How far the values lie outside [lower, upper] when shifted; in the same order of operations as the exact test.
COU_SPECIALIZED couFloatW outside(couFloatW x, float lower, float upper, float shift, bool is_wrapped)
{
    couFloatW before = lower - x, behind = x - upper;
    if (is_wrapped) before -= shift, behind += shift;
    return couMaxW(couMaxW(before, behind), 0.0f);
}

// Appends the points [begin, end) that are near the box, under their indices plus `base`; returns the new fill.
COU_SPECIALIZED size_t collect(const couSearch *search, const couSearchScratch *buffer, size_t fill, const Box *box,
                               const couVec4 *position, uint32_t base, const couRange *range, bool is_wrapped)
{
    // A little more than the radius: rounding here must not lose a pair that the exact test would keep.
    float limit = search->radius * search->radius * 1.00001f;
    const float *shift = range->shift;
    uint32_t end = range->end;
    for (uint32_t i = range->begin; i < end; i += COU_WIDTH) {
        uint32_t index[COU_WIDTH];
        float xs[3][COU_WIDTH];
        for (uint32_t k = 0; k < COU_WIDTH; ++k) index[k] = i + k; // may run into the padding, masked below
        couVec3W x = couLoadVectorsW(position, index);
        couVec3W d = {outside(x.x, box->lower[0], box->upper[0], shift[0], is_wrapped),
                      outside(x.y, box->lower[1], box->upper[1], shift[1], is_wrapped),
                      outside(x.z, box->lower[2], box->upper[2], shift[2], is_wrapped)};
        unsigned bits = couBitsW(couDotW(d, d) < limit);
        if (end - i < COU_WIDTH) bits &= (1u << (end - i)) - 1;
        for (uint32_t k = 0; k < COU_WIDTH; ++k) index[k] += base;
        couStore3W(xs, x);
        for (int a = 0; is_wrapped && a < 3; ++a) couStoreW(buffer->shift[a] + fill, couSetW(shift[a]));
        couCompressW((uint32_t *)buffer->x + fill, (const uint32_t *)xs[0], bits);
        couCompressW((uint32_t *)buffer->y + fill, (const uint32_t *)xs[1], bits);
        couCompressW((uint32_t *)buffer->z + fill, (const uint32_t *)xs[2], bits);
        fill += (size_t)couCompressW(buffer->index + fill, index, bits);
    }
    return fill;
}

// A part of the buffer: places [begin, end), and COU_WIDTH16 more that are far away.
typedef struct Part {
    size_t begin, end;
} Part;

COU_SPECIALIZED Part end_part(const couSearchScratch *buffer, size_t begin, size_t end, bool is_wrapped)
{
    for (size_t k = end; k < end + COU_WIDTH16; ++k) buffer->x[k] = buffer->y[k] = buffer->z[k] = 1e15f;
    for (int a = 0; is_wrapped && a < 3; ++a) memset(buffer->shift[a] + end, 0, COU_WIDTH16 * sizeof(float));
    return (Part){begin, end};
}

// Which of the buffer's places k to k + COU_WIDTH16 are within the radius.
COU_SPECIALIZED unsigned test_places(const couSearchScratch *buffer, size_t k, couVec3 xi, float limit, bool is_wrapped)
{
    couFloat16W dx = couLoad16W(buffer->x + k) - xi.x;
    couFloat16W dy = couLoad16W(buffer->y + k) - xi.y;
    couFloat16W dz = couLoad16W(buffer->z + k) - xi.z;
    if (is_wrapped) {
        dx += couLoad16W(buffer->shift[0] + k);
        dy += couLoad16W(buffer->shift[1] + k);
        dz += couLoad16W(buffer->shift[2] + k);
    }
    return couLess16W(dx * dx + dy * dy + dz * dz, limit);
}

static int pad_list(const couSearch *search, uint32_t *list, int count)
{
    int padded = (count + COU_WIDTH - 1) / COU_WIDTH * COU_WIDTH;
    for (int k = count; k < padded; ++k) list[k] = (uint32_t)search->count;
    return padded;
}

// Tests particle i, which is at place `self` of the buffer, against all of it.
COU_SPECIALIZED void list_neighbors(couSearch *search, couSearchScratch *scratch, const couSearchScratch *buffer, Part near,
                                    Part solids, uint32_t i, size_t self, bool is_wrapped)
{
    couNeighbors *neighbors = search->neighbors;
    size_t longest = COU_MIN(near.end - near.begin, (size_t)COU_MAX_NEIGHBORS) +
                     COU_MIN(solids.end - solids.begin, (size_t)COU_MAX_NEIGHBORS);
    uint32_t *list = couSearch_Room(search, scratch, longest + 4 * COU_WIDTH);
    if (!list) return;
    couVec3 xi = couXyz(search->position[i]);
    float limit = search->radius * search->radius;
    int count = 0, below = 0;
    bool is_crowded = false;
    for (size_t k = near.begin; k < near.end; k += COU_WIDTH16) {
        unsigned bits = test_places(buffer, k, xi, limit, is_wrapped);
        if (self - k < COU_WIDTH16) { // the particle itself is in this block
            bits &= ~(1u << (self - k));
            below = count + __builtin_popcount(bits & ((1u << (self - k)) - 1));
        }
        count += couCompress16W(list + count, buffer->index + k, bits);
        if (count > COU_MAX_NEIGHBORS) { // the first ones stay
            is_crowded = true;
            count = COU_MAX_NEIGHBORS;
            if (self >= k + COU_WIDTH16 || below > count) below = count;
            break;
        }
    }
    int padded = pad_list(search, list, count);
    neighbors->first[i] = list;
    neighbors->count[i] = (uint16_t)count;
    neighbors->below[i] = (uint16_t)below;

    if (search->solids) { // in the room that particles left
        int room = COU_MAX_NEIGHBORS - count, solid_count = 0;
        for (size_t k = solids.begin; k < solids.end; k += COU_WIDTH16) {
            unsigned bits = test_places(buffer, k, xi, limit, is_wrapped);
            solid_count += couCompress16W(list + padded + solid_count, buffer->index + k, bits);
            if (solid_count > room) {
                is_crowded = true;
                solid_count = room;
                break;
            }
        }
        neighbors->solid_first[i] = (uint16_t)padded;
        neighbors->solid_count[i] = (uint16_t)solid_count;
        padded += pad_list(search, list + padded, solid_count);
    }
    if (is_crowded) search->crowded_count++;
    scratch->chunk += padded;
    scratch->chunk_left -= (size_t)padded;
}

// What is around a cell.
typedef struct Surroundings {
    couRange ranges[COU_MAX_RANGES], solid_ranges[COU_MAX_RANGES];
    int count, solid_count;
    size_t candidates;
    bool is_wrapped;
} Surroundings;

static void add_ranges(Surroundings *around, const couRange *ranges, int count)
{
    for (int r = 0; r < count; ++r) {
        around->candidates += ranges[r].end - ranges[r].begin;
        around->is_wrapped = around->is_wrapped || ranges[r].is_shifted;
    }
}

// Lists the neighbours of the particles [begin, end), those of one cell.
COU_SPECIALIZED void search_cell(couSearch *search, couSearchScratch *scratch, const Surroundings *around, uint32_t begin,
                                 uint32_t end, bool is_wrapped)
{
    Box box = cell_box(search->position, begin, end);
    const couSearchScratch copy = *scratch, *buffer = &copy; // which no store can change
    size_t fill = 0, own_place = 0;
    for (int r = 0; r < around->count; ++r) {
        couRange range = around->ranges[r];
        if (begin >= range.begin && begin < range.end) { // note where the cell's own particles begin; all of them are kept
            couRange before = range;
            before.end = range.begin = begin;
            own_place = fill = collect(search, buffer, fill, &box, search->position, 0, &before, is_wrapped);
        }
        fill = collect(search, buffer, fill, &box, search->position, 0, &range, is_wrapped);
    }
    Part near = end_part(buffer, 0, fill, is_wrapped), solids = {0, 0};
    if (around->solid_count > 0) {
        const couNeighborSet *set = search->solids;
        size_t solid_begin = fill = near.end + COU_WIDTH16;
        for (int r = 0; r < around->solid_count; ++r)
            fill = collect(search, buffer, fill, &box, set->position, set->base, &around->solid_ranges[r], is_wrapped);
        solids = end_part(buffer, solid_begin, fill, is_wrapped);
    }
    for (uint32_t i = begin; i < end; ++i)
        list_neighbors(search, scratch, buffer, near, solids, i, own_place + (i - begin), is_wrapped);
}

void COU_WIDE(couSearchCells)(couSearch *search, size_t first_cell, size_t last_cell, int worker)
{
    const couGrid *grid = search->grid;
    couNeighbors *neighbors = search->neighbors;
    couSearchScratch *scratch = &neighbors->scratch[worker];
    uint64_t pairs = 0, solid_pairs = 0;
    couRows rows, solid_rows;
    couRows_Start(&rows, grid);
    if (search->solids) couRows_Start(&solid_rows, search->solids->grid);
    Surroundings around;
    for (size_t cell = first_cell; cell < last_cell; ++cell) {
        int32_t coordinates[3];
        couGrid_Coordinates(grid, grid->keys[cell], coordinates);
        around.count = couRows_Next(&rows, coordinates, around.ranges);
        around.solid_count = search->solids ? couRows_Next(&solid_rows, coordinates, around.solid_ranges) : 0;
        around.candidates = 0;
        around.is_wrapped = false;
        add_ranges(&around, around.ranges, around.count);
        add_ranges(&around, around.solid_ranges, around.solid_count);
        if (!couSearchScratch_Reserve(neighbors->memory, scratch, around.candidates)) {
            search->is_out_of_memory = true;
            return;
        }
        uint32_t begin = grid->cell_start[cell], end = grid->cell_start[cell + 1];
        if (around.is_wrapped)
            search_cell(search, scratch, &around, begin, end, true);
        else
            search_cell(search, scratch, &around, begin, end, false);
        if (search->is_out_of_memory) return;
        for (uint32_t i = begin; i < end; ++i) pairs += neighbors->count[i];
        for (uint32_t i = begin; search->solids && i < end; ++i) solid_pairs += neighbors->solid_count[i];
    }
    search->pair_count += pairs;
    search->solid_pair_count += solid_pairs;
}
