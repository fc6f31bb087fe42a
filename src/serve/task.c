#include "serve/task.h"

#include <stdlib.h>

#include "base/shown.h"
#include "serve/posted.h"

/* ---- the words of a task ---- */

static void warn(void *data, const char *text)
{
    ridge_task *t = data;
    char spelled[1200];
    (void)ridge_spell(spelled, sizeof spelled, text, "");
    const char *copy = ridge_arena_strdup(&t->arena, ridge_str_of(spelled));
    if (copy && t->warnings.count < RIDGE_TASK_WARNINGS)
        (void)ridge_words_add(&t->warnings, copy, &t->arena, NULL);
    if (t->ears.warn)
        t->ears.warn(t->ears.data, spelled);
}

static void progress(void *data, const char *line)
{
    ridge_task *t = data;
    char spelled[512];
    if (line)
        (void)ridge_spell(spelled, sizeof spelled, line, "");
    if (t->ears.progress)
        t->ears.progress(t->ears.data, line ? spelled : NULL);
}

static void hear(void *data, ridge_stop *stop)
{
    const ridge_task *t = data;
    if (t->ears.listen)
        t->ears.listen(t->ears.data, stop);
}

/* as the command line shows an answer (cli/terminal.c) in a locale of UTF-8 */
static void show(ridge_task *t, ridge_buf *text)
{
    ridge_buf shown = {0};
    if (t->keep_marks)
        return;
    const unsigned form = t->call.form == RIDGE_FORM_JSON ? RIDGE_SHOWN_JSON : t->call.form == RIDGE_FORM_CSV ? RIDGE_SHOWN_AS_IS : 0u;
    ridge_buf_add_shown(&shown, (ridge_str){text->p, text->n}, RIDGE_SHOWN_LINES | RIDGE_SHOWN_DASHES | form);
    shown.failed |= text->failed;
    ridge_buf_free(text);
    *text = shown;
}

static ridge_status flush(void *data, ridge_buf *text, ridge_err *err)
{
    ridge_task *t = data;
    if (!t->ears.take)
        return RIDGE_OK;
    show(t, text);
    return text->failed ? ridge_no_memory(err) : t->ears.take(t->ears.data, text, err);
}

static const ridge_front front = {.warn = warn, .progress = progress, .flush = flush, .listen = hear};

/* ---- its life ---- */

ridge_task *ridge_task_new(void)
{
    ridge_task *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    ridge_arena_init(&t->arena);
    ridge_call_init(&t->call, &front, t);
    t->http = 200;
    return t;
}

void ridge_task_free(ridge_task *t)
{
    if (!t)
        return;
    ridge_posted_remove(t->folder);
    ridge_call_free(&t->call);
    ridge_buf_free(&t->body);
    ridge_arena_free(&t->arena);
    free(t);
}

/* ---- the command ---- */

static const ridge_command *command_in(const ridge_command *const *commands, ridge_str name)
{
    for (; commands && *commands; commands++)
        if (ridge_str_is(name, (*commands)->name))
            return *commands;
    return NULL;
}

const ridge_command *ridge_task_command(const char **path, const char *route, ridge_arena *arena)
{
    const ridge_command *command = NULL;
    const ridge_command *const *commands = ridge_commands;
    for (*path = ""; *path;) {
        const size_t n = strcspn(route, "/");
        command = command_in(commands, (ridge_str){route, n});
        if (!command)
            return NULL;
        *path = ridge_arena_printf(arena, "%s%s%s", *path, **path ? " " : "", command->name);
        if (route[n] == '\0')
            return command->run && *path ? command : NULL;
        route += n + 1;
        commands = command->commands;
    }
    return NULL;
}

const char *ridge_task_operand(const ridge_command *command, size_t n, ridge_arena *arena)
{
    const char *at = command->operands.usage;
    for (size_t length; at && *at != '\0'; at += length) {
        at += strspn(at, "[]. |");
        length = strcspn(at, "[]. |");
        if (length > 0 && n-- == 0) {
            char *name = ridge_arena_strdup(arena, (ridge_str){at, length});
            for (char *c = name; c && *c; c++)
                *c = ridge_lower(*c);
            return name;
        }
    }
    return NULL;
}

