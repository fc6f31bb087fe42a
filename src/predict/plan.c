#include "predict/plan.h"

#include <math.h>
#include <stdlib.h>

#include "predict/plan_parts.h"
#include "predict/seconds.h"

const char *const ridge_method_names[] = {RIDGE_METHOD_LIST(RIDGE_WORD_NAME) NULL};

double ridge_expected_experts(double experts, double per_token, double tokens)
{
    return experts <= per_token ? experts : experts * -expm1(tokens * log1p(-per_token / experts));
}

/* ---- making ---- */

typedef struct maker {
    ridge_plan *plan;
    ridge_value *values;
    size_t count;
    const ridge_calc *calc;
} maker;

static ridge_status sum(ridge_value *out, const ridge_value *values, size_t count, const ridge_calc *calc)
{
    ridge_status st = RIDGE_OK;
    *out = ridge_value_int(0);
    for (size_t i = 0; i < count && !st; i++)
        if (!ridge_value_is_zero(values[i]))
            st = ridge_value_binary(out, RIDGE_OP_ADD, *out, values[i], calc);
    return st;
}

static ridge_status quantities_of(ridge_value *v, const ridge_kernel *k, const ridge_calc *calc)
{
    const ridge_cost *c = &k->cost;
    const ridge_value *f = c->flops;
    const ridge_value vector[] = {f[RIDGE_FLOP_ACTIVATION], f[RIDGE_FLOP_OTHER]};
    const ridge_value weights[] = {c->reads[RIDGE_BYTE_WEIGHTS], c->writes[RIDGE_BYTE_WEIGHTS]};
    const ridge_value kv[] = {c->reads[RIDGE_BYTE_KV], c->writes[RIDGE_BYTE_KV]};
    const ridge_value written[] = {c->writes[RIDGE_BYTE_ACTIVATIONS], c->writes[RIDGE_BYTE_INTERMEDIATES], c->writes[RIDGE_BYTE_KV]};
    const ridge_value activations[] = {c->reads[RIDGE_BYTE_ACTIVATIONS], c->writes[RIDGE_BYTE_ACTIVATIONS],
                                       c->reads[RIDGE_BYTE_INTERMEDIATES], c->writes[RIDGE_BYTE_INTERMEDIATES]};
    ridge_status st;
    v[MATMUL] = f[RIDGE_FLOP_MATMUL];
    v[ATTENTION] = f[RIDGE_FLOP_ATTENTION];
    v[CALLS] = k->calls;
    v[ROUTED] = k->experts ? k->routed : ridge_value_int(0);
    v[HIT] = k->mixture == RIDGE_MIXTURE_WHOLE || k->mixture == RIDGE_MIXTURE_SPREAD ? k->hit : ridge_value_int(0);
    v[QUERIES] = v[KEYS] = v[PAIRS] = ridge_value_int(0);
    if ((st = sum(&v[VECTOR], vector, 2, calc)) || (st = sum(&v[WEIGHTS], weights, 2, calc)) || (st = sum(&v[KV], kv, 2, calc)) ||
        (st = sum(&v[WRITTEN], written, 3, calc)))
        return st;
    return sum(&v[ACTIVATIONS], activations, 4, calc);
}

static void add_output(maker *m, plan_kernel *k, quantity q, ridge_value v)
{
    k->has[q] = !(q == CALLS ? v.type == RIDGE_V_INT && v.u.i == 1 : ridge_value_is_zero(v));
    if (!k->has[q])
        return;
    k->output[q] = (uint32_t)m->count;
    m->values[m->count++] = v;
}

static void share(plan_kernel *k, const ridge_plan_split *split)
{
    static const ridge_plan_split alone = {
        .compute = 1, .weights = 1, .activations = 1, .kv = 1, .calls = 1, .device_calls = 1, .tokens = 1};
    k->split = split ? *split : alone;
    k->shared = k->split.compute > 0 ? 1 / k->split.compute : 1;
}

