// The bodies of a run in files. A body is known by its handle in the world, which is never used twice, and enters stage.json
// with the first frame that it is in; its name may come back with another body, so whoever looks for a mesh takes the last
// entry of that name that is not later than the frame. All rows of a frame are written at once, after the meshes that they
// need.
#include "io/body_files.h"

#include "base/base.h"
#include "coulis/surface_file.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] = "frame,time,name,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n";
enum { column_count = 16, path_size = 1200 };

struct couBodyFiles {
    couManifest *manifest;
    const char *folder; // the manifest's
    couStageFile stage;
    couBounds clip;
    couCsv csv;
};

static char *join(char path[path_size], const char *folder, const char *name)
{
    snprintf(path, path_size, "%s/%s", folder, name);
    return path;
}

// --- Meshes ------------------------------------------------------------------------------------------------------------------

static bool is_taken(const couStageFile *stage, const char *mesh)
{
    for (int i = 0; i < stage->body_count; ++i)
        if (strcmp(stage->bodies[i].mesh, mesh) == 0) return true;
    for (int i = 0; i < stage->solid_count; ++i)
        if (strcmp(stage->solids[i].mesh, mesh) == 0) return true;
    return false;
}

// bodies/NAME.obj or solids/NAME.obj, of letters that every system takes; a number follows where that is taken.
static void choose_mesh_name(const couStageFile *stage, const char *kind, const char *name, char mesh[80])
{
    char plain[COU_NAME_SIZE];
    size_t length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof plain; ++length) {
        char c = name[length];
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        plain[length] = is_plain ? c : '_';
    }
    plain[length] = '\0';
    snprintf(mesh, 80, "%s/%s.obj", kind, plain);
    for (int number = 2; is_taken(stage, mesh); ++number) snprintf(mesh, 80, "%s/%s_%d.obj", kind, plain, number);
}

static bool write_mesh(couBodyFiles *files, const couWorld *world, couBodyId body, const char *mesh, couFaults *faults)
{
    char path[path_size];
    couSurface surface;
    const couBodyDef *def = couWorld_Body(world, body);
    couPose pose = couWorld_BodyPose(world, body);
    // The clip box is the world's; in the body's frame a box around it is wide enough.
    couVec3 center = couToLocal(pose, couScale(0.5f, couAdd(files->clip.lower, files->clip.upper)));
    couVec3 size = couSub(files->clip.upper, files->clip.lower);
    bool is_turned = fabsf(pose.rotation.w) < 1.0f - 1e-6f;
    couVec3 half = is_turned ? (couVec3){0.5f * couLength(size), 0.5f * couLength(size), 0.5f * couLength(size)}
                             : couScale(0.5f, size);
    couBounds clip = {couSub(center, half), couAdd(center, half)};
    if (!couManifest_Claim(files->manifest, mesh, faults)) return false;
    if (!couMakeFolder(join(path, files->folder, "bodies"), faults)) return false;
    if (!couShape_BuildSurface(def->shape, couWorld_Def(world)->dimension, 0.0f, clip, &surface, faults)) return false;
    bool is_written = couWriteSurface(join(path, files->folder, mesh), &surface, 0.0, faults);
    couSurface_Clear(&surface);
    return is_written;
}

// The place in the world, and how many bodies were there before.
static int body_number(couBodyId id) { return ((id.generation - 1) & 0x3fff) << 16 | (id.index1 - 1); }

static bool is_known(const couBodyFiles *files, couBodyId id)
{
    for (int i = 0; i < files->stage.body_count; ++i)
        if (files->stage.bodies[i].index == body_number(id)) return true;
    return false;
}

static bool add_body(couBodyFiles *files, const couWorld *world, couBodyId id, int frame, couFaults *faults)
{
    const couBodyDef *def = couWorld_Body(world, id);
    couStageFileBody body = {
        .index = body_number(id), .first_frame = frame, .is_moving = def->is_dynamic || def->motion != NULL, .look = def->look};
    snprintf(body.name, sizeof body.name, "%s", def->name);
    if (def->look.opacity > 0.0f) choose_mesh_name(&files->stage, "bodies", def->name, body.mesh);
    if (body.mesh[0] != '\0' && !write_mesh(files, world, id, body.mesh, faults)) return false;
    couStageFileBody *entry = couStageFile_AddBody(&files->stage);
    if (!entry) {
        couFaults_Add(faults, files->folder, NULL, "no memory for the list of bodies");
        return false;
    }
    *entry = body;
    return true;
}

