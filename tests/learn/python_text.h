/* python_text.h - a test's own text of Python as module "t", with the stand-ins and torch round it.
 * In: the text. Out: a session, or `shown` of the text compared as str() writes it. */
#ifndef RIDGE_TESTS_LEARN_PYTHON_TEXT_H
#define RIDGE_TESTS_LEARN_PYTHON_TEXT_H

#include "test.h"

#include <stdio.h>

#include "base/json.h"
#include "learn/package/package.h"
#include "learn/torch/run.h"

static const char *text_of_t;
static ridge_py_loader library;

/* module "t" is the text of the test, the rest comes from the stand-ins */
static inline ridge_status find(ridge_py_module **out, const char *name, void *state, ridge_py_interp *in)
{
    if (strcmp(name, "t") != 0)
        return library.find(out, name, state, in);
    *out = ridge_arena_alloc(in->arena, sizeof **out);
    if (!*out)
        return ridge_no_memory(in->err);
    **out = (ridge_py_module){.name = "t", .path = "t.py", .text = ridge_str_of(text_of_t)};
    return RIDGE_OK;
}

typedef struct session {
    ridge_arena arena;
    ridge_err err;
    ridge_package package;
    ridge_py_interp in;
    ridge_py module;
} session;

/* `operators`: JSON of operators that stand in the place of the built-in ones; NULL: none */
static inline ridge_status open_text_with(session *s, const char *text, const char *operators)
{
    ridge_json *json = NULL;
    memset(s, 0, sizeof *s);
    ridge_arena_init(&s->arena);
    text_of_t = text;
    ridge_status status = ridge_package_open(&s->package, NULL, NULL, NULL, &s->arena, &s->err);
    library = ridge_package_loader(&s->package);
    if (status == RIDGE_OK)
        status = ridge_py_init(&s->in, (ridge_py_loader){find, &s->package}, &s->arena, &s->err);
    if (status == RIDGE_OK && operators)
        status = ridge_json_parse(&json, ridge_str_of(operators), "operators", (ridge_json_options){0}, &s->arena, &s->err);
    s->in.operators = json;
    if (status == RIDGE_OK)
        status = ridge_package_install(&s->package, &s->in);
    if (status == RIDGE_OK)
        status = ridge_torch_install(&s->in);
    if (status == RIDGE_OK)
        status = ridge_py_uncaught(ridge_py_import(&s->module, "t", &s->in), &s->in);
    return status;
}

static inline ridge_status open_text(session *s, const char *text)
{
    return open_text_with(s, text, NULL);
}

#define PREAMBLE "import torch, copy\nfrom torch import nn\n"

/* `shown` of the text, as str() has it */
static inline void assert_shown(const char *text, const char *wanted)
{
    session s;
    ridge_py shown = ridge_py_unset();
    ridge_buf whole = {0};
    ridge_buf_addf(&whole, "%s%s", PREAMBLE, text);
    ridge_status status = open_text(&s, whole.p);
    if (status == RIDGE_OK)
        status = ridge_py_getz(&shown, s.module, "shown", &s.in);
    if (status == RIDGE_OK)
        status = ridge_py_to_str(&shown, shown, false, &s.in);
    if (status != RIDGE_OK)
        print_error("%s\n%s:%u: %s\n", text, s.err.file, s.err.line, message_of(&s.err));
    assert_int_equal(status, RIDGE_OK);
    assert_string_equal(shown.u.s->text.p, wanted);
    ridge_buf_free(&whole);
    ridge_arena_free(&s.arena);
}

#endif
