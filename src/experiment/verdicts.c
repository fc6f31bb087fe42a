/* What the rows of a sweep allow to say: its verdict and its sentence (parts.h). In: finished rows. Out: text in the arena. */
#include "experiment/parts.h"

enum { POINTS_LEAST = 3 };
#define FLAT 1.3 /* times one row's time: up to that, another row costs next to nothing */

static const ridge_experiment_row *last_of(const ridge_experimenting *x)
{
    return &x->out->rows[x->out->row_count - 1];
}

/* less is better: what the experiment is about */
static double merit(const ridge_experiment *e, const ridge_experiment_row *row)
{
    switch (e->request.kind) {
    case RIDGE_EXPERIMENT_SIZES:
        return -row->bytes_per_s;
    case RIDGE_EXPERIMENT_BATCH:
        return row->time_per_row_s;
    default:
        return row->time_s;
    }
}

/* the first of equals */
static const ridge_experiment_row *best_of(const ridge_experiment *e)
{
    const ridge_experiment_row *best = e->rows;
    for (size_t i = 1; i < e->row_count; i++)
        best = merit(e, &e->rows[i]) < merit(e, best) ? &e->rows[i] : best;
    return best;
}

/* the first row whose time is within `slack` of the best */
static const ridge_experiment_row *enough(const ridge_experimenting *x, double slack)
{
    const ridge_experiment_row *row = x->out->rows, *best = best_of(x->out);
    while (row->time_s > slack * best->time_s)
        row++;
    return row;
}

ridge_status ridge_experiment_say_stopped(ridge_experimenting *x, size_t planned)
{
    const ridge_experiment *e = x->out;
    bool some = e->row_count > 1;
    ridge_status st = ridge_experiment_say(x, "", "interrupted after %zu of %zu points: %s%s%s", e->row_count, planned,
                                           some ? "the best of these is " : "no conclusion", some ? best_of(e)->name : "",
                                           some ? ", and what the others would have shown is not known" : "");
    x->out->verdict = NULL;
    return st;
}

/* ---- thread-sweep ---- */

ridge_status ridge_experiment_say_threads(ridge_experimenting *x)
{
    const ridge_experiment_row *row = enough(x, 1.05);
    const char *rate = ridge_units_scaled(x->arena, row->bytes_per_s, "B/s");
    if (x->out->row_count == 1)
        return ridge_experiment_say(x, row->name, "%s: %s; more were not measured", row->name, rate);
    return ridge_experiment_say(x, row->name, "%s: %s over one, %s; %s", row->name, ridge_experiment_ratio(x, row->speedup), rate,
                                row == last_of(x) ? "the most that were measured, and fewer are slower by more than 5 %"
                                                  : "more threads than that gain less than 5 %");
}

/* ---- tile-sweep ---- */

ridge_status ridge_experiment_say_tile(ridge_experimenting *x)
{
    const ridge_experiment_row *row = enough(x, 1.1), *first = x->out->rows, *last = last_of(x);
    if (x->out->row_count < POINTS_LEAST)
        return ridge_experiment_say_nothing(x, "a sweep needs 3 points, so " RIDGE_OPT("m") " 4 at least");
    const char *rest = row == last
                           ? "it is the largest measured"
                           : ridge_arena_printf(x->arena, "no larger one that was measured, up to %lld rows, takes 10 %% less than that",
                                                (long long)last->rows);
    if (!rest)
        return ridge_no_memory(x->err);
    if (row == first)
        return ridge_experiment_say(x, row->name, "row by row is enough: %s", rest);
    return ridge_experiment_say(
        x, row->name, "tiles of %lld rows take %s less time than row by row, since the weights are read %lld times less often; %s",
        (long long)row->rows, ridge_experiment_ratio(x, first->time_s / row->time_s), (long long)row->rows, rest);
}

/* ---- batch-sweep ---- */

