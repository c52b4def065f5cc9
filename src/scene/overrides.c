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
    char text[200];
    couFormatUnknown(text, sizeof text, kind, wanted, couSuggest(names, count, wanted));
    couFaults_Add(faults, WHERE, key, "%s", text);
}

static void unknown_method(const char *where, const char *key, const char *method, couFaults *faults)
{
    int count = 0;
    while (couMethodNames()[count]) ++count;
    char text[200];
    couFormatUnknown(text, sizeof text, "method", method, couSuggest(couMethodNames(), count, method));
    couFaults_Add(faults, where, key, "%s", text);
}

static int add_names(const couParamTable *params, const char **names, int count)
{
    for (int i = 0; i < params->count && count < MAX_NAMES; ++i) names[count++] = params->params[i].name;
    return count;
}

static void set_scene_key(couScene *scene, const char *key, const char *value, couFaults *faults)
{
    const couParamTable *world = couWorldParams(), *info = couSceneInfoParams();
    if (strcmp(key, "method") == 0 && !couMethodHelp(value)) {
        unknown_method(WHERE, key, value, faults);
    } else if (couParams_Find(info, key)) {
        couParams_SetByName(info, &scene->info, key, value, WHERE, faults);
    } else if (couParams_Find(world, key)) {
        bool is_good = couParams_SetByName(world, &scene->world_def, key, value, WHERE, faults);
        if (!is_good && (strcmp(key, "spacing") == 0 || strcmp(key, "dimension") == 0)) scene->has_bad_size = true;
    } else {
        const char *names[MAX_NAMES];
        int count = add_names(info, names, add_names(world, names, 0));
        unknown_key(key, names, count, key, "key", faults);
    }
}

// A parameter of `part`, a method or a material; faults name the part, not its table.
static bool set_param(const couParamTable *params, const char *part, void *def, const char *word, const char *value,
                      couFaults *faults)
{
    couParamTable named = {part, params->params, params->count};
    return couParams_SetByName(&named, def, word, value, WHERE, faults);
}

// The word before the point is a method or a material of the scene; all materials that were asked for by that name are changed.
static void set_part_key(couScene *scene, const char *key, const char *value, couFaults *faults)
{
    char part[64];
    const char *point = strchr(key, '.');
    snprintf(part, sizeof part, "%.*s", (int)COU_MIN(point - key, 60), key);
    const couParamTable *params = couMethodParams(part);
    if (params) {
        couMethodSettings *settings = couScene_Settings(scene, part);
        if (settings && set_param(params, part, settings->block, point + 1, value, faults))
            settings->is_given[couParams_Find(params, point + 1) - params->params] = true;
        return;
    }
    bool is_found = false;
    for (size_t i = 0; i < scene->material_count; ++i) {
        couSceneMaterial *material = &scene->materials[i];
        if (strcmp(material->asked, part) != 0 && strcmp(material->def.name, part) != 0) continue;
        couFaults own = {0}; // the same fault for each of them is one fault
        set_param(couMaterialParams(), part, &material->def, point + 1, value, is_found ? &own : faults);
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
    if (couMethodHelp(options->method))
        snprintf(scene->world_def.method, sizeof scene->world_def.method, "%s", options->method);
    else
        unknown_method("--method", options->method, options->method, faults);
}
