/* gguf.h - reads GGUF, the files of llama.cpp: versions 1 to 3, also where a model is split over several (ggml's docs/gguf.md).
 * In: a path. Out: the metadata, typed, and the table of tensors; nothing of the tensors' bytes and of long arrays. Owned by the arena.
 * Fails with path and byte offset on what the format forbids, on what does not fit in the file, and on types that are no more. */
#ifndef RIDGE_INPUT_GGUF_GGUF_H
#define RIDGE_INPUT_GGUF_GGUF_H

#include "input/binary.h"
#include "input/weights.h"

/* the number in the file, name, bytes (0: they say themselves) */
#define RIDGE_GGUF_TYPE_LIST(X)                                                                                                            \
    X(U8, "uint8", 1)                                                                                                                      \
    X(I8, "int8", 1)                                                                                                                       \
    X(U16, "uint16", 2)                                                                                                                    \
    X(I16, "int16", 2)                                                                                                                     \
    X(U32, "uint32", 4)                                                                                                                    \
    X(I32, "int32", 4)                                                                                                                     \
    X(F32, "float32", 4)                                                                                                                   \
    X(BOOL, "bool", 1)                                                                                                                     \
    X(TEXT, "string", 0)                                                                                                                   \
    X(ARRAY, "array", 0)                                                                                                                   \
    X(U64, "uint64", 8)                                                                                                                    \
    X(I64, "int64", 8)                                                                                                                     \
    X(F64, "float64", 8)
typedef enum ridge_gguf_type {
#define X(code, name, bytes) RIDGE_GGUF_##code,
    RIDGE_GGUF_TYPE_LIST(X) RIDGE_GGUF_TYPES
#undef X
} ridge_gguf_type;

/* a number of the metadata; a float's `whole` is unused */
typedef struct ridge_gguf_number {
    ridge_int whole;
    double real;
} ridge_gguf_number;

typedef struct ridge_gguf_pair {
    ridge_str key;
    ridge_gguf_type type; /* of the value, or of an array's items; ARRAY: an array of arrays, of which nothing is kept */
    bool array;
    uint64_t count;                   /* of an array's items; else 1 */
    const ridge_gguf_number *numbers; /* [count]; NULL: a string, or an array too long to keep */
    ridge_str text;                   /* of a string alone */
} ridge_gguf_pair;

typedef struct ridge_gguf {
    const char *path;     /* as given */
    ridge_int file_bytes; /* of the first file, whatever of it was read */
    uint32_t version;
    uint32_t alignment;
    ridge_gguf_pair *pairs; /* of the first file; of the others of a split model only what says that they are others */
    size_t pair_count, pair_cap;
    ridge_symtab names; /* keys and tensors */
    uint32_t *at;       /* [symbol]: index among the tensors + 1; 0: a key */
    size_t at_cap, tensor_cap;
    ridge_weights weights;
} ridge_gguf;

enum {
    RIDGE_GGUF_KEPT = 4096,        /* items of an array of numbers; longer ones, as a vocabulary's scores, are counted alone */
    RIDGE_GGUF_PAIRS = 100000,     /* most pairs, and most tensors */
    RIDGE_GGUF_TENSORS = 1000000,  /* ... of all files */
    RIDGE_GGUF_STRINGS = 16777216, /* most strings of an array, each of which is passed by itself */
    RIDGE_GGUF_FILES = 10000
};

/* A file, or the first of several that its name and `split.count` tell ("-00001-of-00003.gguf"; any of them may be given). */
ridge_status ridge_gguf_read(ridge_gguf *out, const char *path, ridge_arena *arena, ridge_err *err);
/* one file alone, open already; of a split model what this part of it has */
ridge_status ridge_gguf_read_one(ridge_gguf *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);
/* "NAME-00002-of-00003.gguf": what stands before "-00002", and the two numbers; false: the name is another */
bool ridge_gguf_split_name(ridge_str *stem, unsigned *number, unsigned *count, const char *path);
/* Does the file begin with GGUF's magic? */
bool ridge_gguf_looks(ridge_binary *file);

/* NULL where there is none */
const ridge_gguf_pair *ridge_gguf_find(const ridge_gguf *gguf, const char *key);
/* a string's text; n == 0: there is none */
ridge_str ridge_gguf_text(const ridge_gguf *gguf, const char *key);
const ridge_weight *ridge_gguf_tensor(const ridge_gguf *gguf, ridge_str name);
const char *ridge_gguf_type_name(ridge_gguf_type type);
bool ridge_gguf_is_float(ridge_gguf_type type);

#endif
