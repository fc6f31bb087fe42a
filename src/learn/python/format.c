/* format(), str.format() and the % of texts. */
#include "learn/python/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* [[fill]align][sign][#][0][width][,][.precision][type] */
struct spec {
    char fill, align, sign, type;
    bool alternate, comma;
    int width, precision; /* -1: none */
};

static int read_number(ridge_str *s)
{
    int n = 0;
    while (s->n && ridge_is_digit(*s->p) && n < 10000) {
        n = n * 10 + (*s->p - '0');
        s->p++;
        s->n--;
    }
    return n;
}

static bool take(ridge_str *s, const char *any, char *out)
{
    if (!s->n || !strchr(any, *s->p))
        return false;
    *out = *s->p;
    s->p++;
    s->n--;
    return true;
}

static struct spec read_spec(ridge_str s)
{
    struct spec spec = {.fill = ' ', .precision = -1};
    char c;
    if (s.n >= 2 && strchr("<>^=", s.p[1])) {
        spec.fill = s.p[0];
        spec.align = s.p[1];
        s = (ridge_str){s.p + 2, s.n - 2};
    } else {
        take(&s, "<>^=", &spec.align);
    }
    take(&s, "+- ", &spec.sign);
    spec.alternate = take(&s, "#", &c);
    if (take(&s, "0", &c) && !spec.align) {
        spec.fill = '0';
        spec.align = '=';
    }
    spec.width = read_number(&s);
    spec.comma = take(&s, ",_", &c);
    if (take(&s, ".", &c))
        spec.precision = read_number(&s);
    take(&s, "bcdeEfFgGnosxX%", &spec.type);
    return spec;
}

static void pad(ridge_buf *buf, ridge_str text, struct spec spec, char usual)
{
    size_t missing = (size_t)spec.width > text.n ? (size_t)spec.width - text.n : 0;
    char align = spec.align ? spec.align : usual;
    size_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
    if (align == '=' && text.n && (text.p[0] == '-' || text.p[0] == '+')) {
        ridge_buf_addc(buf, text.p[0]);
        text = (ridge_str){text.p + 1, text.n - 1};
    }
    for (size_t i = 0; i < left; i++)
        ridge_buf_addc(buf, spec.fill);
    ridge_buf_add(buf, text);
    for (size_t i = left; i < missing; i++)
        ridge_buf_addc(buf, spec.fill);
}

static void group(ridge_buf *out, ridge_str digits)
{
    size_t sign = digits.n && !ridge_is_digit(digits.p[0]), end = sign;
    while (end < digits.n && ridge_is_digit(digits.p[end]))
        end++;
    for (size_t i = 0; i < digits.n; i++) {
        if (i > sign && i < end && (end - i) % 3 == 0)
            ridge_buf_addc(out, ',');
        ridge_buf_addc(out, digits.p[i]);
    }
}

