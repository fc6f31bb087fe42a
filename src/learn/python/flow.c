/* loops, try and with */
#include "learn/python/machine.h"
#include "learn/python/question.h"

/* ---- loops ---- */

/* true where the loop ends; a flow of its own goes on outside */
static bool ends(ridge_py_flow *flow)
{
    bool end = *flow == RIDGE_PY_BREAK_LOOP || *flow == RIDGE_PY_RETURNED;
    if (*flow != RIDGE_PY_RETURNED && !end)
        *flow = RIDGE_PY_NEXT;
    return end;
}

static ridge_status after_loop(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    if (*flow == RIDGE_PY_NEXT && node->d)
        return ridge_py_run_block(flow, node->d, in);
    if (*flow == RIDGE_PY_BREAK_LOOP)
        *flow = RIDGE_PY_NEXT;
    return RIDGE_OK;
}

/* one round of a for (`item`: what its name is) or a while (NULL); *end: it was the last */
static ridge_status run_round(bool *end, ridge_py_flow *flow, const ridge_py_node *node, const ridge_py *item, ridge_py_interp *in)
{
    ridge_status st = item ? ridge_py_assign(node->a, *item, in) : RIDGE_OK;
    if (!st)
        st = ridge_py_run_block(flow, node->c, in);
    *end = st || ends(flow);
    return st;
}

/* as often as an answer says; what it goes through is `item` */
static ridge_status run_answered(ridge_py_flow *flow, const ridge_py_node *node, ridge_py item, ridge_py times, ridge_py_interp *in)
{
    int64_t count;
    bool end = false;
    ridge_status st = ridge_py_concrete(&count, times, in);
    *flow = RIDGE_PY_NEXT;
    for (int64_t i = 0; i < count && !st && !end; i++) {
        in->frame->line = node->line;
        if (!(st = ridge_py_step(in)))
            st = run_round(&end, flow, node, node->kind == RIDGE_PY_FOR ? &item : NULL, in);
    }
    return st ? st : after_loop(flow, node, in);
}

/* how often it runs depends on data: nobody knows, then it does not run, and what it would have bound is unknown */
static ridge_status undecided_loop(ridge_py_flow *flow, const ridge_py_node *node, const ridge_py_node *what, ridge_py item,
                                   ridge_py_interp *in)
{
    ridge_py times;
    const ridge_question question = {.wants = RIDGE_WANTS_NUMBER};
    ridge_status st = ridge_py_unknown_asked(&times, "loop over data", ridge_py_source(what, in), "say how often it runs", &question, in);
    if (!st && times.type == RIDGE_PY_T_INT)
        return run_answered(flow, node, item, times, in);
    if (!st)
        st = ridge_py_skipped(times, in);
    return st ? st : ridge_py_assign_unknown(node, times, in);
}

ridge_status ridge_py_run_for(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py iterable, it, item;
    bool done = false;
    ridge_status st = ridge_py_eval(&iterable, node->b, in);
    if (!st && iterable.type == RIDGE_PY_T_UNKNOWN)
        return undecided_loop(flow, node, node->b, iterable, in);
    if (!st)
        st = ridge_py_iterate(&it, iterable, in);
    if (!st && it.type == RIDGE_PY_T_UNKNOWN)
        return undecided_loop(flow, node, node->b, it, in);
    *flow = RIDGE_PY_NEXT;
    while (!st && !done) {
        in->frame->line = node->line;
        st = ridge_py_next(&item, &done, it, in);
        if (!st && !done)
            st = run_round(&done, flow, node, &item, in);
    }
    return st ? st : after_loop(flow, node, in);
}

ridge_status ridge_py_run_while(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    bool end = false;
    ridge_status st = RIDGE_OK;
    *flow = RIDGE_PY_NEXT;
    while (!st && !end) {
        ridge_py v;
        bool truth, unknown;
        in->frame->line = node->line;
        st = ridge_py_eval_truth(&truth, &unknown, &v, node->a, in);
        if (!st && unknown)
            return undecided_loop(flow, node, node->a, v, in);
        if (st || !truth)
            break;
        st = run_round(&end, flow, node, NULL, in);
    }
    return st ? st : after_loop(flow, node, in);
}

