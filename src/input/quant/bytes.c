/* The bytes of a quantised matrix, as the files of each method have them. */
#include "input/quant/quant.h"

static ridge_int ceil_div(ridge_int a, ridge_int b)
{
    return a / b + (a % b != 0);
}

/* n elements of so many bits, in whole words where there are words; bytes */
static ridge_int packed(ridge_int n, unsigned bits, unsigned word_bits)
{
    return word_bits ? ceil_div(n * bits, word_bits) * (word_bits / 8) : ceil_div(n * bits, 8);
}

static ridge_int element_bytes(const ridge_scheme *s, ridge_int out, ridge_int in)
{
    if (!s->word_bits)
        return packed(out * in, s->bits, 0);
    return out * packed(in, s->bits, s->word_bits);
}

/* bytes of scales and zeros */
static ridge_int group_bytes(const ridge_scheme *s, ridge_int out, ridge_int in)
{
    if (!s->scale_bits)
        return 0;
    const ridge_int row_groups = s->block_rows < 0 ? 1 : s->block_rows > 0 ? ceil_div(out, s->block_rows) : out;
    const ridge_int along = s->block_rows < 0 ? 1 : s->group > 0 ? ceil_div(in, s->group) : 1;
    const ridge_int groups = s->flat ? ceil_div(out * in, s->group) : row_groups * along;
    ridge_int bytes = ceil_div(groups * s->scale_bits, 8);
    if (s->scale_of_scales)
        bytes += 4 * ceil_div(groups, s->scale_of_scales);
    if (s->zero_bits)
        bytes += along * packed(out, s->zero_bits, s->word_bits);
    return bytes;
}

bool ridge_scheme_bytes(ridge_int *bytes, const ridge_scheme *s, ridge_int copies, ridge_int out, ridge_int in)
{
    const ridge_int most = (ridge_int)1 << 50;
    ridge_int elements;
    if (out < 0 || in < 0 || copies < 0 || !ridge_int_mul(&elements, out, in) || elements > most)
        return false;
    const ridge_int one = element_bytes(s, out, in) + group_bytes(s, out, in) + s->column_bytes * in + s->module_bytes;
    return ridge_int_mul(bytes, one, copies);
}
