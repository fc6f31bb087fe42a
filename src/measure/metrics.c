#include "measure/metrics.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/measure.h"

const char *const ridge_counter_kind_names[RIDGE_COUNTER_KINDS + 1] = {RIDGE_COUNTER_LIST(RIDGE_FIRST_TEXT)};

/* ---- memory ---- */

/* bytes of a line "VmHWM:   1234 kB" of /proc/self/status */
static int64_t status_bytes(const char *key)
{
    char line[256];
    int64_t bytes = RIDGE_METRIC_UNKNOWN;
    size_t n = strlen(key);
    FILE *in = fopen("/proc/self/status", "re");
    while (in && bytes == RIDGE_METRIC_UNKNOWN && fgets(line, sizeof line, in))
        if (strncmp(line, key, n) == 0 && line[n] == ':')
            bytes = strtoll(line + n + 1, NULL, 10) * 1024;
    if (in)
        (void)fclose(in);
    return bytes;
}

/* Sets VmHWM to what is resident now: proc(5), /proc/pid/clear_refs. */
static bool reset_peak(void)
{
    FILE *out = fopen("/proc/self/clear_refs", "we");
    if (!out)
        return false;
    bool written = fputs("5", out) >= 0;
    return fclose(out) == 0 && written;
}

static int64_t heap_bytes(void)
{
#if defined __GLIBC__ && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 m = mallinfo2();
    return (int64_t)(m.uordblks + m.hblkhd);
#else
    return RIDGE_METRIC_UNKNOWN;
#endif
}

/* ---- counters ---- */

static const uint64_t events[RIDGE_COUNTER_KINDS] = {
#define X(code, name, event) event,
    RIDGE_COUNTER_LIST(X)
#undef X
};

static int open_counter(uint64_t event)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_HARDWARE,
        .size = sizeof attr,
        .config = event,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *why_not(int error)
{
    switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return "this machine shows no hardware counters (a virtual machine without a virtual PMU)";
    case EACCES:
    case EPERM:
        return "not permitted (kernel.perf_event_paranoid, or a container's seccomp filter)";
    case ENOSYS:
        return "this kernel has no perf_event_open";
    default:
        return strerror(error);
    }
}

static void open_counters(ridge_metrics_run *run)
{
    for (size_t i = 0; i < RIDGE_COUNTER_KINDS; i++) {
        run->files[i] = open_counter(events[i]);
        if (run->files[i] < 0 && run->reason[0] == '\0')
            (void)snprintf(run->reason, sizeof run->reason, "%s: %s", ridge_counter_kind_names[i], why_not(errno));
    }
    for (size_t i = 0; i < RIDGE_COUNTER_KINDS; i++)
        if (run->files[i] >= 0)
            (void)ioctl(run->files[i], PERF_EVENT_IOC_ENABLE, 0);
}

/* counted x enabled / running: a counter that others had for some of the time */
static int64_t close_counter(int file)
{
    uint64_t read_to[3] = {0};
    if (file < 0)
        return RIDGE_METRIC_UNKNOWN;
    (void)ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
    bool whole = read(file, read_to, sizeof read_to) == (ssize_t)sizeof read_to;
    (void)close(file);
    if (!whole || read_to[2] == 0)
        return RIDGE_METRIC_UNKNOWN;
    return read_to[1] == read_to[2] ? (int64_t)read_to[0] : (int64_t)((double)read_to[0] * (double)read_to[1] / (double)read_to[2]);
}

static double per_cycle(const int64_t counters[RIDGE_COUNTER_KINDS])
{
    const int64_t instructions = counters[RIDGE_COUNTER_INSTRUCTIONS], cycles = counters[RIDGE_COUNTER_CYCLES];
    return instructions >= 0 && cycles > 0 ? (double)instructions / (double)cycles : RIDGE_METRIC_UNKNOWN;
}

/* ---- begin, end ---- */

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static void read_usage(ridge_metrics *m)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    m->user_s = seconds_of(usage.ru_utime);
    m->system_s = seconds_of(usage.ru_stime);
    m->voluntary_switches = usage.ru_nvcsw;
    m->involuntary_switches = usage.ru_nivcsw;
    m->minor_faults = usage.ru_minflt;
    m->major_faults = usage.ru_majflt;
}

void ridge_metrics_begin(ridge_metrics_run *run)
{
    *run = (ridge_metrics_run){.peak_reset = reset_peak()};
    run->before.heap_bytes = heap_bytes();
    open_counters(run);
    read_usage(&run->before);
    run->before.wall_s = ridge_clock_s();
}

