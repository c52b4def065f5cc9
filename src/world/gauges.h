/// The gauges of a world: what they hold between steps, and how they take their values.
#pragma once

#include "base/slots.h"
#include "coulis/gauge.h"
#include "world/gauge_cloud.h"

typedef struct couGauge {
    couSlot slot;
    couGaugeDef def;
    int first_column, column_count;
    double next;   ///< when it is due [s]; infinite where only couWorld_Record() says so
    double since;  ///< when its sums began [s]
    double last;   ///< when its values were taken [s]; NaN: never
    double total;  ///< volume that flowed through since the beginning [m^3]
    double sum[6]; ///< volume, or impulse and its moment, since `since`
    int patch;     ///< index of its couBodies.patches, -1: all of the body
} couGauge;

/// A particle near a polygon when a step began.
typedef struct couCrosser {
    couVec3 x;
    uint32_t id;
    float volume; ///< [m^3]
} couCrosser;

typedef struct couGauges {
    COU_ARRAY(couGauge) list;        ///< removed ones keep their places, for the sake of their columns
    COU_ARRAY(double) values;        ///< last ones, of all columns
    COU_ARRAY(double) times;         ///< of the rows [s]
    COU_ARRAY(double) rows;          ///< values.count numbers each
    COU_ARRAY(couCrosser) crossers;  ///< scratch of the step: near each polygon, by id
    COU_ARRAY(size_t) crosser_start; ///< per gauge, and one more
    int flow_count;                  ///< gauges that look at every step's ways
    couVicinity near;                ///< scratch
} couGauges;

// --- What is measured (gauge_values.c) ---------------------------------------------------------------------------------------

/// The gauge's columns; `index` from 0 to its count - 1. Without gauge handle.
int couCountGaugeColumns(const couGaugeDef *def, int dimension);
couGaugeColumn couDescribeGaugeColumn(const couGaugeDef *def, int dimension, int index);
/// Values of a cloud as it is: of points, lines and regions. False without memory.
bool couMeasureGauge(const couGaugeDef *def, const couGaugeCloud *cloud, couVicinity *near, double *values);
/// The signed volume that crosses the polygon when particles go straight from `before`, sorted by id, to where the cloud has them
/// now. `reach` is how far from it they are looked for [m].
double couMeasureCrossing(const couGaugeDef *def, const couGaugeCloud *cloud, const couCrosser *before, size_t count,
                          float reach);
/// Those near the polygon, appended to the array and sorted by id. False without memory.
bool couFindCrossers(const couGaugeDef *def, const couGaugeCloud *cloud, float reach, couCrosser **items, size_t *count,
                     size_t *capacity);
/// Twice its area long, out of the side from which it is seen counter-clockwise.
couVec3 couPolygonNormal(const couVec3 *corners, int count);
/// Names of couGaugeWhat, couGaugeStat and couGaugePlace, NULL at the end.
extern const char *const couGaugeWhatNames[], *const couGaugeStatNames[], *const couGaugePlaceNames[];

// --- Checks (gauge_defs.c) ---------------------------------------------------------------------------------------------------

/// What can be said without a world: false with faults.
bool couCheckGauge(const couGaugeDef *def, int dimension, couFaults *faults);

// --- In the step (gauges.c) --------------------------------------------------------------------------------------------------

void couFreeGauges(couWorld *world);
void couDropGauge(couWorld *world, couGauge *gauge);
void couBeginGaugeRows(couWorld *world); ///< at the beginning of an advance: rows of before go
/// Before the particles move: who may cross a polygon. False without memory.
bool couWatchCrossers(couWorld *world);
/// After a step: adds to sums; takes the values that are due. False without memory.
bool couTakeGauges(couWorld *world);

// --- State (gauge_state.c) ---------------------------------------------------------------------------------------------------

/// No arrays at all where there are no gauges.
bool couGauges_Save(const couWorld *world, couState *state);
bool couGauges_CheckSaved(const couWorld *world, const couState *state, couFaults *faults);
bool couGauges_Load(couWorld *world, const couState *state, couFaults *faults);
/// Room for the columns of a gauge that is added, and the column of a recorded one; used by couWorld_Record() and on loading.
couGauge *couAddRecorded(couWorld *world, const char *name, couFaults *faults);
/// The row of this moment from the last values, after a state was loaded. False without memory.
bool couReopenGaugeRow(couWorld *world);
