/* ridge machine live: what this machine does at this moment. */
#include "base/shown.h"
#include "base/units.h"
#include "command/machine.h"
#include "machine/detect/live.h"

static const char *scaled(ridge_call *call, int64_t value, const char *unit)
{
    return value < 0 ? "unknown" : ridge_units_scaled(&call->arena, (double)value, unit);
}

static void write_gpu(ridge_call *call, const ridge_live_gpu *g)
{
    ridge_buf_addf(&call->data, "%s: ", g->name ? ridge_shown(&call->arena, g->name) : "GPU");
    if (g->busy_percent >= 0)
        ridge_buf_addf(&call->data, "%lld %% busy, ", (long long)g->busy_percent);
    ridge_buf_addf(&call->data, "%s of %s used, %s, %s\n", scaled(call, g->memory_used_bytes, "B"),
                   scaled(call, g->memory_total_bytes, "B"), scaled(call, g->sm_clock_hz, "Hz"), scaled(call, g->power_w, "W"));
}

static void write_text(ridge_call *call, const ridge_live *live)
{
    if (live->busy >= 0)
        ridge_buf_addf(&call->data, "processors: %lld, %.0f %% busy, load %.2f %.2f %.2f\n", (long long)live->cpus, 100 * live->busy,
                       live->load_1m, live->load_5m, live->load_15m);
    ridge_buf_addf(&call->data, "clock: %s to %s\n", scaled(call, live->clock_least_hz, "Hz"), scaled(call, live->clock_most_hz, "Hz"));
    ridge_buf_addf(&call->data, "memory: %s of %s available\n", scaled(call, live->memory_available_bytes, "B"),
                   scaled(call, live->memory_total_bytes, "B"));
    for (size_t i = 0; i < live->gpu_count; i++)
        write_gpu(call, &live->gpus[i]);
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    ridge_live live;
    (void)values;
    ridge_status st = ridge_live_look(&live, &call->arena, err);
    if (st)
        return st;
    if (call->form == RIDGE_FORM_JSON)
        return ridge_call_answer(call, &ridge_live_record, &live);
    write_text(call, &live);
    return RIDGE_OK;
}

const ridge_command ridge_cmd_machine_live = {
    .name = "live",
    .summary = "what this machine does now: load, memory, clocks, GPUs",
    .example = "ridge machine live",
    .details = "Numbers of /proc and /sys, and of the NVIDIA driver where it is; processors are watched for a twentieth of a second.",
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_json, NULL)}},
    .run = run,
    .records = {&ridge_live_record},
};
