/* request.h - a request from "name=value" options: the command line's names, for the C API and later HTTP.
 * Fails (USAGE) on an unknown name or a bad value, naming both. */
#ifndef RIDGE_PREDICT_REQUEST_H
#define RIDGE_PREDICT_REQUEST_H

#include "predict/predict.h"

/* strings point into the options, which must outlive the request */
ridge_status ridge_request_set(ridge_request *request, const char *option, ridge_err *err);
/* as above, and "on=h100-sxm-80", "method=estimate", "launch=3us", "prompt=1024", "generate=256", "price=2.5" of a prediction */
ridge_status ridge_predict_request_set(ridge_predict_request *request, const char *option, ridge_err *err);

#endif
