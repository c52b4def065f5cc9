/// Elastic forces on the points of a mesh by one of the five models, and the stable step that goes with them.
#pragma once

#include "base/parallel.h"
#include "coulis/solid.h"
#include "soft/cell_forces.h"
#include "soft/regions.h"

typedef struct couElasticDef {
    couSolidModel model;
    double lambda, mu; ///< Lamé's [Pa]
    couSpringRule rule;
    double spring;  ///< what the rule takes
    double damping; ///< time that rates of strain count for [s]: stress(strain + damping d strain/dt), >= 0
} couElasticDef;

/// A cell at rest.
typedef struct couElement {
    couDouble3 gradient[3]; ///< of the functions of corners 1 to 3 [1/m]; that of corner 0 is less their sum
    double volume;          ///< [m^3]
} couElement;

/// One term of a point's force.
typedef struct couLink {
    uint32_t other; ///< point
    float rest;     ///< length at rest [m], springs
    double weight;  ///< area / length [m], or stiffness [N/m]
} couLink;

typedef struct couElastic {
    couMemory *memory;
    const couSolidMesh *mesh; ///< must outlive it
    couElasticDef def;
    couElement *elements;               ///< voronoi
    couCellForces cells;                ///< finite elements
    double *divergences;                ///< voronoi: of each cell
    uint32_t *link_start, *piece_start; ///< of each point
    couLink *links;                     ///< voronoi, spring
    couPiece *pieces;                   ///< voronoi
} couElastic;

/// What forces follow from, in one frame; the rest is the mesh, turned as couElastic_Turn() was told and moved by anything.
typedef struct couElasticState {
    const couDouble3 *rest;     ///< [m]
    const couDouble3 *position; ///< [m]
    const couDouble3 *velocity; ///< [m/s]; may be NULL without damping
} couElasticState;

/// `regions` are needed by voronoi alone, others may give NULL. False with a fault.
bool couElastic_Build(couElastic *elastic, couMemory *memory, const couSolidMesh *mesh, const couRegions *regions,
                      const couElasticDef *def, couFaults *faults);
void couElastic_Free(couElastic *elastic);
/// The rest is turned by this, as that of a solid at a pose is.
void couElastic_Turn(couElastic *elastic, couQuat rotation);
/// Forces of all points [N] ([N/m] in 2D), the same bits for any number of threads.
void couElastic_Forces(couElastic *elastic, const couParallel *parallel, couElasticState state, couDouble3 *forces);
/// Elastic energy [J]; NaN for voronoi, which has none: its grad div is not symmetric.
double couElastic_Energy(const couElastic *elastic, couElasticState state);
/// Largest angular frequency of small oscillations about the rest with these masses [rad/s], by iteration, a little too large.
/// NaN without memory.
double couElastic_MaxFrequency(couElastic *elastic, const couParallel *parallel, const couDouble3 *rest, const double *masses);
/// The longest stable step of modified Euler for an oscillation of this frequency with this damping [s].
double couStableStep(double frequency, double damping);

/// Stress of a cell [Pa]: xx, yy, zz, xy, xz, yz (Cauchy's), and its strain likewise (Green's for green). Zero for springs.
void couElastic_Stress(const couElastic *elastic, couElasticState state, size_t cell, double stress[6], double strain[6]);
double couVonMises(const double stress[6]); ///< [Pa]
