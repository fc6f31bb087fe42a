/* The weights of a program: its rows from the graph, in the order of its inputs, and beside them what the archive stores. */
#include <inttypes.h>

#include "input/checkpoint.h"
#include "input/pt2/parts.h"

static ridge_status add_row(uint32_t *at, pt2_reader *r, const ridge_weight *w, bool persistent)
{
    ridge_weights *t = &r->out->weights;
    const uint32_t before = r->weights.count;
    if (!ridge_intern(&r->weights, w->name) || !ridge_arena_more(r->arena, &t->tensors, t->count, &r->weight_cap, sizeof *t->tensors) ||
        !ridge_arena_more(r->scratch, &r->persistent, t->count, &r->persistent_cap, sizeof *r->persistent))
        return ridge_no_memory(r->err);
    if (r->weights.count == before)
        return ridge_fail(r->err, RIDGE_VALUE, "%s: '%s' is two parameters or buffers", r->json_path, pt2_shown(r, w->name));
    *at = (uint32_t)t->count;
    r->persistent[t->count] = persistent;
    t->tensors[t->count++] = *w;
    return RIDGE_OK;
}

static ridge_status measure(ridge_weight *w, pt2_reader *r, const ridge_opgraph_value *v, const ridge_json *at)
{
    uint64_t *shape = ridge_arena_array(r->arena, v->rank + 1u, sizeof *shape);
    if (!shape)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < v->rank; i++) {
        if (v->dims[i].size < 0)
            return pt2_bad(r, RIDGE_VALUE, at, "the size of '%s' is '%s', and no number", pt2_shown(r, w->name),
                           pt2_shown(r, v->dims[i].name));
        shape[i] = (uint64_t)v->dims[i].size;
    }
    w->shape = shape;
    w->rank = v->rank;
    w->format = v->format;
    w->stored_as = v->dtype;
    return ridge_weight_measure(w)
               ? RIDGE_OK
               : pt2_bad(r, RIDGE_OVERFLOW, at, "'%s': a tensor of this shape has more than 2^63 bytes", pt2_shown(r, w->name));
}

ridge_status pt2_add_weight(pt2_reader *r, uint32_t value, bool buffer, bool persistent, const ridge_json *at)
{
    const ridge_opgraph_value *v = &r->out->values[value];
    ridge_weight w = {.name = v->name, .buffer = buffer};
    uint32_t row;
    if (!v->dims) /* a number that nodes hand on */
        return pt2_bad(r, RIDGE_TYPE, at, "'%s' is a parameter or a buffer, and no tensor", pt2_shown(r, v->name));
    ridge_status st = measure(&w, r, v, at);
    if (st || (st = add_row(&row, r, &w, persistent)))
        return st;
    r->out->values[value].weight = row + 1;
    return RIDGE_OK;
}

/* A row of what the graph does not read, and a value for it, so that it counts among the model's parameters. */
static ridge_status add_unread(uint32_t *row, pt2_reader *r, const ridge_weight *w, ridge_opgraph_value value)
{
    uint32_t id;
    ridge_status st = add_row(row, r, w, true);
    value.name = w->name;
    value.origin = w->buffer ? RIDGE_OPGRAPH_BUFFER : RIDGE_OPGRAPH_PARAMETER;
    value.weight = st ? 0 : *row + 1;
    return st ? st : pt2_add_value(&id, r, value);
}

ridge_status pt2_add_stored(pt2_reader *r, ridge_str name, const ridge_opgraph_value *v, bool buffer, const ridge_json *at)
{
    ridge_weight w = {.buffer = buffer};
    uint32_t row;
    ridge_status st = pt2_keep(&w.name, r, name);
    if (st || (st = measure(&w, r, v, at)))
        return st;
    return add_unread(&row, r, &w, *v);
}

ridge_weight *pt2_weight(pt2_reader *r, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(&r->weights, name);
    return symbol ? &r->out->weights.tensors[symbol->id] : NULL;
}

/* ---- state dicts that torch.save wrote, in an archive of their own ---- */

static bool is_same(const ridge_weight *a, const ridge_weight *b)
{
    return a->format == b->format && a->rank == b->rank && (!a->rank || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0);
}

static ridge_status other_shape(pt2_reader *r, const ridge_weight *w)
{
    return ridge_fail(r->err, RIDGE_VALUE, "%s: '%s' has another shape or type in the graph than in the state dict", r->json_path,
                      pt2_shown(r, w->name));
}

