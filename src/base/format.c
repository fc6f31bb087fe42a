#include "base/format.h"

/* name, bits per element (num, den), elements and bits of a block, compute format, integer, bytes once per tensor.
 * Weight-only formats compute at 16 bits: low-bit weights save bytes, not FLOPs. Block sizes of ggml: ggml-common.h, QK = 32, QK_K = 256.
 */
#define FORMAT_LIST(X)                                                                                                                     \
    X("fp64", 64, 1, 1, 64, "fp64", false, 0)                                                                                              \
    X("fp32", 32, 1, 1, 32, "fp32", false, 0)                                                                                              \
    X("tf32", 32, 1, 1, 32, "tf32", false, 0)                                                                                              \
    X("bf16", 16, 1, 1, 16, "bf16", false, 0)                                                                                              \
    X("fp16", 16, 1, 1, 16, "fp16", false, 0)                                                                                              \
    X("fp8_e4m3", 8, 1, 1, 8, "fp8", false, 0)                                                                                             \
    X("fp8_e5m2", 8, 1, 1, 8, "fp8", false, 0)                                                                                             \
    X("int8", 8, 1, 1, 8, "int8", false, 0)                                                                                                \
    X("int4", 4, 1, 1, 4, "int4", false, 0)                                                                                                \
    X("int2", 2, 1, 1, 2, "bf16", false, 0)                                                                                                \
    X("mxfp8", 33, 4, 32, 264, "fp8", false, 0)                                                                                            \
    X("mxint8", 33, 4, 32, 264, "int8", false, 0)                                                                                          \
    X("mxfp6", 25, 4, 32, 200, "fp6", false, 0)                                                                                            \
    X("mxfp4", 17, 4, 32, 136, "mxfp4", false, 0)                                                                                          \
    X("nvfp4", 145, 32, 16, 72, "nvfp4", false, 4) /* the planning figure adds the tensor's fp32 scale over 1024 elements */               \
    X("nf4", 17, 4, 64, 272, "bf16", false, 0)                                                                                             \
    X("int3_g128", 403, 128, 128, 403, "bf16", false, 0) /* GPTQ's 3 bits: fp16 scale and 3-bit zero per group */                          \
    X("int4_g128", 133, 32, 128, 532, "bf16", false, 0)  /* GPTQ, AWQ: fp16 scale and 4-bit zero per group */                              \
    X("q4_0", 9, 2, 32, 144, "bf16", false, 0)                                                                                             \
    X("q4_1", 5, 1, 32, 160, "bf16", false, 0)                                                                                             \
    X("q5_0", 11, 2, 32, 176, "bf16", false, 0)                                                                                            \
    X("q5_1", 6, 1, 32, 192, "bf16", false, 0)                                                                                             \
    X("q8_0", 17, 2, 32, 272, "bf16", false, 0)                                                                                            \
    X("iq4_nl", 9, 2, 32, 144, "bf16", false, 0)                                                                                           \
    X("q2_K", 21, 8, 256, 672, "bf16", false, 0)                                                                                           \
    X("q3_K", 55, 16, 256, 880, "bf16", false, 0)                                                                                          \
    X("q4_K", 9, 2, 256, 1152, "bf16", false, 0)                                                                                           \
    X("q5_K", 11, 2, 256, 1408, "bf16", false, 0)                                                                                          \
    X("q6_K", 105, 16, 256, 1680, "bf16", false, 0)                                                                                        \
    X("iq4_xs", 17, 4, 256, 1088, "bf16", false, 0)                                                                                        \
    X("q1_0", 9, 8, 128, 144, "bf16", false, 0)                                                                                            \
    X("q2_0", 9, 4, 64, 144, "bf16", false, 0)                                                                                             \
    X("q8_1", 9, 1, 32, 288, "bf16", false, 0)                                                                                             \
    X("q8_K", 73, 8, 256, 2336, "bf16", false, 0)                                                                                          \
    X("iq1_s", 25, 16, 256, 400, "bf16", false, 0)                                                                                         \
    X("iq1_m", 7, 4, 256, 448, "bf16", false, 0)                                                                                           \
    X("iq2_xxs", 33, 16, 256, 528, "bf16", false, 0)                                                                                       \
    X("iq2_xs", 37, 16, 256, 592, "bf16", false, 0)                                                                                        \
    X("iq2_s", 41, 16, 256, 656, "bf16", false, 0)                                                                                         \
    X("iq3_xxs", 49, 16, 256, 784, "bf16", false, 0)                                                                                       \
    X("iq3_s", 55, 16, 256, 880, "bf16", false, 0)                                                                                         \
    X("tq1_0", 27, 16, 256, 432, "bf16", false, 0)                                                                                         \
    X("tq2_0", 33, 16, 256, 528, "bf16", false, 0)                                                                                         \
    X("nvfp4_g64", 9, 2, 64, 288, "nvfp4", false, 0) /* four blocks together; the tensor's scale is a tensor of its own */                 \
    X("i64", 64, 1, 1, 64, "i64", true, 0)                                                                                                 \
    X("i32", 32, 1, 1, 32, "i32", true, 0)                                                                                                 \
    X("u8", 8, 1, 1, 8, "u8", true, 0)                                                                                                     \
    X("bool", 8, 1, 1, 8, "bool", true, 0)                                                                                                 \
    X("i16", 16, 1, 1, 16, "i16", true, 0)                                                                                                 \
    X("u16", 16, 1, 1, 16, "u16", true, 0)                                                                                                 \
    X("u32", 32, 1, 1, 32, "u32", true, 0)                                                                                                 \
    X("u64", 64, 1, 1, 64, "u64", true, 0)                                                                                                 \
    X("fp8_e8m0", 8, 1, 1, 8, "fp8_e8m0", true, 0) /* the scales of OCP MX, in files that keep them apart */                               \
    X("fp6_e2m3", 6, 1, 1, 6, "fp6_e2m3", true, 0)                                                                                         \
    X("fp6_e3m2", 6, 1, 1, 6, "fp6_e3m2", true, 0)                                                                                         \
    X("fp4_e2m1", 4, 1, 1, 4, "fp4_e2m1", true, 0)                                                                                         \
    X("complex32", 32, 1, 1, 32, "complex32", true, 0)                                                                                     \
    X("complex64", 64, 1, 1, 64, "complex64", true, 0)                                                                                     \
    X("complex128", 128, 1, 1, 128, "complex128", true, 0)

