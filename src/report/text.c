#include "report/text.h"

/* characters, not bytes: the help may hold UTF-8; the mark of an option's name becomes two dashes */
static size_t columns_of(const char *text, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns += text[i] == (char)RIDGE_OPT_MARK ? 2 : ((unsigned char)text[i] & 0xC0) != 0x80;
    return columns;
}

static void spaces(ridge_buf *out, size_t n)
{
    ridge_buf_addf(out, "%*s", (int)n, "");
}

void ridge_text_wrap(ridge_buf *out, const char *text, size_t at, size_t indent, size_t width)
{
    bool fresh = true; /* no word on this line yet */
    while (*text != '\0') {
        size_t n = strcspn(text, " \n"), columns = columns_of(text, n);
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

void ridge_text_row(ridge_buf *out, const char *left, const char *right, size_t gap, size_t width)
{
    size_t at = 2 + columns_of(left, strlen(left));
    ridge_buf_addf(out, "  %s", left);
    if (at + 2 > gap) {
        ridge_buf_addc(out, '\n');
        at = 0;
    }
    spaces(out, gap - at);
    ridge_text_wrap(out, right, gap, gap, width);
}

void ridge_text_heading(ridge_buf *out, const char *text, bool color)
{
    ridge_buf_addf(out, "\n%s%s:%s\n", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
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
