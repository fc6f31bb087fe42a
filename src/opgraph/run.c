#include "opgraph/run.h"

#include <stdarg.h>
#include <stdio.h>

#include "opgraph/parts.h"

static const ridge_int most_elements = (ridge_int)1 << 62;

/* ---- what rules say ---- */

static char *told(ridge_arena *arena, const char *fmt, va_list args)
{
    char text[400];
    vsnprintf(text, sizeof text, fmt, args);
    return ridge_arena_strdup(arena, ridge_str_of(text));
}

ridge_status ridge_opgraph_unknown(ridge_opgraph_call *call, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (!call->step->unknown)
        call->step->unknown = told(call->run->arena, fmt, args);
    va_end(args);
    return call->step->unknown ? RIDGE_OK : ridge_no_memory(call->run->err);
}

const char *ridge_opgraph_node_text(ridge_opgraph_run *run, const ridge_opgraph_node *node)
{
    const char *op = ridge_weight_shown(run->arena, node->op);
    const char *text = node->name.n ? ridge_arena_printf(run->arena, "node '%s' (%s)", ridge_weight_shown(run->arena, node->name), op)
                                    : ridge_arena_printf(run->arena, "a node without a name (%s)", op);
    return text ? text : "";
}

ridge_status ridge_opgraph_wrong(ridge_opgraph_call *call, const char *fmt, ...)
{
    const ridge_opgraph_node *node = call->node;
    va_list args;
    va_start(args, fmt);
    const char *text = told(call->run->arena, fmt, args);
    va_end(args);
    if (!text)
        return ridge_no_memory(call->run->err);
    return ridge_fail(call->run->err, RIDGE_VALUE, "%s: %s: %s", call->run->graph->path, ridge_opgraph_node_text(call->run, node), text);
}

const char *ridge_opgraph_shape_text(const ridge_opgraph_call *call, const ridge_opgraph_tensor *t)
{
    ridge_buf text = {0};
    if (!t || !t->known)
        return "[?]";
    for (uint32_t i = 0; i < t->rank; i++)
        ridge_buf_addf(&text, "%s%lld", i ? ", " : "[", (long long)t->dims[i]);
    ridge_buf_addz(&text, t->rank ? "]" : "[]");
    const char *shown = ridge_arena_take(call->run->arena, &text);
    return shown ? shown : "";
}

void ridge_opgraph_size_is(ridge_opgraph_call *call, const char *name, ridge_int value)
{
    ridge_opgraph_step *s = call->step;
    if (s->size_count < RIDGE_OPGRAPH_SIZES)
        s->sizes[s->size_count++] = (ridge_opgraph_size){name, value};
}

/* ---- shapes ---- */

ridge_int ridge_opgraph_product(const int64_t *dims, uint32_t from, uint32_t to)
{
    ridge_int product = 1;
    for (uint32_t i = from; i < to; i++)
        if (!ridge_int_mul(&product, product, dims[i]) || product > ((ridge_int)1 << 126))
            return -1;
    return product;
}

ridge_opgraph_tensor *ridge_opgraph_named(const ridge_opgraph_call *call, const char *name)
{
    const ridge_opgraph_argument *a = ridge_opgraph_argument_of(call->node, name);
    return a && a->kind == RIDGE_OPGRAPH_ARG_VALUE && a->u.value != RIDGE_OPGRAPH_NONE ? &call->run->tensors[a->u.value] : NULL;
}

/* t gets its shape; false: more elements than are counted */
static ridge_status give_shape(ridge_opgraph_run *run, ridge_opgraph_tensor *t, const int64_t *dims, uint32_t rank)
{
    int64_t *copy = ridge_arena_array(run->arena, rank + 1, sizeof *copy);
    if (!copy)
        return ridge_no_memory(run->err);
    if (rank)
        memcpy(copy, dims, rank * sizeof *copy);
    t->elements = ridge_opgraph_product(copy, 0, rank);
    if (t->elements < 0 || t->elements > most_elements)
        return ridge_fail(run->err, RIDGE_LIMIT, "%s: '%s' has more than 2^62 elements", run->graph->path,
                          ridge_weight_shown(run->arena, t->value->name));
    t->known = true;
    t->rank = rank;
    t->dims = copy;
    t->why = NULL;
    return RIDGE_OK;
}

