/* comprehensions, generator expressions and generators */
#include "learn/python/machine.h"
#include "learn/python/question.h"

/* ---- comprehensions: one state for all, moved on from element to element ---- */

typedef struct comprehension {
    const ridge_py_node *node;
    ridge_py_frame frame; /* of a generator expression, which runs when asked */
    ridge_py_cell *cell;
    ridge_py *iterators; /* [node->count], of the EACH */
    bool started, ended;
    ridge_py unknown; /* what it goes through depends on data */
} comprehension;

/* it ends here: what `node` is depends on data */
static ridge_status skip(comprehension *c, const char *kind, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_status st = ridge_py_unknown(&c->unknown, kind, ridge_py_source(node, in), NULL, NULL, in);
    return st ? st : ridge_py_skipped(c->unknown, in);
}

static ridge_status open_each(comprehension *c, uint32_t at, ridge_py_interp *in)
{
    ridge_py v;
    ridge_status st = ridge_py_eval(&v, c->node->items[at]->b, in);
    if (!st)
        st = ridge_py_iterate(&c->iterators[at], v, in);
    if (!st && c->iterators[at].type == RIDGE_PY_T_UNKNOWN)
        st = skip(c, "loop over data", c->node->items[at]->b, in);
    return st;
}

/* the EACH before `at` goes on; false: there is none */
static bool back(uint32_t *at, const ridge_py_node *node)
{
    while (*at > 0)
        if (node->items[--*at]->kind == RIDGE_PY_EACH)
            return true;
    return false;
}

static ridge_status passes(bool *out, comprehension *c, const ridge_py_node *filter, ridge_py_interp *in)
{
    ridge_py v;
    bool unknown;
    ridge_status st = ridge_py_eval_truth(out, &unknown, &v, filter->a, in);
    if (!st && unknown)
        st = skip(c, "branch on data", filter->a, in);
    return st;
}

/* binds the names of the next element; *found false: there is none */
static ridge_status advance(bool *found, comprehension *c, ridge_py_interp *in)
{
    uint32_t at = c->started ? c->node->count : 0;
    bool entering = !c->started;
    ridge_status st = RIDGE_OK;
    *found = false;
    if (c->ended)
        return RIDGE_OK;
    if (c->started && !back(&at, c->node))
        return RIDGE_OK;
    while (at < c->node->count) {
        const ridge_py_node *item = c->node->items[at];
        bool on = true;
        if (item->kind == RIDGE_PY_FILTER) {
            st = passes(&on, c, item, in);
        } else {
            ridge_py v;
            bool done = false;
            if (entering && at > 0)
                st = open_each(c, at, in);
            if (!st && c->unknown.type == RIDGE_PY_T_UNSET)
                st = ridge_py_next(&v, &done, c->iterators[at], in);
            on = !done;
            if (!st && on && c->unknown.type == RIDGE_PY_T_UNSET)
                st = ridge_py_assign(item->a, v, in);
        }
        if (st || c->unknown.type != RIDGE_PY_T_UNSET)
            return st;
        entering = on;
        if (on) {
            at++;
        } else if (!back(&at, c->node)) {
            c->ended = true;
            return RIDGE_OK;
        }
        c->started = true;
    }
    *found = true;
    return RIDGE_OK;
}

static ridge_status generate_next(ridge_py *out, bool *done, ridge_py_iterator *iterator, ridge_py_interp *in)
{
    comprehension *c = iterator->state;
    bool found;
    c->frame.caller = in->frame;
    c->frame.depth = in->frame ? in->frame->depth + 1 : 0;
    if (c->frame.depth >= in->limits.depth)
        return ridge_fail(in->err, RIDGE_LIMIT, "calls are nested deeper than %u", in->limits.depth);
    in->frame = &c->frame;
    ridge_status st = advance(&found, c, in);
    if (!st && found)
        st = ridge_py_eval(out, c->node->a, in);
    in->frame = c->frame.caller;
    *done = !found;
    return st;
}

static ridge_status new_generator_expression(ridge_py *out, comprehension *c, ridge_py_interp *in)
{
    ridge_py_iterator *it = ridge_arena_alloc(in->arena, sizeof *it);
    comprehension *kept = ridge_arena_alloc(in->arena, sizeof *kept);
    if (!it || !kept)
        return ridge_no_memory(in->err);
    *kept = *c;
    kept->frame = *in->frame;
    kept->frame.cell = kept->cell;
    kept->frame.scope = &kept->cell->scope;
    kept->frame.yielded = NULL;
    kept->frame.on_yield = NULL;
    for (ridge_py_cell *cell = kept->cell; cell && !cell->captured; cell = cell->outer)
        cell->captured = true;
    *it = (ridge_py_iterator){generate_next, kept};
    *out = (ridge_py){.type = RIDGE_PY_T_ITERATOR, .u.iterator = it};
    return RIDGE_OK;
}

static ridge_status add_element(ridge_py into, const ridge_py_node *element, ridge_py_interp *in)
{
    ridge_py key, value = ridge_py_unset();
    ridge_status st = ridge_py_eval(&key, into.type == RIDGE_PY_T_DICT ? element->a : element, in);
    if (!st && into.type == RIDGE_PY_T_DICT)
        st = ridge_py_eval(&value, element->b, in);
    if (st)
        return st;
    return into.type == RIDGE_PY_T_LIST ? ridge_py_append(into.u.list, key, in) : ridge_py_dict_set(into.u.dict, key, value, in);
}

