// A scene before the camera. The camera is the scene's; without one it frames all that the scene holds at its start: fluid,
// bounded bodies, emitters with the reach of their jets. Bodies are those of the world now, or of frames that were written
// earlier where bodies.csv has them.
#include "app/scene_pictures.h"
#include "app/app.h"
#include "app/picture_options.h"
#include "base/base.h"
#include "coulis/frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOTION_SAMPLES 16 // of a moving thing's way, for the camera's frame

// --- What the camera shows ---

static const couBounds no_bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void include_point(couBounds *bounds, couVec3 p)
{
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) return;
    bounds->lower = (couVec3){fminf(bounds->lower.x, p.x), fminf(bounds->lower.y, p.y), fminf(bounds->lower.z, p.z)};
    bounds->upper = (couVec3){fmaxf(bounds->upper.x, p.x), fmaxf(bounds->upper.y, p.y), fmaxf(bounds->upper.z, p.z)};
}

// The eight corners of a box, moved by the pose.
static void include_box(couBounds *bounds, couBounds box, couPose pose)
{
    for (int corner = 0; corner < 8; ++corner)
        include_point(bounds,
                      couToWorld(pose, (couVec3){corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
                                                 corner & 4 ? box.upper.z : box.lower.z}));
}

// A shape on its way through the run.
static void include_shape(couBounds *bounds, const couShape *shape, int dimension, couPose pose, couMotionFcn *motion,
                          void *context, double seconds)
{
    couBounds box;
    if (!couShape_Bounds(shape, dimension, &box)) return;
    if (dimension == 2) box.lower.z = box.upper.z = 0.0f;
    if (!motion) include_box(bounds, box, pose);
    for (int i = 0; motion && i <= MOTION_SAMPLES; ++i) include_box(bounds, box, motion(context, seconds * i / MOTION_SAMPLES));
}

// The top of a jet: where gravity has used up its speed.
static void include_jet(couBounds *bounds, const couWorld *world, const couEmitterDef *emitter)
{
    couShapeKind kind = couShape_Kind(emitter->shape);
    if (kind != cou_shapeDisk && kind != cou_shapePolygon) return;
    couPose pose = emitter->motion ? emitter->motion(emitter->motion_context, 0.0) : emitter->pose;
    bool is_along_y = kind == cou_shapeDisk;
    couVec3 v = couRotate(pose.rotation, (couVec3){0, is_along_y ? emitter->speed : 0, is_along_y ? 0 : emitter->speed});
    float g = -couWorld_Def(world)->gravity.y;
    if (!(g > 0.0f) || !(v.y > 0.0f)) return;
    float t = v.y / g; // [s]
    include_point(bounds, (couVec3){pose.position.x + v.x * t, pose.position.y + 0.5f * v.y * t, pose.position.z + v.z * t});
    include_point(bounds, (couVec3){pose.position.x + 2 * v.x * t, pose.position.y, pose.position.z + 2 * v.z * t});
}

couBounds couSceneBounds(couScene *scene, double seconds)
{
    couWorld *world = couScene_World(scene);
    int dimension = couWorld_Def(world)->dimension;
    couBounds bounds = no_bounds;
    couParticleView particles = couWorld_Particles(world);
    for (size_t i = 0; i < particles.count; ++i)
        include_point(&bounds, (couVec3){particles.position[i].x, particles.position[i].y, particles.position[i].z});
    for (int i = 0; i < couWorld_SolidCount(world); ++i) {
        couSolidView solid = couWorld_SolidView(world, couWorld_SolidAt(world, i));
        for (size_t k = 0; k < solid.count; ++k) {
            const double *p = &solid.position[3 * k];
            include_point(&bounds, (couVec3){(float)p[0], (float)p[1], (float)p[2]});
        }
    }
    for (int i = 0; i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        const couBodyDef *body = id.index1 ? couWorld_Body(world, id) : NULL;
        if (body && body->look.opacity > 0.0f)
            include_shape(&bounds, body->shape, dimension, body->pose, body->motion, body->motion_context, seconds);
    }
    for (int i = 0; i < couWorld_EmitterCount(world); ++i) {
        const couEmitterDef *emitter = couWorld_Emitter(world, couWorld_EmitterAt(world, i));
        if (!emitter) continue;
        include_shape(&bounds, emitter->shape, dimension, emitter->pose, emitter->motion, emitter->motion_context, seconds);
        include_jet(&bounds, world, emitter);
    }
    for (int i = 0; i < couWorld_BlowerCount(world); ++i) {
        const couBlowerDef *blower = couWorld_Blower(world, couWorld_BlowerAt(world, i));
        if (blower->look.opacity > 0.0f) include_shape(&bounds, blower->shape, dimension, blower->pose, NULL, NULL, seconds);
    }
    return bounds;
}

// --- What is drawn ---

// Regions of blowers are drawn where they show at all.
static void add_blowers(const couWorld *world, couPictureBody *bodies, int *count)
{
    for (int i = 0; bodies && i < couWorld_BlowerCount(world); ++i) {
        const couBlowerDef *blower = couWorld_Blower(world, couWorld_BlowerAt(world, i));
        if (blower->look.opacity > 0.0f)
            bodies[(*count)++] = (couPictureBody){.shape = blower->shape, .pose = blower->pose, .look = blower->look};
    }
}

