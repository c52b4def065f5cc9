// Path tracing. A path starts at the lens and follows light backwards: at each surface it is scattered by chance (scatter.c),
// inside clear matter it is absorbed (Beer) and scattered, until it escapes to the sky or Russian roulette ends it. The sun,
// too small to be met by chance, is asked for directly at each surface that is no perfect mirror, weighted against finding it
// by chance [Veach 1997].
//
// Clear things nest: a path carries the list of those that it is inside of. Where several overlap, bodies win over liquids, so
// that a liquid's surface may reach into the glass a little. Where it ends short of the glass, the ground or any body, the gap
// is filled: the liquid that was left, or that is met, reaches up to the body ("film" below), otherwise every vessel would look
// silvered.
//
// Shadow rays go straight through clear matter, dimmed by absorption and reflection: a liquid throws a light, coloured shadow
// but no caustics; the rare paths that would find the sun after a scattering by way of a mirror or a lens are left out, or they
// would be specks of thousands. Each choice of a path takes a new pair of the sampler, so that the first bounces are spread
// evenly.
#include "render/path.h"

#include "base/base.h"
#include "render/light.h"

#define MAX_BOUNCES 256
#define MAX_INSIDE 8
#define AIR (-1)

// --- Inside clear matter ----------------------------------------------------------------------------------------------------

// What a path is inside of.
typedef struct couInside {
    int media[MAX_INSIDE];
    int count;
    int film; // liquid that fills the gap in which the path is; AIR for none
} couInside;

// The medium that counts: the last of a sorted order in which bodies come after liquids.
static int current_medium(const couInside *inside)
{
    int medium = AIR;
    for (int i = 0; i < inside->count; ++i) medium = COU_MAX(medium, inside->media[i]);
    return inside->count > 0 ? medium : inside->film;
}

static bool is_inside(const couInside *inside, int medium)
{
    for (int i = 0; i < inside->count; ++i) {
        if (inside->media[i] == medium) return true;
    }
    return false;
}

static void enter(couInside *inside, int medium)
{
    if (!is_inside(inside, medium) && inside->count < MAX_INSIDE) inside->media[inside->count++] = medium;
}

static void leave(couInside *inside, int medium)
{
    int kept = 0;
    for (int i = 0; i < inside->count; ++i) {
        if (inside->media[i] != medium) inside->media[kept++] = inside->media[i];
    }
    inside->count = kept;
}

static float index_of(const couTracer *tracer, int medium) { return medium == AIR ? 1.0f : tracer->media[medium].refraction; }

static couVec3 beer(couVec3 absorption, float distance)
{
    return (couVec3){expf(-absorption.x * distance), expf(-absorption.y * distance), expf(-absorption.z * distance)};
}

static float largest(couVec3 v) { return COU_MAX(v.x, COU_MAX(v.y, v.z)); }

// --- Light ------------------------------------------------------------------------------------------------------------------

static const float sun_radius = 0.018f; // of its disc at distance 1: wider than nature's, for softer shadows

static bool has_sun(const couTracer *tracer) { return tracer->options->uniform_light == 0.0f; }

// As seen from the lens directly, or from things.
static couVec3 sky(const couTracer *tracer, couVec3 direction, bool is_backdrop)
{
    float uniform = tracer->options->uniform_light;
    if (uniform > 0.0f) return (couVec3){uniform, uniform, uniform};
    return is_backdrop ? couSkyColor(direction) : couStudioColor(direction);
}

static float sun_density(void) { return 1.0f / ((float)COU_PI * sun_radius * sun_radius); }

static bool is_in_sun(couVec3 direction)
{
    float c = couDot(direction, couSunDirection);
    if (!(c > 0.0f)) return false;
    couVec3 side = couSub(couScale(1.0f / c, direction), couSunDirection);
    return couDot(side, side) < sun_radius * sun_radius;
}

static couVec3 sun_radiance(void) { return couScale(1.0f / (sun_radius * sun_radius), couSunColor); }

static couVec3 direction_to_sun(couVec2 place)
{
    couVec3 u, v;
    couMakeFrame(couSunDirection, &u, &v);
    float radius = sun_radius * sqrtf(place.x), angle = 2.0f * (float)COU_PI * place.y;
    return couNormalize(couMulAdd(couMulAdd(couSunDirection, radius * cosf(angle), u), radius * sinf(angle), v));
}

