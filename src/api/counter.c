/* The layer counters of the public API over operator/ops.h and operator/counter.h: only numbers and errors change their clothes here. */
#include "ridge_counter.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/shown.h"
#include "operator/counter.h"

struct ridge_counter {
    ridge_layer_counter layers;
};

/* ---- errors and numbers ---- */

/* the exit st of the command line, as in ridge.h */
static int answer(ridge_status st, const ridge_err *err, char *message, size_t size)
{
    if (message && size)
        snprintf(message, size, "%s", st ? (err->msg[0] ? err->msg : ridge_status_name(st)) : "");
    return !st ? 0 : st == RIDGE_USAGE ? 2 : st == RIDGE_CHECK ? 3 : 1;
}

static ridge_count count_of(ridge_int n)
{
    ridge_uint bits = (ridge_uint)n;
    uint64_t high = (uint64_t)(bits >> 64);
    ridge_count c = {(uint64_t)bits, 0};
    memcpy(&c.hi, &high, sizeof c.hi);
    return c;
}

static ridge_int int_of(ridge_count c)
{
    return (ridge_int)((ridge_uint)(uint64_t)c.hi << 64 | c.lo);
}

size_t ridge_count_text(ridge_count value, char *out, size_t size)
{
    char text[RIDGE_INT_CHARS];
    size_t n = ridge_int_print(text, int_of(value));
    if (out && size)
        snprintf(out, size, "%s", text);
    return n;
}

double ridge_count_double(ridge_count value)
{
    return ridge_rational_double(ridge_rational_of(int_of(value)));
}

static ridge_flops flops_of(const ridge_op_flops *f)
{
    return (ridge_flops){
        .total = count_of(f->total),
#define X(code, name) .name = count_of(f->by_class[RIDGE_FLOP_##code]),
        RIDGE_FLOP_LIST(X)
#undef X
            .dequantisation = count_of(f->dequantisation),
    };
}

static ridge_op_flops op_flops_of(const ridge_flops *f)
{
    return (ridge_op_flops){
        .total = int_of(f->total),
        .by_class =
            {
#define X(code, name) [RIDGE_FLOP_##code] = int_of(f->name),
                RIDGE_FLOP_LIST(X)
#undef X
            },
        .dequantisation = int_of(f->dequantisation),
    };
}

double ridge_flops_gflops(const ridge_flops *flops)
{
    return ridge_count_double(flops->total) / 1e9;
}

double ridge_flops_tflops(const ridge_flops *flops)
{
    return ridge_count_double(flops->total) / 1e12;
}

double ridge_flops_overhead_percent(const ridge_flops *flops)
{
    ridge_int added = int_of(flops->dequantisation), without = int_of(flops->total) - added;
    return without > 0 ? 100 * (double)added / (double)without : 0;
}

/* ---- shapes ---- */

typedef struct counted_op {
    ridge_op_kind kind;
    ridge_op_shape shape;
    int flags[RIDGE_OP_FLAG_COUNT]; /* as the caller gave them: 0 or 1 */
} counted_op;

static ridge_status take_flags(counted_op *o, ridge_err *err)
{
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++) {
        if (o->flags[f] != 0 && o->flags[f] != 1)
            return ridge_fail(err, RIDGE_USAGE, "%s: %d is neither 0 nor 1", ridge_op_flag_names[f], o->flags[f]);
        o->shape.flags[f] = o->flags[f];
    }
    return RIDGE_OK;
}

static counted_op matmul(uint64_t m, uint64_t n, uint64_t k, int quantised)
{
    return (counted_op){.kind = RIDGE_OP_MATMUL,
                        .shape.dims = {[RIDGE_OP_M] = m, [RIDGE_OP_N] = n, [RIDGE_OP_K] = k},
                        .flags = {[RIDGE_OP_QUANTISED] = quantised}};
}

/* 0 is "not given" inside: a zero that was given must not become the default */
static ridge_int given(uint64_t n)
{
    return n ? (ridge_int)n : -1;
}

static counted_op attention(uint64_t batch, uint64_t seq_len, uint64_t heads, uint64_t head_dim, int causal)
{
    return (counted_op){
        .kind = RIDGE_OP_COUNTED_ATTENTION,
        .shape.dims =
            {[RIDGE_OP_BATCH] = given(batch), [RIDGE_OP_SEQ_LEN] = seq_len, [RIDGE_OP_HEADS] = heads, [RIDGE_OP_HEAD_DIM] = head_dim},
        .flags = {[RIDGE_OP_CAUSAL] = causal}};
}

