/* exceptions, their classes, and holes */
#include "learn/python/machine.h"

#include <stdio.h>

/* ---- the classes, each after its base ---- */

static const struct {
    const char *name, *base;
} hierarchy[] = {
    {"BaseException", NULL},
    {"Exception", "BaseException"},
    {"KeyboardInterrupt", "BaseException"},
    {"SystemExit", "BaseException"},
    {"GeneratorExit", "BaseException"},
    {"ArithmeticError", "Exception"},
    {"OverflowError", "ArithmeticError"},
    {"ZeroDivisionError", "ArithmeticError"},
    {"FloatingPointError", "ArithmeticError"},
    {"AssertionError", "Exception"},
    {"AttributeError", "Exception"},
    {"BufferError", "Exception"},
    {"EOFError", "Exception"},
    {"ImportError", "Exception"},
    {"ModuleNotFoundError", "ImportError"},
    {"LookupError", "Exception"},
    {"IndexError", "LookupError"},
    {"KeyError", "LookupError"},
    {"MemoryError", "Exception"},
    {"NameError", "Exception"},
    {"UnboundLocalError", "NameError"},
    {"OSError", "Exception"},
    {"FileNotFoundError", "OSError"},
    {"FileExistsError", "OSError"},
    {"PermissionError", "OSError"},
    {"ConnectionError", "OSError"},
    {"TimeoutError", "OSError"},
    {"NotADirectoryError", "OSError"},
    {"IsADirectoryError", "OSError"},
    {"ReferenceError", "Exception"},
    {"RuntimeError", "Exception"},
    {"NotImplementedError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"StopIteration", "Exception"},
    {"StopAsyncIteration", "Exception"},
    {"SyntaxError", "Exception"},
    {"IndentationError", "SyntaxError"},
    {"SystemError", "Exception"},
    {"TypeError", "Exception"},
    {"ValueError", "Exception"},
    {"UnicodeError", "ValueError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"Warning", "Exception"},
    {"UserWarning", "Warning"},
    {"DeprecationWarning", "Warning"},
    {"PendingDeprecationWarning", "Warning"},
    {"FutureWarning", "Warning"},
    {"RuntimeWarning", "Warning"},
    {"ImportWarning", "Warning"},
    {"SyntaxWarning", "Warning"},
    {"UnicodeWarning", "Warning"},
    {"ResourceWarning", "Warning"},
};

static ridge_status keep_arguments(ridge_py_instance *self, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_py tuple;
    ridge_status st = ridge_py_new_list(&tuple, RIDGE_PY_T_TUPLE, count, in);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_py_append(tuple.u.list, args[i], in);
    return st ? st : ridge_py_scope_set(&self->attributes, RIDGE_PY_S(in, ARGS), tuple, in);
}

static ridge_status exception_new(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    if (!call->count || call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "BaseException.__new__(): not enough arguments");
    ridge_status st = ridge_py_new_instance(out, call->args[0].u.class, in);
    if (!st)
        st = ridge_py_scope_set(&out->u.instance->attributes, RIDGE_PY_S(in, CAUSE), ridge_py_none(), in);
    return st ? st : keep_arguments(out->u.instance, call->args + 1, call->count - 1, in);
}

static ridge_status exception_init(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    *out = ridge_py_none();
    if (!call->count || call->args[0].type != RIDGE_PY_T_INSTANCE)
        return RIDGE_OK;
    return keep_arguments(call->args[0].u.instance, call->args + 1, call->count - 1, in);
}

static const ridge_py_list *arguments_of(ridge_py exception, ridge_py_interp *in)
{
    static const ridge_py_list none = {0};
    const ridge_py *v =
        exception.type == RIDGE_PY_T_INSTANCE ? ridge_py_scope_find(&exception.u.instance->attributes, RIDGE_PY_S(in, ARGS)) : NULL;
    return v && v->type == RIDGE_PY_T_TUPLE ? v->u.list : &none;
}

static ridge_status exception_str(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py self = call->count ? call->args[0] : ridge_py_none();
    const ridge_py_list *args = arguments_of(self, in);
    if (args->count == 0)
        return ridge_py_strz(out, "", in);
    if (args->count == 1)
        return ridge_py_to_str(out, args->items[0], strcmp(ridge_py_type_text(self), "KeyError") == 0, in);
    return ridge_py_to_str(out, (ridge_py){.type = RIDGE_PY_T_TUPLE, .u.list = (ridge_py_list *)args}, true, in);
}

static ridge_status exception_repr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py self = call->count ? call->args[0] : ridge_py_none(), text;
    ridge_buf buf = {0};
    const ridge_py_list *args = arguments_of(self, in);
    ridge_status st = RIDGE_OK;
    ridge_buf_addf(&buf, "%s(", ridge_py_type_text(self));
    for (size_t i = 0; i < args->count && !st; i++) {
        st = ridge_py_to_str(&text, args->items[i], true, in);
        if (!st && text.type == RIDGE_PY_T_STR)
            ridge_buf_addf(&buf, "%s%s", i ? ", " : "", text.u.s->text.p);
    }
    ridge_buf_addc(&buf, ')');
    if (!st && buf.failed)
        st = ridge_no_memory(in->err);
    if (!st)
        st = ridge_py_str(out, (ridge_str){buf.p, buf.n}, in);
    ridge_buf_free(&buf);
    return st;
}

static ridge_status with_traceback(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)in;
    *out = call->count ? call->args[0] : ridge_py_none();
    return RIDGE_OK;
}