// Power heuristic [Veach 1997].
static float weigh(float density, float other)
{
    if (isinf(density)) return 1.0f;
    return density * density / (density * density + other * other);
}

// --- Paths ------------------------------------------------------------------------------------------------------------------

typedef struct couPath {
    const couTracer *tracer;
    couSampler sampler;
    couRay ray;
    float time;         // of the shutter, 0 to 1
    couVec3 throughput; // what the light ahead is worth
    couVec3 light;      // gathered
    couInside inside;
    int bounces;
    float density;     // with which the direction was chosen; infinity of the camera and mirrors
    bool is_scattered; // it has been at a surface that is no mirror
    bool is_bent;      // since then it went by a mirror or through clear matter
    bool has_features;
    couPathFeatures features;
} couPath;

// Adds light; what comes after the first scattering is cut at the limit.
static void gather(couPath *path, couVec3 light)
{
    float max = path->tracer->options->max_radiance, peak = largest(light);
    if (!(peak >= 0.0f) || !isfinite(peak)) return;
    if (max > 0.0f && path->bounces > 0 && peak > max) light = couScale(max / peak, light);
    path->light = couAdd(path->light, light);
}

static int medium_of(const couTracer *tracer, const couHit *hit)
{
    return hit->kind == cou_hitSurface ? hit->index : tracer->stage->surface_count + hit->index;
}

static bool is_clear(const couTracer *tracer, const couHit *hit)
{
    if (hit->kind == cou_hitSurface) return tracer->stage->surfaces[hit->index].is_clear;
    return hit->kind == cou_hitBody && tracer->stage->bodies[hit->index].is_clear;
}

static couVec3 start_beyond(const couTracer *tracer, const couHit *hit, couVec3 direction)
{
    float side = couDot(hit->facet, direction) < 0.0f ? -1.0f : 1.0f;
    float offset = tracer->offset + 1e-6f * (fabsf(hit->point.x) + fabsf(hit->point.y) + fabsf(hit->point.z));
    return couMulAdd(hit->point, side * offset, hit->facet);
}

// Just behind a surface that does not bend the ray: less than start_beyond(), which may jump over another surface close by.
static couVec3 start_behind(const couTracer *tracer, const couHit *hit, couVec3 direction)
{
    float offset = 0.05f * tracer->offset + 5e-7f * (fabsf(hit->point.x) + fabsf(hit->point.y) + fabsf(hit->point.z));
    const couStageBody *body = hit->kind == cou_hitBody ? &tracer->stage->bodies[hit->index] : NULL;
    bool is_traced = body && !body->mesh && !body->is_faceted;
    return is_traced ? start_beyond(tracer, hit, direction) : couMulAdd(hit->point, offset, direction);
}

static couHit find(const couTracer *tracer, couRay ray, float time, bool is_seen)
{
    return couStage_FindAny(tracer->stage, ray, time, INFINITY, is_seen ? tracer->view->pixel : 0.0f, is_seen);
}

// The liquid that fills the gap ahead when a ray leaves clear matter for air: it leaves a liquid that ends just short of a
// body, the ground or another liquid, or a body just short of a liquid. AIR when there is none.
static int film_ahead(const couTracer *tracer, const couHit *hit, couRay ray, float time)
{
    const couStage *stage = tracer->stage;
    bool is_liquid = hit->kind == cou_hitSurface;
    float reach = is_liquid ? stage->surfaces[hit->index].gap : 0.0f;
    for (int i = 0; !is_liquid && i < stage->surface_count; ++i) {
        if (stage->surfaces[i].is_clear) reach = COU_MAX(reach, stage->surfaces[i].gap);
    }
    if (!(reach > 0.0f)) return AIR;
    couRay ahead = {start_behind(tracer, hit, ray.direction), ray.direction};
    couHit next = couStage_FindAny(stage, ahead, time, 8.0f * reach, 0.0f, true);
    if (next.kind == cou_hitNothing || next.kind == cou_hitParticle) return AIR; // foam swims in air
    float across = next.distance * fabsf(couDot(next.facet, ray.direction));
    if (next.kind != cou_hitSurface) return is_liquid && across < reach ? medium_of(tracer, hit) : AIR;
    // Another liquid, or the liquid behind the wall; two drops of one liquid keep the air between them.
    const couStageSurface *surface = &stage->surfaces[next.index];
    bool is_met = surface->is_clear && !next.is_back && !(is_liquid && next.index == hit->index);
    return is_met && across < surface->gap ? medium_of(tracer, &next) : AIR;
}

