/* What the machine can do, from what it is: peaks = cores x clock x FLOP per cycle, main memory = channels x rate x width. Each such
 * number says so in its source and is marked unverified: nobody measured it. */
#include "machine/detect/parts.h"
#include "machine/fields.h"
#include "machine/folder.h"

/* source of a number; `derived`: computed or recalled, so unverified */
static void say(ridge_detection *x, ridge_machine_field field, bool derived, const char *text)
{
    const char *name = ridge_machine_fields[field].key;
    ridge_machine *m = &x->d->machine;
    m->sources[m->source_count++] = (ridge_machine_source){name, text ? text : ""};
    if (derived)
        m->unverified[m->unverified_count++] = name;
}

/* "2", "1.5" */
static const char *cores_text(ridge_detection *x, int64_t millicores)
{
    return millicores % 1000 == 0 ? ridge_arena_printf(x->arena, "%lld", (long long)(millicores / 1000))
                                  : ridge_arena_printf(x->arena, "%.3g", (double)millicores / 1000);
}

/* ---- peaks ---- */

static bool has_instructions(ridge_precision p, uint32_t isa)
{
    static const uint32_t bits[RIDGE_PRECISION_COUNT] = {
        [RIDGE_PRECISION_BF16] = 1u << RIDGE_CPU_ISA_AVX512_BF16 | 1u << RIDGE_CPU_ISA_AMX_BF16 | 1u << RIDGE_CPU_ISA_BF16,
        [RIDGE_PRECISION_FP16] = 1u << RIDGE_CPU_ISA_AVX512_FP16 | 1u << RIDGE_CPU_ISA_AMX_FP16 | 1u << RIDGE_CPU_ISA_NEON_FP16,
        [RIDGE_PRECISION_INT8] = 1u << RIDGE_CPU_ISA_AVX512_VNNI | 1u << RIDGE_CPU_ISA_AVX_VNNI | 1u << RIDGE_CPU_ISA_AMX_INT8 |
                                 1u << RIDGE_CPU_ISA_DOTPROD | 1u << RIDGE_CPU_ISA_I8MM,
        [RIDGE_PRECISION_FP64] = 1u << RIDGE_CPU_ISA_FMA | 1u << RIDGE_CPU_ISA_NEON,
        [RIDGE_PRECISION_FP32] = 1u << RIDGE_CPU_ISA_FMA | 1u << RIDGE_CPU_ISA_NEON,
    };
    return (isa & bits[p]) != 0;
}

/* why no peak can be told at all; NULL where it can */
static const char *no_peaks(ridge_detection *x, const ridge_march *march)
{
    const ridge_detected *d = x->d;
    const ridge_detected_cpu *c = &d->cpu;
    if (c->is_hybrid)
        return "its cores are of several kinds";
    if (!march)
        return !c->vendor ? "the CPU is not known"
                          : ridge_arena_printf(x->arena, "its microarchitecture is not in the table (%s, family 0x%llx, model 0x%llx)",
                                               c->vendor, (unsigned long long)c->family, (unsigned long long)c->model);
    if (!march->rates)
        return march->source;
    if (d->usable_millicores == RIDGE_MACHINE_UNKNOWN)
        return "the number of physical cores is not known";
    if (c->clock_hz == RIDGE_MACHINE_UNKNOWN)
        return "the clock is not known";
    return NULL;
}

/* millicores x Hz x FLOP/cycle / 1000; false: over 63 bits */
static bool multiply(int64_t *out, int64_t millicores, int64_t hz, int64_t per_cycle)
{
    ridge_int value = (ridge_int)millicores * hz;
    if (!ridge_int_mul(&value, value, per_cycle) || value / 1000 > INT64_MAX)
        return false;
    *out = (int64_t)(value / 1000);
    return true;
}

static void derive_peak(ridge_detection *x, ridge_precision p, const ridge_march *march)
{
    const ridge_detected *d = x->d;
    const ridge_march_rate *rate = ridge_march_rate_find(march, p, d->cpu.isa);
    int64_t *peak = &x->d->machine.peak_flops_per_s[p];
    if (!rate || !multiply(peak, d->usable_millicores, d->cpu.clock_hz, rate->per_cycle))
        return;
    say(x, RIDGE_FIELD_PEAK + p, true,
        ridge_arena_printf(x->arena, "derived: %s core%s x %.4g GHz x %lld %s/cycle (%s: %s); %s", cores_text(x, d->usable_millicores),
                           d->usable_millicores == 1000 ? "" : "s", (double)d->cpu.clock_hz / 1e9, (long long)rate->per_cycle,
                           p == RIDGE_PRECISION_INT8 ? "OP" : "FLOP", march->name, rate->units, march->source));
}

