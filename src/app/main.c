// The program: finds the command and hands over. Each command lives in command_<name>.c.
#include "app/app.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} Command;

static const Command commands[] = {
    {"run", couCommandRun, "simulate a scene: frames, diagnostics, checkpoints, film"},
    {"check", couCommandCheck, "every fault of a scene, its memory, overlaps and suggested step"},
    {"surface", couCommandSurface, "meshes of frames that were written before"},
    {"foam", couCommandFoam, "spray, foam and bubbles of frames that were written before"},
    {"render", couCommandRender, "pictures and film of frames that were written before"},
    {"view", couCommandView, "the live viewer, in a browser: pour, grab, squash, tune"},
    {"help", couCommandHelp, "what a key of scenes, a parameter, a material or a method means"},
    {"measure", couCommandMeasure, "gauges, sections and grids of frames that were written before"},
    {"sweep", couCommandSweep, "run all combinations of some values; table, convergence, plots"},
    {"compare", couCommandCompare, "two runs: measures, gauges, where they part"},
    {"list", couCommandList, "scenes, materials, methods or validation cases"},
    {"export", couCommandExport, "a run for other programs: USD, ParaView, PLY, OBJ"},
    {"info", couCommandInfo, "what a frame, checkpoint, run.json or run folder holds"},
    {"bench", couCommandBench, "measure the speed of the methods"},
    {"validate", couCommandValidate, "compare with analytic and published results"},
};
enum { command_count = sizeof commands / sizeof commands[0] };

static void print_usage(FILE *stream)
{
    fprintf(stream, "Coulis %s: particle simulation of fluids and viscoelastic matter\n\nusage: coulis COMMAND ...\n\n",
            COU_VERSION);
    for (int i = 0; i < command_count; ++i) fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(stream, "\ncoulis COMMAND --help says more; coulis --version prints the version.\n"
                    "First steps: coulis list scenes, then coulis run syrup-coil --video\n");
}

static int refuse(const char *name)
{
    const char *names[command_count];
    for (int i = 0; i < command_count; ++i) names[i] = commands[i].name;
    const char *nearest = couSuggest(names, command_count, name);
    if (nearest)
        fprintf(stderr, "coulis: unknown command '%.80s': did you mean '%s'?\n", name, nearest);
    else
        fprintf(stderr, "coulis: unknown command '%.80s'; coulis --help lists them\n", name);
    return cou_exitBadInput;
}

// What was printed must have arrived: `coulis list scenes > /dev/full` is a failure. A reader who has seen enough, as in
// `coulis list scenes | head -2`, is none.
static int end(int code)
{
    bool is_broken = fflush(stdout) != 0 || ferror(stdout);
    if (is_broken && couHasReader() && code == cou_exitWell) {
        fprintf(stderr, "coulis: the output could not be written\n");
        return cou_exitFailed;
    }
    return code;
}

int main(int argc, char **argv)
{
    // A broken pipe and a file size limit shall be errors of the write that meets them.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);

    couCleanOutput();
    if (argc < 2) {
        print_usage(stderr);
        return cou_exitBadInput;
    }
    bool is_help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || (is_help && argc == 2)) {
        print_usage(stdout);
        return end(cou_exitWell);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("coulis %s\n", COU_VERSION);
        return end(cou_exitWell);
    }
    // `coulis help run` is `coulis run --help`; the words of scenes are the help command's own
    for (int i = 0; is_help && argc == 3 && i < command_count; ++i) {
        char *words[] = {argv[2], "--help", NULL};
        if (strcmp(argv[2], commands[i].name) == 0) return end(commands[i].run(2, words));
    }
    for (int i = 0; i < command_count; ++i)
        if (strcmp(argv[1], commands[i].name) == 0) {
            couStartMessages();
            return end(commands[i].run(argc - 1, argv + 1));
        }
    return refuse(argv[1]);
}
