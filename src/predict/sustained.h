/* sustained.h - the rates that a machine keeps up in practice: what a good kernel reaches of the peaks, what it waits for at least.
 * In: a machine, the precision it computes at. Out: one struct of rates in SI units; 0 = unknown, such a limit is then not applied.
 * Figures of the machine file come first; constants of published measurements stand in for what it lacks. docs/accuracy.md has them all.
 * Nothing here is fitted to kernel times. Never fails: a machine without units has device-wide rates only. */
#ifndef RIDGE_PREDICT_SUSTAINED_H
#define RIDGE_PREDICT_SUSTAINED_H

#include "machine/machine.h"

typedef struct ridge_sustained {
    double units;              /* SMs, CUs; 0: unknown or no GPU, then nothing is tiled */
    double clock_hz;           /* > 0 where units > 0 */
    double matrix_flops_per_s; /* of the whole device, at the precision asked for; never above its peak; what was measured, where that is
                                * all that is known */
    double vector_flops_per_s; /* fp32 outside the matrix units, one instruction a lane and clock (no fused multiply-add) */
    double exp_per_s;          /* exponentials of the whole device; 0: unknown */
    double read_bytes_per_s, write_bytes_per_s; /* main memory, reading and writing streams apart; never above its bandwidth */
    double cache_bytes_per_s, cache_bytes;      /* last cache that all units share, out of it; 0: none known */
    double port_bytes_per_s;                    /* into one unit; 0: unknown */
    double memory_latency_s, cache_latency_s;   /* one dependent load */
    double kernel_s;                            /* an almost empty kernel, launches queued ahead: start, one load, one store, end */
    double unit_shared_bytes;                   /* shared memory that the blocks of one unit can have */
    bool multicast;                             /* one read of the shared cache feeds two units (thread block clusters) */
} ridge_sustained;

ridge_sustained ridge_sustained_of(const ridge_machine *machine, ridge_precision precision);

/* The share of the peak at `precision` that large matrix products reach: achieved / peak of the machine file; where it has none, the
 * median over the machines of that vendor and kind that have one. 0 < share <= 1. */
double ridge_matrix_share(const ridge_machine *machine, ridge_precision precision);

/* Seconds that main memory takes for these bytes, read and written. 0 where its bandwidth is unknown. */
double ridge_sustained_memory_s(const ridge_sustained *s, double read_bytes, double written_bytes);

/* Share of the reads that the shared cache answers when `reuse_bytes` are touched between two uses of the same data; reuse_bytes <= 0:
 * never used before, all come from main memory. Full below 0.65 of the capacity, none above 1.35, linear between: the shape that
 * gpu-l2-cache shows on A100 and H100. */
double ridge_cache_hit_share(const ridge_sustained *s, double reuse_bytes);

#endif
