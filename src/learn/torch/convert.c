/* Tensors in another dtype, as Python's numbers and lists, and written over as a whole. */
#include "learn/python/question.h"
#include "learn/torch/content.h"
#include "learn/torch/factory.h"
#include "learn/torch/hooks.h"
#include "learn/torch/methods.h"
#include "learn/torch/run.h"
#include "learn/torch/size.h"
#include "learn/torch/view.h"

static ridge_status give(ridge_py *out, ridge_tensor *t)
{
    *out = ridge_py_tensor(t);
    return RIDGE_OK;
}

/* ---- dtypes ---- */

ridge_status ridge_tensor_to(ridge_tensor **out, ridge_tensor *of, ridge_dtype dtype, ridge_py_interp *in)
{
    const ridge_py operand = ridge_py_tensor(of);
    *out = of;
    if (of->dtype == dtype)
        return RIDGE_OK;
    ridge_status st = ridge_tensor_new(out, dtype, of->dims, of->rank, in);
    if (st)
        return st;
    ridge_tensor_lay_like(*out, of);
    (*out)->requires_grad = of->requires_grad;
    if ((st = ridge_content_elementwise(*out, "to", &operand, 1, in)))
        return st;
    return ridge_tensor_ran("aten._to_copy.default", (const ridge_tensor *const[]){of}, 1, *out, in);
}

/* to(device), where the tensor lies on the other of host and device: a copy, whatever its dtype */
static ridge_status moved(ridge_tensor **out, ridge_tensor *of, ridge_dtype dtype, ridge_py_interp *in)
{
    const ridge_py operand = ridge_py_tensor(of);
    ridge_status st = ridge_tensor_new(out, dtype, of->dims, of->rank, in);
    if (st)
        return st;
    ridge_tensor_lay_like(*out, of);
    (*out)->requires_grad = of->requires_grad;
    st = dtype == of->dtype ? ridge_content_copy(*out, of, in) : ridge_content_elementwise(*out, "to", &operand, 1, in);
    if (!st)
        st = ridge_tensor_ran("aten._to_copy.default", (const ridge_tensor *const[]){of}, 1, *out, in);
    (*out)->storage->host = !of->storage->host;
    return st;
}

ridge_status ridge_tensor_is_of_host(bool *out, ridge_py device, ridge_py_interp *in)
{
    ridge_py flag = ridge_py_bool(false);
    ridge_status st = device.type == RIDGE_PY_T_INSTANCE ? ridge_py_getz(&flag, device, "of_host", in) : RIDGE_OK;
    *out = flag.type == RIDGE_PY_T_BOOL && flag.u.b;
    return st;
}

/* a device by its object, or by a name other than the host's */
static bool is_device(ridge_py v)
{
    return v.type == RIDGE_PY_T_INSTANCE || (v.type == RIDGE_PY_T_STR && !ridge_str_is(v.u.s->text, "cpu"));
}

/* whether to() with these arguments takes the tensor to where it is not */
static ridge_status moves(bool *out, const ridge_tensor *of, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_py_list *args = v[1].u.list;
    const ridge_py first = args->count ? args->items[0] : ridge_py_none(), device = is_device(v[5]) ? v[5] : first;
    const ridge_py other = v[3].type == RIDGE_PY_T_TENSOR ? v[3] : first;
    bool host = of->storage->host;
    ridge_status st = RIDGE_OK;
    if (other.type == RIDGE_PY_T_TENSOR)
        host = other.u.tensor->storage->host;
    else if (is_device(device))
        st = ridge_tensor_is_of_host(&host, device, in);
    *out = host != of->storage->host;
    return st;
}

static ridge_status convert(ridge_py *out, ridge_tensor *of, ridge_dtype dtype, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = ridge_tensor_to(&t, of, dtype, in);
    return st ? st : give(out, t);
}