ridge_status ridge_opgraph_set(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const int64_t *dims, uint32_t rank)
{
    ridge_opgraph_tensor *t = out < call->out_count ? call->out[out] : NULL;
    if (!t)
        return RIDGE_OK;
    if (rank > RIDGE_OPGRAPH_RANK)
        return ridge_opgraph_wrong(call, "a result of %u dimensions", rank);
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] < 0)
            return ridge_opgraph_wrong(call, "a dimension of its result would be %lld", (long long)dims[i]);
    t->format = format ? format : t->format;
    t->ints = NULL;
    t->reals = NULL;
    t->content_count = 0;
    return give_shape(call->run, t, dims, rank);
}

ridge_status ridge_opgraph_set_like(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const ridge_opgraph_tensor *like)
{
    return ridge_opgraph_set(call, out, format, like->dims, like->rank);
}

/* What exporters compute shapes of is short; a file of many nodes on long lists is not worth its memory. */
enum { SHORT_CONTENT = 64, LONG_CONTENTS = 4 << 20 };

bool ridge_opgraph_holds(const ridge_opgraph_call *call, uint32_t out)
{
    const ridge_opgraph_tensor *t = out < call->out_count ? call->out[out] : NULL;
    if (!t || !t->known || t->elements > RIDGE_OPGRAPH_CONTENT)
        return false;
    return t->elements <= SHORT_CONTENT || call->run->held + (size_t)t->elements <= LONG_CONTENTS;
}

void *ridge_opgraph_room(ridge_opgraph_call *call, uint32_t out)
{
    const size_t count = (size_t)call->out[out]->elements;
    call->run->held += count > SHORT_CONTENT ? count : 0; /* also where nothing comes of it */
    return ridge_arena_array(call->run->arena, count + 1, sizeof(int64_t));
}

static ridge_opgraph_tensor *to_give(ridge_opgraph_call *call, uint32_t out, size_t count)
{
    ridge_opgraph_tensor *t = out < call->out_count ? call->out[out] : NULL;
    if (!t || !t->known || t->elements != (ridge_int)count || count > RIDGE_OPGRAPH_CONTENT)
        return NULL;
    t->content_count = count;
    return t;
}

ridge_status ridge_opgraph_give_ints(ridge_opgraph_call *call, uint32_t out, const int64_t *ints, size_t count)
{
    ridge_opgraph_tensor *t = to_give(call, out, count);
    if (t)
        t->ints = ints;
    return RIDGE_OK;
}

ridge_status ridge_opgraph_give_reals(ridge_opgraph_call *call, uint32_t out, const double *reals, size_t count)
{
    ridge_opgraph_tensor *t = to_give(call, out, count);
    if (t)
        t->reals = reals;
    return RIDGE_OK;
}

static bool is_to_be_held(const ridge_opgraph_call *call, uint32_t out, size_t count)
{
    return ridge_opgraph_holds(call, out) && call->out[out]->elements == (ridge_int)count;
}

ridge_status ridge_opgraph_hold_ints(ridge_opgraph_call *call, uint32_t out, const int64_t *ints, size_t count)
{
    if (!is_to_be_held(call, out, count))
        return RIDGE_OK;
    int64_t *copy = ridge_opgraph_room(call, out);
    if (!copy)
        return ridge_no_memory(call->run->err);
    if (count)
        memcpy(copy, ints, count * sizeof *copy);
    return ridge_opgraph_give_ints(call, out, copy, count);
}

bool ridge_opgraph_broadcast(int64_t *dims, uint32_t *rank, const ridge_opgraph_tensor *a, const ridge_opgraph_tensor *b)
{
    *rank = a->rank > b->rank ? a->rank : b->rank;
    for (uint32_t i = 0; i < *rank; i++) { /* from the last */
        const int64_t x = i < a->rank ? a->dims[a->rank - 1 - i] : 1, y = i < b->rank ? b->dims[b->rank - 1 - i] : 1;
        if (x != y && x != 1 && y != 1)
            return false;
        dims[*rank - 1 - i] = x == 1 ? y : x;
    }
    return true;
}

bool ridge_opgraph_axis(uint32_t *out, int64_t axis, uint32_t rank)
{
    const int64_t at = axis < 0 ? axis + rank : axis;
    *out = at >= 0 && at < rank ? (uint32_t)at : 0;
    return at >= 0 && at < rank;
}

/* ---- values as the file has them ---- */

/* The shape that the file says, where all of it is bound. */
ridge_status ridge_opgraph_shape_said(ridge_opgraph_run *run, ridge_opgraph_tensor *t)
{
    int64_t dims[RIDGE_OPGRAPH_RANK];
    const ridge_opgraph_value *v = t->value;
    if (!v->ranked) {
        t->why = "the file does not say its shape";
        return RIDGE_OK;
    }
    for (uint32_t i = 0; i < v->rank; i++) {
        ridge_status st = ridge_opgraph_dim_size(&dims[i], &t->why, run, &v->dims[i]);
        if (st || dims[i] < 0)
            return st;
    }
    return give_shape(run, t, dims, v->rank);
}

