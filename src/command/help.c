/* ridge help: what a command does and which options it has, for `ridge --help` too. */
#include "command/help.h"

#include "report/text.h"

enum { GAP_MOST = 30 }; /* widest left column */

const ridge_option ridge_help_option = {.name = "help", .letter = 'h', .kind = RIDGE_OPTION_FLAG, .help = "show this help"};

static const char *const whens[] = {"auto", "always", "never", NULL};
const ridge_option ridge_color_option = {.name = "color",
                                         .kind = RIDGE_OPTION_CHOICE,
                                         .argument = "WHEN",
                                         .words = whens,
                                         .help = "colours: auto is on a terminal, unless NO_COLOR is set"};

const ridge_option ridge_remote_option = {
    .name = "remote", .kind = RIDGE_OPTION_STRING, .argument = "URL", .help = "run it where that 'ridge serve' is: http://localhost:8000"};

static void paragraph(ridge_call *call, const char *text)
{
    ridge_buf_addc(&call->data, '\n');
    ridge_text_wrap(&call->data, text, 0, 0, (size_t)call->line);
}

/* ---- lists of commands ---- */
static size_t command_gap(const ridge_command *const *commands)
{
    size_t longest = 0;
    for (; *commands != NULL; commands++)
        if (strlen((*commands)->name) > longest)
            longest = strlen((*commands)->name);
    return longest + 4 < GAP_MOST ? longest + 4 : GAP_MOST;
}

/* those of one group; group NULL: all */
static void command_rows(ridge_call *call, const ridge_command *const *commands, const char *group)
{
    size_t gap = command_gap(commands);
    for (; *commands != NULL; commands++)
        if (!group || strcmp((*commands)->group, group) == 0)
            ridge_text_row(&call->data, (*commands)->name, (*commands)->summary, gap, (size_t)call->line);
}

static bool is_first_of_group(const ridge_command *const *command)
{
    for (const ridge_command *const *before = ridge_commands; before < command; before++)
        if (strcmp((*before)->group, (*command)->group) == 0)
            return false;
    return true;
}

void ridge_help_overview(ridge_call *call)
{
    ridge_text_wrap(&call->data, "ridge tells what a neural network costs (FLOPs, bytes, memory, time), before it runs and after it ran.",
                    0, 0, (size_t)call->line);
    ridge_text_heading(&call->data, "Example");
    ridge_buf_addf(&call->data, "  %s\n", ridge_commands[0]->example);
    for (const ridge_command *const *command = ridge_commands; *command != NULL; command++)
        if (is_first_of_group(command)) {
            ridge_text_heading(&call->data, (*command)->group);
            command_rows(call, ridge_commands, (*command)->group);
        }
    paragraph(call, "'ridge COMMAND --help' tells more about a command, 'ridge --version' which ridge this is.");
}

/* ---- one command ---- */
/* "-h, --help"; options without a letter are set under the long names */
static const char *option_label(ridge_call *call, const ridge_option *option)
{
    ridge_buf text = {0};
    if (option->letter != 0)
        ridge_buf_addf(&text, "-%c, ", option->letter);
    else
        ridge_buf_addz(&text, "    ");
    ridge_text_option(&text, option);
    const char *label = ridge_arena_take(&call->arena, &text);
    return label ? label : option->name;
}

static size_t widen(ridge_call *call, size_t gap, const ridge_option *option)
{
    size_t need = strlen(option_label(call, option)) + 4;
    return need > gap && need <= GAP_MOST ? need : gap;
}

/* the column where the texts start: one for the whole page */
static size_t option_gap(ridge_call *call, const ridge_command *command)
{
    size_t gap = widen(call, 0, &ridge_help_option);
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(command->tables, table, option))
                gap = widen(call, gap, option);
    return gap;
}

const char *ridge_help_text(const ridge_option *option, ridge_arena *arena)
{
    const char *fallback = ridge_option_default(option);
    const char *text = fallback ? ridge_arena_printf(arena, "%s (default %s)", option->help, fallback) : option->help;
    return text ? text : option->help;
}

