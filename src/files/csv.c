// Tables that grow while a run goes on. A row is flushed when it is written; the file is replaced as a whole only when a run
// starts or resumes.
#include "files/csv.h"

#include "base/base.h"
#include "files/file.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

bool couCsv_Start(couCsv *csv, const char *path, const char *header, const char *rows, size_t row_bytes, couFaults *faults)
{
    *csv = (couCsv){0};
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    snprintf(csv->path, sizeof csv->path, "%s", path);
    fputs(header, file.stream);
    if (row_bytes > 0) couFile_Write(&file, rows, row_bytes);
    csv->bytes = ftello(file.stream);
    if (!couFile_Commit(&file, faults)) return false;
    csv->stream = fopen(path, "abe");
    if (!csv->stream) couFaults_Add(faults, path, NULL, "cannot be written: %s", strerror(errno));
    return csv->stream != NULL;
}

bool couCsv_Append(couCsv *csv, const char *rows, size_t bytes, couFaults *faults)
{
    errno = 0;
    if (rows && fwrite(rows, 1, bytes, csv->stream) == bytes && fflush(csv->stream) == 0) {
        csv->bytes += (off_t)bytes;
        return true;
    }
    // Takes the piece of a row off again, so that the file stays readable.
    couFaults_Add(faults, csv->path, NULL, "cannot be written: %s", strerror(errno != 0 ? errno : ENOMEM));
    __fpurge(csv->stream);
    clearerr(csv->stream);
    if (ftruncate(fileno(csv->stream), csv->bytes) != 0) couLog(cou_logWarning, "%s: its last row is incomplete", csv->path);
    return false;
}

bool couCsv_Close(couCsv *csv, couFaults *faults)
{
    if (!csv->stream) return true;
    bool is_ok = fsync(fileno(csv->stream)) == 0 || errno == EINVAL;
    is_ok = fclose(csv->stream) == 0 && is_ok;
    csv->stream = NULL;
    if (!is_ok) couFaults_Add(faults, csv->path, NULL, "cannot be written: %s", strerror(errno));
    return is_ok;
}

const char *couCsv_TakeField(const char *at, char *field, size_t size)
{
    size_t length = 0;
    bool is_quoted = *at == '"';
    if (is_quoted) ++at;
    for (; *at != '\0'; ++at) {
        if (is_quoted ? *at == '"' : *at == ',' || *at == '\n') {
            if (!is_quoted || at[1] != '"') break;
            ++at;
        }
        if (length + 1 < size) field[length++] = *at;
    }
    field[length] = '\0';
    return is_quoted && *at == '"' ? at + 1 : at;
}

void couCsv_PrintField(FILE *stream, const char *text)
{
    bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (is_quoted) fputc('"', stream);
    for (; *text != '\0'; ++text) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    if (is_quoted) fputc('"', stream);
}

// The end of the row, behind its line end; NULL when it has none. `frame` is 0 when it is not a whole row of the table.
static const char *take_row(const char *row, int column_count, int *frame)
{
    char field[16];
    int count = 1;
    const char *at = couCsv_TakeField(row, field, sizeof field);
    size_t digits = strspn(field, "0123456789");
    *frame = digits > 0 && digits < 10 && field[digits] == '\0' ? (int)strtol(field, NULL, 10) : 0;
    for (; *at == ','; ++count) at = couCsv_TakeField(at + 1, field, sizeof field);
    if (count != column_count) *frame = 0;
    if (*at == '\n') return at + 1;
    const char *end = strchr(at, '\n');
    if (end) *frame = 0; // something between a closing quote and a comma
    return end ? end + 1 : NULL;
}

const char *couCsv_FindKept(const char *path, const char *rows, int column_count, int keep_frames, bool is_one_a_frame,
                            couFaults *faults)
{
    int last_frame = 0, frame;
    for (int row = 1;; ++row) {
        const char *end = take_row(rows, column_count, &frame);
        if (!end || (is_one_a_frame && last_frame == keep_frames)) break;
        if (frame < last_frame + is_one_a_frame || frame == 0) {
            couFaults_Add(faults, path, NULL, "row %d is not a row of this table, or not of a later frame than %d", row,
                          last_frame);
            return NULL;
        }
        if (frame > keep_frames) break;
        last_frame = frame;
        rows = end;
    }
    if (last_frame < keep_frames && is_one_a_frame)
        couLog(cou_logWarning, "%s: rows of frames %d to %d are missing", path, last_frame + 1, keep_frames);
    return rows;
}
