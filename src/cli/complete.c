/* `ridge --complete-bash`: a completion script with one case per command. It asks nobody at completion time. */
#include "cli/run.h"
#include "command/help.h"

/* Bash splits "--name=value" at '='. `path` becomes the command's words (" db list"), each with a space before it. */
static const char script_head[] = "# bash completion for ridge, made by `ridge --complete-bash`\n"
                                  "_ridge()\n"
                                  "{\n"
                                  "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                                  "    local path='' words='' options='' values='' has_values='' i\n"
                                  "    if [[ $cur == = ]]; then\n"
                                  "        cur=''\n"
                                  "    elif [[ $prev == = ]]; then\n"
                                  "        prev=${COMP_WORDS[COMP_CWORD-2]}\n"
                                  "    fi\n"
                                  "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                                  "        case \"$path ${COMP_WORDS[i]}\" in\n"
                                  "        ";
static const char script_middle[] = ") path=\"$path ${COMP_WORDS[i]}\" ;;\n"
                                    "        *) break ;;\n"
                                    "        esac\n"
                                    "    done\n"
                                    "    case \"$path\" in\n"
                                    "    '') options='--help --version' words='";
/* Where nothing fits, bash completes file names (-o default). */
static const char script_tail[] = "    esac\n"
                                  "    if [[ -n $has_values ]]; then\n"
                                  "        words=$values\n"
                                  "    elif [[ $cur == -* ]]; then\n"
                                  "        words=$options\n"
                                  "    fi\n"
                                  "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
                                  "}\n"
                                  "complete -o default -F _ridge ridge\n";

static void add_names(ridge_buf *out, const ridge_command *const *commands)
{
    for (size_t i = 0; commands[i]; i++)
        ridge_buf_addf(out, "%s%s", i > 0 ? " " : "", commands[i]->name);
}

/* ' formats'|' db'|' db list' */
static void add_paths(ridge_buf *out)
{
    for (const ridge_command *const *c = ridge_commands; *c != NULL; c++) {
        ridge_buf_addf(out, "%s' %s'", c == ridge_commands ? "" : "|", (*c)->name);
        for (const ridge_command *const *sub = (*c)->commands; sub && *sub; sub++)
            ridge_buf_addf(out, "|' %s %s'", (*c)->name, (*sub)->name);
    }
}

/* "--name) values='...' ;;" */
static void add_values(ridge_buf *out, const ridge_option *option)
{
    size_t count = 0;
    const ridge_format *formats = option->kind == RIDGE_OPTION_FORMAT ? ridge_format_table(&count) : NULL;
    if (!option->argument)
        return;
    ridge_buf_addf(out, "        --%s) values='", option->name);
    for (size_t i = 0; option->words && option->words[i]; i++)
        ridge_buf_addf(out, "%s ", option->words[i]);
    for (size_t i = 0; i < count; i++)
        if (!formats[i].integer)
            ridge_buf_addf(out, "%s ", formats[i].name);
    ridge_buf_addz(out, "' has_values=1 ;;\n");
}

static void add_command(ridge_buf *out, const char *group, const ridge_command *command)
{
    ridge_buf_addf(out, "    '%s%s %s')\n        case \"$prev\" in\n", group[0] != '\0' ? " " : "", group, command->name);
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(command->tables, table, option))
                add_values(out, option);
    ridge_buf_addf(out, "        esac\n        options='--%s", ridge_help_option.name);
    for (const ridge_option_table *table = command->tables; table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(command->tables, table, option))
                ridge_buf_addf(out, " --%s", option->name);
    ridge_buf_addz(out, "' words='");
    if (command->commands)
        add_names(out, command->commands);
    else if (command == &ridge_cmd_help)
        add_names(out, ridge_commands);
    ridge_buf_addz(out, "' ;;\n");
    for (const ridge_command *const *sub = command->commands; sub && *sub; sub++)
        add_command(out, command->name, *sub);
}

void ridge_complete_bash(ridge_call *call)
{
    ridge_buf *out = &call->data;
    ridge_buf_addz(out, script_head);
    add_paths(out);
    ridge_buf_addz(out, script_middle);
    add_names(out, ridge_commands);
    ridge_buf_addz(out, "' ;;\n");
    for (const ridge_command *const *command = ridge_commands; *command != NULL; command++)
        add_command(out, "", *command);
    ridge_buf_addz(out, script_tail);
}
