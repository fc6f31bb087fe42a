/* package.h - where the source of Python modules is found; nothing of it is imported by a Python or run.
 * In: a module's dotted name. Out: the module with its text: a stand-in that is built in, else a file of --source, else (transformers,
 * diffusers, the class's own package) of the packages that the user's Python has. What is not there is an opaque stand-in.
 * Packages of lazy libraries never run their __init__.py: a name is looked for in their files. Reads stay below the source folders. */
#ifndef RIDGE_LEARN_PACKAGE_PACKAGE_H
#define RIDGE_LEARN_PACKAGE_PACKAGE_H

#include "learn/python/interp.h"

/* A folder in which packages lie, as on Python's sys.path. */
typedef struct ridge_package_root {
    const char *folder; /* resolved: no link leads out of it unseen */
    const char *only;   /* the one package that is read of it; NULL: any */
} ridge_package_root;

typedef struct ridge_package {
    ridge_package_root *roots;
    size_t root_count, root_cap;
    const char *local;      /* the folder of a modeling_*.py that belongs to no package; or NULL */
    const char *local_name; /* "transformers_modules.NAME", as it is imported */
    size_t unread;          /* files that could not be read while a class was looked for */
    const char *unread_why; /* of the first of them: "cannot read FILE: Permission denied" */
    ridge_arena *arena;
} ridge_package;

/* source: --source, or NULL; model_folder: where the config.json lies, or NULL; class_path: dotted, its package may be read; or NULL */
ridge_status ridge_package_open(ridge_package *out, const char *source, const char *model_folder, const char *class_path,
                                ridge_arena *arena, ridge_err *err);
ridge_py_loader ridge_package_loader(ridge_package *package);
/* installs what the stand-ins ask of C: the native module _ridge */
ridge_status ridge_package_install(ridge_package *package, ridge_py_interp *in);

/* The module whose file defines a class at its top level: "transformers.models.llama.modeling_llama" of LlamaForCausalLM. `hint`: a word of
 * the module's name to look at first (the model type), or NULL. *module NULL: nobody does. */
ridge_status ridge_package_find_class(const char **module, ridge_package *package, const char *class, const char *hint,
                                      ridge_py_interp *in);
/* The version that a library's files tell of themselves; NULL: they don't. */
ridge_status ridge_package_version(const char **version, ridge_package *package, const char *library, ridge_py_interp *in);

/* Where a class is written. */
typedef struct ridge_package_place {
    const char *file;      /* as it was opened */
    const char *shown;     /* from the package on: transformers/models/llama/modeling_llama.py */
    uint32_t first, last;  /* lines */
    char file_sha256[65];  /* of the whole file */
    char lines_sha256[65]; /* of those lines */
    bool stand_in;         /* one of ours */
} ridge_package_place;
/* false: a native class */
bool ridge_package_place_of(ridge_package_place *out, const ridge_py_class *class, const ridge_package *package);

#endif
