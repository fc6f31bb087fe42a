/* `ridge predict --against`: the differences as text, Markdown, CSV and JSON. */
#include <math.h>
#include <stdlib.h>

#include "advice/against.h"
#include "model/records.h"

/* ---- cells ---- */

static const char *cell(const char *text)
{
    return text ? text : "";
}

/* "+1.2 ms", "-3.1 ms" */
static const char *signed_seconds(ridge_arena *arena, double s)
{
    return s == 0 ? "0" : cell(ridge_arena_printf(arena, "%s%s", s < 0 ? "-" : s > 0 ? "+" : "", ridge_units_seconds(arena, fabs(s))));
}

static const char *real(ridge_arena *arena, double v, bool known)
{
    return known ? cell(ridge_arena_printf(arena, "%.17g", v)) : "";
}

static const char *whole(ridge_arena *arena, ridge_int value)
{
    char text[RIDGE_INT_CHARS];
    (void)ridge_int_print(text, value);
    return cell(ridge_arena_strdup(arena, ridge_str_of(text)));
}

static bool has_ratio(double now)
{
    return now > 0;
}

static const ridge_row *row_of(const ridge_against_row *r)
{
    return r->now ? r->now->row : r->then->row;
}

static const char *fits_text(const ridge_prediction *p)
{
    return p->capacity_bytes < 0 ? "-" : p->fits ? "yes" : "no";
}

/* ---- the variants, one line each ---- */

static const ridge_column pass_columns[] = {
    {"against", "against", false},      {"time", "time_s", true},     {"difference", "difference_s", true}, {"ratio", "ratio", true},
    {"tokens/s", "tokens_per_s", true}, {"bound", "bound", false},    {"memory", "memory", true},           {"fits", "fits", false},
    {"energy", "energy_j", true},       {"cost/Mtoken", "cost", true}};
static const ridge_column request_columns[] = {
    {"against", "against", false}, {"request", "latency_s", true},     {"difference", "difference_s", true},
    {"ratio", "ratio", true},      {"tokens/s", "tokens_per_s", true}, {"first token", "ttft_s", true},
    {"per token", "tpot_s", true}, {"memory", "memory", true},         {"fits", "fits", false}};

/* ridge_units: a rate under the column that names its unit */
static bool total_line(ridge_table *t, const char *name, const ridge_prediction *now, const ridge_prediction *then)
{
    ridge_arena *a = t->arena;
    const char **c = ridge_table_row(t);
    double was = ridge_prediction_total_s(now), is = ridge_prediction_total_s(then);
    if (!c)
        return false;
    c[0] = name;
    c[1] = ridge_units_seconds(a, is);
    c[2] = now == then ? "" : signed_seconds(a, is - was);
    c[3] = now == then || !has_ratio(was) ? "" : ridge_units_ratio(a, is / was);
    c[4] = ridge_units_ratio(a, ridge_prediction_tokens_per_s(then));
    if (now->generation.generate) {
        c[5] = ridge_units_seconds(a, then->generation.ttft_s);
        c[6] = ridge_units_seconds(a, then->generation.tpot_s);
        c[7] = ridge_units_bytes(a, ridge_prediction_memory(then));
        c[8] = fits_text(then);
        return true;
    }
    c[5] = ridge_bound_names[then->bound];
    c[6] = ridge_units_bytes(a, ridge_prediction_memory(then));
    c[7] = fits_text(then);
    c[8] = then->energy_j < 0 ? "-" : ridge_units_scaled(a, then->energy_j, "J");
    if (t->column_count > 9)
        c[9] = then->cost_per_million_tokens < 0 ? "-" : ridge_units_ratio(a, then->cost_per_million_tokens);
    return true;
}

static bool totals(ridge_buf *out, const ridge_against *a, const ridge_view *view, ridge_arena *arena)
{
    ridge_table t;
    bool priced = a->now->cost_per_million_tokens >= 0;
    for (size_t i = 0; i < a->count; i++)
        priced = priced || a->variants[i].then->cost_per_million_tokens >= 0;
    if (a->now->generation.generate)
        ridge_table_init(&t, arena, request_columns, sizeof request_columns / sizeof *request_columns);
    else
        ridge_table_init(&t, arena, pass_columns, sizeof pass_columns / sizeof *pass_columns - !priced);
    bool ok = total_line(&t, "now", a->now, a->now);
    for (size_t i = 0; i < a->count && ok; i++)
        ok = total_line(&t, a->variants[i].text, a->now, a->variants[i].then);
    ridge_table_render(out, &t, view->style, view->width);
    return ok;
}

