#include "advice/answer.h"

#include "report/text.h"

enum { USUAL_IN_TEXT = 5 };

/* ---- what is asked ---- */

static ridge_status read_count(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    int64_t *out = at, count;
    bool overflow;
    (void)arena;
    if (strcmp(text, "usual") == 0)
        *out = RIDGE_ADVICE_USUAL;
    else if (strcmp(text, "all") == 0)
        *out = RIDGE_ADVICE_ALL;
    else if (strcmp(text, "none") == 0)
        *out = 0;
    else if (!ridge_count_parse(&count, &overflow, ridge_str_of(text)) || overflow || count < 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s': want a number, all or none", option->name, text);
    else
        *out = count;
    return RIDGE_OK;
}

#define OF ridge_advice_request
const ridge_option ridge_options_advice[] = {
    RIDGE_LIST(OF, against, "against", 0, "CHANGES", "what if: weights=q4_K,kv=fp8, batch=8, a100-sxm-80 (repeatable)",
               .reach = RIDGE_REACH_MACHINE),
    RIDGE_OTHER(OF, advice, int64_t, "advice", 0, "N", read_count,
                "what would make it faster: N items, all, none, or usual: 5 in text, all in JSON", .fallback = "usual"),
    RIDGE_FLAG(OF, recommend, "recommend", 0, "formats per kind of operator for decode, prefill and long context"),
    RIDGE_OPTION_END,
};

ridge_status ridge_advice_request_check(ridge_advice_request *r, ridge_form form, ridge_err *err)
{
    const bool usual = r->advice == RIDGE_ADVICE_USUAL, compares = r->against.count > 0;
    if (form == RIDGE_FORM_CSV && compares + r->recommend + (!usual && r->advice > 0) > 1)
        return ridge_fail(
            err, RIDGE_USAGE,
            RIDGE_OPT("csv") " holds one table: want one of " RIDGE_OPT("against") ", " RIDGE_OPT("recommend") " and " RIDGE_OPT("advice"));
    if (usual)
        r->advice = form == RIDGE_FORM_JSON ? RIDGE_ADVICE_ALL : form == RIDGE_FORM_TEXT ? USUAL_IN_TEXT : 0;
    if (form == RIDGE_FORM_TEXT && (compares || r->recommend)) /* their tables say enough */
        r->advice = 0;
    return RIDGE_OK;
}

/* ---- the answer ---- */

static ridge_status make_asked(ridge_predict_answer *out, const ridge_predict_view *view, ridge_err *err)
{
    const ridge_prediction *p = out->prediction;
    const ridge_advice_request *asked = &out->asked;
    ridge_status st = RIDGE_OK;
    if (asked->advice > 0)
        st = ridge_advice_make(&out->advice, p, asked->advice, err);
    if (!st && asked->recommend) {
        out->precision = ridge_arena_alloc(&p->timed->arena, sizeof *out->precision);
        st = out->precision ? ridge_precision_advice_make(out->precision, p, err) : ridge_no_memory(err);
    }
    if (!st && asked->against.count > 0)
        st = ridge_against_make(&out->against, p, &asked->against, view, err);
    return st;
}

ridge_status ridge_predict_answer_make(ridge_predict_answer *out, ridge_registry *registry, ridge_machines *machines,
                                       const ridge_predict_request *request, const ridge_advice_request *asked,
                                       const ridge_predict_view *view, ridge_err *err)
{
    *out = (ridge_predict_answer){.asked = *asked};
    ridge_status st = ridge_prediction_make(&out->prediction, registry, machines, request, err);
    ridge_prediction *p = out->prediction;
    if (st || (st = ridge_prediction_fit(p, registry, err)) ||
        (st = ridge_predict_rows_shown(&out->rows, &out->row_count, p, view, &p->timed->arena, err)))
        return st;
    ridge_prediction_tell(&out->told, p);
    out->told.rows = out->rows;
    out->told.row_count = out->row_count;
    return make_asked(out, view, err);
}

void ridge_predict_answer_free(ridge_predict_answer *answer)
{
    ridge_against_free(&answer->against);
    ridge_prediction_free(answer->prediction);
    *answer = (ridge_predict_answer){0};
}

/* ---- how it is written ---- */

#define ANSWER ridge_predict_answer
static const ridge_record_field fields[] = {
    RIDGE_R_MEMBERS(ANSWER, told, &ridge_prediction_record),
    RIDGE_R_LIST(ANSWER, advice.items, advice.shown, &ridge_advice_item_record, "advice", RIDGE_IN_JSON,
                 "what would make it faster, the largest gain first"),
    RIDGE_R_AT(ANSWER, precision, &ridge_precision_record, "precision", RIDGE_IN_JSON, "formats per kind of operator, by situation",
               RIDGE_WHERE(ridge_predict_answer, precision)),
    RIDGE_R_LIST(ANSWER, against.variants, against.count, &ridge_variant_record, "against", RIDGE_IN_JSON,
                 "the same with some options changed", .open = true, RIDGE_WHERE(ridge_predict_answer, against.count)),
    RIDGE_R_TEXTS(ANSWER, told.notes, "notes", NULL, RIDGE_IN_JSON, "what a reader must know of the numbers"),
    RIDGE_R_TEXTS(ANSWER, told.warnings, "warnings", NULL, RIDGE_IN_JSON, "what a reader should know of the model"),
};
const ridge_record ridge_predict_record =
    RIDGE_RECORD(ANSWER, "ridge predict", fields, "how fast a model could be on a machine, what bounds it, whether it fits");

/* an empty line between two parts */
static void part(ridge_buf *out, size_t start)
{
    if (out->n > start)
        ridge_buf_addc(out, '\n');
}

/* Differences, formats and, as a table, advice take the place of the rows. */
ridge_status ridge_predict_answer_print(ridge_buf *out, const ridge_predict_answer *a, const ridge_record_style *style, ridge_err *err)
{
    const bool text = style->form == RIDGE_FORM_TEXT, compares = a->against.count > 0, advised = a->asked.advice > 0;
    ridge_status st = RIDGE_OK;
    const size_t head = out->n;
    if (text)
        ridge_prediction_summary(out, &a->told);
    ridge_text_fold(out, head, (size_t)style->width);
    const size_t start = out->n;
    if (!compares && !a->precision && (text || !advised))
        st = ridge_record_print(out, &ridge_predicted_row_record, style, a->rows, a->row_count, err);
    if (!st && compares)
        st = ridge_against_print(out, &a->against, style, err);
    if (!st && a->precision) {
        part(out, start);
        st = ridge_precision_print(out, a->precision, style, err);
    }
    if (!st && advised) {
        part(out, start);
        st = ridge_advice_print(out, &a->advice, style, err);
    }
    return st;
}