// A path starts a little off a body's surface, and that of a liquid which touches the body may lie in between: without a look
// back the path would take itself for outside of the liquid, or inside, and the line where the two surfaces cross would shine.
static void look_back(const couTracer *tracer, const couHit *hit, couVec3 start, float time, couInside *inside)
{
    if (hit->kind != cou_hitBody || tracer->stage->surface_count == 0) return;
    couVec3 way = couSub(hit->point, start);
    float length = couLength(way);
    if (!(length > 0.0f)) return;
    couRay back = {start, couScale(1.0f / length, way)};
    couHit passed = couStage_FindAny(tracer->stage, back, time, length, 0.0f, false);
    if (passed.kind != cou_hitSurface || !is_clear(tracer, &passed)) return;
    if (couDot(passed.facet, back.direction) > 0.0f)
        enter(inside, medium_of(tracer, &passed));
    else
        leave(inside, medium_of(tracer, &passed));
}

// --- The sun through clear matter -------------------------------------------------------------------------------------------

// Share of the sun's light that comes straight along the ray; `crossings` counts the surfaces of clear matter on the way.
static couVec3 sunlight_along(const couTracer *tracer, couRay ray, float time, couInside inside, int *crossings)
{
    const couVec3 none = {0, 0, 0};
    couVec3 share = {1, 1, 1};
    *crossings = 0;
    if (!tracer->has_clear) return couStage_IsBlockedAt(tracer->stage, ray, INFINITY, time) ? none : share;
    for (int i = 0; i < 32 && largest(share) > 1e-3f; ++i) {
        couHit hit = find(tracer, ray, time, false);
        if (hit.kind == cou_hitNothing) return share;
        int medium = current_medium(&inside);
        if (medium != AIR) {
            const couMedium *m = &tracer->media[medium];
            share = couScale(expf(-m->scattering * hit.distance), couMul3(share, beer(m->absorption, hit.distance)));
        }
        if (!is_clear(tracer, &hit)) {
            if (!hit.is_back) return none;
            ray.origin = start_behind(tracer, &hit, ray.direction);
            continue;
        }
        int id = medium_of(tracer, &hit);
        bool is_entering = couDot(hit.facet, ray.direction) < 0.0f, is_film = is_entering && inside.film == id;
        if (is_entering)
            enter(&inside, id);
        else
            leave(&inside, id);
        inside.film = AIR;
        int after = current_medium(&inside);
        if (!is_film && after != medium) {
            // As it comes from the sun: a straight ray knows no total reflection.
            float eta = index_of(tracer, medium) / index_of(tracer, after);
            share = couScale(1.0f - couDielectricFresnel(couDot(hit.normal, ray.direction), COU_MAX(eta, 1.0f / eta)), share);
            ++*crossings;
        }
        ray.origin = start_behind(tracer, &hit, ray.direction);
    }
    return none;
}

// A surface where the path stands, with its frame.
typedef struct couPlace {
    const couHit *hit;
    const couSkinModel *model;
    couVec3 color;
    float eta;
    couInside beyond; // what the path is inside of behind the surface
    couVec3 x, y, z;  // z is the normal towards where the path came from
    couVec3 facet;    // likewise
    couVec3 out;      // local
} couPlace;

static couVec3 to_local(const couPlace *place, couVec3 d)
{
    return (couVec3){couDot(d, place->x), couDot(d, place->y), couDot(d, place->z)};
}

static couVec3 to_world(const couPlace *place, couVec3 d)
{
    return couAdd(couScale(d.x, place->x), couMulAdd(couScale(d.y, place->y), d.z, place->z));
}

static void turn_to_path(couPlace *place, couVec3 direction)
{
    float side = couDot(place->hit->facet, direction) > 0.0f ? -1.0f : 1.0f;
    place->z = couScale(side, place->hit->normal);
    place->facet = couScale(side, place->hit->facet);
    couMakeFrame(place->z, &place->x, &place->y);
    place->out = to_local(place, couScale(-1.0f, direction));
    place->out.z = COU_MAX(place->out.z, 1e-4f);
}

