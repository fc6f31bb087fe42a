/* GPTQ, AWQ, bitsandbytes, fp8, mxfp4, Quark, torchao, MLX. Sources: transformers' quantizers and integrations, AutoGPTQ, AutoAWQ,
 * bitsandbytes, AMD Quark, torchao, MLX; docs/quantization.md says which. */
#include "input/quant/parts.h"

/* ---- GPTQ, AWQ ---- */

/* qweight [in / 32 * bits, out] of int32, qzeros [groups, out / 32 * bits], scales [groups, out] of fp16, g_idx [in] of int32 */
ridge_status ridge_quant_read_gptq(ridge_quant_reader *r)
{
    int64_t bits, group;
    ridge_status st;
    if ((st = ridge_quant_whole(&bits, r, r->root, "bits", 4, 2, 8)) ||
        (st = ridge_quant_whole(&group, r, r->root, "group_size", 128, -1, 1 << 30)))
        return st;
    const ridge_scheme s = {.name = ridge_quant_int_name(r, bits, group),
                            .format = ridge_quant_weight_only(bits),
                            .bits = (unsigned)bits,
                            .word_bits = 32,
                            .group = group > 0 ? group : 0,
                            .scale_bits = 16,
                            .zero_bits = (unsigned)bits,
                            .column_bytes = 4};
    r->q->kinds = RIDGE_QUANT_IN_LAYERS; /* the layers of the text alone */
    if ((st = ridge_quant_keep(r, "gate")) || (st = ridge_quant_keep(r, "visual")) || (st = ridge_quant_keep(r, "vision_tower")) ||
        (st = ridge_quant_keep(r, "vision_model")) ||
        (st = ridge_quant_add_rules(r, RIDGE_QUANT_PART, r->root, "modules_to_not_convert", NULL)))
        return st;
    return ridge_quant_add_scheme(&r->q->scheme, r, s);
}

/* qweight [in, out / 8] of int32, qzeros [groups, out / 8], scales [groups, out] of fp16 */
ridge_status ridge_quant_read_awq(ridge_quant_reader *r)
{
    int64_t bits, group, old;
    ridge_status st;
    if ((st = ridge_quant_whole(&old, r, r->root, "w_bit", 4, 2, 8)) || (st = ridge_quant_whole(&bits, r, r->root, "bits", old, 2, 8)) ||
        (st = ridge_quant_whole(&old, r, r->root, "q_group_size", 128, -1, 1 << 30)) ||
        (st = ridge_quant_whole(&group, r, r->root, "group_size", old, -1, 1 << 30)))
        return st;
    const ridge_scheme s = {.name = ridge_quant_int_name(r, bits, group),
                            .format = ridge_quant_weight_only(bits),
                            .bits = (unsigned)bits,
                            .word_bits = 32,
                            .group = group > 0 ? group : 0,
                            .scale_bits = 16,
                            .zero_bits = (unsigned)bits};
    if ((st = ridge_quant_add_rules(r, RIDGE_QUANT_PART, r->root, "modules_to_not_convert", NULL)) || (st = ridge_quant_keep_head(r, NULL)))
        return st;
    return ridge_quant_add_scheme(&r->q->scheme, r, s);
}

/* ---- bitsandbytes ---- */

enum { BLOCK = 64, NESTED_BLOCK = 256, MAP_BYTES = 4 * 16, NESTED_MAP_BYTES = 4 * 256, STATE_BYTES = 80, NESTED_STATE_BYTES = 150 };

