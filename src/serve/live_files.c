// What a viewer takes home: the state as a checkpoint, the scene with its changes, a session as frames of a run.
#include "serve/live_parts.h"

#include "base/base.h"
#include "coulis/checkpoint.h"
#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void say(couFaults *faults, char *text, size_t size)
{
    if (faults->count > 0) snprintf(text, size, "%s", faults->items[0].message);
    couFaults_Clear(faults);
}

static void send_file(couLive *live, uint32_t client, unsigned number, const char *name, const char *data, size_t size)
{
    couBytes m = {0};
    couTell_Begin(&m, cou_tellFile, number);
    couBytes_U16(&m, (unsigned)strlen(name));
    couBytes_Add(&m, name, strlen(name));
    couBytes_Add(&m, data, size);
    couLive_Send(live, client, m);
}

// The name of the scene without folders and ending.
static void stem_of(const couLive *live, char *stem, size_t size)
{
    const char *slash = strrchr(live->name, '/');
    snprintf(stem, size, "%.60s", slash ? slash + 1 : live->name);
    char *ending = strstr(stem, ".lua");
    if (ending) *ending = '\0';
}

// --- Checkpoints -------------------------------------------------------------------------------------------------------------

// HDF5 writes files: one in the system's folder for such things, which nobody else can read, and away with it.
static bool export_checkpoint(couLive *live, uint32_t client, unsigned number, couFaults *faults)
{
    char folder[] = "/tmp/coulis-view-XXXXXX", path[64], stem[64], name[96];
    couState state = {0};
    size_t size = 0;
    if (!mkdtemp(folder) || !couLive_SaveState(live, &state)) {
        couFaults_Add(faults, NULL, NULL, "no room for the checkpoint");
        return false;
    }
    double fps = couScene_Fps(live->scene), time = couWorld_Time(live->world);
    couCheckpointInfo info = {.scene_hash = couScene_ContentHash(live->scene),
                              .frame = (int)floor(time * fps + 1e-6),
                              .fps = fps,
                              .time = time,
                              .particles = couWorld_Particles(live->world).count};
    snprintf(info.scene, sizeof info.scene, "%s", live->name);
    snprintf(info.method, sizeof info.method, "%s", couWorld_Def(live->world)->method);
    snprintf(path, sizeof path, "%s/checkpoint.h5", folder);
    bool is_good = couWriteCheckpoint(path, &info, &state, faults);
    char *bytes = is_good ? couReadFile(path, (size_t)1 << 30, &size, faults) : NULL;
    couState_Clear(&state);
    unlink(path);
    rmdir(folder);
    stem_of(live, stem, sizeof stem);
    snprintf(name, sizeof name, "%s.h5", stem);
    if (bytes) send_file(live, client, number, name, bytes, size);
    free(bytes);
    return bytes != NULL;
}

// --- Scenes ------------------------------------------------------------------------------------------------------------------

// Numbers and booleans as they are, words in quotes, vectors in braces.
static void add_lua_value(couBytes *m, const couParam *param, const char *value)
{
    if (param->type == cou_paramVec3)
        couBytes_Format(m, "{ %s }", value);
    else if (param->type == cou_paramChoice)
        couBytes_Format(m, "\"%s\"", value);
    else
        couBytes_Format(m, "%s", value);
}

static void add_changes(couLive *live, couBytes *events, couBytes *sets)
{
    couWorld *world = live->world;
    for (unsigned group = 0; group < 2 + (unsigned)couWorld_MaterialCount(world); ++group) {
        const char *method = couWorld_Def(world)->method;
        const couParamTable *table = group == 0 ? couMethodParams(method) : group == 1 ? couWorldParams() : couMaterialParams();
        for (int i = 0; i < table->count; ++i) {
            const couParam *param = &table->params[i];
            const void *def,
                *start = group == 0 ? live->start_params : (const void *)&live->start_materials[group > 1 ? group - 2 : 0];
            if (!couFindKnob(world, group, param->name, &def)) continue;
            couWorldDef now = *couWorld_Def(world);
            now.gravity = couWorld_Gravity(world);
            if (group == 1) def = &now, start = couWorld_Def(world);
            char value[160], old[160];
            couParam_FormatValue(param, def, value, sizeof value);
            couParam_FormatValue(param, start, old, sizeof old);
            if (strcmp(value, old) == 0 || strcmp(value, "auto") == 0) continue; // scenes cannot say auto
            if (group == 0) couBytes_Format(sets, " --set %s.%s=%s", table->name, param->name, value);
            if (group == 1) couBytes_Format(events, "    world:gravity { %s }\n", value);
            if (group < 2) continue;
            couBytes_Format(events, "    world:set(\"%s\", \"%s\", ", live->start_materials[group - 2].name, param->name);
            add_lua_value(events, param, value);
            couBytes_Format(events, ")\n");
        }
    }
}

