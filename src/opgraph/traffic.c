#include "opgraph/traffic.h"

#include <stdlib.h>

/* when a value is made and read, by step; of what is a view, the value that it is a view of */
typedef struct life {
    uint32_t made;    /* RIDGE_OPGRAPH_NONE: before the first step */
    uint32_t last;    /* step that reads it last; RIDGE_OPGRAPH_NONE: none does */
    uint32_t readers; /* steps that read it */
    bool kept;        /* a result of the graph, or of a body */
} life;

/* what the operands of one step have taken of a value so far */
typedef struct extent {
    uint64_t as_itself, as_base; /* the last pass over operands that met the value, or a view of it */
    ridge_int elements;          /* read of it in that pass */
} extent;

typedef struct mover {
    ridge_opgraph_run *run;
    ridge_opgraph_traffic *out;
    life *lives;
    extent *takes; /* [value] */
    uint64_t *pass;
} mover;

static bool counts(const ridge_opgraph_step *s)
{
    return !s->unknown && !s->is_view && s->spec;
}

/* NULL: none, or a number of the host's */
static const ridge_opgraph_tensor *tensor(const mover *m, uint32_t value)
{
    return value == RIDGE_OPGRAPH_NONE || m->run->graph->values[value].host ? NULL : &m->run->tensors[value];
}

static bool is_weight(const ridge_opgraph_value *v)
{
    return v->origin == RIDGE_OPGRAPH_PARAMETER || v->origin == RIDGE_OPGRAPH_BUFFER;
}

/* ---- lives ---- */

static void keep_results(const mover *m, const ridge_opgraph_body *body)
{
    for (uint32_t i = 0; i < body->output_count; i++)
        if (body->outputs[i] != RIDGE_OPGRAPH_NONE)
            m->lives[m->run->tensors[body->outputs[i]].base].kept = true;
}

static void live(const mover *m)
{
    const ridge_opgraph *g = m->run->graph;
    for (size_t i = 0; i < g->value_count; i++)
        m->lives[i] = (life){RIDGE_OPGRAPH_NONE, RIDGE_OPGRAPH_NONE, 0, false};
    for (uint32_t s = 0; s < m->run->step_count; s++) {
        const ridge_opgraph_node *node = m->run->steps[s].node;
        for (uint32_t i = 0; i < node->input_count; i++) {
            const ridge_opgraph_tensor *t = tensor(m, node->inputs[i]);
            if (!t || m->run->steps[s].is_view)
                continue;
            life *l = &m->lives[t->base];
            l->readers += l->last != s || l->readers == 0;
            l->last = s;
        }
        for (uint32_t i = 0; i < node->output_count && !m->run->steps[s].is_view; i++)
            if (node->outputs[i] != RIDGE_OPGRAPH_NONE)
                m->lives[node->outputs[i]].made = s;
    }
    keep_results(m, &g->main);
    for (size_t i = 0; i < g->body_count; i++)
        keep_results(m, &g->bodies[i]);
}

/* ---- amounts ---- */

static ridge_status add(const mover *m, ridge_opgraph_amounts *to, ridge_byte_kind kind, const ridge_format *format, ridge_int elements)
{
    size_t i = 0;
    while (i < to->n && (to->p[i].kind != kind || to->p[i].format != format))
        i++;
    if (i == to->n) {
        if (!ridge_arena_more(m->run->arena, &to->p, to->n, &to->cap, sizeof *to->p))
            return ridge_no_memory(m->run->err);
        to->p[to->n++] = (ridge_opgraph_amount){kind, format, 0};
    }
    if (!ridge_int_add(&to->p[i].elements, to->p[i].elements, elements))
        return ridge_overflow(m->run->err, "the elements that a node moves");
    return RIDGE_OK;
}

/* what of a tensor a step reads: of one that is spread out (expand) no more than there is, of a table the rows taken */
static ridge_int read_elements(const mover *m, const ridge_opgraph_step *s, uint32_t input, const ridge_opgraph_tensor *t)
{
    const ridge_opgraph_tensor *base = &m->run->tensors[t->base];
    const ridge_opgraph_tensor *result = s->node->output_count ? tensor(m, s->node->outputs[0]) : NULL;
    ridge_int n = base->known && base->elements < t->elements ? base->elements : t->elements;
    const bool gathers = s->spec->bytes && strcmp(s->spec->bytes, "gather") == 0;
    if (input == 0 && (s->gathered >= 0 || (gathers && result && result->known))) {
        const ridge_int taken = s->gathered >= 0 ? s->gathered : result->elements;
        n = taken < n ? taken : n;
    }
    if (s->taken && s->taken[input] >= 0 && s->taken[input] < n)
        n = s->taken[input];
    return n;
}

