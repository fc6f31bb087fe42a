#include "operator/time.h"

static double as_double(ridge_int n)
{
    return ridge_rational_double(ridge_rational_of(n));
}

double ridge_op_percent_of_peak(const ridge_op_time *time)
{
    return time->peak_flops_per_s > 0 ? 100 * time->unit_s / time->time_s : RIDGE_MACHINE_UNKNOWN;
}

double ridge_op_percent_of_bandwidth(const ridge_op_time *time)
{
    return 100 * time->memory_s / time->time_s;
}

ridge_precision ridge_op_vector_wants(const ridge_op_formats *formats)
{
    return strcmp(formats->activations->compute, "fp64") == 0 ? RIDGE_PRECISION_FP64 : RIDGE_PRECISION_FP32;
}

ridge_precision ridge_op_vector_uses(const ridge_op_formats *formats, const ridge_machine *machine)
{
    ridge_precision wanted = ridge_op_vector_wants(formats);
    return machine->peak_flops_per_s[wanted] > 0 ? wanted : RIDGE_PRECISION_FP64;
}

/* what a kernel asks of the units: a lookup does no arithmetic, and dequantisation is counted as one more product (docs/layer-counters.md)
 */
typedef struct work {
    double matrix, attention, vector; /* FLOPs of one call */
} work;

static work work_of(const ridge_op_flops *f)
{
    return (work){
        .matrix = as_double(f->by_class[RIDGE_FLOP_MATMUL]) + as_double(f->dequantisation),
        .attention = as_double(f->by_class[RIDGE_FLOP_ATTENTION]),
        .vector = as_double(f->by_class[RIDGE_FLOP_ACTIVATION]) + as_double(f->by_class[RIDGE_FLOP_OTHER]),
    };
}

/* the rates that count */
static ridge_status find_rates(ridge_op_time *t, const ridge_op_record *r, const ridge_op_formats *f, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    work w = work_of(&r->flops);
    t->has_matrix = w.matrix > 0;
    t->has_attention = w.attention > 0;
    t->has_vector = w.vector > 0;
    if (t->has_attention && (st = ridge_computes_at_find(&t->attention, t->machine, f->activations, f->kv, err)))
        return st;
    t->matrix = t->attention;
    if (t->has_matrix && (st = ridge_computes_at_find(&t->matrix, t->machine, f->activations, f->weights, err)))
        return st;
    double vector = ridge_vector_flops_per_s(t->machine, f->activations);
    t->vector_flops_per_s = vector > 0 ? vector : RIDGE_MACHINE_UNKNOWN;
    t->peak_flops_per_s = t->has_matrix || t->has_attention ? t->matrix.peak_flops_per_s : t->vector_flops_per_s;
    t->ridge_point = ridge_ridge_point(t->machine, t->peak_flops_per_s);
    return st;
}

static ridge_status named_level(double *bytes_per_s, const ridge_machine_level **level, const ridge_machine *machine, const char *name,
                                ridge_err *err)
{
    ridge_nearest nearest = {0};
    *level = ridge_machine_level_find(machine, name);
    for (size_t i = 0; i < machine->level_count && !*level; i++)
        ridge_nearest_offer(&nearest, ridge_str_of(name), machine->levels[i].name);
    if (!*level && nearest.best)
        return ridge_fail(err, RIDGE_UNKNOWN, "machine '%s' has no memory level '%s'; did you mean '%s'?", machine->id, name, nearest.best);
    if (!*level)
        return ridge_fail(err, RIDGE_UNKNOWN, "machine '%s' has no memory level '%s'; 'ridge machine show %s' lists them", machine->id,
                          name, machine->id);
    if ((*level)->bytes_per_s <= 0)
        return ridge_fail(err, RIDGE_UNKNOWN, "machine '%s' does not say how fast its %s is: memory.%s.bytes_per_s is null", machine->id,
                          name, name);
    *bytes_per_s = (double)(*level)->bytes_per_s;
    return RIDGE_OK;
}

