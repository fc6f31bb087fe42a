/* `ridge --complete WORD...`: what the last word may become, a line each; the scripts of the shells ask it when TAB is pressed, so that the
 * user's own machines are among the answers. `ridge --complete-bash` and its kin print these scripts. Made from the option tables. */
#include "base/shown.h"
#include "cli/run.h"
#include "command/help.h"
#include "input/embedded.h"

/* ---- the scripts ---- */

/* Bash splits "--name=value" at '='; the program puts it together. Where nothing fits, bash completes file names (-o default). */
void ridge_complete_bash(ridge_call *call)
{
    ridge_buf_addz(&call->data, "# bash completion for ridge, made by `ridge --complete-bash`\n"
                                "_ridge()\n"
                                "{\n"
                                "    local word\n"
                                "    COMPREPLY=()\n"
                                "    while IFS= read -r word; do\n"
                                "        COMPREPLY+=(\"$word\")\n"
                                "    done < <(\"${COMP_WORDS[0]}\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
                                "}\n"
                                "complete -o default -F _ridge ridge\n");
}

void ridge_complete_zsh(ridge_call *call)
{
    ridge_buf_addz(&call->data, "#compdef ridge\n"
                                "# zsh completion for ridge, made by `ridge --complete-zsh`\n"
                                "_ridge()\n"
                                "{\n"
                                "    local -a found\n"
                                "    found=(${(f)\"$(\"${words[1]}\" --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
                                "    if (( ${#found} )); then\n"
                                "        compadd -- $found\n"
                                "    else\n"
                                "        _files\n"
                                "    fi\n"
                                "}\n"
                                "if [[ $funcstack[1] == _ridge ]]; then\n"
                                "    _ridge \"$@\"\n"
                                "else\n"
                                "    compdef _ridge ridge\n"
                                "fi\n");
}

void ridge_complete_fish(ridge_call *call)
{
    ridge_buf_addz(&call->data, "# fish completion for ridge, made by `ridge --complete-fish`\n"
                                "function __ridge_complete\n"
                                "    set -l words (commandline -opc) (commandline -ct)\n"
                                "    $words[1] --complete $words[2..-1] 2>/dev/null\n"
                                "end\n"
                                "complete -c ridge -f -n 'count (__ridge_complete) >/dev/null' -a '(__ridge_complete)'\n");
}

/* ---- what a word may become ---- */

typedef struct completing {
    ridge_call *call;
    const ridge_command *command; /* NULL: none is named yet */
    const char *prefix;           /* stands before every answer: "--phase=", "h100-sxm-80," */
    ridge_str typed;              /* what is there of the answer */
} completing;

/* NULL: there was no memory for it, which the arena remembers */
static void offer(const completing *c, const char *word)
{
    if (word && ridge_str_starts(ridge_str_of(word), c->typed))
        ridge_buf_addf(&c->call->data, "%s%s\n", c->prefix, ridge_shown(&c->call->arena, word));
}

static void offer_words(const completing *c, const char *const *words)
{
    for (; words && *words; words++)
        offer(c, *words);
}

static void offer_commands(const completing *c, const ridge_command *const *commands)
{
    for (; commands && *commands; commands++)
        offer(c, (*commands)->name);
}

static void offer_formats(const completing *c)
{
    size_t count;
    const ridge_format *formats = ridge_format_table(&count);
    for (size_t i = 0; i < count; i++)
        if (!formats[i].integer)
            offer(c, formats[i].name);
}

/* by id, and by the name after the slash */
static void offer_models(const completing *c)
{
    for (unsigned i = 0; i < ridge_embedded_models_count; i++)
        offer(c, ridge_embedded_models[i].id);
    for (unsigned i = 0; i < ridge_embedded_models_count && c->typed.n > 0; i++)
        offer(c, strchr(ridge_embedded_models[i].id, '/') + 1);
}

static void offer_machines(const completing *c)
{
    const ridge_machines_options none = {.files = {0}};
    ridge_machines *machines;
    if (ridge_call_machines(&machines, c->call, &none, NULL))
        return;
    for (size_t i = 0; i < ridge_machines_count(machines); i++)
        offer(c, ridge_machines_id(machines, i));
}

