// Surfaces of shapes: closed, turned outward, on the shape, of its volume; in 2D outlines of its area.
#include "io_test.h"

#include "base/base.h"
#include "coulis/coulis.h"

static const couBounds wide = {{-5, -5, -5}, {5, 5, 5}};

static couShape *make(couShapeDef def)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    expect_no_fault(&faults);
    return shape;
}

// Takes the references of its children.
static couShape *make_of(couShapeDef def, couShape **children, int count)
{
    def.children = children;
    def.child_count = count;
    couShape *shape = make(def);
    for (int i = 0; i < count; ++i) couShape_Release(children[i]);
    return shape;
}

static couShape *placed(couShape *child, couPose pose)
{
    return make_of((couShapeDef){.kind = cou_shapePlaced, .pose = pose}, &child, 1);
}

static couShape *moved(couShape *child, float x, float y, float z) { return placed(child, (couPose){{x, y, z}, {0, 0, 0, 1}}); }

static couShape *shell(couShape *child, float thickness, bool is_open)
{
    return make_of((couShapeDef){.kind = cou_shapeShell, .thickness = thickness, .is_open = is_open}, &child, 1);
}

static couShape *box(float x, float y, float z) { return make((couShapeDef){.kind = cou_shapeBox, .size = {x, y, z}}); }
static couShape *ball(float radius) { return make((couShapeDef){.kind = cou_shapeSphere, .radius = radius}); }
static couShape *round_of(couShapeKind kind, float radius, float height)
{
    return make((couShapeDef){.kind = kind, .radius = radius, .height = height});
}
static couShape *cone(float radius, float radius2, float height)
{
    return make((couShapeDef){.kind = cou_shapeCone, .radius = radius, .radius2 = radius2, .height = height});
}
static couShape *torus(float radius, float tube)
{
    return make((couShapeDef){.kind = cou_shapeTorus, .radius = radius, .radius2 = tube});
}
static couShape *polygon(const couVec3 *points, int count, float height)
{
    return make((couShapeDef){.kind = cou_shapePolygon, .points = points, .point_count = count, .height = height});
}
static couShape *both(couShape *a, couShape *b)
{
    couShape *children[2] = {a, b};
    return make_of((couShapeDef){.kind = cou_shapeUnion}, children, 2);
}

