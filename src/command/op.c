/* ridge op KIND: what one operator costs, and how long it takes on a machine, from its shape alone (operator/answer.h). */
#include "cli/cmd_op.h"

#include "operator/request.h"
#include "operator/picture.h"

/* ---- the shape ---- */

/* "gemm needs --n and --k" */
static ridge_status missing_dims(ridge_op_kind kind, uint32_t missing, ridge_err *err)
{
    ridge_buf text = {0};
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if ((missing >> d & 1) != 0) {
            bool last = missing >> d == 1;
            ridge_buf_addf(&text, "%s--%s", text.n == 0 ? "" : last ? " and " : ", ", ridge_op_dim_options[d]);
        }
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "%s needs %s", ridge_op_kinds[kind].name, text.p ? text.p : "");
    ridge_buf_free(&text);
    return st;
}

/* "4096 4096" after gemv: --n 4096 --k 4096 */
static ridge_status no_operands(ridge_op_kind kind, const ridge_op_args *args, ridge_err *err)
{
    ridge_buf text = {0};
    size_t used = 0;
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        if ((ridge_op_kinds[kind].required >> d & 1) != 0 && args->dims[d] == 0)
            ridge_buf_addf(&text, " --%s %s", ridge_op_dim_options[d], used < args->words.count ? args->words.items[used++] : "N");
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "unexpected argument '%s': dimensions are options%s%s", args->words.items[0],
                                 text.n > 0 ? ":" : "", text.n > 0 ? text.p : "");
    ridge_buf_free(&text);
    return st;
}

static ridge_status read_pairs(ridge_op_shape *shape, const ridge_op_args *args, ridge_err *err)
{
    ridge_status st = ridge_op_read_pair(&shape->dims[RIDGE_OP_KERNEL_H], "--kernel", args->kernel, 1, err);
    if (!st)
        st = ridge_op_read_pair(&shape->dims[RIDGE_OP_STRIDE_H], "--stride", args->stride, 1, err);
    if (!st)
        st = ridge_op_read_pair(&shape->dims[RIDGE_OP_PADDING_H], "--padding", args->padding, 0, err);
    return !st ? ridge_op_read_pair(&shape->dims[RIDGE_OP_DILATION_H], "--dilation", args->dilation, 1, err) : st;
}

static ridge_status read_shape(ridge_op_shape *shape, ridge_op_kind kind, const ridge_op_args *args, ridge_err *err)
{
    uint32_t missing = 0;
    *shape = (ridge_op_shape){0};
    if (args->words.count > 0)
        return no_operands(kind, args, err);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT; d++)
        shape->dims[d] = args->dims[d];
    ridge_status st = read_pairs(shape, args, err);
    for (unsigned d = 0; d < RIDGE_OP_DIM_COUNT && !st; d++)
        if (shape->dims[d] == 0)
            missing |= ridge_op_kinds[kind].required & 1u << d;
    memcpy(shape->flags, args->flags, sizeof shape->flags);
    return missing != 0 ? missing_dims(kind, missing, err) : st;
}

static ridge_status read_kind(ridge_op_kind *kind, const ridge_op_args *args, ridge_err *err)
{
    if (args->variants && args->variant < 0)
        return ridge_fail(err, RIDGE_USAGE, "%s needs --op: %s", args->group, args->variant_list);
    *kind = (ridge_op_kind)(args->variants ? args->variants[args->variant] : args->kind);
    return RIDGE_OK;
}

/* ---- what fits together ---- */

static ridge_status check_options(const ridge_op_args *args, ridge_err *err)
{
    static const char *const names[] = {"--tiling", "--launch", "--level"};
    bool given[] = {args->tiling, args->launch, args->level != NULL};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i] && !args->on)
            return ridge_fail(err, RIDGE_USAGE, "%s is about a machine: name one with --on ('ridge machine list' has them)", names[i]);
    if (args->all_formats && (args->weights || args->kv))
        return ridge_fail(err, RIDGE_USAGE,
                          "--all-formats goes through the formats of --%s itself: leave it out (--dtype is the first row)",
                          args->weights ? "weights" : "kv");
    return RIDGE_OK;
}

/* ---- the answer ---- */

static ridge_status write_answer(ridge_io *io, const ridge_op_answer *answer, ridge_output as)
{
    int width = ridge_io_width(io);
    if (as == RIDGE_OUTPUT_CSV || as == RIDGE_OUTPUT_MARKDOWN)
        return ridge_op_table(&io->data, answer, ridge_output_style(as), width);
    if (as == RIDGE_OUTPUT_JSON)
        ridge_op_json(&io->data, answer);
    else
        ridge_op_text(&io->data, answer, width);
    return RIDGE_OK;
}

/* the picture's file first: an error then leaves no answer */
static ridge_status draw_and_write(ridge_io *io, const ridge_op_answer *answer, const ridge_op_args *args, ridge_err *err)
{
    ridge_buf picture = {0};
    ridge_plot plot;
    ridge_status st = RIDGE_OK;
    if (ridge_picture_wanted(&args->pictures) && !(st = ridge_picture_op(&plot, answer, err)))
        st = ridge_picture_draw(&picture, io, &args->pictures, &plot, err);
    if (!st && !(st = write_answer(io, answer, args->output.as)) && picture.n && args->output.as == RIDGE_OUTPUT_TEXT) {
        ridge_buf_addc(&io->data, '\n');
        ridge_buf_add(&io->data, (ridge_str){picture.p, picture.n});
    }
    ridge_buf_free(&picture);
    return st;
}

static ridge_status ask(ridge_io *io, ridge_op_question *q, const ridge_op_args *args, ridge_machines *machines, ridge_ops *ops,
                        ridge_err *err)
{
    ridge_op_answer answer;
    ridge_status st = args->on ? ridge_op_read_machines(q, "--on", args->on, machines, &io->arena, err) : RIDGE_OK;
    if (!st)
        st = ridge_op_ask(&answer, q, ops, &io->arena, err);
    return !st ? draw_and_write(io, &answer, args, err) : st;
}

ridge_status ridge_op_run(ridge_io *io, const void *values, ridge_err *err)
{
    const ridge_op_args *args = values;
    ridge_op_question q = {.dtype = args->dtype, .weights = args->weights, .kv = args->kv, .conditions.level = args->level};
    ridge_machines *machines = NULL;
    ridge_ops ops = {0};
    ridge_status st;
    q.all_formats = args->all_formats;
    q.tiling = args->tiling;
    q.as_rows = args->output.as == RIDGE_OUTPUT_CSV || args->output.as == RIDGE_OUTPUT_MARKDOWN;
    if ((st = read_kind(&q.kind, args, err)) || (st = read_shape(&q.shape, q.kind, args, err)) || (st = check_options(args, err)) ||
        (st = ridge_op_read_launch(&q.conditions, "--launch", args->launch, err)))
        return st;
    if (args->on && (st = ridge_machines_args_open(&machines, &args->machines, err)))
        return st;
    if (!(st = ridge_ops_open(&ops, err))) {
        st = ask(io, &q, args, machines, &ops, err);
        ridge_ops_close(&ops);
    }
    if (machines)
        ridge_machines_close(machines);
    return st;
}
