// The stage: particles become Embree's sphere points or, as splats, oriented discs, surfaces its triangles; bodies have a file
// of their own. What lets light through lives in a scene of its own in a preview, so that a tank costs nothing to the rays that
// look for something solid.
//
// Embree builds with one thread: the tree, hence which of two equal hits wins, then does not depend on the number of cores.
// 100,000 spheres take about 50 ms, a million about 0.6 s; Embree's low build quality was no faster for spheres and is not
// used.
#include "render/stage.h"

#include "base/base.h"
#include "render/light.h"

static couBounds scene_bounds(RTCScene scene)
{
    struct RTCLinearBounds b;
    rtcGetSceneLinearBounds(scene, &b);
    couBounds start = {{b.bounds0.lower_x, b.bounds0.lower_y, b.bounds0.lower_z},
                       {b.bounds0.upper_x, b.bounds0.upper_y, b.bounds0.upper_z}};
    couBounds end = {{b.bounds1.lower_x, b.bounds1.lower_y, b.bounds1.lower_z},
                     {b.bounds1.upper_x, b.bounds1.upper_y, b.bounds1.upper_z}};
    return couBounds_Union(start, end);
}

// Whether Embree takes the ray: it ends the program at numbers above 1.8e18 and at NaN, as a camera that looks at what is nowhere
// has them. Such a ray meets nothing.
static bool is_traceable(couRay ray, float start, float reach)
{
    const float most = 1e18f;
    couVec3 o = ray.origin, d = ray.direction;
    bool has_numbers = fabsf(o.x) < most && fabsf(o.y) < most && fabsf(o.z) < most && fabsf(d.x) < most && fabsf(d.y) < most &&
                       fabsf(d.z) < most;
    return has_numbers && start <= reach;
}

// Whether the ray may meet something in the box within its reach; also true when in doubt.
static bool meets_box(const couBounds *box, couRay ray, float start, float reach)
{
    if (!is_traceable(ray, start, reach)) return false;
    float x = 1.0f / ray.direction.x, y = 1.0f / ray.direction.y, z = 1.0f / ray.direction.z;
    float x0 = (box->lower.x - ray.origin.x) * x, x1 = (box->upper.x - ray.origin.x) * x;
    float y0 = (box->lower.y - ray.origin.y) * y, y1 = (box->upper.y - ray.origin.y) * y;
    float z0 = (box->lower.z - ray.origin.z) * z, z1 = (box->upper.z - ray.origin.z) * z;
    // Comparisons with NaN, from a ray in the plane of a face, are false and keep the other bound.
    float near = start, far = reach;
    near = COU_MIN(x0, x1) > near ? COU_MIN(x0, x1) : near, far = COU_MAX(x0, x1) < far ? COU_MAX(x0, x1) : far;
    near = COU_MIN(y0, y1) > near ? COU_MIN(y0, y1) : near, far = COU_MAX(y0, y1) < far ? COU_MAX(y0, y1) : far;
    near = COU_MIN(z0, z1) > near ? COU_MIN(z0, z1) : near, far = COU_MAX(z0, z1) < far ? COU_MAX(z0, z1) : far;
    const float slack = 1.00001f;
    return !(near > far * slack);
}

static couTrace make_trace(const couStage *stage, float pixel)
{
    couTrace trace = {.stage = stage, .pixel = pixel, .sees_half_spaces = true, .sees_clear = true, .light = 1.0f};
    rtcInitIntersectContext(&trace.context);
    return trace;
}

// --- Building ---------------------------------------------------------------------------------------------------------------

couVec3 couFiniteColor(couVec3 c)
{
    if (!couIsFinite3(c)) return (couVec3){0.5f, 0.5f, 0.5f};
    return (couVec3){COU_CLAMP(c.x, 0.0f, 1.0f), COU_CLAMP(c.y, 0.0f, 1.0f), COU_CLAMP(c.z, 0.0f, 1.0f)};
}

