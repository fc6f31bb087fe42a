/* weights.h - the tensor table of weight files: what every reader of weights fills, whatever the file's kind.
 * In: files as readers find them. Out: name, format, shape, stored bytes and place of every tensor, never its values; owned by the arena.
 * Fails on a shape, size or place that cannot be. */
#ifndef RIDGE_INPUT_WEIGHTS_H
#define RIDGE_INPUT_WEIGHTS_H

#include "base/format.h"
#include "base/json.h"

typedef struct ridge_weight {
    ridge_str name;             /* as in the file; UTF-8 */
    const ridge_format *format; /* never NULL in a file that was read: a type that no format says is refused by its reader */
    const char *stored_as;      /* the file's own word: "BF16", "Q4_K", "torch.float16" */
    uint32_t rank;
    const uint64_t *shape; /* outermost dimension first, as PyTorch has it (GGUF's are turned) */
    ridge_int elements;
    ridge_int bytes; /* as stored */
    uint32_t file;   /* which of the table's files */
    uint64_t offset; /* of its first byte in that file; where the file does not say: 0 */
    uint32_t tied;   /* it shares another one's bytes: 1 + that one's index in the table; 0: it has its own */
    bool parameter;  /* the file says that it is a parameter: a whole module's, an exported program's */
    bool buffer;     /* the file says that it is no parameter, whatever its name */
    bool unread;     /* only an index names it: its file is not there; format, shape, elements and bytes are not known */
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
    uint32_t absent_files;      /* of an index: how many are not there */
    size_t unread;              /* tensors that are in those */
    const char *part;           /* of a checkpoint: the member that was read ("state_dict"); NULL: all of it */
    const char *left;           /* ... and those beside it ("epoch, optimizer"); NULL: none */
} ridge_weights;

/* A name from a file as a message may show it, a long one cut; "" where memory ran out. */
const char *ridge_weight_shown(ridge_arena *arena, ridge_str name);

/* A name's place among those that were seen: for tables, where no name may stand twice. */
typedef struct ridge_weight_names {
    ridge_symtab names;
    uint32_t *at; /* of the tensor, by the name's number */
    size_t cap;
} ridge_weight_names;
/* Of a whole table; VALUE where a name stands twice, with the files that have it. */
ridge_status ridge_weight_names_make(ridge_weight_names *out, const ridge_weights *weights, ridge_arena *arena, ridge_err *err);
/* NULL: there is none of that name */
ridge_weight *ridge_weight_find(const ridge_weight_names *names, const ridge_weights *weights, ridge_str name);
/* bytes and elements of a table, of tensors that share theirs once; OVERFLOW above 2^127 */
ridge_status ridge_weights_sum(ridge_weights *weights, ridge_err *err);

/* Bytes of a tensor in a storage that several may share. */
typedef struct ridge_weight_span {
    uint32_t storage, at; /* of the tensor in the table */
    uint64_t begin, end;  /* bytes of the storage */
} ridge_weight_span;
/* Tensors that lie in another one's bytes share them: lm_head.weight and model.embed_tokens.weight, or a view of some rows. Sorts. */
void ridge_weights_tie(ridge_weights *weights, ridge_weight_span *spans, size_t count);

/* elements and stored bytes of w->shape in w->format; false: above 2^127, or above 2^63 bytes */
bool ridge_weight_measure(ridge_weight *w);

#endif
