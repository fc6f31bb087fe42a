/* Answers: read, checked, and put in the place of what was unknown. */
#include "learn/agent/agent.h"

#include <stdio.h>

#include "learn/python/number.h"
#include "learn/torch/rules.h"
#include "learn/torch/torch.h"

#define THINKING  4000                 /* bytes */
#define SIZE_MOST ((ridge_int)1 << 40) /* of a dimension or a count */
#define COST_MOST ((ridge_int)1 << 90) /* of FLOPs and bytes of one call */

/* ---- reading ---- */

typedef struct reader {
    ridge_arena *arena;
    ridge_err *err;
} reader;

static ridge_status known_keys(reader *r, const ridge_json *object, const char *what, const char *const *keys)
{
    if (object->type != RIDGE_JSON_OBJECT)
        return ridge_agent_refused(r->err, "%s is %s, not an object", what, ridge_json_type_name(object->type));
    for (uint32_t i = 0; i < object->count; i++) {
        ridge_str key = object->u.members[i].key;
        size_t k = 0;
        while (keys[k] && !(strlen(keys[k]) == key.n && memcmp(keys[k], key.p, key.n) == 0))
            k++;
        if (!keys[k])
            return ridge_agent_refused(r->err, "%s has no field '%.*s'", what, (int)(key.n < 60 ? key.n : 60), key.p);
    }
    return RIDGE_OK;
}

static ridge_status copy(ridge_str *out, ridge_str text, reader *r)
{
    const char *made = ridge_arena_strdup(r->arena, text);
    *out = (ridge_str){made, text.n};
    return made ? RIDGE_OK : ridge_no_memory(r->err);
}

/* a formula as text, or a whole number */
static ridge_status formula(ridge_str *out, const ridge_json *v, const char *what, reader *r)
{
    ridge_int number;
    if (!v)
        return ridge_agent_refused(r->err, "%s is missing", what);
    if (v->type == RIDGE_JSON_NUMBER && ridge_int_parse(&number, v->u.text))
        return copy(out, v->u.text, r);
    if (v->type == RIDGE_JSON_NUMBER)
        return ridge_agent_refused(r->err, "%s: %.*s is no whole number", what, (int)(v->u.text.n < 60 ? v->u.text.n : 60), v->u.text.p);
    if (v->type != RIDGE_JSON_STRING)
        return ridge_agent_refused(r->err, "%s is %s, not a formula", what, ridge_json_type_name(v->type));
    if (v->u.text.n == 0 || v->u.text.n > RIDGE_AGENT_FORMULA)
        return ridge_agent_refused(r->err, "%s: a formula has 1 to %d characters, this one has %zu", what, RIDGE_AGENT_FORMULA,
                                   v->u.text.n);
    if (memchr(v->u.text.p, '\0', v->u.text.n))
        return ridge_agent_refused(r->err, "%s: a formula with a NUL", what);
    return copy(out, v->u.text, r);
}

static ridge_status words(ridge_str *out, const ridge_json *v, const char *what, reader *r)
{
    if (!v || v->type != RIDGE_JSON_STRING || v->u.text.n == 0)
        return ridge_agent_refused(r->err, "'%s' wants a sentence: why the answer is so", what);
    if (v->u.text.n > THINKING)
        return ridge_agent_refused(r->err, "'%s' has %zu bytes, %d are allowed", what, v->u.text.n, THINKING);
    return copy(out, v->u.text, r);
}

static ridge_status read_dtype(ridge_dtype *out, const ridge_json *v, reader *r)
{
    if (!v || v->type != RIDGE_JSON_STRING)
        return ridge_agent_refused(r->err, "a result wants a 'dtype'");
    for (unsigned i = 0; i <= RIDGE_DTYPE_F8; i++) {
        const char *name = ridge_dtype_name((ridge_dtype)i);
        *out = (ridge_dtype)i;
        if (name && strlen(name) == v->u.text.n && memcmp(name, v->u.text.p, v->u.text.n) == 0)
            return RIDGE_OK;
    }
    return ridge_agent_refused(r->err, "no dtype is called '%.*s'", (int)(v->u.text.n < 60 ? v->u.text.n : 60), v->u.text.p);
}

