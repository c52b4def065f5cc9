// Files that are whole or not there. What is written goes to path.PID.tmp beside the final name; commit flushes and syncs it,
// renames it and syncs the folder, so that a reader, a full disk, a kill or a power cut meets the old file or the new one, never
// a piece. Every error up to the last fclose is reported. A killed process leaves its .tmp file behind.
#include "files/file.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool add_write_fault(couFaults *faults, const char *path, int error)
{
    couFaults_Add(faults, path, NULL, "cannot be written: %s", strerror(error));
    return false;
}

static bool add_read_fault(couFaults *faults, const char *path, int error)
{
    couFaults_Add(faults, path, NULL, "cannot be read: %s", strerror(error));
    return false;
}

// Opens a file that was not there before. One that a killed process with our number left is removed first; links are not
// followed.
static int open_new(const char *path)
{
    for (int attempt = 0;; ++attempt) {
        int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST || attempt == 1) return descriptor;
        if (unlink(path) != 0) return -1;
    }
}

bool couFile_Create(couFile *file, const char *path, couFaults *faults)
{
    *file = (couFile){0};
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof file->path) {
        couFaults_Add(faults, path, NULL, "a path of %zu bytes; allowed: 1 to %zu", length, sizeof file->path - 1);
        return false;
    }
    memcpy(file->path, path, length + 1);
    snprintf(file->temporary, sizeof file->temporary, "%s.%d.tmp", file->path, (int)getpid());

    // The rename would put a plain file in the place of a device or fail on a folder after all the work.
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        couFaults_Add(faults, path, NULL, "cannot be written: it is there and not a regular file");
        return false;
    }
    int descriptor = open_new(file->temporary);
    if (descriptor < 0) return add_write_fault(faults, path, errno);
    file->stream = fdopen(descriptor, "wb");
    if (!file->stream) {
        int error = errno;
        close(descriptor);
        unlink(file->temporary);
        return add_write_fault(faults, path, error);
    }
    return true;
}

bool couFile_Write(couFile *file, const void *data, size_t bytes)
{
    if (file->error != 0) return false;
    errno = 0;
    if (fwrite(data, 1, bytes, file->stream) == bytes) return true;
    file->error = errno != 0 ? errno : EIO;
    return false;
}

// Some file systems have nothing to sync and say so.
static int sync_descriptor(int descriptor)
{
    if (fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP || errno == ENOSYS) return 0;
    return errno;
}

// Why an earlier write through the stream failed, which stdio does not keep: asks again. The file is lost anyway.
static int ask_write_error(int descriptor)
{
    if (lseek(descriptor, 0, SEEK_END) < 0 || write(descriptor, "", 1) < 0) return errno;
    return EIO;
}

// Closes the stream in every case; returns the first error of all writes, 0 when the bytes are on the disk.
static int close_synced(couFile *file)
{
    int error = file->error;
    if (fflush(file->stream) != 0 && error == 0) error = errno;
    if (ferror(file->stream) && error == 0) error = ask_write_error(fileno(file->stream));
    if (error == 0) error = sync_descriptor(fileno(file->stream));
    if (fclose(file->stream) != 0 && error == 0) error = errno;
    file->stream = NULL;
    return error;
}

// Makes the new name itself last.
static int sync_folder_of(const char *path)
{
    char folder[sizeof((couFile *)0)->path];
    const char *slash = strrchr(path, '/');
    if (!slash)
        strcpy(folder, ".");
    else
        snprintf(folder, sizeof folder, "%.*s", (int)COU_MAX(slash - path, 1), path);
    int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno == EACCES ? 0 : errno; // a folder that we may write but not read cannot be synced
    int error = sync_descriptor(descriptor);
    close(descriptor);
    return error;
}

bool couFile_Commit(couFile *file, couFaults *faults)
{
    COU_ASSERT(file->stream);
    int error = close_synced(file);
    if (error == 0 && rename(file->temporary, file->path) != 0) error = errno;
    if (error != 0) {
        unlink(file->temporary);
        return add_write_fault(faults, file->path, error);
    }
    error = sync_folder_of(file->path);
    return error == 0 || add_write_fault(faults, file->path, error);
}

void couFile_Discard(couFile *file)
{
    if (!file->stream) return;
    fclose(file->stream);
    unlink(file->temporary);
    file->stream = NULL;
}

