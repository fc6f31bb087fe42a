#include "measure/threads.h"

#include <errno.h>
#include <stdlib.h>

/* counts = integer {"," integer} */
ridge_status ridge_threads_read(void *member, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_threads *out = member;
    (void)arena;
    out->count = 0;
    for (const char *at = text;; at++) {
        char *end = NULL;
        errno = 0;
        long value = at[0] >= '0' && at[0] <= '9' ? strtol(at, &end, 10) : -1;
        if (value < 1 || value > RIDGE_THREADS_MOST || errno != 0 || (*end != ',' && *end != '\0'))
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") " %s: numbers from 1 to %d, with commas between them", option->name, text,
                              RIDGE_THREADS_MOST);
        if (out->count > 0 && (unsigned)value <= ridge_threads_most(out))
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") " %s: each number is to be larger than the one before", option->name, text);
        if (out->count == RIDGE_THREADS_COUNTS)
            return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("%s") ": at most %d numbers", option->name, RIDGE_THREADS_COUNTS);
        out->counts[out->count++] = (unsigned)value;
        if (*end == '\0')
            return RIDGE_OK;
        at = end;
    }
}

unsigned ridge_threads_most(const ridge_threads *threads)
{
    return threads->count > 0 ? threads->counts[threads->count - 1] : 0;
}
