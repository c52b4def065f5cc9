// coulis run: scene -> world -> frames -> outputs. Everything that can be wrong with the input is found before the folder is
// touched. A frame is one couWorld_Advance(): splitting it would change the bits, so an interrupt waits for its end. What is
// made of a frame is the outputs' affair (run_outputs.h).
#include "app/run_outputs.h"
#include "base/base.h"
#include "world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Before the folder is touched ---

// What the command line leaves open, the checkpoint says.
static bool follow_checkpoint(couRun *run)
{
    couRunOptions *options = &run->options;
    const couCheckpointInfo *info = &run->resumed;
    if (!options->scene) options->scene = info->scene;
    if (!options->method) options->method = info->method;
    if (isnan(options->fps)) options->fps = info->fps;
    if (strcmp(options->method, info->method) != 0)
        couFaults_Add(&run->faults, "coulis run", "--method", "the checkpoint was computed with %s, not with %s", info->method,
                      options->method);
    if (!(fabs(options->fps - info->fps) <= 1e-9 * info->fps))
        couFaults_Add(&run->faults, "coulis run", "--fps", "the checkpoint has %g frames per second, not %g", info->fps,
                      options->fps);
    return run->faults.count == 0;
}

static bool load_scene(couRun *run)
{
    couRunOptions *options = &run->options;
    couSceneOptions how = {.method = options->method,
                           .threads = options->threads,
                           .overrides = options->overrides.items,
                           .override_count = options->overrides.count,
                           .is_interrupted = couInterrupted};
    run->scene = couLoadScene(options->scene, &how, &run->faults);
    if (!run->scene) return false;
    run->world = couScene_World(run->scene);
    if (options->repeats && options->scene_hash != couScene_ContentHash(run->scene)) {
        couFaults_Add(&run->faults, options->repeats, "scene_hash",
                      "the scene's copy, '%.200s', or what it requires has changed since: its hash is %016llx, not %016llx",
                      options->scene, (unsigned long long)couScene_ContentHash(run->scene),
                      (unsigned long long)options->scene_hash);
        return false;
    }
    return couScene_Prepare(run->scene, &run->faults);
}

static bool settle_frames(couRun *run)
{
    couRunOptions *options = &run->options;
    run->fps = isnan(options->fps) ? couScene_Fps(run->scene) : options->fps;
    double seconds = isnan(options->seconds) ? couScene_Duration(run->scene) : options->seconds;
    double total = options->frames >= 0 ? options->frames : couCountFrames(seconds, run->fps);
    if (!(total >= (options->frames == 0 ? 0.0 : 1.0) && total <= COU_MAX_FRAMES))
        couFaults_Add(&run->faults, "coulis run", "--frames", "%g s at %g frames per second are %g frames; allowed are 1 to %d",
                      seconds, run->fps, total, COU_MAX_FRAMES);
    else
        run->total = (int)total;
    if (options->is_video && run->total == 0 && run->faults.count == 0)
        couFaults_Add(&run->faults, "coulis run", "--video",
                      "a film needs frames: --frames 0 has none; --picture shows the start");
    if (options->is_video && run->fps > 1000.0)
        couFaults_Add(&run->faults, "coulis run", "--video", "a film has at most 1000 frames per second, not %g", run->fps);
    return run->faults.count == 0;
}

// The columns that were asked for must be there, and those that colours are found from.
static bool check_columns(couRun *run)
{
    const couRunOptions *options = &run->options;
    const char *method = couWorld_Def(run->world)->method, *by = run->colors.by;
    if (options->asks_pressure && !couFindMethodTraits(method)->has_pressure)
        couFaults_Add(&run->faults, "coulis run", "--columns", "%s has no pressure; density shows where it is pressed", method);
    bool is_missing = (strcmp(by, "density") == 0 && (options->left_out & cou_frameDensity)) ||
                      (strcmp(by, "pressure") == 0 && options->has_no_pressure) ||
                      (strcmp(by, "material") == 0 && (options->left_out & cou_frameMaterial)) ||
                      ((strcmp(by, "speed") == 0 || by[0] == 'v') && (options->left_out & cou_frameVelocity));
    if (is_missing) couFaults_Add(&run->faults, "coulis run", "--columns", "leaves out what --color-by shows: %s", by);
    return run->faults.count == 0;
}

