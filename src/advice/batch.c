/* A larger batch: weights are read once a pass, however many sequences share them. The batch from which on the matrix products compute
 * longer than they move bytes is found by predictions, and so is the largest that fits. */
#include <math.h>

#include "advice/trial.h"

#define LARGEST    ((int64_t)1 << 20)
#define LEAST_GAIN 1e-3

/* a figure of the trial at a batch, rising with it; the first batch at which it is not negative is looked for */
typedef double figure(const ridge_trial *t, const ridge_prediction *now);

typedef struct search {
    const ridge_prediction *now;
    const ridge_predict_request *base;
    figure *figure;
    int64_t unit; /* batches are multiples of it: what several devices share divides */
    ridge_arena *arena;
    ridge_err *err;
} search;

static double balance(const ridge_trial *t, const ridge_prediction *now)
{
    (void)now;
    return t->balance;
}

/* bytes too many; its sign is `fits` */
static double overfull(const ridge_trial *t, const ridge_prediction *now)
{
    double over = (double)t->memory_bytes - (double)now->capacity_bytes;
    return t->fits ? fmin(over, -1) : fmax(over, 1);
}

/* batches here and below count units */
static ridge_status trial_at(ridge_trial *t, const search *s, int64_t batch)
{
    ridge_changes c = {0};
    const char *text = ridge_arena_printf(s->arena, "%lld", (long long)(batch * s->unit));
    if (!text || !ridge_changes_add(&c, "batch", text))
        return ridge_no_memory(s->err);
    return ridge_trial_run(t, s->now, s->base, &c, s->arena, s->err);
}

static ridge_status figure_at(double *value, const search *s, int64_t batch)
{
    ridge_trial t;
    ridge_status st = trial_at(&t, s, batch);
    *value = !st && t.possible ? s->figure(&t, s->now) : NAN;
    return st;
}

/* the first batch in (low, high] where the figure is not negative: it is so at high, and negative at low */
static ridge_status narrow(int64_t *found, const search *s, int64_t low, double at_low, int64_t high, double at_high)
{
    for (int step = 0; high - low > 1; step++) {
        double part = step % 3 == 2 ? 0.5 : -at_low / (at_high - at_low), value;
        int64_t middle = low + (int64_t)((double)(high - low) * part);
        middle = middle <= low ? low + 1 : middle >= high ? high - 1 : middle;
        ridge_status st = figure_at(&value, s, middle);
        if (st)
            return st;
        if (value >= 0) {
            high = middle;
            at_high = value;
        } else {
            low = middle;
            at_low = value;
        }
    }
    *found = high;
    return RIDGE_OK;
}

/* where the figure would reach 0 if it went on as from low to high, and a little more; twice `high` where it does not rise */
static int64_t next_batch(int64_t low, double at_low, int64_t high, double at_high)
{
    double next = 2 * (double)high;
    if (at_high > at_low)
        next = 1.02 * ((double)high - at_high * (double)(high - low) / (at_high - at_low)) + 1;
    return next >= (double)LARGEST ? LARGEST : next <= (double)high ? high + 1 : (int64_t)next;
}

/* *found = 0 where the figure stays negative up to LARGEST */
static ridge_status find_batch(int64_t *found, const search *s, int64_t from)
{
    double at_low, at_high;
    int64_t low = from, high = 2 * from;
    ridge_status st = figure_at(&at_low, s, low);
    *found = at_low >= 0 ? from : 0;
    while (!st && at_low < 0 && high <= LARGEST) {
        if ((st = figure_at(&at_high, s, high)) || isnan(at_high))
            return st;
        if (at_high >= 0)
            return narrow(found, s, low, at_low, high, at_high);
        int64_t next = next_batch(low, at_low, high, at_high);
        low = high;
        at_low = at_high;
        high = high == LARGEST ? LARGEST + 1 : next;
    }
    return st;
}

/* the largest batch that fits: now's does, `high` does not */
static ridge_status find_most(int64_t *most, const search *s, int64_t now, int64_t high)
{
    double at_now, at_high;
    ridge_status st;
    if ((st = figure_at(&at_now, s, now)) || (st = figure_at(&at_high, s, high)) || (st = narrow(most, s, now, at_now, high, at_high)))
        return st;
    --*most;
    return RIDGE_OK;
}

/* ---- the item ---- */

