// The coarse level: places elements and nodes, and solves between the nodes by conjugate gradients. There are some hundred times
// fewer nodes than particles, so this is one thread's work.

#include "fluid/coarse.h"
#include "base/random.h"

#define ELEMENT_CELLS 3 // along an edge; a cell is as wide as the support
#define MOST_ITERATIONS 60
#define TOLERANCE 1e-2 // of the residual: what is left, the next iteration of the particles sees again

// --- Places ------------------------------------------------------------------------------------------------------------------

// Numbers things by their keys, in the order in which they are first seen: a hash table with open addressing.
typedef struct Numbers {
    uint64_t *keys;
    uint32_t *values;
    size_t mask;
    uint32_t count;
} Numbers;

static bool make_numbers(Numbers *numbers, size_t most, couArena *scratch)
{
    size_t size = 16;
    while (size < 2 * most) size *= 2;
    *numbers = (Numbers){COU_TAKE(scratch, uint64_t, size), COU_TAKE(scratch, uint32_t, size), size - 1, 0};
    if (!numbers->keys || !numbers->values) return false;
    memset(numbers->values, 0xff, size * sizeof *numbers->values);
    return true;
}

static uint32_t number_of(Numbers *numbers, uint64_t key)
{
    size_t at = couMix64(key) & numbers->mask;
    while (numbers->values[at] != UINT32_MAX && numbers->keys[at] != key) at = (at + 1) & numbers->mask;
    if (numbers->values[at] == UINT32_MAX) numbers->keys[at] = key, numbers->values[at] = numbers->count++;
    return numbers->values[at];
}

// Elements along an axis: all of the same number of cells, but where it repeats as even as whole cells allow.
typedef struct Axis {
    int32_t limit, elements; // of a period; 0: it does not repeat
    float edge, origin;      // of a cell [m]
} Axis;

static Axis make_axis(const couGrid *grid, int a)
{
    int32_t limit = grid->cell_limit[a];
    Axis axis = {limit, limit ? COU_MAX(limit / ELEMENT_CELLS, 1) : 0, grid->cell_edge[a], 0.0f};
    if (limit) axis.origin = grid->period.lower[a];
    return axis;
}

// The first cell of element e.
static int32_t first_cell(const Axis *axis, int32_t e)
{
    return axis->limit ? (int32_t)((int64_t)e * axis->limit / axis->elements) : ELEMENT_CELLS * e;
}

static int32_t element_at(const Axis *axis, int32_t cell)
{
    if (!axis->limit) return cell >= 0 ? cell / ELEMENT_CELLS : -((ELEMENT_CELLS - 1 - cell) / ELEMENT_CELLS);
    int32_t e = (int32_t)((int64_t)cell * axis->elements / axis->limit);
    while (e + 1 < axis->elements && first_cell(axis, e + 1) <= cell) ++e;
    return e;
}

static uint64_t pack(const int32_t at[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; ++a) key = key << 21 | (uint64_t)((at[a] + (1 << 20)) & 0x1fffff);
    return key;
}

static void place_element(couCoarseElement *element, const Axis axes[3], int dimension, const int32_t at[3], Numbers *nodes)
{
    for (int a = 0; a < 3; ++a) {
        int32_t begin = first_cell(&axes[a], at[a]), end = first_cell(&axes[a], at[a] + 1);
        element->lower[a] = axes[a].origin + axes[a].edge * (float)begin;
        element->inverse[a] = a < dimension ? 1.0f / (axes[a].edge * (float)(end - begin)) : 0.0f;
    }
    for (int c = 0; c < COU_CORNERS; ++c) {
        int32_t node[3];
        for (int a = 0; a < 3; ++a) {
            node[a] = at[a] + (a < dimension && (c >> a & 1));
            if (axes[a].limit && node[a] == axes[a].elements) node[a] = 0;
        }
        element->node[c] = number_of(nodes, pack(node));
    }
}

