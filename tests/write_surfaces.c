// Writes the sample surfaces that read_surfaces.py and assimp read, and gives a run its surfaces:
//   write_surfaces FOLDER          sphere.obj, .ply, .vtp (tests/sample_surface.h) and ring.svg, .vtp of 2D
//   write_surfaces --run FOLDER    surface_000001.vtp for each of its particles_000001.vtp
#include "sample_surface.h"

#include "coulis/frames.h"
#include "files/file.h"
#include "io/body_files.h"
#include "io/pvd.h"

#include <stdio.h>

static bool write_samples(const char *folder, couFaults *faults)
{
    static const char *const names[] = {"sphere.obj", "sphere.ply", "sphere.vtp", "ring.svg", "ring.vtp", "ring.ply"};
    bool is_good = couMakeFolder(folder, faults);
    for (int i = 0; is_good && i < 6; ++i) {
        char path[512];
        couSurface surface;
        i < 3 ? make_sphere_surface(&surface, 40) : make_ring_surface(&surface, 100);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        is_good = couWriteSurface(path, &surface, 1.25, faults);
        couSurface_Clear(&surface);
    }
    return is_good;
}

static bool write_surface(const char *folder, const couStageFile *stage, const couFrameFile *file, couFaults *faults)
{
    char path[512];
    couFrame frame;
    couSurface surface;
    couVec3 colors[256] = {{0}};
    if (!couReadFrame(file->path, &frame, faults)) return false;
    for (int i = 0; i < stage->material_count && i < 256; ++i) colors[i] = stage->materials[i].look.color;
    couSurfaceDef def = couDefaultSurfaceDef();
    def.spacing = stage->spacing;
    couSurfacePoints points = {.dimension = stage->dimension,
                               .count = frame.count,
                               .positions = frame.position,
                               .velocities = frame.velocity,
                               .ids = frame.id,
                               .materials = frame.material,
                               .colors = colors,
                               .color_count = 256};
    bool is_good = couBuildSurface(&def, &points, &surface, faults);
    snprintf(path, sizeof path, "%s/surface_%06d.vtp", folder, file->number);
    if (is_good) is_good = couWriteSurface(path, &surface, frame.time, faults);
    couSurface_Clear(&surface);
    couFreeFrame(&frame);
    return is_good;
}

static bool write_run(const char *folder, couFaults *faults)
{
    char path[512];
    couStageFile stage;
    couFrameFiles files = {0};
    snprintf(path, sizeof path, "%s/stage.json", folder);
    bool is_good = couReadStage(path, &stage, faults) && couListFrames(&folder, 1, &files, faults);
    for (int i = 0; is_good && i < files.count; ++i) is_good = write_surface(folder, &stage, &files.items[i], faults);
    couManifest manifest;
    is_good = couManifest_Read(&manifest, folder, faults) && is_good && couWritePvd(&manifest, "surface", stage.fps, faults);
    couManifest_Clear(&manifest);
    couFrameFiles_Clear(&files);
    couStageFile_Clear(&stage);
    return is_good;
}

int main(int argc, char **argv)
{
    couFaults faults = {0};
    bool is_good = argc == 3 && strcmp(argv[1], "--run") == 0 ? write_run(argv[2], &faults)
                   : argc == 2                                ? write_samples(argv[1], &faults)
                                                              : false;
    for (int i = 0; i < faults.count; ++i) fprintf(stderr, "%s: %s\n", faults.items[i].where, faults.items[i].message);
    couFaults_Clear(&faults);
    return is_good ? 0 : 1;
}