static const ridge_format formats[] = {
#define X(name, num, den, elements, bits, compute, integer, tensor_bytes)                                                                  \
    {name, {num, den}, elements, bits, tensor_bytes, compute, integer, NULL, 0},
    FORMAT_LIST(X)
#undef X
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const struct {
    const char *alias, *name;
} aliases[] = {
    {"float64", "fp64"},
    {"double", "fp64"},
    {"f64", "fp64"},
    {"float32", "fp32"},
    {"float", "fp32"},
    {"f32", "fp32"},
    {"single", "fp32"},
    {"bfloat16", "bf16"},
    {"float16", "fp16"},
    {"half", "fp16"},
    {"f16", "fp16"},
    {"fp8", "fp8_e4m3"},
    {"f8", "fp8_e4m3"},
    {"e4m3", "fp8_e4m3"},
    {"e5m2", "fp8_e5m2"},
    {"fp8_e4m3fn", "fp8_e4m3"},
    {"float8_e4m3", "fp8_e4m3"},
    {"float8_e4m3fn", "fp8_e4m3"},
    {"f8_e4m3", "fp8_e4m3"},
    {"float8_e5m2", "fp8_e5m2"},
    {"f8_e5m2", "fp8_e5m2"},
    {"i8", "int8"},
    {"i4", "int4"},
    {"mxfp8_e4m3", "mxfp8"},
    {"mxfp8_e5m2", "mxfp8"},
    {"mxfp6_e2m3", "mxfp6"},
    {"mxfp6_e3m2", "mxfp6"},
    {"mxfp4_e2m1", "mxfp4"},
    {"gptq", "int4_g128"},
    {"awq", "int4_g128"},
    {"int64", "i64"},
    {"long", "i64"},
    {"int32", "i32"},
    {"int", "i32"},
    {"uint8", "u8"},
    {"int16", "i16"},
    {"short", "i16"},
    {"uint16", "u16"},
    {"uint32", "u32"},
    {"uint64", "u64"},
    {"f8_e8m0", "fp8_e8m0"},
    {"float8_e8m0fnu", "fp8_e8m0"},
    {"f6_e2m3", "fp6_e2m3"},
    {"f6_e3m2", "fp6_e3m2"},
    {"f4", "fp4_e2m1"},
    {"c64", "complex64"},
};

static bool equal_ignoring_case(ridge_str a, const char *z)
{
    size_t i = 0;
    for (; i < a.n && z[i] != '\0'; i++)
        if (ridge_lower(a.p[i]) != ridge_lower(z[i]))
            return false;
    return i == a.n && z[i] == '\0';
}

static const ridge_format *find_exact(ridge_str name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (equal_ignoring_case(name, formats[i].name))
            return &formats[i];
    return NULL;
}

static ridge_str without_prefix(ridge_str name, const char *prefix)
{
    size_t n = strlen(prefix);
    if (name.n > n && equal_ignoring_case((ridge_str){name.p, n}, prefix))
        return (ridge_str){name.p + n, name.n - n};
    return name;
}

const ridge_format *ridge_format_find(ridge_str name)
{
    name = without_prefix(name, "torch.");
    const ridge_format *format = find_exact(name);
    for (size_t i = 0; !format && i < sizeof aliases / sizeof *aliases; i++)
        if (equal_ignoring_case(name, aliases[i].alias))
            format = find_exact(ridge_str_of(aliases[i].name));
    return format;
}

/* letters and digits in lower case: "q4_K" and "q4k", "int4-g128" and "int4_g128" are one */
static ridge_str plain(char *out, size_t size, ridge_str name)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < size; i++)
        if (name.p[i] != '_' && name.p[i] != '-' && name.p[i] != '.')
            out[n++] = ridge_lower(name.p[i]);
    return (ridge_str){out, n};
}

