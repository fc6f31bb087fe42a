/* classes: their bodies, the order of their bases, and metaclasses */
#include "learn/python/machine.h"

/* what a class's namespace carries to type.__new__ under __classcell__ */
typedef struct class_cell {
    ridge_py_cell *cell; /* holds __class__, for super() */
    const ridge_py_node *node;
    ridge_py_module *module;
} class_cell;

/* ---- method resolution order (C3) ---- */

typedef struct sequence {
    ridge_py_class *const *items;
    size_t count, at;
} sequence;

static bool in_a_tail(const sequence *s, size_t count, const ridge_py_class *class)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = s[i].at + 1; j < s[i].count; j++)
            if (s[i].items[j] == class)
                return true;
    return false;
}

static ridge_py_class *next_class(const sequence *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (s[i].at < s[i].count && !in_a_tail(s, count, s[i].items[s[i].at]))
            return s[i].items[s[i].at];
    return NULL;
}

static bool is_left(const sequence *s, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (s[i].at < s[i].count)
            return true;
    return false;
}

static ridge_status merge(ridge_py_class *class, sequence *s, size_t count, ridge_py_interp *in)
{
    while (is_left(s, count)) {
        ridge_py_class *next = next_class(s, count);
        if (!next)
            return ridge_py_raise(in, "TypeError", "Cannot create a consistent method resolution order (MRO) for bases of %s",
                                  class->name->text);
        class->order[class->order_count++] = next;
        for (size_t i = 0; i < count; i++)
            if (s[i].at < s[i].count && s[i].items[s[i].at] == next)
                s[i].at++;
    }
    return RIDGE_OK;
}

static ridge_status find_order(ridge_py_class *class, ridge_py_class *const *bases, size_t count, ridge_py_interp *in)
{
    size_t most = 1 + count;
    for (size_t i = 0; i < count; i++)
        most += bases[i]->order_count;
    sequence *s = ridge_arena_array(in->arena, count + 1, sizeof *s);
    class->order = ridge_arena_array(in->arena, most, sizeof(ridge_py_class *));
    if (!s || !class->order)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < count; i++)
        s[i] = (sequence){bases[i]->order, bases[i]->order_count, 0};
    s[count] = (sequence){bases, count, 0};
    class->order[class->order_count++] = class;
    return merge(class, s, count + 1, in);
}

ridge_status ridge_py_new_class(ridge_py_class **out, const ridge_symbol *name, ridge_py_class *const *bases, size_t base_count,
                                const ridge_py_class *meta, ridge_py_interp *in)
{
    ridge_py_class *class = ridge_arena_alloc(in->arena, sizeof *class);
    ridge_py_class *object = in->classes[RIDGE_PY_T_UNSET];
    if (!class)
        return ridge_no_memory(in->err);
    class->name = name;
    class->meta = meta;
    if (!base_count && object) {
        bases = &object;
        base_count = 1;
    }
    ridge_status st = find_order(class, bases, base_count, in);
    for (size_t i = 0; i < base_count && !st; i++)
        st = ridge_py_append(&class->bases, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = bases[i]}, in);
    for (size_t i = 1; i < class->order_count && !st; i++) {
        if (!class->get)
            class->get = class->order[i]->get;
        if (!class->set)
            class->set = class->order[i]->set;
    }
    in->machine->version++;
    *out = class;
    return st;
}

/* ---- what type.__new__ does ---- */

static void own_functions(ridge_py_class *class, const ridge_py_cell *cell)
{
    for (uint32_t i = 0; i < class->attributes.count; i++) {
        ridge_py v = class->attributes.items[i].value;
        if (v.type == RIDGE_PY_T_PROPERTY && v.u.property->setter.type == RIDGE_PY_T_FUNCTION &&
            v.u.property->setter.u.function->outer == cell)
            v.u.property->setter.u.function->owner = class;
        if (v.type == RIDGE_PY_T_PROPERTY)
            v = v.u.property->function;
        if (v.type == RIDGE_PY_T_FUNCTION && v.u.function->outer == cell && !v.u.function->owner)
            v.u.function->owner = class;
    }
}

