/* Built with libcurl's headers (Meson feature `curl`); libcurl.so.4 is opened at run time, so that a program that reads files alone does
 * not load it. It stays loaded: it keeps memory of its own. */
#include "input/hub/http.h"

#if __has_include("ridge_build.h") /* made by meson: RIDGE_CURL */
#include "ridge_build.h"
#endif

#ifdef RIDGE_CURL
#define CURL_DISABLE_TYPECHECK 1 /* its macros hide the functions that are looked up here */
#include <curl/curl.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REDIRECTS = 5, HEADER_MOST = 64 << 10, STALL_BYTES = 1024 };

#define CURL_FUNCTIONS(X)                                                                                                                  \
    X(curl_global_init)                                                                                                                    \
    X(curl_easy_init)                                                                                                                      \
    X(curl_easy_setopt)                                                                                                                    \
    X(curl_easy_perform)                                                                                                                   \
    X(curl_easy_getinfo)                                                                                                                   \
    X(curl_easy_strerror)                                                                                                                  \
    X(curl_easy_cleanup)                                                                                                                   \
    X(curl_slist_append)                                                                                                                   \
    X(curl_slist_free_all)

/* the library, opened once for all threads */
static struct library {
#define X(name) __typeof__(&(name)) name;
    CURL_FUNCTIONS(X)
#undef X
    bool there;
} curl;

static void open_library(void)
{
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle)
        handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool all = handle != NULL;
#define X(name)                                                                                                                            \
    {                                                                                                                                      \
        void *symbol = all ? dlsym(handle, #name) : NULL;                                                                                  \
        memcpy(&curl.name, &symbol, sizeof symbol);                                                                                        \
        all = symbol != NULL;                                                                                                              \
    }
    CURL_FUNCTIONS(X)
#undef X
    curl.there = all && curl.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* ---- one exchange ---- */

typedef struct exchange {
    const ridge_http_request *request;
    ridge_http_answer *answer;
    ridge_arena *arena;
    ridge_buf body;
    size_t header_bytes, unread;
    bool first_host;                         /* its headers tell of the file */
    long status;                             /* of the answer whose headers come */
    bool too_large, too_many_headers, whole; /* whole: a part was asked for, and all of it would come */
    bool enough, silent;                     /* who takes it has enough; nothing came for too long */
    time_t heard;                            /* when bytes came last */
} exchange;

/* the value of a header of this name in a line "Name: value\r\n"; p NULL: it is another */
static ridge_str header_value(ridge_str line, const char *name)
{
    size_t n = strlen(name);
    if (line.n <= n || line.p[n] != ':')
        return (ridge_str){0};
    for (size_t i = 0; i < n; i++)
        if (ridge_lower(line.p[i]) != ridge_lower(name[i]))
            return (ridge_str){0};
    line = (ridge_str){line.p + n + 1, line.n - n - 1};
    while (line.n && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == '\n' || line.p[line.n - 1] == ' '))
        line.n--;
    while (line.n && line.p[0] == ' ')
        line.p++, line.n--;
    return line;
}

/* W/"abc" and "abc" are abc */
static ridge_str plain_etag(ridge_str etag)
{
    if (etag.n >= 2 && etag.p[0] == 'W' && etag.p[1] == '/')
        etag.p += 2, etag.n -= 2;
    if (etag.n >= 2 && etag.p[0] == '"' && etag.p[etag.n - 1] == '"')
        etag.p++, etag.n -= 2;
    return etag;
}

static void keep(const char **to, ridge_str value, ridge_arena *arena)
{
    if (value.p)
        *to = ridge_arena_strdup(arena, value);
}

static void keep_size(int64_t *to, ridge_str value)
{
    char text[24], *end;
    if (!value.p || value.n == 0 || value.n >= sizeof text)
        return;
    memcpy(text, value.p, value.n);
    text[value.n] = '\0';
    long long size = strtoll(text, &end, 10);
    if (*end == '\0' && size >= 0)
        *to = size;
}

