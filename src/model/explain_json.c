/* `ridge cost --explain PATH --json`: what explain.c prints, as data. */
#include "model/output.h"

static void key_str(ridge_json_writer *w, const char *key, ridge_str text)
{
    ridge_jw_key(w, key);
    ridge_jw_str(w, text);
}

static void write_place(ridge_json_writer *w, const char *key, const char *file, unsigned line)
{
    ridge_jw_key(w, key);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "file", file);
    ridge_jw_key(w, "line");
    ridge_jw_int(w, line);
    ridge_jw_end_object(w);
}

static void write_names(ridge_json_writer *w, const ridge_node *n)
{
    ridge_jw_key(w, "arguments");
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < n->entry->parameter_count; i++) {
        ridge_jw_key(w, n->entry->parameters[i].names[0]->text);
        ridge_output_json_value(w, n->args[i]);
    }
    ridge_jw_end_object(w);
    ridge_jw_key(w, "local_names");
    ridge_jw_array(w);
    for (size_t i = 0; i < n->entry->lets.n; i++) {
        ridge_jw_object_compact(w);
        key_str(w, "name", ridge_str_of(n->entry->lets.p[i].name->text));
        key_str(w, "formula", n->entry->lets.p[i].expr->text);
        ridge_jw_key(w, "value");
        ridge_output_json_value(w, n->slots[n->entry->lets.p[i].slot]);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static ridge_status write_amounts(ridge_json_writer *w, ridge_analysis *a, const ridge_node *n, const char *what,
                                  const ridge_amounts *amounts, const char *const *kinds)
{
    for (size_t i = 0; i < amounts->n; i++) {
        ridge_value v;
        ridge_graph_enter(&a->graph, n);
        ridge_status st = ridge_expr_eval(&v, amounts->p[i].expr, &a->graph.run);
        if (st)
            return st;
        ridge_jw_object_compact(w);
        key_str(w, "what", ridge_str_of(what));
        key_str(w, "kind", ridge_str_of(kinds[amounts->p[i].what]));
        key_str(w, "formula", amounts->p[i].expr->text);
        ridge_jw_key(w, "value");
        ridge_output_json_value(w, v);
        write_place(w, "template", amounts->p[i].expr->file, amounts->p[i].expr->line);
        ridge_jw_end_object(w);
    }
    return RIDGE_OK;
}

static ridge_status write_own(ridge_json_writer *w, ridge_analysis *a, const ridge_node *n)
{
    const ridge_entry *e = n->entry;
    ridge_status st;
    ridge_jw_key(w, "formulas");
    ridge_jw_array(w);
    if (!(st = write_amounts(w, a, n, "flops", &e->flops, ridge_flop_names)) &&
        !(st = write_amounts(w, a, n, "reads", &e->reads, ridge_byte_names)))
        st = write_amounts(w, a, n, "writes", &e->writes, ridge_byte_names);
    ridge_jw_end_array(w);
    return st;
}

static ridge_status write_cost(ridge_json_writer *w, ridge_analysis *a, const ridge_node *n)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    ridge_status st = ridge_output_node_sums(&f, &b, a, n);
    if (st)
        return st;
    ridge_jw_key(w, "flops");
    ridge_output_json_flops(w, &f);
    ridge_jw_key(w, "bytes");
    ridge_output_json_bytes(w, &b);
    return RIDGE_OK;
}

static ridge_status write_parts(ridge_json_writer *w, ridge_analysis *a, const ridge_node *n)
{
    ridge_status st = RIDGE_OK;
    ridge_jw_key(w, "parts");
    ridge_jw_array(w);
    for (size_t i = 0; i < n->child_count && !st; i++) {
        const ridge_child *c = &n->children[i];
        const ridge_component *k = n->entry ? &n->entry->breakdown[c->component] : NULL;
        if (!c->node)
            continue;
        ridge_jw_object_compact(w);
        key_str(w, "name", c->name);
        ridge_jw_key(w, "calls");
        ridge_output_json_value(w, c->calls);
        if (k && k->use) {
            key_str(w, "formula", k->use->text);
            write_place(w, "template", k->file, k->line);
        }
        st = write_cost(w, a, c->node);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
    return st;
}

ridge_status ridge_output_explain_json(ridge_buf *out, ridge_analysis *a, const ridge_tree_module *m)
{
    ridge_json_writer w;
    const ridge_node *n = m->node;
    ridge_status st = RIDGE_OK;
    ridge_output_json_head(&w, out, a);
    key_str(&w, "path", m->path);
    ridge_jw_member_text(&w, "class", n->class_name);
    if (n->entry) {
        write_place(&w, "template", n->entry->source->file, n->entry->source->line);
        write_names(&w, n);
        st = write_own(&w, a, n);
    }
    if (!st && !(st = write_parts(&w, a, n)))
        st = write_cost(&w, a, n);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return st;
}
