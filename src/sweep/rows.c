#include "sweep/rows.h"

ridge_sweep_entry ridge_sweep_entry_of(const ridge_sweep_block *b, size_t i)
{
    return (ridge_sweep_entry){.shared = b->shared, .point = b->points[i], .index = b->first + (int64_t)i, .pareto = -1};
}

static bool takes_tokens(const void *row)
{
    return ((const ridge_sweep_entry *)row)->point.tokens_per_s >= 0;
}

static bool takes_images(const void *row)
{
    return ((const ridge_sweep_entry *)row)->point.images_per_s >= 0;
}

/* the members of `shared` are equal in a block: their cells are written once */
#define ROW ridge_sweep_entry
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ROW, shared.model, "model", NULL, RIDGE_IN_DATA, "the model as it was named"),
    RIDGE_R_TEXT(ROW, shared.machine_id, "machine", NULL, RIDGE_IN_ALL, "the machine's id"),
    RIDGE_R_WORD(ROW, shared.phase, ridge_phase_names, "phase", NULL, RIDGE_IN_ALL, "what is run"),
    RIDGE_R_WHOLE(ROW, point.batch, "batch", NULL, RIDGE_IN_ALL, "sequences at once"),
    RIDGE_R_WHOLE(ROW, point.seq, "seq", NULL, RIDGE_IN_ALL, "new tokens per sequence"),
    RIDGE_R_WHOLE(ROW, point.past, "past", NULL, RIDGE_IN_ALL, "tokens in the cache before them"),
    RIDGE_R_FORMAT(ROW, shared.weights, "weights", NULL, RIDGE_IN_ALL, "number format of the weights"),
    RIDGE_R_FORMAT(ROW, shared.activations, "activations", NULL, RIDGE_IN_ALL, "number format of the activations"),
    RIDGE_R_FORMAT(ROW, shared.kv, "kv", NULL, RIDGE_IN_ALL, "number format of the KV cache"),
    RIDGE_R_COUNT(ROW, point.flops, "flops", "FLOPs", RIDGE_IN_ALL, "FLOPs of the pass", .unit = RIDGE_UNIT_COUNT, .minor = true),
    RIDGE_R_COUNT(ROW, point.bytes, "bytes", NULL, RIDGE_IN_ALL, "bytes moved; a mixture's weights are those of the expected experts",
                  .unit = RIDGE_UNIT_BYTES, .minor = true),
    RIDGE_R_REAL(ROW, point.time_s, "time_s", "time", RIDGE_IN_ALL, "time of the pass", .unit = RIDGE_UNIT_SECONDS),
    RIDGE_R_REAL(ROW, point.tokens_per_s, "tokens_per_s", NULL, RIDGE_IN_DATA, "tokens of the pass per second", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(ROW, point.tokens_per_s, "tokens_per_s", "tokens/s", RIDGE_IN_TABLES, "tokens of the pass per second",
                 .unit = RIDGE_UNIT_PER_S, .given = takes_tokens),
    RIDGE_R_REAL(ROW, point.images_per_s, "images_per_s", "images/s", RIDGE_IN_TABLES, "images of the pass per second",
                 .unit = RIDGE_UNIT_PER_S, .given = takes_images),
    RIDGE_R_WORD(ROW, point.bound, ridge_bound_names, "bound", NULL, RIDGE_IN_ALL, "what most of the time is bound by"),
    RIDGE_R_COUNT(ROW, point.memory_bytes, "memory_bytes", "memory", RIDGE_IN_ALL, "memory held", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_MAYBE(ROW, point.fits, "fits", NULL, RIDGE_IN_ALL, "does it fit into the machine's memory?"),
    RIDGE_R_MAYBE(ROW, pareto, "pareto", NULL, RIDGE_IN_DATA, "is it on a Pareto front? not known while rows stream"),
    RIDGE_R_REAL(ROW, point.images_per_s, "images_per_s", NULL, RIDGE_IN_DATA, "images of the pass per second", .unit = RIDGE_UNIT_PER_S),
};
const ridge_record ridge_sweep_record = RIDGE_RECORD(ROW, "sweep row", fields, "a point of the grid");

#define STREAMED ridge_sweep_streamed
static const ridge_record_field streamed_fields[] = {
    RIDGE_R_WHOLE(STREAMED, points, "points", NULL, RIDGE_IN_JSON, "points of the grid"),
    RIDGE_R_LIST(STREAMED, rows, row_count, &ridge_sweep_record, "rows", RIDGE_IN_JSON, "a row for each, a line each"),
    RIDGE_R_BOOL(STREAMED, complete, "complete", NULL, RIDGE_IN_JSON, "false where the user ended it"),
    RIDGE_R_TEXTS(STREAMED, notes, "notes", NULL, RIDGE_IN_JSON, "what a reader must know of the numbers"),
};
const ridge_record ridge_sweep_streamed_record =
    RIDGE_RECORD(STREAMED, "ridge sweep", streamed_fields, "a prediction for every point of a grid");

void ridge_sweep_csv(ridge_buf *out, const ridge_record_columns *columns, const ridge_sweep_block *b)
{
    ridge_record_same same;
    ridge_sweep_entry e = ridge_sweep_entry_of(b, 0);
    ridge_record_same_make(&same, columns, &e, sizeof e.shared);
    for (size_t i = 0; i < b->n; i++) {
        e.point = b->points[i];
        ridge_record_csv_row(out, columns, &same, &e);
    }
    out->failed |= same.text.failed;
    ridge_record_same_free(&same);
}

void ridge_sweep_json(ridge_buf *out, const ridge_sweep_block *b)
{
    ridge_json_writer w;
    for (size_t i = 0; i < b->n; i++) {
        const ridge_sweep_entry e = ridge_sweep_entry_of(b, i);
        ridge_buf_addz(out, e.index == 0 ? "    " : ",\n    ");
        ridge_jw_init(&w, out);
        ridge_record_object(&w, &ridge_sweep_record, &e, true);
    }
}

/* ---- for people ---- */

/* what a sweep may hold fixed; the results always have their columns */
static bool is_axis(const ridge_record_column *column)
{
    return column->offset + column->field->offset < offsetof(ridge_sweep_entry, point.flops);
}

static bool varies(const ridge_record_columns *columns, size_t c, const ridge_sweep_entry *entries, size_t n, ridge_arena *arena)
{
    if (!is_axis(&columns->items[c]))
        return true;
    const char *first = n > 0 ? ridge_record_cell(columns, c, &entries[0], arena) : "";
    for (size_t i = 1; i < n; i++)
        if (strcmp(ridge_record_cell(columns, c, &entries[i], arena), first) != 0)
            return true;
    return false;
}

/* Machine and phase speak for themselves. False where the model has no such thing. */
static bool add_fixed(ridge_buf *out, const ridge_record_columns *columns, size_t c, const char *text)
{
    const ridge_record_field *field = columns->items[c].field;
    bool named = field->kind == RIDGE_RECORD_WHOLE || field->kind == RIDGE_RECORD_FORMAT;
    if (strcmp(text, "-") == 0)
        return false;
    ridge_buf_addf(out, "%s%s%s%s", out->n > 0 && out->p[out->n - 1] != '\n' ? "  " : "", named ? field->key : "", named ? " " : "", text);
    return true;
}

ridge_status ridge_sweep_table(ridge_buf *out, const ridge_sweep_entry *entries, size_t n, ridge_form form, int width, ridge_err *err)
{
    ridge_record_columns columns;
    ridge_arena arena;
    ridge_table t;
    ridge_arena_init(&arena);
    ridge_status st = ridge_record_columns_make(&columns, &ridge_sweep_record, form, &arena, err);
    size_t shown = 0;
    bool some = false;
    for (size_t c = 0; c < columns.count && !st; c++) {
        if (varies(&columns, c, entries, n, &arena)) {
            columns.items[shown++] = columns.items[c];
        } else if (n > 0 && form == RIDGE_FORM_TEXT) {
            some |= add_fixed(out, &columns, c, ridge_record_cell(&columns, c, &entries[0], &arena));
        }
    }
    columns.count = shown;
    if (some)
        ridge_buf_addc(out, '\n');
    if (!st && !(st = ridge_record_columns_table(&t, &columns, entries, n, sizeof *entries, &arena, err)))
        ridge_table_render(out, &t, form, width);
    out->failed |= arena.failed;
    ridge_arena_free(&arena);
    return st;
}
