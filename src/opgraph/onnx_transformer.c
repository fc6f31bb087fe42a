/* Attention and mixtures of ONNX Runtime (com.microsoft). Sizes as in onnx_attention.c; the products alone count, whatever a mask saves,
 * as PyTorch counts attention. */
#include "opgraph/onnx.h"

/* a cache of [B, heads, rows, size] */
static bool is_cache(const ridge_opgraph_tensor *t)
{
    return t && t->rank == 4 && t->dims[2] <= INT32_MAX;
}

static ridge_status wants_heads(int64_t *count, ridge_opgraph_call *call, const char *name, int64_t width)
{
    *count = ridge_opgraph_whole(call->node, name, 0);
    return *count > 0 && width % *count == 0
               ? RIDGE_OK
               : ridge_opgraph_wrong(call, "%lld numbers are to be %lld heads", (long long)width, (long long)*count);
}

static ridge_status present_is(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, int64_t batch, int64_t count,
                               int64_t rows, int64_t size)
{
    ridge_opset_dims dims = {.rank = 4, .at = {batch, count, rows, size}};
    return ridge_opset_set(call, out, format, &dims);
}

/* A cache that is a buffer of fixed length: what of it is read and written, no shape tells. */
static ridge_status in_buffer(ridge_opgraph_call *call)
{
    return ridge_opgraph_unknown(call, "its cache is a buffer with room for more, of which it reads and writes a part");
}

/* ---- Attention, QAttention: the projections of Q, K and V are in it: "r" rows of "i" numbers to "w" columns ---- */
ridge_status ridge_onnx_rule_attention_packed(ridge_opgraph_call *call)
{
    bool quantised = strcmp(ridge_opset_op(call), "QAttention") == 0;
    const uint32_t past_at = quantised ? 8 : 4;
    ridge_status st = ridge_opset_needs(call, quantised ? 5 : 2);
    ridge_opset_list sizes = ridge_opset_attribute(call, "qkv_hidden_sizes");
    int64_t count, past = 0;
    if (st || (st = ridge_opset_rank_is(call, 0, "its input", 3)) || (st = ridge_opset_rank_is(call, 1, "its weight", 2)))
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *w = call->in[1], *cache = ridge_opgraph_in(call, past_at);
    int64_t columns = w->dims[1], hidden = sizes.count == 3 ? sizes.at[0] : columns / 3,
            values = sizes.count == 3 ? sizes.at[2] : columns / 3;
    if (w->dims[0] != x->dims[2] || hidden < 0 || values < 0 || hidden > columns || values > columns || 2 * hidden + values != columns)
        return ridge_opgraph_wrong(call, "its input is %s and its weight %s", ridge_opgraph_shape_text(call, x),
                                   ridge_opgraph_shape_text(call, w));
    if ((st = wants_heads(&count, call, "num_heads", hidden)) || (st = wants_heads(&count, call, "num_heads", values)))
        return st;
    if (cache && (cache->rank != 5 || cache->dims[0] != 2 || cache->dims[3] > INT32_MAX))
        return ridge_opgraph_wrong(call, "its cache is %s", ridge_opgraph_shape_text(call, cache));
    past = cache ? cache->dims[3] : 0;
    const ridge_format *format = quantised ? ridge_opset_format_of(call, 2) : x->format;
    ridge_opset_dims out = {.rank = 3, .at = {x->dims[0], x->dims[1], values}};
    ridge_opset_dims present = {.rank = 5, .at = {2, x->dims[0], count, past + x->dims[1], hidden / count}};
    ridge_opgraph_size_is(call, "r", (ridge_int)x->dims[0] * x->dims[1]);
    ridge_opgraph_size_is(call, "i", x->dims[2]);
    ridge_opgraph_size_is(call, "w", columns);
    ridge_opset_attends(call, (ridge_int)x->dims[0] * count, x->dims[1], past + x->dims[1], hidden / count, values / count);
    if ((st = ridge_opset_set(call, 0, format, &out)))
        return st;
    if (ridge_opgraph_whole(call->node, "past_present_share_buffer", 0)) {
        st = cache ? ridge_opgraph_set_like(call, 1, format, cache) : RIDGE_OK;
        return st ? st : in_buffer(call);
    }
    return ridge_opset_set(call, 1, format, &present);
}

/* ---- MultiHeadAttention and DecoderMaskedMultiHeadAttention ---- */
typedef struct multi_head {
    int64_t batch, count, queries, size, fresh, value_size; /* fresh: keys that this call brings */
} multi_head;

