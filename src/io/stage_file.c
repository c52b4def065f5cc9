// stage.json, written and read. What is automatic in the scene is null in the file: whoever draws decides, as the scene's pages
// say.
#include "io/stage_file.h"

#include "base/base.h"
#include "files/file.h"
#include "files/json.h"
#include "files/text.h"

#include <stdlib.h>

// 64 MiB are some 200,000 bodies.
enum { max_entries = 1 << 20, max_stage_bytes = 1 << 26 };
static const char too_many[] = "there are too many for the memory";

// --- Lists -------------------------------------------------------------------------------------------------------------------

// The room doubles whenever the count is a power of two.
static void *add_entry(void **list, int *count, size_t size)
{
    if ((*count & (*count - 1)) == 0) {
        void *larger = *count < max_entries ? realloc(*list, COU_MAX(2 * (size_t)*count, 1) * size) : NULL;
        if (!larger) return NULL;
        *list = larger;
    }
    return memset((char *)*list + (size_t)(*count)++ * size, 0, size);
}

couStageFileMaterial *couStageFile_AddMaterial(couStageFile *stage)
{
    void *list = stage->materials, *entry = add_entry(&list, &stage->material_count, sizeof *stage->materials);
    stage->materials = list;
    return entry;
}

couStageFileBody *couStageFile_AddBody(couStageFile *stage)
{
    void *list = stage->bodies, *entry = add_entry(&list, &stage->body_count, sizeof *stage->bodies);
    stage->bodies = list;
    return entry;
}

couStageFileSolid *couStageFile_AddSolid(couStageFile *stage)
{
    void *list = stage->solids, *entry = add_entry(&list, &stage->solid_count, sizeof *stage->solids);
    stage->solids = list;
    return entry;
}

couStageFileCamera *couStageFile_AddCamera(couStageFile *stage)
{
    void *list = stage->cameras, *entry = add_entry(&list, &stage->camera_count, sizeof *stage->cameras);
    stage->cameras = list;
    return entry;
}

void couStageFile_Clear(couStageFile *stage)
{
    free(stage->materials);
    free(stage->bodies);
    free(stage->solids);
    free(stage->cameras);
    *stage = (couStageFile){0};
}

// --- Writing -----------------------------------------------------------------------------------------------------------------

static void print_number(FILE *stream, float value)
{
    if (isfinite(value))
        couPrintFloat(stream, value);
    else
        fputs("null", stream);
}

static void print_member(FILE *stream, const char *key, float value)
{
    fprintf(stream, ", \"%s\": ", key);
    print_number(stream, value);
}

static void print_vector(FILE *stream, const char *key, couVec3 v)
{
    fprintf(stream, ", \"%s\": [", key);
    print_number(stream, v.x);
    fputs(", ", stream);
    print_number(stream, v.y);
    fputs(", ", stream);
    print_number(stream, v.z);
    fputc(']', stream);
}

static void print_look(FILE *stream, const couLook *look)
{
    print_vector(stream, "color", look->color);
    print_member(stream, "opacity", look->opacity);
    print_vector(stream, "absorption", look->absorption);
    print_member(stream, "scattering", look->scattering);
    print_member(stream, "refraction", look->refraction);
    print_member(stream, "roughness", look->roughness);
    print_member(stream, "metalness", look->metalness);
}

static void print_material(FILE *stream, const couStageFileMaterial *material)
{
    fputs("\"name\": ", stream);
    couPrintJsonText(stream, material->name);
    print_member(stream, "density", material->density);
    print_member(stream, "viscosity", material->viscosity);
    print_look(stream, &material->look);
}

static void print_mesh(FILE *stream, const char *mesh)
{
    fputs(", \"mesh\": ", stream);
    if (mesh[0] != '\0')
        couPrintJsonText(stream, mesh);
    else
        fputs("null", stream);
}

static void print_body(FILE *stream, const couStageFileBody *body)
{
    fputs("\"name\": ", stream);
    couPrintJsonText(stream, body->name);
    fprintf(stream, ", \"index\": %d, \"first_frame\": %d, \"is_moving\": %s", body->index, body->first_frame,
            body->is_moving ? "true" : "false");
    print_mesh(stream, body->mesh);
    print_look(stream, &body->look);
}

