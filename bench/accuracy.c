/* Compares predicted with measured times of GPU kernels: mean and median error of the pure roofline and of the estimate, by machine,
 * operator and format. Reads measured rows on standard input (bench/accuracy.sh writes them): a line "@ MACHINE OPERATOR" opens a table,
 * then its CSV with a header line. error = |predicted - measured| / measured. docs/accuracy.md says what is measured and how.
 * usage: bench-accuracy [--csv | --json] [--worst N]. Not a test: the measured times are not part of Ridge. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "machine/machine.h"
#include "predict/estimate.h"

enum { LINE_LIMIT = 512, CELL_LIMIT = 16, MOST_WORST = 1000 };

typedef enum method { ROOFLINE, COLD, SETUP, METHODS } method;
static const char *const method_names[METHODS] = {"roofline", "cold", "estimate"};

typedef enum operator{ GEMM, PREFILL, DECODE, OPERATORS } operator;
static const char *const operator_names[OPERATORS] = {"gemm", "attention_prefill", "attention_decode"};

typedef struct row {
    double measured_s, predicted_s[METHODS];
    const char *text; /* its CSV line */
} row;

typedef struct group {
    const char *machine, *format;
    operator op;
    bool host_bound; /* the host was measured: left out of the totals */
    row *rows;
    size_t count, cap;
} group;

typedef struct report {
    ridge_arena arena;
    ridge_machines *machines;
    ridge_registry *registry;
    ridge_graph graph; /* what counts attention's pairs */
    group *groups;
    size_t count, cap, skipped;
} report;

/* ---- how the rows were taken ---- */

/* The rows' program (github.com/ai-dynamo/aiconfigurator at 095f58a, collector/vllm, collector/trtllm, collector/helper.py) replays a CUDA
 * graph and divides: six matrix products with six different weights and one input, or one attention call on the same tensors. A call in
 * fp8 begins with a kernel that casts the 16-bit activations; an attention call of vLLM with one that writes the new
 * keys and values into the cache; of TensorRT-LLM's prefill with one that rotates Q and K and fills the cache. One replay costs what
 * CUDA.jl's manual ("Graphs") gives for a graph of 8 kernels, 16 us, less 8 times the 1.3 us of a kernel (predict/sustained.c). */
#define REPLAY_S     5.6e-6
#define CALLS_REPLAY 6

/* TensorRT's profiler puts an event between layers, launched one by one: 2.34 us of device time on an A100 (openfabric-systems/simllm
 * #109), and 2.62 instead of 1.34 us for a kernel outside a graph (gpu-small-kernels, a100_80.txt). */
#define PROFILER_S (2.34e-6 + 1.28e-6)

typedef struct setup {
    const char *kernel, *format; /* NULL: any */
    int calls;                   /* in one graph replay; 0: no graph, the host launches each kernel */
    const char *a, *w;           /* what is multiplied */
    bool quantises;              /* the call begins with a kernel that casts 16-bit activations to `a` */
    bool host_bound;
    double extra_s; /* what the way of measuring adds to a call */
} setup;

static const setup setups[] = {
    {"torch.nn.functional.linear", NULL, CALLS_REPLAY, "bf16", "bf16", false, false, 0},
    {"torch_flow", "bf16", CALLS_REPLAY, "bf16", "bf16", false, false, 0},
    {"CutlassFP8ScaledMMLinearKernel", NULL, CALLS_REPLAY, "fp8_e4m3", "fp8_e4m3", true, false, 0},
    {NULL, "fp8_block", 0, "fp8_e4m3", "fp8_e4m3", true, true, 0},
    {NULL, "w8a16", 0, "bf16", "int8", false, false, PROFILER_S},
    {NULL, "w4a16", 0, "bf16", "int4", false, false, PROFILER_S},
    {NULL, "w8a8", 0, "int8", "int8", false, false, PROFILER_S},
};

static const setup *setup_of(const char *kernel, const char *format)
{
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++)
        if ((setups[i].kernel == NULL || strcmp(setups[i].kernel, kernel) == 0) &&
            (setups[i].format == NULL || strcmp(setups[i].format, format) == 0))
            return &setups[i];
    return NULL;
}

