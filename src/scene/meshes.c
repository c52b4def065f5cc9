// mesh{}: the solid within a triangle mesh, as a shape like any other. It comes from a file in the scene's folder, from a stock
// mesh, or from lists of vertices and triangles.
//
// The shape needs its distance grid at once (a shell or union around it does), and the grid's cell follows from the spacing:
// scene{} must stand before the first mesh{} that gives no cell. Files and grids are kept with the scene, so that the same one
// is made once. Their memory has a limit of its own, and their time is not the script's: it is bounded by that limit and by
// counting work. The scene's hash takes in a file's mesh as it was read: names, comments and materials do not matter.
#include "scene/internal.h"

#include "base/base.h"
#include "coulis/mesh_file.h"
#include "io/grid_cache.h"
#include "shape/distance_grid.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_MESH_BYTES ((size_t)512 << 20) // of all meshes and grids of a scene, unless its loader says otherwise
#define LEAST_ROOM ((size_t)1 << 20)       // for one more grid: its cell would become too coarse
// Work in instructions of the script: finding a file, reading one, making a grid (besides what its size asks for).
#define LOOKUP_WORK 3000
#define READ_WORK 1000000
#define GRID_WORK 100000
#define MAX_GRID_BYTES ((size_t)256 << 20) // of one grid
#define MAX_VERTICES 100000                // of a mesh in the script
#define MAX_TRIANGLES 200000
#define FINEST_SIDE 256.0f // cells along the largest side, unless the scene gives a cell

static const char *const center_names[] = {"none", "bounds", "ground", NULL};

/// What mesh{} was given.
typedef struct couMeshCall {
    float scale, size, cell; // NaN: not given
    int center;
    bool close_holes;
    char file[512], stock[64];
    couPose pose; // `at` only
    couQuat turn;
    bool has_list; // vertices or triangles
} couMeshCall;

static const couParam mesh_params[] = {
    COU_NUMBER(couMeshCall, scale, "", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "lengths of the mesh are multiplied by it; auto: 1"),
    COU_NUMBER(couMeshCall, size, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e6,
               .help = "instead of scale: the largest side of the mesh; auto: as it is"),
    COU_CHOICE(couMeshCall, center, center_names,
               .help = "none: as it is; bounds: its middle at the origin; ground: above the origin, on the plane y = 0"),
    COU_NUMBER(
        couMeshCall, cell, "m", .initial = {NAN}, .is_auto = true, .min = 0, .is_min_open = true, .max = 1e6,
        .help = "of its distance grid, of at most 256 MB; auto: half the spacing, at most 256 cells along the largest side"),
    COU_FLAG(couMeshCall, close_holes, .help = "closes each hole by a fan of triangles"),
};
static const couParamTable mesh_table = {"mesh", mesh_params, COU_COUNT(mesh_params)};

const couParamTable *couSceneMeshParams(void) { return &mesh_table; }

// --- Keys --------------------------------------------------------------------------------------------------------------------

static void read_file_name(couReader *reader, const char *key, void *target)
{
    couMeshCall *call = target;
    couReader_Text(reader, key, call->file, sizeof call->file);
}

static void read_stock_name(couReader *reader, const char *key, void *target)
{
    couMeshCall *call = target;
    couReader_Text(reader, key, call->stock, sizeof call->stock);
}

static void read_at(couReader *reader, const char *key, void *target)
{
    couReader_Vector(reader, key, &((couMeshCall *)target)->pose.position);
}

static void read_turn(couReader *reader, const char *key, void *target)
{
    couReader_Turn(reader, key, &((couMeshCall *)target)->turn);
}

// Read after the others: triangles need to know how many vertices there are.
static void note_list(couReader *reader, const char *key, void *target)
{
    (void)reader, (void)key;
    ((couMeshCall *)target)->has_list = true;
}

// --- Lists in the script -----------------------------------------------------------------------------------------------------

// Pushes the list mesh.<key> and gives its length; 0 after a fault.
static lua_Unsigned push_list(couReader *reader, const char *key, lua_Unsigned least, lua_Unsigned most)
{
    lua_State *lua = reader->lua;
    lua_pushstring(lua, key);
    lua_rawget(lua, 1);
    if (!lua_istable(lua, -1)) {
        char got[80];
        couDescribeValue(lua, -1, got, sizeof got);
        couReader_Fault(reader, key, "expected a list {{...}, {...}, ...}, got %s", got);
        return 0;
    }
    lua_Unsigned count = lua_rawlen(lua, -1);
    if (count >= least && count <= most) return count;
    couReader_Fault(reader, key, "%llu of them: must be %llu to %llu", (unsigned long long)count, (unsigned long long)least,
                    (unsigned long long)most);
    return 0;
}

