/* `ridge --help` and `ridge help COMMAND`. */
#include "cli/command.h"
#include "cli/text.h"

enum { GAP_MOST = 30 }; /* widest left column */

static void paragraph(ridge_io *io, const char *text)
{
    ridge_buf_addc(&io->data, '\n');
    ridge_text_wrap(&io->data, text, 0, 0, (size_t)io->width);
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
static void command_rows(ridge_io *io, const ridge_command *const *commands, const char *group)
{
    size_t gap = command_gap(commands);
    for (; *commands != NULL; commands++)
        if (!group || strcmp((*commands)->group, group) == 0)
            ridge_text_row(&io->data, (*commands)->name, (*commands)->summary, gap, (size_t)io->width);
}

static bool is_first_of_group(const ridge_command *const *command)
{
    for (const ridge_command *const *before = ridge_commands; before < command; before++)
        if (strcmp((*before)->group, (*command)->group) == 0)
            return false;
    return true;
}

void ridge_help_overview(ridge_io *io)
{
    ridge_text_wrap(&io->data, "ridge tells what a neural network costs (FLOPs, bytes, memory, time), before it runs and after it ran.", 0,
                    0, (size_t)io->width);
    ridge_text_heading(&io->data, "Example", io->color);
    ridge_buf_addf(&io->data, "  %s\n", ridge_commands[0]->example);
    for (const ridge_command *const *command = ridge_commands; *command != NULL; command++)
        if (is_first_of_group(command)) {
            ridge_text_heading(&io->data, (*command)->group, io->color);
            command_rows(io, ridge_commands, (*command)->group);
        }
    paragraph(io, "'ridge COMMAND --help' tells more about a command, 'ridge --version' which ridge this is.");
}

/* ---- one command ---- */
/* "-h, --help"; options without a letter are set under the long names */
static const char *option_label(ridge_io *io, const ridge_option *option)
{
    ridge_buf text = {0};
    if (option->letter != 0)
        ridge_buf_addf(&text, "-%c, ", option->letter);
    else
        ridge_buf_addz(&text, "    ");
    ridge_text_option(&text, option);
    const char *label = ridge_arena_strdup(&io->arena, (ridge_str){text.p, text.n});
    ridge_buf_free(&text);
    return label ? label : option->name;
}

static size_t widen(ridge_io *io, size_t gap, const ridge_option *option)
{
    size_t need = strlen(option_label(io, option)) + 4;
    return need > gap && need <= GAP_MOST ? need : gap;
}

/* the column where the texts start: one for the whole page */
static size_t option_gap(ridge_io *io, const ridge_command *command)
{
    size_t gap = widen(io, 0, &ridge_help_option);
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            gap = widen(io, gap, option);
    return gap;
}

static void option_row(ridge_io *io, const ridge_option *option, size_t gap)
{
    ridge_text_row(&io->data, option_label(io, option), option->help, gap, (size_t)io->width);
}

/* Titled tables come first, the command's own options and --help under "Options" last. */
static void option_sections(ridge_io *io, const ridge_command *command)
{
    size_t gap = option_gap(io, command);
    for (const ridge_option_table *table = command->tables; table->options; table++) {
        if (!table->title)
            continue;
        ridge_text_heading(&io->data, table->title, io->color);
        for (const ridge_option *option = table->options; option->name; option++)
            option_row(io, option, gap);
    }
    ridge_text_heading(&io->data, "Options", io->color);
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; !table->title && option->name; option++)
            option_row(io, option, gap);
    option_row(io, &ridge_help_option, gap);
}

static bool takes_integers(const ridge_command *command)
{
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (option->kind == RIDGE_OPTION_INT)
                return true;
    return false;
}

void ridge_help_command(ridge_io *io, const ridge_command *command, const char *path)
{
    size_t width = (size_t)io->width;
    const char *operands = command->operands.usage;
    ridge_buf *out = &io->data;
    ridge_buf_addf(out, "ridge %s: ", path);
    ridge_text_wrap(out, command->summary, strlen("ridge : ") + strlen(path), 2, width);
    if (command->example) {
        ridge_text_heading(out, "Example", io->color);
        ridge_buf_addf(out, "  %s\n", command->example);
    }
    if (command->commands) {
        ridge_buf_addf(out, "\nUsage: ridge %s COMMAND [OPTION...]\n", path);
        if (command->run)
            ridge_buf_addf(out, "       ridge %s [OPTION...]\n", path);
        ridge_text_heading(out, "Commands", io->color);
        command_rows(io, command->commands, NULL);
        if (command->run)
            option_sections(io, command);
    } else {
        ridge_buf_addf(out, "\nUsage: ridge %s%s%s [OPTION...]\n", path, operands ? " " : "", operands ? operands : "");
        if (operands)
            ridge_text_row(out, operands, command->operands.help, strlen(operands) + 4 < GAP_MOST ? strlen(operands) + 4 : GAP_MOST, width);
        option_sections(io, command);
    }
    if (takes_integers(command))
        paragraph(io, "Integers may end in k, M, G (1000, 1000^2, 1000^3) or Ki, Mi, Gi (1024, 1024^2, 1024^3).");
    if (command->details)
        paragraph(io, command->details);
}
