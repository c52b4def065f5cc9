// Elastic forces. All models on cells are one pattern: the gradient G of the displacement in a cell, from it a stress P, from
// that the forces of its corners, -V P grad(W). With u the displacement and div = tr G:
//   cauchy  P = lambda div I + mu (G + G^T)                     [Debunne, eq. 4.27 to 4.29]
//   hybrid  P = (lambda + mu) div I + mu G                      the diagonal of the Laplacian's tensor alone [sect. 4.6]
//   green   P = F (lambda tr E I + 2 mu E), F = I + G, E = (F^T F - I) / 2
// voronoi has P = (lambda + mu) div I on its own facets, and a scalar an edge for the Laplacian [eq. 4.23, 4.24]; springs have
// edges alone. Damping adds the rate of strain times a time; for the linear models that is u + damping v in the place of u.
//
// Forces of the three on cells are found four cells at a time (cell_forces.c, elastic_wide.c); here are those of the two others,
// the energies and the stress of one cell. Double precision throughout: a solid far from the origin turns without creating
// forces.

#include "soft/elastic.h"

#include "base/random.h"

enum { BLOCK = 1024 };

// --- Building ----------------------------------------------------------------------------------------------------------------

static bool is_on_cells(couSolidModel model)
{
    return model == cou_solidCauchy || model == cou_solidHybrid || model == cou_solidGreen;
}

static bool build_elements(couElastic *elastic)
{
    const couSolidMesh *mesh = elastic->mesh;
    elastic->elements = couAlloc(elastic->memory, mesh->cell_count * sizeof *elastic->elements);
    if (!elastic->elements) return false;
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS], gradients[COU_MAX_CORNERS];
        couSolidMesh_Corners(mesh, c, p);
        elastic->elements[c].volume = couCellGradients(mesh->dimension, p, gradients);
        memcpy(elastic->elements[c].gradient, &gradients[1], sizeof elastic->elements[c].gradient);
    }
    return true;
}

// Links both ways from pairs of points, in the order of the pairs; `area` is what becomes the weight.
static bool build_links(couElastic *elastic, const couFacet *pairs, size_t count)
{
    const couSolidMesh *mesh = elastic->mesh;
    elastic->link_start = couAlloc(elastic->memory, (mesh->point_count + 2) * sizeof *elastic->link_start);
    elastic->links = couAlloc(elastic->memory, (2 * count + 1) * sizeof *elastic->links);
    if (!elastic->link_start || !elastic->links) return false;
    uint32_t *next = elastic->link_start + 1; // each point's start, until it has become the next one's
    for (size_t k = 0; k < count; ++k) next[pairs[k].low + 1]++, next[pairs[k].high + 1]++;
    for (size_t i = 0; i < mesh->point_count; ++i) next[i + 1] += next[i];
    for (size_t k = 0; k < count; ++k) {
        uint32_t a = pairs[k].low, b = pairs[k].high;
        float rest = couLength(couSub(mesh->points[a], mesh->points[b]));
        elastic->links[next[a]++] = (couLink){b, rest, pairs[k].area};
        elastic->links[next[b]++] = (couLink){a, rest, pairs[k].area};
    }
    return true;
}

static bool build_voronoi(couElastic *elastic, const couRegions *regions)
{
    const couSolidMesh *mesh = elastic->mesh;
    couFacet *pairs = couAlloc(NULL, (regions->facet_count + 1) * sizeof *pairs);
    elastic->piece_start = couAlloc(elastic->memory, (mesh->point_count + 2) * sizeof *elastic->piece_start);
    elastic->pieces = couAlloc(elastic->memory, (regions->piece_count + 1) * sizeof *elastic->pieces);
    elastic->divergences = couAlloc(elastic->memory, mesh->cell_count * sizeof *elastic->divergences);
    bool is_good = pairs && elastic->piece_start && elastic->pieces && elastic->divergences;
    if (is_good) {
        for (size_t k = 0; k < regions->facet_count; ++k) {
            pairs[k] = regions->facets[k];
            pairs[k].area /= couLength3(couSub3(couWiden(mesh->points[pairs[k].low]), couWiden(mesh->points[pairs[k].high])));
        }
        is_good = build_links(elastic, pairs, regions->facet_count);
        memcpy(elastic->pieces, regions->pieces, regions->piece_count * sizeof *elastic->pieces);
        for (size_t k = 0; k < regions->piece_count; ++k) elastic->piece_start[regions->pieces[k].point + 1]++;
        for (size_t i = 0; i < mesh->point_count; ++i) elastic->piece_start[i + 1] += elastic->piece_start[i];
    }
    couFree(NULL, pairs);
    return is_good;
}