// Both leave their list and an array on the stack; NULL after a fault.
static couVec3 *read_vertices(couReader *reader, lua_Unsigned *count)
{
    lua_State *lua = reader->lua;
    *count = push_list(reader, "vertices", 3, MAX_VERTICES);
    if (*count == 0) return NULL;
    couVec3 *vertices = lua_newuserdatauv(lua, (size_t)*count * sizeof *vertices, 0);
    for (lua_Unsigned i = 0; i < *count; ++i) {
        char key[40];
        snprintf(key, sizeof key, "vertices[%u]", (unsigned)i + 1);
        lua_rawgeti(lua, -2, (lua_Integer)i + 1);
        bool is_good = couReader_Vector(reader, key, &vertices[i]);
        lua_pop(lua, 1);
        if (!is_good) return NULL;
        couSandbox_Work(lua, 10);
    }
    return vertices;
}

// The triangle on top of the stack, its numbers counted from 1.
static bool read_triangle(couReader *reader, lua_Unsigned number, lua_Unsigned vertex_count, uint32_t triangle[3])
{
    lua_State *lua = reader->lua;
    char key[40], got[80];
    snprintf(key, sizeof key, "triangles[%u]", (unsigned)number);
    if (!lua_istable(lua, -1) || lua_rawlen(lua, -1) != 3) {
        couDescribeValue(lua, -1, got, sizeof got);
        couReader_Fault(reader, key, "expected three vertex numbers {1, 2, 3}, got %s",
                        lua_istable(lua, -1) ? "a table of another length" : got);
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        lua_rawgeti(lua, -1, k + 1);
        int is_whole = 0;
        lua_Integer vertex = lua_type(lua, -1) == LUA_TNUMBER ? lua_tointegerx(lua, -1, &is_whole) : 0;
        couDescribeValue(lua, -1, got, sizeof got);
        lua_pop(lua, 1);
        if (is_whole && vertex >= 1 && (lua_Unsigned)vertex <= vertex_count) {
            triangle[k] = (uint32_t)(vertex - 1);
            continue;
        }
        couReader_Fault(reader, key, "corner %d is %s: must be a vertex number from 1 to %llu", k + 1, got,
                        (unsigned long long)vertex_count);
        return false;
    }
    return true;
}

static uint32_t *read_triangles(couReader *reader, lua_Unsigned vertex_count, lua_Unsigned *count)
{
    lua_State *lua = reader->lua;
    *count = push_list(reader, "triangles", 1, MAX_TRIANGLES);
    if (*count == 0) return NULL;
    uint32_t *triangles = lua_newuserdatauv(lua, (size_t)*count * 3 * sizeof *triangles, 0);
    for (lua_Unsigned i = 0; i < *count; ++i) {
        lua_rawgeti(lua, -2, (lua_Integer)i + 1);
        bool is_good = read_triangle(reader, i + 1, vertex_count, &triangles[3 * i]);
        lua_pop(lua, 1);
        if (!is_good) return NULL;
        couSandbox_Work(lua, 10);
    }
    return triangles;
}

// --- Making the shape --------------------------------------------------------------------------------------------------------

// Copies faults of reading with this call's line; they say which mesh they are about.
static void adopt(couReader *reader, couFaults *faults, const char *key, const char *name)
{
    for (int i = 0; i < faults->count; ++i) {
        bool is_named = !name[0] || strncmp(faults->items[i].message, name, strlen(name)) == 0;
        couReader_Fault(reader, key, "%.100s%s%s", is_named ? "" : name, is_named ? "" : ": ", faults->items[i].message);
    }
    couFaults_Clear(faults);
}

static void log_oddities(const couMesh *mesh, const couReader *reader, const char *name)
{
    couMeshReport report = couMesh_Inspect(mesh, reader->scene->world_def.threads);
    char text[320];
    couMeshReport_Format(&report, text, sizeof text);
    if (text[0]) couLog(cou_logWarning, "%s: mesh%s%s: %s", reader->where, name[0] ? " " : "", name, text);
}

