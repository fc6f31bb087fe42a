/* What is known of sums, extremes and running sums of known elements. */
#include "learn/python/number.h"
#include "learn/torch/content.h"
#include "learn/torch/size.h"

/* ---- reductions ---- */

typedef enum fold { SUM, PROD, LARGEST, SMALLEST, ALL, ANY, COUNT, MEAN, FIRST_LARGEST, FIRST_SMALLEST, NO_FOLD } fold;

static fold fold_of(const char *name)
{
    static const struct {
        const char *name;
        fold fold;
    } names[] = {
        {"sum", SUM}, {"prod", PROD}, {"max", LARGEST},         {"amax", LARGEST}, {"min", SMALLEST},         {"amin", SMALLEST},
        {"all", ALL}, {"any", ANY},   {"count_nonzero", COUNT}, {"mean", MEAN},    {"argmax", FIRST_LARGEST}, {"argmin", FIRST_SMALLEST}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].fold;
    return NO_FOLD;
}

static ridge_status truth_of(ridge_py *out, ridge_py v, ridge_py_interp *in)
{
    return ridge_content_cast(out, v, RIDGE_DTYPE_BOOL, in);
}

/* one step: *acc, over `count` elements so far, takes v; *acc UNSET: not known */
static ridge_status step(ridge_py *acc, int64_t *place, fold f, ridge_py v, int64_t at, ridge_py_interp *in)
{
    ridge_py args[2] = {*acc, v}, better;
    ridge_status st;
    switch (f) {
    case SUM:
    case MEAN:
        return ridge_content_scalar(acc, "add", args, 2, in);
    case PROD:
        return ridge_content_scalar(acc, "mul", args, 2, in);
    case LARGEST:
        return ridge_content_scalar(acc, "maximum", args, 2, in);
    case SMALLEST:
        return ridge_content_scalar(acc, "minimum", args, 2, in);
    case COUNT:
        if ((st = truth_of(&args[1], v, in)))
            return st;
        return ridge_content_scalar(acc, "add", args, 2, in);
    case ALL:
    case ANY: {
        bool holds;
        if ((st = truth_of(&v, v, in)) || (st = ridge_py_truth(&holds, v, in)))
            return st;
        acc->u.b = f == ALL ? acc->u.b && holds : acc->u.b || holds;
        return RIDGE_OK;
    }
    default:
        if (v.by.sym || acc->by.sym) {
            *acc = ridge_py_unset();
            return RIDGE_OK;
        }
        if ((st = ridge_content_scalar(&better, f == FIRST_LARGEST ? "gt" : "lt", (const ridge_py[]){v, *acc}, 2, in)))
            return st;
        if (better.u.b) {
            *acc = v;
            *place = at;
        }
        return RIDGE_OK;
    }
}

static bool has_start(fold f)
{
    return f == SUM || f == PROD || f == ALL || f == ANY || f == COUNT || f == MEAN;
}

static ridge_py start_of(fold f)
{
    return f == PROD ? ridge_py_int(1) : f == ALL ? ridge_py_bool(true) : f == ANY ? ridge_py_bool(false) : ridge_py_int(0);
}

/* of one value `count` times, a size with symbols */
static ridge_status fold_fill(ridge_py *out, fold f, ridge_py v, ridge_py count, ridge_py_interp *in)
{
    ridge_status st;
    *out = ridge_py_unset();
    if (f == LARGEST || f == SMALLEST || f == MEAN)
        *out = v;
    else if (f == FIRST_LARGEST || f == FIRST_SMALLEST)
        *out = ridge_py_int(0);
    else if (count.type != RIDGE_PY_T_INT)
        return RIDGE_OK;
    else if (f == ALL || f == ANY) {
        if (count.u.i > 0)
            return truth_of(out, v, in);
        *out = start_of(f);
    } else if (f == SUM || f == COUNT) {
        if (f == COUNT && (st = truth_of(&v, v, in)))
            return st;
        return ridge_content_scalar(out, "mul", (const ridge_py[]){v, count}, 2, in);
    } else if (f == PROD && !v.by.sym && (v.type == RIDGE_PY_T_FLOAT ? v.u.f == 1 : v.u.i == 1)) {
        *out = v;
    } else if (f == PROD && ridge_size_is(count, 1)) {
        *out = v;
    }
    return RIDGE_OK;
}

/* extremes of start + step*i along all of a range, whose other dimensions repeat it */
static ridge_status fold_range(ridge_py *out, fold f, const ridge_tensor *of, ridge_py_interp *in)
{
    ridge_py last, size = of->dims[of->linear.axis];
    ridge_py s = of->linear.start, by = of->linear.step;
    ridge_status st;
    *out = ridge_py_unset();
    if ((f != LARGEST && f != SMALLEST) || s.type != RIDGE_PY_T_INT || by.type != RIDGE_PY_T_INT || by.by.sym ||
        size.type != RIDGE_PY_T_INT || size.u.i < 1)
        return RIDGE_OK;
    if ((st = ridge_size_sub(&last, size, ridge_py_int(1), in)) || (st = ridge_size_mul(&last, last, by, in)) ||
        (st = ridge_size_add(&last, s, last, in)))
        return st;
    *out = (f == LARGEST) == (by.u.i > 0) ? last : s;
    return RIDGE_OK;
}

