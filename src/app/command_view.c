// coulis view: a scene that runs in the browser's hands, or a run that was written before.
//
// This thread simulates; the server has its own, and a hub lies between them (serve/hub.h). The address is printed as soon as the
// scene is loaded, and after two seconds in any case: a viewer who comes early waits for a scene that takes long. A scene with
// faults ends the program as everywhere.
#include "app/view.h"
#include "base/base.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char notes[] =
    "SCENE is a file or a gallery name; DIR is the folder of a run, to be played back. The address that is printed opens in any\n"
    "browser; without its token nobody gets in. On another machine: ssh -L PORT:localhost:PORT, then the same address.\n"
    "The environment variable COULIS_VIEW_TOKEN sets the token (16 to 64 letters and digits), so that open pages find a server\n"
    "that was started anew. docs/viewer.md says what the page can do.\n"
    "\n"
    "examples:\n"
    "  coulis view dam-break-2d\n"
    "  coulis view syrup-coil --set syrup.viscosity=8 --port 8080\n"
    "  coulis view out/syrup-coil\n"
    "  coulis view dam-break --snapshot picture.png\n";

// --- The address -------------------------------------------------------------------------------------------------------------

typedef struct Announcement {
    couServer *server;
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    bool is_settled, has_failed; // the scene is loaded, or will never be
} Announcement;

static void *announce(void *context)
{
    Announcement *announcement = context;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 2;
    pthread_mutex_lock(&announcement->lock);
    while (!announcement->is_settled)
        if (pthread_cond_timedwait(&announcement->has_changed, &announcement->lock, &limit) != 0) break;
    if (!announcement->has_failed) {
        printf("%s\n", couServer_Url(announcement->server));
        fflush(stdout);
    }
    pthread_mutex_unlock(&announcement->lock);
    return NULL;
}

static void settle(Announcement *announcement, pthread_t thread, bool has_failed)
{
    pthread_mutex_lock(&announcement->lock);
    announcement->is_settled = true;
    announcement->has_failed = has_failed;
    pthread_cond_signal(&announcement->has_changed);
    pthread_mutex_unlock(&announcement->lock);
    pthread_join(thread, NULL);
}

// --- The scene ---------------------------------------------------------------------------------------------------------------

void couSendToHub(void *context, uint32_t client, couBytes *message) { couHub_Send(context, client, message); }

static void take(const couShow *show, couHub *hub, couArrival *arrival)
{
    if (arrival->kind == cou_arrivalJoin) show->join(show->own, arrival->client);
    if (arrival->kind == cou_arrivalLeave) show->leave(show->own, arrival->client);
    if (arrival->kind == cou_arrivalBytes && !show->receive(show->own, arrival->client, arrival->data, arrival->size))
        couHub_Refuse(hub, arrival->client);
    free(arrival->data);
}

void couRunShow(const couShow *show, couHub *hub)
{
    while (!couInterrupted()) {
        // Something to show that nobody wants yet: look again soon.
        double wait = COU_MIN(show->due(show->own), show->has_news(show->own) ? 0.01 : 0.25);
        couArrival arrival = couHub_Take(hub, wait);
        for (int i = 0; arrival.kind != cou_arrivalNone && i < 1000; ++i) {
            take(show, hub, &arrival);
            arrival = couHub_Take(hub, 0);
        }
        if (arrival.kind != cou_arrivalNone) take(show, hub, &arrival);
        if (show->due(show->own) <= 0) show->tick(show->own);
        if (show->has_news(show->own) && couHub_WantsFrame(hub)) {
            couBytes frame = show->frame(show->own);
            couHub_Publish(hub, &frame);
        }
    }
}

static void join(void *own, uint32_t client) { couLive_Join(own, client); }
static void leave(void *own, uint32_t client) { couLive_Leave(own, client); }
static bool receive(void *own, uint32_t client, const uint8_t *data, size_t size)
{
    return couLive_Receive(own, client, data, size);
}
static double due(void *own) { return couLive_Due(own); }
static void tick(void *own) { couLive_Tick(own); }
static bool has_news(void *own) { return couLive_HasNews(own); }
static couBytes frame(void *own) { return couLive_Frame(own); }

typedef struct Peek {
    couLive *live;
    couHub *hub;
} Peek;

static void show_meanwhile(void *context)
{
    const Peek *peek = context;
    if (!peek->live || !couHub_WantsFrame(peek->hub)) return;
    couBytes message = couLive_Frame(peek->live);
    couHub_Publish(peek->hub, &message);
}

// The gallery's pictures: where the program was built, or with the installed documents.
static const char *find_pictures(void)
{
    if (couIsFolder(COU_SOURCE_DOCS "/images/gallery")) return COU_SOURCE_DOCS "/images/gallery";
    return couIsFolder(COU_INSTALL_DOCS "/images/gallery") ? COU_INSTALL_DOCS "/images/gallery" : NULL;
}

// A browser on the same machine comes first: who simulates takes all the time that there is, and hands that wait for a picture
// are worth more than steps. The server has its thread already; those of the world follow this one.
static void give_way(void) { (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 3); }

