// What the files of a run say about the scene for whoever draws them: materials, camera, bodies.
#include "app/run.h"

#include <stdio.h>

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
    for (int frame = is_moving ? 1 : 0; camera.is_set && frame <= (is_moving ? frames : 0); frame++) {
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
    for (int i = 0; i < couWorld_MaterialCount(world); i++) {
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

couBodyFiles *couOpenRunBodies(couScene *scene, const char *folder, double fps, int frames, couBounds bounds, int keep_frames,
                               couFaults *faults)
{
    couStageFile stage;
    if (describe(scene, fps, frames, &stage)) return couOpenBodyFiles(folder, &stage, clip_around(bounds), keep_frames, faults);
    couFaults_Add(faults, folder, NULL, "no memory for stage.json");
    couStageFile_Clear(&stage);
    return NULL;
}
