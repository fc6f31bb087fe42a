/* The class of one entry in Python: what it takes, what it is made of, what it costs. */
#include "catalog/uses.h"
#include "formula/ast.h"
#include "generate/code.h"
#include "generate/walk.h"
#include "generate/write.h"

typedef struct writer {
    ridge_coder c;  /* its `out` is the statement that is being written */
    ridge_buf body; /* finished lines */
    ridge_buf line; /* the statement */
    const ridge_code_request *request;
    const ridge_generated *g;
    const ridge_entry *e;
    ridge_locals locals;
    ridge_code_uses uses;
    unsigned nested; /* configs within configs */
} writer;

/* ---- statements ---- */

static void add(writer *w, const char *text)
{
    ridge_buf_addz(&w->line, text);
}

static void add_text(writer *w, ridge_str text)
{
    ridge_code_python_text(&w->line, text);
}

static void add_expr(writer *w, const ridge_expr *e)
{
    ridge_python_expr(&w->c, e, RIDGE_BINDS_ARGUMENT);
}

static void end(writer *w, unsigned indent)
{
    ridge_code_end(&w->body, indent, &w->line);
}

/* "return " or "name = ", a formula, and what follows it: in brackets where it takes more than a line */
static void line_of(writer *w, unsigned indent, const char *head, const ridge_expr *e, const char *tail)
{
    ridge_buf value = {0};
    w->c.out = &value;
    ridge_python_expr(&w->c, e, RIDGE_BINDS_ARGUMENT);
    w->c.out = &w->line;
    ridge_code_line(&w->body, indent, head, &value, tail);
}

static void assign(writer *w, unsigned indent, const char *name, const ridge_expr *e)
{
    const char *head = ridge_arena_printf(w->request->arena, "%s = ", name);
    line_of(w, indent, head ? head : "", e, "");
}

/* "(": a call with a text and a formula: self.part("q_proj", formula */
static void begin_call(writer *w, const char *function, ridge_str name)
{
    ridge_buf_addf(&w->line, "%s(" RIDGE_CODE_OPEN, function);
    add_text(w, name);
}

static void add_argument(writer *w, const char *name, const ridge_expr *e)
{
    ridge_buf_addf(&w->line, "," RIDGE_CODE_BREAK "%s", name);
    add_expr(w, e);
}

static void end_call(writer *w, unsigned indent)
{
    add(w, RIDGE_CODE_CLOSE ")");
    end(w, indent);
}

static ridge_str text_of(const ridge_symbol *s)
{
    return (ridge_str){s->text, s->len};
}

/* ---- the start of a method ---- */

static void signature(writer *w, const char *method)
{
    bool defaults = false;
    ridge_buf_addf(&w->line, "def %s(" RIDGE_CODE_OPEN "self", method);
    for (size_t i = 0; i < w->e->parameter_count; i++) {
        const ridge_expr *fallback = w->e->parameters[i].fallback;
        ridge_buf_addf(&w->line, "," RIDGE_CODE_BREAK "%s", w->locals.of[i]);
        if (fallback && ridge_code_is_constant(fallback)) {
            add(w, "=");
            add_expr(w, fallback);
        } else if (fallback || defaults) {
            w->uses.unset = true;
            add(w, "=UNSET");
        }
        defaults = defaults || fallback;
    }
    add(w, RIDGE_CODE_CLOSE "):");
    end(w, 4);
}

static void defaults(writer *w)
{
    for (size_t i = 0; i < w->e->parameter_count; i++) {
        const ridge_expr *fallback = w->e->parameters[i].fallback;
        if (!fallback || ridge_code_is_constant(fallback))
            continue;
        ridge_buf_addf(&w->line, "if %s is UNSET:", w->locals.of[i]);
        end(w, 8);
        assign(w, 12, w->locals.of[i], fallback);
    }
}

static void lets(writer *w)
{
    for (size_t i = 0; i < w->e->lets.n; i++)
        assign(w, 8, w->locals.of[w->e->lets.p[i].slot], w->e->lets.p[i].expr);
}

/* ---- what a module is made of ---- */

