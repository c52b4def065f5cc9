// coulis run: scene -> world -> frames, diagnostics, checkpoints, film. Everything that can be wrong with the input is found before the
// folder is touched. A frame is one couWorld_Advance(): splitting it would change the bits, so an interrupt waits for its end. The
// checkpoint of a frame is written after all its other files: what a checkpoint continues is whole.
#include "app/run.h"
#include "files/file.h"
#include "io/pvd.h"
#include "io/run_files.h"
#include "io/surface_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECKPOINT_SECONDS 60.0 // between checkpoints when --checkpoint-every is not given

typedef struct Run {
    couRunOptions options;
    couFaults faults;
    couScene *scene;
    couWorld *world;           // the scene's
    couCheckpointInfo resumed; // of the checkpoint that was read
    char folder[COU_FOLDER_SIZE];
    bool is_in_place; // goes on in the folder that it resumes
    double fps;
    int first, frame, total; // frames done before, done by now, asked for
    couBounds bounds;        // for an automatic camera, and where planes end
    couCast cast;            // of a resumed run: the bodies that the scene begins with
    couFilming *filming;
    couDiagnostics *diagnostics;
    couBodyFiles *bodies;
    int checkpoint_frame;    // of checkpoint.h5 in the folder, -1: none of this run
    double checkpoint_clock; // couClock() of the last one
    double started;          // couClock()
    double step_seconds;     // spent in the world's steps
    uint64_t particle_steps;
    uint64_t substeps;             // of this program run
    uint64_t unconverged, clamped; // solvers that ended above their tolerance, steps longer than wanted
    uint64_t state_hash;
    bool has_diverged; // the physics or a callback went wrong: to go on would end the same way
} Run;

static bool has_pictures(const Run *run) { return run->options.is_video || run->options.is_picture; }

// --- State ---

// What a checkpoint stores and state_hash covers: the world and the scene's own memory.
static bool save_state(Run *run, couState *state)
{
    void *bytes = NULL;
    size_t size = 0;
    if (!couScene_SaveStore(run->scene, &bytes, &size, &run->faults)) return false;
    bool is_saved = couWorld_SaveState(run->world, state) &&
                    couState_Add(state, "scene/store", "", cou_stateU8, 1, size, bytes) != NULL;
    free(bytes);
    if (!is_saved) couFaults_Add(&run->faults, NULL, NULL, "no memory to save the state");
    return is_saved;
}

static bool load_state(Run *run, const couState *state)
{
    const couStateArray *store = couState_Find(state, "scene/store");
    return couWorld_LoadState(run->world, state, &run->faults) &&
           couScene_LoadStore(run->scene, store && store->data ? store->data : "", store ? store->count : 0, &run->faults);
}

static bool write_checkpoint(Run *run)
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
        is_written = couRotateCheckpoint(run->folder, run->checkpoint_frame >= 0, &info, &state, &run->faults);
    }
    if (is_written) run->checkpoint_frame = run->frame;
    run->checkpoint_clock = couClock();
    couState_Clear(&state);
    return is_written;
}

// --- Before the folder is touched ---

// What the command line leaves open, the checkpoint says.
static bool follow_checkpoint(Run *run)
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

static bool load_scene(Run *run)
{
    couRunOptions *options = &run->options;
    couSceneOptions how = {.method = options->method,
                           .threads = options->threads,
                           .overrides = options->overrides.items,
                           .override_count = options->overrides.count};
    run->scene = couLoadScene(options->scene, &how, &run->faults);
    if (!run->scene) return false;
    run->world = couScene_World(run->scene);
    return couWorld_Prepare(run->world, &run->faults);
}

static bool settle_frames(Run *run)
{
    couRunOptions *options = &run->options;
    run->fps = isnan(options->fps) ? couScene_Fps(run->scene) : options->fps;
    double seconds = isnan(options->seconds) ? couScene_Duration(run->scene) : options->seconds;
    double total = options->frames > 0 ? options->frames : ceil(seconds * run->fps - 1e-6);
    if (!(total >= 1.0 && total <= COU_MAX_FRAMES))
        couFaults_Add(&run->faults, "coulis run", "--frames", "%g s at %g frames per second are %g frames; allowed are 1 to %d",
                      seconds, run->fps, total, COU_MAX_FRAMES);
    else
        run->total = (int)total;
    if (options->is_video && run->fps > 1000.0)
        couFaults_Add(&run->faults, "coulis run", "--video", "a film has at most 1000 frames per second, not %g", run->fps);
    return run->faults.count == 0;
}