/* The same tensor without what broadcasting repeats, and how often it is repeated. */
static ridge_status compact(const ridge_tensor **out, ridge_py *times, const ridge_tensor *of, ridge_py_interp *in)
{
    ridge_tensor *t;
    ridge_status st = RIDGE_OK;
    *out = of;
    *times = ridge_py_int(1);
    if (!of->expanded)
        return RIDGE_OK;
    if ((st = ridge_tensor_view(&t, of, of->dims, of->rank, in)))
        return st;
    memcpy(t->strides, of->strides, sizeof t->strides);
    t->version = of->version;
    for (uint32_t d = 0; d < of->rank && !st; d++)
        if (of->strides[d] == 0 && !ridge_size_is(of->dims[d], 1)) {
            st = ridge_size_mul(times, *times, of->dims[d], in);
            t->dims[d] = ridge_py_int(1);
        }
    ridge_tensor_lay(t);
    *out = t;
    return st;
}

static ridge_status fold_all(ridge_py *out, fold f, const ridge_tensor *of, ridge_py_interp *in)
{
    ridge_py times, fill, acc;
    const ridge_tensor *t;
    const ridge_py *values;
    size_t count;
    int64_t place = 0;
    ridge_status st;
    *out = ridge_py_unset();
    if (ridge_content_filled(&fill, of)) {
        if ((st = ridge_tensor_elements(&times, of, in)))
            return st;
        return fold_fill(out, f, fill, times, in);
    }
    if (ridge_content_linear(of) && ((st = fold_range(out, f, of, in)) || out->type != RIDGE_PY_T_UNSET))
        return st;
    if ((st = compact(&t, &times, of, in)) || (st = ridge_content_values(&values, &count, t, RIDGE_TENSOR_KNOWN, in)) || !values)
        return st;
    if (count == 0 && !has_start(f))
        return RIDGE_OK;
    if ((st = ridge_content_ask(t, in)))
        return st;
    bool starts = has_start(f);
    acc = starts ? start_of(f) : values[0];
    in->steps += count / 8;
    for (size_t i = starts ? 0 : 1; i < count && !st && acc.type != RIDGE_PY_T_UNSET; i++)
        st = step(&acc, &place, f, values[i], (int64_t)i, in);
    if (st || acc.type == RIDGE_PY_T_UNSET || (times.type != RIDGE_PY_T_INT && (f == SUM || f == COUNT)))
        return st;
    if (f == FIRST_LARGEST || f == FIRST_SMALLEST)
        acc = ridge_py_int(place);
    if (f == MEAN && count)
        return ridge_content_scalar(out, "div", (const ridge_py[]){acc, ridge_py_int((int64_t)count)}, 2, in);
    if (f == SUM || f == COUNT)
        return ridge_content_scalar(out, "mul", (const ridge_py[]){acc, times}, 2, in);
    if (f != PROD || ridge_size_is(times, 1))
        *out = acc;
    return RIDGE_OK;
}

/* along some axes: outer elements of the result, each folded over the places of the axes */
static ridge_status fold_axes(ridge_tensor *out, fold f, const ridge_tensor *of, const bool *axes, ridge_py_interp *in)
{
    const ridge_py *values;
    size_t count;
    int64_t strides[RIDGE_TENSOR_RANK], stride = 1, total = ridge_content_count(out), inner = 1;
    ridge_status st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in);
    if (st || !values || total <= 0 || total > RIDGE_CONTENT_COMPUTED || count == 0)
        return st;
    for (uint32_t d = of->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= of->dims[d].u.i;
        if (axes[d])
            inner *= of->dims[d].u.i;
    }
    ridge_py *list = ridge_arena_array(in->arena, (size_t)total, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    in->steps += count / 8;
    for (int64_t o = 0; o < total; o++) {
        int64_t base = 0, left = o, place = 0;
        for (uint32_t d = of->rank; d-- > 0;)
            if (!axes[d]) {
                base += left % of->dims[d].u.i * strides[d];
                left /= of->dims[d].u.i;
            }
        ridge_py acc = start_of(f);
        for (int64_t i = 0; i < inner; i++) {
            int64_t at = base, rest = i;
            for (uint32_t d = of->rank; d-- > 0;)
                if (axes[d]) {
                    at += rest % of->dims[d].u.i * strides[d];
                    rest /= of->dims[d].u.i;
                }
            if (i == 0 && !has_start(f))
                acc = values[at];
            else if ((st = step(&acc, &place, f, values[at], i, in)))
                return st;
            if (acc.type == RIDGE_PY_T_UNSET)
                return RIDGE_OK;
        }
        if (f == FIRST_LARGEST || f == FIRST_SMALLEST)
            acc = ridge_py_int(place);
        if (f == MEAN && (st = ridge_content_scalar(&acc, "div", (const ridge_py[]){acc, ridge_py_int(inner)}, 2, in)))
            return st;
        if ((st = ridge_content_cast(&list[o], acc, out->dtype, in)) || list[o].type == RIDGE_PY_T_UNSET)
            return st;
    }
    for (uint32_t d = 0; d < of->rank; d++) {
        int64_t concrete;
        if (axes[d] && of->dims[d].by.sym && (st = ridge_py_concrete(&concrete, of->dims[d], in)))
            return st;
    }
    return ridge_content_set(out, list, (size_t)total, in);
}

