#include "operator/ops.h"

#include "cost/cost.h"

#define OPERAND_PREFIX "ridge__operand__"
#define DEQUANTISATION "dequantisation" /* the component of that name is kept apart from `other` */

const char *const ridge_op_dim_names[] = {
#define X(code, name) #name,
    RIDGE_OP_DIM_LIST(X)
#undef X
};
const char *const ridge_op_flag_names[] = {
#define X(code, name) #name,
    RIDGE_OP_FLAG_LIST(X)
#undef X
};

#define BIT(x)      (1u << RIDGE_OP_##x)
#define MNK         (BIT(M) | BIT(N) | BIT(K))
#define TABLE       (BIT(ROWS) | BIT(COLS))
#define LAYER_WANTS (BIT(SEQ_LEN) | BIT(HIDDEN) | BIT(HEADS) | BIT(INTERMEDIATE))
#define LAYER_TAKES (BIT(BATCH) | BIT(HEAD_DIM))
#define ALL_FLAGS   (BIT(CAUSAL) | BIT(GATED) | BIT(QUANTISED))
#define CONV_WANTS  (BIT(IN_CHANNELS) | BIT(OUT_CHANNELS) | BIT(HEIGHT) | BIT(WIDTH) | BIT(KERNEL_H))
#define CONV_TAKES                                                                                                                         \
    (BIT(BATCH) | BIT(KERNEL_W) | BIT(STRIDE_H) | BIT(STRIDE_W) | BIT(PADDING_H) | BIT(PADDING_W) | BIT(DILATION_H) | BIT(DILATION_W) |    \
     BIT(GROUPS))
_Static_assert(RIDGE_OP_DIM_COUNT <= 32, "a dimension is a bit of an unsigned");

const ridge_op_info ridge_op_kinds[] = {
    [RIDGE_OP_GEMM] = {"gemm", "ridge__ops__matmul", MNK, 0, BIT(QUANTISED), true},
    [RIDGE_OP_MATMUL] = {"matmul", "ridge__ops__matmul", MNK, 0, BIT(QUANTISED), true},
    [RIDGE_OP_GEMV] = {"gemv", "ridge__ops__gemv", BIT(N) | BIT(K), 0, BIT(QUANTISED), true},
    [RIDGE_OP_ATTENTION] = {"attention", "ridge__ops__attention_core", BIT(SEQ_LEN) | BIT(HEADS) | BIT(HEAD_DIM),
                            BIT(BATCH) | BIT(KV_LEN) | BIT(KV_HEADS), BIT(CAUSAL), true},
    [RIDGE_OP_COUNTED_ATTENTION] = {"attention", "ridge__ops__attention", BIT(SEQ_LEN) | BIT(HEADS) | BIT(HEAD_DIM), BIT(BATCH),
                                    BIT(CAUSAL), true},
    [RIDGE_OP_CONV] = {"conv", "ridge__ops__conv2d", CONV_WANTS, CONV_TAKES, 0, true},
    [RIDGE_OP_LAYERNORM] = {"layernorm", "ridge__ops__layernorm", TABLE, 0, 0, false},
    [RIDGE_OP_RMSNORM] = {"rmsnorm", "ridge__ops__rmsnorm", TABLE, 0, 0, false},
    [RIDGE_OP_SOFTMAX] = {"softmax", "ridge__ops__softmax", TABLE, 0, 0, false},
    [RIDGE_OP_SILU] = {"silu", "ridge__ops__silu", TABLE, 0, 0, false},
    [RIDGE_OP_GELU] = {"gelu", "ridge__ops__gelu", TABLE, 0, 0, false},
    [RIDGE_OP_RELU] = {"relu", "ridge__ops__relu", TABLE, 0, 0, false},
    [RIDGE_OP_TANH] = {"tanh", "ridge__ops__tanh", TABLE, 0, 0, false},
    [RIDGE_OP_SIGMOID] = {"sigmoid", "ridge__ops__sigmoid", TABLE, 0, 0, false},
    [RIDGE_OP_ADDITION] = {"add", "ridge__ops__add", TABLE, 0, 0, false},
    [RIDGE_OP_MULTIPLICATION] = {"mul", "ridge__ops__multiply", TABLE, 0, 0, false},
    [RIDGE_OP_ROPE] = {"rope", "ridge__ops__rope", BIT(ROWS) | BIT(HEADS) | BIT(HEAD_DIM), 0, 0, false},
    [RIDGE_OP_WKV] = {"wkv", "ridge__ops__wkv", BIT(SEQ_LEN) | BIT(COLS), BIT(BATCH), 0, false},
    [RIDGE_OP_FFN] = {"ffn", "ridge__ops__ffn", BIT(SEQ_LEN) | BIT(HIDDEN) | BIT(INTERMEDIATE), BIT(BATCH), BIT(GATED) | BIT(QUANTISED),
                      true},
    [RIDGE_OP_EMBEDDING] = {"embedding", "ridge__ops__embedding", BIT(SEQ_LEN) | BIT(HIDDEN), BIT(BATCH), 0, true},
    [RIDGE_OP_LAYER] = {"layer", "ridge__ops__transformer_layer", LAYER_WANTS, LAYER_TAKES, ALL_FLAGS, true},
    [RIDGE_OP_MODEL] = {"model", "ridge__ops__model", LAYER_WANTS | BIT(LAYERS) | BIT(VOCAB), LAYER_TAKES, ALL_FLAGS, true},
};

