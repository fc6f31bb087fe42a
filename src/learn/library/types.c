/* Built-in types: their classes, how values of them are made, and their methods. */
#include "learn/library/library.h"
#include "learn/python/container.h"
#include "learn/python/machine.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- numbers ---- */

static ridge_str trim(ridge_str s)
{
    while (s.n && isspace((unsigned char)*s.p))
        s = (ridge_str){s.p + 1, s.n - 1};
    while (s.n && isspace((unsigned char)s.p[s.n - 1]))
        s.n--;
    return s;
}

ridge_status ridge_py_parse_number(ridge_py *out, ridge_str text, bool whole, ridge_py_interp *in)
{
    ridge_str s = trim(text);
    bool negative = s.n && *s.p == '-';
    ridge_err err = {0}, *kept = in->err;
    if (s.n && (*s.p == '-' || *s.p == '+'))
        s = (ridge_str){s.p + 1, s.n - 1};
    bool plain = s.n > 0;
    for (size_t i = 0; i < s.n && whole; i++)
        plain = plain && (ridge_is_digit(s.p[i]) || s.p[i] == '_');
    in->err = &err;
    ridge_status st = !plain ? RIDGE_SYNTAX : whole ? ridge_py_read_int(out, s, in) : ridge_py_read_float(out, s, in);
    in->err = kept;
    if (st)
        return ridge_py_raise(in, "ValueError",
                              whole ? "invalid literal for int() with base 10: '%.*s'" : "could not convert string to float: '%.*s'",
                              RIDGE_STR_ARG(text));
    if (out->type == RIDGE_PY_T_INT)
        out->u.i = negative ? -out->u.i : out->u.i;
    else
        out->u.f = negative ? -out->u.f : out->u.f;
    return RIDGE_OK;
}

static ridge_status parse_in_base(ridge_py *out, ridge_str text, ridge_py base, ridge_py_interp *in)
{
    int64_t b;
    char *end;
    ridge_status st = ridge_py_concrete(&b, base, in);
    if (st)
        return st;
    ridge_str s = trim(text);
    long long v = b == 0 || (b >= 2 && b <= 36) ? strtoll(s.p, &end, (int)b) : 0;
    if (!s.n || (b && (b < 2 || b > 36)) || end != s.p + s.n)
        return ridge_py_raise(in, "ValueError", "invalid literal for int() with base %lld: '%.*s'", (long long)b, RIDGE_STR_ARG(text));
    *out = ridge_py_int(v);
    return RIDGE_OK;
}

/* an object's own __int__, __float__ or __index__ */
static ridge_status by_method(ridge_py *out, ridge_py v, const char *const *names, ridge_py_interp *in)
{
    for (size_t i = 0; names[i]; i++) {
        ridge_py method;
        const ridge_symbol *name = ridge_py_symbol(in, names[i]);
        if (!name)
            return ridge_no_memory(in->err);
        if (ridge_py_special_method(&method, v, name, in))
            return ridge_py_call_special(out, method, v, NULL, 0, in);
    }
    return ridge_py_raise(in, "TypeError", "a number or a string is wanted, not '%s'", ridge_py_type_text(v));
}

static ridge_status make_number(ridge_py *out, ridge_py v, ridge_py base, ridge_py_type type, ridge_py_interp *in)
{
    static const char *const whole[] = {"__int__", "__index__", NULL}, *const real[] = {"__float__", "__index__", NULL};
    ridge_status st;
    v = ridge_py_base(v);
    switch (v.type) {
    case RIDGE_PY_T_UNSET:
        *out = type == RIDGE_PY_T_INT ? ridge_py_int(0) : ridge_py_float(0);
        return RIDGE_OK;
    case RIDGE_PY_T_BOOL:
    case RIDGE_PY_T_INT:
    case RIDGE_PY_T_FLOAT:
        return type == RIDGE_PY_T_INT ? ridge_py_to_integer(out, v, RIDGE_PY_TRUNCATE, in) : ridge_py_to_float(out, v, in);
    case RIDGE_PY_T_STR:
        if ((st = ridge_py_ask_value(v, in)))
            return st;
        if (base.type != RIDGE_PY_T_UNSET)
            return parse_in_base(out, v.u.s->text, base, in);
        return ridge_py_parse_number(out, v.u.s->text, type == RIDGE_PY_T_INT, in);
    case RIDGE_PY_T_TENSOR:
        return in->tensors->number(out, v, type, in);
    case RIDGE_PY_T_UNKNOWN:
        *out = v;
        return RIDGE_OK;
    case RIDGE_PY_T_INSTANCE:
        return by_method(out, v, type == RIDGE_PY_T_INT ? whole : real, in);
    default:
        return ridge_py_raise(in, "TypeError", "%s() argument must be a string or a real number, not '%s'",
                              type == RIDGE_PY_T_INT ? "int" : "float", ridge_py_type_text(v));
    }
}