// What film and picture colour particles by: a column that the method has, and frames to find its scale from.
static bool choose_colors(couRun *run)
{
    couRunOptions *options = &run->options;
    if (!options->is_video && !options->is_picture) return true;
    couColors own = couScene_Colors(run->scene);
    run->colors = couChooseColors(&options->pictures, &own, "coulis run", &run->faults);
    if (run->faults.count > 0 || !run->colors.by[0]) return run->faults.count == 0;
    const char *const *names = couFrameColumnNames();
    int count = 0;
    while (names[count] && strcmp(names[count], run->colors.by) != 0) ++count;
    const char *method = couWorld_Def(run->world)->method;
    if (!names[count])
        couAddUnknown("coulis run", "--color-by", "column", run->colors.by, names, count, &run->faults);
    else if (strcmp(run->colors.by, "pressure") == 0 && !couFindMethodTraits(method)->has_pressure)
        couFaults_Add(&run->faults, "coulis run", "--color-by", "%s has no pressure; density shows where it is pressed", method);
    bool is_auto = isnan(run->colors.low) || isnan(run->colors.high);
    if (is_auto && !options->has_vtp && !options->has_ply)
        couFaults_Add(&run->faults, "coulis run", "--color-range",
                      "an automatic scale is found in the frame files: give --color-range LOW,HIGH, or --export vtk");
    return run->faults.count == 0;
}

// A run that once went on with another scene stays one that did.
static bool was_altered(const char *folder)
{
    char path[COU_PATH_SIZE];
    couFaults ignored = {0};
    json_t *json = couReadJson(couJoin(path, folder, "run.json"), 1 << 26, &ignored);
    bool is_altered = json_is_true(json_object_get(json, "is_altered"));
    json_decref(json);
    couFaults_Clear(&ignored);
    return is_altered;
}

static bool restore(couRun *run, const couState *state)
{
    const couCheckpointInfo *info = &run->resumed;
    bool has_changed = info->scene_hash != couScene_ContentHash(run->scene);
    run->is_altered = has_changed || was_altered(run->options.resume);
    if (has_changed && run->options.is_forced)
        couWarn("the scene has changed since the checkpoint of frame %d was written", info->frame);
    if (has_changed && !run->options.is_forced)
        couFaults_Add(
            &run->faults, run->options.resume, NULL,
            "the scene '%.100s' or its --set values have changed since the checkpoint was written; --force goes on anyway",
            run->options.scene);
    if (info->frame > run->total)
        couFaults_Add(&run->faults, "coulis run", "--frames", "%d in total, but the checkpoint is already at frame %d",
                      run->total, info->frame);
    if (run->faults.count > 0 || !couRun_LoadState(run, state)) return false;
    double time = couWorld_Time(run->world), end = info->frame / run->fps;
    if (!(fabs(time - end) <= 1e-6 * (1 + end))) {
        couFaults_Add(&run->faults, run->options.resume, "time", "frame %d ends at %g s, but the saved state is of %g s",
                      info->frame, end, time);
        return false;
    }
    run->first = run->frame = info->frame;
    return true;
}

static void choose_folder(couRun *run)
{
    const couRunOptions *options = &run->options;
    if (options->out)
        snprintf(run->folder, sizeof run->folder, "%s", options->out);
    else if (options->resume)
        snprintf(run->folder, sizeof run->folder, "%s", options->resume);
    else
        couDefaultFolder(options->scene, run->folder, sizeof run->folder);
    run->is_in_place = options->resume && couIsSameFolder(options->resume, run->folder);
}