ridge_status ridge_ops_open(ridge_ops *ops, ridge_err *err)
{
    return ridge_registry_open(&ops->registry, NULL, 0, false, err);
}

void ridge_ops_close(ridge_ops *ops)
{
    ridge_registry_close(ops->registry);
    ops->registry = NULL;
}

/* ---- what was asked ---- */

static ridge_status check_dims(const ridge_op_info *info, const ridge_op_shape *shape, ridge_err *err)
{
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++) {
        ridge_int n = shape->dims[d];
        if (n != 0 && !((info->required | info->optional) >> d & 1))
            return ridge_fail(err, RIDGE_USAGE, "%s takes no %s", info->name, ridge_op_dim_names[d]);
        if (n < 0 || (n == 0 && (info->required >> d & 1)))
            return ridge_fail(err, RIDGE_USAGE, "%s wants %s: at least 1", info->name, ridge_op_dim_names[d]);
    }
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++)
        if (shape->flags[f] && !(info->flags >> f & 1))
            return ridge_fail(err, RIDGE_USAGE, "%s cannot be %s", info->name, ridge_op_flag_names[f]);
    return RIDGE_OK;
}

static ridge_status check_heads(ridge_op_kind kind, const ridge_op_shape *shape, ridge_err *err)
{
    const ridge_int *d = shape->dims;
    if (d[RIDGE_OP_KV_HEADS] && d[RIDGE_OP_HEADS] % d[RIDGE_OP_KV_HEADS] != 0)
        return ridge_fail(err, RIDGE_USAGE, "attention: heads must be a multiple of kv_heads");
    if (shape->flags[RIDGE_OP_CAUSAL] && d[RIDGE_OP_KV_LEN] && d[RIDGE_OP_KV_LEN] < d[RIDGE_OP_SEQ_LEN])
        return ridge_fail(err, RIDGE_USAGE, "attention: causal queries stand at the end of the keys, so kv_len is at least seq_len");
    if (kind == RIDGE_OP_ROPE && d[RIDGE_OP_HEAD_DIM] % 2 != 0)
        return ridge_fail(err, RIDGE_USAGE, "rope: head_dim is odd; pairs are rotated");
    if ((kind == RIDGE_OP_LAYER || kind == RIDGE_OP_MODEL) && !d[RIDGE_OP_HEAD_DIM] && d[RIDGE_OP_HIDDEN] % d[RIDGE_OP_HEADS] != 0)
        return ridge_fail(err, RIDGE_USAGE, "%s: hidden is not a multiple of heads: give head_dim", ridge_op_kinds[kind].name);
    return RIDGE_OK;
}

static ridge_int or_else(ridge_int given, ridge_int otherwise)
{
    return given != 0 ? given : otherwise;
}

ridge_int ridge_op_conv_extent(ridge_int length, ridge_int kernel, ridge_int stride, ridge_int padding, ridge_int dilation)
{
    ridge_int padded, window, extent, rest;
    if (!ridge_int_mul(&padded, 2, padding) || !ridge_int_add(&padded, padded, length) ||
        !ridge_int_mul(&window, or_else(dilation, 1), kernel - 1) || !ridge_int_sub(&padded, padded, window) ||
        !ridge_int_floordiv(&extent, &rest, padded - 1, or_else(stride, 1)))
        return 0;
    return extent + 1;
}