static void conditions(writer *w)
{
    for (size_t i = 0; i < w->e->need_count; i++) {
        const ridge_need *need = &w->e->needs[i];
        add(w, "self.holds_when(" RIDGE_CODE_OPEN);
        add_expr(w, need->that);
        add(w, "," RIDGE_CODE_BREAK);
        add_text(w, ridge_str_of(need->text));
        add(w, "," RIDGE_CODE_BREAK);
        add_text(w, ridge_str_of(need->why));
        end_call(w, 8);
    }
    if (!w->e->skip)
        return;
    line_of(w, 8, "if ", w->e->skip, ":");
    add(w, "return self.skip()");
    end(w, 12);
}

static void tensors(writer *w, const ridge_amounts *list, const char *method)
{
    for (size_t i = 0; i < list->n; i++) {
        const ridge_amount *a = &list->p[i];
        if (a->slot != UINT32_MAX && w->locals.used[a->slot])
            ridge_buf_addf(&w->line, "%s = ", w->locals.of[a->slot]);
        begin_call(w, method, text_of(a->name));
        add_argument(w, "", a->expr);
        if (a->format)
            add_argument(w, "", a->format);
        end_call(w, 8);
    }
}

static void add_class(writer *w, const ridge_component *c)
{
    if (c->flop_class >= 0)
        ridge_buf_addf(&w->line, "," RIDGE_CODE_BREAK "flop_class=\"%s\"", ridge_flop_names[c->flop_class]);
}

static void component(writer *w, const ridge_component *c, unsigned indent);

static void one_part(writer *w, const ridge_component *c, unsigned indent)
{
    begin_call(w, "self.part", text_of(c->name));
    add_argument(w, "", c->use);
    if (c->calls)
        add_argument(w, "calls=", c->calls);
    add_class(w, c);
    for (size_t i = 0; i < c->tied.n; i++) {
        add(w, i == 0 ? "," RIDGE_CODE_BREAK "tied=(" RIDGE_CODE_OPEN "(" RIDGE_CODE_OPEN : "," RIDGE_CODE_BREAK "(" RIDGE_CODE_OPEN);
        add_text(w, text_of(c->tied.p[i].name));
        add_argument(w, "", c->tied.p[i].expr);
        add(w, RIDGE_CODE_CLOSE ")");
    }
    if (c->tied.n > 0)
        add(w, "," RIDGE_CODE_CLOSE ")");
    end_call(w, indent);
}

static void group(writer *w, const ridge_component *c, unsigned indent)
{
    begin_call(w, "with self.group", text_of(c->name));
    add(w, RIDGE_CODE_CLOSE "):");
    end(w, indent);
    bool any = false;
    for (size_t i = 0; i < c->child_count; i++) {
        component(w, &c->children[i], indent + 4);
        any = any || !c->children[i].alias.n;
    }
    if (!any) {
        add(w, "pass");
        end(w, indent + 4);
    }
}

/* `name`, or with "_" behind it as often as it takes to be no name of the entry */
static const char *free_name(const writer *w, const char *name)
{
    for (uint32_t i = 0; name && i < w->locals.slots; i++)
        if (w->locals.of[i] && strcmp(w->locals.of[i], name) == 0) {
            name = ridge_arena_printf(w->request->arena, "%s_", name);
            i = UINT32_MAX; /* from the start again */
        }
    return name ? name : "";
}

/* of the spread's k-th total */
static const char *total_name(const writer *w, const ridge_component *c, size_t k)
{
    return free_name(w, ridge_arena_printf(w->request->arena, "total_%s", w->locals.of[c->spread.p[k].slot]));
}

