#include "machine/detect/detect.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "machine/detect/parts.h"
#include "machine/fields.h"
#include "machine/folder.h"

void ridge_detect_note(ridge_detection *x, const char *fmt, ...)
{
    ridge_detected *d = x->d;
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const char *copy = n >= 0 ? ridge_arena_strdup(x->arena, ridge_str_of(text)) : NULL;
    const char **grown = d->notes;
    if (copy && d->note_count == x->note_cap)
        grown = ridge_arena_grow(x->arena, d->notes, d->note_count, &x->note_cap, d->note_count + 1, sizeof *d->notes);
    if (!copy || !grown)
        return;
    d->notes = grown;
    d->notes[d->note_count++] = copy;
}

ridge_status ridge_detect(ridge_detected **out, const ridge_detect_options *options, ridge_arena *arena, ridge_err *err)
{
    ridge_detection x = {.arena = arena, .err = err, .bandwidth_bytes_per_s = options->bandwidth_bytes_per_s};
    if (options->from && options->record)
        return ridge_fail(err, RIDGE_USAGE, "a recorded machine is not recorded again: leave out --from or --record");
    *out = x.d = ridge_arena_alloc(arena, sizeof *x.d);
    if (!x.d)
        return ridge_no_memory(err);
    ridge_status st = ridge_detect_source_open(&x.s, options->from, options->record, arena, err);
    if (st)
        return st;
    ridge_detect_identity(&x);
    ridge_detect_clock(&x);
    ridge_detect_topology(&x);
    ridge_detect_memory(&x);
    ridge_detect_limits(&x);
    ridge_detect_hosts(&x);
    if (options->no_gpus)
        x.d->gpu_note = "not looked for";
    else
        st = ridge_detect_gpus(&x, !options->from);
    if (!st)
        st = x.s.status;
    return !st ? ridge_detect_derive(&x) : st;
}

/* ---- JSON ---- */

static void write_cpu(ridge_json_writer *w, const ridge_detected_cpu *c)
{
    ridge_jw_key(w, "cpu");
    ridge_jw_object(w);
    ridge_jw_member_text(w, "vendor", c->vendor);
    ridge_jw_member_text(w, "brand", c->brand);
    ridge_jw_member_whole(w, "family", c->family);
    ridge_jw_member_whole(w, "model", c->model);
    ridge_jw_member_whole(w, "stepping", c->stepping);
    ridge_jw_member_text(w, "microarchitecture", c->microarchitecture);
    ridge_jw_key(w, "isa");
    ridge_jw_array_compact(w);
    for (unsigned i = 0; i < RIDGE_CPU_ISA_COUNT; i++)
        if ((c->isa >> i & 1) != 0)
            ridge_jw_strz(w, ridge_cpu_isa_names[i]);
    ridge_jw_end_array(w);
    ridge_jw_member_whole(w, "sockets", c->sockets);
    ridge_jw_member_whole(w, "cores", c->cores);
    ridge_jw_member_whole(w, "threads", c->threads);
    ridge_jw_member_whole(w, "numa_nodes", c->numa_nodes);
    ridge_jw_key(w, "hybrid");
    ridge_jw_bool(w, c->is_hybrid);
    ridge_jw_member_whole(w, "clock_hz", c->clock_hz);
    ridge_jw_member_text(w, "clock_source", c->clock_source);
    ridge_jw_member_whole(w, "max_clock_hz", c->max_clock_hz);
    ridge_jw_member_text(w, "topology_source", c->topology_source);
    ridge_jw_end_object(w);
}

