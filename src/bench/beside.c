/* Ceilings measured in turn with a kernel (beside.h). */
#include "bench/beside.h"

#include <math.h>

/* a cold stream goes through pieces of this size: of one thread, all arrays together */
enum { PIECE = 8 << 20 };

static size_t units(double bytes)
{
    return bytes > RIDGE_STREAM_UNIT ? (size_t)(bytes / RIDGE_STREAM_UNIT) * RIDGE_STREAM_UNIT : RIDGE_STREAM_UNIT;
}

static bool make_room(ridge_bench_beside *b, size_t room)
{
    bool huge;
    if (b->room >= room)
        return true;
    if (b->buffer)
        ridge_buffer_free(b->buffer, b->room);
    b->room = 0;
    if (!(b->buffer = ridge_buffer_make(room, &huge)))
        return false;
    memset(b->buffer, 1, room); /* pages of their own: reads of untouched memory all see the same one */
    b->room = room;
    return true;
}

/* hot: over as many bytes as the kernel touches, again and again; cold: through more than twice the last-level cache */
static bool set_stream(ridge_bench_beside *b, const ridge_bench_rates *rates, const ridge_bench_least *least, ridge_bench_mix mix,
                       double bytes, bool cold)
{
    const char *level = least->level ? least->level->name : "dram";
    const ridge_stream *stream = NULL;
    for (unsigned i = 0; i < RIDGE_CEILING_LEVELS; i++)
        if (strcmp(level, ridge_ceiling_level_names[i]) == 0)
            stream = rates->streams[i][mix] ? rates->streams[i][mix] : rates->streams[RIDGE_CEILING_DRAM][mix];
    if (!stream || bytes <= 0)
        return false;
    const unsigned arrays = ridge_stream_arrays[stream->kind], shares = rates->threads * arrays;
    size_t each = units(bytes / shares), places = 1;
    if (cold || strcmp(level, "dram") == 0) {
        each = each < PIECE / arrays ? each : units(PIECE / arrays);
        places = 2 * ridge_last_level_cache() / (each * shares) + 2;
    }
    const size_t array = each * rates->threads * places + RIDGE_CEILING_STAGGER;
    if (!make_room(b, array * arrays))
        return false;
    b->stream = (ridge_stream_job){.stream = stream, .bytes = each, .places = places, .threads = rates->threads, .passes = 1};
    b->stream.arrays[1] = b->buffer;
    if (arrays > 1)
        b->stream.arrays[0] = b->buffer + array;
    if (arrays > 2)
        b->stream.arrays[2] = b->buffer + 2 * array;
    return true;
}

static double peak_of(const ridge_bench_rates *rates, ridge_precision p)
{
    return (double)rates->measured.peak_flops_per_s[p];
}

/* about as long as the kernel's arithmetic takes, 20 us to 2 ms */
static bool set_peak(ridge_bench_beside *b, const ridge_bench_rates *rates, const ridge_bench_least *least)
{
    const ridge_peak *peak = rates->peaks[least->used];
    if (!peak || !(least->sides.compute_s > 0) || !(peak_of(rates, least->used) > 0))
        return false;
    double seconds = fmin(fmax(least->sides.compute_s, 20e-6), 2e-3);
    double rounds = seconds * peak_of(rates, least->used) / rates->threads / (double)peak->flops_per_round;
    b->peak = (ridge_peak_job){peak, rounds > 1 ? (uint64_t)rounds : 1};
    return true;
}

void ridge_bench_beside_set(ridge_bench_beside *b, const ridge_bench_rates *rates, const ridge_bench_least *least, ridge_bench_mix mix,
                            double bytes, ridge_cache_state cache)
{
    b->beside.count = 0;
    b->stream_at = b->peak_at = -1;
    if (set_stream(b, rates, least, mix, bytes, cache == RIDGE_CACHE_COLD)) {
        b->stream_at = (int)b->beside.count;
        b->beside.works[b->beside.count++] = ridge_stream_work(&b->stream);
    }
    if (set_peak(b, rates, least)) {
        b->peak_at = (int)b->beside.count;
        b->beside.works[b->beside.count++] = ridge_peak_work(&b->peak);
    }
}

ridge_compare_sides ridge_bench_beside_sides(const ridge_bench_beside *b, const ridge_bench_rates *rates, const ridge_bench_least *least,
                                             double bytes)
{
    ridge_compare_sides out = least->sides;
    if (b->stream_at >= 0)
        out.memory_s = bytes * b->beside.times[b->stream_at].median_s / ridge_stream_job_bytes(&b->stream);
    if (b->peak_at >= 0) {
        double flops = (double)b->peak.peak->flops_per_round * (double)b->peak.rounds * rates->threads;
        double rate = flops / b->beside.times[b->peak_at].median_s;
        out.compute_s = least->sides.compute_s * peak_of(rates, least->used) / rate;
    }
    return out;
}

void ridge_bench_beside_free(ridge_bench_beside *b)
{
    if (b->buffer)
        ridge_buffer_free(b->buffer, b->room);
    b->buffer = NULL;
    b->room = 0;
}
