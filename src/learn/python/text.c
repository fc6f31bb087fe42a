/* Values as text: str(), repr(), format() and the texts of numbers. */
#include "learn/python/format.h"
#include "learn/python/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEP = 100 };

/* ---- numbers ---- */

/* 1.0, 1e-05, 1e+16, inf: the shortest text that reads back */
static void print_float(ridge_buf *buf, double v)
{
    char text[64];
    if (isnan(v) || isinf(v)) {
        ridge_buf_addz(buf, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    int digits = 1;
    snprintf(text, sizeof text, "%.0e", v);
    while (digits < 17 && strtod(text, NULL) != v)
        snprintf(text, sizeof text, "%.*e", digits++, v);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent >= -4 && exponent < 16)
        snprintf(text, sizeof text, "%.*f", digits - 1 - exponent < 1 ? 1 : digits - 1 - exponent, v);
    ridge_buf_addz(buf, text);
}

ridge_status ridge_py_read_int(ridge_py *out, ridge_str text, ridge_py_interp *in)
{
    char digits[80];
    size_t n = 0;
    int base = 10;
    char *end;
    for (size_t i = 0; i < text.n && n + 1 < sizeof digits; i++)
        if (text.p[i] != '_')
            digits[n++] = text.p[i];
    digits[n] = 0;
    const char *at = digits;
    if (digits[0] == '0' && n > 1) {
        char kind = ridge_lower(digits[1]);
        base = kind == 'x' ? 16 : kind == 'b' ? 2 : kind == 'o' ? 8 : 10;
        at += base == 10 ? 0 : 2;
    }
    unsigned long long value = strtoull(at, &end, base);
    bool large = value > (unsigned long long)INT64_MAX || strlen(at) > 60;
    if (*end || end == at)
        return ridge_fail(in->err, RIDGE_SYNTAX, "no number: '%.40s'", digits);
    *out = large ? ridge_py_float(base == 10 ? strtod(at, NULL) : (double)value) : ridge_py_int((int64_t)value);
    return RIDGE_OK;
}

ridge_status ridge_py_read_float(ridge_py *out, ridge_str text, ridge_py_interp *in)
{
    char digits[400];
    size_t n = 0;
    char *end;
    for (size_t i = 0; i < text.n && n + 1 < sizeof digits; i++)
        if (text.p[i] != '_')
            digits[n++] = text.p[i];
    digits[n] = 0;
    *out = ridge_py_float(strtod(digits, &end));
    return *end || end == digits ? ridge_fail(in->err, RIDGE_SYNTAX, "no number: '%.40s'", digits) : RIDGE_OK;
}

/* ---- repr and str ---- */

static ridge_status print(ridge_buf *buf, ridge_py v, bool repr, unsigned depth, ridge_py_interp *in);

static void print_quoted(ridge_buf *buf, ridge_str s)
{
    bool apostrophe = s.n && memchr(s.p, '\'', s.n), quote = s.n && memchr(s.p, '"', s.n);
    char q = apostrophe && !quote ? '"' : '\'';
    ridge_buf_addc(buf, q);
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\n' || c == '\t' || c == '\r' || c == '\\' || c == q) {
            ridge_buf_addc(buf, '\\');
            ridge_buf_addc(buf, c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : c);
        } else if ((unsigned char)c < 32 || c == 127) {
            ridge_buf_addf(buf, "\\x%02x", (unsigned char)c);
        } else {
            ridge_buf_addc(buf, c);
        }
    }
    ridge_buf_addc(buf, q);
}

static ridge_status print_items(ridge_buf *buf, ridge_py v, unsigned depth, ridge_py_interp *in)
{
    const ridge_py_list *list = v.u.list;
    bool tuple = v.type == RIDGE_PY_T_TUPLE;
    ridge_status st = RIDGE_OK;
    ridge_buf_addc(buf, tuple ? '(' : '[');
    for (size_t i = 0; i < list->count && !st; i++) {
        if (i)
            ridge_buf_addz(buf, ", ");
        st = print(buf, list->items[i], true, depth + 1, in);
    }
    ridge_buf_addz(buf, tuple ? (list->count == 1 ? ",)" : ")") : "]");
    return st;
}

