/* The functions of one entry in C: defaults, what it is made of, what it costs, and the table that names them. */
#include "catalog/uses.h"
#include "formula/ast.h"
#include "generate/c_code.h"
#include "generate/code.h"
#include "generate/walk.h"

/* ---- statements ---- */

static void add(ridge_c_writer *w, const char *text)
{
    ridge_buf_addz(&w->line, text);
}

static void add_text(ridge_c_writer *w, ridge_str text)
{
    ridge_code_c_text(&w->line, text);
}

static void add_expr(ridge_c_writer *w, const ridge_expr *e)
{
    ridge_c_expr(&w->c, e);
}

static void end(ridge_c_writer *w, unsigned indent)
{
    ridge_code_end(&w->body, indent, &w->line);
}

/* the formula as it stands in the catalog */
static void note(ridge_c_writer *w, unsigned indent, const ridge_expr *e)
{
    enum { LONGEST = 400 };
    if (e->text.n > LONGEST || ridge_code_is_constant(e))
        return;
    ridge_buf_addf(&w->body, "%*s/* ", (int)indent, "");
    ridge_code_words(&w->body, RIDGE_PROSE_COMMENT, indent, " * ", indent + 3, e->text);
    ridge_buf_addz(&w->body, " */\n");
}

/* v->name = formula; */
static void assign(ridge_c_writer *w, unsigned indent, uint32_t slot, const ridge_expr *e)
{
    note(w, indent, e);
    ridge_buf_addf(&w->line, "v->%s = " RIDGE_CODE_DEEP, w->locals.of[slot]);
    add_expr(w, e);
    add(w, ";");
    end(w, indent);
}

static void begin_call(ridge_c_writer *w, const char *function)
{
    ridge_buf_addf(&w->line, "%s(" RIDGE_CODE_OPEN "r", function);
}

static void comma(ridge_c_writer *w)
{
    add(w, "," RIDGE_CODE_BREAK);
}

static void end_call(ridge_c_writer *w, unsigned indent)
{
    add(w, RIDGE_CODE_CLOSE ");");
    end(w, indent);
}

static ridge_str text_of(const ridge_symbol *s)
{
    return (ridge_str){s->text, s->len};
}

/* ---- functions ---- */

/* `line` ends in what stands after the name; the helpers that the body needed come first */
static void function(ridge_c_writer *w, ridge_buf *out, const char *type, const char *name, const char *takes)
{
    ridge_buf_add(out, (ridge_str){w->helpers.p ? w->helpers.p : "", w->helpers.n});
    ridge_buf_addf(out, "static %s%s_%s(gm_run *r, void *frame%s)\n{\n", type, name, w->g->c_name, takes);
    ridge_buf_addf(out, "    struct %s *v = frame;\n    (void)v;\n    (void)r;\n", w->g->c_name);
    ridge_buf_add(out, (ridge_str){w->body.p ? w->body.p : "", w->body.n});
    ridge_buf_addz(out, "}\n\n");
    out->failed |= w->helpers.failed || w->body.failed;
    ridge_buf_free(&w->helpers);
    ridge_buf_free(&w->body);
}

static bool defaults(ridge_c_writer *w)
{
    bool any = false;
    for (size_t i = 0; i < w->e->parameter_count; i++) {
        const ridge_expr *fallback = w->e->parameters[i].fallback;
        if (!fallback)
            continue;
        any = true;
        ridge_buf_addf(&w->line, "if (gm_is_unset(v->%s))", w->locals.of[i]);
        end(w, 4);
        ridge_buf_addf(&w->line, "v->%s = " RIDGE_CODE_DEEP, w->locals.of[i]);
        add_expr(w, fallback);
        add(w, ";");
        end(w, 8);
    }
    return any;
}

static void lets(ridge_c_writer *w)
{
    for (size_t i = 0; i < w->e->lets.n; i++)
        assign(w, 4, w->e->lets.p[i].slot, w->e->lets.p[i].expr);
}