/* 4 bits: weight of uint8, absmax per 64, quant_map, quant_state (JSON of about so many bytes). 8 bits: weight of int8, SCB per row. */
ridge_status ridge_quant_read_bitsandbytes(ridge_quant_reader *r)
{
    const bool four = ridge_quant_is_true(r->root, "load_in_4bit") || ridge_quant_is_true(r->root, "_load_in_4bit"),
               twice = ridge_quant_is_true(r->root, "bnb_4bit_use_double_quant");
    ridge_scheme s = {.name = "int8",
                      .format = ridge_quant_format("int8"),
                      .activations = ridge_quant_format("int8"),
                      .bits = 8,
                      .scale_bits = 32,
                      .module_bytes = 1};
    if (four)
        s = (ridge_scheme){.name = ridge_quant_is_text(r->root, "bnb_4bit_quant_type", "nf4") ? "nf4" : "fp4",
                           .format = ridge_quant_format("nf4"),
                           .bits = 4,
                           .flat = true,
                           .group = BLOCK,
                           .scale_bits = twice ? 8 : 32,
                           .scale_of_scales = twice ? NESTED_BLOCK : 0,
                           .module_bytes = MAP_BYTES + (twice ? NESTED_MAP_BYTES + NESTED_STATE_BYTES : STATE_BYTES)};
    ridge_status st = ridge_quant_add_rules(r, RIDGE_QUANT_MODULE, r->root, "llm_int8_skip_modules", NULL);
    if (!st)
        st = ridge_quant_keep_head(r, "llm_int8_skip_modules");
    return st ? st : ridge_quant_add_scheme(&r->q->scheme, r, s);
}

/* ---- fp8 of DeepSeek and others ---- */

/* activations NULL: they stay as they are */
static ridge_scheme mxfp4_scheme(const ridge_format *activations)
{
    return (ridge_scheme){
        .name = "mxfp4", .format = ridge_quant_format("mxfp4"), .activations = activations, .bits = 4, .group = 32, .scale_bits = 8};
}

/* DeepSeek-V4: experts of 4 bits beside the rest of 8 */
static ridge_status add_fp4_experts(ridge_quant_reader *r)
{
    const ridge_scheme *scheme;
    if (!ridge_quant_is_text(r->config, "expert_dtype", "fp4"))
        return RIDGE_OK;
    ridge_status st = ridge_quant_add_scheme(&scheme, r, mxfp4_scheme(ridge_quant_format("fp8_e4m3")));
    return st ? st : ridge_quant_add_rule(r, RIDGE_QUANT_MODULE, r->root, RIDGE_STR("experts"), scheme);
}

ridge_status ridge_quant_read_fp8(ridge_quant_reader *r)
{
    int64_t block[2];
    ridge_status st = ridge_quant_block(block, r, r->root, "weight_block_size");
    const bool fixed = ridge_quant_is_text(r->root, "activation_scheme", "static"),
               e5m2 = ridge_quant_is_text(r->root, "fmt", "float8_e5m2") || ridge_quant_is_text(r->root, "fmt", "e5m2");
    const ridge_scheme s = {.name = e5m2 ? "fp8_e5m2" : "fp8_e4m3",
                            .format = ridge_quant_format(e5m2 ? "fp8_e5m2" : "fp8_e4m3"),
                            .activations = ridge_quant_format("fp8_e4m3"),
                            .bits = 8,
                            .group = block[1],
                            .block_rows = block[0] ? block[0] : -1,
                            .scale_bits = 32,
                            .module_bytes = fixed ? 4 : 0};
    if (st || (st = ridge_quant_read_layers(r)) || (st = add_fp4_experts(r)) ||
        (st = ridge_quant_add_rules(r, RIDGE_QUANT_PART, r->root, "modules_to_not_convert", NULL)) ||
        (st = ridge_quant_add_rules(r, RIDGE_QUANT_PART, r->root, "ignored_layers", NULL)) ||
        (st = ridge_quant_keep_head(r, "modules_to_not_convert")))
        return st;
    return ridge_quant_add_scheme(&r->q->scheme, r, s);
}

/* ---- mxfp4 of gpt-oss: the experts alone; blocks of 16 bytes and a scale of 8 bits per 32 ---- */

ridge_status ridge_quant_read_mxfp4(ridge_quant_reader *r)
{
    r->q->kinds = RIDGE_QUANT_EXPERTS_ONLY;
    ridge_status st = ridge_quant_add_rules(r, RIDGE_QUANT_REGEX, r->root, "modules_to_not_convert", NULL);
    return st ? st : ridge_quant_add_scheme(&r->q->scheme, r, mxfp4_scheme(NULL));
}

/* ---- Quark ---- */

