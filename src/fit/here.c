#include "fit/here.h"

#include "machine/detect/detect.h"
#include "machine/folder.h"

static bool has_rates(const ridge_machine *m)
{
    bool peak = false;
    for (size_t i = 0; i < RIDGE_PRECISION_COUNT; i++)
        peak |= m->peak_flops_per_s[i] > 0;
    return peak && m->levels[0].bytes_per_s > 0;
}

static void set(ridge_here *out, const ridge_machine *m, const char *known)
{
    out->machine = m;
    out->known = known;
    out->memory_bytes = m->levels[0].capacity_bytes;
    out->timed = has_rates(m);
    if (!out->timed)
        out->note = m->levels[0].bytes_per_s > 0
                        ? "no peak rate of this machine is known, so no times are told"
                        : "the memory bandwidth of this machine is not known, so no times are told: 'ridge machine "
                          "calibrate' measures it, 'ridge machine detect " RIDGE_OPT("save") " " RIDGE_OPT(
                              "bandwidth") " N' keeps one that you know";
}

/* The first GPU that has a machine file: its rates, the memory that it really has. */
static ridge_status find_gpu(ridge_here *out, ridge_machines *machines, const ridge_detected *d, ridge_err *err)
{
    for (size_t i = 0; i < d->gpu_count && !out->machine; i++) {
        const ridge_detected_gpu *g = &d->gpus[i];
        const ridge_machine *m;
        if (!g->machine || !ridge_machines_has(machines, g->machine))
            continue;
        ridge_status st = ridge_machines_find(&m, machines, g->machine, err);
        if (st)
            return st;
        set(out, m, "detected");
        if (g->memory_total_bytes > 0)
            out->memory_bytes = g->memory_total_bytes;
        for (size_t k = i + 1; k < d->gpu_count; k++)
            out->devices += d->gpus[k].machine && strcmp(d->gpus[k].machine, g->machine) == 0;
    }
    return RIDGE_OK;
}

/* what a program here may use at most */
static void limit_memory(ridge_here *out, const ridge_detected *d)
{
    const int64_t limit = d->memory.limit_bytes;
    if (limit != RIDGE_MACHINE_UNKNOWN && (out->memory_bytes < 0 || limit < out->memory_bytes))
        out->memory_bytes = limit;
}

static ridge_status detect(ridge_here *out, ridge_machines *machines, ridge_arena *arena, ridge_err *err)
{
    static const ridge_detect_options options = {.bandwidth_bytes_per_s = RIDGE_UNSET};
    ridge_detected *d;
    ridge_status st = ridge_detect(&d, &options, arena, err);
    if (st || (st = find_gpu(out, machines, d, err)) || out->machine)
        return st;
    set(out, &d->machine, "detected");
    limit_memory(out, d);
    return ridge_machines_keep(machines, &d->machine, err);
}

ridge_status ridge_here_find(ridge_here *out, ridge_machines *machines, const char *name, int64_t memory_bytes, ridge_arena *arena,
                             ridge_err *err)
{
    const ridge_machine *m;
    ridge_status st = RIDGE_OK;
    *out = (ridge_here){.known = "told", .memory_bytes = RIDGE_MACHINE_UNKNOWN, .devices = 1};
    const bool kept = !name && memory_bytes == 0 && ridge_machines_has(machines, RIDGE_MACHINE_THIS);
    if (name || kept) {
        st = ridge_machines_find(&m, machines, name ? name : RIDGE_MACHINE_THIS, err);
        if (!st)
            set(out, m, kept ? "kept" : "named");
    } else if (memory_bytes == 0) {
        st = detect(out, machines, arena, err);
    }
    if (memory_bytes != 0)
        out->memory_bytes = memory_bytes;
    return st;
}
