#include "advice/advice.h"

#include <math.h>
#include <stdlib.h>

#include "advice/trial.h"

/* what is worth a line: a thousandth of the time */
#define LEAST_GAIN 1e-3
/* two predictions are equal */
#define SAME 1e-9
/* share of the time in compute-bound kernels from which narrower arithmetic is tried */
#define LEAST_COMPUTE 0.01

/* Alternatives of one group do the same thing; the fastest is the group's item. */
typedef enum group { WEIGHTS_8, WEIGHTS_4, BOTH_16, BOTH_8, BOTH_4, KV_8, FUSED, CAUSAL, HEAD, NO_RECOMPUTE, SELECTIVE, GROUPS } group;

#define ANY RIDGE_PRECISION_COUNT

static const struct alternative {
    group group;
    const char *keys[2], *value;
    ridge_precision rate; /* of equals, those the machine has the rate of come first */
    bool needs_rate;
} alternatives[] = {
    {WEIGHTS_8, {"weights"}, "fp8_e4m3", RIDGE_PRECISION_FP8, false},
    {WEIGHTS_8, {"weights"}, "int8", RIDGE_PRECISION_INT8, false},
    {WEIGHTS_8, {"weights"}, "q8_0", ANY, false},
    {WEIGHTS_4, {"weights"}, "q4_K", ANY, false},
    {WEIGHTS_4, {"weights"}, "nvfp4", RIDGE_PRECISION_NVFP4, true},
    {WEIGHTS_4, {"weights"}, "mxfp4", RIDGE_PRECISION_MXFP4, true},
    {BOTH_16, {"weights", "activations"}, "bf16", RIDGE_PRECISION_BF16, true},
    {BOTH_16, {"weights", "activations"}, "fp16", RIDGE_PRECISION_FP16, true},
    {BOTH_8, {"weights", "activations"}, "fp8_e4m3", RIDGE_PRECISION_FP8, true},
    {BOTH_8, {"weights", "activations"}, "int8", RIDGE_PRECISION_INT8, true},
    {BOTH_4, {"weights", "activations"}, "nvfp4", RIDGE_PRECISION_NVFP4, true},
    {BOTH_4, {"weights", "activations"}, "mxfp4", RIDGE_PRECISION_MXFP4, true},
    {KV_8, {"kv"}, "fp8_e4m3", RIDGE_PRECISION_FP8, false},
    {KV_8, {"kv"}, "int8", RIDGE_PRECISION_INT8, false},
    {FUSED, {"kernel"}, "fused", ANY, false},
    {CAUSAL, {"attention"}, "causal", ANY, false},
    {HEAD, {"lm-head"}, "last", ANY, false},
    {NO_RECOMPUTE, {"recompute"}, "none", ANY, false},
    {SELECTIVE, {"recompute"}, "selective", ANY, false},
};

typedef struct maker {
    ridge_advice *advice;
    const ridge_prediction *now;
    ridge_shares shares;
    ridge_trial best[GROUPS]; /* possible == false: none */
    ridge_precision best_rate[GROUPS];
    ridge_changes helps[4]; /* what saves memory */
    size_t help_count;
    ridge_err *err;
} maker;

static bool has_rate(const maker *m, ridge_precision p)
{
    return p == ANY || m->now->machine->peak_flops_per_s[p] > 0;
}

/* ---- trials ---- */

static bool is_wide(const ridge_format *f)
{
    return ridge_rational_compare(f->bits, ridge_rational_of(16)) > 0;
}

bool ridge_advice_is_wide(const ridge_workload *w)
{
    return is_wide(w->weights) || is_wide(w->activations);
}

static bool applies(const maker *m, const struct alternative *a)
{
    const ridge_workload *w = &m->now->model->workload;
    bool trains = w->phase == RIDGE_PHASE_TRAIN;
    if (a->needs_rate && !has_rate(m, a->rate))
        return false;
    switch (a->group) {
    case KV_8:
        return w->takes.cache && !trains;
    case BOTH_16:
        return ridge_advice_is_wide(w);
    case BOTH_8: /* of the formats only this one trains */
        return m->shares.compute > LEAST_COMPUTE && (!trains || a->rate == RIDGE_PRECISION_FP8);
    case BOTH_4:
        return m->shares.compute > LEAST_COMPUTE && !trains;
    case FUSED:
        return w->kernel == RIDGE_KERNEL_EAGER;
    case CAUSAL:
        return w->takes.pairs && w->attention != RIDGE_PAIRS_CAUSAL;
    case HEAD:
        return w->takes.head && w->lm_head != RIDGE_HEAD_LAST && !trains;
    case NO_RECOMPUTE:
        return trains && w->recompute != RIDGE_RECOMPUTE_NONE;
    case SELECTIVE:
        return trains && w->recompute == RIDGE_RECOMPUTE_FULL;
    default:
        return !trains;
    }
}

