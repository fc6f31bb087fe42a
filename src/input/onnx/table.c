#include <inttypes.h>
#include <stdio.h>

#include "input/onnx/parts.h"

/* The table of weights on its way. */
typedef struct table {
    onnx_reader *r;
    ridge_weights *out;
    size_t cap, file_cap;
    ridge_symtab names, files, places;
    uint32_t *place_of; /* [symbol of a place in external data]: 1 + the tensor that is there */
    size_t place_cap;
} table;

static ridge_status add_file(uint32_t *out, table *t, ridge_str location)
{
    ridge_weights *w = t->out;
    const char *path = w->files[0], *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    const uint32_t before = t->files.count;
    const ridge_symbol *symbol = ridge_intern(&t->files, location);
    if (!symbol)
        return ridge_no_memory(t->r->err);
    *out = symbol->id + 1; /* the model's own file is the first */
    if (symbol->id < before)
        return RIDGE_OK;
    ridge_status st = ridge_onnx_more(t->r, &w->files, w->file_count, &t->file_cap, sizeof *w->files);
    if (st)
        return st;
    const char *file = ridge_arena_printf(t->r->arena, "%.*s%.*s", folder, path, RIDGE_STR_ARG(location));
    if (!file)
        return ridge_no_memory(t->r->err);
    w->files[w->file_count++] = file;
    return RIDGE_OK;
}

/* Tensors of one place in a file of external data share their bytes. */
static ridge_status share(table *t, ridge_weight *w)
{
    char place[96];
    const int n = snprintf(place, sizeof place, "%" PRIu32 ":%" PRIu64 ":%" PRIu64, w->file, w->offset, (uint64_t)w->bytes);
    const uint32_t before = t->places.count;
    const ridge_symbol *symbol = ridge_intern(&t->places, (ridge_str){place, (size_t)n});
    ridge_status st = symbol ? ridge_onnx_more(t->r, &t->place_of, before, &t->place_cap, sizeof *t->place_of) : ridge_no_memory(t->r->err);
    if (st)
        return st;
    if (symbol->id < before)
        w->tied = t->place_of[symbol->id];
    else
        t->place_of[symbol->id] = (uint32_t)t->out->count + 1;
    return RIDGE_OK;
}

/* Names of bodies may be those of others. */
static ridge_status unlike_others(ridge_str *name, table *t, size_t number)
{
    ridge_str text = *name;
    for (unsigned i = 2;; i++) {
        const uint32_t before = t->names.count;
        if (!ridge_intern(&t->names, text))
            return ridge_no_memory(t->r->err);
        if (t->names.count > before)
            break;
        const char *another = ridge_arena_printf(t->r->arena, "%.*s#%u", RIDGE_STR_ARG(*name), i < 64 ? i : i + (unsigned)number);
        if (!another)
            return ridge_no_memory(t->r->err);
        text = ridge_str_of(another);
    }
    *name = text;
    return ridge_onnx_memory(t->r);
}

static ridge_status add_weight(table *t, ridge_opgraph_value *v, const onnx_tensor *tensor, size_t number)
{
    ridge_weights *out = t->out;
    ridge_weight w = {.name = v->name,
                      .format = v->format,
                      .stored_as = tensor->dtype->word,
                      .rank = tensor->rank,
                      .shape = tensor->dims,
                      .elements = tensor->elements,
                      .bytes = tensor->bytes,
                      .buffer = v->origin == RIDGE_OPGRAPH_BUFFER,
                      .offset = tensor->external ? tensor->offset : tensor->raw_at};
    ridge_status st = ridge_onnx_more(t->r, &out->tensors, out->count, &t->cap, sizeof *out->tensors);
    if (st || (st = unlike_others(&w.name, t, number)))
        return st;
    if (tensor->sparse)
        w.stored_as = ridge_arena_printf(t->r->arena, "sparse %s", tensor->dtype->word);
    if (!w.stored_as)
        return ridge_no_memory(t->r->err);
    if (tensor->external && (st = add_file(&w.file, t, ridge_onnx_text(tensor->location))))
        return st;
    if (tensor->external && w.bytes && (st = share(t, &w)))
        return st;
    out->tensors[out->count++] = w;
    v->weight = (uint32_t)out->count;
    return RIDGE_OK;
}

ridge_status ridge_onnx_table(onnx_reader *r)
{
    ridge_opgraph *g = r->out;
    table t = {.r = r, .out = &g->weights};
    g->weights = (ridge_weights){.kind = "ONNX"};
    if (!ridge_symtab_init(&t.names, r->arena) || !ridge_symtab_init(&t.files, r->arena) || !ridge_symtab_init(&t.places, r->arena))
        return ridge_no_memory(r->err);
    ridge_status st = ridge_onnx_more(r, &g->weights.files, 0, &t.file_cap, sizeof *g->weights.files);
    if (st)
        return st;
    g->weights.files[g->weights.file_count++] = r->file->path;
    for (size_t i = 0; i < g->value_count && !st; i++) {
        ridge_opgraph_value *v = &g->values[i];
        if (r->tensor_of[i] && (v->origin == RIDGE_OPGRAPH_PARAMETER || v->origin == RIDGE_OPGRAPH_BUFFER))
            st = add_weight(&t, v, r->tensor_of[i], i);
    }
    return st ? st : ridge_weights_sum(&g->weights, r->err);
}