/* query [B, S, heads*size] or with key and value in it [B, S, heads, 3, size] */
static ridge_status read_query(multi_head *m, ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *q = call->in[0];
    *m = (multi_head){.count = ridge_opgraph_whole(call->node, "num_heads", 0)};
    if ((q->rank != 3 && (q->rank != 5 || q->dims[3] != 3)) || m->count < 1 || (q->rank == 3 && q->dims[2] % m->count != 0))
        return ridge_opgraph_wrong(call, "its query is %s, of %lld heads", ridge_opgraph_shape_text(call, q), (long long)m->count);
    m->batch = q->dims[0];
    m->queries = m->fresh = q->dims[1];
    m->size = m->value_size = q->rank == 5 ? q->dims[4] : q->dims[2] / m->count;
    return RIDGE_OK;
}

/* key [B, L, heads*size], with the value in it [B, L, heads, 2, size], or [B, heads, L, size]: keys made before, of another sequence */
static ridge_status read_keys(multi_head *m, ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *k = ridge_opgraph_in(call, 1), *v = ridge_opgraph_in(call, 2);
    if (!k)
        return RIDGE_OK;
    bool before = k->rank == 4;
    if (k->rank < 3 || k->rank > 5 || (k->rank == 3 && !v))
        return ridge_opgraph_wrong(call, "its key is %s", ridge_opgraph_shape_text(call, k));
    m->fresh = k->dims[before ? 2 : 1];
    if (v && v->rank == 4)
        m->value_size = v->dims[3];
    else if (v && v->rank == 3 && v->dims[2] % m->count == 0)
        m->value_size = v->dims[2] / m->count;
    else if (v)
        return ridge_opgraph_wrong(call, "its value is %s", ridge_opgraph_shape_text(call, v));
    return m->fresh <= INT32_MAX ? RIDGE_OK : ridge_opgraph_wrong(call, "its key is %s", ridge_opgraph_shape_text(call, k));
}

static ridge_status multi_head_results(ridge_opgraph_call *call, const multi_head *m, const ridge_opgraph_tensor *past, bool cross)
{
    int64_t keys = m->fresh + (past && !cross ? past->dims[2] : 0);
    ridge_opset_dims out = {.rank = 3, .at = {m->batch, m->queries, ridge_opset_times(m->count, m->value_size)}};
    const ridge_format *format = call->in[0]->format;
    ridge_opset_attends(call, (ridge_int)m->batch * m->count, m->queries, keys, m->size, m->value_size);
    ridge_status st = ridge_opset_set(call, 0, format, &out);
    if (!st)
        st = present_is(call, 1, format, m->batch, m->count, keys, m->size);
    if (!st)
        st = present_is(call, 2, format, m->batch, m->count, keys, m->value_size);
    return st ? st : present_is(call, 3, format, m->batch, m->count, m->queries, keys);
}

static ridge_status multi_head_of(ridge_opgraph_call *call, uint32_t past_at, uint32_t length_at)
{
    multi_head m;
    ridge_status st = ridge_opset_needs(call, 1);
    if (st || (st = read_query(&m, call)) || (st = read_keys(&m, call)))
        return st;
    const ridge_opgraph_tensor *past = ridge_opgraph_in(call, past_at), *key = ridge_opgraph_in(call, 1);
    if (past && !is_cache(past))
        return ridge_opgraph_wrong(call, "its cache is %s", ridge_opgraph_shape_text(call, past));
    bool buffer = ridge_opset_has(call, length_at) && past;
    if (buffer) {
        ridge_opset_dims out = {.rank = 3, .at = {m.batch, m.queries, ridge_opset_times(m.count, m.value_size)}};
        if ((st = ridge_opset_set(call, 0, call->in[0]->format, &out)) || (st = ridge_opgraph_set_like(call, 1, past->format, past)) ||
            (st = ridge_opgraph_set_like(call, 2, past->format, past)))
            return st;
        return in_buffer(call);
    }
    return multi_head_results(call, &m, past, key && key->rank == 4);
}

/* query, key, value, bias, padding mask, attention_bias, past_key, past_value, past_sequence_length */
ridge_status ridge_onnx_rule_attention_multi_head(ridge_opgraph_call *call)
{
    return multi_head_of(call, 6, 8);
}

/* query, key, value, mask_index, attention_bias, past_key, past_value, past_sequence_length */
ridge_status ridge_onnx_rule_attention_masked(ridge_opgraph_call *call)
{
    return multi_head_of(call, 5, 7);
}