static void put(ridge_changes *c, const char *name, const char *value)
{
    ridge_changes one = {.count = 0};
    if (ridge_changes_add(&one, name, value))
        ridge_changes_put(c, &one.items[0]);
}

static void merge(ridge_changes *to, const ridge_changes *from)
{
    for (size_t i = 0; i < from->count; i++)
        ridge_changes_put(to, &from->items[i]);
}

/* more than 16 bits beside narrow activations would keep the attention at their rate */
static const char *kept_cache(const maker *m)
{
    const ridge_format *kv = m->now->model->workload.kv;
    return !is_wide(kv) ? kv->name : has_rate(m, RIDGE_PRECISION_BF16) ? "bf16" : "fp16";
}

static ridge_status try_alternative(maker *m, const struct alternative *a)
{
    const ridge_predict_request *r = &m->now->request;
    ridge_trial t, *best = &m->best[a->group];
    ridge_changes c = {0};
    for (size_t i = 0; i < 2 && a->keys[i]; i++)
        put(&c, a->keys[i], a->value);
    if (m->now->model->workload.takes.cache && a->keys[1] && a->group != BOTH_16 &&
        !r->model.kv) /* the cache would follow the activations */
        put(&c, "kv", kept_cache(m));
    ridge_status st = ridge_trial_run(&t, m->now, r, &c, m->advice->arena, m->err);
    if (st || !t.possible)
        return st;
    bool faster = !best->possible || t.total_s < best->total_s * (1 - SAME);
    bool equal_at_own_rate =
        best->possible && t.total_s <= best->total_s * (1 + SAME) && !has_rate(m, m->best_rate[a->group]) && has_rate(m, a->rate);
    if (faster || equal_at_own_rate) {
        *best = t;
        m->best_rate[a->group] = a->rate;
    }
    return RIDGE_OK;
}

/* ---- words ---- */

/* cache: say the format of a cache that is changed too */
static const char *action_of(maker *m, group g, bool cache)
{
    static const char *const fixed[GROUPS] = {[FUSED] = "fused kernels",
                                              [CAUSAL] = "no scores that the causal mask drops",
                                              [HEAD] = "the head on the last position only",
                                              [NO_RECOMPUTE] = "no recomputation",
                                              [SELECTIVE] = "selective recomputation"};
    const ridge_changes *c = &m->best[g].changes;
    const char *format = c->items[0].value, *kv = c->count == 3 ? c->items[2].value : NULL;
    if (fixed[g])
        return fixed[g];
    if (cache && kv && strcmp(kv, m->now->model->workload.kv->name) != 0)
        return ridge_arena_printf(m->advice->arena, "weights and activations in %s with the KV cache in %s", format, kv);
    return ridge_arena_printf(m->advice->arena, "%s in %s",
                              g == KV_8                                    ? "KV cache"
                              : g == BOTH_16 || g == BOTH_8 || g == BOTH_4 ? "weights and activations"
                                                                           : "weights",
                              format);
}

static const char *why_of(maker *m, group g)
{
    const ridge_prediction *now = m->now;
    ridge_arena *arena = m->advice->arena;
    switch (g) {
    case BOTH_16:
    case BOTH_8:
    case BOTH_4:
        return ridge_arena_printf(arena, "%.3g %% of the time computes, at the %s peak, and %.3g %% reads weights", 100 * m->shares.compute,
                                  ridge_precision_names[now->rates.matmul.used], 100 * m->shares.weights);
    case KV_8:
        return ridge_arena_printf(arena, "%.3g %% of the time reads the KV cache", 100 * m->shares.kv);
    case FUSED:
        return ridge_arena_printf(arena, "%.3g %% of the time moves activations, most of them between operators",
                                  100 * m->shares.activations);
    case CAUSAL:
        return ridge_arena_printf(arena, "%.3g %% of the time is attention, with all scores computed", 100 * m->shares.attention);
    case HEAD:
        return "only the last position's logits are needed to go on";
    case NO_RECOMPUTE:
    case SELECTIVE:
        return ridge_arena_printf(arena, "%.3g %% of the FLOPs are computed a second time",
                                  100 * (1 - m->best[g].flops / (double)now->rows[0].flops));
    default:
        return ridge_arena_printf(arena, "%.3g %% of the time reads weights", 100 * m->shares.weights);
    }
}