/* ---- texts and containers ---- */

static ridge_status make_str(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    if (v.type == RIDGE_PY_T_UNSET)
        return ridge_py_strz(out, "", in);
    return ridge_py_to_str(out, v, false, in);
}

static ridge_status make_list(ridge_py *out, ridge_py v, ridge_py_type type, ridge_py_interp *in)
{
    return v.type == RIDGE_PY_T_UNSET ? ridge_py_new_list(out, type, 0, in) : ridge_py_collect(out, type, v, in);
}

/* pairs (key, value) */
static ridge_status add_pairs(ridge_py_dict *dict, ridge_py pairs, ridge_py_interp *in)
{
    ridge_py list, pair;
    ridge_status st = ridge_py_collect(&list, RIDGE_PY_T_LIST, pairs, in);
    if (st || list.type != RIDGE_PY_T_LIST)
        return st;
    for (size_t i = 0; i < list.u.list->count && !st; i++) {
        if ((st = ridge_py_collect(&pair, RIDGE_PY_T_TUPLE, list.u.list->items[i], in)))
            return st;
        if (pair.type != RIDGE_PY_T_TUPLE || pair.u.list->count != 2)
            return ridge_py_raise(in, "ValueError", "dictionary update sequence element #%zu is no pair", i);
        st = ridge_py_dict_set(dict, pair.u.list->items[0], pair.u.list->items[1], in);
    }
    return st;
}

/* a mapping that is no dict: keys() and [] */
static ridge_status add_mapping(ridge_py_dict *dict, ridge_py v, ridge_py_interp *in)
{
    ridge_py keys, value;
    ridge_status st;
    if ((st = ridge_py_call_method(&keys, v, "keys", NULL, 0, in)) || (st = ridge_py_collect(&keys, RIDGE_PY_T_LIST, keys, in)))
        return st;
    for (size_t i = 0; keys.type == RIDGE_PY_T_LIST && i < keys.u.list->count && !st; i++)
        if (!(st = ridge_py_get_item(&value, v, keys.u.list->items[i], in)))
            st = ridge_py_dict_set(dict, keys.u.list->items[i], value, in);
    return st;
}

static ridge_status add_all(ridge_py_dict *dict, ridge_py from, ridge_py_interp *in)
{
    ridge_py keys;
    ridge_status st;
    ridge_py v = ridge_py_base(from);
    const ridge_symbol *name = ridge_py_symbol(in, "keys");
    if (!name)
        return ridge_no_memory(in->err);
    if (v.type == RIDGE_PY_T_DICT) {
        st = RIDGE_OK;
        for (size_t i = 0; i < v.u.dict->used && !st; i++) {
            ridge_py value = v.u.dict->entries[i].value;
            if (v.u.dict->entries[i].key.type == RIDGE_PY_T_UNSET)
                continue;
            if (!(st = ridge_py_field_origin(&value, v.by.origin, v.u.dict->entries[i].key, in)))
                st = ridge_py_dict_set(dict, v.u.dict->entries[i].key, value, in);
        }
        return st;
    }
    if (v.type == RIDGE_PY_T_INSTANCE) {
        if ((st = ridge_py_find(&keys, v, name, in)))
            return st;
        if (keys.type != RIDGE_PY_T_UNSET)
            return add_mapping(dict, v, in);
    }
    return add_pairs(dict, v, in);
}

/* what dict(...), update(...) and a subclass's __init__ take */
static ridge_status fill_dict(ridge_py_dict *dict, ridge_py from, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = from.type == RIDGE_PY_T_UNSET ? RIDGE_OK : add_all(dict, from, in);
    for (size_t i = 0; i < call->keyword_count && !st; i++)
        st = ridge_py_dict_setz(dict, call->keywords[i].name->text, call->keywords[i].value, in);
    return st;
}

