/* `ridge predict` for people, as CSV and as Markdown. */
#include <stdlib.h>

#include "advice/advice.h"
#include "model/output.h"
#include "predict/predict.h"

static const ridge_column text_columns[] = {{"module", "module", false}, {"count", "count", true},     {"time", "time_s", true},
                                            {"%", "percent", true},      {"bound", "bound", false},    {"FLOPs", "flops", true},
                                            {"bytes", "bytes", true},    {"FLOP/B", "intensity", true}};

static const ridge_column csv_columns[] = {{"path", "path", false},
                                           {"class", "class", false},
                                           {"count", "count", true},
                                           {"time", "time_s", true},
                                           {"compute", "time_compute_s", true},
                                           {"memory", "time_memory_s", true},
                                           {"waits", "waits_s", true},
                                           {"launch", "launch_s", true},
                                           {"bound", "bound", false},
                                           {"FLOPs", "flops", true},
                                           {"bytes", "bytes", true},
                                           {"FLOP/B", "arithmetic_intensity", true},
                                           {"leaf", "leaf", true}};

static const char *cell(const char *text)
{
    return text ? text : "";
}

static const char *real(ridge_arena *arena, double v)
{
    return v < 0 ? "" : cell(ridge_arena_printf(arena, "%.17g", v));
}

static double intensity(const ridge_predicted_row *r)
{
    return r->bytes > 0 ? (double)r->flops / (double)r->bytes : RIDGE_PREDICT_UNKNOWN;
}

/* a row below its parent: its own part of the path, indented */
static const char *short_path(ridge_prediction *p, const ridge_row *row)
{
    if (row->parent == UINT32_MAX)
        return "(model)";
    const ridge_row *parent = &p->timed->rows.p[row->parent];
    size_t skip = parent->path.n ? parent->path.n + 1 : 0;
    return cell(
        ridge_arena_printf(&p->timed->arena, "%*s%.*s", (int)(2 * (row->depth - 1)), "", (int)(row->path.n - skip), row->path.p + skip));
}

static bool text_row(ridge_table *t, ridge_prediction *p, const ridge_predicted_row *r, const ridge_view *view)
{
    ridge_arena *arena = &p->timed->arena;
    const char **c = ridge_table_row(t);
    if (!c)
        return false;
    c[0] = view->top || view->style != RIDGE_TABLE_TEXT ? cell(ridge_arena_strdup(arena, r->row->path)) : short_path(p, r->row);
    if (!c[0][0])
        c[0] = "(model)";
    c[1] = ridge_units_exact(arena, r->row->count);
    c[2] = ridge_units_seconds(arena, r->time_s);
    c[3] = p->time_s > 0 ? cell(ridge_arena_printf(arena, "%.1f", 100 * r->time_s / p->time_s)) : "";
    c[4] = ridge_bound_names[r->bound];
    c[5] = ridge_units(arena, r->flops);
    c[6] = ridge_units_bytes(arena, r->bytes);
    c[7] = ridge_units_ratio(arena, intensity(r));
    return true;
}

static const char *plain(ridge_arena *arena, ridge_int value)
{
    char text[RIDGE_INT_CHARS];
    (void)ridge_int_print(text, value);
    return cell(ridge_arena_strdup(arena, ridge_str_of(text)));
}

static bool csv_row(ridge_table *t, ridge_prediction *p, const ridge_predicted_row *r)
{
    ridge_arena *arena = &p->timed->arena;
    const char **c = ridge_table_row(t);
    if (!c)
        return false;
    c[0] = cell(ridge_arena_strdup(arena, r->row->path));
    c[1] = r->row->class_name;
    c[2] = plain(arena, r->row->count);
    c[3] = real(arena, r->time_s);
    c[4] = real(arena, r->compute_s);
    c[5] = real(arena, r->memory_s);
    c[6] = real(arena, r->waits_s);
    c[7] = real(arena, r->launch_s);
    c[8] = ridge_bound_names[r->bound];
    c[9] = plain(arena, r->flops);
    c[10] = plain(arena, r->bytes);
    c[11] = real(arena, intensity(r));
    c[12] = r->row->leaf ? "true" : "false";
    return true;
}

