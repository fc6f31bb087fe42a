#include <inttypes.h>

#include "input/onnx/parts.h"

/* AttributeProto.AttributeType */
enum {
    UNDEFINED,
    FLOAT,
    INT,
    STRING,
    TENSOR,
    GRAPH,
    FLOATS,
    INTS,
    STRINGS,
    TENSORS,
    GRAPHS,
    SPARSE_TENSOR,
    SPARSE_TENSORS,
    TYPE_PROTO,
    TYPE_PROTOS,
    TYPES
};

/* An AttributeProto on its way: every field that it may have. */
typedef struct building {
    onnx_attribute *out;
    uint64_t type;
    bool has_type, whole_text;
    uint32_t seen; /* bits by type: which fields were there */
    int64_t whole;
    double real;
    ridge_str text;
    int64_t *ints;
    double *reals;
    ridge_str *texts;
    onnx_tensor **tensors, **lists; /* t or sparse_tensor; tensors */
    onnx_graph *graph;
    size_t int_count, int_cap, real_count, real_cap, text_count, text_cap, tensor_count, tensor_cap, list_count, list_cap;
} building;

static void saw(building *b, unsigned type)
{
    b->seen |= 1u << type;
}

static double single(uint64_t bits)
{
    const uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return (double)value;
}

static ridge_status read_name(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    onnx_attribute *a = ((building *)into)->out;
    return ridge_onnx_name(f->number == 1 ? &a->name : &a->ref, r, f->part, "the name of an attribute");
}

static ridge_status read_type(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    if (f->value >= TYPES)
        return ridge_fail(r->err, RIDGE_VALUE, "%s: the attribute type %" PRIu64 " at byte %" PRIu64 " is none of ONNX's", r->file->path,
                          f->value, f->at);
    b->type = f->value;
    b->has_type = f->value != UNDEFINED;
    return RIDGE_OK;
}

static ridge_status read_number(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    (void)r;
    if (f->wire == RIDGE_PROTO_FIXED32)
        b->real = single(f->value);
    else
        b->whole = (int64_t)f->value;
    saw(b, f->wire == RIDGE_PROTO_FIXED32 ? FLOAT : INT);
    return RIDGE_OK;
}

/* What is no UTF-8, or longer than a text is, is a blob of somebody's own: `*kept` is false. */
static ridge_status read_blob(ridge_str *out, bool *kept, onnx_reader *r, const ridge_proto_field *f)
{
    ridge_cursor c = f->part;
    ridge_str text = {"", 0};
    *kept = ridge_cursor_left(&c) <= RIDGE_ONNX_TEXT;
    if (!*kept)
        return RIDGE_OK;
    ridge_status st = ridge_cursor_text(&text, &c, ridge_cursor_left(&c), RIDGE_ONNX_TEXT, "an attribute", r->arena, r->err);
    for (size_t i = 0, n; i < text.n && *kept; i += n) {
        n = ridge_utf8_length(text.p + i, text.p + text.n);
        *kept = n != 0 && text.p[i] != '\0';
    }
    *out = text;
    return st ? st : ridge_onnx_memory(r);
}

static ridge_status read_text(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    saw(b, STRING);
    return read_blob(&b->text, &b->whole_text, r, f);
}

static ridge_status read_texts(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    bool kept;
    saw(b, STRINGS);
    ridge_status st = ridge_onnx_more(r, &b->texts, b->text_count, &b->text_cap, sizeof *b->texts);
    if (st || (st = read_blob(&b->texts[b->text_count], &kept, r, f)))
        return st;
    if (!kept)
        b->texts[b->text_count] = (ridge_str){"", 0};
    b->text_count++;
    return RIDGE_OK;
}

static ridge_status add_int(onnx_reader *r, void *into, uint64_t bits)
{
    building *b = into;
    ridge_status st = ridge_onnx_more(r, &b->ints, b->int_count, &b->int_cap, sizeof *b->ints);
    if (!st)
        b->ints[b->int_count++] = (int64_t)bits;
    return st;
}