/* ---- what a module is made of ---- */

static void conditions(ridge_c_writer *w)
{
    for (size_t i = 0; i < w->e->need_count; i++) {
        const ridge_need *need = &w->e->needs[i];
        begin_call(w, "gm_holds_when");
        ridge_buf_addf(&w->line, ", &%s", w->g->c_name);
        comma(w);
        ridge_c_truth(&w->c, need->that);
        comma(w);
        add_text(w, ridge_str_of(need->text));
        comma(w);
        add_text(w, ridge_str_of(need->why));
        end_call(w, 4);
    }
    if (!w->e->skip)
        return;
    note(w, 4, w->e->skip);
    add(w, "if (" RIDGE_CODE_OPEN);
    ridge_c_truth(&w->c, w->e->skip);
    add(w, RIDGE_CODE_CLOSE ") {");
    end(w, 4);
    ridge_buf_addz(&w->body, "        gm_skip(m);\n        return;\n    }\n");
}

static void weights(ridge_c_writer *w)
{
    for (size_t i = 0; i < w->e->weights.n; i++) {
        const ridge_amount *a = &w->e->weights.p[i];
        note(w, 4, a->expr);
        ridge_buf_addf(&w->line, "v->%s = ", w->locals.of[a->slot]);
        begin_call(w, "gm_weight");
        add(w, ", m, ");
        add_text(w, text_of(a->name));
        comma(w);
        add_expr(w, a->expr);
        end_call(w, 4);
    }
}

static void buffers(ridge_c_writer *w, const ridge_amounts *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const ridge_amount *a = &list->p[i];
        note(w, 4, a->expr);
        begin_call(w, "gm_buffer");
        comma(w);
        add_text(w, text_of(a->name));
        comma(w);
        add_expr(w, a->expr);
        comma(w);
        if (a->format)
            add_expr(w, a->format);
        else
            add(w, "GM_TEXT_OF(\"\")");
        end_call(w, 4);
    }
}

static const char *flop_class(const ridge_component *c)
{
    static const char *const names[] = {"GM_MATMUL", "GM_ATTENTION", "GM_ACTIVATION", "GM_EMBEDDING", "GM_OTHER"};
    return c->flop_class < 0 ? "GM_ITS_OWN" : names[c->flop_class];
}

static void component(ridge_c_writer *w, const ridge_component *c, unsigned indent);

static void calls(ridge_c_writer *w, const ridge_component *c)
{
    comma(w);
    if (c->calls)
        add_expr(w, c->calls);
    else
        add(w, "gm_number(1)");
}

/* its ties only where it is a module */
static void ties_of(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    for (size_t i = 0; i < c->tied.n; i++) {
        ridge_buf path = {0};
        ridge_buf_addf(&path, "%s.%s", c->name->text, c->tied.p[i].name->text);
        begin_call(w, "gm_tie");
        add(w, ", m, ");
        add_text(w, (ridge_str){path.p ? path.p : "", path.n});
        comma(w);
        add_expr(w, c->tied.p[i].expr);
        end_call(w, indent);
        w->body.failed |= path.failed;
        ridge_buf_free(&path);
    }
}

static void one_part(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    note(w, indent, c->use);
    add(w, c->tied.n > 0 ? "if (" RIDGE_CODE_DEEP : "(void)");
    begin_call(w, "gm_part");
    ridge_buf_addf(&w->line, ", %s, ", w->into);
    add_text(w, text_of(c->name));
    comma(w);
    add_expr(w, c->use);
    calls(w, c);
    comma(w);
    add(w, flop_class(c));
    if (c->tied.n == 0) {
        end_call(w, indent);
        return;
    }
    add(w, RIDGE_CODE_CLOSE ")" RIDGE_CODE_UP ") {");
    end(w, indent);
    ties_of(w, c, indent + 4);
    add(w, "}");
    end(w, indent);
}

