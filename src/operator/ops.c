#include "operator/ops.h"

#include "cost/cost.h"

#define OPERAND_PREFIX "ridge__operand__"
#define DEQUANTISATION "dequantisation" /* the component of that name is kept apart from `other` */

static const char *const dim_names[] = {RIDGE_OP_DIM_LIST(RIDGE_WORD_NAME)};
const char *const ridge_op_flag_names[] = {RIDGE_OP_FLAG_LIST(RIDGE_WORD_NAME)};

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

ridge_status ridge_op_entry(ridge_entry **out, ridge_ops *ops, ridge_op_kind kind, ridge_err *err)
{
    const ridge_symbol *key = ridge_intern(&ops->registry->symbols, ridge_str_of(ridge_op_kinds[kind].key));
    return key ? ridge_registry_entry(out, ops->registry, key, err) : ridge_no_memory(err);
}

/* NULL where the entry has none of this name */
static const ridge_parameter *parameter_of(const ridge_entry *entry, const char *name)
{
    for (size_t i = 0; i < entry->parameter_count; i++)
        if (strcmp(entry->parameters[i].names[0]->text, name) == 0)
            return &entry->parameters[i];
    return NULL;
}

bool ridge_op_needs(const ridge_entry *entry, ridge_op_dimension dim)
{
    const ridge_parameter *parameter = parameter_of(entry, dim_names[dim]);
    return parameter && !parameter->fallback;
}

static ridge_status check_dims(const ridge_entry *entry, const char *kind, const ridge_op_shape *shape, ridge_err *err)
{
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++) {
        ridge_int n = shape->dims[d];
        if (n != 0 && !parameter_of(entry, dim_names[d]))
            return ridge_fail(err, RIDGE_USAGE, "%s takes no %s", kind, dim_names[d]);
        if (n < 0 || (n == 0 && ridge_op_needs(entry, d)))
            return ridge_fail(err, RIDGE_USAGE, "%s wants %s: at least 1", kind, dim_names[d]);
    }
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++)
        if (shape->flags[f] && !parameter_of(entry, ridge_op_flag_names[f]))
            return ridge_fail(err, RIDGE_USAGE, "%s cannot be %s", kind, ridge_op_flag_names[f]);
    return RIDGE_OK;
}

static ridge_status check_heads(ridge_op_kind kind, const ridge_op_shape *shape, ridge_err *err)
{
    const ridge_int *d = shape->dims;
    if (d[RIDGE_OP_KV_HEADS] && d[RIDGE_OP_HEADS] % d[RIDGE_OP_KV_HEADS] != 0)
        return ridge_fail(err, RIDGE_USAGE, "%s: heads must be a multiple of kv_heads", ridge_op_kind_names[kind]);
    if (shape->flags[RIDGE_OP_CAUSAL] && d[RIDGE_OP_KV_LEN] && d[RIDGE_OP_KV_LEN] < d[RIDGE_OP_SEQ_LEN])
        return ridge_fail(err, RIDGE_USAGE, "attention: causal queries stand at the end of the keys, so kv_len is at least seq_len");
    if (kind == RIDGE_OP_ROPE && d[RIDGE_OP_HEAD_DIM] % 2 != 0)
        return ridge_fail(err, RIDGE_USAGE, "rope: head_dim is odd; pairs are rotated");
    if ((kind == RIDGE_OP_LAYER || kind == RIDGE_OP_MODEL) && !d[RIDGE_OP_HEAD_DIM] && d[RIDGE_OP_HIDDEN] % d[RIDGE_OP_HEADS] != 0)
        return ridge_fail(err, RIDGE_USAGE, "%s: hidden is not a multiple of heads: give head_dim", ridge_op_kind_names[kind]);
    return RIDGE_OK;
}

static ridge_int or_else(ridge_int given, ridge_int otherwise)
{
    return given != 0 ? given : otherwise;
}

/* places of a convolution's window along a line, as torch.nn.Conv2d has it: floor((length + 2 padding - dilation (kernel - 1) - 1) /
 * stride) + 1; below 1 where the window does not fit. What is 0 has its default: stride and dilation 1. */
static ridge_int conv_extent(ridge_int length, ridge_int kernel, ridge_int stride, ridge_int padding, ridge_int dilation)
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
    if (conv_extent(length, kernel, stride, padding, dilation) >= 1)
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
static ridge_status invoke(ridge_node **out, ridge_graph *g, const ridge_entry *entry, const ridge_op_shape *shape)
{
    ridge_argument args[RIDGE_OP_DIM_COUNT + RIDGE_OP_FLAG_COUNT];
    size_t n = 0;
    ridge_value v;
    ridge_status st = RIDGE_OK;
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT && !st; d++)
        if (shape->dims[d])
            st = argument(&args[n++], g->registry, dim_names[d], ridge_value_int(shape->dims[d]), g->err);
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT && !st; f++)
        if (shape->flags[f])
            st = argument(&args[n++], g->registry, ridge_op_flag_names[f], ridge_value_bool(true), g->err);
    if (st || (st = ridge_graph_invoke(&v, g, entry->key, args, n)))
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
            st = ridge_overflow(c->graph->err, "a count");
    return st;
}

