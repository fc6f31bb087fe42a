/* `ridge op KIND --on M --plot FILE`: the operator on the machine's roofline, one point a number format. */
#include "operator/picture.h"

#include "predict/picture.h"

ridge_status ridge_picture_op(ridge_plot *out, const ridge_op_answer *a, ridge_err *err)
{
    static const char *const group[] = {"number formats"};
    ridge_plot_roofline *r = &out->u.roofline;
    ridge_precision used = RIDGE_PRECISION_COUNT;
    if (a->machine_count == 0)
        return ridge_fail(err, RIDGE_USAGE, "a roofline is a machine's: name one with " RIDGE_OPT("on") " ('ridge machine list' has them)");
    if (a->machine_count > 1)
        return ridge_fail(err, RIDGE_USAGE, "a roofline is one machine's: %zu are named with " RIDGE_OPT("on"), a->machine_count);
    ridge_plot_point *points = ridge_arena_array(a->arena, a->row_count + 1, sizeof *points);
    if (!points)
        return ridge_no_memory(err);
    *out = (ridge_plot){.title = a->title, .subtitle = a->machines[0]->name, .kind = RIDGE_PLOT_ROOFLINE};
    r->points = points;
    r->groups = group;
    r->group_count = 1;
    r->alternatives = true;
    for (size_t i = 0; i < a->row_count; i++) {
        const ridge_op_row *row = &a->rows[i];
        if (!row->timed)
            continue;
        const ridge_machine *m = a->machines[0];
        if (row->rate.unit == RIDGE_OP_MATRIX_UNIT &&
            (used == RIDGE_PRECISION_COUNT || m->peak_flops_per_s[row->rate.used] > m->peak_flops_per_s[used]))
            used = row->rate.used; /* the roof of them all: each format's own is below it */
        points[r->point_count++] = (ridge_plot_point){.label = row->format->name,
                                                      .ai = row->arithmetic_intensity,
                                                      .flops_per_s = row->time.flops_per_s,
                                                      .weight = 1.0 / (double)a->row_count};
    }
    return ridge_picture_ceilings(r, a->machines[0], used == RIDGE_PRECISION_COUNT ? RIDGE_PRECISION_FP32 : used, a->arena, err);
}
