#include "input/safetensors.h"

#include <inttypes.h>
#include <stdlib.h>

/* the format's own word, ours */
static const struct {
    const char *dtype, *format;
} dtypes[] = {
    {"BOOL", "bool"},
    {"U8", "u8"},
    {"I8", "int8"},
    {"I16", "i16"},
    {"U16", "u16"},
    {"F16", "fp16"},
    {"BF16", "bf16"},
    {"I32", "i32"},
    {"U32", "u32"},
    {"F32", "fp32"},
    {"F64", "fp64"},
    {"I64", "i64"},
    {"U64", "u64"},
    {"C64", "complex64"},
    {"F8_E4M3", "fp8_e4m3"},
    {"F8_E5M2", "fp8_e5m2"},
    {"F8_E8M0", "fp8_e8m0"},
    {"F4", "fp4_e2m1"},
    {"F6_E2M3", "fp6_e2m3"},
    {"F6_E3M2", "fp6_e3m2"},
    {"F8_E4M3FNUZ", "fp8_e4m3"},
    {"F8_E5M2FNUZ", "fp8_e5m2"},
};

typedef struct reader {
    ridge_weights *out;
    ridge_binary *file;
    ridge_arena *arena;
    ridge_err *err;
    uint64_t data_at, data_size; /* of the tensors' bytes in the file */
    struct span {
        uint64_t begin, end;
        const ridge_json *at;
        ridge_str name;
    } * spans;
} reader;

static ridge_status bad(const reader *r, ridge_status code, const ridge_json *at, ridge_str name, const char *what)
{
    return ridge_fail_at(r->err, code, r->file->path, at->line, at->col, "tensor '%s': %s", ridge_weight_shown(r->arena, name), what);
}

/* digits only: a JSON number may be negative, a fraction, 1e3, NaN */
static bool whole(uint64_t *out, const ridge_json *v)
{
    *out = 0;
    if (!v || v->type != RIDGE_JSON_NUMBER || !v->u.text.n)
        return false;
    for (size_t i = 0; i < v->u.text.n; i++) {
        const char c = v->u.text.p[i];
        if (!ridge_is_digit(c) || *out > (UINT64_MAX - (uint64_t)(c - '0')) / 10)
            return false;
        *out = *out * 10 + (uint64_t)(c - '0');
    }
    return true;
}

static ridge_status read_dtype(ridge_weight *w, const reader *r, const ridge_json *tensor)
{
    const ridge_json *v = ridge_json_get(tensor, "dtype");
    if (!v || v->type != RIDGE_JSON_STRING)
        return bad(r, RIDGE_TYPE, v ? v : tensor, w->name, v ? "its dtype is no text" : "it has no dtype");
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (ridge_str_is(v->u.text, dtypes[i].dtype)) {
            w->stored_as = dtypes[i].dtype;
            w->format = ridge_format_find(ridge_str_of(dtypes[i].format));
            return RIDGE_OK;
        }
    return bad(r, RIDGE_VALUE, v, w->name,
               ridge_arena_printf(r->arena, "the dtype '%s' is none of safetensors'", ridge_weight_shown(r->arena, v->u.text)));
}

static ridge_status read_shape(ridge_weight *w, const reader *r, const ridge_json *tensor)
{
    const ridge_json *v = ridge_json_get(tensor, "shape");
    if (!v || v->type != RIDGE_JSON_ARRAY)
        return bad(r, RIDGE_TYPE, v ? v : tensor, w->name, v ? "its shape is no list" : "it has no shape");
    uint64_t *shape = ridge_arena_array(r->arena, v->count + 1u, sizeof *shape);
    if (!shape)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < v->count; i++)
        if (!whole(&shape[i], &v->u.items[i]))
            return bad(r, RIDGE_VALUE, &v->u.items[i], w->name, "a dimension is no whole number below 2^64");
    w->shape = shape;
    w->rank = v->count;
    return ridge_weight_measure(w) ? RIDGE_OK : bad(r, RIDGE_OVERFLOW, v, w->name, "a tensor of this shape has more than 2^63 bytes");
}

static ridge_status read_offsets(ridge_weight *w, reader *r, const ridge_json *tensor)
{
    const ridge_json *v = ridge_json_get(tensor, "data_offsets");
    struct span *span = &r->spans[r->out->count];
    if (!v || v->type != RIDGE_JSON_ARRAY || v->count != 2)
        return bad(r, RIDGE_TYPE, v ? v : tensor, w->name, v ? "its data_offsets are not two numbers" : "it has no data_offsets");
    *span = (struct span){0, 0, v, w->name};
    if (!whole(&span->begin, &v->u.items[0]) || !whole(&span->end, &v->u.items[1]))
        return bad(r, RIDGE_VALUE, v, w->name, "its data_offsets are no whole numbers below 2^64");
    if (span->end < span->begin)
        return bad(r, RIDGE_VALUE, v, w->name, "its data_offsets end before they begin");
    if (w->elements * w->format->block_bits % 8 != 0)
        return bad(r, RIDGE_VALUE, v, w->name, "its elements do not fill whole bytes");
    if ((ridge_int)(span->end - span->begin) != w->bytes)
        return bad(r, RIDGE_VALUE, v, w->name,
                   ridge_arena_printf(r->arena, "its data_offsets hold %" PRIu64 " bytes, and its shape takes %" PRIu64 " in %s",
                                      span->end - span->begin, (uint64_t)w->bytes, w->stored_as));
    if (span->end > r->data_size)
        return bad(r, RIDGE_VALUE, v, w->name,
                   ridge_arena_printf(r->arena, "it ends at byte %" PRIu64 " of the tensors' bytes, of which the file has %" PRIu64,
                                      span->end, r->data_size));
    w->offset = r->data_at + span->begin;
    return RIDGE_OK;
}

