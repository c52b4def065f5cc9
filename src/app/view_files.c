// coulis view DIR: the frames of a run, with the bodies where bodies.csv has them and the looks and the camera of its scene.
#include "app/view.h"
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Files {
    couRunOptions run;
    couScene *scene; // its solids are where the frame has them that was read last
    const char *folder;
    couFrameFiles frames;
    couCast cast;
    couBodyTable bodies;
    couBounds bounds;
    double fps;
} Files;

// --- What a replay asks for ---

static bool read_frame(void *context, int index, couFrame *frame, couFaults *faults)
{
    Files *files = context;
    if (!couReadFrame(files->frames.items[index].path, frame, faults)) return false;
    frame->time = files->frames.items[index].number / files->fps;
    couPoseSolids(couScene_World(files->scene), files->folder, files->frames.items[index].number);
    return true;
}

static int find_member(const couCast *cast, const char *name)
{
    for (int i = 0; i < cast->count; ++i)
        if (strcmp(cast->members[i].name, name) == 0) return i;
    return -1;
}

static int find_bodies(void *context, int index, couShownBody *bodies, int capacity)
{
    Files *files = context;
    size_t rows = 0;
    const couBodyRow *row = couBodyTable_Frame(&files->bodies, files->frames.items[index].number, &rows);
    int count = 0;
    for (size_t i = 0; i < rows && count < capacity; ++i) {
        int member = find_member(&files->cast, row[i].name);
        if (member >= 0 && files->cast.members[member].look.opacity > 0.0f)
            bodies[count++] = (couShownBody){{(uint16_t)(member + 1), 1}, row[i].pose};
    }
    return count;
}

static bool make_mesh(void *context, int index, couBytes *message)
{
    Files *files = context;
    const couWorld *world = couScene_World(files->scene);
    int solid = index - files->cast.count;
    if (solid >= couWorld_SolidCount(world)) return false;
    if (solid >= 0) {
        if (!couTell_Solid(message, world, couWorld_SolidAt(world, solid))) couBytes_Clear(message);
        return true;
    }
    const struct couCastMember *member = &files->cast.members[index];
    couBodyDef body = couDefaultBodyDef();
    snprintf(body.name, sizeof body.name, "%s", member->name);
    body.shape = member->shape;
    body.look = member->look;
    int dimension = couWorld_Def(world)->dimension;
    if (!couTell_Mesh(message, (couBodyId){(uint16_t)(index + 1), 1}, &body, COU_POSE_IDENTITY, dimension, files->bounds))
        couBytes_Clear(message);
    return true;
}

// --- Opening ---

static bool open_files(Files *files, const couViewOptions *options, couFaults *faults)
{
    const char *folder = files->folder = options->operand;
    if (!couReadOldCommand(&files->run, folder, faults)) return false;
    couSplitOverrides("coulis view", &files->run.sets, &files->run.overrides, faults);
    couSceneOptions how = {.method = files->run.method,
                           .threads = options->threads,
                           .overrides = files->run.overrides.items,
                           .override_count = files->run.overrides.count};
    if (faults->count == 0) files->scene = couLoadScene(files->run.scene, &how, faults);
    if (!files->scene || !couListFrames(&folder, 1, &files->frames, faults)) return false;
    couFaults ignored = {0}; // recorded sessions have no bodies.csv
    couReadBodies(folder, &files->bodies, &ignored);
    couFaults_Clear(&ignored);
    files->fps = isnan(files->run.fps) ? couScene_Fps(files->scene) : files->run.fps;
    files->cast = couGatherCast(couScene_World(files->scene));
    files->bounds = couSceneBounds(files->scene, couScene_Duration(files->scene));
    return true;
}

static void close_files(Files *files)
{
    couCast_Clear(&files->cast);
    couBodyTable_Clear(&files->bodies);
    couFrameFiles_Clear(&files->frames);
    if (files->scene) couCloseScene(files->scene);
    couFreeRunOptions(&files->run);
}

static void join(void *own, uint32_t client) { couReplay_Join(own, client); }
static void leave(void *own, uint32_t client) { couReplay_Leave(own, client); }
static bool receive(void *own, uint32_t client, const uint8_t *data, size_t size)
{
    return couReplay_Receive(own, client, data, size);
}
static double due(void *own) { return couReplay_Due(own); }
static void tick(void *own) { couReplay_Tick(own); }
static bool has_news(void *own) { return couReplay_HasNews(own); }
static couBytes frame(void *own) { return couReplay_Frame(own); }

int couViewFiles(const couViewOptions *options, couHub *hub, couServer *server)
{
    Files files = {0};
    couFaults faults = {0};
    couReplay *replay = NULL;
    if (open_files(&files, options, &faults)) {
        couReplayDef def = {.card = {.scene = files.scene,
                                     .name = options->operand,
                                     .source = cou_sourceFiles,
                                     .bounds = files.bounds,
                                     .serial = 1,
                                     .frame_count = files.frames.count},
                            .fps = files.fps,
                            .context = &files,
                            .read = read_frame,
                            .bodies = find_bodies,
                            .mesh = make_mesh,
                            .send = couSendToHub,
                            .send_context = hub};
        replay = couOpenReplay(&def);
        if (!replay) couFaults_Add(&faults, NULL, NULL, "out of memory");
    }
    if (replay) {
        printf("%s\n", couServer_Url(server));
        fflush(stdout);
        couRunShow(&(couShow){replay, join, leave, receive, due, tick, has_news, frame}, hub);
    }
    couCloseReplay(replay);
    close_files(&files);
    return faults.count > 0 ? couFail(&faults, cou_exitBadInput) : cou_exitWell;
}
