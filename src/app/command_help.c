// coulis help WORD: a command, a call of scenes or one of its keys, a parameter of a method, a material, with unit, range,
// default and an example, all from the tables that the program itself works with. --lua writes the same for Lua language servers.
#include "app/app.h"
#include "files/text.h"
#include "scene/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Values ------------------------------------------------------------------------------------------------------------------

// The default as text: one that must be given has none.
static void format_default(const couParam *param, char *text, size_t size)
{
    bool is_needed = param->is_min_open && param->initial[0] <= param->min;
    bool is_never = param->type == cou_paramFloat && param->initial[0] >= 1e30;
    if (param->type == cou_paramName || is_needed || is_never)
        snprintf(text, size, "%s", is_never ? "never" : "none");
    else
        couParam_FormatDefault(param, text, size);
}

// As few digits as the field has.
static void format_value(const couParam *param, const void *def, char *text, size_t size)
{
    double values[3];
    if (param->type == cou_paramFloat && couParam_GetNumbers(param, def, values) == 1 && isfinite(values[0]))
        couFormatFloat(text, (float)values[0]);
    else
        couParam_FormatValue(param, def, text, size);
}

// --- One key -----------------------------------------------------------------------------------------------------------------

static const char *help_of(const couParam *param) { return param->help ? param->help : ""; }

// A value to show: the default, or one that is allowed.
static void format_example(const couParam *param, char *text, size_t size)
{
    double initial = param->initial[0];
    if (param->type == cou_paramChoice) {
        int count = 0;
        while (param->choices[count]) ++count;
        snprintf(text, size, "\"%s\"", param->choices[count - 1]);
    } else if (param->type == cou_paramName) {
        snprintf(text, size, "\"%s\"", strcmp(param->name, "method") == 0 ? "dfsph" : "name");
    } else if (param->type == cou_paramBool) {
        snprintf(text, size, "%s", initial != 0.0 ? "false" : "true");
    } else if (param->type == cou_paramVec3) {
        char inner[64];
        couParam_FormatDefault(param, inner, sizeof inner);
        snprintf(text, size, "{%s}",
                 isnan(initial) || initial + param->initial[1] + param->initial[2] == 0.0 ? "0.1, 0.2, 0.1" : inner);
    } else if (!isnan(initial) && initial != 0.0 && fabs(initial) < 1e9) {
        couParam_FormatDefault(param, text, size);
    } else {
        double low = fmax(param->min, 0.0), high = fmin(param->max, 1.0);
        double value = param->type == cou_paramInt ? fmin(fmax(1.0, param->min), param->max)
                       : low < high                ? 0.5 * (low + high)
                                                   : param->min;
        snprintf(text, size, "%g", value);
    }
}

static void print_param(const char *part, const couParam *param)
{
    char range[160], initial[96];
    couParam_FormatRange(param, range, sizeof range);
    format_default(param, initial, sizeof initial);
    printf("%s.%s%s%s%s\n  %s\n", part, param->name, param->unit[0] ? " [" : "", param->unit, param->unit[0] ? "]" : "",
           help_of(param));
    printf("  allowed  %s%s\n", range, param->is_auto ? ", or \"auto\"" : "");
    printf("  default  %s\n", initial);
}

static void print_key(const couSceneCall *call, const couSceneKey *key)
{
    printf("%s.%s (%s)\n  %s\n  example  %s { %s = %s }\n", call->name, key->name, key->type, key->help, call->name, key->name,
           key->example);
}

static void print_call_param(const couSceneCall *call, const couParam *param)
{
    char value[96];
    format_example(param, value, sizeof value);
    print_param(call->name, param);
    if (strcmp(call->name, "material") == 0)
        printf("  example  material(\"honey\", { %s = %s }), or --set honey.%s=%s\n", param->name, value, param->name, value);
    else if (strcmp(call->name, "scene") == 0)
        printf("  example  scene { %s = %s }, or --set %s=%s\n", param->name, value, param->name, value);
    else
        printf("  example  %s { %s = %s }\n", call->name, param->name, value);
}

