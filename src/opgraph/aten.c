/* The sizes of ATen operators, whose shapes torch.export says: the names that the formulas of catalog/torch/ are written in. What a rule of
 * this table does not give has n, elements of the result, and m, of the first input, alone. */
#include "opgraph/aten.h"

/* a tensor by the first of its names that the node has */
static ridge_opgraph_tensor *operand(const ridge_opgraph_call *call, const char *const *names)
{
    for (; *names; names++) {
        ridge_opgraph_tensor *t = ridge_opgraph_named(call, *names);
        if (t)
            return t;
    }
    return NULL;
}

static ridge_status no_operand(ridge_opgraph_call *call)
{
    return ridge_opgraph_unknown(call, "its operands are not the ones that the catalog's signature has");
}

static ridge_status ranks(ridge_opgraph_call *call, const ridge_opgraph_tensor *a, const ridge_opgraph_tensor *b, uint32_t rank)
{
    if (!a || !b)
        return no_operand(call);
    if (a->rank != rank || b->rank != rank)
        return ridge_opgraph_wrong(call, "a product of %s and %s", ridge_opgraph_shape_text(call, a), ridge_opgraph_shape_text(call, b));
    return RIDGE_OK;
}

/* [b] [m, k] times [b] [k, n] */
static ridge_status product(ridge_opgraph_call *call, const char *const *left, const char *const *right, uint32_t rank)
{
    const ridge_opgraph_tensor *a = operand(call, left), *b = operand(call, right);
    ridge_status st = ranks(call, a, b, rank);
    if (st || call->step->unknown)
        return st;
    if (a->dims[rank - 1] != b->dims[rank - 2] || (rank == 3 && a->dims[0] != b->dims[0]))
        return ridge_opgraph_wrong(call, "a product of %s and %s", ridge_opgraph_shape_text(call, a), ridge_opgraph_shape_text(call, b));
    if (rank == 3)
        ridge_opgraph_size_is(call, "b", a->dims[0]);
    ridge_opgraph_size_is(call, "m", a->dims[rank - 2]);
    ridge_opgraph_size_is(call, "k", a->dims[rank - 1]);
    ridge_opgraph_size_is(call, "n", b->dims[rank - 1]);
    return RIDGE_OK;
}

static const char *const self[] = {"self", "input", NULL}, *const mat1[] = {"mat1", NULL}, *const mat2[] = {"mat2", NULL},
                         *const batch1[] = {"batch1", NULL}, *const batch2[] = {"batch2", NULL}, *const vec[] = {"vec", "tensor", NULL},
                         *const weight[] = {"weight", NULL};

static ridge_status mm(ridge_opgraph_call *call)
{
    return product(call, self, mat2, 2);
}
static ridge_status addmm(ridge_opgraph_call *call)
{
    return product(call, mat1, mat2, 2);
}
static ridge_status bmm(ridge_opgraph_call *call)
{
    return product(call, self, mat2, 3);
}
static ridge_status baddbmm(ridge_opgraph_call *call)
{
    return product(call, batch1, batch2, 3);
}

static ridge_status mv(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *a = operand(call, self);
    if (!a || a->rank != 2)
        return no_operand(call);
    ridge_opgraph_size_is(call, "m", a->dims[0]);
    ridge_opgraph_size_is(call, "k", a->dims[1]);
    return RIDGE_OK;
}

static ridge_status dot(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *a = operand(call, self);
    if (!a || a->rank != 1 || !operand(call, vec))
        return no_operand(call);
    ridge_opgraph_size_is(call, "k", a->dims[0]);
    return RIDGE_OK;
}

/* y = x W^T over all rows of x: one product of [m, k] and [k, n] */
static ridge_status linear(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *x = operand(call, self), *w = operand(call, weight);
    if (!x || !w || !x->rank || w->rank < 1 || w->rank > 2)
        return no_operand(call);
    if (x->dims[x->rank - 1] != w->dims[w->rank - 1])
        return ridge_opgraph_wrong(call, "a product of %s and %s transposed", ridge_opgraph_shape_text(call, x),
                                   ridge_opgraph_shape_text(call, w));
    ridge_opgraph_size_is(call, "m", ridge_opgraph_product(x->dims, 0, x->rank - 1));
    ridge_opgraph_size_is(call, "k", x->dims[x->rank - 1]);
    ridge_opgraph_size_is(call, "n", w->rank == 2 ? w->dims[0] : 1);
    return RIDGE_OK;
}

