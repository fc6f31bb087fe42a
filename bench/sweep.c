/* Times a sweep inside one process: every point's FLOPs, bytes, memory and time over all rows, best points and Pareto front; runs on one
 * thread and on all interleaved. Prints medians and quartiles. usage: bench-sweep ROUNDS CONFIG [MACHINE].
 * Not a test: figures belong to the machine they were taken on. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sweep/rows.h"
#include "base/file.h"

enum { MOST_ROUNDS = 1000, KINDS = 4 };

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

typedef struct counter {
    const ridge_record_columns *columns;
    ridge_sweep_summary *summaries;
    int64_t points;
    size_t bytes;
} counter;

static void take(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)text;
    ridge_sweep_summary_add(&((counter *)data)->summaries[thread], block);
}

static void take_csv(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)thread;
    ridge_sweep_csv(text, ((const counter *)data)->columns, block);
}

static ridge_status count(void *data, ridge_buf *text, int64_t done, ridge_err *err)
{
    (void)err;
    ((counter *)data)->points = done;
    ((counter *)data)->bytes += text->n;
    return RIDGE_OK;
}

/* points per second of one sweep, by the clock and by the processors' time it took */
typedef struct speed {
    double wall, busy, best;
} speed;

static ridge_status run(speed *out, ridge_registry *registry, ridge_machines *machines, const ridge_sweep_request *request, bool rows,
                        ridge_err *err)
{
    ridge_sweep_summary summaries[RIDGE_SWEEP_THREADS];
    ridge_arena arena;
    ridge_record_columns columns;
    counter c = {.columns = &columns, .summaries = summaries};
    ridge_sweep_sink sink = {.data = &c, .take = rows ? take_csv : take, .write = count};
    ridge_sweep sweep;
    double start = now_s(CLOCK_MONOTONIC), busy = now_s(CLOCK_PROCESS_CPUTIME_ID);
    ridge_arena_init(&arena);
    ridge_status st = ridge_record_columns_make(&columns, &ridge_sweep_record, RIDGE_FORM_CSV, &arena, err);
    if (!st)
        st = ridge_sweep_open(&sweep, registry, machines, request, err);
    unsigned made = 0;
    while (!st && made < sweep.threads)
        st = ridge_sweep_summary_init(&summaries[made++], &sweep, err);
    if (!st)
        st = ridge_sweep_run(&sweep, &sink, err);
    for (unsigned i = 1; i < made && !st; i++)
        ridge_sweep_summary_merge(&summaries[0], &summaries[i]);
    *out = (speed){(double)c.points / (now_s(CLOCK_MONOTONIC) - start), (double)c.points / (now_s(CLOCK_PROCESS_CPUTIME_ID) - busy), 0};
    for (unsigned i = 0; i < made; i++)
        ridge_sweep_summary_free(&summaries[i]);
    ridge_sweep_free(&sweep);
    ridge_arena_free(&arena);
    return st;
}

static int compare(const void *a, const void *b)
{
    double x = ((const speed *)a)->wall, y = ((const speed *)b)->wall;
    return (x > y) - (x < y);
}

static speed report(const char *what, speed *speeds, int rounds)
{
    double busy = 0;
    qsort(speeds, (size_t)rounds, sizeof *speeds, compare);
    for (int i = 0; i < rounds; i++)
        busy += speeds[i].busy / rounds;
    printf("%-28s median %6.2f million points/s   (quartiles %.2f to %.2f, best %.2f)   %6.2f per second of a processor\n", what,
           speeds[rounds / 2].wall / 1e6, speeds[rounds / 4].wall / 1e6, speeds[rounds - 1 - rounds / 4].wall / 1e6,
           speeds[rounds - 1].wall / 1e6, busy / 1e6);
    return (speed){speeds[rounds / 2].wall, busy, speeds[rounds - 1].wall};
}

/* a grid of 1,048,576 points: prefill, batch 1..1024, 1,024 lengths */
static ridge_status make_request(ridge_sweep_request *r, ridge_str config, const char **machine, ridge_arena *arena, ridge_err *err)
{
    ridge_status st;
    *r = (ridge_sweep_request){.machines = {machine, 1}, .phases = {.items = {RIDGE_PHASE_PREFILL}, .n = 1}};
    ridge_predict_default(&r->predict);
    r->predict.model.model = "bench";
    r->predict.model.config_text = config.p;
    r->predict.model.config_length = config.n;
    if ((st = ridge_sweep_axis_read(&r->batch, "1:1024:+1", "batch", 1, 1024, arena, err)))
        return st;
    return ridge_sweep_axis_read(&r->seq, "4:4096:+4", "seq", 1, 4096, arena, err);
}

static ridge_status measure(speed (*speeds)[MOST_ROUNDS], int rounds, unsigned *threads, ridge_str config, const char *machine,
                            ridge_arena *arena, ridge_err *err)
{
    ridge_registry *registry = NULL;
    ridge_machines *machines = NULL;
    ridge_sweep_request request;
    ridge_sweep all;
    ridge_status st;
    if ((st = ridge_registry_open(&registry, NULL, 0, false, err)) || (st = ridge_machines_open(&machines, NULL, 0, err)) ||
        (st = make_request(&request, config, &machine, arena, err)) || (st = ridge_sweep_open(&all, registry, machines, &request, err)))
        return st;
    *threads = all.threads;
    ridge_sweep_free(&all);
    for (int i = -1; i < rounds && !st; i++) /* round -1 warms up */
        for (int kind = 0; kind < KINDS && !st; kind++) {
            request.threads = kind % 2 ? *threads : 1;
            speed found;
            if (!(st = run(&found, registry, machines, &request, kind >= 2, err)) && i >= 0)
                speeds[kind][i] = found;
        }
    ridge_machines_close(machines);
    ridge_registry_close(registry);
    return st;
}

int main(int argc, char **argv)
{
    static speed speeds[KINDS][MOST_ROUNDS];
    const char *machine = argc > 3 ? argv[3] : "h100-sxm-80";
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    ridge_arena arena;
    ridge_str config;
    ridge_err err = {0};
    unsigned threads = 1;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "usage: bench-sweep ROUNDS CONFIG [MACHINE]\n");
        return 2;
    }
    ridge_arena_init(&arena);
    if (ridge_file_read(&config, argv[2], 1 << 20, &arena, &err) || measure(speeds, rounds, &threads, config, machine, &arena, &err)) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    printf("%s on %s: 1,048,576 points a sweep, %d interleaved rounds\n", argv[2], machine, rounds);
    speed one = report("summary, 1 thread", speeds[0], rounds);
    char title[64];
    (void)snprintf(title, sizeof title, "summary, %u threads", threads);
    speed many = report(title, speeds[1], rounds);
    report("CSV rows, 1 thread", speeds[2], rounds);
    (void)snprintf(title, sizeof title, "CSV rows, %u threads", threads);
    report(title, speeds[3], rounds);
    printf("%u threads to 1, summaries: medians %.2f, best runs %.2f by the clock; %.2f a processor, where 1 is linear in processors\n",
           threads, many.wall / one.wall, many.best / one.best, many.busy / one.busy);
    ridge_arena_free(&arena);
    return 0;
}
