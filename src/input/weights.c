#include "input/weights.h"

bool ridge_weight_measure(ridge_weight *w)
{
    const ridge_int columns = w->rank ? w->shape[w->rank - 1] : 1;
    ridge_int rows = 1;
    for (uint32_t i = 0; i + 1 < w->rank; i++)
        if (!ridge_int_mul(&rows, rows, w->shape[i]))
            return false;
    return ridge_int_mul(&w->elements, rows, columns) && ridge_format_bytes(&w->bytes, w->format, rows, columns) && w->bytes <= INT64_MAX;
}