static const couFacet *find_pair(const couFacet *pairs, size_t count, uint32_t low, uint32_t high)
{
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (pairs[middle].low < low || (pairs[middle].low == low && pairs[middle].high < high))
            from = middle + 1;
        else
            to = middle;
    }
    return &pairs[from];
}

// Stiffness by the rule; for Van Gelder's `area` first sums up the volumes at the edge.
static bool build_springs(couElastic *elastic)
{
    const couSolidMesh *mesh = elastic->mesh;
    couFacet *pairs = couAlloc(NULL, (mesh->edge_count + 1) * sizeof *pairs);
    if (!pairs) return false;
    for (size_t e = 0; e < mesh->edge_count; ++e) pairs[e] = (couFacet){mesh->edges[2 * e], mesh->edges[2 * e + 1], 0};
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couDouble3 p[COU_MAX_CORNERS];
        couSolidMesh_Corners(mesh, c, p);
        double volume = couCellVolume(mesh->dimension, p);
        const uint32_t *n = &mesh->cells[c * (size_t)mesh->corners];
        for (int a = 0; a < mesh->corners; ++a)
            for (int b = a + 1; b < mesh->corners; ++b) {
                uint32_t low = COU_MIN(n[a], n[b]), high = COU_MAX(n[a], n[b]);
                ((couFacet *)find_pair(pairs, mesh->edge_count, low, high))->area += volume;
            }
    }
    for (size_t e = 0; e < mesh->edge_count; ++e) {
        double l0 = couLength3(couSub3(couWiden(mesh->points[pairs[e].low]), couWiden(mesh->points[pairs[e].high])));
        const double factors[] = {1.0, l0, 1.0 / l0, pairs[e].area / (l0 * l0)};
        pairs[e].area = elastic->def.spring * factors[elastic->def.rule];
    }
    bool is_good = build_links(elastic, pairs, mesh->edge_count);
    couFree(NULL, pairs);
    return is_good;
}

bool couElastic_Build(couElastic *elastic, couMemory *memory, const couSolidMesh *mesh, const couRegions *regions,
                      const couElasticDef *def, couFaults *faults)
{
    *elastic = (couElastic){.memory = memory, .mesh = mesh, .def = *def};
    bool is_good = true;
    if (is_on_cells(def->model)) is_good = couCellForces_Build(&elastic->cells, memory, mesh);
    if (def->model == cou_solidVoronoi) is_good = build_elements(elastic) && build_voronoi(elastic, regions);
    if (is_good && def->model == cou_solidSpring) is_good = build_springs(elastic);
    if (!is_good) {
        couFaults_Add(faults, NULL, "solid", "out of memory for %zu cells", mesh->cell_count);
        couElastic_Free(elastic);
    }
    return is_good;
}

void couElastic_Free(couElastic *elastic)
{
    couMemory *memory = elastic->memory;
    couFree(memory, elastic->elements);
    couFree(memory, elastic->divergences);
    couFree(memory, elastic->link_start);
    couFree(memory, elastic->piece_start);
    couFree(memory, elastic->links);
    couFree(memory, elastic->pieces);
    couCellForces_Free(&elastic->cells);
    *elastic = (couElastic){0};
}

