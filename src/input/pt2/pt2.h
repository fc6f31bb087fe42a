/* pt2.h - reads what torch.export.save writes (.pt2): the graph of operators of an exported program, and its table of weights.
 * In: a zip archive, of any layout and schema since PyTorch 2.1; nothing of a pickle is executed. Out: the form of opgraph.h, in the arena;
 * the JSON itself does not outlive the call. Fails with the place in the JSON where it is not as the schema says, where a value is read
 * before it is made, and where graph and stored weights disagree. */
#ifndef RIDGE_INPUT_PT2_PT2_H
#define RIDGE_INPUT_PT2_PT2_H

#include "input/binary.h"
#include "input/opgraph.h"

/* a zip archive with a serialized_exported_program.json, or with an archive_format that says pt2 */
bool ridge_pt2_looks(ridge_binary *file);
ridge_status ridge_pt2_read(ridge_opgraph *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);
/* its weights alone: parameters and buffers */
ridge_status ridge_pt2_weights(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);

#endif