/* ---- try ---- */

static ridge_status handle(ridge_py_flow *flow, const ridge_py_node *clause, ridge_py_frame *frame, ridge_py_interp *in)
{
    ridge_py before = in->machine->handled, raised = in->raised;
    ridge_status st = RIDGE_OK;
    in->machine->handled = raised;
    in->raised = ridge_py_unset();
    if (clause->name)
        st = ridge_py_bind_name(clause->name, raised, in);
    if (!st)
        st = ridge_py_run_block(flow, clause->b, in);
    if (clause->name)
        ridge_py_scope_remove(frame->scope, clause->name);
    in->machine->handled = before;
    return st;
}

static ridge_status run_clauses(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_frame *frame, ridge_py_interp *in)
{
    for (uint32_t i = 0; i < node->count; i++) {
        const ridge_py_node *clause = node->items[i];
        ridge_py types, raised = in->raised;
        bool matches = true;
        ridge_status st = RIDGE_OK;
        if (clause->a) {
            in->raised = ridge_py_unset();
            st = ridge_py_eval(&types, clause->a, in);
            if (!st)
                st = ridge_py_matches(&matches, raised, types, in);
            if (st)
                return st;
            in->raised = raised;
        }
        if (matches)
            return handle(flow, clause, frame, in);
    }
    return RIDGE_PY_RAISED;
}

static ridge_status finish(ridge_status st, ridge_py_flow *flow, const ridge_py_node *block, ridge_py_interp *in)
{
    ridge_py raised = in->raised, result = in->frame->result;
    ridge_py_flow last = RIDGE_PY_NEXT;
    if (st && st != RIDGE_PY_RAISED)
        return st;
    in->raised = ridge_py_unset();
    ridge_status finally = ridge_py_run_block(&last, block, in);
    if (finally)
        return finally;
    if (last != RIDGE_PY_NEXT) { /* return in finally forgets the exception */
        *flow = last;
        return RIDGE_OK;
    }
    in->raised = raised;
    in->frame->result = result;
    return st;
}

ridge_status ridge_py_run_try(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_frame *frame = in->frame;
    ridge_py_cell *cell = frame->cell;
    ridge_py_scope *scope = frame->scope;
    ridge_status st = ridge_py_run_block(flow, node->a, in);
    in->frame = frame;
    frame->cell = cell;
    frame->scope = scope;
    if (st == RIDGE_PY_RAISED) {
        *flow = RIDGE_PY_NEXT;
        st = run_clauses(flow, node, frame, in);
    } else if (!st && *flow == RIDGE_PY_NEXT && node->c) {
        st = ridge_py_run_block(flow, node->c, in);
    }
    return node->d ? finish(st, flow, node->d, in) : st;
}

/* ---- with ---- */

typedef struct with_state {
    const ridge_py_node *node;
    uint32_t item;
    ridge_py_frame *frame;
    ridge_py_flow flow;
    bool entered;
} with_state;

static ridge_status run_items(ridge_py_flow *flow, const ridge_py_node *node, uint32_t item, ridge_py_interp *in);

/* The block of a `with` on a generator runs where the generator yields: what it raises is raised there, and its end comes after. */
static ridge_status at_yield(void *state, ridge_py value, ridge_py_interp *in)
{
    with_state *s = state;
    ridge_py_frame *generator = in->frame;
    if (s->entered)
        return ridge_py_raise(in, "RuntimeError", "generator didn't stop");
    s->entered = true;
    ridge_py_frame *caller = s->frame->caller;
    in->frame = s->frame;
    ridge_status st = s->node->items[s->item]->b ? ridge_py_assign(s->node->items[s->item]->b, value, in) : RIDGE_OK;
    if (!st)
        st = run_items(&s->flow, s->node, s->item + 1, in);
    s->frame->caller = caller;
    in->frame = generator;
    return st;
}

