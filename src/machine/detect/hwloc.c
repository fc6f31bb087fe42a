/* Topology from hwloc 2, opened when it is needed: loading it takes 8 ms. Built with its headers (Meson feature `hwloc`);
 * without them, or without libhwloc.so.15 at run time, detection reads /sys itself and says so.
 * A recorded tree has it as hwloc.xml (what lstopo writes) or hwloc.synthetic; without either, its /sys is read. */
#include "machine/detect/parts.h"

#ifdef RIDGE_HWLOC
#include <dlfcn.h>
#include <hwloc.h>
#include <limits.h>

/* name in hwloc, by its type */
#define HWLOC_FUNCTIONS(X)                                                                                                                 \
    X(hwloc_get_api_version)                                                                                                               \
    X(hwloc_topology_init)                                                                                                                 \
    X(hwloc_topology_set_flags)                                                                                                            \
    X(hwloc_topology_set_components)                                                                                                       \
    X(hwloc_topology_set_xmlbuffer)                                                                                                        \
    X(hwloc_topology_set_synthetic)                                                                                                        \
    X(hwloc_topology_set_icache_types_filter)                                                                                              \
    X(hwloc_topology_load)                                                                                                                 \
    X(hwloc_topology_destroy)                                                                                                              \
    X(hwloc_topology_export_synthetic)                                                                                                     \
    X(hwloc_get_type_depth)                                                                                                                \
    X(hwloc_get_nbobjs_by_depth)                                                                                                           \
    X(hwloc_get_obj_by_depth)                                                                                                              \
    X(hwloc_bitmap_weight)

typedef struct hwloc_library {
    void *handle;
#define X(name) __typeof__(&name) name;
    HWLOC_FUNCTIONS(X)
#undef X
} hwloc_library;

enum { SYNTHETIC_CHARS = 2048 };

static bool open_library(hwloc_library *h)
{
    *h = (hwloc_library){.handle = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL)};
    if (!h->handle)
        return false;
    bool all = true;
#define X(name)                                                                                                                            \
    {                                                                                                                                      \
        void *symbol = dlsym(h->handle, #name);                                                                                            \
        memcpy(&h->name, &symbol, sizeof symbol);                                                                                          \
        all = all && symbol;                                                                                                               \
    }
    HWLOC_FUNCTIONS(X)
#undef X
    if (!all || h->hwloc_get_api_version() >> 16 != HWLOC_API_VERSION >> 16) {
        (void)dlclose(h->handle);
        return false;
    }
    return true;
}

/* objects of a type; -1: none or at several depths */
static int64_t count_of(const hwloc_library *h, hwloc_topology_t t, hwloc_obj_type_t type)
{
    int depth = h->hwloc_get_type_depth(t, type);
    if (depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE)
        return RIDGE_MACHINE_UNKNOWN;
    unsigned n = h->hwloc_get_nbobjs_by_depth(t, depth);
    return n > 0 ? (int64_t)n : RIDGE_MACHINE_UNKNOWN;
}

