/* A config class as an entry: its fields with their defaults, and what is computed from others. */
#include "learn/template/config_parts.h"

#include "base/option.h"
#include "catalog/entry.h"

enum { DEPTH_LIMIT = 8, ITEM_LIMIT = 4000 };

/* of the library's base class: every config has them, and no formula uses them */
static const char *const common[] = {"return_dict",
                                     "output_hidden_states",
                                     "output_attentions",
                                     "torchscript",
                                     "torch_dtype",
                                     "dtype",
                                     "use_bfloat16",
                                     "tf_legacy_loss",
                                     "pruned_heads",
                                     "chunk_size_feed_forward",
                                     "is_encoder_decoder",
                                     "is_decoder",
                                     "add_cross_attention",
                                     "tie_encoder_decoder",
                                     "architectures",
                                     "finetuning_task",
                                     "id2label",
                                     "label2id",
                                     "num_labels",
                                     "task_specific_params",
                                     "problem_type",
                                     "tokenizer_class",
                                     "prefix",
                                     "bos_token_id",
                                     "pad_token_id",
                                     "eos_token_id",
                                     "sep_token_id",
                                     "decoder_start_token_id",
                                     "max_length",
                                     "min_length",
                                     "do_sample",
                                     "early_stopping",
                                     "num_beams",
                                     "num_beam_groups",
                                     "diversity_penalty",
                                     "temperature",
                                     "top_k",
                                     "top_p",
                                     "typical_p",
                                     "repetition_penalty",
                                     "length_penalty",
                                     "no_repeat_ngram_size",
                                     "encoder_no_repeat_ngram_size",
                                     "bad_words_ids",
                                     "num_return_sequences",
                                     "output_scores",
                                     "return_dict_in_generate",
                                     "forced_bos_token_id",
                                     "forced_eos_token_id",
                                     "remove_invalid_values",
                                     "exponential_decay_length_penalty",
                                     "suppress_tokens",
                                     "begin_suppress_tokens",
                                     "transformers_version",
                                     "model_type",
                                     "cross_attention_hidden_size",
                                     "name_or_path",
                                     "use_cache"};

static bool is_common(const char *path)
{
    if (path[0] == '_')
        return true;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(path, common[i]) == 0)
            return true;
    return false;
}

static bool is_plain(ridge_py v, unsigned depth)
{
    switch (v.type) {
    case RIDGE_PY_T_NONE:
    case RIDGE_PY_T_BOOL:
    case RIDGE_PY_T_INT:
    case RIDGE_PY_T_FLOAT:
    case RIDGE_PY_T_STR:
        return true;
    case RIDGE_PY_T_LIST:
    case RIDGE_PY_T_TUPLE:
        for (size_t i = 0; i < v.u.list->count; i++)
            if (depth >= DEPTH_LIMIT || v.u.list->count > ITEM_LIMIT || !is_plain(v.u.list->items[i], depth + 1))
                return false;
        return true;
    case RIDGE_PY_T_DICT:
        return v.u.dict->count == 0;
    default:
        return false;
    }
}

static void write_value(ridge_json_writer *w, ridge_py v)
{
    switch (v.type) {
    case RIDGE_PY_T_BOOL:
        ridge_jw_bool(w, v.u.b);
        break;
    case RIDGE_PY_T_INT:
        ridge_jw_int(w, v.u.i);
        break;
    case RIDGE_PY_T_FLOAT:
        ridge_jw_double(w, v.u.f);
        break;
    case RIDGE_PY_T_STR:
        ridge_jw_str(w, v.u.s->text);
        break;
    case RIDGE_PY_T_LIST:
    case RIDGE_PY_T_TUPLE:
        ridge_jw_array_compact(w);
        for (size_t i = 0; i < v.u.list->count; i++)
            write_value(w, v.u.list->items[i]);
        ridge_jw_end_array(w);
        break;
    case RIDGE_PY_T_DICT:
        ridge_jw_object_compact(w);
        ridge_jw_end_object(w);
        break;
    default:
        ridge_jw_null(w);
        break;
    }
}

/* A field where config.json says everything else: its value, and the formula by which __init__ gives it one. */
typedef struct ridge_config_alone {
    ridge_py value;
    const char *formula; /* NULL: it is a constant */
} alone;

