/* size-sweep: how fast working sets of growing size are read (parts.h). */
#include <string.h>
#include <unistd.h>

#include "experiment/parts.h"

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

static ridge_status add_size(ridge_experimenting *x, ridge_team *team, char *buffer, const ridge_stream *stream, size_t each,
                             double budget_s)
{
    ridge_stream_job job = {
        .stream = stream, .arrays = {NULL, buffer, NULL}, .bytes = each, .places = 1, .passes = 1, .threads = x->threads};
    const ridge_work work = ridge_stream_work(&job);
    const ridge_measure_options options = {.budget_s = budget_s, .threads = x->threads, .pinned = true};
    ridge_sample_statistics time;
    ridge_status st = ridge_measure(&time, team, &work, &options, x->err);
    if (st || ridge_experiment_stopped())
        return st;
    ridge_experiment_row *row = ridge_experiment_add(x, size_name(x, each * x->threads));
    if (!row)
        return ridge_no_memory(x->err);
    row->bytes = (int64_t)(each * x->threads);
    row->bytes_per_s = ridge_stream_job_bytes(&job) / time.median_s;
    row->time_s = time.median_s;
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

static ridge_status sweep(ridge_experimenting *x, ridge_team *team, size_t most, const ridge_stream *stream)
{
    size_t steps = count_sizes(x, most), done = 0, room = most / x->threads * x->threads;
    char *buffer = ridge_buffer_make(room, NULL);
    ridge_status st = buffer ? RIDGE_OK : ridge_fail(x->err, RIDGE_NOMEM, "no memory for a working set of %zu bytes", most);
    if (!st && !ridge_experiment_stopped())
        memset(buffer, 1, room);
    for (size_t each = RIDGE_STREAM_UNIT; each * x->threads <= most && !st && !ridge_experiment_stopped(); each *= 2) {
        ridge_experiment_tell(x, "working sets", done++, steps);
        st = add_size(x, team, buffer, stream, each, x->request->budget_s / (double)steps);
    }
    ridge_buffer_free(buffer, room);
    return st;
}

ridge_status ridge_experiment_sizes(ridge_experimenting *x)
{
    const ridge_stream *stream = ridge_experiment_stream();
    ridge_team *team = NULL;
    size_t most = (size_t)x->request->most_bytes;
    if (!stream)
        return ridge_fail(x->err, RIDGE_UNKNOWN, "no loop here reads memory on this CPU");
    if (most < (size_t)RIDGE_STREAM_UNIT * x->threads * 2)
        return ridge_fail(x->err, RIDGE_USAGE, RIDGE_OPT("most") " %zu: %u threads need %zu bytes at least for two sizes", most, x->threads,
                          (size_t)RIDGE_STREAM_UNIT * x->threads * 2);
    const char *subject =
        ridge_arena_printf(x->arena, "reading memory, %s, %u thread%s", stream->name, x->threads, RIDGE_PLURAL(x->threads));
    x->out->subject = subject ? subject : "";
    ridge_status st = ridge_team_make(&team, x->threads, true, x->err);
    if (!st)
        st = sweep(x, team, most, stream);
    ridge_team_free(team);
    if (!st && x->out->row_count < count_sizes(x, most))
        return ridge_experiment_say_stopped(x, count_sizes(x, most));
    return st ? st : ridge_experiment_say_sizes(x);
}
