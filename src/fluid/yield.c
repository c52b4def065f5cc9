// How free bodies give way to pressures.

#include "fluid/yield.h"

#include "fluid/soft_samples.h"
#include "fluid/sph.h"
#include "rigid/impulse.h"

enum { MOST_HOLDS = 512 }; // rows: more than that in one pile are left to the rigid solver
enum { MOST_CUTS = 6 };    // times that the cut pressures are looked for again

// --- Links -------------------------------------------------------------------------------------------------------------------

// Who is near whom, while it is found.
typedef struct FindJob {
    const couFluid *fluid;
    const couSphLoop *loop;
    const int32_t *order; // per body: among those that yield; -1 for others
    size_t *starts;       // per block: links before it; their number at first
    size_t *walls;        // likewise: particles near solids
    couBodyLink *links;   // NULL: count alone
    uint32_t *owners;     // per link
} FindJob;

// Adds a pair's gradient to the link of its body, which may be new: those of the particle are from `first` on.
static size_t add_pair(const FindJob *job, size_t first, size_t next, uint32_t order, couVec3 arm, couVec3 gradient)
{
    size_t k = first;
    while (k < next && job->owners[k] != order) ++k;
    couBodyLink *link = &job->links[k];
    if (k == next) {
        job->owners[next++] = order;
        *link = (couBodyLink){.bodies = 1.0f};
    }
    couVec3 moment = couCross(arm, gradient);
    const float wrench[6] = {gradient.x, gradient.y, gradient.z, moment.x, moment.y, moment.z};
    for (int a = 0; a < 6; ++a) link->wrench[a] += wrench[a];
    link->samples += 1.0f;
    return next;
}

static size_t link_particle(const FindJob *job, size_t i, size_t first, uint32_t wall)
{
    const couFluid *fluid = job->fluid;
    const couNeighbors *neighbors = &fluid->neighbors;
    const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i], *body = couBoundary_Body(&fluid->boundary);
    const couPairBlock *pairs = job->loop->pairs + job->loop->pair_start[i] + neighbors->solid_first[i] / COU_WIDTH;
    const couWallRows *walls = job->loop->walls_own;
    float scale = job->loop->gradient_scale[1];
    size_t next = first;
    for (int k = 0; k < neighbors->solid_count[i]; ++k) {
        uint32_t place = body[list[k] - fluid->solid_base];
        if (job->order[place] < 0) continue;
        const couPairBlock *pair = &pairs[k / COU_WIDTH];
        int lane = k % COU_WIDTH;
        couVec3 stored = {pair->x[lane], pair->y[lane], pair->z[lane]}, gradient = couScale(scale, stored);
        if (walls) { // the sample's pressure is this particle's as well
            size_t row = list[k] - job->loop->count;
            gradient = couMulAdd(gradient, walls->share[row] * couDot(stored, stored), couXyz(walls->push[row]));
        }
        couVec3 arm = couSub(couXyz(job->loop->position[list[k]]), couBodyAt(fluid, place)->start_center);
        next = add_pair(job, first, next, (uint32_t)job->order[place], arm, gradient);
    }
    for (size_t k = first; k < next; ++k) {
        couBodyLink *link = &job->links[k];
        link->particle = (uint32_t)i, link->wall = wall, link->bodies = (float)(next - first);
        link->samples /= (float)neighbors->solid_count[i];
    }
    return next;
}

// How many free bodies a particle is near: at most as many as it has samples of them.
static size_t count_links(const FindJob *job, size_t i)
{
    const couNeighbors *neighbors = &job->fluid->neighbors;
    const uint32_t *list = neighbors->first[i] + neighbors->solid_first[i], *body = couBoundary_Body(&job->fluid->boundary);
    size_t count = 0;
    for (int k = 0; k < neighbors->solid_count[i]; ++k) {
        uint32_t place = body[list[k] - job->fluid->solid_base];
        if (job->order[place] < 0) continue;
        int before = 0;
        while (before < k && body[list[before] - job->fluid->solid_base] != place) ++before;
        count += before == k;
    }
    return count;
}

