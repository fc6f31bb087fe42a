/* Whether a model's parts split over so many devices, and which numbers would do. */
#include "predict/parallel/split.h"

/* ---- what divides ---- */

static bool tensor_divides(const ridge_split *s, int64_t n)
{
    for (size_t i = 0; i < s->rows->n; i++) {
        const ridge_part *p = &s->parts[i];
        ridge_int k = p->kv_heads;
        if (p->core && (p->heads % n || (k && k % n && n % k)))
            return false;
        const ridge_split_way way = s->rows->p[i].split;
        if (p->layer != RIDGE_NO_ROW && ((p->kind == RIDGE_PART_ROW && p->in % n) || (way == RIDGE_SPLIT_WAY_COLUMNS && p->out % n)))
            return false;
    }
    return true;
}

static bool divides(ridge_int whole, int64_t n)
{
    return whole % n == 0;
}

static void add_valid(ridge_err *err, const ridge_split *s, ridge_int whole)
{
    const char *before = "; valid: ";
    int64_t most = whole > 4096 ? 4096 : (int64_t)whole;
    for (int64_t n = 1; n <= most; n++)
        if (s ? tensor_divides(s, n) : divides(whole, n)) {
            ridge_err_append(err, "%s%lld", before, (long long)n);
            before = ", ";
        }
}

static ridge_status check_tensor(const ridge_split *s, ridge_err *err)
{
    ridge_int heads = 0, kv_heads = 0;
    for (size_t i = 0; i < s->rows->n; i++)
        if (s->parts[i].core && (heads == 0 || s->parts[i].heads < heads)) {
            heads = s->parts[i].heads;
            kv_heads = s->parts[i].kv_heads;
        }
    if (tensor_divides(s, s->parallel->tensor))
        return RIDGE_OK;
    ridge_status st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("tensor-parallel") ": %lld heads", (long long)heads);
    if (kv_heads && kv_heads != heads)
        ridge_err_append(err, " (%lld of K and V)", (long long)kv_heads);
    ridge_err_append(err, " and the matrices after them do not split over %lld devices", (long long)s->parallel->tensor);
    add_valid(err, s, heads);
    return st;
}

static ridge_status check_experts(const ridge_split *s, ridge_err *err)
{
    ridge_int experts = 0;
    for (size_t i = 0; i < s->rows->n; i++)
        if (s->parts[i].experts && (!experts || s->parts[i].experts < experts))
            experts = s->parts[i].experts;
    if (s->parallel->expert == 1 || (experts && divides(experts, s->parallel->expert)))
        return RIDGE_OK;
    if (!experts)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("expert-parallel") ": this model has no experts");
    ridge_status st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("expert-parallel") ": %lld experts do not split over %lld devices",
                                 (long long)experts, (long long)s->parallel->expert);
    add_valid(err, NULL, experts);
    return st;
}

static ridge_status check_pipeline(const ridge_split *s, ridge_err *err)
{
    if (divides(s->layers, s->parallel->pipeline))
        return RIDGE_OK;
    ridge_status st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("pipeline-parallel") ": %lld layers do not split over %lld devices",
                                 (long long)s->layers, (long long)s->parallel->pipeline);
    add_valid(err, NULL, s->layers);
    return st;
}

/* a layer beside those that are known, without an attention, a mixer or an MLP: of convolutions */
static const ridge_row *odd_layer(const ridge_split *s)
{
    for (size_t i = 0; i < s->rows->n; i++) {
        const ridge_row *row = &s->rows->p[i];
        if (row->element && s->parts[i].layer == RIDGE_NO_ROW && row->node && !row->leaf)
            return row;
    }
    return NULL;
}

