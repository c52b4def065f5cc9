// coulis sweep: all combinations of a few values of a scene, each a run in a folder of its own, and a table of what they came to.
// The same command again goes on where it was stopped: the folders say what is done (sweep_plan.c).
#include "app/slurm.h"
#include "app/sweep.h"

#include <stdio.h>
#include <string.h>

static const char where[] = "coulis sweep";

static const char notes[] =
    "Each combination is a run of its own, as of coulis run, in DIR/KEY=VALUE_KEY=VALUE. Values with commas, vectors, stand\n"
    "between semicolons: 'gravity=0,-9.81,0;0,-1.62,0'. Afterwards DIR has table.csv, table.md, orders.csv (convergence by\n"
    "Richardson) and plot_*.svg. Ctrl-C ends the current frames and writes checkpoints; the same command again goes on, and\n"
    "does not repeat what is finished. docs/sweeps.md has more.\n"
    "\n"
    "examples:\n"
    "  coulis sweep standing-wave --set spacing=0.05,0.025,0.0125 --method dfsph,wcsph --measure momentum_x --out out/wave\n"
    "  coulis sweep syrup-coil --set syrup.viscosity=1,2,4,8 --seconds 3 --export vtk --out out/syrups\n"
    "  coulis sweep dam-break --set spacing=0.02,0.01,0.005 --on slurm --slurm='--partition=short --time=60' --out out/dam\n";

// Reads the options alone. True when --help was printed.
static bool parse(couSweepOptions *o, int argc, char **argv, couFaults *faults)
{
    *o = (couSweepOptions){.seconds = NAN, .fps = NAN, .frames = -1, .checkpoint_every = -1, .max_runs = 1000, .task = -1};
    const couOption table[] = {
        COU_OPTION("--set", "KEY=A,B,C", cou_optionTexts, &o->sets,
                   .help = "values of the scene to go through, e.g. spacing=0.04,0.02,0.01; one value is set for all"),
        COU_OPTION("--method", "M,N", cou_optionText, &o->methods, .help = "solvers to go through (coulis list methods)"),
        COU_OPTION("--out", "DIR", cou_optionText, &o->out, .help = "folder of the sweep"),
        COU_OPTION("--frames", "N", cou_optionInt, &o->frames, .min = 1, .max = COU_MAX_FRAMES,
                   .help = "of each run (default: the scene's duration)"),
        COU_OPTION("--seconds", "T", cou_optionNumber, &o->seconds, .min = 1e-6, .max = 1e9,
                   .help = "simulated seconds of each run, instead of --frames"),
        COU_OPTION("--fps", "N", cou_optionNumber, &o->fps, .min = 0.01, .max = 100000,
                   .help = "frames per simulated second (default: the scene's, 30)"),
        COU_OPTION("--export", "LIST", cou_optionText, &o->export, .help = "frame files, as of coulis run (default none)"),
        COU_OPTION("--checkpoint-every", "N", cou_optionInt, &o->checkpoint_every, .min = 0, .max = COU_MAX_FRAMES,
                   .help = "frames between checkpoints; 0: one at the end (default: once a minute)"),
        COU_OPTION("--threads", "N", cou_optionInt, &o->threads, .min = 1, .max = COU_MAX_THREADS,
                   .help = "that all runs share (default all cores); on a cluster: of each run"),
        COU_OPTION("--jobs", "N", cou_optionInt, &o->jobs, .min = 1, .max = COU_MAX_THREADS,
                   .help = "runs at a time (default: as many as threads)"),
        COU_OPTION("--measure", "LIST", cou_optionText, &o->measure,
                   .help = "columns of table.csv to show, plot and find orders of (default: energies, density error, gauges)"),
        COU_OPTION("--over", "KEY", cou_optionText, &o->over, .help = "what orders and plots are over (default spacing)"),
        COU_OPTION("--max-runs", "N", cou_optionInt, &o->max_runs, .min = 1, .max = 100000,
                   .help = "more combinations are refused (default 1000)"),
        COU_OPTION("--on", "CLUSTER", cou_optionText, &o->on, .help = "slurm: submit the runs as a job array and wait for them"),
        COU_OPTION("--slurm", "OPTIONS", cou_optionText, &o->slurm, .help = "for sbatch: --slurm='--partition=short --time=60'"),
        COU_OPTION("--task", "N", cou_optionInt, &o->task, .min = 0, .max = 1e6,
                   .help = "do run N, from 0, of the sweep in DIR alone (what the jobs of a cluster call)"),
        COU_OPTION("--quiet", NULL, cou_optionFlag, &o->is_quiet, .help = "print warnings and errors only"),
    };
    couCommand command = {.name = "sweep",
                          .usage = "SCENE --set KEY=A,B,C... [--method M,N] --out DIR [options]",
                          .help = "run all combinations of some values, and compare them",
                          .options = table,
                          .option_count = sizeof table / sizeof table[0],
                          .max_operands = 1,
                          .notes = notes};
    couTexts operands = {0};
    bool has_helped = couParseOptions(&command, argc, argv, &operands, faults);
    o->scene = operands.count > 0 ? operands.items[0] : NULL;
    couTexts_Clear(&operands);
    return has_helped;
}

