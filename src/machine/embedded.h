/* embedded.h - the built-in machines, machines/<id>.json, sorted bytewise by id. */
#ifndef RIDGE_MACHINE_EMBEDDED_H
#define RIDGE_MACHINE_EMBEDDED_H

typedef struct ridge_embedded_machine {
    const char *id;   /* "h100-sxm-80" */
    const char *file; /* "machines/h100-sxm-80.json" */
    const char *text; /* the whole file */
    unsigned length;
} ridge_embedded_machine;

extern const ridge_embedded_machine ridge_embedded_machines[];
extern const unsigned ridge_embedded_machines_count;

#endif
