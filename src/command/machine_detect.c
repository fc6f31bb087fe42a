/* ridge machine detect: this machine, or a recorded one, on one screen (machine/detect/detect.h). */
#include "machine/detect/detect.h"

#include "command/machine.h"
#include "machine/fields.h"
#include "report/text.h"

enum { GAP = 14 };

typedef struct machine_detect_request {
    ridge_detect_options detect;
    bool save;
} machine_detect_request;

static const ridge_option options[] = {
    RIDGE_FLAG(machine_detect_request, save, "save", 0, "keep it as the machine 'this', for " RIDGE_OPT("on") " this",
               .reach = RIDGE_REACH_KEPT),
    RIDGE_OPTION_END,
};

typedef struct machine_detect_answer {
    const ridge_detected *detected;
    const char *saved;
} machine_detect_answer;

static const ridge_record_field fields[] = {
    RIDGE_R_THROUGH(machine_detect_answer, detected, &ridge_detected_record, RIDGE_IN_JSON),
    RIDGE_R_TEXT(machine_detect_answer, saved, "saved", NULL, RIDGE_IN_JSON, "the file that it was kept in"),
};
static const ridge_record record =
    RIDGE_RECORD(machine_detect_answer, "ridge machine detect", fields, "the machine that the program runs on");

/* ---- text ---- */

/* text NULL: there is nothing to say */
static void row(ridge_call *call, const char *name, const char *text)
{
    if (text)
        ridge_text_row(&call->data, name, text, GAP, (size_t)call->line);
}

/* what was gathered, or what is said where that is nothing */
static void row_of(ridge_call *call, const char *name, ridge_buf *text, const char *otherwise)
{
    row(call, name, text->n > 0 ? text->p : otherwise);
    call->data.failed |= text->failed;
    ridge_buf_free(text);
}

static const char *or_unknown(const char *text)
{
    return text ? text : "unknown";
}

/* ", " between what is gathered */
static const char *comma(const ridge_buf *text)
{
    return text->n > 0 ? ", " : "";
}

/* "2 sockets", "1 thread", "? cores" */
static const char *count(ridge_call *call, int64_t n, const char *what)
{
    return n == RIDGE_MACHINE_UNKNOWN ? ridge_arena_printf(&call->arena, "? %ss", what)
                                      : ridge_arena_printf(&call->arena, "%lld %s%s", (long long)n, what, RIDGE_PLURAL(n));
}

static const char *number(ridge_call *call, ridge_unit unit, int64_t value)
{
    return value == RIDGE_MACHINE_UNKNOWN ? "unknown" : ridge_unit_text_int(&call->arena, unit, value);
}

static const char *cpu_name(ridge_call *call, const ridge_detected_cpu *c)
{
    if (c->family == RIDGE_MACHINE_UNKNOWN)
        return or_unknown(c->brand);
    return ridge_arena_printf(
        &call->arena,
        c->is_arm ? "%s (%s, implementer 0x%llx, part 0x%llx, revision %lld)" : "%s (%s, family %lld, model %lld, stepping %lld)",
        or_unknown(c->brand), or_unknown(c->microarchitecture), (long long)c->family, (long long)c->model, (long long)c->stepping);
}

static void write_cpu(ridge_call *call, const ridge_detected_cpu *c)
{
    ridge_buf clock = {0}, isa = {0};
    row(call, "CPU", cpu_name(call, c));
    row(call, "cores",
        ridge_arena_printf(&call->arena, "%s, %s, %s, %s (%s)%s", count(call, c->sockets, "socket"), count(call, c->cores, "core"),
                           count(call, c->threads, "thread"), count(call, c->numa_nodes, "NUMA node"), or_unknown(c->topology_source),
                           c->is_hybrid ? "; of several kinds" : ""));
    if (c->clock_hz != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&clock, "%s (%s)", number(call, RIDGE_UNIT_HERTZ, c->clock_hz), c->clock_source);
    if (clock.n > 0 && c->max_clock_hz > c->clock_hz)
        ridge_buf_addf(&clock, ", at most %s", number(call, RIDGE_UNIT_HERTZ, c->max_clock_hz));
    row_of(call, "clock", &clock, "unknown");
    for (unsigned i = 0; i < RIDGE_CPU_ISA_COUNT; i++)
        if ((c->isa >> i & 1) != 0)
            ridge_buf_addf(&isa, "%s%s", isa.n > 0 ? " " : "", ridge_cpu_isa_names[i]);
    row_of(call, "ISA", &isa, "unknown");
}

