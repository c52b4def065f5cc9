/// Shared by the tests of solids: meshes of all kinds.
#pragma once

#include "testing.h"

#include "base/random.h"
#include "soft/operators.h"

static inline couMesh *shape_surface(couShapeDef def, float spacing)
{
    couFaults faults = {0};
    couShape *shape = couCreateShape(&def, &faults);
    couSurface surface = {0};
    couShape_BuildSurface(shape, 3, 0, (couBounds){{-9, -9, -9}, {9, 9, 9}}, &surface, &faults);
    couMesh *fine = couCreateMesh(surface.vertices, surface.vertex_count, surface.indices, surface.element_count, &faults);
    couMesh *mesh = couResampleMesh(fine, spacing, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(mesh);
    couMesh_Release(fine);
    couSurface_Clear(&surface);
    couShape_Release(shape);
    return mesh;
}

static inline couSolidMesh *filled_shape(couShapeDef def, float spacing)
{
    couFaults faults = {0};
    couMesh *surface = shape_surface(def, spacing);
    couSolidMesh *mesh = couFillSolidMesh(surface, spacing, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(mesh);
    couMesh_Release(surface);
    return mesh;
}

static inline couSolidMesh *regular_box(int dimension, float size, int across)
{
    couFaults faults = {0};
    couSolidMesh *mesh = couCreateBoxSolidMesh(dimension, (couVec3){size, size, size}, (int[3]){across, across, across}, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(mesh);
    return mesh;
}

static inline couSolidMesh *debunne_cube(int level)
{
    couFaults faults = {0};
    couSolidMesh *mesh = couCreateDebunneCube(0.1f, level, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(mesh);
    return mesh;
}

// A square with a corner cut out, filled with nearly equal triangles.
static inline couSolidMesh *flat_mesh(float spacing)
{
    const couVec3 points[] = {{0, 0, 0}, {1, 0, 0}, {1, 0.5f, 0}, {0.5f, 0.5f, 0}, {0.5f, 1, 0}, {0, 1, 0}};
    const uint32_t segments[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};
    couFaults faults = {0};
    couSolidMesh *mesh = couFillSolidMesh2(points, 6, segments, 6, spacing, &faults);
    CHECK_NO_FAULTS(&faults);
    assert_non_null(mesh);
    return mesh;
}

static inline couRegions regions_of(const couSolidMesh *mesh)
{
    couFaults faults = {0};
    couRegions regions;
    assert_true(couRegions_Build(&regions, mesh, &faults));
    CHECK_NO_FAULTS(&faults);
    return regions;
}

// Points on the surface.
static inline bool *surface_points(const couSolidMesh *mesh)
{
    bool *is_outer = calloc(mesh->point_count, sizeof *is_outer);
    for (size_t k = 0; k < mesh->face_count * (size_t)mesh->dimension; ++k) is_outer[mesh->faces[k]] = true;
    return is_outer;
}
