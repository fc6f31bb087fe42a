/* parts.h - the stages of detection, for detect.c alone. Each fills its part of a ridge_detected from the source;
 * what it cannot find stays unknown, with a note where people would wonder. */
#ifndef RIDGE_MACHINE_DETECT_PARTS_H
#define RIDGE_MACHINE_DETECT_PARTS_H

#include "machine/detect/detect.h"
#include "machine/detect/source.h"

typedef struct ridge_detection {
    ridge_detected *d;
    ridge_detect_source s;
    ridge_arena *arena;
    ridge_err *err;
    size_t note_cap;
    int64_t bandwidth_bytes_per_s;
} ridge_detection;

void ridge_detect_note(ridge_detection *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* vendor, family, model, brand, ISA */
void ridge_detect_identity(ridge_detection *x);
/* base and highest clock; wants the identity */
void ridge_detect_clock(ridge_detection *x);
/* sockets, cores, threads, NUMA nodes, caches: hwloc where it is built in and there, else /sys, else /proc/cpuinfo */
void ridge_detect_topology(ridge_detection *x);
bool ridge_detect_hwloc(ridge_detection *x);
/* adds an instance of a cache; false where there is no room */
bool ridge_detect_cache(ridge_detected *d, int64_t level, const char *type, int64_t size_bytes, int64_t shared_by_threads);
/* total, available, huge pages, NUMA, DMI modules */
void ridge_detect_memory(ridge_detection *x);
/* cgroup v1 and v2, cpuset, affinity; wants the topology and memory */
void ridge_detect_limits(ridge_detection *x);
/* container, virtual machine; wants the identity */
void ridge_detect_hosts(ridge_detection *x);
/* NVML, or nvml.json of the tree. SYNTAX, TYPE where that is malformed. */
ridge_status ridge_detect_gpus(ridge_detection *x, bool live);
/* the ridge_machine, from everything above. NOMEM */
ridge_status ridge_detect_derive(ridge_detection *x);

/* ---- microarchitectures (march.c) ---- */
/* FLOP (int8: operations) that one core ends per cycle, 2 per multiply-add, where it has the instructions of `isa` */
typedef struct ridge_march_rate {
    ridge_precision precision;
    ridge_cpu_isa isa;
    int64_t per_cycle; /* 0 ends the list */
    const char *units; /* "2 x 256-bit FMA" */
} ridge_march_rate;

typedef struct ridge_march {
    const char *name;
    const ridge_march_rate *rates; /* the best of a precision first; NULL: not known */
    const char *source;            /* of the rates; or why there are none */
} ridge_march;

/* NULL: unknown */
const ridge_march *ridge_march_find(const ridge_detected_cpu *cpu);
/* NULL where this CPU has no instructions of that precision, or nobody says how fast they are */
const ridge_march_rate *ridge_march_rate_find(const ridge_march *march, ridge_precision precision, uint32_t isa);

/* id of the machine file of a GPU by the name its driver gives ("NVIDIA H100 80GB HBM3"); NULL: none */
const char *ridge_gpu_machine(const char *name);

#endif