/* ---- one variant, row by row ---- */

static const ridge_column row_columns[] = {{"module", "module", false},   {"now", "now_s", true},   {"then", "time_s", true},
                                           {"difference", "diff", true},  {"ratio", "ratio", true}, {"bound now", "now_bound", false},
                                           {"bound then", "bound", false}};

/* a row below its parent: its own part of the path, indented */
static const char *short_path(const ridge_prediction *p, const ridge_row *row, ridge_arena *arena)
{
    if (row->parent == UINT32_MAX)
        return "(model)";
    size_t skip = p->timed->rows.p[row->parent].path.n;
    skip += skip > 0;
    return cell(ridge_arena_printf(arena, "%*s%.*s", (int)(2 * (row->depth - 1)), "", (int)(row->path.n - skip), row->path.p + skip));
}

static bool row_line(ridge_table *t, const ridge_against *a, const ridge_variant *v, const ridge_against_row *r, const ridge_view *view)
{
    ridge_arena *arena = t->arena;
    const char **c = ridge_table_row(t);
    double now = r->now ? r->now->time_s : 0, then = r->then ? r->then->time_s : 0;
    if (!c)
        return false;
    c[0] = view->top || view->style != RIDGE_FORM_TEXT ? cell(ridge_arena_strdup(arena, row_of(r)->path))
                                                       : short_path(r->now ? a->now : v->then, row_of(r), arena);
    if (!c[0][0])
        c[0] = "(model)";
    c[1] = r->now ? ridge_units_seconds(arena, now) : "-";
    c[2] = r->then ? ridge_units_seconds(arena, then) : "-";
    c[3] = signed_seconds(arena, then - now);
    c[4] = r->now && r->then && has_ratio(now) ? ridge_units_ratio(arena, then / now) : "";
    c[5] = r->now ? ridge_bound_names[r->now->bound] : "-";
    c[6] = r->then ? ridge_bound_names[r->then->bound] : "-";
    return true;
}

static double change_of(const ridge_against_row *r)
{
    return fabs((r->then ? r->then->time_s : 0) - (r->now ? r->now->time_s : 0));
}

static int larger_first(const void *a, const void *b)
{
    const ridge_against_row *const *x = a, *const *y = b;
    if (change_of(*x) != change_of(*y))
        return change_of(*x) < change_of(*y) ? 1 : -1;
    return *x < *y ? -1 : 1;
}

/* --depth and --top; the top are the leaves that change most */
static size_t select_rows(const ridge_against_row **shown, const ridge_variant *v, const ridge_view *view)
{
    size_t n = 0;
    for (size_t i = 0; i < v->row_count; i++) {
        const ridge_row *row = row_of(&v->rows[i]);
        if ((view->depth < 0 || row->depth <= (uint64_t)view->depth) && (!view->top || row->leaf))
            shown[n++] = &v->rows[i];
    }
    if (!view->top)
        return n;
    qsort(shown, n, sizeof *shown, larger_first);
    return n < (size_t)view->top ? n : (size_t)view->top;
}

static bool has_note(const ridge_prediction *p, const char *note)
{
    for (size_t i = 0; i < p->note_count; i++)
        if (strcmp(p->notes[i], note) == 0)
            return true;
    return false;
}

/* of a request, whose rows are of one pass alone */
static const char *pass_of(const ridge_prediction *p)
{
    return !p->generation.generate ? "" : p->model->workload.phase == RIDGE_PHASE_DECODE ? ": one decode step" : ": the prefill";
}

