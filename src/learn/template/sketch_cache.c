/* What a model keeps between calls (keys and values, a state), found in the cache that a run gave back: each tensor belongs to the module
 * in whose forward it was made. */
#include "learn/template/sketch_parts.h"

enum { DEPTH_LIMIT = 40 };

typedef struct walk {
    const ridge_run_call *call; /* the run */
    ridge_sketch_coster *c;
    const void **seen; /* [cap], a hash set of what was visited */
    size_t count, cap;
} walk;

static bool is_new(walk *w, const void *p, bool *failed)
{
    if (2 * (w->count + 1) > w->cap) {
        size_t cap = w->cap ? 2 * w->cap : 256;
        const void **seen = ridge_arena_array(w->c->calc->arena, cap, sizeof *seen);
        if (!seen) {
            *failed = true;
            return false;
        }
        for (size_t i = 0; i < w->cap; i++)
            if (w->seen[i]) {
                size_t at = ((uintptr_t)w->seen[i] >> 4) * 2654435761u & (cap - 1);
                while (seen[at])
                    at = (at + 1) & (cap - 1);
                seen[at] = w->seen[i];
            }
        w->seen = seen;
        w->cap = cap;
    }
    size_t at = ((uintptr_t)p >> 4) * 2654435761u & (w->cap - 1);
    for (; w->seen[at]; at = (at + 1) & (w->cap - 1))
        if (w->seen[at] == p)
            return false;
    w->seen[at] = p;
    w->count++;
    return true;
}

/* a layer of torch's keeps nothing itself: what a projection makes is kept by the attention round it */
static bool is_layer(const ridge_run_module *module)
{
    return strncmp(module->class_path, "torch.nn.", strlen("torch.nn.")) == 0;
}

/* the module in whose forward the storage was written last */
static ridge_sketch *maker(const ridge_run_call *call, const ridge_storage *storage, ridge_sketch *around, const ridge_sketch_coster *c,
                           unsigned depth)
{
    ridge_sketch *s = call->module && call->module->id < c->cap && !is_layer(call->module) ? c->by_id[call->module->id] : NULL,
                 *found = NULL;
    s = s ? s : around;
    for (size_t i = call->count; i-- > 0 && !found && depth < 400;) {
        const ridge_run_operator *op = call->events[i].operator;
        if (call->events[i].call)
            found = maker(call->events[i].call, storage, s, c, depth + 1);
        for (uint32_t k = 0; op && k < op->output_count; k++)
            if (op->outputs[k].tensor && op->outputs[k].tensor->storage == storage)
                found = s;
    }
    return found;
}

static ridge_status add(ridge_sketch *s, const char *name, const ridge_tensor *t, const ridge_sketch_coster *c)
{
    ridge_sketch_tensor *out;
    ridge_status st = RIDGE_OK;
    if (!ridge_arena_more(c->calc->arena, &s->cache, s->cache_count, &s->cache_cap, sizeof *s->cache))
        return ridge_no_memory(c->calc->err);
    out = &s->cache[s->cache_count];
    *out = (ridge_sketch_tensor){.name = name, .rank = t->rank, .format = t->dtype == c->act ? NULL : ridge_sketch_format(t->dtype)};
    if (!(out->dims = ridge_arena_array(c->calc->arena, t->rank + 1u, sizeof *out->dims)))
        return ridge_no_memory(c->calc->err);
    for (uint32_t i = 0; i < t->rank && !st; i++)
        st = ridge_translate_value(&out->dims[i], t->dims[i], c->t);
    for (size_t i = 0, n = 2; i < s->cache_count; i++)
        if (strcmp(s->cache[i].name, out->name) == 0 && !(out->name = ridge_arena_printf(c->calc->arena, "%s%zu", name, n++)))
            return ridge_no_memory(c->calc->err);
    s->cache_count++;
    return st;
}

static ridge_status visit(walk *w, const char *name, ridge_py v, unsigned depth);

static ridge_status visit_parts(walk *w, const char *name, ridge_py v, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    if (v.type == RIDGE_PY_T_INSTANCE) {
        for (uint32_t i = 0; i < v.u.instance->attributes.count && !st; i++)
            st = visit(w, v.u.instance->attributes.items[i].name->text, v.u.instance->attributes.items[i].value, depth + 1);
        return st ? st : visit(w, name, v.u.instance->base, depth + 1);
    }
    if (v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE)
        for (size_t i = 0; i < v.u.list->count && !st; i++)
            st = visit(w, name, v.u.list->items[i], depth + 1);
    if (v.type == RIDGE_PY_T_DICT)
        for (size_t i = 0; i < v.u.dict->used && !st; i++)
            if (v.u.dict->entries[i].key.type != RIDGE_PY_T_UNSET)
                st = visit(w, name, v.u.dict->entries[i].value, depth + 1);
    return st;
}

static ridge_status visit(walk *w, const char *name, ridge_py v, unsigned depth)
{
    bool failed = false, tensor = v.type == RIDGE_PY_T_TENSOR;
    bool container = v.type == RIDGE_PY_T_INSTANCE || v.type == RIDGE_PY_T_LIST || v.type == RIDGE_PY_T_TUPLE || v.type == RIDGE_PY_T_DICT;
    if (depth > DEPTH_LIMIT || (!tensor && !container) || ridge_run_module_of(v))
        return RIDGE_OK;
    if (!is_new(w, tensor ? (const void *)v.u.tensor->storage : v.u.pointer, &failed))
        return failed ? ridge_no_memory(w->c->calc->err) : RIDGE_OK;
    if (!tensor)
        return visit_parts(w, name, v, depth);
    ridge_sketch *s = ridge_tensor_is_counter(v.u.tensor) ? NULL : maker(w->call, v.u.tensor->storage, NULL, w->c, 0);
    return s ? add(s, name, v.u.tensor, w->c) : RIDGE_OK;
}

ridge_status ridge_sketch_keeps(ridge_py cache, const ridge_run_call *call, ridge_sketch_coster *c)
{
    walk w = {.call = call, .c = c};
    return visit(&w, "state", cache, 0);
}