static const ridge_format *format_of(const char *name)
{
    return ridge_format_find(ridge_str_of(name));
}

static double bytes_of(const ridge_format *f, double rows, double columns)
{
    return rows * columns * (double)f->bits.num / (double)f->bits.den / 8;
}

/* read, write, time; false: no such time */
static bool add_stream(double *time_s, const ridge_machine *machine, double read, double written, double reuse, ridge_err *err)
{
    ridge_stream_kernel stream = {read, written, 0, reuse};
    ridge_estimate e;
    if (ridge_estimate_stream(&e, machine, &stream, err) != RIDGE_OK)
        return false;
    *time_s += e.time_s;
    return true;
}

/* of the 16-bit activations of a product */
static bool cast_time(double *time_s, const ridge_machine *machine, const ridge_gemm *p, double reuse, ridge_err *err)
{
    const ridge_cast_kernel cast = {.rows = p->m, .columns = p->k, .from = format_of("bf16"), .to = p->a, .reuse_bytes = reuse};
    ridge_estimate e;
    if (ridge_estimate_cast(&e, machine, &cast, err) != RIDGE_OK)
        return false;
    *time_s = e.time_s;
    return true;
}

/* ---- matrix products: format,m,n,k,time_us,kernel ---- */

static bool predict_gemm(row *r, group *g, const ridge_machine *machine, char *const cells[], ridge_err *err)
{
    const setup *s = setup_of(cells[5], cells[0]);
    if (s == NULL)
        return false;
    const ridge_format *bf16 = format_of("bf16");
    ridge_gemm p = {atoll(cells[1]), atoll(cells[2]), atoll(cells[3]), format_of(s->a), format_of(s->w), bf16, 0, 0};
    double m = (double)p.m, k = (double)p.k, a = bytes_of(p.a, m, k), w = bytes_of(p.w, (double)p.n, k), c = bytes_of(bf16, m, (double)p.n);
    double cast[METHODS] = {0};
    ridge_estimate e[METHODS];
    if (ridge_roofline_gemm(&e[ROOFLINE], machine, &p, err) != RIDGE_OK || ridge_estimate_gemm(&e[COLD], machine, &p, err) != RIDGE_OK)
        return false;
    p.a_reuse_bytes = a + w + c;
    p.w_reuse_bytes = a + CALLS_REPLAY * w + c;
    if (ridge_estimate_gemm(&e[SETUP], machine, &p, err) != RIDGE_OK)
        return false;
    if (s->quantises && (!cast_time(&cast[COLD], machine, &p, 0, err) ||
                         !cast_time(&cast[SETUP], machine, &p, 3 * m * k + w + c, err))) /* the roofline is of the product alone */
        return false;
    for (method i = 0; i < METHODS; i++)
        r->predicted_s[i] = e[i].time_s + cast[i];
    r->predicted_s[SETUP] += s->extra_s + (s->calls > 0 ? REPLAY_S / s->calls : 0);
    g->host_bound = s->host_bound;
    return true;
}

/* ---- attention: batch,seq,past,heads,kv_heads,head_dim,window,format,kv_format,time_us,kernel ---- */

/* causal, as all of these rows are */
static bool count_pairs(ridge_attention_work *p, ridge_graph *graph)
{
    ridge_value pairs;
    ridge_int count;
    graph->run.steps_left = RIDGE_STEP_LIMIT; /* of each row */
    if (ridge_attention_pairs(&pairs, graph, ridge_value_int(p->seq), ridge_value_int((ridge_int)p->past + p->seq), ridge_value_bool(true),
                              p->window) != RIDGE_OK ||
        !ridge_value_as_int(&count, pairs))
        return false;
    p->pairs = (double)count;
    return true;
}

