/* detect.h - describes this machine: cores, caches, ISA, memory, limits, container, virtual machine, NVIDIA GPUs.
 * In: /proc, /sys, cpuid, hwloc and NVML, or a tree recorded from them. Out: one struct, owned by the arena it was asked with.
 * What nobody tells is RIDGE_MACHINE_UNKNOWN, false or NULL with a note that says why; nothing is guessed. docs/detect.md
 * Fails where the tree is missing, is no recorded machine, or its cpuid.txt or nvml.json is malformed (file, line, column). */
#ifndef RIDGE_MACHINE_DETECT_DETECT_H
#define RIDGE_MACHINE_DETECT_DETECT_H

#include "machine/machine.h"
#include "report/record.h"

/* code, name, cpuid leaf, sub-leaf, register (0 eax .. 3 edx), bit, XCR0 bits that the system must have enabled, flag of /proc/cpuinfo.
 * Leaf 0: no x86 feature. Intel SDM volume 2 "CPUID" and volume 1 13.1; Linux Documentation/arch/arm64/elf_hwcaps. */
#define RIDGE_CPU_ISA_LIST(X)                                                                                                              \
    X(SSE4_2, "sse4.2", 1, 0, 2, 20, 0x0, "sse4_2")                                                                                        \
    X(AVX, "avx", 1, 0, 2, 28, 0x6, "avx")                                                                                                 \
    X(F16C, "f16c", 1, 0, 2, 29, 0x6, "f16c")                                                                                              \
    X(FMA, "fma", 1, 0, 2, 12, 0x6, "fma")                                                                                                 \
    X(AVX2, "avx2", 7, 0, 1, 5, 0x6, "avx2")                                                                                               \
    X(AVX_VNNI, "avx-vnni", 7, 1, 0, 4, 0x6, "avx_vnni")                                                                                   \
    X(AVX512F, "avx512f", 7, 0, 1, 16, 0xe6, "avx512f")                                                                                    \
    X(AVX512DQ, "avx512dq", 7, 0, 1, 17, 0xe6, "avx512dq")                                                                                 \
    X(AVX512BW, "avx512bw", 7, 0, 1, 30, 0xe6, "avx512bw")                                                                                 \
    X(AVX512VL, "avx512vl", 7, 0, 1, 31, 0xe6, "avx512vl")                                                                                 \
    X(AVX512_VNNI, "avx512-vnni", 7, 0, 2, 11, 0xe6, "avx512_vnni")                                                                        \
    X(AVX512_BF16, "avx512-bf16", 7, 1, 0, 5, 0xe6, "avx512_bf16")                                                                         \
    X(AVX512_FP16, "avx512-fp16", 7, 0, 3, 23, 0xe6, "avx512_fp16")                                                                        \
    X(AMX_TILE, "amx-tile", 7, 0, 3, 24, 0x60000, "amx_tile")                                                                              \
    X(AMX_BF16, "amx-bf16", 7, 0, 3, 22, 0x60000, "amx_bf16")                                                                              \
    X(AMX_INT8, "amx-int8", 7, 0, 3, 25, 0x60000, "amx_int8")                                                                              \
    X(AMX_FP16, "amx-fp16", 7, 1, 0, 21, 0x60000, "amx_fp16")                                                                              \
    X(NEON, "neon", 0, 0, 0, 0, 0x0, "asimd")                                                                                              \
    X(NEON_FP16, "fp16", 0, 0, 0, 0, 0x0, "asimdhp")                                                                                       \
    X(DOTPROD, "dotprod", 0, 0, 0, 0, 0x0, "asimddp")                                                                                      \
    X(I8MM, "i8mm", 0, 0, 0, 0, 0x0, "i8mm")                                                                                               \
    X(BF16, "bf16", 0, 0, 0, 0, 0x0, "bf16")                                                                                               \
    X(SVE, "sve", 0, 0, 0, 0, 0x0, "sve")                                                                                                  \
    X(SVE2, "sve2", 0, 0, 0, 0, 0x0, "sve2")                                                                                               \
    X(SME, "sme", 0, 0, 0, 0, 0x0, "sme")

typedef enum ridge_cpu_isa {
#define X(code, ...) RIDGE_CPU_ISA_##code,
    RIDGE_CPU_ISA_LIST(X) RIDGE_CPU_ISA_COUNT
#undef X
} ridge_cpu_isa;

extern const char *const ridge_cpu_isa_names[RIDGE_CPU_ISA_COUNT];

