/* here.h - the machine that a question is about: the one that is named, or this one.
 * In: a name or none, a size of memory or none. Out: the machine, what its memory holds, and whether its rates are enough to tell times.
 * Without a name: the machine that is kept as 'this' (detected or calibrated), else the GPU that is found here, else this CPU.
 * Fails where the named machine does; what is found here is never an error, only less to say. */
#ifndef RIDGE_FIT_HERE_H
#define RIDGE_FIT_HERE_H

#include "machine/machine.h"
#include "predict/fit.h"

typedef struct ridge_here {
    const ridge_machine *machine; /* NULL: a size of memory alone is asked about */
    const char *known;            /* how: "named", "kept", "detected", "told" */
    const char *note;             /* what a reader should know of it; NULL: nothing */
    ridge_int memory_bytes;       /* of one device; negative: not known */
    int64_t devices;              /* of this kind that are here; 1 where nobody says */
    bool timed;                   /* bandwidth and a peak are known */
} ridge_here;

/* memory_bytes 0: the machine's own. In the arena, which must outlive `machines`. */
ridge_status ridge_here_find(ridge_here *out, ridge_machines *machines, const char *name, int64_t memory_bytes, ridge_arena *arena,
                             ridge_err *err);

#endif
