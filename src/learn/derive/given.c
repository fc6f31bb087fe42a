#include "learn/derive/given.h"

#include <stdlib.h>

typedef struct words {
    const char *option, *form; /* for messages: "inputs", "NAME=SIZE,...[:DTYPE]" */
    ridge_json_writer w;
    ridge_buf text;
    ridge_err *err;
} words;

static ridge_status bad(const words *g, ridge_str word, const char *why)
{
    return ridge_fail(g->err, RIDGE_USAGE, "\376%s: '%.*s' %s (%s)", g->option, RIDGE_STR_ARG(word), why, g->form);
}

/* the text up to one of the characters of `ends`, which is taken away from `rest` with it */
static ridge_str take(ridge_str *rest, const char *ends)
{
    size_t n = 0;
    while (n < rest->n && !strchr(ends, rest->p[n]))
        n++;
    const ridge_str part = {rest->p, n};
    const size_t gone = n < rest->n ? n + 1 : n;
    *rest = (ridge_str){rest->p + gone, rest->n - gone};
    return part;
}

static bool is_name(ridge_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        const char c = text.p[i];
        if (c != '_' && !(ridge_lower(c) >= 'a' && ridge_lower(c) <= 'z') && !(i > 0 && ridge_is_digit(c)))
            return false;
    }
    return text.n > 0;
}

/* 64, 0.5, true, None, gelu, [2,2] */
static void add_value(words *g, ridge_str text)
{
    ridge_rational number;
    if (text.n > 1 && text.p[0] == '[' && text.p[text.n - 1] == ']') {
        ridge_str rest = {text.p + 1, text.n - 2};
        ridge_jw_array_compact(&g->w);
        while (rest.n > 0)
            add_value(g, take(&rest, ","));
        ridge_jw_end_array(&g->w);
    } else if (ridge_str_is(text, "True") || ridge_str_is(text, "true")) {
        ridge_jw_bool(&g->w, true);
    } else if (ridge_str_is(text, "False") || ridge_str_is(text, "false")) {
        ridge_jw_bool(&g->w, false);
    } else if (ridge_str_is(text, "None") || ridge_str_is(text, "null")) {
        ridge_jw_null(&g->w);
    } else if (ridge_rational_parse(&number, text) && text.p[0] != '+') {
        ridge_jw_raw(&g->w, text);
    } else {
        ridge_jw_str(&g->w, text);
    }
}

static ridge_status add_argument(words *g, ridge_str word, ridge_str name, ridge_str value)
{
    if (value.n == 0)
        return bad(g, word, "gives no value");
    ridge_jw_key_str(&g->w, name);
    add_value(g, value);
    return RIDGE_OK;
}

static ridge_status add_size(words *g, ridge_str word, ridge_str size)
{
    ridge_int number;
    if (ridge_str_is(size, "B") || ridge_str_is(size, "S") || ridge_str_is(size, "past"))
        ridge_jw_str(&g->w, size);
    else if (ridge_int_parse(&number, size) && number >= 0 && number < (ridge_int)1 << 40)
        ridge_jw_int(&g->w, number);
    else
        return bad(g, word, "has a size that is neither a number nor B, S or past");
    return RIDGE_OK;
}

static ridge_status add_input(words *g, ridge_str word, ridge_str name, ridge_str value)
{
    ridge_status st = RIDGE_OK;
    ridge_str shape = take(&value, ":");
    ridge_jw_key_str(&g->w, name);
    ridge_jw_object_compact(&g->w);
    ridge_jw_key(&g->w, "shape");
    ridge_jw_array_compact(&g->w);
    while (shape.n > 0 && !st)
        st = add_size(g, word, take(&shape, ","));
    ridge_jw_end_array(&g->w);
    if (value.n > 0) {
        ridge_jw_key(&g->w, "dtype");
        ridge_jw_str(&g->w, value);
    }
    ridge_jw_end_object(&g->w);
    return st ? st : value.n > 0 && !is_name(value) ? bad(g, word, "has a dtype that is none (float32, int64, bool)") : RIDGE_OK;
}

static ridge_status read(const ridge_json **out, words *g, const char *text, ridge_status (*add)(words *, ridge_str, ridge_str, ridge_str), ridge_arena *arena)
{
    ridge_str rest = ridge_str_of(text);
    ridge_status st = RIDGE_OK;
    ridge_jw_init(&g->w, &g->text);
    ridge_jw_object_compact(&g->w);
    while (rest.n > 0 && !st) {
        const ridge_str word = take(&rest, " \t\n");
        ridge_str value = word;
        if (word.n == 0)
            continue;
        const ridge_str name = take(&value, "=");
        st = is_name(name) && name.n < word.n ? add(g, word, name, value) : bad(g, word, "names nothing");
    }
    ridge_jw_end_object(&g->w);
    const size_t length = g->text.n;
    const char *made = st ? NULL : ridge_arena_take(arena, &g->text);
    ridge_buf_free(&g->text);
    if (st || !made)
        return st ? st : ridge_no_memory(g->err);
    ridge_json *json;
    if ((st = ridge_json_parse(&json, (ridge_str){made, length}, g->option, (ridge_json_options){0}, arena, g->err)))
        return st;
    *out = json;
    return RIDGE_OK;
}

/* ---- as Python has it ---- */

static ridge_status add_member(ridge_py *out, const ridge_json_member *m, ridge_py_interp *in)
{
    ridge_py key, value;
    ridge_status st = ridge_given_value(&value, &m->value, in);
    if (!st)
        st = ridge_py_str(&key, m->key, in);
    return st ? st : ridge_py_dict_set(out->u.dict, key, value, in);
}

ridge_status ridge_given_value(ridge_py *out, const ridge_json *json, ridge_py_interp *in)
{
    ridge_int number;
    ridge_py item;
    ridge_status st = RIDGE_OK;
    switch (json->type) {
    case RIDGE_JSON_OBJECT:
        st = ridge_py_new_dict(out, RIDGE_PY_T_DICT, in);
        for (uint32_t i = 0; i < json->count && !st; i++)
            st = add_member(out, &json->u.members[i], in);
        return st;
    case RIDGE_JSON_ARRAY:
        st = ridge_py_new_list(out, RIDGE_PY_T_LIST, json->count, in);
        for (uint32_t i = 0; i < json->count && !st; i++)
            if (!(st = ridge_given_value(&item, &json->u.items[i], in)))
                st = ridge_py_append(out->u.list, item, in);
        return st;
    case RIDGE_JSON_NUMBER:
        *out = ridge_int_parse(&number, json->u.text) ? ridge_py_int((int64_t)number) : ridge_py_none();
        return RIDGE_OK;
    case RIDGE_JSON_STRING: return ridge_py_str(out, json->u.text, in);
    default: *out = ridge_py_none(); return RIDGE_OK;
    }
}

ridge_status ridge_given_arguments(const ridge_json **out, const char *text, ridge_arena *arena, ridge_err *err)
{
    words g = {.option = "arguments", .form = "NAME=VALUE ...", .err = err};
    return read(out, &g, text, add_argument, arena);
}

ridge_status ridge_given_inputs(const ridge_json **out, const char *text, ridge_arena *arena, ridge_err *err)
{
    words g = {.option = "inputs", .form = "NAME=SIZE,SIZE...[:DTYPE] ...", .err = err};
    return read(out, &g, text, add_input, arena);
}
