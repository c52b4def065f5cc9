// How much of the light gets through a clear liquid in previews and splats, where there is no surface to trace through.
//
// As in [van der Laan et al. 2009, sect. 3.4] the liquid's thickness along a ray is the sum over its particles of what each adds:
// here the integral along the ray of the kernel A (1 - r^2 / R^2), whose volume is that of one particle, so that the sum is the
// way through the liquid wherever that is even. Embree finds the particles: a filter counts each disc of radius R that faces the
// ray as it is met, and lets the ray go on (spheres are met twice). The opacity of a look is that of 2 cm of it, and the rest
// follows from Beer's law.
#include "render/mist.h"

#include "base/base.h"
#include "render/stage.h"

#define LENGTH 0.02f // of liquid that has the opacity of its look [m]
#define MOST_OPACITY 0.995f
#define MOST_MIST 6.0f     // what gets through is less than one of 256 shades
#define SPACING (1 / 0.6f) // of particles / the radius that they are drawn with

// What one material holds back [1/m]; 0 for those that are not clear.
static float extinction(const couPictureScene *scene, int material)
{
    bool has_look = scene->opacities && scene->colors && (scene->material_count == 0 || material < scene->material_count);
    float opacity = has_look ? scene->opacities[material] : 1.0f;
    if (!(opacity >= 0.0f && opacity < MOST_OPACITY)) return 0.0f;
    return -logf(1.0f - opacity) / LENGTH;
}

static void pass_through(const struct RTCFilterFunctionNArguments *arguments)
{
    couTrace *trace = (couTrace *)arguments->context;
    const couMist *mist = arguments->geometryUserPtr;
    const struct RTCRay *ray = (const struct RTCRay *)arguments->ray; // rays come one by one
    unsigned index = ((const struct RTCHit *)arguments->hit)->primID;
    couVec3 origin = {ray->org_x, ray->org_y, ray->org_z}, direction = {ray->dir_x, ray->dir_y, ray->dir_z};
    couVec4 ball = mist->balls[index];
    couVec3 to = couSub(couXyz(ball), origin);
    float along = couDot(to, direction), inside2 = ball.w * ball.w - (couDot(to, to) - along * along);
    // A = 15 d^3 / (8 pi R^3), and R = d; the integral is A 4/3 (R^2 - b^2)^(3/2) / R^2.
    float way = inside2 > 0.0f ? 15.0f / (8.0f * (float)COU_PI) * 4.0f / 3.0f * inside2 * sqrtf(inside2) / (ball.w * ball.w)
                               : 0.0f;
    trace->mist += way * mist->extinction[mist->materials[index]];
    if (trace->mist < MOST_MIST) arguments->valid[0] = 0;
}

static void ignore_clear(const struct RTCFilterFunctionNArguments *arguments)
{
    const couTrace *trace = (const couTrace *)arguments->context;
    const couStage *stage = trace->stage;
    const struct RTCHit *hit = (const struct RTCHit *)arguments->hit;
    size_t index = hit->primID + (hit->geomID == COU_PARTICLES_ID ? stage->disc_count : 0);
    if (!trace->sees_clear && couStage_IsClearParticle(stage, (int)index)) arguments->valid[0] = 0;
}

void couMist_LetBe(RTCGeometry particles)
{
    rtcSetGeometryIntersectFilterFunction(particles, ignore_clear);
    rtcSetGeometryOccludedFilterFunction(particles, ignore_clear);
}

static bool attach_balls(couMist *mist, RTCDevice device)
{
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_DISC_POINT);
    couVec4 *points = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4, sizeof *points,
                                              mist->count);
    if (points) {
        memcpy(points, mist->balls, mist->count * sizeof *points);
        rtcSetGeometryUserData(geometry, mist);
        rtcSetGeometryOccludedFilterFunction(geometry, pass_through);
        rtcCommitGeometry(geometry);
        rtcAttachGeometryByID(mist->scene, geometry, 0);
        rtcCommitScene(mist->scene);
    }
    rtcReleaseGeometry(geometry);
    return points != NULL;
}

bool couMist_Build(couMist *mist, RTCDevice device, const couPictureScene *scene)
{
    *mist = (couMist){0};
    if (scene->dimension == 2 || scene->particle_count == 0) return true;
    bool has_any = false;
    for (int m = 0; m < COU_COUNT(mist->extinction); ++m) has_any |= (mist->extinction[m] = extinction(scene, m)) > 0.0f;
    if (!has_any) return true;
    mist->balls = couAlloc(NULL, scene->particle_count * sizeof *mist->balls);
    mist->materials = couAlloc(NULL, scene->particle_count);
    if (!mist->balls || !mist->materials) return false;
    for (size_t i = 0; i < scene->particle_count; ++i) {
        couVec3 p = scene->positions[i];
        uint8_t material = scene->materials ? scene->materials[i] : 0;
        bool is_painted = scene->particle_colors && !isnan(scene->particle_colors[i].x);
        if (is_painted || !(mist->extinction[material] > 0.0f) || !couIsDrawable(p)) continue;
        mist->materials[mist->count] = material;
        mist->balls[mist->count++] = (couVec4){p.x, p.y, p.z, SPACING * (scene->radii ? scene->radii[i] : scene->radius)};
    }
    if (mist->count == 0) return true;
    mist->scene = rtcNewScene(device);
    return mist->scene && attach_balls(mist, device);
}

void couMist_Clear(couMist *mist)
{
    if (mist->scene) rtcReleaseScene(mist->scene);
    couFree(NULL, mist->balls);
    couFree(NULL, mist->materials);
    *mist = (couMist){0};
}
