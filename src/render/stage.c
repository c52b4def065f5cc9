// The stage: particles become Embree's sphere points, bodies user geometries whose rays are sphere-traced through the signed
// distance in the body's frame. Bodies that let light through live in a scene of their own, so that a tank costs nothing to the
// rays that look for something solid.
//
// Opaque bodies that are one mesh are triangles instead, with normals smoothed over edges blunter than 40 degrees: sharper than the
// distance grid, whose cells would show, and many times faster. Meshes in unions and shells are traced as all others.
//
// A ray that starts inside a body first leaves it. This makes shadow rays safe at their own surface, and opens a cut-away view
// when the camera stands inside a wall. Embree builds with one thread: the tree, hence which of two equal hits wins, then
// does not depend on the number of cores. 100,000 spheres take about 50 ms, a million about 0.6 s; Embree's low build quality was
// no faster for spheres and is not used.
#include "render/stage.h"

#include "base/base.h"
#include "render/light.h"

#define PARTICLES_ID 0u // geometry id; body i has id i + 1

typedef struct couTrace {
    struct RTCIntersectContext context; // first: Embree hands back a pointer to it
    const couStage *stage;
    float pixel;
    float light; // what glass has let through, for couStage_GlassLight
} couTrace;

static couTrace make_trace(const couStage *stage, float pixel)
{
    couTrace trace = {.stage = stage, .pixel = pixel, .light = 1.0f};
    rtcInitIntersectContext(&trace.context);
    return trace;
}

// --- Bodies ------------------------------------------------------------------------------------------------------------------

static couVec3 ray_at(couRay ray, float t) { return couMulAdd(ray.origin, t, ray.direction); }

static couRay ray_to_local(const couStageBody *body, couRay ray)
{
    return (couRay){couToLocal(body->pose, ray.origin), couRotate(couConjugate(body->pose.rotation), ray.direction)};
}

// The part [*start, *end] of the ray inside the box; false when there is none.
static bool clip_ray(couBounds box, couRay ray, float *start, float *end)
{
    const float origin[3] = {ray.origin.x, ray.origin.y, ray.origin.z};
    const float direction[3] = {ray.direction.x, ray.direction.y, ray.direction.z};
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int axis = 0; axis < 3; axis++) {
        if (fabsf(direction[axis]) < 1e-20f) {
            if (origin[axis] < lower[axis] || origin[axis] > upper[axis]) return false;
            continue;
        }
        float a = (lower[axis] - origin[axis]) / direction[axis], b = (upper[axis] - origin[axis]) / direction[axis];
        *start = COU_MAX(*start, COU_MIN(a, b));
        *end = COU_MIN(*end, COU_MAX(a, b));
    }
    return *start <= *end;
}

typedef struct couMarch {
    float tolerance, pixel; // a surface is reached within tolerance + pixel * t
    bool is_glass;          // meets the surface from both sides
    int max_steps;
} couMarch;

// Sphere tracing: steps of the free distance until the surface is near. Returns the distance along the ray, infinity for none.
static float march(const couStageBody *body, couRay world_ray, float t, float end, couMarch how)
{
    float origin = t;
    if (!clip_ray(body->bounds, world_ray, &t, &end)) return INFINITY;
    couRay ray = ray_to_local(body, world_ray);
    bool has_left = t > origin && !body->is_unbounded; // the surface on which the ray starts
    for (int step = 0; step < how.max_steps && t <= end; step++) {
        float d = couShape_Distance(body->shape, body->dimension, ray_at(ray, t));
        float near = how.tolerance + how.pixel * t;
        float clear = how.is_glass ? fabsf(d) : d;
        if (clear > near)
            has_left = true;
        else if (has_left)
            return t;
        t += COU_MAX(couShape_Clearance(body->shape, d), near); // NaN: a small step
    }
    return INFINITY;
}

