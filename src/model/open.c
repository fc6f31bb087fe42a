/* Opens a model: its config file, the config entry and the head class that it means, its dtype, what was learned of it. */
#include "model/analysis.h"

#include "base/file.h"
#include "graph/config.h"
#include "model/inventory.h"

/* ---- config and head class ---- */

static ridge_str string_of(const ridge_json *json, const char *key)
{
    const ridge_json *v = ridge_json_get(json, key);
    return v && v->type == RIDGE_JSON_STRING ? v->u.text : (ridge_str){"", 0};
}

/* A config of diffusers says its class in _class_name: that is its head class, and its type where it has no model_type. */
static const char *type_key(const ridge_json *json)
{
    return !string_of(json, "model_type").n && string_of(json, "_class_name").n ? "_class_name" : "model_type";
}

static ridge_str type_of(const ridge_json *json)
{
    return string_of(json, type_key(json));
}

static const char *head_key(const ridge_json *json)
{
    return string_of(json, "_class_name").n ? "_class_name" : "architectures";
}

static ridge_str first_architecture(const ridge_json *json)
{
    const ridge_json *v = ridge_json_get(json, head_key(json));
    if (v && v->type == RIDGE_JSON_ARRAY && v->count)
        v = &v->u.items[0];
    return v && v->type == RIDGE_JSON_STRING ? v->u.text : (ridge_str){"", 0};
}

static ridge_status check_string(const ridge_analysis *a, const char *key, ridge_err *err)
{
    const ridge_json *v = ridge_json_get(a->file.json, key);
    if (!v || v->type == RIDGE_JSON_STRING || v->type == RIDGE_JSON_NULL)
        return RIDGE_OK;
    return ridge_fail_at(err, RIDGE_TYPE, a->file.path, v->line, v->col, "%s: want a string, found %s", key, ridge_config_type_name(v));
}

/* all may be null or missing, not something else */
static ridge_status check_names(ridge_analysis *a, ridge_err *err)
{
    const ridge_json *list = ridge_json_get(a->file.json, "architectures");
    ridge_status st = check_string(a, "model_type", err);
    if (st || (st = check_string(a, "_class_name", err)))
        return st;
    if (!list || list->type == RIDGE_JSON_NULL || string_of(a->file.json, "_class_name").n)
        return RIDGE_OK;
    if (list->type != RIDGE_JSON_ARRAY)
        return ridge_fail_at(err, RIDGE_TYPE, a->file.path, list->line, list->col, "architectures: want a list of strings, found %s",
                             ridge_config_type_name(list));
    for (uint32_t i = 0; i < list->count; i++)
        if (list->u.items[i].type != RIDGE_JSON_STRING)
            return ridge_fail_at(err, RIDGE_TYPE, a->file.path, list->u.items[i].line, list->u.items[i].col,
                                 "architectures: want a list of strings, found %s in it", ridge_config_type_name(&list->u.items[i]));
    return RIDGE_OK;
}

/* keeps the nearest name; *distance starts at the first that is too far */
static void offer(ridge_str *best, unsigned *distance, ridge_str want, ridge_str name)
{
    unsigned d = name.n ? ridge_str_distance(want, name, *distance) : *distance;
    if (d < *distance) {
        *distance = d;
        *best = name;
    }
}

static unsigned too_far(ridge_str word)
{
    return word.n > 5 ? 3 : 2;
}

/* gemma3 and gemma2: another version, which nobody typed wrongly */
static bool differ_in_digits_only(ridge_str a, ridge_str b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a.n && a.p[i] >= '0' && a.p[i] <= '9')
            i++;
        while (k < b.n && b.p[k] >= '0' && b.p[k] <= '9')
            k++;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n;
        if (a.p[i] != b.p[k])
            return false;
    }
}

static ridge_str nearest_type(ridge_analysis *a, ridge_str type)
{
    ridge_source **configs;
    ridge_entry *entry;
    ridge_str best = {"", 0};
    size_t count;
    unsigned distance = too_far(type);
    if (!type.n || ridge_registry_configs(&configs, &count, a->registry, NULL))
        return best;
    for (size_t i = 0; i < count; i++) {
        if (ridge_registry_entry(&entry, a->registry, configs[i]->key, NULL) || !entry->config || !entry->config->class_count)
            continue;
        if (differ_in_digits_only(type, entry->config->model_type))
            return (ridge_str){"", 0}; /* it is meant, and is not here yet */
        offer(&best, &distance, type, entry->config->model_type);
    }
    return best;
}

