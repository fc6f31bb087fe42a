/* What the rules have in common, and those of operators that work element by element. */
#include "learn/torch/rules.h"

#include "learn/torch/content.h"
#include "learn/torch/hooks.h"
#include "learn/torch/methods.h"
#include "learn/torch/size.h"
#include "learn/torch/torch.h"
#include "learn/torch/view.h"

/* ---- arguments ---- */

ridge_py ridge_operator_value(const ridge_operator *op, const ridge_py *values, const char *name)
{
    for (size_t i = 0; i < op->name_count; i++)
        if (strcmp(op->names[i], name) == 0)
            return values[i];
    return ridge_py_unset();
}

ridge_tensor *ridge_operator_tensor(const ridge_operator *op, const ridge_py *values, const char *name)
{
    const ridge_py v = ridge_operator_value(op, values, name);
    return v.type == RIDGE_PY_T_TENSOR ? v.u.tensor : NULL;
}

ridge_status ridge_operator_input(ridge_tensor **out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    if (values[0].type != RIDGE_PY_T_TENSOR)
        return ridge_py_raise(in, "TypeError", "%s(): argument '%s' must be Tensor, not %s", op->name, op->names[0],
                              ridge_py_type_text(values[0]));
    *out = values[0].u.tensor;
    return RIDGE_OK;
}

ridge_status ridge_operator_item(ridge_py *out, ridge_py v, size_t at, ridge_py_interp *in)
{
    *out = v;
    if (v.type != RIDGE_PY_T_TUPLE && v.type != RIDGE_PY_T_LIST)
        return RIDGE_OK;
    if (!v.u.list->count)
        return ridge_py_raise(in, "RuntimeError", "a size is an empty tuple");
    *out = v.u.list->items[v.u.list->count == 1 || at >= v.u.list->count ? 0 : at];
    return RIDGE_OK;
}

ridge_status ridge_operator_axes(bool *axes, const ridge_tensor *t, ridge_py dim, ridge_py_interp *in)
{
    bool listed = dim.type == RIDGE_PY_T_TUPLE || dim.type == RIDGE_PY_T_LIST;
    bool all = !ridge_operator_given(dim) || (listed && dim.u.list->count == 0);
    for (uint32_t i = 0; i < t->rank; i++)
        axes[i] = all;
    for (size_t i = 0; !all && i < (listed ? dim.u.list->count : 1); i++) {
        uint32_t axis;
        if (t->rank == 0)
            break;
        ridge_status st = ridge_tensor_axis(&axis, t, listed ? dim.u.list->items[i] : dim, in);
        if (st)
            return st;
        axes[axis] = true;
    }
    return RIDGE_OK;
}

bool ridge_operator_flag(ridge_py v)
{
    return (v.type == RIDGE_PY_T_BOOL && v.u.b) || (v.type == RIDGE_PY_T_INT && v.u.i != 0);
}

bool ridge_dims_differ(ridge_py a, ridge_py b)
{
    return a.type == RIDGE_PY_T_INT && b.type == RIDGE_PY_T_INT && a.u.i != b.u.i;
}

const char *ridge_shape_text(const ridge_tensor *t, ridge_py_interp *in)
{
    ridge_buf buf = {0};
    ridge_buf_addc(&buf, '[');
    for (uint32_t i = 0; i < t->rank; i++) {
        ridge_buf_addz(&buf, i ? ", " : "");
        if (t->dims[i].type == RIDGE_PY_T_INT)
            ridge_buf_addf(&buf, "%lld", (long long)t->dims[i].u.i);
        else
            ridge_buf_addc(&buf, '?');
    }
    ridge_buf_addc(&buf, ']');
    const char *text = ridge_arena_take(in->arena, &buf);
    return text ? text : "";
}

/* ---- every tensor among the arguments, those in lists and tuples, too ---- */

typedef struct tensors {
    ridge_py *items;
    size_t count, cap;
} tensors;

static ridge_status add_tensor(tensors *to, ridge_py v, ridge_py_interp *in)
{
    if (v.type != RIDGE_PY_T_TENSOR)
        return RIDGE_OK;
    if (!ridge_arena_more(in->arena, &to->items, to->count, &to->cap, sizeof *to->items))
        return ridge_no_memory(in->err);
    to->items[to->count++] = v;
    return RIDGE_OK;
}

