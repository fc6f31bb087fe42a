#include "model/cost.h"

#include "base/shown.h"

static const char *const sort_names[] = {RIDGE_SORT_LIST(RIDGE_WORD_NAME) NULL};

#define OF ridge_cost_request
const ridge_option ridge_options_cost[] = {
    RIDGE_FLAG(OF, all, "all", 'a', "one row per called module, layers unfolded", .needs = "!symbolic|explain"),
    RIDGE_INT(OF, top, "top", 'n', "N", 1, 1000000, "the N most expensive modules", .fallback = "0", .needs = "!symbolic|explain"),
    RIDGE_CHOICE(OF, sort, "sort", 0, sort_names, "order of the rows", .needs = "!symbolic|explain"),
    RIDGE_INT(OF, depth, "depth", 'd', "N", 0, 64, "rows down to this depth", .needs = "!symbolic|explain"),
    RIDGE_OPTION_END,
};

/* ---- which rows, in which order ---- */

static double sort_key(const ridge_cost_row *row, ridge_sort sort)
{
    switch (sort) {
    case RIDGE_SORT_FLOPS:
        return (double)row->flops.total;
    case RIDGE_SORT_BYTES:
        return (double)row->bytes.total;
    default:
        return row->arithmetic_intensity;
    }
}

static bool comes_first(const ridge_cost_row *a, const ridge_cost_row *b, ridge_sort sort)
{
    if (sort == RIDGE_SORT_PATH) {
        size_t n = a->path.n < b->path.n ? a->path.n : b->path.n;
        int order = n > 0 ? memcmp(a->path.p, b->path.p, n) : 0;
        return order < 0 || (order == 0 && a->path.n < b->path.n);
    }
    return sort_key(a, sort) > sort_key(b, sort);
}

/* stable merge sort: equal rows stay in registration order */
static void sort_rows(ridge_cost_row *p, size_t n, ridge_cost_row *spare, ridge_sort sort)
{
    if (n < 2)
        return;
    size_t half = n / 2, i = 0, k = half, out = 0;
    sort_rows(p, half, spare, sort);
    sort_rows(p + half, n - half, spare, sort);
    while (i < half && k < n)
        spare[out++] = comes_first(&p[k], &p[i], sort) ? p[k++] : p[i++];
    while (i < half)
        spare[out++] = p[i++];
    while (k < n)
        spare[out++] = p[k++];
    memcpy(p, spare, n * sizeof *p);
}

static ridge_status sums_of(ridge_cost_row *out, const ridge_row *row, ridge_err *err)
{
    ridge_status st = ridge_cost_sums(&out->flops, &out->bytes, &row->cost, err);
    out->arithmetic_intensity = ridge_cost_intensity(&out->flops, &out->bytes);
    return st;
}

/* does a parent do more by itself (an attention core) than the modules below it? */
static ridge_status outweighs(bool *out, const ridge_rows *rows, size_t at, ridge_sort sort, ridge_err *err)
{
    const ridge_row *parent = &rows->p[at];
    ridge_cost_row whole, part;
    double below = 0;
    unsigned level = 0;
    ridge_status st = sums_of(&whole, parent, err);
    for (size_t i = at + 1; i < rows->n && rows->p[i].depth > parent->depth && !st; i++) {
        level = level ? level : (unsigned)rows->p[i].depth;
        if ((unsigned)rows->p[i].depth > level)
            continue;
        st = sums_of(&part, &rows->p[i], err);
        below += sort_key(&part, sort);
    }
    *out = sort_key(&whole, sort) > 2 * below;
    return st;
}

/* The most expensive modules are leaves: a parent would only repeat them, unless most of the work is its own. */
static ridge_status is_shown(bool *out, const ridge_rows *rows, size_t i, const ridge_cost_request *r, ridge_sort sort, ridge_err *err)
{
    const ridge_row *row = &rows->p[i];
    *out = r->depth < 0 || row->depth <= r->depth;
    if (!*out || r->top == 0 || row->leaf || (r->depth >= 0 && row->depth == r->depth))
        return RIDGE_OK;
    *out = false;
    return sort == RIDGE_SORT_FLOPS || sort == RIDGE_SORT_BYTES ? outweighs(out, rows, i, sort, err) : RIDGE_OK;
}

/* ---- rows ---- */

static double percent(ridge_int part, ridge_int whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : -1;
}

static ridge_status fill_row(ridge_cost_row *out, const ridge_cost_answer *answer, const ridge_row *row, bool in_tree, ridge_err *err)
{
    ridge_analysis *a = answer->analysis;
    *out = (ridge_cost_row){.path = row->path, .class_name = row->class_name, .count = row->count, .calls = row->calls};
    ridge_status st = sums_of(out, row, err);
    out->flops_percent = percent(out->flops.total, answer->flop_sums.total);
    out->bytes_percent = percent(out->bytes.total, answer->byte_sums.total);
    out->name = row->path.n ? ridge_arena_strdup(&a->arena, row->path) : "(model)";
    out->label = in_tree ? ridge_row_label(&a->rows, row, &a->arena) : out->name;
    return !st && (!out->name || !out->label) ? ridge_no_memory(err) : st;
}

