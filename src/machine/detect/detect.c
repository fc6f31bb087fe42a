#include "machine/detect/detect.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/file.h"
#include "machine/detect/parts.h"
#include "machine/folder.h"
#include "machine/records.h"

const ridge_option ridge_options_detect[] = {
    RIDGE_STRING(ridge_detect_options, from, "from", 0, "DIR", "describe the machine recorded in DIR", .reach = RIDGE_REACH_FILE),
    RIDGE_STRING(ridge_detect_options, record, "record", 0, "DIR",
                 "write what is read of this machine to DIR, without serial numbers and names", .reach = RIDGE_REACH_OUTPUT),
    RIDGE_INT(ridge_detect_options, bandwidth_bytes_per_s, "bandwidth", 0, "N", 1000000, INT64_MAX,
              "bytes per second that main memory delivers: 40G, 307200M", .unit = "bytes/s"),
    RIDGE_FLAG(ridge_detect_options, no_gpus, "no-gpus", 0, "do not look for NVIDIA GPUs"),
    RIDGE_OPTION_END,
};

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
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("from") " and " RIDGE_OPT("record") " exclude each other: a recorded machine is recorded already");
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

static void write_isa(ridge_json_writer *w, const void *row)
{
    const ridge_detected_cpu *c = row;
    ridge_jw_array_compact(w);
    for (unsigned i = 0; i < RIDGE_CPU_ISA_COUNT; i++)
        if ((c->isa >> i & 1) != 0)
            ridge_jw_strz(w, ridge_cpu_isa_names[i]);
    ridge_jw_end_array(w);
}

