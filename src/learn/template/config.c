/* A config class as an entry: its fields with their defaults, and what is computed from others. */
#include "learn/template/config.h"

enum { DEPTH_LIMIT = 8, ITEM_LIMIT = 4000 };

/* of the library's base class: every config has them, and no formula uses them */
static const char *const common[] = {
    "return_dict", "output_hidden_states", "output_attentions", "torchscript", "torch_dtype", "dtype", "use_bfloat16", "tf_legacy_loss",
    "pruned_heads", "chunk_size_feed_forward", "is_encoder_decoder", "is_decoder", "add_cross_attention", "tie_encoder_decoder", "architectures",
    "finetuning_task", "id2label", "label2id", "num_labels", "task_specific_params", "problem_type", "tokenizer_class", "prefix", "bos_token_id",
    "pad_token_id", "eos_token_id", "sep_token_id", "decoder_start_token_id", "max_length", "min_length", "do_sample", "early_stopping", "num_beams",
    "num_beam_groups", "diversity_penalty", "temperature", "top_k", "top_p", "typical_p", "repetition_penalty", "length_penalty",
    "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids", "num_return_sequences", "output_scores", "return_dict_in_generate",
    "forced_bos_token_id", "forced_eos_token_id", "remove_invalid_values", "exponential_decay_length_penalty", "suppress_tokens",
    "begin_suppress_tokens", "transformers_version", "model_type", "cross_attention_hidden_size", "name_or_path", "use_cache"};

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

static bool is_letter(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* is config.<path> in the text? */
static bool is_mentioned(const char *path, const char *text)
{
    size_t n = strlen(path);
    for (const char *p = text; (p = strstr(p, "config.")); p += 7)
        if (strncmp(p + 7, path, n) == 0 && !is_letter(p[7 + n]))
            return true;
    return false;
}

/* a field of the config itself that an entry may use */
static bool is_own(const ridge_learn_field *f, const char *entries)
{
    return !strchr(f->path, '.') && !strchr(f->path, '[') && is_plain(f->value, 0) && (!is_common(f->path) || is_mentioned(f->path, entries));
}

/* A field where config.json says everything else: its value, and the formula by which __init__ gives it one. */
typedef struct alone {
    ridge_py value;
    const char *formula; /* NULL: it is a constant */
} alone;

static ridge_py type_of(ridge_py_class *class)
{
    return (ridge_py){.type = RIDGE_PY_T_CLASS, .u.class = class};
}

/* every own field as JSON, but one */
static const char *without(const ridge_learn_config *config, size_t left_out, const ridge_derivation *d, const char *entries, const ridge_calc *calc)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object_compact(&w);
    ridge_jw_member_text(&w, "model_type", d->model_type);
    for (size_t i = 0; i < config->count; i++)
        if (i != left_out && is_own(&config->fields[i], entries)) {
            ridge_jw_key(&w, config->fields[i].path);
            write_value(&w, config->fields[i].value);
        }
    ridge_jw_end_object(&w);
    return ridge_arena_take(calc->arena, &text);
}

static ridge_status leave_out(alone *out, const ridge_learn_config *config, size_t at, ridge_derivation *d, const char *entries, const ridge_calc *calc)
{
    const char *text = without(config, at, d, entries, calc);
    ridge_learn_config other = {0};
    ridge_json *json;
    *out = (alone){.value = config->fields[at].value};
    if (!text)
        return ridge_no_memory(calc->err);
    ridge_status st = ridge_json_parse(&json, ridge_str_of(text), "a config without a field", (ridge_json_options){0}, calc->arena, calc->err);
    if (!st)
        st = ridge_learn_config_make(&other, type_of(d->config.instance.u.instance->class), json, &d->in);
    if (st && st != RIDGE_NOMEM) { /* it must be given: what was given stands for a default */
        ridge_err_clear(calc->err);
        d->in.raised = ridge_py_unset();
        return RIDGE_OK;
    }
    for (size_t i = 0; i < other.count && !st; i++)
        if (strcmp(other.fields[i].path, config->fields[at].path) == 0)
            *out = (alone){other.fields[i].value, other.fields[i].formula};
    return st;
}

