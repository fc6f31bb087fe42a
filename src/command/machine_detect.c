/* ridge machine detect: this machine, or a recorded one, on one screen (machine/detect/detect.h). */
#include "machine/detect/detect.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "machine/fields.h"
#include "report/table.h"

enum { GAP = 14, WIDTH = 80 };

typedef struct detect_view {
    const char *from, *record;
    int64_t bandwidth;
    bool save, no_gpus;
} detect_view;

typedef struct detect_args {
    ridge_words words;
    ridge_output_args output;
    detect_view view;
} detect_args;

static const ridge_option detect_options[] = {
    RIDGE_STRING(detect_view, from, "from", 0, "DIR", "describe the machine recorded in DIR"),
    RIDGE_STRING(detect_view, record, "record", 0, "DIR", "write what is read of this machine to DIR, without serial numbers and names"),
    RIDGE_FLAG(detect_view, save, "save", 0, "keep it as the machine 'this', for --on this"),
    RIDGE_INT(detect_view, bandwidth, "bandwidth", 0, "N", 1000000, INT64_MAX, "bytes per second that main memory delivers: 40G, 307200M"),
    RIDGE_FLAG(detect_view, no_gpus, "no-gpus", 0, "do not look for NVIDIA GPUs"),
    RIDGE_OPTION_END,
};

/* ---- text ---- */

static void row(ridge_io *io, const char *name, const char *text)
{
    if (text)
        ridge_text_row(&io->data, name, text, GAP, WIDTH);
}

static const char *or_unknown(const char *text)
{
    return text ? text : "unknown";
}

/* "2 sockets", "1 thread", "? cores" */
static const char *count(ridge_io *io, int64_t n, const char *what)
{
    return n == RIDGE_MACHINE_UNKNOWN ? ridge_arena_printf(&io->arena, "? %ss", what)
                                      : ridge_arena_printf(&io->arena, "%lld %s%s", (long long)n, what, n == 1 ? "" : "s");
}

/* whole binary units where they are whole enough: "32 KiB", "23.54 GiB" */
static const char *binary(ridge_io *io, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t u = 0;
    if (bytes == RIDGE_MACHINE_UNKNOWN)
        return "unknown";
    for (; value >= 1024 && u + 1 < sizeof units / sizeof *units; u++)
        value /= 1024;
    return ridge_arena_printf(&io->arena, "%.4g %s", value, units[u]);
}

static const char *gigahertz(ridge_io *io, int64_t hz)
{
    return ridge_arena_printf(&io->arena, "%.4g GHz", (double)hz / 1e9);
}

static const char *cpu_name(ridge_io *io, const ridge_detected_cpu *c)
{
    if (c->family == RIDGE_MACHINE_UNKNOWN)
        return or_unknown(c->brand);
    return ridge_arena_printf(
        &io->arena,
        c->is_arm ? "%s (%s, implementer 0x%llx, part 0x%llx, revision %lld)" : "%s (%s, family %lld, model %lld, stepping %lld)",
        or_unknown(c->brand), or_unknown(c->microarchitecture), (long long)c->family, (long long)c->model, (long long)c->stepping);
}

static void write_cpu(ridge_io *io, const ridge_detected *d)
{
    const ridge_detected_cpu *c = &d->cpu;
    ridge_buf isa = {0};
    row(io, "CPU", cpu_name(io, c));
    row(io, "cores",
        ridge_arena_printf(&io->arena, "%s, %s, %s, %s (%s)%s", count(io, c->sockets, "socket"), count(io, c->cores, "core"),
                           count(io, c->threads, "thread"), count(io, c->numa_nodes, "NUMA node"), or_unknown(c->topology_source),
                           c->is_hybrid ? "; of several kinds" : ""));
    row(io, "clock",
        c->clock_hz == RIDGE_MACHINE_UNKNOWN ? "unknown"
                                             : ridge_arena_printf(&io->arena, "%s (%s)%s%s", gigahertz(io, c->clock_hz), c->clock_source,
                                                                  c->max_clock_hz > c->clock_hz ? ", at most " : "",
                                                                  c->max_clock_hz > c->clock_hz ? gigahertz(io, c->max_clock_hz) : ""));
    for (unsigned i = 0; i < RIDGE_CPU_ISA_COUNT; i++)
        if ((c->isa >> i & 1) != 0)
            ridge_buf_addf(&isa, "%s%s", isa.n > 0 ? " " : "", ridge_cpu_isa_names[i]);
    row(io, "ISA", isa.p ? isa.p : "unknown");
    ridge_buf_free(&isa);
}