static void loop_head(writer *w, const ridge_component *c, unsigned indent)
{
    for (size_t i = 0; i < c->start.n; i++)
        assign(w, indent, w->locals.of[c->start.p[i].slot], c->start.p[i].expr);
    if (c->spread.n > 0) {
        add(w, "items = self.looped(" RIDGE_CODE_OPEN);
        add_expr(w, c->source);
        end_call(w, indent);
    }
    for (size_t i = 0; i < c->spread.n; i++)
        assign(w, indent, total_name(w, c, i), c->spread.p[i].expr);
    add(w, "parts = []");
    end(w, indent);
    const bool is_range = c->source->root->kind == RIDGE_AST_BUILTIN && c->source->root->u.list.which == RIDGE_BUILTIN_range;
    if (c->spread.n > 0) {
        ridge_buf_addf(&w->line, "for at, %s in enumerate(items):", w->locals.of[c->for_slot]);
    } else {
        ridge_buf_addf(&w->line, "for %s in %s", w->locals.of[c->for_slot], is_range ? "" : "self.looped(" RIDGE_CODE_OPEN);
        add_expr(w, c->source);
        add(w, is_range ? ":" : RIDGE_CODE_CLOSE "):");
    }
    end(w, indent);
}

static void loop_body(writer *w, const ridge_component *c, unsigned indent)
{
    for (size_t i = 0; i < c->spread.n; i++) {
        ridge_buf_addf(&w->line, "%s = self.share(%s, at, items)", w->locals.of[c->spread.p[i].slot], total_name(w, c, i));
        end(w, indent);
    }
    add(w, "parts.append((" RIDGE_CODE_OPEN);
    add_expr(w, c->use);
    add(w, "," RIDGE_CODE_BREAK);
    if (c->calls)
        add_expr(w, c->calls);
    else
        add(w, "1");
    add(w, RIDGE_CODE_CLOSE "))");
    end(w, indent);
    if (c->carry.n == 1)
        assign(w, indent, w->locals.of[c->carry.p[0].slot], c->carry.p[0].expr);
    for (size_t i = 0; i < c->carry.n && c->carry.n > 1; i++)
        ridge_buf_addf(&w->line, "%s%s", i > 0 ? ", " : "", w->locals.of[c->carry.p[i].slot]);
    for (size_t i = 0; i < c->carry.n && c->carry.n > 1; i++) {
        add(w, i > 0 ? "," RIDGE_CODE_BREAK : " = (" RIDGE_CODE_OPEN);
        add_expr(w, c->carry.p[i].expr);
    }
    if (c->carry.n > 1) {
        add(w, RIDGE_CODE_CLOSE ")");
        end(w, indent);
    }
}

static void loop(writer *w, const ridge_component *c, unsigned indent)
{
    loop_head(w, c, indent);
    loop_body(w, c, indent + 4);
    begin_call(w, "self.parts", text_of(c->name));
    add(w, "," RIDGE_CODE_BREAK "parts");
    if (c->container)
        add(w, "," RIDGE_CODE_BREAK "container=True");
    if (c->prefix) {
        add(w, "," RIDGE_CODE_BREAK "prefix=");
        add_text(w, ridge_str_of(c->prefix));
    }
    add_class(w, c);
    end_call(w, indent);
}

static void component(writer *w, const ridge_component *c, unsigned indent)
{
    if (c->alias.n) /* another name of a part that stands elsewhere */
        return;
    const char *outer = w->c.config;
    if (c->config) {
        const char *name = ++w->nested == 1 ? "nested" : free_name(w, ridge_arena_printf(w->request->arena, "nested_%u", w->nested));
        add(w, "with self.within(" RIDGE_CODE_OPEN);
        add_expr(w, c->config);
        ridge_buf_addf(&w->line, RIDGE_CODE_CLOSE ") as %s:", name);
        end(w, indent);
        w->c.config = name;
        indent += 4;
    }
    if (c->children)
        group(w, c, indent);
    else if (c->source)
        loop(w, c, indent);
    else
        one_part(w, c, indent);
    if (c->config)
        w->nested--;
    w->c.config = outer;
}

static void made_of(writer *w)
{
    if (w->e->experts) {
        add(w, "self.experts(" RIDGE_CODE_OPEN);
        add_expr(w, w->e->experts);
        end_call(w, 8);
    }
    tensors(w, &w->e->weights, "self.weight");
    tensors(w, &w->e->buffers, "self.buffer");
    tensors(w, &w->e->cache, "self.cache");
}

