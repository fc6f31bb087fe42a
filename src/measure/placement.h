/* placement.h - which CPUs a team may use and in what order: one thread a core first, then the cores' other hardware threads.
 * In: the affinity mask of the calling thread, /sys/devices/system/cpu. Out: an order of CPUs. Where either is missing, nothing is pinned.
 */
#ifndef RIDGE_MEASURE_PLACEMENT_H
#define RIDGE_MEASURE_PLACEMENT_H

#include <sched.h>
#include <stdbool.h>

typedef struct ridge_placement {
    cpu_set_t before;           /* mask of the thread that read it */
    unsigned cpus[CPU_SETSIZE]; /* the order */
    unsigned count;             /* at least 1 */
    bool known;                 /* false: the mask could not be read */
} ridge_placement;

void ridge_placement_read(ridge_placement *out);
/* how many CPUs the calling thread may use */
unsigned ridge_placement_cpus(void);
/* Pins the calling thread to place `index`, modulo the count. */
void ridge_placement_pin(const ridge_placement *placement, unsigned index);
/* Gives the calling thread the mask back that was read. */
void ridge_placement_restore(const ridge_placement *placement);

/* The order of the CPUs of a mask: those whose core has no earlier CPU of the mask, ascending, then the rest. core[cpu]: the lowest
 * CPU of its core, or RIDGE_CORE_UNKNOWN. Returns how many. */
enum { RIDGE_CORE_UNKNOWN = CPU_SETSIZE };
unsigned ridge_placement_order(unsigned *out, const cpu_set_t *mask, const unsigned core[CPU_SETSIZE]);

#endif