static void write_caches(ridge_io *io, const ridge_detected *d)
{
    ridge_buf text = {0};
    for (size_t i = 0; i < d->cache_count; i++) {
        const ridge_detected_cache *c = &d->caches[i];
        const char *letter = strcmp(c->type, "data") == 0 ? "d" : strcmp(c->type, "instruction") == 0 ? "i" : "";
        ridge_buf_addf(&text, "%sL%lld%s %lld x %s", i > 0 ? ", " : "", (long long)c->level, letter, (long long)c->count,
                       binary(io, c->size_bytes));
    }
    row(io, "caches", text.p ? text.p : "unknown");
    ridge_buf_free(&text);
}

static void write_memory(ridge_io *io, const ridge_detected *d)
{
    const ridge_detected_memory *m = &d->memory;
    ridge_buf text = {0};
    ridge_buf_addz(&text, binary(io, m->total_bytes));
    if (m->available_bytes != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, ", %s available", binary(io, m->available_bytes));
    if (m->huge_pages_total > 0)
        ridge_buf_addf(&text, "; %lld huge pages of %s", (long long)m->huge_pages_total, binary(io, m->huge_page_bytes));
    if (m->transparent_huge_pages)
        ridge_buf_addf(&text, "; transparent huge pages: %s", m->transparent_huge_pages);
    row(io, "memory", text.p);
    text.n = 0;
    if (m->channels != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, "%lld in %lld channels at %lld MT/s", (long long)m->modules, (long long)m->channels,
                       (long long)(m->transfers_per_s / 1000000));
    if (text.n > 0)
        row(io, "modules", text.p);
    ridge_buf_free(&text);
}

static void write_limits(ridge_io *io, const ridge_detected *d)
{
    ridge_buf text = {0};
    if (d->usable_threads != RIDGE_MACHINE_UNKNOWN && d->usable_threads < d->cpu.threads)
        ridge_buf_addf(&text, "%lld of %lld threads (cpuset)", (long long)d->usable_threads, (long long)d->cpu.threads);
    if (d->quota_millicpus != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, "%s%.4g CPUs (cgroup quota)", text.n > 0 ? ", " : "", (double)d->quota_millicpus / 1000);
    if (d->memory.limit_bytes != RIDGE_MACHINE_UNKNOWN)
        ridge_buf_addf(&text, "%s%s of memory (cgroup)", text.n > 0 ? ", " : "", binary(io, d->memory.limit_bytes));
    row(io, "limits", text.p ? text.p : "none found");
    ridge_buf_free(&text);
}

static void write_host(ridge_io *io, const char *name, const ridge_detected_host *host)
{
    row(io, name, host->name ? ridge_arena_printf(&io->arena, "%s (%s)", host->name, host->evidence) : "none found");
}