static void read_caches(ridge_detection *x, const hwloc_library *h, hwloc_topology_t t)
{
    static const struct {
        hwloc_obj_type_t type;
        int64_t level;
        const char *name; /* NULL: what the attribute says */
    } types[] = {{HWLOC_OBJ_L1CACHE, 1, "data"},
                 {HWLOC_OBJ_L1ICACHE, 1, "instruction"},
                 {HWLOC_OBJ_L2CACHE, 2, "unified"},
                 {HWLOC_OBJ_L3CACHE, 3, "unified"},
                 {HWLOC_OBJ_L4CACHE, 4, "unified"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int depth = h->hwloc_get_type_depth(t, types[i].type);
        unsigned n = depth >= 0 ? h->hwloc_get_nbobjs_by_depth(t, depth) : 0;
        for (unsigned k = 0; k < n; k++) {
            hwloc_obj_t o = h->hwloc_get_obj_by_depth(t, depth, k);
            int threads = o && o->cpuset ? h->hwloc_bitmap_weight(o->cpuset) : -1;
            if (threads > 0 && o->attr && o->attr->cache.size > 0 && o->attr->cache.size <= INT64_MAX)
                (void)ridge_detect_cache(x->d, types[i].level, types[i].name, (int64_t)o->attr->cache.size, threads);
        }
    }
}

/* hands the recorded topology to hwloc; false: there is none, or this is a tree without one */
static bool choose_source(ridge_detection *x, const hwloc_library *h, hwloc_topology_t t)
{
    if (!x->s.root) {
        /* hwloc's part for Linux complains on stderr where it finds no /sys; cpuid alone tells the topology then */
        if (!ridge_detect_exists(&x->s, "sys/devices/system/cpu/cpu0/topology") &&
            !ridge_detect_exists(&x->s, "sys/bus/cpu/devices/cpu0/topology"))
            (void)h->hwloc_topology_set_components(t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "linux");
        return h->hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) == 0;
    }
    ridge_str text = ridge_detect_read(&x->s, "hwloc.xml");
    if (text.p && text.n < INT_MAX)
        return h->hwloc_topology_set_xmlbuffer(t, text.p, (int)text.n + 1) == 0;
    text = ridge_detect_word(&x->s, "hwloc.synthetic");
    const char *copy = text.p ? ridge_arena_strdup(x->arena, text) : NULL;
    return copy && h->hwloc_topology_set_synthetic(t, copy) == 0;
}

/* symmetric topologies only: the others are read from the recorded /sys again */
static void record(ridge_detection *x, const hwloc_library *h, hwloc_topology_t t)
{
    char text[SYNTHETIC_CHARS];
    int n = x->s.record ? h->hwloc_topology_export_synthetic(t, text, sizeof text, 0) : 0;
    if (n > 0 && n < (int)sizeof text)
        ridge_detect_record(&x->s, "hwloc.synthetic", (ridge_str){text, (size_t)n});
}

static bool read_topology(ridge_detection *x, const hwloc_library *h, hwloc_topology_t t)
{
    ridge_detected_cpu *c = &x->d->cpu;
    unsigned version = h->hwloc_get_api_version();
    int64_t threads = count_of(h, t, HWLOC_OBJ_PU);
    if (threads == RIDGE_MACHINE_UNKNOWN)
        return false;
    c->threads = threads;
    c->cores = count_of(h, t, HWLOC_OBJ_CORE);
    c->sockets = count_of(h, t, HWLOC_OBJ_PACKAGE);
    c->numa_nodes = count_of(h, t, HWLOC_OBJ_NUMANODE);
    c->topology_source = ridge_arena_printf(x->arena, "hwloc, API %u.%u", version >> 16, version >> 8 & 255);
    read_caches(x, h, t);
    return true;
}

bool ridge_detect_hwloc(ridge_detection *x)
{
    hwloc_library h;
    hwloc_topology_t t = NULL;
    bool found = false;
    if (x->s.root && !ridge_detect_exists(&x->s, "hwloc.xml") && !ridge_detect_exists(&x->s, "hwloc.synthetic"))
        return false;
    if (!open_library(&h)) {
        ridge_detect_note(x, "hwloc is not installed (libhwloc.so.15): the topology is read from /sys/devices/system/cpu");
        return false;
    }
    if (h.hwloc_topology_init(&t) != 0)
        goto done;
    (void)h.hwloc_topology_set_icache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL); /* left out by default */
    if (choose_source(x, &h, t) && h.hwloc_topology_load(t) == 0 && (found = read_topology(x, &h, t)))
        record(x, &h, t);
    h.hwloc_topology_destroy(t);
done:
    (void)dlclose(h.handle);
    if (!found)
        ridge_detect_note(x, "hwloc cannot load this topology: it is read from /sys/devices/system/cpu");
    return found;
}

#else

bool ridge_detect_hwloc(ridge_detection *x)
{
    if (!x->s.root)
        ridge_detect_note(x, "built without hwloc: the topology is read from /sys/devices/system/cpu");
    return false;
}
#endif
