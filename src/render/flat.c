// Flat pictures: a light sheet, bodies as grey areas cut by the plane z = 0, particles as discs over them. Discs are spheres seen
// from far, so that where two overlap the border runs half-way between them. The distance at a tile's centre tells which
// bodies can show in the tile; the others are not asked for each pixel.
#include "render/flat.h"

#include "base/base.h"
#include "render/light.h"

static const couVec3 paper = {0.90f, 0.91f, 0.92f};
static const couVec3 earth = {0.66f, 0.66f, 0.65f};

static float body_distance(const couStageBody *body, couVec3 p)
{
    return couShape_Distance(body->shape, 2, couToLocal(body->pose, (couVec3){p.x, p.y, 0.0f}));
}

couFlatTile couFindFlatBodies(const couStage *stage, couVec3 centre, float radius)
{
    couFlatTile tile = {0};
    for (int i = 0; i < stage->body_count; ++i) {
        if (body_distance(&stage->bodies[i], centre) > radius) continue;
        if (tile.count == COU_FLAT_TILE_BODIES) {
            tile.is_all = true;
            break;
        }
        tile.bodies[tile.count++] = i;
    }
    return tile;
}

// Grey with a hint of the body's own colour, darker at the rim.
static couVec3 paint_body(const couStageBody *body, float depth, float pixel, couVec3 below)
{
    static const couVec3 grey = {0.075f, 0.08f, 0.09f};
    couVec3 fill = couMix3(grey, body->look.color, 0.2f);
    float rim = 1.0f - couSmoothstep(1.5f * pixel, 2.5f * pixel, depth);
    couVec3 color = couScale(1.0f - 0.65f * rim, fill);
    // Glass keeps a clear rim.
    float cover = body->look.opacity + (1.0f - body->look.opacity) * 0.6f * rim;
    return couMix3(below, color, cover);
}

static couVec3 paint_bodies(const couStage *stage, const couView *view, const couFlatTile *tile, couVec3 p, couVec3 color)
{
    int count = tile->is_all ? stage->body_count : tile->count;
    for (int i = 0; i < count; ++i) {
        const couStageBody *body = &stage->bodies[tile->is_all ? i : tile->bodies[i]];
        float d = body_distance(body, p);
        if (d <= 0.0f) color = paint_body(body, -d, view->pixel, color);
    }
    return color;
}

static couVec3 paint_disc(const couStage *stage, const couPictureScene *scene, const couHit *hit)
{
    couVec3 color = couStage_ParticleColor(stage, scene, hit->index);
    // A shallow dome, lit from the upper left.
    float light = 0.70f + 0.26f * hit->normal.z + 0.10f * (hit->normal.y - hit->normal.x);
    float gleam = couSmoothstep(0.90f, 1.0f, couDot(hit->normal, (couVec3){-0.40f, 0.50f, 0.768f}));
    couVec3 lit = couScale(light, color);
    return couMix3(lit, (couVec3){1, 1, 1}, 0.22f * gleam);
}

couVec3 couFlatColor(const couStage *stage, const couPictureScene *scene, const couView *view, const couFlatTile *tile,
                     couRay ray)
{
    couRay from_above = {{ray.origin.x, ray.origin.y, 4.0f * scene->radius}, ray.direction};
    couHit hit = couStage_FindSolid(stage, from_above, INFINITY, 0.0f);
    if (hit.kind == cou_hitParticle) return paint_disc(stage, scene, &hit);
    if (hit.kind == cou_hitSurface) return couStageSurface_Color(&stage->surfaces[hit.index], &hit);
    couVec3 color = stage->has_ground && ray.origin.y < stage->ground ? earth : paper;
    return paint_bodies(stage, view, tile, ray.origin, color);
}
