#include "machine/detect/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "machine/detect/nvml.h"

enum { CPU_LIMIT = 4096, GPU_LIMIT = 64 };

/* ---- the processors ---- */

typedef struct ticks {
    unsigned long long busy, all;
} ticks;

/* the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal (proc(5)) */
static bool read_ticks(ticks *out)
{
    unsigned long long t[8] = {0};
    FILE *file = fopen("/proc/stat", "re");
    const int n =
        file ? fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) : 0;
    if (file)
        (void)fclose(file);
    *out = (ticks){0};
    for (int i = 0; i < 8; i++) {
        out->all += t[i];
        out->busy += i == 3 || i == 4 ? 0 : t[i];
    }
    return n >= 4;
}

static double watch_processors(void)
{
    const struct timespec moment = {.tv_nsec = RIDGE_LIVE_MS * 1000000L};
    ticks before, after;
    const bool told = read_ticks(&before);
    (void)nanosleep(&moment, NULL);
    if (!told || !read_ticks(&after) || after.all <= before.all || after.busy < before.busy)
        return -1;
    return (double)(after.busy - before.busy) / (double)(after.all - before.all);
}

/* a number in a file; -1 where there is none */
static int64_t number_in(const char *path)
{
    long long value = -1;
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%lld", &value) != 1)
        value = -1;
    if (file)
        (void)fclose(file);
    return value;
}

static void take_clock(ridge_live *out, double hz)
{
    if (!(hz > 0 && hz < 1e12))
        return;
    const int64_t clock = (int64_t)hz;
    if (out->clock_least_hz == RIDGE_MACHINE_UNKNOWN || clock < out->clock_least_hz)
        out->clock_least_hz = clock;
    if (out->clock_most_hz == RIDGE_MACHINE_UNKNOWN || clock > out->clock_most_hz)
        out->clock_most_hz = clock;
}

/* virtual machines have no cpufreq: what the kernel says of each processor */
static void read_cpuinfo(ridge_live *out)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strncmp(line, "cpu MHz", 7) == 0 ? strchr(line, ':') : NULL;
        if (colon)
            take_clock(out, strtod(colon + 1, NULL) * 1e6);
    }
    if (file)
        (void)fclose(file);
}

static void read_clocks(ridge_live *out)
{
    char path[96];
    for (int cpu = 0; cpu < out->cpus && cpu < CPU_LIMIT; cpu++) {
        (void)snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
        take_clock(out, (double)number_in(path) * 1e3);
    }
    if (out->clock_most_hz == RIDGE_MACHINE_UNKNOWN)
        read_cpuinfo(out);
}

static void read_memory(ridge_live *out)
{
    char line[256];
    long long kib;
    FILE *file = fopen("/proc/meminfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %lld kB", &kib) == 1)
            out->memory_total_bytes = kib * 1024;
        else if (sscanf(line, "MemAvailable: %lld kB", &kib) == 1)
            out->memory_available_bytes = kib * 1024;
    }
    if (file)
        (void)fclose(file);
}

/* ---- the GPUs ---- */

static ridge_live_gpu look_at_gpu(const ridge_nvml *n, ridge_nvml_device device, ridge_arena *arena)
{
    ridge_nvml_memory memory;
    ridge_nvml_utilization share;
    unsigned value;
    ridge_live_gpu g = {.name = ridge_nvml_name(n, device, arena),
                        .busy_percent = RIDGE_MACHINE_UNKNOWN,
                        .memory_total_bytes = RIDGE_MACHINE_UNKNOWN,
                        .memory_used_bytes = RIDGE_MACHINE_UNKNOWN,
                        .sm_clock_hz = RIDGE_MACHINE_UNKNOWN,
                        .memory_clock_hz = RIDGE_MACHINE_UNKNOWN,
                        .power_w = RIDGE_MACHINE_UNKNOWN,
                        .temperature_c = RIDGE_MACHINE_UNKNOWN};
    if (n->memory(device, &memory) == 0 && memory.total <= INT64_MAX && memory.used <= INT64_MAX) {
        g.memory_total_bytes = (int64_t)memory.total;
        g.memory_used_bytes = (int64_t)memory.used;
    }
    if (n->utilization && n->utilization(device, &share) == 0)
        g.busy_percent = share.gpu;
    if (n->clock_now && n->clock_now(device, RIDGE_NVML_CLOCK_SM, &value) == 0)
        g.sm_clock_hz = (int64_t)value * 1000 * 1000;
    if (n->clock_now && n->clock_now(device, RIDGE_NVML_CLOCK_MEMORY, &value) == 0)
        g.memory_clock_hz = (int64_t)value * 1000 * 1000;
    if (n->power_now && n->power_now(device, &value) == 0)
        g.power_w = value / 1000; /* milliwatts */
    if (n->temperature && n->temperature(device, RIDGE_NVML_TEMPERATURE_GPU, &value) == 0)
        g.temperature_c = value;
    return g;
}

