/// Files that are whole or not there: written under a temporary name in the same folder, flushed, renamed.
#pragma once

#include "coulis/base.h"

#include <stdio.h>

typedef struct couFile {
    FILE *stream; ///< write here
    char path[1024];
    char temporary[1040];
} couFile;

bool couFile_Create(couFile *file, const char *path, couFaults *faults);
/// Flushes, syncs and renames. On any failure (full disk...) removes the temporary file, adds a fault, returns false.
bool couFile_Commit(couFile *file, couFaults *faults);
void couFile_Discard(couFile *file);

/// Makes a folder and its parents; true when it is there and writable afterwards, else a fault with the reason.
bool couMakeFolder(const char *path, couFaults *faults);
/// Whole file in memory with a terminating zero (not counted in size); NULL and a fault on failure or beyond `limit` bytes.
char *couReadFile(const char *path, size_t limit, size_t *size, couFaults *faults);