static void print_base(ridge_buf *text, int64_t v, struct spec spec)
{
    char digits[72];
    size_t n = sizeof digits;
    unsigned base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : 16;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do {
        digits[--n] = (spec.type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[rest % base];
        rest /= base;
    } while (rest);
    if (v < 0)
        ridge_buf_addc(text, '-');
    if (spec.alternate)
        ridge_buf_addf(text, "0%c", spec.type);
    ridge_buf_add(text, (ridge_str){digits + n, sizeof digits - n});
}

static void print_real(ridge_buf *text, double v, struct spec spec)
{
    char format[16], out[400];
    char type = spec.type == '%' ? 'f' : spec.type ? spec.type : 'g';
    snprintf(format, sizeof format, "%%%s.*%c", spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "", type == 'n' ? 'g' : type);
    snprintf(out, sizeof out, format, spec.precision < 0 ? 6 : spec.precision > 100 ? 100 : spec.precision, spec.type == '%' ? v * 100 : v);
    ridge_buf_addz(text, out);
    if (spec.type == '%')
        ridge_buf_addc(text, '%');
}

static ridge_status print_number(ridge_buf *text, ridge_py v, struct spec spec, ridge_py_interp *in)
{
    if (spec.type && strchr("boxX", spec.type)) {
        print_base(text, ridge_py_integer(v), spec);
        return RIDGE_OK;
    }
    if (spec.type == 'c') {
        char utf8[4];
        char *end = ridge_utf8_put(utf8, (uint32_t)ridge_py_integer(v));
        ridge_buf_add(text, (ridge_str){utf8, (size_t)(end - utf8)});
        return RIDGE_OK;
    }
    if (spec.type == 'd' && v.type == RIDGE_PY_T_FLOAT)
        v = ridge_py_int((int64_t)v.u.f);
    if ((spec.type && strchr("eEfFgGn%", spec.type) && !(spec.type == 'n' && v.type != RIDGE_PY_T_FLOAT)) || spec.precision >= 0) {
        print_real(text, ridge_py_double(v), spec);
        return RIDGE_OK;
    }
    if (spec.sign == '+' && ridge_py_double(v) >= 0)
        ridge_buf_addc(text, '+');
    return ridge_py_print(text, v.type == RIDGE_PY_T_BOOL && spec.type ? ridge_py_int(v.u.b) : v, false, in);
}

ridge_status ridge_py_format(ridge_buf *buf, ridge_py v, ridge_str spec_text, ridge_py_interp *in)
{
    ridge_buf text = {0}, grouped = {0};
    struct spec spec = read_spec(spec_text);
    ridge_py base = ridge_py_base(v);
    bool number = ridge_py_is_number(base) && spec.type != 's';
    ridge_status st;
    if (!spec_text.n)
        return ridge_py_print(buf, v, false, in);
    st = number ? print_number(&text, base, spec, in) : ridge_py_print(&text, v, false, in);
    if (!st && !number && spec.precision >= 0 && (size_t)spec.precision < text.n)
        text.n = (size_t)spec.precision;
    if (!st && spec.comma) {
        group(&grouped, (ridge_str){text.p ? text.p : "", text.n});
        pad(buf, (ridge_str){grouped.p ? grouped.p : "", grouped.n}, spec, '>');
    } else if (!st) {
        pad(buf, (ridge_str){text.p ? text.p : "", text.n}, spec, number ? '>' : '<');
    }
    if (!st && (text.failed || grouped.failed || buf->failed))
        st = ridge_no_memory(in->err);
    ridge_buf_free(&text);
    ridge_buf_free(&grouped);
    return st;
}

/* ---- '%s has %d' % (name, n) ---- */

static ridge_status percent_value(ridge_py *out, ridge_str key, ridge_py args, size_t *at, ridge_py_interp *in)
{
    ridge_py k;
    ridge_status st;
    if (key.p) {
        if ((st = ridge_py_str(&k, key, in)))
            return st;
        return ridge_py_get_item(out, args, k, in);
    }
    if (args.type != RIDGE_PY_T_TUPLE) {
        *out = args;
        return (*at)++ ? ridge_py_raise(in, "TypeError", "not enough arguments for format string") : RIDGE_OK;
    }
    if (*at >= args.u.list->count)
        return ridge_py_raise(in, "TypeError", "not enough arguments for format string");
    *out = args.u.list->items[(*at)++];
    return RIDGE_OK;
}

static ridge_status percent_one(ridge_buf *buf, ridge_str *s, ridge_py args, size_t *at, const char **origin, ridge_py_interp *in)
{
    ridge_str key = {0}, spec = {0};
    ridge_py v;
    ridge_status st;
    if (s->n && *s->p == '(') {
        const char *end = memchr(s->p, ')', s->n);
        if (!end)
            return ridge_py_raise(in, "ValueError", "incomplete format key");
        key = (ridge_str){s->p + 1, (size_t)(end - s->p - 1)};
        *s = (ridge_str){end + 1, s->n - (size_t)(end + 1 - s->p)};
    }
    spec.p = s->p;
    while (s->n && strchr("-+ #0123456789.*", *s->p)) {
        s->p++;
        s->n--;
    }
    spec.n = (size_t)(s->p - spec.p);
    char type = s->n ? *s->p : 's';
    if (s->n) {
        s->p++;
        s->n--;
    }
    if ((st = percent_value(&v, key, args, at, in)))
        return st;
    *origin = ridge_py_text_origin(*origin, v, in);
    if (type == 's' || type == 'r' || type == 'a')
        return ridge_py_print(buf, v, type != 's', in);
    if (type == 'i' || type == 'u')
        type = 'd';
    char *whole = ridge_arena_printf(in->arena, "%.*s%c", RIDGE_STR_ARG(spec), type);
    return whole ? ridge_py_format(buf, v, ridge_str_of(whole), in) : ridge_no_memory(in->err);
}

static ridge_status finish(ridge_py *out, ridge_buf *buf, ridge_status st, const char *origin, ridge_py_interp *in)
{
    if (!st)
        st = buf->failed ? ridge_no_memory(in->err) : ridge_py_str(out, (ridge_str){buf->p ? buf->p : "", buf->n}, in);
    if (!st)
        out->by.origin = origin;
    ridge_buf_free(buf);
    return st;
}

ridge_status ridge_py_percent(ridge_py *out, ridge_py text, ridge_py args, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    ridge_str s = text.u.s->text;
    const char *origin = ridge_py_text_origin(NULL, text, in);
    size_t at = 0;
    ridge_status st = RIDGE_OK;
    while (s.n && !st) {
        char c = *s.p++;
        s.n--;
        if (c != '%') {
            ridge_buf_addc(&buf, c);
        } else if (s.n && *s.p == '%') {
            ridge_buf_addc(&buf, '%');
            s.p++;
            s.n--;
        } else {
            st = percent_one(&buf, &s, args, &at, &origin, in);
        }
    }
    return finish(out, &buf, st, origin, in);
}

/* ---- '{} has {n:>4}'.format(name, n=2) ---- */

struct fields {
    const ridge_py_call *call; /* args[0] is the text */
    size_t next;
    const char *origin;
    ridge_py_interp *in;
};

static ridge_status field_start(ridge_py *out, struct fields *f, ridge_str name)
{
    size_t at = f->next + 1;
    if (!name.n)
        f->next++;
    else if (ridge_is_digit(name.p[0]))
        at = (size_t)strtoul(name.p, NULL, 10) + 1;
    else {
        for (size_t i = 0; i < f->call->keyword_count; i++)
            if (ridge_str_is(name, f->call->keywords[i].name->text)) {
                *out = f->call->keywords[i].value;
                return RIDGE_OK;
            }
        return ridge_py_raise(f->in, "KeyError", "'%.*s'", RIDGE_STR_ARG(name));
    }
    if (at >= f->call->count)
        return ridge_py_raise(f->in, "IndexError", "Replacement index %zu out of range for positional args tuple", at - 1);
    *out = f->call->args[at];
    return RIDGE_OK;
}

/* name, name.attribute, name[index] */
static ridge_status field_value(ridge_py *out, struct fields *f, ridge_str path)
{
    size_t n = 0;
    ridge_py key;
    while (n < path.n && path.p[n] != '.' && path.p[n] != '[')
        n++;
    ridge_status st = field_start(out, f, (ridge_str){path.p, n});
    while (!st && n < path.n) {
        bool item = path.p[n] == '[';
        size_t start = ++n;
        while (n < path.n && (item ? path.p[n] != ']' : path.p[n] != '.' && path.p[n] != '['))
            n++;
        ridge_str part = {path.p + start, n - start};
        char *text = ridge_arena_strdup(f->in->arena, part);
        if (!text)
            return ridge_no_memory(f->in->err);
        if (!item)
            st = ridge_py_getz(out, *out, text, f->in);
        else if (part.n && ridge_is_digit(part.p[0]))
            st = ridge_py_get_item(out, *out, ridge_py_int(strtol(text, NULL, 10)), f->in);
        else if (!(st = ridge_py_str(&key, part, f->in)))
            st = ridge_py_get_item(out, *out, key, f->in);
        n += item && n < path.n;
    }
    return st;
}

static ridge_status field(ridge_buf *buf, struct fields *f, ridge_str text)
{
    ridge_str spec = {"", 0};
    char conversion = 0;
    ridge_py v;
    const char *colon = text.n ? memchr(text.p, ':', text.n) : NULL;
    if (colon) {
        spec = (ridge_str){colon + 1, text.n - (size_t)(colon + 1 - text.p)};
        text.n = (size_t)(colon - text.p);
    }
    if (text.n >= 2 && text.p[text.n - 2] == '!') {
        conversion = text.p[text.n - 1];
        text.n -= 2;
    }
    ridge_status st = field_value(&v, f, text);
    if (st)
        return st;
    f->origin = ridge_py_text_origin(f->origin, v, f->in);
    if (conversion == 'r')
        return ridge_py_print(buf, v, true, f->in);
    return ridge_py_format(buf, v, spec, f->in);
}

ridge_status ridge_py_str_format(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    ridge_str s = call->args[0].u.s->text;
    struct fields f = {call, 0, ridge_py_text_origin(NULL, call->args[0], in), in};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < s.n && !st; i++) {
        char c = s.p[i];
        if ((c == '{' || c == '}') && i + 1 < s.n && s.p[i + 1] == c) {
            ridge_buf_addc(&buf, c);
            i++;
        } else if (c == '{') {
            const char *end = memchr(s.p + i, '}', s.n - i);
            if (!end) {
                st = ridge_py_raise(in, "ValueError", "expected '}' before end of string");
                break;
            }
            st = field(&buf, &f, (ridge_str){s.p + i + 1, (size_t)(end - s.p) - i - 1});
            i = (size_t)(end - s.p);
        } else {
            ridge_buf_addc(&buf, c);
        }
    }
    return finish(out, &buf, st, f.origin, in);
}
