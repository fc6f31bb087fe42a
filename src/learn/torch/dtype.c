/* Number formats of tensors: their names, sizes and promotion (PyTorch's torch.result_type). */
#include "learn/torch/tensor.h"

static const struct {
    const char *name, *other; /* float32, float */
    unsigned bytes;
} formats[] = {
    [RIDGE_DTYPE_BOOL] = {"bool", NULL, 1},
    [RIDGE_DTYPE_U8] = {"uint8", NULL, 1},
    [RIDGE_DTYPE_I8] = {"int8", NULL, 1},
    [RIDGE_DTYPE_I16] = {"int16", "short", 2},
    [RIDGE_DTYPE_I32] = {"int32", "int", 4},
    [RIDGE_DTYPE_I64] = {"int64", "long", 8},
    [RIDGE_DTYPE_F16] = {"float16", "half", 2},
    [RIDGE_DTYPE_BF16] = {"bfloat16", NULL, 2},
    [RIDGE_DTYPE_F32] = {"float32", "float", 4},
    [RIDGE_DTYPE_F64] = {"float64", "double", 8},
    [RIDGE_DTYPE_C64] = {"complex64", "cfloat", 8},
    [RIDGE_DTYPE_C128] = {"complex128", "cdouble", 16},
    [RIDGE_DTYPE_F8] = {"float8_e4m3fn", "float8_e5m2", 1},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

unsigned ridge_dtype_bytes(ridge_dtype dtype)
{
    return formats[dtype].bytes;
}

const char *ridge_dtype_name(ridge_dtype dtype)
{
    return formats[dtype].name;
}

bool ridge_dtype_of(ridge_dtype *out, ridge_py word)
{
    if (word.type == RIDGE_PY_T_CLASS) { /* dtype=bool: Python's own types */
        const char *name = word.u.class->name->text;
        *out = strcmp(name, "bool") == 0 ? RIDGE_DTYPE_BOOL : strcmp(name, "int") == 0 ? RIDGE_DTYPE_I64 : RIDGE_DTYPE_F64;
        return word.u.class->node == NULL && (*out != RIDGE_DTYPE_F64 || strcmp(name, "float") == 0);
    }
    if (word.type != RIDGE_PY_T_WORD || strcmp(word.u.word->kind, "dtype") != 0)
        return false;
    for (int i = 0; i < FORMATS; i++)
        if (strcmp(word.u.word->text, formats[i].name) == 0 || (formats[i].other && strcmp(word.u.word->text, formats[i].other) == 0)) {
            *out = (ridge_dtype)i;
            return true;
        }
    return false;
}

/* 0 bool, 1 integer, 2 floating, 3 complex */
static int kind_of(ridge_dtype d)
{
    if (d == RIDGE_DTYPE_BOOL)
        return 0;
    if (d <= RIDGE_DTYPE_I64)
        return 1;
    return d == RIDGE_DTYPE_C64 || d == RIDGE_DTYPE_C128 ? 3 : 2;
}

static ridge_dtype promote_tensors(ridge_dtype a, ridge_dtype b)
{
    ridge_dtype high = a > b ? a : b, low = a > b ? b : a;
    if (a == b)
        return a;
    if (kind_of(high) == 3)
        return low == RIDGE_DTYPE_F64 ? RIDGE_DTYPE_C128 : high;
    if (high == RIDGE_DTYPE_F8 || (low == RIDGE_DTYPE_F16 && high == RIDGE_DTYPE_BF16))
        return kind_of(low) == 2 ? (high == RIDGE_DTYPE_F8 ? low : RIDGE_DTYPE_F32) : high;
    if (low == RIDGE_DTYPE_U8 && high == RIDGE_DTYPE_I8)
        return RIDGE_DTYPE_I16;
    return high;
}

/* A Python number counts only where its kind is higher than the tensor's: then it brings the default of that kind. */
ridge_dtype ridge_dtype_promote(ridge_dtype a, bool a_is_number, ridge_dtype b, bool b_is_number)
{
    if (a_is_number == b_is_number)
        return promote_tensors(a, b);
    ridge_dtype tensor = a_is_number ? b : a, number = a_is_number ? a : b;
    if (kind_of(number) <= kind_of(tensor))
        return tensor;
    if (kind_of(number) == 3)
        return tensor == RIDGE_DTYPE_F64 ? RIDGE_DTYPE_C128 : RIDGE_DTYPE_C64;
    return kind_of(number) == 2 ? RIDGE_DTYPE_F32 : RIDGE_DTYPE_I64;
}
