/// Surfaces whose numbers follow from the vertex's number: a sphere of triangles and, in 2D, a ring of two loops.
/// tests/read_surfaces.py has the same formulas.
#pragma once

#include "base/base.h"
#include "coulis/surface.h"
#include "coulis/surface_file.h"

static inline void allocate_surface(couSurface *s, int dimension, size_t vertices, size_t elements)
{
    *s = (couSurface){.dimension = dimension, .vertex_count = vertices, .element_count = elements};
    s->vertices = couAlloc(NULL, vertices * sizeof *s->vertices);
    s->normals = couAlloc(NULL, vertices * sizeof *s->normals);
    s->velocities = couAlloc(NULL, vertices * sizeof *s->velocities);
    s->colors = couAlloc(NULL, vertices * sizeof *s->colors);
    s->nearest_ids = couAlloc(NULL, vertices * sizeof *s->nearest_ids);
    s->materials = couAlloc(NULL, vertices * sizeof *s->materials);
    s->indices = couAlloc(NULL, elements * (size_t)dimension * sizeof *s->indices);
    for (size_t i = 0; i < vertices; ++i) {
        s->velocities[i] = (couVec3){(float)i * 0.25f, -1.0f, (float)(i % 8) * 0.5f};
        s->colors[i] = (couVec3){couFloorInt((float)i / 2.0f) % 2 == 0 ? 0.0f : 1.0f, 0.0f, 1.0f};
        s->nearest_ids[i] = 4000000000u + (uint32_t)i;
        s->materials[i] = (uint8_t)(i % 2);
    }
}

/// Radius 0.5 m about (0.25, 1, 0): `rings` rows of `2 rings` vertices between the poles, closed and outward.
static inline void make_sphere_surface(couSurface *s, int rings)
{
    int around = 2 * rings;
    allocate_surface(s, 3, (size_t)(rings * around + 2), (size_t)(2 * rings * around));
    size_t last = s->vertex_count - 1, element = 0;
    s->normals[last - 1] = (couVec3){0, -1, 0};
    s->normals[last] = (couVec3){0, 1, 0};
    for (int i = 0; i < rings; ++i)
        for (int j = 0; j < around; ++j) {
            double polar = COU_PI * (i + 1) / (rings + 1), turn = 2 * COU_PI * j / around;
            s->normals[i * around + j] = (couVec3){(float)(sin(polar) * cos(turn)), (float)-cos(polar),
                                                   (float)(sin(polar) * sin(turn))};
        }
    for (size_t i = 0; i <= last; ++i) s->vertices[i] = couMulAdd((couVec3){0.25f, 1, 0}, 0.5f, s->normals[i]);
    for (int j = 0; j < around; ++j) {
        uint32_t next = (uint32_t)((j + 1) % around), here = (uint32_t)j, top = (uint32_t)((rings - 1) * around);
        const uint32_t caps[6] = {(uint32_t)last - 1, here, next, (uint32_t)last, top + next, top + here};
        memcpy(s->indices + 3 * element, caps, sizeof caps);
        element += 2;
        for (int i = 0; i + 1 < rings; ++i) {
            uint32_t low = (uint32_t)(i * around), high = low + (uint32_t)around;
            const uint32_t quad[6] = {low + here, high + here, low + next, low + next, high + here, high + next};
            memcpy(s->indices + 3 * element, quad, sizeof quad);
            element += 2;
        }
    }
}

/// Radius 1 m with a hole of 0.5 m, `count` segments each; the matter to the left.
static inline void make_ring_surface(couSurface *s, int count)
{
    allocate_surface(s, 2, 2 * (size_t)count, 2 * (size_t)count);
    for (int i = 0; i < 2 * count; ++i) {
        bool is_hole = i >= count;
        double turn = 2 * COU_PI * (i % count) / count;
        couVec3 out = {(float)cos(turn), (float)sin(turn), 0};
        uint32_t base = is_hole ? (uint32_t)count : 0, next = base + (uint32_t)((i % count + 1) % count);
        s->vertices[i] = couScale(is_hole ? 0.5f : 1.0f, out);
        s->normals[i] = couScale(is_hole ? -1.0f : 1.0f, out);
        s->materials[i] = 1;
        s->indices[2 * i] = is_hole ? next : (uint32_t)i;
        s->indices[2 * i + 1] = is_hole ? (uint32_t)i : next;
    }
}
