#include "learn/python/machine.h"
#include "learn/python/question.h"

/* ---- targets ---- */

static ridge_status assign_each(const ridge_py_node *target, ridge_py value, ridge_py_interp *in)
{
    ridge_py items;
    uint32_t star = target->count;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < target->count; i++)
        if (target->items[i]->kind == RIDGE_PY_STAR)
            star = i;
    if (value.type == RIDGE_PY_T_UNKNOWN) {
        for (uint32_t i = 0; i < target->count && !st; i++)
            st = ridge_py_assign(i == star ? target->items[i]->a : target->items[i], value, in);
        return st;
    }
    st = ridge_py_collect(&items, RIDGE_PY_T_LIST, value, in);
    if (st)
        return st;
    if (items.type == RIDGE_PY_T_UNKNOWN)
        return assign_each(target, items, in);
    size_t have = items.u.list->count, want = star < target->count ? target->count - 1u : target->count;
    if (have < want)
        return ridge_py_raise(in, "ValueError", "not enough values to unpack (expected %s%zu, got %zu)",
                              star < target->count ? "at least " : "", want, have);
    if (have > want && star == target->count)
        return ridge_py_raise(in, "ValueError", "too many values to unpack (expected %zu)", want);
    size_t at = 0;
    for (uint32_t i = 0; i < target->count && !st; i++) {
        if (i != star) {
            st = ridge_py_assign(target->items[i], items.u.list->items[at++], in);
            continue;
        }
        ridge_py rest;
        st = ridge_py_new_list(&rest, RIDGE_PY_T_LIST, have - want, in);
        for (size_t j = 0; j < have - want && !st; j++)
            st = ridge_py_append(rest.u.list, items.u.list->items[at++], in);
        if (!st)
            st = ridge_py_assign(target->items[i]->a, rest, in);
    }
    return st;
}

/* x.__dict__[name] = value sets the attribute: __dict__ is a copy */
static bool is_dict_of(ridge_py *object, ridge_status *st, const ridge_py_node *target, ridge_py_interp *in)
{
    if (target->a->kind != RIDGE_PY_ATTRIBUTE || target->a->name != RIDGE_PY_S(in, DICT))
        return false;
    *st = ridge_py_eval(object, target->a->a, in);
    return true;
}

static ridge_status assign_item(const ridge_py_node *target, ridge_py value, ridge_py_interp *in)
{
    ridge_py object, index;
    const ridge_symbol *name;
    ridge_status st = RIDGE_OK;
    if (is_dict_of(&object, &st, target, in)) {
        if (!st)
            st = ridge_py_eval(&index, target->b, in);
        if (!st)
            st = ridge_py_symbol_of(&name, index, in);
        if (!st && object.type == RIDGE_PY_T_INSTANCE)
            return ridge_py_scope_set(&object.u.instance->attributes, name, value, in);
        return st ? st : ridge_py_set_plain(object, name, value, in);
    }
    st = ridge_py_eval(&object, target->a, in);
    if (!st)
        st = ridge_py_eval(&index, target->b, in);
    return st ? st : ridge_py_set_item(object, index, value, in);
}

ridge_status ridge_py_assign(const ridge_py_node *target, ridge_py value, ridge_py_interp *in)
{
    ridge_py object;
    ridge_status st = ridge_py_step(in);
    if (st)
        return st;
    switch (target->kind) {
    case RIDGE_PY_NAME:
        return ridge_py_bind_name(target->name, value, in);
    case RIDGE_PY_ATTRIBUTE:
        st = ridge_py_eval(&object, target->a, in);
        return st ? st : ridge_py_set(object, target->name, value, in);
    case RIDGE_PY_SUBSCRIPT:
        return assign_item(target, value, in);
    case RIDGE_PY_TUPLE:
    case RIDGE_PY_LIST:
        return assign_each(target, value, in);
    case RIDGE_PY_STAR:
        return ridge_py_assign(target->a, value, in);
    default:
        return ridge_fail(in->err, RIDGE_SYNTAX, "cannot assign to %s", ridge_py_kind_name((ridge_py_kind)target->kind));
    }
}

