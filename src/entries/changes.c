/* Which shipped models an override changes: each is analysed with the built-in catalog and with the user's. */
#include "cost/sums.h"
#include "entries/db.h"
#include "input/embedded.h"
#include "model/analysis.h"

enum { FAILURES_LIMIT = 3 }; /* models that take too long: the others would too */

typedef struct figures {
    ridge_int parameters, flops, bytes;
    bool rests; /* on an override */
} figures;

static ridge_status analyse(figures *out, ridge_registry *r, const ridge_embedded_model *m, ridge_err *err)
{
    ridge_model_request request;
    ridge_analysis *a;
    ridge_flop_sums flops;
    ridge_byte_sums bytes;
    ridge_model_request_default(&request);
    request.model = m->id;
    request.config_text = m->text;
    request.config_length = m->length;
    ridge_status st = ridge_analysis_exact(&a, r, &request, RIDGE_ROWS_NONE, err);
    if (!st && !(st = ridge_cost_sums(&flops, &bytes, &a->total, err)))
        *out = (figures){a->parameters.total, flops.total, bytes.total, a->graph.override_count > 0};
    ridge_analysis_free(a);
    return st;
}

static ridge_status add(ridge_db_check_answer *out, ridge_check *c, const ridge_embedded_model *m, const figures *was, const figures *is,
                        const ridge_err *fault)
{
    ridge_db_model_change *one = &out->changes[out->change_count++];
    *one = (ridge_db_model_change){.model = m->id,
                                   .parameters_before = was->parameters,
                                   .flops_before = was->flops,
                                   .bytes_before = was->bytes,
                                   .parameters_after = fault->code ? -1 : is->parameters,
                                   .flops_after = fault->code ? -1 : is->flops,
                                   .bytes_after = fault->code ? -1 : is->bytes};
    if (fault->code && !(one->error = ridge_arena_strdup(c->arena, ridge_str_of(fault->msg))))
        return ridge_no_memory(c->err);
    return RIDGE_OK;
}

/* with the user's entries first: a model that rests on none of them is as it was */
static ridge_status compare(ridge_db_check_answer *out, ridge_check *c, ridge_registry *builtin, const ridge_embedded_model *m,
                            unsigned *failures)
{
    ridge_err fault = {0}, unused = {0};
    figures is = {0}, was;
    ridge_status st = analyse(&is, c->registry, m, &fault);
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(c->err);
    *failures += st == RIDGE_LIMIT;
    if (!st && !is.rests)
        return RIDGE_OK;
    ridge_status before = analyse(&was, builtin, m, &unused);
    if (before)
        return before == RIDGE_NOMEM ? ridge_no_memory(c->err) : RIDGE_OK;
    if (!st && is.parameters == was.parameters && is.flops == was.flops && is.bytes == was.bytes)
        return RIDGE_OK;
    return add(out, c, m, &was, &is, &fault);
}

static const ridge_source *first_override(const ridge_check *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (ridge_source_replaced(c->sources[i]))
            return c->sources[i];
    return NULL;
}

/* an override that shipped models cannot be made of is an error, told once */
static ridge_status report_uncounted(const ridge_db_check_answer *out, ridge_check *c, const ridge_source *override)
{
    const ridge_db_model_change *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < out->change_count; i++) {
        n += out->changes[i].error != NULL;
        first = first || !out->changes[i].error ? first : &out->changes[i];
    }
    if (!first)
        return RIDGE_OK;
    ridge_err e = {0};
    ridge_fail_at(&e, RIDGE_VALUE, override->file, override->line, override->col, "%zu shipped model%s cannot be counted with it; %s: %s",
                  n, RIDGE_PLURAL(n), first->model, first->error);
    c->entry = override->key;
    return ridge_check_add(c, false, &e);
}

ridge_status ridge_db_check_changes(ridge_db_check_answer *out, ridge_check *c)
{
    ridge_registry *builtin = NULL;
    unsigned failures = 0;
    const ridge_source *override = first_override(c);
    if (!(out->has_overrides = override))
        return RIDGE_OK;
    if (!(out->changes = ridge_arena_array(c->arena, ridge_embedded_models_count + 1u, sizeof *out->changes)))
        return ridge_no_memory(c->err);
    ridge_status st = ridge_registry_open(&builtin, NULL, 0, false, c->err);
    for (unsigned i = 0; i < ridge_embedded_models_count && !st && failures < FAILURES_LIMIT; i++)
        st = compare(out, c, builtin, &ridge_embedded_models[i], &failures);
    ridge_registry_close(builtin);
    return st ? st : report_uncounted(out, c, override);
}

/* ---- how it is written ---- */

#define OF ridge_db_model_change
static const ridge_record_field change_fields[] = {
    RIDGE_R_TEXT(OF, model, "model", NULL, RIDGE_IN_ALL, "a shipped model"),
    RIDGE_R_COUNT(OF, parameters_before, "parameters_before", NULL, RIDGE_IN_ALL, "its parameters with the built-in catalog"),
    RIDGE_R_COUNT(OF, parameters_after, "parameters_after", NULL, RIDGE_IN_ALL, "... and with these entries"),
    RIDGE_R_COUNT(OF, flops_before, "flops_before", NULL, RIDGE_IN_ALL, "FLOPs of a prefill with the built-in catalog",
                  .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_COUNT(OF, flops_after, "flops_after", NULL, RIDGE_IN_ALL, "... and with these entries", .unit = RIDGE_UNIT_COUNT),
    RIDGE_R_COUNT(OF, bytes_before, "bytes_before", NULL, RIDGE_IN_ALL, "bytes moved in it with the built-in catalog",
                  .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(OF, bytes_after, "bytes_after", NULL, RIDGE_IN_ALL, "... and with these entries", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_TEXT(OF, error, "error", NULL, RIDGE_IN_ALL, "why it cannot be counted any more"),
};
const ridge_record ridge_db_model_change_record =
    RIDGE_RECORD(OF, "changed model", change_fields, "a shipped model that an override changes");

static void figure_text(ridge_buf *out, const char *name, ridge_int before, ridge_int after, ridge_arena *arena)
{
    if (before == after)
        return;
    ridge_buf_addf(out, "  %s %s -> ", name, ridge_units_exact(arena, before));
    ridge_buf_addf(out, "%s\n", ridge_units_exact(arena, after));
}

void ridge_db_check_changes_text(ridge_buf *out, const ridge_db_check_answer *a, ridge_arena *arena)
{
    if (!a->has_overrides)
        return;
    for (size_t i = 0; i < a->change_count; i++) {
        const ridge_db_model_change *c = &a->changes[i];
        if (c->error) /* told as an error */
            continue;
        ridge_buf_addf(out, "changes %s\n", c->model);
        figure_text(out, "parameters", c->parameters_before, c->parameters_after, arena);
        figure_text(out, "FLOPs", c->flops_before, c->flops_after, arena);
        figure_text(out, "bytes", c->bytes_before, c->bytes_after, arena);
    }
    ridge_buf_addf(out, "%zu of %u shipped models %s (prefill)\n", a->change_count, ridge_embedded_models_count,
                   a->change_count == 1 ? "changes" : "change");
}