static ridge_status check_extent(const char *what, ridge_int length, ridge_int kernel, ridge_int stride, ridge_int padding,
                                 ridge_int dilation, ridge_err *err)
{
    if (ridge_op_conv_extent(length, kernel, stride, padding, dilation) >= 1)
        return RIDGE_OK;
    char l[RIDGE_INT_CHARS], k[RIDGE_INT_CHARS], p[RIDGE_INT_CHARS], d[RIDGE_INT_CHARS];
    ridge_int_print(l, length);
    ridge_int_print(k, kernel);
    ridge_int_print(p, padding);
    ridge_int_print(d, or_else(dilation, 1));
    return ridge_fail(err, RIDGE_USAGE, "conv: a kernel of %s (dilation %s) does not fit in a %s of %s with padding %s", k, d, what, l, p);
}

static ridge_status check_conv(const ridge_op_shape *shape, ridge_err *err)
{
    const ridge_int *d = shape->dims;
    ridge_int groups = or_else(d[RIDGE_OP_GROUPS], 1);
    if (d[RIDGE_OP_IN_CHANNELS] % groups != 0 || d[RIDGE_OP_OUT_CHANNELS] % groups != 0)
        return ridge_fail(err, RIDGE_USAGE, "conv: in_channels and out_channels must be multiples of groups");
    ridge_status st = check_extent("height", d[RIDGE_OP_HEIGHT], d[RIDGE_OP_KERNEL_H], d[RIDGE_OP_STRIDE_H], d[RIDGE_OP_PADDING_H],
                                   d[RIDGE_OP_DILATION_H], err);
    return st ? st
              : check_extent("width", d[RIDGE_OP_WIDTH], or_else(d[RIDGE_OP_KERNEL_W], d[RIDGE_OP_KERNEL_H]),
                             or_else(d[RIDGE_OP_STRIDE_W], d[RIDGE_OP_STRIDE_H]), d[RIDGE_OP_PADDING_W],
                             or_else(d[RIDGE_OP_DILATION_W], d[RIDGE_OP_DILATION_H]), err);
}

static ridge_status argument(ridge_argument *out, ridge_registry *registry, const char *name, ridge_value value, ridge_err *err)
{
    out->name = ridge_intern(&registry->symbols, ridge_str_of(name));
    out->value = value;
    return out->name ? RIDGE_OK : ridge_no_memory(err);
}

/* the catalog's defaults stand for what is not given */
static ridge_status invoke(ridge_node **out, ridge_graph *g, const ridge_op_info *info, const ridge_op_shape *shape)
{
    ridge_argument args[RIDGE_OP_DIM_COUNT + RIDGE_OP_FLAG_COUNT];
    size_t n = 0;
    ridge_value v;
    ridge_status st = RIDGE_OK;
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT && !st; d++)
        if (shape->dims[d])
            st = argument(&args[n++], g->registry, ridge_op_dim_names[d], ridge_value_int(shape->dims[d]), g->err);
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT && !st; f++)
        if (info->flags >> f & 1)
            st = argument(&args[n++], g->registry, ridge_op_flag_names[f], ridge_value_bool(shape->flags[f]), g->err);
    if (st)
        return st;
    const ridge_symbol *key = ridge_intern(&g->registry->symbols, ridge_str_of(info->key));
    if (!key)
        return ridge_no_memory(g->err);
    if ((st = ridge_graph_invoke(&v, g, key, args, n)))
        return st;
    *out = v.u.node;
    return RIDGE_OK;
}

static void set_format(ridge_graph *g, ridge_global which, const ridge_format *format)
{
    g->globals[which] = ridge_value_str(ridge_str_of(format ? format->name : "bf16"));
}