static const couVec3 arrow[] = {{0, 0, 0}, {2, 1, 0}, {0, 2, 0}, {0.5f, 1, 0}}; // with a notch
static const couVec3 arrow_clockwise[] = {{0.5f, 1, 0}, {0, 2, 0}, {2, 1, 0}, {0, 0, 0}};
static const couVec3 comb[] = {{0, 0, 0}, {5, 0, 0}, {5, 2, 0}, {4, 2, 0}, {4, 1, 0}, {3, 1, 0},
                               {3, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
static const couQuat tilt = {0.3f, 0.2f, -0.1f, 0.92736185f};

// Volume by formula or fine sampling, to be met within the share; the surface is on the shape within `off` [m].
static void expect_solid(const char *name, couShape *shape, double share, float off, int parts)
{
    couFaults faults = {0};
    couSurface surface;
    if (!couShape_BuildSurface(shape, 3, 0, wide, &surface, &faults)) fail_msg("%s: %s", name, faults.items[0].message);
    assert_true(!surface.normals && !surface.velocities && !surface.colors);
    couMesh *mesh = couCreateMesh(surface.vertices, surface.vertex_count, surface.indices, surface.element_count, &faults);
    expect_no_fault(&faults);
    couMeshReport report = couMesh_Inspect(mesh, 1);
    char findings[400];
    couMeshReport_Format(&report, findings, sizeof findings);
    if (!report.is_oriented || report.crowded_edge_count || report.degenerate_count || report.doubled_count)
        fail_msg("%s: %s", name, findings);
    if (parts > 0 && (int)report.part_count != parts) fail_msg("%s: %zu parts, expected %d", name, report.part_count, parts);
    couMassProperties exact;
    assert_true(couShape_Mass(shape, 3, &exact));
    double volume = couSurface_Volume(&surface);
    if (!(fabs(volume - exact.volume) <= share * exact.volume))
        fail_msg("%s: volume %.6g, expected %.6g within %g", name, volume, exact.volume, share);
    for (size_t i = 0; i < surface.vertex_count; ++i) {
        float distance = couShape_Distance(shape, 3, surface.vertices[i]);
        if (!(fabsf(distance) <= off))
            fail_msg("%s: vertex %zu at %g %g %g is %g m off", name, i, (double)surface.vertices[i].x,
                     (double)surface.vertices[i].y, (double)surface.vertices[i].z, (double)distance);
    }
    couMesh_Release(mesh);
    couSurface_Clear(&surface);
    couShape_Release(shape);
}

static void test_single_shapes(void **context)
{
    (void)context;
    expect_solid("box", box(1, 2, 3), 1e-6, 1e-6f, 1);
    expect_solid("sphere", ball(0.5f), 0.005, 1e-6f, 1);
    expect_solid("capsule", round_of(cou_shapeCapsule, 0.3f, 1), 0.005, 1e-6f, 1);
    expect_solid("cylinder", round_of(cou_shapeCylinder, 0.3f, 1), 0.002, 1e-6f, 1);
    expect_solid("cone", cone(0.5f, 0, 1), 0.002, 1e-6f, 1);
    expect_solid("frustum", cone(0.2f, 0.5f, 1), 0.002, 1e-6f, 1);
    expect_solid("torus", torus(1, 0.25f), 0.005, 1e-6f, 1);
    expect_solid("polygon", polygon(arrow, 4, 0.5f), 1e-6, 1e-6f, 1);
    expect_solid("clockwise", polygon(arrow_clockwise, 4, 0.5f), 1e-6, 1e-6f, 1);
    expect_solid("comb", polygon(comb, 12, 0.5f), 1e-6, 1e-6f, 1);
    expect_solid("placed", placed(placed(box(1, 2, 3), (couPose){{0.5f, 0, 0}, tilt}), (couPose){{0, 1, 0}, tilt}), 1e-6, 3e-6f,
                 1);
    expect_solid("tiny", ball(1e-4f), 0.005, 1e-9f, 1);
}

static void test_shells(void **context)
{
    (void)context;
    expect_solid("hollow box", shell(box(1, 2, 3), 0.05f, false), 0.01, 1e-5f, 2);
    expect_solid("tank", shell(box(1, 2, 3), 0.05f, true), 0.01, 1e-5f, 1);
    expect_solid("thin tank", shell(box(1, 2, 3), 0.001f, true), 0.02, 1e-6f, 1);
    expect_solid("glass", shell(round_of(cou_shapeCylinder, 0.3f, 1), 0.02f, true), 0.01, 1e-5f, 1);
    expect_solid("pipe", shell(round_of(cou_shapeCylinder, 0.3f, 1), 0.02f, false), 0.01, 1e-5f, 2);
    expect_solid("funnel", shell(cone(0.1f, 0.5f, 1), 0.02f, true), 0.01, 3e-5f, 1);
    expect_solid("narrow vase", shell(cone(0.5f, 0.2f, 1), 0.02f, true), 0.01, 2e-4f, 1);
    expect_solid("hollow ball", shell(ball(0.5f), 0.02f, false), 0.01, 1e-6f, 2);
    expect_solid("hollow ring", shell(torus(1, 0.2f), 0.05f, false), 0.01, 1e-6f, 2);
    expect_solid("placed in the shell", shell(moved(box(1, 2, 3), 1, 1, 1), 0.05f, true), 0.01, 1e-5f, 1);
    expect_solid("placed tank", placed(shell(box(1, 2, 3), 0.05f, true), (couPose){{1, 2, 3}, tilt}), 0.01, 1e-5f, 1);
}

// By the grid: a hundredth of a cell off on curved parts, sharp edges met within it.
static void test_grid_shapes(void **context)
{
    (void)context;
    expect_solid("two balls", both(ball(0.5f), moved(ball(0.5f), 0.6f, 0, 0)), 0.01, 2e-3f, 1);
    expect_solid("cross", both(box(1, 0.3f, 0.3f), box(0.3f, 1, 0.3f)), 0.005, 1e-3f, 1);
    expect_solid("tilted cross", both(box(1, 0.3f, 0.3f), placed(box(0.3f, 1, 0.3f), (couPose){{0.01f, 0.02f, 0.03f}, tilt})),
                 0.01, 2e-3f, 1);
    expect_solid("touching boxes", both(box(1, 1, 1), moved(box(1, 1, 1), 1, 0, 0)), 0.005, 1e-3f, 1);
    expect_solid("apart", both(box(1, 1, 1), moved(ball(1), 3, 0, 0)), 0.005, 1e-6f, 2);
    expect_solid("hollow polygon", shell(polygon(arrow, 4, 0.5f), 0.1f, false), 0.03, 5e-3f, 2);
    expect_solid("open polygon", shell(polygon(comb, 12, 1), 0.1f, true), 0.05, 2e-2f, 1);
    expect_solid("tilted tank", shell(placed(box(1, 2, 1), (couPose){{0, 0, 0}, tilt}), 0.1f, true), 0.05, 2e-2f, 1);
}

// The corners of a cross must be corners: every vertex of a flat part lies in it, and the bounds are those of the shape.
static void test_sharpness(void **context)
{
    (void)context;
    couFaults faults = {0};
    couSurface surface;
    couShape *cross = both(box(1, 0.3f, 0.3f), box(0.3f, 1, 0.3f));
    assert_true(couShape_BuildSurface(cross, 3, 0.05f, wide, &surface, &faults));
    couVec3 most = {0};
    for (size_t i = 0; i < surface.vertex_count; ++i) {
        couVec3 p = surface.vertices[i];
        most = (couVec3){fmaxf(most.x, p.x), fmaxf(most.y, p.y), fmaxf(most.z, p.z)};
    }
    assert_true(fabsf(most.x - 0.5f) < 1e-4f && fabsf(most.y - 0.5f) < 1e-4f && fabsf(most.z - 0.15f) < 1e-4f);
    int corner_count = 0;
    for (size_t i = 0; i < surface.vertex_count; ++i) {
        couVec3 p = surface.vertices[i];
        corner_count += fabsf(p.x - 0.5f) + fabsf(p.y - 0.15f) + fabsf(p.z - 0.15f) < 1e-3f;
    }
    assert_int_equal(corner_count, 1);
    couSurface_Clear(&surface);
    couShape_Release(cross);
}

static void test_planes(void **context)
{
    (void)context;
    couFaults faults = {0};
    couSurface surface;
    couBounds clip = {{-1, -2, -3}, {4, 5, 6}};
    couShape *ground = make((couShapeDef){.kind = cou_shapePlane, .axis = {0, 2, 0}});
    assert_true(couShape_BuildSurface(ground, 3, 0, clip, &surface, &faults));
    assert_int_equal(surface.element_count, 2);
    if (fabs(couSurface_Area(&surface) - 45.0) > 1e-4) fail_msg("area %g, expected 45", couSurface_Area(&surface));
    const uint32_t *v = surface.indices;
    couVec3 normal = couCross(couSub(surface.vertices[v[1]], surface.vertices[v[0]]),
                              couSub(surface.vertices[v[2]], surface.vertices[v[0]]));
    assert_true(normal.y > 0.0f && fabsf(normal.x) + fabsf(normal.z) < 1e-5f);
    couSurface_Clear(&surface);
    assert_true(couShape_BuildSurface(ground, 2, 0, clip, &surface, &faults));
    assert_int_equal(surface.element_count, 1);
    assert_true(surface.vertices[surface.indices[0]].x == 4.0f && surface.vertices[surface.indices[1]].x == -1.0f);
    couSurface_Clear(&surface);
    couBounds above = {{-1, 1, -3}, {4, 5, 6}};
    for (int dimension = 2; dimension <= 3; ++dimension) {
        assert_true(couShape_BuildSurface(ground, dimension, 0, above, &surface, &faults));
        assert_int_equal(surface.element_count, 0);
        couSurface_Clear(&surface);
    }
    // In a union with something solid, turned; seen through the whole's frame.
    couShape *room = placed(both(ground, ball(1)), (couPose){{0, 0.5f, 0}, {0, 0, 0.70710678f, 0.70710678f}});
    assert_true(couShape_BuildSurface(room, 3, 0, clip, &surface, &faults));
    size_t on_wall = 0;
    for (size_t i = 0; i < surface.vertex_count; ++i)
        on_wall += fabsf(surface.vertices[i].x) < 1e-5f && surface.vertices[i].z < -2.9f;
    assert_int_equal(on_wall, 2);
    couSurface_Clear(&surface);
    couShape_Release(room);
}

// Each vertex has one segment in and one out; the area is that of the shape's cut.
static void expect_outline(const char *name, couShape *shape, double share, double area, float off)
{
    couFaults faults = {0};
    couSurface surface;
    assert_true(couShape_BuildSurface(shape, 2, 0, wide, &surface, &faults));
    assert_int_equal(surface.dimension, 2);
    uint8_t *in = calloc(surface.vertex_count + 1, 1), *out = calloc(surface.vertex_count + 1, 1);
    for (size_t i = 0; i < surface.element_count; ++i) out[surface.indices[2 * i]]++, in[surface.indices[2 * i + 1]]++;
    for (size_t i = 0; i < surface.vertex_count; ++i) {
        if (in[i] != 1 || out[i] != 1) fail_msg("%s: vertex %zu has %d segments in and %d out", name, i, in[i], out[i]);
        float distance = couShape_Distance(shape, 2, surface.vertices[i]);
        if (!(fabsf(distance) <= off))
            fail_msg("%s: vertex %zu at %g %g %g is %g m off", name, i, (double)surface.vertices[i].x,
                     (double)surface.vertices[i].y, (double)surface.vertices[i].z, (double)distance);
        assert_true(surface.vertices[i].z == 0.0f);
    }
    double got = couSurface_Volume(&surface);
    if (!(fabs(got - area) <= share * area)) fail_msg("%s: area %.6g, expected %.6g within %g", name, got, area, share);
    free(in);
    free(out);
    couSurface_Clear(&surface);
    couShape_Release(shape);
}

static void test_outlines(void **context)
{
    (void)context;
    const double pi = COU_PI;
    couQuat turned = {0, 0, 0.38268343f, 0.92387953f};
    expect_outline("box", box(1, 2, 3), 1e-6, 2, 1e-6f);
    expect_outline("disc", ball(0.5f), 0.002, pi * 0.25, 1e-6f);
    expect_outline("capsule", round_of(cou_shapeCapsule, 0.5f, 1), 0.002, pi * 0.25 + 1, 1e-6f);
    expect_outline("cylinder", round_of(cou_shapeCylinder, 0.5f, 3), 1e-6, 3, 1e-6f);
    expect_outline("trapezoid", cone(0.5f, 0.25f, 2), 1e-6, 1.5, 1e-6f);
    expect_outline("torus", torus(1, 0.25f), 0.002, 2 * pi * 0.0625, 1e-6f);
    expect_outline("polygon", polygon(comb, 12, 1), 1e-6, 8, 1e-6f);
    expect_outline("turned", placed(box(1, 2, 3), (couPose){{1, 2, 0}, turned}), 1e-6, 2, 1e-6f);
    expect_outline("tank", shell(box(1, 2, 3), 0.1f, true), 0.005, 2 * 0.2 + 0.1 + pi * 0.01 / 2, 1e-5f);
    expect_outline("hollow disc", shell(ball(1), 0.1f, false), 0.01, pi * (1.21 - 1), 1e-6f);
    expect_outline("discs", both(ball(0.5f), moved(ball(0.5f), 3, 0, 0)), 0.002, pi * 0.5, 1e-6f);
    expect_outline("cross", both(box(1, 0.3f, 1), box(0.3f, 1, 1)), 0.001, 0.51, 1e-3f);
    // A box that leaves the plane: its cut is sqrt(2) wider.
    couQuat out = {0, 0.38268343f, 0, 0.92387953f};
    expect_outline("out of the plane", placed(box(1, 1, 4), (couPose){{0, 0, 0}, out}), 0.01, sqrt(2.0), 1e-2f);
}

static size_t room_left;

static void *scarce_alloc(size_t bytes, size_t align)
{
    if (bytes > room_left) return NULL;
    return aligned_alloc(align, (bytes + align - 1) / align * align);
}

static void test_no_memory(void **context)
{
    (void)context;
    couShape *shapes[] = {both(box(1, 0.3f, 0.3f), box(0.3f, 1, 0.3f)), ball(1), polygon(comb, 12, 1)};
    for (int i = 0; i < 3; ++i) {
        couFaults faults = {0};
        couSurface surface;
        couSetAllocator(scarce_alloc, free);
        for (room_left = 0; room_left < 1500; room_left += 300)
            if (!couShape_BuildSurface(shapes[i], 3, 0, wide, &surface, &faults)) {
                assert_true(!surface.vertices && faults.count == 1);
                couFaults_Clear(&faults);
            } else {
                couSurface_Clear(&surface);
            }
        couSetAllocator(NULL, NULL);
        couShape_Release(shapes[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single_shapes), cmocka_unit_test(test_shells), cmocka_unit_test(test_grid_shapes),
        cmocka_unit_test(test_sharpness),     cmocka_unit_test(test_planes), cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
