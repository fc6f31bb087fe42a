/* The grid of a sweep as options: each axis takes lists and ranges of what the option of that name takes. */
#include "sweep/sweep.h"

static ridge_status twice(const ridge_option *option, ridge_str name, ridge_err *err)
{
    return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": '%.*s' stands there twice", option->name, RIDGE_STR_ARG(name));
}

/* the next of the names in `whole` as a text of its own; *text: what is left, NULL after the last */
static ridge_status take_name(const char **name, const char **text, const char *whole, const ridge_option *option, ridge_arena *arena,
                              ridge_err *err)
{
    size_t n = strcspn(*text, ",");
    if (n == 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": an empty name in '%s'", option->name, whole);
    *name = ridge_arena_strdup(arena, (ridge_str){*text, n});
    *text = (*text)[n] != '\0' ? *text + n + 1 : NULL;
    return *name ? RIDGE_OK : ridge_no_memory(err);
}

static ridge_status read_names(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_words *out = at;
    const char *name, *rest = text;
    ridge_status st = RIDGE_OK;
    *out = (ridge_words){0};
    while (rest && !st && !(st = take_name(&name, &rest, text, option, arena, err))) {
        if (ridge_words_find(out, name))
            return twice(option, ridge_str_of(name), err);
        st = ridge_words_add(out, name, arena, err);
    }
    return st;
}

static ridge_status read_phases(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_sweep_phases *out = at;
    ridge_option one = *ridge_option_named(ridge_options_workload, option->name);
    const char *name, *rest = text;
    ridge_status st = RIDGE_OK;
    *out = (ridge_sweep_phases){.n = 0};
    one.offset = 0;
    while (rest && !st && !(st = take_name(&name, &rest, text, option, arena, err))) {
        ridge_phase phase;
        if ((st = ridge_option_store(&phase, &one, name, arena, err)))
            return st;
        for (size_t i = 0; i < out->n; i++)
            if (out->items[i] == phase)
                return twice(option, ridge_str_of(name), err);
        out->items[out->n++] = phase;
    }
    return st;
}

static ridge_status read_axis(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    const ridge_option *one = ridge_option_named(ridge_options_workload, option->name);
    return ridge_sweep_axis_read(at, text, option->name, one->min, one->max, arena, err);
}

#define OF ridge_sweep_request
const ridge_option ridge_options_sweep[] = {
    RIDGE_OTHER(OF, machines, ridge_words, "on", 0, "MACHINES", read_names, "machines of 'ridge machine list', or machine files: a,b,c",
                .reach = RIDGE_REACH_MACHINE),
    RIDGE_OTHER(OF, batch, ridge_sweep_axis, "batch", 'b', "RANGE", read_axis, "sequences at once (default 1)"),
    RIDGE_OTHER(OF, seq, ridge_sweep_axis, "seq", 's', "RANGE", read_axis, "new tokens per sequence (default: as 'ridge predict' has it)"),
    RIDGE_OTHER(OF, past, ridge_sweep_axis, "past", 0, "RANGE", read_axis, "tokens already in the cache"),
    RIDGE_OTHER(OF, phases, ridge_sweep_phases, "phase", 0, "PHASES", read_phases, "prefill, decode, train", .fallback = "prefill"),
    RIDGE_FORMATS(OF, weights, "weights", 0, "number formats of the weights (default: the config's dtype)"),
    RIDGE_FORMATS(OF, activations, "activations", 0, "... of the activations"),
    RIDGE_FORMATS(OF, kv, "kv", 0, "... of the KV cache"),
    RIDGE_INT(OF, threads, "threads", 0, "N", 1, RIDGE_SWEEP_THREADS, "threads (default: one per processor)", .fallback = "0"),
    RIDGE_OPTION_END,
};

const char *const ridge_sweep_of_class[] = {"class", NULL};
const char *const ridge_sweep_of_predict[] = {"method", "launch", NULL};
const char *const ridge_sweep_no_devices[] = {NULL};
