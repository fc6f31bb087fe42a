#include "learn/python/syntax_read.h"

typedef struct style {
    bool raw, bytes, formatted;
} style;

static style style_of(ridge_str prefix)
{
    style s = {false, false, false};
    for (size_t i = 0; i < prefix.n; i++) {
        char c = ridge_lower(prefix.p[i]);
        s.raw = s.raw || c == 'r';
        s.bytes = s.bytes || c == 'b';
        s.formatted = s.formatted || c == 'f';
    }
    return s;
}

/* ---- escapes ---- */
static int digit_of(char c)
{
    char lower = ridge_lower(c);
    if (ridge_is_digit(c))
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

/* up to `most` digits of a base at *at, which moves on */
static uint32_t read_digits(const char **at, const char *end, unsigned base, unsigned most)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < most && *at < end && (unsigned)digit_of(**at) < base; i++, (*at)++)
        value = value * base + (uint32_t)digit_of(**at);
    return value;
}

static char *put_code(char *out, uint32_t code)
{
    bool none = code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF);
    return ridge_utf8_put(out, none ? 0xFFFD : code);
}

/* one escape: *at is after the backslash, and moves on. What is no escape keeps its backslash; so do characters by their name (\N{...}). */
static char *put_escape(char *out, const char **at, const char *end, bool bytes)
{
    static const char letters[] = "abfnrtv\\'\"", meanings[] = "\a\b\f\n\r\t\v\\'\"";
    if (*at == end) {
        *out++ = '\\';
        return out;
    }
    const char c = *(*at)++, *letter = c ? strchr(letters, c) : NULL;
    if (letter) {
        *out++ = meanings[letter - letters];
        return out;
    }
    if (c == '\n')
        return out;
    if (c == '\r') {
        *at += *at < end && **at == '\n';
        return out;
    }
    if (c >= '0' && c <= '7') {
        --*at;
        return put_code(out, read_digits(at, end, 8, 3));
    }
    if (c == 'x' || (c == 'u' && !bytes) || (c == 'U' && !bytes))
        return put_code(out, read_digits(at, end, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8));
    *out++ = '\\';
    *out++ = c;
    return out;
}

/* The text between two places as the program sees it: the source itself where nothing in it is special. It never grows: the shortest escape
 * of two bytes is \7, and one of four bytes, \377. */
static bool decode(ridge_str *out, ridge_syntax_reader *r, uint32_t start, uint32_t end, style s)
{
    const char *at = r->text.p + start, *stop = r->text.p + end;
    size_t n = end - start;
    *out = (ridge_str){at, n};
    bool braces = s.formatted && (memchr(at, '{', n) || memchr(at, '}', n));
    if ((s.raw || !memchr(at, '\\', n)) && !braces && !memchr(at, '\r', n))
        return true;
    char *text = ridge_arena_alloc(r->arena, n + 4), *p = text;
    if (!text) {
        r->out_of_memory = true;
        return false;
    }
    while (at < stop) {
        char c = *at++;
        if (c == '\\' && !s.raw) {
            p = put_escape(p, &at, stop, s.bytes);
            continue;
        }
        if (s.formatted && (c == '{' || c == '}') && at < stop && *at == c)
            at++; /* {{ is { */
        if (c == '\r') {
            at += at < stop && *at == '\n';
            c = '\n';
        }
        *p++ = c;
    }
    *out = (ridge_str){text, (size_t)(p - text)};
    return true;
}

/* ---- parts of a string: texts and holes ---- */
static bool add_text(ridge_syntax_reader *r, uint32_t at, uint32_t start, uint32_t end, style s)
{
    if (start >= end)
        return true;
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_STRING, at);
    return node && decode(&node->text, r, start, end, s) && ridge_syntax_add(r, node);
}

/* the texts from `first` on, which follow each other, as one */
static ridge_py_node *join_texts(ridge_syntax_reader *r, size_t first, size_t count)
{
    ridge_py_node *node = (ridge_py_node *)(uintptr_t)r->pending[first];
    size_t n = 0;
    if (count == 1)
        return node;
    for (size_t i = 0; i < count; i++)
        n += r->pending[first + i]->text.n;
    char *text = ridge_arena_alloc(r->arena, n + 1), *p = text;
    if (!text) {
        r->out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        ridge_str part = r->pending[first + i]->text;
        memcpy(p, part.p, part.n);
        p += part.n;
    }
    node->text = (ridge_str){text, n};
    return node;
}

/* Parts become one node: neighbouring texts are joined, and where there is no hole it is a STRING. */
static ridge_py_node *join(ridge_syntax_reader *r, uint32_t at, size_t mark)
{
    size_t kept = mark, texts;
    for (size_t i = mark; i<r->pending_count; i += texts> 0 ? texts : 1) {
        for (texts = 0; i + texts < r->pending_count && r->pending[i + texts]->kind == RIDGE_PY_STRING; texts++)
            ;
        const ridge_py_node *part = texts > 0 ? join_texts(r, i, texts) : r->pending[i];
        if (!part)
            return NULL;
        r->pending[kept++] = part;
    }
    r->pending_count = kept;
    bool plain = kept == mark + 1 && r->pending[mark]->kind == RIDGE_PY_STRING;
    if (kept > mark && !plain)
        return ridge_syntax_take(r, ridge_syntax_new(r, RIDGE_PY_FORMATTED, at), mark);
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_STRING, at);
    if (node)
        node->text = plain ? r->pending[mark]->text : RIDGE_STR("");
    r->pending_count = mark;
    return node;
}