static ridge_status add_tensors(tensors *to, ridge_py v, ridge_py_interp *in)
{
    if (v.type != RIDGE_PY_T_TUPLE && v.type != RIDGE_PY_T_LIST)
        return add_tensor(to, v, in);
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < v.u.list->count; i++)
        st = add_tensor(to, v.u.list->items[i], in);
    return st;
}

ridge_status ridge_operator_ran(const ridge_operator *op, const ridge_py *values, ridge_py result, const ridge_operator_size *sizes,
                                size_t count, ridge_py_interp *in)
{
    if (!ridge_run_of(in)->recording)
        return RIDGE_OK;
    ridge_py few[2][8]; /* most have no more */
    tensors inputs = {.items = few[0], .cap = 8}, outputs = {.items = few[1], .cap = 8};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < op->name_count; i++)
        st = add_tensors(&inputs, values[i], in);
    if (!st)
        st = add_tensors(&outputs, result, in);
    return st ? st : ridge_operator_record_of(op, values, inputs.items, inputs.count, outputs.items, outputs.count, sizes, count, in);
}

/* ---- dtypes ---- */

static bool is_complex(ridge_dtype t)
{
    return t == RIDGE_DTYPE_C64 || t == RIDGE_DTYPE_C128;
}
static bool is_floating(ridge_dtype t)
{
    return t >= RIDGE_DTYPE_F16 && !is_complex(t);
}

/* torch.result_type: tensors with dimensions come first, then those without, then numbers; a lower one counts only where its kind is higher
 */
typedef struct promotion {
    ridge_dtype level[3];
    bool there[3];
} promotion;

static void promote(promotion *p, ridge_py v, ridge_dtype floating)
{
    unsigned level = v.type == RIDGE_PY_T_TENSOR ? (v.u.tensor->rank ? 0 : 1) : 2;
    ridge_dtype t = RIDGE_DTYPE_BOOL;
    if (v.type == RIDGE_PY_T_TENSOR)
        t = v.u.tensor->dtype;
    else if (v.type == RIDGE_PY_T_FLOAT)
        t = floating;
    else if (v.type == RIDGE_PY_T_INT)
        t = RIDGE_DTYPE_I64;
    else if (v.type != RIDGE_PY_T_BOOL)
        return;
    p->level[level] = p->there[level] ? ridge_dtype_promote(p->level[level], false, t, false) : t;
    p->there[level] = true;
}

static ridge_dtype combine(bool *there, ridge_dtype higher, bool has_lower, ridge_dtype lower, ridge_dtype floating)
{
    if (!has_lower)
        return higher;
    if (!*there) {
        *there = true;
        return lower;
    }
    if (is_complex(higher) || (is_floating(higher) && !is_complex(lower)))
        return higher;
    if (higher == RIDGE_DTYPE_BOOL || is_complex(lower))
        return ridge_dtype_promote(higher, false, lower, false);
    return is_floating(lower) ? floating == lower ? lower : ridge_dtype_promote(higher, false, lower, false) : higher;
}

static ridge_dtype promoted(const ridge_operator *op, const ridge_py *values, ridge_dtype floating)
{
    promotion p = {0};
    static const char *const counted[] = {"input", "other", "tensors", "end", "tensor1", "tensor2", "exponent", "self", "min", "max"};
    for (size_t i = 0; i < op->name_count; i++) {
        bool counts = false;
        for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
            counts |= strcmp(op->names[i], counted[k]) == 0;
        bool listed = counts && (values[i].type == RIDGE_PY_T_TUPLE || values[i].type == RIDGE_PY_T_LIST);
        for (size_t k = 0; listed && k < values[i].u.list->count; k++)
            promote(&p, values[i].u.list->items[k], floating);
        if (counts && !listed)
            promote(&p, values[i], floating);
    }
    bool there = p.there[0];
    ridge_dtype t = combine(&there, p.level[0], p.there[1], p.level[1], floating);
    return combine(&there, t, p.there[2], p.level[2], floating);
}

static bool is_integral(ridge_dtype t)
{
    return t <= RIDGE_DTYPE_I64;
}

