/* generate.h - templates of the catalog as code that needs nothing of Ridge: classes in Python, functions in C.
 * In: a registry, which modules, a language, a folder. Out: the folder, whole or not at all, and what was written, in the arena.
 * Fails on names that the catalog does not have and on a folder that holds something else. */
#ifndef RIDGE_GENERATE_GENERATE_H
#define RIDGE_GENERATE_GENERATE_H

#include "catalog/registry.h"
#include "report/record.h"

typedef enum ridge_generate_language { RIDGE_GENERATE_PYTHON, RIDGE_GENERATE_C } ridge_generate_language;
extern const char *const ridge_generate_languages[]; /* NULL after the last */

typedef struct ridge_generate_request {
    ridge_words modules; /* names, or patterns with '*' and '?'; none: the whole catalog */
    const char *out;     /* the folder */
} ridge_generate_request;
extern const ridge_option ridge_options_generate[];

typedef struct ridge_generated_library {
    const char *name;
    size_t modules, functions, formulas, configs, files;
    int64_t lines, bytes;
} ridge_generated_library;

typedef struct ridge_left_out {
    const char *module, *why;
} ridge_left_out;

typedef struct ridge_generate_answer {
    ridge_generate_language language;
    const char *out;
    size_t modules, functions, formulas, configs, files;
    int64_t lines, bytes;
    size_t operators; /* of the catalog, which become no code */
    ridge_generated_library *libraries;
    size_t library_count;
    ridge_left_out *left_out;
    size_t left_out_count, left_out_cap;
} ridge_generate_answer;

ridge_status ridge_generate_make(ridge_generate_answer *out, ridge_registry *registry, ridge_generate_language language,
                                 const ridge_generate_request *request, ridge_arena *arena, ridge_err *err);
extern const ridge_record ridge_generate_record, ridge_generated_library_record;
void ridge_generate_text(ridge_buf *out, const ridge_generate_answer *answer, ridge_arena *arena);

#endif
