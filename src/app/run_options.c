// The options of `coulis run`. All of them are checked before anything else happens. A run leaves its own arguments in
// command.txt, one a line, so that `coulis run --resume DIR` needs nothing else: what is not given anew is read from there.
#include "app/run.h"
#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char notes[] =
    "SCENE is a file or a gallery name (coulis list scenes), or the run.json of an earlier run: that is repeated, with its copy\n"
    "of the scene, into a new folder, and its state hash compared (exit code 1 when it is another). The folder gets run.json,\n"
    "diagnostics.csv, the frames particles_000001.vtp..., checkpoint.h5, log.txt and more; an earlier run there is replaced.\n"
    "docs/files.md describes them.\n"
    "Ctrl-C ends the current frame, writes a checkpoint and says how to go on; a second Ctrl-C ends at once.\n"
    "\n"
    "examples:\n"
    "  coulis run fountain --video\n"
    "  coulis run fountain --surface --picture --quality final\n"
    "  coulis run syrup-coil --set syrup.viscosity=8 --seconds 4 --out out/thick\n"
    "  coulis run --resume out/thick --frames 300\n"
    "  coulis run out/thick/run.json\n";

// Reads the arguments alone, without looking at the resumed folder. True when --help was printed.
static bool parse(couRunOptions *o, int argc, char **argv, couFaults *faults)
{
    *o = (couRunOptions){.seconds = NAN, .fps = NAN, .frames = -1, .checkpoint_every = -1, .pictures = couDefaultPictureChoice()};
    const couOption table[] = {
        COU_OPTION("--out", "DIR", cou_optionText, &o->out, .help = "folder of the results (default out/SCENE)"),
        COU_OPTION("--frames", "N", cou_optionInt, &o->frames, .min = 0, .max = COU_MAX_FRAMES,
                   .help = "frames in total (default: the scene's duration); 0: the start alone"),
        COU_OPTION("--seconds", "T", cou_optionNumber, &o->seconds, .min = 1e-6, .max = 1e9,
                   .help = "simulated seconds in total, instead of --frames"),
        COU_OPTION("--fps", "N", cou_optionNumber, &o->fps, .min = 0.01, .max = 100000,
                   .help = "frames per simulated second (default: the scene's, 30)"),
        COU_OPTION("--method", "M", cou_optionText, &o->method, .help = "solver (coulis list methods)"),
        COU_OPTION("--set", "KEY=VALUE", cou_optionTexts, &o->sets,
                   .help = "change a value of the scene, e.g. spacing=0.01 or honey.viscosity=5"),
        COU_OPTION("--threads", "N", cou_optionInt, &o->threads, .min = 1, .max = COU_MAX_THREADS,
                   .help = "threads (default all cores); the results do not depend on it"),
        COU_OPTION("--export", "LIST", cou_optionText, &o->export,
                   .help = "frame files: vtk (default), ply, obj (surfaces), samples (of bodies), several as vtk,ply, or none"),
        COU_OPTION("--columns", "LIST", cou_optionText, &o->columns,
                   .help = "of frame files besides place and id: velocity, density, material, pressure; all (default) or none"),
        COU_OPTION("--surface", NULL, cou_optionFlag, &o->has_surface,
                   .help = "write surface frames too: .obj, or the kinds of --export; .svg in 2D"),
        COU_OPTION("--video", NULL, cou_optionFlag, &o->is_video, .help = "write film.mp4 and picture.png"),
        COU_OPTION("--picture", NULL, cou_optionFlag, &o->is_picture, .help = "write picture.png of the last frame"),
        COU_PICTURE_OPTIONS(&o->pictures),
        COU_OPTION("--view", NULL, cou_optionFlag, &o->is_viewed, .help = "print an address where a browser can watch the run"),
        COU_OPTION("--checkpoint-every", "N", cou_optionInt, &o->checkpoint_every, .min = 0, .max = COU_MAX_FRAMES,
                   .help = "frames between checkpoints; 0: one at the end (default: once a minute)"),
        COU_OPTION("--resume", "DIR", cou_optionText, &o->resume, .help = "go on from the last checkpoint of a run"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &o->is_quiet, .help = "print warnings and errors only"),
        COU_OPTION("--force", NULL, cou_optionFlag, &o->is_forced, .help = "with --resume: go on although the scene has changed"),
    };
    couCommand command = {.name = "run",
                          .usage = "SCENE [options]   or   coulis run --resume DIR [options]",
                          .help = "simulate a scene",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .max_operands = 1,
                          .notes = notes};
    couTexts operands = {0};
    bool has_helped = couParseOptions(&command, argc, argv, &operands, faults);
    o->scene = operands.count > 0 ? operands.items[0] : NULL;
    couTexts_Clear(&operands);
    return has_helped;
}

