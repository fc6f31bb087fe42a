#include "serve/pack.h"

#if __has_include(<zlib.h>)
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LEVEL = 1, WINDOW_OF_GZIP = 15 + 16, MEMORY = 8 };

static struct {
    __typeof__(&deflateInit2_) init;
    __typeof__(&deflate) run;
    __typeof__(&deflateEnd) end;
    bool there;
} zlib;

static void open_zlib(void)
{
    void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return;
    void *const symbols[] = {dlsym(library, "deflateInit2_"), dlsym(library, "deflate"), dlsym(library, "deflateEnd")};
    memcpy(&zlib.init, &symbols[0], sizeof symbols[0]);
    memcpy(&zlib.run, &symbols[1], sizeof symbols[1]);
    memcpy(&zlib.end, &symbols[2], sizeof symbols[2]);
    zlib.there = symbols[0] && symbols[1] && symbols[2];
}

/* into less room than it has; its length, 0 where that does not do */
static size_t pack(char *out, const ridge_buf *body)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)body->p,
                  .avail_in = (uInt)body->n,
                  .next_out = (Bytef *)(uintptr_t)out,
                  .avail_out = (uInt)(body->n - 1)};
    if (zlib.init(&z, LEVEL, Z_DEFLATED, WINDOW_OF_GZIP, MEMORY, Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof z) != Z_OK)
        return 0;
    const bool whole = zlib.run(&z, Z_FINISH) == Z_STREAM_END;
    const size_t bytes = whole ? z.total_out : 0;
    (void)zlib.end(&z);
    return bytes;
}

bool ridge_pack_gzip(ridge_buf *body)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, open_zlib);
    char *out = zlib.there && body->n > 1 && body->n < UINT32_MAX ? malloc(body->n) : NULL;
    const size_t bytes = out ? pack(out, body) : 0;
    if (bytes == 0) {
        free(out);
        return false;
    }
    char *fits = realloc(out, bytes);
    ridge_buf_free(body);
    *body = (ridge_buf){.p = fits ? fits : out, .n = bytes};
    return true;
}

#else
bool ridge_pack_gzip(ridge_buf *body)
{
    (void)body;
    return false;
}
#endif