/* ---- the form of the answer ---- */

static const ridge_option *option_of(void **at, ridge_task *t, const char *name)
{
    const ridge_option_places places = {.request = t->request, .call = &t->call};
    return ridge_options_find(at, &places, t->command->tables, ridge_str_of(name));
}

static bool has_option(ridge_task *t, const char *name)
{
    void *at;
    return option_of(&at, t, name) != NULL;
}

/* what an Accept header asks for first, of what there is */
static const char *accepted(const char *accept)
{
    static const char *const types[][2] = {
        {"application/json", "json"}, {"text/csv", "csv"}, {"text/markdown", "markdown"}, {"image/svg+xml", "svg"}, {"text/plain", "text"}};
    const char *best = "json", *first = NULL;
    for (size_t i = 0; accept && i < sizeof types / sizeof *types; i++) {
        const char *at = strstr(accept, types[i][0]);
        if (at && (!first || at < first)) {
            first = at;
            best = types[i][1];
        }
    }
    return best;
}

static const char *format_of(ridge_task *t, const char *accept)
{
    static const char *const flags[] = {"csv", "markdown", "json"};
    const char *given = has_option(t, "format") ? NULL : ridge_asked_text(&t->asked, "format");
    for (size_t i = 0; !given && i < sizeof flags / sizeof *flags; i++) {
        const char *value = ridge_asked_text(&t->asked, flags[i]);
        given = value && strcmp(value, "true") == 0 ? flags[i] : NULL;
    }
    return given ? given : accepted(accept);
}

static ridge_status not_in_that_form(ridge_task *t, const char *format)
{
    t->http = 406;
    return ridge_fail(&t->err, RIDGE_USAGE, "'%s' has no answer in the form '%s'", t->path, format);
}

/* a picture or a page is a file that the command writes: into a folder of the task's */
static ridge_status draw_into(ridge_task *t, const char *option_name, const char *format)
{
    void *at;
    const ridge_option *option = option_of(&at, t, option_name);
    if (!option)
        return not_in_that_form(t, format);
    ridge_status st = ridge_posted_folder(&t->folder, &t->arena, &t->err);
    t->drawn = st ? NULL : ridge_arena_printf(&t->arena, "%s/answer.%s", t->folder, format);
    if (!st && !t->drawn)
        st = ridge_no_memory(&t->err);
    return st ? st : ridge_option_store(at, option, t->drawn, &t->call.arena, &t->err);
}

static ridge_status take_form(ridge_task *t, const char *accept)
{
    static const struct {
        const char *name, *option;
        ridge_form form;
    } forms[] = {{"json", NULL, RIDGE_FORM_JSON},
                 {"csv", "csv", RIDGE_FORM_CSV},
                 {"markdown", "markdown", RIDGE_FORM_MARKDOWN},
                 {"text", NULL, RIDGE_FORM_TEXT}};
    const char *format = t->format = format_of(t, accept);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(format, forms[i].name) == 0) {
            void *at;
            const ridge_option *option = forms[i].option ? option_of(&at, t, forms[i].option) : NULL;
            const bool of_call = has_option(t, "json");
            if (forms[i].option && !option)
                return not_in_that_form(t, format);
            if (option && at != &t->call)
                return ridge_option_store(at, option, NULL, &t->call.arena, &t->err);
            t->call.form = of_call || forms[i].form != RIDGE_FORM_JSON ? forms[i].form : RIDGE_FORM_TEXT;
            return RIDGE_OK;
        }
    if (strcmp(format, "svg") == 0 || strcmp(format, "png") == 0)
        return draw_into(t, "plot", format);
    if (strcmp(format, "html") == 0)
        return draw_into(t, "html", format);
    t->http = 406;
    return ridge_fail(&t->err, RIDGE_USAGE, "there is no form '%s': json, csv, markdown, text, svg, png or html", format);
}