static ridge_status print_dict(ridge_buf *buf, ridge_py v, unsigned depth, ridge_py_interp *in)
{
    const ridge_py_dict *d = v.u.dict;
    bool first = true;
    ridge_status st = RIDGE_OK;
    if (v.type == RIDGE_PY_T_SET && !d->count) {
        ridge_buf_addz(buf, "set()");
        return RIDGE_OK;
    }
    ridge_buf_addc(buf, '{');
    for (size_t i = 0; i < d->used && !st; i++) {
        if (d->entries[i].key.type == RIDGE_PY_T_UNSET)
            continue;
        if (!first)
            ridge_buf_addz(buf, ", ");
        first = false;
        st = print(buf, d->entries[i].key, true, depth + 1, in);
        if (!st && v.type == RIDGE_PY_T_DICT) {
            ridge_buf_addz(buf, ": ");
            st = print(buf, d->entries[i].value, true, depth + 1, in);
        }
    }
    ridge_buf_addc(buf, '}');
    return st;
}

static void print_class(ridge_buf *buf, const ridge_py_class *class)
{
    bool native = !class->module || strcmp(class->module->name, "builtins") == 0;
    ridge_buf_addf(buf, "<class '%s%s%s'>", native ? "" : class->module->name, native ? "" : ".", class->name->text);
}

static ridge_status print_instance(ridge_buf *buf, ridge_py v, bool repr, unsigned depth, ridge_py_interp *in)
{
    ridge_py method, r;
    ridge_status st;
    if ((!repr && ridge_py_special_method(&method, v, RIDGE_PY_S(in, STR), in)) ||
        ridge_py_special_method(&method, v, RIDGE_PY_S(in, REPR), in)) {
        if ((st = ridge_py_call_special(&r, method, v, NULL, 0, in)))
            return st;
        r = ridge_py_base(r);
        if (r.type == RIDGE_PY_T_STR)
            ridge_buf_add(buf, r.u.s->text);
        return RIDGE_OK;
    }
    if (ridge_py_base(v).type != RIDGE_PY_T_INSTANCE)
        return print(buf, ridge_py_base(v), repr, depth + 1, in);
    const ridge_py_class *class = v.u.instance->class;
    ridge_buf_addf(buf, "<%s%s%s object at 0x%012x>", class->module ? class->module->name : "", class->module ? "." : "", class->name->text,
                   v.u.instance->id);
    return RIDGE_OK;
}

static ridge_status print_range(ridge_buf *buf, const ridge_py_range *r)
{
    ridge_buf_addf(buf, "range(%lld, %lld", (long long)ridge_py_integer(r->start), (long long)ridge_py_integer(r->stop));
    if (ridge_py_integer(r->step) != 1)
        ridge_buf_addf(buf, ", %lld", (long long)ridge_py_integer(r->step));
    ridge_buf_addc(buf, ')');
    return RIDGE_OK;
}

static void print_word(ridge_buf *buf, const ridge_py_word *w, bool repr)
{
    if (strcmp(w->kind, "device") == 0)
        ridge_buf_addf(buf, repr ? "device(type='%s')" : "%s", w->text);
    else
        ridge_buf_addf(buf, "torch.%s", w->text);
}

static void print_other(ridge_buf *buf, ridge_py v, bool repr)
{
    switch (v.type) {
    case RIDGE_PY_T_WORD:
        print_word(buf, v.u.word, repr);
        break;
    case RIDGE_PY_T_CLASS:
        print_class(buf, v.u.class);
        break;
    case RIDGE_PY_T_MODULE:
        ridge_buf_addf(buf, "<module '%s'>", v.u.module->name);
        break;
    case RIDGE_PY_T_FUNCTION:
        ridge_buf_addf(buf, "<function %s>", v.u.function->name ? v.u.function->name->text : "<lambda>");
        break;
    case RIDGE_PY_T_NATIVE:
        ridge_buf_addf(buf, "<built-in function %s>", v.u.native->name);
        break;
    default:
        ridge_buf_addf(buf, "<%s>", ridge_py_type_text(v));
        break;
    }
}

