#include "entries/words.h"

#include "catalog/uses.h"
#include "graph/config.h"
#include "model/analysis.h"

typedef enum word_target { FOR_PARAMETER, FOR_WORKLOAD, FOR_CONFIG } word_target;

typedef struct given_word {
    ridge_str name; /* n == 0: by position */
    ridge_str value;
    word_target target;
    size_t index;              /* of the parameter, of the workload's name; of the symbol that the field's name is */
    const ridge_symbol *field; /* FOR_CONFIG */
} given_word;

typedef struct word_reader {
    ridge_formula_work *work;
    ridge_formula_parameters parameters;
    given_word *words;
    size_t count, positional;
    ridge_source **configs; /* of every family */
    size_t config_count;
    const ridge_entry *family; /* the config of the module's own; NULL: not known */
} word_reader;

ridge_formula_parameters ridge_formula_parameters_of(const ridge_entry *e, ridge_context context)
{
    if (!e->flat || context > RIDGE_CONTEXT_INTERMEDIATES)
        return (ridge_formula_parameters){e->parameters, e->parameter_count};
    return (ridge_formula_parameters){e->flat->templates[context].parameters, e->flat->templates[context].parameter_count};
}

/* ---- what a word is for ---- */

static bool names_parameter(const ridge_parameter *p, ridge_str name)
{
    for (size_t k = 0; k < 4 && p->names[k]; k++)
        if (ridge_str_is(name, p->names[k]->text))
            return true;
    return false;
}

/* a name sets a parameter, else a symbol of the workload, else a field of the config */
static ridge_status find_target(word_reader *r, given_word *w)
{
    if (w->name.n == 0) {
        w->index = r->positional++;
        return RIDGE_OK;
    }
    while (w->index < r->parameters.count && !names_parameter(&r->parameters.items[w->index], w->name))
        w->index++;
    if (w->index < r->parameters.count)
        return RIDGE_OK;
    w->target = FOR_WORKLOAD;
    if ((w->index = ridge_global_find(w->name)) < RIDGE_GLOBAL_COUNT)
        return RIDGE_OK;
    w->target = FOR_CONFIG;
    if (!(w->field = ridge_intern(&r->work->registry->symbols, w->name)))
        return ridge_no_memory(r->work->err);
    w->index = w->field->id;
    return RIDGE_OK;
}

static const given_word *find_word(const word_reader *r, word_target target, size_t index)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->words[i].target == target && r->words[i].index == index)
            return &r->words[i];
    return NULL;
}

static ridge_status add_word(word_reader *r, const char *text)
{
    const char *equals = strchr(text, '=');
    given_word *w = &r->words[r->count];
    w->value = ridge_str_of(equals ? equals + 1 : text);
    if (equals)
        w->name = (ridge_str){text, (size_t)(equals - text)};
    if (equals == text || w->value.n == 0)
        return ridge_fail(r->work->err, RIDGE_USAGE, "'%s': an argument is a value, or name=value", text);
    ridge_status st = find_target(r, w);
    if (st)
        return st;
    if (find_word(r, w->target, w->index)) {
        ridge_str name = w->target == FOR_PARAMETER ? ridge_str_of(r->parameters.items[w->index].names[0]->text) : w->name;
        return ridge_fail(r->work->err, RIDGE_USAGE, "%.*s is given twice", RIDGE_STR_ARG(name));
    }
    r->count++;
    return RIDGE_OK;
}

/* "takes (rows, in_features, out_features, bias=False)" */
static const char *signature(const word_reader *r)
{
    ridge_buf text = {0};
    ridge_buf_addz(&text, "takes (");
    ridge_parameters_print(&text, r->parameters.items, r->parameters.count);
    ridge_buf_addc(&text, ')');
    const char *taken = ridge_arena_take(r->work->arena, &text);
    return taken ? taken : "";
}

static ridge_status sort_words(word_reader *r, const ridge_words *words)
{
    ridge_formula_work *k = r->work;
    ridge_status st = RIDGE_OK;
    if (!(r->words = ridge_arena_array(k->arena, words->count + 1, sizeof *r->words)))
        return ridge_no_memory(k->err);
    for (size_t i = 1; i < words->count && !st; i++)
        st = add_word(r, words->items[i]);
    if (!st && r->positional > r->parameters.count)
        st = ridge_fail(k->err, RIDGE_ARITY, "%s %s, not %zu arguments", k->out->whole.name, signature(r), r->positional);
    return st;
}

/* ---- values ---- */

