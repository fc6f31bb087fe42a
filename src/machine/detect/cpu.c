/* What the CPU is: cpuid, or /proc/cpuinfo where there is none (arm64, or a tree without cpuid.txt). */
#include <stdlib.h>

#include "machine/detect/parts.h"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

const char *const ridge_cpu_isa_names[RIDGE_CPU_ISA_COUNT] = {RIDGE_CPU_ISA_LIST(RIDGE_FIRST_TEXT)};

typedef struct isa_row {
    uint32_t leaf, sub;
    unsigned reg, bit;
    uint64_t xcr0;
    const char *flag;
} isa_row;

static const isa_row isa_rows[RIDGE_CPU_ISA_COUNT] = {
#define X(code, name, leaf, sub, reg, bit, xcr0, flag) {leaf, sub, reg, bit, xcr0, flag},
    RIDGE_CPU_ISA_LIST(X)
#undef X
};

/* a vendor as cpuid spells it, as people do */
static const char *const vendors[][2] = {
    {"AuthenticAMD", "AMD"}, {"GenuineIntel", "Intel"}, {"HygonGenuine", "Hygon"}, {"CentaurHauls", "Centaur"}, {"  Shanghai  ", "Zhaoxin"},
};

static const struct {
    int64_t implementer;
    const char *name;
} implementers[] = {{0x41, "Arm"},    {0x42, "Broadcom"}, {0x43, "Cavium"}, {0x46, "Fujitsu"}, {0x48, "HiSilicon"},
                    {0x4e, "NVIDIA"}, {0x51, "Qualcomm"}, {0x61, "Apple"},  {0xc0, "Ampere"}};

static const char *vendor_name(ridge_detection *x, ridge_str text)
{
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++)
        if (ridge_str_is(text, vendors[i][0]))
            return vendors[i][1];
    text = ridge_str_trim(text);
    return text.n > 0 ? ridge_arena_strdup(x->arena, text) : NULL;
}

/* blanks at the ends and runs of them are not part of a name; nor is what does not print */
static const char *brand_name(ridge_detection *x, ridge_str text)
{
    char *out = ridge_arena_alloc(x->arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; out && i < text.n && text.p[i] != '\0'; i++) {
        char c = text.p[i] >= ' ' && text.p[i] <= '~' ? text.p[i] : ' ';
        if (c != ' ' || (n > 0 && out[n - 1] != ' '))
            out[n++] = c;
    }
    while (n > 0 && out[n - 1] == ' ')
        out[--n] = '\0';
    return n > 0 ? out : NULL;
}

/* ---- cpuid ---- */

static bool has_feature(const ridge_detect_source *s, const isa_row *row)
{
    const ridge_cpuid *one = ridge_detect_cpuid(s, 1, 0), *answer = row->leaf != 0 ? ridge_detect_cpuid(s, row->leaf, row->sub) : NULL;
    if (!answer || (answer->r[row->reg] >> row->bit & 1) == 0)
        return false;
    if (row->xcr0 == 0)
        return true;
    bool osxsave = one && (one->r[2] >> 27 & 1) != 0;
    return osxsave && s->has_xcr0 && (s->xcr0 & row->xcr0) == row->xcr0;
}

/* Intel SDM volume 2, CPUID leaf 1: the extended model counts for families 6 and 15, the extended family for 15 */
static void read_signature(ridge_detected_cpu *cpu, uint32_t eax)
{
    uint32_t family = eax >> 8 & 15, model = eax >> 4 & 15;
    if (family == 6 || family == 15)
        model |= (eax >> 16 & 15) << 4;
    if (family == 15)
        family += eax >> 20 & 255;
    cpu->family = family;
    cpu->model = model;
    cpu->stepping = eax & 15;
}