static bool is_given(const ridge_opgraph_value *v)
{
    return v->origin != RIDGE_OPGRAPH_RESULT;
}

static ridge_status begin_tensors(ridge_opgraph_run *run)
{
    const ridge_opgraph *g = run->graph;
    ridge_status st = RIDGE_OK;
    if (!(run->tensors = ridge_arena_array(run->arena, g->value_count + 1, sizeof *run->tensors)))
        return ridge_no_memory(run->err);
    for (size_t i = 0; i < g->value_count && !st; i++) {
        const ridge_opgraph_value *v = &g->values[i];
        run->tensors[i] = (ridge_opgraph_tensor){.value = v,
                                                 .format = v->format,
                                                 .ints = v->ints,
                                                 .reals = v->reals,
                                                 .content_count = v->content_count,
                                                 .why = "no node has made it",
                                                 .producer = RIDGE_OPGRAPH_NONE,
                                                 .base = (uint32_t)i};
        if (is_given(v))
            st = ridge_opgraph_shape_said(run, &run->tensors[i]);
    }
    return st;
}

/* ---- a node ---- */

static ridge_opgraph_tensor **tensors_of(ridge_opgraph_run *run, const uint32_t *values, uint32_t count)
{
    ridge_opgraph_tensor **list = ridge_arena_array(run->arena, count + 1, sizeof(ridge_opgraph_tensor *));
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = values[i] == RIDGE_OPGRAPH_NONE ? NULL : &run->tensors[values[i]];
    return list;
}

static const ridge_opgraph_tensor *first_unknown(const ridge_opgraph_call *call)
{
    for (uint32_t i = 0; i < call->in_count; i++)
        if (call->in[i] && !call->in[i]->known)
            return call->in[i];
    return NULL;
}

/* Results that no rule gave: what the file says of them; else they are unknown, for the step's reason. */
static ridge_status end_results(ridge_opgraph_call *call)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < call->out_count && !st; i++) {
        ridge_opgraph_tensor *t = call->out[i];
        if (!t)
            continue;
        t->producer = (uint32_t)(call->step - call->run->steps);
        if (call->step->is_view && ridge_opgraph_in(call, 0))
            t->base = call->in[0]->base;
        if (!t->known && !(st = ridge_opgraph_shape_said(call->run, t)) && !t->known && call->step->unknown)
            t->why = call->step->unknown;
    }
    return st;
}

/* A node whose rule cannot be asked: its results are what the file says. */
static ridge_status leave_open(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *open = first_unknown(call);
    if (!call->spec)
        return ridge_opgraph_unknown(call, "the operator is not in the catalog");
    return open ? ridge_opgraph_unknown(call, "the shape of '%s' is not known: %s", ridge_weight_shown(call->run->arena, open->value->name),
                                        open->why)
                : ridge_opgraph_unknown(call, "the catalog has no rule '%s'", call->spec->shape);
}

/* The file's own word decides where there is one: torch.export says every result. */
static ridge_status said_results(ridge_opgraph_call *call)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < call->out_count && !st; i++)
        if (call->out[i] && !call->out[i]->known)
            st = ridge_opgraph_shape_said(call->run, call->out[i]);
    return st;
}

static bool counts_nothing(const ridge_opgraph_spec *spec)
{
    return spec->bytes && strcmp(spec->bytes, "view") == 0;
}

static ridge_status apply_rule(ridge_opgraph_call *call, bool aten)
{
    const ridge_opgraph_rule_row *row = NULL;
    if (call->spec && aten)
        row = ridge_aten_rule(call->spec->shape);
    else if (call->spec && call->spec->shape)
        row = ridge_onnx_rule(call->spec->shape);
    const bool view = call->spec && counts_nothing(call->spec);
    ridge_status st = aten ? said_results(call) : RIDGE_OK;
    call->step->is_view = view;
    if (st || (aten && view))
        return st;
    if (!row || (!row->lenient && first_unknown(call)))
        return leave_open(call);
    return row->rule(call);
}

