/* parts.h - what the files of this folder share. */
#ifndef RIDGE_LEARN_PACKAGE_PARTS_H
#define RIDGE_LEARN_PACKAGE_PARTS_H

#include "learn/package/package.h"

/* where a module's source is */
typedef struct ridge_package_file {
    const char *file;   /* NULL: a folder without __init__.py */
    const char *root;   /* the folder that it lies below */
    const char *folder; /* of a package */
    bool is_package;
} ridge_package_file;

/* name is package or lies below it */
bool ridge_package_under(const char *name, const char *package);
bool ridge_package_locate(ridge_package_file *out, ridge_package *package, const char *name);
bool ridge_package_exists(ridge_package *package, const char *name); /* stand-ins included */

/* ridge_py_module.attribute of packages that are looked through, and of modules that nobody has */
ridge_status ridge_package_attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in);
ridge_status ridge_opaque_attribute(ridge_py *out, ridge_py_module *module, const ridge_symbol *name, ridge_py_interp *in);

#endif