static void add_sun(couPath *path, const couPlace *place)
{
    const couTracer *tracer = path->tracer;
    if (!has_sun(tracer) || place->model->alpha == 0.0f) {
        couSampler_Skip(&path->sampler);
        return;
    }
    couVec3 direction = direction_to_sun(couSampler_Next(&path->sampler)), in = to_local(place, direction);
    bool is_through = in.z < 0.0f;
    // Where normals are smoothed a direction may lie on different sides of surface and triangle.
    if (is_through != (couDot(direction, place->facet) < 0.0f)) return;
    float density;
    couVec3 f = couEvaluateSkin(place->model, place->color, place->eta, place->out, in, &density);
    if (!(largest(f) > 0.0f)) return;
    int crossings;
    couRay ray = {start_beyond(tracer, place->hit, direction), direction};
    couInside inside = is_through ? place->beyond : path->inside;
    couVec3 share = sunlight_along(tracer, ray, path->time, inside, &crossings);
    float weight = crossings > 0 ? 1.0f : weigh(sun_density(), density);
    couVec3 sun = couScale(weight / sun_density(), couMul3(share, sun_radiance()));
    gather(path, couMul3(path->throughput, couMul3(f, sun)));
}

// Goes on from a surface by chance; false when the path ends.
static bool scatter(couPath *path, const couPlace *place)
{
    // Mirror images on clear matter are dim but sharp: seen directly they get their share of paths.
    float bias = path->is_scattered || path->bounces > 1 ? 0.0f : 0.2f;
    couVec2 choice = couSampler_Next(&path->sampler), where = {0, 0};
    if (place->model->alpha > 0.0f)
        where = couSampler_Next(&path->sampler);
    else
        couSampler_Skip(&path->sampler);
    couScattered next;
    if (!couSampleSkin(place->model, place->color, place->eta, place->out, choice, where, bias, &next)) return false;
    couVec3 direction = to_world(place, next.in);
    // Folded back to the side it belongs to, where smoothed normals and triangles disagree.
    float above = couDot(direction, place->facet);
    if (next.is_through == (above > 0.0f)) direction = couMulAdd(direction, -2.0f * above, place->facet);
    bool is_mirror = isinf(next.density);
    path->throughput = couMul3(path->throughput, next.weight);
    path->ray = (couRay){start_beyond(path->tracer, place->hit, direction), couNormalize(direction)};
    path->density = next.density;
    path->is_bent = is_mirror ? path->is_bent || path->is_scattered : false;
    if (!is_mirror) path->is_scattered = true;
    if (next.is_through)
        path->inside = place->beyond;
    else
        look_back(path->tracer, place->hit, path->ray.origin, path->time, &path->inside);
    return true;
}

static void keep_features(couPath *path, couVec3 albedo)
{
    if (path->has_features) return;
    couVec3 through = path->throughput;
    through = (couVec3){COU_MIN(through.x, 1.0f), COU_MIN(through.y, 1.0f), COU_MIN(through.z, 1.0f)};
    path->features.albedo = couMul3(through, albedo);
    path->has_features = true;
}

static const couSkinModel *model_of(const couTracer *tracer, const couHit *hit)
{
    if (hit->kind == cou_hitGround) return &tracer->floor;
    if (hit->kind == cou_hitParticle) return couStage_IsSpeck(tracer->stage, hit->index) ? &tracer->specks : &tracer->beads;
    return &tracer->models[tracer->model_of[medium_of(tracer, hit)]];
}

static couVec3 color_of(const couTracer *tracer, const couHit *hit, const couPath *path)
{
    const couStage *stage = tracer->stage;
    switch (hit->kind) {
    case cou_hitGround: {
        float slope = COU_MAX(-path->ray.direction.y, 0.02f);
        float footprint = path->bounces == 0 ? tracer->view->pixel * hit->distance / slope : 0.0f;
        return couGroundColor(stage->ground_color, hit->point.x, hit->point.z, tracer->checker, footprint);
    }
    case cou_hitParticle: return couStage_ParticleColor(stage, tracer->scene, hit->index);
    case cou_hitSurface: {
        const couStageSurface *surface = &stage->surfaces[hit->index];
        return surface->is_colored ? hit->color : surface->look.color;
    }
    default: return stage->bodies[hit->index].look.color;
    }
}