static void identify_cpuid(ridge_detection *x)
{
    ridge_detected_cpu *cpu = &x->d->cpu;
    const ridge_cpuid *zero = ridge_detect_cpuid(&x->s, 0, 0), *one = ridge_detect_cpuid(&x->s, 1, 0);
    const ridge_cpuid *seven = ridge_detect_cpuid(&x->s, 7, 0);
    char text[48] = {0};
    if (zero) {
        memcpy(text, &zero->r[1], 4);
        memcpy(text + 4, &zero->r[3], 4);
        memcpy(text + 8, &zero->r[2], 4);
        cpu->vendor = vendor_name(x, (ridge_str){text, 12});
    }
    if (one)
        read_signature(cpu, one->r[0]);
    for (uint32_t i = 0; i < 3; i++) {
        const ridge_cpuid *part = ridge_detect_cpuid(&x->s, 0x80000002 + i, 0);
        if (part)
            memcpy(text + (size_t)16 * i, part->r, 16);
        else
            memset(text + (size_t)16 * i, 0, 16);
    }
    cpu->brand = brand_name(x, (ridge_str){text, sizeof text});
    for (unsigned i = 0; i < RIDGE_CPU_ISA_COUNT; i++)
        if (has_feature(&x->s, &isa_rows[i]))
            cpu->isa |= 1u << i;
    cpu->is_hybrid = seven && (seven->r[3] >> 15 & 1) != 0;
}

/* ---- /proc/cpuinfo ---- */

static uint32_t isa_of_flags(ridge_str flags, bool arm)
{
    uint32_t isa = 0;
    ridge_str word;
    while (ridge_str_word(&word, &flags))
        for (unsigned i = 0; i < RIDGE_CPU_ISA_COUNT; i++)
            if ((isa_rows[i].leaf == 0) == arm && ridge_str_is(word, isa_rows[i].flag))
                isa |= 1u << i;
    return isa;
}

static void identify_cpuinfo_x86(ridge_detection *x, ridge_str info)
{
    ridge_detected_cpu *cpu = &x->d->cpu;
    cpu->vendor = vendor_name(x, ridge_str_field(info, "vendor_id"));
    cpu->brand = brand_name(x, ridge_str_field(info, "model name"));
    cpu->family = ridge_str_number(ridge_str_field(info, "cpu family"));
    cpu->model = ridge_str_number(ridge_str_field(info, "model"));
    cpu->stepping = ridge_str_number(ridge_str_field(info, "stepping"));
    cpu->isa = isa_of_flags(ridge_str_field(info, "flags"), false);
}

/* "0x41" or "65", as the lines of arm64 have it; -1: neither */
static int64_t arm_number(ridge_str text)
{
    char copy[24];
    if (text.n < 3 || text.n >= sizeof copy || text.p[0] != '0' || text.p[1] != 'x')
        return ridge_str_number(text);
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    char *end;
    unsigned long long value = strtoull(copy + 2, &end, 16);
    return *end == '\0' && copy[2] != '-' && copy[2] != '+' && value <= INT64_MAX ? (int64_t)value : -1;
}

#if defined(__aarch64__) && defined(__linux__)
/* HWCAP bits of Linux, arch/arm64/include/uapi/asm/hwcap.h; where /proc/cpuinfo cannot be read */
static uint32_t isa_of_auxv(void)
{
    unsigned long a = getauxval(AT_HWCAP), b = getauxval(AT_HWCAP2);
    uint32_t isa = 0;
    isa |= (uint32_t)(a >> 1 & 1) << RIDGE_CPU_ISA_NEON | (uint32_t)(a >> 10 & 1) << RIDGE_CPU_ISA_NEON_FP16;
    isa |= (uint32_t)(a >> 20 & 1) << RIDGE_CPU_ISA_DOTPROD | (uint32_t)(a >> 22 & 1) << RIDGE_CPU_ISA_SVE;
    isa |= (uint32_t)(b >> 1 & 1) << RIDGE_CPU_ISA_SVE2 | (uint32_t)(b >> 13 & 1) << RIDGE_CPU_ISA_I8MM;
    isa |= (uint32_t)(b >> 14 & 1) << RIDGE_CPU_ISA_BF16 | (uint32_t)(b >> 23 & 1) << RIDGE_CPU_ISA_SME;
    return isa;
}
#else
static uint32_t isa_of_auxv(void)
{
    return 0;
}
#endif