ridge_status ridge_operator_dtype(ridge_dtype *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_dtype floating = ridge_run_of(in)->default_dtype;
    const char *rule = op->dtype ? op->dtype : "promote";
    const ridge_py asked = ridge_operator_value(op, values, "dtype");
    if (ridge_operator_given(asked) && ridge_dtype_of(out, asked))
        return RIDGE_OK;
    *out = values[0].type == RIDGE_PY_T_TENSOR ? values[0].u.tensor->dtype : floating;
    if (op->in_place || strcmp(rule, "same") == 0)
        return RIDGE_OK;
    if (strcmp(rule, "bool") == 0)
        *out = RIDGE_DTYPE_BOOL;
    else if (strcmp(rule, "int64") == 0)
        *out = RIDGE_DTYPE_I64;
    else if (strcmp(rule, "sum") == 0)
        *out = is_integral(*out) ? RIDGE_DTYPE_I64 : *out;
    else if (strcmp(rule, "real") == 0)
        *out = *out == RIDGE_DTYPE_C64 ? RIDGE_DTYPE_F32 : *out == RIDGE_DTYPE_C128 ? RIDGE_DTYPE_F64 : *out;
    else if (strcmp(rule, "complex") == 0)
        *out = *out == RIDGE_DTYPE_F64 || *out == RIDGE_DTYPE_C128 ? RIDGE_DTYPE_C128 : RIDGE_DTYPE_C64;
    else
        *out = promoted(op, values, floating);
    const bool rounded = ridge_operator_given(ridge_operator_value(op, values, "rounding_mode")); /* a quotient of integers stays one */
    if (strcmp(rule, "float") == 0 && is_integral(*out) && !rounded)
        *out = floating;
    return RIDGE_OK;
}

ridge_status ridge_operator_result(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_py *dims, uint32_t rank,
                                   ridge_py_interp *in)
{
    ridge_dtype dtype;
    ridge_tensor *t;
    ridge_status st = ridge_operator_dtype(&dtype, op, values, in);
    if (!st)
        st = ridge_tensor_new(&t, dtype, dims, rank, in);
    if (!st)
        *out = ridge_py_tensor(t);
    return st;
}

/* ---- running ---- */

/* "aten.relu_.default" of aten.relu.default, where there is one */
static const char *in_place_name(const ridge_operator *op, ridge_py_interp *in)
{
    const char *dot = strrchr(op->name, '.');
    const char *name = dot ? ridge_arena_printf(in->arena, "%.*s_%s", (int)(dot - op->name), op->name, dot) : NULL;
    return name && ridge_operator_find(name, in) ? name : NULL;
}

/* the overload that ATen takes for these arguments */
static ridge_status overload(const ridge_operator **op, const ridge_py *values, ridge_py_interp *in)
{
    const char *other = NULL;
    ridge_py_type type = ridge_operator_value(*op, values, "other").type;
    if ((*op)->scalar && *(*op)->scalar && type != RIDGE_PY_T_TENSOR)
        other = (*op)->scalar;
    if ((*op)->whole && *(*op)->whole && !ridge_operator_given(ridge_operator_value(*op, values, "dim")))
        other = (*op)->whole;
    if ((*op)->mode && *(*op)->mode && ridge_operator_given(ridge_operator_value(*op, values, "rounding_mode")))
        other = (*op)->mode;
    if (ridge_operator_flag(ridge_operator_value(*op, values, "inplace")))
        other = in_place_name(*op, in);
    if (!other)
        return RIDGE_OK;
    const ridge_operator *found = ridge_operator_find(other, in);
    if (!found || found->name_count > (*op)->name_count)
        return ridge_fail(in->err, RIDGE_CHECK, "%s has no operator %s with its arguments", (*op)->name, other);
    *op = found;
    return RIDGE_OK;
}

/* Products read a conjugate view as it is, all other operators a copy of it. */
static ridge_status conjugated(ridge_py *copy, const ridge_py **values, const ridge_operator *op, ridge_py_interp *in)
{
    bool any = false;
    for (size_t i = 0; i < op->name_count; i++)
        any |= (*values)[i].type == RIDGE_PY_T_TENSOR && (*values)[i].u.tensor->conjugate;
    if (!any || op->name_count > 16 || ridge_operator_does(op, "matmul") || strcmp(op->shape, "matmul") == 0)
        return RIDGE_OK;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < op->name_count && !st; i++) {
        copy[i] = (*values)[i];
        if (copy[i].type == RIDGE_PY_T_TENSOR)
            st = ridge_native_resolve_conj(&copy[i], &(*values)[i], in);
    }
    *values = copy;
    return st;
}

ridge_status ridge_operator_run(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    for (size_t i = 0; i < op->name_count; i++)
        if (values[i].type == RIDGE_PY_T_UNKNOWN) { /* what comes of data is not known */
            *out = values[i];
            return ridge_operator_record_unknown(op, values[i].u.hole, in);
        }
    ridge_py copy[16];
    ridge_status st = conjugated(copy, &values, op, in);
    if (!st)
        st = overload(&op, values, in);
    return st ? st : op->rule(out, op, values, in);
}

