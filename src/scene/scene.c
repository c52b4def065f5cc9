// Loading a scene: find the file, run it in the sandbox, apply --set, build the world.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void couScene_AddToHash(couScene *scene, const void *bytes, size_t size)
{
    scene->hash = XXH3_64bits_withSeed(bytes, size, scene->hash);
}

bool couScene_AddFile(couScene *scene, const char *name, const char *path)
{
    for (size_t i = 0; i < scene->file_count; ++i)
        if (strcmp(scene->files[i].name, name) == 0) return true;
    couSceneFile file;
    // What has no such name cannot be copied under it; a scene's own files are far from that long.
    if (strlen(name) >= sizeof file.name || strlen(path) >= sizeof file.path) return true;
    if (!COU_GROW(NULL, scene->files, scene->file_capacity, scene->file_count + 1)) return false;
    strcpy(file.name, name);
    strcpy(file.path, path);
    scene->files[scene->file_count++] = file;
    return true;
}

// --- Finding the file --------------------------------------------------------------------------------------------------------

static void missing_scene(const char *name, couFaults *faults)
{
    char **names = couListScenes();
    int count = 0;
    while (names && names[count]) ++count;
    const char *nearest = couSuggest((const char *const *)names, count, name);
    if (nearest) {
        couFaults_Add(faults, name, NULL, "there is no scene of this name: did you mean '%s'?", nearest);
    } else {
        couFaults_Add(faults, name, NULL,
                      "there is no scene of this name in the gallery; a file needs its path, like ./%.60s.lua", name);
    }
    couFreeNames(names);
}

static bool is_path(const char *text)
{
    size_t length = strlen(text);
    return strchr(text, '/') || (length > 4 && strcmp(text + length - 4, ".lua") == 0);
}

