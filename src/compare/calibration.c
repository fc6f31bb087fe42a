#include "compare/calibration.h"

#include <string.h>

const char *ridge_calibration_format_class(const ridge_format *format)
{
    double bits = ridge_rational_double(format->bits);
    return bits > 16 ? "fp32" : bits > 10 ? "16-bit" : bits >= 8 ? "8-bit" : "4-bit";
}

const char *ridge_calibration_variant_class(const char *provider, const char *variant)
{
    if (strcmp(provider, "ridge") != 0)
        return provider;
    return strstr(variant, "generic") ? "generic" : "vector";
}

static bool usable(const ridge_calibration_row *r)
{
    return r->bound && r->measured_s > 0 && r->roofline_s > 0;
}

static bool same_group(const ridge_efficiency *g, const ridge_calibration_row *r)
{
    return strcmp(g->kernel, r->kernel) == 0 && strcmp(g->variant, r->variant) == 0 && strcmp(g->format_class, r->format_class) == 0 &&
           strcmp(g->bound, r->bound) == 0;
}

static ridge_efficiency *group_of(const ridge_calibration *c, const ridge_calibration_row *r)
{
    for (size_t i = 0; i < c->group_count; i++)
        if (same_group(&c->groups[i], r))
            return &c->groups[i];
    return NULL;
}

/* how near a fitted group is to a row: 4 the same, 3 the same kernel, variant and bound, 2 the same variant and bound, 1 the same bound, 0
 * none of these */
static int nearness(const ridge_efficiency *g, const ridge_calibration_row *r)
{
    if (strcmp(g->bound, r->bound) != 0)
        return 0;
    if (strcmp(g->variant, r->variant) != 0)
        return 1;
    return strcmp(g->kernel, r->kernel) != 0 ? 2 : strcmp(g->format_class, r->format_class) != 0 ? 3 : 4;
}

double ridge_calibrated_s(const ridge_calibration *c, const ridge_calibration_row *row)
{
    int best = 0;
    double sum = 0, weight = 0;
    if (!usable(row))
        return RIDGE_MEASURE_UNKNOWN;
    for (size_t i = 0; i < c->group_count; i++) {
        const ridge_efficiency *g = &c->groups[i];
        int near = nearness(g, row);
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
            *g = (ridge_efficiency){r->kernel, r->variant, r->format_class, r->bound, 0, 0};
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
