/* wide_tmpl.h - pairs of vectors: lanes_*.h's vocabulary on two registers at once, the second one's memory after the first's.
 * In and out: registers. A value that is the same in both is loaded once. Included after the vocabulary, by tiles_tmpl.h. */
#ifndef RIDGE_KERNEL_GEMV_WIDE_TMPL_H
#define RIDGE_KERNEL_GEMV_WIDE_TMPL_H

typedef struct wide_ints {
    ints a, b;
} wide_ints;
typedef struct wide_floats {
    floats a, b;
} wide_floats;

INLINE wide_ints w_load(const uint8_t *at)
{
    return (wide_ints){v_load(at), v_load(at + 4 * LANES)};
}
INLINE wide_ints w_set(int value)
{
    ints same = v_set(value);
    return (wide_ints){same, same};
}
INLINE wide_ints w_spread(const void *at)
{
    ints same = v_spread(at);
    return (wide_ints){same, same};
}
INLINE wide_ints w_and(wide_ints x, wide_ints y)
{
    return (wide_ints){v_and(x.a, y.a), v_and(x.b, y.b)};
}
INLINE wide_ints w_or(wide_ints x, wide_ints y)
{
    return (wide_ints){v_or(x.a, y.a), v_or(x.b, y.b)};
}
INLINE wide_ints w_add(wide_ints x, wide_ints y)
{
    return (wide_ints){v_add(x.a, y.a), v_add(x.b, y.b)};
}
INLINE wide_ints w_sub(wide_ints x, wide_ints y)
{
    return (wide_ints){v_sub(x.a, y.a), v_sub(x.b, y.b)};
}
INLINE wide_ints w_times(wide_ints x, wide_ints y)
{
    return (wide_ints){v_times(x.a, y.a), v_times(x.b, y.b)};
}
INLINE wide_ints w_right(wide_ints x, SHIFT bits)
{
    return (wide_ints){v_right(x.a, bits), v_right(x.b, bits)};
}
INLINE wide_ints w_left(wide_ints x, SHIFT bits)
{
    return (wide_ints){v_left(x.a, bits), v_left(x.b, bits)};
}
INLINE wide_ints w_right_signed(wide_ints x, SHIFT bits)
{
    return (wide_ints){v_right_signed(x.a, bits), v_right_signed(x.b, bits)};
}
INLINE wide_ints w_low(wide_ints x)
{
    return (wide_ints){v_low(x.a), v_low(x.b)};
}
INLINE wide_ints w_high(wide_ints x)
{
    return (wide_ints){v_high(x.a), v_high(x.b)};
}
INLINE wide_ints w_dot(wide_ints sum, wide_ints x, wide_ints y)
{
    return (wide_ints){v_dot(sum.a, x.a, y.a), v_dot(sum.b, x.b, y.b)};
}
INLINE wide_ints w_dot_small(wide_ints sum, wide_ints x, wide_ints y)
{
    return (wide_ints){v_dot_small(sum.a, x.a, y.a), v_dot_small(sum.b, x.b, y.b)};
}
INLINE wide_ints w_dot16(wide_ints sum, wide_ints x, wide_ints y)
{
    return (wide_ints){v_dot16(sum.a, x.a, y.a), v_dot16(sum.b, x.b, y.b)};
}
INLINE wide_ints w_lookup_low(ints table, wide_ints both)
{
    return (wide_ints){v_lookup_low(table, both.a), v_lookup_low(table, both.b)};
}
INLINE wide_ints w_lookup_high(ints table, wide_ints both)
{
    return (wide_ints){v_lookup_high(table, both.a), v_lookup_high(table, both.b)};
}
INLINE wide_ints w_lookup16(words_table table, wide_ints index)
{
    return (wide_ints){v_lookup16(table, index.a), v_lookup16(table, index.b)};
}
INLINE wide_ints w_widen_u8(const uint8_t *at)
{
    return (wide_ints){v_widen_u8(at), v_widen_u8(at + LANES)};
}

INLINE wide_floats g_zero(void)
{
    return (wide_floats){f_zero(), f_zero()};
}
INLINE wide_floats g_set(float value)
{
    floats same = f_set(value);
    return (wide_floats){same, same};
}
INLINE wide_floats g_load(const float *at)
{
    return (wide_floats){f_load(at), f_load(at + LANES)};
}
INLINE void g_store(float *to, wide_floats x)
{
    f_store(to, x.a);
    f_store(to + LANES, x.b);
}
INLINE wide_floats g_halves(const uint8_t *at)
{
    return (wide_floats){f_halves(at), f_halves(at + 2 * LANES)};
}
INLINE wide_floats g_from(wide_ints x)
{
    return (wide_floats){f_from(x.a), f_from(x.b)};
}
INLINE wide_floats g_e8m0(const uint8_t *at)
{
    return (wide_floats){f_e8m0(at), f_e8m0(at + LANES)};
}
INLINE wide_floats g_e4m3(const uint8_t *at)
{
    return (wide_floats){f_e4m3(at), f_e4m3(at + LANES)};
}
INLINE wide_floats g_times(wide_floats x, wide_floats y)
{
    return (wide_floats){f_times(x.a, y.a), f_times(x.b, y.b)};
}
INLINE wide_floats g_fma(wide_floats x, wide_floats y, wide_floats sum)
{
    return (wide_floats){f_fma(x.a, y.a, sum.a), f_fma(x.b, y.b, sum.b)};
}
INLINE wide_floats g_fnma(wide_floats x, wide_floats y, wide_floats sum)
{
    return (wide_floats){f_fnma(x.a, y.a, sum.a), f_fnma(x.b, y.b, sum.b)};
}

#endif