/* a kernel whose weights are stored in a format of their own computes at that one's rate */
static ridge_status find_weights(plan_kernel *out, const ridge_kernel *k, const ridge_plan *p, const ridge_plan_options *o, ridge_err *err)
{
    ridge_computes_at at;
    const ridge_stored stored = ridge_kernel_stored(k);
    out->weights = stored.format ? stored.format : o->weights;
    out->seconds_per_matmul_flop = p->seconds_per_flop[MATMUL];
    if (out->weights == o->weights && !stored.activations)
        return RIDGE_OK;
    ridge_status st = ridge_computes_at_find(&at, o->machine, stored.activations ? stored.activations : o->activations, out->weights, err);
    if (!st)
        out->seconds_per_matmul_flop = seconds(1, at.peak_flops_per_s);
    return st;
}

static ridge_status add_kernel(maker *m, plan_kernel *out, const ridge_kernel *k, const ridge_plan_options *o,
                               const ridge_plan_split *split, ridge_value *totals)
{
    ridge_value v[QUANTITIES], flops, bytes;
    ridge_status st = quantities_of(v, k, m->calc);
    if (!st)
        st = find_weights(out, k, m->plan, o, m->calc->err);
    if (!st && m->plan->estimate)
        st = ridge_plan_shape_of(&out->shape, &v[QUERIES], &v[KEYS], o->graph, k);
    if (!st && out->shape.kind == SHAPE_ATTENTION)
        st = ridge_plan_pairs_of(&v[PAIRS], o, out->shape.causal, v[QUERIES], v[KEYS]);
    out->launches = (double)k->launches;
    out->mixture = k->mixture;
    out->all_run = k->all_run;
    out->experts = (double)k->experts;
    out->per_token = (double)k->per_token;
    for (int q = 0; q < (m->plan->estimate ? QUANTITIES : WRITTEN) && !st; q++)
        add_output(m, out, (quantity)q, v[q]);
    share(out, split);
    if (st || out->split.link)
        return st;
    const ridge_value all_flops[] = {v[MATMUL], v[ATTENTION], v[VECTOR]},
                      all_bytes[] = {v[ACTIVATIONS], v[KV], k->experts ? ridge_value_int(0) : v[WEIGHTS]};
    const ridge_value *parts[] = {[TOTAL_FLOPS] = &flops, [TOTAL_BYTES] = &bytes};
    if ((st = sum(&flops, all_flops, 3, m->calc)) || (st = sum(&bytes, all_bytes, 3, m->calc)))
        return st;
    for (int t = 0; t < TOTAL_TOKENS && !st; t++) {
        ridge_value times;
        if (!(st = ridge_value_binary(&times, RIDGE_OP_MUL, *parts[t], k->calls, m->calc)))
            st = ridge_value_binary(&totals[t], RIDGE_OP_ADD, totals[t], times, m->calc);
    }
    return st;
}

static bool has_caches(const ridge_machine *m)
{
    for (size_t i = 1; i < m->level_count; i++)
        if (m->levels[i].bytes_per_s > 0 && m->levels[i].capacity_bytes > 0)
            return true;
    return false;
}

