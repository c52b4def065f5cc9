// solid{}: a shape or a mesh file, an elastic model, and what holds and pushes it. The call is kept as one record for the solid
// and one for each hold and push; they are built when all bodies are there.
#include "scene/internal.h"

#include "base/base.h"
#include "coulis/solid_file.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_HOLDS = 16 };

// What solid{} says of its mesh.
static const couParam mesh_params[] = {
    COU_NUMBER(couSolidRecipe, spacing, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1000,
               .help = "length of the cells' edges; auto: an eighth of the largest side"),
    COU_VECTOR(couSolidRecipe, cells, "", .initial = {NAN, NAN, NAN}, .is_auto = true, .min = 1, .max = 1024,
               .help = "of a box: cells along x, y and z, each cut into six tetrahedra; auto: from spacing"),
    COU_INTEGER(couSolidRecipe, level, "", .initial = {-1}, .min = -1, .max = 2,
                .help = "of a cube: 0, 1 or 2 for Debunne's meshes of 27, 57 and 135 points; -1: not one of them"),
};
static const couParamTable mesh_table = {"solid", mesh_params, COU_COUNT(mesh_params)};

const couParamTable *couSceneSolidMeshParams(void) { return &mesh_table; }

// --- Reading -----------------------------------------------------------------------------------------------------------------

typedef struct Reading {
    couRecord record; // first: readers of places know it as a record
    couRecord parts[MOST_HOLDS];
    int part_count;
} Reading;

static void read_recipe(couReader *reader, const char *key, void *target)
{
    couReader_Param(reader, couParams_Find(&mesh_table, key), &((couRecord *)target)->recipe);
}

// trace = { {x, y, z}, ... }: the points nearest to these places are followed.
static void read_trace(couReader *reader, const char *key, void *target)
{
    couSolidRecipe *recipe = &((couRecord *)target)->recipe;
    lua_State *lua = reader->lua;
    size_t count = lua_istable(lua, -1) ? (size_t)lua_rawlen(lua, -1) : 0;
    if (count < 1 || count > COU_MAX_TRACES) {
        couReader_Fault(reader, key, "expected a list of 1 to %d places: { { 0.05, 0.05, 0.05 } }", COU_MAX_TRACES);
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        lua_rawgeti(lua, -1, (lua_Integer)k + 1);
        if (couReader_Vector(reader, key, &recipe->traces[recipe->trace_count])) recipe->trace_count++;
        lua_pop(lua, 1);
    }
}

static void read_file(couReader *reader, const char *key, void *target)
{
    couRecord *record = target;
    couReader_Text(reader, key, record->recipe.file, sizeof record->recipe.file);
}

static couRecord *add_part(couReader *reader, const char *key, Reading *reading)
{
    if (reading->part_count == MOST_HOLDS) {
        couReader_Fault(reader, key, "more than %d holds and pushes of one solid", MOST_HOLDS);
        return NULL;
    }
    couRecord *part = &reading->parts[reading->part_count++];
    *part = couBeginRecord(reader, cou_recordHold);
    return part;
}

// fixed = SHAPE: the points in it stay.
static void read_fixed(couReader *reader, const char *key, void *target)
{
    couRecord *part = add_part(reader, key, target);
    if (part && couReader_Shape(reader, key, &part->shape) && !part->shape.shape) part->is_bad = true;
}

static void read_part_shape(couReader *reader, const char *key, void *target)
{
    couRecord *part = target;
    if (couReader_Shape(reader, key, &part->shape) && !part->shape.shape) part->is_bad = true;
}

static void read_part_force(couReader *reader, const char *key, void *target)
{
    couRecord *part = target;
    part->is_push = couReader_Vector(reader, key, &part->direction);
}

static void leave_to_later(couReader *reader, const char *key, void *target) { (void)reader, (void)key, (void)target; }

