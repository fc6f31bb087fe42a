/* checkpoint_tensor.h - the tensors in a checkpoint's pickle: which calls make them, and of which storage.
 * In: a value of the pickle. Out: a weight, its storage noted. Used by checkpoint.c alone. */
#ifndef RIDGE_INPUT_CHECKPOINT_TENSOR_H
#define RIDGE_INPUT_CHECKPOINT_TENSOR_H

#include "input/pickle.h"
#include "input/weights.h"

typedef struct ridge_checkpoint_storage {
    ridge_str key;
    const ridge_format *format; /* NULL: bytes, whose type the tensor says */
    const char *stored_as;
    uint64_t numel; /* elements, or bytes */
    uint64_t bytes;
    uint64_t at; /* in the file; 0: not known */
} ridge_checkpoint_storage;

typedef struct ridge_checkpoint_storages {
    ridge_symtab keys;
    ridge_checkpoint_storage *items; /* by the key's number */
    size_t cap;
    const char *path; /* of the file, for messages */
    ridge_arena *arena;
    ridge_err *err;
} ridge_checkpoint_storages;

typedef enum ridge_checkpoint_call {
    RIDGE_MADE_NO_TENSOR,
    RIDGE_MADE_TENSOR,
    RIDGE_MADE_UNKNOWN, /* a tensor, by a call that is not understood */
} ridge_checkpoint_call;

/* does this value make a tensor? */
ridge_checkpoint_call ridge_checkpoint_made_by(const ridge_pickle_value *v);
/* what would be called: a GLOBAL's name, "?" */
const char *ridge_checkpoint_caller(const ridge_pickle_value *v, ridge_arena *arena);
/* Fills w, whose name is set, of a value that makes a TENSOR; *storage: the number of its storage; *first: its first element there. */
ridge_status ridge_checkpoint_tensor(ridge_weight *w, uint32_t *storage, uint64_t *first, ridge_checkpoint_storages *storages,
                                     const ridge_pickle_value *v);

#endif
