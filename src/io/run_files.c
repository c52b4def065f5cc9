// run.json and diagnostics.csv. run.json is written whole at the end of a run; diagnostics.csv grows by one flushed row a frame
// and is replaced as a whole only when a run starts or resumes.
#include "io/run_files.h"

#include "base/base.h"
#include "io/file.h"
#include "io/text.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

// --- run.json ----------------------------------------------------------------------------------------------------------------

static void print_json_number(FILE *stream, const char *key, double value)
{
    fprintf(stream, "  \"%s\": ", key);
    couPrintJsonNumber(stream, value);
    fputs(",\n", stream);
}

static void print_json_count(FILE *stream, const char *key, uint64_t value)
{
    fprintf(stream, "  \"%s\": %llu,\n", key, (unsigned long long)value);
}

bool couWriteRunJson(const char *path, const couRunSummary *summary, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    FILE *stream = file.stream;
    fputs("{\n  \"scene\": ", stream);
    couPrintJsonText(stream, summary->scene);
    fputs(",\n  \"method\": ", stream);
    couPrintJsonText(stream, summary->method);
    fputs(",\n", stream);
    print_json_count(stream, "particles", summary->particles);
    print_json_count(stream, "frames", (uint64_t)COU_MAX(summary->frames, 0));
    print_json_count(stream, "steps", summary->steps);
    print_json_number(stream, "simulated_seconds", summary->simulated_seconds);
    print_json_number(stream, "wall_seconds", summary->wall_seconds);
    print_json_count(stream, "peak_rss_bytes", summary->peak_rss_bytes);
    print_json_count(stream, "threads", (uint64_t)COU_MAX(summary->threads, 0));
    fprintf(stream, "  \"state_hash\": \"%016llx\",\n  \"warnings\": [", (unsigned long long)summary->state_hash);
    for (int i = 0; i < summary->warning_count; ++i) {
        fputs(i > 0 ? ",\n    " : "\n    ", stream);
        couPrintJsonText(stream, summary->warnings[i]);
    }
    fputs(summary->warning_count > 0 ? "\n  ]\n}\n" : "]\n}\n", stream);
    return couFile_Commit(&file, faults);
}

// --- diagnostics.csv ---------------------------------------------------------------------------------------------------------

// Three columns, x to z, of one body: where it is, or what the fluid did to it.
typedef enum Quantity { quantity_place, quantity_force, quantity_torque } Quantity;
static const char *const quantity_suffix[] = {"", "_force", "_torque"};

typedef struct Triple {
    Quantity quantity;
    char body[COU_NAME_SIZE];
} Triple;

struct couDiagnostics {
    char path[1024];
    FILE *stream;
    off_t bytes; // of whole rows in the file
    int triple_count;
    Triple *triples; // in the order of the columns
};

static const char fixed_columns[] = "frame,time,particles,dt,substeps,iterations,density_error_mean,density_error_max,"
                                    "kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,wall_seconds";
enum { fixed_column_count = 14 };

enum { max_diagnostics_bytes = 1 << 30 };

static bool is_moving(const couBodyDef *body) { return body->motion != NULL || body->is_dynamic; }

static bool add_triple(couDiagnostics *diagnostics, Quantity quantity, const char *body, size_t length)
{
    void *larger = realloc(diagnostics->triples, ((size_t)diagnostics->triple_count + 1) * sizeof *diagnostics->triples);
    if (larger == NULL) return false;
    diagnostics->triples = larger;
    Triple *triple = &diagnostics->triples[diagnostics->triple_count++];
    *triple = (Triple){.quantity = quantity};
    memcpy(triple->body, body, COU_MIN(length, sizeof triple->body - 1));
    return true;
}