static void write_caches(ridge_json_writer *w, const ridge_detected *d)
{
    ridge_jw_key(w, "caches");
    ridge_jw_array(w);
    for (size_t i = 0; i < d->cache_count; i++) {
        ridge_jw_object_compact(w);
        ridge_jw_member_whole(w, "level", d->caches[i].level);
        ridge_jw_member_text(w, "type", d->caches[i].type);
        ridge_jw_member_whole(w, "size_bytes", d->caches[i].size_bytes);
        ridge_jw_member_whole(w, "count", d->caches[i].count);
        ridge_jw_member_whole(w, "shared_by_threads", d->caches[i].shared_by_threads);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void write_memory(ridge_json_writer *w, const ridge_detected *d)
{
    const ridge_detected_memory *m = &d->memory;
    ridge_jw_member_whole(w, "memory_total_bytes", m->total_bytes);
    ridge_jw_member_whole(w, "memory_available_bytes", m->available_bytes);
    ridge_jw_member_whole(w, "memory_limit_bytes", m->limit_bytes);
    ridge_jw_key(w, "memory_node_bytes");
    ridge_jw_array_compact(w);
    for (int64_t i = 0; m->node_bytes && i < d->cpu.numa_nodes; i++)
        if (m->node_bytes[i] == RIDGE_MACHINE_UNKNOWN)
            ridge_jw_null(w);
        else
            ridge_jw_int(w, m->node_bytes[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "huge_pages");
    ridge_jw_object_compact(w);
    ridge_jw_member_whole(w, "size_bytes", m->huge_page_bytes);
    ridge_jw_member_whole(w, "total", m->huge_pages_total);
    ridge_jw_member_whole(w, "free", m->huge_pages_free);
    ridge_jw_member_text(w, "transparent", m->transparent_huge_pages);
    ridge_jw_end_object(w);
    ridge_jw_key(w, "memory_modules");
    ridge_jw_object_compact(w);
    ridge_jw_member_whole(w, "count", m->modules);
    ridge_jw_member_whole(w, "channels", m->channels);
    ridge_jw_member_whole(w, "transfers_per_s", m->transfers_per_s);
    ridge_jw_member_whole(w, "channel_bits", m->channel_bits);
    ridge_jw_end_object(w);
}

static void write_host(ridge_json_writer *w, const char *key, const ridge_detected_host *host)
{
    ridge_jw_key(w, key);
    if (!host->name) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", host->name);
    ridge_jw_member_text(w, "evidence", host->evidence);
    ridge_jw_end_object(w);
}

static void write_gpu(ridge_json_writer *w, const ridge_detected_gpu *g)
{
    ridge_jw_object(w);
    ridge_jw_member_text(w, "name", g->name);
    ridge_jw_member_text(w, "machine", g->machine);
    ridge_jw_member_text(w, "uuid", g->uuid);
    ridge_jw_member_whole(w, "memory_total_bytes", g->memory_total_bytes);
    ridge_jw_member_whole(w, "memory_free_bytes", g->memory_free_bytes);
    ridge_jw_member_whole(w, "sm_clock_max_hz", g->sm_clock_max_hz);
    ridge_jw_member_whole(w, "memory_clock_max_hz", g->memory_clock_max_hz);
    ridge_jw_member_whole(w, "power_limit_w", g->power_limit_w);
    ridge_jw_member_whole(w, "pcie_generation", g->pcie_generation);
    ridge_jw_member_whole(w, "pcie_width", g->pcie_width);
    ridge_jw_key(w, "compute_capability");
    char text[48];
    if (g->compute_major == RIDGE_MACHINE_UNKNOWN || g->compute_minor == RIDGE_MACHINE_UNKNOWN) {
        ridge_jw_null(w);
    } else {
        (void)snprintf(text, sizeof text, "%lld.%lld", (long long)g->compute_major, (long long)g->compute_minor);
        ridge_jw_strz(w, text);
    }
    ridge_jw_end_object(w);
}

void ridge_detected_json(ridge_json_writer *w, const ridge_detected *d)
{
    write_cpu(w, &d->cpu);
    write_caches(w, d);
    write_memory(w, d);
    ridge_jw_member_whole(w, "usable_threads", d->usable_threads);
    ridge_jw_key(w, "cpu_quota");
    if (d->quota_millicpus == RIDGE_MACHINE_UNKNOWN)
        ridge_jw_null(w);
    else
        ridge_jw_double(w, (double)d->quota_millicpus / 1000);
    write_host(w, "container", &d->container);
    write_host(w, "virtual_machine", &d->virtual_machine);
    ridge_jw_member_text(w, "gpu_driver", d->gpu_driver);
    ridge_jw_key(w, "gpus");
    ridge_jw_array(w);
    for (size_t i = 0; i < d->gpu_count; i++)
        write_gpu(w, &d->gpus[i]);
    ridge_jw_end_array(w);
}

/* ---- the machine file ---- */

static void write_level(ridge_json_writer *w, const ridge_machine_level *level)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "level", level->name);
    ridge_jw_member_whole(w, "bytes_per_s", level->bytes_per_s);
    ridge_jw_member_whole(w, "capacity_bytes", level->capacity_bytes);
    ridge_jw_end_object(w);
}

static void write_peaks(ridge_json_writer *w, const ridge_machine *m)
{
    ridge_jw_key(w, "peak_flops_per_s");
    ridge_jw_object_compact(w);
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        if (m->peak_flops_per_s[p] != RIDGE_MACHINE_UNKNOWN)
            ridge_jw_member_whole(w, ridge_precision_names[p], m->peak_flops_per_s[p]);
    ridge_jw_end_object(w);
}

void ridge_detected_file(ridge_buf *out, const ridge_detected *d)
{
    const ridge_machine *m = &d->machine;
    ridge_json_writer w;
    ridge_jw_init(&w, out);
    ridge_jw_object(&w);
    ridge_jw_member_text(&w, "id", m->id);
    ridge_jw_member_text(&w, "name", m->name);
    if (m->vendor)
        ridge_jw_member_text(&w, "vendor", m->vendor);
    ridge_jw_member_text(&w, "kind", m->kind);
    if (m->arch)
        ridge_jw_member_text(&w, "arch", m->arch);
    write_peaks(&w, m);
    ridge_jw_key(&w, "memory");
    ridge_jw_array(&w);
    for (size_t i = 0; i < m->level_count; i++)
        write_level(&w, &m->levels[i]);
    ridge_jw_end_array(&w);
    ridge_jw_member_whole(&w, "compute_units", m->compute_units);
    ridge_jw_member_whole(&w, "shared_bytes", m->shared_bytes);
    ridge_jw_member_whole(&w, "clock_hz", m->clock_hz);
    if (m->launch_overhead_s != RIDGE_MACHINE_UNKNOWN) {
        ridge_jw_key(&w, "launch_overhead_s");
        ridge_jw_double(&w, m->launch_overhead_s);
    }
    ridge_machine_json_origin(&w, m);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

ridge_status ridge_detected_save(const char **path, const ridge_detected *d, ridge_arena *arena, ridge_err *err)
{
    const char *folder = ridge_machines_user_folder(arena);
    if (!folder)
        return ridge_fail(err, RIDGE_IO, "no folder to save in: neither XDG_DATA_HOME nor HOME is set");
    *path = ridge_arena_printf(arena, "%s/" RIDGE_MACHINE_THIS ".json", folder);
    ridge_buf text = {0};
    ridge_detected_file(&text, d);
    ridge_status st = !*path || text.failed ? ridge_no_memory(err) : ridge_file_make_folders(folder, err);
    if (!st)
        st = ridge_file_write_atomic(*path, (ridge_str){text.p, text.n}, err);
    ridge_buf_free(&text);
    return st;
}
