// Bodies on the stage: user geometries whose rays are sphere-traced through the signed distance in the body's frame. A ray that
// starts inside a body first leaves it. This makes shadow rays safe at their own surface, and opens a cut-away view when the
// camera stands inside a wall.
//
// Opaque bodies that are one mesh are triangles instead, with normals smoothed over edges blunter than 40 degrees: sharper than
// the distance grid, whose cells would show, and many times faster. Meshes in unions and shells are traced as all others,
// unless the caller has triangles of them. In final pictures shapes whose surface is known by formula are triangles too
// (facets.c), as fine as the picture asks for; round ones keep the normals of the formula.
#include "render/stage.h"

#include "base/base.h"
#include "render/facets.h"
#include "render/light.h"

// --- Tracing ----------------------------------------------------------------------------------------------------------------

static couVec3 ray_at(couRay ray, float t) { return couMulAdd(ray.origin, t, ray.direction); }

// Where a pose is at a time 0 to 1 of the shutter; as given half-way.
static couPose pose_at(const couStageBody *body, couPose pose, float time)
{
    float dt = (time - 0.5f) * body->shutter_time, spin = couLength(body->spin), half = 0.5f * spin * dt;
    pose.position = couMulAdd(pose.position, dt, body->velocity);
    if (!(spin > 0.0f)) return pose;
    couVec3 axis = couScale(sinf(half) / spin, body->spin);
    pose.rotation = couMulQuat((couQuat){axis.x, axis.y, axis.z, cosf(half)}, pose.rotation);
    return pose;
}

static couRay ray_to_local(couPose pose, couRay ray)
{
    return (couRay){couToLocal(pose, ray.origin), couRotate(couConjugate(pose.rotation), ray.direction)};
}