couVec3 couStage_ParticleColor(const couStage *stage, const couPictureScene *scene, int index)
{
    if (couStage_IsSpeck(stage, index)) return (couVec3){0.92f, 0.92f, 0.92f};
    if (stage->colors && !isnan(stage->colors[index].x)) return couFiniteColor(stage->colors[index]);
    uint8_t material = stage->materials[index];
    bool is_known = scene->colors && (scene->material_count == 0 || material < scene->material_count);
    return is_known ? couFiniteColor(scene->colors[material]) : (couVec3){0.5f, 0.5f, 0.5f};
}

void couStage_Attach(couStage *stage, RTCGeometry geometry, unsigned id)
{
    rtcAttachGeometryByID(stage->solid, geometry, id);
    if (stage->behind) rtcAttachGeometryByID(stage->behind, geometry, id);
}

// Spheres or discs `begin` to `end` of the stage's, moved along their velocities while the shutter is open.
static bool attach_points(couStage *stage, size_t begin, size_t end, const couVec3 *velocities, unsigned id)
{
    if (begin == end) return true;
    bool is_disc = begin < stage->disc_count;
    RTCGeometry geometry = rtcNewGeometry(stage->device,
                                          is_disc ? RTC_GEOMETRY_TYPE_ORIENTED_DISC_POINT : RTC_GEOMETRY_TYPE_SPHERE_POINT);
    unsigned steps = velocities ? 2 : 1;
    bool has_memory = true;
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned step = 0; step < steps && has_memory; ++step) {
        couVec4 *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT4, sizeof(couVec4),
                                                  end - begin);
        has_memory = points;
        float dt = velocities ? ((float)step - 0.5f) * stage->shutter_time : 0.0f;
        for (size_t i = begin; has_memory && i < end; ++i) {
            couVec4 sphere = stage->spheres[i];
            couVec3 p = velocities ? couMulAdd(couXyz(sphere), dt, velocities[i]) : couXyz(sphere);
            points[i - begin] = (couVec4){p.x, p.y, p.z, sphere.w};
        }
        couVec3 *normals = is_disc && has_memory ? rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_NORMAL, step,
                                                                           RTC_FORMAT_FLOAT3, sizeof(couVec3), end - begin)
                                                 : NULL;
        if (normals) memcpy(normals, stage->disc_normals, (end - begin) * sizeof *normals);
        if (is_disc && !normals) has_memory = false;
    }
    if (has_memory) {
        size_t clear_count = 0;
        for (size_t i = begin; i < end; ++i) clear_count += couStage_IsClearParticle(stage, (int)i);
        if (clear_count > 0 && clear_count < end - begin) couMist_LetBe(geometry);
        rtcCommitGeometry(geometry);
        if (clear_count < end - begin)
            couStage_Attach(stage, geometry, id);
        else
            rtcAttachGeometryByID(stage->solid, geometry, id);
    }
    rtcReleaseGeometry(geometry);
    return has_memory;
}

// At a place that can be drawn, and of a material that shows at all.
static bool is_drawn_particle(const couPictureScene *scene, size_t particle)
{
    int material = scene->materials ? scene->materials[particle] : 0;
    bool has_look = scene->opacities && (scene->material_count == 0 || material < scene->material_count);
    return couIsDrawable(scene->positions[particle]) && !(has_look && scene->opacities[material] == 0.0f);
}

static bool is_drawn_splat(const couPictureScene *scene, size_t i, bool is_disc)
{
    const couSplats *splats = scene->splats;
    if (splats->indices[i] >= scene->particle_count || !is_drawn_particle(scene, splats->indices[i])) return false;
    if (!(splats->radii[i] > 0.0f) || !(splats->radii[i] < 1e6f)) return false;
    return is_disc == (couLength(splats->normals[i]) > 0.5f);
}

