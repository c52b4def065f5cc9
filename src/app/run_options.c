// The options of `coulis run`. All of them are checked before anything else happens. A run leaves its own arguments in
// command.txt, one a line, so that `coulis run --resume DIR` needs nothing else: what is not given anew is read from there.
#include "app/run.h"
#include "files/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char notes[] =
    "SCENE is a file or a gallery name (coulis list scenes). The folder gets run.json, diagnostics.csv, the frames\n"
    "particles_000001.vtp..., checkpoint.h5 and command.txt; an earlier run there is replaced. docs/files.md describes them.\n"
    "Ctrl-C ends the current frame, writes a checkpoint and says how to go on; a second Ctrl-C ends at once.\n"
    "\n"
    "examples:\n"
    "  coulis run fountain --video\n"
    "  coulis run fountain --surface --picture --quality final\n"
    "  coulis run syrup-coil --set syrup.viscosity=8 --seconds 4 --out out/thick\n"
    "  coulis run --resume out/thick --frames 300\n";

// Reads the arguments alone, without looking at the resumed folder. True when --help was printed.
static bool parse(couRunOptions *o, int argc, char **argv, couFaults *faults)
{
    *o = (couRunOptions){.seconds = NAN, .fps = NAN, .frames = -1, .checkpoint_every = -1, .pictures = couDefaultPictureChoice()};
    const couOption table[] = {
        COU_OPTION("--out", "DIR", cou_optionText, &o->out, .help = "folder of the results (default out/SCENE)"),
        COU_OPTION("--frames", "N", cou_optionInt, &o->frames, .min = 1, .max = COU_MAX_FRAMES,
                   .help = "frames in total (default: the scene's duration)"),
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
static void parse_command_file(couRunOptions *old, char *text, couFaults *faults)
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
    if (text) parse_command_file(o, text, &found);
    o->old_command = text;
    if (found.count > 0)
        couFaults_Add(faults, path, NULL, "is damaged (%s %s); remove it and give the options on the command line",
                      found.items[0].key, found.items[0].message);
    bool is_good = found.count == 0;
    couFaults_Clear(&found);
    return is_good;
}

// What was not given anew is taken from the run that is resumed.
static void inherit(couRunOptions *o, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    struct stat status;
    if (stat(couJoin(path, o->resume, "command.txt"), &status) != 0) return; // the checkpoint says enough to go on
    couRunOptions old = {0};
    if (couReadOldCommand(&old, o->resume, faults)) {
        if (!o->scene) o->scene = old.scene;
        if (!o->method) o->method = old.method;
        if (!o->export) o->export = old.export;
        couPictureChoice *own = &o->pictures;
        if (!own->size_text) own->size_text = old.pictures.size_text;
        if (!own->quality_word) own->quality_word = old.pictures.quality_word;
        if (!own->color_by) own->color_by = old.pictures.color_by;
        if (!own->range_text) own->range_text = old.pictures.range_text;
        if (!own->map_word) own->map_word = old.pictures.map_word;
        own->has_no_legend |= old.pictures.has_no_legend;
        couPictureStyle *style = &own->style, *old_style = &old.pictures.style;
        if (style->paths == couDefaultPictureStyle().paths) style->paths = old_style->paths;
        if (style->shutter == 0) style->shutter = old_style->shutter;
        style->is_raw |= old_style->is_raw;
        style->has_samples |= old_style->has_samples;
        o->has_surface |= old.has_surface;
        if (isnan(o->fps)) o->fps = old.fps;
        if (o->frames < 0 && isnan(o->seconds)) o->frames = old.frames;
        if (o->checkpoint_every < 0) o->checkpoint_every = old.checkpoint_every;
        o->is_video |= old.is_video;
        o->is_picture |= old.is_picture;
        bool has_own_sets = o->sets.count > 0;
        for (int i = 0; !has_own_sets && i < old.sets.count; ++i) couTexts_Add(&o->sets, old.sets.items[i]);
    }
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

bool couReadRunOptions(couRunOptions *o, int argc, char **argv, couFaults *faults)
{
    if (parse(o, argc, argv, faults)) return true;
    couCheckPath(where, "SCENE", o->scene, faults);
    couCheckPath(where, "--out", o->out, faults);
    couCheckPath(where, "--resume", o->resume, faults);
    if (o->frames >= 0 && !isnan(o->seconds)) couFaults_Add(faults, where, "--seconds", "give --frames or --seconds, not both");
    if (!o->scene && !o->resume) couFaults_Add(faults, where, NULL, "which scene? coulis list scenes names the gallery");
    if (o->is_forced && !o->resume) couFaults_Add(faults, where, "--force", "has a meaning with --resume only");
    if (o->resume && strlen(o->resume) < COU_FOLDER_SIZE) inherit(o, faults);
    if (o->method) couCheckMethod(where, o->method, faults);
    read_export(o, faults);
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
}

bool couWriteCommand(const couRunOptions *o, const char *folder, int frames, double fps, couFaults *faults)
{
    char path[COU_PATH_SIZE];
    couFile file;
    if (!couFile_Create(&file, couJoin(path, folder, "command.txt"), faults)) return false;
    fprintf(file.stream, "--frames=%d\n--fps=%.17g\n", frames, fps);
    if (o->method) fprintf(file.stream, "--method=%s\n", o->method);
    if (o->export) fprintf(file.stream, "--export=%s\n", o->export);
    const couPictureChoice *pictures = &o->pictures;
    if (pictures->size_text) fprintf(file.stream, "--size=%s\n", pictures->size_text);
    if (pictures->quality_word) fprintf(file.stream, "--quality=%s\n", pictures->quality_word);
    if (pictures->color_by) fprintf(file.stream, "--color-by=%s\n", pictures->color_by);
    if (pictures->range_text) fprintf(file.stream, "--color-range=%s\n", pictures->range_text);
    if (pictures->map_word) fprintf(file.stream, "--color-map=%s\n", pictures->map_word);
    if (pictures->has_no_legend) fprintf(file.stream, "--no-legend\n");
    fprintf(file.stream, "--samples=%d\n", pictures->style.paths);
    if (pictures->style.shutter > 0) fprintf(file.stream, "--shutter=%.17g\n", pictures->style.shutter);
    if (pictures->style.is_raw) fprintf(file.stream, "--no-denoise\n");
    if (pictures->style.has_samples) fprintf(file.stream, "--show-samples\n");
    if (o->has_surface) fprintf(file.stream, "--surface\n");
    if (o->checkpoint_every >= 0) fprintf(file.stream, "--checkpoint-every=%d\n", o->checkpoint_every);
    if (o->is_video) fprintf(file.stream, "--video\n");
    if (o->is_picture) fprintf(file.stream, "--picture\n");
    for (int i = 0; i < o->sets.count; ++i) fprintf(file.stream, "--set=%s\n", o->sets.items[i]);
    fprintf(file.stream, "--\n%s\n", o->scene);
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
