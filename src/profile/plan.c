/* What is run for attention and for a layer of given sizes (plan.h). */
#include "profile/plan.h"

#include <string.h>

ridge_status ridge_profile_add_component(ridge_profile_plan *plan, const char *name, ridge_profile_role role, ridge_int count)
{
    ridge_profile *p = plan->profile;
    p->components =
        ridge_arena_grow(plan->arena, p->components, p->component_count, &p->component_cap, p->component_count + 1, sizeof *p->components);
    if (!p->components)
        return ridge_no_memory(plan->err);
    p->components[p->component_count++] = (ridge_profile_component){.name = name,
                                                                    .role = role,
                                                                    .count = count,
                                                                    .predicted_s = RIDGE_MEASURE_UNKNOWN,
                                                                    .error = RIDGE_MEASURE_UNKNOWN,
                                                                    .bound = RIDGE_SIDE_UNKNOWN,
                                                                    .percent_of_ceiling = RIDGE_MEASURE_UNKNOWN};
    return RIDGE_OK;
}

ridge_status ridge_profile_add_step(ridge_profile_plan *plan, const char *name, const ridge_problem *problem, unsigned repeat,
                                    ridge_int times)
{
    if (!ridge_arena_more(plan->arena, &plan->steps, plan->count, &plan->cap, sizeof *plan->steps))
        return ridge_no_memory(plan->err);
    plan->steps[plan->count++] = (ridge_profile_step){.step = {.name = name, .problem = *problem, .repeat = repeat},
                                                      .component = plan->profile->component_count - 1,
                                                      .calls = times * (repeat > 0 ? repeat : 1)};
    return RIDGE_OK;
}

ridge_problem ridge_profile_product(const ridge_profile *p, int64_t rows, int64_t n, int64_t k, const ridge_format *weights)
{
    return (ridge_problem){.kind = rows == 1 ? RIDGE_KERNEL_KIND_GEMV : RIDGE_KERNEL_KIND_GEMM,
                           .m = rows == 1 ? 0 : rows,
                           .n = n,
                           .k = k,
                           .weights = weights,
                           .activations = p->request.activations};
}

ridge_problem ridge_profile_table(const ridge_profile *p, ridge_kernel_kind kind, int64_t rows, int64_t cols)
{
    const ridge_format *a = p->request.activations;
    return (ridge_problem){.kind = kind, .rows = rows, .cols = cols, .weights = a, .activations = a};
}

ridge_status ridge_profile_make_groups(ridge_profile_plan *plan, size_t most)
{
    plan->profile->groups = ridge_arena_array(plan->arena, most + 1, sizeof *plan->profile->groups);
    plan->group_first = ridge_arena_array(plan->arena, most + 2, sizeof *plan->group_first);
    return plan->profile->groups && plan->group_first ? RIDGE_OK : ridge_no_memory(plan->err);
}

void ridge_profile_end_group(ridge_profile_plan *plan, const char *name, ridge_int count)
{
    ridge_profile *p = plan->profile;
    const ridge_profile_group *before = p->group_count > 0 ? &p->groups[p->group_count - 1] : NULL;
    size_t first = before ? before->first + before->components : 0;
    const double unknown = RIDGE_MEASURE_UNKNOWN;
    p->groups[p->group_count++] = (ridge_profile_group){.name = name,
                                                        .count = count,
                                                        .whole = {.median_s = unknown, .low_s = unknown, .high_s = unknown},
                                                        .first = first,
                                                        .components = p->component_count - first};
    plan->group_first[p->group_count] = plan->count;
}

/* ---- pieces ---- */

/* one component with one kernel over [rows, cols] */
static ridge_status add_table(ridge_profile_plan *plan, const char *name, ridge_profile_role role, ridge_kernel_kind kind, int64_t rows,
                              int64_t cols)
{
    const ridge_problem problem = ridge_profile_table(plan->profile, kind, rows, cols);
    ridge_status st = ridge_profile_add_component(plan, name, role, 1);
    return st ? st : ridge_profile_add_step(plan, name, &problem, 1, 1);
}

/* a product with weights as a step of the last component */
static ridge_status add_product(ridge_profile_plan *plan, const char *name, int64_t rows, int64_t n, int64_t k)
{
    const ridge_problem problem = ridge_profile_product(plan->profile, rows, n, k, plan->profile->request.weights);
    return ridge_profile_add_step(plan, name, &problem, 1, 1);
}

