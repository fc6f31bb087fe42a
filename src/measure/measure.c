/* Measuring: warm-up, samples until the interval is narrow or the budget spent (measure.h). */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>

#include "measure/statistics.h"
#include "measure/team.h"

enum { RESOLUTIONS = 1000, CALLS_MOST = 1 << 24, DISTURBED_MOST = 8 };

typedef struct series {
    const ridge_work *work;
    ridge_sampler sampler;
    uint64_t call;  /* the next */
    unsigned calls; /* per sample */
    bool enough;
} series;

typedef struct measuring {
    ridge_team *team;
    ridge_measure_options options;
    series *series;
    size_t count;
    double end, resolution;
} measuring;

static ridge_measure_options with_defaults(const ridge_measure_options *given)
{
    ridge_measure_options o = given ? *given : (ridge_measure_options){0};
    o.budget_s = o.budget_s > 0 ? o.budget_s : 1;
    o.confidence = o.confidence > 0 ? o.confidence : 0.01;
    o.warm_up = o.warm_up > 0 ? o.warm_up : 2;
    o.least = o.least > 0 ? o.least : 5;
    o.most = o.most > 0 ? o.most : 10000;
    return o;
}

static bool out_of_time(const measuring *m)
{
    return ridge_measure_interrupted != 0 || ridge_clock_s() >= m->end;
}

static double time_calls(bool *clean, measuring *m, series *s, unsigned calls)
{
    double seconds = ridge_team_time(clean, m->team, s->work, s->call, calls);
    s->call += calls;
    return seconds;
}

/* Warm-up calls, then the calls a sample has: doubled until one is long against the clock's resolution. A sample that was disturbed
 * seems long, so it is taken again, a few times. */
static void warm_up(measuring *m, series *s)
{
    bool clean;
    unsigned disturbed = 0;
    double wanted = fmax(RESOLUTIONS * m->resolution, m->options.sample_s);
    for (unsigned i = 0; i < m->options.warm_up && (i == 0 || !out_of_time(m)); i++)
        (void)time_calls(&clean, m, s, 1);
    for (s->calls = 1; s->calls < CALLS_MOST && !out_of_time(m);) {
        double seconds = time_calls(&clean, m, s, s->calls);
        if (seconds < wanted)
            s->calls *= 2;
        else if (clean || seconds >= 100 * wanted || ++disturbed > DISTURBED_MOST)
            break;
    }
}

static ridge_status take_sample(measuring *m, series *s, ridge_err *err)
{
    bool clean;
    double seconds = time_calls(&clean, m, s, s->calls);
    ridge_status st = ridge_sampler_add(&s->sampler, seconds / s->calls, clean, err);
    s->enough = s->enough || ridge_sampler_enough(&s->sampler, m->options.confidence, m->options.least);
    return st;
}

/* every series has what was wanted, or as many samples as it may */
static bool done(const measuring *m)
{
    for (size_t i = 0; i < m->count; i++)
        if (!m->series[i].enough && m->series[i].sampler.tried < m->options.most)
            return false;
    return true;
}

/* In rounds over all works; none leaves early, so that all see the same moments. The first round is always finished: an answer needs a
 * sample. */
static ridge_status take_samples(measuring *m, ridge_err *err)
{
    for (bool first = true; first || (!done(m) && !out_of_time(m)); first = false)
        for (size_t i = 0; i < m->count; i++) {
            if (!first && ridge_measure_interrupted != 0)
                return RIDGE_OK;
            ridge_status st = take_sample(m, &m->series[i], err);
            if (st)
                return st;
        }
    return RIDGE_OK;
}

static void finish(ridge_sample_statistics *out, const measuring *m)
{
    for (size_t i = 0; i < m->count; i++) {
        series *s = &m->series[i];
        out[i] = (ridge_sample_statistics){.calls_per_sample = s->calls, .stopped = !s->enough};
        ridge_sampler_finish(&out[i], &s->sampler);
    }
}

ridge_status ridge_measure_interleaved(ridge_sample_statistics *out, ridge_team *team, const ridge_work *works, size_t count,
                                       const ridge_measure_options *options, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (count == 0)
        return ridge_fail(err, RIDGE_VALUE, "nothing to measure");
    for (size_t i = 0; i < count; i++)
        if (works[i].phases == 0)
            return ridge_fail(err, RIDGE_VALUE, "work %zu has no phase", i);
    measuring m = {.team = team, .options = with_defaults(options), .count = count};
    m.series = calloc(count, sizeof *m.series);
    if (!m.series)
        return ridge_no_memory(err);
    m.resolution = ridge_clock_resolution_s();
    m.end = ridge_clock_s() + m.options.budget_s;
    for (size_t i = 0; i < count; i++) {
        m.series[i].work = &works[i];
        warm_up(&m, &m.series[i]);
    }
    st = take_samples(&m, err);
    if (!st)
        finish(out, &m);
    for (size_t i = 0; i < count; i++)
        ridge_sampler_free(&m.series[i].sampler);
    free(m.series);
    return st;
}

ridge_status ridge_measure(ridge_sample_statistics *out, ridge_team *team, const ridge_work *work, const ridge_measure_options *options,
                           ridge_err *err)
{
    return ridge_measure_interleaved(out, team, work, 1, options, err);
}
