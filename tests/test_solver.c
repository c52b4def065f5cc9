// The solver alone: what it leaves be, what it stops, that equal problems give equal bits, islands, both ways of solving.
#include "rigid_test.h"

#include <pthread.h>

static couRigidBody make_cube(double mass, double size, double x, double y)
{
    double i = mass * size * size / 6;
    return (couRigidBody){cou_rigidFree, {{x, y, 0}, {0, 0, 0, 1}, {0}, {0}}, mass, {i, i, i, 0, 0, 0}};
}

static couRigidProblem make_problem(couRigidBody *bodies, int count)
{
    return (couRigidProblem){
        .bodies = bodies, .body_count = count, .dimension = 3, .dt = 0.005, .slop = 1e-5, .still = 0.1, .push = 1};
}

static couRigidContact contact_at(int a, int b, couVec3 point, couVec3 normal, float depth)
{
    return (couRigidContact){a, b, point, normal, depth, 0.5f, 0};
}

static void test_free_motion(void **context)
{
    (void)context;
    couRigidBody bodies[3] = {make_cube(2, 0.1, 0, 0), make_cube(2, 0.1, 5, 0), make_cube(2, 0.1, 9, 0)};
    bodies[1].kind = cou_rigidFixed, bodies[2].kind = cou_rigidDriven;
    for (int b = 0; b < 3; ++b) bodies[b].state.velocity[0] = 3, bodies[b].state.spin[2] = 4;
    couRigidBody before[3];
    memcpy(before, bodies, sizeof before);
    couRigidProblem problem = make_problem(bodies, 3);
    assert_true(couSolveRigid(&problem));
    CHECK_NEAR(bodies[0].state.position[0], 3 * 0.005, 1e-15, 0);
    CHECK_NEAR(2 * atan2(bodies[0].state.rotation[2], bodies[0].state.rotation[3]), 4 * 0.005, 1e-12, 0);
    CHECK_NEAR(bodies[0].state.velocity[0], 3, 0, 0);
    assert_memory_equal(&before[1], &bodies[1], sizeof before[1]); // others stay
    for (int k = 0; k < 3; ++k) CHECK_NEAR(bodies[2].state.position[k], before[2].state.position[k], 1e-12, k);
    // Nothing at all.
    problem.body_count = 0;
    assert_true(couSolveRigid(&problem));
}

// The angular momentum of any free turn stays, also with an inertia that is not along the axes.
static void test_free_turn(void **context)
{
    (void)context;
    couRigidBody body = make_cube(1, 1, 0, 0);
    double inertia[6] = {0.3, 0.5, 0.7, 0.05, -0.08, 0.1};
    memcpy(body.inertia, inertia, sizeof inertia);
    body.state.spin[0] = 1, body.state.spin[1] = 5, body.state.spin[2] = -2;
    double first[3] = {0.3 * 1 + 0.05 * 5 + 0.08 * 2, 0.05 * 1 + 0.5 * 5 - 0.1 * 2, -0.08 * 1 + 0.1 * 5 - 0.7 * 2};
    couRigidProblem problem = make_problem(&body, 1);
    for (int k = 0; k < 2000; ++k) assert_true(couSolveRigid(&problem));
    double back[4] = {-body.state.rotation[0], -body.state.rotation[1], -body.state.rotation[2], body.state.rotation[3]}, w[3],
           now[3];
    couRotateD(back, body.state.spin, w);
    double l[3] = {0.3 * w[0] + 0.05 * w[1] - 0.08 * w[2], 0.05 * w[0] + 0.5 * w[1] + 0.1 * w[2],
                   -0.08 * w[0] + 0.1 * w[1] + 0.7 * w[2]};
    couRotateD(body.state.rotation, l, now);
    for (int k = 0; k < 3; ++k) CHECK_NEAR(now[k], first[k], 1e-9, k);
}

// Four contacts below a cube stop it without turning it; friction stops what slides slowly, and takes its share of what is fast.
static void test_landing(void **context)
{
    (void)context;
    for (int is_fast = 0; is_fast < 2; ++is_fast) {
        couRigidBody bodies[2] = {make_cube(8, 0.2, 0, 0.1), {.kind = cou_rigidFixed, .state.rotation = {0, 0, 0, 1}}};
        bodies[0].state.velocity[1] = -0.05, bodies[0].state.velocity[0] = is_fast ? 1 : 0.01;
        couRigidContact contacts[4];
        for (int k = 0; k < 4; ++k)
            contacts[k] = contact_at(0, 1, (couVec3){k & 1 ? 0.1f : -0.1f, 0, k & 2 ? 0.1f : -0.1f}, (couVec3){0, 1, 0}, 1e-6f);
        couRigidProblem problem = make_problem(bodies, 2);
        problem.contacts = contacts, problem.contact_count = 4;
        assert_true(couSolveRigid(&problem));
        CHECK_NEAR(bodies[0].state.velocity[1], 0, 1e-4, is_fast);
        CHECK_NEAR(bodies[0].state.velocity[0], is_fast ? 1 - 0.5 * 0.05 : 0, 1e-3, is_fast);
        for (int k = 0; k < 3; ++k) CHECK_NEAR(bodies[0].state.spin[k], 0, 1e-2, k);
    }
}

