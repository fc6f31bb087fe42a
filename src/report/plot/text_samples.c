/* Measurements with their intervals, in characters: a line each, "q4_K   |   --o---   1.2 ms". */
#include <math.h>

#include "report/plot/layout.h"
#include "report/plot/text.h"

enum { VALUE = 12, NARROWEST = 8 };

typedef struct track {
    const ridge_plot_terminal *terminal;
    ridge_axis axis; /* in columns */
    int label, columns;
} track;

static int column_of(const track *t, double value)
{
    int at = (int)ridge_axis_at(&t->axis, value);
    return at < t->columns ? at : t->columns - 1;
}

static int width_of(const char *text)
{
    int n = 0;
    while (ridge_term_next(&text))
        n++;
    return n;
}

static void add_line(ridge_buf *out, const track *t, const ridge_plot_sample *s, const char *label, const char *value)
{
    static const uint32_t points[] = {0x25CB, 0x25A1, 0x25B3, 0x25C7}; /* circle, square, triangle, diamond */
    static const char ascii[] = "o#^*";
    const bool sure = s->low <= s->high;
    const int at = column_of(t, s->y), from = sure ? column_of(t, s->low) : at, to = sure ? column_of(t, s->high) : at;
    ridge_term_cell(out, label, t->label, false, t->terminal->ascii);
    ridge_buf_addz(out, " |");
    ridge_term_look_at(out, (int)(s->group % RIDGE_PLOT_GROUPS), t->terminal->colour);
    for (int i = 0; i < t->columns; i++) {
        uint32_t c = i == at                ? (t->terminal->ascii ? (uint32_t)(unsigned char)ascii[s->group % 4] : points[s->group % 4])
                     : i >= from && i <= to ? (t->terminal->ascii ? '-' : 0x2500)
                                            : ' ';
        ridge_term_put(out, c, t->terminal->ascii);
    }
    ridge_term_look_at(out, RIDGE_TERM_PLAIN, t->terminal->colour);
    ridge_term_cell(out, value, VALUE, true, t->terminal->ascii);
    ridge_buf_addc(out, '\n');
}

static void add_legend(ridge_buf *out, const ridge_plot_samples *p, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    static const char *const marks[] = {"\u25CB", "\u25A1", "\u25B3", "\u25C7"}, *const ascii[] = {"o", "#", "^", "*"};
    for (size_t g = 0; g < p->group_count; g++) {
        const char *text = ridge_arena_printf(arena, "%s %s", terminal->ascii ? ascii[g % 4] : marks[g % 4],
                                              ridge_text_clean(arena, p->groups[g], (size_t)terminal->width - 2));
        ridge_term_cell(out, text ? text : "", terminal->width, false, terminal->ascii);
        ridge_buf_addc(out, '\n');
    }
    for (size_t i = 0; i < p->mark_count; i++) {
        const char *text =
            ridge_arena_printf(arena, "%s%s", i == 0 ? "marked: " : "        ", ridge_text_clean(arena, p->marks[i].label, 60));
        ridge_term_cell(out, text ? text : "", terminal->width, false, terminal->ascii);
        ridge_buf_addc(out, '\n');
    }
}

void ridge_term_samples(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena)
{
    const ridge_plot_samples *p = &plot->u.samples;
    track t = {.terminal = terminal, .label = 4};
    double low, high;
    for (size_t i = 0; i < p->count; i++) {
        int n = width_of(ridge_text_clean(arena, p->items[i].label, 60));
        t.label = n > t.label ? n : t.label;
    }
    t.label = t.label < terminal->width * 2 / 5 ? t.label : terminal->width * 2 / 5;
    t.columns = terminal->width - t.label - 2 - VALUE;
    t.columns = t.columns < NARROWEST ? NARROWEST : t.columns;
    ridge_samples_range(&low, &high, p);
    t.axis = (ridge_axis){.lo = low, .hi = high, .to = t.columns, .log = p->log_y, .unit = p->y_unit};
    ridge_term_head(out, plot, terminal, arena);
    for (size_t i = 0; i < p->count; i++) {
        const ridge_plot_sample *s = &p->items[i];
        bool again = i > 0 && p->alternatives && strcmp(p->items[i - 1].label, s->label) == 0;
        add_line(out, &t, s, again ? "" : ridge_text_clean(arena, s->label, 60), ridge_text_quantity(arena, s->y, p->y_unit));
    }
    add_legend(out, p, terminal, arena);
}