static const ridge_py_native_entry methods[] = {
    {"__new__", exception_new, NULL},   {"__init__", exception_init, NULL},       {"__str__", exception_str, NULL},
    {"__repr__", exception_repr, NULL}, {"with_traceback", with_traceback, NULL}, {"add_note", with_traceback, NULL},
};

static ridge_status add_alias(const char *alias, const char *name, ridge_py_interp *in)
{
    const ridge_symbol *from = ridge_py_symbol(in, name), *to = ridge_py_symbol(in, alias);
    if (!from || !to)
        return ridge_no_memory(in->err);
    return ridge_py_scope_set(&in->builtins, to, *ridge_py_scope_find(&in->builtins, from), in);
}

ridge_status ridge_py_exceptions_install(ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < sizeof hierarchy / sizeof *hierarchy && !st; i++) {
        const ridge_symbol *name = ridge_py_symbol(in, hierarchy[i].name);
        const ridge_symbol *base = hierarchy[i].base ? ridge_py_symbol(in, hierarchy[i].base) : NULL;
        const ridge_py *of = base ? ridge_py_scope_find(&in->builtins, base) : NULL;
        ridge_py_class *class;
        if (!name)
            return ridge_no_memory(in->err);
        st = ridge_py_native_class(&class, hierarchy[i].name, of ? &of->u.class : NULL, of != NULL, methods,
                                   of ? 0 : sizeof methods / sizeof *methods, in);
        if (!st)
            st = ridge_py_scope_set(&in->builtins, name, (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class}, in);
        if (!st && !of)
            in->machine->exception = class;
    }
    if (!st)
        st = add_alias("IOError", "OSError", in);
    return st ? st : add_alias("EnvironmentError", "OSError", in);
}

/* ---- raising ---- */

static ridge_status on_its_way(ridge_py exception, ridge_py_interp *in)
{
    in->raised = exception;
    in->machine->raised_file = ridge_py_file(in->frame);
    in->machine->raised_line = in->frame ? in->frame->line : 0;
    const ridge_py_frame *at = in->frame; /* stand-ins are called by a model's own line */
    while (at && ridge_py_file(at) && strncmp(ridge_py_file(at), "catalog/python/", 15) == 0)
        at = at->caller;
    in->machine->asked_file = at && at != in->frame ? ridge_py_file(at) : NULL;
    in->machine->asked_line = at ? at->line : 0;
    return RIDGE_PY_RAISED;
}

ridge_status ridge_py_raise(ridge_py_interp *in, const char *class, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const ridge_symbol *name = ridge_py_symbol(in, class);
    const ridge_py *of = name ? ridge_py_scope_find(&in->builtins, name) : NULL;
    ridge_py made, message;
    if (!name)
        return ridge_no_memory(in->err);
    if (!of || of->type != RIDGE_PY_T_CLASS)
        return ridge_fail(in->err, RIDGE_NAME, "%s: %s", class, text);
    ridge_status st = ridge_py_strz(&message, text, in);
    if (!st)
        st = ridge_py_new_instance(&made, of->u.class, in);
    if (!st)
        st = ridge_py_scope_set(&made.u.instance->attributes, RIDGE_PY_S(in, CAUSE), ridge_py_none(), in);
    if (!st)
        st = keep_arguments(made.u.instance, &message, text[0] != 0, in);
    return st ? st : on_its_way(made, in);
}

ridge_status ridge_py_raise_key(ridge_py_interp *in, ridge_py key)
{
    const ridge_symbol *name = ridge_py_symbol(in, "KeyError");
    const ridge_py *class = name ? ridge_py_scope_find(&in->builtins, name) : NULL;
    ridge_py made;
    if (!class)
        return ridge_no_memory(in->err);
    ridge_status st = ridge_py_call_value(&made, *class, &key, 1, NULL, 0, in);
    return st ? st : on_its_way(made, in);
}

ridge_status ridge_py_raise_value(ridge_py value, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    if (value.type == RIDGE_PY_T_CLASS)
        st = ridge_py_call_value(&value, value, NULL, 0, NULL, 0, in);
    if (st)
        return st;
    if (value.type == RIDGE_PY_T_UNKNOWN)
        return ridge_fail(in->err, RIDGE_UNKNOWN, "an exception of a library that is not here is raised");
    if (!ridge_py_is_instance(value, in->machine->exception))
        return ridge_py_raise(in, "TypeError", "exceptions must derive from BaseException");
    return on_its_way(value, in);
}

