// The process that reads may have been taken over by the file that it read. So what comes out of the pipe is checked like a
// file: lengths before memory is asked for, texts for their end, numbers for their range. The records are structs as they lie in
// memory, since both ends are the same program. Data goes from the pipe into its array: nothing is copied twice, and the reader
// holds one array at a time.
#include "io/state_pipe.h"

#include "base/base.h"
#include "io/apart.h"

#include <stdio.h>

typedef enum RecordKind { record_info = 1, record_array, record_fault, record_end } RecordKind;

typedef struct Record {
    uint32_t kind;
    uint32_t type, components; // of an array
    uint64_t count;            // its rows
    char name[64];             // its name, or the key of a fault
    char unit[16];
    char message[sizeof((couFault *)0)->message];
} Record;

// --- Sending -----------------------------------------------------------------------------------------------------------------

void couStatePipe_SendInfo(int pipe, const couCheckpointInfo *info)
{
    couApart_Send(pipe, &(Record){.kind = record_info}, sizeof(Record));
    couApart_Send(pipe, info, sizeof *info);
}

void couStatePipe_SendArray(int pipe, const couStateArray *array)
{
    Record record = {
        .kind = record_array, .type = (uint32_t)array->type, .components = (uint32_t)array->components, .count = array->count};
    _Static_assert(sizeof record.name == sizeof array->name && sizeof record.unit == sizeof array->unit, "names fit");
    memcpy(record.name, array->name, sizeof record.name);
    memcpy(record.unit, array->unit, sizeof record.unit);
    couApart_Send(pipe, &record, sizeof record);
    couApart_Send(pipe, array->data, couStateType_Size(array->type) * (size_t)array->components * array->count);
}

void couStatePipe_SendEnd(int pipe, const couFaults *faults)
{
    Record record = {.kind = faults->count > 0 ? record_fault : record_end};
    if (faults->count > 0) {
        const couFault *fault = &faults->items[0];
        snprintf(record.name, sizeof record.name, "%s", fault->key);
        snprintf(record.message, sizeof record.message, "%s", fault->message);
    }
    couApart_Send(pipe, &record, sizeof record);
}

// --- Receiving ---------------------------------------------------------------------------------------------------------------
// In all these functions true means that the sender did as it should, also when it or they found a fault.

static bool refuse(couStateArrival *arrival, const char *key, const char *what)
{
    couFaults_Add(arrival->faults, arrival->path, key, "the checkpoint is wrong: %s", what);
    arrival->has_fault = true;
    return true;
}

static bool is_text(const char *text, size_t size) { return memchr(text, '\0', size) != NULL; }

static bool receive_info(int pipe, couStateArrival *arrival)
{
    couCheckpointInfo *info = &arrival->info;
    if (arrival->has_info || !couApart_Receive(pipe, info, sizeof *info)) return false;
    arrival->has_info = true;
    if (!is_text(info->scene, sizeof info->scene) || !is_text(info->method, sizeof info->method)) return false;
    if (info->frame < 0) return refuse(arrival, "frame", "must not be negative");
    if (!isfinite(info->time) || !(info->fps > 0) || !isfinite(info->fps)) return refuse(arrival, "fps", "time or fps cannot be");
    return true;
}

static bool receive_array(int pipe, const Record *record, couStateArrival *arrival)
{
    couState *state = arrival->state;
    uint64_t bytes;
    if (!state || state->count == cou_maxStateArrays) return false;
    if (!is_text(record->name, sizeof record->name) || !is_text(record->unit, sizeof record->unit)) return false;
    if (record->type > cou_stateF64 || record->components < 1 || record->components > cou_maxStateComponents) return false;
    if (couState_Find(state, record->name)) return refuse(arrival, record->name, "the array is listed twice");
    couStateType type = (couStateType)record->type;
    if (__builtin_mul_overflow(record->count, record->components * couStateType_Size(type), &bytes) || bytes > arrival->max_bytes)
        return refuse(arrival, record->name, "the arrays claim more than the file can hold");
    arrival->max_bytes -= bytes;
    couStateArray *array = couState_Add(state, record->name, record->unit, type, (int)record->components, record->count, NULL);
    if (!array) return refuse(arrival, record->name, "there is no memory for the array");
    return couApart_Receive(pipe, array->data, bytes);
}

static bool receive_fault(const Record *record, couStateArrival *arrival)
{
    if (!is_text(record->name, sizeof record->name) || !is_text(record->message, sizeof record->message)) return false;
    couFaults_Add(arrival->faults, arrival->path, record->name, "%s", record->message);
    arrival->has_fault = true;
    return true;
}

bool couStatePipe_Receive(int pipe, couStateArrival *arrival)
{
    bool is_good = true;
    while (is_good && !arrival->has_fault) {
        Record record;
        if (!couApart_Receive(pipe, &record, sizeof record)) return false;
        if (record.kind == record_end) return arrival->has_info;
        is_good = record.kind == record_info    ? receive_info(pipe, arrival)
                  : record.kind == record_array ? arrival->has_info && receive_array(pipe, &record, arrival)
                                                : record.kind == record_fault && receive_fault(&record, arrival);
    }
    return is_good;
}
