#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

const char *const ridge_isa_names[RIDGE_ISA_COUNT] = {
#define X(code, name) [RIDGE_ISA_BIT_##code] = #name,
    RIDGE_ISA_LIST(X)
#undef X
};

#if defined(__x86_64__)
/* CPUID leaf 7 and 1 (Intel SDM volume 2, "CPUID"; AMD APM volume 3, appendix E): one feature bit each */
enum { LEAF1_ECX, LEAF7_EBX, LEAF7_ECX, LEAF7_EDX, LEAF71_EAX, REGISTERS };
static const struct {
    unsigned isa;
    struct {
        unsigned char reg, bit;
    } needs[5];
    unsigned char count;
    unsigned xcr0; /* state the system must save: SSE and AVX 0x6, AVX-512 0xE0, AMX tiles 0x60000 */
} x86_features[] = {
    {RIDGE_ISA_AVX2, {{LEAF7_EBX, 5}, {LEAF1_ECX, 12}, {LEAF1_ECX, 29}, {LEAF1_ECX, 28}}, 4, 0x6},
    {RIDGE_ISA_AVX512, {{LEAF7_EBX, 16}, {LEAF7_EBX, 17}, {LEAF7_EBX, 30}, {LEAF7_EBX, 31}}, 4, 0xE6},
    {RIDGE_ISA_AVX512_VNNI, {{LEAF7_ECX, 11}}, 1, 0xE6},
    {RIDGE_ISA_AVX512_BF16, {{LEAF71_EAX, 5}}, 1, 0xE6},
    {RIDGE_ISA_AVX512_VBMI, {{LEAF7_ECX, 1}}, 1, 0xE6},
    {RIDGE_ISA_AVX512_FP16, {{LEAF7_EDX, 23}}, 1, 0xE6},
    {RIDGE_ISA_AMX_INT8, {{LEAF7_EDX, 24}, {LEAF7_EDX, 25}}, 2, 0x60000},
    {RIDGE_ISA_AMX_BF16, {{LEAF7_EDX, 24}, {LEAF7_EDX, 22}}, 2, 0x60000},
};

static void read_registers(unsigned out[REGISTERS])
{
    unsigned a, b, c, d;
    memset(out, 0, REGISTERS * sizeof *out);
    if (__get_cpuid(1, &a, &b, &c, &d))
        out[LEAF1_ECX] = c;
    unsigned subleaves = 0;
    if (__get_cpuid_count(7, 0, &subleaves, &b, &c, &d)) {
        out[LEAF7_EBX] = b;
        out[LEAF7_ECX] = c;
        out[LEAF7_EDX] = d;
    }
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
        out[LEAF71_EAX] = a;
}

/* XCR0: the register state that the system saves; 0 where it cannot be read (OSXSAVE unset) */
static unsigned saved_state(const unsigned registers[REGISTERS])
{
    if ((registers[LEAF1_ECX] >> 27 & 1) == 0)
        return 0;
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return low;
}

/* Linux gives AMX's tile data to a process on demand (Documentation/arch/x86/xstate.rst): true once it said yes */
static bool tiles_granted(void)
{
#if defined(__linux__) && defined(SYS_arch_prctl)
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    return syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
#else
    return false;
#endif
}

/* what one more bit stands on: AVX-512 on AVX2, its extensions on AVX-512 */
static unsigned only_with_base(unsigned have)
{
    if ((have & RIDGE_ISA_AVX2) == 0)
        have = 0;
    if ((have & RIDGE_ISA_AVX512) == 0)
        have &= RIDGE_ISA_AVX2;
    return have;
}

static unsigned detect(void)
{
    unsigned registers[REGISTERS], have = 0;
    read_registers(registers);
    unsigned state = saved_state(registers);
    for (size_t i = 0; i < sizeof x86_features / sizeof *x86_features; i++) {
        bool all = (state & x86_features[i].xcr0) == x86_features[i].xcr0;
        for (unsigned j = 0; j < x86_features[i].count; j++)
            all = all && (registers[x86_features[i].needs[j].reg] >> x86_features[i].needs[j].bit & 1) != 0;
        have |= all ? x86_features[i].isa : 0;
    }
    have = only_with_base(have);
    const unsigned amx = RIDGE_ISA_AMX_INT8 | RIDGE_ISA_AMX_BF16;
    if ((have & amx) != 0 && !tiles_granted())
        have &= ~amx;
    return have;
}
#elif defined(__aarch64__)
static unsigned detect(void)
{
    unsigned have = RIDGE_ISA_NEON;       /* part of every AArch64 */
#if defined(__linux__)
    enum { HWCAP_DOT_PRODUCT = 1 << 20 }; /* Documentation/arch/arm64/elf_hwcaps.rst: HWCAP_ASIMDDP */
    if ((getauxval(AT_HWCAP) & HWCAP_DOT_PRODUCT) != 0)
        have |= RIDGE_ISA_NEON_DOT;
#endif
    return have;
}
#else
static unsigned detect(void)
{
    return 0;
}
#endif

/* the bit of a name with what it stands on; 0: "generic", or no name */
static unsigned allowed_by(const char *name, size_t length)
{
    for (unsigned i = 0; i < RIDGE_ISA_COUNT; i++) {
        if (strlen(ridge_isa_names[i]) != length || memcmp(ridge_isa_names[i], name, length) != 0)
            continue;
        unsigned bit = 1U << i;
        if (bit == RIDGE_ISA_NEON_DOT)
            return bit | RIDGE_ISA_NEON;
        return bit >= RIDGE_ISA_NEON || bit == RIDGE_ISA_AVX2 ? bit : bit | RIDGE_ISA_AVX512 | RIDGE_ISA_AVX2;
    }
    return 0;
}

unsigned ridge_isa_have(void)
{
    unsigned have = detect();
    const char *list = getenv("RIDGE_ISA");
    if (!list || *list == '\0')
        return have;
    unsigned allowed = 0;
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        allowed |= allowed_by(list, length);
        list += length + (list[length] == ',');
    }
    return have & allowed;
}

static const char generic[] = "generic";

static ridge_status unknown_name(const char *name, size_t length, ridge_err *err)
{
    ridge_nearest nearest = {0};
    ridge_nearest_offer(&nearest, (ridge_str){name, length}, generic);
    for (unsigned i = 0; i < RIDGE_ISA_COUNT; i++)
        ridge_nearest_offer(&nearest, (ridge_str){name, length}, ridge_isa_names[i]);
    ridge_status st = ridge_fail(err, RIDGE_NAME, "RIDGE_ISA: no instruction set '%.*s'", length < 60 ? (int)length : 60, name);
    if (nearest.best) {
        ridge_err_append(err, "; did you mean '%s'?", nearest.best);
        return st;
    }
    ridge_err_append(err, "; there are %s", generic);
    for (unsigned i = 0; i < RIDGE_ISA_COUNT; i++)
        ridge_err_append(err, ", %s", ridge_isa_names[i]);
    return st;
}

ridge_status ridge_isa_check(ridge_err *err)
{
    const char *list = getenv("RIDGE_ISA");
    while (list && *list != '\0') {
        size_t length = strcspn(list, ",");
        bool known = length == sizeof generic - 1 && memcmp(list, generic, length) == 0;
        if (!known && allowed_by(list, length) == 0)
            return unknown_name(list, length, err);
        list += length + (list[length] == ',');
    }
    return RIDGE_OK;
}
