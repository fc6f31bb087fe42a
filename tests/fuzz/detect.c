/* detect.c - fuzzes what `ridge machine detect` reads: a whole recorded tree, of which the input gives the files.
 * Input: "@c" and a newline begin a file (c: its letter in `paths`), what follows up to the next such line is its text.
 * Whatever the files hold, the answer is JSON, its limits lie within the machine, and the file that --save writes reads back. */
#include "fuzz.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
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

static char root[64];

static void remove_root(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0)
        fprintf(stderr, "%s stays\n", root);
}

static void file_path(char out[256], size_t i)
{
    (void)snprintf(out, 256, "%s/%s", root, paths[i]);
}

static void make_root(void)
{
    char path[256];
    (void)snprintf(root, sizeof root, "/tmp/ridge-fuzz-XXXXXX");
    FUZZ_CHECK(mkdtemp(root) != NULL);
    (void)atexit(remove_root);
    for (size_t i = 0; i < PATH_COUNT; i++) {
        file_path(path, i);
        *strrchr(path, '/') = '\0';
        FUZZ_CHECK(ridge_file_make_folders(path, NULL) == RIDGE_OK);
    }
}

static void put(size_t i, const char *text, size_t n)
{
    char path[256];
    file_path(path, i);
    FILE *out = fopen(path, "wb");
    FUZZ_CHECK(out != NULL);
    FUZZ_CHECK(n == 0 || fwrite(text, 1, n, out) == n);
    FUZZ_CHECK(fclose(out) == 0);
}

/* start of the next "@c\n" at the beginning of a line; end where there is none */
static const char *next_mark(const char *at, const char *begin, const char *end)
{
    for (; at + 3 <= end; at++)
        if (at[0] == '@' && at[1] >= 'a' && at[1] < 'a' + (int)PATH_COUNT && at[2] == '\n' && (at == begin || at[-1] == '\n'))
            return at;
    return end;
}

static void put_all(const char *text, size_t size)
{
    char path[256];
    for (size_t i = 0; i < PATH_COUNT; i++) {
        file_path(path, i);
        (void)unlink(path);
    }
    const char *end = text + size;
    for (const char *at = next_mark(text, text, end); at < end;) {
        const char *next = next_mark(at + 3, text, end);
        put((size_t)(at[1] - 'a'), at + 3, (size_t)(next - at - 3));
        at = next;
    }
}

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

static void check_json(const ridge_detected *d, ridge_arena *arena)
{
    ridge_buf buf = {0};
    ridge_json *json;
    ridge_record_answer(&buf, &ridge_detected_record, d);
    FUZZ_CHECK(!buf.failed);
    FUZZ_CHECK(ridge_json_parse(&json, (ridge_str){buf.p, buf.n}, "", (ridge_json_options){.unique_keys = true}, arena, NULL) == RIDGE_OK);
    ridge_buf_free(&buf);
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
    if (root[0] == '\0')
        make_root();
    put_all((const char *)data, size);
    ridge_arena_init(&arena);
    ridge_status st = ridge_detect(&d, &(ridge_detect_options){.from = root}, &arena, &err);
    fuzz_check_err(st, &err);
    if (st == RIDGE_OK) {
        check_limits(d);
        check_json(d, &arena);
        check_file(d, &arena);
    }
    ridge_arena_free(&arena);
    return 0;
}
