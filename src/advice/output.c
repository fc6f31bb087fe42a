/* `ridge predict --advice`: as a section of the text, as a table, as JSON. */
#include <math.h>

#include "advice/advice.h"
#include "model/records.h"

#define SHOWN_IN_TEXT 5
#define INDENT        15  /* of an item's text */
#define WIDTH         120 /* where there is no terminal */

static size_t shown_count(const ridge_advice *a, int64_t asked, bool text)
{
    size_t most = asked == RIDGE_ADVICE_ALL || (asked == RIDGE_ADVICE_USUAL && !text) ? a->count
                  : asked == RIDGE_ADVICE_USUAL                                       ? SHOWN_IN_TEXT
                                                                                      : (size_t)asked;
    return most < a->count ? most : a->count;
}

/* ---- text: a sentence each ---- */

static void add_seconds(ridge_buf *out, const ridge_advice *a, const ridge_advice_item *item, ridge_arena *arena)
{
    if (item->throughput)
        ridge_buf_addf(out, "-%s for the tokens of now (%s -> %s, for %.4g times the tokens: %s)", ridge_units_seconds(arena, item->gain_s),
                       ridge_units_seconds(arena, a->now_s), ridge_units_seconds(arena, item->time_s),
                       item->time_s / (a->now_s - item->gain_s), ridge_units_scaled(arena, item->tokens_per_s, "tokens/s"));
    else
        ridge_buf_addf(out, "-%s (%s -> %s)", ridge_units_seconds(arena, item->gain_s), ridge_units_seconds(arena, a->now_s),
                       ridge_units_seconds(arena, item->time_s));
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* words of one item, the lines after the first below its text; a number keeps its unit */
static void add_wrapped(ridge_buf *out, const char *text, size_t width)
{
    size_t column = INDENT;
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (column > INDENT && column + 1 + n > width && !is_digit(word[-2])) {
            ridge_buf_addf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            ridge_buf_addc(out, ' ');
            column++;
        }
        ridge_buf_add(out, (ridge_str){word, n});
        column += n;
        word += n + (word[n] == ' ');
    }
    ridge_buf_addc(out, '\n');
}

static void add_sentence(ridge_buf *out, const ridge_advice *a, const ridge_advice_item *item, ridge_arena *arena)
{
    ridge_buf_addf(out, "%s: ", item->action);
    add_seconds(out, a, item, arena);
    ridge_buf_addf(out, "%s%s", item->throughput || item->together ? "; " : ", since ", item->why);
    if (!item->fits)
        ridge_buf_addf(out, "; does not fit%s%s%s", item->to_fit ? " (it would with " : "", item->to_fit ? item->to_fit : "",
                       item->to_fit ? ")" : "");
    if (item->lossy)
        ridge_buf_addz(out, " (changes the results)");
}

static bool add_section(ridge_buf *out, const ridge_advice *a, size_t shown, int width, ridge_arena *arena)
{
    bool ok = true;
    ridge_buf_addc(out, '\n');
    if (a->count == 0)
        ridge_buf_addz(out, "advice      nothing that Ridge can change here makes it faster\n");
    for (size_t i = 0; i < shown; i++) {
        ridge_buf text = {0};
        add_sentence(&text, a, &a->items[i], arena);
        ridge_buf_addf(out, "%s%2zu. ", i ? "           " : "advice     ", i + 1);
        add_wrapped(out, text.p ? text.p : "", width > 0 ? (size_t)width : WIDTH);
        ok = ok && !text.failed;
        ridge_buf_free(&text);
    }
    if (shown < a->count)
        ridge_buf_addf(out, "            %zu more with --advice all\n", a->count - shown);
    return ok;
}

/* ---- CSV, Markdown ---- */

static const ridge_column columns[] = {{"action", "action", false},
                                       {"gain", "gain_s", true},
                                       {"time", "time_s", true},
                                       {"speed-up", "speedup", true},
                                       {"tokens/s", "tokens_per_s", true},
                                       {"options", "options", false},
                                       {"of", "of", false},
                                       {"lossy", "lossy", false},
                                       {"fits", "fits", false},
                                       {"to fit", "to_fit", false},
                                       {"why", "why", false}};

