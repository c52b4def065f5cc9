// coulis render: pictures and film of frames that were written before. A run's folder is drawn with its scene: materials, camera, and
// bodies where bodies.csv says they were; frames of other programs as one material before an automatic or a given camera.
//
// Pictures are files of their own, picture_000001.png and so on, and the film is made of them at the end. So a command that was cut short
// goes on where it stopped: pictures that are there are kept as long as pictures.txt says that they were made the same way.
#include "app/run.h"
#include "io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char where[] = "coulis render";

typedef struct Job {
    couPictureChoice pictures;
    couSurfaceChoice choice;
    couSurfaceDef surface;
    const char *out, *frames, *film, *from, *to, *material;
    char folder[COU_FOLDER_SIZE], film_path[COU_PATH_SIZE];
    double fov, spacing, fps; // 0: not given
    int threads;
    bool is_video, has_layers, is_quiet, is_forced;
    couCamera camera; // is_set: given
    // of a run's folder
    couRunOptions run;
    couScene *scene; // NULL: frames of another program
    couBodyTable bodies;
    bool *is_missed; // per body of the table: was said to be unknown
    couStudio *studio;
    int drawn, kept, skipped;
    couFaults faults;
} Job;

static const char notes[] =
    "FRAMES is a run's folder, a folder or a quoted pattern of frame files, or the files themselves: .vtp, .vtu, .vtk, .ply with\n"
    "positions. Pictures go into the run's folder, or into pictures/ for other frames, as picture_000001.png and so on. The same\n"
    "command again goes on where it was stopped.\n"
    "\n"
    "examples:\n"
    "  coulis render out/fountain --quality final --video\n"
    "  coulis render out/fountain --frames last --quality final --samples 256 --size 1920x1080\n"
    "  coulis render 'sim/frame_*.vtk' --material honey --from 1,0.6,1 --to 0,0.2,0 --film turn.gif\n";

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// --- What to draw ---

// "12", "1-30", "1-300/10", "last".
static void select_frames(Job *job, couFrameFiles *files)
{
    if (!job->frames || files->count == 0) return;
    int first = 0, last = 0, every = 1, length = 0;
    bool is_good = strcmp(job->frames, "last") == 0;
    if (is_good) first = last = files->items[files->count - 1].number;
    static const char *const forms[] = {"%6d%n", "%6d-%6d%n", "%6d-%6d/%6d%n"};
    for (int k = 0; k < 3 && !is_good; k++) {
        int read = k == 0   ? sscanf(job->frames, forms[0], &first, &length)
                   : k == 1 ? sscanf(job->frames, forms[1], &first, &last, &length)
                            : sscanf(job->frames, forms[2], &first, &last, &every, &length);
        is_good = read == k + 1 && job->frames[length] == '\0' && every >= 1;
        if (is_good && k == 0) last = first;
    }
    if (!is_good) {
        couFaults_Add(&job->faults, where, "--frames", "'%.40s' is not a number, a range 1-30 or 1-300/10, or last", job->frames);
        return;
    }
    int kept = 0;
    for (int i = 0; i < files->count; i++) {
        couFrameFile *file = &files->items[i];
        bool is_wanted = file->number >= first && file->number <= last && (file->number - first) % every == 0;
        if (is_wanted)
            files->items[kept++] = *file;
        else
            free(file->path);
    }
    files->count = kept;
    if (kept == 0) couFaults_Add(&job->faults, where, "--frames", "there is no frame %.40s", job->frames);
}

static bool read_vector(Job *job, const char *option, const char *text, couVec3 *v)
{
    int length = 0;
    bool is_good = sscanf(text, "%f,%f,%f%n", &v->x, &v->y, &v->z, &length) == 3 && text[length] == '\0' && isfinite(v->x) &&
                   isfinite(v->y) && isfinite(v->z);
    if (!is_good) couFaults_Add(&job->faults, where, option, "'%.60s' is not three numbers X,Y,Z", text);
    return is_good;
}

