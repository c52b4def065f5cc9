// Options: one table per command serves reading, range checks and --help. Nothing is decided while reading: every fault of a
// command line is found before the command does anything.
#include "app/app.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A command line is small: no memory for it means no memory at all, and nothing has been done yet.
static void give_up(void)
{
    fputs("coulis: out of memory\n", stderr);
    exit(cou_exitFailed);
}

void couTexts_Add(couTexts *texts, const char *text)
{
    if (texts->count == texts->capacity) {
        int capacity = texts->capacity ? 2 * texts->capacity : 8;
        const char **items = realloc(texts->items, (size_t)capacity * sizeof *items);
        if (!items) give_up();
        texts->items = items;
        texts->capacity = capacity;
    }
    texts->items[texts->count++] = text;
}

void couTexts_Clear(couTexts *texts)
{
    free(texts->items);
    *texts = (couTexts){0};
}

// One row of the list of options. Help that is too wide goes on below, at the same column.
static void print_row(const char *left, const char *help)
{
    enum { WIDTH = 95 }; // beside the names: 122 columns in all
    printf("  %-24s ", left);
    while (strlen(help) > WIDTH) {
        int end = WIDTH;
        while (end > 0 && help[end] != ' ') --end;
        if (end == 0) break; // one long word
        printf("%.*s\n%27s", end, help, "");
        help += end + 1;
    }
    printf("%s\n", help);
}

static void print_help(const couCommand *command)
{
    printf("coulis %s: %s\n\nusage: coulis %s %s\n", command->name, command->help, command->name, command->usage);
    if (command->option_count > 0) printf("\noptions:\n");
    for (int i = 0; i < command->option_count; ++i) {
        const couOption *option = &command->options[i];
        char left[64], line[400];
        snprintf(left, sizeof left, "%s %s", option->name, option->value ? option->value : "");
        if (option->param) couParam_FormatHelp(option->param, option->target, line, sizeof line);
        print_row(left, option->param ? line : option->help);
    }
    print_row("--help", "this text");
    if (command->notes) printf("\n%s", command->notes);
}

static const couOption *find_option(const couCommand *command, const char *name, size_t length)
{
    for (int i = 0; i < command->option_count; ++i) {
        const couOption *option = &command->options[i];
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) return option;
    }
    return NULL;
}

static void add_unknown(const couCommand *command, const char *where, const char *argument, size_t length, couFaults *faults)
{
    const char *names[64];
    int count = 0;
    for (int i = 0; i < command->option_count && count < 63; ++i) names[count++] = command->options[i].name;
    names[count++] = "--help";
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), argument);
    const char *nearest = couSuggest(names, count, name);
    if (nearest)
        couFaults_Add(faults, where, name, "unknown option: did you mean %s?", nearest);
    else
        couFaults_Add(faults, where, name, "unknown option; coulis %s --help lists them", command->name);
}

static void set_number(const couOption *option, const char *where, const char *text, couFaults *faults)
{
    char *end = NULL;
    errno = 0;
    double value = strtod(text, &end);
    bool is_integer = option->type == cou_optionInt;
    bool is_number = end != text && *end == '\0' && isfinite(value);
    if (!is_number || (is_integer && value != floor(value))) {
        couFaults_Add(faults, where, option->name, "'%.80s' is not a%s number", text, is_integer ? " whole" : "");
    } else if (!(value >= option->min && value <= option->max)) {
        couFaults_Add(faults, where, option->name, "%.80s is out of range: %g to %g", text, option->min, option->max);
    } else if (is_integer) {
        *(int *)option->target = (int)value;
    } else {
        *(double *)option->target = value;
    }
}

// The param's own check, with a fault that speaks of the option.
static void set_param(const couOption *option, const char *where, const char *text, couFaults *faults)
{
    couParam row = *option->param;
    row.name = option->name;
    couParam_SetText(&row, NULL, option->target, text, where, faults);
}

static bool is_flag(const couOption *option)
{
    return option->type == cou_optionFlag || (option->param && option->param->type == cou_paramBool);
}

// `text` is NULL for a flag.
static void set_option(const couOption *option, const char *where, const char *text, couFaults *faults)
{
    switch (option->type) {
    case cou_optionFlag: *(bool *)option->target = true; break;
    case cou_optionInt:
    case cou_optionNumber: set_number(option, where, text, faults); break;
    case cou_optionText:
        if (text[0] == '\0')
            couFaults_Add(faults, where, option->name, "needs a value that is not empty");
        else
            *(const char **)option->target = text;
        break;
    case cou_optionTexts: couTexts_Add(option->target, text); break;
    case cou_optionParam: set_param(option, where, text ? text : "true", faults); break;
    }
}

