/* Built-in functions about objects and classes: attributes, isinstance, vars. */
#include "learn/library/library.h"
#include "learn/python/machine.h"

/* ---- attributes ---- */

static ridge_status attribute_name(const ridge_symbol **out, const ridge_py_call *call, size_t low, size_t high, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, low, high, in);
    if (st)
        return st;
    ridge_py name = ridge_py_base(call->args[1]);
    if (name.type != RIDGE_PY_T_STR)
        return ridge_py_raise(in, "TypeError", "attribute name must be string, not '%s'", ridge_py_type_text(name));
    if (!(*out = ridge_intern(&in->names, name.u.s->text)))
        return ridge_no_memory(in->err);
    return ridge_py_ask_value(name, in);
}

static ridge_status f_getattr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    ridge_status st = attribute_name(&name, call, 2, 3, in);
    if (st)
        return st;
    if (call->count == 2)
        return ridge_py_get(out, call->args[0], name, in);
    if ((st = ridge_py_find(out, call->args[0], name, in)))
        return st;
    if (out->type == RIDGE_PY_T_UNSET)
        *out = call->args[2];
    return RIDGE_OK;
}

static ridge_status f_hasattr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    ridge_py found;
    ridge_status st = attribute_name(&name, call, 2, 2, in);
    if (!st)
        st = ridge_py_find(&found, call->args[0], name, in);
    *out = ridge_py_bool(!st && found.type != RIDGE_PY_T_UNSET);
    return st;
}

static ridge_status f_setattr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    ridge_status st = attribute_name(&name, call, 3, 3, in);
    *out = ridge_py_none();
    return st ? st : ridge_py_set(call->args[0], name, call->args[2], in);
}

static ridge_status f_delattr(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    const ridge_symbol *name;
    ridge_status st = attribute_name(&name, call, 2, 2, in);
    *out = ridge_py_none();
    return st ? st : ridge_py_delete(call->args[0], name, in);
}

/* ---- classes ---- */

typedef ridge_status one_class(bool *out, ridge_py v, ridge_py class, ridge_py_interp *in);

/* a class, a tuple of them in tuples; what is no class that is known here (a typing construct) fits nothing */
static ridge_status fits(bool *out, ridge_py v, ridge_py classes, one_class *one, unsigned depth, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    *out = false;
    if (depth > 50)
        return ridge_fail(in->err, RIDGE_LIMIT, "classes nested deeper than 50");
    if (classes.type != RIDGE_PY_T_TUPLE && classes.type != RIDGE_PY_T_LIST)
        return one(out, v, classes, in);
    for (size_t i = 0; i < classes.u.list->count && !st && !*out; i++)
        st = fits(out, v, classes.u.list->items[i], one, depth + 1, in);
    return st;
}

static ridge_status asks_metaclass(bool *out, bool *asked, const char *method, ridge_py v, ridge_py class, ridge_py_interp *in)
{
    ridge_py f, r;
    const ridge_symbol *name = ridge_py_symbol(in, method);
    *asked = false;
    if (!name)
        return ridge_no_memory(in->err);
    if (!ridge_py_special_method(&f, class, name, in))
        return RIDGE_OK;
    *asked = true;
    ridge_status st = ridge_py_call_special(&r, f, class, &v, 1, in);
    return st ? st : ridge_py_truth(out, r, in);
}

static ridge_status is_of(bool *out, ridge_py v, ridge_py class, ridge_py_interp *in)
{
    bool asked;
    ridge_status st = asks_metaclass(out, &asked, "__instancecheck__", v, class, in);
    if (st || asked)
        return st;
    if (class.type == RIDGE_PY_T_NONE)
        *out = v.type == RIDGE_PY_T_NONE;
    else
        *out = class.type == RIDGE_PY_T_CLASS && ridge_py_is_instance(v, class.u.class);
    return RIDGE_OK;
}

static ridge_status is_sub(bool *out, ridge_py v, ridge_py class, ridge_py_interp *in)
{
    bool asked;
    ridge_status st = asks_metaclass(out, &asked, "__subclasscheck__", v, class, in);
    if (st || asked)
        return st;
    *out = class.type == RIDGE_PY_T_CLASS && v.type == RIDGE_PY_T_CLASS && ridge_py_is_subclass(v.u.class, class.u.class);
    return RIDGE_OK;
}

static ridge_status f_isinstance(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    bool is;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st || (st = fits(&is, call->args[0], call->args[1], is_of, 0, in)))
        return st;
    *out = ridge_py_bool(is);
    return RIDGE_OK;
}

static ridge_status f_issubclass(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    bool is;
    ridge_status st = ridge_py_arity(call, 2, 2, in);
    if (st)
        return st;
    if (call->args[0].type != RIDGE_PY_T_CLASS)
        return ridge_py_raise(in, "TypeError", "issubclass() arg 1 must be a class");
    if ((st = fits(&is, call->args[0], call->args[1], is_sub, 0, in)))
        return st;
    *out = ridge_py_bool(is);
    return RIDGE_OK;
}