static bool write_solid_mesh(couBodyFiles *files, const couWorld *world, couSolidId id, const char *mesh, couFaults *faults)
{
    char path[path_size];
    couSurface surface;
    if (!couManifest_Claim(files->manifest, mesh, faults)) return false;
    if (!couMakeFolder(join(path, files->folder, "solids"), faults)) return false;
    join(path, files->folder, mesh);
    if (!couWorld_BuildSolidSurface(world, id, &surface)) {
        couFaults_Add(faults, path, NULL, "no memory for it");
        return false;
    }
    bool is_written = couWriteSurface(path, &surface, 0.0, faults);
    couSurface_Clear(&surface);
    return is_written;
}

// Solids come with the scene and stay.
static bool add_solid(couBodyFiles *files, const couWorld *world, couSolidId id, couFaults *faults)
{
    const couSolidDef *def = couWorld_Solid(world, id);
    int count = files->stage.solid_count;
    const couStageFileSolid *before = count > 0 ? &files->stage.solids[count - 1] : NULL;
    couStageFileSolid solid = {.look = def->look, .point_count = (int)couSolidMesh_PointCount(def->mesh)};
    if (before) solid.first_point = before->first_point + before->point_count;
    snprintf(solid.name, sizeof solid.name, "%s", def->name);
    if (def->look.opacity > 0.0f) choose_mesh_name(&files->stage, "solids", def->name, solid.mesh);
    if (solid.mesh[0] != '\0' && !write_solid_mesh(files, world, id, solid.mesh, faults)) return false;
    couStageFileSolid *entry = couStageFile_AddSolid(&files->stage);
    if (!entry) {
        couFaults_Add(faults, files->folder, NULL, "no memory for the list of solids");
        return false;
    }
    *entry = solid;
    return true;
}

static bool write_stage(couBodyFiles *files, couFaults *faults)
{
    char path[path_size];
    return couManifest_Claim(files->manifest, "stage.json", faults) &&
           couWriteStage(join(path, files->folder, "stage.json"), &files->stage, faults);
}

// And solids.
static bool add_new_bodies(couBodyFiles *files, const couWorld *world, int frame, couFaults *faults)
{
    bool has_new = false;
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        if (is_known(files, id)) continue;
        if (!add_body(files, world, id, frame, faults)) return false;
        has_new = true;
    }
    for (int i = files->stage.solid_count; i < couWorld_SolidCount(world); ++i) {
        if (!add_solid(files, world, couWorld_SolidAt(world, i), faults)) return false;
        has_new = true;
    }
    return !has_new || write_stage(files, faults);
}

// --- Rows --------------------------------------------------------------------------------------------------------------------

static void print_floats(FILE *stream, const float *values, int count)
{
    for (int i = 0; i < count; ++i) {
        fputc(',', stream);
        couPrintFloat(stream, values[i]);
    }
}

static void print_row(FILE *stream, const couWorld *world, couBodyId body, int frame)
{
    couPose pose = couWorld_BodyPose(world, body);
    couVec3 spin = couWorld_BodySpin(world, body);
    // The world knows the velocity of the centre of mass of free bodies.
    couVec3 arm = couSub(pose.position, couWorld_BodyCenter(world, body));
    couVec3 velocity = couAdd(couWorld_BodyVelocity(world, body), couCross(spin, arm));
    fprintf(stream, "%d,", frame);
    couPrintDouble(stream, couWorld_Time(world));
    fputc(',', stream);
    couCsv_PrintField(stream, couWorld_Body(world, body)->name);
    const float values[13] = {pose.position.x, pose.position.y, pose.position.z, pose.rotation.x, pose.rotation.y,
                              pose.rotation.z, pose.rotation.w, velocity.x,      velocity.y,      velocity.z,
                              spin.x,          spin.y,          spin.z};
    print_floats(stream, values, 13);
    fputc('\n', stream);
}

