/* detect.c - recorded and constructed machines replayed. Expected values: what lscpu says on the recorded machine, vendors' data sheets
 * (cores, caches, clocks), the peaks of ../shared/machines/hardware.json for the same chips, arithmetic by hand. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "machine/detect/parts.h"
#include "machine/detect/detect.h"
#include "machine/fields.h"

static ridge_arena arena;
static char folder[] = "/tmp/ridge-detect-XXXXXX";
static unsigned trees;

static int open_folder(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return mkdtemp(folder) == NULL;
}

static int close_folder(void **state)
{
    (void)state;
    char command[64];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    ridge_arena_free(&arena);
    return system(command) != 0;
}

/* a tree of its own for each test */
static const char *new_tree(void)
{
    return ridge_arena_printf(&arena, "%s/%u", folder, ++trees);
}

static void put_bytes(const char *tree, const char *path, ridge_str text)
{
    char *file = ridge_arena_printf(&arena, "%s/%s", tree, path), *slash = strrchr(file, '/');
    *slash = '\0';
    assert_int_equal(ridge_file_make_folders(file, NULL), RIDGE_OK);
    *slash = '/';
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(text.n == 0 || fwrite(text.p, 1, text.n, out) == text.n, 1);
    assert_int_equal(fclose(out), 0);
}

static void put(const char *tree, const char *path, const char *text)
{
    put_bytes(tree, path, ridge_str_of(text));
}

static ridge_detected *detect(const char *tree)
{
    ridge_detected *d = NULL;
    ridge_err err = {0};
    ridge_status st = ridge_detect(&d, &(ridge_detect_options){.from = tree}, &arena, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    return d;
}

static ridge_detected *detect_recorded(const char *name)
{
    return detect(ridge_arena_printf(&arena, "%s/tests/machine/recorded/%s", SOURCE_ROOT, name));
}

static const ridge_detected_cache *cache(const ridge_detected *d, int64_t level, const char *type)
{
    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level == level && strcmp(d->caches[i].type, type) == 0)
            return &d->caches[i];
    fail_msg("no L%lld %s cache", (long long)level, type);
    return NULL;
}

static bool has_note(const ridge_detected *d, const char *part)
{
    for (size_t i = 0; i < d->note_count; i++)
        if (strstr(d->notes[i], part) != NULL)
            return true;
    return false;
}

static const char *source_of(const ridge_detected *d, const char *field)
{
    for (size_t i = 0; i < d->machine.source_count; i++)
        if (strcmp(d->machine.sources[i].field, field) == 0)
            return d->machine.sources[i].text;
    return "";
}

static bool is_unverified(const ridge_detected *d, const char *field)
{
    for (size_t i = 0; i < d->machine.unverified_count; i++)
        if (strcmp(d->machine.unverified[i], field) == 0)
            return true;
    return false;
}

/* ---- recorded machines ---- */

/* lscpu there: AMD EPYC, family 25, model 17, 2 cores of one thread, L1d 2 x 32 KiB, L2 2 x 1 MiB, L3 32 MiB, KVM */
static void test_virtual_machine(void **state)
{
    (void)state;
    const ridge_detected *d = detect_recorded("vm-zen4");
    const uint32_t wanted = 1u << RIDGE_CPU_ISA_SSE4_2 | 1u << RIDGE_CPU_ISA_AVX | 1u << RIDGE_CPU_ISA_F16C | 1u << RIDGE_CPU_ISA_FMA |
                            1u << RIDGE_CPU_ISA_AVX2 | 1u << RIDGE_CPU_ISA_AVX512F | 1u << RIDGE_CPU_ISA_AVX512DQ |
                            1u << RIDGE_CPU_ISA_AVX512BW | 1u << RIDGE_CPU_ISA_AVX512VL | 1u << RIDGE_CPU_ISA_AVX512_VNNI |
                            1u << RIDGE_CPU_ISA_AVX512_BF16;
    assert_string_equal(d->cpu.vendor, "AMD");
    assert_string_equal(d->cpu.brand, "AMD EPYC");
    assert_string_equal(d->cpu.microarchitecture, "Zen 4");
    assert_int_equal(d->cpu.family, 25);
    assert_int_equal(d->cpu.model, 17);
    assert_int_equal(d->cpu.isa, wanted);
    assert_int_equal(d->cpu.sockets, 1);
    assert_int_equal(d->cpu.cores, 2);
    assert_int_equal(d->cpu.threads, 2);
    assert_int_equal(d->cpu.clock_hz, 2596130000);
    assert_int_equal(cache(d, 1, "data")->size_bytes, 32 << 10);
    assert_int_equal(cache(d, 1, "data")->count, 2);
    assert_int_equal(cache(d, 2, "unified")->size_bytes, 1 << 20);
    assert_int_equal(cache(d, 3, "unified")->size_bytes, 32 << 20);
    assert_int_equal(cache(d, 3, "unified")->count, 1);
    assert_int_equal(cache(d, 3, "unified")->shared_by_threads, 2);
    assert_int_equal(d->memory.total_bytes, INT64_C(24682416) * 1024);
    assert_int_equal(d->memory.limit_bytes, RIDGE_MACHINE_UNKNOWN);
    assert_string_equal(d->virtual_machine.name, "KVM");
    assert_null(d->container.name);
    /* 2 x 2.59613e9 x 32, and half, twice and four times as much */
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_FP32], 166152320000);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_FP64], 83076160000);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_BF16], 332304640000);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_INT8], 664609280000);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_FP16], RIDGE_MACHINE_UNKNOWN);
    assert_int_equal(d->machine.levels[0].bytes_per_s, RIDGE_MACHINE_UNKNOWN);
    assert_true(strncmp(source_of(d, "peak_flops_per_s.fp32"), "derived: 2 cores x 2.596 GHz x 32 FLOP/cycle", 44) == 0);
    assert_true(is_unverified(d, "peak_flops_per_s.fp32"));
}