// mkdir -p. Returns errno, 0 when the folder is there.
static int make_folders(char *path)
{
    for (char *slash = path + 1;; ++slash) {
        slash += strcspn(slash, "/");
        bool is_last = *slash == '\0';
        *slash = '\0';
        // A parent that is there counts, even where mkdir complains about something else first (a read-only parent...).
        struct stat status;
        if (mkdir(path, 0777) != 0) {
            int error = errno;
            if (stat(path, &status) != 0) return error;
            if (!S_ISDIR(status.st_mode)) return ENOTDIR;
        }
        if (is_last) return 0;
        *slash = '/';
    }
}

// Permission bits lie (root, read-only mounts, quotas): only a file that was really created proves it.
static int probe_folder(const char *path)
{
    char probe[1100];
    snprintf(probe, sizeof probe, "%s/.coulis.%ld.tmp", path, (long)getpid());
    int descriptor = open_new(probe);
    if (descriptor < 0) return errno;
    close(descriptor);
    return unlink(probe) == 0 ? 0 : errno;
}

bool couMakeFolder(const char *path, couFaults *faults)
{
    char copy[1024];
    size_t length = strlen(path);
    if (length == 0 || length >= sizeof copy) {
        couFaults_Add(faults, path, NULL, "a path of %zu bytes; allowed: 1 to %zu", length, sizeof copy - 1);
        return false;
    }
    memcpy(copy, path, length + 1);
    int error = make_folders(copy);
    if (error != 0) {
        couFaults_Add(faults, path, NULL, "the folder cannot be made: %s", strerror(error));
        return false;
    }
    error = probe_folder(path);
    if (error == 0) return true;
    couFaults_Add(faults, path, NULL, "the folder cannot be written: %s", strerror(error));
    return false;
}

int couOpenLog(const char *path, couFaults *faults)
{
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    struct stat status;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
    const char *reason = file < 0 && errno != ENXIO ? strerror(errno) : "it is there and not a regular file"; // ENXIO: a pipe
    couFaults_Add(faults, path, NULL, "cannot be written: %s", reason);
    if (file >= 0) close(file);
    return -1;
}

// Without O_NONBLOCK a pipe of that name would wait for a writer; regular files do not know it.
FILE *couOpenFile(const char *path, couFaults *faults)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat status;
    const char *reason = NULL;
    if (file < 0 || fstat(file, &status) != 0)
        reason = strerror(errno);
    else if (S_ISDIR(status.st_mode))
        reason = strerror(EISDIR);
    else if (!S_ISREG(status.st_mode))
        reason = "it is not a regular file";
    FILE *stream = reason ? NULL : fdopen(file, "rb");
    if (!reason && !stream) reason = strerror(errno);
    if (!stream && file >= 0) close(file);
    if (!stream && faults) couFaults_Add(faults, path, NULL, "cannot be read: %s", reason);
    return stream;
}

// Reads to the end; the size that a file claims is only the first guess, as those of /proc claim 0.
static char *read_stream(FILE *stream, size_t guess, size_t limit, size_t *size, int *error)
{
    size_t capacity = guess + 1, count = 0;
    char *text = malloc(capacity + 1);
    while (text) {
        errno = 0;
        count += fread(text + count, 1, capacity - count, stream);
        if (ferror(stream))
            *error = errno != 0 ? errno : EIO;
        else if (count > limit)
            *error = EFBIG;
        else if (count < capacity) {
            text[count] = '\0';
            *size = count;
            return text;
        }
        if (*error != 0) break;
        capacity += capacity / 2 + 4096;
        char *larger = realloc(text, capacity + 1);
        if (!larger) break;
        text = larger;
    }
    if (*error == 0) *error = ENOMEM;
    free(text);
    return NULL;
}

char *couReadFile(const char *path, size_t limit, size_t *size, couFaults *faults)
{
    if (size) *size = 0;
    FILE *stream = couOpenFile(path, faults);
    struct stat status;
    if (!stream || fstat(fileno(stream), &status) != 0) {
        if (stream) fclose(stream);
        return NULL;
    }
    size_t guess = status.st_size > 0 ? (size_t)status.st_size : 0;
    int error = guess > limit ? EFBIG : 0;
    size_t count = 0;
    char *text = error == 0 ? read_stream(stream, guess, limit, &count, &error) : NULL;
    fclose(stream);
    if (error == EFBIG)
        couFaults_Add(faults, path, NULL, "is too large; allowed: up to %zu bytes", limit);
    else if (error != 0)
        add_read_fault(faults, path, error);
    if (size) *size = count;
    return text;
}