static bool restore(Run *run, const couState *state)
{
    const couCheckpointInfo *info = &run->resumed;
    bool has_changed = info->scene_hash != couScene_ContentHash(run->scene);
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
    if (run->faults.count > 0 || !load_state(run, state)) return false;
    run->first = run->frame = info->frame;
    return true;
}

static void choose_folder(Run *run)
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
static bool prepare(Run *run)
{
    couState state = {0};
    const char *resume = run->options.resume;
    bool is_previous = false;
    bool is_ready = (!resume || (couReadLastCheckpoint(resume, &run->resumed, &state, &is_previous, &run->faults) &&
                                 follow_checkpoint(run))) &&
                    load_scene(run) && settle_frames(run);
    if (is_ready) {
        choose_folder(run);
        // before the state is loaded, so that a resumed film keeps its camera and bodies that have left
        run->bounds = couSceneBounds(run->scene, run->total / run->fps);
        if (resume) run->cast = couGatherCast(run->world);
        is_ready = !resume || restore(run, &state);
    }
    if (is_ready && run->is_in_place && !is_previous) run->checkpoint_frame = run->first;
    couState_Clear(&state);
    return is_ready;
}

static void print_start(const Run *run)
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

// --- Pictures ---

static bool find_frame(const char *folder, int frame, char *path)
{
    char name[40];
    snprintf(name, sizeof name, "particles_%06d.vtp", frame);
    if (access(couJoin(path, folder, name), R_OK) == 0) return true;
    snprintf(name, sizeof name, "particles_%06d.ply", frame);
    return access(couJoin(path, folder, name), R_OK) == 0;
}

static bool has_all_frames(const char *folder, int last)
{
    char path[COU_PATH_SIZE];
    for (int frame = 1; frame <= last; frame++)
        if (!find_frame(folder, frame, path)) return false;
    return true;
}

// The frames before the checkpoint, from their files, so that the film is whole.
static bool film_earlier_frames(Run *run)
{
    couProgress progress = couStartProgress("picture", 0, run->first, run->options.is_quiet);
    couBodyTable bodies = {0};
    couFaults table_faults = {0};
    bool is_good = true, has_bodies = couReadBodies(run->options.resume, &bodies, &table_faults);
    if (!has_bodies)
        couWarn("%s %s: bodies in the earlier part of the film are where they are at frame %d", run->options.resume,
                table_faults.count > 0 ? table_faults.items[0].message : "", run->first);
    couFaults_Clear(&table_faults);
    for (int number = 1; is_good && number <= run->first && !couInterrupted(); number++) {
        char path[COU_PATH_SIZE];
        couFrame frame = {0};
        couFaults read_faults = {0};
        if (find_frame(run->options.resume, number, path) && couReadFrame(path, &frame, &read_faults)) {
            frame.time = number / run->fps;
            is_good = couFilming_AddOld(run->filming, &frame, &run->cast, has_bodies ? &bodies : NULL, &run->faults);
            couFreeFrame(&frame);
        } else {
            couWarn("the film lacks frame %d: %s", number, read_faults.count > 0 ? read_faults.items[0].message : "no file");
        }
        couFaults_Clear(&read_faults);
        couProgress_Show(&progress, number, "of the earlier frames");
    }
    couProgress_End(&progress);
    couBodyTable_Clear(&bodies);
    if (couInterrupted()) { // half of an old film is worth less than the film that may be there
        couEndFilming(run->filming, false, &run->faults);
        run->filming = NULL;
    }
    return is_good;
}

