/* Operators of Python on tensors: which of ATen's they are, also where the tensor stands on the right. */
#include "learn/torch/rules.h"
#include "learn/torch/torch.h"

typedef struct arithmetic {
    const char *name;      /* tensor op anything */
    const char *in_place;  /* tensor op= anything */
    const char *reflected; /* number op tensor: called with the tensor first; NULL: none */
} arithmetic;

static const arithmetic operators[] = {
    [RIDGE_PY_OP_ADD] = {"aten.add.Tensor", "aten.add_.Tensor", "aten.add.Tensor"},
    [RIDGE_PY_OP_SUB] = {"aten.sub.Tensor", "aten.sub_.Tensor", "aten.rsub.Scalar"},
    [RIDGE_PY_OP_MUL] = {"aten.mul.Tensor", "aten.mul_.Tensor", "aten.mul.Tensor"},
    [RIDGE_PY_OP_DIV] = {"aten.div.Tensor", "aten.div_.Tensor", NULL},
    [RIDGE_PY_OP_FLOORDIV] = {"aten.floor_divide.default", "aten.floor_divide_.Tensor", NULL},
    [RIDGE_PY_OP_MOD] = {"aten.remainder.Tensor", "aten.remainder_.Tensor", NULL},
    [RIDGE_PY_OP_POW] = {"aten.pow.Tensor_Tensor", "aten.pow_.Tensor", NULL},
    [RIDGE_PY_OP_MATMUL] = {"torch.matmul", NULL, NULL},
    [RIDGE_PY_OP_LSHIFT] = {"aten.__lshift__.Tensor", NULL, NULL},
    [RIDGE_PY_OP_RSHIFT] = {"aten.__rshift__.Tensor", NULL, NULL},
    [RIDGE_PY_OP_BITAND] = {"aten.bitwise_and.Tensor", "aten.bitwise_and_.Tensor", "aten.bitwise_and.Tensor"},
    [RIDGE_PY_OP_BITOR] = {"aten.bitwise_or.Tensor", "aten.bitwise_or_.Tensor", "aten.bitwise_or.Tensor"},
    [RIDGE_PY_OP_BITXOR] = {"aten.bitwise_xor.Tensor", "aten.bitwise_xor_.Tensor", "aten.bitwise_xor.Tensor"},
    [RIDGE_PY_OP_EQ] = {"aten.eq.Tensor", NULL, "aten.eq.Tensor"},
    [RIDGE_PY_OP_NE] = {"aten.ne.Tensor", NULL, "aten.ne.Tensor"},
    [RIDGE_PY_OP_LT] = {"aten.lt.Tensor", NULL, "aten.gt.Tensor"},
    [RIDGE_PY_OP_LE] = {"aten.le.Tensor", NULL, "aten.ge.Tensor"},
    [RIDGE_PY_OP_GT] = {"aten.gt.Tensor", NULL, "aten.lt.Tensor"},
    [RIDGE_PY_OP_GE] = {"aten.ge.Tensor", NULL, "aten.le.Tensor"},
};

static bool is_operand(ridge_py v)
{
    return v.type == RIDGE_PY_T_TENSOR || ridge_py_is_number(v);
}

/* torch.tensor(number) in the dtype that both sides give */
static ridge_status number_as_tensor(ridge_py *out, ridge_py number, ridge_dtype dtype, ridge_py_interp *in)
{
    ridge_py function;
    ridge_py_word *word = ridge_arena_alloc(in->arena, sizeof *word);
    const ridge_py_keyword keyword = {ridge_py_symbol(in, "dtype"), {.type = RIDGE_PY_T_WORD, .u.word = word}};
    if (!word || !keyword.name)
        return ridge_no_memory(in->err);
    if (number.type == RIDGE_PY_T_FLOAT && dtype <= RIDGE_DTYPE_I64)
        dtype = ridge_run_of(in)->default_dtype;
    *word = (ridge_py_word){.kind = "dtype", .text = ridge_dtype_name(dtype)};
    ridge_status st = ridge_torch_function(&function, "torch.tensor", in);
    return st ? st : ridge_py_call_value(out, function, &number, 1, &keyword, 1, in);
}

/* 2 / x is x.reciprocal() * 2; of the rest, PyTorch makes a tensor of the number first */
static ridge_status reflected(ridge_py *out, ridge_py_operator op, ridge_py number, ridge_py tensor, ridge_py_interp *in)
{
    ridge_py made;
    const arithmetic *a = &operators[op];
    if (a->reflected)
        return ridge_operator_apply(out, a->reflected, (ridge_py[]){tensor, number}, 2, in);
    if (op == RIDGE_PY_OP_DIV) {
        ridge_status st = ridge_operator_apply(&made, "aten.reciprocal.default", &tensor, 1, in);
        return st ? st : ridge_operator_apply(out, "aten.mul.Tensor", (ridge_py[]){made, number}, 2, in);
    }
    ridge_status st = number_as_tensor(&made, number, tensor.u.tensor->dtype, in);
    return st ? st : ridge_operator_apply(out, a->name, (ridge_py[]){made, tensor}, 2, in);
}

ridge_status ridge_torch_binary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py b, bool in_place, ridge_py_interp *in)
{
    const ridge_py unknown = a.type == RIDGE_PY_T_UNKNOWN ? a : b;
    if (op == RIDGE_PY_OP_IS || op == RIDGE_PY_OP_IS_NOT) {
        *out = ridge_py_bool(ridge_py_same(a, b) == (op == RIDGE_PY_OP_IS));
        return RIDGE_OK;
    }
    if (unknown.type == RIDGE_PY_T_UNKNOWN) {
        *out = unknown;
        return RIDGE_OK;
    }
    if (op >= sizeof operators / sizeof *operators || !operators[op].name || !is_operand(a) || !is_operand(b)) {
        *out = op == RIDGE_PY_OP_EQ || op == RIDGE_PY_OP_NE ? ridge_py_bool(op == RIDGE_PY_OP_NE)
                                                            : (ridge_py){.type = RIDGE_PY_T_NOT_IMPLEMENTED};
        return RIDGE_OK;
    }
    if (a.type != RIDGE_PY_T_TENSOR)
        return reflected(out, op, a, b, in);
    const char *name = in_place && operators[op].in_place ? operators[op].in_place : operators[op].name;
    return ridge_operator_apply(out, name, (ridge_py[]){a, b}, 2, in);
}

ridge_status ridge_torch_unary(ridge_py *out, ridge_py_operator op, ridge_py a, ridge_py_interp *in)
{
    *out = a;
    switch (op) {
    case RIDGE_PY_OP_NEGATIVE:
        return ridge_operator_apply(out, "aten.neg.default", &a, 1, in);
    case RIDGE_PY_OP_INVERT:
        return ridge_operator_apply(out, "aten.bitwise_not.default", &a, 1, in);
    case RIDGE_PY_OP_POSITIVE:
        return RIDGE_OK;
    default:
        out->type = RIDGE_PY_T_NOT_IMPLEMENTED;
        return RIDGE_OK;
    }
}
