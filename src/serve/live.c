// A scene that is played with. A tick is one couWorld_Advance() of a frame of the scene, as in `coulis run`: as long as nobody
// touches it, the viewer shows the bits that a run computes. Commands come between two ticks.
//
// One viewer holds the controls; the others watch. When the holder leaves, the one who has been there longest gets them.
#include "serve/live.h"

#include "base/base.h"
#include "serve/live_parts.h"

#include <stdio.h>
#include <stdlib.h>

// --- Telling -----------------------------------------------------------------------------------------------------------------

void couLive_Send(couLive *live, uint32_t client, couBytes message)
{
    live->def.send(live->def.send_context, client, &message);
    couBytes_Clear(&message); // nothing, once it was taken over
}

static void answer(couLive *live, uint32_t client, unsigned number, bool is_good, const char *text)
{
    couLive_Send(live, client, couTell_Answer(number, is_good, text));
}

void couLive_Log(couLive *live, const char *text)
{
    couBytes message = {0};
    couTell_Begin(&message, cou_tellLog, 0);
    couBytes_Add(&message, text, strlen(text));
    couLive_Send(live, 0, message);
}

static void tell_status(couLive *live, uint32_t client)
{
    couBytes m = {0};
    couTell_Begin(&m, cou_tellStatus, 0);
    couBytes_Format(&m,
                    "{\"playing\":%s,\"broken\":%s,\"holder\":%s,\"held\":%s,\"viewers\":%d,\"speed\":%.6g,\"ticks\":%d,"
                    "\"color\":%d,\"undo\":%d,\"recording\":%d}",
                    live->is_playing ? "true" : "false", live->is_broken ? "true" : "false",
                    client == live->holder ? "true" : "false", live->holder ? "true" : "false", live->client_count, live->speed,
                    live->ticks_per_frame, (int)live->range.coloring, live->undo_count, live->recorded);
    couLive_Send(live, client, m);
}

void couLive_SendStatus(couLive *live, uint32_t client)
{
    for (int i = 0; i < live->client_count; ++i)
        if (client == 0 || client == live->clients[i]) tell_status(live, live->clients[i]);
}

void couLive_TellBody(couLive *live, uint32_t client, couBodyId id)
{
    couBytes message = {0};
    int dimension = couWorld_Def(live->world)->dimension;
    const couBodyDef *body = couWorld_Body(live->world, id);
    couPose pose = couWorld_BodyPose(live->world, id);
    if (couTell_Mesh(&message, id, body, pose, dimension, live->bounds)) couLive_Send(live, client, message);
}

void couLive_Announce(couLive *live, uint32_t client)
{
    couSceneCard card = {.scene = live->scene,
                         .name = live->name,
                         .source = cou_sourceLive,
                         .bounds = live->bounds,
                         .serial = live->serial,
                         .params = live->start_params,
                         .materials = live->start_materials,
                         .can_record = live->def.record_folder != NULL,
                         .has_thumbnails = live->def.has_thumbnails};
    couLive_Send(live, client, couTell_Scene(&card));
    for (int i = 0; i < couWorld_BodyCount(live->world); ++i) {
        couBodyId id = couWorld_BodyAt(live->world, i);
        if (id.index1) couLive_TellBody(live, client, id);
    }
    for (int i = 0; i < couWorld_SolidCount(live->world); ++i) {
        couBytes message = {0};
        if (couTell_Solid(&message, live->world, couWorld_SolidAt(live->world, i))) couLive_Send(live, client, message);
    }
    couLive_SendStatus(live, client);
    live->has_news = true;
}

// --- Opening -----------------------------------------------------------------------------------------------------------------

static void drop_scene(couLive *live)
{
    couLive_ForgetUndo(live);
    if (live->scene) couCloseScene(live->scene);
    free(live->start_params);
    free(live->start_materials);
    live->scene = NULL;
    live->start_params = NULL;
    live->start_materials = NULL;
}

static bool keep_start(couLive *live)
{
    size_t size = couParams_Size(couMethodParams(couWorld_Def(live->world)->method));
    size_t count = (size_t)couWorld_MaterialCount(live->world);
    live->start_params = calloc(1, size + 1);
    live->start_materials = calloc(count + 1, sizeof *live->start_materials);
    if (!live->start_params || !live->start_materials) return false;
    memcpy(live->start_params, couWorld_MethodParams(live->world), size);
    for (size_t i = 0; i < count; ++i)
        live->start_materials[i] = *couWorld_Material(live->world, couWorld_MaterialAt(live->world, (int)i));
    return true;
}

