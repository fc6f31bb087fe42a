/* embedded.h - what the architectures of GGUF are here: the entries of gguf/ (docs/gguf.md), sorted bytewise by name. */
#ifndef RIDGE_INPUT_GGUF_EMBEDDED_H
#define RIDGE_INPUT_GGUF_EMBEDDED_H

typedef struct ridge_embedded_gguf {
    const char *name; /* "llama" */
    const char *file; /* "gguf/llama.json" */
    const char *text; /* the entry, an object */
    unsigned length;
} ridge_embedded_gguf;

extern const ridge_embedded_gguf ridge_embedded_gguf_entries[];
extern const unsigned ridge_embedded_gguf_entries_count;

#endif