ridge_status ridge_py_matches(bool *out, ridge_py exception, ridge_py types, ridge_py_interp *in)
{
    ridge_status st = ridge_py_step(in);
    *out = types.type == RIDGE_PY_T_CLASS && ridge_py_is_instance(exception, types.u.class);
    if (types.type == RIDGE_PY_T_TUPLE)
        for (size_t i = 0; i < types.u.list->count && !*out && !st; i++)
            st = ridge_py_matches(out, exception, types.u.list->items[i], in);
    return st;
}

ridge_status ridge_py_uncaught(ridge_status st, ridge_py_interp *in)
{
    ridge_py text;
    ridge_py raised = in->raised;
    if (st != RIDGE_PY_RAISED || raised.type == RIDGE_PY_T_UNSET)
        return st;
    in->raised = ridge_py_unset();
    st = ridge_py_to_str(&text, raised, false, in);
    if (st && st != RIDGE_PY_RAISED)
        return st;
    const char *message = !st && text.type == RIDGE_PY_T_STR ? text.u.s->text.p : "";
    return ridge_fail_at(in->err, RIDGE_VALUE, in->machine->raised_file, in->machine->raised_line, 0, "%s%s%s", ridge_py_type_text(raised),
                         *message ? ": " : "", message);
}

/* ---- holes ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *describe(const ridge_py_frame *f, ridge_py_interp *in)
{
    const char *file = ridge_py_file(f);
    const char *name = f->function ? f->function->name->text : "<module>";
    const ridge_py_class *owner = f->self.type == RIDGE_PY_T_INSTANCE && f->owner ? f->self.u.instance->class : f->owner;
    return ridge_arena_printf(in->arena, "%s%s%s (%s:%u)", owner ? owner->name->text : "", owner ? "." : "", name,
                              file ? last_part(file) : "?", f->line);
}

ridge_status ridge_py_chain(const char *const **out, size_t *count, ridge_py_interp *in)
{
    size_t n = 0;
    for (const ridge_py_frame *f = in->frame; f; f = f->caller)
        n++;
    const char **chain = ridge_arena_array(in->arena, n + 1, sizeof *chain);
    if (!chain)
        return ridge_no_memory(in->err);
    *count = n;
    *out = chain;
    for (const ridge_py_frame *f = in->frame; f; f = f->caller)
        if (!(chain[--n] = describe(f, in)))
            return ridge_no_memory(in->err);
    return RIDGE_OK;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const ridge_hole *known_hole(const char *kind, const char *what, const char *file, uint32_t line, const ridge_py_interp *in)
{
    for (size_t i = 0; i < in->hole_count; i++)
        if (in->holes[i]->line == line && in->holes[i]->file == file && same_text(in->holes[i]->kind, kind) &&
            same_text(in->holes[i]->what, what))
            return in->holes[i];
    return NULL;
}

ridge_status ridge_py_unknown_later(ridge_py *out, const char *kind, const char *what, const char *known, const char *help,
                                    ridge_py_interp *in)
{
    const char *file = ridge_py_file(in->frame);
    uint32_t line = in->frame ? in->frame->line : 0;
    *out = (ridge_py){.type = RIDGE_PY_T_UNKNOWN, .u.hole = known_hole(kind, what, file, line, in)};
    if (out->u.hole)
        return RIDGE_OK;
    ridge_hole *hole = ridge_arena_alloc(in->arena, sizeof *hole);
    if (!hole)
        return ridge_no_memory(in->err);
    *hole = (ridge_hole){.kind = kind, .file = file, .line = line, .what = what, .known = known, .help = help};
    out->u.hole = hole;
    return ridge_py_chain(&hole->chain, &hole->chain_count, in);
}

ridge_status ridge_py_matters(ridge_py v, ridge_py_interp *in)
{
    const ridge_hole *hole = v.type == RIDGE_PY_T_UNKNOWN ? v.u.hole : NULL;
    if (!hole || known_hole(hole->kind, hole->what, hole->file, hole->line, in))
        return RIDGE_OK;
    if (!ridge_arena_more(in->arena, &in->holes, in->hole_count, &in->hole_cap, sizeof *in->holes))
        return ridge_no_memory(in->err);
    in->holes[in->hole_count++] = hole;
    return RIDGE_OK;
}

void ridge_py_holes_drop(size_t from, ridge_py_interp *in)
{
    size_t kept = from;
    for (size_t i = from; i < in->hole_count; i++)
        if (in->holes[i]->counts)
            in->holes[kept++] = in->holes[i];
    in->hole_count = kept < in->hole_count ? kept : in->hole_count;
}

ridge_status ridge_py_unknown(ridge_py *out, const char *kind, const char *what, const char *known, const char *help, ridge_py_interp *in)
{
    ridge_status st = ridge_py_unknown_later(out, kind, what, known, help, in);
    return st ? st : ridge_py_matters(*out, in);
}
