/* ridge predict: how fast a model could be on a machine, what bounds it, whether it fits. */
#include "advice/answer.h"
#include "command/model.h"
#include "command/picture.h"
#include "predict/picture.h"

typedef struct request {
    ridge_predict_request predict;
    ridge_advice_request advice;
    ridge_predict_view view;
    ridge_learn_options learn;
    ridge_catalog_options catalog;
    ridge_machines_options machines;
    ridge_picture_options pictures;
} request;

static const ridge_option options[] = {
    RIDGE_FLAG(request, predict.all, "all", 'a', "one row per module, layers unfolded"),
    RIDGE_OPTION_END,
};

static ridge_status write_page(const ridge_picture_options *pictures, const ridge_predict_answer *answer, ridge_err *err)
{
    ridge_buf page = {0};
    ridge_status st = ridge_predict_answer_page(&page, answer, err);
    if (!st)
        st = ridge_picture_write_page(pictures, &page, err);
    ridge_buf_free(&page);
    return st;
}

/* the files first: an error then leaves no answer */
static ridge_status draw(ridge_buf *picture, ridge_call *call, const request *r, const ridge_predict_answer *answer, ridge_err *err)
{
    ridge_plot plot;
    ridge_status st = r->pictures.html ? write_page(&r->pictures, answer, err) : RIDGE_OK;
    if (st || !ridge_picture_wanted(call, &r->pictures))
        return st;
    st = ridge_picture_roofline(&plot, answer->prediction, err);
    if (!st)
        st = ridge_picture_draw(picture, call, &r->pictures, &plot, err);
    return ridge_picture_end(st, call, &r->pictures, err);
}

static ridge_status print(ridge_call *call, const ridge_predict_answer *answer, const ridge_buf *picture, ridge_err *err)
{
    const ridge_record_style style = {.form = call->form, .width = call->width, .exact = call->exact};
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_predict_record, answer);
    ridge_status st = ridge_predict_answer_print(&call->data, answer, &style, err);
    if (!st && picture->n > 0 && call->form == RIDGE_FORM_TEXT) {
        ridge_buf_addc(&call->data, '\n');
        ridge_buf_add(&call->data, (ridge_str){picture->p, picture->n});
    }
    return st;
}

static ridge_status answer(ridge_call *call, const request *r, ridge_registry *registry, ridge_machines *machines, ridge_err *err)
{
    ridge_predict_answer answer;
    ridge_buf picture = {0};
    ridge_status st = ridge_predict_answer_make(&answer, registry, machines, &r->predict, &r->advice, &r->view, err);
    if (!st && !(st = draw(&picture, call, r, &answer, err))) {
        ridge_call_warn_model(call, answer.prediction->model);
        st = print(call, &answer, &picture, err);
        call->data.failed |= answer.prediction->timed->arena.failed || answer.prediction->model->arena.failed;
    }
    call->data.failed |= picture.failed;
    ridge_buf_free(&picture);
    ridge_predict_answer_free(&answer);
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    request r = *(const request *)values;
    ridge_registry *registry;
    ridge_machines *machines;
    ridge_status st;
    if ((st = ridge_predict_request_check(&r.predict, err)) || (st = ridge_advice_request_check(&r.advice, call->form, err)) ||
        (st = ridge_call_registry(&registry, call, &r.catalog, err)) || (st = ridge_call_machines(&machines, call, &r.machines, err)) ||
        (st = ridge_call_learn(call, registry, &r.learn, &r.predict.model, err)))
        return st;
    return answer(call, &r, registry, machines, err);
}

#define AT(member) offsetof(request, member)

const ridge_command ridge_cmd_predict = {
    .name = "predict",
    .group = "Models",
    .summary = "how fast a model could be on a machine, what bounds it, whether it fits",
    .example = "ridge predict meta-llama/Llama-2-7b-hf --on h100-sxm-80 --prompt 1024 --generate 256",
    .details =
        "Every kernel takes max(FLOPs / peak, bytes / bandwidth) and its launch; a pass is their sum. Defaults differ from 'ridge cost': "
        "fused kernels, exactly causal attention, the head on the positions that are needed.",
    .operands = RIDGE_OPERAND_MODEL(request, predict.model, "MODEL", 1, RIDGE_MODEL_OPERAND),
    .tables = {{RIDGE_TABLE(ridge_options_predict, AT(predict), "Prediction")},
               {RIDGE_TABLE(options, 0, "Prediction")},
               {RIDGE_TABLE(ridge_options_predict_view, AT(view), "Prediction")},
               {RIDGE_TABLE(ridge_options_advice, AT(advice), "Prediction")},
               {RIDGE_TABLE(ridge_options_workload, AT(predict.model), "Workload")},
               {RIDGE_TABLE(ridge_options_class, AT(predict.model), "Workload")},
               {RIDGE_TABLE(ridge_options_learn, AT(learn), "Source")},
               {RIDGE_TABLE(ridge_options_devices, AT(predict.parallel), "Several devices, memory")},
               {RIDGE_TABLE(ridge_options_reserve, AT(predict), "Several devices, memory")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(ridge_options_picture, AT(pictures), "Pictures")},
               {RIDGE_TABLE(ridge_options_machines, AT(machines), "Machines")},
               {RIDGE_TABLE(ridge_options_catalog, AT(catalog), "Catalog")}},
    .request_size = sizeof(request),
    .defaults = ridge_predict_defaults,
    .run = run,
    .records = {&ridge_predict_record},
};
