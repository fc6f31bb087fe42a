/* team.c - teams compute right and end, also with more threads than CPUs; measuring counts what it does; who sleeps wakes. No times. */
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "measure/measure.h"
#include "measure/placement.h"
#include "measure/team.h"

enum { THREADS_MOST = 4, CALLS = 200 };

/* Prefix sums by rounds (Hillis and Steele 1986): phase p adds what phase p - 1 left at a distance of 2^p, by another thread. Wrong
 * where a phase begins before the one before it has ended everywhere. */
typedef struct sums {
    unsigned threads, wrong;
    uint64_t value[2][THREADS_MOST];
} sums;

static void sum_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    sums *s = context;
    if (phase == 0) {
        s->value[0][thread] = call + thread;
        return;
    }
    unsigned distance = 1u << (phase - 1), to = phase % 2, from = 1 - to;
    s->value[to][thread] = s->value[from][thread] + (thread >= distance ? s->value[from][thread - distance] : 0);
    if (phase == 2 && thread == 0)
        for (unsigned t = 0; t < s->threads; t++) /* of the phase before, whole: call + t and its neighbour */
            s->wrong += s->value[from][t] != (t == 0 ? call : 2 * call + 2 * t - 1);
}

static void check_sums(unsigned threads, bool pinned)
{
    ridge_team *team;
    sums s = {.threads = threads};
    ridge_work work = {sum_phase, &s, 3};
    assert_int_equal(ridge_team_make(&team, threads, pinned, NULL), RIDGE_OK);
    assert_int_equal(ridge_team_threads(team), threads);
    for (uint64_t call = 0; call < CALLS; call++) {
        ridge_team_run(team, &work, call);
        for (unsigned t = 0; t < threads; t++)
            assert_int_equal(s.value[0][t], (t + 1) * call + t * (t + 1) / 2); /* sum of call + 0 .. call + t, 4 at most */
    }
    assert_int_equal(s.wrong, 0);
    ridge_team_free(team);
}

static void test_each_phase_sees_the_one_before(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= THREADS_MOST; threads++) {
        check_sums(threads, false);
        check_sums(threads, true);
    }
}

/* more threads than CPUs: confined to one CPU, four threads end */
static void test_four_threads_on_one_cpu(void **state)
{
    (void)state;
    cpu_set_t before, one, after;
    unsigned first = 0;
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof before, &before), 0);
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
    ridge_team *team;
    assert_int_equal(ridge_team_make(&team, 4, true, NULL), RIDGE_OK);
    assert_true(ridge_team_oversubscribed(team));
    ridge_team_free(team);
    check_sums(4, true);
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&after, &one)); /* the caller's mask is given back */
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof before, &before), 0);
}

static void count_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    uint64_t *counts = context;
    (void)phase;
    assert_true(thread != 0 || call == counts[0]); /* calls count up, none is left out */
    counts[thread]++;
}

static void test_a_timed_job_makes_its_calls(void **state)
{
    (void)state;
    ridge_team *team;
    uint64_t counts[2] = {0};
    bool clean;
    ridge_work work = {count_phase, counts, 1};
    assert_int_equal(ridge_team_make(&team, 2, false, NULL), RIDGE_OK);
    assert_true(ridge_team_time(&clean, team, &work, 0, 17) > 0);
    assert_int_equal(counts[0], 17);
    assert_int_equal(counts[1], 17);
    ridge_team_free(team);
}

