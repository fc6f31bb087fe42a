/* Rows of a mixture dealt to the experts that they are expected to reach (experts.h). */
#include "predict/experts.h"

#include <math.h>

#include "predict/plan.h"

/* experts that one call of this kernel runs; 0: not known */
static double reached(const ridge_analysis *a, const ridge_kernel *k)
{
    ridge_int batch, seq, routed, hit = 1;
    if (k->experts <= 0 || !ridge_value_as_int(&batch, a->graph.globals[RIDGE_GLOBAL_B]) ||
        !ridge_value_as_int(&seq, a->graph.globals[RIDGE_GLOBAL_S]) || !ridge_value_as_int(&routed, k->routed) || batch < 1 || seq < 1 ||
        routed < 1 || (k->mixture == RIDGE_MIXTURE_SPREAD && (!ridge_value_as_int(&hit, k->hit) || hit < 1)))
        return 0;
    double tokens = k->per_token > 0 ? (double)routed / (double)k->per_token : (double)batch * (double)seq;
    return ridge_expected_experts((double)k->experts, (double)routed / tokens, tokens) / (double)hit;
}

size_t ridge_experts_split(ridge_experts_share out[2], const ridge_analysis *a, const ridge_kernel *k, ridge_int rows, ridge_int calls)
{
    ridge_int all;
    double products = nearbyint(reached(a, k) * (double)calls);
    if (calls < 1 || rows < 1 || !ridge_int_mul(&all, rows, calls) || products < 1 || products > 0x1p52)
        return 0;
    ridge_int count = (ridge_int)products;
    if (count > all) /* an expert without a row is not run */
        count = all;
    ridge_int least = all / count, more = all % count;
    if (least >= INT32_MAX)
        return 0;
    size_t n = 0;
    if (more > 0)
        out[n++] = (ridge_experts_share){(int64_t)least + 1, more};
    out[n++] = (ridge_experts_share){(int64_t)least, count - more};
    return n;
}