static ridge_status sdpa(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *q = ridge_opgraph_named(call, "query"), *k = ridge_opgraph_named(call, "key"),
                               *v = ridge_opgraph_named(call, "value");
    if (!q || !k || !v || q->rank < 2 || k->rank != q->rank || v->rank != q->rank)
        return no_operand(call);
    const uint32_t r = q->rank;
    if (q->dims[r - 1] != k->dims[r - 1] || k->dims[r - 2] != v->dims[r - 2])
        return ridge_opgraph_wrong(call, "attention of %s, %s and %s", ridge_opgraph_shape_text(call, q), ridge_opgraph_shape_text(call, k),
                                   ridge_opgraph_shape_text(call, v));
    ridge_opgraph_size_is(call, "b", ridge_opgraph_product(q->dims, 0, r - 2));
    ridge_opgraph_size_is(call, "s", q->dims[r - 2]);
    ridge_opgraph_size_is(call, "t", k->dims[r - 2]);
    ridge_opgraph_size_is(call, "d", q->dims[r - 1]);
    ridge_opgraph_size_is(call, "v", v->dims[r - 1]);
    return RIDGE_OK;
}

/* weight [out, in / groups, kernel...]; of a transposed one [in, out / groups, kernel...] */
static ridge_status convolution(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *w = operand(call, weight);
    if (!w || w->rank < 3)
        return no_operand(call);
    if (ridge_opgraph_whole(call->node, "transposed", 0)) {
        ridge_status st = ridge_opgraph_spec_find(&call->spec, call->run, "aten.convolution.transposed");
        if (st || !call->spec)
            return st ? st : no_operand(call);
        call->step->spec = call->spec;
    }
    ridge_opgraph_size_is(call, "c", w->dims[1]);
    ridge_opgraph_size_is(call, "k", ridge_opgraph_product(w->dims, 2, w->rank));
    return RIDGE_OK;
}

/* places of the kernel, one number for all dimensions or one for each */
static ridge_status pool(ridge_opgraph_call *call)
{
    const ridge_opgraph_argument *kernel = ridge_opgraph_argument_of(call->node, "kernel_size");
    const ridge_opgraph_tensor *x = operand(call, self);
    const char *digit = strpbrk(call->spec->name, "123");
    if (!kernel || !x || !digit || kernel->kind != RIDGE_OPGRAPH_ARG_INTS || !kernel->count)
        return no_operand(call);
    ridge_int k = 1;
    for (int i = 0; i < *digit - '0'; i++)
        if (!ridge_int_mul(&k, k, kernel->u.ints[kernel->count == 1 ? 0 : (size_t)i % kernel->count]))
            return ridge_overflow(call->run->err, "a kernel's places");
    ridge_opgraph_size_is(call, "k", k);
    return RIDGE_OK;
}

static ridge_status cdist(ridge_opgraph_call *call)
{
    const char *const x1[] = {"x1", "self", NULL};
    const ridge_opgraph_tensor *a = operand(call, x1);
    if (!a || !a->rank)
        return no_operand(call);
    ridge_opgraph_size_is(call, "d", a->dims[a->rank - 1]);
    return RIDGE_OK;
}

/* x1 [b, m], a weight [n, m, k] and x2 [b, k], as nn.Bilinear calls it; other orders of the operator have no user */
static ridge_status trilinear(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *a = ridge_opgraph_named(call, "i1"), *w = ridge_opgraph_named(call, "i2"),
                               *b = ridge_opgraph_named(call, "i3");
    if (!a || !w || !b || a->rank != 2 || w->rank != 3 || b->rank != 2 || a->dims[0] != b->dims[0] || a->dims[1] != w->dims[1] ||
        b->dims[1] != w->dims[2])
        return no_operand(call);
    ridge_opgraph_size_is(call, "b", a->dims[0]);
    ridge_opgraph_size_is(call, "m", w->dims[1]);
    ridge_opgraph_size_is(call, "n", w->dims[0]);
    ridge_opgraph_size_is(call, "k", w->dims[2]);
    return RIDGE_OK;
}

/* rows of a table [.., k] by s indices, of which bags are made; "w" is 1 where each row has a factor of its own */
static ridge_status embedding_bag(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *table = operand(call, weight), *indices = ridge_opgraph_named(call, "indices");
    ridge_int taken;
    if (!table || !indices || table->rank != 2)
        return no_operand(call);
    if (!ridge_int_mul(&taken, indices->elements, table->dims[1]))
        return ridge_overflow(call->run->err, "the rows that are taken");
    ridge_opgraph_size_is(call, "s", indices->elements);
    ridge_opgraph_size_is(call, "k", table->dims[1]);
    ridge_opgraph_size_is(call, "w", ridge_opgraph_named(call, "per_sample_weights") ? 1 : 0);
    call->step->gathered = taken;
    return RIDGE_OK;
}

