// film.mp4 and picture.png. Frames are drawn as they are computed. When a run goes on, the frames before come from their files,
// with the bodies where bodies.csv has them, so that the film is whole; this has a progress of its own. The picture is of the
// last frame. Colours by a number whose scale is automatic are known when the last frame is: then all frames come from their
// files, at the end.
#include "app/run_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Filming {
    couStudio *studio;
    couFilm *film;   // NULL: the picture alone
    int frame_count; // in the film
    bool is_late;    // studio and film are opened when the scale of colours is known
    bool has_late_film;
} Filming;

static bool is_wanted(const couRun *run) { return run->options.is_video || run->options.is_picture; }

// A film of nothing is none. NULL is fine.
static bool end_filming(Filming *filming, bool is_kept, couFaults *faults)
{
    if (!filming) return true;
    bool is_closed = true, is_film = is_kept && filming->frame_count > 0;
    if (filming->film && is_film) is_closed = couCloseFilm(filming->film, faults);
    if (filming->film && !is_film) couDiscardFilm(filming->film);
    couCloseStudio(filming->studio);
    free(filming);
    return is_closed;
}

// `film` NULL: no film.
static bool open_studio(couRun *run, Filming *filming, const char *film)
{
    const couPictureStyle *style = &run->options.pictures.style;
    couSurfaceDef surface = couRun_Surface(run);
    filming->studio = couOpenSceneStudio(run->scene, run->bounds, NULL, style, &surface, &run->colors, run->fps, &run->faults);
    if (filming->studio && film) filming->film = couOpenFilm(film, style->width, style->height, run->fps, &run->faults);
    return filming->studio && (!film || filming->film);
}

static Filming *start_filming(couRun *run, const char *film)
{
    Filming *filming = calloc(1, sizeof *filming);
    if (!filming) {
        couFaults_Add(&run->faults, NULL, NULL, "no memory for pictures");
        return NULL;
    }
    filming->is_late = run->colors.by[0] && (isnan(run->colors.low) || isnan(run->colors.high));
    filming->has_late_film = filming->is_late && film;
    if (filming->is_late || open_studio(run, filming, film)) return filming;
    end_filming(filming, false, &run->faults);
    return NULL;
}

// `table` NULL: the bodies are where the world has them. A frame's time is that of its number, to the last bit, whether it comes
// from memory or from a file.
static bool draw(couRun *run, Filming *filming, const couFrame *frame, const couBodyTable *table, couImage *image)
{
    couFrame drawn = *frame;
    int count = 0, number = (int)lround(frame->time * run->fps);
    drawn.time = number / run->fps;
    couPictureBody *bodies = table ? couFindBodies(&run->cast, table, number, &count) : couCollectBodies(run->world, &count);
    float *values = couFindValues(&run->colors, frame, NULL, &run->faults);
    couFrame samples = {0};
    bool has_samples = run->options.pictures.style.has_samples;
    const char *folder = number <= run->first ? run->options.resume : run->folder;
    couSolidCast solids = table ? couFindSolids(run->world, folder, number) : couCollectSolids(run->world);
    couProps props = couMakeProps(bodies, count, &solids);
    bool is_done = (values || !run->colors.by[0]) && (!has_samples || couReadSamples(folder, number, &samples, &run->faults)) &&
                   couStudio_Draw(filming->studio, &drawn, values, has_samples ? &samples : NULL, number, props, image, NULL,
                                  &run->faults);
    couSolidCast_Clear(&solids);
    couFreeFrame(&samples);
    free(values);
    free(bodies);
    return is_done;
}

static bool film_frame(couRun *run, Filming *filming, const couFrame *frame, const couBodyTable *table)
{
    couImage image = {0};
    if (!draw(run, filming, frame, table, &image)) return false;
    bool is_added = couFilm_AddFrame(filming->film, &image, &run->faults);
    if (is_added) ++filming->frame_count;
    couFreeImage(&image);
    return is_added;
}

// --- The frames of a run that goes on ---

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
    for (int frame = 1; frame <= last; ++frame)
        if (!find_frame(folder, frame, path)) return false;
    return true;
}

// A frame that cannot be read is left out with a warning.
static bool film_earlier_frame(couRun *run, Filming *filming, const char *folder, int number, const couBodyTable *bodies)
{
    char path[COU_PATH_SIZE];
    couFrame frame = {0};
    couFaults faults = {0};
    bool is_good = true;
    if (find_frame(folder, number, path) && couReadFrame(path, &frame, &faults)) {
        frame.time = number / run->fps;
        is_good = film_frame(run, filming, &frame, bodies);
        couFreeFrame(&frame);
    } else {
        couWarn("the film lacks frame %d: %s", number, faults.count > 0 ? faults.items[0].message : "no file");
    }
    couFaults_Clear(&faults);
    return is_good;
}

