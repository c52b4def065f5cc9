// Options of surfaces and pictures: words become numbers, and what is wrong with them faults of the option that said it.
#include "app/picture_options.h"

#include <stdio.h>
#include <string.h>

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
