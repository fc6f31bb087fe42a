/* size-sweep: how fast working sets of growing size are read (parts.h). */
#include <string.h>
#include <unistd.h>

#include "experiment/parts.h"

/* What a thread reads in a call: a barrier of a microsecond is less than 1 % of it at 100 GB/s, so a small set is read again and again. */
enum { CALL_BYTES = 16 << 20 };

const ridge_stream *ridge_experiment_stream(void)
{
    const ridge_stream *best = NULL;
    for (size_t i = 0; ridge_stream_at(i); i++) {
        const ridge_stream *s = ridge_stream_at(i);
        if (s->kind == RIDGE_STREAM_READ && (s->isa & ~ridge_isa_have()) == 0)
            best = s;
    }
    return best;
}

static const char *size_name(const ridge_experimenting *x, size_t bytes)
{
    return bytes < 1 << 20 ? ridge_arena_printf(x->arena, "%zu KiB", bytes >> 10)
                           : ridge_arena_printf(x->arena, "%.4g MiB", (double)bytes / (1 << 20));
}

static ridge_status add_size(ridge_experimenting *x, const ridge_experiment_point *p, const ridge_stream_job *job)
{
    size_t bytes = job->bytes * job->threads;
    ridge_experiment_row *row = ridge_experiment_add(x, size_name(x, bytes));
    if (!row)
        return ridge_no_memory(x->err);
    ridge_experiment_set_time(row, ridge_experiment_time_of(p, 0, 1.0 / job->passes));
    row->bytes = (int64_t)bytes;
    row->bytes_per_s = (double)bytes / row->time.all.median_s;
    return RIDGE_OK;
}

/* one page a thread, doubled while that is within `most` */
static size_t count_sizes(const ridge_experimenting *x, size_t most)
{
    size_t count = 0;
    for (size_t each = RIDGE_STREAM_UNIT; each * x->threads <= most; each *= 2)
        count++;
    return count;
}

static ridge_stream_job job_of(const ridge_experimenting *x, const ridge_stream *stream, char *buffer, size_t each)
{
    unsigned passes = each < CALL_BYTES ? (unsigned)(CALL_BYTES / each) : 1;
    return (ridge_stream_job){
        .stream = stream, .arrays = {NULL, buffer, NULL}, .bytes = each, .places = 1, .passes = passes, .threads = x->threads};
}

static ridge_status sweep(ridge_experimenting *x, size_t most, const ridge_stream *stream)
{
    size_t count = count_sizes(x, most), room = most / x->threads * x->threads;
    ridge_experiment_point *points = ridge_experiment_points(x, count);
    ridge_stream_job *jobs = ridge_arena_array(x->arena, count + 1, sizeof *jobs);
    if (!points || !jobs)
        return ridge_no_memory(x->err);
    char *buffer = ridge_buffer_make(room, NULL);
    ridge_status st = buffer ? RIDGE_OK : ridge_fail(x->err, RIDGE_NOMEM, "no memory for a working set of %zu bytes", most);
    if (!st && !ridge_experiment_stopped())
        memset(buffer, 1, room);
    for (size_t i = 0; i < count && !st; i++) {
        jobs[i] = job_of(x, stream, buffer, (size_t)RIDGE_STREAM_UNIT << i);
        points[i].others[points[i].other_count++] = ridge_stream_work(&jobs[i]);
    }
    if (!st)
        st = ridge_experiment_measure(x, points, count, "working sets", x->request->budget_s);
    for (size_t i = 0; i < ridge_experiment_done(points, count) && !st; i++)
        st = add_size(x, &points[i], &jobs[i]);
    ridge_buffer_free(buffer, room);
    return st;
}

/* each thread has a first and a second level of its own, and all share the last */
static void note_caches(ridge_experimenting *x)
{
    ridge_experiment *e = x->out;
    const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), threads = (long)x->threads;
    if (l1 > 0)
        e->caches[e->cache_count++] = (ridge_experiment_cache){"L1", l1 * threads};
    if (l2 > 0)
        e->caches[e->cache_count++] = (ridge_experiment_cache){"L2", l2 * threads};
    e->caches[e->cache_count++] = (ridge_experiment_cache){"last level", (int64_t)ridge_last_level_cache()};
}

ridge_status ridge_experiment_sizes(ridge_experimenting *x)
{
    const ridge_stream *stream = ridge_experiment_stream();
    size_t most = (size_t)x->request->most_bytes;
    bool too_little;
    if (!stream)
        return ridge_fail(x->err, RIDGE_UNKNOWN, "no loop here reads memory on this CPU");
    if (most < (size_t)RIDGE_STREAM_UNIT * x->threads * 2)
        return ridge_fail(x->err, RIDGE_USAGE, RIDGE_OPT("most") " %zu: %u threads need %zu bytes at least for two sizes", most, x->threads,
                          (size_t)RIDGE_STREAM_UNIT * x->threads * 2);
    const char *subject =
        ridge_arena_printf(x->arena, "reading memory, %s, %u thread%s", stream->name, x->threads, RIDGE_PLURAL(x->threads));
    x->out->subject = subject ? subject : "";
    note_caches(x);
    ridge_status st = sweep(x, most, stream);
    if (st || (st = ridge_experiment_say_too_little(&too_little, x, count_sizes(x, most))) || too_little)
        return st;
    return ridge_experiment_say_sizes(x);
}
