#include "input/onnx/parts.h"

enum { WORK = 200000000 }; /* names looked up: what functions in functions may cost */

static ridge_status is_given(onnx_reader *r, const ridge_symbol *name, const char *who)
{
    const char *shown = ridge_weight_shown(r->arena, ridge_onnx_text(name));
    if (!who)
        return ridge_onnx_bad_node(r, &r->frame->graph->nodes[r->frame->node], RIDGE_VALUE,
                                   "it makes '%s', and another value of this graph has the name", shown);
    return ridge_fail(r->err, RIDGE_VALUE, "%s: %s has the name '%s', which another value of this graph has", r->file->path, who, shown);
}

ridge_status ridge_onnx_define(onnx_reader *r, const ridge_symbol *name, uint32_t value, const char *who)
{
    onnx_binding *b = &r->bindings[name->id];
    if (b->level == r->level)
        return is_given(r, name, who);
    ridge_status st = ridge_onnx_more(r, &r->undo, r->undo_count, &r->undo_cap, sizeof *r->undo);
    if (!st && ++r->work > WORK)
        st =
            ridge_fail(r->err, RIDGE_LIMIT, "%s: its functions, put in place of their calls, have more than %d names", r->file->path, WORK);
    if (st)
        return st;
    r->undo[r->undo_count++] = (onnx_undo){name->id, *b};
    *b = (onnx_binding){value, r->level};
    return RIDGE_OK;
}

bool ridge_onnx_lookup(uint32_t *value, onnx_reader *r, const ridge_symbol *name)
{
    const onnx_binding b = r->bindings[name->id];
    r->work++;
    *value = b.value;
    return b.level != 0 && b.level >= r->floor;
}

ridge_status ridge_onnx_enter(size_t *mark, onnx_reader *r)
{
    *mark = r->undo_count;
    if (r->level > RIDGE_ONNX_CALLS)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: functions and graphs more than %d deep in one another", r->file->path,
                          RIDGE_ONNX_CALLS);
    r->level++;
    return RIDGE_OK;
}

void ridge_onnx_leave(onnx_reader *r, size_t mark)
{
    while (r->undo_count > mark) {
        const onnx_undo u = r->undo[--r->undo_count];
        r->bindings[u.symbol] = u.before;
    }
    r->level--;
}

ridge_status ridge_onnx_value_add(uint32_t *out, onnx_reader *r, ridge_opgraph_value value, onnx_tensor *t)
{
    ridge_opgraph *g = r->out;
    ridge_status st = ridge_onnx_more(r, &g->values, g->value_count, &r->value_cap, sizeof *g->values);
    if (st || (st = ridge_onnx_more(r, &r->tensor_of, g->value_count, &r->tensor_of_cap, sizeof t)))
        return st;
    r->tensor_of[g->value_count] = t;
    g->values[g->value_count] = value;
    *out = (uint32_t)g->value_count++;
    return RIDGE_OK;
}

ridge_status ridge_onnx_tensor_value(uint32_t *out, onnx_reader *r, onnx_tensor *t, ridge_str name)
{
    if (t->value) {
        *out = t->value - 1;
        return RIDGE_OK;
    }
    ridge_opgraph_dim *dims = ridge_arena_array(r->arena, t->rank + 1u, sizeof *dims);
    if (!dims)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = (ridge_opgraph_dim){(int64_t)t->dims[i], {"", 0}};
    const ridge_opgraph_value value = {.name = name,
                                       .origin = RIDGE_OPGRAPH_CONSTANT,
                                       .format = t->dtype->format ? ridge_format_find(ridge_str_of(t->dtype->format)) : NULL,
                                       .dtype = t->dtype->word,
                                       .ranked = true,
                                       .rank = t->rank,
                                       .dims = dims};
    ridge_status st = ridge_onnx_value_add(out, r, value, t);
    t->value = st ? 0 : *out + 1;
    return st;
}
