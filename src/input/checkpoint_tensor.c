#include "input/checkpoint_tensor.h"

#include <inttypes.h>

/* torch/storage.py: classes of storages, the type of their elements */
static const struct {
    const char *storage, *dtype, *format;
} storage_types[] = {
    {"DoubleStorage", "torch.float64", "fp64"},
    {"FloatStorage", "torch.float32", "fp32"},
    {"HalfStorage", "torch.float16", "fp16"},
    {"BFloat16Storage", "torch.bfloat16", "bf16"},
    {"LongStorage", "torch.int64", "i64"},
    {"IntStorage", "torch.int32", "i32"},
    {"ShortStorage", "torch.int16", "i16"},
    {"CharStorage", "torch.int8", "int8"},
    {"ByteStorage", "torch.uint8", "u8"},
    {"BoolStorage", "torch.bool", "bool"},
    {"ComplexFloatStorage", "torch.complex64", "complex64"},
    {"ComplexDoubleStorage", "torch.complex128", "complex128"},
    {"QInt8Storage", "torch.qint8", "int8"},
    {"QUInt8Storage", "torch.quint8", "u8"},
    {"QInt32Storage", "torch.qint32", "i32"},
    {"UntypedStorage", "bytes", NULL},
};

/* types that have no storage class of their own */
static const struct {
    const char *dtype, *format;
} dtypes[] = {
    {"torch.float8_e4m3fn", "fp8_e4m3"},
    {"torch.float8_e5m2", "fp8_e5m2"},
    {"torch.float8_e4m3fnuz", "fp8_e4m3"},
    {"torch.float8_e5m2fnuz", "fp8_e5m2"},
    {"torch.float8_e8m0fnu", "fp8_e8m0"},
    {"torch.uint16", "u16"},
    {"torch.uint32", "u32"},
    {"torch.uint64", "u64"},
    {"torch.complex32", "complex32"},
};

/* the calls that tensors are made of */
typedef enum call { OF_STORAGE, OF_BYTES, OF_PARAMETER, OF_SUBCLASS } call;
static const struct {
    const char *name;
    call call;
    uint32_t arguments; /* at least */
} calls[] = {
    {"torch._utils._rebuild_tensor", OF_STORAGE, 4},         {"torch._utils._rebuild_tensor_v2", OF_STORAGE, 4},
    {"torch._utils._rebuild_qtensor", OF_STORAGE, 4},        {"torch._utils._rebuild_tensor_v3", OF_BYTES, 7},
    {"torch._utils._rebuild_parameter", OF_PARAMETER, 1},    {"torch._utils._rebuild_parameter_with_state", OF_PARAMETER, 1},
    {"torch._tensor._rebuild_from_type_v2", OF_SUBCLASS, 3}, {"torch._tensor._rebuild_from_type", OF_SUBCLASS, 3},
};
enum { CALLS = sizeof calls / sizeof *calls, NESTED_MOST = 8, RANK_MOST = 64 /* of PyTorch */ };

static ridge_status bad(const ridge_checkpoint_storages *s, const ridge_weight *w, const char *what)
{
    return ridge_fail(s->err, RIDGE_VALUE, "%s: tensor '%s': %s", s->path, ridge_weight_shown(s->arena, w->name), what);
}

static size_t call_of(const ridge_pickle_value *made_by)
{
    size_t i = 0;
    while (i < CALLS && !ridge_pickle_is_global(made_by, calls[i].name))
        i++;
    return i;
}

const char *ridge_checkpoint_caller(const ridge_pickle_value *v, ridge_arena *arena)
{
    const ridge_pickle_value *by = v->kind == RIDGE_PICKLE_OBJECT ? v->u.of.made_by : NULL;
    return by && by->kind == RIDGE_PICKLE_GLOBAL ? ridge_weight_shown(arena, by->u.text) : "?";
}

/* a storage, or a tensor, among the arguments */
static bool holds_storage(const ridge_pickle_value *v, unsigned depth)
{
    if (!v || depth > 3)
        return false;
    if (v->kind == RIDGE_PICKLE_PERSISTENT)
        return true;
    if (v->kind == RIDGE_PICKLE_OBJECT)
        return holds_storage(v->u.of.arguments, depth + 1);
    const bool has_items = v->kind == RIDGE_PICKLE_TUPLE || v->kind == RIDGE_PICKLE_LIST || v->kind == RIDGE_PICKLE_DICT;
    for (uint32_t i = 0; has_items && i < v->count && i < 64; i++)
        if (holds_storage(v->items[i], depth + 1))
            return true;
    return false;
}

