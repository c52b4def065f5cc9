// coulis run DIR/run.json: the run that this file tells of, once more. It has the arguments, and DIR/scene the scene as it was
// read then; what the copy comes to must be what run.json says of it, or the repeat would be another run. Only where it goes and
// what is made of it can be chosen anew.
#include "app/run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_BYTES ((size_t)1 << 26)

bool couIsRunJson(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

// 16 hexadecimal digits; false with a fault.
static bool read_hash(const json_t *json, const char *path, const char *key, uint64_t *hash, couFaults *faults)
{
    const char *text = json_string_value(json_object_get(json, key));
    if (text && strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16) {
        *hash = strtoull(text, NULL, 16);
        return true;
    }
    couFaults_Add(faults, path, key, "%s: expected a text of 16 hexadecimal digits", text ? "is damaged" : "is missing");
    return false;
}

// The scene's own name in DIR/scene; NULL with a fault. It must not lead elsewhere.
static const char *read_scene_name(const json_t *json, const char *path, couFaults *faults)
{
    const json_t *files = json_object_get(json, "scene_files");
    const char *name = json_string_value(json_array_get(files, 0));
    if (!files)
        couFaults_Add(faults, path, "scene_files", "is missing: the run was made by a Coulis that kept no copy of the scene");
    else if (!name || !name[0] || name[0] == '.' || strchr(name, '/') || strlen(name) > 255)
        couFaults_Add(faults, path, "scene_files", "is damaged: expected the names of the files in scene/, the scene's first");
    else
        return name;
    return NULL;
}

// The arguments as lines of one text, to be freed; NULL with a fault.
static char *join_arguments(const json_t *json, const char *path, couFaults *faults)
{
    const json_t *list = json_object_get(json, "arguments");
    char *text = NULL;
    size_t size = 0;
    bool is_good = json_is_array(list) && json_array_size(list) > 0;
    for (size_t i = 0; is_good && i < json_array_size(list); ++i) {
        const char *line = json_string_value(json_array_get(list, i));
        is_good = line && line[0] && !strchr(line, '\n');
    }
    if (!is_good) {
        couFaults_Add(faults, path, "arguments", "%s: expected a list of texts, one for each argument",
                      list ? "is damaged" : "is missing");
        return NULL;
    }
    FILE *stream = open_memstream(&text, &size);
    for (size_t i = 0; stream && i < json_array_size(list); ++i)
        fprintf(stream, "%s\n", json_string_value(json_array_get(list, i)));
    if (stream && fclose(stream) == 0) return text;
    couFaults_Add(faults, path, NULL, "no memory");
    return NULL;
}

// Options that would make it another run.
static void refuse_changes(const couRunOptions *o, couFaults *faults)
{
    static const char where[] = "coulis run", message[] = "would make it another run than the one of run.json; run the scene "
                                                          "itself, its copy is beside it in scene/";
    if (o->method) couFaults_Add(faults, where, "--method", "%s", message);
    if (o->sets.count > 0) couFaults_Add(faults, where, "--set", "%s", message);
    if (!isnan(o->fps)) couFaults_Add(faults, where, "--fps", "%s", message);
    if (!isnan(o->seconds)) couFaults_Add(faults, where, "--seconds", "%s", message);
    if (o->frames >= 0) couFaults_Add(faults, where, "--frames", "%s", message);
    if (o->resume) couFaults_Add(faults, where, "--resume", "a run is repeated from its start: give the run's folder alone");
}

static bool read_frames(const json_t *json, const char *path, int *frames, couFaults *faults)
{
    const json_t *value = json_object_get(json, "frames");
    if (json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= COU_MAX_FRAMES) {
        *frames = (int)json_integer_value(value);
        return true;
    }
    couFaults_Add(faults, path, "frames", "%s: expected a whole number from 0 to %d", value ? "is damaged" : "is missing",
                  COU_MAX_FRAMES);
    return false;
}

// FOLDER-repeat, or the next with a number that is not there yet.
static char *new_folder(const char *folder)
{
    char *name = malloc(COU_PATH_SIZE);
    struct stat status;
    int length = (int)strlen(folder);
    while (length > 1 && folder[length - 1] == '/') --length;
    bool is_here = strcmp(folder, ".") == 0;
    for (int number = 1; name; ++number) {
        char suffix[24] = "";
        if (number > 1) snprintf(suffix, sizeof suffix, "-%d", number);
        snprintf(name, COU_PATH_SIZE, "%.*s%srepeat%s", is_here ? 0 : length, folder, is_here ? "" : "-", suffix);
        if (lstat(name, &status) != 0) break;
    }
    return name;
}

// Takes the old run's arguments over, but for its scene and folder. `text` is the options' from here on.
static bool take_arguments(couRunOptions *o, char *text, int frames, const char *path, couFaults *faults)
{
    couRunOptions old = {0};
    couFaults found = {0};
    couParseCommand(&old, text, &found);
    if (found.count > 0)
        couFaults_Add(faults, path, "arguments", "are damaged: %s: %s", found.items[0].key, found.items[0].message);
    bool is_good = found.count == 0;
    couFaults_Clear(&found);
    old.frames = frames;
    old.scene = NULL;
    o->scene = NULL;
    if (is_good) couInheritOptions(o, &old);
    old.old_command = NULL;
    couFreeRunOptions(&old);
    o->old_command = text; // which the options point into
    return is_good;
}

static bool take_run(couRunOptions *o, const json_t *json, const char *path, const char *folder, couFaults *faults)
{
    int before = faults->count, frames = 0;
    if (!json_is_object(json)) {
        couFaults_Add(faults, path, NULL, "is not the run.json of a run: it is a list");
        return false;
    }
    if (json_is_true(json_object_get(json, "is_altered")))
        couFaults_Add(faults, path, "is_altered", "the run went on with a changed scene (--force): it cannot be repeated");
    read_hash(json, path, "state_hash", &o->state_hash, faults);
    read_hash(json, path, "scene_hash", &o->scene_hash, faults);
    read_frames(json, path, &frames, faults);
    const char *name = read_scene_name(json, path, faults);
    char *text = join_arguments(json, path, faults);
    if (faults->count > before || !text) {
        free(text);
        return false;
    }
    if (!take_arguments(o, text, frames, path, faults)) return false;
    char version[32], commit[64], compiler[80];
    couJson_Text(json, "version", version, sizeof version);
    couJson_Text(json, "commit", commit, sizeof commit);
    couJson_Text(json, "compiler", compiler, sizeof compiler);
    snprintf(o->built_by, sizeof o->built_by, "coulis %s, commit %s, %s", version, commit, compiler);
    o->repeated_scene = malloc(COU_PATH_SIZE);
    if (o->repeated_scene) snprintf(o->repeated_scene, COU_PATH_SIZE, "%s/scene/%s", folder, name);
    o->scene = o->repeated_scene;
    return o->scene;
}

bool couReadRepeat(couRunOptions *o, couFaults *faults)
{
    char folder[COU_FOLDER_SIZE];
    const char *path = o->scene, *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    if (!folder[0]) strcpy(folder, "/");
    refuse_changes(o, faults);
    o->repeats = path;
    if (o->out && couIsSameFolder(o->out, folder))
        couFaults_Add(faults, "coulis run", "--out", "is the folder of the run that is to be repeated: give another");
    if (!o->out) o->out = o->repeated_folder = new_folder(folder);
    couFaults own = {0};
    json_t *json = couReadJson(path, MAX_BYTES, &own);
    bool is_good = json && take_run(o, json, path, folder, &own);
    for (int i = 0; i < own.count; ++i) couFaults_Add(faults, own.items[i].where, own.items[i].key, "%s", own.items[i].message);
    couFaults_Clear(&own);
    json_decref(json);
    return is_good;
}
