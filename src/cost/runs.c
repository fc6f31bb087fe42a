/* What runs a kernel: the sizes that the catalog gives, evaluated in the names of the entry that gives them. */
#include "cost/kernels.h"
#include "graph/stored.h"

static ridge_status evaluate(ridge_run_step *out, bool *left_out, ridge_graph *g, const ridge_run_spec *spec)
{
    ridge_status st = RIDGE_OK;
    *out = (ridge_run_step){.what = spec->what};
    *left_out = false;
    for (int i = 0; i < RIDGE_RUN_SIZE_COUNT && !st && !*left_out; i++)
        if (spec->sizes[i]) {
            st = ridge_expr_eval(&out->sizes[i], spec->sizes[i], &g->run);
            *left_out = !st && out->sizes[i].type == RIDGE_V_NONE;
        }
    return st;
}

static ridge_status evaluate_all(ridge_run_step *steps, size_t *count, ridge_graph *g, const ridge_node *node, const ridge_run_specs *specs)
{
    ridge_status st = RIDGE_OK;
    ridge_graph_enter(g, node);
    for (size_t i = 0; i < specs->n && !st; i++) {
        bool left_out;
        if (*count == RIDGE_RUN_STEPS)
            return ridge_fail(g->err, RIDGE_LIMIT, "%s: more than %d kernels run it", node->class_name, RIDGE_RUN_STEPS);
        st = evaluate(&steps[*count], &left_out, g, &specs->p[i]);
        *count += !st && !left_out;
    }
    return st;
}

ridge_status ridge_kernel_runs(ridge_run_step steps[RIDGE_RUN_STEPS], size_t *count, ridge_graph *g, const ridge_rows *rows,
                               const ridge_kernel *k)
{
    const ridge_node *leaf = rows->p[k->row].node;
    *count = 0;
    if (k->rule >= 0 && k->of->entry->fused[k->rule].runs.given)
        return evaluate_all(steps, count, g, k->of, &k->of->entry->fused[k->rule].runs);
    if (leaf && leaf->entry && leaf->entry->runs.given)
        return evaluate_all(steps, count, g, leaf, &leaf->entry->runs);
    return ridge_node_runs(steps, count, g, k->node);
}

ridge_status ridge_node_runs(ridge_run_step steps[RIDGE_RUN_STEPS], size_t *count, ridge_graph *g, const ridge_node *node)
{
    *count = 0;
    return node && node->entry ? evaluate_all(steps, count, g, node, &node->entry->runs) : RIDGE_OK;
}

ridge_stored ridge_kernel_stored(const ridge_kernel *k)
{
    const ridge_node *reader = k->node && k->node->stored ? k->node : k->of ? k->of : k->node;
    return reader ? ridge_stored_format(reader) : (ridge_stored){NULL, 0, NULL};
}

const ridge_format *ridge_kernel_format(const ridge_kernel *k, const ridge_format *format)
{
    const ridge_format *stored = ridge_kernel_stored(k).format;
    return stored ? stored : format;
}

bool ridge_run_size_of(int64_t *out, const ridge_run_step *step, ridge_run_size size)
{
    ridge_int n;
    const bool fits = ridge_value_as_int(&n, step->sizes[size]) && n >= 1 && n <= INT32_MAX;
    *out = fits ? (int64_t)n : 0;
    return fits;
}
