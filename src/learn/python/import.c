/* imports: modules by name, each body run once */
#include "learn/python/machine.h"

static ridge_py module_value(ridge_py_module *module)
{
    return (ridge_py){.type = RIDGE_PY_T_MODULE, .u.module = module};
}

/* a.b becomes attribute b of a, unless a has something of that name already that is no module */
static ridge_status bind_in_parent(const char *name, ridge_py_interp *in)
{
    const char *dot = strrchr(name, '.');
    if (!dot)
        return RIDGE_OK;
    const char *parent = ridge_arena_strdup(in->arena, (ridge_str){name, (size_t)(dot - name)});
    const ridge_symbol *last = ridge_py_symbol(in, dot + 1);
    if (!parent || !last)
        return ridge_no_memory(in->err);
    ridge_py of = ridge_py_dict_getz(in->modules, parent), module = ridge_py_dict_getz(in->modules, name);
    if (of.type == RIDGE_PY_T_MODULE && module.type != RIDGE_PY_T_UNSET)
        return ridge_py_scope_set(&of.u.module->globals, last, module, in);
    return RIDGE_OK;
}

static ridge_status forget(const char *name, ridge_py_interp *in)
{
    ridge_py key, raised = in->raised;
    bool there;
    ridge_status st = ridge_py_strz(&key, name, in);
    if (!st)
        st = ridge_py_dict_remove(&there, in->modules, key, in);
    in->raised = raised;
    return st;
}

static ridge_status load(ridge_py *out, const char *name, ridge_py_interp *in)
{
    ridge_py_module *module = NULL;
    ridge_status st = in->loader.find ? in->loader.find(&module, name, in->loader.state, in) : RIDGE_OK;
    if (st)
        return st;
    *out = ridge_py_dict_getz(in->modules, name);
    if (!module && out->type != RIDGE_PY_T_UNSET)
        return RIDGE_OK;
    if (!module)
        return ridge_py_raise(in, "ModuleNotFoundError", "No module named '%s'", name);
    st = ridge_py_dict_setz(in->modules, name, module_value(module), in);
    if (!st && !module->executed) {
        st = ridge_py_run_module(module, in);
        if (st == RIDGE_PY_RAISED) {
            ridge_status gone = forget(name, in);
            return gone ? gone : st;
        }
    }
    if (!st)
        st = bind_in_parent(name, in);
    *out = ridge_py_dict_getz(in->modules, name); /* it may have put something else in its place */
    if (out->type == RIDGE_PY_T_UNSET)
        *out = module_value(module);
    return st;
}

ridge_status ridge_py_import(ridge_py *out, const char *name, ridge_py_interp *in)
{
    ridge_status st = ridge_py_step(in);
    *out = ridge_py_dict_getz(in->modules, name);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    const char *dot = strrchr(name, '.');
    if (dot) {
        ridge_py parent;
        const char *outer = ridge_arena_strdup(in->arena, (ridge_str){name, (size_t)(dot - name)});
        if (!outer)
            return ridge_no_memory(in->err);
        st = ridge_py_import(&parent, outer, in);
        if (st)
            return st;
        *out = ridge_py_dict_getz(in->modules, name);
        if (out->type != RIDGE_PY_T_UNSET)
            return RIDGE_OK;
    }
    return load(out, name, in);
}

/* import a.b.c binds a; import a.b.c as d binds c */
ridge_status ridge_py_run_import(const ridge_py_node *node, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < node->count && !st; i++) {
        const ridge_py_node *alias = node->items[i];
        ridge_py module;
        const char *name = ridge_arena_strdup(in->arena, alias->text);
        if (!name)
            return ridge_no_memory(in->err);
        st = ridge_py_import(&module, name, in);
        const ridge_symbol *bound = alias->name;
        if (!st && !bound) {
            size_t n = strcspn(name, ".");
            const char *first = ridge_arena_strdup(in->arena, (ridge_str){name, n});
            bound = first ? ridge_py_symbol(in, first) : NULL;
            if (!bound)
                return ridge_no_memory(in->err);
            module = ridge_py_dict_getz(in->modules, first);
        }
        if (!st)
            st = ridge_py_bind_name(bound, module, in);
    }
    return st;
}

