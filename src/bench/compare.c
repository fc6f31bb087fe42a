/* Predicted against measured (compare.h). */
#include "bench/compare.h"

#include "bench/history.h"
#include "predict/picture.h"

/* what bounds a row, for its efficiency: a stream from a cache loses other things than one from memory */
static const char *bound_of(const ridge_measured_row *m)
{
    return m->bound < 0 ? NULL : m->bound == RIDGE_SIDE_MEMORY && m->cache == RIDGE_CACHE_HOT ? "cache" : ridge_side_names[m->bound];
}

static ridge_calibration_row calibration_row(const ridge_measured_row *m, double theory_s)
{
    const ridge_format *format = ridge_format_find(ridge_str_of(m->format));
    return (ridge_calibration_row){.kernel = m->kernel,
                                   .variant = ridge_calibration_variant_class(m->provider, m->variant),
                                   .format_class = format ? ridge_calibration_format_class(format) : "",
                                   .bound = bound_of(m),
                                   .measured_s = m->time.median_s,
                                   .theory_s = theory_s,
                                   .roofline_s = m->predicted_s};
}

/* rows and what is calibrated of them */
typedef struct joining {
    ridge_compare_answer *out;
    ridge_calibration_row *groups;
} joining;

static ridge_status start(joining *j, ridge_compare_answer *out, size_t count, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_compare_answer){.rows = ridge_arena_array(arena, count + 1, sizeof *out->rows)};
    *j = (joining){out, ridge_arena_array(arena, count + 1, sizeof *j->groups)};
    return out->rows && j->groups ? RIDGE_OK : ridge_no_memory(err);
}

static void join(joining *j, const ridge_measured_row *row, ridge_compare_sides seen, double theory_s)
{
    j->groups[j->out->row_count] = calibration_row(row, theory_s);
    ridge_compare_row(&j->out->rows[j->out->row_count++], row, seen);
    j->out->machine = row->machine;
}

static ridge_status finish(joining *j, bool calibrate, ridge_arena *arena, ridge_err *err)
{
    ridge_compare_answer *a = j->out;
    a->calibrated = calibrate;
    ridge_status st = ridge_compare_summarise(&a->summary, a->rows, a->row_count, arena, err);
    return st || !calibrate ? st : ridge_calibrate(&a->calibration, j->groups, a->row_count, arena, err);
}

ridge_status ridge_compare_bench(ridge_compare_answer *out, const ridge_bench *bench, bool calibrate, ridge_arena *arena, ridge_err *err)
{
    joining j;
    ridge_status st = start(&j, out, bench->row_count, arena, err);
    if (st)
        return st;
    out->bench = bench;
    for (size_t i = 0; i < bench->row_count; i++)
        if (bench->rows[i].right)
            join(&j, &bench->rows[i].row, bench->rows[i].seen, bench->rows[i].theory_s);
    out->machine = bench->machine->fingerprint;
    return finish(&j, calibrate, arena, err);
}

ridge_status ridge_compare_stored(ridge_compare_answer *out, const ridge_measured_row *rows, size_t count, bool calibrate,
                                  ridge_arena *arena, ridge_err *err)
{
    const ridge_compare_sides unknown = {RIDGE_MEASURE_UNKNOWN, RIDGE_MEASURE_UNKNOWN};
    joining j;
    ridge_status st = start(&j, out, count, arena, err);
    for (size_t i = 0; i < count && !st; i++)
        join(&j, &rows[i], unknown, RIDGE_MEASURE_UNKNOWN);
    return st ? st : finish(&j, calibrate, arena, err);
}

/* ---- the picture ---- */

/* kernels that have points, in the order they come */
static size_t groups_of(const char **names, const ridge_compare_answer *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->row_count; i++) {
        size_t k = 0;
        while (k < count && strcmp(names[k], a->rows[i].row->kernel) != 0)
            k++;
        if (k == count && count < RIDGE_PLOT_GROUPS)
            names[count++] = a->rows[i].row->kernel;
    }
    return count;
}

static unsigned group_of(const char *const *names, size_t count, const char *name)
{
    unsigned k = 0;
    while (k + 1 < count && strcmp(names[k], name) != 0)
        k++;
    return k;
}

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* "gemv 4096x4096 bf16"; with its variant, its threads and cache where another row reads the same without */
static const char *point_name(const ridge_compare_answer *a, size_t index, ridge_arena *arena)
{
    const ridge_measured_row *m = a->rows[index].row;
    const char *problem = ridge_history_problem(m, arena), *how = ridge_history_how(m, arena);
    bool add_variant = false, add_how = false;
    for (size_t i = 0; i < a->row_count; i++) {
        const ridge_measured_row *other = a->rows[i].row;
        if (i == index || !same(m->kernel, other->kernel) || !same(m->shape, other->shape) || !same(m->format, other->format))
            continue;
        bool alike = same(m->variant, other->variant);
        add_variant = add_variant || !alike;
        add_how = add_how || alike;
    }
    return !problem || !how ? NULL
                            : ridge_arena_printf(arena, "%s %s%s%s%s%s", problem, m->format, add_variant ? " " : "",
                                                 add_variant ? m->variant : "", add_how ? " " : "", add_how ? how : "");
}

/* of the rows that have a place in the picture */
static bool drawn(const ridge_measured_row *m)
{
    return m->flops >= 0 && m->bytes > 0;
}

static double measured_s(const ridge_compare_answer *a)
{
    double sum = 0;
    for (size_t i = 0; i < a->row_count; i++)
        sum += drawn(a->rows[i].row) ? a->rows[i].row->time.median_s : 0;
    return sum > 0 ? sum : 1;
}

static void add_point(ridge_plot_roofline *r, ridge_plot_point *points, const ridge_plot_point *common, ridge_int flops, double seconds,
                      bool measured)
{
    ridge_plot_point *p = &points[r->point_count++];
    *p = *common;
    p->flops_per_s = ridge_rational_double(ridge_rational_of(flops)) / seconds;
    p->measured = measured;
}

ridge_status ridge_compare_roofline(ridge_plot *out, const ridge_compare_answer *a, const ridge_machine *machine, ridge_arena *arena,
                                    ridge_err *err)
{
    const char **names = ridge_arena_array(arena, RIDGE_PLOT_GROUPS, sizeof *names);
    ridge_plot_point *points = ridge_arena_array(arena, 2 * a->row_count + 1, sizeof *points);
    ridge_plot_roofline *r = &out->u.roofline;
    if (!names || !points)
        return ridge_no_memory(err);
    *out = (ridge_plot){.title = "predicted and measured", .subtitle = machine->name ? machine->name : "", .kind = RIDGE_PLOT_ROOFLINE};
    const double total_s = measured_s(a);
    r->groups = names;
    r->group_count = groups_of(names, a);
    r->points = points;
    for (size_t i = 0; i < a->row_count; i++) {
        const ridge_measured_row *m = a->rows[i].row;
        if (!drawn(m))
            continue;
        ridge_plot_point common = {.ai = (double)m->flops / (double)m->bytes,
                                   .weight = m->time.median_s / total_s,
                                   .group = group_of(names, r->group_count, m->kernel)};
        if (!(common.label = point_name(a, i, arena)))
            return ridge_no_memory(err);
        if (m->predicted_s > 0)
            add_point(r, points, &common, m->flops, m->predicted_s, false);
        add_point(r, points, &common, m->flops, m->time.median_s, true);
    }
    return ridge_picture_ceilings(r, machine, RIDGE_PRECISION_FP32, arena, err);
}