// The part [*start, *end] of the ray inside the box; false when there is none.
static bool clip_ray(couBounds box, couRay ray, float *start, float *end)
{
    const float origin[3] = {ray.origin.x, ray.origin.y, ray.origin.z};
    const float direction[3] = {ray.direction.x, ray.direction.y, ray.direction.z};
    const float lower[3] = {box.lower.x, box.lower.y, box.lower.z}, upper[3] = {box.upper.x, box.upper.y, box.upper.z};
    for (int axis = 0; axis < 3; ++axis) {
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
static float march(const couStageBody *body, couPose pose, couRay world_ray, float t, float end, couMarch how)
{
    float origin = t;
    if (!clip_ray(body->bounds, world_ray, &t, &end)) return INFINITY;
    couRay ray = ray_to_local(pose, world_ray);
    bool has_left = t > origin && !body->is_unbounded; // the surface on which the ray starts
    for (int step = 0; step < how.max_steps && t <= end; ++step) {
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
    if (body->is_half_space && !trace->sees_half_spaces) return;
    couMarch how = {trace->stage->tolerance, 0.1f * trace->pixel, body->is_clear, 256};
    couPose pose = pose_at(body, body->pose, ray_hit->ray.time);
    float t = march(body, pose, embree_ray(&ray_hit->ray), ray_hit->ray.tnear, ray_hit->ray.tfar, how);
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
    if (!(march(body, pose_at(body, body->pose, ray->time), embree_ray(ray), ray->tnear, ray->tfar, how) < ray->tfar)) return;
    // Glass dims the light and lets the search go on.
    if (body->is_clear)
        trace->light *= 1.0f - 0.6f * body->look.opacity;
    else
        ray->tfar = -INFINITY;
}

// --- Placing ----------------------------------------------------------------------------------------------------------------

static couBounds bounds_in_world(couBounds local, couPose pose)
{
    couBounds world = couEmptyBounds();
    for (int i = 0; i < 8; ++i) {
        couVec3 p = couToWorld(pose, (couVec3){i & 1 ? local.upper.x : local.lower.x, i & 2 ? local.upper.y : local.lower.y,
                                               i & 4 ? local.upper.z : local.lower.z});
        world = couBounds_Union(world, (couBounds){p, p});
    }
    return world;
}

// Of all that the body meets while the shutter is open: corners go along arcs, which 8 chords follow closely.
static couBounds swept_bounds(const couStageBody *body, couBounds local)
{
    couBounds all = couEmptyBounds();
    for (int i = 0; i <= 8; ++i) all = couBounds_Union(all, bounds_in_world(local, pose_at(body, body->pose, (float)i / 8.0f)));
    float angle = couLength(body->spin) * body->shutter_time / 8.0f;
    float sagitta = COU_MIN(angle * angle / 8.0f, 2.0f) * couLength(couSub(local.upper, local.lower));
    couVec3 more = {sagitta, sagitta, sagitta};
    return (couBounds){couSub(all.lower, more), couAdd(all.upper, more)};
}

// False when the body cannot or shall not be drawn.
static bool place_body(const couStage *stage, couStageBody *body, const couPictureBody *from, const couView *view, int dimension)
{
    couQuat q = from->pose.rotation;
    float norm = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (!from->shape || !(from->look.opacity > 0.0f) || !couIsDrawable(from->pose.position)) return false;
    if (!(norm > 0.0f) || !isfinite(norm)) return false;
    float inv = 1.0f / norm;
    *body = (couStageBody){
        .shape = from->shape,
        .pose = {from->pose.position, {inv * q.x, inv * q.y, inv * q.z, inv * q.w}},
        .look = couLook_Resolve(from->look, cou_matterBody),
        .dimension = dimension,
        .thinness = couShape_Thinness(from->shape),
        .shutter_time = stage->shutter_time,
    };
    body->is_clear = stage->is_final ? couLook_Skin(&body->look) == cou_skinClear : body->look.opacity < 1.0f;
    bool is_moving = stage->shutter_time > 0.0f && couIsFinite3(from->velocity) && couIsFinite3(from->spin);
    if (is_moving) body->velocity = from->velocity, body->spin = from->spin;
    body->is_still = couLength(from->velocity) == 0.0f && couLength(from->spin) == 0.0f;
    couBounds local;
    if (couShape_Bounds(from->shape, dimension, &local) && !couBounds_IsEmpty(local, dimension)) {
        body->bounds = is_moving ? swept_bounds(body, local) : bounds_in_world(local, body->pose);
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
        stage->ground_color = body->look.color;
    }
    return true;
}

static void attach_body(couStage *stage, couStageBody *body, unsigned id)
{
    bool is_glass = body->is_clear && !stage->is_final;
    if (is_glass && !stage->glass) stage->glass = rtcNewScene(stage->device);
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, 1);
    rtcSetGeometryUserData(geometry, body);
    rtcSetGeometryBoundsFunction(geometry, body_bounds, NULL);
    rtcSetGeometryIntersectFunction(geometry, body_intersect);
    rtcSetGeometryOccludedFunction(geometry, body_occluded);
    rtcCommitGeometry(geometry);
    if (is_glass)
        rtcAttachGeometryByID(stage->glass, geometry, id);
    else
        couStage_Attach(stage, geometry, id);
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

// Sums of the normals around each vertex, turned outward by the grid where there is one, as the triangles of a mesh may not
// agree on what that is.
static void add_up_normals(const couDistanceGrid *grid, const couMesh *mesh, couVec3 *normals)
{
    const couVec3 *vertices = couMesh_Vertices(mesh);
    const uint32_t *corner = couMesh_Triangles(mesh);
    for (size_t t = 0; t < couMesh_TriangleCount(mesh); ++t, corner += 3) {
        couVec3 normal = face_normal(mesh, t), outward;
        couVec3 sum = couAdd(vertices[corner[0]], couAdd(vertices[corner[1]], vertices[corner[2]]));
        float sign = 1.0f;
        if (grid) {
            couDistanceGrid_DistanceNormal(grid, couScale(1.0f / 3.0f, sum), &outward);
            if (couDot(normal, outward) < 0.0f) sign = -1.0f;
        }
        for (int k = 0; k < 3; ++k) normals[corner[k]] = couMulAdd(normals[corner[k]], sign, normal);
    }
    for (size_t v = 0; v < couMesh_VertexCount(mesh); ++v) normals[v] = couNormalize(normals[v]);
}

// The triangles that stand for the body and where they are; NULL when it is to be traced.
static const couMesh *find_mesh(const couStage *stage, const couStageBody *body, const couPictureBody *from, couPose *pose,
                                const couDistanceGrid **grid)
{
    *grid = NULL;
    if (stage->is_final && from->mesh) return from->mesh;
    if (body->is_clear && !stage->is_final) return NULL;
    *grid = find_grid(body->shape, pose);
    return *grid ? couDistanceGrid_Mesh(*grid) : NULL;
}

static bool set_vertices(const couStageBody *body, RTCGeometry geometry, couPose pose, const couVec3 *local, size_t count,
                         bool is_moving)
{
    unsigned steps = is_moving ? 2 : 1;
    rtcSetGeometryTimeStepCount(geometry, steps);
    for (unsigned step = 0; step < steps; ++step) {
        couVec3 *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, step, RTC_FORMAT_FLOAT3, sizeof(couVec3),
                                                    count);
        if (!vertices) return false;
        couPose there = is_moving ? pose_at(body, pose, (float)step) : pose;
        for (size_t v = 0; v < count; ++v) vertices[v] = couToWorld(there, local[v]);
    }
    return true;
}

// Triangles of the body's frame at the pose, moved with the body; false without memory.
static bool attach_triangles(couStage *stage, const couStageBody *body, couPose pose, const couSurface *from, unsigned id)
{
    RTCGeometry geometry = rtcNewGeometry(stage->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    bool is_moving = couLength(body->velocity) > 0.0f || couLength(body->spin) > 0.0f;
    uint32_t *triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t),
                                                  from->element_count);
    bool has_memory = triangles && set_vertices(body, geometry, pose, from->vertices, from->vertex_count, is_moving);
    if (has_memory) {
        memcpy(triangles, from->indices, 3 * from->element_count * sizeof *triangles);
        rtcCommitGeometry(geometry);
        couStage_Attach(stage, geometry, id);
    }
    rtcReleaseGeometry(geometry);
    return has_memory;
}

// Gives the body triangles in Embree; false when it has none or there is no memory, then it is traced.
static bool attach_mesh(couStage *stage, couStageBody *body, const couPictureBody *from, unsigned id)
{
    couPose pose = body->pose;
    const couDistanceGrid *grid;
    const couMesh *mesh = find_mesh(stage, body, from, &pose, &grid);
    if (!mesh) return false;
    couVec3 *normals = couAlloc(NULL, couMesh_VertexCount(mesh) * sizeof *normals);
    couSurface triangles = {.vertices = (couVec3 *)couMesh_Vertices(mesh), // only read
                            .vertex_count = couMesh_VertexCount(mesh),
                            .indices = (uint32_t *)couMesh_Triangles(mesh),
                            .element_count = couMesh_TriangleCount(mesh)};
    if (!normals || !attach_triangles(stage, body, pose, &triangles, id)) {
        couFree(NULL, normals);
        return false;
    }
    add_up_normals(grid, mesh, normals);
    body->mesh = mesh, body->mesh_pose = pose, body->normals = normals;
    return true;
}

// Whether the triangles of a round shape are within a pixel of it; its outline is within half of that.
static bool is_fine(const couStageBody *body, const couView *view)
{
    couVec3 size = couSub(body->bounds.upper, body->bounds.lower), p = view->origin;
    couVec3 near = {COU_CLAMP(p.x, body->bounds.lower.x, body->bounds.upper.x),
                    COU_CLAMP(p.y, body->bounds.lower.y, body->bounds.upper.y),
                    COU_CLAMP(p.z, body->bounds.lower.z, body->bounds.upper.z)};
    float distance = view->is_perspective ? couLength(couSub(near, p)) : 1.0f;
    return 0.5f * COU_FACET_ERROR * COU_MAX(size.x, COU_MAX(size.y, size.z)) < view->pixel * distance;
}

// Gives a shape of a final picture triangles in Embree; false when it is to be traced.
static bool attach_facets(couStage *stage, couStageBody *body, const couView *view, unsigned id)
{
    if (!stage->is_final || body->is_unbounded) return false;
    couSurface facets;
    if (!couBuildFacets(body->shape, body->is_clear, &facets, &body->is_even)) return false;
    body->is_faceted = (body->is_even || is_fine(body, view)) && attach_triangles(stage, body, body->pose, &facets, id);
    couSurface_Clear(&facets);
    return body->is_faceted;
}

// A floor for a scene that has none: where the lowest of its bodies at rest stands.
static void add_floor(couStage *stage)
{
    float lowest = INFINITY;
    for (int i = 0; i < stage->body_count; ++i) {
        const couStageBody *body = &stage->bodies[i];
        if (body->is_still && !body->is_unbounded) lowest = COU_MIN(lowest, body->bounds.lower.y);
    }
    if (!isfinite(lowest)) return;
    stage->has_ground = true;
    stage->ground = lowest;
}

bool couStage_AddBodies(couStage *stage, const couPictureScene *scene, const couView *view)
{
    if (scene->body_count == 0) return true;
    stage->bodies = couAlloc(NULL, (size_t)scene->body_count * sizeof(couStageBody));
    if (!stage->bodies) return false;
    for (int i = 0; i < scene->body_count; ++i) {
        couStageBody *body = &stage->bodies[stage->body_count];
        if (!place_body(stage, body, &scene->bodies[i], view, scene->dimension)) continue;
        if (scene->dimension == 3 && take_as_ground(stage, body)) continue;
        if (!body->is_unbounded && !body->is_clear) stage->content = couBounds_Union(stage->content, body->bounds);
        ++stage->body_count;
        // The flat picture asks distances itself.
        unsigned id = (unsigned)stage->body_count;
        bool is_drawn = scene->dimension == 2 || attach_mesh(stage, body, &scene->bodies[i], id) ||
                        attach_facets(stage, body, view, id);
        if (!is_drawn) attach_body(stage, body, id);
    }
    if (scene->has_floor && scene->dimension == 3 && !stage->has_ground) add_floor(stage);
    return true;
}

// --- Normals ----------------------------------------------------------------------------------------------------------------

// Between those of the corners, but where the surface has an edge, that of the triangle. Of an opaque body towards the eye.
static void mesh_normal(const couStageBody *body, const struct RTCHit *found, couVec3 direction, couHit *hit)
{
    const float cos_edge = 0.766f; // 40 degrees
    const uint32_t *corner = couMesh_Triangles(body->mesh) + 3 * (size_t)found->primID;
    couVec3 way = couRotate(couConjugate(body->mesh_pose.rotation), direction);
    couVec3 flat = couNormalize(face_normal(body->mesh, found->primID)), smooth = {0}, outward = {0};
    for (int k = 0; k < 3; ++k) outward = couAdd(outward, body->normals[corner[k]]);
    bool is_inward = couDot(flat, outward) < 0.0f;
    hit->is_back = (couDot(flat, way) > 0.0f) != is_inward;
    if (body->is_clear ? is_inward : couDot(flat, way) > 0.0f) flat = couScale(-1.0f, flat);
    const float weight[3] = {1.0f - found->u - found->v, found->u, found->v};
    for (int k = 0; k < 3; ++k) {
        couVec3 normal = body->normals[corner[k]];
        smooth = couMulAdd(smooth, weight[k], couDot(normal, flat) > cos_edge ? normal : flat);
    }
    smooth = couNormalize(smooth);
    bool is_seen = couDot(smooth, way) * couDot(flat, way) > 0.0f; // from the side of the triangle that is seen
    hit->normal = couRotate(body->mesh_pose.rotation, is_seen ? smooth : flat);
    hit->facet = couRotate(body->mesh_pose.rotation, flat);
}

// The triangle's own, or the formula's where the shape is round and no edge is near.
static void facet_normal(const couStageBody *body, const struct RTCRayHit *found, couVec3 direction, couHit *hit)
{
    const float cos_chord = 0.99f; // 8 degrees: chords turn by 5.6
    hit->facet = hit->normal = couNormalize((couVec3){found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z});
    hit->is_back = couDot(hit->facet, direction) > 0.0f;
    if (body->is_even) return;
    couVec3 normal;
    couPose pose = pose_at(body, body->pose, found->ray.time);
    couShape_DistanceNormal(body->shape, body->dimension, couToLocal(pose, hit->point), &normal);
    normal = couRotate(pose.rotation, normal);
    bool is_seen = couDot(normal, direction) * couDot(hit->facet, direction) > 0.0f;
    if (is_seen && couDot(normal, hit->facet) > cos_chord) hit->normal = normal;
}

void couStageBody_Describe(const couStageBody *body, const struct RTCRayHit *found, couVec3 direction, couHit *hit)
{
    if (body->mesh) {
        mesh_normal(body, &found->hit, direction, hit);
    } else if (body->is_faceted) {
        facet_normal(body, found, direction, hit);
    } else {
        couVec3 normal;
        couPose pose = pose_at(body, body->pose, found->ray.time);
        float d = couShape_DistanceNormal(body->shape, body->dimension, couToLocal(pose, hit->point), &normal);
        hit->normal = hit->facet = couRotate(pose.rotation, normal);
        // The march ended near the surface: light that goes on, inward or outward, must start on it.
        if (body->is_clear && couIsFinite3(hit->normal)) hit->point = couMulAdd(hit->point, -d, hit->normal);
    }
    if (!couIsFinite3(hit->normal)) hit->normal = hit->facet = couScale(-1.0f, direction);
}
