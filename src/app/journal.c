// The journal of a run, log.txt: what was said, when. It begins in memory, since the scene speaks before there is a folder; a run
// that never gets one leaves nothing. A full disk does not end a run for its journal: the next file that matters will.
#include "app/app.h"
#include "files/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static FILE *stream; // NULL: nothing is kept
static char *early;  // what was said before there was a file
static size_t early_size;

char *couFormatDate(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm parts;
    if (!gmtime_r(&now, &parts) || strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) text[0] = '\0';
    return text;
}

void couStartJournal(void) { stream = open_memstream(&early, &early_size); }

bool couOpenJournal(const char *path, couFaults *faults)
{
    int file = couOpenLog(path, faults);
    if (file < 0) return false;
    FILE *opened = fdopen(file, "a");
    if (!opened) {
        couFaults_Add(faults, path, NULL, "cannot be written: %s", strerror(errno));
        close(file);
        return false;
    }
    if (stream) fclose(stream); // only now `early` has it all
    stream = opened;
    if (early) fputs(early, stream);
    fflush(stream);
    free(early);
    early = NULL;
    return true;
}

void couJournal(const char *format, ...)
{
    if (!stream) return;
    char date[32], line[1024], clean[4 * sizeof line + 1];
    size_t used;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t length = couCleanText(line, strlen(line), true, clean, &used);
    fprintf(stream, "%s %.*s\n", couFormatDate(date, sizeof date), (int)length, clean);
    fflush(stream);
}

void couCloseJournal(void)
{
    if (stream) fclose(stream);
    stream = NULL;
    free(early);
    early = NULL;
}
