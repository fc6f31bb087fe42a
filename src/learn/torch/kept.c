/* What autograd keeps of an operator. */
#include "learn/torch/kept.h"

typedef struct call {
    const ridge_operator *op;
    const ridge_py *values, *outputs;
    size_t value_count, output_count;
} call;

static bool has_gradient(const ridge_tensor *t)
{
    return t->dtype >= RIDGE_DTYPE_F16 && (t->requires_grad || t->differentiable);
}

static bool any_has_gradient(ridge_py v)
{
    if (v.type == RIDGE_PY_T_TENSOR)
        return has_gradient(v.u.tensor);
    bool any = false;
    for (size_t i = 0; (v.type == RIDGE_PY_T_TUPLE || v.type == RIDGE_PY_T_LIST) && i < v.u.list->count; i++)
        any |= v.u.list->items[i].type == RIDGE_PY_T_TENSOR && has_gradient(v.u.list->items[i].u.tensor);
    return any;
}

/* the value of this name among results and arguments; UNSET: there is none */
static ridge_py named(const call *c, const char *name, size_t n)
{
    static const struct {
        const char *name;
        size_t at;
    } results[] = {{"result", 0}, {"indices", 1}, {"mean", 1}, {"norms", 1}, {"rstd", 2}};
    for (size_t i = 0; i < c->op->name_count && i < c->value_count; i++)
        if (strlen(c->op->names[i]) == n && memcmp(c->op->names[i], name, n) == 0)
            return c->values[i];
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (strlen(results[i].name) == n && memcmp(results[i].name, name, n) == 0 && results[i].at < c->output_count)
            return c->outputs[results[i].at];
    return ridge_py_unset();
}

/* An input that is written over is kept as a copy. */
static void keep(ridge_run_operator *record, ridge_run_kept *kept, const call *c, ridge_py v, bool result)
{
    if (v.type != RIDGE_PY_T_TENSOR)
        return;
    bool over = c->op->in_place && !result && c->values[0].type == RIDGE_PY_T_TENSOR && c->values[0].u.tensor == v.u.tensor;
    for (size_t i = 0; i < record->kept_count; i++)
        if (kept[i].tensor == v.u.tensor && kept[i].copied == over)
            return;
    kept[record->kept_count++] = (ridge_run_kept){v.u.tensor, over};
}

static size_t words_of(const char *text)
{
    size_t n = 0;
    for (const char *at = text; *at; at += strspn(at, " "), n++)
        at += strcspn(at, " ");
    return n;
}

static bool makes_anew(const char *name)
{
    static const char *const made[] = {"_like.", ".new_", ".bernoulli", ".normal_", ".uniform_", ".zero_", ".fill_"};
    bool any = false;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        any |= strstr(name, made[i]) != NULL;
    return any;
}

ridge_status ridge_kept_of(ridge_run_operator *record, const ridge_py *values, size_t value_count, const ridge_py *outputs,
                           size_t output_count, ridge_py_interp *in)
{
    const call c = {record->operator, values, outputs, value_count, output_count};
    bool any = false;
    for (size_t i = 0; i < value_count; i++)
        any |= any_has_gradient(values[i]);
    if (!any || makes_anew(c.op->name))
        return RIDGE_OK;
    const char *saved = c.op->saved ? c.op->saved : "";
    ridge_run_kept *kept = *saved ? ridge_arena_array(in->arena, words_of(saved), sizeof *kept) : NULL;
    if (*saved && !kept)
        return ridge_no_memory(in->err);
    for (const char *at = saved; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " "), name = strcspn(at, " :");
        bool wanted = name == n || any_has_gradient(named(&c, at + name + 1, n - name - 1));
        if (wanted)
            keep(record, kept, &c, named(&c, at, name), name == 6 && memcmp(at, "result", 6) == 0);
        at += n;
    }
    record->kept = kept;
    for (size_t i = 0; i < output_count; i++)
        if (outputs[i].type == RIDGE_PY_T_TENSOR && outputs[i].u.tensor->dtype >= RIDGE_DTYPE_F16)
            outputs[i].u.tensor->differentiable = true;
    return RIDGE_OK;
}
