/* What the rows allow to say: a verdict and a sentence, each claim with the interval that carries it (parts.h). "Surely" is: in one more
 * round too, with 95 % confidence. In: finished rows. Out: text in the arena. */
#include <math.h>

#include "experiment/parts.h"

enum { POINTS_LEAST = 3 };
#define FLAT  1.3  /* times one row's time: up to that, another row costs next to nothing */
#define ALIKE 1.1  /* two times that differ by less are alike */
#define NEAR  1.25 /* ... where they cannot be told apart and surely differ by no more than that */

static const ridge_experiment_row *last_of(const ridge_experimenting *x)
{
    return &x->out->rows[x->out->row_count - 1];
}

/* how many times the cost of `under` it is: of a byte where sizes are swept, of a row where batches are, else of all */
static ridge_rounds_ratio cost(const ridge_experimenting *x, const ridge_experiment_row *over, const ridge_experiment_row *under)
{
    const ridge_rounds_ratio time = ridge_experiment_ratio_of(&over->time, &under->time);
    switch (x->out->request.kind) {
    case RIDGE_EXPERIMENT_SIZES:
        return ridge_rounds_ratio_times(time, (double)under->bytes / (double)over->bytes);
    case RIDGE_EXPERIMENT_BATCH:
        return ridge_rounds_ratio_times(time, (double)under->rows / (double)over->rows);
    default:
        return time;
    }
}

/* the first of equals, by the medians */
static const ridge_experiment_row *best_of(const ridge_experimenting *x)
{
    const ridge_experiment_row *best = x->out->rows;
    for (const ridge_experiment_row *row = best; row <= last_of(x); row++)
        best = cost(x, row, best).value < 1 ? row : best;
    return best;
}

/* The first row that no later one beats by more than `slack`: surely none does, or perhaps none. */
static const ridge_experiment_row *enough(const ridge_experimenting *x, double slack, bool surely)
{
    const ridge_experiment_row *row = x->out->rows;
    for (const ridge_experiment_row *later = row; later <= last_of(x); later++) {
        const ridge_rounds_ratio gain = cost(x, row, later);
        if ((surely ? gain.high : gain.low) > slack)
            later = ++row;
    }
    return row;
}

/* "whether '1 thread' would do as well cannot be told": what only perhaps is enough */
static const char *perhaps(const ridge_experimenting *x, const ridge_experiment_row *sure, double slack)
{
    const ridge_experiment_row *row = enough(x, slack, false);
    const char *text = row == sure ? "" : ridge_arena_printf(x->arena, "; whether %s would do cannot be told", row->name);
    return text ? text : "";
}

/* two alternatives of which neither is surely better */
static ridge_status say_alike(ridge_experimenting *x, const ridge_experiment_row *a, const ridge_experiment_row *b)
{
    return ridge_experiment_say_nothing(x, "%s and %s cannot be told apart: the first takes %s the time of the second", a->name, b->name,
                                        ridge_experiment_between(x, ridge_experiment_ratio_of(&a->time, &b->time)));
}

/* ---- memory-vs-compute ---- */

enum { READ, COMPUTE, FULL };

static ridge_rounds_ratio share_of(const ridge_experimenting *x, size_t row)
{
    return ridge_experiment_ratio_of(&x->out->rows[row].time, &x->out->rows[FULL].time);
}

/* reading and calculating in one: at most that the full time would take if they did not overlap at all */
static ridge_rounds_ratio sum_of(ridge_rounds_ratio a, ridge_rounds_ratio b)
{
    return (ridge_rounds_ratio){a.value + b.value, a.low + b.low, a.high + b.high};
}

/* neither side is surely the longer one, and surely by not much; or they take turns and neither is most of the time */
static bool is_balanced(ridge_rounds_ratio sides, ridge_rounds_ratio sum)
{
    bool alike = sides.low >= 1 / ALIKE && sides.high <= ALIKE,
         near = sides.low <= 1 && sides.high >= 1 && sides.low >= 1 / NEAR && sides.high <= NEAR;
    bool turns = sum.high <= ALIKE && sides.low >= 0.5 && sides.high <= 2;
    return alike || near || turns;
}

static const char *overlap_text(ridge_rounds_ratio sum)
{
    return sum.high <= ALIKE ? "which together are the full time: they take turns"
           : sum.low > 1     ? "which together are more than the full time: they overlap"
                             : "of which nobody can tell whether they overlap";
}

