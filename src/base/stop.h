/* stop.h - the wish that something ends, which a signal's handler or another thread may utter: 0 until then.
 * In: a flag that outlives the work. The work reads it where it can end, and ends soon after it is not 0.
 * An atomic that is free of locks may be written by both (C17, 7.14.1.1). */
#ifndef RIDGE_BASE_STOP_H
#define RIDGE_BASE_STOP_H

#include <stdatomic.h>

_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal's handler writes it");
typedef atomic_int ridge_stop;

#endif
