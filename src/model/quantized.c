/* Weights as a config's quantization_config has them: schemes given to the weights of the model, each with its exact bytes. */
#include "graph/stored.h"
#include "model/analysis.h"

static ridge_status add_names(ridge_analysis *a, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < a->quant->scheme_count && !st; i++)
        if (!ridge_words_find(&a->stored.names, a->quant->schemes[i]->name))
            st = ridge_words_add(&a->stored.names, a->quant->schemes[i]->name, &a->arena, err);
    return st || ridge_words_find(&a->stored.names, a->dtype->name) ? st
                                                                    : ridge_words_add(&a->stored.names, a->dtype->name, &a->arena, err);
}

/* Groups of 5 to 7 bits have no format of their own in the table: kernels multiply them as the nearest one, whose name then is told. */
static ridge_status tell_nearest(ridge_analysis *a, ridge_err *err)
{
    for (size_t i = 0; i < a->quant->scheme_count; i++) {
        const ridge_scheme *s = a->quant->schemes[i];
        if (s->bits > 4 && s->bits < 8 && !s->activations)
            return ridge_analysis_warn(a, err,
                                       "weights of %s count with their own bytes; where one format is named for all of them, %s stands for "
                                       "it, which kernels multiply alike",
                                       s->name, s->format->name);
    }
    return RIDGE_OK;
}

/* What is not quantised, where the config does not say: the format that the method's own programs take. */
static void assume_dtype(ridge_analysis *a)
{
    static const char *const half[] = {"gptq", "awq", "bitsandbytes", "compressed-tensors"};
    const char *name = "bf16";
    for (size_t i = 0; i < sizeof half / sizeof *half; i++)
        if (strcmp(a->quant->method, half[i]) == 0)
            name = "fp16";
    if (a->dtype_assumed)
        a->dtype = ridge_format_find(ridge_str_of(name));
}

ridge_status ridge_analysis_read_quant(ridge_analysis *a, const ridge_model_request *r, ridge_err *err)
{
    ridge_status st = ridge_quant_read(&a->quant, a->file.json, a->file.path, &a->arena, err);
    ridge_quant *q = a->quant;
    if (st || !q)
        return st;
    if (q->known && q->scheme_count) {
        assume_dtype(a);
        if (!r->weights && !r->dtype)
            return (st = add_names(a, err)) ? st : tell_nearest(a, err);
    }
    a->quant = NULL;
    ridge_quant_free(q);
    if (q->known || r->weights || r->dtype)
        return RIDGE_OK;
    return ridge_analysis_warn(a, err, "the config says that its weights are quantised by %s, which is not read: they are counted in %s",
                               q->method, a->dtype->name);
}

/* the matrix of a weight: of Linear [out, in], of Conv1D [in, out], of experts in one tensor [experts, out, in] */
static bool matrix_bytes(ridge_int *bytes, const ridge_scheme *scheme, const ridge_node *module, const ridge_node_tensor *w)
{
    if (w->rank == 3)
        return ridge_scheme_bytes(bytes, scheme, w->dims[0], w->dims[1], w->dims[2]);
    const bool turned = module->class_name && ridge_str_ends(ridge_str_of(module->class_name), RIDGE_STR(".Conv1D"));
    return ridge_scheme_bytes(bytes, scheme, 1, w->dims[turned], w->dims[!turned]);
}

static ridge_status of_quant(ridge_stored *out, void *data, ridge_str path, const ridge_node *module, const ridge_node_tensor *w,
                             ridge_err *err)
{
    const ridge_analysis *a = data;
    const size_t name = strlen(w->name->text);
    const ridge_quant_module m = {{path.p, path.n > name ? path.n - name - 1 : 0}, module->class_name, w->rank};
    const ridge_scheme *scheme = w->rank > 1 && !w->shape.type ? ridge_quant_scheme(a->quant, &m) : NULL;
    *out = (ridge_stored){a->dtype, 0, NULL};
    if (!scheme)
        return RIDGE_OK;
    *out = (ridge_stored){scheme->format, 0, scheme->activations};
    return matrix_bytes(&out->bytes, scheme, module, w) ? RIDGE_OK : ridge_overflow(err, "a quantised weight");
}

typedef struct mix_use {
    const ridge_analysis *a;
    bool *used; /* [rule]: it means a weight, and none before it does */
} mix_use;

/* the first rule that means the weight; the rest stays in the config's format */
static ridge_status of_mix(ridge_stored *out, void *data, ridge_str path, const ridge_node *module, const ridge_node_tensor *w,
                           ridge_err *err)
{
    const mix_use *use = data;
    const ridge_format *mix = use->a->mix;
    (void)module;
    (void)w;
    (void)err;
    *out = (ridge_stored){use->a->dtype, 0, NULL};
    for (size_t i = 0; i < mix->rule_count; i++)
        if (ridge_format_rule_matches(&mix->rules[i], path)) {
            out->format = mix->rules[i].format;
            use->used[i] = true;
            break;
        }
    return RIDGE_OK;
}

ridge_status ridge_analysis_read_mix(ridge_analysis *a, const ridge_format *mix, ridge_err *err)
{
    bool rest = true;
    ridge_status st = RIDGE_OK;
    a->mix = mix;
    for (size_t i = 0; i < mix->rule_count && !st; i++) {
        rest = rest && !ridge_str_is(mix->rules[i].pattern, "*");
        if (!ridge_words_find(&a->stored.names, mix->rules[i].format->name))
            st = ridge_words_add(&a->stored.names, mix->rules[i].format->name, &a->arena, err);
    }
    if (st || !rest || ridge_words_find(&a->stored.names, a->dtype->name))
        return st;
    return ridge_words_add(&a->stored.names, a->dtype->name, &a->arena, err);
}

/* a pattern that means nothing may be misspelt */
static ridge_status store_mix(ridge_analysis *a, ridge_err *err)
{
    mix_use use = {a, ridge_arena_array(&a->arena, a->mix->rule_count, sizeof *use.used)};
    const ridge_storing storing = {of_mix, &use, true};
    if (!use.used)
        return ridge_no_memory(err);
    ridge_status st = ridge_graph_store(&a->root, &a->graph, &storing);
    for (size_t i = 0; i < a->mix->rule_count && !st; i++) {
        const ridge_str pattern = a->mix->rules[i].pattern;
        if (!use.used[i] && !ridge_str_is(pattern, "*"))
            st = ridge_analysis_warn(a, err, RIDGE_OPT("weights") ": no weight of the model is '%.*s', or a pattern before it means them",
                                     RIDGE_STR_ARG(pattern));
    }
    return st;
}

ridge_status ridge_analysis_quantize(ridge_analysis *a, ridge_err *err)
{
    const ridge_storing storing = {of_quant, a, false}; /* a config says by its own path what is quantised, a tied head too */
    return a->mix ? store_mix(a, err) : ridge_graph_store(&a->root, &a->graph, &storing);
}
