#include "compare/calibration.h"

#include <string.h>

const char *const ridge_format_class_names[] = {RIDGE_FORMAT_CLASS_LIST(RIDGE_WORD_TEXT) NULL};

const char *const ridge_calibration_bound_names[] = {RIDGE_CALIBRATION_BOUND_LIST(RIDGE_WORD_TEXT) NULL};

/* ---- groups ---- */

ridge_format_class ridge_calibration_format_class(const ridge_format *format)
{
    double bits = format ? ridge_rational_double(format->bits) : 0;
    return !format     ? RIDGE_FORMAT_CLASS_UNKNOWN
           : bits > 16 ? RIDGE_FORMAT_CLASS_FP32
           : bits > 10 ? RIDGE_FORMAT_CLASS_BITS_16
           : bits >= 8 ? RIDGE_FORMAT_CLASS_BITS_8
                       : RIDGE_FORMAT_CLASS_BITS_4;
}

const char *ridge_calibration_variant_class(const char *provider, const char *variant)
{
    if (strcmp(provider, "ridge") != 0)
        return provider;
    return strstr(variant, "generic") ? "generic" : "vector";
}

static ridge_calibration_bound bound_of(const ridge_measured_row *row)
{
    if (row->bound == RIDGE_SIDE_MEMORY)
        return row->cache == RIDGE_CACHE_HOT ? RIDGE_CALIBRATION_BOUND_CACHE : RIDGE_CALIBRATION_BOUND_MEMORY;
    return row->bound == RIDGE_SIDE_COMPUTE ? RIDGE_CALIBRATION_BOUND_COMPUTE : RIDGE_CALIBRATION_BOUND_UNKNOWN;
}

ridge_calibration_row ridge_calibration_row_of(const ridge_measured_row *row, double theory_s)
{
    return (ridge_calibration_row){.group = {.kernel = row->kernel,
                                             .variant = ridge_calibration_variant_class(row->provider, row->variant),
                                             .format_class = ridge_calibration_format_class(ridge_format_find(ridge_str_of(row->format))),
                                             .bound = bound_of(row)},
                                   .measured_s = row->time.median_s,
                                   .theory_s = theory_s,
                                   .roofline_s = row->predicted_s};
}

static bool usable(const ridge_calibration_row *r)
{
    return r->group.bound >= 0 && r->measured_s > 0 && r->roofline_s > 0;
}

/* how near two groups are: 4 the same, 3 the same kernel, variant and bound, 2 the same variant and bound, 1 the same bound, 0 none of
 * these */
static int nearness(const ridge_calibration_group *a, const ridge_calibration_group *b)
{
    if (a->bound != b->bound)
        return 0;
    if (strcmp(a->variant, b->variant) != 0)
        return 1;
    return strcmp(a->kernel, b->kernel) != 0 ? 2 : a->format_class != b->format_class ? 3 : 4;
}

static bool same_group(const ridge_efficiency *g, const ridge_calibration_row *r)
{
    return nearness(&g->group, &r->group) == 4;
}

static ridge_efficiency *group_of(const ridge_calibration *c, const ridge_calibration_row *r)
{
    for (size_t i = 0; i < c->group_count; i++)
        if (same_group(&c->groups[i], r))
            return &c->groups[i];
    return NULL;
}

double ridge_calibrated_s(const ridge_calibration *c, const ridge_calibration_row *row)
{
    int best = 0;
    double sum = 0, weight = 0;
    if (!usable(row))
        return RIDGE_MEASURE_UNKNOWN;
    for (size_t i = 0; i < c->group_count; i++) {
        const ridge_efficiency *g = &c->groups[i];
        int near = nearness(&g->group, &row->group);
        if (near == 0 || near < best)
            continue;
        if (near > best)
            sum = weight = 0;
        best = near;
        sum += g->efficiency * (double)g->fitted_on;
        weight += (double)g->fitted_on;
    }
    return weight > 0 ? row->roofline_s * weight / sum : RIDGE_MEASURE_UNKNOWN;
}

/* which rows an efficiency is fitted on: of each group the first, the third, ... */
static ridge_status split(bool *fits, ridge_calibration *c, const ridge_calibration_row *rows, size_t count, ridge_arena *arena,
                          ridge_err *err)
{
    size_t *seen = ridge_arena_array(arena, count + 1, sizeof *seen);
    c->groups = ridge_arena_array(arena, count + 1, sizeof *c->groups);
    if (!seen || !c->groups)
        return ridge_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const ridge_calibration_row *r = &rows[i];
        fits[i] = false;
        if (!usable(r))
            continue;
        ridge_efficiency *g = group_of(c, r);
        if (!g) {
            g = &c->groups[c->group_count++];
            *g = (ridge_efficiency){.group = r->group};
        }
        fits[i] = seen[g - c->groups]++ % 2 == 0;
        g->fitted_on += fits[i];
        c->fitted += fits[i];
        c->tested += !fits[i];
    }
    return RIDGE_OK;
}

static void fit(ridge_efficiency *g, double *values, const bool *fits, const ridge_calibration_row *rows, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (fits[i] && same_group(g, &rows[i]))
            values[n++] = rows[i].roofline_s / rows[i].measured_s;
    g->efficiency = ridge_compare_median(values, n);
}