static ridge_status run_assign(const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py value;
    ridge_status st = ridge_py_eval(&value, node->a, in);
    for (uint32_t i = 0; i < node->count && !st; i++)
        st = ridge_py_assign(node->items[i], value, in);
    return st;
}

static ridge_status run_augment(const ridge_py_node *node, ridge_py_interp *in)
{
    const ridge_py_node *target = node->a;
    ridge_py object = ridge_py_unset(), index = ridge_py_unset(), left, right;
    ridge_status st = RIDGE_OK;
    if (target->kind == RIDGE_PY_ATTRIBUTE || target->kind == RIDGE_PY_SUBSCRIPT)
        st = ridge_py_eval(&object, target->a, in);
    if (!st && target->kind == RIDGE_PY_SUBSCRIPT)
        st = ridge_py_eval(&index, target->b, in);
    if (st)
        return st;
    if (target->kind == RIDGE_PY_ATTRIBUTE)
        st = ridge_py_get(&left, object, target->name, in);
    else if (target->kind == RIDGE_PY_SUBSCRIPT)
        st = ridge_py_get_item(&left, object, index, in);
    else
        st = ridge_py_eval(&left, target, in);
    if (!st)
        st = ridge_py_eval(&right, node->b, in);
    if (!st)
        st = ridge_py_operate(&left, (ridge_py_operator)node->op, left, right, true, in);
    if (st)
        return st;
    if (target->kind == RIDGE_PY_ATTRIBUTE)
        return ridge_py_set(object, target->name, left, in);
    if (target->kind == RIDGE_PY_SUBSCRIPT)
        return ridge_py_set_item(object, index, left, in);
    return ridge_py_assign(target, left, in);
}

/* ---- annotations: of classes only, in order, for dataclasses ---- */

static ridge_status annotation_value(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_err *err = in->err, ignored = {0};
    const ridge_py_node *inner = node->kind == RIDGE_PY_SUBSCRIPT ? node->a : node;
    bool cheap = inner->kind == RIDGE_PY_NAME || inner->kind == RIDGE_PY_ATTRIBUTE || inner->kind == RIDGE_PY_STRING ||
                 inner->kind == RIDGE_PY_CONSTANT;
    ridge_status st = RIDGE_CHECK;
    in->err = &ignored;
    if (cheap)
        st = ridge_py_eval(out, inner, in);
    in->err = err;
    if (st == RIDGE_NOMEM || st == RIDGE_LIMIT)
        return ridge_fail(err, st, "%s", ignored.msg);
    if (!st)
        return st;
    in->raised = ridge_py_unset();
    return ridge_py_strz(out, ridge_py_source(node, in), in);
}

static ridge_status run_annotate(const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py value;
    ridge_py_frame *f = in->frame;
    ridge_status st = RIDGE_OK;
    bool in_class = !f->home && f->module && f->scope != &f->module->globals;
    if (node->c) {
        st = ridge_py_eval(&value, node->c, in);
        if (!st)
            st = ridge_py_assign(node->a, value, in);
    }
    if (st || !in_class || node->a->kind != RIDGE_PY_NAME)
        return st;
    ridge_py *annotations = ridge_py_scope_find(f->scope, RIDGE_PY_S(in, ANNOTATIONS));
    if (!annotations) {
        ridge_py made;
        st = ridge_py_new_dict(&made, RIDGE_PY_T_DICT, in);
        if (!st)
            st = ridge_py_scope_set(f->scope, RIDGE_PY_S(in, ANNOTATIONS), made, in);
        annotations = ridge_py_scope_find(f->scope, RIDGE_PY_S(in, ANNOTATIONS));
    }
    if (!st && node->b)
        st = annotation_value(&value, node->b, in);
    return st || !node->b ? st : ridge_py_dict_setz(annotations->u.dict, node->a->name->text, value, in);
}

/* ---- small statements ---- */

static ridge_status run_return(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v = ridge_py_none();
    ridge_status st = node->a ? ridge_py_eval(&v, node->a, in) : RIDGE_OK;
    in->frame->result = v;
    *flow = RIDGE_PY_RETURNED;
    return st;
}

