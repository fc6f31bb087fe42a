/* A chain of kernels: operands that rotate, passes with a time stamp between steps (model.h). */
#include "measure/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/model_parts.h"
#include "measure/statistics.h"

enum { PASSES = 4096, PLACES_MOST = 4096 };

/* a buffer of the chain; those of activations are shared by all steps with the same shape and role */
typedef struct buffer {
    void *p;
    size_t bytes;
    unsigned role; /* operand index of the activations; STREAMED for weights and caches */
    const ridge_format *format;
    int64_t cols;
} buffer;
enum { STREAMED = 100, WRITTEN = 50 };

typedef struct step {
    ridge_chain_step is;
    const ridge_kernel_variant *variant;
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t operand_count, bytes[RIDGE_PROBLEM_OPERANDS];
    void *near[RIDGE_PROBLEM_OPERANDS];      /* activations: [repeat] of them */
    void **streamed[RIDGE_PROBLEM_OPERANDS]; /* [places], each [repeat] of them */
    ridge_kernel_run *runs;                  /* [places * repeat] */
    unsigned run_count, phases, repeat;
    double error, tolerance;
} step;

/* which part of a pass a phase is */
typedef struct slot {
    unsigned step, repeat, phase;
} slot;

struct ridge_chain {
    step *steps;
    size_t count;
    buffer *buffers;
    size_t buffer_count, buffer_cap;
    unsigned threads, places;
    slot *slots; /* [slot_count]; after them one phase that only notes the end */
    unsigned slot_count;
    double *stamps; /* [PASSES][count + 1], a ring */
    uint64_t passes;
    ridge_trace *trace;
};

static ridge_status nomem(ridge_err *err)
{
    return ridge_fail(err, RIDGE_NOMEM, "the operands of one layer do not fit in memory");
}

/* ---- operands ---- */

static ridge_status new_buffer(void **out, ridge_chain *c, size_t bytes, unsigned role, const ridge_operand *o, ridge_err *err)
{
    if (c->buffer_count == c->buffer_cap) {
        size_t cap = c->buffer_cap * 2 + 16;
        buffer *more = realloc(c->buffers, cap * sizeof *more);
        if (more == NULL)
            return nomem(err);
        c->buffers = more;
        c->buffer_cap = cap;
    }
    if ((*out = ridge_buffer_make(bytes, NULL)) == NULL)
        return nomem(err);
    c->buffers[c->buffer_count++] = (buffer){*out, bytes, role, o->format, o->cols};
    return RIDGE_OK;
}

static ridge_status fill(void *data, const step *s, size_t k, uint64_t seed, ridge_err *err)
{
    unsigned copies = ridge_chain_streams(&s->operands[k]) && s->is.same_weights ? 1 : s->repeat;
    ridge_status st = ridge_chain_fill(data, &s->operands[k], &s->is.problem, seed, err);
    for (unsigned r = 1; r < copies && !st; r++)
        memcpy((char *)data + r * s->bytes[k], data, s->bytes[k]);
    return st;
}

/* activations: a buffer that an earlier step has used in the same role, or a new one */
static ridge_status find_near(ridge_chain *c, step *s, size_t k, ridge_err *err)
{
    const ridge_operand *o = &s->operands[k];
    unsigned role = o->written ? WRITTEN : (unsigned)k;
    size_t bytes = s->bytes[k] * s->repeat;
    for (size_t i = 0; i < c->buffer_count && !o->format->integer; i++) {
        const buffer *b = &c->buffers[i];
        if (b->role == role && b->bytes == bytes && b->format == o->format && b->cols == o->cols) {
            s->near[k] = b->p;
            return RIDGE_OK;
        }
    }
    ridge_status st = new_buffer(&s->near[k], c, bytes, role, o, err);
    return st || o->written ? st : fill(s->near[k], s, k, k + 1, err);
}

static size_t stream_bytes(const step *s, size_t k)
{
    return s->bytes[k] * (s->is.same_weights ? 1 : s->repeat);
}

