#include "cli/picture.h"

#include <stdlib.h>

#include "base/file.h"

#define PLOT RIDGE_STRING(ridge_picture_args, plot, "plot", 0, "FILE", "the roofline as a picture: .svg, .png or .pdf")
#define TERMINAL                                                                                                                           \
    RIDGE_FLAG(ridge_picture_args, terminal, "roofline", 0, "draw the roofline below the answer"),                                         \
        RIDGE_FLAG(ridge_picture_args, dark, "dark", 0, "pictures on a dark ground (SVG follows the reader's choice by itself)"),          \
        RIDGE_FLAG(ridge_picture_args, ascii, "ascii", 0, "draw with ASCII characters alone")

const ridge_option ridge_options_plot[] = {PLOT, TERMINAL, RIDGE_OPTION_END};
const ridge_option ridge_options_picture[] = {
    PLOT,
    RIDGE_STRING(ridge_picture_args, html, "html", 0, "FILE", "the whole report as one page: figures, tables, pictures"),
    TERMINAL,
    RIDGE_OPTION_END,
};

bool ridge_picture_wanted(const ridge_picture_args *args)
{
    return args->plot || args->terminal;
}

/* the character set of the locale, as the C library would find it */
static bool speaks_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") || strstr(value, "utf-8");
    }
    return false;
}

ridge_status ridge_picture_draw(ridge_buf *out, ridge_io *io, const ridge_picture_args *args, const ridge_plot *plot, ridge_err *err)
{
    ridge_plot_options options = {.theme = args->dark ? RIDGE_PLOT_DARK : RIDGE_PLOT_AUTO};
    ridge_status st = args->plot ? ridge_plot_write(args->plot, plot, &options, &io->arena, err) : RIDGE_OK;
    if (st || !args->terminal)
        return st;
    ridge_plot_terminal terminal = {.width = io->width, .ascii = args->ascii || (io->terminal && !speaks_utf8()), .colour = io->color};
    return ridge_plot_text(out, plot, &terminal, &io->arena, err);
}

ridge_status ridge_picture_write_page(const ridge_picture_args *args, const ridge_buf *page, ridge_err *err)
{
    if (page->failed)
        return ridge_no_memory(err);
    return ridge_file_write_atomic(args->html, (ridge_str){page->p, page->n}, err);
}
