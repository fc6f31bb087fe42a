/* Predicted against measured (compare.h). */
#include "bench/compare.h"

#include "predict/picture.h"

/* rows and what is calibrated of them */
typedef struct joining {
    ridge_compare_answer *out;
    ridge_calibration_row *groups;
    bool calibrate;
    ridge_arena *arena;
} joining;

static ridge_status start(joining *j, size_t count, ridge_err *err)
{
    *j->out = (ridge_compare_answer){.rows = ridge_arena_array(j->arena, count + 1, sizeof *j->out->rows)};
    j->groups = ridge_arena_array(j->arena, count + 1, sizeof *j->groups);
    return j->out->rows && j->groups ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status finish(joining *j, ridge_err *err)
{
    ridge_compare_answer *a = j->out;
    ridge_status st = ridge_compare_summarise(&a->summary, a->rows, a->row_count, j->arena, err);
    if (st || !j->calibrate)
        return st;
    ridge_calibration *calibration = ridge_arena_alloc(j->arena, sizeof *calibration);
    a->calibration = calibration;
    return calibration ? ridge_calibrate(calibration, j->groups, a->row_count, j->arena, err) : ridge_no_memory(err);
}

ridge_status ridge_compare_bench(ridge_compare_answer *out, const ridge_bench *bench, bool calibrate, ridge_arena *arena, ridge_err *err)
{
    joining j = {.out = out, .calibrate = calibrate, .arena = arena};
    ridge_status st = start(&j, bench->timed, err);
    if (st)
        return st;
    out->bench = bench;
    out->machine = bench->machine->fingerprint;
    for (; out->row_count < bench->timed; out->row_count++) {
        const ridge_bench_row *row = &bench->right[out->row_count];
        j.groups[out->row_count] = ridge_calibration_row_of(&row->row, row->theory_s);
        out->rows[out->row_count] = row->joined;
    }
    return finish(&j, err);
}

ridge_status ridge_compare_stored(ridge_compare_answer *out, const ridge_measured_row *rows, size_t count, bool calibrate,
                                  ridge_arena *arena, ridge_err *err)
{
    const ridge_compare_sides unknown = {RIDGE_MEASURE_UNKNOWN, RIDGE_MEASURE_UNKNOWN};
    joining j = {.out = out, .calibrate = calibrate, .arena = arena};
    ridge_status st = start(&j, count, err);
    if (st)
        return st;
    out->machine = count > 0 ? rows[0].machine : NULL;
    for (; out->row_count < count; out->row_count++) {
        j.groups[out->row_count] = ridge_calibration_row_of(&rows[out->row_count], RIDGE_MEASURE_UNKNOWN);
        ridge_compare_row(&out->rows[out->row_count], &rows[out->row_count], unknown);
    }
    return finish(&j, err);
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
    const char *problem = ridge_measured_row_problem(arena, m), *how = ridge_measured_row_how(arena, m);
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
