#include "input/opgraph.h"

const ridge_op_argument *ridge_op_argument_of(const ridge_op_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->argument_count; i++)
        if (ridge_str_eq(node->arguments[i].name, ridge_str_of(name)))
            return &node->arguments[i];
    return NULL;
}

static const ridge_op_argument *of_kind(const ridge_op_node *node, const char *name, ridge_op_argument_kind kind)
{
    const ridge_op_argument *a = ridge_op_argument_of(node, name);
    return a && a->kind == kind ? a : NULL;
}

int64_t ridge_op_whole(const ridge_op_node *node, const char *name, int64_t otherwise)
{
    const ridge_op_argument *a = of_kind(node, name, RIDGE_OP_ARG_INT);
    return a ? a->u.whole : otherwise;
}

double ridge_op_real(const ridge_op_node *node, const char *name, double otherwise)
{
    const ridge_op_argument *a = of_kind(node, name, RIDGE_OP_ARG_REAL);
    return a ? a->u.real : otherwise;
}

ridge_str ridge_op_text(const ridge_op_node *node, const char *name, const char *otherwise)
{
    const ridge_op_argument *a = of_kind(node, name, RIDGE_OP_ARG_TEXT);
    return a ? a->u.text : ridge_str_of(otherwise);
}
