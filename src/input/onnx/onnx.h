/* onnx.h - reads ONNX files: the graph of operators, its weights' names, types and shapes (onnx.proto, IR versions 1 to 13).
 * In: an open file. Out: a ridge_opgraph, with functions of the model put in place of their calls and nodes `Constant` in place of values.
 * Weights are passed over by their length; files of external data are not opened. Owned by the arena; names and small constants are copied.
 * Fails with path, byte or node where the file is no ONNX, breaks the format, or is larger than what is read. */
#ifndef RIDGE_INPUT_ONNX_ONNX_H
#define RIDGE_INPUT_ONNX_ONNX_H

#include "input/binary.h"
#include "input/opgraph.h"

enum {
    RIDGE_ONNX_NODES = 1000000,  /* most nodes: in the file, and of the graph when functions are put in place */
    RIDGE_ONNX_MEMORY = 1 << 30, /* bytes that names, nodes and constants of one file may take */
    RIDGE_ONNX_NAME = 1 << 16,   /* bytes of a name */
    RIDGE_ONNX_TEXT = 1 << 20,   /* ... of an attribute that is a text; longer ones are blobs, and not kept */
    RIDGE_ONNX_CALLS = 64        /* functions and bodies in one another */
};

ridge_status ridge_onnx_read(ridge_opgraph *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);

/* ---- for the table of readers (input/probe.c) ---- */
/* ONNX has no magic: is the file one message whose fields are those of a model? */
bool ridge_onnx_looks(ridge_binary *file);
/* the weights alone */
ridge_status ridge_onnx_weights(ridge_weights *out, ridge_binary *file, ridge_arena *arena, ridge_err *err);

#endif
