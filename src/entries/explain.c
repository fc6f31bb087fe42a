#include "entries/explain.h"

#include "base/shown.h"
#include "cost/kernels.h"
#include "graph/tree.h"
#include "report/text.h"

/* ---- which module ---- */

/* the first of what a folded row names: "model.layers.*.mlp" and "model.layers.{0-2}" are model.layers.0 */
static const char *first_of(const char *path, ridge_arena *arena)
{
    char *first = ridge_arena_alloc(arena, strlen(path) + 1), *to = first;
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
static ridge_status no_module(const ridge_analysis *a, const ridge_tree *tree, const char *path, ridge_err *err)
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

/* ---- what it has ---- */

static ridge_str text_of(const ridge_json *json)
{
    bool is_text = json && (json->type == RIDGE_JSON_STRING || json->type == RIDGE_JSON_NUMBER);
    return is_text ? json->u.text : (ridge_str){NULL, 0};
}

static void find_origin(ridge_explanation *x, const ridge_source *s, ridge_arena *arena)
{
    const ridge_json *location = ridge_json_get(s->json, "code_location");
    x->place = (ridge_template_place){s->file, s->line};
    const ridge_str file = text_of(ridge_json_get(location, "file")), line = text_of(ridge_json_get(location, "line_start"));
    if (file.p && line.p)
        x->source = ridge_arena_printf(arena, "%.*s:%.*s", RIDGE_STR_ARG(file), RIDGE_STR_ARG(line));
    x->thinking = text_of(ridge_json_get(s->json, "thinking"));
}

static ridge_status find_names(ridge_explanation *x, const ridge_node *n, ridge_arena *arena, ridge_err *err)
{
    const ridge_entry *e = n->entry;
    x->arguments = ridge_arena_array(arena, e->parameter_count + 1, sizeof *x->arguments);
    x->locals = ridge_arena_array(arena, e->lets.n + 1, sizeof *x->locals);
    if (!x->arguments || !x->locals)
        return ridge_no_memory(err);
    for (size_t i = 0; i < e->parameter_count; i++)
        x->arguments[x->argument_count++] = (ridge_bound_name){.name = e->parameters[i].names[0]->text, .value = n->args[i]};
    for (size_t i = 0; i < e->lets.n; i++)
        x->locals[x->local_count++] = (ridge_bound_name){e->lets.p[i].name->text, e->lets.p[i].expr->text, n->slots[e->lets.p[i].slot]};
    return RIDGE_OK;
}

static ridge_status add_amounts(ridge_explanation *x, ridge_analysis *a, const ridge_node *n, const char *what,
                                const ridge_amounts *amounts, const char *const *kinds)
{
    for (size_t i = 0; i < amounts->n; i++) {
        const ridge_expr *expr = amounts->p[i].expr;
        ridge_explained_amount *out = &x->amounts[x->amount_count++];
        *out = (ridge_explained_amount){what, kinds[amounts->p[i].what], expr->text, .place = {expr->file, expr->line}};
        ridge_graph_enter(&a->graph, n);
        ridge_status st = ridge_expr_eval(&out->value, expr, &a->graph.run);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

static ridge_status find_amounts(ridge_explanation *x, ridge_analysis *a, const ridge_node *n, ridge_err *err)
{
    const ridge_entry *e = n->entry;
    ridge_status st;
    x->amounts = ridge_arena_array(&a->arena, e->flops.n + e->reads.n + e->writes.n + 1, sizeof *x->amounts);
    if (!x->amounts)
        return ridge_no_memory(err);
    if ((st = add_amounts(x, a, n, "flops", &e->flops, ridge_flop_names)) ||
        (st = add_amounts(x, a, n, "reads", &e->reads, ridge_byte_names)))
        return st;
    return add_amounts(x, a, n, "writes", &e->writes, ridge_byte_names);
}

/* does a fused kernel do what the child reads and writes? */
static bool is_fused(const ridge_analysis *a, const ridge_node *parent, const ridge_child *child)
{
    return a->coster.kernel == RIDGE_KERNEL_FUSED && ridge_cost_is_replaced(parent, child);
}

/* ... or of a module that it is in */
static bool is_fused_above(const ridge_analysis *a, const ridge_tree *tree, uint32_t at)
{
    for (uint32_t above; (above = tree->modules[at].parent) != UINT32_MAX; at = above) {
        const ridge_node *parent = tree->modules[above].node;
        for (size_t i = 0; i < parent->child_count; i++)
            if (parent->children[i].node == tree->modules[at].node && is_fused(a, parent, &parent->children[i]))
                return true;
    }
    return false;
}

/* the kernels of the fusion rules: their traffic stands for that of the parts they replace, whose FLOPs they do */
static ridge_status find_kernels(ridge_explanation *x, ridge_analysis *a, const ridge_node *n, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t r = 0; n->entry && a->coster.kernel == RIDGE_KERNEL_FUSED && r < n->entry->fused_count && !st; r++) {
        const ridge_cost *traffic;
        const ridge_node *kernel;
        if ((st = ridge_cost_fused(&traffic, &kernel, &a->coster, n, r)) || !kernel)
            continue;
        const ridge_expr *by = n->entry->fused[r].by;
        ridge_explained_part *out = &x->parts[x->part_count++];
        *out = (ridge_explained_part){.name = ridge_fusion_name(&a->arena, n, r),
                                      .calls = ridge_value_int(1),
                                      .has_formula = true,
                                      .formula = by->text,
                                      .place = {by->file, by->line}};
        if (!out->name.p)
            return ridge_no_memory(err);
        st = ridge_cost_sums(&out->flops, &out->bytes, traffic, err);
        out->flops = (ridge_flop_sums){0};
    }
    return st;
}

static ridge_status find_parts(ridge_explanation *x, ridge_analysis *a, const ridge_node *n, ridge_err *err)
{
    const size_t rules = n->entry ? n->entry->fused_count : 0;
    ridge_status st = RIDGE_OK;
    if (!(x->parts = ridge_arena_array(&a->arena, n->child_count + rules + 1, sizeof *x->parts)))
        return ridge_no_memory(err);
    for (size_t i = 0; i < n->child_count && !st; i++) {
        const ridge_child *c = &n->children[i];
        const ridge_component *k = n->entry ? &n->entry->breakdown[c->component] : NULL;
        if (!c->node)
            continue;
        ridge_explained_part *out = &x->parts[x->part_count++];
        *out = (ridge_explained_part){.name = c->name, .calls = c->calls, .has_formula = k && k->use};
        if (out->has_formula) {
            out->formula = k->use->text;
            out->place = (ridge_template_place){k->file, k->line};
        }
        st = ridge_cost_node_sums(&out->flops, &out->bytes, &a->coster, c->node);
        if (is_fused(a, n, c))
            out->bytes = (ridge_byte_sums){0};
    }
    return st ? st : find_kernels(x, a, n, err);
}

ridge_status ridge_explain(ridge_explanation *x, ridge_analysis *a, const char *path, ridge_err *err)
{
    ridge_tree tree;
    if (a->nothing_known)
        return ridge_fail(err, RIDGE_UNKNOWN, "nothing of %s is in the catalog: there is nothing to show", a->architecture);
    ridge_status st = ridge_tree_make(&tree, &a->graph, a->root);
    if (st)
        return st;
    const char *first = first_of(path, &a->arena);
    if (!first)
        return ridge_no_memory(err);
    uint32_t at = ridge_tree_find(&tree, ridge_str_of(first));
    if (at == UINT32_MAX)
        return no_module(a, &tree, first, err);
    const ridge_node *n = tree.modules[at].node;
    *x = (ridge_explanation){.model = a->file.name,
                             .architecture = a->architecture,
                             .path = tree.modules[at].path,
                             .class_name = n->class_name,
                             .entry = n->entry};
    if (n->entry) {
        find_origin(x, n->entry->source, &a->arena);
        if ((st = find_names(x, n, &a->arena, err)) || (st = find_amounts(x, a, n, err)))
            return st;
    }
    if ((st = find_parts(x, a, n, err)) || (st = ridge_cost_node_sums(&x->flops, &x->bytes, &a->coster, n)))
        return st;
    if ((x->fused = is_fused_above(a, &tree, at)))
        x->bytes = (ridge_byte_sums){0};
    return RIDGE_OK;
}

/* ---- JSON ---- */

static void write_arguments(ridge_json_writer *w, const void *row)
{
    const ridge_explanation *x = row;
    ridge_jw_object_compact(w);
    for (size_t i = 0; i < x->argument_count; i++) {
        ridge_jw_key(w, x->arguments[i].name);
        ridge_value_json(w, x->arguments[i].value);
    }
    ridge_jw_end_object(w);
}

static void write_local(ridge_json_writer *w, const void *row)
{
    ridge_value_json(w, ((const ridge_bound_name *)row)->value);
}

static void write_amount(ridge_json_writer *w, const void *row)
{
    ridge_value_json(w, ((const ridge_explained_amount *)row)->value);
}

static void write_calls(ridge_json_writer *w, const void *row)
{
    ridge_value_json(w, ((const ridge_explained_part *)row)->calls);
}

static const ridge_record_field place_fields[] = {
    RIDGE_R_TEXT(ridge_template_place, file, "file", NULL, RIDGE_IN_JSON, "the catalog's file"),
    RIDGE_R_UNSIGNED(ridge_template_place, line, "line", NULL, RIDGE_IN_JSON, "the line, from 1"),
};
static const ridge_record place_record = RIDGE_RECORD(ridge_template_place, "place", place_fields, "where a template stands");

static const ridge_record_field local_fields[] = {
    RIDGE_R_TEXT(ridge_bound_name, name, "name", NULL, RIDGE_IN_JSON, "the local name"),
    RIDGE_R_STR(ridge_bound_name, formula, "formula", NULL, RIDGE_IN_JSON, "what it is bound to"),
    RIDGE_R_WRITTEN("value", write_local, "its value here"),
};
static const ridge_record local_record = RIDGE_RECORD(ridge_bound_name, "local name", local_fields, "a local name of a template");

static const ridge_record_field amount_fields[] = {
    RIDGE_R_TEXT(ridge_explained_amount, what, "what", NULL, RIDGE_IN_JSON, "flops, reads or writes"),
    RIDGE_R_TEXT(ridge_explained_amount, kind, "kind", NULL, RIDGE_IN_JSON, "the class of FLOPs, the kind of bytes"),
    RIDGE_R_STR(ridge_explained_amount, formula, "formula", NULL, RIDGE_IN_JSON, "the template's formula"),
    RIDGE_R_WRITTEN("value", write_amount, "its value here"),
    RIDGE_R_IN(ridge_explained_amount, place, &place_record, "template", RIDGE_IN_JSON, "where the formula stands"),
};
static const ridge_record amount_record = RIDGE_RECORD(ridge_explained_amount, "formula", amount_fields, "a formula of the module itself");

static const ridge_record_field part_fields[] = {
    RIDGE_R_STR(ridge_explained_part, name, "name", NULL, RIDGE_IN_JSON, "the part's name"),
    RIDGE_R_WRITTEN("calls", write_calls, "how often it is called"),
    RIDGE_R_STR(ridge_explained_part, formula, "formula", NULL, RIDGE_IN_JSON, "how the template calls it",
                RIDGE_WHERE(ridge_explained_part, has_formula)),
    RIDGE_R_IN(ridge_explained_part, place, &place_record, "template", RIDGE_IN_JSON, "where that stands",
               RIDGE_WHERE(ridge_explained_part, has_formula)),
    RIDGE_R_IN(ridge_explained_part, flops, &ridge_flop_record, "flops", RIDGE_IN_JSON, "FLOPs of one call"),
    RIDGE_R_IN(ridge_explained_part, bytes, &ridge_byte_record, "bytes", RIDGE_IN_JSON,
               "bytes of one call; of what a fused kernel replaces none"),
};
static const ridge_record part_record = RIDGE_RECORD(ridge_explained_part, "part", part_fields, "a part of the module");

#define OF ridge_explanation
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(OF, model, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(OF, architecture, "architecture", NULL, RIDGE_IN_JSON, "the class that runs"),
    RIDGE_R_STR(OF, path, "path", NULL, RIDGE_IN_JSON, "the module's path"),
    RIDGE_R_TEXT(OF, class_name, "class", NULL, RIDGE_IN_JSON, "its class"),
    RIDGE_R_IN(OF, place, &place_record, "template", RIDGE_IN_JSON, "where its template stands", RIDGE_WHERE(ridge_explanation, entry),
               .compact = true),
    RIDGE_R_TEXT(OF, source, "source", NULL, RIDGE_IN_JSON, "the file and line of its PyTorch source",
                 RIDGE_WHERE(ridge_explanation, entry)),
    RIDGE_R_STR(OF, thinking, "thinking", NULL, RIDGE_IN_JSON, "what it computes, in words", RIDGE_WHERE(ridge_explanation, entry)),
    RIDGE_R_WRITTEN("arguments", write_arguments, "the arguments it is called with", RIDGE_WHERE(ridge_explanation, entry)),
    RIDGE_R_LIST(OF, locals, local_count, &local_record, "local_names", RIDGE_IN_JSON, "names bound in the template",
                 RIDGE_WHERE(ridge_explanation, entry)),
    RIDGE_R_LIST(OF, amounts, amount_count, &amount_record, "formulas", RIDGE_IN_JSON, "formulas of the module itself",
                 RIDGE_WHERE(ridge_explanation, entry)),
    RIDGE_R_LIST(OF, parts, part_count, &part_record, "parts", RIDGE_IN_JSON, "what it is built from: modules, functions, fused kernels"),
    RIDGE_R_IN(OF, flops, &ridge_flop_record, "flops", RIDGE_IN_JSON, "FLOPs of one call", .compact = true),
    RIDGE_R_IN(OF, bytes, &ridge_byte_record, "bytes", RIDGE_IN_JSON, "bytes of one call", .compact = true),
};
const ridge_record ridge_explanation_record = RIDGE_RECORD(OF, "ridge cost --explain", fields, "where a module's numbers come from");

/* ---- text ---- */

static void add_binding(ridge_buf *out, const char *name, ridge_value v, const char *separator)
{
    if (v.type == RIDGE_V_UNSET)
        return;
    ridge_buf_addf(out, "%s%s = ", separator, name);
    ridge_value_print(out, v);
}

/* "catalog/torch/nn.json:12" */
static void add_place(ridge_buf *out, const char *before, const char *file, unsigned line)
{
    ridge_buf_addz(out, before);
    ridge_buf_add_shown(out, ridge_str_of(file), 0);
    ridge_buf_addf(out, ":%u", line);
}

static void add_names(ridge_buf *out, const ridge_explanation *x)
{
    ridge_buf_addz(out, x->argument_count > 0 ? "\narguments\n" : "");
    for (size_t i = 0; i < x->argument_count; i++) {
        add_binding(out, x->arguments[i].name, x->arguments[i].value, "  ");
        ridge_buf_addc(out, '\n');
    }
    ridge_buf_addz(out, x->local_count > 0 ? "\nlocal names\n" : "");
    for (size_t i = 0; i < x->local_count; i++) {
        ridge_buf_addf(out, "  %s = ", x->locals[i].name);
        ridge_buf_add_shown(out, x->locals[i].formula, 0);
        add_binding(out, "", x->locals[i].value, "");
        ridge_buf_addc(out, '\n');
    }
}

static void amounts_text(ridge_buf *out, const ridge_explanation *x)
{
    ridge_buf_addz(out, x->amount_count > 0 ? "\nits own formulas (reads and writes in elements)\n" : "");
    for (size_t i = 0; i < x->amount_count; i++) {
        const ridge_explained_amount *m = &x->amounts[i];
        ridge_buf_addf(out, "  %-6s %-14s ", strcmp(m->what, "flops") == 0 ? "FLOPs" : m->what, m->kind);
        ridge_buf_add_shown(out, m->formula, 0);
        ridge_buf_addz(out, " = ");
        ridge_value_print(out, m->value);
        add_place(out, "\n         at ", m->place.file, m->place.line);
        ridge_buf_addc(out, '\n');
    }
}

static void parts_text(ridge_buf *out, const ridge_explanation *x, ridge_arena *arena)
{
    ridge_buf_addz(out, x->part_count > 0 ? "\nparts\n" : "");
    for (size_t i = 0; i < x->part_count; i++) {
        const ridge_explained_part *p = &x->parts[i];
        ridge_buf_addf(out, "  %-26.*s %s FLOPs, %s bytes", RIDGE_STR_ARG(p->name), ridge_units_exact(arena, p->flops.total),
                       ridge_units_exact(arena, p->bytes.total));
        if (p->calls.type == RIDGE_V_INT && p->calls.u.i != 1) {
            ridge_buf_addz(out, ", calls ");
            ridge_value_print(out, p->calls);
        }
        if (p->has_formula) {
            ridge_buf_addz(out, "\n      ");
            ridge_buf_add_shown(out, p->formula, 0);
            add_place(out, "\n      at ", p->place.file, p->place.line);
        }
        ridge_buf_addc(out, '\n');
    }
}

static void result_text(ridge_buf *out, const ridge_explanation *x, ridge_arena *arena)
{
    ridge_buf_addf(out, "\nresult, one call: %s FLOPs", ridge_units_exact(arena, x->flops.total));
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        if (x->flops.by_class[i])
            ridge_buf_addf(out, ", %s %s", ridge_flop_names[i], ridge_units_exact(arena, x->flops.by_class[i]));
    ridge_buf_addf(out, "\n                  %s bytes read, %s written\n", ridge_units_exact(arena, x->bytes.reads_total),
                   ridge_units_exact(arena, x->bytes.writes_total));
    if (x->fused)
        ridge_buf_addz(out, "                  a fused kernel of the module above reads and writes for it\n");
}

static void origin_text(ridge_buf *out, const ridge_explanation *x, ridge_arena *arena, size_t width)
{
    enum { GAP = 10 };
    add_place(out, "template  ", x->place.file, x->place.line);
    ridge_buf_addc(out, '\n');
    if (x->source)
        ridge_buf_addf(out, "source    %s\n", ridge_shown(arena, x->source));
    const char *thinking = x->thinking.p ? ridge_arena_strdup(arena, x->thinking) : NULL;
    if (thinking) {
        ridge_buf_addf(out, "%-*s", GAP, "why");
        ridge_text_wrap(out, thinking, GAP, GAP, width);
    }
}

void ridge_explanation_text(ridge_buf *out, const ridge_explanation *x, ridge_arena *arena, size_t width)
{
    ridge_buf_addf(out, "%.*s\nclass     %s\n", RIDGE_STR_ARG(x->path.n ? x->path : RIDGE_STR("(model)")), x->class_name);
    if (!x->entry) {
        ridge_buf_addz(out, "a container: it costs nothing itself\n");
        parts_text(out, x, arena);
        return;
    }
    origin_text(out, x, arena, width);
    add_names(out, x);
    amounts_text(out, x);
    parts_text(out, x, arena);
    result_text(out, x, arena);
}