static couDouble3 turn(couQuat q, couDouble3 v)
{
    couDouble3 u = {q.x, q.y, q.z}, t = couScale3(2.0, couCross3(u, v));
    return couAdd3(couMulAdd3(v, (double)q.w, t), couCross3(u, t));
}

void couElastic_Turn(couElastic *elastic, couQuat rotation)
{
    const couSolidMesh *mesh = elastic->mesh;
    for (size_t c = 0; elastic->elements && c < mesh->cell_count; ++c)
        for (int k = 0; k < 3; ++k) elastic->elements[c].gradient[k] = turn(rotation, elastic->elements[c].gradient[k]);
    for (size_t g = 0; g < elastic->cells.group_count; ++g)
        for (int k = 0; k < 3 * COU_DOUBLE_WIDTH; ++k) {
            int lane = k % COU_DOUBLE_WIDTH;
            double(*parts)[COU_DOUBLE_WIDTH] = elastic->cells.groups[g].gradient[k / COU_DOUBLE_WIDTH];
            couDouble3 turned = turn(rotation, (couDouble3){parts[0][lane], parts[1][lane], parts[2][lane]});
            parts[0][lane] = turned.x, parts[1][lane] = turned.y, parts[2][lane] = turned.z;
        }
    size_t pieces = elastic->pieces ? elastic->piece_start[mesh->point_count] : 0;
    for (size_t k = 0; k < pieces; ++k) elastic->pieces[k].area = turn(rotation, elastic->pieces[k].area);
}

// A cell at rest, wherever it is kept.
static couElement element_of(const couElastic *elastic, size_t cell)
{
    if (elastic->elements) return elastic->elements[cell];
    size_t slot = elastic->cells.slots[cell], lane = slot % COU_DOUBLE_WIDTH;
    const couCellGroup *group = &elastic->cells.groups[slot / COU_DOUBLE_WIDTH];
    couElement element = {.volume = group->volume[lane]};
    for (int k = 0; k < 3; ++k)
        element.gradient[k] = (couDouble3){group->gradient[k][0][lane], group->gradient[k][1][lane], group->gradient[k][2][lane]};
    return element;
}

// --- One cell ----------------------------------------------------------------------------------------------------------------

/// Rows are components, columns derivatives.
typedef struct Matrix {
    couDouble3 x, y, z;
} Matrix;

static inline Matrix add_outer(Matrix m, couDouble3 a, couDouble3 b)
{
    return (Matrix){couMulAdd3(m.x, a.x, b), couMulAdd3(m.y, a.y, b), couMulAdd3(m.z, a.z, b)};
}

static inline couDouble3 apply(const Matrix *m, couDouble3 a)
{
    return (couDouble3){couDot3(m->x, a), couDot3(m->y, a), couDot3(m->z, a)};
}

static inline Matrix transpose(const Matrix *m)
{
    return (Matrix){{m->x.x, m->y.x, m->z.x}, {m->x.y, m->y.y, m->z.y}, {m->x.z, m->y.z, m->z.z}};
}

static inline Matrix multiply(const Matrix *a, const Matrix *b)
{
    Matrix t = transpose(b);
    return (Matrix){apply(&t, a->x), apply(&t, a->y), apply(&t, a->z)};
}

static inline double trace(const Matrix *m) { return m->x.x + m->y.y + m->z.z; }

static inline Matrix scale_add(double s, const Matrix *a, double t, const Matrix *b)
{
    return (Matrix){couMulAdd3(couScale3(s, a->x), t, b->x), couMulAdd3(couScale3(s, a->y), t, b->y),
                    couMulAdd3(couScale3(s, a->z), t, b->z)};
}

static inline Matrix add_diagonal(Matrix m, double d)
{
    m.x.x += d, m.y.y += d, m.z.z += d;
    return m;
}

// Displacement of a point, with what its velocity counts for.
static inline couDouble3 displacement(const couElasticState *state, double damping, uint32_t i)
{
    couDouble3 u = couSub3(state->position[i], state->rest[i]);
    return damping > 0 ? couMulAdd3(u, damping, state->velocity[i]) : u;
}

