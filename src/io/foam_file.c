// Foam as VTK PolyData and PLY. The files have all that goes on from frame to frame, so that foam of half a run can be taken up
// again from its last file.
#include "io/foam_file.h"

#include "files/file.h"
#include "io/point_file.h"
#include "io/vtk_write.h"

#include <stdio.h>
#include <strings.h>

static bool is_ply(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".ply") == 0;
}

// --- Writing -----------------------------------------------------------------------------------------------------------------

// Columns of a file, one behind the other.
typedef struct Columns {
    couVec3 *position, *velocity;
    float *age, *life;
    uint32_t *id;
    uint8_t *kind;
} Columns;

static void free_columns(Columns *c)
{
    couFree(NULL, c->position);
    couFree(NULL, c->velocity);
    couFree(NULL, c->age);
    couFree(NULL, c->life);
    couFree(NULL, c->id);
    couFree(NULL, c->kind);
}

static bool make_columns(const couFoam *foam, Columns *c)
{
    size_t room = foam->count + 1;
    *c = (Columns){couAlloc(NULL, room * sizeof *c->position), couAlloc(NULL, room * sizeof *c->velocity),
                   couAlloc(NULL, room * sizeof *c->age),      couAlloc(NULL, room * sizeof *c->life),
                   couAlloc(NULL, room * sizeof *c->id),       couAlloc(NULL, room)};
    if (!c->position || !c->velocity || !c->age || !c->life || !c->id || !c->kind) return false;
    for (size_t i = 0; i < foam->count; ++i) {
        const couFoamParticle *p = &foam->items[i];
        c->position[i] = p->position, c->velocity[i] = p->velocity;
        c->age[i] = p->age, c->life[i] = p->life;
        c->id[i] = p->id, c->kind[i] = p->kind;
    }
    return true;
}

static bool write_vtp(const char *path, const couFoam *foam, double time, couFaults *faults)
{
    Columns c;
    size_t n = foam->count;
    bool is_good = make_columns(foam, &c);
    if (is_good) {
        const couVtkArray arrays[] = {
            {"Points", "Points", "Float32", NULL, 3, 12, n, c.position, 0, 0},
            {"PointData", "id", "UInt32", NULL, 1, 4, n, c.id, 0, 0},
            {"PointData", "velocity", "Float32", NULL, 3, 12, n, c.velocity, 0, 0},
            {"PointData", "kind", "UInt8", NULL, 1, 1, n, c.kind, 0, 0},
            {"PointData", "age", "Float32", NULL, 1, 4, n, c.age, 0, 0},
            {"PointData", "life", "Float32", NULL, 1, 4, n, c.life, 0, 0},
            {"Verts", "connectivity", "Int32", NULL, 1, 4, n, NULL, 0, 1},
            {"Verts", "offsets", "Int32", NULL, 1, 4, n, NULL, 1, 1},
        };
        couVtkPolyData data = {
            .time = time, .point_count = n, .vert_count = n, .arrays = arrays, .array_count = COU_COUNT(arrays)};
        is_good = couWriteVtkPolyData(path, &data, faults);
    } else {
        couFaults_Add(faults, path, NULL, "no memory to write %zu particles of foam", n);
    }
    free_columns(&c);
    return is_good;
}

static bool write_ply(const char *path, const couFoam *foam, double time, couFaults *faults)
{
    enum { row_bytes = 37 };
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    fprintf(file.stream,
            "ply\nformat binary_little_endian 1.0\n"
            "comment Coulis foam: x y z [m], vx vy vz [m/s], age life [s], kind 0 spray 1 foam 2 bubble\n"
            "comment time %.17g\n"
            "element vertex %zu\n"
            "property float x\nproperty float y\nproperty float z\n"
            "property float vx\nproperty float vy\nproperty float vz\n"
            "property float age\nproperty float life\nproperty uint id\nproperty uchar kind\nend_header\n",
            time, foam->count);
    for (size_t i = 0; i < foam->count; ++i) {
        const couFoamParticle *p = &foam->items[i];
        char row[row_bytes];
        memcpy(row, &p->position, 12);
        memcpy(row + 12, &p->velocity, 12);
        memcpy(row + 24, &p->age, 4);
        memcpy(row + 28, &p->life, 4);
        memcpy(row + 32, &p->id, 4);
        memcpy(row + 36, &p->kind, 1);
        if (!couFile_Write(&file, row, row_bytes)) break;
    }
    return couFile_Commit(&file, faults);
}