// The scene's own text with an event at its start that makes the changes. The method's parameters have no words in events: they
// are options of the command that the first line gives.
static bool export_scene(couLive *live, uint32_t client, unsigned number, couFaults *faults)
{
    size_t size = 0;
    char *source = couReadFile(couScene_Path(live->scene), (size_t)1 << 20, &size, faults);
    if (!source) return false;
    couBytes events = {0}, sets = {0}, file = {0};
    char stem[64], name[96];
    stem_of(live, stem, sizeof stem);
    snprintf(name, sizeof name, "%s-changed.lua", stem);
    add_changes(live, &events, &sets);
    couBytes_Format(&file, "-- As changed in the viewer; run it with: coulis run ./%s --method %s%.*s\n", name,
                    couWorld_Def(live->world)->method, (int)sets.count, sets.data ? (const char *)sets.data : "");
    couBytes_Add(&file, source, size);
    if (events.count > 0) {
        couBytes_Format(&file, "\nat(0, function(world)\n%.*send)\n", (int)events.count, (const char *)events.data);
    }
    free(source);
    bool is_good = !file.is_short && !events.is_short && !sets.is_short;
    if (is_good) send_file(live, client, number, name, (const char *)file.data, file.count);
    couBytes_Clear(&events);
    couBytes_Clear(&sets);
    couBytes_Clear(&file);
    return is_good;
}

bool couLive_Export(couLive *live, uint32_t client, unsigned number, couExport what, char *text, size_t size)
{
    couFaults faults = {0};
    bool is_good = what == cou_exportCheckpoint ? export_checkpoint(live, client, number, &faults)
                                                : export_scene(live, client, number, &faults);
    say(&faults, text, size);
    return is_good;
}

// --- Recording ---------------------------------------------------------------------------------------------------------------

bool couLive_Record(couLive *live, bool is_on, char *text, size_t size)
{
    if (!live->def.record_folder) {
        snprintf(text, size, "coulis view --record DIR allows it");
        return false;
    }
    if (!is_on) {
        snprintf(text, size, "%d frames in %s", COU_MAX(live->recorded, 0), live->record_path);
        live->recorded = -1;
        return true;
    }
    if (live->recorded >= 0) return true;
    couFaults faults = {0};
    char stem[64], day[32];
    time_t now = time(NULL);
    struct tm parts;
    stem_of(live, stem, sizeof stem);
    strftime(day, sizeof day, "%Y%m%d-%H%M%S", localtime_r(&now, &parts));
    snprintf(live->record_path, sizeof live->record_path, "%.900s/%s-%s", live->def.record_folder, stem, day);
    bool is_good = couMakeFolder(live->record_path, &faults);
    couFile file;
    char path[1100];
    snprintf(path, sizeof path, "%s/command.txt", live->record_path);
    is_good = is_good && couFile_Create(&file, path, &faults);
    if (is_good) {
        fprintf(file.stream, "--fps=%.17g\n--method=%s\n--\n%s\n", couScene_Fps(live->scene) * live->ticks_per_frame,
                couWorld_Def(live->world)->method, live->name);
        is_good = couFile_Commit(&file, &faults);
    }
    say(&faults, text, size);
    if (is_good) live->recorded = 0;
    return is_good;
}

void couLive_RecordFrame(couLive *live)
{
    char path[1100], text[200];
    couFaults faults = {0};
    couFrame frame = {0};
    snprintf(path, sizeof path, "%s/particles_%06d.vtp", live->record_path, live->recorded + 1);
    bool is_good = couCaptureFrame(live->world, &frame) && couWriteVtp(path, &frame, &faults);
    couFreeFrame(&frame);
    if (is_good) {
        ++live->recorded;
        return;
    }
    snprintf(text, sizeof text, "the recording has ended: %.150s", faults.count > 0 ? faults.items[0].message : "out of memory");
    couFaults_Clear(&faults);
    live->recorded = -1;
    couLive_Log(live, text);
    couLive_SendStatus(live, 0);
}