/* ---- items ---- */

ridge_advice_item *ridge_advice_add(ridge_advice *a, const ridge_prediction *now, const ridge_trial *t, double gain_s)
{
    ridge_advice_item *items = ridge_arena_grow(a->arena, a->items, a->count, &a->cap, a->count + 1, sizeof *items);
    const char *options = ridge_changes_text(&t->changes, a->arena);
    if (!items || !options)
        return NULL;
    a->items = items;
    items[a->count] = (ridge_advice_item){.changes = t->changes,
                                          .options = options,
                                          .gain_s = gain_s,
                                          .time_s = t->total_s,
                                          .times = t->total_s / (a->now_s - gain_s),
                                          .speedup = a->now_s / (a->now_s - gain_s),
                                          .tokens_per_s = t->tokens_per_s,
                                          .images_per_s = t->images_per_s,
                                          .fits = now->capacity_bytes < 0 ? -1 : t->fits,
                                          .memory_bytes = t->memory_bytes};
    return &items[a->count++];
}

static ridge_status add_item(maker *m, const ridge_trial *t, const char *action, const char *why, bool lossy)
{
    ridge_advice *a = m->advice;
    ridge_advice_item *item = ridge_advice_add(a, m->now, t, a->now_s - t->total_s);
    if (!item || !action || !why)
        return ridge_no_memory(m->err);
    item->action = action;
    item->why = why;
    item->speedup = a->now_s / t->total_s;
    item->lossy = lossy;
    if (t->fits)
        return RIDGE_OK;
    return ridge_advice_to_fit(&item->to_fit, m->now, t, m->helps, m->help_count, a->arena, m->err);
}

static bool helps(const maker *m, const ridge_trial *t)
{
    return t->possible && t->total_s < m->advice->now_s * (1 - LEAST_GAIN);
}

/* narrower activations are worth their own line where narrow weights alone do not do it */
static bool is_item(const maker *m, group g)
{
    const ridge_trial *t = &m->best[g];
    const ridge_trial *alone = g == BOTH_8 ? &m->best[WEIGHTS_8] : g == BOTH_4 ? &m->best[WEIGHTS_4] : NULL;
    if (g == SELECTIVE && m->best[NO_RECOMPUTE].possible && m->best[NO_RECOMPUTE].fits == t->fits)
        alone = &m->best[NO_RECOMPUTE];
    return helps(m, t) && !(alone && alone->possible && alone->total_s <= t->total_s * (1 + LEAST_GAIN));
}

static bool is_lossy(group g)
{
    return g <= KV_8;
}

static ridge_status add_groups(maker *m)
{
    ridge_status st = RIDGE_OK;
    for (int g = 0; g < GROUPS && !st; g++)
        if (is_item(m, (group)g))
            st = add_item(m, &m->best[g], action_of(m, (group)g, true), why_of(m, (group)g), is_lossy((group)g));
    return st;
}

/* ---- all together ---- */

/* of the groups that set the weights' format, the fastest; GROUPS: none */
static group best_weights(const maker *m)
{
    group best = GROUPS;
    for (int g = WEIGHTS_8; g <= BOTH_4; g++)
        if (is_item(m, (group)g) && (best == GROUPS || m->best[g].total_s < m->best[best].total_s))
            best = (group)g;
    return best;
}

