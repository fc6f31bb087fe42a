#include "entries/words.h"

#include "model/analysis.h"
#include "entries/db.h"
#include "catalog/uses.h"
#include "graph/config.h"

typedef ridge_formula_words maker;
typedef ridge_formula_word word;

ridge_status ridge_formula_words_split(maker *m, const char *const *texts)
{
    if (!(m->p = ridge_arena_array(&m->f->arena, m->count + 1, sizeof *m->p)))
        return ridge_no_memory(m->err);
    for (size_t i = 0; i < m->count; i++) {
        const char *equals = strchr(texts[i], '=');
        m->p[i].value = ridge_str_of(equals ? equals + 1 : texts[i]);
        if (equals)
            m->p[i].name = (ridge_str){texts[i], (size_t)(equals - texts[i])};
        if (equals == texts[i] || !m->p[i].value.n)
            return ridge_fail(m->err, RIDGE_USAGE, "'%s': an argument is a value, or name=value", texts[i]);
    }
    return RIDGE_OK;
}

/* ---- values ---- */

static bool is_number_like(ridge_str text)
{
    size_t sign = text.n && (text.p[0] == '-' || text.p[0] == '+');
    return text.n > sign && text.p[sign] >= '0' && text.p[sign] <= '9';
}

/* what JSON calls them */
static bool json_word(ridge_value *out, ridge_str text)
{
    bool truth = ridge_str_is(text, "true");
    if (ridge_str_is(text, "null"))
        *out = ridge_value_none();
    else if (truth || ridge_str_is(text, "false"))
        *out = ridge_value_bool(truth);
    else
        return false;
    return true;
}

/* *fault: why it is none */
static bool is_expression(maker *m, ridge_value *out, ridge_str text, ridge_err *fault)
{
    ridge_scope scope = {.arena = &m->f->arena, .symbols = &m->f->registry->symbols};
    ridge_expr *expr;
    ridge_evaluation run = m->f->graph.run;
    run.globals = NULL;
    run.config = NULL;
    run.calc.err = fault;
    return ridge_expr_parse(&expr, text, "", 1, 1, &scope, fault) == RIDGE_OK && ridge_expr_eval(out, expr, &run) == RIDGE_OK;
}

/* gelu, eager-fast, a/b: no formula */
static bool is_bare_word(ridge_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool letter = (text.p[i] >= 'a' && text.p[i] <= 'z') || (text.p[i] >= 'A' && text.p[i] <= 'Z') || text.p[i] == '_';
        if (!letter && (i == 0 || !strchr("0123456789-./:", text.p[i])))
            return false;
    }
    return text.n > 0;
}

#define WANTED "want a number, True, False, None or a list"

static ridge_status not_a_value(maker *m, const char *name, ridge_str text, const char *why)
{
    size_t digits = strspn(text.p, "+-0123456789."); /* the text is a word of the command line: it ends in '\0' */
    if (is_bare_word(text))
        return ridge_fail(m->err, RIDGE_USAGE, "%s: '%.*s' is not a value (" WANTED ")", name, RIDGE_STR_ARG(text));
    if (is_number_like(text) && is_bare_word((ridge_str){text.p + digits, text.n - digits}))
        return ridge_fail(m->err, RIDGE_USAGE, "%s: '%.*s' is not a number (write 1000 or 1k, 1024 or 1Ki)", name, RIDGE_STR_ARG(text));
    return ridge_fail(m->err, RIDGE_USAGE, "%s: '%.*s' is not a value: %s", name, RIDGE_STR_ARG(text), why);
}

/* 2k, 4Ki; *st: OK, or that it is too large */
static bool is_count(maker *m, ridge_value *out, const char *name, ridge_str text, ridge_status *st)
{
    int64_t count;
    bool overflow;
    if (!ridge_count_parse(&count, &overflow, text))
        return false;
    bool suffixed = text.p[text.n - 1] < '0' || text.p[text.n - 1] > '9'; /* what has none was no 128-bit integer either */
    *out = ridge_value_int(count);
    *st = overflow ? ridge_fail(m->err, RIDGE_USAGE, "%s: %.*s does not fit in %d bits", name, RIDGE_STR_ARG(text), suffixed ? 64 : 128)
                   : RIDGE_OK;
    return true;
}

