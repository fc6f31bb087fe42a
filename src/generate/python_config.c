/* The class of a config in Python: its fields with defaults, what is derived of them, what must hold. */
#include "generate/code.h"
#include "generate/write.h"

typedef struct writer {
    ridge_coder *c;
    ridge_buf *out; /* finished lines */
    ridge_buf line;
} writer;

static void literal(writer *w, const ridge_json *v)
{
    ridge_rational r;
    bool whole = true;
    switch (v->type) {
    case RIDGE_JSON_NULL:
        ridge_buf_addz(&w->line, "None");
        break;
    case RIDGE_JSON_TRUE:
    case RIDGE_JSON_FALSE:
        ridge_buf_addz(&w->line, v->type == RIDGE_JSON_TRUE ? "True" : "False");
        break;
    case RIDGE_JSON_NUMBER:
        for (size_t i = 0; i < v->u.text.n; i++)
            whole = whole && (ridge_is_digit(v->u.text.p[i]) || (i == 0 && v->u.text.p[i] == '-'));
        if (!ridge_rational_parse(&r, v->u.text)) {
            w->c->uses->unset = true;
            ridge_buf_addz(&w->line, "UNSET");
        } else if (whole) {
            ridge_buf_add_int(&w->line, r.num);
        } else { /* a decimal is a number, even where it is whole */
            w->c->uses->fraction = true;
            ridge_buf_addf(&w->line, "Fraction(\"%.*s\")", RIDGE_STR_ARG(v->u.text));
        }
        break;
    case RIDGE_JSON_STRING:
        ridge_code_python_text(&w->line, v->u.text);
        break;
    case RIDGE_JSON_ARRAY:
        ridge_buf_addz(&w->line, "[" RIDGE_CODE_OPEN);
        for (uint32_t i = 0; i < v->count; i++) {
            ridge_buf_addz(&w->line, i > 0 ? "," RIDGE_CODE_BREAK : "");
            literal(w, &v->u.items[i]);
        }
        ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE "]");
        break;
    case RIDGE_JSON_OBJECT:
        ridge_buf_addz(&w->line, "{" RIDGE_CODE_OPEN);
        for (uint32_t i = 0; i < v->count; i++) {
            ridge_buf_addz(&w->line, i > 0 ? "," RIDGE_CODE_BREAK : "");
            ridge_code_python_text(&w->line, v->u.members[i].key);
            ridge_buf_addz(&w->line, ": ");
            literal(w, &v->u.members[i].value);
        }
        ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE "}");
        break;
    }
}

/* "hidden_size": Field(4096, most=65536), */
static void field(writer *w, const ridge_code_request *request, const ridge_config_default *d)
{
    const ridge_generated *sub = d->sub_key ? ridge_generated_find(request->list, d->sub_key) : NULL;
    ridge_code_python_text(&w->line, (ridge_str){d->name->text, d->name->len});
    ridge_buf_addz(&w->line, ": Field(" RIDGE_CODE_OPEN);
    if (d->value)
        literal(w, d->value);
    else
        ridge_buf_addz(&w->line, "None");
    if (d->type) {
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK "types=");
        ridge_code_python_text(&w->line, d->type->u.text);
    }
    if (d->most != INT64_MAX)
        ridge_buf_addf(&w->line, "," RIDGE_CODE_BREAK "most=%lld", (long long)d->most);
    if (d->zero_ok)
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK "zero_ok=True");
    if (d->sub_key) {
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK "config=");
        ridge_code_python_text(&w->line, sub ? ridge_str_of(sub->path) : (ridge_str){d->sub_key->text, d->sub_key->len});
    }
    if (d->sub_or.n) {
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK "otherwise=");
        ridge_code_python_text(&w->line, d->sub_or);
    }
    ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE "),");
    ridge_code_end(w->out, 8, &w->line);
}

static void text_member(writer *w, const char *name, ridge_str text)
{
    if (text.n == 0)
        return;
    ridge_buf_addf(&w->line, "%s = ", name);
    ridge_code_python_text(&w->line, text);
    ridge_code_end(w->out, 4, &w->line);
}

