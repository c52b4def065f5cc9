// A run played back. There is nothing to change, so whoever watches may hold the time line.
#include "serve/replay.h"

#include "base/base.h"
#include "serve/live_parts.h"

#include <stdio.h>
#include <stdlib.h>

struct couReplay {
    couReplayDef def;
    uint32_t clients[cou_maxViewers];
    int client_count;
    bool is_playing, has_news;
    double speed, due;
    int frame;
    uint32_t sequence;
    couShownRange range;
};

couReplay *couOpenReplay(const couReplayDef *def)
{
    couReplay *replay = calloc(1, sizeof *replay);
    if (replay) *replay = (couReplay){.def = *def, .is_playing = true, .has_news = true, .speed = 1.0, .due = couSeconds()};
    return replay;
}

void couCloseReplay(couReplay *replay) { free(replay); }

static void send(couReplay *replay, uint32_t client, couBytes message)
{
    replay->def.send(replay->def.send_context, client, &message);
    couBytes_Clear(&message);
}

static void send_status(couReplay *replay)
{
    couBytes m = {0};
    couTell_Begin(&m, cou_tellStatus, 0);
    couBytes_Format(&m,
                    "{\"playing\":%s,\"broken\":false,\"holder\":true,\"held\":true,\"viewers\":%d,\"speed\":%.6g,\"ticks\":1,"
                    "\"color\":%d,\"undo\":0,\"recording\":-1}",
                    replay->is_playing ? "true" : "false", replay->client_count, replay->speed, (int)replay->range.coloring);
    send(replay, 0, m);
}

void couReplay_Join(couReplay *replay, uint32_t client)
{
    if (replay->client_count == cou_maxViewers) return;
    replay->clients[replay->client_count++] = client;
    send(replay, client, couTell_Scene(&replay->def.card));
    couBytes message = {0};
    for (int i = 0; replay->def.mesh(replay->def.context, i, &message); ++i) {
        if (message.count > 0) send(replay, client, message);
        message = (couBytes){0};
    }
    send_status(replay);
    replay->has_news = true;
}

void couReplay_Leave(couReplay *replay, uint32_t client)
{
    int kept = 0;
    for (int i = 0; i < replay->client_count; ++i)
        if (replay->clients[i] != client) replay->clients[kept++] = replay->clients[i];
    replay->client_count = kept;
}

static void go_to(couReplay *replay, int64_t frame)
{
    replay->frame = (int)COU_CLAMP(frame, 0, (int64_t)replay->def.card.frame_count - 1);
    replay->due = couSeconds();
    replay->has_news = true;
}

bool couReplay_Receive(couReplay *replay, uint32_t client, const uint8_t *data, size_t size)
{
    couByteReader reader = {.data = data, .left = size};
    unsigned type = couByteReader_U8(&reader), zero = couByteReader_U8(&reader), number = couByteReader_U16(&reader);
    if (reader.is_bad || zero != 0 || type == 0 || type >= cou_askCount) return false;
    unsigned byte = type == cou_askPlay || type == cou_askColor ? couByteReader_U8(&reader) : 0;
    unsigned steps = type == cou_askStep ? couByteReader_U16(&reader) : 0;
    uint32_t frame = type == cou_askSeek ? couByteReader_U32(&reader) : 0;
    float speed = type == cou_askPace ? couByteReader_F32(&reader) : 0;
    if (type == cou_askPace) couByteReader_U8(&reader); // ticks per frame: a file has one
    bool is_known = type == cou_askPlay || type == cou_askColor || type == cou_askStep || type == cou_askSeek ||
                    type == cou_askPace || type == cou_askReset;
    if (is_known && !couByteReader_IsDone(&reader)) return false;
    if (type == cou_askPlay) {
        replay->is_playing = byte != 0;
        if (replay->is_playing && replay->frame == replay->def.card.frame_count - 1) go_to(replay, 0);
        replay->due = couSeconds();
    }
    if (type == cou_askColor && byte <= cou_colorDensity) replay->range = (couShownRange){.coloring = (couColoring)byte};
    if (type == cou_askPace) replay->speed = speed > 0 ? (double)COU_MIN(speed, 1000.0f) : 1000.0;
    if (type == cou_askStep || type == cou_askSeek) replay->is_playing = false;
    if (type == cou_askStep) go_to(replay, (int64_t)replay->frame + steps);
    if (type == cou_askSeek) go_to(replay, frame);
    if (type == cou_askReset) go_to(replay, 0);
    replay->has_news = true;
    if (number > 0)
        send(replay, client,
             couTell_Answer(number, is_known || type == cou_askHash,
                            is_known || type == cou_askHash ? "" : "a finished run cannot be changed"));
    if (is_known && type != cou_askSeek) send_status(replay);
    return true;
}

double couReplay_Due(const couReplay *replay) { return replay->is_playing ? COU_MAX(replay->due - couSeconds(), 0.0) : INFINITY; }

void couReplay_Tick(couReplay *replay)
{
    replay->due = COU_MAX(replay->due + 1.0 / (replay->def.fps * replay->speed), couSeconds() - 0.1);
    if (replay->frame + 1 < replay->def.card.frame_count) {
        ++replay->frame;
        replay->has_news = true;
        return;
    }
    replay->is_playing = false;
    send_status(replay);
}

bool couReplay_HasNews(const couReplay *replay) { return replay->has_news; }

// A frame that cannot be read is empty, with a line that says why.
couBytes couReplay_Frame(couReplay *replay)
{
    couFaults faults = {0};
    couFrame frame = {0};
    if (!replay->def.read(replay->def.context, replay->frame, &frame, &faults)) {
        couBytes m = {0};
        couTell_Begin(&m, cou_tellLog, 0);
        couBytes_Format(&m, "%s: %s", faults.items[0].where, faults.items[0].message);
        send(replay, 0, m);
    }
    couFaults_Clear(&faults);
    couShownBody *bodies = malloc(cou_maxShownBodies * sizeof *bodies);
    int count = bodies ? replay->def.bodies(replay->def.context, replay->frame, bodies, cou_maxShownBodies) : 0;
    couShownParticles particles = couShowFrame(&frame);
    couTick tick = {.time = frame.time,
                    .frame = (uint32_t)replay->frame,
                    .is_playing = replay->is_playing,
                    .serial = replay->def.card.serial};
    couBytes message = couTell_Frame(++replay->sequence, &tick, &particles, &replay->range, bodies, count);
    couTell_AddSolids(&message, couScene_World(replay->def.card.scene));
    couFreeFrame(&frame);
    free(bodies);
    replay->has_news = false;
    return message;
}
