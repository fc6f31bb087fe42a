/* The messages of a pass: where they are, how large, how often; as kernels and rows beside those that compute. */
#include "model/training.h"
#include "predict/parallel/parallel.h"
#include "predict/sustained.h"

typedef struct message {
    ridge_collective kind;
    int64_t devices;
    uint32_t parent;   /* row */
    ridge_value bytes; /* of one */
    ridge_value calls; /* in one pass of a microbatch */
    double times;      /* passes */
} message;

typedef struct messages {
    ridge_split split;
    ridge_analysis *analysis;
    const ridge_parallel *parallel;
    message *p;
    size_t n, cap;
    ridge_err *err;
} messages;

static const ridge_calc *calc_of(const messages *m)
{
    return &m->analysis->graph.run.calc;
}

static bool is_training(const messages *m)
{
    return m->analysis->workload.phase == RIDGE_PHASE_TRAIN;
}

static ridge_status add(messages *m, message one)
{
    if (!ridge_arena_more(&m->analysis->arena, &m->p, m->n, &m->cap, sizeof *m->p))
        return ridge_no_memory(m->err);
    m->p[m->n++] = one;
    return RIDGE_OK;
}

/* what a matrix writes in a forward pass; the kernels of a training step stand for all its passes */
static ridge_status written(ridge_value *out, const messages *m, uint32_t row)
{
    const ridge_kernel *k = &m->analysis->kernels.p[m->split.parts[row].kernel];
    *out = k->cost.writes[RIDGE_BYTE_ACTIVATIONS];
    if (!is_training(m))
        return RIDGE_OK;
    return ridge_value_binary(out, RIDGE_OP_DIV, *out, ridge_value_int(ridge_training_factors_of(&m->analysis->workload).passes),
                              calc_of(m));
}

/* does a row-split matrix write the stream? Experts of a list write more rows than there are tokens, those in one tensor sum them. */
static bool writes_stream(const messages *m, uint32_t i)
{
    const ridge_part *p = &m->split.parts[i];
    if (p->kind != RIDGE_PART_ROW || p->kernel == RIDGE_NO_ROW)
        return false;
    return p->mixture == RIDGE_NO_ROW || (m->split.rows->p[i].node->experts > 0 &&
                                          !ridge_value_is_zero(m->analysis->kernels.p[p->kernel].cost.writes[RIDGE_BYTE_ACTIVATIONS]));
}

/* the matrix of a layer that does: that of its attention or mixer, else of an MLP */
static uint32_t stream_matrix(const messages *m, uint32_t block)
{
    uint32_t found = RIDGE_NO_ROW;
    for (uint32_t i = block; i < m->split.parts[block].end; i++) {
        if (!writes_stream(m, i))
            continue;
        if (m->split.parts[i].scope != RIDGE_NO_ROW)
            return i;
        found = found == RIDGE_NO_ROW ? i : found;
    }
    return found;
}

/* ... of this layer, or of another one, whose stream is as wide */
static uint32_t stream_near(const messages *m, uint32_t block)
{
    const ridge_row *rows = m->split.rows->p;
    uint32_t found = stream_matrix(m, block);
    for (uint32_t i = 0; i < m->split.rows->n && found == RIDGE_NO_ROW; i++)
        if (m->split.parts[i].block == i && rows[i].parent == rows[block].parent)
            found = stream_matrix(m, i);
    return found;
}

/* calls of a row's kernels; a row whose parts have rows of their own is called as often as it says */
static ridge_value calls_of(const messages *m, uint32_t row)
{
    const uint32_t kernel = m->split.parts[row].kernel;
    return kernel == RIDGE_NO_ROW ? ridge_value_int(m->split.rows->p[row].calls) : m->analysis->kernels.p[kernel].calls;
}

static ridge_status unknown_stream(const messages *m, uint32_t row)
{
    const ridge_row *r = &m->split.rows->p[row];
    return ridge_fail(m->err, RIDGE_UNKNOWN, "%.*s (%s): how much its devices send each other is not known", RIDGE_STR_ARG(r->path),
                      r->class_name);
}

/* What the row `like` writes, `copies` times over, in each call of the row `where`; `each` times in a forward pass, again in the backward
 * one, and again where that repeats the forward pass */