static size_t mesh_bytes(const couMesh *mesh)
{
    return couMesh_VertexCount(mesh) * sizeof(couVec3) + couMesh_TriangleCount(mesh) * 3 * sizeof(uint32_t);
}

static size_t most_mesh_bytes(const couScene *scene)
{
    return scene->max_mesh_bytes > 0 ? scene->max_mesh_bytes : MAX_MESH_BYTES;
}

// What further meshes may take [bytes].
static size_t mesh_room(const couScene *scene)
{
    size_t most = most_mesh_bytes(scene);
    return most > scene->mesh_bytes ? most - scene->mesh_bytes : 0;
}

// Files are read once in a scene, which holds them; NULL after a fault. Not to be released.
static couMesh *load_file(couReader *reader, const char *path, const char *key, const char *name, int64_t *work)
{
    couScene *scene = reader->scene;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        if (strcmp(scene->meshes[i].path, path) == 0) return scene->meshes[i].mesh;
    }
    if (!COU_GROW(NULL, scene->meshes, scene->mesh_capacity, scene->mesh_count + 1)) {
        couReader_Fault(reader, key, "out of memory");
        return NULL;
    }
    couFaults faults = {0};
    couSandbox_PauseClock(&scene->sandbox);
    couMesh *mesh = couReadMesh(path, NULL, &faults);
    couSandbox_ResumeClock(&scene->sandbox);
    adopt(reader, &faults, key, name);
    *work += READ_WORK;
    if (!mesh) return NULL;
    uint64_t hash = couMesh_Hash(mesh);
    couScene_AddToHash(scene, &hash, sizeof hash);
    couSceneMesh *kept = &scene->meshes[scene->mesh_count++];
    snprintf(kept->path, sizeof kept->path, "%s", path);
    kept->mesh = mesh;
    scene->mesh_bytes += mesh_bytes(mesh);
    return mesh;
}

// A new mesh of the vertices, which it moves, with its holes closed where that was asked for; NULL after a fault.
static couMesh *make_mesh(couReader *reader, const couMeshCall *call, couVec3 *vertices, size_t vertex_count,
                          const uint32_t *triangles, size_t triangle_count, const char *name)
{
    couMeshPlacement placement = couDefaultMeshPlacement();
    if (!isnan(call->scale)) placement.scale = call->scale;
    if (!isnan(call->size)) placement.size = call->size;
    placement.turn = call->turn;
    placement.center = (couMeshCenter)call->center;
    couPlaceVertices(vertices, vertex_count, &placement);
    couFaults faults = {0};
    couMesh *mesh = couCreateMesh(vertices, vertex_count, triangles, triangle_count, &faults);
    adopt(reader, &faults, NULL, name);
    if (!mesh || !call->close_holes) return mesh;
    couMesh *closed = couMesh_CloseHoles(mesh);
    couMesh_Release(mesh);
    if (!closed) couReader_Fault(reader, "close_holes", "out of memory");
    return closed;
}

// A mesh as the call wants it from one that was read; to be released.
static couMesh *place_copy(couReader *reader, const couMeshCall *call, const couMesh *mesh, const char *name)
{
    if (!mesh) return NULL;
    size_t count = couMesh_VertexCount(mesh);
    couVec3 *vertices = malloc(count * sizeof *vertices);
    if (!vertices) {
        couReader_Fault(reader, NULL, "out of memory");
        return NULL;
    }
    memcpy(vertices, couMesh_Vertices(mesh), count * sizeof *vertices);
    couMesh *placed = make_mesh(reader, call, vertices, count, couMesh_Triangles(mesh), couMesh_TriangleCount(mesh), name);
    free(vertices);
    return placed;
}

// Half the spacing resolves what particles can feel of the surface.
static float choose_cell(const couScene *scene, const couMeshCall *call, const couMesh *mesh)
{
    if (!isnan(call->cell)) return call->cell;
    float spacing = scene->forced_spacing > 0.0f ? scene->forced_spacing : scene->world_def.spacing;
    couBounds b = couMesh_Bounds(mesh);
    couVec3 extent = couSub(b.upper, b.lower);
    float side = COU_MAX(COU_MAX(extent.x, extent.y), extent.z);
    return COU_MAX(0.5f * spacing, side / FINEST_SIDE);
}

