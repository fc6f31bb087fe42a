/* parts.h - how a GGUF is read, file by file; private to the folder. */
#ifndef RIDGE_INPUT_GGUF_PARTS_H
#define RIDGE_INPUT_GGUF_PARTS_H

#include "input/gguf/gguf.h"

/* One file on its way: its header and metadata are read; `c` stands at the table of tensors. */
typedef struct gguf_part {
    ridge_gguf *into;
    ridge_cursor c;
    ridge_arena *arena;
    ridge_err *err;
    uint64_t tensors, pairs;
} gguf_part;

/* a count or a length: 4 bytes in version 1, 8 since */
ridge_status ridge_gguf_count(uint64_t *out, gguf_part *p, const char *what);
/* a string that is kept: UTF-8 of at most `limit` bytes */
ridge_status ridge_gguf_string(ridge_str *out, gguf_part *p, size_t limit, const char *what);
/* a name of the file as a message shows it */
const char *ridge_gguf_shown(gguf_part *p, ridge_str name);

/* magic, version, counts */
ridge_status ridge_gguf_header(gguf_part *p);
/* all pairs, added to the GGUF's */
ridge_status ridge_gguf_pairs(gguf_part *p);
/* the table of tensors, added to the GGUF's, and where they lie */
ridge_status ridge_gguf_tensors(gguf_part *p);

#endif
