/* Machines: reading exactly, inheriting, overriding, finding. Numbers of built-in machines: vendors' pages (FACTS, "Units"). */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "machine/check.h"
#include "machine/read.h"

typedef struct place {
    char folder[64];
    ridge_arena arena;
    ridge_err err;
    ridge_machines *machines;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (p == NULL)
        return 1;
    snprintf(p->folder, sizeof p->folder, "/tmp/ridge-machine-XXXXXX");
    ridge_arena_init(&p->arena);
    *state = p;
    return mkdtemp(p->folder) == NULL || setenv("XDG_DATA_HOME", p->folder, 1) != 0;
}

static int close_place(void **state)
{
    place *p = *state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", p->folder);
    ridge_machines_close(p->machines);
    ridge_arena_free(&p->arena);
    int failed = system(command);
    free(p);
    return failed;
}

static char *below(place *p, const char *path)
{
    return ridge_arena_printf(&p->arena, "%s/%s", p->folder, path);
}

static void write_file(place *p, const char *path, const char *text)
{
    char *full = below(p, path), *slash = strrchr(full, '/');
    *slash = '\0';
    assert_int_equal(ridge_file_make_folders(full, NULL), RIDGE_OK);
    *slash = '/';
    assert_int_equal(ridge_file_write_atomic(full, ridge_str_of(text), NULL), RIDGE_OK);
}

static void open_machines(place *p, const char *extra)
{
    ridge_machines_close(p->machines);
    p->machines = NULL;
    assert_int_equal(ridge_machines_open(&p->machines, &extra, extra != NULL ? 1 : 0, &p->err), RIDGE_OK);
}

static const ridge_machine *find(place *p, const char *id)
{
    const ridge_machine *machine;
    if (p->machines == NULL)
        open_machines(p, NULL);
    if (ridge_machines_find(&machine, p->machines, id, &p->err) != RIDGE_OK)
        fail_msg("%s: %s", id, p->err.msg);
    return machine;
}

static void find_fails(place *p, const char *id, ridge_status code, const char *message)
{
    const ridge_machine *machine;
    ridge_err_clear(&p->err);
    assert_int_equal(ridge_machines_find(&machine, p->machines, id, &p->err), code);
    assert_string_equal(message_of(&p->err), message);
    ridge_err_clear(&p->err);
}

/* H100 SXM5: 989.5 TFLOP/s dense bf16, 3.35 TB/s, 80 GB, 132 SMs, 700 W (NVIDIA's data sheet, sparse rates halved) */
static void test_h100(void **state)
{
    const ridge_machine *m = find(*state, "h100-sxm-80");
    assert_string_equal(m->vendor, "NVIDIA");
    assert_true(m->peak_flops_per_s[RIDGE_PRECISION_BF16] == 989500000000000);
    assert_true(m->peak_flops_per_s[RIDGE_PRECISION_FP8] == 1979000000000000);
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_NVFP4], RIDGE_MACHINE_UNKNOWN);
    assert_string_equal(m->levels[0].name, "dram");
    assert_true(m->levels[0].bytes_per_s == 3350000000000);
    assert_true(m->levels[0].capacity_bytes == 85899345920);
    assert_int_equal(ridge_machine_level_find(m, "l2")->capacity_bytes, 50 << 20);
    assert_null(ridge_machine_level_find(m, "llc"));
    assert_true(ridge_machine_link_find(m, RIDGE_LINK_DEVICE)->bytes_per_s == 450000000000);
    assert_int_equal(m->compute_units, 132);
    assert_int_equal(m->shared_bytes, 256 << 10);
    assert_int_equal(m->power_w, 700);
    assert_true(m->launch_overhead_s < 0);
    assert_string_equal(m->file, "built in");
}

