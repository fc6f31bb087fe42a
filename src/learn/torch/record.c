/* What an operator cost, written into the run: its FLOPs by the formula of its entry, the bytes of what it reads and writes. */
#include "formula/poly_terms.h"
#include "learn/python/number.h"
#include "learn/torch/flops.h"
#include "learn/torch/kept.h"
#include "learn/torch/rules.h"

#define SIZES RIDGE_FLOPS_SIZES

/* ---- polynomials of this run ---- */

static ridge_calc calc_of(ridge_py_interp *in)
{
    return (ridge_calc){.arena = in->arena, .algebra = &in->algebra, .err = in->err};
}

/* ---- bytes ---- */

/* elements that lie in memory: an expanded dimension has one */
static ridge_status elements(ridge_py *out, const ridge_tensor *t, ridge_py_interp *in)
{
    *out = ridge_py_int(1);
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; !st && i < t->rank; i++)
        if (!t->expanded || t->strides[i] != 0)
            st = ridge_py_binary(out, RIDGE_PY_OP_MUL, *out, t->dims[i], in);
    return st;
}

typedef struct sum {
    ridge_value value;
    const ridge_hole *unknown;
} sum;

static ridge_status add_bytes(sum *to, ridge_py count, unsigned bytes, ridge_py_interp *in)
{
    if (count.type == RIDGE_PY_T_UNKNOWN) {
        to->unknown = count.u.hole;
        return RIDGE_OK;
    }
    const ridge_calc calc = calc_of(in);
    ridge_value value;
    ridge_status st = ridge_flops_value(&value, count, in);
    if (!st)
        st = ridge_value_binary(&value, RIDGE_OP_MUL, value, ridge_value_int(bytes), &calc);
    return st ? st : ridge_value_binary(&to->value, RIDGE_OP_ADD, to->value, value, &calc);
}

static ridge_status add_tensor(sum *to, const ridge_tensor *t, ridge_py_interp *in)
{
    ridge_py count;
    ridge_status st = elements(&count, t, in);
    return st ? st : add_bytes(to, count, ridge_dtype_bytes(t->dtype), in);
}

/* the same elements of the same memory, seen in the same way */
static bool is_same(const ridge_tensor *a, const ridge_tensor *b)
{
    bool same = a == b || (a->storage == b->storage && a->offset == b->offset && a->rank == b->rank);
    for (uint32_t i = 0; same && a != b && i < a->rank; i++)
        same = a->strides[i] == b->strides[i] && !ridge_dims_differ(a->dims[i], b->dims[i]) && a->dims[i].type == b->dims[i].type;
    return same;
}

static bool stands_before(ridge_py v, const ridge_py *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].type == RIDGE_PY_T_TENSOR && is_same(list[i].u.tensor, v.u.tensor))
            return true;
    return false;
}

/* an array's element, which PyTorch takes as a number */
static bool is_number(const ridge_tensor *t)
{
    return t->array && t->rank == 0;
}

static ridge_status add_all(sum *to, const ridge_py *list, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; !st && i < count; i++)
        if (list[i].type == RIDGE_PY_T_TENSOR && !is_number(list[i].u.tensor) && !stands_before(list[i], list, i))
            st = add_tensor(to, list[i].u.tensor, in);
    return st;
}

/* Rows are taken from the first input: as many elements as the result has; the other inputs are read whole. */
static ridge_status add_gathered(sum *to, const ridge_py *inputs, size_t count, ridge_py result, ridge_py_interp *in)
{
    ridge_py taken;
    ridge_status st = ridge_tensor_elements(&taken, result.u.tensor, in);
    if (!st)
        st = add_bytes(to, taken, ridge_dtype_bytes(inputs[0].u.tensor->dtype), in);
    return st ? st : add_all(to, inputs + 1, count - 1, in);
}

/* Some of the first input is written over: s elements of it, by the rule's sizes; what is added to is read, too. All other inputs are read.
 */
static ridge_status add_scattered(sum *reads, sum *writes, bool adds, bool copies, const ridge_py *inputs, size_t count,
                                  const ridge_operator_size *sizes, size_t size_count, ridge_py_interp *in)
{
    ridge_py written = ridge_py_int(0);
    unsigned bytes = ridge_dtype_bytes(inputs[0].u.tensor->dtype);
    ridge_status st = RIDGE_OK;
    if (count > 1 && inputs[count - 1].type == RIDGE_PY_T_TENSOR) /* where no rule says: as many as the source or the index has */
        st = ridge_tensor_elements(&written, inputs[count - 1].u.tensor, in);
    for (size_t i = 0; i < size_count; i++)
        if (strcmp(sizes[i].name, "s") == 0)
            written = sizes[i].value;
    if (!st)
        st = add_all(reads, inputs + 1, count - 1, in);
    if (!st && adds)
        st = add_bytes(reads, written, bytes, in);
    if (!st && copies) /* not in place: into a copy */
        st = add_tensor(reads, inputs[0].u.tensor, in);
    if (!st && copies)
        st = add_tensor(writes, inputs[0].u.tensor, in);
    return st ? st : add_bytes(writes, written, bytes, in);
}

