/* calls: arguments to parameters, frames, and everything that can be called */
#include "learn/python/machine.h"

enum { FEW = 8, FREE_ITEMS = 64 };

/* ---- cells: the locals of calls, used again where nothing closes over them ---- */

ridge_status ridge_py_new_cell(ridge_py_cell **out, ridge_py_cell *outer, ridge_py_interp *in)
{
    ridge_py_cell *cell = in->machine->free_cells;
    if (cell) {
        in->machine->free_cells = cell->outer;
    } else {
        cell = ridge_arena_alloc(in->arena, sizeof *cell);
        if (!cell)
            return ridge_no_memory(in->err);
    }
    cell->outer = outer;
    *out = cell;
    return RIDGE_OK;
}

void ridge_py_free_cell(ridge_py_cell *cell, ridge_py_interp *in)
{
    if (cell->captured || cell->scope.cap > FREE_ITEMS)
        return;
    if (cell->scope.index)
        memset(cell->scope.index, 0, cell->scope.index_cap * sizeof *cell->scope.index);
    cell->scope.count = 0;
    cell->outer = in->machine->free_cells;
    in->machine->free_cells = cell;
}

static void capture(ridge_py_cell *cell)
{
    for (; cell && !cell->captured; cell = cell->outer)
        cell->captured = true;
}

/* ---- making functions ---- */

ridge_status ridge_py_make_function(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_frame *frame = in->frame;
    ridge_py_function *f = ridge_arena_alloc(in->arena, sizeof *f);
    const ridge_py_node *parameters = node->a;
    if (!f)
        return ridge_no_memory(in->err);
    *f = (ridge_py_function){.node = node, .name = node->name, .module = frame->module, .outer = frame->cell};
    if (node->kind == RIDGE_PY_LAMBDA && !(f->name = ridge_py_symbol(in, "<lambda>")))
        return ridge_no_memory(in->err);
    capture(f->outer);
    *out = (ridge_py){.type = RIDGE_PY_T_FUNCTION, .u.function = f};
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; parameters && i < parameters->count && !st; i++) {
        if (!parameters->items[i]->a)
            continue;
        if (!f->defaults && !(f->defaults = ridge_arena_array(in->arena, parameters->count, sizeof *f->defaults)))
            return ridge_no_memory(in->err);
        st = ridge_py_eval(&f->defaults[i], parameters->items[i]->a, in);
    }
    return st;
}

/* ---- parameters ---- */

typedef struct binding {
    const ridge_py_function *f;
    ridge_py self; /* UNSET: none */
    const ridge_py_call *call;
    size_t next; /* positional argument, self counted */
    bool *used;  /* [keyword_count] */
    ridge_py_cell *cell;
} binding;

static size_t positional_count(const binding *b)
{
    return b->call->count + (b->self.type != RIDGE_PY_T_UNSET);
}

static ridge_py positional(const binding *b, size_t i)
{
    if (b->self.type == RIDGE_PY_T_UNSET)
        return b->call->args[i];
    return i ? b->call->args[i - 1] : b->self;
}

static ridge_status bind_rest(binding *b, const ridge_py_node *p, ridge_py_interp *in)
{
    ridge_py rest;
    size_t n = positional_count(b);
    ridge_status st = ridge_py_new_list(&rest, RIDGE_PY_T_TUPLE, n > b->next ? n - b->next : 0, in);
    while (!st && b->next < n)
        st = ridge_py_append(rest.u.list, positional(b, b->next++), in);
    return st ? st : ridge_py_scope_set(&b->cell->scope, p->name, rest, in);
}

static ridge_status bind_rest_keywords(binding *b, const ridge_py_node *p, ridge_py_interp *in)
{
    ridge_py rest;
    ridge_status st = ridge_py_new_dict(&rest, RIDGE_PY_T_DICT, in);
    for (size_t i = 0; i < b->call->keyword_count && !st; i++)
        if (!b->used[i]) {
            b->used[i] = true;
            st = ridge_py_dict_setz(rest.u.dict, b->call->keywords[i].name->text, b->call->keywords[i].value, in);
        }
    return st ? st : ridge_py_scope_set(&b->cell->scope, p->name, rest, in);
}

