#include "learn/package/embedded.h"

#include <stddef.h>
#include <string.h>

const ridge_embedded_module *ridge_embedded_module_find(const char *name)
{
    unsigned low = 0, high = ridge_embedded_modules_count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = strcmp(ridge_embedded_modules[middle].name, name);
        if (order == 0)
            return &ridge_embedded_modules[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