static ridge_status reduce_held(ridge_tensor *out, const char *name, const ridge_tensor *of, const uint32_t *axes, uint32_t axis_count,
                                ridge_py_interp *in)
{
    fold f = fold_of(name);
    ridge_py value, count = ridge_py_int(1);
    bool reduced[RIDGE_TENSOR_RANK] = {false};
    ridge_status st;
    if (f == NO_FOLD)
        return RIDGE_OK;
    if ((st = ridge_tag_reduce(out, name, of, axes, axis_count == of->rank ? 0 : axis_count, in)) || out->fill.type != RIDGE_PY_T_UNSET ||
        out->tag.kind != RIDGE_TAG_NONE)
        return st;
    if (axis_count == 0 || axis_count == of->rank) {
        st = fold_all(&value, f, of, in);
    } else {
        for (uint32_t i = 0; i < axis_count; i++) {
            reduced[axes[i]] = true;
            if ((st = ridge_size_mul(&count, count, of->dims[axes[i]], in)))
                return st;
        }
        if (!ridge_content_filled(&value, of))
            return fold_axes(out, f, of, reduced, in);
        st = fold_fill(&value, f, value, count, in);
    }
    if (!st && value.type != RIDGE_PY_T_UNSET)
        st = ridge_content_cast(&value, value, out->dtype, in);
    if (!st && value.type != RIDGE_PY_T_UNSET)
        ridge_content_fill(out, value);
    return st;
}

ridge_status ridge_content_reduce(ridge_tensor *out, const char *name, const ridge_tensor *of, const uint32_t *axes, uint32_t axis_count,
                                  ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, of, in);
    return ridge_content_end(st ? st : reduce_held(out, name, of, axes, axis_count, in), out, &hold, in);
}

/* ---- running sums ---- */

static ridge_status cumulate_held(ridge_tensor *out, const char *name, const ridge_tensor *of, uint32_t axis, ridge_py_interp *in)
{
    const char *op = strcmp(name, "cumsum") == 0 ? "add" : strcmp(name, "cumprod") == 0 ? "mul" : NULL;
    const ridge_py *values;
    size_t count, inner = 1;
    ridge_py fill;
    ridge_status st;
    if (!op)
        return RIDGE_OK;
    if (of->tag.kind == RIDGE_TAG_ONE_HOT && strcmp(op, "add") == 0 && axis != of->tag.axis) {
        out->tag = of->tag;
        out->tag.kind = RIDGE_TAG_RUNNING;
        out->tag.rows = of->dims[axis];
        return RIDGE_OK;
    }
    if (of->rank && strcmp(op, "add") == 0 && ridge_content_filled(&fill, of)) {
        if ((st = ridge_content_cast(&fill, fill, out->dtype, in)) ||
            (fill.type != RIDGE_PY_T_INT && (fill.type != RIDGE_PY_T_FLOAT || fill.by.sym || fill.u.f != (double)(int64_t)fill.u.f)))
            return st;
        if (!fill.by.sym && (fill.type == RIDGE_PY_T_INT ? fill.u.i == 0 : fill.u.f == 0)) {
            ridge_content_fill(out, fill);
            return RIDGE_OK;
        }
        out->linear.start = out->linear.step = fill;
        out->linear.axis = axis;
        out->version = out->storage->version;
        return RIDGE_OK;
    }
    if ((st = ridge_content_values(&values, &count, of, RIDGE_CONTENT_COMPUTED, in)) || !values || count == 0)
        return st;
    ridge_py *list = ridge_arena_array(in->arena, count, sizeof *list);
    if (!list)
        return ridge_no_memory(in->err);
    for (uint32_t d = axis + 1; d < of->rank; d++)
        inner *= (size_t)of->dims[d].u.i;
    size_t size = of->rank ? (size_t)of->dims[axis].u.i : 1;
    for (size_t i = 0; i < count; i++) {
        if ((st = ridge_content_cast(&list[i], values[i], out->dtype, in)))
            return st;
        if (i / inner % size && list[i].type != RIDGE_PY_T_UNSET)
            st = ridge_content_scalar(&list[i], op, (const ridge_py[]){list[i - inner], list[i]}, 2, in);
        if (st || list[i].type == RIDGE_PY_T_UNSET)
            return st;
    }
    return ridge_content_set(out, list, count, in);
}

ridge_status ridge_content_cumulate(ridge_tensor *out, const char *name, const ridge_tensor *of, uint32_t axis, ridge_py_interp *in)
{
    ridge_content_hold hold;
    const ridge_status st = ridge_content_begin(&hold, of, in);
    return ridge_content_end(st ? st : cumulate_held(out, name, of, axis, in), out, &hold, in);
}
