// Contacts between deformable solids: a point of one's surface that is in a cell of the other has left the other's surface
// behind. Where that is, the rest tells, in which nothing is bent: the cell's weights take the point there, and the nearest face
// of the rest is the one that it came through [after Hirota et al. 2001], of those that look against the point's own normal: the
// corners of a block on another of its size lie on that one's sides as well, or just outside. Point and face, where they are now,
// part along the face's normal as far as they overlap, each by its share of the inverse masses, and lose the speed with which
// they approach, and of their sliding what Coulomb's friction takes: equal and opposite, so that momentum is kept to rounding.
//
// Points alone touch: two edges may cross as far as the longer one bends between its points. A solid does not touch itself. What
// is thinner than a point goes in a substep is passed through; substeps are short. Blocks that meet at 3 m/s overlap by less than
// a fiftieth of their size.

#include "soft/cell_finder.h"
#include "soft/solids.h"

#define SLACK 0.05 // of a cell: so far outside of it a point may be

// A ball around a face at rest.
typedef struct Ball {
    couDouble3 center;
    double radius;
} Ball;

// A point of the surface, by the corners of its face.
typedef struct Spot {
    size_t face;
    double weights[3];
    double distance2;
} Spot;

// --- Who is near -------------------------------------------------------------------------------------------------------------

typedef struct Box {
    couDouble3 lower, upper;
} Box;

static Box box_of(const couSolid *solid)
{
    Box box;
    couBoundPoints3(solid->position, solid->def.mesh->point_count, &box.lower, &box.upper);
    return box;
}

static bool overlap(Box a, Box b, Box *common)
{
    *common = (Box){{fmax(a.lower.x, b.lower.x), fmax(a.lower.y, b.lower.y), fmax(a.lower.z, b.lower.z)},
                    {fmin(a.upper.x, b.upper.x), fmin(a.upper.y, b.upper.y), fmin(a.upper.z, b.upper.z)}};
    return common->lower.x <= common->upper.x && common->lower.y <= common->upper.y && common->lower.z <= common->upper.z;
}

bool couSolids_AreClose(const couSolids *solids, double dt)
{
    for (size_t s = 1; s < solids->count; ++s)
        for (size_t t = 0; t < s; ++t) {
            const couSolid *a = &solids->items[s], *b = &solids->items[t];
            if (!a->slot.is_here || !b->slot.is_here) continue;
            double reach = 2 * dt * (double)couSolids_MaxSpeed(solids);
            Box box = box_of(a), common;
            couDouble3 more = {reach, reach, reach};
            box.lower = couSub3(box.lower, more), box.upper = couAdd3(box.upper, more);
            if (overlap(box, box_of(b), &common)) return true;
        }
    return false;
}

// --- The nearest face --------------------------------------------------------------------------------------------------------

static Ball *take_balls(couArena *scratch, const couSolid *solid)
{
    const couSolidMesh *mesh = solid->def.mesh;
    Ball *balls = COU_TAKE(scratch, Ball, mesh->face_count + 1);
    for (size_t f = 0; balls && f < mesh->face_count; ++f) {
        const uint32_t *n = &mesh->faces[f * (size_t)mesh->dimension];
        Ball ball = {{0, 0, 0}, 0};
        for (int k = 0; k < mesh->dimension; ++k) ball.center = couMulAdd3(ball.center, 1.0 / mesh->dimension, solid->rest[n[k]]);
        for (int k = 0; k < mesh->dimension; ++k)
            ball.radius = fmax(ball.radius, couLength3(couSub3(solid->rest[n[k]], ball.center)));
        balls[f] = ball;
    }
    return balls;
}

static couDouble3 face_normal(const couSolid *solid, size_t face)
{
    const couSolidMesh *mesh = solid->def.mesh;
    const uint32_t *n = &mesh->faces[face * (size_t)mesh->dimension];
    couDouble3 a = solid->position[n[0]], ab = couSub3(solid->position[n[1]], a), normal = {ab.y, -ab.x, 0};
    if (mesh->dimension == 3) normal = couCross3(ab, couSub3(solid->position[n[2]], a));
    double length = couLength3(normal);
    return length > 0 ? couScale3(1.0 / length, normal) : (couDouble3){0, 0, 0};
}

// Sums of the normals of the faces around each point.
static couDouble3 *take_normals(couArena *scratch, const couSolid *solid)
{
    const couSolidMesh *mesh = solid->def.mesh;
    couDouble3 *normals = COU_TAKE(scratch, couDouble3, mesh->point_count);
    if (!normals) return NULL;
    memset(normals, 0, mesh->point_count * sizeof *normals);
    for (size_t f = 0; f < mesh->face_count; ++f) {
        couDouble3 normal = face_normal(solid, f);
        for (int k = 0; k < mesh->dimension; ++k) {
            couDouble3 *own = &normals[mesh->faces[f * (size_t)mesh->dimension + (size_t)k]];
            *own = couAdd3(*own, normal);
        }
    }
    return normals;
}

