/* The sizes of a layer: from options, from a model's config, from each other (plan.h). */
#include <string.h>

#include "profile/plan.h"

/* one of the names that configs use for a size; 0: none of them, or null */
static int64_t config_size(ridge_analysis *a, const char *const *names)
{
    for (; *names != NULL; names++) {
        ridge_int i;
        for (size_t f = 0; f < a->config->count; f++) {
            const ridge_field *field = &a->config->fields[f];
            if (strcmp(field->name->text, *names) == 0 && ridge_value_as_int(&i, field->value) && i > 0 && i < INT64_MAX)
                return (int64_t)i;
        }
    }
    return 0;
}

static const char *const hidden_names[] = {"hidden_size", "n_embd", "d_model", "dim", NULL};
static const char *const head_names[] = {"num_attention_heads", "n_head", "n_heads", NULL};
static const char *const kv_head_names[] = {"num_key_value_heads", "num_kv_heads", NULL};
static const char *const head_dim_names[] = {"head_dim", NULL};
static const char *const intermediate_names[] = {"intermediate_size", "n_inner", "ffn_dim", "hidden_dim", NULL};

static void take(int64_t *size, ridge_analysis *a, const char *const *names)
{
    if (*size == 0)
        *size = config_size(a, names);
}

static void take_config(ridge_profile_shape *s, ridge_analysis *a)
{
    const char *arch = a->architecture;
    take(&s->hidden, a, hidden_names);
    take(&s->heads, a, head_names);
    take(&s->kv_heads, a, kv_head_names);
    take(&s->head_dim, a, head_dim_names);
    take(&s->intermediate, a, intermediate_names);
    if (strncmp(arch, "Rwkv", 4) == 0)
        s->rwkv = true;
    if (strncmp(arch, "GPT2", 4) == 0 || strncmp(arch, "OPT", 3) == 0 || strncmp(arch, "Bert", 4) == 0 || strncmp(arch, "Bloom", 5) == 0) {
        s->layernorm = s->plain_mlp = true;
        s->rope = false;
    }
}

static ridge_status from_model(ridge_profile *p, ridge_registry *registry, ridge_err *err)
{
    ridge_model_request request;
    ridge_analysis *a = NULL;
    ridge_model_request_default(&request);
    request.model = p->request->model;
    ridge_status st = ridge_analysis_exact(&a, registry, &request, RIDGE_ROWS_NONE, err);
    if (!st)
        take_config(&p->shape, a);
    ridge_analysis_free(a);
    return st;
}

static ridge_status missing(const ridge_profile *p, const char *option, ridge_err *err)
{
    const char *what = ridge_profile_names[p->request->what];
    if (p->request->model)
        return ridge_fail(err, RIDGE_USAGE, "profile %s: the config of %s does not say what --%s is: give it", what, p->request->model,
                          option);
    return ridge_fail(err, RIDGE_USAGE, "profile %s needs a MODEL, or --%s", what, option);
}

static ridge_status check_heads(ridge_profile *p, ridge_err *err)
{
    ridge_profile_shape *s = &p->shape;
    if (s->heads == 0)
        return missing(p, "heads", err);
    if (s->head_dim == 0 && s->hidden % s->heads != 0)
        return ridge_fail(err, RIDGE_USAGE, "--hidden %lld is not a multiple of --heads %lld: give --head-dim", (long long)s->hidden,
                          (long long)s->heads);
    s->head_dim = s->head_dim > 0 ? s->head_dim : s->hidden / s->heads;
    s->kv_heads = s->kv_heads > 0 ? s->kv_heads : s->heads;
    if (s->heads % s->kv_heads != 0)
        return ridge_fail(err, RIDGE_USAGE, "--heads %lld is not a multiple of --kv-heads %lld", (long long)s->heads,
                          (long long)s->kv_heads);
    if (s->rope && s->head_dim % 2 != 0)
        return ridge_fail(err, RIDGE_USAGE, "--head-dim %lld is odd: rotary positions turn pairs", (long long)s->head_dim);
    return RIDGE_OK;
}

ridge_status ridge_profile_complete_shape(ridge_profile *p, ridge_registry *registry, ridge_err *err)
{
    ridge_profile_shape *s = &p->shape;
    ridge_status st = RIDGE_OK;
    if (p->request->model && (st = from_model(p, registry, err)))
        return st;
    if (s->hidden == 0)
        return missing(p, "hidden", err);
    if (!s->rwkv && (st = check_heads(p, err)))
        return st;
    if (p->request->what == RIDGE_PROFILE_LAYER && s->intermediate == 0) {
        if (s->plain_mlp || s->rwkv) /* GPT-2, RWKV-4: four times */
            s->intermediate = 4 * s->hidden;
        else
            return missing(p, "intermediate", err);
    }
    const int64_t most = (int64_t)1 << 24;
    if (s->hidden > most || s->heads > most || s->head_dim > most || s->intermediate > most || p->batch > most || p->seq > most ||
        p->past > (int64_t)1 << 32)
        return ridge_fail(err, RIDGE_VALUE, "a size is above %lld", (long long)most);
    return RIDGE_OK;
}