static void check_options(couSweep *sweep)
{
    const couSweepOptions *o = &sweep->options;
    static const char *const clusters[] = {"slurm"};
    couFaults *faults = &sweep->faults;
    if (!o->out) couFaults_Add(faults, where, "--out", "is missing: the folder of the sweep");
    if (!o->scene && o->task < 0) couFaults_Add(faults, where, NULL, "which scene? coulis list scenes names the gallery");
    if (!o->methods && o->sets.count == 0 && o->task < 0)
        couFaults_Add(faults, where, "--set", "what shall change? e.g. --set spacing=0.04,0.02,0.01 or --method dfsph,wcsph");
    if (o->frames >= 0 && !isnan(o->seconds)) couFaults_Add(faults, where, "--seconds", "give --frames or --seconds, not both");
    if (o->on && strcmp(o->on, "slurm") != 0) couAddUnknown(where, "--on", "cluster", o->on, clusters, 1, faults);
    if (o->on && faults->count == 0) couCheckSlurm(where, faults);
    if (o->slurm && !o->on) couFaults_Add(faults, where, "--slurm", "has a meaning with --on slurm only");
}

static int run_task(couSweep *sweep)
{
    if (!couSweep_ReadPlan(sweep, sweep->options.out)) return couFail(&sweep->faults, cou_exitBadInput);
    if (sweep->options.task >= sweep->run_count) {
        couFaults_Add(&sweep->faults, where, "--task", "%d is out of range: 0 to %d", sweep->options.task, sweep->run_count - 1);
        return couFail(&sweep->faults, cou_exitBadInput);
    }
    return couSweep_RunTask(sweep, sweep->options.task);
}

static void print_start(const couSweep *sweep)
{
    if (sweep->options.is_quiet) return;
    int done = couSweep_Count(sweep, cou_sweepFinished), begun = couSweep_Count(sweep, cou_sweepStopped);
    printf("%d runs into %s", sweep->run_count, sweep->options.out);
    if (done > 0) printf(", %d finished before", done);
    if (begun > 0) printf(", %d begun before", begun);
    printf("\n");
    fflush(stdout);
}

static int print_end(couSweep *sweep)
{
    int done = couSweep_Count(sweep, cou_sweepFinished), failed = couSweep_Count(sweep, cou_sweepFailed);
    if (!sweep->options.is_quiet) printf("\n%s: table.csv table.md", sweep->options.out);
    if (!sweep->options.is_quiet) printf("; %d of %d runs finished\n", done, sweep->run_count);
    fflush(stdout);
    if (failed > 0)
        fprintf(stderr, "%d of %d runs failed; their logs are %s/*.log\n", failed, sweep->run_count, sweep->options.out);
    if (couInterrupted()) fprintf(stderr, "interrupted; the same command goes on\n");
    return done == sweep->run_count ? cou_exitWell : cou_exitFailed;
}

static int run_all(couSweep *sweep)
{
    for (int r = 0; r < sweep->run_count; ++r) couSweep_Look(sweep, &sweep->runs[r]);
    print_start(sweep);
    if (sweep->options.on) {
        if (!couSweep_RunOnSlurm(sweep)) return couFail(&sweep->faults, cou_exitFailed);
    } else {
        couSweep_RunHere(sweep);
    }
    if (sweep->faults.count > 0) return couFail(&sweep->faults, cou_exitFailed);
    bool is_good = couSweep_Report(sweep);
    int code = print_end(sweep);
    return is_good ? code : couFail(&sweep->faults, sweep->options.measure ? cou_exitBadInput : cou_exitFailed);
}

int couCommandSweep(int argc, char **argv)
{
    couSweep sweep = {0};
    int code = cou_exitWell;
    if (!parse(&sweep.options, argc, argv, &sweep.faults)) {
        if (sweep.options.is_quiet) couSilenceNotes();
        check_options(&sweep);
        if (sweep.faults.count > 0)
            code = couFail(&sweep.faults, cou_exitBadInput);
        else if (sweep.options.task >= 0)
            code = run_task(&sweep);
        else if (!couSweep_Plan(&sweep) || !couSweep_CheckScene(&sweep) || !couSweep_OpenFolder(&sweep))
            code = couFail(&sweep.faults, cou_exitBadInput);
        else
            code = run_all(&sweep);
    }
    couSweep_Clear(&sweep);
    return code;
}