couPictureBody *couCollectBodies(const couWorld *world, int *count)
{
    size_t most = (size_t)couWorld_BodyCount(world) + (size_t)couWorld_BlowerCount(world);
    couPictureBody *bodies = calloc(most + 1, sizeof *bodies);
    *count = 0;
    add_blowers(world, bodies, count);
    for (int i = 0; bodies && i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        const couBodyDef *body = id.index1 ? couWorld_Body(world, id) : NULL;
        if (!body || !(body->look.opacity > 0.0f)) continue;
        couPose pose = couWorld_BodyPose(world, id);
        couVec3 spin = couWorld_BodySpin(world, id);
        // The world knows the velocity of the centre of mass of free bodies.
        couVec3 arm = couSub(pose.position, couWorld_BodyCenter(world, id));
        bodies[(*count)++] = (couPictureBody){.shape = body->shape,
                                              .pose = pose,
                                              .look = body->look,
                                              .velocity = couAdd(couWorld_BodyVelocity(world, id), couCross(spin, arm)),
                                              .spin = spin};
    }
    return bodies;
}

// The scale of a solid's colours, if there is none like it yet.
static void add_scale(couSolidCast *cast, const couWorld *world, couSolidId id)
{
    static const char *const titles[] = {NULL, "stress [Pa]", "strain", "displacement [m]"};
    const couSolidDef *def = couWorld_Solid(world, id);
    couLegend scale = {titles[def->color_by], 0.0f, couWorld_SolidColorMax(world, id), def->color_map};
    if (!scale.title || !(def->look.opacity > 0.0f)) return;
    for (int k = 0; k < cast->legend_count; ++k) {
        const couLegend *other = &cast->legends[k];
        if (other->title == scale.title && other->high == scale.high && other->map == scale.map) return;
    }
    cast->legends[cast->legend_count++] = scale;
}

couSolidCast couCollectSolids(const couWorld *world)
{
    size_t most = (size_t)couWorld_SolidCount(world) + 1;
    couSolidCast cast = {.surfaces = calloc(most, sizeof *cast.surfaces),
                         .drawn = calloc(most, sizeof *cast.drawn),
                         .legends = calloc(most, sizeof *cast.legends)};
    for (int i = 0; cast.surfaces && cast.drawn && cast.legends && i < couWorld_SolidCount(world); ++i) {
        couSolidId id = couWorld_SolidAt(world, i);
        const couSolidDef *def = couWorld_Solid(world, id);
        couSurface *surface = &cast.surfaces[cast.count];
        if (!couWorld_BuildSolidSurface(world, id, surface)) continue;
        cast.drawn[cast.count++] = (couPictureSurface){
            .surface = surface, .look = def->look, .is_colored = def->color_by != cou_solidColorLook, .is_solid = true};
        add_scale(&cast, world, id);
    }
    return cast;
}

couProps couMakeProps(const couPictureBody *bodies, int count, const couSolidCast *solids)
{
    return (couProps){.bodies = bodies,
                      .body_count = count,
                      .solids = solids->drawn,
                      .solid_count = solids->count,
                      .legends = solids->legends,
                      .legend_count = solids->legend_count};
}

// Moves the solids' points there: one after the other, as frames have them.
static bool pose_solids(couWorld *world, const couFrame *frame)
{
    couState state = {0};
    couFaults ignored = {0};
    const couStateArray *array = couWorld_SaveState(world, &state) ? couState_Find(&state, "solids/position") : NULL;
    bool is_good = array && array->count == frame->count;
    for (size_t i = 0; is_good && i < array->count; ++i) {
        couVec3 x = frame->position[i];
        const double place[3] = {x.x, x.y, x.z};
        memcpy((double *)array->data + 3 * i, place, sizeof place);
    }
    is_good = is_good && couWorld_LoadState(world, &state, &ignored);
    couFaults_Clear(&ignored);
    couState_Clear(&state);
    return is_good;
}

bool couPoseSolids(couWorld *world, const char *folder, int frame)
{
    char path[1024];
    couFaults faults = {0};
    snprintf(path, sizeof path, "%s/solids_%06d.vtu", folder, frame);
    if (!couWorld_SolidCount(world) || access(path, R_OK) != 0) return false;
    couFrame points = {0}; // cells that are inside out do no harm here
    bool is_good = couReadFrame(path, &points, &faults) && pose_solids(world, &points);
    couFreeFrame(&points);
    if (!is_good)
        couWarn("%s: %s; the solids are left out", path,
                faults.count ? faults.items[0].message : "it does not fit the solids of the scene");
    couFaults_Clear(&faults);
    return is_good;
}

couSolidCast couFindSolids(couWorld *world, const char *folder, int frame)
{
    return couPoseSolids(world, folder, frame) ? couCollectSolids(world) : (couSolidCast){0};
}

