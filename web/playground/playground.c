// The live session in a page's worker: the same couLive as behind `coulis view`, with messages to the page instead of a server.
//
// What needs other people's libraries stays outside: meshes from files (assimp), checkpoints (HDF5), recorded frames.
#include "serve/live.h"

#include "coulis/frames.h"
#include "coulis/mesh_file.h"
#include "coulis/solid_file.h"
#include "files/file.h"
#include "io/grid_cache.h"
#include "serve/live_parts.h"

#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
EM_JS(void, post_message, (const uint8_t *data, size_t size), { Module.postToPage(HEAPU8.slice(data, data + size)); });
// clang-format on

static couLive *live;
static char scene_name[256];

static void send(void *context, uint32_t client, couBytes *message)
{
    (void)context, (void)client;
    post_message(message->data, message->count);
    couBytes_Clear(message);
}

EMSCRIPTEN_KEEPALIVE int couPlayOpen(const char *scene, int threads)
{
    setenv("COULIS_SCENES", "/scenes", 1);
    snprintf(scene_name, sizeof scene_name, "%s", scene);
    couFaults faults = {0};
    couLiveDef def = {.scene = scene_name, .options = {.threads = threads}, .send = send};
    live = couOpenLive(&def, &faults);
    for (int i = 0; i < faults.count; ++i)
        fprintf(stderr, "%s: %s: %s\n", faults.items[i].where, faults.items[i].key, faults.items[i].message);
    couFaults_Clear(&faults);
    if (live) couLive_Join(live, 1);
    return live != NULL;
}

EMSCRIPTEN_KEEPALIVE int couPlayReceive(const uint8_t *data, size_t size) { return couLive_Receive(live, 1, data, size); }
EMSCRIPTEN_KEEPALIVE double couPlayDue(void) { return couLive_Due(live); }
EMSCRIPTEN_KEEPALIVE void couPlayTick(void) { couLive_Tick(live); }
EMSCRIPTEN_KEEPALIVE int couPlayHasNews(void) { return couLive_HasNews(live); }

EMSCRIPTEN_KEEPALIVE void couPlayFrame(void)
{
    couBytes frame = couLive_Frame(live);
    send(NULL, 0, &frame);
}

/// As sixteen digits.
EMSCRIPTEN_KEEPALIVE const char *couPlayHash(void)
{
    static char text[20];
    snprintf(text, sizeof text, "%016llx", (unsigned long long)couLive_Hash(live));
    return text;
}

// --- What stays outside ------------------------------------------------------------------------------------------------------

bool couLive_Export(couLive *which, uint32_t client, unsigned number, couExport what, char *text, size_t size)
{
    (void)which, (void)client, (void)number, (void)what;
    snprintf(text, size, "the playground has no files; coulis view exports checkpoints and scenes");
    return false;
}

bool couLive_Record(couLive *which, bool is_on, char *text, size_t size)
{
    (void)which, (void)is_on;
    snprintf(text, size, "the playground has no files");
    return false;
}

void couLive_RecordFrame(couLive *which) { (void)which; }

couMeshPlacement couDefaultMeshPlacement(void) { return (couMeshPlacement){0}; }
void couPlaceVertices(couVec3 *vertices, size_t count, const couMeshPlacement *placement)
{
    (void)vertices, (void)count, (void)placement;
}

couMesh *couReadMesh(const char *path, const couMeshPlacement *placement, couFaults *faults)
{
    (void)placement;
    couFaults_Add(faults, path, NULL, "the playground reads no mesh files");
    return NULL;
}

// Of frames, to colour pictures by: nobody writes or draws any here.
const char *const *couFrameColumnNames(void)
{
    static const char *const none[] = {NULL};
    return none;
}

couSolidMesh *couReadSolidMesh(const char *path, int dimension, couFaults *faults)
{
    (void)dimension;
    couFaults_Add(faults, path, NULL, "the playground reads no mesh files");
    return NULL;
}

bool couIsMeshFile(const char *path)
{
    (void)path;
    return false;
}

couDistanceGrid *couCachedDistanceGrid(couMesh *mesh, float cell, size_t max_bytes, int threads, couFaults *faults)
{
    return couCreateDistanceGrid(mesh, cell, max_bytes, threads, faults);
}
