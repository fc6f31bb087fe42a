#include "base/err.h"

#include <stdio.h>
#include <string.h>

#include "base/shown.h"

enum { EXCERPT_WINDOW = 120 }; /* bytes of a long source line that are shown */

/* clang-format off */
const char *ridge_status_name(ridge_status code)
{
    switch (code) {
#define X(name, text) case RIDGE_##name: return #name;
        RIDGE_STATUS_LIST(X)
#undef X
    }
    return "?";
}

static const char *status_text(ridge_status code)
{
    switch (code) {
#define X(name, text) case RIDGE_##name: return text;
        RIDGE_STATUS_LIST(X)
#undef X
    }
    return "unknown error";
}
/* clang-format on */

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* a message cut by vsnprintf must not end in half a character */
static void trim_partial_utf8(char *z, size_t n)
{
    size_t start = n;
    while (start > 0 && n - start < 3 && is_continuation(z[start - 1]))
        start--;
    if (start > 0 && (unsigned char)z[start - 1] >= 0xC0)
        z[start - 1] = '\0';
}

static void copy_text(char *out, size_t cap, const char *z)
{
    size_t n = strlen(z);
    if (n >= cap)
        n = cap - 1;
    memcpy(out, z, n);
    out[n] = '\0';
}

/* Adds what may hold names from files, as it may be shown (base/shown.h); a message that is cut ends with a whole character. */
static void add_message(ridge_err *err, const char *fmt, va_list args)
{
    char text[sizeof err->msg];
    size_t have = strlen(err->msg);
    int n = vsnprintf(text, sizeof text, fmt, args);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof text)
        trim_partial_utf8(text, sizeof text - 1);
    ridge_shown_copy(err->msg + have, sizeof err->msg - have, text);
}

static void set_error(ridge_err *err, ridge_status code, const char *fmt, va_list args)
{
    memset(err, 0, sizeof *err);
    err->code = code;
    if (!fmt || *fmt == '\0') {
        copy_text(err->msg, sizeof err->msg, status_text(code));
        return;
    }
    add_message(err, fmt, args);
}

int ridge_exit_status(ridge_status code)
{
    return code == RIDGE_OK ? 0 : code == RIDGE_USAGE ? 2 : code == RIDGE_CHECK ? 3 : 1;
}

ridge_status ridge_fail(ridge_err *err, ridge_status code, const char *fmt, ...)
{
    if (!err)
        return code;
    if (err->code != RIDGE_OK)
        return err->code;
    va_list args;
    va_start(args, fmt);
    set_error(err, code, fmt, args);
    va_end(args);
    return code;
}

ridge_status ridge_no_memory(ridge_err *err)
{
    return ridge_fail(err, RIDGE_NOMEM, NULL);
}

ridge_status ridge_overflow(ridge_err *err, const char *what)
{
    return ridge_fail(err, RIDGE_OVERFLOW, "overflow: %s does not fit in 128 bits", what);
}

ridge_status ridge_fail_at(ridge_err *err, ridge_status code, const char *file, unsigned line, unsigned col, const char *fmt, ...)
{
    if (!err)
        return code;
    if (err->code != RIDGE_OK)
        return err->code;
    va_list args;
    va_start(args, fmt);
    set_error(err, code, fmt, args);
    va_end(args);
    ridge_err_place(err, file, line, col);
    return code;
}

void ridge_err_append(ridge_err *err, const char *fmt, ...)
{
    if (!err || err->code == RIDGE_OK)
        return;
    va_list args;
    va_start(args, fmt);
    add_message(err, fmt, args);
    va_end(args);
}

void ridge_err_place(ridge_err *err, const char *file, unsigned line, unsigned col)
{
    if (!err || err->code == RIDGE_OK || err->line != 0 || err->file[0] != '\0')
        return;
    ridge_shown_copy(err->file, sizeof err->file, file ? file : "");
    err->line = line;
    err->col = col;
}

void ridge_err_clear(ridge_err *err)
{
    if (err)
        memset(err, 0, sizeof *err);
}