static ridge_status list_operands(step *s, ridge_err *err)
{
    ridge_status st = ridge_problem_operands(s->operands, &s->operand_count, &s->is.problem, err);
    for (size_t k = 0; k < s->operand_count && !st; k++) {
        size_t all;
        if (!(st = ridge_operand_bytes(&s->bytes[k], &s->operands[k], err)) && __builtin_mul_overflow(s->bytes[k], s->repeat, &all))
            st = ridge_fail(err, RIDGE_OVERFLOW, "%s: %u times '%s' is too large", s->is.name, s->repeat, s->operands[k].name);
    }
    return st;
}

/* how many places cold passes go through: over twice the last-level cache in all */
static unsigned places_for(const ridge_chain *c, ridge_cache_state cache)
{
    size_t streamed = 0, wanted = 2 * ridge_last_level_cache();
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->steps[i].operand_count; k++)
            streamed += ridge_chain_streams(&c->steps[i].operands[k]) ? stream_bytes(&c->steps[i], k) : 0;
    if (cache == RIDGE_CACHE_HOT || streamed == 0 || streamed >= wanted)
        return 1;
    size_t places = wanted / streamed + 2;
    return places < PLACES_MOST ? (unsigned)places : PLACES_MOST;
}

static ridge_status make_streamed(ridge_chain *c, step *s, size_t k, uint64_t seed, ridge_err *err)
{
    size_t bytes = stream_bytes(s, k);
    void **places = s->streamed[k] = calloc(c->places, sizeof *places);
    ridge_status st = places != NULL ? RIDGE_OK : nomem(err);
    for (unsigned i = 0; i < c->places && !st; i++)
        if (!(st = new_buffer(&places[i], c, bytes, STREAMED, &s->operands[k], err))) {
            if (i == 0)
                st = fill(places[0], s, k, seed, err);
            else
                memcpy(places[i], places[0], bytes);
        }
    return st;
}

static ridge_status make_operands(ridge_chain *c, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < c->count && !st; i++)
        for (size_t k = 0; k < c->steps[i].operand_count && !st; k++)
            st = ridge_chain_streams(&c->steps[i].operands[k]) ? make_streamed(c, &c->steps[i], k, 100 + i * 8 + k, err)
                                                               : find_near(c, &c->steps[i], k, err);
    return st;
}

/* ---- runs ---- */

static void close_runs(step *s)
{
    for (unsigned i = 0; i < s->run_count; i++)
        if (s->variant->close != NULL)
            s->variant->close(&s->runs[i]);
    free(s->runs);
    s->runs = NULL;
    s->run_count = 0;
}

static void set_operands(ridge_kernel_run *run, const step *s, unsigned place, unsigned repeat)
{
    for (size_t k = 0; k < s->operand_count; k++) {
        bool streamed = s->streamed[k] != NULL;
        size_t at = s->bytes[k] * (streamed && s->is.same_weights ? 0 : repeat);
        run->operands[k] = (char *)(streamed ? s->streamed[k][place] : s->near[k]) + at;
        run->tensor_scales[k] = ridge_chain_tensor_scale(s->operands[k].format);
    }
}

static ridge_status open_runs(step *s, const ridge_chain *c, const ridge_kernel_variant *variant, unsigned places, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    s->variant = variant;
    s->runs = calloc((size_t)places * s->repeat, sizeof *s->runs);
    if (s->runs == NULL)
        return nomem(err);
    for (unsigned i = 0; i < places * s->repeat && !st; i++) {
        ridge_kernel_run *run = &s->runs[i];
        *run = (ridge_kernel_run){.variant = variant, .problem = s->is.problem, .threads = c->threads, .phases = 1};
        set_operands(run, s, i / s->repeat, i % s->repeat);
        if (!(st = variant->open(run, err)))
            s->run_count++;
    }
    if (st)
        close_runs(s);
    else
        s->phases = s->runs[0].phases;
    return st;
}

/* ---- the gate ---- */

static void run_first(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    const step *s = context;
    (void)call;
    s->variant->phase(&s->runs[0], phase, thread);
}

