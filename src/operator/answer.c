#include "operator/answer.h"

/* ---- number formats of a row ---- */

static const ridge_format *bf16(void)
{
    return ridge_format_find(RIDGE_STR("bf16"));
}

/* one format for every operand, but what a weight-only one leaves alone is `plain` */
static ridge_op_formats formats_in(const ridge_format *format, const ridge_format *plain)
{
    const ridge_format *activations = ridge_format_is_weight_only(format) ? plain : format;
    return (ridge_op_formats){.activations = activations, .weights = format, .kv = activations};
}

static void given_row(ridge_op_row *row, ridge_op_kind kind, const ridge_op_request *r, const ridge_format *dtype)
{
    row->formats = formats_in(dtype, bf16());
    if (r->weights)
        row->formats.weights = r->weights;
    if (r->kv)
        row->formats.kv = r->kv;
    row->format = kind == RIDGE_OP_ATTENTION         ? row->formats.kv
                  : ridge_op_kinds[kind].has_weights ? row->formats.weights
                                                     : row->formats.activations;
}

/* weights, K and V in `format` */
static void swept_row(ridge_op_row *row, const ridge_op_request *r, const ridge_format *format)
{
    const ridge_format *first = r->dtypes.items[0];
    row->formats = formats_in(format, ridge_format_is_weight_only(first) ? bf16() : first);
    row->formats.kv = format;
    row->format = format;
}

/* a format that changes nothing for this kind makes no row */
static bool is_swept(const ridge_format *format, ridge_op_kind kind)
{
    return !format->integer && (ridge_op_kinds[kind].has_weights || !ridge_format_is_weight_only(format));
}

static bool is_given(const ridge_op_request *r, const ridge_format *format)
{
    size_t i = 0;
    while (i < r->dtypes.n && r->dtypes.items[i] != format)
        i++;
    return i < r->dtypes.n;
}

/* the rows of one machine: formats, not counted yet */
static size_t format_rows(ridge_op_row *rows, ridge_op_kind kind, const ridge_op_request *r)
{
    size_t count, n = 0;
    const ridge_format *table = ridge_format_table(&count);
    for (; n < r->dtypes.n; n++)
        if (r->all_formats)
            swept_row(&rows[n], r, r->dtypes.items[n]);
        else
            given_row(&rows[n], kind, r, r->dtypes.items[n]);
    for (size_t i = 0; i < count && r->all_formats; i++)
        if (!is_given(r, &table[i]) && is_swept(&table[i], kind))
            swept_row(&rows[n++], r, &table[i]);
    return n;
}

/* ---- what goes together ---- */

static ridge_status check_shape(ridge_ops *ops, ridge_op_kind kind, const ridge_op_shape *shape, ridge_err *err)
{
    const char *names[RIDGE_OP_DIM_COUNT];
    size_t n;
    ridge_status st = ridge_op_missing(names, &n, ops, kind, shape, err);
    if (st || n == 0)
        return st;
    st = ridge_fail(err, RIDGE_USAGE, "%s needs " RIDGE_OPT("%s"), ridge_op_kind_names[kind], names[0]);
    for (size_t i = 1; i < n; i++)
        ridge_err_append(err, "%s" RIDGE_OPT("%s"), i + 1 < n ? ", " : " and ", names[i]);
    return st;
}

/* what is said of a machine needs one */
static ridge_status check_machine(const ridge_op_request *r, ridge_err *err)
{
    const char *name = r->tiling                                           ? "tiling"
                       : r->conditions.launch.counted != RIDGE_LAUNCH_NONE ? "launch"
                       : r->conditions.level                               ? "level"
                                                                           : NULL;
    if (!name || r->machines.count > 0)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE,
                      RIDGE_OPT("%s") " is about a machine: name one with " RIDGE_OPT("on") " ('ridge machine list' has them)", name);
}

static ridge_status check_formats(ridge_op_kind kind, const ridge_op_request *r, ridge_err *err)
{
    if (!r->all_formats)
        return RIDGE_OK;
    if (r->weights || r->kv)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("all-formats") " goes through the formats of " RIDGE_OPT("%s") " itself: leave it out (" RIDGE_OPT(
                              "dtype") " is the first row)",
                          r->weights ? "weights" : "kv");
    for (size_t i = 0; i < r->dtypes.n; i++)
        if (!is_swept(r->dtypes.items[i], kind))
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("all-formats") ": %s has no weights that %s could be for",
                              ridge_op_kind_names[kind], r->dtypes.items[i]->name);
    return RIDGE_OK;
}