// Reads all input. On false the faults say why.
static bool prepare(couRun *run)
{
    couState state = {0};
    const char *resume = run->options.resume;
    bool is_previous = false;
    bool is_ready = (!resume || (couReadLastCheckpoint(resume, &run->resumed, &state, &is_previous, &run->faults) &&
                                 follow_checkpoint(run))) &&
                    load_scene(run) && settle_frames(run) && choose_colors(run) && check_columns(run);
    if (is_ready) {
        choose_folder(run);
        // before the state is loaded, so that a resumed film keeps its camera and bodies that have left
        run->bounds = couSceneBounds(run->scene, run->total / run->fps);
        run->cast = couGatherCast(run->world);
        is_ready = !resume || restore(run, &state);
    }
    if (is_ready && run->is_in_place && !is_previous) run->checkpoint_frame = run->first;
    couState_Clear(&state);
    return is_ready;
}

// What the journal begins with: with what, and how, the run was made.
static void note_start(const couRun *run, int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    for (int i = 0; stream && i < argc; ++i) fprintf(stream, " %s", argv[i]);
    if (stream && fclose(stream) == 0) couJournal("coulis%s", text);
    free(text);
    couJournal("version %s, commit %s, %s", COU_VERSION, couBuildCommit(), couBuildCompiler());
    const couWorldDef *def = couWorld_Def(run->world);
    couJournal("%s: %zu particles, spacing %g m, %s in %dD, %d threads, frames %d to %d at %g per second", run->options.scene,
               couWorld_Particles(run->world).count, def->spacing, def->method, def->dimension, couThreadCount(def->threads),
               run->first, run->total, run->fps);
}

static void print_start(const couRun *run)
{
    if (run->options.is_quiet) return;
    const couWorldDef *def = couWorld_Def(run->world);
    const char *choices = couWorld_Choices(run->world);
    size_t length = strlen(choices);
    char count[32];
    printf("%s: %s\n", run->options.scene, couScene_Title(run->scene));
    printf("%s particles, spacing %g m, %s in %dD, %d threads\n",
           couFormatCount(count, sizeof count, couWorld_Particles(run->world).count), def->spacing, def->method, def->dimension,
           couThreadCount(def->threads));
    printf("%s%s", choices, length > 0 && choices[length - 1] != '\n' ? "\n" : "");
    if (run->first > 0) printf("going on after frame %d\n", run->first);
    printf("frames %d to %d, %g per second, into %s\n", run->first + 1 < run->total ? run->first + 1 : run->total, run->total,
           run->fps, run->folder);
    fflush(stdout);
}

// --- The run ---

// Makes the folder ready: an old run makes way, the one that is resumed is cut back to its checkpoint.
static bool clear_folder(couRun *run)
{
    if (run->is_in_place) {
        couCutFrames(&run->manifest, run->options.is_forced ? run->first : run->total); // forced: what follows may differ
    } else {
        int removed = couRemoveOldRun(&run->manifest);
        if (removed >= 0 && !run->options.is_quiet)
            printf("replacing an earlier run of %d frame files in %s\n", removed, run->folder);
    }
    char path[COU_PATH_SIZE];
    return couClaimPath(&run->manifest, "log.txt", path, &run->faults) && couOpenJournal(path, &run->faults) &&
           couManifest_Claim(&run->manifest, "command.txt", &run->faults) &&
           couWriteCommand(&run->options, run->folder, run->total, run->fps, &run->faults) && couRun_CopyScene(run);
}

// ", or without suction: --set sph.clamp=true" where the method's pressures pull.
static void suggest_clamp(const couRun *run, char *text, size_t size)
{
    const couParamTable *params = couMethodParams(couWorld_Def(run->world)->method);
    const couParam *clamp = couParams_Find(params, "clamp");
    double is_clamped[3] = {1};
    if (clamp) couParam_GetNumbers(clamp, couWorld_MethodParams(run->world), is_clamped);
    text[0] = 0;
    if (is_clamped[0] == 0.0) snprintf(text, size, ", or without suction: --set %s.clamp=true", params->name);
}

