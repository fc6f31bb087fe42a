/* What the rules of ONNX's operators share: inputs, attributes, formats, dimensions. */
#include "opgraph/onnx.h"
#include "opgraph/parts.h"

/* A dimension of a tensor without elements may be anything; what is computed of one fits in 64 bits with this. */
static const int64_t LONGEST = (int64_t)1 << 48;

/* ---- inputs and attributes ---- */

ridge_status ridge_opset_needs(ridge_opgraph_call *call, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!ridge_opgraph_in(call, i))
            return ridge_opgraph_wrong(call, "it has no input %u; it needs %u", i + 1, count);
    for (uint32_t i = 0; i < call->in_count; i++)
        for (uint32_t d = 0; call->in[i] && call->in[i]->known && d < call->in[i]->rank; d++)
            if (call->in[i]->dims[d] > LONGEST)
                return ridge_opgraph_wrong(call, "input %u has a dimension of %lld", i + 1, (long long)call->in[i]->dims[d]);
    return RIDGE_OK;
}

int64_t ridge_opset_times(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

ridge_status ridge_opset_rank_is(ridge_opgraph_call *call, uint32_t input, const char *what, uint32_t rank)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    return t->rank == rank ? RIDGE_OK
                           : ridge_opgraph_wrong(call, "%s is %s; it wants %u dimension%s", what, ridge_opgraph_shape_text(call, t), rank,
                                                 RIDGE_PLURAL(rank));
}

ridge_opset_list ridge_opset_attribute(const ridge_opgraph_call *call, const char *name)
{
    const ridge_opgraph_argument *a = ridge_opgraph_argument_of(call->node, name);
    if (!a)
        return (ridge_opset_list){0};
    if (a->kind == RIDGE_OPGRAPH_ARG_INTS)
        return (ridge_opset_list){a->u.ints, a->count, true};
    if (a->kind == RIDGE_OPGRAPH_ARG_INT)
        return (ridge_opset_list){&a->u.whole, 1, true};
    return (ridge_opset_list){0};
}

bool ridge_opset_held(ridge_opset_list *out, const ridge_opgraph_call *call, uint32_t input)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    *out = (ridge_opset_list){0};
    if (!t)
        return true;
    *out = (ridge_opset_list){t->ints, t->ints ? t->content_count : 0, true};
    return t->ints || (t->known && t->elements == 0);
}

bool ridge_opset_listed(ridge_opset_list *out, const ridge_opgraph_call *call, const char *attribute, uint32_t input)
{
    *out = ridge_opset_attribute(call, attribute);
    return out->there || ridge_opset_held(out, call, input);
}

bool ridge_opset_number(double *out, const ridge_opgraph_call *call, uint32_t input)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    if (!t || t->content_count < 1 || !ridge_opset_is_held(t))
        return false;
    *out = t->ints ? (double)t->ints[0] : t->reals[0];
    return true;
}

bool ridge_opset_whole(int64_t *out, const ridge_opgraph_call *call, uint32_t input)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    if (!t || !t->ints || t->content_count < 1)
        return false;
    *out = t->ints[0];
    return true;
}

ridge_status ridge_opset_count_is(ridge_opgraph_call *call, const char *what, size_t count, size_t wanted)
{
    return count == wanted ? RIDGE_OK
                           : ridge_opgraph_wrong(call, "%s has %zu number%s; it wants %zu", what, count, RIDGE_PLURAL(count), wanted);
}