static void write_gpus(ridge_io *io, const ridge_detected *d)
{
    if (d->gpu_count == 0)
        row(io, "GPUs", d->gpu_note);
    for (size_t i = 0; i < d->gpu_count; i++) {
        const ridge_detected_gpu *g = &d->gpus[i];
        ridge_buf text = {0};
        ridge_buf_addf(&text, "%s, %s", or_unknown(g->name), binary(io, g->memory_total_bytes));
        if (g->compute_major != RIDGE_MACHINE_UNKNOWN && g->compute_minor != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(&text, ", compute %lld.%lld", (long long)g->compute_major, (long long)g->compute_minor);
        if (g->sm_clock_max_hz != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(&text, ", %s", gigahertz(io, g->sm_clock_max_hz));
        if (g->power_limit_w != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(&text, ", %lld W", (long long)g->power_limit_w);
        if (g->pcie_generation != RIDGE_MACHINE_UNKNOWN && g->pcie_width != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(&text, ", PCIe %lld.0 x%lld", (long long)g->pcie_generation, (long long)g->pcie_width);
        if (g->machine)
            ridge_buf_addf(&text, ": --on %s", g->machine);
        else
            ridge_buf_addz(&text, ": no machine file of this name");
        row(io, i == 0 ? "GPUs" : "", text.p);
        ridge_buf_free(&text);
    }
    if (d->gpu_count > 0 && d->gpu_driver)
        row(io, "", ridge_arena_printf(&io->arena, "driver %s", d->gpu_driver));
}

static void write_source(ridge_io *io, const ridge_machine *m, const char *field)
{
    for (size_t i = 0; i < m->source_count; i++)
        if (strcmp(m->sources[i].field, field) == 0)
            row(io, "", m->sources[i].text);
}

static void write_peaks(ridge_io *io, const ridge_detected *d)
{
    const ridge_machine *m = &d->machine;
    int64_t bandwidth = m->levels[0].bytes_per_s;
    ridge_buf text = {0};
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (m->peak_flops_per_s[p] != RIDGE_MACHINE_UNKNOWN)
            ridge_buf_addf(&text, "%s%s %sFLOP/s", text.n > 0 ? ", " : "", ridge_precision_names[p],
                           ridge_units(&io->arena, m->peak_flops_per_s[p]));
    row(io, "peaks", text.p ? text.p : "unknown");
    ridge_buf_free(&text);
    write_source(io, m, "peak_flops_per_s.fp32");
    row(io, "bandwidth",
        bandwidth == RIDGE_MACHINE_UNKNOWN ? "unknown" : ridge_arena_printf(&io->arena, "%s/s", ridge_units_bytes(&io->arena, bandwidth)));
    write_source(io, m, "memory.dram.bytes_per_s");
}

static void write_text(ridge_io *io, const ridge_detected *d)
{
    write_cpu(io, d);
    write_caches(io, d);
    write_memory(io, d);
    write_limits(io, d);
    write_host(io, "container", &d->container);
    write_host(io, "VM", &d->virtual_machine);
    write_gpus(io, d);
    write_peaks(io, d);
    for (size_t i = 0; i < d->note_count; i++)
        row(io, i == 0 ? "notes" : "", d->notes[i]);
}

/* ---- the command ---- */

static void write_json(ridge_io *io, const ridge_detected *d, const char *saved)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, &io->data);
    ridge_machine_json_members(&w, &d->machine);
    ridge_detected_json(&w, d);
    ridge_jw_member_text(&w, "saved", saved);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&io->data, '\n');
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const detect_args *args = values;
    const detect_view *view = &args->view;
    ridge_detect_options options = {view->from, view->record, view->bandwidth, view->no_gpus};
    ridge_detected *d;
    const char *saved = NULL;
    if (view->from && view->record)
        return ridge_fail(err, RIDGE_USAGE, "--from and --record exclude each other: a recorded machine is recorded already");
    ridge_status st = ridge_detect(&d, &options, &io->arena, err);
    if (!st && view->save)
        st = ridge_detected_save(&saved, d, &io->arena, err);
    if (st)
        return st;
    if (args->output.as == RIDGE_OUTPUT_JSON) {
        write_json(io, d, saved);
        return RIDGE_OK;
    }
    write_text(io, d);
    if (view->record)
        row(io, "recorded", view->record);
    if (saved)
        row(io, "saved",
            ridge_arena_printf(
                &io->arena, "%s%s", saved,
                d->machine.levels[0].bytes_per_s != RIDGE_MACHINE_UNKNOWN ? "" : "; --on this wants the bandwidth too (--bandwidth N)"));
    return RIDGE_OK;
}

const ridge_command ridge_cmd_machine_detect = {
    .name = "detect",
    .summary = "this machine: cores, caches, ISA, memory, limits, GPUs",
    .example = "ridge machine detect --save --bandwidth 40G",
    .details =
        "Reads /proc, /sys, cpuid, hwloc and the NVIDIA driver; says whether this is a container or a virtual machine, and what shows it. "
        "Peaks are computed (cores x clock x FLOP per cycle) and marked unverified; what is not known stays unknown.",
    .operands = {NULL, NULL, 0, 0, 0, false},
    .tables =
        {
            RIDGE_TABLE(ridge_options_json, offsetof(detect_args, output), NULL),
            RIDGE_TABLE(detect_options, offsetof(detect_args, view), NULL),
        },
    .args_size = sizeof(detect_args),
    .run = run,
};
