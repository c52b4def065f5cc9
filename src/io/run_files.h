/// What a run leaves in its folder besides frames: diagnostics.csv and run.json (contract in docs/files.md).
#pragma once

#include "coulis/coulis.h"
#include "files/json.h"

typedef struct couRunSummary {
    const char *scene, *method;
    uint64_t particles;
    int frames;
    uint64_t steps;
    double simulated_seconds, wall_seconds; ///< [s]
    uint64_t peak_rss_bytes;
    int threads;
    uint64_t state_hash;
    const char *const *warnings;
    int warning_count;
    const json_t *description; ///< further members, or NULL
} couRunSummary;

/// state_hash is written as 16 hexadecimal digits in a string. Bytes that are not UTF-8 become U+FFFD, NaN becomes null.
bool couWriteRunJson(const char *path, const couRunSummary *summary, couFaults *faults);

/// One row a frame. Opened anew (keep_frames 0), or cut back to the rows of the first `keep_frames` frames when a run resumes;
/// a file that is not there then begins with the next frame. Bodies that move when the file is first opened get columns, which
/// a resumed run keeps; they stay empty while there is no such body. NULL and a fault when the file is another run's or cannot
/// be written.
typedef struct couDiagnostics couDiagnostics;
couDiagnostics *couOpenDiagnostics(const char *path, const couWorld *world, int keep_frames, couFaults *faults);
/// The row is in the file when this returns true; after false (full disk...) the file ends with the row before.
bool couDiagnostics_Write(couDiagnostics *diagnostics, const couWorld *world, int frame, const couStepReport *report,
                          double wall_seconds, couFaults *faults);
bool couCloseDiagnostics(couDiagnostics *diagnostics, couFaults *faults); ///< NULL is fine
