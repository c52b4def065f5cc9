// coulis validate: runs the cases of docs/validation.md and prints what was measured beside what it should be. Cases run one
// after the other, each in worlds of its own; a case that cannot be finished counts as failed, and the others still run.

#include "app/app.h"
#include "base/base.h"
#include "files/file.h"
#include "validate/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLOT_FOLDER "docs/validation"

// --- What to run -------------------------------------------------------------------------------------------------------------

typedef struct Options {
    const char *method; // NULL: every method of a case
    const char *json;   // NULL: no file
    const char *plots;  // NULL: the documentation's folder where it exists
    int threads;
    couTexts names; // none: all cases
    couTexts set_texts;
    couOverrides sets; // of methods' parameters, for every case
} Options;

static bool is_wanted(const Options *options, const couCase *which)
{
    for (int n = 0; n < options->names.count; ++n)
        if (strcmp(options->names.items[n], which->name) == 0) return true;
    return options->names.count == 0;
}

static void check_name(const Options *options, const char *name, couFaults *faults)
{
    int count;
    const couCase *cases = couCases(&count);
    for (int c = 0; c < count; ++c) {
        if (strcmp(cases[c].name, name) != 0) continue;
        if (options->method && !couCase_Suits(&cases[c], options->method))
            couFaults_Add(faults, "coulis validate", name, "this case is not defined for the method '%.60s'", options->method);
        return;
    }
    const char *nearest = couSuggest(couCaseNames(), count, name);
    if (nearest)
        couFaults_Add(faults, "coulis validate", NULL, "there is no case '%.60s': did you mean '%s'?", name, nearest);
    else
        couFaults_Add(faults, "coulis validate", NULL, "there is no case '%.60s'; coulis list cases names them", name);
}

// True for the models of solids, which cases of theirs are run for instead of methods.
static bool is_model(const char *name)
{
    int count;
    const couCase *cases = couCases(&count);
    for (int c = 0; c < count; ++c)
        if (cases[c].models && couCase_Suits(&cases[c], name)) return true;
    return false;
}

// A world takes the parameters of any method, so one will do.
static void check_sets(Options *options, couFaults *faults)
{
    couSplitOverrides("coulis validate", &options->set_texts, &options->sets, faults);
    couWorldDef def = couDefaultWorldDef();
    couWorld *world = faults->count ? NULL : couCreateWorld(&def, faults);
    for (int k = 0; world && k < options->sets.count; ++k)
        couWorld_SetParam(world, options->sets.items[k].key, options->sets.items[k].value, faults);
    couDestroyWorld(world);
}

// Everything that could spoil a long run at its end is tried before it begins.
static void check_options(Options *options, couFaults *faults)
{
    if (options->method && !is_model(options->method)) couCheckMethod("coulis validate", options->method, faults);
    if (faults->count) return;
    for (int n = 0; n < options->names.count; ++n) check_name(options, options->names.items[n], faults);
    check_sets(options, faults);
    if (faults->count) return;
    if (options->plots)
        couMakeFolder(options->plots, faults);
    else if (access(PLOT_FOLDER, W_OK) == 0)
        options->plots = PLOT_FOLDER;
    couFile file;
    if (options->json && couFile_Create(&file, options->json, faults)) couFile_Discard(&file);
}

// --- Results -----------------------------------------------------------------------------------------------------------------

static void print_header(void)
{
    printf("%-13s %-6s %-52s %12s %12s %10s  %-5s\n", "case", "method", "quantity", "measured", "reference", "tolerance", "unit");
}

static void print_check(const couCheck *check)
{
    char tolerance[32];
    bool is_limit = check->tolerance == 0, is_free = is_limit && check->is_reported;
    bool is_absolute = check->reference == 0 || strcmp(check->unit, "deg") == 0;
    if (is_free)
        snprintf(tolerance, sizeof tolerance, "-");
    else if (is_limit)
        snprintf(tolerance, sizeof tolerance, "limit");
    else if (is_absolute)
        snprintf(tolerance, sizeof tolerance, "%.3g", check->tolerance);
    else
        snprintf(tolerance, sizeof tolerance, "%.3g %%", 100 * check->tolerance);
    printf("%-13s %-6s %-52s %12.5g %12.5g %10s  %-5s %s\n", check->case_name, check->method, check->quantity, check->measured,
           check->reference, tolerance, check->unit,
           check->is_reported ? "report"
           : check->is_passed ? "pass"
                              : "FAIL");
}

static void write_number(FILE *out, const char *key, double value)
{
    if (isfinite(value))
        fprintf(out, "\"%s\": %.9g, ", key, value);
    else
        fprintf(out, "\"%s\": null, ", key);
}

// Names and units are our own words: nothing in them needs escaping.
static bool write_json(const char *path, const couChecks *checks, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    fputs("[", file.stream);
    for (int i = 0; i < checks->count; ++i) {
        const couCheck *check = &checks->items[i];
        fprintf(file.stream, "%s\n  {\"case\": \"%s\", \"method\": \"%s\", \"quantity\": \"%s\", \"unit\": \"%s\", ",
                i ? "," : "", check->case_name, check->method, check->quantity, check->unit);
        write_number(file.stream, "measured", check->measured);
        write_number(file.stream, "reference", check->reference);
        write_number(file.stream, "tolerance", check->tolerance);
        fprintf(file.stream, "\"pass\": %s}", check->is_passed ? "true" : "false");
    }
    fputs("\n]\n", file.stream);
    return couFile_Commit(&file, faults);
}

