// What a run was made of: copies of the scene's files in FOLDER/scene, and for run.json version, compiler, command and every
// parameter with the value that it had when the run began. `coulis run FOLDER/run.json` repeats the run from these (repeat.c).
#include "app/run.h"
#include "base/base.h"
#include "files/file.h"
#include "files/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// --- The scene's files -------------------------------------------------------------------------------------------------------

static bool copy_stream(FILE *from, const char *from_path, couFile *to, couFaults *faults)
{
    char block[1 << 16];
    size_t size;
    while ((size = fread(block, 1, sizeof block, from)) > 0) couFile_Write(to, block, size);
    if (!ferror(from)) return couFile_Commit(to, faults);
    couFaults_Add(faults, from_path, NULL, "cannot be read: %s", strerror(errno));
    couFile_Discard(to);
    return false;
}

static bool copy_file(couRun *run, const couSceneFile *file)
{
    char name[sizeof file->name + 8], path[COU_PATH_SIZE + sizeof name], folder[sizeof path];
    snprintf(name, sizeof name, "scene/%s", file->name);
    snprintf(path, sizeof path, "%s/%s", run->folder, name);
    if (run->is_in_place && couIsSameFolder(path, file->path)) return true; // the copy itself
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    couFile to;
    if (!couManifest_Claim(&run->manifest, name, &run->faults) || !couMakeFolder(folder, &run->faults)) return false;
    FILE *from = couOpenFile(file->path, &run->faults);
    bool is_good = from && couFile_Create(&to, path, &run->faults) && copy_stream(from, file->path, &to, &run->faults);
    if (from) fclose(from);
    return is_good;
}

bool couRun_CopyScene(couRun *run)
{
    int count = 0;
    const couSceneFile *files = couScene_Files(run->scene, &count);
    bool is_good = true;
    for (int i = 0; is_good && i < count; ++i) is_good = copy_file(run, &files[i]);
    return is_good;
}

// --- Parameters --------------------------------------------------------------------------------------------------------------

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : isnan(value) ? json_string("auto") : json_null();
}

// As few digits as the field has: a float's 0.1 is no 0.10000000149.
static json_t *field_number(const couParam *param, double value)
{
    char text[cou_floatTextSize];
    if (param->type == cou_paramInt) return json_integer((json_int_t)value);
    if (param->type == cou_paramDouble || !isfinite(value)) return number(value);
    couFormatFloat(text, (float)value);
    return number(strtod(text, NULL));
}

static json_t *describe_field(const couParam *param, const void *def)
{
    double values[3] = {0};
    char text[128];
    if (param->type == cou_paramChoice || param->type == cou_paramName) {
        couParam_FormatValue(param, def, text, sizeof text);
        return json_string(text);
    }
    int count = couParam_GetNumbers(param, def, values);
    if (param->type == cou_paramBool) return json_boolean(values[0] != 0.0);
    if (count == 1) return field_number(param, values[0]);
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) json_array_append_new(list, field_number(param, values[i]));
    return list;
}

static json_t *describe_def(const couParamTable *params, const void *def, const char *name)
{
    json_t *object = json_object();
    if (name && name[0]) json_object_set_new(object, "name", json_string(name));
    for (int i = 0; i < params->count; ++i)
        json_object_set_new(object, params->params[i].name, describe_field(&params->params[i], def));
    return object;
}