static void group(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    const char *outer = w->into, *name = ridge_arena_printf(w->request->arena, "group_%u", ++w->groups);
    if (!name) {
        w->body.failed = true;
        return;
    }
    add(w, "{");
    end(w, indent);
    ridge_buf_addf(&w->line, "gm_module *%s = gm_group(" RIDGE_CODE_OPEN "r, %s, ", name, outer);
    add_text(w, text_of(c->name));
    end_call(w, indent + 4);
    ridge_buf_addf(&w->body, "%*s(void)%s;\n", (int)indent + 4, "", name);
    w->into = name;
    for (size_t i = 0; i < c->child_count; i++)
        component(w, &c->children[i], indent + 4);
    w->into = outer;
    add(w, "}");
    end(w, indent);
}

/* what is looped over, in a block of its own: `items`, `made`, `total_0`, .. */
static void loop_head(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    for (size_t i = 0; i < c->start.n; i++)
        assign(w, indent, c->start.p[i].slot, c->start.p[i].expr);
    note(w, indent, c->source);
    add(w, "const gm_value items = ");
    add_expr(w, c->source);
    add(w, ";");
    end(w, indent);
    for (size_t i = 0; i < c->spread.n; i++) {
        note(w, indent, c->spread.p[i].expr);
        ridge_buf_addf(&w->line, "const gm_value total_%zu = ", i);
        add_expr(w, c->spread.p[i].expr);
        add(w, ";");
        end(w, indent);
    }
    ridge_buf_addf(&w->body, "%*sconst size_t count = gm_count(r, items);\n%*sgm_made made = {0};\n", (int)indent, "", (int)indent, "");
    ridge_buf_addf(&w->body, "%*sfor (size_t at = 0; at < count && !gm_failed(r); at++) {\n", (int)indent, "");
    ridge_buf_addf(&w->body, "%*sv->%s = items.u.list->items[at];\n", (int)indent + 4, "", w->locals.of[c->for_slot]);
}

static void loop_body(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    for (size_t i = 0; i < c->spread.n; i++) {
        ridge_buf_addf(&w->line, "v->%s = gm_share(r, total_%zu, at, count);", w->locals.of[c->spread.p[i].slot], i);
        end(w, indent);
    }
    note(w, indent, c->use);
    add(w, "gm_push(" RIDGE_CODE_OPEN "r, &made");
    comma(w);
    add_expr(w, c->use);
    calls(w, c);
    end_call(w, indent);
    for (size_t i = 0; i < c->carry.n; i++) {
        note(w, indent, c->carry.p[i].expr);
        ridge_buf_addf(&w->line, "const gm_value next_%zu = ", i);
        add_expr(w, c->carry.p[i].expr);
        add(w, ";");
        end(w, indent);
    }
    for (size_t i = 0; i < c->carry.n; i++) {
        ridge_buf_addf(&w->line, "v->%s = next_%zu;", w->locals.of[c->carry.p[i].slot], i);
        end(w, indent);
    }
}

static void loop(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    add(w, "{");
    end(w, indent);
    loop_head(w, c, indent + 4);
    loop_body(w, c, indent + 8);
    ridge_buf_addf(&w->body, "%*s}\n", (int)indent + 4, "");
    ridge_buf_addf(&w->line, "gm_parts(" RIDGE_CODE_OPEN "r, %s, ", w->into);
    add_text(w, text_of(c->name));
    ridge_buf_addf(&w->line, ", &made, %s, ", c->container ? "true" : "false");
    if (c->prefix)
        add_text(w, ridge_str_of(c->prefix));
    else
        add(w, "NULL");
    ridge_buf_addf(&w->line, ", %s", flop_class(c));
    end_call(w, indent + 4);
    add(w, "}");
    end(w, indent);
}