// Gradient of the displacement in a cell.
static inline Matrix gradient(const couElement *element, const uint32_t *n, int corners, const couElasticState *state,
                              double damping)
{
    couDouble3 u0 = displacement(state, damping, n[0]);
    Matrix g = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int k = 1; k < corners; ++k) g = add_outer(g, couSub3(displacement(state, damping, n[k]), u0), element->gradient[k - 1]);
    return g;
}

// (G + G^T + G^T G) / 2, which is (F^T F - I) / 2 without the loss of digits.
static inline Matrix green_strain(const Matrix *g)
{
    Matrix t = transpose(g), sum = scale_add(0.5, g, 0.5, &t), square = multiply(&t, g);
    return scale_add(1.0, &sum, 0.5, &square);
}

// Second Piola-Kirchhoff stress of a strain.
static inline Matrix hooke(const couElasticDef *def, const Matrix *strain)
{
    Matrix s = scale_add(2.0 * def->mu, strain, 0.0, strain);
    return add_diagonal(s, def->lambda * trace(strain));
}

// --- Forces ------------------------------------------------------------------------------------------------------------------

typedef struct ForceJob {
    couElastic *elastic;
    couElasticState state;
    couDouble3 *forces;
    bool is_linear; // about the rest: green as cauchy, springs in the directions they have at rest
} ForceJob;

static void divergence_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ForceJob *job = context;
    couElastic *elastic = job->elastic;
    for (size_t c = begin; c < end; ++c) {
        const uint32_t *n = &elastic->mesh->cells[c * (size_t)elastic->mesh->corners];
        Matrix g = gradient(&elastic->elements[c], n, elastic->mesh->corners, &job->state,
                            job->is_linear ? 0.0 : elastic->def.damping);
        elastic->divergences[c] = trace(&g);
    }
}

// mu lap(u) + (lambda + mu) grad(div u), times the region's volume [Debunne, eq. 4.26].
static couDouble3 voronoi_force(const ForceJob *job, uint32_t i)
{
    const couElastic *elastic = job->elastic;
    double damping = job->is_linear ? 0.0 : elastic->def.damping;
    couDouble3 laplacian = {0, 0, 0}, grad_div = {0, 0, 0}, u = displacement(&job->state, damping, i);
    for (uint32_t k = elastic->link_start[i]; k < elastic->link_start[i + 1]; ++k) {
        const couLink *link = &elastic->links[k];
        laplacian = couMulAdd3(laplacian, link->weight, couSub3(displacement(&job->state, damping, link->other), u));
    }
    for (uint32_t k = elastic->piece_start[i]; k < elastic->piece_start[i + 1]; ++k)
        grad_div = couMulAdd3(grad_div, elastic->divergences[elastic->pieces[k].cell], elastic->pieces[k].area);
    double both = elastic->def.lambda + elastic->def.mu;
    return couMulAdd3(couScale3(elastic->def.mu, laplacian), both, grad_div);
}

static couDouble3 spring_force(const ForceJob *job, uint32_t i)
{
    const couElastic *elastic = job->elastic;
    const couElasticState *state = &job->state;
    couDouble3 sum = {0, 0, 0};
    for (uint32_t k = elastic->link_start[i]; k < elastic->link_start[i + 1]; ++k) {
        const couLink *link = &elastic->links[k];
        couDouble3 rest = couSub3(state->rest[link->other], state->rest[i]);
        couDouble3 way = job->is_linear ? rest : couSub3(state->position[link->other], state->position[i]);
        double length = couLength3(way), l0 = couLength3(rest);
        if (!(length > 0)) continue; // two points in one place push nowhere
        couDouble3 direction = couScale3(1.0 / length, way);
        double stretch = length - l0;
        if (job->is_linear) {
            couDouble3 u = couSub3(displacement(state, 0.0, link->other), displacement(state, 0.0, i));
            stretch = couDot3(direction, u);
        } else if (elastic->def.damping > 0) {
            stretch += elastic->def.damping * couDot3(direction, couSub3(state->velocity[link->other], state->velocity[i]));
        }
        sum = couMulAdd3(sum, link->weight * stretch, direction);
    }
    return sum;
}

