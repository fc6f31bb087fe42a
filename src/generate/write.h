/* write.h - the code of one entry, and of a whole language.
 * In: entries with their names. Out: texts of files, in a set that the caller writes. Fails for memory; what code cannot say is no entry
 * of the list. */
#ifndef RIDGE_GENERATE_WRITE_H
#define RIDGE_GENERATE_WRITE_H

#include "base/file.h"
#include "base/option.h"
#include "generate/expr.h"

/* files to be written: paths relative to the folder */
typedef struct ridge_code_files {
    ridge_file_text *p;
    size_t n, cap;
    ridge_arena *arena;
} ridge_code_files;
ridge_status ridge_code_files_add(ridge_code_files *files, const char *path, ridge_buf *text, ridge_err *err);

typedef struct ridge_code_request {
    ridge_registry *registry;
    const ridge_generated_list *list; /* those that are `chosen` become code */
    bool whole;                       /* all of the catalog is chosen */
    ridge_arena *arena;
    ridge_err *err;
} ridge_code_request;

ridge_status ridge_code_python(ridge_code_files *files, const ridge_code_request *request);
ridge_status ridge_code_c(ridge_code_files *files, const ridge_code_request *request);

/* the file and class of one entry in Python */
ridge_status ridge_python_entry(ridge_buf *out, const ridge_code_request *request, const ridge_generated *entry);
/* of kind config: the class's members */
void ridge_python_config(ridge_coder *coder, const ridge_code_request *request, const ridge_generated *entry);

/* ---- shared ---- */
/* The entry's `thinking` and where it is from; "" where it says nothing. */
ridge_str ridge_code_thinking(const ridge_generated *entry);
const char *ridge_code_source(const ridge_generated *entry, ridge_arena *arena);
/* The statement, whose buffer is empty then, as lines. */
void ridge_code_end(ridge_buf *out, unsigned indent, ridge_buf *statement);
/* The same with what stands before and behind it: in brackets where it takes more than a line. */
void ridge_code_line(ridge_buf *out, unsigned indent, const char *head, ridge_buf *value, const char *tail);

#endif
