/* Weights and constants of a PT2 archive: data/weights/MODEL_weights_config.json says which entry has which tensor's storage, as raw
 * bytes; torch/export/pt2_archive/_package.py, PayloadConfig in the schema. */
#include <inttypes.h>

#include "input/pt2/parts.h"

/* One row of a config. */
typedef struct payload {
    ridge_str name;
    const ridge_json *at;         /* where it stands */
    const ridge_zip_entry *entry; /* NULL: pickled, or of no tensor */
    ridge_opgraph_value meta;
    bool is_tensor, is_parameter;
    uint64_t first; /* element of the storage */
    bool is_dense;  /* row by row, without gaps */
} payload;

typedef struct spans {
    ridge_weight_span *at;
    size_t count, cap;
    ridge_symtab storages; /* names of entries */
} spans;

static unsigned width_of(const ridge_format *format)
{
    return format->block_bits / 8;
}

/* what the strides reach lies in the entry */
static ridge_status check_room(payload *p, pt2_reader *r, const ridge_json *strides)
{
    ridge_int last = (ridge_int)p->first, dense = 1, elements = 1;
    const ridge_opgraph_value *m = &p->meta;
    p->is_dense = true;
    for (uint32_t i = m->rank; i-- > 0;) {
        ridge_opgraph_dim stride;
        ridge_int step;
        ridge_status st = pt2_dim(&stride, r, &strides->u.items[i]);
        if (st)
            return st;
        const int64_t size = m->dims[i].size;
        if (stride.size < 0 || size < 0)
            return pt2_bad(r, RIDGE_VALUE, strides, "'%s': sizes and strides of what is stored are numbers", pt2_shown(r, p->name));
        if (size > 1 && (!ridge_int_mul(&step, size - 1, stride.size) || !ridge_int_add(&last, last, step)))
            return pt2_bad(r, RIDGE_VALUE, strides, "'%s': its strides reach beyond 2^127", pt2_shown(r, p->name));
        p->is_dense &= size <= 1 || dense == stride.size;
        if (!ridge_int_mul(&dense, dense, size) || !ridge_int_mul(&elements, elements, size))
            return pt2_bad(r, RIDGE_OVERFLOW, strides, "'%s': more than 2^127 elements", pt2_shown(r, p->name));
    }
    const uint64_t room = p->entry->bytes / width_of(m->format);
    if (elements && !p->entry->bytes) /* of all such weights there is one entry, so that not even ties are known */
        return pt2_bad(r, RIDGE_VALUE, p->at,
                       "'%s' has no bytes: the program was saved with fake tensors, and which share bytes is not said",
                       pt2_shown(r, p->name));
    if (elements && last >= (ridge_int)room)
        return pt2_bad(r, RIDGE_VALUE, strides, "'%s' reaches beyond the %" PRIu64 " bytes of '%s'", pt2_shown(r, p->name), p->entry->bytes,
                       pt2_shown(r, p->entry->name));
    return RIDGE_OK;
}

static ridge_status find_entry(payload *p, pt2_reader *r, const char *folder, ridge_str path)
{
    p->entry = pt2_entry(r, "%s%.*s", folder, RIDGE_STR_ARG(path));
    return p->entry ? RIDGE_OK
                    : pt2_bad(r, RIDGE_VALUE, p->at, "'%s' is said to be in '%s%s', which is not in the archive", pt2_shown(r, p->name),
                              folder, pt2_shown(r, path));
}

static ridge_status read_meta(payload *p, pt2_reader *r, const ridge_json *meta, const char *folder, ridge_str path)
{
    const ridge_json *strides, *pickled = ridge_json_get(p->at, "use_pickle"), *first = ridge_json_get(meta, "storage_offset");
    ridge_opgraph_dim offset = {.size = 0};
    ridge_status st = pt2_tensor_meta(&p->meta, r, meta);
    if (st || (pickled && pickled->type == RIDGE_JSON_TRUE))
        return st;
    if ((st = pt2_member(&strides, r, meta, "strides", RIDGE_JSON_ARRAY)) || (first && (st = pt2_dim(&offset, r, first))))
        return st;
    if (strides->count != p->meta.rank || offset.size < 0)
        return pt2_bad(r, RIDGE_VALUE, meta, "'%s': sizes, strides and offset do not fit", pt2_shown(r, p->name));
    p->first = (uint64_t)offset.size;
    st = find_entry(p, r, folder, path);
    return st ? st : check_room(p, r, strides);
}

static ridge_status read_payload(payload *p, pt2_reader *r, const ridge_json_member *m, const char *folder)
{
    const ridge_json *meta = ridge_json_get(&m->value, "tensor_meta"), *is_parameter = ridge_json_get(&m->value, "is_param");
    ridge_str path;
    *p = (payload){.name = m->key, .at = &m->value};
    ridge_status st = pt2_text(&path, r, &m->value, "path_name");
    if (st)
        return st;
    p->is_parameter = is_parameter && is_parameter->type == RIDGE_JSON_TRUE;
    p->is_tensor = meta && meta->type != RIDGE_JSON_NULL;
    return p->is_tensor ? read_meta(p, r, meta, folder, path) : RIDGE_OK;
}