static ridge_status quark_scheme(const ridge_scheme **out, ridge_quant_reader *r, const ridge_json *config)
{
    const ridge_json *w = ridge_json_get(config, "weight"), *input;
    const ridge_json *list = w && w->type == RIDGE_JSON_ARRAY && w->count ? &w->u.items[0] : w;
    const ridge_str dtype = ridge_quant_text(list, "dtype"), how = ridge_quant_text(list, "qscheme");
    int64_t group;
    *out = NULL;
    ridge_status st = ridge_quant_whole(&group, r, list, "group_size", 0, -1, 1 << 20);
    if (st || !list || list->type != RIDGE_JSON_OBJECT)
        return st;
    input = ridge_json_get(config, "input_tensors");
    const bool activations = input && (input->type == RIDGE_JSON_OBJECT || input->type == RIDGE_JSON_ARRAY);
    const bool fp8 = ridge_str_is(dtype, "fp8_e4m3") || ridge_str_is(dtype, "fp8_e5m2"), fp4 = ridge_str_is(dtype, "fp4");
    const bool four = ridge_str_is(dtype, "int4") || ridge_str_is(dtype, "uint4"), eight = ridge_str_is(dtype, "int8");
    if (!fp8 && !fp4 && !four && !eight)
        return ridge_quant_fail(r, list, "a dtype of Quark that is not known");
    const char *name = fp8 ? "fp8_e4m3" : fp4 ? "mxfp4" : four ? "int4_g128" : "int8";
    const ridge_scheme s = {.name = four ? ridge_quant_int_name(r, 4, group) : name,
                            .format = ridge_quant_format(name),
                            .activations = activations ? ridge_quant_format(fp8   ? "fp8_e4m3"
                                                                            : fp4 ? "mxfp4"
                                                                                  : "int8")
                                                       : NULL,
                            .bits = fp8 || eight ? 8 : 4,
                            .word_bits = four ? 32 : 0,
                            .group = fp4 && group <= 0 ? 32
                                     : group > 0       ? group
                                                       : 0,
                            .block_rows = ridge_str_is(how, "per_tensor") ? -1 : 0,
                            .scale_bits = fp4    ? 8
                                          : four ? 16
                                                 : 32,
                            .module_bytes = activations && ridge_str_is(how, "per_tensor") ? 4 : 0};
    return ridge_quant_add_scheme(out, r, s);
}

ridge_status ridge_quant_read_quark(ridge_quant_reader *r)
{
    const ridge_json *layers = ridge_quant_object(r->root, "layer_quant_config"), *all = ridge_quant_object(r->root, "global_quant_config");
    ridge_status st = ridge_quant_add_ignored(r, "exclude");
    for (uint32_t i = 0; layers && i < layers->count && !st; i++) {
        const ridge_json_member *m = &layers->u.members[i];
        const ridge_scheme *scheme;
        if (!(st = quark_scheme(&scheme, r, &m->value)))
            st = ridge_quant_add_rule(r, RIDGE_QUANT_GLOB, &m->value, m->key, scheme);
    }
    return st || !all ? st : quark_scheme(&r->q->scheme, r, all);
}

/* ---- torchao ---- */

