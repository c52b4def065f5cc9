// Film: raw frames through a pipe to the ffmpeg program, which encodes them beside the run. It writes to a temporary file in the
// same folder; only a film that ffmpeg has finished well is synced and renamed. It is given the file itself and not its name: it
// outlives a run that is killed, and a name that was tidied up meanwhile would be there again. ffmpeg gets a process group of its
// own, so that Ctrl-C ends the run in order and the film with it, not in the middle of a frame. Its messages go to a file in
// memory, which cannot fill up and block as a pipe could; the last of them end up in the fault.
//
// Limits: a frame is handed over as fast as ffmpeg reads; there is no time-out for an encoder that stands still.
#include "coulis/picture.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_OUTPUT 10 // the least descriptor of the film's file: out of the way of ffmpeg's standard ones

extern char **environ;

struct couFilm {
    char path[1024];
    char temporary[1024 + 32];
    int width, height;
    int frame_count;
    pid_t encoder; // 0 when it has been waited for
    int frames;    // our end of the pipe, -1 when closed
    int messages;  // what ffmpeg said, -1 when there is none
    int output;    // the temporary file, -1 once ffmpeg has it
    bool has_failed;
};

typedef enum couFilmKind { cou_filmMp4, cou_filmGif, cou_filmWebp } couFilmKind;

static couFilmKind film_kind(const char *path)
{
    const char *ending = strrchr(path, '.');
    if (ending && strcasecmp(ending, ".gif") == 0) return cou_filmGif;
    if (ending && strcasecmp(ending, ".webp") == 0) return cou_filmWebp;
    return cou_filmMp4;
}

// --- Faults -----------------------------------------------------------------------------------------------------------------

// The last lines that ffmpeg wrote, joined by ";".
static void last_messages(const couFilm *film, char *text, size_t size)
{
    struct stat status;
    text[0] = 0;
    if (film->messages < 0 || fstat(film->messages, &status) != 0) return;
    off_t start = status.st_size - (off_t)(size - 1);
    start = COU_MAX(start, 0);
    ssize_t length = pread(film->messages, text, size - 1, start);
    if (length < 0) length = 0;
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r')) length--;
    text[length] = 0;
    for (char *c = text; *c; ++c) {
        if (*c == '\n')
            *c = ';';
        else if ((unsigned char)*c < ' ')
            *c = ' ';
    }
}

static bool add_film_fault(couFilm *film, couFaults *faults, const char *what)
{
    char messages[200];
    last_messages(film, messages, sizeof(messages));
    if (messages[0])
        couFaults_Add(faults, film->path, NULL, "%s; it said: %s", what, messages);
    else
        couFaults_Add(faults, film->path, NULL, "%s", what);
    film->has_failed = true;
    return false;
}

// --- The encoder ------------------------------------------------------------------------------------------------------------

