/* Numbers as sentences have them: how sure they are is part of them (parts.h). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "experiment/parts.h"

/* ---- sentences ---- */

static ridge_status say(ridge_experimenting *x, const char *verdict, const char *before, const char *fmt, va_list args)
{
    char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", before);
    (void)vsnprintf(text + n, sizeof text - n, fmt, args);
    x->out->verdict = verdict;
    x->out->sentence = ridge_arena_strdup(x->arena, ridge_str_of(text));
    return x->out->sentence ? RIDGE_OK : ridge_no_memory(x->err);
}

ridge_status ridge_experiment_say(ridge_experimenting *x, const char *verdict, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ridge_status st = say(x, verdict, "", fmt, args);
    va_end(args);
    return st || verdict ? st : ridge_no_memory(x->err);
}

ridge_status ridge_experiment_say_nothing(ridge_experimenting *x, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ridge_status st = say(x, NULL, "no conclusion: ", fmt, args);
    va_end(args);
    return st;
}

/* ---- numbers ---- */

const char *ridge_experiment_number(const ridge_experimenting *x, double value)
{
    const char *text = ridge_arena_printf(x->arena, value >= 100 ? "%.0f" : "%.3g", value);
    return text ? text : "";
}

/* two digits, so that 1.04 and 0.96 do not both become "1": three near 1 */
static const char *times(const ridge_experimenting *x, double value)
{
    const char *text = ridge_arena_printf(x->arena, value >= 10 ? "%.0fx" : fabs(value - 1) < 0.1 ? "%.3gx" : "%.2gx", value);
    return text ? text : "";
}

const char *ridge_experiment_between(const ridge_experimenting *x, ridge_rounds_ratio ratio)
{
    const char *low = times(x, ratio.low), *high = times(x, ratio.high), *text = low;
    if (!isfinite(ratio.high))
        text = ridge_arena_printf(x->arena, "about %s, how far off is not known,", times(x, ratio.value));
    else if (strcmp(low, high) != 0)
        text = ridge_arena_printf(x->arena, "between %s and %s", low, high);
    return text ? text : "";
}

const char *ridge_experiment_percent(const ridge_experimenting *x, ridge_rounds_ratio share)
{
    const double low = round(100 * share.low), high = round(100 * share.high);
    const char *text = low == high || !isfinite(high) ? ridge_arena_printf(x->arena, "%.0f %%", 100 * share.value)
                                                      : ridge_arena_printf(x->arena, "%.0f to %.0f %%", low, high);
    return text ? text : "";
}

/* ---- where nothing can be said ---- */

static unsigned clean_rounds(const ridge_experiment_time *time)
{
    unsigned clean = 0;
    for (unsigned r = 0; r < time->rounds; r++)
        clean += time->seen[r].kept > 0;
    return clean;
}

/* of a row, with the fewest undisturbed rounds of its times */
static unsigned clean_of(const ridge_experiment_row *row)
{
    unsigned clean = clean_rounds(&row->time), compute = row->compute.rounds > 0 ? clean_rounds(&row->compute) : clean;
    return clean < compute ? clean : compute;
}

ridge_status ridge_experiment_say_too_little(bool *too_little, ridge_experimenting *x, size_t planned)
{
    const ridge_experiment *e = x->out;
    unsigned rounds = e->row_count > 0 ? e->rows[e->row_count - 1].time.rounds : 0;
    *too_little = true;
    if (e->row_count < planned || rounds < RIDGE_ROUNDS_LEAST) {
        bool points = e->row_count < planned;
        ridge_status st = ridge_experiment_say(x, "", "interrupted after %zu of %zu %s: no conclusion", points ? e->row_count : rounds,
                                               points ? planned : (size_t)e->request.rounds, points ? "points" : "rounds");
        x->out->verdict = NULL;
        return st;
    }
    for (const ridge_experiment_row *row = e->rows; row < e->rows + e->row_count; row++)
        if (clean_of(row) < RIDGE_ROUNDS_LEAST)
            return ridge_experiment_say_nothing(x,
                                                "'%s' was undisturbed in %u of %u rounds, and %d are needed: other programs hold the "
                                                "cores; a quieter machine, fewer threads or more " RIDGE_OPT("rounds") " would tell",
                                                row->name, clean_of(row), row->time.rounds, (int)RIDGE_ROUNDS_LEAST);
    *too_little = false;
    return RIDGE_OK;
}
