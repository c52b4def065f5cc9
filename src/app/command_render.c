// coulis render: pictures and film of frames that were written before. A run's folder is drawn with its scene: materials, camera,
// and bodies where bodies.csv says they were; frames of other programs as one material before an automatic or a given camera.
//
// Pictures are files of their own, picture_000001.png and so on, and the film is made of them at the end. So a command that was
// cut short goes on where it stopped: pictures that are there are kept as long as pictures.txt says that they were made the same
// way.
#include "app/frame_command.h"
#include "app/processes.h"
#include "app/run.h"
#include "app/slurm.h"
#include "files/file.h"
#include "io/frame_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char where[] = "coulis render";
enum { PROBED_FRAMES = 16 }; // of other programs, for the room that an automatic camera shows
enum { MAX_PARTS = 100 };    // of the frames, on a cluster

typedef struct Job {
    couPictureChoice pictures;
    couSurfaceDef surface;
    const char *source; // the first of the frames' names
    const char *out, *frames, *film, *from, *to, *material, *scene_path;
    char folder[COU_FOLDER_SIZE], film_path[COU_PATH_SIZE];
    couManifest manifest;     // of the folder
    double fov, spacing, fps; // 0: not given; fps of the film
    double frame_fps;         // of the frames
    int threads;
    bool is_video, has_layers, is_pfm, is_quiet, is_forced;
    const char *foam; // folder of foam; NULL: the run's
    bool has_no_foam;
    char *foam_settings;    // what foam.txt there says; NULL: no foam is drawn
    const char *on, *slurm; // NULL: drawn here
    int part, parts;        // the one part of the frames to draw, -1: all
    int argc;
    char **argv;         // of the command, for those of a cluster
    couCamera camera;    // is_set: given
    couColors colors;    // settled
    couFrameProbe probe; // of frames of another program
    // of a run's folder
    couRunOptions run;
    couScene *scene; // NULL: frames of another program
    couCast cast;
    couBodyTable bodies;
    couStudio *studio;
    couFilm *encoder; // NULL: no film
    int drawn, kept, skipped;
    couFaults faults;
} Job;

static const char notes[] =
    "FRAMES is a run's folder, a folder or a quoted pattern of frame files, or the files themselves: .vtp, .vtu, .vtk, .ply "
    "with\n"
    "positions. Pictures go into the run's folder, or into pictures/ for other frames, as picture_000001.png and so on. The "
    "same\n"
    "command again goes on where it was stopped; pictures that were made with other settings are not mixed with these.\n"
    "\n"
    "examples:\n"
    "  coulis render out/fountain --quality final --video\n"
    "  coulis render out/fountain --frames last --quality final --samples 256 --size 1920x1080\n"
    "  coulis render 'sim/frame_*.vtk' --material honey --from 1,0.6,1 --to 0,0.2,0 --film turn.gif\n";

// --- What to draw ---

typedef struct Range {
    int first, last, every;
} Range;

// "12", "1-30", "1-300/10" or "last".
static bool read_range(const char *text, int newest, Range *range)
{
    int end = 0;
    *range = (Range){.first = newest, .last = newest, .every = 1};
    if (strcmp(text, "last") == 0) return true;
    if (text[0] == '-' || strspn(text, "0123456789-/") != strlen(text)) return false;
    if (sscanf(text, "%9d%n", &range->first, &end) == 1 && !text[end]) {
        range->last = range->first;
        return true;
    }
    bool is_read = (sscanf(text, "%9d-%9d%n", &range->first, &range->last, &end) == 2 && !text[end]) ||
                   (sscanf(text, "%9d-%9d/%9d%n", &range->first, &range->last, &range->every, &end) == 3 && !text[end]);
    return is_read && range->last >= range->first && range->every >= 1;
}

// Marks the frames of each part of --frames; a part without any is a fault.
static void mark_frames(Job *job, const couFrameFiles *files, bool *is_wanted)
{
    int newest = files->items[files->count - 1].number;
    for (const char *part = job->frames; part; part = strchr(part, ',') ? strchr(part, ',') + 1 : NULL) {
        char text[40];
        Range range;
        int found = 0;
        snprintf(text, sizeof text, "%.*s", (int)strcspn(part, ","), part);
        if (!read_range(text, newest, &range)) {
            couFaults_Add(&job->faults, where, "--frames", "'%s' is not a number, a range 1-30 or 1-300/10, or last", text);
            return;
        }
        for (int i = 0; i < files->count; ++i) {
            int number = files->items[i].number;
            bool is_within = number >= range.first && number <= range.last && (number - range.first) % range.every == 0;
            if (is_within) is_wanted[i] = true, ++found;
        }
        if (found == 0)
            couFaults_Add(&job->faults, where, "--frames", "there is no frame %s; they are %d to %d", text,
                          files->items[0].number, newest);
    }
}