/* is it said by the form already? */
static bool says_form(ridge_task *t, const char *name)
{
    return (strcmp(name, "format") == 0 && !has_option(t, "format")) || strcmp(name, "json") == 0 || strcmp(name, "csv") == 0 ||
           strcmp(name, "markdown") == 0;
}

/* ---- options and operands ---- */

static ridge_status check(ridge_task *t, const ridge_reach_policy *policy, ridge_reach reach, const char *name, const char *text)
{
    bool refused = false;
    ridge_status st = ridge_reach_check(&refused, policy, reach, name, text, &t->err);
    if (refused)
        t->http = 403;
    return st;
}

static bool is_in(const ridge_option *options, const ridge_option *option)
{
    for (; options->name; options++)
        if (options == option)
            return true;
    return false;
}

static ridge_status take_option(ridge_task *t, const ridge_reach_policy *policy, bool may_change, const ridge_asked_value *value)
{
    const ridge_option_places places = {.request = t->request, .call = &t->call};
    void *at;
    const ridge_option *option = option_of(&at, t, value->name);
    if (!option)
        return ridge_options_unknown(t->command->tables, ridge_str_of(value->name), &t->err);
    if (!value->text)
        return ridge_fail(&t->err, RIDGE_USAGE, RIDGE_OPT("%s") ": want a text, a number, true or false", option->name);
    const bool off = !option->argument && strcmp(value->text, "false") == 0;
    if (option->reach == RIDGE_REACH_KEPT && !off && !may_change) {
        t->http = 405;
        return ridge_fail(&t->err, RIDGE_USAGE, RIDGE_OPT("%s") " changes what is kept: it wants POST", option->name);
    }
    ridge_status st = off ? RIDGE_OK : check(t, policy, option->reach, option->name, value->text);
    t->own_catalog |= is_in(ridge_options_catalog, option);
    return st ? st : ridge_options_take(&places, t->command->tables, at, option, value->text, &t->call.arena, &t->err);
}

static ridge_status take_operand(ridge_task *t, const ridge_reach_policy *policy, const ridge_asked_value *value)
{
    const ridge_operands *operands = &t->command->operands;
    const char *text = value->text;
    ridge_status st = RIDGE_OK;
    if (!text && (operands->reach == RIDGE_REACH_FILE || operands->reach == RIDGE_REACH_MACHINE))
        st = ridge_posted_file(&text, &t->folder, value->json, &t->arena, &t->err);
    else if (!text)
        st = ridge_fail(&t->err, RIDGE_USAGE, "%s: want a text", value->name);
    else if (!t->asked.config.p || operands->reach != RIDGE_REACH_MODEL)
        st = check(t, policy, operands->reach, value->name, text);
    else
        st = check(t, &(ridge_reach_policy){.fd = -1}, operands->reach, value->name, text);
    return st ? st : ridge_command_operand(t->request, &t->call, t->command, text, &t->err);
}

/* the place of an operand's name in its usage; -1: no operand is called so. Alternatives have one place. */
static int operand_place(ridge_task *t, const char *name)
{
    const char *one;
    int place = -1;
    for (size_t n = 0; place < 0 && (one = ridge_task_operand(t->command, n, &t->arena)) != NULL; n++)
        if (strcmp(one, name) == 0)
            place = (int)n;
    return place;
}

/* in the order of their usage: "name" before "argument" */
static ridge_status take_operands(ridge_task *t, const ridge_reach_policy *policy)
{
    enum { PLACES = 4 };
    ridge_status st = RIDGE_OK;
    for (int place = 0; place < PLACES; place++)
        for (size_t i = 0; i < t->asked.count && !st; i++) {
            const ridge_asked_value *value = &t->asked.values[i];
            const bool first = place == 0 && strcmp(value->name, "operands") == 0;
            if (first || (!has_option(t, value->name) && operand_place(t, value->name) == place))
                st = take_operand(t, policy, value);
        }
    return st;
}

