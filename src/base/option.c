#include "base/option.h"

ridge_status ridge_words_add(ridge_words *words, const char *text, ridge_arena *arena, ridge_err *err)
{
    /* room for the next power of two: grown where the count is one */
    if ((words->count & (words->count - 1)) == 0) {
        size_t room = words->count == 0 ? 1 : words->count * 2;
        const char **items = ridge_arena_array(arena, room, sizeof *items);
        if (!items)
            return ridge_no_memory(err);
        if (words->count > 0)
            memcpy(items, words->items, words->count * sizeof *items);
        words->items = items;
    }
    words->items[words->count++] = text;
    return RIDGE_OK;
}

const char *ridge_words_find(const ridge_words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], text) == 0)
            return words->items[i];
    return NULL;
}

const char *ridge_words_joined(const ridge_words *words, ridge_arena *arena)
{
    const char *all = "";
    for (size_t i = 0; i < words->count && all; i++)
        all = ridge_arena_printf(arena, "%s%s%s", all, i > 0 ? ", " : "", words->items[i]);
    return all ? all : "";
}

/* ---- finding ---- */

/* '_' in what was written stands for '-' */
static bool is_named(const ridge_option *option, ridge_str name)
{
    size_t i = 0;
    while (i < name.n && option->name[i] != '\0' && (name.p[i] == option->name[i] || (name.p[i] == '_' && option->name[i] == '-')))
        i++;
    return i == name.n && option->name[i] == '\0';
}

static bool is_in(const char *const *only, const char *name)
{
    if (!only)
        return true;
    while (*only && strcmp(*only, name) != 0)
        only++;
    return *only;
}

const ridge_option *ridge_options_find(void **at, const ridge_option_places *places, const ridge_option_table *tables, ridge_str name)
{
    for (const ridge_option_table *table = tables; table->options; table++) {
        char *base = table->of_call ? places->call : places->request;
        for (const ridge_option *option = table->options; base && option->name; option++)
            if (is_named(option, name) && is_in(table->only, option->name)) {
                *at = base + table->offset;
                return option;
            }
    }
    return NULL;
}

const ridge_option *ridge_option_named(const ridge_option *options, const char *name)
{
    while (options->name && strcmp(options->name, name) != 0)
        options++;
    return options;
}

bool ridge_options_offered(const ridge_option_table *tables, const ridge_option_table *table, const ridge_option *option)
{
    for (; tables < table; tables++)
        if (ridge_option_named(tables->options, option->name)->name && is_in(tables->only, option->name))
            return false;
    return is_in(table->only, option->name);
}

/* what other programs call an option; the options are tried in this order, those that a command has are named */
static const struct synonym {
    const char *word, *option;
} synonyms[] = {
    {"gpu", "on"},
    {"device", "on"},
    {"hardware", "on"},
    {"hw", "on"},
    {"machine", "on"},
    {"chip", "on"},
    {"quant", "weights"},
    {"quantization", "weights"},
    {"quantize", "weights"},
    {"precision", "weights"},
    {"context", "seq"},
    {"context", "past"},
    {"ctx", "seq"},
    {"ctx", "past"},
    {"ctx-size", "seq"},
    {"ctx-size", "past"},
    {"context-length", "seq"},
    {"context-length", "past"},
    {"max-model-len", "seq"},
    {"max-model-len", "past"},
    {"seq-len", "seq"},
    {"sequence-length", "seq"},
    {"prompt-len", "seq"},
    {"input-len", "seq"},
    {"kv-len", "past"},
    {"batch-size", "batch"},
    {"bs", "batch"},
    {"kv-cache-dtype", "kv"},
    {"kv-dtype", "kv"},
    {"tp", "tensor-parallel"},
    {"pp", "pipeline-parallel"},
    {"ep", "expert-parallel"},
    {"dp", "data-parallel"},
    {"num-gpus", "devices"},
    {"gpus", "devices"},
    {"n-gpus", "devices"},
};