/* to(dtype), to(device, dtype), to(other), and by keyword: input, *args, dtype, other, copy */
ridge_status ridge_native_to(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    ridge_tensor *of = v[0].u.tensor, *t;
    ridge_dtype dtype = of->dtype;
    const ridge_py_list *args = v[1].u.list;
    bool copy = v[4].type == RIDGE_PY_T_BOOL && v[4].u.b;
    ridge_dtype_of(&dtype, v[2]);
    if (v[3].type == RIDGE_PY_T_TENSOR)
        dtype = v[3].u.tensor->dtype;
    for (size_t i = 0; i < args->count; i++)
        if (args->items[i].type == RIDGE_PY_T_TENSOR)
            dtype = args->items[i].u.tensor->dtype;
        else if (i < 2 && args->items[i].type == RIDGE_PY_T_WORD)
            ridge_dtype_of(&dtype, args->items[i]);
    bool away;
    ridge_status st = moves(&away, of, v, in);
    if (st || away)
        return st || (st = moved(&t, of, dtype, in)) ? st : give(out, t);
    if (copy && dtype == of->dtype) {
        st = ridge_tensor_clone(&t, of, false, in);
        return st ? st : give(out, t);
    }
    return convert(out, of, dtype, in);
}

/* type(): its name; type(torch.half), type('torch.HalfTensor') */
ridge_status ridge_native_type(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    static const struct {
        const char *name;
        ridge_dtype dtype;
    } names[] = {{"torch.FloatTensor", RIDGE_DTYPE_F32},     {"torch.LongTensor", RIDGE_DTYPE_I64},  {"torch.HalfTensor", RIDGE_DTYPE_F16},
                 {"torch.DoubleTensor", RIDGE_DTYPE_F64},    {"torch.BoolTensor", RIDGE_DTYPE_BOOL}, {"torch.IntTensor", RIDGE_DTYPE_I32},
                 {"torch.BFloat16Tensor", RIDGE_DTYPE_BF16}, {"torch.ByteTensor", RIDGE_DTYPE_U8},   {"torch.CharTensor", RIDGE_DTYPE_I8},
                 {"torch.ShortTensor", RIDGE_DTYPE_I16}};
    ridge_dtype dtype;
    if (ridge_dtype_of(&dtype, v[1]))
        return convert(out, v[0].u.tensor, dtype, in);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (v[1].type == RIDGE_PY_T_STR && ridge_str_is(v[1].u.s->text, names[i].name))
            return convert(out, v[0].u.tensor, names[i].dtype, in);
        else if (v[1].type == RIDGE_PY_T_NONE && names[i].dtype == v[0].u.tensor->dtype)
            return ridge_py_strz(out, names[i].name, in);
    if (v[1].type == RIDGE_PY_T_CLASS) { /* type(torch.LongTensor) */
        const char *name = ridge_arena_printf(in->arena, "torch.%s", v[1].u.class->name->text);
        for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
            if (strcmp(name, names[i].name) == 0)
                return convert(out, v[0].u.tensor, names[i].dtype, in);
    }
    return ridge_py_raise(in, "ValueError", "invalid type");
}

ridge_status ridge_native_type_as(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    if (v[1].type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "argument 'other' must be Tensor, not %s", ridge_py_type_text(v[1]));
    ridge_tensor *t;
    if (v[0].u.tensor->storage->host == v[1].u.tensor->storage->host)
        return convert(out, v[0].u.tensor, v[1].u.tensor->dtype, in);
    ridge_status st = moved(&t, v[0].u.tensor, v[1].u.tensor->dtype, in);
    return st ? st : give(out, t);
}

#define CONVERSION(name, dtype)                                                                                                            \
    ridge_status ridge_native_##name(ridge_py *out, const ridge_py *v, ridge_py_interp *in)                                                \
    {                                                                                                                                      \
        return convert(out, v[0].u.tensor, dtype, in);                                                                                     \
    }
