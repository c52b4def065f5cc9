// Checkpoints. The HDF5 file is made in memory (core driver) and written in one go like every other file of ours: a full disk
// then meets our own error handling and not HDF5's, which cannot close a file that it cannot flush. The price is memory for the
// packed file, at most the size of the state.
//
// A flipped bit in HDF5's own structures can make its reader do anything. So a seal stands in the first 512 bytes, where HDF5
// allows a user block: format, length, and xxHash3 of all bytes behind it. HDF5 sees the file only when the seal is right; then
// the state that comes out must hash to the stored state hash. A file can be forged on purpose, seal included. So HDF5 reads in a
// process of its own, with limits of memory and time, and what it reads comes back as plain arrays that are checked once more.
#include "coulis/checkpoint.h"

#include "base/base.h"
#include "files/file.h"
#include "io/apart.h"
#include "io/hdf5_state.h"
#include "io/state_pipe.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum { seal_bytes = 512, image_growth = 1 << 22 };

#define SEAL_MAGIC "Coulis checkpoint "
#define FORMAT_VERSION 1
#define HDF5_BYTES ((size_t)16 << 20) // of its own, at most

// HDF5 has a lock of its own, and a process that is made while another thread holds it never gets it. So nobody reads while
// another thread writes.
static pthread_mutex_t hdf5_lock = PTHREAD_MUTEX_INITIALIZER;

// Text, so that `head -3` shows what the file is; zeros up to the end of the block.
static void make_seal(char seal[seal_bytes], uint64_t file_bytes, uint64_t hash)
{
    memset(seal, 0, seal_bytes);
    snprintf(seal, seal_bytes, SEAL_MAGIC "%d\nbytes %llu\nxxh3 %016llx\n", FORMAT_VERSION, (unsigned long long)file_bytes,
             (unsigned long long)hash);
}

static bool add_hdf5_fault(couFaults *faults, const char *path, const char *what)
{
    char reason[200];
    couHdf5_FormatError(reason, sizeof reason);
    couFaults_Add(faults, path, NULL, "%s: %s", what, reason);
    return false;
}

// --- Writing -----------------------------------------------------------------------------------------------------------------

static hid_t create_in_memory(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (H5Pset_fapl_core(access, image_growth, false) >= 0) file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

// The bytes of an in-memory file, owned by it. The oldest file format, which is HDF5's default, keeps no "open for writing"
// mark in them, so they can be taken while it is open.
static const char *file_image(hid_t file, size_t *bytes)
{
    char **image = NULL;
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0 || H5Fget_vfd_handle(file, H5P_DEFAULT, (void **)&image) < 0) return NULL;
    ssize_t size = H5Fget_file_image(file, NULL, 0);
    if (size <= 0) return NULL;
    *bytes = (size_t)size;
    return *image;
}

// HDF5 finds a file behind 512 bytes of something else and counts addresses from there.
static bool write_sealed(const char *path, const char *image, size_t bytes, couFaults *faults)
{
    char seal[seal_bytes];
    make_seal(seal, seal_bytes + bytes, XXH3_64bits(image, bytes));
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    couFile_Write(&file, seal, seal_bytes);
    couFile_Write(&file, image, bytes);
    return couFile_Commit(&file, faults);
}

// HDF5 does not survive that there is no memory: it crashes, or complains without end when the program ends. So what it may need
// is asked for before, and given back.
static bool has_room(const char *path, uint64_t bytes, couFaults *faults)
{
    void *room = couAlloc(NULL, (size_t)bytes + HDF5_BYTES);
    couFree(NULL, room);
    if (!room) couFaults_Add(faults, path, NULL, "out of memory for a checkpoint of %llu bytes", (unsigned long long)bytes);
    return room != NULL;
}

static uint64_t state_bytes(const couState *state)
{
    uint64_t bytes = 0;
    for (int i = 0; i < state->count; ++i) {
        const couStateArray *array = &state->arrays[i];
        bytes += (uint64_t)array->count * (uint64_t)array->components * couStateType_Size(array->type);
    }
    return bytes;
}

bool couWriteCheckpoint(const char *path, const couCheckpointInfo *info, const couState *state, couFaults *faults)
{
    // The image of the file grows by copying.
    if (!has_room(path, 2 * state_bytes(state), faults)) return false;
    couCheckpointInfo stored = *info;
    stored.state_hash = couState_Hash(state);
    pthread_mutex_lock(&hdf5_lock);
    couHdf5Silence silence = couHdf5_BeginSilence();
    hid_t file = create_in_memory(path);
    size_t bytes = 0;
    const char *image = file >= 0 && couHdf5_Write(file, &stored, state) ? file_image(file, &bytes) : NULL;
    bool is_ok = image ? write_sealed(path, image, bytes, faults) : add_hdf5_fault(faults, path, "the checkpoint cannot be made");
    if (file >= 0) H5Fclose(file);
    couHdf5_EndSilence(silence);
    pthread_mutex_unlock(&hdf5_lock);
    return is_ok;
}

// --- Reading -----------------------------------------------------------------------------------------------------------------

