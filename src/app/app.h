/// What the commands of the program share: exit codes, options and help, messages, progress, interrupts.
#pragma once

#include "coulis/coulis.h"
#include "coulis/scene.h"

enum { cou_exitWell = 0, cou_exitFailed = 1, cou_exitBadInput = 2 };

// --- Commands: argv[0] is the command's own name; the result is the program's exit code --------------------------------------

int couCommandRun(int argc, char **argv);
int couCommandCheck(int argc, char **argv);
int couCommandList(int argc, char **argv);
int couCommandInfo(int argc, char **argv);
int couCommandExport(int argc, char **argv);
int couCommandBench(int argc, char **argv);
int couCommandValidate(int argc, char **argv);
int couCommandSurface(int argc, char **argv);
int couCommandFoam(int argc, char **argv);
int couCommandMeasure(int argc, char **argv);
int couCommandRender(int argc, char **argv);
int couCommandView(int argc, char **argv);
int couCommandHelp(int argc, char **argv);
int couCommandSweep(int argc, char **argv);
int couCommandCompare(int argc, char **argv);

// --- Options -----------------------------------------------------------------------------------------------------------------

/// A growing list of borrowed texts. Zero-initialise; free with couTexts_Clear().
typedef struct couTexts {
    const char **items;
    int count, capacity;
} couTexts;

void couTexts_Add(couTexts *texts, const char *text);
void couTexts_Clear(couTexts *texts);

typedef enum couOptionType {
    cou_optionFlag,   ///< bool
    cou_optionInt,    ///< int
    cou_optionNumber, ///< double
    cou_optionText,   ///< const char *
    cou_optionTexts,  ///< couTexts: may be given several times
    cou_optionParam   ///< what `param` says: a field of the def at `target`
} couOptionType;

/// One option of a command. Fields that are not given on the command line keep what the caller put there.
typedef struct couOption {
    const char *name;  ///< with its dashes: "--frames"
    const char *value; ///< what help calls the value: "N"; NULL for a flag
    const char *help;  ///< one line
    couOptionType type;
    void *target;
    double min, max;       ///< allowed range of numbers, both ends included
    const couParam *param; ///< range, help and default of a cou_optionParam
} couOption;

// Rows of a command's table. A plain option goes on by names: .min and .max of a number, .help.
//     COU_OPTION("--fps", "N", cou_optionNumber, &fps, .min = 0.01, .max = 1000, .help = "of the film (default 30)"),
#define COU_OPTION(option, word, kind, where, ...) \
    { \
        .name = option, .value = word, .type = kind, .target = where, __VA_ARGS__ \
    }
/// An option that sets the parameter `key` of `def`; its table has the rest. The default in help is what `def` holds.
#define COU_PARAM_OPTION(option, word, table, key, def) \
    { \
        .name = option, .value = word, .type = cou_optionParam, .target = def, .param = couParams_Find(table, key) \
    }

typedef struct couCommand {
    const char *name;  ///< "run"
    const char *usage; ///< what follows the name: "SCENE [options]"
    const char *help;  ///< one line
    const couOption *options;
    int option_count;
    int min_operands, max_operands; ///< arguments that are not options
    const char *notes;              ///< below the options in --help, or NULL
} couCommand;

/// Reads "--name value", "--name=value" and operands; "--" ends the options. Adds one fault for each thing that is wrong (unknown
/// option with the nearest known one, missing value, not a number, out of range, too many operands). Returns true when --help
/// was asked for and printed: the command then ends with cou_exitWell.
bool couParseOptions(const couCommand *command, int argc, char **argv, couTexts *operands, couFaults *faults);

/// Adds a fault, with the nearest name, when there is no such method. `command` is "coulis run"...
void couCheckMethod(const char *command, const char *method, couFaults *faults);

/// Adds the fault "unknown kind 'obg' (did you mean obj?); allowed: obj, ply": `what` is "kind", the allowed names are few.
void couAddUnknown(const char *command, const char *option, const char *what, const char *word, const char *const *names,
                   int count, couFaults *faults);