static bool is_offered(const ridge_option_table *tables, const char *name)
{
    for (const ridge_option_table *table = tables; table->options; table++) {
        const ridge_option *option = ridge_option_named(table->options, name);
        if (option->name && ridge_options_offered(tables, table, option))
            return true;
    }
    return false;
}

/* "'--seq' or '--past'": what the name stands for here; "" where it stands for nothing */
static void add_synonyms(ridge_buf *out, const ridge_option_table *tables, ridge_str name)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        const ridge_option option = {.name = synonyms[i].word};
        if (is_named(&option, name) && is_offered(tables, synonyms[i].option))
            ridge_buf_addf(out, "%s'" RIDGE_OPT("%s") "'", out->n > 0 ? " or " : "", synonyms[i].option);
    }
}

const char *ridge_options_meant(const ridge_option_table *tables, ridge_str name)
{
    for (const ridge_option_table *table = tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (is_named(option, name) && ridge_options_offered(tables, table, option))
                return option->name;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        const ridge_option option = {.name = synonyms[i].word};
        if (is_named(&option, name) && is_offered(tables, synonyms[i].option))
            return synonyms[i].option;
    }
    return NULL;
}

ridge_status ridge_options_unknown(const ridge_option_table *tables, ridge_str name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    ridge_buf meant = {0};
    add_synonyms(&meant, tables, name);
    if (meant.n > 0)
        (void)ridge_fail(err, RIDGE_USAGE, "unknown option '" RIDGE_OPT("%.*s") "'; did you mean %s?", RIDGE_STR_ARG(name), meant.p);
    ridge_buf_free(&meant);
    for (const ridge_option_table *table = tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(tables, table, option))
                ridge_nearest_offer(&nearest, name, option->name);
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown option '" RIDGE_OPT("%.*s") "'; did you mean '" RIDGE_OPT("%s") "'?",
                          RIDGE_STR_ARG(name), nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown option '" RIDGE_OPT("%.*s") "'", RIDGE_STR_ARG(name));
}

/* ---- values ---- */

static ridge_status store_truth(bool *out, const ridge_option *option, const char *text, ridge_err *err)
{
    if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s' is neither true nor false", option->name, text);
    *out = !text || text[0] == 't';
    return RIDGE_OK;
}

static ridge_status store_set(int *out, const ridge_option *option, const char *text, ridge_err *err)
{
    bool wanted = false;
    ridge_status st = store_truth(&wanted, option, text, err);
    if (!st && wanted)
        *out = (int)option->min;
    return st;
}

static ridge_status store_int(int64_t *out, const ridge_option *option, const char *text, ridge_err *err)
{
    bool overflow;
    int64_t value;
    if (!ridge_count_parse(&value, &overflow, ridge_str_of(text)))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s' is not an integer (write 1000 or 1k, 1024 or 1Ki)", option->name, text);
    if (!overflow && value >= option->min && value <= option->max) {
        *out = value;
        return RIDGE_OK;
    }
    if (option->max == INT64_MAX && !overflow)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": %s is out of range: it must be at least %lld", option->name, text,
                          (long long)option->min);
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": %s is out of range: it must be from %lld to %lld", option->name, text,
                      (long long)option->min, (long long)option->max);
}

static ridge_status store_count(ridge_int *out, const ridge_option *option, const char *text, ridge_err *err)
{
    int64_t value;
    ridge_status st = store_int(&value, option, text, err);
    if (!st)
        *out = value;
    return st;
}

const char *ridge_option_words(const char *const *words, ridge_arena *arena)
{
    const char *list = words[0];
    for (size_t i = 1; list && words[i]; i++)
        list = ridge_arena_printf(arena, "%s%s%s", list, words[i + 1] ? ", " : " or ", words[i]);
    return list ? list : "";
}

