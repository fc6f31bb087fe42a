/* The options of `ridge op`: the shape of each kind, under the names that people use; then what all kinds have. */
#include "operator/answer.h"

/* ---- shapes ---- */

/* "3" or "3x5": a height, then the width that stands behind it */
static ridge_status read_pair(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_int *pair = at;
    const char *x = strchr(text, 'x');
    ridge_str parts[2] = {{text, x ? (size_t)(x - text) : strlen(text)}, ridge_str_of(x ? x + 1 : text)};
    (void)arena;
    for (int i = 0; i < 2; i++) {
        bool overflow;
        int64_t n;
        if (!ridge_count_parse(&n, &overflow, parts[i]) || overflow)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s' is neither a number nor two of them (3, or 3x5: height x width)",
                              option->name, text);
        if (n < option->min)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": %s is out of range: it must be at least %lld", option->name, text,
                              (long long)option->min);
        pair[i] = n;
    }
    return RIDGE_OK;
}

#define OF                    ridge_op_request
#define DIM(code, name, help) RIDGE_COUNT(OF, shape.dims[RIDGE_OP_##code], name, 0, "N", 1, INT64_MAX, help, .fallback = "0")
#define PAIR(code, name, least, help)                                                                                                      \
    RIDGE_OTHER(OF, shape.dims[RIDGE_OP_##code], ridge_int, name, 0, "N|HxW", read_pair, help, .min = least)
#define SAID(code, name, help) RIDGE_FLAG(OF, shape.flags[RIDGE_OP_##code], name, 0, help)
#define BATCH                  DIM(BATCH, "batch", "sequences (default 1)")
#define SEQ                    DIM(SEQ_LEN, "seq", "tokens per sequence")
#define HEADS                  DIM(HEADS, "heads", "query heads")
#define HIDDEN                 DIM(HIDDEN, "hidden", "width of the residual stream")
#define INTERMEDIATE           DIM(INTERMEDIATE, "intermediate", "width inside the FFN")
#define CAUSAL_HALVED          SAID(CAUSAL, "causal", "halve the attention")
#define GATED                  SAID(GATED, "gated", "a gate beside the up projection")
#define QUANTISED              SAID(QUANTISED, "quantised", "count dequantisation, as large as the matmul")

const ridge_option ridge_options_op_gemm[] = {
    DIM(M, "m", "rows of A and C"),
    DIM(N, "n", "columns of B and C"),
    DIM(K, "k", "the reduction"),
    QUANTISED,
    RIDGE_FLAG(OF, tiling, "tiling", 0, "how the GPU of " RIDGE_OPT("on") " cuts it: tile, grid, waves, shared memory, occupancy"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_gemv[] = {
    DIM(N, "n", "rows of W, length of y"),
    DIM(K, "k", "columns of W, length of x"),
    QUANTISED,
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_attention[] = {
    BATCH,
    DIM(SEQ_LEN, "seq", "queries per sequence"),
    DIM(KV_LEN, "kv-len", "keys per sequence (default: seq)"),
    HEADS,
    DIM(KV_HEADS, "kv-heads", "key and value heads (default: heads)"),
    DIM(HEAD_DIM, "head-dim", "length of a head"),
    SAID(CAUSAL, "causal", "count the exact pairs of causal attention"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_conv[] = {
    DIM(BATCH, "batch", "images (default 1)"),
    DIM(IN_CHANNELS, "in-channels", "channels of x"),
    DIM(OUT_CHANNELS, "out-channels", "channels of y"),
    DIM(HEIGHT, "height", "rows of x"),
    DIM(WIDTH, "width", "columns of x"),
    PAIR(KERNEL_H, "kernel", 1, "the window"),
    PAIR(STRIDE_H, "stride", 1, "step of the window (default 1)"),
    PAIR(PADDING_H, "padding", 0, "zeros on each side (default 0)"),
    PAIR(DILATION_H, "dilation", 1, "distance of the window's elements (default 1)"),
    DIM(GROUPS, "groups", "groups of channels (default 1)"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_rows[] = {
    DIM(ROWS, "rows", "rows"),
    DIM(COLS, "cols", "elements of a row"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_rope[] = {
    DIM(ROWS, "rows", "tokens, each at a position of its own"),
    DIM(HEADS, "heads", "heads of a token"),
    DIM(HEAD_DIM, "head-dim", "length of a head, all of it rotated"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_wkv[] = {BATCH, SEQ, DIM(COLS, "cols", "channels"), RIDGE_OPTION_END};
const ridge_option ridge_options_op_ffn[] = {BATCH, SEQ, HIDDEN, INTERMEDIATE, GATED, QUANTISED, RIDGE_OPTION_END};
const ridge_option ridge_options_op_embedding[] = {BATCH, SEQ, HIDDEN, DIM(VOCAB, "vocab", "rows of the table: says what it takes"),
                                                   RIDGE_OPTION_END};

#define LAYER                                                                                                                              \
    BATCH, SEQ, HIDDEN, HEADS, DIM(KV_HEADS, "kv-heads", "key and value heads (default: heads)"),                                          \
        DIM(HEAD_DIM, "head-dim", "length of a head (default: hidden / heads)"), INTERMEDIATE, CAUSAL_HALVED, GATED, QUANTISED,            \
        RIDGE_FLAG(OF, no_projections, "no-projections", 0, "leave the products to Q, K, V and O out, as the layer counters do")
const ridge_option ridge_options_op_layer[] = {LAYER, RIDGE_OPTION_END};
const ridge_option ridge_options_op_model[] = {
    LAYER,
    DIM(LAYERS, "layers", "transformer layers"),
    DIM(VOCAB, "vocab", "rows of the embedding and of the lm_head"),
    RIDGE_OPTION_END,
};

/* ---- kinds ---- */

const char *const ridge_op_kind_names[] = {
#define OP(code, name, ...)      name,
#define COUNTED(code, name, ...) name,
#include "operator/kinds.def"
    NULL};

const ridge_op_info ridge_op_kinds[] = {
#define OP(code, name, key, options, has_weights, ...) {key, options, has_weights},
#define COUNTED(code, name, key)                       {key, NULL, true},
#include "operator/kinds.def"
};

bool ridge_op_has_projections(ridge_op_kind kind)
{
    const ridge_option *options = ridge_op_kinds[kind].options;
    return options && ridge_option_named(options, "no-projections")->name;
}

/* the option of a dimension; NULL where it has none, as the second of a pair */
static const ridge_option *option_of(ridge_op_kind kind, unsigned d)
{
    const ridge_option *option = ridge_op_kinds[kind].options;
    while (option->name && option->offset != offsetof(ridge_op_request, shape.dims) + d * sizeof(ridge_int))
        option++;
    return option->name ? option : NULL;
}

ridge_status ridge_op_missing(const char *names[RIDGE_OP_DIM_COUNT], size_t *count, ridge_ops *ops, ridge_op_kind kind,
                              const ridge_op_shape *shape, ridge_err *err)
{
    ridge_entry *entry;
    ridge_status st = ridge_op_entry(&entry, ops, kind, err);
    *count = 0;
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT && !st; d++) {
        const ridge_option *option = option_of(kind, d);
        if (option && shape->dims[d] == 0 && ridge_op_needs(entry, d))
            names[(*count)++] = option->name;
    }
    return st;
}

/* the second of a pair is written where it differs from the first */
static void add_dim(ridge_buf *out, const ridge_option *option, const ridge_int *dim)
{
    bool pair = option->read == read_pair;
    if (dim[0] == 0 && (!pair || dim[1] == 0))
        return;
    ridge_buf_addf(out, " %s=", option->name);
    ridge_buf_add_int(out, dim[0]);
    if (pair && dim[1] != dim[0]) {
        ridge_buf_addc(out, 'x');
        ridge_buf_add_int(out, dim[1]);
    }
}

const char *ridge_op_shape_words(ridge_op_kind kind, const ridge_op_shape *shape, ridge_arena *arena)
{
    ridge_buf text = {0};
    ridge_buf_addz(&text, ridge_op_kind_names[kind]);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++) {
        const ridge_option *option = option_of(kind, d);
        if (option)
            add_dim(&text, option, &shape->dims[d]);
    }
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++)
        if (shape->flags[f] && f != RIDGE_OP_PROJECTIONS)
            ridge_buf_addf(&text, " %s", ridge_op_flag_names[f]);
    if (ridge_op_has_projections(kind) && !shape->flags[RIDGE_OP_PROJECTIONS])
        ridge_buf_addz(&text, " no-projections");
    return ridge_arena_take(arena, &text);
}

/* ---- what all kinds have ---- */

/* "a,b,c" */
static ridge_status read_machines(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_words *out = at;
    ridge_status st;
    const char *rest = text;
    *out = (ridge_words){0};
    do {
        size_t n = strcspn(rest, ",");
        const char *name = ridge_arena_strdup(arena, (ridge_str){rest, n});
        if (!name)
            return ridge_no_memory(err);
        if (n == 0)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s' has an empty place: write machines with one comma between",
                              option->name, text);
        st = ridge_words_add(out, name, arena, err);
        rest += n;
    } while (!st && *rest++ == ',');
    return st;
}

const ridge_option ridge_options_op_formats[] = {
    RIDGE_FORMATS(OF, dtypes, "dtype", 0, "format of every operand, several: a row each; a weight-only one leaves activations in bf16",
                  .fallback = "bf16"),
    RIDGE_FORMAT(OF, weights, "weights", 0, "format of the weights (default: " RIDGE_OPT("dtype") ")"),
    RIDGE_FORMAT(OF, kv, "kv", 0, "format of K and V (default: that of the activations)"),
    RIDGE_FLAG(OF, all_formats, "all-formats", 0, "a row for " RIDGE_OPT("dtype") ", then for every other format, with its speed-up"),
    RIDGE_OPTION_END,
};
const ridge_option ridge_options_op_machine[] = {
    RIDGE_OTHER(OF, machines, ridge_words, "on", 0, "MACHINE", read_machines,
                "also say how long it takes there; several with commas between: a row each", .reach = RIDGE_REACH_MACHINE),
    RIDGE_OTHER(OF, conditions.launch, ridge_launch, "launch", 0, "TIME", ridge_launch_read,
                "overhead of every kernel's launch: a time, 'machine' (its own) or 'none'", .fallback = "none"),
    RIDGE_STRING(OF, conditions.level, "level", 0, "NAME",
                 "memory level the operands are in (default: the innermost that holds them and whose bandwidth is known)"),
    RIDGE_OPTION_END,
};
