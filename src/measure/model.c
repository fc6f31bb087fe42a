/* A chain of kernels: operands that rotate, passes with a time stamp between steps (model.h). */
#include "measure/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/model_parts.h"
#include "measure/statistics.h"

enum { PASSES = 4096, PLACES_MOST = 4096, FEW = 5 };

/* a buffer of the chain; those of activations are shared by all steps with the same shape and role */
typedef struct buffer {
    void *p;
    size_t bytes;
    unsigned role; /* operand index of the activations; STREAMED for weights and caches */
    const ridge_format *format;
    int64_t cols;
} buffer;
enum { STREAMED = 100, WRITTEN = 50 };

typedef struct chain_step {
    ridge_chain_step is;
    const ridge_kernel_variant *variant;
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    size_t operand_count, bytes[RIDGE_PROBLEM_OPERANDS];
    void *near[RIDGE_PROBLEM_OPERANDS];      /* activations: [sets] of them */
    void **streamed[RIDGE_PROBLEM_OPERANDS]; /* [places], each [sets] of them */
    ridge_kernel_run *runs;                  /* [places * sets] */
    unsigned run_count, phases, repeat;
    unsigned sets; /* of operands in one place, each opened once: 1 where all repeats share the weights, or one for each */
    double error, tolerance;
} chain_step;

/* which part of a pass a phase is */
typedef struct slot {
    unsigned step, repeat, phase;
} slot;

struct ridge_chain {
    chain_step *steps;
    size_t count;
    buffer *buffers;
    size_t buffer_count, buffer_cap;
    unsigned threads, places;
    slot *slots; /* [slot_count]; before them a phase that notes what each thread has used, after them one that notes the end */
    unsigned slot_count;
    double *stamps;             /* [PASSES][count + 1], a ring by call */
    bool *disturbed;            /* [PASSES][threads]: a thread did not have its core for itself during that pass */
    ridge_thread_usage *before; /* [threads] */
    uint64_t passes;
    ridge_trace *trace;
};

static ridge_status nomem(ridge_err *err)
{
    return ridge_fail(err, RIDGE_NOMEM, "the operands of one layer do not fit in memory");
}

/* Ctrl-C: every loop that fills or packs ends at the next operand, row or place, and no chain is made */
static bool stopped(void)
{
    return ridge_measure_interrupted != 0;
}

/* ---- operands ---- */

static ridge_status new_buffer(void **out, ridge_chain *c, size_t bytes, unsigned role, const ridge_operand *o, ridge_err *err)
{
    if (c->buffer_count == c->buffer_cap) {
        size_t cap = c->buffer_cap * 2 + 16;
        buffer *more = realloc(c->buffers, cap * sizeof *more);
        if (!more)
            return nomem(err);
        c->buffers = more;
        c->buffer_cap = cap;
    }
    if (!(*out = ridge_buffer_make(bytes, NULL)))
        return nomem(err);
    c->buffers[c->buffer_count++] = (buffer){*out, bytes, role, o->format, o->cols};
    return RIDGE_OK;
}

static ridge_status fill(void *data, const chain_step *s, size_t k, uint64_t seed, ridge_err *err)
{
    ridge_status st = ridge_chain_fill(data, &s->operands[k], &s->is.problem, seed, err);
    for (unsigned r = 1; r < s->sets && !st && !stopped(); r++)
        memcpy((char *)data + r * s->bytes[k], data, s->bytes[k]);
    return st;
}

