/* embedded.h - the config.json of every shipped example model, from examples/<org>--<name>/, sorted bytewise by id. */
#ifndef RIDGE_INPUT_EMBEDDED_H
#define RIDGE_INPUT_EMBEDDED_H

typedef struct ridge_embedded_model {
    const char *id;   /* "org/name" */
    const char *file; /* "examples/org--name/config.json" */
    const char *text; /* the whole file */
    unsigned length;
} ridge_embedded_model;

extern const ridge_embedded_model ridge_embedded_models[];
extern const unsigned ridge_embedded_models_count;

#endif