static ridge_status fill_rows(ridge_cost_answer *out, const ridge_cost_request *r, ridge_err *err)
{
    const ridge_rows *rows = &out->analysis->rows;
    ridge_arena *arena = &out->analysis->arena;
    ridge_sort sort = r->top > 0 && r->sort == RIDGE_SORT_TREE ? RIDGE_SORT_FLOPS : r->sort;
    out->rows = ridge_arena_array(arena, rows->n + 1, sizeof *out->rows);
    ridge_cost_row *spare = sort == RIDGE_SORT_TREE ? out->rows : ridge_arena_array(arena, rows->n + 1, sizeof *spare);
    if (!out->rows || !spare)
        return ridge_no_memory(err);
    for (size_t i = 0; i < rows->n; i++) {
        bool shown;
        ridge_status st = is_shown(&shown, rows, i, r, sort, err);
        if (!st && shown)
            st = fill_row(&out->rows[out->row_count++], out, &rows->p[i], sort == RIDGE_SORT_TREE, err);
        if (st)
            return st;
    }
    if (sort != RIDGE_SORT_TREE)
        sort_rows(out->rows, out->row_count, spare, sort);
    if (r->top > 0 && (size_t)r->top < out->row_count)
        out->row_count = (size_t)r->top;
    return RIDGE_OK;
}

ridge_status ridge_cost_answer_make(ridge_cost_answer *out, ridge_registry *registry, const ridge_cost_request *request, ridge_err *err)
{
    *out = (ridge_cost_answer){.arithmetic_intensity = -1};
    ridge_status st =
        ridge_analysis_exact(&out->analysis, registry, &request->model, request->all ? RIDGE_ROWS_ALL : RIDGE_ROWS_FOLDED, err);
    ridge_analysis *a = out->analysis;
    if (st)
        return st;
    ridge_model_tell(&out->told, a);
    out->unknown = a->unknown;
    out->unknown_count = a->unknown_count;
    out->warnings = a->warnings;
    if (a->nothing_known)
        return RIDGE_OK;
    if ((st = ridge_cost_sums(&out->flop_sums, &out->byte_sums, &a->total, err)))
        return st;
    out->flops = &out->flop_sums;
    out->bytes = &out->byte_sums;
    out->memory = &a->memory;
    out->arithmetic_intensity = ridge_cost_intensity(out->flops, out->bytes);
    return fill_rows(out, request, err);
}

void ridge_cost_answer_free(ridge_cost_answer *answer)
{
    ridge_analysis_free(answer->analysis);
    *answer = (ridge_cost_answer){0};
}

/* ---- how it is written ---- */

static bool called_often(const void *row)
{
    const ridge_cost_row *r = row;
    return r->calls != r->count;
}

