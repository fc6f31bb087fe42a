/* ceilings.c - every stream loop writes what its name says and nothing else; jobs cover their arrays; what is measured is whole; how it
 * becomes a machine. Expected: element by element in double, arithmetic by hand. No times. */
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/kernel.h"
#include "measure/ceilings.h"

enum { UNITS = 3, BYTES = UNITS * RIDGE_STREAM_UNIT, GUARD = 4096, COUNT = BYTES / 4 };

typedef struct arrays {
    char *base[3];
    float *to, *a, *b;
} arrays;

static void make_arrays(arrays *x)
{
    for (size_t i = 0; i < 3; i++) {
        x->base[i] = ridge_buffer_make(BYTES + 2 * GUARD, NULL);
        assert_non_null(x->base[i]);
        ridge_fill_normal((float *)(void *)x->base[i], (BYTES + 2 * GUARD) / 4, i + 1);
    }
    x->to = (float *)(void *)(x->base[0] + GUARD);
    x->a = (float *)(void *)(x->base[1] + GUARD);
    x->b = (float *)(void *)(x->base[2] + GUARD);
}

static void free_arrays(arrays *x)
{
    for (size_t i = 0; i < 3; i++)
        ridge_buffer_free(x->base[i], BYTES + 2 * GUARD);
}

static bool is_kind(ridge_stream_kind kind, ridge_stream_kind one, ridge_stream_kind other)
{
    return kind == one || kind == other;
}

/* to[i] after the loop: untouched, any one value throughout, a[i], or a[i] + 0.75 b[i] (one or two roundings) */
static void check_stream(const ridge_stream *s)
{
    arrays x, fresh;
    make_arrays(&x);
    make_arrays(&fresh);
    s->run((char *)x.to, (const char *)x.a, (const char *)x.b, BYTES);
    for (size_t i = 0; i < COUNT; i++) {
        double wanted = s->kind == RIDGE_STREAM_READ                                  ? (double)fresh.to[i]
                        : is_kind(s->kind, RIDGE_STREAM_WRITE, RIDGE_STREAM_WRITE_NT) ? (double)x.to[0]
                        : is_kind(s->kind, RIDGE_STREAM_COPY, RIDGE_STREAM_COPY_NT)   ? (double)x.a[i]
                                                                                      : x.a[i] + 0.75 * (double)x.b[i];
        double slack =
            is_kind(s->kind, RIDGE_STREAM_TRIAD, RIDGE_STREAM_TRIAD_NT) ? 1e-6 * (fabs((double)x.a[i]) + fabs((double)x.b[i])) : 0;
        if (fabs((double)x.to[i] - wanted) > slack)
            fail_msg("%s %s: element %zu is %g, not %g", ridge_stream_names[s->kind], s->name, i, (double)x.to[i], wanted);
    }
    assert_true(isnormal(x.to[0]));
    if (is_kind(s->kind, RIDGE_STREAM_WRITE, RIDGE_STREAM_WRITE_NT))
        assert_true(memcmp(x.to, fresh.to, BYTES) != 0);
    memcpy(fresh.to, x.to, BYTES); /* what is round the array, and what is read, is as it was */
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(x.base[i], fresh.base[i], BYTES + 2 * GUARD);
    free_arrays(&x);
    free_arrays(&fresh);
}

static void test_streams(void **state)
{
    (void)state;
    const ridge_stream *s;
    size_t ran = 0;
    for (size_t i = 0; (s = ridge_stream_at(i)) != NULL; i++)
        if ((s->isa & ridge_isa_have()) == s->isa) {
            check_stream(s);
            ran++;
        }
    assert_true(ran >= 4); /* those in C at least */
    for (ridge_stream_kind k = 0; k < RIDGE_STREAM_COUNT; k++)
        assert_true(ridge_stream_find(k, NULL) == NULL || ridge_stream_find(k, NULL)->kind == k);
    assert_non_null(ridge_stream_find(RIDGE_STREAM_READ, "c"));
    assert_null(ridge_stream_find(RIDGE_STREAM_READ, "d"));
}

/* they return, with 0 rounds too; a round is FLOPs of whole instructions */
static void test_peaks_return(void **state)
{
    (void)state;
    const ridge_peak *p;
    for (size_t i = 0; (p = ridge_peak_at(i)) != NULL; i++) {
        assert_true(p->flops_per_round > 0 && p->flops_per_round % 2 == 0);
        if ((p->isa & ridge_isa_have()) != p->isa)
            continue;
        p->run(0);
        p->run(3);
    }
}

/* ---- jobs ---- */