/* what more rows cost, as the points have it: the last of those that take hardly longer than one row, or the step to the first that does */
static const char *tell_cost(const ridge_experimenting *x)
{
    const ridge_experiment_row *rows = x->out->rows, *pays = NULL, *flat = rows;
    while (flat < last_of(x) && flat[1].time_s <= FLAT * rows->time_s)
        flat++;
    if (flat > rows)
        return ridge_arena_printf(x->arena, "up to %lld rows take at most %.1f times as long as one, so batch up to that at least",
                                  (long long)flat->rows, FLAT);
    for (size_t i = x->out->row_count - 1; i > 0 && rows[i].time_per_row_s < rows->time_per_row_s; i--)
        pays = &rows[i];
    const char *step = ridge_arena_printf(
        x->arena, "the step from the gemv kernel to the gemm kernel costs: %lld rows take %s, %s the time of one", (long long)rows[1].rows,
        ridge_units_seconds(x->arena, rows[1].time_s), ridge_experiment_ratio(x, rows[1].time_s / rows->time_s));
    if (!step || !pays)
        return !step ? NULL : ridge_arena_printf(x->arena, "%s, and at the end of what was run a row takes no less time than alone", step);
    return ridge_arena_printf(x->arena, "%s, so a row takes less time than alone from %lld rows on", step, (long long)pays->rows);
}

ridge_status ridge_experiment_say_batch(ridge_experimenting *x, double predicted_rows, double flops_per_byte)
{
    if (x->out->row_count < POINTS_LEAST)
        return ridge_experiment_say_nothing(x, "a ridge point needs 3 batches, so " RIDGE_OPT("m") " 4 at least");
    const ridge_experiment_row *rows = x->out->rows, *best = best_of(x->out), *last = last_of(x);
    double measured = ridge_experiment_ridge_rows(rows->time_s, best->time_s, (double)best->rows);
    const char *verdict = ridge_arena_printf(x->arena, "%s rows", ridge_experiment_number(x, measured)), *cost = tell_cost(x);
    const char *roofline =
        predicted_rows < 0 ? "" : ridge_arena_printf(x->arena, ", where the roofline says %s", ridge_experiment_number(x, predicted_rows));
    if (!verdict || !cost || !roofline)
        return ridge_no_memory(x->err);
    if (measured > (double)last->rows)
        return ridge_experiment_say(
            x, verdict, "memory-bound up to %lld rows, the most that was run: a larger " RIDGE_OPT("m") " shows the end of it; %s",
            (long long)last->rows, cost);
    return ridge_experiment_say(x, verdict,
                                "at %s rows (%s FLOP per byte of weights) arithmetic, at the best rate reached, takes as long as one row "
                                "alone%s; %s; the least time per row is at %lld rows, %s less than alone",
                                ridge_experiment_number(x, measured), ridge_experiment_number(x, measured * flops_per_byte), roofline, cost,
                                (long long)best->rows, ridge_experiment_ratio(x, rows->time_per_row_s / best->time_per_row_s));
}

/* ---- size-sweep ---- */

/* the last size that is read at 0.7 of the best rate or more; the rate of the largest */
ridge_status ridge_experiment_say_sizes(ridge_experimenting *x)
{
    const ridge_experiment_row *rows = x->out->rows, *best = best_of(x->out), *knee = rows, *last = last_of(x);
    for (size_t i = 0; i < x->out->row_count; i++)
        knee = rows[i].bytes_per_s >= 0.7 * best->bytes_per_s ? &rows[i] : knee;
    const char *rate = ridge_units_scaled(x->arena, best->bytes_per_s, "B/s");
    if (knee == last)
        return ridge_experiment_say(x, knee->name,
                                    "%s, the largest that was measured, is read at 70 %% or more of the best rate, %s: a larger "
                                    "" RIDGE_OPT("most") " shows where a cache ends",
                                    knee->name, rate);
    return ridge_experiment_say(x, knee->name,
                                "working sets up to %s are read at up to %s, %s at %s: %s slower; cut work into blocks that stay below "
                                "%s on %u thread%s",
                                knee->name, rate, last->name, ridge_units_scaled(x->arena, last->bytes_per_s, "B/s"),
                                ridge_experiment_ratio(x, best->bytes_per_s / last->bytes_per_s), knee->name, x->threads,
                                RIDGE_PLURAL(x->threads));
}
