// surface_000001.obj and so on: the surface of each frame, in every kind that was asked for.
#include "app/run_outputs.h"
#include "coulis/surface_file.h"

#include <stdio.h>
#include <string.h>

// --- Files ---

bool couNextFormat(const char **list, char format[16])
{
    if (!*list) return false;
    size_t length = strcspn(*list, ",");
    snprintf(format, 16, "%.*s", (int)length, *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
    return true;
}

bool couWriteSurfaceFrame(couManifest *manifest, int number, const char *formats, const couSurface *surface, double time,
                          couFaults *faults)
{
    char format[16], name[48], path[COU_PATH_SIZE];
    while (couNextFormat(&formats, format)) {
        snprintf(name, sizeof name, "surface_%06d.%s", number, format);
        if (!couClaimPath(manifest, name, path, faults) || !couWriteSurface(path, surface, time, faults)) return false;
    }
    return true;
}

// --- The output ---

couSurfaceDef couRun_Surface(const couRun *run)
{
    couSurfaceDef def = couProgramSurfaceDef();
    def.spacing = couWorld_Def(run->world)->spacing;
    def.threads = couWorld_Def(run->world)->threads;
    return def;
}

static bool is_wanted(const couRun *run) { return run->options.has_surface; }

// A surface that would need too much memory is left out with a warning: the run is worth more.
static bool build(const couRun *run, const couFrame *frame, couSurface *surface)
{
    couSurfaceDef how = couRun_Surface(run);
    couSurfacePoints points = couFramePoints(frame, couWorld_Def(run->world)->dimension);
    couVec3 colors[256];
    for (; points.color_count < couWorld_MaterialCount(run->world) && points.color_count < 256; ++points.color_count)
        colors[points.color_count] =
            couWorld_Material(run->world, couWorld_MaterialAt(run->world, points.color_count))->look.color;
    points.colors = colors;
    couFaults faults = {0};
    bool is_built = couBuildSurface(&how, &points, surface, &faults);
    if (!is_built) couWarn("there is no surface of frame %d: %s", run->frame, faults.count > 0 ? faults.items[0].message : "");
    couFaults_Clear(&faults);
    return is_built;
}

static bool write_frame(couRun *run, void *own)
{
    (void)own;
    const couRunOptions *options = &run->options;
    const couFrame *frame = couRun_Particles(run);
    couSurface surface;
    if (!frame) return false;
    if (!build(run, frame, &surface)) return true;
    bool is_flat = couWorld_Def(run->world)->dimension == 2;
    char formats[32];
    snprintf(formats, sizeof formats, "%s%s%s%s", is_flat ? ",svg" : "", options->has_surface_obj && !is_flat ? ",obj" : "",
             options->has_surface_ply && !is_flat ? ",ply" : "", options->has_surface_vtp ? ",vtp" : "");
    bool is_written = couWriteSurfaceFrame(&run->manifest, run->frame, formats + 1, &surface, frame->time, &run->faults);
    couSurface_Clear(&surface);
    return is_written;
}

extern const couOutput couOutputSurface;
const couOutput couOutputSurface = {.name = "surface",
                                    .files = {"surface_#.vtp", "surface_#.ply", "surface_#.obj", "surface_#.svg"},
                                    .is_wanted = is_wanted,
                                    .frame = write_frame};