static void write_caches(ridge_call *call, const ridge_detected *d)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < d->cache_count; i++) {
        const ridge_detected_cache *c = &d->caches[i];
        const char *letter = strcmp(c->type, "data") == 0 ? "d" : strcmp(c->type, "instruction") == 0 ? "i" : "";
        ridge_buf_addf(&text, "%sL%lld%s %lld x %s", comma(&text), (long long)c->level, letter, (long long)c->count,
                       number(call, RIDGE_UNIT_CAPACITY, c->size_bytes));
    }
    row_of(call, "caches", &text, "unknown");
}

static void write_memory(ridge_call *call, const ridge_detected_memory *m)
{
    ridge_buf text = {0};
    ridge_buf_addz(&text, number(call, RIDGE_UNIT_CAPACITY, m->total_bytes));
    if (m->available_bytes != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, ", %s available", number(call, RIDGE_UNIT_CAPACITY, m->available_bytes));
    if (m->huge_pages_total > 0)
        ridge_buf_addf(&text, "; %lld huge pages of %s", (long long)m->huge_pages_total,
                       number(call, RIDGE_UNIT_CAPACITY, m->huge_page_bytes));
    if (m->transparent_huge_pages)
        ridge_buf_addf(&text, "; transparent huge pages: %s", m->transparent_huge_pages);
    row_of(call, "memory", &text, NULL);
    if (m->channels != RIDGE_MACHINE_UNKNOWN)
        row(call, "modules",
            ridge_arena_printf(&call->arena, "%lld in %lld channels at %lld MT/s", (long long)m->modules, (long long)m->channels,
                               (long long)(m->transfers_per_s / 1000000)));
}

static void write_limits(ridge_call *call, const ridge_detected *d)
{
    ridge_buf text = {0};
    if (d->usable_threads != RIDGE_MACHINE_UNKNOWN && d->usable_threads < d->cpu.threads)
        ridge_buf_addf(&text, "%lld of %lld threads (cpuset)", (long long)d->usable_threads, (long long)d->cpu.threads);
    if (d->quota_millicpus != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, "%s%.4g CPUs (cgroup quota)", comma(&text), (double)d->quota_millicpus / 1000);
    if (d->memory.limit_bytes != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, "%s%s of memory (cgroup)", comma(&text), number(call, RIDGE_UNIT_CAPACITY, d->memory.limit_bytes));
    row_of(call, "limits", &text, "none found");
}

static void write_host(ridge_call *call, const char *name, const ridge_detected_host *host)
{
    row(call, name, host->name ? ridge_arena_printf(&call->arena, "%s (%s)", host->name, host->evidence) : "none found");
}

static void write_gpu(ridge_call *call, const char *name, const ridge_detected_gpu *g)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "%s, %s", or_unknown(g->name), number(call, RIDGE_UNIT_CAPACITY, g->memory_total_bytes));
    if (g->compute_major != RIDGE_MACHINE_UNKNOWN && g->compute_minor != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, ", compute %lld.%lld", (long long)g->compute_major, (long long)g->compute_minor);
    if (g->sm_clock_max_hz != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, ", %s", number(call, RIDGE_UNIT_HERTZ, g->sm_clock_max_hz));
    if (g->power_limit_w != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, ", %s", number(call, RIDGE_UNIT_WATTS, g->power_limit_w));
    if (g->pcie_generation != RIDGE_MACHINE_UNKNOWN && g->pcie_width != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, ", PCIe %lld.0 x%lld", (long long)g->pcie_generation, (long long)g->pcie_width);
    ridge_buf_addf(&text, ": %s%s", g->machine ? RIDGE_OPT("on") " " : "no machine file of this name", g->machine ? g->machine : "");
    row_of(call, name, &text, NULL);
}

