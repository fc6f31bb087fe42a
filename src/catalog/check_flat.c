/* What can be wrong with an entry of the flat published form before anything is counted. */
#include "catalog/check.h"

#include "catalog/compile.h"

static const char *const flop_fields[] = {"thinking_process", "parameters", "formula_template", "module_depends", "breakdown"};
static const char *const memory_fields[] = {"thinking_process",       "parameters",    "reads_template", "writes_template",
                                            "intermediates_template", "module_depends"};

static void check_members(ridge_check *c, const ridge_ancestor *chain, const char *field, const char *const *words, size_t count)
{
    const ridge_json *object = ridge_json_get(chain->json, field);
    if (object && object->type != RIDGE_JSON_OBJECT)
        ridge_check_at(c, false, RIDGE_TYPE, chain, object, "'%s' is an object, not %s", field, ridge_json_type_name(object->type));
    for (uint32_t i = 0; object && object->type == RIDGE_JSON_OBJECT && i < object->count; i++) {
        const ridge_json_member *m = &object->u.members[i];
        if (ridge_compile_word(m->key, words, count) >= 0)
            continue;
        const char *near = ridge_compile_nearest(m->key, words, count);
        ridge_check_at(c, false, RIDGE_NAME, chain, &m->value, "'%s' has no field '%.*s'%s%s%s", field, RIDGE_STR_ARG(m->key),
                       RIDGE_MEANT(near));
    }
}

/* ---- module_depends ---- */

static bool is_memory(const ridge_use *u)
{
    return u->context != RIDGE_CONTEXT_FLOPS;
}

static bool lists(const ridge_json *depends, ridge_registry *r, const ridge_symbol *module)
{
    for (uint32_t i = 0; depends->type == RIDGE_JSON_ARRAY && i < depends->count; i++)
        if (depends->u.items[i].type == RIDGE_JSON_STRING && ridge_registry_key(r, depends->u.items[i].u.text) == module)
            return true;
    return false;
}

static void check_listed(ridge_check *c, const ridge_ancestor *chain, const ridge_json *item, const ridge_use *uses, size_t count,
                         bool memory)
{
    ridge_err e = {0};
    const ridge_symbol *key = item->type == RIDGE_JSON_STRING ? ridge_registry_key(c->registry, item->u.text) : NULL;
    if (!key) {
        ridge_check_at(c, false, RIDGE_TYPE, chain, item, "'module_depends' lists names");
        return;
    }
    if (!ridge_registry_find(c->registry, key)) {
        ridge_registry_unknown(c->registry, key, &e);
        ridge_check_at(c, false, RIDGE_UNKNOWN, chain, item, "%s", e.msg);
    }
    for (size_t i = 0; i < count; i++)
        if (is_memory(&uses[i]) == memory && uses[i].call.module == key)
            return;
    ridge_check_at(c, true, RIDGE_NAME, chain, item, "'module_depends' lists %s, which no %s calls", key->text,
                   memory ? "memory template" : "formula");
}

/* what is listed against what is called */
static void check_depends(ridge_check *c, const ridge_ancestor *chain, const char *field, const ridge_use *uses, size_t count, bool memory)
{
    const ridge_json *analysis = ridge_json_get(chain->json, field), *depends = ridge_json_get(analysis, "module_depends");
    if (!depends)
        return;
    if (depends->type != RIDGE_JSON_ARRAY) {
        ridge_check_at(c, false, RIDGE_TYPE, chain, depends, "'module_depends' is a list, not %s", ridge_json_type_name(depends->type));
        return;
    }
    for (uint32_t i = 0; i < depends->count; i++)
        check_listed(c, chain, &depends->u.items[i], uses, count, memory);
    for (size_t i = 0; i < count; i++) {
        bool first = is_memory(&uses[i]) == memory;
        for (size_t k = 0; k < i && first; k++)
            first = is_memory(&uses[k]) != memory || uses[k].call.module != uses[i].call.module;
        if (first && !lists(depends, c->registry, uses[i].call.module))
            ridge_check_at(c, true, RIDGE_NAME, chain, depends, "'module_depends' does not list %s, which is called",
                           uses[i].call.module->text);
    }
}

void ridge_check_flat(ridge_check *c, const ridge_ancestor *chain, const ridge_entry *e)
{
    const ridge_json *flops = ridge_json_get(chain->json, "flop_analysis"), *breakdown = ridge_json_get(flops, "breakdown");
    ridge_use *uses;
    size_t count;
    check_members(c, chain, "flop_analysis", flop_fields, sizeof flop_fields / sizeof *flop_fields);
    check_members(c, chain, "memory_analysis", memory_fields, sizeof memory_fields / sizeof *memory_fields);
    if (flops && !ridge_json_get(flops, "formula_template"))
        ridge_check_at(c, false, RIDGE_VALUE, chain, flops, "'flop_analysis' has no 'formula_template'");
    if (breakdown && breakdown->type != RIDGE_JSON_OBJECT)
        ridge_check_at(c, false, RIDGE_TYPE, chain, breakdown, "'breakdown' is an object: name to formula");
    if (ridge_entry_calls(&uses, &count, e, c->arena, c->err))
        return;
    check_depends(c, chain, "flop_analysis", uses, count, false);
    check_depends(c, chain, "memory_analysis", uses, count, true);
}
