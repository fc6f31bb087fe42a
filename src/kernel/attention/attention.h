/* attention.h - what the attention variants share: the problem read once, who does which rows, memory that is made before the clock runs.
 * In: a run. Out: its state, freed by ridge_attention_close. The queries of all heads that share one K and V head are one list of rows,
 * position after position (row = position * group + head in the group), so that K and V are read once for the whole group and a causal
 * block of rows has one diagonal. Operands: Q, K, V, O. Fails where memory runs out or sizes overflow. docs/kernels.md */
#ifndef RIDGE_KERNEL_ATTENTION_ATTENTION_H
#define RIDGE_KERNEL_ATTENTION_ATTENTION_H

#include "kernel/codec/element.h"
#include "kernel/kernel.h"

enum { RIDGE_ATTENTION_Q, RIDGE_ATTENTION_K, RIDGE_ATTENTION_V, RIDGE_ATTENTION_O };

/* of the scores of masked keys: 2^(this - maximum) is 0 */
#define RIDGE_ATTENTION_MASKED (-1e30f)

typedef struct ridge_attention {
    int64_t seq, past, total, heads, kv_heads, head_dim, group;
    int64_t units;      /* batch * kv_heads: independent K and V */
    int64_t rows;       /* seq * group: queries of a unit */
    int64_t lanes;      /* rows of a block */
    int64_t blocks;     /* of a unit */
    int64_t splits;     /* decode: parts of a unit's keys */
    bool causal, whole; /* whole: masked keys are computed too */
    ridge_element q, kv;
    float scale; /* log2(e) / sqrt(head_dim): the exponentials are powers of two */
    unsigned threads;
    size_t floats;  /* scratch of one thread */
    float *scratch; /* [threads][floats], 64-byte aligned */
    float *shared;  /* decode: [units * splits][group][head_dim + 2] */
    void *memory;   /* what to free */
} ridge_attention;

/* Plain formats, whole groups, sizes above 0. */
bool ridge_attention_takes(const ridge_problem *problem);
/* Reads the problem and makes the memory. `lanes`: rows of a block; floats_per_thread of scratch and `shared` floats beside them
 * are functions of the state read so far. */
typedef struct ridge_attention_needs {
    int64_t lanes;
    bool whole, decode;
    int64_t (*scratch)(const ridge_attention *at); /* floats of one thread; below 0: too large */
} ridge_attention_needs;
ridge_status ridge_attention_open(ridge_kernel_run *run, const ridge_attention_needs *needs, ridge_err *err);
void ridge_attention_close(ridge_kernel_run *run);

/* the last key (inclusive) that a row of a unit attends to */
static inline int64_t ridge_attention_last_key(const ridge_attention *at, int64_t row)
{
    return at->causal ? at->past + row / at->group : at->total - 1;
}
/* keys that a block of rows computes: up to the last that any of its rows attends to */
int64_t ridge_attention_keys(const ridge_attention *at, int64_t block);
/* Blocks first .. last - 1 of the list of all units' blocks belong to `thread`: contiguous shares of equal cost, to half a block. */
void ridge_attention_share(int64_t *first, int64_t *last, const ridge_attention *at, unsigned thread);

/* element index of a row of Q or O: [batch, seq, heads, head_dim] */
static inline int64_t ridge_attention_row(const ridge_attention *at, int64_t unit, int64_t row)
{
    int64_t batch = unit / at->kv_heads, kv_head = unit % at->kv_heads;
    int64_t position = row / at->group, head = kv_head * at->group + row % at->group;
    return ((batch * at->seq + position) * at->heads + head) * at->head_dim;
}

/* a * b * c, or -1 where it does not fit or is below 0 */
int64_t ridge_attention_product(int64_t a, int64_t b, int64_t c);

extern const ridge_kernel_variant ridge_attention_naive, ridge_attention_blocked, ridge_attention_fused, ridge_attention_flash,
    ridge_attention_decode;
#if defined(__x86_64__)
extern const ridge_kernel_variant ridge_attention_naive_avx2, ridge_attention_blocked_avx2, ridge_attention_fused_avx2,
    ridge_attention_flash_avx2, ridge_attention_decode_avx2;
extern const ridge_kernel_variant ridge_attention_naive_avx512, ridge_attention_blocked_avx512, ridge_attention_fused_avx512,
    ridge_attention_flash_avx512, ridge_attention_decode_avx512;
#elif defined(__aarch64__)
extern const ridge_kernel_variant ridge_attention_naive_neon, ridge_attention_blocked_neon, ridge_attention_fused_neon,
    ridge_attention_flash_neon, ridge_attention_decode_neon;
#endif
/* NULL-terminated, the expected best first */
extern const ridge_kernel_variant *const ridge_attention_variants[];

#endif