static ridge_status bytes_of(sum *reads, sum *writes, const ridge_operator *op, const ridge_py *inputs, size_t input_count,
                             const ridge_py *outputs, size_t output_count, const ridge_operator_size *sizes, size_t size_count,
                             ridge_py_interp *in)
{
    const char *rule = op->bytes ? op->bytes : "each";
    reads->value = writes->value = ridge_value_int(0);
    if (strcmp(rule, "view") == 0)
        return RIDGE_OK;
    bool adds = strcmp(rule, "scatter_add") == 0;
    if ((adds || strcmp(rule, "scatter") == 0) && input_count && inputs[0].type == RIDGE_PY_T_TENSOR)
        return add_scattered(reads, writes, adds, !op->in_place, inputs, input_count, sizes, size_count, in);
    bool gathers = strcmp(rule, "gather") == 0 && input_count && output_count && inputs[0].type == RIDGE_PY_T_TENSOR;
    ridge_status st = gathers ? add_gathered(reads, inputs, input_count, outputs[0], in) : add_all(reads, inputs, input_count, in);
    return st ? st : add_all(writes, outputs, output_count, in);
}

/* ---- the record ---- */

static const ridge_hole *unknown_size(const ridge_operator_size *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sizes[i].value.type == RIDGE_PY_T_UNKNOWN)
            return sizes[i].value.u.hole;
    return NULL;
}

static bool has_size(const ridge_operator_size *sizes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(sizes[i].name, name) == 0)
            return true;
    return false;
}

/* n: elements of the result, m: of the first input; unless the rule means something else by them */
static ridge_status common_sizes(ridge_operator_size *sizes, size_t *count, const ridge_py *inputs, size_t input_count,
                                 const ridge_py *outputs, size_t output_count, ridge_py_interp *in)
{
    const struct {
        const char *name;
        bool there;
        ridge_py of;
    } common[] = {{"n", output_count > 0, output_count ? outputs[0] : ridge_py_none()},
                  {"m", input_count > 0, input_count ? inputs[0] : ridge_py_none()}};
    for (size_t i = 0; i < 2; i++) {
        if (has_size(sizes, *count, common[i].name))
            continue;
        ridge_operator_size *size = &sizes[(*count)++];
        *size = (ridge_operator_size){common[i].name, ridge_py_int(0)};
        if (common[i].there && common[i].of.type == RIDGE_PY_T_TENSOR) {
            ridge_status st = ridge_tensor_elements(&size->value, common[i].of.u.tensor, in);
            if (st)
                return st;
        }
    }
    return RIDGE_OK;
}

static ridge_status flops_of(ridge_run_operator *record, const ridge_operator_size *given, size_t given_count, const ridge_py *inputs,
                             size_t input_count, const ridge_py *outputs, size_t output_count, ridge_py_interp *in)
{
    const ridge_calc calc = calc_of(in);
    if (!record->operator->flops)
        return ridge_poly_of(&record->flops, ridge_value_int(0), &calc);
    ridge_operator_size sizes[SIZES];
    size_t count = given_count < SIZES - 2 ? given_count : SIZES - 2;
    if (count > 0)
        memcpy(sizes, given, count * sizeof *sizes);
    ridge_status st = common_sizes(sizes, &count, inputs, input_count, outputs, output_count, in);
    if (st)
        return st;
    record->hole = unknown_size(sizes, count);
    return record->hole ? RIDGE_OK : ridge_flops_evaluate(&record->flops, record->operator, sizes, count, in);
}

static bool is_whole_here(const ridge_poly *poly, ridge_py_interp *in)
{
    ridge_rational r;
    return poly && (ridge_py_evaluate(&r, poly, in) && r.den == 1);
}

static ridge_status show(const ridge_hole *hole, ridge_py_interp *in)
{
    ((ridge_hole *)(uintptr_t)hole)->counts = true;
    return ridge_py_matters((ridge_py){.type = RIDGE_PY_T_UNKNOWN, .u.hole = hole}, in);
}

