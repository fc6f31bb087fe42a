#include "input/onnx/parts.h"

/* What an initializer is tells who reads it. Of numbers of a quantised model, the weight is a parameter, scales and zero points are stored
 * beside it. Integers that no row calls a weight are shapes, indices and masks. */
enum { WEIGHT = 1, BUFFER = 2, CONSTANT = 4, READ = 8, PASSES = 4 };

#define IN(i)          (1u << (i))
#define IN2(a, b)      (IN(a) | IN(b))
#define IN3(a, b, c)   (IN2(a, b) | IN(c))
#define FROM(a, until) (((1u << (until)) - 1) & ~((1u << (a)) - 1))

static const struct {
    const char *op;
    unsigned weights, buffers, constants; /* bits by input */
} readers[] = {
    /* onnx/docs/Operators.md */
    {"BatchNormalization", IN2(1, 2), IN2(3, 4), 0},
    {"Clip", 0, 0, IN2(1, 2)},
    {"ConvInteger", IN2(0, 1), IN2(2, 3), 0},
    {"DequantizeLinear", IN(0), IN2(1, 2), 0},
    {"Dropout", 0, 0, IN2(1, 2)},
    {"GRU", FROM(1, 4), IN(5), IN(4)},
    {"LSTM", FROM(1, 4) | IN(7), IN2(5, 6), IN(4)},
    {"MatMulInteger", IN2(0, 1), IN2(2, 3), 0},
    {"NonMaxSuppression", 0, 0, FROM(2, 5)},
    {"OneHot", 0, 0, IN2(1, 2)},
    {"Pad", 0, 0, FROM(1, 4)},
    {"QLinearConv", IN2(3, 8), IN2(1, 2) | FROM(4, 8), 0},
    {"QLinearMatMul", IN2(0, 3), IN2(1, 2) | FROM(4, 8), 0},
    {"QuantizeLinear", IN(0), IN2(1, 2), 0},
    {"RNN", FROM(1, 4), IN(5), IN(4)},
    {"Range", 0, 0, FROM(0, 3)},
    {"Resize", 0, 0, FROM(1, 4)},
    {"Upsample", 0, 0, IN(1)},
    /* onnxruntime/docs/ContribOperators.md */
    {"com.microsoft.DequantizeLinear", IN(0), IN2(1, 2), 0},
    {"com.microsoft.DynamicQuantizeLSTM", FROM(1, 4), FROM(8, 12), 0},
    {"com.microsoft.DynamicQuantizeMatMul", IN2(1, 4), IN2(2, 3), 0},
    {"com.microsoft.GatherBlockQuantized", IN(0), IN2(2, 3), 0},
    {"com.microsoft.MatMulBnb4", IN(1), IN(2), 0},
    {"com.microsoft.MatMulIntegerToFloat", IN3(0, 1, 6), FROM(2, 6), 0},
    {"com.microsoft.MatMulNBits", IN2(1, 5), FROM(2, 5), 0},
    {"com.microsoft.QAttention", IN2(1, 2), IN2(3, 4) | IN2(6, 7), 0},
    {"com.microsoft.QEmbedLayerNormalization", FROM(2, 7), FROM(8, 18), 0},
    {"com.microsoft.QGemm", IN3(0, 3, 6), IN2(1, 2) | IN2(4, 5) | IN2(7, 8), 0},
    {"com.microsoft.QLinearAdd", IN2(0, 3), IN2(1, 2) | FROM(4, 8), 0},
    {"com.microsoft.QLinearAveragePool", 0, FROM(1, 5), 0},
    {"com.microsoft.QLinearGlobalAveragePool", 0, FROM(1, 5), 0},
    {"com.microsoft.QLinearLeakyRelu", 0, FROM(1, 5), 0},
    {"com.microsoft.QLinearMul", IN2(0, 3), IN2(1, 2) | FROM(4, 8), 0},
    {"com.microsoft.QLinearSigmoid", 0, FROM(1, 5), 0},
    {"com.microsoft.QLinearSoftmax", 0, FROM(1, 5), 0},
    {"com.microsoft.QMoE", IN3(2, 4, 5) | IN3(7, 8, 10), IN3(3, 6, 9), 0},
    {"com.microsoft.QuantizeLinear", IN(0), IN2(1, 2), 0},
};
enum { READERS = sizeof readers / sizeof *readers };

/* whose first input is for what the result is for */
static const char *const views[] = {"Cast",  "Flatten", "Gather",  "Identity",  "Reshape",
                                    "Split", "Slice",   "Squeeze", "Transpose", "Unsqueeze"};

/* a result's role is its first input's */
static bool is_view(ridge_str op)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++)
        if (ridge_str_is(op, views[i]))
            return true;
    return false;
}

