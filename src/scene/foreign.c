// Words of other programs, and what they are called here; and functions that are not there at all. A name that is not there ends
// the script where it stands, and would hide every fault behind it: where it is called, the loader runs the script again with
// stand-ins for such functions, which only add a fault.
#include "scene/internal.h"

#include "base/base.h"
#include "files/file.h"
#include "scene/keys.h"

#include <ctype.h>
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Word {
    const char *theirs;
    const char *ours;   // a key or a function, if the place has it; NULL: only the advice helps
    const char *advice; // NULL: "here it is 'ours'"
} Word;

static const Word keys[] = {
    {"position", "at", NULL},
    {"pos", "at", NULL},
    {"location", "at", NULL},
    {"translation", "at", NULL},
    {"translate", "at", NULL},
    {"origin", "at", NULL},
    {"center", "at", NULL},
    {"rotation", "turn", NULL},
    {"rotate", "turn", NULL},
    {"orientation", "turn", NULL},
    {"angle", "turn", NULL},
    {"angular_velocity", "spin", NULL},
    {"omega", "spin", NULL},
    {"initial_velocity", "velocity", NULL},
    {"vel", "velocity", NULL},
    {"static", "fixed", NULL},
    {"kinematic", "motion", NULL},
    {"animation", "motion", NULL},
    {"dynamic", "density", "a body with a density or a mass moves freely"},
    {"bounce", "restitution", NULL},
    {"elasticity", "restitution", NULL},
    {"alpha", "opacity", NULL},
    {"transparency", "opacity", NULL},
    {"ior", "refraction", NULL},
    {"rho", "density", NULL},
    {"rho0", "density", NULL},
    {"rest_density", "density", NULL},
    {"mu", "viscosity", NULL},
    {"nu", "viscosity", "'viscosity' is the dynamic one, [Pa s]: density times nu"},
    {"sigma", "surface_tension", NULL},
    {"tension", "surface_tension", NULL},
    {"stiffness", "shear_modulus", NULL},
    {"young", "shear_modulus", NULL},
    {"resolution", "spacing", NULL},
    {"particle_radius", "spacing", "the distance of particles is 'spacing', twice such a radius"},
    {"particle_size", "spacing", NULL},
    {"dx", "spacing", NULL},
    {"dt", NULL, "steps are chosen by the method; its longest is a parameter: sph = { max_step = 0.001 }"},
    {"timestep", NULL, "steps are chosen by the method; its longest is a parameter: sph = { max_step = 0.001 }"},
    {"end_time", "duration", NULL},
    {"stop_time", "duration", NULL},
    {"time", "duration", NULL},
    {"frame_rate", "fps", NULL},
    {"framerate", "fps", NULL},
    {"dim", "dimension", NULL},
    {"solver", "method", NULL},
    {"light", NULL, "pictures have a light of their own: docs/pictures.md"},
    {"lights", NULL, "pictures have a light of their own: docs/pictures.md"},
    {"text", "title", NULL},
    {"description", "note", NULL},
    {"geometry", "shape", NULL},
    {"mesh", "shape", "give shape = mesh { file = \"...\" }"},
    {"file", "shape", "give shape = mesh { file = \"...\" }"},
    {"rate", "speed", NULL},
    {"flow_rate", "speed", "the flow of an emitter is its speed times the area of its shape"},
    {"eye", "from", NULL},
    {"look_at", "to", NULL},
    {"lookat", "to", NULL},
    {"target", "to", NULL},
    {"focal_length", "fov", NULL},
    {"zoom", "fov", NULL},
    {"scale", NULL, "shapes have sizes of their own; a mesh has scale or size"},
    {"depth", "size", NULL},
    {"width", "size", NULL},
    {"dimensions", "size", NULL},
    {"half_extents", "size", "'size' is the whole one, twice the half extents"},
    {"diameter", "radius", NULL},
    {"length", "height", NULL},
    {"r", "radius", NULL},
    {"wall", "thickness", NULL},
};