static couSurfaceDef run_surface(const Run *run)
{
    couSurfaceChoice choice = couDefaultSurfaceChoice();
    couSurfaceDef def = couReadSurfaceChoice(&choice, "coulis run", NULL);
    def.spacing = couWorld_Def(run->world)->spacing;
    def.threads = couWorld_Def(run->world)->threads;
    return def;
}

static bool start_filming(Run *run)
{
    if (!has_pictures(run)) return true;
    char path[COU_PATH_SIZE];
    couJoin(path, run->folder, "film.mp4");
    bool is_finished = run->first == run->total;
    bool has_earlier = run->first == 0 || has_all_frames(run->options.resume, run->first);
    bool is_filmed = run->options.is_video && !(is_finished && run->is_in_place && access(path, F_OK) == 0);
    if (is_filmed && !has_earlier) {
        couWarn("not all frames before %d are on disk: the film begins at frame %d", run->first, run->first + 1);
        is_filmed = !is_finished;
    }
    couSurfaceDef surface = run_surface(run);
    run->filming = couStartFilming(run->scene, run->bounds, &run->options.pictures, &surface, is_filmed ? path : NULL, run->fps,
                                   &run->faults);
    if (!run->filming) return false;
    return !is_filmed || run->first == 0 || !has_earlier || film_earlier_frames(run);
}

static bool write_picture(Run *run)
{
    char path[COU_PATH_SIZE];
    couFrame frame = {0};
    if (!couCaptureFrame(run->world, &frame)) {
        couFaults_Add(&run->faults, NULL, NULL, "no memory for a picture");
        return false;
    }
    bool is_written = couFilming_Picture(run->filming, &frame, couJoin(path, run->folder, "picture.png"), &run->faults);
    couFreeFrame(&frame);
    return is_written;
}

// --- The run ---

// ParaView's lists of the frames that are there.
static bool write_series(Run *run)
{
    return couWritePvd(run->folder, "particles", run->fps, &run->faults) &&
           couWritePvd(run->folder, "surface", run->fps, &run->faults);
}

// Makes the folder ready: an old run makes way, the one that is resumed is cut back to its checkpoint.
static bool open_folder(Run *run)
{
    if (!couMakeFolder(run->folder, &run->faults)) return false;
    if (run->is_in_place) {
        couCutFrames(run->folder, run->options.is_forced ? run->first : run->total); // forced: what follows may differ
    } else {
        int removed = couRemoveOldRun(run->folder);
        if (removed >= 0 && !run->options.is_quiet)
            printf("replacing an earlier run of %d frame files in %s\n", removed, run->folder);
    }
    char path[COU_PATH_SIZE];
    if (!couWriteCommand(&run->options, run->folder, run->total, run->fps, &run->faults)) return false;
    run->diagnostics = couOpenDiagnostics(couJoin(path, run->folder, "diagnostics.csv"), run->world,
                                          run->is_in_place ? run->first : 0, &run->faults);
    if (!run->diagnostics) return false;
    run->bodies = couOpenRunBodies(run->scene, run->folder, run->fps, run->total, run->bounds, run->is_in_place ? run->first : 0,
                                   &run->faults);
    return run->bodies && write_series(run) && start_filming(run);
}

// How to get smaller steps: by the method's bound on them where it has one, else by the speed that they are chosen for.
static void suggest_cure(const Run *run, const couStepReport *report, char *text, size_t size)
{
    const couWorldDef *def = couWorld_Def(run->world);
    const couParamTable *params = couMethodParams(def->method);
    float speed = fmaxf(def->speed, 1.0f);
    if (isfinite(report->max_speed)) speed = fmaxf(speed, report->max_speed);
    if (couParams_Find(params, "max_step")) {
        double step = 0.1 * (double)report->dt, least[3] = {0};
        couParam_GetNumbers(couParams_Find(params, "min_step"), couWorld_MethodParams(run->world), least);
        int used = snprintf(text, size, "take smaller steps: --set %s.max_step=%.2g", params->name, step);
        if (least[0] > step && used > 0 && (size_t)used < size)
            snprintf(text + used, size - (size_t)used, " --set %s.min_step=%.2g", params->name, 0.1 * step);
        return;
    }
    snprintf(text, size, "a higher 'speed' makes smaller steps: --set speed=%.3g", 2.0 * (double)speed);
}