static counted_op ffn(uint64_t batch, uint64_t seq_len, uint64_t hidden, uint64_t intermediate, int gated, int quantised)
{
    return (counted_op){.kind = RIDGE_OP_FFN,
                        .shape.dims = {[RIDGE_OP_BATCH] = given(batch),
                                       [RIDGE_OP_SEQ_LEN] = seq_len,
                                       [RIDGE_OP_HIDDEN] = hidden,
                                       [RIDGE_OP_INTERMEDIATE] = intermediate},
                        .flags = {[RIDGE_OP_GATED] = gated, [RIDGE_OP_QUANTISED] = quantised}};
}

static counted_op layernorm(uint64_t batch, uint64_t seq_len, uint64_t hidden)
{
    /* cannot overflow: 64 x 64 bits, and a value past 127 bits is refused as negative */
    return (counted_op){.kind = RIDGE_OP_LAYERNORM,
                        .shape.dims = {[RIDGE_OP_ROWS] = (ridge_int)((ridge_uint)batch * seq_len), [RIDGE_OP_COLS] = hidden}};
}

static counted_op embedding(uint64_t batch, uint64_t seq_len, uint64_t hidden)
{
    return (counted_op){.kind = RIDGE_OP_EMBEDDING,
                        .shape.dims = {[RIDGE_OP_BATCH] = given(batch), [RIDGE_OP_SEQ_LEN] = seq_len, [RIDGE_OP_HIDDEN] = hidden}};
}

static counted_op layer(const ridge_layer_shape *s)
{
    return (counted_op){.kind = RIDGE_OP_LAYER,
                        .shape.dims = {[RIDGE_OP_BATCH] = given(s->batch),
                                       [RIDGE_OP_SEQ_LEN] = s->seq_len,
                                       [RIDGE_OP_HIDDEN] = s->hidden,
                                       [RIDGE_OP_HEADS] = s->heads,
                                       [RIDGE_OP_HEAD_DIM] = s->head_dim,
                                       [RIDGE_OP_INTERMEDIATE] = s->intermediate},
                        .flags = {[RIDGE_OP_CAUSAL] = s->causal, [RIDGE_OP_GATED] = s->gated, [RIDGE_OP_QUANTISED] = s->quantised}};
}

static counted_op model(const ridge_layer_shape *s, uint64_t layers, uint64_t vocab)
{
    counted_op o = layer(s);
    o.kind = RIDGE_OP_MODEL;
    o.shape.dims[RIDGE_OP_LAYERS] = layers;
    o.shape.dims[RIDGE_OP_VOCAB] = vocab;
    return o;
}

/* ---- pure functions ---- */

/* the whole, then the parts named (NULL-terminated), each into its own struct */
static int evaluate(counted_op o, ridge_flops *total, const char *const *names, ridge_flops *const *parts, char *message, size_t size)
{
    ridge_ops ops;
    ridge_op_record record;
    ridge_arena arena;
    ridge_err err = {0};
    ridge_status st = take_flags(&o, &err);
    if (st || (st = ridge_ops_open(&ops, &err)))
        return answer(st, &err, message, size);
    ridge_arena_init(&arena);
    if (!(st = ridge_ops_count(&record, &ops, o.kind, &o.shape, NULL, &arena, &err))) {
        *total = flops_of(&record.flops);
        for (size_t i = 0; names && names[i] && !st; i++) {
            const ridge_op_part *part = ridge_op_part_find(&record, names[i]);
            if (part)
                *parts[i] = flops_of(&part->flops);
            else
                st = ridge_fail(&err, RIDGE_UNKNOWN, "the catalog's entry has no part '%s'", names[i]);
        }
    }
    ridge_arena_free(&arena);
    ridge_ops_close(&ops);
    return answer(st, &err, message, size);
}

static int evaluate_one(counted_op o, ridge_flops *out, char *message, size_t size)
{
    return evaluate(o, out, NULL, NULL, message, size);
}

int ridge_op_matmul(ridge_flops *out, uint64_t m, uint64_t n, uint64_t k, int quantised, char *message, size_t size)
{
    return evaluate_one(matmul(m, n, k, quantised), out, message, size);
}

int ridge_op_attention(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t heads, uint64_t head_dim, int causal, char *message,
                       size_t size)
{
    return evaluate_one(attention(batch, seq_len, heads, head_dim, causal), out, message, size);
}

int ridge_op_ffn(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t hidden, uint64_t intermediate, int gated, int quantised,
                 char *message, size_t size)
{
    return evaluate_one(ffn(batch, seq_len, hidden, intermediate, gated, quantised), out, message, size);
}