static ridge_status fill_set(ridge_py_dict *set, ridge_py from, ridge_py_interp *in)
{
    ridge_py list;
    ridge_status st = ridge_py_collect(&list, RIDGE_PY_T_LIST, from, in);
    for (size_t i = 0; !st && list.type == RIDGE_PY_T_LIST && i < list.u.list->count; i++)
        st = ridge_py_dict_set(set, list.u.list->items[i], ridge_py_unset(), in);
    return st;
}

static ridge_status make_slice(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py_slice *s = ridge_arena_alloc(in->arena, sizeof *s);
    ridge_status st = ridge_py_arity(call, 1, 3, in);
    if (!s)
        return ridge_no_memory(in->err);
    if (st)
        return st;
    s->start = call->count > 1 ? call->args[0] : ridge_py_none();
    s->stop = call->args[call->count > 1 ? 1 : 0];
    s->step = call->count > 2 ? call->args[2] : ridge_py_none();
    *out = (ridge_py){.type = RIDGE_PY_T_SLICE, .u.slice = s};
    return RIDGE_OK;
}

static ridge_status whole_number(ridge_py *v, ridge_py_interp *in)
{
    ridge_py method;
    *v = ridge_py_base(*v);
    if (v->type == RIDGE_PY_T_TENSOR)
        return in->tensors->number(v, *v, RIDGE_PY_T_INT, in);
    if (v->type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, *v, RIDGE_PY_S(in, INDEX), in))
        return ridge_py_call_special(v, method, *v, NULL, 0, in);
    if (v->type != RIDGE_PY_T_INT && v->type != RIDGE_PY_T_BOOL && v->type != RIDGE_PY_T_UNKNOWN)
        return ridge_py_raise(in, "TypeError", "'%s' object cannot be interpreted as an integer", ridge_py_type_text(*v));
    return RIDGE_OK;
}

static ridge_status make_range(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py v[3] = {ridge_py_int(0), ridge_py_unset(), ridge_py_int(1)};
    ridge_py_range *r = ridge_arena_alloc(in->arena, sizeof *r);
    ridge_status st = ridge_py_arity(call, 1, 3, in);
    if (!r)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < call->count && !st; i++) {
        ridge_py *to = &v[call->count == 1 ? 1 : i];
        *to = call->args[i];
        st = whole_number(to, in);
        if (!st && to->type == RIDGE_PY_T_UNKNOWN) {
            *out = *to;
            return RIDGE_OK;
        }
    }
    if (!st && ridge_py_integer(v[2]) == 0)
        st = ridge_py_raise(in, "ValueError", "range() arg 3 must not be zero");
    *r = (ridge_py_range){v[0], v[1], v[2]};
    *out = (ridge_py){.type = RIDGE_PY_T_RANGE, .u.range = r};
    return st;
}

/* ---- T(...) ---- */

static ridge_status make(ridge_py *out, ridge_py_type type, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py first = ridge_py_argument(call, 0, NULL);
    ridge_status st;
    switch (type) {
    case RIDGE_PY_T_BOOL:
        if (first.type != RIDGE_PY_T_UNSET)
            return ridge_py_truth_value(out, first, in);
        *out = ridge_py_bool(false);
        return RIDGE_OK;
    case RIDGE_PY_T_INT: /* what is counted or measured by it depends on data */
        if ((st = ridge_py_matters(first, in)))
            return st;
        return make_number(out, first, ridge_py_argument(call, 1, "base"), type, in);
    case RIDGE_PY_T_FLOAT:
        return make_number(out, first, ridge_py_argument(call, 1, "base"), type, in);
    case RIDGE_PY_T_STR:
        return make_str(out, first, in);
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return make_list(out, first, type, in);
    case RIDGE_PY_T_DICT:
        return (st = ridge_py_new_dict(out, type, in)) ? st : fill_dict(out->u.dict, first, call, in);
    case RIDGE_PY_T_SET:
        if ((st = ridge_py_new_dict(out, type, in)) || first.type == RIDGE_PY_T_UNSET)
            return st;
        return fill_set(out->u.dict, first, in);
    case RIDGE_PY_T_SLICE:
        return make_slice(out, call, in);
    case RIDGE_PY_T_RANGE:
        return make_range(out, call, in);
    default:
        return ridge_py_raise(in, "TypeError", "no value of type '%s' is made so", in->classes[type] ? in->classes[type]->name->text : "?");
    }
}

