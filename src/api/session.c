/* Sessions of the public interface, and the commands through them: strings in, text or JSON out, as the command line has them. */
#include "api/session.h"

#include <stdlib.h>

#include "base/shown.h"

const char *ridge_version(void)
{
    return RIDGE_VERSION;
}

void ridge_free(char *text)
{
    free(text);
}

/* ---- a session ---- */

static void tell(ridge_session *s)
{
    s->message[0] = s->said[0] = '\0';
    if (!s->err.code)
        return;
    (void)ridge_err_format(s->message, sizeof s->message, &s->err, "");
    (void)ridge_spell(s->said, sizeof s->said, s->err.msg, "");
}

/* in one piece of memory */
static bool keep_catalogs(ridge_session *s, const char *const *catalogs, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += strlen(catalogs[i]) + 1;
    if (count == 0)
        return true;
    if (!(s->catalogs = malloc(count * sizeof *s->catalogs + bytes)))
        return false;
    char *text = (char *)(s->catalogs + count);
    for (; s->catalog_count < count; s->catalog_count++) {
        const size_t n = strlen(catalogs[s->catalog_count]) + 1;
        s->catalogs[s->catalog_count] = memcpy(text, catalogs[s->catalog_count], n);
        text += n;
    }
    return true;
}

/* changes with every file of the user's own catalog and machines, whoever writes it */
static uint64_t state_of_kept(void)
{
    static const char *const folders[] = {"catalog", "learned", "validated", "machines", NULL};
    return ridge_file_user_state(folders);
}

static void close_catalog(ridge_session *s)
{
    ridge_machines_close(s->machines);
    ridge_registry_close(s->registry);
    s->machines = NULL;
    s->registry = NULL;
}

static void open_catalog(ridge_session *s, uint64_t state)
{
    s->state = state;
    ridge_err_clear(&s->open_error);
    if (!ridge_registry_open(&s->registry, s->catalogs, s->catalog_count, true, &s->open_error))
        (void)ridge_machines_open(&s->machines, NULL, 0, &s->open_error);
}

/* A catalog that has grown by what configs named, or that is no longer what the user keeps, is opened anew. */
static void refresh(ridge_session *s)
{
    enum { CATALOG_MOST = 32 << 20 };
    const uint64_t state = state_of_kept();
    if (s->state == state && s->registry && s->registry->arena.total <= CATALOG_MOST && !s->registry->arena.failed)
        return;
    close_catalog(s);
    open_catalog(s, state);
}

ridge_session *ridge_session_open(const char *const *catalogs, size_t count)
{
    ridge_session *s = calloc(1, sizeof *s);
    if (!s || !keep_catalogs(s, catalogs, count)) {
        free(s);
        return NULL;
    }
    (void)pthread_mutex_init(&s->lock, NULL);
    open_catalog(s, state_of_kept());
    s->err = s->open_error;
    tell(s);
    return s;
}

void ridge_session_close(ridge_session *s)
{
    if (!s)
        return;
    close_catalog(s);
    free(s->catalogs);
    ridge_buf_free(&s->warnings);
    ridge_buf_free(&s->picture);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

const char *ridge_session_error(const ridge_session *s)
{
    return s->message;
}

void ridge_session_error_place(ridge_error_place *out, const ridge_session *s)
{
    const ridge_err *err = &s->err;
    *out = (ridge_error_place){ridge_status_name(err->code), s->said, err->file, err->excerpt, err->line, err->col};
}

const char *ridge_session_warnings(const ridge_session *s)
{
    return s->warnings.n > 0 ? s->warnings.p : "";
}

static void warn(void *data, const char *text)
{
    ridge_session *s = data;
    char spelled[1024];
    (void)ridge_spell(spelled, sizeof spelled, text, "");
    ridge_buf_addf(&s->warnings, "%s\n", spelled);
}

static void progress(void *data, const char *line)
{
    const ridge_session *s = data;
    if (s->progress)
        s->progress(s->progress_data, line);
}

static void hear(void *data, ridge_stop *stop)
{
    ridge_session *s = data;
    (void)pthread_mutex_lock(&s->lock);
    s->stop = stop;
    if (stop && s->cancelled)
        *stop = 1;
    (void)pthread_mutex_unlock(&s->lock);
}

void ridge_session_listen(ridge_session *s, ridge_progress_fn *function, void *data)
{
    s->progress = function;
    s->progress_data = data;
}

void ridge_session_cancel(ridge_session *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    if (s->stop)
        *s->stop = 1;
    (void)pthread_mutex_unlock(&s->lock);
}

void ridge_session_draw(ridge_session *s, int wanted)
{
    s->draws = wanted != 0;
}

const char *ridge_session_picture(const ridge_session *s)
{
    return s->picture.n > 0 && !s->picture.failed ? s->picture.p : "";
}

static void uncancel(ridge_session *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->cancelled = false;
    (void)pthread_mutex_unlock(&s->lock);
}

ridge_status ridge_session_begin(ridge_call *call, ridge_session *s)
{
    static const ridge_front front = {.warn = warn, .progress = progress, .listen = hear};
    uncancel(s);
    refresh(s);
    ridge_call_init(call, &front, s);
    call->registry = s->registry;
    call->machines = s->machines;
    call->picture = s->draws ? &s->picture : NULL;
    s->err = s->open_error;
    s->warnings.n = 0;
    s->picture.n = 0;
    if (s->registry)
        ridge_registry_forget_used(s->registry);
    return s->err.code;
}

int ridge_session_end(ridge_call *call, ridge_session *s, ridge_status st)
{
    ridge_call_warn_overrides(call);
    ridge_call_free(call);
    (void)ridge_fail(&s->err, st, NULL);
    tell(s);
    return ridge_exit_status(st);
}

ridge_status ridge_session_options(ridge_call *call, ridge_session *s, void *request, const ridge_option_table *tables,
                                   const char *const *defaults, const char *const *options, size_t count)
{
    const ridge_option_places places = {.request = request};
    ridge_status st = ridge_options_default(&places, tables, &call->arena, &s->err);
    for (; defaults && *defaults && !st; defaults++)
        st = ridge_options_set(&places, tables, *defaults, &call->arena, &s->err);
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_options_set(&places, tables, options[i], &call->arena, &s->err);
    return st;
}

/* ---- commands ---- */

/* The words of a command, "machine show", then what it is about, as the words of a command line. */
static ridge_status words_of(ridge_words *out, const char *command, const char *const *operands, size_t count, ridge_arena *arena,
                             ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t n; *command != '\0' && !st; command += n + strspn(command + n, " ")) {
        n = strcspn(command, " ");
        const char *word = ridge_arena_strdup(arena, (ridge_str){command, n});
        st = word ? ridge_words_add(out, word, arena, err) : ridge_no_memory(err);
    }
    if (!st && out->count == 0)
        st = ridge_fail(err, RIDGE_USAGE, "no command is named");
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_words_add(out, operands[i], arena, err);
    return st;
}

