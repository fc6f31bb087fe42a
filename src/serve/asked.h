/* asked.h - what a request asks for, as names and texts: the target's path and query, the members of a JSON body.
 * In: bytes of a stranger. Out: a path and values in order, owned by the arena, which hold no NUL; of a body, a config's text too.
 * Fails (USAGE, SYNTAX) on bytes that are no percent-encoding, a body that is no JSON object, more values than RIDGE_ASKED_MOST. */
#ifndef RIDGE_SERVE_ASKED_H
#define RIDGE_SERVE_ASKED_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum { RIDGE_ASKED_MOST = 512 };

typedef struct ridge_asked_value {
    const char *name;
    const char *text;       /* NULL: an object or a list of such */
    const ridge_json *json; /* of a body; NULL: it came with the target */
} ridge_asked_value;

typedef struct ridge_asked {
    const char *path; /* decoded, without the query */
    ridge_asked_value *values;
    size_t count, cap;
    ridge_str config; /* a model's config.json; p NULL: none was posted */
} ridge_asked;

/* "/api/v1/cost?model=gpt2&batch=8" */
ridge_status ridge_asked_target(ridge_asked *out, const char *target, ridge_arena *arena, ridge_err *err);
/* "model=gpt2&batch=8", as forms are posted */
ridge_status ridge_asked_form(ridge_asked *out, ridge_str body, ridge_arena *arena, ridge_err *err);
/* A JSON object: its members, `config` apart. What looks like a config itself is the config. The body outlives `out`. */
ridge_status ridge_asked_body(ridge_asked *out, ridge_str body, ridge_arena *arena, ridge_err *err);

/* the last text of this name; NULL: there is none */
const char *ridge_asked_text(const ridge_asked *asked, const char *name);

#endif