static const ridge_py *keyword(binding *b, const ridge_symbol *name)
{
    for (size_t i = 0; i < b->call->keyword_count; i++)
        if (b->call->keywords[i].name == name) {
            b->used[i] = true;
            return &b->call->keywords[i].value;
        }
    return NULL;
}

static ridge_status bind_one(binding *b, uint32_t at, ridge_py_interp *in)
{
    const ridge_py_node *p = b->f->node->a->items[at];
    const ridge_py *given = p->op == RIDGE_PY_POSITION_ONLY || !b->call->keyword_count ? NULL : keyword(b, p->name);
    if (p->op != RIDGE_PY_KEYWORD_ONLY && b->next < positional_count(b)) {
        if (given)
            return ridge_py_raise(in, "TypeError", "%s() got multiple values for argument '%s'", b->f->name->text, p->name->text);
        return ridge_py_scope_set(&b->cell->scope, p->name, positional(b, b->next++), in);
    }
    if (!given && b->f->defaults && b->f->defaults[at].type != RIDGE_PY_T_UNSET)
        given = &b->f->defaults[at];
    if (!given)
        return ridge_py_raise(in, "TypeError", "%s() missing 1 required %sargument: '%s'", b->f->name->text,
                              p->op == RIDGE_PY_KEYWORD_ONLY ? "keyword-only " : "positional ", p->name->text);
    return ridge_py_scope_set(&b->cell->scope, p->name, *given, in);
}

static ridge_status check_left(const binding *b, ridge_py_interp *in)
{
    if (b->next < positional_count(b))
        return ridge_py_raise(in, "TypeError", "%s() takes %zu positional argument%s but %zu were given", b->f->name->text, b->next,
                              RIDGE_PLURAL(b->next), positional_count(b));
    for (size_t i = 0; i < b->call->keyword_count; i++)
        if (!b->used[i])
            return ridge_py_raise(in, "TypeError", "%s() got an unexpected keyword argument '%s'", b->f->name->text,
                                  b->call->keywords[i].name->text);
    return RIDGE_OK;
}

static ridge_status bind_all(binding *b, ridge_py_interp *in)
{
    const ridge_py_node *parameters = b->f->node->a;
    const ridge_py_node *rest_keywords = NULL;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; parameters && i < parameters->count && !st; i++) {
        const ridge_py_node *p = parameters->items[i];
        if (p->op == RIDGE_PY_REST_KEYWORDS)
            rest_keywords = p;
        else
            st = p->op == RIDGE_PY_REST ? bind_rest(b, p, in) : bind_one(b, i, in);
    }
    if (!st && rest_keywords)
        st = bind_rest_keywords(b, rest_keywords, in);
    return st ? st : check_left(b, in);
}

static ridge_status bind_parameters(ridge_py_cell *cell, const ridge_py_function *f, ridge_py self, const ridge_py_call *call,
                                    ridge_py_interp *in)
{
    bool few[32] = {false};
    binding b = {.f = f, .self = self, .call = call, .used = few, .cell = cell};
    if (call->keyword_count > sizeof few && !(b.used = ridge_arena_array(in->arena, call->keyword_count, sizeof *b.used)))
        return ridge_no_memory(in->err);
    return bind_all(&b, in);
}

/* ---- calls of interpreted functions ---- */

static ridge_status run_body(ridge_py *out, ridge_py_frame *frame, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_flow flow = RIDGE_PY_NEXT;
    if (node->kind == RIDGE_PY_LAMBDA)
        return ridge_py_eval(out, node->b, in);
    if (node->flags & RIDGE_PY_YIELDS) {
        capture(frame->cell);
        return ridge_py_new_generator(out, frame, in);
    }
    frame->result = ridge_py_none();
    ridge_status st = ridge_py_run_block(&flow, node->b, in);
    *out = frame->result;
    return st;
}