static ridge_status f_callable(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py method;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st)
        return st;
    ridge_py v = call->args[0];
    bool is = v.type == RIDGE_PY_T_FUNCTION || v.type == RIDGE_PY_T_NATIVE || v.type == RIDGE_PY_T_METHOD || v.type == RIDGE_PY_T_CLASS;
    *out = ridge_py_bool(is || (v.type == RIDGE_PY_T_INSTANCE && ridge_py_special_method(&method, v, RIDGE_PY_S(in, CALL), in)));
    return RIDGE_OK;
}

/* ---- identity ---- */

static ridge_status f_id(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (!st)
        *out = ridge_py_int((int64_t)(uintptr_t)call->args[0].u.pointer);
    return st;
}

static ridge_status f_hash(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    uint64_t h;
    ridge_status st = ridge_py_arity(call, 1, 1, in);
    if (st || (st = ridge_py_ask_value(call->args[0], in)) || (st = ridge_py_hash(&h, call->args[0], in)))
        return st;
    *out = ridge_py_int((int64_t)(h >> 2));
    return RIDGE_OK;
}

/* ---- namespaces ---- */

static ridge_status f_globals(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    return ridge_py_scope_dict(out, &in->frame->module->globals, in);
}

static ridge_status f_locals(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    (void)call;
    return ridge_py_scope_dict(out, in->frame->scope ? in->frame->scope : &in->frame->module->globals, in);
}

static ridge_status f_vars(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    return call->count ? ridge_py_getz(out, call->args[0], "__dict__", in) : f_locals(out, call, in);
}

static ridge_status add_names(ridge_py_dict *names, const ridge_py_scope *scope, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < scope->count && !st; i++)
        if (scope->items[i].value.type != RIDGE_PY_T_UNSET)
            st = ridge_py_dict_setz(names, scope->items[i].name->text, ridge_py_unset(), in);
    return st;
}

static ridge_status f_dir(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_py names;
    ridge_status st = ridge_py_new_dict(&names, RIDGE_PY_T_SET, in);
    ridge_py v = call->count ? call->args[0] : ridge_py_none();
    const ridge_py_class *class = v.type == RIDGE_PY_T_CLASS ? v.u.class : ridge_py_class_of(v, in);
    if (!st && v.type == RIDGE_PY_T_INSTANCE)
        st = add_names(names.u.dict, &v.u.instance->attributes, in);
    if (!st && v.type == RIDGE_PY_T_MODULE)
        st = add_names(names.u.dict, &v.u.module->globals, in);
    for (size_t i = 0; class && v.type != RIDGE_PY_T_MODULE && i < class->order_count && !st; i++)
        st = add_names(names.u.dict, &class->order[i]->attributes, in);
    if (st || (st = ridge_py_collect(out, RIDGE_PY_T_LIST, names, in)))
        return st;
    return ridge_py_sort(out->u.list, ridge_py_none(), false, in);
}

static ridge_status f_import(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    ridge_status st = ridge_py_arity(call, 1, 5, in);
    if (st || call->args[0].type != RIDGE_PY_T_STR)
        return st ? st : ridge_py_raise(in, "TypeError", "__import__() argument 1 must be str");
    if ((st = ridge_py_import(out, call->args[0].u.s->text.p, in)))
        return st;
    const char *dot = strchr(call->args[0].u.s->text.p, '.');
    ridge_py from = ridge_py_argument(call, 3, "fromlist");
    if (!dot || (from.type != RIDGE_PY_T_UNSET && from.type != RIDGE_PY_T_NONE))
        return RIDGE_OK;
    char *first = ridge_arena_strdup(in->arena, (ridge_str){call->args[0].u.s->text.p, (size_t)(dot - call->args[0].u.s->text.p)});
    return first ? ridge_py_import(out, first, in) : ridge_no_memory(in->err);
}

ridge_status ridge_py_objects_install(ridge_py_interp *in)
{
    static const ridge_py_native_entry entries[] = {
        {"getattr", f_getattr, NULL},
        {"hasattr", f_hasattr, NULL},
        {"setattr", f_setattr, NULL},
        {"delattr", f_delattr, NULL},
        {"isinstance", f_isinstance, NULL},
        {"issubclass", f_issubclass, NULL},
        {"callable", f_callable, NULL},
        {"id", f_id, NULL},
        {"hash", f_hash, NULL},
        {"globals", f_globals, NULL},
        {"locals", f_locals, NULL},
        {"vars", f_vars, NULL},
        {"dir", f_dir, NULL},
        {"__import__", f_import, NULL},
    };
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < RIDGE_PY_COUNT(entries) && !st; i++) {
        ridge_py f;
        const ridge_symbol *name = ridge_py_symbol(in, entries[i].name);
        if (!name)
            return ridge_no_memory(in->err);
        if (!(st = ridge_py_native_function(&f, entries[i].name, entries[i].call, NULL, NULL, in)))
            st = ridge_py_scope_set(&in->builtins, name, f, in);
    }
    return st;
}