static ridge_status add_real(onnx_reader *r, void *into, uint64_t bits)
{
    building *b = into;
    ridge_status st = ridge_onnx_more(r, &b->reals, b->real_count, &b->real_cap, sizeof *b->reals);
    if (!st)
        b->reals[b->real_count++] = single(bits);
    return st;
}

static ridge_status read_ints(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    saw(into, INTS);
    return ridge_onnx_numbers(r, f, RIDGE_PROTO_VARINT, add_int, into, "an attribute's numbers");
}

static ridge_status read_reals(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    saw(into, FLOATS);
    return ridge_onnx_numbers(r, f, RIDGE_PROTO_FIXED32, add_real, into, "an attribute's numbers");
}

static ridge_status read_tensor(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    onnx_tensor *t = NULL;
    const bool sparse = f->number == 22 || f->number == 23, list = f->number == 10 || f->number == 23;
    saw(b, f->number == 22 ? SPARSE_TENSOR : f->number == 23 ? SPARSE_TENSORS : list ? TENSORS : TENSOR);
    ridge_status st = sparse ? ridge_onnx_sparse(&t, r, f->part) : ridge_onnx_tensor(&t, r, f->part);
    if (st)
        return st;
    t->attribute = true;
    if (list && (st = ridge_onnx_more(r, &b->lists, b->list_count, &b->list_cap, sizeof t)) == RIDGE_OK)
        b->lists[b->list_count++] = t;
    if (!list && (st = ridge_onnx_more(r, &b->tensors, b->tensor_count, &b->tensor_cap, sizeof t)) == RIDGE_OK)
        b->tensors[b->tensor_count++] = t;
    return st;
}

/* Of several graphs in one attribute no operator of ONNX knows; they are read, and not kept. */
static ridge_status read_graph(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    building *b = into;
    onnx_graph *graph;
    saw(b, f->number == 6 ? GRAPH : GRAPHS);
    ridge_status st = ridge_onnx_graph(&graph, r, f->part);
    if (!st && f->number == 6 && b->graph)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: the attribute at byte %" PRIu64 " has its graph twice", r->file->path, f->at);
    if (!st && f->number == 6)
        b->graph = graph;
    return st;
}

static ridge_status read_proto(onnx_reader *r, void *into, const ridge_proto_field *f)
{
    (void)r;
    saw(into, f->number == 14 ? TYPE_PROTO : TYPE_PROTOS);
    return RIDGE_OK;
}

/* Files of IR version 1 do not say the type: what is there tells it. */
static ridge_status find_type(building *b, onnx_reader *r, uint64_t at)
{
    if (b->has_type)
        return RIDGE_OK;
    if (b->seen & (b->seen - 1))
        return ridge_fail(r->err, RIDGE_VALUE, "%s: the attribute '%s' at byte %" PRIu64 " has values of two types, and does not say which",
                          r->file->path, ridge_weight_shown(r->arena, ridge_onnx_text(b->out->name)), at);
    for (unsigned type = 0; type < TYPES; type++)
        if (b->seen & 1u << type)
            b->type = type;
    return RIDGE_OK;
}

