#include "operator/answer.h"

/* ---- number formats of a row ---- */

static const ridge_format *or_bf16(const ridge_format *format)
{
    return format ? format : ridge_format_find(RIDGE_STR("bf16"));
}

/* one format for every operand, but what a weight-only one leaves alone is `plain` */
static ridge_op_formats formats_in(const ridge_format *format, const ridge_format *plain)
{
    const ridge_format *activations = ridge_format_is_weight_only(format) ? plain : format;
    return (ridge_op_formats){.activations = activations, .weights = format, .kv = activations};
}

static void given_row(ridge_op_row *row, const ridge_op_question *q)
{
    row->formats = formats_in(or_bf16(q->dtype), or_bf16(NULL));
    if (q->weights)
        row->formats.weights = q->weights;
    if (q->kv)
        row->formats.kv = q->kv;
    bool is_attention = q->kind == RIDGE_OP_ATTENTION || q->kind == RIDGE_OP_COUNTED_ATTENTION;
    row->format = is_attention ? row->formats.kv : ridge_op_kinds[q->kind].has_weights ? row->formats.weights : row->formats.activations;
}

/* weights, K and V in `format` */
static void swept_row(ridge_op_row *row, const ridge_op_question *q, const ridge_format *format)
{
    const ridge_format *dtype = or_bf16(q->dtype);
    row->formats = formats_in(format, ridge_format_is_weight_only(dtype) ? or_bf16(NULL) : dtype);
    row->formats.kv = format;
    row->format = format;
}

/* a format that changes nothing for this kind makes no row */
static bool is_swept(const ridge_format *format, const ridge_op_question *q)
{
    return !format->integer && (ridge_op_kinds[q->kind].has_weights || !ridge_format_is_weight_only(format));
}

/* the rows of one machine: formats, not counted yet */
static size_t format_rows(ridge_op_row *rows, const ridge_op_question *q)
{
    size_t count, n = 0;
    const ridge_format *table = ridge_format_table(&count), *first = or_bf16(q->dtype);
    if (!q->all_formats) {
        given_row(&rows[0], q);
        return 1;
    }
    swept_row(&rows[n++], q, first);
    for (size_t i = 0; i < count; i++)
        if (&table[i] != first && is_swept(&table[i], q))
            swept_row(&rows[n++], q, &table[i]);
    return n;
}

/* ---- counting and timing ---- */

static ridge_status check_tiling(const ridge_op_question *q, ridge_err *err)
{
    if (q->kind != RIDGE_OP_GEMM && q->kind != RIDGE_OP_MATMUL)
        return ridge_fail(err, RIDGE_USAGE, "tiling: %s is no GEMM", ridge_op_kinds[q->kind].name);
    if (q->machine_count != 1 || q->all_formats || q->as_rows)
        return ridge_fail(err, RIDGE_USAGE,
                          "tiling is of one GEMM on one machine in one format: it goes with one machine (--on M), as text "
                          "or JSON");
    if (!q->machines[0]->kind || strcmp(q->machines[0]->kind, "gpu") != 0)
        return ridge_fail(err, RIDGE_UNKNOWN, "tiling is of a GPU: machine '%s' is of kind '%s'", q->machines[0]->id,
                          q->machines[0]->kind ? q->machines[0]->kind : "unknown");
    return RIDGE_OK;
}

static ridge_status check_question(const ridge_op_question *q, ridge_err *err)
{
    const char *name = ridge_op_kinds[q->kind].name;
    if (q->tiling)
        return check_tiling(q, err);
    if (!q->all_formats)
        return RIDGE_OK;
    if (q->weights || q->kv)
        return ridge_fail(err, RIDGE_USAGE,
                          "all formats: each row has its own format of weights, K and V, so none can be given (dtype is the first row)");
    if (q->dtype && !is_swept(q->dtype, q))
        return ridge_fail(err, RIDGE_USAGE, "all formats: %s has no weights that %s could be for", name, q->dtype->name);
    return RIDGE_OK;
}

/* an unknown rate makes a row without a time; time_rows fails where no row has one */
static ridge_status time_row(ridge_op_row *row, const ridge_op_answer *a, ridge_err *err)
{
    ridge_err why = {0};
    ridge_status st = ridge_op_time_of(&row->time, &row->record, &row->formats, row->machine, &a->question->conditions, &why);
    row->timed = !st;
    if (row->timed)
        return st;
    if (st != RIDGE_UNKNOWN)
        return ridge_fail(err, st, "%s", why.msg);
    row->problem = ridge_arena_printf(a->arena, "%s", why.msg);
    return row->problem ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status time_rows(ridge_op_answer *a, ridge_err *err)
{
    const ridge_op_row *first = &a->rows[0];
    bool any = false;
    for (size_t i = 0; i < a->row_count; i++) {
        ridge_op_row *row = &a->rows[i];
        ridge_status st = row->machine ? time_row(row, a, err) : RIDGE_OK;
        if (st)
            return st;
        row->speedup = row->timed && first->timed ? first->time.time_s / row->time.time_s : RIDGE_MACHINE_UNKNOWN;
        any = any || row->timed;
    }
    return any || !first->machine ? RIDGE_OK : ridge_fail(err, RIDGE_UNKNOWN, "%s", first->problem);
}

static ridge_status count_rows(ridge_op_row *rows, size_t n, const ridge_op_question *q, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n && !st; i++)
        st = ridge_ops_count(&rows[i].record, ops, q->kind, &q->shape, &rows[i].formats, arena, err);
    return st;
}

static ridge_status tile_row(ridge_op_row *row, const ridge_op_question *q, ridge_err *err)
{
    int64_t size[3];
    for (int i = 0; i < 3; i++) { /* M, N, K stand first */
        size[i] = (int64_t)q->shape.dims[RIDGE_OP_M + i];
        if (size[i] != q->shape.dims[RIDGE_OP_M + i])
            return ridge_fail(err, RIDGE_LIMIT, "tiling: %s does not fit in 64 bits", ridge_op_dim_names[RIDGE_OP_M + i]);
    }
    row->tiled = true;
    return ridge_tiling_find(&row->tiling, NULL, row->machine, row->formats.activations, row->formats.weights, row->formats.activations,
                             size[0], size[1], size[2], err);
}

ridge_status ridge_op_ask(ridge_op_answer *out, const ridge_op_question *question, ridge_ops *ops, ridge_arena *arena, ridge_err *err)
{
    size_t formats, machines = question->machine_count > 0 ? question->machine_count : 1;
    ridge_status st = check_question(question, err);
    *out = (ridge_op_answer){.question = question, .arena = arena};
    if (st)
        return st;
    (void)ridge_format_table(&formats);
    if (machines > SIZE_MAX / sizeof *out->rows / (formats + 1) ||
        !(out->rows = ridge_arena_array(arena, machines * (formats + 1), sizeof *out->rows)))
        return ridge_no_memory(err);
    size_t n = format_rows(out->rows, question);
    if ((st = count_rows(out->rows, n, question, ops, arena, err)))
        return st;
    for (size_t m = 0; m < machines; m++)
        for (size_t i = 0; i < n; i++) {
            ridge_op_row *row = &out->rows[m * n + i];
            *row = out->rows[i];
            row->machine = question->machine_count > 0 ? question->machines[m] : NULL;
        }
    out->row_count = machines * n;
    out->many = out->row_count > 1 || question->as_rows || question->all_formats;
    st = time_rows(out, err);
    return st || !question->tiling ? st : tile_row(&out->rows[0], question, err);
}