ridge_status ridge_experiment_say_memory(ridge_experimenting *x)
{
    const ridge_rounds_ratio read = share_of(x, READ), compute = share_of(x, COMPUTE), sum = sum_of(read, compute),
                             sides = ridge_experiment_ratio_of(&x->out->rows[READ].time, &x->out->rows[COMPUTE].time),
                             turned = {1 / sides.value, 1 / sides.high, 1 / sides.low};
    const char *reading = ridge_experiment_percent(x, read), *calculating = ridge_experiment_percent(x, compute);
    if (is_balanced(sides, sum))
        return ridge_experiment_say(x, "balanced",
                                    "balanced: reading the weights alone takes %s of the full time, calculating alone %s, %s; so %s",
                                    reading, calculating, overlap_text(sum),
                                    sum.high <= ALIKE ? "both count: fewer bytes help as well as cheaper arithmetic, and overlap most"
                                                      : "fewer bytes help only with cheaper arithmetic, and the other way round");
    if (sides.low <= 1 && sides.high >= 1)
        return ridge_experiment_say_nothing(
            x,
            "reading the weights alone takes %s the time of calculating alone, so which of them bounds cannot "
            "be told; they take %s and %s of the full time",
            ridge_experiment_between(x, sides), reading, calculating);
    const bool memory = sides.low > 1;
    const ridge_rounds_ratio longer = memory ? read : compute;
    return ridge_experiment_say(
        x, memory ? "memory" : "compute",
        "%s-bound: %s alone takes %s the time of %s alone; reading is %s of the full time, calculating %s, %s; so %s",
        memory ? "memory" : "compute", memory ? "reading the weights" : "calculating", ridge_experiment_between(x, memory ? sides : turned),
        memory ? "calculating" : "reading the weights", reading, calculating, overlap_text(sum),
        longer.high < 0.6 ? "first make reading and calculating overlap (prefetching, another variant, more threads)"
        : memory          ? "fewer bytes (a narrower format) or a larger batch help"
                          : "cheaper arithmetic (int8, more cores, cheaper unpacking) helps");
}

/* ---- quant-overhead ---- */

static const char *advice_of(const ridge_experiment_row *row)
{
    const ridge_rounds_ratio share = ridge_experiment_ratio_of(&row->compute, &row->time);
    return share.low > 0.8    ? "the arithmetic of unpacking is what is left to improve, not the bytes"
           : share.high < 0.8 ? "memory is still the bound: a narrower format would gain more"
                              : "whether memory or unpacking bounds it cannot be told";
}

/* "; q4_0 may be as fast": those that are not surely slower */
static const char *as_fast_as(const ridge_experimenting *x, const ridge_experiment_row *best)
{
    const char *text = "";
    for (const ridge_experiment_row *row = x->out->rows + 1; row <= last_of(x) && text; row++)
        if (row != best && ridge_experiment_ratio_of(&row->time, &best->time).low <= 1)
            text = ridge_arena_printf(x->arena, "%s%s%s", text, text[0] == '\0' ? "" : ", ", row->name);
    return !text || text[0] == '\0' ? text : ridge_arena_printf(x->arena, "; perhaps as fast: %s", text);
}

ridge_status ridge_experiment_say_quant(ridge_experimenting *x)
{
    const ridge_experiment_row *first = x->out->rows, *best = best_of(x), *rival = NULL;
    for (const ridge_experiment_row *row = first + 1; row <= last_of(x) && best == first; row++)
        rival = ridge_experiment_ratio_of(&row->time, &first->time).low <= 1 ? row : rival;
    const ridge_rounds_ratio gain = ridge_experiment_ratio_of(&first->time, &best->time);
    if (rival || (best != first && gain.low <= 1))
        return say_alike(x, first, rival ? rival : best);
    if (best == first)
        return ridge_experiment_say(x, best->name, "no quantised format is faster than %s here: keep it, or look for a better kernel",
                                    best->name);
    const char *others = as_fast_as(x, best);
    if (!others)
        return ridge_no_memory(x->err);
    return ridge_experiment_say(
        x, best->name,
        "%s is fastest: %s over %s, from %.2gx fewer bytes; unpacking and multiplying from cache takes %s of its time, so %s%s", best->name,
        ridge_experiment_between(x, gain), first->name, best->bytes_ratio,
        ridge_experiment_percent(x, ridge_experiment_ratio_of(&best->compute, &best->time)), advice_of(best), others);
}

