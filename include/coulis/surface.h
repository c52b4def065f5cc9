/// Surfaces of particles: a field, cut at a level by marching cubes (triangles) or, in 2D, marching squares (segments).
///
/// The mesh is closed, manifold and turned outward wherever the field is cut, and the same bytes for any number of threads. In 2D
/// everything lies in z = 0 and `indices` holds pairs, with the matter to the left of each segment.
#pragma once

#include "coulis/params.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum couSurfaceField {
    cou_surfaceClavet,     ///< root of the sum of squared ramps [Clavet 2005, sect. 7.2]
    cou_surfaceColor,      ///< Müller's colour field [Müller 2003, eq. 15]
    cou_surfaceAnisotropic ///< kernels stretched along the surface [Yu and Turk 2013]: flat water
} couSurfaceField;

/// Fill with couDefaultSurfaceDef(), then change what you need; `spacing` must be given.
typedef struct couSurfaceDef {
    int field;     ///< couSurfaceField, default anisotropic
    float spacing; ///< of the particles at rest [m], > 0
    float radius;  ///< support h of the field [m], 1 to 4 spacings; auto: 2 spacings
    float cell;    ///< of the grid [m], independent of h; auto: a third of a spacing
    float level;   ///< at which the field is cut; auto: so that matter fills its volume
    /// Each particle weighs 1 / its density, so that one level fits a tank and a lone drop alike (default). False: Clavet's phi
    /// to the letter, every particle weighs 1; the automatic level then fits tanks, and lone particles may be too weak to show.
    bool is_normalized;
    int smoothing;   ///< rounds that move vertices but keep volume and features, 0 to 50
    bool is_blended; ///< all materials as one surface, attributes mixed; false (default): a closed surface for each material
    float max_gib;   ///< memory that the call may use [GiB]; more is refused with the estimate, before anything is done
    int threads;     ///< 0: all cores
} couSurfaceDef;

COU_API couSurfaceDef couDefaultSurfaceDef(void);
COU_API const couParamTable *couSurfaceParams(void);

/// What is meshed. Arrays are only read; those marked may be NULL. Particles at NaN or infinity are left out and counted.
typedef struct couSurfacePoints {
    int dimension; ///< 2 or 3
    size_t count;
    const couVec3 *positions;  ///< [m]
    const couVec3 *velocities; ///< [m/s], or NULL
    const uint32_t *ids;       ///< or NULL: the index
    const uint8_t *materials;  ///< or NULL: all 0
    const couVec3 *colors;     ///< per material, linear RGB, or NULL: white
    int color_count;
} couSurfacePoints;

typedef struct couSurface {
    int dimension;
    size_t vertex_count, element_count; ///< an element is a triangle, or a segment in 2D
    couVec3 *vertices;                  ///< [m]
    couVec3 *normals;                   ///< unit, outward, from the field
    couVec3 *velocities;                ///< [m/s], interpolated; for motion blur
    couVec3 *colors;                    ///< linear RGB, interpolated
    uint32_t *nearest_ids;              ///< of the nearest particle
    uint8_t *materials;                 ///< of the nearest particle; of the material itself when not blended
    uint32_t *indices;                  ///< `dimension` per element
    size_t left_out;                    ///< particles that were not finite, or too far out for floats to resolve a cell
    float radius, cell, level;          ///< as used: what was automatic is filled in [m], [m]
    // What it took; only these differ between runs.
    double field_seconds, mesh_seconds; ///< sorting and field; vertices, triangles, attributes and smoothing [s]
    size_t peak_bytes;                  ///< held at most, this surface included
} couSurface;

/// Zero particles give an empty surface. False with a fault when the def or the points are wrong, or memory is short; nothing is
/// held then. Free with couSurface_Clear().
COU_API bool couBuildSurface(const couSurfaceDef *def, const couSurfacePoints *points, couSurface *surface, couFaults *faults);
COU_API void couSurface_Clear(couSurface *surface);
/// Area [m^2] and enclosed volume [m^3] of a closed surface; in 2D length [m] and area [m^2].
COU_API double couSurface_Area(const couSurface *surface);
COU_API double couSurface_Volume(const couSurface *surface);

/// Splats: particles at the surface as oriented discs, lone ones as droplets [Müller 2003, sect. 5].
typedef struct couSplats {
    size_t count;
    uint32_t *indices; ///< of the particle
    couVec3 *normals;  ///< unit, outward; zero for a droplet
    float *radii;      ///< [m]
} couSplats;

/// Uses spacing, radius, max_gib and threads of the def. A particle is at the surface where |n| h of the colour field exceeds the
/// threshold; `threshold` <= 0: chosen so that the first layer of a lattice is and the second is not.
COU_API bool couFindSplats(const couSurfaceDef *def, const couSurfacePoints *points, float threshold, couSplats *splats,
                           couFaults *faults);
COU_API void couSplats_Clear(couSplats *splats);

#ifdef __cplusplus
}
#endif
