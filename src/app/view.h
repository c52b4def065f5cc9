/// The parts of `coulis view`: a live scene (command_view.c), a run that was written before (view_files.c), a picture without a
/// browser (view_snapshot.c).
#pragma once

#include "app/run.h"
#include "serve/live.h"
#include "serve/replay.h"
#include "serve/server.h"

typedef struct couViewOptions {
    const char *operand; ///< scene or folder
    const char *address, *method, *record, *snapshot;
    int port, threads;
    double seconds; ///< of a snapshot
    bool is_paused;
    couTexts sets;
    couOverrides overrides;
    couPictureChoice pictures;
} couViewOptions;

/// What is shown to viewers, live or from files.
typedef struct couShow {
    void *own;
    void (*join)(void *own, uint32_t client);
    void (*leave)(void *own, uint32_t client);
    bool (*receive)(void *own, uint32_t client, const uint8_t *data, size_t size);
    double (*due)(void *own);
    void (*tick)(void *own);
    bool (*has_news)(void *own);
    couBytes (*frame)(void *own);
} couShow;

/// Shows it until somebody interrupts.
void couRunShow(const couShow *show, couHub *hub);
/// The server's messages go this way: the context is a couHub.
couSendFcn couSendToHub;

/// A finished run in the browser; returns the exit code.
int couViewFiles(const couViewOptions *options, couHub *hub, couServer *server);
/// What the viewer would show, drawn into a file; returns the exit code.
int couViewSnapshot(const couViewOptions *options);
