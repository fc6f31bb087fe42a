/* What was measured, as one: times of all rounds, who is faster and by how much, and what of it explains that (parts.h). */
#include <math.h>

#include "frameworks/parts.h"
#include "measure/statistics.h"

/* fewer undisturbed samples have no 95 % interval */
enum { LEAST_TO_FLAG = 6 };
/* of its threads' CPUs: a framework that keeps fewer busy did not share all of the work */
#define BUSY 0.75
/* about as long as a call of Python's takes to get to the kernel */
#define SHORT_S 5e-6

static double as_double(ridge_int n)
{
    return n < 0 ? RIDGE_MEASURE_UNKNOWN : ridge_rational_double(ridge_rational_of(n));
}

static bool is_timed(const ridge_framework_row *row)
{
    return row->right && row->rounds > 0;
}

/* ---- a row ---- */

static void finish_row(ridge_framework_row *row)
{
    ridge_measured_row *m = &row->row;
    m->time = ridge_rounds_combine(row->times, row->rounds);
    if (m->time.kept >= RIDGE_SAMPLES_OF_INTERVAL)
        row->spread_percent = 100 * ridge_sample_half_width(&m->time);
    m->flops_per_s = as_double(m->flops) / m->time.median_s;
    m->bytes_per_s = as_double(m->bytes) / m->time.median_s;
    m->error = ridge_compare_error(m->predicted_s, m->time.median_s);
    if (!(m->predicted_s > 0))
        return;
    m->percent_of_ceiling = 100 * m->predicted_s / m->time.median_s;
    m->beats_roofline = m->time.kept >= LEAST_TO_FLAG && m->predicted_s > m->time.high_s;
}

static ridge_status finish_rows(ridge_frameworks *a, ridge_arena *arena, ridge_err *err)
{
    for (size_t i = 0; i < a->row_count; i++) {
        ridge_framework_row *row = &a->rows[i];
        if (is_timed(row))
            finish_row(row);
        else
            row->row.time = (ridge_sample_statistics){.median_s = -1, .low_s = -1, .high_s = -1, .mad_s = -1, .minimum_s = -1};
        ridge_compare_row(&row->joined, &row->row, row->least);
        if (is_timed(row))
            a->joined[a->timed++] = row->joined;
    }
    return ridge_compare_summarise(&a->summary, a->joined, a->timed, arena, err);
}

/* when all is known of them */
static void sort_rows(ridge_frameworks *a)
{
    size_t timed = 0;
    for (size_t i = 0; i < a->row_count; i++)
        if (is_timed(&a->rows[i]))
            a->right[timed++] = a->rows[i];
        else if (!a->rows[i].right)
            a->wrong[a->wrong_count++] = a->rows[i];
}

/* ---- who is faster ---- */

static ridge_framework_row *fastest(ridge_frameworks *a, const ridge_format *f)
{
    ridge_framework_row *best = NULL;
    for (size_t i = 0; i < a->row_count; i++) {
        ridge_framework_row *row = &a->rows[i];
        if (row->format == f && is_timed(row) && (!best || row->row.time.median_s < best->row.time.median_s))
            best = row;
    }
    return best;
}

/* in the rounds that both were measured in */
static ridge_rounds_ratio ratio_of(const ridge_framework_row *row, const ridge_framework_row *best)
{
    const unsigned rounds = row->rounds < best->rounds ? row->rounds : best->rounds;
    return ridge_rounds_ratio_of(row->times, best->times, rounds);
}

static bool is_known(ridge_rounds_ratio ratio)
{
    return ratio.low > 0 && isfinite(ratio.high);
}

static const char *name_of(const ridge_framework_row *row)
{
    return ridge_framework_names[row->framework];
}

/* ---- words ---- */

static void add_times(ridge_buf *out, double value)
{
    ridge_buf_addf(out, value >= 10 ? "%.0fx" : fabs(value - 1) < 0.1 ? "%.3gx" : "%.2gx", value);
}

/* "between 1.8x and 2.1x" */
static void add_ratio(ridge_buf *out, ridge_rounds_ratio ratio)
{
    if (!is_known(ratio)) {
        ridge_buf_addz(out, "about ");
        add_times(out, ratio.value);
        return;
    }
    ridge_buf_addz(out, "between ");
    add_times(out, ratio.low);
    ridge_buf_addz(out, " and ");
    add_times(out, ratio.high);
}

static void add_share(ridge_buf *out, const ridge_framework_row *row)
{
    ridge_buf_addf(out, "%.2g %%", row->row.percent_of_ceiling);
}

static const char *limit_of(const ridge_framework_row *row)
{
    return row->row.bound == RIDGE_SIDE_MEMORY ? "memory" : "arithmetic";
}

