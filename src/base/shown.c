#include "base/shown.h"

#include <stdio.h>

#include "base/columns.h"
#include "base/err.h"

enum { LONGEST = 16 }; /* bytes that stand for one character: a pair of \uXXXX is the most */

/* ---- which characters ---- */

const char *ridge_shown_likeness(uint32_t c)
{
    static const struct {
        uint32_t from;
        const char *to;
    } likenesses[] = {{0xA0, " "},    {0xB0, " deg"}, {0xB1, "+-"},    {0xB2, "^2"},   {0xB3, "^3"},  {0xB5, "u"},    {0xB7, "-"},
                      {0xD7, "x"},    {0x3BC, "u"},   {0x2013, "-"},   {0x2014, "-"},  {0x2018, "'"}, {0x2019, "'"},  {0x201C, "\""},
                      {0x201D, "\""}, {0x2022, "-"},  {0x2026, "..."}, {0x2192, "->"}, {0x2248, "~"}, {0x2264, "<="}, {0x2265, ">="}};
    for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++)
        if (likenesses[i].from == c)
            return likenesses[i].to;
    return NULL;
}

/* Bidirectional marks, invisible characters and line breaks of Unicode; the joiners stay, which scripts and emoji are written with. */
static bool steers(uint32_t c)
{
    return (c >= 0x80 && c <= 0x9F) || c == 0x61C || c == 0x200B || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
           (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

bool ridge_shown_as_is(const char *p, size_t n)
{
    return n == 1 ? *p >= 0x20 && *p < 0x7F : !steers(ridge_utf8_decode(p, n));
}

/* ---- one character ---- */

static size_t put_control(char out[LONGEST], unsigned char c, bool json)
{
    static const char values[] = "\n\t\r", names[] = "ntr";
    const char *value = c != '\0' ? strchr(values, c) : NULL;
    if (value && !json)
        return (size_t)snprintf(out, LONGEST, "\\%c", names[value - values]);
    return (size_t)snprintf(out, LONGEST, json ? "\\u%04x" : "\\x%02x", c);
}

/* \u00fc; beyond U+FFFF as the pair that JSON has, or \U0001f600 */
static size_t put_point(char out[LONGEST], uint32_t c, bool json)
{
    if (c < 0x10000)
        return (size_t)snprintf(out, LONGEST, "\\u%04x", (unsigned)c);
    if (!json)
        return (size_t)snprintf(out, LONGEST, "\\U%08x", (unsigned)c);
    c -= 0x10000;
    return (size_t)snprintf(out, LONGEST, "\\u%04x\\u%04x", (unsigned)(0xD800 | c >> 10), (unsigned)(0xDC00 | (c & 0x3FF)));
}

/* Bytes of a look at `p`, its mark and its 'm' among them; 0: it is none. Only colours, bold and faint are looks: nothing that hides. */
static size_t look_length(const char *p, const char *end)
{
    size_t n = 1;
    while (p + n < end && (ridge_is_digit(p[n]) || p[n] == ';'))
        n++;
    bool ends = p + n < end && p[n] == 'm' && n > 1 && n < 8;
    bool hides = n > 1 && strchr("456789", p[1]) && (n == 2 || !ridge_is_digit(p[2]));
    return ends && !hides && p[0] == (char)RIDGE_LOOK_MARK ? n + 1 : 0;
}

/* the mark of an option stands before its name */
static bool is_mark(const char *p, const char *end)
{
    return *p == (char)RIDGE_OPT_MARK && p + 1 < end && p[1] >= 'a' && p[1] <= 'z';
}

/* bytes of no UTF-8: marks of this program's own, or \xff */
static size_t put_bad(char out[LONGEST], size_t *used, const char *p, const char *end, unsigned how)
{
    size_t look = look_length(p, end);
    *used = look > 0 ? look : 1;
    if (is_mark(p, end) && (how & RIDGE_SHOWN_DASHES) == 0) {
        out[0] = *p;
        return 1;
    }
    if (is_mark(p, end))
        return (size_t)snprintf(out, LONGEST, "--");
    if (look > 0)
        return (how & RIDGE_SHOWN_COLOURS) != 0 ? (size_t)snprintf(out, LONGEST, "\033[%.*s", (int)(look - 1), p + 1) : 0;
    out[0] = *p;
    if ((how & RIDGE_SHOWN_AS_IS) != 0)
        return 1;
    return (size_t)snprintf(out, LONGEST, (how & RIDGE_SHOWN_JSON) != 0 ? "\\ufffd" : "\\x%02x", (unsigned)(unsigned char)*p);
}

/* What is shown of the character at p, in `out`; *used: its bytes there. */
static size_t put(char out[LONGEST], size_t *used, const char *p, const char *end, unsigned how)
{
    unsigned char c = (unsigned char)*p;
    bool json = (how & RIDGE_SHOWN_JSON) != 0;
    size_t n = *used = ridge_utf8_length(p, end);
    if (n == 0)
        return put_bad(out, used, p, end, how);
    memcpy(out, p, n);
    if ((how & RIDGE_SHOWN_AS_IS) != 0)
        return n;
    if (n == 1 && (c < 0x20 || c == 0x7F) && !(c == '\n' && (how & RIDGE_SHOWN_LINES) != 0))
        return put_control(out, c, json);
    uint32_t point = ridge_utf8_decode(p, n);
    bool ascii = n > 1 && (how & RIDGE_SHOWN_ASCII) != 0;
    const char *likeness = ascii ? ridge_shown_likeness(point) : NULL;
    if (likeness && !json)
        return (size_t)snprintf(out, LONGEST, "%s", likeness);
    if (ascii || steers(point))
        return put_point(out, point, json);
    return n;
}

/* ---- whole texts ---- */

/* the first bytes that are shown as they are */
static size_t plain_length(const char *p, const char *end, unsigned how)
{
    const char *at = p;
    while (at < end && ((*at >= 0x20 && *at < 0x7F) || (*at == '\n' && (how & RIDGE_SHOWN_LINES) != 0)))
        at++;
    return (size_t)(at - p);
}

void ridge_buf_add_shown(ridge_buf *out, ridge_str text, unsigned how)
{
    char shown[LONGEST];
    size_t n = 0, used;
    for (const char *p = text.p, *end = text.n > 0 ? p + text.n : p; p < end; p += used) {
        used = plain_length(p, end, how);
        if (used > 0) {
            ridge_buf_add(out, (ridge_str){p, used});
            continue;
        }
        n = put(shown, &used, p, end, how);
        ridge_buf_add(out, (ridge_str){shown, n});
    }
}

const char *ridge_shown(ridge_arena *arena, const char *name)
{
    ridge_buf text = {0};
    size_t n = strlen(name);
    if (plain_length(name, name + n, 0) == n)
        return name;
    ridge_buf_add_shown(&text, (ridge_str){name, n}, 0);
    const char *shown = ridge_arena_take(arena, &text);
    return shown ? shown : "";
}

void ridge_shown_copy(char *out, size_t cap, const char *name)
{
    char shown[LONGEST];
    size_t used, at = 0;
    for (const char *end = name + strlen(name); name < end; name += used) {
        size_t n = put(shown, &used, name, end, 0);
        if (at + n >= cap)
            break;
        memcpy(out + at, shown, n);
        at += n;
    }
    out[at] = '\0';
}

void ridge_buf_drop_marks(ridge_buf *text)
{
    size_t kept = 0;
    const char *end = text->n > 0 ? text->p + text->n : text->p;
    for (const char *p = text->p; p < end; p++) {
        size_t look = look_length(p, end);
        if (look > 0)
            p += look - 1;
        else if (*p != (char)RIDGE_OPT_MARK)
            text->p[kept++] = *p;
    }
    text->n = kept;
    if (text->p)
        text->p[kept] = '\0';
}

/* Of the character, mark or look at p: its columns; *used: its bytes. */
static size_t columns_at(size_t *used, const char *p, const char *end)
{
    size_t look = look_length(p, end), n = ridge_utf8_length(p, end);
    *used = look > 0 ? look : n > 0 ? n : 1;
    if (look > 0)
        return 0;
    return *p == (char)RIDGE_OPT_MARK ? 2 : n > 1 ? ridge_columns(ridge_utf8_decode(p, n)) : 1;
}

size_t ridge_shown_columns(const char *text, size_t n)
{
    size_t columns = 0, used;
    for (const char *p = text, *end = p + n; p < end; p += used)
        columns += columns_at(&used, p, end);
    return columns;
}

size_t ridge_shown_within(const char *text, size_t columns)
{
    const char *at = text, *end = text + strlen(text);
    for (size_t used; at < end; at += used) {
        size_t wide = columns_at(&used, at, end);
        if (wide > columns)
            break;
        columns -= wide;
    }
    return (size_t)(at - text);
}