static void print_solid(FILE *stream, const couStageFileSolid *solid)
{
    fputs("\"name\": ", stream);
    couPrintJsonText(stream, solid->name);
    fprintf(stream, ", \"first_point\": %d, \"point_count\": %d", solid->first_point, solid->point_count);
    print_mesh(stream, solid->mesh);
    print_look(stream, &solid->look);
}

static void print_camera(FILE *stream, const couStageFileCamera *camera)
{
    fputs("\"time\": ", stream);
    couPrintJsonNumber(stream, camera->time);
    print_vector(stream, "from", camera->from);
    print_vector(stream, "to", camera->to);
    print_member(stream, "fov", camera->fov);
    print_member(stream, "aperture", camera->aperture);
    print_member(stream, "focus", camera->focus);
}

bool couWriteStage(const char *path, const couStageFile *stage, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    FILE *stream = file.stream;
    fputs("{\n  \"scene\": ", stream);
    couPrintJsonText(stream, stage->scene);
    fprintf(stream, ",\n  \"dimension\": %d,\n  \"spacing\": ", stage->dimension);
    print_number(stream, stage->spacing);
    fputs(",\n  \"fps\": ", stream);
    couPrintJsonNumber(stream, stage->fps);
    fputs(",\n  \"materials\": [", stream);
    for (int i = 0; i < stage->material_count; ++i) {
        fputs(i > 0 ? ",\n    {" : "\n    {", stream);
        print_material(stream, &stage->materials[i]);
        fputc('}', stream);
    }
    fputs("\n  ],\n  \"bodies\": [", stream);
    for (int i = 0; i < stage->body_count; ++i) {
        fputs(i > 0 ? ",\n    {" : "\n    {", stream);
        print_body(stream, &stage->bodies[i]);
        fputc('}', stream);
    }
    fputs("\n  ],\n  \"solids\": [", stream);
    for (int i = 0; i < stage->solid_count; ++i) {
        fputs(i > 0 ? ",\n    {" : "\n    {", stream);
        print_solid(stream, &stage->solids[i]);
        fputc('}', stream);
    }
    fputs("\n  ],\n  \"cameras\": [", stream);
    for (int i = 0; i < stage->camera_count; ++i) {
        fputs(i > 0 ? ",\n    {" : "\n    {", stream);
        print_camera(stream, &stage->cameras[i]);
        fputc('}', stream);
    }
    fputs("\n  ]\n}\n", stream);
    return couFile_Commit(&file, faults);
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

// What is not there is 0, but where it may be automatic.
static double read_number(const json_t *json, const char *key)
{
    double number = couJson_Number(json, key);
    return isnan(number) ? 0.0 : number;
}

static couVec3 read_vector(const json_t *json, const char *key)
{
    couVec3 v = couJson_Vector(json, key);
    return (couVec3){isnan(v.x) ? 0.0f : v.x, isnan(v.y) ? 0.0f : v.y, isnan(v.z) ? 0.0f : v.z};
}

static int read_int(const json_t *json, const char *key)
{
    double number = couJson_Number(json, key);
    return number >= 0 && number < 1e9 ? (int)number : 0;
}

static couLook read_look(const json_t *json)
{
    return (couLook){.color = read_vector(json, "color"),
                     .opacity = (float)read_number(json, "opacity"),
                     .absorption = couJson_Vector(json, "absorption"),
                     .scattering = (float)read_number(json, "scattering"),
                     .refraction = (float)read_number(json, "refraction"),
                     .roughness = (float)couJson_Number(json, "roughness"),
                     .metalness = (float)read_number(json, "metalness")};
}

static const char *read_material(couStageFile *stage, const json_t *json)
{
    couStageFileMaterial *material = couStageFile_AddMaterial(stage);
    if (!material) return too_many;
    couJson_Text(json, "name", material->name, sizeof material->name);
    material->density = (float)read_number(json, "density");
    material->viscosity = (float)read_number(json, "viscosity");
    material->look = read_look(json);
    return NULL;
}

// Wherever the text comes from.
static const char *check_mesh(const char *mesh)
{
    return mesh[0] != '/' && !strstr(mesh, "..") ? NULL : "its mesh is not a file of this folder";
}

static const char *read_body(couStageFile *stage, const json_t *json)
{
    couStageFileBody *body = couStageFile_AddBody(stage);
    if (!body) return too_many;
    couJson_Text(json, "name", body->name, sizeof body->name);
    body->index = read_int(json, "index");
    body->first_frame = read_int(json, "first_frame");
    body->is_moving = json_is_true(json_object_get(json, "is_moving"));
    couJson_Text(json, "mesh", body->mesh, sizeof body->mesh);
    body->look = read_look(json);
    return check_mesh(body->mesh);
}

static const char *read_solid(couStageFile *stage, const json_t *json)
{
    couStageFileSolid *solid = couStageFile_AddSolid(stage);
    if (!solid) return too_many;
    couJson_Text(json, "name", solid->name, sizeof solid->name);
    solid->first_point = read_int(json, "first_point");
    solid->point_count = read_int(json, "point_count");
    couJson_Text(json, "mesh", solid->mesh, sizeof solid->mesh);
    solid->look = read_look(json);
    return solid->point_count > 0 ? check_mesh(solid->mesh) : "it has no points";
}

static const char *read_camera(couStageFile *stage, const json_t *json)
{
    couStageFileCamera *camera = couStageFile_AddCamera(stage);
    if (!camera) return too_many;
    *camera = (couStageFileCamera){.time = read_number(json, "time"),
                                   .from = read_vector(json, "from"),
                                   .to = read_vector(json, "to"),
                                   .fov = (float)read_number(json, "fov"),
                                   .aperture = (float)read_number(json, "aperture"),
                                   .focus = (float)read_number(json, "focus")};
    return NULL;
}

// Reads one entry; what is wrong with it, or NULL.
typedef const char *read_fcn(couStageFile *stage, const json_t *json);

static bool read_list(couStageFile *stage, const json_t *json, const char *key, read_fcn *read, const char *path,
                      couFaults *faults)
{
    const json_t *list = json_object_get(json, key);
    for (size_t i = 0; i < json_array_size(list); ++i) {
        const json_t *entry = json_array_get(list, i);
        const char *trouble = json_is_object(entry) ? read(stage, entry) : "it is not an object";
        if (!trouble) continue;
        couFaults_Add(faults, path, NULL, "is damaged: %s[%zu]: %s", key, i, trouble);
        return false;
    }
    return true;
}

static bool read_stage(couStageFile *stage, const json_t *json, const char *path, couFaults *faults)
{
    couJson_Text(json, "scene", stage->scene, sizeof stage->scene);
    stage->dimension = read_int(json, "dimension");
    stage->spacing = (float)couJson_Number(json, "spacing");
    stage->fps = couJson_Number(json, "fps");
    bool can_be = (stage->dimension == 2 || stage->dimension == 3) && stage->spacing > 0.0f && stage->fps > 0.0 &&
                  isfinite(stage->spacing) && isfinite(stage->fps);
    if (!can_be) couFaults_Add(faults, path, NULL, "is damaged: dimension must be 2 or 3, spacing and fps above 0");
    return can_be && read_list(stage, json, "materials", read_material, path, faults) &&
           read_list(stage, json, "bodies", read_body, path, faults) &&
           read_list(stage, json, "solids", read_solid, path, faults) &&
           read_list(stage, json, "cameras", read_camera, path, faults);
}

bool couReadStage(const char *path, couStageFile *stage, couFaults *faults)
{
    *stage = (couStageFile){0};
    json_t *json = couReadJson(path, max_stage_bytes, faults);
    bool is_good = json && read_stage(stage, json, path, faults);
    json_decref(json);
    if (!is_good) couStageFile_Clear(stage);
    return is_good;
}
