/* `ridge cost` for people, as CSV and as Markdown. */
#include "model/output.h"

typedef struct line {
    const ridge_row *row;
    ridge_flop_sums flops;
    ridge_byte_sums bytes;
} line;

/* ---- cells ---- */

static const ridge_column text_columns[] = {{"module", "module", false}, {"count", "count", true},     {"FLOPs", "flops", true},
                                            {"%", "percent", true},      {"read", "read_bytes", true}, {"written", "written_bytes", true},
                                            {"%", "percent", true},      {"FLOP/B", "intensity", true}};

static const char *cell(const char *text)
{
    return text ? text : "";
}

/* a row below its parent: its own part of the path, indented */
static const char *short_path(ridge_analysis *a, const ridge_row *row)
{
    if (row->parent == UINT32_MAX)
        return "(model)";
    const ridge_row *parent = &a->rows.p[row->parent];
    size_t skip = parent->path.n ? parent->path.n + 1 : 0;
    return cell(ridge_arena_printf(&a->arena, "%*s%.*s", (int)(2 * (row->depth - 1)), "", (int)(row->path.n - skip), row->path.p + skip));
}

static const char *full_path(ridge_analysis *a, const ridge_row *row)
{
    return row->path.n ? cell(ridge_arena_strdup(&a->arena, row->path)) : "(model)";
}

static bool text_row(ridge_table *t, ridge_analysis *a, const line *l, const ridge_byte_sums *all, const ridge_flop_sums *total,
                     const ridge_view *view)
{
    const char *(*number)(ridge_arena *, ridge_int) = view->exact ? ridge_units_exact : ridge_units;
    const char *(*bytes)(ridge_arena *, ridge_int) = view->exact ? ridge_units_exact : ridge_units_bytes;
    const char **c = ridge_table_row(t);
    bool indented = view->sort == RIDGE_SORT_TREE && view->top == 0 && view->style == RIDGE_TABLE_TEXT;
    if (!c)
        return false;
    c[0] = indented ? short_path(a, l->row) : full_path(a, l->row);
    c[1] = ridge_units_exact(&a->arena, l->row->count);
    c[2] = number(&a->arena, l->flops.total);
    c[3] = ridge_units_percent(&a->arena, l->flops.total, total->total);
    c[4] = bytes(&a->arena, l->bytes.reads_total);
    c[5] = bytes(&a->arena, l->bytes.writes_total);
    c[6] = ridge_units_percent(&a->arena, l->bytes.total, all->total);
    c[7] = ridge_units_ratio(&a->arena, ridge_output_intensity(&l->flops, &l->bytes));
    return true;
}

static const ridge_column csv_columns[] = {
    {"path", "path", false},
    {"class", "class", false},
    {"count", "count", true},
    {"calls", "calls", true},
    {"FLOPs", "flops", true},
    {"matmul", "flops_matmul", true},
    {"attention", "flops_attention", true},
    {"activation", "flops_activation", true},
    {"embedding", "flops_embedding", true},
    {"other", "flops_other", true},
    {"torch", "flops_torch", true},
    {"bytes", "bytes", true},
    {"read weights", "reads_weights", true},
    {"read activations", "reads_activations", true},
    {"read KV", "reads_kv", true},
    {"read intermediates", "reads_intermediates", true},
    {"written activations", "writes_activations", true},
    {"written KV", "writes_kv", true},
    {"written intermediates", "writes_intermediates", true},
    {"FLOP/B", "arithmetic_intensity", true},
};

static const char *plain(ridge_analysis *a, ridge_int value)
{
    char text[RIDGE_INT_CHARS];
    (void)ridge_int_print(text, value);
    return cell(ridge_arena_strdup(&a->arena, ridge_str_of(text)));
}

static bool csv_row(ridge_table *t, ridge_analysis *a, const line *l)
{
    const char **c = ridge_table_row(t);
    size_t n = 0;
    if (!c)
        return false;
    c[n++] = cell(ridge_arena_strdup(&a->arena, l->row->path));
    c[n++] = l->row->class_name;
    c[n++] = plain(a, l->row->count);
    c[n++] = plain(a, l->row->calls);
    c[n++] = plain(a, l->flops.total);
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        c[n++] = plain(a, l->flops.by_class[i]);
    c[n++] = plain(a, l->flops.torch);
    c[n++] = plain(a, l->bytes.total);
    for (int i = 0; i < RIDGE_BYTE_SCORES; i++)
        c[n++] = plain(a, l->bytes.reads[i]);
    for (int i = RIDGE_BYTE_ACTIVATIONS; i < RIDGE_BYTE_SCORES; i++)
        c[n++] = plain(a, l->bytes.writes[i]);
    double ai = ridge_output_intensity(&l->flops, &l->bytes);
    c[n] = ai < 0 ? "" : cell(ridge_arena_printf(&a->arena, "%.17g", ai));
    return true;
}

/* ---- the summary above the table ---- */

