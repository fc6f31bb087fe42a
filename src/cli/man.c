/* `ridge --man`: ridge.1, with the macros of man(7). */
#include "cli/run.h"
#include "command/help.h"
#include "report/text.h"

static const char page_head[] =
    ".TH RIDGE 1 \"\" \"ridge " RIDGE_VERSION "\" \"User Commands\"\n"
    ".SH NAME\n"
    "ridge \\- what a neural network costs: FLOPs, bytes, memory, time\n"
    ".SH SYNOPSIS\n"
    ".B ridge\n.I command\n.RI [ option ...]\n.RI [ argument ...]\n"
    ".br\n"
    ".B ridge help\n.RI [ command ]\n"
    ".br\n"
    ".B ridge \\-\\-version\n"
    ".SH DESCRIPTION\n"
    "Ridge tells what a neural network costs, before it runs and after it ran. "
    "Answers go to standard output, in one piece and only when the command ended well; warnings and errors go to standard error.\n"
    ".PP\n"
    "Options are written\n.BI \\-\\-name\\~ value\nor\n.BI \\-\\-name= value\\fR;\n"
    "they may stand before and after the arguments, and\n.B \\-\\-\nends them. Of an option given twice the last one counts.\n"
    ".PP\n"
    "Integers are 64-bit and exact. The suffixes\n.BR k ,\n.B M\nand\n.B G\nmultiply by 1000, 1000^2 and 1000^3;\n"
    ".BR Ki ,\n.B Mi\nand\n.B Gi\nby 1024, 1024^2 and 1024^3.\n"
    ".SH COMMANDS\n";

static const char page_tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nFine.\n"
    ".TP\n.B 1\nA bad model or bad data, or the output could not be written.\n"
    ".TP\n.B 2\nWrong use: an unknown command or option, a missing or bad value.\n"
    ".TP\n.B 3\nA check failed.\n"
    ".SH ENVIRONMENT\n"
    ".TP\n.B NO_COLOR\nNo colour, where set and not empty, unless\n.B \\-\\-color\nsays so.\n"
    ".TP\n.B COLUMNS\nWidth of the output, instead of the terminal's.\n"
    ".TP\n.B LC_ALL, LC_CTYPE, LANG\nOf a locale without UTF-8 the output is ASCII.\n"
    ".TP\n.B XDG_DATA_HOME\nWhere\n.I ridge/catalog\nadds to the built-in catalog; default\n.IR ~/.local/share .\n";

/* Text as roff: no control lines, backslashes kept, hyphens that can be copied; '\n' begins a paragraph. */
static void add_text(ridge_buf *out, const char *text)
{
    for (bool fresh = true; *text != '\0'; fresh = *text++ == '\n') {
        if (fresh && (*text == '.' || *text == '\''))
            ridge_buf_addz(out, "\\&");
        if (*text == '-')
            ridge_buf_addz(out, "\\-");
        else if (*text == '\\')
            ridge_buf_addz(out, "\\e");
        else if (*text == '\n')
            ridge_buf_addz(out, "\n.PP\n");
        else
            ridge_buf_addc(out, *text);
    }
}

/* a sentence: capital first, full stop last */
static void add_sentence(ridge_buf *out, const char *text)
{
    char first[2] = {text[0], '\0'};
    if (first[0] >= 'a' && first[0] <= 'z')
        first[0] = (char)(first[0] - 'a' + 'A');
    add_text(out, first);
    if (text[0] != '\0')
        add_text(out, text + 1);
    ridge_buf_addz(out, ".\n");
}

static void add_option(ridge_call *call, const ridge_option *option)
{
    ridge_buf spec = {0}, *out = &call->data;
    if (option->letter != 0)
        ridge_buf_addf(&spec, "-%c, ", option->letter);
    ridge_text_option(&spec, option);
    ridge_buf_addz(out, ".TP\n.B ");
    add_text(out, spec.n > 0 ? spec.p : option->name);
    ridge_buf_addc(out, '\n');
    add_sentence(out, ridge_help_text(option, &call->arena));
    ridge_buf_free(&spec);
}

static void add_synopsis(ridge_buf *out, const char *group, const ridge_command *command)
{
    ridge_buf_addf(out, ".SS ridge %s%s%s", group, group[0] != '\0' ? " " : "", command->name);
    if (command->operands.usage) {
        ridge_buf_addc(out, ' ');
        add_text(out, command->operands.usage);
    }
    ridge_buf_addc(out, '\n');
    add_sentence(out, command->summary);
    if (command->example) {
        ridge_buf_addz(out, ".PP\n.RS\n.EX\n");
        add_text(out, command->example);
        ridge_buf_addz(out, "\n.EE\n.RE\n");
    }
}

static void add_command(ridge_call *call, const char *group, const ridge_command *command)
{
    ridge_buf *out = &call->data;
    if (!command->commands || command->run) /* of a group that does nothing itself only its sub-commands are described */
        add_synopsis(out, group, command);
    if (command->operands.usage && !command->commands) {
        ridge_buf_addz(out, ".TP\n.I ");
        add_text(out, command->operands.usage);
        ridge_buf_addc(out, '\n');
        add_sentence(out, command->operands.help);
    }
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(command->tables, table, option))
                add_option(call, option);
    if (command->details) {
        ridge_buf_addz(out, ".PP\n");
        add_text(out, command->details);
        ridge_buf_addc(out, '\n');
    }
    for (const ridge_command *const *sub = command->commands; sub && *sub; sub++)
        add_command(call, command->name, *sub);
}

void ridge_man_page(ridge_call *call)
{
    ridge_buf_addz(&call->data, page_head);
    for (const ridge_command *const *command = ridge_commands; *command != NULL; command++)
        add_command(call, "", *command);
    ridge_buf_addz(&call->data, ".SH OPTIONS\nEvery command has these.\n");
    add_option(call, &ridge_color_option);
    add_option(call, &ridge_help_option);
    add_option(call, &ridge_remote_option);
    ridge_buf_addz(&call->data, page_tail);
}
