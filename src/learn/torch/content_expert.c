/* Mixtures of experts: which sums over routed data are known although the data are not. Every expert gets its even share of the rows. */
#include "learn/torch/content.h"
#include "learn/torch/size.h"

ridge_status ridge_expert_share(ridge_py *out, ridge_py rows, ridge_py experts, int64_t expert, ridge_py_interp *in)
{
    ridge_py before;
    ridge_status st = ridge_size_mul(out, rows, ridge_py_int(expert + 1), in);
    if (st || (st = ridge_size_floordiv(out, *out, experts, in)) || (st = ridge_size_mul(&before, rows, ridge_py_int(expert), in)) ||
        (st = ridge_size_floordiv(&before, before, experts, in)))
        return st;
    return ridge_size_sub(out, *out, before, in);
}

ridge_status ridge_experts_hit(ridge_py *count, ridge_py **numbers, const ridge_tag *tag, ridge_py_interp *in)
{
    int64_t rows, experts, n = 0;
    ridge_py share, all;
    bool every;
    if (tag->rows.type != RIDGE_PY_T_INT) {
        *count = tag->rows;
        *numbers = NULL;
        return RIDGE_OK;
    }
    ridge_status st = ridge_py_concrete(&experts, tag->experts, in);
    if (st || (st = ridge_py_binary(&all, RIDGE_PY_OP_GE, tag->rows, tag->experts, in)) || (st = ridge_py_truth(&every, all, in)))
        return st;
    rows = tag->rows.u.i;
    if (!every && (st = ridge_py_concrete(&rows, tag->rows, in)))
        return st;
    ridge_py *list = ridge_arena_array(in->arena, (size_t)experts + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (int64_t e = 0; e < experts; e++) {
        if (!every && ((st = ridge_expert_share(&share, ridge_py_int(rows), ridge_py_int(experts), e, in)) || share.u.i == 0)) {
            if (st)
                return st;
            continue;
        }
        list[n++] = ridge_py_int(e);
    }
    *count = ridge_py_int(n);
    *numbers = list;
    return RIDGE_OK;
}

static bool is(const char *name, const char *a, const char *b, const char *c)
{
    return strcmp(name, a) == 0 || strcmp(name, b) == 0 || strcmp(name, c) == 0;
}

/* no expert gets more of the rows than its capacity: asked as a condition */
static ridge_status below_capacity(ridge_tensor *out, const ridge_tensor *t, ridge_py capacity, bool strict, ridge_py_interp *in)
{
    ridge_py room, fits;
    bool holds;
    ridge_status st = ridge_size_sub(&room, capacity, ridge_py_int(strict), in);
    if (st || (st = ridge_size_mul(&room, room, t->tag.experts, in)) || t->tag.rows.type != RIDGE_PY_T_INT || room.type != RIDGE_PY_T_INT)
        return st;
    if ((st = ridge_py_binary(&fits, RIDGE_PY_OP_LE, t->tag.rows, room, in)) || (st = ridge_py_truth(&holds, fits, in)))
        return st;
    if (holds)
        ridge_content_fill(out, ridge_py_bool(true));
    return RIDGE_OK;
}

ridge_status ridge_tag_elementwise(ridge_tensor *out, const char *name, const ridge_py *operands, size_t count, ridge_py_interp *in)
{
    const ridge_tensor *t = operands[0].type == RIDGE_PY_T_TENSOR ? operands[0].u.tensor : NULL;
    ridge_py number = count > 1 ? operands[1] : ridge_py_unset(), fill;
    if (!t || t->tag.kind == RIDGE_TAG_NONE || (t->tag.kind == RIDGE_TAG_TOP_INDEX && ridge_content_known(t)))
        return RIDGE_OK;
    if (is(name, "to", "_to_copy", "clone")) {
        out->tag = t->tag;
        return RIDGE_OK;
    }
    if (number.type == RIDGE_PY_T_TENSOR && ridge_content_filled(&fill, number.u.tensor))
        number = fill;
    if (number.type == RIDGE_PY_T_BOOL)
        number = ridge_py_int(number.u.b);
    if (number.type == RIDGE_PY_T_FLOAT && number.u.f == (double)(int64_t)number.u.f)
        number = ridge_py_int((int64_t)number.u.f);
    if (number.type != RIDGE_PY_T_INT)
        return RIDGE_OK;
    bool positive = (is(name, "gt", "ne", "gt") && number.u.i == 0) || (strcmp(name, "ge") == 0 && number.u.i == 1);
    if (t->tag.kind == RIDGE_TAG_TOP_INDEX && strcmp(name, "eq") == 0) {
        if (t->tag.experts.type == RIDGE_PY_T_INT && (number.u.i < 0 || number.u.i >= t->tag.experts.u.i)) {
            ridge_content_fill(out, ridge_py_bool(false));
            return RIDGE_OK;
        }
        out->tag.kind = RIDGE_TAG_EXPERT_ROWS;
        return ridge_expert_share(&out->tag.rows, t->tag.rows, t->tag.experts, number.u.i, in);
    }
    if (t->tag.kind == RIDGE_TAG_ONE_HOT && (positive || (strcmp(name, "eq") == 0 && number.u.i == 1)))
        out->tag = t->tag;
    if (t->tag.kind == RIDGE_TAG_ONE_HOT && strcmp(name, "mul") == 0 && number.u.i == 1)
        out->tag = t->tag;
    if (t->tag.kind == RIDGE_TAG_RUNNING && is(name, "le", "lt", "le"))
        return below_capacity(out, t, number, strcmp(name, "lt") == 0, in);
    if (t->tag.kind == RIDGE_TAG_COUNTS && positive) {
        out->tag = t->tag;
        out->tag.kind = RIDGE_TAG_EXPERT_HIT;
    }
    return RIDGE_OK;
}

/* A one-hot tensor summed over all but the experts' axis gives how many rows each expert has; the axis of experts may keep its place. */
ridge_status ridge_tag_reduce(ridge_tensor *out, const char *name, const ridge_tensor *of, const uint32_t *axes, uint32_t axis_count,
                              ridge_py_interp *in)
{
    if (strcmp(name, "argmax") == 0 && axis_count == 1) {
        ridge_py rows;
        ridge_status st = ridge_tensor_elements(&rows, out, in);
        if (!st)
            ridge_tag_choice(out, of, axes[0], rows);
        return st;
    }
    bool over_experts = axis_count == 0, sum = is(name, "sum", "count_nonzero", "sum"), any = is(name, "any", "amax", "max");
    uint32_t left = of->rank;
    for (uint32_t i = 0; i < axis_count; i++) {
        over_experts = over_experts || axes[i] == of->tag.axis;
        left--;
    }
    if (of->tag.kind == RIDGE_TAG_ONE_HOT && !over_experts) {
        for (uint32_t d = 0; d < of->rank; d++) { /* a kept dimension of one element changes nothing */
            bool reduced = false;
            for (uint32_t i = 0; i < axis_count; i++)
                reduced = reduced || axes[i] == d;
            if (!reduced && d != of->tag.axis && ridge_size_is(of->dims[d], 1))
                left--;
        }
        if (left == 1 && (sum || any)) {
            out->tag = of->tag;
            out->tag.kind = sum ? RIDGE_TAG_COUNTS : RIDGE_TAG_EXPERT_HIT;
        } else if (sum || any) { /* over the k choices alone: still one row for each choice, as no expert is chosen twice */
            out->tag = of->tag;
            for (uint32_t i = 0; i < axis_count; i++)
                out->tag.axis -= out->rank < of->rank && axes[i] < of->tag.axis;
        }
        return RIDGE_OK;
    }
    if (of->tag.kind == RIDGE_TAG_EXPERT_ROWS && axis_count == 0 && sum)
        ridge_content_fill(out, of->tag.rows);
    else if (of->tag.kind == RIDGE_TAG_EXPERT_ROWS && axis_count == 0 && any && of->tag.rows.type == RIDGE_PY_T_INT) {
        ridge_py answer;
        ridge_status st = ridge_py_binary(&answer, RIDGE_PY_OP_GT, of->tag.rows, ridge_py_int(0), in);
        if (st)
            return st;
        ridge_content_fill(out, answer);
    } else if (of->tag.kind == RIDGE_TAG_EXPERT_ROWS && (any || sum) && axis_count)
        out->tag = of->tag; /* a token chooses an expert once */
    else if (of->tag.kind == RIDGE_TAG_COUNTS && axis_count == 0 && sum)
        ridge_content_fill(out, of->tag.rows);
    return RIDGE_OK;
}

/* Each index is one of the classes; of which it is, nothing is known: by a top-k, which knows how many experts there are (a further class
 * is for those that don't run), or by a table, which a checkpoint fills. */
static ridge_status one_hot_of_data(ridge_tensor *out, const ridge_tensor *indices, ridge_py_interp *in)
{
    if (indices->tag.kind == RIDGE_TAG_TOP_INDEX) {
        out->tag = indices->tag;
        out->tag.kind = RIDGE_TAG_ONE_HOT;
        out->tag.axis = out->rank - 1;
        return RIDGE_OK;
    }
    out->tag = (ridge_tag){.kind = RIDGE_TAG_ONE_HOT, .axis = out->rank - 1, .experts = out->dims[out->rank - 1]};
    return ridge_tensor_elements(&out->tag.rows, indices, in);
}

static ridge_status one_hot_held(ridge_tensor *out, const ridge_tensor *indices, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    ridge_py filled;
    ridge_content_void(out); /* it may have been zeros until now */
    int64_t total = ridge_content_count(out);
    if (indices->tag.kind == RIDGE_TAG_TOP_INDEX || ridge_content_filled(&filled, indices) || total < 0 || total > RIDGE_CONTENT_COMPUTED)
        return one_hot_of_data(out, indices, in);
    ridge_status st = ridge_content_values(&values, &count, indices, RIDGE_CONTENT_COMPUTED, in);
    if (st || !values || count == 0)
        return st ? st : one_hot_of_data(out, indices, in);
    ridge_py *list = ridge_arena_array(in->arena, (size_t)total + 1, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    int64_t classes = total / (int64_t)count;
    for (int64_t i = 0; i < total; i++)
        list[i] = ridge_py_int(values[i / classes].u.i == i % classes);
    return ridge_content_set(out, list, (size_t)total, in);
}

ridge_status ridge_content_one_hot(ridge_tensor *out, const ridge_tensor *indices, ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, indices, in);
    return ridge_content_end(st ? st : one_hot_held(out, indices, in), out, &hold, in);
}

ridge_tag ridge_tag_scatter(const ridge_tensor *into, const ridge_tensor *index, uint32_t axis, ridge_py value)
{
    ridge_py before;
    ridge_tag tag = {0};
    bool one = (value.type == RIDGE_PY_T_INT && value.u.i == 1) || (value.type == RIDGE_PY_T_BOOL && value.u.b) ||
               (value.type == RIDGE_PY_T_FLOAT && value.u.f == 1);
    if (!index || !one || index->tag.kind != RIDGE_TAG_TOP_INDEX || !ridge_content_filled(&before, into) || !ridge_py_is_number(before) ||
        before.by.sym)
        return tag;
    bool zero = before.type == RIDGE_PY_T_FLOAT ? before.u.f == 0 : before.type == RIDGE_PY_T_BOOL ? !before.u.b : before.u.i == 0;
    if (!zero || ridge_size_concrete(into->dims[axis]) != ridge_size_concrete(index->tag.experts))
        return tag;
    tag = index->tag;
    tag.kind = RIDGE_TAG_ONE_HOT;
    tag.axis = axis;
    return tag;
}

/* chosen experts joined: first and second choices */
ridge_status ridge_tag_join(ridge_tensor *out, ridge_tensor *const *parts, size_t count, ridge_py_interp *in)
{
    ridge_status st = RIDGE_OK;
    ridge_py rows = ridge_py_int(0);
    for (size_t i = 0; i < count && !st; i++) {
        if (parts[i]->tag.kind != RIDGE_TAG_TOP_INDEX ||
            ridge_size_concrete(parts[i]->tag.experts) != ridge_size_concrete(parts[0]->tag.experts))
            return RIDGE_OK;
        st = ridge_size_add(&rows, rows, parts[i]->tag.rows, in);
    }
    if (!st && count) {
        out->tag = parts[0]->tag;
        out->tag.rows = rows;
    }
    return st;
}

void ridge_tag_choice(ridge_tensor *index, const ridge_tensor *of, uint32_t axis, ridge_py rows)
{
    if (ridge_content_known(index) || of->rank == 0)
        return;
    index->tag = (ridge_tag){.kind = RIDGE_TAG_TOP_INDEX, .rows = rows, .experts = of->dims[axis], .axis = axis};
}
