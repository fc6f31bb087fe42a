/* functions, classes and modules in C: their parameters, and how they are made */
#include "learn/python/machine.h"

#include <stdlib.h>

typedef struct parameter {
    const ridge_symbol *name;
    uint8_t kind; /* RIDGE_PY_PLAIN, _KEYWORD_ONLY, _REST, _REST_KEYWORDS */
    ridge_py by_default;
} parameter;

struct ridge_py_signature {
    const char *text;
    parameter *items;
    size_t count;
};

/* ---- "input, dim=None, *, keepdim=False" ---- */

static ridge_str trim(ridge_str s)
{
    while (s.n && s.p[0] == ' ')
        s = (ridge_str){s.p + 1, s.n - 1};
    while (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

static ridge_status default_of(ridge_py *out, ridge_str text, ridge_py_interp *in)
{
    text = trim(text);
    bool minus = text.n && text.p[0] == '-';
    if (ridge_str_is(text, "None"))
        *out = ridge_py_none();
    else if (ridge_str_is(text, "True") || ridge_str_is(text, "False"))
        *out = ridge_py_bool(text.p[0] == 'T');
    else if (ridge_str_is(text, "()") || ridge_str_is(text, "[]"))
        return ridge_py_new_list(out, text.p[0] == '(' ? RIDGE_PY_T_TUPLE : RIDGE_PY_T_LIST, 0, in);
    else if (text.n >= 2 && (text.p[0] == '\'' || text.p[0] == '"'))
        return ridge_py_str(out, (ridge_str){text.p + 1, text.n - 2}, in);
    else if (memchr(text.p, '.', text.n) || memchr(text.p, 'e', text.n) || memchr(text.p, 'n', text.n)) {
        char number[64] = {0};
        memcpy(number, text.p, text.n < sizeof number ? text.n : sizeof number - 1);
        *out = ridge_py_float(strtod(number, NULL));
    } else {
        int64_t v = 0;
        for (size_t i = minus; i < text.n && ridge_is_digit(text.p[i]); i++)
            v = v * 10 + (text.p[i] - '0');
        *out = ridge_py_int(minus ? -v : v);
    }
    return RIDGE_OK;
}

static ridge_status add_parameter(struct ridge_py_signature *s, size_t *cap, ridge_str text, bool *keyword_only, ridge_py_interp *in)
{
    const char *equals = memchr(text.p, '=', text.n);
    ridge_str name = trim(equals ? (ridge_str){text.p, (size_t)(equals - text.p)} : text);
    parameter p = {.kind = *keyword_only ? RIDGE_PY_KEYWORD_ONLY : RIDGE_PY_PLAIN, .by_default = ridge_py_unset()};
    if (name.n == 0 || ridge_str_is(name, "/"))
        return RIDGE_OK;
    if (ridge_str_is(name, "*")) {
        *keyword_only = true;
        return RIDGE_OK;
    }
    if (name.p[0] == '*') {
        size_t stars = name.n > 1 && name.p[1] == '*' ? 2 : 1;
        p.kind = stars == 2 ? RIDGE_PY_REST_KEYWORDS : RIDGE_PY_REST;
        *keyword_only = true;
        name = (ridge_str){name.p + stars, name.n - stars};
    }
    ridge_status st = equals ? default_of(&p.by_default, (ridge_str){equals + 1, text.n - (size_t)(equals + 1 - text.p)}, in) : RIDGE_OK;
    p.name = ridge_intern(&in->names, name);
    if (st)
        return st;
    if (!p.name || !ridge_arena_more(in->arena, &s->items, s->count, cap, sizeof *s->items))
        return ridge_no_memory(in->err);
    s->items[s->count++] = p;
    return RIDGE_OK;
}

static ridge_status read_signature(struct ridge_py_signature *s, const char *text, ridge_py_interp *in)
{
    bool keyword_only = false;
    size_t cap = 0;
    ridge_status st = RIDGE_OK;
    *s = (struct ridge_py_signature){.text = text};
    while (*text && !st) {
        size_t n = strcspn(text, ",");
        st = add_parameter(s, &cap, (ridge_str){text, n}, &keyword_only, in);
        text += n + (text[n] == ',');
    }
    return st;
}

/* read once for each text */
static ridge_status signature_of(const struct ridge_py_signature **out, const char *text, ridge_py_interp *in)
{
    struct ridge_py_machine *m = in->machine;
    if (m->signature_count * 2 >= m->signature_cap) {
        struct ridge_py_signature **old = m->signatures;
        uint32_t old_cap = m->signature_cap, cap = old_cap ? old_cap * 2 : 256;
        m->signatures = ridge_arena_array(in->arena, cap, sizeof *m->signatures);
        if (!m->signatures) {
            m->signatures = old;
            return ridge_no_memory(in->err);
        }
        m->signature_cap = cap;
        for (uint32_t i = 0; i < old_cap; i++) {
            uint32_t at = old[i] ? (uint32_t)((uintptr_t)old[i]->text * 2654435769u) & (cap - 1) : 0;
            while (old[i] && m->signatures[at])
                at = (at + 1) & (cap - 1);
            if (old[i])
                m->signatures[at] = old[i];
        }
    }
    uint32_t at = (uint32_t)((uintptr_t)text * 2654435769u) & (m->signature_cap - 1);
    while (m->signatures[at] && m->signatures[at]->text != text)
        at = (at + 1) & (m->signature_cap - 1);
    ridge_status st = RIDGE_OK;
    if (!m->signatures[at]) {
        struct ridge_py_signature *made = ridge_arena_alloc(in->arena, sizeof *made);
        st = made ? read_signature(made, text, in) : ridge_no_memory(in->err);
        if (st)
            return st;
        m->signatures[at] = made;
        m->signature_count++;
    }
    *out = m->signatures[at];
    return st;
}

/* ---- a call's values in the order of the parameters ---- */

/* t.flip(0, 1), t.flip((0, 1)) and t.flip(dims=(0, 1)) are the same */
static ridge_status take_rest(ridge_py *out, const parameter *p, size_t *next, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, call->count - *next, in);
    for (size_t i = 0; i < call->keyword_count && !st && *next >= call->count; i++)
        if (call->keywords[i].name == p->name)
            return ridge_py_append(out->u.list, call->keywords[i].value, in);
    while (!st && *next < call->count)
        st = ridge_py_append(out->u.list, call->args[(*next)++], in);
    return st;
}

static bool is_named(const struct ridge_py_signature *s, const ridge_symbol *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].name == name && s->items[i].kind <= RIDGE_PY_REST)
            return true;
    return false;
}