static ridge_status construct(ridge_py *out, ridge_py_class *class, const ridge_py_call *call, ridge_py_interp *in)
{
    return make(out, (ridge_py_type)((const char *)class->data - ridge_py_type_tags), call, in);
}

/* the built-in type that a class comes from; UNSET: none */
static ridge_py_type built_in(const ridge_py_class *class)
{
    for (size_t i = 0; i < class->order_count; i++) {
        const char *tag = class->order[i]->data;
        if (tag > ridge_py_type_tags && tag <= &ridge_py_type_tags[RIDGE_PY_T_UNKNOWN])
            return (ridge_py_type)(tag - ridge_py_type_tags);
    }
    return RIDGE_PY_T_UNSET;
}

/* str.__new__(cls, text), also through super() */
static ridge_status m_new(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py value;
    if (!call->count || call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "__new__() wants a class");
    ridge_py_class *class = call->args[0].u.class;
    ridge_py_type type = built_in(class);
    ridge_py_call rest = *call;
    rest.args++;
    rest.count--;
    bool container = type == RIDGE_PY_T_LIST || type == RIDGE_PY_T_DICT || type == RIDGE_PY_T_SET;
    if (class == in->classes[type])
        return make(out, type, &rest, in);
    ridge_status st = ridge_py_new_instance(out, class, in);
    if (st || container)
        return st;
    if ((st = make(&value, type, &rest, in)))
        return st;
    out->u.instance->base = value;
    return RIDGE_OK;
}

/* list.__init__(self, items), dict.__init__(self, ...), set.__init__(self, items) */
static ridge_status m_init(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    *out = ridge_py_none();
    if (!call->count)
        return ridge_py_raise(in, "TypeError", "__init__() wants an object");
    ridge_py self = ridge_py_base(call->args[0]), first = ridge_py_argument(call, 1, NULL), list;
    ridge_status st;
    if (self.type == RIDGE_PY_T_DICT)
        return fill_dict(self.u.dict, first, call, in);
    if (first.type == RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    if (self.type == RIDGE_PY_T_SET)
        return fill_set(self.u.dict, first, in);
    if (self.type == RIDGE_PY_T_LIST) {
        if ((st = ridge_py_collect(&list, RIDGE_PY_T_LIST, first, in)) || list.type != RIDGE_PY_T_LIST)
            return st;
        *self.u.list = *list.u.list;
    }
    return RIDGE_OK;
}

/* ---- classes ---- */

struct type {
    ridge_py_type type;
    const char *name;
    const ridge_py_native_entry *methods;
    const size_t *count;
    bool makes, has_init, is_builtin;
};

static ridge_status add_method(ridge_py_class *class, const char *text, ridge_py_native_call *call, bool is_static, ridge_py_interp *in)
{
    const ridge_symbol *name = ridge_py_symbol(in, text);
    ridge_py f;
    ridge_status st = name ? ridge_py_native_function(&f, text, call, NULL, NULL, in) : ridge_no_memory(in->err);
    if (st)
        return st;
    if (is_static) {
        ridge_py_property *p = ridge_arena_alloc(in->arena, sizeof *p);
        if (!p)
            return ridge_no_memory(in->err);
        *p = (ridge_py_property){RIDGE_PY_STATIC, f, ridge_py_unset()};
        f = (ridge_py){.type = RIDGE_PY_T_PROPERTY, .u.property = p};
    }
    return ridge_py_scope_set(&class->attributes, name, f, in);
}

static ridge_status install_type(const struct type *t, ridge_py_interp *in)
{
    ridge_py_class *class, *object = in->classes[RIDGE_PY_T_UNSET];
    const ridge_symbol *name = ridge_py_symbol(in, t->name);
    ridge_py_class *bases[1] = {t->type == RIDGE_PY_T_BOOL ? in->classes[RIDGE_PY_T_INT] : object};
    if (!name)
        return ridge_no_memory(in->err);
    if (in->classes[t->type]) /* somebody made it already */
        return RIDGE_OK;
    ridge_status st = ridge_py_native_class(&class, t->name, bases, bases[0] ? 1 : 0, t->methods, t->count ? *t->count : 0, in);
    if (st)
        return st;
    class->data = &ridge_py_type_tags[t->type];
    if (t->makes)
        class->construct = construct;
    in->classes[t->type] = class;
    if (t->makes && (st = add_method(class, "__new__", m_new, true, in)))
        return st;
    if (t->has_init && (st = add_method(class, "__init__", m_init, false, in)))
        return st;
    ridge_py v = {.type = RIDGE_PY_T_CLASS, .u.class = class};
    return t->is_builtin ? ridge_py_scope_set(&in->builtins, name, v, in) : RIDGE_OK;
}

static ridge_status other_names(ridge_py_interp *in)
{
    static const struct {
        const char *name;
        ridge_py_type type;
    } names[] = {{"frozenset", RIDGE_PY_T_SET}, {"bytes", RIDGE_PY_T_STR}, {"bytearray", RIDGE_PY_T_STR}, {"complex", RIDGE_PY_T_FLOAT}};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < RIDGE_PY_COUNT(names) && !st; i++) {
        const ridge_symbol *name = ridge_py_symbol(in, names[i].name);
        ridge_py v = {.type = RIDGE_PY_T_CLASS, .u.class = in->classes[names[i].type]};
        st = name ? ridge_py_scope_set(&in->builtins, name, v, in) : ridge_no_memory(in->err);
    }
    const ridge_symbol *not_implemented = ridge_py_symbol(in, "NotImplemented"), *ellipsis = ridge_py_symbol(in, "Ellipsis"),
                       *debug = ridge_py_symbol(in, "__debug__");
    if (!not_implemented || !ellipsis || !debug)
        return ridge_no_memory(in->err);
    if (st || (st = ridge_py_scope_set(&in->builtins, not_implemented, (ridge_py){.type = RIDGE_PY_T_NOT_IMPLEMENTED}, in)) ||
        (st = ridge_py_scope_set(&in->builtins, debug, ridge_py_bool(true), in)))
        return st;
    return ridge_py_scope_set(&in->builtins, ellipsis, (ridge_py){.type = RIDGE_PY_T_ELLIPSIS}, in);
}