static void find_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)worker;
    const FindJob *job = context;
    size_t next = job->links ? job->starts[block] : 0, wall = job->links ? job->walls[block] : 0;
    for (size_t i = begin; i < end; ++i) {
        if (!job->fluid->neighbors.solid_count[i]) continue;
        next = job->links ? link_particle(job, i, next, (uint32_t)wall) : next + count_links(job, i);
        ++wall;
    }
    if (!job->links) job->starts[block] = next, job->walls[block] = wall;
}

// By body; the order of particles stays.
static bool sort_links(couYield *yield, couArena *scratch, const couBodyLink *found, const uint32_t *owners)
{
    yield->links = COU_TAKE(scratch, couBodyLink, yield->link_count);
    if (!yield->links) return false;
    for (size_t k = 0; k < yield->link_count; ++k) yield->bodies[owners[k]].end++; // numbers at first
    size_t next = 0;
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        size_t count = body->end;
        body->begin = body->end = next;
        next += count;
    }
    for (size_t k = 0; k < yield->link_count; ++k) yield->links[yield->bodies[owners[k]].end++] = found[k];
    return true;
}

static bool find_links(couYield *yield, couStep *step, const int32_t *order)
{
    couFluid *fluid = step->fluid;
    size_t count = fluid->table.count, blocks = (size_t)couBlockCount(count, COU_SPH_BLOCK);
    couSphLoop loop = couSph_Loop(step);
    FindJob job = {fluid, &loop, order, COU_TAKE(fluid->scratch, size_t, blocks), COU_TAKE(fluid->scratch, size_t, blocks),
                   NULL,  NULL};
    if (!job.starts || !job.walls) return false;
    couFor(&fluid->parallel, count, COU_SPH_BLOCK, find_block, &job);
    yield->link_count = couSumToStarts(job.starts, blocks);
    couSumToStarts(job.walls, blocks);
    job.links = COU_TAKE(fluid->scratch, couBodyLink, yield->link_count + 1);
    job.owners = COU_TAKE(fluid->scratch, uint32_t, yield->link_count + 1);
    if (!job.links || !job.owners) return false;
    couFor(&fluid->parallel, count, COU_SPH_BLOCK, find_block, &job);
    return sort_links(yield, fluid->scratch, job.links, job.owners);
}

// The samples of these bodies.
static bool find_rows(couYield *yield, couFluid *fluid, const int32_t *order)
{
    const uint32_t *body = couBoundary_Body(&fluid->boundary);
    size_t solids = fluid->boundary.table.count, next = 0;
    for (size_t k = 0; k < solids; ++k)
        if (order[body[k]] >= 0) yield->bodies[order[body[k]]].row_end++;
    for (size_t b = 0; b < yield->body_count; ++b) {
        size_t count = yield->bodies[b].row_end;
        yield->bodies[b].row_begin = yield->bodies[b].row_end = next;
        next += count;
    }
    yield->rows = COU_TAKE(fluid->scratch, uint32_t, next + 1);
    if (!yield->rows) return false;
    for (size_t k = 0; k < solids; ++k)
        if (order[body[k]] >= 0) yield->rows[yield->bodies[order[body[k]]].row_end++] = (uint32_t)k;
    return true;
}

// V rho_ref times the inverse of mass and inertia.
static void invert_mass(const couFluid *fluid, couYieldingBody *body)
{
    const couSphState *state = fluid->method_state;
    double unit = (double)state->volume * (double)state->reference_density;
    for (int a = 0; a < 6; ++a) {
        couImpulseSystem system = {0};
        double column[6] = {0};
        system.right[a] = unit;
        couImpulseSystem_AddBody(&system, couBodyAt(fluid, body->place), fluid->dimension);
        if (!couImpulseSystem_Solve(&system, column)) memset(column, 0, sizeof column);
        for (int b = 0; b < 6; ++b) body->inverse[b][a] = column[b];
    }
}

void couYield_Free(couYield *yield, couMemory *memory) { COU_FREE_ARRAY(memory, &yield->holds); }