// Places of the moving bodies, then force and torque on every body.
static bool add_bodies(couDiagnostics *diagnostics, const couWorld *world)
{
    for (Quantity quantity = quantity_place; quantity <= quantity_force; ++quantity)
        for (int i = 0; i < couWorld_BodyCapacity(world); ++i) {
            couBodyId id = couWorld_BodyAt(world, i);
            const couBodyDef *body = id.index1 != 0 ? couWorld_Body(world, id) : NULL;
            if (!body || (quantity == quantity_place && !is_moving(body))) continue;
            if (!add_triple(diagnostics, quantity, body->name, strlen(body->name))) return false;
            if (quantity == quantity_force && !add_triple(diagnostics, quantity_torque, body->name, strlen(body->name)))
                return false;
        }
    return true;
}

// body_NAME_x or body_NAME_force_x, in quotes where the name would break the line.
static void print_body_column(FILE *stream, const Triple *triple, char axis)
{
    const char *name = triple->body;
    bool is_quoted = strpbrk(name, ",\"\r\n") != NULL;
    fputs(is_quoted ? ",\"body_" : ",body_", stream);
    for (; *name != '\0'; ++name) {
        if (*name == '"') fputc('"', stream);
        fputc(*name, stream);
    }
    fprintf(stream, is_quoted ? "%s_%c\"" : "%s_%c", quantity_suffix[triple->quantity], axis);
}

static void print_header(FILE *stream, const couDiagnostics *diagnostics)
{
    fputs(fixed_columns, stream);
    for (int i = 0; i < diagnostics->triple_count; ++i)
        for (char axis = 'x'; axis <= 'z'; ++axis) print_body_column(stream, &diagnostics->triples[i], axis);
    fputc('\n', stream);
}

// Takes one field of a CSV line without its quotes into `field` (cut to its size); returns what follows it.
static const char *take_field(const char *at, char *field, size_t size)
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

// Takes three columns body_STEM_x to _z; returns what follows them, NULL when they are not that.
static const char *take_triple(const char *at, char *stem, size_t size)
{
    char first[COU_NAME_SIZE + 32];
    at = take_field(at + 1, first, sizeof first);
    size_t length = strlen(first);
    if (length < 7 || strncmp(first, "body_", 5) != 0 || strcmp(first + length - 2, "_x") != 0) return NULL;
    for (char axis = 'y'; axis <= 'z'; ++axis) {
        char other[sizeof first];
        first[length - 1] = axis;
        if (*at != ',') return NULL;
        at = take_field(at + 1, other, sizeof other);
        if (strcmp(other, first) != 0) return NULL;
    }
    snprintf(stem, size, "%.*s", (int)(length - 7), first + 5);
    return at;
}

// True when b is a's name with another suffix: NAME_force and NAME_torque.
static bool are_pair(const char *a, const char *b)
{
    size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a < 6 || length_b < 7 || length_a - 6 != length_b - 7) return false;
    return strcmp(a + length_a - 6, "_force") == 0 && strcmp(b + length_b - 7, "_torque") == 0 &&
           strncmp(a, b, length_a - 6) == 0;
}

// Takes the bodies from the header of an older file: on resume some of them may be gone, but their columns stay. Returns what
// follows the header, NULL when it is not one of ours.
static const char *take_header(couDiagnostics *diagnostics, const char *text)
{
    size_t fixed_length = sizeof fixed_columns - 1;
    if (strncmp(text, fixed_columns, fixed_length) != 0) return NULL;
    const char *at = text + fixed_length;
    while (at != NULL && *at == ',') {
        char stem[COU_NAME_SIZE + 16], next[COU_NAME_SIZE + 16];
        at = take_triple(at, stem, sizeof stem);
        const char *after = at != NULL && *at == ',' ? take_triple(at, next, sizeof next) : NULL;
        if (after != NULL && are_pair(stem, next)) {
            size_t length = strlen(stem) - 6;
            if (length >= COU_NAME_SIZE || !add_triple(diagnostics, quantity_force, stem, length) ||
                !add_triple(diagnostics, quantity_torque, stem, length))
                return NULL;
            at = after;
        } else if (at != NULL && strlen(stem) >= COU_NAME_SIZE) {
            return NULL;
        } else if (at != NULL && !add_triple(diagnostics, quantity_place, stem, strlen(stem))) {
            return NULL;
        }
    }
    return at != NULL && *at == '\n' ? at + 1 : NULL;
}

