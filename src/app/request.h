/* request.h - a request from "name=value" options: the command line's names, for the C API and later HTTP.
 * Fails (USAGE) on an unknown name or a bad value, naming both. */
#ifndef RIDGE_APP_REQUEST_H
#define RIDGE_APP_REQUEST_H

#include "app/analysis.h"

/* strings point into the options, which must outlive the request */
ridge_status ridge_request_set(ridge_request *request, const char *option, ridge_err *err);

#endif