static bool add(uint8_t *roles, uint32_t value, unsigned role)
{
    const uint8_t before = roles[value];
    roles[value] = (uint8_t)(before | role);
    return roles[value] != before;
}

static bool look_at_node(uint8_t *roles, const ridge_opgraph_node *n)
{
    bool changed = false;
    for (uint32_t i = 0; i < n->input_count; i++)
        if (n->inputs[i] != RIDGE_OPGRAPH_NONE)
            changed |= add(roles, n->inputs[i], READ);
    if (is_view(n->op) && n->input_count && n->output_count && n->inputs[0] != RIDGE_OPGRAPH_NONE && n->outputs[0] != RIDGE_OPGRAPH_NONE)
        return add(roles, n->inputs[0], roles[n->outputs[0]]) || changed;
    for (size_t k = 0; k < READERS; k++) {
        if (!ridge_str_is(n->op, readers[k].op))
            continue;
        for (uint32_t i = 0; i < n->input_count && i < 32; i++)
            if (n->inputs[i] != RIDGE_OPGRAPH_NONE)
                changed |= add(roles, n->inputs[i],
                               (readers[k].weights >> i & 1 ? WEIGHT : 0u) | (readers[k].buffers >> i & 1 ? BUFFER : 0u) |
                                   (readers[k].constants >> i & 1 ? CONSTANT : 0u));
    }
    return changed;
}

static bool look_at_body(uint8_t *roles, const ridge_opgraph_body *body)
{
    bool changed = false;
    for (uint32_t i = 0; i < body->output_count; i++)
        changed |= add(roles, body->outputs[i], READ);
    for (size_t i = body->count; i-- > 0;)
        changed |= look_at_node(roles, &body->nodes[i]);
    return changed;
}

/* what PyTorch's modules register as buffers, by the end of the name */
static bool is_named_buffer(ridge_str name)
{
    static const char *const ends[] = {"running_mean", "running_var", "num_batches_tracked", "inv_freq", "position_ids"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ridge_str_ends(name, ridge_str_of(ends[i])))
            return true;
    return false;
}

static ridge_opgraph_origin small_or_buffer(const onnx_tensor *t)
{
    return t->elements <= RIDGE_OPGRAPH_CONTENT ? RIDGE_OPGRAPH_CONSTANT : RIDGE_OPGRAPH_BUFFER;
}

/* torch.onnx writes parameters as initializers, and as nodes Constant what stood as a number in the code; other exporters write both so. */
static ridge_opgraph_origin origin_of(const onnx_reader *r, const ridge_opgraph_value *v, const onnx_tensor *t, unsigned role)
{
    const bool real = (t->dtype->kind == ONNX_FLOAT && t->dtype->mantissa) || t->dtype->number == 14 || t->dtype->number == 15;
    const bool from_torch = ridge_str_is(ridge_onnx_text(r->producer), "pytorch");
    if (!v->format)
        return RIDGE_OPGRAPH_CONSTANT;
    if (role & WEIGHT)
        return RIDGE_OPGRAPH_PARAMETER;
    if (role & BUFFER)
        return RIDGE_OPGRAPH_BUFFER;
    if (role & CONSTANT || !real || t->rank == 0 || (t->attribute && (!t->constant || from_torch)))
        return small_or_buffer(t);
    /* what nobody reads is stored, and no part of the model */
    return is_named_buffer(v->name) || !(role & READ) ? RIDGE_OPGRAPH_BUFFER : RIDGE_OPGRAPH_PARAMETER;
}

ridge_status ridge_onnx_tell_weights(onnx_reader *r)
{
    enum { OF_WEIGHTS = 16 }; /* numbers of a weight that are kept: it may be a size after all */
    ridge_opgraph *g = r->out;
    uint8_t *roles = ridge_arena_alloc(r->arena, g->value_count + 1);
    bool changed = true;
    if (!roles)
        return ridge_no_memory(r->err);
    for (int pass = 0; pass < PASSES && changed; pass++) {
        changed = false;
        for (size_t i = g->body_count; i-- > 0;)
            changed |= look_at_body(roles, &g->bodies[i]);
        changed |= look_at_body(roles, &g->main);
    }
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < g->value_count && !st; i++) {
        ridge_opgraph_value *v = &g->values[i];
        const onnx_tensor *t = r->tensor_of[i];
        if (!t)
            continue;
        v->origin = origin_of(r, v, t, roles[i]);
        const ridge_int most = v->origin == RIDGE_OPGRAPH_CONSTANT ? RIDGE_OPGRAPH_CONTENT : OF_WEIGHTS;
        if (t->elements <= most)
            st = ridge_onnx_content(v, r, t);
    }
    return st;
}