static void print_method_param(const char *method, const couParam *param)
{
    char value[96];
    format_example(param, value, sizeof value);
    print_param(method, param);
    printf("  example  scene { %s = { %s = %s } }, or --set %s.%s=%s\n", method, param->name, value, method, param->name, value);
}

// --- Lists -------------------------------------------------------------------------------------------------------------------

// `call`, or NULL: its own keys are listed already.
static void list_params(const couParamTable *table, const couSceneCall *call)
{
    for (int i = 0; table && i < table->count; ++i) {
        const couParam *param = &table->params[i];
        char initial[96];
        if (call && couSceneCall_Key(call, param->name)) continue;
        format_default(param, initial, sizeof initial);
        printf("  %-18s %-10s %-14s %s\n", param->name, param->unit, initial, help_of(param));
    }
}

static void print_call(const couSceneCall *call)
{
    printf("%s { ... }: %s\n\n  %-18s %-10s %-14s\n", call->name, call->help, "key", "unit", "default");
    for (int i = 0; i < call->key_count; ++i) printf("  %-18s %-10s %-14s %s\n", call->keys[i].name, "", "", call->keys[i].help);
    list_params(call->more, call);
    list_params(call->params, call);
    printf("\nexample: %s\ncoulis help %s.KEY says more.\n", call->example, call->name);
}

static void print_method(const char *name)
{
    const couParamTable *params = couMethodParams(name);
    printf("%s: %s\n", name, couMethodHelp(name) ? couMethodHelp(name) : "parameters of a family of methods");
    if (couFindMethodTraits(name)) printf("use it with --method %s or scene { method = \"%s\" }\n", name, name);
    printf("\n  %-18s %-10s %-14s\n", "parameter", "unit", "default");
    list_params(params, NULL);
    printf("\ncoulis help %s.PARAMETER says more; --set %s.PARAMETER=VALUE sets one.\n", name, name);
}

static void print_material(const couLibraryMaterial *material)
{
    const couParamTable *table = couMaterialParams();
    couMaterialDef plain = couDefaultMaterialDef();
    printf("material \"%s\": %s\nfrom: %s\n\n", material->def.name, material->note, material->source);
    for (int i = 0; i < table->count; ++i) {
        const couParam *param = &table->params[i];
        char value[96], usual[96];
        format_value(param, &material->def, value, sizeof value);
        format_value(param, &plain, usual, sizeof usual);
        bool is_basic = strcmp(param->name, "density") == 0 || strcmp(param->name, "viscosity") == 0;
        if (param->type != cou_paramName && (is_basic || strcmp(value, usual) != 0))
            printf("  %-18s %-10s %s\n", param->name, param->unit, value);
    }
    printf("\nexample: local m = material(\"%s\", { viscosity = %g }); coulis help material has all keys\n", material->def.name,
           2.0 * (double)material->def.viscosity);
}

static void print_world_word(const couWorldWord *word)
{
    if (word->arguments)
        printf("world:%s(%s)%s%s\n  %s\n", word->name, word->arguments, word->result ? ": " : "",
               word->result ? word->result : "", word->help);
    else
        printf("world.%s: %s\n  %s\n", word->name, word->result, word->help);
}

// --- Words -------------------------------------------------------------------------------------------------------------------

static bool explain_world(const char *word)
{
    int count = 0;
    const couWorldWord *words = couWorldWords(&count);
    bool is_all = strcmp(word, "world") == 0, is_found = is_all;
    if (!is_all && strncmp(word, "world.", 6) != 0 && strncmp(word, "world:", 6) != 0) return false;
    if (is_all) printf("the world in events: at(time, function(world) ... end), every(period, function(world) ... end)\n\n");
    for (int i = 0; i < count; ++i)
        if (is_all || strcmp(words[i].name, word + 6) == 0) print_world_word(&words[i]), is_found = true;
    return is_found;
}

