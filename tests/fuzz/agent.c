/* agent.c - fuzzes what `ridge learn --agent` is told: a text is read as the answer to each kind of question, its formulas are checked, and it is
 * put in the place of what was unknown. Whatever it says, there is a value that is a whole number of at least 0, or a reason. */
#include "fuzz.h"

#include "learn/agent/agent.h"
#include "learn/package/package.h"

enum { BYTES = 48 << 20, SIZE_LIMIT = 1 << 16 };

/* x of [B, S, 48], and the number 3; a count is at most 48*B*S */
static ridge_status ask(ridge_question *q, ridge_question_subject *subjects, ridge_py_interp *in)
{
    ridge_py dims[3] = {ridge_py_unset(), ridge_py_unset(), ridge_py_int(48)};
    ridge_tensor *x;
    ridge_status st = ridge_py_named_int(&dims[0], 2, "B", 1, in);
    if (!st)
        st = ridge_py_named_int(&dims[1], 7, "S", 1, in);
    if (!st)
        st = ridge_tensor_new(&x, RIDGE_DTYPE_F32, dims, 3, in);
    if (!st) {
        subjects[0] = (ridge_question_subject){"x", ridge_py_tensor(x)};
        subjects[1] = (ridge_question_subject){"n", ridge_py_int(3)};
        q->subjects = subjects;
        q->subject_count = 2;
        st = ridge_tensor_elements(&q->most, x, in);
    }
    return st;
}

static void check_value(ridge_py v, const ridge_agent_answer *a)
{
    if (a->wants == RIDGE_WANTS_TRUTH)
        FUZZ_CHECK(v.type == RIDGE_PY_T_BOOL);
    else if (a->wants == RIDGE_WANTS_NUMBER)
        FUZZ_CHECK(v.type == RIDGE_PY_T_INT && v.u.i >= 0 && v.u.i <= 48 * 2 * 7);
    else
        FUZZ_CHECK(v.type == RIDGE_PY_T_TENSOR || (v.type == RIDGE_PY_T_TUPLE && v.u.list->count == a->result_count));
}

static void answer(ridge_str text, ridge_question_wants wants)
{
    ridge_arena arena;
    ridge_err err = {0};
    ridge_py_interp in;
    ridge_question_subject subjects[2];
    ridge_question question = {.wants = wants};
    ridge_agent_answer a;
    ridge_py value = ridge_py_unset();
    ridge_arena_init(&arena);
    ridge_package package = {.arena = &arena};
    FUZZ_CHECK(ridge_py_init(&in, ridge_package_loader(&package), &arena, &err) == RIDGE_OK);
    FUZZ_CHECK(ridge_torch_install(&in) == RIDGE_OK && ask(&question, subjects, &in) == RIDGE_OK);
    in.limits.bytes = BYTES;
    ridge_status st = ridge_agent_read(&a, text, wants, &arena, &err);
    if (!st && a.cannot.n == 0)
        st = ridge_agent_check(&a, &question, &in, &err);
    if (!st && a.cannot.n == 0) {
        const ridge_hole hole = {.kind = "unknown function", .what = "unknown function f", .question = &question};
        st = ridge_agent_apply(&value, &a, &hole, &question, &in, &err);
        if (!st)
            check_value(value, &a);
    }
    fuzz_check_err(st, &err);
    ridge_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const ridge_str text = {(const char *)data, size};
    if (size > SIZE_LIMIT)
        return 0;
    answer(text, RIDGE_WANTS_TRUTH);
    answer(text, RIDGE_WANTS_NUMBER);
    answer(text, RIDGE_WANTS_RESULT);
    return 0;
}
