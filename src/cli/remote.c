#include "cli/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/file.h"
#include "command/jobs.h"
#include "input/hub/http.h"

enum {
    CONNECT_SECONDS = 10,
    ANSWER_SECONDS = 120,
    SILENT_SECONDS = 40,    /* a stream of events says something every 15 */
    PATIENCE_SECONDS = 600, /* for which a link may be down */
    POSTED_MOST = 8 << 20,
    ANSWER_MOST = 1 << 30
};

typedef struct remote {
    ridge_terminal *terminal;
    ridge_call *call;
    const char *url, *token, *view;
    int exit;              /* what the answer says of the exit status; -1: nothing */
    const char *complaint; /* what a check found */
    bool is_other;         /* it is no ridge, or another version */
    char version[64];
    /* ---- of a job's events ---- */
    ridge_buf line;
    unsigned seen;
    bool ended;
    char kind[24];
    ridge_stop stop;
    bool cancelled;
} remote;

/* ---- one request ---- */

/* copies a header's value */
static void copy(char *to, size_t cap, ridge_str value)
{
    const size_t n = value.n < cap - 1 ? value.n : cap - 1;
    memcpy(to, value.p, n);
    to[n] = '\0';
}

static void told(void *data, ridge_str name, ridge_str value)
{
    remote *r = data;
    char text[1024];
    if (!value.p)
        return;
    copy(text, sizeof text, value);
    if (ridge_str_is(name, "Ridge-Exit"))
        r->exit = atoi(text);
    else if (ridge_str_is(name, "Ridge-Warning"))
        ridge_call_warn(r->call, "%s", text);
    else if (ridge_str_is(name, "Ridge-Error"))
        r->complaint = ridge_arena_strdup(&r->call->arena, ridge_str_of(text));
    else if (ridge_str_is(name, "Ridge-Version"))
        copy(r->version, sizeof r->version, value);
}

static ridge_status ask(ridge_http_answer *out, remote *r, const char *method, const char *path, const char *body, ridge_err *err)
{
    static const char *const accepts[] = {"Accept: text/plain", "Accept: application/json", "Accept: text/csv", "Accept: text/markdown"};
    const char *headers[] = {accepts[r->call->form], r->view, "Content-Type: application/json", NULL};
    const char *url = ridge_arena_printf(&r->call->arena, "%s%s", r->url, path);
    const ridge_http_request request = {.url = url,
                                        .token = r->token,
                                        .limit = ANSWER_MOST,
                                        .connect_s = CONNECT_SECONDS,
                                        .stall_s = ANSWER_SECONDS,
                                        .method = method,
                                        .body = body,
                                        .headers = headers,
                                        .any_status = true,
                                        .told = told,
                                        .data = r};
    r->exit = -1;
    return url ? ridge_http_get(out, &request, &r->call->arena, err) : ridge_no_memory(err);
}

/* ---- what comes back ---- */