static void parts(writer *w)
{
    for (size_t i = 0; i < w->e->breakdown_count; i++)
        component(w, &w->e->breakdown[i], 8);
    for (size_t i = 0; i < w->e->tied.n; i++) {
        begin_call(w, "self.tie", text_of(w->e->tied.p[i].name));
        add_argument(w, "", w->e->tied.p[i].expr);
        end_call(w, 8);
    }
}

/* ---- what it costs ---- */

static void terms(writer *w, const ridge_amounts *list, const char *method, const char *const *kinds)
{
    for (size_t i = 0; i < list->n; i++) {
        begin_call(w, method, ridge_str_of(kinds[list->p[i].what]));
        add_argument(w, "", list->p[i].expr);
        end_call(w, 12);
    }
}

static void begin_terms(writer *w, const char *name)
{
    ridge_buf_addf(&w->line, "def %s(add", name);
    for (uint32_t i = 0; i < w->locals.slots; i++)
        if (ridge_generated_is_changed(w->e, i))
            ridge_buf_addf(&w->line, ", %s=%s", w->locals.of[i], w->locals.of[i]);
    add(w, "):");
    end(w, 8);
}

/* before the parts: a loop over these may change names */
static bool costs(writer *w)
{
    const ridge_entry *e = w->e;
    const bool own = e->flops.n || e->reads.n || e->writes.n || e->holds.n;
    if (own) {
        begin_terms(w, "own");
        terms(w, &e->flops, "add.flops", ridge_flop_names);
        terms(w, &e->reads, "add.reads", ridge_byte_names);
        terms(w, &e->writes, "add.writes", ridge_byte_names);
        terms(w, &e->holds, "add.holds", ridge_byte_names);
        ridge_buf_addc(&w->body, '\n');
    }
    if (e->saved.n > 0) {
        begin_terms(w, "afterwards");
        terms(w, &e->saved, "add.saves", ridge_byte_names);
        ridge_buf_addc(&w->body, '\n');
    }
    if (own || e->saved.n > 0) {
        ridge_buf_addf(&w->line, "self.costs(%s%s)", own ? "own" : "None", e->saved.n > 0 ? ", afterwards" : "");
        end(w, 8);
    }
    return own || e->saved.n > 0;
}

/* ---- methods ---- */

static void describe(writer *w)
{
    defaults(w);
    lets(w);
    conditions(w);
    made_of(w);
    if (w->body.n > 0 && (w->e->flops.n || w->e->reads.n || w->e->writes.n || w->e->holds.n || w->e->saved.n))
        ridge_buf_addc(&w->body, '\n');
    if (costs(w) && (w->e->breakdown_count > 0 || w->e->tied.n > 0))
        ridge_buf_addc(&w->body, '\n');
    parts(w);
}

static void formula(writer *w)
{
    defaults(w);
    lets(w);
    line_of(w, 8, "return ", w->e->value, "");
}

static void choice(writer *w)
{
    defaults(w);
    const char *on = w->locals.of[w->e->on];
    for (size_t i = 0; i < w->e->case_count; i++) {
        ridge_buf_addf(&w->line, "if %s == ", on);
        add_text(w, w->e->cases[i].name);
        add(w, ":");
        end(w, 8);
        line_of(w, 12, "return ", w->e->cases[i].expr, "");
    }
    begin_call(w, "raise self.none_of", text_of(w->e->parameters[w->e->on].names[0]));
    ridge_buf_addf(&w->line, "," RIDGE_CODE_BREAK "%s," RIDGE_CODE_BREAK "(" RIDGE_CODE_OPEN, on);
    for (size_t i = 0; i < w->e->case_count; i++) {
        add(w, i > 0 ? RIDGE_CODE_BREAK : "");
        add_text(w, w->e->cases[i].name);
        add(w, ",");
    }
    add(w, RIDGE_CODE_CLOSE ")");
    end_call(w, 8);
}

