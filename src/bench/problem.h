/* problem.h - a kernel's problem (kernel/kernel.h) as the catalog's operator (operator/ops.h) and as text.
 * In: a problem. Out: its FLOPs and bytes from the catalog, its least time on a machine, its sizes as JSON and as a word.
 * A benchmark has no formula of its own: each kind of kernel is an operator of the catalog.
 * Fails as ridge_ops_count does. */
#ifndef RIDGE_BENCH_PROBLEM_H
#define RIDGE_BENCH_PROBLEM_H

#include "bench/machine.h"
#include "operator/time.h"
#include "compare/compare.h"
#include "kernel/kernel.h"

typedef struct ridge_bench_cost {
    ridge_op_record record;
    ridge_op_formats formats;
} ridge_bench_cost;
ridge_status ridge_bench_cost_of(ridge_bench_cost *out, const ridge_problem *problem, ridge_ops *ops, ridge_arena *arena, ridge_err *err);

/* how its operands are read and written, the small ones left out */
ridge_bench_mix ridge_bench_mix_of(const ridge_problem *problem);

/* The time of each side of the roofline; negative where the machine lacks the rate. cold: operands come from main memory, else from the
 * innermost level that holds them. activation_bits 8: products run at the int8 rate (kernel.h). *used: the precision of the products, or
 * of the vector units; *level: where the operands come from, NULL where unknown. */
typedef struct ridge_bench_least {
    ridge_compare_sides sides;
    ridge_precision used;
    const ridge_machine_level *level;
} ridge_bench_least;
ridge_bench_least ridge_bench_least_of(const ridge_bench_cost *cost, const ridge_machine *machine, unsigned activation_bits, bool cold);

/* {"n": 14336, "k": 4096}; in the arena, NULL where memory runs out */
const char *ridge_bench_shape_json(const ridge_problem *problem, ridge_arena *arena);
/* "14336x4096", "16x4096x4096", "1x512 kv512 32/8x128 causal": m x n x k; batch x seq, keys, heads/kv_heads x head_dim */
const char *ridge_bench_shape_text(const ridge_problem *problem, ridge_arena *arena);

/* ---- sizes by option ---- */
/* sizes of a problem: member, option (and JSON key), what it is; "kv-len" is past + seq */
#define RIDGE_BENCH_SIZE_LIST(X)                                                                                                           \
    X(m, "m", "gemm: rows of activations")                                                                                                 \
    X(n, "n", "gemv, gemm: rows of W; embedding: rows of the table")                                                                       \
    X(k, "k", "gemv, gemm: columns of W, the reduction")                                                                                   \
    X(rows, "rows", "norms, softmax, silu, gelu, add, rope: rows; embedding: rows looked up")                                              \
    X(cols, "cols", "... elements of a row")                                                                                               \
    X(batch, "batch", "attention, a model: sequences (default 1)")                                                                         \
    X(seq, "seq", "attention, wkv, a model: new tokens per sequence")                                                                      \
    X(past, "past", "attention, rope, a model's decode: tokens before them")                                                               \
    X(kv_len, "kv-len", "attention: keys per sequence, in place of " RIDGE_OPT("past"))                                                    \
    X(heads, "heads", "attention, rope: query heads")                                                                                      \
    X(kv_heads, "kv-heads", "attention: key and value heads (default: heads)")                                                             \
    X(head_dim, "head-dim", "attention, rope: length of a head")
typedef enum ridge_bench_size {
#define X(member, option, help) RIDGE_BENCH_##member,
    RIDGE_BENCH_SIZE_LIST(X) RIDGE_BENCH_SIZES
#undef X
} ridge_bench_size;
extern const char *const ridge_bench_size_options[RIDGE_BENCH_SIZES];
/* Fills the sizes; RIDGE_UNSET: not given. USAGE on one that is missing or not the kind's. */
ridge_status ridge_bench_problem_sizes(ridge_problem *problem, const int64_t sizes[RIDGE_BENCH_SIZES], bool causal, ridge_err *err);

#endif
