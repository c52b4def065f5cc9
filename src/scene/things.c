// The things of a scene: body{}, joint{}, fluid{}, emitter{}, sink{}, field{}, at(), every(); blower{} is in blowers.c, gauge{}
// in gauges.c.
//
// Each call is checked and kept as a record with its line; the world is built when the script has ended (build.c), so the order
// of calls in the file does not matter. A call with a fault keeps a record marked as bad, so that the script goes on and shows
// its other faults.
#include "scene/internal.h"

#include "base/base.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

// --- Things that stand somewhere ---------------------------------------------------------------------------------------------

static void read_record_shape(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    if (couReader_Shape(reader, key, &record->shape) && !record->shape.shape) record->is_bad = true;
}

static void read_record_material(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    bool is_faulty;
    record->material = couReader_Material(reader, key, &is_faulty);
    if (is_faulty) record->is_bad = true;
}

static void read_record_at(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    record->has_at = couReader_Vector(reader, key, &record->pose.position);
}

static void read_record_turn(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    record->has_turn = couReader_Turn(reader, key, &record->pose.rotation);
}

static void read_record_direction(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    if (!couReader_Vector(reader, key, &record->direction)) return;
    record->has_direction = true;
    if (couLength(record->direction) > 0) return;
    couReader_Fault(reader, key, "the direction has no length");
}

static void read_record_name(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    if (couReader_Text(reader, key, record->name, sizeof record->name)) couReader_CheckName(reader, key, record->name);
}

static void read_record_function(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    if (!lua_isfunction(reader->lua, -1)) {
        char got[80];
        couDescribeValue(reader->lua, -1, got, sizeof got);
        couReader_Fault(reader, key, "expected a function, got %s", got);
        return;
    }
    lua_pushvalue(reader->lua, -1);
    record->function = luaL_ref(reader->lua, LUA_REGISTRYINDEX);
}

// Three numbers, or a function that gives them for a place.
static void read_record_velocity(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    if (lua_isfunction(reader->lua, -1))
        read_record_function(reader, key, target);
    else
        couReader_Param(reader, couParams_Find(couFluidParams(), key), &record->def.fluid);
}

// One number is the turning of 2D; whether the scene is that is known when it is built.
static void read_record_spin(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    const couParam *param = couParams_Find(couFluidParams(), key);
    record->has_flat_spin = lua_type(reader->lua, -1) == LUA_TNUMBER;
    if (!record->has_flat_spin) {
        couReader_Param(reader, param, &record->def.fluid);
        return;
    }
    double spin[3] = {0, 0, lua_tonumber(reader->lua, -1)};
    couFaults own = {0};
    couParam_SetNumbers(param, reader->call, &record->def.fluid, spin, 3, reader->where, &own);
    couReader_Adopt(reader, &own, key);
}

// Read after the others, by couReader_Motion(): a direction needs the shape.
static void leave_to_later(couReader *reader, const char *key, void *target) { (void)reader, (void)key, (void)target; }

static void read_record_fixed(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    record->has_stay = lua_isboolean(reader->lua, -1);
    record->is_fixed = lua_toboolean(reader->lua, -1);
    if (!record->has_stay) couReader_Fault(reader, key, "expected true or false");
}

const couExtraKey couPlaceKeys[COU_PLACE_KEYS] = {
    {"shape", read_record_shape}, {"at", read_record_at}, {"turn", read_record_turn}, {"name", read_record_name}};

couRecord couBeginRecord(const couReader *reader, couRecordKind kind)
{
    couRecord record = {.kind = kind,
                        .scene = reader->scene,
                        .material = -1,
                        .function = LUA_NOREF,
                        .pose = COU_POSE_IDENTITY,
                        .shape = {NULL, COU_POSE_IDENTITY, 0}};
    memcpy(record.where, reader->where, sizeof record.where);
    return record;
}

void couKeepRecord(couReader *reader, const couRecord *record)
{
    couScene *scene = reader->scene;
    if (scene->record_count >= COU_MAX_RECORDS) luaL_error(reader->lua, "more than %d things in one scene", COU_MAX_RECORDS);
    if (!COU_GROW(NULL, scene->records, scene->record_capacity, scene->record_count + 1)) {
        luaL_error(reader->lua, "out of memory");
    }
    couRecord *kept = malloc(sizeof *kept);
    if (!kept) luaL_error(reader->lua, "out of memory");
    *kept = *record;
    kept->is_bad = kept->is_bad || reader->fault_count > 0;
    if (kept->shape.shape) couShape_Retain(kept->shape.shape);
    scene->records[scene->record_count++] = kept;
    scene->fluid_count += kept->kind == cou_recordFluid;
}