// --- The command -------------------------------------------------------------------------------------------------------------

static void show(void *context, double share) { couProgress_Show(context, (int64_t)(1000 * share), NULL); }

static bool is_stopped(void *context)
{
    (void)context;
    return couInterrupted() != 0;
}

// One case for one method: its rows as soon as they are there. A case that stopped is a failed row of its own.
static void run_trial(const Options *options, const couCase *which, const char *method, couChecks *checks)
{
    double started = couSeconds();
    fprintf(stderr, "%s (%s): %s\n", which->name, method, which->help);
    couProgress progress = couStartProgress("part", 0, 1000, false);
    couTrial trial = {.method = method,
                      .threads = options->threads,
                      .sets = options->sets.items,
                      .set_count = options->sets.count,
                      .plots = options->plots,
                      .show = show,
                      .is_stopped = is_stopped,
                      .context = &progress,
                      .checks = checks};
    int first = checks->count;
    bool is_finished = couRunCase(which, &trial);
    couProgress_End(&progress);
    if (!is_finished) {
        couPrintFaults(&trial.faults);
        trial.is_reported = false; // to come to its end is asked of all
        couTrial_AtLeast(&trial, 0, 1, "", "finished");
    }
    couFaults_Clear(&trial.faults);
    char seconds[32];
    fprintf(stderr, "%s (%s): %s\n", which->name, method, couFormatSeconds(seconds, sizeof seconds, couSeconds() - started));
    for (int i = first; i < checks->count; ++i) print_check(&checks->items[i]);
    fflush(stdout);
}

static int run_cases(const Options *options)
{
    couChecks checks = {0};
    couFaults faults = {0};
    int case_count;
    const couCase *cases = couCases(&case_count);
    couCatchInterrupts();
    print_header();
    for (int c = 0; c < case_count; ++c)
        for (const char *const *method = couCase_Methods(&cases[c]); is_wanted(options, &cases[c]) && *method; ++method) {
            bool is_asked = !options->method || strcmp(options->method, *method) == 0;
            if (is_asked && couCase_Suits(&cases[c], *method) && !couInterrupted())
                run_trial(options, &cases[c], *method, &checks);
        }

    int failed = 0;
    for (int i = 0; i < checks.count; ++i) failed += !checks.items[i].is_passed;
    if (checks.count)
        printf("%d of %d checks passed\n", checks.count - failed, checks.count);
    else
        couFaults_Add(&faults, "coulis validate", NULL, "no case is defined for the method '%.60s'",
                      options->method ? options->method : "");
    if (options->json) write_json(options->json, &checks, &faults);
    free(checks.items);
    if (faults.count) return couFail(&faults, cou_exitFailed);
    return failed || couInterrupted() ? cou_exitFailed : cou_exitWell;
}

int couCommandValidate(int argc, char **argv)
{
    Options options = {0};
    const couOption table[] = {
        COU_OPTION("--method", "M", cou_optionText, &options.method, .help = "only the cases of this method"),
        COU_OPTION("--set", "KEY=VALUE", cou_optionTexts, &options.set_texts,
                   .help = "a parameter of a method for every case, e.g. pvfs.kernel=smooth"),
        COU_OPTION("--json", "FILE", cou_optionText, &options.json, .help = "also write the results there"),
        COU_OPTION("--threads", "N", cou_optionInt, &options.threads, .min = 0, .max = COU_MAX_THREADS,
                   .help = "0 means all cores; results do not depend on it"),
        COU_OPTION("--plots", "DIR", cou_optionText, &options.plots,
                   .help = "draw a plot of each case there (default: " PLOT_FOLDER " if it is here)"),
    };
    char notes[4096] = "cases:\n";
    int case_count;
    const couCase *cases = couCases(&case_count);
    for (int c = 0; c < case_count; ++c) {
        size_t used = strlen(notes);
        snprintf(notes + used, sizeof notes - used, "  %-24s %s\n", cases[c].name, cases[c].help);
    }
    couCommand command = {.name = "validate",
                          .usage = "[CASE...] [options]",
                          .help = "measure test cases and compare with what is known",
                          .options = table,
                          .option_count = (int)(sizeof table / sizeof table[0]),
                          .min_operands = 0,
                          .max_operands = 1000,
                          .notes = notes};
    couFaults faults = {0};
    bool has_helped = couParseOptions(&command, argc, argv, &options.names, &faults);
    if (!has_helped && faults.count == 0) check_options(&options, &faults);
    int code = has_helped ? cou_exitWell : faults.count ? couFail(&faults, cou_exitBadInput) : run_cases(&options);
    couTexts_Clear(&options.names);
    couTexts_Clear(&options.set_texts);
    couOverrides_Clear(&options.sets);
    return code;
}
