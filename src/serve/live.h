/// A scene that is played with: it runs, and viewers change it while it does. No threads and no network in here: `coulis view`
/// ties it to a server, the playground to a page's worker.
#pragma once

#include "serve/tell.h"

typedef struct couLive couLive;

/// Takes the bytes over; client 0 is everyone.
typedef void couSendFcn(void *context, uint32_t client, couBytes *message);

typedef struct couLiveDef {
    const char *scene; ///< path or gallery name
    couSceneOptions options;
    const char *record_folder; ///< where sessions are recorded; NULL: they are not
    bool has_thumbnails;
    bool is_paused; ///< until a viewer plays
    couSendFcn *send;
    void *send_context;
    couAfterStepFcn *peek; ///< called within long ticks, when couLive_Frame() would show something new; may be NULL
    void *peek_context;
} couLiveDef;

/// NULL with faults. The def's texts must live as long.
couLive *couOpenLive(const couLiveDef *def, couFaults *faults);
void couCloseLive(couLive *live);
couScene *couLive_Scene(couLive *live);

/// A viewer comes: it is told the scene, its bodies and who has the controls; the first to come has them.
void couLive_Join(couLive *live, uint32_t client);
void couLive_Leave(couLive *live, uint32_t client);
/// A message of a viewer. False when it is none: whoever sends such things is to be shut out, and nothing has changed.
bool couLive_Receive(couLive *live, uint32_t client, const uint8_t *data, size_t size);

/// Seconds until the next tick is due; infinite while it stands still.
double couLive_Due(const couLive *live);
/// Advances by one tick: a frame of the scene, or the share of one that was asked for.
void couLive_Tick(couLive *live);
/// True when there is something to see that the last frame did not show.
bool couLive_HasNews(const couLive *live);
couBytes couLive_Frame(couLive *live);
uint64_t couLive_Hash(couLive *live);
