#include "operator/time.h"

#include "predict/seconds.h"

const char *const ridge_op_unit_names[] = {"matrix", "vector", NULL};

const ridge_op_rate *ridge_op_main_rate(const ridge_op_time *time)
{
    return time->has_matrix || time->has_attention ? &time->matrix : &time->vector;
}

static ridge_precision vector_wants(const ridge_op_formats *formats)
{
    return strcmp(formats->activations->compute, "fp64") == 0 ? RIDGE_PRECISION_FP64 : RIDGE_PRECISION_FP32;
}

ridge_precision ridge_op_vector_uses(const ridge_op_formats *formats, const ridge_machine *machine)
{
    return machine->lacks[RIDGE_PRECISION_FP32] ? RIDGE_PRECISION_FP64 : vector_wants(formats);
}

/* what a kernel asks of the units: a lookup does no arithmetic, and dequantisation is counted as one more product (docs/layer-counters.md)
 */
typedef struct op_work {
    double matrix, attention, vector; /* FLOPs of one call */
} op_work;

static op_work work_of(const ridge_op_flops *f)
{
    return (op_work){
        .matrix = (double)f->by_class[RIDGE_FLOP_MATMUL] + (double)f->dequantisation,
        .attention = (double)f->by_class[RIDGE_FLOP_ATTENTION],
        .vector = (double)f->by_class[RIDGE_FLOP_ACTIVATION] + (double)f->by_class[RIDGE_FLOP_OTHER],
    };
}

static ridge_op_rate vector_rate(const ridge_machine *machine, const ridge_op_formats *f)
{
    double peak = ridge_vector_flops_per_s(machine, f->activations);
    if (peak > 0)
        return (ridge_op_rate){vector_wants(f), ridge_op_vector_uses(f, machine), RIDGE_OP_VECTOR_UNIT, peak};
    return (ridge_op_rate){vector_wants(f), ridge_op_vector_uses(f, machine), RIDGE_OP_VECTOR_UNIT, RIDGE_MACHINE_UNKNOWN};
}

static ridge_status matrix_rate(ridge_op_rate *out, const ridge_machine *machine, const ridge_format *a, const ridge_format *b,
                                ridge_err *err)
{
    ridge_computes_at at;
    ridge_status st = ridge_computes_at_find(&at, machine, a, b, err);
    if (!st)
        *out = (ridge_op_rate){at.wanted, at.used, RIDGE_OP_MATRIX_UNIT, at.peak_flops_per_s};
    return st;
}

/* the rates that count */
static ridge_status find_rates(ridge_op_time *t, const ridge_op_record *r, const ridge_op_formats *f, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    op_work w = work_of(&r->flops);
    t->has_matrix = w.matrix > 0;
    t->has_attention = w.attention > 0;
    t->has_vector = w.vector > 0;
    if (t->has_attention && (st = matrix_rate(&t->attention, t->machine, f->activations, f->kv, err)))
        return st;
    t->matrix = t->attention;
    if (t->has_matrix && (st = matrix_rate(&t->matrix, t->machine, f->activations, f->weights, err)))
        return st;
    t->vector = vector_rate(t->machine, f);
    t->ridge_point = ridge_ridge_point(t->machine, ridge_op_main_rate(t)->peak_flops_per_s);
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
    ridge_status st = c->level ? named_level(bytes_per_s, &level, t->machine, c->level, err) : RIDGE_OK;
    if (!c->level)
        ridge_bandwidth_find(bytes_per_s, &level, t->machine, bytes);
    if (!st && (!t->level || level < t->level)) /* levels stand outermost first */
        t->level = level;
    return st;
}

static double launch_of(const ridge_machine *machine, const ridge_op_conditions *c)
{
    return c->launch.counted == RIDGE_LAUNCH_GIVEN ? c->launch.seconds : machine->launch_overhead_s;
}

/* seconds that are bounded by each */
typedef double op_bounds[RIDGE_BOUND_LINK + 1];