// driven = { shape =, motion = }, push = { shape =, force = }
static void read_part(couReader *reader, const char *key, void *target)
{
    static const couExtraKey driven_keys[] = {{"shape", read_part_shape}, {"motion", leave_to_later}};
    static const couExtraKey push_keys[] = {{"shape", read_part_shape}, {"force", read_part_force}};
    couRecord *part = add_part(reader, key, target);
    if (!part) return;
    if (!lua_istable(reader->lua, -1)) {
        couReader_Fault(reader, key, "expected a table with a shape and a %s", key[0] == 'd' ? "motion" : "force");
        return;
    }
    char call[32];
    snprintf(call, sizeof call, "solid.%s", key);
    couReader inner = *reader;
    inner.call = call;
    int index = lua_absindex(reader->lua, -1);
    bool is_driven = key[0] == 'd';
    couReader_Table(&inner, index, NULL, NULL, is_driven ? driven_keys : push_keys, 2, part, 0, NULL);
    couReader_Need(&inner, index, "shape", "box { size = {1, 0.1, 1} }");
    couReader_Need(&inner, index, is_driven ? "motion" : "force", is_driven ? "function(t) ... end" : "{0, -10, 0}");
    if (is_driven) couReader_Motion(&inner, index, part);
    reader->fault_count = inner.fault_count;
}

int couSceneCall_Solid(lua_State *lua)
{
    static const couExtraKey own_keys[] = {{"spacing", read_recipe}, {"cells", read_recipe}, {"level", read_recipe},
                                           {"file", read_file},      {"fixed", read_fixed},  {"driven", read_part},
                                           {"push", read_part},      {"trace", read_trace}};
    couExtraKey keys[COU_COUNT(own_keys) + COU_PLACE_KEYS];
    memcpy(keys, own_keys, sizeof own_keys);
    memcpy(keys + COU_COUNT(own_keys), couPlaceKeys, COU_PLACE_KEYS * sizeof *keys);
    couCheckLoading(lua, "solid{}");
    couReader reader = couReader_Begin(lua, "solid");
    Reading *reading = lua_newuserdatauv(lua, sizeof *reading, 0); // errors of Lua jump out of here
    memset(reading, 0, sizeof *reading);
    reading->record = couBeginRecord(&reader, cou_recordSolid);
    reading->record.def.solid = couDefaultSolidDef();
    couParams_SetDefaults(&mesh_table, &reading->record.recipe);
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, couSolidParams(), &reading->record.def.solid, keys, COU_COUNT(keys), reading, 0, NULL);
        if (!reading->record.recipe.file[0])
            couReader_Need(&reader, 1, "shape", "box { size = {0.1, 0.1, 0.1} } (or file = \"jelly.msh\")");
        if (reading->record.recipe.file[0] && reading->record.shape.shape)
            couReader_Fault(&reader, "file", "give either a shape or a file");
    }
    couKeepRecord(&reader, &reading->record);
    couRecord *owner = reader.scene->records[reader.scene->record_count - 1];
    for (int k = 0; k < reading->part_count; ++k) {
        reading->parts[k].owner = owner;
        couKeepRecord(&reader, &reading->parts[k]);
    }
    return 0;
}

// --- Building ----------------------------------------------------------------------------------------------------------------

static couSolidMesh *read_mesh(couScene *scene, const couRecord *record, couFaults *faults)
{
    char *path = couResolveInside(scene->folder, record->recipe.file);
    if (!path) {
        couFaults_Add(faults, NULL, "solid.file", "'%.120s' is not a file in the scene's folder", record->recipe.file);
        return NULL;
    }
    couFaults own = {0};
    couSolidMesh *mesh = couReadSolidMesh(path, couWorld_Def(scene->world)->dimension, &own);
    for (int i = 0; i < own.count; ++i)
        couFaults_Add(faults, NULL, "solid.file", "%.120s: %s", record->recipe.file, own.items[i].message);
    couFaults_Clear(&own);
    if (mesh && !couScene_AddFile(scene, record->recipe.file, path)) couFaults_Add(faults, NULL, "solid.file", "out of memory");
    free(path);
    uint64_t hash = mesh ? couSolidMesh_Hash(mesh) : 0;
    couScene_AddToHash(scene, &hash, sizeof hash); // another file is another scene
    return mesh;
}

