#include "predict/roofline.h"

#include <stdio.h>

#include "predict/seconds.h"

const char *const ridge_bound_names[] = {
    [RIDGE_BOUND_MEMORY] = "memory", [RIDGE_BOUND_COMPUTE] = "compute", [RIDGE_BOUND_LAUNCH] = "launch", [RIDGE_BOUND_LINK] = "link", NULL,
};

/* ---- precision ---- */

#define P(code)       RIDGE_PRECISION_##code
#define END           RIDGE_PRECISION_COUNT
#define FROM_TF32     P(TF32), P(FP32), P(FP64), END
#define FROM_16_BITS  P(BF16), P(FP16), FROM_TF32
#define LONGEST_CHAIN 8

/* What a precision runs at, best first, itself at the head: each holds every value of the first. bf16 is not held by fp16 (5 bits of
 * exponent) nor fp16 by bf16 (7 bits of fraction); tf32 has 8 and 10 and holds both. */
static const ridge_precision chains[RIDGE_PRECISION_COUNT][LONGEST_CHAIN] = {
    [P(FP64)] = {P(FP64), END},
    [P(FP32)] = {P(FP32), P(FP64), END},
    [P(TF32)] = {FROM_TF32},
    [P(BF16)] = {P(BF16), FROM_TF32},
    [P(FP16)] = {P(FP16), FROM_TF32},
    [P(FP8)] = {P(FP8), FROM_16_BITS},
    [P(INT8)] = {P(INT8), FROM_16_BITS},
    [P(FP6)] = {P(FP6), P(FP8), FROM_16_BITS},
    [P(INT4)] = {P(INT4), P(INT8), FROM_16_BITS},
    [P(MXFP4)] = {P(MXFP4), P(FP8), FROM_16_BITS},
    [P(NVFP4)] = {P(NVFP4), P(FP8), FROM_16_BITS},
};

/* Weights, K and V that are unpacked to 16 bits: to whichever 16-bit format the chip has. */
static const ridge_precision unpacked_to_bf16[] = {FROM_16_BITS}, unpacked_to_fp16[] = {P(FP16), P(BF16), FROM_TF32};

static const ridge_precision *chain_of(ridge_precision wanted, const ridge_format *a, const ridge_format *b)
{
    if (!ridge_format_is_weight_only(a) && !ridge_format_is_weight_only(b))
        return chains[wanted];
    return wanted == P(BF16) ? unpacked_to_bf16 : wanted == P(FP16) ? unpacked_to_fp16 : chains[wanted];
}

static bool is_whole(ridge_precision p)
{
    return p == P(INT8) || p == P(INT4);
}

/* the narrowest that both can be multiplied in; of an integer and a float, a float no narrower than either */
static ridge_precision common(ridge_precision a, ridge_precision b)
{
    if (a == b)
        return a;
    if (is_whole(a) != is_whole(b)) {
        ridge_precision real = is_whole(a) ? b : a, whole = is_whole(a) ? a : b;
        return ridge_precision_bits[real] < ridge_precision_bits[whole] ? P(FP8) : real;
    }
    if (ridge_precision_bits[a] != ridge_precision_bits[b])
        return ridge_precision_bits[a] > ridge_precision_bits[b] ? a : b;
    return ridge_precision_bits[a] == 16 ? P(TF32) : P(FP8); /* bf16 and fp16; mxfp4 and nvfp4 */
}

static ridge_precision precision_wanted(const ridge_format *a, const ridge_format *b)
{
    bool a_unpacks = ridge_format_is_weight_only(a), b_unpacks = ridge_format_is_weight_only(b);
    ridge_precision pa = ridge_precision_find(ridge_str_of(a->compute)), pb = ridge_precision_find(ridge_str_of(b->compute));
    if (a_unpacks != b_unpacks)
        return a_unpacks ? pb : pa;
    return pa == END || pb == END ? END : common(pa, pb);
}

ridge_status ridge_computes_at_find(ridge_computes_at *out, const ridge_machine *machine, const ridge_format *a, const ridge_format *b,
                                    ridge_err *err)
{
    ridge_precision wanted = precision_wanted(a, b);
    if (wanted == END)
        return ridge_fail(err, RIDGE_UNKNOWN, "no machine has a rate for %s times %s: it is a format of indices and masks", a->name,
                          b->name);
    const ridge_precision *p = chain_of(wanted, a, b);
    while (machine->lacks[*p] && p[1] != END)
        p++;
    const int64_t peak = machine->peak_flops_per_s[*p];
    *out = (ridge_computes_at){wanted, *p, peak > 0 ? (double)peak : RIDGE_MACHINE_UNKNOWN};
    return RIDGE_OK;
}

