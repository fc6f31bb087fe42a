#include "predict/estimate.h"

#include <math.h>

#include "predict/seconds.h"

#define LARGEST ((int64_t)1 << 40)

/* "what is 0: sizes are 1 to 2^40" */
static ridge_status check_size(const char *what, int64_t size, int64_t least, ridge_err *err)
{
    if (size >= least && size <= LARGEST)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_VALUE, "%s is %lld: it goes from %lld to 2^40", what, (long long)size, (long long)least);
}

/* whole blocks per row, as doubles; exact counts end here */
static ridge_status bytes_of(double *bytes, const ridge_format *format, ridge_int rows, ridge_int columns, ridge_err *err)
{
    ridge_int exact;
    if (!ridge_format_bytes(&exact, format, rows, columns))
        return ridge_fail(err, RIDGE_OVERFLOW, "a tensor of that size in %s does not fit in 128 bits of bytes", format->name);
    *bytes = (double)exact;
    return RIDGE_OK;
}

/* max(compute, memory) + the rest */
static void finish(ridge_estimate *e)
{
    double waits = e->latency_s + e->kernel_s;
    e->time_s = larger(e->compute_s, e->memory_s) + waits;
    e->bound = e->compute_s > e->memory_s ? RIDGE_BOUND_COMPUTE : RIDGE_BOUND_MEMORY;
    if (waits > e->time_s / 2)
        e->bound = RIDGE_BOUND_LAUNCH;
}

static void roofline(ridge_estimate *e, double flops, double bytes, double bytes_per_s)
{
    e->compute_s = seconds(flops, e->at.peak_flops_per_s);
    e->memory_s = seconds(bytes, bytes_per_s);
    finish(e);
}

/* device-wide rates only: no units to tile over */
static void untiled(ridge_estimate *e, const ridge_sustained *s, double flops, double flops_per_s, double read_bytes, double written_bytes)
{
    e->compute_s = seconds(flops, flops_per_s);
    e->memory_s = ridge_sustained_memory_s(s, read_bytes, written_bytes);
    e->kernel_s = s->kernel_s;
    finish(e);
}

/* main memory's bandwidth, whatever the working set; UNKNOWN where nothing bounds the kernel */
static ridge_status main_bandwidth(double *bytes_per_s, const ridge_machine *machine, const ridge_computes_at *at, ridge_err *err)
{
    const ridge_machine_level *level;
    ridge_bandwidth_find(bytes_per_s, &level, machine, INFINITY);
    return ridge_bound_check(at, *bytes_per_s, machine, err);
}

static ridge_status start(ridge_estimate *e, double *bytes_per_s, const ridge_machine *machine, const ridge_format *a,
                          const ridge_format *b, ridge_err *err)
{
    *e = (ridge_estimate){.wave_efficiency = 1};
    ridge_status st = ridge_computes_at_find(&e->at, machine, a, b, err);
    return st ? st : main_bandwidth(bytes_per_s, machine, &e->at, err);
}

/* ---- matrix product ---- */

static ridge_status check_gemm(const ridge_gemm *g, ridge_err *err)
{
    ridge_status st = check_size("m", g->m, 1, err);
    if (!st)
        st = check_size("n", g->n, 1, err);
    return st ? st : check_size("k", g->k, 1, err);
}

static double bits_of(const ridge_format *format)
{
    return (double)format->bits.num / (double)format->bits.den;
}

static void tiled_gemm(ridge_estimate *e, const ridge_sustained *s, const ridge_gemm *g, const ridge_tile_problem *problem)
{
    ridge_tiling t;
    if (!ridge_tiling_best(&t, s, problem)) {
        double flops = 2 * (double)g->m * (double)g->n * (double)g->k;
        untiled(e, s, flops, s->matrix_flops_per_s, problem->a_bytes + problem->b_bytes, problem->c_bytes);
        return;
    }
    e->compute_s = t.compute_s;
    e->memory_s = larger(larger(t.cache_s, t.port_s), t.memory_s);
    e->latency_s = t.fill_s;
    e->kernel_s = s->kernel_s;
    e->wave_efficiency = t.wave_efficiency;
    finish(e);
}

