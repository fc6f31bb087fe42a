/* The sizes of a layer: from options, from each other (plan.h). */
#include "profile/plan.h"

#define OF                       ridge_profile_shape
#define SIZE(member, name, help) RIDGE_INT(OF, member, name, 0, "N", 1, (int64_t)1 << 24, help)
const ridge_option ridge_options_profile_sizes[] = {
    SIZE(hidden, "hidden", "length of the residual stream"),
    SIZE(heads, "heads", "query heads"),
    SIZE(kv_heads, "kv-heads", "key and value heads (default: heads)"),
    SIZE(head_dim, "head-dim", "length of a head (default: hidden / heads)"),
    RIDGE_FLAG(OF, rwkv, "rwkv", 0, "RWKV-4: linear attention, wkv, no heads"),
    SIZE(intermediate, "intermediate", "length inside the MLP"),
    RIDGE_FLAG(OF, layernorm, "layernorm", 0, "LayerNorm instead of RMSNorm"),
    RIDGE_FLAG(OF, plain_mlp, "plain-mlp", 0, "up, GELU, down instead of a gated MLP with SiLU"),
    RIDGE_OPTION_END,
};
const char *const ridge_profile_attention_sizes[] = {"hidden", "heads", "kv-heads", "head-dim", "rwkv", NULL};

/* the option that was given; NULL: none */
static const char *given(const ridge_profile_shape *s)
{
    for (const ridge_option *o = ridge_options_profile_sizes; o->name; o++) {
        const char *at = (const char *)s + o->offset;
        if (o->kind == RIDGE_OPTION_FLAG ? *(const bool *)at : *(const int64_t *)at > 0)
            return o->name;
    }
    return NULL;
}

static ridge_status missing(const ridge_profile *p, const char *option, ridge_err *err)
{
    return ridge_fail(err, RIDGE_USAGE, "profile %s needs a MODEL, or " RIDGE_OPT("%s"), ridge_profile_names[p->request.what], option);
}

static ridge_status check_heads(ridge_profile *p, ridge_err *err)
{
    ridge_profile_shape *s = &p->request.shape;
    if (s->heads < 1)
        return missing(p, "heads", err);
    if (s->head_dim < 1 && s->hidden % s->heads != 0)
        return ridge_fail(err, RIDGE_USAGE,
                          RIDGE_OPT("hidden") " %lld is not a multiple of " RIDGE_OPT("heads") " %lld: give " RIDGE_OPT("head-dim"),
                          (long long)s->hidden, (long long)s->heads);
    s->head_dim = s->head_dim > 0 ? s->head_dim : s->hidden / s->heads;
    s->kv_heads = s->kv_heads > 0 ? s->kv_heads : s->heads;
    if (s->heads % s->kv_heads != 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("heads") " %lld is not a multiple of " RIDGE_OPT("kv-heads") " %lld",
                          (long long)s->heads, (long long)s->kv_heads);
    if (p->request.what == RIDGE_PROFILE_LAYER && s->head_dim % 2 != 0)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("head-dim") " %lld is odd: rotary positions turn pairs", (long long)s->head_dim);
    return RIDGE_OK;
}

/* GPT-2, RWKV-4: four times */
static ridge_status complete_mlp(ridge_profile *p, ridge_err *err)
{
    ridge_profile_shape *s = &p->request.shape;
    if (s->intermediate < 1 && !s->plain_mlp && !s->rwkv)
        return missing(p, "intermediate", err);
    s->intermediate = s->intermediate > 0 ? s->intermediate : 4 * s->hidden;
    return RIDGE_OK;
}

ridge_status ridge_profile_complete_shape(ridge_profile *p, ridge_err *err)
{
    const ridge_profile_request *q = &p->request;
    const ridge_profile_shape *s = &q->shape;
    const int64_t most = (int64_t)1 << 24;
    ridge_status st = RIDGE_OK;
    if (s->hidden < 1)
        return missing(p, "hidden", err);
    if ((!s->rwkv && (st = check_heads(p, err))) || (q->what == RIDGE_PROFILE_LAYER && (st = complete_mlp(p, err))))
        return st;
    if (s->hidden > most || s->heads > most || s->head_dim > most || s->intermediate > most || q->batch > most || q->seq > most ||
        q->past > (int64_t)1 << 32)
        return ridge_fail(err, RIDGE_VALUE, "a size is above %lld", (long long)most);
    return RIDGE_OK;
}

ridge_status ridge_profile_check_sizes(const ridge_profile_request *q, ridge_err *err)
{
    const char *option = q->model && q->what != RIDGE_PROFILE_ATTENTION ? given(&q->shape) : NULL;
    if (option)
        return ridge_fail(err, RIDGE_USAGE, "the layers of %s have sizes of their own: leave " RIDGE_OPT("%s") " out", q->model, option);
    return RIDGE_OK;
}
