// What may happen at once in one process: worlds of all methods stepped side by side, each with threads of its own, and questions
// about the methods. The same bits as one after the other; the build with the thread sanitizer also looks for races.
#include "testing.h"

#include <pthread.h>

enum { MOST_WORLDS = 16, STEPS = 6 };
#define DT 0.001f

// --- Worlds ------------------------------------------------------------------------------------------------------------------

// Water in a tank with a free box on it that turns around a hinge.
static couWorld *make_scene(const char *method)
{
    couFaults faults = {0};
    couWorldDef def = couDefaultWorldDef();
    snprintf(def.method, sizeof def.method, "%s", method);
    def.spacing = 0.03f, def.threads = 2;
    couWorld *world = couCreateWorld(&def, &faults);
    CHECK_NO_FAULTS(&faults);
    add_body(world, make_tank(0.36f, 0.4f, 0.3f, 0.06f, true), at(0, 0.2f, 0), 0.5f);
    couBodyDef box = couDefaultBodyDef();
    box.is_dynamic = true, box.density = 500, box.shape = make_box(0.12f, 0.12f, 0.12f), box.pose = turned(0, 0.28f, 0, 0.3f);
    couJointDef hinge = couDefaultJointDef();
    hinge.kind = cou_jointHinge, hinge.at = (couVec3){0.1f, 0.28f, 0}, hinge.a = couWorld_AddBody(world, &box, &faults);
    couWorld_AddJoint(world, &hinge, &faults);
    CHECK_NO_FAULTS(&faults);
    couShape_Release(box.shape);
    add_fluid(world, add_liquid(world, 1000, 0.01f), make_box(0.36f, 0.2f, 0.3f), at(0, 0.1f, 0), NO_GRAVITY);
    prepare_world(world);
    return world;
}

static void *run_steps(void *context)
{
    couWorld *world = context;
    for (int k = 0; k < STEPS; ++k) couWorld_Step(world, DT);
    return NULL;
}

static void test_worlds_at_once(void **context)
{
    (void)context;
    const char *const *methods = couMethodNames();
    couWorld *worlds[MOST_WORLDS];
    uint64_t alone[MOST_WORLDS];
    pthread_t threads[MOST_WORLDS];
    int count = 0;
    for (; methods[count]; ++count) {
        assert_in_range(count, 0, MOST_WORLDS - 1);
        couWorld *world = make_scene(methods[count]);
        run_steps(world);
        alone[count] = hash_world(world);
        couDestroyWorld(world);
        worlds[count] = make_scene(methods[count]);
    }
    assert_true(count >= 7);
    for (int k = 0; k < count; ++k) assert_int_equal(pthread_create(&threads[k], NULL, run_steps, worlds[k]), 0);
    for (int k = 0; k < count; ++k) assert_int_equal(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < count; ++k) {
        uint64_t hash = hash_world(worlds[k]);
        if (hash != alone[k])
            fail_msg("%s: expected %016llx as alone, got %016llx", methods[k], (unsigned long long)alone[k],
                     (unsigned long long)hash);
        couDestroyWorld(worlds[k]);
    }
}

// --- Questions ---------------------------------------------------------------------------------------------------------------

enum { ASKING = 4, QUESTIONS = 2000 };

// Returns what was wrong.
static const char *find_wrong_name(void)
{
    static const char *const first = "pvfs";
    const char *const *names = couMethodNames(), *const *tables = couMethodTableNames();
    int count = 0, table_count = 0;
    while (names[count]) ++count;
    while (tables[table_count]) ++table_count;
    if (count < 7 || table_count < count) return "too few names";
    if (strcmp(names[0], first) != 0 || strcmp(tables[0], first) != 0) return "another name comes first";
    for (int k = 0; k < count; ++k)
        if (!couMethodHelp(names[k])) return names[k];
    for (int k = 0; k < table_count; ++k)
        if (!couMethodParams(tables[k])) return tables[k];
    return NULL;
}

static void *ask(void *context)
{
    (void)context;
    for (int k = 0; k < QUESTIONS; ++k) {
        const char *wrong = find_wrong_name();
        if (wrong) return (void *)wrong;
    }
    return NULL;
}

static void test_names_at_once(void **context)
{
    (void)context;
    pthread_t threads[ASKING];
    for (int k = 0; k < ASKING; ++k) assert_int_equal(pthread_create(&threads[k], NULL, ask, NULL), 0);
    const char *wrong = NULL;
    for (int k = 0; k < ASKING; ++k) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[k], &result), 0);
        if (result) wrong = result;
    }
    if (wrong) fail_msg("names of methods, asked for by %d threads: %s", ASKING, wrong);
}

int main(void)
{
    // The names come first: nobody has asked for them yet.
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_at_once),
        cmocka_unit_test(test_worlds_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
