/// Shared by the tests of src/scene: a folder with a scene file in it, scenes that must be good or bad.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base.h"
#include "coulis/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[256];

static inline void write_bytes(const char *name, const char *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static inline void write_file(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

static inline couScene *load_with(const char *text, const couSceneOptions *options, couFaults *faults)
{
    write_file("scene.lua", text);
    char path[512];
    snprintf(path, sizeof path, "%s/scene.lua", folder);
    return couLoadScene(path, options, faults);
}

static inline void print_faults(const couFaults *faults)
{
    for (int i = 0; i < faults->count; ++i) {
        print_message("  %s | %s | %s\n", faults->items[i].where, faults->items[i].key, faults->items[i].message);
    }
}

/// Loads a scene that must be good.
static inline couScene *load_good(const char *text)
{
    couFaults faults = {0};
    couScene *scene = load_with(text, NULL, &faults);
    if (!scene) {
        print_message("in: %s\n", text);
        print_faults(&faults);
    }
    assert_non_null(scene);
    assert_int_equal(faults.count, 0);
    return scene;
}

/// A bad scene and the one fault that it must give.
typedef struct Bad {
    const char *text;
    int line; // 0: only the file is named
    const char *key, *message;
} Bad;

static inline bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

static inline bool is_like(const couFault *fault, const Bad *bad)
{
    char end[64];
    if (bad->line > 0)
        snprintf(end, sizeof end, "/scene.lua:%d", bad->line);
    else
        snprintf(end, sizeof end, "/scene.lua");
    return ends_with(fault->where, end) && strcmp(fault->key, bad->key) == 0 && strstr(fault->message, bad->message);
}

static inline void check_bad(const Bad *bad)
{
    couFaults faults = {0};
    couScene *scene = load_with(bad->text, NULL, &faults);
    bool is_good = !scene && faults.count == 1 && is_like(&faults.items[0], bad);
    if (!is_good) {
        print_message("in: %s\nexpected line %d | %s | ...%s...; got %s\n", bad->text, bad->line, bad->key, bad->message,
                      scene ? "a scene" : "");
        print_faults(&faults);
    }
    assert_true(is_good);
    couFaults_Clear(&faults);
}

#define HEAD "scene { spacing = 0.05 }\n"
#define FLUID "fluid { material = \"water\", shape = box { size = {0.3, 0.3, 0.3} } }\n"

static inline void assert_near(couVec3 v, float x, float y, float z)
{
    if (couLength(couSub(v, (couVec3){x, y, z})) < 1e-5f) return;
    fail_msg("expected %g %g %g, got %g %g %g", x, y, z, v.x, v.y, v.z);
}

static inline void check_runtime_error(const char *text, const char *end_of_place, const char *message)
{
    couScene *scene = load_good(text);
    for (int i = 0; i < 3 && !couScene_RuntimeError(scene); ++i) couWorld_Advance(couScene_World(scene), 0.02);
    const char *error = couScene_RuntimeError(scene);
    if (!error || !strstr(error, end_of_place) || !strstr(error, message)) {
        fail_msg("in: %s\nexpected %s ... %s, got %s", text, end_of_place, message, error ? error : "no error");
    }
    couWorld_Advance(couScene_World(scene), 0.02); // callbacks are quiet from then on
    couCloseScene(scene);
}

static inline int set_up(void **context)
{
    (void)context;
    setenv("COULIS_CACHE", "", 1); // leave no grids behind
    snprintf(folder, sizeof folder, "/tmp/coulis-scene-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int tear_down(void **context)
{
    (void)context;
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}