static ridge_status take_keywords(ridge_py *out, const struct ridge_py_signature *s, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
    for (size_t i = 0; i < call->keyword_count && !st; i++)
        if (!is_named(s, call->keywords[i].name))
            st = ridge_py_dict_setz(out->u.dict, call->keywords[i].name->text, call->keywords[i].value, in);
    return st;
}

static ridge_status take_one(ridge_py *out, const parameter *p, size_t *next, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_py *named = NULL;
    for (size_t i = 0; i < call->keyword_count; i++)
        if (call->keywords[i].name == p->name)
            named = &call->keywords[i].value;
    if (p->kind == RIDGE_PY_PLAIN && *next < call->count) {
        if (named)
            return ridge_py_raise(in, "TypeError", "%s() got multiple values for argument '%s'", call->function->name, p->name->text);
        *out = call->args[(*next)++];
    } else if (named) {
        *out = *named;
    } else if (p->by_default.type != RIDGE_PY_T_UNSET) {
        *out = p->by_default;
    } else {
        return ridge_py_raise(in, "TypeError", "%s() missing a required argument: '%s'", call->function->name, p->name->text);
    }
    return RIDGE_OK;
}

static ridge_status check_left(const struct ridge_py_signature *s, size_t next, bool takes_keywords, const ridge_py_call *call,
                               ridge_py_interp *in)
{
    if (next < call->count)
        return ridge_py_raise(in, "TypeError", "%s() takes %zu positional argument%s but %zu were given", call->function->name, next,
                              RIDGE_PLURAL(next), call->count);
    for (size_t i = 0; i < call->keyword_count && !takes_keywords; i++)
        if (!is_named(s, call->keywords[i].name))
            return ridge_py_raise(in, "TypeError", "%s() got an unexpected keyword argument '%s'", call->function->name,
                                  call->keywords[i].name->text);
    return RIDGE_OK;
}