/* activations: a buffer that an earlier step has used in the same role, or a new one */
static ridge_status find_near(ridge_chain *c, chain_step *s, size_t k, ridge_err *err)
{
    const ridge_operand *o = &s->operands[k];
    unsigned role = o->written ? WRITTEN : (unsigned)k;
    size_t bytes = s->bytes[k] * s->sets;
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

static size_t stream_bytes(const chain_step *s, size_t k)
{
    return s->bytes[k] * s->sets;
}

static ridge_status list_operands(chain_step *s, ridge_err *err)
{
    ridge_status st = ridge_problem_operands(s->operands, &s->operand_count, &s->is.problem, err);
    for (size_t k = 0; k < s->operand_count && !st; k++) {
        size_t all;
        if (!(st = ridge_operand_bytes(&s->bytes[k], &s->operands[k], err)) && __builtin_mul_overflow(s->bytes[k], s->sets, &all))
            st = ridge_fail(err, RIDGE_OVERFLOW, "%s: %u times '%s' is too large", s->is.name, s->sets, s->operands[k].name);
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

/* all places in one piece of memory, so that small operands have huge pages too, as they have in a model's one mapping */
static ridge_status make_streamed(ridge_chain *c, chain_step *s, size_t k, uint64_t seed, ridge_err *err)
{
    size_t bytes = stream_bytes(s, k), all;
    void **places = s->streamed[k] = calloc(c->places, sizeof *places);
    if (!places || __builtin_mul_overflow(bytes, c->places, &all))
        return nomem(err);
    ridge_status st = new_buffer(&places[0], c, all, STREAMED, &s->operands[k], err);
    if (st || (st = fill(places[0], s, k, seed, err)))
        return st;
    for (unsigned i = 1; i < c->places && !stopped(); i++) {
        places[i] = (char *)places[0] + bytes * i;
        memcpy(places[i], places[0], bytes);
    }
    return RIDGE_OK;
}

static ridge_status make_operands(ridge_chain *c, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < c->count && !st; i++)
        for (size_t k = 0; k < c->steps[i].operand_count && !st && !stopped(); k++)
            st = ridge_chain_streams(&c->steps[i].operands[k]) ? make_streamed(c, &c->steps[i], k, 100 + i * 8 + k, err)
                                                               : find_near(c, &c->steps[i], k, err);
    return st;
}

/* ---- runs ---- */

static void close_runs(chain_step *s)
{
    for (unsigned i = 0; i < s->run_count; i++)
        if (s->variant->close)
            s->variant->close(&s->runs[i]);
    free(s->runs);
    s->runs = NULL;
    s->run_count = 0;
}

static void set_operands(ridge_kernel_run *run, const chain_step *s, unsigned place, unsigned set)
{
    for (size_t k = 0; k < s->operand_count; k++) {
        run->operands[k] = (char *)(s->streamed[k] ? s->streamed[k][place] : s->near[k]) + s->bytes[k] * set;
        run->tensor_scales[k] = ridge_chain_tensor_scale(s->operands[k].format);
    }
}

/* none where Ctrl-C came before all were open */
static ridge_status open_runs(chain_step *s, const ridge_chain *c, const ridge_kernel_variant *variant, unsigned places, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    s->variant = variant;
    s->runs = calloc((size_t)places * s->sets, sizeof *s->runs);
    if (!s->runs)
        return nomem(err);
    for (unsigned i = 0; i < places * s->sets && !st && !stopped(); i++) {
        ridge_kernel_run *run = &s->runs[i];
        *run = (ridge_kernel_run){.variant = variant, .problem = s->is.problem, .threads = c->threads, .phases = 1};
        set_operands(run, s, i / s->sets, i % s->sets);
        if (!(st = variant->open(run, err)))
            s->run_count++;
    }
    if (st || s->run_count < places * s->sets)
        close_runs(s);
    else
        s->phases = s->runs[0].phases;
    return st;
}

/* ---- the gate ---- */

static void run_first(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    const chain_step *s = context;
    (void)call;
    s->variant->phase(&s->runs[0], phase, thread);
}

static ridge_status check_step(chain_step *s, const ridge_chain *c, const ridge_kernel_variant *v, ridge_team *team, ridge_err *err)
{
    bool product = s->is.problem.kind == RIDGE_KERNEL_KIND_GEMV || s->is.problem.kind == RIDGE_KERNEL_KIND_GEMM;
    ridge_status st;
    s->tolerance = ridge_kernel_tolerance(&s->is.problem, v);
    if (!product)
        return ridge_chain_check_other(&s->error, &s->is.problem, v, team, c->threads, err);
    if ((st = open_runs(s, c, v, 1, err)) || s->run_count == 0)
        return st;
    const ridge_work once = {run_first, s, s->phases};
    memset(s->runs[0].operands[s->operand_count - 1], 0xff, s->bytes[s->operand_count - 1]); /* NaN: what is not written shows */
    ridge_team_run(team, &once, 0);
    st = ridge_chain_check_product(&s->error, &s->runs[0], err);
    close_runs(s);
    return st;
}

static ridge_status wrong(const chain_step *s, const ridge_kernel_variant *v, ridge_err *err)
{
    return ridge_fail(err, RIDGE_CHECK, "%s: the kernel %s is wrong: off by %.3g of the result's scale where %.3g is allowed", s->is.name,
                      v->name, s->error, s->tolerance);
}

/* the first variant that is right; the first that is wrong is told where none is */
static ridge_status choose_variant(chain_step *s, const ridge_chain *c, ridge_team *team, ridge_err *err)
{
    ridge_arena arena;
    const ridge_kernel_variant *const *variants = &s->is.variant;
    size_t count = 1;
    ridge_arena_init(&arena);
    ridge_status st = s->is.variant ? RIDGE_OK : ridge_kernel_variants(&variants, &count, &s->is.problem, &arena, err);
    const ridge_kernel_variant *right = NULL;
    for (size_t i = 0; i < count && !st && !right && !stopped(); i++) {
        st = check_step(s, c, variants[i], team, err);
        if (stopped())
            break;
        if (!st && s->error <= s->tolerance)
            right = variants[i];
        else if (!st && i + 1 == count)
            st = wrong(s, variants[i], err);
    }
    if (!st && !right && !stopped())
        st = ridge_fail(err, RIDGE_UNKNOWN, "%s: no kernel here takes a %s of %s weights and %s activations in this shape", s->is.name,
                        ridge_kernel_kind_names[s->is.problem.kind], s->is.problem.weights ? s->is.problem.weights->name : "no",
                        s->is.problem.activations->name);
    ridge_arena_free(&arena);
    s->variant = right;
    return st;
}

/* ---- passes ---- */

static void stamp(ridge_chain *c, uint64_t call, unsigned at, unsigned thread)
{
    if (thread == 0)
        c->stamps[call % PASSES * (c->count + 1) + at] = ridge_clock_s();
}

static void end_pass(ridge_chain *c, uint64_t call, unsigned thread)
{
    ridge_thread_usage after;
    stamp(c, call, (unsigned)c->count, thread);
    ridge_usage_now(&after);
    c->disturbed[call % PASSES * c->threads + thread] = !ridge_usage_clean(&c->before[thread], &after);
    c->passes += thread == 0;
}

static void run_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    ridge_chain *c = context;
    if (phase == 0) {
        ridge_usage_now(&c->before[thread]);
        return;
    }
    if (phase == c->slot_count + 1) {
        end_pass(c, call, thread);
        return;
    }
    const slot *at = &c->slots[phase - 1];
    const chain_step *s = &c->steps[at->step];
    if (at->repeat == 0 && at->phase == 0)
        stamp(c, call, at->step, thread);
    ridge_trace_begin(c->trace, thread, s->is.name);
    s->variant->phase(&s->runs[call % c->places * s->sets + at->repeat % s->sets], at->phase, thread);
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
    c->disturbed = calloc((size_t)PASSES * c->threads, sizeof *c->disturbed);
    c->before = calloc(c->threads, sizeof *c->before);
    if (!c->slots || !c->stamps || !c->disturbed || !c->before)
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
        c->steps[i].sets = steps[i].same_weights ? 1 : c->steps[i].repeat;
        st = list_operands(&c->steps[i], err);
    }
    c->places = st ? 1 : places_for(c, cache);
    if (!st)
        st = make_operands(c, err);
    for (size_t i = 0; i < c->count && !st && !stopped(); i++)
        st = choose_variant(&c->steps[i], c, team, err);
    for (size_t i = 0; i < c->count && !st && !stopped(); i++)
        st = open_runs(&c->steps[i], c, c->steps[i].variant, c->places, err);
    return st || stopped() ? st : make_slots(c, err);
}

