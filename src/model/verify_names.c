#include "model/verify_names.h"

bool ridge_name_make(ridge_name *out, ridge_str before, ridge_str middle, ridge_str after)
{
    const ridge_str all[] = {before, middle, after};
    out->n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].n >= RIDGE_NAME_MOST - out->n)
            return false;
        if (all[i].n)
            memcpy(out->text + out->n, all[i].p, all[i].n);
        out->n += all[i].n;
    }
    return true;
}

/* ---- renamed ---- */

/* Beginnings that transformers renames as it loads (_checkpoint_conversion_mapping): models of several parts were nested otherwise before
 * 4.52. A rename counts where the new name is the model's, so the lists of all models stand here together. */
static const struct {
    const char *stored, *model;
} beginnings[] = {
    {"language_model.model.", "model.language_model."}, /* llava, gemma3, mistral3, fuyu, internvl, ... */
    {"language_model.lm_head.", "lm_head."},
    {"vision_tower.", "model.vision_tower."},
    {"vision_model.", "model.vision_model."},
    {"vision_embed_tokens.", "model.vision_embed_tokens."},
    {"multi_modal_projector.", "model.multi_modal_projector."},
    {"image_newline", "model.image_newline"},
    {"visual.", "model.visual."}, /* qwen2_vl, qwen2_5_vl */
    {"model.", "model.language_model."},
    {"model.language_model.", "model."},        /* a text model out of a larger one: qwen3_5, gemma3_text */
    {"text_model.model.", "model.text_model."}, /* emu3 */
    {"text_model.lm_head.", "lm_head."},
    {"vqmodel.", "model.vqmodel."},
    {"model.vision_tower.", "vision_tower."},
    {"language_model.model.", "language_model."}, /* the same models without their head */
    {"model.", "language_model."},
};

/* modeling_utils.py, _fix_state_dict_key_on_load; torch.nn.utils.parametrizations.weight_norm, both ways */
static const struct {
    const char *stored, *model, *why;
} endings[] = {
    {"LayerNorm.gamma", "LayerNorm.weight", "named gamma before transformers 1.0"},
    {"LayerNorm.beta", "LayerNorm.bias", "named beta before transformers 1.0"},
    {".weight_g", ".parametrizations.weight.original0", "weight_norm, as it was before parametrizations"},
    {".weight_v", ".parametrizations.weight.original1", "weight_norm, as it was before parametrizations"},
    {".parametrizations.weight.original0", ".weight_g", "weight_norm as a parametrization"},
    {".parametrizations.weight.original1", ".weight_v", "weight_norm as a parametrization"},
};

typedef struct list {
    ridge_name *names;
    const char **whys;
    size_t n;
} list;

static void add(list *l, ridge_str before, ridge_str middle, ridge_str after, const char *why)
{
    if (l->n < RIDGE_NAMES_MOST && ridge_name_make(&l->names[l->n], before, middle, after))
        l->whys[l->n++] = why;
}

static ridge_str behind(ridge_str text, size_t n)
{
    return (ridge_str){text.p + n, text.n - n};
}

static void add_prefixed(list *l, ridge_str stored, ridge_name_prefix prefix)
{
    if (prefix.added)
        add(l, prefix.text, stored, (ridge_str){"", 0}, "a prefix of the model that the file does not have");
    else if (prefix.text.n && ridge_str_starts(stored, prefix.text))
        add(l, behind(stored, prefix.text.n), (ridge_str){"", 0}, (ridge_str){"", 0}, "a prefix of the file that the model does not have");
}

static void add_beginnings(list *l, ridge_str stored)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const ridge_str old = ridge_str_of(beginnings[i].stored);
        if (ridge_str_starts(stored, old))
            add(l, ridge_str_of(beginnings[i].model), behind(stored, old.n), (ridge_str){"", 0}, "renamed as transformers renames it");
    }
}

