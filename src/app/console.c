// Messages, progress and interrupts: all that the commands say on stderr passes here, so that a progress bar and a warning never
// share a line. The state is the program's one terminal, hence the only statics of the program.
#include "app/app.h"
#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MAX_WARNINGS 100

static bool has_bar; // the cursor stands behind a progress bar
static char *warnings[MAX_WARNINGS];
static int warning_count;

// To the terminal itself, which stderr would only show.
static void tell_terminal(const char *text)
{
    fflush(stderr);
    while (write(STDERR_FILENO, text, strlen(text)) < 0 && errno == EINTR) {}
}

static void clear_bar(void)
{
    if (has_bar) tell_terminal("\r\033[K");
    has_bar = false;
}

// --- Messages ---

void couPrintFaults(const couFaults *faults)
{
    clear_bar();
    for (int i = 0; i < faults->count; ++i) {
        const couFault *fault = &faults->items[i];
        fprintf(stderr, "%s%s%s%s%s\n", fault->where, fault->where[0] ? ": " : "", fault->key, fault->key[0] ? ": " : "",
                fault->message);
        couJournal("fault: %s%s%s%s%s", fault->where, fault->where[0] ? ": " : "", fault->key, fault->key[0] ? ": " : "",
                   fault->message);
    }
}

int couFail(couFaults *faults, int code)
{
    couPrintFaults(faults);
    // Without memory there is none for the fault either.
    if (faults->count == 0) fputs("out of memory\n", stderr);
    couFaults_Clear(faults);
    return code;
}

// A warning that repeats each step is said once.
static bool remember(const char *message)
{
    for (int i = 0; i < warning_count; ++i)
        if (strcmp(warnings[i], message) == 0) return false;
    if (warning_count == MAX_WARNINGS) return false;
    char *copy = strdup(message);
    if (!copy) return false;
    warnings[warning_count++] = copy;
    return true;
}

static void say(const char *kind, const char *message)
{
    if (!remember(message)) return;
    clear_bar();
    fprintf(stderr, "%s: %s\n", kind, message);
    couJournal("%s: %s", kind, message);
}

static bool is_silent; // of notes

static void receive(void *context, couLogLevel level, const char *message)
{
    (void)context;
    if (level == cou_logInfo) couJournal("%s", message);
    if (level == cou_logInfo && !is_silent) {
        clear_bar();
        fprintf(stderr, "%s\n", message);
    }
    if (level == cou_logWarning) say("warning", message);
    if (level == cou_logError) say("error", message);
}

static void forget(void)
{
    couSetLog(NULL, NULL);
    while (warning_count > 0) free(warnings[--warning_count]);
}

void couStartMessages(void)
{
    couSetLog(receive, NULL);
    atexit(forget);
}

void couSilenceNotes(void) { is_silent = true; }

void couWarn(const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    say("warning", message);
}

const char *const *couWarnings(int *count)
{
    *count = warning_count;
    return (const char *const *)warnings;
}

bool couHasReader(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) < 0 || !(out.revents & POLLERR); // which the end that writes a pipe shows when the other is closed
}

// --- Numbers for people ---