static void body_bounds(const struct RTCBoundsFunctionArguments *args)
{
    const couStageBody *body = args->geometryUserPtr;
    struct RTCBounds *b = args->bounds_o;
    b->lower_x = body->bounds.lower.x, b->lower_y = body->bounds.lower.y, b->lower_z = body->bounds.lower.z;
    b->upper_x = body->bounds.upper.x, b->upper_y = body->bounds.upper.y, b->upper_z = body->bounds.upper.z;
}

static couRay embree_ray(const struct RTCRay *ray)
{
    return (couRay){{ray->org_x, ray->org_y, ray->org_z}, {ray->dir_x, ray->dir_y, ray->dir_z}};
}

static void body_intersect(const struct RTCIntersectFunctionNArguments *args)
{
    COU_ASSERT(args->N == 1);
    if (args->valid[0] == 0) return;
    struct RTCRayHit *ray_hit = (struct RTCRayHit *)args->rayhit;
    const couStageBody *body = args->geometryUserPtr;
    const couTrace *trace = (const couTrace *)args->context;
    couMarch how = {trace->stage->tolerance, 0.1f * trace->pixel, body->opacity < 1.0f, 256};
    float t = march(body, embree_ray(&ray_hit->ray), ray_hit->ray.tnear, ray_hit->ray.tfar, how);
    if (!(t < ray_hit->ray.tfar)) return;
    ray_hit->ray.tfar = t;
    ray_hit->hit.geomID = args->geomID;
    ray_hit->hit.primID = 0;
}

static void body_occluded(const struct RTCOccludedFunctionNArguments *args)
{
    COU_ASSERT(args->N == 1);
    if (args->valid[0] == 0) return;
    struct RTCRay *ray = (struct RTCRay *)args->ray;
    const couStageBody *body = args->geometryUserPtr;
    couTrace *trace = (couTrace *)args->context;
    if (body->is_half_space) return;
    // Ambient light, which reaches to a limit, does not need the last step.
    couMarch how = {0.5f * trace->stage->tolerance, 0.0f, false, isinf(ray->tfar) ? 96 : 32};
    if (!(march(body, embree_ray(ray), ray->tnear, ray->tfar, how) < ray->tfar)) return;
    // Glass dims the light and lets the search go on.
    if (body->opacity < 1.0f)
        trace->light *= 1.0f - 0.6f * body->opacity;
    else
        ray->tfar = -INFINITY;
}

// --- Building ----------------------------------------------------------------------------------------------------------------

couVec3 couFiniteColor(couVec3 c)
{
    if (!couIsFinite3(c)) return (couVec3){0.5f, 0.5f, 0.5f};
    return (couVec3){COU_CLAMP(c.x, 0.0f, 1.0f), COU_CLAMP(c.y, 0.0f, 1.0f), COU_CLAMP(c.z, 0.0f, 1.0f)};
}

static bool add_particles(couStage *stage, const couPictureScene *scene)
{
    size_t count = 0;
    for (size_t i = 0; i < scene->particle_count; i++) count += couIsDrawable(scene->positions[i]);
    if (count == 0) return true;
    stage->materials = couAlloc(NULL, count);
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    couVec4 *spheres = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, sizeof(couVec4), count);
    bool has_memory = stage->materials && spheres;
    for (size_t i = 0; has_memory && i < scene->particle_count; i++) {
        couVec3 p = scene->positions[i];
        if (!couIsDrawable(p)) continue;
        size_t k = stage->sphere_count++;
        spheres[k] = (couVec4){p.x, p.y, scene->dimension == 2 ? 0.0f : p.z, scene->radius};
        stage->materials[k] = scene->materials ? scene->materials[i] : 0;
    }
    if (has_memory) {
        stage->spheres = spheres;
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(stage->solid, geometry, PARTICLES_ID);
    }
    rtcReleaseGeometry(geometry);
    return has_memory;
}

static couBounds bounds_in_world(couBounds local, couPose pose)
{
    couBounds world = couEmptyBounds();
    for (int i = 0; i < 8; i++) {
        couVec3 p = couToWorld(pose, (couVec3){i & 1 ? local.upper.x : local.lower.x, i & 2 ? local.upper.y : local.lower.y,
                                               i & 4 ? local.upper.z : local.lower.z});
        world = couBounds_Union(world, (couBounds){p, p});
    }
    return world;
}

