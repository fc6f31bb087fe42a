/* predicting.h - what the tests of predictions and their advice share: an open catalog and machines, a prediction that must succeed, its
 * answers read back. */
#ifndef RIDGE_TESTS_PREDICT_PREDICTING_H
#define RIDGE_TESTS_PREDICT_PREDICTING_H

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "predict/records.h"

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

#endif
