/* Formulas of answers: the names that they may use, and what they are worth in this run. */
#include "learn/agent/agent.h"

#include <stdarg.h>
#include <stdio.h>

#include "formula/expr.h"
#include "formula/poly_terms.h"
#include "learn/python/number.h"
#include "learn/torch/flops.h"

#define STEPS 100000
#define NAMES 200 /* of one question: sizes of its arguments */

static ridge_calc calc_of(ridge_py_interp *in, ridge_err *err)
{
    return (ridge_calc){.arena = in->arena, .algebra = &in->algebra, .err = err};
}

ridge_status ridge_agent_refused(ridge_err *err, const char *fmt, ...)
{
    char text[800];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ridge_err_clear(err);
    return ridge_fail(err, RIDGE_VALUE, "%s", text);
}

/* ---- names ---- */

static ridge_status add(ridge_agent_names *n, const char *name, ridge_py value, const char *meaning, ridge_int least, bool own,
                        ridge_py_interp *in)
{
    if (!name || !meaning || !ridge_arena_more(in->arena, &n->items, n->count, &n->cap, sizeof *n->items))
        return ridge_no_memory(in->err);
    n->items[n->count++] = (ridge_agent_name){name, value, meaning, least, own};
    return RIDGE_OK;
}

static ridge_status add_subject(ridge_agent_names *n, const char *name, ridge_py v, unsigned depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (n->count > NAMES)
        return RIDGE_OK;
    if (v.type == RIDGE_PY_T_INT || v.type == RIDGE_PY_T_BOOL)
        return add(n, name, v, "an argument of the call", 0, true, in);
    if (v.type == RIDGE_PY_T_TENSOR)
        for (uint32_t d = 0; d < v.u.tensor->rank && !st; d++)
            if (v.u.tensor->dims[d].type == RIDGE_PY_T_INT)
                st = add(n, ridge_arena_printf(in->arena, "%s_%u", name, d), v.u.tensor->dims[d],
                         ridge_arena_printf(in->arena, "size %u of %s", d, name), 0, true, in);
    if ((v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE) && depth < 2)
        for (size_t i = 0; i < v.u.list->count && i < 16 && !st; i++) {
            const char *item = ridge_arena_printf(in->arena, "%s_%zu", name, i);
            st = item ? add_subject(n, item, v.u.list->items[i], depth + 1, in) : ridge_no_memory(in->err);
        }
    return st;
}

static const char *meaning_of(const char *name)
{
    static const char *const known[][2] = {
        {"B", "sequences at once"},
        {"S", "new tokens of each sequence"},
        {"past", "tokens that are cached already"},
        {"enc", "length of the encoder's"},
        {"decoder_S", "tokens of the decoder"},
        {"frames", "spectrogram frames"},
        {"samples", "audio samples"},
        {"image_height", "pixels"},
        {"image_width", "pixels"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i][0], name) == 0)
            return known[i][1];
    return strncmp(name, "config.", 7) == 0 ? "a field of the config" : "a number of the workload";
}

/* letters, digits, _ and single dots between them */
static bool is_path(const char *name)
{
    for (const char *p = name; *p; p++) {
        bool letter = *p == '_' || (ridge_lower(*p) >= 'a' && ridge_lower(*p) <= 'z');
        bool starts = p == name || p[-1] == '.';
        if (!letter && !(ridge_is_digit(*p) && !starts) && !(*p == '.' && !starts && p[1]))
            return false;
    }
    return *name != '\0';
}

static ridge_status add_field(ridge_object *object, const char *path, ridge_value value, ridge_py_interp *in)
{
    for (;;) {
        size_t n = strcspn(path, ".");
        const ridge_symbol *name = ridge_intern(&in->names, (ridge_str){path, n});
        if (!name)
            return ridge_no_memory(in->err);
        ridge_field *f = (ridge_field *)(uintptr_t)ridge_object_find(object, name);
        if (!f && !(f = ridge_object_add(object, name, in->arena)))
            return ridge_no_memory(in->err);
        if (!path[n]) {
            f->value = value;
            return RIDGE_OK;
        }
        if (f->value.type != RIDGE_V_OBJECT) {
            ridge_object *inner = ridge_arena_alloc(in->arena, sizeof *inner);
            if (!inner)
                return ridge_no_memory(in->err);
            *inner = (ridge_object){.what = "config", .file = ""};
            f->value = (ridge_value){.type = RIDGE_V_OBJECT, .u.object = inner};
        }
        object = (ridge_object *)(uintptr_t)f->value.u.object;
        path += n + 1;
    }
}