static ridge_status read_result(ridge_agent_result *out, const ridge_json *v, reader *r)
{
    static const char *const keys[] = {"shape", "dtype", NULL};
    ridge_status st = known_keys(r, v, "a result", keys);
    const ridge_json *shape = st ? NULL : ridge_json_get(v, "shape");
    if (!st && (!shape || shape->type != RIDGE_JSON_ARRAY))
        return ridge_agent_refused(r->err, "a result wants a 'shape': a list of formulas");
    if (!st && shape->count > RIDGE_TENSOR_RANK)
        return ridge_agent_refused(r->err, "a shape of %u sizes, a tensor has at most %d", shape->count, RIDGE_TENSOR_RANK);
    if (st || (st = read_dtype(&out->dtype, ridge_json_get(v, "dtype"), r)))
        return st;
    out->rank = shape->count;
    if (!(out->shape = ridge_arena_array(r->arena, shape->count + 1u, sizeof *out->shape)))
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < shape->count && !st; i++)
        st = formula(&out->shape[i], &shape->u.items[i], "a size", r);
    return st;
}

static ridge_status read_results(ridge_agent_answer *out, const ridge_json *v, reader *r)
{
    if (!v || v->type != RIDGE_JSON_ARRAY || v->count == 0 || v->count > RIDGE_AGENT_RESULTS)
        return ridge_agent_refused(r->err, "'results' wants a list of 1 to %d results", RIDGE_AGENT_RESULTS);
    ridge_status st = RIDGE_OK;
    if (!(out->results = ridge_arena_array(r->arena, v->count, sizeof *out->results)))
        return ridge_no_memory(r->err);
    out->result_count = v->count;
    for (uint32_t i = 0; i < v->count && !st; i++)
        st = read_result(&out->results[i], &v->u.items[i], r);
    return st;
}

static ridge_status read_cost(ridge_agent_answer *out, const ridge_json *flops, const ridge_json *bytes, reader *r)
{
    static const char *const keys[] = {"reads", "writes", NULL};
    if (!flops || !bytes)
        return ridge_agent_refused(r->err, "'%s' is missing: what is not said is not 0", flops ? "bytes" : "flops");
    ridge_status st = known_keys(r, flops, "'flops'", ridge_count_class_names);
    if (!st && flops->count == 0)
        return ridge_agent_refused(r->err, "'flops' is empty: {\"other\": 0} says that there are none");
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES && !st; i++)
        if (ridge_json_get(flops, ridge_count_class_names[i]))
            st = formula(&out->flops[i], ridge_json_get(flops, ridge_count_class_names[i]), ridge_count_class_names[i], r);
    if (st || (st = known_keys(r, bytes, "'bytes'", keys)) || (st = formula(&out->reads, ridge_json_get(bytes, "reads"), "'reads'", r)))
        return st;
    return formula(&out->writes, ridge_json_get(bytes, "writes"), "'writes'", r);
}

