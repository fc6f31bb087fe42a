/* Sweeps for people: tables whose columns are what varies. */
#include "sweep/rows.h"

typedef enum column {
    MACHINE,
    PHASE,
    BATCH,
    SEQ,
    PAST,
    WEIGHTS,
    ACTIVATIONS,
    KV,
    FLOPS,
    BYTES,
    TIME,
    TOKENS,
    BOUND,
    MEMORY,
    FITS,
    COLUMNS
} column;

enum { FRONT_SHOWN = 20 };

static const ridge_column all_columns[COLUMNS] = {
    {"machine", "machine", false},
    {"phase", "phase", false},
    {"batch", "batch", true},
    {"seq", "seq", true},
    {"past", "past", true},
    {"weights", "weights", false},
    {"activations", "activations", false},
    {"kv", "kv", false},
    {"FLOPs", "flops", true},
    {"bytes", "bytes", true},
    {"time", "time_s", true},
    {"tokens/s", "tokens_per_s", true},
    {"bound", "bound", false},
    {"memory", "memory_bytes", true},
    {"fits", "fits", false},
};

static const char *text_of(const ridge_sweep *s, const ridge_sweep_entry *e, column c, ridge_arena *arena)
{
    const ridge_sweep_point *p = &e->point;
    switch (c) {
    case MACHINE:
        return s->machines[e->machine]->id;
    case PHASE:
        return ridge_phase_names[e->phase];
    case BATCH:
        return ridge_units_exact(arena, p->batch);
    case SEQ:
        return ridge_units_exact(arena, p->seq);
    case PAST:
        return ridge_units_exact(arena, p->past);
    case WEIGHTS:
        return e->weights;
    case ACTIVATIONS:
        return e->activations;
    case KV:
        return e->kv;
    case FLOPS:
        return ridge_units(arena, p->flops);
    case BYTES:
        return ridge_units_bytes(arena, p->bytes);
    case TIME:
        return ridge_units_seconds(arena, p->time_s);
    case TOKENS:
        return ridge_units_scaled(arena, p->tokens_per_s, "/s");
    case BOUND:
        return ridge_bound_names[p->bound];
    case MEMORY:
        return ridge_units_bytes(arena, p->memory_bytes);
    default:
        return p->fits ? "yes" : "no";
    }
}

/* what a sweep may hold fixed; the rest always has its column */
static bool varies(const ridge_sweep *s, const ridge_sweep_entry *entries, size_t n, column c, ridge_arena *arena)
{
    if (c >= FLOPS)
        return true;
    const char *first = n ? text_of(s, &entries[0], c, arena) : "";
    for (size_t i = 1; i < n; i++) {
        const char *text = text_of(s, &entries[i], c, arena);
        if (!text || !first || strcmp(text, first) != 0)
            return true;
    }
    return false;
}

/* "Llama-2-7b-hf  prefill  seq 2,048  weights bf16" of what is the same for all, then the table */
ridge_status ridge_sweep_table(ridge_buf *out, const ridge_sweep *s, const ridge_sweep_entry *entries, size_t n, ridge_table_style style,
                               int width, ridge_err *err)
{
    ridge_column shown[COLUMNS];
    column which[COLUMNS];
    ridge_arena arena;
    ridge_table t;
    size_t count = 0;
    bool ok = true, some = false;
    ridge_arena_init(&arena);
    for (column c = 0; c < COLUMNS; c++) {
        if (varies(s, entries, n, c, &arena)) {
            which[count] = c;
            shown[count++] = all_columns[c];
        } else if (n && style == RIDGE_TABLE_TEXT) {
            const char *text = text_of(s, &entries[0], c, &arena);
            ridge_buf_addf(out, "%s%s%s%s", some ? "  " : "", c <= PHASE ? "" : all_columns[c].title, c <= PHASE ? "" : " ",
                           text ? text : "");
            some = true;
        }
    }
    if (some)
        ridge_buf_addc(out, '\n');
    ridge_table_init(&t, &arena, shown, count);
    for (size_t i = 0; i < n && ok; i++) {
        const char **cells = ridge_table_row(&t);
        ok = cells;
        for (size_t k = 0; k < count && ok; k++)
            ok = (cells[k] = text_of(s, &entries[i], which[k], &arena));
    }
    if (ok)
        ridge_table_render(out, &t, style, width);
    ridge_arena_free(&arena);
    return ok ? RIDGE_OK : ridge_no_memory(err);
}