static ridge_status find_rates(ridge_plan *p, const ridge_plan_options *o, ridge_err *err)
{
    const ridge_machine_level *level;
    double main_memory, weights;
    ridge_status st;
    ridge_bandwidth_find(&main_memory, &level, o->machine, INFINITY);
    ridge_bandwidth_find(&weights, &level, o->machine, (double)o->weight_bytes);
    if ((st = ridge_computes_at_find(&p->rates.matmul, o->machine, o->activations, o->weights, err)) ||
        (st = ridge_computes_at_find(&p->rates.attention, o->machine, o->activations, o->kv, err)) ||
        (st = ridge_bound_check(&p->rates.matmul, main_memory, o->machine, err)))
        return st;
    p->rates.vector_flops_per_s = ridge_vector_flops_per_s(o->machine, o->activations);
    p->rates.bytes_per_s = main_memory;
    p->seconds_per_flop[MATMUL] = seconds(1, p->rates.matmul.peak_flops_per_s);
    p->seconds_per_flop[ATTENTION] = seconds(1, p->rates.attention.peak_flops_per_s);
    p->seconds_per_flop[VECTOR] = seconds(1, p->rates.vector_flops_per_s);
    p->seconds_per_byte = seconds(1, main_memory);
    p->weight_seconds_per_byte = seconds(1, weights);
    p->caches = has_caches(o->machine);
    p->machine = o->machine;
    p->launch_s = o->launch_s >= 0 ? o->launch_s : o->machine->launch_overhead_s > 0 ? o->machine->launch_overhead_s : 0;
    p->grouped = o->kernel == RIDGE_KERNEL_FUSED;
    p->estimate = o->method == RIDGE_METHOD_ESTIMATE;
    p->causal = o->causal;
    p->launch_given = o->launch_s >= 0;
    p->weights = o->weights;
    p->activations_format = o->activations;
    p->kv = o->kv;
    return RIDGE_OK;
}

ridge_status ridge_plan_make(ridge_plan **out, const ridge_kernels *kernels, const ridge_plan_options *o, const ridge_calc *calc)
{
    ridge_plan *p = *out = ridge_arena_alloc(calc->arena, sizeof *p);
    ridge_value totals[TOTALS] = {ridge_value_int(0), ridge_value_int(0), o->tokens};
    maker m = {.plan = p, .calc = calc};
    ridge_status st;
    if (!p || !(p->kernels = ridge_arena_array(calc->arena, kernels->n + 1, sizeof *p->kernels)) ||
        !(m.values = ridge_arena_array(calc->arena, kernels->n * QUANTITIES + TOTALS, sizeof *m.values)))
        return ridge_no_memory(calc->err);
    p->count = kernels->n;
    if ((st = find_rates(p, o, calc->err)))
        return st;
    for (size_t i = 0; i < kernels->n && !st; i++)
        st = add_kernel(&m, &p->kernels[i], &kernels->p[i], o, o->splits ? &o->splits[i] : NULL, totals);
    for (int t = 0; t < TOTALS && !st; t++) {
        p->totals[t] = (uint32_t)m.count;
        m.values[m.count++] = totals[t];
    }
    return st ? st : ridge_numeric_make(&p->numeric, m.values, m.count, calc);
}

const ridge_plan_rates *ridge_plan_rates_of(const ridge_plan *p)
{
    return &p->rates;
}

double ridge_plan_launch_s(const ridge_plan *p)
{
    return p->launch_s;
}

bool ridge_plan_room_make(ridge_plan_room *room, const ridge_plan *p)
{
    room->memo = p->estimate ? calloc(p->count + 1, sizeof *room->memo) : NULL;
    if (p->estimate && !room->memo)
        return false;
    if (ridge_numeric_room_make(&room->numeric, p->numeric))
        return true;
    free(room->memo);
    room->memo = NULL;
    return false;
}

void ridge_plan_room_free(ridge_plan_room *room)
{
    ridge_numeric_room_free(&room->numeric);
    free(room->memo);
    room->memo = NULL;
}

/* ---- a batch ---- */

static const double no_number[RIDGE_LANES];

const double *ridge_plan_quantity(const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k, quantity q)
{
    return k->has[q] ? ridge_numeric_output(p->numeric, &room->numeric, k->output[q]) : no_number;
}

/* seconds per byte of a working set: of the innermost level that holds it */
static double seconds_per_byte(const ridge_plan *p, double working_set)
{
    const ridge_machine_level *level;
    double rate;
    if (!p->caches)
        return p->seconds_per_byte;
    ridge_bandwidth_find(&rate, &level, p->machine, working_set);
    return seconds(1, rate);
}

