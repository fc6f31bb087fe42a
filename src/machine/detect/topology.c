/* Sockets, cores, threads, NUMA nodes and caches from /sys/devices/system, else counts from /proc/cpuinfo. */
#include "machine/detect/parts.h"

enum { SOCKET_LIMIT = 1024, INDEX_LIMIT = 8, CACHE_BYTES_LIMIT = 1 << 30 };

bool ridge_detect_cache(ridge_detected *d, int64_t level, const char *type, int64_t size_bytes, int64_t shared_by_threads)
{
    for (size_t i = 0; i < d->cache_count; i++) {
        ridge_detected_cache *c = &d->caches[i];
        if (c->level == level && strcmp(c->type, type) == 0 && c->size_bytes == size_bytes && c->shared_by_threads == shared_by_threads) {
            c->count++;
            return true;
        }
    }
    if (d->cache_count == RIDGE_DETECTED_CACHES)
        return false;
    d->caches[d->cache_count++] = (ridge_detected_cache){level, type, size_bytes, 1, shared_by_threads};
    return true;
}

/* ---- /sys ---- */

/* "48K", "1024K", "32M"; -1: not that */
static int64_t cache_size(ridge_str text)
{
    int64_t unit = 1;
    if (text.n > 0 && (text.p[text.n - 1] == 'K' || text.p[text.n - 1] == 'M')) {
        unit = text.p[text.n - 1] == 'K' ? 1024 : 1024 * 1024;
        text.n--;
    }
    int64_t value = ridge_str_number(text);
    return value > 0 && value <= CACHE_BYTES_LIMIT / unit * 64 ? value * unit : -1;
}

static const char *cache_type(ridge_str text)
{
    return ridge_str_is(text, "Data")          ? "data"
           : ridge_str_is(text, "Instruction") ? "instruction"
           : ridge_str_is(text, "Unified")     ? "unified"
                                               : NULL;
}

/* Whether `cpu` stands first in a list of CPUs; *count gets their number (1 where the list cannot be read). */
static bool is_first(int64_t *count, ridge_str list, int64_t cpu)
{
    int64_t first, last;
    ridge_str rest = list;
    *count = ridge_cpu_count(list);
    if (*count < 0) {
        *count = 1;
        return true;
    }
    return ridge_cpu_range(&first, &last, &rest) && first == cpu;
}

static void read_caches(ridge_detection *x, int64_t cpu, bool *malformed)
{
    for (int i = 0; i < INDEX_LIMIT; i++) {
        ridge_str level = ridge_detect_word(&x->s, "sys/devices/system/cpu/cpu%d/cache/index%d/level", (int)cpu, i);
        if (!level.p)
            break;
        int64_t shared, number = ridge_str_number(level);
        int64_t size = cache_size(ridge_detect_word(&x->s, "sys/devices/system/cpu/cpu%d/cache/index%d/size", (int)cpu, i));
        const char *type = cache_type(ridge_detect_word(&x->s, "sys/devices/system/cpu/cpu%d/cache/index%d/type", (int)cpu, i));
        ridge_str list = ridge_detect_word(&x->s, "sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", (int)cpu, i);
        if (!is_first(&shared, list, cpu))
            continue;
        if (number < 1 || number > 5 || size < 0 || !type || !ridge_detect_cache(x->d, number, type, size, shared))
            *malformed = true;
    }
}

typedef struct sockets {
    int64_t ids[SOCKET_LIMIT];
    size_t count;
} sockets;

/* the same socket comes many times in a row */
static void add_socket(sockets *s, int64_t id)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->ids[i] == id)
            return;
    if (id >= 0 && s->count < SOCKET_LIMIT)
        s->ids[s->count++] = id;
}

/* one CPU of those online; false where it has no topology */
static bool read_cpu(ridge_detection *x, int64_t cpu, sockets *s, bool *malformed)
{
    int64_t siblings;
    ridge_str list = ridge_detect_word(&x->s, "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", (int)cpu);
    if (!list.p)
        return false;
    if (ridge_cpu_count(list) < 0)
        *malformed = true;
    if (is_first(&siblings, list, cpu))
        x->d->cpu.cores++;
    add_socket(s, ridge_detect_number(&x->s, "sys/devices/system/cpu/cpu%d/topology/physical_package_id", (int)cpu));
    read_caches(x, cpu, malformed);
    return true;
}

