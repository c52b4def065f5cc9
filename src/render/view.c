// Cameras. Framing solves for the nearest distance at which all eight corners of the box are inside the picture, so that flat and
// tall scenes fill it alike.
#include "render/view.h"

#include "base/base.h"

#include <stdlib.h>

static const float margin = 0.97f; // share of the picture that a framed box may fill

static couView make_view(couVec3 origin, couVec3 forward, float fov, int width, int height)
{
    couVec3 pole = fabsf(forward.y) < 0.999f ? (couVec3){0, 1, 0} : (couVec3){0, 0, -1};
    couVec3 right = couNormalize(couCross(forward, pole));
    float tangent = tanf(0.5f * fov * (float)COU_PI / 180.0f);
    return (couView){
        .origin = origin,
        .forward = forward,
        .right = couScale(tangent * (float)width / (float)height, right),
        .up = couScale(tangent, couCross(right, forward)),
        .is_perspective = true,
        .width = width,
        .height = height,
        .pixel = 2.0f * tangent / (float)height,
    };
}

couView couLookFrom(couVec3 from, couVec3 to, float fov, int width, int height)
{
    couVec3 way = couSub(to, from);
    couView view = make_view(from, couNormalize(way), fov, width, height);
    view.focus = to;
    // What fills the picture at the target: the scale does not change while particles come and go.
    view.focus_size = 2.0f * couLength(way) * tanf(0.5f * fov * (float)COU_PI / 180.0f);
    return view;
}

static couVec3 corner(couBounds box, int i)
{
    return (couVec3){i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y, i & 4 ? box.upper.z : box.lower.z};
}

// A box without extent is looked at as if it were 1 m wide.
static float max_extent(couBounds box)
{
    couVec3 size = couSub(box.upper, box.lower);
    float extent = COU_MAX(size.x, COU_MAX(size.y, size.z));
    return extent > 0.0f ? extent : 1.0f;
}

static couVec3 three_quarter(double turn)
{
    couVec3 forward = couNormalize((couVec3){-0.48f, -0.34f, -0.81f});
    if (turn == 0.0) return forward;
    float c = (float)cos(turn), s = (float)sin(turn);
    return (couVec3){c * forward.x + s * forward.z, forward.y, c * forward.z - s * forward.x};
}

// How far off the box fills the picture.
static float framing_distance(const couView *view, couBounds box, couVec3 centre)
{
    float tan_x = couLength(view->right), tan_y = couLength(view->up);
    couVec3 right = couScale(1.0f / tan_x, view->right), up = couScale(1.0f / tan_y, view->up);
    float distance = max_extent(box);
    for (int i = 0; i < 8; ++i) {
        couVec3 p = couSub(corner(box, i), centre);
        float depth = couDot(p, view->forward);
        distance = COU_MAX(distance, fabsf(couDot(p, right)) / (margin * tan_x) - depth);
        distance = COU_MAX(distance, fabsf(couDot(p, up)) / (margin * tan_y) - depth);
    }
    return distance;
}

couView couLookAtBox(couBounds box, float fov, float turn, int width, int height)
{
    couVec3 centre = couScale(0.5f, couAdd(box.lower, box.upper));
    float distance = 0.0f;
    const int stops = isnan(turn) ? 0 : 24;
    for (int i = 0; i < stops; ++i) {
        couView stop = make_view(centre, three_quarter(2.0 * COU_PI * i / stops), fov, width, height);
        distance = COU_MAX(distance, framing_distance(&stop, box, centre));
    }
    couView view = make_view(centre, three_quarter(stops ? (double)turn * COU_PI / 180.0 : 0.0), fov, width, height);
    if (stops == 0) distance = framing_distance(&view, box, centre);
    view.origin = couMulAdd(centre, -distance, view.forward);
    view.focus = centre;
    view.focus_size = max_extent(box);
    return view;
}

