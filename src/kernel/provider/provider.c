#include "kernel/provider/provider.h"

#include <stdio.h>
#include <string.h>

bool ridge_provider_detail(char *out, size_t room, const char *provider, const ridge_kernel_run *run)
{
    static const struct {
        const char *name;
        bool (*detail)(char *out, size_t room, const ridge_kernel_run *run);
    } providers[] = {{"openblas", ridge_openblas_detail}, {"onednn", ridge_onednn_detail}};
    for (size_t i = 0; i < sizeof providers / sizeof *providers; i++)
        if (strcmp(providers[i].name, provider) == 0)
            return providers[i].detail(out, room, run);
    (void)snprintf(out, room, "%s", strcmp(provider, "ridge") == 0 ? "Ridge's own" : "no such provider: ridge, onednn, openblas");
    return strcmp(provider, "ridge") == 0;
}
