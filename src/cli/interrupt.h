/* interrupt.h - Ctrl-C during a measurement: the first one ends it after the sample in flight (ridge_measure_interrupted), the second ends
 * the program. For commands that measure. */
#ifndef RIDGE_CLI_INTERRUPT_H
#define RIDGE_CLI_INTERRUPT_H

#include <signal.h>

/* *before: to be given back to ridge_interrupt_release */
void ridge_interrupt_catch(struct sigaction *before);
void ridge_interrupt_release(const struct sigaction *before);

#endif