static bool hash_rest(FILE *stream, uint64_t *hash)
{
    size_t capacity = 1 << 16, count;
    char *buffer = malloc(capacity);
    if (!buffer) return false;
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    while ((count = fread(buffer, 1, capacity, stream)) > 0) XXH3_64bits_update(&state, buffer, count);
    *hash = XXH3_64bits_digest(&state);
    free(buffer);
    return !ferror(stream);
}

// Says what is wrong with a seal that does not fit.
static void explain_seal(const char *path, const char *seal, uint64_t file_bytes, couFaults *faults)
{
    char text[seal_bytes + 1];
    memcpy(text, seal, seal_bytes);
    text[seal_bytes] = '\0';
    int version = 0;
    unsigned long long bytes = 0;
    int found = sscanf(text, SEAL_MAGIC "%9d bytes %20llu", &version, &bytes);
    if (strncmp(text, SEAL_MAGIC, sizeof SEAL_MAGIC - 1) != 0 || found < 1)
        couFaults_Add(faults, path, NULL, "is not a Coulis checkpoint");
    else if (version != FORMAT_VERSION)
        couFaults_Add(faults, path, NULL, "has format %d; this program reads format %d", version, FORMAT_VERSION);
    else if (found == 2 && bytes > file_bytes)
        couFaults_Add(faults, path, NULL, "is truncated: %llu of %llu bytes are left", (unsigned long long)file_bytes, bytes);
    else
        couFaults_Add(faults, path, NULL, "is damaged: its bytes do not match the hash that was stored with them");
}

static bool check_seal(FILE *stream, const char *path, uint64_t *file_bytes, couFaults *faults)
{
    struct stat status;
    char seal[seal_bytes], expected[seal_bytes];
    if (fstat(fileno(stream), &status) != 0) status.st_size = 0;
    if (fread(seal, 1, seal_bytes, stream) != seal_bytes) {
        couFaults_Add(faults, path, NULL, "is not a Coulis checkpoint: it has only %lld bytes", (long long)status.st_size);
        return false;
    }
    uint64_t hash;
    if (!hash_rest(stream, &hash)) {
        couFaults_Add(faults, path, NULL, "cannot be read: %s", strerror(errno));
        return false;
    }
    *file_bytes = (uint64_t)status.st_size;
    make_seal(expected, *file_bytes, hash);
    if (memcmp(seal, expected, seal_bytes) == 0) return true;
    explain_seal(path, seal, *file_bytes, faults);
    return false;
}

typedef struct Reading {
    const char *path;
    uint64_t file_bytes;
    bool wants_state;
    couStateArrival arrival; // in the parent
} Reading;

static bool send_content(const Reading *reading, int pipe, couFaults *faults)
{
    const char *path = reading->path;
    couCheckpointInfo info = {0};
    if (!has_room(path, reading->file_bytes, faults)) return false;
    couHdf5_BeginSilence(); // for good: the process ends soon
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return add_hdf5_fault(faults, path, "is not a readable HDF5 file");
    if (!couHdf5_ReadInfo(file, &info, path, faults)) return false;
    couStatePipe_SendInfo(pipe, &info);
    return !reading->wants_state || couHdf5_SendState(file, reading->file_bytes, pipe, path, faults);
}

static void read_in_child(void *context, int pipe)
{
    couFaults faults = {0};
    send_content(context, pipe, &faults);
    couStatePipe_SendEnd(pipe, &faults);
}

static bool receive(void *context, int pipe) { return couStatePipe_Receive(pipe, &((Reading *)context)->arrival); }

static bool read_sealed(const char *path, couCheckpointInfo *info, couState *state, uint64_t file_bytes, couFaults *faults)
{
    Reading reading = {.path = path, .file_bytes = file_bytes, .wants_state = state != NULL};
    reading.arrival = (couStateArrival){.state = state, .max_bytes = UINT64_MAX, .path = path, .faults = faults};
    if (file_bytes < UINT64_MAX / COU_HDF5_MAX_RATIO) reading.arrival.max_bytes = file_bytes * COU_HDF5_MAX_RATIO;
    char reason[200];
    pthread_mutex_lock(&hdf5_lock);
    bool is_whole = couRunApart(file_bytes, read_in_child, receive, &reading, reason, sizeof reason);
    pthread_mutex_unlock(&hdf5_lock);
    if (!is_whole) couFaults_Add(faults, path, NULL, "cannot be read: %s", reason);
    if (!is_whole || reading.arrival.has_fault) return false;
    *info = reading.arrival.info;
    if (!state || couState_Hash(state) == info->state_hash) return true;
    couFaults_Add(faults, path, "state_hash", "is damaged: the state in it hashes to %016llx, stored is %016llx",
                  (unsigned long long)couState_Hash(state), (unsigned long long)info->state_hash);
    return false;
}

bool couReadCheckpoint(const char *path, couCheckpointInfo *info, couState *state, couFaults *faults)
{
    COU_ASSERT(!state || state->count == 0);
    *info = (couCheckpointInfo){0};
    FILE *stream = couOpenFile(path, faults);
    if (!stream) return false;
    uint64_t file_bytes = 0;
    bool is_ok = check_seal(stream, path, &file_bytes, faults);
    fclose(stream);
    is_ok = is_ok && read_sealed(path, info, state, file_bytes, faults);
    if (!is_ok) *info = (couCheckpointInfo){0};
    if (!is_ok && state) couState_Clear(state);
    return is_ok;
}