/* ---- thread-sweep ---- */

#define THREADS_SLACK 1.05
ridge_status ridge_experiment_say_threads(ridge_experimenting *x)
{
    const ridge_experiment_row *row = enough(x, THREADS_SLACK, true), *first = x->out->rows;
    const char *rate = ridge_units_scaled(x->arena, row->bytes_per_s, "B/s"), *fewer = perhaps(x, row, THREADS_SLACK);
    if (x->out->row_count == 1)
        return ridge_experiment_say(x, row->name, "%s: %s; more were not measured", row->name, rate);
    if (row == first)
        return ridge_experiment_say(x, row->name, "%s: %s; more threads than that gain less than 5 %%", row->name, rate);
    const ridge_rounds_ratio gain = ridge_experiment_ratio_of(&first->time, &row->time);
    if (gain.low <= 1)
        return say_alike(x, first, row);
    const char *rest = row != last_of(x)  ? "more threads than that gain less than 5 %"
                       : fewer[0] == '\0' ? "the most that were measured, and fewer are slower by more than 5 %"
                                          : "the most that were measured";
    return ridge_experiment_say(x, row->name, "%s: %s over one, %s; %s%s", row->name, ridge_experiment_between(x, gain), rate, rest, fewer);
}

/* ---- tile-sweep ---- */

ridge_status ridge_experiment_say_tile(ridge_experimenting *x)
{
    const ridge_experiment_row *row = enough(x, ALIKE, true), *first = x->out->rows, *last = last_of(x);
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
    const ridge_rounds_ratio gain = ridge_experiment_ratio_of(&first->time, &row->time);
    if (gain.low <= 1)
        return say_alike(x, first, row);
    return ridge_experiment_say(
        x, row->name, "tiles of %lld rows take %s less time than row by row, and the weights are read %lld times less often; %s%s",
        (long long)row->rows, ridge_experiment_between(x, gain), (long long)row->rows, rest, perhaps(x, row, ALIKE));
}

/* ---- batch-sweep ---- */

/* the rows up to which each surely takes hardly longer than one alone */
static const ridge_experiment_row *flat_of(const ridge_experimenting *x)
{
    const ridge_experiment_row *flat = x->out->rows;
    while (flat < last_of(x) && ridge_experiment_ratio_of(&flat[1].time, &x->out->rows->time).high <= FLAT)
        flat++;
    return flat;
}

/* the batch from which on a row surely takes less time than alone; NULL: none */
static const ridge_experiment_row *pays_from(const ridge_experimenting *x)
{
    const ridge_experiment_row *pays = NULL;
    for (const ridge_experiment_row *row = last_of(x); row > x->out->rows && cost(x, row, x->out->rows).high < 1; row--)
        pays = row;
    return pays;
}

/* what more rows cost, as the points have it: the last of those that take hardly longer than one row, or the step to the first that does */
static const char *tell_cost(const ridge_experimenting *x)
{
    const ridge_experiment_row *rows = x->out->rows, *pays = pays_from(x), *flat = flat_of(x);
    const ridge_rounds_ratio step = ridge_experiment_ratio_of(&rows[1].time, &rows->time);
    if (flat > rows)
        return ridge_arena_printf(x->arena, "up to %lld rows take at most %.1f times as long as one, so batch up to that at least",
                                  (long long)flat->rows, FLAT);
    const char *costs =
        step.low > FLAT
            ? ridge_arena_printf(x->arena, "the step from the gemv kernel to the gemm kernel costs: %lld rows take %s the time of one",
                                 (long long)rows[1].rows, ridge_experiment_between(x, step))
            : ridge_arena_printf(x->arena, "%lld rows take %s the time of one", (long long)rows[1].rows, ridge_experiment_between(x, step));
    if (!costs)
        return NULL;
    if (pays)
        return ridge_arena_printf(x->arena, "%s, and a row takes less time than alone from %lld rows on", costs, (long long)pays->rows);
    return ridge_arena_printf(x->arena, "%s, and at the end of what was run a row takes %s", costs,
                              cost(x, last_of(x), rows).low >= 1 ? "no less time than alone"
                                                                 : "perhaps less time than alone, perhaps more");
}

