/* Which variants and caches a case is run with (plan.h). */
#include "bench/plan.h"

#include <stdio.h>

#include "kernel/provider/provider.h"

/* ---- which variants ---- */

static bool is_wanted(const ridge_bench_asked *r, const ridge_bench_plan *c, const ridge_kernel_variant *v)
{
    const ridge_bench_request *q = r->request;
    if ((q->variant && strcmp(q->variant, v->name) != 0) || (q->provider && strcmp(q->provider, v->provider) != 0))
        return false;
    for (size_t i = 0; i < c->variant_count && !q->all_variants && !q->variant; i++)
        if (strcmp(c->variants[i]->provider, v->provider) == 0)
            return false; /* a better one of this provider is there */
    return true;
}

static bool is_able(const ridge_kernel_variant *v, const ridge_problem *p)
{
    return v->kind == p->kind && (v->isa & ~ridge_isa_have()) == 0 && v->takes(p);
}

static ridge_status find_variants(ridge_bench_plan *c, const ridge_bench_asked *r)
{
    const ridge_kernel_variant *const *all;
    const ridge_bench_extras *extras = r->extras;
    size_t count;
    ridge_status st = ridge_kernel_variants(&all, &count, &c->of->problem, r->arena, r->err);
    if (st)
        return st;
    if (!(c->variants = ridge_arena_array(r->arena, count + extras->variant_count + 1, sizeof *c->variants)))
        return ridge_no_memory(r->err);
    for (size_t i = 0; i < count; i++)
        if (is_wanted(r, c, all[i]))
            c->variants[c->variant_count++] = all[i];
    for (size_t i = 0; i < extras->variant_count; i++)
        if (is_able(extras->variants[i], &c->of->problem) && is_wanted(r, c, extras->variants[i]))
            c->variants[c->variant_count++] = extras->variants[i];
    return RIDGE_OK;
}

static const char *name_of(const ridge_bench_asked *r, const ridge_kernel_variant *v)
{
    return r->request->variant ? v->name : v->provider;
}

/* the names a kind has, each once, after the error's message */
static void append_names(const ridge_bench_asked *r, ridge_kernel_kind kind, const ridge_kernel_variant *const *all, size_t count)
{
    const char *comma = "";
    for (size_t i = 0; i < count && r->err; i++) {
        size_t before = 0;
        while (before < i && (all[before]->kind != kind || strcmp(name_of(r, all[before]), name_of(r, all[i])) != 0))
            before++;
        if (all[i]->kind != kind || before < i)
            continue;
        ridge_err_append(r->err, "%s %s", comma, name_of(r, all[i]));
        comma = ",";
    }
}

/* "no variant 'avx51'; did you mean 'avx512'?", or why one that exists does not do */
static ridge_status no_variant(const ridge_bench_asked *r, const ridge_bench_plan *c)
{
    const ridge_bench_request *q = r->request;
    const ridge_problem *p = &c->of->problem;
    const ridge_kernel_variant *const *all;
    const char *wanted = q->variant ? q->variant : q->provider, *what = q->variant ? "variant" : "provider";
    ridge_nearest nearest = {0};
    bool exists = false;
    size_t count;
    ridge_status st = ridge_kernel_table(&all, &count, r->arena, r->err);
    if (st)
        return st;
    if (!wanted)
        return ridge_fail(r->err, RIDGE_UNKNOWN, "no kernel here does %s with %s and activations in %s", ridge_kernel_kind_names[p->kind],
                          p->weights->name, p->activations->name);
    for (size_t i = 0; i < count; i++) {
        const char *name = name_of(r, all[i]);
        if (all[i]->kind != p->kind)
            continue;
        exists = exists || strcmp(name, wanted) == 0;
        ridge_nearest_offer(&nearest, ridge_str_of(wanted), name);
    }
    if (exists) {
        char why[160];
        st = ridge_fail(r->err, RIDGE_UNKNOWN, "%s '%s' does not do %s %s in %s with %s here", what, wanted,
                        ridge_kernel_kind_names[p->kind], c->shape, p->weights->name, p->activations->name);
        if (!q->variant && !ridge_provider_detail(why, sizeof why, wanted, NULL) && r->err)
            ridge_err_append(r->err, ": %s", why);
        return st;
    }
    if (nearest.best)
        return ridge_fail(r->err, RIDGE_NAME, "%s has no %s '%s'; did you mean '%s'?", ridge_kernel_kind_names[p->kind], what, wanted,
                          nearest.best);
    st = ridge_fail(r->err, RIDGE_NAME, "%s has no %s '%s'; there are", ridge_kernel_kind_names[p->kind], what, wanted);
    append_names(r, p->kind, all, count);
    return st;
}

