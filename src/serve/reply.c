/* Replies: bytes with the headers that every one of them has. */
#include <stdarg.h>
#include <stdio.h>

#include "base/shown.h"
#include "serve/pack.h"
#include "serve/server.h"

/* no other page may frame, read or be told of this one; nothing is guessed, nothing of another host is loaded */
static const char *const headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; img-src 'self' data: blob:"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Ridge-Version", RIDGE_VERSION},
};

void ridge_reply_header(ridge_serve_exchange *x, const char *name, const char *value)
{
    if (x->response)
        (void)mhd.MHD_add_response_header(x->response, name, value);
}

void ridge_reply_dress(ridge_serve_exchange *x, unsigned status, const char *type)
{
    x->status = status;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        ridge_reply_header(x, headers[i][0], headers[i][1]);
    ridge_reply_header(x, "Content-Type", type);
    if (x->closing || atomic_load(&x->server->stopping))
        ridge_reply_header(x, "Connection", "close");
}

bool ridge_request_accepts_gzip(ridge_serve_exchange *x)
{
    double weight = 1; /* "gzip; q=0" is a no (RFC 9110, 12.5.3) */
    const char *accept = ridge_request_header(x, "Accept-Encoding"), *gzip = accept ? strstr(accept, "gzip") : NULL;
    return gzip && (sscanf(gzip + strlen("gzip"), " ; q=%lf", &weight) != 1 || weight > 0);
}

void ridge_reply_buf(ridge_serve_exchange *x, unsigned status, const char *type, ridge_buf *body)
{
    static char empty[] = "";
    if (body->failed || x->response) {
        ridge_buf_free(body);
        return; /* without memory there is no reply: the connection is closed */
    }
    const bool large = body->n >= RIDGE_PACKED_LEAST, packed = large && ridge_request_accepts_gzip(x) && ridge_pack_gzip(body);
    const bool owned = body->p != NULL;
    x->response =
        mhd.MHD_create_response_from_buffer(body->n, owned ? body->p : empty, owned ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
    if (!x->response)
        ridge_buf_free(body);
    *body = (ridge_buf){0};
    ridge_reply_dress(x, status, type);
    if (large)
        ridge_reply_header(x, "Vary", "Accept-Encoding");
    if (packed)
        ridge_reply_header(x, "Content-Encoding", "gzip");
}

void ridge_reply_err(ridge_serve_exchange *x, unsigned status, const ridge_err *err)
{
    ridge_buf text = {0};
    ridge_error_json(&text, err, x->for_terminal ? "--" : "");
    ridge_reply_buf(x, status, "application/json", &text);
    ridge_reply_header(x, "Cache-Control", "no-store");
}

void ridge_reply_fail(ridge_serve_exchange *x, unsigned status, ridge_status code, const char *fmt, ...)
{
    ridge_err err = {.code = code};
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(err.msg, sizeof err.msg, fmt, args);
    va_end(args);
    ridge_reply_err(x, status, &err);
}

void ridge_reply_pieces(ridge_serve_exchange *x, const char *type, MHD_ContentReaderCallback read, void *data,
                        MHD_ContentReaderFreeCallback release)
{
    x->response = mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32 << 10, read, data, release);
    ridge_reply_dress(x, 200, type);
    ridge_reply_header(x, "Cache-Control", "no-store");
}

/* a text that a header may have: printable ASCII */
static void add_text_header(ridge_serve_exchange *x, const char *name, const char *text)
{
    ridge_buf plain = {0};
    ridge_buf_add_shown(&plain, ridge_str_of(text), RIDGE_SHOWN_ASCII);
    if (plain.n > 0 && !plain.failed)
        ridge_reply_header(x, name, plain.p);
    ridge_buf_free(&plain);
}

void ridge_reply_task(ridge_serve_exchange *x, ridge_task *t, ridge_status st)
{
    char text[2 * sizeof t->err];
    const bool answers = !st || st == RIDGE_CHECK;
    if (!answers && t->call.data.n == 0 && t->http == 200)
        t->http = ridge_error_http(st, t->command ? t->command->effect : RIDGE_EFFECT_NONE);
    if (answers)
        ridge_reply_buf(x, 200, ridge_task_type(t), &t->call.data);
    else
        ridge_reply_err(x, t->http, &t->err);
    (void)snprintf(text, sizeof text, "%d", t->call.interrupted && !st ? 130 : ridge_exit_status(st));
    ridge_reply_header(x, "Ridge-Exit", text);
    for (size_t i = 0; i < t->warnings.count && i < 32; i++)
        add_text_header(x, "Ridge-Warning", t->warnings.items[i]);
    if (st == RIDGE_CHECK) {
        (void)ridge_err_format(text, sizeof text, &t->err, "");
        add_text_header(x, "Ridge-Error", text);
    }
    if (answers)
        ridge_reply_header(x, "Cache-Control", "no-store");
}

const char *ridge_request_header(ridge_serve_exchange *x, const char *name)
{
    const char *value = mhd.MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
    return value ? ridge_arena_strdup(&x->task->arena, ridge_str_of(value)) : NULL;
}