/* 1.5 CPUs of cgroup quota, 4 of 8 threads, 2 GiB: 1.5 x 2.5e9 x 64 */
static void test_container(void **state)
{
    (void)state;
    const ridge_detected *d = detect_recorded("container-v2");
    assert_string_equal(d->container.name, "docker");
    assert_string_equal(d->container.evidence, "/.dockerenv");
    assert_string_equal(d->cpu.microarchitecture, "Cascade Lake");
    assert_int_equal(d->cpu.cores, 4);
    assert_int_equal(d->cpu.threads, 8);
    assert_int_equal(d->usable_threads, 4);
    assert_int_equal(d->quota_millicpus, 1500);
    assert_int_equal(d->usable_millicores, 1500);
    assert_int_equal(d->memory.limit_bytes, INT64_C(2) << 30);
    assert_int_equal(d->memory.huge_pages_total, 128);
    assert_int_equal(d->machine.compute_units, 2);
    assert_int_equal(d->machine.levels[0].capacity_bytes, INT64_C(2) << 30);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_FP32], 240000000000);
    assert_string_equal(d->cpu.topology_source, "/proc/cpuinfo");
    assert_true(has_note(d, "1.5 cores usable"));
}

static void test_arm(void **state)
{
    (void)state;
    const ridge_detected *d = detect_recorded("graviton3");
    const uint32_t wanted = 1u << RIDGE_CPU_ISA_NEON | 1u << RIDGE_CPU_ISA_NEON_FP16 | 1u << RIDGE_CPU_ISA_DOTPROD |
                            1u << RIDGE_CPU_ISA_I8MM | 1u << RIDGE_CPU_ISA_BF16 | 1u << RIDGE_CPU_ISA_SVE;
    assert_true(d->cpu.is_arm);
    assert_false(d->cpu.is_hybrid);
    assert_string_equal(d->cpu.vendor, "Arm");
    assert_string_equal(d->cpu.microarchitecture, "Neoverse V1");
    assert_int_equal(d->cpu.isa, wanted);
    assert_int_equal(d->cpu.cores, 4);
    assert_int_equal(cache(d, 2, "unified")->count, 4);
    assert_int_equal(cache(d, 3, "unified")->size_bytes, 32 << 20);
    assert_string_equal(d->virtual_machine.name, "Amazon EC2");
    /* BogoMIPS is the timer's here, not the clock's */
    assert_int_equal(d->cpu.clock_hz, RIDGE_MACHINE_UNKNOWN);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_FP32], RIDGE_MACHINE_UNKNOWN);
    assert_true(has_note(d, "the clock is not known"));
}