/* Each of the reasons is a fact of this run that the winner does not share; which of them costs how much is not measured. */
static const char *reasons(const ridge_frameworks *a, const ridge_framework_row *row, const ridge_framework_row *best, ridge_arena *arena)
{
    ridge_buf text = {0};
    const bool many_scores = strstr(a->shape_json, "\"seq\": 1,") == NULL && strcmp(a->what, "gemm") != 0;
    if (row->row.percent_of_ceiling > 0) {
        ridge_buf_addf(&text, "it reaches ");
        add_share(&text, row);
        ridge_buf_addf(&text, " of what %s allows, %s ", limit_of(row), name_of(best));
        add_share(&text, best);
    }
    if (best->fused && !row->fused && many_scores)
        ridge_buf_addf(&text, "%sit writes the scores of attention out, %s does not", text.n ? "; " : "", name_of(best));
    if (row->cpus >= 0 && row->cpus < BUSY * a->threads && (best->cpus < 0 || best->cpus >= BUSY * a->threads))
        ridge_buf_addf(&text, "%sit kept %.1f of %u CPUs busy", text.n ? "; " : "", row->cpus, a->threads);
    if (row->row.predicted_s > 0 && row->row.predicted_s < SHORT_S)
        ridge_buf_addf(&text, "; the work alone would take %s: the way into a framework counts",
                       ridge_units_seconds(arena, row->row.predicted_s));
    if (text.n == 0)
        ridge_buf_addz(&text, "no reason is known");
    return ridge_arena_take(arena, &text);
}

/* "torch takes between 1.8x and 2.1x as long: it reaches 32 % of what memory allows, ridge 61 %" */
static void add_loser(ridge_buf *out, const ridge_framework_row *row)
{
    ridge_buf_addf(out, "%s takes ", name_of(row));
    add_ratio(out, row->slower);
    ridge_buf_addf(out, " as long: %s", row->why);
}

static void add_winner(ridge_buf *out, const ridge_frameworks *a, const ridge_framework_row *best, bool wins)
{
    ridge_buf_addf(out, "%s %s", name_of(best), wins ? "wins" : "has the shortest median, and cannot be told from all others");
    if (best->row.percent_of_ceiling > 0) {
        ridge_buf_addf(out, ": the %s is bound by %s here, of which it reaches ", a->what, limit_of(best));
        add_share(out, best);
    }
    ridge_buf_addz(out, ". ");
}

/* ---- verdicts ---- */

/* the rows of a format: *others that were timed beside the fastest; *sure: it is faster than each */
static ridge_status compare_rows(size_t *others, bool *sure, ridge_frameworks *a, ridge_framework_row *best, ridge_arena *arena,
                                 ridge_err *err)
{
    *others = 0;
    *sure = true;
    for (size_t i = 0; i < a->row_count; i++) {
        ridge_framework_row *row = &a->rows[i];
        if (row->format != best->format || !is_timed(row))
            continue;
        row->slower = row == best ? (ridge_rounds_ratio){1, 1, 1} : ratio_of(row, best);
        if (row == best)
            continue;
        if (!(row->why = reasons(a, row, best, arena)))
            return ridge_no_memory(err);
        ++*others;
        *sure = *sure && is_known(row->slower) && row->slower.low > 1;
    }
    return RIDGE_OK;
}

static void add_sentence(ridge_buf *out, const ridge_frameworks *a, const ridge_framework_row *best, size_t others, bool wins)
{
    bool first = true;
    if (others == 0) {
        ridge_buf_addf(out, "only %s was timed: there is nothing to compare", name_of(best));
        return;
    }
    add_winner(out, a, best, wins);
    for (size_t i = 0; i < a->row_count; i++) {
        const ridge_framework_row *row = &a->rows[i];
        if (row->format != best->format || !is_timed(row) || row == best)
            continue;
        ridge_buf_addz(out, first ? "" : ". ");
        add_loser(out, row);
        first = false;
    }
}

static ridge_status judge(ridge_frameworks *a, const ridge_format *f, ridge_arena *arena, ridge_err *err)
{
    ridge_framework_row *best = fastest(a, f);
    ridge_framework_verdict *v = &a->verdicts[a->verdict_count];
    ridge_buf text = {0};
    size_t others;
    bool sure;
    if (!best)
        return RIDGE_OK;
    ridge_status st = compare_rows(&others, &sure, a, best, arena, err);
    if (st)
        return st;
    const bool wins = others > 0 && sure;
    add_sentence(&text, a, best, others, wins);
    *v = (ridge_framework_verdict){f, wins ? name_of(best) : NULL, ridge_arena_take(arena, &text)};
    a->verdict_count++;
    return v->sentence ? RIDGE_OK : ridge_no_memory(err);
}

ridge_status ridge_frameworks_conclude(ridge_frameworks *a, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = finish_rows(a, arena, err);
    for (size_t i = 0; i < a->row_count && !st; i++) {
        size_t before = 0;
        while (a->rows[before].format != a->rows[i].format)
            before++;
        if (before == i)
            st = judge(a, a->rows[i].format, arena, err);
    }
    sort_rows(a);
    return st;
}

ridge_status ridge_frameworks_verdict(const ridge_frameworks *a, ridge_err *err)
{
    const size_t wrong = a->wrong_count;
    return wrong == 0 ? RIDGE_OK
                      : ridge_fail(err, RIDGE_CHECK, "%zu of %zu results %s wrong", wrong, a->row_count, wrong == 1 ? "is" : "are");
}

ridge_status ridge_frameworks_measured(ridge_measured_row **out, size_t *count, const ridge_frameworks *a, ridge_arena *arena,
                                       ridge_err *err)
{
    *count = 0;
    if (!(*out = ridge_arena_array(arena, a->timed + 1, sizeof **out)))
        return ridge_no_memory(err);
    for (; *count < a->timed; ++*count)
        (*out)[*count] = a->right[*count].row;
    return RIDGE_OK;
}