// How to get smaller steps: by the method's bound on them where it has one, else by the speed that they are chosen for.
static void suggest_cure(const couRun *run, const couStepReport *report, char *text, size_t size)
{
    const couWorldDef *def = couWorld_Def(run->world);
    const couParamTable *params = couMethodParams(def->method);
    float speed = fmaxf(def->speed, 1.0f);
    if (isfinite(report->max_speed)) speed = fmaxf(speed, report->max_speed);
    if (couParams_Find(params, "max_step")) {
        double step = 0.1 * (double)report->dt, least[3] = {0};
        couParam_GetNumbers(couParams_Find(params, "min_step"), couWorld_MethodParams(run->world), least);
        char clamp[64], bound[64] = "";
        suggest_clamp(run, clamp, sizeof clamp);
        if (least[0] > step) snprintf(bound, sizeof bound, " --set %s.min_step=%.2g", params->name, 0.1 * step);
        snprintf(text, size, "take smaller steps: --set %s.max_step=%.2g%s%s", params->name, step, bound, clamp);
        return;
    }
    snprintf(text, size, "a higher 'speed' makes smaller steps: --set speed=%.3g", 2.0 * (double)speed);
}

// Without a cure, suction is what did it.
static void explain_runaway(couRun *run, const couStepReport *report, const char *where, const char *step, const char *cure)
{
    char reason[320];
    if (cure)
        snprintf(reason, sizeof reason, "more liquid than a closed box can hold does so, and walls thinner than a spacing; %s",
                 cure);
    else
        snprintf(reason, sizeof reason, "suction (clamp = false) tears a free surface apart; --set %s.clamp=true",
                 couMethodParams(couWorld_Def(run->world)->method)->name);
    couFaults_Add(&run->faults, where, NULL,
                  "%s: the liquid runs away: its particles have %.3g m/s (root mean square; the fastest %.3g m/s), where falls, "
                  "jets, bodies and tension give %.3g m/s; %s",
                  step, (double)report->runaway_speed, (double)report->max_speed, (double)report->allowed_speed, reason);
}

static void explain_trouble(couRun *run, const couStepReport *report)
{
    const char *error = couScene_RuntimeError(run->scene);
    double time = couWorld_Time(run->world);
    char where[32], cure[224], step[96], clamp[64];
    snprintf(where, sizeof where, "frame %d", run->frame + 1);
    snprintf(step, sizeof step, "%s at %.6g s, step %llu of %.3g s", couWorld_Def(run->world)->method, time,
             (unsigned long long)couWorld_StepCount(run->world), (double)report->dt);
    suggest_cure(run, report, cure, sizeof cure);
    suggest_clamp(run, clamp, sizeof clamp);
    if (error) couFaults_Add(&run->faults, where, NULL, "%s", error);
    if (report->nan_count > 0)
        couFaults_Add(&run->faults, where, NULL, "%s: %lld particles are not finite any more, the first is particle %u; %s", step,
                      (long long)report->nan_count, report->first_bad_id, cure);
    else if (report->lost_count > 0)
        couFaults_Add(&run->faults, where, NULL,
                      "%s: %lld particles flew out of reach, the first is particle %u; catch them with a sink or a wall, or %s",
                      step, (long long)report->lost_count, report->first_bad_id, cure);
    else if (report->runaway_speed > 0.0f)
        explain_runaway(run, report, where, step, clamp[0] ? NULL : cure);
    else if (report->unstable_step > 0.0f)
        couFaults_Add(
            &run->faults, where, NULL,
            "%s at %.6g s, after step %llu: stability asks for steps of %.2g s (the fastest particle has %.3g m/s), less than a "
            "tenth of what min_step allows; --set %s.min_step=%.1g%s",
            couWorld_Def(run->world)->method, time, (unsigned long long)couWorld_StepCount(run->world),
            (double)report->unstable_step, (double)report->max_speed, couMethodParams(couWorld_Def(run->world)->method)->name,
            0.1 * (double)report->unstable_step, clamp);
    else if (report->bad_body.index1)
        couFaults_Add(&run->faults, where, NULL, "%s: the body '%s' is not finite any more; %s", step,
                      couWorld_Body(run->world, report->bad_body)->name, cure);
    else if (report->bad_solid.index1)
        couFaults_Add(&run->faults, where, NULL,
                      "%s: the solid '%s' is not finite any more: its model diverges, or it is "
                      "pressed harder than it bears; %s",
                      step, couWorld_Solid(run->world, report->bad_solid)->name, cure);
    else if (report->is_out_of_memory)
        couFaults_Add(&run->faults, where, NULL, "%s: out of memory with %zu particles", step,
                      couWorld_Particles(run->world).count);
    if (run->checkpoint_frame >= 0)
        couFaults_Add(
            &run->faults, where, NULL,
            "the last good checkpoint, frame %d, is kept in %.200s; --resume with --force and another --set goes on from there",
            run->checkpoint_frame, run->folder);
    run->has_diverged = true;
}