static ridge_status set_names(ridge_py_class *class, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < class->attributes.count && !st; i++) {
        ridge_py method, ignored, v = class->attributes.items[i].value;
        ridge_py args[2] = {{.type = RIDGE_PY_T_CLASS, .u.class = class}, ridge_py_unset()};
        if (v.type != RIDGE_PY_T_INSTANCE || !ridge_py_special_method(&method, v, RIDGE_PY_S(in, SET_NAME), in))
            continue;
        st = ridge_py_strz(&args[1], class->attributes.items[i].name->text, in);
        if (!st)
            st = ridge_py_call_special(&ignored, method, v, args, 2, in);
    }
    return st;
}

static ridge_status init_subclass(ridge_py_class *class, const ridge_py_keyword *keywords, size_t count, ridge_py_interp *in)
{
    ridge_py_call call = {.keywords = keywords, .keyword_count = count};
    ridge_py ignored;
    for (size_t i = 1; i < class->order_count; i++) {
        const ridge_py *v = ridge_py_scope_find(&class->order[i]->attributes, RIDGE_PY_S(in, INIT_SUBCLASS));
        if (!v || class->order[i] == in->classes[RIDGE_PY_T_UNSET])
            continue;
        ridge_py f = v->type == RIDGE_PY_T_PROPERTY ? v->u.property->function : *v;
        return ridge_py_call_with(&ignored, f, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class}, &call, in);
    }
    return RIDGE_OK;
}

typedef struct class_parts {
    const ridge_symbol *name;
    ridge_py_class **bases;
    size_t base_count;
    const ridge_py_class *meta;
    ridge_py_scope scope;
    const ridge_py_keyword *keywords;
    size_t keyword_count;
    class_cell *cell; /* or NULL */
} class_parts;

static ridge_status build(ridge_py *out, const class_parts *p, ridge_py_interp *in)
{
    ridge_py_class *class;
    ridge_status st = ridge_py_new_class(&class, p->name, p->bases, p->base_count, p->meta, in);
    if (st)
        return st;
    class->attributes = p->scope;
    class->module = in->frame ? in->frame->module : NULL;
    *out = (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class};
    if (p->cell) {
        class->node = p->cell->node;
        class->module = p->cell->module;
        st = ridge_py_scope_set(&p->cell->cell->scope, RIDGE_PY_S(in, CLASS), *out, in);
        own_functions(class, p->cell->cell);
    }
    in->machine->version++;
    if (!st)
        st = set_names(class, in);
    return st ? st : init_subclass(class, p->keywords, p->keyword_count, in);
}

/* the most derived metaclass of the bases and what was asked for */
static const ridge_py_class *derived_meta(const ridge_py_class *meta, ridge_py_class *const *bases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bases[i]->meta && (!meta || ridge_py_is_subclass(bases[i]->meta, meta)))
            meta = bases[i]->meta;
    return meta;
}

static ridge_status namespace_scope(class_parts *p, ridge_py namespace, ridge_py_interp *in)
{
    const ridge_py_dict *d = ridge_py_base(namespace).u.dict;
    ridge_status st = RIDGE_OK;
    if (ridge_py_base(namespace).type != RIDGE_PY_T_DICT)
        return ridge_py_raise(in, "TypeError", "type.__new__() argument 3 must be dict");
    for (size_t i = 0; i < d->used && !st; i++) {
        const ridge_py_entry *e = &d->entries[i];
        const ridge_symbol *name;
        if (e->key.type == RIDGE_PY_T_UNSET)
            continue;
        st = ridge_py_symbol_of(&name, e->key, in);
        if (!st && name == RIDGE_PY_S(in, CLASSCELL) && e->value.type == RIDGE_PY_T_WORD)
            p->cell = (class_cell *)e->value.u.word->data;
        else if (!st)
            st = ridge_py_scope_set(&p->scope, name, e->value, in);
    }
    return st;
}

