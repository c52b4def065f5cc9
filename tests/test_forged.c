// Forged checkpoints: their seal is right and their content is wild. The program refuses them with a message, or goes on.
#include "testing.h"

#include "base/random.h"
#include "coulis/checkpoint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

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

enum { seal_bytes = 512, most_bytes = 1 << 20 };

// Changes a few bytes behind the seal, mostly where HDF5's own structures are: in front, and at names and sizes.
static void damage(unsigned char *file, size_t size, couRandom *random)
{
    static const uint64_t wild[] = {0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
    for (uint64_t left = 1 + couNextRandom(random) % 4; left > 0; --left) {
        size_t reach = couNextRandom(random) % 2 ? COU_MIN(size, 4096) : size;
        size_t at = seal_bytes + couNextRandom(random) % (reach - seal_bytes - 8);
        uint64_t value = wild[couNextRandom(random) % COU_COUNT(wild)];
        if (couNextRandom(random) % 2)
            memcpy(file + at, &value, 1 + couNextRandom(random) % 8);
        else
            file[at] ^= (unsigned char)(1u << couNextRandom(random) % 8);
    }
    memset(file, 0, seal_bytes);
    snprintf((char *)file, seal_bytes, "Coulis checkpoint 1\nbytes %zu\nxxh3 %016llx\n", size,
             (unsigned long long)XXH3_64bits(file + seal_bytes, size - seal_bytes));
}

// Files of which HDF5 itself is the reader's only guard: the program refuses them in words, or goes on.
static void test_damage_behind_the_seal(void **context)
{
    (void)context;
    static unsigned char file[most_bytes], damaged[most_bytes];
    char path[128], command[512];
    couRandom random = {couMix64(29)};
    write_scene();
    assert_int_equal(run_program("./scene.lua --frames 2"), 0);
    snprintf(path, sizeof path, "%s/run/checkpoint.h5", folder);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    assert_true(size > 8192 && size < sizeof file);
    const char *is_long = getenv("COU_LONG_TESTS");
    int refused = 0, count = is_long && *is_long ? 1000 : 40;
    for (int k = 0; k < count; ++k) {
        memcpy(damaged, file, size);
        damage(damaged, size, &random);
        snprintf(path, sizeof path, "%s/forged.h5", folder);
        stream = fopen(path, "wb");
        assert_true(stream && fwrite(damaged, 1, size, stream) == size && fclose(stream) == 0);
        snprintf(command, sizeof command, "cd '%s' && '%s' info forged.h5 >said 2>&1 </dev/null", folder, COU_PROGRAM);
        int status = system(command), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == 2) ++refused;
        if (code != 0 && (code != 2 || !has_said("forged.h5"))) fail_msg("input %d: info ends with %d", k, code);
        snprintf(command, sizeof command, "cp '%s' '%s/run/checkpoint.h5'", path, folder);
        if (k % 10 > 0) continue;
        assert_int_equal(system(command), 0);
        code = run_program("--resume run --frames 2");
        if (code != 0 && code != 2) fail_msg("input %d: a resume ends with %d", k, code);
    }
    print_message("%d of %d were refused\n", refused, count);
    assert_true(refused > count / 4 && refused <= count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forged_numbers_are_refused),
        cmocka_unit_test(test_high_ids_go_on),
        cmocka_unit_test(test_damage_behind_the_seal),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
