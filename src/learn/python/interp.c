#include "learn/python/machine.h"

/* What the interpreter takes of C's stack; threads of the server have 2 MiB in all. */
enum { STACK_BYTES = 1400 * 1024, CHECK_BYTES_EVERY = 256, SOURCE_CHARACTERS = 80 };

/* ---- limits ---- */

ridge_status ridge_py_step(ridge_py_interp *in)
{
    const char *here = __builtin_frame_address(0);
    struct ridge_py_machine *m = in->machine;
    if (++in->steps > in->limits.steps)
        return ridge_fail(in->err, RIDGE_LIMIT, "more than %llu steps: the source may not come to an end",
                          (unsigned long long)in->limits.steps);
    if (in->steps % CHECK_BYTES_EVERY == 0 && in->arena->total > in->limits.bytes)
        return ridge_fail(in->err, RIDGE_LIMIT, "more than %zu MB of memory", in->limits.bytes >> 20);
    if (!in->frame || !in->frame->caller)
        m->stack = here;
    ptrdiff_t used = m->stack - here;
    if (used > STACK_BYTES || used < -STACK_BYTES)
        return ridge_fail(in->err, RIDGE_LIMIT, "calls and expressions are nested too deep");
    return RIDGE_OK;
}

/* ---- places ---- */

const char *ridge_py_source(const ridge_py_node *node, ridge_py_interp *in)
{
    const ridge_py_module *m = in->frame ? in->frame->module : NULL;
    if (!m || !m->text.p || !node)
        return "a value that depends on data";
    const char *p = m->text.p, *end = m->text.p + m->text.n;
    for (uint32_t line = 1; line < node->line && p < end; p++)
        line += *p == '\n';
    for (uint32_t column = 1; column < node->column && p < end && *p != '\n'; column++)
        p++;
    size_t n = 0;
    while (p + n < end && p[n] != '\n' && n < SOURCE_CHARACTERS)
        n++;
    const char *text = ridge_arena_strdup(in->arena, (ridge_str){p, n});
    return text ? text : "";
}

ridge_status ridge_py_place(ridge_status st, uint32_t line, ridge_py_interp *in)
{
    enum { CALLERS = 3 };
    if (st == RIDGE_PY_RAISED || st == RIDGE_NOMEM || !in->err || in->err->file[0] || !in->frame)
        return st;
    const char *file = ridge_py_file(in->frame);
    ridge_err_place(in->err, file ? file : "?", line, 0);
    int n = 0;
    for (const ridge_py_frame *f = in->frame; f && n < CALLERS; f = f->caller, n++) {
        const char *name = f->function ? f->function->name->text : "<module>", *of = ridge_py_file(f);
        const char *slash = of ? strrchr(of, '/') : NULL;
        ridge_err_append(in->err, "%s%s%s%s (%s:%u)", n ? " < " : "; in ", f->owner ? f->owner->name->text : "", f->owner ? "." : "", name,
                         slash ? slash + 1
                         : of  ? of
                               : "?",
                         f->line);
    }
    return st;
}

/* ---- set-up ---- */

const ridge_symbol *ridge_py_symbol(ridge_py_interp *in, const char *text)
{
    return ridge_intern(&in->names, ridge_str_of(text));
}

static const char *const special_names[] = {
#define X(code, text) text,
    RIDGE_PY_SPECIAL_LIST(X)
#undef X
};

static const struct {
    const char *method, *reflected, *in_place;
} operator_names[] = {
#define X(code, text, method, reflected, in_place) {method, reflected, in_place},
    RIDGE_PY_OPERATOR_LIST(X)
#undef X
};

static const ridge_symbol *name_or_none(const char *text, bool *failed, ridge_py_interp *in)
{
    const ridge_symbol *s = *text ? ridge_py_symbol(in, text) : NULL;
    if (*text && !s)
        *failed = true;
    return s;
}

ridge_status ridge_py_machine_init(ridge_py_interp *in)
{
    bool failed = false;
    struct ridge_py_machine *m = ridge_arena_alloc(in->arena, sizeof *m);
    if (!m)
        return ridge_no_memory(in->err);
    in->machine = m;
    m->version = 1;
    m->stack = __builtin_frame_address(0);
    for (size_t i = 0; i < RIDGE_PY_SPECIAL_COUNT; i++)
        m->special[i] = name_or_none(special_names[i], &failed, in);
    for (size_t i = 0; i < RIDGE_PY_OPERATORS; i++) {
        m->method[i] = name_or_none(operator_names[i].method, &failed, in);
        m->reflected[i] = name_or_none(operator_names[i].reflected, &failed, in);
        m->in_place[i] = name_or_none(operator_names[i].in_place, &failed, in);
    }
    return failed ? ridge_no_memory(in->err) : RIDGE_OK;
}

ridge_status ridge_py_init(ridge_py_interp *in, ridge_py_loader loader, ridge_arena *arena, ridge_err *err)
{
    ridge_py modules;
    *in = (ridge_py_interp){.arena = arena, .err = err, .loader = loader, .limits = RIDGE_PY_LIMITS, .raised = ridge_py_unset()};
    if (!ridge_symtab_init(&in->names, arena) || !ridge_algebra_init(&in->algebra, arena))
        return ridge_no_memory(err);
    in->algebra.divisors_hold = true; /* ZeroDivisionError came first */
    in->algebra.memory = in->limits.bytes;
    ridge_status st = ridge_py_machine_init(in);
    if (!st)
        st = ridge_py_new_dict(&modules, RIDGE_PY_T_DICT, in);
    if (st)
        return st;
    in->modules = modules.u.dict;
    st = ridge_py_classes_install(in);
    if (!st)
        st = ridge_py_exceptions_install(in);
    return st ? st : ridge_py_builtins_install(in);
}