static ridge_status code_of(const char *name)
{
    static const char *const names[] = {
#define X(code, text) #code,
        RIDGE_STATUS_LIST(X)
#undef X
    };
    for (size_t i = 1; name && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (ridge_status)i;
    return RIDGE_IO;
}

/* the error as it would have been here */
static ridge_status fail_as_told(const remote *r, const ridge_http_answer *answer, ridge_err *err)
{
    ridge_json *json = NULL;
    if (answer->status == 401)
        return ridge_fail(err, RIDGE_USAGE, "%s wants a token: put it into RIDGE_TOKEN", r->url);
    if (ridge_json_parse(&json, answer->body, r->url, (ridge_json_options){0}, &r->call->arena, NULL))
        json = NULL;
    const ridge_json *error = ridge_json_get(json, "error"), *line = ridge_json_get(error, "line"), *col = ridge_json_get(error, "col");
    const char *message = ridge_json_text(error, "message", &r->call->arena), *file = ridge_json_text(error, "file", &r->call->arena);
    if (!message)
        return ridge_fail(err, RIDGE_IO, "%s answers with status %ld, and not as ridge does", r->url, answer->status);
    const ridge_status code = code_of(ridge_json_text(error, "code", &r->call->arena));
    const bool placed = line && line->type == RIDGE_JSON_NUMBER && col && col->type == RIDGE_JSON_NUMBER;
    return ridge_fail_at(err, code, file, placed ? (unsigned)strtoul(line->u.text.p, NULL, 10) : 0,
                         placed ? (unsigned)strtoul(col->u.text.p, NULL, 10) : 0, "%s", message);
}

/* the answer is the call's; what a check found is an error beside it */
static ridge_status take_answer(remote *r, const ridge_http_answer *answer, ridge_err *err)
{
    if (answer->status != 200)
        return fail_as_told(r, answer, err);
    ridge_buf_add(&r->call->data, answer->body);
    r->call->interrupted = r->exit == 130;
    if (r->exit == 3)
        return ridge_fail(err, RIDGE_CHECK, "%s", r->complaint ? r->complaint : "a check failed");
    return r->exit > 0 && r->exit != 130 ? ridge_fail(err, RIDGE_VALUE, "%s", r->complaint ? r->complaint : "it failed there") : RIDGE_OK;
}

static ridge_status same_version(remote *r, ridge_err *err)
{
    ridge_http_answer answer;
    ridge_status st = ask(&answer, r, NULL, "/version", NULL, err);
    if (st)
        return st;
    if (answer.status == 401 || answer.status == 403 || answer.status == 421)
        return fail_as_told(r, &answer, err);
    if (r->version[0] == '\0' || answer.status != 200)
        return ridge_fail(err, RIDGE_IO, "%s is no server of ridge", r->url);
    if (strcmp(r->version, RIDGE_VERSION) != 0)
        return ridge_fail(err, RIDGE_USAGE, "%s is ridge %s, this is ridge " RIDGE_VERSION ": they must be the same", r->url, r->version);
    return RIDGE_OK;
}

/* ---- a job ---- */

static void take_data(remote *r, ridge_str text)
{
    ridge_json *json = NULL;
    if (ridge_json_parse(&json, text, "event", (ridge_json_options){0}, &r->call->arena, NULL))
        return;
    if (strcmp(r->kind, "progress") == 0) {
        const char *line = ridge_json_text(json, "line", &r->call->arena);
        if (line)
            ridge_call_progress(r->call, "%s", line);
        else
            ridge_call_progress_end(r->call);
    } else if (strcmp(r->kind, "warning") == 0) {
        const char *words = ridge_json_text(json, "text", &r->call->arena);
        ridge_call_warn(r->call, "%s", words ? words : "");
    }
    r->ended |= strcmp(r->kind, "end") == 0;
}

static void take_line(remote *r, ridge_str line)
{
    if (ridge_str_starts(line, RIDGE_STR("id: ")))
        r->seen = (unsigned)strtoul(line.p + 4, NULL, 10);
    else if (ridge_str_starts(line, RIDGE_STR("event: ")))
        copy(r->kind, sizeof r->kind, (ridge_str){line.p + 7, line.n - 7});
    else if (ridge_str_starts(line, RIDGE_STR("data: ")))
        take_data(r, (ridge_str){line.p + 6, line.n - 6});
}

/* pieces end anywhere: whole lines of them */
static bool take_events(void *data, ridge_str piece)
{
    enum { LINE_MOST = 1 << 20 };
    remote *r = data;
    ridge_buf_add(&r->line, piece);
    size_t from = 0;
    for (const char *end; !r->line.failed && r->line.n > from && (end = memchr(r->line.p + from, '\n', r->line.n - from)) != NULL;) {
        take_line(r, (ridge_str){r->line.p + from, (size_t)(end - r->line.p) - from});
        from = (size_t)(end - r->line.p) + 1;
    }
    if (from > 0) {
        memmove(r->line.p, r->line.p + from, r->line.n - from);
        r->line.n -= from;
    }
    return !r->ended && !r->line.failed && r->line.n < LINE_MOST;
}

/* true: there is something to wait for still, and the link is there */
static ridge_status watch(remote *r, const char *job, ridge_err *err)
{
    char seen[48];
    ridge_http_answer answer;
    (void)snprintf(seen, sizeof seen, "Last-Event-ID: %u", r->seen);
    const char *headers[] = {seen, r->view, NULL};
    const char *url = ridge_arena_printf(&r->call->arena, "%s/api/v1/jobs/%s/events", r->url, job);
    const ridge_http_request request = {.url = url,
                                        .token = r->token,
                                        .limit = 1 << 20,
                                        .connect_s = CONNECT_SECONDS,
                                        .stall_s = SILENT_SECONDS,
                                        .headers = headers,
                                        .any_status = true,
                                        .stop = r->cancelled ? NULL : &r->stop,
                                        .take = take_events,
                                        .data = r};
    r->line.n = 0;
    ridge_status st = url ? ridge_http_get(&answer, &request, &r->call->arena, err) : ridge_no_memory(err);
    return !st && answer.status != 200 ? fail_as_told(r, &answer, err) : st;
}

static void cancel(remote *r, const char *job)
{
    ridge_http_answer answer;
    const char *path = ridge_arena_printf(&r->call->arena, "/api/v1/jobs/%s", job);
    r->stop = 0;
    if (path && !ask(&answer, r, "DELETE", path, NULL, NULL))
        r->cancelled = true;
}

/* until the job has ended; a link that drops is waited for */
static ridge_status wait_for(remote *r, const char *job, ridge_err *err)
{
    const struct timespec second = {.tv_sec = 1};
    time_t down = 0;
    while (!r->ended) {
        ridge_err problem = {0};
        const unsigned before = r->seen;
        ridge_status st = watch(r, job, &problem);
        if (r->ended)
            break;
        if (st && st != RIDGE_IO)
            return ridge_fail(err, st, "%s", problem.msg);
        if (r->stop && !r->cancelled) {
            cancel(r, job);
            continue;
        }
        down = !st || r->seen != before || !down ? time(NULL) : down;
        if (time(NULL) - down > PATIENCE_SECONDS)
            return ridge_fail(
                err, RIDGE_IO,
                "%s cannot be reached; the job goes on there, and 'ridge " RIDGE_OPT("remote") " %s jobs %s' fetches its answer", r->url,
                r->url, job);
        if (st)
            ridge_call_progress(r->call, "the link is down: %s", problem.msg);
        (void)nanosleep(&second, NULL);
    }
    ridge_call_progress_end(r->call);
    return RIDGE_OK;
}

static ridge_status fetch(remote *r, const char *job, ridge_err *err)
{
    const struct timespec second = {.tv_sec = 1};
    const char *path = ridge_arena_printf(&r->call->arena, "/api/v1/jobs/%s/result", job);
    ridge_http_answer answer;
    ridge_status st = path ? RIDGE_IO : ridge_no_memory(err);
    for (int tries = 0; st == RIDGE_IO && tries < 60; tries++) {
        ridge_err problem = {0};
        if ((st = ask(&answer, r, NULL, path, NULL, &problem)) == RIDGE_IO)
            (void)nanosleep(&second, NULL);
        if (st && (st != RIDGE_IO || tries == 59))
            return ridge_fail(err, st, "%s", problem.msg);
    }
    return st ? st : take_answer(r, &answer, err);
}

static ridge_status follow_job(remote *r, const char *job, ridge_err *err)
{
    ridge_call_listen(r->call, &r->stop);
    ridge_status st = wait_for(r, job, err);
    ridge_call_listen(r->call, NULL);
    return st ? st : fetch(r, job, err);
}

static ridge_status follow_answer(remote *r, const ridge_http_answer *answer, ridge_err *err)
{
    ridge_json *json;
    ridge_status st = ridge_json_parse(&json, answer->body, r->url, (ridge_json_options){0}, &r->call->arena, err);
    const char *job = st ? NULL : ridge_json_text(json, "id", &r->call->arena);
    if (!st && !job)
        st = ridge_fail(err, RIDGE_IO, "%s answers not as ridge does", r->url);
    return st ? st : follow_job(r, job, err);
}

/* ---- what goes there ---- */

/* a file of this computer goes as its content */
static ridge_status add_file(ridge_json_writer *w, remote *r, const char *path, ridge_err *err)
{
    ridge_str text;
    const char *slash = strrchr(path, '/');
    ridge_status st = ridge_file_read(&text, path, POSTED_MOST, &r->call->arena, err);
    if (st)
        return st;
    ridge_jw_object(w);
    ridge_jw_member_text(w, "name", slash ? slash + 1 : path);
    ridge_jw_key(w, "content");
    ridge_jw_str(w, text);
    ridge_jw_end_object(w);
    return RIDGE_OK;
}

static ridge_status add_operands(ridge_json_writer *w, remote *r, const ridge_command *command, ridge_err *err)
{
    const ridge_reach reach = command->operands.reach;
    ridge_status st = RIDGE_OK;
    ridge_jw_key(w, "operands");
    ridge_jw_array(w);
    for (size_t i = 0; i < r->call->operands.count && !st; i++) {
        const char *word = r->call->operands.items[i];
        if (reach == RIDGE_REACH_FILE || (reach == RIDGE_REACH_MACHINE && ridge_file_exists(word)))
            st = add_file(w, r, word, err);
        else
            ridge_jw_strz(w, word);
    }
    ridge_jw_end_array(w);
    return st;
}

static bool named(const char *option, ridge_str name)
{
    return strncmp(option, name.p, name.n) == 0 && option[name.n] == '=';
}

/* an option that was given several times is a list */
static void add_options(ridge_json_writer *w, const ridge_words *options)
{
    for (size_t i = 0; i < options->count; i++) {
        const ridge_str name = {options->items[i], strcspn(options->items[i], "=")};
        bool first = true;
        for (size_t k = 0; k < i; k++)
            first = first && !named(options->items[k], name);
        if (!first)
            continue;
        ridge_jw_key_str(w, name);
        ridge_jw_array_compact(w);
        for (size_t k = i; k < options->count; k++)
            if (named(options->items[k], name))
                ridge_jw_strz(w, options->items[k] + name.n + 1);
        ridge_jw_end_array(w);
    }
}

static ridge_status send(remote *r, const ridge_command *command, const char *path, ridge_err *err)
{
    ridge_buf body = {0};
    ridge_json_writer w;
    ridge_http_answer answer;
    char *route = ridge_arena_printf(&r->call->arena, "/api/v1/%s", path);
    for (char *c = route; c && *c; c++)
        *c = *c == ' ' ? '/' : *c;
    ridge_jw_init(&w, &body);
    ridge_jw_object(&w);
    ridge_status st = add_operands(&w, r, command, err);
    add_options(&w, &r->call->options);
    ridge_jw_end_object(&w);
    if (!st && (body.failed || !route))
        st = ridge_no_memory(err);
    if (!st)
        st = ask(&answer, r, "POST", route, body.p, err);
    ridge_buf_free(&body);
    if (st)
        return st;
    return answer.status == 202 ? follow_answer(r, &answer, err) : take_answer(r, &answer, err);
}

static ridge_status run_jobs(remote *r, const ridge_jobs_request *request, ridge_err *err)
{
    ridge_http_answer answer;
    const char *path = request->id ? ridge_arena_printf(&r->call->arena, "/api/v1/jobs/%s", request->id) : "/api/v1/jobs";
    if (request->cancel && !request->id)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("cancel") " wants a job's ID");
    if (request->id && request->id[strspn(request->id, "0123456789abcdef-")] != '\0')
        return ridge_fail(err, RIDGE_NAME, "'%s' is no job's ID", request->id);
    ridge_status st = path ? ask(&answer, r, request->cancel ? "DELETE" : NULL, path, NULL, err) : ridge_no_memory(err);
    if (st || !request->id || answer.status != 200)
        return st ? st : take_answer(r, &answer, err);
    return follow_job(r, request->id, err);
}

