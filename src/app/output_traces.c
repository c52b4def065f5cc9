// traces.csv: where the points are that solids follow (solid.trace), a row a frame.
#include "app/run_outputs.h"
#include "coulis/solid.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_wanted(const couRun *run)
{
    couSolidTrace trace;
    return couScene_SolidTrace(run->scene, 0, &trace);
}

// A row, or the header, as text that the caller frees; NULL without memory.
static char *print_row(const couRun *run, bool is_header, size_t *size)
{
    char *text = NULL;
    FILE *row = open_memstream(&text, size);
    if (!row) return NULL;
    if (is_header)
        fprintf(row, "frame,time");
    else {
        fprintf(row, "%d,", run->frame);
        couPrintDouble(row, couWorld_Time(run->world));
    }
    couSolidTrace trace;
    for (int k = 0; couScene_SolidTrace(run->scene, k, &trace); ++k)
        for (int a = 0; a < 3; ++a) {
            if (is_header) {
                fprintf(row, ",%s_%d_%c", couWorld_Solid(run->world, trace.solid)->name, trace.number, "xyz"[a]);
                continue;
            }
            fputc(',', row);
            couPrintDouble(row, couWorld_SolidView(run->world, trace.solid).position[3 * trace.point + (size_t)a]);
        }
    fputc('\n', row);
    if (fclose(row) == 0) return text;
    free(text);
    return NULL;
}

static int count_columns(const char *header)
{
    int count = 1;
    for (; *header; ++header) count += *header == ',';
    return count;
}

// Of a run that goes on in its folder: the rows of the frames that it keeps.
static bool start(couCsv *csv, const char *path, const char *header, int keep_frames, couFaults *faults)
{
    if (keep_frames <= 0 || access(path, F_OK) != 0) return couCsv_Start(csv, path, header, "", 0, faults);
    char *text = couReadFile(path, cou_csvMaxBytes, NULL, faults);
    const char *rows = text ? strchr(text, '\n') : NULL;
    size_t head = strlen(header);
    if (text && (!rows || strncmp(text, header, head) != 0)) {
        couFaults_Add(faults, path, NULL, "its header is not the one of this run; resume into another folder or remove it");
        rows = NULL;
    }
    const char *end = rows ? couCsv_FindKept(path, rows + 1, count_columns(header), keep_frames, true, faults) : NULL;
    bool is_good = end && couCsv_Start(csv, path, header, rows + 1, (size_t)(end - rows - 1), faults);
    free(text);
    return is_good;
}

static bool begin(couRun *run, void **own)
{
    char path[COU_PATH_SIZE];
    size_t size;
    couCsv *csv = calloc(1, sizeof *csv);
    char *header = csv ? print_row(run, true, &size) : NULL;
    *own = csv;
    if (!header) couFaults_Add(&run->faults, NULL, "traces.csv", "no memory");
    bool is_good = header && couClaimPath(&run->manifest, "traces.csv", path, &run->faults) &&
                   start(csv, path, header, run->is_in_place ? run->first : 0, &run->faults);
    free(header);
    if (!is_good) {
        free(csv);
        *own = NULL;
    }
    return is_good;
}

static bool write_row(couRun *run, void *own)
{
    size_t size;
    char *row = print_row(run, false, &size);
    if (!row) couFaults_Add(&run->faults, NULL, "traces.csv", "no memory");
    bool is_good = row && couCsv_Append(own, row, size, &run->faults);
    free(row);
    return is_good;
}

static bool finish(couRun *run, void *own)
{
    bool is_good = couCsv_Close(own, &run->faults);
    free(own);
    return is_good;
}

static void discard(couRun *run, void *own) { finish(run, own); }

extern const couOutput couOutputTraces;
const couOutput couOutputTraces = {.name = "traces",
                                   .files = {"traces.csv"},
                                   .is_wanted = is_wanted,
                                   .open = begin,
                                   .frame = write_row,
                                   .close = finish,
                                   .discard = discard};
