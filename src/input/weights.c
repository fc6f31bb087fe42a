#include "input/weights.h"

#include <stdlib.h>

#include "base/shown.h"

bool ridge_weight_measure(ridge_weight *w)
{
    const ridge_int columns = w->rank ? w->shape[w->rank - 1] : 1;
    ridge_int rows = 1;
    for (uint32_t i = 0; i + 1 < w->rank; i++)
        if (!ridge_int_mul(&rows, rows, w->shape[i]))
            return false;
    return ridge_int_mul(&w->elements, rows, columns) && ridge_format_bytes(&w->bytes, w->format, rows, columns) && w->bytes <= INT64_MAX;
}

const char *ridge_weight_shown(ridge_arena *arena, ridge_str name)
{
    enum { MOST = 160 }; /* of a message's 512 bytes */
    ridge_buf text = {0};
    ridge_buf_add_shown(&text, (ridge_str){name.p, name.n < MOST ? name.n : MOST}, 0);
    if (name.n > MOST)
        ridge_buf_addz(&text, "...");
    const char *shown = name.n ? ridge_arena_take(arena, &text) : "";
    return shown ? shown : "";
}

static ridge_status stands_twice(const ridge_weights *weights, uint32_t a, uint32_t b, ridge_arena *arena, ridge_err *err)
{
    const ridge_weight *first = &weights->tensors[a], *second = &weights->tensors[b];
    const char *name = ridge_weight_shown(arena, first->name);
    if (first->file == second->file)
        return ridge_fail(err, RIDGE_VALUE, "%s: the tensor '%s' stands there twice", weights->files[first->file], name);
    return ridge_fail(err, RIDGE_VALUE, "the tensor '%s' is in %s and in %s: where these are two models, give one file", name,
                      weights->files[first->file], weights->files[second->file]);
}

ridge_status ridge_weight_names_make(ridge_weight_names *out, const ridge_weights *weights, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_weight_names){0};
    if (!ridge_symtab_init(&out->names, arena))
        return ridge_no_memory(err);
    for (size_t i = 0; i < weights->count; i++) {
        const uint32_t before = out->names.count;
        const ridge_symbol *symbol = ridge_intern(&out->names, weights->tensors[i].name);
        if (!symbol || !ridge_arena_more(arena, &out->at, before, &out->cap, sizeof *out->at))
            return ridge_no_memory(err);
        if (out->names.count == before)
            return stands_twice(weights, out->at[symbol->id], (uint32_t)i, arena, err);
        out->at[symbol->id] = (uint32_t)i;
    }
    return RIDGE_OK;
}

ridge_weight *ridge_weight_find(const ridge_weight_names *names, const ridge_weights *weights, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(&names->names, name);
    return symbol ? &weights->tensors[names->at[symbol->id]] : NULL;
}

ridge_status ridge_weights_sum(ridge_weights *weights, ridge_err *err)
{
    weights->bytes = weights->elements = 0;
    for (size_t i = 0; i < weights->count; i++) {
        const ridge_weight *w = &weights->tensors[i];
        if (!w->tied && (!ridge_int_add(&weights->bytes, weights->bytes, w->bytes) ||
                         !ridge_int_add(&weights->elements, weights->elements, w->elements)))
            return ridge_overflow(err, "the size of all tensors");
    }
    return RIDGE_OK;
}

static int by_place(const void *a, const void *b)
{
    const ridge_weight_span *x = a, *y = b;
    if (x->storage != y->storage)
        return x->storage < y->storage ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void ridge_weights_tie(ridge_weights *weights, ridge_weight_span *spans, size_t count)
{
    const ridge_weight_span *over = NULL;
    if (count)
        qsort(spans, count, sizeof *spans, by_place);
    for (size_t i = 0; i < count; i++) {
        const ridge_weight_span *s = &spans[i];
        if (over && over->storage == s->storage && s->end <= over->end && s->begin < s->end)
            weights->tensors[s->at].tied = over->at + 1;
        else if (!over || over->storage != s->storage || s->end > over->end)
            over = s;
    }
}
