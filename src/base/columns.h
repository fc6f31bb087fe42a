/* columns.h - code points by what they are: how wide they stand in a terminal, and which of some ranges has one.
 * In: a code point. Out: 0 columns for marks that combine with the character before, 2 for East Asian wide characters and emoji, else 1. */
#ifndef RIDGE_BASE_COLUMNS_H
#define RIDGE_BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

unsigned ridge_columns(uint32_t code_point);

typedef struct ridge_code_range {
    uint32_t from, to; /* both are in it */
} ridge_code_range;
bool ridge_in_ranges(uint32_t code_point, const ridge_code_range *ranges, size_t count);

#endif