// The nearest point of the segment ab, as the share of b.
static double along_segment(couDouble3 p, couDouble3 a, couDouble3 b)
{
    couDouble3 ab = couSub3(b, a);
    double length2 = couDot3(ab, ab), t = length2 > 0 ? couDot3(ab, couSub3(p, a)) / length2 : 0.0;
    return COU_CLAMP(t, 0.0, 1.0);
}

static double away2(couDouble3 p, const couDouble3 *corners, const double *weights, int count)
{
    for (int k = 0; k < count; ++k) p = couMulAdd3(p, -weights[k], corners[k]);
    return couDot3(p, p);
}

// Weights of the point of a triangle that is nearest to p: within it, or on one of its sides.
static void weigh_triangle(couDouble3 p, const couDouble3 q[3], double weights[3])
{
    couDouble3 ab = couSub3(q[1], q[0]), ac = couSub3(q[2], q[0]), ap = couSub3(p, q[0]), normal = couCross3(ab, ac);
    double area2 = couDot3(normal, normal);
    weights[1] = couDot3(couCross3(ap, ac), normal) / area2;
    weights[2] = couDot3(couCross3(ab, ap), normal) / area2;
    weights[0] = 1 - weights[1] - weights[2];
    if (area2 > 0 && weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0) return;
    double least = INFINITY;
    for (int side = 0; side < 3; ++side) {
        int next = (side + 1) % 3;
        double t = along_segment(p, q[side], q[next]), own[3] = {0, 0, 0};
        own[side] = 1 - t, own[next] = t;
        double distance2 = away2(p, q, own, 3);
        if (!(distance2 < least)) continue;
        least = distance2;
        memcpy(weights, own, sizeof own);
    }
}

// The nearest point of the surface at rest, on a face that now looks against `normal`, or on any for 0; infinitely far where
// there is none.
static Spot find_spot(const couSolid *solid, const Ball *balls, couDouble3 rest, couDouble3 normal)
{
    const couSolidMesh *mesh = solid->def.mesh;
    Spot best = {.distance2 = INFINITY};
    bool is_any = couDot3(normal, normal) == 0;
    for (size_t f = 0; f < mesh->face_count; ++f) {
        couDouble3 off = couSub3(rest, balls[f].center), q[3];
        double reach = sqrt(best.distance2) + balls[f].radius;
        if (couDot3(off, off) > reach * reach || !(is_any || couDot3(face_normal(solid, f), normal) < 0)) continue;
        Spot own = {.face = f};
        for (int k = 0; k < mesh->dimension; ++k) q[k] = solid->rest[mesh->faces[f * (size_t)mesh->dimension + (size_t)k]];
        if (mesh->dimension == 3) {
            weigh_triangle(rest, q, own.weights);
        } else {
            own.weights[1] = along_segment(rest, q[0], q[1]);
            own.weights[0] = 1 - own.weights[1];
        }
        own.distance2 = away2(rest, q, own.weights, mesh->dimension);
        if (own.distance2 < best.distance2) best = own;
    }
    return best;
}

// --- Touching ----------------------------------------------------------------------------------------------------------------

static double inverse_mass(const couSolid *solid, uint32_t i) { return solid->hold[i] ? 0.0 : 1.0 / solid->masses[i]; }

// A point and a face, moved against each other: `way` is what a unit of inverse mass goes or gains.
static void part(const couLoosePoint *point, couSolid *other, const Spot *spot, couDouble3 way, bool is_velocity)
{
    couDouble3 *mine = is_velocity ? point->velocity : point->position, *theirs = is_velocity ? other->velocity : other->position;
    const couSolidMesh *mesh = other->def.mesh;
    *mine = couMulAdd3(*mine, point->inv_mass, way);
    for (int k = 0; k < mesh->dimension; ++k) {
        uint32_t n = mesh->faces[spot->face * (size_t)mesh->dimension + (size_t)k];
        theirs[n] = couMulAdd3(theirs[n], -spot->weights[k] * inverse_mass(other, n), way);
    }
}

