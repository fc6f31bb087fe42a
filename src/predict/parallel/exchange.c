#include "predict/parallel/exchange.h"

#include <string.h>

#include "predict/seconds.h"

/* ---- what links the devices ---- */

/* ways to send: of each 8 bytes half a flag (LL), of each 128 bytes 8 (LL128), whole buffers with a fence (Simple) */
enum { LL, LL128, SIMPLE, PROTOCOLS };

/* NCCL, src/graph/tuning.cc, ring: baseLat {6.6, 14.0, 8.4} us, hwLat of NVLINK, PCI and NET; the same tables of RCCL for xGMI, 12 us and
 * its tuning_model_0. NCCL uses LL128 over NVLink alone. */
struct ridge_fabric {
    const char *name; /* the beginning of the link's name */
    double base_s[PROTOCOLS], hop_s[PROTOCOLS];
    int64_t reached; /* devices that read each other's memory without a host between them */
};

#define US(ll, ll128, simple)                                                                                                              \
    {                                                                                                                                      \
        (ll) * 1e-6, (ll128)*1e-6, (simple)*1e-6                                                                                           \
    }
static const struct ridge_fabric fabrics[] = {
    {"NVLink", US(6.6, 14.0, 8.4), US(0.6, 1.9, 3.4), 8}, {"PCIe", US(6.6, 0, 8.4), US(1.0, 0, 5.7), 2},
    {"xGMI", US(12.0, 0, 17.0), US(0.8, 0, 3.6), 8},      {"RoCE", US(6.6, 0, 8.4), US(2.7, 0, 14.0), 1},
    {"ConnectX", US(6.6, 0, 8.4), US(2.7, 0, 14.0), 1},
};

const struct ridge_fabric *ridge_fabric_find(const char *link_name)
{
    for (size_t i = 0; link_name && i < sizeof fabrics / sizeof *fabrics; i++)
        if (strncmp(link_name, fabrics[i].name, strlen(fabrics[i].name)) == 0)
            return &fabrics[i];
    return NULL;
}

/* ---- the ways ---- */

/* NCCL counts on 235 of the 300 GB/s of an A100 (tuning.cc, Ampere); LL sends a quarter of that; LL128, whose
 * 120 of 128 bytes are data, 0.92 of it there. */
#define LINK_SHARE (235.0 / 300.0)
static const double payload[PROTOCOLS] = {[LL] = 0.25, [LL128] = 0.92, [SIMPLE] = 1};

/* vLLM's limits (csrc/custom_all_reduce.cuh): 8 devices, 8 MiB; four flags and reads that wait for each other, six in two stages */
#define DIRECT_LIMIT  8388608.0 /* bytes */
#define ONE_SHOT_HOPS 4
#define TWO_SHOT_HOPS 6

static double hop_s(const ridge_exchange *x, int protocol)
{
    return protocol == LL && x->latency_s >= 0 ? x->latency_s : x->fabric->hop_s[protocol];
}

/* messages one after the other: a ring's; an all-to-all's go to all at once */
static double steps_of(const ridge_exchange *x)
{
    return x->kind == RIDGE_COLLECTIVE_ALL_TO_ALL ? 1 : ridge_collective_steps(x->kind, x->devices);
}

static double ring_s(const ridge_exchange *x, double bytes)
{
    double sent = ridge_collective_factor(x->kind, x->devices) * bytes, least = 0;
    for (int p = 0; p < PROTOCOLS; p++) {
        double rate = x->bytes_per_s * LINK_SHARE * payload[p];
        double time_s = x->fabric->base_s[p] + steps_of(x) * hop_s(x, p) + seconds(sent, rate);
        if (x->fabric->base_s[p] > 0 && (least <= 0 || time_s < least))
            least = time_s;
    }
    return least;
}

/* Each device reads the arrays of all others, or its part of them and then the sums of the others: one kernel, no ring. */
static double direct_s(const ridge_exchange *x, double bytes)
{
    double rate = x->bytes_per_s * LINK_SHARE, hop = hop_s(x, LL);
    double one_shot = ONE_SHOT_HOPS * hop + seconds((double)(x->devices - 1) * bytes, rate);
    double two_shot = TWO_SHOT_HOPS * hop + seconds(ridge_collective_factor(x->kind, x->devices) * bytes, rate);
    return x->kernel_s + smaller(one_shot, two_shot);
}

double ridge_exchange_least_s(const ridge_exchange *x, double bytes)
{
    double waits = x->latency_s > 0 ? ridge_collective_steps(x->kind, x->devices) * x->latency_s : 0;
    return seconds(ridge_collective_factor(x->kind, x->devices) * bytes, x->bytes_per_s) + waits;
}

double ridge_exchange_estimate_s(const ridge_exchange *x, double bytes)
{
    ridge_exchange wire = *x;
    if (!x->fabric || x->devices <= 1)
        return ridge_exchange_least_s(x, bytes);
    double time_s = ring_s(x, bytes);
    if (x->kind == RIDGE_COLLECTIVE_ALL_REDUCE && x->devices <= x->fabric->reached && bytes <= DIRECT_LIMIT)
        time_s = smaller(time_s, direct_s(x, bytes));
    wire.latency_s = RIDGE_MACHINE_UNKNOWN; /* its ring is one of the ways, not the only one */
    return larger(time_s, ridge_exchange_least_s(&wire, bytes));
}
