/* compressed-tensors, and NVIDIA ModelOpt, whose form is like it. */
#include "input/quant/parts.h"

/* ---- compressed-tensors, and ModelOpt's form of it ---- */

/* "weights" or "input_activations" of a group */
typedef struct kind {
    bool there, is_float, symmetric, dynamic;
    int64_t bits, group, block[2];
    ridge_str strategy;
} kind;

static ridge_status read_kind(kind *out, const ridge_quant_reader *r, const ridge_json *group, const char *key)
{
    const ridge_json *v = ridge_quant_object(group, key), *symmetric = ridge_json_get(v, "symmetric");
    *out = (kind){.there = v != NULL};
    if (!v)
        return RIDGE_OK;
    out->is_float = ridge_quant_is_text(v, "type", "float");
    out->symmetric = !symmetric || symmetric->type != RIDGE_JSON_FALSE;
    out->dynamic = ridge_quant_is_true(v, "dynamic") || ridge_quant_is_text(v, "dynamic", "local");
    out->strategy = ridge_quant_text(v, "strategy");
    ridge_status st = ridge_quant_whole(&out->bits, r, v, "num_bits", 8, 2, 16);
    if (!st && !(st = ridge_quant_whole(&out->group, r, v, "group_size", 0, -1, 1 << 30)))
        st = ridge_quant_block(out->block, r, v, "block_structure");
    return st;
}

/* how kernels multiply what is stored so */
static const ridge_format *format_of(const kind *w, const kind *input)
{
    if (w->is_float)
        return ridge_quant_format(w->bits > 4 ? "fp8_e4m3" : w->group == 16 ? "nvfp4" : "mxfp4");
    return input->there && w->bits == 4 ? ridge_quant_format("int4") : ridge_quant_weight_only(w->bits);
}

static const ridge_format *input_format(const kind *input)
{
    if (!input->there)
        return NULL;
    if (input->is_float)
        return ridge_quant_format(input->bits > 4 ? "fp8_e4m3" : input->group == 32 ? "mxfp4" : "nvfp4");
    return ridge_quant_format(input->bits > 4 ? "int8" : "int4");
}

static bool is_packed(ridge_str layout)
{
    return ridge_str_is(layout, "pack-quantized") || ridge_str_is(layout, "marlin-24");
}

/* modelopt keeps scales in fp32; compressed-tensors in the model's 16 bits; both of fp4 per group in 8 bits, beside two global ones in fp32
 */
static ridge_status group_scheme(const ridge_scheme **out, ridge_quant_reader *r, const ridge_json *group, ridge_str layout, bool modelopt)
{
    kind w, input;
    ridge_status st;
    if ((st = read_kind(&w, r, group, "weights")) || (st = read_kind(&input, r, group, "input_activations")))
        return st;
    *out = NULL;
    if (!w.there || w.bits == 16)
        return RIDGE_OK;
    const bool fp4 = w.is_float && w.bits == 4, packed = is_packed(layout) && !w.is_float;
    const bool whole = ridge_str_is(w.strategy, "tensor") || (modelopt && w.group <= 0 && !w.strategy.n);
    ridge_scheme s = {.format = format_of(&w, &input), .activations = input_format(&input), .bits = (unsigned)w.bits};
    s.name = w.is_float ? s.format->name : ridge_quant_int_name(r, w.bits, w.group);
    s.group = fp4 && w.group <= 0 ? 32 : w.group > 0 ? w.group : 0;
    s.scale_bits = fp4 ? 8 : modelopt ? 32 : 16;
    if (ridge_str_is(w.strategy, "block")) {
        s.block_rows = w.block[0];
        s.group = w.block[1];
    } else if (whole) {
        s.block_rows = -1;
    }
    if (packed)
        s.word_bits = 32;
    if (packed && !w.symmetric)
        s.zero_bits = (unsigned)w.bits;
    s.module_bytes = fp4 && s.group == 16 ? 4 : packed ? 16 : 0;
    if (input.there && (!input.dynamic || (fp4 && s.group == 16)))
        s.module_bytes += fp4 || modelopt ? 4 : 2;
    return ridge_quant_add_scheme(out, r, s);
}

/* "Linear" is every matrix, "re:..." a pattern, else a module's path (or the end of one) */
static ridge_status add_targets(ridge_quant_reader *r, const ridge_json *group, const ridge_scheme *scheme)
{
    const ridge_json *targets = ridge_json_get(group, "targets");
    ridge_status st = RIDGE_OK;
    if (!targets || targets->type != RIDGE_JSON_ARRAY)
        r->q->scheme = scheme;
    for (uint32_t i = 0; targets && targets->type == RIDGE_JSON_ARRAY && i < targets->count && !st; i++) {
        const ridge_json *t = &targets->u.items[i];
        const ridge_str text = t->type == RIDGE_JSON_STRING ? t->u.text : (ridge_str){"", 0};
        if (ridge_str_is(text, "Linear"))
            r->q->scheme = scheme;
        else
            st = ridge_quant_add_pattern(r, RIDGE_QUANT_EXACT, t, text, scheme);
    }
    return st;
}

