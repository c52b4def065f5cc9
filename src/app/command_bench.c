// coulis bench: runs cases against the clock, prints a table and writes JSON.

#include "app/app.h"
#include "base/base.h"
#include "bench/bench.h"
#include "files/file.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RUNS = 32 };

// Lets the world go through `seconds` of its time in steps of its own size.
static bool run_world(couWorld *world, double seconds, couBenchResult *result)
{
    double begin = couSeconds();
    couStepReport report = couWorld_Advance(world, seconds);
    result->seconds = couSeconds() - begin;
    result->steps = (uint64_t)report.substeps;
    result->simulated_seconds = seconds;
    result->iterations = (uint64_t)report.iterations;
    result->divergence_iterations = (uint64_t)report.divergence_iterations;
    result->density_error_mean = report.density_error_mean;
    result->ns_per_particle_step = 1e9 * result->seconds / (double)report.particle_steps;
    result->pairs = (double)report.pair_count / (double)report.particle_steps;
    for (int p = 0; p < cou_phaseCount; ++p) result->phase_ns[p] = 1e9 * report.phase_seconds[p] / (double)report.particle_steps;
    return !couStepReport_HasFailed(&report);
}

static bool run_case(const couBenchCase *test, const char *method, int threads, couBenchResult *result, couFaults *faults)
{
    *result = (couBenchResult){.test = test, .threads = couThreadCount(threads)};
    if (test->measure) return test->measure(threads, result, faults);
    if (!method) method = test->method;
    snprintf(result->method, sizeof result->method, "%s", method);
    couWorld *world = test->create(method, threads, faults);
    bool is_good = world && faults->count == 0 && couWorld_Prepare(world, faults);
    if (is_good) {
        is_good = run_world(world, test->seconds, result);
        if (!is_good) couFaults_Add(faults, NULL, test->name, "the run diverged");
        result->particles = couWorld_Particles(world).count;
        result->bytes_per_particle = (double)couWorld_PeakBytes(world) / (double)result->particles;
        result->springs = (double)couWorld_SpringCount(world) / (double)result->particles;
    }
    couDestroyWorld(world);
    return is_good;
}

// --- Output ------------------------------------------------------------------------------------------------------------------

static void print_result(const couBenchResult *r, const couMachine *machine)
{
    if (r->test->measure) {
        printf("\n%s: %d thread%s, %s\n", r->test->name, r->threads, r->threads == 1 ? "" : "s", r->note);
        return;
    }
    printf("\n%s: %s, %llu particles, %d thread%s, %llu steps in %.2f s\n", r->test->name, r->method,
           (unsigned long long)r->particles, r->threads, r->threads == 1 ? "" : "s", (unsigned long long)r->steps, r->seconds);
    printf("  %.1f ns per particle-step (%.2f million particle-steps a second), %.1f neighbours, %.0f bytes a particle\n",
           r->ns_per_particle_step, 1e3 / r->ns_per_particle_step, r->pairs, r->bytes_per_particle);
    if (r->iterations)
        printf("  a step: %.2f iterations%s%.2f; mean density error at the end %.4f %%\n",
               (double)r->iterations / (double)r->steps, r->divergence_iterations ? " and for the divergence " : ", ",
               (double)r->divergence_iterations / (double)r->steps, 100 * r->density_error_mean);
    printf("  %-10s %8s %6s %10s %10s\n", "phase", "ns", "share", "memory", "arithmetic");
    for (int p = 0; p < cou_phaseCount; ++p) {
        double ns = r->phase_ns[p], bytes, flops;
        if (ns < 0.01) continue;
        printf("  %-10s %8.1f %5.1f%%", couPhaseName((couPhase)p), ns, 100 * ns / r->ns_per_particle_step);
        if (couFindPhaseWork((couPhase)p, r, &bytes, &flops) && machine->bandwidth > 0 && machine->flops > 0)
            printf(" %9.0f%% %9.0f%%", 1e11 * bytes / ns / machine->bandwidth, 1e11 * flops / ns / machine->flops);
        printf("\n");
    }
}

