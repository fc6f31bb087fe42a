#include "sweep/request.h"

#include "predict/request.h"

#define MOST ((int64_t)1 << 40)

static ridge_status read_phases(ridge_sweep_request *r, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_sweep_names names;
    ridge_status st = ridge_sweep_names_read(&names, text, "--phase", arena, err);
    for (size_t i = 0; i < names.n && !st; i++) {
        ridge_nearest nearest = {0};
        size_t k = 0;
        while (k <= RIDGE_PHASE_TRAIN && strcmp(names.items[i], ridge_phase_names[k]) != 0)
            ridge_nearest_offer(&nearest, ridge_str_of(names.items[i]), ridge_phase_names[k++]);
        if (k <= RIDGE_PHASE_TRAIN)
            r->phases[r->phase_count++] = (ridge_phase)k;
        else if (nearest.best)
            st = ridge_fail(err, RIDGE_USAGE, "--phase: no phase '%s'; did you mean '%s'?", names.items[i], nearest.best);
        else
            st = ridge_fail(err, RIDGE_USAGE, "--phase: no phase '%s'; known: prefill, decode, train", names.items[i]);
    }
    return st;
}

ridge_status ridge_sweep_request_grid(ridge_sweep_request *r, const ridge_sweep_words *g, ridge_arena *arena, ridge_err *err)
{
    const struct {
        ridge_sweep_axis *axis;
        const char *text, *option;
        int64_t least;
    } axes[] = {{&r->batch, g->batch, "--batch", 1}, {&r->seq, g->seq, "--seq", 1}, {&r->past, g->past, "--past", 0}};
    const struct {
        ridge_sweep_names *names;
        const char *text, *option;
    } lists[] = {{&r->machines, g->on, "--on"},
                 {&r->weights, g->weights, "--weights"},
                 {&r->activations, g->activations, "--activations"},
                 {&r->kv, g->kv, "--kv"}};
    ridge_status st = RIDGE_OK;
    if (!g->on)
        return ridge_fail(err, RIDGE_USAGE, "--on MACHINES is needed; 'ridge machine list' lists them");
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !st; i++)
        if (lists[i].text)
            st = ridge_sweep_names_read(lists[i].names, lists[i].text, lists[i].option, arena, err);
    for (size_t i = 0; i < sizeof axes / sizeof *axes && !st; i++)
        if (axes[i].text)
            st = ridge_sweep_axis_read(axes[i].axis, axes[i].text, axes[i].option, axes[i].least, MOST, arena, err);
    return st ? st : read_phases(r, g->phase ? g->phase : "prefill", arena, err);
}

ridge_status ridge_sweep_request_set(ridge_sweep_request *r, ridge_sweep_words *w, const char *option, ridge_err *err)
{
    const struct {
        const char *name, **word;
    } names[] = {{"on", &w->on},
                 {"batch", &w->batch},
                 {"seq", &w->seq},
                 {"past", &w->past},
                 {"phase", &w->phase},
                 {"weights", &w->weights},
                 {"activations", &w->activations},
                 {"kv", &w->kv}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i].name);
        if (strncmp(option, names[i].name, n) == 0 && option[n] == '=') {
            *names[i].word = option + n + 1;
            return RIDGE_OK;
        }
    }
    return ridge_predict_request_set(&r->predict, option, err);
}
