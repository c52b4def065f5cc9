// Film: what ffprobe says of a finished one, and every way in which ffmpeg, the disk or the caller can fail. Stand-ins for ffmpeg
// are small scripts found first in PATH.
#include "coulis/picture.h"

#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WIDTH 64
#define HEIGHT 48

static char folder[] = "/tmp/coulis-film-XXXXXX";
static char usual_path[4096];
static couFaults faults;

// --- Helpers ----------------------------------------------------------------------------------------------------------------

static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static int count_files(void)
{
    int count = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));) count += entry->d_name[0] != '.';
    closedir(listing);
    return count;
}

static int start(void **context)
{
    (void)context;
    setenv("PATH", usual_path, 1);
    strcpy(folder, "/tmp/coulis-film-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

// After every test: no child is left, no signal waits, the mask is as it was.
static int finish(void **context)
{
    (void)context;
    setenv("PATH", usual_path, 1);
    couFaults_Clear(&faults);
    char command[64];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    if (system(command) != 0) return -1;
    sigset_t set;
    sigpending(&set);
    if (sigismember(&set, SIGPIPE)) return -1;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    if (sigismember(&set, SIGPIPE)) return -1;
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

static void assert_fault(const char *key, const char *part)
{
    for (int i = 0; i < faults.count; ++i) {
        if (strcmp(faults.items[i].key, key) == 0 && strstr(faults.items[i].message, part)) {
            couFaults_Clear(&faults);
            return;
        }
    }
    fail_msg("no fault for '%s' with '%s' among %d (first: %s)", key, part, faults.count,
             faults.count ? faults.items[0].message : "");
}

static couImage make_image(int width, int height, uint8_t r, uint8_t g, uint8_t b)
{
    couImage image = {width, height, couAlloc(NULL, 3 * (size_t)width * (size_t)height)};
    for (int i = 0; i < width * height; ++i) image.rgb[3 * i] = r, image.rgb[3 * i + 1] = g, image.rgb[3 * i + 2] = b;
    return image;
}

static couImage make_noise(int width, int height, uint32_t random)
{
    couImage image = make_image(width, height, 0, 0, 0);
    for (int i = 0; i < 3 * width * height; ++i) image.rgb[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    return image;
}

static couFilm *open_film(const char *path)
{
    couFilm *film = couOpenFilm(path, WIDTH, HEIGHT, 25, &faults);
    if (!film) fail_msg("%s", faults.items[0].message);
    return film;
}

// Puts a script named ffmpeg before everything else in PATH.
static void stand_in(const char *script)
{
    char bin[256], program[300], path[4500];
    snprintf(bin, sizeof(bin), "%s-bin", folder);
    snprintf(program, sizeof(program), "%s/ffmpeg", bin);
    mkdir(bin, 0777);
    FILE *file = fopen(program, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(program, 0755);
    snprintf(path, sizeof(path), "%s:%s", bin, usual_path);
    setenv("PATH", path, 1);
}

static void remove_stand_in(void)
{
    char command[300];
    snprintf(command, sizeof(command), "rm -rf %s-bin", folder);
    assert_int_equal(system(command), 0);
    setenv("PATH", usual_path, 1);
}

static void run_and_read(const char *command, char *text, size_t size)
{
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(text, 1, size - 1, pipe);
    text[length] = 0;
    if (pclose(pipe) != 0) fail_msg("failed: %s", command);
}

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("expected '%s' in:\n%s", part, text);
}

// --- Films ------------------------------------------------------------------------------------------------------------------

static void probe(const char *path, char *text, size_t size)
{
    char command[512];
    snprintf(
        command, sizeof(command),
        "ffprobe -v error -count_frames -show_entries format=format_name:stream=codec_name,width,height,pix_fmt,nb_read_frames,"
        "r_frame_rate,color_space -of default=nw=1 'file:%s'",
        path);
    run_and_read(command, text, size);
}

static void test_film_is_what_was_asked_for(void **context)
{
    (void)context;
    couFilm *film = open_film(in_folder("film.mp4"));
    for (int i = 0; i < 30; ++i) {
        couImage image = make_noise(WIDTH, HEIGHT, (uint32_t)i);
        assert_true(couFilm_AddFrame(film, &image, &faults));
        couFreeImage(&image);
    }
    assert_int_equal(access(in_folder("film.mp4"), F_OK), -1); // not before it is whole
    assert_true(couCloseFilm(film, &faults));
    assert_int_equal(faults.count, 0);
    assert_int_equal(count_files(), 1);
    char text[2048];
    probe(in_folder("film.mp4"), text, sizeof(text));
    assert_contains(text, "codec_name=h264");
    assert_contains(text, "width=64\n");
    assert_contains(text, "height=48\n");
    assert_contains(text, "pix_fmt=yuv420p\n");
    assert_contains(text, "r_frame_rate=25/1");
    assert_contains(text, "nb_read_frames=30\n");
    assert_contains(text, "color_space=bt709");
    assert_contains(text, "mp4");
}

static void test_odd_rates_are_kept(void **context)
{
    (void)context;
    couFilm *film = couOpenFilm(in_folder("film.mp4"), WIDTH, HEIGHT, 23.976, &faults);
    assert_non_null(film);
    couImage image = make_image(WIDTH, HEIGHT, 1, 2, 3);
    assert_true(couFilm_AddFrame(film, &image, &faults) && couFilm_AddFrame(film, &image, &faults));
    couFreeImage(&image);
    assert_true(couCloseFilm(film, &faults));
    char text[2048];
    probe(in_folder("film.mp4"), text, sizeof(text));
    assert_contains(text, "r_frame_rate=2997/125"); // = 23.976
}

static void test_film_has_its_colours_and_can_be_streamed(void **context)
{
    (void)context;
    couFilm *film = open_film(in_folder("film.mp4"));
    couImage image = make_image(WIDTH, HEIGHT, 200, 120, 40);
    for (int i = 0; i < 5; ++i) assert_true(couFilm_AddFrame(film, &image, &faults));
    couFreeImage(&image);
    assert_true(couCloseFilm(film, &faults));
    static char bytes[1 << 16];
    char command[512];
    snprintf(command, sizeof(command), "ffmpeg -nostdin -v error -i %s -frames:v 1 -f rawvideo -pix_fmt rgb24 -",
             in_folder("film.mp4"));
    run_and_read(command, bytes, sizeof(bytes));
    const uint8_t *rgb = (const uint8_t *)bytes + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
    if (abs(rgb[0] - 200) > 6 || abs(rgb[1] - 120) > 6 || abs(rgb[2] - 40) > 6)
        fail_msg("colour %d %d %d", rgb[0], rgb[1], rgb[2]);
    // The index stands before the pictures.
    FILE *file = fopen(in_folder("film.mp4"), "rb");
    size_t length = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    const char *index = memmem(bytes, length, "moov", 4), *pictures = memmem(bytes, length, "mdat", 4);
    assert_true(index && pictures && index < pictures);
}

static void test_odd_names_are_names(void **context)
{
    (void)context;
    // Neither an option, nor an address, nor something for a shell.
    char old[512];
    assert_non_null(getcwd(old, sizeof(old)));
    assert_int_equal(chdir(folder), 0);
    const char *names[] = {"-y.mp4", "a b'c$(touch d);e.mp4", "concat:x|y.mp4", "%03d.mp4"};
    for (int i = 0; i < COU_COUNT(names); ++i) {
        couFilm *film = open_film(names[i]);
        couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
        assert_true(couFilm_AddFrame(film, &image, &faults));
        couFreeImage(&image);
        if (!couCloseFilm(film, &faults)) fail_msg("%s: %s", names[i], faults.items[0].message);
        struct stat status;
        assert_int_equal(stat(names[i], &status), 0);
        assert_true(status.st_size > 500);
        assert_int_equal(status.st_mode & 0400, 0400);
    }
    assert_int_equal(chdir(old), 0);
    assert_int_equal(count_files(), COU_COUNT(names));
}

static void test_discarded_film_leaves_nothing(void **context)
{
    (void)context;
    couFilm *film = open_film(in_folder("film.mp4"));
    couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
    assert_true(couFilm_AddFrame(film, &image, &faults));
    couFreeImage(&image);
    couDiscardFilm(film);
    couDiscardFilm(NULL);
    assert_int_equal(count_files(), 0);
}

// A process that makes a film is killed before ffmpeg has opened its file; whoever tidies up finds the file and removes it. When
// ffmpeg goes on, it must not come back.
static void test_encoder_that_outlives_its_film_leaves_nothing(void **context)
{
    (void)context;
    char script[sizeof(usual_path) + 300], done[300];
    snprintf(script, sizeof(script),
             "while ! [ -e '%s-bin/go' ]; do sleep 0.01; done; PATH='%s' ffmpeg \"$@\"; echo $? >'%s-bin/code'; "
             "mv '%s-bin/code' '%s-bin/done'",
             folder, usual_path, folder, folder, folder);
    stand_in(script);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        couFilm *film = couOpenFilm(in_folder("film.mp4"), WIDTH, HEIGHT, 25, &faults);
        couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
        if (film) couFilm_AddFrame(film, &image, &faults);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(count_files(), 1);
    char command[300];
    snprintf(command, sizeof(command), "rm %s/* && touch %s-bin/go", folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(done, sizeof(done), "%s-bin/done", folder);
    while (access(done, F_OK) != 0) usleep(10000);
    assert_int_equal(count_files(), 0);
    remove_stand_in();
}

// Two colours in turn, 10 frames at 20 a second.
static void make_blinking(const char *name)
{
    couFilm *film = couOpenFilm(in_folder(name), WIDTH, HEIGHT, 20, &faults);
    if (!film) fail_msg("%s", faults.items[0].message);
    for (int i = 0; i < 10; ++i) {
        couImage image = i % 2 ? make_image(WIDTH, HEIGHT, 250, 10, 10) : make_image(WIDTH, HEIGHT, 10, 10, 250);
        assert_true(couFilm_AddFrame(film, &image, &faults));
        couFreeImage(&image);
    }
    assert_true(couCloseFilm(film, &faults));
    assert_int_equal(count_files(), 1);
}

static void test_gif_by_its_ending(void **context)
{
    (void)context;
    make_blinking("film.GIF");
    char text[2048];
    probe(in_folder("film.GIF"), text, sizeof(text));
    assert_contains(text, "codec_name=gif");
    assert_contains(text, "width=64\n");
    assert_contains(text, "height=48\n");
    assert_contains(text, "r_frame_rate=20/1");
    assert_contains(text, "nb_read_frames=10\n");
    // Its own palette keeps pure colours.
    char command[512];
    uint8_t first[3 * WIDTH * HEIGHT] = {0};
    snprintf(command, sizeof(command), "ffmpeg -v error -i %s -frames:v 1 -f rawvideo -pix_fmt rgb24 -", in_folder("film.GIF"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(first, 1, sizeof(first), pipe), sizeof(first));
    assert_int_equal(pclose(pipe), 0);
    assert_true(abs(first[0] - 10) < 12 && abs(first[1] - 10) < 12 && abs(first[2] - 250) < 12);
}

static uint32_t read_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// ffprobe knows no moving WebP: its chunks are counted by hand.
static void test_webp_by_its_ending(void **context)
{
    (void)context;
    make_blinking("film.webp");
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(in_folder("film.webp"), "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    assert_true(size > 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0);
    assert_int_equal(read_u32(bytes + 4) + 8, size);
    int frames = 0, milliseconds = 0, width = 0;
    for (size_t at = 12; at + 8 <= size; at += 8 + ((read_u32(bytes + at + 4) + 1) & ~1u)) {
        const uint8_t *chunk = bytes + at + 8;
        if (memcmp(bytes + at, "VP8X", 4) == 0) width = 1 + (int)(read_u32(chunk + 4) & 0xffffff);
        if (memcmp(bytes + at, "ANMF", 4) != 0) continue;
        frames++;
        milliseconds += (int)(read_u32(chunk + 12) & 0xffffff);
    }
    assert_int_equal(frames, 10);
    assert_int_equal(milliseconds, 500);
    assert_int_equal(width, WIDTH);
}

static void test_gif_has_a_highest_rate(void **context)
{
    (void)context;
    assert_null(couOpenFilm(in_folder("film.gif"), WIDTH, HEIGHT, 60, &faults));
    assert_fault("film.fps", "allowed: 0.001 to 50");
    assert_int_equal(count_files(), 0);
}

// --- Failures ---------------------------------------------------------------------------------------------------------------

static void test_wrong_sizes_and_rates_are_faults(void **context)
{
    (void)context;
    const char *path = in_folder("film.mp4");
    assert_null(couOpenFilm(path, 63, 48, 25, &faults));
    assert_fault("film.width", "63; allowed: even");
    assert_null(couOpenFilm(path, 14, 48, 25, &faults));
    assert_fault("film.width", "14");
    assert_null(couOpenFilm(path, 16386, 48, 25, &faults));
    assert_fault("film.width", "16384");
    assert_null(couOpenFilm(path, 64, 47, 25, &faults));
    assert_fault("film.height", "47");
    assert_null(couOpenFilm(path, 64, -48, 25, &faults));
    assert_fault("film.height", "-48");
    const double rates[] = {0, -1, NAN, INFINITY, 1001};
    for (int i = 0; i < COU_COUNT(rates); ++i) {
        assert_null(couOpenFilm(path, 64, 48, rates[i], &faults));
        assert_fault("film.fps", "allowed: 0.001 to 1000");
    }
    assert_null(couOpenFilm("", 3, 3, 0, &faults));
    assert_int_equal(faults.count, 4);
    assert_fault("", "path of 0 bytes");
    static char long_path[2000];
    memset(long_path, 'a', sizeof(long_path) - 1);
    assert_null(couOpenFilm(long_path, 64, 48, 25, &faults));
    assert_fault("", "path of 1999 bytes");
    assert_int_equal(count_files(), 0);
}

static void test_film_needs_a_writable_place(void **context)
{
    (void)context;
    assert_null(couOpenFilm(in_folder("not-there/film.mp4"), WIDTH, HEIGHT, 25, &faults));
    assert_fault("", "No such file");
    assert_null(couOpenFilm(folder, WIDTH, HEIGHT, 25, &faults));
    assert_fault("", "not a regular file");
    assert_null(couOpenFilm("/proc/film.mp4", WIDTH, HEIGHT, 25, &faults));
    assert_fault("", "cannot be written");
}

static void test_frame_of_another_size_is_a_fault(void **context)
{
    (void)context;
    couFilm *film = open_film(in_folder("film.mp4"));
    couImage good = make_image(WIDTH, HEIGHT, 9, 9, 9), bad = make_image(WIDTH + 2, HEIGHT, 9, 9, 9), none = {0};
    assert_false(couFilm_AddFrame(film, &bad, &faults));
    assert_fault("", "64 x 48 pixels, the frame 66 x 48");
    assert_false(couFilm_AddFrame(film, &none, &faults));
    assert_fault("", "the frame 0 x 0");
    // The film itself is still good.
    assert_true(couFilm_AddFrame(film, &good, &faults));
    assert_true(couCloseFilm(film, &faults));
    couFreeImage(&good);
    couFreeImage(&bad);
}

static void test_film_without_frames_is_a_fault(void **context)
{
    (void)context;
    assert_false(couCloseFilm(open_film(in_folder("film.mp4")), &faults));
    assert_fault("", "at least one frame");
    assert_int_equal(count_files(), 0);
}

static void test_missing_ffmpeg_is_a_fault(void **context)
{
    (void)context;
    setenv("PATH", folder, 1);
    assert_null(couOpenFilm(in_folder("film.mp4"), WIDTH, HEIGHT, 25, &faults));
    assert_fault("", "not found in PATH");
    setenv("PATH", usual_path, 1);
    assert_int_equal(count_files(), 0);
}

// Adds frames until one fails; large ones, since the first few fit into the pipe.
static void add_until_failure(couFilm *film)
{
    couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
    int i = 0;
    while (couFilm_AddFrame(film, &image, &faults)) {
        if (++i > 1000) fail_msg("1000 frames taken by an ffmpeg that has ended");
    }
    couFreeImage(&image);
}

static void test_ffmpeg_that_dies_is_a_fault_with_its_words(void **context)
{
    (void)context;
    signal(SIGPIPE, SIG_DFL); // the test must survive without help
    stand_in("echo first line >&2; echo Unknown encoder libx264 >&2; exit 3");
    couFilm *film = open_film(in_folder("film.mp4"));
    add_until_failure(film);
    assert_int_equal(faults.count, 1);
    assert_contains(faults.items[0].message, "exit code 3");
    assert_contains(faults.items[0].where, "film.mp4");
    assert_fault("", "first line;Unknown encoder libx264");
    // From then on it takes nothing more, and closing says that there is no film.
    couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
    assert_false(couFilm_AddFrame(film, &image, &faults));
    assert_fault("", "no more frames");
    couFreeImage(&image);
    assert_false(couCloseFilm(film, &faults));
    assert_fault("", "no film");
    assert_int_equal(count_files(), 0);
    remove_stand_in();
}

static void test_ffmpeg_that_fails_at_the_end_is_a_fault(void **context)
{
    (void)context;
    stand_in("cat >/dev/null; echo cannot finish >&2; exit 1");
    couFilm *film = open_film(in_folder("film.mp4"));
    couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
    assert_true(couFilm_AddFrame(film, &image, &faults));
    couFreeImage(&image);
    assert_false(couCloseFilm(film, &faults));
    assert_fault("", "exit code 1; it said: cannot finish");
    assert_int_equal(count_files(), 0);
    remove_stand_in();
}

static void test_ffmpeg_that_is_killed_is_a_fault(void **context)
{
    (void)context;
    stand_in("kill -9 $$");
    couFilm *film = open_film(in_folder("film.mp4"));
    add_until_failure(film);
    assert_fault("", "signal 9");
    couDiscardFilm(film);
    remove_stand_in();
}

static void test_ffmpeg_that_writes_nothing_is_a_fault(void **context)
{
    (void)context;
    stand_in("cat >/dev/null");
    couFilm *film = open_film(in_folder("film.mp4"));
    couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
    assert_true(couFilm_AddFrame(film, &image, &faults));
    couFreeImage(&image);
    assert_false(couCloseFilm(film, &faults));
    assert_fault("", "empty film");
    assert_int_equal(count_files(), 0);
    remove_stand_in();
}

static void test_ffmpeg_that_leaves_early_is_a_fault(void **context)
{
    (void)context;
    stand_in("exit 0");
    couFilm *film = open_film(in_folder("film.mp4"));
    add_until_failure(film);
    assert_fault("", "ended before the film");
    assert_false(couCloseFilm(film, &faults));
    remove_stand_in();
}

static void test_talkative_ffmpeg_does_not_block(void **context)
{
    (void)context;
    // More words than a pipe holds, before it reads the first frame.
    stand_in("i=0; while [ $i -lt 3000 ]; do echo 'a line of forty characters to fill a pipe' >&2; i=$((i+1)); done; "
             "cat >/dev/null; echo the last word >&2; exit 7");
    couFilm *film = open_film(in_folder("film.mp4"));
    couImage image = make_image(WIDTH, HEIGHT, 9, 9, 9);
    for (int i = 0; i < 20; ++i) assert_true(couFilm_AddFrame(film, &image, &faults));
    couFreeImage(&image);
    assert_false(couCloseFilm(film, &faults));
    assert_fault("", "the last word");
    remove_stand_in();
}

static void test_program_that_hangs_can_be_discarded(void **context)
{
    (void)context;
    stand_in("exec sleep 1000");
    couDiscardFilm(open_film(in_folder("film.mp4")));
    assert_int_equal(count_files(), 0);
    remove_stand_in();
}

static void test_pending_sigpipe_stays_pending(void **context)
{
    (void)context;
    // A SIGPIPE that the program holds back itself is not ours to take.
    sigset_t set, old, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    raise(SIGPIPE);
    stand_in("exit 1");
    couFilm *film = open_film(in_folder("film.mp4"));
    add_until_failure(film);
    couDiscardFilm(film);
    sigpending(&pending);
    assert_true(sigismember(&pending, SIGPIPE));
    int taken;
    sigwait(&set, &taken);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    remove_stand_in();
}

static void test_full_disk_keeps_the_old_film(void **context)
{
    (void)context;
    FILE *old = fopen(in_folder("film.mp4"), "w");
    fputs("old", old);
    fclose(old);
    // A limit on the size of files stands in for the end of the disk.
    struct rlimit usual, tight;
    getrlimit(RLIMIT_FSIZE, &usual);
    tight = (struct rlimit){20000, usual.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    couFilm *film = open_film(in_folder("film.mp4"));
    bool is_good = true;
    for (int i = 0; i < 60 && is_good; ++i) {
        couImage image = make_noise(WIDTH, HEIGHT, (uint32_t)i);
        is_good = couFilm_AddFrame(film, &image, &faults);
        couFreeImage(&image);
    }
    is_good &= couCloseFilm(film, &faults);
    setrlimit(RLIMIT_FSIZE, &usual);
    signal(SIGXFSZ, handler);
    assert_false(is_good);
    assert_fault("", "File too large");
    char text[16] = {0};
    old = fopen(in_folder("film.mp4"), "r");
    assert_int_equal(fread(text, 1, sizeof(text), old), 3);
    fclose(old);
    assert_string_equal(text, "old");
    assert_int_equal(count_files(), 1);
}

int main(void)
{
#define FILM_TEST(function) cmocka_unit_test_setup_teardown(function, start, finish)
    const struct CMUnitTest tests[] = {
        FILM_TEST(test_film_is_what_was_asked_for),
        FILM_TEST(test_gif_by_its_ending),
        FILM_TEST(test_webp_by_its_ending),
        FILM_TEST(test_gif_has_a_highest_rate),
        FILM_TEST(test_odd_rates_are_kept),
        FILM_TEST(test_film_has_its_colours_and_can_be_streamed),
        FILM_TEST(test_odd_names_are_names),
        FILM_TEST(test_discarded_film_leaves_nothing),
        FILM_TEST(test_encoder_that_outlives_its_film_leaves_nothing),
        FILM_TEST(test_wrong_sizes_and_rates_are_faults),
        FILM_TEST(test_film_needs_a_writable_place),
        FILM_TEST(test_frame_of_another_size_is_a_fault),
        FILM_TEST(test_film_without_frames_is_a_fault),
        FILM_TEST(test_missing_ffmpeg_is_a_fault),
        FILM_TEST(test_ffmpeg_that_dies_is_a_fault_with_its_words),
        FILM_TEST(test_ffmpeg_that_fails_at_the_end_is_a_fault),
        FILM_TEST(test_ffmpeg_that_is_killed_is_a_fault),
        FILM_TEST(test_ffmpeg_that_writes_nothing_is_a_fault),
        FILM_TEST(test_ffmpeg_that_leaves_early_is_a_fault),
        FILM_TEST(test_talkative_ffmpeg_does_not_block),
        FILM_TEST(test_program_that_hangs_can_be_discarded),
        FILM_TEST(test_pending_sigpipe_stays_pending),
        FILM_TEST(test_full_disk_keeps_the_old_film),
    };
    snprintf(usual_path, sizeof(usual_path), "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
