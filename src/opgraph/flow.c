/* Branches and loops: If, Loop and Scan of ONNX, torch.export's operators of higher order. Their bodies run here; a branch that depends on
 * data, and a loop whose turns do, are steps that are unknown. */
#include "opgraph/parts.h"

typedef struct flow {
    ridge_opgraph_run *run;
    const ridge_opgraph_node *node;
} flow;

static ridge_opgraph_tensor *tensor(const flow *f, uint32_t value)
{
    return value == RIDGE_OPGRAPH_NONE ? NULL : &f->run->tensors[value];
}

static ridge_opgraph_tensor *input(const flow *f, uint32_t i)
{
    return i < f->node->input_count ? tensor(f, f->node->inputs[i]) : NULL;
}

/* one value is what another is */
static void become(const flow *f, uint32_t to, const ridge_opgraph_tensor *from)
{
    ridge_opgraph_tensor *t = tensor(f, to);
    if (!t || !from)
        return;
    const ridge_opgraph_value *value = t->value;
    *t = *from;
    t->value = value;
}

static ridge_status unknown_step(const flow *f, const char *why)
{
    ridge_opgraph_step *s = ridge_opgraph_step_new(f->run, f->node);
    if (!s)
        return ridge_no_memory(f->run->err);
    s->unknown = why;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < f->node->output_count && !st; i++) {
        ridge_opgraph_tensor *t = tensor(f, f->node->outputs[i]);
        if (t && !(st = ridge_opgraph_shape_said(f->run, t)) && !t->known)
            t->why = why;
    }
    return st;
}

static const ridge_opgraph_body *body_of(const flow *f, const char *argument)
{
    const ridge_opgraph_argument *a = ridge_opgraph_argument_of(f->node, argument);
    return a && a->kind == RIDGE_OPGRAPH_ARG_BODY ? &f->run->graph->bodies[a->u.body] : NULL;
}

static void take_results(const flow *f, const ridge_opgraph_body *body, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count && from + i < body->output_count && i < f->node->output_count; i++)
        become(f, f->node->outputs[i], tensor(f, body->outputs[from + i]));
}

static ridge_status no_body(const flow *f)
{
    return ridge_fail(f->run->err, RIDGE_SYNTAX, "%s: %s lacks the graph that it runs", f->run->graph->path,
                      ridge_opgraph_node_text(f->run, f->node));
}

/* ---- ONNX ---- */

static ridge_status run_if(const flow *f)
{
    const ridge_opgraph_body *yes = body_of(f, "then_branch"), *no = body_of(f, "else_branch");
    const ridge_opgraph_tensor *condition = input(f, 0);
    if (!yes || !no)
        return no_body(f);
    if (!condition || !condition->ints || condition->content_count != 1)
        return unknown_step(f, "which branch runs depends on data");
    const ridge_opgraph_body *body = condition->ints[0] ? yes : no;
    ridge_status st = ridge_opgraph_run_body(f->run, body, 1);
    take_results(f, body, 0, body->output_count);
    return st;
}

/* Is the condition that a body gives to its next turn true whatever the data are? */
static bool goes_on(const flow *f, const ridge_opgraph_body *body)
{
    const ridge_opgraph_tensor *next = body->output_count ? tensor(f, body->outputs[0]) : NULL;
    return next && next->ints && next->content_count == 1 && next->ints[0];
}

