/* format.h - number formats: bits per element, block layout, what they compute at. One table for everything.
 * Sources: FACTS ("Number formats"): OCP MX v1.0, NVFP4 (NVIDIA), ggml block structs, bitsandbytes, GPTQ/AWQ. */
#ifndef RIDGE_BASE_FORMAT_H
#define RIDGE_BASE_FORMAT_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/number.h"
#include "base/str.h"

typedef struct ridge_format ridge_format;
/* of a mix: the weights that a pattern means, and their format */
typedef struct ridge_format_rule {
    ridge_str pattern; /* a path's run of whole components ("experts", "layers.0"), or with '*' and '?' the whole path */
    const ridge_format *format;
} ridge_format_rule;

struct ridge_format {
    const char *name;
    ridge_rational bits;     /* per element, scales included; a planning figure where no tensor is known */
    unsigned block_elements; /* 1 for plain formats */
    unsigned block_bits;     /* bits of one whole block, scale and zero included */
    unsigned tensor_bytes;   /* once per tensor: nvfp4's fp32 scale */
    const char *compute;     /* name of the format whose peak rate applies */
    bool integer;            /* i64, bool, u8, fp8_e8m0, complex64: indices, masks and what files only keep; not a choice for weights */
    const ridge_format_rule
        *rules; /* of a mix, whose other members are of its last rule; the first that matches decides. NULL: of no mix */
    size_t rule_count;
};

/* by name, or by the aliases people type (float16, half, q4_k, torch.bfloat16, ...); NULL where unknown */
const ridge_format *ridge_format_find(ridge_str name);
/* "did you mean": the name of the table that an unknown one is near to; NULL where none is */
const char *ridge_format_nearest(ridge_str name);
/* A number format as people choose it; USAGE, saying "what: ...", where it is unknown (with the nearest) or one of indices and masks. */
ridge_status ridge_format_read(const ridge_format **out, ridge_str name, const char *what, ridge_err *err);
/* The same, or a mix for weights: "experts=mxfp4,*=bf16"; its name is the text, in the arena. */
ridge_status ridge_format_read_mix(const ridge_format **out, ridge_str text, const char *what, ridge_arena *arena, ridge_err *err);
/* does a rule mean the weight of this path? */
bool ridge_format_rule_matches(const ridge_format_rule *rule, ridge_str path);
/* unpacked to 16 bits before it is multiplied (q4_K, nf4, int2): for weights, K and V; saves bytes, not FLOPs */
bool ridge_format_is_weight_only(const ridge_format *format);
/* all formats in table order; *count gets the number */
const ridge_format *ridge_format_table(size_t *count);

/* bytes of a tensor of `rows` rows of `columns` elements: whole blocks per row (plain formats: total bits rounded up to bytes), plus what
 * the format keeps once per tensor; an empty tensor has none. false on overflow */
bool ridge_format_bytes(ridge_int *bytes, const ridge_format *format, ridge_int rows, ridge_int columns);

#endif