static bool is_letter(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* is config.<path> in the text? */
bool ridge_config_mentions(const char *path, const char *text)
{
    size_t n = strlen(path);
    for (const char *p = text; (p = strstr(p, "config.")); p += 7)
        if (strncmp(p + 7, path, n) == 0 && !is_letter(p[7 + n]))
            return true;
    return false;
}

/* the field's name in this config; NULL: it is another's, or a part of one */
static const char *name_in(const ridge_config_scope *s, const ridge_learn_field *f)
{
    size_t n = strlen(s->prefix);
    if (strncmp(f->path, s->prefix, n) != 0 || strchr(f->path + n, '.') || strchr(f->path + n, '['))
        return NULL;
    return f->path + n;
}

/* a field that an entry may use; of a nested config: that one does */
static const char *own(const ridge_config_scope *s, const ridge_learn_field *f)
{
    const char *name = name_in(s, f);
    if (!name || !is_plain(f->value, 0))
        return NULL;
    bool always = *s->prefix == '\0' && !is_common(name);
    return always || ridge_config_mentions(f->path, s->entries) ? name : NULL;
}

/* ---- one field left out ---- */

static ridge_py type_of(ridge_py_class *class)
{
    return (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class};
}

/* every own field as JSON, but one */
static const char *without(const ridge_config_scope *s, size_t left_out)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object_compact(&w);
    ridge_jw_member_text(&w, "model_type", s->d->model_type);
    for (size_t i = 0; i < s->config->count; i++) {
        const char *name = i != left_out ? own(s, &s->config->fields[i]) : NULL;
        if (name) {
            ridge_jw_key(&w, name);
            write_value(&w, s->config->fields[i].value);
        }
    }
    ridge_jw_end_object(&w);
    return ridge_arena_take(s->calc->arena, &text);
}

static ridge_status leave_out(alone *out, const ridge_config_scope *s, size_t at)
{
    const ridge_learn_field *f = &s->config->fields[at];
    const char *text = without(s, at);
    ridge_learn_config other = {0};
    ridge_json *json;
    *out = (alone){.value = f->value};
    if (!text)
        return ridge_no_memory(s->calc->err);
    ridge_status st =
        ridge_json_parse(&json, ridge_str_of(text), "a config without a field", (ridge_json_options){0}, s->calc->arena, s->calc->err);
    if (!st)
        st = ridge_learn_config_make(&other, type_of(s->d->config.instance.u.instance->class), json, &s->d->in);
    if (st && st != RIDGE_NOMEM) { /* it must be given: what was given stands for a default */
        ridge_err_clear(s->calc->err);
        s->d->in.raised = ridge_py_unset();
        return RIDGE_OK;
    }
    for (size_t i = 0; i < other.count && !st; i++)
        if (strcmp(other.fields[i].path, f->path) == 0)
            *out = (alone){other.fields[i].value, other.fields[i].formula};
    return st;
}

/* What the class makes of each field that is not given; a nested config's are as they were here. */
static ridge_status leave_each_out(ridge_config_scope *s)
{
    alone *list = ridge_arena_array(s->calc->arena, s->config->count + 1, sizeof *list);
    ridge_status st = list ? RIDGE_OK : ridge_no_memory(s->calc->err);
    for (size_t i = 0; i < s->config->count && !st; i++) {
        const ridge_learn_field *f = &s->config->fields[i];
        bool given = f->raw.type != RIDGE_PY_T_UNSET && f->raw.type != RIDGE_PY_T_NONE;
        list[i] = (alone){f->value, given ? NULL : f->formula};
        if (*s->prefix == '\0' && own(s, f))
            st = leave_out(&list[i], s, i);
    }
    s->alone = list;
    return st;
}

/* ---- members ---- */

/* kind: of a nested config, its model_type; NULL: none */
static void members(ridge_json_writer *w, const ridge_config_scope *s, const char *kind)
{
    const char *name;
    ridge_jw_key(w, "defaults+");
    ridge_jw_object(w);
    if (kind)
        ridge_jw_member_text(w, "model_type", kind);
    for (size_t i = 0; i < s->config->count; i++)
        if ((name = own(s, &s->config->fields[i]))) {
            ridge_jw_key(w, name);
            write_value(w, is_plain(s->alone[i].value, 0) && !s->alone[i].formula ? s->alone[i].value : ridge_py_none());
        }
    ridge_jw_end_object(w);
    ridge_jw_key(w, "types+");
    ridge_jw_object(w);
    if (kind)
        ridge_jw_member_text(w, "model_type", "any");
    for (size_t i = 0; i < s->config->count; i++) {
        const ridge_learn_field *f = &s->config->fields[i];
        if ((name = own(s, f)))
            ridge_jw_member_text(w, name,
                                 s->alone[i].value.type == f->value.type && f->value.type == RIDGE_PY_T_STR ? "string|null" : "any");
    }
    ridge_jw_end_object(w);
    ridge_jw_key(w, "zero_ok");
    ridge_jw_array_compact(w);
    for (size_t i = 0; i < s->config->count; i++)
        if ((name = own(s, &s->config->fields[i])))
            ridge_jw_strz(w, name);
    ridge_jw_end_array(w);
}