static ridge_status collect(ridge_py *out, comprehension *c, ridge_py_interp *in)
{
    ridge_py_frame *frame = in->frame;
    ridge_py_cell *cell = frame->cell;
    ridge_py_scope *scope = frame->scope;
    bool found = true;
    ridge_status st = c->node->op == RIDGE_PY_OF_LIST
                          ? ridge_py_new_list(out, RIDGE_PY_T_LIST, 0, in)
                          : ridge_py_new_dict(out, c->node->op == RIDGE_PY_OF_SET ? RIDGE_PY_T_SET : RIDGE_PY_T_DICT, in);
    frame->cell = c->cell;
    frame->scope = &c->cell->scope;
    while (!st && found) {
        st = advance(&found, c, in);
        if (!st && found)
            st = add_element(*out, c->node->a, in);
    }
    frame->cell = cell;
    frame->scope = scope;
    if (!st && c->unknown.type != RIDGE_PY_T_UNSET)
        *out = c->unknown;
    ridge_py_free_cell(c->cell, in);
    return st;
}

ridge_status ridge_py_eval_comprehension(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    comprehension c = {.node = node, .unknown = ridge_py_unset()};
    c.iterators = ridge_arena_array(in->arena, node->count, sizeof *c.iterators);
    if (!c.iterators)
        return ridge_no_memory(in->err);
    ridge_status st = open_each(&c, 0, in);
    if (!st && c.unknown.type != RIDGE_PY_T_UNSET) {
        *out = c.unknown;
        return RIDGE_OK;
    }
    if (!st)
        st = ridge_py_new_cell(&c.cell, in->frame->cell, in);
    if (st)
        return st;
    return node->op == RIDGE_PY_OF_GENERATOR ? new_generator_expression(out, &c, in) : collect(out, &c, in);
}

/* ---- generators ---- */

enum { MOST_VALUES = 100000 };

typedef struct generator {
    ridge_py_frame frame;
    ridge_py_list list;
    size_t at;
    bool started, cut;
    ridge_py raised; /* after the last value */
    const ridge_py_on_yield *on_yield;
} generator;

static ridge_status run_body(generator *g, ridge_py_interp *in)
{
    ridge_py_flow flow;
    g->started = true;
    g->frame.caller = in->frame;
    g->frame.depth = in->frame ? in->frame->depth + 1 : 0;
    g->frame.yielded = &g->list;
    if (g->frame.depth >= in->limits.depth)
        return ridge_fail(in->err, RIDGE_LIMIT, "calls are nested deeper than %u", in->limits.depth);
    in->frame = &g->frame;
    g->frame.result = ridge_py_none();
    ridge_status st = ridge_py_run_block(&flow, g->frame.function->node->b, in);
    in->frame = g->frame.caller;
    return st;
}

/* It runs to its end when its first value is asked for; what it raises comes after its last value. */
static ridge_status generator_next(ridge_py *out, bool *done, ridge_py_iterator *iterator, ridge_py_interp *in)
{
    generator *g = iterator->state;
    if (!g->started) {
        ridge_status st = run_body(g, in);
        if (st && st != RIDGE_PY_RAISED)
            return st;
        if (st) {
            g->raised = in->raised;
            g->cut = g->list.count >= MOST_VALUES;
            in->raised = ridge_py_unset();
        }
    }
    *done = g->at == g->list.count;
    if (!*done) {
        *out = g->list.items[g->at++];
        return RIDGE_OK;
    }
    if (g->cut)
        return ridge_fail(in->err, RIDGE_LIMIT, "%s() yields more than %d values", g->frame.function->name->text, MOST_VALUES);
    if (g->raised.type == RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    in->raised = g->raised;
    g->raised = ridge_py_unset();
    return RIDGE_PY_RAISED;
}

ridge_status ridge_py_new_generator(ridge_py *out, const ridge_py_frame *frame, ridge_py_interp *in)
{
    ridge_py_iterator *it = ridge_arena_alloc(in->arena, sizeof *it);
    generator *g = ridge_arena_alloc(in->arena, sizeof *g);
    if (!it || !g)
        return ridge_no_memory(in->err);
    g->frame = *frame;
    g->raised = ridge_py_unset();
    *it = (ridge_py_iterator){generator_next, g};
    *out = (ridge_py){.type = RIDGE_PY_T_ITERATOR, .u.iterator = it};
    return RIDGE_OK;
}

bool ridge_py_is_fresh_generator(ridge_py v)
{
    return v.type == RIDGE_PY_T_ITERATOR && v.u.iterator->next == generator_next && !((const generator *)v.u.iterator->state)->started;
}

ridge_status ridge_py_run_generator(ridge_py v, const ridge_py_on_yield *on_yield, ridge_py_interp *in)
{
    generator *g = v.u.iterator->state;
    g->frame.on_yield = on_yield;
    ridge_status st = run_body(g, in);
    g->frame.on_yield = NULL;
    return st;
}

static ridge_status yield_one(ridge_py value, ridge_py_interp *in)
{
    ridge_py_frame *f = in->frame;
    if (f->on_yield)
        return f->on_yield->run(f->on_yield->state, value, in);
    if (!f->yielded)
        return ridge_fail(in->err, RIDGE_SYNTAX, "'yield' outside function");
    if (f->yielded->count >= MOST_VALUES)
        return ridge_py_raise(in, "GeneratorExit", "it yields without end");
    return ridge_py_append(f->yielded, value, in);
}

ridge_status ridge_py_eval_yield(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v = ridge_py_none(), it;
    bool done = false;
    ridge_status st = node->a ? ridge_py_eval(&v, node->a, in) : RIDGE_OK;
    *out = ridge_py_none();
    if (st || node->kind == RIDGE_PY_YIELD)
        return st ? st : yield_one(v, in);
    st = ridge_py_iterate(&it, v, in);
    if (!st && it.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    while (!st) {
        st = ridge_py_next(&v, &done, it, in);
        if (st || done)
            break;
        st = yield_one(v, in);
    }
    return st;
}