ridge_status ridge_py_types_install(ridge_py_interp *in)
{
    static const struct type types[] = {
        {RIDGE_PY_T_INT, "int", ridge_py_number_methods, &ridge_py_number_method_count, true, false, true},
        {RIDGE_PY_T_FLOAT, "float", ridge_py_number_methods, &ridge_py_number_method_count, true, false, true},
        {RIDGE_PY_T_BOOL, "bool", NULL, NULL, true, false, true},
        {RIDGE_PY_T_STR, "str", ridge_py_str_methods, &ridge_py_str_method_count, true, false, true},
        {RIDGE_PY_T_TUPLE, "tuple", ridge_py_tuple_methods, &ridge_py_tuple_method_count, true, false, true},
        {RIDGE_PY_T_LIST, "list", ridge_py_list_methods, &ridge_py_list_method_count, true, true, true},
        {RIDGE_PY_T_DICT, "dict", ridge_py_dict_methods, &ridge_py_dict_method_count, true, true, true},
        {RIDGE_PY_T_SET, "set", ridge_py_set_methods, &ridge_py_set_method_count, true, true, true},
        {RIDGE_PY_T_SLICE, "slice", NULL, NULL, true, false, true},
        {RIDGE_PY_T_RANGE, "range", NULL, NULL, true, false, true},
        {RIDGE_PY_T_NONE, "NoneType", NULL, NULL, false, false, false},
        {RIDGE_PY_T_ELLIPSIS, "ellipsis", NULL, NULL, false, false, false},
        {RIDGE_PY_T_NOT_IMPLEMENTED, "NotImplementedType", NULL, NULL, false, false, false},
        {RIDGE_PY_T_ITERATOR, "iterator", NULL, NULL, false, false, false},
        {RIDGE_PY_T_MODULE, "module", NULL, NULL, false, false, false},
        {RIDGE_PY_T_FUNCTION, "function", NULL, NULL, false, false, false},
        {RIDGE_PY_T_NATIVE, "builtin_function_or_method", NULL, NULL, false, false, false},
        {RIDGE_PY_T_METHOD, "method", NULL, NULL, false, false, false},
    };
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < RIDGE_PY_COUNT(types) && !st; i++)
        st = install_type(&types[i], in);
    return st ? st : other_names(in);
}