ridge_status ridge_operator_apply(ridge_py *out, const char *name, const ridge_py *args, size_t count, ridge_py_interp *in)
{
    ridge_py function;
    const ridge_operator *op = ridge_operator_find(name, in);
    if (!op)
        return ridge_fail(in->err, RIDGE_UNKNOWN, "no operator %s", name);
    ridge_status st = ridge_operator_function(&function, op, in);
    return st ? st : ridge_py_call_value(out, function, args, count, NULL, 0, in);
}

/* ---- element by element ---- */

/* "aten.add_.Tensor" is "add" */
static void plain_name(char *out, size_t room, const ridge_operator *op)
{
    const char *name = strncmp(op->name, "aten.", 5) == 0 ? op->name + 5 : op->name;
    size_t n = strcspn(name, ".");
    if (op->in_place && n && name[n - 1] == '_')
        n--;
    n = n < room ? n : room - 1;
    memcpy(out, name, n);
    out[n] = '\0';
}

static bool is_plain_alpha(const ridge_operator *op, const ridge_py *values)
{
    const ridge_py alpha = ridge_operator_value(op, values, "alpha");
    return alpha.type == RIDGE_PY_T_UNSET || (alpha.type == RIDGE_PY_T_INT && alpha.u.i == 1 && !alpha.by.sym) ||
           (alpha.type == RIDGE_PY_T_FLOAT && alpha.u.f == 1 && !alpha.by.sym);
}

/* the result of an elementwise operator has its contents where those of all operands are known */
static ridge_status contents(ridge_py out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_py operands[4];
    size_t count = 0;
    char name[48];
    static const char *const counted[] = {"input", "other", "condition", "mask", "min", "max", "value", "exponent", "self"};
    for (size_t i = 0; i < op->name_count && count < 4; i++)
        for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
            if (strcmp(op->names[i], counted[k]) == 0)
                operands[count++] = values[i];
    plain_name(name, sizeof name, op);
    if (strcmp(op->name, "aten.pow.Scalar") == 0 && count == 2) { /* called with the tensor first: number ** tensor */
        const ridge_py tensor = operands[0];
        operands[0] = operands[1];
        operands[1] = tensor;
    }
    if (strcmp(name, "masked_fill") == 0 && count == 3) { /* where(mask, value, input) */
        const ridge_py input = operands[0];
        operands[0] = operands[1];
        operands[1] = operands[2];
        operands[2] = input;
        memcpy(name, "where", sizeof "where");
    }
    const ridge_py rounding = ridge_operator_value(op, values, "rounding_mode");
    if (rounding.type == RIDGE_PY_T_STR)
        memcpy(name, ridge_str_is(rounding.u.s->text, "floor") ? "floor_divide" : "div_trunc", sizeof "floor_divide");
    return is_plain_alpha(op, values) ? ridge_content_elementwise(out.u.tensor, name, operands, count, in) : RIDGE_OK;
}

/* what was computed in place becomes the contents of the first argument */
static ridge_status keep_in_place(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t = values[0].u.tensor, *computed;
    ridge_status st = ridge_tensor_new(&computed, t->dtype, t->dims, t->rank, in);
    if (!st)
        st = contents(ridge_py_tensor(computed), op, values, in);
    *out = values[0];
    return st ? st : ridge_content_write(t, ridge_py_tensor(computed), in);
}

static ridge_status elementwise(ridge_py *out, const ridge_operator *op, const ridge_py *values, const ridge_py *dims, uint32_t rank,
                                ridge_py_interp *in)
{
    ridge_status st;
    if (op->in_place)
        st = keep_in_place(out, op, values, in);
    else {
        const ridge_tensor *parts[8];
        size_t count = 0;
        for (size_t i = 0; i < op->name_count && count < 8; i++)
            if (values[i].type == RIDGE_PY_T_TENSOR)
                parts[count++] = values[i].u.tensor;
        st = ridge_operator_result(out, op, values, dims, rank, in);
        if (!st) {
            ridge_tensor_lay_elementwise(out->u.tensor, parts, count);
            st = contents(*out, op, values, in);
        }
    }
    return st ? st : ridge_operator_ran(op, values, *out, NULL, 0, in);
}