void couLive_FindTick(couLive *live)
{
    double rate = couScene_Fps(live->scene) * live->ticks_per_frame;
    live->tick_number = (int64_t)floor(couWorld_Time(live->world) * rate + 1e-6);
    live->due = couSeconds();
    live->tick.time = couWorld_Time(live->world);
    live->tick.steps = couWorld_StepCount(live->world);
}

static void measure(couLive *live)
{
    couMeasurement fluid = couWorld_Measure(live->world), bodies = couWorld_MeasureBodies(live->world);
    live->tick.kinetic_energy = fluid.kinetic_energy + bodies.kinetic_energy;
    live->tick.potential_energy = fluid.potential_energy + bodies.potential_energy;
    for (int i = 0; i < couWorld_SolidCount(live->world); ++i) {
        couSolidMeasurement solid = couWorld_MeasureSolid(live->world, couWorld_SolidAt(live->world, i));
        live->tick.kinetic_energy += solid.all.kinetic_energy;
        live->tick.potential_energy += solid.all.potential_energy + (isfinite(solid.elastic_energy) ? solid.elastic_energy : 0);
    }
}

// A tick of a heavy scene takes long: viewers see what comes of it meanwhile. One that takes less than a frame of theirs shows
// its end alone.
static void look_in(void *context)
{
    couLive *live = context;
    if (!(couSeconds() - live->shown_at > 0.025)) return;
    live->is_within_tick = true;
    live->def.peek(live->def.peek_context);
    live->is_within_tick = false;
}

bool couLive_Adopt(couLive *live, couScene *scene, couFaults *faults)
{
    if (!couWorld_Prepare(couScene_World(scene), faults)) return false;
    drop_scene(live);
    live->scene = scene;
    live->world = couScene_World(scene);
    live->bounds = couWorldBounds(live->world);
    live->hands = (couHands){0};
    live->inspected = (couInspected){0};
    live->tick = (couTick){0};
    live->range = (couShownRange){.coloring = live->range.coloring};
    live->is_broken = false;
    live->pending = 0;
    ++live->serial;
    live->has_news = true;
    if (!keep_start(live)) {
        couFaults_Add(faults, NULL, NULL, "out of memory");
        return false;
    }
    couLive_FindTick(live);
    measure(live);
    if (live->def.peek) couWorld_AfterStep(live->world, look_in, live);
    return true;
}

couLive *couOpenLive(const couLiveDef *def, couFaults *faults)
{
    couScene *scene = couLoadScene(def->scene, &def->options, faults);
    if (!scene) return NULL;
    couLive *live = calloc(1, sizeof *live);
    if (live) {
        live->def = *def;
        live->is_playing = !def->is_paused;
        live->speed = 1.0;
        live->ticks_per_frame = 1;
        live->recorded = -1;
        live->range.coloring = cou_colorMaterial;
        snprintf(live->name, sizeof live->name, "%s", def->scene);
        snprintf(live->method, sizeof live->method, "%s", def->options.method ? def->options.method : "");
    } else {
        couFaults_Add(faults, NULL, NULL, "out of memory");
    }
    if (live && couLive_Adopt(live, scene, faults)) return live;
    if (!live || live->scene != scene) couCloseScene(scene);
    couCloseLive(live);
    return NULL;
}

void couCloseLive(couLive *live)
{
    if (!live) return;
    drop_scene(live);
    free(live);
}

couScene *couLive_Scene(couLive *live) { return live->scene; }

// --- Viewers -----------------------------------------------------------------------------------------------------------------

void couLive_Join(couLive *live, uint32_t client)
{
    if (live->client_count == cou_maxViewers) return;
    live->clients[live->client_count++] = client;
    if (!live->holder) live->holder = client;
    couLive_Announce(live, client);
    couLive_SendStatus(live, 0);
}

void couLive_Leave(couLive *live, uint32_t client)
{
    int kept = 0;
    for (int i = 0; i < live->client_count; ++i)
        if (live->clients[i] != client) live->clients[kept++] = live->clients[i];
    live->client_count = kept;
    if (live->inspected.client == client) live->inspected = (couInspected){0};
    if (live->holder == client) {
        couLive_LetGo(live);
        live->holder = kept > 0 ? live->clients[0] : 0;
    }
    couLive_SendStatus(live, 0);
}

