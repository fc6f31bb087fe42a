#include "learn/python/machine.h"
#include "learn/python/question.h"

/* ---- names ---- */

ridge_py *ridge_py_lookup(const ridge_symbol *name, ridge_py_interp *in)
{
    const ridge_py_frame *f = in->frame;
    ridge_py *v = f->scope ? ridge_py_scope_find(f->scope, name) : NULL;
    const ridge_py_cell *cell = f->cell && f->scope == &f->cell->scope ? f->cell->outer : f->cell;
    for (; !v && cell; cell = cell->outer)
        v = ridge_py_scope_find(&cell->scope, name);
    if (!v && f->module)
        v = ridge_py_scope_find(&f->module->globals, name);
    return v ? v : ridge_py_scope_find(&in->builtins, name);
}

static ridge_status eval_name(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    const ridge_py *v = ridge_py_lookup(node->name, in);
    if (v) {
        *out = *v;
        return RIDGE_OK;
    }
    ridge_py_module *module = in->frame->module;
    if (module && module->attribute) {
        ridge_status st = module->attribute(out, module, node->name, in);
        if (st || out->type != RIDGE_PY_T_UNSET)
            return st;
    }
    if (module && (node->name == RIDGE_PY_S(in, NAME) || node->name == RIDGE_PY_S(in, FILE) || node->name == RIDGE_PY_S(in, DOC) ||
                   node->name == RIDGE_PY_S(in, PACKAGE) || node->name == RIDGE_PY_S(in, PATH) || node->name == RIDGE_PY_S(in, SPEC)))
        return ridge_py_get(out, (ridge_py){.type = RIDGE_PY_T_MODULE, .u.module = module}, node->name, in);
    return ridge_py_raise(in, "NameError", "name '%s' is not defined", node->name->text);
}

typedef struct ridge_py_declared {
    const struct ridge_py_declared *next;
    const ridge_symbol *name;
    bool global;
} declared;

static ridge_status bind_nonlocal(const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py_frame *f = in->frame;
    for (ridge_py_cell *cell = f->home ? f->home->outer : f->cell; cell; cell = cell->outer) {
        ridge_py *there = ridge_py_scope_find(&cell->scope, name);
        if (there) {
            *there = value;
            return RIDGE_OK;
        }
    }
    return ridge_py_scope_set(f->scope, name, value, in);
}

ridge_status ridge_py_bind_name(const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py_frame *f = in->frame;
    for (const declared *d = f->declared; d; d = d->next)
        if (d->name == name)
            return d->global ? ridge_py_scope_set(&f->module->globals, name, value, in) : bind_nonlocal(name, value, in);
    return ridge_py_scope_set(f->scope, name, value, in);
}

/* ---- literals ---- */

static ridge_py_literal *literal_slot(struct ridge_py_machine *m, const ridge_py_node *node)
{
    uint32_t at = (uint32_t)(((uintptr_t)node >> 4) * 2654435769u) & (m->literal_cap - 1);
    while (m->literals[at].node && m->literals[at].node != node)
        at = (at + 1) & (m->literal_cap - 1);
    return &m->literals[at];
}

static ridge_status keep_literal(const ridge_py_node *node, ridge_py value, ridge_py_interp *in)
{
    struct ridge_py_machine *m = in->machine;
    if (m->literal_count * 2 >= m->literal_cap) {
        ridge_py_literal *old = m->literals;
        uint32_t old_cap = m->literal_cap, cap = old_cap ? old_cap * 2 : 1024;
        ridge_py_literal *more = ridge_arena_array(in->arena, cap, sizeof *more);
        if (!more)
            return ridge_no_memory(in->err);
        m->literals = more;
        m->literal_cap = cap;
        for (uint32_t i = 0; i < old_cap; i++)
            if (old[i].node)
                *literal_slot(m, old[i].node) = old[i];
    }
    *literal_slot(m, node) = (ridge_py_literal){node, value};
    m->literal_count++;
    return RIDGE_OK;
}

