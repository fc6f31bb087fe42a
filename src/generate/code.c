#include "generate/code.h"

#include "base/shown.h"

/* ---- statements ---- */

/* columns from `at` to the next place where a break at this depth or above may stand, or to the end */
static size_t reach(ridge_str s, size_t at, unsigned depth, unsigned limit)
{
    size_t columns = 0;
    for (unsigned d = depth; at < s.n && columns <= limit; at++) {
        if (s.p[at] == *RIDGE_CODE_CLOSE || s.p[at] == *RIDGE_CODE_UP) {
            d--;
            if (d < depth)
                depth = d;
        } else if (s.p[at] == *RIDGE_CODE_DEEP || s.p[at] == *RIDGE_CODE_OPEN) {
            d++;
        } else if (s.p[at] == *RIDGE_CODE_BREAK) {
            if (d <= depth)
                return columns;
            columns++;
        } else {
            columns++;
        }
    }
    return columns;
}

static void start_line(ridge_buf *out, size_t columns)
{
    ridge_buf_addf(out, "\n%*s", (int)columns, "");
}

void ridge_code_statement(ridge_buf *out, unsigned indent, ridge_str s)
{
    enum { STEP = 4, DEEPEST = 10 };
    size_t column = indent, line_start = indent;
    unsigned depth = 0;
    ridge_buf_addf(out, "%*s", (int)indent, "");
    for (size_t i = 0; i < s.n; i++) {
        const char c = s.p[i];
        bool may_break = c == *RIDGE_CODE_BREAK || c == *RIDGE_CODE_OPEN;
        depth += c == *RIDGE_CODE_OPEN || c == *RIDGE_CODE_DEEP;
        depth -= c == *RIDGE_CODE_CLOSE || c == *RIDGE_CODE_UP;
        if (may_break) {
            const size_t blank = c == *RIDGE_CODE_BREAK, to = indent + STEP * (depth < DEEPEST ? depth : DEEPEST);
            const bool helps = column > to || line_start < column;
            if (helps && column + blank + reach(s, i + 1, depth, RIDGE_CODE_WIDTH) > RIDGE_CODE_WIDTH && column > to) {
                start_line(out, to);
                column = line_start = to;
            } else if (blank) {
                ridge_buf_addc(out, ' ');
                column++;
            }
        } else if ((unsigned char)c > *RIDGE_CODE_UP) {
            ridge_buf_addc(out, c);
            column++;
        }
    }
    ridge_buf_addc(out, '\n');
}

/* ---- literals ---- */

void ridge_code_python_text(ridge_buf *out, ridge_str text)
{
    const char *end = text.p + text.n;
    ridge_buf_addc(out, '"');
    for (const char *p = text.p; p < end;) {
        const unsigned char c = (unsigned char)*p;
        const size_t n = c < 0x80 ? 1 : ridge_utf8_length(p, end);
        const uint32_t code = n > 1 ? ridge_utf8_decode(p, n) : c;
        if (c == '"' || c == '\\')
            ridge_buf_addf(out, "\\%c", c);
        else if (c >= ' ' && c < 0x7f)
            ridge_buf_addc(out, (char)c);
        else if (n == 0) /* no UTF-8: as Python's surrogateescape has it */
            ridge_buf_addf(out, "\\udc%02x", c);
        else
            ridge_buf_addf(out, code > 0xffff ? "\\U%08x" : code > 0xff ? "\\u%04x" : "\\x%02x", (unsigned)code);
        p += n ? n : 1;
    }
    ridge_buf_addc(out, '"');
}

void ridge_code_c_text(ridge_buf *out, ridge_str text)
{
    ridge_buf_addc(out, '"');
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\' || c == '?') /* ??= would be a trigraph */
            ridge_buf_addf(out, "\\%c", c);
        else if (c >= ' ' && c < 0x7f)
            ridge_buf_addc(out, (char)c);
        else
            ridge_buf_addf(out, "\\%03o", c);
    }
    ridge_buf_addc(out, '"');
}

/* ---- words for people ---- */