static ridge_status take_config(ridge_task *t)
{
    const ridge_operands *operands = &t->command->operands;
    char *request = t->request;
    const char **model = (const char **)(void *)(request + operands->offset);
    if (!t->asked.config.p)
        return RIDGE_OK;
    if (operands->length_offset == 0)
        return ridge_fail(&t->err, RIDGE_USAGE, "'%s' takes no config", t->path);
    *(const char **)(void *)(request + operands->text_offset) = t->asked.config.p;
    *(size_t *)(void *)(request + operands->length_offset) = t->asked.config.n;
    if (!*model)
        *model = "config.json";
    return RIDGE_OK;
}

/* "ridge bench gemv --n=4096": as it could have been typed, for the store of runs */
static void set_typed(ridge_task *t)
{
    const char *typed = ridge_arena_printf(&t->arena, "ridge %s", t->path);
    for (size_t i = 0; i < t->asked.count && typed; i++) {
        const ridge_asked_value *v = &t->asked.values[i];
        const bool option = has_option(t, v->name);
        if (v->text && !says_form(t, v->name))
            typed = option ? ridge_arena_printf(&t->arena, "%s --%s=%s", typed, v->name, v->text)
                           : ridge_arena_printf(&t->arena, "%s %s", typed, v->text);
    }
    t->call.typed = typed;
}

ridge_status ridge_task_read(ridge_task *t, const ridge_reach_policy *policy, bool may_change, const char *accept)
{
    ridge_status st = ridge_command_request(&t->request, &t->call, t->command, &t->err);
    if (st || (st = take_form(t, accept)) || (st = take_operands(t, policy)) || (st = take_config(t)))
        return st;
    for (size_t i = 0; i < t->asked.count && !st; i++) {
        const ridge_asked_value *value = &t->asked.values[i];
        const bool operand = !has_option(t, value->name) && (strcmp(value->name, "operands") == 0 || operand_place(t, value->name) >= 0);
        if (!operand && !says_form(t, value->name))
            st = take_option(t, policy, may_change, value);
    }
    set_typed(t);
    return st ? st : ridge_command_complete(t->request, t->command, &t->err);
}

/* ---- running ---- */

ridge_status ridge_task_run(ridge_task *t, ridge_registry *registry)
{
    t->call.registry = t->own_catalog ? NULL : registry;
    ridge_status st = ridge_command_run(&t->call, t->command, t->request, &t->err);
    if (t->folder)
        ridge_posted_hide(&t->err, t->folder);
    const bool answers = !st || st == RIDGE_CHECK;
    if (t->call.interrupted && !st && !t->drawn)
        st = RIDGE_OK;
    if (!answers) {
        t->http = ridge_error_http(st, t->command->effect);
        return st;
    }
    if (!t->drawn) {
        show(t, &t->call.data);
        return t->call.data.failed ? ridge_no_memory(&t->err) : st;
    }
    t->call.data.n = 0;
    return ridge_posted_read(&t->call.data, t->drawn, &t->arena, &t->err);
}

const char *ridge_task_type(const ridge_task *t)
{
    static const char *const types[][2] = {{"svg", "image/svg+xml"}, {"png", "image/png"}, {"html", "text/html; charset=utf-8"}};
    for (size_t i = 0; t->drawn && i < sizeof types / sizeof *types; i++)
        if (strcmp(t->format, types[i][0]) == 0)
            return types[i][1];
    if (t->call.form == RIDGE_FORM_JSON || (t->call.data.n > 0 && t->call.data.p[0] == '{'))
        return "application/json";
    return t->call.form == RIDGE_FORM_CSV        ? "text/csv; charset=utf-8"
           : t->call.form == RIDGE_FORM_MARKDOWN ? "text/markdown; charset=utf-8"
                                                 : "text/plain; charset=utf-8";
}
