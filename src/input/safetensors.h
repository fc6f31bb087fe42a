/* safetensors.h - reads the header of one safetensors file (huggingface/safetensors, "Format").
 * In: a file; 8 bytes little-endian N, N bytes of JSON, then the tensors' bytes. Out: one weight a tensor, in the header's order.
 * Fails with line and column of the JSON on what the format forbids: a header above 100 MB, a tensor whose bytes are not its shape's, bytes
 * that overlap, have a gap or are not there. Only the header is read. */
#ifndef RIDGE_INPUT_SAFETENSORS_H
#define RIDGE_INPUT_SAFETENSORS_H

#include "input/binary.h"
#include "input/weights.h"

enum { RIDGE_SAFETENSORS_HEADER_LIMIT = 100000000 };

/* Does the file begin like one: a length that it can have, and a brace? There is no magic number. */
bool ridge_safetensors_looks(ridge_binary *file);
ridge_status ridge_safetensors_read(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);

#endif