/* Every built-in machine has a bandwidth, and every GPU its units, but for those of which no source gives them. */
static void check_gap(const char *id, const char *gap)
{
    static const char *const unitless[] = {"a10g", "arc-b60"};
    bool known = ridge_str_starts(ridge_str_of(gap), RIDGE_STR("no peak")) || ridge_str_starts(ridge_str_of(gap), RIDGE_STR("no link")) ||
                 ridge_str_starts(ridge_str_of(gap), RIDGE_STR("no memory.dram.capacity_bytes")); /* modules decide it in a server */
    for (size_t i = 0; i < sizeof unitless / sizeof *unitless; i++)
        known = known || (strcmp(id, unitless[i]) == 0 && ridge_str_starts(ridge_str_of(gap), RIDGE_STR("no compute_units")));
    if (!known)
        fail_msg("%s: %s", id, gap);
}

/* what the five Blackwell files and GB10 were found with: each fault has a rule that names it */
static void says(place *p, const char *members, const char *finding, const char *gap)
{
    ridge_words findings, gaps;
    const char *text = ridge_arena_printf(
        &p->arena, "{\"id\": \"x\", \"name\": \"X 80GB\", \"kind\": \"gpu\", \"sources\": {\"*\": \"a page\"}, %s}", members);
    bool found = false;
    write_file(p, "x.json", text);
    open_machines(p, NULL);
    assert_int_equal(ridge_machine_check(&findings, &gaps, find(p, below(p, "x.json")), &p->arena, &p->err), RIDGE_OK);
    if (!finding)
        assert_int_equal(findings.count, 0);
    for (size_t i = 0; finding && i < findings.count; i++)
        found = found || strcmp(findings.items[i], finding) == 0;
    for (size_t i = 0; gap && i < gaps.count; i++)
        found = found || strcmp(gaps.items[i], gap) == 0;
    if (!found)
        fail_msg("not said: %s", finding ? finding : gap);
}

#define DRAM "\"memory\": [{\"level\": \"dram\", \"bytes_per_s\": 1e12, \"capacity_bytes\": 85899345920}]"
static void test_what_a_check_finds(void **state)
{
    place *p = *state;
    says(p, "\"peak_flops_per_s\": {\"fp32\": 31e12, \"nvfp4\": 500e12}, " DRAM, NULL,
         "no peak, and not in \"lacks\": tf32 bf16 fp16 fp8 int8 fp6 int4 mxfp4; bound by the memory alone there");
    says(p, "\"peak_flops_per_s\": {\"bf16\": 1e14}, " DRAM, NULL, "no compute_units: estimates cut no tiles and no waves");
    says(p, "\"peak_flops_per_s\": {\"bf16\": 1e14}, " DRAM, NULL, "no link between devices: several of them need its bandwidth");
    says(p, "\"memory\": [{\"level\": \"dram\"}]", NULL, "no memory.dram.bytes_per_s: bound by the arithmetic alone");
    says(p, "\"peak_flops_per_s\": {\"bf16\": 9e13}, \"achieved\": {\"flops_per_s\": {\"bf16\": 92.3e12}, \"source\": \"a run\"}, " DRAM,
         "achieved.flops_per_s.bf16 is more than the peak", NULL);
    says(p, "\"peak_flops_per_s\": {\"fp8\": 9e13}, \"achieved\": {\"flops_per_s\": {\"bf16\": 92.3e12}, \"source\": \"a run\"}, " DRAM,
         "achieved.flops_per_s.bf16 is more than peak_flops_per_s.fp8, which bounds a narrower format", NULL);
    says(p,
         "\"peak_flops_per_s\": {\"fp32\": 31e12}, \"lacks\": [\"bf16\", \"tf32\"], \"achieved\": {\"flops_per_s\": {\"bf16\": 92.3e12}, "
         "\"source\": \"a run\"}, " DRAM,
         "achieved.flops_per_s.bf16 was reached with units that \"lacks\" says are not there", NULL);
    says(p, "\"peak_flops_per_s\": {\"fp32\": 67e12}, \"compute_units\": 16896, \"clock_hz\": 1830e6, " DRAM,
         "peak_flops_per_s.fp32 is 2.17 FLOP a unit and clock: are compute_units and clock_hz those of this machine?", NULL);
    says(p, "\"links\": [{\"kind\": \"host\", \"name\": \"PCIe 5.0 x16\", \"bytes_per_s\": 128e9}], " DRAM,
         "links.host.bytes_per_s is 128 GB/s, but PCIe 5.0 x16 has 64 in one direction", NULL);
    says(p, "\"memory\": [{\"level\": \"dram\", \"bytes_per_s\": 1e12, \"capacity_bytes\": 42949672960}]",
         "memory.dram.capacity_bytes is 0.5369 times the 80 GB of its name", NULL);
}