typedef struct in_layer {
    uint32_t parent, where, like;
    ridge_int copies;
    int each;
} in_layer;

static ridge_status add_in_layer(messages *m, ridge_collective kind, int64_t devices, in_layer at)
{
    message one = {.kind = kind, .devices = devices, .parent = at.parent, .times = ridge_split_calls(&m->split, at.where)};
    const ridge_int passes = is_training(m) ? ridge_training_factors_of(&m->analysis->workload).exchanges : 1;
    ridge_status st;
    if (at.like == RIDGE_NO_ROW)
        return unknown_stream(m, at.where);
    if ((st = written(&one.bytes, m, at.like)) ||
        (st = ridge_value_binary(&one.bytes, RIDGE_OP_MUL, one.bytes, ridge_value_int(at.copies), calc_of(m))) ||
        (st = ridge_value_binary(&one.calls, RIDGE_OP_MUL, calls_of(m, at.where), ridge_value_int(at.each * passes), calc_of(m))))
        return st;
    return add(m, one);
}

/* ---- tensor parallel ---- */

/* whose result is summed: the module of a row-split matrix; a mixture's experts are summed with each other first */
static uint32_t summed_at(const messages *m, uint32_t matrix)
{
    const ridge_split *s = &m->split;
    if (s->parts[matrix].scope != RIDGE_NO_ROW)
        return s->parts[matrix].scope;
    for (uint32_t at = s->rows->p[matrix].parent; at != RIDGE_NO_ROW && at != s->parts[matrix].block; at = s->rows->p[at].parent)
        for (uint32_t i = at; i < s->parts[at].end; i++)
            if (s->parts[i].mixture == at)
                return at;
    return s->rows->p[matrix].parent;
}

/* sums that are told below one module: a layer that is an attention itself has those of its MLP beside it */
static int sums_at(const ridge_split *s, uint32_t at)
{
    int n = 0;
    for (uint32_t i = at; i < s->parts[at].end && s->parts[at].block == at; i++)
        n += s->parts[i].kind == RIDGE_PART_ROW && s->parts[i].kernel != RIDGE_NO_ROW && s->parts[i].mixture == RIDGE_NO_ROW;
    return n > 0 ? n : 1;
}

/* does a row have kernels, or, as a module that holds all experts, parts that have some? */
static bool runs(const ridge_split *s, uint32_t i)
{
    return s->parts[i].kernel != RIDGE_NO_ROW || s->rows->p[i].node->experts > 0;
}

static ridge_status add_sums(messages *m)
{
    const ridge_split *s = &m->split;
    bool *done = ridge_arena_array(&m->analysis->arena, s->rows->n, sizeof *done);
    ridge_status st = done ? RIDGE_OK : ridge_no_memory(m->err);
    for (uint32_t i = 0; i < s->rows->n && !st; i++) {
        const ridge_part *p = &s->parts[i];
        if (p->kind != RIDGE_PART_ROW || !runs(s, i))
            continue;
        uint32_t at = summed_at(m, i), like = p->mixture == RIDGE_NO_ROW ? i : stream_near(m, p->block);
        if (done[at])
            continue;
        done[at] = true;
        st = add_in_layer(m, RIDGE_COLLECTIVE_ALL_REDUCE, m->parallel->tensor,
                          (in_layer){.parent = at, .where = i, .like = like, .copies = 1, .each = sums_at(s, at)});
    }
    return st;
}

/* every device has the rows of its part of the table, and zeros for the rest: the sum is the embedding. Its backward needs no message. */
static ridge_status add_embedding(messages *m)
{
    const ridge_split *s = &m->split;
    bool row = s->table != RIDGE_NO_ROW && s->parts[s->table].kernel != RIDGE_NO_ROW;
    uint32_t like = row ? s->table : stream_near(m, s->first_layer);
    message one = {.kind = RIDGE_COLLECTIVE_ALL_REDUCE, .devices = m->parallel->tensor, .calls = ridge_value_int(1)};
    ridge_status st;
    if (s->vocabulary == 0)
        return RIDGE_OK;
    if (like == RIDGE_NO_ROW)
        return unknown_stream(m, s->first_layer);
    one.parent = row ? s->rows->p[s->table].parent : 0;
    one.times = m->parallel->pipeline == 1 ? (double)m->parallel->microbatches : 1;
    if ((st = written(&one.bytes, m, like)))
        return st;
    return add(m, one);
}