#define CPU ridge_detected_cpu
static const ridge_record_field cpu_fields[] = {
    RIDGE_R_TEXT(CPU, vendor, "vendor", NULL, RIDGE_IN_JSON, "its vendor"),
    RIDGE_R_TEXT(CPU, brand, "brand", NULL, RIDGE_IN_JSON, "what it calls itself"),
    RIDGE_R_WHOLE(CPU, family, "family", NULL, RIDGE_IN_JSON, "of cpuid; on arm64 the implementer"),
    RIDGE_R_WHOLE(CPU, model, "model", NULL, RIDGE_IN_JSON, "of cpuid; on arm64 the part"),
    RIDGE_R_WHOLE(CPU, stepping, "stepping", NULL, RIDGE_IN_JSON, "of cpuid; on arm64 the revision"),
    RIDGE_R_TEXT(CPU, microarchitecture, "microarchitecture", NULL, RIDGE_IN_JSON, "Zen 4"),
    RIDGE_R_WRITTEN("isa", write_isa, "instruction sets that it has and the system enabled"),
    RIDGE_R_WHOLE(CPU, sockets, "sockets", NULL, RIDGE_IN_JSON, "sockets"),
    RIDGE_R_WHOLE(CPU, cores, "cores", NULL, RIDGE_IN_JSON, "physical cores"),
    RIDGE_R_WHOLE(CPU, threads, "threads", NULL, RIDGE_IN_JSON, "threads online"),
    RIDGE_R_WHOLE(CPU, numa_nodes, "numa_nodes", NULL, RIDGE_IN_JSON, "NUMA nodes"),
    RIDGE_R_BOOL(CPU, is_hybrid, "hybrid", NULL, RIDGE_IN_JSON, "are its cores of several kinds?"),
    RIDGE_R_WHOLE(CPU, clock_hz, "clock_hz", NULL, RIDGE_IN_JSON, "base clock", .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_TEXT(CPU, clock_source, "clock_source", NULL, RIDGE_IN_JSON, "what tells the clock"),
    RIDGE_R_WHOLE(CPU, max_clock_hz, "max_clock_hz", NULL, RIDGE_IN_JSON, "highest clock", .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_TEXT(CPU, topology_source, "topology_source", NULL, RIDGE_IN_JSON, "what tells cores and caches"),
};
static const ridge_record cpu_record = RIDGE_RECORD(CPU, "CPU", cpu_fields, "the CPU");

#define CACHE ridge_detected_cache
static const ridge_record_field cache_fields[] = {
    RIDGE_R_WHOLE(CACHE, level, "level", NULL, RIDGE_IN_JSON, "1 is next to the core"),
    RIDGE_R_TEXT(CACHE, type, "type", NULL, RIDGE_IN_JSON, "data, instruction or unified"),
    RIDGE_R_WHOLE(CACHE, size_bytes, "size_bytes", NULL, RIDGE_IN_JSON, "of one", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(CACHE, count, "count", NULL, RIDGE_IN_JSON, "how many there are"),
    RIDGE_R_WHOLE(CACHE, shared_by_threads, "shared_by_threads", NULL, RIDGE_IN_JSON, "threads that share one"),
};
static const ridge_record cache_record = RIDGE_RECORD(CACHE, "cache", cache_fields, "the caches of one level and type");

#define MEMORY ridge_detected_memory
static const ridge_record_field pages_fields[] = {
    RIDGE_R_WHOLE(MEMORY, huge_page_bytes, "size_bytes", NULL, RIDGE_IN_JSON, "of one", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(MEMORY, huge_pages_total, "total", NULL, RIDGE_IN_JSON, "reserved"),
    RIDGE_R_WHOLE(MEMORY, huge_pages_free, "free", NULL, RIDGE_IN_JSON, "of them free"),
    RIDGE_R_TEXT(MEMORY, transparent_huge_pages, "transparent", NULL, RIDGE_IN_JSON, "always, madvise or never"),
};
static const ridge_record pages_record = RIDGE_RECORD(MEMORY, "huge pages", pages_fields, "huge pages");

static const ridge_record_field modules_fields[] = {
    RIDGE_R_WHOLE(MEMORY, modules, "count", NULL, RIDGE_IN_JSON, "modules"),
    RIDGE_R_WHOLE(MEMORY, channels, "channels", NULL, RIDGE_IN_JSON, "channels"),
    RIDGE_R_WHOLE(MEMORY, transfers_per_s, "transfers_per_s", NULL, RIDGE_IN_JSON, "transfers a second", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_WHOLE(MEMORY, channel_bits, "channel_bits", NULL, RIDGE_IN_JSON, "width of a channel"),
};
static const ridge_record modules_record = RIDGE_RECORD(MEMORY, "memory modules", modules_fields, "memory modules, from DMI");

#define HOST ridge_detected_host
static const ridge_record_field host_fields[] = {
    RIDGE_R_TEXT(HOST, name, "name", NULL, RIDGE_IN_JSON, "what it is"),
    RIDGE_R_TEXT(HOST, evidence, "evidence", NULL, RIDGE_IN_JSON, "what shows it"),
};
static const ridge_record host_record = RIDGE_RECORD(HOST, "host", host_fields, "a container or a virtual machine");

static void write_capability(ridge_json_writer *w, const void *row)
{
    const ridge_detected_gpu *g = row;
    char text[48];
    bool known = g->compute_major != RIDGE_MACHINE_UNKNOWN && g->compute_minor != RIDGE_MACHINE_UNKNOWN;
    (void)snprintf(text, sizeof text, "%lld.%lld", (long long)g->compute_major, (long long)g->compute_minor);
    ridge_jw_strz(w, known ? text : NULL);
}

#define GPU ridge_detected_gpu
static const ridge_record_field gpu_fields[] = {
    RIDGE_R_TEXT(GPU, name, "name", NULL, RIDGE_IN_JSON, "the driver's name for it"),
    RIDGE_R_TEXT(GPU, machine, "machine", NULL, RIDGE_IN_JSON, "its machine file's id"),
    RIDGE_R_TEXT(GPU, uuid, "uuid", NULL, RIDGE_IN_JSON, "never recorded"),
#define X(member, unit_, doc) RIDGE_R_WHOLE(GPU, member, #member, NULL, RIDGE_IN_JSON, doc, .unit = RIDGE_UNIT_##unit_),
    RIDGE_GPU_NUMBER_LIST(X) RIDGE_R_WRITTEN("compute_capability", write_capability, "8.0"),
#undef X
};
static const ridge_record gpu_record = RIDGE_RECORD(GPU, "GPU", gpu_fields, "an NVIDIA GPU");

static void write_nodes(ridge_json_writer *w, const void *row)
{
    const ridge_detected *d = row;
    ridge_jw_array_compact(w);
    for (int64_t i = 0; d->memory.node_bytes && i < d->cpu.numa_nodes; i++)
        if (d->memory.node_bytes[i] == RIDGE_MACHINE_UNKNOWN)
            ridge_jw_null(w);
        else
            ridge_jw_int(w, d->memory.node_bytes[i]);
    ridge_jw_end_array(w);
}

static void write_quota(ridge_json_writer *w, const void *row)
{
    const ridge_detected *d = row;
    ridge_jw_double(w, d->quota_millicpus == RIDGE_MACHINE_UNKNOWN ? (double)NAN : (double)d->quota_millicpus / 1000);
}

#define ALL ridge_detected
static const ridge_record_field fields[] = {
    RIDGE_R_MEMBERS(ALL, machine, &ridge_machine_record),
    RIDGE_R_IN(ALL, cpu, &cpu_record, "cpu", RIDGE_IN_JSON, "the CPU"),
    RIDGE_R_ARRAY(ALL, caches, cache_count, &cache_record, "caches", RIDGE_IN_JSON, "the caches"),
    RIDGE_R_WHOLE(ALL, memory.total_bytes, "memory_total_bytes", NULL, RIDGE_IN_JSON, "main memory", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(ALL, memory.available_bytes, "memory_available_bytes", NULL, RIDGE_IN_JSON, "free, and what can be freed",
                  .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(ALL, memory.limit_bytes, "memory_limit_bytes", NULL, RIDGE_IN_JSON, "the cgroup's limit", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WRITTEN("memory_node_bytes", write_nodes, "memory of each NUMA node"),
    RIDGE_R_IN(ALL, memory, &pages_record, "huge_pages", RIDGE_IN_JSON, "huge pages", .compact = true),
    RIDGE_R_IN(ALL, memory, &modules_record, "memory_modules", RIDGE_IN_JSON, "memory modules, from DMI", .compact = true),
    RIDGE_R_WHOLE(ALL, usable_threads, "usable_threads", NULL, RIDGE_IN_JSON, "by cpuset and affinity"),
    RIDGE_R_WRITTEN("cpu_quota", write_quota, "CPUs that the cgroup allows; null: any number"),
    RIDGE_R_IN(ALL, container, &host_record, "container", RIDGE_IN_JSON, "the container", RIDGE_KNOWN(ridge_detected, container.name),
               .compact = true),
    RIDGE_R_IN(ALL, virtual_machine, &host_record, "virtual_machine", RIDGE_IN_JSON, "the hypervisor",
               RIDGE_KNOWN(ridge_detected, virtual_machine.name), .compact = true),
    RIDGE_R_TEXT(ALL, gpu_driver, "gpu_driver", NULL, RIDGE_IN_JSON, "version of the NVIDIA driver"),
    RIDGE_R_LIST(ALL, gpus, gpu_count, &gpu_record, "gpus", RIDGE_IN_JSON, "NVIDIA GPUs", .open = true),
};
const ridge_record ridge_detected_record = RIDGE_RECORD(ALL, "detected machine", fields, "this machine, and what it can do");

/* ---- the machine file ---- */

void ridge_detected_file(ridge_buf *out, const ridge_detected *d)
{
    ridge_json_writer w;
    ridge_machine m = d->machine;
    m.file = NULL;
    ridge_jw_init(&w, out);
    ridge_record_object(&w, &ridge_machine_record, &m, false);
    ridge_buf_addc(out, '\n');
}

ridge_status ridge_detected_save(const char **path, const ridge_detected *d, ridge_arena *arena, ridge_err *err)
{
    const char *folder = ridge_machines_user_folder(arena);
    if (!folder && arena->failed)
        return ridge_no_memory(err);
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