static ridge_status add_weights(ridge_profile_plan *plan, const char *name, int64_t rows, int64_t n, int64_t k)
{
    ridge_status st = ridge_profile_add_component(plan, name, RIDGE_PROFILE_WEIGHTS, 1);
    return st ? st : add_product(plan, name, rows, n, k);
}

static int64_t rows_of(const ridge_profile *p)
{
    return p->request.batch * p->request.seq;
}

static ridge_status add_qkv(ridge_profile_plan *plan)
{
    const ridge_profile_shape *s = &plan->profile->request.shape;
    const int64_t rows = rows_of(plan->profile);
    ridge_status st = add_weights(plan, "qkv_projection", rows, s->heads * s->head_dim, s->hidden);
    for (int i = 0; i < 2 && !st; i++)
        st = add_product(plan, i == 0 ? "k_projection" : "v_projection", rows, s->kv_heads * s->head_dim, s->hidden);
    return st;
}

static ridge_status add_output(ridge_profile_plan *plan)
{
    const ridge_profile_shape *s = &plan->profile->request.shape;
    return add_weights(plan, "output_projection", rows_of(plan->profile), s->hidden, s->heads * s->head_dim);
}

/* ---- attention, its core in three ---- */

/* Products of the queries of each K and V head with its keys, or of their scores with its values: all pairs, masked or not. */
static ridge_status add_core_product(ridge_profile_plan *plan, const char *name, bool scores)
{
    const ridge_profile *p = plan->profile;
    const ridge_profile_shape *s = &p->request.shape;
    int64_t kept = p->request.past + p->request.seq, queries = p->request.seq * (s->heads / s->kv_heads);
    ridge_problem problem =
        ridge_profile_product(p, queries, scores ? kept : s->head_dim, scores ? s->head_dim : kept, p->request.activations);
    ridge_status st = ridge_profile_add_component(plan, name, RIDGE_PROFILE_SCORES, 1);
    return st ? st : ridge_profile_add_step(plan, name, &problem, (unsigned)(p->request.batch * s->kv_heads), 1);
}

static ridge_status plan_attention(ridge_profile_plan *plan)
{
    const ridge_profile *p = plan->profile;
    ridge_status st = add_qkv(plan);
    if (!st)
        st = add_core_product(plan, "scores", true);
    if (!st)
        st = add_table(plan, "softmax", RIDGE_PROFILE_SCORES, RIDGE_KERNEL_KIND_SOFTMAX,
                       p->request.batch * p->request.shape.heads * p->request.seq, p->request.past + p->request.seq);
    if (!st)
        st = add_core_product(plan, "weighted_sum", false);
    return st ? st : add_output(plan);
}

/* ---- a layer ---- */

ridge_problem ridge_profile_attention_problem(const ridge_profile *p)
{
    return (ridge_problem){.kind = RIDGE_KERNEL_KIND_ATTENTION,
                           .batch = p->request.batch,
                           .seq = p->request.seq,
                           .past = p->request.past,
                           .heads = p->request.shape.heads,
                           .kv_heads = p->request.shape.kv_heads,
                           .head_dim = p->request.shape.head_dim,
                           .causal = true,
                           .weights = p->request.activations,
                           .activations = p->request.activations};
}

/* heads of Q, then of K, turned by their positions */
static ridge_status add_rope(ridge_profile_plan *plan)
{
    const ridge_profile *p = plan->profile;
    ridge_problem problem = {.kind = RIDGE_KERNEL_KIND_ROPE,
                             .rows = rows_of(p),
                             .past = p->request.past,
                             .heads = p->request.shape.heads,
                             .head_dim = p->request.shape.head_dim,
                             .weights = p->request.activations,
                             .activations = p->request.activations};
    ridge_status st = ridge_profile_add_component(plan, "rope", RIDGE_PROFILE_SMALL, 1);
    if (!st)
        st = ridge_profile_add_step(plan, "rope_q", &problem, 1, 1);
    problem.heads = p->request.shape.kv_heads;
    return st ? st : ridge_profile_add_step(plan, "rope_k", &problem, 1, 1);
}

static ridge_status add_core(ridge_profile_plan *plan)
{
    ridge_problem problem = ridge_profile_attention_problem(plan->profile);
    ridge_status st = ridge_profile_add_component(plan, "attention", RIDGE_PROFILE_CORE, 1);
    return st ? st : ridge_profile_add_step(plan, "attention", &problem, 1, 1);
}

