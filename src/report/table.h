/* table.h - rows and columns once, then renderers: aligned text, CSV, Markdown.
 * In: columns, cells as text. Out: the table appended to a buffer; text fits a width by shortening the first column. */
#ifndef RIDGE_REPORT_TABLE_H
#define RIDGE_REPORT_TABLE_H

#include "base/arena.h"
#include "base/number.h"

typedef enum ridge_table_style { RIDGE_TABLE_TEXT, RIDGE_TABLE_CSV, RIDGE_TABLE_MARKDOWN } ridge_table_style;

typedef struct ridge_column {
    const char *title; /* for people */
    const char *key;   /* CSV */
    bool right;
} ridge_column;

typedef struct ridge_table {
    ridge_arena *arena;
    const ridge_column *columns;
    size_t column_count;
    const char **cells; /* row by row */
    size_t row_count, cap;
} ridge_table;

void ridge_table_init(ridge_table *table, ridge_arena *arena, const ridge_column *columns, size_t count);
/* A new row; its cells are empty. NULL when memory runs out. */
const char **ridge_table_row(ridge_table *table);
/* width: of the terminal, 0: unlimited */
void ridge_table_render(ridge_buf *out, const ridge_table *table, ridge_table_style style, int width);

/* "29.30 T", "13.2 G", "512": four digits, decimal prefixes; in the arena */
const char *ridge_units(ridge_arena *arena, ridge_int value);
/* "12,345" */
const char *ridge_units_exact(ridge_arena *arena, ridge_int value);
/* "1.42 GB" */
const char *ridge_units_bytes(ridge_arena *arena, ridge_int value);
/* "12.3 %"; "" where the whole is 0 */
const char *ridge_units_percent(ridge_arena *arena, ridge_int part, ridge_int whole);
/* "4.59 ms", "12.3 us"; "-" where negative */
const char *ridge_units_seconds(ridge_arena *arena, double seconds);
/* "989.5 TFLOP/s", "3.35 TB/s": a rate or a share of one, decimal prefixes; "-" where negative */
const char *ridge_units_scaled(ridge_arena *arena, double value, const char *unit);
/* four digits: "141.1", "0.1389"; "-" where negative */
const char *ridge_units_ratio(ridge_arena *arena, double value);

#endif
