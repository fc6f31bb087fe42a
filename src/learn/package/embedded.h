/* embedded.h - the Python modules that stand in for libraries, put into the program at build time by tools/embed.c.
 * One per catalog/python/<module>.py, sorted bytewise by module name; it takes precedence over the user's source of that name. */
#ifndef RIDGE_LEARN_PACKAGE_EMBEDDED_H
#define RIDGE_LEARN_PACKAGE_EMBEDDED_H

typedef struct ridge_embedded_module {
    const char *name; /* "torch.nn.modules.linear" */
    const char *file; /* "catalog/python/torch/nn/modules/linear.py"; a package's ends in /__init__.py */
    const char *text; /* `length` bytes; other files follow them */
    unsigned length;
} ridge_embedded_module;

extern const ridge_embedded_module ridge_embedded_modules[];
extern const unsigned ridge_embedded_modules_count;

/* by bisection; NULL where there is none */
const ridge_embedded_module *ridge_embedded_module_find(const char *name);

#endif
