#include "machine/check.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct checker {
    ridge_machine_findings *out;
    const ridge_machine *machine;
    ridge_arena *arena;
    bool failed; /* memory ran out */
} checker;

static void find(checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void find(checker *c, const char *fmt, ...)
{
    char text[300];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    ridge_machine_findings *out = c->out;
    const char **texts = ridge_arena_grow(c->arena, out->texts, out->count, &out->cap, out->count + 1, sizeof(const char *));
    char *copy = ridge_arena_strdup(c->arena, ridge_str_of(text));
    c->failed = c->failed || !texts || !copy;
    if (c->failed)
        return;
    out->texts = texts;
    out->texts[out->count++] = copy;
}

/* ---- one number: a unit slipped ---- */

/* what a number of this unit can be, from a phone's core to a rack */
static void check_range(checker *c, ridge_machine_field f, ridge_field_value v)
{
    static const double ranges[RIDGE_UNITS][2] = {
        [RIDGE_MACHINE_UNIT_FLOPS_PER_S] = {1e8, 1e18}, [RIDGE_MACHINE_UNIT_BYTES_PER_S] = {1e8, 1e15}, [RIDGE_MACHINE_UNIT_BYTES] = {1024, 1e14},
        [RIDGE_MACHINE_UNIT_SECONDS] = {1e-9, 1e-2},    [RIDGE_MACHINE_UNIT_HZ] = {1e8, 1e10},          [RIDGE_MACHINE_UNIT_WATTS] = {1, 1e5},
        [RIDGE_MACHINE_UNIT_COUNT] = {1, 1e6},
    };
    ridge_field_unit unit = ridge_fields[f].unit;
    double value = unit == RIDGE_MACHINE_UNIT_SECONDS ? v.seconds : (double)v.whole;
    if (value < ranges[unit][0] || value > ranges[unit][1])
        find(c, "%s: %g %s is outside %g to %g; is the unit right?", ridge_fields[f].name, value, ridge_unit_names[unit], ranges[unit][0],
             ranges[unit][1]);
}

static void check_numbers(checker *c)
{
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        ridge_field_value v = ridge_field_get(c->machine, f);
        if (v.known)
            check_range(c, f, v);
        if (v.known && !ridge_field_source(c->machine, f))
            find(c, "%s: no source", ridge_fields[f].name);
    }
}

/* ---- rates among each other ---- */

static int64_t peak(const checker *c, ridge_precision p)
{
    return c->machine->peak_flops_per_s[p];
}

static ridge_precision faster(const checker *c, ridge_precision a, ridge_precision b)
{
    return peak(c, a) >= peak(c, b) ? a : b;
}

/* A narrower float on the same units is at least as fast as a wider one, and at most `most` times. */
static void check_step(checker *c, ridge_precision narrow, ridge_precision wide, double most)
{
    int64_t n = peak(c, narrow), w = peak(c, wide);
    if (n == RIDGE_MACHINE_UNKNOWN || w == RIDGE_MACHINE_UNKNOWN)
        return;
    if (n < w && narrow != RIDGE_PRECISION_INT8)
        find(c, "peak_flops_per_s.%s is less than that of %s; is one of them with sparsity?", ridge_precision_names[narrow],
             ridge_precision_names[wide]);
    if ((double)n > most * (double)w)
        find(c, "peak_flops_per_s.%s is more than %g times that of %s; is it with sparsity?", ridge_precision_names[narrow], most,
             ridge_precision_names[wide]);
}

static void check_peaks(checker *c)
{
    ridge_precision half = faster(c, RIDGE_PRECISION_BF16, RIDGE_PRECISION_FP16);
    check_step(c, RIDGE_PRECISION_TF32, RIDGE_PRECISION_FP32, 64);
    check_step(c, half, RIDGE_PRECISION_FP32, 64);
    check_step(c, half, RIDGE_PRECISION_TF32, 4);
    check_step(c, RIDGE_PRECISION_FP8, half, 4);
    check_step(c, RIDGE_PRECISION_INT8, half, 4);
    check_step(c, RIDGE_PRECISION_FP6, RIDGE_PRECISION_FP8, 4);
    check_step(c, RIDGE_PRECISION_MXFP4, RIDGE_PRECISION_FP8, 4);
    check_step(c, RIDGE_PRECISION_NVFP4, RIDGE_PRECISION_FP8, 4);
}

/* the ridge point of the fastest rate: FLOP per byte of main memory */
static void check_ridge_point(checker *c)
{
    double bytes_per_s = (double)c->machine->levels[0].bytes_per_s;
    ridge_precision best = RIDGE_PRECISION_FP64;
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        best = faster(c, best, (ridge_precision)p);
    if (bytes_per_s < 0 || peak(c, best) == RIDGE_MACHINE_UNKNOWN)
        return;
    double point = (double)peak(c, best) / bytes_per_s;
    if (point < 1 || point > 10000)
        find(c, "ridge point of %s: %.4g FLOP/byte is outside 1 to 10000", ridge_precision_names[best], point);
}

/* ---- memory, links, what was reached ---- */

static void check_memory(checker *c)
{
    const ridge_machine *m = c->machine;
    for (size_t i = 1; i < m->level_count; i++) {
        const ridge_machine_level *outer = &m->levels[i - 1], *inner = &m->levels[i], *dram = &m->levels[0];
        if (inner->bytes_per_s != RIDGE_MACHINE_UNKNOWN && inner->bytes_per_s < outer->bytes_per_s)
            find(c, "memory.%s.bytes_per_s is less than that of %s", inner->name, outer->name);
        if (dram->capacity_bytes != RIDGE_MACHINE_UNKNOWN && inner->capacity_bytes > dram->capacity_bytes)
            find(c, "memory.%s.capacity_bytes is more than that of dram", inner->name);
    }
    for (size_t i = 0; i < m->link_count; i++)
        if (m->levels[0].bytes_per_s != RIDGE_MACHINE_UNKNOWN && m->links[i].bytes_per_s > m->levels[0].bytes_per_s)
            find(c, "links.%s.bytes_per_s is more than main memory's", ridge_link_kind_names[m->links[i].kind]);
}

static void check_achieved(checker *c)
{
    const ridge_machine_achieved *a = &c->machine->achieved;
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (peak(c, (ridge_precision)p) != RIDGE_MACHINE_UNKNOWN && a->flops_per_s[p] > peak(c, (ridge_precision)p))
            find(c, "achieved.flops_per_s.%s is more than the peak", ridge_precision_names[p]);
    if (c->machine->levels[0].bytes_per_s != RIDGE_MACHINE_UNKNOWN && a->bytes_per_s > c->machine->levels[0].bytes_per_s)
        find(c, "achieved.bytes_per_s is more than main memory's");
}

ridge_status ridge_machine_check(ridge_machine_findings *out, const ridge_machine *machine, ridge_arena *arena, ridge_err *err)
{
    checker c = {out, machine, arena, false};
    *out = (ridge_machine_findings){0};
    check_numbers(&c);
    check_peaks(&c);
    check_ridge_point(&c);
    check_memory(&c);
    check_achieved(&c);
    return c.failed ? ridge_no_memory(err) : RIDGE_OK;
}