static bool has_kind(const ridge_bench_cases *cases, ridge_kernel_kind kind)
{
    for (size_t i = 0; i < cases->count; i++)
        if (cases->items[i].problem.kind == kind)
            return true;
    return false;
}

ridge_status ridge_bench_check_names(const ridge_bench_asked *r)
{
    const ridge_bench_request *q = r->request;
    const ridge_kernel_variant *const *all;
    const char *wanted = q->variant ? q->variant : q->provider, *what = q->variant ? "variant" : "provider";
    ridge_nearest nearest = {0};
    size_t count;
    ridge_status st = ridge_kernel_table(&all, &count, r->arena, r->err);
    if (st || !wanted || r->cases->count < 2) /* one case has its own message */
        return st;
    for (size_t i = 0; i < count + r->extras->variant_count; i++) {
        const ridge_kernel_variant *v = i < count ? all[i] : r->extras->variants[i - count];
        if (!has_kind(r->cases, v->kind))
            continue;
        if (strcmp(name_of(r, v), wanted) == 0)
            return RIDGE_OK;
        ridge_nearest_offer(&nearest, ridge_str_of(wanted), name_of(r, v));
    }
    if (nearest.best)
        return ridge_fail(r->err, RIDGE_NAME, "no kernel of these has the %s '%s'; did you mean '%s'?", what, wanted, nearest.best);
    return ridge_fail(r->err, RIDGE_NAME,
                      "no kernel of these has the %s '%s': 'ridge bench KIND " RIDGE_OPT("variant") " %s' lists what a "
                                                                                                    "kind has",
                      what, wanted, wanted);
}

/* ---- what is run ---- */

static bool streams_its_weights(const ridge_problem *p)
{
    return p->kind == RIDGE_KERNEL_KIND_GEMV || p->kind == RIDGE_KERNEL_KIND_EMBEDDING ||
           (p->kind == RIDGE_KERNEL_KIND_ATTENTION && p->seq == 1);
}

static void choose_caches(ridge_bench_plan *c)
{
    ridge_bench_cache cache = c->of->cache;
    if (cache == RIDGE_BENCH_USUAL)
        cache = streams_its_weights(&c->of->problem) ? RIDGE_BENCH_COLD : RIDGE_BENCH_HOT;
    if (cache != RIDGE_BENCH_COLD)
        c->caches[c->cache_count++] = RIDGE_CACHE_HOT;
    if (cache != RIDGE_BENCH_HOT)
        c->caches[c->cache_count++] = RIDGE_CACHE_COLD;
}

ridge_status ridge_bench_plan_case(ridge_bench_plan *c, const ridge_bench_asked *r, const ridge_bench_case *of)
{
    ridge_err ignored = {0};
    ridge_bench_asked quiet = *r;
    *c = (ridge_bench_plan){.of = of};
    choose_caches(c);
    c->shape = ridge_bench_shape_text(&of->problem, r->arena);
    if (!(c->shape_json = ridge_bench_shape_json(&of->problem, r->arena)))
        return ridge_no_memory(r->err);
    if (r->cases->some)
        quiet.err = &ignored; /* sizes that a format's blocks do not divide are no error of a list of formats */
    ridge_status st = find_variants(c, &quiet);
    if (st == RIDGE_NOMEM)
        return ridge_no_memory(r->err);
    if (r->cases->some && (st || c->variant_count == 0)) {
        c->variant_count = 0;
        return RIDGE_OK;
    }
    if (!st && c->variant_count == 0)
        st = no_variant(r, c);
    if (st || (st = ridge_bench_cost_of(&c->cost, &of->problem, r->ops, r->arena, r->err)) || !of->problem.causal)
        return st;
    ridge_problem dense = of->problem;
    ridge_bench_cost cost;
    dense.causal = false;
    st = ridge_bench_cost_of(&cost, &dense, r->ops, r->arena, r->err);
    if (!st && cost.record.flops.total > c->cost.record.flops.total)
        c->dense_flops = cost.record.flops.total;
    return st;
}