static void explain_trouble(Run *run, const couStepReport *report)
{
    const char *error = couScene_RuntimeError(run->scene);
    double time = couWorld_Time(run->world);
    char where[32], cure[128], step[96];
    snprintf(where, sizeof where, "frame %d", run->frame + 1);
    snprintf(step, sizeof step, "%s at %.6g s, step %llu of %.3g s", couWorld_Def(run->world)->method, time,
             (unsigned long long)couWorld_StepCount(run->world), (double)report->dt);
    suggest_cure(run, report, cure, sizeof cure);
    if (error) couFaults_Add(&run->faults, where, NULL, "%s", error);
    if (report->nan_count > 0)
        couFaults_Add(&run->faults, where, NULL, "%s: %lld particles are not finite any more, the first is particle %u; %s", step,
                      (long long)report->nan_count, report->first_bad_id, cure);
    else if (report->lost_count > 0)
        couFaults_Add(&run->faults, where, NULL,
                      "%s: %lld particles flew out of reach, the first is particle %u; catch them with a sink or a wall, or %s",
                      step, (long long)report->lost_count, report->first_bad_id, cure);
    else if (report->unstable_step > 0.0f)
        couFaults_Add(
            &run->faults, where, NULL,
            "%s at %.6g s, after step %llu: stability asks for steps of %.2g s (the fastest particle has %.3g m/s), less than a "
            "tenth of what min_step allows; --set %s.min_step=%.1g",
            couWorld_Def(run->world)->method, time, (unsigned long long)couWorld_StepCount(run->world),
            (double)report->unstable_step, (double)report->max_speed, couMethodParams(couWorld_Def(run->world)->method)->name,
            0.1 * (double)report->unstable_step);
    else if (report->bad_body1)
        couFaults_Add(&run->faults, where, NULL, "%s: the body '%s' is not finite any more; %s", step,
                      couWorld_Body(run->world, couWorld_BodyAt(run->world, report->bad_body1 - 1))->name, cure);
    if (run->checkpoint_frame >= 0)
        couFaults_Add(
            &run->faults, where, NULL,
            "the last good checkpoint, frame %d, is kept in %.200s; --resume with --force and another --set goes on from there",
            run->checkpoint_frame, run->folder);
    run->has_diverged = true;
}

// One frame; it ends at frame / fps to the last bit of the sum. False when the physics or a callback of the scene went wrong.
static bool advance(Run *run, couStepReport *report, double *seconds)
{
    double started = couClock();
    *report = couWorld_Advance(run->world, (run->frame + 1) / run->fps - couWorld_Time(run->world));
    *seconds = couClock() - started;
    run->step_seconds += *seconds;
    run->particle_steps += report->particle_steps;
    run->substeps += (uint64_t)report->substeps;
    run->unconverged += (uint64_t)report->unconverged_count;
    run->clamped += (uint64_t)report->clamped_count;
    bool is_healthy = report->nan_count == 0 && report->lost_count == 0 && !report->bad_body1 &&
                      !(report->unstable_step > 0.0f) && !couScene_RuntimeError(run->scene);
    if (is_healthy)
        run->frame++;
    else
        explain_trouble(run, report);
    return is_healthy;
}

// The surface of a frame, in every kind that was asked for; one that would need too much memory is left out with a warning.
static bool write_surface(Run *run, const couFrame *frame)
{
    const couRunOptions *options = &run->options;
    const couWorldDef *def = couWorld_Def(run->world);
    couSurfaceDef how = run_surface(run);
    couSurfacePoints points = couFramePoints(frame, def->dimension);
    couVec3 colors[256];
    for (; points.color_count < couWorld_MaterialCount(run->world) && points.color_count < 256; points.color_count++)
        colors[points.color_count] = couWorld_Material(run->world, couWorld_MaterialAt(run->world, points.color_count))->color;
    points.colors = colors;
    couSurface surface;
    couFaults faults = {0};
    if (!couBuildSurface(&how, &points, &surface, &faults)) {
        couWarn("there is no surface of frame %d: %s", run->frame, faults.count > 0 ? faults.items[0].message : "");
        couFaults_Clear(&faults);
        return true; // the run is worth more than its surface
    }
    bool is_flat = def->dimension == 2;
    char formats[32];
    snprintf(formats, sizeof formats, "%s%s%s%s", is_flat ? ",svg" : "", options->has_surface_obj && !is_flat ? ",obj" : "",
             options->has_surface_ply && !is_flat ? ",ply" : "", options->has_surface_vtp ? ",vtp" : "");
    bool is_written = couWriteSurfaceFrame(run->folder, run->frame, formats + 1, &surface, frame->time, &run->faults);
    couSurface_Clear(&surface);
    return is_written;
}