CONVERSION(float, RIDGE_DTYPE_F32)
CONVERSION(double, RIDGE_DTYPE_F64)
CONVERSION(half, RIDGE_DTYPE_F16)
CONVERSION(bfloat16, RIDGE_DTYPE_BF16)
CONVERSION(long, RIDGE_DTYPE_I64)
CONVERSION(int, RIDGE_DTYPE_I32)
CONVERSION(short, RIDGE_DTYPE_I16)
CONVERSION(byte, RIDGE_DTYPE_U8)
CONVERSION(bool, RIDGE_DTYPE_BOOL)

ridge_status ridge_native_itself(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    *out = v[0];
    return RIDGE_OK;
}

ridge_status ridge_native_nothing(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)v;
    (void)in;
    *out = ridge_py_none();
    return RIDGE_OK;
}

/* a hook is never called: a handle whose remove() does nothing is wanted */
ridge_status ridge_native_requires_grad_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    (void)in;
    v[0].u.tensor->requires_grad = !(v[1].type == RIDGE_PY_T_BOOL && !v[1].u.b);
    *out = v[0];
    return RIDGE_OK;
}

/* ---- Python's numbers ---- */

static ridge_status from_data(ridge_py *out, const char *what, ridge_py_interp *in)
{
    return ridge_py_unknown(out, "branch on data", what, NULL, "say what the value is", in);
}

/* A real number may be read and never used; where something depends on it, that place is the hole. */
static bool is_real(const ridge_tensor *t)
{
    return t->dtype >= RIDGE_DTYPE_F16 && t->dtype <= RIDGE_DTYPE_F64;
}

static ridge_status single(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in)
{
    int64_t count = ridge_content_count(t);
    if (count >= 0 && count != 1)
        return ridge_py_raise(in, "RuntimeError", "a Tensor with %lld elements cannot be converted to Scalar", (long long)count);
    return ridge_content_single(out, t, in);
}

/* a number out of a tensor, used as such */
static ridge_status number_of(ridge_py *out, const ridge_tensor *t, const char *what, ridge_py_interp *in)
{
    const ridge_question question = {.wants = t->dtype == RIDGE_DTYPE_BOOL ? RIDGE_WANTS_TRUTH : RIDGE_WANTS_NUMBER};
    ridge_status st = single(out, t, in);
    if (st || out->type != RIDGE_PY_T_UNSET)
        return st;
    if (is_real(t))
        return ridge_py_unknown_later(out, "branch on data", what, NULL, "say what the value is", in);
    return ridge_py_unknown_asked(out, "branch on data", what, "say what the value is", &question, in);
}

ridge_status ridge_native_item(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return number_of(out, v[0].u.tensor, "the number in a tensor", in);
}