static ridge_status calls_of(ridge_int *out, const ridge_child *child, ridge_int times, ridge_err *err)
{
    ridge_int calls;
    return ridge_value_as_int(&calls, child->calls) && ridge_int_mul(out, calls, times) ? RIDGE_OK : ridge_overflow(err, "a count");
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
            st = ridge_overflow(c->graph->err, "a count");
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
            st = ridge_overflow(c->graph->err, "a count");
    if (st)
        return st;
    if (!ridge_int_add(&bytes, read, written) || !ridge_int_add(&r->bytes, r->bytes, bytes))
        return ridge_overflow(c->graph->err, "a count");
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
    if (!ridge_arena_more(c->graph->arena, &r->kernels, r->kernel_count, &r->kernel_cap, sizeof *r->kernels))
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
        if (is_operand(child->node)) {
            st = add_operand(r, &own, c, child->node, calls, name);
        } else if (path[0] || !(st = add_part(r, c, child, name))) {
            ridge_int before = r->bytes;
            st = walk(r, c, child->node, calls, name);
            if (!path[0])
                r->parts[r->part_count - 1].bytes = r->bytes - before;
        }
    }
    return st || own == 0 ? st : add_kernel(r, c, n, times, path, own);
}

/* an overflow stands where the formula is: say whose numbers it had */
static ridge_status too_large(ridge_status st, ridge_op_kind kind, ridge_err *err)
{
    if (st == RIDGE_OVERFLOW && err)
        ridge_err_append(err, "; the dimensions of this %s are too large", ridge_op_kind_names[kind]);
    return st;
}

/* what the operator keeps, where its size is known: an embedding's table */
static ridge_status add_stored(ridge_op_record *r, const ridge_coster *c, const ridge_node *n)
{
    for (size_t i = 0; i < n->weights.n; i++) {
        const ridge_node_tensor *t = &n->weights.p[i];
        ridge_int rows = t->dims[0], bytes;
        if (!ridge_format_bytes(&bytes, c->weights, rows, t->elements / rows) || !ridge_int_add(&r->stored_bytes, r->stored_bytes, bytes) ||
            !ridge_int_add(&r->parameters, r->parameters, t->elements))
            return ridge_overflow(c->graph->err, "a count");
    }
    return RIDGE_OK;
}

static ridge_status count(ridge_op_record *out, ridge_graph *graph, const ridge_op_shape *shape)
{
    ridge_coster coster;
    ridge_node *node = NULL;
    ridge_status st;
    if ((st = ridge_coster_init(&coster, graph, RIDGE_KERNEL_EAGER)) || (st = invoke(&node, graph, out->entry, shape)))
        return st;
    if (!(out->parts = ridge_arena_array(graph->arena, node->child_count + 1, sizeof *out->parts)))
        return ridge_no_memory(graph->err);
    if ((st = flops_of(&out->flops, &coster, node, 1)) || (st = add_stored(out, &coster, node)))
        return st;
    return walk(out, &coster, node, 1, "");
}

ridge_status ridge_ops_count(ridge_op_record *out, ridge_ops *ops, ridge_op_kind kind, const ridge_op_shape *shape,
                             const ridge_op_formats *formats, ridge_arena *arena, ridge_err *err)
{
    ridge_graph graph;
    ridge_entry *entry;
    ridge_status st;
    *out = (ridge_op_record){.kind = kind};
    if ((st = ridge_op_entry(&entry, ops, kind, err)))
        return st;
    out->entry = entry;
    if ((st = check_dims(entry, ridge_op_kind_names[kind], shape, err)) || (st = check_heads(kind, shape, err)) ||
        (kind == RIDGE_OP_CONV && (st = check_conv(shape, err))) || (st = ridge_graph_init(&graph, ops->registry, arena, NULL, err)))
        return st;
    set_formats(&graph, formats);
    return too_large(count(out, &graph, shape), kind, err);
}

const ridge_op_part *ridge_op_part_find(const ridge_op_record *record, const char *name)
{
    for (size_t i = 0; i < record->part_count; i++)
        if (strcmp(record->parts[i].name, name) == 0)
            return &record->parts[i];
    return NULL;
}

/* ---- as JSON ---- */

void ridge_op_shape_json(ridge_json_writer *w, const ridge_op_record *record, const ridge_op_shape *shape)
{
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if (shape->dims[d]) {
            ridge_jw_key(w, dim_names[d]);
            ridge_jw_int(w, shape->dims[d]);
        }
    for (unsigned f = 0; f < RIDGE_OP_FLAG_COUNT; f++)
        if (parameter_of(record->entry, ridge_op_flag_names[f])) {
            ridge_jw_key(w, ridge_op_flag_names[f]);
            ridge_jw_bool(w, shape->flags[f]);
        }
}

void ridge_op_parts_json(ridge_json_writer *w, const ridge_op_record *record)
{
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < record->part_count; i++) {
        ridge_jw_key(w, record->parts[i].name);
        ridge_jw_int(w, record->parts[i].flops.total);
    }
    ridge_jw_end_object(w);
}
