/* mhd.h - libmicrohttpd, opened when the server starts: nothing else of the program loads it.
 * In: nothing. Out: its functions by their names, in `mhd`. Fails (UNKNOWN) where the library is not installed. */
#ifndef RIDGE_SERVE_MHD_H
#define RIDGE_SERVE_MHD_H

#if __has_include(<microhttpd.h>) /* else the build leaves this room out, but for without.c */
#include <microhttpd.h>

#include "base/err.h"

#define RIDGE_MHD_FUNCTIONS(X)                                                                                                             \
    X(MHD_start_daemon)                                                                                                                    \
    X(MHD_stop_daemon)                                                                                                                     \
    X(MHD_quiesce_daemon)                                                                                                                  \
    X(MHD_get_daemon_info)                                                                                                                 \
    X(MHD_get_connection_info)                                                                                                             \
    X(MHD_lookup_connection_value)                                                                                                         \
    X(MHD_suspend_connection)                                                                                                              \
    X(MHD_resume_connection)                                                                                                               \
    X(MHD_create_response_from_buffer)                                                                                                     \
    X(MHD_create_response_from_callback)                                                                                                   \
    X(MHD_add_response_header)                                                                                                             \
    X(MHD_queue_response)                                                                                                                  \
    X(MHD_destroy_response)

typedef struct ridge_mhd {
#define X(name) __typeof__(&(name)) name;
    RIDGE_MHD_FUNCTIONS(X)
#undef X
} ridge_mhd;
extern ridge_mhd mhd;

/* once, before there are threads */
ridge_status ridge_mhd_open(ridge_err *err);

#endif
#endif