static void option_row(ridge_call *call, const ridge_option *option, size_t gap)
{
    ridge_text_row(&call->data, option_label(call, option), ridge_help_text(option, &call->arena), gap, (size_t)call->line);
}

/* an option of a table, unless an earlier table has one of that name */
static void table_rows(ridge_call *call, const ridge_command *command, const ridge_option_table *table, size_t gap)
{
    for (const ridge_option *option = table->options; option->name; option++)
        if (ridge_options_offered(command->tables, table, option))
            option_row(call, option, gap);
}

static bool has_title(const ridge_option_table *table, const char *title)
{
    return table->title && title ? strcmp(table->title, title) == 0 : table->title == title;
}

/* the tables of one title */
static void section(ridge_call *call, const ridge_command *command, const char *title, size_t gap)
{
    ridge_text_heading(&call->data, title ? title : "Options");
    for (const ridge_option_table *table = command->tables; table->options; table++)
        if (has_title(table, title))
            table_rows(call, command, table, gap);
}

/* Titled tables come first, the command's own options and --help under "Options" last. */
static void option_sections(ridge_call *call, const ridge_command *command)
{
    size_t gap = option_gap(call, command);
    for (const ridge_option_table *table = command->tables; table->options; table++) {
        const ridge_option_table *first = command->tables;
        while (!has_title(first, table->title))
            first++;
        if (table->title && first == table)
            section(call, command, table->title, gap);
    }
    section(call, command, NULL, gap);
    option_row(call, &ridge_color_option, gap);
    if (command->effect == RIDGE_EFFECT_MEASURES) /* the others take it too, and gain little */
        option_row(call, &ridge_remote_option, gap);
    option_row(call, &ridge_help_option, gap);
}

static bool takes_integers(const ridge_command *command)
{
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (option->kind == RIDGE_OPTION_INT || option->kind == RIDGE_OPTION_COUNT)
                return true;
    return false;
}

void ridge_help_command(ridge_call *call, const ridge_command *command, const char *path)
{
    size_t width = (size_t)call->line;
    const char *operands = command->operands.usage;
    ridge_buf *out = &call->data;
    ridge_buf_addf(out, "ridge %s: ", path);
    ridge_text_wrap(out, command->summary, strlen("ridge : ") + strlen(path), 2, width);
    if (command->example) {
        ridge_text_heading(out, "Example");
        ridge_buf_addf(out, "  %s\n", command->example);
    }
    if (command->commands) {
        ridge_buf_addf(out, "\nUsage: ridge %s COMMAND [OPTION...]\n", path);
        if (command->run)
            ridge_buf_addf(out, "       ridge %s [OPTION...]\n", path);
        ridge_text_heading(out, "Commands");
        command_rows(call, command->commands, NULL);
        if (command->run)
            option_sections(call, command);
    } else {
        ridge_buf_addf(out, "\nUsage: ridge %s%s%s [OPTION...]\n", path, operands ? " " : "", operands ? operands : "");
        if (operands)
            ridge_text_row(out, operands, command->operands.help, strlen(operands) + 4 < GAP_MOST ? strlen(operands) + 4 : GAP_MOST, width);
        option_sections(call, command);
    }
    if (takes_integers(command))
        paragraph(call, "Integers may end in k, M, G (1000, 1000^2, 1000^3) or Ki, Mi, Gi (1024, 1024^2, 1024^3).");
    if (command->details)
        paragraph(call, command->details);
}

/* ---- ridge help [COMMAND...] ---- */

typedef struct help_request {
    ridge_words command;
    bool schema, options;
} help_request;

static const ridge_option help_options[] = {
    RIDGE_FLAG(help_request, schema, "schema", 0, "the JSON Schema of what the command, or each command, prints with " RIDGE_OPT("json")),
    RIDGE_FLAG(help_request, options, "options", 0, "operands and options of the command, or of each command, as JSON"),
    RIDGE_OPTION_END,
};

