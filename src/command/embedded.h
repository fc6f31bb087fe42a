/* embedded.h - the Python scripts that go with the program: tools/<name>.py, put into it at build time by tools/embed.c, sorted by name. */
#ifndef RIDGE_COMMAND_EMBEDDED_H
#define RIDGE_COMMAND_EMBEDDED_H

typedef struct ridge_embedded_script {
    const char *name; /* "ridge_inventory" */
    const char *file; /* "tools/ridge_inventory.py" */
    const char *text; /* `length` bytes; other files follow them */
    unsigned length;
} ridge_embedded_script;

extern const ridge_embedded_script ridge_embedded_scripts[];
extern const unsigned ridge_embedded_scripts_count;

#endif
