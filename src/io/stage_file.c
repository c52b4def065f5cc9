// stage.json, written and read. What is automatic in the scene is null in the file: whoever draws decides, as the scene's pages
// say.
#include "io/stage_file.h"

#include "base/base.h"
#include "files/file.h"
#include "files/json.h"
#include "files/text.h"

#include <stdlib.h>

enum { max_entries = 1 << 20, max_stage_bytes = 1 << 29 };

// --- Lists -------------------------------------------------------------------------------------------------------------------

// The room doubles whenever the count is a power of two.
static void *add_entry(void **list, int *count, size_t size)
{
    if ((*count & (*count - 1)) == 0) {
        void *larger = *count < max_entries ? realloc(*list, COU_MAX(2 * (size_t)*count, 1) * size) : NULL;
        if (larger == NULL) return NULL;
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

static void print_body(FILE *stream, const couStageFileBody *body)
{
    fputs("\"name\": ", stream);
    couPrintJsonText(stream, body->name);
    fprintf(stream, ", \"index\": %d, \"first_frame\": %d, \"is_moving\": %s, \"mesh\": ", body->index, body->first_frame,
            body->is_moving ? "true" : "false");
    if (body->mesh[0] != '\0')
        couPrintJsonText(stream, body->mesh);
    else
        fputs("null", stream);
    print_look(stream, &body->look);
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

static bool is_key(const couJson *json, const char *key) { return strcmp(json->key, key) == 0; }

static couVec3 read_vector(const couJson *json)
{
    double v[3];
    couJson_Numbers(json, v, 3);
    return (couVec3){(float)v[0], (float)v[1], (float)v[2]};
}

static void read_look(const couJson *json, couLook *look)
{
    float number = (float)couJson_Number(json);
    if (is_key(json, "color")) look->color = read_vector(json);
    if (is_key(json, "opacity")) look->opacity = number;
    if (is_key(json, "absorption")) look->absorption = read_vector(json);
    if (is_key(json, "scattering")) look->scattering = number;
    if (is_key(json, "refraction")) look->refraction = number;
    if (is_key(json, "roughness")) look->roughness = number;
    if (is_key(json, "metalness")) look->metalness = number;
}

static int read_int(const couJson *json)
{
    double number = couJson_Number(json);
    return number >= 0 && number < 1e9 ? (int)number : 0;
}

static bool read_material(couStageFile *stage, couJson json)
{
    couStageFileMaterial *material = couStageFile_AddMaterial(stage);
    while (material != NULL && couJson_Next(&json)) {
        if (is_key(&json, "name")) couJson_Text(&json, material->name, sizeof material->name);
        if (is_key(&json, "density")) material->density = (float)couJson_Number(&json);
        if (is_key(&json, "viscosity")) material->viscosity = (float)couJson_Number(&json);
        read_look(&json, &material->look);
    }
    return material != NULL && !json.is_broken;
}

// A mesh is a file of this folder, wherever the text comes from.
static bool is_safe(const char *mesh) { return mesh[0] != '/' && strstr(mesh, "..") == NULL; }

static bool read_body(couStageFile *stage, couJson json)
{
    couStageFileBody *body = couStageFile_AddBody(stage);
    while (body != NULL && couJson_Next(&json)) {
        if (is_key(&json, "name")) couJson_Text(&json, body->name, sizeof body->name);
        if (is_key(&json, "index")) body->index = read_int(&json);
        if (is_key(&json, "first_frame")) body->first_frame = read_int(&json);
        if (is_key(&json, "is_moving")) body->is_moving = json.value_length == 4;
        if (is_key(&json, "mesh")) couJson_Text(&json, body->mesh, sizeof body->mesh);
        read_look(&json, &body->look);
    }
    return body != NULL && !json.is_broken && is_safe(body->mesh);
}

static bool read_camera(couStageFile *stage, couJson json)
{
    couStageFileCamera *camera = couStageFile_AddCamera(stage);
    while (camera != NULL && couJson_Next(&json)) {
        if (is_key(&json, "time")) camera->time = couJson_Number(&json);
        if (is_key(&json, "from")) camera->from = read_vector(&json);
        if (is_key(&json, "to")) camera->to = read_vector(&json);
        if (is_key(&json, "fov")) camera->fov = (float)couJson_Number(&json);
        if (is_key(&json, "aperture")) camera->aperture = (float)couJson_Number(&json);
        if (is_key(&json, "focus")) camera->focus = (float)couJson_Number(&json);
    }
    return camera != NULL && !json.is_broken;
}

static bool read_list(couStageFile *stage, const couJson *json, bool (*read)(couStageFile *stage, couJson json))
{
    couJson list = couJson_Inner(json);
    while (couJson_Next(&list))
        if (*list.value != '{' || !read(stage, couJson_Inner(&list))) return false;
    return !list.is_broken;
}

static bool read_members(couStageFile *stage, const char *text)
{
    couJson json = {.text = text};
    bool is_good = true;
    while (is_good && couJson_Next(&json)) {
        if (is_key(&json, "scene")) couJson_Text(&json, stage->scene, sizeof stage->scene);
        if (is_key(&json, "dimension")) stage->dimension = read_int(&json);
        if (is_key(&json, "spacing")) stage->spacing = (float)couJson_Number(&json);
        if (is_key(&json, "fps")) stage->fps = couJson_Number(&json);
        if (is_key(&json, "materials")) is_good = read_list(stage, &json, read_material);
        if (is_key(&json, "bodies")) is_good = read_list(stage, &json, read_body);
        if (is_key(&json, "cameras")) is_good = read_list(stage, &json, read_camera);
    }
    return is_good && !json.is_broken;
}

bool couReadStage(const char *path, couStageFile *stage, couFaults *faults)
{
    *stage = (couStageFile){0};
    char *text = couReadFile(path, max_stage_bytes, NULL, faults);
    if (text == NULL) return false;
    bool is_good = read_members(stage, text);
    free(text);
    is_good = is_good && (stage->dimension == 2 || stage->dimension == 3) && stage->spacing > 0.0f && stage->fps > 0.0 &&
              isfinite(stage->spacing) && isfinite(stage->fps);
    if (is_good) return true;
    couFaults_Add(faults, path, NULL, "is damaged: no JSON, or without dimension, spacing and fps that can be");
    couStageFile_Clear(stage);
    return false;
}