ridge_status ridge_agent_read(ridge_agent_answer *out, ridge_str text, ridge_question_wants wants, ridge_arena *arena, ridge_err *err)
{
    static const char *const number[] = {"value", "thinking", NULL}, *const result[] = {"results", "flops", "bytes", "thinking", NULL},
                             *const none[] = {"cannot", NULL};
    reader r = {arena, err};
    ridge_err why = {0};
    ridge_json *json;
    *out = (ridge_agent_answer){.wants = wants};
    if (text.n > RIDGE_AGENT_ANSWER)
        return ridge_agent_refused(err, "an answer of %zu bytes, %zu are allowed", text.n, RIDGE_AGENT_ANSWER);
    ridge_status st = ridge_json_parse(&json, text, "answer", (ridge_json_options){.unique_keys = true}, arena, &why);
    if (st)
        return st == RIDGE_NOMEM
                   ? ridge_no_memory(err)
                   : ridge_agent_refused(err, "the answer is no JSON alone: line %u, column %u: %s", why.line, why.col, why.msg);
    if ((st = copy(&out->text, text, &r)))
        return st;
    if (ridge_json_get(json, "cannot"))
        return (st = known_keys(&r, json, "the answer", none)) ? st : words(&out->cannot, ridge_json_get(json, "cannot"), "cannot", &r);
    st = known_keys(&r, json, "the answer", wants == RIDGE_WANTS_RESULT ? result : number);
    if (!st && wants == RIDGE_WANTS_TRUTH && ridge_json_get(json, "value") &&
        (ridge_json_get(json, "value")->type == RIDGE_JSON_TRUE || ridge_json_get(json, "value")->type == RIDGE_JSON_FALSE))
        out->value = ridge_json_get(json, "value")->type == RIDGE_JSON_TRUE ? RIDGE_STR("1") : RIDGE_STR("0");
    else if (!st && wants != RIDGE_WANTS_RESULT)
        st = formula(&out->value, ridge_json_get(json, "value"), "'value'", &r);
    if (!st && wants == RIDGE_WANTS_RESULT && !(st = read_results(out, ridge_json_get(json, "results"), &r)))
        st = read_cost(out, ridge_json_get(json, "flops"), ridge_json_get(json, "bytes"), &r);
    return st ? st : words(&out->thinking, ridge_json_get(json, "thinking"), "thinking", &r);
}

/* ---- checks ---- */

static ridge_status checked(const ridge_poly **out, ridge_str text, const char *role, const ridge_poly *most, ridge_int limit,
                            const ridge_agent_names *names, ridge_py_interp *in, ridge_err *err)
{
    ridge_status st = ridge_agent_evaluate(out, text, role, names, in, err);
    return st ? st : ridge_agent_sample(*out, most, limit, role, in, err);
}

static ridge_status check_result(const ridge_agent_answer *a, const ridge_agent_names *names, ridge_py_interp *in, ridge_err *err)
{
    const ridge_poly *p;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < a->result_count && !st; i++)
        for (uint32_t d = 0; d < a->results[i].rank && !st; d++)
            st = checked(&p, a->results[i].shape[d], "a size", NULL, SIZE_MOST, names, in, err);
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES && !st; i++)
        if (a->flops[i].n > 0)
            st = checked(&p, a->flops[i], ridge_count_class_names[i], NULL, COST_MOST, names, in, err);
    if (!st)
        st = checked(&p, a->reads, "'reads'", NULL, COST_MOST, names, in, err);
    return st ? st : checked(&p, a->writes, "'writes'", NULL, COST_MOST, names, in, err);
}

ridge_status ridge_agent_check(const ridge_agent_answer *a, const ridge_question *q, ridge_py_interp *in, ridge_err *err)
{
    ridge_agent_names names;
    const ridge_poly *p, *most = q->most.type == RIDGE_PY_T_INT ? ridge_py_poly(q->most, in) : NULL, *one;
    const ridge_calc calc = {.arena = in->arena, .algebra = &in->algebra, .err = err};
    ridge_status st = ridge_agent_names_make(&names, q, in);
    if (st || a->wants == RIDGE_WANTS_RESULT)
        return st ? st : check_result(a, &names, in, err);
    if ((st = ridge_poly_of(&one, ridge_value_int(1), &calc)))
        return st;
    return checked(&p, a->value, "'value'", a->wants == RIDGE_WANTS_TRUTH ? one : most, SIZE_MOST, &names, in, err);
}

/* ---- use ---- */

/* a formula's number in this run, with its symbols */
static ridge_status number_of(ridge_py *out, ridge_str text, const char *role, const ridge_agent_names *names, ridge_py_interp *in,
                              ridge_err *err)
{
    const ridge_poly *p;
    ridge_rational value;
    ridge_status st = ridge_agent_evaluate(&p, text, role, names, in, err);
    if (st)
        return st;
    if (!ridge_py_evaluate(&value, p, in) || value.den != 1 || value.num < 0 || value.num > SIZE_MOST)
        return ridge_agent_refused(err, "%s: '%.*s' is no size here", role, (int)(text.n < 200 ? text.n : 200), text.p);
    *out = ridge_py_int((int64_t)value.num);
    if (p->count > 1 || (p->count == 1 && p->terms[0].count > 0))
        out->by.sym = p;
    return RIDGE_OK;
}

