/* fingerprint.h - which machine a measurement was made on: text that says what may change its results, and a hash of it.
 * In: /proc, /sys, uname, cpuid. Out: lines "key: value", in the arena; no host name, serial number or address.
 * What the system does not tell is "unknown" in the text. Fails (NOMEM). */
#ifndef RIDGE_MEASURE_FINGERPRINT_H
#define RIDGE_MEASURE_FINGERPRINT_H

#include "base/arena.h"
#include "base/err.h"

typedef struct ridge_fingerprint {
    const char *text;  /* "cpu: AMD EPYC\ncores: 2\n...", every key in a fixed order */
    const char *label; /* one line for people: "AMD EPYC, 2 cores, 24 GiB, KVM" */
    uint64_t hash;     /* of the text: FNV-1a, 64 bits */
    char digits[17];   /* the hash, 16 hexadecimal digits */
} ridge_fingerprint;

ridge_status ridge_fingerprint_read(ridge_fingerprint *out, ridge_arena *arena, ridge_err *err);
/* of a machine of which only a name is known, which must live as long */
ridge_status ridge_fingerprint_of_name(ridge_fingerprint *out, const char *name, ridge_arena *arena, ridge_err *err);

/* FNV-1a (Fowler, Noll, Vo; draft-eastlake-fnv-17), 64 bits: offset basis 14695981039346656037, prime 1099511628211 */
uint64_t ridge_fnv1a(const char *bytes, size_t count);

#endif