// A cell that was asked for is not changed: what would fill the memory, and take a minute to do so, is refused at once.
static bool check_cell(couReader *reader, couMesh *mesh, float cell)
{
    size_t most = most_mesh_bytes(reader->scene), room = COU_MIN(MAX_GRID_BYTES, most);
    if (couFinestCell(mesh, cell, room) <= cell) return true;
    // What is likely counts the blocks on the surface; there are about as many on either side of it.
    couReader_Fault(reader, "cell", "a distance grid of cell %g m would take more than %zu MB: %.2g m or more fits", (double)cell,
                    room >> 20, 1.05 * (double)couFinestCell(mesh, cell, room / 3));
    return false;
}

// The grid of a mesh, made once in a scene, which holds it; NULL after a fault.
static couDistanceGrid *make_grid(couReader *reader, const couMeshCall *call, couMesh *mesh, const char *name, int64_t *work)
{
    couScene *scene = reader->scene;
    couSceneGrid wanted = {couMesh_Hash(mesh), choose_cell(scene, call, mesh), NULL};
    for (size_t i = 0; i < scene->grid_count; ++i) {
        const couSceneGrid *other = &scene->grids[i];
        if (other->mesh_hash == wanted.mesh_hash && other->cell == wanted.cell) return other->grid;
    }
    if (!COU_GROW(NULL, scene->grids, scene->grid_capacity, scene->grid_count + 1)) {
        couReader_Fault(reader, NULL, "out of memory");
        return NULL;
    }
    couFaults faults = {0};
    size_t room = COU_MIN(MAX_GRID_BYTES, mesh_room(scene));
    if (!isnan(call->cell) && !check_cell(reader, mesh, call->cell)) return NULL;
    couSandbox_PauseClock(&scene->sandbox);
    log_oddities(mesh, reader, name);
    wanted.grid = couCachedDistanceGrid(mesh, wanted.cell, room, scene->world_def.threads, &faults);
    couSandbox_ResumeClock(&scene->sandbox);
    adopt(reader, &faults, NULL, name);
    if (!wanted.grid) return NULL;
    scene->grids[scene->grid_count++] = wanted;
    scene->mesh_bytes += mesh_bytes(mesh) + couDistanceGrid_Bytes(wanted.grid);
    *work += GRID_WORK + (int64_t)couDistanceGrid_Bytes(wanted.grid) / 4;
    return wanted.grid;
}

// From a mesh, which it releases, to the shape of `ref`.
static void make_shape(couReader *reader, const couMeshCall *call, couMesh *mesh, const char *name, couShapeRef *ref,
                       int64_t *work)
{
    if (!mesh) return;
    couDistanceGrid *grid = make_grid(reader, call, mesh, name, work);
    couMesh_Release(mesh);
    if (!grid) return;
    couFaults faults = {0};
    couShapeDef def = {.kind = cou_shapeMesh, .grid = grid, .pose = COU_POSE_IDENTITY};
    ref->shape = couCreateShape(&def, &faults);
    ref->pose = call->pose;
    adopt(reader, &faults, NULL, name);
}

void couScene_ReleaseMeshes(couScene *scene)
{
    for (size_t i = 0; i < scene->mesh_count; ++i) couMesh_Release(scene->meshes[i].mesh);
    for (size_t i = 0; i < scene->grid_count; ++i) couDistanceGrid_Release(scene->grids[i].grid);
    couFree(NULL, scene->meshes);
    couFree(NULL, scene->grids);
}

// --- The three sources -------------------------------------------------------------------------------------------------------

static couMesh *mesh_from_file(couReader *reader, const couMeshCall *call, int64_t *work)
{
    if (!couIsPlainPath(call->file)) {
        couReader_Fault(reader, "file", "'%.80s': only files inside the scene's folder, like \"models/bunny.obj\"", call->file);
        return NULL;
    }
    char *real = couResolveInside(reader->scene->folder, call->file);
    if (!real) {
        couReader_Fault(reader, "file", "there is no file '%.80s' inside the scene's folder", call->file);
        return NULL;
    }
    const couMesh *mesh = load_file(reader, real, "file", call->file, work);
    if (mesh && !couScene_AddFile(reader->scene, call->file, real)) {
        couReader_Fault(reader, "file", "out of memory");
        mesh = NULL;
    }
    free(real);
    return place_copy(reader, call, mesh, call->file);
}