static ridge_status unknown_architecture(ridge_analysis *a, ridge_str model_type, ridge_str head, ridge_err *err)
{
    const ridge_json *at = ridge_json_get(a->file.json, model_type.n ? type_key(a->file.json) : head_key(a->file.json));
    ridge_str near = nearest_type(a, model_type), name = model_type.n ? model_type : head;
    if (!name.n)
        return ridge_fail_at(err, RIDGE_UNKNOWN, a->file.path, 1, 1,
                             "the config names neither 'model_type' nor 'architectures' nor '_class_name'");
    ridge_status st = ridge_fail_at(err, RIDGE_UNKNOWN, a->file.path, at ? at->line : 0, at ? at->col : 0, "the architecture '%.*s'",
                                    RIDGE_STR_ARG(name));
    if (model_type.n && head.n && !ridge_str_eq(model_type, head))
        ridge_err_append(err, " (%.*s)", RIDGE_STR_ARG(head));
    ridge_err_append(err, " is not in the catalog");
    if (near.n)
        ridge_err_append(err, "; did you mean '%.*s'? A new one", RIDGE_STR_ARG(near));
    ridge_err_append(err,
                     "%s needs a config entry with that model_type and entries for its modules; see docs/add-a-model.md, then 'ridge db "
                     "add FILE'; or " RIDGE_OPT("learn") " reads its Python source",
                     near.n ? "" : ": it");
    return st;
}

static const ridge_head_class *find_head(const ridge_config_spec *spec, ridge_str name)
{
    for (size_t i = 0; i < spec->class_count; i++)
        if (ridge_str_eq(spec->classes[i].name, name))
            return &spec->classes[i];
    return NULL;
}

/* `given`: by --class, not by the config */
static ridge_status unknown_head(ridge_analysis *a, ridge_str name, bool given, ridge_err *err)
{
    const ridge_config_spec *spec = a->config_entry->config;
    const ridge_json *at = ridge_json_get(a->file.json, head_key(a->file.json));
    ridge_str near = {"", 0};
    unsigned distance = too_far(name);
    ridge_status st;
    if (given)
        st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("class") ": no class '%.*s' for model_type '%.*s'", RIDGE_STR_ARG(name),
                        RIDGE_STR_ARG(spec->model_type));
    else
        st = ridge_fail_at(err, RIDGE_UNKNOWN, a->file.path, at ? at->line : 0, at ? at->col : 0,
                           "the class '%.*s' is not in the catalog for model_type '%.*s'", RIDGE_STR_ARG(name),
                           RIDGE_STR_ARG(spec->model_type));
    for (size_t i = 0; i < spec->class_count; i++)
        offer(&near, &distance, name, spec->classes[i].name);
    if (near.n)
        ridge_err_append(err, "; did you mean '%.*s'?", RIDGE_STR_ARG(near));
    ridge_err_append(err, "%sknown: ", near.n ? " " : "; ");
    for (size_t i = 0; i < spec->class_count; i++)
        ridge_err_append(err, "%s%.*s", i ? ", " : "", RIDGE_STR_ARG(spec->classes[i].name));
    if (!spec->class_count)
        ridge_err_append(err, "none");
    return st;
}

static bool names_architecture(const ridge_json *config, ridge_str head)
{
    const ridge_json *list = ridge_json_get(config, "architectures");
    for (uint32_t i = 0; list && list->type == RIDGE_JSON_ARRAY && i < list->count; i++)
        if (list->u.items[i].type == RIDGE_JSON_STRING && ridge_str_eq(list->u.items[i].u.text, head))
            return true;
    return false;
}

/* --class names a class of another family than the config: its modules would be built of keys that mean something else, or of none */
static ridge_status other_family(const ridge_analysis *a, ridge_str head, const ridge_config_spec *spec, ridge_err *err)
{
    ridge_str type = type_of(a->file.json), own = first_architecture(a->file.json);
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("class") ": %.*s is a class of model_type '%.*s'; %s is of %s%.*s%s", RIDGE_STR_ARG(head),
                      RIDGE_STR_ARG(spec->model_type), a->file.path, type.n ? "model_type '" : "the class '",
                      RIDGE_STR_ARG((type.n ? type : own)), type.n ? "', which is not in the catalog" : "'");
}