/* a list of a machine's own takes the place of the inherited one; a peak that is given is of units that are there */
static void test_lacks(void **state)
{
    place *p = *state;
    write_file(p, "ridge/machines/base.json",
               "{\"id\": \"base\", \"name\": \"B\", \"kind\": \"gpu\", \"lacks\": [\"fp8\", \"fp6\"], " DRAM "}");
    write_file(p, "ridge/machines/more.json",
               "{\"id\": \"more\", \"name\": \"M\", \"inherits\": \"base\", \"peak_flops_per_s\": {\"fp8\": 1e14}}");
    write_file(p, "ridge/machines/none.json", "{\"id\": \"none\", \"name\": \"N\", \"inherits\": \"base\", \"lacks\": null}");
    write_file(p, "ridge/machines/both.json", "{\"id\": \"both\", \"name\": \"B\", \"inherits\": \"more\", \"lacks\": [\"fp8\"]}");
    open_machines(p, NULL);
    assert_true(find(p, "base")->lacks[RIDGE_PRECISION_FP8] && find(p, "base")->lacks[RIDGE_PRECISION_FP6]);
    assert_true(!find(p, "more")->lacks[RIDGE_PRECISION_FP8] && find(p, "more")->lacks[RIDGE_PRECISION_FP6]);
    assert_true(!find(p, "none")->lacks[RIDGE_PRECISION_FP8] && !find(p, "none")->lacks[RIDGE_PRECISION_FP6]);
    find_fails(p, "both", RIDGE_VALUE, "\"lacks\" names fp8, of which the machine has a peak");
    assert_true(find(p, "h100-pcie-80")->lacks[RIDGE_PRECISION_NVFP4] && !find(p, "gb10")->lacks[RIDGE_PRECISION_BF16]);
}

static void test_every_built_in_machine_is_fine(void **state)
{
    place *p = *state;
    const ridge_machine *const *all;
    ridge_words findings, gaps;
    size_t count;
    open_machines(p, NULL);
    assert_int_equal(ridge_machines_list(&all, &count, p->machines, &p->err), RIDGE_OK);
    assert_int_equal(count, ridge_machines_count(p->machines));
    assert_true(count >= 70);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(all[i]->id, ridge_machines_id(p->machines, i));
        assert_int_equal(ridge_machine_check(&findings, &gaps, all[i], &p->arena, &p->err), RIDGE_OK);
        if (findings.count > 0)
            fail_msg("%s: %s", all[i]->id, findings.items[0]);
        assert_ptr_equal(find(p, all[i]->id), all[i]);
        for (size_t k = 0; k < gaps.count; k++)
            check_gap(all[i]->id, gaps.items[k]);
    }
}