static void test_who_sleeps_wakes(void **state)
{
    (void)state;
    ridge_team *team;
    uint64_t counts[3] = {0};
    ridge_work work = {count_phase, counts, 1};
    assert_int_equal(ridge_team_make(&team, 3, false, NULL), RIDGE_OK);
    for (unsigned round = 0; round < 3; round++) {
        while (ridge_team_sleepers(team) < 2)
            (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        ridge_team_run(team, &work, round);
        assert_int_equal(counts[2], round + 1);
    }
    ridge_team_free(team); /* some may sleep again */
}

static void test_wrong_numbers_of_threads(void **state)
{
    (void)state;
    ridge_team *team;
    ridge_err err = {0};
    assert_int_equal(ridge_team_make(&team, 0, false, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "0 threads: 1 to 4096 are possible");
    assert_null(team);
    ridge_team_free(NULL);
}

/* ---- measuring ---- */

static void test_measuring_counts(void **state)
{
    (void)state;
    ridge_team *team;
    uint64_t counts[2][2] = {{0}};
    ridge_work works[2] = {{count_phase, counts[0], 1}, {count_phase, counts[1], 1}};
    ridge_sample_statistics s[2];
    ridge_measure_options options = {.budget_s = 60, .confidence = 1e-12, .least = 5, .most = 20, .warm_up = 3};
    assert_int_equal(ridge_team_make(&team, 2, false, NULL), RIDGE_OK);
    assert_int_equal(ridge_measure_interleaved(s, team, works, 2, &options, NULL), RIDGE_OK);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(s[i].tried, 20); /* nothing is that certain: all that it may take */
        assert_true(s[i].kept <= s[i].tried && s[i].calls_per_sample >= 1);
        assert_true(counts[i][0] >= 3 + 20 * (uint64_t)s[i].calls_per_sample);
        assert_int_equal(counts[i][0], counts[i][1]);
        assert_true(s[i].minimum_s > 0 && s[i].minimum_s <= s[i].low_s && s[i].low_s <= s[i].median_s && s[i].median_s <= s[i].high_s);
        assert_true(s[i].stopped || s[i].high_s == s[i].low_s);
    }
    ridge_team_free(team);
}

static void test_ctrl_c_ends_it_with_an_answer(void **state)
{
    (void)state;
    ridge_team *team;
    uint64_t counts[1] = {0};
    ridge_work work = {count_phase, counts, 1};
    ridge_sample_statistics s;
    assert_int_equal(ridge_team_make(&team, 1, false, NULL), RIDGE_OK);
    ridge_measure_interrupted = 1;
    assert_int_equal(ridge_measure(&s, team, &work, &(ridge_measure_options){.budget_s = 3600}, NULL), RIDGE_OK);
    ridge_measure_interrupted = 0;
    assert_int_equal(s.tried, 1);
    assert_true(s.stopped);
    ridge_team_free(team);
}

static void test_nothing_to_measure(void **state)
{
    (void)state;
    ridge_team *team;
    ridge_sample_statistics s;
    ridge_err err = {0};
    ridge_work work = {count_phase, NULL, 0};
    assert_int_equal(ridge_team_make(&team, 1, false, NULL), RIDGE_OK);
    assert_int_equal(ridge_measure(&s, team, &work, NULL, &err), RIDGE_VALUE);
    assert_string_equal(message_of(&err), "work 0 has no phase");
    ridge_err_clear(&err);
    assert_int_equal(ridge_measure_interleaved(&s, team, &work, 0, NULL, &err), RIDGE_VALUE);
    ridge_team_free(team);
}

/* ---- placement ---- */

/* CPUs 1 2 3 5 6; cores {0 1}, {2 6}, {3}, {5}: one of each core, then 6 */
static void test_one_thread_a_core_first(void **state)
{
    (void)state;
    static const unsigned allowed[] = {1, 2, 3, 5, 6}, wanted[] = {1, 2, 3, 5, 6};
    unsigned core[CPU_SETSIZE], out[CPU_SETSIZE];
    cpu_set_t mask;
    CPU_ZERO(&mask);
    for (unsigned i = 0; i < CPU_SETSIZE; i++)
        core[i] = RIDGE_CORE_UNKNOWN;
    for (size_t i = 0; i < 5; i++)
        CPU_SET(allowed[i], &mask);
    core[1] = 0;
    core[2] = core[6] = 2;
    core[3] = 3;
    core[5] = 5;
    assert_int_equal(ridge_placement_order(out, &mask, core), 5);
    assert_memory_equal(out, wanted, sizeof wanted);
    core[2] = core[3] = 1; /* 2 and 3 are one core */
    core[6] = 5;
    static const unsigned shared[] = {1, 2, 5, 3, 6};
    assert_int_equal(ridge_placement_order(out, &mask, core), 5);
    assert_memory_equal(out, shared, sizeof shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_phase_sees_the_one_before), cmocka_unit_test(test_four_threads_on_one_cpu),
        cmocka_unit_test(test_a_timed_job_makes_its_calls),    cmocka_unit_test(test_who_sleeps_wakes),
        cmocka_unit_test(test_wrong_numbers_of_threads),       cmocka_unit_test(test_measuring_counts),
        cmocka_unit_test(test_ctrl_c_ends_it_with_an_answer),  cmocka_unit_test(test_nothing_to_measure),
        cmocka_unit_test(test_one_thread_a_core_first),
    };
    return RUN_TESTS(tests);
}