// --- body{} ------------------------------------------------------------------------------------------------------------------

// Free bodies have a density or a mass, or say fixed = false. Velocities are a fault with all others; a density or mass that
// goes with fixed = true or a motion is for when the body is set free.
static void check_freedom(couReader *reader, couRecord *record, const bool *is_given)
{
    static const char *const free_keys[] = {"density", "mass", "velocity", "spin"};
    const couParamTable *params = couBodyParams();
    bool has[COU_COUNT(free_keys)];
    for (int i = 0; i < COU_COUNT(free_keys); ++i) has[i] = is_given[couParams_Find(params, free_keys[i]) - params->params];
    bool is_fixed = record->has_stay && record->is_fixed;
    if (is_fixed && record->is_driven) couReader_Fault(reader, "fixed", "true, but there is also a motion");
    if (record->has_stay && !record->is_fixed && record->is_driven) {
        couReader_Fault(reader, "fixed", "false makes the body free, but there is also a motion");
    }
    record->def.body.is_dynamic = !record->is_driven && !is_fixed && (has[0] || has[1] || record->has_stay);
    if (has[0] && has[1]) couReader_Fault(reader, "density", "give either density or mass");
    for (int i = 2; i < COU_COUNT(free_keys); ++i) {
        if (!has[i] || record->def.body.is_dynamic) continue;
        couReader_Fault(reader, free_keys[i], "goes with a free body only, but %s",
                        record->is_driven ? "there is a motion"
                        : is_fixed        ? "fixed is true"
                                          : "this one is fixed: give its density or mass, or fixed = false");
    }
}

static void read_record_samples(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    couReader_Text(reader, key, record->samples, sizeof record->samples);
}

static int body_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"shape", read_record_shape},    {"at", read_record_at},     {"turn", read_record_turn},
                                       {"name", read_record_name},      {"motion", leave_to_later}, {"fixed", read_record_fixed},
                                       {"samples", read_record_samples}};
    couCheckLoading(lua, "body{}");
    couReader reader = couReader_Begin(lua, "body");
    couRecord record = couBeginRecord(&reader, cou_recordBody);
    record.def.body = couDefaultBodyDef();
    if (couReader_IsTable(&reader, 1)) {
        bool is_given[32] = {false};
        couReader_Table(&reader, 1, couBodyParams(), &record.def.body, keys, COU_COUNT(keys), &record, 0, is_given);
        couReader_Need(&reader, 1, "shape", "sphere { radius = 0.1 }");
        couReader_Motion(&reader, 1, &record);
        if (reader.fault_count == 0) check_freedom(&reader, &record, is_given);
    }
    couKeepRecord(&reader, &record);
    return 0;
}

// --- joint{} -----------------------------------------------------------------------------------------------------------------

// Names of the two bodies; they are looked up when all bodies are there.
static void read_record_end(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    char *name = record->ends[key[0] - 'a'];
    if (couReader_Text(reader, key, name, COU_NAME_SIZE)) couReader_CheckName(reader, key, name);
}

couParamTable couSceneJointParams(couParam rows[COU_MAX_JOINT_PARAMS])
{
    const couParamTable *params = couJointParams();
    int count = COU_MIN(params->count, COU_MAX_JOINT_PARAMS);
    for (int i = 0; i < count; ++i) {
        rows[i] = params->params[i];
        bool is_limit = strcmp(rows[i].name, "lower") == 0 || strcmp(rows[i].name, "upper") == 0;
        if (is_limit) rows[i].unit = "degrees, m";
    }
    return (couParamTable){params->name, rows, count};
}

static bool is_key_given(couReader *reader, const char *key)
{
    lua_pushstring(reader->lua, key);
    lua_rawget(reader->lua, 1);
    bool is_given = !lua_isnil(reader->lua, -1);
    lua_pop(reader->lua, 1);
    return is_given;
}

// Keys that the kind of joint would not read.
static void check_joint_keys(couReader *reader, const couJointDef *def)
{
    static const char *const keys[] = {"lower", "upper", "motor_speed", "motor_force", "axis"};
    static const char *const kinds[] = {"ball joint", "hinge", "slider", "fixed joint", "motor"};
    bool is_moving = def->kind == cou_jointHinge || def->kind == cou_jointSlider, is_motor = def->kind == cou_jointMotor;
    for (int i = 0; i < COU_COUNT(keys); ++i) {
        bool is_used = is_moving || (is_motor && i >= 2);
        if (is_used || !is_key_given(reader, keys[i])) continue;
        couReader_Fault(reader, keys[i], "a %s has none", kinds[def->kind]);
    }
    if (is_moving && !(couLength(def->axis) > 0)) couReader_Fault(reader, "axis", "it has no length");
}

