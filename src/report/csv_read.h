/* csv_read.h - CSV line by line: RFC 4180, LF or CRLF, a leading UTF-8 BOM.
 * In: text. Out: the cells of a line, decoded; they live in the arena or point into the text.
 * Fails (SYNTAX) with file, line, column and excerpt on quotes that do not fit and on a zero byte. */
#ifndef RIDGE_REPORT_CSV_READ_H
#define RIDGE_REPORT_CSV_READ_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

enum { RIDGE_CSV_COLUMNS_MOST = 64 };

typedef struct ridge_csv_cell {
    ridge_str text; /* decoded */
    size_t at;      /* offset of its first character in the file */
    unsigned line, col;
} ridge_csv_cell;

typedef struct ridge_csv {
    ridge_str text;
    const char *file;
    size_t at, line_at; /* where it reads; where that line begins */
    unsigned line;
    ridge_arena *arena;
    ridge_err *err;
    ridge_csv_cell cells[RIDGE_CSV_COLUMNS_MOST], before[RIDGE_CSV_COLUMNS_MOST]; /* of this line and of the one above */
} ridge_csv;

ridge_status ridge_csv_begin(ridge_csv *c, ridge_str text, const char *file, ridge_arena *arena, ridge_err *err);
/* The next line into c->cells; *count: how many it has, kept or not. There is one as long as c->at < c->text.n. */
ridge_status ridge_csv_line(ridge_csv *c, size_t *count);
/* puts the place of a cell into an error that has none; returns the status */
ridge_status ridge_csv_at(ridge_csv *c, ridge_status st, const ridge_csv_cell *where);

#endif