// A name that the world does not know must be of a body that was removed.
static bool fits_world(const couDiagnostics *diagnostics, const couWorld *world)
{
    int unknown_count[COU_COUNT(quantity_suffix)] = {0}, removed_count = 0;
    for (int i = 0; i < diagnostics->triple_count; ++i)
        if (couWorld_FindBody(world, diagnostics->triples[i].body).index1 == 0) ++unknown_count[diagnostics->triples[i].quantity];
    for (int i = 0; i < couWorld_BodyCapacity(world); ++i)
        if (couWorld_BodyAt(world, i).index1 == 0) ++removed_count;
    return unknown_count[quantity_place] <= removed_count && unknown_count[quantity_force] <= removed_count;
}

// The frame number of a whole row, 0 when the line is not one.
static int row_frame(const char *line, const char *end, int column_count)
{
    int count = 1, frame = 0;
    const char *at = line;
    for (; at < end && *at >= '0' && *at <= '9' && frame < 100000000; ++at) frame = 10 * frame + (*at - '0');
    if (at == line || at == end || *at != ',') return 0;
    for (; at < end; ++at) count += *at == ',';
    return count == column_count ? frame : 0;
}

// Rows of frames 1 to keep_frames; returns the end of the last. A last line without its end is what a kill left.
static const char *find_kept_end(const couDiagnostics *diagnostics, const char *rows, int keep_frames, couFaults *faults)
{
    int last_frame = 0;
    for (int row = 1;; ++row) {
        const char *end = strchr(rows, '\n');
        if (end == NULL || last_frame == keep_frames) break;
        int frame = row_frame(rows, end, fixed_column_count + 3 * diagnostics->triple_count);
        if (frame <= last_frame) {
            couFaults_Add(faults, diagnostics->path, NULL, "row %d is not a row of diagnostics, or not of a later frame than %d",
                          row, last_frame);
            return NULL;
        }
        if (frame > keep_frames) break;
        last_frame = frame;
        rows = end + 1;
    }
    if (last_frame < keep_frames)
        couLog(cou_logWarning, "%s: rows of frames %d to %d are missing", diagnostics->path, last_frame + 1, keep_frames);
    return rows;
}

// Replaces the file by the header and the rows to keep, in one go.
static bool rewrite(couDiagnostics *diagnostics, const char *rows, size_t bytes, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, diagnostics->path, faults)) return false;
    print_header(file.stream, diagnostics);
    if (bytes > 0) couFile_Write(&file, rows, bytes);
    diagnostics->bytes = ftello(file.stream);
    return couFile_Commit(&file, faults);
}

static bool start_anew(couDiagnostics *diagnostics, const couWorld *world, couFaults *faults)
{
    if (add_bodies(diagnostics, world)) return rewrite(diagnostics, NULL, 0, faults);
    couFaults_Add(faults, diagnostics->path, NULL, "no memory");
    return false;
}

static bool cut_back(couDiagnostics *diagnostics, const couWorld *world, int keep_frames, couFaults *faults)
{
    char *text = couReadFile(diagnostics->path, max_diagnostics_bytes, NULL, faults);
    if (text == NULL) return false;
    bool is_ok = false;
    const char *rows = take_header(diagnostics, text);
    if (rows == NULL || !fits_world(diagnostics, world)) {
        couFaults_Add(faults, diagnostics->path, NULL,
                      "its header is not the one of this run; resume into another folder or remove it");
    } else {
        const char *end = find_kept_end(diagnostics, rows, keep_frames, faults);
        is_ok = end != NULL && rewrite(diagnostics, rows, (size_t)(end - rows), faults);
    }
    free(text);
    return is_ok;
}