static bool write_frame(Run *run)
{
    const couRunOptions *options = &run->options;
    bool is_filmed = options->is_video;
    if (!options->has_vtp && !options->has_ply && !is_filmed && !options->has_surface) return true;
    couFrame frame = {0};
    char path[COU_PATH_SIZE], name[40];
    if (!couCaptureFrame(run->world, &frame)) {
        couFaults_Add(&run->faults, NULL, NULL, "no memory for a frame");
        return false;
    }
    bool is_written = true;
    snprintf(name, sizeof name, "particles_%06d.vtp", run->frame);
    if (options->has_vtp) is_written = couWriteVtp(couJoin(path, run->folder, name), &frame, &run->faults);
    snprintf(name, sizeof name, "particles_%06d.ply", run->frame);
    if (is_written && options->has_ply) is_written = couWritePly(couJoin(path, run->folder, name), &frame, &run->faults);
    if (is_written && options->has_surface) is_written = write_surface(run, &frame);
    if (is_written && is_filmed) is_written = couFilming_Add(run->filming, &frame, &run->faults);
    couFreeFrame(&frame);
    return is_written;
}

static bool is_checkpoint_due(const Run *run)
{
    int every = run->options.checkpoint_every;
    if (run->frame == run->total || every == 0) return false; // the last one is written by finish()
    return every > 0 ? run->frame % every == 0 : couClock() - run->checkpoint_clock >= CHECKPOINT_SECONDS;
}

static void show(const Run *run, couProgress *progress)
{
    char count[32], rate[32], note[96];
    snprintf(note, sizeof note, "%s particles, %s particle-steps/s",
             couFormatCount(count, sizeof count, couWorld_Particles(run->world).count),
             couFormatRate(rate, sizeof rate, run->step_seconds > 0 ? (double)run->particle_steps / run->step_seconds : 0.0));
    couProgress_Show(progress, run->frame, note);
}

static bool run_frames(Run *run)
{
    couProgress progress = couStartProgress("frame", run->first, run->total, run->options.is_quiet);
    bool is_good = true;
    while (is_good && run->frame < run->total && !couInterrupted()) {
        couStepReport report;
        double seconds;
        is_good = advance(run, &report, &seconds) && write_frame(run) &&
                  couBodyFiles_Write(run->bodies, run->world, run->frame, &run->faults) &&
                  couDiagnostics_Write(run->diagnostics, run->world, run->frame, &report, seconds, &run->faults) &&
                  (!is_checkpoint_due(run) || write_checkpoint(run));
        if (is_good) show(run, &progress);
    }
    couProgress_End(&progress);
    return is_good;
}

// --- The end ---

// A finished run that is resumed keeps the run.json of the time when it ran.
static bool has_same_json(const Run *run, const char *path)
{
    couFaults faults = {0};
    json_t *json = access(path, F_OK) == 0 ? couReadJson(path, 1 << 22, &faults) : NULL;
    char hash[32], expected[32];
    snprintf(expected, sizeof expected, "%016llx", (unsigned long long)run->state_hash);
    couJson_Text(json, "state_hash", hash, sizeof hash);
    bool is_same = strcmp(hash, expected) == 0 && couJson_Number(json, "frames") == run->frame;
    json_decref(json);
    couFaults_Clear(&faults);
    return is_same;
}

