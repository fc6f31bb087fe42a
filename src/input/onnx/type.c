#include <inttypes.h>

#include "input/onnx/parts.h"

/* onnx.proto, TensorProto.DataType; formats of numbers: IEEE 754, OCP OFP8 and MX v1.0, arXiv 2206.02915 (FNUZ) */
static const onnx_dtype dtypes[] = {
    {1, "FLOAT", "fp32", 32, ONNX_FLOAT, 4, 8, 23, 127, 'i'},
    {2, "UINT8", "u8", 8, ONNX_UNSIGNED, 5, 0, 0, 0, 0},
    {3, "INT8", "int8", 8, ONNX_SIGNED, 5, 0, 0, 0, 0},
    {4, "UINT16", "u16", 16, ONNX_UNSIGNED, 5, 0, 0, 0, 0},
    {5, "INT16", "i16", 16, ONNX_SIGNED, 5, 0, 0, 0, 0},
    {6, "INT32", "i32", 32, ONNX_SIGNED, 5, 0, 0, 0, 0},
    {7, "INT64", "i64", 64, ONNX_SIGNED, 7, 0, 0, 0, 0},
    {8, "STRING", NULL, 0, ONNX_OTHER, 6, 0, 0, 0, 0},
    {9, "BOOL", "bool", 8, ONNX_UNSIGNED, 5, 0, 0, 0, 0},
    {10, "FLOAT16", "fp16", 16, ONNX_FLOAT, 5, 5, 10, 15, 'i'},
    {11, "DOUBLE", "fp64", 64, ONNX_FLOAT, 10, 11, 52, 1023, 'i'},
    {12, "UINT32", "u32", 32, ONNX_UNSIGNED, 11, 0, 0, 0, 0},
    {13, "UINT64", "u64", 64, ONNX_UNSIGNED, 11, 0, 0, 0, 0},
    {14, "COMPLEX64", "complex64", 64, ONNX_OTHER, 4, 0, 0, 0, 0},
    {15, "COMPLEX128", "complex128", 128, ONNX_OTHER, 10, 0, 0, 0, 0},
    {16, "BFLOAT16", "bf16", 16, ONNX_FLOAT, 5, 8, 7, 127, 'i'},
    {17, "FLOAT8E4M3FN", "fp8_e4m3", 8, ONNX_FLOAT, 5, 4, 3, 7, 'n'},
    {18, "FLOAT8E4M3FNUZ", "fp8_e4m3", 8, ONNX_FLOAT, 5, 4, 3, 8, 'z'},
    {19, "FLOAT8E5M2", "fp8_e5m2", 8, ONNX_FLOAT, 5, 5, 2, 15, 'i'},
    {20, "FLOAT8E5M2FNUZ", "fp8_e5m2", 8, ONNX_FLOAT, 5, 5, 2, 16, 'z'},
    {21, "UINT4", "int4", 4, ONNX_UNSIGNED, 5, 0, 0, 0, 0},
    {22, "INT4", "int4", 4, ONNX_SIGNED, 5, 0, 0, 0, 0},
    {23, "FLOAT4E2M1", "fp4_e2m1", 4, ONNX_FLOAT, 5, 2, 1, 1, '-'},
    {24, "FLOAT8E8M0", "fp8_e8m0", 8, ONNX_FLOAT, 5, 8, 0, 127, 'n'},
    {25, "UINT2", "int2", 2, ONNX_UNSIGNED, 5, 0, 0, 0, 0},
    {26, "INT2", "int2", 2, ONNX_SIGNED, 5, 0, 0, 0, 0},
};

const onnx_dtype *ridge_onnx_dtype(uint64_t number)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if ((uint64_t)dtypes[i].number == number)
            return &dtypes[i];
    return NULL;
}

/* ---- TensorShapeProto ---- */

typedef struct shape {
    ridge_opgraph_dim *dims;
    size_t count, cap;
} shape;

static ridge_status dim_value(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    ridge_opgraph_dim *dim = into;
    (void)r;
    dim->size = (int64_t)f->value < 0 ? -1 : (int64_t)f->value; /* -1 is how some exporters write what they do not know */
    return RIDGE_OK;
}