/* A formula's value: a number (2k, 4Ki too), True, False, None, a list, a quoted string, or else a word, which is a string. */
static ridge_status typed_value(maker *m, ridge_value *out, const char *name, ridge_str text, bool strings)
{
    ridge_err fault = {0};
    ridge_status st;
    if (json_word(out, text))
        return RIDGE_OK;
    if (is_expression(m, out, text, &fault))
        return out->type != RIDGE_V_STRING || strings
                   ? RIDGE_OK
                   : ridge_fail(m->err, RIDGE_USAGE, "%s: %.*s is a string (" WANTED ")", name, RIDGE_STR_ARG(text));
    if (is_count(m, out, name, text, &st))
        return st;
    *out = ridge_value_str(text);
    return strings && is_bare_word(text) ? RIDGE_OK : not_a_value(m, name, text, fault.msg);
}

static ridge_status note_argument(maker *m, const char *name, ridge_value v)
{
    ridge_formula *f = m->f;
    f->arguments =
        ridge_arena_grow(&f->arena, f->arguments, f->argument_count, &f->argument_cap, f->argument_count + 1, sizeof *f->arguments);
    if (!f->arguments)
        return ridge_no_memory(m->err);
    f->arguments[f->argument_count++] = (ridge_formula_argument){name, v};
    return RIDGE_OK;
}

/* ---- the module's parameters ---- */

typedef struct parameters {
    const ridge_parameter *p;
    size_t n;
} parameters;

/* a flat entry's analyses have parameters of their own */
static parameters parameters_of(const maker *m)
{
    if (m->entry->flat && m->f->context <= RIDGE_CONTEXT_INTERMEDIATES) {
        const ridge_template *t = &m->entry->flat->templates[m->f->context];
        return (parameters){t->parameters, t->parameter_count};
    }
    return (parameters){m->entry->parameters, m->entry->parameter_count};
}

static bool names_parameter(const ridge_parameter *p, ridge_str name)
{
    for (size_t k = 0; k < 4 && p->names[k]; k++)
        if (ridge_str_is(name, p->names[k]->text))
            return true;
    return false;
}

/* the first word for a parameter; *again: there is another */
static word *word_of(maker *m, const ridge_parameter *p, size_t index, bool *again)
{
    word *found = NULL;
    *again = false;
    for (size_t k = 0, seen = 0; k < m->count; k++) {
        word *w = &m->p[k];
        if (!(w->name.n ? names_parameter(p, w->name) : seen++ == index))
            continue;
        *again = found;
        found = found ? found : w;
        w->used = true;
    }
    return found;
}

/* "takes (rows, in_features, out_features, bias=False)"; "" when memory runs out */
static const char *signature(maker *m, parameters ps)
{
    ridge_buf text = {0};
    ridge_parameters_print(&text, ps.p, ps.n);
    const char *copy = ridge_arena_printf(&m->f->arena, "takes (%s)", text.p ? text.p : "");
    ridge_buf_free(&text);
    return copy ? copy : "";
}

static ridge_status check_count(maker *m, parameters ps)
{
    size_t positional = 0;
    for (size_t k = 0; k < m->count; k++)
        positional += !m->p[k].name.n;
    return positional <= ps.n ? RIDGE_OK
                              : ridge_fail(m->err, RIDGE_ARITY, "%s %s, not %zu arguments", m->f->module, signature(m, ps), positional);
}

static ridge_status check_twice(maker *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t k = 0; k < i; k++)
            if (m->p[i].name.n && ridge_str_eq(m->p[i].name, m->p[k].name))
                return ridge_fail(m->err, RIDGE_USAGE, "%.*s is given twice", RIDGE_STR_ARG(m->p[i].name));
    return RIDGE_OK;
}

static bool takes_strings(maker *m, size_t index)
{
    unsigned uses = ridge_parameter_uses(m->f->registry, m->entry, m->f->context, index);
    return uses != RIDGE_USED_AS_NUMBER;
}

