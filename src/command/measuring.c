#include "command/measuring.h"

#include "measure/measure.h"
#include "measure/placement.h"

void ridge_measuring_begin(ridge_call *call, unsigned threads)
{
    unsigned cpus = ridge_placement_cpus();
    if (threads > cpus)
        ridge_call_warn(call, "%u threads on the %u CPU%s of this process: they share cores, and their times show it", threads, cpus,
                        RIDGE_PLURAL(cpus));
    ridge_measure_interrupted = 0;
    ridge_call_listen(call, &ridge_measure_interrupted);
}

void ridge_measuring_end(ridge_call *call, bool interrupted)
{
    ridge_call_listen(call, NULL);
    ridge_call_progress_end(call);
    call->interrupted = interrupted;
}

void ridge_measuring_progress(void *call, const char *what, size_t done, size_t total)
{
    ridge_call_progress(call, "%3zu %% %s", 100 * done / total, what);
}

void ridge_measuring_estimate(void *call, double seconds)
{
    ridge_call_estimate(call, "measuring takes", seconds);
}