/* ---- weights ---- */

static bool is_same(const ridge_weight *w, const ridge_opgraph_value *v)
{
    bool same = w->format == v->format && w->rank == v->rank;
    for (uint32_t i = 0; same && i < v->rank; i++)
        same = v->dims[i].size >= 0 && w->shape[i] == (uint64_t)v->dims[i].size;
    return same;
}

/* where it lies in the file, and in which storage; what does not fill its place (a tensor that is expanded) has none */
static ridge_status place(ridge_weight *w, spans *all, pt2_reader *r, const payload *p)
{
    ridge_cursor c;
    if (!p->entry || !p->entry->bytes)
        return RIDGE_OK;
    ridge_status st = ridge_zip_open(&c, &r->archive.zip, p->entry, r->scratch, r->err);
    if (st)
        return st;
    const uint64_t begin = p->first * width_of(w->format), bytes = (uint64_t)w->bytes;
    if (bytes > p->entry->bytes || begin > p->entry->bytes - bytes)
        return RIDGE_OK;
    w->offset = c.at + begin;
    const ridge_symbol *storage = ridge_intern(&all->storages, p->entry->name);
    if (!storage || !ridge_arena_more(r->scratch, &all->at, all->count, &all->cap, sizeof *all->at))
        return ridge_no_memory(r->err);
    all->at[all->count++] = (ridge_weight_span){storage->id, (uint32_t)(w - r->out->weights.tensors), begin, begin + bytes};
    return RIDGE_OK;
}

static ridge_status take_weight(pt2_reader *r, spans *all, const payload *p, bool *found)
{
    ridge_weight *w = pt2_weight(r, p->name);
    const size_t before = r->out->weights.count;
    if (!p->is_tensor)
        return pt2_bad(r, RIDGE_VALUE, p->at, "'%s' is no tensor", pt2_shown(r, p->name));
    if (!p->entry)
        return pt2_bad(r, RIDGE_VALUE, p->at, "'%s' is pickled: a tensor of a class of its own, of which nobody knows what it holds",
                       pt2_shown(r, p->name));
    if (!w) {
        ridge_status st = pt2_add_stored(r, p->name, &p->meta, !p->is_parameter, p->at);
        if (st)
            return st;
        w = &r->out->weights.tensors[before];
    } else if (!is_same(w, &p->meta)) {
        return pt2_bad(r, RIDGE_VALUE, p->at, "'%s' has another shape or type in the graph", pt2_shown(r, p->name));
    } else {
        found[w - r->out->weights.tensors] = true;
    }
    return place(w, all, r, p);
}

static ridge_status config_of(const ridge_json **out, pt2_reader *r, const ridge_zip_entry *entry)
{
    const ridge_json *json;
    ridge_status st = pt2_json(&json, r, entry);
    return st ? st : pt2_member(out, r, json, "config", RIDGE_JSON_OBJECT);
}

static ridge_status read_weights(pt2_reader *r, spans *all)
{
    const ridge_zip_entry *entry = pt2_entry(r, "data/weights/%.*s_weights_config.json", RIDGE_STR_ARG(r->archive.model));
    const ridge_json *config = NULL;
    const size_t in_graph = r->out->weights.count;
    bool *found = ridge_arena_array(r->scratch, in_graph + 1, sizeof *found);
    ridge_status st = !found ? ridge_no_memory(r->err) : entry ? config_of(&config, r, entry) : RIDGE_OK;
    for (uint32_t i = 0; config && !st && i < config->count; i++) {
        payload p;
        st = read_payload(&p, r, &config->u.members[i], "data/weights/");
        st = st ? st : take_weight(r, all, &p, found);
    }
    for (size_t i = 0; i < in_graph && !st; i++)
        if (r->persistent[i] && !found[i])
            return ridge_fail(r->err, RIDGE_VALUE, "%s: '%s' is not among the stored weights", r->json_path,
                              pt2_shown(r, r->out->weights.tensors[i].name));
    return st;
}

/* ---- constants ---- */

static bool is_whole(const ridge_format *format)
{
    return (format->integer && strncmp(format->name, "complex", 7) != 0 && strncmp(format->name, "fp", 2) != 0) ||
           strcmp(format->name, "int8") == 0;
}

/* a little-endian number, with its sign but for u8, u16 and bool */
static int64_t number_of(const unsigned char *p, unsigned width, bool has_sign)
{
    uint64_t v = has_sign && p[width - 1] & 0x80 ? UINT64_MAX : 0;
    for (unsigned i = width; i-- > 0;)
        v = v << 8 | p[i];
    return (int64_t)v;
}