/* The elements that an operand adds to those of the operands before it: two halves of one tensor are all of it, a tensor and its transposed
 * one are that tensor once, and so is one that stands twice. */
static ridge_int fresh_elements(const mover *m, const ridge_opgraph_step *s, uint32_t input, const ridge_opgraph_tensor *t)
{
    const ridge_opgraph_tensor *base = &m->run->tensors[t->base];
    extent *own = &m->takes[t - m->run->tensors], *all = &m->takes[t->base];
    if (own->as_itself == *m->pass)
        return 0;
    own->as_itself = *m->pass;
    ridge_int n = read_elements(m, s, input, t);
    if (all->as_base != *m->pass)
        all->elements = 0;
    else if (!base->known)
        return 0;
    all->as_base = *m->pass;
    if (base->known && n > base->elements - all->elements)
        n = base->elements > all->elements ? base->elements - all->elements : 0;
    all->elements += n;
    return n;
}

/* ATen's scatters write over some of their first input: in place that is all, else into a copy. (ONNX's copy, and their result says it.) */
static bool scatters(const ridge_opgraph_step *s)
{
    return !s->node->opset && s->spec->bytes && strncmp(s->spec->bytes, "scatter", strlen("scatter")) == 0;
}

static bool is_in_place(const ridge_opgraph_node *node)
{
    size_t dot = node->op.n;
    while (dot && node->op.p[dot - 1] != '.')
        dot--;
    return dot >= 2 && node->op.p[dot - 2] == '_'; /* aten.scatter_.src */
}

/* elements written over: the rule's s, or as many as the last input, the source, has */
static ridge_int scattered(const mover *m, const ridge_opgraph_step *s)
{
    for (unsigned i = 0; i < s->size_count; i++)
        if (strcmp(s->sizes[i].name, "s") == 0)
            return s->sizes[i].value;
    const ridge_opgraph_tensor *t = s->node->input_count > 1 ? tensor(m, s->node->inputs[s->node->input_count - 1]) : NULL;
    return t && t->known ? t->elements : 0;
}

/* what a scatter reads of the tensor that it writes to: what it adds to; all, to copy it */
static ridge_int read_of_target(const mover *m, const ridge_opgraph_step *s, ridge_int all)
{
    const bool adds = strcmp(s->spec->bytes, "scatter_add") == 0;
    return (is_in_place(s->node) ? 0 : all) + (adds ? scattered(m, s) : 0);
}

static ridge_int written_of(const mover *m, const ridge_opgraph_step *s, uint32_t output, const ridge_opgraph_tensor *t)
{
    if (output || !scatters(s))
        return t->elements;
    return scattered(m, s) + (is_in_place(s->node) ? 0 : t->elements);
}

/* The step's operands that are not made in `within`, a kernel; NONE: all of them. */
static ridge_status add_reads(const mover *m, ridge_opgraph_amounts *to, uint32_t step, uint32_t within)
{
    const ridge_opgraph_step *s = &m->run->steps[step];
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < s->node->input_count && !st; i++) {
        const ridge_opgraph_tensor *t = tensor(m, s->node->inputs[i]);
        ridge_int elements = t && t->known ? fresh_elements(m, s, i, t) : 0;
        if (i == 0 && t && t->known && scatters(s))
            elements = read_of_target(m, s, elements);
        if (!elements)
            continue;
        const uint32_t made = m->lives[t->base].made;
        if (within != RIDGE_OPGRAPH_NONE && made != RIDGE_OPGRAPH_NONE && m->out->of[made].group == within)
            continue;
        const ridge_byte_kind kind = is_weight(&m->run->graph->values[t->base]) ? RIDGE_BYTE_WEIGHTS : RIDGE_BYTE_ACTIVATIONS;
        const ridge_format *stored = m->run->tensors[t->base].format;
        st = add(m, to, kind, stored ? stored : t->format, elements);
    }
    return st;
}