static ridge_status delete_one(const ridge_py_node *target, ridge_py_interp *in)
{
    ridge_py object, index;
    const ridge_symbol *name;
    ridge_status st = RIDGE_OK;
    switch (target->kind) {
    case RIDGE_PY_NAME:
        if (!ridge_py_scope_remove(in->frame->scope, target->name) &&
            !(in->frame->module && in->frame->declared && ridge_py_scope_remove(&in->frame->module->globals, target->name)))
            return ridge_py_raise(in, "NameError", "name '%s' is not defined", target->name->text);
        return RIDGE_OK;
    case RIDGE_PY_ATTRIBUTE:
        st = ridge_py_eval(&object, target->a, in);
        return st ? st : ridge_py_delete(object, target->name, in);
    case RIDGE_PY_SUBSCRIPT:
        if (is_dict_of(&object, &st, target, in)) {
            if (!st)
                st = ridge_py_eval(&index, target->b, in);
            if (!st)
                st = ridge_py_symbol_of(&name, index, in);
            return st ? st : ridge_py_delete(object, name, in);
        }
        st = ridge_py_eval(&object, target->a, in);
        if (!st)
            st = ridge_py_eval(&index, target->b, in);
        return st ? st : ridge_py_del_item(object, index, in);
    default:
        for (uint32_t i = 0; i < target->count && !st; i++)
            st = delete_one(target->items[i], in);
        return st;
    }
}

static ridge_status run_raise(const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py value, cause;
    if (!node->a) {
        if (in->machine->handled.type == RIDGE_PY_T_UNSET)
            return ridge_py_raise(in, "RuntimeError", "No active exception to reraise");
        in->raised = in->machine->handled;
        return RIDGE_PY_RAISED;
    }
    ridge_status st = ridge_py_eval(&value, node->a, in);
    if (!st && node->b)
        st = ridge_py_eval(&cause, node->b, in);
    if (!st)
        st = ridge_py_raise_value(value, in);
    if (st == RIDGE_PY_RAISED && node->b && in->raised.type == RIDGE_PY_T_INSTANCE) {
        ridge_status set = ridge_py_scope_set(&in->raised.u.instance->attributes, RIDGE_PY_S(in, CAUSE), cause, in);
        return set ? set : st;
    }
    return st;
}

static ridge_status run_assert(const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v;
    bool truth, unknown;
    size_t holes = in->hole_count;
    ridge_status st = ridge_py_eval_truth(&truth, &unknown, &v, node->a, in);
    if (!st && unknown)
        ridge_py_holes_drop(holes, in); /* it holds where the model works */
    if (st || truth || unknown)
        return st;
    if (node->b)
        st = ridge_py_eval(&v, node->b, in);
    if (!st && node->b)
        st = ridge_py_to_str(&v, v, false, in);
    return st ? st : ridge_py_raise(in, "AssertionError", "%s", node->b && v.type == RIDGE_PY_T_STR ? v.u.s->text.p : "");
}

typedef struct ridge_py_declared {
    const struct ridge_py_declared *next;
    const ridge_symbol *name;
    bool global;
} declared;

static ridge_status run_declaration(const ridge_py_node *node, ridge_py_interp *in)
{
    for (uint32_t i = 0; i < node->count; i++) {
        declared *d = ridge_arena_alloc(in->arena, sizeof *d);
        if (!d)
            return ridge_no_memory(in->err);
        *d = (declared){in->frame->declared, node->items[i]->name, node->kind == RIDGE_PY_GLOBAL};
        in->frame->declared = d;
    }
    return RIDGE_OK;
}

/* a function is bound after its decorators, innermost first */
static ridge_status run_function(const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_list decorators = {0};
    ridge_py made;
    const ridge_py_node list = {.kind = RIDGE_PY_TUPLE, .items = node->items, .count = node->count};
    ridge_status st = node->count ? ridge_py_eval_items(&decorators, &list, in) : RIDGE_OK;
    if (!st)
        st = ridge_py_make_function(&made, node, in);
    for (size_t i = decorators.count; i-- > 0 && !st;)
        st = ridge_py_call_value(&made, decorators.items[i], &made, 1, NULL, 0, in);
    return st ? st : ridge_py_bind_name(node->name, made, in);
}