static void test_gpus(void **state)
{
    (void)state;
    const ridge_detected *d = detect_recorded("two-gpus");
    assert_int_equal(d->gpu_count, 2);
    assert_string_equal(d->gpu_driver, "535.161.08");
    assert_string_equal(d->gpus[0].name, "NVIDIA A100-SXM4-80GB");
    assert_string_equal(d->gpus[0].machine, "a100-sxm-80");
    assert_int_equal(d->gpus[0].memory_total_bytes, INT64_C(80) << 30);
    assert_int_equal(d->gpus[0].compute_major, 8);
    assert_null(d->gpus[1].machine);
    assert_int_equal(d->gpus[1].memory_total_bytes, RIDGE_MACHINE_UNKNOWN);
}

/* ---- a server with two Xeon Platinum 8480+: 56 cores of two threads, 48 KiB, 2 MiB, 105 MiB; base clock 2.0 GHz, turbo 3.8 (Intel ARK)
 * ---- */

enum { XEON_CORES = 56, XEON_SOCKETS = 2 };

static void put_xeon_cpu(const char *tree, int cpu)
{
    int core = cpu % (XEON_CORES * XEON_SOCKETS), socket = core / XEON_CORES;
    const char *base = ridge_arena_printf(&arena, "sys/devices/system/cpu/cpu%d", cpu);
    const char *self = ridge_arena_printf(&arena, "%d,%d\n", core, core + XEON_CORES * XEON_SOCKETS);
    const char *all = socket == 0 ? "0-55,112-167\n" : "56-111,168-223\n";
    static const struct {
        const char *level, *type, *size;
    } caches[] = {
        {"1\n", "Data\n", "48K\n"}, {"1\n", "Instruction\n", "32K\n"}, {"2\n", "Unified\n", "2048K\n"}, {"3\n", "Unified\n", "107520K\n"}};
    put(tree, ridge_arena_printf(&arena, "%s/topology/thread_siblings_list", base), self);
    put(tree, ridge_arena_printf(&arena, "%s/topology/physical_package_id", base), socket == 0 ? "0\n" : "1\n");
    for (int i = 0; i < 4; i++) {
        put(tree, ridge_arena_printf(&arena, "%s/cache/index%d/level", base, i), caches[i].level);
        put(tree, ridge_arena_printf(&arena, "%s/cache/index%d/type", base, i), caches[i].type);
        put(tree, ridge_arena_printf(&arena, "%s/cache/index%d/size", base, i), caches[i].size);
        put(tree, ridge_arena_printf(&arena, "%s/cache/index%d/shared_cpu_list", base, i), i == 3 ? all : self);
    }
}

/* signature and features by bit number (Intel SDM, CPUID); xcr0 as Linux sets it with AMX */
static void put_xeon_cpuid(const char *tree, const char *xcr0)
{
    uint32_t one = 1u << 20 | 1u << 12 | 1u << 27 | 1u << 28 | 1u << 29;
    uint32_t ebx = 1u << 5 | 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31, ecx = 1u << 11, edx = 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25;
    put(tree, "cpuid.txt",
        ridge_arena_printf(&arena,
                           "CPU 0:\n"
                           "   0x00000000 0x00: eax=0x00000020 ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69\n"
                           "   0x00000001 0x00: eax=0x000806f8 ebx=0x00000000 ecx=0x%08x edx=0x00000000\n"
                           "   0x00000007 0x00: eax=0x00000001 ebx=0x%08x ecx=0x%08x edx=0x%08x\n"
                           "   0x00000007 0x01: eax=0x%08x ebx=0x00000000 ecx=0x00000000 edx=0x00000000\n"
                           "   0x00000016 0x00: eax=0x000007d0 ebx=0x00000ed8 ecx=0x00000064 edx=0x00000000\n"
                           "xcr0: %s\nCPU 1:\nanything\n",
                           one, ebx, ecx, edx, 1u << 4 | 1u << 5, xcr0));
}

/* DMI type 17 of a 32 GB DDR5-4800 module: 64 bits, 4800 MT/s (SMBIOS 7.18) */
static void put_module(const char *tree, int i, const char *locator)
{
    char raw[128] = {17, 0x28};
    raw[0x08] = 64, raw[0x0a] = 64, raw[0x0c] = 0, raw[0x0d] = 0x20; /* widths in bits, size in MiB (little endian) */
    raw[0x10] = 1;                                                   /* locator: the first string */
    raw[0x20] = (char)0xc0, raw[0x21] = 0x12;                        /* 4800 */
    size_t n = strlen(locator);
    memcpy(raw + 0x28, locator, n);
    put_bytes(tree, ridge_arena_printf(&arena, "sys/firmware/dmi/entries/17-%d/raw", i), (ridge_str){raw, 0x28 + n + 2});
}

