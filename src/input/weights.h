/* weights.h - the tensor table of weight files: what every reader of weights fills, whatever the file's kind.
 * In: files as readers find them. Out: name, format, shape, stored bytes and place of every tensor, never its values; owned by the arena.
 * Fails on a shape, size or place that cannot be. */
#ifndef RIDGE_INPUT_WEIGHTS_H
#define RIDGE_INPUT_WEIGHTS_H

#include "base/format.h"
#include "base/json.h"

typedef struct ridge_weight {
    ridge_str name;             /* as in the file; UTF-8 */
    const ridge_format *format; /* never NULL: a type that no format says is refused by its reader */
    const char *stored_as;      /* the file's own word: "BF16", "Q4_K", "torch.float16" */
    uint32_t rank;
    const uint64_t *shape; /* outermost dimension first, as PyTorch has it (GGUF's are turned) */
    ridge_int elements;
    ridge_int bytes; /* as stored */
    uint32_t file;   /* which of the table's files */
    uint64_t offset; /* of its first byte in that file; where the file does not say: 0 */
} ridge_weight;

typedef struct ridge_weights {
    const char *kind;   /* "safetensors", "GGUF", "PyTorch checkpoint": for people */
    const char **files; /* paths, as opened */
    uint32_t file_count;
    ridge_weight *tensors; /* in the order of the files */
    size_t count;
    ridge_int bytes;            /* of all tensors, each once */
    ridge_int elements;         /* of all tensors */
    const ridge_json *metadata; /* safetensors' __metadata__, an index's metadata; NULL: none */
} ridge_weights;

/* elements and stored bytes of w->shape in w->format; false: above 2^127, or above 2^63 bytes */
bool ridge_weight_measure(ridge_weight *w);

#endif
