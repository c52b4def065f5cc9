// The language of scenes as tables (keys.h).
#include "scene/keys.h"

#include "base/base.h"
#include "scene/internal.h"

#include <stdio.h>

#define PLACE \
    {"at", "number[]", "where its origin is [m]", "{0, 0.1, 0}"}, \
    { \
        "turn", "turn", "how it is turned, about an axis (default z) by degrees", "{ axis = {0, 0, 1}, degrees = 30 }" \
    }
#define SHAPE \
    { \
        "shape", "shape", "its shape", "sphere { radius = 0.1 }" \
    }
#define NAME \
    { \
        "name", "string", "its own name, for events, files and joints", "\"tank\"" \
    }
#define MATERIAL \
    { \
        "material", "material|string", "matter: from material() or a name of the library", "\"water\"" \
    }
#define MOTION \
    { \
        "motion", "function|table", \
            "a function of the time that gives { at =, turn = }, or keyframes {{ time = 0, at = ... }, ...}", \
            "function(t) return { at = {0.1 * math.sin(6 * t), 0, 0} } end" \
    }
#define DIRECTION \
    { \
        "direction", "number[]", "where a disk or polygon sends its jet", "{0, -1, 0}" \
    }

static const couSceneKey scene_keys[] = {{"title", "string", "what the scene shows", "\"Dam break\""},
                                         {"note", "string", "what to look at", "\"The wave folds over.\""}};
static const couSceneKey material_keys[] = {
    {"base", "string", "the material that a new one starts from; default: the library's of its name", "\"water\""}};
static const couSceneKey fluid_keys[] = {
    SHAPE,
    PLACE,
    MATERIAL,
};
static const couSceneKey body_keys[] = {
    SHAPE,
    PLACE,
    NAME,
    MOTION,
    {"fixed", "boolean", "true: it stays; false: it moves freely, also without density or mass", "true"},
    {"samples", "string", "file of points that stand for the body in the SPH methods, instead of Coulis's own", "\"ball.csv\""},
};
static const couSceneKey joint_keys[] = {{"a", "string", "name of the first body", "\"wheel\""},
                                         {"b", "string", "name of the second body; left out: the world", "\"frame\""},
                                         NAME};
static const couSceneKey emitter_keys[] = {SHAPE, PLACE, MATERIAL, NAME, MOTION, DIRECTION};
static const couSceneKey sink_keys[] = {SHAPE, PLACE};
static const couSceneKey field_keys[] = {{"region", "shape", "where it acts; left out: everywhere", "box { size = {1, 1, 1} }"},
                                         {"acceleration", "function", "of x, y, z, vx, vy, vz, t, which gives ax, ay, az [m/s^2]",
                                          "function(x, y, z) return -x, 0, -z end"}};
static const couSceneKey blower_keys[] = {SHAPE, PLACE, NAME, DIRECTION};
static const couSceneKey solid_keys[] = {
    SHAPE,
    PLACE,
    NAME,
    {"file", "string", "a mesh of tetrahedra in the scene's folder, instead of a shape", "\"jelly.msh\""},
    {"fixed", "shape", "points in it are held", "box { size = {0.1, 0.01, 0.1} }"},
    {"driven", "table", "points in a shape follow a motion",
     "{ shape = box { size = {0.1, 0.01, 0.1} }, motion = function(t) return { at = {0, 0.01 * t, 0} } end }"},
    {"push", "table", "points in a shape feel a force [N]", "{ shape = sphere { radius = 0.02 }, force = {0, -1, 0} }"},
    {"trace", "table", "points nearest to these places are followed into traces.csv", "{ {0, 0.05, 0} }"},
};
static const couSceneKey gauge_keys[] = {
    SHAPE,
    PLACE,
    {"line", "table", "two points: a profile between them, or the level of the liquid along it", "{ {0, 0, 0}, {0, 0.3, 0} }"},
    {"polygon", "table", "points that the flow is measured through; two of them in 2D",
     "{ {0, 0, 0}, {0.1, 0, 0}, {0.1, 0.1, 0} }"},
    {"body", "string", "the body whose force or torque is measured", "\"wheel\""},
};
static const couSceneKey camera_keys[] = {
    {"path", "table", "keyframes {{ time = 0, from = ..., to = ... }, ...}", "{{ time = 0, from = {1, 1, 1}, to = {0, 0, 0} }}"}};
static const couSceneKey mesh_keys[] = {
    {"file", "string", "of the scene's folder: .obj, .ply, .stl, .gltf, .glb or .3ds", "\"models/boat.obj\""},
    {"stock", "string", "bunny, horse or cat", "\"bunny\""},
    PLACE,
    {"vertices", "number[][]", "points {{x, y, z}, ...}, instead of a file", "{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}"},
    {"triangles", "integer[][]", "three numbers of vertices each, from 1, seen from outside counter-clockwise",
     "{{1, 3, 2}, {1, 2, 4}, {1, 4, 3}, {2, 3, 4}}"},
};
static const couSceneKey text_keys[] = {
    {"font", "string", "a font file of the scene's folder, or dejavu-sans, dejavu-serif, dejavu-mono, each also -bold",
     "\"dejavu-sans\""},
    PLACE,
};
static const couSceneKey shape_keys[] = {PLACE};
static const couSceneKey shell_keys[] = {
    PLACE, {"of", "shape", "what it is a wall around; also as first entry", "box { size = {1, 1, 1} }"}};
