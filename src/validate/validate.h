/// Validation cases: each runs a small world, measures, and says what it should have been. A new case is a run function and a
/// line in the table of cases.c; which methods it is run for follows from what they claim.
#pragma once

#include "coulis/coulis.h"
#include "coulis/scene.h"
#include "files/plot.h"

/// One number measured, beside its reference.
typedef struct couCheck {
    const char *case_name, *method;
    char quantity[96];
    const char *unit; ///< "" when it has none
    double measured, reference;
    double tolerance; ///< relative; in the quantity's unit where that is deg or the reference is 0; 0 for limits
    bool is_reported; ///< the number is only recorded: such a check passes, and its name says so
    bool is_passed;
} couCheck;

typedef struct couChecks {
    couCheck *items;
    int count, capacity;
} couChecks;

/// One case while it runs for one method.
typedef struct couTrial {
    const char *case_name, *method;
    const couMethodTraits *traits; ///< of the method; set when the case begins
    bool is_reported;              ///< the method makes no claim here: checks are recorded and cannot fail; set likewise
    int threads;
    const couOverride *sets; ///< `set_count` parameters of methods for every world, "pvfs.kernel" and its text
    int set_count;
    bool is_small;                             ///< a reduced set-up for the test suite, with the same tolerances
    const char *plots;                         ///< folder for SVG files, or NULL
    void (*show)(void *context, double share); ///< how much of the case is done, 0 to 1; NULL: nobody looks
    bool (*is_stopped)(void *context);         ///< asked after each step: true ends the case with a fault; NULL: never
    void *context;                             ///< of both
    couChecks *checks;
    couFaults faults; ///< what kept it from being finished; a trial with faults has failed
} couTrial;

typedef void couCaseFcn(couTrial *trial);

typedef struct couCase {
    const char *name;
    couClaim claim;   ///< it is run for the methods that make it, and for those that report it
    const char *help; ///< one line
    couCaseFcn *run;
    const char *const *models; ///< of solids, NULL-terminated: it is run for these instead of methods; NULL: a case of fluids
} couCase;

/// The table, `count` of them.
const couCase *couCases(int *count);
/// Their names, NULL-terminated.
const char *const *couCaseNames(void);
/// What it may be run for, NULL-terminated: all methods, or the models of solids.
const char *const *couCase_Methods(const couCase *which);
/// True when the method claims or reports what the case looks at, or is one of its models.
bool couCase_Suits(const couCase *which, const char *method);
/// The method of the smallest density error among those that claim it and state one: what others are compared with. NULL: none.
const char *couMostAccurateMethod(couClaim claim);
/// Runs a case for one method; checks are appended. False when it could not be finished (faults say why).
bool couRunCase(const couCase *which, couTrial *trial);

// --- Checks: the quantity is a format ----------------------------------------------------------------------------------------

/// |measured - reference| <= tolerance * |reference|; absolute when the reference is 0 or the unit is deg.
void couTrial_Within(couTrial *trial, double measured, double reference, double tolerance, const char *unit, const char *quantity,
                     ...) __attribute__((format(printf, 6, 7)));
/// Limits; the tolerance of such a check is 0 and its name says "at least" or "at most".
void couTrial_AtLeast(couTrial *trial, double measured, double limit, const char *unit, const char *quantity, ...)
    __attribute__((format(printf, 5, 6)));
void couTrial_AtMost(couTrial *trial, double measured, double limit, const char *unit, const char *quantity, ...)
    __attribute__((format(printf, 5, 6)));

/// A number of interest that has no limit; it passes. Without a reference: NAN.
void couTrial_Report(couTrial *trial, double measured, double reference, const char *unit, const char *quantity, ...)
    __attribute__((format(printf, 5, 6)));

// --- Worlds ------------------------------------------------------------------------------------------------------------------

