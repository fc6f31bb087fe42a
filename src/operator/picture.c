/* `ridge op KIND --on M --plot FILE`: the operator on the machine's roofline, one point a number format. */
#include "operator/picture.h"

#include "predict/picture.h"

static ridge_status one_machine(const ridge_machine **out, const ridge_op_answer *a, ridge_err *err)
{
    if (a->question->machine_count == 0)
        return ridge_fail(err, RIDGE_USAGE, "a roofline is a machine's: name one with --on ('ridge machine list' has them)");
    if (a->question->machine_count > 1)
        return ridge_fail(err, RIDGE_USAGE, "a roofline is one machine's: %zu are named with --on", a->question->machine_count);
    *out = a->question->machines[0];
    return RIDGE_OK;
}

static const char *name_of(const ridge_op_answer *a)
{
    ridge_buf text = {0};
    ridge_buf_addz(&text, ridge_op_kinds[a->question->kind].name);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if (a->question->shape.dims[d] != 0) {
            ridge_buf_addf(&text, " %s=", ridge_op_dim_options[d]);
            ridge_buf_add_int(&text, a->question->shape.dims[d]);
        }
    const char *out = ridge_arena_strdup(a->arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    return out ? out : "";
}

ridge_status ridge_picture_op(ridge_plot *out, const ridge_op_answer *a, ridge_err *err)
{
    static const char *const group[] = {"number formats"};
    ridge_plot_point *points = ridge_arena_array(a->arena, a->row_count + 1, sizeof *points);
    ridge_plot_roofline *r = &out->u.roofline;
    const ridge_machine *machine = NULL;
    ridge_status st = one_machine(&machine, a, err);
    if (st)
        return st;
    if (!points)
        return ridge_no_memory(err);
    *out = (ridge_plot){.title = name_of(a), .subtitle = machine->name, .kind = RIDGE_PLOT_ROOFLINE};
    r->points = points;
    r->groups = group;
    r->group_count = 1;
    ridge_precision used = RIDGE_PRECISION_COUNT;
    for (size_t i = 0; i < a->row_count; i++) {
        const ridge_op_row *row = &a->rows[i];
        if (!row->timed)
            continue;
        used = used == RIDGE_PRECISION_COUNT && (row->time.has_matrix || row->time.has_attention) ? row->time.matrix.used : used;
        points[r->point_count++] = (ridge_plot_point){.label = row->format->name,
                                                      .ai = (double)row->record.flops.total / (double)row->record.bytes,
                                                      .flops_per_s = row->time.flops_per_s,
                                                      .weight = 1.0 / (double)a->row_count};
    }
    return ridge_picture_ceilings(r, machine, used == RIDGE_PRECISION_COUNT ? RIDGE_PRECISION_FP32 : used, a->arena, err);
}