/* [*begin, *end): the part of the line holding `offset` that is shown */
static void excerpt_window(const char *text, size_t len, size_t offset, size_t *begin, size_t *end)
{
    size_t b = offset, e = offset;
    while (b > 0 && text[b - 1] != '\n' && offset - b < EXCERPT_WINDOW)
        b--;
    while (e < len && text[e] != '\n' && e - offset < EXCERPT_WINDOW)
        e++;
    if (e - b > EXCERPT_WINDOW) { /* two thirds before the place, one third after */
        if (offset - b > EXCERPT_WINDOW * 2 / 3)
            b = offset - EXCERPT_WINDOW * 2 / 3;
        if (e - b > EXCERPT_WINDOW)
            e = b + EXCERPT_WINDOW;
    }
    while (b < offset && is_continuation(text[b]))
        b++;
    while (e < len && e > offset && is_continuation(text[e]))
        e--;
    *begin = b;
    *end = e;
}

/* Columns are counted in characters here, so that the marks stand under the text. */
static size_t characters(const char *text, size_t begin, size_t end)
{
    size_t n = 0;
    for (const char *p = text + begin; p < text + end; n++) {
        size_t length = ridge_utf8_length(p, text + end);
        p += length > 0 ? length : 1;
    }
    return n;
}

/* The characters of a line, each in its column: blanks for control characters, '?' for what may not be shown either. */
static char *add_line(char *out, const char *p, const char *end)
{
    while (p < end) {
        size_t n = ridge_utf8_length(p, end);
        unsigned char c = (unsigned char)*p;
        if (n == 0 || !ridge_shown_as_is(p, n))
            *out++ = n == 1 && (c < 0x20 || c == 0x7F) ? ' ' : '?';
        else
            out = (char *)memcpy(out, p, n) + n;
        p += n > 0 ? n : 1;
    }
    return out;
}

void ridge_err_excerpt(ridge_err *err, const char *text, size_t text_len, size_t offset, size_t span)
{
    if (!err || err->code == RIDGE_OK || err->excerpt[0] != '\0' || !text)
        return;
    if (offset > text_len)
        offset = text_len;
    size_t begin, end;
    excerpt_window(text, text_len, offset, &begin, &end);
    size_t span_end = span > end - offset ? end : offset + span;
    size_t spaces = characters(text, begin, offset), marks = characters(text, offset, span_end);

    char *out = add_line(err->excerpt, text + begin, text + end); /* at most 120 + 1 + 80 + 121 bytes, see EXCERPT_WINDOW */
    *out++ = '\n';
    char *limit = err->excerpt + sizeof err->excerpt - 1;
    for (size_t i = 0; i < spaces && out < limit; i++)
        *out++ = ' ';
    if (out < limit)
        *out++ = '^';
    for (size_t i = 1; i < marks && out < limit; i++)
        *out++ = '~';
    *out = '\0';
}

/* "file:line:col: " with what is known of it */
static void format_place(char *out, size_t cap, const ridge_err *err)
{
    out[0] = '\0';
    if (err->file[0] != '\0' && err->line != 0)
        (void)snprintf(out, cap, "%s:%u:%u: ", err->file, err->line, err->col);
    else if (err->file[0] != '\0')
        (void)snprintf(out, cap, "%s: ", err->file);
    else if (err->line != 0)
        (void)snprintf(out, cap, "%u:%u: ", err->line, err->col);
}

size_t ridge_spell(char *out, size_t cap, const char *text, const char *dashes)
{
    size_t n = 0;
    for (; *text != '\0'; text++) {
        bool is_mark = *text == (char)RIDGE_OPT_MARK;
        for (const char *from = is_mark ? dashes : text, *end = is_mark ? from + strlen(from) : from + 1; from < end; from++, n++)
            if (n + 1 < cap)
                out[n] = *from;
    }
    if (cap > 0)
        out[n < cap ? n : cap - 1] = '\0';
    return n;
}

int ridge_err_format(char *out, size_t cap, const ridge_err *err, const char *dashes)
{
    char place[sizeof err->file + 32], message[sizeof err->msg + 128];
    format_place(place, sizeof place, err);
    (void)ridge_spell(message, sizeof message, err->msg, dashes);
    const char *newline = strchr(err->excerpt, '\n');
    if (!newline)
        return snprintf(out, cap, "%s%s", place, message);
    return snprintf(out, cap, "%s%s\n    %.*s\n    %s", place, message, (int)(newline - err->excerpt), err->excerpt, newline + 1);
}