static bool meet_opaque(couPath *path, const couHit *hit)
{
    couPlace place = {.hit = hit, .model = model_of(path->tracer, hit), .eta = 1.0f};
    place.color = color_of(path->tracer, hit, path);
    turn_to_path(&place, path->ray.direction);
    keep_features(path, place.color);
    add_sun(path, &place);
    return scatter(path, &place);
}

static bool go_straight(couPath *path, const couHit *hit)
{
    path->ray.origin = start_behind(path->tracer, hit, path->ray.direction);
    return true;
}

static bool meet_clear(couPath *path, const couHit *hit)
{
    const couTracer *tracer = path->tracer;
    int id = medium_of(tracer, hit);
    bool is_entering = couDot(hit->facet, path->ray.direction) < 0.0f;
    if (!is_entering) enter(&path->inside, id); // the camera may stand inside
    couInside beyond = path->inside;
    if (is_entering)
        enter(&beyond, id);
    else
        leave(&beyond, id);
    int before = current_medium(&path->inside);
    beyond.film = AIR;
    look_back(tracer, hit, start_beyond(tracer, hit, path->ray.direction), path->time, &beyond);
    if (!is_entering && beyond.count == 0) beyond.film = film_ahead(tracer, hit, path->ray, path->time);
    int after = current_medium(&beyond);
    if (before == after) { // hidden in another medium, or the side of a film
        path->inside = beyond;
        return go_straight(path, hit);
    }
    couPlace place = {.hit = hit, .model = model_of(tracer, hit), .color = {1, 1, 1}, .beyond = beyond};
    place.eta = index_of(tracer, after) / index_of(tracer, before);
    turn_to_path(&place, path->ray.direction);
    if (fabsf(place.eta - 1.0f) < 1e-5f) {
        path->inside = beyond;
        return go_straight(path, hit);
    }
    if (place.model->alpha > 0.0f) {
        keep_features(path, (couVec3){1, 1, 1});
        add_sun(path, &place);
    }
    return scatter(path, &place);
}

// Light scattered inside milky matter: into all directions alike.
static void scatter_inside(couPath *path, float distance)
{
    const couTracer *tracer = path->tracer;
    couVec3 p = couMulAdd(path->ray.origin, distance, path->ray.direction);
    keep_features(path, (couVec3){1, 1, 1});
    couVec2 where = couSampler_Next(&path->sampler), place = couSampler_Next(&path->sampler);
    if (has_sun(tracer)) {
        int crossings;
        couRay ray = {p, direction_to_sun(place)};
        couVec3 share = sunlight_along(tracer, ray, path->time, path->inside, &crossings);
        couVec3 sun = couScale(0.25f / ((float)COU_PI * sun_density()), couMul3(share, sun_radiance()));
        gather(path, couMul3(path->throughput, sun));
    }
    float y = 1.0f - 2.0f * where.x, ring = sqrtf(COU_MAX(1.0f - y * y, 0.0f)), angle = 2.0f * (float)COU_PI * where.y;
    path->ray = (couRay){p, {ring * cosf(angle), y, ring * sinf(angle)}};
    path->density = 0.25f / (float)COU_PI;
    path->is_scattered = true;
    path->is_bent = true; // the surface, at least, is still ahead
}

// The way through matter up to the hit; true when it ends earlier, by scattering.
static bool cross_medium(couPath *path, const couHit *hit)
{
    int id = current_medium(&path->inside);
    if (id == AIR || !isfinite(hit->distance)) return false;
    const couMedium *medium = &path->tracer->media[id];
    float distance = hit->distance;
    bool is_stopped = false;
    if (medium->scattering > 0.0f) {
        float u = couSampler_Next(&path->sampler).x, way = -logf(1.0f - u) / medium->scattering;
        is_stopped = way < distance;
        distance = COU_MIN(way, distance);
    }
    path->throughput = couMul3(path->throughput, beer(medium->absorption, distance));
    if (is_stopped) scatter_inside(path, distance);
    return is_stopped;
}

// A film ends where the path comes far from the body that it was on.
static void check_film(couPath *path, const couHit *hit)
{
    int film = path->inside.film;
    if (film == AIR || film >= path->tracer->stage->surface_count) return;
    if (hit->distance > 8.0f * path->tracer->stage->surfaces[film].gap) path->inside.film = AIR;
}

