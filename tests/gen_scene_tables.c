// The key tables of the documentation, made from the parameter tables that also check scenes, so that the two cannot disagree.
//
// A page marks each table's place with a pair of lines,
//     <!-- table: body -->
//     <!-- end of table -->
// and what stands between them is replaced, or, with --check, compared. Every table must have a place on one of the pages given.

#include "base/base.h"
#include "files/file.h"
#include "scene/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define PAGE_BYTES ((size_t)4 << 20)
static const char begin_mark[] = "<!-- table: ", end_mark[] = "<!-- end of table -->";

// --- Tables ------------------------------------------------------------------------------------------------------------------

// One cell: bars would end it.
static void write_cell(FILE *out, const char *text)
{
    fputs("| ", out);
    for (; *text; ++text) {
        if (*text == '|') fputc('\\', out);
        fputc(*text, out);
    }
    fputc(' ', out);
}

static void write_default(FILE *out, const couParam *param)
{
    char text[96], list[100];
    couParam_FormatDefault(param, text, sizeof text);
    if (param->type == cou_paramInt) snprintf(text, sizeof text, "%.0f", param->initial[0]);
    bool is_never = param->type == cou_paramFloat && param->initial[0] >= 1e30;
    snprintf(list, sizeof list, isnan(param->initial[0]) ? "%s" : "{%s}", text);
    write_cell(out, param->type == cou_paramName ? "" : is_never ? "never" : param->type == cou_paramVec3 ? list : text);
}

// "a number" goes without saying.
static void write_range(FILE *out, const couParam *param)
{
    static const char number[] = "a number ";
    char text[160];
    couParam_FormatRange(param, text, sizeof text);
    bool is_plain = strncmp(text, number, strlen(number)) == 0;
    write_cell(out, is_plain ? text + strlen(number) : text);
}

static void write_rows(FILE *out, const couParamTable *table)
{
    for (int i = 0; i < table->count; ++i) {
        const couParam *param = &table->params[i];
        fprintf(out, "| `%s` ", param->name);
        write_cell(out, param->unit);
        write_default(out, param);
        write_range(out, param);
        write_cell(out, param->help);
        fputs("|\n", out);
    }
}

static void write_params(FILE *out, const couParamTable *table, const couParamTable *more)
{
    fputs("| key | unit | default | allowed | |\n|---|---|---|---|---|\n", out);
    if (more) write_rows(out, more);
    write_rows(out, table);
}

static const char *spring_word(const couMaterialDef *def)
{
    const couParam *param = couParams_Find(couMaterialParams(), "springs");
    return param->choices[def->springs];
}

static void write_pair(FILE *out, float a, float b)
{
    if (a == b)
        fprintf(out, "| %g ", (double)a);
    else
        fprintf(out, "| %g / %g ", (double)a, (double)b);
}

static void write_materials(FILE *out)
{
    int count;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    fputs("| name | density [kg/m^3] | viscosity [Pa s] | springs | shear modulus [Pa] | flow [1/s] | yield ratio | |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < count; ++i) {
        const couMaterialDef *def = &library[i].def;
        fprintf(out, "| `%s` | %g | %g ", def->name, (double)def->density, (double)def->viscosity);
        write_cell(out, spring_word(def));
        if (def->springs == cou_springsNone) {
            fputs("| | | ", out);
        } else {
            fprintf(out, "| %g ", (double)def->shear_modulus);
            write_pair(out, def->flow_stretch, def->flow_compress);
            write_pair(out, def->yield_stretch, def->yield_compress);
        }
        write_cell(out, library[i].note);
        fputs("|\n", out);
    }
}

// What each method is, and what validation holds it to.
static void write_methods(FILE *out)
{
    static const char *const claims[] = {"motion",  "rest",  "splash", "viscosity", "drops", "floating", "films",
                                         "springs", "waves", "shear",  "slopes",    "jets",  "buoyancy", "levitation"};
    fputs("| method | | steps | pressure | periods | springs | validated for |\n|---|---|---|---|---|---|---|\n", out);
    for (const char *const *method = couMethodNames(); *method; ++method) {
        const couMethodTraits *traits = couFindMethodTraits(*method);
        fprintf(out, "| `%s` | %s | %s | %s | %s | %s | ", *method, couMethodHelp(*method),
                traits->is_adaptive ? "adaptive" : "even",
                traits->has_state_equation ? "state equation"
                : traits->has_pressure     ? "solver"
                                           : "relaxation",
                traits->has_periods ? "yes" : "no", traits->has_springs ? "yes" : "no");
        for (int c = 0, count = 0; c < COU_COUNT(claims); ++c)
            if (traits->claims >> c & 1) fprintf(out, "%s%s", count++ ? ", " : "", claims[c]);
        fputs(" |\n", out);
    }
}

static void write_sources(FILE *out)
{
    int count;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    fputs("| name | where its values come from |\n|---|---|\n", out);
    for (int i = 0; i < count; ++i) {
        fprintf(out, "| `%s` ", library[i].def.name);
        write_cell(out, library[i].source);
        fputs("|\n", out);
    }
}

typedef struct Table {
    const char *name;
    const couParamTable *params, *more; // rows of `more` come first
    void (*write)(FILE *out);           // instead of params
    bool is_used;
} Table;

