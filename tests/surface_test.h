/// Shared by the tests of surfaces: clouds of points, and what a mesh must be.
#pragma once

#include "testing.h"

#include "base/random.h"

#define SPACING 0.01f

static const char *const field_words[3] = {"clavet", "color", "anisotropic"};

/// Points that grow; free with clear_cloud().
typedef struct Cloud {
    couVec3 *positions, *velocities;
    uint8_t *materials;
    size_t count, capacity;
} Cloud;

static inline void add_point(Cloud *cloud, couVec3 p, int material)
{
    if (cloud->count == cloud->capacity) {
        cloud->capacity = 2 * cloud->capacity + 64;
        cloud->positions = realloc(cloud->positions, cloud->capacity * sizeof *cloud->positions);
        cloud->velocities = realloc(cloud->velocities, cloud->capacity * sizeof *cloud->velocities);
        cloud->materials = realloc(cloud->materials, cloud->capacity * sizeof *cloud->materials);
        assert_true(cloud->positions && cloud->velocities && cloud->materials);
    }
    cloud->positions[cloud->count] = p;
    cloud->velocities[cloud->count] = (couVec3){0};
    cloud->materials[cloud->count++] = (uint8_t)material;
}

static inline void clear_cloud(Cloud *cloud)
{
    free(cloud->positions);
    free(cloud->velocities);
    free(cloud->materials);
    *cloud = (Cloud){0};
}

/// Lattice points within a ball (a disk in 2D) that should hold `count` of them, each moved by up to `jitter` spacings.
static inline void add_drop(Cloud *cloud, int dimension, double count, couVec3 at, float jitter, int seed)
{
    couRandom random = {couMix64((uint64_t)seed)};
    double radius = dimension == 3 ? cbrt(0.75 * count / COU_PI) : sqrt(count / COU_PI);
    int n = (int)radius + 2, m = dimension == 3 ? n : 0;
    for (int k = -m; k <= m; ++k)
        for (int j = -n; j <= n; ++j)
            for (int i = -n; i <= n; ++i) {
                double x = i + 0.5, y = j + 0.5, z = dimension == 3 ? k + 0.5 : 0.0;
                if (x * x + y * y + z * z >= radius * radius) continue;
                couVec3 p = {(float)x + jitter * couRandomSigned(&random), (float)y + jitter * couRandomSigned(&random),
                             dimension == 3 ? (float)z + jitter * couRandomSigned(&random) : 0.0f};
                add_point(cloud, couMulAdd(at, SPACING, p), 0);
            }
}

