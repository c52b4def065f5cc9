// run.json and diagnostics.csv. run.json is written whole at the end of a run; diagnostics.csv grows by one flushed row a frame
// and is replaced as a whole only when a run starts or resumes.
#include "io/run_files.h"

#include "base/base.h"
#include "files/csv.h"
#include "files/file.h"
#include "files/text.h"

#include <errno.h>
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

static void print_value(FILE *stream, const json_t *value)
{
    json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
}

// Numbers and short lists in a row; of a table a row for each of its parts.
static void print_member(FILE *stream, const char *key, const json_t *value)
{
    fputs("  ", stream);
    couPrintJsonText(stream, key);
    fputs(": ", stream);
    const char *name, *separator = "{";
    json_t *part;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, name, part)
        {
            fprintf(stream, "%s\n    ", separator);
            couPrintJsonText(stream, name);
            fputs(": ", stream);
            print_value(stream, part);
            separator = ",";
        }
        fputs(*separator == '{' ? "{}" : "\n  }", stream);
    } else {
        print_value(stream, value);
    }
    fputs(",\n", stream);
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
    fprintf(stream, "  \"state_hash\": \"%016llx\",\n", (unsigned long long)summary->state_hash);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)summary->description, key, value) print_member(stream, key, value);
    fputs("  \"warnings\": [", stream);
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
    couCsv csv;
    int triple_count;
    Triple *triples; // in the order of the columns
};

static const char fixed_columns[] = "frame,time,particles,dt,substeps,iterations,density_error_mean,density_error_max,"
                                    "kinetic_energy,potential_energy,momentum_x,momentum_y,momentum_z,wall_seconds";
enum { fixed_column_count = 14 };

static bool is_moving(const couBodyDef *body) { return body->motion || body->is_dynamic; }

static bool add_triple(couDiagnostics *diagnostics, Quantity quantity, const char *body, size_t length)
{
    void *larger = realloc(diagnostics->triples, ((size_t)diagnostics->triple_count + 1) * sizeof *diagnostics->triples);
    if (!larger) return false;
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
        for (int i = 0; i < couWorld_BodyCount(world); ++i) {
            couBodyId id = couWorld_BodyAt(world, i);
            const couBodyDef *body = id.index1 != 0 ? couWorld_Body(world, id) : NULL;
            if (!body || (quantity == quantity_place && !is_moving(body))) continue;
            if (!add_triple(diagnostics, quantity, body->name, strlen(body->name))) return false;
            if (quantity == quantity_force && !add_triple(diagnostics, quantity_torque, body->name, strlen(body->name)))
                return false;
        }
    return true;
}

// body_NAME_x or body_NAME_force_x.
static void print_body_column(FILE *stream, const Triple *triple, char axis)
{
    char column[COU_NAME_SIZE + 24];
    snprintf(column, sizeof column, "body_%s%s_%c", triple->body, quantity_suffix[triple->quantity], axis);
    fputc(',', stream);
    couCsv_PrintField(stream, column);
}

static void print_header(FILE *stream, const couDiagnostics *diagnostics)
{
    fputs(fixed_columns, stream);
    for (int i = 0; i < diagnostics->triple_count; ++i)
        for (char axis = 'x'; axis <= 'z'; ++axis) print_body_column(stream, &diagnostics->triples[i], axis);
    fputc('\n', stream);
}