/* signature, names that stand for what all ask, the lines */
static void method(writer *w, ridge_buf *out)
{
    const bool module = w->e->kind == RIDGE_KIND_MODULE || w->e->kind == RIDGE_KIND_FUNCTION;
    if (module)
        describe(w);
    else if (w->e->kind == RIDGE_KIND_CHOICE)
        choice(w);
    else
        formula(w);
    ridge_buf lines = w->body;
    w->body = (ridge_buf){0};
    signature(w, module ? "describe" : "value");
    if (w->uses.workload)
        ridge_buf_addz(&w->body, "        workload = self.workload\n");
    if (w->uses.config)
        ridge_buf_addz(&w->body, "        config = self.config\n");
    ridge_buf_add(out, (ridge_str){w->body.p ? w->body.p : "", w->body.n});
    ridge_buf_add(out, (ridge_str){lines.p ? lines.p : "", lines.n});
    if (lines.n == 0 && !w->uses.workload && !w->uses.config)
        ridge_buf_addz(out, "        pass\n");
    out->failed |= w->body.failed || lines.failed;
    ridge_buf_free(&lines);
    ridge_buf_free(&w->body);
}

/* ---- the class ---- */

/* name = ("a", "b") */
static void names_line(writer *w, ridge_buf *out, const char *name, const ridge_words *words)
{
    if (words->count == 0)
        return;
    ridge_buf_addf(&w->line, "%s = (" RIDGE_CODE_OPEN, name);
    for (size_t i = 0; i < words->count; i++) {
        add(w, i > 0 ? "," RIDGE_CODE_BREAK : "");
        add_text(w, ridge_str_of(words->items[i]));
    }
    add(w, words->count == 1 ? "," RIDGE_CODE_CLOSE ")" : RIDGE_CODE_CLOSE ")");
    ridge_code_end(out, 4, &w->line);
}

static void aliases(writer *w, ridge_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < w->e->parameter_count; i++)
        for (size_t k = 1; k < 4 && w->e->parameters[i].names[k]; k++) {
            add(w, any ? "," RIDGE_CODE_BREAK : "aliases = {" RIDGE_CODE_OPEN);
            add_text(w, text_of(w->e->parameters[i].names[k]));
            add(w, ": ");
            add_text(w, text_of(w->e->parameters[i].names[0]));
            any = true;
        }
    if (!any)
        return;
    add(w, RIDGE_CODE_CLOSE "}");
    ridge_code_end(out, 4, &w->line);
}

static ridge_status members(writer *w, ridge_buf *out)
{
    ridge_words takes = {0}, may_be_words = {0}, needs = {0};
    ridge_arena *arena = w->request->arena;
    ridge_status st = RIDGE_OK;
    add(w, "path = ");
    add_text(w, ridge_str_of(w->g->path));
    ridge_code_end(out, 4, &w->line);
    for (size_t i = 0; i < w->e->parameter_count && !st; i++) {
        const char *name = w->e->parameters[i].names[0]->text;
        st = ridge_words_add(&takes, name, arena, w->request->err);
        if (!st && ridge_parameter_uses(w->request->registry, w->e, RIDGE_CONTEXT_FLOPS, i) != RIDGE_USED_AS_NUMBER)
            st = ridge_words_add(&may_be_words, name, arena, w->request->err);
    }
    for (size_t i = 0; i < w->uses.module_count && !st; i++)
        st = ridge_words_add(&needs, w->uses.modules[i]->path, arena, w->request->err);
    names_line(w, out, "takes", &takes);
    aliases(w, out);
    names_line(w, out, "words", &may_be_words);
    if (w->g->family) {
        add(w, "family = ");
        add_text(w, ridge_str_of(w->g->family->path));
        ridge_code_end(out, 4, &w->line);
    }
    names_line(w, out, "needs", &needs);
    if (w->e->kind == RIDGE_KIND_FUNCTION)
        ridge_buf_addz(out, "    is_function = True\n");
    return st;
}