static couSolidMesh *make_mesh(couScene *scene, const couRecord *record, couFaults *faults)
{
    const couSolidRecipe *recipe = &record->recipe;
    int dimension = couWorld_Def(scene->world)->dimension;
    couBounds bounds;
    if (recipe->file[0]) return read_mesh(scene, record, faults);
    const couShape *shape = record->shape.shape;
    const couShapeDef *def = couShape_Def(shape);
    bool is_box = def->kind == cou_shapeBox && def->rounding == 0.0f, has_cells = !isnan(recipe->cells.x);
    bool is_cube = is_box && def->size.x == def->size.y && def->size.y == def->size.z && dimension == 3;
    if (has_cells && !is_box) couFaults_Add(faults, NULL, "solid.cells", "only a box has them; other shapes have a spacing");
    if (recipe->level >= 0 && !is_cube) couFaults_Add(faults, NULL, "solid.level", "only a cube has one");
    if (faults->count) return NULL;
    if (recipe->level >= 0) return couCreateDebunneCube(def->size.x, recipe->level, faults);
    if (has_cells) {
        const int cells[3] = {(int)recipe->cells.x, (int)recipe->cells.y, (int)recipe->cells.z};
        return couCreateBoxSolidMesh(dimension, def->size, cells, faults);
    }
    float spacing = recipe->spacing;
    if (isnan(spacing) && couShape_Bounds(shape, dimension, &bounds)) {
        couVec3 size = couSub(bounds.upper, bounds.lower);
        spacing = 0.125f * fmaxf(fmaxf(size.x, size.y), dimension == 3 ? size.z : 0.0f);
    }
    return couCreateShapeSolidMesh(shape, dimension, isnan(spacing) ? 1.0f : spacing, faults);
}

static void find_traces(const couWorld *world, couRecord *record)
{
    couSolidView view = couWorld_SolidView(world, record->solid);
    for (int t = 0; t < record->recipe.trace_count; ++t) {
        couVec3 place = record->recipe.traces[t];
        double nearest = INFINITY;
        for (size_t i = 0; i < view.count; ++i) {
            const double *x = view.position + 3 * i;
            double away = hypot(hypot(x[0] - (double)place.x, x[1] - (double)place.y), x[2] - (double)place.z);
            if (!(away < nearest)) continue;
            nearest = away;
            record->recipe.trace_points[t] = i;
        }
    }
}

bool couScene_SolidTrace(const couScene *scene, int index, couSolidTrace *trace)
{
    for (size_t i = 0; i < scene->record_count; ++i) {
        const couRecord *record = scene->records[i];
        if (record->kind != cou_recordSolid || !record->solid.index1) continue;
        if (index < record->recipe.trace_count) {
            *trace = (couSolidTrace){record->solid, record->recipe.trace_points[index], index + 1};
            return true;
        }
        index -= record->recipe.trace_count;
    }
    return false;
}

void couScene_BuildSolid(couScene *scene, couRecord *record, couFaults *faults)
{
    couSolidDef def = record->def.solid;
    def.mesh = make_mesh(scene, record, faults);
    def.pose = couComposePoses(record->pose, record->shape.pose);
    memcpy(def.name, record->name, sizeof def.name);
    if (!def.mesh) return;
    couSolidMeshReport report = couSolidMesh_Inspect(def.mesh);
    record->solid = couWorld_AddSolid(scene->world, &def, faults);
    if (record->solid.index1) find_traces(scene->world, record);
    if (record->solid.index1 && report.sliver_count)
        couLog(cou_logWarning, "the solid '%s' has %zu slivers among %zu cells; the worst has a quality of %.3f",
               couWorld_Solid(scene->world, record->solid)->name, report.sliver_count, couSolidMesh_CellCount(def.mesh),
               report.least_quality);
    couSolidMesh_Release(def.mesh);
}

void couScene_BuildHold(couScene *scene, couRecord *record, couFaults *faults)
{
    couSolidId solid = record->owner->solid;
    if (!solid.index1) return; // its own faults say why
    if (record->is_push) {
        if (!couWorld_PushSolid(scene->world, solid, record->shape.shape, record->shape.pose, record->direction))
            couFaults_Add(faults, NULL, "solid.push", "no point of the solid is inside of the shape");
        return;
    }
    couHoldDef def = {.region = record->shape.shape, .region_pose = record->shape.pose};
    couPose start;
    if (record->is_driven) {
        def.motion = couScene_Motion;
        def.motion_context = record;
        if (!couRecord_ReadMotion(record, 0.0, &start)) return;
    }
    couWorld_HoldSolid(scene->world, solid, &def, faults);
}