static bool change_controls(couLive *live, uint32_t client, bool is_taken, char *text, size_t size)
{
    if (is_taken && live->holder && live->holder != client) {
        snprintf(text, size, "another viewer holds the controls");
        return false;
    }
    if (!is_taken && live->holder == client) couLive_LetGo(live);
    if (is_taken)
        live->holder = client;
    else if (live->holder == client)
        live->holder = 0;
    return true;
}

// --- Commands ----------------------------------------------------------------------------------------------------------------

static bool play(couLive *live, couByteReader *reader, char *text, size_t size)
{
    bool is_playing = couByteReader_U8(reader) != 0;
    if (!couByteReader_IsDone(reader)) return false;
    if (is_playing && live->is_broken) {
        snprintf(text, size, "the physics went wrong: reset or undo first");
        return false;
    }
    live->is_playing = is_playing;
    live->pending = 0;
    live->due = couSeconds();
    live->has_news = true;
    return true;
}

static bool step(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned count = couByteReader_U16(reader);
    if (!couByteReader_IsDone(reader)) return false;
    if (live->is_broken) {
        snprintf(text, size, "the physics went wrong: reset or undo first");
        return false;
    }
    live->is_playing = false;
    live->pending += (int)COU_CLAMP(count, 1, 1000);
    return true;
}

static bool pace(couLive *live, couByteReader *reader, char *text, size_t size)
{
    float speed = couByteReader_F32(reader);
    unsigned ticks = couByteReader_U8(reader);
    if (!couByteReader_IsDone(reader)) return false;
    if (!(speed >= 0 && speed <= 1000) || ticks < 1 || ticks > 64) {
        snprintf(text, size, "speed is 0 to 1000, ticks per frame 1 to 64");
        return false;
    }
    live->speed = (double)speed;
    live->ticks_per_frame = (int)ticks;
    couLive_FindTick(live);
    return true;
}

static bool color(couLive *live, couByteReader *reader, char *text, size_t size)
{
    unsigned coloring = couByteReader_U8(reader);
    if (!couByteReader_IsDone(reader)) return false;
    bool is_known = coloring < cou_colorCount;
    if (is_known && coloring == cou_colorPressure) is_known = couWorld_Particles(live->world).pressure != NULL;
    if (!is_known) snprintf(text, size, "there is no such colouring of %s", couWorld_Def(live->world)->method);
    if (is_known) live->range = (couShownRange){.coloring = (couColoring)coloring};
    live->has_news = true;
    return is_known;
}

static bool console(couLive *live, couByteReader *reader, char *text, size_t size)
{
    char line[8200];
    couByteReader_Text(reader, line, sizeof line);
    if (!couByteReader_IsDone(reader)) return false;
    couLive_RememberState(live);
    bool is_good = couScene_RunConsole(live->scene, line, text, size);
    couFaults faults = {0};
    if (!couWorld_Prepare(live->world, &faults)) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "\n%s", faults.count > 0 ? faults.items[0].message : "it cannot go on like this");
        live->is_broken = true;
        live->is_playing = is_good = false;
    }
    couFaults_Clear(&faults);
    live->has_news = true;
    return is_good;
}

typedef struct Command {
    couLiveCall *call;
    bool is_quiet; // comes many times a second: its success is not answered
} Command;

static const Command commands[cou_askCount] = {
    [cou_askPlay] = {play, false},
    [cou_askStep] = {step, false},
    [cou_askReset] = {couLive_Reset, false},
    [cou_askPace] = {pace, false},
    [cou_askColor] = {color, false},
    [cou_askSet] = {couLive_Set, false},
    [cou_askPour] = {couLive_Pour, true},
    [cou_askGrab] = {couLive_Grab, true},
    [cou_askDrag] = {couLive_Drag, true},
    [cou_askDragSolid] = {couLive_DragSolid, true},
    [cou_askDrop] = {couLive_Drop, false},
    [cou_askCut] = {couLive_Cut, false},
    [cou_askGravity] = {couLive_Gravity, true},
    [cou_askConsole] = {console, false},
    [cou_askOpen] = {couLive_OpenScene, false},
    [cou_askMethod] = {couLive_SwitchMethod, false},
    [cou_askUndo] = {couLive_Undo, false},
    [cou_askSprings] = {couLive_Springs, false},
    [cou_askRemove] = {couLive_Remove, false},
};