static ridge_status nested(ridge_py *out, const ridge_tensor *t, const ridge_py **values, uint32_t depth, ridge_py_interp *in)
{
    ridge_py item;
    if (depth == t->rank) {
        *out = *(*values)++;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_new_list(out, RIDGE_PY_T_LIST, (size_t)t->dims[depth].u.i, in);
    for (int64_t i = 0; i < t->dims[depth].u.i && !st; i++)
        if (!(st = nested(&item, t, values, depth + 1, in)))
            st = ridge_py_append(out->u.list, item, in);
    return st;
}

ridge_status ridge_native_tolist(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    const ridge_tensor *t = v[0].u.tensor;
    const ridge_py *values;
    size_t count;
    ridge_status st = ridge_content_values(&values, &count, t, RIDGE_TENSOR_KNOWN, in);
    if (st || !values)
        return st ? st : from_data(out, "the numbers in a tensor", in);
    for (uint32_t d = 0; d < t->rank; d++) { /* a list has as many items as this run's sizes say */
        int64_t size;
        if ((st = ridge_py_concrete(&size, t->dims[d], in)))
            return st;
    }
    return nested(out, t, &values, 0, in);
}

ridge_status ridge_tensor_truth(ridge_py *out, ridge_py tensor, ridge_py_interp *in)
{
    ridge_py value;
    const ridge_tensor *t = tensor.u.tensor;
    int64_t count = ridge_content_count(t);
    if (count >= 0 && count != 1) {
        if (count == 0)
            return ridge_py_raise(in, "RuntimeError", "Boolean value of Tensor with no values is ambiguous");
        return ridge_py_raise(in, "RuntimeError", "Boolean value of Tensor with more than one value is ambiguous");
    }
    ridge_status st = single(&value, t, in);
    if (!st && value.type == RIDGE_PY_T_UNSET) /* whoever branches on it says so */
        return ridge_py_unknown_later(out, "branch on data", "a branch on the contents of a tensor", NULL, "say what the value is", in);
    if (st || value.type == RIDGE_PY_T_UNKNOWN) {
        *out = value;
        return st;
    }
    return ridge_py_truth_value(out, value, in);
}

ridge_status ridge_tensor_number(ridge_py *out, ridge_py tensor, ridge_py_type wanted, ridge_py_interp *in)
{
    ridge_status st = number_of(out, tensor.u.tensor, "the number in a tensor", in);
    if (st || out->type == RIDGE_PY_T_UNKNOWN)
        return st || wanted == RIDGE_PY_T_FLOAT ? st : ridge_py_matters(*out, in);
    if (wanted == RIDGE_PY_T_FLOAT)
        return ridge_content_cast(out, *out, RIDGE_DTYPE_F64, in);
    if (wanted == RIDGE_PY_T_INT) {
        st = ridge_content_cast(out, *out, RIDGE_DTYPE_I64, in);
        return st || out->type != RIDGE_PY_T_UNSET ? st : from_data(out, "the whole number in a tensor", in);
    }
    return st;
}

ridge_status ridge_tensor_length(ridge_py *out, ridge_py tensor, ridge_py_interp *in)
{
    if (tensor.u.tensor->rank == 0)
        return ridge_py_raise(in, "TypeError", "len() of a 0-d tensor");
    *out = tensor.u.tensor->dims[0];
    return RIDGE_OK;
}

/* ---- written over ---- */

static ridge_status write_all(ridge_py *out, ridge_py self, ridge_py value, const char *operator, ridge_py_interp * in)
{
    ridge_tensor *t = self.u.tensor;
    const ridge_tensor *source = value.type == RIDGE_PY_T_TENSOR ? value.u.tensor : NULL;
    *out = self;
    ridge_status st = RIDGE_OK;
    if (value.type == RIDGE_PY_T_UNSET || value.type == RIDGE_PY_T_UNKNOWN)
        ridge_content_void(t);
    else
        st = ridge_content_write(t, value, in);
    return st ? st : ridge_tensor_ran(operator, source ? &source : NULL, source ? 1 : 0, t, in);
}

ridge_status ridge_native_fill_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return write_all(out, v[0], v[1], "aten.fill_.Scalar", in);
}

ridge_status ridge_native_zero_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return write_all(out, v[0], ridge_py_int(0), "aten.zero_.default", in);
}

ridge_status ridge_native_copy_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return write_all(out, v[0], v[1], "aten.copy_.default", in);
}

ridge_status ridge_native_normal_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return write_all(out, v[0], ridge_py_unset(), "aten.normal_.default", in);
}

ridge_status ridge_native_uniform_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return write_all(out, v[0], ridge_py_unset(), "aten.uniform_.default", in);
}

ridge_status ridge_native_bernoulli_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return write_all(out, v[0], ridge_py_unset(), "aten.bernoulli_.float", in);
}

ridge_status ridge_native_len_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return ridge_tensor_length(out, v[0], in);
}

ridge_status ridge_native_bool_(ridge_py *out, const ridge_py *v, ridge_py_interp *in)
{
    return ridge_tensor_truth(out, v[0], in);
}
