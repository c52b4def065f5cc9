/// Gauges: what is measured while a world runs. Pressure, velocity and density at points and along lines, the level of the
/// liquid, what flows through a window, forces on bodies and pieces of them, means and sums over regions, and numbers of
/// one's own.
///
/// A gauge takes its value at the end of the first step that is not before its time; steps are not cut for it, so a world moves
/// by the same bits with and without gauges. Values are those of that moment, but for flow, force and torque: those are means
/// since the value before, to which every step adds. What a gauge holds is in the world's state.
#pragma once

#include "coulis/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct couGaugeId {
    uint16_t index1, generation;
} couGaugeId;

typedef enum couGaugeWhat {
    cou_gaugePressure, ///< [Pa]; NaN for methods without pressures
    cou_gaugeVelocity, ///< [m/s], a vector
    cou_gaugeSpeed,    ///< [m/s]
    cou_gaugeDensity,  ///< [kg/m^3]
    cou_gaugeLevel,    ///< of a line: way from its first point to where the liquid ends [m]
    cou_gaugeFlow,     ///< through a polygon [m^3/s], and the volume since the beginning [m^3]
    cou_gaugeForce,    ///< of the liquid on a body or a piece of it [N]
    cou_gaugeTorque,   ///< likewise [N m], about what couWorld_BodyTorque() says
    cou_gaugeVolume,   ///< of the liquid in a region, at rest density [m^3]
    cou_gaugeMass,     ///< likewise [kg]
    cou_gaugeEnergy,   ///< kinetic energy of the liquid in a region [J]
    cou_gaugeRecorded  ///< what couWorld_Record() was given; made by it alone
} couGaugeWhat;

/// Where it measures: the one place of the def that is set.
typedef enum couGaugePlace {
    cou_gaugeAtPoint,
    cou_gaugeAlongLine,
    cou_gaugeAcrossPolygon,
    cou_gaugeInRegion,
    cou_gaugeOnBody
} couGaugePlace;

typedef enum couGaugeStat {
    cou_gaugeMean, ///< by volume
    cou_gaugeMin,
    cou_gaugeMax,
    cou_gaugeSum ///< over the volume: [unit m^3]
} couGaugeStat;

#define COU_GAUGE_CORNERS 32        ///< of a polygon
#define COU_GAUGE_POINTS 1000       ///< of a profile
#define COU_MAX_GAUGE_COLUMNS 20000 ///< of all gauges of a world
#define COU_COLUMN_NAME_SIZE (COU_NAME_SIZE + 24)

typedef struct couGaugeDef {
    char name[COU_NAME_SIZE]; ///< unique, also among gauges that were removed; "" gives gauge1, gauge2...
    int what;                 ///< couGaugeWhat, default pressure
    int place;                ///< couGaugePlace, default a point
    double every;             ///< [s], 1e-6 to 1e9, default 0.01
    /// Of a point the first; of a line its two ends; of a polygon 3 to COU_GAUGE_CORNERS in a plane, seen counter-clockwise from
    /// where the flow is positive; in 2D a segment, crossed from its left to its right [m].
    couVec3 corners[COU_GAUGE_CORNERS];
    int corner_count;
    int points;      ///< of a profile, at equal distances from end to end, 2 to COU_GAUGE_POINTS, default 11
    int stat;        ///< couGaugeStat, of a region; default mean; volume, mass and energy are sums
    couShape *shape; ///< region, or piece of a body: only samples, or touching particles, inside of it count; retained
    couPose pose;    ///< of the shape; a piece moves with its body from where both are when the gauge is added
    couBodyId body;  ///< of force and torque
} couGaugeDef;

COU_API couGaugeDef couDefaultGaugeDef(void);
/// Name, what, every, points and stat; the place is not a parameter.
COU_API const couParamTable *couGaugeParams(void);
COU_API couGaugeId couWorld_AddGauge(couWorld *world, const couGaugeDef *def, couFaults *faults);
/// Its columns stay, as NaN from now on.
COU_API void couWorld_RemoveGauge(couWorld *world, couGaugeId gauge);
COU_API bool couWorld_HasGauge(const couWorld *world, couGaugeId gauge);
COU_API int couWorld_GaugeCount(const couWorld *world); ///< of those that are there, recorded ones with them
COU_API couGaugeId couWorld_GaugeAt(const couWorld *world, int index);
COU_API couGaugeId couWorld_FindGauge(const couWorld *world, const char *name);
COU_API const couGaugeDef *couWorld_Gauge(const couWorld *world, couGaugeId gauge);

/// A number of one's own under a name: a column that begins with its first value. False with a fault for a bad name, or one that
/// a gauge has.
COU_API bool couWorld_Record(couWorld *world, const char *name, double value, couFaults *faults);

/// The numbers that were measured last: returns how many the gauge has, of which at most `capacity` are copied. NaN before the
/// first, and where there is nothing to measure: no liquid (a pressure is 0 there), a body that is gone.
COU_API int couWorld_GaugeValues(const couWorld *world, couGaugeId gauge, double *values, int capacity);
COU_API double couWorld_GaugeTime(const couWorld *world, couGaugeId gauge); ///< when that was [s]; NaN: not yet

// --- As a table --------------------------------------------------------------------------------------------------------------

/// One number of a gauge: "p1", "p1_support", "wind_x", "profile_7"...
typedef struct couGaugeColumn {
    char name[COU_COLUMN_NAME_SIZE];
    char unit[16];
    couGaugeId gauge; ///< null where that was removed
    bool is_quality;  ///< says how good the gauge's other numbers are
} couGaugeColumn;

/// All gauges' columns in the order in which they were added. Ones that were removed stay; new ones come at the end.
COU_API int couWorld_GaugeColumnCount(const couWorld *world);
COU_API couGaugeColumn couWorld_GaugeColumnAt(const couWorld *world, int index); ///< without a name beyond

/// What was measured during the last couWorld_Advance(), or step: a row for each time at which some gauge had a value; NaN for
/// those that had none then. Valid until the world is stepped or changed.
typedef struct couGaugeRows {
    int count, column_count;
    const double *time;   ///< [s], ascending
    const double *values; ///< row by row
    bool is_last_open; ///< the last row is of this very moment: an event may still add to it, and the next advance has it again
} couGaugeRows;

COU_API couGaugeRows couWorld_GaugeRows(const couWorld *world);

/// Force and torque of the liquid on the body in the last step alone [N], [N m]; couWorld_BodyForce() is the mean of an advance.
COU_API couVec3 couWorld_BodyStepForce(const couWorld *world, couBodyId body);
COU_API couVec3 couWorld_BodyStepTorque(const couWorld *world, couBodyId body);

#ifdef __cplusplus
}
#endif