/* the logits of all parts of the vocabulary; a training step's loss is computed on the parts */
static ridge_status add_logits(messages *m)
{
    const ridge_split *s = &m->split;
    message one = {.kind = RIDGE_COLLECTIVE_ALL_GATHER, .devices = m->parallel->tensor};
    ridge_status st;
    if (s->head == RIDGE_NO_ROW || s->parts[s->head].kernel == RIDGE_NO_ROW || is_training(m))
        return RIDGE_OK;
    one.parent = s->rows->p[s->head].parent;
    one.calls = m->analysis->kernels.p[s->parts[s->head].kernel].calls;
    one.times = ridge_split_calls(s, s->head);
    if ((st = written(&one.bytes, m, s->head)))
        return st;
    return add(m, one);
}

/* ---- experts, stages, replicas ---- */

/* Tokens go to the devices of their experts, and come back: bytes are those of all routed rows of one device. A module that holds all
 * experts sums its rows itself: as many as the stream has, for every expert that a token runs. */
static ridge_status add_routing(messages *m)
{
    const ridge_split *s = &m->split;
    bool *done = ridge_arena_array(&m->analysis->arena, s->rows->n, sizeof *done);
    ridge_status st = done ? RIDGE_OK : ridge_no_memory(m->err);
    for (uint32_t i = 0; i < s->rows->n && !st; i++) {
        const ridge_part *p = &s->parts[i];
        const ridge_node *n = s->rows->p[i].node;
        if (p->kind != RIDGE_PART_ROW || p->mixture == RIDGE_NO_ROW || done[p->mixture] || !runs(s, i))
            continue;
        const bool whole = n->experts > 0;
        done[p->mixture] = true;
        st = add_in_layer(
            m, RIDGE_COLLECTIVE_ALL_TO_ALL, m->parallel->expert,
            (in_layer){
                .parent = p->mixture, .where = i, .like = whole ? stream_near(m, p->block) : i, .copies = whole ? n->run : 1, .each = 2});
    }
    for (uint32_t i = 0; i < s->rows->n && !st; i++)
        if (s->parts[i].mixture != RIDGE_NO_ROW && !done[s->parts[i].mixture])
            st = ridge_fail(m->err, RIDGE_UNKNOWN, "%.*s: how its experts split is not known", RIDGE_STR_ARG(s->rows->p[i].path));
    return st;
}

/* the residual stream from stage to stage: the first microbatch passes all boundaries, the others follow one by one */
static ridge_status add_sends(messages *m)
{
    uint32_t like = stream_near(m, m->split.first_layer);
    message one = {.kind = RIDGE_COLLECTIVE_SEND, .devices = m->parallel->pipeline, .calls = ridge_value_int(is_training(m) ? 2 : 1)};
    ridge_status st;
    if (like == RIDGE_NO_ROW)
        return unknown_stream(m, m->split.first_layer);
    one.times = (double)(m->parallel->microbatches + m->parallel->pipeline - 2);
    if ((st = written(&one.bytes, m, like)))
        return st;
    return add(m, one);
}

static ridge_status add_constant(messages *m, ridge_collective kind, int64_t devices, ridge_int bytes, int calls)
{
    return add(m,
               (message){.kind = kind, .devices = devices, .bytes = ridge_value_int(bytes), .calls = ridge_value_int(calls), .times = 1});
}

/* gradients of one device: those of its experts are of fewer replicas. ZeRO 1 and 2 send as much in two halves, 3 gathers the weights
 * twice (Rajbhandari 2020, section 7) */