/* a formula as this config says it: its own fields are config.X */
static const char *inside(const ridge_config_scope *s, const char *formula)
{
    ridge_buf out = {0};
    const char *prefix = ridge_arena_printf(s->calc->arena, "config.%s", s->prefix);
    for (const char *p = formula; prefix && *p;)
        if (strncmp(p, prefix, strlen(prefix)) == 0) {
            ridge_buf_addz(&out, "config.");
            p += strlen(prefix);
        } else
            ridge_buf_addc(&out, *p++);
    return prefix ? ridge_arena_take(s->calc->arena, &out) : NULL;
}

/* does __init__ make another constant of what is given? */
static bool is_replaced(const ridge_learn_field *f)
{
    if (f->formula || f->raw.type == RIDGE_PY_T_UNSET || f->raw.type == RIDGE_PY_T_NONE || !is_plain(f->before, 0) || !is_plain(f->raw, 0))
        return false;
    if (f->before.type == RIDGE_PY_T_NONE)
        return true;
    return f->before.type == f->raw.type && ((f->raw.type == RIDGE_PY_T_INT && f->raw.u.i != f->before.u.i && !f->before.by.sym) ||
                                             (f->raw.type == RIDGE_PY_T_BOOL && f->raw.u.b != f->before.u.b && !f->before.by.sym));
}

static const char *derived_text(const ridge_config_scope *s, size_t at, const char *name)
{
    const ridge_learn_field *f = &s->config->fields[at];
    bool given = f->formula && f->raw.type != RIDGE_PY_T_UNSET && f->raw.type != RIDGE_PY_T_NONE;
    if (is_replaced(f))
        return f->before.type == RIDGE_PY_T_NONE   ? "None"
               : f->before.type == RIDGE_PY_T_BOOL ? (f->before.u.b ? "True" : "False")
                                                   : ridge_arena_printf(s->calc->arena, "%lld", (long long)f->before.u.i);
    if (given)
        return inside(s, f->formula);
    const char *formula = inside(s, s->alone[at].formula);
    return formula ? ridge_arena_printf(s->calc->arena, "%s if config.%s == None else config.%s", formula, name, name) : NULL;
}

/* Fields that __init__ computes from others: where config.json says nothing, or whatever it says. */
static ridge_status derived(ridge_json_writer *w, const ridge_config_scope *s, bool *replaced)
{
    bool open = false;
    *replaced = false;
    for (size_t i = 0; i < s->config->count; i++) {
        const ridge_learn_field *f = &s->config->fields[i];
        const char *name = own(s, f);
        bool given = f->formula && f->raw.type != RIDGE_PY_T_UNSET && f->raw.type != RIDGE_PY_T_NONE;
        if (!name || (!given && !s->alone[i].formula && !is_replaced(f)))
            continue;
        *replaced |= is_replaced(f);
        const char *text = derived_text(s, i, name);
        if (!text)
            return ridge_no_memory(s->calc->err);
        if (!open) {
            ridge_jw_key(w, "derived+");
            ridge_jw_object(w);
            open = true;
        }
        ridge_jw_member_text(w, name, text);
    }
    if (open)
        ridge_jw_end_object(w);
    return RIDGE_OK;
}

/* Where __init__ replaces what is given, it asked for reasons: they must be the same. */
static ridge_status checks(ridge_json_writer *w, const ridge_config_scope *s)
{
    ridge_jw_key(w, "checks");
    ridge_jw_array(w);
    for (size_t i = s->config->first_condition; i < s->config->last_condition; i++) {
        const ridge_condition *c = &s->d->in.conditions[i];
        if (strstr(c->text, "None") || strncmp(c->text, "config.", 7) != 0)
            continue;
        size_t n = 7;
        while (is_letter(c->text[n]))
            n++;
        const char *field = ridge_arena_strdup(s->calc->arena, (ridge_str){c->text + 7, n - 7});
        const char *that = c->holds ? c->text : ridge_arena_printf(s->calc->arena, "not (%s)", c->text);
        bool known = false;
        for (size_t k = 0; k < s->config->count && field; k++)
            known |= strcmp(s->config->fields[k].path, field) == 0 && own(s, &s->config->fields[k]) && !is_replaced(&s->config->fields[k]);
        if (!field || !that)
            return ridge_no_memory(s->calc->err);
        if (!known)
            continue;
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "key", field);
        ridge_jw_member_text(w, "that", that);
        ridge_jw_member_text(w, "why", "was so when its class was learned, and no run went the other way");
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
    return RIDGE_OK;
}

