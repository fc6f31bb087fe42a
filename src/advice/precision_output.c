/* `ridge predict --recommend` as text, Markdown, CSV and JSON. */
#include "advice/advice.h"
#include "model/records.h"

static const char *cell(const char *text)
{
    return text ? text : "";
}

/* what of a trial concerns a kind; NULL: not that format */
static const char *weights_of(const ridge_precision_choice *c, const ridge_precision_trial *t)
{
    return c->kind == RIDGE_OPERATOR_ATTENTION || c->kind == RIDGE_OPERATOR_NORMS || c->kind == RIDGE_OPERATOR_REST ? NULL : t->weights;
}

static const char *kv_of(const ridge_precision_choice *c, const ridge_precision_trial *t)
{
    return c->kind == RIDGE_OPERATOR_ATTENTION ? t->kv : NULL;
}

static const char *formats_text(const ridge_precision_advice *a, const ridge_precision_choice *c, ridge_arena *arena)
{
    const ridge_precision_trial *t = &a->trials[c->best];
    const char *weights = weights_of(c, t), *kv = kv_of(c, t);
    if (c->best == 0)
        return "as it is";
    if (weights)
        return cell(ridge_arena_printf(arena, t->uniform ? "weights, activations %s" : "weights %s", weights));
    if (kv)
        return cell(t->uniform ? ridge_arena_printf(arena, "activations %s, KV %s", t->activations, kv)
                               : ridge_arena_printf(arena, "KV %s", kv));
    return cell(ridge_arena_printf(arena, "activations %s", t->activations));
}

static const char *bound_of(const ridge_precision_choice *c)
{
    return ridge_bound_names[2 * c->memory_bound_s >= c->times[0] ? RIDGE_BOUND_MEMORY : RIDGE_BOUND_COMPUTE];
}

/* ---- tables ---- */

/* CSV has one table, the others one for each situation, which names it */
static const ridge_column columns[] = {{"situation", "situation", false},
                                       {"operators", "kind", false},
                                       {"now", "now_s", true},
                                       {"%", "share", true},
                                       {"bound", "bound", false},
                                       {"formats", "formats", false},
                                       {"then", "time_s", true},
                                       {"speed-up", "speedup", true},
                                       {"why", "why", false}};

static double speedup(double now, double then)
{
    return then > 0 ? now / then : 1;
}

static bool add_row(ridge_table *t, const ridge_precision_advice *a, const ridge_precision_table *p, const ridge_precision_choice *c,
                    bool csv)
{
    ridge_arena *arena = t->arena;
    const char **cells = ridge_table_row(t);
    double now = c->times[0], then = c->times[c->best];
    if (!cells)
        return false;
    if (csv)
        *cells++ = ridge_situation_names[p->situation];
    cells[0] = csv ? ridge_operator_names[c->kind] : ridge_operator_titles[c->kind];
    cells[1] = csv ? cell(ridge_arena_printf(arena, "%.17g", now)) : ridge_units_seconds(arena, now);
    cells[2] =
        csv ? cell(ridge_arena_printf(arena, "%.17g", now / p->now_s)) : cell(ridge_arena_printf(arena, "%.1f", 100 * now / p->now_s));
    cells[3] = bound_of(c);
    cells[4] = formats_text(a, c, arena);
    cells[5] = csv ? cell(ridge_arena_printf(arena, "%.17g", then)) : ridge_units_seconds(arena, then);
    cells[6] = csv ? cell(ridge_arena_printf(arena, "%.17g", speedup(now, then))) : ridge_units_ratio(arena, speedup(now, then));
    cells[7] = c->why;
    return true;
}

/* the formats tried, in their order: "weights in q8_0, fp8_e4m3, ...; weights and activations in ..." */
static void add_candidates(ridge_buf *out, const ridge_precision_advice *a)
{
    const char *before = "candidates  weights in ";
    for (size_t i = 1; i < a->trial_count; i++)
        if (!a->trials[i].uniform && a->trials[i].kv == a->trials[0].kv) {
            ridge_buf_addf(out, "%s%s", before, a->trials[i].weights);
            before = ", ";
        }
    before = "; weights, activations and KV in ";
    for (size_t i = 1; i < a->trial_count; i++)
        if (a->trials[i].uniform) {
            ridge_buf_addf(out, "%s%s", before, a->trials[i].weights);
            before = ", ";
        }
    before = "; KV in ";
    for (size_t i = 1; i < a->trial_count; i++)
        if (!a->trials[i].uniform && a->trials[i].kv != a->trials[0].kv) {
            ridge_buf_addf(out, "%s%s", before, a->trials[i].kv);
            before = ", ";
        }
    ridge_buf_addz(out, "\n            times only: narrower formats change the results\n");
}

