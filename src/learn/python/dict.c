/* Dicts and sets in order of insertion, and scopes. */
#include "learn/python/interp.h"

/* ---- dicts ---- */

static ridge_status rebuild(ridge_py_dict *d, size_t cap, ridge_py_interp *in)
{
    ridge_py_entry *entries = ridge_arena_array(in->arena, cap, sizeof *entries);
    size_t index_cap = 2 * cap, used = 0;
    uint32_t *index = ridge_arena_array(in->arena, index_cap, sizeof *index);
    if (!entries || !index)
        return ridge_no_memory(in->err);
    for (size_t i = 0; i < d->used; i++) {
        if (d->entries[i].key.type == RIDGE_PY_T_UNSET)
            continue;
        size_t at = d->entries[i].hash & (index_cap - 1);
        while (index[at])
            at = (at + 1) & (index_cap - 1);
        entries[used] = d->entries[i];
        index[at] = (uint32_t)++used;
    }
    d->entries = entries;
    d->index = index;
    d->cap = cap;
    d->index_cap = index_cap;
    d->used = used;
    return RIDGE_OK;
}

/* where the key is in the index: *place is 1 + its place in entries, 0: not there, *at the free slot */
static ridge_status look(size_t *at, size_t *place, const ridge_py_dict *d, ridge_py key, uint64_t hash, ridge_py_interp *in)
{
    *place = 0;
    *at = 0;
    if (!d->index_cap)
        return RIDGE_OK;
    for (*at = hash & (d->index_cap - 1); d->index[*at]; *at = (*at + 1) & (d->index_cap - 1)) {
        uint32_t found = d->index[*at];
        bool same = false;
        if (found == UINT32_MAX || d->entries[found - 1].hash != hash)
            continue;
        ridge_status st = ridge_py_equal(&same, d->entries[found - 1].key, key, in);
        if (st || same) {
            *place = found;
            return st;
        }
    }
    return RIDGE_OK;
}

ridge_status ridge_py_dict_get(ridge_py *out, const ridge_py_dict *dict, ridge_py key, ridge_py_interp *in)
{
    uint64_t hash;
    size_t at, place;
    ridge_status st;
    *out = ridge_py_unset();
    if ((st = ridge_py_hash(&hash, key, in)) || (st = look(&at, &place, dict, key, hash, in)) || !place)
        return st;
    const ridge_py_entry *e = &dict->entries[place - 1];
    *out = e->value.type == RIDGE_PY_T_UNSET ? e->key : e->value; /* a set's value is its key */
    return RIDGE_OK;
}

ridge_status ridge_py_dict_set(ridge_py_dict *dict, ridge_py key, ridge_py value, ridge_py_interp *in)
{
    uint64_t hash;
    size_t at, place;
    ridge_status st = ridge_py_hash(&hash, key, in);
    if (st || (st = look(&at, &place, dict, key, hash, in)))
        return st;
    if (place) {
        dict->entries[place - 1].value = value;
        return RIDGE_OK;
    }
    if (dict->used == dict->cap) {
        size_t cap = dict->cap ? dict->cap : 2;
        if ((st = rebuild(dict, dict->count * 2 >= cap ? cap * 2 : cap, in)) || (st = look(&at, &place, dict, key, hash, in)))
            return st;
    }
    dict->entries[dict->used] = (ridge_py_entry){key, value, hash};
    dict->index[at] = (uint32_t)++dict->used;
    dict->count++;
    return RIDGE_OK;
}

ridge_status ridge_py_dict_remove(bool *was_there, ridge_py_dict *dict, ridge_py key, ridge_py_interp *in)
{
    uint64_t hash;
    size_t at, place;
    ridge_status st;
    *was_there = false;
    if ((st = ridge_py_hash(&hash, key, in)) || (st = look(&at, &place, dict, key, hash, in)) || !place)
        return st;
    *was_there = true;
    dict->entries[place - 1].key = dict->entries[place - 1].value = ridge_py_unset();
    dict->index[at] = UINT32_MAX;
    dict->count--;
    return RIDGE_OK;
}

ridge_py ridge_py_dict_getz(const ridge_py_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->used; i++)
        if (dict->entries[i].key.type == RIDGE_PY_T_STR && ridge_str_is(dict->entries[i].key.u.s->text, key))
            return dict->entries[i].value;
    return ridge_py_unset();
}

ridge_status ridge_py_dict_setz(ridge_py_dict *dict, const char *key, ridge_py value, ridge_py_interp *in)
{
    ridge_py k;
    ridge_status st = ridge_py_strz(&k, key, in);
    return st ? st : ridge_py_dict_set(dict, k, value, in);
}

/* ---- scopes ---- */

enum { FEW = 8 };

static uint32_t *slot_of(const ridge_py_scope *s, const ridge_symbol *name)
{
    uint32_t at = (name->id * 2654435769u) & (s->index_cap - 1);
    while (s->index[at] && s->items[s->index[at] - 1].name != name)
        at = (at + 1) & (s->index_cap - 1);
    return &s->index[at];
}

ridge_py *ridge_py_scope_find(const ridge_py_scope *scope, const ridge_symbol *name)
{
    ridge_py_binding *found = NULL;
    if (scope->index) {
        uint32_t place = *slot_of(scope, name);
        found = place ? &scope->items[place - 1] : NULL;
    } else {
        for (uint32_t i = 0; i < scope->count && !found; i++)
            if (scope->items[i].name == name)
                found = &scope->items[i];
    }
    return found && found->value.type != RIDGE_PY_T_UNSET ? &found->value : NULL;
}

static ridge_status index_scope(ridge_py_scope *s, ridge_py_interp *in)
{
    uint32_t cap = s->index_cap ? s->index_cap * 2 : 4 * FEW;
    uint32_t *index = ridge_arena_array(in->arena, cap, sizeof *index);
    if (!index)
        return ridge_no_memory(in->err);
    s->index = index;
    s->index_cap = cap;
    for (uint32_t i = 0; i < s->count; i++)
        *slot_of(s, s->items[i].name) = i + 1;
    return RIDGE_OK;
}

static ridge_py_binding *binding_of(const ridge_py_scope *s, const ridge_symbol *name)
{
    if (s->index) {
        uint32_t place = *slot_of(s, name);
        return place ? &s->items[place - 1] : NULL;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (s->items[i].name == name)
            return &s->items[i];
    return NULL;
}

ridge_status ridge_py_scope_set(ridge_py_scope *scope, const ridge_symbol *name, ridge_py value, ridge_py_interp *in)
{
    ridge_py_binding *there = binding_of(scope, name);
    ridge_status st = RIDGE_OK;
    if (there) {
        there->value = value;
        return RIDGE_OK;
    }
    size_t cap = scope->cap;
    if (!cap) { /* most objects of a large model have a few attributes */
        cap = FEW / 2;
        scope->items = ridge_arena_array(in->arena, cap, sizeof *scope->items);
    }
    if (!scope->items || !ridge_arena_more(in->arena, &scope->items, scope->count, &cap, sizeof *scope->items))
        return ridge_no_memory(in->err);
    scope->cap = (uint32_t)cap;
    scope->items[scope->count++] = (ridge_py_binding){name, value};
    if (scope->index ? scope->count * 2 > scope->index_cap : scope->count > FEW)
        st = index_scope(scope, in);
    else if (scope->index)
        *slot_of(scope, name) = scope->count;
    return st;
}

bool ridge_py_scope_remove(ridge_py_scope *scope, const ridge_symbol *name)
{
    ridge_py *v = ridge_py_scope_find(scope, name);
    if (!v)
        return false;
    *v = ridge_py_unset();
    return true;
}