/* A product of two activations moves what a sum of two moves; there is no kernel of its own for it. */
static ridge_status add_mlp(ridge_profile_plan *plan)
{
    const ridge_profile_shape *s = &plan->profile->request.shape;
    const int64_t rows = rows_of(plan->profile);
    const ridge_problem gate = ridge_profile_table(plan->profile, RIDGE_KERNEL_KIND_ADD, rows, s->intermediate);
    ridge_status st = s->plain_mlp ? RIDGE_OK : add_weights(plan, "mlp_gate", rows, s->intermediate, s->hidden);
    if (!st)
        st = add_weights(plan, "mlp_up", rows, s->intermediate, s->hidden);
    if (!st)
        st = add_table(plan, "mlp_activation", RIDGE_PROFILE_SMALL, s->plain_mlp ? RIDGE_KERNEL_KIND_GELU : RIDGE_KERNEL_KIND_SILU, rows,
                       s->intermediate);
    if (!st && !s->plain_mlp)
        st = ridge_profile_add_step(plan, "mlp_gate_product", &gate, 1, 1);
    return st ? st : add_weights(plan, "mlp_down", rows, s->hidden, s->intermediate);
}

static ridge_status add_norm(ridge_profile_plan *plan, const char *name)
{
    const ridge_profile_shape *s = &plan->profile->request.shape;
    ridge_kernel_kind kind = s->layernorm || s->rwkv ? RIDGE_KERNEL_KIND_LAYERNORM : RIDGE_KERNEL_KIND_RMSNORM;
    return add_table(plan, name, RIDGE_PROFILE_SMALL, kind, rows_of(plan->profile), s->hidden);
}

static ridge_status add_residual(ridge_profile_plan *plan, const char *name)
{
    return add_table(plan, name, RIDGE_PROFILE_SMALL, RIDGE_KERNEL_KIND_ADD, rows_of(plan->profile), plan->profile->request.shape.hidden);
}

static ridge_status plan_layer(ridge_profile_plan *plan)
{
    ridge_status st;
    if ((st = add_norm(plan, "attention_norm")) || (st = add_qkv(plan)) || (st = add_rope(plan)) || (st = add_core(plan)) ||
        (st = add_output(plan)) || (st = add_residual(plan, "attention_residual")) || (st = add_norm(plan, "mlp_norm")) ||
        (st = add_mlp(plan)))
        return st;
    return add_residual(plan, "mlp_residual");
}

/* ---- RWKV-4: time mixing (R, K, V, wkv, output), channel mixing (K, V, R) ---- */

static ridge_status plan_rwkv(ridge_profile_plan *plan, bool whole)
{
    const ridge_profile *p = plan->profile;
    const int64_t rows = rows_of(p), h = p->request.shape.hidden, f = p->request.shape.intermediate;
    const ridge_problem wkv = {.kind = RIDGE_KERNEL_KIND_WKV,
                               .seq = p->request.seq,
                               .cols = h,
                               .weights = p->request.activations,
                               .activations = p->request.activations};
    ridge_status st = whole ? add_norm(plan, "attention_norm") : RIDGE_OK;
    if (st || (st = add_weights(plan, "attention_linear", rows, h, h)) || (st = add_product(plan, "key", rows, h, h)) ||
        (st = add_product(plan, "value", rows, h, h)) || (st = ridge_profile_add_component(plan, "wkv", RIDGE_PROFILE_CORE, 1)) ||
        (st = ridge_profile_add_step(plan, "wkv", &wkv, (unsigned)p->request.batch, 1)) ||
        (st = add_weights(plan, "attention_output", rows, h, h)))
        return st;
    if (!whole)
        return RIDGE_OK;
    if ((st = add_residual(plan, "attention_residual")) || (st = add_norm(plan, "ffn_norm")) ||
        (st = add_weights(plan, "ffn", rows, f, h)) || (st = add_product(plan, "ffn_value", rows, h, f)) ||
        (st = add_product(plan, "ffn_receptance", rows, h, h)))
        return st;
    return add_residual(plan, "ffn_residual");
}

ridge_status ridge_profile_plan_shape(ridge_profile_plan *plan)
{
    ridge_profile *p = plan->profile;
    bool layer = p->request.what == RIDGE_PROFILE_LAYER;
    ridge_status st = ridge_profile_make_groups(plan, 1);
    if (!st)
        st = p->request.shape.rwkv ? plan_rwkv(plan, layer) : layer ? plan_layer(plan) : plan_attention(plan);
    if (st)
        return st;
    ridge_profile_end_group(plan, "", 1);
    return RIDGE_OK;
}