static ridge_status add_kernel(ridge_op_time *t, op_bounds bounds, const ridge_op_kernel *k, const ridge_op_conditions *c, ridge_err *err)
{
    op_work w = work_of(&k->flops);
    double bytes = (double)k->bytes, calls = (double)k->calls, bytes_per_s;
    ridge_status st = find_level(&bytes_per_s, t, bytes, c, err);
    if (st)
        return st;
    double product = w.attention > 0 ? w.attention : w.matrix;
    double product_per_s = (w.attention > 0 ? t->attention : t->matrix).peak_flops_per_s;
    ridge_kernel_time one = ridge_kernel_time_of(product, product_per_s, w.vector, t->vector.peak_flops_per_s, seconds(bytes, bytes_per_s),
                                                 t->launch_counted ? launch_of(t->machine, c) : 0);
    if (t->has_matrix || t->has_attention)
        t->unit_s += calls * seconds(product, product_per_s);
    else
        t->unit_s += calls * one.compute_s;
    t->memory_s += calls * one.memory_s;
    t->compute_s += calls * one.compute_s;
    t->time_s += calls * one.time_s;
    bounds[one.bound] += calls * one.time_s;
    return RIDGE_OK;
}

/* all launches; it is counted where the caller wants it */
static ridge_status find_launch(ridge_op_time *t, const ridge_op_record *r, const ridge_op_conditions *c, ridge_err *err)
{
    double one = launch_of(t->machine, c), calls = 0;
    t->launch_counted = c->launch.counted != RIDGE_LAUNCH_NONE;
    if (t->launch_counted && !(one >= 0))
        return ridge_fail(err, RIDGE_UNKNOWN, "machine '%s' does not say what a launch takes: launch_overhead_s is null; give the seconds",
                          t->machine->id);
    for (size_t i = 0; i < r->kernel_count; i++)
        calls += (double)r->kernels[i].calls;
    t->launch_s = one >= 0 ? one * calls : RIDGE_MACHINE_UNKNOWN;
    return RIDGE_OK;
}

/* a kernel moves bytes, so it takes time: nothing of what bounds it is known */
static ridge_status fail_unbounded(const ridge_op_time *t, ridge_err *err)
{
    const ridge_op_rate *rate = ridge_op_main_rate(t);
    return ridge_bound_check(&(ridge_computes_at){rate->wanted, rate->used, RIDGE_MACHINE_UNKNOWN}, RIDGE_MACHINE_UNKNOWN, t->machine, err);
}

ridge_status ridge_op_time_of(ridge_op_time *out, const ridge_op_record *record, const ridge_op_formats *formats,
                              const ridge_machine *machine, const ridge_op_conditions *conditions, ridge_err *err)
{
    static const ridge_op_conditions none;
    const ridge_op_conditions *c = conditions ? conditions : &none;
    op_bounds bounds = {0};
    ridge_status st;
    *out = (ridge_op_time){.machine = machine};
    if ((st = find_rates(out, record, formats, err)) || (st = find_launch(out, record, c, err)))
        return st;
    for (size_t i = 0; i < record->kernel_count && !st; i++)
        st = add_kernel(out, bounds, &record->kernels[i], c, err);
    if (st)
        return st;
    for (int i = 1; i <= RIDGE_BOUND_LINK; i++)
        if (bounds[i] > bounds[out->bound])
            out->bound = (ridge_bound)i;
    const double peak = ridge_op_main_rate(out)->peak_flops_per_s;
    if (!(out->time_s > 0))
        return fail_unbounded(out, err);
    if ((out->has_matrix || out->has_attention || out->has_vector) && peak < 0)
        out->compute_s = RIDGE_MACHINE_UNKNOWN;
    if (out->level->bytes_per_s < 0)
        out->memory_s = RIDGE_MACHINE_UNKNOWN;
    out->percent_of_peak = peak > 0 ? 100 * out->unit_s / out->time_s : RIDGE_MACHINE_UNKNOWN;
    out->percent_of_bandwidth = out->memory_s >= 0 ? 100 * out->memory_s / out->time_s : RIDGE_MACHINE_UNKNOWN;
    out->flops_per_s = (double)record->flops.total / out->time_s;
    out->bytes_per_s = (double)record->bytes / out->time_s;
    return RIDGE_OK;
}
