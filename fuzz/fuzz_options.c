// The command line of `coulis run`, one argument a line.
#include "fuzz.h"

#include "app/run.h"

enum { MOST_ARGUMENTS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_silent;
    if (!is_silent && !freopen("/dev/null", "w", stdout)) abort(); // --help
    is_silent = true;
    char *text = calloc(1, size + 1), *arguments[MOST_ARGUMENTS + 2] = {(char *)"run"};
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    int count = 1;
    for (char *line = text; line && count <= MOST_ARGUMENTS;) {
        arguments[count++] = line;
        line = strchr(line, '\n');
        if (line) *line++ = '\0';
    }
    couFaults faults = {0};
    couRunOptions options;
    couReadRunOptions(&options, count, arguments, &faults);
    couFreeRunOptions(&options);
    couFaults_Clear(&faults);
    free(text);
    return 0;
}
