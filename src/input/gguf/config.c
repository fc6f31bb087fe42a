/* A GGUF's metadata as the config.json of the model that it was made of. */
#include "input/gguf/model.h"

/* ---- the formats of its tensors ---- */

typedef struct share {
    const ridge_format *format;
    ridge_int elements;
} share;

enum { SHARES = 64 };

/* the format of most elements, and whether all matrices have one that is no block format */
static void find_formats(ridge_gguf_model *m)
{
    const ridge_weights *w = &m->gguf.weights;
    share shares[SHARES];
    size_t n = 0;
    bool plain = true;
    for (size_t i = 0; i < w->count; i++) {
        const ridge_weight *t = &w->tensors[i];
        size_t k = 0;
        while (k < n && shares[k].format != t->format)
            k++;
        if (k == SHARES || t->format->integer)
            continue;
        if (k == n)
            shares[n++] = (share){t->format, 0};
        shares[k].elements += t->elements;
        if (t->rank < 2)
            continue;
        plain = plain && t->format->block_elements == 1 && (!m->plain || m->plain == t->format);
        m->plain = t->format;
    }
    if (!plain)
        m->plain = NULL;
    for (size_t k = 0, most = 0; k < n; k++) {
        most = shares[k].elements > shares[most].elements ? k : most;
        m->most = shares[most].format;
    }
}

ridge_status ridge_gguf_model_read(ridge_gguf_model *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    *out = (ridge_gguf_model){.arena = arena};
    ridge_status st = ridge_gguf_read(&out->gguf, path, arena, err);
    if (st)
        return st;
    out->architecture = ridge_arena_strdup(arena, ridge_gguf_text(&out->gguf, "general.architecture"));
    out->used = ridge_arena_array(arena, out->gguf.weights.count + 1, sizeof *out->used);
    if (!out->architecture || !out->used)
        return ridge_no_memory(err);
    find_formats(out);
    return RIDGE_OK;
}

/* ---- the config ---- */

static void write_value(ridge_json_writer *w, ridge_str key, const ridge_gguf_value *v)
{
    if (v->kind == RIDGE_GGUF_NONE)
        return;
    ridge_jw_key_str(w, key);
    switch (v->kind) {
    case RIDGE_GGUF_WHOLE:
        ridge_jw_int(w, v->whole);
        break;
    case RIDGE_GGUF_REAL:
        ridge_jw_double(w, v->real);
        break;
    case RIDGE_GGUF_TRUTH:
        ridge_jw_bool(w, v->whole != 0);
        break;
    case RIDGE_GGUF_WORD:
        ridge_jw_str(w, v->text);
        break;
    case RIDGE_GGUF_LIST:
        ridge_jw_array_compact(w);
        for (size_t i = 0; i < v->count; i++)
            ridge_jw_int(w, v->list[i]);
        ridge_jw_end_array(w);
        break;
    default:
        ridge_jw_raw(w, v->text);
        break;
    }
}

/* is the field one of a nearer entry, which counts? */
static bool is_replaced(const ridge_gguf_model *m, unsigned entry, ridge_str key)
{
    for (unsigned i = 0; i < entry; i++)
        if (ridge_json_get_str(ridge_json_get(m->entries[i], "config"), key))
            return true;
    return false;
}

static ridge_status write_fields(ridge_json_writer *w, const ridge_gguf_model *m, unsigned entry, ridge_err *err)
{
    const ridge_json *fields = ridge_json_get(m->entries[entry], "config");
    for (uint32_t i = 0; fields && fields->type == RIDGE_JSON_OBJECT && i < fields->count; i++) {
        const ridge_json_member *field = &fields->u.members[i];
        ridge_gguf_value v;
        if (is_replaced(m, entry, field->key) || field->value.type == RIDGE_JSON_NULL)
            continue;
        ridge_status st = ridge_gguf_eval(&v, m, &field->value, err);
        if (st)
            return st;
        write_value(w, field->key, &v);
    }
    return RIDGE_OK;
}

ridge_status ridge_gguf_config(ridge_str *text, ridge_gguf_model *m, ridge_err *err)
{
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_status st = ridge_gguf_entry(m, err);
    if (st)
        return st;
    ridge_jw_init(&w, &buf);
    ridge_jw_object(&w);
    static const char *const names[] = {"model_type", "architectures"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const ridge_json *v = ridge_gguf_field(m, names[i]);
        if (v) {
            ridge_jw_key(&w, names[i]);
            ridge_jw_raw(&w, (ridge_str){v->begin, (size_t)(v->end - v->begin)});
        }
    }
    if (m->plain) {
        ridge_jw_key(&w, "torch_dtype");
        ridge_jw_strz(&w, m->plain->name);
    }
    for (unsigned i = 0; i < m->entry_count && !st; i++)
        st = write_fields(&w, m, i, err);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&buf, '\n');
    const size_t n = buf.n;
    char *kept = ridge_arena_take(m->arena, &buf);
    *text = (ridge_str){kept, n};
    return st ? st : kept ? RIDGE_OK : ridge_no_memory(err);
}
