#include "report/plot/text.h"

#include "base/columns.h"
#include "base/shown.h"
#include "report/plot/scene.h"

uint32_t ridge_term_char(uint32_t c, bool ascii)
{
    const char *like = !ascii || c < 0x80 ? NULL : c == 0x2026 ? "~" : ridge_shown_likeness(c);
    return !ascii || c < 0x80 ? c : like && like[1] == '\0' ? (unsigned char)like[0] : '?';
}

uint32_t ridge_term_next(const char **text)
{
    const char *at = *text;
    if (!at[0])
        return 0;
    size_t n = ridge_utf8_length(at, at + strnlen(at, 4));
    n = n ? n : 1;
    *text += n;
    return ridge_utf8_decode(at, n);
}

void ridge_term_put(ridge_buf *out, uint32_t c, bool ascii)
{
    char bytes[4];
    char *end = ridge_utf8_put(bytes, ridge_term_char(c, ascii));
    ridge_buf_add(out, (ridge_str){bytes, (size_t)(end - bytes)});
}

/* of a character as it is shown: what has no likeness in ASCII is one '?' */
static int columns_of_char(uint32_t c, bool ascii)
{
    return ascii ? 1 : (int)ridge_columns(c);
}

int ridge_term_columns(const char *text, bool ascii)
{
    int n = 0;
    for (uint32_t c; (c = ridge_term_next(&text)) != 0;)
        n += columns_of_char(c, ascii);
    return n;
}

void ridge_term_cell(ridge_buf *out, const char *text, int columns, bool right, bool ascii)
{
    const int have = ridge_term_columns(text, ascii);
    int used = 0;
    for (int i = have; right && i < columns; i++)
        ridge_buf_addc(out, ' ');
    for (uint32_t c; (c = ridge_term_next(&text)) != 0;) {
        const int width = columns_of_char(c, ascii);
        if (have > columns && used + width >= columns) {
            if (used < columns)
                ridge_term_put(out, 0x2026, ascii);
            used += used < columns;
            break;
        }
        ridge_term_put(out, c, ascii);
        used += width;
    }
    for (; (!right || have > columns) && used < columns; used++)
        ridge_buf_addc(out, ' ');
}

void ridge_term_look_at(ridge_buf *out, int look, bool colour)
{
    static const char *const codes[] = {"34", "33", "32", "35", "31", "36", "93", "90", "0", "1", "2"};
    if (colour)
        ridge_buf_addf(out, RIDGE_LOOK("%s"), codes[look]);
}

/* bytes of a line: up to the last space within the columns, else as much as they hold */
static size_t line_length(const char *text, int columns, bool ascii)
{
    const char *at = text, *space = NULL;
    for (int used = 0; *at;) {
        const char *next = at;
        used += columns_of_char(ridge_term_next(&next), ascii);
        if (*at == ' ')
            space = at;
        if (used > columns && at > text)
            return (size_t)((space ? space : at) - text);
        at = next;
    }
    return (size_t)(at - text);
}

void ridge_term_head(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    const char *texts[] = {plot->title, plot->subtitle};
    for (int i = 0; i < 2; i++) {
        const char *text = ridge_text_clean(arena, texts[i], 2000);
        while (*text) {
            const size_t n = line_length(text, terminal->width, terminal->ascii);
            const char *line = ridge_arena_strdup(arena, (ridge_str){text, n});
            ridge_term_look_at(out, i ? RIDGE_TERM_FAINT : RIDGE_TERM_BOLD, terminal->colour);
            ridge_term_cell(out, line ? line : "", terminal->width, false, terminal->ascii);
            while (out->n > 0 && !out->failed && out->p[out->n - 1] == ' ')
                out->n--;
            ridge_term_look_at(out, RIDGE_TERM_PLAIN, terminal->colour);
            ridge_buf_addc(out, '\n');
            text += n + (text[n] == ' ');
        }
    }
}