size_t ridge_names_of(ridge_name names[RIDGE_NAMES_MOST], const char *whys[RIDGE_NAMES_MOST], ridge_str stored, ridge_name_prefix prefix)
{
    list l = {names, whys, 0};
    add(&l, stored, (ridge_str){"", 0}, (ridge_str){"", 0}, NULL);
    add_prefixed(&l, stored, prefix);
    add_beginnings(&l, stored);
    for (size_t i = 0, n = l.n; i < n; i++)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            const ridge_str name = ridge_name_str(&names[i]), old = ridge_str_of(endings[k].stored);
            if (ridge_str_ends(name, old))
                add(&l, (ridge_str){name.p, name.n - old.n}, ridge_str_of(endings[k].model), (ridge_str){"", 0}, endings[k].why);
        }
    return l.n;
}

/* ---- joined and split ---- */

#define EXPERTS "the experts of a mixture, stacked in one tensor"
#define QKV     "query, key and value in one tensor"
#define GATE_UP "gate and up projection in one tensor"

const ridge_name_fusion ridge_name_fusions[] = {
    {"experts.gate_up_proj", {"experts.*.gate_proj.weight", "experts.*.up_proj.weight"}, EXPERTS},
    {"experts.gate_up_proj", {"experts.*.w1.weight", "experts.*.w3.weight"}, EXPERTS},
    {"experts.gate_up_proj", {"switch_mlp.gate_proj.weight", "switch_mlp.up_proj.weight"}, EXPERTS}, /* MLX */
    {"experts.down_proj", {"experts.*.down_proj.weight"}, EXPERTS},
    {"experts.down_proj", {"experts.*.w2.weight"}, EXPERTS},
    {"experts.down_proj", {"switch_mlp.down_proj.weight"}, EXPERTS},
    {"switch_mlp.gate_proj.weight", {"experts.*.gate_proj.weight"}, EXPERTS},
    {"switch_mlp.up_proj.weight", {"experts.*.up_proj.weight"}, EXPERTS},
    {"switch_mlp.down_proj.weight", {"experts.*.down_proj.weight"}, EXPERTS},
    {"qkv_proj.weight", {"q_proj.weight", "k_proj.weight", "v_proj.weight"}, QKV},
    {"qkv_proj.bias", {"q_proj.bias", "k_proj.bias", "v_proj.bias"}, QKV},
    {"in_proj_weight", {"q_proj.weight", "k_proj.weight", "v_proj.weight"}, QKV},
    {"in_proj_bias", {"q_proj.bias", "k_proj.bias", "v_proj.bias"}, QKV},
    {"qkv.weight", {"q.weight", "k.weight", "v.weight"}, QKV},
    {"qkv.bias", {"q.bias", "k.bias", "v.bias"}, QKV},
    {"query_key_value.weight", {"query.weight", "key.weight", "value.weight"}, QKV},
    {"query_key_value.bias", {"query.bias", "key.bias", "value.bias"}, QKV},
    {"to_qkv.weight", {"to_q.weight", "to_k.weight", "to_v.weight"}, QKV},
    {"to_qkv.bias", {"to_q.bias", "to_k.bias", "to_v.bias"}, QKV},
    {"gate_up_proj.weight", {"gate_proj.weight", "up_proj.weight"}, GATE_UP},
    {"kv_b_proj.weight", {"embed_q.weight", "unembed_out.weight"}, "the two halves of kv_b_proj, which MLX keeps apart"},
    {NULL, {NULL}, NULL},
};

/* the last part of a name; *rest: what is before its dot, *more: there was one */
static ridge_str last_part(ridge_str *rest, bool *more)
{
    size_t n = rest->n;
    while (n > 0 && rest->p[n - 1] != '.')
        n--;
    const ridge_str part = {rest->p + n, rest->n - n};
    *more = n > 0;
    rest->n = n > 0 ? n - 1 : 0;
    return part;
}

