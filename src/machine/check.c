#include "machine/check.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct checker {
    ridge_words *out, *gaps;
    const ridge_machine *machine;
    ridge_arena *arena;
    bool failed; /* memory ran out */
} checker;

static void add_to(checker *c, ridge_words *list, const char *fmt, va_list args)
{
    char text[300];
    (void)vsnprintf(text, sizeof text, fmt, args);
    const char *copy = ridge_arena_strdup(c->arena, ridge_str_of(text));
    c->failed = c->failed || !copy || ridge_words_add(list, copy, c->arena, NULL);
}

/* it is wrong */
static void find(checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void find(checker *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    add_to(c, c->out, fmt, args);
    va_end(args);
}

/* nothing is wrong, but less can be said of it */
static void miss(checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void miss(checker *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (c->gaps)
        add_to(c, c->gaps, fmt, args);
    va_end(args);
}

/* ---- one number: a unit slipped ---- */

static void check_range(checker *c, const ridge_record_field *f, ridge_field_value v)
{
    const ridge_quantity *q = &ridge_quantities[f->unit];
    double value = f->kind == RIDGE_RECORD_REAL ? v.seconds : (double)v.whole;
    if (value < q->least || value > q->most)
        find(c, "%s: %g %s is outside %g to %g; is the unit right?", f->key, value, q->name, q->least, q->most);
}

static void check_numbers(checker *c)
{
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        ridge_field_value v = ridge_field_get(c->machine, f);
        if (v.known)
            check_range(c, &ridge_machine_fields[f], v);
        if (v.known && !ridge_field_source(c->machine, f))
            find(c, "%s: no source", ridge_machine_fields[f].key);
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

/* floats whose narrower one is no slower on any chip; bf16 and fp16 differ on some */
static const struct {
    ridge_precision narrow, wide;
} steps[] = {
    {RIDGE_PRECISION_TF32, RIDGE_PRECISION_FP32},  {RIDGE_PRECISION_BF16, RIDGE_PRECISION_FP32},
    {RIDGE_PRECISION_FP16, RIDGE_PRECISION_FP32},  {RIDGE_PRECISION_FP8, RIDGE_PRECISION_BF16},
    {RIDGE_PRECISION_FP8, RIDGE_PRECISION_FP16},   {RIDGE_PRECISION_FP6, RIDGE_PRECISION_FP8},
    {RIDGE_PRECISION_MXFP4, RIDGE_PRECISION_FP8},  {RIDGE_PRECISION_NVFP4, RIDGE_PRECISION_FP8},
    {RIDGE_PRECISION_NVFP4, RIDGE_PRECISION_BF16},
};

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

/* fp32 FLOPs of one unit and clock: 32 of a core, 128 to 256 of an SM or CU. Cores counted as units, or a wrong clock, show here. */
static void check_units(checker *c)
{
    const ridge_machine *m = c->machine;
    int64_t fp32 = peak(c, RIDGE_PRECISION_FP32);
    if (fp32 == RIDGE_MACHINE_UNKNOWN || m->compute_units <= 0 || m->clock_hz <= 0)
        return;
    double each = (double)fp32 / ((double)m->compute_units * (double)m->clock_hz);
    if (each < 8 || each > 1024)
        find(c, "peak_flops_per_s.fp32 is %.3g FLOP a unit and clock: are compute_units and clock_hz those of this machine?", each);
}

/* ---- memory, links, what was reached ---- */

/* PCI Express, one direction, GB/s a lane, in powers of two as vendors write it: 1 in the third generation. "PCIe 5.0 x16": 64 */
static void check_express(checker *c, const ridge_machine_link *link)
{
    unsigned generation, lanes;
    if (!link->name || link->bytes_per_s < 0 || sscanf(link->name, "PCIe %1u.0 x%2u", &generation, &lanes) != 2 || generation < 1)
        return;
    double nominal = (double)(1u << generation) / 8 * lanes, given = (double)link->bytes_per_s / 1e9;
    if (given < 0.9 * nominal || given > 1.01 * nominal)
        find(c, "links.%s.bytes_per_s is %.4g GB/s, but %s has %.4g in one direction", ridge_link_kind_names[link->kind], given, link->name,
             nominal);
}

/* the size that its name tells: "H100 SXM 80GB" */
static void check_name(checker *c)
{
    const char *gb = strstr(c->machine->name, "GB");
    int64_t capacity = c->machine->levels[0].capacity_bytes, told = 0, unit = 1;
    for (const char *s = gb; s && s > c->machine->name && ridge_is_digit(s[-1]) && unit < 100000; s--, unit *= 10)
        told += (s[-1] - '0') * unit;
    double ratio = told > 0 && capacity > 0 ? (double)capacity / ((double)told * 1e9) : 1;
    if (ratio < 0.95 || ratio > 1.1)
        find(c, "memory.dram.capacity_bytes is %.4g times the %lld GB of its name", ratio, (long long)told);
}

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
        check_express(c, &m->links[i]);
    for (size_t i = 0; i < m->link_count; i++)
        if (m->levels[0].bytes_per_s != RIDGE_MACHINE_UNKNOWN && m->links[i].bytes_per_s > m->levels[0].bytes_per_s)
            find(c, "links.%s.bytes_per_s is more than main memory's", ridge_link_kind_names[m->links[i].kind]);
}

/* what was reached with numbers that a narrower format is no slower in */
static void check_beaten(checker *c, ridge_precision narrow, ridge_precision wide)
{
    int64_t got = c->machine->achieved.flops_per_s[wide], bound = peak(c, narrow);
    if (bound != RIDGE_MACHINE_UNKNOWN && got > bound)
        find(c, "achieved.flops_per_s.%s is more than peak_flops_per_s.%s, which bounds a narrower format", ridge_precision_names[wide],
             ridge_precision_names[narrow]);
}

/* a measurement beats no bound: its own peak, that of a narrower format, that of a wider one that stands in for what the chip lacks */
static void check_achieved(checker *c)
{
    const ridge_machine_achieved *a = &c->machine->achieved;
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++) {
        if (peak(c, (ridge_precision)p) != RIDGE_MACHINE_UNKNOWN && a->flops_per_s[p] > peak(c, (ridge_precision)p))
            find(c, "achieved.flops_per_s.%s is more than the peak", ridge_precision_names[p]);
        if (a->flops_per_s[p] != RIDGE_MACHINE_UNKNOWN && c->machine->lacks[p])
            find(c, "achieved.flops_per_s.%s was reached with units that \"lacks\" says are not there", ridge_precision_names[p]);
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        check_beaten(c, steps[i].narrow, steps[i].wide);
    if (c->machine->levels[0].bytes_per_s != RIDGE_MACHINE_UNKNOWN && a->bytes_per_s > c->machine->levels[0].bytes_per_s)
        find(c, "achieved.bytes_per_s is more than main memory's");
}

/* ---- what cannot be said of it ---- */

/* formats that are neither given nor lacked: "bf16 fp16 fp8" */
static void miss_peaks(checker *c)
{
    char names[128] = "";
    size_t n = 0;
    for (unsigned p = RIDGE_PRECISION_FP32; p < RIDGE_PRECISION_COUNT; p++)
        if (peak(c, (ridge_precision)p) == RIDGE_MACHINE_UNKNOWN && !c->machine->lacks[p])
            n += (size_t)snprintf(names + n, sizeof names - n, " %s", ridge_precision_names[p]);
    if (n > 0)
        miss(c, "no peak, and not in \"lacks\":%s; bound by the memory alone there", names);
}

static void miss_parts(checker *c)
{
    const ridge_machine *m = c->machine;
    const ridge_machine_link *link = ridge_machine_link_find(m, RIDGE_LINK_DEVICE);
    miss_peaks(c);
    if (m->levels[0].bytes_per_s == RIDGE_MACHINE_UNKNOWN)
        miss(c, "no memory.dram.bytes_per_s: bound by the arithmetic alone");
    if (m->levels[0].capacity_bytes == RIDGE_MACHINE_UNKNOWN)
        miss(c, "no memory.dram.capacity_bytes: whether a model fits is not known");
    if (strcmp(m->kind, "gpu") == 0 && m->compute_units == RIDGE_MACHINE_UNKNOWN)
        miss(c, "no compute_units: estimates cut no tiles and no waves");
    if (strcmp(m->kind, "gpu") == 0 && (!link || link->bytes_per_s == RIDGE_MACHINE_UNKNOWN))
        miss(c, "no link between devices: several of them need its bandwidth");
}

ridge_status ridge_machine_check(ridge_words *out, ridge_words *gaps, const ridge_machine *machine, ridge_arena *arena, ridge_err *err)
{
    checker c = {out, gaps, machine, arena, false};
    *out = (ridge_words){0};
    if (gaps)
        *gaps = (ridge_words){0};
    check_numbers(&c);
    check_peaks(&c);
    check_units(&c);
    check_name(&c);
    check_ridge_point(&c);
    check_memory(&c);
    check_achieved(&c);
    miss_parts(&c);
    return c.failed ? ridge_no_memory(err) : RIDGE_OK;
}

/* ---- several machines ---- */

static ridge_status check_one(ridge_checked_machine *out, ridge_machines *machines, const char *name, ridge_arena *arena, ridge_err *err)
{
    ridge_err cause = {0};
    char text[1200];
    *out = (ridge_checked_machine){.id = name};
    if (ridge_machines_find(&out->machine, machines, name, &cause) == RIDGE_OK) {
        out->id = out->machine->id;
        out->unverified = (ridge_words){out->machine->unverified, out->machine->unverified_count};
        ridge_status st = ridge_machine_check(&out->findings, &out->gaps, out->machine, arena, err);
        return st ? st : ridge_machine_unknown(&out->unknown, out->machine, arena, err);
    }
    if (cause.code == RIDGE_NOMEM)
        return ridge_no_memory(err); /* nothing is wrong with the machine */
    (void)ridge_err_format(text, sizeof text, &cause, "");
    const char *copy = ridge_arena_strdup(arena, ridge_str_of(text));
    return copy ? ridge_words_add(&out->findings, copy, arena, err) : ridge_no_memory(err);
}

ridge_status ridge_machine_check_make(ridge_machine_check_answer *out, ridge_machines *machines, const ridge_words *names,
                                      ridge_arena *arena, ridge_err *err)
{
    size_t count = names->count > 0 ? names->count : ridge_machines_count(machines);
    ridge_status st = RIDGE_OK;
    *out = (ridge_machine_check_answer){.machines = ridge_arena_array(arena, count + 1, sizeof *out->machines), .count = count};
    if (!out->machines)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++) {
        const char *name = names->count > 0 ? names->items[i] : ridge_machines_id(machines, i);
        st = check_one(&out->machines[i], machines, name, arena, err);
        out->wrong += out->machines[i].findings.count > 0;
    }
    return st;
}

#define CHECKED ridge_checked_machine
static const ridge_record_field checked_fields[] = {
    RIDGE_R_TEXT(CHECKED, id, "id", NULL, RIDGE_IN_JSON, "the machine, or its file where that cannot be read"),
    RIDGE_R_TEXTS(CHECKED, findings, "findings", NULL, RIDGE_IN_JSON, "what is wrong"),
    RIDGE_R_TEXTS(CHECKED, gaps, "gaps", NULL, RIDGE_IN_JSON, "what cannot be said of it, and why: nothing is wrong"),
    RIDGE_R_TEXTS(CHECKED, unknown, "unknown", NULL, RIDGE_IN_JSON, "numbers that nobody gives", .compact = true),
    RIDGE_R_TEXTS(CHECKED, unverified, "unverified", NULL, RIDGE_IN_JSON, "numbers not checked at their source", .compact = true),
};
static const ridge_record checked_record = RIDGE_RECORD(CHECKED, "checked machine", checked_fields, "what is wrong with a machine");

#define ANSWER ridge_machine_check_answer
static const ridge_record_field check_fields[] = {
    RIDGE_R_LIST(ANSWER, machines, count, &checked_record, "machines", RIDGE_IN_JSON, "those that were checked", .open = true),
};
const ridge_record ridge_machine_check_record = RIDGE_RECORD(ANSWER, "ridge machine check", check_fields, "what is wrong with machines");

/* an error says itself where it is */
static void add_text(ridge_buf *out, const ridge_checked_machine *c, size_t width)
{
    if (!c->machine) {
        ridge_buf_addf(out, "%s\n", c->findings.items[0]);
        return;
    }
    for (size_t i = 0; i < c->findings.count; i++)
        ridge_buf_addf(out, "%s: %s\n", c->id, c->findings.items[i]);
    for (size_t i = 0; i < c->gaps.count; i++)
        ridge_buf_addf(out, "%s: gap: %s\n", c->id, c->gaps.items[i]);
    ridge_buf_addf(out, "%s: %s; %zu %s not verified\n", c->id, c->findings.count == 0 ? "fine" : "wrong", c->unverified.count,
                   c->unverified.count == 1 ? "number" : "numbers");
    ridge_machine_unknown_text(out, &c->unknown, width);
}

void ridge_machine_check_text(ridge_buf *out, const ridge_machine_check_answer *answer, size_t width)
{
    for (size_t i = 0; i < answer->count; i++)
        add_text(out, &answer->machines[i], width);
}
