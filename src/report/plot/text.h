/* text.h - what the pictures made of characters share.
 * In: clean text. Out: text cut or padded to columns, in 7-bit characters where the terminal wants them.
 * Nothing fails but by memory, which the buffer tells. */
#ifndef RIDGE_REPORT_PLOT_TEXT_H
#define RIDGE_REPORT_PLOT_TEXT_H

#include <stdint.h>

#include "report/plot/plot.h"

/* a code point as this terminal shows it: in ASCII a likeness, else '?' */
uint32_t ridge_term_char(uint32_t c, bool ascii);
/* the next code point of a clean text, which is moved past it; 0 at the end */
uint32_t ridge_term_next(const char **text);
void ridge_term_put(ridge_buf *out, uint32_t c, bool ascii);
/* columns that a clean text takes */
int ridge_term_columns(const char *text, bool ascii);
/* The text in exactly `columns` columns: cut with an ellipsis, or padded, on the left where `right`. */
void ridge_term_cell(ridge_buf *out, const char *text, int columns, bool right, bool ascii);
/* ANSI: the colour of a group, bold, faint; nothing where the terminal has no colour */
typedef enum ridge_term_look { RIDGE_TERM_PLAIN = 8, RIDGE_TERM_BOLD, RIDGE_TERM_FAINT } ridge_term_look; /* 0 to 7: groups */
void ridge_term_look_at(ridge_buf *out, int look, bool colour);

void ridge_term_head(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena);
void ridge_term_roofline(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena);
void ridge_term_samples(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena);
void ridge_term_bars(ridge_buf *out, const ridge_plot *plot, const ridge_plot_terminal *terminal, ridge_arena *arena);

#endif
