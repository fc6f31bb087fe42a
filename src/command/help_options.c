/* ridge help --options: the tables of the commands as JSON, for programs that make calls of them (scripts/python_stubs.py). */
#include "command/help.h"

#include "base/shown.h"

typedef struct writing {
    ridge_json_writer w;
    ridge_arena *arena;
} writing;

static const char *const effects[] = {
    [RIDGE_EFFECT_NONE] = "none",       [RIDGE_EFFECT_KEEPS] = "keeps", [RIDGE_EFFECT_MEASURES] = "measures",
    [RIDGE_EFFECT_FETCHES] = "fetches", [RIDGE_EFFECT_LOCAL] = "local",
};
static const char *const kinds[] = {
    [RIDGE_OPTION_FLAG] = "flag",       [RIDGE_OPTION_SET] = "set",       [RIDGE_OPTION_STRING] = "string",
    [RIDGE_OPTION_LIST] = "list",       [RIDGE_OPTION_INT] = "integer",   [RIDGE_OPTION_COUNT] = "integer",
    [RIDGE_OPTION_CHOICE] = "choice",   [RIDGE_OPTION_FORMAT] = "format", [RIDGE_OPTION_FORMATS] = "formats",
    [RIDGE_OPTION_SECONDS] = "seconds", [RIDGE_OPTION_REAL] = "real",     [RIDGE_OPTION_OTHER] = "other",
};
static const char *const reaches[] = {
    [RIDGE_REACH_NOTHING] = "nothing", [RIDGE_REACH_FILE] = "file", [RIDGE_REACH_MODEL] = "model",     [RIDGE_REACH_MACHINE] = "machine",
    [RIDGE_REACH_OUTPUT] = "output",   [RIDGE_REACH_KEPT] = "kept", [RIDGE_REACH_PROGRAM] = "program",
};

/* options without dashes; what is not there is left out */
static void member(writing *o, const char *key, const char *text)
{
    const size_t cap = text ? 2 * strlen(text) + 1 : 0;
    char *plain = text ? ridge_arena_alloc(o->arena, cap) : NULL;
    if (!plain)
        return;
    (void)ridge_spell(plain, cap, text, "");
    ridge_jw_member_text(&o->w, key, plain);
}

static void member_words(writing *o, const char *key, const char *const *words)
{
    if (!words)
        return;
    ridge_jw_key(&o->w, key);
    ridge_jw_array_compact(&o->w);
    for (; *words; words++)
        ridge_jw_strz(&o->w, *words);
    ridge_jw_end_array(&o->w);
}

static void member_bool(writing *o, const char *key, bool value)
{
    ridge_jw_key(&o->w, key);
    ridge_jw_bool(&o->w, value);
}

/* the command's own default where it has one, else the option's */
static const char *default_of(const ridge_command *command, const ridge_option *option)
{
    const size_t n = strlen(option->name);
    for (const char *const *given = command->defaults; given && *given; given++)
        if (strncmp(*given, option->name, n) == 0 && (*given)[n] == '=')
            return *given + n + 1;
    return ridge_option_default(option);
}

static void write_option(writing *o, const ridge_command *command, const ridge_option_table *table, const ridge_option *option)
{
    const char letter[] = {option->letter, '\0'};
    ridge_jw_object(&o->w);
    member(o, "name", option->name);
    member(o, "letter", option->letter ? letter : NULL);
    member(o, "kind", kinds[option->kind]);
    member(o, "argument", option->argument);
    member_words(o, "words", option->words);
    if (option->kind == RIDGE_OPTION_INT || option->kind == RIDGE_OPTION_COUNT) {
        ridge_jw_member_whole(&o->w, "minimum", option->min);
        ridge_jw_member_whole(&o->w, "maximum", option->max);
    }
    member(o, "default", default_of(command, option));
    member(o, "unit", option->unit);
    member(o, "help", option->help);
    member(o, "needs", option->needs);
    member(o, "reach", reaches[option->reach]);
    member(o, "section", table->title);
    ridge_jw_end_object(&o->w);
}

static void write_options(writing *o, const ridge_command *command)
{
    ridge_jw_key(&o->w, "options");
    ridge_jw_array(&o->w);
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(command->tables, table, option))
                write_option(o, command, table, option);
    ridge_jw_end_array(&o->w);
}

static void write_operands(writing *o, const ridge_operands *operands)
{
    if (!operands->usage)
        return;
    ridge_jw_key(&o->w, "operands");
    ridge_jw_object(&o->w);
    member(o, "usage", operands->usage);
    member(o, "help", operands->help);
    ridge_jw_member_whole(&o->w, "minimum", operands->min);
    ridge_jw_member_whole(&o->w, "maximum", operands->max); /* 0: any number */
    member_words(o, "words", operands->words);
    member(o, "reach", reaches[operands->reach]);
    member_bool(o, "config", operands->length_offset > 0);
    ridge_jw_end_object(&o->w);
}

static void write_command(writing *o, const ridge_command *command, const char *path)
{
    ridge_jw_object(&o->w);
    member(o, "name", path);
    member(o, "group", command->group);
    member(o, "summary", command->summary);
    member(o, "details", command->details);
    member(o, "example", command->example);
    member(o, "effect", effects[command->effect]);
    member_bool(o, "heavy", command->heavy);
    member_bool(o, "json", command->records[0] != NULL);
    write_operands(o, &command->operands);
    write_options(o, command);
    ridge_jw_end_object(&o->w);
}

/* the command where it runs, then its sub-commands */
static void write_commands(writing *o, const ridge_command *command, const char *path)
{
    if (!path)
        return;
    if (command->run)
        write_command(o, command, path);
    for (const ridge_command *const *sub = command->commands; sub && *sub; sub++)
        write_commands(o, *sub, ridge_arena_printf(o->arena, "%s %s", path, (*sub)->name));
}

void ridge_help_options(ridge_call *call, const ridge_command *command, const char *path)
{
    writing o = {.arena = &call->arena};
    ridge_jw_init(&o.w, &call->data);
    ridge_jw_object(&o.w);
    ridge_jw_member_text(&o.w, "ridge", RIDGE_VERSION);
    ridge_jw_key(&o.w, "commands");
    ridge_jw_array(&o.w);
    if (command)
        write_commands(&o, command, path);
    else
        for (const ridge_command *const *each = ridge_commands; *each; each++)
            write_commands(&o, *each, (*each)->name);
    ridge_jw_end_array(&o.w);
    ridge_jw_end_object(&o.w);
    ridge_buf_addc(&call->data, '\n');
}