/* ---- branches on data ---- */

static bool is_log_call(const ridge_py_node *node)
{
    if (node->kind == RIDGE_PY_STRING || node->kind == RIDGE_PY_CONSTANT)
        return true;
    if (node->kind != RIDGE_PY_CALL)
        return false;
    const ridge_py_node *callee = node->a;
    const char *name = callee->kind == RIDGE_PY_ATTRIBUTE && callee->a->kind == RIDGE_PY_NAME ? callee->a->name->text
                       : callee->kind == RIDGE_PY_NAME                                        ? callee->name->text
                                                                                              : "";
    static const char *const names[] = {"logger", "warnings", "logging", "log", "warn", "print", "warn_once", "deprecate"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* it raises, warns or logs, and nothing else */
static bool only_validates(const ridge_py_node *node)
{
    switch (node->kind) {
    case RIDGE_PY_BLOCK:
        for (uint32_t i = 0; i < node->count; i++)
            if (!only_validates(node->items[i]))
                return false;
        return true;
    case RIDGE_PY_RAISE:
    case RIDGE_PY_PASS:
    case RIDGE_PY_ASSERT:
        return true;
    case RIDGE_PY_EXPRESSION:
        return is_log_call(node->a);
    case RIDGE_PY_IF:
        return only_validates(node->b) && (!node->c || only_validates(node->c));
    default:
        return false;
    }
}

static bool always_raises(const ridge_py_node *block)
{
    return block && block->count && block->items[block->count - 1]->kind == RIDGE_PY_RAISE;
}

static uint32_t weight(const ridge_py_node *block)
{
    return block ? block->last_line - block->line + 1 : 0;
}

static ridge_status unknown_target(const ridge_py_node *target, ridge_py unknown, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (target->kind == RIDGE_PY_NAME)
        return ridge_py_bind_name(target->name, unknown, in);
    if (target->kind == RIDGE_PY_STAR)
        return unknown_target(target->a, unknown, in);
    if (target->kind == RIDGE_PY_ATTRIBUTE && target->a->kind == RIDGE_PY_NAME) {
        ridge_py *object = ridge_py_lookup(target->a->name, in);
        return object && object->type == RIDGE_PY_T_INSTANCE ? ridge_py_set_plain(*object, target->name, unknown, in) : RIDGE_OK;
    }
    if (target->kind == RIDGE_PY_TUPLE || target->kind == RIDGE_PY_LIST)
        for (uint32_t i = 0; i < target->count && !st; i++)
            st = unknown_target(target->items[i], unknown, in);
    return st;
}

ridge_status ridge_py_assign_unknown(const ridge_py_node *node, ridge_py unknown, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (!node)
        return st;
    switch (node->kind) {
    case RIDGE_PY_ASSIGN:
        for (uint32_t i = 0; i < node->count && !st; i++)
            st = unknown_target(node->items[i], unknown, in);
        return st;
    case RIDGE_PY_AUGMENT:
        return unknown_target(node->a, unknown, in);
    case RIDGE_PY_ANNOTATE:
        return node->c ? unknown_target(node->a, unknown, in) : st;
    case RIDGE_PY_FOR:
        st = unknown_target(node->a, unknown, in);
        break;
    case RIDGE_PY_WITH:
        for (uint32_t i = 0; i < node->count && !st; i++)
            if (node->items[i]->b)
                st = unknown_target(node->items[i]->b, unknown, in);
        return st ? st : ridge_py_assign_unknown(node->a, unknown, in);
    case RIDGE_PY_TRY:
        for (uint32_t i = 0; i < node->count && !st; i++)
            st = ridge_py_assign_unknown(node->items[i]->b, unknown, in);
        if (!st)
            st = ridge_py_assign_unknown(node->a, unknown, in);
        break;
    case RIDGE_PY_IF:
        st = ridge_py_assign_unknown(node->b, unknown, in);
        break;
    case RIDGE_PY_BLOCK:
        for (uint32_t i = 0; i < node->count && !st; i++)
            st = ridge_py_assign_unknown(node->items[i], unknown, in);
        return st;
    case RIDGE_PY_WHILE:
        break;
    default:
        return st;
    }
    if (!st)
        st = ridge_py_assign_unknown(node->c, unknown, in);
    return st || node->kind == RIDGE_PY_IF ? st : ridge_py_assign_unknown(node->d, unknown, in);
}

/* `holes`: how many there were before its condition was asked */
static ridge_status run_undecided(ridge_py_flow *flow, const ridge_py_node *node, size_t holes, ridge_py_interp *in)
{
    ridge_py unknown;
    if (only_validates(node->b) || always_raises(node->c)) {
        const ridge_py_node *way = only_validates(node->b) ? node->c : node->b;
        ridge_py_holes_drop(holes, in);
        return way ? ridge_py_run_block(flow, way, in) : RIDGE_OK;
    }
    ridge_status st = ridge_py_ask_branch(&unknown, ridge_py_source(node->a, in), in);
    if (!st && unknown.type == RIDGE_PY_T_BOOL) {
        bool truth;
        st = ridge_py_truth(&truth, unknown, in);
        const ridge_py_node *chosen = truth ? node->b : node->c;
        return st || !chosen ? st : ridge_py_run_block(flow, chosen, in);
    }
    const ridge_py_node *way = weight(node->b) <= weight(node->c) && node->c ? node->b : node->c;
    if (!st)
        st = ridge_py_skipped(unknown, in);
    if (!st && way)
        st = ridge_py_run_block(flow, way, in);
    if (!st)
        st = ridge_py_assign_unknown(node->b, unknown, in);
    return st ? st : ridge_py_assign_unknown(node->c, unknown, in);
}

static ridge_status run_if(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py v;
    bool truth, unknown;
    size_t holes = in->hole_count;
    ridge_status st = ridge_py_eval_truth(&truth, &unknown, &v, node->a, in);
    if (st)
        return st;
    if (unknown)
        return run_undecided(flow, node, holes, in);
    const ridge_py_node *way = truth ? node->b : node->c;
    return way ? ridge_py_run_block(flow, way, in) : RIDGE_OK;
}

/* ---- all statements ---- */

static ridge_status run_compound(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    switch (node->kind) {
    case RIDGE_PY_FOR:
        return ridge_py_run_for(flow, node, in);
    case RIDGE_PY_WHILE:
        return ridge_py_run_while(flow, node, in);
    case RIDGE_PY_TRY:
        return ridge_py_run_try(flow, node, in);
    case RIDGE_PY_WITH:
        return ridge_py_run_with(flow, node, in);
    case RIDGE_PY_MATCH:
        return ridge_py_run_match(flow, node, in);
    case RIDGE_PY_FUNCTION:
        return run_function(node, in);
    case RIDGE_PY_CLASS:
        return ridge_py_define_class(node, in);
    case RIDGE_PY_IMPORT:
        return ridge_py_run_import(node, in);
    case RIDGE_PY_FROM:
        return ridge_py_run_from(node, in);
    case RIDGE_PY_BLOCK:
        return ridge_py_run_block(flow, node, in);
    default:
        return ridge_fail(in->err, RIDGE_SYNTAX, "the grammar does not know what stands here");
    }
}

static ridge_status run_statement(ridge_py_flow *flow, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py ignored;
    switch (node->kind) {
    case RIDGE_PY_EXPRESSION:
        return ridge_py_eval(&ignored, node->a, in);
    case RIDGE_PY_ASSIGN:
        return run_assign(node, in);
    case RIDGE_PY_AUGMENT:
        return run_augment(node, in);
    case RIDGE_PY_ANNOTATE:
        return run_annotate(node, in);
    case RIDGE_PY_IF:
        return run_if(flow, node, in);
    case RIDGE_PY_RETURN:
        return run_return(flow, node, in);
    case RIDGE_PY_PASS:
        return RIDGE_OK;
    case RIDGE_PY_BREAK:
        *flow = RIDGE_PY_BREAK_LOOP;
        return RIDGE_OK;
    case RIDGE_PY_CONTINUE:
        *flow = RIDGE_PY_CONTINUE_LOOP;
        return RIDGE_OK;
    case RIDGE_PY_DELETE: {
        ridge_status st = RIDGE_OK;
        for (uint32_t i = 0; i < node->count && !st; i++)
            st = delete_one(node->items[i], in);
        return st;
    }
    case RIDGE_PY_RAISE:
        return run_raise(node, in);
    case RIDGE_PY_ASSERT:
        return run_assert(node, in);
    case RIDGE_PY_GLOBAL:
    case RIDGE_PY_NONLOCAL:
        return run_declaration(node, in);
    default:
        return run_compound(flow, node, in);
    }
}

ridge_status ridge_py_run_block(ridge_py_flow *flow, const ridge_py_node *block, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *flow = RIDGE_PY_NEXT;
    for (uint32_t i = 0; i < block->count && !st && *flow == RIDGE_PY_NEXT; i++) {
        const ridge_py_node *node = block->items[i];
        in->frame->line = node->line;
        st = ridge_py_step(in);
        if (!st)
            st = run_statement(flow, node, in);
        if (st)
            st = ridge_py_place(st, in->frame->line, in);
    }
    return st;
}

/* ---- modules ---- */

static ridge_status unknown_names(const ridge_py_node *node, ridge_py unknown, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (node->kind == RIDGE_PY_FUNCTION || node->kind == RIDGE_PY_CLASS)
        return ridge_py_bind_name(node->name, unknown, in);
    if (node->kind != RIDGE_PY_IMPORT && node->kind != RIDGE_PY_FROM)
        return ridge_py_assign_unknown(node, unknown, in);
    for (uint32_t i = 0; i < node->count && !st; i++) {
        const ridge_py_node *alias = node->items[i];
        const ridge_symbol *name = alias->name;
        if (!name)
            name = ridge_intern(
                &in->names,
                (ridge_str){alias->text.p, strcspn(alias->text.p, ".") < alias->text.n ? strcspn(alias->text.p, ".") : alias->text.n});
        st = name ? ridge_py_bind_name(name, unknown, in) : ridge_no_memory(in->err);
    }
    return st;
}

/* What this interpreter cannot do at one place of a module leaves its names unknown, and the rest of it usable. */
static ridge_status pass_over(ridge_status st, const ridge_py_node *node, ridge_py_frame *frame, ridge_py_interp *in)
{
    ridge_py unknown;
    if (!st || st == RIDGE_PY_RAISED || st == RIDGE_NOMEM || st == RIDGE_LIMIT)
        return st;
    in->frame = frame;
    const char *what = ridge_arena_printf(in->arena, "%s", in->err->msg);
    if (!what)
        return ridge_no_memory(in->err);
    ridge_err_clear(in->err);
    frame->line = node->line;
    st = ridge_py_unknown(&unknown, "not interpreted", what, NULL, NULL, in);
    return st ? st : unknown_names(node, unknown, in);
}

ridge_status ridge_py_run_module(ridge_py_module *module, ridge_py_interp *in)
{
    const ridge_py_node *block;
    ridge_py_frame *caller = in->frame;
    ridge_py_frame frame = {
        .caller = caller, .module = module, .scope = &module->globals, .depth = caller ? caller->depth + 1 : 0, .line = 1};
    if (caller && caller->depth + 1 >= in->limits.depth)
        return ridge_fail(in->err, RIDGE_LIMIT, "imports are nested deeper than %u", in->limits.depth);
    module->executed = true;
    ridge_status st = ridge_py_parse(&block, module->text, ridge_py_file(&frame), &in->names, in->arena, in->err);
    in->frame = &frame;
    for (uint32_t i = 0; !st && i < block->count; i++) {
        const ridge_py_node one = {.kind = RIDGE_PY_BLOCK, .line = block->items[i]->line, .count = 1, .items = &block->items[i]};
        ridge_py_flow flow;
        st = pass_over(ridge_py_run_block(&flow, &one, in), block->items[i], &frame, in);
    }
    in->frame = caller;
    return st;
}
