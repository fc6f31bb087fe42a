/* How ceilings are written (ceilings.h). Rates are per second and of all threads together. */
#include "measure/ceilings.h"

#define RATE      .unit = RIDGE_UNIT_BYTES_PER_S
#define FLOP_RATE .unit = RIDGE_UNIT_FLOPS_PER_S
#define SECONDS   .unit = RIDGE_UNIT_SECONDS

/* "9/10" */
static const char *kept_of(ridge_arena *arena, const ridge_sample_statistics *time)
{
    return ridge_arena_printf(arena, "%u/%u", time->kept, time->tried);
}

/* ---- bandwidth ---- */

static const ridge_record_field loop_fields[] = {
    RIDGE_R_WORD(ridge_stream, kind, ridge_stream_names, "operation", NULL, RIDGE_IN_JSON, "what was done to the memory"),
    RIDGE_R_TEXT(ridge_stream, name, "variant", NULL, RIDGE_IN_JSON, "the fastest loop for that"),
};
static const ridge_record loop_record = RIDGE_RECORD(ridge_stream, "stream", loop_fields, "a loop through memory");

#define STREAM ridge_ceiling_stream
static const ridge_record_field stream_fields[] = {
    RIDGE_R_WORD(STREAM, level, ridge_ceiling_level_names, "level", NULL, RIDGE_IN_JSON, "level of memory"),
    RIDGE_R_THROUGH(STREAM, stream, &loop_record, RIDGE_IN_ALL),
    RIDGE_R_UNSIGNED(STREAM, threads, "threads", NULL, RIDGE_IN_JSON, "threads"),
    RIDGE_R_SIZE(STREAM, footprint_bytes, "footprint_bytes", NULL, RIDGE_IN_JSON, "all arrays of all threads", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_REAL(STREAM, bytes_per_s, "bytes_per_s", NULL, RIDGE_IN_JSON, "bandwidth, the median", RATE),
    RIDGE_R_REAL(STREAM, low_bytes_per_s, "low", NULL, RIDGE_IN_JSON, "where the median's 95 % interval begins", RATE),
    RIDGE_R_REAL(STREAM, high_bytes_per_s, "high", NULL, RIDGE_IN_JSON, "where it ends", RATE),
    RIDGE_R_UNSIGNED(STREAM, time.kept, "kept", NULL, RIDGE_IN_JSON, "samples that nothing disturbed"),
    RIDGE_R_UNSIGNED(STREAM, time.tried, "tried", NULL, RIDGE_IN_JSON, "samples taken"),
};
static const ridge_record stream_record = RIDGE_RECORD(STREAM, "bandwidth", stream_fields, "bandwidth of a memory level");

/* ---- arithmetic ---- */

#define PEAK ridge_ceiling_peak
static const char *peak_kept(ridge_arena *arena, const void *row)
{
    return kept_of(arena, &((const PEAK *)row)->time);
}

static const ridge_record_field instruction_fields[] = {
    RIDGE_R_TEXT(ridge_peak, precision, "precision", NULL, RIDGE_IN_ALL, "precision of the multiply-adds"),
    RIDGE_R_TEXT(ridge_peak, name, "variant", "instructions", RIDGE_IN_ALL, "instructions that they are made with"),
};
static const ridge_record instruction_record = RIDGE_RECORD(ridge_peak, "peak loop", instruction_fields, "a loop of multiply-adds");

static const ridge_record_field peak_fields[] = {
    RIDGE_R_THROUGH(PEAK, peak, &instruction_record, RIDGE_IN_ALL),
    RIDGE_R_UNSIGNED(PEAK, threads, "threads", NULL, RIDGE_IN_ALL, "threads"),
    RIDGE_R_REAL(PEAK, flops_per_s, "flops_per_s", "FLOP/s", RIDGE_IN_ALL, "the rate, by the median time", FLOP_RATE),
    RIDGE_R_REAL(PEAK, low_flops_per_s, "low", NULL, RIDGE_IN_JSON, "where the 95 % interval begins", FLOP_RATE),
    RIDGE_R_REAL(PEAK, high_flops_per_s, "high", NULL, RIDGE_IN_JSON, "where it ends", FLOP_RATE),
    RIDGE_R_REAL(PEAK, clock_hz, "clock_hz", "clock", RIDGE_IN_ALL, "clock of a core under that load", .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_REAL(PEAK, flops_per_cycle, "flops_per_cycle", "per cycle", RIDGE_IN_ALL, "FLOPs of one thread in a cycle"),
    RIDGE_R_UNSIGNED(PEAK, time.kept, "kept", NULL, RIDGE_IN_ALL, "samples that nothing disturbed", .text = peak_kept),
    RIDGE_R_UNSIGNED(PEAK, time.tried, "tried", NULL, RIDGE_IN_DATA, "samples taken"),
};
const ridge_record ridge_ceiling_peak_record = RIDGE_RECORD(PEAK, "peak rate", peak_fields, "rate of multiply-adds");

/* ---- parallel regions ---- */

#define OVERHEAD ridge_ceiling_overhead
static const char *barrier_text(ridge_arena *arena, const void *row)
{
    const OVERHEAD *overhead = row;
    return overhead->threads > 1 ? ridge_units_seconds(arena, overhead->barrier_s) : "-";
}

static const ridge_record_field overhead_fields[] = {
    RIDGE_R_UNSIGNED(OVERHEAD, threads, "threads", NULL, RIDGE_IN_ALL, "threads"),
    RIDGE_R_REAL(OVERHEAD, barrier_s, "barrier_s", "barrier", RIDGE_IN_ALL, "a barrier between two phases", SECONDS, .text = barrier_text),
    RIDGE_R_REAL(OVERHEAD, region_s, "region_s", "region", RIDGE_IN_ALL, "an empty parallel region of threads that wait for it", SECONDS),
    RIDGE_R_REAL(OVERHEAD, wake_s, "wake_s", "after sleep", RIDGE_IN_ALL, "... of threads that sleep", SECONDS),
};
const ridge_record ridge_ceiling_overhead_record =
    RIDGE_RECORD(OVERHEAD, "overhead", overhead_fields, "what it takes to have threads do nothing");

/* ---- all ---- */

#define ALL ridge_ceilings
static const ridge_record_field fields[] = {
    RIDGE_R_LIST(ALL, streams, stream_count, &stream_record, "bandwidth", RIDGE_IN_JSON, "bandwidths"),
    RIDGE_R_LIST(ALL, peaks, peak_count, &ridge_ceiling_peak_record, "flops", RIDGE_IN_JSON, "rates of arithmetic"),
    RIDGE_R_LIST(ALL, overheads, overhead_count, &ridge_ceiling_overhead_record, "overhead", RIDGE_IN_JSON, "cost of parallel regions"),
    RIDGE_R_REAL(ALL, clock_resolution_s, "clock_resolution_s", NULL, RIDGE_IN_JSON, "resolution of the clock", SECONDS),
    RIDGE_R_BOOL(ALL, huge_pages, "huge_pages", NULL, RIDGE_IN_JSON, "the large buffers had them"),
    RIDGE_R_BOOL(ALL, interrupted, "interrupted", NULL, RIDGE_IN_JSON, "not all was measured"),
};
const ridge_record ridge_ceilings_record = RIDGE_RECORD(ALL, "ceilings", fields, "what this machine reaches at best");