static void meet_sky(couPath *path)
{
    const couTracer *tracer = path->tracer;
    couVec3 direction = path->ray.direction;
    keep_features(path, (couVec3){1, 1, 1});
    gather(path, couMul3(path->throughput, sky(tracer, direction, path->bounces == 0)));
    if (!has_sun(tracer) || path->is_bent || !is_in_sun(direction)) return;
    if (path->bounces == 0) return; // the picture shows the sky without the sun's disc
    gather(path, couScale(weigh(path->density, sun_density()), couMul3(path->throughput, sun_radiance())));
}

// 0 near the focus, 1 where floor and sky have become one.
static float haze(const couTracer *tracer, couVec3 point)
{
    couVec3 way = couSub(point, tracer->view->focus);
    float far = sqrtf(way.x * way.x + way.z * way.z) / (7.0f * tracer->view->focus_size);
    return 1.0f - expf(-far * far);
}

static void see_haze(couPath *path, const couHit *hit)
{
    float far = haze(path->tracer, hit->point);
    couVec3 level = {path->ray.direction.x, 0.0f, path->ray.direction.z};
    gather(path, couScale(far, couMul3(path->throughput, sky(path->tracer, couNormalize(level), true))));
    path->throughput = couScale(1.0f - far, path->throughput);
}

static bool survives(couPath *path)
{
    if (path->bounces < 4) return largest(path->throughput) > 0.0f;
    float index = index_of(path->tracer, current_medium(&path->inside));
    // Inside matter radiance is the square of the index higher. Light that is caught in a gem may go to and fro for long.
    float most = path->bounces < 32 ? 1.0f : 0.9f;
    float chance = COU_MIN(index * index * largest(path->throughput), most);
    if (chance >= 1.0f) return true;
    if (!(couSampler_Next(&path->sampler).x < chance)) return false;
    path->throughput = couScale(1.0f / chance, path->throughput);
    return true;
}

// One step along the path; false when it has ended.
static bool advance(couPath *path)
{
    const couTracer *tracer = path->tracer;
    couHit hit = find(tracer, path->ray, path->time, !path->is_scattered);
    check_film(path, &hit);
    if (path->bounces == 0) {
        path->features.normal = couDot(hit.normal, path->ray.direction) > 0.0f ? couScale(-1.0f, hit.normal) : hit.normal;
        path->features.depth = hit.distance * couDot(path->ray.direction, tracer->view->forward);
    }
    if (cross_medium(path, &hit)) return true;
    if (hit.kind == cou_hitNothing) {
        meet_sky(path);
        return false;
    }
    if (hit.kind == cou_hitGround || (hit.kind == cou_hitBody && tracer->stage->bodies[hit.index].is_unbounded))
        see_haze(path, &hit);
    if (is_clear(tracer, &hit)) return meet_clear(path, &hit);
    // Inside opaque matter by rounding, or because the camera stands there, which opens a cut-away view.
    if (hit.is_back) return go_straight(path, &hit);
    return meet_opaque(path, &hit);
}

// --- The camera -------------------------------------------------------------------------------------------------------------

// -1 to 1 with the density of a tent, so that neighbouring pixels blend.
static float tent(float u) { return u < 0.5f ? sqrtf(2.0f * u) - 1.0f : 1.0f - sqrtf(2.0f - 2.0f * u); }

static couRay lens_ray(const couTracer *tracer, couRay ray, couVec2 place)
{
    const couView *view = tracer->view;
    float radius = 0.5f * tracer->options->aperture, distance = tracer->options->focus_distance;
    if (!(distance > 0.0f)) distance = couDot(couSub(view->focus, view->origin), view->forward);
    couVec3 sharp = couMulAdd(ray.origin, distance / couDot(ray.direction, view->forward), ray.direction);
    float r = radius * sqrtf(place.x), angle = 2.0f * (float)COU_PI * place.y;
    couVec3 right = couNormalize(view->right), up = couNormalize(view->up);
    couVec3 origin = couMulAdd(couMulAdd(ray.origin, r * cosf(angle), right), r * sinf(angle), up);
    return (couRay){origin, couNormalize(couSub(sharp, origin))};
}

