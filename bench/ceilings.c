/* The two ceilings that bench/ceilings.sh sets against likwid-bench: DRAM read in MB/s and FP32 FMA in MFLOP/s, with the clock under it.
 * Usage: bench-ceilings THREADS SECONDS. Prints "read <MB/s> fp64 <MFLOP/s> fp32 <MFLOP/s> clock <MHz> per-cycle <FLOP/cycle, all
 * threads>". */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/kernel.h"
#include "measure/ceilings.h"
#include "measure/clock.h"

enum { BYTES = 1000 << 20, PIECE = 4 << 20, VARIANTS = 32, CHAIN = 4000, ROUNDS = 4096 };

static int fail(const ridge_err *err)
{
    char text[1200];
    (void)ridge_err_format(text, sizeof text, err, "");
    (void)fprintf(stderr, "%s\n", text);
    return 1;
}

/* the fastest read, as ridge machine calibrate chooses it */
static ridge_status read_bytes_per_s(double *out, ridge_team *team, unsigned threads, char *array, double seconds, ridge_err *err)
{
    ridge_stream_job jobs[VARIANTS];
    ridge_work works[VARIANTS];
    ridge_sample_statistics found[VARIANTS];
    size_t n = 0;
    const ridge_stream *s;
    for (size_t i = 0; (s = ridge_stream_at(i)) != NULL && n < VARIANTS; i++)
        if (s->kind == RIDGE_STREAM_READ && (s->isa & ridge_isa_have()) == s->isa)
            jobs[n++] = (ridge_stream_job){.stream = s, .arrays = {NULL, array}, .bytes = PIECE, .passes = 1, .threads = threads};
    for (size_t i = 0; i < n; i++) {
        jobs[i].places = BYTES / PIECE / threads;
        jobs[i].first = i * (jobs[i].places / n);
        works[i] = ridge_stream_work(&jobs[i]);
    }
    ridge_status status =
        ridge_measure_interleaved(found, team, works, n, &(ridge_measure_options){.budget_s = seconds, .confidence = 0.001}, err);
    *out = 0;
    for (size_t i = 0; status == RIDGE_OK && i < n; i++)
        if (ridge_stream_job_bytes(&jobs[i]) / found[i].median_s > *out)
            *out = ridge_stream_job_bytes(&jobs[i]) / found[i].median_s;
    return status;
}

/* FLOP/s of the best chains of a precision and the cycles per second measured beside them */
static ridge_status flops_per_s(double *out, double *clock_hz, ridge_team *team, unsigned threads, const char *precision, double seconds,
                                ridge_err *err)
{
    const ridge_peak *p;
    *out = 0;
    for (size_t i = 0; (p = ridge_peak_at(i)) != NULL; i++) {
        ridge_peak_job jobs[2] = {{p, ROUNDS}, {NULL, CHAIN}};
        ridge_work works[2] = {ridge_peak_work(&jobs[0]), ridge_peak_work(&jobs[1])};
        ridge_sample_statistics found[2];
        if (strcmp(p->precision, precision) != 0 || (p->isa & ridge_isa_have()) != p->isa || (p->isa & RIDGE_ISA_AVX512) == 0)
            continue;
        ridge_status status =
            ridge_measure_interleaved(found, team, works, 2, &(ridge_measure_options){.budget_s = seconds, .confidence = 0.0005}, err);
        if (status != RIDGE_OK)
            return status;
        *out = (double)p->flops_per_round * ROUNDS * threads / found[0].median_s;
        *clock_hz = ridge_multiply_chain(CHAIN) / found[1].median_s;
    }
    return RIDGE_OK;
}

int main(int argc, char **argv)
{
    ridge_err err = {0};
    ridge_team *team;
    double bytes, fp64, fp32, clock = 0, seconds = argc > 2 ? strtod(argv[2], NULL) : 1;
    unsigned threads = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    char *array = ridge_buffer_make(BYTES, NULL);
    if (array == NULL || threads == 0)
        return 2;
    if (ridge_team_make(&team, threads, true, &err) != RIDGE_OK)
        return fail(&err);
    if (read_bytes_per_s(&bytes, team, threads, array, seconds, &err) != RIDGE_OK ||
        flops_per_s(&fp64, &clock, team, threads, "fp64", seconds / 2, &err) != RIDGE_OK ||
        flops_per_s(&fp32, &clock, team, threads, "fp32", seconds / 2, &err) != RIDGE_OK)
        return fail(&err);
    (void)printf("read %.1f fp64 %.1f fp32 %.1f clock %.1f per-cycle %.2f\n", bytes / 1e6, fp64 / 1e6, fp32 / 1e6, clock / 1e6,
                 clock > 0 ? fp32 / clock : 0);
    ridge_team_free(team);
    ridge_buffer_free(array, BYTES);
    return 0;
}
