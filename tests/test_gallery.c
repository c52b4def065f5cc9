// The gallery: every scene of scenes/ loads without a fault, and its first two frames are sound. The fountain, which emits, tears
// and drains, has the same bits with one thread and with three.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "coulis/scene.h"

#include <stdio.h>
#include <stdlib.h>

// A scene by name; fails with its faults when there are any.
static couScene *load(const char *name, int threads)
{
    couFaults faults = {0};
    couSceneOptions options = {.threads = threads};
    couScene *scene = couLoadScene(name, &options, &faults);
    for (int i = 0; i < faults.count; ++i) {
        print_error("%s: %s: %s: %s\n", name, faults.items[i].where, faults.items[i].key, faults.items[i].message);
    }
    if (!scene || faults.count > 0) fail_msg("%s does not load", name);
    couFaults_Clear(&faults);
    return scene;
}

static void prepare(const char *name, couWorld *world)
{
    couFaults faults = {0};
    if (!couWorld_Prepare(world, &faults)) {
        fail_msg("%s cannot be prepared: %s: %s", name, faults.items[0].key, faults.items[0].message);
    }
    couFaults_Clear(&faults);
}

// Advances by one frame of the scene and checks that nothing went wrong.
static void advance_frame(const char *name, couScene *scene)
{
    couWorld *world = couScene_World(scene);
    couStepReport report = couWorld_Advance(world, 1.0 / couScene_Fps(scene));
    double time = couWorld_Time(world);
    const char *error = couScene_RuntimeError(scene);
    if (error) fail_msg("%s at %g s: %s", name, time, error);
    if (report.nan_count > 0)
        fail_msg("%s at %g s: %lld particles are NaN, first %u", name, time, (long long)report.nan_count, report.first_bad_id);
    if (report.lost_count > 0)
        fail_msg("%s at %g s: %lld particles lost, first %u", name, time, (long long)report.lost_count, report.first_bad_id);
    if (report.crowded_count > 0)
        fail_msg("%s at %g s: %lld particles have too many neighbours", name, time, (long long)report.crowded_count);
    if (report.trapped_count > 0) fail_msg("%s at %g s: %lld particles are trapped", name, time, (long long)report.trapped_count);
}

// What `coulis list scenes` and the film's caption show: the first line is a comment, title and note are there. And
// what a film needs: a camera and a duration.
static void check_words(const char *name, const couScene *scene)
{
    FILE *file = fopen(couScene_Path(scene), "r");
    assert_non_null(file);
    char line[400] = "";
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    if (strncmp(line, "-- ", 3) != 0 || strlen(line) < 20)
        fail_msg("%s: the first line says nothing about the scene: %s", name, line);
    if (!couScene_Title(scene)[0]) fail_msg("%s has no title", name);
    if (!couScene_Note(scene)[0]) fail_msg("%s has no note on what to see", name);
    if (!couScene_Camera(scene).is_set) fail_msg("%s has no camera", name);
    if (!(couScene_Duration(scene) > 0)) fail_msg("%s lasts %g s", name, couScene_Duration(scene));
}

static void test_every_scene_runs(void **context)
{
    (void)context;
    char **names = couListScenes();
    assert_non_null(names);
    int count = 0;
    for (char **name = names; *name; ++name, ++count) {
        couScene *scene = load(*name, 2);
        check_words(*name, scene);
        prepare(*name, couScene_World(scene));
        for (int frame = 0; frame < 2; ++frame) advance_frame(*name, scene);
        const couWorld *world = couScene_World(scene);
        if (couWorld_Particles(couScene_World(scene)).count == 0 && couWorld_SolidCount(world) == 0)
            fail_msg("%s has neither particles nor solids after two frames", *name);
        couCloseScene(scene);
    }
    couFreeNames(names);
    if (count < 11) fail_msg("only %d scenes in the gallery", count);
}

// Hash of the fountain's state after ten frames.
static uint64_t fountain_hash(int threads)
{
    couScene *scene = load("fountain", threads);
    prepare("fountain", couScene_World(scene));
    for (int frame = 0; frame < 10; ++frame) advance_frame("fountain", scene);
    assert_true(couWorld_Particles(couScene_World(scene)).count > 1000);
    couState saved = {0};
    assert_true(couWorld_SaveState(couScene_World(scene), &saved));
    uint64_t hash = couState_Hash(&saved);
    couState_Clear(&saved);
    couCloseScene(scene);
    return hash;
}

static void test_fountain_does_not_depend_on_threads(void **context)
{
    (void)context;
    uint64_t one = fountain_hash(1), three = fountain_hash(3);
    if (one != three)
        fail_msg("hash with 1 thread %016llx, with 3 threads %016llx", (unsigned long long)one, (unsigned long long)three);
}

int main(void)
{
    setenv("COULIS_SCENES", COU_SOURCE_DIR "/scenes", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scene_runs),
        cmocka_unit_test(test_fountain_does_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