/* its type says which of the fields is meant: an encoder may leave out a 0 or an empty list */
static void choose(onnx_attribute *a, building *b)
{
    ridge_opgraph_argument *to = &a->argument;
    to->name = ridge_onnx_text(a->name);
    switch (b->type) {
    case INT:
        to->kind = RIDGE_OPGRAPH_ARG_INT;
        to->u.whole = b->whole;
        break;
    case FLOAT:
        to->kind = RIDGE_OPGRAPH_ARG_REAL;
        to->u.real = b->real;
        break;
    case STRING:
        to->kind = b->whole_text || !(b->seen & 1u << STRING) ? RIDGE_OPGRAPH_ARG_TEXT : RIDGE_OPGRAPH_ARG_NONE;
        to->u.text = b->text;
        break;
    case INTS:
        *to = (ridge_opgraph_argument){to->name, RIDGE_OPGRAPH_ARG_INTS, b->int_count, {.ints = b->ints}};
        break;
    case FLOATS:
        *to = (ridge_opgraph_argument){to->name, RIDGE_OPGRAPH_ARG_REALS, b->real_count, {.reals = b->reals}};
        break;
    case STRINGS:
        *to = (ridge_opgraph_argument){to->name, RIDGE_OPGRAPH_ARG_TEXTS, b->text_count, {.texts = b->texts}};
        break;
    case TENSOR:
    case SPARSE_TENSOR:
        to->kind = b->tensor_count ? RIDGE_OPGRAPH_ARG_VALUE : RIDGE_OPGRAPH_ARG_NONE;
        a->tensors = b->tensors;
        break;
    case TENSORS:
    case SPARSE_TENSORS:
        *to = (ridge_opgraph_argument){.name = to->name, .kind = RIDGE_OPGRAPH_ARG_VALUES, .count = b->list_count};
        a->tensors = b->lists;
        break;
    case GRAPH:
        to->kind = b->graph ? RIDGE_OPGRAPH_ARG_BODY : RIDGE_OPGRAPH_ARG_NONE;
        a->graph = b->graph;
        break;
    default:
        to->kind = RIDGE_OPGRAPH_ARG_NONE;
    }
}

ridge_status ridge_onnx_attribute(onnx_attribute *out, onnx_reader *r, ridge_cursor c)
{
    static const onnx_field fields[] = {
        {1, RIDGE_PROTO_BYTES, "name", read_name},
        {2, RIDGE_PROTO_FIXED32, "f", read_number},
        {3, RIDGE_PROTO_VARINT, "i", read_number},
        {4, RIDGE_PROTO_BYTES, "s", read_text},
        {5, RIDGE_PROTO_BYTES, "t", read_tensor},
        {6, RIDGE_PROTO_BYTES, "g", read_graph},
        {7, ONNX_ANY_WIRE | RIDGE_PROTO_FIXED32, "floats", read_reals},
        {8, ONNX_ANY_WIRE | RIDGE_PROTO_VARINT, "ints", read_ints},
        {9, RIDGE_PROTO_BYTES, "strings", read_texts},
        {10, RIDGE_PROTO_BYTES, "tensors", read_tensor},
        {11, RIDGE_PROTO_BYTES, "graphs", read_graph},
        {14, RIDGE_PROTO_BYTES, "tp", read_proto},
        {15, RIDGE_PROTO_BYTES, "type_protos", read_proto},
        {20, RIDGE_PROTO_VARINT, "type", read_type},
        {21, RIDGE_PROTO_BYTES, "ref_attr_name", read_name},
        {22, RIDGE_PROTO_BYTES, "sparse_tensor", read_tensor},
        {23, RIDGE_PROTO_BYTES, "sparse_tensors", read_tensor},
        {0, 0, NULL, NULL},
    };
    building b = {.out = out, .text = {"", 0}};
    *out = (onnx_attribute){.name = r->empty};
    ridge_status st = ridge_onnx_message(r, &b, c, fields, "an attribute");
    if (st)
        return st;
    if (!out->name->len)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: the attribute at byte %" PRIu64 " has no name", r->file->path, c.at);
    if (out->ref && !out->ref->len)
        out->ref = NULL;
    if ((st = find_type(&b, r, c.at)))
        return st;
    if (b.tensor_count > 1)
        return ridge_fail(r->err, RIDGE_SYNTAX, "%s: the attribute '%s' at byte %" PRIu64 " has two tensors", r->file->path,
                          ridge_weight_shown(r->arena, ridge_onnx_text(out->name)), c.at);
    choose(out, &b);
    return RIDGE_OK;
}