static void component(ridge_c_writer *w, const ridge_component *c, unsigned indent)
{
    if (c->alias.n) /* another name of a part that stands elsewhere */
        return;
    const unsigned own = w->configs;
    if (c->config) {
        w->configs++;
        add(w, "{");
        end(w, indent);
        ridge_buf_addf(&w->line, "gm_object *outer_%u = gm_within(" RIDGE_CODE_OPEN "r, ", own);
        add_expr(w, c->config);
        end_call(w, indent + 4);
        indent += 4;
    }
    if (c->children)
        group(w, c, indent);
    else if (c->source)
        loop(w, c, indent);
    else
        one_part(w, c, indent);
    if (!c->config)
        return;
    ridge_buf_addf(&w->body, "%*sgm_back(r, outer_%u);\n%*s}\n", (int)indent, "", own, (int)indent - 4, "");
}

static void parts(ridge_c_writer *w)
{
    for (uint32_t i = 0; i < w->locals.slots; i++)
        if (ridge_generated_is_changed(w->e, i))
            ridge_buf_addf(&w->body, "    const gm_value before_%u = v->%s;\n", (unsigned)i, w->locals.of[i]);
    for (size_t i = 0; i < w->e->breakdown_count; i++)
        component(w, &w->e->breakdown[i], 4);
    for (uint32_t i = 0; i < w->locals.slots; i++)
        if (ridge_generated_is_changed(w->e, i))
            ridge_buf_addf(&w->body, "    v->%s = before_%u;\n", w->locals.of[i], (unsigned)i);
    for (size_t i = 0; i < w->e->tied.n; i++) {
        begin_call(w, "gm_tie");
        add(w, ", m, ");
        add_text(w, text_of(w->e->tied.p[i].name));
        comma(w);
        add_expr(w, w->e->tied.p[i].expr);
        end_call(w, 4);
    }
}

static bool describe(ridge_c_writer *w)
{
    lets(w);
    conditions(w);
    if (w->e->experts) {
        begin_call(w, "gm_experts");
        comma(w);
        add_expr(w, w->e->experts);
        end_call(w, 4);
    }
    weights(w);
    buffers(w, &w->e->buffers);
    buffers(w, &w->e->cache);
    parts(w);
    return w->body.n > 0;
}

/* ---- what it costs ---- */

static void terms(ridge_c_writer *w, const ridge_amounts *list, const char *call, bool flops)
{
    static const char *const classes[] = {"GM_MATMUL", "GM_ATTENTION", "GM_ACTIVATION", "GM_EMBEDDING", "GM_OTHER"};
    static const char *const kinds[] = {"GM_WEIGHTS", "GM_ACTIVATIONS", "GM_KV", "GM_BETWEEN", "GM_SCORES"};
    for (size_t i = 0; i < list->n; i++) {
        note(w, 4, list->p[i].expr);
        begin_call(w, call);
        ridge_buf_addf(&w->line, ", t, %s", flops ? classes[list->p[i].what] : kinds[list->p[i].what]);
        comma(w);
        add_expr(w, list->p[i].expr);
        end_call(w, 4);
    }
}

static void must_count(ridge_c_writer *w, const ridge_amounts *list)
{
    for (size_t i = 0; i < list->n; i++) {
        note(w, 4, list->p[i].expr);
        begin_call(w, "gm_must_count");
        comma(w);
        add_expr(w, list->p[i].expr);
        end_call(w, 4);
    }
}

static bool own_terms(ridge_c_writer *w)
{
    terms(w, &w->e->flops, "gm_add_flops", true);
    terms(w, &w->e->reads, "gm_add_reads", false);
    terms(w, &w->e->writes, "gm_add_writes", false);
    must_count(w, &w->e->holds);
    if (w->body.n > 0)
        ridge_buf_addz(&w->body, "    (void)t;\n");
    return w->body.n > 0;
}

static bool terms_afterwards(ridge_c_writer *w)
{
    must_count(w, &w->e->saved);
    if (w->body.n > 0)
        ridge_buf_addz(&w->body, "    (void)t;\n");
    return w->body.n > 0;
}

/* ---- formulas and choices ---- */

