#include "command/command.h"

#include "base/file.h"
#include "input/names.h"

/* ---- finding ---- */

static const ridge_command *find_in(const ridge_command *const *commands, const char *name)
{
    for (; *commands; commands++)
        if (strcmp((*commands)->name, name) == 0)
            return *commands;
    return NULL;
}

/* what other programs call a command */
static const struct synonym {
    const char *word, *meant;
} synonyms[] = {
    {"list", "'ridge models' lists models, 'ridge machine list' machines, 'ridge formats' number formats, 'ridge db list' the catalog"},
    {"ls", "'ridge models' lists models, 'ridge machine list' machines, 'ridge formats' number formats, 'ridge db list' the catalog"},
    {"search", "'ridge models WORD' lists the models that contain it"},
    {"gpus", "'ridge machine list' lists the machines"},
    {"hardware", "'ridge machine list' lists the machines"},
    {"info", "'ridge inspect MODEL' tells a model's modules, 'ridge machine show ID' a machine's numbers"},
    {"params", "'ridge inspect MODEL' counts the parameters"},
    {"flops", "'ridge cost MODEL' counts the FLOPs"},
    {"memory", "'ridge cost MODEL' counts the memory; 'ridge fit MODEL' says what fits"},
    {"estimate", "'ridge predict MODEL --on MACHINE' predicts the time"},
    {"run", "'ridge predict MODEL --on MACHINE' predicts the time of a run, 'ridge bench' measures kernels"},
};

static const char *meant_by(const char *word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i].word, word) == 0)
            return synonyms[i].meant;
    return NULL;
}

/* 'ridge MODEL': a path, an id, a shipped example */
static bool names_model(const char *word)
{
    return strchr(word, '/') || strchr(word, '.') || ridge_file_exists(word) || ridge_file_is_folder(word) || ridge_example_find(word);
}

/* group is NULL for the program's own commands */
static ridge_status unknown_command(const ridge_command *group, const ridge_command *const *commands, const char *name, ridge_err *err)
{
    ridge_nearest nearest = {0};
    const char *before = group ? group->name : "", *space = group ? " " : "", *meant = group ? NULL : meant_by(name);
    if (meant)
        return ridge_fail(err, RIDGE_USAGE, "unknown command '%s'; %s", name, meant);
    for (; *commands; commands++)
        ridge_nearest_offer(&nearest, ridge_str_of(name), (*commands)->name);
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown command '%s%s%s'; did you mean '%s%s%s'?", before, space, name, before, space,
                          nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown command '%s%s%s'%s", before, space, name,
                      group ? "" : ", and no folder, file or shipped model of that name ('ridge models' lists those)");
}

static ridge_status unknown_option(const char *word, ridge_err *err)
{
    ridge_nearest nearest = {0};
    ridge_nearest_offer(&nearest, ridge_str_of(word), "--help");
    ridge_nearest_offer(&nearest, ridge_str_of(word), "--version");
    if (nearest.best)
        return ridge_fail(err, RIDGE_USAGE, "unknown option '%s'; did you mean '%s'?", word, nearest.best);
    return ridge_fail(err, RIDGE_USAGE, "unknown option '%s'; a command comes first", word);
}

ridge_status ridge_command_find(const ridge_command **command, const char **path, size_t *used, size_t count, const char *const *words,
                                ridge_arena *arena, ridge_err *err)
{
    const ridge_command *const *commands = ridge_commands;
    *command = NULL;
    *path = "";
    if (words[0][0] == '-')
        return unknown_option(words[0], err);
    if (!find_in(commands, words[0]) && names_model(words[0])) {
        *command = &ridge_cmd_show;
        *path = ridge_cmd_show.name;
        *used = 0;
        return RIDGE_OK;
    }
    for (*used = 0; commands && *used < count && words[*used][0] != '-'; ++*used) {
        const ridge_command *next = find_in(commands, words[*used]);
        if (!next)
            return unknown_command(*command, commands, words[*used], err);
        *path = ridge_arena_printf(arena, "%s%s%s", *path, *used > 0 ? " " : "", next->name);
        if (!*path)
            return ridge_no_memory(err);
        *command = next;
        commands = next->commands;
    }
    return RIDGE_OK;
}

/* ---- requests ---- */

static ridge_option_places places_of(void *request, ridge_call *call)
{
    return (ridge_option_places){.request = request, .call = call};
}

