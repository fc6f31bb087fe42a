/* attention.c - attention.h: the table of variants, shares of work, memory. */
#include "kernel/attention/attention.h"

#include <math.h>
#include <stdlib.h>

bool ridge_attention_takes(const ridge_problem *problem)
{
    return problem->kind == RIDGE_KERNEL_KIND_ATTENTION && problem->batch > 0 && problem->seq > 0 && problem->past >= 0 &&
           problem->kv_heads > 0 && problem->heads > 0 && problem->heads % problem->kv_heads == 0 && problem->head_dim > 0 &&
           ridge_element_of(problem->weights) != RIDGE_ELEMENT_NONE && ridge_element_of(problem->activations) != RIDGE_ELEMENT_NONE;
}

int64_t ridge_attention_product(int64_t a, int64_t b, int64_t c)
{
    int64_t ab, abc;
    if (a < 0 || b < 0 || c < 0 || __builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(ab, c, &abc))
        return -1;
    return abc;
}

int64_t ridge_attention_keys(const ridge_attention *at, int64_t block)
{
    if (at->whole || !at->causal)
        return at->total;
    int64_t end = (block + 1) * at->lanes;
    return ridge_attention_last_key(at, (end < at->rows ? end : at->rows) - 1) + 1;
}

/* Where share `part` of `parts` of all blocks' cost begins: the first block more than half of which lies behind it. */
static int64_t share_start(const ridge_attention *at, double unit_cost, unsigned part, unsigned parts)
{
    if (part == parts)
        return at->units * at->blocks;
    double target = unit_cost * (double)at->units * part / parts;
    int64_t unit = (int64_t)(target / unit_cost), block = 0;
    double left = target - (double)unit * unit_cost;
    while (block < at->blocks) {
        double cost = (double)ridge_attention_keys(at, block);
        if (left < cost / 2)
            break;
        left -= cost;
        block++;
    }
    return unit * at->blocks + block;
}

void ridge_attention_share(int64_t *first, int64_t *last, const ridge_attention *at, unsigned thread)
{
    double unit_cost = 0;
    for (int64_t block = 0; block < at->blocks; block++)
        unit_cost += (double)ridge_attention_keys(at, block);
    *first = share_start(at, unit_cost, thread, at->threads);
    *last = share_start(at, unit_cost, thread + 1, at->threads);
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static void read_problem(ridge_attention *at, const ridge_problem *problem, unsigned threads, const ridge_attention_needs *needs)
{
    at->seq = problem->seq;
    at->past = problem->past;
    at->total = problem->past + problem->seq;
    at->heads = problem->heads;
    at->kv_heads = problem->kv_heads;
    at->head_dim = problem->head_dim;
    at->group = problem->heads / problem->kv_heads;
    at->units = problem->batch * problem->kv_heads;
    at->rows = problem->seq * at->group;
    at->lanes = needs->lanes;
    at->blocks = (at->rows + at->lanes - 1) / at->lanes;
    at->causal = problem->causal;
    at->whole = needs->whole;
    at->q = ridge_element_of(problem->activations);
    at->kv = ridge_element_of(problem->weights);
    at->scale = (float)(1.4426950408889634 / sqrt((double)problem->head_dim));
    at->threads = threads;
    at->splits = threads / greatest_divisor(at->units, threads); /* so that every thread gets as many parts */
}

/* one piece of memory for the scratch of all threads and the parts of a decode step */
static ridge_status make_memory(ridge_attention *at, const ridge_attention_needs *needs, ridge_err *err)
{
    int64_t floats = needs->scratch(at);
    int64_t shared = needs->decode ? ridge_attention_product(at->units * at->splits, at->group, at->head_dim + 2) : 0;
    int64_t own = floats < 0 || floats > INT64_MAX - 32 ? -1 : (floats + 31) / 16 * 16; /* 64 bytes or more between threads */
    int64_t all = ridge_attention_product(own, at->threads, 4);
    int64_t parts = ridge_attention_product(shared, 4, 1);
    int64_t bytes;
    if (all < 0 || parts < 0 || __builtin_add_overflow(all, parts, &bytes) || bytes > INT64_MAX - 128)
        return ridge_fail(err, RIDGE_OVERFLOW, "attention: the scores of this problem do not fit in memory");
    at->memory = aligned_alloc(64, (size_t)(bytes + 127) / 64 * 64);
    if (!at->memory)
        return ridge_fail(err, RIDGE_NOMEM, "attention: no %lld bytes for the scores", (long long)bytes);
    memset(at->memory, 0, (size_t)(bytes + 127) / 64 * 64); /* touched before the clock runs */
    at->scratch = at->memory;
    at->floats = (size_t)own;
    at->shared = at->scratch + own * at->threads;
    return RIDGE_OK;
}

ridge_status ridge_attention_open(ridge_kernel_run *run, const ridge_attention_needs *needs, ridge_err *err)
{
    ridge_attention *at = calloc(1, sizeof *at);
    if (!at)
        return ridge_fail(err, RIDGE_NOMEM, "attention: no memory");
    read_problem(at, &run->problem, run->threads, needs);
    ridge_status st = make_memory(at, needs, err);
    if (st) {
        free(at);
        return st;
    }
    run->state = at;
    run->phases = needs->decode ? 2 : 1;
    run->packed_bytes = 0;
    return RIDGE_OK;
}

void ridge_attention_close(ridge_kernel_run *run)
{
    ridge_attention *at = run->state;
    if (at)
        free(at->memory);
    free(at);
    run->state = NULL;
}

const ridge_kernel_variant *const ridge_attention_variants[] = {
#if defined(__x86_64__)
    &ridge_attention_decode_avx512,  &ridge_attention_flash_avx512, &ridge_attention_fused_avx512,
    &ridge_attention_blocked_avx512, &ridge_attention_decode_avx2,  &ridge_attention_flash_avx2,
    &ridge_attention_fused_avx2,     &ridge_attention_blocked_avx2, &ridge_attention_naive_avx512,
    &ridge_attention_naive_avx2,
#elif defined(__aarch64__)
    &ridge_attention_decode_neon,  &ridge_attention_flash_neon, &ridge_attention_fused_neon,
    &ridge_attention_blocked_neon, &ridge_attention_naive_neon,
#endif
    &ridge_attention_decode,         &ridge_attention_flash,        &ridge_attention_fused,
    &ridge_attention_blocked,        &ridge_attention_naive,        NULL,
};