/* type.__new__(meta, name, bases, namespace, **keywords) */
ridge_status ridge_py_type_new(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    class_parts p = {.keywords = call->keywords, .keyword_count = call->keyword_count};
    if (call->count == 2) {
        ridge_py_class *class = ridge_py_class_of(call->args[1], in);
        *out = class ? (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class} : ridge_py_none();
        return RIDGE_OK;
    }
    if (call->count != 4 || call->args[0].type != RIDGE_PY_T_CLASS || call->args[2].type != RIDGE_PY_T_TUPLE)
        return ridge_py_raise(in, "TypeError", "type.__new__() takes a name, a tuple of bases and a dict");
    const ridge_py_list *bases = call->args[2].u.list;
    ridge_status st = ridge_py_symbol_of(&p.name, call->args[1], in);
    if (!st && !(p.bases = ridge_arena_array(in->arena, bases->count + 1, sizeof *p.bases)))
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < bases->count && !st; i++)
        if (bases->items[i].type == RIDGE_PY_T_CLASS)
            p.bases[p.base_count++] = bases->items[i].u.class;
    if (!st)
        st = namespace_scope(&p, call->args[3], in);
    const ridge_py_class *meta = call->args[0].u.class == in->classes[RIDGE_PY_T_CLASS] ? NULL : call->args[0].u.class;
    p.meta = derived_meta(meta, p.bases, p.base_count);
    return st ? st : build(out, &p, in);
}

/* ---- class statements ---- */

static ridge_status add_base(class_parts *p, size_t *cap, ridge_py base, ridge_py bases, ridge_py_interp *in)
{
    ridge_py method, more;
    ridge_status st = RIDGE_OK;
    if (base.type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, base, RIDGE_PY_S(in, MRO_ENTRIES), in)) {
        st = ridge_py_call_special(&more, method, base, &bases, 1, in);
        for (size_t i = 0; !st && more.type == RIDGE_PY_T_TUPLE && i < more.u.list->count; i++)
            st = add_base(p, cap, more.u.list->items[i], bases, in);
        return st;
    }
    if (base.type == RIDGE_PY_T_UNKNOWN)
        return RIDGE_OK; /* of a library that nobody has: nothing is inherited */
    if (base.type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "a class cannot derive from '%s'", ridge_py_type_text(base));
    for (size_t i = 0; i < p->base_count; i++)
        if (p->bases[i] == base.u.class)
            return RIDGE_OK;
    if (!ridge_arena_more(in->arena, &p->bases, p->base_count, cap, sizeof(ridge_py_class *)))
        return ridge_no_memory(in->err);
    p->bases[p->base_count++] = base.u.class;
    return st;
}

static ridge_status find_bases(class_parts *p, ridge_py *bases, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_list args;
    ridge_py_keyword *keywords;
    size_t cap = 0, count;
    ridge_status st = ridge_py_eval_arguments(&args, &keywords, &count, node->a, in);
    if (!st)
        st = ridge_py_new_list(bases, RIDGE_PY_T_TUPLE, args.count, in);
    for (size_t i = 0; i < args.count && !st; i++)
        st = ridge_py_append(bases->u.list, args.items[i], in);
    for (size_t i = 0; i < args.count && !st; i++)
        st = add_base(p, &cap, args.items[i], *bases, in);
    size_t kept = 0;
    for (size_t i = 0; i < count && !st; i++) {
        if (keywords[i].name != RIDGE_PY_S(in, METACLASS))
            keywords[kept++] = keywords[i];
        else if (keywords[i].value.type == RIDGE_PY_T_CLASS && keywords[i].value.u.class != in->classes[RIDGE_PY_T_CLASS])
            p->meta = keywords[i].value.u.class;
    }
    p->keywords = keywords;
    p->keyword_count = kept;
    p->meta = derived_meta(p->meta, p->bases, p->base_count);
    return st;
}

