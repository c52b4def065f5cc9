// text{}: words as a shape, from a font file in the scene's folder or one that the system has under a name (io/font_file.c). The
// scene's hash takes in the outlines as they came out, so that another version of a font is another scene.
#include "scene/internal.h"

#include "base/base.h"
#include "coulis/font.h"

#include <lauxlib.h>
#include <stdlib.h>

#define TEXT_WORK 300000 // of setting words, in instructions of the script: a process and some ms

/// What text{} was given.
typedef struct couTextCall {
    float height, depth, tolerance; // NaN: not given
    char text[1100], font[512];
    couPose pose;
} couTextCall;

static const couParam text_params[] = {
    COU_NUMBER(couTextCall, height, "m", .initial = {NAN}, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "of a capital H; needed"),
    COU_NUMBER(couTextCall, depth, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "along z; auto: a quarter of the height"),
    COU_NUMBER(couTextCall, tolerance, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "how far outlines may be off the font's curves; auto: height / 500"),
};
static const couParamTable text_table = {"text", text_params, COU_COUNT(text_params)};

const couParamTable *couSceneTextParams(void) { return &text_table; }

static void read_text(couReader *reader, const char *key, void *target)
{
    couReader_Text(reader, key, ((couTextCall *)target)->text, sizeof((couTextCall *)target)->text);
}

static void read_font(couReader *reader, const char *key, void *target)
{
    couReader_Text(reader, key, ((couTextCall *)target)->font, sizeof((couTextCall *)target)->font);
}

static void read_at(couReader *reader, const char *key, void *target)
{
    couReader_Vector(reader, key, &((couTextCall *)target)->pose.position);
}

static void read_turn(couReader *reader, const char *key, void *target)
{
    couReader_Turn(reader, key, &((couTextCall *)target)->pose.rotation);
}

// --- The font ----------------------------------------------------------------------------------------------------------------

static bool find_named(couReader *reader, const char *name, char *path, size_t size)
{
    const char *const *names = couFontNames();
    int count = 0;
    bool is_known = false;
    for (; names[count]; ++count) is_known |= strcmp(names[count], name) == 0;
    if (couFindFont(name, path, size)) return true;
    if (is_known) {
        couReader_Fault(reader, "font", "'%s' is not installed: the Debian package fonts-dejavu-core has it", name);
        return false;
    }
    const char *nearest = couSuggest(names, count, name);
    couReader_Fault(reader, "font", "there is no font '%.80s'%s%s%s", name,
                    nearest ? ": did you mean '"
                            : ": a file of the scene's folder, as \"fonts/round.ttf\", or dejavu-sans, "
                              "dejavu-serif or dejavu-mono, each also -bold",
                    nearest ? nearest : "", nearest ? "'?" : "");
    return false;
}

// False after a fault.
static bool find_font(couReader *reader, const char *font, char *path, size_t size)
{
    if (!strpbrk(font, "./\\")) return find_named(reader, font, path, size);
    if (!couIsPlainPath(font)) {
        couReader_Fault(reader, "font", "'%.80s': only files inside the scene's folder, like \"fonts/round.ttf\"", font);
        return false;
    }
    char *real = couResolveInside(reader->scene->folder, font);
    if (!real) {
        couReader_Fault(reader, "font", "there is no file '%.80s' inside the scene's folder", font);
        return false;
    }
    bool is_listed = couScene_AddFile(reader->scene, font, real);
    if (!is_listed) couReader_Fault(reader, "font", "out of memory");
    snprintf(path, size, "%s", real);
    free(real);
    return is_listed;
}

// --- The shape ---------------------------------------------------------------------------------------------------------------

static void add_to_hash(couScene *scene, const couShape *shape)
{
    const couShapeDef *def = couShape_Def(shape);
    if (def->point_count > 0) couScene_AddToHash(scene, def->points, (size_t)def->point_count * sizeof *def->points);
    for (int i = 0; i < def->child_count; ++i) add_to_hash(scene, def->children[i]);
}

// The library names its faults as the scene does, but for the words themselves.
static void adopt(couReader *reader, couFaults *faults, const char *font)
{
    for (int i = 0; i < faults->count; ++i) {
        const char *key = strrchr(faults->items[i].key, '.');
        bool is_font = key && strcmp(key, ".font") == 0;
        couReader_Fault(reader, key && strcmp(key, ".text") != 0 ? key + 1 : NULL, "%s%.100s%s%s", is_font ? "'" : "",
                        is_font ? font : "", is_font ? "': " : "", faults->items[i].message);
    }
    couFaults_Clear(faults);
}

static void make_shape(couReader *reader, const couTextCall *call, couShapeRef *ref)
{
    char path[1024];
    if (!find_font(reader, call->font, path, sizeof path)) return;
    couTextDef def = {
        .text = call->text, .font = path, .height = call->height, .depth = call->depth, .tolerance = call->tolerance};
    couFaults faults = {0};
    couSandbox_PauseClock(&reader->scene->sandbox);
    ref->shape = couCreateTextShape(&def, &faults);
    couSandbox_ResumeClock(&reader->scene->sandbox);
    ref->pose = call->pose;
    adopt(reader, &faults, call->font);
    if (ref->shape) add_to_hash(reader->scene, ref->shape);
}

static void check_call(couReader *reader, const couTextCall *call)
{
    if (!call->text[0]) couReader_Fault(reader, NULL, "the words are missing: text { \"Coulis\", font = ..., height = ... }");
    if (!call->font[0]) {
        couReader_Fault(reader, "font",
                        "is missing: a file of the scene's folder, or a name like \"dejavu-sans\" (Debian package "
                        "fonts-dejavu-core)");
    }
    if (isnan(call->height)) couReader_Fault(reader, "height", "is missing");
}

static int text_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"font", read_font}, {"at", read_at}, {"turn", read_turn}};
    couCheckLoading(lua, "text{}");
    couReader reader = couReader_Begin(lua, "text");
    lua_settop(lua, 1);
    couTextCall call = {.pose = COU_POSE_IDENTITY};
    couParams_SetDefaults(&text_table, &call);
    couShapeRef *ref = couPushShape(lua);
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, &text_table, &call, keys, COU_COUNT(keys), &call, 1, NULL);
        lua_rawgeti(lua, 1, 1);
        if (!lua_isnil(lua, -1)) read_text(&reader, NULL, &call);
        lua_settop(lua, 2);
        if (reader.fault_count == 0) check_call(&reader, &call);
    }
    if (!lua_istable(lua, 1) || reader.fault_count > 0) return 1;
    couShapeRef_SetCost(lua, ref, 512 + 64 * 4096);
    make_shape(&reader, &call, ref);
    couSandbox_Work(lua, TEXT_WORK);
    return 1;
}

void couScene_OpenTexts(lua_State *lua)
{
    lua_pushcfunction(lua, text_call);
    lua_setglobal(lua, "text");
}