/* of the precisions that CPUs may have, those without a peak and why */
static void note_missing(ridge_detection *x)
{
    static const ridge_precision all[] = {RIDGE_PRECISION_FP64, RIDGE_PRECISION_FP32, RIDGE_PRECISION_BF16, RIDGE_PRECISION_FP16,
                                          RIDGE_PRECISION_INT8};
    ridge_buf lacks = {0}, open = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool has = has_instructions(all[i], x->d->cpu.isa);
        ridge_buf *list = has ? &open : &lacks;
        if (x->d->machine.peak_flops_per_s[all[i]] == RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(list, "%s%s", list->n > 0 ? ", " : "", ridge_precision_names[all[i]]);
    }
    if (lacks.n > 0)
        ridge_detect_note(x, "no %s peak: this CPU has no multiply-add of it", lacks.p);
    if (open.n > 0)
        ridge_detect_note(x, "no %s peak: how fast this CPU's instructions for it are is not in the table", open.p);
    ridge_buf_free(&lacks);
    ridge_buf_free(&open);
}

/* narrow formats without instructions: they are widened to fp32 first */
static void derive_lacks(ridge_detection *x)
{
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT && x->d->cpu.isa != 0; p++)
        x->d->machine.lacks[p] = ridge_precision_bits[p] < 32 && !has_instructions((ridge_precision)p, x->d->cpu.isa);
}

static void derive_peaks(ridge_detection *x)
{
    derive_lacks(x);
    const ridge_march *march = ridge_march_find(&x->d->cpu);
    const char *reason = no_peaks(x, march);
    if (reason) {
        ridge_detect_note(x, "no peak rates: %s", reason);
        return;
    }
    for (unsigned p = 0; p < RIDGE_PRECISION_COUNT; p++)
        derive_peak(x, (ridge_precision)p, march);
    note_missing(x);
}

/* ---- memory ---- */

static void add_level(ridge_detection *x, unsigned level, int64_t capacity, const char *source)
{
    ridge_machine *m = &x->d->machine;
    m->levels[m->level_count++] =
        (ridge_machine_level){.name = ridge_level_names[level], .bytes_per_s = RIDGE_MACHINE_UNKNOWN, .capacity_bytes = capacity};
    if (capacity != RIDGE_MACHINE_UNKNOWN)
        say(x, RIDGE_FIELD_MEMORY + 2 * level + 1, false, source);
}

/* the sum over the instances of one level, instruction caches left out */
static void add_caches(ridge_detection *x, unsigned level, int64_t number)
{
    const ridge_detected *d = x->d;
    ridge_int sum = 0;
    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level == number && strcmp(d->caches[i].type, "instruction") != 0)
            sum += (ridge_int)d->caches[i].size_bytes * d->caches[i].count;
    if (sum > 0 && sum <= INT64_MAX)
        add_level(x, level, (int64_t)sum, ridge_arena_printf(x->arena, "%s, sum over the machine", d->cpu.topology_source));
}

static void set_bandwidth(ridge_detection *x, int64_t bytes_per_s, bool derived, const char *source)
{
    x->d->machine.levels[0].bytes_per_s = bytes_per_s;
    say(x, RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_DRAM, derived, source);
}

static void derive_bandwidth(ridge_detection *x)
{
    const ridge_detected_memory *m = &x->d->memory;
    const char *how = "measure it (ridge machine calibrate), or tell it with the option " RIDGE_OPT("bandwidth");
    ridge_int rate = m->channels > 0 ? (ridge_int)m->channels * m->transfers_per_s * m->channel_bits / 8 : 0;
    if (x->bandwidth_bytes_per_s > 0)
        set_bandwidth(x, x->bandwidth_bytes_per_s, true, "told with the option bandwidth");
    else if (x->d->virtual_machine.name)
        ridge_detect_note(x, "no memory bandwidth: a virtual machine does not see its memory modules; %s", how);
    else if (m->modules == RIDGE_MACHINE_UNKNOWN)
        ridge_detect_note(x, "no memory bandwidth: the memory modules cannot be read (/sys/firmware/dmi/entries wants root); %s", how);
    else if (rate <= 0 || rate > INT64_MAX)
        ridge_detect_note(x, "no memory bandwidth: DMI does not tell channel and rate of all %lld modules; %s", (long long)m->modules, how);
    else
        set_bandwidth(x, (int64_t)rate, true,
                      ridge_arena_printf(x->arena, "derived: %lld channels x %lld MT/s x %lld bits (DMI type 17, %lld modules)",
                                         (long long)m->channels, (long long)(m->transfers_per_s / 1000000), (long long)m->channel_bits,
                                         (long long)m->modules));
}