typedef double prediction(const ridge_calibration *c, const ridge_calibration_row *row);
static double by_theory(const ridge_calibration *c, const ridge_calibration_row *row)
{
    (void)c;
    return row->theory_s;
}
static double by_roofline(const ridge_calibration *c, const ridge_calibration_row *row)
{
    (void)c;
    return row->roofline_s;
}

/* median (and mean) error of the rows; leaving out those that were fitted on */
static double median_error(double *mean, double *values, const ridge_calibration *c, prediction *predict, const bool *leave_out,
                           const ridge_calibration_row *rows, size_t count)
{
    size_t n = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double error = usable(&rows[i]) ? ridge_compare_error(predict(c, &rows[i]), rows[i].measured_s) : RIDGE_MEASURE_UNKNOWN;
        if (error < 0 || (leave_out && leave_out[i]))
            continue;
        sum += values[n++] = error;
    }
    if (mean)
        *mean = n > 0 ? sum / (double)n : RIDGE_MEASURE_UNKNOWN;
    return ridge_compare_median(values, n);
}

ridge_status ridge_calibrate(ridge_calibration *out, const ridge_calibration_row *rows, size_t count, ridge_arena *arena, ridge_err *err)
{
    double *values = ridge_arena_array(arena, count + 1, sizeof *values);
    bool *fits = ridge_arena_array(arena, count + 1, sizeof *fits);
    *out = (ridge_calibration){0};
    if (!values || !fits)
        return ridge_no_memory(err);
    ridge_status st = split(fits, out, rows, count, arena, err);
    if (st)
        return st;
    for (size_t i = 0; i < out->group_count; i++)
        fit(&out->groups[i], values, fits, rows, count);
    for (size_t i = 0; i < count; i++)
        out->theory_rows += usable(&rows[i]) && rows[i].theory_s >= 0;
    out->theory_error = median_error(NULL, values, out, by_theory, NULL, rows, count);
    out->theory_test_error = median_error(NULL, values, out, by_theory, fits, rows, count);
    out->roofline_error = median_error(NULL, values, out, by_roofline, NULL, rows, count);
    out->roofline_test_error = median_error(NULL, values, out, by_roofline, fits, rows, count);
    out->calibrated_error = median_error(&out->calibrated_mean_error, values, out, ridge_calibrated_s, fits, rows, count);
    return RIDGE_OK;
}

/* ---- how it is written ---- */

#define GROUP ridge_efficiency
static const ridge_record_field efficiency_fields[] = {
    RIDGE_R_TEXT(GROUP, group.kernel, "kernel", NULL, RIDGE_IN_ALL, "kind of kernel"),
    RIDGE_R_TEXT(GROUP, group.variant, "variant", NULL, RIDGE_IN_ALL, "class of its variants"),
    RIDGE_R_WORD(GROUP, group.format_class, ridge_format_class_names, "format_class", "format", RIDGE_IN_ALL, "class of its formats"),
    RIDGE_R_WORD(GROUP, group.bound, ridge_calibration_bound_names, "bound", NULL, RIDGE_IN_ALL, "what bounds it"),
    RIDGE_R_REAL(GROUP, efficiency, "efficiency", NULL, RIDGE_IN_ALL, "least time / measured, the median of the rows it was fitted on",
                 .unit = RIDGE_UNIT_RATIO),
    RIDGE_R_SIZE(GROUP, fitted_on, "fitted_on", "rows", RIDGE_IN_ALL, "how many these are"),
};
const ridge_record ridge_efficiency_record = RIDGE_RECORD(GROUP, "efficiency", efficiency_fields, "how much of its bound a group reaches");

#define ALL ridge_calibration
static const ridge_record_field fields[] = {
    RIDGE_R_SIZE(ALL, fitted, "fitted", NULL, RIDGE_IN_JSON, "rows that efficiencies were fitted on"),
    RIDGE_R_SIZE(ALL, tested, "tested", NULL, RIDGE_IN_JSON, "rows that were left out for the test"),
    RIDGE_R_SIZE(ALL, theory_rows, "theory_rows", NULL, RIDGE_IN_JSON, "rows predicted from the machine as detected"),
    RIDGE_R_REAL(ALL, theory_error, "theory_error", NULL, RIDGE_IN_JSON, "median error of these"),
    RIDGE_R_REAL(ALL, theory_test_error, "theory_error_tested", NULL, RIDGE_IN_JSON, "... of those that were left out"),
    RIDGE_R_REAL(ALL, roofline_error, "roofline_error", NULL, RIDGE_IN_JSON, "median error by measured ceilings"),
    RIDGE_R_REAL(ALL, roofline_test_error, "roofline_error_tested", NULL, RIDGE_IN_JSON, "... of the rows that were left out"),
    RIDGE_R_REAL(ALL, calibrated_error, "calibrated_error_tested", NULL, RIDGE_IN_JSON, "median error of these with efficiencies"),
    RIDGE_R_REAL(ALL, calibrated_mean_error, "calibrated_mean_error_tested", NULL, RIDGE_IN_JSON, "the mean"),
    RIDGE_R_LIST(ALL, groups, group_count, &ridge_efficiency_record, "efficiencies", RIDGE_IN_JSON, "of each group"),
};
const ridge_record ridge_calibration_record = RIDGE_RECORD(ALL, "calibration", fields, "errors before and after efficiencies");
