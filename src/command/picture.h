/* picture.h - options of the commands that draw: a picture file, a page, the terminal.
 * In: a plot, a finished page. Out: files written whole or not at all; text for the terminal. */
#ifndef RIDGE_COMMAND_PICTURE_H
#define RIDGE_COMMAND_PICTURE_H

#include "command/call.h"
#include "report/plot/plot.h"

typedef struct ridge_picture_options {
    const char *plot, *html; /* files */
    bool terminal, dark, ascii;
} ridge_picture_options;
extern const ridge_option ridge_options_picture[];
/* what a command offers of them that makes no page: a table's `only` */
extern const char *const ridge_picture_without_page[];

/* is a plot asked for, as a file, in the terminal or by the front end? */
bool ridge_picture_wanted(const ridge_call *call, const ridge_picture_options *options);
/* Writes the plot's file and the front end's picture; appends the terminal's picture to `out` where it is asked for. */
ridge_status ridge_picture_draw(ridge_buf *out, ridge_call *call, const ridge_picture_options *options, const ridge_plot *plot,
                                ridge_err *err);
/* What drawing ended with; fine where only the front end wanted the picture, which is then left out. */
ridge_status ridge_picture_end(ridge_status st, const ridge_call *call, const ridge_picture_options *options, ridge_err *err);
/* Writes the page's file. */
ridge_status ridge_picture_write_page(const ridge_picture_options *options, const ridge_buf *page, ridge_err *err);

#endif