/* ---- the summary above the table ---- */

static void add_time(ridge_buf *out, ridge_prediction *p)
{
    ridge_arena *a = &p->model->arena;
    double bound = p->time_s > 0 ? 100 *
                                       (p->bound == RIDGE_BOUND_MEMORY ? p->memory_bound_s
                                        : p->bound == RIDGE_BOUND_LINK ? p->link_s
                                                                       : p->time_s - p->memory_bound_s - p->link_s) /
                                       p->time_s
                                 : 0;
    ridge_buf_addf(out, "time        %s   %s   %s-bound (%.0f %% of the time)\n", ridge_units_seconds(a, p->time_s),
                   ridge_units_scaled(a, p->tokens_per_s, "tokens/s"), ridge_bound_names[p->bound], bound);
    ridge_buf_addf(out, "            MFU %.1f %% of %s (%s)   bandwidth %.1f %% of %s", 100 * p->mfu,
                   ridge_units_scaled(a, p->rates.matmul.peak_flops_per_s, "FLOP/s"), ridge_precision_names[p->rates.matmul.used],
                   100 * p->bandwidth_utilisation, ridge_units_scaled(a, p->rates.bytes_per_s, "B/s"));
    if (p->launch_s > 0)
        ridge_buf_addf(out, "   launches %s", ridge_units_seconds(a, p->launch_s));
    ridge_buf_addc(out, '\n');
    if (p->energy_j >= 0)
        ridge_buf_addf(out, "energy      %s %sat %lld W\n", ridge_units_scaled(a, p->energy_j, "J"),
                       p->generation.generate ? "a request's batch, " : "", (long long)p->machine->power_w);
    if (p->cost_per_million_tokens >= 0)
        ridge_buf_addf(out, "cost        %.4g per million %stokens\n", p->cost_per_million_tokens,
                       p->generation.generate ? "generated " : "");
}

static void add_request(ridge_buf *out, ridge_prediction *p)
{
    const ridge_generation *g = &p->generation;
    ridge_arena *a = &p->model->arena;
    if (!g->generate)
        return;
    ridge_buf_addf(out, "request     prompt %lld, generate %lld: first token %s, then %s per token; %s in all\n", (long long)g->prompt,
                   (long long)g->generate, ridge_units_seconds(a, g->ttft_s), ridge_units_seconds(a, g->tpot_s),
                   ridge_units_seconds(a, g->latency_s));
    ridge_buf_addf(out, "            %s, %s; KV cache %s at the last token\n", ridge_units_scaled(a, g->requests_per_s, "requests/s"),
                   ridge_units_scaled(a, g->tokens_per_s, "tokens/s"), ridge_units_bytes(a, g->kv_bytes));
}

static void add_memory(ridge_buf *out, ridge_prediction *p)
{
    const ridge_memory *m = &p->model->memory;
    ridge_arena *a = &p->model->arena;
    ridge_buf_addf(out, "memory      %s", ridge_units_bytes(a, m->total));
    if (ridge_parallel_devices(&p->request->parallel) > 1)
        ridge_buf_addz(out, " a device,");
    if (p->capacity_bytes >= 0)
        ridge_buf_addf(out, " of %s: %s", ridge_units_bytes(a, p->capacity_bytes), p->fits ? "fits" : "does not fit");
    ridge_buf_addf(out, "   weights %s", ridge_units_bytes(a, m->weights));
    if (m->kv_cache)
        ridge_buf_addf(out, ", KV cache %s", ridge_units_bytes(a, m->kv_cache));
    ridge_buf_addf(out, ", activations %s", ridge_units_bytes(a, m->activations_peak));
    if (m->gradients)
        ridge_buf_addf(out, ", gradients %s, optimizer %s", ridge_units_bytes(a, m->gradients), ridge_units_bytes(a, m->optimizer));
    ridge_buf_addc(out, '\n');
}