static const Word functions[] = {
    {"light", NULL, "pictures have a light of their own: docs/pictures.md"},
    {"lamp", NULL, "pictures have a light of their own: docs/pictures.md"},
    {"sun", NULL, "pictures have a light of their own: docs/pictures.md"},
    {"position", NULL, "where a thing is says its key: at = {x, y, z}"},
    {"rotation", NULL, "how a thing is turned says its key: turn = { axis = {0, 0, 1}, degrees = 30 }"},
    {"translate", NULL, "shape:at {x, y, z} moves a shape"},
    {"rotate", NULL, "shape:turned { axis = {0, 0, 1}, degrees = 30 } turns a shape"},
    {"scale", NULL, "shapes have sizes of their own; a mesh has scale or size"},
    {"ball", "sphere", NULL},
    {"circle", "disk", NULL},
    {"cube", "box", NULL},
    {"rectangle", "box", NULL},
    {"cuboid", "box", NULL},
    {"tube", "shell", NULL},
    {"pipe", "shell", NULL},
    {"hollow", "shell", NULL},
    {"group", "union", NULL},
    {"merge", "union", NULL},
    {"subtract", "difference", NULL},
    {"cut", "difference", NULL},
    {"minus", "difference", NULL},
    {"intersect", "intersection", NULL},
    {"common", "intersection", NULL},
    {"letters", "text", NULL},
    {"words", "text", NULL},
    {"font", "text", "letters are text { \"words\", font = \"dejavu-sans\", height = 0.1 }"},
    {"rounded_box", "box", "a box has a rounding: box { size = {1, 1, 1}, rounding = 0.1 }"},
    {"liquid", "fluid", NULL},
    {"water", "fluid", "matter is a material: fluid { material = \"water\", shape = ... }"},
    {"particles", "fluid", NULL},
    {"fluid_block", "fluid", NULL},
    {"rigid", "body", NULL},
    {"rigid_body", "body", NULL},
    {"rigidbody", "body", NULL},
    {"obstacle", "body", NULL},
    {"collider", "body", NULL},
    {"boundary", "body", NULL},
    {"wall", "body", "a wall is a body: body { shape = plane {} }"},
    {"floor", "body", "a floor is a body: body { shape = plane {} }"},
    {"domain", "body", "what holds the liquid is a body: shell { box { ... }, thickness = 0.02, open = true }"},
    {"cloth", "solid", NULL},
    {"soft", "solid", NULL},
    {"softbody", "solid", NULL},
    {"source", "emitter", NULL},
    {"inflow", "emitter", NULL},
    {"inlet", "emitter", NULL},
    {"outflow", "sink", NULL},
    {"outlet", "sink", NULL},
    {"drain", "sink", NULL},
    {"force", "field", NULL},
    {"gravity", "scene", "gravity is a key of scene{}: gravity = {0, -9.81, 0}"},
    {"wind", "blower", NULL},
    {"fan", "blower", NULL},
    {"constraint", "joint", NULL},
    {"hinge", "joint", "a hinge is a joint { kind = \"hinge\", ... }"},
    {"view", "camera", NULL},
    {"simulation", "scene", NULL},
    {"settings", "scene", NULL},
    {"world", "scene", NULL},
    {"include", "require", NULL},
    {"dofile", "require", NULL},
    {"loadfile", "require", NULL},
    {"import", "mesh", NULL},
    {"model", "mesh", NULL},
    {"on", "at", "events are at(time, function(world) ... end) and every(period, function(world) ... end)"},
    {"after", "at", NULL},
    {"color", "colors", NULL},
};

static const Word *find_word(const Word *words, int count, const char *name)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(words[i].theirs, name) == 0) return &words[i];
    return NULL;
}

static bool is_among(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; ++i)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// "; keys: at, color, ..."; as many as there is room for.
static void append_names(char *text, size_t size, const char *what, const char *const *names, int count)
{
    size_t used = strlen(text);
    for (int i = 0; i < count; ++i) {
        int length = snprintf(text + used, size - used, "%s%s%s%s", i == 0 ? "; " : ", ", i == 0 ? what : "", i == 0 ? ": " : "",
                              names[i]);
        if (length < 0 || used + (size_t)length + 5 >= size) {
            snprintf(text + used, size - used, "...");
            return;
        }
        used += (size_t)length;
    }
}

