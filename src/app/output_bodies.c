// bodies/, bodies.csv, stage.json: what whoever draws the frames of a run needs besides them: materials, camera, and the bodies
// with a mesh each and where they were.
#include "app/run_outputs.h"
#include "io/body_files.h"

#include <stdio.h>

// --- What stage.json says ---

// Planes reach this many times as far as what is to be seen.
#define CLIP_REACH 2.0f

// A box around the bounds for planes to end at; of an empty scene some metres.
static couBounds clip_around(couBounds b)
{
    couVec3 size = {b.upper.x - b.lower.x, b.upper.y - b.lower.y, b.upper.z - b.lower.z};
    float extent = fmaxf(size.x, fmaxf(size.y, size.z));
    if (!(extent > 0.0f) || !isfinite(extent)) return (couBounds){{-5, -5, -5}, {5, 5, 5}};
    couVec3 middle = {0.5f * (b.lower.x + b.upper.x), 0.5f * (b.lower.y + b.upper.y), 0.5f * (b.lower.z + b.upper.z)};
    float reach = CLIP_REACH * extent;
    return (couBounds){{middle.x - reach, middle.y - reach, middle.z - reach},
                       {middle.x + reach, middle.y + reach, middle.z + reach}};
}

// A camera that moves is where it is at each frame.
static bool add_cameras(couStageFile *stage, const couScene *scene, int frames)
{
    couCamera camera = couScene_Camera(scene);
    bool is_moving = camera.keyframe_count > 0 || camera.turntable > 0.0f;
    for (int frame = is_moving ? 1 : 0; camera.is_set && frame <= (is_moving ? frames : 0); ++frame) {
        couCamera now = couCamera_At(&camera, frame / stage->fps);
        couStageFileCamera *entry = couStageFile_AddCamera(stage);
        if (!entry) return false;
        *entry = (couStageFileCamera){.time = frame / stage->fps,
                                      .from = now.from,
                                      .to = now.to,
                                      .fov = now.fov,
                                      .aperture = now.aperture,
                                      .focus = now.focus};
    }
    return true;
}

static bool describe(couScene *scene, double fps, int frames, couStageFile *stage)
{
    couWorld *world = couScene_World(scene);
    const couWorldDef *def = couWorld_Def(world);
    *stage = (couStageFile){.dimension = def->dimension, .spacing = def->spacing, .fps = fps};
    snprintf(stage->scene, sizeof stage->scene, "%s", couScene_Path(scene));
    for (int i = 0; i < couWorld_MaterialCount(world); ++i) {
        const couMaterialDef *material = couWorld_Material(world, couWorld_MaterialAt(world, i));
        couStageFileMaterial *entry = couStageFile_AddMaterial(stage);
        if (!entry) return false;
        snprintf(entry->name, sizeof entry->name, "%s", material->name);
        entry->density = material->density;
        entry->viscosity = material->viscosity;
        entry->look = material->look;
    }
    return add_cameras(stage, scene, frames);
}

// --- The output ---

static bool begin(couRun *run, void **own)
{
    couStageFile stage;
    bool is_described = describe(run->scene, run->fps, run->total, &stage);
    if (is_described)
        *own = couOpenBodyFiles(&run->manifest, &stage, clip_around(run->bounds), run->is_in_place ? run->first : 0,
                                &run->faults);
    if (is_described) return *own;
    couFaults_Add(&run->faults, run->folder, NULL, "no memory for stage.json");
    couStageFile_Clear(&stage);
    return false;
}

static bool write_rows(couRun *run, void *own) { return couBodyFiles_Write(own, run->world, run->frame, &run->faults); }

static bool finish(couRun *run, void *own) { return couCloseBodyFiles(own, &run->faults); }

static void discard(couRun *run, void *own) { couCloseBodyFiles(own, &run->faults); }

extern const couOutput couOutputBodies;
const couOutput couOutputBodies = {.name = "bodies",
                                   .files = {"bodies.csv", "stage.json"},
                                   .open = begin,
                                   .frame = write_rows,
                                   .close = finish,
                                   .discard = discard};