static void add_point(couStage *stage, const couPictureScene *scene, size_t particle, float radius, couVec3 *velocities)
{
    couVec3 p = scene->positions[particle];
    size_t k = stage->sphere_count++;
    stage->spheres[k] = (couVec4){p.x, p.y, scene->dimension == 2 ? 0.0f : p.z, radius};
    stage->materials[k] = scene->materials ? scene->materials[particle] : 0;
    if (stage->colors) stage->colors[k] = scene->particle_colors[particle];
    if (velocities && scene->velocities && couIsFinite3(scene->velocities[particle])) velocities[k] = scene->velocities[particle];
}

// Discs first, then droplets. A liquid ends a particle's radius beyond the outermost centres.
static void add_splats(couStage *stage, const couPictureScene *scene)
{
    const couSplats *splats = scene->splats;
    for (int round = 0; round < 2; ++round) {
        for (size_t i = 0; i < splats->count; ++i) {
            if (!is_drawn_splat(scene, i, round == 0)) continue;
            size_t k = stage->sphere_count;
            add_point(stage, scene, splats->indices[i], splats->radii[i], NULL);
            if (round == 1) continue;
            couVec3 n = stage->disc_normals[k] = couNormalize(splats->normals[i]);
            couVec4 *disc = &stage->spheres[k];
            disc->x += scene->radius * n.x, disc->y += scene->radius * n.y, disc->z += scene->radius * n.z;
        }
        if (round == 0) stage->disc_count = stage->sphere_count;
    }
}

// White specks, behind all other spheres.
static void add_specks(couStage *stage, const couPictureScene *scene, couVec3 *velocities)
{
    stage->speck_begin = stage->sphere_count;
    for (size_t i = 0; i < scene->speck_count; ++i) {
        couVec3 p = scene->speck_positions[i];
        if (!couIsDrawable(p) || !(scene->speck_radii[i] > 0.0f)) continue;
        size_t k = stage->sphere_count++;
        stage->spheres[k] = (couVec4){p.x, p.y, scene->dimension == 2 ? 0.0f : p.z, scene->speck_radii[i]};
        bool is_moving = velocities && scene->speck_velocities && couIsFinite3(scene->speck_velocities[i]);
        if (is_moving) velocities[k] = scene->speck_velocities[i];
    }
}

static bool add_particles(couStage *stage, const couPictureScene *scene, bool has_splats)
{
    size_t particle_count = has_splats ? scene->splats->count : scene->particle_count;
    bool has_liquid = false; // a surface that stands for the particles
    for (int i = 0; i < scene->surface_count; ++i) has_liquid = has_liquid || !scene->surfaces[i].is_solid;
    if (stage->is_final && has_liquid) particle_count = 0;
    size_t count = particle_count + scene->speck_count;
    if (count == 0) return true;
    bool is_moving = stage->shutter_time > 0.0f && (scene->velocities || scene->speck_velocities) && !has_splats;
    stage->materials = couAlloc(NULL, count);
    stage->spheres = couAlloc(NULL, count * sizeof *stage->spheres);
    if (scene->particle_colors) stage->colors = couAlloc(NULL, count * sizeof *stage->colors);
    if (has_splats) stage->disc_normals = couAlloc(NULL, count * sizeof *stage->disc_normals);
    couVec3 *velocities = is_moving ? couAlloc(NULL, count * sizeof *velocities) : NULL;
    bool has_memory = stage->materials && stage->spheres && (!scene->particle_colors || stage->colors);
    has_memory = has_memory && (!has_splats || stage->disc_normals) && (!is_moving || velocities);
    if (has_memory && has_splats) add_splats(stage, scene);
    for (size_t i = 0; has_memory && !has_splats && i < particle_count; ++i) {
        if (is_drawn_particle(scene, i)) add_point(stage, scene, i, scene->radii ? scene->radii[i] : scene->radius, velocities);
    }
    if (has_memory) add_specks(stage, scene, velocities);
    unsigned disc_id = (unsigned)(1 + scene->body_count + scene->surface_count);
    bool is_attached = has_memory && attach_points(stage, 0, stage->disc_count, velocities, disc_id) &&
                       attach_points(stage, stage->disc_count, stage->sphere_count, velocities, COU_PARTICLES_ID);
    couFree(NULL, velocities);
    return is_attached;
}

