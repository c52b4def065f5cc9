/// Shared by the tests of src/io: a scratch folder, whole files, faults, a disk that is full.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coulis/base.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_folder[64];

/// Path of a file in the scratch folder; the last four stay valid.
static inline const char *scratch(const char *name)
{
    static char paths[4][256];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline int make_scratch(void **context)
{
    (void)context;
    strcpy(scratch_folder, "io_test_XXXXXX");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int remove_scratch(void **context)
{
    (void)context;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch_folder);
    return system(command) == 0 ? 0 : -1;
}

/// Entries in the scratch folder: one more than expected is a forgotten temporary file.
static inline int count_scratch(void)
{
    int count = 0;
    DIR *folder = opendir(scratch_folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static inline void write_bytes(const char *path, const void *data, size_t size)
{
    unlink(path); // ext4 flushes a file that was cut to nothing and filled again, which is slow
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static inline void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

/// Free with free(); has a terminating zero.
static inline char *read_bytes(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    size_t bytes = (size_t)ftell(stream);
    rewind(stream);
    char *data = malloc(bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, bytes, stream), bytes);
    fclose(stream);
    data[bytes] = '\0';
    if (size) *size = bytes;
    return data;
}

static inline void expect_text(const char *path, const char *expected)
{
    char *text = read_bytes(path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

/// Exactly one fault that names the file and says `part`; clears the list.
static inline void expect_fault(couFaults *faults, const char *path, const char *part)
{
    if (faults->count != 1) fail_msg("expected one fault on %s with '%s', got %d", path, part, faults->count);
    const couFault *fault = &faults->items[0];
    if (strncmp(fault->where, path, sizeof fault->where - 1) != 0 || !strstr(fault->message, part))
        fail_msg("expected a fault on %s with '%s', got '%s: %s'", path, part, fault->where, fault->message);
    couFaults_Clear(faults);
}

static inline void expect_no_fault(couFaults *faults)
{
    if (faults->count > 0) fail_msg("unexpected fault '%s: %s'", faults->items[0].where, faults->items[0].message);
}

/// From here to set_disk_room(-1), no file can grow beyond `bytes`: what the kernel says to a process on a full disk, but for the
/// number of the error.
static inline void set_disk_room(long bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < 0 ? limit.rlim_max : (rlim_t)bytes;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}