char *couFormatCount(char *text, size_t size, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; ++i) {
        if (i > 0 && (length - i) % 3 == 0) text[used++] = ' ';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

char *couFormatRate(char *text, size_t size, double per_second)
{
    if (per_second >= 1e6)
        snprintf(text, size, "%.1f million", per_second * 1e-6);
    else if (per_second >= 1e3)
        snprintf(text, size, "%.1f thousand", per_second * 1e-3);
    else
        snprintf(text, size, "%.2g", per_second);
    return text;
}

char *couFormatSeconds(char *text, size_t size, double seconds)
{
    if (seconds < 1.0)
        snprintf(text, size, "%.0f ms", seconds * 1e3);
    else if (seconds < 60.0)
        snprintf(text, size, "%.1f s", seconds);
    else if (seconds < 3600.0)
        snprintf(text, size, "%d min %02d s", (int)(seconds / 60.0), (int)seconds % 60);
    else
        snprintf(text, size, "%.0f h %02d min", floor(seconds / 3600.0), (int)(fmod(seconds, 3600.0) / 60.0));
    return text;
}

char *couFormatBytes(char *text, size_t size, double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    while (bytes >= 1000.0 && unit < 4) {
        bytes /= 1000.0;
        ++unit;
    }
    snprintf(text, size, unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
    return text;
}

// A millionth of a frame is nobody's: it comes from the product of two rounded decimals.
double couCountFrames(double seconds, double fps) { return ceil(seconds * fps - 1e-6); }

uint64_t couPeakRss(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024u : 0;
}

int couThreadCount(int asked)
{
    long count = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    return (int)(count < 1 ? 1 : count > COU_MAX_THREADS ? COU_MAX_THREADS : count);
}

// --- Progress ---

couProgress couStartProgress(const char *noun, int64_t first, int64_t total, bool is_quiet)
{
    const char *terminal = getenv("TERM");
    bool is_terminal = isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    double now = couSeconds();
    return (couProgress){.noun = noun,
                         .first = first,
                         .total = total,
                         .started = now,
                         .shown = now,
                         .is_quiet = is_quiet,
                         .is_terminal = is_terminal,
                         .tenths = total > 0 ? (int)(10 * first / total) : 0};
}

static void draw_bar(double share, const char *text)
{
    char bar[25];
    int full = (int)(share * 24.0);
    memset(bar, ' ', 24);
    memset(bar, '=', (size_t)full);
    if (full < 24) bar[full] = '>';
    bar[24] = '\0';
    tell_terminal("\r\033[K");
    fprintf(stderr, "[%s] %3.0f %%  %s", bar, 100.0 * share, text);
    fflush(stderr);
    has_bar = true;
}

void couProgress_Show(couProgress *progress, int64_t done, const char *note)
{
    if (progress->is_quiet || progress->total <= 0) return;
    double now = couSeconds();
    int tenths = (int)(10 * done / progress->total);
    bool is_due = progress->is_terminal ? now - progress->shown >= 0.1 || done == progress->total
                                        : now - progress->shown >= 5.0 || tenths > progress->tenths;
    if (!is_due) return;
    progress->shown = now;
    progress->tenths = tenths;

    double elapsed = now - progress->started;
    double rate = elapsed > 0.0 ? (double)(done - progress->first) / elapsed : 0.0;
    double left = rate > 0.0 ? (double)(progress->total - done) / rate : 0.0;
    char left_text[32], text[400];
    snprintf(text, sizeof text, "%s %lld/%lld%s%s  %.2f %ss/s  %s left", progress->noun, (long long)done,
             (long long)progress->total, note ? "  " : "", note ? note : "", rate, progress->noun,
             couFormatSeconds(left_text, sizeof left_text, left));
    if (progress->is_terminal)
        draw_bar((double)done / (double)progress->total, text);
    else
        fprintf(stderr, "%s\n", text);
}

void couProgress_End(couProgress *progress)
{
    if (has_bar) fputc('\n', stderr);
    has_bar = false;
    progress->is_quiet = true;
}

// --- Interrupts ---

static _Atomic int caught_signal;

static void catch_signal(int signal_number) { atomic_store(&caught_signal, signal_number); }

void couCatchInterrupts(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; ++i) {
        struct sigaction old, action = {.sa_handler = catch_signal, .sa_flags = SA_RESETHAND | SA_RESTART};
        sigemptyset(&action.sa_mask);
        // nohup ignores SIGHUP on purpose; scripts ignore SIGINT for what they start in the background, but there, too, whoever
        // sends it means the run
        bool is_wanted = sigaction(signals[i], NULL, &old) == 0 && (signals[i] != SIGHUP || old.sa_handler != SIG_IGN);
        if (is_wanted) sigaction(signals[i], &action, NULL);
    }
}

int couInterrupted(void) { return atomic_load(&caught_signal); }
