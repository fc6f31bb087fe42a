/* html.h - a report as one HTML file: cards with key figures, then sections of words, a table, a picture.
 * In: plain text (escaped here), tables, plots. Out: the page appended to a buffer; it loads nothing from anywhere, runs no
 * script, and follows the reader's choice of light or dark. Equal input gives equal bytes.
 * Fails as ridge_plot_svg does, and with NOMEM. */
#ifndef RIDGE_REPORT_HTML_H
#define RIDGE_REPORT_HTML_H

#include "report/plot/plot.h"
#include "report/record.h"

typedef struct ridge_html_figure {
    const char *name;  /* "time" */
    const char *value; /* "41.2 ms" */
    const char *note;  /* "compute-bound"; "" or NULL: none */
    bool alarm;        /* drawn as what is wrong */
} ridge_html_figure;

typedef struct ridge_html_section {
    const char *heading;
    const char *text;         /* paragraphs parted by empty lines; NULL: none */
    const char *const *items; /* sentences, the first the most important; NULL: none */
    size_t item_count;
    const ridge_table *table;
    const char *const *exact; /* of the table's cells, in the same order, what is told on hover; NULL: nothing */
    const ridge_plot *plot; /* drawn twice, for a wide page and for a phone; its title stands above it where it differs from the heading */
} ridge_html_section;

typedef struct ridge_html {
    const char *title, *subtitle;
    const char *verdict; /* the answer in a sentence, before all else; NULL: none */
    bool alarm;          /* it is bad news */
    const ridge_html_figure *figures;
    size_t figure_count;
    const ridge_html_section *sections;
    size_t section_count;
    const char *foot; /* what made the page and how; NULL: none */
} ridge_html;

/* Rows of a record for a page: the columns that Markdown has, numbers of a column in one unit, which its title names, with four digits;
 * *exact gets every digit. All in the arena. */
ridge_status ridge_html_record_table(ridge_table *table, const char *const **exact, const ridge_record *record, const void *rows,
                                     size_t count, ridge_arena *arena, ridge_err *err);

ridge_status ridge_html_write(ridge_buf *out, const ridge_html *html, ridge_arena *arena, ridge_err *err);

#endif