int ridge_op_layernorm(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t hidden, char *message, size_t size)
{
    return evaluate_one(layernorm(batch, seq_len, hidden), out, message, size);
}

int ridge_op_embedding(ridge_flops *out, uint64_t batch, uint64_t seq_len, uint64_t hidden, char *message, size_t size)
{
    return evaluate_one(embedding(batch, seq_len, hidden), out, message, size);
}

int ridge_op_transformer_layer(ridge_layer_flops *out, const ridge_layer_shape *shape, char *message, size_t size)
{
    static const char *const names[] = {"attention", "ffn", "layernorm", NULL};
    ridge_flops *const parts[] = {&out->attention, &out->ffn, &out->layernorm};
    return evaluate(layer(shape), &out->total, names, parts, message, size);
}

int ridge_op_model(ridge_model_flops *out, const ridge_layer_shape *shape, uint64_t layers, uint64_t vocab, char *message, size_t size)
{
    static const char *const names[] = {"embedding", "layers", "lm_head", NULL};
    ridge_flops *const parts[] = {&out->embedding, &out->layers, &out->lm_head};
    return evaluate(model(shape, layers, vocab), &out->total, names, parts, message, size);
}

/* ---- the counter ---- */

int ridge_counter_new(ridge_counter **out, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_counter *c = calloc(1, sizeof *c);
    ridge_status st = c ? ridge_layer_counter_init(&c->layers, &err) : ridge_no_memory(&err);
    if (st) {
        free(c);
        c = NULL;
    }
    *out = c;
    return answer(st, &err, message, size);
}

void ridge_counter_free(ridge_counter *c)
{
    if (!c)
        return;
    ridge_layer_counter_free(&c->layers);
    free(c);
}

void ridge_counter_clear(ridge_counter *c)
{
    ridge_layer_counter_clear(&c->layers);
}

static int add(ridge_counter *c, const char *name, counted_op o, const char *metadata, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_status st = take_flags(&o, &err);
    if (!st)
        st = ridge_layer_counter_add(&c->layers, name, o.kind, &o.shape, metadata, &err);
    return answer(st, &err, message, size);
}

int ridge_counter_add_matmul_with(ridge_counter *c, const char *name, uint64_t m, uint64_t n, uint64_t k, int quantised,
                                  const char *metadata, char *message, size_t size)
{
    return add(c, name, matmul(m, n, k, quantised), metadata, message, size);
}

int ridge_counter_add_matmul(ridge_counter *c, const char *name, uint64_t m, uint64_t n, uint64_t k, int quantised, char *message,
                             size_t size)
{
    return ridge_counter_add_matmul_with(c, name, m, n, k, quantised, NULL, message, size);
}

int ridge_counter_add_attention_with(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t heads,
                                     uint64_t head_dim, int causal, const char *metadata, char *message, size_t size)
{
    return add(c, name, attention(batch, seq_len, heads, head_dim, causal), metadata, message, size);
}

int ridge_counter_add_attention(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t heads, uint64_t head_dim,
                                int causal, char *message, size_t size)
{
    return ridge_counter_add_attention_with(c, name, batch, seq_len, heads, head_dim, causal, NULL, message, size);
}

int ridge_counter_add_ffn_with(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden, uint64_t intermediate,
                               int gated, int quantised, const char *metadata, char *message, size_t size)
{
    return add(c, name, ffn(batch, seq_len, hidden, intermediate, gated, quantised), metadata, message, size);
}

int ridge_counter_add_ffn(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden, uint64_t intermediate,
                          int gated, int quantised, char *message, size_t size)
{
    return ridge_counter_add_ffn_with(c, name, batch, seq_len, hidden, intermediate, gated, quantised, NULL, message, size);
}

int ridge_counter_add_layernorm_with(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                     const char *metadata, char *message, size_t size)
{
    return add(c, name, layernorm(batch, seq_len, hidden), metadata, message, size);
}

int ridge_counter_add_layernorm(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden, char *message,
                                size_t size)
{
    return ridge_counter_add_layernorm_with(c, name, batch, seq_len, hidden, NULL, message, size);
}

int ridge_counter_add_embedding_with(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden,
                                     const char *metadata, char *message, size_t size)
{
    return add(c, name, embedding(batch, seq_len, hidden), metadata, message, size);
}

