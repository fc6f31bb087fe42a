/* Timelines: one ring of finished regions and one stack of open ones per thread (trace.h). Format: the Trace Event Format of Chromium. */
#include "measure/trace.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "measure/measure.h"

typedef struct event {
    const char *name;
    double begin_s, end_s;
    unsigned thread, depth;
} event;

typedef struct trace_lane {
    _Alignas(64) event *ring; /* [events] */
    size_t finished;          /* of all time; the last `events` of them are kept */
    size_t too_deep;
    unsigned depth; /* of open regions; past RIDGE_TRACE_DEPTH they are only counted */
    struct {
        const char *name;
        double begin_s;
    } open[RIDGE_TRACE_DEPTH];
} trace_lane;

struct ridge_trace {
    trace_lane *lanes;
    unsigned threads;
    size_t events;
    ridge_trace_hooks hooks;
};

ridge_status ridge_trace_make(ridge_trace **out, unsigned threads, size_t events, ridge_err *err)
{
    *out = NULL;
    if (threads == 0 || threads > 65536 || events == 0 || events > SIZE_MAX / sizeof(event))
        return ridge_fail(err, RIDGE_VALUE, "a trace of %u threads and %zu events a thread is not possible", threads, events);
    ridge_trace *t = calloc(1, sizeof *t);
    trace_lane *lanes = aligned_alloc(64, threads * sizeof *lanes);
    if (!t || !lanes)
        goto nomem;
    *t = (ridge_trace){.lanes = lanes, .events = events};
    memset(lanes, 0, threads * sizeof *lanes);
    for (; t->threads < threads; t->threads++)
        if (!(lanes[t->threads].ring = calloc(events, sizeof(event))))
            goto nomem;
    *out = t;
    return RIDGE_OK;
nomem:
    for (unsigned i = 0; t && i < t->threads; i++)
        free(lanes[i].ring);
    free(lanes);
    free(t);
    return ridge_no_memory(err);
}

void ridge_trace_free(ridge_trace *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < t->threads; i++)
        free(t->lanes[i].ring);
    free(t->lanes);
    free(t);
}

void ridge_trace_set_hooks(ridge_trace *t, const ridge_trace_hooks *hooks)
{
    t->hooks = hooks ? *hooks : (ridge_trace_hooks){0};
}

void ridge_trace_push(ridge_trace *t, unsigned thread, const char *name)
{
    trace_lane *l = &t->lanes[thread];
    if (__builtin_expect(t->hooks.begin != NULL, 0))
        t->hooks.begin(t->hooks.context, name);
    unsigned depth = l->depth++;
    if (depth < RIDGE_TRACE_DEPTH) {
        l->open[depth].name = name;
        l->open[depth].begin_s = ridge_clock_s();
    }
}

void ridge_trace_pop(ridge_trace *t, unsigned thread)
{
    trace_lane *l = &t->lanes[thread];
    double now = ridge_clock_s();
    if (l->depth == 0)
        return;
    unsigned depth = --l->depth;
    if (depth >= RIDGE_TRACE_DEPTH)
        l->too_deep++;
    else
        l->ring[l->finished++ % t->events] = (event){l->open[depth].name, l->open[depth].begin_s, now, thread, depth};
    if (__builtin_expect(t->hooks.end != NULL, 0))
        t->hooks.end(t->hooks.context);
}

static size_t kept(const ridge_trace *t, unsigned thread)
{
    return t->lanes[thread].finished < t->events ? t->lanes[thread].finished : t->events;
}

size_t ridge_trace_count(const ridge_trace *t, size_t *lost)
{
    size_t count = 0, gone = 0;
    for (unsigned i = 0; i < t->threads; i++) {
        count += kept(t, i);
        gone += t->lanes[i].finished - kept(t, i) + t->lanes[i].too_deep;
    }
    if (lost)
        *lost = gone;
    return count;
}

/* by begin; of two that begin together the outer one first */
static int compare(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->begin_s != y->begin_s)
        return x->begin_s < y->begin_s ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void write_thread(ridge_json_writer *w, unsigned thread)
{
    char name[32];
    (void)snprintf(name, sizeof name, "thread %u", thread);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", "thread_name");
    ridge_jw_member_text(w, "ph", "M");
    ridge_jw_key(w, "pid");
    ridge_jw_int(w, 1);
    ridge_jw_key(w, "tid");
    ridge_jw_int(w, thread);
    ridge_jw_key(w, "args");
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", name);
    ridge_jw_end_object(w);
    ridge_jw_end_object(w);
}

/* microseconds with whole nanoseconds: children then end no later than their parents in the text too */
static void write_us(ridge_json_writer *w, const char *key, int64_t ns)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%lld.%03lld", (long long)(ns / 1000), (long long)(ns % 1000));
    ridge_jw_key(w, key);
    ridge_jw_raw(w, (ridge_str){text, (size_t)n});
}

static void write_event(ridge_json_writer *w, const event *e, double origin)
{
    int64_t begin = (int64_t)((e->begin_s - origin) * 1e9 + 0.5), end = (int64_t)((e->end_s - origin) * 1e9 + 0.5);
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", e->name);
    ridge_jw_member_text(w, "cat", "ridge");
    ridge_jw_member_text(w, "ph", "X");
    write_us(w, "ts", begin);
    write_us(w, "dur", end - begin);
    ridge_jw_key(w, "pid");
    ridge_jw_int(w, 1);
    ridge_jw_key(w, "tid");
    ridge_jw_int(w, e->thread);
    ridge_jw_end_object(w);
}

static size_t gather(event *all, const ridge_trace *t)
{
    size_t count = 0;
    for (unsigned i = 0; i < t->threads; i++)
        for (size_t k = 0; k < kept(t, i); k++)
            all[count++] = t->lanes[i].ring[k];
    qsort(all, count, sizeof *all, compare);
    return count;
}

ridge_status ridge_trace_json(ridge_buf *out, const ridge_trace *t, ridge_err *err)
{
    ridge_json_writer w;
    event *all = malloc((ridge_trace_count(t, NULL) + 1) * sizeof *all);
    if (!all)
        return ridge_no_memory(err);
    size_t count = gather(all, t);
    ridge_jw_init(&w, out);
    ridge_jw_object(&w);
    ridge_jw_member_text(&w, "displayTimeUnit", "ns");
    ridge_jw_key(&w, "traceEvents");
    ridge_jw_array(&w);
    for (unsigned i = 0; i < t->threads; i++)
        write_thread(&w, i);
    for (size_t i = 0; i < count; i++)
        write_event(&w, &all[i], all[0].begin_s);
    ridge_jw_end_array(&w);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    free(all);
    return out->failed ? ridge_no_memory(err) : RIDGE_OK;
}