ridge_status ridge_choice_read(int *out, const char *const *words, ridge_str text, const char *name, ridge_arena *arena, ridge_err *err)
{
    ridge_nearest nearest = {0};
    for (int i = 0; words[i]; i++) {
        if (ridge_str_is(text, words[i])) {
            *out = i;
            return RIDGE_OK;
        }
        ridge_nearest_offer(&nearest, text, words[i]);
    }
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "%s: unknown word '%.*s'; did you mean '%s'?", name, RIDGE_STR_ARG(text), nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "%s: unknown word '%.*s'; it takes %s", name, RIDGE_STR_ARG(text),
                      ridge_option_words(words, arena));
}

/* the option in a message: "\376phase" */
static const char *marked(const ridge_option *option, ridge_arena *arena)
{
    const char *name = ridge_arena_printf(arena, RIDGE_OPT("%s"), option->name);
    return name ? name : "";
}

static ridge_status store_real(double *out, const ridge_option *option, const char *text, ridge_err *err)
{
    double value;
    bool time = option->kind == RIDGE_OPTION_SECONDS, positive = time && option->min > 0;
    bool read = time ? ridge_seconds_parse(&value, text) : ridge_real_parse(&value, text);
    if (read && (!positive || value > 0)) {
        *out = value;
        return RIDGE_OK;
    }
    if (positive && (read || ridge_seconds_parse(&value, text + (text[0] == '-'))))
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") " is to be more than 0, not %s", option->name, text);
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%s' is not a %s", option->name, text,
                      time ? "time (write 2.5us, 3ms or 1e-6)" : "number of at least 0");
}

static ridge_status add_format(ridge_formats *out, ridge_str name, const ridge_option *option, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = ridge_format_read(&out->items[out->n], name, marked(option, arena), err);
    for (size_t i = 0; i < out->n && !st; i++)
        if (out->items[i] == out->items[out->n])
            st = ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%.*s' stands there twice", option->name, RIDGE_STR_ARG(name));
    out->n++;
    return st;
}

static ridge_status store_formats(ridge_formats *out, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    size_t most = 1;
    for (const char *at = text; *at != '\0'; at++)
        most += *at == ',';
    *out = (ridge_formats){.items = ridge_arena_array(arena, most, sizeof *out->items)};
    if (!out->items)
        return ridge_no_memory(err);
    for (const char *at = text, *rest = text; rest && !st; at = rest) {
        size_t n = strcspn(at, ",");
        if (n == 0)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": an empty name in '%s'", option->name, text);
        st = add_format(out, (ridge_str){at, n}, option, arena, err);
        rest = at[n] != '\0' ? at + n + 1 : NULL;
    }
    return st;
}

ridge_status ridge_option_store(void *struct_at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    void *at = (char *)struct_at + option->offset;
    if (option->argument && (!text || text[0] == '\0'))
        return ridge_fail(err, RIDGE_USAGE, "'" RIDGE_OPT("%s") "' needs a value (%s)", option->name, option->argument);
    switch (option->kind) {
    case RIDGE_OPTION_FLAG:
        return store_truth(at, option, text, err);
    case RIDGE_OPTION_SET:
        return store_set(at, option, text, err);
    case RIDGE_OPTION_STRING:
        *(const char **)at = text;
        return RIDGE_OK;
    case RIDGE_OPTION_LIST:
        return ridge_words_add(at, text, arena, err);
    case RIDGE_OPTION_INT:
        return store_int(at, option, text, err);
    case RIDGE_OPTION_COUNT:
        return store_count(at, option, text, err);
    case RIDGE_OPTION_CHOICE:
        return ridge_choice_read(at, option->words, ridge_str_of(text), marked(option, arena), arena, err);
    case RIDGE_OPTION_FORMAT:
        return option->max ? ridge_format_read_mix(at, ridge_str_of(text), marked(option, arena), arena, err)
                           : ridge_format_read(at, ridge_str_of(text), marked(option, arena), err);
    case RIDGE_OPTION_FORMATS:
        return store_formats(at, option, text, arena, err);
    case RIDGE_OPTION_SECONDS:
    case RIDGE_OPTION_REAL:
        return store_real(at, option, text, err);
    case RIDGE_OPTION_OTHER:
        return option->read(at, option, text, arena, err);
    }
    return ridge_fail(err, RIDGE_TYPE, "the option '%s' has no kind", option->name);
}

