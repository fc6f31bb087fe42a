/* What the module re is made of: a matcher that goes back (catalog/python/re.py has the rest).
 * Patterns: characters, ., classes, groups (named, without capture), |, * + ? {m,n} and their lazy forms, ^ $ \b \d \w \s, look-ahead. */
#include "learn/library/library.h"

#include <ctype.h>

enum { GROUPS = 40, DEEP = 1000, STEPS = 2000000 };

struct matcher {
    ridge_str pattern, text;
    size_t start[GROUPS], end[GROUPS]; /* SIZE_MAX: did not take part */
    int groups;
    bool ignore_case, multiline, dot_all, full, broken;
    unsigned depth;
    uint64_t steps;
    ridge_py_interp *in;
};

/* what comes after a piece of the pattern: pieces are matched with what follows, so that going back is returning */
struct after {
    size_t at, end; /* the rest of the pattern */
    const struct after *outer;
    int group;                                       /* closes this group first; 0: none */
    size_t loop, loop_end, least, most, count, last; /* of a repeated piece: its place; loop_end 0: none */
    bool lazy;
};

static bool match_here(struct matcher *m, size_t at, size_t end, size_t pos, const struct after *after);

/* the place after one piece: a character, a class, a group */
static size_t piece_end(struct matcher *m, size_t at, size_t end)
{
    ridge_str p = m->pattern;
    if (p.p[at] == '\\')
        return at + 2 <= end ? at + 2 : (m->broken = true, end);
    if (p.p[at] == '[') {
        size_t i = at + 1;
        i += i < end && p.p[i] == '^';
        i += i < end && p.p[i] == ']';
        while (i < end && p.p[i] != ']')
            i += p.p[i] == '\\' ? 2 : 1;
        m->broken |= i >= end;
        return i < end ? i + 1 : end;
    }
    if (p.p[at] != '(')
        return at + 1;
    int depth = 0;
    for (size_t i = at; i < end; i++) {
        if (p.p[i] == '\\')
            i++;
        else if (p.p[i] == '[')
            i = piece_end(m, i, end) - 1;
        else if (p.p[i] == '(')
            depth++;
        else if (p.p[i] == ')' && --depth == 0)
            return i + 1;
    }
    m->broken = true;
    return end;
}

/* the | of this level at or after `at`; `end`: none */
static size_t bar(struct matcher *m, size_t at, size_t end)
{
    while (at < end && m->pattern.p[at] != '|')
        at = piece_end(m, at, end);
    return at < end ? at : end;
}

static bool in_class(char kind, unsigned char c)
{
    switch (kind) {
    case 'd':
        return isdigit(c);
    case 'D':
        return !isdigit(c);
    case 'w':
        return isalnum(c) || c == '_';
    case 'W':
        return !(isalnum(c) || c == '_');
    case 's':
        return isspace(c);
    default:
        return !isspace(c);
    }
}