static void read_camera(Job *job)
{
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

static void choose_folder(Job *job, const char *source)
{
    const char *folder = job->out ? job->out : is_folder(source) ? source : "pictures";
    snprintf(job->folder, sizeof job->folder, "%s", folder);
    if (job->film)
        snprintf(job->film_path, sizeof job->film_path, "%s", job->film);
    else if (job->is_video)
        couJoin(job->film_path, job->folder, "film.mp4");
}

// --- The studio ---

static bool open_run(Job *job, const char *folder)
{
    if (!couReadOldCommand(&job->run, folder, &job->faults)) return false;
    couSplitOverrides(where, &job->run.sets, &job->run.overrides, &job->faults);
    couSceneOptions how = {.method = job->run.method,
                           .threads = job->threads,
                           .overrides = job->run.overrides.items,
                           .override_count = job->run.overrides.count};
    job->scene = couLoadScene(job->run.scene, &how, &job->faults);
    if (!job->scene || !couReadBodies(folder, &job->bodies, &job->faults)) return false;
    job->is_missed = calloc((size_t)job->bodies.stage.body_count + 1, sizeof *job->is_missed);
    if (job->fps == 0) job->fps = job->bodies.stage.fps;
    double seconds = job->run.frames > 0 ? job->run.frames / job->fps : couScene_Duration(job->scene);
    couBounds bounds = couSceneBounds(job->scene, seconds);
    job->surface.spacing = couWorld_Def(couScene_World(job->scene))->spacing;
    job->studio = couOpenSceneStudio(job->scene, bounds, job->camera.is_set ? &job->camera : NULL, &job->pictures, &job->surface,
                                     job->fps, &job->faults);
    return job->studio && job->is_missed;
}

static bool find_look(Job *job, couLook *look)
{
    int count = 0;
    const couLibraryMaterial *library = couMaterialLibrary(&count);
    const char *wanted = job->material ? job->material : "water";
    const char *names[256];
    for (int k = 0; k < count && k < 256; k++) {
        names[k] = library[k].def.name;
        if (strcmp(names[k], wanted) != 0) continue;
        *look = couMaterialLook(&library[k].def);
        return true;
    }
    const char *nearest = couSuggest(names, count < 256 ? count : 256, wanted);
    couFaults_Add(&job->faults, where, "--material", "unknown material '%.40s'%s%s%s; coulis list materials names them", wanted,
                  nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
    return false;
}

// Scale and room are those of the first frame that can be read; an automatic camera follows the particles of each.
static bool open_frames(Job *job, const couFrameFiles *files)
{
    couLook look;
    if (!find_look(job, &look)) return false;
    couFrame frame = {0};
    bool is_read = false;
    for (int i = 0; i < files->count && !is_read; i++) {
        couFaults ignored = {0}; // said when its turn comes
        is_read = couReadFrame(files->items[i].path, &frame, &ignored) && frame.count > 0;
        couFaults_Clear(&ignored);
    }
    float spacing = job->spacing > 0 ? (float)job->spacing : couGuessSpacing(&frame);
    if (job->spacing == 0 && !job->is_quiet) printf("spacing guessed from the first frame: %.4g m\n", (double)spacing);
    if (job->fps == 0) job->fps = 30;
    couBounds none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    couStudioDef def = {.dimension = couIsFlatFrame(&frame) ? 2 : 3,
                        .spacing = spacing > 0.0f ? spacing : 1.0f,
                        .fps = job->fps,
                        .looks = &look,
                        .look_count = 1,
                        .camera = job->camera,
                        .bounds = none,
                        .choice = job->pictures,
                        .surface = job->surface,
                        .threads = couThreadCount(job->threads)};
    couFreeFrame(&frame);
    job->studio = couOpenStudio(&def, &job->faults);
    return job->studio != NULL;
}

// Where the run's bodies were at a frame, with the shapes of the scene.
static int collect_bodies(Job *job, int number, couPictureBody *bodies)
{
    size_t rows = 0;
    const couBodyRow *row = job->scene ? couBodyTable_Frame(&job->bodies, number, &rows) : NULL;
    couWorld *world = job->scene ? couScene_World(job->scene) : NULL;
    int count = 0;
    for (size_t k = 0; k < rows; k++, row++) {
        couBodyId id = couWorld_FindBody(world, row->name);
        const couBodyDef *body = id.index1 ? couWorld_Body(world, id) : NULL;
        if (!body && row->body >= 0 && !job->is_missed[row->body]) {
            couWarn("the body '%s' was added while the scene ran: it is not in the pictures", row->name);
            job->is_missed[row->body] = true;
        }
        if (body && body->opacity > 0.0f)
            bodies[count++] = (couPictureBody){
                .shape = body->shape, .pose = row->pose, .look = couBodyLook(body), .velocity = row->velocity, .spin = row->spin};
    }
    return count;
}

// --- Pictures ---

// What decides how the pictures look, as text: pictures made otherwise are not mixed with these.
static void describe(const Job *job, const char *source, char *text, size_t size)
{
    const couPictureChoice *c = &job->pictures;
    snprintf(text, size,
             "%s\n%dx%d quality %d samples %d shutter %g raw %d field %d cell %g radius %g level %g smoothing %d blend %d\n"
             "from %s to %s fov %g material %s spacing %g\n",
             source, c->width, c->height, c->quality, c->paths, c->shutter, c->is_raw, job->surface.field,
             (double)job->surface.cell, (double)job->surface.radius, (double)job->surface.level, job->surface.smoothing,
             job->surface.is_blended, job->from ? job->from : "-", job->to ? job->to : "-", job->fov,
             job->material ? job->material : "-", job->spacing);
}

static void picture_path(const Job *job, const char *stem, int number, const char *extension, char *path)
{
    char name[48];
    snprintf(name, sizeof name, "%s_%06d.%s", stem, number, extension);
    couJoin(path, job->folder, name);
}

static void remove_pictures(Job *job, const couFrameFiles *files)
{
    char path[COU_PATH_SIZE];
    for (int i = 0; i < files->count; i++) {
        picture_path(job, "picture", files->items[i].number, "png", path);
        unlink(path);
    }
}

// Pictures that are there stay when they were made the same way; else --force makes them anew.
static bool follow_settings(Job *job, const char *source, const couFrameFiles *files)
{
    char path[COU_PATH_SIZE], text[2048];
    couFaults ignored = {0};
    describe(job, source, text, sizeof text);
    couJoin(path, job->folder, "pictures.txt");
    char *old = access(path, F_OK) == 0 ? couReadFile(path, 1 << 16, NULL, &ignored) : NULL;
    bool is_same = old && strcmp(old, text) == 0;
    couFaults_Clear(&ignored);
    free(old);
    if (is_same && !job->is_forced) return true;
    bool is_there = false;
    for (int i = 0; i < files->count && !is_there; i++) {
        char picture[COU_PATH_SIZE];
        picture_path(job, "picture", files->items[i].number, "png", picture);
        is_there = access(picture, F_OK) == 0;
    }
    if (is_there && !job->is_forced) {
        couFaults_Add(
            &job->faults, job->folder, NULL,
            "holds pictures that were made otherwise (pictures.txt); --force makes them anew, --out takes another folder");
        return false;
    }
    remove_pictures(job, files);
    couFile file;
    if (!couFile_Create(&file, path, &job->faults)) return false;
    fputs(text, file.stream);
    return couFile_Commit(&file, &job->faults);
}

static bool write_layers(Job *job, int number, const couLayers *layers)
{
    const struct {
        const char *stem;
        int channels;
        const void *values;
    } files[] = {{"radiance", 3, layers->radiance},
                 {"normal", 3, layers->normal},
                 {"albedo", 3, layers->albedo},
                 {"depth", 1, layers->depth}};
    char path[COU_PATH_SIZE];
    for (int k = 0; k < 4; k++) {
        picture_path(job, files[k].stem, number, "pfm", path);
        if (!couWritePfm(path, layers->width, layers->height, files[k].channels, files[k].values, &job->faults)) return false;
    }
    return true;
}

// A frame that cannot be read or drawn is a warning; a picture that cannot be written ends the command.
static bool draw_frame(Job *job, const couFrameFile *file)
{
    char path[COU_PATH_SIZE];
    picture_path(job, "picture", file->number, "png", path);
    if (access(path, F_OK) == 0) {
        job->kept++;
        return true;
    }
    couFaults faults = {0};
    couFrame frame = {0};
    couImage image = {0};
    couLayers layers = {0};
    couPictureBody *bodies = calloc((size_t)job->bodies.stage.body_count + 1, sizeof *bodies);
    bool is_drawn = bodies && couReadFrame(file->path, &frame, &faults);
    if (is_drawn) {
        if (job->scene) frame.time = file->number / job->fps; // as in the run, to the last bit
        int count = collect_bodies(job, file->number, bodies);
        is_drawn = couStudio_Draw(job->studio, &frame, file->number, bodies, count, &image, job->has_layers ? &layers : NULL,
                                  &faults);
    }
    bool is_good = true;
    if (is_drawn) {
        is_good = (!job->has_layers || !layers.radiance || write_layers(job, file->number, &layers)) &&
                  couWritePng(path, &image, &job->faults);
        job->drawn += is_good;
    } else {
        couWarn("%s: %s: there is no picture of this frame", file->path,
                faults.count > 0 ? faults.items[0].message : "no memory");
        job->skipped++;
    }
    free(bodies);
    couFreeLayers(&layers);
    couFreeImage(&image);
    couFreeFrame(&frame);
    couFaults_Clear(&faults);
    return is_good;
}

static bool make_film(Job *job, const couFrameFiles *files)
{
    if (!job->film_path[0] || couInterrupted()) return true;
    couFilm *film = couOpenFilm(job->film_path, job->pictures.width, job->pictures.height, job->fps, &job->faults);
    if (!film) return false;
    bool is_good = true;
    for (int i = 0; i < files->count && is_good; i++) {
        char path[COU_PATH_SIZE];
        couImage image = {0};
        picture_path(job, "picture", files->items[i].number, "png", path);
        if (access(path, F_OK) != 0) continue; // a frame that was left out
        is_good = couReadPng(path, &image, &job->faults) && couFilm_AddFrame(film, &image, &job->faults);
        couFreeImage(&image);
    }
    if (is_good) return couCloseFilm(film, &job->faults);
    couDiscardFilm(film);
    return false;
}

static int produce(Job *job, const couFrameFiles *files, const char *source)
{
    couCatchInterrupts();
    if (!couMakeFolder(job->folder, &job->faults)) return couFail(&job->faults, cou_exitFailed);
    if (!follow_settings(job, source, files)) return couFail(&job->faults, cou_exitBadInput);
    couProgress progress = couStartProgress("picture", 0, files->count, job->is_quiet);
    bool is_good = true;
    for (int i = 0; i < files->count && is_good && !couInterrupted(); i++) {
        is_good = draw_frame(job, &files->items[i]);
        couProgress_Show(&progress, i + 1, NULL);
    }
    couProgress_End(&progress);
    if (!is_good || !make_film(job, files)) return couFail(&job->faults, cou_exitFailed);
    if (!job->is_quiet) {
        printf("%d pictures drawn, %d were there, in %s\n", job->drawn, job->kept, job->folder);
        if (job->film_path[0] && !couInterrupted()) printf("film: %s\n", job->film_path);
    }
    if (job->skipped > 0) fprintf(stderr, "%d of %d frames were left out\n", job->skipped, files->count);
    if (couInterrupted()) fprintf(stderr, "interrupted; the same command goes on\n");
    return job->skipped > 0 || couInterrupted() ? cou_exitFailed : cou_exitWell;
}

static bool prepare(Job *job, const couTexts *operands, couFrameFiles *files)
{
    const char *source = operands->items[0];
    couReadPictureChoice(&job->pictures, where, &job->faults);
    job->surface = couReadSurfaceChoice(&job->choice, where, &job->faults);
    read_camera(job);
    if (job->out && strlen(job->out) >= COU_FOLDER_SIZE)
        couFaults_Add(&job->faults, where, "--out", "the path has %zu bytes, at most %d are allowed", strlen(job->out),
                      COU_FOLDER_SIZE - 1);
    if (job->film && strlen(job->film) >= COU_FOLDER_SIZE)
        couFaults_Add(&job->faults, where, "--film", "the path has %zu bytes, at most %d are allowed", strlen(job->film),
                      COU_FOLDER_SIZE - 1);
    if (job->has_layers && job->pictures.quality != cou_qualityFinal)
        couFaults_Add(&job->faults, where, "--layers", "are of final pictures only: add --quality final");
    if (job->faults.count > 0 || !couListFrames(operands->items, operands->count, files, &job->faults)) return false;
    select_frames(job, files);
    choose_folder(job, source);
    if (job->faults.count > 0) return false;
    char path[COU_PATH_SIZE];
    bool is_run = operands->count == 1 && is_folder(source) && strlen(source) < COU_FOLDER_SIZE &&
                  access(couJoin(path, source, "command.txt"), F_OK) == 0;
    if (is_run && job->material)
        couFaults_Add(&job->faults, where, "--material", "is for frames of other programs; this run has its own materials");
    return job->faults.count == 0 && (is_run ? open_run(job, source) : open_frames(job, files));
}

int couCommandRender(int argc, char **argv)
{
    Job job = {.pictures = couDefaultPictureChoice(), .choice = couDefaultSurfaceChoice()};
    const couOption table[] = {
        COU_PICTURE_OPTIONS(&job.pictures),
        {"--frames", "LIST", "which: 12, 1-30, 1-300/10 or last (default all)", cou_optionText, &job.frames, 0, 0},
        {"--video", NULL, "make film.mp4 of the pictures", cou_optionFlag, &job.is_video, 0, 0},
        {"--film", "FILE", "make a film there: .mp4, .gif or .webp", cou_optionText, &job.film, 0, 0},
        {"--fps", "N", "of the film (default: the run's, or 30)", cou_optionNumber, &job.fps, 0.01, 1000},
        {"--out", "DIR", "folder of the pictures (default: the run's)", cou_optionText, &job.out, 0, 0},
        {"--from", "X,Y,Z", "where the camera stands [m] (default: the scene's camera, or an automatic one)", cou_optionText,
         &job.from, 0, 0},
        {"--to", "X,Y,Z", "where it looks [m]", cou_optionText, &job.to, 0, 0},
        {"--fov", "DEG", "its vertical field of view [degrees] (default 40)", cou_optionNumber, &job.fov, 1, 150},
        {"--layers", NULL, "write radiance, normal, albedo and depth as .pfm too", cou_optionFlag, &job.has_layers, 0, 0},
        {"--material", "M", "look of frames of other programs (default water; coulis list materials)", cou_optionText,
         &job.material, 0, 0},
        {"--spacing", "M", "of their particles [m] (default: guessed)", cou_optionNumber, &job.spacing, 1e-9, 1e6},
        COU_SURFACE_OPTIONS(&job.choice),
        {"--threads", "N", "threads (default all cores); the pictures do not depend on it", cou_optionInt, &job.threads, 1,
         COU_MAX_THREADS},
        {"--force", NULL, "make pictures anew that were made otherwise", cou_optionFlag, &job.is_forced, 0, 0},
        {"--quiet", NULL, "print warnings and errors only", cou_optionFlag, &job.is_quiet, 0, 0},
    };
    couCommand command = {.name = "render",
                          .usage = "FRAMES... [options]",
                          .help = "pictures and film of frames that were written before",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .min_operands = 1,
                          .max_operands = 100000,
                          .notes = notes};
    couTexts operands = {0};
    couFrameFiles files = {0};
    int code = cou_exitWell;
    if (!couParseOptions(&command, argc, argv, &operands, &job.faults)) {
        if (job.is_quiet) couSilenceNotes();
        bool is_ready = job.faults.count == 0 && prepare(&job, &operands, &files);
        code = is_ready ? produce(&job, &files, operands.items[0]) : couFail(&job.faults, cou_exitBadInput);
    }
    couCloseStudio(job.studio);
    if (job.scene) couCloseScene(job.scene);
    couBodyTable_Clear(&job.bodies);
    free(job.is_missed);
    couFreeRunOptions(&job.run);
    couFrameFiles_Clear(&files);
    couTexts_Clear(&operands);
    couFaults_Clear(&job.faults);
    return code;
}