static void look_at_gpus(ridge_live *out, ridge_arena *arena)
{
    ridge_nvml n;
    ridge_nvml_device device;
    if (!ridge_nvml_open(&n, NULL))
        return;
    const unsigned count = ridge_nvml_count(&n, GPU_LIMIT);
    out->driver = ridge_nvml_driver(&n, arena);
    out->gpus = ridge_arena_array(arena, count + 1, sizeof *out->gpus);
    for (unsigned i = 0; out->gpus && i < count; i++)
        if (n.handle(i, &device) == 0)
            out->gpus[out->gpu_count++] = look_at_gpu(&n, device, arena);
    ridge_nvml_close(&n);
}

/* ---- the whole ---- */

ridge_status ridge_live_look(ridge_live *out, ridge_arena *arena, ridge_err *err)
{
    double load[3] = {-1, -1, -1};
    (void)getloadavg(load, 3);
    *out = (ridge_live){.cpus = sysconf(_SC_NPROCESSORS_ONLN),
                        .load_1m = load[0],
                        .load_5m = load[1],
                        .load_15m = load[2],
                        .memory_total_bytes = RIDGE_MACHINE_UNKNOWN,
                        .memory_available_bytes = RIDGE_MACHINE_UNKNOWN,
                        .clock_least_hz = RIDGE_MACHINE_UNKNOWN,
                        .clock_most_hz = RIDGE_MACHINE_UNKNOWN};
    out->busy = watch_processors();
    read_memory(out);
    read_clocks(out);
    look_at_gpus(out, arena);
    return arena->failed ? ridge_no_memory(err) : RIDGE_OK;
}

#define GPU ridge_live_gpu
static const ridge_record_field gpu_fields[] = {
    RIDGE_R_TEXT(GPU, name, "name", NULL, RIDGE_IN_JSON, "as its driver calls it"),
    RIDGE_R_WHOLE(GPU, busy_percent, "busy_percent", NULL, RIDGE_IN_JSON,
                  "share of the last moments in which something ran on it, in percent"),
    RIDGE_R_WHOLE(GPU, memory_total_bytes, "memory_total_bytes", NULL, RIDGE_IN_JSON, "its memory", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(GPU, memory_used_bytes, "memory_used_bytes", NULL, RIDGE_IN_JSON, "what of it is in use", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(GPU, sm_clock_hz, "sm_clock_hz", NULL, RIDGE_IN_JSON, "clock of its multiprocessors now", .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_WHOLE(GPU, memory_clock_hz, "memory_clock_hz", NULL, RIDGE_IN_JSON, "clock of its memory now", .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_WHOLE(GPU, power_w, "power_w", NULL, RIDGE_IN_JSON, "what it draws now", .unit = RIDGE_UNIT_WATTS),
    RIDGE_R_WHOLE(GPU, temperature_c, "temperature_c", NULL, RIDGE_IN_JSON, "its temperature in degrees Celsius"),
};
const ridge_record ridge_live_gpu_record = RIDGE_RECORD(GPU, "GPU now", gpu_fields, "an NVIDIA GPU at this moment");

#define LIVE ridge_live
static const ridge_record_field live_fields[] = {
    RIDGE_R_WHOLE(LIVE, cpus, "cpus", NULL, RIDGE_IN_JSON, "processors that are on"),
    RIDGE_R_REAL(LIVE, load_1m, "load_1m", NULL, RIDGE_IN_JSON, "processes that ran or waited for a processor, over a minute"),
    RIDGE_R_REAL(LIVE, load_5m, "load_5m", NULL, RIDGE_IN_JSON, "over five minutes"),
    RIDGE_R_REAL(LIVE, load_15m, "load_15m", NULL, RIDGE_IN_JSON, "over fifteen minutes"),
    RIDGE_R_REAL(LIVE, busy, "busy", NULL, RIDGE_IN_JSON, "share of all processors' time that was used while this was answered"),
    RIDGE_R_WHOLE(LIVE, memory_total_bytes, "memory_total_bytes", NULL, RIDGE_IN_JSON, "main memory", .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(LIVE, memory_available_bytes, "memory_available_bytes", NULL, RIDGE_IN_JSON, "what of it a new process could have",
                  .unit = RIDGE_UNIT_CAPACITY),
    RIDGE_R_WHOLE(LIVE, clock_least_hz, "clock_least_hz", NULL, RIDGE_IN_JSON, "clock of the slowest processor now",
                  .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_WHOLE(LIVE, clock_most_hz, "clock_most_hz", NULL, RIDGE_IN_JSON, "clock of the fastest processor now",
                  .unit = RIDGE_UNIT_HERTZ),
    RIDGE_R_TEXT(LIVE, driver, "driver", NULL, RIDGE_IN_JSON, "version of the NVIDIA driver"),
    RIDGE_R_LIST(LIVE, gpus, gpu_count, &ridge_live_gpu_record, "gpus", RIDGE_IN_JSON, "the NVIDIA GPUs"),
};
const ridge_record ridge_live_record = RIDGE_RECORD(LIVE, "ridge machine live", live_fields, "what this machine does at this moment");
