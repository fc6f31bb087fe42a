#include "learn/python/syntax.h"

const char *ridge_py_kind_name(ridge_py_kind kind)
{
    static const char *const names[] = {
#define X(code, text) text,
        RIDGE_PY_KIND_LIST(X)
#undef X
    };
    return names[kind];
}

const char *ridge_py_operator_text(ridge_py_operator op)
{
    static const char *const texts[] = {
#define X(code, text, method, reflected, in_place) text,
        RIDGE_PY_OPERATOR_LIST(X)
#undef X
    };
    return texts[op];
}

ridge_status ridge_py_parse(const ridge_py_node **out, ridge_str text, const char *file, ridge_symtab *names, ridge_arena *arena, ridge_err *err)
{
    (void)text, (void)file, (void)names, (void)arena;
    *out = NULL;
    return ridge_fail(err, RIDGE_UNKNOWN, "Python cannot be read");
}