static uint32_t nearest_particle(const couWorld *world, couVec3 place)
{
    couParticleView particles = couWorld_Particles(world);
    uint32_t nearest = UINT32_MAX;
    float best = INFINITY;
    for (size_t i = 0; i < particles.count; ++i) {
        couVec3 away = couSub(couXyz(particles.position[i]), place);
        if (couDot(away, away) < best) best = couDot(away, away), nearest = particles.id[i];
    }
    return nearest;
}

static bool inspect(couLive *live, uint32_t client, couByteReader *reader)
{
    couInspected inspected = {.kind = (int)couByteReader_U8(reader), .client = client};
    if (inspected.kind == 1) {
        couVec3 place = couByteReader_Vec3(reader);
        if (!couByteReader_IsDone(reader)) return false;
        inspected.particle = nearest_particle(live->world, place);
        if (inspected.particle == UINT32_MAX) inspected.kind = 0;
    } else if (inspected.kind == 2) {
        unsigned index = couByteReader_U16(reader), generation = couByteReader_U16(reader);
        inspected.body = (couBodyId){(uint16_t)index, (uint16_t)generation};
        if (!couByteReader_IsDone(reader)) return false;
        if (!index || !couWorld_HasBody(live->world, inspected.body)) inspected.kind = 0;
    }
    if (!couByteReader_IsDone(reader) || inspected.kind > 2) return false;
    live->inspected = inspected;
    live->has_news = true;
    return true;
}

// What those who watch may do, too. False when the message is malformed.
static bool receive_any(couLive *live, uint32_t client, unsigned type, unsigned number, couByteReader *reader)
{
    char text[200] = "";
    bool is_good = true;
    if (type == cou_askInspect) {
        if (!inspect(live, client, reader)) return false;
    } else if (type == cou_askHash) {
        if (!couByteReader_IsDone(reader)) return false;
        snprintf(text, sizeof text, "%016llx", (unsigned long long)couLive_Hash(live));
    } else {
        bool is_taken = couByteReader_U8(reader) != 0;
        if (!couByteReader_IsDone(reader)) return false;
        is_good = change_controls(live, client, is_taken, text, sizeof text);
        couLive_SendStatus(live, 0);
    }
    answer(live, client, number, is_good, text);
    return true;
}

static bool receive_file_command(couLive *live, uint32_t client, unsigned type, unsigned number, couByteReader *reader)
{
    char text[400] = "";
    unsigned what = couByteReader_U8(reader);
    if (!couByteReader_IsDone(reader) || (type == cou_askExport && what >= cou_exportCount)) return false;
    bool is_good = type == cou_askExport ? couLive_Export(live, client, number, (couExport)what, text, sizeof text)
                                         : couLive_Record(live, what != 0, text, sizeof text);
    answer(live, client, number, is_good, text);
    couLive_SendStatus(live, 0);
    return true;
}

bool couLive_Receive(couLive *live, uint32_t client, const uint8_t *data, size_t size)
{
    couByteReader reader = {.data = data, .left = size};
    unsigned type = couByteReader_U8(&reader), zero = couByteReader_U8(&reader), number = couByteReader_U16(&reader);
    if (reader.is_bad || zero != 0) return false;
    if (type == cou_askShown) return couByteReader_IsDone(&reader); // of interest to servers
    if (type == cou_askInspect || type == cou_askHash || type == cou_askControls)
        return receive_any(live, client, type, number, &reader);
    bool is_file = type == cou_askExport || type == cou_askRecord;
    if (!is_file && (type >= cou_askCount || !commands[type].call)) return false;
    if (client != live->holder) {
        answer(live, client, number, false, live->holder ? "another viewer holds the controls" : "take the controls first");
        return true;
    }
    if (is_file) return receive_file_command(live, client, type, number, &reader);
    char text[4096] = "";
    bool is_good = commands[type].call(live, &reader, text, sizeof text);
    if (!couByteReader_IsDone(&reader)) return false;
    if (commands[type].is_quiet && is_good) return true;
    answer(live, client, number, is_good, text);
    couLive_SendStatus(live, 0);
    return true;
}

// --- Running -----------------------------------------------------------------------------------------------------------------