// Contacts and joints of bodies that yield.
static bool find_holds(couYield *yield, couFluid *fluid, const int32_t *order)
{
    if (!couFindHolds(fluid->bodies, &yield->holds)) return false;
    size_t count = COU_MIN(yield->holds.count, (size_t)MOST_HOLDS);
    yield->held = COU_TAKE(fluid->scratch, uint32_t, count + 1);
    yield->ends = couArena_Take(fluid->scratch, count + 1, sizeof *yield->ends);
    yield->factor = COU_TAKE(fluid->scratch, double, count *count + 1);
    yield->reaction = COU_TAKE(fluid->scratch, double, count + 1);
    if (!yield->held || !yield->ends || !yield->factor || !yield->reaction) return false;
    for (size_t k = 0; k < count; ++k)
        for (int e = 0; e < 2; ++e) {
            int body = yield->holds.items[k].body[e];
            yield->ends[k][e] = body >= 0 ? order[body] : -1;
        }
    yield->holds.count = count;
    return true;
}

bool couYield_Find(couYield *yield, couStep *step)
{
    couFluid *fluid = step->fluid;
    size_t places = couPlaceCount(fluid);
    *yield = (couYield){.holds = yield->holds};
    bool has_free = fluid->bodies->free_count || fluid->softs.count;
    if (!has_free || !fluid->boundary.table.count || !fluid->table.count) return true;
    int32_t *order = COU_TAKE(fluid->scratch, int32_t, places);
    yield->bodies = COU_TAKE(fluid->scratch, couYieldingBody, places);
    if (!order || !yield->bodies) return false;
    memset(yield->bodies, 0, places * sizeof *yield->bodies);
    for (size_t b = 0; b < places; ++b) {
        const couBody *body = couBodyAt(fluid, b);
        bool yields = couIsFree(body) && !body->is_asleep;
        order[b] = yields ? (int32_t)yield->body_count : -1;
        if (yields) yield->bodies[yield->body_count++].place = (uint32_t)b;
    }
    if (!yield->body_count) return true;
    if (!find_links(yield, step, order) || !find_rows(yield, fluid, order)) return false;
    for (size_t b = 0; b < yield->body_count; ++b) invert_mass(fluid, &yield->bodies[b]);
    return !yield->link_count || find_holds(yield, fluid, order);
}

// --- Six numbers a body ------------------------------------------------------------------------------------------------------

static void multiply(double m[6][6], const double v[6], double out[6])
{
    for (int a = 0; a < 6; ++a) {
        out[a] = 0;
        for (int b = 0; b < 6; ++b) out[a] += m[a][b] * v[b];
    }
}

typedef struct LoadJob {
    couYield *yield;
    const float *values; // per particle
} LoadJob;

static void load_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const LoadJob *job = context;
    for (size_t b = begin; b < end; ++b) {
        couYieldingBody *body = &job->yield->bodies[b];
        memset(body->load, 0, sizeof body->load);
        for (size_t k = body->begin; k < body->end; ++k) {
            const couBodyLink *link = &job->yield->links[k];
            float value = job->values[link->particle];
            for (int a = 0; a < 6; ++a) body->load[a] += (double)(value * link->wrench[a]);
        }
    }
}

// J^T values
static void find_loads(couYield *yield, const couFluid *fluid, const float *values)
{
    LoadJob job = {yield, values};
    couFor(&fluid->parallel, yield->body_count, 1, load_block, &job);
}

// --- Holds -------------------------------------------------------------------------------------------------------------------

// How fast a row's bodies move along it: those that yield by what `response` says, others as they do.
static double along(const couYield *yield, const couBodies *bodies, size_t k, bool has_others)
{
    const couBodyHold *hold = &yield->holds.items[k];
    double sum = 0;
    for (int e = 0; e < 2; ++e) {
        if (yield->ends[k][e] >= 0) sum += couDot6(hold->row[e], yield->bodies[yield->ends[k][e]].response);
        if (yield->ends[k][e] >= 0 || hold->body[e] < 0 || !has_others) continue;
        const couBody *other = &bodies->items[hold->body[e]];
        if (other->kind != cou_rigidDriven) continue;
        const double u[6] = {other->state.velocity[0], other->state.velocity[1], other->state.velocity[2],
                             other->state.spin[0],     other->state.spin[1],     other->state.spin[2]};
        sum += couDot6(hold->row[e], u);
    }
    return sum;
}

