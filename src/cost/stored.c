#include "cost/stored.h"

/* how an amount and a weight can be the same: as many elements, rows of it, the weight */
typedef enum likeness { UNLIKE, SIZE, ROWS, WHOLE } likeness;

static bool is_number(ridge_value v, ridge_int n)
{
    ridge_int i;
    return ridge_value_as_int(&i, v) && i == n;
}

/* [c, k] of a convolution's [c, 1, k] */
static likeness compare_sizes(const ridge_list *l, const ridge_node_tensor *t)
{
    ridge_int product = 1, one;
    for (size_t i = 0; i < l->count; i++)
        if (!ridge_value_as_int(&one, l->items[i]) || !ridge_int_mul(&product, product, one))
            return UNLIKE;
    return product == t->elements ? SIZE : UNLIKE;
}

static likeness compare(ridge_value v, const ridge_node_tensor *t)
{
    const ridge_list *l = v.type == RIDGE_V_LIST ? v.u.list : NULL;
    if (!l)
        return is_number(v, t->elements) ? WHOLE : UNLIKE;
    bool rows = l->count == t->rank && l->count > 0;
    for (size_t i = 1; i < l->count && rows; i++)
        rows = is_number(l->items[i], t->dims[i]);
    if (!rows)
        return compare_sizes(l, t);
    return is_number(l->items[0], t->dims[0]) ? WHOLE : l->count > 1 ? ROWS : UNLIKE;
}

static const ridge_format *format_of(const ridge_coster *c, const ridge_node_tensor *t)
{
    return t->stored.format ? t->stored.format : c->weights;
}

static bool stored_alike(const ridge_coster *c, const ridge_node_tensor *a, const ridge_node_tensor *b)
{
    return format_of(c, a) == format_of(c, b) && a->stored.bytes == b->stored.bytes;
}

/* the weight that the amount is like; NULL: none, or several that are stored unlike each other */
static const ridge_node_tensor *find(likeness *how, const ridge_coster *c, ridge_value v)
{
    for (*how = WHOLE; *how > UNLIKE; --*how) {
        const ridge_node_tensor *found = NULL;
        bool one = true;
        for (size_t i = 0; i < c->stored->n; i++) {
            const ridge_node_tensor *t = &c->stored->p[i];
            if (compare(v, t) != *how)
                continue;
            one = one && (!found || stored_alike(c, found, t));
            found = t;
        }
        if (found)
            return one ? found : NULL;
    }
    return NULL;
}

static ridge_status whole_bytes(ridge_value *out, ridge_coster *c, const ridge_node_tensor *t)
{
    const ridge_int bytes = ridge_stored_bytes(t, c->weights);
    *out = ridge_value_int(bytes);
    return bytes < 0 ? ridge_overflow(c->graph->err, "a number of bytes") : RIDGE_OK;
}

/* rows of a weight whose bytes are its rows' */
static ridge_status row_bytes(ridge_value *out, ridge_coster *c, const ridge_node_tensor *t, ridge_value rows, ridge_value columns)
{
    if (t->stored.bytes <= 0 || t->dims[0] <= 0 || t->stored.bytes % t->dims[0] != 0)
        return ridge_cost_block_bytes(out, c, format_of(c, t), rows, columns);
    return ridge_value_binary(out, RIDGE_OP_MUL, rows, ridge_value_int(t->stored.bytes / t->dims[0]), &c->graph->run.calc);
}

/* all weights together, as a norm's 2 n; false: the number is another */
static bool is_sum(const ridge_coster *c, ridge_value v)
{
    ridge_int sum = 0;
    for (size_t i = 0; i < c->stored->n; i++)
        if (!ridge_int_add(&sum, sum, c->stored->p[i].elements))
            return false;
    return is_number(v, sum);
}

static ridge_status sum_bytes(ridge_value *out, ridge_coster *c)
{
    ridge_int sum = 0;
    for (size_t i = 0; i < c->stored->n; i++) {
        const ridge_int bytes = ridge_stored_bytes(&c->stored->p[i], c->weights);
        if (bytes < 0 || !ridge_int_add(&sum, sum, bytes))
            return ridge_overflow(c->graph->err, "a number of bytes");
    }
    *out = ridge_value_int(sum);
    return RIDGE_OK;
}

/* Two weights together, as a convolution's matrix and bias: where all pairs of so many elements have as many bytes. */
static bool find_pair(ridge_int *bytes, const ridge_coster *c, ridge_value v)
{
    bool found = false;
    for (size_t i = 0; i < c->stored->n; i++)
        for (size_t k = i + 1; k < c->stored->n; k++) {
            const ridge_node_tensor *a = &c->stored->p[i], *b = &c->stored->p[k];
            const ridge_int both = ridge_stored_bytes(a, c->weights) + ridge_stored_bytes(b, c->weights);
            if (!is_number(v, a->elements + b->elements))
                continue;
            if (found && both != *bytes)
                return false;
            *bytes = both;
            found = true;
        }
    return found;
}

/* elements of one of a mixture's experts, whose weight is one slice of a tensor of all; 0: it is no such tensor */
static ridge_int slice_of(const ridge_node_tensor *t)
{
    const bool sliced = t->rank > 1 && t->dims[0] > 0 && (t->stored.bytes <= 0 || t->stored.bytes % t->dims[0] == 0);
    return sliced ? t->elements / t->dims[0] : 0;
}

