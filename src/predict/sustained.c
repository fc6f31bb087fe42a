#include "predict/sustained.h"

#include <string.h>

/* Published measurements, by architecture. gpu-benches: github.com/te42kyfo/gpu-benches at 1c36d50 (NHR@FAU, 2024): A100 80GB, H100
 * PCIe and H200, L40, MI210; read there:
 * - gpu-small-kernels, `-graph`, 64 kB: 65,536 bytes at 49, 52, 70, 32 GB/s = 1.34, 1.26, 0.94, 2.05 us a kernel
 * - gpu-l2-cache, plateau: 5.40, 6.95 (H200 9.7), 5.22, 4.30 TB/s over units x clock = 35.5, 36, 14.8, 24 bytes a clock and unit
 * - gpu-latency, pointer chase: main memory 404, 370, 254, 391 ns; far end of the cache 150, 151, 111, 150 ns */
typedef struct arch_figures {
    const char *arch;
    double kernel_s, cache_bytes_per_clock, memory_latency_s, cache_latency_s;
} arch_figures;

#define HOPPER  1.26e-6, 36.0, 370e-9, 151e-9
#define MEDIANS 1.30e-6, 30.0, 380e-9, 150e-9

static const arch_figures archs[] = {
    {"Ampere", 1.34e-6, 35.5, 404e-9, 150e-9},
    {"Hopper", HOPPER},
    {"Ada", 0.94e-6, 14.8, 254e-9, 111e-9},
    {"CDNA2", 2.05e-6, 24.0, 391e-9, 150e-9},
    {"Blackwell sm_", MEDIANS}, /* GeForce, RTX PRO, GB10: another SM */
    {"Blackwell", HOPPER},      /* nobody measured it there; its SM and caches are Hopper's successors */
};

/* the medians of the above, for architectures that nobody measured there */
static const arch_figures other_gpu = {NULL, MEDIANS};

static const arch_figures *figures_of(const ridge_machine *machine)
{
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (machine->arch && strncmp(machine->arch, archs[i].arch, strlen(archs[i].arch)) == 0)
            return &archs[i];
    return &other_gpu;
}

static bool is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

/* ---- matrix units ---- */

/* Medians of achieved / peak over the machines that give both ("maximum achievable matmul FLOPS", S. Bekman, ml-engineering):
 * NVIDIA 16 bits 8 machines, 8 bits 6; AMD 16 bits 3; Intel 2; of all 16 bits 13, 8 bits 8. tests/predict/estimate.c takes them anew. */
static const struct {
    const char *vendor;
    double bits16, bits8;
} shares[] = {{"NVIDIA", 0.803, 0.740}, {"AMD", 0.600, 0.600}, {"Intel", 0.855, 0.862}, {NULL, 0.786, 0.754}};

static double known_share(const ridge_machine *machine, ridge_precision precision)
{
    int64_t got = machine->achieved.flops_per_s[precision], peak = machine->peak_flops_per_s[precision];
    return got > 0 && peak > 0 ? (double)got / (double)peak : 0;
}

double ridge_matrix_share(const ridge_machine *machine, ridge_precision precision)
{
    double share = known_share(machine, precision);
    bool narrow = ridge_precision_bits[precision] <= 8;
    if (share <= 0)
        share = known_share(machine, narrow ? RIDGE_PRECISION_FP8 : RIDGE_PRECISION_BF16);
    size_t i = 0;
    while (shares[i].vendor && !is(machine->vendor, shares[i].vendor))
        i++;
    if (share <= 0)
        share = narrow ? shares[i].bits8 : shares[i].bits16;
    return share < 1 ? share : 1;
}

/* ---- memory ---- */

/* gpu-benches, gpu-stream, over the nominal bandwidth: `read` (one load stream) and what `triad` (two loads, one store) leaves for the
 * stores, 3 / triad = 2 / read + 1 / write. Medians by kind of memory: HBM2e of A100 80GB, H100 PCIe and MI210; HBM2 of V100, A100 40GB and
 * MI100; GDDR6 of A40 and L40; of all eight for the others. (Its H200 file is left out: the nominal bandwidth of that device is not told.)
 */
static const struct {
    const char *type;
    double read, write;
} memories[] = {{"HBM2e", 0.868, 0.853}, {"HBM2", 0.960, 0.754}, {"GDDR6", 0.976, 0.810}, {NULL, 0.959, 0.765}};

static size_t memory_kind(const char *type)
{
    size_t i = 0;
    while (memories[i].type && !is(type, memories[i].type))
        i++;
    return i;
}

static void memory_rates(ridge_sustained *s, const ridge_machine *machine)
{
    double peak = machine->level_count > 0 ? (double)machine->levels[0].bytes_per_s : 0, got = (double)machine->achieved.bytes_per_s;
    if (peak <= 0)
        return;
    bool known = got > 0 && got <= peak;
    size_t kind = memory_kind(machine->levels[0].type);
    s->read_bytes_per_s = known ? got : peak * memories[kind].read;
    s->write_bytes_per_s = known ? got : peak * memories[kind].write;
}

