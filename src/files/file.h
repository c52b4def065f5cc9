/// Files that are whole or not there: written under a temporary name in the same folder, flushed, renamed.
#pragma once

#include "coulis/base.h"

#include <stdio.h>

typedef struct couFile {
    FILE *stream; ///< write here or with couFile_Write()
    int error;    ///< errno of the first couFile_Write() that failed, else 0
    char path[1024];
    char temporary[1040]; ///< path.PID.tmp
} couFile;

/// False and a fault when the folder cannot take the file. After true, end with couFile_Commit() or couFile_Discard().
bool couFile_Create(couFile *file, const char *path, couFaults *faults);
/// Remembers a failure for couFile_Commit(), so that the result need not be looked at.
bool couFile_Write(couFile *file, const void *data, size_t bytes);
/// Flushes, syncs and renames. On any failure (full disk...) removes the temporary file, adds a fault, returns false.
bool couFile_Commit(couFile *file, couFaults *faults);
/// Removes the temporary file; nothing to do for a file that was never created.
void couFile_Discard(couFile *file);

/// Makes a folder and its parents; true when it is there and writable afterwards, else a fault with the reason.
bool couMakeFolder(const char *path, couFaults *faults);
/// A regular file for reading; NULL and a fault when there is none. Pipes and devices, which may never end or wait for ever, are
/// refused. `faults` may be NULL.
FILE *couOpenFile(const char *path, couFaults *faults);
/// A regular file to append to, made when it is not there; -1 and a fault for links, pipes, devices and what cannot be written.
int couOpenLog(const char *path, couFaults *faults);
/// Whole file in memory with a terminating zero (not counted in size), to be freed with free(); NULL and a fault on failure or
/// beyond `limit` bytes. `size` may be NULL.
char *couReadFile(const char *path, size_t limit, size_t *size, couFaults *faults);
