// Loaded before the C library (LD_PRELOAD): one call of a kind fails, as on a machine without memory or with a full disk.
//   COU_FAIL=alloc:12 the twelfth allocation; write:3 the third write, flush or sync; name:2 the second rename, mkdir or new file
//   COU_FAIL_KILLS=1 the process ends at that call instead, as by kill -9
//   COU_FAIL_COUNT=FILE where the number of calls of each kind is left at the end
// Only calls of the program itself count, not those of libraries: what HDF5 or Embree make of a failure is not ours to mend.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kind_alloc, kind_write, kind_name, kind_count };
static const char *const kinds[kind_count] = {"alloc", "write", "name"};
static atomic_long counts[kind_count];
static long failing[kind_count];
static int is_killing;
static pid_t program;        // its process, not those that it makes to read files
static uintptr_t begin, end; // of the program's code

// The first object is the program.
static int find_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        begin = info->dlpi_addr + part->p_vaddr;
        end = begin + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("COU_FAIL");
    for (int k = 0; text && k < kind_count; ++k) {
        size_t length = strlen(kinds[k]);
        if (strncmp(text, kinds[k], length) == 0 && text[length] == ':') failing[k] = strtol(text + length + 1, NULL, 10);
    }
    is_killing = getenv("COU_FAIL_KILLS") != NULL;
    program = getpid();
    dl_iterate_phdr(find_program, NULL);
}

__attribute__((destructor)) static void stop(void)
{
    const char *path = getenv("COU_FAIL_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file < 0) return;
    dprintf(file, "%ld %ld %ld\n", atomic_load(&counts[0]), atomic_load(&counts[1]), atomic_load(&counts[2]));
    close(file);
}

static int fails(int kind, const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    if (at < begin || at >= end || (is_killing && getpid() != program)) return 0;
    if (atomic_fetch_add(&counts[kind], 1) + 1 != failing[kind]) return 0;
    if (is_killing) kill(getpid(), SIGKILL);
    return 1;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALLER __builtin_return_address(0)

// The C library's own, under the names that dlsym() does not need memory for.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static void *refuse_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return fails(kind_alloc, CALLER) ? refuse_memory() : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(kind_alloc, CALLER) ? refuse_memory() : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails(kind_alloc, CALLER) ? refuse_memory() : __libc_realloc(block, size); }

int posix_memalign(void **block, size_t alignment, size_t size)
{
    return fails(kind_alloc, CALLER) ? ENOMEM : NEXT(posix_memalign)(block, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(kind_alloc, CALLER) ? refuse_memory() : NEXT(aligned_alloc)(alignment, size);
}

static int refuse_room(void)
{
    errno = ENOSPC;
    return -1;
}

size_t fwrite(const void *data, size_t size, size_t count, FILE *stream)
{
    if (!fails(kind_write, CALLER)) return NEXT(fwrite)(data, size, count, stream);
    stream->_flags |= 0x20; // ferror(), as after a write that really failed
    refuse_room();
    return 0;
}

int fflush(FILE *stream)
{
    if (!fails(kind_write, CALLER)) return NEXT(fflush)(stream);
    if (stream) stream->_flags |= 0x20;
    return refuse_room();
}
int fsync(int file) { return fails(kind_write, CALLER) ? refuse_room() : NEXT(fsync)(file); }
ssize_t write(int file, const void *data, size_t size)
{
    return fails(kind_write, CALLER) ? refuse_room() : NEXT(write)(file, data, size);
}

int rename(const char *from, const char *to) { return fails(kind_name, CALLER) ? refuse_room() : NEXT(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails(kind_name, CALLER) ? refuse_room() : NEXT(mkdir)(path, mode); }

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (flags & O_CREAT && fails(kind_name, CALLER)) return refuse_room();
    return NEXT(open)(path, flags, mode);
}