static ridge_status run_body(class_parts *p, const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_py_frame *outer = in->frame;
    ridge_py text;
    ridge_py_flow flow;
    class_cell *cell = ridge_arena_alloc(in->arena, sizeof *cell);
    if (!cell)
        return ridge_no_memory(in->err);
    *cell = (class_cell){.node = node, .module = outer->module};
    p->cell = cell;
    ridge_status st = ridge_py_strz(&text, outer->module ? outer->module->name : "", in);
    if (!st)
        st = ridge_py_scope_set(&p->scope, RIDGE_PY_S(in, MODULE), text, in);
    if (!st)
        st = ridge_py_new_cell(&cell->cell, outer->cell, in);
    if (st)
        return st;
    for (ridge_py_cell *c = cell->cell; c && !c->captured; c = c->outer)
        c->captured = true;
    ridge_py_frame frame = {
        .caller = outer, .module = outer->module, .cell = cell->cell, .line = node->line, .depth = outer->depth + 1, .scope = &p->scope};
    in->frame = &frame;
    st = ridge_py_run_block(&flow, node->b, in);
    in->frame = outer;
    return st;
}

/* by an interpreted metaclass: meta(name, bases, namespace, **keywords) */
static ridge_status call_meta(ridge_py *out, class_parts *p, ridge_py_interp *in)
{
    ridge_py args[3];
    ridge_py_word *word = ridge_arena_alloc(in->arena, sizeof *word);
    if (!word)
        return ridge_no_memory(in->err);
    *word = (ridge_py_word){.kind = "cell", .text = "cell", .data = p->cell};
    ridge_status st = ridge_py_strz(&args[0], p->name->text, in);
    if (!st)
        st = ridge_py_new_list(&args[1], RIDGE_PY_T_TUPLE, p->base_count, in);
    for (size_t i = 0; i < p->base_count && !st; i++)
        st = ridge_py_append(args[1].u.list, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = p->bases[i]}, in);
    if (!st)
        st = ridge_py_scope_dict(&args[2], &p->scope, in);
    if (!st)
        st = ridge_py_dict_setz(args[2].u.dict, "__classcell__", (ridge_py){.type = RIDGE_PY_T_WORD, .u.word = word}, in);
    ridge_py meta = {.type = RIDGE_PY_T_CLASS, .u.class = (ridge_py_class *)p->meta};
    return st ? st : ridge_py_call_value(out, meta, args, 3, p->keywords, p->keyword_count, in);
}

static bool is_special_meta(const ridge_py_class *meta, ridge_py_interp *in)
{
    const ridge_py_class *where;
    if (!meta)
        return false;
    if (meta->meta)
        return true;
    return (ridge_py_class_find(&where, meta, RIDGE_PY_S(in, NEW), in) && where != in->classes[RIDGE_PY_T_CLASS] &&
            where != in->classes[RIDGE_PY_T_UNSET]) ||
           (ridge_py_class_find(&where, meta, RIDGE_PY_S(in, INIT), in) && where != in->classes[RIDGE_PY_T_CLASS] &&
            where != in->classes[RIDGE_PY_T_UNSET]);
}

ridge_status ridge_py_define_class(const ridge_py_node *node, ridge_py_interp *in)
{
    class_parts p = {.name = node->name};
    ridge_py_list decorators;
    ridge_py_keyword *none;
    ridge_py bases, made;
    size_t none_count;
    const ridge_py_node list = {.kind = RIDGE_PY_TUPLE, .items = node->items, .count = node->count};
    ridge_status st = ridge_py_eval_arguments(&decorators, &none, &none_count, &list, in);
    if (!st)
        st = find_bases(&p, &bases, node, in);
    if (!st)
        st = run_body(&p, node, in);
    if (!st)
        st = is_special_meta(p.meta, in) ? call_meta(&made, &p, in) : build(&made, &p, in);
    for (size_t i = decorators.count; i-- > 0 && !st;)
        st = ridge_py_call_value(&made, decorators.items[i], &made, 1, NULL, 0, in);
    return st ? st : ridge_py_bind_name(node->name, made, in);
}