static bool same_shape(const ridge_opgraph_tensor *a, const ridge_opgraph_tensor *b)
{
    return a && b && a->known && b->known && a->rank == b->rank && (!a->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* what a turn's tensor holds is another turn's no more */
static void forget(ridge_opgraph_tensor *t)
{
    if (!t)
        return;
    t->ints = NULL;
    t->reals = NULL;
    t->content_count = 0;
}

/* what is written down turn by turn has the turns as its first dimension */
static ridge_status stack_turns(const flow *f, uint32_t output, const ridge_opgraph_tensor *one, int64_t turns, uint32_t axis)
{
    int64_t dims[RIDGE_OPGRAPH_RANK + 1];
    uint32_t k = 0;
    ridge_opgraph_step none = {.node = f->node};
    ridge_opgraph_tensor *out = tensor(f, output);
    ridge_opgraph_call call = {.run = f->run, .node = f->node, .out = &out, .out_count = 1, .step = &none};
    if (!out || !one)
        return RIDGE_OK;
    if (!one->known) {
        out->why = one->why;
        return RIDGE_OK;
    }
    axis = axis > one->rank ? 0 : axis;
    for (uint32_t i = 0; i <= one->rank; i++)
        dims[i] = i == axis ? turns : one->dims[k++];
    return ridge_opgraph_set(&call, 0, one->format, dims, one->rank + 1);
}

static ridge_status run_loop(const flow *f)
{
    const ridge_opgraph_body *body = body_of(f, "body");
    const ridge_opgraph_tensor *most = input(f, 0), *condition = input(f, 1);
    const uint32_t carried = f->node->input_count > 2 ? f->node->input_count - 2 : 0;
    if (!body)
        return no_body(f);
    if (!most || !most->ints || most->content_count != 1 || (condition && (!condition->ints || condition->content_count != 1)))
        return unknown_step(f, "the turns of the loop depend on data");
    const int64_t turns = condition && !condition->ints[0] ? 0 : most->ints[0] > 0 ? most->ints[0] : 0;
    const size_t first = f->run->step_count;
    if (condition && body->input_count > 1) /* true in every turn that runs */
        become(f, body->inputs[1], condition);
    for (uint32_t i = 0; i < carried && i + 2 < body->input_count; i++) {
        become(f, body->inputs[i + 2], input(f, i + 2));
        forget(tensor(f, body->inputs[i + 2]));
    }
    ridge_status st = ridge_opgraph_run_body(f->run, body, turns);
    if (st)
        return st;
    bool steady = goes_on(f, body);
    for (uint32_t i = 0; i < carried && i + 1 < body->output_count; i++)
        steady = steady && same_shape(tensor(f, body->outputs[i + 1]), input(f, i + 2));
    if (turns > 1 && !steady) {
        f->run->step_count = first;
        return unknown_step(f, "the loop ends, or its tensors grow, as the data want");
    }
    for (uint32_t i = 0; i < carried && i < f->node->output_count; i++)
        become(f, f->node->outputs[i], turns ? tensor(f, body->outputs[i + 1]) : input(f, i + 2));
    for (uint32_t i = carried; i < f->node->output_count && i + 1 < body->output_count && !st; i++)
        st = stack_turns(f, f->node->outputs[i], tensor(f, body->outputs[i + 1]), turns, 0);
    return st;
}

static int64_t axis_of(const flow *f, const char *name, uint32_t i)
{
    const ridge_opgraph_argument *a = ridge_opgraph_argument_of(f->node, name);
    return a && a->kind == RIDGE_OPGRAPH_ARG_INTS && i < a->count ? a->u.ints[i] : 0;
}

/* a slice along `axis` goes into each turn */
static ridge_status slice_turn(const flow *f, uint32_t to, const ridge_opgraph_tensor *whole, uint32_t axis)
{
    int64_t dims[RIDGE_OPGRAPH_RANK];
    uint32_t k = 0;
    ridge_opgraph_step none = {.node = f->node};
    ridge_opgraph_tensor *out = tensor(f, to);
    ridge_opgraph_call call = {.run = f->run, .node = f->node, .out = &out, .out_count = 1, .step = &none};
    for (uint32_t i = 0; i < whole->rank; i++)
        if (i != axis)
            dims[k++] = whole->dims[i];
    return ridge_opgraph_set(&call, 0, whole->format, dims, k);
}

/* Scan since version 9; before, its inputs had a batch dimension in front, and no exporter wrote it. */
static ridge_status run_scan(const flow *f)
{
    const ridge_opgraph_body *body = body_of(f, "body");
    const int64_t scanned = ridge_opgraph_whole(f->node, "num_scan_inputs", -1);
    if (!body)
        return no_body(f);
    if (f->node->opset < 9 || scanned < 1 || scanned > f->node->input_count || body->input_count < f->node->input_count)
        return unknown_step(f, "a Scan of the form before version 9");
    const uint32_t states = f->node->input_count - (uint32_t)scanned;
    int64_t turns = -1;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < states; i++) {
        become(f, body->inputs[i], input(f, i));
        forget(tensor(f, body->inputs[i]));
    }
    for (uint32_t i = states; i < f->node->input_count && !st; i++) {
        const ridge_opgraph_tensor *whole = input(f, i);
        uint32_t axis;
        if (!whole || !whole->known || !ridge_opgraph_axis(&axis, axis_of(f, "scan_input_axes", i - states), whole->rank))
            return unknown_step(f, "what is scanned is not known");
        turns = whole->dims[axis];
        st = slice_turn(f, body->inputs[i], whole, axis);
    }
    const size_t first = f->run->step_count;
    if (st || (st = ridge_opgraph_run_body(f->run, body, turns)))
        return st;
    for (uint32_t i = 0; i < states && i < body->output_count; i++)
        if (turns > 1 && !same_shape(tensor(f, body->outputs[i]), input(f, i))) {
            f->run->step_count = first;
            return unknown_step(f, "its states grow, or are not known, turn by turn");
        }
    for (uint32_t i = 0; i < states && i < f->node->output_count && i < body->output_count; i++)
        become(f, f->node->outputs[i], tensor(f, body->outputs[i]));
    for (uint32_t i = states; i < f->node->output_count && i < body->output_count && !st; i++)
        st = stack_turns(f, f->node->outputs[i], tensor(f, body->outputs[i]), turns, (uint32_t)axis_of(f, "scan_output_axes", i - states));
    return st;
}

/* ---- torch.export ---- */

static void give_operands(const flow *f, const ridge_opgraph_body *body)
{
    const ridge_opgraph_argument *list = NULL;
    for (uint32_t i = 0; i < f->node->argument_count; i++)
        if (f->node->arguments[i].kind == RIDGE_OPGRAPH_ARG_VALUES)
            list = &f->node->arguments[i]; /* the last: cond(pred, yes, no, operands) */
    for (uint32_t i = 0; i < body->input_count; i++) {
        const uint32_t from = list                       ? (i < list->count ? list->u.values[i] : RIDGE_OPGRAPH_NONE)
                              : i < f->node->input_count ? f->node->inputs[i]
                                                         : RIDGE_OPGRAPH_NONE;
        if (from != body->inputs[i])
            become(f, body->inputs[i], tensor(f, from));
    }
}

/* the body that is run once, whatever is around it: gradients off, autocast, a nested graph */
static ridge_status run_wrapped(const flow *f, const ridge_opgraph_body *body)
{
    give_operands(f, body);
    ridge_status st = ridge_opgraph_run_body(f->run, body, 1);
    if (st)
        return st;
    take_results(f, body, 0, body->output_count);
    return RIDGE_OK;
}

static ridge_status run_higher(const flow *f)
{
    const ridge_opgraph_body *only = NULL;
    size_t bodies = 0;
    for (uint32_t i = 0; i < f->node->argument_count; i++)
        if (f->node->arguments[i].kind == RIDGE_OPGRAPH_ARG_BODY) {
            only = &f->run->graph->bodies[f->node->arguments[i].u.body];
            bodies++;
        }
    const bool wraps = ridge_str_starts(f->node->op, RIDGE_STR("higher_order.wrap")) ||
                       ridge_str_is(f->node->op, "higher_order.invoke_subgraph") || ridge_str_is(f->node->op, "higher_order.strict_mode");
    if (wraps && bodies == 1)
        return run_wrapped(f, only);
    return unknown_step(f, ridge_str_is(f->node->op, "higher_order.cond") ? "which branch runs depends on data"
                                                                          : "how often it runs depends on data");
}

/* work on numbers that are sizes, and checks of them: the host's, not the device's */
static bool is_on_sizes(ridge_str op)
{
    static const char *const begins[] = {"_operator.", "operator.", "math.", "torch.sym_", "aten.sym_", "aten._assert", "sym_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ridge_str_starts(op, ridge_str_of(begins[i])))
            return true;
    return false;
}

static ridge_status say_results(const flow *f)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < f->node->output_count && !st; i++)
        if (f->node->outputs[i] != RIDGE_OPGRAPH_NONE)
            st = ridge_opgraph_shape_said(f->run, tensor(f, f->node->outputs[i]));
    return st;
}

ridge_status ridge_opgraph_flow(bool *done, ridge_opgraph_run *run, const ridge_opgraph_node *node)
{
    const flow f = {run, node};
    *done = true;
    const bool onnx = ridge_opgraph_is_onnx(run);
    if (onnx && ridge_str_is(node->op, "If"))
        return run_if(&f);
    if (onnx && ridge_str_is(node->op, "Loop"))
        return run_loop(&f);
    if (onnx && ridge_str_is(node->op, "Scan"))
        return run_scan(&f);
    if (!onnx && ridge_str_starts(node->op, RIDGE_STR("higher_order.")))
        return run_higher(&f);
    if (!onnx && is_on_sizes(node->op))
        return say_results(&f);
    *done = false;
    return RIDGE_OK;
}
