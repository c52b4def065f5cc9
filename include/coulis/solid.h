/// Deformable solids in a world: a mesh, an elastic model, what holds it, and what pushes it.
#pragma once

#include "coulis/solid_mesh.h"
#include "coulis/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum couSolidModel {
    cou_solidVoronoi, ///< Gauss on Voronoi regions [Debunne, sect. 4.2 to 4.4]; slowly diverges in 3D
    cou_solidCauchy,  ///< explicit finite elements, small strains [Debunne, sect. 4.5; Cotin]
    cou_solidHybrid,  ///< the same, of the Laplacian's tensor only the diagonal [Debunne, sect. 4.6]
    cou_solidGreen,   ///< explicit finite elements with the Green-Lagrange strain: may turn
    cou_solidSpring,  ///< springs along the edges
    cou_solidModelCount
} couSolidModel;

typedef enum couSpringRule {
    cou_springConstant,     ///< k = spring [N/m]
    cou_springProportional, ///< k = spring l0, spring in [N/m^2]
    cou_springInverse,      ///< k = spring / l0, spring in [N]
    cou_springVanGelder     ///< k = spring sum V / l0^2 over the cells at the edge, spring in [Pa]
} couSpringRule;

typedef enum couSolidColor {
    cou_solidColorLook,        ///< its look
    cou_solidColorStress,      ///< von Mises' stress [Pa]
    cou_solidColorStrain,      ///< von Mises' equivalent strain: 2/3 of the same formula, of the strain
    cou_solidColorDisplacement ///< how far from the rest [m]
} couSolidColor;

typedef struct couSolidDef {
    char name[COU_NAME_SIZE]; ///< unique; "" gives solid1, solid2...
    couSolidMesh *mesh;       ///< of the world's dimension; retained
    couPose pose;             ///< of the mesh at rest
    int model;                ///< couSolidModel, default green
    float density;            ///< [kg/m^3], > 0, default 1000
    float young;              ///< Young's modulus [Pa], >= 0, default 20000
    float poisson;            ///< Poisson's ratio, 0 to 0.49, default 0.4
    float lambda, mu;         ///< Lamé's coefficients [Pa], >= 0; auto: from Young and Poisson
    int rule;                 ///< couSpringRule, of the model spring; default van-gelder
    float spring;             ///< what the rule takes; auto: Young's modulus, for van-gelder alone
    float damping;            ///< time that rates of strain count for [s]: stress(strain + damping d strain/dt), >= 0, default 0
    couVec3 velocity;         ///< at the start [m/s]
    couVec3 spin;             ///< at the start, about pose.position [rad/s]; of 2D worlds z alone
    float frequency;          ///< steps a second; auto: a safe share of the stable limit
    float contact_friction;   ///< Coulomb's coefficient against bodies, >= 0, default 0.5; a pair has the geometric mean
    float restitution;        ///< bounce against bodies, 0 to 1, default 0
    float friction;           ///< of liquid on it, 0 to 1, default 0, as that of bodies
    int color_by;             ///< couSolidColor: what pictures colour it by
    float color_max;          ///< at the upper end of the colours, > 0; auto: couWorld_SolidColorMax() says what
    int color_map;            ///< couColorMap, default viridis
    couLook look;             ///< in pictures
} couSolidDef;

COU_API couSolidDef couDefaultSolidDef(void);
COU_API const couParamTable *couSolidParams(void);
/// The null handle with faults when the def is wrong: also when `frequency` is below the stable limit.
COU_API couSolidId couWorld_AddSolid(couWorld *world, const couSolidDef *def, couFaults *faults);
COU_API bool couWorld_HasSolid(const couWorld *world, couSolidId solid);
COU_API int couWorld_SolidCount(const couWorld *world);
COU_API couSolidId couWorld_SolidAt(const couWorld *world, int index); ///< null handle beyond
COU_API couSolidId couWorld_FindSolid(const couWorld *world, const char *name);
COU_API const couSolidDef *couWorld_Solid(const couWorld *world, couSolidId solid);
COU_API double couWorld_SolidStep(const couWorld *world, couSolidId solid); ///< the longest that it takes [s]

/// What holds some of a solid's points. A motion carries them: from where they are when the hold is made, as it moves from there.
typedef struct couHoldDef {
    couShape *region; ///< points inside of it, or nearer to it than a millionth of its size, as they are now
    couPose region_pose;
    couMotionFcn *motion; ///< NULL: they stay where they are
    void *motion_context;
} couHoldDef;

/// Returns how many points it holds from now on, -1 with a fault when there are none.
COU_API int couWorld_HoldSolid(couWorld *world, couSolidId solid, const couHoldDef *def, couFaults *faults);
/// Holds one point at a place [m] until it is released or held otherwise: for picking. It goes there at most at `speed` [m/s].
COU_API void couWorld_DragSolid(couWorld *world, couSolidId solid, size_t point, couVec3 place, float speed);
/// Lets go of all points inside the region; NULL: of all.
COU_API void couWorld_ReleaseSolid(couWorld *world, couSolidId solid, const couShape *region, couPose region_pose);
/// A lasting force [N] ([N/m] in 2D) on the points inside the region (NULL: all), shared by their masses, instead of what pushed
/// them before. Returns how many points there are.
COU_API int couWorld_PushSolid(couWorld *world, couSolidId solid, const couShape *region, couPose region_pose, couVec3 force);

/// Const arrays by the mesh's points, valid until the next step or change.
typedef struct couSolidView {
    const couSolidMesh *mesh;
    size_t count;
    const double *position; ///< three each [m]
    const double *velocity; ///< three each [m/s]
    const double *rest;     ///< three each [m]
    const double *mass;     ///< [kg] ([kg/m] in 2D)
} couSolidView;

COU_API couSolidView couWorld_SolidView(const couWorld *world, couSolidId solid);
/// Stress and strain of each cell: xx, yy, zz, xy, xz, yz; either may be NULL. Zero for springs.
COU_API void couWorld_CopySolidStress(const couWorld *world, couSolidId solid, float *stress, float *strain);
/// What pictures may colour by, at each point: stress and strain are the mean of the cells around it by volume; 0 for the look.
COU_API void couWorld_CopySolidValues(const couWorld *world, couSolidId solid, couSolidColor what, float *values);
/// The number at the upper end of its colours: color_max, or a tenth of Young's modulus [Pa], a strain of 0.1, a tenth of its
/// greatest length [m]. The lower end is 0.
COU_API float couWorld_SolidColorMax(const couWorld *world, couSolidId solid);
/// The surface now, for pictures and files: vertices are the mesh's points, with normals, velocities and the colours of color_by.
/// In 2D its triangles, as seen from +z (dimension 3). Free with couSurface_Clear(). False without memory.
COU_API bool couWorld_BuildSolidSurface(const couWorld *world, couSolidId solid, couSurface *surface);

typedef struct couSolidMeasurement {
    couMeasurement all;    ///< as of fluids
    double elastic_energy; ///< [J]; NaN for voronoi
    double volume;         ///< of the cells now [m^3]
    size_t inverted_count; ///< cells that are turned inside out
} couSolidMeasurement;

COU_API couSolidMeasurement couWorld_MeasureSolid(const couWorld *world, couSolidId solid);

#ifdef __cplusplus
}
#endif