typedef struct ridge_detected_cpu {
    const char *vendor, *brand, *microarchitecture; /* NULL: unknown */
    int64_t family, model, stepping;                /* arm64: implementer, part, revision (MIDR_EL1) */
    uint32_t isa;                                   /* bit per ridge_cpu_isa: the CPU has it and the system enabled it */
    bool is_arm;
    bool is_hybrid;                              /* cores of several kinds */
    int64_t sockets, cores, threads, numa_nodes; /* physical cores, threads online; RIDGE_MACHINE_UNKNOWN */
    int64_t clock_hz, max_clock_hz;              /* base (what peaks are stated at), highest */
    const char *clock_source;
    const char *topology_source; /* "hwloc, API 2.8", "/sys/devices/system/cpu", "/proc/cpuinfo" */
} ridge_detected_cpu;

typedef struct ridge_detected_cache {
    int64_t level;
    const char *type; /* "data", "instruction", "unified" */
    int64_t size_bytes, count, shared_by_threads;
} ridge_detected_cache;

typedef struct ridge_detected_memory {
    int64_t total_bytes, available_bytes;
    int64_t limit_bytes; /* least of the cgroup limits, RIDGE_MACHINE_UNKNOWN: none */
    int64_t huge_page_bytes, huge_pages_total, huge_pages_free;
    const char *transparent_huge_pages;                       /* "always", "madvise", "never" */
    int64_t *node_bytes;                                      /* per NUMA node, numa_nodes of them; NULL: unknown */
    int64_t modules, channels, transfers_per_s, channel_bits; /* DMI type 17, where it is readable and complete */
} ridge_detected_memory;

/* a container or a virtual machine: what it is and what shows it */
typedef struct ridge_detected_host {
    const char *name; /* NULL: none found */
    const char *evidence;
} ridge_detected_host;

/* numbers of a GPU: member, unit (report/record.h), what it is */
#define RIDGE_GPU_NUMBER_LIST(X)                                                                                                           \
    X(memory_total_bytes, CAPACITY, "its memory")                                                                                          \
    X(memory_free_bytes, CAPACITY, "of its memory, what is free")                                                                          \
    X(sm_clock_max_hz, HERTZ, "highest clock of its SMs")                                                                                  \
    X(memory_clock_max_hz, HERTZ, "highest clock of its memory")                                                                           \
    X(power_limit_w, WATTS, "the power limit that is enforced")                                                                            \
    X(pcie_generation, NONE, "highest PCI Express generation")                                                                             \
    X(pcie_width, NONE, "highest number of PCI Express lanes")

typedef struct ridge_detected_gpu {
    const char *name, *machine; /* machine: id of its machine file; NULL: none */
    const char *uuid;           /* never recorded */
#define X(member, unit, doc) int64_t member;
    RIDGE_GPU_NUMBER_LIST(X)
#undef X
    int64_t compute_major, compute_minor;
} ridge_detected_gpu;

enum { RIDGE_DETECTED_CACHES = 16 };

typedef struct ridge_detected {
    ridge_machine machine; /* what the rest of Ridge works with: id "this" */
    ridge_detected_cpu cpu;
    ridge_detected_cache caches[RIDGE_DETECTED_CACHES];
    size_t cache_count;
    ridge_detected_memory memory;
    int64_t usable_threads;    /* by cpuset and affinity */
    int64_t quota_millicpus;   /* least of the cgroup CPU quotas; RIDGE_MACHINE_UNKNOWN: none */
    int64_t usable_millicores; /* what a program here can keep busy: cores, cut by cpuset, affinity and quota */
    ridge_detected_host container, virtual_machine;
    ridge_detected_gpu *gpus;
    size_t gpu_count;
    const char *gpu_driver; /* NULL: no NVIDIA driver */
    const char *gpu_note;   /* why there are none; NULL where there are */
    const char **notes;
    size_t note_count;
} ridge_detected;

typedef struct ridge_detect_options {
    const char *from;              /* folder of a recorded tree; NULL: this machine */
    const char *record;            /* folder to copy what is read to, without serial numbers, UUIDs and host names; NULL: none */
    int64_t bandwidth_bytes_per_s; /* of main memory, told by the user; 0 or RIDGE_UNSET: not told */
    bool no_gpus;                  /* leave NVML alone */
} ridge_detect_options;
extern const ridge_option ridge_options_detect[];

ridge_status ridge_detect(ridge_detected **out, const ridge_detect_options *options, ridge_arena *arena, ridge_err *err);

/* of a ridge_detected: the members of its machine, and "cpu", "caches", "memory_total_bytes", ..., "gpus" */
extern const ridge_record ridge_detected_record;

/* The machine file (docs/machines.md); what is not known is null in it. */
void ridge_detected_file(ridge_buf *out, const ridge_detected *detected);
/* Writes it as $XDG_DATA_HOME/ridge/machines/this.json, atomically. IO */
ridge_status ridge_detected_save(const char **path, const ridge_detected *detected, ridge_arena *arena, ridge_err *err);

#endif
