#include "predict/parallel/parallel.h"

void ridge_parallel_default(ridge_parallel *p)
{
    *p = (ridge_parallel){.tensor = 1, .pipeline = 1, .expert = 1, .microbatches = 1, .link_bytes_per_s = -1, .link_latency_s = -1};
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
                          "--expert-parallel: experts are spread over data-parallel replicas, and %lld is no multiple of %lld",
                          (long long)replicas, (long long)p->expert);
    if (batch % parts)
        return ridge_fail(err, RIDGE_USAGE,
                          "--batch: %lld sequences do not split into %lld replicas with %lld microbatches each; valid: multiples of %lld",
                          (long long)batch, (long long)replicas, (long long)p->microbatches, (long long)parts);
    *out = batch / parts;
    return RIDGE_OK;
}