void couSolidCast_Clear(couSolidCast *cast)
{
    for (int i = 0; i < cast->count; ++i) couSurface_Clear(&cast->surfaces[i]);
    free(cast->surfaces);
    free(cast->drawn);
    free(cast->legends);
    *cast = (couSolidCast){0};
}

couCast couGatherCast(const couWorld *world)
{
    size_t most = (size_t)couWorld_BodyCount(world) + (size_t)couWorld_BlowerCount(world);
    couCast cast = {.members = calloc(most + 1, sizeof *cast.members)};
    for (int i = 0; cast.members && i < couWorld_BodyCount(world); ++i) {
        couBodyId id = couWorld_BodyAt(world, i);
        const couBodyDef *body = id.index1 ? couWorld_Body(world, id) : NULL;
        if (!body) continue;
        struct couCastMember *member = &cast.members[cast.count++];
        snprintf(member->name, sizeof member->name, "%s", body->name);
        member->shape = couShape_Retain(body->shape);
        member->look = body->look;
    }
    for (int i = 0; cast.members && i < couWorld_BlowerCount(world); ++i) {
        const couBlowerDef *blower = couWorld_Blower(world, couWorld_BlowerAt(world, i));
        if (!(blower->look.opacity > 0.0f)) continue;
        cast.members[cast.count++] = (struct couCastMember){
            .shape = couShape_Retain(blower->shape), .look = blower->look, .pose = blower->pose, .is_still = true};
    }
    return cast;
}

void couCast_Clear(couCast *cast)
{
    for (int i = 0; i < cast->count; ++i) couShape_Release(cast->members[i].shape);
    free(cast->members);
    *cast = (couCast){0};
}

couPictureBody *couFindBodies(const couCast *cast, const couBodyTable *table, int frame, int *count)
{
    size_t rows = 0;
    const couBodyRow *row = couBodyTable_Frame(table, frame, &rows);
    couPictureBody *bodies = calloc(rows + (size_t)cast->count + 1, sizeof *bodies);
    *count = 0;
    for (int i = 0; bodies && i < cast->count; ++i) {
        const struct couCastMember *member = &cast->members[i];
        if (member->is_still)
            bodies[(*count)++] = (couPictureBody){.shape = member->shape, .pose = member->pose, .look = member->look};
    }
    for (size_t k = 0; bodies && k < rows; ++k, ++row) {
        const struct couCastMember *member = NULL;
        for (int i = 0; i < cast->count && !member; ++i)
            if (!cast->members[i].is_still && strcmp(cast->members[i].name, row->name) == 0) member = &cast->members[i];
        bool is_drawn = row->body >= 0 && table->stage.bodies[row->body].mesh[0];
        if (!member && is_drawn) couWarn("the scene does not begin with the body '%s': it is not in the pictures", row->name);
        if (member && member->look.opacity > 0.0f)
            bodies[(*count)++] = (couPictureBody){
                .shape = member->shape, .pose = row->pose, .look = member->look, .velocity = row->velocity, .spin = row->spin};
    }
    return bodies;
}

// --- The studio ---

couStudio *couOpenSceneStudio(couScene *scene, couBounds bounds, const couCamera *camera, const couPictureStyle *style,
                              const couSurfaceDef *surface, const couColors *colors, double fps, couFaults *faults)
{
    couWorld *world = couScene_World(scene);
    const couWorldDef *def = couWorld_Def(world);
    couLook looks[256];
    int count = 0;
    for (; count < couWorld_MaterialCount(world) && count < 256; ++count)
        looks[count] = couWorld_Material(world, couWorld_MaterialAt(world, count))->look;
    couStudioDef studio = {.dimension = def->dimension,
                           .spacing = def->spacing,
                           .fps = fps,
                           .looks = looks,
                           .look_count = count,
                           .camera = camera ? *camera : couScene_Camera(scene),
                           .bounds = bounds,
                           .style = *style,
                           .surface = *surface,
                           .colors = *colors,
                           .threads = couThreadCount(def->threads)};
    return couOpenStudio(&studio, faults);
}

bool couDrawScene(couScene *scene, couBounds bounds, const couPictureStyle *style, const char *path, couFaults *faults)
{
    couWorld *world = couScene_World(scene);
    couSurfaceDef surface = couProgramSurfaceDef();
    surface.spacing = couWorld_Def(world)->spacing;
    couColors colors = couDefaultColors();
    couStudio *studio = couOpenSceneStudio(scene, bounds, NULL, style, &surface, &colors, couScene_Fps(scene), faults);
    couFrame frame = {0};
    couImage image = {0};
    int count = 0;
    couPictureBody *bodies = couCollectBodies(world, &count);
    couSolidCast solids = couCollectSolids(world);
    couProps props = couMakeProps(bodies, count, &solids);
    bool is_good = studio && bodies && couCaptureFrame(world, &frame) &&
                   couStudio_Draw(studio, &frame, NULL, NULL, 1, props, &image, NULL, faults) &&
                   couWritePng(path, &image, faults);
    couFreeImage(&image);
    couFreeFrame(&frame);
    couSolidCast_Clear(&solids);
    free(bodies);
    couCloseStudio(studio);
    return is_good;
}