// One frame; it ends at frame / fps to the last bit of the sum. False when the physics or a callback of the scene went wrong.
static bool advance(couRun *run)
{
    double started = couSeconds();
    couStepReport *report = &run->report;
    *report = couWorld_Advance(run->world, (run->frame + 1) / run->fps - couWorld_Time(run->world));
    run->frame_seconds = couSeconds() - started;
    run->step_seconds += run->frame_seconds;
    run->particle_steps += report->particle_steps;
    run->substeps += (uint64_t)report->substeps;
    run->unconverged += (uint64_t)report->unconverged_count;
    run->clamped += (uint64_t)report->clamped_count;
    bool is_healthy = !couStepReport_HasFailed(report) && !(report->unstable_step > 0.0f) && !(report->runaway_speed > 0.0f) &&
                      !couScene_RuntimeError(run->scene);
    if (is_healthy)
        ++run->frame;
    else
        explain_trouble(run, report);
    return is_healthy;
}

// ", p1 4405 Pa, level 0.2 m": the first gauges' last values.
static void append_gauges(const couWorld *world, char *note, size_t size)
{
    enum { SHOWN = 3 };
    int columns = couWorld_GaugeColumnCount(world);
    for (int c = 0, shown = 0; c < columns && shown < SHOWN; ++c) {
        couGaugeColumn column = couWorld_GaugeColumnAt(world, c);
        if (!column.gauge.index1 || column.is_quality) continue;
        double value = world->gauges.values.items[c];
        size_t used = strlen(note);
        if (isnan(value)) continue;
        snprintf(note + used, size - used, ", %s %.4g%s%s", column.name, value, column.unit[0] ? " " : "", column.unit);
        ++shown;
    }
}

static void show(const couRun *run, couProgress *progress)
{
    char count[32], rate[32], note[256];
    snprintf(note, sizeof note, "%s particles, %s particle-steps/s",
             couFormatCount(count, sizeof count, couWorld_Particles(run->world).count),
             couFormatRate(rate, sizeof rate, run->step_seconds > 0 ? (double)run->particle_steps / run->step_seconds : 0.0));
    append_gauges(run->world, note, sizeof note);
    couProgress_Show(progress, run->frame, note);
}

static bool run_frames(couRun *run)
{
    couProgress progress = couStartProgress("frame", run->first, run->total, run->options.is_quiet);
    bool is_good = run->first > 0 || run->options.resume || couGiveStart(run);
    while (is_good && run->frame < run->total && !couInterrupted()) {
        is_good = advance(run) && couGiveFrame(run);
        if (is_good) show(run, &progress);
    }
    couProgress_End(&progress);
    return is_good;
}

// --- The end ---