static void add_summary(ridge_buf *out, ridge_prediction *p)
{
    ridge_buf_addf(out, "%s  %s  on %s (%s), %s\n", p->model->file.name, p->model->architecture, p->machine->id, p->machine->name,
                   ridge_method_names[p->request->method]);
    ridge_output_workload_line(out, p->model);
    ridge_buf_addc(out, '\n');
    add_time(out, p);
    ridge_output_parallel_text(out, p);
    add_request(out, p);
    add_memory(out, p);
    ridge_output_fit_text(out, p);
    for (size_t i = 0; i < p->note_count; i++)
        ridge_buf_addf(out, "note        %s\n", p->notes[i]);
    ridge_buf_addc(out, '\n');
}

/* ---- which rows ---- */

static int slower_first(const void *a, const void *b)
{
    const ridge_predicted_row *const *x = a, *const *y = b;
    if ((*x)->time_s != (*y)->time_s)
        return (*x)->time_s < (*y)->time_s ? 1 : -1;
    return *x < *y ? -1 : 1;
}

static size_t select_rows(const ridge_predicted_row **shown, const ridge_prediction *p, const ridge_view *view)
{
    size_t n = 0;
    for (size_t i = 0; i < p->timed->rows.n; i++) {
        const ridge_row *row = p->rows[i].row;
        if ((view->depth < 0 || row->depth <= (uint64_t)view->depth) && (!view->top || row->leaf))
            shown[n++] = &p->rows[i];
    }
    if (!view->top)
        return n;
    qsort(shown, n, sizeof *shown, slower_first);
    return n < (size_t)view->top ? n : (size_t)view->top;
}

ridge_status ridge_predict_table_make(ridge_table *t, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    bool csv = view->style == RIDGE_TABLE_CSV, ok = true;
    const ridge_predicted_row **shown = ridge_arena_array(&p->timed->arena, p->timed->rows.n + 1, sizeof *shown);
    if (!shown)
        return ridge_no_memory(err);
    if (csv)
        ridge_table_init(t, &p->timed->arena, csv_columns, sizeof csv_columns / sizeof *csv_columns);
    else
        ridge_table_init(t, &p->timed->arena, text_columns, sizeof text_columns / sizeof *text_columns);
    size_t n = select_rows(shown, p, view);
    for (size_t i = 0; i < n && ok; i++)
        ok = csv ? csv_row(t, p, shown[i]) : text_row(t, p, shown[i], view);
    return ok ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status rows_table(ridge_buf *out, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    ridge_table t;
    ridge_status st = ridge_predict_table_make(&t, p, view, err);
    if (!st)
        ridge_table_render(out, &t, view->style, view->width);
    return st;
}

/* differences, recommended formats or advice instead of the rows; CSV has room for one of them */
static ridge_status asked_tables(ridge_buf *out, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    const ridge_predict_request *r = p->request;
    bool advice = view->style != RIDGE_TABLE_TEXT && r->advice != RIDGE_ADVICE_USUAL && r->advice != 0;
    ridge_status st = RIDGE_OK;
    if (view->style == RIDGE_TABLE_CSV && (r->against_count > 0) + r->recommend + advice > 1)
        return ridge_fail(err, RIDGE_USAGE, "--csv holds one table: want one of --against, --recommend and --advice");
    if (r->against_count && (st = ridge_output_against_table(out, p, view, err)))
        return st;
    if (r->against_count && r->recommend)
        ridge_buf_addc(out, '\n');
    if (r->recommend && (st = ridge_output_precision_table(out, p, view, err)))
        return st;
    return advice ? ridge_output_advice_table(out, p, view, err) : RIDGE_OK;
}

ridge_status ridge_output_predict_table(ridge_buf *out, ridge_prediction *p, const ridge_view *view, ridge_err *err)
{
    const ridge_predict_request *r = p->request;
    bool text = view->style == RIDGE_TABLE_TEXT,
         rows = !r->against_count && !r->recommend && (text || r->advice <= RIDGE_ADVICE_USUAL || r->advice == 0);
    if (text)
        add_summary(out, p);
    if (!rows)
        return asked_tables(out, p, view, err);
    ridge_status st = rows_table(out, p, view, err);
    return st || !text ? st : ridge_output_advice_table(out, p, view, err);
}