ridge_status ridge_quant_read_torchao(ridge_quant_reader *r)
{
    static const struct type {
        const char *class, *word, *format, *activations;
        unsigned bits, scale_bits, zero_bits;
        int64_t group;
    } types[] = {
        {"Int4WeightOnlyConfig", "int4_weight_only", "int4_g128", NULL, 4, 16, 16, 128},
        {"Int8WeightOnlyConfig", "int8_weight_only", "int8", NULL, 8, 16, 0, 0},
        {"Int8DynamicActivationInt8WeightConfig", "int8_dynamic_activation_int8_weight", "int8", "int8", 8, 16, 0, 0},
        {"Float8WeightOnlyConfig", "float8_weight_only", "fp8_e4m3", NULL, 8, 32, 0, 0},
        {"Float8DynamicActivationFloat8WeightConfig", "float8_dynamic_activation_float8_weight", "fp8_e4m3", "fp8_e4m3", 8, 32, 0, 0},
    };
    const ridge_json *type = ridge_json_get(r->root, "quant_type"), *chosen = ridge_quant_object(type, "default");
    const ridge_json *data = chosen ? ridge_quant_object(chosen, "_data") : ridge_quant_object(r->root, "quant_type_kwargs");
    const ridge_str name = chosen ? ridge_quant_text(chosen, "_type") : ridge_quant_text(r->root, "quant_type");
    int64_t group;
    ridge_status st = ridge_quant_add_rules(r, RIDGE_QUANT_MODULE, r->root, "modules_to_not_convert", NULL);
    if (!st && !(st = ridge_quant_keep_head(r, "modules_to_not_convert")))
        st = ridge_quant_whole(&group, r, data, "group_size", 0, 0, 1 << 20);
    for (size_t i = 0; i < sizeof types / sizeof *types && !st; i++) {
        const struct type *t = &types[i];
        if (!ridge_str_is(name, t->class) && !ridge_str_is(name, t->word))
            continue;
        const int64_t of = t->group && group > 0 ? group : t->group;
        const ridge_scheme s = {.name = t->bits == 4 ? ridge_quant_int_name(r, 4, of) : t->format,
                                .format = ridge_quant_format(t->format),
                                .activations = t->activations ? ridge_quant_format(t->activations) : NULL,
                                .bits = t->bits,
                                .group = of,
                                .scale_bits = t->scale_bits + t->zero_bits}; /* scale and zero of a group lie together */
        return ridge_quant_add_scheme(&r->q->scheme, r, s);
    }
    if (!st)
        r->q->known = false;
    return st;
}

/* ---- MLX ---- */

/* uint32 [out, in * bits / 32], scales and biases [out, groups] of 16 bits; matrices and embeddings */
static ridge_status mlx_scheme(const ridge_scheme **out, ridge_quant_reader *r, const ridge_json *config, const ridge_json *otherwise)
{
    int64_t bits, group, usual_bits, usual_group;
    ridge_status st;
    const ridge_str own = ridge_quant_text(config, "mode"), mode = own.n ? own : ridge_quant_text(otherwise, "mode");
    if ((st = ridge_quant_whole(&usual_bits, r, otherwise, "bits", 4, 2, 8)) ||
        (st = ridge_quant_whole(&usual_group, r, otherwise, "group_size", 64, 16, 1 << 20)) ||
        (st = ridge_quant_whole(&bits, r, config, "bits", usual_bits, 2, 8)) ||
        (st = ridge_quant_whole(&group, r, config, "group_size", usual_group, 16, 1 << 20)))
        return st;
    const bool affine = !mode.n || ridge_str_is(mode, "affine");
    const char *name = ridge_str_is(mode, "mxfp4") ? "mxfp4" : ridge_str_is(mode, "nvfp4") ? "nvfp4" : "mxfp8";
    const ridge_scheme s = {.name = affine ? ridge_quant_int_name(r, bits, group) : name,
                            .format = affine ? ridge_quant_weight_only(bits) : ridge_quant_format(name),
                            .bits = (unsigned)bits,
                            .word_bits = 32,
                            .group = group,
                            .scale_bits = affine ? 32 : 8}; /* scale and bias */
    return ridge_quant_add_scheme(out, r, s);
}

ridge_status ridge_quant_read_mlx(ridge_quant_reader *r)
{
    ridge_status st = RIDGE_OK;
    r->q->kinds = RIDGE_QUANT_EMBEDDINGS;
    for (uint32_t i = 0; i < r->root->count && !st; i++) {
        const ridge_json_member *m = &r->root->u.members[i];
        const ridge_scheme *scheme = NULL;
        if (m->value.type == RIDGE_JSON_OBJECT && (st = mlx_scheme(&scheme, r, &m->value, r->root)))
            return st;
        if (m->value.type == RIDGE_JSON_OBJECT || m->value.type == RIDGE_JSON_FALSE)
            st = ridge_quant_add_rule(r, RIDGE_QUANT_EXACT, &m->value, m->key, scheme);
    }
    return st ? st : mlx_scheme(&r->q->scheme, r, r->root, r->root);
}
