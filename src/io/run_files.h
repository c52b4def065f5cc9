/// What a run leaves in its folder besides frames: diagnostics.csv and run.json (contract in docs/files.md).
#pragma once

#include "coulis/coulis.h"

typedef struct couRunSummary {
    const char *scene, *method;
    uint64_t particles;
    int frames;
    uint64_t steps;
    double simulated_seconds, wall_seconds;
    uint64_t peak_rss_bytes;
    int threads;
    uint64_t state_hash;
    const char *const *warnings;
    int warning_count;
} couRunSummary;

/// state_hash is written as 16 hexadecimal digits in a string.
bool couWriteRunJson(const char *path, const couRunSummary *summary, couFaults *faults);

/// One row a frame. Opened anew, or cut back to the rows of the first `keep_frames` frames when a run resumes.
typedef struct couDiagnostics couDiagnostics;
couDiagnostics *couOpenDiagnostics(const char *path, const couWorld *world, int keep_frames, couFaults *faults);
bool couDiagnostics_Write(couDiagnostics *diagnostics, const couWorld *world, int frame, const couStepReport *report,
                          double wall_seconds, couFaults *faults);
bool couCloseDiagnostics(couDiagnostics *diagnostics, couFaults *faults);