/* what an argument is, by the word that stands for it in the help */
static void offer_arguments(const completing *c, const char *usage)
{
    static const struct {
        const char *usage;
        void (*offer)(const completing *c);
    } kinds[] = {{"MODEL", offer_models},   {"MACHINE", offer_machines}, {"MACHINES", offer_machines}, {"ID", offer_machines},
                 {"FORMAT", offer_formats}, {"FORMATS", offer_formats},  {"FMT", offer_formats}};
    usage += usage[0] == '[';
    const ridge_str word = {usage, strspn(usage, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (ridge_str_is(word, kinds[i].usage))
            kinds[i].offer(c);
}

/* the answers keep what stands before `at` */
static const char *prefix_to(const completing *c, const char *word, const char *at)
{
    const char *prefix = ridge_arena_printf(&c->call->arena, "%s%.*s", c->prefix, (int)(at - word), word);
    return prefix ? prefix : "";
}

static bool takes_list(const ridge_option *option)
{
    const bool one = option->kind == RIDGE_OPTION_FORMAT || option->kind == RIDGE_OPTION_CHOICE;
    return !one && !(option->argument && strcmp(option->argument, "MACHINE") == 0);
}

/* of a list the last item */
static void offer_values(completing c, const ridge_option *option)
{
    const char *word = c.typed.p, *comma = strrchr(word, ',');
    if (comma && takes_list(option)) {
        c.prefix = prefix_to(&c, word, comma + 1);
        c.typed = ridge_str_of(comma + 1);
    }
    offer_words(&c, option->words);
    if (option->kind == RIDGE_OPTION_FORMAT || option->kind == RIDGE_OPTION_FORMATS)
        offer_formats(&c);
    else if (!option->words)
        offer_arguments(&c, option->argument);
}

static void offer_options(const completing *c)
{
    for (const ridge_option_table *table = c->command->tables; c->command->run && table->options; table++)
        for (const ridge_option *option = table->options; option->name; option++)
            if (ridge_options_offered(c->command->tables, table, option))
                offer(c, ridge_arena_printf(&c->call->arena, "--%s", option->name));
    offer(c, "--color");
    offer(c, "--help");
    offer(c, "--remote");
}

/* the option of "--name", NULL where the command has none */
static const ridge_option *option_of(const completing *c, const char *word, size_t n)
{
    static char request, call; /* places are looked up, nothing is stored */
    const ridge_option_places places = {&request, &call};
    void *at;
    if (n < 3 || word[0] != '-' || word[1] != '-')
        return NULL;
    const ridge_str name = {word + 2, n - 2};
    return ridge_str_is(name, ridge_color_option.name) ? &ridge_color_option : ridge_options_find(&at, &places, c->command->tables, name);
}

static void offer_operands(const completing *c)
{
    if (c->command == &ridge_cmd_help)
        offer_commands(c, ridge_commands);
    else if (c->command->commands)
        offer_commands(c, c->command->commands);
    else if (c->command->operands.words)
        offer_words(c, c->command->operands.words);
    else if (c->command->operands.usage)
        offer_arguments(c, c->command->operands.usage);
}

/* the last word, after `before` (NULL: it is the first after the command) */
static void offer_word(completing c, const char *before, const char *word)
{
    const char *equals = strchr(word, '=');
    const ridge_option *attached = equals ? option_of(&c, word, (size_t)(equals - word)) : NULL;
    const ridge_option *option = before ? option_of(&c, before, strlen(before)) : NULL;
    c.typed = ridge_str_of(word);
    if (attached && attached->argument) {
        c.prefix = prefix_to(&c, word, equals + 1);
        c.typed = ridge_str_of(equals + 1);
        offer_values(c, attached);
    } else if (option && option->argument) {
        offer_values(c, option);
    } else if (word[0] == '-') {
        offer_options(&c);
    } else {
        offer_operands(&c);
    }
}

static const ridge_command *command_named(const ridge_command *const *commands, const char *name)
{
    while (commands && *commands && strcmp((*commands)->name, name) != 0)
        commands++;
    return commands ? *commands : NULL;
}

/* "--phase", "=", "de", as bash has it: the '=' goes */
static int without_equals(char **words, int count)
{
    static char nothing[] = "";
    int n = 0;
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], "=") != 0)
            words[n++] = words[i];
        else if (i + 1 == count)
            words[n++] = nothing;
    return n;
}

void ridge_complete(ridge_call *call, int argc, char **argv)
{
    static const char *const own[] = {"--help", "--version", NULL};
    completing c = {.call = call, .prefix = ""};
    int count = without_equals(argv, argc), used = 0;
    const ridge_command *const *commands = ridge_commands;
    for (const ridge_command *next; used + 1 < count && (next = command_named(commands, argv[used])); used++) {
        c.command = next;
        commands = next->commands;
    }
    if (count == 0)
        return;
    const char *word = argv[count - 1];
    c.typed = ridge_str_of(word);
    if (c.command)
        offer_word(c, used + 1 < count ? argv[count - 2] : NULL, word);
    else if (count == 1 && word[0] == '-')
        offer_words(&c, own);
    else if (count == 1)
        offer_commands(&c, ridge_commands);
}