/* ---- GroupQueryAttention ---- */
typedef struct grouped {
    int64_t batch, queries, heads, kv_heads, size, past, keys;
} grouped;

enum { QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, SEQLENS, TOTAL, COS, SIN };

/* query [B, S, heads*size], or with key and value beside it [B, S, (heads + 2*kv_heads)*size] */
static ridge_status read_grouped(grouped *g, ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *q = call->in[QUERY];
    *g =
        (grouped){.heads = ridge_opgraph_whole(call->node, "num_heads", 0), .kv_heads = ridge_opgraph_whole(call->node, "kv_num_heads", 0)};
    if (g->heads < 1 || g->kv_heads < 1 || g->heads > INT32_MAX || g->kv_heads > INT32_MAX || g->heads % g->kv_heads != 0)
        return ridge_opgraph_wrong(call, "%lld heads in %lld groups", (long long)g->heads, (long long)g->kv_heads);
    int64_t share = ridge_opset_has(call, KEY) ? g->heads : g->heads + 2 * g->kv_heads;
    if (q->rank != 3 || q->dims[2] % share != 0)
        return ridge_opgraph_wrong(call, "its query is %s, of %lld heads in %lld groups", ridge_opgraph_shape_text(call, q),
                                   (long long)g->heads, (long long)g->kv_heads);
    g->batch = q->dims[0];
    g->queries = q->dims[1];
    g->size = q->dims[2] / share;
    const ridge_opgraph_tensor *past = ridge_opgraph_in(call, PAST_KEY);
    if (past && (!is_cache(past) || past->dims[0] != g->batch || past->dims[1] != g->kv_heads))
        return ridge_opgraph_wrong(call, "its cache is %s", ridge_opgraph_shape_text(call, past));
    g->past = past ? past->dims[2] : 0;
    return RIDGE_OK;
}

/* rows of the tables of cosines and sines: one per query */
static ridge_status grouped_tables(ridge_opgraph_call *call, const grouped *g)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = COS; !st && i <= SIN; i++) {
        const ridge_opgraph_tensor *t = ridge_opgraph_in(call, i);
        ridge_int rows = (ridge_int)g->batch * g->queries, read;
        if (t && t->rank == 2)
            st = ridge_int_mul(&read, rows, t->dims[1]) ? ridge_opset_reads(call, i, read)
                                                        : ridge_opgraph_wrong(call, "its rows are too many");
    }
    return st;
}

/* The cache grows by the queries, or is a buffer into which they go: total_sequence_length tells, as ONNX Runtime reads it. */
ridge_status ridge_onnx_rule_attention_grouped(ridge_opgraph_call *call)
{
    grouped g;
    ridge_status st = ridge_opset_needs(call, 1);
    if (st || (st = read_grouped(&g, call)) || (st = grouped_tables(call, &g)))
        return st;
    const ridge_opgraph_tensor *past = ridge_opgraph_in(call, PAST_KEY);
    const ridge_format *format = call->in[QUERY]->format, *kept = past ? past->format : format;
    ridge_opset_dims out = {.rank = 3, .at = {g.batch, g.queries, ridge_opset_times(g.heads, g.size)}};
    if ((st = ridge_opset_set(call, 0, format, &out)))
        return st;
    if (!ridge_opset_whole(&g.keys, call, TOTAL))
        return ridge_opgraph_unknown(call, "total_sequence_length is decided by data");
    int64_t rows = g.keys > g.past ? g.keys : g.past, width = past ? past->dims[3] : g.size;
    if (g.keys < 0 || g.keys > INT32_MAX)
        return ridge_opgraph_wrong(call, "total_sequence_length is %lld", (long long)g.keys);
    ridge_opset_attends(call, (ridge_int)g.batch * g.heads, g.queries, g.keys, g.size, g.size);
    if ((st = present_is(call, 1, kept, g.batch, g.kv_heads, rows, width)) ||
        (st = present_is(call, 2, kept, g.batch, g.kv_heads, rows, width)))
        return st;
    if (g.keys == g.past + g.queries)
        return RIDGE_OK;
    return ridge_opgraph_unknown(
        call,
        "the cache's rows (%lld) and the new ones (%lld) are not total_sequence_length (%lld): of a buffer it reads and "
        "writes a part that no shape tells",
        (long long)g.past, (long long)g.queries, (long long)g.keys);
}

