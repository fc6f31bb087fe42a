/* units.h - numbers as people read them: four digits and a decimal prefix, one way for each kind of quantity.
 * In: a number; what is not known is negative. Out: text in the arena, "" when memory runs out, "-" where it is not known.
 * JSON and CSV have every digit instead (base/double.h, base/number.h). */
#ifndef RIDGE_BASE_UNITS_H
#define RIDGE_BASE_UNITS_H

#include "base/arena.h"
#include "base/number.h"

/* what a number is, so how it is written */
typedef enum ridge_unit {
    RIDGE_UNIT_NONE,    /* "12,345"; a real: as RATIO */
    RIDGE_UNIT_COUNT,   /* "29.30 T": FLOPs, parameters */
    RIDGE_UNIT_BYTES,   /* "13.22 GB" */
    RIDGE_UNIT_SECONDS, /* "4.590 ms", "12.30 µs" */
    RIDGE_UNIT_FLOPS_PER_S,
    RIDGE_UNIT_BYTES_PER_S,
    RIDGE_UNIT_PER_S,         /* "253.3 /s", "317.9 k/s" */
    RIDGE_UNIT_RATIO,         /* "141.1", "0.1389" */
    RIDGE_UNIT_PERCENT,       /* of a number 0..100: "12.3" */
    RIDGE_UNIT_SHARE,         /* of a number 0..1, in percent: "12.3" */
    RIDGE_UNIT_JOULES,        /* "1.204 kJ" */
    RIDGE_UNIT_CAPACITY,      /* of a memory, in bytes: "80 GiB", "23.54 GiB" */
    RIDGE_UNIT_HERTZ,         /* "1.620 GHz" */
    RIDGE_UNIT_WATTS,         /* "350 W", "1.200 kW" */
    RIDGE_UNIT_FLOP_PER_BYTE, /* as RATIO */
    RIDGE_UNIT_TEXT           /* no number */
} ridge_unit;

/* "FLOP", "B", "s", ...: what JSON's and CSV's numbers are in; "" for none */
const char *ridge_unit_name(ridge_unit unit);
const char *ridge_unit_text(ridge_arena *arena, ridge_unit unit, double value);
const char *ridge_unit_text_int(ridge_arena *arena, ridge_unit unit, ridge_int value);

/* "29.30 T", "13.22 G", "512" */
const char *ridge_units(ridge_arena *arena, ridge_int value);
/* "12,345" */
const char *ridge_units_exact(ridge_arena *arena, ridge_int value);
/* "1.420 GB" */
const char *ridge_units_bytes(ridge_arena *arena, ridge_int value);
/* "80 GiB", "23.54 GiB": what memories and caches hold comes in powers of two */
const char *ridge_units_capacity(ridge_arena *arena, ridge_int bytes);
/* "4.590 ms", "12.30 µs" */
const char *ridge_units_seconds(ridge_arena *arena, double seconds);
/* "989.5 TFLOP/s", "3.350 TB/s", "117.0 µs" */
const char *ridge_units_scaled(ridge_arena *arena, double value, const char *unit);
/* "141.1", "0.1389" */
const char *ridge_units_ratio(ridge_arena *arena, double value);
/* "12.3": tenths of a percent */
const char *ridge_units_percent(ridge_arena *arena, double percent);

#endif