// False when the body cannot or shall not be drawn.
static bool place_body(couStageBody *body, const couPictureBody *from, const couView *view, int dimension)
{
    couQuat q = from->pose.rotation;
    float norm = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!from->shape || !(from->opacity > 0.0f) || !couIsDrawable(from->pose.position)) return false;
    if (!(norm > 0.0f) || !isfinite(norm)) return false;
    float inv = 1.0f / norm;
    *body = (couStageBody){
        .shape = from->shape,
        .pose = {from->pose.position, {inv * q.x, inv * q.y, inv * q.z, inv * q.w}},
        .color = couFiniteColor(from->color),
        .opacity = COU_MIN(from->opacity, 1.0f),
        .dimension = dimension,
        .thinness = couShape_Thinness(from->shape),
    };
    couBounds local;
    if (couShape_Bounds(from->shape, dimension, &local) && !couBounds_IsEmpty(local, dimension)) {
        body->bounds = bounds_in_world(local, body->pose);
        return true;
    }
    float far = 60.0f * view->focus_size;
    body->is_unbounded = true;
    body->is_half_space = isinf(body->thinness);
    body->bounds = (couBounds){couSub(view->focus, (couVec3){far, far, far}), couAdd(view->focus, (couVec3){far, far, far})};
    return true;
}

// A bare horizontal plane is a floor: drawn as the ground, which needs no marching and meets the sky cleanly.
static bool take_as_ground(couStage *stage, const couStageBody *body)
{
    if (couShape_Kind(body->shape) != cou_shapePlane) return false;
    couVec3 normal;
    float d = couShape_DistanceNormal(body->shape, 3, (couVec3){0, 0, 0}, &normal);
    normal = couRotate(body->pose.rotation, normal);
    if (!(normal.y > 0.99999f)) return false;
    float height = body->pose.position.y - d;
    if (!stage->has_ground || height >= stage->ground - stage->tolerance) {
        stage->has_ground = true;
        stage->ground = height;
        stage->ground_color = body->color;
    }
    return true;
}

static void attach_body(couStage *stage, couStageBody *body, unsigned id)
{
    RTCScene *scene = body->opacity < 1.0f ? &stage->glass : &stage->solid;
    if (!*scene) *scene = rtcNewScene(stage->device);
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, 1);
    rtcSetGeometryUserData(geometry, body);
    rtcSetGeometryBoundsFunction(geometry, body_bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, body_intersect);
    rtcSetGeometryOccludedFunction(geometry, body_occluded);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(*scene, geometry, id);
    rtcReleaseGeometry(geometry);
}

// The grid of a shape that is a mesh, moved or not, and where in the shape it is; else NULL.
static const couDistanceGrid *find_grid(const couShape *shape, couPose *pose)
{
    while (couShape_Kind(shape) == cou_shapePlaced) {
        const couShapeDef *def = couShape_Def(shape);
        *pose = couCompose(*pose, def->pose);
        shape = def->children[0];
    }
    return couShape_Kind(shape) == cou_shapeMesh ? couShape_Def(shape)->grid : NULL;
}

static couVec3 face_normal(const couMesh *mesh, size_t triangle)
{
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corner = couMesh_Triangles(mesh) + 3 * triangle;
    couVec3 a = vertices[corner[0]];
    return couCross(couSub(vertices[corner[1]], a), couSub(vertices[corner[2]], a)); // as long as twice the area
}

