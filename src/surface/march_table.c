// The table of marching cubes, derived instead of copied.
//
// On each face of a cell, the corners that are inside form runs around the face; each run is cut off by one segment. This decides
// ambiguous faces (two opposite corners inside: they stay apart) by the face's own corners, so that the two cells at a face draw
// the same segments: the surface has no holes. Segments join to closed loops, each crossed edge being the end of one and the
// beginning of another, and each loop is cut into triangles.
//
// A diagonal whose two ends lie on one face could be drawn by the cell on the other side too, and four triangles would then meet
// at it; so only diagonals through the inside of the cell are taken, of those the shortest. Every loop has such a triangulation.
// Then each edge of the mesh has two triangles and each vertex one fan: a manifold.

#include "surface/march_table.h"

#include <float.h>

enum { max_loop = 12 };

typedef struct Point {
    double x, y, z;
} Point;

static Point edge_middle(int edge)
{
    int corner = couEdgeCorner(edge), axis = edge >> 2;
    Point p = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
    if (axis == 0) p.x = 0.5;
    if (axis == 1) p.y = 0.5;
    if (axis == 2) p.z = 0.5;
    return p;
}

static int edge_between(int a, int b)
{
    int axis = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2, low = COU_MIN(a, b);
    int u = axis == 0 ? low >> 1 & 1 : low & 1, v = axis == 2 ? low >> 1 & 1 : low >> 2 & 1;
    return 4 * axis + u + 2 * v;
}

static bool share_a_face(int a, int b)
{
    Point p = edge_middle(a), q = edge_middle(b);
    bool is_x = p.x == q.x && p.x != 0.5, is_y = p.y == q.y && p.y != 0.5, is_z = p.z == q.z && p.z != 0.5;
    return is_x || is_y || is_z;
}

// The corners of a face, counter-clockwise seen from outside of the cell.
static void face_corners(int face, int corners[4])
{
    int axis = face >> 1, side = face & 1, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
    const int around[4] = {base, base | u, base | u | v, base | v};
    for (int c = 0; c < 4; ++c) corners[c] = around[side ? c : (4 - c) % 4];
}

// For each crossed edge, the edge at which the loop goes on; -1 elsewhere.
static void link_edges(int code, int next[12])
{
    for (int e = 0; e < 12; ++e) next[e] = -1;
    for (int face = 0; face < 6; ++face) {
        int corners[4];
        face_corners(face, corners);
        for (int c = 0; c < 4; ++c) {
            bool is_run = !(code >> corners[(c + 3) % 4] & 1) && (code >> corners[c] & 1);
            if (!is_run) continue;
            int last = c;
            while (code >> corners[(last + 1) % 4] & 1) last = (last + 1) % 4;
            next[edge_between(corners[(c + 3) % 4], corners[c])] = edge_between(corners[last], corners[(last + 1) % 4]);
        }
    }
}

static double diagonal_cost(const int *loop, int count, int i, int j)
{
    if (j == i + 1 || (i == 0 && j == count - 1)) return 0.0;
    if (share_a_face(loop[i], loop[j])) return DBL_MAX;
    Point p = edge_middle(loop[i]), q = edge_middle(loop[j]);
    return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
}

static void emit(const int *loop, int split[max_loop][max_loop], int i, int j, uint8_t *edges, int *count)
{
    if (j - i < 2) return;
    int k = split[i][j];
    const int corners[3] = {loop[i], loop[k], loop[j]};
    for (int c = 0; c < 3; ++c) edges[3 * *count + c] = (uint8_t)corners[c];
    ++*count;
    emit(loop, split, i, k, edges, count);
    emit(loop, split, k, j, edges, count);
}

// The cheapest triangulation of a loop, by growing stretches of it.
static bool triangulate(const int *loop, int length, uint8_t *edges, int *count)
{
    double best[max_loop][max_loop];
    int split[max_loop][max_loop];
    for (int i = 0; i + 1 < length; ++i) best[i][i + 1] = 0.0;
    for (int span = 2; span < length; ++span)
        for (int i = 0; i + span < length; ++i) {
            int j = i + span;
            double diagonal = diagonal_cost(loop, length, i, j);
            best[i][j] = DBL_MAX;
            split[i][j] = i + 1;
            for (int k = i + 1; k < j; ++k) {
                if (diagonal == DBL_MAX || best[i][k] == DBL_MAX || best[k][j] == DBL_MAX) continue;
                double cost = best[i][k] + best[k][j] + diagonal;
                if (cost < best[i][j]) best[i][j] = cost, split[i][j] = k;
            }
        }
    if (best[0][length - 1] == DBL_MAX || *count + length - 2 > cou_maxCellTriangles) return false;
    emit(loop, split, 0, length - 1, edges, count);
    return true;
}

bool couMakeMarchTable(couMarchTable *table)
{
    *table = (couMarchTable){0};
    for (int code = 0; code < 256; ++code) {
        int next[12], count = 0;
        link_edges(code, next);
        for (int e = 0; e < 12; ++e) {
            int loop[max_loop], length = 0;
            for (int at = e; next[at] >= 0;) {
                int after = next[at];
                loop[length++] = at;
                next[at] = -1;
                at = after;
            }
            if (length && !triangulate(loop, length, table->edges[code], &count)) return false;
        }
        table->counts[code] = (uint8_t)count;
    }
    return true;
}