/* "8.26 rows", "7.9 to 8.6 rows" */
static const char *rows_text(const ridge_experimenting *x, ridge_rounds_ratio rows)
{
    const char *low = ridge_experiment_number(x, rows.low), *high = ridge_experiment_number(x, rows.high);
    return strcmp(low, high) == 0 ? ridge_arena_printf(x->arena, "%s rows", low) : ridge_arena_printf(x->arena, "%s to %s rows", low, high);
}

/* "8.26", "7.9 to 8.6" */
static const char *intensity_text(const ridge_experimenting *x, ridge_rounds_ratio rows, double flops_per_byte)
{
    const char *low = ridge_experiment_number(x, rows.low * flops_per_byte), *high = ridge_experiment_number(x, rows.high * flops_per_byte);
    return strcmp(low, high) == 0 ? low : ridge_arena_printf(x->arena, "%s to %s", low, high);
}

ridge_status ridge_experiment_say_batch(ridge_experimenting *x, double predicted_rows, double flops_per_byte)
{
    if (x->out->row_count < POINTS_LEAST)
        return ridge_experiment_say_nothing(x, "a ridge point needs 3 batches, so " RIDGE_OPT("m") " 4 at least");
    const ridge_experiment_row *rows = x->out->rows, *best = best_of(x), *last = last_of(x);
    /* rows that the best batch's rate does in the time of one row alone */
    const ridge_rounds_ratio measured = cost(x, rows, best);
    const char *verdict = rows_text(x, measured), *costs = tell_cost(x), *intensity = intensity_text(x, measured, flops_per_byte);
    const char *roofline =
        predicted_rows < 0 ? "" : ridge_arena_printf(x->arena, ", where the roofline says %s", ridge_experiment_number(x, predicted_rows));
    if (!verdict || !costs || !roofline || !intensity)
        return ridge_no_memory(x->err);
    if (measured.low > (double)last->rows)
        return ridge_experiment_say(
            x, verdict, "memory-bound up to %lld rows, the most that was run: a larger " RIDGE_OPT("m") " shows the end of it; %s",
            (long long)last->rows, costs);
    return ridge_experiment_say(
        x, verdict,
        "at %s (%s FLOP per byte of weights) arithmetic, at the best rate reached, takes as long as one row alone%s; "
        "%s; at %lld rows a row takes %s less time than alone",
        verdict, intensity, roofline, costs, (long long)best->rows, ridge_experiment_between(x, measured));
}

/* ---- size-sweep ---- */

#define KNEE 0.7 /* of the best rate */

/* the last size that is surely (perhaps) read at KNEE of the best rate or more */
static const ridge_experiment_row *knee_of(const ridge_experimenting *x, bool surely)
{
    const ridge_experiment_row *best = best_of(x), *knee = best;
    for (const ridge_experiment_row *row = best; row <= last_of(x); row++) {
        const ridge_rounds_ratio rate = cost(x, best, row);
        knee = (surely ? rate.low : rate.high) >= KNEE ? row : knee;
    }
    return knee;
}

ridge_status ridge_experiment_say_sizes(ridge_experimenting *x)
{
    const ridge_experiment_row *best = best_of(x), *knee = knee_of(x, true), *beyond = knee_of(x, false), *last = last_of(x);
    const char *rate = ridge_units_scaled(x->arena, best->bytes_per_s, "B/s");
    if (knee == last)
        return ridge_experiment_say(x, knee->name,
                                    "%s, the largest that was measured, is read at 70 %% or more of the best rate, %s: a larger "
                                    "" RIDGE_OPT("most") " shows where a cache ends",
                                    knee->name, rate);
    if (beyond == last)
        return ridge_experiment_say_nothing(
            x,
            "working sets up to %s are read at 70 %% or more of the best rate, %s; whether %s still is cannot "
            "be told: it takes %s the time a byte",
            knee->name, rate, last->name, ridge_experiment_between(x, cost(x, last, best)));
    const char *unsure = beyond == knee ? "" : ridge_arena_printf(x->arena, ", and perhaps up to %s", beyond->name);
    if (!unsure)
        return ridge_no_memory(x->err);
    return ridge_experiment_say(
        x, knee->name,
        "working sets up to %s%s are read at 70 %% or more of the best rate, %s, and %s at %s: %s slower; cut work into "
        "blocks that stay below %s on %u thread%s",
        knee->name, unsure, rate, last->name, ridge_units_scaled(x->arena, last->bytes_per_s, "B/s"),
        ridge_experiment_between(x, cost(x, last, best)), knee->name, x->threads, RIDGE_PLURAL(x->threads));
}