/* head class -> path */
static void classes(writer *w, const ridge_code_request *request, const ridge_config_spec *s)
{
    text_member(w, "refused", s->refused);
    text_member(w, "default_class", s->default_class);
    ridge_buf_addz(w->out, s->class_count > 0 ? "    classes = {\n" : "");
    for (size_t i = 0; i < s->class_count; i++) {
        const ridge_generated *g = ridge_generated_find(request->list, s->classes[i].entry);
        ridge_code_python_text(&w->line, s->classes[i].name);
        ridge_buf_addz(&w->line, ": ");
        ridge_code_python_text(&w->line, g ? ridge_str_of(g->path) : (ridge_str){s->classes[i].entry->text, s->classes[i].entry->len});
        ridge_buf_addz(&w->line, ",");
        ridge_code_end(w->out, 8, &w->line);
    }
    ridge_buf_addz(w->out, s->class_count > 0 ? "    }\n" : "");
}

static void head(writer *w, const ridge_code_request *request, const ridge_generated *g)
{
    const ridge_config_spec *s = g->entry->config;
    ridge_buf_addz(&w->line, "path = ");
    ridge_code_python_text(&w->line, ridge_str_of(g->path));
    ridge_code_end(w->out, 4, &w->line);
    ridge_buf_addz(&w->line, "model_type = ");
    ridge_code_python_text(&w->line, s->model_type);
    ridge_code_end(w->out, 4, &w->line);
    classes(w, request, s);
    ridge_buf_addz(w->out, s->default_count > 0 ? "    fields = {\n" : "");
    for (size_t i = 0; i < s->default_count; i++)
        field(w, request, &s->defaults[i]);
    ridge_buf_addz(w->out, s->default_count > 0 ? "    }\n" : "");
    if (s->alias_count == 0)
        return;
    ridge_buf_addz(&w->line, "aliases = {" RIDGE_CODE_OPEN);
    for (size_t i = 0; i < s->alias_count; i++) {
        ridge_buf_addz(&w->line, i > 0 ? "," RIDGE_CODE_BREAK : "");
        ridge_code_python_text(&w->line, (ridge_str){s->aliases[i].alias->text, s->aliases[i].alias->len});
        ridge_buf_addz(&w->line, ": ");
        ridge_code_python_text(&w->line, (ridge_str){s->aliases[i].field->text, s->aliases[i].field->len});
    }
    ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE "}");
    ridge_code_end(w->out, 4, &w->line);
}

static void begin_method(writer *w, const char *signature, const ridge_buf *lines)
{
    ridge_buf_addf(w->out, "\n    @classmethod\n    def %s:\n", signature);
    if (w->c->uses->workload)
        ridge_buf_addz(w->out, "        workload = active().workload\n");
    ridge_buf_add(w->out, (ridge_str){lines->p ? lines->p : "", lines->n});
    w->out->failed |= lines->failed;
}

static void derived(writer *w, const ridge_config_spec *s)
{
    ridge_buf lines = {0};
    for (size_t i = 0; i < s->derived.n; i++) {
        const ridge_named *n = &s->derived.p[i];
        ridge_buf target = {0};
        ridge_buf_addz(&target, "config[");
        ridge_code_python_text(&target, (ridge_str){n->name->text, n->name->len});
        ridge_buf_addz(&target, "] = ");
        ridge_python_expr(w->c, n->expr, RIDGE_BINDS_ARGUMENT);
        ridge_code_line(&lines, 8, target.p ? target.p : "", &w->line, "");
        lines.failed |= target.failed;
        ridge_buf_free(&target);
    }
    if (s->derived.n > 0)
        begin_method(w, "derive(cls, config)", &lines);
    ridge_buf_free(&lines);
}

static void checks(writer *w, const ridge_config_spec *s)
{
    ridge_buf lines = {0};
    for (size_t i = 0; i < s->check_count; i++) {
        const ridge_config_check *check = &s->checks[i];
        ridge_buf_addz(&w->line, "holds(" RIDGE_CODE_OPEN);
        ridge_code_python_text(&w->line, (ridge_str){check->field->text, check->field->len});
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
        ridge_python_expr(w->c, check->that, RIDGE_BINDS_ARGUMENT);
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
        ridge_code_python_text(&w->line, ridge_str_of(check->why));
        ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE ")");
        ridge_code_end(&lines, 8, &w->line);
    }
    if (s->check_count > 0)
        begin_method(w, "check(cls, config, holds)", &lines);
    ridge_buf_free(&lines);
}

void ridge_python_config(ridge_coder *c, const ridge_code_request *request, const ridge_generated *g)
{
    ridge_buf *out = c->out;
    writer w = {.c = c, .out = out};
    c->out = &w.line;
    head(&w, request, g);
    derived(&w, g->entry->config);
    checks(&w, g->entry->config);
    out->failed |= w.line.failed;
    ridge_buf_free(&w.line);
    c->out = out;
}