static ridge_status gemm_time(ridge_estimate *out, const ridge_machine *machine, bool bare, const ridge_gemm *g, ridge_err *err)
{
    double bytes_per_s, a_bytes = 0, w_bytes = 0, c_bytes = 0;
    ridge_status st = check_gemm(g, err);
    if (st || (st = start(out, &bytes_per_s, machine, g->a, g->w, err)) || (st = bytes_of(&a_bytes, g->a, g->m, g->k, err)) ||
        (st = bytes_of(&w_bytes, g->w, g->n, g->k, err)) || (st = bytes_of(&c_bytes, g->c, g->m, g->n, err)))
        return st;
    if (bare) {
        roofline(out, 2 * (double)g->m * (double)g->n * (double)g->k, a_bytes + w_bytes + c_bytes, bytes_per_s);
        return RIDGE_OK;
    }
    ridge_sustained s = ridge_sustained_of(machine, out->at.used);
    ridge_tile_problem problem = {
        .m = g->m,
        .n = g->n,
        .k = g->k,
        .a_bits = bits_of(g->a),
        .b_bits = bits_of(g->w),
        .a_bytes = a_bytes,
        .b_bytes = w_bytes,
        .c_bytes = c_bytes,
        .a_reuse_bytes = g->a_reuse_bytes,
        .b_reuse_bytes = g->w_reuse_bytes,
    };
    tiled_gemm(out, &s, g, &problem);
    return RIDGE_OK;
}

ridge_status ridge_roofline_gemm(ridge_estimate *out, const ridge_machine *machine, const ridge_gemm *gemm, ridge_err *err)
{
    return gemm_time(out, machine, true, gemm, err);
}

ridge_status ridge_estimate_gemm(ridge_estimate *out, const ridge_machine *machine, const ridge_gemm *gemm, ridge_err *err)
{
    return gemm_time(out, machine, false, gemm, err);
}

/* ---- attention ---- */

/* How the usual kernel of an architecture cuts the work. FlashAttention-2 (Ampere, Ada and the like; csrc/flash_attn, split-KV kernel, the
 * one that reads paged caches): 64 rows of Q; heads that share K and V lie together in a block only for one query a sequence and without
 * a window (flash_api.cpp, "seqlenq_ngroups_swapped"). FlashAttention-3 (Hopper on; hopper/tile_size.h, heuristics.h): 128 rows, heads
 * always together with variable lengths. Shares of the peak in the forward pass: FlashAttention-2 50 to 73 % on A100 (arXiv 2307.08691),
 * its middle; FlashAttention-3 1.5 to 2 times the 35 % of FlashAttention-2 on H100, its middle, and in fp8 1.2 for 0.74 PFLOP/s of twice
 * the peak (arXiv 2407.08608). */
typedef struct attention_kernel {
    double rows, keys; /* of one step of the inner loop */
    bool together;     /* heads of one K/V head share blocks */
    double share;      /* of the matrix peak */
} attention_kernel;

#define FA2_ROWS      64
#define FA2_SHARE     0.615
#define FA3_ROWS      128
#define FA3_SHARE     0.61
#define FA3_FP8       0.50
#define DECODE_ROWS   64  /* least rows of both */
#define MOST_SPLITS   128 /* Flash-Decoding */
#define SOFTMAX_FLOPS 5   /* per score, beside the exponential's own unit: scale, max, subtract, sum, rescale; FACTS */

static attention_kernel attention_kernel_of(const ridge_machine *machine, const ridge_sustained *s, ridge_precision precision,
                                            const ridge_attention_work *a)
{
    double group = (double)(a->heads / a->kv_heads);
    attention_kernel kernel = {FA2_ROWS, a->head_dim <= 64 ? 256 : a->head_dim <= 128 ? 128 : 64, a->seq == 1 && a->window == 0, FA2_SHARE};
    if (!s->multicast && a->kv->bits.num <= 8 * a->kv->bits.den) {
        double rows = (double)a->seq * group;
        kernel.together = true;
        kernel.rows = rows <= 16 ? 16 : rows <= 64 || a->head_dim >= 256 ? 64 : 128;
    }
    if (s->multicast) {
        kernel = (attention_kernel){FA3_ROWS, a->head_dim <= 128 ? 128 : 80, true, FA3_SHARE};
        if (ridge_precision_bits[precision] <= 8)
            kernel.share = FA3_FP8;
        if ((double)a->seq * group <= DECODE_ROWS)
            kernel.rows = DECODE_ROWS;
    }
    kernel.share = smaller(kernel.share, ridge_matrix_share(machine, precision));
    return kernel;
}

static double keys_of(const ridge_attention_work *a)
{
    return (double)a->past + (double)a->seq;
}