// row_k C row_l over the bodies that both have.
static double couple_rows(const couYield *yield, size_t k, size_t l)
{
    double sum = 0;
    for (int e = 0; e < 2; ++e)
        for (int f = 0; f < 2; ++f) {
            int32_t body = yield->ends[k][e];
            if (body < 0 || body != yield->ends[l][f]) continue;
            double moved[6];
            multiply(yield->bodies[body].inverse, yield->holds.items[l].row[f], moved);
            sum += couDot6(yield->holds.items[k].row[e], moved);
        }
    return sum;
}

// H C H^T = L L^T. Rows that others imply get hardly any weight of their own.
static void factorise(couYield *yield)
{
    size_t n = yield->held_count;
    double *m = yield->factor;
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j <= i; ++j) {
            double sum = couple_rows(yield, yield->held[i], yield->held[j]), own = sum;
            if (i == j) sum *= 1 + 1e-6;
            for (size_t k = 0; k < j; ++k) sum -= m[i * n + k] * m[j * n + k];
            if (i == j)
                m[i * n + i] = sqrt(COU_MAX(sum, COU_MAX(1e-9 * own, 1e-300)));
            else
                m[i * n + j] = sum / m[j * n + j];
        }
}

// Takes off the responses what is held.
static void project(couYield *yield, const couBodies *bodies, bool has_others)
{
    size_t n = yield->held_count;
    const double *m = yield->factor;
    double *x = yield->reaction;
    for (size_t i = 0; i < n; ++i) {
        x[i] = along(yield, bodies, yield->held[i], has_others);
        for (size_t k = 0; k < i; ++k) x[i] -= m[i * n + k] * x[k];
        x[i] /= m[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; ++k) x[i] -= m[k * n + i] * x[k];
        x[i] /= m[i * n + i];
    }
    for (size_t i = 0; i < n; ++i)
        for (int e = 0; e < 2; ++e) {
            int32_t b = yield->ends[yield->held[i]][e];
            if (b < 0) continue;
            double moved[6];
            multiply(yield->bodies[b].inverse, yield->holds.items[yield->held[i]].row[e], moved);
            for (int a = 0; a < 6; ++a) yield->bodies[b].response[a] -= x[i] * moved[a];
        }
}

// Those that hold at these velocities (of `response`): joints, and contacts whose bodies approach, with their friction.
static void choose_holds(couYield *yield, const couBodies *bodies)
{
    yield->held_count = 0;
    bool is_loaded = false;
    for (size_t k = 0; k < yield->holds.count; ++k) {
        const couBodyHold *hold = &yield->holds.items[k];
        if (hold->is_contact) is_loaded = along(yield, bodies, k, true) < 0;
        if (is_loaded || !(hold->is_contact || hold->is_friction)) yield->held[yield->held_count++] = (uint32_t)k;
    }
    factorise(yield);
}

// The blocks of C, for the preconditioner.
static void find_compliance(couYield *yield, const couBodies *bodies)
{
    for (size_t b = 0; b < yield->body_count; ++b)
        memcpy(yield->bodies[b].compliance, yield->bodies[b].inverse, sizeof yield->bodies[b].compliance);
    if (!yield->held_count) return;
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        for (int a = 0; a < 6; ++a) {
            for (size_t c = 0; c < yield->body_count; ++c) memset(yield->bodies[c].response, 0, sizeof body->response);
            for (int r = 0; r < 6; ++r) body->response[r] = body->inverse[r][a];
            project(yield, bodies, false);
            for (int r = 0; r < 6; ++r) body->compliance[r][a] = body->response[r];
        }
    }
}

void couYield_Follow(couYield *yield, const couFluid *fluid)
{
    for (size_t b = 0; b < yield->body_count; ++b)
        multiply(yield->bodies[b].inverse, yield->bodies[b].load, yield->bodies[b].response);
    if (yield->held_count) project(yield, fluid->bodies, false);
}

double couYield_Respond(couYield *yield, const couFluid *fluid, const float *kappa)
{
    double square = 0;
    find_loads(yield, fluid, kappa);
    couYield_Follow(yield, fluid);
    for (size_t b = 0; b < yield->body_count; ++b) square += couDot6(yield->bodies[b].load, yield->bodies[b].response);
    return square;
}