static ridge_status add_together(maker *m)
{
    static const group others[] = {KV_8, FUSED, CAUSAL, HEAD, NO_RECOMPUTE};
    group weights = best_weights(m), parts[1 + sizeof others / sizeof *others];
    size_t n = 0;
    double best_alone = INFINITY;
    bool lossy = false;
    ridge_changes c = {0};
    const char *action = "", *why = "alone they save ";
    ridge_arena *arena = m->advice->arena;
    ridge_trial t;
    if (weights != GROUPS)
        parts[n++] = weights;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_item(m, others[i]))
            parts[n++] = others[i];
    for (size_t i = 0; i < n && action && why; i++) {
        merge(&c, &m->best[parts[i]].changes);
        best_alone = fmin(best_alone, m->best[parts[i]].total_s);
        lossy = lossy || is_lossy(parts[i]);
        action = ridge_arena_printf(arena, "%s%s%s", action, i ? ", " : "", action_of(m, parts[i], !is_item(m, KV_8)));
        why = ridge_arena_printf(arena, "%s%s%s", why,
                                 i == 0      ? ""
                                 : i + 1 < n ? ", "
                                             : " and ",
                                 ridge_units_seconds(arena, m->advice->now_s - m->best[parts[i]].total_s));
    }
    if (n < 2)
        return RIDGE_OK;
    ridge_status st = ridge_trial_run(&t, m->now, &m->now->request, &c, m->advice->arena, m->err);
    if (st || !t.possible || t.total_s >= best_alone * (1 - LEAST_GAIN))
        return st;
    if (!(st = add_item(m, &t, action, why, lossy)))
        m->advice->items[m->advice->count - 1].together = true;
    return st;
}

/* ---- room ---- */

static void find_helps(maker *m)
{
    if (m->now->model->workload.phase == RIDGE_PHASE_TRAIN) {
        ridge_changes *full = &m->helps[m->help_count++];
        put(full, "recompute", "selective");
        full = &m->helps[m->help_count++];
        put(full, "recompute", "full");
        return;
    }
    static const group savers[] = {WEIGHTS_8, KV_8, WEIGHTS_4};
    for (size_t i = 0; i < 3; i++)
        if (m->best[savers[i]].possible)
            m->helps[m->help_count++] = m->best[savers[i]].changes;
    if (m->best[WEIGHTS_4].possible && m->best[KV_8].possible) {
        m->helps[m->help_count] = m->best[WEIGHTS_4].changes;
        merge(&m->helps[m->help_count++], &m->best[KV_8].changes);
    }
}

ridge_status ridge_advice_to_fit(const char **out, const ridge_prediction *now, const ridge_trial *trial, const ridge_changes *with,
                                 size_t count, ridge_arena *arena, ridge_err *err)
{
    ridge_int capacity = now->capacity_bytes;
    for (size_t i = 0; i < count; i++) {
        ridge_changes c = trial->changes;
        ridge_trial t;
        merge(&c, &with[i]);
        ridge_status st = ridge_trial_run(&t, now, &now->request, &c, arena, err);
        if (st)
            return st;
        if (t.possible && t.fits) {
            *out = ridge_changes_text(&with[i], arena);
            return *out ? RIDGE_OK : ridge_no_memory(err);
        }
    }
    if (capacity > 0) {
        *out = ridge_arena_printf(
            arena, "%lld devices sharing it",
            (long long)(ridge_parallel_devices(&now->request.parallel) * ((trial->memory_bytes + capacity - 1) / capacity)));
        return *out ? RIDGE_OK : ridge_no_memory(err);
    }
    return RIDGE_OK;
}

/* ---- all ---- */

static int larger_gain_first(const void *a, const void *b)
{
    const ridge_advice_item *x = a, *y = b;
    if (x->gain_s != y->gain_s)
        return x->gain_s < y->gain_s ? 1 : -1;
    return strcmp(x->action, y->action);
}

static ridge_status make(maker *m)
{
    ridge_status st = ridge_shares_of(&m->shares, m->now, m->err);
    for (size_t i = 0; i < sizeof alternatives / sizeof *alternatives && !st; i++)
        if (applies(m, &alternatives[i]))
            st = try_alternative(m, &alternatives[i]);
    find_helps(m);
    if (st || (st = add_groups(m)) || (st = add_together(m)) ||
        (st = ridge_advice_batch(m->advice, m->now, &m->shares, m->helps, m->help_count, m->err)))
        return st;
    if (m->advice->count)
        qsort(m->advice->items, m->advice->count, sizeof *m->advice->items, larger_gain_first);
    return RIDGE_OK;
}

ridge_status ridge_advice_make(ridge_advice *out, const ridge_prediction *now, int64_t most, ridge_err *err)
{
    *out = (ridge_advice){.arena = &now->timed->arena, .now_s = ridge_prediction_total_s(now), .least = ridge_prediction_is_least(now)};
    maker m = {.advice = out, .now = now, .err = err};
    ridge_status st = make(&m);
    out->shown = most < (int64_t)out->count ? (size_t)most : out->count;
    return st;
}
