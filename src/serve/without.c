/* The build had no headers of libmicrohttpd. */
#include "base/err.h"
#include "serve/serve.h"

ridge_status ridge_serve(const ridge_serve_request *request, void (*say)(void *data, const char *line), void *data, ridge_err *err)
{
    (void)request;
    (void)say;
    (void)data;
    return ridge_fail(err, RIDGE_UNKNOWN, "this ridge was built without libmicrohttpd (libmicrohttpd-dev)");
}