double couLive_Due(const couLive *live)
{
    if (live->is_broken || (!live->is_playing && live->pending == 0)) return INFINITY;
    if (live->pending > 0 || live->speed <= 0) return 0;
    return COU_MAX(live->due - couSeconds(), 0.0);
}

static void note_failure(couLive *live, const couStepReport *report)
{
    char text[800];
    const char *error = couScene_RuntimeError(live->scene);
    if (error)
        snprintf(text, sizeof text, "%s", error);
    else if (report->nan_count > 0)
        snprintf(text, sizeof text, "%lld particles are not finite any more", (long long)report->nan_count);
    else if (report->lost_count > 0)
        snprintf(text, sizeof text, "%lld particles flew out of reach", (long long)report->lost_count);
    else if (report->is_out_of_memory)
        snprintf(text, sizeof text, "out of memory");
    else if (report->bad_body.index1)
        snprintf(text, sizeof text, "a body is not finite any more");
    else
        snprintf(text, sizeof text, "the method cannot make steps as short as this asks for, or the liquid runs away");
    live->is_broken = true;
    live->is_playing = false;
    live->pending = 0;
    couLive_Log(live, text);
    couLive_SendStatus(live, 0);
}

void couLive_Tick(couLive *live)
{
    double rate = couScene_Fps(live->scene) * live->ticks_per_frame;
    double seconds = (double)(live->tick_number + 1) / rate - couWorld_Time(live->world), started = couSeconds();
    if (!(seconds > 0)) seconds = 1.0 / rate;
    couLive_PullBody(live, seconds);
    couLive_PullSolid(live, seconds);
    live->shown_at = COU_MAX(live->shown_at, started);
    couStepReport *report = &live->tick.report;
    *report = couWorld_Advance(live->world, seconds);
    ++live->tick_number;
    live->tick.time = couWorld_Time(live->world);
    live->tick.steps = couWorld_StepCount(live->world);
    live->tick.seconds = couSeconds() - started;
    live->has_news = true;
    if (live->pending > 0) --live->pending;
    // Time that was lost is not made up for: it would only be lost again.
    if (live->speed > 0) live->due = COU_MAX(live->due + 1.0 / (rate * live->speed), couSeconds() - 0.1);
    bool is_healthy = !couStepReport_HasFailed(report) && !(report->unstable_step > 0.0f) && !(report->runaway_speed > 0.0f) &&
                      !couScene_RuntimeError(live->scene);
    if (!is_healthy) note_failure(live, report);
    if (is_healthy && live->recorded >= 0) couLive_RecordFrame(live);
}

bool couLive_HasNews(const couLive *live) { return live->has_news; }

// --- What is shown -----------------------------------------------------------------------------------------------------------

static void add_arrow(couBytes *m, const char *name, couVec3 v)
{
    couBytes_Format(m, ",{\"name\":\"%s\",\"force\":[%.6g,%.6g,%.6g]}", name, (double)v.x, (double)v.y, (double)v.z);
}

// Forces on a particle are not kept by the methods; what changes its velocity, less gravity, is the sum of all but gravity.
static bool describe_particle(couLive *live, couBytes *m)
{
    couInspected *inspected = &live->inspected;
    couParticleView particles = couWorld_Particles(live->world);
    size_t i = 0;
    while (i < particles.count && particles.id[i] != inspected->particle) ++i;
    if (i == particles.count) return false;
    couVec3 x = couXyz(particles.position[i]), v = couXyz(particles.velocity[i]);
    double time = couWorld_Time(live->world), past = time - inspected->time;
    float mass = couWorld_ParticleMass(live->world, particles.material[i]);
    couBytes_Format(m,
                    "{\"kind\":1,\"id\":%u,\"at\":[%.9g,%.9g,%.9g],\"velocity\":[%.6g,%.6g,%.6g],\"material\":%d,"
                    "\"density\":%.6g,\"mass\":%.6g",
                    inspected->particle, (double)x.x, (double)x.y, (double)x.z, (double)v.x, (double)v.y, (double)v.z,
                    particles.material[i], (double)particles.density[i], (double)mass);
    if (particles.pressure) couBytes_Format(m, ",\"pressure\":%.6g", (double)particles.pressure[i]);
    couVec3 gravity = couScale(mass, couWorld_Gravity(live->world));
    couBytes_Format(m, ",\"arrows\":[{\"name\":\"gravity\",\"force\":[%.6g,%.6g,%.6g]}", (double)gravity.x, (double)gravity.y,
                    (double)gravity.z);
    if (inspected->has_velocity && past > 0) {
        couVec3 all = couScale(mass / (float)past, couSub(v, inspected->velocity));
        add_arrow(m, "neighbours and walls", couSub(all, gravity));
    }
    couBytes_Format(m, "]}");
    if (past > 0 || !inspected->has_velocity) inspected->velocity = v, inspected->time = time;
    inspected->has_velocity = true;
    return true;
}

