/* Operators as the catalog has them: the text fields of an entry, inheritance followed. */
#include "catalog/inherit.h"
#include "opgraph/run.h"

static const char *text_field(ridge_opgraph_run *run, const ridge_ancestor *chain, const char *field)
{
    ridge_member m = ridge_inherit_field(chain, field);
    return m.value && m.value->type == RIDGE_JSON_STRING && m.value->u.text.n ? ridge_arena_strdup(run->arena, m.value->u.text) : NULL;
}

static ridge_status read_flops(ridge_opgraph_spec *out, ridge_opgraph_run *run, const ridge_ancestor *chain)
{
    ridge_member m = ridge_inherit_field(chain, "flops");
    if (!m.value || m.value->type != RIDGE_JSON_OBJECT || m.value->count != 1)
        return RIDGE_OK;
    const ridge_json_member *one = &m.value->u.members[0];
    out->flop_class = ridge_arena_strdup(run->arena, one->key);
    out->flops = ridge_arena_strdup(run->arena, one->value.u.text);
    return out->flop_class && out->flops ? RIDGE_OK : ridge_no_memory(run->err);
}

static ridge_status read_spec(const ridge_opgraph_spec **out, ridge_opgraph_run *run, ridge_source *source, const char *name)
{
    ridge_ancestor *chain;
    ridge_entry *entry; /* compiled for its checks: an entry of the user's may be wrong */
    ridge_opgraph_spec *spec = ridge_arena_alloc(run->arena, sizeof *spec);
    ridge_status st = spec ? ridge_registry_entry(&entry, run->registry, source->key, run->err) : ridge_no_memory(run->err);
    if (st || entry->kind != RIDGE_KIND_OPERATOR || (st = ridge_inherit_chain(&chain, run->registry, source, run->err)))
        return st;
    *spec = (ridge_opgraph_spec){.name = name, .key = source->key->text};
    spec->signature = text_field(run, chain, "signature");
    spec->shape = text_field(run, chain, "shape");
    spec->dtype = text_field(run, chain, "dtype");
    spec->bytes = text_field(run, chain, "bytes");
    spec->fuses = text_field(run, chain, "fuses");
    *out = spec;
    return run->arena->failed ? ridge_no_memory(run->err) : read_flops(spec, run, chain);
}

ridge_status ridge_opgraph_spec_find(const ridge_opgraph_spec **out, ridge_opgraph_run *run, const char *name)
{
    const ridge_symbol *symbol = ridge_intern(&run->specs, ridge_str_of(name));
    if (!symbol)
        return ridge_no_memory(run->err);
    *out = NULL;
    while (symbol->id >= run->spec_cap) {
        const size_t n = run->spec_cap;
        if (!ridge_arena_more(run->arena, &run->spec_of, n, &run->spec_cap, sizeof *run->spec_of))
            return ridge_no_memory(run->err);
        memset(run->spec_of + n, 0, (run->spec_cap - n) * sizeof *run->spec_of);
    }
    if ((*out = run->spec_of[symbol->id]))
        return RIDGE_OK;
    const ridge_symbol *key = ridge_registry_key(run->registry, ridge_str_of(name));
    ridge_source *source = key ? ridge_registry_find(run->registry, key) : NULL;
    if (!key || ridge_registry_failed(run->registry))
        return ridge_no_memory(run->err);
    ridge_status st = source ? read_spec(out, run, source, name) : RIDGE_OK;
    run->spec_of[symbol->id] = *out;
    return st;
}
