/// What the files of src/scene share: the scene under construction, records of what the script asked for, reading of Lua tables.
#pragma once

#include "coulis/gauge.h"
#include "coulis/scene.h"
#include "coulis/solid.h"
#include "scene/sandbox.h"

#define COU_MAX_RECORDS 20000 ///< things of one scene
#define COU_MAX_FAULTS 200    ///< then the script is stopped

/// Placed shapes keep their pose apart from the shape: bodies and emitters add it to their own, and a placed disk is still a
/// disk.
typedef struct couShapeRef {
    couShape *shape; ///< NULL: stands for a shape that had a fault
    couPose pose;
    size_t cost; ///< about its memory, counted as the script's [bytes]
} couShapeRef;

/// A material as the scene uses it.
typedef struct couSceneMaterial {
    couMaterialDef def;        ///< def.name is unique in the scene
    char asked[COU_NAME_SIZE]; ///< the name that the script gave
    char where[192];
    couMaterialId id; ///< null until built
} couSceneMaterial;

typedef enum couRecordKind {
    cou_recordBody,
    cou_recordJoint,
    cou_recordFluid,
    cou_recordEmitter,
    cou_recordSink,
    cou_recordField,
    cou_recordBlower,
    cou_recordEvent,
    cou_recordSolid,
    cou_recordHold, ///< what holds or pushes points of a solid
    cou_recordGauge
} couRecordKind;

#define COU_MAX_TRACES 16 ///< of one solid

/// How the mesh of a solid is made.
typedef struct couSolidRecipe {
    float spacing; ///< [m]; NaN: chosen
    couVec3 cells; ///< of a box; NaN: by spacing
    int level;     ///< of Debunne's cubes, -1: none
    char file[256];
    couVec3 traces[COU_MAX_TRACES];      ///< places of points to follow [m]
    size_t trace_points[COU_MAX_TRACES]; ///< which they are, once it is built
    int trace_count;
} couSolidRecipe;

/// One call of the script: body{}, fluid{}... Built into the world after the script has ended.
typedef struct couRecord {
    couRecordKind kind;
    bool is_bad; ///< has a fault of its own: not built
    bool has_at, has_turn, has_direction;
    bool has_stay; ///< body: fixed =
    bool is_fixed;
    bool is_driven;     ///< has a motion, by function or keyframes
    bool has_flat_spin; ///< fluid: spin is one number, as 2D has it
    couScene *scene;
    char where[192];
    char name[COU_NAME_SIZE];
    couShapeRef shape; ///< retained
    couPose pose;      ///< from at, turn or direction
    couVec3 direction;
    int material;                 ///< index of the scene's materials, -1: none
    int function;                 ///< motion, acceleration, velocity or event: reference in Lua's registry, LUA_NOREF: none
    const couKeyframe *keyframes; ///< motion by keyframes; owned by the Lua state
    int keyframe_count;
    double time, period;         ///< events [s]
    char ends[2][COU_NAME_SIZE]; ///< joint: names of a and b, "": the world
    char samples[256];           ///< body: file of its points, "": none
    couBodyId body;              ///< of a body, once it is built
    couSolidRecipe recipe;       ///< of a solid
    couSolidId solid;            ///< of a solid, once it is built
    int64_t added;               ///< particles of a fluid, once it is filled
    struct couRecord *owner;     ///< of a hold: the solid's record
    bool is_push;                ///< of a hold: `direction` is a force [N] and nothing is held
    union {
        couBodyDef body;
        couJointDef joint;
        couFluidDef fluid;
        couEmitterDef emitter;
        couSinkDef sink;
        couFieldDef field;
        couBlowerDef blower;
        couSolidDef solid;
        couGaugeDef gauge;
    } def;
} couRecord;

/// Parameters that the scene gave a method, kept until the world is there.
typedef struct couMethodSettings {
    char method[COU_NAME_SIZE];
    uint8_t *block; ///< laid out as couMethodParams() says
    bool *is_given; ///< one a parameter
} couMethodSettings;

/// A mesh file as it was read, and a distance grid: each is made once in a scene and lives as long as it.
typedef struct couSceneMesh {
    char path[1024]; ///< real path
    couMesh *mesh;
} couSceneMesh;
typedef struct couSceneGrid {
    uint64_t mesh_hash;
    float cell; ///< that was asked for [m]
    couDistanceGrid *grid;
} couSceneGrid;