static bool write_json(const char *path, const couBenchResult *results, int count, couFaults *faults)
{
    couFile file;
    if (!couFile_Create(&file, path, faults)) return false;
    FILE *out = file.stream;
    fprintf(out, "[");
    for (int k = 0; k < count; ++k) {
        const couBenchResult *r = &results[k];
        fprintf(out, "%s\n  {\"case\": \"%s\", \"method\": \"%s\", \"particles\": %llu, \"threads\": %d, \"steps\": %llu,",
                k ? "," : "", r->test->name, r->method, (unsigned long long)r->particles, r->threads,
                (unsigned long long)r->steps);
        fprintf(out, " \"seconds\": %.6g, \"simulated_seconds\": %.6g, \"iterations\": %llu, \"density_error_mean\": %.6g,",
                r->seconds, r->simulated_seconds, (unsigned long long)r->iterations, r->density_error_mean);
        fprintf(out, " \"ns_per_particle_step\": %.6g, \"bytes_per_particle\": %.6g,\n   \"phases\": {", r->ns_per_particle_step,
                r->bytes_per_particle);
        for (int p = 0; p < cou_phaseCount; ++p)
            fprintf(out, "%s\"%s\": %.6g", p ? ", " : "", couPhaseName((couPhase)p), r->phase_ns[p]);
        fprintf(out, "}");
        if (r->note[0]) fprintf(out, ", \"note\": \"%s\"", r->note);
        fprintf(out, "}");
    }
    fprintf(out, "\n]\n");
    return couFile_Commit(&file, faults);
}

// --- The command -------------------------------------------------------------------------------------------------------------

static const couBenchCase *find_case(const char *name, couFaults *faults)
{
    int count;
    const couBenchCase *cases = couBenchCases(&count);
    const char *names[MOST_RUNS];
    for (int c = 0; c < count; ++c) {
        names[c] = cases[c].name;
        if (strcmp(cases[c].name, name) == 0) return &cases[c];
    }
    const char *near = couSuggest(names, count, name);
    couFaults_Add(faults, "coulis bench", name, "unknown case%s%s%s", near ? ": did you mean '" : "", near ? near : "",
                  near ? "'?" : "");
    return NULL;
}

int couCommandBench(int argc, char **argv)
{
    int threads = 0;
    const char *json = NULL, *method = NULL;
    const couOption options[] = {
        COU_OPTION("--method", "M", cou_optionText, &method, .help = "method to run (default: the case's own)"),
        COU_OPTION("--threads", "N", cou_optionInt, &threads, .min = 0, .max = COU_MAX_THREADS,
                   .help = "threads (default: all cores)"),
        COU_OPTION("--json", "FILE", cou_optionText, &json, .help = "write the results as JSON"),
    };
    couCommand command = {
        "bench",
        "[CASE...] [options]",
        "measure speed and memory",
        options,
        3,
        0,
        MOST_RUNS,
        "The shares of memory bandwidth and arithmetic compare what a phase needs at the least with what this machine was\n"
        "measured to do at best, both with the same number of threads. Run it alone on the machine.\n"};
    couTexts names = {0};
    couFaults faults = {0};
    if (couParseOptions(&command, argc, argv, &names, &faults)) return cou_exitWell;
    if (method) couCheckMethod("coulis bench", method, &faults);
    const couBenchCase *chosen[MOST_RUNS];
    int chosen_count = 0, case_count;
    const couBenchCase *cases = couBenchCases(&case_count);
    for (int n = 0; n < names.count && n < MOST_RUNS; ++n) chosen[chosen_count++] = find_case(names.items[n], &faults);
    for (int c = 0; names.count == 0 && c < case_count; ++c) chosen[chosen_count++] = &cases[c];
    couTexts_Clear(&names);
    if (faults.count) return couFail(&faults, cou_exitBadInput);

    couStartMessages();
    couMachine machine = couMeasureMachine(threads);
    printf("machine, %d threads: %.1f GB/s, %.1f billion float operations a second\n", couThreadCount(threads),
           1e-9 * machine.bandwidth, 1e-9 * machine.flops);
    couBenchResult results[MOST_RUNS];
    fflush(stdout);
    // Cases take their time: without a file to fill they are not measured for nobody.
    for (int k = 0; k < chosen_count && (json || couHasReader()); ++k) {
        if (!run_case(chosen[k], method, threads, &results[k], &faults)) return couFail(&faults, cou_exitFailed);
        print_result(&results[k], &machine);
        fflush(stdout);
    }
    if (json && !write_json(json, results, chosen_count, &faults)) return couFail(&faults, cou_exitFailed);
    return cou_exitWell;
}