/* one of several records where the command's options choose what it answers */
static void write_answers(ridge_json_writer *w, const ridge_command *command)
{
    ridge_jw_key(w, "anyOf");
    ridge_jw_array(w);
    for (const ridge_record *const *record = command->records; *record; record++)
        ridge_record_answer_schema(w, *record);
    ridge_jw_end_array(w);
}

static void open_schema(ridge_json_writer *w, ridge_call *call, const char *id)
{
    ridge_jw_init(w, &call->data);
    ridge_jw_object(w);
    ridge_jw_member_text(w, "$schema", "https://json-schema.org/draft/2020-12/schema");
    ridge_jw_member_text(w, "$id", id);
}

static void close_schema(ridge_json_writer *w, ridge_call *call)
{
    ridge_jw_end_object(w);
    ridge_buf_addc(&call->data, '\n');
}

static ridge_status write_schema(ridge_call *call, const ridge_command *command, const char *path, ridge_err *err)
{
    ridge_json_writer w;
    if (!command->records[0])
        return ridge_fail(err, RIDGE_USAGE, "'%s' prints no JSON", path);
    open_schema(&w, call, ridge_arena_printf(&call->arena, "ridge %s", path));
    write_answers(&w, command);
    close_schema(&w, call);
    return RIDGE_OK;
}

/* "machine": {...}, "machine show": {...} */
static ridge_status define(ridge_json_writer *w, ridge_call *call, const ridge_command *command, const char *path, ridge_err *err)
{
    ridge_status st = path ? RIDGE_OK : ridge_no_memory(err);
    if (!st && command->records[0]) {
        ridge_jw_key(w, path);
        ridge_jw_object(w);
        write_answers(w, command);
        ridge_jw_end_object(w);
    }
    for (const ridge_command *const *sub = command->commands; sub && *sub && !st; sub++)
        st = define(w, call, *sub, ridge_arena_printf(&call->arena, "%s %s", path, (*sub)->name), err);
    return st;
}

static ridge_status write_schemas(ridge_call *call, ridge_err *err)
{
    ridge_json_writer w;
    ridge_status st = RIDGE_OK;
    open_schema(&w, call, "ridge");
    ridge_jw_key(&w, "$defs");
    ridge_jw_object(&w);
    for (const ridge_command *const *command = ridge_commands; *command && !st; command++)
        st = define(&w, call, *command, (*command)->name, err);
    ridge_jw_end_object(&w);
    close_schema(&w, call);
    return st;
}

static ridge_status write_all(ridge_call *call, const help_request *r, ridge_err *err)
{
    if (r->schema)
        return write_schemas(call, err);
    if (r->options)
        ridge_help_options(call, NULL, "");
    else
        ridge_help_overview(call);
    return RIDGE_OK;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const help_request *r = values;
    const char *path = "";
    const ridge_command *command = NULL;
    size_t used;
    if (r->schema && r->options)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("schema") " and " RIDGE_OPT("options") " exclude each other");
    if (r->command.count == 0)
        return write_all(call, r, err);
    ridge_status st = ridge_command_find(&command, &path, &used, r->command.count, r->command.items, &call->arena, err);
    if (!st && used < r->command.count)
        return ridge_fail(err, RIDGE_USAGE, "'%s' has no command '%s'", path, r->command.items[used]);
    if (!st && r->schema)
        return write_schema(call, command, path, err);
    if (!st && r->options)
        ridge_help_options(call, command, path);
    else if (!st)
        ridge_help_command(call, command, path);
    return st;
}

const ridge_command ridge_cmd_help = {
    .name = "help",
    .group = "About",
    .summary = "what a command does and which options it has",
    .example = "ridge help formats",
    .operands = RIDGE_OPERANDS(help_request, command, "[COMMAND...]", 0, 2, "a command, or a command and its sub-command"),
    .tables = {{.options = help_options}},
    .request_size = sizeof(help_request),
    .run = run,
};