/* a tensor that the graph does not have: a parameter that nothing reads, or another name of one that it has */
static ridge_status add_left_over(uint32_t *row, pt2_reader *r, const ridge_weight *stored)
{
    ridge_weight w = *stored;
    uint64_t *shape = ridge_arena_array(r->arena, w.rank + 1u, sizeof *shape);
    ridge_opgraph_dim *dims = ridge_arena_array(r->arena, w.rank + 1u, sizeof *dims);
    if (!shape || !dims)
        return ridge_no_memory(r->err);
    if (w.rank > RIDGE_OPGRAPH_RANK)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: '%s' has more than %d dimensions", r->json_path, pt2_shown(r, w.name),
                          RIDGE_OPGRAPH_RANK);
    for (uint32_t i = 0; i < w.rank; i++) {
        shape[i] = stored->shape[i];
        dims[i].size = (int64_t)shape[i]; /* below 2^63, as its elements have bytes */
    }
    w.shape = shape;
    w.file = w.tied = 0;
    w.offset = 0;
    w.buffer = !w.parameter;
    ridge_status st = pt2_keep(&w.name, r, stored->name);
    return st ? st
              : add_unread(row, r, &w,
                           (ridge_opgraph_value){.format = w.format, .dtype = w.stored_as, .ranked = true, .rank = w.rank, .dims = dims});
}

static ridge_status match(pt2_reader *r, const ridge_weights *stored)
{
    uint32_t *rows = ridge_arena_array(r->scratch, stored->count + 1, sizeof *rows);
    bool *found = ridge_arena_array(r->scratch, r->out->weights.count + 1, sizeof *found);
    const size_t in_graph = r->out->weights.count;
    ridge_status st = rows && found ? RIDGE_OK : ridge_no_memory(r->err);
    for (size_t i = 0; i < stored->count && !st; i++) {
        const ridge_weight *s = &stored->tensors[i], *w = pt2_weight(r, s->name);
        if (!w) {
            st = add_left_over(&rows[i], r, s);
            continue;
        }
        rows[i] = (uint32_t)(w - r->out->weights.tensors);
        if (rows[i] >= in_graph || found[rows[i]])
            return ridge_fail(r->err, RIDGE_VALUE, "%s: the state dict has '%s' twice", r->json_path, pt2_shown(r, s->name));
        found[rows[i]] = true;
        if (!is_same(s, w))
            return other_shape(r, w);
    }
    for (size_t i = 0; i < in_graph && !st; i++)
        if (r->persistent[i] && !found[i])
            return ridge_fail(r->err, RIDGE_VALUE, "%s: '%s' is not in the state dict", r->json_path,
                              pt2_shown(r, r->out->weights.tensors[i].name));
    for (size_t i = 0; i < stored->count && !st; i++)
        if (stored->tensors[i].tied)
            r->out->weights.tensors[rows[i]].tied = rows[stored->tensors[i].tied - 1] + 1;
    return st;
}

static bool wants_any(const pt2_reader *r)
{
    for (size_t i = 0; i < r->out->weights.count; i++)
        if (r->persistent[i])
            return true;
    return false;
}

static ridge_status read_state_dict(pt2_reader *r, const ridge_zip_entry *entry)
{
    ridge_cursor c;
    ridge_binary part;
    ridge_weights stored;
    const char *path = ridge_arena_printf(r->scratch, "%s (%s)", r->archive.zip.file->path, pt2_shown(r, entry->name));
    if (!path)
        return ridge_no_memory(r->err);
    ridge_status st = ridge_zip_open(&c, &r->archive.zip, entry, r->scratch, r->err);
    if (st || (st = ridge_binary_part(&part, &c, path, r->scratch, r->err)) ||
        (st = ridge_checkpoint_read(&stored, &part, r->scratch, r->err)))
        return st;
    return match(r, &stored);
}

static const ridge_zip_entry *find_state_dict(pt2_reader *r)
{
    if (!r->archive.flat)
        return pt2_entry(r, "data/weights/%.*s.pt", RIDGE_STR_ARG(r->archive.model));
    const ridge_zip_entry *entry = pt2_entry(r, "serialized_state_dict.pt");
    return entry ? entry : pt2_entry(r, "serialized_state_dict.json");
}

ridge_status pt2_weights(pt2_reader *r)
{
    const ridge_zip_entry *entry = find_state_dict(r);
    ridge_status st = RIDGE_OK;
    if (!entry && !r->archive.flat)
        st = pt2_stored(r);
    else if (wants_any(r) && (!entry || !entry->bytes))
        st = ridge_fail(r->err, RIDGE_VALUE, "%s: there are no weights in the archive: no state dict", r->archive.zip.file->path);
    else if (wants_any(r))
        st = read_state_dict(r, entry);
    return st ? st : ridge_weights_sum(&r->out->weights, r->err);
}