/* All FLOPs at the matrix peak (FACTS: FLOPs / peak), the elementwise ones among them also within the vector units' rate. */
static void run_compute(lanes *l, const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k)
{
    const double *matmul = ridge_plan_quantity(p, room, k, MATMUL), *attention = ridge_plan_quantity(p, room, k, ATTENTION),
                 *vector = ridge_plan_quantity(p, room, k, VECTOR);
    const double m = k->seconds_per_matmul_flop / k->shared, a = p->seconds_per_flop[ATTENTION] / k->shared,
                 v = p->seconds_per_flop[VECTOR] / k->shared, least = m < a ? m : a;
    for (int i = 0; i < RIDGE_LANES; i++) {
        double matrix_s = matmul[i] * m + attention[i] * a + vector[i] * least, vector_s = vector[i] * v;
        l->compute_s[i] = matrix_s > vector_s ? matrix_s : vector_s;
    }
}

double ridge_plan_reached(const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k, int lane)
{
    const double routed = ridge_plan_quantity(p, room, k, ROUTED)[lane];
    const double tokens =
        k->per_token > 0 ? routed / k->per_token : ridge_numeric_output(p->numeric, &room->numeric, p->totals[TOTAL_TOKENS])[lane];
    if (k->all_run)
        return k->experts;
    const double reached = ridge_expected_experts(k->experts, routed / tokens, tokens * k->split.tokens);
    return k->mixture == RIDGE_MIXTURE_SPREAD ? reached / ridge_plan_quantity(p, room, k, HIT)[lane] : reached;
}

/* weights of a mixture: of the experts that the tokens are expected to reach; counts launches of kernels that run one expert each */
static void run_experts(lanes *l, const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k)
{
    const double *weights = ridge_plan_quantity(p, room, k, WEIGHTS), *hit = ridge_plan_quantity(p, room, k, HIT);
    const bool whole = k->mixture == RIDGE_MIXTURE_WHOLE;
    for (int i = 0; i < RIDGE_LANES; i++) {
        double reached = ridge_plan_reached(p, room, k, i);
        l->weights[i] = whole ? weights[i] * reached / hit[i] : weights[i] * reached;
        if (!whole)
            l->launches[i] = k->launches * (p->grouped ? 1 : reached / k->split.tokens);
    }
}

/* the cache of all layers passes by before one layer's is read again */
static double kv_seconds_per_byte(const ridge_plan *p, const double *calls, int lane, double bytes)
{
    return seconds_per_byte(p, (calls ? calls[lane] : 1) * bytes);
}

static void run_memory(lanes *l, const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k)
{
    const double *activations = ridge_plan_quantity(p, room, k, ACTIVATIONS), *kv = ridge_plan_quantity(p, room, k, KV);
    const double w = p->weight_seconds_per_byte * k->split.weights, part = k->split.activations, shared = k->split.kv;
    if (!p->caches) {
        const double a = p->seconds_per_byte * part, c = p->seconds_per_byte * shared;
        for (int i = 0; i < RIDGE_LANES; i++)
            l->memory_s[i] = l->weights[i] * w + activations[i] * a + kv[i] * c;
        return;
    }
    const double *calls = k->has[CALLS] ? ridge_plan_quantity(p, room, k, CALLS) : NULL;
    for (int i = 0; i < RIDGE_LANES; i++) {
        double a = activations[i] * part, c = kv[i] * shared;
        l->memory_s[i] = l->weights[i] * w + a * seconds_per_byte(p, a) + c * kv_seconds_per_byte(p, calls, i, c);
    }
}

/* a message: only its link is busy, and everything waits for it */
static void run_message(lanes *l, const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k)
{
    const double *bytes = ridge_plan_quantity(p, room, k, ACTIVATIONS);
    memset(l, 0, sizeof *l);
    for (int i = 0; i < RIDGE_LANES; i++)
        l->waits_s[i] =
            p->estimate ? ridge_exchange_estimate_s(&k->split.exchange, bytes[i]) : ridge_exchange_least_s(&k->split.exchange, bytes[i]);
}