ridge_status ridge_attention_pairs(ridge_value *out, ridge_graph *graph, ridge_value queries, ridge_value keys, ridge_value causal,
                                   int64_t window)
{
    const ridge_symbol *key = ridge_intern(&graph->registry->symbols, RIDGE_STR("ridge__ops__attention_pairs"));
    ridge_value most = window > 0 ? ridge_value_int(window) : ridge_value_none();
    if (!key)
        return ridge_no_memory(graph->err);
    return ridge_graph_invoke(out, graph, key, (ridge_argument[]){{NULL, queries}, {NULL, keys}, {NULL, causal}, {NULL, most}}, 4);
}

/* both products */
static double attention_flops(const ridge_attention_work *a)
{
    return 4 * (double)a->batch * (double)a->heads * (double)a->head_dim * a->pairs;
}

/* keys that any query of a sequence sees */
static double keys_read(const ridge_attention_work *a)
{
    return a->window > 0 && a->causal ? smaller(keys_of(a), (double)a->window + (double)a->seq - 1) : keys_of(a);
}

static ridge_status check_attention(const ridge_attention_work *a, ridge_err *err)
{
    const struct {
        const char *what;
        int64_t size, least;
    } sizes[] = {
        {"batch", a->batch, 1},       {"seq", a->seq, 1},           {"past", a->past, 0},     {"heads", a->heads, 1},
        {"kv_heads", a->kv_heads, 1}, {"head_dim", a->head_dim, 1}, {"window", a->window, 0},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ridge_status st = check_size(sizes[i].what, sizes[i].size, sizes[i].least, err);
        if (st)
            return st;
    }
    if (a->heads % a->kv_heads != 0)
        return ridge_fail(err, RIDGE_VALUE, "%lld heads cannot share %lld kv_heads evenly", (long long)a->heads, (long long)a->kv_heads);
    if (!(a->pairs >= (double)a->seq && a->pairs <= (double)a->seq * keys_of(a)))
        return ridge_fail(err, RIDGE_VALUE, "pairs is %.17g: every query sees 1 to past + seq keys", a->pairs);
    return RIDGE_OK;
}

/* How the call is cut: blocks of queries (heads of one K/V head together where the kernel does that) times splits of the keys. */
typedef struct attention_cut {
    attention_kernel kernel;
    double query_blocks; /* of one sequence and K/V head */
    double blocks;       /* of the call, splits included */
    double splits;
    double waves;
    double keys_busiest; /* that the busiest unit works off, whole steps */
} attention_cut;

/* keys that one block of queries visits: on average, and at most; a block of `own` tokens sees a few more than each of them */
static void keys_visited(double *mean, double *most, const ridge_attention_work *a, double own)
{
    bool window = a->window > 0 && a->causal;
    *mean = smaller(keys_read(a), a->pairs / (double)a->seq + (a->causal ? window ? own : own / 2 : 0));
    *most = window ? smaller(keys_read(a), (double)a->window + own) : keys_read(a);
}

static attention_cut cut_attention(const ridge_attention_work *a, const ridge_sustained *s, attention_kernel kernel)
{
    double group = (double)(a->heads / a->kv_heads), seq = (double)a->seq, together = kernel.together ? group : 1, mean, most;
    attention_cut c = {.kernel = kernel};
    c.query_blocks = ceil(seq * together / kernel.rows) * group / together;
    double tiles = (double)a->batch * (double)a->kv_heads * c.query_blocks, steps = ceil(keys_read(a) / kernel.keys);
    c.splits = tiles < s->units ? smaller(smaller(floor(s->units / tiles), steps), MOST_SPLITS) : 1;
    c.blocks = tiles * c.splits;
    c.waves = ceil(c.blocks / s->units);
    keys_visited(&mean, &most, a, smaller(seq, larger(1, kernel.rows / together)));
    c.keys_busiest = larger(c.waves * ceil(mean / c.splits / kernel.keys), ceil(most / c.splits / kernel.keys)) * kernel.keys;
    return c;
}

/* one unit, this many keys against one block of rows */
static void unit_times(double *matrix_s, double *softmax_s, const attention_kernel *kernel, const ridge_attention_work *a,
                       const ridge_sustained *s, double keys, double flops_per_s)
{
    double scores = kernel->rows * keys * s->units;
    *matrix_s = seconds(4 * scores * (double)a->head_dim, flops_per_s);
    *softmax_s = seconds(scores, s->exp_per_s) + seconds(SOFTMAX_FLOPS * scores, s->vector_flops_per_s);
}