void ridge_output_workload_line(ridge_buf *out, const ridge_analysis *a)
{
    const ridge_workload *w = &a->workload;
    ridge_buf_addf(out, "%s  batch %lld", ridge_phase_names[w->phase], (long long)w->batch);
    if (w->encoder_decoder && w->phase != RIDGE_PHASE_DECODE)
        ridge_buf_addf(out, "  encoder %lld  decoder %lld", (long long)w->encoder_len, (long long)w->decoder_seq);
    else
        ridge_buf_addf(out, "  seq %lld", (long long)w->decoder_seq);
    if (w->past)
        ridge_buf_addf(out, "  past %lld", (long long)w->past);
    if (w->encoder_decoder && w->phase == RIDGE_PHASE_DECODE)
        ridge_buf_addf(out, "  encoder %lld", (long long)w->encoder_len);
    if (w->image != RIDGE_UNSET)
        ridge_buf_addf(out, "  image %lld", (long long)w->image);
    ridge_buf_addf(out, "   weights %s, activations %s, KV %s   %s kernels, %s attention%s\n", w->weights, w->activations, w->kv,
                   ridge_kernel_names[w->kernel], ridge_attention_names[w->causal], w->lm_head_last ? ", head on the last position" : "");
}

static void add_flops(ridge_buf *out, ridge_analysis *a, const ridge_flop_sums *f)
{
    const char *separator = "   ";
    ridge_buf_addf(out, "FLOPs       %s (%sFLOP)", ridge_units_exact(&a->arena, f->total), ridge_units(&a->arena, f->total));
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (f->by_class[i]) {
            ridge_buf_addf(out, "%s%s %s", separator, ridge_flop_names[i], ridge_units(&a->arena, f->by_class[i]));
            separator = ", ";
        }
    const char *label = a->workload.causal ? "matmul + attention, exactly causal" : "as PyTorch's FlopCounterMode counts";
    ridge_buf_addf(out, "\n  %s: %s\n", label, ridge_units_exact(&a->arena, f->torch));
}

static void add_kinds(ridge_buf *out, ridge_analysis *a, const char *title, ridge_int total, const ridge_int *kinds)
{
    const char *separator = "   ";
    ridge_buf_addf(out, "%-11s %s (%s)", title, ridge_units_exact(&a->arena, total), ridge_units_bytes(&a->arena, total));
    for (int i = 0; i < RIDGE_BYTE_SCORES; i++)
        if (kinds[i]) {
            ridge_buf_addf(out, "%s%s %s", separator, ridge_byte_names[i], ridge_units_bytes(&a->arena, kinds[i]));
            separator = ", ";
        }
    ridge_buf_addc(out, '\n');
}

static void add_memory(ridge_buf *out, ridge_analysis *a)
{
    const ridge_memory *m = &a->memory;
    ridge_buf_addf(out, "memory      %s (%s)   weights %s", ridge_units_exact(&a->arena, m->total), ridge_units_bytes(&a->arena, m->total),
                   ridge_units_bytes(&a->arena, m->weights));
    if (m->kv_cache)
        ridge_buf_addf(out, ", KV cache %s", ridge_units_bytes(&a->arena, m->kv_cache));
    ridge_buf_addf(out, ", activations peak %s", ridge_units_bytes(&a->arena, m->activations_peak));
    if (m->gradients)
        ridge_buf_addf(out, ", gradients %s, optimizer %s", ridge_units_bytes(&a->arena, m->gradients),
                       ridge_units_bytes(&a->arena, m->optimizer));
    ridge_buf_addc(out, '\n');
}

static void add_summary(ridge_buf *out, ridge_analysis *a, const ridge_flop_sums *f, const ridge_byte_sums *b)
{
    ridge_buf_addf(out, "%s  %s\n", a->file.name, a->architecture);
    ridge_output_workload_line(out, a);
    ridge_buf_addf(out, "\nparameters  %s", ridge_units_exact(&a->arena, a->parameters.total));
    if (a->parameters.active != a->parameters.total)
        ridge_buf_addf(out, "   active per token %s", ridge_units_exact(&a->arena, a->parameters.active));
    ridge_buf_addc(out, '\n');
    add_flops(out, a, f);
    add_kinds(out, a, "reads", b->reads_total, b->reads);
    add_kinds(out, a, "writes", b->writes_total, b->writes);
    ridge_buf_addf(out, "intensity   %s FLOP/byte\n", ridge_units_ratio(&a->arena, ridge_output_intensity(f, b)));
    add_memory(out, a);
    for (size_t i = 0; i < a->unknown_count; i++)
        ridge_buf_addf(out, "not counted %s (needed by %s): not in the catalog\n", a->unknown[i].module, a->unknown[i].needed_by);
    ridge_buf_addc(out, '\n');
}

ridge_status ridge_output_cost_table(ridge_buf *out, ridge_analysis *a, const ridge_view *view, ridge_err *err)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    ridge_table t;
    bool csv = view->style == RIDGE_TABLE_CSV, ok = true;
    ridge_status st;
    if (a->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", a->architecture);
    if ((st = ridge_output_sums(&f, &b, &a->total, err)) || (st = ridge_output_select(a, view, err)))
        return st;
    if (csv)
        ridge_table_init(&t, &a->arena, csv_columns, sizeof csv_columns / sizeof *csv_columns);
    else
        ridge_table_init(&t, &a->arena, text_columns, sizeof text_columns / sizeof *text_columns);
    for (size_t i = 0; i < a->shown_count && ok && !st; i++) {
        line l = {.row = a->shown[i]};
        if (!(st = ridge_output_sums(&l.flops, &l.bytes, &l.row->cost, err)))
            ok = csv ? csv_row(&t, a, &l) : text_row(&t, a, &l, &b, &f, view);
    }
    if (st)
        return st;
    if (!ok)
        return ridge_no_memory(err);
    if (view->style == RIDGE_TABLE_TEXT)
        add_summary(out, a, &f, &b);
    ridge_table_render(out, &t, view->style, view->width);
    return RIDGE_OK;
}
