/* What the task comes to, in double precision, from the operands themselves: written without any of the kernels it judges (task.h). */
#include <math.h>

#include "frameworks/task.h"

#define RMS_EPSILON 1e-6
#define ROPE_THETA  10000.0

/* Rows that are computed of a long result: ROWS of them, or more where they are cheap, below CHEAP multiplications. */
enum { ROWS = 12 };
#define CHEAP 3e8

/* sum of a[i] b[i]; eight sums at a time, which a compiler can put side by side */
static double dot(const double *a, const float *b, int64_t n)
{
    double sums[8] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            sums[k] += a[i + k] * (double)b[i + k];
    for (; i < n; i++)
        sum += a[i] * (double)b[i];
    for (int k = 0; k < 8; k++)
        sum += sums[k];
    return sum;
}

static void widen(double *out, const float *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = from[i];
}

/* out[n] = W[n, k] x[k] */
static void product(double *out, const float *w, const double *x, int64_t n, int64_t k)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = dot(x, w + i * k, k);
}

/* ---- attention of one query of one head ---- */

/* out[d] = sum over the first `keys` of softmax(q k / sqrt(d)) v; scores[keys] is room */
static void attend(double *out, const double *q, const double *k, const double *v, int64_t keys, int64_t d, double *scores)
{
    double largest = -INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; j++) {
        double s = 0;
        for (int64_t i = 0; i < d; i++)
            s += q[i] * k[j * d + i];
        scores[j] = s / sqrt((double)d);
        largest = fmax(largest, scores[j]);
    }
    for (int64_t i = 0; i < d; i++)
        out[i] = 0;
    for (int64_t j = 0; j < keys; j++) {
        const double e = exp(scores[j] - largest);
        sum += e;
        for (int64_t i = 0; i < d; i++)
            out[i] += e * v[j * d + i];
    }
    for (int64_t i = 0; i < d; i++)
        out[i] /= sum;
}

/* ---- what is worked with ---- */

typedef struct working {
    const ridge_framework_task *t;
    const ridge_framework_data *data;
    ridge_arena *arena;
    double *k, *v;    /* one sequence's, [kv_heads, kept, head_dim] */
    double *scores;   /* [kept] */
    double *wide[4];  /* rows of the layer: [hidden], [heads * head_dim], [intermediate] twice */
    int64_t sequence; /* that k and v are of; -1: none */
} working;

static const float *of(const working *w, ridge_tensor_name name)
{
    return ridge_framework_data_of(w->data, w->t, name);
}

static double *room(const working *w, int64_t a, int64_t b)
{
    return ridge_arena_array(w->arena, (size_t)(a * b) + 1, sizeof(double));
}

static bool stopped(void)
{
    return ridge_measure_interrupted != 0;
}

/* the heads of one row: q[heads * d] against the caches, into out */
static void attend_heads(double *out, const double *q, const working *w, int64_t keys)
{
    const ridge_problem *p = &w->t->problem;
    const int64_t d = p->head_dim, kept = p->past + p->seq, shared = p->heads / p->kv_heads;
    for (int64_t h = 0; h < p->heads; h++) {
        const int64_t at = h / shared * kept * d;
        attend(out + h * d, q + h * d, w->k + at, w->v + at, keys, d, w->scores);
    }
}

/* ---- gemm, attention ---- */

static void gemm_row(double *out, working *w, int64_t row)
{
    const ridge_problem *p = &w->t->problem;
    widen(w->wide[0], of(w, RIDGE_TENSOR_A) + row * p->k, p->k);
    product(out, of(w, RIDGE_TENSOR_W), w->wide[0], p->n, p->k);
}

static int64_t keys_of(const ridge_problem *p, int64_t token)
{
    return p->causal ? p->past + token + 1 : p->past + p->seq;
}

static void attention_row(double *out, working *w, int64_t row)
{
    const ridge_problem *p = &w->t->problem;
    const int64_t sequence = row / p->seq, each = p->kv_heads * (p->past + p->seq) * p->head_dim;
    if (w->sequence != sequence) {
        widen(w->k, of(w, RIDGE_TENSOR_K) + sequence * each, each);
        widen(w->v, of(w, RIDGE_TENSOR_V) + sequence * each, each);
        w->sequence = sequence;
    }
    widen(w->wide[1], of(w, RIDGE_TENSOR_Q) + row * p->heads * p->head_dim, p->heads * p->head_dim);
    attend_heads(out, w->wide[1], w, keys_of(p, row % p->seq));
}

/* ---- a layer ---- */

static void norm(double *out, const double *x, const float *gamma, int64_t n)
{
    double squares = 0;
    for (int64_t i = 0; i < n; i++)
        squares += x[i] * x[i];
    const double root = sqrt(squares / (double)n + RMS_EPSILON);
    for (int64_t i = 0; i < n; i++)
        out[i] = x[i] / root * (double)gamma[i];
}