// --- Velocities --------------------------------------------------------------------------------------------------------------

typedef struct MoveJob {
    const couYield *yield;
    const couFluid *fluid;
} MoveJob;

// Velocities of a body's samples: what they are placed with (NULL: none) and six numbers.
static void write_rows(const couYield *yield, const couFluid *fluid, const couYieldingBody *body, const double u[6],
                       const couVec4 *placed, couVec4 *v)
{
    const couVec4 *at = couBoundary_Position(&fluid->boundary);
    couVec3 slide = {(float)u[0], (float)u[1], (float)u[2]}, spin = {(float)u[3], (float)u[4], (float)u[5]};
    couVec3 center = couBodyAt(fluid, body->place)->start_center;
    for (size_t k = body->row_begin; k < body->row_end; ++k) {
        uint32_t row = yield->rows[k];
        couVec3 now = couAdd(slide, couCross(spin, couSub(couXyz(at[row]), center)));
        if (placed) now = couAdd(couXyz(placed[row]), now);
        v[row].x = now.x, v[row].y = now.y, v[row].z = now.z;
    }
}

static void move_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const MoveJob *job = context;
    const couFluid *fluid = job->fluid;
    couVec4 *v = couFluid_Velocity(fluid) + fluid->solid_base;
    for (size_t b = begin; b < end; ++b)
        write_rows(job->yield, fluid, &job->yield->bodies[b], job->yield->bodies[b].change,
                   couBoundary_Velocity(&fluid->boundary), v);
}

static void move_rows(const couYield *yield, const couStep *step)
{
    MoveJob job = {yield, step->fluid};
    couFor(&step->fluid->parallel, yield->body_count, 1, move_block, &job);
}

// Velocity and spin that the samples were placed with.
static void placed_velocity(const couStep *step, const couYieldingBody *body, bool has_gravity, double u[6])
{
    const couBody *own = couBodyAt(step->fluid, body->place);
    couVec3 g = step->fluid->bodies->gravity;
    const double pull[3] = {g.x, g.y, g.z};
    for (int a = 0; a < 3; ++a) {
        u[a] = own->state.velocity[a] - (has_gravity ? 0.0 : step->dt * pull[a]); // the prediction has it
        u[3 + a] = own->state.spin[a];
    }
}

void couYield_Begin(couYield *yield, const couStep *step, const float *kappa, bool has_gravity)
{
    const couFluid *fluid = step->fluid;
    const couSphState *state = fluid->method_state;
    double unit = (double)state->volume * (double)state->reference_density;
    if (kappa) find_loads(yield, fluid, kappa);
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        double impulse[6], u[6];
        for (int a = 0; a < 6; ++a) impulse[a] = couBodyAt(fluid, body->place)->pushed[a] / unit + (kappa ? body->load[a] : 0.0);
        multiply(body->inverse, impulse, body->response);
        placed_velocity(step, body, has_gravity, u);
        for (int a = 0; a < 6; ++a) body->response[a] += u[a];
    }
    choose_holds(yield, fluid->bodies);
    if (yield->held_count) project(yield, fluid->bodies, true);
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        double u[6];
        placed_velocity(step, body, true, u);
        for (int a = 0; a < 6; ++a) body->change[a] = body->response[a] - u[a];
    }
    find_compliance(yield, fluid->bodies);
    move_rows(yield, step);
}

void couYield_Move(couYield *yield, const couStep *step, double t)
{
    for (size_t b = 0; b < yield->body_count; ++b)
        for (int a = 0; a < 6; ++a) yield->bodies[b].change[a] += t * yield->bodies[b].response[a];
    move_rows(yield, step);
}

// --- The preconditioner ------------------------------------------------------------------------------------------------------

