/* `ridge cost --explain PATH`: one module's formulas, the values put in, the results and where the template stands. */
#include "model/output.h"

typedef struct amounts_title {
    const char *title;
    const ridge_amounts *amounts;
    const char *const *names;
} amounts_title;

static void add_binding(ridge_buf *out, const char *name, ridge_value v, const char *separator)
{
    if (v.type == RIDGE_V_UNSET)
        return;
    ridge_buf_addf(out, "%s%s = ", separator, name);
    ridge_value_print(out, v);
}

static void add_values(ridge_buf *out, const ridge_node *n)
{
    const ridge_entry *e = n->entry;
    if (e->parameter_count)
        ridge_buf_addz(out, "\narguments\n");
    for (size_t i = 0; i < e->parameter_count; i++) {
        add_binding(out, e->parameters[i].names[0]->text, n->args[i], "  ");
        ridge_buf_addc(out, '\n');
    }
    if (e->lets.n)
        ridge_buf_addz(out, "\nlocal names\n");
    for (size_t i = 0; i < e->lets.n; i++) {
        ridge_buf_addf(out, "  %s = %.*s", e->lets.p[i].name->text, RIDGE_STR_ARG(e->lets.p[i].expr->text));
        add_binding(out, "", n->slots[e->lets.p[i].slot], "");
        ridge_buf_addc(out, '\n');
    }
}

static ridge_status add_amounts(ridge_buf *out, ridge_analysis *a, const ridge_node *n, const amounts_title *t)
{
    for (size_t i = 0; i < t->amounts->n; i++) {
        const ridge_amount *m = &t->amounts->p[i];
        ridge_value v;
        ridge_graph_enter(&a->graph, n);
        ridge_status st = ridge_expr_eval(&v, m->expr, &a->graph.run);
        if (st)
            return st;
        ridge_buf_addf(out, "  %-6s %-14s %.*s = ", t->title, t->names[m->what], RIDGE_STR_ARG(m->expr->text));
        ridge_value_print(out, v);
        ridge_buf_addf(out, "\n         at %s:%u\n", m->expr->file, m->expr->line);
    }
    return RIDGE_OK;
}

static ridge_status add_own(ridge_buf *out, ridge_analysis *a, const ridge_node *n)
{
    const amounts_title own[] = {{"FLOPs", &n->entry->flops, ridge_flop_names},
                                 {"reads", &n->entry->reads, ridge_byte_names},
                                 {"writes", &n->entry->writes, ridge_byte_names}};
    ridge_status st = RIDGE_OK;
    if (n->entry->flops.n || n->entry->reads.n || n->entry->writes.n)
        ridge_buf_addz(out, "\nits own formulas (reads and writes in elements)\n");
    for (size_t i = 0; i < sizeof own / sizeof *own && !st; i++)
        st = add_amounts(out, a, n, &own[i]);
    return st;
}

static ridge_status add_parts(ridge_buf *out, ridge_analysis *a, const ridge_node *n)
{
    if (n->child_count)
        ridge_buf_addz(out, "\nparts\n");
    for (size_t i = 0; i < n->child_count; i++) {
        const ridge_child *c = &n->children[i];
        ridge_flop_sums f;
        ridge_byte_sums b;
        ridge_status st;
        if (!c->node)
            continue;
        if ((st = ridge_output_node_sums(&f, &b, a, c->node)))
            return st;
        const ridge_component *k = n->entry ? &n->entry->breakdown[c->component] : NULL;
        ridge_buf_addf(out, "  %-26.*s %s FLOPs, %s bytes", RIDGE_STR_ARG(c->name), ridge_units_exact(&a->arena, f.total),
                       ridge_units_exact(&a->arena, b.total));
        if (c->calls.type == RIDGE_V_INT && c->calls.u.i != 1) {
            ridge_buf_addz(out, ", calls ");
            ridge_value_print(out, c->calls);
        }
        if (k && k->use)
            ridge_buf_addf(out, "\n      %.*s\n      at %s:%u", RIDGE_STR_ARG(k->use->text), k->file, k->line);
        ridge_buf_addc(out, '\n');
    }
    return RIDGE_OK;
}

static ridge_status add_result(ridge_buf *out, ridge_analysis *a, const ridge_node *n)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    ridge_status st = ridge_output_node_sums(&f, &b, a, n);
    if (st)
        return st;
    ridge_buf_addf(out, "\nresult, one call: %s FLOPs", ridge_units_exact(&a->arena, f.total));
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (f.by_class[i])
            ridge_buf_addf(out, ", %s %s", ridge_flop_names[i], ridge_units_exact(&a->arena, f.by_class[i]));
    ridge_buf_addf(out, "\n                  %s bytes read, %s written\n", ridge_units_exact(&a->arena, b.reads_total),
                   ridge_units_exact(&a->arena, b.writes_total));
    return RIDGE_OK;
}