/* what moves no bytes at a point, as the rows of an expert that gets none, is not launched there */
static void count_launches(lanes *l, const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k)
{
    const double *activations = ridge_plan_quantity(p, room, k, ACTIVATIONS), *kv = ridge_plan_quantity(p, room, k, KV);
    for (int i = 0; i < RIDGE_LANES; i++)
        l->launches[i] = l->weights[i] + activations[i] + kv[i] > 0 ? k->launches : 0;
}

static void run_kernel(lanes *l, const ridge_plan *p, ridge_plan_room *room, const plan_kernel *k)
{
    if (k->split.link) {
        run_message(l, p, room, k);
        return;
    }
    memcpy(l->weights, ridge_plan_quantity(p, room, k, WEIGHTS), sizeof l->weights);
    count_launches(l, p, room, k);
    if (k->experts > 0)
        run_experts(l, p, room, k);
    for (int i = 0; i < RIDGE_LANES; i++) {
        l->waits_s[i] = 0;
        l->launch_s[i] = l->launches[i] * p->launch_s;
    }
    run_compute(l, p, room, k);
    run_memory(l, p, room, k);
    if (p->estimate)
        ridge_plan_estimate(l, p, room, k);
}

/* what rounding has taken from a sum */
typedef struct lost_digits {
    double of[RIDGE_LANES];
} lost_digits;

/* Adds n x seconds with twice the digits of a double (Dekker 1971), so that the sum is the same whether equal kernels are one of n calls,
 * as those of a concrete workload, or stand apart, as closed forms have them: a sweep's time is predict's in every digit. n: an integer
 * below 2^26 */
static void add_seconds(double *sum, double *rest, double n, double seconds)
{
    const double wide = seconds * 0x8000001p0, high = wide - (wide - seconds), low = seconds - high, whole = n * seconds,
                 lost = (n * high - whole) + n * low, before = *sum, after = before + whole, added = after - before;
    *rest += (before - (after - added)) + (whole - added) + lost;
    *sum = after;
}

static void add_message(ridge_plan_times *out, lost_digits *rest, const lanes *l, const double *calls, const plan_kernel *k)
{
    for (int i = 0; i < RIDGE_LANES; i++) {
        double took_s = (calls ? calls[i] : 1) * k->split.calls * l->waits_s[i];
        add_seconds(&out->time_s[i], &rest->of[i], 1, took_s);
        out->link_s[i] += took_s;
    }
}

static void add_to_pass(ridge_plan_times *out, lost_digits *rest, const lanes *l, const double *calls, double slots)
{
    for (int i = 0; i < RIDGE_LANES; i++) {
        double longer = l->compute_s[i] > l->memory_s[i] ? l->compute_s[i] : l->memory_s[i], busy = longer + l->waits_s[i];
        double n = (calls ? calls[i] : 1) * slots;
        add_seconds(&out->time_s[i], &rest->of[i], n, busy + l->launch_s[i]);
        out->launch_s[i] += n * l->launch_s[i];
        out->memory_s[i] += n * (l->memory_s[i] >= l->compute_s[i] ? busy : 0);
    }
}

