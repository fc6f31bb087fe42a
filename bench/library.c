/* Times config text -> totals inside one process, two models interleaved; prints medians in microseconds.
 * usage: bench-library ROUNDS CONFIG_A CONFIG_B. Not a test: figures belong to the machine they were taken on. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/analysis.h"
#include "base/file.h"

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* one analysis, totals only; negative on failure */
static double time_once(ridge_registry *registry, ridge_str config, ridge_err *err)
{
    ridge_model_request request;
    ridge_analysis *a;
    ridge_model_request_default(&request);
    request.model = "bench";
    request.config_text = config.p;
    request.config_length = config.n;
    double start = now_us();
    ridge_status st = ridge_analysis_exact(&a, registry, &request, RIDGE_ROWS_NONE, err);
    ridge_analysis_free(a);
    return st ? -1 : now_us() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *path, double *times, int rounds, double first)
{
    qsort(times, (size_t)rounds, sizeof *times, compare);
    printf("%s: first %.1f us (its catalog entries are read), then median %.1f us, fastest %.1f us\n", path, first, times[rounds / 2],
           times[0]);
}

int main(int argc, char **argv)
{
    int rounds = argc == 4 ? atoi(argv[1]) : 0;
    ridge_registry *registry;
    ridge_arena arena;
    ridge_str config[2];
    ridge_err err = {0};
    double first[2], *times[2];
    if (rounds < 1 || rounds > 1000000) {
        fprintf(stderr, "usage: bench-library ROUNDS CONFIG_A CONFIG_B\n");
        return 2;
    }
    ridge_arena_init(&arena);
    double start = now_us();
    if (ridge_registry_open(&registry, NULL, 0, false, &err) || ridge_file_read(&config[0], argv[2], 1 << 20, &arena, &err) ||
        ridge_file_read(&config[1], argv[3], 1 << 20, &arena, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    printf("opening the catalog: %.1f us\n", now_us() - start);
    for (int k = 0; k < 2; k++) {
        times[k] = ridge_arena_array(&arena, (size_t)rounds, sizeof(double));
        first[k] = times[k] ? time_once(registry, config[k], &err) : -1;
    }
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < 2; k++)
            if (first[k] < 0 || (times[k][i] = time_once(registry, config[k], &err)) < 0) {
                fprintf(stderr, "%s\n", err.msg);
                return 1;
            }
    for (int k = 0; k < 2; k++)
        report(argv[2 + k], times[k], rounds, first[k]);
    printf("ratio of the medians, second to first: %.2f\n", times[1][rounds / 2] / times[0][rounds / 2]);
    ridge_registry_close(registry);
    ridge_arena_free(&arena);
    return 0;
}
