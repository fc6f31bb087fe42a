#include <inttypes.h>
#include <stdio.h>

#include "input/onnx/parts.h"

enum { EXTERNAL = 1, COUNTED_MOST = 1 << 20 };

/* A TensorProto on its way. */
typedef struct building {
    onnx_tensor *t;
    size_t cap;
    uint64_t raw_bytes;    /* of raw_data */
    bool has_raw, unknown; /* unknown: a packed list too long to be counted */
    uint64_t counts[12];   /* numbers in each of the lists float_data to uint64_data */
    uint64_t data_type, location_kind;
    bool has_length;
    uint64_t length;
    const ridge_symbol *key, *text; /* of an entry of external_data */
} building;

ridge_status ridge_onnx_bad_tensor(onnx_reader *r, const onnx_tensor *t, ridge_status code, const char *fmt, ...)
{
    char what[320];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    const ridge_str name = ridge_onnx_text(t->name);
    if (!name.n)
        return ridge_fail(r->err, code, "%s: the tensor at byte %" PRIu64 ": %s", r->file->path, t->at, what);
    return ridge_fail(r->err, code, "%s: the tensor '%s' at byte %" PRIu64 ": %s", r->file->path, ridge_weight_shown(r->arena, name), t->at,
                      what);
}

/* ---- fields ---- */

static ridge_status add_dim(onnx_reader *r, void *into, uint64_t bits)
{
    building *b = into;
    onnx_tensor *t = b->t;
    if ((int64_t)bits < 0)
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its dimension %" PRIu32 " is %" PRId64, t->rank, (int64_t)bits);
    if (t->rank == RIDGE_OPGRAPH_RANK)
        return ridge_onnx_bad_tensor(r, t, RIDGE_LIMIT, "it has more than %d dimensions", RIDGE_OPGRAPH_RANK);
    ridge_status st = ridge_onnx_more(r, &t->dims, t->rank, &b->cap, sizeof *t->dims);
    if (!st)
        t->dims[t->rank++] = bits;
    return st;
}

static ridge_status read_dims(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_numbers(r, f, RIDGE_PROTO_VARINT, add_dim, into, "a tensor's dimensions");
}

static ridge_status read_type(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)r;
    ((building *)into)->data_type = f->value;
    return RIDGE_OK;
}

static ridge_status read_segment(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)f;
    return ridge_onnx_bad_tensor(r, ((building *)into)->t, RIDGE_VALUE, "it is stored in segments, which no release of ONNX reads");
}

static ridge_status count_one(onnx_reader *r, void *into, uint64_t bits)
{
    (void)r;
    (void)bits;
    ++*(uint64_t *)into;
    return RIDGE_OK;
}

/* How many numbers a list has is told by its bytes where each has as many; else they are passed, in lists of no more than a megabyte. */
static ridge_status read_list(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    uint64_t *count = &b->counts[f->number];
    const uint64_t width = f->number == 4 ? 4 : f->number == 10 ? 8 : 0, n = f->wire == RIDGE_PROTO_BYTES ? ridge_cursor_left(&f->part) : 0;
    if (n && width && n % width)
        return ridge_onnx_bad_tensor(r, b->t, RIDGE_SYNTAX, "the list at byte %" PRIu64 " has %" PRIu64 " bytes, and each number %" PRIu64,
                                     f->at, n, width);
    if (f->wire == RIDGE_PROTO_BYTES && width)
        *count += n / width;
    else if (n > COUNTED_MOST)
        b->unknown = true;
    else
        return ridge_onnx_numbers(r, f, RIDGE_PROTO_VARINT, count_one, count, "a tensor's numbers");
    return RIDGE_OK;
}

static ridge_status read_texts(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)r;
    ((building *)into)->counts[f->number]++;
    return RIDGE_OK;
}

static ridge_status read_name(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_name(&((building *)into)->t->name, r, f->part, "the name of a tensor");
}

static ridge_status read_raw(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    if (b->has_raw)
        return ridge_onnx_bad_tensor(r, b->t, RIDGE_SYNTAX, "it has raw_data twice");
    b->has_raw = true;
    b->raw_bytes = ridge_cursor_left(&f->part);
    b->t->raw_at = f->part.at;
    return RIDGE_OK;
}

/* ---- external data ---- */

/* below the folder of the model: the onnx checker's rule, and Windows' ways to leave it */
static bool is_below(ridge_str path)
{
    if (!path.n || path.p[0] == '/' || path.p[0] == '\\' || (path.n > 1 && path.p[1] == ':'))
        return false;
    for (size_t i = 0; i < path.n; i++) {
        const bool begins = i == 0 || path.p[i - 1] == '/' || path.p[i - 1] == '\\';
        const size_t left = path.n - i;
        if (begins && left >= 2 && path.p[i] == '.' && path.p[i + 1] == '.' && (left == 2 || path.p[i + 2] == '/' || path.p[i + 2] == '\\'))
            return false;
    }
    return true;
}

