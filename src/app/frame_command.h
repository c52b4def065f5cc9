/// What the commands share that go through frames that were written before: surface, render, export.
#pragma once

#include "app/app.h"
#include "coulis/frames.h"

/// A command that takes FRAMES. Its functions get `job`.
typedef struct couFrameCommand {
    couCommand command; ///< usage and the number of operands are filled in
    void *job;
    couFaults *faults; ///< the job's
    const bool *is_quiet;
    /// Reads all input and lists the frames. False with faults: bad input, nothing has been written.
    bool (*prepare)(void *job, const couTexts *operands, couFrameFiles *files);
    /// Does the work; returns the exit code.
    int (*produce)(void *job, const couTexts *operands, const couFrameFiles *files);
} couFrameCommand;

/// From the command line to the exit code.
int couRunFrameCommand(const couFrameCommand *command, int argc, char **argv);

/// One frame of many. False ends the work; a frame that is only left out is for the job to count.
typedef bool couFrameFcn(void *job, const couFrameFile *file);

/// Calls `make` for one file after the other, with a progress of `noun` ("picture"), until it returns false or an interrupt
/// comes; `note` stands behind the progress, or NULL. Returns what the last call did.
bool couForEachFrame(const couFrameFiles *files, const char *noun, const char *note, bool is_quiet, couFrameFcn *make, void *job);

/// The last words of a command that went through `count` frames, and its exit code: how many were left out, and what
/// `interrupted` says unless it is NULL.
int couEndFrames(int skipped, int count, const char *interrupted);