static ridge_status read_content(ridge_opgraph_value *value, pt2_reader *r, const payload *p)
{
    const unsigned width = width_of(value->format);
    const bool has_sign = value->format->name[0] == 'i';
    ridge_cursor c;
    ridge_str bytes;
    size_t count = 1;
    for (uint32_t i = 0; i < value->rank; i++) {
        const int64_t size = value->dims[i].size;
        if (size < 0 || (size && count > RIDGE_OPGRAPH_CONTENT / (size_t)size))
            return RIDGE_OK;
        count *= (size_t)size;
    }
    int64_t *ints = ridge_arena_array(r->arena, count + 1, sizeof *ints);
    ridge_status st = ints ? ridge_zip_open(&c, &r->archive.zip, p->entry, r->scratch, r->err) : ridge_no_memory(r->err);
    if (st || (st = ridge_cursor_skip(&c, p->first * width, "a constant", r->err)) ||
        (st = ridge_cursor_text(&bytes, &c, count * width, RIDGE_OPGRAPH_CONTENT * 8u, "a constant", r->scratch, r->err)))
        return st;
    for (size_t i = 0; i < count; i++)
        ints[i] = number_of((const unsigned char *)bytes.p + i * width, width, has_sign);
    value->ints = ints;
    value->content_count = count;
    return RIDGE_OK;
}

static bool is_little_endian(pt2_reader *r)
{
    const ridge_zip_entry *entry = pt2_entry(r, "byteorder");
    ridge_cursor c;
    ridge_str text;
    return !entry || (entry->bytes == 6 && !ridge_zip_open(&c, &r->archive.zip, entry, r->scratch, NULL) &&
                      !ridge_cursor_text(&text, &c, 6, 6, "", r->scratch, NULL) && ridge_str_is(text, "little"));
}

/* a constant of the graph, by its name; NULL: it has none of that name */
static ridge_opgraph_value *constant_of(pt2_reader *r, const ridge_symtab *names, const uint32_t *ids, ridge_str name)
{
    const ridge_symbol *symbol = ridge_intern_find(names, name);
    return symbol ? &r->out->values[ids[symbol->id]] : NULL;
}

static ridge_status take_constant(pt2_reader *r, spans *all, const payload *p, ridge_opgraph_value *constant, bool readable)
{
    ridge_weight *w = pt2_weight(r, p->name);
    if (!p->is_tensor || (!w && !constant))
        return RIDGE_OK;
    if (w && !is_same(w, &p->meta))
        return pt2_bad(r, RIDGE_VALUE, p->at, "'%s' has another shape or type in the graph", pt2_shown(r, p->name));
    if (w)
        return place(w, all, r, p);
    bool same = constant->format == p->meta.format && constant->rank == p->meta.rank;
    for (uint32_t i = 0; same && i < constant->rank; i++)
        same = constant->dims[i].size >= 0 && constant->dims[i].size == p->meta.dims[i].size;
    if (!same)
        return pt2_bad(r, RIDGE_VALUE, p->at, "'%s' has another shape or type in the graph", pt2_shown(r, p->name));
    const bool plain = readable && p->entry && p->entry->bytes && p->is_dense && is_whole(constant->format);
    return plain ? read_content(constant, r, p) : RIDGE_OK;
}

/* names of the graph's constants */
static ridge_status list_constants(ridge_symtab *names, pt2_ids *ids, pt2_reader *r)
{
    ridge_status st = ridge_symtab_init(names, r->scratch) ? RIDGE_OK : ridge_no_memory(r->err);
    for (size_t i = 0; i < r->out->value_count && !st; i++) {
        const ridge_opgraph_value *v = &r->out->values[i];
        const uint32_t before = names->count;
        if (v->origin != RIDGE_OPGRAPH_CONSTANT || !v->name.n)
            continue;
        if (!ridge_intern(names, v->name))
            return ridge_no_memory(r->err);
        st = names->count == before ? RIDGE_OK : pt2_push(r, ids, (uint32_t)i);
    }
    return st;
}

static ridge_status read_constants(pt2_reader *r, spans *all)
{
    const ridge_zip_entry *entry = pt2_entry(r, "data/constants/%.*s_constants_config.json", RIDGE_STR_ARG(r->archive.model));
    const ridge_json *config;
    ridge_symtab names;
    pt2_ids ids = {0};
    if (!entry)
        return RIDGE_OK;
    const bool readable = is_little_endian(r);
    ridge_status st = list_constants(&names, &ids, r);
    st = st ? st : config_of(&config, r, entry);
    for (uint32_t i = 0; !st && i < config->count; i++) {
        payload p;
        st = read_payload(&p, r, &config->u.members[i], "data/constants/");
        st = st ? st : take_constant(r, all, &p, constant_of(r, &names, ids.at, p.name), readable);
    }
    return st;
}

ridge_status pt2_stored(pt2_reader *r)
{
    spans all = {0};
    ridge_status st = ridge_symtab_init(&all.storages, r->scratch) ? RIDGE_OK : ridge_no_memory(r->err);
    if (st || (st = read_weights(r, &all)) || (st = read_constants(r, &all)))
        return st;
    ridge_weights_tie(&r->out->weights, all.at, all.count);
    return RIDGE_OK;
}
