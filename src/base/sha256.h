/* sha256.h - SHA-256 (FIPS 180-4), to tell whether a source changed. */
#ifndef RIDGE_BASE_SHA256_H
#define RIDGE_BASE_SHA256_H

#include "base/str.h"

/* as 64 hexadecimal digits and a NUL */
void ridge_sha256(char out[65], ridge_str text);

#endif