static bool leaves(const mover *m, uint32_t value, uint32_t group)
{
    const life *l = &m->lives[value];
    return l->kept || (l->last != RIDGE_OPGRAPH_NONE && m->out->of[l->last].group != group);
}

/* results; of a kernel those that somebody else reads, and its last step's */
static ridge_status add_writes(const mover *m, ridge_opgraph_amounts *to, uint32_t step, uint32_t within, bool all)
{
    const ridge_opgraph_step *s = &m->run->steps[step];
    const ridge_opgraph_node *node = s->node;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < node->output_count && !st; i++) {
        const ridge_opgraph_tensor *t = tensor(m, node->outputs[i]);
        if (t && t->known && (all || leaves(m, node->outputs[i], within)))
            st = add(m, to, RIDGE_BYTE_ACTIVATIONS, t->format, written_of(m, s, i, t));
    }
    return st;
}

/* ---- formats ---- */

static const ridge_opgraph_tensor *formatless(const mover *m, const ridge_opgraph_node *node)
{
    for (uint32_t i = 0; i < node->input_count + node->output_count; i++) {
        const uint32_t value = i < node->input_count ? node->inputs[i] : node->outputs[i - node->input_count];
        const ridge_opgraph_tensor *t = tensor(m, value);
        if (t && !t->format && (!t->known || t->elements))
            return t;
    }
    return NULL;
}

static ridge_status check_formats(const mover *m)
{
    for (size_t i = 0; i < m->run->step_count; i++) {
        ridge_opgraph_step *s = &m->run->steps[i];
        const ridge_opgraph_tensor *t = counts(s) ? formatless(m, s->node) : NULL;
        if (t && !(s->unknown = ridge_arena_printf(m->run->arena, "the number format of '%s' is not known",
                                                   ridge_weight_shown(m->run->arena, t->value->name))))
            return ridge_no_memory(m->run->err);
    }
    return RIDGE_OK;
}

/* ---- kernels ---- */

/* The step before, in whose kernel this elementwise one can run: it makes an operand of the result's size, which nobody else reads. */
static uint32_t joins(const mover *m, uint32_t step)
{
    const ridge_opgraph_step *s = &m->run->steps[step];
    const ridge_opgraph_tensor *result = s->node->output_count ? tensor(m, s->node->outputs[0]) : NULL;
    uint32_t best = RIDGE_OPGRAPH_NONE;
    if (!s->spec->fuses || strcmp(s->spec->fuses, "elementwise") != 0 || !result || !result->known)
        return best;
    for (uint32_t i = 0; i < s->node->input_count; i++) {
        const ridge_opgraph_tensor *t = tensor(m, s->node->inputs[i]);
        const life *l = t ? &m->lives[t->base] : NULL;
        if (!l || l->made == RIDGE_OPGRAPH_NONE || l->readers != 1 || l->kept || t->elements != result->elements)
            continue;
        const ridge_opgraph_step *p = &m->run->steps[l->made];
        if (counts(p) && p->times == s->times && p->body_depth == s->body_depth && (best == RIDGE_OPGRAPH_NONE || l->made > best))
            best = l->made;
    }
    return best;
}

static void group(const mover *m)
{
    ridge_opgraph_moves *of = m->out->of;
    for (uint32_t i = 0; i < m->run->step_count; i++) {
        of[i].group = of[i].last = i;
        of[i].next = RIDGE_OPGRAPH_NONE;
        const uint32_t with = counts(&m->run->steps[i]) ? joins(m, i) : RIDGE_OPGRAPH_NONE;
        if (with == RIDGE_OPGRAPH_NONE)
            continue;
        ridge_opgraph_moves *head = &of[of[with].group];
        of[i].group = of[with].group;
        of[head->last].next = i;
        head->last = i;
        head->joined = true;
    }
}

static bool ends_group(const mover *m, uint32_t step)
{
    const ridge_opgraph_node *node = m->run->steps[step].node;
    const uint32_t g = m->out->of[step].group, result = node->output_count ? node->outputs[0] : RIDGE_OPGRAPH_NONE;
    return result == RIDGE_OPGRAPH_NONE || m->lives[result].last == RIDGE_OPGRAPH_NONE || m->out->of[m->lives[result].last].group != g;
}

