#include "cli/threads.h"

#include <errno.h>
#include <stdlib.h>

/* counts = integer {"," integer} */
ridge_status ridge_threads_read(unsigned out[RIDGE_THREADS_COUNTS], size_t *count, const char *text, ridge_err *err)
{
    *count = 0;
    for (const char *at = text;; at++) {
        char *end = NULL;
        errno = 0;
        long value = at[0] >= '0' && at[0] <= '9' ? strtol(at, &end, 10) : -1;
        if (value < 1 || value > RIDGE_THREADS_MOST || errno != 0 || (*end != ',' && *end != '\0'))
            return ridge_fail(err, RIDGE_USAGE, "--threads %s: numbers from 1 to %d, with commas between them", text, RIDGE_THREADS_MOST);
        if (*count > 0 && (unsigned)value <= out[*count - 1])
            return ridge_fail(err, RIDGE_USAGE, "--threads %s: each number is to be larger than the one before", text);
        if (*count == RIDGE_THREADS_COUNTS)
            return ridge_fail(err, RIDGE_USAGE, "--threads: at most %d numbers", RIDGE_THREADS_COUNTS);
        out[(*count)++] = (unsigned)value;
        if (*end == '\0')
            return RIDGE_OK;
        at = end;
    }
}

void ridge_threads_warn(ridge_io *io, unsigned most, unsigned cpus)
{
    if (most > cpus)
        ridge_io_warn(io, "%u threads on the %u CPU%s of this process: they share cores, and their times show it", most, cpus,
                      cpus == 1 ? "" : "s");
}