#define ROW ridge_cost_row
static const ridge_record_field row_fields[] = {
    RIDGE_R_TEXT(ROW, label, "label", "module", RIDGE_IN_TEXT, "the row's place in the tree"),
    RIDGE_R_TEXT(ROW, name, "name", "module", RIDGE_IN_MARKDOWN, "the row's path"),
    RIDGE_R_STR(ROW, path, "path", NULL, RIDGE_IN_DATA, "as named_modules() gives it, equal layers folded: model.layers.*"),
    RIDGE_R_TEXT(ROW, class_name, "class", NULL, RIDGE_IN_DATA, "the module's class"),
    RIDGE_R_COUNT(ROW, count, "count", NULL, RIDGE_IN_ALL, "modules that the row stands for; its figures are those of all"),
    RIDGE_R_COUNT(ROW, calls, "calls", NULL, RIDGE_IN_DATA, "how often they are called in all, where that is not once each",
                  .given = called_often),
    RIDGE_R_COUNT(ROW, flops.total, "flops_total", "FLOPs", RIDGE_IN_TABLES, "FLOPs", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_REAL(ROW, flops_percent, "flops_percent", "%", RIDGE_IN_TABLES, "of the model's FLOPs", .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_IN(ROW, flops, &ridge_flop_record, "flops", RIDGE_IN_DATA, "FLOPs by class"),
    RIDGE_R_COUNT(ROW, bytes.reads_total, "bytes_read", "read", RIDGE_IN_TABLES, "bytes read", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(ROW, bytes.writes_total, "bytes_written", "written", RIDGE_IN_TABLES, "bytes written", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(ROW, bytes_percent, "bytes_percent", "%", RIDGE_IN_TABLES, "of the model's bytes", .unit = RIDGE_UNIT_PERCENT),
    RIDGE_R_IN(ROW, bytes, &ridge_byte_record, "bytes", RIDGE_IN_DATA, "bytes moved", .csv = "bytes"),
    RIDGE_R_REAL(ROW, arithmetic_intensity, "arithmetic_intensity", "FLOP/B", RIDGE_IN_ALL, "FLOPs per byte moved",
                 .unit = RIDGE_UNIT_FLOP_PER_BYTE),
};
const ridge_record ridge_cost_row_record = RIDGE_RECORD(ROW, "cost row", row_fields, "a module, or equal modules, with all that is below");

#define ANSWER ridge_cost_answer
static const ridge_record_field answer_fields[] = {
    RIDGE_R_TEXT(ANSWER, told.model, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(ANSWER, told.architecture, "architecture", NULL, RIDGE_IN_JSON, "the class that runs"),
    RIDGE_R_AT(ANSWER, told.workload, &ridge_workload_record, "workload", RIDGE_IN_JSON, "the workload as run", .compact = true),
    RIDGE_R_AT(ANSWER, told.parameters, &ridge_parameters_record, "parameters", RIDGE_IN_JSON, "numbers of parameters", .compact = true),
    RIDGE_R_AT(ANSWER, flops, &ridge_flop_record, "flops", RIDGE_IN_JSON, "FLOPs of the whole pass", .compact = true),
    RIDGE_R_AT(ANSWER, bytes, &ridge_byte_record, "bytes", RIDGE_IN_JSON, "bytes moved in the whole pass", .compact = true),
    RIDGE_R_REAL(ANSWER, arithmetic_intensity, "arithmetic_intensity", NULL, RIDGE_IN_JSON, "FLOPs per byte moved",
                 .unit = RIDGE_UNIT_FLOP_PER_BYTE),
    RIDGE_R_AT(ANSWER, memory, &ridge_memory_record, "memory", RIDGE_IN_JSON, "memory held", .compact = true),
    RIDGE_R_LIST(ANSWER, rows, row_count, &ridge_cost_row_record, "rows", RIDGE_IN_JSON, "the modules"),
    RIDGE_R_LIST(ANSWER, unknown, unknown_count, &ridge_unknown_record, "unknown", RIDGE_IN_JSON, "what was not counted"),
    RIDGE_R_TEXTS(ANSWER, warnings, "warnings", NULL, RIDGE_IN_JSON, "what a reader should know"),
};
const ridge_record ridge_cost_record = RIDGE_RECORD(ANSWER, "ridge cost", answer_fields, "what a model costs, before it runs");

/* ---- the summary above the table ---- */

static void add_flops(ridge_buf *out, const ridge_cost_answer *answer, ridge_arena *arena)
{
    const ridge_flop_sums *f = answer->flops;
    const char *separator = "   ";
    ridge_buf_addf(out, "FLOPs       %s (%sFLOP)", ridge_units_exact(arena, f->total), ridge_units(arena, f->total));
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (f->by_class[i]) {
            ridge_buf_addf(out, "%s%s %s", separator, ridge_flop_names[i], ridge_units(arena, f->by_class[i]));
            separator = ", ";
        }
    bool causal = answer->analysis->workload.attention == RIDGE_PAIRS_CAUSAL;
    ridge_buf_addf(out, "\n  %s: %s\n", causal ? "matmul + attention, exactly causal" : "as PyTorch's FlopCounterMode counts",
                   ridge_units_exact(arena, f->torch));
}

static void add_kinds(ridge_buf *out, const char *title, ridge_int total, const ridge_int *kinds, ridge_arena *arena)
{
    const char *separator = "   ";
    ridge_buf_addf(out, "%-11s %s (%s)", title, ridge_units_exact(arena, total), ridge_units_bytes(arena, total));
    for (int i = 0; i < RIDGE_BYTE_SCORES; i++)
        if (kinds[i]) {
            ridge_buf_addf(out, "%s%s %s", separator, ridge_byte_names[i], ridge_units_bytes(arena, kinds[i]));
            separator = ", ";
        }
    ridge_buf_addc(out, '\n');
}

void ridge_cost_summary(ridge_buf *out, const ridge_cost_answer *answer)
{
    ridge_analysis *a = answer->analysis;
    ridge_arena *arena = &a->arena;
    ridge_buf_addf(out, "%s  %s\n", ridge_shown(arena, answer->told.model), ridge_shown(arena, answer->told.architecture));
    ridge_workload_line(out, &a->workload);
    ridge_buf_addf(out, "\nparameters  %s", ridge_units_exact(arena, a->parameters.total));
    if (a->parameters.active != a->parameters.total)
        ridge_buf_addf(out, "   active per token %s", ridge_units_exact(arena, a->parameters.active));
    ridge_buf_addc(out, '\n');
    add_flops(out, answer, arena);
    add_kinds(out, "reads", answer->bytes->reads_total, answer->bytes->reads, arena);
    add_kinds(out, "writes", answer->bytes->writes_total, answer->bytes->writes, arena);
    ridge_buf_addf(out, "intensity   %s FLOP/byte\n", ridge_units_ratio(arena, answer->arithmetic_intensity));
    ridge_buf_addf(out, "memory      %s (%s)   ", ridge_units_exact(arena, a->memory.total), ridge_units_bytes(arena, a->memory.total));
    ridge_memory_parts(out, &a->memory, arena);
    ridge_unknown_lines(out, answer->unknown, answer->unknown_count);
    ridge_buf_addc(out, '\n');
}
