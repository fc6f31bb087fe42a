/* `ridge profile attention --optimize N`: attention as it is written first, then blocked, fused, flash (profile.h). */
#include <string.h>

#include "profile/plan.h"
#include "measure/kernel_run.h"

const char *const ridge_profile_level_names[] = {RIDGE_PROFILE_LEVEL_LIST(RIDGE_WORD_TEXT) NULL};

/* the first variant of a method, that for the widest instructions here: "flash-avx512" before "flash"; NULL: none takes the problem */
static const ridge_kernel_variant *find_method(const char *name, const ridge_kernel_variant *const *variants, size_t count)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(variants[i]->name, name, n) == 0 && (variants[i]->name[n] == '\0' || variants[i]->name[n] == '-'))
            return variants[i];
    return NULL;
}

/* flash attention of one query per sequence is split along the keys: "decode" */
static const ridge_kernel_variant *variant_of(unsigned level, const ridge_kernel_variant *const *variants, size_t count)
{
    const ridge_kernel_variant *decode = level == RIDGE_PROFILE_FLASH ? find_method("decode", variants, count) : NULL;
    return decode ? decode : find_method(ridge_profile_level_names[level], variants, count);
}

static ridge_status run_level(ridge_profile *p, ridge_kernel_bench *bench, const ridge_kernel_variant *variant, unsigned level,
                              ridge_team *team, double budget_s, ridge_err *err)
{
    const ridge_measure_options options = {.budget_s = budget_s, .threads = (unsigned)p->request.threads, .pinned = true};
    ridge_kernel_result result;
    ridge_status st = ridge_kernel_bench_run(&result, bench, variant, team, (unsigned)p->request.threads, RIDGE_CACHE_HOT, &options, err);
    if (st || result.stopped)
        return st;
    ridge_profile_level *l = &p->levels[p->level_count++];
    *l = (ridge_profile_level){.level = level,
                               .variant = variant->name,
                               .right = result.right,
                               .time_s = result.right ? result.time.median_s : RIDGE_MEASURE_UNKNOWN,
                               .low_s = result.right ? result.time.low_s : RIDGE_MEASURE_UNKNOWN,
                               .high_s = result.right ? result.time.high_s : RIDGE_MEASURE_UNKNOWN,
                               .speedup = RIDGE_MEASURE_UNKNOWN,
                               .max_relative_error = result.max_relative_error,
                               .tolerance = result.tolerance};
    if (result.right && p->levels[0].time_s > 0)
        l->speedup = p->levels[0].time_s / l->time_s;
    return RIDGE_OK;
}

ridge_status ridge_profile_run_levels(ridge_profile *p, ridge_team *team, double budget_s, ridge_arena *arena, ridge_err *err)
{
    const ridge_problem problem = ridge_profile_attention_problem(p);
    const ridge_kernel_variant *const *variants;
    size_t count;
    ridge_kernel_bench *bench = NULL;
    unsigned levels = (unsigned)p->request.optimize + 1;
    p->levels = ridge_arena_array(arena, levels, sizeof *p->levels);
    ridge_status st = p->levels ? ridge_kernel_variants(&variants, &count, &problem, arena, err) : ridge_no_memory(err);
    if (!st)
        st = ridge_kernel_bench_make(&bench, &problem, err);
    for (unsigned level = 0; level < levels && level < RIDGE_PROFILE_LEVELS && !st; level++) {
        const ridge_kernel_variant *v = variant_of(level, variants, count);
        if (v && ridge_measure_interrupted == 0)
            st = run_level(p, bench, v, level, team, budget_s / levels, err);
    }
    ridge_kernel_bench_free(bench);
    return st;
}

ridge_status ridge_profile_level_variant(const ridge_kernel_variant **out, const ridge_problem *problem, unsigned level, ridge_err *err)
{
    const ridge_kernel_variant *const *variants;
    ridge_arena arena;
    size_t count;
    *out = NULL;
    ridge_arena_init(&arena);
    ridge_status st = ridge_kernel_variants(&variants, &count, problem, &arena, err);
    if (!st && !(*out = variant_of(level, variants, count)))
        st = ridge_fail(err, RIDGE_UNKNOWN, "no %s attention here takes this shape", ridge_profile_level_names[level]);
    ridge_arena_free(&arena);
    return st;
}