static ridge_status check_tiling(const ridge_op_answer *a, ridge_err *err)
{
    const ridge_machine *machine = a->machines[0];
    if (a->kind != RIDGE_OP_GEMM)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("tiling") ": %s is no GEMM", ridge_op_kind_names[a->kind]);
    if (a->machine_count != 1 || a->several_formats)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("tiling") " is of one GEMM in one format: it goes with one machine of " RIDGE_OPT(
                              "on") ", one " RIDGE_OPT("dtype") " and without " RIDGE_OPT("all-formats"));
    if (!machine->kind || strcmp(machine->kind, "gpu") != 0)
        return ridge_fail(err, RIDGE_UNKNOWN, "tiling is of a GPU: machine '%s' is of kind '%s'", machine->id,
                          machine->kind ? machine->kind : "unknown");
    return RIDGE_OK;
}

/* ---- rows ---- */

static ridge_status find_machines(ridge_op_answer *out, ridge_machines *machines, const ridge_words *ids, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (!(out->machines = ridge_arena_array(out->arena, ids->count + 1, sizeof *out->machines)))
        return ridge_no_memory(err);
    for (; out->machine_count < ids->count && !st; out->machine_count++)
        st = ridge_machines_find(&out->machines[out->machine_count], machines, ids->items[out->machine_count], err);
    return st;
}

static ridge_status count_rows(ridge_op_answer *a, size_t n, ridge_ops *ops, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < n && !st; i++) {
        ridge_op_row *row = &a->rows[i];
        if ((st = ridge_ops_count(&row->record, ops, a->kind, &a->shape, &row->formats, a->arena, err)))
            return st;
        row->bits = row->format->bits;
        row->arithmetic_intensity = (double)row->record.flops.total / (double)row->record.bytes; /* a positive shape moves bytes */
    }
    return st;
}

/* elements of a head of K and V; 0 where there is no attention */
static ridge_int head_of(const ridge_op_answer *a)
{
    const ridge_int *d = a->shape.dims;
    if (a->rows[0].record.flops.by_class[RIDGE_FLOP_ATTENTION] == 0)
        return 0;
    return d[RIDGE_OP_HEAD_DIM] ? d[RIDGE_OP_HEAD_DIM] : d[RIDGE_OP_HIDDEN] / d[RIDGE_OP_HEADS];
}

/* a cache in whole blocks per head is larger than the format says, and one that runtimes refuse */
static ridge_status warn_of_heads(ridge_op_answer *a, size_t formats, ridge_err *err)
{
    ridge_int head = head_of(a);
    ridge_words names = {0};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < formats && !st; i++)
        if (head % a->rows[i].formats.kv->block_elements != 0)
            st = ridge_words_add(&names, a->rows[i].formats.kv->name, a->arena, err);
    if (st || names.count == 0)
        return st;
    const char *text = ridge_arena_printf(a->arena,
                                          "K and V in %s: blocks do not divide a head of %lld elements; each head is counted in whole "
                                          "blocks, and llama.cpp refuses such a cache",
                                          ridge_words_joined(&names, a->arena), (long long)head);
    return text ? ridge_words_add(&a->warnings, text, a->arena, err) : ridge_no_memory(err);
}

/* each format on each machine */
static ridge_status make_rows(ridge_op_answer *a, const ridge_op_request *r, ridge_ops *ops, ridge_err *err)
{
    size_t formats, machines = a->machine_count > 0 ? a->machine_count : 1;
    (void)ridge_format_table(&formats);
    if (machines > SIZE_MAX / sizeof *a->rows / (formats + 1) || /* no format stands there twice */
        !(a->rows = ridge_arena_array(a->arena, machines * (formats + 1), sizeof *a->rows)))
        return ridge_no_memory(err);
    size_t n = format_rows(a->rows, a->kind, r);
    ridge_status st = count_rows(a, n, ops, err);
    for (size_t m = 0; m < machines && !st; m++)
        for (size_t i = 0; i < n; i++) {
            ridge_op_row *row = &a->rows[m * n + i];
            *row = a->rows[i];
            row->machine = a->machines[m]; /* NULL behind the last */
            row->machine_id = row->machine ? row->machine->id : NULL;
        }
    a->row_count = machines * n;
    a->many = a->row_count > 1 || r->all_formats;
    return st ? st : warn_of_heads(a, n, err);
}

/* ---- times ---- */

static const ridge_op_rate no_rate = {
    .wanted = (ridge_precision)RIDGE_UNSET, .used = (ridge_precision)RIDGE_UNSET, .peak_flops_per_s = RIDGE_UNSET};