static bool predict_attention(row *r, ridge_graph *graph, const ridge_machine *machine, char *const cells[], ridge_err *err)
{
    bool fp8 = strcmp(cells[8], "fp8") == 0, fa3 = strstr(cells[10], "fa3") != NULL || strstr(cells[10], "fa4") != NULL;
    const ridge_format *bf16 = format_of("bf16"), *kv = format_of(fp8 ? "fp8_e4m3" : "bf16");
    ridge_attention_work p = {
        .batch = atoll(cells[0]),
        .seq = atoll(cells[1]),
        .past = atoll(cells[2]),
        .heads = atoll(cells[3]),
        .kv_heads = atoll(cells[4]),
        .head_dim = atoll(cells[5]),
        .window = atoll(cells[6]),
        .causal = true,
        .q = bf16,
        .kv = kv,
        .multiplies = fp8 && fa3 ? kv : bf16, /* FlashAttention-3 multiplies in fp8, FlashInfer unpacks to 16 bits */
    };
    ridge_estimate e[METHODS];
    if (!count_pairs(&p, graph) || ridge_roofline_attention(&e[ROOFLINE], machine, &p, err) != RIDGE_OK ||
        ridge_estimate_attention(&e[COLD], machine, &p, err) != RIDGE_OK)
        return false;
    double tokens = (double)p.past + (double)p.seq, d = (double)p.head_dim, batch = (double)p.batch;
    p.reuse_bytes =
        2 * bytes_of(kv, batch * tokens * (double)p.kv_heads, d) + 2 * bytes_of(bf16, batch * (double)p.seq * (double)p.heads, d);
    if (ridge_estimate_attention(&e[SETUP], machine, &p, err) != RIDGE_OK)
        return false;
    for (method i = 0; i < METHODS; i++)
        r->predicted_s[i] = e[i].time_s;
    r->predicted_s[SETUP] += REPLAY_S;
    double rows = batch * (double)p.seq, added = 2 * rows * (double)p.kv_heads, q = rows * (double)p.heads;
    if (strcmp(cells[10], "torch_flow") != 0)
        return add_stream(&r->predicted_s[SETUP], machine, bytes_of(bf16, added, d), bytes_of(kv, added, d), p.reuse_bytes, err);
    if (p.seq > 1)
        return add_stream(&r->predicted_s[SETUP], machine, bytes_of(bf16, added + q, d), bytes_of(bf16, added + q, d), p.reuse_bytes, err);
    return true;
}

/* ---- reading ---- */

static group *group_of(report *rep, const char *machine, operator op, const char *format)
{
    for (size_t i = 0; i < rep->count; i++)
        if (rep->groups[i].op == op && strcmp(rep->groups[i].machine, machine) == 0 && strcmp(rep->groups[i].format, format) == 0)
            return &rep->groups[i];
    rep->groups = ridge_arena_grow(&rep->arena, rep->groups, rep->count, &rep->cap, rep->count + 1, sizeof(group));
    if (rep->groups == NULL)
        return NULL;
    rep->groups[rep->count] = (group){.machine = machine, .op = op, .format = ridge_arena_strdup(&rep->arena, ridge_str_of(format))};
    return &rep->groups[rep->count++];
}

static int split(char *line, char *cells[CELL_LIMIT])
{
    int count = 0;
    for (char *at = line; count < CELL_LIMIT;) {
        cells[count++] = at;
        at = strchr(at, ',');
        if (at == NULL)
            break;
        *at++ = '\0';
    }
    return count;
}

/* false: out of memory */
static bool read_row(report *rep, const ridge_machine *machine, operator op, char *line)
{
    char *cells[CELL_LIMIT], *text = ridge_arena_strdup(&rep->arena, ridge_str_of(line));
    int count = split(line, cells);
    ridge_err err = {0};
    row r = {.text = text};
    if (text == NULL || count < (op == GEMM ? 6 : 11)) {
        rep->skipped++;
        return text != NULL;
    }
    r.measured_s = atof(cells[op == GEMM ? 4 : 9]) * 1e-6;
    group *g = group_of(rep, machine->id, op, cells[op == GEMM ? 0 : 8]);
    bool known = g != NULL && r.measured_s > 0 &&
                 (op == GEMM ? predict_gemm(&r, g, machine, cells, &err) : predict_attention(&r, &rep->graph, machine, cells, &err));
    if (!known) {
        rep->skipped++;
        return g != NULL;
    }
    g->rows = ridge_arena_grow(&rep->arena, g->rows, g->count, &g->cap, g->count + 1, sizeof(row));
    if (g->rows == NULL)
        return false;
    g->rows[g->count++] = r;
    return true;
}

