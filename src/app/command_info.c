// coulis info: what a file of a run, or a mesh, holds, in words. The kind of a file follows from its name; a folder stands for
// its run.json, its frames and its checkpoint.
#include "app/run.h"
#include "coulis/mesh_file.h"
#include "files/file.h"
#include "files/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

// --- Frames ---

typedef struct FrameFacts {
    couBounds bounds;
    float max_speed, min_density, max_density;
    uint32_t min_id, max_id;
    size_t counts[256]; // per material
    size_t bad_count;   // positions or velocities that are not finite
} FrameFacts;

static FrameFacts survey(const couFrame *frame)
{
    FrameFacts facts = {.bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
                        .min_density = INFINITY,
                        .max_density = -INFINITY,
                        .min_id = UINT32_MAX};
    for (size_t i = 0; i < frame->count; ++i) {
        couVec3 p = frame->position[i], v = frame->velocity[i];
        float speed = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
        ++facts.counts[frame->material[i]];
        if (frame->id[i] < facts.min_id) facts.min_id = frame->id[i];
        if (frame->id[i] > facts.max_id) facts.max_id = frame->id[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z) || !isfinite(speed)) {
            ++facts.bad_count;
            continue;
        }
        couBounds *b = &facts.bounds;
        b->lower = (couVec3){fminf(b->lower.x, p.x), fminf(b->lower.y, p.y), fminf(b->lower.z, p.z)};
        b->upper = (couVec3){fmaxf(b->upper.x, p.x), fmaxf(b->upper.y, p.y), fmaxf(b->upper.z, p.z)};
        facts.max_speed = fmaxf(facts.max_speed, speed);
        facts.min_density = fminf(facts.min_density, frame->density[i]);
        facts.max_density = fmaxf(facts.max_density, frame->density[i]);
    }
    return facts;
}

// Over what every frame file keeps in full, so that a .vtp and a .ply of one frame show the same hash.
static uint64_t hash_frame(const couFrame *frame)
{
    couState state = {0};
    couState_Add(&state, "id", "", cou_stateU32, 1, frame->count, frame->id);
    couState_Add(&state, "position", "m", cou_stateF32, 3, frame->count, frame->position);
    couState_Add(&state, "velocity", "m/s", cou_stateF32, 3, frame->count, frame->velocity);
    uint64_t hash = couState_Hash(&state);
    couState_Clear(&state);
    return hash;
}

static bool describe_frame(const char *path, couFaults *faults)
{
    couFrame frame = {0};
    if (!couReadFrame(path, &frame, faults)) return false;
    FrameFacts facts = survey(&frame);
    char count[32], missing[64];
    printf("%s: particles at %.9g s\n", path, frame.time);
    printf("particles  %s\n", couFormatCount(count, sizeof count, frame.count));
    if (frame.count > 0) {
        couBounds b = facts.bounds;
        printf("ids        %u to %u\n", facts.min_id, facts.max_id);
        printf("bounds     %g %g %g to %g %g %g m\n", b.lower.x, b.lower.y, b.lower.z, b.upper.x, b.upper.y, b.upper.z);
        printf("speed      at most %g m/s\n", facts.max_speed);
        printf("density    %g to %g of rest\n", facts.min_density, facts.max_density);
    }
    for (int i = 0; i < 256; ++i)
        if (facts.counts[i] > 0) printf("material %d %s particles\n", i, couFormatCount(count, sizeof count, facts.counts[i]));
    if (facts.bad_count > 0) printf("not finite %s particles\n", couFormatCount(count, sizeof count, facts.bad_count));
    if (frame.missing != 0) printf("missing    %s\n", couFrame_Missing(&frame, missing, sizeof missing));
    printf("hash       %016llx\n", (unsigned long long)hash_frame(&frame));
    couFreeFrame(&frame);
    return true;
}

// --- Checkpoints ---