/* what every name of the run is: those that the algebra knows */
static ridge_status add_run_names(ridge_agent_names *n, ridge_py_interp *in)
{
    const ridge_calc calc = calc_of(in, in->err);
    const uint32_t atoms = in->algebra.atom_count;
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < atoms && !st; i++) {
        const ridge_atom *a = in->algebra.atoms[i];
        ridge_value sym;
        ridge_rational value;
        if (a->kind != RIDGE_ATOM_NAME || a->p || a->any_rational || !is_path(a->name))
            continue;
        if ((st = ridge_sym_name(&sym, a->name, a->least, &calc)) || !ridge_py_evaluate(&value, sym.u.sym, in) || value.den != 1)
            continue;
        ridge_py v = ridge_py_int((int64_t)value.num);
        v.by.sym = sym.u.sym;
        if (strchr(a->name, '.') && strncmp(a->name, "config.", 7) != 0)
            continue;
        if (strncmp(a->name, "config.", 7) == 0)
            st = add_field(n->config, a->name + 7, sym, in);
        if (!st)
            st = add(n, a->name, v, meaning_of(a->name), a->least, false, in);
    }
    return st;
}

ridge_status ridge_agent_names_make(ridge_agent_names *out, const ridge_question *q, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = (ridge_agent_names){.config = ridge_arena_alloc(in->arena, sizeof(ridge_object))};
    if (!out->config)
        return ridge_no_memory(in->err);
    *out->config = (ridge_object){.what = "config", .file = ""};
    for (size_t i = 0; i < q->subject_count && !st; i++)
        st = add_subject(out, q->subjects[i].name, q->subjects[i].value, 0, in);
    return st ? st : add_run_names(out, in);
}

/* ---- formulas ---- */

/* the beginning, for messages */
static ridge_str shown(ridge_str formula)
{
    enum { SHOWN = 60 };
    return (ridge_str){formula.p, formula.n < SHOWN ? formula.n : SHOWN};
}

static ridge_status refuse(ridge_err *err, const char *role, ridge_str formula, const ridge_err *why)
{
    return ridge_agent_refused(err, "%s: '%.*s': %s", role, RIDGE_STR_ARG(shown(formula)), why->msg);
}

static ridge_status run_formula(ridge_value *out, ridge_str formula, const ridge_agent_names *names, ridge_py_interp *in, ridge_err *err)
{
    ridge_scope scope = {.arena = in->arena, .symbols = &in->names};
    ridge_value *slots = ridge_arena_array(in->arena, RIDGE_SCOPE_LIMIT, sizeof *slots);
    ridge_value globals[RIDGE_GLOBAL_COUNT] = {{0}};
    ridge_expr *expr;
    ridge_status st = slots ? RIDGE_OK : ridge_no_memory(err);
    for (size_t i = 0; i < names->count && !st; i++) {
        const ridge_symbol *name = strchr(names->items[i].name, '.') ? NULL : ridge_py_symbol(in, names->items[i].name);
        uint32_t slot = name ? ridge_scope_add(&scope, name) : UINT32_MAX;
        if (slot != UINT32_MAX)
            st = ridge_flops_value(&slots[slot], names->items[i].value, in);
    }
    if (st || (st = ridge_expr_parse(&expr, formula, "", 1, 1, &scope, err)))
        return st;
    ridge_evaluation run = {.calc = calc_of(in, err), .globals = globals, .config = names->config, .slots = slots, .steps_left = STEPS};
    return ridge_expr_eval(out, expr, &run);
}

ridge_status ridge_agent_evaluate(const ridge_poly **out, ridge_str formula, const char *role, const ridge_agent_names *names,
                                  ridge_py_interp *in, ridge_err *err)
{
    ridge_err why = {0};
    const ridge_calc calc = calc_of(in, &why);
    ridge_value value;
    if (formula.n > RIDGE_AGENT_FORMULA)
        return ridge_agent_refused(err, "%s: a formula of %zu characters, %d are allowed", role, formula.n, RIDGE_AGENT_FORMULA);
    ridge_status st = run_formula(&value, formula, names, in, &why);
    if (st)
        return st == RIDGE_NOMEM ? ridge_no_memory(err) : refuse(err, role, formula, &why);
    if (!ridge_value_is_number(value))
        return ridge_agent_refused(err, "%s: '%.*s' is %s, not a number", role, RIDGE_STR_ARG(shown(formula)),
                                   ridge_value_type_name(value.type));
    if (value.type == RIDGE_V_BOOL)
        value = ridge_value_int(value.u.b);
    return ridge_poly_of(out, value, &calc) ? refuse(err, role, formula, &why) : RIDGE_OK;
}
