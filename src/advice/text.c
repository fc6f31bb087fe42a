/* Differences, advice and formats for people; as CSV one table of each. */
#include "advice/advice.h"

/* ---- against ---- */

/* of a request, whose rows are of one pass alone */
static const char *pass_of(const ridge_variant *v)
{
    return !v->told.generation ? "" : v->then->model->workload.phase == RIDGE_PHASE_DECODE ? ": one decode step" : ": the prefill";
}

static ridge_status print_variant(ridge_buf *out, const ridge_variant *v, const ridge_record_style *style, ridge_err *err)
{
    ridge_buf_addf(out, style->form == RIDGE_FORM_MARKDOWN ? "\n**%s%s**\n\n" : "\n%s%s\n", v->text, pass_of(v));
    for (size_t i = 0; i < v->new_notes.count && style->form == RIDGE_FORM_TEXT; i++)
        ridge_buf_addf(out, "note  %s\n", v->new_notes.items[i]);
    return ridge_record_print(out, &ridge_against_row_record, style, v->shown, v->shown_count, err);
}

ridge_status ridge_against_print(ridge_buf *out, const ridge_against *a, const ridge_record_style *style, ridge_err *err)
{
    if (style->form == RIDGE_FORM_CSV)
        return ridge_record_print(out, &ridge_against_row_record, style, a->rows, a->row_count, err);
    ridge_status st = ridge_record_print(out, &ridge_against_totals_record, style, a->lines, a->count + 1, err);
    for (size_t i = 0; i < a->count && !st; i++)
        st = print_variant(out, &a->variants[i], style, err);
    return st;
}

/* ---- advice: a sentence each ---- */

#define INDENT 15  /* of an item's text */
#define WIDTH  120 /* where there is no terminal */

static void add_seconds(ridge_buf *out, const ridge_advice *a, const ridge_advice_item *item)
{
    const char *gain = ridge_units_seconds(a->arena, item->gain_s), *now = ridge_units_seconds(a->arena, a->now_s),
               *then = ridge_units_seconds(a->arena, item->time_s);
    if (item->of == RIDGE_GAIN_THROUGHPUT)
        ridge_buf_addf(out, "-%s for the tokens of now (%s -> %s, for %.4g times the tokens: %s)", gain, now, then, item->times,
                       ridge_units_scaled(a->arena, item->tokens_per_s, "tokens/s"));
    else
        ridge_buf_addf(out, "-%s (%s -> %s)", gain, now, then);
}

/* columns of a word: UTF-8 continuation bytes take none */
static size_t columns_of(const char *word, size_t n)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns += ((unsigned char)word[i] & 0xC0) != 0x80;
    return columns;
}

/* words of one item, the lines after the first below its text; a number keeps its unit */
static void add_wrapped(ridge_buf *out, const char *text, size_t width)
{
    size_t column = INDENT;
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " "), columns = columns_of(word, n);
        if (column > INDENT && column + 1 + columns > width && !ridge_is_digit(word[-2])) {
            ridge_buf_addf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            ridge_buf_addc(out, ' ');
            column++;
        }
        ridge_buf_add(out, (ridge_str){word, n});
        column += columns;
        word += n + (word[n] == ' ');
    }
    ridge_buf_addc(out, '\n');
}

static void add_sentence(ridge_buf *out, const ridge_advice *a, const ridge_advice_item *item)
{
    ridge_buf_addf(out, "%s: ", item->action);
    add_seconds(out, a, item);
    ridge_buf_addf(out, "%s%s", item->of == RIDGE_GAIN_THROUGHPUT || item->together ? "; " : ", since ", item->why);
    if (!item->fits)
        ridge_buf_addf(out, "; does not fit%s%s%s", item->to_fit ? " (it would with " : "", item->to_fit ? item->to_fit : "",
                       item->to_fit ? ")" : "");
    if (item->lossy)
        ridge_buf_addz(out, " (changes the results)");
}

