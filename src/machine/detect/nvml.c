#include "machine/detect/nvml.h"

#include <dlfcn.h>
#include <string.h>

#include "base/str.h"

bool ridge_nvml_open(ridge_nvml *n, int *error)
{
    int failed = 0;
    if (error)
        *error = 0;
    *n = (ridge_nvml){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    if (!n->library)
        return false;
#define X(field, symbol, arguments)                                                                                                        \
    {                                                                                                                                      \
        void *found = dlsym(n->library, symbol);                                                                                           \
        memcpy(&n->field, &found, sizeof found);                                                                                           \
    }
    RIDGE_NVML_FUNCTIONS(X)
#undef X
    if (n->init && n->shutdown && n->driver && n->count && n->handle && n->name && n->memory && (failed = n->init()) == 0)
        return true;
    if (error)
        *error = failed;
    (void)dlclose(n->library);
    return false;
}

void ridge_nvml_close(ridge_nvml *n)
{
    (void)n->shutdown();
    (void)dlclose(n->library);
}

unsigned ridge_nvml_count(const ridge_nvml *n, unsigned most)
{
    unsigned count = 0;
    if (n->count(&count) != 0)
        return 0;
    return count > most ? most : count;
}

const char *ridge_nvml_driver(const ridge_nvml *n, ridge_arena *arena)
{
    char text[RIDGE_NVML_NAME_CHARS] = "";
    return n->driver(text, sizeof text) == 0 ? ridge_arena_strdup(arena, (ridge_str){text, strnlen(text, sizeof text)}) : NULL;
}

const char *ridge_nvml_name(const ridge_nvml *n, ridge_nvml_device device, ridge_arena *arena)
{
    char text[RIDGE_NVML_NAME_CHARS] = "";
    return n->name(device, text, sizeof text) == 0 ? ridge_arena_strdup(arena, (ridge_str){text, strnlen(text, sizeof text)}) : NULL;
}