typedef struct batches {
    int64_t unit, now, ridge,
        most; /* the others in units; ridge: matrix products compute-bound from there on; most: that fits, 0: more than ridge */
} batches;

static const char *why(const ridge_advice_item *item, const batches *b, const ridge_shares *shares, ridge_arena *arena)
{
    double weights = 100 * shares->weights;
    if (!item->fits)
        return ridge_arena_printf(arena,
                                  "a larger batch does not fit: the most is %lld; %.3g %% of the time reads weights, which a batch shares",
                                  (long long)(b->most * b->unit), weights);
    if (b->most)
        return ridge_arena_printf(
            arena,
            "%.3g %% of the time reads weights, which a batch shares; more than %lld does not fit (the matrix products "
            "become compute-bound at %lld)",
            weights, (long long)(b->most * b->unit), (long long)(b->ridge * b->unit));
    return ridge_arena_printf(arena,
                              "%.3g %% of the time reads weights, which a batch shares; from %lld on the matrix products are compute-bound",
                              weights, (long long)(b->ridge * b->unit));
}

static ridge_status add_item(ridge_advice *a, const ridge_prediction *now, const ridge_trial *t, const batches *b, int64_t batch,
                             const ridge_shares *shares, ridge_err *err)
{
    double gain = a->now_s - t->total_s * (double)b->now / (double)batch; /* of the tokens of now */
    ridge_advice_item *item;
    if (gain <= LEAST_GAIN * a->now_s)
        return RIDGE_OK;
    if (!(item = ridge_advice_add(a, now, t, gain)))
        return ridge_no_memory(err);
    item->of = RIDGE_GAIN_THROUGHPUT;
    item->action = ridge_arena_printf(a->arena, "batch %lld", (long long)(batch * b->unit));
    item->why = why(item, b, shares, a->arena);
    return item->action && item->why ? RIDGE_OK : ridge_no_memory(err);
}

/* No format makes room for the batch: how far the one that saves most (the last) goes. Leaves *out where that is no further than now. */
static ridge_status partly(const char **out, const search *room, const batches *b, const ridge_changes *help)
{
    ridge_predict_request helped = room->now->request;
    search s = *room;
    ridge_trial t;
    int64_t most;
    ridge_status st = ridge_changes_apply(&helped, help, s.arena, s.err);
    s.base = &helped;
    if (st || (st = trial_at(&t, &s, b->ridge)) || !t.possible || t.fits || (st = find_most(&most, &s, b->now, b->ridge)) || most <= b->now)
        return st;
    *out = ridge_arena_printf(s.arena, "%s up to batch %lld", ridge_changes_text(help, s.arena), (long long)(most * b->unit));
    return *out ? RIDGE_OK : ridge_no_memory(s.err);
}

ridge_status ridge_advice_batch(ridge_advice *a, const ridge_prediction *now, const ridge_shares *shares, const ridge_changes *helps,
                                size_t help_count, ridge_err *err)
{
    ridge_predict_request step = ridge_trial_step(now);
    const ridge_parallel *devices = &now->request.parallel;
    batches b = {.unit = ridge_parallel_replicas(devices) * (devices->microbatches > 1 ? devices->microbatches : 1)};
    search ridge = {now, &step, balance, b.unit, a->arena, err}, room = {now, &now->request, overfull, b.unit, a->arena, err};
    ridge_trial t;
    ridge_status st;
    size_t before = a->count;
    b.now = now->model->workload.batch / b.unit;
    if (!now->fits || b.now < 1)
        return RIDGE_OK;
    if ((st = find_batch(&b.ridge, &ridge, b.now)) || b.ridge <= b.now || (st = trial_at(&t, &room, b.ridge)) || !t.possible)
        return st;
    int64_t batch = b.ridge;
    if (!t.fits) {
        if ((st = find_most(&b.most, &room, b.now, b.ridge)))
            return st;
        batch = b.most > b.now ? b.most : b.ridge;
        if ((st = trial_at(&t, &room, batch)) || !t.possible)
            return st;
    }
    if ((st = add_item(a, now, &t, &b, batch, shares, err)) || a->count == before || t.fits)
        return st;
    st = ridge_advice_to_fit(&a->items[before].to_fit, now, &t, helps, help_count, a->arena, err);
    return st || !help_count ? st : partly(&a->items[before].to_fit, &room, &b, &helps[help_count - 1]);
}