// Overlaps end a fifth at a time by moving, and give no speed; never faster than `push`.
static void test_mending(void **context)
{
    (void)context;
    couRigidBody bodies[2] = {make_cube(8, 0.2, 0, 0.09), {.kind = cou_rigidFixed, .state.rotation = {0, 0, 0, 1}}};
    couRigidContact contact = contact_at(0, 1, (couVec3){0, 0, 0}, (couVec3){0, 1, 0}, 0.01f);
    couRigidProblem problem = make_problem(bodies, 2);
    problem.contacts = &contact, problem.contact_count = 1;
    assert_true(couSolveRigid(&problem));
    CHECK_NEAR(bodies[0].state.position[1], 0.09 + 0.2 * (0.01 - 1e-5), 1e-5, 0);
    CHECK_NEAR(bodies[0].state.velocity[1], 0, 1e-9, 0);
    problem.push = 0.1, bodies[0].state.position[1] = 0.09;
    assert_true(couSolveRigid(&problem));
    CHECK_NEAR(bodies[0].state.position[1], 0.09 + 0.1 * 0.005, 1e-5, 0);
}

static void test_bounce(void **context)
{
    (void)context;
    couRigidBody bodies[2] = {make_cube(1, 0.2, 0, 0.1), make_cube(3, 0.2, 0.2, 0.1)};
    bodies[0].state.velocity[0] = 2;
    couRigidContact contact = contact_at(0, 1, (couVec3){0.1f, 0.1f, 0}, (couVec3){-1, 0, 0}, 1e-6f);
    contact.restitution = 0.5f, contact.friction = 0;
    couRigidProblem problem = make_problem(bodies, 2);
    problem.contacts = &contact, problem.contact_count = 1;
    assert_true(couSolveRigid(&problem));
    double v = bodies[0].state.velocity[0], w = bodies[1].state.velocity[0];
    CHECK_NEAR(v + 3 * w, 2, 1e-9, 0);
    CHECK_NEAR(w - v, 0.5 * 2, 1e-4, 0);
    // Too slow to bounce.
    bodies[0].state.velocity[0] = 0.05, bodies[1].state.velocity[0] = 0;
    assert_true(couSolveRigid(&problem));
    CHECK_NEAR(bodies[0].state.velocity[0] - bodies[1].state.velocity[0], 0, 1e-5, 0);
}

// --- Many --------------------------------------------------------------------------------------------------------------------

enum { ROWS = 30, COLUMNS = 3 };

// Columns of cubes under gravity for a step, each on the one below; in one island where they are tied together.
static couRigidProblem make_columns(couRigidBody *bodies, couRigidContact *contacts, couRigidJoint *joints, bool is_tied)
{
    int body_count = 1, contact_count = 0, joint_count = 0;
    bodies[0] = (couRigidBody){.kind = cou_rigidFixed, .state.rotation = {0, 0, 0, 1}};
    for (int c = 0; c < COLUMNS; ++c)
        for (int r = 0; r < ROWS; ++r) {
            int b = body_count++, below = r ? b - 1 : 0;
            bodies[b] = make_cube(8, 0.2, c, 0.1 + 0.2 * r);
            bodies[b].state.velocity[1] = -9.81 * 0.005;
            for (int k = 0; k < 4; ++k)
                contacts[contact_count++] = contact_at(
                    below, b, (couVec3){(float)c + (k & 1 ? 0.1f : -0.1f), 0.2f * (float)r, k & 2 ? 0.1f : -0.1f},
                    (couVec3){0, -1, 0}, 1e-6f);
            if (is_tied && c > 0 && r == 0)
                joints[joint_count++] = (couRigidJoint){
                    .def = {.kind = cou_jointBall, .at = {(float)c - 0.5f, 0.1f, 0}, .lower = NAN, .upper = NAN},
                    .a = b,
                    .b = b - ROWS,
                    .at_start_a = bodies[b].state,
                    .at_start_b = bodies[b - ROWS].state};
        }
    couRigidProblem problem = make_problem(bodies, body_count);
    problem.contacts = contacts, problem.contact_count = contact_count, problem.joints = joints,
    problem.joint_count = joint_count;
    problem.seed = 7;
    return problem;
}

typedef struct Columns {
    couRigidBody bodies[1 + ROWS * COLUMNS];
    couRigidContact contacts[4 * ROWS * COLUMNS];
    couRigidJoint joints[COLUMNS];
    bool is_tied;
} Columns;

static void *solve_columns(void *context)
{
    Columns *columns = context;
    couRigidProblem problem = make_columns(columns->bodies, columns->contacts, columns->joints, columns->is_tied);
    for (int k = 0; k < 5; ++k)
        if (!couSolveRigid(&problem)) return NULL;
    return columns;
}