/* n and m, where the rule does not mean something else by them */
static void usual_sizes(ridge_opgraph_call *call)
{
    const struct {
        const char *name;
        const ridge_opgraph_tensor *of;
    } usual[] = {{"n", call->out_count ? call->out[0] : NULL}, {"m", ridge_opgraph_in(call, 0)}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        bool given = false;
        for (unsigned k = 0; k < call->step->size_count; k++)
            given = given || strcmp(call->step->sizes[k].name, usual[i].name) == 0;
        if (!given && usual[i].of && usual[i].of->known)
            ridge_opgraph_size_is(call, usual[i].name, usual[i].of->elements);
    }
}

/* a result whose size nobody knows has no bytes that can be counted */
static ridge_status check_results(ridge_opgraph_call *call)
{
    for (uint32_t i = 0; i < call->out_count; i++) {
        const ridge_opgraph_tensor *t = call->out[i];
        if (t && !t->known && !call->step->unknown && !call->step->is_view && t->value->format)
            return ridge_opgraph_unknown(call, "the shape of '%s' is not known: %s", ridge_weight_shown(call->run->arena, t->value->name),
                                         t->why ? t->why : "");
    }
    return RIDGE_OK;
}

ridge_opgraph_step *ridge_opgraph_step_new(ridge_opgraph_run *run, const ridge_opgraph_node *node)
{
    if (!ridge_arena_more(run->arena, &run->steps, run->step_count, &run->step_cap, sizeof *run->steps))
        return NULL;
    run->steps[run->step_count] = (ridge_opgraph_step){.node = node, .times = run->times, .body_depth = run->depth, .gathered = -1};
    return &run->steps[run->step_count++];
}

static const char *full_name(ridge_opgraph_run *run, ridge_str op, bool aten)
{
    return aten ? ridge_arena_strdup(run->arena, op) : ridge_arena_printf(run->arena, "onnx.%.*s", RIDGE_STR_ARG(op));
}

static ridge_status run_node(ridge_opgraph_run *run, const ridge_opgraph_node *node)
{
    const bool aten = !ridge_opgraph_is_onnx(run);
    bool done;
    ridge_status st = ridge_opgraph_flow(&done, run, node);
    if (st || done)
        return st;
    ridge_opgraph_call call = {.run = run, .node = node, .in_count = node->input_count, .out_count = node->output_count};
    call.in = tensors_of(run, node->inputs, node->input_count);
    call.out = tensors_of(run, node->outputs, node->output_count);
    call.step = ridge_opgraph_step_new(run, node);
    const char *name = full_name(run, node->op, aten);
    if (!call.in || !call.out || !call.step || !name)
        return ridge_no_memory(run->err);
    if ((st = ridge_opgraph_spec_find(&call.spec, run, name)))
        return st;
    call.step->spec = call.spec;
    if ((st = apply_rule(&call, aten)) || (st = end_results(&call)))
        return st;
    usual_sizes(&call);
    return check_results(&call);
}

ridge_status ridge_opgraph_run_body(ridge_opgraph_run *run, const ridge_opgraph_body *body, ridge_int times)
{
    const ridge_int outer = run->times;
    ridge_status st = RIDGE_OK;
    if (run->depth >= RIDGE_OPGRAPH_DEPTH)
        return ridge_fail(run->err, RIDGE_LIMIT, "%s: branches and loops in each other, more than %d deep", run->graph->path,
                          RIDGE_OPGRAPH_DEPTH);
    if (run->step_count > RIDGE_OPGRAPH_STEPS)
        return ridge_fail(run->err, RIDGE_LIMIT, "%s: more than %d nodes run, those of graphs that others call included", run->graph->path,
                          RIDGE_OPGRAPH_STEPS);
    if (!ridge_int_mul(&run->times, outer, times) || run->times > most_elements)
        return ridge_overflow(run->err, "the turns of a loop");
    run->depth++;
    for (size_t i = 0; i < body->count && !st; i++)
        st = run_node(run, &body->nodes[i]);
    run->depth--;
    run->times = outer;
    return st;
}

ridge_status ridge_opgraph_run_graph(ridge_opgraph_run *out, const ridge_opgraph *graph, const ridge_opgraph_bind *binds, size_t bind_count,
                                     ridge_registry *registry, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_opgraph_run){.graph = graph, .registry = registry, .arena = arena, .err = err, .times = 1};
    ridge_status st = ridge_symtab_init(&out->specs, arena) ? RIDGE_OK : ridge_no_memory(err);
    if (st || (st = ridge_opgraph_bind_symbols(out, binds, bind_count)) || (st = begin_tensors(out)))
        return st;
    for (size_t i = 0; i < graph->main.count && !st; i++)
        st = run_node(out, &graph->main.nodes[i]);
    return st;
}
