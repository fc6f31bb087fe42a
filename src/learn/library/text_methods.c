/* Methods of str. What is made of a text with an origin holds where that text is what it is. */
#include "learn/library/library.h"
#include "learn/python/format.h"

#include <ctype.h>

static ridge_str self_of(const ridge_py_call *call)
{
    ridge_py v = call->count ? ridge_py_base(call->args[0]) : ridge_py_unset();
    return v.type == RIDGE_PY_T_STR ? v.u.s->text : (ridge_str){"", 0};
}

static ridge_status text_argument(ridge_str *out, const ridge_py_call *call, size_t place, ridge_py_interp *in)
{
    ridge_py v = place < call->count ? ridge_py_base(call->args[place]) : ridge_py_unset();
    if (v.type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "%s() argument must be str, not %s", call->function ? call->function->name : "method",
                              ridge_py_type_text(v));
    *out = v.u.s->text;
    return ridge_py_ask_value(v, in);
}

static ridge_status take_buffer(ridge_py *out, ridge_buf *buf, ridge_status st, ridge_py_interp *in)
{
    if (!st)
        st = buf->failed ? ridge_no_memory(in->err) : ridge_py_str(out, (ridge_str){buf->p ? buf->p : "", buf->n}, in);
    ridge_buf_free(buf);
    return st;
}

/* place of the first needle at or after `from`; SIZE_MAX: none */
static size_t find(ridge_str s, ridge_str needle, size_t from)
{
    for (size_t i = from; i + needle.n <= s.n; i++)
        if (memcmp(s.p + i, needle.p, needle.n) == 0)
            return i;
    return SIZE_MAX;
}

static size_t find_last(ridge_str s, ridge_str needle)
{
    for (size_t i = s.n + 1; i-- > 0;)
        if (i + needle.n <= s.n && memcmp(s.p + i, needle.p, needle.n) == 0)
            return i;
    return SIZE_MAX;
}

/* ---- case ---- */

typedef int per_character(int c);

static ridge_status map_text(ridge_py *out, const ridge_py_call *call, per_character *first, per_character *rest, bool words,
                             ridge_py_interp *in)
{
    ridge_str s = self_of(call);
    ridge_buf buf = {0};
    bool start = true;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        ridge_buf_addc(&buf, c < 128 ? (char)(start ? first(c) : rest(c)) : (char)c);
        start = words && !isalpha(c);
    }
    return take_buffer(out, &buf, RIDGE_OK, in);
}

static ridge_status m_lower(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return map_text(out, call, tolower, tolower, false, in);
}
static ridge_status m_upper(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return map_text(out, call, toupper, toupper, false, in);
}
static ridge_status m_capitalize(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return map_text(out, call, toupper, tolower, false, in);
}
static ridge_status m_title(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return map_text(out, call, toupper, tolower, true, in);
}

/* ---- tests ---- */

static ridge_status all_are(ridge_py *out, const ridge_py_call *call, per_character *is)
{
    ridge_str s = self_of(call);
    bool all = s.n > 0;
    for (size_t i = 0; i < s.n; i++)
        all = all && is((unsigned char)s.p[i]);
    *out = ridge_py_bool(all);
    return RIDGE_OK;
}

static ridge_status m_isdigit(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    return all_are(out, call, isdigit);
}
static ridge_status m_isalpha(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    return all_are(out, call, isalpha);
}
static ridge_status m_isalnum(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    return all_are(out, call, isalnum);
}
static ridge_status m_isspace(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    return all_are(out, call, isspace);
}
static ridge_status m_isupper(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    return all_are(out, call, isupper);
}
static ridge_status m_islower(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    return all_are(out, call, islower);
}
static ridge_status m_isidentifier(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call);
    bool is = s.n > 0 && !ridge_is_digit(s.p[0]);
    (void)in;
    for (size_t i = 0; i < s.n; i++)
        is = is && (isalnum((unsigned char)s.p[i]) || s.p[i] == '_');
    *out = ridge_py_bool(is);
    return RIDGE_OK;
}

static bool affixed(ridge_str s, ridge_str affix, bool at_end)
{
    return at_end ? ridge_str_ends(s, affix) : ridge_str_starts(s, affix);
}