// --- Surfaces ---------------------------------------------------------------------------------------------------------------

static bool attach_surface(couStage *stage, const couSurface *surface, unsigned id)
{
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    bool is_moving = stage->shutter_time > 0.0f && surface->velocities, has_memory = true;
    unsigned steps = is_moving ? 2 : 1;
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned step = 0; step < steps && has_memory; ++step) {
        couVec3 *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT3, sizeof(couVec3),
                                                    surface->vertex_count);
        has_memory = vertices;
        float dt = is_moving ? ((float)step - 0.5f) * stage->shutter_time : 0.0f;
        for (size_t v = 0; has_memory && v < surface->vertex_count; ++v) {
            bool has_velocity = is_moving && couIsFinite3(surface->velocities[v]);
            vertices[v] = has_velocity ? couMulAdd(surface->vertices[v], dt, surface->velocities[v]) : surface->vertices[v];
            stage->content = couBounds_Union(stage->content, (couBounds){vertices[v], vertices[v]});
        }
    }
    uint32_t *triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t),
                                                  surface->element_count);
    if (has_memory && triangles) {
        memcpy(triangles, surface->indices, 3 * surface->element_count * sizeof *triangles);
        rtcCommitGeometry(geometry);
        couStage_Attach(stage, geometry, id);
    }
    rtcReleaseGeometry(geometry);
    return has_memory && triangles;
}

static bool add_surfaces(couStage *stage, const couPictureScene *scene)
{
    if (scene->surface_count == 0) return true;
    stage->surfaces = couAlloc(NULL, (size_t)scene->surface_count * sizeof *stage->surfaces);
    if (!stage->surfaces) return false;
    for (int i = 0; i < scene->surface_count; ++i) {
        const couPictureSurface *from = &scene->surfaces[i];
        couStageSurface *surface = &stage->surfaces[i];
        couMatter matter = from->is_solid ? cou_matterBody : cou_matterFluid;
        *surface = (couStageSurface){.surface = from->surface, .look = couLook_Resolve(from->look, matter)};
        surface->is_clear = couLook_Skin(&surface->look) == cou_skinClear;
        surface->is_colored = from->is_colored && from->surface->colors;
        surface->gap = from->gap > 0.0f ? from->gap : 0.0f;
        ++stage->surface_count;
        if (from->surface->element_count == 0 || !(surface->look.opacity > 0.0f)) continue;
        if (!stage->is_final && !from->is_solid) continue;
        if (!attach_surface(stage, from->surface, (unsigned)(1 + scene->body_count + i))) return false;
    }
    return true;
}

static void describe_surface(const couStageSurface *from, const struct RTCHit *found, couVec3 direction, couHit *hit)
{
    const couSurface *surface = from->surface;
    const uint32_t *corner = surface->indices + 3 * (size_t)found->primID;
    const float weight[3] = {1.0f - found->u - found->v, found->u, found->v};
    couVec3 smooth = {0}, color = {0};
    for (int k = 0; k < 3; ++k) {
        smooth = couMulAdd(smooth, weight[k], surface->normals[corner[k]]);
        if (from->is_colored) color = couMulAdd(color, weight[k], surface->colors[corner[k]]);
    }
    // Embree's normal is the right-hand one of the triangle, which points outward.
    couVec3 flat = couNormalize((couVec3){found->Ng_x, found->Ng_y, found->Ng_z});
    smooth = couNormalize(smooth);
    bool is_seen = couDot(smooth, direction) * couDot(flat, direction) > 0.0f; // also false for NaN
    hit->normal = is_seen ? smooth : flat;
    hit->facet = flat;
    hit->is_back = couDot(flat, direction) > 0.0f;
    hit->color = couFiniteColor(color);
}

