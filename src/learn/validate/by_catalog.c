/* What the catalog says of a case. */
#include "learn/validate/validate.h"
#include "model/cost.h"
#include "model/inspect.h"

int64_t ridge_validate_length(const ridge_json *of, const char *name)
{
    const ridge_json *value = ridge_json_get(ridge_json_get(of, "workload"), name);
    ridge_int number;
    return value && value->type == RIDGE_JSON_NUMBER && ridge_int_parse(&number, value->u.text) ? (int64_t)number : RIDGE_UNSET;
}

static ridge_status copy_tree(ridge_validate_side *out, const ridge_inspect_answer *tree, ridge_arena *arena, ridge_err *err)
{
    out->count = tree->row_count;
    out->modules = ridge_arena_array(arena, out->count + 1, sizeof *out->modules);
    if (!out->modules)
        return ridge_no_memory(err);
    for (size_t i = 0; i < out->count; i++) {
        const ridge_inspect_row *row = &tree->rows[i];
        out->modules[i] = (ridge_validate_module){ridge_arena_strdup(arena, row->path), ridge_arena_strdup(arena, ridge_str_of(row->class_name)),
                                                  row->parameters, -1};
    }
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

static void copy_flops(ridge_validate_side *out, const ridge_cost_answer *cost)
{
    size_t at = 0;
    for (size_t i = 0; i < cost->row_count; i++) { /* both are in the order of named_modules() */
        while (at < out->count && !ridge_str_is(cost->rows[i].path, out->modules[at].path))
            at++;
        if (at < out->count)
            out->modules[at].flops = cost->rows[i].flops.torch;
    }
}

static void ask(ridge_model_request *model, const ridge_validate_request *request, const ridge_json *of)
{
    const ridge_json *config = ridge_json_get(of, "config");
    ridge_model_request_default(model);
    model->model = request->what;
    model->config_text = config->begin;
    model->config_length = (size_t)(config->end - config->begin);
    model->head_class = request->class_name;
    model->batch = ridge_validate_length(of, "B");
    model->seq = ridge_validate_length(of, "S");
    model->decoder_seq = ridge_validate_length(of, "D");
}

ridge_status ridge_validate_from_catalog(ridge_validate_side *out, ridge_registry *registry, const ridge_validate_request *request, const ridge_json *of,
                                         ridge_arena *arena, ridge_err *err)
{
    ridge_inspect_request tree = {.all = true, .depth = RIDGE_UNSET};
    ridge_cost_request cost = {.all = true, .depth = RIDGE_UNSET};
    ridge_inspect_answer modules;
    ridge_cost_answer costs;
    ask(&tree.model, request, of);
    ask(&cost.model, request, of);
    ridge_status st = ridge_inspect_answer_make(&modules, registry, &tree, err);
    if (!st)
        st = copy_tree(out, &modules, arena, err);
    ridge_inspect_answer_free(&modules);
    if (st)
        return st;
    if (!(st = ridge_cost_answer_make(&costs, registry, &cost, err)))
        copy_flops(out, &costs);
    ridge_cost_answer_free(&costs);
    return st;
}
