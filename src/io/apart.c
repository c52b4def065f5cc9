// A child process with limits of memory and time that hands its answer back through a pipe. A fork costs a millisecond or two.
#include "io/apart.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void couApart_Send(int pipe, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t sent = write(pipe, at, bytes);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) _exit(1);
        at += sent;
        bytes -= (size_t)sent;
    }
}

bool couApart_Receive(int pipe, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        ssize_t got = read(pipe, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

// A crash must not print or dump, and time and memory are what a file of this size may need at most.
static void limit_child(uint64_t file_bytes)
{
    for (int s = 1; s < NSIG; ++s) signal(s, SIG_DFL);
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO), dup2(nowhere, STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    rlim_t seconds = 3 + 2 * (rlim_t)(file_bytes >> 20); // a megabyte takes about 0.1 s
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
    alarm((unsigned)COU_MIN(300 + 20 * seconds, INT_MAX)); // one that waits for what never comes uses no time of the CPU
#ifndef __SANITIZE_ADDRESS__                               // whose shadow memory is terabytes
    unsigned long long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm && fscanf(statm, "%llu", &pages) == 1) {
        rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)512 << 20) + 64 * (rlim_t)file_bytes;
        setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
    }
    if (statm) fclose(statm);
#endif
}

static void describe_death(int status, char *text, size_t size)
{
    int sign = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (sign == SIGXCPU || sign == SIGALRM)
        snprintf(text, size, "it takes longer than such a file may");
    else if (sign == SIGINT || sign == SIGTERM)
        snprintf(text, size, "interrupted");
    else if (sign)
        snprintf(text, size, "it is damaged, or needs more memory than such a file may (%s)", strsignal(sign));
    else
        snprintf(text, size, "it is damaged, or needs more memory than such a file may");
}

bool couRunApart(uint64_t file_bytes, couApartWork *work, couApartAnswer *answer, void *context, char *reason, size_t size)
{
    int ends[2];
    pid_t child = -1;
    fflush(NULL); // what is buffered must not be written twice
    if (pipe2(ends, O_CLOEXEC) == 0) {
        child = fork();
        if (child == 0) {
            close(ends[0]); // or the child would wait for itself to read
            limit_child(file_bytes);
            work(context, ends[1]);
            _exit(0);
        }
        close(ends[1]);
        if (child < 0) close(ends[0]);
    }
    if (child < 0) {
        snprintf(reason, size, "no process for it: %s", strerror(errno));
        return false;
    }
    bool is_whole = answer(context, ends[0]);
    close(ends[0]); // a child that still writes ends by that
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!is_whole) describe_death(status, reason, size);
    return is_whole;
}