static ridge_status add_gradients(messages *m)
{
    const int64_t replicas = ridge_parallel_replicas(m->parallel), same = replicas / m->parallel->expert;
    ridge_device_parameters d;
    ridge_status st = ridge_split_parameters(&d, &m->split, m->analysis, m->err);
    if (st)
        return st;
    const ridge_int each = ridge_training_state_of(&m->analysis->workload).gradient;
    const ridge_int parts[] = {(d.all - d.experts) * each, d.experts * each};
    const int64_t devices[] = {replicas, same};
    for (int i = 0; i < 2 && !st; i++) {
        if (parts[i] == 0 || devices[i] == 1)
            continue;
        if (m->parallel->zero == 0) {
            st = add_constant(m, RIDGE_COLLECTIVE_ALL_REDUCE, devices[i], parts[i], 1);
            continue;
        }
        if (!(st = add_constant(m, RIDGE_COLLECTIVE_REDUCE_SCATTER, devices[i], parts[i], 1)))
            st = add_constant(m, RIDGE_COLLECTIVE_ALL_GATHER, devices[i], parts[i], m->parallel->zero == 3 ? 2 : 1);
    }
    return st;
}

static ridge_status find(messages *m)
{
    const ridge_parallel *p = m->parallel;
    ridge_status st = RIDGE_OK;
    if (p->tensor > 1 && ((st = add_embedding(m)) || (st = add_sums(m)) || (st = add_logits(m))))
        return st;
    if ((p->expert > 1 && (st = add_routing(m))) || (p->pipeline > 1 && (st = add_sends(m))))
        return st;
    return is_training(m) && ridge_parallel_replicas(p) > 1 ? add_gradients(m) : RIDGE_OK;
}

/* ---- into the rows ---- */

static ridge_status add_kernel(messages *m, const message *one, uint32_t row)
{
    ridge_kernels *list = &m->analysis->kernels;
    if (!ridge_arena_more(&m->analysis->arena, &list->p, list->n, &list->cap, sizeof *list->p))
        return ridge_no_memory(m->err);
    ridge_kernel *k = &list->p[list->n++];
    *k = (ridge_kernel){.row = row, .calls = one->calls};
    ridge_cost_zero(&k->cost);
    k->cost.reads[RIDGE_BYTE_INTERMEDIATES] = one->bytes;
    return RIDGE_OK;
}

static ridge_status make_row(ridge_row *row, const messages *m, const message *one, const ridge_row *parent, uint32_t parent_at)
{
    const char *name = ridge_collective_names[one->kind];
    char *path = parent->path.n ? ridge_arena_printf(&m->analysis->arena, "%.*s.(%s)", RIDGE_STR_ARG(parent->path), name)
                                : ridge_arena_printf(&m->analysis->arena, "(%s)", name);
    if (!path)
        return ridge_no_memory(m->err);
    *row = (ridge_row){.path = ridge_str_of(path),
                       .class_name = ridge_collective_classes[one->kind],
                       .node = parent->node,
                       .count = parent->count,
                       .depth = parent->depth + 1,
                       .parent = parent_at,
                       .leaf = true};
    ridge_cost_zero(&row->cost);
    (void)ridge_value_as_int(&row->calls, one->calls);
    return RIDGE_OK;
}

typedef struct builder {
    ridge_row *rows;
    uint32_t n, *moved; /* [old row]: new */
    uint32_t *row_of;   /* [message] */
} builder;

/* the messages of every module whose last row is `i` */
static ridge_status end_modules(builder *b, const messages *m, uint32_t i)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t at = i; at != RIDGE_NO_ROW && m->split.parts[at].end == i + 1; at = m->split.rows->p[at].parent)
        for (size_t k = 0; k < m->n && !st; k++) {
            if (m->p[k].parent != at)
                continue;
            b->row_of[k] = b->n;
            b->rows[b->moved[at]].leaf = false;
            st = make_row(&b->rows[b->n++], m, &m->p[k], &b->rows[b->moved[at]], b->moved[at]);
        }
    return st;
}

static ridge_status insert(messages *m)
{
    ridge_analysis *a = m->analysis;
    const size_t old = a->rows.n, kernels = a->kernels.n;
    builder b = {.rows = ridge_arena_array(&a->arena, old + m->n + 1, sizeof *b.rows),
                 .moved = ridge_arena_array(&a->arena, old + 1, sizeof *b.moved),
                 .row_of = ridge_arena_array(&a->arena, m->n + 1, sizeof *b.row_of)};
    ridge_status st = RIDGE_OK;
    if (!b.rows || !b.moved || !b.row_of)
        return ridge_no_memory(m->err);
    for (uint32_t i = 0; i < old && !st; i++) {
        ridge_row row = a->rows.p[i];
        b.moved[i] = b.n;
        if (row.parent != RIDGE_NO_ROW)
            row.parent = b.moved[row.parent];
        b.rows[b.n++] = row;
        st = end_modules(&b, m, i);
    }
    for (size_t i = 0; i < m->n && !st; i++)
        st = add_kernel(m, &m->p[i], b.row_of[i]);
    for (size_t i = 0; i < kernels; i++)
        a->kernels.p[i].row = b.moved[a->kernels.p[i].row];
    a->rows.p = b.rows;
    a->rows.n = a->rows.cap = b.n;
    return st;
}

