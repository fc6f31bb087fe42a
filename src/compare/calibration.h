/* calibration.h - how good predictions are before and after measured efficiencies are put in.
 * In: per measured row its group (kind of kernel, class of its variant and of its format, what bounds it) and its predictions. Out: an
 * efficiency per group, fitted on every other row of the group, and the median errors on the rows that were left out. Arrays in the arena.
 * An efficiency is the least time over the measured one, the median of the rows it was fitted on: prediction = roofline / efficiency.
 * Fails with NOMEM only. docs/bench.md */
#ifndef RIDGE_COMPARE_CALIBRATION_H
#define RIDGE_COMPARE_CALIBRATION_H

#include "compare/compare.h"

#define RIDGE_FORMAT_CLASS_LIST(X)                                                                                                         \
    X(FP32, "fp32")                                                                                                                        \
    X(BITS_16, "16-bit")                                                                                                                   \
    X(BITS_8, "8-bit") /* q8_0 too */                                                                                                      \
    X(BITS_4, "4-bit") /* every format of fewer than 8 bits per element */
typedef enum ridge_format_class {
    RIDGE_FORMAT_CLASS_UNKNOWN = -1,
#define X(code, name) RIDGE_FORMAT_CLASS_##code,
    RIDGE_FORMAT_CLASS_LIST(X) RIDGE_FORMAT_CLASSES
#undef X
} ridge_format_class;
extern const char *const ridge_format_class_names[RIDGE_FORMAT_CLASSES + 1];
/* format NULL: unknown */
ridge_format_class ridge_calibration_format_class(const ridge_format *format);

/* what bounds a row, for its efficiency: a stream from a cache loses other things than one from memory */
#define RIDGE_CALIBRATION_BOUND_LIST(X)                                                                                                    \
    X(MEMORY, "memory")                                                                                                                    \
    X(CACHE, "cache")                                                                                                                      \
    X(COMPUTE, "compute")
typedef enum ridge_calibration_bound {
    RIDGE_CALIBRATION_BOUND_UNKNOWN = -1,
#define X(code, name) RIDGE_CALIBRATION_BOUND_##code,
    RIDGE_CALIBRATION_BOUND_LIST(X) RIDGE_CALIBRATION_BOUNDS
#undef X
} ridge_calibration_bound;
extern const char *const ridge_calibration_bound_names[RIDGE_CALIBRATION_BOUNDS + 1];

/* the class of a variant's instructions: "generic" (plain C), "vector", or the library that computes: its name */
const char *ridge_calibration_variant_class(const char *provider, const char *variant);

typedef struct ridge_calibration_group {
    const char *kernel, *variant; /* of the variant the class */
    ridge_format_class format_class;
    ridge_calibration_bound bound; /* unknown: not predicted, then the row is left out */
} ridge_calibration_group;

typedef struct ridge_calibration_row {
    ridge_calibration_group group;
    double measured_s;
    double theory_s;   /* predicted from the machine as detected; negative: not known */
    double roofline_s; /* predicted from its measured ceilings */
} ridge_calibration_row;
ridge_calibration_row ridge_calibration_row_of(const ridge_measured_row *row, double theory_s);

typedef struct ridge_efficiency {
    ridge_calibration_group group;
    double efficiency; /* least time / measured */
    size_t fitted_on;  /* rows */
} ridge_efficiency;

typedef struct ridge_calibration {
    ridge_efficiency *groups;
    size_t group_count;
    size_t fitted, tested, theory_rows;     /* rows; those with a theory */
    double theory_error, theory_test_error; /* median absolute error: all rows, the rows that were left out; negative: not known */
    double roofline_error, roofline_test_error;
    double calibrated_error;      /* of the rows that were left out */
    double calibrated_mean_error; /* of the same */
} ridge_calibration;
extern const ridge_record ridge_calibration_record, ridge_efficiency_record;

ridge_status ridge_calibrate(ridge_calibration *out, const ridge_calibration_row *rows, size_t count, ridge_arena *arena, ridge_err *err);

/* The time with the efficiency of the row's group; where the group was not fitted, that of the rows nearest to it (the same kernel,
 * variant and bound; then the same variant and bound; then the same bound); negative where there is none. */
double ridge_calibrated_s(const ridge_calibration *calibration, const ridge_calibration_row *row);

#endif
