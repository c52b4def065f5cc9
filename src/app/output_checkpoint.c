// checkpoint.h5: the state of the world and the scene's own memory, now and then and at the end, and how it is read back. Two
// files in turn, so that one of them is whole whatever happens.
#include "app/run_outputs.h"
#include "base/base.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECKPOINT_SECONDS 60.0 // between checkpoints when --checkpoint-every is not given

// --- State: what a checkpoint stores and state_hash covers ---

static bool save_state(couRun *run, couState *state)
{
    void *bytes = NULL;
    size_t size = 0;
    if (!couScene_SaveStore(run->scene, &bytes, &size, &run->faults)) return false;
    bool is_saved = couWorld_SaveState(run->world, state) && couState_Add(state, "scene/store", "", cou_stateU8, 1, size, bytes);
    free(bytes);
    if (!is_saved) couFaults_Add(&run->faults, NULL, NULL, "no memory to save the state");
    return is_saved;
}

bool couRun_LoadState(couRun *run, const couState *state)
{
    const couStateArray *store = couState_Find(state, "scene/store");
    return couWorld_LoadState(run->world, state, &run->faults) &&
           couScene_LoadStore(run->scene, store && store->data ? store->data : "", store ? store->count : 0, &run->faults);
}

// --- Files ---

static bool move(const char *from, const char *to, couFaults *faults)
{
    if (rename(from, to) == 0) return true;
    couFaults_Add(faults, to, NULL, "cannot be put in place: %s", strerror(errno));
    return false;
}

// Writes FOLDER/checkpoint.h5; the one before stays as checkpoint_previous.h5 when `keeps_previous`. At any moment, also after a
// failure, one of the two is whole.
static bool rotate(couManifest *manifest, bool keeps_previous, const couCheckpointInfo *info, const couState *state,
                   couFaults *faults)
{
    char fresh[COU_PATH_SIZE], last[COU_PATH_SIZE], previous[COU_PATH_SIZE];
    if (!couClaimPath(manifest, "checkpoint_new.h5", fresh, faults) || !couClaimPath(manifest, "checkpoint.h5", last, faults) ||
        (keeps_previous && !couClaimPath(manifest, "checkpoint_previous.h5", previous, faults)))
        return false;
    if (!couWriteCheckpoint(fresh, info, state, faults)) return false;
    if (keeps_previous && access(last, F_OK) == 0 && !move(last, previous, faults)) return false;
    return move(fresh, last, faults);
}

bool couReadLastCheckpoint(const char *folder, couCheckpointInfo *info, couState *state, bool *is_previous, couFaults *faults)
{
    char last[COU_PATH_SIZE], previous[COU_PATH_SIZE];
    couJoin(last, folder, "checkpoint.h5");
    couJoin(previous, folder, "checkpoint_previous.h5");
    *is_previous = false;
    bool has_last = access(last, F_OK) == 0, has_previous = access(previous, F_OK) == 0;
    if (!has_last && !has_previous) {
        couFaults_Add(faults, "coulis run", "--resume", "'%.200s' holds no checkpoint.h5", folder);
        return false;
    }
    couFaults last_faults = {0};
    if (has_last && couReadCheckpoint(last, info, state, &last_faults)) return true;

    // The newest is missing or broken: the one before it is as good, only older.
    couFaults previous_faults = {0};
    *is_previous = has_previous && couReadCheckpoint(previous, info, state, &previous_faults);
    const char *reason = last_faults.count > 0 ? last_faults.items[0].message : "it is missing";
    if (*is_previous) couWarn("%s cannot be used (%s): going on from %s, frame %d", last, reason, previous, info->frame);
    for (int i = 0; !*is_previous && i < last_faults.count; ++i)
        couFaults_Add(faults, last_faults.items[i].where, last_faults.items[i].key, "%s", last_faults.items[i].message);
    for (int i = 0; !*is_previous && i < previous_faults.count; ++i)
        couFaults_Add(faults, previous_faults.items[i].where, previous_faults.items[i].key, "%s",
                      previous_faults.items[i].message);
    couFaults_Clear(&last_faults);
    couFaults_Clear(&previous_faults);
    return *is_previous;
}

// --- The output ---

static bool write_checkpoint(couRun *run)
{
    couState state = {0};
    couCheckpointInfo info = {.scene_hash = couScene_ContentHash(run->scene),
                              .frame = run->frame,
                              .fps = run->fps,
                              .time = couWorld_Time(run->world),
                              .particles = couWorld_Particles(run->world).count};
    snprintf(info.scene, sizeof info.scene, "%s", run->options.scene);
    snprintf(info.method, sizeof info.method, "%s", couWorld_Def(run->world)->method);
    bool is_written = save_state(run, &state);
    if (is_written) {
        info.state_hash = run->state_hash = couState_Hash(&state);
        is_written = rotate(&run->manifest, run->checkpoint_frame >= 0, &info, &state, &run->faults);
    }
    if (is_written) run->checkpoint_frame = run->frame;
    run->checkpoint_clock = couSeconds();
    couState_Clear(&state);
    return is_written;
}

static bool compute_hash(couRun *run)
{
    couState state = {0};
    bool is_saved = save_state(run, &state);
    if (is_saved) run->state_hash = couState_Hash(&state);
    couState_Clear(&state);
    return is_saved;
}

static bool is_due(const couRun *run)
{
    int every = run->options.checkpoint_every;
    if (run->frame == run->total || every == 0) return false; // the last one is written at the end
    return every > 0 ? run->frame % every == 0 : couSeconds() - run->checkpoint_clock >= CHECKPOINT_SECONDS;
}

static bool write_if_due(couRun *run, void *own)
{
    (void)own;
    return !is_due(run) || write_checkpoint(run);
}

static bool finish(couRun *run, void *own)
{
    (void)own;
    return run->checkpoint_frame == run->frame ? compute_hash(run) : write_checkpoint(run);
}

extern const couOutput couOutputCheckpoint;
const couOutput couOutputCheckpoint = {.name = "checkpoint",
                                       .files = {"checkpoint.h5", "checkpoint_previous.h5", "checkpoint_new.h5"},
                                       .frame = write_if_due,
                                       .close = finish};