static bool find_file(couScene *scene, const char *path_or_name, couFaults *faults)
{
    if (!is_path(path_or_name)) {
        if (couFindScene(path_or_name, scene->path, sizeof scene->path)) return true;
        missing_scene(path_or_name, faults);
        return false;
    }
    if (strlen(path_or_name) >= sizeof scene->path) {
        couFaults_Add(faults, path_or_name, NULL, "the path is longer than %zu bytes", sizeof scene->path - 1);
        return false;
    }
    strcpy(scene->path, path_or_name);
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// The real folder of the file, for require.
static bool find_folder(couScene *scene)
{
    char *real = realpath(scene->path, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    bool is_good = slash && strlen(real) < sizeof scene->folder && couScene_AddFile(scene, base_name(scene->path), real);
    if (is_good) {
        *slash = '\0';
        snprintf(scene->folder, sizeof scene->folder, "%s", real[0] ? real : "/");
    }
    free(real);
    return is_good;
}

// --- Running it --------------------------------------------------------------------------------------------------------------

static int open_language(lua_State *lua)
{
    couScene_OpenShapes(lua);
    couScene_OpenMeshes(lua);
    couScene_OpenTexts(lua);
    couScene_OpenWords(lua);
    couScene_OpenThings(lua);
    couScene_OpenWorld(lua);
    couScene_OpenRequire(lua);
    couScene_OpenStandIns(lua);
    return 0;
}

static void add_lua_fault(couScene *scene, couFaults *faults)
{
    const couLuaError *error = &scene->sandbox.error;
    couFaults_Add(faults, error->where[0] ? error->where : scene->path, NULL, "%s", error->message);
}

// False when the script could not run to its end. Faults of its calls alone do not stop it.
static bool run_script(couScene *scene, const char *text, size_t size, couFaults *faults)
{
    couSandbox *sandbox = &scene->sandbox;
    lua_pushcfunction(sandbox->lua, open_language);
    bool is_good = couSandbox_Call(sandbox, 0, 0, couScene_LoadLimits(scene)) &&
                   couSandbox_Compile(sandbox, base_name(scene->path), scene->path, text, size) &&
                   couSandbox_Call(sandbox, 0, 0, couScene_LoadLimits(scene));
    if (!is_good) add_lua_fault(scene, faults);
    return is_good;
}

static void seed_from_override(couScene *scene, const couSceneOptions *options)
{
    const char *seed = couFindOverride(options, "seed");
    if (!seed) return;
    couSandbox_SeedRandom(&scene->sandbox, (uint64_t)strtoll(seed, NULL, 10));
    scene->is_seed_fixed = true;
}

// Meshes take their cells from the spacing while the script runs.
static void take_forced_spacing(couScene *scene, const couSceneOptions *options)
{
    const char *spacing = couFindOverride(options, "spacing");
    scene->forced_spacing = spacing ? strtof(spacing, NULL) : NAN;
}

static void hash_options(couScene *scene, const couSceneOptions *options)
{
    for (int i = 0; options && i < options->override_count; ++i) {
        couScene_AddToHash(scene, options->overrides[i].key, strlen(options->overrides[i].key) + 1);
        couScene_AddToHash(scene, options->overrides[i].value, strlen(options->overrides[i].value) + 1);
    }
    couScene_AddToHash(scene, scene->world_def.method, strlen(scene->world_def.method));
}

static bool load(couScene *scene, const couSceneOptions *options, couFaults *faults)
{
    char message[160];
    size_t size;
    char *text = couReadScript(scene->path, &size, message, sizeof message);
    if (!text || !find_folder(scene)) {
        couFaults_Add(faults, scene->path, NULL, "%s", text ? "the path is too long" : message);
        free(text);
        return false;
    }
    couScene_AddToHash(scene, text, size);
    seed_from_override(scene, options);
    take_forced_spacing(scene, options);
    bool has_run = run_script(scene, text, size, faults);
    free(text);
    if (!has_run) return false;
    if (!scene->scene_where[0]) couFaults_Add(faults, scene->path, "scene", "there is no scene{} in this file");
    couScene_ApplyOverrides(scene, options, faults);
    hash_options(scene, options);
    bool has_size = scene->scene_where[0] && !scene->has_bad_size;
    return has_size && couScene_Build(scene, faults);
}

#define MOST_RETRY_SECONDS 10.0

typedef char Unknown[COU_MAX_UNKNOWN][COU_NAME_SIZE];

// Loads once, with stand-ins for functions that are known to be missing. `missing` gets the name of another one, or "".
static couScene *load_once(const char *path_or_name, const couSceneOptions *options, Unknown unknown, int unknown_count,
                           char missing[COU_NAME_SIZE], couFaults *faults)
{
    missing[0] = '\0';
    couScene *scene = calloc(1, sizeof *scene);
    if (!scene || !couSandbox_Open(&scene->sandbox, scene)) {
        couFaults_Add(faults, path_or_name, NULL, "out of memory");
        free(scene);
        return NULL;
    }
    scene->faults = faults;
    scene->is_loading = true;
    scene->unknown = unknown;
    scene->unknown_count = unknown_count;
    scene->max_mesh_bytes = options ? options->max_mesh_bytes : 0;
    scene->max_instructions = options ? options->max_instructions : 0;
    scene->sandbox.is_interrupted = options ? options->is_interrupted : NULL;
    scene->world_def = couDefaultWorldDef();
    couParams_SetDefaults(couSceneInfoParams(), &scene->info);
    scene->camera = (couCamera){.fov = 40};
    scene->colors = couDefaultColors();
    bool is_good = find_file(scene, path_or_name, faults) && load(scene, options, faults);
    if (!is_good) couFindUnknownCall(&scene->sandbox.error, missing);
    is_good = is_good && faults->count == 0;
    scene->faults = &scene->callback_faults;
    scene->is_loading = false;
    if (!scene->title[0]) snprintf(scene->title, sizeof scene->title, "%.100s", base_name(scene->path));
    if (is_good) return scene;
    couCloseScene(scene);
    return NULL;
}

couScene *couLoadScene(const char *path_or_name, const couSceneOptions *options, couFaults *faults)
{
    // Faults of this load only: the caller's list may have others.
    couFaults own = {0};
    Unknown unknown;
    char missing[COU_NAME_SIZE];
    int count = 0;
    // Again while that is quick: a script that takes its whole minute shall not take it for each name.
    double start = couSeconds();
    couScene *scene = load_once(path_or_name, options, unknown, count, missing, &own);
    while (!scene && missing[0] && count < COU_MAX_UNKNOWN && couSeconds() - start < MOST_RETRY_SECONDS) {
        memcpy(unknown[count++], missing, sizeof missing);
        couFaults_Clear(&own);
        scene = load_once(path_or_name, options, unknown, count, missing, &own);
    }
    for (int i = 0; i < own.count; ++i) {
        couFaults_Add(faults, own.items[i].where, own.items[i].key, "%s", own.items[i].message);
    }
    couFaults_Clear(&own);
    return scene;
}

void couCloseScene(couScene *scene)
{
    if (!scene) return;
    couDestroyWorld(scene->world);
    for (size_t i = 0; i < scene->record_count; ++i) {
        couShape_Release(scene->records[i]->shape.shape);
        free(scene->records[i]);
    }
    for (size_t i = 0; i < scene->setting_count; ++i) {
        free(scene->settings[i].block);
        free(scene->settings[i].is_given);
    }
    couScene_ReleaseMeshes(scene);
    couFree(NULL, scene->records);
    couFree(NULL, scene->settings);
    couFree(NULL, scene->materials);
    couFree(NULL, scene->files);
    couSandbox_Close(&scene->sandbox);
    couFaults_Clear(&scene->callback_faults);
    free(scene);
}

// --- Reading it --------------------------------------------------------------------------------------------------------------

bool couScene_Prepare(couScene *scene, couFaults *faults)
{
    couFaults own = {0};
    bool is_good = couWorld_Prepare(scene->world, &own);
    for (int i = 0; i < own.count; ++i) {
        const couFault *fault = &own.items[i];
        couFaults_Add(faults, fault->where[0] ? fault->where : scene->scene_where, fault->key, "%s", fault->message);
    }
    couFaults_Clear(&own);
    return is_good;
}

couWorld *couScene_World(couScene *scene) { return scene->world; }

const char *couScene_Title(const couScene *scene) { return scene->title; }

const char *couScene_Note(const couScene *scene) { return scene->note; }

const char *couScene_Path(const couScene *scene) { return scene->path; }

double couScene_Duration(const couScene *scene) { return scene->info.duration; }

double couScene_Fps(const couScene *scene) { return scene->info.fps; }

uint64_t couScene_ContentHash(const couScene *scene) { return scene->hash; }

const couSceneFile *couScene_Files(const couScene *scene, int *count)
{
    *count = (int)scene->file_count;
    return scene->files;
}

couCamera couScene_Camera(const couScene *scene) { return scene->camera; }
couColors couScene_Colors(const couScene *scene) { return scene->colors; }

const char *couScene_RuntimeError(const couScene *scene) { return scene->runtime_error[0] ? scene->runtime_error : NULL; }
