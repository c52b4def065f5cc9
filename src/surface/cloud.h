/// The particles of one surface as a cloud of kernels, sorted by place, and the field that they add up to.
///
/// All fields are F(x) = sum_j w_j K(q_j), with the shape K = (1 - q)^2 (Clavet) or (1 - q^2)^3 (Müller's poly6 without its
/// factor), and w_j = 1 / s_j, where s_j is the same sum at particle j over all particles, itself included: the density in units
/// of one lone particle, so that F is 1 at the centre of a lone particle and near 1 inside of a liquid. In Müller's terms w_j W
/// is m_j / rho_j W, and factors of the kernel cancel. Clavet's phi is the root of F.
#pragma once

#include "base/parallel.h"
#include "base/wide.h"
#include "coulis/surface.h"
#include "particles/grid.h"

enum {
    cou_brickNodes = 8,                  // along an edge; one wide row
    cou_brickCells = cou_brickNodes - 1, // bricks share their outer nodes
    cou_nearColumns = 14,
};

/// What a wide loop needs to know of the field.
typedef struct couFieldShape {
    couSurfaceField kind;
    float h; ///< support [m]
    float inv_h;
} couFieldShape;

/// Most that a kernel is stretched along one of its axes.
#define COU_MAX_STRETCH 1.4f

/// How anisotropic kernels are made; lengths in spacings where not said otherwise.
typedef struct couStretch {
    float sum_radius;  ///< of the neighbourhood that is looked at [m]
    float lone_size;   ///< of the kernel of a lone particle, 1: like the others
    float full_weight; ///< sum of weights from which on a neighbourhood counts as whole
    float max_shift;   ///< of a centre [m]
} couStretch;

typedef struct couCloud {
    couMemory *memory;
    const couParallel *parallel;
    couIsa isa;
    int dimension;
    couFieldShape shape;
    couStretch stretch;
    float cell;     ///< of the field's grid [m]
    float level;    ///< of F, the square of Clavet's
    float reach;    ///< kernels end within it of their particle [m]
    int bin_bricks; ///< bricks along the edge of a bin of `grid`
    size_t count;
    size_t left_out;
    couTable table;
    couGrid grid;    ///< bins
    couVec4 *center; ///< of the kernels [m], and their weight w
    uint32_t *index; ///< of the particle in the points
    couVec4 *home;   ///< position [m] and radius of the kernel [m]; anisotropic only, else NULL
    couVec4
        *metric; ///< two per kernel: q^2 = a xx + 2 b xy + 2 c xz + d yy + 2 e yz + f zz, as (a, b, c, d), (e, f, 0, 0); likewise
} couCloud;

/// Sorts the points of one material (-1: all) and weighs them. False with a fault.
bool couCloud_Build(couCloud *cloud, const couSurfaceDef *def, const couSurfacePoints *points, int material, couFaults *faults);
void couCloud_Free(couCloud *cloud);
/// Makes kernels anisotropic [Yu and Turk 2013]; the cloud is sorted, its weights are not yet known. False without memory.
bool couCloud_Stretch(couCloud *cloud);

/// Sums over a neighbourhood, weights 1 - (r/R)^3, offsets from the particle [m].
typedef struct couMoments {
    float weight;
    float first[3];
    float second[6]; ///< xx, xy, xz, yy, yz, zz
} couMoments;
/// The stretch S of a kernel from its neighbourhood: kernel radius h S along its axes; returns the amplitude that keeps its
/// integral.
float couStretchFrom(const couMoments *moments, const couStretch *stretch, int dimension, float matrix[6]);

/// How far the centre of a kernel lies from its particle [m].
couVec3 couCenterShift(const couMoments *moments, const couStretch *stretch);
/// q^2 = x . metric x for a kernel of that stretch, and the radius beyond which it is zero [m].
void couMetricFrom(const float matrix[6], float h, couVec4 metric[2], float *radius);

