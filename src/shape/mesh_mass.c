// Mass of the solid within a mesh: the sum of the tetrahedra from one point to each triangle, with the sign of their turn. Over a
// tetrahedron from the origin to a, b, c the integral of 1 is D / 6, of x_i D s_i / 24, and of x_i x_j
// D (s_i s_j + a_i a_j + b_i b_j + c_i c_j) / 120, with D = a . (b x c) and s = a + b + c.

#include "base/base.h"
#include "coulis/mesh.h"

// A corner relative to the middle of the mesh, which keeps the digits of a mesh that is far from the origin.
static void load_corner(const couMesh *mesh, size_t k, const double middle[3], double corner[3])
{
    couVec3 p = couMesh_Vertices(mesh)[couMesh_Triangles(mesh)[k]];
    corner[0] = (double)p.x - middle[0];
    corner[1] = (double)p.y - middle[1];
    corner[2] = (double)p.z - middle[2];
}

couMassProperties couMesh_Mass(const couMesh *mesh)
{
    static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    couBounds bounds = couMesh_Bounds(mesh);
    const double middle[3] = {0.5 * ((double)bounds.lower.x + bounds.upper.x), 0.5 * ((double)bounds.lower.y + bounds.upper.y),
                              0.5 * ((double)bounds.lower.z + bounds.upper.z)};
    double volume = 0, first[3] = {0}, second[6] = {0};
    for (size_t t = 0; t < couMesh_TriangleCount(mesh); ++t) {
        double a[3], b[3], c[3], s[3];
        load_corner(mesh, 3 * t, middle, a);
        load_corner(mesh, 3 * t + 1, middle, b);
        load_corner(mesh, 3 * t + 2, middle, c);
        double d = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
        volume += d / 6;
        for (int i = 0; i < 3; ++i) {
            s[i] = a[i] + b[i] + c[i];
            first[i] += d * s[i] / 24;
        }
        for (int k = 0; k < 6; ++k) {
            int i = rows[k], j = columns[k];
            second[k] += d * (s[i] * s[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]) / 120;
        }
    }
    couMassProperties mass = {.center = {middle[0], middle[1], middle[2]}};
    if (volume == 0.0) return mass;
    double center[3], sign = volume > 0.0 ? 1.0 : -1.0; // inside out: everything has the other sign
    for (int i = 0; i < 3; ++i) {
        center[i] = first[i] / volume;
        mass.center[i] += center[i];
    }
    for (int k = 0; k < 6; ++k) second[k] = sign * (second[k] - volume * center[rows[k]] * center[columns[k]]);
    double trace = second[0] + second[1] + second[2];
    mass.volume = fabs(volume);
    for (int k = 0; k < 6; ++k) mass.inertia[k] = (k < 3 ? trace : 0.0) - second[k];
    return mass;
}