/* the halves of a head, turned by position / theta^(2i / d) */
static void rope(double *x, int64_t heads, int64_t d, int64_t position)
{
    for (int64_t h = 0; h < heads; h++, x += d)
        for (int64_t i = 0; i < d / 2; i++) {
            const double angle = (double)position / pow(ROPE_THETA, 2.0 * (double)i / (double)d);
            const double a = x[i], b = x[d / 2 + i];
            x[i] = a * cos(angle) - b * sin(angle);
            x[d / 2 + i] = b * cos(angle) + a * sin(angle);
        }
}

/* the input of row `row`, normed */
static void normed_input(double *out, const working *w, int64_t row)
{
    const int64_t h = w->t->hidden;
    widen(out, of(w, RIDGE_TENSOR_INPUT) + row * h, h);
    norm(out, out, of(w, RIDGE_TENSOR_NORM1), h);
}

/* keys, or values, of one new token into the cache, head by head */
static void put_heads(double *cache, const double *heads, const ridge_problem *p, int64_t token)
{
    const int64_t d = p->head_dim, kept = p->past + p->seq;
    for (int64_t h = 0; h < p->kv_heads; h++)
        memcpy(cache + (h * kept + p->past + token) * d, heads + h * d, (size_t)d * sizeof *cache);
}

static void past_heads(double *cache, const float *past, const ridge_problem *p, int64_t sequence)
{
    const int64_t d = p->head_dim, kept = p->past + p->seq;
    for (int64_t h = 0; h < p->kv_heads && p->past > 0; h++)
        widen(cache + h * kept * d, past + (sequence * p->kv_heads + h) * p->past * d, p->past * d);
}

/* all keys and values of a sequence, up to `tokens` new ones */
static void fill_caches(working *w, int64_t sequence)
{
    const ridge_problem *p = &w->t->problem;
    const int64_t h = w->t->hidden, kv = p->kv_heads * p->head_dim;
    past_heads(w->k, of(w, RIDGE_TENSOR_K), p, sequence);
    past_heads(w->v, of(w, RIDGE_TENSOR_V), p, sequence);
    for (int64_t s = 0; s < p->seq && !stopped(); s++) {
        normed_input(w->wide[0], w, sequence * p->seq + s);
        product(w->wide[2], of(w, RIDGE_TENSOR_WK), w->wide[0], kv, h);
        rope(w->wide[2], p->kv_heads, p->head_dim, p->past + s);
        put_heads(w->k, w->wide[2], p, s);
        product(w->wide[2], of(w, RIDGE_TENSOR_WV), w->wide[0], kv, h);
        put_heads(w->v, w->wide[2], p, s);
    }
    w->sequence = sequence;
}

/* x += down(silu(gate h) * up h), h the norm of x */
static void add_mlp(double *x, working *w)
{
    const int64_t h = w->t->hidden, n = w->t->intermediate;
    double *gate = w->wide[2], *up = w->wide[3];
    norm(w->wide[0], x, of(w, RIDGE_TENSOR_NORM2), h);
    product(gate, of(w, RIDGE_TENSOR_WGATE), w->wide[0], n, h);
    product(up, of(w, RIDGE_TENSOR_WUP), w->wide[0], n, h);
    for (int64_t i = 0; i < n; i++)
        gate[i] = gate[i] / (1 + exp(-gate[i])) * up[i];
    product(w->wide[0], of(w, RIDGE_TENSOR_WDOWN), gate, h, n);
    for (int64_t i = 0; i < h; i++)
        x[i] += w->wide[0][i];
}

static void layer_row(double *out, working *w, int64_t row)
{
    const ridge_problem *p = &w->t->problem;
    const int64_t h = w->t->hidden, q = p->heads * p->head_dim, token = row % p->seq;
    if (w->sequence != row / p->seq)
        fill_caches(w, row / p->seq);
    normed_input(w->wide[0], w, row);
    product(w->wide[2], of(w, RIDGE_TENSOR_WQ), w->wide[0], q, h);
    rope(w->wide[2], p->heads, p->head_dim, p->past + token);
    attend_heads(w->wide[1], w->wide[2], w, keys_of(p, token));
    product(w->wide[0], of(w, RIDGE_TENSOR_WO), w->wide[1], h, q);
    for (int64_t i = 0; i < h; i++)
        out[i] = (double)of(w, RIDGE_TENSOR_INPUT)[row * h + i] + w->wide[0][i];
    add_mlp(out, w);
}

/* ---- the whole ---- */

