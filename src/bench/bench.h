/// Benchmarks: cases, what one run of a case measured, and what the machine can do at best.
#pragma once

#include "coulis/coulis.h"

typedef struct couBenchResult couBenchResult;

typedef struct couBenchCase {
    const char *name, *help;
    const char *method; ///< unless --method says otherwise
    double seconds;     ///< simulated while the clock runs [s]
    /// Builds the world; NULL with faults.
    couWorld *(*create)(const char *method, int threads, couFaults *faults);
    /// Of cases that are no world, instead of `create`: measures by itself, sets seconds and note.
    bool (*measure)(int threads, couBenchResult *result, couFaults *faults);
} couBenchCase;

/// The cases; `count` of them.
const couBenchCase *couBenchCases(int *count);

struct couBenchResult {
    const couBenchCase *test;
    char method[COU_NAME_SIZE];
    uint64_t particles, steps;
    int threads;
    double seconds, simulated_seconds;
    uint64_t iterations, divergence_iterations;
    double density_error_mean;
    double ns_per_particle_step, bytes_per_particle;
    double phase_ns[cou_phaseCount]; ///< per particle-step
    double pairs;                    ///< neighbour entries per particle
    double springs;                  ///< per particle, at the end
    char note[256];                  ///< of a case that is no world: what its seconds are; else ""
};

/// The distance grid of a mesh, made and read back from a cache.
bool couBenchDistanceGrid(int threads, couBenchResult *result, couFaults *faults);
/// The surface of a block and a splash, Clavet's field with cells of h/4.
bool couBenchSurface100k(int threads, couBenchResult *result, couFaults *faults);
bool couBenchSurface1m(int threads, couBenchResult *result, couFaults *faults);

/// Positions of water 1 cm apart: nine tenths in a block twice as wide as high, a little shaken, the rest as drops and spray in
/// the air above it. Free with free(); NULL without memory.
couVec3 *couMakeSplash(size_t count);

/// A picture of the splash on a floor: 100,000 particles as spheres at 1280 x 720, and the surface of 20,000 at 640 x 360 with 64
/// paths a pixel.
bool couBenchPreview(int threads, couBenchResult *result, couFaults *faults);
bool couBenchFinal(int threads, couBenchResult *result, couFaults *faults);

/// Elastic forces and motion of a cube of 105,456 tetrahedra.
bool couBenchSolidGreen(int threads, couBenchResult *result, couFaults *faults);
bool couBenchSolidHybrid(int threads, couBenchResult *result, couFaults *faults);

/// What the machine does at best with a number of threads.
typedef struct couMachine {
    double bandwidth; ///< of memory, reading and writing large arrays [bytes/s]
    double flops;     ///< multiplications and additions of floats, eight wide [1/s]
} couMachine;

couMachine couMeasureMachine(int threads);
/// What a phase moves and computes at the least, per particle-step. False when there is no model for it.
bool couFindPhaseWork(couPhase phase, const couBenchResult *result, double *bytes, double *flops);
