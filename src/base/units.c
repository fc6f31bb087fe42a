#include "base/units.h"

#include <stdio.h>

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

/* four digits of a number below 10,000: "1.234", "12.34", "123.4", "1234"; less than 0.001 as "1.234e-05" */
static void print_digits(char out[32], double v)
{
    if (v > 0 && v < 0.0009995)
        (void)snprintf(out, 32, "%.4g", v);
    else
        (void)snprintf(out, 32, "%.*f",
                       v >= 999.95      ? 0
                       : v >= 99.995    ? 1
                       : v >= 9.9995    ? 2
                       : v >= 0.99995   ? 3
                       : v >= 0.099995  ? 4
                       : v >= 0.0099995 ? 5
                       : v > 0          ? 6
                                        : 0,
                       v);
}

/* "29.30 T" of 2.93e13; below 1 with m, µ, n, p where `small` */
static const char *scaled(ridge_arena *arena, double v, const char *unit, bool small)
{
    static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q"};
    enum { ONE = 4, LAST = sizeof prefixes / sizeof *prefixes - 1 };
    char digits[32];
    size_t p = ONE;
    for (; v >= 999.95 && p < LAST; p++)
        v /= 1000;
    for (; small && v > 0 && v < 0.99995 && p > 0; p--)
        v *= 1000;
    print_digits(digits, v);
    return or_empty(ridge_arena_printf(arena, "%s%s%s%s", digits, p != ONE || unit[0] != '\0' ? " " : "", prefixes[p], unit));
}

static const char *scaled_int(ridge_arena *arena, ridge_int value, const char *unit)
{
    if (value < 0)
        return "-";
    if (value < 1000)
        return or_empty(ridge_arena_printf(arena, "%d%s%s", (int)value, unit[0] != '\0' ? " " : "", unit));
    return scaled(arena, (double)value, unit, false);
}

const char *ridge_units(ridge_arena *arena, ridge_int value)
{
    return scaled_int(arena, value, "");
}

const char *ridge_units_bytes(ridge_arena *arena, ridge_int value)
{
    return scaled_int(arena, value, "B");
}

const char *ridge_units_capacity(ridge_arena *arena, ridge_int bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t u = 0;
    if (bytes < 0)
        return "-";
    for (; value >= 1024 && u + 1 < sizeof units / sizeof *units; u++)
        value /= 1024;
    return or_empty(ridge_arena_printf(arena, "%.4g %s", value, units[u]));
}

const char *ridge_units_exact(ridge_arena *arena, ridge_int value)
{
    char text[RIDGE_INT_COMMA_CHARS];
    (void)ridge_int_print_comma(text, value);
    return or_empty(ridge_arena_strdup(arena, ridge_str_of(text)));
}

const char *ridge_units_seconds(ridge_arena *arena, double seconds)
{
    char digits[32];
    if (seconds < 0)
        return "-";
    if (seconds < 0.99995)
        return seconds > 0 ? scaled(arena, seconds, "s", true) : "0 s";
    print_digits(digits, seconds);
    return or_empty(ridge_arena_printf(arena, "%s s", digits));
}

const char *ridge_units_scaled(ridge_arena *arena, double value, const char *unit)
{
    return value < 0 ? "-" : scaled(arena, value, unit, false);
}

const char *ridge_units_ratio(ridge_arena *arena, double value)
{
    char digits[32];
    if (value < 0)
        return "-";
    print_digits(digits, value);
    return or_empty(ridge_arena_strdup(arena, ridge_str_of(digits)));
}

const char *ridge_units_percent(ridge_arena *arena, double percent)
{
    return percent < 0 ? "-" : or_empty(ridge_arena_printf(arena, "%.1f", percent));
}

/* ---- by unit ---- */

static const struct {
    const char *name, *scaled; /* scaled: what a prefix stands before; NULL: no prefix is used */
} units[] = {
    [RIDGE_UNIT_NONE] = {"", NULL},
    [RIDGE_UNIT_COUNT] = {"", ""},
    [RIDGE_UNIT_BYTES] = {"bytes", "B"},
    [RIDGE_UNIT_SECONDS] = {"s", NULL},
    [RIDGE_UNIT_FLOPS_PER_S] = {"FLOP/s", "FLOP/s"},
    [RIDGE_UNIT_BYTES_PER_S] = {"bytes/s", "B/s"},
    [RIDGE_UNIT_PER_S] = {"/s", "/s"},
    [RIDGE_UNIT_RATIO] = {"", NULL},
    [RIDGE_UNIT_PERCENT] = {"%", NULL},
    [RIDGE_UNIT_SHARE] = {"", NULL},
    [RIDGE_UNIT_JOULES] = {"J", "J"},
    [RIDGE_UNIT_CAPACITY] = {"bytes", NULL},
    [RIDGE_UNIT_HERTZ] = {"Hz", "Hz"},
    [RIDGE_UNIT_WATTS] = {"W", "W"},
    [RIDGE_UNIT_FLOP_PER_BYTE] = {"FLOP/byte", NULL},
    [RIDGE_UNIT_TEXT] = {"", NULL},
};

const char *ridge_unit_name(ridge_unit unit)
{
    return units[unit].name;
}

const char *ridge_unit_text(ridge_arena *arena, ridge_unit unit, double value)
{
    if (unit == RIDGE_UNIT_SECONDS)
        return ridge_units_seconds(arena, value);
    if (unit == RIDGE_UNIT_PERCENT || unit == RIDGE_UNIT_SHARE)
        return ridge_units_percent(arena, unit == RIDGE_UNIT_SHARE ? 100 * value : value);
    if (unit == RIDGE_UNIT_CAPACITY)
        return ridge_units_capacity(arena, (ridge_int)value);
    return units[unit].scaled ? ridge_units_scaled(arena, value, units[unit].scaled) : ridge_units_ratio(arena, value);
}

const char *ridge_unit_text_int(ridge_arena *arena, ridge_unit unit, ridge_int value)
{
    if (value < 0)
        return "-";
    if (unit == RIDGE_UNIT_CAPACITY)
        return ridge_units_capacity(arena, value);
    return units[unit].scaled ? scaled_int(arena, value, units[unit].scaled) : ridge_units_exact(arena, value);
}