// Takes three columns body_STEM_x to _z; returns what follows them, NULL when they are not that.
static const char *take_triple(const char *at, char *stem, size_t size)
{
    char first[COU_NAME_SIZE + 32];
    at = couCsv_TakeField(at + 1, first, sizeof first);
    size_t length = strlen(first);
    if (length < 7 || strncmp(first, "body_", 5) != 0 || strcmp(first + length - 2, "_x") != 0) return NULL;
    for (char axis = 'y'; axis <= 'z'; ++axis) {
        char other[sizeof first];
        first[length - 1] = axis;
        if (*at != ',') return NULL;
        at = couCsv_TakeField(at + 1, other, sizeof other);
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
    while (at && *at == ',') {
        char stem[COU_NAME_SIZE + 16], next[COU_NAME_SIZE + 16];
        at = take_triple(at, stem, sizeof stem);
        const char *after = at && *at == ',' ? take_triple(at, next, sizeof next) : NULL;
        if (after && are_pair(stem, next)) {
            size_t length = strlen(stem) - 6;
            if (length >= COU_NAME_SIZE || !add_triple(diagnostics, quantity_force, stem, length) ||
                !add_triple(diagnostics, quantity_torque, stem, length))
                return NULL;
            at = after;
        } else if (at && strlen(stem) >= COU_NAME_SIZE) {
            return NULL;
        } else if (at && !add_triple(diagnostics, quantity_place, stem, strlen(stem))) {
            return NULL;
        }
    }
    return at && *at == '\n' ? at + 1 : NULL;
}

// A name that the world does not know must be of a body that was removed.
static bool fits_world(const couDiagnostics *diagnostics, const couWorld *world)
{
    int unknown_count[COU_COUNT(quantity_suffix)] = {0}, removed_count = couWorld_RemovedBodyCount(world);
    for (int i = 0; i < diagnostics->triple_count; ++i)
        if (couWorld_FindBody(world, diagnostics->triples[i].body).index1 == 0) ++unknown_count[diagnostics->triples[i].quantity];
    return unknown_count[quantity_place] <= removed_count && unknown_count[quantity_force] <= removed_count;
}

// Replaces the file by the header and the rows to keep.
static bool rewrite(couDiagnostics *diagnostics, const char *path, const char *rows, size_t bytes, couFaults *faults)
{
    char *header = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&header, &size);
    bool is_whole = stream != NULL;
    if (stream) {
        print_header(stream, diagnostics);
        is_whole = !ferror(stream);
        is_whole = fclose(stream) == 0 && is_whole;
    }
    bool is_ok = is_whole && couCsv_Start(&diagnostics->csv, path, header, rows, bytes, faults);
    if (!is_whole) couFaults_Add(faults, path, NULL, "no memory");
    free(header);
    return is_ok;
}

static bool start_anew(couDiagnostics *diagnostics, const char *path, const couWorld *world, couFaults *faults)
{
    if (add_bodies(diagnostics, world)) return rewrite(diagnostics, path, NULL, 0, faults);
    couFaults_Add(faults, path, NULL, "no memory");
    return false;
}

static bool cut_back(couDiagnostics *diagnostics, const char *path, const couWorld *world, int keep_frames, couFaults *faults)
{
    char *text = couReadFile(path, cou_csvMaxBytes, NULL, faults);
    if (!text) return false;
    bool is_ok = false;
    const char *rows = take_header(diagnostics, text);
    if (!rows || !fits_world(diagnostics, world)) {
        couFaults_Add(faults, path, NULL, "its header is not the one of this run; resume into another folder or remove it");
    } else {
        int column_count = fixed_column_count + 3 * diagnostics->triple_count;
        const char *end = couCsv_FindKept(path, rows, column_count, keep_frames, true, faults);
        is_ok = end && rewrite(diagnostics, path, rows, (size_t)(end - rows), faults);
    }
    free(text);
    return is_ok;
}

couDiagnostics *couOpenDiagnostics(const char *path, const couWorld *world, int keep_frames, couFaults *faults)
{
    couDiagnostics *diagnostics = calloc(1, sizeof *diagnostics);
    if (!diagnostics) {
        couFaults_Add(faults, path, NULL, "no memory");
        return NULL;
    }
    bool is_new = keep_frames <= 0 || (access(path, F_OK) != 0 && errno == ENOENT);
    bool is_ok = is_new ? start_anew(diagnostics, path, world, faults) : cut_back(diagnostics, path, world, keep_frames, faults);
    if (is_ok) return diagnostics;
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
    bool is_whole = row != NULL;
    if (row) {
        print_row(row, diagnostics, world, frame, report, wall_seconds);
        is_whole = !ferror(row);
        is_whole = fclose(row) == 0 && is_whole;
    }
    bool is_ok = couCsv_Append(&diagnostics->csv, is_whole ? text : NULL, size, faults);
    free(text);
    return is_ok;
}

bool couCloseDiagnostics(couDiagnostics *diagnostics, couFaults *faults)
{
    if (!diagnostics) return true;
    bool is_ok = couCsv_Close(&diagnostics->csv, faults);
    free(diagnostics->triples);
    free(diagnostics);
    return is_ok;
}