/* ---- nested configs ---- */

/* the config that is nested here under the name that the path goes on with; NULL: the path goes no further, or was met before */
static const char *nested(const ridge_config_scope *s, size_t at)
{
    size_t n = strlen(s->prefix);
    const char *path = s->config->fields[at].path, *dot = strncmp(path, s->prefix, n) == 0 ? strchr(path + n, '.') : NULL;
    if (!dot || memchr(path + n, '[', (size_t)(dot - path) - n))
        return NULL;
    for (size_t i = 0; i < at; i++)
        if (strncmp(s->config->fields[i].path, path, (size_t)(dot - path) + 1) == 0)
            return NULL;
    return ridge_arena_strdup(s->calc->arena, (ridge_str){path + n, (size_t)(dot - path) - n});
}

static const char *nested_key(const ridge_config_scope *s, const char *name)
{
    return ridge_arena_printf(s->calc->arena, "%s__%s", s->key, name);
}

static ridge_status sub_configs(ridge_json_writer *w, const ridge_config_scope *s)
{
    bool open = false;
    for (size_t i = 0; i < s->config->count; i++) {
        const char *name = nested(s, i), *key = name ? nested_key(s, name) : NULL;
        if (!name)
            continue;
        if (!key)
            return ridge_no_memory(s->calc->err);
        if (!open) {
            ridge_jw_key(w, "sub_configs");
            ridge_jw_object(w);
            open = true;
        }
        ridge_jw_member_text(w, name, key);
    }
    if (open)
        ridge_jw_end_object(w);
    return RIDGE_OK;
}

/* the model_type that config.json gives the nested config, by which models find its entry; "": none, or the model's own */
static const char *nested_type(const ridge_config_scope *s)
{
    const ridge_json *at = s->d->json;
    for (const char *p = s->prefix; at && *p;) {
        size_t n = strcspn(p, ".");
        at = ridge_json_get_str(at, (ridge_str){p, n});
        p += n + (p[n] == '.');
    }
    const ridge_json *type = ridge_json_get(at, "model_type");
    bool other = type && type->type == RIDGE_JSON_STRING && !ridge_str_eq(type->u.text, ridge_str_of(s->d->model_type));
    return other ? ridge_arena_strdup(s->calc->arena, type->u.text) : "";
}

/* the model_type of the nested config's class; NULL: it has none */
static ridge_status class_type(const char **out, const ridge_config_scope *s)
{
    ridge_py_interp *in = (ridge_py_interp *)(uintptr_t)&s->d->in;
    ridge_py at = s->config->instance, type = ridge_py_unset();
    ridge_status st = RIDGE_OK;
    *out = NULL;
    for (const char *p = s->prefix; *p && !st && at.type == RIDGE_PY_T_INSTANCE;) {
        const size_t n = strcspn(p, ".");
        const char *name = ridge_arena_strdup(s->calc->arena, (ridge_str){p, n});
        const ridge_symbol *symbol = name ? ridge_py_symbol(in, name) : NULL;
        st = symbol ? ridge_py_find(&at, at, symbol, in) : ridge_no_memory(s->calc->err);
        p += n + (p[n] == '.');
    }
    const ridge_symbol *symbol = ridge_py_symbol(in, "model_type");
    if (!st && !symbol)
        st = ridge_no_memory(s->calc->err);
    if (!st && at.type == RIDGE_PY_T_INSTANCE)
        st = ridge_py_find(&type, at, symbol, in);
    if (!st && type.type == RIDGE_PY_T_STR && type.u.s->text.n > 0 && !(*out = ridge_arena_strdup(s->calc->arena, type.u.s->text)))
        st = ridge_no_memory(s->calc->err);
    return st;
}

/* a nested config of another type has other modules */
static void check_type(ridge_json_writer *w, const char *kind)
{
    ridge_jw_key(w, "checks");
    ridge_jw_array(w);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "key", "model_type");
    ridge_buf that = {0};
    ridge_buf_addf(&that, "config.model_type == '%s'", kind);
    ridge_jw_key(w, "that");
    ridge_jw_str(w, (ridge_str){that.p, that.n});
    ridge_buf_free(&that);
    ridge_jw_member_text(w, "why", "is another than that of which its class was learned, and the modules within are others");
    ridge_jw_end_object(w);
    ridge_jw_end_array(w);
}