static bool write_json(Run *run)
{
    char path[COU_PATH_SIZE];
    couJoin(path, run->folder, "run.json");
    if (run->is_in_place && run->first == run->frame && has_same_json(run, path)) return true;
    const couWorldDef *def = couWorld_Def(run->world);
    couRunSummary summary = {.scene = run->options.scene,
                             .method = def->method,
                             .particles = couWorld_Particles(run->world).count,
                             .frames = run->frame,
                             .steps = couWorld_StepCount(run->world),
                             .simulated_seconds = couWorld_Time(run->world),
                             .wall_seconds = couClock() - run->started,
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
    summary.warnings = couWarnings(&summary.warning_count);
    return couWriteRunJson(path, &summary, &run->faults);
}

static bool compute_hash(Run *run)
{
    couState state = {0};
    bool is_saved = save_state(run, &state);
    if (is_saved) run->state_hash = couState_Hash(&state);
    couState_Clear(&state);
    return is_saved;
}

// Film and picture of a run that stopped early are kept too: what there is of them is good.
static bool close_pictures(Run *run)
{
    if (!run->filming) return true;
    bool is_written = write_picture(run);
    couFilming *filming = run->filming;
    run->filming = NULL;
    return couEndFilming(filming, true, &run->faults) && is_written;
}

static bool close_tables(Run *run)
{
    couDiagnostics *diagnostics = run->diagnostics;
    couBodyFiles *bodies = run->bodies;
    run->diagnostics = NULL;
    run->bodies = NULL;
    bool is_closed = couCloseDiagnostics(diagnostics, &run->faults);
    return couCloseBodyFiles(bodies, &run->faults) && is_closed;
}

static bool finish(Run *run)
{
    bool is_saved = run->checkpoint_frame == run->frame ? compute_hash(run) : write_checkpoint(run);
    return is_saved && close_tables(run) && write_series(run) && close_pictures(run) && write_json(run);
}

static void print_end(const Run *run)
{
    if (run->options.is_quiet) return;
    const couRunOptions *options = &run->options;
    double wall = couClock() - run->started;
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
    printf("%s%s\n", options->is_video ? " film.mp4" : "", has_pictures(run) ? " picture.png" : "");
}

static void print_resume(const Run *run)
{
    char command[4 * COU_FOLDER_SIZE + 64];
    if (run->checkpoint_frame < 0 || run->has_diverged) return;
    couFormatResume(run->folder, command, sizeof command);
    fprintf(stderr, "go on after frame %d with: %s\n", run->checkpoint_frame, command);
}

static int produce(Run *run)
{
    run->started = run->checkpoint_clock = couClock();
    couCatchInterrupts();
    bool is_good = open_folder(run) && run_frames(run) && finish(run);
    if (!is_good) {
        couFail(&run->faults, cou_exitFailed);
        print_resume(run);
        return cou_exitFailed;
    }
    print_end(run);
    if (run->frame == run->total) return cou_exitWell;
    fflush(stdout);
    fprintf(stderr, "interrupted after frame %d of %d\n", run->frame, run->total);
    print_resume(run);
    return cou_exitFailed;
}

static int clean_up(Run *run, int code)
{
    couFaults ignored = {0}; // what counts has been said
    couCloseDiagnostics(run->diagnostics, &ignored);
    couCloseBodyFiles(run->bodies, &ignored);
    couEndFilming(run->filming, run->frame > run->first, &ignored);
    couCast_Clear(&run->cast);
    if (run->scene) couCloseScene(run->scene);
    couFreeRunOptions(&run->options);
    couFaults_Clear(&ignored);
    couFaults_Clear(&run->faults);
    return code;
}

int couCommandRun(int argc, char **argv)
{
    Run run = {.checkpoint_frame = -1};
    if (couReadRunOptions(&run.options, argc, argv, &run.faults)) return clean_up(&run, cou_exitWell);
    if (run.options.is_quiet) couSilenceNotes();
    if (run.faults.count > 0 || !prepare(&run)) return clean_up(&run, couFail(&run.faults, cou_exitBadInput));
    print_start(&run);
    return clean_up(&run, produce(&run));
}
