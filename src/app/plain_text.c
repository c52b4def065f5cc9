// What reaches a terminal is text. Titles, names of files, what scenes print and what other programs' files hold may carry escape
// sequences, which would move the cursor, change the window's title or answer in the user's name. So stdout and stderr pass
// through here: control characters, those that turn the order of others around, and bytes that are no UTF-8, are shown as \x1b.
// Line ends and tabs stay.
//
// The streams themselves are replaced, since everything prints, and what is added later shall not have to think of it; what the
// program itself wants to tell the terminal (the progress bar) goes to the descriptor.
#include "app/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Bytes of the UTF-8 sequence that begins here; 0: none does; -1: it may, but the text ends within it.
static int sequence_length(const unsigned char *text, size_t size)
{
    unsigned char c = text[0];
    int length = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; ++i) {
        if ((size_t)i == size) return -1;
        // Longer than need be, half of a pair of UTF-16, beyond the last character.
        unsigned char least = i > 1 ? 0x80 : c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
        unsigned char most = i > 1 ? 0xbf : c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        if (text[i] < least || text[i] > most) return 0;
    }
    return length;
}

// Control characters of ASCII, those of 8 bits as UTF-8 has them, and of Unicode's the ends of lines and paragraphs (U+2028 and
// 2029), embeddings and overrides (U+202A to 202E) and isolates (U+2066 to 2069), by which a name may look like another.
static bool is_control(const unsigned char *text, int length)
{
    if (length == 1) return (text[0] < 32 && text[0] != '\n' && text[0] != '\t') || text[0] == 127;
    if (length == 2) return text[0] == 0xc2 && text[1] < 0xa0;
    if (length != 3 || text[0] != 0xe2) return false;
    return (text[1] == 0x80 && text[2] >= 0xa8 && text[2] <= 0xae) || (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9);
}

size_t couCleanText(const char *text, size_t size, bool is_end, char *out, size_t *used)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t length = 0, at = 0;
    while (at < size) {
        int count = sequence_length(from + at, size - at);
        if (count < 0 && !is_end) break;
        bool is_shown = count > 0 && !is_control(from + at, count);
        if (count <= 0) count = 1;
        for (int i = 0; i < count; ++i, ++at) {
            if (is_shown)
                out[length++] = text[at];
            else
                length += (size_t)sprintf(out + length, "\\x%02x", from[at]);
        }
    }
    *used = at;
    return length;
}

// --- Streams -----------------------------------------------------------------------------------------------------------------

typedef struct Outlet {
    int descriptor;
    char pending[8]; // the beginning of a character that is not whole yet
    size_t pending_count;
} Outlet;

static Outlet out_outlet = {.descriptor = STDOUT_FILENO}, error_outlet = {.descriptor = STDERR_FILENO};

static bool write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(descriptor, bytes, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        size -= (size_t)count;
    }
    return true;
}

static ssize_t write_clean(void *cookie, const char *bytes, size_t size)
{
    enum { part = 1024 };
    Outlet *outlet = cookie;
    char text[sizeof outlet->pending + part], clean[4 * sizeof text];
    for (size_t at = 0; at < size;) {
        size_t count = size - at < part ? size - at : part, used;
        memcpy(text, outlet->pending, outlet->pending_count);
        memcpy(text + outlet->pending_count, bytes + at, count);
        size_t all = outlet->pending_count + count;
        size_t length = couCleanText(text, all, false, clean, &used);
        if (!write_all(outlet->descriptor, clean, length)) return 0;
        outlet->pending_count = all - used;
        memcpy(outlet->pending, text + used, outlet->pending_count);
        at += count;
    }
    return (ssize_t)size;
}

static FILE *open_clean(Outlet *outlet, int mode)
{
    FILE *stream = fopencookie(outlet, "w", (cookie_io_functions_t){.write = write_clean});
    if (stream) setvbuf(stream, NULL, mode, BUFSIZ);
    return stream;
}

void couCleanOutput(void)
{
    fflush(stdout);
    FILE *out = open_clean(&out_outlet, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF), *error = open_clean(&error_outlet, _IONBF);
    if (out) stdout = out;
    if (error) stderr = error;
}
