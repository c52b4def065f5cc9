/// A run that was written before, played back: frames come from files as a viewer's clock, or hand on the time line, asks for
/// them.
#pragma once

#include "serve/live.h"

typedef struct couReplay couReplay;

/// Where its frames come from.
typedef struct couReplayDef {
    couSceneCard card;
    double fps;
    void *context;
    /// Reads frame 0 to card.frame_count - 1; the caller frees it. False with a fault.
    bool (*read)(void *context, int index, couFrame *frame, couFaults *faults);
    /// The bodies of that frame; returns how many.
    int (*bodies)(void *context, int index, couShownBody *bodies, int capacity);
    /// The mesh of body 0, 1...; false when there are no more. One that is not drawn leaves the message empty.
    bool (*mesh)(void *context, int index, couBytes *message);
    couSendFcn *send;
    void *send_context;
} couReplayDef;

couReplay *couOpenReplay(const couReplayDef *def); ///< NULL without memory
void couCloseReplay(couReplay *replay);
// As of a couLive.
void couReplay_Join(couReplay *replay, uint32_t client);
void couReplay_Leave(couReplay *replay, uint32_t client);
bool couReplay_Receive(couReplay *replay, uint32_t client, const uint8_t *data, size_t size);
double couReplay_Due(const couReplay *replay);
void couReplay_Tick(couReplay *replay);
bool couReplay_HasNews(const couReplay *replay);
couBytes couReplay_Frame(couReplay *replay);