static ridge_status has_affix(ridge_py *out, const ridge_py_call *call, bool at_end, ridge_py_interp *in)
{
    ridge_str s = self_of(call), affix;
    ridge_py v = call->count > 1 ? call->args[1] : ridge_py_unset();
    ridge_status st = ridge_py_arity(call, 2, 4, in);
    bool is = false;
    if (st)
        return st;
    if (call->count > 2) {
        int64_t from;
        if ((st = ridge_py_concrete(&from, call->args[2], in)))
            return st;
        size_t skip = from < 0 ? 0 : (size_t)from < s.n ? (size_t)from : s.n;
        s = (ridge_str){s.p + skip, s.n - skip};
    }
    if (v.type == RIDGE_PY_T_TUPLE) {
        for (size_t i = 0; i < v.u.list->count && !is; i++)
            is = v.u.list->items[i].type == RIDGE_PY_T_STR && affixed(s, v.u.list->items[i].u.s->text, at_end);
    } else {
        if ((st = text_argument(&affix, call, 1, in)))
            return st;
        is = affixed(s, affix, at_end);
    }
    *out = ridge_py_bool(is);
    return RIDGE_OK;
}

static ridge_status m_startswith(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return has_affix(out, call, false, in);
}
static ridge_status m_endswith(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return has_affix(out, call, true, in);
}

/* ---- places ---- */

static ridge_status found_at(ridge_py *out, const ridge_py_call *call, bool last, bool raises, ridge_py_interp *in)
{
    ridge_str s = self_of(call), needle;
    int64_t from = 0;
    ridge_status st = text_argument(&needle, call, 1, in);
    if (!st && call->count > 2 && !last)
        st = ridge_py_concrete(&from, call->args[2], in);
    if (st)
        return st;
    size_t at = last ? find_last(s, needle) : find(s, needle, from < 0 ? 0 : (size_t)from);
    if (at == SIZE_MAX && raises)
        return ridge_py_raise(in, "ValueError", "substring not found");
    *out = ridge_py_int(at == SIZE_MAX ? -1 : (int64_t)at);
    return RIDGE_OK;
}

static ridge_status m_find(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return found_at(out, call, false, false, in);
}
static ridge_status m_rfind(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return found_at(out, call, true, false, in);
}
static ridge_status m_index(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return found_at(out, call, false, true, in);
}
static ridge_status m_count(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call), needle;
    int64_t n = 0;
    ridge_status st = text_argument(&needle, call, 1, in);
    for (size_t at = 0; !st && needle.n && (at = find(s, needle, at)) != SIZE_MAX; at += needle.n)
        n++;
    *out = ridge_py_int(n);
    return st;
}

/* ---- taking off ---- */

static ridge_status strip(ridge_py *out, const ridge_py_call *call, bool left, bool right, ridge_py_interp *in)
{
    ridge_str s = self_of(call), any = RIDGE_STR(" \t\n\r\f\v");
    ridge_status st = RIDGE_OK;
    if (call->count > 1 && call->args[1].type != RIDGE_PY_T_NONE)
        st = text_argument(&any, call, 1, in);
    while (left && s.n && any.n && memchr(any.p, *s.p, any.n))
        s = (ridge_str){s.p + 1, s.n - 1};
    while (right && s.n && any.n && memchr(any.p, s.p[s.n - 1], any.n))
        s.n--;
    return st ? st : ridge_py_str(out, s, in);
}

static ridge_status m_strip(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return strip(out, call, true, true, in);
}
static ridge_status m_lstrip(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return strip(out, call, true, false, in);
}
static ridge_status m_rstrip(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return strip(out, call, false, true, in);
}

static ridge_status m_removeprefix(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call), affix;
    ridge_status st = text_argument(&affix, call, 1, in);
    if (!st && ridge_str_starts(s, affix))
        s = (ridge_str){s.p + affix.n, s.n - affix.n};
    return st ? st : ridge_py_str(out, s, in);
}
static ridge_status m_removesuffix(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call), affix;
    ridge_status st = text_argument(&affix, call, 1, in);
    if (!st && ridge_str_ends(s, affix))
        s.n -= affix.n;
    return st ? st : ridge_py_str(out, s, in);
}

/* ---- splitting and joining ---- */

static ridge_status add_part(ridge_py_list *list, ridge_str part, ridge_py_interp *in)
{
    ridge_py v;
    ridge_status st = ridge_py_str(&v, part, in);
    return st ? st : ridge_py_append(list, v, in);
}

static ridge_status split_words(ridge_py_list *list, ridge_str s, int64_t most, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    while (!st) {
        size_t n = 0;
        while (s.n && isspace((unsigned char)*s.p))
            s = (ridge_str){s.p + 1, s.n - 1};
        if (!s.n)
            break;
        while (n < s.n && (most == 0 || !isspace((unsigned char)s.p[n])))
            n++;
        most--;
        st = add_part(list, (ridge_str){s.p, n}, in);
        s = (ridge_str){s.p + n, s.n - n};
    }
    return st;
}