/* what stands before `mark`, and *rest behind it; p NULL: there is no such mark */
static ridge_str before(ridge_str *rest, ridge_str value, char mark)
{
    const char *at = value.p ? memchr(value.p, mark, value.n) : NULL;
    *rest = at ? (ridge_str){at + 1, value.n - (size_t)(at + 1 - value.p)} : (ridge_str){0};
    return at ? (ridge_str){value.p, (size_t)(at - value.p)} : (ridge_str){0};
}

/* "bytes 0-99/1234" */
static void read_range(ridge_http_answer *a, ridge_str value)
{
    ridge_str size, last, numbers;
    const ridge_str range = before(&size, value, '/');
    const ridge_str unit = before(&numbers, range, ' ');
    const ridge_str first = before(&last, numbers, '-');
    if (!unit.p || !ridge_str_is(unit, "bytes"))
        return;
    keep_size(&a->range_from, first);
    keep_size(&a->range_to, last);
    keep_size(&a->range_size, size);
}

static void tell_header(const exchange *x, ridge_str line)
{
    const char *colon = line.p ? memchr(line.p, ':', line.n) : NULL;
    if (!x->request->told || !colon)
        return;
    char name[128];
    const size_t n = (size_t)(colon - line.p);
    if (n >= sizeof name)
        return;
    memcpy(name, line.p, n);
    name[n] = '\0';
    x->request->told(x->request->data, (ridge_str){line.p, n}, header_value(line, name));
}

static void read_header(exchange *x, ridge_str line)
{
    ridge_http_answer *a = x->answer;
    if (line.n > 9 && memcmp(line.p, "HTTP/", 5) == 0) { /* "HTTP/1.1 302 Found": another answer begins */
        const char *space = memchr(line.p, ' ', line.n);
        x->status = space ? strtol(space, NULL, 10) : 0;
        a->range_from = a->range_to = a->range_size = -1;
    }
    ridge_str etag = header_value(line, "etag"), linked = header_value(line, "x-linked-etag");
    keep(&a->type, header_value(line, "content-type"), x->arena);
    read_range(a, header_value(line, "content-range"));
    tell_header(x, line);
    if (!x->first_host)
        return;
    keep(&a->commit, header_value(line, "x-repo-commit"), x->arena);
    keep(&a->error_code, header_value(line, "x-error-code"), x->arena);
    keep(&a->error_message, header_value(line, "x-error-message"), x->arena);
    keep_size(&a->size, header_value(line, "x-linked-size"));
    if (linked.p)
        keep(&a->etag, plain_etag(linked), x->arena);
    else if (etag.p && !a->etag)
        keep(&a->etag, plain_etag(etag), x->arena);
}

/* A redirect's headers tell of the file too, its length does not. */
static size_t take_header(char *bytes, size_t size, size_t count, void *data)
{
    exchange *x = data;
    const ridge_str line = {bytes, size * count};
    x->header_bytes += line.n;
    x->too_many_headers = x->header_bytes > HEADER_MOST;
    read_header(x, line);
    return x->too_many_headers ? 0 : line.n;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *data)
{
    exchange *x = data;
    const size_t n = size * count;
    x->heard = time(NULL);
    if (x->request->take && x->status == 200) {
        x->enough = !x->request->take(x->request->data, (ridge_str){bytes, n});
        return x->enough ? 0 : n;
    }
    if (!x->request->any_status && (x->status < 200 || x->status > 299)) { /* a page about the error, or about the redirect */
        x->unread += n;
        return x->unread <= HEADER_MOST * 16 ? n : 0;
    }
    x->whole = x->request->range && x->status != 206;
    x->too_large = n > x->request->limit - x->body.n;
    if (x->whole || x->too_large)
        return 0;
    ridge_buf_add(&x->body, (ridge_str){bytes, n});
    return x->body.failed ? 0 : n;
}