/* One word, safe where it stands: no end of the comment or docstring, no escape, nothing that hides. */
static void add_word(ridge_buf *out, ridge_code_prose kind, ridge_str word)
{
    ridge_buf shown = {0};
    ridge_buf_add_shown(&shown, word, 0);
    for (size_t i = 0; i < shown.n; i++) {
        const char c = shown.p[i], next = i + 1 < shown.n ? shown.p[i + 1] : ' ';
        if (kind == RIDGE_PROSE_DOCSTRING && (c == '\\' || (c == '"' && (next == '"' || next == ' '))))
            ridge_buf_addc(out, '\\');
        ridge_buf_addc(out, c);
        if (kind == RIDGE_PROSE_COMMENT && ((c == '*' && next == '/') || (c == '/' && next == '*') || (c == '?' && next == '?')))
            ridge_buf_addc(out, ' ');
        if (kind == RIDGE_PROSE_COMMENT && c == '\\' && i + 1 == shown.n) /* it would join the next line */
            ridge_buf_addc(out, '.');
    }
    out->failed |= shown.failed;
    ridge_buf_free(&shown);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

void ridge_code_words(ridge_buf *out, ridge_code_prose kind, unsigned indent, const char *lead, unsigned column, ridge_str text)
{
    bool first = true;
    for (size_t i = 0; i < text.n;) {
        size_t n = 0;
        while (i < text.n && is_blank(text.p[i]))
            i++;
        while (i + n < text.n && !is_blank(text.p[i + n]))
            n++;
        if (n == 0)
            break;
        ridge_buf word = {0};
        add_word(&word, kind, (ridge_str){text.p + i, n});
        const unsigned columns = (unsigned)ridge_shown_columns(word.p ? word.p : "", word.n);
        if (!first && column + 1 + columns > RIDGE_CODE_WIDTH) {
            ridge_buf_addf(out, "\n%*s%s", (int)indent, "", lead);
            column = indent + (unsigned)strlen(lead);
        } else if (!first) {
            ridge_buf_addc(out, ' ');
            column++;
        }
        ridge_buf_add(out, (ridge_str){word.p ? word.p : "", word.n});
        out->failed |= word.failed;
        ridge_buf_free(&word);
        column += columns;
        first = false;
        i += n;
    }
}

/* ---- names ---- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void ridge_code_identifier(ridge_buf *out, ridge_str text)
{
    for (size_t i = 0; i < text.n; i++)
        ridge_buf_addc(out, is_letter(text.p[i]) || ridge_is_digit(text.p[i]) ? text.p[i] : '_');
}

static bool is_among(ridge_str name, const char *const *words)
{
    for (; *words; words++)
        if (ridge_str_is(name, *words))
            return true;
    return false;
}

bool ridge_code_is_python_word(ridge_str name)
{
    static const char *const words[] = {
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif",
        "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not", "or",
        "pass", "print", "raise", "return", "try", "type", "while", "with", "yield",
        /* what the generated code itself calls something by */
        "self", "cls", "add", "config", "workload", "nested", "parts", "at", "items", "holds", "own", "afterwards", "BaseModule",
        "BaseFormula", "BaseConfig", "Field", "Fraction", "UNSET", "uses", "active", "abs", "all", "any", "ceil", "ceil_div", "coalesce",
        "element_at", "enumerate", "field", "floor", "int", "len", "max", "member", "min", "power", "range", "ratio", "repeated", "split",
        "sum", NULL};
    return is_among(name, words);
}

bool ridge_code_is_c_word(ridge_str name)
{
    static const char *const words[] = {
        "alignas", "alignof",  "auto",          "bool",     "break",    "case",         "char",     "const",   "constexpr", "continue",
        "default", "do",       "double",        "else",     "enum",     "extern",       "false",    "float",   "for",       "goto",
        "if",      "inline",   "int",           "long",     "nullptr",  "register",     "restrict", "return",  "short",     "signed",
        "sizeof",  "static",   "static_assert", "struct",   "switch",   "thread_local", "true",     "typedef", "typeof",    "typeof_unqual",
        "union",   "unsigned", "void",          "volatile", "while",    "asm",          "fortran",  "and",     "or",        "not",
        "xor",     "class",    "new",           "delete",   "template", "this",         "unix",     "linux",   "errno",     "stdin",
        "stdout",  "stderr",   "NULL",          NULL};
    return is_among(name, words);
}