static const char *xeon_tree(const char *xcr0)
{
    const char *tree = new_tree();
    put_xeon_cpuid(tree, xcr0);
    put(tree, "sys/devices/system/cpu/online", "0-223\n");
    put(tree, "sys/devices/system/node/online", "0-1\n");
    put(tree, "proc/meminfo", "MemTotal: 528280576 kB\n");
    put(tree, "proc/self/status", "Cpus_allowed_list:\t0-223\n");
    for (int cpu = 0; cpu < 2 * XEON_CORES * XEON_SOCKETS; cpu++)
        put_xeon_cpu(tree, cpu);
    for (int i = 0; i < 16; i++) /* CPU0_DIMM_A1 ... CPU1_DIMM_H1: eight channels a socket */
        put_module(tree, i, ridge_arena_printf(&arena, "CPU%d_DIMM_%c1", i / 8, 'A' + i % 8));
    return tree;
}

static void check_peak(const ridge_detected *d, ridge_precision p, double one_socket_tflops)
{
    double found = (double)d->machine.peak_flops_per_s[p] / 1e12, wanted = XEON_SOCKETS * one_socket_tflops;
    if (found < wanted * 0.998 || found > wanted * 1.002)
        fail_msg("%s: %g TFLOP/s, wanted %g", ridge_precision_names[p], found, wanted);
}

static void test_two_sockets(void **state)
{
    (void)state;
    const ridge_detected *d = detect(xeon_tree("0x602e7"));
    assert_string_equal(d->cpu.microarchitecture, "Sapphire Rapids");
    assert_int_equal(d->cpu.sockets, 2);
    assert_int_equal(d->cpu.cores, 112);
    assert_int_equal(d->cpu.threads, 224);
    assert_int_equal(d->cpu.numa_nodes, 2);
    assert_int_equal(d->cpu.clock_hz, 2000000000);
    assert_int_equal(d->cpu.max_clock_hz, 3800000000);
    assert_int_equal(cache(d, 1, "data")->count, 112);
    assert_int_equal(cache(d, 3, "unified")->count, 2);
    assert_int_equal(cache(d, 3, "unified")->shared_by_threads, 112);
    assert_int_equal(ridge_machine_level_find(&d->machine, "llc")->capacity_bytes, INT64_C(2) * 105 << 20);
    assert_int_equal(ridge_machine_level_find(&d->machine, "l2")->capacity_bytes, INT64_C(224) << 20);
    /* hardware.json, one socket */
    check_peak(d, RIDGE_PRECISION_FP64, 3.58);
    check_peak(d, RIDGE_PRECISION_FP32, 7.17);
    check_peak(d, RIDGE_PRECISION_FP16, 14.34);
    check_peak(d, RIDGE_PRECISION_BF16, 114.69);
    check_peak(d, RIDGE_PRECISION_INT8, 229.38);
    /* 16 channels x 4800 MT/s x 8 bytes; twice the 307.2 GB/s of one socket */
    assert_int_equal(d->memory.channels, 16);
    assert_int_equal(d->machine.levels[0].bytes_per_s, 614400000000);
    assert_true(is_unverified(d, "memory.dram.bytes_per_s"));
}

/* what the system has not enabled is not there */
static void test_disabled_amx(void **state)
{
    (void)state;
    const char *tree = xeon_tree("0x2e7");
    const ridge_detected *d = detect(tree);
    assert_int_equal(d->cpu.isa >> RIDGE_CPU_ISA_AMX_BF16 & 1, 0);
    assert_int_equal(d->cpu.isa >> RIDGE_CPU_ISA_AVX512F & 1, 1);
    check_peak(d, RIDGE_PRECISION_BF16, 14.336);
    put_xeon_cpuid(tree, "0x7");
    d = detect(tree); /* AVX alone: 2 x 256 bits */
    assert_int_equal(d->cpu.isa >> RIDGE_CPU_ISA_AVX512F & 1, 0);
    check_peak(d, RIDGE_PRECISION_FP32, 3.584);
    assert_int_equal(d->machine.peak_flops_per_s[RIDGE_PRECISION_BF16], RIDGE_MACHINE_UNKNOWN);
}

