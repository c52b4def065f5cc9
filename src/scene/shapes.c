// Shapes of the script: box { size = {1, 1, 1} }, difference { box { ... }, sphere { ... } }, glass = shell { cylinder { ...
// }, thickness = 0.01, open = true }, shape:at { x, y, z }, shape:turned { axis =, degrees = }. A shape is a userdata with a
// reference to a couShape and a pose.
#include "scene/internal.h"

#include "base/base.h"
#include "scene/keys.h"

#include <lauxlib.h>
#include <stdio.h>

#define TYPE_NAME "shape"
#define MAX_POINTS 1000
#define MAX_CHILDREN 1000
#define CUT_WORK 100000 // of looking through a difference or intersection, in instructions of the script

// --- Parameters of each kind -------------------------------------------------------------------------------------------------

#define LENGTH(field) COU_NUMBER(couShapeDef, field, "m", .min = 0, .is_min_open = true, .max = 1e6)

static const couParam plane_params[] = {
    COU_PARAM("normal", cou_paramVec3, couShapeDef, axis, "", .initial = {0, 1, 0}, .min = -1e9, .max = 1e9),
};
static const couParam box_params[] = {
    COU_VECTOR(couShapeDef, size, "m", .min = 0, .is_min_open = true, .max = 1e6, .help = "its edge lengths"),
    COU_NUMBER(couShapeDef, rounding, "m", .min = 0, .max = 1e6,
               .help = "radius of its edges and corners, at most half of the smallest edge length"),
};
static const couParam round_params[] = {LENGTH(radius)};
static const couParam tall_params[] = {LENGTH(radius), LENGTH(height)};
static const couParam cone_params[] = {
    LENGTH(radius),
    LENGTH(height),
    COU_NUMBER(couShapeDef, radius2, "m", .min = 0, .max = 1e6),
};
static const couParam torus_params[] = {LENGTH(radius), LENGTH(radius2)};
static const couParam polygon_params[] = {LENGTH(height)};
static const couParam shell_params[] = {
    LENGTH(thickness),
    COU_PARAM("open", cou_paramBool, couShapeDef, is_open, "", .max = 1),
};

#define TABLE(word, params) \
    { \
        word, params, COU_COUNT(params) \
    }

typedef struct couShapeWord {
    couParamTable table;
    couShapeKind kind;
    int optional; // bits of parameters that may be left out
} couShapeWord;

static const couShapeWord words[] = {
    {TABLE("plane", plane_params), cou_shapePlane, 1},
    {TABLE("box", box_params), cou_shapeBox, 2},
    {TABLE("sphere", round_params), cou_shapeSphere, 0},
    {TABLE("capsule", tall_params), cou_shapeCapsule, 0},
    {TABLE("cylinder", tall_params), cou_shapeCylinder, 0},
    {TABLE("cone", cone_params), cou_shapeCone, 4},
    {TABLE("torus", torus_params), cou_shapeTorus, 0},
    {TABLE("disk", round_params), cou_shapeDisk, 0},
    {TABLE("polygon", polygon_params), cou_shapePolygon, 1},
    {TABLE("shell", shell_params), cou_shapeShell, 2},
    {{"union", NULL, 0}, cou_shapeUnion, 0},
    {{"difference", NULL, 0}, cou_shapeDifference, 0},
    {{"intersection", NULL, 0}, cou_shapeIntersection, 0},
};

const couParamTable *couSceneShapeTable(int index) { return index < COU_COUNT(words) ? &words[index].table : NULL; }

// --- Shape objects -----------------------------------------------------------------------------------------------------------

// Makes the object first: it owns what is put into it from then on, also when Lua runs out of memory.
couShapeRef *couPushShape(lua_State *lua)
{
    couShapeRef *ref = lua_newuserdatauv(lua, sizeof *ref, 0);
    *ref = (couShapeRef){NULL, COU_POSE_IDENTITY, 0};
    luaL_setmetatable(lua, TYPE_NAME);
    return ref;
}

static int collect_shape(lua_State *lua)
{
    couShapeRef *ref = lua_touserdata(lua, 1);
    couShape_Release(ref->shape);
    couSandbox_Of(lua)->bytes -= ref->cost;
    ref->shape = NULL;
    ref->cost = 0;
    return 0;
}