static ridge_status call_function(ridge_py *out, ridge_py_function *f, ridge_py self, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py_frame *caller = in->frame;
    ridge_py_cell *cell = NULL;
    if (caller && caller->depth + 1 >= in->limits.depth)
        return ridge_fail(in->err, RIDGE_LIMIT, "calls are nested deeper than %u: %s() may call itself without end", in->limits.depth,
                          f->name->text);
    ridge_status st = ridge_py_step(in);
    if (!st)
        st = ridge_py_new_cell(&cell, f->outer, in);
    if (st)
        return st;
    st = bind_parameters(cell, f, self, call, in);
    ridge_py first = self.type != RIDGE_PY_T_UNSET ? self : call->count ? call->args[0] : ridge_py_unset();
    ridge_py_frame frame = {.caller = caller,
                            .function = f,
                            .module = f->module,
                            .cell = cell,
                            .owner = f->owner,
                            .self = first,
                            .line = f->node->line,
                            .depth = caller ? caller->depth + 1 : 0,
                            .scope = &cell->scope,
                            .home = cell};
    if (!st) {
        in->frame = &frame;
        st = run_body(out, &frame, f->node, in);
        in->frame = caller;
    }
    if (!st)
        ridge_py_free_cell(cell, in);
    return st;
}

/* ---- whatever can be called ---- */

/* self before the others */
static ridge_status prepended(ridge_py_call *out, ridge_py *room, ridge_py self, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py *args = call->count < FEW ? room : ridge_arena_array(in->arena, call->count + 1, sizeof *args);
    if (!args)
        return ridge_no_memory(in->err);
    args[0] = self;
    for (size_t i = 0; i < call->count; i++)
        args[i + 1] = call->args[i];
    *out = *call;
    out->args = args;
    out->count = call->count + 1;
    return RIDGE_OK;
}

/* A function in C that refuses an argument that is not known: neither is its result. *unknown: that argument, or UNSET */
static void refused_unknown(ridge_py *unknown, const ridge_py_call *call, ridge_py_interp *in)
{
    const char *type = ridge_py_type_text(in->raised);
    *unknown = ridge_py_unset();
    if (strcmp(type, "TypeError") != 0 && strcmp(type, "RuntimeError") != 0 && strcmp(type, "ValueError") != 0)
        return;
    for (size_t i = 0; i < call->count; i++)
        if (call->args[i].type == RIDGE_PY_T_UNKNOWN)
            *unknown = call->args[i];
    for (size_t i = 0; i < call->keyword_count; i++)
        if (call->keywords[i].value.type == RIDGE_PY_T_UNKNOWN)
            *unknown = call->keywords[i].value;
}

static ridge_status call_native(ridge_py *out, const ridge_py_native *native, ridge_py self, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py room[FEW];
    ridge_py_call with = *call;
    ridge_py result = ridge_py_none(); /* *out may be one of the arguments */
    ridge_status st = ridge_py_step(in);
    if (!st && self.type != RIDGE_PY_T_UNSET)
        st = prepended(&with, room, self, call, in);
    with.function = native;
    if (!st)
        st = native->call(&result, &with, in);
    if (st == RIDGE_PY_RAISED) {
        ridge_py unknown;
        refused_unknown(&unknown, &with, in);
        if (unknown.type == RIDGE_PY_T_UNKNOWN) {
            in->raised = ridge_py_unset();
            result = unknown;
            st = RIDGE_OK;
        }
    }
    *out = result;
    return st;
}

static ridge_status call_instance(ridge_py *out, ridge_py callee, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py method;
    if (!ridge_py_special_method(&method, callee, RIDGE_PY_S(in, CALL), in))
        return ridge_py_raise(in, "TypeError", "'%s' object is not callable", ridge_py_type_text(callee));
    if (method.type == RIDGE_PY_T_FUNCTION || method.type == RIDGE_PY_T_NATIVE)
        return ridge_py_call_with(out, method, callee, call, in);
    ridge_status st = ridge_py_bind_attribute(&method, method, callee, callee.u.instance->class, NULL, in);
    return st ? st : ridge_py_call_with(out, method, ridge_py_unset(), call, in);
}

static ridge_status call_class(ridge_py *out, ridge_py callee, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py method;
    if (callee.u.class->meta && ridge_py_special_method(&method, callee, RIDGE_PY_S(in, CALL), in))
        return ridge_py_call_with(out, method, callee, call, in);
    return ridge_py_instantiate(out, callee.u.class, call, in);
}