static ridge_status tensor_of(ridge_py *out, const ridge_agent_result *r, const ridge_agent_names *names, ridge_py_interp *in,
                              ridge_err *err)
{
    ridge_py dims[RIDGE_TENSOR_RANK];
    ridge_tensor *t;
    ridge_status st = RIDGE_OK;
    for (uint32_t d = 0; d < r->rank && !st; d++)
        st = number_of(&dims[d], r->shape[d], "a size", names, in, err);
    if (!st && !(st = ridge_tensor_new(&t, r->dtype, dims, r->rank, in)))
        *out = ridge_py_tensor(t);
    return st;
}

/* One operator for each class of FLOPs; bytes are those of the first. */
static ridge_status record(const ridge_agent_answer *a, const char *name, const ridge_py *results, const ridge_agent_names *names,
                           ridge_py_interp *in, ridge_err *err)
{
    const ridge_calc calc = {.arena = in->arena, .algebra = &in->algebra, .err = err};
    ridge_run_operator made = {0};
    bool first = true;
    ridge_status st = ridge_agent_evaluate(&made.reads, a->reads, "'reads'", names, in, err);
    if (!st)
        st = ridge_agent_evaluate(&made.writes, a->writes, "'writes'", names, in, err);
    for (unsigned i = 0; i < RIDGE_COUNT_CLASSES && !st; i++) {
        if (a->flops[i].n == 0)
            continue;
        /* the first has the function's own name: names of operators are keys */
        const char *own = first ? name : ridge_arena_printf(in->arena, "%s (%s)", name, ridge_count_class_names[i]);
        if (!own)
            return ridge_no_memory(err);
        if ((st = ridge_torch_named_operator(&made.operator, own, ridge_count_class_names[i], in)))
            return st;
        if ((st = ridge_agent_evaluate(&made.flops, a->flops[i], ridge_count_class_names[i], names, in, err)) ||
            (st = ridge_run_add(&made, NULL, 0, first ? results : NULL, first ? a->result_count : 0, in)))
            return st;
        first = false;
        st = ridge_poly_of(&made.reads, ridge_value_int(0), &calc);
        made.writes = made.reads;
    }
    return st;
}

static ridge_status result_of(ridge_py *out, const ridge_agent_answer *a, const ridge_hole *hole, const ridge_agent_names *names,
                              ridge_py_interp *in, ridge_err *err)
{
    ridge_py results[RIDGE_AGENT_RESULTS];
    ridge_status st = RIDGE_OK;
    const char *space = strrchr(hole->what, ' ');
    for (uint32_t i = 0; i < a->result_count && !st; i++)
        st = tensor_of(&results[i], &a->results[i], names, in, err);
    if (st || (st = record(a, space ? space + 1 : hole->what, results, names, in, err)))
        return st;
    *out = results[0];
    if (a->result_count == 1)
        return RIDGE_OK;
    st = ridge_py_new_list(out, RIDGE_PY_T_TUPLE, a->result_count, in);
    for (uint32_t i = 0; i < a->result_count && !st; i++)
        st = ridge_py_append(out->u.list, results[i], in);
    return st;
}

ridge_status ridge_agent_apply(ridge_py *out, const ridge_agent_answer *a, const ridge_hole *hole, const ridge_question *q,
                               ridge_py_interp *in, ridge_err *err)
{
    ridge_agent_names names;
    ridge_status st = ridge_agent_names_make(&names, q, in);
    if (st || a->wants == RIDGE_WANTS_RESULT)
        return st ? st : result_of(out, a, hole, &names, in, err);
    if ((st = number_of(out, a->value, "'value'", &names, in, err)) || a->wants == RIDGE_WANTS_NUMBER)
        return st;
    const ridge_poly *sym = out->by.sym;
    *out = ridge_py_bool(out->u.i != 0);
    out->by.sym = sym;
    return RIDGE_OK;
}