static const ridge_op_time no_time = {.ridge_point = RIDGE_UNSET,
                                      .memory_s = RIDGE_UNSET,
                                      .compute_s = RIDGE_UNSET,
                                      .launch_s = RIDGE_UNSET,
                                      .time_s = RIDGE_UNSET,
                                      .bound = (ridge_bound)RIDGE_UNSET,
                                      .flops_per_s = RIDGE_UNSET,
                                      .bytes_per_s = RIDGE_UNSET,
                                      .percent_of_peak = RIDGE_UNSET,
                                      .percent_of_bandwidth = RIDGE_UNSET};

static void fill_time(ridge_op_row *row, const ridge_op_row *first)
{
    const ridge_op_time *t = &row->time;
    row->timed = true;
    row->rate = *ridge_op_main_rate(t);
    row->precision = &row->rate;
    row->attention_precision = t->has_matrix && t->has_attention ? &t->attention : NULL;
    row->memory_level = t->level->name;
    /* where the rate is not known, the time is a lower bound: no ratio comes of it */
    const bool known = first->rate.peak_flops_per_s >= 0 && row->rate.peak_flops_per_s >= 0;
    row->speedup = first->timed && known ? first->time.time_s / t->time_s : RIDGE_UNSET;
}

static ridge_status add_problem(ridge_op_answer *a, ridge_op_row *row, const char *why, ridge_err *err)
{
    if ((row->problem = ridge_words_find(&a->problems, why)))
        return RIDGE_OK;
    row->problem = ridge_arena_strdup(a->arena, ridge_str_of(why));
    return row->problem ? ridge_words_add(&a->problems, row->problem, a->arena, err) : ridge_no_memory(err);
}

/* an unknown rate makes a row without a time; time_rows fails where no row has one */
static ridge_status time_row(ridge_op_answer *a, ridge_op_row *row, const ridge_op_conditions *conditions, ridge_err *err)
{
    ridge_err why = {0};
    ridge_status st = ridge_op_time_of(&row->time, &row->record, &row->formats, row->machine, conditions, &why);
    if (!st) {
        fill_time(row, a->rows);
        return st;
    }
    row->time = no_time;
    return st == RIDGE_UNKNOWN ? add_problem(a, row, why.msg, err) : ridge_fail(err, st, "%s", why.msg);
}

static ridge_status time_rows(ridge_op_answer *a, const ridge_op_conditions *conditions, ridge_err *err)
{
    bool any = a->machine_count == 0;
    for (size_t i = 0; i < a->row_count; i++) {
        ridge_op_row *row = &a->rows[i];
        row->time = no_time;
        row->rate = no_rate;
        row->speedup = RIDGE_UNSET;
        ridge_status st = row->machine ? time_row(a, row, conditions, err) : RIDGE_OK;
        if (st)
            return st;
        any = any || row->timed;
    }
    return any ? RIDGE_OK : ridge_fail(err, RIDGE_UNKNOWN, "%s", a->problems.items[0]);
}

static ridge_status tile_row(ridge_op_answer *a, ridge_err *err)
{
    ridge_op_row *row = &a->rows[0];
    const ridge_op_formats *f = &row->formats;
    const ridge_int *d = a->shape.dims; /* the options are at most INT64_MAX */
    ridge_tiling *tiling = ridge_arena_alloc(a->arena, sizeof *tiling);
    if (!tiling)
        return ridge_no_memory(err);
    row->tiling = tiling;
    return ridge_tiling_find(tiling, NULL, row->machine, f->activations, f->weights, f->activations, (int64_t)d[RIDGE_OP_M],
                             (int64_t)d[RIDGE_OP_N], (int64_t)d[RIDGE_OP_K], err);
}

ridge_status ridge_op_answer_make(ridge_op_answer *out, ridge_ops *ops, ridge_machines *machines, ridge_op_kind kind,
                                  const ridge_op_request *r, ridge_arena *arena, ridge_err *err)
{
    ridge_status st;
    *out = (ridge_op_answer){.arena = arena, .kind = kind, .shape = r->shape, .several_formats = r->all_formats || r->dtypes.n > 1};
    out->shape.flags[RIDGE_OP_PROJECTIONS] = ridge_op_has_projections(kind) && !r->no_projections;
    if ((st = check_shape(ops, kind, &r->shape, err)) || (st = check_machine(r, err)) || (st = check_formats(kind, r, err)) ||
        (st = find_machines(out, machines, &r->machines, err)) || (r->tiling && (st = check_tiling(out, err))))
        return st;
    if (!(out->title = ridge_op_shape_words(kind, &out->shape, arena)))
        return ridge_no_memory(err);
    if ((st = make_rows(out, r, ops, err)) || (st = time_rows(out, &r->conditions, err)))
        return st;
    return r->tiling ? tile_row(out, err) : RIDGE_OK;
}