static void write_gpus(ridge_call *call, const ridge_detected *d)
{
    if (d->gpu_count == 0)
        row(call, "GPUs", d->gpu_note);
    for (size_t i = 0; i < d->gpu_count; i++)
        write_gpu(call, i == 0 ? "GPUs" : "", &d->gpus[i]);
    if (d->gpu_count > 0 && d->gpu_driver)
        row(call, "", ridge_arena_printf(&call->arena, "driver %s", d->gpu_driver));
}

static void write_peaks(ridge_call *call, const ridge_machine *m)
{
    ridge_buf text = {0};
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (m->peak_flops_per_s[p] != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(&text, "%s%s %s", comma(&text), ridge_precision_names[p],
                           number(call, RIDGE_UNIT_FLOPS_PER_S, m->peak_flops_per_s[p]));
    row_of(call, "peaks", &text, "unknown");
    row(call, "", ridge_field_source(m, RIDGE_FIELD_PEAK + RIDGE_PRECISION_FP32));
    row(call, "bandwidth", number(call, RIDGE_UNIT_BYTES_PER_S, m->levels[0].bytes_per_s));
    row(call, "", ridge_field_source(m, RIDGE_FIELD_MEMORY + 2 * RIDGE_LEVEL_DRAM));
}

static void write_text(ridge_call *call, const ridge_detected *d)
{
    write_cpu(call, &d->cpu);
    write_caches(call, d);
    write_memory(call, &d->memory);
    write_limits(call, d);
    write_host(call, "container", &d->container);
    write_host(call, "VM", &d->virtual_machine);
    write_gpus(call, d);
    write_peaks(call, &d->machine);
    for (size_t i = 0; i < d->note_count; i++)
        row(call, i == 0 ? "notes" : "", d->notes[i]);
}

/* ---- the command ---- */

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const machine_detect_request *r = values;
    ridge_detected *d;
    machine_detect_answer answer = {0};
    ridge_status st = ridge_detect(&d, &r->detect, &call->arena, err);
    if (!st && r->save)
        st = ridge_detected_save(&answer.saved, d, &call->arena, err);
    if (st)
        return st;
    answer.detected = d;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &record, &answer);
    bool usable = d->machine.levels[0].bytes_per_s != RIDGE_MACHINE_UNKNOWN;
    write_text(call, d);
    row(call, "recorded", r->detect.record);
    if (answer.saved)
        row(call, "saved",
            ridge_arena_printf(&call->arena, "%s%s", answer.saved,
                               usable ? "" : "; " RIDGE_OPT("on") " this wants the bandwidth too (" RIDGE_OPT("bandwidth") " N)"));
    return RIDGE_OK;
}

const ridge_command ridge_cmd_machine_detect = {
    .name = "detect",
    .summary = "this machine: cores, caches, ISA, memory, limits, GPUs",
    .example = "ridge machine detect --save --bandwidth 40G",
    .details =
        "Reads /proc, /sys, cpuid, hwloc and the NVIDIA driver; says whether this is a container or a virtual machine, and what shows it. "
        "Peaks are computed (cores x clock x FLOP per cycle) and marked unverified; what is not known stays unknown.",
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_json, NULL)},
               {RIDGE_TABLE(ridge_options_detect, offsetof(machine_detect_request, detect), NULL)},
               {RIDGE_TABLE(options, 0, NULL)}},
    .request_size = sizeof(machine_detect_request),
    .run = run,
    .records = {&record},
};