/* another kind of core further down */
static bool has_other_part(ridge_str info, ridge_str part)
{
    ridge_str line;
    while (ridge_str_line(&line, &info))
        if (ridge_str_starts(line, RIDGE_STR("CPU part")) && !ridge_str_eq(ridge_str_field(line, "CPU part"), part))
            return true;
    return false;
}

/* MIDR_EL1: implementer 31:24, variant 23:20, architecture 19:16, part 15:4, revision 3:0 (Arm ARM D19.2) */
static void identify_arm(ridge_detection *x, ridge_str info)
{
    ridge_detected_cpu *cpu = &x->d->cpu;
    int64_t midr = arm_number(ridge_detect_word(&x->s, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1"));
    ridge_str features = ridge_str_field(info, "Features");
    cpu->is_arm = true;
    cpu->family = midr >= 0 ? midr >> 24 & 255 : arm_number(ridge_str_field(info, "CPU implementer"));
    cpu->model = midr >= 0 ? midr >> 4 & 4095 : arm_number(ridge_str_field(info, "CPU part"));
    cpu->stepping = midr >= 0 ? midr & 15 : arm_number(ridge_str_field(info, "CPU revision"));
    for (size_t i = 0; i < sizeof implementers / sizeof *implementers; i++)
        if (implementers[i].implementer == cpu->family)
            cpu->vendor = implementers[i].name;
    cpu->isa = isa_of_flags(features, true);
    if (!features.p && !x->s.root)
        cpu->isa = isa_of_auxv();
    cpu->is_hybrid = has_other_part(info, ridge_str_field(info, "CPU part"));
}

void ridge_detect_identity(ridge_detection *x)
{
    ridge_detected_cpu *cpu = &x->d->cpu;
    ridge_str info = ridge_detect_read(&x->s, "proc/cpuinfo");
    cpu->family = cpu->model = cpu->stepping = RIDGE_MACHINE_UNKNOWN;
    if (ridge_detect_cpuid(&x->s, 0, 0))
        identify_cpuid(x);
    else if (ridge_str_field(info, "CPU implementer").p)
        identify_arm(x, info);
    else if (ridge_str_field(info, "vendor_id").p)
        identify_cpuinfo_x86(x, info);
    else
        ridge_detect_note(x, "the CPU is not known: no cpuid, and /proc/cpuinfo names none");
    const ridge_march *march = ridge_march_find(cpu);
    cpu->microarchitecture = march ? march->name : NULL;
    if (!cpu->brand && march)
        cpu->brand = ridge_arena_printf(x->arena, "%s %s", cpu->vendor, march->name);
}

/* ---- clock ---- */

/* 100 MHz to 20 GHz: anything else is no clock */
static bool is_clock(int64_t hz)
{
    return hz >= 100 * 1000 * 1000 && hz <= INT64_C(20) * 1000 * 1000 * 1000;
}

/* "2.60GHz", "2600.000", "5192.26": to its unit times `scale`; -1: no number. At most 6 digits after the point count. */
static int64_t decimal(ridge_str text, int64_t scale)
{
    int64_t value = 0, unit = 1;
    bool point = false, digits = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            if (value > INT64_C(1000000000000) || unit >= 1000000)
                break;
            value = value * 10 + (c - '0');
            unit *= point ? 10 : 1;
            digits = true;
        } else {
            break;
        }
    }
    ridge_int scaled = (ridge_int)value * scale / unit;
    return digits && scaled <= INT64_MAX ? (int64_t)scaled : -1;
}

