#include "cli/option.h"

typedef struct parser {
    char *values; /* the command's struct */
    const ridge_option_table *tables;
    const ridge_operands *operands;
    int argc, at;
    char **argv;
    ridge_arena *arena;
    ridge_err *err;
    bool help;
} parser;

/* ---- lists ---- */
static ridge_status list_add(ridge_words *list, const char *text, ridge_arena *arena, ridge_err *err)
{
    /* room for the next power of two: grown where the count is one */
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count == 0 ? 1 : list->count * 2;
        const char **items = ridge_arena_array(arena, room, sizeof *items);
        if (!items)
            return ridge_no_memory(err);
        if (list->count > 0)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
    }
    list->items[list->count++] = text;
    return RIDGE_OK;
}

/* ---- finding an option ---- */
const ridge_option ridge_help_option = {"help", 'h', RIDGE_OPTION_FLAG, 0, NULL, "show this help", 0, 0, NULL};

static bool is_named(const ridge_option *option, ridge_str name, bool is_letter)
{
    return is_letter ? option->letter != 0 && option->letter == name.p[0] : ridge_str_is(name, option->name);
}

/* the option and the struct its value goes to; NULL where there is none */
static const ridge_option *find(const parser *p, char **struct_at, ridge_str name, bool is_letter)
{
    for (const ridge_option_table *table = p->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (is_named(option, name, is_letter)) {
                *struct_at = p->values + table->offset;
                return option;
            }
    return is_named(&ridge_help_option, name, is_letter) ? &ridge_help_option : NULL;
}

static ridge_status unknown(const parser *p, ridge_str name, bool is_letter)
{
    ridge_nearest nearest = {0};
    for (const ridge_option_table *table = p->tables; !is_letter && table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            ridge_nearest_offer(&nearest, name, option->name);
    ridge_nearest_offer(&nearest, name, ridge_help_option.name);
    const char *dashes = is_letter ? "-" : "--";
    if (nearest.best)
        return ridge_fail(p->err, RIDGE_USAGE, "unknown option '%s%.*s'; did you mean '--%s'?", dashes, RIDGE_STR_ARG(name), nearest.best);
    return ridge_fail(p->err, RIDGE_USAGE, "unknown option '%s%.*s'", dashes, RIDGE_STR_ARG(name));
}

/* ---- one option ---- */
/* The value of an option that takes one: after '=', else the next word. A next word like "--seq" is an option whose value was forgotten. */
static ridge_status take_value(parser *p, const char **value, const ridge_option *option, const char *attached)
{
    *value = attached;
    if (!attached && p->at < p->argc && !ridge_str_starts(ridge_str_of(p->argv[p->at]), RIDGE_STR("--")))
        *value = p->argv[p->at++];
    if (!*value || **value == '\0')
        return ridge_fail(p->err, RIDGE_USAGE, "'--%s' needs a value (%s)", option->name, option->argument);
    return RIDGE_OK;
}

static ridge_status apply(parser *p, ridge_str name, const char *attached, bool is_letter)
{
    char *struct_at = p->values;
    const ridge_option *option = find(p, &struct_at, name, is_letter);
    if (!option)
        return unknown(p, name, is_letter);
    const char *value = NULL;
    if (option->argument) {
        ridge_status st = take_value(p, &value, option, attached);
        if (st)
            return st;
    } else if (attached) {
        return ridge_fail(p->err, RIDGE_USAGE, "'--%s' takes no value", option->name);
    }
    if (option == &ridge_help_option) {
        p->help = true;
        return RIDGE_OK;
    }
    return ridge_option_store(struct_at, option, value, p->arena, p->err);
}

/* --name, --name=value */
static ridge_status long_option(parser *p, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    ridge_str text = {name, equals ? (size_t)(equals - name) : strlen(name)};
    return apply(p, text, equals ? equals + 1 : NULL, false);
}

/* -n value; no clusters, no attached values: few options have a letter */
static ridge_status short_option(parser *p, const char *word)
{
    if (word[2] == '\0')
        return apply(p, (ridge_str){word + 1, 1}, NULL, true);
    char *struct_at;
    ridge_str name = ridge_str_of(word + 1);
    const char *equals = strchr(name.p, '=');
    if (equals)
        name.n = (size_t)(equals - name.p);
    if (find(p, &struct_at, name, false))
        return ridge_fail(p->err, RIDGE_USAGE, "unknown option '-%.*s'; did you mean '--%.*s'?", RIDGE_STR_ARG(name), RIDGE_STR_ARG(name));
    return ridge_fail(p->err, RIDGE_USAGE, "unknown option '%s'", word);
}

/* ---- all words ---- */
/* "-" and negative numbers are operands */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && !(word[1] >= '0' && word[1] <= '9') && word[1] != '.';
}

static ridge_status operand(parser *p, const char *word)
{
    if (!p->operands->usage && !p->operands->kept)
        return ridge_fail(p->err, RIDGE_USAGE, "unexpected argument '%s'", word);
    ridge_words *words = (ridge_words *)(void *)(p->values + p->operands->offset);
    if (p->operands->max != 0 && words->count == p->operands->max)
        return ridge_fail(p->err, RIDGE_USAGE, "unexpected argument '%s' after '%s'", word, words->items[words->count - 1]);
    return list_add(words, word, p->arena, p->err);
}

static ridge_status enough_operands(const parser *p)
{
    if (!p->operands->usage)
        return RIDGE_OK;
    const ridge_words *words = (const ridge_words *)(const void *)(p->values + p->operands->offset);
    if (words->count < p->operands->min)
        return ridge_fail(p->err, RIDGE_USAGE, "missing argument: %s", p->operands->usage);
    return RIDGE_OK;
}

ridge_status ridge_options_parse(void *values, bool *help, const ridge_option_table *tables, const ridge_operands *operands, int argc,
                                 char **argv, ridge_arena *arena, ridge_err *err)
{
    parser p = {.values = values, .tables = tables, .operands = operands, .argc = argc, .argv = argv, .arena = arena, .err = err};
    ridge_status st = RIDGE_OK;
    bool ended = false; /* by "--" */
    while (!st && !p.help && p.at < argc) {
        const char *word = argv[p.at++];
        if (ended || !is_option(word))
            st = operand(&p, word);
        else if (word[1] != '-')
            st = short_option(&p, word);
        else if (word[2] != '\0')
            st = long_option(&p, word);
        else
            ended = true;
    }
    *help = p.help;
    return !st && !p.help ? enough_operands(&p) : st;
}

/* ---- storing a value ---- */
static ridge_status store_int(int64_t *out, const ridge_option *option, const char *text, ridge_err *err)
{
    bool overflow;
    int64_t value;
    if (!ridge_count_parse(&value, &overflow, ridge_str_of(text)))
        return ridge_fail(err, RIDGE_USAGE, "--%s: '%s' is not an integer (write 1000 or 1k, 1024 or 1Ki)", option->name, text);
    if (!overflow && value >= option->min && value <= option->max) {
        *out = value;
        return RIDGE_OK;
    }
    if (option->max == INT64_MAX && !overflow)
        return ridge_fail(err, RIDGE_USAGE, "--%s: %s is out of range: it must be at least %lld", option->name, text,
                          (long long)option->min);
    return ridge_fail(err, RIDGE_USAGE, "--%s: %s is out of range: it must be from %lld to %lld", option->name, text,
                      (long long)option->min, (long long)option->max);
}

/* "full or causal", "prefill, decode or train" */
static const char *list_words(const char *const *words, ridge_arena *arena)
{
    const char *list = words[0];
    for (size_t i = 1; list && words[i]; i++)
        list = ridge_arena_printf(arena, "%s%s%s", list, !words[i + 1] ? " or " : ", ", words[i]);
    return list ? list : "";
}

static ridge_status store_choice(int *out, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_nearest nearest = {0};
    for (int i = 0; option->words[i]; i++) {
        if (strcmp(option->words[i], text) == 0) {
            *out = i;
            return RIDGE_OK;
        }
        ridge_nearest_offer(&nearest, ridge_str_of(text), option->words[i]);
    }
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "--%s: unknown word '%s'; did you mean '%s'?", option->name, text, nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "--%s: unknown word '%s'; it takes %s", option->name, text, list_words(option->words, arena));
}

