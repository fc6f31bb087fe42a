/* The largest batch and context: probes where the line through two known sizes meets the capacity, between one that fits and one that
 * does not, until they are neighbours. Memory is nearly a line, so a few probes do. */
#include "predict/fit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ---- reserve ---- */

static ridge_status bad_reserve(const char *text, ridge_err *err)
{
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("reserve") ": '%s' is neither bytes (2GB, 1.5GiB, 800MB) nor a part of the memory (10%%)",
                      text);
}

ridge_status ridge_reserve_read(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_reserve *out = at;
    (void)option;
    (void)arena;
    char *end;
    double value = strtod(text, &end);
    *out = (ridge_reserve){0, 0};
    if (end != text && strcmp(end, "%") == 0) {
        out->percent = value;
        return value >= 0 && value <= 100 ? RIDGE_OK : bad_reserve(text, err);
    }
    return ridge_bytes_parse(&out->bytes, text) ? RIDGE_OK : bad_reserve(text, err);
}

ridge_int ridge_reserve_left(const ridge_reserve *r, ridge_int capacity)
{
    ridge_int kept = r->bytes;
    if (capacity < 0)
        return capacity;
    if (r->percent > 0)
        kept += (ridge_int)ceil((double)capacity * r->percent / 100);
    return capacity > kept ? capacity - kept : 0;
}

/* ---- probes ---- */

typedef enum axis { BATCH, CONTEXT, PIECES } axis; /* PIECES: the context of a prompt that runs in pieces */

typedef struct search {
    ridge_registry *registry;
    ridge_model_request request;
    const ridge_parallel *parallel;
    ridge_int bytes;
    axis axis;
    int64_t unit;  /* BATCH: sequences that a batch grows by */
    int64_t shift; /* CONTEXT in decode: new tokens, which past does not count */
    int64_t piece; /* PIECES: tokens of one */
    bool refused;  /* the last probe: the model cannot run it */
    ridge_err *err;
} search;

static const int64_t most = (int64_t)1 << 38;

/* memory with n units; INFINITY where the model cannot run so much */
static ridge_status probe(double *over, search *s, int64_t n)
{
    ridge_model_request r = s->request;
    ridge_memory memory;
    ridge_err refusal = {0};
    int64_t value = n * s->unit;
    if (s->axis == BATCH) {
        r.batch = value;
    } else if (s->axis == PIECES) {
        r.seq = value < s->piece ? value : s->piece;
        r.past = value - r.seq;
    } else if (r.phase == RIDGE_PHASE_DECODE)
        r.past = value - s->shift;
    else
        r.seq = value;
    ridge_status st = ridge_parallel_memory(&memory, s->registry, &r, s->parallel, &refusal);
    s->refused = st == RIDGE_VALUE || st == RIDGE_OVERFLOW || st == RIDGE_USAGE;
    *over = INFINITY;
    if (st && !s->refused) {
        *s->err = refusal;
        return st;
    }
    if (!st)
        *over = (double)(memory.total - s->bytes);
    return RIDGE_OK;
}

/* between low (fits, by -a bytes) and high (does not, by b), where the line meets 0 */
static int64_t between(int64_t low, double a, int64_t high, double b)
{
    double part = isfinite(b) && b - a > 0 ? -a / (b - a) : 0.5;
    int64_t at = low + (int64_t)floor((double)(high - low) * part);
    return at <= low ? low + 1 : at >= high ? high - 1 : at;
}

/* from a size that fits, outwards along the line through the last two probes: *high is the first found that does not */
static ridge_status bracket(int64_t *low, double *a, int64_t *high, double *b, search *s)
{
    int64_t before = *low, next = *low < most / 2 ? *low * 2 : most;
    double was = *a;
    ridge_status st;
    while (*low < most) {
        if ((st = probe(b, s, next)))
            return st;
        *high = next;
        if (*b > 0)
            return RIDGE_OK;
        before = *low;
        was = *a;
        *low = next;
        *a = *b;
        double slope = (*a - was) / (double)(*low - before), guess = slope > 0 ? (double)*low - *a / slope + 1 : (double)most;
        next = guess >= (double)most ? (*low > most / 16 ? most : *low * 16) : (int64_t)guess;
        if (next <= *low)
            next = *low + 1;
    }
    *high = most;
    *b = 0;
    return RIDGE_OK;
}

/* the largest n that fits; 0: not one; `most`: nothing limits it */
static ridge_status largest(int64_t *out, bool *refused, search *s, int64_t least)
{
    int64_t low = least, high = 0, probes = 0;
    double a, b;
    ridge_status st = probe(&a, s, low);
    *out = 0;
    *refused = false;
    if (st || a > 0)
        return st;
    if ((st = bracket(&low, &a, &high, &b, s)))
        return st;
    *refused = s->refused;
    while (b > 0 && high - low > 1) {
        double over;
        /* a line through far ends can creep: every third probe halves */
        int64_t at = ++probes % 3 == 0 ? low + (high - low) / 2 : between(low, a, high, b);
        if ((st = probe(&over, s, at)))
            return st;
        if (over <= 0) {
            low = at;
            a = over;
        } else {
            high = at;
            b = over;
            *refused = s->refused;
        }
    }
    *out = low;
    return RIDGE_OK;
}