/* "... CPU @ 2.60GHz" */
static int64_t brand_clock(const char *brand)
{
    const char *at = brand ? strstr(brand, "@ ") : NULL;
    if (!at)
        return RIDGE_MACHINE_UNKNOWN;
    bool mega = strstr(at, "MHz");
    return decimal(ridge_str_of(at + 2), mega ? 1000 * 1000 : 1000 * 1000 * 1000);
}

/* leaf 0x15: crystal (ecx Hz) x ebx / eax */
static int64_t tsc_of_leaf(const ridge_cpuid *leaf)
{
    if (!leaf || leaf->r[0] == 0 || leaf->r[1] == 0 || leaf->r[2] == 0)
        return RIDGE_MACHINE_UNKNOWN;
    ridge_int hz = (ridge_int)leaf->r[2] * leaf->r[1] / leaf->r[0];
    return hz <= INT64_MAX ? (int64_t)hz : RIDGE_MACHINE_UNKNOWN;
}

static bool take_clock(ridge_detected_cpu *cpu, int64_t hz, const char *source)
{
    if (cpu->clock_hz != RIDGE_MACHINE_UNKNOWN || !is_clock(hz))
        return false;
    cpu->clock_hz = hz;
    cpu->clock_source = source;
    return true;
}

static int64_t khz(ridge_detection *x, const char *name)
{
    int64_t value = ridge_detect_number(&x->s, "sys/devices/system/cpu/cpu0/cpufreq/%s", name);
    return value >= 0 && value <= 20 * 1000 * 1000 ? value * 1000 : RIDGE_MACHINE_UNKNOWN;
}

/* SMBIOS type 4 (DSP0134 7.5): word 0x16 is the current speed in MHz, 0 = unknown */
static int64_t dmi_clock(ridge_detection *x)
{
    ridge_str raw = ridge_detect_read(&x->s, "sys/firmware/dmi/entries/4-0/raw");
    if (raw.n < 0x18 || raw.p[0] != 4)
        return RIDGE_MACHINE_UNKNOWN;
    return ((unsigned char)raw.p[0x16] | (int64_t)(unsigned char)raw.p[0x17] << 8) * 1000 * 1000;
}

void ridge_detect_clock(ridge_detection *x)
{
    ridge_detected_cpu *cpu = &x->d->cpu;
    const ridge_cpuid *leaf16 = ridge_detect_cpuid(&x->s, 0x16, 0);
    ridge_str info = ridge_detect_read(&x->s, "proc/cpuinfo");
    int64_t highest = khz(x, "cpuinfo_max_freq");
    cpu->clock_hz = cpu->max_clock_hz = RIDGE_MACHINE_UNKNOWN;
    take_clock(cpu, khz(x, "base_frequency"), "cpufreq base_frequency");
    if (leaf16) {
        take_clock(cpu, (int64_t)(leaf16->r[0] & 0xffff) * 1000 * 1000, "base clock, cpuid leaf 0x16");
        if (!is_clock(highest))
            highest = (int64_t)(leaf16->r[1] & 0xffff) * 1000 * 1000;
    }
    take_clock(cpu, brand_clock(cpu->brand), "brand string");
    take_clock(cpu, tsc_of_leaf(ridge_detect_cpuid(&x->s, 0x15, 0)), "TSC rate, cpuid leaf 0x15");
    if (!cpu->is_arm) /* the kernel's delay loop counts the time stamp counter: two per cycle (Linux arch/x86/kernel/tsc.c) */
        take_clock(cpu, decimal(ridge_str_field(info, "bogomips"), 500 * 1000), "TSC rate, /proc/cpuinfo bogomips / 2");
    take_clock(cpu, dmi_clock(x), "current speed, DMI type 4");
    take_clock(cpu, highest, "highest clock, cpufreq cpuinfo_max_freq");
    if (is_clock(highest))
        cpu->max_clock_hz = highest;
    if (cpu->clock_hz == RIDGE_MACHINE_UNKNOWN)
        ridge_detect_note(x, "no clock: neither cpufreq, cpuid nor the brand string tells one");
}
