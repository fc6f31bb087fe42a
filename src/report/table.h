/* table.h - rows and columns once, then renderers: aligned text, CSV, Markdown.
 * In: columns, cells as text. Out: the table appended to a buffer; text fits a width by shortening columns of words, a
 * chosen one (else the first) before others, and where that is not enough by leaving columns out, which it says below. */
#ifndef RIDGE_REPORT_TABLE_H
#define RIDGE_REPORT_TABLE_H

#include "base/arena.h"
#include "base/units.h"

/* the forms of an answer; a table has all but JSON */
typedef enum ridge_form { RIDGE_FORM_TEXT, RIDGE_FORM_JSON, RIDGE_FORM_CSV, RIDGE_FORM_MARKDOWN } ridge_form;

typedef struct ridge_column {
    const char *title; /* for people */
    const char *key;   /* CSV */
    bool right;
    bool minor; /* of the first to be left out where text is too wide */
} ridge_column;

typedef struct ridge_table {
    ridge_arena *arena;
    const ridge_column *columns;
    size_t column_count;
    const char **cells; /* row by row */
    size_t row_count, cap;
    size_t shortened; /* the column that is shortened where text is too wide: the first loses the middle, another its end */
} ridge_table;

void ridge_table_init(ridge_table *table, ridge_arena *arena, const ridge_column *columns, size_t count);
/* A new row; its cells are empty. NULL when memory runs out. */
const char **ridge_table_row(ridge_table *table);
/* width: of the terminal, 0: unlimited */
void ridge_table_render(ridge_buf *out, const ridge_table *table, ridge_form style, int width);

#endif
