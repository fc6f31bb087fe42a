/* measuring.h - what commands that measure share: a word on threads, progress, Ctrl-C. */
#ifndef RIDGE_COMMAND_MEASURING_H
#define RIDGE_COMMAND_MEASURING_H

#include "command/call.h"

/* Warns where `threads` do not have a CPU each; from now on Ctrl-C ends what is measured (ridge_measure_interrupted). */
void ridge_measuring_begin(ridge_call *call, unsigned threads);
/* interrupted: it ended early, and the answer is what was done */
void ridge_measuring_end(ridge_call *call, bool interrupted);
/* " 12 % dram read": for the `progress` of what is measured; context: the call */
void ridge_measuring_progress(void *call, const char *what, size_t done, size_t total);
/* "this takes about 7.0 min": for the `estimate` of what is measured, said where it is more than some seconds; context: the call */
void ridge_measuring_estimate(void *call, double seconds);

#endif
