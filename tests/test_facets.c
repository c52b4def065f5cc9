// Shapes as triangles for the tracer: on the surface, turned outward, and left alone where no formula is known.
#include "base/base.h"
#include "render/facets.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static couFaults faults;

static couShape *make(couShapeDef def)
{
    couShape *shape = couCreateShape(&def, &faults);
    if (!shape) fail_msg("%s: %s", faults.items[0].key, faults.items[0].message);
    return shape;
}

static couShape *make_box(float rounding)
{
    return make((couShapeDef){.kind = cou_shapeBox, .size = {0.4f, 0.6f, 0.3f}, .rounding = rounding});
}

static couShape *make_round(couShapeKind kind)
{
    return make((couShapeDef){.kind = kind, .radius = 0.3f, .radius2 = 0.1f, .height = 0.5f});
}

// Takes the child.
static couShape *wrap(couShapeKind kind, couShape *child, bool is_open)
{
    couShape *shape = make((couShapeDef){.kind = kind,
                                         .children = &child,
                                         .child_count = 1,
                                         .thickness = 0.02f,
                                         .is_open = is_open,
                                         .pose = {{0.1f, -0.2f, 0.3f}, {0, 0.6f, 0, 0.8f}}});
    couShape_Release(child);
    return shape;
}

// Middles of triangles lie on the surface to within the chords' error; a step along their normal leaves the solid. Releases it.
static void check(const char *what, couShape *shape, bool is_clear, bool is_even)
{
    couSurface facets;
    couBounds box;
    bool is_flat = !is_even;
    if (!couBuildFacets(shape, is_clear, &facets, &is_flat)) fail_msg("%s has no triangles", what);
    if (is_flat != is_even) fail_msg("%s: even %d, expected %d", what, is_flat, is_even);
    assert_true(couShape_Bounds(shape, 3, &box));
    couVec3 size = couSub(box.upper, box.lower);
    float half = 0.5f * COU_MAX(size.x, COU_MAX(size.y, size.z)), allowed = is_even ? 1e-6f : COU_FACET_ERROR * half;
    for (size_t t = 0; t < facets.element_count; ++t) {
        const uint32_t *corner = facets.indices + 3 * t;
        couVec3 a = facets.vertices[corner[0]], b = facets.vertices[corner[1]], c = facets.vertices[corner[2]];
        couVec3 middle = couScale(1.0f / 3.0f, couAdd(a, couAdd(b, c)));
        couVec3 normal = couNormalize(couCross(couSub(b, a), couSub(c, a)));
        float d = couShape_Distance(shape, 3, middle);
        float out = couShape_Distance(shape, 3, couMulAdd(middle, 4.0f * COU_FACET_ERROR * half, normal));
        if (!(fabsf(d) <= allowed))
            fail_msg("%s, triangle %zu: %g m off the surface, allowed %g", what, t, (double)d, (double)allowed);
        if (!(out > 0.0f)) fail_msg("%s, triangle %zu: %g m after a step outward", what, t, (double)out);
    }
    couSurface_Clear(&facets);
    couShape_Release(shape);
}

static void test_facets_lie_on_the_surface(void **context)
{
    (void)context;
    const couVec3 points[] = {{0, 0, 0}, {0.5f, 0, 0}, {0.2f, 0.2f, 0}, {0, 0.5f, 0}};
    check("a box", make_box(0), true, true);
    check("a rounded box", make_box(0.05f), true, false);
    check("a sphere", make_round(cou_shapeSphere), true, false);
    check("a capsule", make_round(cou_shapeCapsule), true, false);
    check("a cylinder", make_round(cou_shapeCylinder), true, false);
    check("a cone", make_round(cou_shapeCone), true, false);
    check("a torus", make_round(cou_shapeTorus), true, false);
    check("a polygon", make((couShapeDef){.kind = cou_shapePolygon, .points = points, .point_count = 4, .height = 0.2f}), true,
          true);
    check("a tank", wrap(cou_shapeShell, make_box(0), true), true, false);
    check("a hollow box", wrap(cou_shapeShell, make_box(0), false), true, false);
    check("a glass", wrap(cou_shapeShell, make_round(cou_shapeCylinder), true), true, false);
    check("a bubble", wrap(cou_shapeShell, make_round(cou_shapeSphere), false), true, false);
    check("a box that is moved", wrap(cou_shapePlaced, make_box(0), false), true, true);
    couShape *parts[2] = {make_box(0), wrap(cou_shapePlaced, make_round(cou_shapeSphere), false)};
    parts[1] = wrap(cou_shapePlaced, wrap(cou_shapePlaced, parts[1], false), false); // away from the box
    couShape *both = make((couShapeDef){.kind = cou_shapeUnion, .children = parts, .child_count = 2});
    couSurface facets;
    bool is_even;
    assert_false(couBuildFacets(both, true, &facets, &is_even)); // faces inside would bend light
    for (int i = 0; i < 2; ++i) couShape_Release(parts[i]);
    check("two parts", both, false, false);
}

static void test_what_has_no_formula_is_left_alone(void **context)
{
    (void)context;
    couSurface facets;
    bool is_even;
    couShape *parts[2] = {make_box(0), make_round(cou_shapeSphere)};
    couShape *cut = make((couShapeDef){.kind = cou_shapeDifference, .children = parts, .child_count = 2});
    couShape *plane = make((couShapeDef){.kind = cou_shapePlane, .axis = {0, 1, 0}});
    couShape *lying = wrap(cou_shapePlaced, make_round(cou_shapeCylinder), false);
    couShape *cup = make(
        (couShapeDef){.kind = cou_shapeShell, .children = &lying, .child_count = 1, .thickness = 0.02f, .is_open = true});
    const couShape *none[] = {cut, plane, cup};
    for (int i = 0; i < 3; ++i) {
        if (couBuildFacets(none[i], false, &facets, &is_even)) fail_msg("shape %d has triangles", i);
        assert_null(facets.vertices);
    }
    couShape_Release(cut), couShape_Release(plane), couShape_Release(cup), couShape_Release(lying);
    for (int i = 0; i < 2; ++i) couShape_Release(parts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facets_lie_on_the_surface),
        cmocka_unit_test(test_what_has_no_formula_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