// Sums of the normals around each vertex, turned outward by the grid, as the triangles of a mesh may not agree on what that is.
static void add_up_normals(const couDistanceGrid *grid, const couMesh *mesh, couVec3 *normals)
{
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corner = couMesh_Triangles(mesh);
    for (size_t t = 0; t < couMesh_TriangleCount(mesh); t++, corner += 3) {
        couVec3 normal = face_normal(mesh, t), outward;
        couVec3 sum = couAdd(vertices[corner[0]], couAdd(vertices[corner[1]], vertices[corner[2]]));
        couDistanceGrid_DistanceNormal(grid, couScale(1.0f / 3.0f, sum), &outward);
        float sign = couDot(normal, outward) < 0.0f ? -1.0f : 1.0f;
        for (int k = 0; k < 3; k++) normals[corner[k]] = couMulAdd(normals[corner[k]], sign, normal);
    }
    for (size_t v = 0; v < couMesh_VertexCount(mesh); v++) normals[v] = couNormalize(normals[v]);
}

// Gives the body triangles in Embree; false when it is no opaque mesh or there is no memory, then it is traced.
static bool attach_mesh(couStage *stage, couStageBody *body, unsigned id)
{
    couPose pose = body->pose;
    const couDistanceGrid *grid = body->opacity < 1.0f ? NULL : find_grid(body->shape, &pose);
    if (!grid) return false;
    const couMesh *mesh = couDistanceGrid_Mesh(grid);
    size_t vertex_count = couMesh_VertexCount(mesh), triangle_count = couMesh_TriangleCount(mesh);
    couVec3 *normals = couAlloc(NULL, vertex_count * sizeof *normals);
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    couVec3 *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(couVec3),
                                                vertex_count);
    uint32_t *triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t),
                                                  triangle_count);
    bool has_memory = normals && vertices && triangles;
    if (has_memory) {
        for (size_t v = 0; v < vertex_count; v++) vertices[v] = couToWorld(pose, couMesh_Vertices(mesh)[v]);
        memcpy(triangles, couMesh_Triangles(mesh), 3 * triangle_count * sizeof *triangles);
        add_up_normals(grid, mesh, normals);
        body->mesh = mesh, body->mesh_pose = pose, body->normals = normals;
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(stage->solid, geometry, id);
    } else {
        couFree(NULL, normals);
    }
    rtcReleaseGeometry(geometry);
    return has_memory;
}

static bool add_bodies(couStage *stage, const couPictureScene *scene, const couView *view)
{
    if (scene->body_count == 0) return true;
    stage->bodies = couAlloc(NULL, (size_t)scene->body_count * sizeof(couStageBody));
    if (!stage->bodies) return false;
    for (int i = 0; i < scene->body_count; i++) {
        couStageBody *body = &stage->bodies[stage->body_count];
        if (!place_body(body, &scene->bodies[i], view, scene->dimension)) continue;
        if (scene->dimension == 3 && take_as_ground(stage, body)) continue;
        if (!body->is_unbounded && body->opacity >= 1.0f) stage->content = couBounds_Union(stage->content, body->bounds);
        stage->body_count++;
        // The flat picture asks distances itself.
        if (scene->dimension == 3 && !attach_mesh(stage, body, (unsigned)stage->body_count))
            attach_body(stage, body, (unsigned)stage->body_count);
    }
    return true;
}