// "body.friction", "sph.courant", "honey.viscosity": true when it was found.
static bool explain_pair(const couSceneLanguage *language, const char *word, const char *point)
{
    char part[64];
    snprintf(part, sizeof part, "%.*s", (int)(point - word < 60 ? point - word : 60), word);
    const char *name = point + 1;
    const couSceneCall *call = couSceneLanguage_Find(language, part);
    if (call) {
        const couSceneKey *key = couSceneCall_Key(call, name);
        const couParam *param = couSceneCall_Param(call, name);
        if (key) print_key(call, key);
        if (param && !key) print_call_param(call, param);
        if (param || key) return true;
        if (strcmp(part, "scene") == 0 && couMethodParams(name)) return print_method(name), true;
        return false;
    }
    const couParamTable *params = couMethodParams(part);
    const couParam *param = params ? couParams_Find(params, name) : NULL;
    if (param) return print_method_param(part, param), true;
    const couLibraryMaterial *material = couFindLibraryMaterial(part);
    param = material ? couParams_Find(couMaterialParams(), name) : NULL;
    if (!param) return false;
    char value[96];
    format_value(param, &material->def, value, sizeof value);
    print_param("material", param);
    printf("  %-8s %s\n  example  material(\"%s\", { %s = %s }), or --set %s.%s=%s\n", part, value, part, name, value, part, name,
           value);
    return true;
}

// A key alone: wherever it is. Returns how many there are; prints them when `is_shown`.
static int find_key(const couSceneLanguage *language, const char *name, bool is_shown)
{
    int count = 0;
    for (int i = 0; i < language->count; ++i) {
        const couSceneCall *call = &language->calls[i];
        const couSceneKey *key = couSceneCall_Key(call, name);
        const couParam *param = couSceneCall_Param(call, name);
        if (!key && !param) continue;
        if (is_shown && key) print_key(call, key);
        if (is_shown && !key) print_call_param(call, param);
        ++count;
    }
    for (const char *const *method = couMethodTableNames(); *method; ++method) {
        const couParamTable *params = couMethodParams(*method);
        const couParam *param = strcmp(params->name, *method) == 0 ? couParams_Find(params, name) : NULL;
        if (!param) continue;
        if (is_shown) print_method_param(*method, param);
        ++count;
    }
    return count;
}

static void add_unknown(const couSceneLanguage *language, const char *word, couFaults *faults)
{
    const char *advice, *ours = couForeignWord(word, &advice);
    if (ours || advice) {
        couFaults_Add(faults, "coulis help", word, "%s%s%s", advice ? advice : "here it is '", advice ? "" : ours,
                      advice ? "" : "'");
        return;
    }
    const char *names[800];
    int count = 0;
    const char *point = strchr(word, '.');
    for (int i = 0; i < language->count; ++i) {
        const couSceneCall *call = &language->calls[i];
        bool is_call = point && strlen(call->name) == (size_t)(point - word) &&
                       strncmp(call->name, word, (size_t)(point - word)) == 0;
        if (point ? !is_call : count >= 790) continue;
        if (!point) names[count++] = call->name;
        for (int k = 0; k < call->key_count && count < 790; ++k) names[count++] = call->keys[k].name;
        for (int k = 0; call->more && k < call->more->count && count < 790; ++k) names[count++] = call->more->params[k].name;
        for (int k = 0; call->params && k < call->params->count && count < 790; ++k)
            names[count++] = call->params->params[k].name;
    }
    const couParamTable *method = NULL;
    char part[64];
    snprintf(part, sizeof part, "%.*s", point ? (int)(point - word < 60 ? point - word : 60) : 0, word);
    if (point) method = couMethodParams(part);
    for (int k = 0; method && k < method->count && count < 790; ++k) names[count++] = method->params[k].name;
    for (const char *const *name = couMethodTableNames(); !point && *name && count < 790; ++name) names[count++] = *name;
    const char *nearest = couSuggest(names, count, point ? point + 1 : word);
    if (nearest)
        couFaults_Add(faults, "coulis help", word, "unknown word: did you mean '%s%s%s'?", part, point ? "." : "", nearest);
    else
        couFaults_Add(faults, "coulis help", word,
                      "unknown word: a command, a call of scenes (body), a key (body.friction), a "
                      "method, a material or world:set");
}