/// False with faults when the def or the points are wrong.
bool couCheckSurfaceInput(const couSurfaceDef *def, const couSurfacePoints *points, couFaults *faults);
/// |n| h of the colour field between those of the first and the second layer of a lattice.
float couSplatThreshold(const couSurfaceDef *def, int dimension);
/// Fills in what is automatic: radius, cell, level, and how kernels are stretched.
void couResolveSurfaceDef(couSurfaceDef *def, int dimension, couStretch *stretch);

// --- Kernels near a box ------------------------------------------------------------------------------------------------------

/// A worker's list of the kernels that reach into a box, as columns, padded to a multiple of COU_WIDTH with kernels of no weight.
typedef struct couNear {
    couMemory *memory;
    float *x, *y, *z, *w;
    float *radius;          ///< [m]; only for anisotropic kernels, like the following
    float *metric[6];       ///< a to f
    float *home[3];         ///< where the particles are
    uint32_t *index;        ///< in the cloud
    size_t count, capacity; ///< without padding
    size_t stride;          ///< from column to column: x, y, z, w, radius, metric, home
    couRows rows;
    char pad[64]; ///< workers do not share cache lines
} couNear;

/// Those of `from` that reach into a smaller box, in the same order. False without memory.
bool couNear_Narrow(couNear *near, const couNear *from, const couCloud *cloud, const couBounds *box);
/// All kernels that may be nonzero within `margin` of the box; the box lies within one bin, whose coordinates are given. False
/// without memory.
bool couNear_Gather(couNear *near, const couCloud *cloud, const int32_t bin[3], couVec3 lower, couVec3 upper, float margin);
void couNear_Free(couNear *near);
couNear *couCreateNears(const couCloud *cloud); ///< one per worker; NULL without memory
void couFreeNears(const couCloud *cloud, couNear *nears);
/// The box around the centres of a bin's kernels.
couBounds couBoundBin(const couCloud *cloud, size_t bin);

/// The nodes of a brick. Coordinates are those of the whole grid, so that bricks agree to the bit about the nodes they share.
typedef struct couBrick {
    float x[cou_brickNodes], y[cou_brickNodes], z[cou_brickNodes]; ///< [m]
    int layers;                                                    ///< along z: 8, or 1 in 2D
    float cell;                                                    ///< [m]
} couBrick;

typedef struct couSample {
    float value;       ///< F
    float gradient[3]; ///< of F [1/m]
} couSample;

/// Appends the kernels of a range that reach the box to the list, which has room for all and COU_WIDTH more.
COU_DECLARE_WIDE(void, couGatherRange, couNear *near, const couCloud *cloud, const couRange *range, const couBounds *box,
                 float margin);
/// The same from another list, with all columns; `margin` is the radius of round kernels.
COU_DECLARE_WIDE(void, couGatherPart, couNear *near, const couNear *from, bool is_stretched, const couBounds *box, float margin);
/// F at the nodes of a brick, x fastest; returns in bits[k] which nodes of layer k are at the level or above, bit y * 8 + x.
COU_DECLARE_WIDE(void, couEvaluateBrick, const couNear *near, const couFieldShape *shape, const couBrick *brick, float level,
                 float *field, uint64_t *bits);
/// F is nowhere in the box larger than this.
COU_DECLARE_WIDE(float, couBoundField, const couNear *near, const couFieldShape *shape, const couBounds *box);
COU_DECLARE_WIDE(couSample, couSampleField, const couNear *near, const couFieldShape *shape, couVec3 p);
/// Terms w K of F at a point, for those that are not zero: returns how many, with their rows in the list.
COU_DECLARE_WIDE(int, couListTerms, const couNear *near, const couFieldShape *shape, couVec3 p, uint32_t *rows, float *terms);
/// Sum of K at a point, without weights.
COU_DECLARE_WIDE(float, couSumKernels, const couNear *near, const couFieldShape *shape, couVec3 p);
COU_DECLARE_WIDE(void, couSumMoments, const couNear *near, float radius, couVec3 p, couMoments *moments);
/// Row of the list whose particle is nearest to the point, the first of equals.
COU_DECLARE_WIDE(uint32_t, couFindNearest, const couNear *near, couVec3 p);