static void derive_memory(ridge_detection *x)
{
    const ridge_detected_memory *m = &x->d->memory;
    bool limited = m->limit_bytes != RIDGE_MACHINE_UNKNOWN;
    add_level(x, RIDGE_LEVEL_DRAM, limited ? m->limit_bytes : m->total_bytes, limited ? "cgroup memory limit" : "/proc/meminfo MemTotal");
    derive_bandwidth(x);
    add_caches(x, RIDGE_LEVEL_LLC, 3);
    add_caches(x, RIDGE_LEVEL_L2, 2);
    add_caches(x, RIDGE_LEVEL_L1, 1);
}

/* ---- the rest ---- */

static void derive_units(ridge_detection *x)
{
    const ridge_detected *d = x->d;
    ridge_machine *m = &x->d->machine;
    if (d->usable_millicores != RIDGE_MACHINE_UNKNOWN) {
        int64_t whole = d->cpu.cores * 1000;
        m->compute_units = (d->usable_millicores + 999) / 1000;
        say(x, RIDGE_FIELD_COMPUTE_UNITS, false,
            d->usable_millicores == whole
                ? ridge_arena_printf(x->arena, "physical cores: %s", d->cpu.topology_source)
                : ridge_arena_printf(x->arena, "%s of %lld physical cores usable: %s", cores_text(x, d->usable_millicores),
                                     (long long)d->cpu.cores, d->quota_millicpus == d->usable_millicores ? "cgroup CPU quota" : "cpuset"));
    }
    if (d->cpu.clock_hz != RIDGE_MACHINE_UNKNOWN) {
        m->clock_hz = d->cpu.clock_hz;
        say(x, RIDGE_FIELD_CLOCK_HZ, false, d->cpu.clock_source);
    }
    size_t kinds = 0, at = 0;
    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level == 1 && strcmp(d->caches[i].type, "data") == 0) {
            kinds++;
            at = i;
        }
    if (kinds == 1) {
        m->shared_bytes = d->caches[at].size_bytes;
        say(x, RIDGE_FIELD_SHARED_BYTES, false, ridge_arena_printf(x->arena, "L1 data cache of one core: %s", d->cpu.topology_source));
    }
}

static void note_limits(ridge_detection *x)
{
    const ridge_detected *d = x->d;
    if (d->cpu.cores != RIDGE_MACHINE_UNKNOWN && d->usable_millicores < d->cpu.cores * 1000)
        ridge_detect_note(x, "peaks are of the %s cores usable here, not of all %lld", cores_text(x, d->usable_millicores),
                          (long long)d->cpu.cores);
    if (d->virtual_machine.name)
        ridge_detect_note(x, "in a virtual machine cores, caches and clock are what the hypervisor shows; a core may be a thread of one");
    if (d->cpu.max_clock_hz > d->cpu.clock_hz && d->cpu.clock_hz != RIDGE_MACHINE_UNKNOWN)
        ridge_detect_note(x, "peaks are stated at the base clock; up to %.4g GHz is possible", (double)d->cpu.max_clock_hz / 1e9);
}

ridge_status ridge_detect_derive(ridge_detection *x)
{
    ridge_machine *m = &x->d->machine;
    const ridge_detected_cpu *c = &x->d->cpu;
    ridge_machine_init(m);
    m->id = RIDGE_MACHINE_THIS;
    m->kind = "cpu";
    m->vendor = c->vendor;
    m->arch = c->microarchitecture;
    m->file = "detected";
    m->name = c->brand ? c->brand : "this machine";
    if (c->sockets > 1)
        m->name = ridge_arena_printf(x->arena, "%lld x %s", (long long)c->sockets, m->name);
    m->sources = ridge_arena_array(x->arena, RIDGE_FIELD_COUNT, sizeof *m->sources);
    m->unverified = ridge_arena_array(x->arena, RIDGE_FIELD_COUNT, sizeof *m->unverified);
    if (!m->name || !m->sources || !m->unverified)
        return ridge_no_memory(x->err);
    derive_peaks(x);
    derive_memory(x);
    derive_units(x);
    note_limits(x);
    m->notes = x->d->notes;
    m->note_count = x->d->note_count;
    return RIDGE_OK;
}