ridge_status ridge_py_call_with(ridge_py *out, ridge_py callee, ridge_py self, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py room[FEW];
    ridge_py_call with;
    if (callee.type == RIDGE_PY_T_FUNCTION)
        return call_function(out, callee.u.function, self, call, in);
    if (callee.type == RIDGE_PY_T_NATIVE)
        return call_native(out, callee.u.native, self, call, in);
    if (self.type != RIDGE_PY_T_UNSET) {
        ridge_status st = prepended(&with, room, self, call, in);
        return st ? st : ridge_py_call_with(out, callee, ridge_py_unset(), &with, in);
    }
    switch (callee.type) {
    case RIDGE_PY_T_METHOD:
        return ridge_py_call_with(out, callee.u.method->function, callee.u.method->self, call, in);
    case RIDGE_PY_T_CLASS:
        return call_class(out, callee, call, in);
    case RIDGE_PY_T_INSTANCE:
        return call_instance(out, callee, call, in);
    case RIDGE_PY_T_PROPERTY:
        return ridge_py_call_with(out, callee.u.property->function, self, call, in);
    case RIDGE_PY_T_UNKNOWN:
        *out = callee;
        return RIDGE_OK;
    default:
        return ridge_py_raise(in, "TypeError", "'%s' object is not callable", ridge_py_type_text(callee));
    }
}

ridge_status ridge_py_call_value(ridge_py *out, ridge_py callee, const ridge_py *args, size_t count, const ridge_py_keyword *keywords,
                                 size_t keyword_count, ridge_py_interp *in)
{
    ridge_py_call call = {.args = args, .count = count, .keywords = keywords, .keyword_count = keyword_count};
    return ridge_py_call_with(out, callee, ridge_py_unset(), &call, in);
}

ridge_status ridge_py_call_method(ridge_py *out, ridge_py self, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_py method, bound;
    ridge_py_call call = {.args = args, .count = count};
    const ridge_symbol *symbol = ridge_py_symbol(in, name);
    if (!symbol)
        return ridge_no_memory(in->err);
    ridge_status st = ridge_py_find_method(&method, &bound, self, symbol, in);
    return st ? st : ridge_py_call_with(out, method, bound, &call, in);
}

/* ---- arguments ---- */

static ridge_status add_keyword(ridge_py_keyword **keywords, size_t *count, size_t *cap, const ridge_symbol *name, ridge_py value,
                                ridge_py_interp *in)
{
    if (!ridge_arena_more(in->arena, keywords, *count, cap, sizeof **keywords))
        return ridge_no_memory(in->err);
    (*keywords)[(*count)++] = (ridge_py_keyword){name, value};
    return RIDGE_OK;
}

static ridge_status keywords_of(ridge_py_keyword **keywords, size_t *count, size_t *cap, ridge_py from, ridge_py_interp *in)
{
    ridge_py dict = ridge_py_base(from);
    const ridge_symbol *name;
    ridge_status st = RIDGE_OK;
    if (dict.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK;
    if (dict.type == RIDGE_PY_T_INSTANCE && in->classes[RIDGE_PY_T_DICT])
        st = ridge_py_call_value(&dict, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = in->classes[RIDGE_PY_T_DICT]}, &from, 1, NULL, 0,
                                 in);
    if (!st && dict.type != RIDGE_PY_T_DICT)
        return ridge_py_raise(in, "TypeError", "argument after ** must be a mapping, not %s", ridge_py_type_text(from));
    for (size_t i = 0; !st && i < dict.u.dict->used; i++) {
        const ridge_py_entry *e = &dict.u.dict->entries[i];
        if (e->key.type == RIDGE_PY_T_UNSET)
            continue;
        if (ridge_py_base(e->key).type != RIDGE_PY_T_STR)
            return ridge_py_raise(in, "TypeError", "keywords must be strings");
        st = ridge_py_symbol_of(&name, e->key, in);
        if (!st)
            st = add_keyword(keywords, count, cap, name, e->value, in);
    }
    return st;
}

static ridge_status eval_argument(ridge_py_list *args, ridge_py_keyword **keywords, size_t *count, size_t *cap, const ridge_py_node *node,
                                  ridge_py_interp *in)
{
    ridge_py v, items;
    bool inner = node->kind == RIDGE_PY_STAR || node->kind == RIDGE_PY_DOUBLE_STAR || node->kind == RIDGE_PY_KEYWORD;
    ridge_status st = ridge_py_eval(&v, inner ? node->a : node, in);
    if (st)
        return st;
    if (node->kind == RIDGE_PY_KEYWORD)
        return add_keyword(keywords, count, cap, node->name, v, in);
    if (node->kind == RIDGE_PY_DOUBLE_STAR)
        return keywords_of(keywords, count, cap, v, in);
    if (node->kind != RIDGE_PY_STAR)
        return ridge_py_append(args, v, in);
    st = ridge_py_collect(&items, RIDGE_PY_T_LIST, v, in);
    for (size_t i = 0; !st && items.type == RIDGE_PY_T_LIST && i < items.u.list->count; i++)
        st = ridge_py_append(args, items.u.list->items[i], in);
    return st;
}