static int list_tables(Table *tables, int capacity, const couParamTable *joint)
{
    const Table fixed[] = {{.name = "scene", .params = couWorldParams(), .more = couSceneInfoParams()},
                           {.name = "material", .params = couMaterialParams()},
                           {.name = "body", .params = couBodyParams()},
                           {.name = "joint", .params = joint},
                           {.name = "mesh", .params = couSceneMeshParams()},
                           {.name = "text", .params = couSceneTextParams()},
                           {.name = "fluid", .params = couFluidParams()},
                           {.name = "emitter", .params = couEmitterParams()},
                           {.name = "sink", .params = couSinkParams()},
                           {.name = "field", .params = couFieldParams()},
                           {.name = "blower", .params = couBlowerParams()},
                           {.name = "gauge", .params = couGaugeParams()},
                           {.name = "solid mesh", .params = couSceneSolidMeshParams()},
                           {.name = "solid", .params = couSolidParams()},
                           {.name = "camera", .params = couSceneCameraParams()},
                           {.name = "colors", .params = couColorsParams()},
                           {.name = "materials", .write = write_materials},
                           {.name = "sources", .write = write_sources},
                           {.name = "methods", .write = write_methods}};
    int count = 0;
    for (; count < COU_COUNT(fixed); ++count) tables[count] = fixed[count];
    // A family of methods has one table, under its own name.
    for (const char *const *method = couMethodTableNames(); *method && count < capacity; ++method) {
        const couParamTable *params = couMethodParams(*method);
        if (strcmp(params->name, *method) == 0) tables[count++] = (Table){.name = *method, .params = params};
    }
    return count;
}

// --- Pages -------------------------------------------------------------------------------------------------------------------

static Table *find_table(Table *tables, int count, const char *name, size_t length)
{
    for (int i = 0; i < count; ++i)
        if (strlen(tables[i].name) == length && strncmp(tables[i].name, name, length) == 0) return &tables[i];
    return NULL;
}

static int line_of(const char *page, const char *place)
{
    int line = 1;
    for (; page < place; ++page) line += *page == '\n';
    return line;
}

// Writes the page with new tables; false after a mark that leads nowhere.
static bool write_page(FILE *out, const char *path, const char *page, Table *tables, int count)
{
    const char *rest = page;
    for (const char *mark; (mark = strstr(rest, begin_mark));) {
        const char *name = mark + strlen(begin_mark), *name_end = strstr(name, " -->"), *line_end = strchr(name, '\n');
        const char *end = strstr(name, end_mark), *next = strstr(name, begin_mark);
        Table *table = name_end ? find_table(tables, count, name, (size_t)(name_end - name)) : NULL;
        if (!table || !line_end || !end || (next && next < end)) {
            fprintf(stderr, "%s:%d: %s\n", path, line_of(page, mark),
                    table ? "this table has no end" : "there is no table of this name");
            return false;
        }
        fwrite(rest, 1, (size_t)(line_end + 1 - rest), out);
        if (table->write)
            table->write(out);
        else
            write_params(out, table->params, table->more);
        table->is_used = true;
        rest = end;
    }
    fputs(rest, out);
    return true;
}

// Compares, or replaces the file.
static bool finish_page(const char *path, const char *page, const char *fresh, size_t size, bool is_check)
{
    if (strcmp(page, fresh) == 0) return true;
    if (is_check) {
        size_t same = 0;
        while (page[same] && page[same] == fresh[same]) ++same;
        fprintf(stderr, "%s:%d: this table is not what the program says; run tools/update-docs\n", path,
                line_of(page, page + same));
        return false;
    }
    couFaults faults = {0};
    couFile file = {0};
    bool is_good = couFile_Create(&file, path, &faults) && couFile_Write(&file, fresh, size);
    is_good = is_good ? couFile_Commit(&file, &faults) : (couFile_Discard(&file), false);
    for (int i = 0; i < faults.count; ++i) fprintf(stderr, "%s: %s\n", path, faults.items[i].message);
    couFaults_Clear(&faults);
    if (is_good) printf("%s: updated\n", path);
    return is_good;
}

static bool do_page(const char *path, Table *tables, int count, bool is_check)
{
    couFaults faults = {0};
    char *page = couReadFile(path, PAGE_BYTES, NULL, &faults);
    if (!page) fprintf(stderr, "%s: %s\n", path, faults.count ? faults.items[0].message : "cannot be read");
    couFaults_Clear(&faults);
    if (!page) return false;
    char *fresh = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&fresh, &size);
    bool is_good = out && write_page(out, path, page, tables, count);
    if (out) is_good = fclose(out) == 0 && is_good;
    is_good = is_good && finish_page(path, page, fresh, size, is_check);
    free(fresh);
    free(page);
    return is_good;
}

int main(int argc, char **argv)
{
    bool is_check = argc > 1 && strcmp(argv[1], "--check") == 0;
    int first = is_check ? 2 : 1;
    if (first >= argc) {
        fprintf(stderr, "usage: gen_scene_tables [--check] PAGE.md...\n");
        return 2;
    }
    Table tables[64];
    couParam joint_rows[COU_MAX_JOINT_PARAMS];
    couParamTable joint = couSceneJointParams(joint_rows);
    int count = list_tables(tables, COU_COUNT(tables), &joint);
    bool is_good = true;
    for (int i = first; i < argc; ++i) is_good = do_page(argv[i], tables, count, is_check) && is_good;
    for (int i = 0; i < count && is_good; ++i) {
        if (tables[i].is_used) continue;
        fprintf(stderr, "the table '%s' has no place on these pages: add <!-- table: %s --> and %s\n", tables[i].name,
                tables[i].name, end_mark);
        is_good = false;
    }
    return is_good ? 0 : 1;
}
