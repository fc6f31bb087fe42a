/* Attention and rotary embedding of ONNX itself (version 23 and 24). "b" heads of all sequences, "s" queries, "t" keys, "d" numbers of a
 * query and a key, "v" of a value. */
#include "opgraph/onnx.h"

/* [B, heads, rows, size] of a tensor that is this, or [B, rows, heads*size] */
typedef struct heads {
    int64_t batch, count, rows, size;
} heads;

static ridge_status heads_of(heads *h, ridge_opgraph_call *call, const ridge_opgraph_tensor *t, const char *attribute)
{
    int64_t count = ridge_opgraph_whole(call->node, attribute, 0);
    if (t->rank == 4) {
        *h = (heads){t->dims[0], t->dims[1], t->dims[2], t->dims[3]};
        return RIDGE_OK;
    }
    if (t->rank != 3 || count < 1 || t->dims[2] % count != 0)
        return ridge_opgraph_wrong(call, "%s are no rows of %lld heads", ridge_opgraph_shape_text(call, t), (long long)count);
    *h = (heads){t->dims[0], count, t->dims[1], t->dims[2] / count};
    return RIDGE_OK;
}

/* the cache's rows before those of this call */
static ridge_status past_rows(int64_t *rows, ridge_opgraph_call *call, uint32_t input, const heads *with)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    *rows = t && t->rank == 4 ? t->dims[2] : 0;
    if (!t || (t->rank == 4 && t->dims[0] == with->batch && t->dims[1] == with->count && t->dims[3] == with->size && *rows <= INT32_MAX))
        return RIDGE_OK;
    return ridge_opgraph_wrong(call, "the cache is %s", ridge_opgraph_shape_text(call, t));
}

/* Q, K, V, mask, past_key, past_value -> Y, present_key, present_value, scores */
ridge_status ridge_onnx_rule_attention(ridge_opgraph_call *call)
{
    enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE };
    ridge_status st = ridge_opset_needs(call, 3);
    heads q, k, v;
    int64_t past, past_value;
    if (st || (st = heads_of(&q, call, call->in[Q], "q_num_heads")) || (st = heads_of(&k, call, call->in[K], "kv_num_heads")) ||
        (st = heads_of(&v, call, call->in[V], "kv_num_heads")) || (st = past_rows(&past, call, PAST_KEY, &k)) ||
        (st = past_rows(&past_value, call, PAST_VALUE, &v)))
        return st;
    if (q.batch != k.batch || q.batch != v.batch || q.size != k.size || k.count != v.count || k.rows != v.rows || past != past_value ||
        k.count < 1 || q.count % k.count != 0 || k.rows > INT32_MAX)
        return ridge_opgraph_wrong(call, "Q is %s, K %s and V %s", ridge_opgraph_shape_text(call, call->in[Q]),
                                   ridge_opgraph_shape_text(call, call->in[K]), ridge_opgraph_shape_text(call, call->in[V]));
    int64_t keys = past + k.rows;
    ridge_opset_dims flat = {.rank = 3, .at = {q.batch, q.rows, ridge_opset_times(q.count, v.size)}};
    ridge_opset_dims whole = {.rank = 4, .at = {q.batch, q.count, q.rows, v.size}};
    ridge_opset_dims present_key = {.rank = 4, .at = {q.batch, k.count, keys, k.size}};
    ridge_opset_dims present_value = {.rank = 4, .at = {q.batch, k.count, keys, v.size}};
    ridge_opset_dims scores = {.rank = 4, .at = {q.batch, q.count, q.rows, keys}};
    const ridge_format *format = ridge_opset_format_of(call, Q);
    ridge_opset_attends(call, (ridge_int)q.batch * q.count, q.rows, keys, q.size, v.size);
    if ((st = ridge_opset_set(call, 0, format, call->in[Q]->rank == 3 ? &flat : &whole)) ||
        (st = ridge_opset_set(call, 1, ridge_opset_format_of(call, K), &present_key)) ||
        (st = ridge_opset_set(call, 2, ridge_opset_format_of(call, V), &present_value)))
        return st;
    return ridge_opset_set(call, 3, format, &scores);
}

void ridge_opset_attends(ridge_opgraph_call *call, ridge_int heads_of_all, int64_t queries, int64_t keys, int64_t size, int64_t value_size)
{
    ridge_opgraph_size_is(call, "b", heads_of_all);
    ridge_opgraph_size_is(call, "s", queries);
    ridge_opgraph_size_is(call, "t", keys);
    ridge_opgraph_size_is(call, "d", size);
    ridge_opgraph_size_is(call, "v", value_size);
}

/* ---- rotary embedding: "r" elements are turned ---- */

/* The rows of a table of cosines that are read: one per position that is given, else one per row of the sequence. */
static ridge_status table_rows(ridge_opgraph_call *call, uint32_t table, const ridge_opgraph_tensor *positions, int64_t sequence)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, table);
    if (!t || t->rank != 2)
        return RIDGE_OK; /* one row per position as it is */
    ridge_int rows = positions && positions->elements > 1 ? positions->elements : sequence;
    return ridge_opset_reads(call, table, rows * t->dims[1]);
}

/* X, cos_cache, sin_cache, position_ids; ONNX Runtime's: X, position_ids, cos_cache, sin_cache */
ridge_status ridge_onnx_rule_rotary(ridge_opgraph_call *call)
{
    bool runtimes = strncmp(call->spec->name, "onnx.com.", 9) == 0;
    ridge_status st = ridge_opset_needs(call, runtimes ? 4 : 3);
    if (st)
        return st;
    const ridge_opgraph_tensor *x = call->in[0], *positions = ridge_opgraph_in(call, runtimes ? 1 : 3);
    int64_t turned = ridge_opgraph_whole(call->node, "rotary_embedding_dim", 0), count = ridge_opgraph_whole(call->node, "num_heads", 0);
    if (x->rank != 3 && x->rank != 4)
        return ridge_opgraph_wrong(call, "X is %s", ridge_opgraph_shape_text(call, x));
    int64_t size = x->rank == 4 ? x->dims[3] : count > 0 ? x->dims[2] / count : 0;
    if (turned < 0 || (turned > 0 && (size < turned || (x->rank == 3 && x->dims[2] % size != 0))))
        return ridge_opgraph_wrong(call, "it turns %lld of %lld numbers in each head of %s", (long long)turned, (long long)size,
                                   ridge_opgraph_shape_text(call, x));
    int64_t sequence = x->dims[x->rank == 4 ? 2 : 1];
    ridge_opgraph_size_is(call, "r", turned ? x->elements / size * turned : x->elements);
    if ((st = table_rows(call, runtimes ? 2 : 1, positions, sequence)) || (st = table_rows(call, runtimes ? 3 : 2, positions, sequence)))
        return st;
    return ridge_opgraph_set_like(call, 0, x->format, x);
}