static bool is_whole(const ridge_json *v)
{
    return v->type == RIDGE_JSON_NUMBER && strspn(v->u.text.p, "0123456789") >= v->u.text.n;
}

/* Nothing but the class says what the config is. Sizes in it that the class's family does not know are told: num_experts, ... */
static ridge_status warn_guess(ridge_analysis *a, ridge_str head, const ridge_config_spec *spec, ridge_err *err)
{
    const ridge_json *json = a->file.json;
    ridge_str type = type_of(json);
    ridge_words keys = {0};
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; i < json->count && !st; i++) {
        const ridge_symbol *name = ridge_intern_find(&a->registry->symbols, json->u.members[i].key);
        if (!is_whole(&json->u.members[i].value) || (name && ridge_config_knows(spec, name)))
            continue;
        const char *key = ridge_arena_strdup(&a->arena, json->u.members[i].key);
        st = key ? ridge_words_add(&keys, key, &a->arena, err) : ridge_no_memory(err);
    }
    if (st || (!type.n && !keys.count))
        return st;
    return ridge_analysis_warn(a, err, "%s%.*s%s: counted as %.*s of '%.*s'%s%s", type.n ? "model_type '" : "the config has no model_type",
                               RIDGE_STR_ARG(type), type.n ? "' is not in the catalog" : "", RIDGE_STR_ARG(head),
                               RIDGE_STR_ARG(spec->model_type), keys.count ? ", which does not know " : "",
                               ridge_words_joined(&keys, &a->arena));
}

/* The type is known, and why nothing of it can be counted. */
static ridge_status refused(const ridge_analysis *a, ridge_str type, const ridge_config_spec *spec, ridge_err *err)
{
    const ridge_json *at = ridge_json_get(a->file.json, type.n ? "model_type" : "architectures");
    return ridge_fail_at(err, RIDGE_UNKNOWN, a->file.path, at ? at->line : 1, at ? at->col : 1,
                         "the architecture '%.*s' is not counted: %.*s", RIDGE_STR_ARG((type.n ? type : spec->model_type)),
                         RIDGE_STR_ARG(spec->refused));
}

/* By model_type. A config with an unknown one, or none, goes by its class (a family's derivative as DeepseekV3ForCausalLM): its own, or one
 * given where it has none, for then nothing speaks against it. */
static ridge_status find_config(ridge_analysis *a, ridge_str head, bool given, ridge_err *err)
{
    ridge_str type = type_of(a->file.json);
    ridge_source *source = ridge_registry_config(a->registry, type, head);
    ridge_entry *entry;
    bool guessed = !type.n || !source;
    if (!source && type.n && head.n)
        source = ridge_registry_config(a->registry, RIDGE_STR(""), head);
    if (ridge_registry_failed(a->registry))
        return ridge_no_memory(err);
    if (!source)
        return unknown_architecture(a, type, head, err);
    ridge_status st = ridge_registry_config_entry(&entry, a->registry, source->key, err);
    if (st)
        return st;
    if (entry->config && entry->config->refused.p)
        return refused(a, type, entry->config, err);
    a->config_entry = entry;
    if (!guessed || !entry->config)
        return RIDGE_OK;
    ridge_str own = first_architecture(a->file.json);
    if (given && (type.n || own.n) && !find_head(entry->config, own) && !names_architecture(a->file.json, head))
        return other_family(a, head, entry->config, err);
    return warn_guess(a, head, entry->config, err);
}

static ridge_status read_dtype(ridge_analysis *a, const char *key, const ridge_json *v, ridge_err *err)
{
    if (v->type != RIDGE_JSON_STRING)
        return ridge_fail_at(err, RIDGE_TYPE, a->file.path, v->line, v->col, "%s: want a string, found %s", key, ridge_config_type_name(v));
    const ridge_format *f = ridge_format_find(v->u.text);
    if (!f)
        return ridge_fail_at(err, RIDGE_VALUE, a->file.path, v->line, v->col,
                             "%s: unknown number format '%.*s'; 'ridge formats' lists them", key, RIDGE_STR_ARG(v->u.text));
    if (f->integer)
        return ridge_fail_at(err, RIDGE_VALUE, a->file.path, v->line, v->col, "%s: '%.*s' is a format of indices and masks", key,
                             RIDGE_STR_ARG(v->u.text));
    a->dtype = f;
    return RIDGE_OK;
}