static void members(ridge_json_writer *w, const ridge_learn_config *config, const alone *fields, const char *entries)
{
    ridge_jw_key(w, "defaults+");
    ridge_jw_object(w);
    for (size_t i = 0; i < config->count; i++)
        if (is_own(&config->fields[i], entries)) {
            ridge_jw_key(w, config->fields[i].path);
            write_value(w, is_plain(fields[i].value, 0) && !fields[i].formula ? fields[i].value : ridge_py_none());
        }
    ridge_jw_end_object(w);
    ridge_jw_key(w, "types+");
    ridge_jw_object(w);
    for (size_t i = 0; i < config->count; i++) {
        const ridge_learn_field *f = &config->fields[i];
        if (is_own(f, entries))
            ridge_jw_member_text(w, f->path, fields[i].value.type == f->value.type && f->value.type == RIDGE_PY_T_STR ? "string|null" : "any");
    }
    ridge_jw_end_object(w);
    ridge_jw_key(w, "zero_ok");
    ridge_jw_array_compact(w);
    for (size_t i = 0; i < config->count; i++)
        if (is_own(&config->fields[i], entries))
            ridge_jw_strz(w, config->fields[i].path);
    ridge_jw_end_array(w);
}

/* Fields that __init__ computes from others: where config.json says nothing, or whatever it says. */
static ridge_status derived(ridge_json_writer *w, const ridge_learn_config *config, const alone *fields, const char *entries, const ridge_calc *calc)
{
    bool open = false;
    for (size_t i = 0; i < config->count; i++) {
        const ridge_learn_field *f = &config->fields[i];
        bool given = f->formula && f->raw.type != RIDGE_PY_T_UNSET && f->raw.type != RIDGE_PY_T_NONE;
        const char *text = given ? f->formula : NULL;
        if (!is_own(f, entries) || (!given && !fields[i].formula))
            continue;
        if (!given)
            text = ridge_arena_printf(calc->arena, "%s if config.%s == None else config.%s", fields[i].formula, f->path, f->path);
        if (!text)
            return ridge_no_memory(calc->err);
        if (!open) {
            ridge_jw_key(w, "derived+");
            ridge_jw_object(w);
            open = true;
        }
        ridge_jw_member_text(w, f->path, text);
    }
    if (open)
        ridge_jw_end_object(w);
    return RIDGE_OK;
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

/* how long a sequence may be, and whether a table of that length is learned */
static ridge_status positions(ridge_json_writer *w, const ridge_learn_config *config, const char *entries, const ridge_calc *calc)
{
    static const char *const names[] = {"max_position_embeddings", "n_positions", "max_target_positions", "max_sequence_length", "n_ctx"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (size_t i = 0; i < config->count; i++) {
            if (strcmp(config->fields[i].path, names[k]) != 0 || config->fields[i].value.type != RIDGE_PY_T_INT)
                continue;
            const char *field = ridge_arena_printf(calc->arena, "config.%s", names[k]);
            const char *table = ridge_arena_printf(calc->arena, ", config.%s, ", names[k]); /* {torch__nn__Embedding}(rows, positions, size) */
            if (!field || !table)
                return ridge_no_memory(calc->err);
            ridge_jw_key(w, "positions");
            ridge_jw_object_compact(w);
            ridge_jw_member_text(w, "max", field);
            ridge_jw_member_text(w, "learned", strstr(entries, table) ? "True" : "False");
            ridge_jw_end_object(w);
            return RIDGE_OK;
        }
    return RIDGE_OK;
}

ridge_status ridge_template_config(ridge_json_writer *w, ridge_derivation *d, const char *model, const char *entries, const ridge_calc *calc)
{
    const ridge_py instance = d->config.instance;
    const char *class = strrchr(d->class_path, '.');
    if (instance.type != RIDGE_PY_T_INSTANCE || !d->model_type)
        return RIDGE_OK; /* no library's config: the entries are used by their names */
    const char *key = key_of(instance.u.instance->class, calc->arena);
    if (!key)
        return ridge_no_memory(calc->err);
    ridge_status st = RIDGE_OK;
    alone *fields = ridge_arena_array(calc->arena, d->config.count + 1, sizeof *fields);
    if (!fields)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < d->config.count && !st; i++)
        if (is_own(&d->config.fields[i], entries))
            st = leave_out(&fields[i], &d->config, i, d, entries, calc);
    if (st)
        return st;
    ridge_jw_key(w, key);
    ridge_jw_object(w);
    ridge_jw_member_text(w, "kind", "config");
    ridge_jw_member_text(w, "model_type", d->model_type);
    ridge_jw_member_text(w, "inherits", "transformers__configuration_utils__PretrainedConfig");
    ridge_jw_member_text(w, "thinking", "Fields and defaults as the config class sets them; a field with a formula is computed by its __init__.");
    members(w, &d->config, fields, entries);
    if ((st = derived(w, &d->config, fields, entries, calc)) || (st = positions(w, &d->config, entries, calc)))
        return st;
    ridge_jw_key(w, "classes");
    ridge_jw_object(w);
    ridge_jw_member_text(w, class ? class + 1 : d->class_path, model);
    ridge_jw_end_object(w);
    ridge_jw_member_text(w, "default_class", class ? class + 1 : d->class_path);
    ridge_jw_key(w, "validation");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "status", "derived");
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
    return RIDGE_OK;
}
