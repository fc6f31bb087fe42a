/* text.h - laying out words in columns.
 * In: text, a width in columns. Out: lines no longer than that (a word that is longer stands alone), appended to a buffer. */
#ifndef RIDGE_REPORT_TEXT_H
#define RIDGE_REPORT_TEXT_H

#include "base/option.h"

/* Wraps text to `width`, every line but the first indented; starts at column `at`, ends with a newline. '\n' in text is kept. */
void ridge_text_wrap(ridge_buf *out, const char *text, size_t at, size_t indent, size_t width);
/* A line and its newline, wrapped at `width`, the rest of it from column `indent`; a number keeps its unit. */
void ridge_text_fold_line(ridge_buf *out, ridge_str line, size_t indent, size_t width);
/* Wraps the lines that were added behind `from` and are longer than `width` (0: any) below where their text begins, after a label and
 * two blanks. */
void ridge_text_fold(ridge_buf *out, size_t from, size_t width);
/* "  left    right": right starts at column `gap`, on the next line where left is too long */
void ridge_text_row(ridge_buf *out, const char *left, const char *right, size_t gap, size_t width);
/* "\nText:\n" in bold */
void ridge_text_heading(ridge_buf *out, const char *text);

/* "--batch N", "--phase prefill|decode|train" */
void ridge_text_option(ridge_buf *out, const ridge_option *option);

#endif