typedef struct couSceneInfo {
    double duration; ///< [s]
    double fps;
} couSceneInfo;

#define COU_MAX_UNKNOWN 16 ///< functions that a scene calls and that are not there

struct couScene {
    couSandbox sandbox;
    couFaults *faults; ///< where readers report: the loader's list, or callback_faults
    couFaults callback_faults;
    bool is_loading;
    char path[1024];
    char folder[1024]; ///< real path of the scene's folder
    char title[128];
    char note[512];
    char runtime_error[960];
    couSceneInfo info;
    couWorldDef world_def;
    char scene_where[192]; ///< "" while there was no scene{}
    bool is_seed_fixed;    ///< --set seed
    bool has_bad_size;     ///< spacing, dimension or max_particles had a fault
    couCamera camera;
    char camera_where[192];
    couColors colors;
    char colors_where[192];
    couSceneMaterial *materials;
    size_t material_count, material_capacity;
    couRecord **records;
    size_t record_count, record_capacity;
    size_t fluid_count; ///< of the records
    couMethodSettings *settings;
    size_t setting_count, setting_capacity;
    couSceneMesh *meshes;
    size_t mesh_count, mesh_capacity;
    couSceneGrid *grids;
    size_t grid_count, grid_capacity;
    size_t mesh_bytes, max_mesh_bytes; ///< of meshes and grids together
    int64_t max_instructions;          ///< of a call; 0: the usual
    char (*unknown)[COU_NAME_SIZE];    ///< functions that are not there, which calls are only faults of (scene.c); of the loader
    int unknown_count;
    couSceneFile *files; ///< that it was read from
    size_t file_count, file_capacity;
    float forced_spacing; ///< --set spacing, known before the script runs; NaN: none [m]
    uint64_t hash;
    int store; ///< reference of world.store
    int world_object;
    couWorld *world;
};

static inline couScene *couScene_Of(lua_State *lua) { return (couScene *)couSandbox_Of(lua)->owner; }

/// What a call into the script may use, while it loads and later.
couLimits couScene_LoadLimits(const couScene *scene);
couLimits couScene_CallbackLimits(const couScene *scene);

// --- Reading tables (read.c) -------------------------------------------------------------------------------------------------

/// A table argument being read: faults go to the scene's list with the line of the call.
typedef struct couReader {
    couScene *scene;
    lua_State *lua;
    const char *call; ///< "body", "fluid"...
    char where[192];
    int fault_count; ///< of this call
} couReader;

/// A key that no parameter table has. The value is on top of the stack; the function leaves it there.
typedef struct couExtraKey {
    const char *name;
    void (*read)(couReader *reader, const char *key, void *target);
} couExtraKey;