// Limits: degrees of a hinge, which the world has in radians; lower below upper, NaN where free.
static void convert_limits(couReader *reader, couJointDef *def)
{
    static const char *const names[] = {"lower", "upper"};
    const float most = 177.0f; // the world's 3.1 rad
    float *limits[] = {&def->lower, &def->upper};
    if (def->lower > def->upper) {
        couReader_Fault(reader, "lower", "%g is above upper, %g", def->lower, def->upper);
        return;
    }
    for (int i = 0; i < 2 && def->kind == cou_jointHinge; ++i) {
        float degrees = *limits[i];
        if (fabsf(degrees) > most)
            couReader_Fault(reader, names[i], "%g degrees: must be between -%g and %g", degrees, most, most);
        *limits[i] = degrees * (float)(COU_PI / 180.0);
    }
}

static int joint_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"a", read_record_end}, {"b", read_record_end}, {"name", read_record_name}};
    couCheckLoading(lua, "joint{}");
    couReader reader = couReader_Begin(lua, "joint");
    couRecord record = couBeginRecord(&reader, cou_recordJoint);
    record.def.joint = couDefaultJointDef();
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, couJointParams(), &record.def.joint, keys, COU_COUNT(keys), &record, 0, NULL);
        couReader_Need(&reader, 1, "kind", "\"hinge\"");
        couReader_Need(&reader, 1, "a", "\"wheel\"");
        if (reader.fault_count == 0) check_joint_keys(&reader, &record.def.joint);
        if (reader.fault_count == 0) convert_limits(&reader, &record.def.joint);
    }
    couKeepRecord(&reader, &record);
    return 0;
}

// --- fluid{}, emitter{}, sink{}, field{} ---------------------------------------------------------------------------------------

void couReader_Fluid(couReader *reader, int index, couRecord *record)
{
    static const couExtraKey keys[] = {{"shape", read_record_shape}, {"at", read_record_at},
                                       {"turn", read_record_turn},   {"material", read_record_material},
                                       {"spin", read_record_spin},   {"velocity", read_record_velocity}};
    *record = couBeginRecord(reader, cou_recordFluid);
    record->def.fluid = couDefaultFluidDef();
    if (couReader_IsTable(reader, index)) {
        couReader_Table(reader, index, couFluidParams(), &record->def.fluid, keys, COU_COUNT(keys), record, 0, NULL);
        couReader_Need(reader, index, "shape", "box { size = {0.2, 0.2, 0.2} }");
        couReader_Need(reader, index, "material", "\"water\"");
    }
}

static int fluid_call(lua_State *lua)
{
    couCheckLoading(lua, "fluid{}");
    couReader reader = couReader_Begin(lua, "fluid");
    couRecord record;
    couReader_Fluid(&reader, 1, &record);
    couKeepRecord(&reader, &record);
    return 0;
}

static void turn_to_direction(couReader *reader, couRecord *record)
{
    if (!record->has_direction || reader->fault_count > 0 || !record->shape.shape) return;
    couShapeKind kind = couShape_Kind(record->shape.shape);
    if (record->has_turn) {
        couReader_Fault(reader, "direction", "give either direction or turn");
    } else if (kind != cou_shapeDisk && kind != cou_shapePolygon) {
        couReader_Fault(reader, "direction", "only a disk or a polygon has one; other shapes are filled once");
    } else {
        record->pose.rotation = couJetTurn(&record->shape, record->direction);
    }
}

static int emitter_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"shape", read_record_shape},        {"at", read_record_at},
                                       {"turn", read_record_turn},          {"material", read_record_material},
                                       {"name", read_record_name},          {"motion", leave_to_later},
                                       {"direction", read_record_direction}};
    couCheckLoading(lua, "emitter{}");
    couReader reader = couReader_Begin(lua, "emitter");
    couRecord record = couBeginRecord(&reader, cou_recordEmitter);
    record.def.emitter = couDefaultEmitterDef();
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, couEmitterParams(), &record.def.emitter, keys, COU_COUNT(keys), &record, 0, NULL);
        couReader_Need(&reader, 1, "shape", "disk { radius = 0.02 }");
        couReader_Need(&reader, 1, "material", "\"water\"");
        couReader_Motion(&reader, 1, &record);
        turn_to_direction(&reader, &record);
        if (!(record.def.emitter.stop > record.def.emitter.start)) {
            couReader_Fault(&reader, "stop", "%g s is not after start, %g s", record.def.emitter.stop, record.def.emitter.start);
        }
    }
    couKeepRecord(&reader, &record);
    return 0;
}

