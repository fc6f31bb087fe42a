/* The rules of ONNX's operators by name. */
#include "opgraph/run.h"

static const ridge_op_rule_row rows[] = {
    {NULL, NULL, false},
};

const ridge_op_rule_row *ridge_onnx_rule(const char *name)
{
    for (const ridge_op_rule_row *r = rows; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}