static void point_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const ForceJob *job = context;
    bool is_voronoi = job->elastic->def.model == cou_solidVoronoi;
    for (size_t i = begin; i < end; ++i)
        job->forces[i] = is_voronoi ? voronoi_force(job, (uint32_t)i) : spring_force(job, (uint32_t)i);
}

static void find_forces(const ForceJob *job, const couParallel *parallel)
{
    couElastic *elastic = job->elastic;
    const couElasticDef *def = &elastic->def;
    if (is_on_cells(def->model)) {
        bool is_green = def->model == cou_solidGreen && !job->is_linear;
        couCellMotion motion = {.rest = job->state.rest,
                                .position = job->state.position,
                                .velocity = job->state.velocity,
                                .law = is_green                        ? cou_lawGreen
                                       : def->model == cou_solidHybrid ? cou_lawHybrid
                                                                       : cou_lawCauchy,
                                .lambda = def->lambda,
                                .mu = def->mu,
                                .damping = job->is_linear ? 0.0 : def->damping};
        couCellForces_Find(&elastic->cells, parallel, elastic->mesh->point_count, &motion, job->forces);
        return;
    }
    if (def->model == cou_solidVoronoi) couFor(parallel, elastic->mesh->cell_count, BLOCK, divergence_block, (void *)job);
    couFor(parallel, elastic->mesh->point_count, BLOCK, point_block, (void *)job);
}

void couElastic_Forces(couElastic *elastic, const couParallel *parallel, couElasticState state, couDouble3 *forces)
{
    COU_ASSERT(state.velocity || elastic->def.damping == 0);
    find_forces(&(ForceJob){elastic, state, forces, false}, parallel);
}

// --- Frequencies -------------------------------------------------------------------------------------------------------------

// Power iteration on M^-1 K. From a random start it comes within a few per cent from below: the last factor is for that.
double couElastic_MaxFrequency(couElastic *elastic, const couParallel *parallel, const couDouble3 *rest, const double *masses)
{
    enum { ROUNDS = 120 };
    size_t count = elastic->mesh->point_count;
    couDouble3 *u = couAlloc(NULL, count * sizeof *u), *forces = couAlloc(NULL, count * sizeof *forces);
    couDouble3 *places = couAlloc(NULL, count * sizeof *places);
    double omega2 = 0;
    if (u && forces && places) {
        couRandom random = {7};
        for (size_t i = 0; i < count; ++i)
            u[i] = (couDouble3){(double)couRandomSigned(&random), (double)couRandomSigned(&random),
                                elastic->mesh->dimension == 3 ? (double)couRandomSigned(&random) : 0};
        couElasticState state = {rest, places, NULL};
        for (int round = 0; round < ROUNDS; ++round) {
            double norm2 = 0, next2 = 0;
            // Displacements are differences of places, so the rest is added for the time of the product.
            for (size_t i = 0; i < count; ++i) places[i] = couAdd3(rest[i], u[i]);
            find_forces(&(ForceJob){elastic, state, forces, true}, parallel);
            for (size_t i = 0; i < count; ++i) {
                norm2 += masses[i] * couDot3(u[i], u[i]);
                u[i] = couScale3(-1.0 / masses[i], forces[i]);
                next2 += masses[i] * couDot3(u[i], u[i]);
            }
            omega2 = sqrt(next2 / norm2);
            if (!(next2 > 0)) break; // nothing is stiff
            double scale = 1.0 / sqrt(next2);
            for (size_t i = 0; i < count; ++i) u[i] = couScale3(scale, u[i]);
        }
    } else {
        omega2 = NAN;
    }
    couFree(NULL, u);
    couFree(NULL, forces);
    couFree(NULL, places);
    return 1.03 * sqrt(omega2);
}