static ridge_status check_step(step *s, const ridge_chain *c, const ridge_kernel_variant *v, ridge_team *team, ridge_err *err)
{
    bool product = s->is.problem.kind == RIDGE_KERNEL_KIND_GEMV || s->is.problem.kind == RIDGE_KERNEL_KIND_GEMM;
    ridge_status st;
    s->tolerance = ridge_kernel_tolerance(&s->is.problem, v);
    if (!product)
        return ridge_chain_check_other(&s->error, &s->is.problem, v, team, c->threads, err);
    if ((st = open_runs(s, c, v, 1, err)))
        return st;
    const ridge_work once = {run_first, s, s->phases};
    memset(s->runs[0].operands[s->operand_count - 1], 0xff, s->bytes[s->operand_count - 1]); /* NaN: what is not written shows */
    ridge_team_run(team, &once, 0);
    st = ridge_chain_check_product(&s->error, &s->runs[0], err);
    close_runs(s);
    return st;
}

static ridge_status wrong(const step *s, const ridge_kernel_variant *v, ridge_err *err)
{
    return ridge_fail(err, RIDGE_CHECK, "%s: the kernel %s is wrong: off by %.3g of the result's scale where %.3g is allowed", s->is.name,
                      v->name, s->error, s->tolerance);
}

/* the first variant that is right; the first that is wrong is told where none is */
static ridge_status choose_variant(step *s, const ridge_chain *c, ridge_team *team, ridge_err *err)
{
    ridge_arena arena;
    const ridge_kernel_variant *const *variants = &s->is.variant;
    size_t count = 1;
    ridge_arena_init(&arena);
    ridge_status st = s->is.variant != NULL ? RIDGE_OK : ridge_kernel_variants(&variants, &count, &s->is.problem, &arena, err);
    const ridge_kernel_variant *right = NULL;
    for (size_t i = 0; i < count && !st && right == NULL; i++) {
        st = check_step(s, c, variants[i], team, err);
        if (!st && s->error <= s->tolerance)
            right = variants[i];
        else if (!st && i + 1 == count)
            st = wrong(s, variants[i], err);
    }
    if (!st && right == NULL)
        st = ridge_fail(err, RIDGE_UNKNOWN, "%s: no kernel here takes a %s of %s weights and %s activations in this shape", s->is.name,
                        ridge_kernel_kind_names[s->is.problem.kind], s->is.problem.weights ? s->is.problem.weights->name : "no",
                        s->is.problem.activations->name);
    ridge_arena_free(&arena);
    s->variant = right;
    return st;
}

/* ---- passes ---- */

static void stamp(ridge_chain *c, unsigned at, unsigned thread)
{
    if (thread == 0)
        c->stamps[c->passes % PASSES * (c->count + 1) + at] = ridge_clock_s();
}

static void run_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    ridge_chain *c = context;
    if (phase == c->slot_count) {
        stamp(c, (unsigned)c->count, thread);
        c->passes += thread == 0;
        return;
    }
    const slot *at = &c->slots[phase];
    const step *s = &c->steps[at->step];
    if (at->repeat == 0 && at->phase == 0)
        stamp(c, at->step, thread);
    ridge_trace_begin(c->trace, thread, s->is.name);
    s->variant->phase(&s->runs[call % c->places * s->repeat + at->repeat], at->phase, thread);
    ridge_trace_end(c->trace, thread);
}

static ridge_status make_slots(ridge_chain *c, ridge_err *err)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += (size_t)c->steps[i].repeat * c->steps[i].phases;
    if (count > UINT32_MAX / 2)
        return ridge_fail(err, RIDGE_LIMIT, "a pass of %zu phases is too long", count);
    c->slots = calloc(count + 1, sizeof *c->slots);
    c->stamps = calloc((size_t)PASSES * (c->count + 1), sizeof *c->stamps);
    if (c->slots == NULL || c->stamps == NULL)
        return nomem(err);
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned r = 0; r < c->steps[i].repeat; r++)
            for (unsigned p = 0; p < c->steps[i].phases; p++)
                c->slots[c->slot_count++] = (slot){i, r, p};
    return RIDGE_OK;
}