/* weights of several dimensions, of which the catalog does not say how they split */
static bool is_unsplit_matrix(const ridge_row *row)
{
    const bool said = row->split != RIDGE_SPLIT_WAY_UNKNOWN && row->split != RIDGE_SPLIT_WAY_SHARE;
    ridge_int flops = 0;
    (void)ridge_value_as_int(&flops, row->cost.flops[RIDGE_FLOP_MATMUL]);
    return row->module && row->leaf && row->node->weights.n > 0 && row->node->weights.p[0].rank > 1 && flops > 0 && !said;
}

ridge_status ridge_split_check_known(const ridge_split *s, ridge_err *err)
{
    const ridge_parallel *p = s->parallel;
    const ridge_row *odd = odd_layer(s);
    if (p->tensor == 1 && p->pipeline == 1)
        return RIDGE_OK;
    if (odd)
        return ridge_fail(
            err, RIDGE_UNKNOWN,
            "%.*s (%s) has no attention, mixer or MLP: no rule splits it over devices; " RIDGE_OPT("data-parallel") " copies it",
            RIDGE_STR_ARG(odd->path), odd->class_name);
    if (s->layers == 0)
        return ridge_fail(err, RIDGE_UNKNOWN,
                          "%s has no layers with an attention, a mixer or an MLP: no rule splits it over devices; " RIDGE_OPT(
                              "data-parallel") " copies it",
                          s->rows->p[0].class_name);
    for (size_t i = 0; i < s->rows->n && p->tensor > 1; i++) {
        const ridge_row *row = &s->rows->p[i];
        const ridge_part *q = &s->parts[i];
        if (q->core && (q->heads == 0 || q->scope == RIDGE_NO_ROW))
            return ridge_fail(err, RIDGE_UNKNOWN, "%.*s (%s): the heads of its attention are not known, so they do not split",
                              RIDGE_STR_ARG(row->path), row->class_name);
        if (q->block != RIDGE_NO_ROW && is_unsplit_matrix(row))
            return ridge_fail(err, RIDGE_UNKNOWN, "%.*s (%s): how its weights split is not known", RIDGE_STR_ARG(row->path),
                              row->class_name);
    }
    return RIDGE_OK;
}

/* products with weights in a layer, of which nothing is said; operators of experts are shared as their module is */
static bool is_unsplit_product(const ridge_split *s, const ridge_kernel *k)
{
    const bool said = s->rows->p[k->row].split != RIDGE_SPLIT_WAY_UNKNOWN;
    return s->parts[k->row].block != RIDGE_NO_ROW && !said && !ridge_value_is_zero(k->cost.flops[RIDGE_FLOP_MATMUL]) &&
           !ridge_value_is_zero(k->cost.reads[RIDGE_BYTE_WEIGHTS]);
}

/* A part that the catalog splits like a matrix, and does not say which: what one device has of it cannot be told. */
static ridge_status check_matrices(const ridge_split *s, ridge_err *err)
{
    for (size_t i = 0; i < s->kernels->n && s->parallel->tensor > 1; i++) {
        const ridge_part *p = &s->parts[s->kernels->p[i].row];
        const ridge_row *row = &s->rows->p[s->kernels->p[i].row];
        if ((p->kind == RIDGE_PART_COLUMN || p->kind == RIDGE_PART_ROW) && p->in + p->out == 0)
            return ridge_fail(err, RIDGE_UNKNOWN, "%.*s (%s): it splits by columns or rows, and is not one matrix",
                              RIDGE_STR_ARG(row->path), row->class_name);
        if (is_unsplit_product(s, &s->kernels->p[i]))
            return ridge_fail(err, RIDGE_UNKNOWN, "%.*s (%s): how its weights split is not known", RIDGE_STR_ARG(row->path),
                              row->class_name);
    }
    return RIDGE_OK;
}

ridge_status ridge_split_check_numbers(const ridge_split *s, ridge_err *err)
{
    ridge_status st;
    if ((st = check_matrices(s, err)) || (st = check_tensor(s, err)) || (st = check_experts(s, err)))
        return st;
    return check_pipeline(s, err);
}