// Equal problems have equal bits, also when others are solved at the same time; large islands (iterative) too.
static void test_same_bits(void **context)
{
    (void)context;
    for (int is_tied = 0; is_tied < 2; ++is_tied) {
        Columns *columns = calloc(5, sizeof *columns);
        columns[0].is_tied = is_tied;
        assert_non_null(solve_columns(&columns[0]));
        pthread_t threads[4];
        for (int t = 0; t < 4; ++t) {
            columns[1 + t].is_tied = is_tied;
            assert_int_equal(pthread_create(&threads[t], NULL, solve_columns, &columns[1 + t]), 0);
        }
        for (int t = 0; t < 4; ++t) {
            void *result = NULL;
            pthread_join(threads[t], &result);
            assert_non_null(result);
            assert_memory_equal(columns[0].bodies, columns[1 + t].bodies, sizeof columns[0].bodies);
        }
        free(columns);
    }
}

// An island's result does not depend on what else there is, and where it stands in the list.
static void test_islands_are_apart(void **context)
{
    (void)context;
    couRigidBody alone[1] = {make_cube(8, 0.2, 0, 0.1)},
                 many[3] = {make_cube(1, 0.1, 7, 7), make_cube(8, 0.2, 0, 0.1), make_cube(8, 0.2, 3, 0.1)};
    couRigidBody ground = {.kind = cou_rigidFixed, .state.rotation = {0, 0, 0, 1}};
    couRigidBody a[2] = {alone[0], ground}, b[4] = {many[0], many[1], many[2], ground};
    a[0].state.velocity[1] = b[1].state.velocity[1] = b[2].state.velocity[1] = -1, a[0].state.spin[2] = b[1].state.spin[2] = 0.3;
    couRigidContact one = contact_at(0, 1, (couVec3){0.1f, 0, 0}, (couVec3){0, 1, 0}, 1e-3f);
    couRigidContact two[2] = {contact_at(1, 3, (couVec3){0.1f, 0, 0}, (couVec3){0, 1, 0}, 1e-3f),
                              contact_at(2, 3, (couVec3){3, 0, 0}, (couVec3){0, 1, 0}, 1e-3f)};
    couRigidProblem problem = make_problem(a, 2);
    problem.contacts = &one, problem.contact_count = 1;
    assert_true(couSolveRigid(&problem));
    problem = make_problem(b, 4);
    problem.contacts = two, problem.contact_count = 2;
    assert_true(couSolveRigid(&problem));
    assert_memory_equal(&a[0].state, &b[1].state, sizeof a[0].state);
}

// Contacts that contradict each other, and the same one many times over: finite, calm.
static void test_contradictions(void **context)
{
    (void)context;
    couRigidBody bodies[2] = {make_cube(8, 0.2, 0, 0.1), {.kind = cou_rigidFixed, .state.rotation = {0, 0, 0, 1}}};
    bodies[0].state.velocity[1] = -1;
    couRigidContact contacts[40];
    for (int k = 0; k < 40; ++k) contacts[k] = contact_at(0, 1, (couVec3){0, 0, 0}, (couVec3){0, k % 2 ? 1 : -1, 0}, 0.01f);
    couRigidProblem problem = make_problem(bodies, 2);
    problem.contacts = contacts, problem.contact_count = 40;
    assert_true(couSolveRigid(&problem));
    for (int k = 0; k < 3; ++k) {
        CHECK_RANGE(bodies[0].state.velocity[k], -2, 2, k);
        CHECK_RANGE(bodies[0].state.position[k], -0.2, 0.3, k);
    }
}

// Bodies in the plane stay there exactly.
static void test_plane(void **context)
{
    (void)context;
    couRigidBody bodies[2] = {make_cube(8, 0.2, 0, 0.1), {.kind = cou_rigidFixed, .state.rotation = {0, 0, 0, 1}}};
    bodies[0].state.velocity[1] = -1, bodies[0].state.velocity[0] = 0.5;
    couRigidContact contact = contact_at(0, 1, (couVec3){0.1f, 0, 0}, (couVec3){0, 1, 0}, 1e-3f);
    couRigidProblem problem = make_problem(bodies, 2);
    problem.contacts = &contact, problem.contact_count = 1, problem.dimension = 2;
    for (int k = 0; k < 20; ++k) assert_true(couSolveRigid(&problem));
    const couRigidState *state = &bodies[0].state;
    CHECK_NEAR(fabs(state->position[2]) + fabs(state->velocity[2]) + fabs(state->spin[0]) + fabs(state->spin[1]) +
                   fabs(state->rotation[0]) + fabs(state->rotation[1]),
               0, 0, 0);
    assert_true(state->spin[2] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_motion),       cmocka_unit_test(test_free_turn),      cmocka_unit_test(test_landing),
        cmocka_unit_test(test_mending),           cmocka_unit_test(test_bounce),         cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_islands_are_apart), cmocka_unit_test(test_contradictions), cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