couView couLookFlat(couBounds box, int width, int height)
{
    couVec3 size = couSub(box.upper, box.lower);
    float aspect = (float)width / (float)height;
    float half_height = 0.5f * COU_MAX(size.y, size.x / aspect) / 0.94f;
    if (!(half_height > 0.0f)) half_height = 0.5f;
    couVec3 centre = couScale(0.5f, couAdd(box.lower, box.upper));
    return (couView){
        .origin = {centre.x, centre.y, 0},
        .forward = {0, 0, -1},
        .right = {half_height * aspect, 0, 0},
        .up = {0, half_height, 0},
        .width = width,
        .height = height,
        .pixel = 2.0f * half_height / (float)height,
        .focus = {centre.x, centre.y, 0},
        .focus_size = 2.0f * half_height,
    };
}

couRay couView_Ray(const couView *view, float x, float y)
{
    float u = 2.0f * x / (float)view->width - 1.0f;
    float v = 1.0f - 2.0f * y / (float)view->height;
    couVec3 shift = couMulAdd(couScale(u, view->right), v, view->up);
    if (!view->is_perspective) return (couRay){couAdd(view->origin, shift), view->forward};
    return (couRay){view->origin, couNormalize(couAdd(view->forward, shift))};
}

couBounds couEmptyBounds(void) { return (couBounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

bool couBounds_IsEmpty(couBounds b, int dimension)
{
    if (dimension == 2) b.lower.z = b.upper.z = 0.0f;
    if (!couIsFinite3(b.lower) || !couIsFinite3(b.upper)) return true;
    return b.lower.x > b.upper.x || b.lower.y > b.upper.y || b.lower.z > b.upper.z;
}

couBounds couBounds_Union(couBounds a, couBounds b)
{
    return (couBounds){
        {COU_MIN(a.lower.x, b.lower.x), COU_MIN(a.lower.y, b.lower.y), COU_MIN(a.lower.z, b.lower.z)},
        {COU_MAX(a.upper.x, b.upper.x), COU_MAX(a.upper.y, b.upper.y), COU_MAX(a.upper.z, b.upper.z)},
    };
}

bool couIsDrawable(couVec3 p)
{
    const float max = 1e9f; // [m]: as far as a camera may stand
    return fabsf(p.x) < max && fabsf(p.y) < max && fabsf(p.z) < max;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Cuts one axis back to the range of the middle 96 % of an even sample, widened by that range on both sides.
static void cut_strays(const couVec3 *positions, size_t count, size_t axis_offset, float *lower, float *upper)
{
    float sample[1024];
    size_t stride = (count + 1023) / 1024;
    int sample_count = 0;
    for (size_t i = 0; i < count; i += stride) {
        if (!couIsDrawable(positions[i])) continue;
        memcpy(&sample[sample_count++], (const char *)&positions[i] + axis_offset, sizeof(float));
    }
    if (sample_count < 64) return;
    qsort(sample, (size_t)sample_count, sizeof(float), compare_floats);
    int edge = sample_count / 50;
    float low = sample[edge], high = sample[sample_count - 1 - edge], range = high - low;
    *lower = COU_MAX(*lower, low - range);
    *upper = COU_MIN(*upper, high + range);
}

couBounds couParticleBounds(const couVec3 *positions, size_t count)
{
    couBounds bounds = couEmptyBounds();
    for (size_t i = 0; i < count; ++i) {
        if (couIsDrawable(positions[i])) bounds = couBounds_Union(bounds, (couBounds){positions[i], positions[i]});
    }
    cut_strays(positions, count, offsetof(couVec3, x), &bounds.lower.x, &bounds.upper.x);
    cut_strays(positions, count, offsetof(couVec3, y), &bounds.lower.y, &bounds.upper.y);
    cut_strays(positions, count, offsetof(couVec3, z), &bounds.lower.z, &bounds.upper.z);
    return bounds;
}