ridge_status ridge_chain_make(ridge_chain **out, const ridge_chain_step *steps, size_t count, ridge_team *team,
                              const ridge_chain_options *options, ridge_err *err)
{
    *out = NULL;
    if (count == 0)
        return ridge_fail(err, RIDGE_VALUE, "a chain of no steps");
    ridge_chain *c = calloc(1, sizeof *c);
    if (!c || !(c->steps = calloc(count, sizeof *c->steps))) {
        free(c);
        return nomem(err);
    }
    c->count = count;
    c->threads = options->threads > 0 ? options->threads : 1;
    c->trace = options->trace;
    ridge_status st = make_chain(c, steps, team, options->cache, err);
    if (st || stopped()) {
        ridge_chain_free(c);
        return st;
    }
    *out = c;
    return RIDGE_OK;
}

void ridge_chain_free(ridge_chain *c)
{
    if (!c)
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
    free(c->disturbed);
    free(c->before);
    free(c->steps);
    free(c);
}

ridge_work ridge_chain_work(ridge_chain *c)
{
    c->passes = 0;
    return (ridge_work){run_phase, c, c->slot_count + 2};
}

unsigned ridge_chain_places(const ridge_chain *c)
{
    return c->places;
}

size_t ridge_chain_bytes(const ridge_chain *c)
{
    size_t bytes = 0;
    for (size_t i = 0; i < c->buffer_count; i++)
        bytes += c->buffers[i].bytes;
    for (size_t i = 0; i < c->count; i++)
        for (unsigned r = 0; r < c->steps[i].run_count; r++)
            bytes += c->steps[i].runs[r].packed_bytes;
    return bytes;
}