/* ---- PagedAttention: query [tokens, heads*size]; how many keys each of them looks at is in past_seqlens ---- */
ridge_status ridge_onnx_rule_attention_paged(ridge_opgraph_call *call)
{
    enum { KEYS = 1, KEY_CACHE = 3, VALUE_CACHE };
    ridge_status st = ridge_opset_needs(call, 1);
    if (st || (st = ridge_opset_rank_is(call, 0, "its query", 2)))
        return st;
    const ridge_opgraph_tensor *q = call->in[0], *key_cache = ridge_opgraph_in(call, KEY_CACHE),
                               *value_cache = ridge_opgraph_in(call, VALUE_CACHE);
    int64_t count = ridge_opgraph_whole(call->node, "num_heads", 0), groups = ridge_opgraph_whole(call->node, "kv_num_heads", 0);
    if (count < 1 || groups < 1 || count > INT32_MAX || groups > INT32_MAX)
        return ridge_opgraph_wrong(call, "%lld heads in %lld groups", (long long)count, (long long)groups);
    int64_t share = ridge_opset_has(call, KEYS) ? count : count + 2 * groups, narrow = ridge_opgraph_whole(call->node, "v_head_size", 0);
    if (q->dims[1] % share != 0)
        return ridge_opgraph_wrong(call, "its query is %s, of %lld heads", ridge_opgraph_shape_text(call, q), (long long)count);
    bool latent = ridge_str_is(ridge_opgraph_text(call->node, "kv_cache_layout", "SEPARATE"), "LATENT");
    if (!latent) {
        ridge_opset_dims out = {.rank = 2, .at = {q->dims[0], ridge_opset_times(q->dims[1] / share, count)}};
        if (narrow <= 0 && (st = ridge_opset_set(call, 0, q->format, &out)))
            return st;
    }
    if (key_cache && (st = ridge_opgraph_set_like(call, 1, key_cache->format, key_cache)))
        return st;
    if (value_cache && (st = ridge_opgraph_set_like(call, 2, value_cache->format, value_cache)))
        return st;
    return ridge_opgraph_unknown(call, "how many keys a token looks at is decided by past_seqlens, which is data");
}

/* ---- MoE, QMoE: "r" tokens each run by "k" experts of "p" weights; an even spread reaches min(E, r*k) experts ---- */

/* weights of one expert in all matrices; the packed ones of QMoE have several in a byte */
static ridge_int expert_weights(const ridge_opgraph_call *call, int64_t experts, uint32_t every, int64_t packed)
{
    ridge_int sum = 0;
    for (uint32_t i = 2; i < 2 + 3 * every; i += every) {
        const ridge_opgraph_tensor *t = ridge_opgraph_in(call, i);
        if (t && t->rank == 3 && t->dims[0] == experts)
            sum += t->elements / experts * packed;
    }
    return sum;
}

ridge_status ridge_onnx_rule_mixture(ridge_opgraph_call *call)
{
    bool quantised = strcmp(ridge_opset_op(call), "QMoE") == 0;
    ridge_status st = ridge_opset_needs(call, 3);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *router = call->in[1], *first = call->in[2];
    int64_t k = ridge_opgraph_whole(call->node, "k", 1), bits = ridge_opgraph_whole(call->node, "expert_weight_bits", 4);
    if (x->rank < 2 || router->rank != 2 || first->rank != 3 || first->dims[0] != router->dims[1] || k < 1 || k > router->dims[1])
        return ridge_opgraph_wrong(call, "its input is %s, the router's %s and the first weights are %s, of which %lld experts run",
                                   ridge_opgraph_shape_text(call, x), ridge_opgraph_shape_text(call, router),
                                   ridge_opgraph_shape_text(call, first), (long long)k);
    if (quantised && bits != 2 && bits != 4 && bits != 8)
        return ridge_opgraph_wrong(call, "weights of %lld bits", (long long)bits);
    int64_t experts = router->dims[1];
    ridge_int rows = ridge_opgraph_product(x->dims, 0, x->rank - 1), reached;
    if (!ridge_int_mul(&reached, rows, k))
        return ridge_opgraph_wrong(call, "its rows are too many");
    reached = reached < experts ? reached : experts;
    ridge_opgraph_size_is(call, "r", rows);
    ridge_opgraph_size_is(call, "k", k);
    ridge_opgraph_size_is(call, "p", expert_weights(call, experts, quantised ? 3 : 2, quantised ? 8 / bits : 1));
    for (uint32_t i = 2; !st && i < call->in_count; i++)
        if (call->in[i] && call->in[i]->rank && call->in[i]->dims[0] == experts)
            st = ridge_opset_reads(call, i, call->in[i]->elements / experts * reached);
    return st ? st : ridge_opgraph_set_like(call, 0, x->format, x);
}