int ridge_counter_add_embedding(ridge_counter *c, const char *name, uint64_t batch, uint64_t seq_len, uint64_t hidden, char *message,
                                size_t size)
{
    return ridge_counter_add_embedding_with(c, name, batch, seq_len, hidden, NULL, message, size);
}

int ridge_counter_add_transformer_layer_with(ridge_counter *c, const char *name, const ridge_layer_shape *shape, const char *metadata,
                                             char *message, size_t size)
{
    return add(c, name, layer(shape), metadata, message, size);
}

int ridge_counter_add_transformer_layer(ridge_counter *c, const char *name, const ridge_layer_shape *shape, char *message, size_t size)
{
    return ridge_counter_add_transformer_layer_with(c, name, shape, NULL, message, size);
}

int ridge_counter_add_layer(ridge_counter *c, const char *name, const ridge_flops *flops, const char *metadata, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_op_flops own = op_flops_of(flops);
    return answer(ridge_layer_counter_add_layer(&c->layers, name, &own, metadata, &err), &err, message, size);
}

/* ---- reading ---- */

static ridge_layer layer_of(const ridge_counter *c, const ridge_layer_record *r)
{
    return (ridge_layer){.name = r->name,
                         .kind = r->kind,
                         .metadata = r->metadata,
                         .index = (uint64_t)(r - c->layers.layers),
                         .percent = ridge_layer_counter_percent(&c->layers, r),
                         .flops = flops_of(&r->flops)};
}

uint64_t ridge_counter_layer_count(const ridge_counter *c)
{
    return c->layers.count;
}

int ridge_counter_layer_at(ridge_layer *out, const ridge_counter *c, uint64_t index, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_status st = RIDGE_OK;
    if (index < c->layers.count)
        *out = layer_of(c, &c->layers.layers[index]);
    else
        st = ridge_fail(&err, RIDGE_VALUE, "there is no layer %llu: %zu were added", (unsigned long long)index, c->layers.count);
    return answer(st, &err, message, size);
}

int ridge_counter_get_layer(ridge_layer *out, const ridge_counter *c, const char *name, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_status st = RIDGE_OK;
    const ridge_layer_record *r = ridge_layer_counter_find(&c->layers, name);
    if (r)
        *out = layer_of(c, r);
    else
        st = ridge_fail(&err, RIDGE_NAME, "there is no layer '%s'", name);
    return answer(st, &err, message, size);
}

void ridge_counter_layers(ridge_layer *out, uint64_t room, uint64_t *count, const ridge_counter *c)
{
    for (size_t i = 0; i < c->layers.count && i < room; i++)
        out[i] = layer_of(c, &c->layers.layers[i]);
    if (count)
        *count = c->layers.count;
}

int ridge_counter_top(ridge_layer *out, uint64_t room, uint64_t *count, const ridge_counter *c, uint64_t top_n, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_arena arena;
    size_t *order, n = top_n && top_n < c->layers.count ? (size_t)top_n : c->layers.count;
    ridge_arena_init(&arena);
    ridge_status st = ridge_layer_counter_sorted(&order, &c->layers, &arena, &err);
    for (size_t i = 0; i < n && i < room && !st; i++)
        out[i] = layer_of(c, &c->layers.layers[order[i]]);
    if (count)
        *count = st ? 0 : n;
    ridge_arena_free(&arena);
    return answer(st, &err, message, size);
}

void ridge_counter_total(ridge_flops *out, const ridge_counter *c)
{
    *out = flops_of(&c->layers.total);
}

double ridge_counter_gflops(const ridge_counter *c)
{
    return ridge_count_double(count_of(c->layers.total.total)) / 1e9;
}

double ridge_counter_tflops(const ridge_counter *c)
{
    return ridge_count_double(count_of(c->layers.total.total)) / 1e12;
}

double ridge_layer_gflops(const ridge_layer *layer)
{
    return ridge_flops_gflops(&layer->flops);
}

double ridge_layer_tflops(const ridge_layer *layer)
{
    return ridge_flops_tflops(&layer->flops);
}

int ridge_counter_summary(char *out, size_t room, size_t *length, const ridge_counter *c, uint64_t top_n, char *message, size_t size)
{
    ridge_err err = {0};
    ridge_buf text = {0};
    ridge_status st = ridge_layer_counter_summary(&text, &c->layers, top_n < SIZE_MAX ? (size_t)top_n : 0, &err);
    ridge_buf_drop_marks(&text);
    if (out && room)
        snprintf(out, room, "%s", st ? "" : text.p);
    if (length)
        *length = st ? 0 : text.n;
    ridge_buf_free(&text);
    return answer(st, &err, message, size);
}