const char *ridge_format_nearest(ridge_str name)
{
    char typed[32], known[32];
    ridge_nearest nearest = {0};
    for (size_t i = 0; i < FORMATS; i++)
        if (ridge_str_eq(plain(typed, sizeof typed, name), plain(known, sizeof known, ridge_str_of(formats[i].name))))
            return formats[i].name;
    for (size_t i = 0; i < FORMATS; i++)
        if (!formats[i].integer) /* what nobody chooses is not what was meant */
            ridge_nearest_offer(&nearest, name, formats[i].name);
    bool known_names = nearest.best;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases && !known_names; i++)
        ridge_nearest_offer(&nearest, name, aliases[i].alias);
    return nearest.best;
}

/* The format of most weights in a file of such a mix, "q4_K" of "q4_K_M" (llama.cpp, llama_ftype); NULL: it is none. */
static const ridge_format *find_mix(ridge_str name)
{
    static const char *const sizes[] = {"_XS", "_S", "_M", "_L", "_XL", "_xs", "_s", "_m", "_l", "_xl"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (ridge_str_ends(name, ridge_str_of(sizes[i])))
            return ridge_format_find((ridge_str){name.p, name.n - strlen(sizes[i])});
    return NULL;
}

ridge_status ridge_format_read(const ridge_format **out, ridge_str name, const char *what, ridge_err *err)
{
    *out = ridge_format_find(name);
    if (*out && (*out)->integer)
        return ridge_fail(err, RIDGE_USAGE, "%s: '%.*s' is a format of indices and masks", what, RIDGE_STR_ARG(name));
    if (*out)
        return RIDGE_OK;
    if (name.n > 0 && memchr(name.p, ',', name.n))
        return ridge_fail(err, RIDGE_USAGE,
                          "%s: '%.*s' is a list, and one number format is wanted here ('ridge sweep' takes lists, as does " RIDGE_OPT(
                              "dtype") " of 'ridge op' and 'ridge bench')",
                          what, RIDGE_STR_ARG(name));
    const ridge_format *most = find_mix(name);
    if (most)
        return ridge_fail(err, RIDGE_USAGE,
                          "%s: '%.*s' is a mix of formats that llama.cpp gives a file, most of its weights in %s: write '%s', which counts "
                          "all of them so",
                          what, RIDGE_STR_ARG(name), most->name, most->name);
    const char *nearest = ridge_format_nearest(name);
    if (nearest)
        return ridge_fail(err, RIDGE_USAGE, "%s: unknown number format '%.*s'; did you mean '%s'?", what, RIDGE_STR_ARG(name), nearest);
    return ridge_fail(err, RIDGE_USAGE, "%s: unknown number format '%.*s'; 'ridge formats' lists them", what, RIDGE_STR_ARG(name));
}

/* "experts=mxfp4" */
static ridge_status read_rule(ridge_format_rule *out, ridge_str part, const char *what, ridge_arena *arena, ridge_err *err)
{
    const char *equals = memchr(part.p, '=', part.n);
    const size_t n = equals ? (size_t)(equals - part.p) : 0;
    if (n == 0)
        return ridge_fail(err, RIDGE_USAGE, "%s: '%.*s' is no PATTERN=FORMAT, as in 'experts=mxfp4,*=bf16'", what, RIDGE_STR_ARG(part));
    const char *pattern = ridge_arena_strdup(arena, (ridge_str){part.p, n});
    if (!pattern)
        return ridge_no_memory(err);
    out->pattern = (ridge_str){pattern, n};
    return ridge_format_read(&out->format, (ridge_str){equals + 1, part.n - n - 1}, what, err);
}

ridge_status ridge_format_read_mix(const ridge_format **out, ridge_str text, const char *what, ridge_arena *arena, ridge_err *err)
{
    size_t count = 1, n = 0;
    if (!memchr(text.p, '=', text.n))
        return ridge_format_read(out, text, what, err);
    for (size_t i = 0; i < text.n; i++)
        count += text.p[i] == ',';
    ridge_format_rule *rules = ridge_arena_array(arena, count, sizeof *rules);
    ridge_format *mix = ridge_arena_alloc(arena, sizeof *mix);
    const char *name = ridge_arena_strdup(arena, text);
    if (!rules || !mix || !name)
        return ridge_no_memory(err);
    for (size_t from = 0; from <= text.n;) {
        const char *comma = memchr(text.p + from, ',', text.n - from);
        const size_t to = comma ? (size_t)(comma - text.p) : text.n;
        ridge_status st = read_rule(&rules[n++], (ridge_str){text.p + from, to - from}, what, arena, err);
        if (st)
            return st;
        from = to + 1;
    }
    *mix = *rules[n - 1].format;
    mix->name = name;
    mix->rules = rules;
    mix->rule_count = n;
    *out = mix;
    return RIDGE_OK;
}

/* '*' is any text, '?' any character */
static bool glob(ridge_str pattern, ridge_str text)
{
    size_t p = 0, t = 0, star = pattern.n, from = 0;
    while (t < text.n)
        if (p < pattern.n && pattern.p[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.n && (pattern.p[p] == '?' || pattern.p[p] == text.p[t])) {
            p++;
            t++;
        } else if (star < pattern.n) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    while (p < pattern.n && pattern.p[p] == '*')
        p++;
    return p == pattern.n;
}

bool ridge_format_rule_matches(const ridge_format_rule *rule, ridge_str path)
{
    const ridge_str part = rule->pattern;
    if (memchr(part.p, '*', part.n) || memchr(part.p, '?', part.n))
        return glob(part, path);
    return ridge_str_has_components(path, part);
}

bool ridge_format_is_weight_only(const ridge_format *format)
{
    return strcmp(format->compute, "bf16") == 0 && strcmp(format->name, "bf16") != 0;
}

const ridge_format *ridge_format_table(size_t *count)
{
    *count = FORMATS;
    return formats;
}

bool ridge_format_bytes(ridge_int *bytes, const ridge_format *format, ridge_int rows, ridge_int columns)
{
    if (rows < 0 || columns < 0)
        return false;
    ridge_int blocks = columns / format->block_elements + (columns % format->block_elements != 0), bits;
    if (!ridge_int_mul(&bits, blocks, format->block_bits) || !ridge_int_mul(&bits, bits, rows))
        return false;
    *bytes = bits / 8 + (bits % 8 != 0);
    return bits == 0 || ridge_int_add(bytes, *bytes, format->tensor_bytes);
}
