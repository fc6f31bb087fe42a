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

ridge_status ridge_options_unknown(const ridge_option_table *tables, ridge_str name, ridge_err *err)
{
    ridge_nearest nearest = {0};
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
        return ridge_format_read(at, ridge_str_of(text), marked(option, arena), err);
    case RIDGE_OPTION_SECONDS:
    case RIDGE_OPTION_REAL:
        return store_real(at, option, text, err);
    case RIDGE_OPTION_OTHER:
        return option->read(at, option, text, arena, err);
    }
    return ridge_fail(err, RIDGE_TYPE, "the option '%s' has no kind", option->name);
}

/* ---- requests ---- */

ridge_status ridge_options_set(const ridge_option_places *places, const ridge_option_table *tables, const char *assignment,
                               ridge_arena *arena, ridge_err *err)
{
    const char *equals = strchr(assignment, '=');
    ridge_str name = {assignment, equals ? (size_t)(equals - assignment) : strlen(assignment)};
    void *at;
    if (!equals)
        return ridge_fail(err, RIDGE_USAGE, "'%s' is not an option: want name=value", assignment);
    const ridge_option *option = ridge_options_find(&at, places, tables, name);
    return option ? ridge_option_store(at, option, equals + 1, arena, err) : ridge_options_unknown(tables, name, err);
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