static bool read_sys(ridge_detection *x)
{
    ridge_detected_cpu *c = &x->d->cpu;
    ridge_str online = ridge_detect_word(&x->s, "sys/devices/system/cpu/online"), rest = online;
    sockets s = {.count = 0};
    int64_t first, last, threads = ridge_cpu_count(online);
    bool malformed = false;
    if (threads < 0)
        return false;
    c->cores = 0;
    while (ridge_cpu_range(&first, &last, &rest))
        for (int64_t cpu = first; cpu <= last; cpu++)
            if (!read_cpu(x, cpu, &s, &malformed) && cpu == first && c->cores == 0) {
                c->cores = RIDGE_MACHINE_UNKNOWN;
                return false;
            }
    if (c->cores == 0) {
        c->cores = RIDGE_MACHINE_UNKNOWN;
        malformed = true;
    }
    c->threads = threads;
    c->sockets = s.count > 0 ? (int64_t)s.count : RIDGE_MACHINE_UNKNOWN;
    c->topology_source = "/sys/devices/system/cpu";
    if (malformed)
        ridge_detect_note(x, "/sys/devices/system/cpu holds values that make no sense; they are left out");
    return true;
}

/* ---- /proc/cpuinfo ---- */

/* x86: "processor", "physical id", "cpu cores" of each; others: "processor" alone */
static void read_cpuinfo(ridge_detection *x)
{
    ridge_detected_cpu *c = &x->d->cpu;
    ridge_str info = ridge_detect_read(&x->s, "proc/cpuinfo"), rest = info, line;
    int64_t threads = 0, cores = ridge_str_number(ridge_str_field(info, "cpu cores"));
    sockets s = {.count = 0};
    while (ridge_str_line(&line, &rest)) {
        threads += ridge_str_starts(line, RIDGE_STR("processor"));
        if (ridge_str_starts(line, RIDGE_STR("physical id")))
            add_socket(&s, ridge_str_number(ridge_str_field(line, "physical id")));
    }
    if (threads == 0) {
        ridge_detect_note(x, "cores are not known: neither /sys/devices/system/cpu nor /proc/cpuinfo tells them");
        return;
    }
    c->threads = threads;
    c->topology_source = "/proc/cpuinfo";
    if (s.count > 0)
        c->sockets = (int64_t)s.count;
    if (cores > 0 && s.count > 0 && cores <= threads / (int64_t)s.count)
        c->cores = cores * (int64_t)s.count;
    else
        ridge_detect_note(x, "physical cores are not known: /proc/cpuinfo counts threads only");
}

static void read_nodes(ridge_detection *x)
{
    int64_t nodes = ridge_cpu_count(ridge_detect_word(&x->s, "sys/devices/system/node/online"));
    if (x->d->cpu.numa_nodes == RIDGE_MACHINE_UNKNOWN && nodes > 0)
        x->d->cpu.numa_nodes = nodes;
}

/* hwloc has told the topology: what /sys says goes into the recording all the same, for replays without hwloc */
static void record_sys(ridge_detection *x)
{
    ridge_detected *scratch = ridge_arena_alloc(x->arena, sizeof *scratch);
    ridge_detection sys = *x;
    sys.d = scratch;
    sys.note_cap = 0;
    if (scratch)
        (void)read_sys(&sys);
    x->s = sys.s;
}

void ridge_detect_topology(ridge_detection *x)
{
    ridge_detected_cpu *c = &x->d->cpu;
    c->sockets = c->cores = c->threads = c->numa_nodes = RIDGE_MACHINE_UNKNOWN;
    if (!ridge_detect_hwloc(x) && !read_sys(x))
        read_cpuinfo(x);
    else if (x->s.record)
        record_sys(x);
    read_nodes(x);
    /* a kernel without NUMA has no such folder: one node */
    if (c->numa_nodes == RIDGE_MACHINE_UNKNOWN && c->threads != RIDGE_MACHINE_UNKNOWN &&
        !ridge_detect_exists(&x->s, "sys/devices/system/node"))
        c->numa_nodes = 1;
    if (c->threads != RIDGE_MACHINE_UNKNOWN && x->d->cache_count == 0)
        ridge_detect_note(x, "caches are not known: %s does not tell them", c->topology_source);
}