// --- All --------------------------------------------------------------------------------------------------------------------

bool couStage_Build(couStage *stage, RTCDevice device, const couPictureScene *scene, const couView *view, couStageOptions options,
                    couFaults *faults)
{
    *stage = (couStage){
        .device = device,
        .content = couEmptyBounds(),
        .tolerance = 2e-5f * view->focus_size,
        .has_ground = isfinite(scene->ground),
        .ground = scene->ground,
        .ground_color = {0.50f, 0.49f, 0.47f},
        .body_capacity = scene->body_count,
        .is_final = options.is_final,
        .shutter_time = options.shutter_time,
    };
    rtcGetDeviceError(device); // forget an older one
    stage->solid = rtcNewScene(device);
    bool has_splats = options.has_splats && scene->splats;
    bool is_built = stage->solid && (stage->is_final || couMist_Build(&stage->mist, device, scene));
    if (is_built && stage->mist.scene) stage->behind = rtcNewScene(device);
    is_built = is_built && add_particles(stage, scene, has_splats) && couStage_AddBodies(stage, scene, view) &&
               add_surfaces(stage, scene);
    // By a hair into what stands on it: glass then touches it, where rounding would leave air under some of it.
    if (scene->dimension == 3) stage->ground += 4.0f * stage->tolerance;
    if (is_built) rtcCommitScene(stage->solid);
    if (is_built && stage->behind) rtcCommitScene(stage->behind);
    if (is_built && stage->glass) rtcCommitScene(stage->glass);
    if (is_built) stage->solid_bounds = scene_bounds(stage->solid);
    if (is_built && stage->behind) stage->behind_bounds = scene_bounds(stage->behind);
    if (is_built && stage->glass) stage->glass_bounds = scene_bounds(stage->glass);
    enum RTCError error = rtcGetDeviceError(device);
    if (is_built && error == RTC_ERROR_NONE) {
        if (stage->sphere_count > 0)
            stage->content = couBounds_Union(stage->content, couParticleBounds(scene->positions, scene->particle_count));
        return true;
    }
    bool is_memory = !is_built || error == RTC_ERROR_OUT_OF_MEMORY;
    if (is_memory)
        couFaults_Add(faults, NULL, "picture", "not enough memory to draw %zu particles", scene->particle_count);
    else
        couFaults_Add(faults, NULL, "picture", "Embree failed with error %d", (int)error);
    return false;
}

void couStage_Clear(couStage *stage)
{
    if (stage->solid) rtcReleaseScene(stage->solid);
    if (stage->behind) rtcReleaseScene(stage->behind);
    if (stage->glass) rtcReleaseScene(stage->glass);
    couMist_Clear(&stage->mist);
    for (int i = 0; i < stage->body_count; ++i) couFree(NULL, stage->bodies[i].normals);
    couFree(NULL, stage->materials);
    couFree(NULL, stage->colors);
    couFree(NULL, stage->spheres);
    couFree(NULL, stage->disc_normals);
    couFree(NULL, stage->surfaces);
    couFree(NULL, stage->bodies);
    *stage = (couStage){0};
}

// --- Rays -------------------------------------------------------------------------------------------------------------------

static struct RTCRay make_ray(couRay ray, float start, float reach)
{
    return (struct RTCRay){
        .org_x = ray.origin.x,
        .org_y = ray.origin.y,
        .org_z = ray.origin.z,
        .tnear = start,
        .dir_x = ray.direction.x,
        .dir_y = ray.direction.y,
        .dir_z = ray.direction.z,
        .tfar = reach,
        .mask = ~0u,
    };
}