static void touch_point(const couLoosePoint *point, couSolid *other, const Spot *spot)
{
    const couSolidMesh *mesh = other->def.mesh;
    couDouble3 normal = face_normal(other, spot->face), gap = *point->position, speed = *point->velocity;
    double ease = point->inv_mass;
    for (int k = 0; k < mesh->dimension; ++k) {
        uint32_t n = mesh->faces[spot->face * (size_t)mesh->dimension + (size_t)k];
        gap = couMulAdd3(gap, -spot->weights[k], other->position[n]);
        speed = couMulAdd3(speed, -spot->weights[k], other->velocity[n]);
        ease += spot->weights[k] * spot->weights[k] * inverse_mass(other, n);
    }
    double depth = -couDot3(gap, normal), into = -couDot3(speed, normal);
    if (!(depth >= 0) || !(ease > 0)) return;
    part(point, other, spot, couScale3(depth / ease, normal), false);
    if (!(into > 0)) return;
    double bounce = 1 + point->restitution;
    couDouble3 change = couScale3(bounce * into, normal), along = couMulAdd3(speed, into, normal);
    double sliding = couLength3(along), taken = fmin(point->friction * bounce * into + point->stickiness * sliding, sliding);
    if (sliding > 0) change = couMulAdd3(change, -taken / sliding, along);
    part(point, other, spot, couScale3(1.0 / ease, change), true);
}

// Where the point is at rest, by the weights of the cell that it is in.
static couDouble3 rest_of(const couSolid *solid, uint32_t cell, const double *weights)
{
    const couSolidMesh *mesh = solid->def.mesh;
    couDouble3 rest = {0, 0, 0};
    for (int c = 0; c < mesh->corners; ++c)
        rest = couMulAdd3(rest, weights[c], solid->rest[mesh->cells[cell * (size_t)mesh->corners + (size_t)c]]);
    return rest;
}

// The points of one solid against the other, one after the other. False without memory.
static bool touch_solid(couSolids *solids, couSolid *own, couSolid *other)
{
    double restitution = (double)fmaxf(own->def.restitution, other->def.restitution);
    double friction = sqrt((double)own->def.contact_friction * (double)other->def.contact_friction);
    Box common;
    Box box = box_of(other);
    couDouble3 size = couSub3(box.upper, box.lower);
    box = (Box){couMulAdd3(box.lower, -SLACK, size), couMulAdd3(box.upper, SLACK, size)};
    if (!overlap(box_of(own), box, &common)) return true;
    couArenaMark mark = couArena_Mark(solids->scratch);
    couCellFinder finder;
    Ball *balls = NULL;
    couDouble3 *normals = NULL;
    bool is_good = couCellFinder_Build(&finder, solids->scratch, other->def.mesh, other->position, common.lower, common.upper);
    for (size_t k = 0; is_good && k < own->outer_count; ++k) {
        uint32_t i = own->outer[k], cell;
        double weights[COU_MAX_CORNERS];
        if (!couCellFinder_Find(&finder, own->position[i], SLACK, &cell, weights)) continue;
        if (!balls) {
            balls = take_balls(solids->scratch, other);
            normals = take_normals(solids->scratch, own);
            is_good = balls && normals;
        }
        if (!is_good) break;
        Spot spot = find_spot(other, balls, rest_of(other, cell, weights), normals[i]);
        couLoosePoint point = {&own->position[i], &own->velocity[i], inverse_mass(own, i), restitution, friction, 0.0};
        if (isfinite(spot.distance2)) touch_point(&point, other, &spot);
    }
    couArena_Release(solids->scratch, mark);
    return is_good;
}

bool couTouchPoints(couSolids *solids, couSolid *solid, const couLoosePoint *points, size_t count, couDouble3 lower,
                    couDouble3 upper)
{
    couArenaMark mark = couArena_Mark(solids->scratch);
    couCellFinder finder;
    Ball *balls = take_balls(solids->scratch, solid);
    bool is_good = balls && couCellFinder_Build(&finder, solids->scratch, solid->def.mesh, solid->position, lower, upper);
    for (size_t k = 0; is_good && k < count; ++k) {
        uint32_t cell;
        double weights[COU_MAX_CORNERS];
        if (!couCellFinder_Find(&finder, *points[k].position, 0.0, &cell, weights)) continue;
        Spot spot = find_spot(solid, balls, rest_of(solid, cell, weights), (couDouble3){0, 0, 0});
        if (isfinite(spot.distance2)) touch_point(&points[k], solid, &spot);
    }
    couArena_Release(solids->scratch, mark);
    return is_good;
}

bool couTouchSolids(couSolids *solids)
{
    for (size_t s = 1; s < solids->count; ++s)
        for (size_t t = 0; t < s; ++t) {
            couSolid *a = &solids->items[s], *b = &solids->items[t];
            if (!a->slot.is_here || !b->slot.is_here) continue;
            if (!touch_solid(solids, a, b) || !touch_solid(solids, b, a)) return false;
        }
    return true;
}