static void imports(const writer *w, ridge_buf *out)
{
    const ridge_code_uses *u = &w->uses;
    const bool config = w->e->kind == RIDGE_KIND_CONFIG;
    const bool formula = w->e->kind == RIDGE_KIND_FORMULA || w->e->kind == RIDGE_KIND_CHOICE;
    ridge_buf line = {0};
    ridge_buf_addf(out, "from ..base import %s%s%s%s\n",
                   config    ? "BaseConfig, Field"
                   : formula ? "BaseFormula"
                             : "BaseModule",
                   u->unset ? ", UNSET" : "", u->fraction ? ", Fraction" : "", config && u->workload ? ", active" : "");
    for (size_t i = 0; i < u->function_count; i++)
        ridge_buf_addf(&line, "%s%s", i > 0 ? "," RIDGE_CODE_BREAK : "", u->functions[i]);
    if (u->function_count > 0)
        ridge_code_line(out, 0, "from ..functions import ", &line, "");
    if (u->module_count > 0 || u->missing_count > 0)
        ridge_buf_addz(out, "from ..registry import uses\n\n");
    for (size_t i = 0; i < u->module_count; i++) {
        ridge_buf_addf(&line, "%s = uses(" RIDGE_CODE_OPEN, u->modules[i]->class_name);
        ridge_code_python_text(&line, ridge_str_of(u->modules[i]->path));
        ridge_buf_addz(&line, RIDGE_CODE_CLOSE ")");
        ridge_code_end(out, 0, &line);
    }
}

static void docstring(const writer *w, ridge_buf *out)
{
    ridge_str thinking = ridge_code_thinking(w->g);
    const char *source = ridge_code_source(w->g, w->request->arena);
    ridge_buf_addz(out, "    \"\"\"");
    ridge_code_words(out, RIDGE_PROSE_DOCSTRING, 4, "", 7, ridge_str_of(w->g->path));
    ridge_buf_addz(out, ".");
    if (thinking.n > 0) {
        ridge_buf_addz(out, "\n\n    ");
        ridge_code_words(out, RIDGE_PROSE_DOCSTRING, 4, "", 4, thinking);
    }
    if (source && *source) {
        ridge_buf_addz(out, "\n\n    ");
        ridge_code_words(out, RIDGE_PROSE_DOCSTRING, 4, "", 4, ridge_str_of(source));
    }
    ridge_buf_addz(out, "\n    \"\"\"\n\n");
}

static ridge_status class_text(writer *w, ridge_buf *out)
{
    const char *base = w->e->kind == RIDGE_KIND_CONFIG                                       ? "BaseConfig"
                       : w->e->kind == RIDGE_KIND_FORMULA || w->e->kind == RIDGE_KIND_CHOICE ? "BaseFormula"
                                                                                             : "BaseModule";
    ridge_buf code = {0}, head = {0};
    ridge_status st = RIDGE_OK;
    if (w->e->kind == RIDGE_KIND_CONFIG) {
        w->c.out = &w->line;
        w->c.config = "config";
        ridge_python_config(&w->c, w->request, w->g);
        code = w->line;
        w->line = (ridge_buf){0};
    } else {
        method(w, &code);
        st = members(w, &head);
    }
    imports(w, out);
    ridge_buf_addf(out, "\n\nclass %s(%s):\n", w->g->class_name, base);
    docstring(w, out);
    ridge_buf_add(out, (ridge_str){head.p ? head.p : "", head.n});
    ridge_buf_addz(out, head.n > 0 ? "\n" : "");
    ridge_buf_add(out, (ridge_str){code.p ? code.p : "", code.n});
    out->failed |= head.failed || code.failed;
    ridge_buf_free(&head);
    ridge_buf_free(&code);
    return st;
}

ridge_status ridge_python_entry(ridge_buf *out, const ridge_code_request *request, const ridge_generated *g)
{
    writer w = {.request = request, .g = g, .e = g->entry};
    ridge_status st = ridge_locals_make(&w.locals, g->entry, ridge_code_is_python_word, false, request->arena, request->err);
    w.c = (ridge_coder){
        .out = &w.line, .list = request->list, .locals = &w.locals, .config = "config", .uses = &w.uses, .arena = request->arena};
    if (!st)
        st = class_text(&w, out);
    if (!st && (w.line.failed || out->failed))
        st = ridge_no_memory(request->err);
    ridge_buf_free(&w.line);
    ridge_buf_free(&w.body);
    return st;
}
