#include "formula/lex.h"

#include <stdio.h>

static bool is_name_start(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
    return is_name_start(c) || ridge_is_digit(c);
}

static ridge_status lex_fail(ridge_err *err, ridge_str text, size_t at, size_t span, const char *what)
{
    ridge_status st = ridge_fail(err, RIDGE_SYNTAX, "%s", what);
    ridge_err_excerpt(err, text.p, text.n, at, span);
    return st;
}

/* digits [. digits] [e[+-]digits] */
static size_t number_end(ridge_str s, size_t i)
{
    while (i < s.n && ridge_is_digit(s.p[i]))
        i++;
    if (i + 1 < s.n && s.p[i] == '.' && ridge_is_digit(s.p[i + 1]))
        for (i++; i < s.n && ridge_is_digit(s.p[i]);)
            i++;
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        size_t j = i + 1;
        if (j < s.n && (s.p[j] == '+' || s.p[j] == '-'))
            j++;
        if (j < s.n && ridge_is_digit(s.p[j])) {
            while (j < s.n && ridge_is_digit(s.p[j]))
                j++;
            i = j;
        }
    }
    return i;
}

static ridge_status lex_string(ridge_token *out, ridge_str s, size_t *at, ridge_err *err)
{
    size_t i = *at + 1;
    while (i < s.n && s.p[i] != s.p[*at] && s.p[i] != '\n')
        i++;
    if (i >= s.n || s.p[i] == '\n')
        return lex_fail(err, s, *at, 1, "this string does not end");
    *out = (ridge_token){RIDGE_TOK_STRING, {s.p + *at + 1, i - *at - 1}, *at, i + 1 - *at};
    *at = i + 1;
    return RIDGE_OK;
}

/* ${name} or {Module}; `open` is the offset of the brace */
static ridge_status lex_braces(ridge_token *out, ridge_str s, size_t *at, size_t open, ridge_err *err)
{
    bool param = open > *at;
    size_t i = open + 1;
    while (i < s.n && (is_name(s.p[i]) || s.p[i] == '.'))
        i++;
    if (i >= s.n || s.p[i] != '}' || i == open + 1)
        return lex_fail(err, s, *at, i + 1 - *at, param ? "want ${name}" : "want {Module}: a module's path between braces");
    *out = (ridge_token){param ? RIDGE_TOK_PARAM : RIDGE_TOK_MODULE, {s.p + open + 1, i - open - 1}, *at, i + 1 - *at};
    *at = i + 1;
    return RIDGE_OK;
}

static ridge_status lex_mark(ridge_token *out, ridge_str s, size_t *at, ridge_err *err)
{
    static const char *const two[] = {"//", "**", "==", "!=", "<=", ">=", "??"};
    static const char one[] = "+-*/%()[],.<>=:";
    size_t n = 0;
    for (size_t k = 0; k < sizeof two / sizeof *two && n == 0; k++)
        if (*at + 1 < s.n && memcmp(s.p + *at, two[k], 2) == 0)
            n = 2;
    if (n == 0 && memchr(one, s.p[*at], sizeof one - 1))
        n = 1;
    if (n == 0) {
        char what[64];
        unsigned char c = (unsigned char)s.p[*at];
        if (c >= 32 && c < 127)
            snprintf(what, sizeof what, "unexpected character '%c'", c);
        else
            snprintf(what, sizeof what, "unexpected byte 0x%02x", c);
        return lex_fail(err, s, *at, 1, what);
    }
    *out = (ridge_token){RIDGE_TOK_MARK, {s.p + *at, n}, *at, n};
    *at += n;
    return RIDGE_OK;
}

ridge_status ridge_lex(ridge_token *out, ridge_str s, size_t *at, ridge_err *err)
{
    while (*at < s.n && (s.p[*at] == ' ' || s.p[*at] == '\t' || s.p[*at] == '\n' || s.p[*at] == '\r'))
        ++*at;
    size_t i = *at;
    if (i >= s.n) {
        *out = (ridge_token){RIDGE_TOK_END, {s.p + s.n, 0}, s.n, 0};
        return RIDGE_OK;
    }
    char c = s.p[i];
    if (ridge_is_digit(c)) {
        size_t end = number_end(s, i);
        if (end < s.n && is_name_start(s.p[end]))
            return lex_fail(err, s, i, end + 1 - i, "a name cannot start with a digit");
        *out = (ridge_token){RIDGE_TOK_NUMBER, {s.p + i, end - i}, i, end - i};
        *at = end;
        return RIDGE_OK;
    }
    if (is_name_start(c)) {
        size_t end = i;
        while (end < s.n && is_name(s.p[end]))
            end++;
        *out = (ridge_token){RIDGE_TOK_NAME, {s.p + i, end - i}, i, end - i};
        *at = end;
        return RIDGE_OK;
    }
    if (c == '\'' || c == '"')
        return lex_string(out, s, at, err);
    if (c == '{')
        return lex_braces(out, s, at, i, err);
    if (c == '$' && i + 1 < s.n && s.p[i + 1] == '{')
        return lex_braces(out, s, at, i + 1, err);
    return lex_mark(out, s, at, err);
}
