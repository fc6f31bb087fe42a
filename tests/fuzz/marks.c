#include "files.h"

const char *fuzz_next_mark(const char *at, const char *begin, const char *end)
{
    for (; at + 3 <= end; at++)
        if (at[0] == '@' && at[1] >= 'a' && at[1] < 'a' + FUZZ_FILES && at[2] == '\n' && (at == begin || at[-1] == '\n'))
            return at;
    return end;
}