static ridge_status dim_param(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    const ridge_symbol *name;
    ridge_opgraph_dim *dim = into;
    ridge_status st = ridge_onnx_name(&name, r, f->part, "the name of a dimension");
    dim->name = st ? dim->name : ridge_onnx_text(name);
    return st;
}

static ridge_status shape_dim(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_VARINT, "its size", dim_value}, {2, RIDGE_PROTO_BYTES, "its name", dim_param}, {0, 0, NULL, NULL}};
    shape *s = into;
    ridge_opgraph_dim dim = {.size = -1};
    if (s->count == RIDGE_OPGRAPH_RANK)
        return ridge_fail(r->err, RIDGE_LIMIT, "%s: a shape at byte %" PRIu64 " has more than %d dimensions", r->file->path, f->at,
                          RIDGE_OPGRAPH_RANK);
    ridge_status st = ridge_onnx_message(r, &dim, f->part, fields, "a dimension");
    if (st || (st = ridge_onnx_more(r, &s->dims, s->count, &s->cap, sizeof *s->dims)))
        return st;
    if (dim.size >= 0 || ridge_str_is(dim.name, "?"))
        dim.name = (ridge_str){"", 0};
    s->dims[s->count++] = dim;
    return RIDGE_OK;
}

/* ---- TypeProto ---- */

static ridge_status tensor_elem(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_type *type = into;
    const onnx_dtype *dtype = ridge_onnx_dtype(f->value);
    if (f->value == 0) /* UNDEFINED: not said */
        return RIDGE_OK;
    if (!dtype)
        return ridge_fail(r->err, RIDGE_VALUE, "%s: the element type %" PRIu64 " at byte %" PRIu64 " is none of ONNX's", r->file->path,
                          f->value, f->at);
    type->dtype = dtype->word;
    type->format = dtype->format ? ridge_format_find(ridge_str_of(dtype->format)) : NULL;
    return RIDGE_OK;
}

static ridge_status tensor_shape(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {{1, RIDGE_PROTO_BYTES, "a dimension", shape_dim}, {0, 0, NULL, NULL}};
    onnx_type *type = into;
    shape s = {0};
    ridge_status st = ridge_onnx_message(r, &s, f->part, fields, "a shape");
    if (st)
        return st;
    type->ranked = true;
    type->rank = (uint32_t)s.count;
    type->dims = s.dims;
    return RIDGE_OK;
}

static ridge_status type_tensor(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_VARINT, "its element type", tensor_elem}, {2, RIDGE_PROTO_BYTES, "its shape", tensor_shape}, {0, 0, NULL, NULL}};
    return ridge_onnx_message(r, into, f->part, fields, "a tensor's type");
}

/* What has no elements of its own is named, and no more: no rule counts it. */
static ridge_status type_other(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)r;
    *(onnx_type *)into = (onnx_type){.dtype = f->number == 4   ? "sequence"
                                              : f->number == 5 ? "map"
                                              : f->number == 8 ? "sparse tensor"
                                              : f->number == 9 ? "optional"
                                                               : "opaque"};
    return RIDGE_OK;
}

static ridge_status info_name(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    return ridge_onnx_name(&((onnx_info *)into)->name, r, f->part, "the name of a value");
}

static ridge_status info_type(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    static const onnx_field fields[] = {{1, RIDGE_PROTO_BYTES, "a tensor's type", type_tensor},
                                        {4, RIDGE_PROTO_BYTES, "a sequence's type", type_other},
                                        {5, RIDGE_PROTO_BYTES, "a map's type", type_other},
                                        {7, RIDGE_PROTO_BYTES, "an opaque type", type_other},
                                        {8, RIDGE_PROTO_BYTES, "a sparse type", type_other},
                                        {9, RIDGE_PROTO_BYTES, "an optional type", type_other},
                                        {0, 0, NULL, NULL}};
    return ridge_onnx_message(r, &((onnx_info *)into)->type, f->part, fields, "a type");
}

ridge_status ridge_onnx_info(onnx_info *out, onnx_reader *r, ridge_cursor c)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "its name", info_name}, {2, RIDGE_PROTO_BYTES, "its type", info_type}, {0, 0, NULL, NULL}};
    *out = (onnx_info){.name = r->empty};
    return ridge_onnx_message(r, out, c, fields, "a value's description");
}
