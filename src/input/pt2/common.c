#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "input/pt2/parts.h"

ridge_status pt2_bad(pt2_reader *r, ridge_status code, const ridge_json *at, const char *fmt, ...)
{
    char message[PT2_SHOWN];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return ridge_fail_at(r->err, code, r->json_path, at->line, at->col, "%s", message);
}

const char *pt2_shown(pt2_reader *r, ridge_str text)
{
    return ridge_weight_shown(r->scratch, text);
}

ridge_status pt2_keep(ridge_str *out, pt2_reader *r, ridge_str text)
{
    const ridge_symbol *symbol = ridge_intern(&r->texts, text);
    if (!symbol)
        return ridge_no_memory(r->err);
    *out = (ridge_str){symbol->text, symbol->len};
    return RIDGE_OK;
}

ridge_status pt2_member(const ridge_json **out, pt2_reader *r, const ridge_json *object, const char *key, ridge_json_type type)
{
    const ridge_json *v = ridge_json_get(object, key);
    *out = v;
    if (v && v->type == type)
        return RIDGE_OK;
    if (v)
        return pt2_bad(r, RIDGE_TYPE, v, "'%s': want %s, found %s", key, ridge_json_type_name(type), ridge_json_type_name(v->type));
    if (object->type == RIDGE_JSON_OBJECT)
        return pt2_bad(r, RIDGE_TYPE, object, "there is no '%s' here", key);
    return pt2_bad(r, RIDGE_TYPE, object, "want an object with '%s', found %s", key, ridge_json_type_name(object->type));
}

ridge_status pt2_text(ridge_str *out, pt2_reader *r, const ridge_json *object, const char *key)
{
    const ridge_json *v;
    ridge_status st = pt2_member(&v, r, object, key, RIDGE_JSON_STRING);
    if (!st)
        *out = v->u.text;
    return st;
}

ridge_status pt2_union(const ridge_json_member **out, pt2_reader *r, const ridge_json *v, const char *what)
{
    *out = NULL;
    if (v->type != RIDGE_JSON_OBJECT)
        return pt2_bad(r, RIDGE_TYPE, v, "%s: want an object, found %s", what, ridge_json_type_name(v->type));
    for (uint32_t i = 0; i < v->count; i++) {
        const ridge_json_member *m = &v->u.members[i];
        if (m->value.type == RIDGE_JSON_NULL)
            continue;
        if (*out)
            return pt2_bad(r, RIDGE_VALUE, &m->value, "%s is '%s' and '%s' at once", what, pt2_shown(r, (*out)->key), pt2_shown(r, m->key));
        *out = m;
    }
    return *out ? RIDGE_OK : pt2_bad(r, RIDGE_VALUE, v, "%s is nothing: all its members are null", what);
}

ridge_status pt2_whole(int64_t *out, pt2_reader *r, const ridge_json *v)
{
    ridge_int value;
    if (v->type != RIDGE_JSON_NUMBER)
        return pt2_bad(r, RIDGE_TYPE, v, "want a whole number, found %s", ridge_json_type_name(v->type));
    if (!ridge_int_parse(&value, v->u.text) || value != (int64_t)value)
        return pt2_bad(r, RIDGE_VALUE, v, "'%s' is no whole number of 64 bits", pt2_shown(r, v->u.text));
    *out = (int64_t)value;
    return RIDGE_OK;
}

/* whatever the program's locale; JSON has looked at its characters */
static double real_of(const char *text)
{
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const double value = c != (locale_t)0 ? strtod_l(text, NULL, c) : strtod(text, NULL);
    if (c != (locale_t)0)
        freelocale(c);
    return value;
}

ridge_status pt2_real(double *out, pt2_reader *r, const ridge_json *v)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"Infinity", HUGE_VAL}, {"-Infinity", -HUGE_VAL}, {"NaN", (double)NAN}};
    char text[64];
    if (v->type != RIDGE_JSON_NUMBER && v->type != RIDGE_JSON_STRING)
        return pt2_bad(r, RIDGE_TYPE, v, "want a number, found %s", ridge_json_type_name(v->type));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ridge_str_is(v->u.text, words[i].word)) {
            *out = words[i].value;
            return RIDGE_OK;
        }
    if (v->type == RIDGE_JSON_STRING || v->u.text.n >= sizeof text)
        return pt2_bad(r, RIDGE_VALUE, v, "'%s' is no number", pt2_shown(r, v->u.text));
    memcpy(text, v->u.text.p, v->u.text.n);
    text[v->u.text.n] = '\0';
    *out = real_of(text);
    return RIDGE_OK;
}

ridge_status pt2_push(pt2_reader *r, pt2_ids *ids, uint32_t id)
{
    if (!ridge_arena_more(r->scratch, &ids->at, ids->count, &ids->cap, sizeof *ids->at))
        return ridge_no_memory(r->err);
    ids->at[ids->count++] = id;
    return RIDGE_OK;
}

ridge_status pt2_keep_ids(const uint32_t **out, uint32_t *count, pt2_reader *r, const pt2_ids *ids)
{
    uint32_t *at = ridge_arena_array(r->arena, ids->count + 1, sizeof *at);
    if (!at)
        return ridge_no_memory(r->err);
    if (ids->count)
        memcpy(at, ids->at, ids->count * sizeof *at);
    *out = at;
    *count = (uint32_t)ids->count;
    return RIDGE_OK;
}
