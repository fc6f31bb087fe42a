#include "predict/parallel/parallel.h"

#define OF      ridge_parallel
#define SEVERAL "devices|tensor-parallel|pipeline-parallel|expert-parallel|data-parallel"
const ridge_option ridge_options_devices[] = {
    RIDGE_INT(OF, devices, "devices", 0, "N", 1, 4096, "devices that share every layer: " RIDGE_OPT("tensor-parallel"), .fallback = "0"),
    RIDGE_INT(OF, tensor, "tensor-parallel", 0, "N", 1, 4096, "each layer split over N devices, by heads and columns", .fallback = "1"),
    RIDGE_INT(OF, pipeline, "pipeline-parallel", 0, "N", 1, 4096, "the layers over N devices, one part after the other", .fallback = "1"),
    RIDGE_INT(OF, expert, "expert-parallel", 0, "N", 1, 4096, "a mixture's experts over N replicas", .fallback = "1"),
    RIDGE_INT(OF, data, "data-parallel", 0, "N", 1, 1 << 20, "N replicas that split the batch (default: " RIDGE_OPT("expert-parallel") ")",
              .fallback = "0"),
    RIDGE_INT(OF, microbatches, "microbatches", 0, "N", 1, 1 << 20, "parts of a replica's batch, one after the other", .fallback = "1"),
    RIDGE_INT(OF, zero, "zero", 0, "STAGE", 0, 3, "training: what replicas share, 1 optimizer, 2 + gradients, 3 + weights", .fallback = "0",
              .needs = "phase=train expert-parallel|data-parallel"),
    RIDGE_REAL(OF, link_bytes_per_s, "link-bandwidth", 0, "B", "bytes/s of a device, one direction (default: the machine's)",
               .unit = "bytes/s", .needs = SEVERAL),
    RIDGE_SECONDS(OF, link_latency_s, "link-latency", 0, "of one message (default: the machine's, 0 where unknown)", .needs = SEVERAL),
    RIDGE_OPTION_END,
};

void ridge_parallel_default(ridge_parallel *p)
{
    *p = (ridge_parallel){.tensor = 1, .pipeline = 1, .expert = 1, .microbatches = 1, .link_bytes_per_s = -1, .link_latency_s = -1};
}

ridge_status ridge_parallel_check(ridge_parallel *p, ridge_err *err)
{
    if (p->devices > 0 && p->tensor > 1 && p->devices != p->tensor)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("devices") " is " RIDGE_OPT("tensor-parallel") ": %lld and %lld",
                          (long long)p->devices, (long long)p->tensor);
    if (p->devices > 0)
        p->tensor = p->devices;
    for (const ridge_option *option = ridge_options_devices; option->name; option++) {
        const int64_t *value = (const void *)((const char *)p + option->offset);
        int64_t least = option->fallback && option->fallback[0] == '0' ? 0 : option->min;
        if (option->kind == RIDGE_OPTION_INT && (*value < least || *value > option->max))
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": %lld is out of range: it must be from %lld to %lld", option->name,
                              (long long)*value, (long long)least, (long long)option->max);
    }
    return RIDGE_OK;
}

bool ridge_parallel_is_on(const ridge_parallel *p)
{
    return ridge_parallel_devices(p) > 1 || p->microbatches > 1;
}

int64_t ridge_parallel_replicas(const ridge_parallel *p)
{
    return p->data > 0 ? p->data : p->expert;
}

int64_t ridge_parallel_devices(const ridge_parallel *p)
{
    return p->tensor * p->pipeline * ridge_parallel_replicas(p);
}

ridge_status ridge_parallel_batch(int64_t *out, const ridge_parallel *p, int64_t batch, ridge_err *err)
{
    const int64_t replicas = ridge_parallel_replicas(p), parts = replicas * p->microbatches;
    if (replicas % p->expert)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("expert-parallel") ": experts are spread over data-parallel replicas, and %lld is no multiple of %lld",
                          (long long)replicas, (long long)p->expert);
    if (batch % parts)
        return ridge_fail(
            err, RIDGE_USAGE,
            RIDGE_OPT("batch") ": %lld sequences do not split into %lld replicas with %lld microbatches each; valid: multiples of %lld",
            (long long)batch, (long long)replicas, (long long)p->microbatches, (long long)parts);
    *out = batch / parts;
    return RIDGE_OK;
}