static int view_scene(const couViewOptions *options, couHub *hub, couServer *server)
{
    Announcement announcement = {.server = server};
    pthread_t thread;
    couFaults faults = {0};
    Peek peek = {.hub = hub};
    pthread_mutex_init(&announcement.lock, NULL);
    pthread_cond_init(&announcement.has_changed, NULL);
    if (pthread_create(&thread, NULL, announce, &announcement) != 0) return cou_exitFailed;
    give_way();
    couLiveDef def = {.scene = options->operand,
                      .options = {.method = options->method,
                                  .threads = options->threads,
                                  .overrides = options->overrides.items,
                                  .override_count = options->overrides.count},
                      .record_folder = options->record,
                      .has_thumbnails = find_pictures() != NULL,
                      .is_paused = options->is_paused,
                      .send = couSendToHub,
                      .send_context = hub,
                      .peek = show_meanwhile,
                      .peek_context = &peek};
    couLive *live = couOpenLive(&def, &faults);
    peek.live = live;
    settle(&announcement, thread, !live);
    pthread_mutex_destroy(&announcement.lock);
    pthread_cond_destroy(&announcement.has_changed);
    if (!live) return couFail(&faults, cou_exitBadInput);
    couRunShow(&(couShow){live, join, leave, receive, due, tick, has_news, frame}, hub);
    couCloseLive(live);
    return cou_exitWell;
}

static int serve(const couViewOptions *options)
{
    couFaults faults = {0};
    couHub *hub = couCreateHub();
    couServerDef def = {
        .address = options->address, .port = options->port, .pictures = find_pictures(), .token = getenv("COULIS_VIEW_TOKEN")};
    couServer *server = hub ? couStartServer(&def, hub, &faults) : NULL;
    int code = cou_exitBadInput;
    if (server) {
        couCatchInterrupts();
        code = couIsFolder(options->operand) ? couViewFiles(options, hub, server) : view_scene(options, hub, server);
    } else {
        couFail(&faults, code);
    }
    couStopServer(server);
    couDestroyHub(hub);
    return code;
}

int couCommandView(int argc, char **argv)
{
    couViewOptions o = {.address = "127.0.0.1", .pictures = couDefaultPictureChoice(), .seconds = 1};
    const couOption table[] = {
        COU_OPTION("--port", "N", cou_optionInt, &o.port, .min = 0, .max = 65535,
                   .help = "to listen on (default: any that is free)"),
        COU_OPTION("--listen", "ADDRESS", cou_optionText, &o.address,
                   .help = "of this machine, for viewers on others (default 127.0.0.1: this machine alone)"),
        COU_OPTION("--method", "M", cou_optionText, &o.method, .help = "solver (coulis list methods)"),
        COU_OPTION("--set", "KEY=VALUE", cou_optionTexts, &o.sets,
                   .help = "change a value of the scene, e.g. spacing=0.01 or honey.viscosity=5"),
        COU_OPTION("--threads", "N", cou_optionInt, &o.threads, .min = 1, .max = COU_MAX_THREADS,
                   .help = "threads (default all cores); the results do not depend on it"),
        COU_OPTION("--paused", NULL, cou_optionFlag, &o.is_paused, .help = "wait until a viewer plays it"),
        COU_OPTION("--record", "DIR", cou_optionText, &o.record, .help = "where the page's record button may write frames"),
        COU_OPTION("--snapshot", "FILE", cou_optionText, &o.snapshot,
                   .help = "no browser: draw what it would show into a .png and end"),
        COU_OPTION("--seconds", "T", cou_optionNumber, &o.seconds, .min = 0, .max = 1e6,
                   .help = "simulated time of the snapshot (default 1)"),
        COU_PICTURE_OPTIONS(&o.pictures),
    };
    couCommand command = {.name = "view",
                          .usage = "SCENE|DIR [options]",
                          .help = "the live viewer, in a browser",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .min_operands = 1,
                          .max_operands = 1,
                          .notes = notes};
    couTexts operands = {0};
    couFaults faults = {0};
    int code = cou_exitWell;
    if (!couParseOptions(&command, argc, argv, &operands, &faults)) {
        if (o.method) couCheckMethod("coulis view", o.method, &faults);
        couSplitOverrides("coulis view", &o.sets, &o.overrides, &faults);
        o.operand = operands.count > 0 ? operands.items[0] : NULL;
        couCheckPath("coulis view", "SCENE", o.operand, &faults);
        couCheckPath("coulis view", "--record", o.record, &faults);
        couCheckPath("coulis view", "--snapshot", o.snapshot, &faults);
        couReadPictureChoice(&o.pictures, "coulis view", &faults);
        if (o.snapshot && o.operand && couIsFolder(o.operand))
            couFaults_Add(&faults, "coulis view", "--snapshot", "is for scenes; coulis render draws the frames of a run");
        code = faults.count > 0 ? couFail(&faults, cou_exitBadInput) : o.snapshot ? couViewSnapshot(&o) : serve(&o);
    }
    couOverrides_Clear(&o.overrides);
    couTexts_Clear(&o.sets);
    couTexts_Clear(&operands);
    couFaults_Clear(&faults);
    return code;
}
