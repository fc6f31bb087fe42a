/* Rows of a record for a page (html.h): a column's numbers in one unit, so that they compare at a glance. */
#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct scale {
    double factor; /* of the unit, to the one shown; 0: the column is shown as people have it elsewhere */
    const char *prefix;
} scale;

static bool is_scaled(const ridge_record_field *field)
{
    return field->unit == RIDGE_UNIT_COUNT || field->unit == RIDGE_UNIT_BYTES || field->unit == RIDGE_UNIT_SECONDS ||
           field->unit == RIDGE_UNIT_FLOPS_PER_S || field->unit == RIDGE_UNIT_BYTES_PER_S || field->unit == RIDGE_UNIT_JOULES;
}

/* every digit; "" where it is not known, NULL where memory runs out */
static const char *exact_text(const ridge_record_column *column, const void *row, ridge_arena *arena)
{
    ridge_buf text = {0};
    ridge_record_text(&text, column, row);
    return ridge_arena_take(arena, &text);
}

/* The prefix with which the largest stays below 10,000: a whole stands in the table beside its parts, which are much smaller. */
static scale scale_of(double largest, bool small)
{
    static const scale scales[] = {{1e12, "p"}, {1e9, "n"},  {1e6, "µ"},   {1e3, "m"},   {1, ""},      {1e-3, "k"},
                                   {1e-6, "M"}, {1e-9, "G"}, {1e-12, "T"}, {1e-15, "P"}, {1e-18, "E"}, {1e-21, "Z"}};
    enum { ONE = 4, LAST = sizeof scales / sizeof *scales - 1 };
    size_t at = small ? 0 : ONE;
    while (at < LAST && largest * scales[at].factor >= 9999.5)
        at++;
    return largest > 0 ? scales[at] : scales[ONE];
}

/* four digits without an exponent: "290.6", "0.01573"; "< 0.00001" */
static const char *rounded(double value, ridge_arena *arena)
{
    if (value == 0)
        return "0";
    if (fabs(value) < 1e-5)
        return value > 0 ? "< 0.00001" : "> -0.00001";
    int decimals = 3 - (int)floor(log10(fabs(value) * (1 + 1e-9)));
    decimals = decimals < 0 ? 0 : decimals > 8 ? 8 : decimals;
    const char *text = ridge_arena_printf(arena, "%.*f", decimals, value);
    return text ? text : "";
}

/* as people have it behind a prefix */
static const char *unit_of(ridge_unit unit)
{
    return unit == RIDGE_UNIT_COUNT ? "" : unit == RIDGE_UNIT_BYTES ? "B" : ridge_unit_name(unit);
}

typedef struct filling {
    ridge_table *table;
    const char **exact;
    const char *rows;
    size_t count, stride;
    ridge_arena *arena;
} filling;

static bool fill_column(const filling *f, size_t c, const ridge_record_column *column, ridge_column *head)
{
    const size_t width = f->table->column_count;
    const char *unit = unit_of(column->field->unit);
    double largest = 0;
    for (size_t r = 0; r < f->count; r++) {
        const char *text = exact_text(column, f->rows + r * f->stride, f->arena);
        if (!text)
            return false;
        largest = fmax(largest, fabs(strtod(text, NULL)));
        f->exact[r * width + c] = unit[0] && text[0] ? ridge_arena_printf(f->arena, "%s %s", text, unit) : text;
    }
    const scale s = scale_of(largest, column->field->unit == RIDGE_UNIT_SECONDS);
    for (size_t r = 0; r < f->count; r++) {
        const char *text = f->exact[r * width + c];
        if (!text)
            return false;
        f->table->cells[r * width + c] = text[0] ? rounded(strtod(text, NULL) * s.factor, f->arena) : "-";
    }
    if (unit[0] || s.prefix[0])
        head->title = ridge_arena_printf(f->arena, "%s (%s%s)", head->title, s.prefix, unit);
    return head->title;
}

ridge_status ridge_html_record_table(ridge_table *table, const char *const **exact, const ridge_record *record, const void *rows,
                                     size_t count, ridge_arena *arena, ridge_err *err)
{
    ridge_record_columns columns;
    ridge_status st;
    if ((st = ridge_record_columns_make(&columns, record, RIDGE_FORM_MARKDOWN, arena, err)) ||
        (st = ridge_record_columns_table(table, &columns, rows, count, record->size, arena, err)))
        return st;
    const size_t width = table->column_count;
    ridge_column *heads = ridge_arena_array(arena, width + 1, sizeof *heads);
    const char **texts = ridge_arena_array(arena, width * count + 1, sizeof *texts);
    if (!heads || !texts)
        return ridge_no_memory(err);
    memcpy(heads, table->columns, width * sizeof *heads);
    const filling f = {table, texts, rows, count, record->size, arena};
    for (size_t c = 0, k = 0; c < width; c++, k++) {
        while (columns.items[k].key != heads[c].key) /* a column that no row has is left out */
            k++;
        const ridge_record_column *column = &columns.items[k];
        if (is_scaled(column->field) && !column->field->text && !fill_column(&f, c, column, &heads[c]))
            return ridge_no_memory(err);
    }
    table->columns = heads;
    *exact = texts;
    return RIDGE_OK;
}