static bool describe_checkpoint(const char *path, couFaults *faults)
{
    static const char *const types[] = {"u8", "u32", "u64", "f32", "f64"};
    couCheckpointInfo info;
    couState state = {0};
    if (!couReadCheckpoint(path, &info, &state, faults)) return false;
    char count[32], bytes[32];
    printf("%s: checkpoint of '%s' (%s), whole\n", path, info.scene, info.method);
    printf("frame      %d, %g per second, %.9g s\n", info.frame, info.fps, info.time);
    printf("particles  %s\n", couFormatCount(count, sizeof count, info.particles));
    printf("hash       %016llx (scene %016llx)\n", (unsigned long long)info.state_hash, (unsigned long long)info.scene_hash);
    for (int i = 0; i < state.count; ++i) {
        const couStateArray *array = &state.arrays[i];
        double size = (double)array->count * array->components * (double)couStateType_Size(array->type);
        printf("  %-28s %10s x %d %s %-8s %s\n", array->name, couFormatCount(count, sizeof count, array->count),
               array->components, types[array->type], array->unit, couFormatBytes(bytes, sizeof bytes, size));
    }
    couState_Clear(&state);
    return true;
}

// --- Meshes ---

static bool describe_mesh(const char *path, couFaults *faults)
{
    couMesh *mesh = couReadMesh(path, NULL, faults);
    if (!mesh) return false;
    couMeshReport report = couMesh_Inspect(mesh, 0);
    couBounds b = couMesh_Bounds(mesh);
    couMassProperties mass = couMesh_Mass(mesh);
    char findings[400], count[32];
    couMeshReport_Format(&report, findings, sizeof findings);
    printf("%s: mesh (%s), %s\n", path, strrchr(path, '.') + 1,
           report.is_oriented ? "closed"
           : report.is_closed ? "closed, but not of one orientation"
                              : "open");
    printf("triangles  %s\n", couFormatCount(count, sizeof count, couMesh_TriangleCount(mesh)));
    printf("vertices   %s\n", couFormatCount(count, sizeof count, couMesh_VertexCount(mesh)));
    printf("parts      %s\n", couFormatCount(count, sizeof count, report.part_count));
    printf("size       %g x %g x %g m\n", b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z);
    printf("bounds     %g %g %g to %g %g %g m\n", b.lower.x, b.lower.y, b.lower.z, b.upper.x, b.upper.y, b.upper.z);
    if (report.is_oriented)
        printf("volume     %.6g m^3, centre %g %g %g m\n", mass.volume, mass.center[0], mass.center[1], mass.center[2]);
    printf("findings   %s\n", findings[0] ? findings : "none");
    printf("hash       %016llx\n", (unsigned long long)couMesh_Hash(mesh));
    couMesh_Release(mesh);
    return true;
}

// --- run.json, diagnostics.csv, folders ---

// As in the file, a text without its quotes; its escapes stay, for the terminal's sake. To be freed.
static char *format_json(const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    size_t length = text ? strlen(text) : 0;
    if (json_is_string(value) && length > 1) {
        memmove(text, text + 1, length - 2);
        text[length - 2] = '\0';
    }
    return text;
}

static void print_json(const char *indent, const json_t *value)
{
    char *text = format_json(value);
    printf("%s%s\n", indent, text ? text : "");
    free(text);
}

static void print_member(const char *key, const json_t *value)
{
    json_t *name = json_string(key);
    char *text = format_json(name);
    printf("%-18s ", text ? text : "");
    free(text);
    json_decref(name);
    bool is_table = json_is_object(json_array_get(value, 0));
    if (json_object_size(value) > 0) {
        const char *part;
        json_t *inner;
        printf("\n");
        json_object_foreach((json_t *)value, part, inner)
        {
            json_t *word = json_string(part);
            char *label = format_json(word), indent[80];
            snprintf(indent, sizeof indent, "  %-16s ", label ? label : "");
            print_json(indent, inner);
            free(label);
            json_decref(word);
        }
        return;
    }
    if (is_table)
        printf("%zu:\n", json_array_size(value));
    else
        print_json("", value);
    for (size_t i = 0; is_table && i < json_array_size(value); ++i) print_json("  ", json_array_get(value, i));
}

static bool describe_json(const char *path, couFaults *faults)
{
    json_t *json = couReadJson(path, 1 << 26, faults);
    if (!json) return false;
    printf("%s:\n", path);
    const char *key;
    json_t *value;
    json_object_foreach(json, key, value) print_member(key, value);
    for (size_t i = 0; i < json_array_size(json); ++i) print_json("", json_array_get(json, i));
    json_decref(json);
    return true;
}