/* what is asked of a command; config NULL: the model is what an operand names */
typedef struct asked {
    const char *command;
    const char *const *operands, *const *options;
    size_t operand_count, option_count;
    const char *config;
    size_t config_length;
} asked;

static ridge_status take_config(void *request, const ridge_command *command, const char *path, const asked *a, ridge_err *err)
{
    char *at = request;
    if (command->operands.length_offset == 0)
        return ridge_fail(err, RIDGE_USAGE, "'%s' takes no config", path);
    *(const char **)(void *)(at + command->operands.text_offset) = a->config;
    *(size_t *)(void *)(at + command->operands.length_offset) = a->config_length;
    return RIDGE_OK;
}

/* "ridge bench gemv --n=4096": as it could have been typed, for the store of runs; NULL without memory */
static const char *typed(ridge_call *call, const asked *a)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "ridge %s", a->command);
    for (size_t i = 0; i < a->operand_count; i++)
        ridge_buf_addf(&text, " %s", a->operands[i]);
    for (size_t i = 0; i < a->option_count; i++)
        ridge_buf_addf(&text, " --%s", a->options[i]);
    for (size_t i = 0; i < text.n; i++)
        text.p[i] = (unsigned char)text.p[i] < 0x20 ? ' ' : text.p[i];
    return ridge_arena_take(&call->arena, &text);
}

static ridge_status run(ridge_call *call, const asked *a, ridge_err *err)
{
    ridge_words words = {0};
    const ridge_command *command;
    const char *path;
    size_t used;
    void *request;
    ridge_status st;
    if ((st = words_of(&words, a->command, a->operands, a->operand_count, &call->arena, err)) ||
        (st = ridge_command_find(&command, &path, &used, words.count, words.items, &call->arena, err)) ||
        (st = ridge_command_read(&request, call, command, words.items + used, words.count - used, a->options, a->option_count, err)) ||
        (a->config && (st = take_config(request, command, path, a, err))))
        return st;
    call->typed = typed(call, a);
    return ridge_command_run(call, command, request, err);
}

static int answer(ridge_session *s, char **out, const asked *a)
{
    ridge_call call;
    ridge_status st = ridge_session_begin(&call, s);
    if (!st)
        st = run(&call, a, &s->err);
    *out = NULL;
    if (!st || st == RIDGE_CHECK) {
        ridge_buf_addz(&call.data, "");
        ridge_buf_drop_marks(&call.data);
        *out = call.data.p;
        call.data = (ridge_buf){0};
    }
    return ridge_session_end(&call, s, st);
}

int ridge_run(ridge_session *s, char **out, const char *command, const char *const *operands, size_t operand_count,
              const char *const *options, size_t option_count)
{
    const asked a = {command, operands, options, operand_count, option_count, NULL, 0};
    return answer(s, out, &a);
}

int ridge_run_config(ridge_session *s, char **out, const char *command, const char *name, const char *config, size_t length,
                     const char *const *options, size_t option_count)
{
    const asked a = {command, &name, options, 1, option_count, config, length};
    return answer(s, out, &a);
}

/* ---- the JSON of one command ---- */

static char *json(ridge_session *s, const char *command, const char *operand, const char *const *options, size_t count)
{
    const asked a = {command, &operand, options, 1, count, NULL, 0};
    ridge_call call;
    char *text = NULL;
    ridge_status st = ridge_session_begin(&call, s);
    call.form = RIDGE_FORM_JSON;
    if (!st)
        st = run(&call, &a, &s->err);
    if (!st && call.form != RIDGE_FORM_JSON)
        st = ridge_fail(&s->err, RIDGE_USAGE, "this answer is JSON: ridge_run gives CSV, Markdown and text");
    if (!st) {
        text = call.data.p;
        call.data = (ridge_buf){0};
    }
    (void)ridge_session_end(&call, s, st);
    return text;
}

char *ridge_model_cost_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, "cost", model, options, count);
}

char *ridge_model_inspect_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, "inspect", model, options, count);
}

char *ridge_model_predict_json(ridge_session *s, const char *model, const char *const *options, size_t count)
{
    return json(s, "predict", model, options, count);
}

char *ridge_op_json_text(ridge_session *s, const char *kind, const char *const *options, size_t count)
{
    return json(s, "op", kind, options, count);
}

char *ridge_machine_json_text(ridge_session *s, const char *id)
{
    return json(s, "machine show", id, NULL, 0);
}