ridge_status ridge_formula_words_arguments(maker *m, ridge_argument args[RIDGE_FORMULA_ARGUMENTS], size_t *count)
{
    parameters ps = parameters_of(m);
    ridge_status st;
    *count = 0;
    if (ps.n > RIDGE_FORMULA_ARGUMENTS)
        return ridge_fail(m->err, RIDGE_LIMIT, "too many parameters");
    if ((st = check_twice(m)) || (st = check_count(m, ps)))
        return st;
    for (size_t i = 0; i < ps.n && !st; i++) {
        bool again;
        const char *name = ps.p[i].names[0]->text;
        const word *found = word_of(m, &ps.p[i], i, &again);
        if (again)
            return ridge_fail(m->err, RIDGE_USAGE, "%s is given twice", name);
        if (!found && (!m->symbolic || ps.p[i].fallback))
            continue;
        ridge_argument *a = &args[(*count)++];
        a->name = ps.p[i].names[0];
        st = found ? typed_value(m, &a->value, name, found->value, takes_strings(m, i))
                   : ridge_sym_name(&a->value, name, 1, &m->f->graph.run.calc);
        if (!st)
            st = note_argument(m, name, a->value);
    }
    return st;
}

/* ---- workload ---- */

static ridge_status one_of(maker *m, const char *name, ridge_str text, const char *const *words)
{
    ridge_nearest nearest = {0};
    ridge_buf list = {0};
    for (size_t i = 0; words[i]; i++) {
        if (ridge_str_is(text, words[i]))
            return RIDGE_OK;
        ridge_nearest_offer(&nearest, text, words[i]);
    }
    if (nearest.best)
        return ridge_fail(m->err, RIDGE_USAGE, "%s: unknown word '%.*s'; did you mean '%s'?", name, RIDGE_STR_ARG(text), nearest.best);
    for (size_t i = 0; words[i]; i++)
        ridge_buf_addf(&list, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
    ridge_status st =
        ridge_fail(m->err, RIDGE_USAGE, "%s: unknown word '%.*s'; it takes %s", name, RIDGE_STR_ARG(text), list.p ? list.p : "");
    ridge_buf_free(&list);
    return st;
}

/* formats by their own names, whatever alias was typed: formulas compare them */
static ridge_status format_word(maker *m, ridge_value *v, const char *name)
{
    const ridge_format *format;
    ridge_status st = ridge_format_read(&format, v->u.s, name, m->err);
    if (!st)
        *v = ridge_value_str(ridge_str_of(format->name));
    return st;
}

static ridge_status check_global(maker *m, ridge_global which, ridge_value *v, ridge_str text)
{
    const char *name = ridge_globals[which].name;
    ridge_int n;
    if (ridge_globals[which].least >= 0) {
        if (v->type != RIDGE_V_INT || !ridge_value_as_int(&n, *v))
            return ridge_fail(m->err, RIDGE_USAGE, "%s wants an integer", name);
        return n >= 0 ? RIDGE_OK : ridge_fail(m->err, RIDGE_USAGE, "%s: %.*s is negative", name, RIDGE_STR_ARG(text));
    }
    if (v->type != RIDGE_V_STRING)
        *v = ridge_value_str(text);
    if (which == RIDGE_GLOBAL_phase)
        return one_of(m, name, v->u.s, ridge_phase_names);
    if (which == RIDGE_GLOBAL_attention)
        return one_of(m, name, v->u.s, ridge_pairs_names);
    return format_word(m, v, name);
}

static ridge_status derive_globals(maker *m)
{
    ridge_value *g = m->f->graph.globals;
    const ridge_calc *calc = &m->f->graph.run.calc;
    ridge_status st = RIDGE_OK;
    if (g[RIDGE_GLOBAL_past].type == RIDGE_V_UNSET)
        g[RIDGE_GLOBAL_past] = ridge_value_int(0);
    if (g[RIDGE_GLOBAL_B].type == RIDGE_V_UNSET || g[RIDGE_GLOBAL_S].type == RIDGE_V_UNSET)
        return RIDGE_OK;
    if (g[RIDGE_GLOBAL_T].type == RIDGE_V_UNSET)
        st = ridge_value_binary(&g[RIDGE_GLOBAL_T], RIDGE_OP_ADD, g[RIDGE_GLOBAL_past], g[RIDGE_GLOBAL_S], calc);
    if (!st && g[RIDGE_GLOBAL_head_rows].type == RIDGE_V_UNSET)
        st = ridge_value_binary(&g[RIDGE_GLOBAL_head_rows], RIDGE_OP_MUL, g[RIDGE_GLOBAL_B], g[RIDGE_GLOBAL_S], calc);
    return st;
}

/* the first word of that name which nothing has taken */
static word *unused(maker *m, const char *name)
{
    for (size_t k = 0; k < m->count; k++)
        if (!m->p[k].used && ridge_str_is(m->p[k].name, name))
            return &m->p[k];
    return NULL;
}

ridge_status ridge_formula_words_workload(maker *m)
{
    ridge_value *g = m->f->graph.globals;
    ridge_status st = RIDGE_OK;
    g[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    g[RIDGE_GLOBAL_act] = g[RIDGE_GLOBAL_kv] = g[RIDGE_GLOBAL_weights_format] = ridge_value_str(RIDGE_STR("fp32"));
    g[RIDGE_GLOBAL_enc] = ridge_value_int(0);
    for (unsigned i = 0; i < RIDGE_GLOBAL_COUNT && !st; i++) {
        word *found = unused(m, ridge_globals[i].name);
        if (found) {
            found->used = true;
            if (!(st = typed_value(m, &g[i], ridge_globals[i].name, found->value, true)) &&
                !(st = check_global(m, (ridge_global)i, &g[i], found->value)))
                st = note_argument(m, ridge_globals[i].name, g[i]);
        } else if (m->symbolic && (i == RIDGE_GLOBAL_B || i == RIDGE_GLOBAL_S)) {
            st = ridge_sym_name(&g[i], ridge_globals[i].name, ridge_globals[i].least, &m->f->graph.run.calc);
        }
    }
    return st ? st : derive_globals(m);
}

/* ---- config ---- */

/* the one config entry of a module's family: same catalog path up to the family */
static ridge_source *family_config(maker *m)
{
    static const char marker[] = "__modeling_";
    ridge_source **all, *found = NULL;
    size_t count;
    const char *at = strstr(m->entry->key->text, marker);
    if (!at || ridge_registry_all(&all, &count, m->f->registry, NULL) != RIDGE_OK)
        return NULL;
    size_t n = (size_t)(at - m->entry->key->text);
    for (size_t i = 0; i < count; i++)
        if (strncmp(all[i]->key->text, m->entry->key->text, n) == 0 && strncmp(all[i]->key->text + n, "__configuration", 15) == 0) {
            if (found)
                return NULL; /* several: which one is not ours to guess */
            found = all[i];
        }
    return found;
}

static bool has_field(const ridge_config_spec *c, ridge_str name)
{
    for (size_t i = 0; i < c->default_count; i++)
        if (ridge_str_is(name, c->defaults[i].name->text))
            return true;
    for (size_t i = 0; i < c->alias_count; i++)
        if (ridge_str_is(name, c->aliases[i].alias->text))
            return true;
    for (size_t i = 0; i < c->derived.n; i++)
        if (ridge_str_is(name, c->derived.p[i].name->text))
            return true;
    return false;
}

/* a field of another family may stand in this one's files too */
static bool is_any_field(maker *m, ridge_str name)
{
    ridge_source **all;
    size_t count;
    ridge_entry *e;
    if (ridge_registry_all(&all, &count, m->f->registry, NULL))
        return false;
    for (size_t i = 0; i < count; i++)
        if (ridge_db_kind(m->f->registry, all[i]) == RIDGE_KIND_CONFIG && !ridge_registry_entry(&e, m->f->registry, all[i]->key, NULL) &&
            has_field(e->config, name))
            return true;
    return false;
}

static const char *nearest_name(maker *m, const ridge_config_spec *config, ridge_str name)
{
    ridge_nearest nearest = {0};
    parameters ps = parameters_of(m);
    for (size_t i = 0; i < ps.n; i++)
        for (size_t k = 0; k < 4 && ps.p[i].names[k]; k++)
            ridge_nearest_offer(&nearest, name, ps.p[i].names[k]->text);
    for (size_t i = 0; i < RIDGE_GLOBAL_COUNT; i++)
        ridge_nearest_offer(&nearest, name, ridge_globals[i].name);
    for (size_t i = 0; config && i < config->default_count; i++)
        ridge_nearest_offer(&nearest, name, config->defaults[i].name->text);
    return nearest.best;
}

/* Is a name that is neither parameter nor workload a config field? `config` NULL: the module has none, or we cannot know it. */
static ridge_status check_name(maker *m, ridge_str name, const ridge_config_spec *config)
{
    bool reads_config = strstr(m->entry->key->text, "__modeling_");
    if ((config && has_field(config, name)) || (reads_config && is_any_field(m, name)))
        return RIDGE_OK;
    const char *near = nearest_name(m, config, name);
    if (near)
        return ridge_fail(m->err, RIDGE_USAGE, "%s has no %s '%.*s'; did you mean '%s'?", m->f->module,
                          config ? "parameter or config field" : "parameter", RIDGE_STR_ARG(name), near);
    if (config)
        return ridge_fail(m->err, RIDGE_USAGE, "%s has no parameter or config field '%.*s'", m->f->module, RIDGE_STR_ARG(name));
    return reads_config ? RIDGE_OK
                        : ridge_fail(m->err, RIDGE_USAGE, "%s has no parameter '%.*s': it %s", m->f->module, RIDGE_STR_ARG(name),
                                     signature(m, parameters_of(m)));
}

static void write_value(ridge_json_writer *w, ridge_value v)
{
    ridge_rational r;
    if (v.type == RIDGE_V_STRING) {
        ridge_jw_str(w, v.u.s);
    } else if (v.type == RIDGE_V_BOOL) {
        ridge_jw_bool(w, v.u.b);
    } else if (v.type == RIDGE_V_INT) {
        ridge_jw_int(w, v.u.i);
    } else if (v.type == RIDGE_V_LIST) {
        ridge_jw_array(w);
        for (size_t i = 0; i < v.u.list->count; i++)
            write_value(w, v.u.list->items[i]);
        ridge_jw_end_array(w);
    } else if (ridge_value_as_rational(&r, v)) {
        ridge_jw_double(w, ridge_rational_double(r));
    } else {
        ridge_jw_null(w);
    }
}

/* the remaining names as a config.json */
static ridge_status write_config(maker *m, ridge_json_writer *w, const ridge_config_spec *config, bool *any)
{
    ridge_status st = RIDGE_OK;
    ridge_jw_object(w);
    for (size_t i = 0; i < m->count && !st; i++) {
        ridge_value v;
        const char *name = ridge_arena_strdup(&m->f->arena, m->p[i].name);
        if (m->p[i].used || !m->p[i].name.n)
            continue;
        if (!name)
            return ridge_no_memory(m->err);
        *any = true;
        if ((st = check_name(m, m->p[i].name, config)) || (st = typed_value(m, &v, name, m->p[i].value, true)) ||
            (st = note_argument(m, name, v)))
            return st;
        ridge_jw_key_str(w, m->p[i].name);
        if (v.type == RIDGE_V_RATIONAL && is_number_like(m->p[i].value) && !memchr(m->p[i].value.p, '/', m->p[i].value.n))
            ridge_jw_raw(w, m->p[i].value); /* every digit */
        else
            write_value(w, v);
    }
    ridge_jw_end_object(w);
    return st;
}

static ridge_status config_json(maker *m, const ridge_json **out, const ridge_config_spec *config, bool *any)
{
    ridge_buf text = {0};
    ridge_json *json;
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_status st = write_config(m, &w, config, any);
    char *copy = ridge_arena_strdup(&m->f->arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    if (st || !copy)
        return st ? st : ridge_no_memory(m->err);
    st = ridge_json_parse(&json, ridge_str_of(copy), "the arguments", (ridge_json_options){0}, &m->f->arena, m->err);
    *out = json;
    return st;
}

ridge_status ridge_formula_words_config(maker *m)
{
    const ridge_json *json = NULL;
    ridge_object *object;
    ridge_entry *entry = NULL;
    ridge_value v;
    bool any = false;
    ridge_evaluation *run = &m->f->graph.run;
    ridge_source *family = family_config(m);
    ridge_status st = family ? ridge_registry_entry(&entry, m->f->registry, family->key, m->err) : RIDGE_OK;
    if (st || (st = config_json(m, &json, entry ? entry->config : NULL, &any)))
        return st;
    if (entry) {
        if ((st = ridge_config_bind(&object, m->f->registry, entry, json, "the arguments", run)))
            return st;
        run->config = object;
    } else if (any) {
        if ((st = ridge_config_value(&v, m->f->registry, json, "the arguments", &run->calc)))
            return st;
        run->config = v.u.object;
    }
    return RIDGE_OK;
}