static void select_frames(Job *job, couFrameFiles *files)
{
    bool *is_wanted = job->frames ? calloc((size_t)files->count, sizeof *is_wanted) : NULL;
    if (!is_wanted) return;
    mark_frames(job, files, is_wanted);
    int kept = 0;
    for (int i = 0; i < files->count; ++i) {
        if (is_wanted[i])
            files->items[kept++] = files->items[i];
        else
            free(files->items[i].path);
    }
    files->count = kept;
    free(is_wanted);
}

// Every so manyth frame from the part's number on: neighbours, which cost alike, go to different jobs.
static void select_part(const Job *job, couFrameFiles *files)
{
    int kept = 0;
    for (int i = 0; job->part >= 0 && i < files->count; ++i) {
        if (i % job->parts == job->part)
            files->items[kept++] = files->items[i];
        else
            free(files->items[i].path);
    }
    if (job->part >= 0) files->count = kept;
}

static bool read_vector(Job *job, const char *option, const char *text, couVec3 *v)
{
    int length = 0;
    const float most = 1e9f; // as of a scene's camera
    bool is_good = sscanf(text, "%f,%f,%f%n", &v->x, &v->y, &v->z, &length) == 3 && text[length] == '\0' && fabsf(v->x) <= most &&
                   fabsf(v->y) <= most && fabsf(v->z) <= most;
    if (!is_good) couFaults_Add(&job->faults, where, option, "'%.60s' is not three numbers X,Y,Z from -1e9 to 1e9", text);
    return is_good;
}

static void read_camera(Job *job)
{
    if (!job->from && !job->to && job->fov > 0)
        couFaults_Add(&job->faults, where, "--fov", "belongs to a camera: give --from and --to as well");
    if (!job->from && !job->to) return;
    if (!job->from || !job->to) {
        couFaults_Add(&job->faults, where, job->from ? "--to" : "--from", "is missing: a camera needs both");
        return;
    }
    job->camera = (couCamera){.fov = job->fov > 0 ? (float)job->fov : 40.0f, .is_set = true};
    bool is_good = read_vector(job, "--from", job->from, &job->camera.from) && read_vector(job, "--to", job->to, &job->camera.to);
    couVec3 a = job->camera.from, b = job->camera.to;
    if (is_good && a.x == b.x && a.y == b.y && a.z == b.z)
        couFaults_Add(&job->faults, where, "--to", "is where the camera stands: %s", job->to);
}

static void choose_folder(Job *job, const char *source, bool is_run)
{
    snprintf(job->folder, sizeof job->folder, "%s", job->out ? job->out : is_run ? source : "pictures");
    if (job->film)
        snprintf(job->film_path, sizeof job->film_path, "%s", job->film);
    else if (job->is_video)
        couJoin(job->film_path, job->folder, "film.mp4");
}

static void check_film(Job *job)
{
    static const char *const endings[] = {".mp4", ".gif", ".webp"};
    const char *dot = job->film ? strrchr(job->film, '.') : NULL;
    bool is_known = !job->film;
    for (int i = 0; dot && i < 3; ++i) is_known |= strcasecmp(dot, endings[i]) == 0;
    if (!is_known) couFaults_Add(&job->faults, where, "--film", "'%.80s' ends with none of .mp4, .gif and .webp", job->film);
    if (job->film && job->is_video) couFaults_Add(&job->faults, where, "--film", "give --film or --video, not both");
}

// --- The studio ---

// The scale is that of all frames, also those that are not drawn now. `all` are their names as given.
static bool settle_colors(Job *job, const couTexts *all)
{
    couColors own = job->scene ? couScene_Colors(job->scene) : couDefaultColors();
    job->colors = couChooseColors(&job->pictures, &own, where, &job->faults);
    couFrameFiles files = {0};
    bool is_good = job->faults.count == 0;
    if (is_good && job->colors.by[0])
        is_good = couListFrames(all->items, all->count, &files, &job->faults) &&
                  couSettleColors(&job->colors, &files, where, job->is_quiet, &job->faults);
    couFrameFiles_Clear(&files);
    return is_good;
}

