/* Entries of kind "operator": what an ATen operator is. learn/torch runs by them; here they are checked for form. */
#include "catalog/compile.h"

static ridge_status want_text(ridge_compiler *c, const char *field, bool needed)
{
    ridge_member m = ridge_inherit_field(c->chain, field);
    if (m.value && m.value->type != RIDGE_JSON_STRING)
        return ridge_inherit_fail(c->err, RIDGE_TYPE, m.from, m.value, "'%s' of an operator is text, not %s", field,
                                  ridge_json_type_name(m.value->type));
    if (!m.value && needed)
        return ridge_inherit_fail(c->err, RIDGE_SYNTAX, c->chain, c->chain->json, "an operator has a '%s'", field);
    return RIDGE_OK;
}

/* {"matmul": "2*m*k*n"}: one class, and a formula over the names that its rule of shape gives */
static ridge_status check_flops(ridge_compiler *c)
{
    ridge_member m = ridge_inherit_field(c->chain, "flops");
    if (!m.value)
        return RIDGE_OK;
    if (m.value->type != RIDGE_JSON_OBJECT || m.value->count != 1 || m.value->u.members[0].value.type != RIDGE_JSON_STRING)
        return ridge_inherit_fail(c->err, RIDGE_TYPE, m.from, m.value, "'flops' of an operator is {class: formula}");
    const ridge_json_member *one = &m.value->u.members[0];
    if (ridge_compile_word(one->key, ridge_flop_names, RIDGE_FLOP_COUNT) < 0)
        return ridge_inherit_fail(c->err, RIDGE_NAME, m.from, &one->value, "there is no class of FLOPs '%.*s'", RIDGE_STR_ARG(one->key));
    return RIDGE_OK;
}

ridge_status ridge_compile_operator(ridge_compiler *c)
{
    static const char *const texts[] = {"functions", "dtype", "bytes", "saved", "fuses", "scalar", "whole", "mode"};
    ridge_status st = want_text(c, "shape", false); /* without one the code that makes the result writes the operator down */
    if (!st)
        st = want_text(c, "signature", ridge_inherit_field(c->chain, "shape").value != NULL);
    for (size_t i = 0; !st && i < sizeof texts / sizeof *texts; i++)
        st = want_text(c, texts[i], false);
    ridge_member in_place = ridge_inherit_field(c->chain, "in_place");
    if (!st && in_place.value && in_place.value->type != RIDGE_JSON_TRUE && in_place.value->type != RIDGE_JSON_FALSE)
        st = ridge_inherit_fail(c->err, RIDGE_TYPE, in_place.from, in_place.value, "'in_place' is true or false");
    return st ? st : check_flops(c);
}
