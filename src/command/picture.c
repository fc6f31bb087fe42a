#include "command/picture.h"

#include "base/file.h"

const ridge_option ridge_options_picture[] = {
    RIDGE_STRING(ridge_picture_options, plot, "plot", 0, "FILE", "the roofline as a picture: .svg, .png or .pdf",
                 .reach = RIDGE_REACH_OUTPUT),
    RIDGE_STRING(ridge_picture_options, html, "html", 0, "FILE", "the whole report as one page: figures, tables, pictures",
                 .reach = RIDGE_REACH_OUTPUT),
    RIDGE_FLAG(ridge_picture_options, terminal, "roofline", 0, "draw the roofline below the answer", .needs = "!json|csv|markdown"),
    RIDGE_FLAG(ridge_picture_options, dark, "dark", 0, "pictures on a dark ground (SVG follows the reader's choice by itself)",
               .needs = "plot"),
    RIDGE_FLAG(ridge_picture_options, ascii, "ascii", 0, "draw with ASCII characters alone", .needs = "roofline"),
    RIDGE_OPTION_END,
};
const char *const ridge_picture_without_page[] = {"plot", "roofline", "dark", "ascii", NULL};

bool ridge_picture_wanted(const ridge_call *call, const ridge_picture_options *options)
{
    return options->plot || options->terminal || call->picture;
}

ridge_status ridge_picture_draw(ridge_buf *out, ridge_call *call, const ridge_picture_options *options, const ridge_plot *plot,
                                ridge_err *err)
{
    const ridge_plot_options how = {.theme = options->dark ? RIDGE_PLOT_DARK : RIDGE_PLOT_AUTO};
    ridge_status st = options->plot ? ridge_plot_write(options->plot, plot, &how, &call->arena, err) : RIDGE_OK;
    if (!st && call->picture)
        st = ridge_plot_svg(call->picture, plot, &how, &call->arena, err);
    if (st || !options->terminal)
        return st;
    const ridge_plot_terminal terminal = {.width = call->line, .ascii = options->ascii || call->ascii, .colour = call->color};
    return ridge_plot_text(out, plot, &terminal, &call->arena, err);
}

ridge_status ridge_picture_end(ridge_status st, const ridge_call *call, const ridge_picture_options *options, ridge_err *err)
{
    if (!st || !call->picture || options->plot || options->terminal)
        return st;
    call->picture->n = 0;
    ridge_err_clear(err);
    return RIDGE_OK;
}

ridge_status ridge_picture_write_page(const ridge_picture_options *options, const ridge_buf *page, ridge_err *err)
{
    if (page->failed)
        return ridge_no_memory(err);
    return ridge_file_write_atomic(options->html, (ridge_str){page->p, page->n}, err);
}
