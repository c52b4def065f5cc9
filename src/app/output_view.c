// --view: a run that is watched while it goes on. Viewers get what a frame shows when it is computed; they cannot change it, and
// the run never waits for them.
#include "app/run_outputs.h"
#include "serve/server.h"
#include "serve/tell.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct Watching {
    couHub *hub;
    couServer *server;
    uint32_t sequence;
    couShownRange range;
    couBounds bounds;
} Watching;

static bool is_wanted(const couRun *run) { return run->options.is_viewed; }

static void end_watching(Watching *watching)
{
    if (!watching) return;
    couStopServer(watching->server);
    couDestroyHub(watching->hub);
    free(watching);
}

static bool begin(couRun *run, void **own)
{
    Watching *watching = calloc(1, sizeof *watching);
    if (watching) watching->hub = couCreateHub();
    couServerDef def = {.address = "127.0.0.1", .token = getenv("COULIS_VIEW_TOKEN")};
    if (watching && watching->hub) watching->server = couStartServer(&def, watching->hub, &run->faults);
    if (!watching || !watching->server) {
        if (run->faults.count == 0) couFaults_Add(&run->faults, NULL, NULL, "no memory for the viewer");
        end_watching(watching);
        return false;
    }
    watching->bounds = couWorldBounds(run->world);
    printf("%s\n", couServer_Url(watching->server));
    fflush(stdout);
    *own = watching;
    return true;
}

static void greet(couRun *run, Watching *watching, uint32_t client)
{
    couSceneCard card = {
        .scene = run->scene, .name = run->options.scene, .source = cou_sourceRun, .bounds = watching->bounds, .serial = 1};
    couBytes message = couTell_Scene(&card);
    couHub_Send(watching->hub, client, &message);
    for (int i = 0; i < couWorld_BodyCount(run->world); ++i) {
        couBodyId id = couWorld_BodyAt(run->world, i);
        if (!id.index1) continue;
        couBytes mesh = {0};
        if (couTell_Mesh(&mesh, id, couWorld_Body(run->world, id), couWorld_BodyPose(run->world, id),
                         couWorld_Def(run->world)->dimension, watching->bounds))
            couHub_Send(watching->hub, client, &mesh);
        couBytes_Clear(&mesh);
    }
    for (int i = 0; i < couWorld_SolidCount(run->world); ++i) {
        couBytes solid = {0};
        if (couTell_Solid(&solid, run->world, couWorld_SolidAt(run->world, i))) couHub_Send(watching->hub, client, &solid);
        couBytes_Clear(&solid);
    }
    couBytes status = {0};
    couTell_Begin(&status, cou_tellStatus, 0);
    couBytes_Format(&status, "{\"playing\":true,\"broken\":false,\"holder\":false,\"held\":true,\"viewers\":1,\"speed\":1,"
                             "\"ticks\":1,\"color\":0,\"undo\":0,\"recording\":-1}");
    couHub_Send(watching->hub, client, &status);
}

static void take_arrivals(couRun *run, Watching *watching)
{
    for (;;) {
        couArrival arrival = couHub_Take(watching->hub, 0);
        if (arrival.kind == cou_arrivalNone) return;
        if (arrival.kind == cou_arrivalJoin) greet(run, watching, arrival.client);
        if (arrival.kind == cou_arrivalBytes) {
            couByteReader reader = {.data = arrival.data, .left = arrival.size};
            unsigned type = couByteReader_U8(&reader), zero = couByteReader_U8(&reader), number = couByteReader_U16(&reader);
            if (reader.is_bad || zero != 0 || type >= cou_askCount) couHub_Refuse(watching->hub, arrival.client);
            couBytes answer = couTell_Answer(number, false, "this run is watched, not changed");
            couHub_Send(watching->hub, arrival.client, &answer);
        }
        free(arrival.data);
    }
}

static bool show_frame(couRun *run, void *own)
{
    Watching *watching = own;
    take_arrivals(run, watching);
    if (!couHub_WantsFrame(watching->hub)) return true;
    enum { MOST = 4096 };
    couShownBody *bodies = malloc(MOST * sizeof *bodies);
    int count = bodies ? couShowBodies(run->world, bodies, MOST) : 0;
    couMeasurement fluid = couWorld_Measure(run->world);
    couTick tick = {.time = couWorld_Time(run->world),
                    .steps = couWorld_StepCount(run->world),
                    .report = run->report,
                    .seconds = run->frame_seconds,
                    .kinetic_energy = fluid.kinetic_energy,
                    .potential_energy = fluid.potential_energy,
                    .is_playing = true,
                    .frame = (uint32_t)run->frame,
                    .serial = 1};
    couShownParticles particles = couShowWorld(run->world);
    couBytes message = couTell_Frame(++watching->sequence, &tick, &particles, &watching->range, bodies, count);
    couTell_AddSolids(&message, run->world);
    couHub_Publish(watching->hub, &message);
    free(bodies);
    return true;
}

static bool finish(couRun *run, void *own)
{
    (void)run;
    end_watching(own);
    return true;
}

static void discard(couRun *run, void *own) { finish(run, own); }

extern const couOutput couOutputView;
const couOutput couOutputView = {
    .name = "view", .is_wanted = is_wanted, .open = begin, .frame = show_frame, .close = finish, .discard = discard};
