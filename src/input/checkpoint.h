/* checkpoint.h - reads the tensors that torch.save wrote (.bin, .pt, .pth): names, types, shapes, shared storages.
 * In: a zip archive with a pickle in it, or the older form, pickles one after another. Nothing of a pickle is executed: the few calls that
 * tensors are made of are understood, and others are passed over where no tensor hangs on them.
 * Out: one weight a tensor, named by its path in the dicts. Fails where a tensor is made by another call, or is not what its storage holds.
 */
#ifndef RIDGE_INPUT_CHECKPOINT_H
#define RIDGE_INPUT_CHECKPOINT_H

#include "input/binary.h"
#include "input/weights.h"

/* a zip archive with a data.pkl, a pickle that begins with torch's magic number, or torch's oldest form, a tar archive, which is refused */
bool ridge_checkpoint_looks(ridge_binary *file);
ridge_status ridge_checkpoint_read(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);

#endif