#define WANTED "want a number, True, False, None or a list"

/* *fault: why it is none */
static bool is_expression(const ridge_formula_work *k, ridge_value *out, ridge_str text, ridge_err *fault)
{
    ridge_scope scope = {.arena = k->arena, .symbols = &k->registry->symbols};
    ridge_expr *expr;
    ridge_evaluation run = k->graph.run;
    run.globals = NULL;
    run.config = NULL;
    run.calc.err = fault;
    return !ridge_expr_parse(&expr, text, "", 1, 1, &scope, fault) && !ridge_expr_eval(out, expr, &run);
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

static ridge_status not_a_value(ridge_err *err, const char *name, ridge_str text, const char *why)
{
    size_t sign = text.p[0] == '-' || text.p[0] == '+', digits = strspn(text.p, "+-0123456789."); /* the word ends in '\0' */
    bool starts_with_digit = text.p[sign] >= '0' && text.p[sign] <= '9';
    if (is_bare_word(text))
        return ridge_fail(err, RIDGE_USAGE, "%s: '%.*s' is not a value (" WANTED ")", name, RIDGE_STR_ARG(text));
    if (starts_with_digit && is_bare_word((ridge_str){text.p + digits, text.n - digits}))
        return ridge_fail(err, RIDGE_USAGE, "%s: '%.*s' is not a number (write 1000 or 1k, 1024 or 1Ki)", name, RIDGE_STR_ARG(text));
    return ridge_fail(err, RIDGE_USAGE, "%s: '%.*s' is not a value: %s", name, RIDGE_STR_ARG(text), why);
}

/* A formula's value: a number (2k, 4Ki too), True, False, None, a list, a quoted string, or else a word, which is a string. */
static ridge_status read_value(const ridge_formula_work *k, ridge_value *out, const char *name, ridge_str text, bool strings)
{
    ridge_err fault = {0};
    int64_t count;
    bool overflow;
    if (is_expression(k, out, text, &fault)) {
        if (out->type != RIDGE_V_STRING || strings)
            return RIDGE_OK;
        return ridge_fail(k->err, RIDGE_USAGE, "%s: %.*s is a string (" WANTED ")", name, RIDGE_STR_ARG(text));
    }
    if (ridge_count_parse(&count, &overflow, text)) {
        bool suffixed = text.p[text.n - 1] < '0' || text.p[text.n - 1] > '9'; /* what has none was no 128-bit integer either */
        *out = ridge_value_int(count);
        return !overflow
                   ? RIDGE_OK
                   : ridge_fail(k->err, RIDGE_USAGE, "%s: %.*s does not fit in %d bits", name, RIDGE_STR_ARG(text), suffixed ? 64 : 128);
    }
    *out = ridge_value_str(text);
    return strings && is_bare_word(text) ? RIDGE_OK : not_a_value(k->err, name, text, fault.msg);
}

static ridge_status note_argument(const ridge_formula_work *k, const char *name, ridge_value v)
{
    ridge_formula_answer *a = k->out;
    if (!ridge_arena_more(k->arena, &a->arguments, a->argument_count, &a->argument_cap, sizeof *a->arguments))
        return ridge_no_memory(k->err);
    a->arguments[a->argument_count++] = (ridge_formula_argument){name, v};
    return RIDGE_OK;
}

/* ---- the module's parameters ---- */

static ridge_status bind_parameter(const word_reader *r, ridge_argument *out, size_t index, const given_word *w)
{
    ridge_formula_work *k = r->work;
    const ridge_symbol *name = r->parameters.items[index].names[0];
    bool strings = w && ridge_parameter_uses(k->registry, k->entry, k->request->context, index) != RIDGE_USED_AS_NUMBER;
    out->name = name;
    ridge_status st =
        w ? read_value(k, &out->value, name->text, w->value, strings) : ridge_sym_name(&out->value, name->text, 1, &k->graph.run.calc);
    return st ? st : note_argument(k, name->text, out->value);
}

static ridge_status bind_parameters(const word_reader *r, ridge_argument *args, size_t *count)
{
    ridge_status st = RIDGE_OK;
    *count = 0;
    if (r->parameters.count > RIDGE_FORMULA_ARGUMENTS)
        return ridge_fail(r->work->err, RIDGE_LIMIT, "too many parameters");
    for (size_t i = 0; i < r->parameters.count && !st; i++) {
        const given_word *w = find_word(r, FOR_PARAMETER, i);
        if (w || (r->work->request->symbolic && !r->parameters.items[i].fallback))
            st = bind_parameter(r, &args[(*count)++], i, w);
    }
    return st;
}

/* ---- workload ---- */

/* formats by their own names, whatever alias was typed: formulas compare them */
static ridge_status check_global(const ridge_formula_work *k, ridge_global which, ridge_value *v, ridge_str typed)
{
    const char *name = ridge_globals[which].name;
    const ridge_format *format;
    ridge_status st;
    ridge_int n;
    int index;
    if (ridge_globals[which].least >= 0) {
        if (v->type != RIDGE_V_INT || !ridge_value_as_int(&n, *v))
            return ridge_fail(k->err, RIDGE_USAGE, "%s wants an integer", name);
        return n >= 0 ? RIDGE_OK : ridge_fail(k->err, RIDGE_USAGE, "%s: %.*s is negative", name, RIDGE_STR_ARG(typed));
    }
    if (v->type != RIDGE_V_STRING)
        *v = ridge_value_str(typed);
    if (which == RIDGE_GLOBAL_phase || which == RIDGE_GLOBAL_attention)
        return ridge_choice_read(&index, which == RIDGE_GLOBAL_phase ? ridge_phase_names : ridge_pairs_names, v->u.s, name, k->arena,
                                 k->err);
    if (!(st = ridge_format_read(&format, v->u.s, name, k->err)))
        *v = ridge_value_str(ridge_str_of(format->name));
    return st;
}

static ridge_status derive_globals(ridge_value *g, const ridge_calc *calc)
{
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

static ridge_status bind_workload(const word_reader *r)
{
    ridge_formula_work *k = r->work;
    ridge_value *g = k->graph.globals;
    ridge_status st = RIDGE_OK;
    g[RIDGE_GLOBAL_phase] = ridge_value_str(RIDGE_STR("prefill"));
    g[RIDGE_GLOBAL_attention] = ridge_value_str(RIDGE_STR("full"));
    g[RIDGE_GLOBAL_act] = g[RIDGE_GLOBAL_kv] = g[RIDGE_GLOBAL_weights_format] = ridge_value_str(RIDGE_STR("fp32"));
    g[RIDGE_GLOBAL_enc] = ridge_value_int(0);
    for (unsigned i = 0; i < RIDGE_GLOBAL_COUNT && !st; i++) {
        const given_word *w = find_word(r, FOR_WORKLOAD, i);
        const char *name = ridge_globals[i].name;
        if (!w && k->request->symbolic && (i == RIDGE_GLOBAL_B || i == RIDGE_GLOBAL_S))
            st = ridge_sym_name(&g[i], name, ridge_globals[i].least, &k->graph.run.calc);
        if (w && !(st = read_value(k, &g[i], name, w->value, true)) && !(st = check_global(k, (ridge_global)i, &g[i], w->value)))
            st = note_argument(k, name, g[i]);
    }
    return st ? st : derive_globals(g, &k->graph.run.calc);
}

/* ---- config ---- */

/* the one config entry of a module's family: same catalog path up to the family; of several, which one is not ours to guess */
static ridge_status find_family(word_reader *r)
{
    ridge_formula_work *k = r->work;
    const char *key = k->entry->key->text, *end = strstr(key, "__modeling_");
    const ridge_source *found = NULL;
    ridge_entry *family = NULL;
    size_t n = end ? (size_t)(end - key) : 0, matches = 0;
    ridge_status st = ridge_registry_configs(&r->configs, &r->config_count, k->registry, k->err);
    for (size_t i = 0; i < r->config_count && end && !st; i++)
        if (strncmp(r->configs[i]->key->text, key, n) == 0 && strncmp(r->configs[i]->key->text + n, "__configuration", 15) == 0) {
            found = r->configs[i];
            matches++;
        }
    if (!st && matches == 1)
        st = ridge_registry_config_entry(&family, k->registry, found->key, k->err);
    r->family = family;
    return st;
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

/* how many of the words of `name` stand in `candidate` too: num_kv_heads and num_key_value_heads share two */
static unsigned shared_words(ridge_str name, ridge_str candidate)
{
    unsigned shared = 0;
    for (size_t i = 0, n; i < name.n; i += n + 1) {
        const char *end = memchr(name.p + i, '_', name.n - i);
        n = end ? (size_t)(end - name.p) - i : name.n - i;
        for (size_t k = 0, m; k < candidate.n; k += m + 1) {
            const char *stop = memchr(candidate.p + k, '_', candidate.n - k);
            m = stop ? (size_t)(stop - candidate.p) - k : candidate.n - k;
            if (n > 1 && ridge_str_eq((ridge_str){name.p + i, n}, (ridge_str){candidate.p + k, m})) {
                shared++;
                break;
            }
        }
    }
    return shared;
}

/* the parameter or config field that shares two words or more, of several the one with the least to change; NULL: none */
static const char *nearest_by_words(const word_reader *r, ridge_str name)
{
    enum { FARTHEST = 24 };
    const ridge_config_spec *own = r->family ? r->family->config : NULL;
    size_t fields = own ? own->default_count : 0;
    const char *best = NULL;
    unsigned most = 1, least = FARTHEST;
    for (size_t i = 0; i < r->parameters.count + fields; i++) {
        const ridge_symbol *s = i < fields ? own->defaults[i].name : r->parameters.items[i - fields].names[0];
        ridge_str candidate = {s->text, s->len};
        unsigned shared = shared_words(name, candidate), distance = ridge_str_distance(name, candidate, FARTHEST);
        if (shared < most || (shared == most && (!best || distance >= least)))
            continue;
        most = shared;
        least = distance;
        best = s->text;
    }
    return most > 1 ? best : NULL;
}

static const char *nearest_name(const word_reader *r, ridge_str name)
{
    ridge_nearest nearest = {0};
    const ridge_config_spec *own = r->family ? r->family->config : NULL;
    for (size_t i = 0; i < r->parameters.count; i++)
        for (size_t k = 0; k < 4 && r->parameters.items[i].names[k]; k++)
            ridge_nearest_offer(&nearest, name, r->parameters.items[i].names[k]->text);
    for (size_t i = 0; i < RIDGE_GLOBAL_COUNT; i++)
        ridge_nearest_offer(&nearest, name, ridge_globals[i].name);
    for (size_t i = 0; own && i < own->default_count; i++)
        ridge_nearest_offer(&nearest, name, own->defaults[i].name->text);
    return nearest.best ? nearest.best : nearest_by_words(r, name);
}

/* Is a name that is neither parameter nor workload a config field? Where the family is not known, that of any will do. */
static ridge_status check_field(const word_reader *r, ridge_str name)
{
    ridge_formula_work *k = r->work;
    const char *module = k->out->whole.name, *near, *what = r->family ? "parameter or config field" : "parameter";
    bool reads_config = strstr(k->entry->key->text, "__modeling_");
    ridge_entry *e;
    if (r->family && has_field(r->family->config, name))
        return RIDGE_OK;
    for (size_t i = 0; i < r->config_count && reads_config && !r->family; i++)
        if (!ridge_registry_config_entry(&e, k->registry, r->configs[i]->key, NULL) && has_field(e->config, name))
            return RIDGE_OK;
    if ((near = nearest_name(r, name)))
        return ridge_fail(k->err, RIDGE_USAGE, "%s has no %s '%.*s'; did you mean '%s'?", module, what, RIDGE_STR_ARG(name), near);
    if (r->family)
        return ridge_fail(k->err, RIDGE_USAGE, "%s has no %s '%.*s'", module, what, RIDGE_STR_ARG(name));
    return reads_config ? RIDGE_OK
                        : ridge_fail(k->err, RIDGE_USAGE, "%s has no %s '%.*s': it %s", module, what, RIDGE_STR_ARG(name), signature(r));
}

/* a decimal keeps every digit that was typed */
static ridge_status write_field(ridge_json_writer *w, const ridge_formula_work *k, const given_word *given)
{
    ridge_json *number;
    ridge_value v;
    ridge_status st = read_value(k, &v, given->field->text, given->value, true);
    if (st || (st = note_argument(k, given->field->text, v)))
        return st;
    ridge_jw_key(w, given->field->text);
    if (v.type == RIDGE_V_RATIONAL && !ridge_json_parse(&number, given->value, "", (ridge_json_options){0}, k->arena, NULL))
        ridge_jw_raw(w, given->value);
    else
        ridge_value_json(w, v);
    return RIDGE_OK;
}

/* the words that are fields, as a config.json */
static ridge_status make_config(ridge_json **json, const word_reader *r)
{
    ridge_formula_work *k = r->work;
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_status st = RIDGE_OK;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    for (size_t i = 0; i < r->count && !st; i++)
        if (r->words[i].target == FOR_CONFIG && !(st = check_field(r, r->words[i].name)))
            st = write_field(&w, k, &r->words[i]);
    ridge_jw_end_object(&w);
    const char *all = ridge_arena_take(k->arena, &text);
    if (!st && !all)
        st = ridge_no_memory(k->err);
    return st ? st : ridge_json_parse(json, ridge_str_of(all), "the arguments", (ridge_json_options){0}, k->arena, k->err);
}

static ridge_status bind_config(word_reader *r)
{
    ridge_formula_work *k = r->work;
    ridge_evaluation *run = &k->graph.run;
    ridge_json *json;
    ridge_object *object;
    ridge_value v;
    ridge_status st;
    if ((st = find_family(r)) || (st = make_config(&json, r)))
        return st;
    if (r->family) {
        if (!(st = ridge_config_bind(&object, k->registry, r->family, json, "the arguments", run)))
            k->config = object;
    } else if (json->count > 0 && !(st = ridge_config_value(&v, k->registry, json, "the arguments", &run->calc))) {
        k->config = (ridge_object *)(uintptr_t)v.u.object; /* made here */
    }
    run->config = k->config;
    if (st || !k->config)
        return st;
    k->config->read = ridge_arena_array(k->arena, k->config->count + 1, sizeof *k->config->read);
    return k->config->read ? RIDGE_OK : ridge_no_memory(k->err);
}

/* ---- what had an effect ---- */

static void mark_read(void *data, const ridge_expr *expr, const ridge_symbol *name, uint32_t at, uint32_t span)
{
    ridge_object *o = data;
    const ridge_field *f = ridge_object_find(o, name);
    (void)expr;
    (void)at;
    (void)span;
    if (f)
        o->read[f - o->fields] = true;
}

static bool is_read(const ridge_object *o, const ridge_symbol *name)
{
    const ridge_field *f = ridge_object_find(o, name);
    return f && o->read[f - o->fields];
}

/* who reads a derived field, or one by its other spelling, reads what it was made of */
static void spread_reads(ridge_object *o, const ridge_config_spec *spec)
{
    for (size_t i = spec->derived.n; i-- > 0;)
        if (is_read(o, spec->derived.p[i].name))
            ridge_expr_config_reads(spec->derived.p[i].expr, mark_read, o);
    for (size_t i = 0; i < spec->alias_count; i++)
        if (is_read(o, spec->aliases[i].alias))
            mark_read(o, NULL, spec->aliases[i].field, 0, 0);
}

/* T and head_rows are made of others */
static bool symbol_is_read(uint32_t read, size_t which)
{
    static const uint32_t of_T = 1u << RIDGE_GLOBAL_past | 1u << RIDGE_GLOBAL_S, of_head_rows = 1u << RIDGE_GLOBAL_B | 1u << RIDGE_GLOBAL_S;
    if (read & 1u << RIDGE_GLOBAL_T)
        read |= of_T;
    if (read & 1u << RIDGE_GLOBAL_head_rows)
        read |= of_head_rows;
    return read & 1u << which;
}

static bool field_is_read(const ridge_formula_work *k, const ridge_symbol *name)
{
    const ridge_config_spec *spec = k->family ? k->family->config : NULL;
    if (is_read(k->config, name))
        return true;
    for (size_t i = 0; spec && i < spec->alias_count; i++)
        if (spec->aliases[i].alias == name && is_read(k->config, spec->aliases[i].field))
            return true;
    return false;
}

ridge_status ridge_formula_check_read(const ridge_formula_work *k)
{
    if (k->family && k->config)
        spread_reads(k->config, k->family->config);
    for (size_t i = 0; i < k->word_count; i++) {
        const given_word *w = &k->words[i];
        if (w->target == FOR_PARAMETER || (w->target == FOR_WORKLOAD && symbol_is_read(k->graph.run.globals_read, w->index)) ||
            (w->target == FOR_CONFIG && field_is_read(k, w->field)))
            continue;
        return ridge_fail(k->err, RIDGE_USAGE, "%s: '%.*s' has no effect here: no formula reads it", k->out->whole.name,
                          RIDGE_STR_ARG(w->name));
    }
    return RIDGE_OK;
}

ridge_status ridge_formula_read(ridge_argument args[RIDGE_FORMULA_ARGUMENTS], size_t *count, ridge_formula_work *work)
{
    word_reader r = {.work = work, .parameters = ridge_formula_parameters_of(work->entry, work->request->context)};
    ridge_status st;
    if ((st = sort_words(&r, &work->request->words)) || (st = bind_parameters(&r, args, count)) || (st = bind_workload(&r)))
        return st;
    work->words = r.words;
    work->word_count = r.count;
    st = bind_config(&r);
    work->family = r.family;
    return st;
}