static bool open_run(Job *job, const couTexts *operands)
{
    const char *folder = operands->items[0];
    job->scene = couLoadRunScene(where, folder, job->scene_path, "materials, shapes and camera are drawn", job->threads,
                                 &job->run, &job->faults);
    if (!job->scene || !couReadBodies(folder, &job->bodies, &job->faults)) return false;
    const couWorldDef *world = couWorld_Def(couScene_World(job->scene));
    job->cast = couGatherCast(couScene_World(job->scene));
    job->frame_fps = job->bodies.stage.fps;
    job->surface.spacing = world->spacing;
    if (!couCheckSurfaceOptions(&job->surface, world->dimension, where, &job->faults)) return false;
    if (job->has_layers && world->dimension == 2)
        couFaults_Add(&job->faults, where, "--layers", "are of pictures in 3D: those of a 2D scene are drawings");
    if (!settle_colors(job, operands)) return false;
    double seconds = job->run.frames > 0 ? job->run.frames / job->frame_fps : couScene_Duration(job->scene);
    couBounds bounds = couSceneBounds(job->scene, seconds);
    job->studio = couOpenSceneStudio(job->scene, bounds, job->camera.is_set ? &job->camera : NULL, &job->pictures.style,
                                     &job->surface, &job->colors, job->frame_fps, &job->faults);
    return job->studio && job->faults.count == 0;
}