couDiagnostics *couOpenDiagnostics(const char *path, const couWorld *world, int keep_frames, couFaults *faults)
{
    couDiagnostics *diagnostics = calloc(1, sizeof *diagnostics);
    if (diagnostics == NULL || strlen(path) >= sizeof diagnostics->path) {
        couFaults_Add(faults, path, NULL, "no memory, or a path of more than %zu bytes", sizeof diagnostics->path - 1);
        free(diagnostics);
        return NULL;
    }
    strcpy(diagnostics->path, path);
    bool is_new = keep_frames <= 0 || (access(path, F_OK) != 0 && errno == ENOENT);
    bool is_ok = is_new ? start_anew(diagnostics, world, faults) : cut_back(diagnostics, world, keep_frames, faults);
    if (is_ok) {
        diagnostics->stream = fopen(path, "abe");
        if (diagnostics->stream != NULL) return diagnostics;
        couFaults_Add(faults, path, NULL, "cannot be written: %s", strerror(errno));
    }
    couCloseDiagnostics(diagnostics, NULL);
    return NULL;
}

static void print_row(FILE *row, const couDiagnostics *diagnostics, const couWorld *world, int frame, const couStepReport *report,
                      double wall_seconds)
{
    couMeasurement measured = couWorld_Measure(world);
    fprintf(row, "%d,", frame);
    couPrintDouble(row, couWorld_Time(world));
    fprintf(row, ",%zu,", couWorld_Particles(world).count);
    couPrintFloat(row, report->dt);
    fprintf(row, ",%d,%d", report->substeps, report->iterations);
    const double values[] = {
        report->density_error_mean, report->density_error_max, measured.kinetic_energy, measured.potential_energy,
        measured.momentum[0],       measured.momentum[1],      measured.momentum[2],    wall_seconds};
    for (int i = 0; i < COU_COUNT(values); ++i) {
        fputc(',', row);
        couPrintDouble(row, values[i]);
    }
    for (int i = 0; i < diagnostics->triple_count; ++i) {
        const Triple *triple = &diagnostics->triples[i];
        couBodyId body = couWorld_FindBody(world, triple->body);
        couVec3 value = {0};
        if (body.index1 != 0) {
            value = triple->quantity == quantity_place   ? couWorld_BodyPose(world, body).position
                    : triple->quantity == quantity_force ? couWorld_BodyForce(world, body)
                                                         : couWorld_BodyTorque(world, body);
        }
        const float components[3] = {value.x, value.y, value.z};
        for (int axis = 0; axis < 3; ++axis) {
            fputc(',', row);
            if (body.index1 != 0) couPrintFloat(row, components[axis]);
        }
    }
    fputc('\n', row);
}

bool couDiagnostics_Write(couDiagnostics *diagnostics, const couWorld *world, int frame, const couStepReport *report,
                          double wall_seconds, couFaults *faults)
{
    char *text = NULL;
    size_t size = 0;
    FILE *row = open_memstream(&text, &size);
    if (row != NULL) {
        print_row(row, diagnostics, world, frame, report, wall_seconds);
        fclose(row);
    }
    errno = 0;
    bool is_ok = text != NULL && fwrite(text, 1, size, diagnostics->stream) == size && fflush(diagnostics->stream) == 0;
    free(text);
    if (is_ok) {
        diagnostics->bytes += (off_t)size;
        return true;
    }
    // Takes the piece of a row off again, so that the file stays readable.
    couFaults_Add(faults, diagnostics->path, NULL, "cannot be written: %s", strerror(errno != 0 ? errno : ENOMEM));
    __fpurge(diagnostics->stream);
    clearerr(diagnostics->stream);
    if (ftruncate(fileno(diagnostics->stream), diagnostics->bytes) != 0)
        couLog(cou_logWarning, "%s: its last row is incomplete", diagnostics->path);
    return false;
}

bool couCloseDiagnostics(couDiagnostics *diagnostics, couFaults *faults)
{
    if (diagnostics == NULL) return true;
    bool is_ok = true;
    if (diagnostics->stream != NULL) {
        is_ok = fsync(fileno(diagnostics->stream)) == 0 || errno == EINVAL;
        is_ok = fclose(diagnostics->stream) == 0 && is_ok;
        if (!is_ok) couFaults_Add(faults, diagnostics->path, NULL, "cannot be written: %s", strerror(errno));
    }
    free(diagnostics->triples);
    free(diagnostics);
    return is_ok;
}
