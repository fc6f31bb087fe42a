/* What the rows of a sweep allow to say: its verdict and its sentence (parts.h). In: finished rows. Out: text in the arena. */
#include "experiment/parts.h"

enum { ROWS, TIME, PER_ROW, POINTS_LEAST = 3 }; /* columns of tile- and batch-sweep */
#define FLAT 1.3                                /* times one row's time: up to that, another row costs next to nothing */

static const ridge_experiment_row *last_of(const ridge_experimenting *x)
{
    return &x->out->rows[x->out->row_count - 1];
}

/* the row with the least in a column, the first of equals */
static const ridge_experiment_row *least(const ridge_experimenting *x, size_t column)
{
    const ridge_experiment_row *best = x->out->rows;
    for (size_t i = 1; i < x->out->row_count; i++)
        if (x->out->rows[i].values[column] < best->values[column])
            best = &x->out->rows[i];
    return best;
}

/* the first row whose time is within `slack` of the best */
static const ridge_experiment_row *enough(const ridge_experimenting *x, double slack)
{
    const ridge_experiment_row *row = x->out->rows, *best = least(x, TIME);
    while (row->values[TIME] > slack * best->values[TIME])
        row++;
    return row;
}

/* ---- thread-sweep ---- */

ridge_status ridge_experiment_say_threads(ridge_experimenting *x)
{
    enum { BANDWIDTH = 2, GAIN = 3 };
    const ridge_experiment_row *row = enough(x, 1.05);
    const char *rate = ridge_units_scaled(x->arena, row->values[BANDWIDTH], "B/s");
    if (x->out->row_count == 1)
        return ridge_experiment_say(x, row->name, "%s: %s; more were not measured", row->name, rate);
    return ridge_experiment_say(x, row->name, "%s: %s over one, %s; %s", row->name, ridge_experiment_ratio(x, row->values[GAIN]), rate,
                                row == last_of(x) ? "the most that were measured, and fewer are slower by more than 5 %"
                                                  : "more threads than that gain less than 5 %");
}

/* ---- tile-sweep ---- */

ridge_status ridge_experiment_say_tile(ridge_experimenting *x)
{
    const ridge_experiment_row *row = enough(x, 1.1), *first = x->out->rows, *last = last_of(x);
    if (x->out->row_count < POINTS_LEAST)
        return ridge_experiment_say_nothing(x, "a sweep needs 3 points, so --m 4 at least");
    const char *rest = row == last
                           ? "it is the largest measured"
                           : ridge_arena_printf(x->arena, "no larger one that was measured, up to %.0f rows, takes 10 %% less than that",
                                                last->values[ROWS]);
    if (!rest)
        return ridge_no_memory(x->err);
    if (row == first)
        return ridge_experiment_say(x, row->name, "row by row is enough: %s", rest);
    return ridge_experiment_say(
        x, row->name, "tiles of %.0f rows take %s less time than row by row, since the weights are read %.0f times less often; %s",
        row->values[ROWS], ridge_experiment_ratio(x, first->values[TIME] / row->values[TIME]), row->values[ROWS], rest);
}

/* ---- batch-sweep ---- */

/* what more rows cost, as the points have it: the last of those that take hardly longer than one row, or the step to the first that does */
static const char *tell_cost(const ridge_experimenting *x)
{
    const ridge_experiment_row *rows = x->out->rows, *pays = NULL, *flat = rows;
    while (flat < last_of(x) && flat[1].values[TIME] <= FLAT * rows->values[TIME])
        flat++;
    if (flat > rows)
        return ridge_arena_printf(x->arena, "up to %.0f rows take at most %.1f times as long as one, so batch up to that at least",
                                  flat->values[ROWS], FLAT);
    for (size_t i = x->out->row_count - 1; i > 0 && rows[i].values[PER_ROW] < rows->values[PER_ROW]; i--)
        pays = &rows[i];
    const char *step = ridge_arena_printf(
        x->arena, "the step from the gemv kernel to the gemm kernel costs: %.0f rows take %s, %s the time of one", rows[1].values[ROWS],
        ridge_units_seconds(x->arena, rows[1].values[TIME]), ridge_experiment_ratio(x, rows[1].values[TIME] / rows->values[TIME]));
    if (!step || !pays)
        return !step ? NULL : ridge_arena_printf(x->arena, "%s, and at the end of what was run a row takes no less time than alone", step);
    return ridge_arena_printf(x->arena, "%s, so a row takes less time than alone from %.0f rows on", step, pays->values[ROWS]);
}

ridge_status ridge_experiment_say_batch(ridge_experimenting *x, double predicted_rows, double flops_per_byte)
{
    if (x->out->row_count < POINTS_LEAST)
        return ridge_experiment_say_nothing(x, "a ridge point needs 3 batches, so --m 4 at least");
    const ridge_experiment_row *rows = x->out->rows, *best = least(x, PER_ROW), *last = last_of(x);
    double measured = ridge_experiment_ridge_rows(rows->values[TIME], best->values[TIME], best->values[ROWS]);
    const char *verdict = ridge_arena_printf(x->arena, "%s rows", ridge_experiment_number(x, measured)), *cost = tell_cost(x);
    const char *roofline =
        predicted_rows < 0 ? "" : ridge_arena_printf(x->arena, ", where the roofline says %s", ridge_experiment_number(x, predicted_rows));
    if (!verdict || !cost || !roofline)
        return ridge_no_memory(x->err);
    if (measured > last->values[ROWS])
        return ridge_experiment_say(x, verdict, "memory-bound up to %.0f rows, the most that was run: a larger --m shows the end of it; %s",
                                    last->values[ROWS], cost);
    return ridge_experiment_say(x, verdict,
                                "at %s rows (%s FLOP per byte of weights) arithmetic, at the best rate reached, takes as long as one row "
                                "alone%s; %s; the least time per row is at %.0f rows, %s less than alone",
                                ridge_experiment_number(x, measured), ridge_experiment_number(x, measured * flops_per_byte), roofline, cost,
                                best->values[ROWS], ridge_experiment_ratio(x, rows->values[PER_ROW] / best->values[PER_ROW]));
}

/* ---- size-sweep ---- */

/* the last size that is read at 0.7 of the best rate or more; the rate of the largest */
ridge_status ridge_experiment_say_sizes(ridge_experimenting *x)
{
    enum { RATE = 1 };
    const ridge_experiment_row *rows = x->out->rows, *best = rows, *knee = rows, *last = last_of(x);
    for (size_t i = 0; i < x->out->row_count; i++)
        best = rows[i].values[RATE] > best->values[RATE] ? &rows[i] : best;
    for (size_t i = 0; i < x->out->row_count; i++)
        knee = rows[i].values[RATE] >= 0.7 * best->values[RATE] ? &rows[i] : knee;
    const char *rate = ridge_units_scaled(x->arena, best->values[RATE], "B/s");
    if (knee == last)
        return ridge_experiment_say(x, knee->name,
                                    "%s, the largest that was measured, is read at 70 %% or more of the best rate, %s: a larger "
                                    "--most shows where a cache ends",
                                    knee->name, rate);
    return ridge_experiment_say(x, knee->name,
                                "working sets up to %s are read at up to %s, %s at %s: %s slower; cut work into blocks that stay below "
                                "%s on %u thread%s",
                                knee->name, rate, last->name, ridge_units_scaled(x->arena, last->values[RATE], "B/s"),
                                ridge_experiment_ratio(x, best->values[RATE] / last->values[RATE]), knee->name, x->threads,
                                x->threads == 1 ? "" : "s");
}
