// Options of surfaces and pictures: words become numbers, and what is wrong with them faults of the option that said it. The
// scale of colours is that of all frames, whichever are drawn: a picture of one frame fits into the film.
#include "app/picture_options.h"
#include "io/foam_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- Surfaces ---

couSurfaceDef couProgramSurfaceDef(void)
{
    couSurfaceDef def = couDefaultSurfaceDef();
    def.smoothing = 3;
    return def;
}

bool couCheckSurfaceOptions(const couSurfaceDef *def, int dimension, const char *command, couFaults *faults)
{
    couSurface nothing;
    couFaults found = {0};
    couSurfacePoints none = {.dimension = dimension};
    if (couBuildSurface(def, &none, &nothing, &found)) couSurface_Clear(&nothing);
    for (int i = 0; i < found.count; ++i) {
        const char *key = found.items[i].key, *dot = strchr(key, '.');
        char option[32];
        snprintf(option, sizeof option, "--%.20s", strcmp(key, "surface.max_gib") == 0 ? "max-memory" : dot ? dot + 1 : key);
        couFaults_Add(faults, command, option, "%s", found.items[i].message);
    }
    bool is_good = found.count == 0;
    couFaults_Clear(&found);
    return is_good;
}

// --- Pictures ---

couPictureChoice couDefaultPictureChoice(void) { return (couPictureChoice){.style = couDefaultPictureStyle()}; }

void couReadPictureChoice(couPictureChoice *c, const char *command, couFaults *faults)
{
    static const char *const qualities[] = {"preview", "splats", "final"};
    couPictureStyle *style = &c->style;
    style->quality = cou_qualityPreview;
    bool is_known = !c->quality_word;
    for (int k = 0; k < 3 && c->quality_word; ++k)
        if (strcmp(c->quality_word, qualities[k]) == 0) style->quality = k, is_known = true;
    if (!is_known) couAddUnknown(command, "--quality", "quality", c->quality_word, qualities, 3, faults);
    if (style->has_samples && style->quality != cou_qualityPreview)
        couFaults_Add(faults, command, "--show-samples", "goes with previews and pictures of 2D, not with --quality %s",
                      c->quality_word);
    style->width = 1280, style->height = 720;
    if (!c->size_text) return;
    int length = 0;
    bool is_read = sscanf(c->size_text, "%5dx%5d%n", &style->width, &style->height, &length) == 2 && c->size_text[length] == '\0';
    bool is_good = is_read && style->width >= 16 && style->width <= 8192 && style->height >= 16 && style->height <= 8192 &&
                   style->width % 2 == 0 && style->height % 2 == 0;
    if (!is_good)
        couFaults_Add(faults, command, "--size", "'%.40s' is not WIDTHxHEIGHT of even numbers from 16 to 8192, e.g. 1280x720",
                      c->size_text);
}

bool couReadSamples(const char *folder, int number, couFrame *samples, couFaults *faults)
{
    char path[1100];
    snprintf(path, sizeof path, "%.1024s/samples_%06d.vtp", folder, number);
    if (access(path, R_OK) == 0) return couReadFrame(path, samples, faults);
    couFaults_Add(faults, path, NULL, "is not there: coulis run --export vtk,samples writes the samples of bodies");
    return false;
}

// The fault is of the frame: it says which foam is meant.
bool couReadFoamFrame(const char *folder, int number, couFoam *foam, couFaults *faults)
{
    char path[1100];
    couFaults found = {0};
    snprintf(path, sizeof path, "%.1024s/foam_%06d.vtp", folder, number);
    bool is_there = access(path, R_OK) == 0, is_read = is_there && couReadFoam(path, foam, &found);
    if (!is_read)
        couFaults_Add(faults, path, NULL, "its foam, %.200s, %s: coulis foam makes it, --no-foam leaves it out", path,
                      found.count > 0 ? found.items[0].message : "is not there");
    couFaults_Clear(&found);
    return is_read;
}

// --- Colours ---

