/* RNN, GRU and LSTM: "d" directions of "t" steps on "b" sequences; "g" gates of "h" numbers, from "i" inputs and h of the step before. */
#include "opgraph/onnx.h"

typedef struct recurrent {
    const ridge_opgraph_tensor *x, *w, *r; /* [T, B, I], [D, g*h, I], [D, g*h, h] */
    bool batch_first, turned;              /* layout 1: [B, T, I]; turned: [D, I, g*h] and [D, h, g*h] */
    int64_t directions, hidden, wide;
} recurrent;

static int64_t gates_of(const ridge_opgraph_call *call)
{
    const char *op = ridge_opset_op(call);
    return strcmp(op, "RNN") == 0 ? 1 : strcmp(op, "GRU") == 0 ? 3 : 4;
}

static ridge_status read_sizes(recurrent *c, ridge_opgraph_call *call, bool turned)
{
    ridge_status st = ridge_opset_needs(call, 3);
    if (st)
        return st;
    *c = (recurrent){call->in[0], call->in[1], call->in[2], .batch_first = ridge_opgraph_whole(call->node, "layout", 0) != 0,
                     .turned = turned};
    if (c->x->rank != 3 || c->w->rank != 3 || c->r->rank != 3)
        return ridge_opgraph_wrong(call, "X is %s, W %s and R %s; it wants three dimensions each", ridge_opgraph_shape_text(call, c->x),
                                   ridge_opgraph_shape_text(call, c->w), ridge_opgraph_shape_text(call, c->r));
    c->hidden = c->r->dims[turned ? 1 : 2];
    c->wide = c->w->dims[turned ? 2 : 1];
    c->directions = ridge_str_is(ridge_opgraph_text(call->node, "direction", "forward"), "bidirectional") ? 2 : 1;
    int64_t gates = gates_of(call), given = ridge_opgraph_whole(call->node, "hidden_size", c->hidden);
    bool fits = c->w->dims[0] == c->directions && c->r->dims[0] == c->directions && given == c->hidden && c->hidden <= INT32_MAX &&
                c->wide == gates * c->hidden && c->r->dims[turned ? 2 : 1] == c->wide && c->w->dims[turned ? 1 : 2] == c->x->dims[2];
    return fits ? RIDGE_OK
                : ridge_opgraph_wrong(call, "X is %s, W %s and R %s, in %lld direction%s with %lld gate%s of %lld",
                                      ridge_opgraph_shape_text(call, c->x), ridge_opgraph_shape_text(call, c->w),
                                      ridge_opgraph_shape_text(call, c->r), (long long)c->directions, RIDGE_PLURAL(c->directions),
                                      (long long)gates, RIDGE_PLURAL(gates), (long long)given);
}

/* Y of every step, then the last step's state (and, of an LSTM, its cells) */
static ridge_status results(ridge_opgraph_call *call, const recurrent *c, const ridge_format *format)
{
    int64_t steps = c->x->dims[c->batch_first ? 1 : 0], batch = c->x->dims[c->batch_first ? 0 : 1], d = c->directions, h = c->hidden;
    ridge_opset_dims all = {.rank = 4, .at = {steps, d, batch, h}}, last = {.rank = 3, .at = {d, batch, h}};
    if (c->batch_first) {
        all = (ridge_opset_dims){.rank = 4, .at = {batch, steps, d, h}};
        last = (ridge_opset_dims){.rank = 3, .at = {batch, d, h}};
    }
    ridge_opgraph_size_is(call, "d", d);
    ridge_opgraph_size_is(call, "t", steps);
    ridge_opgraph_size_is(call, "b", batch);
    ridge_opgraph_size_is(call, "g", gates_of(call));
    ridge_opgraph_size_is(call, "h", h);
    ridge_opgraph_size_is(call, "i", c->x->dims[2]);
    ridge_status st = ridge_opset_set(call, 0, format, &all);
    for (uint32_t i = 1; !st && i < 3; i++)
        st = ridge_opset_set(call, i, format, &last);
    return st;
}

ridge_status ridge_onnx_rule_recurrent(ridge_opgraph_call *call)
{
    recurrent c;
    ridge_status st = read_sizes(&c, call, false);
    return st ? st : results(call, &c, c.x->format);
}

/* DynamicQuantizeLSTM: the weights are turned */
ridge_status ridge_onnx_rule_recurrent_turned(ridge_opgraph_call *call)
{
    recurrent c;
    ridge_status st = read_sizes(&c, call, true);
    return st ? st : results(call, &c, c.x->format);
}