/* `dtype` is today's name, `torch_dtype` the old one; "auto" says nothing. NULL: it does not say */
static const ridge_json *dtype_in(const char **key, const ridge_json *config)
{
    static const char *const keys[] = {"dtype", "torch_dtype"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const ridge_json *v = ridge_json_get(config, *key = keys[i]);
        if (v && v->type != RIDGE_JSON_NULL && !(v->type == RIDGE_JSON_STRING && ridge_str_is(v->u.text, "auto")))
            return v;
    }
    return NULL;
}

/* Where a config of several says nothing itself, the one of its text does. */
static ridge_status find_dtype(ridge_analysis *a, ridge_err *err)
{
    static const char *const texts[] = {"text_config", "llm_config", "language_config", "thinker_config", "decoder"};
    const char *key;
    const ridge_json *v = dtype_in(&key, a->file.json);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !v; i++) {
        const ridge_json *text = ridge_json_get(a->file.json, texts[i]);
        v = text && text->type == RIDGE_JSON_OBJECT ? dtype_in(&key, text) : NULL;
    }
    if (v)
        return read_dtype(a, key, v, err);
    if (a->file.inventory && (a->dtype = ridge_inventory_format(a->file.inventory)))
        return RIDGE_OK;
    /* a file of quantised weights does not say what its model computes in: what products of such weights do here */
    a->dtype = ridge_format_find(a->file.gguf ? RIDGE_STR("bf16") : RIDGE_STR("fp32"));
    a->dtype_assumed = true;
    return RIDGE_OK;
}

/* ---- what was learned ---- */

ridge_status ridge_analysis_learned_key(ridge_learned_key *out, ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_str head = r->head_class ? ridge_str_of(r->head_class) : first_architecture(a->file.json);
    const char *slash = r->config_text ? NULL : strrchr(a->file.path, '/');
    const char *folder = slash ? ridge_arena_strdup(&a->arena, (ridge_str){a->file.path, (size_t)(slash - a->file.path)}) : ".";
    return ridge_learned_key_of(out, type_of(a->file.json), head, a->file.text, r->config_text ? NULL : folder, &a->arena, err);
}

static ridge_status tell_learned(ridge_analysis *a, const char *path, ridge_err *err)
{
    a->learned = path;
    ridge_status st = ridge_learned_tell(&a->learned_told, path, &a->arena, err);
    if (st || a->learned_told.state == RIDGE_LEARNED_FRESH)
        return st;
    if (a->learned_told.state == RIDGE_LEARNED_GONE)
        return ridge_analysis_warn(a, err, "counted with what was learned before: its source %s is no longer there", a->learned_told.file);
    return ridge_analysis_warn(a, err, "counted with what was learned before %s changed; " RIDGE_OPT("learn") " reads it anew",
                               a->learned_told.file);
}

/* What the catalog does not know may have been learned of this very config, beside this very code. st: of find_config. */
static ridge_status find_learned(ridge_analysis *a, const ridge_model_request *r, ridge_str head, ridge_status st, ridge_err *err)
{
    const char *loaded = !st && ridge_learned_holds(a->config_entry->source->file) ? a->config_entry->source->file : NULL, *path;
    const bool known = !st && (!head.n || find_head(a->config_entry->config, head));
    ridge_learned_key key;
    ridge_err other = {0};
    if (!a->registry->learned || (known && !loaded) || (st && st != RIDGE_UNKNOWN))
        return st;
    if (ridge_analysis_learned_key(&key, a, r, &other))
        return ridge_no_memory(err);
    if (!(path = ridge_learned_find(&key, &a->arena)) && loaded && known && !ridge_file_exists(loaded))
        return RIDGE_OK; /* learned by this command, and it could not be kept */
    if (!path)
        return loaded && !st ? unknown_architecture(a, type_of(a->file.json), head, err) : st;
    if (loaded && strcmp(path, loaded) == 0)
        return tell_learned(a, path, err);
    if (err)
        ridge_err_clear(err);
    if ((st = tell_learned(a, path, err)) || (st = ridge_learned_load(a->registry, path, err)))
        return st;
    return find_config(a, head, r->head_class, err);
}

/* ---- inventories ---- */