// Waits for the encoder and says in `what` how it ended; true when it ended well.
static bool wait_for_encoder(couFilm *film, char *what, size_t size)
{
    int status = 0;
    pid_t waited;
    do waited = waitpid(film->encoder, &status, 0);
    while (waited < 0 && errno == EINTR);
    film->encoder = 0;
    if (waited < 0)
        snprintf(what, size, "ffmpeg cannot be waited for: %s", strerror(errno));
    else if (WIFSIGNALED(status))
        snprintf(what, size, "ffmpeg was ended by signal %d", WTERMSIG(status));
    else
        snprintf(what, size, "ffmpeg failed with exit code %d", WEXITSTATUS(status));
    return waited > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void close_descriptor(int *descriptor)
{
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

// Signals as a fresh program expects them, our pipe as its input, the film's file where it is with us, a group of its own.
static int spawn_encoder(couFilm *film, char *const *arguments, int input)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    int error = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (error == 0) error = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, film->messages, STDERR_FILENO);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, film->output, film->output); // stays open beyond exec
    if (error == 0) error = posix_spawnp(&film->encoder, "ffmpeg", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// clang-format off
static const char *const input_of[] = {
    "-hide_banner", "-nostdin", "-loglevel", "error", "-xerror", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", NULL,
};
static const char *const mp4[] = {
    "-an", "-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
    "-c:v", "libx264", "-preset", "medium", "-crf", "18",
    "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv",
    "-movflags", "+faststart", "-f", "mp4", NULL,
};
// A palette for each frame: one for all would need all frames in memory.
static const char *const gif[] = {
    "-an", "-filter_complex",
    "[0:v]split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=bayer:bayer_scale=4",
    "-loop", "0", "-f", "gif", NULL,
};
static const char *const webp[] = {
    "-an", "-c:v", "libwebp_anim", "-pix_fmt", "yuv420p", "-quality", "80", "-loop", "0", "-f", "webp", NULL,
};
// clang-format on

// Colours are converted by and marked as BT.709, which players assume for films of this size.
static int start_encoder(couFilm *film, double fps, int input)
{
    char size[32], rate[32], output[sizeof(film->temporary) + 8];
    snprintf(size, sizeof(size), "%dx%d", film->width, film->height);
    snprintf(rate, sizeof(rate), "%ld/1000", lrint(fps * 1000.0)); // a fraction reads the same in every locale
    // No name is taken for an option or an address.
    if (access("/proc/self/fd", X_OK) == 0)
        snprintf(output, sizeof(output), "file:/proc/self/fd/%d", film->output);
    else
        snprintf(output, sizeof(output), "file:%s", film->temporary);
    const char *arguments[64] = {"ffmpeg"};
    int count = 1;
    const char *const from[] = {"-video_size", size, "-framerate", rate, "-i", "pipe:0", NULL};
    const char *const to[] = {output, NULL};
    couFilmKind kind = film_kind(film->path);
    const char *const *const parts[] = {input_of, from, kind == cou_filmGif ? gif : kind == cou_filmWebp ? webp : mp4, to};
    for (int i = 0; i < COU_COUNT(parts); ++i) {
        for (const char *const *part = parts[i]; *part; ++part) arguments[count++] = *part;
    }
    return spawn_encoder(film, (char *const *)arguments, input);
}

// --- Opening ----------------------------------------------------------------------------------------------------------------

static bool check_film(const char *path, int width, int height, double fps, couFaults *faults)
{
    int before = faults->count;
    size_t length = strlen(path);
    struct stat status;
    if (length == 0 || length >= sizeof(((couFilm *)0)->path))
        couFaults_Add(faults, path, NULL, "a path of %zu bytes; allowed: 1 to %zu", length, sizeof(((couFilm *)0)->path) - 1);
    else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        couFaults_Add(faults, path, NULL, "cannot be written: it is there and not a regular file");
    if (width < 16 || width > 16384 || width % 2 != 0)
        couFaults_Add(faults, path, "film.width", "is %d; allowed: even numbers from 16 to 16384", width);
    if (height < 16 || height > 16384 || height % 2 != 0)
        couFaults_Add(faults, path, "film.height", "is %d; allowed: even numbers from 16 to 16384", height);
    // A GIF counts hundredths of a second, and players take one of less than two for ten.
    double max_fps = film_kind(path) == cou_filmGif ? 50.0 : 1000.0;
    if (!(fps >= 0.001 && fps <= max_fps)) couFaults_Add(faults, path, "film.fps", "is %g; allowed: 0.001 to %g", fps, max_fps);
    return faults->count == before;
}

// Makes the temporary file, so that a folder that cannot be written is named before anything runs.
static bool create_temporary(couFilm *film, couFaults *faults)
{
    unlink(film->temporary); // what a killed process with our number may have left
    int descriptor = open(film->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        couFaults_Add(faults, film->path, NULL, "cannot be written: %s", strerror(errno));
        return false;
    }
    film->output = fcntl(descriptor, F_DUPFD_CLOEXEC, FIRST_OUTPUT);
    int error = errno;
    close(descriptor);
    if (film->output >= 0) return true;
    couFaults_Add(faults, film->path, NULL, "cannot be written: %s", strerror(error));
    unlink(film->temporary);
    return false;
}

static bool connect_encoder(couFilm *film, double fps, couFaults *faults)
{
    int ends[2];
    film->messages = memfd_create("ffmpeg messages", MFD_CLOEXEC);
    if (film->messages < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        couFaults_Add(faults, film->path, NULL, "cannot connect to ffmpeg: %s", strerror(errno));
        return false;
    }
    film->frames = ends[1];
    int error = start_encoder(film, fps, ends[0]);
    close(ends[0]);
    close_descriptor(&film->output);
    if (error == 0) return true;
    film->encoder = 0;
    if (error == ENOENT)
        couFaults_Add(faults, film->path, NULL,
                      "a film needs the program ffmpeg, which was not found in PATH (Debian: apt install ffmpeg)");
    else
        couFaults_Add(faults, film->path, NULL, "ffmpeg cannot be started: %s", strerror(error));
    return false;
}

couFilm *couOpenFilm(const char *path, int width, int height, double fps, couFaults *faults)
{
    if (!check_film(path, width, height, fps, faults)) return NULL;
    couFilm *film = couAlloc(NULL, sizeof(couFilm));
    if (!film) {
        couFaults_Add(faults, path, NULL, "not enough memory for a film");
        return NULL;
    }
    film->width = width;
    film->height = height;
    film->frames = film->messages = film->output = -1;
    snprintf(film->path, sizeof(film->path), "%s", path);
    snprintf(film->temporary, sizeof(film->temporary), "%s.%ld.tmp", film->path, (long)getpid());
    if (!create_temporary(film, faults)) {
        couFree(NULL, film);
        return NULL;
    }
    if (connect_encoder(film, fps, faults)) return film;
    couDiscardFilm(film);
    return NULL;
}

// --- Frames -----------------------------------------------------------------------------------------------------------------

// Writes all bytes; 0 or the error. SIGPIPE, which a dead encoder raises in this thread, is held back and taken away again
// unless it was pending before: the program's own handling of it stays as it is.
static int write_all(int descriptor, const uint8_t *bytes, size_t count)
{
    sigset_t pipe_signal, old_mask, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &old_mask);
    int error = 0;
    while (count > 0 && error == 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written >= 0)
            bytes += written, count -= (size_t)written;
        else if (errno != EINTR)
            error = errno;
    }
    if (error == EPIPE && !was_pending) {
        const struct timespec at_once = {0};
        while (sigtimedwait(&pipe_signal, NULL, &at_once) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    return error;
}

bool couFilm_AddFrame(couFilm *film, const couImage *image, couFaults *faults)
{
    if (film->has_failed) {
        couFaults_Add(faults, film->path, NULL, "takes no more frames since an earlier one failed");
        return false;
    }
    if (!image->rgb || image->width != film->width || image->height != film->height) {
        couFaults_Add(faults, film->path, NULL, "the film is %d x %d pixels, the frame %d x %d", film->width, film->height,
                      image->width, image->height);
        return false;
    }
    int error = write_all(film->frames, image->rgb, 3 * (size_t)film->width * (size_t)film->height);
    if (error == 0) {
        ++film->frame_count;
        return true;
    }
    // A closed pipe means that ffmpeg has ended: hear why.
    char what[128];
    close_descriptor(&film->frames);
    if (error != EPIPE)
        snprintf(what, sizeof(what), "cannot send a frame to ffmpeg: %s", strerror(error));
    else if (wait_for_encoder(film, what, sizeof(what)))
        snprintf(what, sizeof(what), "ffmpeg ended before the film did");
    return add_film_fault(film, faults, what);
}

// --- Closing ----------------------------------------------------------------------------------------------------------------

// Syncs and renames the finished film.
static bool publish(couFilm *film, couFaults *faults)
{
    int descriptor = open(film->temporary, O_RDONLY | O_CLOEXEC);
    struct stat status = {0};
    bool is_good = descriptor >= 0 && fstat(descriptor, &status) == 0 && fsync(descriptor) == 0;
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    if (is_good && status.st_size == 0) return add_film_fault(film, faults, "ffmpeg wrote an empty film");
    if (is_good && rename(film->temporary, film->path) == 0) return true;
    if (is_good) error = errno;
    char what[160];
    snprintf(what, sizeof(what), "cannot be written: %s", strerror(error));
    return add_film_fault(film, faults, what);
}

static bool finish(couFilm *film, couFaults *faults)
{
    char what[128];
    close_descriptor(&film->frames); // the end of the film for ffmpeg
    if (film->has_failed) return add_film_fault(film, faults, "there is no film since a frame failed");
    bool has_ended_well = wait_for_encoder(film, what, sizeof(what));
    if (film->frame_count == 0) return add_film_fault(film, faults, "a film needs at least one frame");
    if (!has_ended_well) return add_film_fault(film, faults, what);
    return publish(film, faults);
}

bool couCloseFilm(couFilm *film, couFaults *faults)
{
    bool is_published = finish(film, faults);
    couDiscardFilm(film); // frees; after the rename there is no temporary file left to remove
    return is_published;
}

void couDiscardFilm(couFilm *film)
{
    if (!film) return;
    close_descriptor(&film->frames);
    if (film->encoder > 0) {
        char what[128];
        kill(film->encoder, SIGKILL);
        wait_for_encoder(film, what, sizeof(what));
    }
    close_descriptor(&film->messages);
    close_descriptor(&film->output);
    unlink(film->temporary);
    couFree(NULL, film);
}
