/// Tables that grow by whole rows while a run goes on: diagnostics.csv, bodies.csv. The first column is the frame.
#pragma once

#include "coulis/base.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct couCsv {
    char path[1024];
    FILE *stream;
    off_t bytes; ///< of whole rows in the file
} couCsv;

enum { cou_csvMaxBytes = 1 << 30 }; ///< that are read back

/// Replaces the file, in one go, by a header (with its line end) and the rows to keep, and opens it for more. False with a
/// fault.
bool couCsv_Start(couCsv *csv, const char *path, const char *header, const char *rows, size_t row_bytes, couFaults *faults);
/// The rows are in the file when this returns true; after false (full disk...) the file ends as before.
bool couCsv_Append(couCsv *csv, const char *rows, size_t bytes, couFaults *faults);
bool couCsv_Close(couCsv *csv, couFaults *faults); ///< nothing to do where it was not opened

/// Where the rows of frames 1 to keep_frames end. A last row without its end is what a kill left. NULL with a fault when a row
/// has another number of columns, or its frame is less than the one before, or the same where a frame has `one` row.
const char *couCsv_FindKept(const char *path, const char *rows, int column_count, int keep_frames, bool is_one_a_frame,
                            couFaults *faults);
/// Takes one field without its quotes into `field` (cut to its size); returns what follows it: a comma, the line's end or the
/// text's.
const char *couCsv_TakeField(const char *at, char *field, size_t size);
/// In quotes where the text would break the row.
void couCsv_PrintField(FILE *stream, const char *text);