static void explain(const couSceneLanguage *language, const char *word, couFaults *faults)
{
    const char *point = strpbrk(word, ".");
    if (explain_world(word)) return;
    if (point && explain_pair(language, word, point)) return;
    const couSceneCall *call = couSceneLanguage_Find(language, word);
    const couLibraryMaterial *material = couFindLibraryMaterial(word);
    if (call)
        print_call(call);
    else if (couMethodParams(word))
        print_method(word);
    else if (material)
        print_material(material);
    else if (!point && find_key(language, word, false) > 0)
        find_key(language, word, true);
    else
        add_unknown(language, word, faults);
}

// --- Lua language servers ----------------------------------------------------------------------------------------------------

static const char *lua_type(const couParam *param)
{
    switch (param->type) {
    case cou_paramFloat:
    case cou_paramDouble: return param->is_auto ? "number|\"auto\"" : "number";
    case cou_paramInt: return "integer";
    case cou_paramBool: return "boolean";
    case cou_paramVec3: return param->is_auto ? "number[]|\"auto\"" : "number[]";
    default: return "string";
    }
}

static void print_fields(const couParamTable *table, const couSceneCall *call)
{
    for (int i = 0; table && i < table->count; ++i) {
        const couParam *param = &table->params[i];
        char range[160], initial[96];
        if (call && couSceneCall_Key(call, param->name)) continue;
        couParam_FormatRange(param, range, sizeof range);
        format_default(param, initial, sizeof initial);
        printf("---@field %s? ", param->name);
        for (int k = 0; param->type == cou_paramChoice && param->choices[k]; ++k)
            printf("%s\"%s\"", k > 0 ? "|" : "", param->choices[k]);
        if (param->type != cou_paramChoice) printf("%s", lua_type(param));
        printf(" %s%s%s%s(%s; default %s)\n", help_of(param), param->unit[0] ? " [" : "", param->unit,
               param->unit[0]      ? "] "
               : help_of(param)[0] ? " "
                                   : "",
               range, initial);
    }
}

// The class of a key's type where it is one of ours.
static const char *class_of(const char *type)
{
    if (strcmp(type, "material|string") == 0) return "coulis.matter|string";
    if (strcmp(type, "shape") == 0) return "coulis.shape";
    return strcmp(type, "turn") == 0 ? "coulis.turn" : type;
}

static void print_class(const couSceneCall *call)
{
    bool is_material = strcmp(call->name, "material") == 0;
    printf("\n---@class coulis.%s%s\n", call->name, is_material ? "_changes" : "");
    for (int i = 0; i < call->key_count; ++i)
        printf("---@field %s? %s %s, e.g. %s\n", call->keys[i].name, class_of(call->keys[i].type), call->keys[i].help,
               call->keys[i].example);
    print_fields(call->more, call);
    print_fields(call->params, call);
    if (strcmp(call->name, "scene") == 0)
        for (const char *const *name = couMethodTableNames(); *name; ++name)
            printf("---@field %s? coulis.params.%s parameters of the method\n", *name, couMethodParams(*name)->name);
    printf("\n---%s\n---\n---    %s\n", call->help, call->example);
    if (is_material)
        printf("---@param name string\n---@param changes? coulis.material_changes\n---@return coulis.matter\n"
               "function material(name, changes) end\n");
    else if (call->is_shape)
        printf("---@param what coulis.%s\n---@return coulis.shape\nfunction %s(what) end\n", call->name, call->name);
    else
        printf("---@param what coulis.%s\nfunction %s(what) end\n", call->name, call->name);
}

