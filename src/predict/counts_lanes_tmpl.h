/* counts_lanes_tmpl.h - one batch of predict/counts.h in integers of type COUNT, as function RUN: included once per width, 64-bit first.
 * Bounds were checked: nothing overflows here. */
#include "predict/counts_code.h"

#ifndef COUNT
#define COUNT            int64_t
#define RUN              ridge_counts_run_narrow
#define RIDGE_NAME(name) narrow_##name
#endif

static void RIDGE_NAME(sum)(COUNT *restrict out, const ridge_counts *c, const ridge_count_step *s, const ridge_int (*slots)[RIDGE_LANES])
{
    for (int k = 0; k < RIDGE_LANES; k++)
        out[k] = (COUNT)s->constant;
    for (uint32_t t = 0; t < s->b; t++) {
        const COUNT by = (COUNT)c->terms[s->a + t].coefficient, *restrict x = (const COUNT *)slots[c->terms[s->a + t].slot];
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] += by * x[k];
    }
}

static void RIDGE_NAME(exact)(COUNT *restrict out, bool *good, COUNT divisor, const COUNT *restrict a)
{
    for (int k = 0; k < RIDGE_LANES; k++) {
        out[k] = a[k] / divisor;
        good[k] = good[k] && out[k] * divisor == a[k];
    }
}

static void RIDGE_NAME(floor_divide)(COUNT *restrict out, bool *good, const ridge_count_step *s, const COUNT *restrict a,
                                     const COUNT *restrict b)
{
    for (int k = 0; k < RIDGE_LANES; k++) {
        COUNT x = a[k] * (COUNT)s->scale_a, y = b[k] * (COUNT)s->scale_b;
        good[k] = good[k] && y != 0;
        y = y == 0 ? 1 : y;
        out[k] = x / y - (x % y != 0 && (x < 0) != (y < 0));
    }
}

static void RIDGE_NAME(choose)(COUNT *restrict out, bool *good, const ridge_count_step *s, const COUNT *restrict a, const COUNT *restrict b)
{
    const COUNT x = (COUNT)s->scale_a, y = (COUNT)s->scale_b;
    if (s->op == RIDGE_COUNT_MAX)
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] = a[k] * x > b[k] * y ? a[k] * x : b[k] * y;
    else
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] = a[k] * x < b[k] * y ? a[k] * x : b[k] * y;
    if (x * y == 1)
        return;
    for (int k = 0; k < RIDGE_LANES; k++) {
        COUNT whole = out[k] / (x * y);
        good[k] = good[k] && whole * (x * y) == out[k];
        out[k] = whole;
    }
}

static void RIDGE_NAME(step)(COUNT *restrict out, bool *good, const ridge_count_step *s, const ridge_int (*slots)[RIDGE_LANES],
                             const int64_t (*inputs)[RIDGE_LANES])
{
    const COUNT *restrict a = s->op == RIDGE_COUNT_INPUT ? NULL : (const COUNT *)slots[s->a], *restrict b = (const COUNT *)slots[s->b];
    switch (s->op) {
    case RIDGE_COUNT_INPUT:
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] = inputs[s->a][k];
        break;
    case RIDGE_COUNT_PRODUCT:
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] = a[k] * b[k];
        break;
    case RIDGE_COUNT_EXACT:
        RIDGE_NAME(exact)(out, good, (COUNT)s->scale_a, a);
        break;
    case RIDGE_COUNT_FLOORDIV:
        RIDGE_NAME(floor_divide)(out, good, s, a, b);
        break;
    case RIDGE_COUNT_MIN:
    case RIDGE_COUNT_MAX:
        RIDGE_NAME(choose)(out, good, s, a, b);
        break;
    case RIDGE_COUNT_NOT_NEGATIVE:
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] = a[k] >= 0;
        break;
    case RIDGE_COUNT_ZERO:
        for (int k = 0; k < RIDGE_LANES; k++)
            out[k] = a[k] == 0;
        break;
    case RIDGE_COUNT_SUM:
        break;
    }
}

void RUN(const ridge_counts *c, ridge_counts_room *room, const int64_t (*inputs)[RIDGE_LANES])
{
    const ridge_int(*slots)[RIDGE_LANES] = (const ridge_int(*)[RIDGE_LANES])room->slots;
    for (size_t i = 0; i < c->step_count; i++) {
        COUNT *out = (COUNT *)room->slots[i];
        if (c->steps[i].op == RIDGE_COUNT_SUM)
            RIDGE_NAME(sum)(out, c, &c->steps[i], slots);
        else
            RIDGE_NAME(step)(out, room->good, &c->steps[i], slots, inputs);
    }
}