/* ---- answers ---- */

ridge_status ridge_fit_batch(int64_t *out, ridge_registry *registry, const ridge_model_request *request, const ridge_parallel *parallel,
                             ridge_int bytes, ridge_err *err)
{
    search s = {.registry = registry,
                .request = *request,
                .parallel = parallel,
                .bytes = bytes,
                .axis = BATCH,
                .err = err,
                .unit = ridge_parallel_replicas(parallel) * parallel->microbatches};
    bool refused;
    int64_t n;
    *out = RIDGE_FIT_UNKNOWN;
    if (bytes < 0)
        return RIDGE_OK;
    ridge_status st = largest(&n, &refused, &s, 1);
    *out = n == most ? RIDGE_FIT_UNKNOWN : n * s.unit;
    return st;
}

static ridge_status find_context(ridge_fit *out, search *s)
{
    const int64_t new_tokens = s->request.phase == RIDGE_PHASE_DECODE && s->request.seq != RIDGE_UNSET ? s->request.seq : 1;
    int64_t n;
    bool refused;
    s->axis = CONTEXT;
    s->unit = 1;
    s->shift = new_tokens;
    ridge_status st = largest(&n, &refused, s, s->request.phase == RIDGE_PHASE_DECODE ? new_tokens : 1);
    out->max_context = n == most ? RIDGE_FIT_UNKNOWN : n;
    out->ends = refused && n > 0 && n < most;
    return st;
}

/* a context matters where two of them take different memory */
static ridge_status depends_on_context(bool *out, search *s)
{
    const int64_t least = s->request.phase == RIDGE_PHASE_DECODE && s->request.seq != RIDGE_UNSET ? s->request.seq : 1;
    double a, b;
    ridge_status st;
    s->axis = CONTEXT;
    s->unit = 1;
    s->shift = least;
    if ((st = probe(&a, s, least)) || (st = probe(&b, s, least + 1)))
        return st;
    *out = isfinite(a) && (b > a || !isfinite(b));
    return RIDGE_OK;
}

ridge_status ridge_fit_find(ridge_fit *out, ridge_registry *registry, const ridge_model_request *request, const ridge_parallel *parallel,
                            ridge_int bytes, ridge_err *err)
{
    search s = {.registry = registry, .request = *request, .parallel = parallel, .bytes = bytes, .err = err};
    bool depends = false;
    ridge_status st;
    *out = (ridge_fit){RIDGE_FIT_UNKNOWN, RIDGE_FIT_UNKNOWN, RIDGE_FIT_UNKNOWN, false, NULL};
    if (bytes < 0)
        return RIDGE_OK;
    if ((st = ridge_fit_batch(&out->max_batch, registry, request, parallel, bytes, err)) || (st = depends_on_context(&depends, &s)))
        return st;
    return depends ? find_context(out, &s) : RIDGE_OK;
}

ridge_status ridge_fit_context(int64_t *out, ridge_registry *registry, const ridge_model_request *request, const ridge_parallel *parallel,
                               int64_t piece, ridge_int bytes, ridge_err *err)
{
    search s = {.registry = registry,
                .request = *request,
                .parallel = parallel,
                .bytes = bytes,
                .axis = PIECES,
                .unit = 1,
                .piece = piece,
                .err = err};
    double a, b;
    bool refused;
    *out = RIDGE_FIT_UNKNOWN;
    if (bytes < 0)
        return RIDGE_OK;
    ridge_status st = probe(&a, &s, piece);
    if (st || (st = probe(&b, &s, piece + 1)))
        return st;
    if (isfinite(a) && a == b && a <= 0)
        return RIDGE_OK; /* nothing grows with it */
    st = largest(out, &refused, &s, 1);
    *out = *out == most ? RIDGE_FIT_UNKNOWN : *out;
    return st;
}

ridge_status ridge_fit_weights(const ridge_format **out, ridge_registry *registry, const ridge_model_request *request,
                               const ridge_parallel *parallel, ridge_int bytes, ridge_err *err)
{
    static const char *const names[] = {"q8_0", "q4_K"}; /* the usual ones of 8 and 4 bits */
    search s = {.registry = registry, .request = *request, .parallel = parallel, .bytes = bytes, .axis = BATCH, .err = err};
    ridge_status st = RIDGE_OK;
    double over = INFINITY;
    s.unit = ridge_parallel_replicas(parallel) * parallel->microbatches;
    *out = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !st && over > 0; i++) {
        s.request.weights = ridge_format_find(ridge_str_of(names[i]));
        if (!(st = probe(&over, &s, request->batch / s.unit > 0 ? request->batch / s.unit : 1)) && over <= 0)
            *out = s.request.weights;
    }
    return st;
}