bool couStage_Build(couStage *stage, RTCDevice device, const couPictureScene *scene, const couView *view, couFaults *faults)
{
    *stage = (couStage){
        .device = device,
        .content = couEmptyBounds(),
        .tolerance = 2e-5f * view->focus_size,
        .has_ground = isfinite(scene->ground),
        .ground = scene->ground,
        .ground_color = {0.50f, 0.49f, 0.47f},
    };
    rtcGetDeviceError(device); // forget an older one
    stage->solid = rtcNewScene(device);
    bool is_built = stage->solid && add_particles(stage, scene) && add_bodies(stage, scene, view);
    if (is_built) rtcCommitScene(stage->solid);
    if (is_built && stage->glass) rtcCommitScene(stage->glass);
    enum RTCError error = rtcGetDeviceError(device);
    if (is_built && error == RTC_ERROR_NONE) {
        couBounds particles = couParticleBounds(scene->positions, scene->particle_count);
        stage->content = couBounds_Union(stage->content, particles);
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
    if (stage->glass) rtcReleaseScene(stage->glass);
    for (int i = 0; i < stage->body_count; i++) couFree(NULL, stage->bodies[i].normals);
    couFree(NULL, stage->materials);
    couFree(NULL, stage->bodies);
    *stage = (couStage){0};
}

// --- Rays --------------------------------------------------------------------------------------------------------------------

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

// Between those of the corners, but where the surface has an edge, that of the triangle. Towards the eye in any case.
static couVec3 mesh_normal(const couStageBody *body, const struct RTCHit *hit, couVec3 direction)
{
    const float cos_edge = 0.766f; // 40 degrees
    const uint32_t *corner = couMesh_Triangles(body->mesh) + 3 * (size_t)hit->primID;
    couVec3 way = couRotate(couConjugate(body->mesh_pose.rotation), direction);
    couVec3 flat = couNormalize(face_normal(body->mesh, hit->primID)), smooth = {0};
    if (couDot(flat, way) > 0.0f) flat = couScale(-1.0f, flat);
    const float weight[3] = {1.0f - hit->u - hit->v, hit->u, hit->v};
    for (int k = 0; k < 3; k++) {
        couVec3 normal = body->normals[corner[k]];
        smooth = couMulAdd(smooth, weight[k], couDot(normal, flat) > cos_edge ? normal : flat);
    }
    smooth = couNormalize(smooth);
    return couRotate(body->mesh_pose.rotation, couDot(smooth, way) < 0.0f ? smooth : flat);
}

static couHit describe_hit(const couStage *stage, couRay ray, const struct RTCRayHit *found)
{
    couHit hit = {.kind = cou_hitNothing, .distance = INFINITY};
    if (found->hit.geomID == RTC_INVALID_GEOMETRY_ID) return hit;
    hit.distance = found->ray.tfar;
    hit.point = ray_at(ray, hit.distance);
    if (found->hit.geomID == PARTICLES_ID) {
        hit.kind = cou_hitParticle;
        hit.index = (int)found->hit.primID;
        hit.normal = couNormalize(couSub(hit.point, couXyz(stage->spheres[hit.index])));
        return hit;
    }
    hit.kind = cou_hitBody;
    hit.index = (int)found->hit.geomID - 1;
    const couStageBody *body = &stage->bodies[hit.index];
    if (body->mesh) {
        hit.normal = mesh_normal(body, &found->hit, ray.direction);
    } else {
        couVec3 normal;
        couShape_DistanceNormal(body->shape, body->dimension, couToLocal(body->pose, hit.point), &normal);
        hit.normal = couRotate(body->pose.rotation, normal);
    }
    if (!couIsFinite3(hit.normal)) hit.normal = couScale(-1.0f, ray.direction);
    return hit;
}

static couHit find_first(const couStage *stage, RTCScene scene, couRay ray, float start, float reach, float pixel)
{
    couTrace trace = make_trace(stage, pixel);
    struct RTCRayHit found = {.ray = make_ray(ray, start, reach)};
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    found.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(scene, &trace.context, &found);
    return describe_hit(stage, ray, &found);
}

couHit couStage_FindSolid(const couStage *stage, couRay ray, float reach, float pixel)
{
    return find_first(stage, stage->solid, ray, 0.0f, reach, pixel);
}

couHit couStage_FindGlass(const couStage *stage, couRay ray, float start, float reach, float pixel)
{
    if (!stage->glass) return (couHit){.kind = cou_hitNothing, .distance = INFINITY};
    return find_first(stage, stage->glass, ray, start, reach, pixel);
}

bool couStage_IsBlocked(const couStage *stage, couRay ray, float reach)
{
    couTrace trace = make_trace(stage, 0.0f);
    struct RTCRay shadow = make_ray(ray, 0.0f, reach);
    rtcOccluded1(stage->solid, &trace.context, &shadow);
    return shadow.tfar < 0.0f;
}

float couStage_GlassLight(const couStage *stage, couRay ray, float reach)
{
    if (!stage->glass) return 1.0f;
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