static operator operator_of(const char *name)
{
    operator op = 0;
    while (op < OPERATORS && strcmp(operator_names[op], name) != 0)
        op++;
    return op;
}

/* false: said why on stderr */
static bool read_all(report *rep)
{
    char line[LINE_LIMIT], id[LINE_LIMIT], name[LINE_LIMIT];
    const ridge_machine *machine = NULL;
    operator op = OPERATORS;
    bool header = false;
    ridge_err err = {0};
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (sscanf(line, "@ %511s %511s", id, name) == 2) {
            op = operator_of(name);
            if (op == OPERATORS || ridge_machines_find(&machine, rep->machines, id, &err) != RIDGE_OK) {
                fprintf(stderr, "%s\n", op == OPERATORS ? "unknown operator" : err.msg);
                return false;
            }
            header = true;
        } else if (header) {
            header = false;
        } else if (machine != NULL && !read_row(rep, machine, op, line)) {
            fprintf(stderr, "out of memory\n");
            return false;
        }
    }
    return true;
}

/* ---- statistics ---- */

typedef struct summary {
    size_t rows, over; /* over: predicted above measured */
    double mean, median;
} summary;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double error_of(const row *r, method m)
{
    return fabs(r->predicted_s[m] - r->measured_s) / r->measured_s;
}

/* of the rows that took at least `least_s` */
static summary summarise(ridge_arena *arena, const group *g, method m, double least_s)
{
    summary s = {0};
    double *errors = ridge_arena_array(arena, g->count + 1, sizeof(double)), sum = 0;
    if (errors == NULL)
        return s;
    for (size_t i = 0; i < g->count; i++) {
        const row *r = &g->rows[i];
        if (r->measured_s < least_s)
            continue;
        s.over += r->predicted_s[m] > r->measured_s;
        sum += errors[s.rows++] = error_of(r, m);
    }
    if (s.rows == 0)
        return s;
    qsort(errors, s.rows, sizeof *errors, compare);
    s.mean = sum / (double)s.rows;
    s.median = s.rows % 2 ? errors[s.rows / 2] : (errors[s.rows / 2 - 1] + errors[s.rows / 2]) / 2;
    return s;
}

/* ---- writing ---- */

#define LEAST_S 10e-6