static void describe_particle(const couStage *stage, const struct RTCRayHit *found, couRay ray, bool is_disc, couHit *hit)
{
    hit->kind = cou_hitParticle;
    hit->index = (int)found->hit.primID + (is_disc ? 0 : (int)stage->disc_count);
    couVec4 sphere = stage->spheres[hit->index];
    if (!is_disc) {
        couVec3 moved = {found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z};
        bool is_still = stage->shutter_time == 0.0f;
        hit->normal = hit->facet = couNormalize(is_still ? couSub(hit->point, couXyz(sphere)) : moved);
        return;
    }
    // A disc bulges a little, so that neighbours meet at like angles.
    couVec3 normal = stage->disc_normals[hit->index], side = couSub(hit->point, couXyz(sphere));
    // Seen from behind, over the edge of the liquid, it counts as the edge.
    float away = couDot(normal, ray.direction);
    if (away > -0.05f) normal = couNormalize(couMulAdd(normal, -(away + 0.06f), ray.direction));
    hit->facet = normal;
    hit->normal = couNormalize(couMulAdd(normal, 0.35f / sphere.w, side));
}

static couHit describe_hit(const couStage *stage, couRay ray, const struct RTCRayHit *found)
{
    couHit hit = {.kind = cou_hitNothing, .distance = INFINITY};
    if (found->hit.geomID == RTC_INVALID_GEOMETRY_ID) return hit;
    hit.distance = found->ray.tfar;
    hit.point = couMulAdd(ray.origin, hit.distance, ray.direction);
    unsigned id = found->hit.geomID, surface_id = (unsigned)(1 + stage->body_capacity);
    if (id == COU_PARTICLES_ID || id >= surface_id + (unsigned)stage->surface_count) {
        describe_particle(stage, found, ray, id != COU_PARTICLES_ID, &hit);
    } else if (id >= surface_id) {
        hit.kind = cou_hitSurface;
        hit.index = (int)(id - surface_id);
        describe_surface(&stage->surfaces[hit.index], &found->hit, ray.direction, &hit);
    } else {
        hit.kind = cou_hitBody;
        hit.index = (int)id - 1;
        couStageBody_Describe(&stage->bodies[hit.index], found, ray.direction, &hit);
    }
    return hit;
}

static couHit find_first(const couStage *stage, RTCScene scene, couRay ray, float start, float reach, float time, couTrace trace)
{
    const couBounds *bounds = scene == stage->solid    ? &stage->solid_bounds
                              : scene == stage->behind ? &stage->behind_bounds
                                                       : &stage->glass_bounds;
    if (!meets_box(bounds, ray, start, reach)) return (couHit){.kind = cou_hitNothing, .distance = INFINITY};
    struct RTCRayHit found = {.ray = make_ray(ray, start, reach)};
    found.ray.time = time;
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    found.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene, &trace.context, &found);
    return describe_hit(stage, ray, &found);
}

static float disc_weight(const couStage *stage, const couHit *hit)
{
    couVec4 disc = stage->spheres[hit->index];
    couVec3 side = couSub(hit->point, couXyz(disc));
    return COU_MAX(1.0f - couDot(side, side) / (disc.w * disc.w), 0.01f);
}

void couStage_BlendDiscs(const couStage *stage, couRay ray, couHit *hit)
{
    const int max_discs = 6;
    if (hit->kind != cou_hitParticle || (size_t)hit->index >= stage->disc_count) return;
    couTrace trace = make_trace(stage, 0.0f);
    float radius = stage->spheres[hit->index].w, reach = hit->distance + 1.2f * radius, start = hit->distance;
    couVec3 sum = couScale(disc_weight(stage, hit), hit->normal), front = hit->facet;
    for (int i = 1; i < max_discs; ++i) {
        start += 1e-3f * radius;
        couHit next = find_first(stage, stage->solid, ray, start, reach, 0.0f, trace);
        if (next.kind != cou_hitParticle || (size_t)next.index >= stage->disc_count) break;
        if (couDot(next.facet, front) > 0.0f) sum = couMulAdd(sum, disc_weight(stage, &next), next.normal);
        start = next.distance;
    }
    hit->normal = couNormalize(sum);
}