bool ridge_name_ends_in(ridge_str *before, ridge_str name, const char *pattern)
{
    ridge_str wanted = ridge_str_of(pattern), rest = name;
    bool more_wanted = true, more = true;
    while (more_wanted && more) {
        const ridge_str want = last_part(&wanted, &more_wanted), part = last_part(&rest, &more);
        if (!(ridge_str_is(want, "*") ? ridge_str_is_digits(part) : ridge_str_eq(want, part)))
            return false;
    }
    *before = (ridge_str){name.p, more ? rest.n + 1 : 0}; /* with its dot */
    return !more_wanted;
}

/* ---- quantised ---- */

#define GPTQ       "GPTQ or AWQ"
#define FP8        "a scale of fp8"
#define NVFP4      "a scale of nvfp4"
#define COMPRESSED "compressed-tensors"
#define BNB        "bitsandbytes"
#define MLX        "MLX: a scale or bias of a group"
#define MXFP4      "mxfp4"

const ridge_name_quantised ridge_name_quantised_list[] = {
    {".qweight", ".weight", true, GPTQ},
    {".qzeros", ".weight", false, GPTQ},
    {".scales", ".weight", false, "GPTQ, AWQ or MLX"},
    {".g_idx", ".weight", false, GPTQ},
    {".biases", ".weight", false, MLX},
    {".weight_packed", ".weight", true, COMPRESSED},
    {".weight_shape", ".weight", false, COMPRESSED},
    {".weight_g_idx", ".weight", false, COMPRESSED},
    {".weight_zero_point", ".weight", false, COMPRESSED},
    {".weight_global_scale", ".weight", false, COMPRESSED},
    {".input_global_scale", ".weight", false, COMPRESSED},
    {".weight_scale_inv", ".weight", false, FP8},
    {".weight_scale_2", ".weight", false, NVFP4},
    {".weight_scale", ".weight", false, "a scale of fp8, int8 or nvfp4"},
    {".input_scale", ".weight", false, "a scale of what goes in"},
    {".output_scale", ".weight", false, "a scale of what comes out"},
    {".k_scale", ".weight", false, "a scale of the KV cache"},
    {".v_scale", ".weight", false, "a scale of the KV cache"},
    {".SCB", ".weight", false, BNB},
    {".weight_format", ".weight", false, BNB},
    {".weight.absmax", ".weight", false, BNB},
    {".weight.quant_map", ".weight", false, BNB},
    {".weight.nested_absmax", ".weight", false, BNB},
    {".weight.nested_quant_map", ".weight", false, BNB},
    {".weight.quant_state.bitsandbytes__nf4", ".weight", false, BNB},
    {".weight.quant_state.bitsandbytes__fp4", ".weight", false, BNB},
    {"_blocks", "", true, MXFP4},
    {"_scales", "", false, MXFP4},
    {"_scale_inv", "", false, FP8}, /* of stacked experts: gate_up_proj_scale_inv */
    {NULL, NULL, false, NULL},
};

/* ---- left out ---- */

/* what transformers' models name in _keys_to_ignore_on_load_unexpected, or registered as buffers once */
static const struct {
    const char *pattern, *why;
} ignored[] = {
    {"rotary_emb.inv_freq", "a buffer of rotary positions, which is computed"},
    {"rotary_pos_emb.inv_freq", "a buffer of rotary positions, which is computed"},
    {"attn.bias", "the causal mask, which is computed"},
    {"attention.bias", "the causal mask, which is computed"},
    {"attn.masked_bias", "a buffer of the causal mask"},
    {"attention.masked_bias", "a buffer of the causal mask"},
    {"embeddings.position_ids", "a buffer of position numbers"},
    {"embed_positions.weights", "sinusoids, which are computed"},
    {"num_batches_tracked", "a counter of batch normalisation"},
};

const char *ridge_name_ignored(ridge_str stored)
{
    ridge_str before;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (ridge_name_ends_in(&before, stored, ignored[i].pattern))
            return ignored[i].why;
    return NULL;
}