bool couWriteFoam(const char *path, const couFoam *foam, double time, couFaults *faults)
{
    return is_ply(path) ? write_ply(path, foam, time, faults) : write_vtp(path, foam, time, faults);
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

// Of a VTK file the first six, of a PLY the others, which has vectors as columns.
static const char *const keys[] = {"Points",       "PointData/velocity", "PointData/age", "PointData/life",
                                   "PointData/id", "PointData/kind",     "PointData/x",   "PointData/y",
                                   "PointData/z",  "PointData/vx",       "PointData/vy",  "PointData/vz"};

static bool wants_foam(const char *key)
{
    for (int i = 0; i < COU_COUNT(keys); ++i)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

static const couPointArray *find(const couPointFile *file, const char *key, int components)
{
    const couPointArray *array = couPointFile_Find(file, key);
    return array && array->count == file->count && array->components == components ? array : NULL;
}

typedef struct Source {
    const couPointArray *place[3], *velocity[3]; // three columns, or one of vectors
    const couPointArray *age, *life, *id, *kind;
} Source;

// False when something is missing.
static bool find_columns(const couPointFile *file, Source *source)
{
    *source = (Source){.age = find(file, "PointData/age", 1),
                       .life = find(file, "PointData/life", 1),
                       .id = find(file, "PointData/id", 1),
                       .kind = find(file, "PointData/kind", 1)};
    source->place[0] = find(file, "Points", 3), source->velocity[0] = find(file, "PointData/velocity", 3);
    bool has_vectors = source->place[0] || source->velocity[0];
    for (int a = 0; !has_vectors && a < 3; ++a) {
        source->place[a] = find(file, keys[6 + a], 1), source->velocity[a] = find(file, keys[9 + a], 1);
        if (!source->place[a] || !source->velocity[a]) return false;
    }
    return source->place[0] && source->velocity[0] && source->age && source->life && source->id && source->kind;
}

static couVec3 vector_of(const couPointArray *const columns[3], size_t i)
{
    if (columns[0]->components == 3) return couPointArray_Vector(columns[0], i);
    return (couVec3){couToFloat(couPointArray_Number(columns[0], i, 0)), couToFloat(couPointArray_Number(columns[1], i, 0)),
                     couToFloat(couPointArray_Number(columns[2], i, 0))};
}

static bool fill(couPointFile *file, const Source *source, couFoam *foam)
{
    if (!COU_GROW(NULL, foam->items, foam->capacity, file->count))
        return couPointFile_Refuse(file, NULL, "cannot be read: no memory for %zu particles of foam", file->count);
    for (size_t i = 0; i < file->count; ++i) {
        couFoamParticle p = {.position = vector_of(source->place, i),
                             .velocity = vector_of(source->velocity, i),
                             .age = couToFloat(couPointArray_Number(source->age, i, 0)),
                             .life = couToFloat(couPointArray_Number(source->life, i, 0)),
                             .id = couToUnsigned(couPointArray_Number(source->id, i, 0), UINT32_MAX)};
        double kind = couPointArray_Number(source->kind, i, 0);
        bool is_good = couIsFinite3(p.position) && couIsFinite3(p.velocity) && isfinite(p.age) && isfinite(p.life) && kind >= 0 &&
                       kind < cou_foamKindCount;
        if (!is_good) return couPointFile_Refuse(file, NULL, "is damaged: its particle %zu is no spray, foam or bubble", i);
        p.kind = (uint8_t)kind;
        foam->items[foam->count++] = p;
    }
    return true;
}

bool couReadFoam(const char *path, couFoam *foam, couFaults *faults)
{
    couPointFile file;
    Source source;
    *foam = (couFoam){0};
    bool is_good = couReadPointFile(&file, path, wants_foam, faults);
    // A file of none has no arrays that could be missing.
    if (is_good && file.count > 0) {
        if (!find_columns(&file, &source))
            is_good = couPointFile_Refuse(&file, NULL, "is no file of foam: place, velocity, age, life, id or kind is missing");
        is_good = is_good && fill(&file, &source, foam);
    }
    if (!is_good) couFoam_Clear(foam);
    couPointFile_Clear(&file);
    return is_good;
}