static ridge_status read_groups(ridge_quant_reader *r, bool modelopt)
{
    const ridge_json *groups = ridge_quant_object(r->root, "config_groups");
    ridge_status st = ridge_quant_add_ignored(r, "ignore");
    for (uint32_t i = 0; groups && i < groups->count && !st; i++) {
        const ridge_json *group = &groups->u.members[i].value;
        const ridge_str own = ridge_quant_text(group, "format"), layout = own.n ? own : ridge_quant_text(r->root, "format");
        const ridge_scheme *scheme;
        if (!(st = group_scheme(&scheme, r, group, layout, modelopt)))
            st = add_targets(r, group, scheme);
    }
    return st;
}

/* "FP8", "NVFP4", "W4A8_AWQ", ... of ModelOpt's hf_quant_config */
static ridge_status algorithm_scheme(const ridge_scheme **out, ridge_quant_reader *r, const ridge_json *at, ridge_str name, int64_t group)
{
    static const struct algorithm {
        const char *name, *format, *activations;
        unsigned bits;
        int64_t group, block_rows;
        unsigned scale_bits;
        int64_t module_bytes;
    } algorithms[] = {
        {"FP8", "fp8_e4m3", "fp8_e4m3", 8, 0, -1, 32, 4},
        {"NVFP4", "nvfp4", "nvfp4", 4, 16, 0, 8, 8},
        {"NVFP4_AWQ", "nvfp4", "nvfp4", 4, 16, 0, 8, 8},
        {"W4A16_AWQ", "int4_g128", NULL, 4, 128, 0, 16, 0},
        {"W4A8_AWQ", "int4_g128", NULL, 4, 128, 0, 16, 8},
        {"W4A16_NVFP4", "nvfp4", NULL, 4, 16, 0, 8, 4},
        {"MXFP8", "mxfp8", "mxfp8", 8, 32, 0, 8, 0},
        {"MXFP4", "mxfp4", "mxfp4", 4, 32, 0, 8, 0},
        {"FP8_PB_WO", "fp8_e4m3", NULL, 8, 128, 128, 32, 0},
        {"FP8_PB_REAL", "fp8_e4m3", "fp8_e4m3", 8, 128, 128, 32, 0},
        {"FP8_PER_CHANNEL_PER_TOKEN", "fp8_e4m3", "fp8_e4m3", 8, 0, 0, 32, 0},
    };
    *out = NULL;
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        const struct algorithm *a = &algorithms[i];
        if (!ridge_str_is(name, a->name))
            continue;
        const ridge_scheme s = {.name = a->format,
                                .format = ridge_quant_format(a->format),
                                .activations = a->activations ? ridge_quant_format(a->activations) : NULL,
                                .bits = a->bits,
                                .group = group > 0 && a->group ? group : a->group,
                                .block_rows = a->block_rows,
                                .scale_bits = a->scale_bits,
                                .module_bytes = a->module_bytes};
        return ridge_quant_add_scheme(out, r, s);
    }
    return ridge_fail_at(r->err, RIDGE_VALUE, r->file, at->line, at->col, "quantization: the algorithm '%.*s' of ModelOpt is not known",
                         RIDGE_STR_ARG(name));
}

ridge_status ridge_quant_read_layers(ridge_quant_reader *r)
{
    const ridge_json *layers = ridge_quant_object(r->root, "quantized_layers");
    ridge_status st = RIDGE_OK;
    for (uint32_t i = 0; layers && i < layers->count && !st; i++) {
        const ridge_json_member *m = &layers->u.members[i];
        const ridge_scheme *scheme;
        int64_t group;
        if ((st = ridge_quant_whole(&group, r, &m->value, "group_size", 0, 0, 1 << 20)) ||
            (st = algorithm_scheme(&scheme, r, &m->value, ridge_quant_text(&m->value, "quant_algo"), group)))
            return st;
        st = ridge_quant_add_rule(r, memchr(m->key.p, '*', m->key.n) ? RIDGE_QUANT_GLOB : RIDGE_QUANT_EXACT, &m->value, m->key, scheme);
    }
    return st;
}

ridge_status ridge_quant_read_modelopt(ridge_quant_reader *r)
{
    const ridge_json *algorithm = ridge_json_get(r->root, "quant_algo");
    const ridge_str name = ridge_quant_text(r->root, "quant_algo");
    int64_t group;
    ridge_status st;
    if (ridge_quant_object(r->root, "config_groups"))
        return read_groups(r, true);
    if ((st = ridge_quant_add_ignored(r, "exclude_modules")) || (st = ridge_quant_add_ignored(r, "ignore")) ||
        (st = ridge_quant_read_layers(r)) || (st = ridge_quant_whole(&group, r, r->root, "group_size", 0, 0, 1 << 20)) || !name.n ||
        ridge_str_is(name, "MIXED_PRECISION"))
        return st;
    return algorithm_scheme(&r->q->scheme, r, algorithm, name, group);
}

ridge_status ridge_quant_read_compressed(ridge_quant_reader *r)
{
    return read_groups(r, false);
}