static ridge_status limits_of_split(ridge_str *by, bool *words, int64_t *most, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py separator = ridge_py_argument(call, 1, "sep"), limit = ridge_py_argument(call, 2, "maxsplit");
    ridge_status st = RIDGE_OK;
    *most = -1;
    *words = separator.type == RIDGE_PY_T_UNSET || separator.type == RIDGE_PY_T_NONE;
    if (limit.type != RIDGE_PY_T_UNSET)
        st = ridge_py_concrete(most, limit, in);
    if (!st && !*words) {
        if (separator.type != RIDGE_PY_T_STR || !separator.u.s->text.n)
            return ridge_py_raise(in, "ValueError", "empty separator");
        *by = separator.u.s->text;
    }
    return st;
}

static ridge_status m_split(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call), by = {0};
    int64_t most;
    bool words;
    ridge_status st = limits_of_split(&by, &words, &most, call, in);
    if (st || (st = ridge_py_new_list(out, RIDGE_PY_T_LIST, 0, in)))
        return st;
    if (words)
        return split_words(out->u.list, s, most, in);
    for (size_t at; !st && most != 0 && (at = find(s, by, 0)) != SIZE_MAX; most--) {
        st = add_part(out->u.list, (ridge_str){s.p, at}, in);
        s = (ridge_str){s.p + at + by.n, s.n - at - by.n};
    }
    return st ? st : add_part(out->u.list, s, in);
}

static ridge_status m_rsplit(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call), by = {0};
    int64_t most;
    bool words;
    ridge_py parts;
    ridge_status st = limits_of_split(&by, &words, &most, call, in);
    if (st || words || most < 0)
        return st ? st : m_split(out, call, in);
    if ((st = ridge_py_new_list(&parts, RIDGE_PY_T_LIST, 0, in)) || (st = ridge_py_new_list(out, RIDGE_PY_T_LIST, 0, in)))
        return st;
    for (size_t at; !st && most != 0 && (at = find_last(s, by)) != SIZE_MAX; most--) {
        st = add_part(parts.u.list, (ridge_str){s.p + at + by.n, s.n - at - by.n}, in);
        s.n = at;
    }
    if (!st)
        st = add_part(parts.u.list, s, in);
    for (size_t i = parts.u.list->count; i-- > 0 && !st;)
        st = ridge_py_append(out->u.list, parts.u.list->items[i], in);
    return st;
}

static ridge_status m_splitlines(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call);
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_LIST, 0, in);
    while (s.n && !st) {
        const char *end = memchr(s.p, '\n', s.n);
        size_t n = end ? (size_t)(end - s.p) : s.n;
        st = add_part(out->u.list, (ridge_str){s.p, n}, in);
        n += end != NULL;
        s = (ridge_str){s.p + n, s.n - n};
    }
    return st;
}

static ridge_status partition(ridge_py *out, const ridge_py_call *call, bool last, ridge_py_interp *in)
{
    ridge_str s = self_of(call), by;
    ridge_status st = text_argument(&by, call, 1, in);
    if (st || (st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, 3, in)))
        return st;
    size_t at = last ? find_last(s, by) : find(s, by, 0);
    ridge_str none = {"", 0}, before = {s.p, at}, after = {s.p, 0};
    if (at == SIZE_MAX) {
        before = last ? none : s;
        after = last ? s : none;
        by = none;
    } else {
        after = (ridge_str){s.p + at + by.n, s.n - at - by.n};
    }
    if ((st = add_part(out->u.list, before, in)) || (st = add_part(out->u.list, by, in)))
        return st;
    return add_part(out->u.list, after, in);
}

static ridge_status m_partition(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return partition(out, call, false, in);
}
static ridge_status m_rpartition(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return partition(out, call, true, in);
}

static ridge_status m_join(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call);
    ridge_buf buf = {0};
    ridge_py items = ridge_py_unset();
    const char *origin = NULL;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st || (st = ridge_py_collect(&items, RIDGE_PY_T_LIST, call->args[1], in)) || items.type == RIDGE_PY_T_UNKNOWN) {
        *out = items;
        return st;
    }
    for (size_t i = 0; i < items.u.list->count && !st; i++) {
        ridge_py v = ridge_py_base(items.u.list->items[i]);
        if (i)
            ridge_buf_add(&buf, s);
        if (v.type == RIDGE_PY_T_STR)
            ridge_buf_add(&buf, v.u.s->text);
        else
            st = ridge_py_raise(in, "TypeError", "sequence item %zu: expected str instance, %s found", i, ridge_py_type_text(v));
        origin = ridge_py_text_origin(origin, v, in);
    }
    st = take_buffer(out, &buf, st, in);
    if (!st)
        out->by.origin = origin;
    return st;
}