// The roots of z^2 - (2 - T w^2 dt - w^2 dt^2) z + 1 - T w^2 dt stay within the unit circle while 2 T w^2 dt + w^2 dt^2 <= 4.
double couStableStep(double frequency, double damping)
{
    return frequency > 0 ? sqrt(damping * damping + 4.0 / (frequency * frequency)) - damping : INFINITY;
}

// --- Energy and stress -------------------------------------------------------------------------------------------------------

static double energy_density(const couElasticDef *def, const Matrix *g)
{
    if (def->model == cou_solidHybrid) {
        double div = trace(g), square = couDot3(g->x, g->x) + couDot3(g->y, g->y) + couDot3(g->z, g->z);
        return 0.5 * (def->lambda + def->mu) * div * div + 0.5 * def->mu * square;
    }
    Matrix t = transpose(g), e = def->model == cou_solidGreen ? green_strain(g) : scale_add(0.5, g, 0.5, &t);
    double square = couDot3(e.x, e.x) + couDot3(e.y, e.y) + couDot3(e.z, e.z), tr = trace(&e);
    return 0.5 * def->lambda * tr * tr + def->mu * square;
}

double couElastic_Energy(const couElastic *elastic, couElasticState state)
{
    const couSolidMesh *mesh = elastic->mesh;
    double energy = 0;
    if (elastic->def.model == cou_solidVoronoi) return NAN;
    if (elastic->def.model == cou_solidSpring) {
        for (uint32_t i = 0; i < mesh->point_count; ++i)
            for (uint32_t k = elastic->link_start[i]; k < elastic->link_start[i + 1]; ++k) {
                const couLink *link = &elastic->links[k];
                if (link->other < i) continue;
                double stretch = couLength3(couSub3(state.position[link->other], state.position[i])) -
                                 couLength3(couSub3(state.rest[link->other], state.rest[i]));
                energy += 0.5 * link->weight * stretch * stretch;
            }
        return energy;
    }
    for (size_t c = 0; c < mesh->cell_count; ++c) {
        couElement element = element_of(elastic, c);
        Matrix g = gradient(&element, &mesh->cells[c * (size_t)mesh->corners], mesh->corners, &state, 0.0);
        energy += element.volume * energy_density(&elastic->def, &g);
    }
    return energy;
}

static void pack(const Matrix *m, double out[6])
{
    const double values[6] = {m->x.x, m->y.y, m->z.z, 0.5 * (m->x.y + m->y.x), 0.5 * (m->x.z + m->z.x), 0.5 * (m->y.z + m->z.y)};
    memcpy(out, values, sizeof values);
}

void couElastic_Stress(const couElastic *elastic, couElasticState state, size_t cell, double stress[6], double strain[6])
{
    memset(stress, 0, 6 * sizeof *stress);
    memset(strain, 0, 6 * sizeof *strain);
    if (elastic->def.model == cou_solidSpring) return;
    const couSolidMesh *mesh = elastic->mesh;
    const couElasticDef *def = &elastic->def;
    couElement element = element_of(elastic, cell);
    Matrix g = gradient(&element, &mesh->cells[cell * (size_t)mesh->corners], mesh->corners, &state, 0.0);
    if (def->model != cou_solidGreen) {
        Matrix t = transpose(&g), e = scale_add(0.5, &g, 0.5, &t), s = hooke(def, &e);
        pack(&e, strain);
        pack(&s, stress);
        return;
    }
    Matrix f = add_diagonal(g, 1.0), e = green_strain(&g), s = hooke(def, &e), t = transpose(&f);
    Matrix p = multiply(&f, &s), sigma = multiply(&p, &t);
    double volume = couDot3(f.x, couCross3(f.y, f.z)); // now / at rest
    Matrix cauchy = scale_add(1.0 / (fabs(volume) > 1e-9 ? volume : 1e-9), &sigma, 0.0, &sigma);
    pack(&e, strain);
    pack(&cauchy, stress);
}

double couVonMises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}