static ridge_status store_format(const ridge_format **out, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    const ridge_format *format;
    const char *name = ridge_arena_printf(arena, "--%s", option->name);
    ridge_status st = ridge_format_read(&format, ridge_str_of(text), name ? name : option->name, err);
    if (!st)
        *out = format;
    return st;
}

static ridge_status store_real(double *out, const ridge_option *option, const char *text, ridge_err *err)
{
    bool time = option->kind == RIDGE_OPTION_SECONDS, positive = time && option->min > 0;
    bool read = time ? ridge_seconds_parse(out, text) : ridge_real_parse(out, text);
    if (read && (!positive || *out > 0))
        return RIDGE_OK;
    if (positive && (read || ridge_seconds_parse(out, text + (text[0] == '-'))))
        return ridge_fail(err, RIDGE_USAGE, "--%s is to be more than 0, not %s", option->name, text);
    return ridge_fail(err, RIDGE_USAGE, "--%s: '%s' is not a %s", option->name, text,
                      time ? "time (write 2.5us, 3ms or 1e-6)" : "number of at least 0");
}

ridge_status ridge_option_store(void *struct_at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    void *at = (char *)struct_at + option->offset;
    switch (option->kind) {
    case RIDGE_OPTION_FLAG:
        *(bool *)at = true;
        return RIDGE_OK;
    case RIDGE_OPTION_SET:
        *(int *)at = (int)option->min;
        return RIDGE_OK;
    case RIDGE_OPTION_STRING:
        *(const char **)at = text;
        return RIDGE_OK;
    case RIDGE_OPTION_LIST:
        return list_add(at, text, arena, err);
    case RIDGE_OPTION_INT:
        return store_int(at, option, text, err);
    case RIDGE_OPTION_CHOICE:
        return store_choice(at, option, text, arena, err);
    case RIDGE_OPTION_FORMAT:
        return store_format(at, option, text, arena, err);
    case RIDGE_OPTION_SECONDS:
    case RIDGE_OPTION_REAL:
        return store_real(at, option, text, err);
    }
    return ridge_fail(err, RIDGE_TYPE, "--%s has no kind", option->name);
}