ridge_checkpoint_call ridge_checkpoint_made_by(const ridge_pickle_value *v)
{
    if (v->kind != RIDGE_PICKLE_OBJECT)
        return RIDGE_MADE_NO_TENSOR;
    const ridge_pickle_value *by = v->u.of.made_by;
    if (call_of(by) < CALLS)
        return RIDGE_MADE_TENSOR;
    if (ridge_pickle_is_global(by, "collections.OrderedDict")) /* its arguments are looked at as its items are */
        return RIDGE_MADE_NO_TENSOR;
    const bool rebuilds = by->kind == RIDGE_PICKLE_GLOBAL && (ridge_str_starts(by->u.text, RIDGE_STR("torch._utils._rebuild_")) ||
                                                              ridge_str_starts(by->u.text, RIDGE_STR("torch._tensor._rebuild_")));
    return rebuilds || holds_storage(v->u.of.arguments, 0) ? RIDGE_MADE_UNKNOWN : RIDGE_MADE_NO_TENSOR;
}

/* ---- storages ---- */

static bool whole(uint64_t *out, const ridge_pickle_value *v)
{
    *out = v->kind == RIDGE_PICKLE_WHOLE && v->u.whole >= 0 ? (uint64_t)v->u.whole : 0;
    return v->kind == RIDGE_PICKLE_WHOLE && v->u.whole >= 0;
}

static bool find_type(ridge_checkpoint_storage *out, ridge_str name)
{
    const char *dot = NULL;
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] == '.')
            dot = name.p + i + 1;
    const ridge_str last = dot ? (ridge_str){dot, name.n - (size_t)(dot - name.p)} : name;
    for (size_t i = 0; i < sizeof storage_types / sizeof *storage_types; i++)
        if (ridge_str_starts(name, RIDGE_STR("torch.")) && ridge_str_is(last, storage_types[i].storage)) {
            out->stored_as = storage_types[i].dtype;
            out->format = storage_types[i].format ? ridge_format_find(ridge_str_of(storage_types[i].format)) : NULL;
            return true;
        }
    return false;
}

/* ("storage", torch.FloatStorage, "0", "cpu", 768): torch.serialization's persistent_id */
static ridge_status find_storage(uint32_t *out, ridge_checkpoint_storages *s, const ridge_weight *w, const ridge_pickle_value *v)
{
    const ridge_pickle_value *id = v->kind == RIDGE_PICKLE_PERSISTENT ? v->u.of.arguments : NULL;
    ridge_checkpoint_storage one = {0};
    if (!id || id->kind != RIDGE_PICKLE_TUPLE || id->count < 5 || id->items[0]->kind != RIDGE_PICKLE_TEXT ||
        !ridge_str_is(id->items[0]->u.text, "storage") || id->items[2]->kind != RIDGE_PICKLE_TEXT || !whole(&one.numel, id->items[4]))
        return bad(s, w, "its storage is not as torch.save writes one");
    if (id->items[1]->kind != RIDGE_PICKLE_GLOBAL || !find_type(&one, id->items[1]->u.text))
        return bad(s, w, "its storage is of a type that is not known");
    const ridge_int bytes = (ridge_int)one.numel * (one.format ? (ridge_int)one.format->block_bits / 8 : 1);
    if (bytes > INT64_MAX)
        return bad(s, w, "its storage has more than 2^63 bytes");
    one.bytes = (uint64_t)bytes;
    one.key = id->items[2]->u.text;
    const uint32_t before = s->keys.count;
    const ridge_symbol *symbol = ridge_intern(&s->keys, one.key);
    if (!symbol || !ridge_arena_more(s->arena, &s->items, before, &s->cap, sizeof *s->items))
        return ridge_no_memory(s->err);
    if (s->keys.count > before)
        s->items[symbol->id] = one;
    else if (s->items[symbol->id].bytes != one.bytes)
        return bad(s, w, "its storage has another size than for an earlier tensor");
    else
        s->items[symbol->id].format = one.format; /* a storage may be seen as two types */
    s->items[symbol->id].stored_as = one.stored_as;
    *out = symbol->id;
    return RIDGE_OK;
}

/* ---- tensors ---- */

/* torch.Size is a tuple, or an object of one */
static const ridge_pickle_value *tuple_of(const ridge_pickle_value *v)
{
    if (v->kind == RIDGE_PICKLE_OBJECT && ridge_pickle_is_global(v->u.of.made_by, "torch.Size"))
        v = v->u.of.arguments->count ? v->u.of.arguments->items[0] : v->u.of.arguments;
    return v->kind == RIDGE_PICKLE_TUPLE || v->kind == RIDGE_PICKLE_LIST ? v : NULL;
}

static ridge_status read_shape(ridge_weight *w, const ridge_checkpoint_storages *s, const ridge_pickle_value *v)
{
    const ridge_pickle_value *sizes = tuple_of(v);
    if (sizes && sizes->count > RANK_MOST)
        return bad(s, w, "it has more than 64 dimensions");
    uint64_t *shape = sizes ? ridge_arena_array(s->arena, sizes->count + 1u, sizeof *shape) : NULL;
    if (!sizes)
        return bad(s, w, "its shape is no tuple");
    if (!shape)
        return ridge_no_memory(s->err);
    for (uint32_t i = 0; i < sizes->count; i++)
        if (!whole(&shape[i], sizes->items[i]))
            return bad(s, w, "a dimension is no whole number below 2^63");
    w->shape = shape;
    w->rank = sizes->count;
    return ridge_weight_measure(w) ? RIDGE_OK : bad(s, w, "a tensor of this shape has more than 2^63 bytes");
}

