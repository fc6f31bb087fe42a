/* A config class in C: a table of fields, a function that derives, one that checks. */
#include <inttypes.h>

#include "generate/c_code.h"
#include "generate/code.h"

/* what the field may be, in words: as it says, else what its default is */
static ridge_str types_of(const ridge_config_default *d)
{
    if (d->type)
        return d->type->u.text;
    return d->value && d->value->type != RIDGE_JSON_NULL ? ridge_str_of(ridge_config_type_of(d->value)) : RIDGE_STR("any");
}

static bool has_integers(const ridge_config_default *d)
{
    return !(d->type && ridge_str_is(d->type->u.text, "any")) && d->value && d->value->type == RIDGE_JSON_ARRAY && d->value->count > 0 &&
           strcmp(ridge_config_type_of(&d->value->u.items[0]), "int") == 0;
}

static void field(ridge_c_writer *w, ridge_buf *out, const ridge_config_default *d)
{
    const ridge_generated *sub = d->sub_key ? ridge_generated_find(w->request->list, d->sub_key) : NULL;
    const bool is_number = d->value && d->value->type == RIDGE_JSON_NUMBER;
    const bool negative = is_number && d->value->u.text.p[0] == '-', zero = is_number && ridge_str_is(d->value->u.text, "0");
    ridge_buf_addz(&w->line, "{" RIDGE_CODE_OPEN);
    ridge_code_c_text(&w->line, (ridge_str){d->name->text, d->name->len});
    ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
    ridge_code_c_text(&w->line, d->value ? (ridge_str){d->value->begin, (size_t)(d->value->end - d->value->begin)} : RIDGE_STR("null"));
    ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
    ridge_code_c_text(&w->line, types_of(d));
    ridge_buf_addf(&w->line, "," RIDGE_CODE_BREAK "INT64_C(%" PRId64 "), %s, %s, %s," RIDGE_CODE_BREAK "%s%s," RIDGE_CODE_BREAK, d->most,
                   d->zero_ok || zero || negative ? "true" : "false", negative ? "true" : "false", has_integers(d) ? "true" : "false",
                   sub && sub->chosen ? "&" : "", sub && sub->chosen ? sub->c_name : "NULL");
    if (d->sub_or.n)
        ridge_code_c_text(&w->line, d->sub_or);
    else
        ridge_buf_addz(&w->line, "NULL");
    ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE "},");
    ridge_code_end(out, 4, &w->line);
}

static void tables(ridge_c_writer *w, ridge_buf *out, const ridge_config_spec *s)
{
    if (s->default_count > 0) {
        ridge_buf_addf(out, "static const gm_field fields_%s[] = {\n", w->g->c_name);
        for (size_t i = 0; i < s->default_count; i++)
            field(w, out, &s->defaults[i]);
        ridge_buf_addz(out, "};\n");
    }
    if (s->alias_count == 0)
        return;
    ridge_buf_addf(&w->line, "static const char *const aliases_%s[] = {" RIDGE_CODE_OPEN, w->g->c_name);
    for (size_t i = 0; i < s->alias_count; i++) {
        ridge_code_c_text(&w->line, (ridge_str){s->aliases[i].alias->text, s->aliases[i].alias->len});
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
        ridge_code_c_text(&w->line, (ridge_str){s->aliases[i].field->text, s->aliases[i].field->len});
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
    }
    ridge_buf_addz(&w->line, "NULL" RIDGE_CODE_CLOSE "};");
    ridge_code_end(out, 0, &w->line);
}

static void function(ridge_c_writer *w, ridge_buf *out, const char *name, const char *takes)
{
    ridge_buf_add(out, (ridge_str){w->helpers.p ? w->helpers.p : "", w->helpers.n});
    ridge_buf_addf(out, "static void %s_%s(gm_run *r, void *frame%s)\n{\n    struct %s *v = frame;\n    (void)v;\n", name, w->g->c_name,
                   takes, w->g->c_name);
    ridge_buf_add(out, (ridge_str){w->body.p ? w->body.p : "", w->body.n});
    ridge_buf_addz(out, "}\n\n");
    out->failed |= w->helpers.failed || w->body.failed;
    ridge_buf_free(&w->helpers);
    ridge_buf_free(&w->body);
}

static void derive(ridge_c_writer *w, ridge_buf *out, const ridge_config_spec *s)
{
    for (size_t i = 0; i < s->derived.n; i++) {
        ridge_buf_addz(&w->line, "gm_set(" RIDGE_CODE_OPEN "r, config, ");
        ridge_code_c_text(&w->line, (ridge_str){s->derived.p[i].name->text, s->derived.p[i].name->len});
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
        ridge_c_expr(&w->c, s->derived.p[i].expr);
        ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE ");");
        ridge_code_end(&w->body, 4, &w->line);
    }
    if (s->derived.n > 0)
        function(w, out, "derive", ", gm_object *config");
}

static void check(ridge_c_writer *w, ridge_buf *out, const ridge_config_spec *s)
{
    for (size_t i = 0; i < s->check_count; i++) {
        ridge_buf_addz(&w->line, "gm_holds(" RIDGE_CODE_OPEN "r," RIDGE_CODE_BREAK);
        ridge_c_truth(&w->c, s->checks[i].that);
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
        ridge_code_c_text(&w->line, (ridge_str){s->checks[i].field->text, s->checks[i].field->len});
        ridge_buf_addz(&w->line, "," RIDGE_CODE_BREAK);
        ridge_code_c_text(&w->line, ridge_str_of(s->checks[i].why));
        ridge_buf_addz(&w->line, RIDGE_CODE_CLOSE ");");
        ridge_code_end(&w->body, 4, &w->line);
    }
    if (s->check_count > 0)
        function(w, out, "check", "");
}

void ridge_c_config(ridge_c_writer *w, ridge_buf *out)
{
    const ridge_config_spec *s = w->e->config;
    const char *name = w->g->c_name;
    if (s->derived.n > 0 || s->check_count > 0) {
        ridge_buf_addf(out, "struct %s {\n", name);
        for (uint32_t i = 0; i < w->locals.slots; i++)
            ridge_buf_addf(out, "    gm_value %s;\n", w->locals.of[i]);
        ridge_buf_addz(out, w->locals.slots == 0 ? "    char nothing;\n};\n" : "};\n");
    }
    tables(w, out, s);
    ridge_buf_addc(out, '\n');
    derive(w, out, s);
    check(w, out, s);
    ridge_buf_addf(out, "const gm_config %s = {\n    .path = ", name);
    ridge_code_c_text(out, ridge_str_of(w->g->path));
    ridge_buf_addz(out, ",\n    .model_type = ");
    ridge_code_c_text(out, s->model_type);
    ridge_buf_addz(out, ",\n");
    if (s->default_count > 0)
        ridge_buf_addf(out, "    .fields = fields_%s,\n    .field_count = %zu,\n", name, s->default_count);
    if (s->alias_count > 0)
        ridge_buf_addf(out, "    .aliases = aliases_%s,\n", name);
    if (s->derived.n > 0 || s->check_count > 0)
        ridge_buf_addf(out, "    .frame = sizeof(struct %s),\n", name);
    if (s->derived.n > 0)
        ridge_buf_addf(out, "    .derive = derive_%s,\n", name);
    if (s->check_count > 0)
        ridge_buf_addf(out, "    .check = check_%s,\n", name);
    ridge_buf_addz(out, "};\n\n");
}