/* where the operands of a kernel come from */
static ridge_status find_level(double *bytes_per_s, ridge_op_time *t, double bytes, const ridge_op_conditions *c, ridge_err *err)
{
    const ridge_machine_level *level;
    ridge_status st = c->level ? named_level(bytes_per_s, &level, t->machine, c->level, err)
                               : ridge_bandwidth_find(bytes_per_s, &level, t->machine, bytes, err);
    if (!st && (!t->level || level < t->level)) /* levels stand outermost first */
        t->level = level;
    return st;
}

static double launch_of(const ridge_machine *machine, const ridge_op_conditions *c)
{
    return c->launch == RIDGE_OP_LAUNCH_GIVEN ? c->launch_s : machine->launch_overhead_s;
}

typedef struct bounds {
    double s[RIDGE_BOUND_LINK + 1]; /* seconds that are bounded by each */
} bounds;

static ridge_status add_kernel(ridge_op_time *t, bounds *b, const ridge_op_kernel *k, const ridge_op_conditions *c, ridge_err *err)
{
    work w = work_of(&k->flops);
    double bytes = as_double(k->bytes), calls = as_double(k->calls), bytes_per_s;
    ridge_status st = find_level(&bytes_per_s, t, bytes, c, err);
    if (st)
        return st;
    double product = w.attention > 0 ? w.attention : w.matrix;
    double product_per_s = (w.attention > 0 ? t->attention : t->matrix).peak_flops_per_s;
    ridge_kernel_time one = ridge_kernel_time_of(product, product_per_s, w.vector, t->vector_flops_per_s, bytes / bytes_per_s,
                                                 t->launch_counted ? launch_of(t->machine, c) : 0);
    if (t->has_matrix || t->has_attention)
        t->unit_s += product > 0 ? calls * product / product_per_s : 0;
    else
        t->unit_s += calls * one.compute_s;
    t->memory_s += calls * one.memory_s;
    t->compute_s += calls * one.compute_s;
    t->time_s += calls * one.time_s;
    b->s[one.bound] += calls * one.time_s;
    return RIDGE_OK;
}

/* all launches; it is counted where the caller wants it */
static ridge_status find_launch(ridge_op_time *t, const ridge_op_record *r, const ridge_op_conditions *c, ridge_err *err)
{
    double one = launch_of(t->machine, c), calls = 0;
    t->launch_counted = c->launch != RIDGE_OP_LAUNCH_LEFT_OUT;
    if (t->launch_counted && !(one >= 0))
        return ridge_fail(err, RIDGE_UNKNOWN, "machine '%s' does not say what a launch takes: launch_overhead_s is null; give the seconds",
                          t->machine->id);
    for (size_t i = 0; i < r->kernel_count; i++)
        calls += as_double(r->kernels[i].calls);
    t->launch_s = one >= 0 ? one * calls : RIDGE_MACHINE_UNKNOWN;
    return RIDGE_OK;
}

ridge_status ridge_op_time_of(ridge_op_time *out, const ridge_op_record *record, const ridge_op_formats *formats,
                              const ridge_machine *machine, const ridge_op_conditions *conditions, ridge_err *err)
{
    static const ridge_op_conditions none;
    const ridge_op_conditions *c = conditions ? conditions : &none;
    bounds b = {{0}};
    ridge_status st;
    *out = (ridge_op_time){.machine = machine};
    if ((st = find_rates(out, record, formats, err)) || (st = find_launch(out, record, c, err)))
        return st;
    for (size_t i = 0; i < record->kernel_count && !st; i++)
        st = add_kernel(out, &b, &record->kernels[i], c, err);
    if (st)
        return st;
    for (int i = 1; i <= RIDGE_BOUND_LINK; i++)
        if (b.s[i] > b.s[out->bound])
            out->bound = (ridge_bound)i;
    if (out->has_vector && !out->has_matrix && !out->has_attention && out->vector_flops_per_s < 0)
        out->compute_s = RIDGE_MACHINE_UNKNOWN;
    out->flops_per_s = as_double(record->flops.total) / out->time_s; /* a kernel moves bytes, so it takes time */
    out->bytes_per_s = as_double(record->bytes) / out->time_s;
    return RIDGE_OK;
}
