/* ceiling.h - the loops that a machine's ceilings are measured with: streams through memory, chains of multiply-adds per ISA.
 * In: buffers and a count of bytes, or a number of rounds. Out: nothing but the time they take; how much they did is in the tables.
 * They are written in assembly, so no compiler folds, fuses or reorders them. Which run here: isa, against ridge_isa_have(). */
#ifndef RIDGE_KERNEL_CEILING_CEILING_H
#define RIDGE_KERNEL_CEILING_CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* code, name, arrays read, arrays written. Bytes are those the program asks for; a store that is not non-temporal ("nt") also reads the
 * line it writes from memory first, which is not counted (McCalpin, STREAM). triad: to = a + s * b, in fp32. */
#define RIDGE_STREAM_LIST(X)                                                                                                               \
    X(READ, "read", 1, 0)                                                                                                                  \
    X(WRITE, "write", 0, 1)                                                                                                                \
    X(WRITE_NT, "write-nt", 0, 1)                                                                                                          \
    X(COPY, "copy", 1, 1)                                                                                                                  \
    X(COPY_NT, "copy-nt", 1, 1)                                                                                                            \
    X(TRIAD, "triad", 2, 1)                                                                                                                \
    X(TRIAD_NT, "triad-nt", 2, 1)
typedef enum ridge_stream_kind {
#define X(code, ...) RIDGE_STREAM_##code,
    RIDGE_STREAM_LIST(X) RIDGE_STREAM_COUNT
#undef X
} ridge_stream_kind;
extern const char *const ridge_stream_names[RIDGE_STREAM_COUNT + 1];
extern const unsigned ridge_stream_arrays[RIDGE_STREAM_COUNT]; /* read and written together: 1, 1, 1, 2, 2, 3, 3 */

enum { RIDGE_STREAM_UNIT = 4096 }; /* a stream's bytes are a multiple of it, its arrays 64-byte aligned */

typedef struct ridge_stream {
    ridge_stream_kind kind;
    const char *name; /* of the variant: "avx512", "avx512 prefetch 4 KiB" */
    unsigned isa;     /* all of these bits are needed (kernel.h) */
    /* passes once over `bytes` of each array the kind has; the others are not touched */
    void (*run)(char *to, const char *a, const char *b, size_t bytes);
} ridge_stream;

/* Independent chains of one instruction, more of them than latency x units of any known core. */
typedef struct ridge_peak {
    const char *precision; /* as machine files name it: "fp32", "int8" */
    const char *name;      /* "avx512 fma", "vnni", "amx" */
    unsigned isa;
    uint64_t flops_per_round; /* a multiply-add is 2; integer operations of int8 */
    void (*run)(uint64_t rounds);
} ridge_peak;

/* One after the other, of all ISAs of the architecture it was compiled for, the widest last; NULL past the end. */
const ridge_stream *ridge_stream_at(size_t index);
const ridge_peak *ridge_peak_at(size_t index);
/* The variant of this name that runs on this CPU; `name` NULL: the last that does. NULL where there is none. */
const ridge_stream *ridge_stream_find(ridge_stream_kind kind, const char *name);

#endif