static bool describe_body(couLive *live, couBytes *m)
{
    couBodyId id = live->inspected.body;
    const couWorld *world = live->world;
    if (!couWorld_HasBody(world, id)) return false;
    const couBodyDef *body = couWorld_Body(world, id);
    couVec3 x = couWorld_BodyCenter(world, id), v = couWorld_BodyVelocity(world, id), spin = couWorld_BodySpin(world, id);
    couVec3 force = couWorld_BodyForce(world, id);
    float mass = couWorld_BodyMass(world, id);
    couVec3 weight = isfinite(mass) ? couScale(mass, couWorld_Gravity(world)) : (couVec3){0, 0, 0};
    couBytes_Format(m, "{\"kind\":2,\"name\":");
    couBytes_JsonText(m, body->name);
    couBytes_Format(m, ",\"at\":[%.9g,%.9g,%.9g],\"velocity\":[%.6g,%.6g,%.6g],\"spin\":[%.6g,%.6g,%.6g],\"mass\":", (double)x.x,
                    (double)x.y, (double)x.z, (double)v.x, (double)v.y, (double)v.z, (double)spin.x, (double)spin.y,
                    (double)spin.z);
    couBytes_JsonNumber(m, (double)mass);
    couBytes_Format(m, ",\"asleep\":%s,\"arrows\":[{\"name\":\"fluid\",\"force\":[%.6g,%.6g,%.6g]}",
                    couWorld_IsBodyAsleep(world, id) ? "true" : "false", (double)force.x, (double)force.y, (double)force.z);
    if (isfinite(mass)) add_arrow(m, "gravity", weight);
    couBytes_Format(m, "]}");
    return true;
}

static void tell_inspected(couLive *live)
{
    couBytes m = {0};
    if (live->inspected.kind == 0) return;
    couTell_Begin(&m, cou_tellInspect, 0);
    bool is_there = live->inspected.kind == 1 ? describe_particle(live, &m) : describe_body(live, &m);
    if (!is_there) couBytes_Format(&m, "{\"kind\":0}");
    couLive_Send(live, live->inspected.client, m);
    if (!is_there) live->inspected.kind = 0;
}

couBytes couLive_Frame(couLive *live)
{
    couShownBody *bodies = malloc(cou_maxShownBodies * sizeof *bodies);
    int count = bodies ? couShowBodies(live->world, bodies, cou_maxShownBodies) : 0;
    couShownParticles particles = couShowWorld(live->world);
    if (!live->is_within_tick) measure(live); // a third of what a frame costs, for graphs that go by ticks
    live->shown_at = couSeconds();
    live->tick.time = couWorld_Time(live->world);
    live->tick.steps = couWorld_StepCount(live->world);
    live->tick.serial = live->serial;
    live->tick.is_playing = live->is_playing;
    live->tick.is_broken = live->is_broken;
    live->tick.frame = (uint32_t)COU_MAX(live->tick_number, 0);
    tell_inspected(live);
    couBytes message = couTell_Frame(++live->sequence, &live->tick, &particles, &live->range, bodies, count);
    couTell_AddSolids(&message, live->world);
    free(bodies);
    live->has_news = false;
    return message;
}

bool couLive_SaveState(couLive *live, couState *state)
{
    couFaults faults = {0};
    void *bytes = NULL;
    size_t size = 0;
    bool is_good = couScene_SaveStore(live->scene, &bytes, &size, &faults) && couWorld_SaveState(live->world, state) &&
                   couState_Add(state, "scene/store", "", cou_stateU8, 1, size, bytes);
    free(bytes);
    couFaults_Clear(&faults);
    return is_good;
}

uint64_t couLive_Hash(couLive *live)
{
    couState state = {0};
    uint64_t hash = couLive_SaveState(live, &state) ? couState_Hash(&state) : 0;
    couState_Clear(&state);
    return hash;
}
