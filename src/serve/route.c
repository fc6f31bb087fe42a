/* Paths: the page, what the server says of itself, jobs, and below /api/v1/ the commands. */
#include <stdlib.h>

#include "measure/store.h"
#include "serve/jobs.h"
#include "serve/page.h"
#include "serve/posted.h"
#include "serve/server.h"

#define API "/api/v1/"

static bool is_get(const ridge_serve_exchange *x)
{
    return strcmp(x->method, "GET") == 0;
}

/* ---- the page ---- */

static void reply_file(ridge_serve_exchange *x, const ridge_page_file *file)
{
    const bool small = file->gzip_bytes > 0 && ridge_request_accepts_gzip(x);
    const char *etag = ridge_arena_printf(&x->task->arena, "\"%s%s\"", file->etag, small ? "-gzip" : "");
    const char *known = ridge_request_header(x, "If-None-Match");
    const bool fresh = etag && known && strstr(known, etag);
    const unsigned char *bytes = small ? file->gzip : file->plain;
    const size_t n = fresh ? 0 : small ? file->gzip_bytes : file->plain_bytes;
    x->response = mhd.MHD_create_response_from_buffer(n, (void *)(uintptr_t)bytes, MHD_RESPMEM_PERSISTENT);
    if (!x->response)
        return;
    ridge_reply_dress(x, fresh ? 304 : 200, file->type);
    ridge_reply_header(x, "ETag", etag ? etag : "");
    ridge_reply_header(x, "Cache-Control", "no-cache");
    ridge_reply_header(x, "Vary", "Accept-Encoding");
    if (small)
        ridge_reply_header(x, "Content-Encoding", "gzip");
}

bool ridge_route_page(ridge_serve_exchange *x, const char *path)
{
    const char *name = strcmp(path, "/") == 0 ? "/index.html" : path;
    for (size_t i = 0; i < ridge_page_file_count; i++)
        if (strcmp(ridge_page_files[i].path, name) == 0) {
            reply_file(x, &ridge_page_files[i]);
            return true;
        }
    return false;
}

/* ---- what is at hand ---- */

static void reply_health(ridge_serve_exchange *x)
{
    ridge_json_writer w;
    ridge_buf body = {0};
    ridge_jw_answer(&w, &body);
    ridge_jw_member_text(&w, "status", atomic_load(&x->server->stopping) ? "stopping" : "ok");
    ridge_jw_member_whole(&w, "uptime_s", ridge_serve_now() - x->server->started);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&body, '\n');
    ridge_reply_buf(x, 200, "application/json", &body);
    ridge_reply_header(x, "Cache-Control", "no-store");
}

static void reply_version(ridge_serve_exchange *x)
{
    ridge_json_writer w;
    ridge_buf body = {0};
    ridge_jw_answer(&w, &body);
    ridge_jw_member_text(&w, "api", "v1");
    ridge_jw_member_text(&w, "build", ridge_store_build());
    ridge_jw_end_object(&w);
    ridge_buf_addc(&body, '\n');
    ridge_reply_buf(x, 200, "application/json", &body);
}

static void reply_openapi(ridge_serve_exchange *x)
{
    ridge_buf body = {0};
    ridge_err err = {0};
    if (ridge_openapi(&body, &err)) {
        ridge_buf_free(&body);
        ridge_reply_err(x, 500, &err);
        return;
    }
    ridge_reply_buf(x, 200, "application/json", &body);
    ridge_reply_header(x, "Cache-Control", "no-cache");
}

static bool reply_own(ridge_serve_exchange *x, const char *path)
{
    static const struct {
        const char *path;
        void (*reply)(ridge_serve_exchange *x);
    } own[] = {{"/healthz", reply_health}, {"/version", reply_version}, {"/openapi.json", reply_openapi}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(path, own[i].path) == 0) {
            own[i].reply(x);
            return true;
        }
    return ridge_route_page(x, path);
}

bool ridge_route_at_once(ridge_serve_exchange *x)
{
    const char *path = x->task->asked.path, *jobs = API "jobs";
    const size_t n = strlen(jobs);
    if (strcmp(x->method, "other") == 0) {
        ridge_reply_fail(x, 405, RIDGE_USAGE, "the method is GET, HEAD, POST or DELETE");
        ridge_reply_header(x, "Allow", "GET, HEAD, POST, DELETE");
        return true;
    }
    if (strcmp(x->method, "HEAD") == 0)
        x->method = "GET"; /* the library leaves the body out */
    if (strncmp(path, jobs, n) == 0 && (path[n] == '\0' || path[n] == '/')) {
        ridge_jobs_route(x, path + n);
        return true;
    }
    if (strncmp(path, API, strlen(API)) == 0)
        return false;
    if (!is_get(x)) {
        ridge_reply_fail(x, 405, RIDGE_USAGE, "%.100s is read with GET", path);
        ridge_reply_header(x, "Allow", "GET, HEAD");
    } else if (!reply_own(x, path)) {
        ridge_reply_fail(x, 404, RIDGE_NAME, "there is no %.200s here; the commands are below " API ", described in /openapi.json", path);
    }
    return true;
}