static bool variant_rows(ridge_buf *out, const ridge_against *a, const ridge_variant *v, const ridge_view *view, ridge_arena *arena)
{
    const ridge_against_row **shown = ridge_arena_array(arena, v->row_count + 1, sizeof *shown);
    bool ok = shown;
    size_t n = ok ? select_rows(shown, v, view) : 0;
    ridge_table t;
    ridge_table_init(&t, arena, row_columns, sizeof row_columns / sizeof *row_columns);
    for (size_t i = 0; i < n && ok; i++)
        ok = row_line(&t, a, v, shown[i], view);
    ridge_buf_addf(out, view->style == RIDGE_FORM_MARKDOWN ? "\n**%s%s**\n\n" : "\n%s%s\n", v->text, pass_of(v->then));
    for (size_t i = 0; i < v->then->note_count && view->style == RIDGE_FORM_TEXT; i++)
        if (!has_note(a->now, v->then->notes[i]))
            ridge_buf_addf(out, "note  %s\n", v->then->notes[i]);
    ridge_table_render(out, &t, view->style, view->width);
    return ok;
}

/* ---- CSV: one table ---- */

static const ridge_column csv_columns[] = {
    {"", "against", false}, {"", "path", false},        {"", "class", false},       {"", "now_s", true},
    {"", "time_s", true},   {"", "difference_s", true}, {"", "ratio", true},        {"", "now_bound", false},
    {"", "bound", false},   {"", "tokens_per_s", true}, {"", "memory_bytes", true}, {"", "fits", false},
    {"", "energy_j", true}, {"", "latency_s", true},    {"", "ttft_s", true},       {"", "tpot_s", true}};

static void csv_totals(const char **c, const ridge_prediction *p, ridge_arena *arena)
{
    const ridge_generation *g = &p->generation;
    c[9] = real(arena, ridge_prediction_tokens_per_s(p), true);
    c[10] = whole(arena, ridge_prediction_memory(p));
    c[11] = p->capacity_bytes < 0 ? "" : p->fits ? "true" : "false";
    c[12] = real(arena, p->energy_j, p->energy_j >= 0);
    c[13] = real(arena, g->latency_s, g->generate > 0);
    c[14] = real(arena, g->ttft_s, g->generate > 0);
    c[15] = real(arena, g->tpot_s, g->generate > 0 && g->tpot_s >= 0);
}

static bool csv_row(ridge_table *t, const char *name, const ridge_against_row *r, const ridge_prediction *then)
{
    ridge_arena *arena = t->arena;
    const char **c = ridge_table_row(t);
    double was = r->now ? r->now->time_s : 0, is = r->then ? r->then->time_s : 0;
    if (!c)
        return false;
    c[0] = name;
    c[1] = cell(ridge_arena_strdup(arena, row_of(r)->path));
    c[2] = row_of(r)->class_name;
    c[3] = real(arena, was, r->now);
    c[4] = real(arena, is, r->then);
    c[5] = real(arena, is - was, true);
    c[6] = real(arena, is / was, r->now && r->then && has_ratio(was));
    c[7] = r->now ? ridge_bound_names[r->now->bound] : "";
    c[8] = r->then ? ridge_bound_names[r->then->bound] : "";
    if (row_of(r)->parent == UINT32_MAX)
        csv_totals(c, then, arena);
    return true;
}

static bool csv(ridge_buf *out, const ridge_against *a, const ridge_view *view, ridge_arena *arena)
{
    const ridge_against_row now = {&a->now->rows[0], &a->now->rows[0]};
    ridge_table t;
    ridge_table_init(&t, arena, csv_columns, sizeof csv_columns / sizeof *csv_columns);
    bool ok = csv_row(&t, "", &now, a->now);
    for (size_t i = 0; i < a->count && ok; i++) {
        const ridge_variant *v = &a->variants[i];
        const ridge_against_row **shown = ridge_arena_array(arena, v->row_count + 1, sizeof *shown);
        size_t n = (ok = shown) ? select_rows(shown, v, view) : 0;
        for (size_t k = 0; k < n && ok; k++)
            ok = csv_row(&t, v->text, shown[k], v->then);
    }
    ridge_table_render(out, &t, view->style, view->width);
    return ok;
}

ridge_status ridge_output_against_table(ridge_buf *out, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    ridge_against *a;
    ridge_arena *arena = &p->timed->arena;
    ridge_status st = ridge_against_make(&a, p, err);
    bool ok = true;
    if (!st && view->style == RIDGE_FORM_CSV) {
        ok = csv(out, a, view, arena);
    } else if (!st) {
        ok = totals(out, a, view, arena);
        for (size_t i = 0; i < a->count && ok; i++)
            ok = variant_rows(out, a, &a->variants[i], view, arena);
    }
    if (!st && !ok)
        st = ridge_no_memory(err);
    ridge_against_free(a);
    return st;
}