/* multiplications of one row */
static double row_work(const ridge_framework_task *t)
{
    const ridge_problem *p = &t->problem;
    const double pairs = (double)p->heads * (double)p->head_dim * (double)(p->past + p->seq) * 2;
    if (t->what == RIDGE_FRAMEWORK_GEMM)
        return (double)p->n * (double)p->k;
    if (t->what == RIDGE_FRAMEWORK_ATTENTION)
        return pairs;
    return pairs + (double)t->hidden * (2.0 * (double)(p->heads * p->head_dim) + 3.0 * (double)t->intermediate);
}

static ridge_status choose_rows(ridge_framework_reference *r, const ridge_framework_task *t, ridge_arena *arena, ridge_err *err)
{
    const double cheap = CHEAP / row_work(t);
    const int64_t most = cheap > (double)t->output_rows ? t->output_rows : cheap > ROWS ? (int64_t)cheap : ROWS;
    const int64_t n = t->output_rows < most ? t->output_rows : most;
    if (!(r->rows = ridge_arena_array(arena, (size_t)n, sizeof *r->rows)))
        return ridge_no_memory(err);
    for (int64_t i = 0; i < n; i++)
        r->rows[i] = n == 1 ? t->output_rows - 1 : i * (t->output_rows - 1) / (n - 1);
    r->row_count = (size_t)n;
    return RIDGE_OK;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool make_room(working *w)
{
    const ridge_framework_task *t = w->t;
    const ridge_problem *p = &t->problem;
    const int64_t kept = p->past + p->seq, heads = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim;
    w->k = room(w, kv, kept);
    w->v = room(w, kv, kept);
    w->scores = room(w, kept, 1);
    w->wide[0] = room(w, larger(t->hidden, p->k), 1);
    w->wide[1] = room(w, heads, 1);
    w->wide[2] = room(w, larger(t->intermediate, heads), 1);
    w->wide[3] = room(w, t->intermediate, 1);
    return w->k && w->v && w->scores && w->wide[0] && w->wide[1] && w->wide[2] && w->wide[3];
}

/* of a layer the input is no result: an error is measured by what the layer adds to it */
static double scale_of(const ridge_framework_reference *r, const working *w)
{
    const int64_t cols = w->t->output_cols;
    double squares = 0;
    for (size_t i = 0; i < r->row_count; i++)
        for (int64_t k = 0; k < cols; k++) {
            const double input = w->t->what == RIDGE_FRAMEWORK_LAYER ? (double)of(w, RIDGE_TENSOR_INPUT)[r->rows[i] * cols + k] : 0;
            const double added = r->values[(int64_t)i * cols + k] - input;
            squares += added * added;
        }
    return sqrt(squares / ((double)r->row_count * (double)cols));
}

ridge_status ridge_framework_reference_make(ridge_framework_reference *out, const ridge_framework_task *t, const ridge_framework_data *data,
                                            ridge_arena *arena, ridge_err *err)
{
    static void (*const rows[])(double *, working *, int64_t) = {gemm_row, attention_row, layer_row};
    working w = {.t = t, .data = data, .arena = arena, .sequence = -1};
    *out = (ridge_framework_reference){.row_count = 0};
    ridge_status st = choose_rows(out, t, arena, err);
    if (st)
        return st;
    if (!make_room(&w) || !(out->values = room(&w, (int64_t)out->row_count, t->output_cols)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < out->row_count && !stopped(); i++)
        rows[t->what](out->values + (int64_t)i * t->output_cols, &w, out->rows[i]);
    if (stopped())
        return ridge_fail(err, RIDGE_IO, "interrupted");
    out->scale = scale_of(out, &w);
    return RIDGE_OK;
}

double ridge_framework_difference(const ridge_framework_reference *r, const ridge_framework_task *t, const float *result)
{
    const int64_t cols = t->output_cols;
    double worst = 0;
    for (int64_t i = 0; i < t->output_rows * cols; i++)
        if (!isfinite(result[i]))
            return INFINITY;
    for (size_t i = 0; i < r->row_count; i++)
        for (int64_t k = 0; k < cols; k++)
            worst = fmax(worst, fabs(r->values[(int64_t)i * cols + k] - (double)result[r->rows[i] * cols + k]));
    return r->scale > 0 ? worst / r->scale : worst;
}

double ridge_framework_tolerance(const ridge_framework_task *t, const ridge_format *f)
{
    static const ridge_kernel_variant plain = {.activation_bits = 0};
    const bool narrow = strcmp(f->name, "fp32") != 0;
    ridge_problem p = t->problem;
    p.weights = p.activations = f;
    if (t->what == RIDGE_FRAMEWORK_LAYER) /* sums one behind the other; each result between them is rounded to 8 bits, or not */
        return narrow ? 0.15 : 0x1p-24 * (64 * sqrt((double)(t->hidden + t->intermediate)) + 32 * (double)(p.past + p.seq));
    return ridge_kernel_tolerance(&p, &plain) * (narrow ? 1.5 : 1); /* scores and weights of attention are rounded too, by others */
}
