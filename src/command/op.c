/* ridge op KIND: what one operator costs, and how long it takes on a machine, from its shape alone (operator/answer.h). */
#include "command/command.h"
#include "command/picture.h"
#include "operator/picture.h"

typedef struct op_request {
    ridge_op_request op;
    ridge_op_kind kind; /* of a group of kinds; 0: not given */
    ridge_words words;  /* none are taken: kept to tell how they are written */
    ridge_machines_options machines;
    ridge_picture_options pictures;
} op_request;

/* ---- groups of kinds ---- */

static const char *const norms[] = {"layernorm", "rmsnorm", NULL};
static const char *const elementwise[] = {"silu", "gelu", "relu", "tanh", "sigmoid", "add", "mul", NULL};

/* option->words are the kinds from option->min on */
static ridge_status read_kind(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_option choice = *option;
    int index = 0;
    choice.kind = RIDGE_OPTION_CHOICE;
    choice.offset = 0;
    ridge_status st = ridge_option_store(&index, &choice, text, arena, err);
    if (!st)
        *(ridge_op_kind *)at = (ridge_op_kind)(option->min + index);
    return st;
}

static const ridge_option norm_options[] = {
    RIDGE_OTHER(op_request, kind, ridge_op_kind, "op", 0, "WORD", read_kind, "which normalisation", .words = norms,
                .min = RIDGE_OP_LAYERNORM, .fallback = "layernorm"),
    RIDGE_OPTION_END,
};
static const ridge_option elementwise_options[] = {
    RIDGE_OTHER(op_request, kind, ridge_op_kind, "op", 0, "WORD", read_kind, "which function", .words = elementwise, .min = RIDGE_OP_SILU),
    RIDGE_OPTION_END,
};

/* ---- the answer ---- */

/* "4096 4096" after gemv: --n 4096 --k 4096 */
static ridge_status no_operands(ridge_ops *ops, ridge_op_kind kind, const op_request *r, ridge_err *err)
{
    const char *names[RIDGE_OP_DIM_COUNT];
    size_t n;
    ridge_status st = ridge_op_missing(names, &n, ops, kind, &r->op.shape, err);
    if (st || r->words.count == 0)
        return st;
    st = ridge_fail(err, RIDGE_USAGE, "unexpected argument '%s': dimensions are options%s", r->words.items[0], n > 0 ? ":" : "");
    for (size_t i = 0; i < n; i++)
        ridge_err_append(err, " " RIDGE_OPT("%s") " %s", names[i], i < r->words.count ? r->words.items[i] : "N");
    return st;
}

static ridge_status print(ridge_call *call, const ridge_op_answer *answer, ridge_err *err)
{
    if (call->form == RIDGE_FORM_TEXT)
        return ridge_op_answer_text(&call->data, answer, call->width, err);
    if (call->form != RIDGE_FORM_JSON)
        return ridge_op_table(&call->data, answer, call->form, call->width, err);
    return ridge_call_answer(call, answer->many ? &ridge_op_many_record : &ridge_op_one_record, answer);
}

/* the picture's file first: an error then leaves no answer */
static ridge_status draw_and_print(ridge_call *call, const op_request *r, const ridge_op_answer *answer, ridge_err *err)
{
    ridge_buf picture = {0};
    ridge_plot plot;
    ridge_status st = RIDGE_OK;
    if (ridge_picture_wanted(call, &r->pictures) && !(st = ridge_picture_op(&plot, answer, err)))
        st = ridge_picture_draw(&picture, call, &r->pictures, &plot, err);
    st = ridge_picture_end(st, call, &r->pictures, err);
    if (!st && !(st = print(call, answer, err)) && picture.n && call->form == RIDGE_FORM_TEXT) {
        ridge_buf_addc(&call->data, '\n');
        ridge_buf_add(&call->data, (ridge_str){picture.p, picture.n});
    }
    ridge_buf_free(&picture);
    return st;
}