// Splits the text into lines and reads them as arguments.
void couParseCommand(couRunOptions *old, char *text, couFaults *faults)
{
    couTexts lines = {0};
    couTexts_Add(&lines, "run");
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) couTexts_Add(&lines, line);
    if (parse(old, lines.count, (char **)lines.items, faults)) couFaults_Add(faults, NULL, "--help", "does not belong there");
    couTexts_Clear(&lines);
}

bool couReadOldCommand(couRunOptions *o, const char *folder, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    couFaults found = {0};
    size_t size = 0;
    *o = (couRunOptions){.old_command = couReadFile(couJoin(path, folder, "command.txt"), 1 << 20, &size, &found)};
    char *text = o->old_command;
    if (text) couParseCommand(o, text, &found);
    o->old_command = text;
    if (found.count > 0)
        couFaults_Add(faults, path, NULL, "is damaged (%s %s); remove it and give the options on the command line",
                      found.items[0].key, found.items[0].message);
    bool is_good = found.count == 0;
    couFaults_Clear(&found);
    return is_good;
}

void couInheritOptions(couRunOptions *o, const couRunOptions *old)
{
    if (!o->scene) o->scene = old->scene;
    if (!o->method) o->method = old->method;
    if (!o->export) o->export = old->export;
    if (!o->columns) o->columns = old->columns;
    couPictureChoice *own = &o->pictures;
    if (!own->size_text) own->size_text = old->pictures.size_text;
    if (!own->quality_word) own->quality_word = old->pictures.quality_word;
    if (!own->color_by) own->color_by = old->pictures.color_by;
    if (!own->range_text) own->range_text = old->pictures.range_text;
    if (!own->map_word) own->map_word = old->pictures.map_word;
    own->has_no_legend |= old->pictures.has_no_legend;
    couPictureStyle *style = &own->style;
    const couPictureStyle *old_style = &old->pictures.style;
    if (style->paths == couDefaultPictureStyle().paths) style->paths = old_style->paths;
    if (style->shutter == 0) style->shutter = old_style->shutter;
    style->is_raw |= old_style->is_raw;
    style->has_samples |= old_style->has_samples;
    o->has_surface |= old->has_surface;
    if (isnan(o->fps)) o->fps = old->fps;
    if (o->frames < 0 && isnan(o->seconds)) o->frames = old->frames;
    if (o->checkpoint_every < 0) o->checkpoint_every = old->checkpoint_every;
    o->is_video |= old->is_video;
    o->is_picture |= old->is_picture;
    bool has_own_sets = o->sets.count > 0;
    for (int i = 0; !has_own_sets && i < old->sets.count; ++i) couTexts_Add(&o->sets, old->sets.items[i]);
}

// What was not given anew is taken from the run that is resumed.
static void inherit(couRunOptions *o, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    struct stat status;
    if (stat(couJoin(path, o->resume, "command.txt"), &status) != 0) return; // the checkpoint says enough to go on
    couRunOptions old = {0};
    if (couReadOldCommand(&old, o->resume, faults)) couInheritOptions(o, &old);
    o->old_command = old.old_command; // what was taken over points into it
    old.old_command = NULL;
    couFreeRunOptions(&old);
}

