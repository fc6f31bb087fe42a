/* trace.h - what ran when, on which thread: a timeline in the JSON that chrome://tracing and Perfetto load, and marks for profilers.
 * In: begin and end of regions, per thread, nested; each thread writes only its own ring, so nothing is locked and nothing allocated.
 * Out: complete events ("ph": "X") with times in microseconds from the first one; when a ring is full its oldest events are overwritten.
 * A NULL trace costs one predicted branch per mark; names are kept as pointers and outlive the trace. Fails (NOMEM, VALUE). */
#ifndef RIDGE_MEASURE_TRACE_H
#define RIDGE_MEASURE_TRACE_H

#include "base/err.h"
#include "base/str.h"

/* deeper regions are not recorded */
enum { RIDGE_TRACE_DEPTH = 32 };

/* What an external profiler wants to hear (ITT __itt_task_begin, NVTX nvtxRangePushA, ...): called on the marking thread. */
typedef struct ridge_trace_hooks {
    void (*begin)(void *context, const char *name);
    void (*end)(void *context);
    void *context;
} ridge_trace_hooks;

typedef struct ridge_trace ridge_trace;
/* events: room of each thread. VALUE for 0 threads or events. */
ridge_status ridge_trace_make(ridge_trace **out, unsigned threads, size_t events, ridge_err *err);
void ridge_trace_free(ridge_trace *trace);
/* NULL takes them away; the struct is copied. Not while regions are open. */
void ridge_trace_set_hooks(ridge_trace *trace, const ridge_trace_hooks *hooks);

/* `thread` below the trace's; an end without a begin is ignored */
void ridge_trace_push(ridge_trace *trace, unsigned thread, const char *name);
void ridge_trace_pop(ridge_trace *trace, unsigned thread);
static inline void ridge_trace_begin(ridge_trace *trace, unsigned thread, const char *name)
{
    if (__builtin_expect(trace != NULL, 0))
        ridge_trace_push(trace, thread, name);
}
static inline void ridge_trace_end(ridge_trace *trace, unsigned thread)
{
    if (__builtin_expect(trace != NULL, 0))
        ridge_trace_pop(trace, thread);
}

/* events that are kept, of all threads; those that were overwritten or too deep */
size_t ridge_trace_count(const ridge_trace *trace, size_t *lost);
/* {"displayTimeUnit": "ns", "traceEvents": [..]}, in order of begin; no region may be open on another thread. NOMEM. */
ridge_status ridge_trace_json(ridge_buf *out, const ridge_trace *trace, ridge_err *err);

#endif