static ridge_status eval_arguments(ridge_py_list *args, ridge_py_keyword **keywords, size_t *count, size_t cap, const ridge_py_node *node,
                                   ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; node && i < node->count && !st; i++)
        st = eval_argument(args, keywords, count, &cap, node->items[i], in);
    return st;
}

ridge_status ridge_py_eval_arguments(ridge_py_list *args, ridge_py_keyword **keywords, size_t *keyword_count, const ridge_py_node *node,
                                     ridge_py_interp *in)
{
    *args = (ridge_py_list){0};
    *keywords = NULL;
    *keyword_count = 0;
    return eval_arguments(args, keywords, keyword_count, 0, node, in);
}

/* x.__dict__.update(...): __dict__ is a copy, which is written back to x */
static ridge_status call_on_attributes(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py object, dict, method;
    ridge_py_list args;
    ridge_py_keyword *keywords;
    size_t count;
    ridge_status st = ridge_py_eval(&object, node->a->a->a, in);
    if (!st)
        st = ridge_py_get(&dict, object, node->a->a->name, in);
    if (!st)
        st = ridge_py_get(&method, dict, node->a->name, in);
    if (!st)
        st = ridge_py_eval_arguments(&args, &keywords, &count, node, in);
    if (!st)
        st = ridge_py_call_value(out, method, args.items, args.count, keywords, count, in);
    if (st || dict.type != RIDGE_PY_T_DICT)
        return st;
    if (object.type == RIDGE_PY_T_INSTANCE)
        return ridge_py_set_plain(object, node->a->a->name, dict, in);
    for (size_t i = 0; i < dict.u.dict->used && !st && object.type != RIDGE_PY_T_UNKNOWN; i++) {
        const ridge_symbol *name;
        if (dict.u.dict->entries[i].key.type == RIDGE_PY_T_UNSET)
            continue;
        st = ridge_py_symbol_of(&name, dict.u.dict->entries[i].key, in);
        if (!st)
            st = ridge_py_set_plain(object, name, dict.u.dict->entries[i].value, in);
    }
    return st;
}

static bool changes_attributes(const ridge_py_node *node, ridge_py_interp *in)
{
    if (node->a->kind != RIDGE_PY_ATTRIBUTE || node->a->a->kind != RIDGE_PY_ATTRIBUTE || node->a->a->name != RIDGE_PY_S(in, DICT))
        return false;
    const char *name = node->a->name->text;
    return strcmp(name, "update") == 0 || strcmp(name, "pop") == 0 || strcmp(name, "setdefault") == 0 || strcmp(name, "clear") == 0;
}

ridge_status ridge_py_eval_call(ridge_py *out, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py callee, self = ridge_py_unset(), object, room[FEW];
    ridge_py_keyword keyword_room[FEW];
    ridge_py_list args = {.items = room, .cap = FEW};
    ridge_py_keyword *keywords = keyword_room;
    size_t keyword_count = 0;
    ridge_status st;
    if (changes_attributes(node, in))
        return call_on_attributes(out, node, in);
    if (node->a->kind == RIDGE_PY_ATTRIBUTE) {
        st = ridge_py_eval(&object, node->a->a, in);
        in->frame->line = node->line;
        if (!st)
            st = ridge_py_find_method(&callee, &self, object, node->a->name, in);
    } else {
        st = ridge_py_eval(&callee, node->a, in);
    }
    if (!st)
        st = eval_arguments(&args, &keywords, &keyword_count, FEW, node, in);
    if (st)
        return st;
    in->frame->line = node->line;
    ridge_py_call call = {.args = args.items, .count = args.count, .keywords = keywords, .keyword_count = keyword_count};
    return ridge_py_call_with(out, callee, self, &call, in);
}