/* Does the catalog have the class that an inventory is of, by the config that it keeps and with its Python module? */
static ridge_status knows_inventory(bool *out, ridge_analysis *a, ridge_err *err)
{
    const ridge_inventory *inventory = a->file.inventory;
    const ridge_str name = ridge_inventory_class(inventory), type = inventory->config ? type_of(inventory->config) : (ridge_str){"", 0};
    ridge_source *source = type.n ? ridge_registry_config(a->registry, type, name) : NULL;
    ridge_entry *config, *entry;
    *out = false;
    if (ridge_registry_failed(a->registry))
        return ridge_no_memory(err);
    if (!source)
        return RIDGE_OK;
    ridge_status st = ridge_registry_config_entry(&config, a->registry, source->key, err);
    const ridge_head_class *head = st || config->config->refused.p ? NULL : find_head(config->config, name);
    if (!head || (st = ridge_registry_entry(&entry, a->registry, head->entry, err)))
        return st;
    *out = !entry->class_name || ridge_str_is(inventory->class_name, entry->class_name);
    return RIDGE_OK;
}

static ridge_status nothing_recorded(const ridge_analysis *a, ridge_arena *arena, ridge_err *err)
{
    const ridge_inventory *inventory = a->file.inventory;
    const char *path = a->file.name;
    if (inventory->failed)
        return ridge_fail(err, RIDGE_UNKNOWN, "%s: what a forward pass runs is not recorded, so it has no cost: %s", path,
                          ridge_weight_shown(arena, ridge_str_of(inventory->failed)));
    return ridge_fail(err, RIDGE_UNKNOWN,
                      "%s: an inventory without a recorded forward pass, of a class that the catalog does not have: it has parameters "
                      "('ridge inspect') and no cost; made again by ridge_inventory.py with --input SHAPE it has one",
                      path);
}

/* The catalog has the class, and is the module the one that it counts? Where it is not, what it ran counts, if that is recorded. A fault of
 * the config itself is told later, with its place. */
static ridge_status hold(bool *known, ridge_analysis *a, ridge_err *err)
{
    ridge_err why = {0};
    bool counted = true;
    const ridge_status st = *known ? ridge_inventory_hold(&counted, a, &why) : RIDGE_OK;
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(err);
    if (!st || (!a->file.inventory->graph && !counted))
        return RIDGE_OK;
    if (!a->file.inventory->graph)
        return ridge_fail(err, st, "%s", why.msg);
    *known = false;
    return ridge_analysis_warn(a, err, "%s; counted by the operators that its forward pass ran", why.msg);
}

/* The way of its config where the catalog has it, else that of the operators that its forward pass ran. */
static ridge_status open_inventory(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    bool known;
    if (!a->file.inventory)
        return RIDGE_OK;
    if (r->head_class)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("class") ": %s is an inventory of one class", a->file.name);
    ridge_status st = knows_inventory(&known, a, err);
    if (st || (st = hold(&known, a, err)) || known)
        return st;
    if (!a->file.inventory->graph)
        return nothing_recorded(a, &a->arena, err);
    a->file.opgraph = a->file.inventory->graph;
    return RIDGE_OK;
}

ridge_status ridge_analysis_open(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_status st;
    if (r->config_text)
        st = ridge_model_parse(&a->file, r->model, r->model, (ridge_str){r->config_text, r->config_length}, &a->arena, err);
    else
        st = ridge_model_read(&a->file, r->model, &a->arena, err);
    if (st)
        return st;
    if ((st = open_inventory(a, r, err)) || (st = ridge_analysis_read_opgraph(a, r, err)) || (st = check_names(a, err)) ||
        (st = find_dtype(a, err)))
        return st;
    ridge_str head = r->head_class ? ridge_str_of(r->head_class) : first_architecture(a->file.json);
    if (a->file.inventory && !a->ops)
        head = ridge_inventory_class(a->file.inventory);
    if ((st = find_learned(a, r, head, find_config(a, head, r->head_class, err), err))) {
        if (st != RIDGE_UNKNOWN || !r->partial)
            return st;
        ridge_err_clear(err);
        a->config_entry = NULL;
        a->architecture = head.n ? ridge_arena_strdup(&a->arena, head) : "an unknown architecture";
        return a->architecture ? RIDGE_OK : ridge_no_memory(err);
    }
    if (!head.n)
        head = a->config_entry->config->default_class;
    if (!(a->head = find_head(a->config_entry->config, head)))
        return unknown_head(a, head, r->head_class, err);
    a->architecture = ridge_arena_strdup(&a->arena, head);
    return a->architecture ? RIDGE_OK : ridge_no_memory(err);
}