void couReader_PlacedTable(couReader *reader, const couParamTable *params, void *def, couRecord *record)
{
    static const couExtraKey keys[] = {{"shape", read_record_shape},
                                       {"at", read_record_at},
                                       {"turn", read_record_turn},
                                       {"name", read_record_name},
                                       {"direction", read_record_direction}};
    couReader_Table(reader, 1, params, def, keys, COU_COUNT(keys), record, 0, NULL);
}

static int sink_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"shape", read_record_shape}, {"at", read_record_at}, {"turn", read_record_turn}};
    couCheckLoading(lua, "sink{}");
    couReader reader = couReader_Begin(lua, "sink");
    couRecord record = couBeginRecord(&reader, cou_recordSink);
    record.def.sink = couDefaultSinkDef();
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, couSinkParams(), &record.def.sink, keys, COU_COUNT(keys), &record, 0, NULL);
        couReader_Need(&reader, 1, "shape", "box { size = {1, 1, 1} }");
    }
    couKeepRecord(&reader, &record);
    return 0;
}

static int field_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"region", read_record_shape}, {"acceleration", read_record_function}};
    couCheckLoading(lua, "field{}");
    couReader reader = couReader_Begin(lua, "field");
    couRecord record = couBeginRecord(&reader, cou_recordField);
    record.def.field = couDefaultFieldDef();
    const couParamTable *params = couFieldParams();
    bool is_given[32] = {false};
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, params, &record.def.field, keys, COU_COUNT(keys), &record, 0, is_given);
        const couParam *kind = couParams_Find(params, "kind");
        bool has_kind = kind && is_given[kind - params->params], has_function = record.function != LUA_NOREF;
        if (has_function && !has_kind) record.def.field.kind = cou_fieldFunction;
        bool is_function = record.def.field.kind == cou_fieldFunction;
        if (has_function && !is_function)
            couReader_Fault(&reader, "acceleration", "a function goes with kind = \"function\" only");
        if (is_function && !has_function && reader.fault_count == 0) {
            couReader_Fault(&reader, "acceleration", "is missing: a function of x, y, z, vx, vy, vz, t that gives ax, ay, az");
        }
    }
    couKeepRecord(&reader, &record);
    return 0;
}

// --- at(), every() ------------------------------------------------------------------------------------------------------------

static void add_event(lua_State *lua, const char *call, bool is_repeated)
{
    couCheckLoading(lua, is_repeated ? "every()" : "at()");
    couReader reader = couReader_Begin(lua, call);
    couRecord record = couBeginRecord(&reader, cou_recordEvent);
    lua_settop(lua, 2);
    double time = lua_type(lua, 1) == LUA_TNUMBER ? lua_tonumber(lua, 1) : NAN;
    bool is_good = is_repeated ? time > 0 && time <= 1e9 : time >= 0 && time <= 1e9;
    if (!is_good) {
        char got[80];
        couDescribeValue(lua, 1, got, sizeof got);
        couReader_Fault(&reader, is_repeated ? "period" : "time", "expected a number of seconds %s 0, got %s",
                        is_repeated ? ">" : ">=", got);
    }
    record.time = time;
    record.period = is_repeated ? time : 0.0;
    read_record_function(&reader, "function", &record);
    couKeepRecord(&reader, &record);
}

static int at_call(lua_State *lua)
{
    add_event(lua, "at", false);
    return 0;
}

static int every_call(lua_State *lua)
{
    add_event(lua, "every", true);
    return 0;
}

void couScene_OpenThings(lua_State *lua)
{
    static const luaL_Reg calls[] = {
        {"body", body_call}, {"joint", joint_call}, {"fluid", fluid_call},           {"emitter", emitter_call},
        {"sink", sink_call}, {"field", field_call}, {"blower", couSceneCall_Blower}, {"gauge", couSceneCall_Gauge},
        {"at", at_call},     {"every", every_call}, {"solid", couSceneCall_Solid},   {NULL, NULL}};
    for (const luaL_Reg *call = calls; call->name; ++call) {
        lua_pushcfunction(lua, call->func);
        lua_setglobal(lua, call->name);
    }
}