static const couSceneKey polygon_keys[] = {
    PLACE, {"points", "number[][]", "its corners in the plane, 3 to 1000", "{{0, 0}, {1, 0}, {0, 1}}"}};

// --- Calls -------------------------------------------------------------------------------------------------------------------

static void add(couSceneLanguage *language, couSceneCall call)
{
    if (language->count < COU_MAX_SCENE_CALLS) language->calls[language->count++] = call;
}

#define CALL(word, text, table, own, sample) \
    add(language, (couSceneCall){ \
                      .name = word, .help = text, .params = table, .keys = own, .key_count = COU_COUNT(own), .example = sample})

static void add_shapes(couSceneLanguage *language)
{
    static const struct {
        const char *name, *help, *example;
    } words[] = {
        {"plane", "all that is below a plane through the origin", "plane { normal = {0, 1, 0} }"},
        {"box", "with its middle at the origin", "box { size = {0.2, 0.1, 0.2}, rounding = 0.01 }"},
        {"sphere", "with its middle at the origin", "sphere { radius = 0.1 }"},
        {"capsule", "along y, round at both ends", "capsule { radius = 0.05, height = 0.2 }"},
        {"cylinder", "along y", "cylinder { radius = 0.05, height = 0.2 }"},
        {"cone", "along y; radius2 is that of its upper end, default 0", "cone { radius = 0.1, height = 0.2, radius2 = 0.05 }"},
        {"torus", "about y; radius2 is that of the tube", "torus { radius = 0.1, radius2 = 0.02 }"},
        {"disk", "a flat one about y, for jets", "disk { radius = 0.02 }"},
        {"polygon", "in the plane, for jets; with a height a prism along z", "polygon { points = {{0, 0}, {1, 0}, {0, 1}} }"},
        {"shell", "a wall around another shape", "shell { box { size = {1, 0.5, 1} }, thickness = 0.02, open = true }"},
        {"union", "several shapes as one", "union { sphere { radius = 0.1 }, box { size = {0.3, 0.05, 0.3} } }"},
        {"difference", "the first shape without all others, which must stick out where they open it",
         "difference { box { size = {0.2, 0.2, 0.2} }, cylinder { radius = 0.05, height = 0.3 } }"},
        {"intersection", "what all shapes have in common", "intersection { sphere { radius = 0.1 }, plane {} }"},
    };
    for (int i = 0; i < COU_COUNT(words); ++i) {
        const couParamTable *table = couSceneShapeTable(i);
        bool is_shell = strcmp(words[i].name, "shell") == 0, is_polygon = strcmp(words[i].name, "polygon") == 0;
        add(language, (couSceneCall){.name = words[i].name,
                                     .help = words[i].help,
                                     .example = words[i].example,
                                     .params = table && table->params ? table : NULL,
                                     .keys = is_shell     ? shell_keys
                                             : is_polygon ? polygon_keys
                                                          : shape_keys,
                                     .key_count = is_shell || is_polygon ? COU_COUNT(shell_keys) : COU_COUNT(shape_keys),
                                     .is_shape = true});
    }
}