static bool add_hole(ridge_syntax_reader *r, uint32_t at, style s);

/* format_specifier: ':' (text | interpolation)* */
static ridge_py_node *read_format(ridge_syntax_reader *r, uint32_t at, style s)
{
    size_t mark = ridge_syntax_mark(r);
    uint32_t from = r->nodes[at].start + 1;
    bool fine = !r->nodes[at].has_error;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (!r->nodes[child].named)
            continue;
        fine = fine && add_text(r, at, from, r->nodes[child].start, s) && add_hole(r, child, s);
        from = r->nodes[child].end;
    }
    fine = fine && add_text(r, at, from, r->nodes[at].end, s);
    ridge_py_node *node = fine ? join(r, at, mark) : NULL;
    r->pending_count = mark;
    return node;
}

/* the text of `{x = }`, which stands before its value: up to what follows the '='; 0: there is none */
static uint32_t shown_until(const ridge_syntax_reader *r, uint32_t at)
{
    uint32_t equals = 0;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (equals != 0)
            return r->nodes[child].start;
        if (!r->nodes[child].named && ridge_str_is(ridge_syntax_text(r, child), "="))
            equals = child;
    }
    return 0;
}

/* interpolation: '{' expression '='? type_conversion? format_specifier? '}' */
static ridge_py_node *read_hole(ridge_syntax_reader *r, uint32_t at, style s, bool shown)
{
    ridge_py_node *node = ridge_syntax_new(r, RIDGE_PY_HOLE, at);
    uint32_t expression = ridge_syntax_field_of(r, at, RIDGE_FIELD_expression);
    uint32_t conversion = ridge_syntax_field_of(r, at, RIDGE_FIELD_type_conversion);
    uint32_t format = ridge_syntax_field_of(r, at, RIDGE_FIELD_format_specifier);
    if (!node || expression == 0 || !(node->a = ridge_syntax_expression(r, expression)))
        return NULL;
    if (format != 0 && !(node->b = read_format(r, format, s)))
        return NULL;
    if (conversion != 0)
        node->op = (uint8_t)r->text.p[r->nodes[conversion].start + 1];
    else if (shown && format == 0)
        node->op = 'r';
    return node;
}

static bool add_hole(ridge_syntax_reader *r, uint32_t at, style s)
{
    uint32_t until = shown_until(r, at);
    if (r->depth >= RIDGE_PY_NESTING || r->nodes[at].has_error)
        return false;
    style as_is = {.raw = true};
    if (until != 0 && !add_text(r, at, r->nodes[at].start + 1, until, as_is))
        return false;
    r->depth++;
    ridge_py_node *node = read_hole(r, at, s, until != 0);
    r->depth--;
    return ridge_syntax_add(r, node);
}

/* Texts are what lies between quotes and holes, whatever the grammar makes of it. */
static bool add_string(ridge_syntax_reader *r, uint32_t at)
{
    uint32_t begin = ridge_syntax_child_of(r, at, RIDGE_SYNTAX_string_start), end = ridge_syntax_child_of(r, at, RIDGE_SYNTAX_string_end);
    if (begin == 0 || end == 0)
        return false;
    ridge_str opening = ridge_syntax_text(r, begin);
    style s = style_of(opening);
    /* by the closing quotes' end: where backslashes are all there is, the grammar counts them to what closes the string */
    uint32_t quotes = ridge_str_ends(opening, RIDGE_STR("\"\"\"")) || ridge_str_ends(opening, RIDGE_STR("'''")) ? 3 : 1;
    uint32_t from = r->nodes[begin].end, to = r->nodes[end].end - quotes;
    for (RIDGE_SYNTAX_EACH(child, r, at)) {
        if (r->nodes[child].token != RIDGE_SYNTAX_interpolation)
            continue;
        if (!add_text(r, at, from, r->nodes[child].start, s) || !add_hole(r, child, s))
            return false;
        from = r->nodes[child].end;
    }
    return add_text(r, at, from, to, s);
}

ridge_py_node *ridge_syntax_string(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    ridge_py_node *node = add_string(r, at) ? join(r, at, mark) : NULL;
    r->pending_count = mark;
    return node;
}

ridge_py_node *ridge_syntax_strings(ridge_syntax_reader *r, uint32_t at)
{
    size_t mark = ridge_syntax_mark(r);
    bool fine = true;
    for (RIDGE_SYNTAX_EACH(child, r, at))
        if (r->nodes[child].token == RIDGE_SYNTAX_string)
            fine = fine && add_string(r, child);
    ridge_py_node *node = fine ? join(r, at, mark) : NULL;
    r->pending_count = mark;
    return node;
}