/* ---- the commands ---- */

/* false: the command is not for whoever asks in this way, and the reply says so */
static bool is_served(ridge_serve_exchange *x, const ridge_command *command)
{
    const bool changes = command->effect != RIDGE_EFFECT_NONE;
    if (command->effect == RIDGE_EFFECT_LOCAL || (command->effect == RIDGE_EFFECT_FETCHES && !x->server->request->hub)) {
        ridge_reply_fail(x, 403, RIDGE_USAGE, "'%s' is %s", x->task->path,
                         command->effect == RIDGE_EFFECT_LOCAL ? "for the person at the server alone"
                                                               : "off: the server was started without 'hub'");
        return false;
    }
    if (strcmp(x->method, "DELETE") == 0 || (changes && is_get(x))) {
        ridge_reply_fail(x, 405, RIDGE_USAGE, changes ? "'%s' measures or changes something: it wants POST" : "'%s' wants GET or POST",
                         x->task->path);
        ridge_reply_header(x, "Allow", changes ? "POST" : "GET, HEAD, POST");
        return false;
    }
    return true;
}

static ridge_status read_body(ridge_serve_exchange *x)
{
    ridge_task *t = x->task;
    const ridge_str body = {t->body.p, t->body.n};
    if (body.n == 0)
        return RIDGE_OK;
    if (body.p[0] != '{' && x->type && strncmp(x->type, "application/x-www-form-urlencoded", 33) == 0)
        return ridge_asked_form(&t->asked, body, &t->arena, &t->err);
    return ridge_asked_body(&t->asked, body, &t->arena, &t->err);
}

/* how wide, for a command line elsewhere: "width=80 line=80 terminal color ascii" */
static void read_view(ridge_serve_exchange *x)
{
    const char *view = ridge_request_header(x, "Ridge-View");
    ridge_call *call = &x->task->call;
    const char *width = view ? strstr(view, "width=") : NULL, *line = view ? strstr(view, "line=") : NULL;
    if (!view)
        return;
    x->task->keep_marks = true;
    call->width = width ? atoi(width + 6) : 0;
    call->line = line ? atoi(line + 5) : 80;
    call->width = call->width < 0 || call->width > 1000 ? 0 : call->width;
    call->line = call->line < 40 || call->line > 1000 ? 80 : call->line;
    call->terminal = strstr(view, "terminal") != NULL;
    call->color = strstr(view, "color") != NULL;
    call->ascii = strstr(view, "ascii") != NULL;
}

static bool run_now(ridge_serve_exchange *x, ridge_registry *registry)
{
    ridge_reply_task(x, x->task, ridge_task_run(x->task, registry));
    return true;
}

/* short names of some commands */
static const char *full_name(const char *route)
{
    static const char *const names[][2] = {{"live", "machine/live"}, {"machines", "machine/list"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(route, names[i][0]) == 0)
            return names[i][1];
    return route;
}

bool ridge_route_command(ridge_serve_exchange *x, ridge_registry *registry)
{
    ridge_task *t = x->task;
    t->command = ridge_task_command(&t->path, full_name(t->asked.path + strlen(API)), &t->arena);
    if (!t->command) {
        ridge_reply_fail(x, 404, RIDGE_NAME, "there is no command at %.200s; /openapi.json has them", t->asked.path);
        return true;
    }
    if (!is_served(x, t->command))
        return true;
    read_view(x);
    ridge_status st = read_body(x);
    if (!st)
        st = ridge_task_read(t, &x->server->policy, !is_get(x), x->accept);
    if (st) {
        if (t->folder)
            ridge_posted_hide(&t->err, t->folder);
        ridge_reply_err(x,
                        t->http != 200                           ? t->http
                        : st == RIDGE_SYNTAX || st == RIDGE_TYPE ? 400
                                                                 : ridge_error_http(st, t->command->effect),
                        &t->err);
        return true;
    }
    if (t->command->effect == RIDGE_EFFECT_MEASURES || t->command->effect == RIDGE_EFFECT_FETCHES) {
        ridge_jobs_create(x);
        return true;
    }
    return t->command->heavy ? !ridge_stream_start(x) : run_now(x, registry);
}