// The world's own, the method's, and those of all that is in it.
static json_t *describe_parameters(couWorld *world)
{
    const couWorldDef *def = couWorld_Def(world);
    const couParamTable *method = couMethodParams(def->method);
    json_t *all = json_object(), *lists[6];
    static const char *const names[] = {"materials", "bodies", "emitters", "sinks", "fields", "blowers"};
    for (int i = 0; i < COU_COUNT(lists); ++i) lists[i] = json_array();
    json_object_set_new(all, "scene", describe_def(couWorldParams(), def, NULL));
    json_object_set_new(all, method->name, describe_def(method, couWorld_MethodParams(world), NULL));
    for (int i = 0; i < couWorld_MaterialCount(world); ++i) {
        const couMaterialDef *material = couWorld_Material(world, couWorld_MaterialAt(world, i));
        json_t *entry = describe_def(couMaterialParams(), material, material->name);
        json_object_set_new(entry, "particle_mass", number((double)couWorld_ParticleMass(world, i)));
        json_array_append_new(lists[0], entry);
    }
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        const couBodyDef *body = couWorld_Body(world, couWorld_BodyAt(world, i));
        if (body) json_array_append_new(lists[1], describe_def(couBodyParams(), body, body->name));
    }
    for (int i = 0; i < couWorld_EmitterCount(world); ++i) {
        const couEmitterDef *emitter = couWorld_Emitter(world, couWorld_EmitterAt(world, i));
        if (emitter) json_array_append_new(lists[2], describe_def(couEmitterParams(), emitter, emitter->name));
    }
    for (int i = 0; i < couWorld_SinkCount(world); ++i) {
        const couSinkDef *sink = couWorld_Sink(world, couWorld_SinkAt(world, i));
        if (sink) json_array_append_new(lists[3], describe_def(couSinkParams(), sink, NULL));
    }
    for (int i = 0; i < couWorld_FieldCount(world); ++i) {
        const couFieldDef *field = couWorld_Field(world, couWorld_FieldAt(world, i));
        if (field) json_array_append_new(lists[4], describe_def(couFieldParams(), field, NULL));
    }
    for (int i = 0; i < couWorld_BlowerCount(world); ++i) {
        const couBlowerDef *blower = couWorld_Blower(world, couWorld_BlowerAt(world, i));
        if (blower) json_array_append_new(lists[5], describe_def(couBlowerParams(), blower, blower->name));
    }
    for (int i = 0; i < COU_COUNT(lists); ++i) json_object_set_new(all, names[i], lists[i]);
    return all;
}

// --- The whole ---------------------------------------------------------------------------------------------------------------

static json_t *split_lines(const char *text)
{
    json_t *list = json_array();
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        size_t length = strcspn(text, "\n");
        if (length > 0) json_array_append_new(list, json_stringn(text, length));
    }
    return list;
}

// The lines of command.txt.
static json_t *describe_arguments(const couRun *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    couPrintCommand(&run->options, run->total, run->fps, stream);
    json_t *list = fclose(stream) == 0 ? split_lines(text) : NULL;
    free(text);
    return list;
}

static json_t *hash_text(uint64_t hash) { return json_sprintf("%016llx", (unsigned long long)hash); }

json_t *couRun_Describe(couRun *run, int argc, char **argv)
{
    json_t *all = json_object(), *command = json_array(), *sets = json_array(), *names = json_array();
    char date[32];
    int count = 0;
    const couSceneFile *files = couScene_Files(run->scene, &count);
    json_array_append_new(command, json_string("coulis"));
    for (int i = 0; i < argc; ++i) json_array_append_new(command, json_string(argv[i]));
    for (int i = 0; i < run->options.sets.count; ++i) json_array_append_new(sets, json_string(run->options.sets.items[i]));
    for (int i = 0; i < count; ++i) json_array_append_new(names, json_string(files[i].name));
    json_object_set_new(all, "title", json_string(couScene_Title(run->scene)));
    json_object_set_new(all, "version", json_string(COU_VERSION));
    json_object_set_new(all, "commit", json_string(couBuildCommit()));
    json_object_set_new(all, "compiler", json_string(couBuildCompiler()));
    json_object_set_new(all, "date", json_string(couFormatDate(date, sizeof date)));
    json_object_set_new(all, "command", command);
    json_object_set_new(all, "set", sets);
    json_object_set_new(all, "fps", number(run->fps));
    json_object_set_new(all, "scene_hash", hash_text(couScene_ContentHash(run->scene)));
    json_object_set_new(all, "scene_files", names);
    json_object_set_new(all, "arguments", describe_arguments(run));
    json_object_set_new(all, "support_radius", number((double)couWorld_SupportRadius(run->world)));
    json_object_set_new(all, "chosen", split_lines(couWorld_Choices(run->world)));
    json_object_set_new(all, "parameters", describe_parameters(run->world));
    if (run->is_altered) json_object_set_new(all, "is_altered", json_true());
    return all;
}