static void set_formats(ridge_graph *g, const ridge_op_formats *formats)
{
    static const ridge_op_formats none;
    const ridge_op_formats *f = formats ? formats : &none;
    set_format(g, RIDGE_GLOBAL_act, f->activations);
    set_format(g, RIDGE_GLOBAL_weights_format, f->weights);
    set_format(g, RIDGE_GLOBAL_kv, f->kv);
    g->globals[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g->globals[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
}

/* ---- what it costs ---- */

static bool is_operand(const ridge_node *n)
{
    return n->entry && strncmp(n->entry->key->text, OPERAND_PREFIX, sizeof OPERAND_PREFIX - 1) == 0;
}

static bool is_dequantisation(const ridge_child *child)
{
    return ridge_str_is(child->name, DEQUANTISATION);
}

static ridge_status overflow(ridge_err *err)
{
    return ridge_fail(err, RIDGE_OVERFLOW, "overflow: a count does not fit in 128 bits");
}

static bool add_times(ridge_int *sum, ridge_value a, ridge_int times)
{
    ridge_int n;
    return ridge_value_as_int(&n, a) && ridge_int_mul(&n, n, times) && ridge_int_add(sum, *sum, n);
}

/* sum += times * all FLOPs of the node */
static ridge_status add_total(ridge_int *sum, ridge_coster *c, const ridge_node *n, ridge_int times)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, c, n);
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++)
        if (!add_times(sum, cost->flops[i], times))
            st = overflow(c->graph->err);
    return st;
}

static ridge_status calls_of(ridge_int *out, const ridge_child *child, ridge_int times, ridge_err *err)
{
    ridge_int calls;
    return ridge_value_as_int(&calls, child->calls) && ridge_int_mul(out, calls, times) ? RIDGE_OK : overflow(err);
}

static ridge_status add_dequantisation(ridge_int *sum, ridge_coster *c, const ridge_node *n, ridge_int times)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n->child_count && !st; i++) {
        const ridge_child *child = &n->children[i];
        ridge_int calls;
        if ((st = calls_of(&calls, child, times, c->graph->err)))
            break;
        if (is_dequantisation(child))
            st = add_total(sum, c, child->node, calls);
        else
            st = add_dequantisation(sum, c, child->node, calls);
    }
    return st;
}

static ridge_status flops_of(ridge_op_flops *out, ridge_coster *c, const ridge_node *n, ridge_int times)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, c, n);
    *out = (ridge_op_flops){0};
    for (int i = 0; i < RIDGE_FLOP_COUNT && !st; i++)
        if (!add_times(&out->by_class[i], cost->flops[i], times) || !ridge_int_add(&out->total, out->total, out->by_class[i]))
            st = overflow(c->graph->err);
    if (st || (st = add_dequantisation(&out->dequantisation, c, n, times)))
        return st;
    out->by_class[RIDGE_FLOP_OTHER] -= out->dequantisation; /* the catalog counts it in that class */
    return RIDGE_OK;
}

static ridge_status add_part(ridge_op_record *r, ridge_coster *c, const ridge_child *child, const char *name)
{
    ridge_op_part *part = &r->parts[r->part_count];
    ridge_int times;
    ridge_status st = calls_of(&times, child, 1, c->graph->err);
    if (!st && !(st = flops_of(&part->flops, c, child->node, times))) {
        if (is_dequantisation(child)) { /* nothing below it bears the name */
            part->flops = (ridge_op_flops){.total = part->flops.total, .dequantisation = part->flops.total};
        }
        part->name = name;
        r->part_count++;
    }
    return st;
}

/* *own: the sum of the operands of one kernel, all its calls together */
static ridge_status add_operand(ridge_op_record *r, ridge_int *own, ridge_coster *c, const ridge_node *n, ridge_int times, const char *name)
{
    ridge_int read = 0, written = 0, bytes;
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, c, n);
    for (int i = 0; i < RIDGE_BYTE_SCORES && !st; i++)
        if (!add_times(&read, cost->reads[i], times) || !add_times(&written, cost->writes[i], times))
            st = overflow(c->graph->err);
    if (st)
        return st;
    if (!ridge_int_add(&bytes, read, written) || !ridge_int_add(&r->bytes, r->bytes, bytes))
        return overflow(c->graph->err);
    *own += bytes; /* part of r->bytes: no overflow */
    r->operands =
        ridge_arena_grow(c->graph->arena, r->operands, r->operand_count, &r->operand_cap, r->operand_count + 1, sizeof *r->operands);
    if (!r->operands)
        return ridge_no_memory(c->graph->err);
    r->operands[r->operand_count++] = (ridge_op_operand){name, bytes, written > 0};
    return RIDGE_OK;
}