static ridge_status ask(ridge_call *call, ridge_ops *ops, ridge_op_kind kind, const op_request *r, ridge_err *err)
{
    ridge_op_answer answer;
    ridge_machines *machines = NULL;
    ridge_status st = no_operands(ops, kind, r, err);
    if (!st && r->op.tiling && (call->form == RIDGE_FORM_CSV || call->form == RIDGE_FORM_MARKDOWN))
        st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("tiling") " prints text or JSON, no table");
    if (!st && r->op.machines.count > 0)
        st = ridge_call_machines(&machines, call, &r->machines, err);
    if (st || (st = ridge_op_answer_make(&answer, ops, machines, kind, &r->op, &call->arena, err)))
        return st;
    ridge_call_warn_all(call, &answer.warnings);
    st = draw_and_print(call, r, &answer, err);
    return st;
}

static ridge_status run(ridge_call *call, ridge_op_kind kind, const op_request *r, ridge_err *err)
{
    ridge_ops ops = {0};
    ridge_status st = ridge_ops_open(&ops, err);
    if (!st)
        st = ask(call, &ops, kind, r, err);
    ridge_ops_close(&ops);
    return st;
}

static ridge_status run_group(ridge_call *call, const void *values, ridge_err *err)
{
    const op_request *r = values;
    if (r->kind == 0)
        return ridge_fail(err, RIDGE_USAGE, "elementwise needs " RIDGE_OPT("op") ": %s", ridge_option_words(elementwise, &call->arena));
    return run(call, r->kind, r, err);
}

/* ---- the commands ---- */

#define PLAIN                                                                                                                              \
    "Bytes: each operand is read or written once, in its format; block formats store whole blocks per row, a weight has its rows along "   \
    "the reduction."
#define COUNTERS                                                                                                                           \
    "The convention of the layer counters (docs/layer-counters.md). Bytes: each part is one kernel that reads and writes its operands "    \
    "once."

/* clang-format off */
#define OF_OP(options_, title_) {.options = options_, .offset = offsetof(op_request, op), .title = title_}
/* the tables of its own, then those that every kind has */
#define COMMAND_OF(code, name_, summary_, example_, details_, run_, ...)                                                                   \
    static const ridge_command op_##code = {                                                                                               \
        .name = name_,                                                                                                                     \
        .summary = summary_,                                                                                                               \
        .example = "ridge op " name_ " " example_,                                                                                         \
        .details = details_,                                                                                                               \
        .operands = RIDGE_NO_OPERANDS(op_request, words),                                                                                  \
        .tables = {__VA_ARGS__,                                                                                                            \
                   OF_OP(ridge_options_op_formats, "Formats"),                                                                             \
                   OF_OP(ridge_options_op_machine, "Machine"),                                                                             \
                   {.options = ridge_options_machines, .offset = offsetof(op_request, machines), .title = "Machine files"},                \
                   {.options = ridge_options_picture, .offset = offsetof(op_request, pictures), .title = "Pictures",                       \
                    .only = ridge_picture_without_page},                                                                                   \
                   {.options = ridge_options_output, .of_call = true}},                                                                    \
        .request_size = sizeof(op_request),                                                                                                \
        .run = run_,                                                                                                                       \
        .records = {&ridge_op_one_record, &ridge_op_many_record},                                                                                                                \
    };
#define OP(code, name, key, options, has_weights, summary, example, details)                                                               \
    static ridge_status run_##code(ridge_call *call, const void *request, ridge_err *err)                                                  \
    {                                                                                                                                      \
        return run(call, RIDGE_OP_##code, request, err);                                                                                   \
    }                                                                                                                                      \
    COMMAND_OF(code, name, summary, example, details, run_##code, OF_OP(options, NULL))
#define GROUP(code, name, group_options, summary, example, details)                                                                        \
    COMMAND_OF(code, name, summary, example, details, run_group, {.options = group_options}, OF_OP(ridge_options_op_rows, NULL))
#include "operator/kinds.def"
/* clang-format on */

static const ridge_command *const kinds[] = {
#define OP(code, ...)    &op_##code,
#define GROUP(code, ...) &op_##code,
#include "operator/kinds.def"
    NULL};

const ridge_command ridge_cmd_op = {
    .name = "op",
    .group = "Formulas",
    .summary = "what one operator costs and how long it takes, from its shape alone",
    .example = "ridge op gemm --m 4096 --n 4096 --k 4096 --on h100-sxm-80",
    .details = "gemm, gemv, attention, conv and the elementwise kinds count as 'ridge cost' does; ffn, embedding, layer and model are the "
               "layer counters of the C API, with their own conventions (docs/layer-counters.md). Times are those of the roofline "
               "(docs/operators.md).",
    .commands = kinds,
};