static bool describe_csv(const char *path, couFaults *faults)
{
    size_t size = 0;
    char *text = couReadFile(path, (size_t)1 << 30, &size, faults);
    if (!text) return false;
    bool is_ours = strncmp(text, "frame,time,", 11) == 0;
    if (!is_ours) couFaults_Add(faults, path, NULL, "is not a diagnostics.csv: its first line does not begin with frame,time");
    size_t rows = 0;
    const char *last = NULL, *header = text;
    for (char *line = text; is_ours && line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (line != header) ++rows;
        last = line;
    }
    if (is_ours) {
        printf("%s: diagnostics of %zu frames\ncolumns    %.*s\n", path, rows, (int)strcspn(header, "\r\n"), header);
        if (rows > 0) printf("last row   %.*s\n", (int)strcspn(last, "\r\n"), last);
    }
    free(text);
    return is_ours;
}

static int count_files(const char *folder, const char *beginning, const char *ending)
{
    DIR *directory = opendir(folder);
    int count = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (strncmp(entry->d_name, beginning, strlen(beginning)) == 0 && has_ending(entry->d_name, ending)) ++count;
    if (directory) closedir(directory);
    return count;
}

static bool describe_folder(const char *folder, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    struct stat status;
    couJoin(path, folder, "run.json");
    bool has_json = stat(path, &status) == 0;
    int vtp = count_files(folder, "particles_", ".vtp"), ply = count_files(folder, "particles_", ".ply");
    bool is_good = true;
    if (has_json) is_good = describe_json(path, faults);
    printf("%s: %d .vtp frames, %d .ply frames\n", folder, vtp, ply);
    bool has_checkpoint = stat(couJoin(path, folder, "checkpoint.h5"), &status) == 0;
    if (has_checkpoint) is_good = describe_checkpoint(path, faults) && is_good;
    if (!has_json && !has_checkpoint && vtp + ply == 0) {
        couFaults_Add(faults, folder, NULL, "holds no run of Coulis");
        return false;
    }
    return is_good;
}

static bool describe(const char *path, couFaults *faults)
{
    struct stat status;
    if (strlen(path) >= COU_FOLDER_SIZE) {
        couFaults_Add(faults, NULL, NULL, "the path is longer than %d bytes", COU_FOLDER_SIZE - 1);
        return false;
    }
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return describe_folder(path, faults);
    if (couIsMeshFile(path)) return describe_mesh(path, faults);
    if (has_ending(path, ".vtp") || has_ending(path, ".vtu") || has_ending(path, ".vtk") || has_ending(path, ".ply"))
        return describe_frame(path, faults);
    if (has_ending(path, ".h5")) return describe_checkpoint(path, faults);
    if (has_ending(path, ".json")) return describe_json(path, faults);
    if (has_ending(path, ".csv")) return describe_csv(path, faults);
    if (stat(path, &status) != 0)
        couFaults_Add(faults, path, NULL, "cannot be read: %s", strerror(errno));
    else if (has_ending(path, ".lua"))
        couFaults_Add(faults, path, NULL, "is a scene; coulis check describes scenes");
    else
        couFaults_Add(
            faults, path, NULL,
            "is of no known kind: .vtp, .vtu, .vtk, .ply, .h5, .json, .csv, .obj, .stl, .gltf, .glb, .3ds or a run's folder");
    return false;
}

int couCommandInfo(int argc, char **argv)
{
    couCommand command = {
        .name = "info",
        .usage = "FILE...",
        .help = "what a file or folder of a run, or a mesh, holds",
        .min_operands = 1,
        .max_operands = 1 << 20,
        .notes =
            "FILE is a frame (.vtp, .vtu, .vtk, .ply), a checkpoint (.h5), run.json, diagnostics.csv, a run's folder, or a mesh\n"
            "(.obj, .ply with faces, .stl, .gltf, .glb, .3ds).\n"
            "Checkpoints are read in full: a damaged one is found.\n"};
    couTexts operands = {0};
    couFaults faults = {0};
    bool has_helped = couParseOptions(&command, argc, argv, &operands, &faults);
    if (!has_helped && faults.count == 0)
        for (int i = 0; i < operands.count; ++i) describe(operands.items[i], &faults);
    couTexts_Clear(&operands);
    return faults.count > 0 ? couFail(&faults, cou_exitBadInput) : cou_exitWell;
}
