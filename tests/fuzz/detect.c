/* detect.c - fuzzes what `ridge machine detect` reads: a whole recorded tree, of which the input gives the files (files.h).
 * Whatever the files hold, the answer is JSON, its limits lie within the machine, and the file that --save writes reads back. */
#include "fuzz.h"

#include "files.h"
#include "machine/detect/detect.h"
#include "machine/fields.h"
#include "machine/read.h"

enum { SIZE_LIMIT = 16384 };

static const char *const paths[] = {
    "cpuid.txt", /* a */
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/self/cgroup",
    "proc/self/status",
    "proc/self/mountinfo",
    "proc/1/environ",
    "nvml.json", /* h */
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
    "sys/devices/system/cpu/cpu0/topology/physical_package_id",
    "sys/devices/system/cpu/cpu0/cache/index0/level",
    "sys/devices/system/cpu/cpu0/cache/index0/type",
    "sys/devices/system/cpu/cpu0/cache/index0/size",
    "sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
    "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", /* p */
    "sys/devices/system/node/online",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/memory.max",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us",
    "sys/firmware/dmi/entries/17-0/raw", /* x */
    "sys/firmware/dmi/entries/4-0/raw",
    "sys/class/dmi/id/product_name", /* z */
};
enum { PATH_COUNT = sizeof paths / sizeof *paths };

static void check_limits(const ridge_detected *d)
{
    const ridge_detected_cpu *c = &d->cpu;
    FUZZ_CHECK(c->cores == RIDGE_MACHINE_UNKNOWN || c->threads == RIDGE_MACHINE_UNKNOWN || (c->cores >= 0 && c->cores <= c->threads));
    FUZZ_CHECK(d->usable_threads == RIDGE_MACHINE_UNKNOWN || d->usable_threads > 0);
    FUZZ_CHECK(d->usable_millicores == RIDGE_MACHINE_UNKNOWN || d->usable_millicores <= c->cores * 1000);
    FUZZ_CHECK(d->memory.limit_bytes == RIDGE_MACHINE_UNKNOWN || d->memory.limit_bytes > 0);
    FUZZ_CHECK(d->machine.levels[0].bytes_per_s == RIDGE_MACHINE_UNKNOWN || d->machine.levels[0].bytes_per_s > 0);
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        FUZZ_CHECK(d->machine.peak_flops_per_s[p] == RIDGE_MACHINE_UNKNOWN || d->machine.peak_flops_per_s[p] >= 0);
}

static void check_file(const ridge_detected *d, ridge_arena *arena)
{
    ridge_buf buf = {0};
    ridge_json *json;
    ridge_machine_draft draft;
    ridge_err err = {0};
    ridge_detected_file(&buf, d);
    ridge_reader reader = {&draft, {buf.p, buf.n}, "this.json", arena, &err};
    ridge_machine_draft_init(&draft);
    ridge_status st = ridge_machine_parse(&json, &reader);
    if (st == RIDGE_OK)
        st = ridge_machine_read(&reader, json, "this");
    if (st != RIDGE_OK)
        fprintf(stderr, "%s\n%s", err.msg, buf.p);
    FUZZ_CHECK(st == RIDGE_OK);
    ridge_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_arena arena;
    ridge_detected *d;
    ridge_err err = {0};
    if (size > SIZE_LIMIT)
        return 0;
    fuzz_files_set(paths, PATH_COUNT, (ridge_str){(const char *)data, size});
    ridge_arena_init(&arena);
    ridge_status st = ridge_detect(&d, &(ridge_detect_options){.from = FUZZ_FOLDER}, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        check_limits(d);
        fuzz_check_json(&ridge_detected_record, d);
        check_file(d, &arena);
    }
    ridge_arena_free(&arena);
    return 0;
}
