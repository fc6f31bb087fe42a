#include "report/text.h"

#include "base/shown.h"

static void spaces(ridge_buf *out, size_t n)
{
    ridge_buf_addf(out, "%*s", (int)n, "");
}

void ridge_text_wrap(ridge_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true; /* no word on this line yet */
    while (*text != '\0') {
        size_t n = strcspn(text, " \n"), columns = ridge_shown_columns(text, n);
        if (n > 0 && !fresh && at + 1 + columns > width) {
            ridge_buf_addc(out, '\n');
            spaces(out, indent);
            at = indent;
            fresh = true;
        }
        if (n > 0) {
            ridge_buf_addf(out, "%s%.*s", fresh ? "" : " ", (int)n, text);
            at += columns + !fresh;
            fresh = false;
        }
        text += n;
        if (*text == '\n') {
            ridge_buf_addc(out, '\n');
            spaces(out, indent);
            at = indent;
            fresh = true;
        }
        text += *text != '\0';
    }
    ridge_buf_addc(out, '\n');
}

enum { LABEL_LONGEST = 14 }; /* columns up to the text of a line that begins with a label */

/* the column below which the rest of a line stands: that of the text behind blanks, or behind a label and two of them */
static size_t indent_of(const char *line, size_t n)
{
    size_t at = 0;
    while (at < n && line[at] == ' ')
        at++;
    if (at > 0)
        return at < n ? at : 0;
    while (at + 1 < n && at < LABEL_LONGEST && (line[at] != ' ' || line[at + 1] != ' '))
        at++;
    if (at + 1 >= n || line[at] != ' ' || line[at + 1] != ' ')
        return 2;
    while (at < n && line[at] == ' ')
        at++;
    return at < n ? at : 2;
}

/* bytes of a line's first part: up to the last blank within `columns`, but none between a number and its unit; n where there is none */
static size_t break_at(const char *line, size_t n, size_t from, size_t columns)
{
    size_t found = n;
    for (size_t i = from + 1; i < n; i++) {
        bool unit = ridge_is_digit(line[i - 1]) && i + 1 < n && line[i + 1] != ' ';
        if (line[i] != ' ' || line[i - 1] == ' ' || unit)
            continue;
        if (ridge_shown_columns(line, i) > columns)
            return found < n ? found : i;
        found = i;
    }
    return ridge_shown_columns(line, n) > columns ? found : n;
}

void ridge_text_fold_line(ridge_buf *out, ridge_str text, size_t indent, size_t width)
{
    const char *line = text.p;
    size_t n = text.n;
    size_t before = 0, from = indent < n ? indent : 0; /* columns of blanks before a part; where words of it begin */
    while (before + ridge_shown_columns(line, n) > width) {
        size_t part = break_at(line, n, from, width - before);
        if (part == n)
            break;
        ridge_buf_addf(out, "%.*s\n", (int)part, line);
        spaces(out, indent);
        part += strspn(line + part, " ");
        line += part;
        n -= part;
        before = indent;
        from = 0;
    }
    ridge_buf_add(out, (ridge_str){line, n});
    ridge_buf_addc(out, '\n');
}

void ridge_text_fold(ridge_buf *out, size_t from, size_t width)
{
    ridge_buf folded = {0};
    if (width == 0 || out->failed || from >= out->n)
        return;
    for (const char *line = out->p + from, *end = out->p + out->n; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t n = newline ? (size_t)(newline - line) : (size_t)(end - line);
        ridge_text_fold_line(&folded, (ridge_str){line, n}, indent_of(line, n), width);
        line += n + 1;
    }
    out->n = from;
    ridge_buf_add(out, (ridge_str){folded.p, folded.n});
    out->failed |= folded.failed;
    ridge_buf_free(&folded);
}

void ridge_text_row(ridge_buf *out, const char *left, const char *right, size_t gap, size_t width)
{
    size_t at = 2 + ridge_shown_columns(left, strlen(left));
    ridge_buf_addf(out, "  %s", left);
    if (at + 2 > gap) {
        ridge_buf_addc(out, '\n');
        at = 0;
    }
    spaces(out, gap - at);
    ridge_text_wrap(out, right, gap, gap, width);
}

void ridge_text_heading(ridge_buf *out, const char *text)
{
    ridge_buf_addf(out, "\n" RIDGE_LOOK_BOLD "%s:" RIDGE_LOOK_PLAIN "\n", text);
}

void ridge_text_option(ridge_buf *out, const ridge_option *option)
{
    ridge_buf_addf(out, "--%s", option->name);
    if (option->words)
        for (size_t i = 0; option->words[i]; i++)
            ridge_buf_addf(out, "%s%s", i == 0 ? " " : "|", option->words[i]);
    else if (option->argument)
        ridge_buf_addf(out, " %s", option->argument);
}
