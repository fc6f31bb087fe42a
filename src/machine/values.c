#include "machine/values.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- errors ---- */

ridge_status ridge_read_fail(const ridge_reader *r, ridge_status code, const ridge_json *at, const char *fmt, ...)
{
    char message[400];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    ridge_status st = ridge_fail_at(r->err, code, r->file, at->line, at->col, "%s", message);
    ridge_err_excerpt(r->err, r->text.p, r->text.n, (size_t)(at->begin - r->text.p), (size_t)(at->end - at->begin));
    return st;
}

static ridge_status wrong_type(const ridge_reader *r, const ridge_json *v, const char *what, const char *wanted)
{
    return ridge_read_fail(r, RIDGE_TYPE, v, "\"%s\": expected %s, found %s", what, wanted, ridge_json_type_name(v->type));
}

ridge_status ridge_read_type(const ridge_reader *r, const ridge_json *v, ridge_json_type type, const char *what, const char *wanted)
{
    return v->type == type ? RIDGE_OK : wrong_type(r, v, what, wanted);
}

/* the byte that a line and column of the text mean */
static size_t offset_of(ridge_str text, uint32_t line, uint32_t col)
{
    size_t at = 0;
    for (uint32_t i = 1; i < line && at < text.n; i++) {
        const char *end = memchr(text.p + at, '\n', text.n - at);
        at = end ? (size_t)(end - text.p) + 1 : text.n;
    }
    return at + col - 1 < text.n ? at + col - 1 : text.n;
}

ridge_json ridge_read_key(const ridge_reader *r, const ridge_json_member *m)
{
    const char *begin = r->text.p + offset_of(r->text, m->line, m->col);
    return (ridge_json){.line = m->line, .col = m->col, .begin = begin, .end = begin + m->key.n + 2};
}

/* Keys of other tools carry a unit ("mem_bw_gbs"): ours are in base units. */
static const char *unit_hint(ridge_str key)
{
    static const char *const units[] = {"_gbs", "_gb", "_gib", "_mib", "_kib", "_tbs", "_tflops", "_gflops", "_mhz", "_ghz", "_us", "_ms"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ridge_str_ends(key, ridge_str_of(units[i])))
            return "; numbers are in FLOP/s, bytes/s, bytes, Hz, seconds, watts, and 1 GB/s is 1e9";
    return "";
}

ridge_status ridge_read_unknown_key(const ridge_reader *r, const ridge_json_member *m, const char *where, const char *nearest)
{
    ridge_json at = ridge_read_key(r, m);
    return ridge_read_fail(r, RIDGE_NAME, &at, "unknown key \"%.*s\" in %s%s%s%s%s", m->key.n > 60 ? 60 : (int)m->key.n, m->key.p, where,
                           nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "", unit_hint(m->key));
}

ridge_status ridge_read_word(const ridge_reader *r, size_t *out, const ridge_json *v, const char *what, const char *const *names)
{
    ridge_nearest near = {0};
    if (v->type != RIDGE_JSON_STRING)
        return wrong_type(r, v, what, "a string");
    for (*out = 0; names[*out]; ++*out) {
        if (ridge_str_is(v->u.text, names[*out]))
            return RIDGE_OK;
        ridge_nearest_offer(&near, v->u.text, names[*out]);
    }
    int n = v->u.text.n > 60 ? 60 : (int)v->u.text.n;
    if (near.best)
        return ridge_read_fail(r, RIDGE_NAME, v, "unknown %s \"%.*s\"; did you mean \"%s\"?", what, n, v->u.text.p, near.best);
    ridge_buf all = {0};
    for (size_t i = 0; names[i]; i++)
        ridge_buf_addf(&all, "%s%s", i == 0 ? "" : ", ", names[i]);
    ridge_status st = ridge_read_fail(r, RIDGE_NAME, v, "unknown %s \"%.*s\"; there are %s", what, n, v->u.text.p, all.p ? all.p : "");
    ridge_buf_free(&all);
    return st;
}

/* ---- texts ---- */

ridge_status ridge_read_text(const ridge_reader *r, const char **out, const ridge_json *v, const char *what)
{
    *out = NULL;
    if (v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    if (v->type != RIDGE_JSON_STRING)
        return wrong_type(r, v, what, "a string or null");
    if (v->u.text.n == 0 || memchr(v->u.text.p, '\0', v->u.text.n))
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is empty; leave out what is not known", what);
    *out = ridge_arena_strdup(r->arena, v->u.text);
    return *out ? RIDGE_OK : ridge_no_memory(r->err);
}

/* ---- numbers ---- */

static ridge_status check_number(const ridge_reader *r, ridge_rational *out, const ridge_json *v, const char *what, ridge_unit unit)
{
    if (v->type == RIDGE_JSON_STRING)
        return ridge_read_fail(r, RIDGE_TYPE, v, "\"%s\" is a number in %s, not a string: %s", what, ridge_quantities[unit].name,
                               ridge_quantities[unit].example);
    if (v->type != RIDGE_JSON_NUMBER)
        return wrong_type(r, v, what, "a number or null");
    if (!ridge_rational_parse(out, v->u.text))
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is no finite number of %s, or too long for one", what,
                               ridge_quantities[unit].name);
    if (out->num < 0)
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is negative", what);
    return RIDGE_OK;
}

ridge_status ridge_read_whole(const ridge_reader *r, int64_t *out, const ridge_json *v, const char *what, ridge_unit unit)
{
    ridge_rational value;
    *out = RIDGE_MACHINE_UNKNOWN;
    if (v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    ridge_status st = check_number(r, &value, v, what, unit);
    if (st)
        return st;
    if (value.den != 1)
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is no whole number of %s: %s", what, ridge_quantities[unit].name,
                               ridge_quantities[unit].example);
    if (value.num == 0)
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is 0; leave out, or write null for, what is not known or not there", what);
    if (value.num > INT64_MAX)
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is more than %lld %s", what, (long long)INT64_MAX, ridge_quantities[unit].name);
    *out = (int64_t)value.num;
    return RIDGE_OK;
}

ridge_status ridge_read_seconds(const ridge_reader *r, double *out, const ridge_json *v, const char *what)
{
    ridge_rational value;
    *out = RIDGE_MACHINE_UNKNOWN;
    if (v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    ridge_status st = check_number(r, &value, v, what, RIDGE_UNIT_SECONDS);
    if (st)
        return st;
    if (value.num >= value.den)
        return ridge_read_fail(r, RIDGE_VALUE, v, "\"%s\" is a second or more: %s", what, ridge_quantities[RIDGE_UNIT_SECONDS].example);
    *out = ridge_rational_double(value);
    return RIDGE_OK;
}