static ridge_int slice_bytes(const ridge_coster *c, const ridge_node_tensor *t)
{
    const ridge_int bytes = ridge_stored_bytes(t, c->weights);
    return bytes > 0 && bytes % t->dims[0] == 0 ? bytes / t->dims[0] : -1;
}

/* One slice, or those of two tensors: an expert's matrix, and its bias. */
static bool find_slice(ridge_int *bytes, const ridge_coster *c, ridge_value v)
{
    const ridge_tensors *all = c->stored;
    bool found = false;
    for (size_t i = 0; i < all->n; i++)
        for (size_t k = i; k < all->n; k++) {
            const ridge_node_tensor *a = &all->p[i], *b = &all->p[k];
            const ridge_int one = slice_of(a), other = i == k ? 0 : slice_of(b);
            if (!one || (i != k && (!other || a->dims[0] != b->dims[0])) || !is_number(v, one + other))
                continue;
            const ridge_int first = slice_bytes(c, a), second = i == k ? 0 : slice_bytes(c, b);
            if (first < 0 || second < 0 || (found && first + second != *bytes))
                return false;
            *bytes = first + second;
            found = true;
        }
    return found;
}

/* the one format of all; NULL: there are several */
static const ridge_format *common_format(const ridge_coster *c)
{
    for (size_t i = 1; i < c->stored->n; i++)
        if (format_of(c, &c->stored->p[i]) != format_of(c, &c->stored->p[0]))
            return NULL;
    return c->stored->n ? format_of(c, &c->stored->p[0]) : c->weights;
}

/* ---- several shapes that are rows of several weights ---- */

/* [any number, the weight's other dimensions] */
static bool is_rows_of(ridge_value v, const ridge_node_tensor *t)
{
    const ridge_list *l = v.type == RIDGE_V_LIST ? v.u.list : NULL;
    bool rows = l && l->count == t->rank && l->count > 1;
    for (size_t i = 1; rows && i < l->count; i++)
        rows = is_number(l->items[i], t->dims[i]);
    return rows;
}

/* How many of the shapes are rows of such weights, or have just so many; `like`: one of the weights. */
static size_t count_shapes(const ridge_list *shapes, size_t end, const ridge_node_tensor *like, const ridge_int *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < end; i++)
        n += is_rows_of(shapes->items[i], like) && (!rows || is_number(shapes->items[i].u.list->items[0], *rows));
    return n;
}

static size_t count_weights(const ridge_coster *c, ridge_value shape, const ridge_int *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < c->stored->n; i++)
        n += is_rows_of(shape, &c->stored->p[i]) && (!rows || c->stored->p[i].dims[0] == *rows);
    return n;
}

/* Are the shapes those of the weights, in any order? Then each is a whole weight. */
static bool are_whole(const ridge_coster *c, ridge_value shape, const ridge_list *shapes)
{
    for (size_t i = 0; i < c->stored->n; i++) {
        const ridge_node_tensor *t = &c->stored->p[i];
        const ridge_int rows = t->dims ? t->dims[0] : 0;
        if (is_rows_of(shape, t) && count_shapes(shapes, shapes->count, t, &rows) != count_weights(c, shape, &rows))
            return false;
    }
    return true;
}

ridge_status ridge_cost_stored_in_order(ridge_value *out, bool *found, ridge_coster *c, const ridge_list *shapes, size_t i)
{
    const ridge_value shape = shapes->items[i];
    const size_t weights = count_weights(c, shape, NULL);
    const ridge_node_tensor *t = NULL;
    *found = false;
    for (size_t k = 0, nth = 0; k < c->stored->n && weights > 1; k++)
        if (is_rows_of(shape, &c->stored->p[k]) && nth++ == count_shapes(shapes, i, &c->stored->p[k], NULL))
            t = &c->stored->p[k];
    if (!t || count_shapes(shapes, shapes->count, t, NULL) != weights || are_whole(c, shape, shapes))
        return RIDGE_OK;
    *found = true;
    return row_bytes(out, c, t, shape.u.list->items[0], ridge_value_int(t->elements / t->dims[0]));
}

/* ---- all ---- */

ridge_status ridge_cost_stored_bytes(ridge_value *out, ridge_coster *c, const ridge_amount *a, ridge_value v, ridge_value rows,
                                     ridge_value columns)
{
    likeness how;
    const ridge_node_tensor *t = find(&how, c, v);
    if (t)
        return how == ROWS ? row_bytes(out, c, t, rows, columns) : whole_bytes(out, c, t);
    if (is_number(rows, 0) || is_number(columns, 0)) {
        *out = ridge_value_int(0);
        return RIDGE_OK;
    }
    if (v.type != RIDGE_V_LIST && is_sum(c, v))
        return sum_bytes(out, c);
    ridge_int pair = 0;
    const ridge_format *common = common_format(c);
    if (!common && v.type != RIDGE_V_LIST && (find_pair(&pair, c, v) || find_slice(&pair, c, v))) {
        *out = ridge_value_int(pair);
        return RIDGE_OK;
    }
    if (common)
        return ridge_cost_block_bytes(out, c, common, rows, columns);
    ridge_status st =
        ridge_fail(c->graph->err, RIDGE_UNKNOWN, "which weights are read here is not known, and they are stored in several formats");
    ridge_expr_blame(c->graph->err, a->expr);
    return st;
}
