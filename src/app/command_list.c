// coulis list: what there is to choose from. Every list is made from the tables that the program itself works with.
#include "app/app.h"
#include "files/file.h"
#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The first comment of a scene file is its title: cheaper than running every scene.
static void read_title(const char *path, char *title, size_t size)
{
    title[0] = '\0';
    FILE *file = couOpenFile(path, NULL);
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        char *text = line + strspn(line, " \t\r\n");
        if (*text == '\0') continue;
        if (strncmp(text, "--", 2) == 0) {
            text += strspn(text, "-[ \t");
            text[strcspn(text, "\r\n")] = '\0';
            snprintf(title, size, "%s", text);
        }
        break;
    }
    if (file) fclose(file);
}

static bool list_scenes(bool is_bare)
{
    char **names = couListScenes();
    if (!names) return false;
    for (int i = 0; names[i]; ++i) {
        char path[1024], title[256] = "";
        if (!is_bare && couFindScene(names[i], path, sizeof path)) read_title(path, title, sizeof title);
        if (is_bare)
            printf("%s\n", names[i]);
        else
            printf("%-20s %s\n", names[i], title);
    }
    couFreeNames(names);
    return true;
}

static void print_params(const couParamTable *table)
{
    for (int i = 0; i < table->count; ++i) {
        const couParam *param = &table->params[i];
        char range[128], initial[64];
        couParam_FormatRange(param, range, sizeof range);
        couParam_FormatDefault(param, initial, sizeof initial);
        printf("    %-20s %-10s default %-12s %-24s %s\n", param->name, param->unit, initial, range, param->help);
    }
}

// Values that differ from those of a plain liquid.
static void print_material(const couMaterialDef *def)
{
    const couParamTable *table = couMaterialParams();
    couMaterialDef plain = couDefaultMaterialDef();
    for (int i = 0; i < table->count; ++i) {
        const couParam *param = &table->params[i];
        double value[3], usual[3];
        int count = couParam_GetNumbers(param, def, value);
        couParam_GetNumbers(param, &plain, usual);
        if (count == 0 || memcmp(value, usual, (size_t)count * sizeof value[0]) == 0) continue;
        if (param->type == cou_paramChoice)
            printf("    %-20s %s\n", param->name, param->choices[(int)value[0]]);
        else if (count == 3)
            printf("    %-20s %g, %g, %g %s\n", param->name, value[0], value[1], value[2], param->unit);
        else
            printf("    %-20s %g %s\n", param->name, value[0], param->unit);
    }
}

static void list_materials(bool is_bare, bool is_detailed)
{
    int count = 0;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    if (!is_bare) printf("%-14s %-10s %-12s %s\n", "", "[kg/m^3]", "[Pa s]", "");
    for (int i = 0; i < count; ++i) {
        const couMaterialDef *def = &library[i].def;
        if (is_bare) {
            printf("%s\n", def->name);
            continue;
        }
        printf("%-14s %-10g %-12g %s\n", def->name, def->density, def->viscosity, library[i].note);
        if (!is_detailed) continue;
        print_material(def);
        printf("    %-20s %s\n", "source", library[i].source);
    }
}

static void list_methods(bool is_bare, bool is_detailed)
{
    const char *const *names = couMethodNames();
    for (int i = 0; names[i]; ++i) {
        if (is_bare)
            printf("%s\n", names[i]);
        else
            printf("%-14s %s\n", names[i], couMethodHelp(names[i]));
        // Methods of one family share their parameters: they are printed after the last of them.
        bool is_last = !names[i + 1] || couMethodParams(names[i + 1]) != couMethodParams(names[i]);
        const char *family = couMethodParams(names[i])->name;
        if (is_detailed && is_last && strcmp(family, names[i]) != 0) printf("%-14s parameters of the family:\n", family);
        if (is_detailed && is_last) print_params(couMethodParams(names[i]));
    }
}

static void list_cases(void)
{
    for (const char *const *name = couCaseNames(); *name; ++name) printf("%s\n", *name);
}

int couCommandList(int argc, char **argv)
{
    static const char *const kinds[] = {"scenes", "materials", "methods", "cases"};
    bool is_bare = false, is_detailed = false;
    const couOption table[] = {
        COU_OPTION("--names", NULL, cou_optionFlag, &is_bare, .help = "names only, one a line"),
        COU_OPTION("--details", NULL, cou_optionFlag, &is_detailed,
                   .help = "also parameters with units and ranges, values and their sources"),
    };
    couCommand command = {
        .name = "list",
        .usage = "scenes|materials|methods|cases [options]",
        .help = "what there is to choose from",
        .options = table,
        .option_count = 2,
        .min_operands = 1,
        .max_operands = 1,
        .notes = "scenes: the gallery. materials: the library of material(\"name\"). methods: solvers for --method.\n"
                 "cases: what coulis validate measures.\n"};
    couTexts operands = {0};
    couFaults faults = {0};
    bool has_helped = couParseOptions(&command, argc, argv, &operands, &faults);
    const char *kind = operands.count > 0 ? operands.items[0] : "";
    couTexts_Clear(&operands);
    if (has_helped) return cou_exitWell;
    if (faults.count > 0) return couFail(&faults, cou_exitBadInput);

    if (strcmp(kind, "scenes") == 0) {
        if (list_scenes(is_bare)) return cou_exitWell;
        couFaults_Add(&faults, "coulis list", "scenes", "the gallery was not found; COULIS_SCENES can name its folder");
        return couFail(&faults, cou_exitFailed);
    }
    if (strcmp(kind, "materials") == 0) return list_materials(is_bare, is_detailed), cou_exitWell;
    if (strcmp(kind, "methods") == 0) return list_methods(is_bare, is_detailed), cou_exitWell;
    if (strcmp(kind, "cases") == 0) return list_cases(), cou_exitWell;
    const char *nearest = couSuggest(kinds, 4, kind);
    couFaults_Add(&faults, "coulis list", kind, "unknown list%s%s%s; allowed: scenes, materials, methods, cases",
                  nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
    return couFail(&faults, cou_exitBadInput);
}
