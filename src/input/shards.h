/* shards.h - the weights of a model: one file, shards with their index, or a folder.
 * In: a path. Out: one tensor table of all its files, in the arena. A folder is read as transformers and diffusers read it: safetensors
 * before PyTorch's own, a single file before an index; without either, all files of one kind are one model where no tensor is in two.
 * Fails with what is missing; with `absent`, an index stands for files that are not there: names without shapes. */
#ifndef RIDGE_INPUT_SHARDS_H
#define RIDGE_INPUT_SHARDS_H

#include "input/weights.h"

typedef struct ridge_shards_options {
    bool absent; /* files that an index names need not be there */
} ridge_shards_options;

ridge_status ridge_shards_read(ridge_weights *out, const char *path, ridge_shards_options options, ridge_arena *arena, ridge_err *err);
/* What would be read of a folder: a path of a weight file or an index in it; NULL: it has none (or memory ran out, which the arena says).
 */
const char *ridge_shards_in(const char *folder, ridge_arena *arena);
/* the name of a weight file, or of an index of such */
bool ridge_shards_is(const char *path);

#endif
