#include "cli/interrupt.h"
#include "measure/measure.h"

static void stop(int number)
{
    (void)number;
    ridge_measure_interrupted = 1;
}

void ridge_interrupt_catch(struct sigaction *before)
{
    struct sigaction action = {.sa_handler = stop, .sa_flags = (int)(SA_RESETHAND | (unsigned)SA_RESTART)};
    ridge_measure_interrupted = 0;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, before);
}

void ridge_interrupt_release(const struct sigaction *before)
{
    (void)sigaction(SIGINT, before, NULL);
}