const ridge_kernel_variant *ridge_chain_variant(const ridge_chain *c, size_t step)
{
    return c->steps[step].variant;
}

/* ---- results ---- */

static bool is_clean(const ridge_chain *c, size_t pass)
{
    for (unsigned t = 0; t < c->threads; t++)
        if (c->disturbed[pass * c->threads + t])
            return false;
    return true;
}

/* times of a step in clean passes, or in all where too few are clean to say anything */
static size_t times_of(double *times, const ridge_chain *c, size_t step_at, size_t passes, bool all)
{
    size_t count = 0;
    for (size_t p = 0; p < passes; p++) {
        const double *stamps = &c->stamps[p * (c->count + 1) + step_at];
        if (all || is_clean(c, p))
            times[count++] = stamps[1] - stamps[0];
    }
    return count < FEW && !all ? times_of(times, c, step_at, passes, true) : count;
}

static void tell_step(ridge_chain_result *out, const ridge_chain *c, size_t i, double *times, size_t passes)
{
    size_t kept = times_of(times, c, i, passes, false);
    const chain_step *s = &c->steps[i];
    *out = (ridge_chain_result){.variant = s->variant,
                                .max_relative_error = s->error,
                                .tolerance = s->tolerance,
                                .time_s = RIDGE_MEASURE_UNKNOWN,
                                .low_s = RIDGE_MEASURE_UNKNOWN,
                                .high_s = RIDGE_MEASURE_UNKNOWN,
                                .passes = kept};
    for (size_t k = 0; k < s->operand_count; k++) {
        if (s->streamed[k])
            out->streamed_bytes += stream_bytes(s, k);
        else
            out->near_bytes += s->bytes[k] * s->sets;
    }
    if (kept == 0)
        return;
    size_t low, high;
    ridge_sort_doubles(times, kept);
    ridge_median_interval(&low, &high, kept);
    out->time_s = ridge_median_sorted(times, kept);
    out->low_s = times[low];
    out->high_s = times[high];
}

ridge_status ridge_chain_results(ridge_chain_result *results, ridge_chain *c, ridge_err *err)
{
    size_t passes = c->passes < PASSES ? (size_t)c->passes : PASSES;
    double *times = calloc(passes + 1, sizeof *times);
    if (!times)
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
    ridge_status st = ridge_measure(whole ? whole : &ignored, team, &work, options, err);
    return st ? st : ridge_chain_results(results, c, err);
}
