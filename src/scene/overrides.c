// --set KEY=VALUE: "spacing=0.01" for the scene, "honey.viscosity=5" for a material, "pvfs.k_near=0.02" for a method.
#include "scene/internal.h"

#include "base/base.h"

#include <stdio.h>

#define WHERE "--set"
#define MAX_NAMES 160

const char *couFindOverride(const couSceneOptions *options, const char *key)
{
    const char *value = NULL;
    for (int i = 0; options && i < options->override_count; ++i) {
        if (strcmp(options->overrides[i].key, key) == 0) value = options->overrides[i].value;
    }
    return value;
}

static void unknown_key(const char *key, const char *const *names, int count, const char *wanted, const char *kind,
                        couFaults *faults)
{
    const char *nearest = couSuggest(names, count, wanted);
    couFaults_Add(faults, WHERE, key, "unknown %s '%.60s'%s%s%s", kind, wanted, nearest ? ": did you mean '" : "",
                  nearest ? nearest : "", nearest ? "'?" : "");
}

static int add_names(const couParamTable *params, const char **names, int count)
{
    for (int i = 0; i < params->count && count < MAX_NAMES; ++i) names[count++] = params->params[i].name;
    return count;
}

static void set_scene_key(couScene *scene, const char *key, const char *value, couFaults *faults)
{
    const couParamTable *world = couWorldParams(), *info = couSceneInfoParams();
    const couParam *param = couParams_Find(info, key);
    if (param) {
        couParam_SetText(param, "scene", &scene->info, value, WHERE, faults);
        return;
    }
    param = couParams_Find(world, key);
    if (strcmp(key, "method") == 0 && !couMethodHelp(value)) {
        couFaults_Add(faults, WHERE, key, "unknown method '%.60s'", value);
    } else if (param) {
        bool is_good = couParam_SetText(param, "scene", &scene->world_def, value, WHERE, faults);
        if (!is_good && (strcmp(key, "spacing") == 0 || strcmp(key, "dimension") == 0)) scene->has_bad_size = true;
    } else if (strcmp(key, "method") == 0) {
        snprintf(scene->world_def.method, sizeof scene->world_def.method, "%s", value);
    } else {
        const char *names[MAX_NAMES];
        int count = add_names(info, names, add_names(world, names, 0));
        unknown_key(key, names, count, key, "key", faults);
    }
}

static void set_param(const couParamTable *params, const char *table, const char *key, const char *word, void *def,
                      const char *value, bool *is_given, couFaults *faults)
{
    const couParam *param = strcmp(word, "name") != 0 ? couParams_Find(params, word) : NULL;
    if (param) {
        if (couParam_SetText(param, table, def, value, WHERE, faults) && is_given) is_given[param - params->params] = true;
        return;
    }
    const char *names[MAX_NAMES];
    unknown_key(key, names, add_names(params, names, 0), word, "key", faults);
}

// The word before the point is a method or a material of the scene; all materials that were asked for by that name are changed.
static void set_part_key(couScene *scene, const char *key, const char *value, couFaults *faults)
{
    char part[64];
    const char *point = strchr(key, '.');
    snprintf(part, sizeof part, "%.*s", (int)COU_MIN(point - key, 60), key);
    if (couMethodParams(part)) {
        couMethodSettings *settings = couScene_Settings(scene, part);
        if (settings) set_param(couMethodParams(part), part, key, point + 1, settings->block, value, settings->is_given, faults);
        return;
    }
    bool is_found = false;
    for (size_t i = 0; i < scene->material_count; ++i) {
        couSceneMaterial *material = &scene->materials[i];
        if (strcmp(material->asked, part) != 0 && strcmp(material->def.name, part) != 0) continue;
        couFaults own = {0}; // the same fault for each of them is one fault
        set_param(couMaterialParams(), part, key, point + 1, &material->def, value, NULL, is_found ? &own : faults);
        couFaults_Clear(&own);
        is_found = true;
    }
    if (is_found) return;
    const char *names[MAX_NAMES];
    int count = 0;
    for (const char *const *name = couMethodTableNames(); *name && count < MAX_NAMES; ++name) names[count++] = *name;
    for (size_t i = 0; i < scene->material_count && count < MAX_NAMES; ++i) names[count++] = scene->materials[i].def.name;
    unknown_key(key, names, count, part, "method or material of this scene", faults);
}

void couScene_ApplyOverrides(couScene *scene, const couSceneOptions *options, couFaults *faults)
{
    if (!options) return;
    for (int i = 0; i < options->override_count; ++i) {
        const char *key = options->overrides[i].key, *value = options->overrides[i].value;
        if (strchr(key, '.')) {
            set_part_key(scene, key, value, faults);
        } else {
            set_scene_key(scene, key, value, faults);
        }
    }
    if (options->threads > 0) scene->world_def.threads = options->threads;
    if (!options->method) return;
    if (couMethodHelp(options->method)) {
        snprintf(scene->world_def.method, sizeof scene->world_def.method, "%s", options->method);
        return;
    }
    int count = 0;
    while (couMethodNames()[count]) ++count;
    const char *nearest = couSuggest(couMethodNames(), count, options->method);
    couFaults_Add(faults, "--method", options->method, "unknown method '%.60s'%s%s%s", options->method,
                  nearest ? ": did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}
