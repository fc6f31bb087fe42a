/* embedded.h - the files of generated code that do not depend on the catalog: src/generate/runtime/, put into the program at build time by
 * tools/embed.c, sorted by path. */
#ifndef RIDGE_GENERATE_EMBEDDED_H
#define RIDGE_GENERATE_EMBEDDED_H

typedef struct ridge_embedded_generated_file {
    const char *path, *file; /* "src/generate/runtime/python/base.py", both */
    const char *text;        /* `length` bytes; other files follow them */
    unsigned length;
} ridge_embedded_generated_file;

extern const ridge_embedded_generated_file ridge_embedded_generated[];
extern const unsigned ridge_embedded_generated_count;

#endif