/* What nothing overlaps, of every round of blocks: the table of cache pages and then the first K (two dependent loads), the first step
 * with its softmax, Q in and O out. Where two blocks fit on a unit they do it in turn. */
static double round_s(const ridge_attention_work *a, const attention_kernel *kernel, const ridge_sustained *s, double flops_per_s)
{
    double matrix, softmax, d = (double)a->head_dim, hits = ridge_cache_hit_share(s, a->reuse_bytes);
    double latency = hits * s->cache_latency_s + (1 - hits) * s->memory_latency_s;
    double block_bytes = (kernel->rows + 2 * kernel->keys) * d * 2, resident = floor(s->unit_shared_bytes / block_bytes);
    unit_times(&matrix, &softmax, kernel, a, s, kernel->keys, flops_per_s);
    return (2 * latency + smaller(matrix, softmax) + seconds(2 * kernel->rows * d * 2, s->port_bytes_per_s)) / (resident >= 2 ? 2 : 1);
}

/* main memory once; the shared cache once per block of queries; one unit's port for what the busiest reads */
static double attention_memory_s(const ridge_attention_work *a, const attention_cut *c, const ridge_sustained *s, double q_bytes,
                                 double kv_bytes)
{
    double misses = 1 - ridge_cache_hit_share(s, a->reuse_bytes), heads = (double)a->batch * (double)a->kv_heads;
    double sums = c->splits > 1 ? 2 * c->splits * (double)a->batch * (double)a->heads * (double)a->seq * (double)a->head_dim * 4 : 0;
    double visited = smaller(1, (a->pairs / (double)a->seq) / keys_read(a));
    double memory = ridge_sustained_memory_s(s, (q_bytes + kv_bytes) * misses, q_bytes * misses);
    double cache = seconds(2 * q_bytes + kv_bytes * c->query_blocks * visited + sums, s->cache_bytes_per_s);
    double port = seconds(kv_bytes / (heads * keys_read(a)) * c->keys_busiest, s->port_bytes_per_s);
    return larger(memory, larger(cache, port));
}

static void tiled_attention(ridge_estimate *e, const ridge_machine *machine, const ridge_attention_work *a, double q_bytes, double kv_bytes)
{
    ridge_sustained s = ridge_sustained_of(machine, e->at.used);
    attention_kernel kernel = attention_kernel_of(machine, &s, e->at.used, a);
    double flops_per_s = s.matrix_flops_per_s * kernel.share / ridge_matrix_share(machine, e->at.used), matrix_s, softmax_s;
    double flops = attention_flops(a);
    if (s.units <= 0) {
        untiled(e, &s, flops, flops_per_s, q_bytes + kv_bytes, q_bytes);
        return;
    }
    attention_cut c = cut_attention(a, &s, kernel);
    unit_times(&matrix_s, &softmax_s, &kernel, a, &s, c.keys_busiest, flops_per_s);
    e->compute_s = larger(seconds(flops, flops_per_s), larger(matrix_s, softmax_s));
    e->memory_s = attention_memory_s(a, &c, &s, q_bytes, kv_bytes);
    e->latency_s = c.waves * round_s(a, &kernel, &s, flops_per_s) + (c.splits > 1 ? s.kernel_s : 0);
    e->latency_s += smaller(e->compute_s, e->memory_s) / (c.keys_busiest / c.waves / kernel.keys); /* the first step overlaps nothing */
    e->kernel_s = s.kernel_s;
    e->wave_efficiency = c.blocks / (c.waves * s.units);
    finish(e);
}

static ridge_status attention_time(ridge_estimate *out, const ridge_machine *machine, bool bare, const ridge_attention_work *a,
                                   ridge_err *err)
{
    double bytes_per_s, q_bytes = 0, key_bytes = 0;
    ridge_status st = check_attention(a, err);
    if (st || (st = start(out, &bytes_per_s, machine, a->multiplies ? a->multiplies : a->q, a->kv, err)))
        return st;
    ridge_int q_rows = (ridge_int)a->batch * a->seq; /* below 2^80; times heads below 2^120 */
    ridge_int key_rows = (ridge_int)a->batch * (ridge_int)keys_read(a);
    ridge_int q_vectors, key_vectors;
    if (!ridge_int_mul(&q_vectors, q_rows, a->heads) || !ridge_int_mul(&key_vectors, key_rows, a->kv_heads))
        return ridge_fail(err, RIDGE_OVERFLOW, "an attention of that size does not fit in 128 bits");
    if ((st = bytes_of(&q_bytes, a->q, q_vectors, a->head_dim, err)) || (st = bytes_of(&key_bytes, a->kv, key_vectors, a->head_dim, err)))
        return st;
    if (bare)
        roofline(out, attention_flops(a), 2 * q_bytes + 2 * key_bytes, bytes_per_s);
    else
        tiled_attention(out, machine, a, q_bytes, 2 * key_bytes);
    return RIDGE_OK;
}