static double percent(size_t part, size_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void print_text(report *rep)
{
    printf("%-12s %-17s %-9s %7s", "", "", "", "");
    for (method m = 0; m < METHODS; m++)
        printf(" | %-30s", method_names[m]);
    printf("\n%-12s %-17s %-9s %7s", "machine", "operator", "format", "rows");
    for (method m = 0; m < METHODS; m++)
        printf(" | %5s %6s %5s  %5s %6s", "mean", "median", "over", "mean", ">=10us");
    printf("\n");
    for (size_t i = 0; i < rep->count; i++) {
        const group *g = &rep->groups[i];
        printf("%-12s %-17s %-9s %7zu", g->machine, operator_names[g->op], g->format, g->count);
        for (method m = 0; m < METHODS; m++) {
            summary all = summarise(&rep->arena, g, m, 0), some = summarise(&rep->arena, g, m, LEAST_S);
            printf(" | %4.1f%% %5.1f%% %4.0f%%  %4.1f%% %5.1f%%", 100 * all.mean, 100 * all.median, percent(all.over, all.rows),
                   100 * some.mean, 100 * some.median);
        }
        printf("%s\n", g->host_bound ? "  the host's time" : "");
    }
}

static void print_csv(report *rep)
{
    printf("machine,operator,format,host_bound,method,least_time_s,rows,mean_error,median_error,share_over\n");
    for (size_t i = 0; i < rep->count; i++)
        for (method m = 0; m < METHODS; m++)
            for (int large = 0; large < 2; large++) {
                const group *g = &rep->groups[i];
                summary s = summarise(&rep->arena, g, m, large ? LEAST_S : 0);
                printf("%s,%s,%s,%s,%s,%g,%zu,%.6f,%.6f,%.6f\n", g->machine, operator_names[g->op], g->format,
                       g->host_bound ? "true" : "false", method_names[m], large ? LEAST_S : 0.0, s.rows, s.mean, s.median,
                       percent(s.over, s.rows) / 100);
            }
}

static void print_json(report *rep)
{
    printf("{\"ridge\":\"%s\",\"rows\":[", RIDGE_VERSION);
    for (size_t i = 0; i < rep->count; i++)
        for (method m = 0; m < METHODS; m++)
            for (int large = 0; large < 2; large++) {
                const group *g = &rep->groups[i];
                summary s = summarise(&rep->arena, g, m, large ? LEAST_S : 0);
                printf(
                    "%s\n{\"machine\":\"%s\",\"operator\":\"%s\",\"format\":\"%s\",\"host_bound\":%s,\"method\":\"%s\",\"least_time_s\":%g,"
                    "\"rows\":%zu,\"mean_error\":%.6f,\"median_error\":%.6f,\"share_over\":%.6f}",
                    i + m + (size_t)large > 0 ? "," : "", g->machine, operator_names[g->op], g->format, g->host_bound ? "true" : "false",
                    method_names[m], large ? LEAST_S : 0.0, s.rows, s.mean, s.median, percent(s.over, s.rows) / 100);
            }
    printf("\n]}\n");
}

static int worse(const void *a, const void *b)
{
    double x = error_of(a, SETUP), y = error_of(b, SETUP);
    return (x < y) - (x > y);
}

static void print_worst(report *rep, size_t count)
{
    for (size_t i = 0; i < rep->count; i++) {
        group *g = &rep->groups[i];
        qsort(g->rows, g->count, sizeof *g->rows, worse);
        for (size_t j = 0; j < g->count && j < count; j++) {
            const row *r = &g->rows[j];
            printf("%s,%s,%s measured %.1f us, roofline %.1f, estimate %.1f: error %.0f %%\n", g->machine, operator_names[g->op], r->text,
                   1e6 * r->measured_s, 1e6 * r->predicted_s[ROOFLINE], 1e6 * r->predicted_s[SETUP], 100 * error_of(r, SETUP));
        }
    }
}

int main(int argc, char **argv)
{
    report rep = {0};
    ridge_err err = {0};
    bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0, json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int worst = argc == 3 && strcmp(argv[1], "--worst") == 0 ? atoi(argv[2]) : 0;
    if (argc > 1 && !csv && !json && (worst < 1 || worst > MOST_WORST)) {
        fprintf(stderr, "usage: bench-accuracy [--csv | --json | --worst N] < rows (bench/accuracy.sh writes them)\n");
        return 2;
    }
    ridge_arena_init(&rep.arena);
    if (ridge_machines_open(&rep.machines, NULL, 0, &err) != RIDGE_OK ||
        ridge_registry_open(&rep.registry, NULL, 0, false, &err) != RIDGE_OK ||
        ridge_graph_init(&rep.graph, rep.registry, &rep.arena, NULL, &err) != RIDGE_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    bool good = read_all(&rep);
    if (good && csv)
        print_csv(&rep);
    else if (good && json)
        print_json(&rep);
    else if (good && worst > 0)
        print_worst(&rep, (size_t)worst);
    else if (good)
        print_text(&rep);
    if (good && rep.skipped > 0)
        fprintf(stderr, "%zu rows skipped: of a kernel or shape that is not known here\n", rep.skipped);
    ridge_registry_close(rep.registry);
    ridge_machines_close(rep.machines);
    ridge_arena_free(&rep.arena);
    return good ? 0 : 1;
}