static void read_range(const char *text, const char *command, couColors *colors, couFaults *faults)
{
    float *const ends[] = {&colors->low, &colors->high};
    const char *at = text;
    bool is_good = true;
    for (int k = 0; k < 2 && is_good; ++k) {
        char *after = NULL;
        *ends[k] = NAN;
        if (strncmp(at, "auto", 4) == 0) {
            at += 4;
        } else {
            double value = strtod(at, &after);
            is_good = after != at && fabs(value) <= 1e30;
            *ends[k] = (float)value;
            at = after;
        }
        is_good = is_good && *at == (k == 0 ? ',' : '\0');
        ++at;
    }
    if (!is_good)
        couFaults_Add(faults, command, "--color-range", "'%.60s' is not LOW,HIGH: two numbers up to 1e30, or auto for either",
                      text);
    else if (colors->low >= colors->high) // false for NaN: automatic
        couFaults_Add(faults, command, "--color-range", "the low end, %g, must be less than the high one, %g",
                      (double)colors->low, (double)colors->high);
}

couColors couChooseColors(const couPictureChoice *c, const couColors *scene, const char *command, couFaults *faults)
{
    couColors colors = scene ? *scene : couDefaultColors();
    bool is_none = c->color_by && strcmp(c->color_by, "none") == 0;
    if (c->color_by && strcmp(c->color_by, colors.by) != 0) { // another column has another scale
        colors.low = colors.high = NAN;
        if (strlen(c->color_by) >= sizeof colors.by)
            couFaults_Add(faults, command, "--color-by", "'%.60s' is longer than %d characters", c->color_by, COU_NAME_SIZE - 1);
        snprintf(colors.by, sizeof colors.by, "%s", is_none ? "" : c->color_by);
    }
    if (c->map_word) {
        const couParam *map = couParams_Find(couColorsParams(), "map");
        int count = 0;
        while (map->choices[count] && strcmp(map->choices[count], c->map_word) != 0) ++count;
        if (map->choices[count])
            colors.map = count;
        else
            couAddUnknown(command, "--color-map", "map", c->map_word, map->choices, count, faults);
    }
    if (c->range_text) read_range(c->range_text, command, &colors, faults);
    if (c->has_no_legend) colors.has_legend = false;
    const char *stray = c->range_text ? "--color-range" : c->map_word ? "--color-map" : NULL;
    if (!colors.by[0] && stray) couFaults_Add(faults, command, stray, "of which column? add --color-by speed");
    return colors;
}

float *couFindValues(const couColors *colors, const couFrame *frame, const char *path, couFaults *faults)
{
    if (!colors->by[0]) return NULL;
    float *values = malloc((frame->count + 1) * sizeof *values);
    bool is_good = values && (path ? couReadFrameColumn(path, frame, colors->by, values, faults)
                                   : couFrame_Column(frame, colors->by, values));
    if (is_good) return values;
    if (!values || !path) couFaults_Add(faults, path, NULL, "no memory for the column '%s', or no such column", colors->by);
    free(values);
    return NULL;
}

// The first frame must have the column; a later one that cannot be read is missed when it is drawn.
bool couSettleColors(couColors *colors, const couFrameFiles *files, const char *command, bool is_quiet, couFaults *faults)
{
    if (!colors->by[0]) return true;
    bool is_auto = isnan(colors->low) || isnan(colors->high), is_good = true;
    couColorRange range = couNoRange();
    couProgress progress = couStartProgress("frame", 0, files->count, is_quiet || !is_auto);
    for (int i = 0; is_good && i < (is_auto ? files->count : 1) && !couInterrupted(); ++i) {
        couFrame frame;
        couFaults found = {0};
        float *values = NULL;
        if (couReadFrame(files->items[i].path, &frame, &found)) {
            values = couFindValues(colors, &frame, files->items[i].path, &found);
            if (values) couColorRange_Include(&range, values, frame.count);
            couFreeFrame(&frame);
        }
        if (i == 0 && !values && found.count > 0) {
            couFaults_Add(faults, command, "--color-by", "%s %s", files->items[i].path, found.items[0].message);
            is_good = false;
        }
        free(values);
        couFaults_Clear(&found);
        if (is_auto) couProgress_Show(&progress, i + 1, "looked through for the scale of colours");
    }
    couProgress_End(&progress);
    if (is_good) couColorRange_Settle(&range, colors);
    return is_good;
}
