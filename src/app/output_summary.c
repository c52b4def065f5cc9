// run.json: what the run was and came to, written when all else is there.
#include "app/run_outputs.h"
#include "base/base.h"
#include "files/file.h"
#include "files/json.h"
#include "io/run_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A finished run that is resumed keeps the run.json of the time when it ran.
static bool has_same_json(const couRun *run, const char *path)
{
    couFaults faults = {0};
    json_t *json = access(path, F_OK) == 0 ? couReadJson(path, 1 << 26, &faults) : NULL;
    char hash[32], expected[32];
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)run->state_hash);
    couJson_Text(json, "state_hash", hash, sizeof hash);
    bool is_same = strcmp(hash, expected) == 0 && couJson_Number(json, "frames") == run->frame;
    json_decref(json);
    couFaults_Clear(&faults);
    return is_same;
}

// Whether the repeat came to what the first run did.
static void note_repeat(couRun *run)
{
    bool is_same = run->state_hash == run->options.state_hash;
    json_object_set_new(run->description, "repeats", json_string(run->options.repeats));
    json_object_set_new(run->description, "is_same", json_boolean(is_same));
    if (!is_same)
        couWarn("the state hash is %016llx, that of %.200s %016llx: the repeat is not the same; that run was made by %s",
                (unsigned long long)run->state_hash, run->options.repeats, (unsigned long long)run->options.state_hash,
                run->options.built_by);
}

static bool finish(couRun *run, void *own)
{
    (void)own;
    char path[COU_PATH_SIZE];
    couJoin(path, run->folder, "run.json");
    if (run->is_in_place && run->first == run->frame && has_same_json(run, path)) return true;
    if (!couManifest_Claim(&run->manifest, "run.json", &run->faults)) return false;
    const couWorldDef *def = couWorld_Def(run->world);
    couRunSummary summary = {.scene = run->options.scene,
                             .method = def->method,
                             .particles = couWorld_Particles(run->world).count,
                             .frames = run->frame,
                             .steps = couWorld_StepCount(run->world),
                             .simulated_seconds = couWorld_Time(run->world),
                             .wall_seconds = couSeconds() - run->started,
                             .peak_rss_bytes = couPeakRss(),
                             .threads = couThreadCount(def->threads),
                             .state_hash = run->state_hash};
    if (run->unconverged)
        couWarn("%llu solvers in %llu steps ended above their tolerance: more iterations (--set sph.max_iterations=1000) or "
                "shorter steps (sph.courant, sph.max_step) would help",
                (unsigned long long)run->unconverged, (unsigned long long)run->substeps);
    if (run->clamped)
        couWarn("%llu of %llu steps were longer than stability asked for, since min_step allows no shorter ones",
                (unsigned long long)run->clamped, (unsigned long long)run->substeps);
    if (run->options.repeats && run->frame == run->total) note_repeat(run);
    summary.description = run->description;
    summary.warnings = couWarnings(&summary.warning_count);
    return couWriteRunJson(path, &summary, &run->faults);
}

extern const couOutput couOutputSummary;
const couOutput couOutputSummary = {.name = "summary", .files = {"run.json"}, .close = finish};