static ridge_status eval_literal(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    if (in->machine->literal_cap) {
        const ridge_py_literal *known = literal_slot(in->machine, node);
        if (known->node) {
            *out = known->value;
            return RIDGE_OK;
        }
    }
    ridge_status st = RIDGE_OK;
    if (node->kind == RIDGE_PY_STRING)
        st = ridge_py_str(out, node->text, in);
    else if (node->kind == RIDGE_PY_INTEGER)
        st = ridge_py_read_int(out, node->text, in);
    else
        st = ridge_py_read_float(out, node->text, in);
    return st ? st : keep_literal(node, *out, in);
}

static ridge_status eval_constant(ridge_py *out, const ridge_py_node *node)
{
    switch (node->op) {
    case RIDGE_PY_NONE_WORD:
        *out = ridge_py_none();
        break;
    case RIDGE_PY_ELLIPSIS_WORD:
        *out = (ridge_py){.type = RIDGE_PY_T_ELLIPSIS};
        break;
    default:
        *out = ridge_py_bool(node->op == RIDGE_PY_TRUE_WORD);
    }
    return RIDGE_OK;
}

static ridge_status add_formatted(ridge_buf *buf, const ridge_py_node *node, ridge_py_interp *in);

static ridge_status add_hole(ridge_buf *buf, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v;
    ridge_buf spec = {0};
    ridge_status st = ridge_py_eval(&v, node->a, in);
    if (!st && (node->op == 'r' || node->op == 's' || node->op == 'a'))
        st = ridge_py_to_str(&v, v, node->op != 's', in);
    if (!st && node->b)
        st = add_formatted(&spec, node->b, in);
    if (!st)
        st = ridge_py_format(buf, v, (ridge_str){spec.p ? spec.p : "", spec.n}, in);
    ridge_buf_free(&spec);
    return st;
}

static ridge_status add_formatted(ridge_buf *buf, const ridge_py_node *node, ridge_py_interp *in)
{
    if (node->kind == RIDGE_PY_STRING) {
        ridge_buf_add(buf, node->text);
        return RIDGE_OK;
    }
    ridge_status st = RIDGE_OK;
    if (node->kind == RIDGE_PY_HOLE)
        st = add_hole(buf, node, in);
    else
        for (uint32_t i = 0; i < node->count && !st; i++)
            st = add_formatted(buf, node->items[i], in);
    return st;
}

static ridge_status eval_formatted(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    ridge_status st = add_formatted(&buf, node, in);
    if (!st && buf.failed)
        st = ridge_no_memory(in->err);
    if (!st)
        st = ridge_py_str(out, (ridge_str){buf.p ? buf.p : "", buf.n}, in);
    ridge_buf_free(&buf);
    return st;
}

/* ---- displays ---- */

ridge_status ridge_py_eval_items(ridge_py_list *list, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < node->count && !st; i++) {
        const ridge_py_node *item = node->items[i];
        ridge_py v, more;
        st = ridge_py_eval(&v, item->kind == RIDGE_PY_STAR ? item->a : item, in);
        if (!st && item->kind == RIDGE_PY_STAR) {
            st = ridge_py_collect(&more, RIDGE_PY_T_LIST, v, in);
            for (size_t j = 0; !st && more.type == RIDGE_PY_T_LIST && j < more.u.list->count; j++)
                st = ridge_py_append(list, more.u.list->items[j], in);
        } else if (!st) {
            st = ridge_py_append(list, v, in);
        }
    }
    return st;
}

static ridge_status eval_list(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_type type = node->kind == RIDGE_PY_TUPLE ? RIDGE_PY_T_TUPLE : RIDGE_PY_T_LIST;
    ridge_py made;
    ridge_status st = ridge_py_new_list(&made, type, node->count, in);
    if (!st)
        st = ridge_py_eval_items(made.u.list, node, in);
    *out = made;
    return st;
}

