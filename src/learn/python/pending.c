/* What built-in values cannot do yet. */
#include "learn/python/operate.h"

#define PENDING(name) return ridge_fail(in->err, RIDGE_UNKNOWN, "%s is not there yet", name)

ridge_status ridge_py_builtin_find(ridge_py *out, ridge_py object, const ridge_symbol *name, ridge_py_interp *in)
{
    (void)out, (void)object, (void)name;
    PENDING("find");
}
ridge_status ridge_py_builtins_install(ridge_py_interp *in)
{
    PENDING("builtins");
}