ridge_status ridge_advice_print(ridge_buf *out, const ridge_advice *a, const ridge_record_style *style, ridge_err *err)
{
    if (style->form != RIDGE_FORM_TEXT)
        return ridge_record_print(out, &ridge_advice_item_record, style, a->items, a->shown, err);
    if (a->count == 0)
        ridge_buf_addz(out, "advice      nothing that Ridge can change here makes it faster\n");
    for (size_t i = 0; i < a->shown; i++) {
        ridge_buf text = {0};
        add_sentence(&text, a, &a->items[i]);
        ridge_buf_addf(out, "%s%2zu. ", i > 0 ? "           " : "advice     ", i + 1);
        add_wrapped(out, text.p ? text.p : "", style->width > 0 ? (size_t)style->width : WIDTH);
        out->failed |= text.failed;
        ridge_buf_free(&text);
    }
    if (a->shown < a->count)
        ridge_buf_addf(out, "            %zu more with " RIDGE_OPT("advice") " all\n", a->count - a->shown);
    return RIDGE_OK;
}

/* ---- formats per kind of operator ---- */

typedef enum trial_group { WEIGHTS_ALONE, EVERYTHING, CACHE_ALONE, TRIAL_GROUPS } trial_group;

static trial_group group_of(const ridge_precision_advice *a, const ridge_precision_trial *t)
{
    return t->uniform ? EVERYTHING : t->formats.kv != a->trials[0].formats.kv ? CACHE_ALONE : WEIGHTS_ALONE;
}

/* the formats tried, in their order */
static void add_candidates(ridge_buf *out, const ridge_precision_advice *a)
{
    static const char *const heads[TRIAL_GROUPS] = {"candidates  weights in ", "; weights, activations and KV in ", "; KV in "};
    for (int g = 0; g < TRIAL_GROUPS; g++) {
        const char *before = heads[g];
        for (size_t i = 1; i < a->trial_count; i++) {
            const ridge_precision_formats *f = &a->trials[i].formats;
            if ((int)group_of(a, &a->trials[i]) != g)
                continue;
            ridge_buf_addf(out, "%s%s", before, g == CACHE_ALONE ? f->kv->name : f->weights->name);
            before = ", ";
        }
    }
    ridge_buf_addz(out, "\n            times only: narrower formats change the results\n");
}

static void add_title(ridge_buf *out, const ridge_precision_table *t, ridge_form form, ridge_arena *arena)
{
    const char *bold = form == RIDGE_FORM_MARKDOWN ? "**" : "";
    ridge_buf_addf(out, "\n%s%s%s", bold, ridge_situation_names[t->situation], bold);
    if (t->absent)
        ridge_buf_addf(out, ": none: %s", t->absent);
    else
        ridge_buf_addf(out, ": batch %lld, seq %lld, past %lld: %s now, %s with these formats (%s times as fast)", (long long)t->batch,
                       (long long)t->seq, (long long)t->past, ridge_units_seconds(arena, t->now_s), ridge_units_seconds(arena, t->time_s),
                       ridge_units_ratio(arena, t->speedup));
    ridge_buf_addz(out, form == RIDGE_FORM_MARKDOWN ? "\n\n" : "\n");
}

ridge_status ridge_precision_print(ridge_buf *out, const ridge_precision_advice *a, const ridge_record_style *style, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (style->form == RIDGE_FORM_CSV)
        return ridge_record_print(out, &ridge_precision_choice_record, style, a->choices, a->choice_count, err);
    if (style->form == RIDGE_FORM_TEXT)
        add_candidates(out, a);
    for (int s = 0; s < RIDGE_SITUATION_COUNT && !st; s++) {
        const ridge_precision_table *t = &a->tables[s];
        add_title(out, t, style->form, a->arena);
        if (!t->absent)
            st = ridge_record_print(out, &ridge_precision_choice_record, style, t->choices, t->count, err);
    }
    return st;
}