/* ---- which module ---- */

/* the first of what a folded row names: "model.layers.*.mlp" and "model.layers.{0-2}" are model.layers.0 */
static const char *first_of(ridge_analysis *a, const char *path)
{
    char *first = ridge_arena_alloc(&a->arena, strlen(path) + 1), *to = first;
    for (const char *from = path; first && *from; from++) {
        if (*from == '*') {
            *to++ = '0';
        } else if (*from == '{') {
            for (from++; *from >= '0' && *from <= '9'; from++)
                *to++ = *from;
            while (*from && *from != '}')
                from++;
            if (!*from)
                break;
        } else {
            *to++ = *from;
        }
    }
    return strcmp(path, "(model)") == 0 ? "" : first;
}

/* the longest part of the path that exists, with its child nearest to what follows */
static ridge_status no_module(ridge_analysis *a, const ridge_tree *tree, const char *path, ridge_err *err)
{
    ridge_str whole = ridge_str_of(path), best = {NULL, 0};
    uint32_t parent = 0, at;
    unsigned least = 4;
    size_t start = 0;
    for (size_t i = 0; i < whole.n; i++)
        if (whole.p[i] == '.' && (at = ridge_tree_find(tree, (ridge_str){whole.p, i})) != UINT32_MAX) {
            parent = at;
            start = i + 1;
        }
    const char *dot = memchr(whole.p + start, '.', whole.n - start);
    ridge_str part = {whole.p + start, dot ? (size_t)(dot - whole.p) - start : whole.n - start};
    for (at = parent + 1; at < tree->modules[parent].end; at = tree->modules[at].end) {
        unsigned d = ridge_str_distance(part, tree->modules[at].name, least);
        if (d < least) {
            least = d;
            best = tree->modules[at].path;
        }
    }
    if (best.p)
        return ridge_fail(err, RIDGE_NAME, "%s has no module '%s'; did you mean '%.*s'?", a->file.name, path, RIDGE_STR_ARG(best));
    return ridge_fail(err, RIDGE_NAME, "%s has no module '%s'; 'ridge inspect %s' shows its paths", a->file.name, path, a->file.name);
}

static void add_origin(ridge_buf *out, const ridge_source *s)
{
    const ridge_json *location = ridge_json_get(s->json, "code_location"), *thinking = ridge_json_get(s->json, "thinking");
    const ridge_json *file = ridge_json_get(location, "file"), *line = ridge_json_get(location, "line_start");
    ridge_buf_addf(out, "template  %s:%u\n", s->file, s->line);
    if (file && line && file->type == RIDGE_JSON_STRING && line->type == RIDGE_JSON_NUMBER)
        ridge_buf_addf(out, "source    %.*s:%.*s\n", RIDGE_STR_ARG(file->u.text), RIDGE_STR_ARG(line->u.text));
    if (thinking && thinking->type == RIDGE_JSON_STRING)
        ridge_buf_addf(out, "why       %.*s\n", RIDGE_STR_ARG(thinking->u.text));
}

static ridge_status as_text(ridge_buf *out, ridge_analysis *a, const ridge_tree_module *m)
{
    const ridge_node *n = m->node;
    ridge_status st;
    ridge_buf_addf(out, "%.*s\nclass     %s\n", RIDGE_STR_ARG(m->path.n ? m->path : RIDGE_STR("(model)")), n->class_name);
    if (!n->entry) {
        ridge_buf_addz(out, "a container: it costs nothing itself\n");
        return add_parts(out, a, n);
    }
    add_origin(out, n->entry->source);
    add_values(out, n);
    if ((st = add_own(out, a, n)) || (st = add_parts(out, a, n)))
        return st;
    return add_result(out, a, n);
}

ridge_status ridge_output_explain(ridge_buf *out, ridge_analysis *a, const char *path, bool json, ridge_err *err)
{
    ridge_tree tree;
    if (a->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", a->architecture);
    ridge_status st = ridge_tree_make(&tree, &a->graph, a->root);
    if (st)
        return st;
    const char *first = first_of(a, path);
    if (!first)
        return ridge_no_memory(err);
    uint32_t at = ridge_tree_find(&tree, ridge_str_of(first));
    if (at == UINT32_MAX)
        return no_module(a, &tree, first, err);
    return json ? ridge_output_explain_json(out, a, &tree.modules[at]) : as_text(out, a, &tree.modules[at]);
}