/* calls 0 .. places - 1 of all threads write every byte of the array once; `first` only turns the order */
static void test_a_job_covers_its_array(void **state)
{
    (void)state;
    enum { THREADS = 2, PLACES = 3, SIZE = THREADS * PLACES * RIDGE_STREAM_UNIT };
    char *to = ridge_buffer_make(SIZE, NULL);
    ridge_stream_job job = {.stream = ridge_stream_find(RIDGE_STREAM_WRITE, NULL),
                            .arrays = {to, NULL, NULL},
                            .bytes = RIDGE_STREAM_UNIT,
                            .places = PLACES,
                            .first = 2,
                            .threads = THREADS,
                            .passes = 1};
    ridge_work work = ridge_stream_work(&job);
    assert_non_null(to);
    for (uint64_t call = 0; call < PLACES; call++)
        for (unsigned thread = 0; thread < THREADS; thread++) {
            size_t at = ((call + 2) % PLACES * THREADS + thread) * RIDGE_STREAM_UNIT;
            assert_true(to[at] == 0 && to[at + RIDGE_STREAM_UNIT - 1] == 0);
            work.phase(work.context, 0, thread, call);
            assert_true(to[at + 3] != 0 && to[at + RIDGE_STREAM_UNIT - 1] != 0);
        }
    assert_true(ridge_stream_job_bytes(&job) == THREADS * RIDGE_STREAM_UNIT);
    job.passes = 5;
    job.stream = ridge_stream_find(RIDGE_STREAM_TRIAD, NULL);
    assert_true(ridge_stream_job_bytes(&job) == 3.0 * 5 * THREADS * RIDGE_STREAM_UNIT);
    ridge_buffer_free(to, SIZE);
}

/* ---- all of them, in no time: each level, kind and precision this machine has, once per number of threads ---- */

static void count_progress(void *context, const char *what, size_t done, size_t total)
{
    size_t *last = context;
    assert_true(done >= *last && done < total && what[0] != '\0');
    *last = done;
}

static void test_all_ceilings(void **state)
{
    (void)state;
    static const unsigned threads[] = {1, 2};
    ridge_arena arena;
    ridge_ceilings *c;
    size_t progress = 0;
    ridge_ceilings_options o = {.threads = threads, .thread_counts = 2, .budget_s = 0.01, .progress = count_progress, .context = &progress};
    o.cache_bytes[RIDGE_CEILING_DRAM] = 48 << 20;
    o.cache_bytes[RIDGE_CEILING_LLC] = 32 << 20;
    o.cache_bytes[RIDGE_CEILING_L2] = 1 << 20;
    o.cache_bytes[RIDGE_CEILING_L1] = 32 << 10;
    ridge_arena_init(&arena);
    assert_int_equal(ridge_ceilings_measure(&c, &o, &arena, NULL), RIDGE_OK);
    assert_false(c->interrupted);
    assert_int_equal(c->overhead_count, 2);
    for (ridge_ceiling_level level = 0; level < RIDGE_CEILING_LEVELS; level++)
        assert_non_null(ridge_ceilings_stream(c, level, RIDGE_STREAM_READ));
    assert_null(ridge_ceilings_stream(c, RIDGE_CEILING_L1, RIDGE_STREAM_WRITE_NT));
    for (size_t i = 0; i < c->stream_count; i++) {
        const ridge_ceiling_stream *s = &c->streams[i];
        assert_true(s->bytes_per_s > 0 && s->low_bytes_per_s <= s->bytes_per_s && s->bytes_per_s <= s->high_bytes_per_s);
        assert_true(s->level != RIDGE_CEILING_L1 || s->footprint_bytes <= s->threads * o.cache_bytes[RIDGE_CEILING_L1] / 2);
        for (size_t j = 0; j < i; j++) /* none twice */
            assert_true(c->streams[j].level != s->level || c->streams[j].stream->kind != s->stream->kind ||
                        c->streams[j].threads != s->threads);
    }
    for (size_t i = 0; i < c->peak_count; i++)
        assert_true(c->peaks[i].flops_per_s > 0 && c->peaks[i].time.tried > 0);
    ridge_arena_free(&arena);
}

static void test_interrupted_before_it_begins(void **state)
{
    (void)state;
    static const unsigned threads[] = {1};
    ridge_arena arena;
    ridge_ceilings *c;
    ridge_ceilings_options o = {.threads = threads, .thread_counts = 1};
    ridge_arena_init(&arena);
    o.cache_bytes[RIDGE_CEILING_DRAM] = 6 << 20;
    ridge_measure_interrupted = 1;
    assert_int_equal(ridge_ceilings_measure(&c, &o, &arena, NULL), RIDGE_OK);
    ridge_measure_interrupted = 0;
    assert_true(c->interrupted && c->stream_count == 0 && c->peak_count == 0 && c->overhead_count == 0);
    o.thread_counts = 0;
    assert_int_equal(ridge_ceilings_measure(&c, &o, &arena, NULL), RIDGE_VALUE);
    ridge_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_peaks_return),
        cmocka_unit_test(test_a_job_covers_its_array),
        cmocka_unit_test(test_all_ceilings),
        cmocka_unit_test(test_interrupted_before_it_begins),
    };
    return RUN_TESTS(tests);
}
