/* Microarchitectures: what one core ends per cycle. FLOP per cycle = vector units x lanes x 2 (a multiply-add is two).
 * Sources by row: AMD Software Optimization Guides 56305 (Zen 2), 56665 (Zen 3), 57647 (Zen 4), 58455 (Zen 5); Intel 64 and IA-32
 * Optimization Reference Manual 248966; Intel ARK for the number of 512-bit units of a model; Arm Neoverse Software Optimization Guides.
 * A row without rates says why: its models differ in what cpuid does not tell. */
#include "machine/detect/parts.h"

#define RATES(name) static const ridge_march_rate name[]
#define END                                                                                                                                \
    {                                                                                                                                      \
        RIDGE_PRECISION_COUNT, RIDGE_CPU_ISA_COUNT, 0, NULL                                                                                \
    }

RATES(avx_two_128) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_FMA, 8, "FMA, 2 x 128 bits"},
                      {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_FMA, 16, "FMA, 2 x 128 bits"},
                      END};
RATES(avx_two_256) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_FMA, 16, "FMA, 2 x 256 bits"},
                      {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_FMA, 32, "FMA, 2 x 256 bits"},
                      END};
/* two 256-bit units, or both as one of 512 bits */
RATES(avx512_one) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_FMA, 16, "FMA, 2 x 256 or 1 x 512 bits"},
                     {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_FMA, 32, "FMA, 2 x 256 or 1 x 512 bits"},
                     {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_AVX512_VNNI, 128, "VPDPBUSD, 1 x 512 bits"},
                     END};
RATES(avx512_two) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_AVX512F, 32, "FMA, 2 x 512 bits"},
                     {RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_FMA, 16, "FMA, 2 x 256 bits"},
                     {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_AVX512F, 64, "FMA, 2 x 512 bits"},
                     {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_FMA, 32, "FMA, 2 x 256 bits"},
                     {RIDGE_PRECISION_BF16, RIDGE_CPU_ISA_AVX512_BF16, 128, "VDPBF16PS, 2 x 512 bits"},
                     {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_AVX512_VNNI, 256, "VPDPBUSD, 2 x 512 bits"},
                     END};
RATES(amx) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_AVX512F, 32, "FMA, 2 x 512 bits"},
              {RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_FMA, 16, "FMA, 2 x 256 bits"},
              {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_AVX512F, 64, "FMA, 2 x 512 bits"},
              {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_FMA, 32, "FMA, 2 x 256 bits"},
              {RIDGE_PRECISION_BF16, RIDGE_CPU_ISA_AMX_BF16, 1024, "AMX, TDPBF16PS: 16 x 16 x 32 in 16 cycles"},
              {RIDGE_PRECISION_BF16, RIDGE_CPU_ISA_AVX512_BF16, 128, "VDPBF16PS, 2 x 512 bits"},
              {RIDGE_PRECISION_FP16, RIDGE_CPU_ISA_AMX_FP16, 1024, "AMX, TDPFP16PS: 16 x 16 x 32 in 16 cycles"},
              {RIDGE_PRECISION_FP16, RIDGE_CPU_ISA_AVX512_FP16, 128, "FMA, 2 x 512 bits"},
              {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_AMX_INT8, 2048, "AMX, TDPBUSD: 16 x 16 x 64 in 16 cycles"},
              {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_AVX512_VNNI, 256, "VPDPBUSD, 2 x 512 bits"},
              END};
RATES(zen4) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_FMA, 16, "FMA, 2 x 256 bits"},
               {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_FMA, 32, "FMA, 2 x 256 bits"},
               {RIDGE_PRECISION_BF16, RIDGE_CPU_ISA_AVX512_BF16, 64, "VDPBF16PS, 2 x 256 bits"},
               {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_AVX512_VNNI, 128, "VPDPBUSD, 2 x 256 bits"},
               END};
RATES(neoverse_n1) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_NEON, 8, "FMLA, 2 x 128 bits"},
                      {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_NEON, 16, "FMLA, 2 x 128 bits"},
                      {RIDGE_PRECISION_FP16, RIDGE_CPU_ISA_NEON_FP16, 32, "FMLA, 2 x 128 bits"},
                      {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_DOTPROD, 64, "SDOT, 2 x 128 bits"},
                      END};
