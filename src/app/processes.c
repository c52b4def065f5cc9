// Child processes. Each is a group of its own: Ctrl-C on the terminal comes to the program alone, which passes it on once, since
// a second signal would end a run without its checkpoint. Should the program be killed, the kernel sends its children SIGTERM.
#include "app/processes.h"
#include "app/run.h"
#include "files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

bool couFindSelf(char *path, size_t size, couFaults *faults)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) {
        couFaults_Add(faults, "/proc/self/exe", NULL, "does not say where this program is: %s", strerror(errno));
        return false;
    }
    path[length] = '\0';
    return true;
}

// Between fork and exec: only calls that are safe there.
static void become(char *const *arguments, int output, pid_t parent)
{
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != parent) _exit(cou_exitFailed);
    int input = open("/dev/null", O_RDONLY);
    if (input >= 0) dup2(input, STDIN_FILENO);
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
    }
    execv(arguments[0], arguments);
    _exit(127);
}

pid_t couStartProcess(char *const *arguments, const char *log, couFaults *faults)
{
    int output = log ? couOpenLog(log, faults) : -1;
    if (log && output < 0) return -1;
    pid_t parent = getpid(), process = fork();
    if (process == 0) become(arguments, output, parent);
    if (process < 0) couFaults_Add(faults, arguments[0], NULL, "cannot be started: %s", strerror(errno));
    if (output >= 0) close(output);
    return process;
}

bool couHasEnded(pid_t process, int *code)
{
    int status = 0;
    pid_t got = waitpid(process, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    *code = got < 0 ? cou_exitFailed : WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}