bool couBodyFiles_Write(couBodyFiles *files, const couWorld *world, int frame, couFaults *faults)
{
    if (!add_new_bodies(files, world, frame, faults)) return false;
    char *text = NULL;
    size_t size = 0;
    FILE *rows = open_memstream(&text, &size);
    for (int i = 0; rows && i < couWorld_BodyCount(world); ++i) {
        print_row(rows, world, couWorld_BodyAt(world, i), frame);
    }
    bool is_whole = rows && !ferror(rows);
    if (rows) is_whole = fclose(rows) == 0 && is_whole;
    bool is_ok = couCsv_Append(&files->csv, is_whole ? text : NULL, size, faults);
    free(text);
    return is_ok;
}

// --- Opening ---------------------------------------------------------------------------------------------------------------

// The bodies of the frames that stay, whose meshes are there, and the solids, as long as theirs are: they have their order.
static void keep_bodies(couBodyFiles *files, int keep_frames)
{
    char path[path_size];
    couFaults faults = {0};
    couStageFile old;
    if (!couReadStage(join(path, files->folder, "stage.json"), &old, &faults)) {
        bool is_known = faults.count > 0;
        couLog(cou_logWarning, "%s %s: it is written anew", is_known ? faults.items[0].where : path,
               is_known ? faults.items[0].message : "cannot be read");
        couFaults_Clear(&faults);
        return;
    }
    for (int i = 0; i < old.body_count; ++i) {
        bool has_mesh = old.bodies[i].mesh[0] == '\0' || access(join(path, files->folder, old.bodies[i].mesh), R_OK) == 0;
        couStageFileBody *entry = old.bodies[i].first_frame <= keep_frames && has_mesh ? couStageFile_AddBody(&files->stage)
                                                                                       : NULL;
        if (entry) *entry = old.bodies[i];
    }
    for (int i = 0; i < old.solid_count; ++i) {
        if (old.solids[i].mesh[0] != '\0' && access(join(path, files->folder, old.solids[i].mesh), R_OK) != 0) break;
        couStageFileSolid *entry = couStageFile_AddSolid(&files->stage);
        if (!entry) break;
        *entry = old.solids[i];
    }
    couStageFile_Clear(&old);
}

static bool open_table(couBodyFiles *files, int keep_frames, couFaults *faults)
{
    char path[path_size];
    join(path, files->folder, "bodies.csv");
    bool is_new = keep_frames <= 0 || (access(path, F_OK) != 0 && errno == ENOENT);
    if (!couManifest_Claim(files->manifest, "bodies.csv", faults)) return false;
    if (is_new) return couCsv_Start(&files->csv, path, header, NULL, 0, faults);
    char *text = couReadFile(path, cou_csvMaxBytes, NULL, faults);
    if (!text) return false;
    bool is_ours = strncmp(text, header, sizeof header - 1) == 0;
    if (!is_ours) couFaults_Add(faults, path, NULL, "its header is not that of bodies; resume into another folder or remove it");
    const char *rows = text + sizeof header - 1;
    const char *end = is_ours ? couCsv_FindKept(path, rows, column_count, keep_frames, false, faults) : NULL;
    bool is_ok = end && couCsv_Start(&files->csv, path, header, rows, (size_t)(end - rows), faults);
    free(text);
    return is_ok;
}

couBodyFiles *couOpenBodyFiles(couManifest *manifest, couStageFile *stage, couBounds clip, int keep_frames, couFaults *faults)
{
    couBodyFiles *files = calloc(1, sizeof *files);
    if (!files) {
        couFaults_Add(faults, manifest->folder, NULL, "no memory for its bodies");
        couStageFile_Clear(stage);
        return NULL;
    }
    files->manifest = manifest;
    files->folder = manifest->folder;
    files->stage = *stage;
    files->clip = clip;
    *stage = (couStageFile){0};
    if (keep_frames > 0) keep_bodies(files, keep_frames);
    if (open_table(files, keep_frames, faults) && write_stage(files, faults)) return files;
    couCloseBodyFiles(files, NULL);
    return NULL;
}