/* V1: 2 x 256 bits of SVE or 4 x 128 of NEON; V2: 4 x 128 */
RATES(neoverse_v) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_NEON, 16, "FMLA, 512 bits in all"},
                     {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_NEON, 32, "FMLA, 512 bits in all"},
                     {RIDGE_PRECISION_FP16, RIDGE_CPU_ISA_NEON_FP16, 64, "FMLA, 512 bits in all"},
                     {RIDGE_PRECISION_BF16, RIDGE_CPU_ISA_BF16, 128, "BFMMLA, 512 bits in all"},
                     {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_I8MM, 256, "SMMLA, 512 bits in all"},
                     {RIDGE_PRECISION_INT8, RIDGE_CPU_ISA_DOTPROD, 128, "SDOT, 512 bits in all"},
                     END};
/* Neoverse N2: 2 x 128 bits; how fast its BFMMLA and SMMLA are is not in the table */
RATES(neoverse_n2) = {{RIDGE_PRECISION_FP64, RIDGE_CPU_ISA_NEON, 8, "FMLA, 2 x 128 bits"},
                      {RIDGE_PRECISION_FP32, RIDGE_CPU_ISA_NEON, 16, "FMLA, 2 x 128 bits"},
                      {RIDGE_PRECISION_FP16, RIDGE_CPU_ISA_NEON_FP16, 32, "FMLA, 2 x 128 bits"},
                      END};

#define INTEL    "Intel Optimization Reference Manual 248966"
#define NEOVERSE "Arm Neoverse Software Optimization Guide"

typedef struct march_row {
    const char *vendor;
    int64_t family, first, last; /* models; arm64: implementer, parts */
    ridge_march march;
} march_row;

static const march_row rows[] = {
    {"AMD", 0x17, 0x00, 0x2f, {"Zen", avx_two_128, "AMD Software Optimization Guide 55723"}},
    {"AMD", 0x17, 0x30, 0xff, {"Zen 2", avx_two_256, "AMD Software Optimization Guide 56305"}},
    {"AMD", 0x19, 0x00, 0x0f, {"Zen 3", avx_two_256, "AMD Software Optimization Guide 56665"}},
    {"AMD", 0x19, 0x10, 0x1f, {"Zen 4", zen4, "AMD Software Optimization Guide 57647"}},
    {"AMD", 0x19, 0x20, 0x5f, {"Zen 3", avx_two_256, "AMD Software Optimization Guide 56665"}},
    {"AMD", 0x19, 0x60, 0xaf, {"Zen 4", zen4, "AMD Software Optimization Guide 57647"}},
    {"AMD", 0x1a, 0x00, 0x1f, {"Zen 5", avx512_two, "AMD Software Optimization Guide 58455"}},
    {"AMD", 0x1a, 0x40, 0x4f, {"Zen 5", avx512_two, "AMD Software Optimization Guide 58455"}},
    {"AMD", 0x1a, 0x20, 0x3f, {"Zen 5 (mobile)", NULL, "its datapaths are 256 or 512 bits wide, and cpuid does not tell which"}},
    {"Intel", 6, 0x3c, 0x3c, {"Haswell", avx_two_256, INTEL}},
    {"Intel", 6, 0x3f, 0x3f, {"Haswell-EP", avx_two_256, INTEL}},
    {"Intel", 6, 0x45, 0x46, {"Haswell", avx_two_256, INTEL}},
    {"Intel", 6, 0x3d, 0x3d, {"Broadwell", avx_two_256, INTEL}},
    {"Intel", 6, 0x47, 0x47, {"Broadwell", avx_two_256, INTEL}},
    {"Intel", 6, 0x4f, 0x4f, {"Broadwell-EP", avx_two_256, INTEL}},
    {"Intel", 6, 0x56, 0x56, {"Broadwell-DE", avx_two_256, INTEL}},
    {"Intel", 6, 0x4e, 0x4e, {"Skylake", avx_two_256, INTEL}},
    {"Intel", 6, 0x5e, 0x5e, {"Skylake", avx_two_256, INTEL}},
    {"Intel", 6, 0x8e, 0x8e, {"Kaby Lake", avx_two_256, INTEL}},
    {"Intel", 6, 0x9e, 0x9e, {"Coffee Lake", avx_two_256, INTEL}},
    {"Intel", 6, 0xa5, 0xa6, {"Comet Lake", avx_two_256, INTEL}},
    {"Intel", 6, 0x6a, 0x6a, {"Ice Lake-SP", avx512_two, INTEL}},
    {"Intel", 6, 0x6c, 0x6c, {"Ice Lake-DE", NULL, "models have one or two 512-bit FMA units, and cpuid does not tell which"}},
    {"Intel", 6, 0x7d, 0x7e, {"Ice Lake", avx512_one, INTEL}},
    {"Intel", 6, 0x8c, 0x8d, {"Tiger Lake", avx512_one, INTEL}},
    {"Intel", 6, 0xa7, 0xa7, {"Rocket Lake", avx512_one, INTEL}},
    {"Intel", 6, 0x8f, 0x8f, {"Sapphire Rapids", amx, INTEL}},
    {"Intel", 6, 0xcf, 0xcf, {"Emerald Rapids", amx, INTEL}},
    {"Intel", 6, 0xad, 0xae, {"Granite Rapids", amx, INTEL}},
    {"Arm", 0x41, 0xd0c, 0xd0c, {"Neoverse N1", neoverse_n1, NEOVERSE}},
    {"Arm", 0x41, 0xd40, 0xd40, {"Neoverse V1", neoverse_v, NEOVERSE}},
    {"Arm", 0x41, 0xd49, 0xd49, {"Neoverse N2", neoverse_n2, NEOVERSE}},
    {"Arm", 0x41, 0xd4f, 0xd4f, {"Neoverse V2", neoverse_v, NEOVERSE}},
};

