/* picture.h - options of the commands that draw: a picture file, a page, the terminal.
 * In: parsed options, a plot. Out: files written whole or not at all; text for the terminal. */
#ifndef RIDGE_CLI_PICTURE_H
#define RIDGE_CLI_PICTURE_H

#include "cli/command.h"
#include "report/plot/plot.h"

typedef struct ridge_picture_args {
    const char *plot, *html; /* files */
    bool terminal, dark, ascii;
} ridge_picture_args;
extern const ridge_option ridge_options_plot[];    /* --plot, --roofline, --dark, --ascii */
extern const ridge_option ridge_options_picture[]; /* ... and --html */

/* is a plot asked for, as a file or in the terminal? */
bool ridge_picture_wanted(const ridge_picture_args *args);
/* Writes --plot's file; appends the terminal's picture to `out` where --roofline asks for it. */
ridge_status ridge_picture_draw(ridge_buf *out, ridge_io *io, const ridge_picture_args *args, const ridge_plot *plot, ridge_err *err);
/* Writes --html's file. */
ridge_status ridge_picture_write_page(const ridge_picture_args *args, const ridge_buf *page, ridge_err *err);

#endif