bool couCloseBodyFiles(couBodyFiles *files, couFaults *faults)
{
    if (!files) return true;
    bool is_ok = couCsv_Close(&files->csv, faults);
    couStageFile_Clear(&files->stage);
    free(files);
    return is_ok;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

static const char *take_number(const char *at, double *number)
{
    char field[40], *end;
    if (*at != ',') return NULL;
    at = couCsv_TakeField(at + 1, field, sizeof field);
    *number = strtod(field, &end);
    return end != field && *end == '\0' ? at : NULL;
}

// Returns what follows the row, NULL when it is none.
static const char *take_row(const char *at, couBodyRow *row)
{
    char field[16];
    double number, n[13];
    at = couCsv_TakeField(at, field, sizeof field);
    row->frame = (int)strtol(field, NULL, 10);
    at = take_number(at, &number);
    if (!at || *at != ',') return NULL;
    row->time = number;
    at = couCsv_TakeField(at + 1, row->name, sizeof row->name);
    for (int i = 0; at && i < 13; ++i) at = take_number(at, &n[i]);
    if (!at || *at != '\n') return NULL;
    row->pose.position = (couVec3){(float)n[0], (float)n[1], (float)n[2]};
    row->pose.rotation = (couQuat){(float)n[3], (float)n[4], (float)n[5], (float)n[6]};
    row->velocity = (couVec3){(float)n[7], (float)n[8], (float)n[9]};
    row->spin = (couVec3){(float)n[10], (float)n[11], (float)n[12]};
    return at + 1;
}

// The last body of that name that is not later.
static int find_body(const couStageFile *stage, const char *name, int frame)
{
    int found = -1;
    for (int i = 0; i < stage->body_count; ++i) {
        const couStageFileBody *body = &stage->bodies[i];
        if (strcmp(body->name, name) != 0 || body->first_frame > frame) continue;
        if (found < 0 || body->first_frame >= stage->bodies[found].first_frame) found = i;
    }
    return found;
}

static bool read_rows(couBodyTable *table, const char *path, const char *text, couFaults *faults)
{
    size_t capacity = 0;
    int last_frame = 0;
    for (const char *at = text + sizeof header - 1; strchr(at, '\n');) { // a piece at the end is what a kill left
        couBodyRow row = {0};
        at = take_row(at, &row);
        if (!at || row.frame < last_frame) {
            couFaults_Add(faults, path, NULL, "row %zu is no row of bodies, or not in the order of frames", table->count + 1);
            return false;
        }
        if (!COU_GROW(NULL, table->rows, capacity, table->count + 1)) {
            couFaults_Add(faults, path, NULL, "no memory for its rows");
            return false;
        }
        row.body = find_body(&table->stage, row.name, row.frame);
        table->rows[table->count++] = row;
        last_frame = row.frame;
    }
    return true;
}

bool couReadBodies(const char *folder, couBodyTable *table, couFaults *faults)
{
    char path[path_size];
    *table = (couBodyTable){0};
    if (!couReadStage(join(path, folder, "stage.json"), &table->stage, faults)) return false;
    char *text = couReadFile(join(path, folder, "bodies.csv"), cou_csvMaxBytes, NULL, faults);
    bool is_ok = text != NULL;
    if (is_ok && strncmp(text, header, sizeof header - 1) != 0) {
        couFaults_Add(faults, path, NULL, "its header is not that of bodies");
        is_ok = false;
    }
    is_ok = is_ok && read_rows(table, path, text, faults);
    free(text);
    if (!is_ok) couBodyTable_Clear(table);
    return is_ok;
}

const couBodyRow *couBodyTable_Frame(const couBodyTable *table, int frame, size_t *count)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->rows[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < table->count && table->rows[low + *count].frame == frame) ++*count;
    return table->rows + low;
}

void couBodyTable_Clear(couBodyTable *table)
{
    couStageFile_Clear(&table->stage);
    couFree(NULL, table->rows);
    *table = (couBodyTable){0};
}