static bool find_look(Job *job, couLook *look)
{
    int count = 0;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    const char *wanted = job->material ? job->material : "water";
    const char *names[256];
    for (int k = 0; k < count && k < 256; ++k) {
        names[k] = library[k].def.name;
        if (strcmp(names[k], wanted) != 0) continue;
        *look = library[k].def.look;
        return true;
    }
    const char *nearest = couSuggest(names, count < 256 ? count : 256, wanted);
    couFaults_Add(&job->faults, where, "--material", "unknown material '%.40s'%s%s%s; coulis list materials names them", wanted,
                  nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
    return false;
}

// One material; scale and room by a look at the frames, all of them, so that a choice of them is seen from the same place.
static bool open_frames(Job *job, const couTexts *operands)
{
    couLook look;
    if (!find_look(job, &look) || !settle_colors(job, operands)) return false;
    int dimension = job->probe.dimension;
    float guessed = job->probe.spacing;
    if (job->spacing == 0 && guessed > 0.0f && !job->is_quiet)
        printf("spacing guessed from the distances of neighbours: %.4g m\n", (double)guessed);
    float spacing = job->spacing > 0 ? (float)job->spacing : guessed > 0.0f ? guessed : 1.0f; // 1: of nothing, or of one particle
    job->frame_fps = job->fps > 0 ? job->fps : 30;
    job->surface.spacing = spacing;
    if (!couCheckSurfaceOptions(&job->surface, dimension, where, &job->faults)) return false;
    couStudioDef def = {.dimension = dimension,
                        .spacing = spacing,
                        .fps = job->frame_fps,
                        .looks = &look,
                        .look_count = 1,
                        .camera = job->camera,
                        .bounds = job->probe.bounds,
                        .style = job->pictures.style,
                        .surface = job->surface,
                        .colors = job->colors,
                        .threads = couThreadCount(job->threads)};
    job->studio = couOpenStudio(&def, &job->faults);
    return job->studio;
}

// --- Pictures ---

// What decides how the pictures look, as text: pictures made otherwise are not mixed with these.
static void describe(const Job *job, const char *source, char *text, size_t size)
{
    const couPictureStyle *c = &job->pictures.style;
    const couSurfaceDef *s = &job->surface;
    couBounds room = job->probe.bounds;
    char *full = couIsSameFolder(source, job->folder) ? NULL : realpath(source, NULL); // a run may move with its pictures
    snprintf(text, size,
             "of %s, scene %016llx, %d x %d pixels\n"
             "quality %d, samples %d, shutter %g of 1/%g s, raw %d\n"
             "field %d, cell %g, radius %g, level %g, smoothing %d, blended %d, spacing %g\n"
             "from %s to %s, fov %g, material %s, room %g %g %g to %g %g %g\n"
             "colors by %s from %g to %g, map %d, legend %d, samples %d\n%s",
             full                  ? full
             : couIsFolder(source) ? "this run"
                                   : source,
             job->scene ? (unsigned long long)couScene_ContentHash(job->scene) : 0ULL, c->width, c->height, c->quality, c->paths,
             c->shutter, job->frame_fps, c->is_raw, s->field, (double)s->cell, (double)s->radius, (double)s->level, s->smoothing,
             s->is_blended, (double)s->spacing, job->from ? job->from : "-", job->to ? job->to : "-", job->fov,
             job->material ? job->material : "-", (double)room.lower.x, (double)room.lower.y, (double)room.lower.z,
             (double)room.upper.x, (double)room.upper.y, (double)room.upper.z, job->colors.by[0] ? job->colors.by : "material",
             (double)job->colors.low, (double)job->colors.high, job->colors.map, job->colors.has_legend, c->has_samples,
             job->foam_settings ? job->foam_settings : "");
    free(full);
}

// What --layers leaves: one file of all of them, or one each.
typedef struct LayerFile {
    const char *stem, *extension;
} LayerFile;
static const LayerFile layer_files[] = {
    {"layers", "exr"}, {"radiance", "pfm"}, {"normal", "pfm"}, {"albedo", "pfm"}, {"depth", "pfm"}};
enum { layer_file_count = sizeof layer_files / sizeof layer_files[0] };

static bool wants_layer(const Job *job, int k) { return job->has_layers && (k == 0 ? !job->is_pfm : job->is_pfm); }

static char *picture_name(const char *stem, int number, const char *extension, char name[48])
{
    snprintf(name, 48, "%s_%06d.%s", stem, number, extension);
    return name;
}

static char *picture_path(const Job *job, const char *stem, int number, const char *extension, char *path)
{
    char name[48];
    return couJoin(path, job->folder, picture_name(stem, number, extension, name));
}

// What is there and not ours gives a fault.
static void remove_file(Job *job, const char *name)
{
    char path[COU_PATH_SIZE];
    bool is_there = access(couJoin(path, job->folder, name), F_OK) == 0;
    if (is_there && couManifest_Claim(&job->manifest, name, &job->faults)) couManifest_Remove(&job->manifest, name);
}

static void remove_picture(Job *job, int number)
{
    char name[48];
    remove_file(job, picture_name("picture", number, "png", name));
    for (int k = 0; k < layer_file_count; ++k)
        remove_file(job, picture_name(layer_files[k].stem, number, layer_files[k].extension, name));
}

static bool has_settings(const char *path, const char *text)
{
    couFaults ignored = {0};
    char *old = access(path, F_OK) == 0 ? couReadFile(path, 1 << 16, NULL, &ignored) : NULL;
    bool is_same = old && strcmp(old, text) == 0;
    couFaults_Clear(&ignored);
    free(old);
    return is_same;
}

// Pictures that are there stay when they were made the same way, but for those that --force makes anew. All that were made
// otherwise make way with --force, also those of frames that are not drawn now: a film is of one kind.
static bool follow_settings(Job *job, const char *source, const couFrameFiles *files)
{
    char path[COU_PATH_SIZE], text[4 * COU_PATH_SIZE];
    couFrameFiles old;
    describe(job, source, text, sizeof text);
    bool is_same = has_settings(couJoin(path, job->folder, "pictures.txt"), text);
    if (is_same) {
        for (int i = 0; job->is_forced && i < files->count; ++i) remove_picture(job, files->items[i].number);
        return job->faults.count == 0;
    }
    if (!couListSeries(job->folder, "picture", "png", &old, &job->faults)) return false;
    if (old.count > 0 && !job->is_forced)
        couFaults_Add(
            &job->faults, job->folder, NULL,
            "holds %d pictures that were made otherwise (pictures.txt); --force removes them and makes them anew, --out "
            "takes another folder",
            old.count);
    for (int i = 0; job->is_forced && i < old.count; ++i) remove_picture(job, old.items[i].number);
    couFrameFiles_Clear(&old);
    couFile file;
    if (job->faults.count > 0 || !couManifest_Claim(&job->manifest, "pictures.txt", &job->faults)) return false;
    if (!couFile_Create(&file, path, &job->faults)) return false;
    fputs(text, file.stream);
    return couFile_Commit(&file, &job->faults);
}

static bool write_layers(Job *job, int number, const couLayers *layers)
{
    const void *const values[] = {NULL, layers->radiance, layers->normal, layers->albedo, layers->depth};
    char path[COU_PATH_SIZE], name[48];
    for (int k = 0; k < layer_file_count; ++k) {
        if (!wants_layer(job, k)) continue;
        picture_name(layer_files[k].stem, number, layer_files[k].extension, name);
        if (!couClaimPath(&job->manifest, name, path, &job->faults)) return false;
        bool is_written = k == 0 ? couWriteExr(path, layers, &job->faults)
                                 : couWritePfm(path, layers->width, layers->height, k < 4 ? 3 : 1, values[k], &job->faults);
        if (!is_written) return false;
    }
    return true;
}

static bool is_there(const Job *job, int number)
{
    char path[COU_PATH_SIZE];
    bool is_whole = access(picture_path(job, "picture", number, "png", path), F_OK) == 0;
    for (int k = 0; k < layer_file_count; ++k)
        if (wants_layer(job, k))
            is_whole &= access(picture_path(job, layer_files[k].stem, number, layer_files[k].extension, path), F_OK) == 0;
    return is_whole;
}

// False with faults when the frame cannot be read or drawn.
static bool draw(Job *job, const couFrameFile *file, couImage *image, couLayers *layers, couFaults *faults)
{
    couFrame frame;
    if (!couReadFrame(file->path, &frame, faults)) return false;
    if (job->scene) frame.time = file->number / job->frame_fps; // as in the run, to the last bit
    size_t lost = couFrame_LostCount(&frame);
    if (lost > 0) couWarn("%s: %zu particles that are not finite, or farther than 1e9 m, are left out", file->path, lost);
    int count = 0;
    couPictureBody *bodies = job->scene ? couFindBodies(&job->cast, &job->bodies, file->number, &count) : NULL;
    couSolidCast solids = {0};
    if (job->scene) solids = couFindSolids(couScene_World(job->scene), job->source, file->number);
    couFoam foam = {0};
    bool has_foam = job->foam_settings;
    couProps props = couMakeProps(bodies, count, &solids);
    if (has_foam) props.foam = &foam;
    float *values = couFindValues(&job->colors, &frame, file->path, faults);
    couFrame samples = {0};
    bool has_samples = job->pictures.style.has_samples;
    bool is_drawn = (values || !job->colors.by[0]) &&
                    (!has_samples || couReadSamples(job->source, file->number, &samples, faults)) &&
                    (!has_foam || couReadFoamFrame(job->foam, file->number, &foam, faults)) &&
                    couStudio_Draw(job->studio, &frame, values, has_samples ? &samples : NULL, file->number, props, image, layers,
                                   faults);
    couSolidCast_Clear(&solids);
    couFreeFrame(&samples);
    couFoam_Clear(&foam);
    free(values);
    free(bodies);
    couFreeFrame(&frame);
    return is_drawn;
}

// A frame that cannot be read or drawn is a warning; a picture that cannot be written ends the command. Without a picture the
// image stays empty.
static bool make_picture(Job *job, const couFrameFile *file, couImage *image)
{
    char path[COU_PATH_SIZE], name[48];
    couFaults faults = {0};
    couLayers layers = {0};
    bool is_good = true;
    if (draw(job, file, image, job->has_layers ? &layers : NULL, &faults)) {
        // The layers come first: the picture says that all is there.
        is_good = (!job->has_layers || write_layers(job, file->number, &layers)) &&
                  couClaimPath(&job->manifest, picture_name("picture", file->number, "png", name), path, &job->faults) &&
                  couWritePng(path, image, &job->faults);
        job->drawn += is_good;
    } else {
        couWarn("%s: %s: there is no picture of this frame", file->path,
                faults.count > 0 ? faults.items[0].message : "cannot be drawn");
        ++job->skipped;
    }
    couFreeLayers(&layers);
    couFaults_Clear(&faults);
    return is_good;
}

// The picture of a frame, drawn now or earlier, goes into the film.
static bool add_frame(void *context, const couFrameFile *file)
{
    Job *job = context;
    char path[COU_PATH_SIZE];
    couImage image = {0};
    bool is_good = true;
    if (!is_there(job, file->number)) {
        is_good = make_picture(job, file, &image);
    } else {
        ++job->kept;
        if (job->encoder) is_good = couReadPng(picture_path(job, "picture", file->number, "png", path), &image, &job->faults);
    }
    if (is_good && job->encoder && image.rgb) is_good = couFilm_AddFrame(job->encoder, &image, &job->faults);
    couFreeImage(&image);
    return is_good;
}

static bool open_film(Job *job)
{
    if (!job->film_path[0] || job->encoder) return true;
    if (!job->film && !couManifest_Claim(&job->manifest, "film.mp4", &job->faults)) return false;
    job->encoder = couOpenFilm(job->film_path, job->pictures.style.width, job->pictures.style.height, job->fps, &job->faults);
    return job->encoder;
}

// A film of some of the frames only would look like the whole.
static bool close_film(Job *job, bool is_kept)
{
    couFilm *film = job->encoder;
    job->encoder = NULL;
    if (film && is_kept && job->drawn + job->kept > 0) return couCloseFilm(film, &job->faults);
    couDiscardFilm(film);
    return true;
}

// --- On a cluster ---

// Frames that jobs draw, every `count`th one of them the same job.
typedef struct Parts {
    Job *job;
    const couFrameFiles *files;
    int count;
    couProgress progress;
} Parts;

static couTaskState look_at_part(void *context, int task, bool is_gone, int *progress)
{
    const Parts *parts = context;
    bool is_whole = true;
    (void)is_gone;
    *progress = 0;
    for (int i = task; i < parts->files->count; i += parts->count) {
        bool is_drawn = is_there(parts->job, parts->files->items[i].number);
        *progress += is_drawn;
        is_whole &= is_drawn;
    }
    return is_whole ? cou_taskDone : cou_taskOpen;
}

static void begin_part(void *context, int task) { (void)context, (void)task; }

static void show_parts(void *context, int going)
{
    Parts *parts = context;
    char note[40];
    int drawn = 0;
    for (int i = 0; i < parts->files->count; ++i) drawn += is_there(parts->job, parts->files->items[i].number);
    snprintf(note, sizeof note, "%d jobs", going);
    couProgress_Show(&parts->progress, drawn, note);
}

// True for "--name" and "--name=value".
static bool is_option(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

// The same command without what is for this machine alone; to be freed with free(). NULL with a fault.
static char *make_part_command(Job *job, int count)
{
    static const char *const dropped[] = {"--on", "--slurm", "--film", "--video", "--force", "--quiet"};
    enum { VALUE_COUNT = 3, DROPPED_COUNT = 6 }; // the first ones have a value
    char self[COU_PATH_SIZE], *text = NULL;
    size_t size = 0;
    FILE *stream = couFindSelf(self, sizeof self, &job->faults) ? open_memstream(&text, &size) : NULL;
    for (int a = 0; stream && a < job->argc; ++a) {
        const char *word = a == 0 ? self : job->argv[a];
        char quoted[8 * COU_PATH_SIZE];
        int d = 0;
        while (d < DROPPED_COUNT && !is_option(word, dropped[d])) ++d;
        if (d < VALUE_COUNT && !strchr(word, '=')) ++a;
        if (d == DROPPED_COUNT) fprintf(stream, "%s ", couQuote(word, quoted, sizeof quoted));
        if (a == 0) fprintf(stream, "render --quiet --parts=%d --part=\"$1\" ", count);
    }
    if (stream && fclose(stream) == 0 && text) return text;
    if (job->faults.count == 0) couFaults_Add(&job->faults, where, "--on", "no memory for the jobs' command");
    return NULL;
}

// What jobs could not draw is left to be tried here. The names of all pictures are claimed first: jobs then need not write into
// the list of the folder side by side.
static bool draw_on_cluster(Job *job, const couFrameFiles *files)
{
    char name[48];
    for (int i = 0; i < files->count; ++i) {
        if (is_there(job, files->items[i].number)) continue;
        if (!couManifest_Claim(&job->manifest, picture_name("picture", files->items[i].number, "png", name), &job->faults))
            return false;
        for (int k = 0; k < layer_file_count; ++k) {
            picture_name(layer_files[k].stem, files->items[i].number, layer_files[k].extension, name);
            if (wants_layer(job, k) && !couManifest_Claim(&job->manifest, name, &job->faults)) return false;
        }
    }
    Parts parts = {.job = job, .files = files, .count = files->count < MAX_PARTS ? files->count : MAX_PARTS};
    parts.progress = couStartProgress("picture", 0, files->count, job->is_quiet);
    char *command = make_part_command(job, parts.count);
    couSlurmWork work = {.name = "coulis-render",
                         .folder = job->folder,
                         .manifest = &job->manifest,
                         .options = job->slurm,
                         .command = command,
                         .threads = job->threads,
                         .task_count = parts.count,
                         .context = &parts,
                         .look = look_at_part,
                         .begin = begin_part,
                         .show = show_parts};
    bool is_good = command && couSlurm_Do(&work, &job->faults);
    couProgress_End(&parts.progress);
    if (couInterrupted()) fprintf(stderr, "the jobs go on; scancel --name=coulis-render ends them\n");
    free(command);
    return is_good;
}

static int produce(void *context, const couTexts *operands, const couFrameFiles *files)
{
    Job *job = context;
    couCatchInterrupts();
    // A film that is to go elsewhere is begun first: when it cannot be there, nothing is left here.
    if (job->film && !open_film(job)) return couFail(&job->faults, cou_exitBadInput);
    if (!couMakeFolder(job->folder, &job->faults) || !couManifest_Read(&job->manifest, job->folder, &job->faults))
        return couFail(&job->faults, cou_exitBadInput);
    if (!follow_settings(job, operands->items[0], files)) return couFail(&job->faults, cou_exitBadInput);
    if (job->on && !draw_on_cluster(job, files)) return couFail(&job->faults, cou_exitFailed);
    if (!open_film(job)) return couFail(&job->faults, cou_exitFailed);
    bool is_good = couForEachFrame(files, "picture", NULL, job->is_quiet, add_frame, job);
    bool is_whole = is_good && job->drawn + job->kept + job->skipped == files->count;
    if (!close_film(job, is_whole) || !is_good) return couFail(&job->faults, cou_exitFailed);
    if (!job->is_quiet) {
        printf("%d pictures drawn, %d were there, in %s\n", job->drawn, job->kept, job->folder);
        if (job->film_path[0] && is_whole && job->drawn + job->kept > 0) printf("film: %s\n", job->film_path);
    }
    const char *again = job->is_forced ? "; the same command without --force goes on" : "; the same command goes on";
    return couEndFrames(job->skipped, files->count, is_whole ? NULL : again);
}

// Foam is drawn where there is some: of the folder that was given, or the run's own.
static void find_foam(Job *job, bool is_run)
{
    char path[COU_PATH_SIZE];
    bool is_given = job->foam;
    if (is_given && job->has_no_foam) couFaults_Add(&job->faults, where, "--no-foam", "give --foam or --no-foam, not both");
    if (!is_given && is_run) job->foam = job->source;
    if (!job->foam || job->has_no_foam || job->faults.count > 0) return;
    if (access(couJoin(path, job->foam, "foam.txt"), F_OK) == 0)
        job->foam_settings = couReadFile(path, 1 << 12, NULL, &job->faults);
    else if (is_given)
        couFaults_Add(&job->faults, where, "--foam", "'%.200s' holds no foam (foam.txt): coulis foam makes it", job->foam);
}

// --- The command ---

static void check_words(Job *job, const char *source)
{
    couReadPictureChoice(&job->pictures, where, &job->faults);
    read_camera(job);
    couCheckPath(where, "FRAMES", source, &job->faults);
    couCheckPath(where, "--out", job->out, &job->faults);
    couCheckPath(where, "--film", job->film, &job->faults);
    couCheckPath(where, "--foam", job->foam, &job->faults);
    check_film(job);
    static const char *const clusters[] = {"slurm"};
    if (job->on && strcmp(job->on, "slurm") != 0)
        couAddUnknown(where, "--on", "cluster", job->on, clusters, 1, &job->faults);
    else if (job->on)
        couCheckSlurm(where, &job->faults);
    if (job->slurm && !job->on) couFaults_Add(&job->faults, where, "--slurm", "has a meaning with --on slurm only");
    if (job->part >= job->parts)
        couFaults_Add(&job->faults, where, "--part", "%d is out of range: 0 to %d", job->part, job->parts - 1);
    if (job->is_pfm && !job->has_layers) couFaults_Add(&job->faults, where, "--pfm", "is a kind of layers: add --layers");
    if (job->has_layers && job->pictures.style.quality != cou_qualityFinal)
        couFaults_Add(&job->faults, where, "--layers", "are of final pictures only: add --quality final");
}

static bool prepare(void *context, const couTexts *operands, couFrameFiles *files)
{
    Job *job = context;
    const char *source = operands->count > 0 ? operands->items[0] : NULL;
    check_words(job, source);
    job->source = source;
    if (job->faults.count > 0 || !couListFrames(operands->items, operands->count, files, &job->faults)) return false;
    bool is_run = couIsRunFolder(source);
    if (!is_run) job->probe = couProbeFrames(files, PROBED_FRAMES);
    select_frames(job, files);
    select_part(job, files);
    choose_folder(job, source, is_run);
    if (is_run && (job->material || job->spacing > 0))
        couFaults_Add(&job->faults, where, job->material ? "--material" : "--spacing",
                      "is for frames of other programs; this run has its own");
    if (!is_run && job->pictures.style.has_samples)
        couFaults_Add(&job->faults, where, "--show-samples", "is for the folder of a run");
    if (!is_run && job->scene_path) couFaults_Add(&job->faults, where, "--scene", "is for the folder of a run");
    find_foam(job, is_run);
    if (job->faults.count > 0 || !(is_run ? open_run(job, operands) : open_frames(job, operands))) return false;
    if (job->fps == 0) job->fps = job->frame_fps;
    const char *dot = strrchr(job->film_path, '.');
    double most = dot && strcasecmp(dot, ".gif") == 0 ? 50 : 1000;
    if (job->film_path[0] && job->fps > most)
        couFaults_Add(&job->faults, where, "--fps", "such a film has at most %g frames per second, not %g", most, job->fps);
    return job->faults.count == 0;
}

static void clean_up(Job *job)
{
    couDiscardFilm(job->encoder);
    couManifest_Clear(&job->manifest);
    couCloseStudio(job->studio);
    couCast_Clear(&job->cast);
    if (job->scene) couCloseScene(job->scene);
    couBodyTable_Clear(&job->bodies);
    couFreeRunOptions(&job->run);
    free(job->foam_settings);
    couFaults_Clear(&job->faults);
}

int couCommandRender(int argc, char **argv)
{
    Job job = {.pictures = couDefaultPictureChoice(), .surface = couProgramSurfaceDef(), .part = -1, .parts = 1};
    job.argc = argc;
    job.argv = argv;
    const couOption table[] = {
        COU_PICTURE_OPTIONS(&job.pictures),
        COU_OPTION("--frames", "LIST", cou_optionText, &job.frames,
                   .help = "which: 12, 1-30, 1-300/10, last, or several as 1,5,last (default all)"),
        COU_OPTION("--video", NULL, cou_optionFlag, &job.is_video, .help = "make film.mp4 of the pictures"),
        COU_OPTION("--film", "FILE", cou_optionText, &job.film, .help = "make a film there: .mp4, .gif or .webp"),
        COU_OPTION("--fps", "N", cou_optionNumber, &job.fps, .min = 0.01, .max = 1000,
                   .help = "of the film (default: the run's, or 30)"),
        COU_OPTION("--out", "DIR", cou_optionText, &job.out, .help = "folder of the pictures (default: the run's, or pictures)"),
        COU_OPTION("--from", "X,Y,Z", cou_optionText, &job.from,
                   .help = "where the camera stands [m] (default: the scene's camera, or an automatic one)"),
        COU_OPTION("--to", "X,Y,Z", cou_optionText, &job.to, .help = "where it looks [m]"),
        COU_OPTION("--fov", "DEG", cou_optionNumber, &job.fov, .min = 1, .max = 150,
                   .help = "its vertical field of view [degrees] (default 40)"),
        COU_OPTION("--layers", NULL, cou_optionFlag, &job.has_layers,
                   .help = "write colour, albedo, normal, depth and coverage too, of final pictures: layers_000001.exr"),
        COU_OPTION("--pfm", NULL, cou_optionFlag, &job.is_pfm,
                   .help = "with --layers: radiance, normal, albedo and depth as .pfm instead"),
        COU_OPTION("--foam", "DIR", cou_optionText, &job.foam,
                   .help = "draw the foam of that folder, which coulis foam made (default: the run's own, if there is any)"),
        COU_OPTION("--no-foam", NULL, cou_optionFlag, &job.has_no_foam, .help = "leave foam out"),
        COU_OPTION("--scene", "FILE", cou_optionText, &job.scene_path, .help = "the run's scene, when it is not where it was"),
        COU_OPTION("--material", "M", cou_optionText, &job.material,
                   .help = "look of frames of other programs (default water; coulis list materials)"),
        COU_OPTION("--spacing", "M", cou_optionNumber, &job.spacing, .min = 1e-9, .max = 1e6,
                   .help = "of their particles [m] (default: guessed)"),
        COU_SURFACE_OPTIONS(&job.surface),
        COU_OPTION("--threads", "N", cou_optionInt, &job.threads, .min = 1, .max = COU_MAX_THREADS,
                   .help = "threads (default all cores); the pictures do not depend on it"),
        COU_OPTION("--on", "CLUSTER", cou_optionText, &job.on, .help = "slurm: let a job array draw the pictures"),
        COU_OPTION("--slurm", "OPTIONS", cou_optionText, &job.slurm, .help = "for sbatch: --slurm='--partition=short --time=60'"),
        COU_OPTION("--parts", "N", cou_optionInt, &job.parts, .min = 1, .max = COU_MAX_FRAMES,
                   .help = "share the frames among N commands, each with its --part"),
        COU_OPTION("--part", "I", cou_optionInt, &job.part, .min = 0, .max = COU_MAX_FRAMES,
                   .help = "draw part I of them alone, from 0 (what the jobs of a cluster call)"),
        COU_OPTION("--force", NULL, cou_optionFlag, &job.is_forced,
                   .help = "make pictures anew; those that were made otherwise make way"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &job.is_quiet, .help = "print warnings and errors only"),
    };
    couFrameCommand command = {.command = {.name = "render",
                                           .help = "pictures and film of frames that were written before",
                                           .options = table,
                                           .option_count = sizeof table / sizeof table[0],
                                           .notes = notes},
                               .job = &job,
                               .faults = &job.faults,
                               .is_quiet = &job.is_quiet,
                               .prepare = prepare,
                               .produce = produce};
    int code = couRunFrameCommand(&command, argc, argv);
    clean_up(&job);
    return code;
}