static bool whole(uint64_t *out, ridge_str text)
{
    *out = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (!ridge_is_digit(text.p[i]) || *out > (INT64_MAX - 9) / 10)
            return false;
        *out = *out * 10 + (uint64_t)(text.p[i] - '0');
    }
    return text.n > 0;
}

static ridge_status entry_key(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_name(&((building *)into)->key, r, f->part, "a key of external data");
}

static ridge_status entry_text(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_name(&((building *)into)->text, r, f->part, "a value of external data");
}

static ridge_status read_external(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "its key", entry_key}, {2, RIDGE_PROTO_BYTES, "its value", entry_text}, {0, 0, NULL, NULL}};
    building *b = into;
    b->key = b->text = r->empty;
    ridge_status st = ridge_onnx_message(r, b, f->part, fields, "external data");
    if (st)
        return st;
    const ridge_str key = ridge_onnx_text(b->key), text = ridge_onnx_text(b->text);
    uint64_t number = 0;
    if (ridge_str_is(key, "location"))
        b->t->location = b->text;
    if (!ridge_str_is(key, "offset") && !ridge_str_is(key, "length"))
        return RIDGE_OK;
    if (!whole(&number, text))
        return ridge_onnx_bad_tensor(r, b->t, RIDGE_VALUE, "the %s of its external data is '%s', and no whole number below 2^63", key.p,
                                     ridge_weight_shown(r->arena, text));
    if (ridge_str_is(key, "offset"))
        b->t->offset = number;
    else
        b->length = number;
    b->has_length |= ridge_str_is(key, "length");
    return RIDGE_OK;
}

static ridge_status read_location(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)r;
    ((building *)into)->location_kind = f->value;
    return RIDGE_OK;
}

/* ---- the whole ---- */

ridge_status ridge_onnx_measure(onnx_reader *r, onnx_tensor *t)
{
    ridge_int bits;
    bool none = false;
    t->elements = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        none |= t->dims[i] == 0;
    for (uint32_t i = 0; i < t->rank && !none; i++)
        if (!ridge_int_mul(&t->elements, t->elements, t->dims[i]))
            return ridge_onnx_bad_tensor(r, t, RIDGE_OVERFLOW, "its dimensions are of more than 2^127 elements");
    t->elements = none ? 0 : t->elements;
    if (!ridge_int_mul(&bits, t->elements, t->dtype->bits) || bits / 8 > INT64_MAX - 1)
        return ridge_onnx_bad_tensor(r, t, RIDGE_OVERFLOW, "a tensor of this shape has more than 2^63 bytes");
    t->bytes = bits / 8 + (bits % 8 != 0);
    return RIDGE_OK;
}

/* numbers that the list of its dtype has: two of a complex one, of 4 bits two in one */
static ridge_int listed(const onnx_tensor *t)
{
    if (t->dtype->number == 14 || t->dtype->number == 15)
        return 2 * t->elements;
    return t->dtype->bits && t->dtype->bits < 8 ? t->bytes : t->elements;
}

static ridge_status check_external(onnx_reader *r, const building *b)
{
    const onnx_tensor *t = b->t;
    if (!t->location)
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its data are external, and no location is named");
    if (!is_below(ridge_onnx_text(t->location)))
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its external data are in '%s', which is not below the model's folder",
                                     ridge_weight_shown(r->arena, ridge_onnx_text(t->location)));
    if (!t->dtype->bits)
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "texts are not stored as external data");
    if (b->has_length && (ridge_int)b->length != t->bytes)
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its external data have %" PRIu64 " bytes, and its shape takes %" PRIu64 " in %s",
                                     b->length, (uint64_t)t->bytes, t->dtype->word);
    return RIDGE_OK;
}

/* What is there has the size that the shape says. Nothing may be there: models are handed on without their weights. */
static ridge_status check_data(onnx_reader *r, const building *b)
{
    const onnx_tensor *t = b->t;
    static const uint32_t lists[] = {4, 5, 6, 7, 10, 11};
    if (t->external)
        return check_external(r, b);
    if (b->has_raw && t->dtype->bits && (ridge_int)b->raw_bytes != t->bytes && (b->raw_bytes || t->elements))
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its raw_data have %" PRIu64 " byte%s, and its shape takes %" PRIu64 " in %s",
                                     b->raw_bytes, RIDGE_PLURAL(b->raw_bytes), (uint64_t)t->bytes, t->dtype->word);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const uint64_t n = b->counts[lists[i]];
        if (n && lists[i] != t->dtype->field)
            return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its numbers are in field %" PRIu32 ", and %s has them in field %" PRIu32,
                                         lists[i], t->dtype->word, t->dtype->field);
        if (n && !b->unknown && (ridge_int)n != listed(t))
            return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "it has %" PRIu64 " numbers, and its shape takes %" PRIu64 " in %s", n,
                                         (uint64_t)listed(t), t->dtype->word);
    }
    return RIDGE_OK;
}