/* as many elements are written as the index has; where a value is written, too */
static ridge_status scatter(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *index = ridge_opgraph_named(call, "index");
    if (!index)
        return no_operand(call);
    ridge_opgraph_size_is(call, "s", index->elements);
    return RIDGE_OK;
}

/* self[i, j] = values: as many elements as the indices, broadcast, name, times the dimensions that have none */
static ridge_status index_put(ridge_opgraph_call *call)
{
    const ridge_opgraph_tensor *target = operand(call, self);
    const ridge_opgraph_argument *indices = ridge_opgraph_argument_of(call->node, "indices");
    int64_t dims[RIDGE_OPGRAPH_RANK] = {1};
    uint32_t rank = 0;
    if (!target || !indices || indices->kind != RIDGE_OPGRAPH_ARG_VALUES || indices->count > target->rank)
        return no_operand(call);
    ridge_int rest = ridge_opgraph_product(target->dims, (uint32_t)indices->count, target->rank), places;
    for (uint32_t i = 0; i < indices->count; i++) {
        const uint32_t value = indices->u.values[i];
        const ridge_opgraph_tensor *t = value == RIDGE_OPGRAPH_NONE ? NULL : &call->run->tensors[value],
                                   sofar = {.rank = rank, .dims = dims};
        if (!t && !ridge_int_mul(&rest, rest, target->dims[i]))
            return ridge_overflow(call->run->err, "the elements that are put");
        if (t && (!t->format || strcmp(t->format->name, "bool") == 0 || strcmp(t->format->name, "u8") == 0))
            return ridge_opgraph_unknown(call, "how many elements a mask means depends on data");
        int64_t joined[RIDGE_OPGRAPH_RANK];
        if (t && !ridge_opgraph_broadcast(joined, &rank, &sofar, t))
            return ridge_opgraph_wrong(call, "indices that do not fit each other");
        if (t)
            memcpy(dims, joined, rank * sizeof *dims);
    }
    const ridge_int named = ridge_opgraph_product(dims, 0, rank);
    if (named < 0 || !ridge_int_mul(&places, rest, named))
        return ridge_overflow(call->run->err, "the elements that are put");
    ridge_opgraph_size_is(call, "s", places);
    return RIDGE_OK;
}

/* what only shape and dtype of its first input matter for: that input is not read */
static bool only_writes(ridge_str op)
{
    static const char *const begins[] = {"aten.zeros_like.",   "aten.ones_like.", "aten.full_like.", "aten.rand_like.", "aten.randn_like.",
                                         "aten.randint_like.", "aten.new_zeros.", "aten.new_ones.",  "aten.new_full.",  "aten.fill.",
                                         "aten.fill_.",        "aten.zero.",      "aten.zero_.",     "aten.normal_.",   "aten.uniform_.",
                                         "aten.bernoulli_.",   "aten.copy.",      "aten.copy_."};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (ridge_str_starts(op, ridge_str_of(begins[i])))
            return true;
    return false;
}

static ridge_status usual(ridge_opgraph_call *call)
{
    if (only_writes(call->node->op))
        call->step->gathered = 0;
    if (ridge_opgraph_argument_of(call->node, "indices") && ridge_opgraph_argument_of(call->node, "values"))
        return index_put(call);
    return RIDGE_OK;
}

static const ridge_opgraph_rule_row rows[] = {
    {"mm", mm, false},
    {"addmm", addmm, false},
    {"bmm", bmm, false},
    {"baddbmm", baddbmm, false},
    {"mv", mv, false},
    {"dot", dot, false},
    {"linear", linear, false},
    {"matmul", ridge_aten_matmul, false},
    {"sdpa", sdpa, false},
    {"convolution", convolution, false},
    {"pool", pool, false},
    {"cdist", cdist, false},
    {"scatter", scatter, false},
    {"trilinear", trilinear, false},
    {"embedding_bag", embedding_bag, false},
    {"reshape", ridge_aten_reshape, false},
    {"contiguous", ridge_aten_contiguous, false},
    {"to", ridge_aten_to, false},
    {"dropout", ridge_aten_dropout, false},
    {"einsum", ridge_aten_einsum, false},
    {"recurrent", ridge_aten_recurrent, false},
};
static const ridge_opgraph_rule_row others = {"", usual, false};

const ridge_opgraph_rule_row *ridge_aten_rule(const char *name)
{
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return &others;
}