static void print_end(const couRun *run)
{
    double wall = couSeconds() - run->started;
    couJournal("%d frames of %d, %llu steps in %.1f s, state hash %016llx", run->frame, run->total,
               (unsigned long long)couWorld_StepCount(run->world), wall, (unsigned long long)run->state_hash);
    if (run->options.is_quiet) return;
    const couRunOptions *options = &run->options;
    char a[32], b[32], c[32];
    printf("%d frames, %g s of simulated time%s; %d frames computed in %s\n", run->frame, couWorld_Time(run->world),
           run->frame < run->total ? " (interrupted)" : "", run->frame - run->first, couFormatSeconds(a, sizeof a, wall));
    printf("%s particles, %s steps", couFormatCount(a, sizeof a, couWorld_Particles(run->world).count),
           couFormatCount(b, sizeof b, couWorld_StepCount(run->world)));
    if (run->step_seconds > 0.0)
        printf(", %s particle-steps/s", couFormatRate(c, sizeof c, (double)run->particle_steps / run->step_seconds));
    printf("\nstate hash %016llx\n%s: run.json diagnostics.csv%s%s checkpoint.h5", (unsigned long long)run->state_hash,
           run->folder, options->has_vtp ? " particles_*.vtp" : "", options->has_ply ? " particles_*.ply" : "");
    if (options->has_surface) printf(" surface_*");
    if (couWorld_GaugeColumnCount(run->world) > 0) printf(" gauges.csv gauges.svg");
    printf("%s%s\n", options->is_video ? " film.mp4" : "", options->is_video || options->is_picture ? " picture.png" : "");
}

static void print_resume(const couRun *run)
{
    char command[4 * COU_FOLDER_SIZE + 64];
    if (run->checkpoint_frame < 0 || run->has_diverged) return;
    couFormatResume(run->folder, command, sizeof command);
    fprintf(stderr, "go on after frame %d with: %s\n", run->checkpoint_frame, command);
}

// A hash that differs has been warned of when run.json was written.
static int compare_repeat(const couRun *run)
{
    bool is_same = run->state_hash == run->options.state_hash;
    if (is_same && !run->options.is_quiet) printf("the same state hash as %s: the run is repeated\n", run->options.repeats);
    return is_same ? cou_exitWell : cou_exitFailed;
}

static int produce(couRun *run)
{
    run->started = run->checkpoint_clock = couSeconds();
    couCatchInterrupts();
    bool is_good = clear_folder(run) && couOpenOutputs(run) && run_frames(run) && couCloseOutputs(run);
    // Once more: the encoder of a run that was killed may have lived on for a moment, and left its film after we looked.
    couManifest_RemoveLeftovers(&run->manifest);
    if (!is_good) {
        couFail(&run->faults, cou_exitFailed);
        print_resume(run);
        return cou_exitFailed;
    }
    print_end(run);
    if (run->frame == run->total && !run->options.repeats) return cou_exitWell;
    if (run->frame == run->total) return compare_repeat(run);
    fflush(stdout);
    fprintf(stderr, "interrupted after frame %d of %d\n", run->frame, run->total);
    print_resume(run);
    return cou_exitFailed;
}

static int clean_up(couRun *run, int code)
{
    couDiscardOutputs(run);
    couCloseJournal();
    json_decref(run->description);
    couManifest_Clear(&run->manifest);
    couCast_Clear(&run->cast);
    if (run->scene) couCloseScene(run->scene);
    couFreeRunOptions(&run->options);
    couFaults_Clear(&run->faults);
    return code;
}

int couCommandRun(int argc, char **argv)
{
    couRun run = {.checkpoint_frame = -1};
    couStartJournal();
    if (couReadRunOptions(&run.options, argc, argv, &run.faults)) return clean_up(&run, cou_exitWell);
    if (run.options.is_quiet) couSilenceNotes();
    if (run.faults.count > 0 || !prepare(&run) || !couRun_OpenFolder(&run))
        return clean_up(&run, couFail(&run.faults, cou_exitBadInput));
    note_start(&run, argc, argv);
    print_start(&run);
    run.description = couRun_Describe(&run, argc, argv);
    return clean_up(&run, produce(&run));
}