void couDescribeLanguage(couSceneLanguage *language)
{
    static const couSceneKey none[] = {{NULL, NULL, NULL, NULL}};
    *language = (couSceneLanguage){0};
    _Static_assert((int)COU_SCENE_JOINT_ROWS == (int)COU_MAX_JOINT_PARAMS, "room for the joint's rows");
    language->joint = couSceneJointParams(language->joint_rows);
    CALL("scene", "once in each file: spacing, duration, gravity, parameters of methods", couWorldParams(), scene_keys,
         "scene { title = \"Pool\", method = \"dfsph\", spacing = 0.02, duration = 3 }");
    language->calls[language->count - 1].more = couSceneInfoParams();
    CALL("material", "matter, from the library or changed: material(name, { ... })", couMaterialParams(), material_keys,
         "local oil = material(\"oil\", { base = \"water\", viscosity = 0.1 })");
    CALL("fluid", "a volume that is filled at the start", couFluidParams(), fluid_keys,
         "fluid { material = \"water\", shape = box { size = {0.2, 0.3, 0.2} }, at = {0, 0.15, 0} }");
    CALL("body", "a solid: fixed, driven, or free", couBodyParams(), body_keys,
         "body { name = \"ball\", shape = sphere { radius = 0.1 }, at = {0, 1, 0}, density = 500, friction = 0.3 }");
    CALL("joint", "holds two bodies together, or one to the world", &language->joint, joint_keys,
         "joint { kind = \"hinge\", a = \"wheel\", at = {0, 0.3, 0}, axis = {0, 0, 1} }");
    CALL("emitter", "a jet, or a volume filled later", couEmitterParams(), emitter_keys,
         "emitter { material = \"water\", shape = disk { radius = 0.02 }, at = {0, 0.5, 0}, direction = {0, -1, 0}, speed = 1 }");
    CALL("sink", "where particles are removed", couSinkParams(), sink_keys,
         "sink { shape = box { size = {4, 4, 4} }, inverted = true }");
    CALL("field", "a force field", couFieldParams(), field_keys,
         "field { acceleration = function(x, y, z) return -x, 0, -z end }");
    CALL("blower", "pushes the liquid in a region, for a time", couBlowerParams(), blower_keys,
         "blower { name = \"fan\", shape = cylinder { radius = 0.1, height = 0.4 }, at = {0, 0.3, 0}, force = 10 }");
    CALL("solid", "a deformable solid", couSolidParams(), solid_keys,
         "solid { shape = box { size = {0.1, 0.1, 0.1} }, at = {0, 0.2, 0} }");
    language->calls[language->count - 1].more = couSceneSolidMeshParams();
    CALL("gauge", "measures pressure, level, flow, force... into gauges.csv", couGaugeParams(), gauge_keys,
         "gauge { name = \"p1\", what = \"pressure\", at = {0, 0.05, 0}, every = 0.01 }");
    CALL("camera", "what pictures show", couSceneCameraParams(), camera_keys,
         "camera { from = {1, 0.8, 1.5}, to = {0, 0.1, 0} }");
    CALL("colors", "pictures coloured by a number instead of by material", couColorsParams(), none, "colors { by = \"speed\" }");
    language->calls[language->count - 1].key_count = 0;
    CALL("mesh", "a shape from triangles", couSceneMeshParams(), mesh_keys, "mesh { stock = \"bunny\", size = 0.3 }");
    language->calls[language->count - 1].is_shape = true;
    CALL("text", "words as a shape, the middle of its bounds at the origin; the words come first", couSceneTextParams(),
         text_keys, "text { \"Coulis\", font = \"dejavu-sans-bold\", height = 0.1, depth = 0.02 }");
    language->calls[language->count - 1].is_shape = true;
    add_shapes(language);
}

const couSceneCall *couSceneLanguage_Find(const couSceneLanguage *language, const char *name)
{
    for (int i = 0; i < language->count; ++i)
        if (strcmp(language->calls[i].name, name) == 0) return &language->calls[i];
    return NULL;
}

const couSceneKey *couSceneCall_Key(const couSceneCall *call, const char *name)
{
    for (int i = 0; i < call->key_count; ++i)
        if (strcmp(call->keys[i].name, name) == 0) return &call->keys[i];
    return NULL;
}

const couParam *couSceneCall_Param(const couSceneCall *call, const char *name)
{
    const couParam *param = call->more ? couParams_Find(call->more, name) : NULL;
    return param || !call->params ? param : couParams_Find(call->params, name);
}

// --- Events ------------------------------------------------------------------------------------------------------------------

const couWorldWord *couWorldWords(int *count)
{
    static const couWorldWord words[] = {
        {"time", NULL, "number", "[s]"},
        {"store", NULL, "table", "a table of your own, saved in checkpoints"},
        {"particle_count", "", "integer", "now"},
        {"pour", "what: fluid", NULL, "as fluid { ... }, now"},
        {"stop_emitters", "", NULL, "all of them"},
        {"emitter", "name: string, on: boolean", NULL, "switches one"},
        {"set", "key: string|material, value: any, more?: any", NULL, "changes what the scene has set, at once"},
        {"gravity", "gravity?: number[]", "number[]", "another gravity from now on [m/s^2]; returns it"},
        {"add_springs", "material: material|string", NULL, "between all its pairs closer than h"},
        {"delete_springs", "material: material|string", NULL, "the solid turns to liquid"},
        {"body", "name: string", "table", "how it is: at, turn, center, velocity, spin, force, torque, mass, free, asleep"},
        {"push", "name: string, impulse: number[], point?: number[]", NULL, "an impulse [N s] on a free body"},
        {"set_velocity", "name: string, velocity: number[], spin?: number[]", NULL, "of a free body"},
        {"set_free", "name: string, free: boolean", NULL, "lets a body go, or holds it"},
        {"remove_body", "name: string", NULL, "and its joints"},
        {"motor", "joint: string, speed: number, force?: number", NULL, "of a hinge, slider or motor"},
        {"remove_joint", "name: string", NULL, "lets go of what it holds"},
        {"gauge", "name: string", "any", "what the gauge measured last; nil before the first time"},
        {"record", "name: string, value: number", NULL, "a number of your own: a column of gauges.csv"},
        {"remove_gauge", "name: string", NULL, "its columns stay, without values"},
        {"log", "text: string", NULL, "a line of the run's output"},
    };
    *count = COU_COUNT(words);
    return words;
}