double ridge_sustained_memory_s(const ridge_sustained *s, double read_bytes, double written_bytes)
{
    return s->read_bytes_per_s > 0 ? read_bytes / s->read_bytes_per_s + written_bytes / s->write_bytes_per_s : 0;
}

/* the outermost level below main memory: what all units share */
static void cache_rates(ridge_sustained *s, const ridge_machine *machine, const arch_figures *figures)
{
    const ridge_machine_level *level = ridge_machine_level_find(machine, "l2");
    if (!level || level->capacity_bytes <= 0)
        return;
    s->cache_bytes = (double)level->capacity_bytes;
    s->cache_bytes_per_s = level->bytes_per_s > 0 ? (double)level->bytes_per_s : figures->cache_bytes_per_clock * s->units * s->clock_hz;
    if (s->cache_bytes_per_s < s->read_bytes_per_s) /* a cache slower than the memory behind it is a missing figure */
        s->cache_bytes_per_s = s->read_bytes_per_s;
}

double ridge_cache_hit_share(const ridge_sustained *s, double reuse_bytes)
{
    if (reuse_bytes <= 0 || s->cache_bytes <= 0)
        return 0;
    double share = (1.35 - reuse_bytes / s->cache_bytes) / (1.35 - 0.65);
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* ---- units ---- */

/* CUDA C++ Programming Guide, "Arithmetic Instructions": 16 results a clock and SM of exp2 on 8.x and 9.0 (FlashAttention-3 counts with
 * it too: 3.9e12/s on an H100); L1 can take 64 bytes a clock from L2 (NVIDIA A100 whitepaper, 5120 bytes a clock over two partitions). */
#define EXP_PER_CLOCK        16
#define PORT_BYTES_PER_CLOCK 64

/* A block cannot have all of L1: 164 of 192 KiB (A100), 228 of 256 (H100), 100 of 128 (Ada) are for shared memory, CUDA C++ Programming
 * Guide, table "Technical Specifications per Compute Capability". */
#define RESERVED_BYTES     (28 * 1024)
#define LEAST_SHARED_BYTES (64 * 1024)
#define USUAL_SHARED_BYTES (100 * 1024)
#define USUAL_CLOCK_HZ     1.7e9
#define LANES              128 /* fp32, of one SM or CU */

static double clock_of(const ridge_machine *machine)
{
    int64_t fp32 = machine->peak_flops_per_s[RIDGE_PRECISION_FP32];
    double from_peak = fp32 > 0 ? (double)fp32 / ((double)machine->compute_units * LANES * 2) : 0;
    if (machine->clock_hz > 0)
        return (double)machine->clock_hz;
    return from_peak > 0.8e9 && from_peak < 3.2e9 ? from_peak : USUAL_CLOCK_HZ;
}

static double shared_bytes_of(const ridge_machine *machine)
{
    double left = (double)machine->shared_bytes - RESERVED_BYTES;
    if (machine->shared_bytes <= 0)
        return USUAL_SHARED_BYTES;
    return left > LEAST_SHARED_BYTES ? left : LEAST_SHARED_BYTES;
}

static void unit_rates(ridge_sustained *s, const ridge_machine *machine, const arch_figures *figures)
{
    s->units = (double)machine->compute_units;
    s->clock_hz = clock_of(machine);
    s->exp_per_s = EXP_PER_CLOCK * s->units * s->clock_hz;
    s->port_bytes_per_s = PORT_BYTES_PER_CLOCK * s->clock_hz;
    s->unit_shared_bytes = shared_bytes_of(machine);
    s->memory_latency_s = figures->memory_latency_s;
    s->cache_latency_s = figures->cache_latency_s;
    s->multicast = is(machine->vendor, "NVIDIA") && machine->arch &&
                   (strncmp(machine->arch, "Hopper", 6) == 0 || strncmp(machine->arch, "Blackwell", 9) == 0);
}

ridge_sustained ridge_sustained_of(const ridge_machine *machine, ridge_precision precision)
{
    ridge_sustained s = {0};
    const arch_figures *figures = figures_of(machine);
    bool gpu = is(machine->kind, "gpu");
    int64_t fp32 = machine->peak_flops_per_s[RIDGE_PRECISION_FP32], peak = machine->peak_flops_per_s[precision];
    int64_t reached = machine->achieved.flops_per_s[precision];
    s.matrix_flops_per_s = peak > 0 ? (double)peak * ridge_matrix_share(machine, precision) : reached > 0 ? (double)reached : 0;
    s.vector_flops_per_s = fp32 > 0 ? (double)fp32 / 2 : 0;
    s.kernel_s = machine->launch_overhead_s > 0 ? machine->launch_overhead_s : gpu ? figures->kernel_s : 0;
    memory_rates(&s, machine);
    if (gpu && machine->compute_units > 0) {
        unit_rates(&s, machine, figures);
        cache_rates(&s, machine, figures);
    }
    return s;
}
