/* What catalog/python/sys.py and random.py ask of the interpreter; the module builtins. */
#include "learn/library/library.h"

static ridge_status built_in_name(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in)
{
    (void)module;
    const ridge_py *found = ridge_py_scope_find(&in->builtins, name);
    *out = found ? *found : ridge_py_unset();
    return RIDGE_OK;
}

/* a number that is not known; that it is not is no hole yet: who branches on it makes one */
static ridge_status unknown_number(ridge_py *out, const ridge_py_call *call, ridge_py_interp *in)
{
    size_t holes = in->hole_count;
    (void)call;
    ridge_status st = ridge_py_unknown(out, "branch on data", "a random number", NULL, NULL, in);
    in->hole_count = holes;
    return st;
}

ridge_status ridge_py_modules_install(ridge_py_interp *in)
{
    static const ridge_py_native_entry random[] = {{"unknown", unknown_number, NULL}};
    ridge_py_module *m;
    const ridge_symbol *modules = ridge_py_symbol(in, "modules");
    ridge_status st = modules ? ridge_py_native_module(&m, "_sys", NULL, 0, in) : ridge_no_memory(in->err);
    if (st || (st = ridge_py_scope_set(&m->globals, modules, (ridge_py){.type = RIDGE_PY_T_DICT, .u.dict = in->modules}, in)))
        return st;
    if ((st = ridge_py_native_module(&m, "builtins", NULL, 0, in)))
        return st;
    m->attribute = built_in_name;
    return ridge_py_native_module(&m, "_random", random, RIDGE_PY_COUNT(random), in);
}
