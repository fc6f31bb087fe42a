/* exchange.h - how long a message between devices takes in practice: its latency, which is all of a small one, and the share of the link.
 * In: what is sent between how many, the machine's link. Out: seconds. The fastest of the ways that libraries have counts.
 * Latencies are those that NCCL and RCCL choose their algorithm by; docs/parallel.md and docs/accuracy.md have them with their sources.
 * Never fails: of a link that they do not know only the bandwidth counts, and the latency of the machine's file. */
#ifndef RIDGE_PREDICT_PARALLEL_EXCHANGE_H
#define RIDGE_PREDICT_PARALLEL_EXCHANGE_H

#include "machine/machine.h"
#include "predict/parallel/collectives.h"

typedef struct ridge_exchange {
    ridge_collective kind;
    int64_t devices;
    const struct ridge_fabric *fabric; /* what links them; NULL: of no known latencies */
    double bytes_per_s, latency_s;     /* of a device's link, one direction; of one message, negative: not known */
    double kernel_s;                   /* the least time of a kernel */
} ridge_exchange;

/* "NVLink4", "PCIe 5.0 x16", "xGMI (7x64)"; NULL for names of no known kind, and for NULL */
const struct ridge_fabric *ridge_fabric_find(const char *link_name);

/* The bound: the bytes that a device sends over the link's bandwidth, and the latencies of a ring where the latency is known. */
double ridge_exchange_least_s(const ridge_exchange *exchange, double bytes);
/* What a library reaches; never below the bound. bytes: as in ridge_collective_factor. */
double ridge_exchange_estimate_s(const ridge_exchange *exchange, double bytes);

#endif