/// A reader for the running C function, called from Lua. Raises an error when the scene has too many faults already.
couReader couReader_Begin(lua_State *lua, const char *call);
void couReader_Fault(couReader *reader, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
/// Copies faults of the library with this call's line.
void couReader_Adopt(couReader *reader, couFaults *faults, const char *key);
/// Reads every key of the table at `index` into `def` (by `params`, may be NULL) or by `extras`; unknown keys are faults.
/// Positional entries 1 to `positional` are left to the caller. `is_given` (one a parameter) may be NULL.
void couReader_Table(couReader *reader, int index, const couParamTable *params, void *def, const couExtraKey *extras,
                     int extra_count, void *target, int positional, bool *is_given);
/// Sets one parameter from the value on top of the stack.
bool couReader_Param(couReader *reader, const couParam *param, void *def);
/// A vector of two or three finite numbers on top of the stack; false and a fault otherwise.
bool couReader_Vector(couReader *reader, const char *key, couVec3 *vector);
/// Numbers 1 to 3 of the table on top of the stack: how many, -1 when it holds anything else.
int couReadNumbers(lua_State *lua, double values[3]);
/// A text on top of the stack of at most size - 1 bytes.
bool couReader_Text(couReader *reader, const char *key, char *text, size_t size);
/// {axis =, degrees =} on top of the stack.
bool couReader_Turn(couReader *reader, const char *key, couQuat *rotation);
/// The table at `index`, or a fault and false.
bool couReader_IsTable(couReader *reader, int index);
/// A fault when the table at `index` lacks the key.
void couReader_Need(couReader *reader, int index, const char *key, const char *example);
/// Names for files and --set: letters, digits, '-' and '_'; otherwise false and a fault.
bool couReader_CheckName(couReader *reader, const char *key, const char *name);
/// "the text 'abc'", "a table"... of the value at `index`.
void couDescribeValue(lua_State *lua, int index, char *text, size_t size);
/// Raises an error when the scene is no longer loading.
void couCheckLoading(lua_State *lua, const char *call);

// --- Poses (read.c) ----------------------------------------------------------------------------------------------------------

couPose couComposePoses(couPose a, couPose b);    ///< b, then a
couQuat couTurnBetween(couVec3 from, couVec3 to); ///< unit vectors; opposite ones turn about z where that is possible

// --- Parts of the script's language ------------------------------------------------------------------------------------------

void couScene_OpenShapes(lua_State *lua);  ///< shapes.c
void couScene_OpenMeshes(lua_State *lua);  ///< meshes.c
void couScene_OpenTexts(lua_State *lua);   ///< texts.c
void couScene_OpenWords(lua_State *lua);   ///< words.c: scene, material, camera, colors
int couSceneCall_Camera(lua_State *lua);   ///< camera.c
int couSceneCall_Blower(lua_State *lua);   ///< blowers.c
int couSceneCall_Gauge(lua_State *lua);    ///< gauges.c
int couSceneCall_Colors(lua_State *lua);   ///< camera.c
void couScene_OpenThings(lua_State *lua);  ///< things.c: body, fluid...
int couSceneCall_Solid(lua_State *lua);    ///< solids.c
void couScene_OpenWorld(lua_State *lua);   ///< callbacks.c
void couScene_OpenRequire(lua_State *lua); ///< require.c

/// The shape on top of the stack; false and a fault when it is none. A faulty shape gives true and shape NULL.
bool couReader_Shape(couReader *reader, const char *key, couShapeRef *shape);
/// A record of the call that is being read, and its way into the scene (things.c).
couRecord couBeginRecord(const couReader *reader, couRecordKind kind);
void couKeepRecord(couReader *reader, const couRecord *record);
/// Reads argument 1 into `def` by its table, and shape, at, turn, direction and name into the record.
void couReader_PlacedTable(couReader *reader, const couParamTable *params, void *def, couRecord *record);
/// Reads a fluid{} or pour{} table at `index`. The shape is not retained.
void couReader_Fluid(couReader *reader, int index, couRecord *record);
/// Pushes an object for a shape; it stands for a faulty one until its shape is set (shapes.c).
couShapeRef *couPushShape(lua_State *lua);
void couShapeRef_SetCost(lua_State *lua, couShapeRef *ref, size_t cost); ///< once
/// Records of things.c: a new one with this call's line, and its copy among the scene's.
couRecord couBeginRecord(const couReader *reader, couRecordKind kind);
void couKeepRecord(couReader *reader, const couRecord *record);
#define COU_PLACE_KEYS 4
extern const couExtraKey couPlaceKeys[COU_PLACE_KEYS]; ///< shape, at, turn, name of a record
/// From their records into the world (solids.c).
void couScene_BuildSolid(couScene *scene, couRecord *record, couFaults *faults);
void couScene_BuildHold(couScene *scene, couRecord *record, couFaults *faults);
const couParamTable *couSceneSolidMeshParams(void);
/// The material on top of the stack, an object or a name: its index, -1 after a fault (also for one that had a fault itself).
int couReader_Material(couReader *reader, const char *key, bool *is_faulty);
/// The turn of a record that sends its jet (along the disk's +y or the polygon's +z) in a direction.
couQuat couJetTurn(const couShapeRef *shape, couVec3 direction);
/// Reads `motion` of the table at `index`, a function or keyframes, into the record (motion.c). After the shape has been read.
void couReader_Motion(couReader *reader, int index, couRecord *record);
const couParamTable *couSceneInfoParams(void);
const couParamTable *couSceneCameraParams(void);
#define COU_MAX_JOINT_PARAMS 16
/// couJointParams() as scenes have them, angles in degrees; the table points to `rows`.
couParamTable couSceneJointParams(couParam rows[COU_MAX_JOINT_PARAMS]);
const couParamTable *couSceneMeshParams(void);
const couParamTable *couSceneTextParams(void);
/// The settings of a method, with its defaults when new. NULL without memory.
couMethodSettings *couScene_Settings(couScene *scene, const char *method);

/// Overrides of scene and method keys and materials (overrides.c).
void couScene_ApplyOverrides(couScene *scene, const couSceneOptions *options, couFaults *faults);
/// The value of the last override with this key, or NULL.
const char *couFindOverride(const couSceneOptions *options, const char *key);
/// The world from the records, with the checks that need it (build.c). False when there are faults.
bool couScene_Build(couScene *scene, couFaults *faults);
void couScene_BuildBlower(couScene *scene, couRecord *record, couFaults *faults);
void couScene_BuildGauge(couScene *scene, couRecord *record, couFaults *faults);
/// Where something is that must be within the domain (domain.c).
typedef struct couDomainPlace {
    const couVec3 *items; ///< some of its points [m]
    int count;
    float depth;      ///< that it may be inside of a body [m]
    couBounds bounds; ///< around it
} couDomainPlace;
/// False with a fault where it is wholly inside a fixed body, outside of the closed one that has all liquid, or far from all.
bool couScene_CheckDomain(const couScene *scene, const couRecord *record, const char *key, const couDomainPlace *place,
                          couFaults *faults);
void couIncludeShape(couBounds *all, const couShape *shape, int dimension, couPose pose);
/// Moves faults of the library to the list, with the record's line.
void couAdoptFaults(const couRecord *record, couFaults *from, const char *key, couFaults *faults);
/// Checks a fluid's size and place and fills it; false after faults.
bool couScene_AddFluid(couScene *scene, couRecord *record, couFaults *faults);

/// Runs a C function in protected mode with `context` as its argument; its faults and errors end up where they belong
/// (callbacks.c).
bool couRecord_RunProtected(couRecord *record, lua_CFunction function, void *context, bool is_pure);
/// Where a record's thing is at a time, by its motion. False after a Lua error or a bad result, which is reported (motion.c).
bool couRecord_ReadMotion(couRecord *record, double time, couPose *pose);
couMotionFcn couScene_Motion;
couFieldFcn couScene_Field;
couVelocityFcn couScene_Velocity;
couEventFcn couScene_Event;

/// The scene of a method world:call(...); raises an error outside of events.
couScene *couCheckWorld(lua_State *lua, const char *call);
/// world:set(...) (world_set.c).
int couWorldCall_Set(lua_State *lua);
/// The material of argument `index`, by object or name; null with a fault (callbacks.c).
couMaterialId couCheckMaterialArgument(lua_State *lua, int index, const char *call);
/// Methods of the world on bodies and joints (world_bodies.c).
int couWorldCall_Body(lua_State *lua);
int couWorldCall_Push(lua_State *lua);
int couWorldCall_SetVelocity(lua_State *lua);
int couWorldCall_SetFree(lua_State *lua);
int couWorldCall_RemoveBody(lua_State *lua);
int couWorldCall_Motor(lua_State *lua);
int couWorldCall_RemoveJoint(lua_State *lua);
/// On gauges (gauges.c).
int couWorldCall_Gauge(lua_State *lua);
int couWorldCall_Record(lua_State *lua);
int couWorldCall_RemoveGauge(lua_State *lua);

/// The real path of a file inside the folder, also behind links; NULL otherwise. The caller frees (require.c).
char *couResolveInside(const char *folder, const char *relative);
/// "models/bunny.obj": plain names below the scene's folder (require.c).
bool couIsPlainPath(const char *path);
/// Reads a regular file of at most COU_SCRIPT_BYTES; NULL and a message otherwise. The caller frees.
char *couReadScript(const char *path, size_t *size, char *message, size_t message_size);
/// Lets go of meshes and grids (meshes.c).
void couScene_ReleaseMeshes(couScene *scene);
/// "unknown key 'position': here it is 'at'; keys: ..." (foreign.c)
void couFormatUnknownKey(char *text, size_t size, const char *key, const char *const *names, int count);
/// The functions that the loader has found to be missing.
void couScene_OpenStandIns(lua_State *lua);
/// The name of the function whose call ended the script, since it is not there; "" and false when it was anything else.
bool couFindUnknownCall(const couLuaError *error, char name[COU_NAME_SIZE]);
/// Lists a file as one that the scene is made of, once. False without memory (scene.c).
bool couScene_AddFile(couScene *scene, const char *name, const char *path);
/// Adds bytes to the scene's content hash.
void couScene_AddToHash(couScene *scene, const void *bytes, size_t size);