static ridge_status m_replace(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_str s = self_of(call), from, to;
    int64_t most = -1;
    ridge_buf buf = {0};
    ridge_status st;
    if ((st = text_argument(&from, call, 1, in)) || (st = text_argument(&to, call, 2, in)) ||
        (call->count > 3 && (st = ridge_py_concrete(&most, call->args[3], in))))
        return st;
    for (size_t at; from.n && most != 0 && (at = find(s, from, 0)) != SIZE_MAX; most--) {
        ridge_buf_add(&buf, (ridge_str){s.p, at});
        ridge_buf_add(&buf, to);
        s = (ridge_str){s.p + at + from.n, s.n - at - from.n};
    }
    ridge_buf_add(&buf, s);
    return take_buffer(out, &buf, RIDGE_OK, in);
}

static ridge_status m_format(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return ridge_py_str_format(out, call, in);
}

static ridge_status justify(ridge_py *out, const ridge_py_call *call, char align, char fill, ridge_py_interp *in)
{
    int64_t width;
    ridge_buf buf = {0};
    ridge_status st = ridge_py_arity(call, 2, 3, in);
    if (st || (st = ridge_py_concrete(&width, call->args[1], in)))
        return st;
    if (call->count > 2 && call->args[2].type == RIDGE_PY_T_STR && call->args[2].u.s->text.n)
        fill = call->args[2].u.s->text.p[0];
    char *spec = ridge_arena_printf(in->arena, "%c%c%lld", fill, align, (long long)(width < 0 ? 0 : width));
    if (!spec)
        return ridge_no_memory(in->err);
    return take_buffer(out, &buf, ridge_py_format(&buf, call->args[0], ridge_str_of(spec), in), in);
}

static ridge_status m_ljust(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return justify(out, call, '<', ' ', in);
}
static ridge_status m_rjust(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return justify(out, call, '>', ' ', in);
}
static ridge_status m_center(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return justify(out, call, '^', ' ', in);
}
static ridge_status m_zfill(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return justify(out, call, '>', '0', in);
}

/* encode, decode: bytes are texts here */
static ridge_status m_same(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return ridge_py_str(out, self_of(call), in);
}

static ridge_status m_contains(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    return st ? st : ridge_py_builtin_binary(out, RIDGE_PY_OP_IN, call->args[1], call->args[0], false, in);
}

/* ---- the table ---- */

/* what was made of a text with an origin: a text keeps the condition, anything else asks for it */
static ridge_status keep_origin(ridge_py *out, ridge_py_native_call *method, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py self = call->count ? ridge_py_base(call->args[0]) : ridge_py_unset();
    if (self.type != RIDGE_PY_T_STR) {
        if (self.type == RIDGE_PY_T_UNKNOWN) {
            *out = self;
            return RIDGE_OK;
        }
        return ridge_py_raise(in, "TypeError", "a str is wanted, not '%s'", ridge_py_type_text(self));
    }
    ridge_status st = method(out, call, in);
    if (st || !self.by.origin)
        return st;
    if (out->type != RIDGE_PY_T_STR)
        return ridge_py_ask_value(self, in);
    out->by.origin = ridge_py_text_origin(out->by.origin, self, in);
    return RIDGE_OK;
}

// clang-format off
#define METHODS(X)                                                                                                                          \
    X(lower) X(upper) X(capitalize) X(title) X(isdigit) X(isalpha) X(isalnum) X(isspace) X(isupper) X(islower) X(isidentifier)              \
    X(startswith) X(endswith) X(find) X(rfind) X(index) X(count) X(strip) X(lstrip) X(rstrip) X(removeprefix) X(removesuffix)               \
    X(split) X(rsplit) X(splitlines) X(partition) X(rpartition) X(join) X(replace) X(format) X(ljust) X(rjust) X(center) X(zfill) X(same)
// clang-format on

#define WRAP(name)                                                                                                                         \
    static ridge_status w_##name(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)                                            \
    {                                                                                                                                      \
        return keep_origin(out, m_##name, call, in);                                                                                       \
    }
METHODS(WRAP)

const ridge_py_native_entry ridge_py_str_methods[] = {
#define ENTRY(name) {#name, w_##name, NULL},
    METHODS(ENTRY)
#undef ENTRY
        {"casefold", w_lower, NULL},
    {"isnumeric", w_isdigit, NULL},
    {"isdecimal", w_isdigit, NULL},
    {"encode", w_same, NULL},
    {"decode", w_same, NULL},
    {"expandtabs", w_same, NULL},
    {"__contains__", m_contains, NULL},
};
const size_t ridge_py_str_method_count = RIDGE_PY_COUNT(ridge_py_str_methods);