/// A def for this trial's method and threads, without gravity.
couWorldDef couTrial_WorldDef(const couTrial *trial, int dimension, float spacing);
/// NULL with the trial's faults when the def is wrong.
couWorld *couTrial_CreateWorld(couTrial *trial, const couWorldDef *def);
/// Sets a parameter of the method by name.
bool couTrial_Set(couTrial *trial, couWorld *world, const char *name, const char *text);
couMaterialId couTrial_AddMaterial(couTrial *trial, couWorld *world, const couMaterialDef *def);
/// Adds a box of fluid, jittered; returns the number of particles.
int64_t couTrial_FillBox(couTrial *trial, couWorld *world, couMaterialId material, couVec3 center, couVec3 size, float jitter);
couBodyId couTrial_AddPlane(couTrial *trial, couWorld *world, const char *name, couVec3 at, couVec3 normal);
couBodyId couTrial_AddBox(couTrial *trial, couWorld *world, const char *name, couVec3 center, couVec3 size);
/// One step or an advance (dt <= 0: the method's own steps). False, with faults, after NaN, lost particles or an interrupt.
bool couTrial_Advance(couTrial *trial, couWorld *world, double seconds);
bool couTrial_Step(couTrial *trial, couWorld *world, float dt);
/// `share` of the whole case is done, 0 to 1.
void couTrial_Show(couTrial *trial, double share);
/// Moves every particle by the function and stops it: a kinematic strain, through a saved state.
typedef couVec3 couMoveFcn(const void *context, couVec3 position);
bool couTrial_Move(couTrial *trial, couWorld *world, couMoveFcn *move, const void *context);

// --- Records -----------------------------------------------------------------------------------------------------------------

/// A growing table of numbers for plots and fits: `columns` of them a row.
typedef struct couRecord {
    int columns;
    int count, capacity;
    double *values[8];
} couRecord;

couRecord couMakeRecord(int columns);
void couRecord_Add(couRecord *record, const double *row);
void couRecord_Clear(couRecord *record);
/// Writes DIR/CASE-METHOD[-PART].svg when plots are wanted, then destroys the plot.
void couTrial_WritePlot(couTrial *trial, couPlot *plot, const char *part);

/// A damped cosine: exp(-rate t) (c0 cos(omega t) + c1 sin(omega t)) + c2.
typedef struct couSwing {
    double omega, rate; ///< [1/s]
    double c[3];
    double error; ///< sum of squared distances to what it was fitted to
} couSwing;

/// The best by least squares, with a frequency of 0.3 to 1.8 times `omega` and a rate of 0 to 0.4 times that.
couSwing couFitSwing(const double *t, const double *x, int count, double omega);
double couSwing_At(const couSwing *swing, double t);
/// Least squares for x = c[0] + c[1] t + c[2] t^2; all NAN where the points do not decide it.
void couFitParabola(const double *t, const double *x, int count, double c[3]);
/// Mean of |psi_6| in the plane, psi_6 the mean of exp(6 i angle) over a particle's six nearest others: 1 for hexagons. Only
/// particles farther than `margin` from the bounds of all are counted.
double couHexaticOrder(const couVec4 *positions, size_t count, double margin);

/// Speed at which a ball settles in an endless liquid, by the drag of Schiller and Naumann [m/s]; SI units.
double couSettlingSpeed(double diameter, double ball, double liquid, double viscosity);

/// Uniform in -1 to 1, a fixed sequence for each seed.
double couNoise(uint64_t *seed);

// --- Cases -------------------------------------------------------------------------------------------------------------------

couCaseFcn couValidateHydrostatic, couValidateDamBreak, couValidateDrop, couValidateFilms, couValidateClustering,
    couValidateRelaxation, couValidateRecovery, couValidateTerminal, couValidateConservation, couValidateArchimedes,
    couValidateBalls;
couCaseFcn couValidateDropMode; ///< drop, for the SPH methods
couCaseFcn couValidatePoiseuille, couValidateCouette, couValidateTaylorGreen;
couCaseFcn couValidateHangingCube, couValidateCantilever, couValidateRotation; ///< of solids
couCaseFcn couValidateWave, couValidateShear, couValidateFilm, couValidateHeld, couValidateJet, couValidateSettling,
    couValidateLevitation;