static char escaped(char c)
{
    return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

static bool same_character(const struct matcher *m, char a, char b)
{
    return a == b || (m->ignore_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

static bool in_set(const struct matcher *m, size_t at, size_t end, char c)
{
    const char *p = m->pattern.p;
    bool inverted = p[at] == '^', in = false;
    at += inverted;
    for (size_t i = at; i < end; i++) {
        char low = p[i];
        if (low == '\\' && i + 1 < end) {
            low = p[++i];
            if (strchr("dDwWsS", low)) {
                in |= in_class(low, (unsigned char)c);
                continue;
            }
            low = escaped(low);
        }
        char high = low;
        if (i + 2 < end && p[i + 1] == '-') {
            high = p[i + 2] == '\\' && i + 3 < end ? escaped(p[i + 3]) : p[i + 2];
            i += p[i + 2] == '\\' ? 3 : 2;
        }
        in |= (c >= low && c <= high) || (m->ignore_case && ((tolower((unsigned char)c) >= low && tolower((unsigned char)c) <= high) ||
                                                             (toupper((unsigned char)c) >= low && toupper((unsigned char)c) <= high)));
    }
    return in != inverted;
}

/* one character by a piece that stands for one */
static bool one(const struct matcher *m, size_t at, size_t end, size_t pos)
{
    const char *p = m->pattern.p;
    if (pos >= m->text.n)
        return false;
    char c = m->text.p[pos];
    if (p[at] == '.')
        return m->dot_all || c != '\n';
    if (p[at] == '[')
        return in_set(m, at + 1, end - 1, c);
    if (p[at] == '\\')
        return strchr("dDwWsS", p[at + 1]) ? in_class(p[at + 1], (unsigned char)c) : same_character(m, escaped(p[at + 1]), c);
    return same_character(m, p[at], c);
}

static bool word_at(const struct matcher *m, size_t pos)
{
    return pos < m->text.n && in_class('w', (unsigned char)m->text.p[pos]);
}

/* number of the capturing group that opens at `at` */
static int group_number(const struct matcher *m, size_t at)
{
    int n = 0;
    for (size_t i = 0; i <= at; i++) {
        if (m->pattern.p[i] == '\\')
            i++;
        else if (m->pattern.p[i] == '[')
            i = piece_end((struct matcher *)m, i, m->pattern.n) - 1;
        else if (m->pattern.p[i] == '(' && (i + 1 >= m->pattern.n || m->pattern.p[i + 1] != '?' ||
                                            (i + 3 < m->pattern.n && m->pattern.p[i + 2] == 'P' && m->pattern.p[i + 3] == '<')))
            n++;
    }
    return n;
}

static bool match_alternatives(struct matcher *m, size_t at, size_t end, size_t pos, const struct after *after)
{
    for (;;) {
        size_t cut = bar(m, at, end);
        if (match_here(m, at, cut, pos, after))
            return true;
        if (cut >= end || m->broken)
            return false;
        at = cut + 1;
    }
}

static bool match_after(struct matcher *m, size_t pos, const struct after *after);

static bool match_group(struct matcher *m, size_t at, size_t end, size_t pos, const struct after *after)
{
    const char *p = m->pattern.p;
    size_t inner = at + 1;
    int group = 0;
    if (p[inner] == '?') {
        char kind = inner + 1 < end ? p[inner + 1] : 0;
        if (kind == '=' || kind == '!') {
            struct matcher ahead = *m;
            ahead.full = false;
            bool is = match_alternatives(&ahead, inner + 2, end - 1, pos, NULL);
            return is == (kind == '=') && match_after(m, pos, after);
        }
        if (kind == 'P' && p[inner + 2] == '<') {
            const char *close = memchr(p + inner, '>', end - inner);
            group = group_number(m, at);
            inner = close ? (size_t)(close - p) + 1 : (m->broken = true, inner);
        } else if (kind == ':') {
            inner += 2;
        } else {
            m->broken = true;
            return false;
        }
    } else {
        group = group_number(m, at);
    }
    if (group >= GROUPS) {
        m->broken = true;
        return false;
    }
    size_t kept = group ? m->start[group] : 0;
    if (group)
        m->start[group] = pos;
    struct after close = {.outer = after, .group = group};
    if (match_alternatives(m, inner, end - 1, pos, group ? &close : after))
        return true;
    if (group)
        m->start[group] = kept;
    return false;
}

/* one piece, then what follows */
static bool match_piece(struct matcher *m, size_t at, size_t end, size_t pos, const struct after *after)
{
    const char *p = m->pattern.p;
    if (p[at] == '(')
        return match_group(m, at, end, pos, after);
    if (p[at] == '^' || (p[at] == '\\' && p[at + 1] == 'A'))
        return (pos == 0 || (m->multiline && m->text.p[pos - 1] == '\n')) && match_after(m, pos, after);
    if (p[at] == '$' || (p[at] == '\\' && p[at + 1] == 'Z'))
        return (pos == m->text.n || (m->text.p[pos] == '\n' && (m->multiline || pos + 1 == m->text.n))) && match_after(m, pos, after);
    if (p[at] == '\\' && (p[at + 1] == 'b' || p[at + 1] == 'B')) {
        bool edge = word_at(m, pos) != (pos > 0 && word_at(m, pos - 1));
        return edge == (p[at + 1] == 'b') && match_after(m, pos, after);
    }
    return one(m, at, end, pos) && match_after(m, pos + 1, after);
}

static bool match_loop(struct matcher *m, size_t pos, const struct after *loop)
{
    struct after next = *loop;
    if (m->broken || ++m->steps > STEPS || m->depth > DEEP) {
        m->broken = true;
        return false;
    }
    bool again = loop->count < loop->most && !(loop->count >= loop->least && loop->count && loop->last == pos);
    next.count++;
    next.last = pos;
    bool enough = loop->count >= loop->least;
    if (loop->lazy && enough && match_here(m, loop->at, loop->end, pos, loop->outer))
        return true;
    m->depth++;
    bool more = again && match_piece(m, loop->loop, loop->loop_end, pos, &next);
    m->depth--;
    if (more)
        return true;
    return !loop->lazy && enough && match_here(m, loop->at, loop->end, pos, loop->outer);
}

static bool match_after(struct matcher *m, size_t pos, const struct after *after)
{
    if (!after) {
        m->end[0] = pos;
        return !m->full || pos == m->text.n;
    }
    if (after->loop_end)
        return match_loop(m, pos, after);
    if (!after->group)
        return match_here(m, after->at, after->end, pos, after->outer);
    size_t kept = m->end[after->group];
    m->end[after->group] = pos;
    if (match_after(m, pos, after->outer))
        return true;
    m->end[after->group] = kept;
    return false;
}

/* * + ? {m} {m,} {m,n}: how often; returns the place after it */
static size_t read_count(struct matcher *m, size_t at, size_t end, struct after *loop)
{
    const char *p = m->pattern.p;
    loop->least = 1;
    loop->most = 1;
    if (at >= end || !strchr("*+?{", p[at]) || (p[at] == '{' && (at + 1 >= end || !ridge_is_digit(p[at + 1]))))
        return at;
    loop->loop_end = 1;
    loop->least = p[at] == '+';
    loop->most = p[at] == '?' ? 1 : SIZE_MAX;
    if (p[at] == '{') {
        size_t n[2] = {0, SIZE_MAX};
        int which = 0;
        for (at++; at < end && p[at] != '}'; at++) {
            if (p[at] == ',')
                which = 1;
            else if (ridge_is_digit(p[at]))
                n[which] = (n[which] == SIZE_MAX ? 0 : n[which]) * 10 + (size_t)(p[at] - '0');
        }
        loop->least = n[0];
        loop->most = which ? n[1] : n[0];
    }
    at++;
    loop->lazy = at < end && p[at] == '?';
    return at + loop->lazy;
}

static bool match_here(struct matcher *m, size_t at, size_t end, size_t pos, const struct after *after)
{
    bool is;
    if (m->broken || ++m->steps > STEPS || m->depth > DEEP) {
        m->broken = true;
        return false;
    }
    if (at >= end)
        return match_after(m, pos, after);
    m->depth++;
    struct after next = {.outer = after};
    size_t piece = piece_end(m, at, end), rest = read_count(m, piece, end, &next);
    next.at = rest;
    next.end = end;
    if (next.loop_end) {
        next.loop = at;
        next.loop_end = piece;
        next.last = SIZE_MAX;
        is = match_loop(m, pos, &next);
    } else {
        is = match_piece(m, at, piece, pos, &next);
    }
    m->depth--;
    return is;
}

/* _re.match(pattern, flags, text, from, how): spans of the groups, or None. flags: 2 ignore case, 8 many lines, 16 dot is all. how: 0
 * search, 1 match, 2 fullmatch */
static ridge_status f_match(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    struct matcher m = {.in = in};
    ridge_status st = ridge_py_arity(call, 5, 5, in);
    if (st)
        return st;
    ridge_py pattern = ridge_py_base(call->args[0]), text = ridge_py_base(call->args[2]);
    if (pattern.type != RIDGE_PY_T_STR || text.type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "expected string or bytes-like object");
    if ((st = ridge_py_ask_value(pattern, in)) || (st = ridge_py_ask_value(text, in)))
        return st;
    m.pattern = pattern.u.s->text;
    m.text = text.u.s->text;
    int64_t flags = ridge_py_integer(call->args[1]), how = ridge_py_integer(call->args[4]);
    m.ignore_case = flags & 2;
    m.multiline = flags & 8;
    m.dot_all = flags & 16;
    m.full = how == 2;
    if (m.pattern.n >= 4 && memcmp(m.pattern.p, "(?i)", 4) == 0) {
        m.ignore_case = true;
        m.pattern = (ridge_str){m.pattern.p + 4, m.pattern.n - 4};
    }
    int groups = m.pattern.n ? group_number(&m, m.pattern.n - 1) : 0;
    *out = ridge_py_none();
    for (size_t pos = (size_t)ridge_py_integer(call->args[3]); pos <= m.text.n; pos++) {
        for (int i = 0; i < GROUPS; i++)
            m.start[i] = m.end[i] = SIZE_MAX;
        m.start[0] = pos;
        m.depth = 0;
        bool is = match_alternatives(&m, 0, m.pattern.n, pos, NULL);
        in->steps += m.steps;
        if (m.broken)
            return ridge_fail(in->err, RIDGE_UNKNOWN, "a regular expression that is not understood: %.100s", m.pattern.p);
        if (is)
            break;
        if (how != 0 || pos == m.text.n)
            return RIDGE_OK;
    }
    if ((st = ridge_py_new_list(out, RIDGE_PY_T_LIST, (size_t)groups + 1, in)))
        return st;
    for (int i = 0; i <= groups && i < GROUPS && !st; i++) {
        bool in_it = m.start[i] != SIZE_MAX && m.end[i] != SIZE_MAX;
        ridge_py pair[2] = {ridge_py_int(in_it ? (int64_t)m.start[i] : -1), ridge_py_int(in_it ? (int64_t)m.end[i] : -1)}, span;
        if (!(st = ridge_py_new_tuple(&span, pair, 2, in)))
            st = ridge_py_append(out->u.list, span, in);
    }
    return st;
}

ridge_status ridge_py_regex_install(ridge_py_interp *in)
{
    static const ridge_py_native_entry entries[] = {{"match", f_match, NULL}};
    ridge_py_module *m;
    return ridge_py_native_module(&m, "_re", entries, RIDGE_PY_COUNT(entries), in);
}