/// A block of lattice points from `at` on.
static inline void add_lattice(Cloud *cloud, int nx, int ny, int nz, couVec3 at, int material)
{
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                add_point(cloud, couMulAdd(at, SPACING, (couVec3){(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f}), material);
}

/// Uniformly random points in a cube (a square) of `size` spacings.
static inline void add_random(Cloud *cloud, int dimension, int count, float size, int seed)
{
    couRandom random = {couMix64((uint64_t)seed)};
    for (int i = 0; i < count; ++i) {
        couVec3 p = {couRandomSigned(&random), couRandomSigned(&random), dimension == 3 ? couRandomSigned(&random) : 0.0f};
        add_point(cloud, couScale(0.5f * size * SPACING, p), 0);
    }
}

static inline couSurfaceDef surface_def(int field)
{
    couSurfaceDef def = couDefaultSurfaceDef();
    def.field = field;
    def.spacing = SPACING;
    def.is_blended = true;
    def.threads = 2;
    return def;
}

static inline couSurfacePoints points_of(const Cloud *cloud, int dimension)
{
    return (couSurfacePoints){.dimension = dimension,
                              .count = cloud->count,
                              .positions = cloud->positions,
                              .velocities = cloud->velocities,
                              .materials = cloud->materials};
}

static inline couSurface build_surface(const couSurfaceDef *def, const Cloud *cloud, int dimension)
{
    couFaults faults = {0};
    couSurface surface;
    couSurfacePoints points = points_of(cloud, dimension);
    bool is_good = couBuildSurface(def, &points, &surface, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_true(is_good);
    return surface;
}

// --- Meshes ------------------------------------------------------------------------------------------------------------------

typedef struct Corner {
    uint32_t at, next, last; // an element's corner and the two after it
} Corner;

static inline int compare_corners(const void *a, const void *b)
{
    const Corner *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->next < y->next ? -1 : x->next > y->next;
}

static inline couVec3 face_of(const couSurface *surface, size_t element)
{
    const uint32_t *c = surface->indices + 3 * element;
    couVec3 a = surface->vertices[c[0]];
    return couCross(couSub(surface->vertices[c[1]], a), couSub(surface->vertices[c[2]], a));
}

/// Around each vertex the triangles make one closed fan: closed, manifold and turned one way. Also in 2D: one segment comes, one
/// goes.
static inline void check_mesh(const couSurface *surface, int seed, const char *what)
{
    size_t n = (size_t)surface->dimension, count = n * surface->element_count, wrong = 0;
    Corner *corners = malloc((count + 1) * sizeof *corners);
    assert_non_null(corners);
    for (size_t c = 0; c < count; ++c) {
        const uint32_t *element = surface->indices + c / n * n;
        corners[c] = (Corner){element[c % n], element[(c + 1) % n], element[(c + n - 1) % n]};
        assert_true(corners[c].at < surface->vertex_count);
        if (n == 2 && c % 2) corners[c].next = UINT32_MAX; // the end of a segment
        wrong += corners[c].at == corners[c].next;
    }
    qsort(corners, count, sizeof *corners, compare_corners);
    size_t fans = 0;
    for (size_t begin = 0, end; begin < count; begin = end, ++fans) {
        for (end = begin; end < count && corners[end].at == corners[begin].at; ++end) {}
        if (n == 2) {
            wrong += end - begin != 2 || corners[begin].next == UINT32_MAX || corners[begin + 1].next != UINT32_MAX;
            continue;
        }
        size_t length = 0;
        uint32_t at = corners[begin].next;
        do { // from triangle (v, a, b) to that of (v, b, ...)
            Corner key = {corners[begin].at, at, 0};
            Corner *found = bsearch(&key, corners + begin, end - begin, sizeof *corners, compare_corners);
            if (!found) break;
            at = found->last, ++length;
        } while (at != corners[begin].next && length <= end - begin);
        wrong += length != end - begin;
        for (size_t c = begin + 1; c < end; ++c) wrong += corners[c].next == corners[c - 1].next;
    }
    free(corners);
    wrong += fans != surface->vertex_count; // no vertex is left over
    size_t flat = 0, turned = 0;
    for (size_t e = 0; n == 3 && e < surface->element_count; ++e) {
        couVec3 face = face_of(surface, e);
        flat += !(couDot(face, face) > 0.0f);
    }
    for (size_t v = 0; v < surface->vertex_count; ++v) {
        couVec3 normal = surface->normals[v];
        wrong += !couIsFinite3(surface->vertices[v]) || !(fabsf(couLength(normal) - 1.0f) < 1e-3f);
    }
    for (size_t e = 0; n == 3 && e < surface->element_count; ++e)
        turned += couDot(face_of(surface, e), surface->normals[surface->indices[3 * e]]) < 0.0f;
    if (wrong || flat)
        print_error("%s, seed %d: %zu wrong corners or vertices, %zu triangles without area\n", what, seed, wrong, flat);
    assert_int_equal(wrong, 0);
    assert_int_equal(flat, 0);
    CHECK_AT_MOST((double)turned, 0.2 * (double)surface->element_count, seed); // cells as large as the detail turn some
}

static inline bool is_same_surface(const couSurface *a, const couSurface *b)
{
    size_t vertices = a->vertex_count, elements = a->element_count;
    return vertices == b->vertex_count && elements == b->element_count && a->left_out == b->left_out &&
           !memcmp(a->vertices, b->vertices, vertices * sizeof *a->vertices) &&
           !memcmp(a->normals, b->normals, vertices * sizeof *a->normals) &&
           !memcmp(a->velocities, b->velocities, vertices * sizeof *a->velocities) &&
           !memcmp(a->colors, b->colors, vertices * sizeof *a->colors) &&
           !memcmp(a->nearest_ids, b->nearest_ids, vertices * sizeof *a->nearest_ids) &&
           !memcmp(a->materials, b->materials, vertices) &&
           !memcmp(a->indices, b->indices, (size_t)a->dimension * elements * sizeof *a->indices);
}
