/// Shared by the tests of shapes: random points, checks that name the seed, makers of shapes. COULIS_TEST_SEED chooses other
/// random points.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "coulis/shape.h"

#include <stdio.h>
#include <stdlib.h>

// --- Random numbers and reports ----------------------------------------------------------------------------------------------

static uint64_t seed = 1, state = 1;

static inline double uniform(double lower, double upper)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return lower + (upper - lower) * (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static inline couVec3 random_point(int dimension, double reach)
{
    couVec3 p = {(float)uniform(-reach, reach), (float)uniform(-reach, reach), (float)uniform(-reach, reach)};
    if (dimension == 2) p.z = 0.0f;
    return p;
}

static inline couQuat random_rotation(void)
{
    couQuat q = {(float)uniform(-1, 1), (float)uniform(-1, 1), (float)uniform(-1, 1), (float)uniform(0.1, 1)};
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (couQuat){q.x / length, q.y / length, q.z / length, q.w / length};
}

#define CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            print_error("%s is false: ", #condition); \
            print_error(__VA_ARGS__); \
            print_error(" (seed %llu)\n", (unsigned long long)seed); \
            fail(); \
        } \
    } while (0)

static inline int reset(void **context)
{
    (void)context;
    const char *text = getenv("COULIS_TEST_SEED");
    seed = text ? strtoull(text, NULL, 10) : 1;
    state = seed;
    return 0;
}

static inline couShape *make(couShapeDef def)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    for (int i = 0; i < faults.count; ++i) print_error("%s: %s\n", faults.items[i].key, faults.items[i].message);
    assert_non_null(shape);
    assert_int_equal(faults.count, 0);
    return shape;
}

// Takes over the child's reference.
static inline couShape *make_around(couShapeDef def, couShape *child)
{
    def.children = &child;
    def.child_count = 1;
    couShape *shape = make(def);
    couShape_Release(child);
    return shape;
}

static inline couShape *make_placed(couShape *child, couVec3 at, couQuat rotation)
{
    return make_around((couShapeDef){.kind = cou_shapePlaced, .pose = {at, rotation}}, child);
}

static inline couShape *make_shell(couShape *child, float thickness, bool is_open)
{
    return make_around((couShapeDef){.kind = cou_shapeShell, .thickness = thickness, .is_open = is_open}, child);
}

static inline couShape *make_union(couShape **children, int count)
{
    couShape *shape = make((couShapeDef){.kind = cou_shapeUnion, .children = children, .child_count = count});
    for (int i = 0; i < count; ++i) couShape_Release(children[i]);
    return shape;
}

static const couQuat no_turn = {0, 0, 0, 1};

static inline couQuat turned(couVec3 axis, double degrees)
{
    double half = degrees * COU_PI / 360.0;
    couVec3 n = couNormalize(axis);
    return (couQuat){(float)(n.x * sin(half)), (float)(n.y * sin(half)), (float)(n.z * sin(half)), (float)cos(half)};
}

static inline couShape *make_box(float x, float y, float z)
{
    return make((couShapeDef){.kind = cou_shapeBox, .size = {x, y, z}});
}

#define DEF(...) ((couShapeDef){__VA_ARGS__})