/* ---- on the link ---- */

static ridge_status find_wire(ridge_exchange *w, const ridge_parallel *p, const ridge_machine *machine, ridge_err *err)
{
    const ridge_machine_link *link = ridge_machine_link_find(machine, RIDGE_LINK_DEVICE);
    *w = (ridge_exchange){.bytes_per_s = p->link_bytes_per_s,
                          .latency_s = p->link_latency_s,
                          .fabric = link ? ridge_fabric_find(link->name) : NULL,
                          .kernel_s = ridge_sustained_of(machine, RIDGE_PRECISION_FP32).kernel_s};
    if (link && w->bytes_per_s < 0 && link->bytes_per_s > 0)
        w->bytes_per_s = (double)link->bytes_per_s;
    if (link && w->latency_s < 0)
        w->latency_s = link->latency_s;
    if (w->bytes_per_s <= 0)
        return ridge_fail(err, RIDGE_UNKNOWN,
                          "the link between devices of %s is not known, so what they send each other takes no known time; " RIDGE_OPT(
                              "link-bandwidth") " gives one (bytes/s of a device, one direction)",
                          machine->id);
    return RIDGE_OK;
}

static ridge_plan_split link_split(const message *one, const ridge_exchange *w)
{
    ridge_plan_split split = {
        .link = true, .calls = one->times, .tokens = 1, .wire_bytes = ridge_collective_factor(one->kind, one->devices), .exchange = *w};
    split.exchange.kind = one->kind;
    split.exchange.devices = one->devices;
    return split;
}

/* the optimiser steps once, over the parameters of one device, or with ZeRO over its part of them */
static void split_optimizer(ridge_plan_split *out, const messages *m, const ridge_device_parameters *d, size_t kernel)
{
    const ridge_row *row = &m->split.rows->p[m->analysis->kernels.p[kernel].row];
    const double replicas = (double)ridge_parallel_replicas(m->parallel), experts = (double)m->parallel->expert;
    if (!ridge_str_is(row->path, "(optimizer)"))
        return;
    *out = (ridge_plan_split){.compute = 1, .weights = 1, .kv = 1, .calls = 1, .device_calls = 1, .tokens = 1};
    out->activations = (double)d->all / (double)m->analysis->parameters.total;
    if (m->parallel->zero > 0) /* experts are shared by fewer replicas */
        out->activations =
            ((double)(d->all - d->experts) / replicas + (double)d->experts * experts / replicas) / (double)m->analysis->parameters.total;
}

ridge_status ridge_parallel_apply(ridge_plan_split **splits, ridge_analysis *a, const ridge_parallel *parallel,
                                  const ridge_machine *machine, ridge_err *err)
{
    messages m = {.analysis = a, .parallel = parallel, .err = err};
    const size_t kernels = a->kernels.n;
    ridge_device_parameters d = {0, 0};
    ridge_exchange w = {.bytes_per_s = 1};
    ridge_status st;
    if ((st = ridge_split_make(&m.split, a, parallel, err)) || (st = find(&m)) || (m.n && (st = find_wire(&w, parallel, machine, err))))
        return st;
    if (is_training(&m) && (st = ridge_split_parameters(&d, &m.split, a, err)))
        return st;
    if (!(*splits = ridge_arena_array(&a->arena, kernels + m.n + 1, sizeof **splits)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < kernels; i++) {
        (*splits)[i] = ridge_split_of(&m.split, i);
        if (is_training(&m))
            split_optimizer(&(*splits)[i], &m, &d, i);
    }
    for (size_t i = 0; i < m.n; i++)
        (*splits)[kernels + i] = link_split(&m.p[i], &w);
    return insert(&m);
}