// Reads the option at argv[index] with its value; returns how many arguments it took.
static int read_option(const couCommand *command, const char *where, int argc, char **argv, int index, couFaults *faults)
{
    const char *argument = argv[index];
    const char *equals = strchr(argument, '=');
    size_t length = equals ? (size_t)(equals - argument) : strlen(argument);
    const couOption *option = find_option(command, argument, length);
    if (!option) {
        add_unknown(command, where, argument, length, faults);
        return 1;
    }
    if (is_flag(option)) {
        if (equals)
            couFaults_Add(faults, where, option->name, "takes no value");
        else
            set_option(option, where, NULL, faults);
        return 1;
    }
    if (equals) {
        set_option(option, where, equals + 1, faults);
        return 1;
    }
    // A number may begin with one dash; two dashes are the next option, so the value was forgotten.
    if (index + 1 >= argc || strncmp(argv[index + 1], "--", 2) == 0) {
        couFaults_Add(faults, where, option->name, "needs a value: %s %s", option->name, option->value);
        return 1;
    }
    set_option(option, where, argv[index + 1], faults);
    return 2;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

bool couParseOptions(const couCommand *command, int argc, char **argv, couTexts *operands, couFaults *faults)
{
    if (asks_for_help(argc, argv)) {
        print_help(command);
        return true;
    }
    char where[64];
    snprintf(where, sizeof where, "coulis %s", command->name);
    bool is_ended = false, has_unknown = false;
    for (int i = 1; i < argc;) {
        bool is_option = !is_ended && argv[i][0] == '-' && argv[i][1] != '\0';
        if (is_option && strcmp(argv[i], "--") == 0) {
            is_ended = true;
            ++i;
        } else if (is_option) {
            has_unknown |= !find_option(command, argv[i], strcspn(argv[i], "="));
            i += read_option(command, where, argc, argv, i, faults);
        } else {
            couTexts_Add(operands, argv[i++]);
        }
    }
    if (operands->count < command->min_operands)
        couFaults_Add(faults, where, NULL, "something is missing; usage: coulis %s %s", command->name, command->usage);
    // The value of an option that we do not know looks like an operand: one fault is enough.
    for (int i = command->max_operands; !has_unknown && i < operands->count; ++i)
        couFaults_Add(faults, where, NULL, "'%.100s' is one argument too many; usage: coulis %s %s", operands->items[i],
                      command->name, command->usage);
    return false;
}

void couCheckMethod(const char *command, const char *method, couFaults *faults)
{
    const char *const *names = couMethodNames();
    int count = 0;
    for (; names[count]; ++count)
        if (strcmp(names[count], method) == 0) return;
    const char *nearest = couSuggest(names, count, method);
    if (nearest)
        couFaults_Add(faults, command, "--method", "there is no method '%.60s': did you mean '%s'?", method, nearest);
    else
        couFaults_Add(faults, command, "--method", "there is no method '%.60s'; coulis list methods names them", method);
}

void couAddUnknown(const char *command, const char *option, const char *what, const char *word, const char *const *names,
                   int count, couFaults *faults)
{
    char allowed[128] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof allowed; ++i)
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", i > 0 ? ", " : "", names[i]);
    const char *nearest = couSuggest(names, count, word);
    couFaults_Add(faults, command, option, "unknown %s '%.40s'%s%s%s; allowed: %s", what, word, nearest ? " (did you mean " : "",
                  nearest ? nearest : "", nearest ? "?)" : "", allowed);
}

void couSplitOverrides(const char *command, const couTexts *texts, couOverrides *overrides, couFaults *faults)
{
    size_t size = 1;
    for (int i = 0; i < texts->count; ++i) size += strlen(texts->items[i]) + 1;
    char *text = calloc(1, size);
    couOverride *items = calloc((size_t)texts->count + 1, sizeof *items);
    if (!text || !items) give_up();
    *overrides = (couOverrides){.items = items, .storage = text};
    for (int i = 0; i < texts->count; ++i) {
        strcpy(text, texts->items[i]);
        char *equals = strchr(text, '=');
        if (!equals || equals == text || equals[1] == '\0' || strchr(text, '\n')) {
            couFaults_Add(faults, command, "--set", "'%.80s' is not KEY=VALUE, e.g. spacing=0.01", text);
            continue;
        }
        *equals = '\0';
        items[overrides->count++] = (couOverride){text, equals + 1};
        text += strlen(texts->items[i]) + 1;
    }
}

void couOverrides_Clear(couOverrides *overrides)
{
    free(overrides->items);
    free(overrides->storage);
    *overrides = (couOverrides){0};
}