static couMesh *mesh_from_stock(couReader *reader, const couMeshCall *call, int64_t *work)
{
    int count;
    const couStockMesh *meshes = couStockMeshes(&count);
    const char *names[16];
    for (int i = 0; i < count && i < COU_COUNT(names); ++i) names[i] = meshes[i].name;
    for (int i = 0; i < count; ++i) {
        if (strcmp(meshes[i].name, call->stock) != 0) continue;
        char path[1024];
        if (couFindStockMesh(&meshes[i], path, sizeof path)) {
            couMeshCall own = *call;
            own.turn = couMulQuat(call->turn, meshes[i].turn);
            own.close_holes = call->close_holes || meshes[i].has_holes;
            return place_copy(reader, &own, load_file(reader, path, "stock", meshes[i].file, work), meshes[i].file);
        }
        couReader_Fault(reader, "stock", "'%s' is not installed: the Debian package %s has it (%s)", call->stock,
                        meshes[i].package, meshes[i].file);
        return NULL;
    }
    const char *nearest = couSuggest(names, count, call->stock);
    couReader_Fault(reader, "stock", "there is no stock mesh '%s'%s%s%s", call->stock,
                    nearest ? ": did you mean '" : ": bunny, horse or cat", nearest ? nearest : "", nearest ? "'?" : "");
    return NULL;
}

// Leaves its lists on the stack.
static couMesh *mesh_from_lists(couReader *reader, const couMeshCall *call)
{
    lua_Unsigned vertex_count, triangle_count;
    couVec3 *vertices = read_vertices(reader, &vertex_count);
    uint32_t *triangles = vertices ? read_triangles(reader, vertex_count, &triangle_count) : NULL;
    if (!triangles) return NULL;
    return make_mesh(reader, call, vertices, vertex_count, triangles, triangle_count, "");
}

static void check_call(couReader *reader, const couMeshCall *call)
{
    int sources = (call->file[0] != '\0') + (call->stock[0] != '\0') + call->has_list;
    if (sources != 1) {
        couReader_Fault(reader, "file",
                        sources == 0 ? "is missing: give file, stock, or vertices and triangles"
                                     : "give one of file, stock, or vertices and triangles");
    }
    if (!isnan(call->scale) && !isnan(call->size)) couReader_Fault(reader, "size", "give either scale or size");
    bool has_spacing = reader->scene->scene_where[0] || reader->scene->forced_spacing > 0.0f;
    if (isnan(call->cell) && !has_spacing) {
        couReader_Fault(reader, "cell", "is half the spacing, which is not known yet: put scene{} before mesh{}, or give a cell");
    }
}

static int mesh_call(lua_State *lua)
{
    static const couExtraKey keys[] = {{"file", read_file_name}, {"stock", read_stock_name}, {"at", read_at},
                                       {"turn", read_turn},      {"vertices", note_list},    {"triangles", note_list}};
    couCheckLoading(lua, "mesh{}");
    couReader reader = couReader_Begin(lua, "mesh");
    lua_settop(lua, 1);
    couMeshCall call = {.pose = COU_POSE_IDENTITY, .turn = {0, 0, 0, 1}};
    couParams_SetDefaults(&mesh_table, &call);
    couShapeRef *ref = couPushShape(lua);
    if (couReader_IsTable(&reader, 1)) {
        couReader_Table(&reader, 1, &mesh_table, &call, keys, COU_COUNT(keys), &call, 0, NULL);
        if (reader.fault_count == 0) check_call(&reader, &call);
    }
    if (!lua_istable(lua, 1) || reader.fault_count > 0) return 1;
    couShapeRef_SetCost(lua, ref, 512);
    if (mesh_room(reader.scene) < LEAST_ROOM) {
        luaL_error(lua, "the meshes of this scene take more than %d MB: use fewer or give them a larger cell",
                   (int)((reader.scene->mesh_bytes + LEAST_ROOM) >> 20));
    }
    // No errors are raised while a mesh is held.
    int64_t work = LOOKUP_WORK;
    couMesh *mesh = call.file[0]    ? mesh_from_file(&reader, &call, &work)
                    : call.stock[0] ? mesh_from_stock(&reader, &call, &work)
                                    : mesh_from_lists(&reader, &call);
    make_shape(&reader, &call, mesh, call.file[0] ? call.file : call.stock, ref, &work);
    couSandbox_Work(lua, work);
    lua_settop(lua, 2);
    return 1;
}

void couScene_OpenMeshes(lua_State *lua)
{
    lua_pushcfunction(lua, mesh_call);
    lua_setglobal(lua, "mesh");
}