static ridge_status write_nested(ridge_json_writer *w, const ridge_config_scope *s, unsigned depth);

static ridge_status write_one_nested(ridge_json_writer *w, const ridge_config_scope *outer, const char *name, unsigned depth)
{
    ridge_config_scope s = *outer;
    bool replaced;
    s.prefix = ridge_arena_printf(s.calc->arena, "%s%s.", outer->prefix, name);
    s.key = nested_key(outer, name);
    if (!s.prefix || !s.key)
        return ridge_no_memory(s.calc->err);
    ridge_status st = leave_each_out(&s);
    const char *type = nested_type(&s), *kind;
    if (st || !type || (st = class_type(&kind, &s)))
        return st ? st : ridge_no_memory(s.calc->err);
    ridge_jw_key(w, s.key);
    ridge_jw_object(w);
    ridge_jw_member_text(w, "kind", "config");
    ridge_jw_member_text(w, "model_type", type);
    ridge_jw_member_text(w, "inherits", "transformers__configuration_utils__PretrainedConfig");
    ridge_jw_member_text(w, "thinking", "A nested config: the fields that entries use, with the values they had where they were learned.");
    members(w, &s, kind);
    if (kind)
        check_type(w, kind);
    if ((st = derived(w, &s, &replaced)) || (st = sub_configs(w, &s)))
        return st;
    ridge_jw_end_object(w);
    return write_nested(w, &s, depth + 1);
}

static ridge_status write_nested(ridge_json_writer *w, const ridge_config_scope *s, unsigned depth)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < s->config->count && depth < DEPTH_LIMIT && !st; i++) {
        const char *name = nested(s, i);
        if (name)
            st = write_one_nested(w, s, name, depth);
    }
    return st;
}

static const char *key_of(const ridge_py_class *class, ridge_arena *arena)
{
    ridge_buf text = {0};
    for (const char *p = class->module ? class->module->name : ""; *p; p++)
        if (*p == '.')
            ridge_buf_addz(&text, "__");
        else
            ridge_buf_addc(&text, *p);
    ridge_buf_addf(&text, "%s%s", text.n ? "__" : "", class->name->text);
    return ridge_arena_take(arena, &text);
}

ridge_status ridge_template_config(ridge_json_writer *w, ridge_derivation *d, const char *model, const char *entries,
                                   const ridge_derive_workload *workload, const ridge_calc *calc)
{
    const ridge_py instance = d->config.instance;
    const char *class = strrchr(d->class_path, '.');
    bool replaced;
    ridge_config_scope s = {.prefix = "", .d = d, .config = &d->config, .entries = entries, .calc = calc};
    if (instance.type != RIDGE_PY_T_INSTANCE || !d->model_type)
        return RIDGE_OK; /* no library's config: the entries are used by their names */
    if (!(s.key = key_of(instance.u.instance->class, calc->arena)))
        return ridge_no_memory(calc->err);
    ridge_status st = leave_each_out(&s);
    if (st)
        return st;
    ridge_jw_key(w, s.key);
    ridge_jw_object(w);
    ridge_jw_member_text(w, "kind", "config");
    ridge_jw_member_text(w, "model_type", d->model_type);
    ridge_jw_member_text(w, "inherits", "transformers__configuration_utils__PretrainedConfig");
    ridge_jw_member_text(w, "thinking",
                         "Fields and defaults as the config class sets them; a field with a formula is computed by its __init__.");
    members(w, &s, NULL);
    if ((st = derived(w, &s, &replaced)) || (replaced && (st = checks(w, &s))) || (st = ridge_config_workload(w, &s, workload)) ||
        (st = sub_configs(w, &s)))
        return st;
    ridge_jw_key(w, "classes");
    ridge_jw_object(w);
    if (!ridge_config_is_encoder_decoder(&s, workload))
        ridge_jw_member_text(w, class ? class + 1 : d->class_path, model);
    else {
        ridge_jw_key(w, class ? class + 1 : d->class_path);
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "use", model);
        ridge_jw_key(w, "encoder_decoder");
        ridge_jw_bool(w, true);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_object(w);
    ridge_jw_member_text(w, "default_class", class ? class + 1 : d->class_path);
    ridge_jw_key(w, "validation");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "status", ridge_validation_names[RIDGE_VALIDATION_DERIVED]);
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
    return write_nested(w, &s, 0);
}
