#include "serve/mhd.h"

#include <dlfcn.h>
#include <string.h>

ridge_mhd mhd;

ridge_status ridge_mhd_open(ridge_err *err)
{
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return ridge_fail(err, RIDGE_UNKNOWN, "libmicrohttpd is not installed (libmicrohttpd.so.12; Debian has it as libmicrohttpd12)");
#define X(name)                                                                                                                            \
    {                                                                                                                                      \
        void *symbol = dlsym(library, #name);                                                                                              \
        memcpy(&mhd.name, &symbol, sizeof symbol);                                                                                         \
        if (!symbol)                                                                                                                       \
            return ridge_fail(err, RIDGE_UNKNOWN, "libmicrohttpd.so.12 has no %s: it is too old", #name);                                  \
    }
    RIDGE_MHD_FUNCTIONS(X)
#undef X
    return RIDGE_OK;
}