/* the module that `from ..a import` means, seen from the one being run */
static ridge_status resolve(const char **out, const ridge_py_node *node, ridge_py_interp *in)
{
    const ridge_py_module *m = in->frame->module;
    if (!node->op) {
        *out = ridge_arena_strdup(in->arena, node->text);
        return *out ? RIDGE_OK : ridge_no_memory(in->err);
    }
    size_t n = strlen(m->name);
    for (int up = m->is_package ? 1 : 0; up < node->op; up++) {
        while (n && m->name[n - 1] != '.')
            n--;
        if (!n)
            return ridge_py_raise(in, "ImportError", "attempted relative import beyond top-level package");
        n--;
    }
    *out = ridge_arena_printf(in->arena, "%.*s%s%.*s", (int)n, m->name, node->text.n ? "." : "", RIDGE_STR_ARG(node->text));
    return *out ? RIDGE_OK : ridge_no_memory(in->err);
}

static bool is_no_module(ridge_status st, ridge_py_interp *in)
{
    return st == RIDGE_PY_RAISED && in->raised.type == RIDGE_PY_T_INSTANCE &&
           strcmp(in->raised.u.instance->class->name->text, "ModuleNotFoundError") == 0;
}

static ridge_status from_one(ridge_py *out, ridge_py module, const char *name, const ridge_symbol *wanted, ridge_py_interp *in)
{
    ridge_status st = ridge_py_find(out, module, wanted, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    const char *full = ridge_arena_printf(in->arena, "%s.%s", name, wanted->text);
    if (!full)
        return ridge_no_memory(in->err);
    st = ridge_py_import(out, full, in);
    if (is_no_module(st, in)) {
        in->raised = ridge_py_unset();
        return ridge_py_raise(in, "ImportError", "cannot import name '%s' from '%s'", wanted->text, name);
    }
    return st;
}

static ridge_status from_all(ridge_py module, const char *name, ridge_py_interp *in)
{
    ridge_py all, v;
    ridge_status st = ridge_py_find(&all, module, RIDGE_PY_S(in, ALL), in);
    if (st || module.type == RIDGE_PY_T_UNKNOWN)
        return st;
    all = ridge_py_base(all);
    if (all.type == RIDGE_PY_T_LIST || all.type == RIDGE_PY_T_TUPLE) {
        for (size_t i = 0; i < all.u.list->count && !st; i++) {
            const ridge_symbol *wanted;
            st = ridge_py_symbol_of(&wanted, all.u.list->items[i], in);
            if (!st)
                st = from_one(&v, module, name, wanted, in);
            if (!st)
                st = ridge_py_bind_name(wanted, v, in);
        }
        return st;
    }
    if (module.type != RIDGE_PY_T_MODULE)
        return RIDGE_OK;
    const ridge_py_scope *globals = &module.u.module->globals;
    for (uint32_t i = 0; i < globals->count && !st; i++)
        if (globals->items[i].name->text[0] != '_' && globals->items[i].value.type != RIDGE_PY_T_UNSET)
            st = ridge_py_bind_name(globals->items[i].name, globals->items[i].value, in);
    return st;
}

ridge_status ridge_py_run_from(const ridge_py_node *node, ridge_py_interp *in)
{
    const char *name;
    ridge_py module, v;
    if (!node->op && ridge_str_is(node->text, "__future__"))
        return RIDGE_OK;
    ridge_status st = resolve(&name, node, in);
    if (!st)
        st = ridge_py_import(&module, name, in);
    if (!st && !node->count)
        return from_all(module, name, in);
    for (uint32_t i = 0; i < node->count && !st; i++) {
        const ridge_py_node *alias = node->items[i];
        const ridge_symbol *wanted = ridge_intern(&in->names, alias->text);
        if (!wanted)
            return ridge_no_memory(in->err);
        st = from_one(&v, module, name, wanted, in);
        if (!st)
            st = ridge_py_bind_name(alias->name ? alias->name : wanted, v, in);
    }
    return st;
}