static ridge_status eval_set(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py items, set;
    ridge_status st = ridge_py_new_list(&items, RIDGE_PY_T_LIST, node->count, in);
    if (!st)
        st = ridge_py_eval_items(items.u.list, node, in);
    if (!st)
        st = ridge_py_new_dict(&set, RIDGE_PY_T_SET, in);
    if (st)
        return st;
    for (size_t i = 0; i < items.u.list->count && !st; i++)
        st = ridge_py_dict_set(set.u.dict, items.u.list->items[i], ridge_py_unset(), in);
    *out = set;
    return st;
}

static ridge_status merge(ridge_py_dict *into, ridge_py from, ridge_py_interp *in)
{
    ridge_py keys, key, value;
    bool done = false;
    if (ridge_py_base(from).type == RIDGE_PY_T_DICT) {
        const ridge_py_dict *d = ridge_py_base(from).u.dict;
        ridge_status st = RIDGE_OK;
        for (size_t i = 0; i < d->used && !st; i++)
            if (d->entries[i].key.type != RIDGE_PY_T_UNSET)
                st = ridge_py_dict_set(into, d->entries[i].key, d->entries[i].value, in);
        return st;
    }
    if (from.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    ridge_status st = ridge_py_call_method(&keys, from, "keys", NULL, 0, in);
    if (!st)
        st = ridge_py_iterate(&keys, keys, in);
    while (!st) {
        st = ridge_py_next(&key, &done, keys, in);
        if (st || done)
            break;
        st = ridge_py_get_item(&value, from, key, in);
        if (!st)
            st = ridge_py_dict_set(into, key, value, in);
    }
    return st;
}

static ridge_status eval_dict(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py dict, key, value;
    ridge_status st = ridge_py_new_dict(&dict, RIDGE_PY_T_DICT, in);
    for (uint32_t i = 0; i < node->count && !st; i++) {
        const ridge_py_node *item = node->items[i];
        st = ridge_py_eval(&key, item->a, in);
        if (!st && item->kind == RIDGE_PY_DOUBLE_STAR) {
            st = merge(dict.u.dict, key, in);
            continue;
        }
        if (!st)
            st = ridge_py_eval(&value, item->b, in);
        if (!st)
            st = ridge_py_dict_set(dict.u.dict, key, value, in);
    }
    *out = dict;
    return st;
}

/* ---- operators ---- */

/* *unknown: it depends on data, and *truth is false */
static ridge_status truth_of(bool *truth, bool *unknown, ridge_py v, ridge_py_interp *in)
{
    *unknown = false;
    if (v.type == RIDGE_PY_T_BOOL && !v.by.sym) {
        *truth = v.u.b;
        return RIDGE_OK;
    }
    ridge_py t;
    ridge_status st = ridge_py_truth_value(&t, v, in);
    if (!st && t.type == RIDGE_PY_T_UNKNOWN) {
        *truth = false;
        *unknown = true;
        return RIDGE_OK;
    }
    return st ? st : ridge_py_truth(truth, t, in);
}

ridge_status ridge_py_eval_truth(bool *out, bool *unknown, ridge_py *value, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_status st = ridge_py_eval(value, node, in);
    return st ? st : truth_of(out, unknown, *value, in);
}

/* What depends on data may not matter: `x and False` is false, `x or True` true. Only where reading the other side does nothing else. */
static ridge_status decided_by_other(bool *decided, ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py other;
    const ridge_py_node *b = node->b;
    while (b->kind == RIDGE_PY_ATTRIBUTE)
        b = b->a;
    *decided = false;
    if (b->kind != RIDGE_PY_NAME && b->kind != RIDGE_PY_CONSTANT)
        return RIDGE_OK;
    ridge_status st = ridge_py_eval(&other, node->b, in);
    *decided = !st && other.type == RIDGE_PY_T_BOOL && !other.by.sym && other.u.b == (node->op == RIDGE_PY_OP_OR);
    if (*decided)
        *out = other;
    return st;
}

static ridge_status eval_boolean(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    bool truth, unknown;
    ridge_status st = ridge_py_eval(out, node->a, in);
    if (!st)
        st = truth_of(&truth, &unknown, *out, in);
    if (st)
        return st;
    if (unknown) {
        bool decided;
        if ((st = decided_by_other(&decided, out, node, in)) || decided)
            return st;
        return out->type == RIDGE_PY_T_UNKNOWN ? RIDGE_OK : ridge_py_truth_value(out, *out, in);
    }
    return truth == (node->op == RIDGE_PY_OP_OR) ? RIDGE_OK : ridge_py_eval(out, node->b, in);
}

static ridge_status eval_unary(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v;
    ridge_status st = ridge_py_eval(&v, node->a, in);
    return st ? st : ridge_py_unary(out, (ridge_py_operator)node->op, v, in);
}

static ridge_status eval_binary(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py a, b;
    ridge_status st = ridge_py_eval(&a, node->a, in);
    if (!st)
        st = ridge_py_eval(&b, node->b, in);
    if (st)
        return st;
    in->frame->line = node->line;
    return ridge_py_operate(out, (ridge_py_operator)node->op, a, b, false, in);
}

/* a < b < c is a < b and b < c */
static ridge_status eval_comparison(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py left, right;
    ridge_status st = ridge_py_eval(&left, node->a, in);
    for (uint32_t i = 0; i < node->count && !st; i++) {
        bool truth = true, unknown = false;
        st = ridge_py_eval(&right, node->items[i]->a, in);
        if (!st)
            st = ridge_py_operate(out, (ridge_py_operator)node->items[i]->op, left, right, false, in);
        if (!st && i + 1 < node->count)
            st = truth_of(&truth, &unknown, *out, in);
        if (st || !truth)
            return st;
        left = right;
    }
    return st;
}

static bool is_plain(ridge_py v)
{
    return v.type == RIDGE_PY_T_NONE || ridge_py_is_number(v) || v.type == RIDGE_PY_T_STR;
}

/* a if UNKNOWN else b: known where both are the same plain value */
static ridge_status eval_undecided(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    const char *what = ridge_py_source(node->a, in);
    ridge_py a = ridge_py_unset(), b = ridge_py_unset();
    bool same = false;
    if (node->b->kind == RIDGE_PY_CONSTANT || node->b->kind == RIDGE_PY_NAME || node->b->kind == RIDGE_PY_INTEGER) {
        ridge_status st = ridge_py_eval(&a, node->b, in);
        if (!st && (node->c->kind == RIDGE_PY_CONSTANT || node->c->kind == RIDGE_PY_NAME || node->c->kind == RIDGE_PY_INTEGER))
            st = ridge_py_eval(&b, node->c, in);
        if (!st && is_plain(a) && is_plain(b))
            st = ridge_py_equal(&same, a, b, in);
        if (st)
            return st;
    }
    if (same) {
        *out = a;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_ask_branch(&a, what, in);
    bool truth;
    if (st || a.type != RIDGE_PY_T_BOOL) {
        *out = a;
        return st ? st : ridge_py_skipped(a, in);
    }
    return (st = ridge_py_truth(&truth, a, in)) ? st : ridge_py_eval(out, truth ? node->b : node->c, in);
}

static ridge_status eval_conditional(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v;
    bool truth, unknown;
    ridge_status st = ridge_py_eval_truth(&truth, &unknown, &v, node->a, in);
    if (st)
        return st;
    if (unknown)
        return eval_undecided(out, node, in);
    return ridge_py_eval(out, truth ? node->b : node->c, in);
}

static ridge_status eval_slice(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    static const ridge_py_slice whole = {{.type = RIDGE_PY_T_NONE}, {.type = RIDGE_PY_T_NONE}, {.type = RIDGE_PY_T_NONE}};
    if (!node->a && !node->b && !node->c) {
        *out = (ridge_py){.type = RIDGE_PY_T_SLICE, .u.slice = &whole};
        return RIDGE_OK;
    }
    ridge_py_slice *s = ridge_arena_alloc(in->arena, sizeof *s);
    if (!s)
        return ridge_no_memory(in->err);
    s->start = s->stop = s->step = ridge_py_none();
    ridge_status st = node->a ? ridge_py_eval(&s->start, node->a, in) : RIDGE_OK;
    if (!st && node->b)
        st = ridge_py_eval(&s->stop, node->b, in);
    if (!st && node->c)
        st = ridge_py_eval(&s->step, node->c, in);
    *out = (ridge_py){.type = RIDGE_PY_T_SLICE, .u.slice = s};
    return st;
}

static ridge_status eval_subscript(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py object, index;
    ridge_status st = ridge_py_eval(&object, node->a, in);
    if (!st)
        st = ridge_py_eval(&index, node->b, in);
    if (st)
        return st;
    in->frame->line = node->line;
    return ridge_py_get_item(out, object, index, in);
}

static ridge_status eval_attribute(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py object;
    ridge_status st = ridge_py_eval(&object, node->a, in);
    if (st)
        return st;
    in->frame->line = node->line;
    return ridge_py_get(out, object, node->name, in);
}

/* n := value binds in the function, also out of a comprehension */
static ridge_status eval_walrus(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_status st = ridge_py_eval(out, node->a, in);
    if (st)
        return st;
    ridge_py_frame *f = in->frame;
    ridge_py_scope *inner = f->scope;
    if (f->home && f->cell != f->home && f->scope == &f->cell->scope)
        f->scope = &f->home->scope;
    else if (!f->home && f->cell && f->scope == &f->cell->scope && f->module)
        f->scope = &f->module->globals;
    st = ridge_py_bind_name(node->name, *out, in);
    f->scope = inner;
    return st;
}

static ridge_status eval_compound(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    switch (node->kind) {
    case RIDGE_PY_FORMATTED:
        return eval_formatted(out, node, in);
    case RIDGE_PY_SET:
        return eval_set(out, node, in);
    case RIDGE_PY_DICT:
        return eval_dict(out, node, in);
    case RIDGE_PY_CONDITIONAL:
        return eval_conditional(out, node, in);
    case RIDGE_PY_SLICE:
        return eval_slice(out, node, in);
    case RIDGE_PY_LAMBDA:
        return ridge_py_make_function(out, node, in);
    case RIDGE_PY_COMPREHENSION:
        return ridge_py_eval_comprehension(out, node, in);
    case RIDGE_PY_WALRUS:
        return eval_walrus(out, node, in);
    case RIDGE_PY_YIELD:
    case RIDGE_PY_YIELD_FROM:
        return ridge_py_eval_yield(out, node, in);
    case RIDGE_PY_AWAIT:
        return ridge_py_eval(out, node->a, in);
    default:
        return ridge_fail(in->err, RIDGE_SYNTAX, "%s where a value is wanted", ridge_py_kind_name((ridge_py_kind)node->kind));
    }
}

ridge_status ridge_py_eval(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_status st = ridge_py_step(in);
    if (st)
        return st;
    switch (node->kind) {
    case RIDGE_PY_NAME:
        return eval_name(out, node, in);
    case RIDGE_PY_INTEGER:
    case RIDGE_PY_REAL:
    case RIDGE_PY_STRING:
        return eval_literal(out, node, in);
    case RIDGE_PY_CONSTANT:
        return eval_constant(out, node);
    case RIDGE_PY_TUPLE:
    case RIDGE_PY_LIST:
        return eval_list(out, node, in);
    case RIDGE_PY_UNARY:
        return eval_unary(out, node, in);
    case RIDGE_PY_BINARY:
        return eval_binary(out, node, in);
    case RIDGE_PY_BOOLEAN:
        return eval_boolean(out, node, in);
    case RIDGE_PY_COMPARISON:
        return eval_comparison(out, node, in);
    case RIDGE_PY_CALL:
        return ridge_py_eval_call(out, node, in);
    case RIDGE_PY_ATTRIBUTE:
        return eval_attribute(out, node, in);
    case RIDGE_PY_SUBSCRIPT:
        return eval_subscript(out, node, in);
    default:
        return eval_compound(out, node, in);
    }
}