static ridge_status finish(onnx_reader *r, building *b)
{
    onnx_tensor *t = b->t;
    if (!(t->dtype = ridge_onnx_dtype(b->data_type)))
        return b->data_type ? ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its data type %" PRId64 " is none of ONNX's", (int64_t)b->data_type)
                            : ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "it has no data type");
    if (b->location_kind > EXTERNAL)
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its data_location %" PRIu64 " is none of ONNX's", b->location_kind);
    t->external = b->location_kind == EXTERNAL;
    ridge_status st = ridge_onnx_measure(r, t);
    return st ? st : check_data(r, b);
}

ridge_status ridge_onnx_tensor(onnx_tensor **out, onnx_reader *r, ridge_cursor c)
{
    static const onnx_field fields[] = {
        {ONNX_TENSOR_DIMS, ONNX_ANY_WIRE | RIDGE_PROTO_VARINT, "dims", read_dims},
        {2, RIDGE_PROTO_VARINT, "data_type", read_type},
        {3, RIDGE_PROTO_BYTES, "segment", read_segment},
        {4, ONNX_ANY_WIRE | RIDGE_PROTO_FIXED32, "float_data", read_list},
        {5, ONNX_ANY_WIRE | RIDGE_PROTO_VARINT, "int32_data", read_list},
        {6, RIDGE_PROTO_BYTES, "string_data", read_texts},
        {7, ONNX_ANY_WIRE | RIDGE_PROTO_VARINT, "int64_data", read_list},
        {8, RIDGE_PROTO_BYTES, "name", read_name},
        {ONNX_TENSOR_RAW, RIDGE_PROTO_BYTES, "raw_data", read_raw},
        {10, ONNX_ANY_WIRE | RIDGE_PROTO_FIXED64, "double_data", read_list},
        {11, ONNX_ANY_WIRE | RIDGE_PROTO_VARINT, "uint64_data", read_list},
        {13, RIDGE_PROTO_BYTES, "external_data", read_external},
        {14, RIDGE_PROTO_VARINT, "data_location", read_location},
        {0, 0, NULL, NULL},
    };
    building b = {.t = ridge_arena_alloc(r->arena, sizeof *b.t)};
    if (!b.t)
        return ridge_no_memory(r->err);
    *b.t = (onnx_tensor){.name = r->empty, .message = c, .at = c.at};
    ridge_status st = ridge_onnx_message(r, &b, c, fields, "a tensor");
    if (st || (st = finish(r, &b)))
        return st;
    *out = b.t;
    return ridge_onnx_memory(r);
}

/* ---- SparseTensorProto ---- */

typedef struct sparse {
    onnx_tensor *values, *indices;
    building dims;
} sparse;

static ridge_status sparse_values(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_tensor(&((sparse *)into)->values, r, f->part);
}

static ridge_status sparse_indices(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_tensor(&((sparse *)into)->indices, r, f->part);
}

static ridge_status sparse_dims(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return read_dims(r, &((sparse *)into)->dims, f);
}

static ridge_status finish_sparse(onnx_tensor *t, const sparse *s, onnx_reader *r)
{
    const onnx_tensor *v = s->values, *i = s->indices;
    if (!v || !i)
        return ridge_onnx_bad_tensor(r, t, RIDGE_SYNTAX, "a sparse tensor without its %s", v ? "indices" : "values");
    t->name = v->name;
    t->dtype = v->dtype;
    if (v->rank != 1 || i->dtype->number != 7 || (i->rank != 1 && i->rank != 2) || i->dims[0] != v->dims[0] ||
        (i->rank == 2 && i->dims[1] != t->rank))
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "its values are no list, or its indices are not INT64 for each of them");
    if (v->external || i->external)
        return ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "a sparse tensor whose data are external is not read");
    ridge_status st = ridge_onnx_measure(r, t);
    if (!st && v->elements > t->elements)
        st = ridge_onnx_bad_tensor(r, t, RIDGE_VALUE, "it has more values than elements");
    t->bytes = v->bytes + i->bytes;
    return st;
}

ridge_status ridge_onnx_sparse(onnx_tensor **out, onnx_reader *r, ridge_cursor c)
{
    static const onnx_field fields[] = {{1, RIDGE_PROTO_BYTES, "its values", sparse_values},
                                        {2, RIDGE_PROTO_BYTES, "its indices", sparse_indices},
                                        {3, ONNX_ANY_WIRE | RIDGE_PROTO_VARINT, "its dimensions", sparse_dims},
                                        {0, 0, NULL, NULL}};
    onnx_tensor *t = ridge_arena_alloc(r->arena, sizeof *t);
    if (!t)
        return ridge_no_memory(r->err);
    *t = (onnx_tensor){.name = r->empty, .message = c, .at = c.at, .sparse = true};
    sparse s = {.dims = {.t = t}};
    ridge_status st = ridge_onnx_message(r, &s, c, fields, "a sparse tensor");
    if (st || (st = finish_sparse(t, &s, r)))
        return st;
    *out = t;
    return RIDGE_OK;
}
