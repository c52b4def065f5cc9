/// Shared by the tests of bodies that move: free bodies, joints, small meshes, long runs.
#pragma once

#include "testing.h"

#define NO_SPIN ((couVec3){0, 0, 0})
#define DEGREE ((float)(COU_PI / 180))

static inline bool is_long_run(void) { return getenv("COU_LONG_TESTS") != NULL; }

static inline couBodyDef free_def(couShape *shape, couPose pose)
{
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape, def.pose = pose, def.is_dynamic = true;
    return def;
}

/// Adds a body from a def whose shape it lets go of.
static inline couBodyId add_def(couWorld *world, couBodyDef def)
{
    couFaults faults = {0};
    couBodyId body = couWorld_AddBody(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_not_equal(body.index1, 0);
    couShape_Release(def.shape);
    return body;
}

static inline couBodyId add_free(couWorld *world, couShape *shape, couPose pose) { return add_def(world, free_def(shape, pose)); }

static inline couBodyId add_driven(couWorld *world, couShape *shape, couMotionFcn *motion, void *motion_context)
{
    couBodyDef def = couDefaultBodyDef();
    def.shape = shape, def.motion = motion, def.motion_context = motion_context;
    return add_def(world, def);
}

static inline couJointId add_joint(couWorld *world, couJointDef def)
{
    couFaults faults = {0};
    couJointId joint = couWorld_AddJoint(world, &def, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_int_not_equal(joint.index1, 0);
    return joint;
}

static inline couJointDef joint_def(couJointKind kind, couBodyId a, couBodyId b, couVec3 at)
{
    couJointDef def = couDefaultJointDef();
    def.kind = kind, def.a = a, def.b = b, def.at = at;
    return def;
}

static inline couShape *make_capsule(float radius, float height)
{
    return make_shape((couShapeDef){.kind = cou_shapeCapsule, .radius = radius, .height = height});
}
static inline couShape *make_cylinder(float radius, float height)
{
    return make_shape((couShapeDef){.kind = cou_shapeCylinder, .radius = radius, .height = height});
}
static inline couShape *make_torus(float radius, float tube)
{
    return make_shape((couShapeDef){.kind = cou_shapeTorus, .radius = radius, .radius2 = tube});
}
/// Takes the child.
static inline couShape *make_placed(couShape *child, couPose pose)
{
    couShape *placed = make_shape((couShapeDef){.kind = cou_shapePlaced, .children = &child, .child_count = 1, .pose = pose});
    couShape_Release(child);
    return placed;
}
/// Takes both.
static inline couShape *make_union(couShape *a, couShape *b)
{
    couShape *children[] = {a, b};
    couShape *both = make_shape((couShapeDef){.kind = cou_shapeUnion, .children = children, .child_count = 2});
    couShape_Release(a);
    couShape_Release(b);
    return both;
}
/// Takes the child.
static inline couShape *make_shell(couShape *child, float thickness)
{
    couShape *shell = make_shape(
        (couShapeDef){.kind = cou_shapeShell, .thickness = thickness, .children = &child, .child_count = 1});
    couShape_Release(child);
    return shell;
}

/// Takes the arrays.
static inline couShape *make_mesh_shape(couVec3 *vertices, size_t vertex_count, uint32_t *triangles, size_t triangle_count,
                                        float cell)
{
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(vertices, vertex_count, triangles, triangle_count, &faults);
    CHECK_NO_FAULTS(&faults);
    couDistanceGrid *grid = couCreateDistanceGrid(mesh, cell, 0, 1, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape *shape = make_shape((couShapeDef){.kind = cou_shapeMesh, .grid = grid});
    couDistanceGrid_Release(grid);
    couMesh_Release(mesh);
    return shape;
}

/// Eight corners and twelve triangles.
static inline couShape *make_box_mesh(float x, float y, float z, float cell)
{
    couVec3 vertices[8];
    for (int k = 0; k < 8; ++k)
        vertices[k] = (couVec3){k & 1 ? 0.5f * x : -0.5f * x, k & 2 ? 0.5f * y : -0.5f * y, k & 4 ? 0.5f * z : -0.5f * z};
    static uint32_t triangles[] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return make_mesh_shape(vertices, 8, triangles, 12, cell);
}

/// A ball, or a ring in the xz plane where `tube` is not 0, of 24 by 48 quads.
static inline couShape *make_round_mesh(float radius, float tube, float cell)
{
    enum { ROWS = 24, COLUMNS = 48 };
    couVec3 vertices[(ROWS + 1) * COLUMNS];
    uint32_t triangles[2 * ROWS * COLUMNS * 3];
    bool is_ring = tube > 0.0f;
    for (int i = 0; i <= ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            double a = 2 * COU_PI * j / COLUMNS, b = COU_PI * (is_ring ? 2.0 * i / ROWS : (double)i / ROWS - 0.5);
            double r = is_ring ? radius + tube * cos(b) : i % ROWS == 0 ? 0 : radius * cos(b);
            double y = (is_ring ? tube : radius) * sin(b);
            vertices[i * COLUMNS + j] = (couVec3){(float)(r * cos(a)), (float)y, (float)(r * sin(a))};
        }
    uint32_t *corner = triangles;
    for (uint32_t i = 0; i < ROWS; ++i)
        for (uint32_t j = 0; j < COLUMNS; ++j) {
            uint32_t up = is_ring ? (i + 1) % ROWS : i + 1, next = (j + 1) % COLUMNS;
            uint32_t quad[] = {i * COLUMNS + j, up * COLUMNS + j, up * COLUMNS + next, i * COLUMNS + next};
            for (int k = 0; k < 6; ++k) *corner++ = quad[(const int[]){0, 1, 2, 0, 2, 3}[k]];
        }
    return make_mesh_shape(vertices, (is_ring ? ROWS : ROWS + 1) * COLUMNS, triangles, 2 * ROWS * COLUMNS, cell);
}

/// Nothing is NaN, lost or left, bodies included.
#define CHECK_SOUND(report) \
    do { \
        CHECK_HEALTHY(report); \
        assert_int_equal((report)->bad_body.index1, 0); \
    } while (0)

static inline void run_steps(couWorld *world, float dt, double seconds)
{
    long count = lround(seconds / dt);
    for (long k = 0; k < count; ++k) {
        couStepReport report = couWorld_Step(world, dt);
        CHECK_SOUND(&report);
    }
}

static inline void run_frames(couWorld *world, double seconds)
{
    for (double end = couWorld_Time(world) + seconds; couWorld_Time(world) < end - 1e-9;) {
        couStepReport report = couWorld_Advance(world, fmin(1.0 / 30, end - couWorld_Time(world)));
        CHECK_SOUND(&report);
    }
}
