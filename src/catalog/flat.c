/* Compiles an entry of the flat published form: one template an analysis, each with its own parameters. */
#include "catalog/compile.h"

/* a template has its own names: the scope starts anew */
static ridge_status template_of(ridge_compiler *c, ridge_template *out, const ridge_json *analysis, const char *field)
{
    const ridge_json *text = ridge_json_get(analysis, field), *parameters = ridge_json_get(analysis, "parameters");
    ridge_status st;
    if (!text || text->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    c->scope.slots = 0;
    c->scope.names = NULL;
    c->scope.cap = 0;
    out->depends = ridge_json_get(analysis, "module_depends");
    if (!(st = ridge_compile_parameters(c, &out->parameters, &out->parameter_count, (ridge_member){.value = parameters, .from = c->chain})))
        st = ridge_compile_expr(c, &out->expr, c->chain, text);
    out->slots = c->scope.slots;
    return st;
}

/* A template that is wrong is told when it is asked for; the entry's other templates stay usable. */
static ridge_status template_or_fault(ridge_compiler *c, ridge_template *out, const ridge_json *analysis, const char *field)
{
    ridge_err fault = {0}, *outer = c->err;
    c->err = &fault;
    ridge_status st = ridge_compile_tolerate(c, template_of(c, out, analysis, field));
    c->err = outer;
    if (!st || st == RIDGE_NOMEM)
        return st ? ridge_fail(c->err, st, "out of memory") : RIDGE_OK;
    if (!(out->fault = ridge_compile_array(c, 1, sizeof fault)))
        return RIDGE_NOMEM;
    *out->fault = fault;
    out->expr = NULL;
    for (size_t i = 0; i < out->parameter_count; i++)
        if (!out->parameters[i].names[0])
            out->parameter_count = 0;
    return RIDGE_OK;
}

/* the parts a breakdown names are for people and for `db check`: nothing is evaluated from them */
static ridge_status part(ridge_compiler *c, ridge_named *n, const ridge_json *at)
{
    ridge_err fault = {0}, *outer = c->err;
    c->err = &fault;
    ridge_status st = ridge_compile_tolerate(c, ridge_compile_expr(c, &n->expr, c->chain, at));
    c->err = outer;
    if (st)
        n->expr = NULL;
    return st == RIDGE_NOMEM ? ridge_fail(c->err, st, "out of memory") : RIDGE_OK;
}

static ridge_status breakdown(ridge_compiler *c, ridge_flat *flat, const ridge_json *object)
{
    ridge_status st = RIDGE_OK;
    if (!object || object->type != RIDGE_JSON_OBJECT)
        return RIDGE_OK;
    if (!(flat->breakdown.p = ridge_compile_array(c, object->count, sizeof *flat->breakdown.p)))
        return RIDGE_NOMEM;
    for (uint32_t i = 0; i < object->count && !st; i++) {
        ridge_named *n = &flat->breakdown.p[flat->breakdown.n++];
        n->slot = UINT32_MAX;
        if (!(n->name = ridge_intern(&c->registry->symbols, object->u.members[i].key)))
            return ridge_no_memory(c->err);
        st = part(c, n, &object->u.members[i].value);
    }
    return st;
}

ridge_status ridge_compile_flat(ridge_compiler *c, ridge_entry *e)
{
    const ridge_json *flops = ridge_json_get(c->chain->json, "flop_analysis"), *memory = ridge_json_get(c->chain->json, "memory_analysis");
    ridge_flat *f = e->flat = ridge_compile_array(c, 1, sizeof *f);
    ridge_status st;
    uint32_t slots;
    if (!f)
        return RIDGE_NOMEM;
    if ((st = template_or_fault(c, &f->templates[RIDGE_CONTEXT_READS], memory, "reads_template")) ||
        (st = template_or_fault(c, &f->templates[RIDGE_CONTEXT_WRITES], memory, "writes_template")) ||
        (st = template_or_fault(c, &f->templates[RIDGE_CONTEXT_INTERMEDIATES], memory, "intermediates_template")) ||
        (st = template_or_fault(c, &f->templates[RIDGE_CONTEXT_FLOPS], flops, "formula_template")))
        return st;
    e->parameters = f->templates[RIDGE_CONTEXT_FLOPS].parameters;
    e->parameter_count = f->templates[RIDGE_CONTEXT_FLOPS].parameter_count;
    if ((st = breakdown(c, f, ridge_json_get(flops, "breakdown"))))
        return st;
    f->templates[RIDGE_CONTEXT_FLOPS].slots = c->scope.slots;
    slots = 0;
    for (unsigned i = 0; i <= RIDGE_CONTEXT_INTERMEDIATES; i++)
        slots = f->templates[i].slots > slots ? f->templates[i].slots : slots;
    c->scope.slots = slots;
    return RIDGE_OK;
}