ridge_status ridge_roofline_attention(ridge_estimate *out, const ridge_machine *machine, const ridge_attention_work *attention,
                                      ridge_err *err)
{
    return attention_time(out, machine, true, attention, err);
}

ridge_status ridge_estimate_attention(ridge_estimate *out, const ridge_machine *machine, const ridge_attention_work *attention,
                                      ridge_err *err)
{
    return attention_time(out, machine, false, attention, err);
}

/* ---- streams ---- */

static ridge_status stream_time(ridge_estimate *out, const ridge_machine *machine, bool bare, const ridge_stream_kernel *stream,
                                ridge_err *err)
{
    double bytes_per_s;
    *out = (ridge_estimate){.wave_efficiency = 1, .at = {RIDGE_PRECISION_FP32, RIDGE_PRECISION_FP32, 0}};
    ridge_status st = main_bandwidth(&bytes_per_s, machine, NULL, err);
    if (st)
        return st;
    ridge_sustained s = ridge_sustained_of(machine, RIDGE_PRECISION_FP32);
    out->at.peak_flops_per_s = 2 * s.vector_flops_per_s;
    if (bare) {
        roofline(out, stream->flops, stream->read_bytes + stream->written_bytes, bytes_per_s);
        return RIDGE_OK;
    }
    double misses = 1 - ridge_cache_hit_share(&s, stream->reuse_bytes);
    out->compute_s = seconds(stream->flops, s.vector_flops_per_s);
    out->memory_s = larger(ridge_sustained_memory_s(&s, stream->read_bytes * misses, stream->written_bytes * misses),
                           seconds(stream->read_bytes + stream->written_bytes, s.cache_bytes_per_s));
    out->kernel_s = s.kernel_s;
    finish(out);
    return RIDGE_OK;
}

ridge_status ridge_roofline_stream(ridge_estimate *out, const ridge_machine *machine, const ridge_stream_kernel *stream, ridge_err *err)
{
    return stream_time(out, machine, true, stream, err);
}

ridge_status ridge_estimate_stream(ridge_estimate *out, const ridge_machine *machine, const ridge_stream_kernel *stream, ridge_err *err)
{
    return stream_time(out, machine, false, stream, err);
}

/* ---- casts ---- */

/* vLLM casts with a block of 256 threads for each row, 8 numbers a thread in a step (csrc/quantization/w8a8/fp8/common.cu): its largest
 * number, its scale, its conversion. Clocks of a unit, the line through the H100's rows of 32 to 16384 columns; a unit of the L40S, H200,
 * B200 and RTX PRO 6000, of which none is in the line, takes 0.93 to 1.09 times as many. */
#define CAST_ROW_CLOCKS  620
#define CAST_STEP_CLOCKS 1140
#define CAST_STEP        2048 /* columns */

ridge_status ridge_estimate_cast(ridge_estimate *out, const ridge_machine *machine, const ridge_cast_kernel *cast, ridge_err *err)
{
    ridge_stream_kernel stream = {.reuse_bytes = cast->reuse_bytes};
    ridge_status st;
    if ((st = bytes_of(&stream.read_bytes, cast->from, cast->rows, cast->columns, err)) ||
        (st = bytes_of(&stream.written_bytes, cast->to, cast->rows, cast->columns, err)) ||
        (st = ridge_estimate_stream(out, machine, &stream, err)))
        return st;
    ridge_sustained s = ridge_sustained_of(machine, RIDGE_PRECISION_FP32);
    double clocks = CAST_ROW_CLOCKS + CAST_STEP_CLOCKS * ceil((double)cast->columns / CAST_STEP);
    out->compute_s = larger(out->compute_s, ceil(seconds((double)cast->rows, s.units)) * seconds(clocks, s.clock_hz));
    finish(out);
    return RIDGE_OK;
}