/* "https://host:port" of an address */
static ridge_str origin_of(const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    return (ridge_str){url, (size_t)(host - url) + strcspn(host, "/?#")};
}

static bool same_origin(const char *a, const char *b)
{
    return ridge_str_eq(origin_of(a), origin_of(b));
}

static bool is_https(const char *url)
{
    return strncmp(url, "https://", 8) == 0;
}

static ridge_status failed(const exchange *x, const char *url, CURLcode code, ridge_err *err)
{
    const ridge_str at = origin_of(url);
    if (x->whole)
        return ridge_fail(err, RIDGE_IO, "%.*s sends a file as a whole, not the part that was asked for", RIDGE_STR_ARG(at));
    if (x->too_large)
        return ridge_fail(err, RIDGE_LIMIT, "%.*s sent more than the %zu bytes that are read of it", RIDGE_STR_ARG(at), x->request->limit);
    if (x->too_many_headers)
        return ridge_fail(err, RIDGE_LIMIT, "%.*s sent more than %d bytes of headers", RIDGE_STR_ARG(at), HEADER_MOST);
    if (x->body.failed)
        return ridge_no_memory(err);
    if (x->silent)
        return ridge_fail(err, RIDGE_IO, "%.*s says nothing any more", RIDGE_STR_ARG(at));
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
        return ridge_fail(err, RIDGE_IO, "no connection to %.*s: %s", RIDGE_STR_ARG(at), curl.curl_easy_strerror(code));
    case CURLE_OPERATION_TIMEDOUT:
        return ridge_fail(err, RIDGE_IO, "%.*s is too slow: less than %d bytes in %ld s", RIDGE_STR_ARG(at), STALL_BYTES,
                          x->request->stall_s);
    case CURLE_PARTIAL_FILE:
        return ridge_fail(err, RIDGE_IO, "%.*s sent less than it announced", RIDGE_STR_ARG(at));
    default:
        return ridge_fail(err, RIDGE_IO, "%.*s: %s", RIDGE_STR_ARG(at), curl.curl_easy_strerror(code));
    }
}

/* called about once a second: nonzero ends the request */
static int look(void *data, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
    exchange *x = data;
    const ridge_http_request *r = x->request;
    (void)down_all;
    (void)down;
    (void)up_all;
    (void)up;
    x->silent = r->take && time(NULL) - x->heard > r->stall_s;
    return x->silent || (r->stop && *r->stop);
}

/* what goes beyond a GET of a file */
static void set_more_options(CURL *c, exchange *x)
{
    const ridge_http_request *r = x->request;
    if (r->method)
        curl.curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, r->method);
    if (r->body) {
        curl.curl_easy_setopt(c, CURLOPT_POSTFIELDS, r->body);
        curl.curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE, (long)strlen(r->body));
    }
    if (r->take || r->stop) {
        curl.curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
        curl.curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, look);
        curl.curl_easy_setopt(c, CURLOPT_XFERINFODATA, x);
    }
    if (r->take) {
        curl.curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 0L);
        curl.curl_easy_setopt(c, CURLOPT_TIMEOUT, 0L);
    }
}

static void set_options(CURL *c, exchange *x, const char *url, struct curl_slist *headers)
{
    const ridge_http_request *r = x->request;
    curl.curl_easy_setopt(c, CURLOPT_URL, url);
    curl.curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl.curl_easy_setopt(c, CURLOPT_USERAGENT, "ridge/" RIDGE_VERSION);
    curl.curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl.curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    curl.curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl.curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, r->connect_s);
    curl.curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, (long)STALL_BYTES / (r->stall_s > 0 ? r->stall_s : 1));
    curl.curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, r->stall_s);
    curl.curl_easy_setopt(c, CURLOPT_TIMEOUT, 60 * r->stall_s);
    curl.curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, take_header);
    curl.curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
    curl.curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    curl.curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
    if (r->range)
        curl.curl_easy_setopt(c, CURLOPT_RANGE, r->range);
    set_more_options(c, x);
}