// Shapes live outside of Lua's memory; counting them there lets its limit hold for them too.
void couShapeRef_SetCost(lua_State *lua, couShapeRef *ref, size_t cost)
{
    ref->cost = cost;
    couSandbox_Of(lua)->bytes += cost;
}

static const couShapeRef *test_shape(lua_State *lua, int index) { return luaL_testudata(lua, index, TYPE_NAME); }

bool couReader_Shape(couReader *reader, const char *key, couShapeRef *shape)
{
    const couShapeRef *ref = test_shape(reader->lua, -1);
    if (ref) {
        *shape = *ref;
        return true;
    }
    char got[80];
    couDescribeValue(reader->lua, -1, got, sizeof got);
    couReader_Fault(reader, key, "expected a shape like sphere { radius = 0.1 }, got %s", got);
    return false;
}

static bool is_identity(couPose pose)
{
    couPose identity = COU_POSE_IDENTITY;
    return memcmp(&pose, &identity, sizeof pose) == 0;
}

// The shape with its pose inside, for use as a part of another one. The caller releases it.
static couShape *create_placed(const couShapeRef *ref, couFaults *faults)
{
    if (!ref->shape) return NULL;
    if (is_identity(ref->pose)) return couShape_Retain(ref->shape);
    couShape *child = ref->shape;
    couShapeDef def = {.kind = cou_shapePlaced, .children = &child, .child_count = 1, .pose = ref->pose};
    return couCreateShape(&def, faults);
}

// --- Methods -----------------------------------------------------------------------------------------------------------------

static const couShapeRef *check_self(lua_State *lua, const char *call)
{
    const couShapeRef *self = test_shape(lua, 1);
    if (!self) luaL_error(lua, "call it as shape:%s { ... }, with a colon", call);
    return self;
}

static void push_moved(lua_State *lua, const couShapeRef *self, couPose pose)
{
    couShapeRef *moved = couPushShape(lua);
    if (!self->shape) return;
    moved->shape = couShape_Retain(self->shape);
    moved->pose = couComposePoses(pose, self->pose);
    couShapeRef_SetCost(lua, moved, self->cost);
}

static int shape_at(lua_State *lua)
{
    const couShapeRef *self = check_self(lua, "at");
    couReader reader = couReader_Begin(lua, "shape");
    couPose pose = COU_POSE_IDENTITY;
    lua_settop(lua, 2);
    couReader_Vector(&reader, "at", &pose.position);
    push_moved(lua, self, pose);
    return 1;
}

static int shape_turned(lua_State *lua)
{
    const couShapeRef *self = check_self(lua, "turned");
    couReader reader = couReader_Begin(lua, "shape");
    couPose pose = COU_POSE_IDENTITY;
    lua_settop(lua, 2);
    couReader_Turn(&reader, "turned", &pose.rotation);
    push_moved(lua, self, pose);
    return 1;
}

static void read_at(couReader *reader, const char *key, void *target)
{
    couReader_Vector(reader, key, &((couPose *)target)->position);
}

static void read_turn(couReader *reader, const char *key, void *target)
{
    couReader_Turn(reader, key, &((couPose *)target)->rotation);
}

static const couExtraKey pose_keys[] = {{"at", read_at}, {"turn", read_turn}};

static int shape_placed(lua_State *lua)
{
    const couShapeRef *self = check_self(lua, "placed");
    couReader reader = couReader_Begin(lua, "placed");
    couPose pose = COU_POSE_IDENTITY;
    if (couReader_IsTable(&reader, 2)) couReader_Table(&reader, 2, NULL, NULL, pose_keys, COU_COUNT(pose_keys), &pose, 0, NULL);
    push_moved(lua, self, pose);
    return 1;
}

// placed { shape, at = ..., turn = ... }
static int placed(lua_State *lua)
{
    couReader reader = couReader_Begin(lua, "placed");
    couPose pose = COU_POSE_IDENTITY;
    couShapeRef self = {NULL, COU_POSE_IDENTITY, 0};
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, NULL, NULL, pose_keys, COU_COUNT(pose_keys), &pose, 1, NULL);
        lua_rawgeti(lua, 1, 1);
        couReader_Shape(&reader, "shape", &self);
    }
    push_moved(lua, &self, pose);
    return 1;
}

// --- Constructors ------------------------------------------------------------------------------------------------------------