/* an unknown chip has no peaks */
static void test_unknown_chip(void **state)
{
    (void)state;
    const char *tree = new_tree();
    put(tree, "proc/cpuinfo",
        "processor: 0\nvendor_id: GenuineIntel\ncpu family: 6\nmodel: 254\nphysical id: 0\ncpu cores: 1\nflags: fma avx2\nbogomips: "
        "4000.00\n");
    const ridge_detected *d = detect(tree);
    assert_null(d->cpu.microarchitecture);
    assert_int_equal(d->cpu.clock_hz, 2000000000);
    for (size_t p = 0; p < RIDGE_PRECISION_COUNT; p++)
        assert_int_equal(d->machine.peak_flops_per_s[p], RIDGE_MACHINE_UNKNOWN);
    assert_true(has_note(d, "its microarchitecture is not in the table (Intel, family 0x6, model 0xfe)"));
}

/* ---- limits, containers ---- */

static void put_cpuinfo(const char *tree)
{
    put(tree, "proc/cpuinfo", "processor: 0\nvendor_id: AuthenticAMD\ncpu family: 25\nmodel: 1\nphysical id: 0\ncpu cores: 1\n");
    put(tree, "proc/meminfo", "MemTotal: 16777216 kB\n");
}

/* every group above may set a lower limit */
static void test_cgroups(void **state)
{
    (void)state;
    const char *tree = new_tree();
    put_cpuinfo(tree);
    put(tree, "proc/self/cgroup", "0::/a.slice/b.scope\n");
    put(tree, "sys/fs/cgroup/a.slice/b.scope/cpu.max", "max 100000\n");
    put(tree, "sys/fs/cgroup/a.slice/cpu.max", "50000 100000\n");
    put(tree, "sys/fs/cgroup/a.slice/b.scope/memory.max", "8589934592\n");
    put(tree, "sys/fs/cgroup/a.slice/memory.max", "4294967296\n");
    const ridge_detected *d = detect(tree);
    assert_int_equal(d->quota_millicpus, 500);
    assert_int_equal(d->memory.limit_bytes, INT64_C(4) << 30);
    tree = new_tree();
    put_cpuinfo(tree);
    put(tree, "proc/self/cgroup", "5:cpu,cpuacct:/docker/0000\n4:memory:/docker/0000\n");
    put(tree, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "250000\n");
    put(tree, "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    put(tree, "sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    d = detect(tree);
    assert_int_equal(d->quota_millicpus, 2500);
    assert_int_equal(d->memory.limit_bytes, INT64_C(1) << 30);
    assert_string_equal(d->container.name, "docker");
}

static void test_containers(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text, *name;
    } cases[] = {{"run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"},
                 {"run/.containerenv", "engine=\"podman\"\n", "podman"},
                 {"run/secrets/kubernetes.io/serviceaccount/namespace", "x", "kubernetes"},
                 {"proc/self/cgroup", "0::/kubepods.slice/x\n", "kubernetes"},
                 {"proc/self/cgroup", "0::/lxc.payload.x\n", "lxc"},
                 {"proc/1/environ", "container=lxc", "lxc"},
                 {".dockerenv", "", "docker"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *tree = new_tree();
        put_cpuinfo(tree);
        put(tree, cases[i].path, cases[i].text);
        assert_string_equal(detect(tree)->container.name, cases[i].name);
    }
    const char *tree = new_tree();
    put_cpuinfo(tree);
    assert_null(detect(tree)->container.name);
    put(tree, ".dockerenv", "");
    put(tree, "proc/self/mountinfo", "25 1 254:0 / / rw - ext4 /dev/vda rw\n");
    assert_null(detect(tree)->container.name);
    assert_true(has_note(detect(tree), "not an overlay"));
}

/* ---- malformed ---- */

/* garbage in files of the kernel makes unknowns and notes, never an error */
static void test_garbage(void **state)
{
    (void)state;
    static const char *const garbage[] = {"",
                                          "\n",
                                          "-1\n",
                                          "99999999999999999999999999\n",
                                          "0-\n",
                                          "0-4294967295\n",
                                          "\x01\xff\x7f:\n",
                                          "MemTotal: 99999999999999999999 kB\n",
                                          "max\n",
                                          "::::\n",
                                          "0::/../../etc\n",
                                          "9223372036854775807 1\n"};
    static const char *const paths[] = {"proc/meminfo",
                                        "proc/self/cgroup",
                                        "proc/self/status",
                                        "sys/devices/system/cpu/online",
                                        "sys/devices/system/node/online",
                                        "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
                                        "sys/devices/system/cpu/cpu0/cache/index0/level",
                                        "sys/devices/system/cpu/cpu0/cache/index0/size",
                                        "sys/firmware/dmi/entries/17-0/raw",
                                        "sys/firmware/dmi/entries/4-0/raw",
                                        "sys/fs/cgroup/cpu.max",
                                        "sys/fs/cgroup/memory.max",
                                        "sys/devices/system/cpu/cpu0/cpufreq/base_frequency"};
    const char *tree = new_tree();
    for (size_t g = 0; g < sizeof garbage / sizeof *garbage; g++) {
        put(tree, "proc/cpuinfo", garbage[g]);
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
            put(tree, paths[i], garbage[g]);
        const ridge_detected *d = detect(tree);
        assert_int_equal(d->memory.total_bytes, RIDGE_MACHINE_UNKNOWN);
        assert_int_equal(d->memory.channels, RIDGE_MACHINE_UNKNOWN);
        assert_int_equal(d->machine.compute_units, RIDGE_MACHINE_UNKNOWN);
        assert_int_equal(d->cpu.clock_hz, RIDGE_MACHINE_UNKNOWN);
    }
}

static void check_error(const char *tree, ridge_status wanted, const char *part, unsigned line)
{
    ridge_detected *d;
    ridge_err err = {0};
    assert_int_equal(ridge_detect(&d, &(ridge_detect_options){.from = tree}, &arena, &err), wanted);
    if (strstr(err.msg, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.msg, part);
    assert_int_equal(err.line, line);
}

static void test_errors(void **state)
{
    (void)state;
    const char *tree = new_tree();
    check_error(tree, RIDGE_IO, "No such file", 0);
    put(tree, "cpuid.txt", "0x00000000 0x00: eax=0x1 ebx=0x0 ecx=0x0\n");
    check_error(tree, RIDGE_SYNTAX, "not a cpuid answer", 1);
    put(tree, "cpuid.txt", "# fine\n\nxcr0: 7\n");
    check_error(tree, RIDGE_SYNTAX, "not a cpuid answer", 3);
    put(tree, "cpuid.txt", "");
    put(tree, "nvml.json", "{\"gpus\": [{\"name\": 7}]}");
    check_error(tree, RIDGE_TYPE, "name is a number; wanted a short text or null", 1);
    put(tree, "nvml.json", "{\"gpus\":\n [{\"name\": \"x\", \"power_limit_w\": -4}]}");
    check_error(tree, RIDGE_TYPE, "power_limit_w is a number; wanted a whole number", 2);
    put(tree, "nvml.json", "{\"gpus\": [");
    check_error(tree, RIDGE_SYNTAX, "", 1);
    tree = new_tree();
    put(tree, "other", "");
    check_error(tree, RIDGE_UNKNOWN, "is no recorded machine", 0);
}

/* ---- recording, saving ---- */

/* this machine, recorded and replayed, is the same machine; what names it is not in the recording */
static void test_record(void **state)
{
    (void)state;
    const char *tree = new_tree();
    ridge_detected *live;
    ridge_err err = {0};
    assert_int_equal(ridge_detect(&live, &(ridge_detect_options){.record = tree, .no_gpus = true}, &arena, &err), RIDGE_OK);
    const ridge_detected *d = detect(tree);
    assert_int_equal(d->cpu.isa, live->cpu.isa);
    assert_int_equal(d->cpu.cores, live->cpu.cores);
    assert_int_equal(d->cpu.threads, live->cpu.threads);
    assert_int_equal(d->cpu.clock_hz, live->cpu.clock_hz);
    assert_int_equal(d->cache_count, live->cache_count);
    assert_memory_equal(d->machine.peak_flops_per_s, live->machine.peak_flops_per_s, sizeof d->machine.peak_flops_per_s);
    assert_int_equal(d->usable_millicores, live->usable_millicores);
    assert_int_equal(remove(ridge_arena_printf(&arena, "%s/hwloc.synthetic", tree)) <= 0, 1);
    d = detect(tree); /* by /sys */
    assert_int_equal(d->cpu.cores, live->cpu.cores);
    assert_int_equal(d->cpu.threads, live->cpu.threads);
}

/* serial numbers, ids of containers and other variables of process 1 do not get into a recording */
static void test_secrets(void **state)
{
    (void)state;
    static const char *const paths[] = {"proc/cpuinfo", "proc/self/cgroup", "proc/1/environ", "sys/firmware/dmi/entries/17-0/raw"};
    const char *tree = new_tree(), *copy = new_tree();
    char raw[64] = {17, 0x28};
    raw[0x10] = 1;
    memcpy(raw + 0x28, "DIMM_A1\0S3CRET", 15);
    put(tree, "proc/cpuinfo", "processor : 0\nCPU part : 0xd40\nSerial : S3CRET\n");
    put(tree, "proc/self/cgroup", "0::/docker/53c4e7abcdef0123\n");
    put_bytes(tree, "proc/1/environ", RIDGE_STR("A=S3CRET\0container=lxc\0B=S3CRET\0"));
    put_bytes(tree, "sys/firmware/dmi/entries/17-0/raw", (ridge_str){raw, sizeof raw});
    ridge_detect_source s;
    ridge_err err = {0};
    assert_int_equal(ridge_detect_source_open(&s, tree, copy, &arena, &err), RIDGE_OK);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ridge_str text;
        assert_true(ridge_detect_read(&s, "%s", paths[i]).n > 0);
        assert_int_equal(s.status, RIDGE_OK);
        assert_int_equal(ridge_file_read(&text, ridge_arena_printf(&arena, "%s/%s", copy, paths[i]), 4096, &arena, &err), RIDGE_OK);
        assert_true(text.n > 0);
        assert_false(ridge_str_has(text, "S3CRET"));
        assert_false(ridge_str_has(text, "53c4e7"));
    }
}

/* the saved file is a machine file like any other */
static void test_save(void **state)
{
    (void)state;
    const char *data = new_tree(), *path;
    ridge_detected *d;
    ridge_machines *machines;
    const ridge_machine *m;
    ridge_err err = {0};
    ridge_detect_options options = {.from = ridge_arena_printf(&arena, "%s/tests/machine/recorded/vm-zen4", SOURCE_ROOT),
                                    .bandwidth_bytes_per_s = 40000000000};
    assert_int_equal(setenv("XDG_DATA_HOME", data, 1), 0);
    assert_int_equal(ridge_detect(&d, &options, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_detected_save(&path, d, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_machines_open(&machines, NULL, 0, &err), RIDGE_OK);
    ridge_status st = ridge_machines_find(&m, machines, "this", &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    for (ridge_machine_field f = 0; f < RIDGE_FIELD_COUNT; f++) {
        ridge_field_value saved = ridge_field_get(m, f), had = ridge_field_get(&d->machine, f);
        assert_int_equal(saved.known, had.known);
        assert_int_equal(saved.whole, had.whole);
        assert_int_equal(ridge_field_unverified(m, f), ridge_field_unverified(&d->machine, f));
    }
    assert_int_equal(m->levels[0].bytes_per_s, 40000000000);
    ridge_machines_close(machines);
}

/* "Pack" of two packages as hwloc writes it, where it is built in */
static void test_hwloc(void **state)
{
    (void)state;
    const char *tree = new_tree();
    put_cpuinfo(tree);
    put(tree, "hwloc.synthetic", "Package:2 [NUMANode(memory=1073741824)] L3Cache:1(size=33554432) Core:4 PU:2\n");
    const ridge_detected *d = detect(tree);
    if (strncmp(d->cpu.topology_source, "hwloc", 5) != 0) {
        print_message("# no hwloc: nothing tested\n");
        return;
    }
    assert_int_equal(d->cpu.sockets, 2);
    assert_int_equal(d->cpu.cores, 8);
    assert_int_equal(d->cpu.threads, 16);
    assert_int_equal(d->cpu.numa_nodes, 2);
    assert_int_equal(cache(d, 3, "unified")->count, 2);
    put(tree, "hwloc.synthetic", "Package:-3\n");
    assert_string_equal(detect(tree)->cpu.topology_source, "/proc/cpuinfo");
    put(tree, "hwloc.xml", "<topology");
    assert_string_equal(detect(tree)->cpu.topology_source, "/proc/cpuinfo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_virtual_machine),
        cmocka_unit_test(test_container),
        cmocka_unit_test(test_arm),
        cmocka_unit_test(test_gpus),
        cmocka_unit_test(test_two_sockets),
        cmocka_unit_test(test_disabled_amx),
        cmocka_unit_test(test_unknown_chip),
        cmocka_unit_test(test_cgroups),
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_hwloc),
        cmocka_unit_test(test_secrets),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_folder, close_folder);
}