couHit couStage_FindAny(const couStage *stage, couRay ray, float time, float reach, float pixel, bool sees_half_spaces)
{
    couTrace trace = make_trace(stage, pixel);
    trace.sees_half_spaces = sees_half_spaces;
    float ground = couStage_GroundDistance(stage, ray);
    couHit hit = find_first(stage, stage->solid, ray, 0.0f, COU_MIN(ground, reach), time, trace);
    if (hit.kind != cou_hitNothing || !(ground < reach)) return hit;
    hit = (couHit){.kind = cou_hitGround, .distance = ground, .normal = {0, 1, 0}, .facet = {0, 1, 0}};
    hit.point = couMulAdd(ray.origin, ground, ray.direction);
    hit.point.y = stage->ground;
    return hit;
}

couHit couStage_FindSolid(const couStage *stage, couRay ray, float reach, float pixel)
{
    return find_first(stage, stage->solid, ray, 0.0f, reach, 0.0f, make_trace(stage, pixel));
}

couHit couStage_FindGlass(const couStage *stage, couRay ray, float start, float reach, float pixel)
{
    if (!stage->glass) return (couHit){.kind = cou_hitNothing, .distance = INFINITY};
    return find_first(stage, stage->glass, ray, start, reach, 0.0f, make_trace(stage, pixel));
}

couHit couStage_FindBehind(const couStage *stage, couRay ray, float start, float reach, float pixel)
{
    couTrace trace = make_trace(stage, pixel);
    trace.sees_clear = false;
    return find_first(stage, stage->behind ? stage->behind : stage->solid, ray, start, reach, 0.0f, trace);
}

static bool is_blocked(const couStage *stage, couRay ray, float reach, float time, bool sees_clear)
{
    bool is_behind = !sees_clear && stage->behind;
    if (!meets_box(is_behind ? &stage->behind_bounds : &stage->solid_bounds, ray, 0.0f, reach)) return false;
    couTrace trace = make_trace(stage, 0.0f);
    trace.sees_clear = sees_clear;
    struct RTCRay shadow = make_ray(ray, 0.0f, reach);
    shadow.time = time;
    rtcOccluded1(is_behind ? stage->behind : stage->solid, &trace.context, &shadow);
    return shadow.tfar < 0.0f;
}

bool couStage_IsBlocked(const couStage *stage, couRay ray, float reach, bool sees_clear)
{
    return is_blocked(stage, ray, reach, 0.0f, sees_clear);
}

bool couStage_IsBlockedAt(const couStage *stage, couRay ray, float reach, float time)
{
    return is_blocked(stage, ray, reach, time, true);
}

bool couStage_IsClearParticle(const couStage *stage, int index)
{
    bool is_painted = stage->colors && !isnan(stage->colors[index].x);
    return stage->mist.scene && !is_painted && stage->mist.extinction[stage->materials[index]] > 0.0f;
}

float couStage_LiquidLight(const couStage *stage, couRay ray, float start, float reach)
{
    if (!stage->mist.scene || !is_traceable(ray, start, reach)) return 1.0f;
    couTrace trace = make_trace(stage, 0.0f);
    struct RTCRay through = make_ray(ray, start, reach);
    rtcOccluded1(stage->mist.scene, &trace.context, &through);
    return expf(-trace.mist);
}

float couStage_GlassLight(const couStage *stage, couRay ray, float reach)
{
    if (!stage->glass || !is_traceable(ray, 0.0f, reach)) return 1.0f;
    couTrace trace = make_trace(stage, 0.0f);
    struct RTCRay shadow = make_ray(ray, 0.0f, reach);
    rtcOccluded1(stage->glass, &trace.context, &shadow);
    return trace.light;
}

float couStage_GroundDistance(const couStage *stage, couRay ray)
{
    float above = ray.origin.y - stage->ground;
    if (!stage->has_ground || !(above > 0.0f) || !(ray.direction.y < -1e-6f)) return INFINITY;
    return above / -ray.direction.y;
}