static ridge_status run_with_generator(ridge_py_flow *flow, const ridge_py_node *node, uint32_t item, ridge_py generator,
                                       ridge_py_interp *in)
{
    with_state state = {.node = node, .item = item, .frame = in->frame, .flow = RIDGE_PY_NEXT};
    ridge_py_on_yield on_yield = {at_yield, &state};
    ridge_status st = ridge_py_run_generator(generator, &on_yield, in);
    if (!st && !state.entered)
        return ridge_py_raise(in, "RuntimeError", "generator didn't yield");
    *flow = state.flow;
    return st;
}

/* the generator of what contextlib.contextmanager made, not run yet */
static bool is_generator_manager(ridge_py *generator, ridge_py manager, ridge_py_interp *in)
{
    if (manager.type != RIDGE_PY_T_INSTANCE)
        return false;
    const ridge_py *v = ridge_py_scope_find(&manager.u.instance->attributes, RIDGE_PY_S(in, GEN));
    if (!v || !ridge_py_is_fresh_generator(*v))
        return false;
    *generator = *v;
    return true;
}

static ridge_status leave(ridge_status st, ridge_py manager, ridge_py exit, ridge_py_interp *in)
{
    ridge_py args[3] = {ridge_py_none(), ridge_py_none(), ridge_py_none()}, answer;
    ridge_py raised = in->raised, result = in->frame->result;
    bool suppress = false;
    (void)manager;
    if (st && st != RIDGE_PY_RAISED)
        return st;
    if (st) {
        args[0] = (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = ridge_py_class_of(raised, in)};
        args[1] = raised;
        in->raised = ridge_py_unset();
    }
    ridge_status left = ridge_py_call_value(&answer, exit, args, 3, NULL, 0, in);
    if (!left && st && answer.type != RIDGE_PY_T_UNKNOWN)
        left = ridge_py_truth(&suppress, answer, in);
    if (left)
        return left;
    in->frame->result = result;
    if (st && !suppress)
        in->raised = raised;
    return suppress ? RIDGE_OK : st;
}

static ridge_status run_item(ridge_py_flow *flow, const ridge_py_node *node, uint32_t item, ridge_py manager, ridge_py_interp *in)
{
    ridge_py enter, exit, value = manager;
    ridge_py_frame *frame = in->frame;
    const ridge_py_node *with = node->items[item];
    bool unknown = manager.type == RIDGE_PY_T_UNKNOWN;
    ridge_status st = unknown ? RIDGE_OK : ridge_py_get(&enter, manager, RIDGE_PY_S(in, ENTER), in);
    if (!st && !unknown)
        st = ridge_py_get(&exit, manager, RIDGE_PY_S(in, EXIT), in);
    if (!st && !unknown)
        st = ridge_py_call_value(&value, enter, NULL, 0, NULL, 0, in);
    if (st)
        return st;
    ridge_py_cell *cell = frame->cell;
    ridge_py_scope *scope = frame->scope;
    if (with->b)
        st = ridge_py_assign(with->b, value, in);
    if (!st)
        st = run_items(flow, node, item + 1, in);
    in->frame = frame;
    frame->cell = cell;
    frame->scope = scope;
    if (unknown)
        return st;
    ridge_status left = leave(st, manager, exit, in);
    if (st && !left)
        *flow = RIDGE_PY_NEXT;
    return left;
}

static ridge_status run_items(ridge_py_flow *flow, const ridge_py_node *node, uint32_t item, ridge_py_interp *in)
{
    ridge_py manager, generator;
    if (item == node->count)
        return ridge_py_run_block(flow, node->a, in);
    *flow = RIDGE_PY_NEXT;
    ridge_status st = ridge_py_eval(&manager, node->items[item]->a, in);
    if (st)
        return st;
    if (is_generator_manager(&generator, manager, in))
        return run_with_generator(flow, node, item, generator, in);
    return run_item(flow, node, item, manager, in);
}

ridge_status ridge_py_run_with(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    return run_items(flow, node, 0, in);
}
