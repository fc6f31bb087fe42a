#include "report/plot/text.h"

#include "report/plot/scene.h"

uint32_t ridge_term_char(uint32_t c, bool ascii)
{
    static const struct {
        uint32_t from;
        char to;
    } likenesses[] = {{0xB5, 'u'}, {0xB7, '-'}, {0xD7, 'x'}, {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''}, {0x2019, '\''}, {0x2026, '~'}};
    if (!ascii || c < 0x80)
        return c;
    for (size_t i = 0; i < sizeof likenesses / sizeof *likenesses; i++)
        if (likenesses[i].from == c)
            return (unsigned char)likenesses[i].to;
    return '?';
}

uint32_t ridge_term_next(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    if (!p[0])
        return 0;
    unsigned n = p[0] < 0x80 ? 1 : p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    unsigned i = 1;
    for (; i < n && (p[i] & 0xC0) == 0x80; i++)
        c = c << 6 | (p[i] & 0x3Fu);
    *text += i;
    return c;
}

void ridge_term_put(ridge_buf *out, uint32_t c, bool ascii)
{
    char bytes[4];
    char *end = ridge_utf8_put(bytes, ridge_term_char(c, ascii));
    ridge_buf_add(out, (ridge_str){bytes, (size_t)(end - bytes)});
}

static int columns_of(const char *text)
{
    int n = 0;
    while (ridge_term_next(&text))
        n++;
    return n;
}

void ridge_term_cell(ridge_buf *out, const char *text, int columns, bool right, bool ascii)
{
    int have = columns_of(text);
    for (int i = have; right && i < columns; i++)
        ridge_buf_addc(out, ' ');
    for (int i = 0; i < have && i < columns; i++) {
        uint32_t c = ridge_term_next(&text);
        ridge_term_put(out, i + 1 == columns && have > columns ? 0x2026 : c, ascii);
    }
    for (int i = have; !right && i < columns; i++)
        ridge_buf_addc(out, ' ');
}

void ridge_term_look_at(ridge_buf *out, int look, bool colour)
{
    static const char *const codes[] = {"34", "33", "32", "35", "31", "36", "93", "90", "0", "1", "2"};
    if (colour)
        ridge_buf_addf(out, "\033[%sm", codes[look]);
}

void ridge_term_head(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    const char *lines[] = {plot->title, plot->subtitle};
    for (int i = 0; i < 2; i++) {
        if (!lines[i][0])
            continue;
        ridge_term_look_at(out, i ? RIDGE_TERM_FAINT : RIDGE_TERM_BOLD, terminal->colour);
        const char *text = ridge_text_clean(arena, lines[i], (size_t)terminal->width);
        ridge_term_cell(out, text, columns_of(text), false, terminal->ascii);
        ridge_term_look_at(out, RIDGE_TERM_PLAIN, terminal->colour);
        ridge_buf_addc(out, '\n');
    }
}