/// The values of --set, split at their first '='. Zero-initialise; free with couOverrides_Clear().
typedef struct couOverrides {
    couOverride *items;
    int count;
    char *storage;
} couOverrides;

/// Adds a fault for each text that is not KEY=VALUE; whether the scene has the key is known when it is loaded.
void couSplitOverrides(const char *command, const couTexts *texts, couOverrides *overrides, couFaults *faults);
void couOverrides_Clear(couOverrides *overrides);

// --- Messages ----------------------------------------------------------------------------------------------------------------

/// One fault a line on stderr: "file:line: key: message".
void couPrintFaults(const couFaults *faults);
/// The same, then clears the list; returns `code`, so that a command can end with it.
int couFail(couFaults *faults, int code);

/// From now on stdout and stderr carry text alone: control characters and bytes that are no UTF-8 are shown as \x1b.
void couCleanOutput(void);
/// The text so shown, of at most four times its size; returns its length. `used` is less than `size` when the text ends within a
/// character and `is_end` is false.
size_t couCleanText(const char *text, size_t size, bool is_end, char *out, size_t *used);

/// From now on what the library says goes to stderr; warnings and errors are remembered, at most 100 different ones.
void couStartMessages(void);
void couSilenceNotes(void); ///< warnings and errors only from now on
void couWarn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// False when stdout is a pipe that nobody reads any more: then there is no one to print for.
bool couHasReader(void);
/// The warnings so far, for run.json.
const char *const *couWarnings(int *count);

/// Numbers for people; each returns `text`.
char *couFormatCount(char *text, size_t size, uint64_t count);   ///< 1 234 567
char *couFormatRate(char *text, size_t size, double per_second); ///< 4.1 million
char *couFormatSeconds(char *text, size_t size, double seconds); ///< 850 ms, 12.3 s, 4 min 05 s, 2 h 10 min
char *couFormatBytes(char *text, size_t size, double bytes);     ///< 12.3 MB

/// Frames of a run that lasts so long; a last one that the time only begins counts. Decimals give what they say: 1.2 s at 50
/// frames per second are 60.
double couCountFrames(double seconds, double fps);

uint64_t couPeakRss(void);     ///< largest resident size of the process so far [bytes]
int couThreadCount(int asked); ///< threads that a world with this def works with: 0 means all cores

const char *couBuildCommit(void);   ///< 40 hexadecimal digits, perhaps with "-dirty" behind, or "unknown"
const char *couBuildCompiler(void); ///< "gcc 12.2.0 (Release)"

// --- The journal of a run ----------------------------------------------------------------------------------------------------

/// From now on all that is said, also by couJournal(), is kept, until couOpenJournal() gives it a file.
void couStartJournal(void);
/// Goes on at the end of the file, each line with the time of the day (UTC); false with a fault where it cannot.
bool couOpenJournal(const char *path, couFaults *faults);
void couJournal(const char *format, ...) __attribute__((format(printf, 1, 2))); ///< a line for the journal alone
void couCloseJournal(void);
/// "2026-11-17T18:09:40Z" of now; returns `text`.
char *couFormatDate(char *text, size_t size);

// --- Progress ----------------------------------------------------------------------------------------------------------------

/// A bar with rate and time left when stderr is a terminal; otherwise a plain line every 10 % or 5 s.
typedef struct couProgress {
    const char *noun; ///< "frame"
    int64_t first, total;
    double started, shown; ///< couSeconds()
    int tenths;            ///< tenths of the way that were reported
    bool is_quiet, is_terminal;
} couProgress;

/// `first` items are already done (a resumed run).
couProgress couStartProgress(const char *noun, int64_t first, int64_t total, bool is_quiet);
/// `done` of the total; `note` is shown behind, e.g. "12 000 particles", or NULL.
void couProgress_Show(couProgress *progress, int64_t done, const char *note);
void couProgress_End(couProgress *progress);

// --- Interrupts --------------------------------------------------------------------------------------------------------------

/// The first SIGINT, SIGTERM or SIGHUP only sets a flag; a second one ends the program at once.
void couCatchInterrupts(void);
/// The signal that asked the program to end, or 0.
int couInterrupted(void);