/* one kernel reads an operand once, whoever of its steps wants it */
static ridge_status fuse(const mover *m)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t g = 0; g < m->run->step_count && !st; g++) {
        ridge_opgraph_moves *head = &m->out->of[g];
        if (!head->joined || head->group != g)
            continue;
        ++*m->pass;
        for (uint32_t i = g; i != RIDGE_OPGRAPH_NONE && !st; i = m->out->of[i].next)
            if (!(st = add_reads(m, &head->fused_reads, i, g)))
                st = add_writes(m, &head->fused_writes, i, g, ends_group(m, i));
    }
    return st;
}

/* ---- what is alive at once ---- */

static ridge_int bytes_of(const ridge_opgraph_tensor *t)
{
    ridge_int bits;
    if (!t->known || !t->format || !ridge_int_mul(&bits, t->elements, (ridge_int)t->format->block_bits))
        return 0;
    const ridge_int block = (ridge_int)t->format->block_elements * 8;
    return (bits + block - 1) / block;
}

static ridge_int operands_bytes(const mover *m, const ridge_opgraph_step *s)
{
    ridge_int sum = 0;
    ++*m->pass;
    for (uint32_t i = 0; i < s->node->input_count; i++) {
        const ridge_opgraph_tensor *t = tensor(m, s->node->inputs[i]);
        if (!t || !t->known || is_weight(&m->run->graph->values[t->base]))
            continue;
        ridge_opgraph_tensor part = m->run->tensors[t->base];
        part.elements = fresh_elements(m, s, i, t);
        sum += bytes_of(&part);
    }
    for (uint32_t i = 0; i < s->node->output_count; i++)
        if (s->node->outputs[i] != RIDGE_OPGRAPH_NONE)
            sum += bytes_of(&m->run->tensors[s->node->outputs[i]]);
    return sum;
}

/* From the step that makes a tensor to the last that reads it, results to the end; inputs from the start. Sums of at most 2^62 elements
 * each. */
static ridge_status find_peak(const mover *m)
{
    const size_t steps = m->run->step_count;
    ridge_int *change = calloc(steps + 2, sizeof *change), alive = 0;
    if (!change)
        return ridge_no_memory(m->run->err);
    for (size_t i = 0; i < m->run->graph->value_count; i++) {
        const life *l = &m->lives[i];
        const ridge_opgraph_tensor *t = &m->run->tensors[i];
        const bool input = t->value->origin == RIDGE_OPGRAPH_INPUT;
        if (t->base != i || t->value->host || is_weight(t->value) ||
            (l->made == RIDGE_OPGRAPH_NONE && !(input && l->last != RIDGE_OPGRAPH_NONE)))
            continue;
        const size_t from = l->made == RIDGE_OPGRAPH_NONE ? 0 : l->made, to = l->kept                         ? steps
                                                                              : l->last == RIDGE_OPGRAPH_NONE ? from
                                                                                                              : l->last;
        change[from] += bytes_of(t);
        change[(to < from ? from : to) + 1] -= bytes_of(t);
    }
    for (size_t i = 0; i < steps; i++) {
        alive += change[i];
        m->out->peak = alive > m->out->peak ? alive : m->out->peak;
        const ridge_int own = counts(&m->run->steps[i]) ? operands_bytes(m, &m->run->steps[i]) : 0;
        m->out->step_peak = own > m->out->step_peak ? own : m->out->step_peak;
    }
    free(change);
    return RIDGE_OK;
}

ridge_status ridge_opgraph_traffic_make(ridge_opgraph_traffic *out, ridge_opgraph_run *run)
{
    uint64_t pass = 1;
    const size_t values = run->graph->value_count + 1;
    mover m = {run, out, ridge_arena_array(run->arena, values, sizeof(life)), ridge_arena_array(run->arena, values, sizeof(extent)), &pass};
    *out = (ridge_opgraph_traffic){.of = ridge_arena_array(run->arena, run->step_count + 1, sizeof *out->of)};
    if (!m.lives || !m.takes || !out->of)
        return ridge_no_memory(run->err);
    ridge_status st = check_formats(&m);
    live(&m);
    for (uint32_t i = 0; i < run->step_count && !st; i++, pass++)
        if (counts(&run->steps[i]) && !(st = add_reads(&m, &out->of[i].reads, i, RIDGE_OPGRAPH_NONE)))
            st = add_writes(&m, &out->of[i].writes, i, RIDGE_OPGRAPH_NONE, true);
    group(&m);
    if (st || (st = fuse(&m)))
        return st;
    return find_peak(&m);
}