void couFormatUnknownKey(char *text, size_t size, const char *key, const char *const *names, int count)
{
    const Word *word = find_word(keys, COU_COUNT(keys), key);
    bool is_ours = word && word->ours && is_among(names, count, word->ours);
    if (word && (is_ours || !word->ours)) {
        if (word->advice)
            snprintf(text, size, "unknown key '%.40s': %s", key, word->advice);
        else
            snprintf(text, size, "unknown key '%.40s': here it is '%s'", key, word->ours);
    } else {
        const char *nearest = couSuggest(names, count, key);
        couFormatUnknown(text, size, "key", key, nearest);
        if (nearest) return;
    }
    append_names(text, size, "keys", names, count);
}

static void format_unknown_function(char *text, size_t size, const char *name)
{
    static const char *const names[] = {
        "scene", "material", "fluid",   "body",   "joint", "emitter",    "sink",         "field",  "blower",  "solid",    "gauge",
        "at",    "every",    "camera",  "colors", "mesh",  "plane",      "box",          "sphere", "capsule", "cylinder", "cone",
        "torus", "disk",     "polygon", "shell",  "union", "difference", "intersection", "text",   "placed",  "require"};
    const Word *word = find_word(functions, COU_COUNT(functions), name);
    if (word && word->advice)
        snprintf(text, size, "there is no function '%.40s': %s", name, word->advice);
    else if (word)
        snprintf(text, size, "there is no function '%.40s': here it is '%s'", name, word->ours);
    else
        couFormatUnknown(text, size, "name", name, couSuggest(names, COU_COUNT(names), name));
    if (!word && couSuggest(names, COU_COUNT(names), name)) return;
    append_names(text, size, "functions", names, COU_COUNT(names));
}

const char *couForeignWord(const char *name, const char **advice)
{
    const Word *word = find_word(functions, COU_COUNT(functions), name);
    if (!word) word = find_word(keys, COU_COUNT(keys), name);
    *advice = word ? word->advice : NULL;
    return word ? word->ours : NULL;
}

// --- Functions that are not there --------------------------------------------------------------------------------------------

// Adds its fault and gives back what stands for a shape that had one: nothing that is made of it is at fault again.
static int stand_in(lua_State *lua)
{
    char text[600];
    const char *name = lua_tostring(lua, lua_upvalueindex(1));
    couReader reader = couReader_Begin(lua, name);
    format_unknown_function(text, sizeof text, name);
    couFaults_Add(reader.scene->faults, reader.where, NULL, "%s", text);
    couPushShape(lua);
    return 1;
}

void couScene_OpenStandIns(lua_State *lua)
{
    const couScene *scene = couScene_Of(lua);
    for (int i = 0; i < scene->unknown_count; ++i) {
        lua_pushstring(lua, scene->unknown[i]);
        lua_pushcclosure(lua, stand_in, 1);
        lua_setglobal(lua, scene->unknown[i]);
    }
}

// True when the line has a call of the name: what follows it is an argument.
static bool has_call(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name)) {
        bool is_word = at == line || !(isalnum((unsigned char)at[-1]) || strchr("_.:", at[-1]));
        const char *behind = at + length + strspn(at + length, " \t");
        if (is_word && *behind && strchr("({\"'[", *behind)) return true;
    }
    return false;
}

bool couFindUnknownCall(const couLuaError *error, char name[COU_NAME_SIZE])
{
    static const char begin[] = "unknown name '";
    const char *colon = strrchr(error->where, ':');
    size_t length = strncmp(error->message, begin, strlen(begin)) == 0 ? strcspn(error->message + strlen(begin), "'") : 0;
    if (!colon || length == 0 || length >= COU_NAME_SIZE) return false;
    char path[sizeof error->where], line[1024] = "";
    snprintf(path, sizeof path, "%.*s", (int)(colon - error->where), error->where);
    FILE *file = couOpenFile(path, NULL);
    for (long left = strtol(colon + 1, NULL, 10); file && left > 0; --left)
        if (!fgets(line, sizeof line, file)) line[0] = '\0';
    if (file) fclose(file);
    memcpy(name, error->message + strlen(begin), length);
    name[length] = '\0';
    if (!strchr(name, '.') && has_call(line, name)) return true;
    name[0] = '\0';
    return false;
}
