/* `ridge inspect` of an inventory: its own tree, which needs no catalog. */
#include "base/shown.h"
#include "model/inspect.h"
#include "model/inventory.h"

static ridge_status warn_of(ridge_inspect_answer *out, bool given, const char *option, ridge_err *err)
{
    if (!given)
        return RIDGE_OK;
    const char *text = ridge_arena_printf(&out->arena, RIDGE_OPT("%s") ": an inventory says that itself; ignored", option);
    return text ? ridge_words_add(&out->warnings, text, &out->arena, err) : ridge_no_memory(err);
}

static ridge_status warn(ridge_inspect_answer *out, const ridge_model_request *r, ridge_err *err)
{
    const ridge_status st = warn_of(out, r->weights != NULL, "weights", err);
    return st ? st : warn_of(out, r->head_class != NULL, "class", err);
}

static ridge_status told_of(ridge_inspect_answer *out, const ridge_model_request *r, ridge_err *err)
{
    const ridge_inventory *i = &out->inventory->read;
    if (!(out->class_name = ridge_arena_strdup(&out->arena, i->class_name)))
        return ridge_no_memory(err);
    out->counts = (ridge_parameter_counts){i->parameters, -1, -1};
    out->told =
        (ridge_model_told){.model = r->model, .architecture = ridge_inspect_short_class(out->class_name), .parameters = &out->counts};
    out->buffers_bytes = out->tree.buffer_bytes;
    out->stored = out->inventory->formats.shares;
    out->stored_count = out->inventory->formats.count;
    out->weights_bytes = 0;
    for (size_t k = 0; k < out->inventory->formats.count; k++)
        out->weights_bytes += out->inventory->formats.shares[k].bytes; /* no more than the table's sum */
    out->inventory->torch = ridge_arena_strdup(&out->arena, i->torch);
    out->inventory->python = ridge_arena_strdup(&out->arena, i->python);
    out->inventory->failed = i->failed;
    out->inventory->operators = i->graph ? (ridge_int)i->graph->main.count : -1;
    return out->arena.failed ? ridge_no_memory(err) : RIDGE_OK;
}

ridge_status ridge_inspect_inventory(ridge_inspect_answer *out, const ridge_model_request *r, ridge_err *err)
{
    ridge_arena *arena = &out->arena;
    if (!(out->inventory = ridge_arena_alloc(arena, sizeof *out->inventory)))
        return ridge_no_memory(err);
    ridge_inventory *read = &out->inventory->read;
    ridge_status st = r->config_text ? ridge_inventory_parse(read, r->model, (ridge_str){r->config_text, r->config_length}, arena, err)
                                     : ridge_inventory_read(read, r->model, arena, err);
    if (st || (st = ridge_inventory_tree(&out->tree, read, arena, err)) ||
        (st = ridge_inventory_shares(&out->inventory->formats, read, arena, err)) || (st = told_of(out, r, err)))
        return st;
    return warn(out, r, err);
}

/* "recorded    17 operators on input_ids[2, 3] i64" */
static void add_recorded(ridge_buf *out, const ridge_inventory *i, ridge_arena *arena)
{
    const ridge_opgraph *g = i->graph;
    if (i->failed)
        ridge_buf_addf(out, "recorded    nothing: %s\n", ridge_weight_shown(arena, ridge_str_of(i->failed)));
    if (!g)
        return;
    ridge_buf_addf(out, "recorded    %s operator%s", ridge_units_exact(arena, (ridge_int)g->main.count), RIDGE_PLURAL(g->main.count));
    for (uint32_t k = 0; k < g->main.input_count; k++) {
        const ridge_opgraph_value *v = &g->values[g->main.inputs[k]];
        ridge_buf_addf(out, "%s%s[", k ? ", " : " on ", ridge_weight_shown(arena, v->name));
        for (uint32_t d = 0; d < v->rank; d++)
            ridge_buf_addf(out, "%s%lld", d ? ", " : "", (long long)v->dims[d].size);
        ridge_buf_addf(out, "] %s", v->format->name);
    }
    ridge_buf_addc(out, '\n');
}

void ridge_inspect_inventory_summary(ridge_buf *out, ridge_inspect_answer *answer)
{
    ridge_arena *arena = &answer->arena;
    const ridge_stored_weights *formats = &answer->inventory->formats;
    ridge_buf_addf(out, "%s  %s  inventory", ridge_shown(arena, answer->told.model), ridge_shown(arena, answer->told.architecture));
    if (answer->inventory->torch[0])
        ridge_buf_addf(out, " of PyTorch %s", ridge_shown(arena, answer->inventory->torch));
    ridge_buf_addf(out, "\nparameters  %s\nweights     %s", ridge_units_exact(arena, answer->counts.total),
                   ridge_units_bytes(arena, answer->weights_bytes));
    for (size_t i = 0; i < formats->names.count; i++)
        ridge_buf_addf(out, "%s%s", i ? " + " : " in ", formats->names.items[i]);
    ridge_buf_addf(out, "   buffers %s   modules %s\n", ridge_units_bytes(arena, answer->buffers_bytes),
                   ridge_units_exact(arena, answer->tree.count));
    add_recorded(out, &answer->inventory->read, arena);
    ridge_buf_addc(out, '\n');
}

#define TOLD ridge_inspect_inventory_told
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(TOLD, torch, "torch", NULL, RIDGE_IN_JSON, "the version of PyTorch that it was made with"),
    RIDGE_R_TEXT(TOLD, python, "python", NULL, RIDGE_IN_JSON, "the version of Python"),
    RIDGE_R_COUNT(TOLD, operators, "operators", NULL, RIDGE_IN_JSON, "operators of the recorded forward pass; null where none is recorded"),
    RIDGE_R_TEXT(TOLD, failed, "failed", NULL, RIDGE_IN_JSON,
                 "why the pass could not be recorded; null where it was, or was not asked for"),
};
const ridge_record ridge_inspect_inventory_record = RIDGE_RECORD(TOLD, "inventory", fields, "an inventory of a torch.nn.Module");
