// Geometry of one cell, a tetrahedron or a triangle.

#include "soft/solid_mesh.h"

double couCellVolume(int dimension, const couDouble3 *p)
{
    couDouble3 a = couSub3(p[1], p[0]), b = couSub3(p[2], p[0]);
    if (dimension == 2) return 0.5 * (a.x * b.y - a.y * b.x);
    return couDot3(couCross3(a, b), couSub3(p[3], p[0])) / 6.0;
}

double couCellGradients(int dimension, const couDouble3 *p, couDouble3 gradients[COU_MAX_CORNERS])
{
    couDouble3 a = couSub3(p[1], p[0]), b = couSub3(p[2], p[0]);
    double volume = couCellVolume(dimension, p);
    if (dimension == 2) {
        double scale = 0.5 / volume;
        gradients[1] = (couDouble3){b.y * scale, -b.x * scale, 0};
        gradients[2] = (couDouble3){-a.y * scale, a.x * scale, 0};
        gradients[3] = (couDouble3){0, 0, 0};
    } else {
        couDouble3 c = couSub3(p[3], p[0]);
        double scale = 1.0 / (6.0 * volume);
        gradients[1] = couScale3(scale, couCross3(b, c));
        gradients[2] = couScale3(scale, couCross3(c, a));
        gradients[3] = couScale3(scale, couCross3(a, b));
    }
    gradients[0] = couScale3(-1.0, couAdd3(gradients[1], couAdd3(gradients[2], gradients[3])));
    return volume;
}

couDouble3 couCellCircumcenter(int dimension, const couDouble3 *p)
{
    couDouble3 a = couSub3(p[1], p[0]), b = couSub3(p[2], p[0]);
    double a2 = couDot3(a, a), b2 = couDot3(b, b);
    if (dimension == 2) {
        double scale = 0.25 / couCellVolume(2, p);
        return couAdd3(p[0], (couDouble3){(b.y * a2 - a.y * b2) * scale, (a.x * b2 - b.x * a2) * scale, 0});
    }
    couDouble3 c = couSub3(p[3], p[0]);
    couDouble3 sum = couScale3(couDot3(c, c), couCross3(a, b));
    sum = couMulAdd3(sum, b2, couCross3(c, a));
    sum = couMulAdd3(sum, a2, couCross3(b, c));
    return couMulAdd3(p[0], 1.0 / (12.0 * couCellVolume(3, p)), sum);
}

// Length of a side of a triangle, area of a face of a tetrahedron: that opposite to a corner.
static double side_size(int dimension, const couDouble3 *p, int corner)
{
    const couDouble3 *q[3];
    for (int k = 0, n = 0; k <= dimension; ++k)
        if (k != corner) q[n++] = &p[k];
    if (dimension == 2) return couLength3(couSub3(*q[1], *q[0]));
    return 0.5 * couLength3(couCross3(couSub3(*q[1], *q[0]), couSub3(*q[2], *q[0])));
}

double couCellQuality(int dimension, const couDouble3 *p)
{
    double volume = couCellVolume(dimension, p), sides = 0;
    if (volume == 0) return 0;
    for (int k = 0; k <= dimension; ++k) sides += side_size(dimension, p, k);
    double inner = dimension * fabs(volume) / sides, outer = couLength3(couSub3(couCellCircumcenter(dimension, p), p[0]));
    double quality = dimension * inner / outer;
    return volume < 0 ? -quality : quality;
}
