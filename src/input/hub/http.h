/* http.h - one request over HTTP: redirects, ranges, limits; libcurl, opened when it is needed.
 * In: an address, a token, how much may come. Out: status, the headers that the hub's files have, the body, owned by the arena.
 * The token goes to the first address' scheme, host and port alone. Nothing is waited for longer than the request says.
 * Fails (IO) on what never was an answer: no network, a name that is not known, a certificate, a body that ends early, too much of it. */
#ifndef RIDGE_INPUT_HUB_HTTP_H
#define RIDGE_INPUT_HUB_HTTP_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/stop.h"
#include "base/str.h"

typedef struct ridge_http_request {
    const char *url;
    const char *token;       /* NULL: none */
    const char *range;       /* "0-7"; NULL: all */
    size_t limit;            /* bytes of the body; more is an error */
    long connect_s, stall_s; /* seconds for a connection, and in which less than a kilobyte comes */
    /* ---- beyond a GET of a file ---- */
    const char *method;         /* NULL: GET */
    const char *body;           /* NULL: none */
    const char *const *headers; /* "Name: value", NULL-terminated; NULL: none */
    bool any_status;            /* the body of an error is read too, and nothing is redirected */
    ridge_stop *stop;           /* 1: the request ends (IO); NULL: it does not */
    /* a body that comes as it is made, without end: nothing for stall_s ends it; false: enough. NULL: the body is gathered */
    bool (*take)(void *data, ridge_str piece);
    void (*told)(void *data, ridge_str name, ridge_str value); /* each header of the answer; NULL */
    void *data;                                                /* of these two */
} ridge_http_request;

typedef struct ridge_http_answer {
    long status; /* 200, 206, 404, ... */
    ridge_str body;
    const char *type; /* Content-Type; NULL: none, as all below */
    /* of any answer on the way that the first host gave */
    const char *commit, *etag, *error_code, *error_message;
    int64_t size; /* of the whole file: X-Linked-Size, else of Content-Range or Content-Length; -1: not told */
    /* Content-Range of the last answer: first and last byte, and the size of the whole; -1: not told */
    int64_t range_from, range_to, range_size;
} ridge_http_answer;

/* UNKNOWN: the program was built without libcurl's headers, or there is no libcurl */
ridge_status ridge_http_get(ridge_http_answer *out, const ridge_http_request *request, ridge_arena *arena, ridge_err *err);

#endif
