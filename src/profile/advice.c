/* The bottleneck of a profile and what to do about it: rules in order, the first that holds speaks (docs/profile.md has the table). */
#include <math.h>

#include "profile/profile.h"

/* what the rules look at */
typedef struct facts {
    const ridge_profile *p;
    const ridge_profile_component *worst; /* takes longest */
    double role_s[RIDGE_PROFILE_SMALL + 1];
    const ridge_profile_level *best; /* fastest right level; NULL: none was run */
    ridge_arena *arena;
} facts;

/* thresholds: below HALF_REACHED percent of its ceiling a kernel is what is in the way, not the machine */
static const double score_share = 0.35, small_share = 0.25, half_reached = 60;

static double share(const facts *f, ridge_profile_role role)
{
    return f->p->total_s > 0 ? f->role_s[role] / f->p->total_s : 0;
}

static const char *seconds(const facts *f, double s)
{
    return ridge_units_seconds(f->arena, s);
}

static double bits_of(const ridge_format *format)
{
    return ridge_rational_double(format->bits);
}

/* ---- rules: false where one does not hold ---- */

static bool score_matrix(ridge_buf *out, const facts *f)
{
    double core = f->role_s[RIDGE_PROFILE_SCORES];
    if (share(f, RIDGE_PROFILE_SCORES) < score_share)
        return false;
    ridge_buf_addf(out, "scores, softmax and weighted sum take %.0f %% (%s), since the score matrix goes through memory between them; ",
                   100 * share(f, RIDGE_PROFILE_SCORES), seconds(f, core));
    if (f->best && f->best->time_s < core)
        ridge_buf_addf(out, "%s does all three in %s: %.2gx on them, %.2gx on the whole", f->best->variant, seconds(f, f->best->time_s),
                       core / f->best->time_s, f->p->total_s / (f->p->total_s - core + f->best->time_s));
    else if (f->best)
        ridge_buf_addf(out, "%s, in one kernel, takes %s here: nothing is gained by fusing at this size", f->best->variant,
                       seconds(f, f->best->time_s));
    else
        ridge_buf_addz(out, "a fused kernel keeps it in cache: " RIDGE_OPT("optimize") " 3 measures that");
    return true;
}

static bool small_kernels(ridge_buf *out, const facts *f)
{
    if (share(f, RIDGE_PROFILE_SMALL) < small_share)
        return false;
    ridge_buf_addf(out,
                   "norms, activations and residuals take %.0f %% and hardly calculate: fused into the products beside them they save up "
                   "to %s of %s",
                   100 * share(f, RIDGE_PROFILE_SMALL), seconds(f, f->role_s[RIDGE_PROFILE_SMALL]), seconds(f, f->p->total_s));
    return true;
}

static bool is_bound(const facts *f, ridge_profile_role role, ridge_side bound)
{
    return f->worst->role == role && f->worst->bound == bound;
}

static void say_reached(ridge_buf *out, const facts *f, const char *ceiling)
{
    ridge_buf_addf(out, "%s takes %.0f %% and reaches %.0f %% of %s", f->worst->name, f->worst->percent, f->worst->percent_of_ceiling,
                   ceiling);
}

static bool weights_from_memory(ridge_buf *out, const facts *f)
{
    double bits = bits_of(f->p->request.weights);
    if (!is_bound(f, RIDGE_PROFILE_WEIGHTS, RIDGE_SIDE_MEMORY) || f->worst->percent_of_ceiling < half_reached)
        return false;
    say_reached(out, f, "the memory's bandwidth");
    ridge_buf_addf(out, ", reading %s of %s weights: only fewer bytes help",
                   ridge_units_bytes(f->arena, (ridge_int)f->worst->streamed_bytes), f->p->request.weights->name);
    if (bits > 5)
        ridge_buf_addf(out, "; q4_K has 4.5 bits instead of %.4g, up to %.2gx on all products with weights", bits, bits / 4.5);
    else
        ridge_buf_addz(out, "; or a larger batch, which reads them once for all of its tokens");
    return true;
}

static bool slow_kernel(ridge_buf *out, const facts *f)
{
    if (!is_bound(f, RIDGE_PROFILE_WEIGHTS, RIDGE_SIDE_MEMORY) && !is_bound(f, RIDGE_PROFILE_CORE, RIDGE_SIDE_MEMORY))
        return false;
    say_reached(out, f, "the memory's bandwidth");
    ridge_buf_addf(out,
                   ": the kernel %s is in the way, not the memory, which would take %s; other formats, variants and threads: "
                   "'ridge bench %s'",
                   f->worst->variant, seconds(f, f->worst->least.memory_s),
                   f->worst->role == RIDGE_PROFILE_CORE ? "attention --all-variants" : "gemv --all-formats");
    return true;
}

static bool weights_computed(ridge_buf *out, const facts *f)
{
    if (!is_bound(f, RIDGE_PROFILE_WEIGHTS, RIDGE_SIDE_COMPUTE))
        return false;
    say_reached(out, f, "the peak of arithmetic");
    if (f->worst->percent_of_ceiling >= half_reached)
        ridge_buf_addz(out, ": more cores or a precision with a higher peak (int8) help, fewer bytes do not");
    else
        ridge_buf_addf(out, ": the kernel %s is in the way, not the cores, which would take %s; try other formats and a larger batch",
                       f->worst->variant, seconds(f, f->worst->least.compute_s));
    return true;
}

static bool cache_from_memory(ridge_buf *out, const facts *f)
{
    if (!is_bound(f, RIDGE_PROFILE_CORE, RIDGE_SIDE_MEMORY) || f->worst->percent_of_ceiling < half_reached)
        return false;
    say_reached(out, f, "the memory's bandwidth");
    ridge_buf_addf(out, ", reading %s of K and V: fewer KV heads, a narrower cache or a shorter context help",
                   ridge_units_bytes(f->arena, (ridge_int)f->worst->streamed_bytes));
    return true;
}

static bool anything(ridge_buf *out, const facts *f)
{
    ridge_buf_addf(out, "%s takes %.0f %% (%s): begin there", f->worst->name, f->worst->percent, seconds(f, f->worst->time_s));
    if (f->worst->percent_of_ceiling >= 0)
        ridge_buf_addf(out, "; it reaches %.0f %% of its %s ceiling", f->worst->percent_of_ceiling, ridge_side_names[f->worst->bound]);
    return true;
}

static bool (*const rules[])(ridge_buf *out, const facts *f) = {
    score_matrix, weights_from_memory, weights_computed, cache_from_memory, small_kernels, slow_kernel, anything,
};

static void gather(facts *f)
{
    const ridge_profile *p = f->p;
    for (size_t i = 0; i < p->component_count; i++) {
        const ridge_profile_component *c = &p->components[i];
        f->role_s[c->role] += c->time_s;
        if (!f->worst || c->time_s > f->worst->time_s)
            f->worst = c;
    }
    for (size_t i = 0; i < p->level_count; i++)
        if (p->levels[i].right && (!f->best || p->levels[i].time_s < f->best->time_s))
            f->best = &p->levels[i];
}

ridge_status ridge_profile_advise(ridge_profile *p, ridge_arena *arena, ridge_err *err)
{
    facts f = {.p = p, .arena = arena};
    ridge_buf text = {0};
    gather(&f);
    if (!f.worst)
        return RIDGE_OK;
    p->bottleneck = f.worst->name;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i](&text, &f))
            break;
    p->recommendation = ridge_arena_take(arena, &text);
    return p->recommendation ? RIDGE_OK : ridge_no_memory(err);
}