static ridge_status make_chain(ridge_chain *c, const ridge_chain_step *steps, ridge_team *team, ridge_cache_state cache, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < c->count && !st; i++) {
        c->steps[i].is = steps[i];
        c->steps[i].repeat = steps[i].repeat > 0 ? steps[i].repeat : 1;
        st = list_operands(&c->steps[i], err);
    }
    c->places = st ? 1 : places_for(c, cache);
    if (!st)
        st = make_operands(c, err);
    for (size_t i = 0; i < c->count && !st; i++)
        st = choose_variant(&c->steps[i], c, team, err);
    for (size_t i = 0; i < c->count && !st; i++)
        st = open_runs(&c->steps[i], c, c->steps[i].variant, c->places, err);
    return st ? st : make_slots(c, err);
}

ridge_status ridge_chain_make(ridge_chain **out, const ridge_chain_step *steps, size_t count, ridge_team *team,
                              const ridge_chain_options *options, ridge_err *err)
{
    *out = NULL;
    if (count == 0)
        return ridge_fail(err, RIDGE_VALUE, "a chain of no steps");
    ridge_chain *c = calloc(1, sizeof *c);
    if (c == NULL || (c->steps = calloc(count, sizeof *c->steps)) == NULL) {
        free(c);
        return nomem(err);
    }
    c->count = count;
    c->threads = options->threads > 0 ? options->threads : 1;
    c->trace = options->trace;
    ridge_status st = make_chain(c, steps, team, options->cache, err);
    if (st) {
        ridge_chain_free(c);
        return st;
    }
    *out = c;
    return RIDGE_OK;
}

void ridge_chain_free(ridge_chain *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->count; i++) {
        close_runs(&c->steps[i]);
        for (size_t k = 0; k < RIDGE_PROBLEM_OPERANDS; k++)
            free(c->steps[i].streamed[k]);
    }
    for (size_t i = 0; i < c->buffer_count; i++)
        ridge_buffer_free(c->buffers[i].p, c->buffers[i].bytes);
    free(c->buffers);
    free(c->slots);
    free(c->stamps);
    free(c->steps);
    free(c);
}

ridge_work ridge_chain_work(ridge_chain *c)
{
    c->passes = 0;
    return (ridge_work){run_phase, c, c->slot_count + 1};
}

unsigned ridge_chain_places(const ridge_chain *c)
{
    return c->places;
}

/* ---- results ---- */

static void tell_step(ridge_chain_result *out, const ridge_chain *c, size_t i, double *times, size_t passes)
{
    const step *s = &c->steps[i];
    *out = (ridge_chain_result){.variant = s->variant,
                                .max_relative_error = s->error,
                                .tolerance = s->tolerance,
                                .time_s = RIDGE_MEASURE_UNKNOWN,
                                .low_s = RIDGE_MEASURE_UNKNOWN,
                                .high_s = RIDGE_MEASURE_UNKNOWN,
                                .passes = passes};
    for (size_t k = 0; k < s->operand_count; k++) {
        if (s->streamed[k] != NULL)
            out->streamed_bytes += stream_bytes(s, k);
        else
            out->near_bytes += s->bytes[k] * s->repeat;
    }
    for (size_t p = 0; p < passes; p++)
        times[p] = c->stamps[p * (c->count + 1) + i + 1] - c->stamps[p * (c->count + 1) + i];
    if (passes == 0)
        return;
    size_t low, high;
    ridge_sort(times, passes);
    ridge_median_interval(&low, &high, passes);
    out->time_s = ridge_median_sorted(times, passes);
    out->low_s = times[low];
    out->high_s = times[high];
}

ridge_status ridge_chain_results(ridge_chain_result *results, ridge_chain *c, ridge_err *err)
{
    size_t passes = c->passes < PASSES ? (size_t)c->passes : PASSES;
    double *times = calloc(passes + 1, sizeof *times);
    if (times == NULL)
        return nomem(err);
    for (size_t i = 0; i < c->count; i++)
        tell_step(&results[i], c, i, times, passes);
    free(times);
    return RIDGE_OK;
}

ridge_status ridge_chain_measure(ridge_chain_result *results, ridge_sample_statistics *whole, ridge_chain *c, ridge_team *team,
                                 const ridge_measure_options *options, ridge_err *err)
{
    ridge_sample_statistics ignored;
    const ridge_work work = ridge_chain_work(c);
    ridge_status st = ridge_measure(whole != NULL ? whole : &ignored, team, &work, options, err);
    return st ? st : ridge_chain_results(results, c, err);
}