static void formula(ridge_c_writer *w)
{
    lets(w);
    note(w, 4, w->e->value);
    add(w, "return ");
    add_expr(w, w->e->value);
    add(w, ";");
    end(w, 4);
}

static void choice(ridge_c_writer *w)
{
    const char *on = w->locals.of[w->e->on];
    for (size_t i = 0; i < w->e->case_count; i++) {
        ridge_buf_addf(&w->line, "if (gm_equal(" RIDGE_CODE_OPEN "r, v->%s, gm_text_of(", on);
        add_text(w, w->e->cases[i].name);
        ridge_buf_addf(&w->line, ", %zu)" RIDGE_CODE_CLOSE "))", w->e->cases[i].name.n);
        end(w, 4);
        add(w, "return ");
        add_expr(w, w->e->cases[i].expr);
        add(w, ";");
        end(w, 8);
    }
    ridge_buf_addf(&w->line, "return gm_fail(" RIDGE_CODE_OPEN "r, \"%%s\"," RIDGE_CODE_BREAK);
    const char *message = ridge_arena_printf(w->request->arena, "%s: %s is none of those that are known", w->g->path,
                                             w->e->parameters[w->e->on].names[0]->text);
    add_text(w, ridge_str_of(message ? message : ""));
    end_call(w, 4);
}

/* ---- the tables ---- */

static bool may_be_text(const ridge_c_writer *w, size_t i)
{
    return ridge_parameter_uses(w->request->registry, w->e, RIDGE_CONTEXT_FLOPS, i) != RIDGE_USED_AS_NUMBER;
}

static void parameters(ridge_c_writer *w, ridge_buf *out)
{
    if (w->e->parameter_count == 0)
        return;
    ridge_buf_addf(out, "static const gm_parameter parameters_%s[] = {\n", w->g->c_name);
    for (size_t i = 0; i < w->e->parameter_count; i++) {
        const ridge_parameter *p = &w->e->parameters[i];
        ridge_buf aliases = {0};
        for (size_t k = 1; k < 4 && p->names[k]; k++)
            ridge_buf_addf(&aliases, "%s%s", k > 1 ? " " : "", p->names[k]->text);
        ridge_buf_addf(out, "    {\"%s\", ", p->names[0]->text);
        ridge_buf_addf(out, aliases.n > 0 ? "\"%s\"" : "%s", aliases.n > 0 ? aliases.p : "NULL");
        ridge_buf_addf(out, ", %s, %s},\n", p->fallback ? "false" : "true", may_be_text(w, i) ? "true" : "false");
        out->failed |= aliases.failed;
        ridge_buf_free(&aliases);
    }
    ridge_buf_addz(out, "};\n");
}

static void frame(const ridge_c_writer *w, ridge_buf *out)
{
    ridge_buf_addf(out, "struct %s {\n", w->g->c_name);
    for (uint32_t i = 0; i < w->locals.slots; i++)
        ridge_buf_addf(out, "    gm_value %s;\n", w->locals.of[i]);
    ridge_buf_addz(out, w->locals.slots == 0 ? "    char nothing;\n};\n" : "};\n");
}

static void comment(const ridge_c_writer *w, ridge_buf *out)
{
    ridge_str thinking = ridge_code_thinking(w->g);
    const char *source = ridge_code_source(w->g, w->request->arena);
    ridge_buf parameters = {0};
    ridge_parameters_print(&parameters, w->e->parameters, w->e->parameter_count);
    ridge_buf_addz(out, "/* ");
    ridge_code_words(out, RIDGE_PROSE_COMMENT, 0, " * ", 3, ridge_str_of(w->g->path));
    if (parameters.n > 0) {
        ridge_buf_addz(out, " (");
        ridge_code_words(out, RIDGE_PROSE_COMMENT, 0, " * ", (unsigned)strlen(w->g->path) + 5, (ridge_str){parameters.p, parameters.n});
        ridge_buf_addz(out, ")");
    }
    if (thinking.n > 0) {
        ridge_buf_addz(out, "\n * ");
        ridge_code_words(out, RIDGE_PROSE_COMMENT, 0, " * ", 3, thinking);
    }
    if (source) {
        ridge_buf_addz(out, "\n * ");
        ridge_code_words(out, RIDGE_PROSE_COMMENT, 0, " * ", 3, ridge_str_of(source));
    }
    ridge_buf_addz(out, " */\n");
    ridge_buf_free(&parameters);
}

