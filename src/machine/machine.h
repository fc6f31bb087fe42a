/* machine.h - what a machine can do: peak rates per precision, memory levels, links, units, clock, power, launch overhead.
 * In: machines/<id>.json (embedded; users' files over them). Out: one struct, owned by the arena it was read into.
 * Every number has a source; a number nobody gives is RIDGE_MACHINE_UNKNOWN and prints as null, never as 0. docs/machines.md
 * Fails with file, line and column on an unknown key, a wrong unit or type, an inheritance cycle (printed). */
#ifndef RIDGE_MACHINE_MACHINE_H
#define RIDGE_MACHINE_MACHINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

#define RIDGE_MACHINE_UNKNOWN (-1)

/* "any", and what a machine may be: "gpu", "cpu", "tpu", "accelerator", "apple"; NULL-terminated */
extern const char *const ridge_machine_kinds[];

/* The rates a chip can have, narrowest last: code, name (key of peak_flops_per_s; `compute` of a number format), bits.
 * fp8 is both E4M3 and E5M2, fp6 both of MX; tf32 reads 32 bits and multiplies 19. */
#define RIDGE_PRECISION_LIST(X)                                                                                                            \
    X(FP64, fp64, 64)                                                                                                                      \
    X(FP32, fp32, 32)                                                                                                                      \
    X(TF32, tf32, 19)                                                                                                                      \
    X(BF16, bf16, 16)                                                                                                                      \
    X(FP16, fp16, 16)                                                                                                                      \
    X(FP8, fp8, 8)                                                                                                                         \
    X(INT8, int8, 8)                                                                                                                       \
    X(FP6, fp6, 6)                                                                                                                         \
    X(INT4, int4, 4)                                                                                                                       \
    X(MXFP4, mxfp4, 4)                                                                                                                     \
    X(NVFP4, nvfp4, 4)

typedef enum ridge_precision {
#define X(code, name, bits) RIDGE_PRECISION_##code,
    RIDGE_PRECISION_LIST(X) RIDGE_PRECISION_COUNT
#undef X
} ridge_precision;

extern const char *const ridge_precision_names[]; /* NULL-terminated */
extern const unsigned ridge_precision_bits[RIDGE_PRECISION_COUNT];
/* RIDGE_PRECISION_COUNT where unknown */
ridge_precision ridge_precision_find(ridge_str name);

/* A memory level, the outermost first: "dram" (the device's main memory), "llc", "l2", "l1" (sums over the device). */
typedef struct ridge_machine_level {
    const char *name;
    const char *type;       /* "HBM3", "8x DDR5-4800"; NULL: unknown */
    int64_t bytes_per_s;    /* read bandwidth of the whole device, 1e9 bytes/s = 1 GB/s */
    int64_t capacity_bytes; /* of the whole device */
} ridge_machine_level;

/* code, name; device: to its peers, host: to the CPU's memory */
#define RIDGE_LINK_LIST(X) X(DEVICE, device) X(HOST, host)
typedef enum ridge_link_kind {
#define X(code, name) RIDGE_LINK_##code,
    RIDGE_LINK_LIST(X) RIDGE_LINK_COUNT
#undef X
} ridge_link_kind;
extern const char *const ridge_link_kind_names[]; /* NULL-terminated */

typedef struct ridge_machine_link {
    ridge_link_kind kind;
    const char *name;    /* "NVLink4"; NULL: unknown */
    int64_t bytes_per_s; /* of one device, one direction */
    double latency_s;    /* RIDGE_MACHINE_UNKNOWN: unknown */
} ridge_machine_link;

/* a rate somebody reached: not a peak */
typedef struct ridge_machine_achieved {
    int64_t flops_per_s[RIDGE_PRECISION_COUNT]; /* RIDGE_MACHINE_UNKNOWN: nobody told */
    int64_t bytes_per_s;
    const char *source; /* NULL: nothing achieved is known */
} ridge_machine_achieved;

typedef struct ridge_machine_source {
    const char *field; /* "peak_flops_per_s.bf16", "memory.dram.bytes_per_s", "power_w" */
    const char *text;  /* where the number comes from */
} ridge_machine_source;

enum { RIDGE_MACHINE_LEVELS = 8, RIDGE_MACHINE_LINKS = 4 };

#define RIDGE_MACHINE_BUILT_IN "built in"

typedef struct ridge_machine {
    const char *id, *name, *vendor, *kind, *arch; /* kind: of ridge_machine_kinds */
    const char *inherits;                         /* id; NULL: none */
    const char *file;                             /* where it was read, or RIDGE_MACHINE_BUILT_IN */
    int64_t year;
    int64_t peak_flops_per_s[RIDGE_PRECISION_COUNT]; /* dense, of the whole device */
    bool lacks[RIDGE_PRECISION_COUNT];               /* it has no units for it: computes in the next wider one after a conversion */
    ridge_machine_level levels[RIDGE_MACHINE_LEVELS];
    size_t level_count; /* at least 1: levels[0] is "dram" */
    ridge_machine_link links[RIDGE_MACHINE_LINKS];
    size_t link_count;
    int64_t compute_units; /* SMs, CUs, cores */
    int64_t shared_bytes;  /* L1/shared memory of one unit */
    int64_t clock_hz;      /* boost for GPUs, base for CPUs: the one the peaks are stated at */
    int64_t power_w;
    double launch_overhead_s; /* least time of one kernel, launch to end, with launches queued ahead */
    ridge_machine_achieved achieved;
    ridge_machine_source *sources;
    size_t source_count;
    const char **unverified; /* fields whose number was recalled, not checked at its source */
    size_t unverified_count;
    const char **notes;
    size_t note_count;
} ridge_machine;

/* Built-in machines, then those of $XDG_DATA_HOME/ridge/machines, then `extra` folders or files (NULL, 0: none): a later one of
 * the same id overrides. Reads no file that is not asked for until list or find. */
typedef struct ridge_machines ridge_machines;
ridge_status ridge_machines_open(ridge_machines **out, const char *const *extra, size_t count, ridge_err *err);
void ridge_machines_close(ridge_machines *machines);
/* A machine by id, by whole words that only its id has ("4090" for rtx-4090), or by the path of a .json file; case and '_' for '-' are
 * forgiven. UNKNOWN with the ids that may be meant. Owned by `machines`. */
ridge_status ridge_machines_find(const ridge_machine **out, ridge_machines *machines, const char *id, ridge_err *err);
/* Is there one of exactly this id? Nothing is read. */
bool ridge_machines_has(const ridge_machines *machines, const char *id);
/* Adds a machine that is in no file, under its id, over one that has it; it must outlive `machines`. */
ridge_status ridge_machines_keep(ridge_machines *machines, const ridge_machine *machine, ridge_err *err);
/* ids of all, nothing is read; in the order of ridge_machines_list */
size_t ridge_machines_count(const ridge_machines *machines);
const char *ridge_machines_id(const ridge_machines *machines, size_t index);
/* all, in order of their ids' files: built-in order first */
ridge_status ridge_machines_list(const ridge_machine *const **out, size_t *count, ridge_machines *machines, ridge_err *err);

/* NULL where the machine has none of this name */
const ridge_machine_level *ridge_machine_level_find(const ridge_machine *machine, const char *name);
const ridge_machine_link *ridge_machine_link_find(const ridge_machine *machine, ridge_link_kind kind);

#endif