/// What a constructor collects besides its parameters; lives in a userdata so that an error cannot leak it.
typedef struct couShapeParts {
    couShape *children[MAX_CHILDREN];
    int child_count;
    couVec3 points[MAX_POINTS];
    int point_count;
    bool is_bad; // a part had its own fault: no fault of this call
    bool has_child_key;
    couPose pose;
    size_t cost; // of the children [bytes]
} couShapeParts;

static int release_parts(lua_State *lua)
{
    couShapeParts *parts = lua_touserdata(lua, 1);
    for (int i = 0; i < parts->child_count; ++i) couShape_Release(parts->children[i]);
    parts->child_count = 0;
    return 0;
}

static couShapeParts *push_parts(lua_State *lua)
{
    couShapeParts *parts = lua_newuserdatauv(lua, sizeof *parts, 0);
    parts->child_count = parts->point_count = 0;
    parts->cost = 0;
    parts->is_bad = parts->has_child_key = false;
    parts->pose = COU_POSE_IDENTITY;
    luaL_setmetatable(lua, "shape parts");
    return parts;
}

static void add_child(couReader *reader, const char *key, couShapeParts *parts)
{
    couShapeRef ref;
    if (!couReader_Shape(reader, key, &ref)) return;
    if (parts->child_count == MAX_CHILDREN) {
        couReader_Fault(reader, key, "more than %d shapes: make unions of some of them", MAX_CHILDREN);
        return;
    }
    couFaults faults = {0};
    couShape *child = create_placed(&ref, &faults);
    couReader_Adopt(reader, &faults, NULL);
    if (child) parts->children[parts->child_count++] = child;
    parts->cost += ref.cost;
    if (!child) parts->is_bad = true;
}

static void read_of(couReader *reader, const char *key, void *target)
{
    couShapeParts *parts = target;
    parts->has_child_key = true;
    add_child(reader, key, parts);
}

static void read_points(couReader *reader, const char *key, void *target)
{
    couShapeParts *parts = target;
    lua_State *lua = reader->lua;
    if (!lua_istable(lua, -1)) {
        couReader_Fault(reader, key, "expected points {{x, y}, {x, y}, ...}");
        return;
    }
    lua_Unsigned count = lua_rawlen(lua, -1);
    if (count < 3 || count > MAX_POINTS) {
        couReader_Fault(reader, key, "%u points: must be 3 to %d", (unsigned)count, MAX_POINTS);
        return;
    }
    for (lua_Unsigned i = 0; i < count; ++i) {
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        bool is_good = couReader_Vector(reader, key, &parts->points[i]);
        lua_pop(lua, 1);
        if (!is_good) return;
        parts->points[i].z = 0.0f;
    }
    parts->point_count = (int)count;
}

static void read_parts_at(couReader *reader, const char *key, void *target)
{
    couReader_Vector(reader, key, &((couShapeParts *)target)->pose.position);
}

static void read_parts_turn(couReader *reader, const char *key, void *target)
{
    couReader_Turn(reader, key, &((couShapeParts *)target)->pose.rotation);
}

// Every shape takes at and turn; the shell also `of`, the polygon `points`.
static const couExtraKey shape_keys[] = {{"at", read_parts_at}, {"turn", read_parts_turn}};
static const couExtraKey shell_keys[] = {{"at", read_parts_at}, {"turn", read_parts_turn}, {"of", read_of}};
static const couExtraKey polygon_keys[] = {{"at", read_parts_at}, {"turn", read_parts_turn}, {"points", read_points}};

static void check_needed(couReader *reader, const couShapeWord *word, const bool *is_given)
{
    for (int i = 0; i < word->table.count; ++i) {
        const couParam *param = &word->table.params[i];
        lua_pushstring(reader->lua, param->name);
        lua_rawget(reader->lua, 1);
        bool is_there = !lua_isnil(reader->lua, -1); // a wrong value has its own fault
        lua_pop(reader->lua, 1);
        if (!is_given[i] && !is_there && !(word->optional >> i & 1)) couReader_Fault(reader, param->name, "is missing");
    }
}

