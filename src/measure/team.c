/* A team: an epoch that the caller advances and the others wait for, and a barrier that all meet in (measure.h, team.h). */
#include "measure/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure/placement.h"
#include "measure/statistics.h"

enum { LINE = 64, SPINS = 1 << 14, SPINS_SHARED = 16, IDLE_SPINS = 1 << 10, IDLE_YIELDS = 64, THREADS_MOST = 4096 };

/* the job of one epoch */
typedef struct job {
    ridge_work work; /* a copy: the caller's may be gone when a thread looks for the next phase */
    uint64_t first, calls;
    bool timed;
} job;

typedef struct team_member {
    _Alignas(LINE) ridge_team *team;
    unsigned index;
    pthread_t thread;
    ridge_thread_usage before, after;
} team_member;

struct ridge_team {
    _Alignas(LINE) atomic_uint epoch;   /* advances with each job */
    _Alignas(LINE) atomic_uint arrived; /* at the barrier, of this turn */
    _Alignas(LINE) atomic_uint turn;
    _Alignas(LINE) atomic_uint sleepers;
    _Alignas(LINE) job job;
    bool stop;
    unsigned threads, started; /* started: of the others */
    unsigned spins;            /* between two looks at the scheduler */
    bool pinned, oversubscribed;
    ridge_placement placement;
    team_member *members;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static inline void pause_core(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

/* All threads of the team meet; what each wrote before it, all see after it. */
static void barrier(ridge_team *t)
{
    if (t->threads == 1)
        return;
    unsigned turn = atomic_load_explicit(&t->turn, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&t->arrived, 1, memory_order_acq_rel) + 1 == t->threads) {
        atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&t->turn, turn + 1, memory_order_release);
        return;
    }
    for (unsigned i = 1; atomic_load_explicit(&t->turn, memory_order_acquire) == turn; i++) {
        pause_core();
        if (i % t->spins == 0)
            (void)sched_yield();
    }
}

static void run_calls(ridge_team *t, const job *j, unsigned thread)
{
    const ridge_work *work = &j->work;
    for (uint64_t call = j->first; call - j->first < j->calls; call++)
        for (unsigned phase = 0; phase < work->phases; phase++) {
            work->phase(work->context, phase, thread, call);
            barrier(t);
        }
}

/* One thread's part of a job; thread 0 gets the seconds between the first barrier and the last, 0 where nobody wants them. The job is
 * copied: once the last barrier is passed, thread 0 may already be writing the next one. */
static double take_part(ridge_team *t, unsigned thread)
{
    team_member *m = &t->members[thread];
    const job j = t->job;
    if (!j.timed) {
        run_calls(t, &j, thread);
        return 0;
    }
    ridge_usage_now(&m->before);
    barrier(t);
    double begin = ridge_clock_s();
    run_calls(t, &j, thread);
    double seconds = ridge_clock_s() - begin;
    ridge_usage_now(&m->after);
    barrier(t); /* thread 0 reads what all have noted */
    return seconds;
}

/* Spins, then yields, then sleeps until the epoch is another than `seen`. A sleeper counts itself and looks once more before it
 * sleeps; the caller advances the epoch and then looks for sleepers: one of the two sees the other (sequential consistency). */
static unsigned await_job(ridge_team *t, unsigned seen)
{
    unsigned now;
    for (unsigned yields = 0; yields < IDLE_YIELDS; yields++) {
        for (unsigned i = 0; i < IDLE_SPINS; i++) {
            if ((now = atomic_load_explicit(&t->epoch, memory_order_acquire)) != seen)
                return now;
            pause_core();
        }
        (void)sched_yield();
    }
    (void)pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->sleepers, 1);
    while ((now = atomic_load(&t->epoch)) == seen)
        (void)pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->sleepers, 1);
    (void)pthread_mutex_unlock(&t->lock);
    return now;
}

static void announce(ridge_team *t)
{
    atomic_fetch_add(&t->epoch, 1);
    if (atomic_load(&t->sleepers) > 0) {
        (void)pthread_mutex_lock(&t->lock);
        (void)pthread_cond_broadcast(&t->wake);
        (void)pthread_mutex_unlock(&t->lock);
    }
}

static void *serve(void *argument)
{
    team_member *m = argument;
    ridge_team *t = m->team;
    if (t->pinned)
        ridge_placement_pin(&t->placement, m->index);
    for (unsigned seen = 0;;) {
        seen = await_job(t, seen);
        if (t->stop)
            return NULL;
        (void)take_part(t, m->index);
    }
}

/* ---- making ---- */

static ridge_status start_threads(ridge_team *t, ridge_err *err)
{
    for (unsigned i = 1; i < t->threads; i++) {
        t->members[i].team = t;
        t->members[i].index = i;
        if (pthread_create(&t->members[i].thread, NULL, serve, &t->members[i]) != 0)
            return ridge_fail(err, RIDGE_LIMIT, "cannot start thread %u of %u", i + 1, t->threads);
        t->started++;
    }
    return RIDGE_OK;
}

ridge_status ridge_team_make(ridge_team **out, unsigned threads, bool pinned, ridge_err *err)
{
    *out = NULL;
    if (threads == 0 || threads > THREADS_MOST)
        return ridge_fail(err, RIDGE_VALUE, "%u threads: 1 to %d are possible", threads, THREADS_MOST);
    ridge_team *t = aligned_alloc(LINE, sizeof *t);
    team_member *members = aligned_alloc(LINE, threads * sizeof *members);
    if (!t || !members) {
        free(t);
        free(members);
        return ridge_no_memory(err);
    }
    *t = (ridge_team){.threads = threads, .pinned = pinned, .members = members};
    ridge_placement_read(&t->placement);
    t->oversubscribed = threads > t->placement.count;
    t->spins = t->oversubscribed ? SPINS_SHARED : SPINS;
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->wake, NULL);
    if (pinned)
        ridge_placement_pin(&t->placement, 0);
    ridge_status st = start_threads(t, err);
    if (st)
        ridge_team_free(t);
    else
        *out = t;
    return st;
}

void ridge_team_free(ridge_team *t)
{
    if (!t)
        return;
    t->stop = true;
    announce(t);
    for (unsigned i = 1; i <= t->started; i++)
        (void)pthread_join(t->members[i].thread, NULL);
    if (t->pinned)
        ridge_placement_restore(&t->placement);
    (void)pthread_cond_destroy(&t->wake);
    (void)pthread_mutex_destroy(&t->lock);
    free(t->members);
    free(t);
}

/* ---- running ---- */

void ridge_team_run(ridge_team *t, const ridge_work *work, uint64_t call)
{
    if (work->phases == 0)
        return; /* no barrier would keep the next job apart from this one */
    t->job = (job){*work, call, 1, false};
    announce(t);
    (void)take_part(t, 0);
}

double ridge_team_time(bool *clean, ridge_team *t, const ridge_work *work, uint64_t first, uint64_t calls)
{
    t->job = (job){*work, first, calls, true};
    announce(t);
    double seconds = take_part(t, 0);
    *clean = true;
    for (unsigned i = 0; i < t->threads; i++)
        *clean = *clean && ridge_usage_clean(&t->members[i].before, &t->members[i].after);
    return seconds;
}

unsigned ridge_team_threads(const ridge_team *t)
{
    return t->threads;
}

unsigned ridge_team_sleepers(const ridge_team *t)
{
    return atomic_load(&t->sleepers);
}

bool ridge_team_oversubscribed(const ridge_team *t)
{
    return t->oversubscribed;
}
