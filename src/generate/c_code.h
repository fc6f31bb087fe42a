/* c_code.h - how one entry is written in C; private to c*.c. */
#ifndef RIDGE_GENERATE_C_CODE_H
#define RIDGE_GENERATE_C_CODE_H

#include "generate/write.h"

typedef struct ridge_c_writer {
    ridge_coder c;     /* its `out` is the statement that is being written */
    ridge_buf body;    /* finished lines of the function */
    ridge_buf line;    /* the statement */
    ridge_buf helpers; /* functions that it needs */
    const ridge_code_request *request;
    const ridge_generated *g;
    const ridge_entry *e;
    ridge_locals locals;
    const char *into; /* what parts are added to: m, or a group */
    unsigned groups, configs;
} ridge_c_writer;

/* the functions and the table of an entry; what it calls is noted in `uses` */
ridge_status ridge_c_entry(ridge_buf *out, ridge_code_uses *uses, const ridge_code_request *request, const ridge_generated *entry);
/* of kind config */
void ridge_c_config(ridge_c_writer *writer, ridge_buf *out);

#endif