static const char where[] = "coulis run";

static void read_export(couRunOptions *o, couFaults *faults)
{
    static const char *const kinds[] = {"vtk", "ply", "obj", "samples", "none"};
    if (!o->export) {
        o->has_vtp = true;
        o->has_surface_obj = o->has_surface;
        return;
    }
    bool has_none = false, has_obj = false;
    for (const char *word = o->export; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        char kind[32];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(word, ","), word);
        if (strcmp(kind, "vtk") == 0) {
            o->has_vtp = true;
        } else if (strcmp(kind, "ply") == 0) {
            o->has_ply = true;
        } else if (strcmp(kind, "obj") == 0) {
            has_obj = true;
        } else if (strcmp(kind, "samples") == 0) {
            o->has_samples = true;
        } else if (strcmp(kind, "none") == 0) {
            has_none = true;
        } else {
            couAddUnknown(where, "--export", "kind", kind, kinds, 5, faults);
        }
    }
    if (has_none && (o->has_vtp || o->has_ply || has_obj || o->has_samples))
        couFaults_Add(faults, where, "--export", "none stands alone: '%.60s'", o->export);
    o->has_surface |= has_obj; // particles have no such files
    o->has_surface_vtp = o->has_surface && o->has_vtp;
    o->has_surface_ply = o->has_surface && o->has_ply;
    o->has_surface_obj = has_obj || (o->has_surface && has_none);
}

// What frame files have besides place and id, which each of them has: what reads them finds particles again by it.
static void read_columns(couRunOptions *o, couFaults *faults)
{
    static const char *const names[] = {"velocity", "density", "material", "pressure", "id", "all", "none"};
    static const unsigned bits[] = {cou_frameVelocity, cou_frameDensity, cou_frameMaterial};
    if (!o->columns) return;
    bool has_all = false, has_none = false;
    o->left_out = cou_frameVelocity | cou_frameDensity | cou_frameMaterial;
    for (const char *word = o->columns; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        char name[32];
        int k = 0;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, ","), word);
        while (k < 7 && strcmp(names[k], name) != 0) ++k;
        if (k == 7) couAddUnknown(where, "--columns", "column", name, names, 7, faults);
        if (k < 3) o->left_out &= ~bits[k];
        o->asks_pressure |= k == 3;
        has_all |= k == 5;
        has_none |= k == 6;
    }
    o->has_no_pressure = !o->asks_pressure && !has_all;
    if (has_all) o->left_out = 0;
    if ((has_all || has_none) && strchr(o->columns, ','))
        couFaults_Add(faults, where, "--columns", "%s stands alone: '%.60s'", has_none ? "none" : "all", o->columns);
}

bool couReadRunOptions(couRunOptions *o, int argc, char **argv, couFaults *faults)
{
    if (parse(o, argc, argv, faults)) return true;
    couCheckPath(where, "SCENE", o->scene, faults);
    couCheckPath(where, "--out", o->out, faults);
    couCheckPath(where, "--resume", o->resume, faults);
    if (o->frames >= 0 && !isnan(o->seconds)) couFaults_Add(faults, where, "--seconds", "give --frames or --seconds, not both");
    if (!o->scene && !o->resume) couFaults_Add(faults, where, NULL, "which scene? coulis list scenes names the gallery");
    if (o->is_forced && !o->resume) couFaults_Add(faults, where, "--force", "has a meaning with --resume only");
    bool is_repeat = o->scene && couIsRunJson(o->scene);
    if (!is_repeat && o->resume && strlen(o->resume) < COU_FOLDER_SIZE) inherit(o, faults);
    if (is_repeat && strlen(o->scene) < COU_FOLDER_SIZE) couReadRepeat(o, faults);
    if (o->method) couCheckMethod(where, o->method, faults);
    read_export(o, faults);
    read_columns(o, faults);
    couReadPictureChoice(&o->pictures, where, faults);
    o->has_samples |= o->pictures.style.has_samples; // pictures are drawn from the files
    if (o->pictures.style.has_samples && !o->is_picture && !o->is_video)
        couFaults_Add(faults, where, "--show-samples", "in which pictures? add --picture or --video");
    if (o->pictures.quality_word && !o->is_picture && !o->is_video)
        couFaults_Add(faults, where, "--quality", "of which pictures? add --picture or --video");
    if (o->pictures.color_by && !o->is_picture && !o->is_video)
        couFaults_Add(faults, where, "--color-by", "of which pictures? add --picture or --video");
    couSplitOverrides(where, &o->sets, &o->overrides, faults);
    return false;
}

