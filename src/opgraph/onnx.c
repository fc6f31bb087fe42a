/* The rules of ONNX's operators by name. */
#include "opgraph/onnx.h"

static const ridge_opgraph_rule_row rows[] = {
#define X(name, lenient) {#name, ridge_onnx_rule_##name, lenient},
    RIDGE_ONNX_RULE_LIST(X)
#undef X
        {NULL, NULL, false},
};

const ridge_opgraph_rule_row *ridge_onnx_rule(const char *name)
{
    for (const ridge_opgraph_rule_row *r = rows; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}
