// The hot loops of springs: flow of rest lengths, eight springs of a particle at a time, and displacements, eight cells of a
// colour at a time.
//
// A particle's springs act one after the other, each on what the last one left [alg. 3]: a chain of a root and a quotient each,
// some 60 cycles a spring, that cannot go wide within the cell. But cells of a colour have nothing to do with each other. So each
// lane goes through the springs of a cell of its own, in their order, and takes the next cell when it is done: the numbers are
// those of one spring after the other.

#include "fluid/springs.h"

// The rest lengths after the flow [eq. 8], with their own rate and yield ratio for stretch and compression. No branches: which of
// the two happens is as good as random.
void COU_WIDE(couFlowSprings)(couSpringBatch *batch, int count, const couVec4 *position, size_t i, float farthest)
{
    couVec3W xi = couSet3W(couXyz(position[i]));
    for (int k = 0; k < count; k += COU_WIDTH) {
        couFloatW yield_compress, rest = couLoadW(batch->rest_length + k);
        couVec3W flow = couLoadRecordsW(batch->flow, batch->material + k, &yield_compress); // stretch, compress, yield_stretch
        couVec3W d = couSubW(couLoadVectorsW(position, batch->partner + k), xi);
        couFloatW r = couSqrtW(couDotW(d, d));
        couFloatW stretch = couMaxW(r - rest - flow.z * rest, 0.0f), squeeze = couMaxW(rest - r - yield_compress * rest, 0.0f);
        couStoreW(batch->length + k, r);
        couStoreW(batch->rest_length + k, couSelectW(r < farthest, rest + flow.x * stretch - flow.y * squeeze, rest));
    }
}

// Where a lane is: the springs left of a particle, the particles left of a cell.
typedef struct Lane {
    const couSpring *spring, *end;
    uint32_t particle, particle_end;
} Lane;

// The lane's next spring within the colouring's reach, in lane->spring; false when there is no cell left.
static bool find_spring(const couSpringSweep *sweep, Lane *lane, size_t *next_cell, size_t end_cell)
{
    for (;;) {
        for (; lane->spring < lane->end; ++lane->spring)
            if (!(lane->spring->partner & COU_SPRING_LONG)) return true;
        if (++lane->particle >= lane->particle_end) {
            if (*next_cell == end_cell) return false;
            uint32_t cell = sweep->cells[(*next_cell)++];
            lane->particle = sweep->grid->cell_start[cell], lane->particle_end = sweep->grid->cell_start[cell + 1];
        }
        int count;
        lane->spring = couSpringNet_Of(sweep->net, lane->particle, &count);
        lane->end = lane->spring + count;
    }
}

// One number of each lane, from where it lies: an array that is filled one by one and then read at once makes the processor wait.
#define EACH_LANE(value) \
    (couFloatW) { value(0), value(1), value(2), value(3), value(4), value(5), value(6), value(7) }

// Moves both ends of one spring of each lane, shares by inverse mass. The bound keeps a stiff spring from overshooting its rest
// length. Lanes from `count` on have the dummy at both ends, which lies still; a row's material is some material there too.
static inline void apply_springs(const couSpringSweep *sweep, const couSpring *const *springs, const uint32_t *i,
                                 const uint32_t *j, int count)
{
    const uint8_t *material = sweep->material;
#define REST_LENGTH(k) springs[k]->rest_length
#define OWN_STIFFNESS(k) sweep->k_spring[material[i[k]]]
#define OTHER_STIFFNESS(k) sweep->k_spring[material[j[k]]]
    couFloatW own_w, other_w, length = EACH_LANE(REST_LENGTH);
    couFloatW stiffness = 0.5f * (EACH_LANE(OWN_STIFFNESS) + EACH_LANE(OTHER_STIFFNESS));
    couVec3W a = couLoadRecordsW(sweep->position, i, &own_w), b = couLoadRecordsW(sweep->position, j, &other_w);
    couVec3W d = couSubW(b, a);
    couFloatW r = couSqrtW(couDotW(d, d));
    couFloatW strength = couMinW(sweep->dt2 * stiffness * couMaxW(1.0f - length * sweep->inv_h, 0.0f), 1.0f);
    couFloatW size = couSelectW(r > 0.0f, strength * (length - r) / (r * (own_w + other_w)), 0.0f);
    couVec4 moved[2][COU_WIDTH];
    couStoreRecordsW(moved[0], couMulAddW(a, 0.0f - size * own_w, d), own_w);
    couStoreRecordsW(moved[1], couMulAddW(b, size * other_w, d), other_w);
    for (int k = 0; k < count; ++k) sweep->position[i[k]] = moved[0][k], sweep->position[j[k]] = moved[1][k];
}

void COU_WIDE(couApplySpringCells)(const couSpringSweep *sweep, size_t begin, size_t end)
{
    const couSpring none = {.partner = (uint32_t)sweep->count}, *springs[COU_WIDTH];
    Lane lanes[COU_WIDTH] = {0};
    size_t next_cell = begin;
    uint32_t i[COU_WIDTH], j[COU_WIDTH];
    for (int count = COU_WIDTH; count > 0;) {
        for (int k = 0; k < count; ++k) {
            while (k < count && !find_spring(sweep, &lanes[k], &next_cell, end))
                lanes[k] = lanes[--count]; // the last one takes its place
            if (k == count) break;
            springs[k] = lanes[k].spring++;
            i[k] = lanes[k].particle, j[k] = springs[k]->partner;
        }
        for (int k = count; k < COU_WIDTH; ++k) springs[k] = &none, i[k] = j[k] = none.partner;
        apply_springs(sweep, springs, i, j, count);
    }
}