ridge_status ridge_py_bind(ridge_py *values, size_t count, const ridge_py_call *call, ridge_py_interp *in)
{
    const struct ridge_py_signature *s = NULL;
    bool takes_keywords = false;
    size_t next = 0;
    ridge_status st = signature_of(&s, call->function->parameters ? call->function->parameters : "*args, **kwargs", in);
    if (!st && s->count > count)
        return ridge_fail(in->err, RIDGE_ARITY, "%s() has %zu parameters where %zu are expected", call->function->name, s->count, count);
    for (size_t i = 0; !st && i < s->count; i++) {
        const parameter *p = &s->items[i];
        if (p->kind == RIDGE_PY_REST) {
            st = take_rest(&values[i], p, &next, call, in);
        } else if (p->kind == RIDGE_PY_REST_KEYWORDS) {
            takes_keywords = true;
            st = take_keywords(&values[i], s, call, in);
        } else {
            st = take_one(&values[i], p, &next, call, in);
        }
    }
    for (size_t i = st || !s ? count : s->count; i < count; i++)
        values[i] = ridge_py_unset();
    return st ? st : check_left(s, next, takes_keywords, call, in);
}

/* ---- making them ---- */

ridge_status ridge_py_native_function(ridge_py *out, const char *name, ridge_py_native_call *call, const char *parameters, const void *data,
                                      ridge_py_interp *in)
{
    ridge_py_native *n = ridge_arena_alloc(in->arena, sizeof *n);
    if (!n)
        return ridge_no_memory(in->err);
    *n = (ridge_py_native){.name = name, .call = call, .parameters = parameters, .data = data};
    *out = (ridge_py){.type = RIDGE_PY_T_NATIVE, .u.native = n};
    return RIDGE_OK;
}

static ridge_status add_entries(ridge_py_scope *scope, const ridge_py_native_entry *entries, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < count && !st; i++) {
        ridge_py f;
        const ridge_symbol *name = ridge_py_symbol(in, entries[i].name);
        if (!name)
            return ridge_no_memory(in->err);
        st = ridge_py_native_function(&f, entries[i].name, entries[i].call, entries[i].parameters, NULL, in);
        if (!st)
            st = ridge_py_scope_set(scope, name, f, in);
    }
    return st;
}

ridge_status ridge_py_native_module(ridge_py_module **out, const char *name, const ridge_py_native_entry *entries, size_t count,
                                    ridge_py_interp *in)
{
    ridge_py_module *m = ridge_arena_alloc(in->arena, sizeof *m);
    if (!m)
        return ridge_no_memory(in->err);
    *m = (ridge_py_module){.name = name, .executed = true};
    ridge_status st = add_entries(&m->globals, entries, count, in);
    if (!st)
        st = ridge_py_dict_setz(in->modules, name, (ridge_py){.type = RIDGE_PY_T_MODULE, .u.module = m}, in);
    *out = m;
    return st;
}

ridge_status ridge_py_native_class(ridge_py_class **out, const char *name, ridge_py_class *const *bases, size_t base_count,
                                   const ridge_py_native_entry *methods, size_t count, ridge_py_interp *in)
{
    const ridge_symbol *symbol = ridge_py_symbol(in, name);
    if (!symbol)
        return ridge_no_memory(in->err);
    ridge_status st = ridge_py_new_class(out, symbol, bases, base_count, NULL, in);
    return st ? st : add_entries(&(*out)->attributes, methods, count, in);
}