ridge_status ridge_rule_same(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t = NULL;
    ridge_status st = ridge_operator_input(&t, op, values, in);
    return st ? st : elementwise(out, op, values, t->dims, t->rank, in);
}

/* torch.div(7, 2) takes numbers for tensors without dimensions */
static ridge_status of_numbers(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_py copy[16];
    ridge_tensor *t;
    ridge_dtype dtype = values[0].type == RIDGE_PY_T_FLOAT  ? ridge_run_of(in)->default_dtype
                        : values[0].type == RIDGE_PY_T_BOOL ? RIDGE_DTYPE_BOOL
                                                            : RIDGE_DTYPE_I64;
    for (size_t i = 0; i < op->name_count && i < 16; i++)
        copy[i] = values[i];
    ridge_status st = ridge_tensor_new(&t, dtype, NULL, 0, in);
    if (st)
        return st;
    ridge_content_fill(t, values[0]);
    copy[0] = ridge_py_tensor(t);
    return ridge_rule_broadcast(out, op, copy, in);
}

ridge_status ridge_rule_broadcast(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    const ridge_tensor *parts[8];
    ridge_py dims[RIDGE_TENSOR_RANK];
    uint32_t rank;
    size_t count = 0;
    for (size_t i = 0; i < op->name_count && count < 8; i++)
        if (values[i].type == RIDGE_PY_T_TENSOR)
            parts[count++] = values[i].u.tensor;
    if (!count && ridge_py_is_number(values[0]))
        return of_numbers(out, op, values, in);
    if (!count)
        return ridge_py_raise(in, "TypeError", "%s(): argument '%s' must be Tensor, not %s", op->name, op->names[0],
                              ridge_py_type_text(values[0]));
    ridge_status st = ridge_tensor_broadcast(dims, &rank, parts, count, in);
    if (!st && op->in_place) {
        ridge_tensor *t = NULL;
        st = ridge_operator_input(&t, op, values, in);
        bool grows = !st && rank != t->rank;
        for (uint32_t i = 0; !st && !grows && i < rank; i++)
            grows = ridge_dims_differ(dims[i], t->dims[i]);
        if (grows)
            return ridge_py_raise(in, "RuntimeError", "output with shape %s doesn't match the broadcast shape", ridge_shape_text(t, in));
    }
    return st ? st : elementwise(out, op, values, dims, rank, in);
}

/* PyTorch makes a tensor of a number first, in the dtype of the result */
static ridge_status as_tensor(ridge_py *v, ridge_dtype dtype, ridge_py_interp *in)
{
    ridge_py function;
    ridge_py_word *word = ridge_arena_alloc(in->arena, sizeof *word);
    const ridge_py_keyword keyword = {ridge_py_symbol(in, "dtype"), {.type = RIDGE_PY_T_WORD, .u.word = word}};
    if (!word || !keyword.name)
        return ridge_no_memory(in->err);
    *word = (ridge_py_word){.kind = "dtype", .text = ridge_dtype_name(dtype)};
    ridge_status st = ridge_torch_function(&function, "torch.scalar_tensor", in);
    const ridge_py number = *v;
    return st ? st : ridge_py_call_value(v, function, &number, 1, &keyword, 1, in);
}

/* torch.where(condition) is where it holds */
ridge_status ridge_rule_where(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    ridge_tensor *t = NULL;
    ridge_dtype dtype;
    if (!ridge_operator_given(values[1])) {
        ridge_status st = ridge_operator_input(&t, op, values, in);
        return st ? st : ridge_where_places(out, t, in);
    }
    ridge_py copy[3] = {values[0], values[1], values[2]};
    ridge_status st = ridge_operator_dtype(&dtype, op, values, in);
    for (size_t i = 1; !st && i < 3; i++)
        if (ridge_py_is_number(copy[i]))
            st = as_tensor(&copy[i], dtype, in);
    return st ? st : ridge_rule_broadcast(out, op, copy, in);
}

/* what does nothing in evaluation: dropout, checks */
ridge_status ridge_rule_identity(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    (void)op, (void)in;
    *out = values[0];
    return RIDGE_OK;
}

/* written down by who makes its result: views and copies, indexing, factories */
ridge_status ridge_rule_given(ridge_py *out, const ridge_operator *op, const ridge_py *values, ridge_py_interp *in)
{
    (void)out, (void)values;
    return ridge_fail(in->err, RIDGE_CHECK, "%s is made elsewhere", op->name);
}