/* ---- JSON ---- */

static void number(ridge_json_writer *w, const char *key, double value, bool known)
{
    ridge_jw_key(w, key);
    if (known)
        ridge_jw_double(w, value);
    else
        ridge_jw_null(w);
}

static void write_row(ridge_json_writer *w, const ridge_against_row *r)
{
    double was = r->now ? r->now->time_s : 0, is = r->then ? r->then->time_s : 0;
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "path");
    ridge_jw_str(w, row_of(r)->path);
    number(w, "now_s", was, r->now);
    number(w, "time_s", is, r->then);
    number(w, "difference_s", is - was, true);
    number(w, "ratio", is / was, r->now && r->then && has_ratio(was));
    ridge_jw_member_text(w, "now_bound", r->now ? ridge_bound_names[r->now->bound] : NULL);
    ridge_jw_member_text(w, "bound", r->then ? ridge_bound_names[r->then->bound] : NULL);
    ridge_jw_end_object(w);
}

static void write_memory(ridge_json_writer *w, const ridge_prediction *p)
{
    ridge_jw_key(w, "memory");
    ridge_jw_object_compact(w);
    ridge_output_json_memory_members(w, &p->model->memory);
    ridge_output_capacity_json_members(w, p);
    ridge_jw_end_object(w);
}

static void write_request(ridge_json_writer *w, const ridge_prediction *now, const ridge_prediction *then)
{
    const ridge_generation *g = &then->generation;
    if (g->generate == 0)
        return;
    number(w, "ttft_s", g->ttft_s, true);
    number(w, "tpot_s", g->tpot_s, g->tpot_s >= 0);
    number(w, "generation_s", g->generation_s, true);
    number(w, "latency_s", g->latency_s, true);
    number(w, "latency_difference_s", g->latency_s - now->generation.latency_s, true);
    number(w, "latency_ratio", g->latency_s / now->generation.latency_s, has_ratio(now->generation.latency_s));
    number(w, "requests_per_s", g->requests_per_s, true);
}

static void write_variant(ridge_json_writer *w, const ridge_prediction *now, const ridge_variant *v)
{
    const ridge_prediction *then = v->then;
    ridge_jw_object(w);
    ridge_jw_key(w, "change");
    ridge_changes_json(w, &v->changes);
    ridge_jw_member_text(w, "machine", then->machine->id);
    ridge_jw_key(w, "workload");
    ridge_output_json_workload(w, &then->model->workload);
    number(w, "now_s", now->time_s, true);
    number(w, "time_s", then->time_s, true);
    number(w, "difference_s", then->time_s - now->time_s, true);
    number(w, "ratio", then->time_s / now->time_s, has_ratio(now->time_s));
    number(w, "tokens_per_s", then->tokens_per_s, then->tokens_per_s >= 0);
    ridge_jw_member_text(w, "now_bound", ridge_bound_names[now->bound]);
    ridge_jw_member_text(w, "bound", ridge_bound_names[then->bound]);
    number(w, "energy_j", then->energy_j, then->energy_j >= 0);
    number(w, "cost_per_million_tokens", then->cost_per_million_tokens, then->cost_per_million_tokens >= 0);
    write_request(w, now, then);
    write_memory(w, then);
    ridge_jw_key(w, "rows");
    ridge_jw_array(w);
    for (size_t i = 0; i < v->row_count; i++)
        write_row(w, &v->rows[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "notes");
    ridge_jw_array(w);
    for (size_t i = 0; i < then->note_count; i++)
        ridge_jw_strz(w, then->notes[i]);
    ridge_jw_end_array(w);
    ridge_jw_end_object(w);
}

ridge_status ridge_output_against_json(ridge_json_writer *w, const ridge_prediction *p, ridge_err *err)
{
    ridge_against *a;
    if (p->request->against_count == 0)
        return RIDGE_OK;
    ridge_status st = ridge_against_make(&a, p, err);
    if (!st) {
        ridge_jw_key(w, "against");
        ridge_jw_array(w);
        for (size_t i = 0; i < a->count; i++)
            write_variant(w, p, &a->variants[i]);
        ridge_jw_end_array(w);
    }
    ridge_against_free(a);
    return st;
}