// Solids are drawn where the files have them by taking the world there, and back in the end.
static bool film_earlier_frames(couRun *run, Filming *filming, const char *folder, int first, int last)
{
    couState now = {0};
    bool has_solids = couWorld_SolidCount(run->world) > 0;
    if (has_solids && !couWorld_SaveState(run->world, &now)) {
        couFaults_Add(&run->faults, NULL, NULL, "no memory for the film of earlier frames");
        return false;
    }
    couProgress progress = couStartProgress("picture", first - 1, last, run->options.is_quiet);
    couBodyTable bodies = {0};
    couFaults table_faults = {0};
    bool is_good = true, has_bodies = couReadBodies(folder, &bodies, &table_faults);
    if (!has_bodies)
        couWarn("%s %s: bodies in the earlier part of the film are where they are at frame %d", folder,
                table_faults.count > 0 ? table_faults.items[0].message : "", last);
    couFaults_Clear(&table_faults);
    for (int number = first; is_good && number <= last && !couInterrupted(); ++number) {
        is_good = film_earlier_frame(run, filming, folder, number, has_bodies ? &bodies : NULL);
        couProgress_Show(&progress, number, "of the earlier frames");
    }
    couProgress_End(&progress);
    couBodyTable_Clear(&bodies);
    if (has_solids) is_good = couWorld_LoadState(run->world, &now, &run->faults) && is_good;
    couState_Clear(&now);
    return is_good;
}

// --- At the end, when the scale of colours is known ---

// The frame files of the whole run: those before a resume may be in another folder.
static bool settle_colors(couRun *run)
{
    couFrameFiles files = {.items = calloc((size_t)run->frame + 1, sizeof *files.items)};
    for (int number = 1; files.items && number <= run->frame; ++number) {
        char path[COU_PATH_SIZE];
        const char *folder = number <= run->first ? run->options.resume : run->folder;
        if (find_frame(folder, number, path)) files.items[files.count++] = (couFrameFile){strdup(path), number};
    }
    bool is_settled = files.items && couSettleColors(&run->colors, &files, "coulis run", run->options.is_quiet, &run->faults);
    couFrameFiles_Clear(&files);
    return is_settled;
}

static bool film_late(couRun *run, Filming *filming)
{
    char path[COU_PATH_SIZE];
    couJoin(path, run->folder, "film.mp4");
    if (!settle_colors(run) || !open_studio(run, filming, filming->has_late_film ? path : NULL)) return false;
    if (!filming->film) return true;
    int first = run->first > 0 && !has_all_frames(run->options.resume, run->first) ? run->first + 1 : 1;
    return (run->first < first || film_earlier_frames(run, filming, run->options.resume, first, run->first)) &&
           (run->frame == run->first || film_earlier_frames(run, filming, run->folder, run->first + 1, run->frame));
}

// --- The output ---

static bool begin(couRun *run, void **own)
{
    char path[COU_PATH_SIZE];
    couJoin(path, run->folder, "film.mp4");
    bool is_finished = run->first == run->total;
    bool has_earlier = run->first == 0 || has_all_frames(run->options.resume, run->first);
    bool is_filmed = run->options.is_video && !(is_finished && run->is_in_place && access(path, F_OK) == 0);
    if (is_filmed && !has_earlier) {
        couWarn("not all frames before %d are on disk: the film begins at frame %d", run->first, run->first + 1);
        is_filmed = !is_finished;
    }
    if (is_filmed && !couManifest_Claim(&run->manifest, "film.mp4", &run->faults)) return false;
    Filming *filming = start_filming(run, is_filmed ? path : NULL);
    if (!filming) return false;
    bool is_good = true;
    if (is_filmed && !filming->is_late && run->first > 0 && has_earlier) {
        is_good = film_earlier_frames(run, filming, run->options.resume, 1, run->first);
        // Half of an old film is worth less than the film that may be there.
        if (!is_good || couInterrupted()) {
            end_filming(filming, false, &run->faults);
            filming = NULL;
        }
    }
    *own = filming;
    return is_good;
}

static bool add_frame(couRun *run, void *own)
{
    Filming *filming = own;
    if (!filming->film) return true;
    const couFrame *frame = couRun_Particles(run);
    return frame && film_frame(run, filming, frame, NULL);
}

static bool write_picture(couRun *run, Filming *filming)
{
    char path[COU_PATH_SIZE];
    couImage image = {0};
    const couFrame *frame = couRun_Particles(run);
    if (!frame || !draw(run, filming, frame, NULL, &image)) return false;
    bool is_written = couClaimPath(&run->manifest, "picture.png", path, &run->faults) && couWritePng(path, &image, &run->faults);
    couFreeImage(&image);
    return is_written;
}

// Film and picture of a run that stopped early are kept too: what there is of them is good.
static bool finish(couRun *run, void *own)
{
    Filming *filming = own;
    if (!filming) return true;
    if (filming->is_late && couInterrupted()) {
        couWarn("film and picture wait for the scale of colours: coulis render makes them of what is there");
        return end_filming(filming, false, &run->faults);
    }
    bool is_written = (!filming->is_late || film_late(run, filming)) && write_picture(run, filming);
    return end_filming(own, true, &run->faults) && is_written;
}

static void discard(couRun *run, void *own) { end_filming(own, run->frame > run->first, &run->faults); }

extern const couOutput couOutputFilm;
const couOutput couOutputFilm = {.name = "film",
                                 .files = {"film.mp4", "picture.png"},
                                 .is_wanted = is_wanted,
                                 .open = begin,
                                 .frame = add_frame,
                                 .close = finish,
                                 .discard = discard};
