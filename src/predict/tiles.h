/* tiles.h - how a GPU cuts a matrix product C[m,n] = A[m,k] B[k,n] into tiles, and what the cutting costs.
 * In: sizes, bits per element, the rates of the machine. Out: one tiling with everything counted of it; the chosen one takes least time.
 * Sources: NVIDIA, "Matrix Multiplication Background User's Guide" (tile sizes; tile and wave quantisation); CUTLASS 3, doc
 * "Efficient GEMM" (pipeline stages, split-K, clusters). Fails where the machine does not say how many units it has. */
#ifndef RIDGE_PREDICT_TILES_H
#define RIDGE_PREDICT_TILES_H

#include "base/format.h"
#include "predict/sustained.h"

typedef struct ridge_tile_problem {
    int64_t m, n, k;                     /* each at least 1 */
    double a_bits, b_bits;               /* per element, scales included */
    double a_bytes, b_bytes, c_bytes;    /* of the whole matrices, unfilled blocks included */
    double a_reuse_bytes, b_reuse_bytes; /* touched between two uses of A, of B; 0: they come from main memory (ridge_cache_hit_share) */
} ridge_tile_problem;

typedef struct ridge_tile_shape {
    int64_t tile_m, tile_n, splits; /* splits of k: split-K */
} ridge_tile_shape;

typedef struct ridge_tiling {
    ridge_tile_shape shape;
    int64_t tile_k, stages;        /* k-step of the pipeline: 128 bytes of the wider operand; steps in flight */
    double grid_m, grid_n, blocks; /* blocks = grid_m * grid_n * splits; exact up to 2^53 */
    double block_shared_bytes;     /* stages * (tile_m * a + tile_n * b) * tile_k */
    int64_t blocks_per_unit;       /* resident at once: shared memory, accumulators in half of a 256 KiB register file */
    double waves;                  /* rounds of the busiest unit: ceil(blocks / units) */
    double wave_efficiency;        /* blocks / (waves * units) */
    double tile_efficiency;        /* m n k / (padded to whole tiles) */
    double cache_bytes;            /* through the shared cache: what the tiles read, the result, split-K sums */
    double memory_read_bytes,
        memory_written_bytes;                    /* main memory: compulsory, and what a wave reads again because the cache is too small */
    double compute_s, cache_s, port_s, memory_s; /* each alone, of the whole product */
    double fill_s;                               /* first loads, last stores, the second kernel of split-K: nothing overlaps them */
    double time_s;                               /* kernel + fill + the largest of the four */
} ridge_tiling;

/* One given shape. No failure: an impossible one (stages < 2 do not fit in shared memory) has time_s = INFINITY. */
void ridge_tiling_of(ridge_tiling *out, const ridge_sustained *s, const ridge_tile_problem *problem, ridge_tile_shape shape);

/* The shape of least time among NVIDIA's tile sizes and skinny ones, split up to 32 ways. False where s->units is unknown. */
bool ridge_tiling_best(ridge_tiling *out, const ridge_sustained *s, const ridge_tile_problem *problem);

/* As a view for people: operands in formats a and b, result c, everything from main memory. `used` (may be NULL) gets the precision it
 * computes at. VALUE for sizes below 1; UNKNOWN where the machine has no rate for the formats or does not say its number of units. */
ridge_status ridge_tiling_find(ridge_tiling *out, ridge_precision *used, const ridge_machine *machine, const ridge_format *a,
                               const ridge_format *b, const ridge_format *c, int64_t m, int64_t n, int64_t k, ridge_err *err);

#endif