/* own: bytes of its operands over `times` calls, so at least 1 where any call is made */
static ridge_status add_kernel(ridge_op_record *r, ridge_coster *c, const ridge_node *n, ridge_int times, const char *path, ridge_int own)
{
    r->kernels = ridge_arena_grow(c->graph->arena, r->kernels, r->kernel_count, &r->kernel_cap, r->kernel_count + 1, sizeof *r->kernels);
    if (!r->kernels)
        return ridge_no_memory(c->graph->err);
    ridge_op_kernel *k = &r->kernels[r->kernel_count++];
    *k = (ridge_op_kernel){.name = path, .calls = times, .bytes = times > 0 ? own / times : 0};
    return flops_of(&k->flops, c, n, 1);
}

/* every operand below a node; the direct parts of the root are kept. A node with operands of its own is one kernel. */
static ridge_status walk(ridge_op_record *r, ridge_coster *c, const ridge_node *n, ridge_int times, const char *path)
{
    ridge_status st = RIDGE_OK;
    ridge_int own = 0;
    for (size_t i = 0; i < n->child_count && !st; i++) {
        const ridge_child *child = &n->children[i];
        const char *name = ridge_arena_printf(c->graph->arena, "%s%s%.*s", path, path[0] ? "." : "", RIDGE_STR_ARG(child->name));
        ridge_int calls;
        if (!name)
            return ridge_no_memory(c->graph->err);
        if ((st = calls_of(&calls, child, times, c->graph->err)))
            return st;
        if (is_operand(child->node))
            st = add_operand(r, &own, c, child->node, calls, name);
        else if (path[0] || !(st = add_part(r, c, child, name)))
            st = walk(r, c, child->node, calls, name);
    }
    return st || own == 0 ? st : add_kernel(r, c, n, times, path, own);
}

/* an overflow stands where the formula is: say whose numbers it had */
static ridge_status too_large(ridge_status st, const ridge_op_info *info, ridge_err *err)
{
    if (st == RIDGE_OVERFLOW && err)
        ridge_err_append(err, "; the dimensions of this %s are too large", info->name);
    return st;
}

ridge_status ridge_ops_count(ridge_op_record *out, ridge_ops *ops, ridge_op_kind kind, const ridge_op_shape *shape,
                             const ridge_op_formats *formats, ridge_arena *arena, ridge_err *err)
{
    const ridge_op_info *info = &ridge_op_kinds[kind];
    ridge_graph graph;
    ridge_coster coster;
    ridge_node *node = NULL;
    ridge_status st;
    *out = (ridge_op_record){.kind = kind};
    if ((st = check_dims(info, shape, err)) || (st = check_heads(kind, shape, err)) ||
        (kind == RIDGE_OP_CONV && (st = check_conv(shape, err))) || (st = ridge_graph_init(&graph, ops->registry, arena, NULL, err)))
        return st;
    set_formats(&graph, formats);
    if ((st = ridge_coster_init(&coster, &graph, RIDGE_KERNEL_EAGER)) || (st = invoke(&node, &graph, info, shape)))
        return too_large(st, info, err);
    if (!(out->parts = ridge_arena_array(arena, node->child_count + 1, sizeof *out->parts)))
        return ridge_no_memory(err);
    if ((st = flops_of(&out->flops, &coster, node, 1)) || (st = walk(out, &coster, node, 1, "")))
        return too_large(st, info, err);
    return RIDGE_OK;
}

const ridge_op_part *ridge_op_part_find(const ridge_op_record *record, const char *name)
{
    for (size_t i = 0; i < record->part_count; i++)
        if (strcmp(record->parts[i].name, name) == 0)
            return &record->parts[i];
    return NULL;
}

/* ---- as JSON ---- */

void ridge_op_shape_json(ridge_json_writer *w, ridge_op_kind kind, const ridge_op_shape *shape)
{
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if (shape->dims[d]) {
            ridge_jw_key(w, ridge_op_dim_names[d]);
            ridge_jw_int(w, shape->dims[d]);
        }
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++)
        if (ridge_op_kinds[kind].flags >> f & 1) {
            ridge_jw_key(w, ridge_op_flag_names[f]);
            ridge_jw_bool(w, shape->flags[f]);
        }
}

void ridge_op_flops_json(ridge_json_writer *w, const ridge_op_flops *flops)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "total");
    ridge_jw_int(w, flops->total);
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++) {
        ridge_jw_key(w, ridge_flop_names[i]);
        ridge_jw_int(w, flops->by_class[i]);
    }
    ridge_jw_key(w, DEQUANTISATION);
    ridge_jw_int(w, flops->dequantisation);
    ridge_jw_end_object(w);
}