static ridge_status print(ridge_buf *buf, ridge_py v, bool repr, unsigned depth, ridge_py_interp *in)
{
    if (depth > DEEP || buf->n > (16u << 20))
        return ridge_fail(in->err, RIDGE_LIMIT, "a text that is nested too deeply or too long");
    in->steps++;
    switch (v.type) {
    case RIDGE_PY_T_NONE:
        ridge_buf_addz(buf, "None");
        return RIDGE_OK;
    case RIDGE_PY_T_BOOL:
        ridge_buf_addz(buf, v.u.b ? "True" : "False");
        return RIDGE_OK;
    case RIDGE_PY_T_INT:
        ridge_buf_addf(buf, "%lld", (long long)v.u.i);
        return RIDGE_OK;
    case RIDGE_PY_T_FLOAT:
        print_float(buf, v.u.f);
        return RIDGE_OK;
    case RIDGE_PY_T_STR:
        if (repr)
            print_quoted(buf, v.u.s->text);
        else
            ridge_buf_add(buf, v.u.s->text);
        return RIDGE_OK;
    case RIDGE_PY_T_TUPLE:
    case RIDGE_PY_T_LIST:
        return print_items(buf, v, depth, in);
    case RIDGE_PY_T_DICT:
    case RIDGE_PY_T_SET:
        return print_dict(buf, v, depth, in);
    case RIDGE_PY_T_ELLIPSIS:
        ridge_buf_addz(buf, "Ellipsis");
        return RIDGE_OK;
    case RIDGE_PY_T_RANGE:
        return print_range(buf, v.u.range);
    case RIDGE_PY_T_INSTANCE:
        return print_instance(buf, v, repr, depth, in);
    default:
        print_other(buf, v, repr);
        return RIDGE_OK;
    }
}

ridge_status ridge_py_print(ridge_buf *buf, ridge_py v, bool repr, ridge_py_interp *in)
{
    ridge_status st = print(buf, v, repr, 0, in);
    return st ? st : buf->failed ? ridge_no_memory(in->err) : RIDGE_OK;
}

/* ---- origins of texts that are made of others ---- */

/* "=config.hidden_act == 'silu'": under which conditions a text that v went into is what it is; NULL: always */
const char *ridge_py_text_origin(const char *so_far, ridge_py v, ridge_py_interp *in)
{
    const char *origin = ridge_py_origin(v), *literal;
    ridge_py constant = v;
    v = ridge_py_base(v);
    if (!origin && !ridge_py_has_sym(v))
        return so_far;
    if (origin && origin[0] == '=') {
        literal = NULL;
        origin++;
    } else {
        if (!origin && !(origin = ridge_py_formula(v, in)))
            return so_far;
        constant.by.origin = NULL;
        literal = ridge_py_formula(constant, in);
        if (!literal)
            return so_far;
    }
    if (so_far && strlen(so_far) > 400) /* a message, no key */
        return so_far;
    return ridge_arena_printf(in->arena, "%s%s%s%s%s", so_far ? so_far : "=", so_far ? " and " : "", origin, literal ? " == " : "",
                              literal ? literal : "");
}

ridge_status ridge_py_to_str(ridge_py *out, ridge_py object, bool repr, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    const char *origin = ridge_py_text_origin(NULL, object, in);
    if (object.type == RIDGE_PY_T_STR && !repr) {
        *out = object;
        return RIDGE_OK;
    }
    if (object.type == RIDGE_PY_T_UNKNOWN) {
        *out = object;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_print(&buf, object, repr, in);
    if (!st)
        st = ridge_py_str(out, (ridge_str){buf.p ? buf.p : "", buf.n}, in);
    if (!st)
        out->by.origin = origin;
    ridge_buf_free(&buf);
    return st;
}
