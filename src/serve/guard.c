/* Who may ask. A page of another site can make a browser ask on its behalf, and can give its own name the address of this computer (DNS
 * rebinding): so the name that the request was sent to must be one of the server's, and its Origin, where there is one, the same. */
#include <arpa/inet.h>
#include <strings.h>

#include "serve/server.h"

/* ---- names ---- */

/* "[::1]:8000" -> "::1", "localhost:8000" -> "localhost"; NULL: it is no such thing */
static const char *name_of(const char *host, ridge_arena *arena)
{
    const bool bracketed = host[0] == '[';
    const size_t n = bracketed ? strcspn(host, "]") : strcspn(host, ":");
    const char *after = host + n + (bracketed && host[n] == ']');
    if (bracketed && host[n] != ']')
        return NULL;
    if (*after != '\0' && (*after != ':' || strspn(after + 1, "0123456789") != strlen(after + 1)))
        return NULL;
    return ridge_arena_strdup(arena, (ridge_str){host + bracketed, n - bracketed});
}

static bool is_address(const char *name)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

/* An address cannot be rebound: where the server listens on all, any will do. */
static bool is_ours(const ridge_server *s, const char *name)
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "::1"};
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++)
        if (strcasecmp(name, loopback[i]) == 0)
            return true;
    for (size_t i = 0; i < s->request->hosts.count; i++)
        if (strcasecmp(name, s->request->hosts.items[i]) == 0)
            return true;
    return strcmp(name, s->listen) == 0 || (s->any_address && is_address(name));
}

static bool host_is_ours(ridge_serve_exchange *x)
{
    const char *host = ridge_request_header(x, "Host");
    const char *name = host ? name_of(host, &x->task->arena) : NULL;
    if (name && is_ours(x->server, name))
        return true;
    ridge_reply_fail(x, host ? 421 : 400, RIDGE_USAGE,
                     host ? "this server is not called '%.200s'; 'host' of ridge serve names it so" : "the request has no Host%s",
                     host ? host : "");
    return false;
}

/* a request of a page: of this server's own */
static bool origin_is_ours(ridge_serve_exchange *x)
{
    const char *origin = ridge_request_header(x, "Origin"), *host = ridge_request_header(x, "Host");
    const char *site = ridge_request_header(x, "Sec-Fetch-Site"), *mode = ridge_request_header(x, "Sec-Fetch-Mode");
    const char *authority = origin ? strstr(origin, "://") : NULL;
    const bool http = origin && (strncmp(origin, "http://", 7) == 0 || strncmp(origin, "https://", 8) == 0);
    const bool same = !origin || (http && authority && host && strcasecmp(authority + 3, host) == 0);
    const bool foreign = site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
    const bool link = mode && strcmp(mode, "navigate") == 0 && strcmp(x->method, "GET") == 0;
    if (same && (!foreign || link))
        return true;
    ridge_reply_fail(x, 403, RIDGE_USAGE, "a page of another site asked: nothing is told to it");
    return false;
}

/* ---- the token ---- */

/* in a time that tells nothing of where they differ */
static bool is_token(const char *token, const char *given)
{
    const size_t n = strlen(token), m = given ? strlen(given) : 0;
    volatile unsigned char differs = n != m;
    for (size_t i = 0; i < m; i++)
        differs = (unsigned char)(differs | ((unsigned char)given[i] ^ (unsigned char)token[i < n ? i : 0]));
    return differs == 0;
}

static const char *cookie_name(const ridge_serve_exchange *x)
{
    return ridge_arena_printf(&x->task->arena, "ridge-%u", x->server->port);
}

/* the value of our cookie; browsers send those of all ports of a name */
static const char *cookie_of(ridge_serve_exchange *x)
{
    const char *cookies = ridge_request_header(x, "Cookie"), *name = cookie_name(x);
    const size_t n = name ? strlen(name) : 0;
    for (const char *at = cookies; n && at && *at != '\0'; at += strspn(at, "; ")) {
        const size_t length = strcspn(at, ";");
        if (length > n && strncmp(at, name, n) == 0 && at[n] == '=')
            return ridge_arena_strdup(&x->task->arena, (ridge_str){at + n + 1, length - n - 1});
        at += length;
    }
    return NULL;
}

static bool knows_token(ridge_serve_exchange *x)
{
    const char *token = x->server->token, *header = ridge_request_header(x, "Authorization");
    const char *bearer = header && strncasecmp(header, "Bearer ", 7) == 0 ? header + 7 : NULL;
    return !token || is_token(token, bearer) || is_token(token, cookie_of(x));
}

bool ridge_guard_welcomes(ridge_serve_exchange *x)
{
    const ridge_server *s = x->server;
    const char *given = ridge_asked_text(&x->task->asked, "token"), *name = cookie_name(x);
    ridge_buf nothing = {0};
    if (!s->token || !given || !name || strcmp(x->task->asked.path, "/") != 0 || !is_token(s->token, given))
        return false;
    ridge_reply_buf(x, 303, "text/plain", &nothing);
    const char *cookie = ridge_arena_printf(&x->task->arena, "%s=%s; Path=/; HttpOnly; SameSite=Strict", name, s->token);
    if (cookie)
        ridge_reply_header(x, "Set-Cookie", cookie);
    ridge_reply_header(x, "Location", "/");
    ridge_reply_header(x, "Cache-Control", "no-store");
    return true;
}

bool ridge_guard(ridge_serve_exchange *x)
{
    if (!host_is_ours(x) || !origin_is_ours(x))
        return false;
    if (knows_token(x) || strcmp(x->target, "/healthz") == 0)
        return true;
    if (strcmp(x->method, "GET") == 0 && ridge_guard_welcomes(x))
        return false;
    ridge_reply_fail(x, 401, RIDGE_USAGE, "a token is needed: Authorization: Bearer TOKEN, or the address that ridge serve printed");
    ridge_reply_header(x, "WWW-Authenticate", "Bearer");
    return false;
}
