#include "input/opgraph.h"

const ridge_opgraph_argument *ridge_opgraph_argument_of(const ridge_opgraph_node *node, const char *name)
{
    for (uint32_t i = 0; i < node->argument_count; i++)
        if (ridge_str_eq(node->arguments[i].name, ridge_str_of(name)))
            return &node->arguments[i];
    return NULL;
}

static const ridge_opgraph_argument *of_kind(const ridge_opgraph_node *node, const char *name, ridge_opgraph_argument_kind kind)
{
    const ridge_opgraph_argument *a = ridge_opgraph_argument_of(node, name);
    return a && a->kind == kind ? a : NULL;
}

int64_t ridge_opgraph_whole(const ridge_opgraph_node *node, const char *name, int64_t otherwise)
{
    const ridge_opgraph_argument *a = of_kind(node, name, RIDGE_OPGRAPH_ARG_INT);
    return a ? a->u.whole : otherwise;
}

double ridge_opgraph_real(const ridge_opgraph_node *node, const char *name, double otherwise)
{
    const ridge_opgraph_argument *a = of_kind(node, name, RIDGE_OPGRAPH_ARG_REAL);
    return a ? a->u.real : otherwise;
}

ridge_str ridge_opgraph_text(const ridge_opgraph_node *node, const char *name, const char *otherwise)
{
    const ridge_opgraph_argument *a = of_kind(node, name, RIDGE_OPGRAPH_ARG_TEXT);
    return a ? a->u.text : ridge_str_of(otherwise);
}