void ridge_metrics_end(ridge_metrics *out, ridge_metrics_run *run)
{
    const ridge_metrics *b = &run->before;
    double now = ridge_clock_s();
    *out = (ridge_metrics){.wall_s = now - b->wall_s, .peak_is_of_run = run->peak_reset};
    for (size_t i = 0; i < RIDGE_COUNTER_KINDS; i++) {
        out->counters[i] = close_counter(run->files[i]);
        out->counted = out->counted || out->counters[i] != RIDGE_METRIC_UNKNOWN;
    }
    out->instructions_per_cycle = per_cycle(out->counters);
    read_usage(out);
    out->user_s -= b->user_s;
    out->system_s -= b->system_s;
    out->voluntary_switches -= b->voluntary_switches;
    out->involuntary_switches -= b->involuntary_switches;
    out->minor_faults -= b->minor_faults;
    out->major_faults -= b->major_faults;
    out->cpu_s = out->user_s + out->system_s;
    out->page_faults = out->minor_faults + out->major_faults;
    out->peak_bytes = status_bytes("VmHWM");
    out->current_bytes = status_bytes("VmRSS");
    if (out->peak_bytes < out->current_bytes) /* the kernel adds its counters up in batches, this one later */
        out->peak_bytes = out->current_bytes;
    out->heap_bytes = heap_bytes();
    out->heap_change_bytes = out->heap_bytes - b->heap_bytes;
    memcpy(out->reason, run->reason, sizeof out->reason);
}

/* ---- how they are written ---- */

#define METRICS ridge_metrics
#define SECONDS .unit = RIDGE_UNIT_SECONDS
#define BYTES   .unit = RIDGE_UNIT_BYTES
/* clang-format off */
static const ridge_record_field counter_fields[] = {
#define X(code, name, event) RIDGE_R_WHOLE(METRICS, counters[RIDGE_COUNTER_##code], name, NULL, RIDGE_IN_JSON, "counted in user space"),
    RIDGE_COUNTER_LIST(X)
#undef X
    RIDGE_R_BOOL(METRICS, counted, "available", NULL, RIDGE_IN_JSON, "one of them at least is known"),
    RIDGE_R_CHARS(METRICS, reason, "reason", NULL, RIDGE_IN_JSON, "why one is not known"),
};
/* clang-format on */
static const ridge_record counter_record = RIDGE_RECORD(METRICS, "counters", counter_fields, "hardware counters");

static const ridge_record_field fields[] = {
    RIDGE_R_REAL(METRICS, wall_s, "wall_s", NULL, RIDGE_IN_JSON, "time that passed", SECONDS),
    RIDGE_R_REAL(METRICS, user_s, "user_s", NULL, RIDGE_IN_JSON, "CPU time of all threads in the program", SECONDS),
    RIDGE_R_REAL(METRICS, system_s, "system_s", NULL, RIDGE_IN_JSON, "... in the system", SECONDS),
    RIDGE_R_WHOLE(METRICS, peak_bytes, "peak_bytes", NULL, RIDGE_IN_JSON, "most memory resident", BYTES),
    RIDGE_R_BOOL(METRICS, peak_is_of_run, "peak_is_of_run", NULL, RIDGE_IN_JSON, "that is the run's, else of the process since it began"),
    RIDGE_R_WHOLE(METRICS, current_bytes, "current_bytes", NULL, RIDGE_IN_JSON, "memory resident at the end", BYTES),
    RIDGE_R_WHOLE(METRICS, heap_bytes, "heap_bytes", NULL, RIDGE_IN_JSON, "held by the allocator at the end", BYTES),
    RIDGE_R_SIGNED(METRICS, heap_change_bytes, "heap_change_bytes", NULL, RIDGE_IN_JSON, "more than at the beginning", BYTES),
    RIDGE_R_WHOLE(METRICS, voluntary_switches, "voluntary_switches", NULL, RIDGE_IN_JSON, "context switches to wait"),
    RIDGE_R_WHOLE(METRICS, involuntary_switches, "involuntary_switches", NULL, RIDGE_IN_JSON, "context switches against its will"),
    RIDGE_R_WHOLE(METRICS, minor_faults, "minor_faults", NULL, RIDGE_IN_JSON, "page faults without I/O"),
    RIDGE_R_WHOLE(METRICS, major_faults, "major_faults", NULL, RIDGE_IN_JSON, "page faults with I/O"),
    RIDGE_R_GROUP(&counter_record, "counters", RIDGE_IN_JSON, "hardware counters"),
};
const ridge_record ridge_metrics_record = RIDGE_RECORD(METRICS, "metrics", fields, "what a run took of the machine");
