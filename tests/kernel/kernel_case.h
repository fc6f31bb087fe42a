/* kernel_case.h - runs every variant that this CPU has of a problem against the double-precision reference, on operands that end at a
 * page nobody may touch. In: a problem, a seed. Out: failed assertions. Frees what it makes. */
#ifndef RIDGE_TESTS_KERNEL_CASE_H
#define RIDGE_TESTS_KERNEL_CASE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/codec/element.h"
#include "kernel/kernel.h"
#include "test.h"

/* a small generator, so that a case is its seed: xorshift64* (Vigna 2016) */
static inline uint64_t case_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u;
}
/* nearly normal: the sum of four even ones, deviation 1 */
static inline float case_normal(uint64_t *state)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)(case_random(state) >> 11) * 0x1p-53 - 0.5;
    return (float)(sum * 1.7320508075688772);
}
static inline int64_t case_between(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(case_random(state) % (uint64_t)(high - low + 1));
}
static inline const ridge_format *case_format(const char *name)
{
    const ridge_format *format = ridge_format_find(ridge_str_of(name));
    assert_non_null(format);
    return format;
}

/* `bytes` of memory that end (64-byte aligned, so up to 63 bytes later) where a page without access begins */
typedef struct case_buffer {
    char *data, *pages;
    size_t bytes, mapped;
} case_buffer;
enum { CASE_CANARY = 0x5a };

static inline case_buffer case_buffer_make(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (bytes + 63) / 64 * 64, body = (rounded + page - 1) / page * page;
    case_buffer b = {.bytes = bytes, .mapped = body + page};
    b.pages = mmap(NULL, b.mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(b.pages != MAP_FAILED);
    assert_int_equal(mprotect(b.pages + body, page, PROT_NONE), 0);
    b.data = b.pages + body - rounded;
    memset(b.pages, CASE_CANARY, body);
    return b;
}
/* what lies round the buffer is as it was made */
static inline void case_buffer_check(const case_buffer *b)
{
    for (const char *p = b->pages; p < b->data; p++)
        assert_int_equal(*p, CASE_CANARY);
    for (size_t i = b->bytes; i % 64 != 0; i++)
        assert_int_equal(b->data[i], CASE_CANARY);
}

static inline size_t case_bytes(const ridge_operand *o)
{
    return (size_t)(o->rows * o->cols) *
           (size_t)(ridge_element_of(o->format) == RIDGE_ELEMENT_NONE ? 4 : ridge_element_bytes(ridge_element_of(o->format)));
}
static inline void case_fill(const case_buffer *b, const ridge_operand *o, int64_t ids, uint64_t *state)
{
    ridge_element element = ridge_element_of(o->format);
    for (int64_t i = 0; i < o->rows * o->cols; i++)
        if (element == RIDGE_ELEMENT_NONE)
            ((int32_t *)(void *)b->data)[i] = (int32_t)case_between(state, 0, ids - 1);
        else
            ridge_element_put(b->data, element, i, case_normal(state));
}

static inline void case_describe(const ridge_problem *p, const ridge_kernel_variant *v, unsigned threads)
{
    fprintf(stderr, "%s %s: rows %lld cols %lld batch %lld seq %lld past %lld heads %lld/%lld dim %lld causal %d, %s/%s, %u threads\n",
            ridge_kernel_kind_names[p->kind], v->name, (long long)p->rows, (long long)p->cols, (long long)p->batch, (long long)p->seq,
            (long long)p->past, (long long)p->heads, (long long)p->kv_heads, (long long)p->head_dim, p->causal,
            p->weights ? p->weights->name : "-", p->activations->name, threads);
}

/* the variant's output against the reference; the phases' threads run one after the other: what one does may not hang on another */
static inline void case_variant(const ridge_problem *problem, const ridge_kernel_variant *variant, const case_buffer *buffers, size_t count,
                                const ridge_operand *output, const double *wanted, unsigned threads)
{
    ridge_err err = {0};
    ridge_kernel_run run = {.variant = variant, .problem = *problem, .threads = threads};
    for (size_t i = 0; i < count; i++)
        run.operands[i] = buffers[i].data;
    memset(buffers[count - 1].data, 0xff, buffers[count - 1].bytes); /* NaN: every element must be written */
    assert_int_equal(variant->open(&run, &err), RIDGE_OK);
    for (unsigned phase = 0; phase < run.phases; phase++)
        for (unsigned thread = threads; thread-- > 0;)
            variant->phase(&run, phase, thread);
    if (variant->close)
        variant->close(&run);
    double squares = 0, worst = 0;
    const int64_t n = output->rows * output->cols;
    for (int64_t i = 0; i < n; i++) {
        double off = fabs(ridge_element_get(buffers[count - 1].data, ridge_element_of(output->format), i) - wanted[i]);
        squares += wanted[i] * wanted[i];
        worst = off > worst || off != off ? off : worst;
    }
    double limit = ridge_kernel_tolerance(problem, variant) * sqrt(squares / (double)n);
    if (!(worst <= limit)) {
        case_describe(problem, variant, threads);
        fail_msg("off by %g, allowed %g", worst, limit);
    }
    for (size_t i = 0; i < count; i++)
        case_buffer_check(&buffers[i]);
}

/* every variant, 1 to 3 threads; returns how many variants took the problem */
static inline size_t case_run(const ridge_problem *problem, uint64_t seed)
{
    ridge_err err = {0};
    ridge_arena arena;
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    case_buffer buffers[RIDGE_PROBLEM_OPERANDS];
    void *data[RIDGE_PROBLEM_OPERANDS] = {NULL};
    const float scales[RIDGE_PROBLEM_OPERANDS] = {1, 1, 1, 1, 1, 1};
    const ridge_kernel_variant *const *variants;
    size_t count, taking;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_problem_operands(operands, &count, problem, &err), RIDGE_OK);
    for (size_t i = 0; i < count; i++) {
        buffers[i] = case_buffer_make(case_bytes(&operands[i]));
        data[i] = buffers[i].data;
        case_fill(&buffers[i], &operands[i], problem->n, &seed);
    }
    const ridge_operand *output = &operands[count - 1];
    double *wanted = calloc((size_t)(output->rows * output->cols), sizeof *wanted);
    assert_non_null(wanted);
    assert_int_equal(ridge_kernel_reference(wanted, problem, data, scales, &err), RIDGE_OK);
    assert_int_equal(ridge_kernel_variants(&variants, &taking, problem, &arena, &err), RIDGE_OK);
    for (size_t v = 0; v < taking; v++)
        for (unsigned threads = 1; threads <= 3; threads++)
            case_variant(problem, variants[v], buffers, count, output, wanted, threads);
    for (size_t i = 0; i < count; i++)
        munmap(buffers[i].pages, buffers[i].mapped);
    free(wanted);
    ridge_arena_free(&arena);
    return taking;
}

#endif