/* Skylake-SP and its successors of the same model number (0x55). Intel ARK, "# of AVX-512 FMA Units": 2 in Platinum and Gold 6xxx,
 * 5122 and 5222, 1 in the other Gold 5xxx, Silver and Bronze. */
static const ridge_march *skylake_sp(const ridge_detected_cpu *cpu)
{
    static const ridge_march two[] = {{"Skylake-SP", avx512_two, INTEL ", two 512-bit FMA units by Intel ARK"},
                                      {"Cascade Lake", avx512_two, INTEL ", two 512-bit FMA units by Intel ARK"},
                                      {"Cooper Lake", avx512_two, INTEL ", two 512-bit FMA units by Intel ARK"}};
    static const ridge_march one[] = {{"Skylake-SP", avx512_one, INTEL ", one 512-bit FMA unit by Intel ARK"},
                                      {"Cascade Lake", avx512_one, INTEL ", one 512-bit FMA unit by Intel ARK"},
                                      {"Cooper Lake", avx512_one, INTEL ", one 512-bit FMA unit by Intel ARK"}};
    static const ridge_march open[] = {
        {"Skylake-SP", NULL, "models have one or two 512-bit FMA units, and this name does not tell which"},
        {"Cascade Lake", NULL, "models have one or two 512-bit FMA units, and this name does not tell which"},
        {"Cooper Lake", NULL, "models have one or two 512-bit FMA units, and this name does not tell which"}};
    static const char *const with_two[] = {"Platinum", "Gold 6", "Gold 5122", "Gold 5222"};
    static const char *const with_one[] = {"Gold 5", "Silver", "Bronze"};
    unsigned which = cpu->stepping < 5 ? 0 : cpu->stepping < 10 ? 1 : 2;
    for (size_t i = 0; cpu->brand && i < sizeof with_two / sizeof *with_two; i++)
        if (strstr(cpu->brand, with_two[i]))
            return &two[which];
    for (size_t i = 0; cpu->brand && i < sizeof with_one / sizeof *with_one; i++)
        if (strstr(cpu->brand, with_one[i]))
            return &one[which];
    return &open[which];
}

const ridge_march *ridge_march_find(const ridge_detected_cpu *cpu)
{
    if (!cpu->vendor)
        return NULL;
    if (strcmp(cpu->vendor, "Intel") == 0 && cpu->family == 6 && cpu->model == 0x55)
        return skylake_sp(cpu);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].vendor, cpu->vendor) == 0 && rows[i].family == cpu->family && cpu->model >= rows[i].first &&
            cpu->model <= rows[i].last)
            return &rows[i].march;
    return NULL;
}

const ridge_march_rate *ridge_march_rate_find(const ridge_march *march, ridge_precision precision, uint32_t isa)
{
    for (const ridge_march_rate *r = march->rates; r && r->per_cycle != 0; r++)
        if (r->precision == precision && (isa >> r->isa & 1) != 0)
            return r;
    return NULL;
}