/* One answer; *next: where it redirects to, in the arena, NULL: nowhere. */
static ridge_status exchange_once(exchange *x, const char **next, const char *url, ridge_err *err)
{
    CURL *c = curl.curl_easy_init();
    char *redirect = NULL;
    struct curl_slist *headers = NULL;
    ridge_status st = RIDGE_OK;
    *next = NULL;
    x->body.n = x->header_bytes = 0;
    x->first_host = same_origin(url, x->request->url);
    if (x->request->token && x->first_host) {
        const char *line = ridge_arena_printf(x->arena, "Authorization: Bearer %s", x->request->token);
        headers = line ? curl.curl_slist_append(NULL, line) : NULL;
    }
    for (const char *const *more = x->request->headers; more && *more; more++)
        headers = curl.curl_slist_append(headers, *more);
    if (!c || (x->request->token && x->first_host && !headers)) {
        st = ridge_no_memory(err);
        goto done;
    }
    set_options(c, x, url, headers);
    x->heard = time(NULL);
    CURLcode code = curl.curl_easy_perform(c);
    if (code != CURLE_OK && !x->enough) {
        st = failed(x, url, code, err);
        goto done;
    }
    curl.curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &x->answer->status);
    curl.curl_easy_getinfo(c, CURLINFO_REDIRECT_URL, &redirect);
    if (redirect && !x->request->any_status && !(*next = ridge_arena_strdup(x->arena, ridge_str_of(redirect))))
        st = ridge_no_memory(err);
done:
    if (c)
        curl.curl_easy_cleanup(c);
    curl.curl_slist_free_all(headers);
    return st;
}

static ridge_status follow(exchange *x, ridge_err *err)
{
    const char *url = x->request->url, *next;
    for (int i = 0; i <= REDIRECTS; i++) {
        ridge_status st = exchange_once(x, &next, url, err);
        if (st || !next)
            return st;
        if (!is_https(next) && strncmp(next, "http://", 7) != 0)
            return ridge_fail(err, RIDGE_IO, "%.*s redirects to what is no address of the web", RIDGE_STR_ARG(origin_of(url)));
        if (is_https(url) && !is_https(next))
            return ridge_fail(err, RIDGE_IO, "%.*s redirects to an address that is not encrypted", RIDGE_STR_ARG(origin_of(url)));
        url = next;
    }
    return ridge_fail(err, RIDGE_IO, "%.*s redirects more than %d times", RIDGE_STR_ARG(origin_of(x->request->url)), REDIRECTS);
}

ridge_status ridge_http_get(ridge_http_answer *out, const ridge_http_request *request, ridge_arena *arena, ridge_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *out = (ridge_http_answer){.size = -1, .range_from = -1, .range_to = -1, .range_size = -1};
    exchange x = {.request = request, .answer = out, .arena = arena};
    (void)pthread_once(&once, open_library);
    if (!curl.there)
        return ridge_fail(err, RIDGE_UNKNOWN, "libcurl is not installed (libcurl.so.4)");
    ridge_status st = follow(&x, err);
    const char *body = st ? NULL : ridge_arena_strdup(arena, (ridge_str){x.body.p ? x.body.p : "", x.body.n});
    if (!st && !body)
        st = ridge_no_memory(err);
    out->body = (ridge_str){body, x.body.n};
    if (out->size < 0 && !request->range && out->status == 200)
        out->size = (int64_t)x.body.n;
    else if (out->size < 0)
        out->size = out->range_size;
    ridge_buf_free(&x.body);
    return st;
}

#else

ridge_status ridge_http_get(ridge_http_answer *out, const ridge_http_request *request, ridge_arena *arena, ridge_err *err)
{
    (void)request;
    (void)arena;
    *out = (ridge_http_answer){.size = -1};
    return ridge_fail(err, RIDGE_UNKNOWN, "this ridge was built without libcurl");
}

#endif
