// Forged checkpoints: their seal is right and their content is wild. The program refuses them with a message, or goes on.
#include "testing.h"

#include "coulis/checkpoint.h"

static char folder[64];

static int make_folder(void **context)
{
    (void)context;
    strcpy(folder, "/tmp/coulis-forged-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **context)
{
    (void)context;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

// The exit code of a run of the scene in the folder; what it says is left in FOLDER/said.
static int run_program(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd '%s' && COULIS_CACHE='' '%s' run %s --out run --threads 1 --export none --quiet >said 2>&1 </dev/null", folder,
             COU_PROGRAM, arguments);
    int status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool has_said(const char *text)
{
    char path[128], said[4096];
    snprintf(path, sizeof path, "%s/said", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    said[fread(said, 1, sizeof said - 1, file)] = '\0';
    fclose(file);
    return strstr(said, text) != NULL;
}

static void write_scene(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/scene.lua", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("scene { spacing = 0.05, duration = 1, fps = 50 }\n"
          "local honey = material('honey', { springs = 'plastic', shear_modulus = 100 })\n"
          "body { shape = plane {} }\n"
          "fluid { material = honey, shape = box { size = {0.2, 0.2, 0.2} }, at = {0, 0.1, 0} }\n"
          "emitter { material = honey, shape = disk { radius = 0.06 }, at = {0, 0.6, 0}, direction = {0, -1, 0}, speed = 1 }\n"
          "every(0.01, function(world) world.store.n = (world.store.n or 0) + 1 end)\n",
          file);
    assert_int_equal(fclose(file), 0);
}

// Goes on from the run's checkpoint with one number changed, for another frame.
static int resume_with(const char *array, int place, double value)
{
    char path[128];
    couFaults faults = {0};
    couCheckpointInfo info;
    couState state = {0};
    assert_int_equal(run_program("./scene.lua --frames 2"), 0);
    snprintf(path, sizeof path, "%s/run/checkpoint.h5", folder);
    assert_true(couReadCheckpoint(path, &info, &state, &faults));
    couStateArray *forged = NULL;
    for (int a = 0; a < state.count; ++a)
        if (strcmp(state.arrays[a].name, array) == 0) forged = &state.arrays[a];
    assert_non_null(forged);
    if (place < 0) place += (int)forged->count;
    switch (forged->type) {
    case cou_stateF64: ((double *)forged->data)[place] = value; break;
    case cou_stateU32: ((uint32_t *)forged->data)[place] = (uint32_t)value; break;
    case cou_stateU64: ((uint64_t *)forged->data)[place] = (uint64_t)value; break;
    default: fail_msg("%s has another type", array);
    }
    assert_true(couWriteCheckpoint(path, &info, &state, &faults));
    CHECK_NO_FAULTS(&faults);
    couState_Clear(&state);
    return run_program("--resume run --frames 3");
}

static void test_forged_numbers_are_refused(void **context)
{
    (void)context;
    static const struct {
        const char *array;
        int place;
        double value;
        const char *message;
    } cases[] = {
        {"world/time", 0, 1e30, "events/next: row 0 of the saved state: next cannot be 0.04"},
        {"world/time", 0, 1000, "frame 2 ends at 0.04 s, but the saved state is of 1000 s"},
        {"world/time", 0, 0.0, "frame 2 ends at 0.04 s, but the saved state is of 0 s"},
        {"world/time", 0, -1e9, "time cannot be -1000000000"},
        {"world/counters", 1, 1e15, "next_id cannot be 1e+15"},
        {"particles/id", -1, 4e9, "of the saved particles has an impossible id"},
        {"emitters/progress", 1, 1e300, "travelled cannot be 1e+300"},
        {"emitters/progress", 2, 1e18, "emitted cannot be 1e+18"},
        {"events/next", 0, -1e300, "next cannot be -1e+300"},
    };
    write_scene();
    for (int k = 0; k < COU_COUNT(cases); ++k) {
        int code = resume_with(cases[k].array, cases[k].place, cases[k].value);
        if (code != 2 || !has_said(cases[k].message)) {
            char show[128];
            snprintf(show, sizeof show, "cat '%s/said' >&2", folder);
            int unused = system(show);
            (void)unused;
            fail_msg("%s[%d] = %g: expected exit code 2 and '%s', got %d", cases[k].array, cases[k].place, cases[k].value,
                     cases[k].message, code);
        }
    }
}

// Ids as high as they go, as of a stream that has run for years: the run goes on, and needs no memory for those that are gone.
static void test_high_ids_go_on(void **context)
{
    (void)context;
    write_scene();
    assert_int_equal(resume_with("world/counters", 1, 4294967295.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_numbers_are_refused),
        cmocka_unit_test(test_high_ids_go_on),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