static void read_children(couReader *reader, const couShapeWord *word, couShapeParts *parts)
{
    lua_Unsigned count = lua_rawlen(reader->lua, 1);
    for (lua_Unsigned i = 0; i < count && parts->child_count < MAX_CHILDREN; ++i) {
        lua_rawgeti(reader->lua, 1, (lua_Integer)i + 1);
        add_child(reader, NULL, parts);
        lua_pop(reader->lua, 1);
    }
    bool has_none = parts->child_count == 0 && !parts->is_bad && reader->fault_count == 0;
    if (has_none) couReader_Fault(reader, NULL, word->kind == cou_shapeShell ? "needs a shape, its inside" : "needs shapes");
}

static void read_shape(couReader *reader, const couShapeWord *word, couShapeDef *def, couShapeParts *parts)
{
    bool is_given[4] = {false};
    bool is_shell = word->kind == cou_shapeShell, is_polygon = word->kind == cou_shapePolygon;
    bool is_group = word->kind == cou_shapeUnion || word->kind == cou_shapeDifference || word->kind == cou_shapeIntersection;
    const couExtraKey *keys = is_shell ? shell_keys : is_polygon ? polygon_keys : shape_keys;
    int key_count = is_shell ? COU_COUNT(shell_keys) : is_polygon ? COU_COUNT(polygon_keys) : COU_COUNT(shape_keys);
    int positional = is_group ? MAX_CHILDREN : is_shell ? 1 : 0;
    couReader_Table(reader, 1, &word->table, def, keys, key_count, parts, positional, is_given);
    check_needed(reader, word, is_given);
    if ((is_shell && !parts->has_child_key) || is_group) read_children(reader, word, parts);
    if (is_polygon && parts->point_count == 0 && reader->fault_count == 0) couReader_Fault(reader, "points", "is missing");
    def->children = parts->children;
    def->child_count = parts->child_count;
    def->points = parts->points;
    def->point_count = parts->point_count;
}

// Upvalue: index of the word.
// What scenes call normal is the axis of a couShapeDef.
static void name_as_scene(couFaults *faults)
{
    for (int i = 0; i < faults->count; ++i)
        if (strcmp(faults->items[i].key, "plane.axis") == 0) strcpy(faults->items[i].key, "plane.normal");
}

static int construct(lua_State *lua)
{
    const couShapeWord *word = &words[lua_tointeger(lua, lua_upvalueindex(1))];
    couReader reader = couReader_Begin(lua, word->table.name);
    lua_settop(lua, 1);
    couShapeDef def = {
        .kind = word->kind, .axis = {0, 1, 0}, .height = word->kind == cou_shapePolygon ? 1.0f : 0.0f, .pose = COU_POSE_IDENTITY};
    couShapeParts *parts = push_parts(lua);
    if (couReader_IsTable(&reader, 1)) read_shape(&reader, word, &def, parts);
    couShapeRef *ref = couPushShape(lua);
    if (reader.fault_count == 0 && !parts->is_bad) {
        couFaults faults = {0};
        ref->shape = couCreateShape(&def, &faults);
        ref->pose = parts->pose;
        if (ref->shape) couShapeRef_SetCost(lua, ref, 512 + 64 * (size_t)(parts->point_count + parts->child_count) + parts->cost);
        name_as_scene(&faults);
        couReader_Adopt(&reader, &faults, word->table.name);
        if (word->kind == cou_shapeDifference || word->kind == cou_shapeIntersection) couSandbox_Work(lua, CUT_WORK);
    }
    return 1;
}

static void open_type(lua_State *lua, const char *name, lua_CFunction collect)
{
    luaL_newmetatable(lua, name);
    lua_pushcfunction(lua, collect);
    lua_setfield(lua, -2, "__gc");
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
}

void couScene_OpenShapes(lua_State *lua)
{
    static const luaL_Reg methods[] = {{"at", shape_at}, {"turned", shape_turned}, {"placed", shape_placed}, {NULL, NULL}};
    open_type(lua, "shape parts", release_parts);
    lua_pop(lua, 1);
    open_type(lua, TYPE_NAME, collect_shape);
    luaL_newlib(lua, methods);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
    for (int i = 0; i < COU_COUNT(words); ++i) {
        lua_pushinteger(lua, i);
        lua_pushcclosure(lua, construct, 1);
        lua_setglobal(lua, words[i].table.name);
    }
    lua_pushcfunction(lua, placed);
    lua_setglobal(lua, "placed");
}
