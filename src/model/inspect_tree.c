/* `ridge inspect` for people: the module tree with shapes, equal layers folded. */
#include "model/output.h"

typedef struct printer {
    ridge_buf *out;
    ridge_analysis *a;
    const ridge_tree *tree;
    const ridge_view *view;
} printer;

static const char *short_class(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

static void add_tensors(const printer *p, uint32_t at)
{
    const ridge_tensors *w = &p->tree->modules[at].node->weights;
    for (size_t i = 0; i < w->n; i++) {
        ridge_str tied = ridge_tree_tied_to(p->tree, at, w->p[i].name);
        ridge_buf_addf(p->out, "%s%s[", i ? ", " : "  ", w->p[i].name->text);
        for (size_t k = 0; k < w->p[i].rank; k++) {
            if (k)
                ridge_buf_addz(p->out, ", ");
            ridge_buf_add_int(p->out, w->p[i].dims[k]);
        }
        ridge_buf_addc(p->out, ']');
        if (tied.p)
            ridge_buf_addf(p->out, " = %.*s", RIDGE_STR_ARG(tied));
    }
}

/* how many siblings from `at` on are the same node as it (equal layers are one node) */
static uint32_t equal_run(const printer *p, uint32_t at, uint32_t *next)
{
    const ridge_tree_module *m = p->tree->modules;
    uint32_t run = 1, end = m[at].end, last = m[at].parent == UINT32_MAX ? end : m[m[at].parent].end;
    bool numbered = m[at].name.n && m[at].name.p[0] >= '0' && m[at].name.p[0] <= '9';
    while (!p->view->all && numbered && end < last && m[end].node == m[at].node) {
        run++;
        end = m[end].end;
    }
    *next = end;
    return run;
}

static void add_line(const printer *p, uint32_t at, uint32_t run)
{
    const ridge_tree_module *m = &p->tree->modules[at];
    ridge_buf_addf(p->out, "%*s", (int)(2 * m->depth), "");
    if (run > 1) {
        uint32_t last = at;
        for (uint32_t i = 1; i < run; i++)
            last = p->tree->modules[last].end;
        ridge_buf_addf(p->out, "%.*s-%.*s: %u x ", RIDGE_STR_ARG(m->name), RIDGE_STR_ARG(p->tree->modules[last].name), run);
    } else if (m->name.n) {
        ridge_buf_addf(p->out, "%.*s: ", RIDGE_STR_ARG(m->name));
    }
    ridge_buf_addz(p->out, m->depth ? short_class(m->node->class_name) : m->node->class_name);
    add_tensors(p, at);
    if (m->parameters_total)
        ridge_buf_addf(p->out, "  %s", ridge_units_exact(&p->a->arena, m->parameters_total));
    ridge_buf_addc(p->out, '\n');
}

static void print_level(const printer *p, uint32_t at, uint32_t end)
{
    while (at < end) {
        uint32_t next, run = equal_run(p, at, &next);
        const ridge_tree_module *m = &p->tree->modules[at];
        if (p->view->depth < 0 || m->depth <= p->view->depth) {
            add_line(p, at, run);
            print_level(p, at + 1, m->end);
        }
        at = next;
    }
}

static void add_assumed(ridge_buf *out, const ridge_object *config, const char *prefix)
{
    for (size_t i = 0; i < config->count; i++) {
        const ridge_field *f = &config->fields[i];
        if (f->value.type == RIDGE_V_OBJECT && f->value.u.object->what && strcmp(f->value.u.object->what, "an object") != 0)
            add_assumed(out, f->value.u.object, f->name->text);
        if (!f->assumed || f->value.type == RIDGE_V_OBJECT)
            continue;
        ridge_buf_addf(out, "%s%s%s%s=", out->n && out->p[out->n - 1] != ' ' ? ", " : "", prefix, prefix[0] ? "." : "", f->name->text);
        ridge_value_print(out, f->given);
    }
}

ridge_status ridge_output_inspect_tree(ridge_buf *out, ridge_analysis *a, const ridge_view *view, ridge_err *err)
{
    ridge_tree tree;
    if (a->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", a->architecture);
    ridge_status st = ridge_tree_make(&tree, &a->graph, a->root);
    printer p = {out, a, &tree, view};
    if (st)
        return st;
    ridge_buf_addf(out, "%s  %s\n", a->file.name, a->architecture);
    ridge_buf_addf(out, "parameters  %s", ridge_units_exact(&a->arena, a->parameters.total));
    if (a->parameters.active != a->parameters.total)
        ridge_buf_addf(out, "   active per token %s", ridge_units_exact(&a->arena, a->parameters.active));
    ridge_buf_addf(out, "   embedding %s\n", ridge_units_exact(&a->arena, a->parameters.embedding));
    ridge_buf_addf(out, "weights     %s in %s   buffers %s   modules %u\n", ridge_units_bytes(&a->arena, a->memory.weights),
                   a->workload.weights, ridge_units_bytes(&a->arena, tree.buffer_bytes), tree.count);
    ridge_buf assumed = {0};
    ridge_buf_addz(&assumed, "assumed     ");
    add_assumed(&assumed, a->config, "");
    if (assumed.n > 12)
        ridge_buf_addf(out, "%s (not in the config: the class's defaults)\n", assumed.p);
    ridge_buf_free(&assumed);
    ridge_buf_addc(out, '\n');
    print_level(&p, 0, tree.count);
    return RIDGE_OK;
}
