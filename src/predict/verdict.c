/* The first line of a prediction: does it fit, how fast at best, what bounds it; where it does not fit, what would. */
#include "base/shown.h"
#include "predict/records.h"

/* devices that could hold it at least, were all of it shared between them; 0: nothing can be said */
static int64_t least_devices(const ridge_prediction_told *t)
{
    const ridge_int room = t->memory.capacity - t->memory.reserve, need = t->memory.memory.total;
    const int64_t devices = ridge_parallel_devices(&t->prediction->request.parallel);
    return t->memory.capacity > 0 && room > 0 ? devices * (int64_t)(need / room + (need % room != 0)) : 0;
}

/* what would fit, each with "; " or ", or " before it, and " would" after the first: "; batch 11 would, or context 1,465" */
static void add_way(ridge_buf *out, size_t *ways, const char *way)
{
    ridge_buf_addf(out, *ways == 0 ? "; %s would" : ", or %s", way ? way : "");
    ++*ways;
}

static void add_room(ridge_buf *out, const ridge_prediction_told *t, ridge_arena *a)
{
    const ridge_fit *f = &t->prediction->fit;
    const int64_t devices = least_devices(t);
    size_t ways = 0;
    if (f->max_batch > 0)
        add_way(out, &ways, ridge_arena_printf(a, "batch %s", ridge_units_exact(a, f->max_batch)));
    if (f->max_context > 0)
        add_way(out, &ways, ridge_arena_printf(a, "context %s", ridge_units_exact(a, f->max_context)));
    if (ways > 0)
        return;
    if (f->weights)
        add_way(out, &ways, ridge_arena_printf(a, "weights in %s", f->weights->name));
    if (devices > 0)
        add_way(out, &ways, ridge_arena_printf(a, "at least %lld such devices", (long long)devices));
}

bool ridge_prediction_outgrows(const ridge_prediction_told *t)
{
    return t->memory.fits == 0 && t->generation && t->memory.memory.total <= t->memory.capacity - t->memory.reserve;
}

static void add_lack(ridge_buf *out, const ridge_prediction_told *t, ridge_arena *a)
{
    const bool last = ridge_prediction_outgrows(t);
    const ridge_int need = last ? t->generation->memory_bytes : t->memory.memory.total;
    ridge_buf_addf(out, RIDGE_LOOK_ALARM "does not fit" RIDGE_LOOK_PLAIN ": %s%s needed%s, %s there", ridge_units_bytes(a, need),
                   t->parallel && t->parallel->devices > 1 ? " a device" : "", last ? " at the last token" : "",
                   ridge_units_bytes(a, t->memory.capacity - t->memory.reserve));
    if (!last)
        add_room(out, t, a);
    else if (t->generation->max_batch > 0)
        ridge_buf_addf(out, "; batch %s would", ridge_units_exact(a, t->generation->max_batch));
}

/* tokens or images a second; of what takes neither, the time of a run */
static const char *speed_text(const ridge_prediction_told *t, ridge_arena *a)
{
    if (t->generation)
        return ridge_units_scaled(a, t->generation->tokens_per_s, "tokens/s");
    if (t->tokens_per_s < 0 && t->images_per_s < 0)
        return ridge_arena_printf(a, "%s a run", ridge_units_seconds(a, t->time_s));
    return ridge_throughput_text(a, t->tokens_per_s, t->images_per_s);
}

/* the roofline is a bound; an estimate is none */
void ridge_prediction_verdict(ridge_buf *out, const ridge_prediction_told *t)
{
    ridge_arena *a = &t->prediction->timed->arena;
    const bool bound = t->method == RIDGE_METHOD_ROOFLINE;
    const ridge_generation *g = t->generation;
    if (t->memory.fits == 0)
        add_lack(out, t, a);
    else
        ridge_buf_addz(out, t->memory.capacity < 0 ? "capacity not known" : "fits");
    ridge_buf_addf(out, "; %s%s%s%s", bound ? "" : "about ", speed_text(t, a), bound ? " at best" : "",
                   t->memory.fits == 0 ? " if it did" : "");
    if (g)
        ridge_buf_addf(out, "; first token after %s\n", ridge_units_seconds(a, g->ttft_s));
    else
        ridge_buf_addf(out, "; %s-bound%s\n", ridge_bound_names[t->bound],
                       ridge_prediction_is_least(t->prediction) ? " as far as is known" : "");
}
