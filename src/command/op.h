/* cmd_op.h - what the kinds of `ridge op` share: their options' values, and the one function that runs them all.
 * In: the values. Out: the answer in io->data. Fails as ridge_op_ask does, and (USAGE) on options that do not fit together. */
#ifndef RIDGE_CLI_CMD_OP_H
#define RIDGE_CLI_CMD_OP_H

#include "operator/answer.h"
#include "cli/commands.h"
#include "cli/picture.h"

typedef struct ridge_op_args {
    int kind;                 /* ridge_op_kind; the sub-command's default */
    int variant;              /* of a group of kinds (elementwise --op): index in `variants`; negative: not given */
    const int *variants;      /* the kinds; NULL: not a group */
    const char *group;        /* "elementwise" */
    const char *variant_list; /* "silu, gelu or ..." */
    int64_t dims[RIDGE_OP_DIM_COUNT];
    const char *kernel, *stride, *padding, *dilation; /* N or HxW */
    bool flags[RIDGE_OP_FLAG_COUNT];
    const ridge_format *dtype, *weights, *kv;
    bool all_formats, tiling;
    const char *on;     /* machines, comma between */
    const char *launch; /* seconds, or "machine" */
    const char *level;
    ridge_words words; /* none are taken: kept to tell how they are written */
    ridge_machines_args machines;
    ridge_output_args output;
    ridge_picture_args pictures; /* a page is a prediction's: html stays NULL */
} ridge_op_args;

ridge_status ridge_op_run(ridge_io *io, const void *args, ridge_err *err);

#endif