static void print_lua(const couSceneLanguage *language)
{
    int count = 0;
    const couWorldWord *words = couWorldWords(&count);
    printf("---@meta\n-- Scenes of Coulis %s for Lua language servers: written by `coulis help --lua`.\n\n"
           "---@class coulis.matter\n\n---@class coulis.turn\n---@field axis? number[]\n---@field degrees number\n\n"
           "---@class coulis.shape\nlocal shape = {}\n---@param place number[]\n---@return coulis.shape\n"
           "function shape:at(place) end\n---@param turn coulis.turn\n---@return coulis.shape\n"
           "function shape:turned(turn) end\n",
           COU_VERSION);
    for (const char *const *method = couMethodTableNames(); *method; ++method) {
        const couParamTable *params = couMethodParams(*method);
        if (strcmp(params->name, *method) != 0) continue;
        printf("\n---@class coulis.params.%s\n", *method);
        print_fields(params, NULL);
    }
    for (int i = 0; i < language->count; ++i) print_class(&language->calls[i]);
    printf("\n---@class coulis.world\n");
    for (int i = 0; i < count; ++i)
        if (!words[i].arguments) printf("---@field %s %s %s\n", words[i].name, words[i].result, words[i].help);
    for (int i = 0; i < count; ++i) {
        if (!words[i].arguments) continue;
        bool is_pour = strcmp(words[i].name, "pour") == 0;
        printf("---@field %s fun(self: coulis.world%s%s)%s%s %s\n", words[i].name, words[i].arguments[0] ? ", " : "",
               is_pour ? "what: coulis.fluid" : words[i].arguments, words[i].result ? ": " : "",
               words[i].result ? words[i].result : "", words[i].help);
    }
    printf("\n---Once, between two steps.\n---@param time number [s]\n---@param event fun(world: coulis.world)\n"
           "function at(time, event) end\n"
           "\n---Again and again.\n---@param period number [s]\n---@param event fun(world: coulis.world)\n"
           "function every(period, event) end\n");
}

// All that help has an answer to, one a line, for completion.
static void print_words(const couSceneLanguage *language)
{
    int count = 0;
    const couWorldWord *words = couWorldWords(&count);
    for (int i = 0; i < language->count; ++i) {
        const couSceneCall *call = &language->calls[i];
        printf("%s\n", call->name);
        for (int k = 0; k < call->key_count; ++k) printf("%s.%s\n", call->name, call->keys[k].name);
        for (int k = 0; call->more && k < call->more->count; ++k) printf("%s.%s\n", call->name, call->more->params[k].name);
        for (int k = 0; call->params && k < call->params->count; ++k)
            if (!couSceneCall_Key(call, call->params->params[k].name))
                printf("%s.%s\n", call->name, call->params->params[k].name);
    }
    for (const char *const *method = couMethodTableNames(); *method; ++method) {
        const couParamTable *params = couMethodParams(*method);
        printf("%s\n", *method);
        for (int k = 0; strcmp(params->name, *method) == 0 && k < params->count; ++k)
            printf("%s.%s\n", *method, params->params[k].name);
    }
    for (int i = 0; i < count; ++i) printf("world.%s\n", words[i].name);
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    for (int i = 0; i < count; ++i) printf("%s\n", library[i].def.name);
}

int couCommandHelp(int argc, char **argv)
{
    bool is_lua = false, has_words = false;
    const couOption table[] = {
        COU_OPTION("--lua", NULL, cou_optionFlag, &is_lua,
                   .help = "annotations of the scene language for Lua language servers, e.g. > coulis.lua"),
        COU_OPTION("--words", NULL, cou_optionFlag, &has_words, .help = "all words that there is help for, one a line")};
    couCommand command = {.name = "help",
                          .usage = "[WORD...]",
                          .help = "what a word means: a key of scenes, a parameter, a material, a method",
                          .options = table,
                          .option_count = 2,
                          .max_operands = 100,
                          .notes = "examples:\n  coulis help body\n  coulis help body.friction\n  coulis help sph.courant honey "
                                   "world:push\n"};
    couTexts operands = {0};
    couFaults faults = {0};
    couSceneLanguage *language = malloc(sizeof *language);
    if (!couParseOptions(&command, argc, argv, &operands, &faults) && faults.count == 0 && language) {
        couDescribeLanguage(language);
        if (is_lua) print_lua(language);
        if (has_words) print_words(language);
        for (int i = 0; i < operands.count; ++i) {
            if (i > 0) printf("\n");
            explain(language, operands.items[i], &faults);
        }
    }
    free(language);
    couTexts_Clear(&operands);
    fflush(stdout);
    return faults.count > 0 ? couFail(&faults, cou_exitBadInput) : cou_exitWell;
}