bool ridge_rate_is_known(const ridge_computes_at *at)
{
    return at->peak_flops_per_s > 0;
}

bool ridge_rate_remark(char *text, size_t room, const ridge_machine *machine, const ridge_computes_at *at, const char *what)
{
    const char *wanted = ridge_precision_names[at->wanted], *used = ridge_precision_names[at->used];
    if (!ridge_rate_is_known(at))
        (void)snprintf(text, room, "the %s rate of %s is not known: %s are bound by memory only, so they take at least what is said", used,
                       machine->id, what);
    else if (at->wanted != at->used)
        (void)snprintf(text, room, "%s has no %s units: %s are converted and run at its %s peak", machine->id, wanted, what, used);
    else
        return false;
    return true;
}

double ridge_vector_flops_per_s(const ridge_machine *machine, const ridge_format *activations)
{
    const int64_t *peak = machine->peak_flops_per_s;
    const ridge_precision wanted = strcmp(activations->compute, "fp64") == 0 || machine->lacks[P(FP32)] ? P(FP64) : P(FP32);
    return peak[wanted] > 0 ? (double)peak[wanted] : 0;
}

/* ---- memory ---- */

void ridge_bandwidth_find(double *bytes_per_s, const ridge_machine_level **level, const ridge_machine *machine, double working_set)
{
    const ridge_machine_level *found = NULL;
    for (size_t i = 0; i < machine->level_count; i++) {
        const ridge_machine_level *l = &machine->levels[i];
        if (l->bytes_per_s > 0 && (i == 0 || (double)l->capacity_bytes >= working_set))
            found = l;
    }
    *level = found ? found : machine->levels;
    *bytes_per_s = found ? (double)found->bytes_per_s : RIDGE_MACHINE_UNKNOWN;
}

ridge_status ridge_bound_check(const ridge_computes_at *at, double bytes_per_s, const ridge_machine *machine, ridge_err *err)
{
    if ((at && ridge_rate_is_known(at)) || bytes_per_s > 0)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_UNKNOWN,
                      "machine '%s' bounds nothing: it gives neither memory.dram.bytes_per_s nor peak_flops_per_s.%s (a machine file that "
                      "inherits '%s' can add them)",
                      machine->id, ridge_precision_names[at ? at->used : P(FP32)], machine->id);
}

double ridge_ridge_point(const ridge_machine *machine, double peak_flops_per_s)
{
    bool known = machine->level_count > 0 && machine->levels[0].bytes_per_s > 0 && peak_flops_per_s > 0;
    return known ? peak_flops_per_s / (double)machine->levels[0].bytes_per_s : RIDGE_MACHINE_UNKNOWN;
}

/* ---- time ---- */

ridge_status ridge_launch_read(void *at, const ridge_option *option, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_launch *out = at;
    bool machine = strcmp(text, "machine") == 0, none = strcmp(text, "none") == 0;
    (void)arena;
    out->counted = machine ? RIDGE_LAUNCH_MACHINE : none ? RIDGE_LAUNCH_NONE : RIDGE_LAUNCH_GIVEN;
    if (machine || none || ridge_seconds_parse(&out->seconds, text))
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE,
                      RIDGE_OPT("%s") ": '%s' is neither a time (write 2.5us, 3ms or 1e-6) nor the word 'machine' or 'none'", option->name,
                      text);
}

ridge_kernel_time ridge_kernel_time_of(double matrix_flops, double matrix_flops_per_s, double vector_flops, double vector_flops_per_s,
                                       double memory_s, double launch_s)
{
    double all = matrix_flops > 0 ? seconds(matrix_flops + vector_flops, matrix_flops_per_s) : 0;
    ridge_kernel_time t = {
        .compute_s = larger(all, seconds(vector_flops, vector_flops_per_s)),
        .memory_s = memory_s,
        .launch_s = larger(launch_s, 0),
    };
    t.time_s = larger(t.compute_s, t.memory_s) + t.launch_s;
    t.bound = t.compute_s > t.memory_s ? RIDGE_BOUND_COMPUTE : RIDGE_BOUND_MEMORY;
    if (t.launch_s > t.time_s / 2)
        t.bound = RIDGE_BOUND_LAUNCH;
    return t;
}
