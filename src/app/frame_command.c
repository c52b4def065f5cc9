// Commands that go through frames: one after the other, so that memory is that of the largest; a frame that cannot be used is
// left out with a warning, and the exit code says so.
#include "app/frame_command.h"
#include "app/run.h"

#include <stdio.h>

int couRunFrameCommand(const couFrameCommand *given, int argc, char **argv)
{
    couCommand command = given->command;
    command.usage = "FRAMES... [options]";
    command.min_operands = 1;
    command.max_operands = 10 * COU_MAX_FRAMES;
    couTexts operands = {0};
    couFrameFiles files = {0};
    int code = cou_exitWell;
    if (!couParseOptions(&command, argc, argv, &operands, given->faults)) {
        if (*given->is_quiet) couSilenceNotes();
        bool is_ready = given->prepare(given->job, &operands, &files);
        code = is_ready ? given->produce(given->job, &operands, &files) : couFail(given->faults, cou_exitBadInput);
    }
    couFrameFiles_Clear(&files);
    couTexts_Clear(&operands);
    return code;
}

bool couForEachFrame(const couFrameFiles *files, const char *noun, const char *note, bool is_quiet, couFrameFcn *make, void *job)
{
    couProgress progress = couStartProgress(noun, 0, files->count, is_quiet);
    bool is_good = true;
    for (int i = 0; is_good && i < files->count && !couInterrupted(); ++i) {
        is_good = make(job, &files->items[i]);
        couProgress_Show(&progress, i + 1, note);
    }
    couProgress_End(&progress);
    return is_good;
}

int couEndFrames(int skipped, int count, const char *interrupted)
{
    fflush(stdout);
    if (skipped > 0) fprintf(stderr, "%d of %d frames were left out\n", skipped, count);
    if (interrupted) fprintf(stderr, "interrupted%s\n", interrupted);
    return skipped > 0 || interrupted ? cou_exitFailed : cou_exitWell;
}