/* A count that is missing in the sums, or whose formula gives no whole number in this run: somebody has to say so. */
static ridge_status tell_missing(ridge_run_operator *record, ridge_py_interp *in)
{
    ridge_py hole;
    if (record->hole)
        return show(record->hole, in);
    if (is_whole_here(record->flops, in) && is_whole_here(record->reads, in) && is_whole_here(record->writes, in))
        return RIDGE_OK;
    const char *what = ridge_arena_printf(in->arena, "what %s takes: its formula has no whole number here", record->operator->name);
    ridge_status st = what ? ridge_py_unknown(&hole, "count", what, NULL, NULL, in) : ridge_no_memory(in->err);
    if (!st)
        record->hole = hole.u.hole;
    return st;
}

/* What is made of tensors on the host alone lies there; what is written in place stays where it is. */
static void place(const ridge_operator *op, const ridge_py *inputs, size_t input_count, const ridge_py *outputs, size_t output_count)
{
    bool host = input_count > 0 && !strstr(op->name, "_.");
    for (size_t i = 0; i < input_count && host; i++)
        host = inputs[i].type != RIDGE_PY_T_TENSOR || inputs[i].u.tensor->storage->host;
    for (size_t i = 0; i < output_count && host; i++)
        if (outputs[i].type == RIDGE_PY_T_TENSOR)
            outputs[i].u.tensor->storage->host = true;
}

/* NumPy's work: what is made of arrays alone, an array on the host, or written into one */
static bool is_of_arrays(const ridge_py *inputs, size_t input_count, const ridge_py *outputs, size_t output_count)
{
    bool all = input_count > 0, written = false;
    for (size_t i = 0; i < input_count; i++)
        all &= inputs[i].type != RIDGE_PY_T_TENSOR || inputs[i].u.tensor->array;
    for (size_t i = 0; i < output_count; i++)
        written |= outputs[i].type == RIDGE_PY_T_TENSOR && outputs[i].u.tensor->array;
    for (size_t i = 0; i < output_count && all && !written; i++)
        if (outputs[i].type == RIDGE_PY_T_TENSOR)
            outputs[i].u.tensor->array = outputs[i].u.tensor->storage->host = true;
    return all || written;
}

ridge_status ridge_operator_record(const ridge_operator *op, const ridge_py *inputs, size_t input_count, const ridge_py *outputs,
                                   size_t output_count, const ridge_operator_size *sizes, size_t size_count, ridge_py_interp *in)
{
    return ridge_operator_record_of(op, NULL, inputs, input_count, outputs, output_count, sizes, size_count, in);
}

ridge_status ridge_operator_record_of(const ridge_operator *op, const ridge_py *values, const ridge_py *inputs, size_t input_count,
                                      const ridge_py *outputs, size_t output_count, const ridge_operator_size *sizes, size_t size_count,
                                      ridge_py_interp *in)
{
    if (!ridge_run_of(in)->recording)
        return RIDGE_OK;
    place(op, inputs, input_count, outputs, output_count);
    if (is_of_arrays(inputs, input_count, outputs, output_count) || (op->bytes && strcmp(op->bytes, "view") == 0))
        return RIDGE_OK;
    ridge_run_operator record = {.operator= op };
    sum reads = {0}, writes = {0};
    const ridge_calc calc = calc_of(in);
    ridge_status st = flops_of(&record, sizes, size_count, inputs, input_count, outputs, output_count, in);
    if (!st)
        st = bytes_of(&reads, &writes, op, inputs, input_count, outputs, output_count, sizes, size_count, in);
    if (!st && !reads.unknown)
        st = ridge_poly_of(&record.reads, reads.value, &calc);
    if (!st && !writes.unknown)
        st = ridge_poly_of(&record.writes, writes.value, &calc);
    if (!st)
        st = ridge_kept_of(&record, values ? values : inputs, values ? op->name_count : input_count, outputs, output_count, in);
    if (!record.hole)
        record.hole = reads.unknown ? reads.unknown : writes.unknown;
    if (!st)
        st = tell_missing(&record, in);
    return st ? st : ridge_run_add(&record, inputs, input_count, outputs, output_count, in);
}

ridge_status ridge_operator_record_unknown(const ridge_operator *op, const ridge_hole *hole, ridge_py_interp *in)
{
    bool made_of_others = strcmp(op->shape, "matmul") == 0 || strcmp(op->shape, "linear") == 0;
    bool is_nothing = strcmp(op->shape, "identity") == 0 || (op->bytes && strcmp(op->bytes, "view") == 0);
    if (!ridge_run_of(in)->recording || is_nothing)
        return RIDGE_OK;
    ridge_run_operator record = {.operator= op, .hole = hole};
    const ridge_calc calc = calc_of(in);
    ridge_status st = op->flops || made_of_others ? RIDGE_OK : ridge_poly_of(&record.flops, ridge_value_int(0), &calc);
    if (!st && hole)
        st = show(hole, in);
    return st ? st : ridge_run_add(&record, NULL, 0, NULL, 0, in);
}