bool couCoarse_Place(couCoarse *coarse, const couGrid *grid, int dimension, couArena *scratch)
{
    *coarse = (couCoarse){.grid = grid};
    size_t cells = grid->cell_count;
    Axis axes[3] = {make_axis(grid, 0), make_axis(grid, 1), make_axis(grid, 2)};
    Numbers elements;
    uint32_t *element_of = COU_TAKE(scratch, uint32_t, cells);
    coarse->cells = COU_TAKE(scratch, uint32_t, cells);
    if (!element_of || !coarse->cells || !make_numbers(&elements, cells, scratch)) return false;
    int32_t(*places)[3] = couArena_Take(scratch, cells, sizeof *places);
    if (!places) return false;
    for (size_t c = 0; c < cells; ++c) {
        int32_t cell[3], at[3];
        couGrid_Coordinates(grid, grid->keys[c], cell);
        for (int a = 0; a < 3; ++a) at[a] = element_at(&axes[a], cell[a]);
        element_of[c] = number_of(&elements, pack(at));
        memcpy(places[element_of[c]], at, sizeof at);
    }
    size_t count = coarse->element_count = elements.count;
    Numbers nodes;
    coarse->elements = COU_TAKE(scratch, couCoarseElement, count);
    coarse->matrix = couArena_Take(scratch, count, sizeof *coarse->matrix);
    coarse->corner = couArena_Take(scratch, count, sizeof *coarse->corner);
    if (!coarse->elements || !coarse->matrix || !coarse->corner || !make_numbers(&nodes, COU_CORNERS * count, scratch))
        return false;
    for (size_t e = 0; e < count; ++e) {
        place_element(&coarse->elements[e], axes, dimension, places[e], &nodes);
        coarse->elements[e].end_cell = 0;
    }
    // Cells by element, in their own order.
    for (size_t c = 0; c < cells; ++c) coarse->elements[element_of[c]].end_cell++;
    uint32_t next = 0;
    for (size_t e = 0; e < count; ++e) {
        uint32_t size = coarse->elements[e].end_cell;
        coarse->elements[e].first_cell = coarse->elements[e].end_cell = next;
        next += size;
    }
    for (size_t c = 0; c < cells; ++c) coarse->cells[coarse->elements[element_of[c]].end_cell++] = (uint32_t)c;
    coarse->node_count = nodes.count;
    double *values = COU_TAKE(scratch, double, 5 * nodes.count);
    if (!values) return false;
    coarse->diagonal = values, coarse->right = values + nodes.count, coarse->solution = values + 2 * nodes.count;
    coarse->direction = values + 3 * nodes.count, coarse->product = values + 4 * nodes.count;
    return true;
}

// --- Solution ----------------------------------------------------------------------------------------------------------------

void couCoarse_Assemble(couCoarse *coarse)
{
    memset(coarse->diagonal, 0, coarse->node_count * sizeof *coarse->diagonal);
    for (size_t e = 0; e < coarse->element_count; ++e)
        for (int n = 0; n < COU_CORNERS; ++n) coarse->diagonal[coarse->elements[e].node[n]] += (double)coarse->matrix[e][n][n];
}

// product = A direction, element by element.
static void multiply(couCoarse *coarse)
{
    memset(coarse->product, 0, coarse->node_count * sizeof *coarse->product);
    for (size_t e = 0; e < coarse->element_count; ++e) {
        const uint32_t *node = coarse->elements[e].node;
        float x[COU_CORNERS];
        for (int n = 0; n < COU_CORNERS; ++n) x[n] = (float)coarse->direction[node[n]];
        for (int n = 0; n < COU_CORNERS; ++n) {
            float sum = 0.0f;
            for (int m = 0; m < COU_CORNERS; ++m) sum += coarse->matrix[e][n][m] * x[m];
            coarse->product[node[n]] += (double)sum;
        }
    }
}

static double weighted_square(const couCoarse *coarse)
{
    double sum = 0;
    for (size_t n = 0; n < coarse->node_count; ++n)
        if (coarse->diagonal[n] > 0) sum += coarse->right[n] * coarse->right[n] / coarse->diagonal[n];
    return sum;
}

// Conjugate gradients with the diagonal as preconditioner; `right` becomes the residual.
void couCoarse_Solve(couCoarse *coarse)
{
    size_t count = coarse->node_count;
    memset(coarse->right, 0, count * sizeof *coarse->right);
    memset(coarse->solution, 0, count * sizeof *coarse->solution);
    memset(coarse->direction, 0, count * sizeof *coarse->direction);
    for (size_t e = 0; e < coarse->element_count; ++e)
        for (int n = 0; n < COU_CORNERS; ++n) coarse->right[coarse->elements[e].node[n]] += (double)coarse->corner[e][n];
    double square = weighted_square(coarse), limit = TOLERANCE * TOLERANCE * square, turn = 0;
    for (int k = 0; k < MOST_ITERATIONS && square > limit && square > 0; ++k) {
        for (size_t n = 0; n < count; ++n)
            if (coarse->diagonal[n] > 0)
                coarse->direction[n] = coarse->right[n] / coarse->diagonal[n] + turn * coarse->direction[n];
        multiply(coarse);
        double curve = 0;
        for (size_t n = 0; n < count; ++n) curve += coarse->direction[n] * coarse->product[n];
        if (!(curve > 0)) break;
        double step = square / curve;
        for (size_t n = 0; n < count; ++n) {
            coarse->solution[n] += step * coarse->direction[n];
            coarse->right[n] -= step * coarse->product[n];
        }
        double next = weighted_square(coarse);
        turn = next / square, square = next;
    }
    for (size_t e = 0; e < coarse->element_count; ++e)
        for (int n = 0; n < COU_CORNERS; ++n) coarse->corner[e][n] = (float)coarse->solution[coarse->elements[e].node[n]];
}
