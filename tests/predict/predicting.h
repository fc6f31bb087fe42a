/* predicting.h - what the tests of predictions and their advice share: an open catalog and machines, a prediction that must succeed, its
 * answers read back. */
#ifndef RIDGE_TESTS_PREDICT_PREDICTING_H
#define RIDGE_TESTS_PREDICT_PREDICTING_H

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/answer.h"

#define LLAMA "meta-llama/Llama-2-7b-hf"

static ridge_registry *registry;
static ridge_machines *machines;
static ridge_arena arena;

static inline int open_all(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return ridge_registry_open(&registry, NULL, 0, false, NULL) || ridge_machines_open(&machines, NULL, 0, NULL);
}

static inline int close_all(void **state)
{
    (void)state;
    ridge_machines_close(machines);
    ridge_registry_close(registry);
    ridge_arena_free(&arena);
    return 0;
}

static inline ridge_predict_request request_of(const char *model, const char *machine, ridge_phase phase)
{
    ridge_predict_request r;
    ridge_predict_default(&r);
    r.model.model = model;
    r.model.phase = phase;
    r.machine = machine;
    return r;
}

static inline ridge_prediction *predict(ridge_predict_request *r)
{
    ridge_prediction *p = NULL;
    ridge_err err = {0};
    ridge_status st = ridge_predict_request_check(r, &err);
    if (!st)
        st = ridge_prediction_make(&p, registry, machines, r, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    return p;
}

#define assert_close(value, wanted, relative)                                                                                              \
    do {                                                                                                                                   \
        double value_ = (value), wanted_ = (wanted);                                                                                       \
        if (!(fabs(value_ - wanted_) <= (relative)*fabs(wanted_)))                                                                         \
            fail_msg("%s is %.12g, want %.12g", #value, value_, wanted_);                                                                  \
    } while (0)

/* ---- answers ---- */

static inline const ridge_json *member(const ridge_json *object, const char *key)
{
    const ridge_json *v = ridge_json_get(object, key);
    if (!v)
        fail_msg("no member '%s'", key);
    return v;
}

static inline double number_of(const ridge_json *object, const char *key)
{
    const ridge_json *v = member(object, key);
    char text[64];
    assert_int_equal(v->type, RIDGE_JSON_NUMBER);
    assert_true(v->u.text.n < sizeof text);
    memcpy(text, v->u.text.p, v->u.text.n);
    text[v->u.text.n] = '\0';
    return strtod(text, NULL);
}

/* field `column` of line `line` of a CSV; no field before it is quoted */
static inline const char *field(const ridge_buf *csv, size_t line, size_t column)
{
    static char text[256];
    const char *p = csv->p;
    while (line-- > 0)
        p = strchr(p, '\n') + 1;
    while (column-- > 0)
        p = strchr(p, ',') + 1;
    (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(p, ",\n"), p);
    return text;
}

/* the answer as the command line makes it: to be freed */
static inline void answer(ridge_predict_answer *out, ridge_predict_request *r, ridge_advice_request asked, ridge_form form)
{
    const ridge_predict_view view = {.depth = RIDGE_UNSET};
    ridge_err err = {0};
    ridge_status st = ridge_predict_request_check(r, &err);
    if (!st)
        st = ridge_advice_request_check(&asked, form, &err);
    if (!st)
        st = ridge_predict_answer_make(out, registry, machines, r, &asked, &view, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
}

static inline const ridge_json *json_of(const ridge_predict_answer *a, ridge_buf *out)
{
    ridge_json *root = NULL;
    ridge_err err = {0};
    ridge_record_answer(out, &ridge_predict_record, a);
    assert_int_equal(ridge_json_parse(&root, (ridge_str){out->p, out->n}, "answer", (ridge_json_options){0}, &arena, &err), RIDGE_OK);
    return root;
}

static inline ridge_buf table_of(const ridge_predict_answer *a, ridge_form form)
{
    const ridge_record_style style = {.form = form};
    ridge_buf out = {0};
    ridge_err err = {0};
    assert_int_equal(ridge_predict_answer_print(&out, a, &style, &err), RIDGE_OK);
    return out;
}

#endif