static void test_inheritance(void **state)
{
    place *p = *state;
    write_file(
        p, "ridge/machines/base.json",
        "{\"id\": \"base\", \"name\": \"Base\", \"kind\": \"gpu\", \"year\": 2020, \"peak_flops_per_s\": {\"bf16\": 1.5e12, \"fp8\": 3e12},"
        " \"memory\": [{\"level\": \"dram\", \"type\": \"HBM\", \"bytes_per_s\": 1e12, \"capacity_bytes\": 1e9}, {\"level\": \"l2\", "
        "\"capacity_bytes\": 1e6}], \"links\": [{\"kind\": \"device\", \"name\": \"L\", \"bytes_per_s\": 1e11, \"latency_s\": 1e-6}], "
        "\"power_w\": 100, \"clock_hz\": 1e9, \"sources\": {\"*\": \"A\", \"memory\": \"B\", \"memory.l2\": \"C\"}, "
        "\"unverified\": [\"power_w\", \"clock_hz\", \"memory\"], \"notes\": [\"n\"]}");
    write_file(
        p, "ridge/machines/child.json",
        "{\"id\": \"child\", \"name\": \"Child\", \"inherits\": \"BASE\", \"peak_flops_per_s\": {\"fp8\": null, \"fp16\": 2e12}, "
        "\"memory\": [{\"level\": \"dram\", \"bytes_per_s\": 2e12}, {\"level\": \"llc\", \"capacity_bytes\": 5e6}], \"links\": null, "
        "\"power_w\": 200, \"sources\": {\"*\": \"D\", \"clock_hz\": \"E\"}, \"unverified\": [\"peak_flops_per_s.fp16\"]}");
    const ridge_machine *m = find(p, "child");
    assert_string_equal(m->kind, "gpu");
    assert_int_equal(m->year, 2020);
    assert_true(m->peak_flops_per_s[RIDGE_PRECISION_BF16] == 1500000000000);
    assert_int_equal(m->peak_flops_per_s[RIDGE_PRECISION_FP8], RIDGE_MACHINE_UNKNOWN);
    assert_int_equal(m->level_count, 3);
    assert_string_equal(m->levels[0].type, "HBM");
    assert_true(m->levels[0].bytes_per_s == 2000000000000);
    assert_int_equal(m->levels[0].capacity_bytes, 1000000000);
    assert_string_equal(m->levels[1].name, "llc");
    assert_string_equal(m->levels[2].name, "l2");
    assert_int_equal(m->link_count, 0);
    assert_int_equal(m->note_count, 0);
    static const char *const sources[][2] = {{"peak_flops_per_s.bf16", "A"},
                                             {"peak_flops_per_s.fp16", "D"},
                                             {"memory.dram.bytes_per_s", "D"},
                                             {"memory.dram.capacity_bytes", "B"},
                                             {"memory.l2.capacity_bytes", "C"},
                                             {"power_w", "D"},
                                             {"clock_hz", "E"}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        assert_string_equal(ridge_field_source(m, ridge_field_find(ridge_str_of(sources[i][0]))), sources[i][1]);
    assert_null(ridge_field_source(m, ridge_field_find(RIDGE_STR("peak_flops_per_s.fp8"))));
    /* given anew: no longer recalled; inherited: still */
    static const char *const marks[] = {"peak_flops_per_s.fp16", "memory.dram.capacity_bytes", "memory.l2.capacity_bytes", "clock_hz"};
    assert_int_equal(m->unverified_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(m->unverified[i], marks[i]);
}

static void test_users_files_override(void **state)
{
    place *p = *state;
    write_file(p, "ridge/machines/t4.json", "{\"id\": \"t4\", \"name\": \"Mine\", \"inherits\": \"t4\", \"power_w\": 60}");
    write_file(p, "more/t4.json", "{\"id\": \"t4\", \"name\": \"Later\", \"inherits\": \"t4\", \"clock_hz\": 1e9}");
    assert_string_equal(find(p, "t4")->name, "Mine");
    assert_int_equal(find(p, "t4")->power_w, 60);
    assert_int_equal(find(p, "t4")->compute_units, 40);
    assert_string_equal(find(p, "t4")->file, below(p, "ridge/machines/t4.json"));
    open_machines(p, below(p, "more"));
    assert_string_equal(find(p, "t4")->name, "Later");
    assert_int_equal(find(p, "t4")->power_w, 60);
    open_machines(p, below(p, "more/t4.json"));
    assert_string_equal(find(p, "t4")->name, "Later");
    /* by its path it is read over the others, and overrides nothing */
    open_machines(p, NULL);
    size_t count = ridge_machines_count(p->machines);
    assert_string_equal(find(p, below(p, "more/t4.json"))->name, "Later");
    assert_string_equal(find(p, "t4")->name, "Mine");
    write_file(p, "more/new.json", "{\"id\": \"new\", \"name\": \"New\", \"inherits\": \"t4\"}");
    assert_int_equal(find(p, below(p, "more/new.json"))->power_w, 60);
    assert_int_equal(ridge_machines_count(p->machines), count);
    find_fails(p, "new", RIDGE_UNKNOWN, "unknown machine 'new'; 'ridge machine list' names them");
}

static void test_names(void **state)
{
    place *p = *state;
    assert_ptr_equal(find(p, "H100_SXM_80"), find(p, "h100-sxm-80"));
    find_fails(p, "h100", RIDGE_UNKNOWN, "unknown machine 'h100'; did you mean 'h100-nvl-94', 'h100-pcie-80', 'h100-sxm-80'?");
    find_fails(p, "H100_S", RIDGE_UNKNOWN, "unknown machine 'H100_S'; did you mean 'h100-sxm-80'?");
    find_fails(p, "mi300y", RIDGE_UNKNOWN, "unknown machine 'mi300y'; did you mean 'mi300a'?");
    find_fails(p, "", RIDGE_UNKNOWN, "unknown machine ''; 'ridge machine list' names them");
    find_fails(p, "this", RIDGE_UNKNOWN, "nothing is known about this machine yet: run 'ridge machine detect --save' first");
    write_file(p, "ridge/machines/this.json",
               "{\"id\": \"this\", \"name\": \"Here\", \"kind\": \"cpu\", \"memory\": [{\"level\": \"dram\"}]}");
    open_machines(p, NULL);
    assert_string_equal(find(p, "this")->name, "Here");
}

static void test_cycles(void **state)
{
    place *p = *state;
    write_file(p, "ridge/machines/a.json", "{\"id\": \"a\", \"name\": \"A\", \"inherits\": \"b\"}");
    write_file(p, "ridge/machines/b.json", "{\"id\": \"b\", \"name\": \"B\", \"inherits\": \"c\"}");
    write_file(p, "ridge/machines/c.json", "{\"id\": \"c\", \"name\": \"C\", \"inherits\": \"b\"}");
    open_machines(p, NULL);
    find_fails(p, "a", RIDGE_CYCLE, "a machine inherits itself: b -> c -> b");
    find_fails(p, "b", RIDGE_CYCLE, "a machine inherits itself: b -> c -> b");
}

/* what cannot be read does not keep others from being read */
static void test_broken_file(void **state)
{
    place *p = *state;
    write_file(p, "ridge/machines/broken.json", "{\"id\": \"broken\", \"power\": 1}");
    open_machines(p, NULL);
    find_fails(p, "broken", RIDGE_NAME, "unknown key \"power\" in a machine; did you mean \"power_w\"?");
    assert_int_equal(find(p, "t4")->power_w, 70);
}

/* decimals and exponents are exact: nothing passes through a double */
static void test_exact_numbers(void **state)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"989.5e12", 989500000000000},
                 {"56.25e9", 56250000000},
                 {"9223372036854775807", INT64_MAX},
                 {"4503.599627370497e15", 4503599627370497000},
                 {"1E+3", 1000},
                 {"700.0", 700}};
    place *p = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = ridge_arena_printf(
            &p->arena, "{\"id\": \"x\", \"name\": \"X\", \"kind\": \"gpu\", \"memory\": [{\"level\": \"dram\", \"bytes_per_s\": %s}]}",
            cases[i].text);
        write_file(p, "x.json", text);
        open_machines(p, NULL);
        assert_true(find(p, below(p, "x.json"))->levels[0].bytes_per_s == cases[i].value);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_h100),        TEST(test_every_built_in_machine_is_fine),
        TEST(test_inheritance), TEST(test_users_files_override),
        TEST(test_names),       TEST(test_cycles),
        TEST(test_broken_file), TEST(test_exact_numbers),
        TEST(test_lacks),       TEST(test_what_a_check_finds),
    };
    return RUN_TESTS(tests);
}