static void table(const ridge_c_writer *w, ridge_buf *out, const char *const *functions)
{
    const char *name = w->g->c_name;
    const ridge_kind kind = w->e->kind;
    ridge_buf_addf(out, "const gm_entry %s = {\n    .path = ", name);
    ridge_code_c_text(out, ridge_str_of(w->g->path));
    ridge_buf_addf(out, ",\n    .kind = %s,\n",
                   kind == RIDGE_KIND_MODULE     ? "GM_KIND_MODULE"
                   : kind == RIDGE_KIND_FUNCTION ? "GM_KIND_FUNCTION"
                                                 : "GM_KIND_FORMULA");
    if (w->e->parameter_count > 0)
        ridge_buf_addf(out, "    .parameters = parameters_%s,\n    .parameter_count = %zu,\n", name, w->e->parameter_count);
    ridge_buf_addf(out, "    .frame = sizeof(struct %s),\n", name);
    if (w->g->family)
        ridge_buf_addf(out, "    .family = &%s,\n", w->g->family->c_name);
    for (; *functions; functions++)
        ridge_buf_addf(out, "    .%s = %s_%s,\n", *functions, *functions, name);
    ridge_buf_addz(out, "};\n\n");
}

static void module_functions(ridge_c_writer *w, ridge_buf *out, const char **functions, size_t n)
{
    if (describe(w)) {
        ridge_buf_addz(&w->body, "    (void)m;\n");
        function(w, out, "void ", functions[n++] = "describe", ", gm_module *m");
    }
    if (own_terms(w))
        function(w, out, "void ", functions[n++] = "own", ", gm_terms *t");
    if (terms_afterwards(w))
        function(w, out, "void ", functions[n++] = "afterwards", ", gm_terms *t");
}

static void entry_text(ridge_c_writer *w, ridge_buf *out)
{
    const char *functions[6] = {0};
    size_t n = 0;
    comment(w, out);
    if (w->e->config) {
        ridge_c_config(w, out);
        return;
    }
    frame(w, out);
    parameters(w, out);
    ridge_buf_addc(out, '\n');
    if (defaults(w))
        function(w, out, "void ", functions[n++] = "defaults", "");
    if (w->e->kind == RIDGE_KIND_MODULE || w->e->kind == RIDGE_KIND_FUNCTION) {
        module_functions(w, out, functions, n);
    } else {
        if (w->e->kind == RIDGE_KIND_CHOICE)
            choice(w);
        else
            formula(w);
        function(w, out, "gm_value ", functions[n++] = "value", "");
    }
    table(w, out, functions);
}

ridge_status ridge_c_entry(ridge_buf *out, ridge_code_uses *uses, const ridge_code_request *request, const ridge_generated *g)
{
    ridge_c_writer w = {.request = request, .g = g, .e = g->entry, .into = "m"};
    unsigned helpers = 0;
    ridge_status st = ridge_locals_make(&w.locals, g->entry, ridge_code_is_c_word, true, request->arena, request->err);
    w.c = (ridge_coder){.out = &w.line,
                        .list = request->list,
                        .locals = &w.locals,
                        .uses = uses,
                        .helpers = &w.helpers,
                        .owner = g->c_name,
                        .helper_count = &helpers,
                        .arena = request->arena};
    if (!st)
        entry_text(&w, out);
    if (!st && (w.line.failed || out->failed))
        st = ridge_no_memory(request->err);
    ridge_buf_free(&w.line);
    ridge_buf_free(&w.body);
    ridge_buf_free(&w.helpers);
    return st;
}