couVec3 couTracer_Path(const couTracer *tracer, int x, int y, uint32_t index, couPathFeatures *features)
{
    couPath path = {
        .tracer = tracer,
        .sampler = couMakeSampler(x, y, index, (uint32_t)tracer->options->seed),
        .throughput = {1, 1, 1},
        .inside = {.film = AIR},
        .density = INFINITY,
    };
    couVec2 film = couSampler_Next(&path.sampler);
    path.ray = couView_Ray(tracer->view, (float)x + 0.5f + 0.8f * tent(film.x), (float)y + 0.5f + 0.8f * tent(film.y));
    if (tracer->options->aperture > 0.0f)
        path.ray = lens_ray(tracer, path.ray, couSampler_Next(&path.sampler));
    else
        couSampler_Skip(&path.sampler);
    if (tracer->stage->shutter_time > 0.0f)
        path.time = couSampler_Next(&path.sampler).x;
    else
        couSampler_Skip(&path.sampler);
    while (advance(&path)) {
        ++path.bounces;
        if (path.bounces >= MAX_BOUNCES || !survives(&path)) break;
    }
    *features = path.features;
    return path.light;
}

// --- Preparing --------------------------------------------------------------------------------------------------------------

// The largest of 1, 2, 5 times a power of ten that is at most x.
static float round_length(float x)
{
    float power = powf(10.0f, floorf(log10f(x)));
    float lead = x / power;
    return power * (lead >= 5.0f ? 5.0f : lead >= 2.0f ? 2.0f : 1.0f);
}

static bool is_same_skin(const couSkinModel *model, const couLook *look)
{
    couSkinModel other = {.skin = couLook_Skin(look)};
    float alpha = look->roughness * look->roughness;
    return model->skin == other.skin && model->metalness == look->metalness && model->index == look->refraction &&
           model->asked_alpha == alpha;
}

static void add_thing(couTracer *tracer, int index, int *model_count, const couLook *look)
{
    tracer->media[index] = (couMedium){look->absorption, look->scattering, look->refraction};
    tracer->has_clear = tracer->has_clear || couLook_Skin(look) == cou_skinClear;
    int model = 0;
    while (model < *model_count && !is_same_skin(&tracer->models[model], look)) ++model;
    if (model == *model_count) couSkinModel_Prepare(&tracer->models[(*model_count)++], look);
    tracer->model_of[index] = model;
}

bool couTracer_Prepare(couTracer *tracer, const couStage *stage, const couPictureScene *scene, const couPictureOptions *options,
                       const couView *view, couFaults *faults)
{
    *tracer = (couTracer){.stage = stage, .scene = scene, .options = options, .view = view};
    tracer->checker = round_length(0.3f * view->focus_size);
    tracer->offset = 4.0f * stage->tolerance;
    size_t count = (size_t)(stage->surface_count + stage->body_count) + 1;
    tracer->media = couAlloc(NULL, count * sizeof *tracer->media);
    tracer->models = couAlloc(NULL, count * sizeof *tracer->models);
    tracer->model_of = couAlloc(NULL, count * sizeof *tracer->model_of);
    if (!tracer->media || !tracer->models || !tracer->model_of) {
        couFaults_Add(faults, NULL, "picture", "not enough memory for the looks of %zu things", count - 1);
        return false;
    }
    int model_count = 0;
    for (int i = 0; i < stage->surface_count; ++i) add_thing(tracer, i, &model_count, &stage->surfaces[i].look);
    for (int i = 0; i < stage->body_count; ++i) add_thing(tracer, stage->surface_count + i, &model_count, &stage->bodies[i].look);
    couLook floor = couMakeLook(stage->ground_color, 1.0f), beads = floor, specks = floor;
    floor.roughness = 0.7f;
    beads.roughness = 0.25f;
    specks.roughness = 1.0f;
    floor = couLook_Resolve(floor, cou_matterBody), beads = couLook_Resolve(beads, cou_matterBody);
    specks = couLook_Resolve(specks, cou_matterBody);
    couSkinModel_Prepare(&tracer->floor, &floor);
    couSkinModel_Prepare(&tracer->beads, &beads);
    couSkinModel_Prepare(&tracer->specks, &specks);
    return true;
}

void couTracer_Clear(couTracer *tracer)
{
    couFree(NULL, tracer->media);
    couFree(NULL, tracer->models);
    couFree(NULL, tracer->model_of);
    *tracer = (couTracer){0};
}