void ridge_plan_run(const ridge_plan *p, ridge_plan_room *room, ridge_plan_times *out, const double (*inputs)[RIDGE_LANES])
{
    lanes l;
    lost_digits rest = {0};
    memset(out, 0, sizeof *out);
    ridge_numeric_run(p->numeric, &room->numeric, inputs);
    memcpy(out->flops, ridge_numeric_output(p->numeric, &room->numeric, p->totals[TOTAL_FLOPS]), sizeof out->flops);
    memcpy(out->bytes, ridge_numeric_output(p->numeric, &room->numeric, p->totals[TOTAL_BYTES]), sizeof out->bytes);
    for (size_t k = 0; k < p->count; k++) {
        const double *calls = p->kernels[k].has[CALLS] ? ridge_plan_quantity(p, room, &p->kernels[k], CALLS) : NULL;
        run_kernel(&l, p, room, &p->kernels[k]);
        if (p->kernels[k].split.link) {
            add_message(out, &rest, &l, calls, &p->kernels[k]);
            continue;
        }
        add_to_pass(out, &rest, &l, calls, p->kernels[k].split.calls);
        for (int i = 0; i < RIDGE_LANES && p->kernels[k].experts > 0; i++) {
            const double weights = (calls ? calls[i] : 1) * l.weights[i];
            out->bytes[i] += weights;
            out->expert_bytes[i] += nearbyint(weights);
        }
    }
    for (int i = 0; i < RIDGE_LANES; i++)
        out->time_s[i] += rest.of[i];
}

/* of one call: the bytes that no cache holds, at main memory's bandwidth */
static double main_memory_s(const ridge_plan *p, const ridge_plan_room *room, const plan_kernel *k, const lanes *l, int lane)
{
    const double main = p->seconds_per_byte, weights = l->weights[lane] * (main * k->split.weights);
    double activations = ridge_plan_quantity(p, room, k, ACTIVATIONS)[lane], kv = ridge_plan_quantity(p, room, k, KV)[lane];
    if (!p->caches)
        return weights + activations * (main * k->split.activations) + kv * (main * k->split.kv);
    const double *calls = k->has[CALLS] ? ridge_plan_quantity(p, room, k, CALLS) : NULL;
    activations *= k->split.activations;
    kv *= k->split.kv;
    return (p->weight_seconds_per_byte < main ? 0 : weights) + (seconds_per_byte(p, activations) < main ? 0 : activations * main) +
           (kv_seconds_per_byte(p, calls, lane, kv) < main ? 0 : kv * main);
}

ridge_plan_kernel_times ridge_plan_kernel_at(const ridge_plan *p, ridge_plan_room *room, size_t i, int lane)
{
    const plan_kernel *k = &p->kernels[i];
    double calls = k->has[CALLS] ? ridge_plan_quantity(p, room, k, CALLS)[lane] : 1;
    ridge_plan_kernel_times t = {0};
    lanes l;
    run_kernel(&l, p, room, k);
    if (k->split.link) {
        t.message = true;
        t.link_bytes = calls * k->split.calls * k->split.wire_bytes * ridge_plan_quantity(p, room, k, ACTIVATIONS)[lane];
        t.link_s = t.time_s = calls * k->split.calls * l.waits_s[lane];
        return t;
    }
    t.weight_bytes = calls * l.weights[lane];
    t.flops = calls * (ridge_plan_quantity(p, room, k, MATMUL)[lane] + ridge_plan_quantity(p, room, k, ATTENTION)[lane] +
                       ridge_plan_quantity(p, room, k, VECTOR)[lane]);
    const double activations = calls * ridge_plan_quantity(p, room, k, ACTIVATIONS)[lane],
                 kv = calls * ridge_plan_quantity(p, room, k, KV)[lane];
    t.bytes = t.weight_bytes + activations + kv;
    t.device_flops = k->split.calls / k->shared * t.flops;
    t.device_bytes = k->split.calls * (t.weight_bytes * k->split.weights + activations * k->split.activations + kv * k->split.kv);
    t.main_memory_s = calls * k->split.device_calls * main_memory_s(p, room, k, &l, lane);
    calls *= k->split.calls;
    t.compute_s = calls * l.compute_s[lane];
    t.memory_s = calls * l.memory_s[lane];
    t.launches = calls * l.launches[lane];
    t.launch_s = calls * l.launch_s[lane];
    t.waits_s = calls * l.waits_s[lane];
    t.time_s = (t.compute_s > t.memory_s ? t.compute_s : t.memory_s) + t.waits_s + t.launch_s;
    return t;
}