static void add_title(ridge_buf *out, const ridge_precision_table *t, ridge_form style, ridge_arena *arena)
{
    const char *bold = style == RIDGE_FORM_MARKDOWN ? "**" : "";
    ridge_buf_addf(out, "\n%s%s%s", bold, ridge_situation_names[t->situation], bold);
    if (t->absent)
        ridge_buf_addf(out, ": none: %s", t->absent);
    else
        ridge_buf_addf(out, ": batch %lld, seq %lld, past %lld: %s now, %s with these formats (%s times as fast)", (long long)t->batch,
                       (long long)t->seq, (long long)t->past, ridge_units_seconds(arena, t->now_s), ridge_units_seconds(arena, t->then_s),
                       ridge_units_ratio(arena, speedup(t->now_s, t->then_s)));
    ridge_buf_addz(out, style == RIDGE_FORM_MARKDOWN ? "\n\n" : "\n");
}

/* one table of all for CSV, one for each situation else */
static bool render(ridge_buf *out, const ridge_precision_advice *a, const ridge_view *view, ridge_arena *arena)
{
    bool csv = view->style == RIDGE_FORM_CSV, ok = true;
    ridge_table t;
    if (view->style == RIDGE_FORM_TEXT)
        add_candidates(out, a);
    for (int s = 0; s < RIDGE_SITUATION_COUNT && ok; s++) {
        const ridge_precision_table *p = &a->tables[s];
        if (!csv)
            add_title(out, p, view->style, arena);
        if (!csv || s == 0)
            ridge_table_init(&t, arena, csv ? columns : columns + 1, sizeof columns / sizeof *columns - !csv);
        for (size_t i = 0; i < p->kind_count && ok; i++)
            ok = add_row(&t, a, p, &p->kinds[i], csv);
        if (!csv && !p->absent)
            ridge_table_render(out, &t, view->style, view->width);
    }
    if (csv)
        ridge_table_render(out, &t, view->style, view->width);
    return ok;
}

ridge_status ridge_output_precision_table(ridge_buf *out, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    ridge_precision_advice *a;
    ridge_status st = ridge_precision_advice_make(&a, p, err);
    if (!st && !render(out, a, view, &p->timed->arena))
        st = ridge_no_memory(err);
    ridge_precision_advice_free(a);
    return st;
}

/* ---- JSON ---- */

static void number(ridge_json_writer *w, const char *key, double value)
{
    ridge_jw_key(w, key);
    ridge_jw_double(w, value);
}

static void write_formats(ridge_json_writer *w, const ridge_precision_choice *c, const ridge_precision_trial *t)
{
    ridge_jw_member_text(w, "weights", weights_of(c, t));
    ridge_jw_member_text(w, "activations", t->activations);
    ridge_jw_member_text(w, "kv", kv_of(c, t));
}

static void write_choice(ridge_json_writer *w, const ridge_precision_advice *a, const ridge_precision_table *t,
                         const ridge_precision_choice *c)
{
    ridge_jw_key(w, ridge_operator_names[c->kind]);
    ridge_jw_object_compact(w);
    write_formats(w, c, &a->trials[c->best]);
    ridge_jw_key(w, "changed");
    ridge_jw_bool(w, c->best != 0);
    number(w, "now_s", c->times[0]);
    number(w, "time_s", c->times[c->best]);
    number(w, "gain_s", c->times[0] - c->times[c->best]);
    number(w, "share", c->times[0] / t->now_s);
    ridge_jw_member_text(w, "bound", bound_of(c));
    ridge_jw_member_text(w, "why", c->why);
    ridge_jw_key(w, "candidates");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->trial_count; i++) {
        ridge_jw_object(w);
        write_formats(w, c, &a->trials[i]);
        number(w, "time_s", c->times[i]);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

static void write_table(ridge_json_writer *w, const ridge_precision_advice *a, const ridge_precision_table *t)
{
    ridge_jw_key(w, ridge_situation_names[t->situation]);
    if (t->absent) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object(w);
    ridge_jw_key(w, "batch");
    ridge_jw_int(w, t->batch);
    ridge_jw_key(w, "seq");
    ridge_jw_int(w, t->seq);
    ridge_jw_key(w, "past");
    ridge_jw_int(w, t->past);
    number(w, "now_s", t->now_s);
    number(w, "time_s", t->then_s);
    for (size_t i = 0; i < t->kind_count; i++)
        write_choice(w, a, t, &t->kinds[i]);
    ridge_jw_end_object(w);
}

ridge_status ridge_output_precision_json(ridge_json_writer *w, const ridge_prediction *p, ridge_err *err)
{
    ridge_precision_advice *a;
    if (!p->request->recommend)
        return RIDGE_OK;
    ridge_status st = ridge_precision_advice_make(&a, p, err);
    if (!st) {
        ridge_jw_key(w, "precision");
        ridge_jw_object(w);
        for (int s = 0; s < RIDGE_SITUATION_COUNT; s++)
            write_table(w, a, &a->tables[s]);
        ridge_jw_end_object(w);
    }
    ridge_precision_advice_free(a);
    return st;
}
