/* clock.h - the multiply chain as a load of its own, to be timed beside another (ceilings.h).
 * In: rounds. Out: the core cycles they take, whatever the clock is. */
#ifndef RIDGE_MEASURE_CLOCK_H
#define RIDGE_MEASURE_CLOCK_H

#include <stdint.h>

/* Runs `rounds` x 64 dependent 64-bit multiplications and returns the cycles they take: 3 each on Intel since Haswell, Zen and later
 * (Fog, Instruction tables) and Neoverse N1 and later; 0, and nothing is run, where the latency is not known. */
double ridge_multiply_chain(uint64_t rounds);

#endif