void couFreeRunOptions(couRunOptions *o)
{
    couTexts_Clear(&o->sets);
    couOverrides_Clear(&o->overrides);
    free(o->old_command);
    free(o->repeated_scene);
    free(o->repeated_folder);
}

void couPrintCommand(const couRunOptions *o, int frames, double fps, FILE *stream)
{
    fprintf(stream, "--frames=%d\n--fps=%.17g\n", frames, fps);
    if (o->method) fprintf(stream, "--method=%s\n", o->method);
    if (o->export) fprintf(stream, "--export=%s\n", o->export);
    if (o->columns) fprintf(stream, "--columns=%s\n", o->columns);
    const couPictureChoice *pictures = &o->pictures;
    if (pictures->size_text) fprintf(stream, "--size=%s\n", pictures->size_text);
    if (pictures->quality_word) fprintf(stream, "--quality=%s\n", pictures->quality_word);
    if (pictures->color_by) fprintf(stream, "--color-by=%s\n", pictures->color_by);
    if (pictures->range_text) fprintf(stream, "--color-range=%s\n", pictures->range_text);
    if (pictures->map_word) fprintf(stream, "--color-map=%s\n", pictures->map_word);
    if (pictures->has_no_legend) fprintf(stream, "--no-legend\n");
    fprintf(stream, "--samples=%d\n", pictures->style.paths);
    if (pictures->style.shutter > 0) fprintf(stream, "--shutter=%.17g\n", pictures->style.shutter);
    if (pictures->style.is_raw) fprintf(stream, "--no-denoise\n");
    if (pictures->style.has_samples) fprintf(stream, "--show-samples\n");
    if (o->has_surface) fprintf(stream, "--surface\n");
    if (o->checkpoint_every >= 0) fprintf(stream, "--checkpoint-every=%d\n", o->checkpoint_every);
    if (o->is_video) fprintf(stream, "--video\n");
    if (o->is_picture) fprintf(stream, "--picture\n");
    for (int i = 0; i < o->sets.count; ++i) fprintf(stream, "--set=%s\n", o->sets.items[i]);
    fprintf(stream, "--\n%s\n", o->scene);
}

bool couWriteCommand(const couRunOptions *o, const char *folder, int frames, double fps, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    couFile file;
    if (!couFile_Create(&file, couJoin(path, folder, "command.txt"), faults)) return false;
    couPrintCommand(o, frames, fps, file.stream);
    return couFile_Commit(&file, faults);
}

void couFormatResume(const char *folder, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "coulis run --resume ");
    bool is_plain = strspn(folder, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == strlen(folder);
    if (is_plain) {
        snprintf(text + used, size - used, "%s", folder);
        return;
    }
    // '...' takes everything but a quote, which is written as '\''
    text[used++] = '\'';
    for (const char *c = folder; *c && used + 6 < size; ++c) {
        if (*c == '\'')
            used += (size_t)snprintf(text + used, size - used, "'\\''");
        else
            text[used++] = *c;
    }
    snprintf(text + used, size - used, "'");
}