ridge_status ridge_command_request(void **request, ridge_call *call, const ridge_command *command, ridge_err *err)
{
    if (!(*request = ridge_arena_alloc(&call->arena, command->request_size > 0 ? command->request_size : 1)))
        return ridge_no_memory(err);
    ridge_option_places places = places_of(*request, call);
    ridge_status st = ridge_options_default(&places, command->tables, &call->arena, err);
    for (const char *const *option = command->defaults; option && *option && !st; option++)
        st = ridge_options_set(&places, command->tables, *option, &call->arena, err);
    return st;
}

ridge_status ridge_command_operand(void *request, ridge_call *call, const ridge_command *command, const char *word, ridge_err *err)
{
    const ridge_operands *operands = &command->operands;
    if (!operands->usage && !operands->kept)
        return ridge_fail(err, RIDGE_USAGE, "unexpected argument '%s'", word);
    if (word[0] == '\0')
        return ridge_fail(err, RIDGE_USAGE, "an empty argument%s%s", operands->usage ? ": want " : "",
                          operands->usage ? operands->usage : "");
    void *at = (char *)request + operands->offset;
    const char **single = at;
    ridge_words *words = at;
    size_t count = operands->single ? *single != NULL : words->count;
    if (operands->max != 0 && count == operands->max)
        return ridge_fail(err, RIDGE_USAGE, "unexpected argument '%s' after '%s'", word,
                          operands->single ? *single : words->items[words->count - 1]);
    if (!operands->single)
        return ridge_words_add(words, word, &call->arena, err);
    *single = word;
    return RIDGE_OK;
}

/* "missing argument: NAME (size-sweep, batch-sweep)" */
static ridge_status missing(const ridge_operands *operands, ridge_err *err)
{
    ridge_buf words = {0};
    for (const char *const *word = operands->words; word && *word; word++)
        ridge_buf_addf(&words, "%s%s", words.n > 0 ? ", " : " (", *word);
    ridge_status st =
        ridge_fail(err, RIDGE_USAGE, "missing argument: %s%s%s", operands->usage, words.n > 0 ? words.p : "", words.n > 0 ? ")" : "");
    ridge_buf_free(&words);
    return st;
}

ridge_status ridge_command_complete(const void *request, const ridge_command *command, ridge_err *err)
{
    const ridge_operands *operands = &command->operands;
    const void *at = (const char *)request + operands->offset;
    if (!operands->usage)
        return RIDGE_OK;
    size_t count = operands->single ? *(const char *const *)at != NULL : ((const ridge_words *)at)->count;
    return count < operands->min ? missing(operands, err) : RIDGE_OK;
}

ridge_status ridge_command_read(void **request, ridge_call *call, const ridge_command *command, const char *const *operands,
                                size_t operand_count, const char *const *options, size_t option_count, ridge_err *err)
{
    ridge_status st = ridge_command_request(request, call, command, err);
    ridge_option_places places = places_of(*request, call);
    for (size_t i = 0; i < operand_count && !st; i++)
        st = ridge_command_operand(*request, call, command, operands[i], err);
    for (size_t i = 0; i < option_count && !st; i++)
        st = ridge_options_set(&places, command->tables, options[i], &call->arena, err);
    return st ? st : ridge_command_complete(*request, command, err);
}

/* ---- running ---- */

static ridge_status name_a_command(const ridge_command *group, ridge_err *err)
{
    ridge_buf names = {0};
    for (const ridge_command *const *command = group->commands; *command; command++)
        ridge_buf_addf(&names, "%s%s", names.n > 0 ? ", " : "", (*command)->name);
    ridge_status st = ridge_fail(err, RIDGE_USAGE, "'%s' needs a command: %s", group->name, names.n > 0 ? names.p : "");
    ridge_buf_free(&names);
    return st;
}

ridge_status ridge_command_run(ridge_call *call, const ridge_command *command, const void *request, ridge_err *err)
{
    if (call->registry)
        ridge_registry_forget_used(call->registry);
    ridge_status st = command->run ? ridge_command_warn_idle(call, command, request, err) : name_a_command(command, err);
    if (!st)
        st = command->run(call, request, err);
    ridge_call_warn_overrides(call);
    if ((!st || st == RIDGE_CHECK) && ridge_call_failed(call))
        st = ridge_no_memory(err);
    return st ? ridge_fail(err, st, NULL) : RIDGE_OK;
}
