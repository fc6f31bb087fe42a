/* Differences, advice and formats for people; as CSV one table of each. */
#include "advice/advice.h"
#include "base/shown.h"
#include "report/text.h"

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

/* "4.268 ms becomes 1.433 ms (2.98 times as fast)"; of a larger batch: "2.614 ktokens/s instead of 234.3 tokens/s (11.16 times), in
 * passes of 25.63 ms instead of 4.268 ms" */
static void add_gain(ridge_buf *out, const ridge_advice *a, const ridge_advice_item *item)
{
    const char *now = ridge_units_seconds(a->arena, a->now_s), *then = ridge_units_seconds(a->arena, item->time_s);
    const char *times = ridge_units_ratio(a->arena, item->speedup);
    if (item->of == RIDGE_GAIN_THROUGHPUT)
        ridge_buf_addf(out, "%s times the %s per second (%s), in passes of %s instead of %s", times,
                       item->tokens_per_s >= 0 ? "tokens" : "images",
                       ridge_throughput_text(a->arena, item->tokens_per_s, item->images_per_s), then, now);
    else
        ridge_buf_addf(out, "%s instead of %s, %s times as fast", then, now, times);
}

/* ", would with --weights q4_K --kv fp8_e4m3 up to batch 5", where the record has "weights=q4_K, kv=fp8_e4m3 up to batch 5" */
static void add_to_fit(ridge_buf *out, const char *text)
{
    ridge_buf_addz(out, ", would with");
    while (*text != '\0') {
        size_t n = strcspn(text, ","), name = strcspn(text, "=,");
        if (name < n)
            ridge_buf_addf(out, " " RIDGE_OPT("%.*s") " %.*s", (int)name, text, (int)(n - name - 1), text + name + 1);
        else
            ridge_buf_addf(out, " %.*s", (int)n, text);
        text += n;
        text += strspn(text, ", ");
    }
}

/* what to do: what it gains; why; what stands against it */
static void add_sentence(ridge_buf *out, const ridge_advice *a, const ridge_advice_item *item)
{
    ridge_buf_addf(out, "%s: ", item->action);
    add_gain(out, a, item);
    ridge_buf_addf(out, "; %s", item->why);
    if (!item->fits)
        ridge_buf_addz(out, "; " RIDGE_LOOK_ALARM "does not fit" RIDGE_LOOK_PLAIN);
    if (!item->fits && item->to_fit)
        add_to_fit(out, item->to_fit);
    if (item->lossy)
        ridge_buf_addz(out, "; changes the results");
}

const char *ridge_advice_sentence(const ridge_advice *a, const ridge_advice_item *item)
{
    ridge_buf text = {0}, shown = {0};
    add_sentence(&text, a, item);
    if (!text.failed)
        ridge_buf_add_shown(&shown, (ridge_str){text.p, text.n}, RIDGE_SHOWN_DASHES);
    shown.failed = shown.failed || text.failed;
    ridge_buf_free(&text);
    const char *out = ridge_arena_take(a->arena, &shown);
    return out ? out : "";
}

ridge_status ridge_advice_print(ridge_buf *out, const ridge_advice *a, const ridge_record_style *style, ridge_err *err)
{
    if (style->form != RIDGE_FORM_TEXT)
        return ridge_record_print(out, &ridge_advice_item_record, style, a->items, a->shown, err);
    if (a->count == 0)
        ridge_buf_addz(out, "advice      nothing that Ridge can change here makes it faster\n");
    for (size_t i = 0; i < a->shown; i++) {
        ridge_buf text = {0};
        ridge_buf_addf(&text, "%s%2zu. ", i > 0 ? "           " : "advice     ", i + 1);
        add_sentence(&text, a, &a->items[i]);
        ridge_text_fold_line(out, (ridge_str){text.p, text.n}, INDENT, style->width > 0 ? (size_t)style->width : WIDTH);
        out->failed |= text.failed;
        ridge_buf_free(&text);
    }
    if (a->least && a->shown > 0)
        ridge_buf_addz(out, "            what is saved is of the bound that is known: the other may hold the time where it is\n");
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
    const bool cache = a->trials[0].formats.kv;
    for (int g = 0; g < TRIAL_GROUPS; g++) {
        const char *before = g == EVERYTHING && !cache ? "; weights and activations in " : heads[g];
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
        ridge_buf_addf(out, ": batch %lld", (long long)t->batch);
    if (!t->absent && t->seq >= 0)
        ridge_buf_addf(out, ", seq %lld", (long long)t->seq);
    if (!t->absent && t->past >= 0)
        ridge_buf_addf(out, ", past %lld", (long long)t->past);
    if (!t->absent)
        ridge_buf_addf(out, ": %s now, %s with these formats (%s times as fast)", ridge_units_seconds(arena, t->now_s),
                       ridge_units_seconds(arena, t->time_s), ridge_units_ratio(arena, t->speedup));
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
