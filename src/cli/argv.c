#include "cli/argv.h"

#include "command/help.h"

typedef struct parser {
    ridge_option_places places;
    ridge_call *call;
    const ridge_command *command;
    int argc, at;
    char **argv;
    ridge_err *err;
    bool help;
} parser;

/* ---- finding an option ---- */

static const ridge_option *find_letter(void **at, const parser *p, char letter)
{
    for (const ridge_option_table *table = p->command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (option->letter == letter)
                return ridge_options_find(at, &p->places, p->command->tables, ridge_str_of(option->name));
    return letter == ridge_help_option.letter ? &ridge_help_option : NULL;
}

/* a group takes no option but --help: those of its tables are for it alone */
static const ridge_option *find(void **at, const parser *p, ridge_str name)
{
    static const ridge_option_table none[] = {{.options = NULL}};
    const ridge_option *option = ridge_options_find(at, &p->places, p->command->run ? p->command->tables : none, name);
    if (option)
        return option;
    return ridge_str_is(name, ridge_help_option.name)    ? &ridge_help_option
           : ridge_str_is(name, ridge_color_option.name) ? &ridge_color_option
                                                         : NULL;
}

/* the first command that has what this one lacks, and more to ask than one screen; NULL: none */
static const ridge_command *command_with(const char **option, ridge_str name)
{
    for (const ridge_command *const *command = ridge_commands; *command; command++)
        if ((*command)->run && *command != &ridge_cmd_show && (*option = ridge_options_meant((*command)->tables, name)) != NULL)
            return *command;
    return NULL;
}

static ridge_status unknown(const parser *p, ridge_str name)
{
    const char *meant;
    const ridge_command *other =
        p->command->group && p->command->run && !ridge_options_meant(p->command->tables, name) ? command_with(&meant, name) : NULL;
    if (other)
        return ridge_fail(p->err, RIDGE_USAGE, "unknown option '" RIDGE_OPT("%.*s") "'; 'ridge %s' has '" RIDGE_OPT("%s") "'",
                          RIDGE_STR_ARG(name), other->name, meant);
    static const ridge_option help[] = {{.name = "help"}, {.name = "color"}, {.name = "remote"}, RIDGE_OPTION_END};
    ridge_option_table tables[RIDGE_COMMAND_TABLES + 1] = {{.options = NULL}};
    size_t n = 0;
    for (; p->command->run && p->command->tables[n].options; n++)
        tables[n] = p->command->tables[n];
    tables[n] = (ridge_option_table){.options = help};
    return ridge_options_unknown(tables, name, p->err);
}

/* ---- one option ---- */

/* The value of an option that takes one: after '=', else the next word. A next word like "--seq" is an option whose value was forgotten. */
static ridge_status take_value(parser *p, const char **value, const ridge_option *option, const char *attached)
{
    *value = attached;
    if (!attached && p->at < p->argc && !ridge_str_starts(ridge_str_of(p->argv[p->at]), RIDGE_STR("--")))
        *value = p->argv[p->at++];
    if (!*value || **value == '\0')
        return ridge_fail(p->err, RIDGE_USAGE, "'" RIDGE_OPT("%s") "' needs a value (%s)", option->name, option->argument);
    return RIDGE_OK;
}

static ridge_status choose_color(parser *p, const char *value)
{
    int when;
    ridge_status st = ridge_choice_read(&when, ridge_color_option.words, ridge_str_of(value), RIDGE_OPT("color"), &p->call->arena, p->err);
    if (!st && when != RIDGE_WHEN_AUTO)
        p->call->color = when == RIDGE_WHEN_ALWAYS;
    return st;
}

static ridge_status apply(parser *p, void *struct_at, const ridge_option *option, const char *attached)
{
    const char *value = NULL;
    if (option->argument) {
        ridge_status st = take_value(p, &value, option, attached);
        if (st)
            return st;
    } else if (attached) {
        return ridge_fail(p->err, RIDGE_USAGE, "'" RIDGE_OPT("%s") "' takes no value", option->name);
    }
    if (option == &ridge_color_option)
        return choose_color(p, value);
    if (option == &ridge_help_option) {
        p->help = true;
        return RIDGE_OK;
    }
    const char *said = ridge_arena_printf(&p->call->arena, "%s=%s", option->name, value ? value : "true");
    ridge_status st = said ? ridge_words_add(&p->call->options, said, &p->call->arena, p->err) : ridge_no_memory(p->err);
    return st ? st : ridge_options_take(&p->places, p->command->tables, struct_at, option, value, &p->call->arena, p->err);
}

/* --name, --name=value */
static ridge_status long_option(parser *p, const char *word)
{
    const char *name = word + 2, *equals = strchr(name, '=');
    ridge_str text = {name, equals ? (size_t)(equals - name) : strlen(name)};
    void *struct_at = NULL;
    const ridge_option *option = find(&struct_at, p, text);
    return option ? apply(p, struct_at, option, equals ? equals + 1 : NULL) : unknown(p, text);
}

/* -n value; no clusters, no attached values: few options have a letter */
static ridge_status short_option(parser *p, const char *word)
{
    void *struct_at = NULL;
    ridge_str name = ridge_str_of(word + 1);
    const ridge_option *option = name.n == 1 && p->command->run ? find_letter(&struct_at, p, word[1]) : NULL;
    if (name.n == 1 && word[1] == ridge_help_option.letter)
        option = &ridge_help_option;
    if (option)
        return apply(p, struct_at, option, NULL);
    const char *equals = strchr(name.p, '=');
    if (equals)
        name.n = (size_t)(equals - name.p);
    if (name.n > 1 && find(&struct_at, p, name))
        return ridge_fail(p->err, RIDGE_USAGE, "unknown option '-%.*s'; did you mean '" RIDGE_OPT("%.*s") "'?", RIDGE_STR_ARG(name),
                          RIDGE_STR_ARG(name));
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
    if (!p->command->run)
        return ridge_fail(p->err, RIDGE_USAGE, "unexpected argument '%s'", word);
    ridge_status st = ridge_words_add(&p->call->operands, word, &p->call->arena, p->err);
    return st ? st : ridge_command_operand(p->places.request, p->call, p->command, word, p->err);
}

ridge_status ridge_argv_read(void *request, bool *help, ridge_call *call, const ridge_command *command, int argc, char **argv,
                             ridge_err *err)
{
    parser p = {.places = {request, call}, .call = call, .command = command, .argc = argc, .argv = argv, .err = err};
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
    return !st && !p.help && command->run ? ridge_command_complete(request, command, err) : st;
}