static ridge_status read_tensor(reader *r, const ridge_json_member *m)
{
    ridge_weight *w = &r->out->tensors[r->out->count];
    static const char *const keys[] = {"dtype", "shape", "data_offsets"};
    *w = (ridge_weight){.name = m->key};
    if (m->value.type != RIDGE_JSON_OBJECT)
        return bad(r, RIDGE_TYPE, &m->value, w->name, "it is no object");
    for (uint32_t i = 0; i < m->value.count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            known |= ridge_str_is(m->value.u.members[i].key, keys[k]);
        if (!known)
            return bad(r, RIDGE_NAME, &m->value.u.members[i].value, w->name,
                       ridge_arena_printf(r->arena, "the key '%s' is none of safetensors'",
                                          ridge_weight_shown(r->arena, m->value.u.members[i].key)));
    }
    ridge_status st = read_dtype(w, r, &m->value);
    if (st || (st = read_shape(w, r, &m->value)) || (st = read_offsets(w, r, &m->value)))
        return st;
    r->out->count++;
    return RIDGE_OK;
}

/* __metadata__: texts by name */
static ridge_status read_metadata(reader *r, const ridge_json *v)
{
    if (v->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(r->err, RIDGE_TYPE, r->file->path, v->line, v->col, "__metadata__: want an object of texts, found %s",
                             ridge_json_type_name(v->type));
    for (uint32_t i = 0; i < v->count; i++)
        if (v->u.members[i].value.type != RIDGE_JSON_STRING)
            return ridge_fail_at(r->err, RIDGE_TYPE, r->file->path, v->u.members[i].value.line, v->u.members[i].value.col,
                                 "__metadata__: want texts, found %s", ridge_json_type_name(v->u.members[i].value.type));
    r->out->metadata = v;
    return RIDGE_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* "The byte buffer needs to be entirely indexed, and cannot contain holes" */
static ridge_status check_spans(reader *r)
{
    const size_t n = r->out->count;
    uint64_t at = 0;
    qsort(r->spans, n, sizeof *r->spans, by_place);
    for (size_t i = 0; i < n; i++) {
        const struct span *s = &r->spans[i];
        if (s->begin < at)
            return bad(r, RIDGE_VALUE, s->at, s->name,
                       ridge_arena_printf(r->arena, "its bytes overlap those of '%s'", ridge_weight_shown(r->arena, s[-1].name)));
        if (s->begin > at)
            return bad(r, RIDGE_VALUE, s->at, s->name,
                       ridge_arena_printf(r->arena, "the %" PRIu64 " byte%s before it belong%s to no tensor", s->begin - at,
                                          RIDGE_PLURAL(s->begin - at), s->begin - at == 1 ? "s" : ""));
        at = s->end;
    }
    if (at != r->data_size)
        return ridge_fail(r->err, RIDGE_VALUE, "%s: the last %" PRIu64 " byte%s to no tensor", r->file->path, r->data_size - at,
                          r->data_size - at == 1 ? " belongs" : "s belong");
    return RIDGE_OK;
}

static ridge_status read_header(reader *r, const ridge_json *header)
{
    ridge_status st = RIDGE_OK;
    if (header->type != RIDGE_JSON_OBJECT)
        return ridge_fail_at(r->err, RIDGE_TYPE, r->file->path, header->line, header->col, "the header of a safetensors file is an object");
    r->out->tensors = ridge_arena_array(r->arena, header->count + 1u, sizeof *r->out->tensors);
    r->spans = ridge_arena_array(r->arena, header->count + 1u, sizeof *r->spans);
    if (!r->out->tensors || !r->spans)
        return ridge_no_memory(r->err);
    for (uint32_t i = 0; i < header->count && !st; i++) {
        const ridge_json_member *m = &header->u.members[i];
        st = ridge_str_is(m->key, "__metadata__") ? read_metadata(r, &m->value) : read_tensor(r, m);
    }
    return st ? st : check_spans(r);
}

bool ridge_safetensors_looks(ridge_binary *file)
{
    ridge_cursor c = ridge_cursor_all(file);
    uint64_t n;
    uint8_t brace;
    return !ridge_cursor_u64(&n, &c, "", NULL) && n <= ridge_cursor_left(&c) && !ridge_cursor_u8(&brace, &c, "", NULL) && brace == '{';
}

ridge_status ridge_safetensors_read(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err)
{
    reader r = {.out = out, .file = file, .arena = arena, .err = err};
    ridge_cursor c = ridge_cursor_all(file);
    uint64_t n;
    ridge_str text;
    ridge_json *header;
    *out = (ridge_weights){.kind = "safetensors", .file_count = 1};
    if (!(out->files = ridge_arena_array(arena, 1, sizeof *out->files)))
        return ridge_no_memory(err);
    out->files[0] = file->path;
    ridge_status st = ridge_cursor_u64(&n, &c, "the header's length", err);
    if (st || (st = ridge_cursor_text(&text, &c, n, RIDGE_SAFETENSORS_HEADER_LIMIT, "the header", arena, err)))
        return st;
    if (!text.n || text.p[0] != '{')
        return ridge_fail(err, RIDGE_SYNTAX, "%s: the header at byte 8 does not begin with '{': this is no safetensors file", file->path);
    r.data_at = c.at;
    r.data_size = ridge_cursor_left(&c);
    st = ridge_json_parse(&header, text, file->path, (ridge_json_options){.unique_keys = true}, arena, err);
    if (st || (st = read_header(&r, header)))
        return st;
    return arena->failed ? ridge_no_memory(err) : ridge_weights_sum(out, err);
}