static const char *cell(const char *text)
{
    return text ? text : "";
}

static bool table_row(ridge_table *t, const ridge_advice_item *item, bool csv)
{
    ridge_arena *arena = t->arena;
    const char **c = ridge_table_row(t);
    if (!c)
        return false;
    c[0] = item->action;
    c[1] = csv ? cell(ridge_arena_printf(arena, "%.17g", item->gain_s)) : ridge_units_seconds(arena, item->gain_s);
    c[2] = csv ? cell(ridge_arena_printf(arena, "%.17g", item->time_s)) : ridge_units_seconds(arena, item->time_s);
    c[3] = csv ? cell(ridge_arena_printf(arena, "%.17g", item->speedup)) : ridge_units_ratio(arena, item->speedup);
    c[4] = csv ? cell(ridge_arena_printf(arena, "%.17g", item->tokens_per_s)) : ridge_units_ratio(arena, item->tokens_per_s);
    c[5] = cell(ridge_changes_text(&item->changes, arena));
    c[6] = item->throughput ? "throughput" : "time";
    c[7] = item->lossy ? "true" : "false";
    c[8] = item->fits ? "true" : "false";
    c[9] = cell(item->to_fit);
    c[10] = item->why;
    return true;
}

ridge_status ridge_output_advice_table(ridge_buf *out, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    ridge_advice *a;
    ridge_arena *arena = &p->timed->arena;
    ridge_table t;
    bool ok = true, text = view->style == RIDGE_FORM_TEXT;
    if (p->request->advice == 0)
        return RIDGE_OK;
    ridge_status st = ridge_advice_make(&a, p, err);
    size_t n = st ? 0 : shown_count(a, p->request->advice, text);
    if (!st && text) {
        ok = add_section(out, a, n, view->width, arena);
    } else if (!st) {
        ridge_table_init(&t, arena, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < n && ok; i++)
            ok = table_row(&t, &a->items[i], view->style == RIDGE_FORM_CSV);
        ridge_table_render(out, &t, view->style, view->width);
    }
    ridge_advice_free(a);
    return ok ? st : ridge_no_memory(err);
}

/* ---- JSON ---- */

static void write_item(ridge_json_writer *w, const ridge_advice_item *item, bool capacity_known)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "action", item->action);
    ridge_jw_member_real(w, "gain_s", item->gain_s);
    ridge_jw_member_text(w, "why", item->why);
    ridge_jw_key(w, "options");
    ridge_changes_json(w, &item->changes);
    ridge_jw_member_real(w, "time_s", item->time_s);
    ridge_jw_member_real(w, "speedup", item->speedup);
    ridge_jw_member_real(w, "tokens_per_s", item->tokens_per_s);
    ridge_jw_member_text(w, "of", item->throughput ? "throughput" : "time");
    ridge_jw_key(w, "lossy");
    ridge_jw_bool(w, item->lossy);
    ridge_jw_key(w, "fits");
    if (capacity_known)
        ridge_jw_bool(w, item->fits);
    else
        ridge_jw_null(w);
    ridge_jw_member_text(w, "to_fit", item->to_fit);
    ridge_jw_key(w, "memory_bytes");
    ridge_jw_int(w, item->memory_bytes);
    ridge_jw_end_object(w);
}

ridge_status ridge_output_advice_json(ridge_json_writer *w, const ridge_prediction *p, ridge_err *err)
{
    ridge_advice *a = NULL;
    ridge_status st = p->request->advice == 0 ? RIDGE_OK : ridge_advice_make(&a, p, err);
    size_t n = st || !a ? 0 : shown_count(a, p->request->advice, false);
    ridge_jw_key(w, "advice");
    ridge_jw_array(w);
    for (size_t i = 0; i < n; i++)
        write_item(w, &a->items[i], p->capacity_bytes >= 0);
    ridge_jw_end_array(w);
    ridge_advice_free(a);
    return st;
}