/* ---- summary ---- */

static ridge_status best_table(ridge_buf *out, const ridge_sweep_summary *s, bool shortest, int width, ridge_err *err)
{
    const ridge_sweep_request *r = s->sweep->request;
    ridge_arena arena;
    ridge_arena_init(&arena);
    ridge_sweep_entry *found = ridge_arena_array(&arena, r->machines.n * r->phase_count + 1, sizeof *found);
    size_t n = 0;
    for (size_t k = 0; found && k < r->phase_count; k++)
        for (size_t i = 0; i < r->machines.n; i++) {
            const ridge_sweep_best *b = &s->best[i * 3 + r->phases[k]];
            const ridge_sweep_entry *e = shortest ? &b->shortest : &b->fastest;
            if (e->index >= 0)
                found[n++] = *e;
            else if (!shortest)
                ridge_buf_addf(out, "%s: no %s point fits into its memory\n", s->sweep->machines[i]->id, ridge_phase_names[r->phases[k]]);
        }
    ridge_status st = found ? RIDGE_OK : ridge_no_memory(err);
    if (n) {
        ridge_buf_addz(out, shortest ? "\nleast time\n" : "\nmost tokens per second\n");
        st = ridge_sweep_table(out, s->sweep, found, n, RIDGE_TABLE_TEXT, width, err);
    }
    ridge_arena_free(&arena);
    return st;
}

/* a long front in even steps, its ends included */
static ridge_status front_table(ridge_buf *out, const ridge_sweep_summary *s, ridge_phase phase, int width, ridge_err *err)
{
    const ridge_sweep_front *f = &s->fronts[phase];
    const size_t n = f->n < FRONT_SHOWN ? f->n : FRONT_SHOWN;
    ridge_sweep_entry shown[FRONT_SHOWN];
    char count[RIDGE_INT_COMMA_CHARS];
    if (!n)
        return RIDGE_OK;
    ridge_int_print_comma(count, (ridge_int)f->n);
    ridge_buf_addf(out, "\nPareto front of %s, less time against more tokens per second: %s point%s that fit%s", ridge_phase_names[phase],
                   count, f->n == 1 ? "" : "s", f->n == 1 ? "s" : "");
    if (n < f->n)
        ridge_buf_addf(out, ", %zu of them here (--csv and --json have all)", n);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < n; i++)
        shown[i] = f->p[n > 1 ? i * (f->n - 1) / (n - 1) : 0];
    return ridge_sweep_table(out, s->sweep, shown, n, RIDGE_TABLE_TEXT, width, err);
}

ridge_status ridge_sweep_summary_text(ridge_buf *out, const ridge_sweep_summary *s, double elapsed_s, int width, ridge_err *err)
{
    const ridge_sweep *sweep = s->sweep;
    char done[RIDGE_INT_COMMA_CHARS], fit[RIDGE_INT_COMMA_CHARS], speed[RIDGE_INT_COMMA_CHARS];
    ridge_status st = RIDGE_OK;
    ridge_int_print_comma(done, sweep->done);
    ridge_int_print_comma(fit, s->fit);
    ridge_int_print_comma(speed, elapsed_s > 0 ? (ridge_int)((double)sweep->done / elapsed_s) : 0);
    ridge_buf_addf(out, "%s: %s point%s%s, %s fit; %.3g s on %u thread%s, %s points/s\n", sweep->model ? sweep->model : "", done,
                   sweep->done == 1 ? "" : "s", sweep->stopped ? " until it was stopped" : "", fit, elapsed_s, sweep->threads,
                   sweep->threads == 1 ? "" : "s", speed);
    if ((st = best_table(out, s, false, width, err)) || (st = best_table(out, s, true, width, err)))
        return st;
    for (size_t k = 0; k < sweep->request->phase_count && !st; k++)
        st = front_table(out, s, sweep->request->phases[k], width, err);
    return s->failed ? ridge_no_memory(err) : st;
}