/* ---- requests ---- */

/* the flag that has set this choice; NULL: none has */
static const ridge_option *chosen_before(const ridge_option_places *places, const ridge_option_table *tables, const int *choice)
{
    for (const ridge_option_table *table = tables; table->options; table++) {
        char *base = table->of_call ? places->call : places->request;
        for (const ridge_option *option = table->options; base && option->name; option++)
            if (option->kind == RIDGE_OPTION_SET && base + table->offset + option->offset == (const char *)choice && option->min == *choice)
                return option;
    }
    return NULL;
}

ridge_status ridge_options_take(const ridge_option_places *places, const ridge_option_table *tables, void *at, const ridge_option *option,
                                const char *text, ridge_arena *arena, ridge_err *err)
{
    const int *choice = (const int *)(const void *)((const char *)at + option->offset);
    const int before = option->kind == RIDGE_OPTION_SET ? *choice : 0;
    const ridge_option *other = before != 0 ? chosen_before(places, tables, choice) : NULL;
    ridge_status st = ridge_option_store(at, option, text, arena, err);
    if (st || !other || *choice == before)
        return st;
    return ridge_fail(err, RIDGE_USAGE, "'" RIDGE_OPT("%s") "' and '" RIDGE_OPT("%s") "' exclude each other: give one of them", other->name,
                      option->name);
}

ridge_status ridge_options_set(const ridge_option_places *places, const ridge_option_table *tables, const char *assignment,
                               ridge_arena *arena, ridge_err *err)
{
    const char *equals = strchr(assignment, '=');
    ridge_str name = {assignment, equals ? (size_t)(equals - assignment) : strlen(assignment)};
    void *at;
    if (!equals)
        return ridge_fail(err, RIDGE_USAGE, "'%s' is not an option: want name=value", assignment);
    const ridge_option *option = ridge_options_find(&at, places, tables, name);
    if (!option)
        return ridge_options_unknown(tables, name, err);
    return ridge_options_take(places, tables, at, option, equals + 1, arena, err);
}

static bool is_integer(const ridge_option *option)
{
    return option->kind == RIDGE_OPTION_INT || option->kind == RIDGE_OPTION_COUNT;
}

/* a fallback may be out of range: a number that says "not given" */
static ridge_status store_default(void *struct_at, const ridge_option *option, ridge_arena *arena, ridge_err *err)
{
    void *at = (char *)struct_at + option->offset;
    bool overflow;
    int64_t value = RIDGE_UNSET;
    if (is_integer(option)) {
        if (option->fallback && !ridge_count_parse(&value, &overflow, ridge_str_of(option->fallback)))
            return RIDGE_VALUE;
        if (option->kind == RIDGE_OPTION_INT)
            *(int64_t *)at = value;
        else
            *(ridge_int *)at = value;
        return RIDGE_OK;
    }
    if (option->fallback)
        return ridge_option_store(struct_at, option, option->fallback, arena, err);
    if (option->kind == RIDGE_OPTION_SECONDS || option->kind == RIDGE_OPTION_REAL)
        *(double *)at = RIDGE_UNSET;
    return RIDGE_OK;
}

ridge_status ridge_options_default(const ridge_option_places *places, const ridge_option_table *tables, ridge_arena *arena, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (const ridge_option_table *table = tables; table->options && !st; table++) {
        char *base = table->of_call ? places->call : places->request;
        for (const ridge_option *option = table->options; base && option->name && !st; option++)
            st = store_default(base + table->offset, option, arena, err);
    }
    return st;
}

const char *ridge_option_default(const ridge_option *option)
{
    bool overflow;
    int64_t value;
    if (is_integer(option) && option->fallback &&
        (!ridge_count_parse(&value, &overflow, ridge_str_of(option->fallback)) || value < option->min))
        return NULL;
    return option->fallback;
}