// (1 + C K)^-1 C, by elimination with the largest pivots.
static void ease(double c[6][6], double k[6][6], double out[6][6])
{
    double m[6][12];
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            m[i][j] = i == j;
            for (int l = 0; l < 6; ++l) m[i][j] += c[i][l] * k[l][j];
            m[i][6 + j] = c[i][j];
        }
    for (int j = 0; j < 6; ++j) {
        int pivot = j;
        for (int i = j + 1; i < 6; ++i)
            if (fabs(m[i][j]) > fabs(m[pivot][j])) pivot = i;
        for (int l = 0; l < 12; ++l) {
            double swapped = m[j][l];
            m[j][l] = m[pivot][l], m[pivot][l] = swapped;
        }
        for (int i = 0; i < 6; ++i) {
            if (i == j) continue;
            double share = m[i][j] / m[j][j];
            for (int l = j; l < 12; ++l) m[i][l] -= share * m[j][l];
        }
    }
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) out[i][j] = m[i][6 + j] / m[i][i];
}

typedef struct EaseJob {
    couYield *yield;
} EaseJob;

// S = (C^-1 + J^T F J)^-1 = (1 + C J^T F J)^-1 C, which also exists where C is 0. A particle between several bodies counts for
// each of them as often as there are, so that taking the bodies one by one stays on the safe side.
static void ease_block(void *context, int block, size_t begin, size_t end, int worker)
{
    (void)block, (void)worker;
    const EaseJob *job = context;
    for (size_t b = begin; b < end; ++b) {
        couYieldingBody *body = &job->yield->bodies[b];
        couImpulseSystem stiffness = {0};
        for (size_t k = body->begin; k < body->end; ++k) {
            const couBodyLink *link = &job->yield->links[k];
            double g[6];
            for (int a = 0; a < 6; ++a) g[a] = link->wrench[a];
            couImpulseSystem_AddMass(&stiffness, g, (double)(link->weight * link->bodies));
        }
        for (int a = 0; a < 6; ++a)
            for (int c = 0; c < a; ++c) stiffness.matrix[c][a] = stiffness.matrix[a][c];
        ease(body->compliance, stiffness.matrix, body->small);
    }
}

static void ease_bodies(couYield *yield, const couFluid *fluid)
{
    EaseJob job = {yield};
    couFor(&fluid->parallel, yield->body_count, 1, ease_block, &job);
}

// A row of J times the body's answer.
static double answer_of(const couBodyLink *link, const couYieldingBody *body)
{
    double sum = 0;
    for (int a = 0; a < 6; ++a) sum += (double)link->wrench[a] * body->answer[a];
    return sum;
}

// What is asked of the bodies: J^T of F e where pressures can follow and of -p where they are cut, times dt.
static void load_bodies(couYield *yield, const couSphLoop *loop)
{
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        memset(body->load, 0, sizeof body->load);
        for (size_t k = body->begin; k < body->end; ++k) {
            const couBodyLink *link = &yield->links[k];
            size_t i = link->particle;
            float value = link->weight > 0.0f ? link->weight * loop->residual[i]
                          : loop->is_clamped  ? -loop->dt * loop->pressure[i]
                                              : 0.0f;
            for (int a = 0; a < 6; ++a) body->load[a] += (double)(value * link->wrench[a]);
        }
    }
}

static void answer_bodies(couYield *yield, float *eased)
{
    for (size_t k = 0; k < yield->link_count; ++k) eased[yield->links[k].particle] = 0.0f;
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        multiply(body->small, body->load, body->answer);
        for (size_t k = body->begin; k < body->end; ++k)
            eased[yield->links[k].particle] += (float)answer_of(&yield->links[k], body);
    }
}

// Which pressures can follow: those that the answer does not cut. True where that has changed.
static bool weigh_links(couYield *yield, const couSphLoop *loop, const float *eased)
{
    bool has_changed = false;
    for (size_t k = 0; k < yield->link_count; ++k) {
        couBodyLink *link = &yield->links[k];
        size_t i = link->particle;
        float left = loop->residual[i] - (eased ? eased[i] : 0.0f);
        bool follows = !loop->is_clamped || loop->factor[i] * left > -loop->dt * loop->pressure[i];
        float weight = follows ? loop->factor[i] : 0.0f;
        has_changed |= weight != link->weight;
        link->weight = weight;
    }
    return has_changed;
}