const char *ridge_opset_op(const ridge_opgraph_call *call)
{
    const char *name = call->spec->name, *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

/* ---- formats ---- */

const ridge_format *ridge_opset_format_named(const char *name)
{
    return ridge_format_find(ridge_str_of(name));
}

const ridge_format *ridge_opset_format(int64_t type)
{
    /* TensorProto.DataType; both signs of 4 and 2 bits are one format, both fp8 of each kind too */
    static const char *const names[] = {NULL,       "fp32",     "u8",       "int8", "u16",  "i16",       "i32",        "i64",  NULL,
                                        "bool",     "fp16",     "fp64",     "u32",  "u64",  "complex64", "complex128", "bf16", "fp8_e4m3",
                                        "fp8_e4m3", "fp8_e5m2", "fp8_e5m2", "int4", "int4", "fp4_e2m1",  "fp8_e8m0",   "int2", "int2"};
    if (type < 0 || type >= (int64_t)(sizeof names / sizeof *names) || !names[type])
        return NULL;
    return ridge_opset_format_named(names[type]);
}

const ridge_format *ridge_opset_format_of(const ridge_opgraph_call *call, uint32_t input)
{
    const ridge_opgraph_tensor *t = ridge_opgraph_in(call, input);
    return t ? t->format : NULL;
}

const ridge_format *ridge_opset_result_format(const ridge_opgraph_call *call, uint32_t input)
{
    const char *dtype = call->spec->dtype;
    if (dtype && strcmp(dtype, "bool") == 0)
        return ridge_opset_format_named("bool");
    if (dtype && strcmp(dtype, "int64") == 0)
        return ridge_opset_format_named("i64");
    return ridge_opset_format_of(call, input);
}

bool ridge_opset_is_whole(const ridge_format *format)
{
    static const char *const names[] = {"i64", "i32", "i16", "int8", "u8", "u16", "u32", "u64", "bool", "int4", "int2"};
    for (size_t i = 0; format && i < sizeof names / sizeof *names; i++)
        if (strcmp(format->name, names[i]) == 0)
            return true;
    return false;
}

/* ---- dimensions ---- */

ridge_opset_dims ridge_opset_dims_of(const ridge_opgraph_tensor *t)
{
    ridge_opset_dims out = {.rank = t->rank};
    for (uint32_t i = 0; i < t->rank; i++)
        out.at[i] = t->dims[i];
    return out;
}

ridge_status ridge_opset_set(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const ridge_opset_dims *dims)
{
    if (ridge_opset_wants(call, out))
        return ridge_opgraph_set(call, out, format, dims->at, dims->rank);
    for (uint32_t i = 0; i < dims->rank; i++) /* nobody wants it, but its sizes count */
        if (dims->at[i] < 0)
            return ridge_opgraph_wrong(call, "a dimension of its result would be %lld", (long long)dims->at[i]);
    return ridge_opgraph_product(dims->at, 0, dims->rank) < 0 ? ridge_opgraph_wrong(call, "its result is too large") : RIDGE_OK;
}

ridge_status ridge_opset_declared(bool *said, ridge_opset_dims *out, ridge_opgraph_call *call, uint32_t result)
{
    ridge_opgraph_tensor *t = ridge_opset_wants(call, result) ? call->out[result] : NULL;
    ridge_status st = t ? ridge_opgraph_shape_said(call->run, t) : RIDGE_OK;
    *said = !st && t && t->known;
    if (*said)
        *out = ridge_opset_dims_of(t);
    return st;
}

ridge_status ridge_opset_as_declared(ridge_opgraph_call *call, uint32_t out, const ridge_format *format, const char *why)
{
    ridge_opset_dims dims;
    bool said;
    ridge_status st = ridge_opset_declared(&said, &dims, call, out);
    if (st)
        return st;
    return said ? ridge_opset_set(call, out, format, &dims) : ridge_opgraph_unknown(call, "%s", why);
}

ridge_status ridge_opset_axis(uint32_t *out, ridge_opgraph_call *call, int64_t axis, uint32_t rank)
{
    return ridge_opgraph_axis(out, axis, rank)
               ? RIDGE_OK
               : ridge_opgraph_wrong(call, "there is no axis %lld in %u dimension%s", (long long)axis, rank, RIDGE_PLURAL(rank));
}

ridge_status ridge_opset_axes(bool *is, ridge_opgraph_call *call, ridge_opset_list axes, uint32_t rank)
{
    for (uint32_t i = 0; i < RIDGE_OPGRAPH_RANK; i++)
        is[i] = false;
    for (size_t i = 0; i < axes.count; i++) {
        uint32_t axis;
        ridge_status st = ridge_opset_axis(&axis, call, axes.at[i], rank);
        if (st)
            return st;
        if (is[axis])
            return ridge_opgraph_wrong(call, "axis %u is given twice", axis);
        is[axis] = true;
    }
    return RIDGE_OK;
}

ridge_status ridge_opset_broadcast(ridge_opset_dims *dims, ridge_opgraph_call *call, const ridge_opgraph_tensor *with)
{
    ridge_opgraph_tensor so_far = {.known = true, .rank = dims->rank, .dims = dims->at};
    ridge_opset_dims joined;
    if (!ridge_opgraph_broadcast(joined.at, &joined.rank, &so_far, with))
        return ridge_opgraph_wrong(call, "the shapes %s and %s do not broadcast", ridge_opgraph_shape_text(call, &so_far),
                                   ridge_opgraph_shape_text(call, with));
    *dims = joined;
    return RIDGE_OK;
}

void ridge_opset_count(ridge_opgraph_call *call, const char *name, const ridge_opgraph_tensor *t)
{
    if (t)
        ridge_opgraph_size_is(call, name, t->elements);
}

ridge_status ridge_opset_reads(ridge_opgraph_call *call, uint32_t input, ridge_int elements)
{
    ridge_int *taken = call->step->taken;
    if (!taken) {
        if (!(taken = ridge_arena_array(call->run->arena, call->in_count + 1, sizeof *taken)))
            return ridge_no_memory(call->run->err);
        for (uint32_t i = 0; i < call->in_count; i++)
            taken[i] = -1;
        call->step->taken = taken;
    }
    if (input < call->in_count)
        taken[input] = elements;
    return RIDGE_OK;
}