/* ---- the whole ---- */

ridge_status ridge_remote_take(const char **url, int *argc, char **argv, ridge_err *err)
{
    int kept = 0;
    *url = NULL;
    for (int i = 0; i < *argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            for (; i < *argc; i++)
                argv[kept++] = argv[i];
        } else if (strncmp(argv[i], "--remote=", 9) == 0) {
            *url = argv[i] + 9;
        } else if (strcmp(argv[i], "--remote") != 0) {
            argv[kept++] = argv[i];
        } else if (i + 1 < *argc) {
            *url = argv[++i];
        } else {
            return ridge_fail(err, RIDGE_USAGE, "'--remote' needs a value (URL)");
        }
    }
    *argc = kept;
    if (*url && strncmp(*url, "http://", 7) != 0 && strncmp(*url, "https://", 8) != 0)
        return ridge_fail(err, RIDGE_USAGE, "--remote: '%s' is no address: write http://localhost:8000", *url);
    return RIDGE_OK;
}

/* the address without what stands after the host: "http://localhost:8000/?token=..." was copied as it was printed */
static const char *base_of(remote *r, const char *url)
{
    const char *host = strstr(url, "://") + 3, *token = strstr(url, "?token=");
    if (token && !r->token)
        r->token = token + 7;
    return ridge_arena_strdup(&r->call->arena, (ridge_str){url, (size_t)(host - url) + strcspn(host, "/?#")});
}

ridge_status ridge_remote_run(ridge_terminal *terminal, const char *url, const ridge_command *command, const char *path,
                              const void *request, ridge_err *err)
{
    ridge_call *call = &terminal->call;
    const char *token = getenv("RIDGE_TOKEN");
    remote r = {.terminal = terminal, .call = call, .token = token && token[0] ? token : NULL, .exit = -1};
    if (command->effect == RIDGE_EFFECT_LOCAL && command != &ridge_cmd_jobs)
        return ridge_fail(err, RIDGE_USAGE, "'%s' is for the person at that computer alone: there is no " RIDGE_OPT("remote") " for it",
                          path);
    r.url = base_of(&r, url);
    r.view = ridge_arena_printf(&call->arena, "Ridge-View: width=%d line=%d%s%s%s", call->width, call->line,
                                call->terminal ? " terminal" : "", call->color ? " color" : "", call->ascii ? " ascii" : "");
    if (!r.url || !r.view)
        return ridge_no_memory(err);
    ridge_status st = same_version(&r, err);
    if (!st)
        st = command == &ridge_cmd_jobs ? run_jobs(&r, request, err) : send(&r, command, path, err);
    ridge_buf_free(&r.line);
    return st;
}
