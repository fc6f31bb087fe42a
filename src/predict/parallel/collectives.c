#include "predict/parallel/collectives.h"

#include "base/str.h"

const char *const ridge_collective_names[] = {RIDGE_COLLECTIVE_LIST(RIDGE_FIRST_TEXT) NULL};
const char *const ridge_collective_classes[] = {
#define X(code, name, class_name) class_name,
    RIDGE_COLLECTIVE_LIST(X) NULL
#undef X
};

double ridge_collective_factor(ridge_collective kind, int64_t devices)
{
    double n = (double)devices;
    if (devices <= 1)
        return 0;
    switch (kind) {
    case RIDGE_COLLECTIVE_ALL_REDUCE: /* a reduce-scatter, then an all-gather */
        return 2 * (n - 1) / n;
    case RIDGE_COLLECTIVE_SEND:
        return 1;
    default:
        return (n - 1) / n;
    }
}

double ridge_collective_steps(ridge_collective kind, int64_t devices)
{
    if (devices <= 1)
        return 0;
    switch (kind) {
    case RIDGE_COLLECTIVE_ALL_REDUCE:
        return 2 * (double)(devices - 1);
    case RIDGE_COLLECTIVE_SEND:
        return 1;
    default:
        return (double)(devices - 1);
    }
}

double ridge_pipeline_bubble(int64_t stages, int64_t microbatches)
{
    return (double)(stages - 1) / (double)(microbatches + stages - 1);
}