// Cutting pressures after the bodies have answered would leave a light one with a load that nothing balances, a direction along
// which no step is short enough. So the cut is part of what they answer to: y is the least of the convex
//     y C^-1 y / 2 + sum_i max(F (e_i - J_i y), -p_i dt)^2 / (2 F),
// whose kinks some steps of Newton's find.
double couYield_Hear(couYield *yield, const couFluid *fluid, const couSphLoop *loop, float *eased)
{
    weigh_links(yield, loop, NULL);
    for (int n = 0;; ++n) {
        ease_bodies(yield, fluid);
        load_bodies(yield, loop);
        answer_bodies(yield, eased);
        if (!loop->is_clamped || n == MOST_CUTS || !weigh_links(yield, loop, eased)) break;
    }
    double longest = 0;
    for (size_t b = 0; b < yield->body_count; ++b) {
        const couYieldingBody *body = &yield->bodies[b];
        const double *y = body->answer, radius = (double)couBodyAt(fluid, body->place)->ball_radius;
        double slide = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), turn = sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
        longest = COU_MAX(longest, slide + radius * turn);
    }
    return longest;
}

void couYield_Correct(couYield *yield, const couFluid *fluid, float *z)
{
    find_loads(yield, fluid, z);
    for (size_t b = 0; b < yield->body_count; ++b)
        multiply(yield->bodies[b].small, yield->bodies[b].load, yield->bodies[b].answer);
    for (size_t b = 0; b < yield->body_count; ++b) {
        const couYieldingBody *body = &yield->bodies[b];
        for (size_t k = body->begin; k < body->end; ++k) {
            const couBodyLink *link = &yield->links[k];
            z[link->particle] -= link->weight * (float)answer_of(link, body);
        }
    }
}

// (C^-1 + J^T F J) u = J^T kappa with F = dt stiffness, and kappa -= F J u.
void couYield_Soften(couYield *yield, const couStep *step, float *kappa, const float *stiffness)
{
    const couFluid *fluid = step->fluid;
    couYield_Begin(yield, step, kappa, true);
    for (size_t k = 0; k < yield->link_count; ++k) yield->links[k].weight = stiffness[yield->links[k].particle];
    ease_bodies(yield, fluid);
    bool is_clamped = ((const couSphParams *)fluid->params)->clamp;
    couYield_Correct(yield, fluid, kappa);
    for (size_t k = 0; is_clamped && k < yield->link_count; ++k) {
        float *own = &kappa[yield->links[k].particle];
        *own = COU_MAX(*own, 0.0f);
    }
}

// --- Viscosity ---------------------------------------------------------------------------------------------------------------

void couYield_Drag(couYield *yield, const couFluid *fluid, const couSphLoop *loop)
{
    for (size_t b = 0; b < yield->body_count; ++b) {
        couYieldingBody *body = &yield->bodies[b];
        couVec3 center = couBodyAt(fluid, body->place)->start_center;
        memset(body->load, 0, sizeof body->load);
        for (size_t k = body->begin; k < body->end; ++k) {
            const couBodyLink *link = &yield->links[k];
            size_t i = link->particle;
            // The mass over V rho_ref; taken at the particle, as all forces along pairs may be.
            couVec3 push = couScale(-link->samples / loop->velocity[i].w, couXyz(loop->walls[link->wall]));
            double g[6];
            couLever(couSub(couXyz(loop->position[i]), center), push, g);
            for (int a = 0; a < 6; ++a) body->load[a] += g[a];
        }
    }
    couYield_Follow(yield, fluid);
}

void couYield_WriteRows(const couYield *yield, const couFluid *fluid, couVec4 *velocity)
{
    for (size_t b = 0; b < yield->body_count; ++b)
        write_rows(yield, fluid, &yield->bodies[b], yield->bodies[b].response, NULL, velocity + fluid->solid_base);
}

double couYield_Load(const couYield *yield, const couSphLoop *loop)
{
    double most = 0;
    for (size_t b = 0; b < yield->body_count; ++b) {
        const couYieldingBody *body = &yield->bodies[b];
        double sum = 0;
        for (size_t k = body->begin; k < body->end; ++k)
            sum += (double)(yield->links[k].samples / loop->velocity[yield->links[k].particle].w);
        most = COU_MAX(most, sum * body->inverse[0][0]);
    }
    return most;
}