/* the last element that the strides reach lies in the storage */
static ridge_status check_strides(const ridge_weight *w, const ridge_checkpoint_storages *s, const ridge_pickle_value *v, uint64_t first,
                                  uint64_t elements)
{
    const ridge_pickle_value *strides = tuple_of(v);
    ridge_int last = (ridge_int)first;
    if (!strides || strides->count != w->rank)
        return bad(s, w, "its strides are not one for each dimension");
    for (uint32_t i = 0; i < w->rank; i++) {
        uint64_t stride;
        ridge_int step;
        if (!whole(&stride, strides->items[i]))
            return bad(s, w, "a stride is no whole number below 2^63");
        if (w->shape[i] && (!ridge_int_mul(&step, (ridge_int)(w->shape[i] - 1), stride) || !ridge_int_add(&last, last, step)))
            return bad(s, w, "its strides reach beyond 2^127");
    }
    if (w->elements && last >= (ridge_int)elements)
        return bad(s, w, ridge_arena_printf(s->arena, "it reaches beyond the %" PRIu64 " elements of its storage", elements));
    return RIDGE_OK;
}

static ridge_status find_dtype(ridge_weight *w, const ridge_checkpoint_storages *s, const ridge_pickle_value *v)
{
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (ridge_pickle_is_global(v, w->stored_as = dtypes[i].dtype)) {
            w->format = ridge_format_find(ridge_str_of(dtypes[i].format));
            return RIDGE_OK;
        }
    for (size_t i = 0; i < sizeof storage_types / sizeof *storage_types; i++)
        if (storage_types[i].format && ridge_pickle_is_global(v, w->stored_as = storage_types[i].dtype)) {
            w->format = ridge_format_find(ridge_str_of(storage_types[i].format));
            return RIDGE_OK;
        }
    return bad(s, w,
               v->kind == RIDGE_PICKLE_GLOBAL
                   ? ridge_arena_printf(s->arena, "its type '%s' is not known", ridge_weight_shown(s->arena, v->u.text))
                   : "its type is none");
}

/* (storage, first element, size, stride, ...); of bytes: (..., requires_grad, hooks, dtype) */
static ridge_status read_of_storage(ridge_weight *w, uint32_t *storage, uint64_t *first, ridge_checkpoint_storages *s,
                                    const ridge_pickle_value *arguments, bool of_bytes)
{
    ridge_pickle_value *const *a = arguments->items;
    ridge_status st = find_storage(storage, s, w, a[0]);
    if (st)
        return st;
    w->format = s->items[*storage].format;
    w->stored_as = s->items[*storage].stored_as;
    if (of_bytes && (st = find_dtype(w, s, a[6])))
        return st;
    if (!w->format)
        return bad(s, w, "its storage is bytes of no type");
    if (!whole(first, a[1]))
        return bad(s, w, "its first element is no whole number");
    const uint64_t elements = s->items[*storage].bytes / (w->format->block_bits / 8);
    if ((st = read_shape(w, s, a[2])) || (st = check_strides(w, s, a[3], *first, elements)))
        return st;
    return RIDGE_OK;
}

ridge_status ridge_checkpoint_tensor(ridge_weight *w, uint32_t *storage, uint64_t *first, ridge_checkpoint_storages *s,
                                     const ridge_pickle_value *v)
{
    const ridge_pickle_value *by = v->u.of.made_by, *arguments = v->u.of.arguments;
    for (unsigned nested = 0; nested < NESTED_MOST; nested++) {
        const size_t i = call_of(by);
        if (i == CALLS)
            return bad(s, w,
                       ridge_arena_printf(s->arena, "it is made by %s, which is not executed",
                                          by->kind == RIDGE_PICKLE_GLOBAL ? ridge_weight_shown(s->arena, by->u.text) : "?"));
        if (arguments->kind != RIDGE_PICKLE_TUPLE || arguments->count < calls[i].arguments)
            return bad(s, w, ridge_arena_printf(s->arena, "%s has too few arguments", calls[i].name));
        if (calls[i].call == OF_STORAGE || calls[i].call == OF_BYTES)
            return read_of_storage(w, storage, first, s, arguments, calls[i].call == OF_BYTES);
        if (calls[i].call == OF_SUBCLASS) { /* (function, class, its arguments, state) */
            by = arguments->items[0];
            arguments = arguments->items[2];
        } else if (arguments->items[0]->kind == RIDGE_PICKLE_OBJECT) {
            w->parameter = true;
            by = arguments->items[0]->u.of.made_by;
            arguments = arguments->items[0]->u.of.arguments;
        } else {
            return bad(s, w, "a parameter of what is no tensor");
        }
    }
    return bad(s, w, "a parameter of a parameter, again and again");
}
