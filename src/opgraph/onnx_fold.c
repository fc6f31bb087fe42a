/* Arithmetic on the contents of small tensors, as ONNX Runtime does it: what exporters write to compute shapes.
 * A result that does not fit in its format, or that is not exact enough to go on with, is not kept: it is unknown, and never wrong. */
#include <math.h>

#include "opgraph/onnx.h"

/* ---- one number ---- */
typedef bool whole_unary(int64_t *out, int64_t a);
typedef bool real_unary(double *out, double a);

static bool whole_neg(int64_t *out, int64_t a)
{
    return !__builtin_sub_overflow((int64_t)0, a, out);
}
static bool whole_abs(int64_t *out, int64_t a)
{
    *out = a;
    return a >= 0 || whole_neg(out, a);
}
static bool whole_not(int64_t *out, int64_t a)
{
    *out = !a;
    return true;
}
static bool whole_sign(int64_t *out, int64_t a)
{
    *out = (a > 0) - (a < 0);
    return true;
}
static bool real_neg(double *out, double a)
{
    *out = -a;
    return true;
}
static bool real_abs(double *out, double a)
{
    *out = fabs(a);
    return true;
}
static bool real_floor(double *out, double a)
{
    *out = floor(a);
    return true;
}
static bool real_ceil(double *out, double a)
{
    *out = ceil(a);
    return true;
}
static bool real_round(double *out, double a) /* half to even */
{
    *out = nearbyint(a);
    return true;
}
static bool real_sqrt(double *out, double a)
{
    *out = sqrt(a);
    return a >= 0;
}
static bool real_reciprocal(double *out, double a)
{
    *out = a != 0 ? 1 / a : 0;
    return a != 0;
}
static bool real_sign(double *out, double a)
{
    *out = (a > 0) - (a < 0);
    return true;
}

static const struct {
    const char *op;
    whole_unary *whole;
    real_unary *real;
} unaries[] = {
    {"Neg", whole_neg, real_neg},    {"Abs", whole_abs, real_abs}, {"Not", whole_not, NULL},
    {"Sign", whole_sign, real_sign}, {"Floor", NULL, real_floor},  {"Ceil", NULL, real_ceil},
    {"Round", NULL, real_round},     {"Sqrt", NULL, real_sqrt},    {"Reciprocal", NULL, real_reciprocal},
};

static ridge_status map_wholes(ridge_opgraph_call *call, const ridge_opgraph_tensor *x, whole_unary *f)
{
    int64_t *ints = ridge_opgraph_room(call, 0);
    if (!ints)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < x->content_count; i++)
        if (!f(&ints[i], x->ints[i]) || !ridge_opset_fits(ints[i], call->out[0]->format))
            return RIDGE_OK;
    return ridge_opgraph_give_ints(call, 0, ints, x->content_count);
}

static ridge_status map_reals(ridge_opgraph_call *call, const ridge_opgraph_tensor *x, real_unary *f)
{
    double *reals = ridge_opgraph_room(call, 0);
    if (!reals)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < x->content_count; i++)
        if (!f(&reals[i], x->reals[i]) || !ridge_opset_round(&reals[i], call->out[0]->format))
            return RIDGE_OK;
    return ridge_opgraph_give_reals(call, 0, reals, x->content_count);
}

bool ridge_opset_fold_unary(ridge_opgraph_call *call, const char *op, ridge_status *st)
{
    const ridge_opgraph_tensor *x = call->in[0];
    if (!ridge_opgraph_holds(call, 0) || !ridge_opset_is_held(x))
        return false;
    for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++)
        if (strcmp(op, unaries[i].op) == 0 && (x->ints ? unaries[i].whole != NULL : unaries[i].real != NULL)) {
            *st = x->ints ? map_wholes(call, x, unaries[i].whole) : map_reals(call, x, unaries[i].real);
            return true;
        }
    return false;
}

/* ---- two numbers ---- */
typedef enum arithmetic {
    NO_SUCH,
    ADD,
    SUB,
    MUL,
    DIV,
    MOD,
    POW,
    MIN,
    MAX,
    MEAN,
    EQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    AND,
    OR,
    XOR
} arithmetic;

static const struct {
    const char *op;
    arithmetic what;
} binaries[] = {
    {"Add", ADD},         {"Sub", SUB},
    {"Mul", MUL},         {"Div", DIV},
    {"Mod", MOD},         {"Pow", POW},
    {"Min", MIN},         {"Max", MAX},
    {"Sum", ADD},         {"Mean", MEAN},
    {"Equal", EQUAL},     {"Less", LESS},
    {"And", AND},         {"LessOrEqual", LESS_EQUAL},
    {"Greater", GREATER}, {"GreaterOrEqual", GREATER_EQUAL},
    {"Or", OR},           {"Xor", XOR},
};

static arithmetic arithmetic_of(const char *op)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (strcmp(op, binaries[i].op) == 0)
            return binaries[i].what;
    return NO_SUCH;
}

static bool power(int64_t *out, int64_t a, int64_t b)
{
    *out = 1;
    if (b < 0 || b > 64)
        return false;
    for (int64_t i = 0; i < b; i++)
        if (__builtin_mul_overflow(*out, a, out))
            return false;
    return true;
}

/* ONNX Runtime's division of integers truncates, as C's does; Mod has the divisor's sign unless fmod is 1. */
static bool whole_of(int64_t *out, arithmetic what, int64_t a, int64_t b, bool fmod_sign)
{
    switch (what) {
    case ADD:
        return !__builtin_add_overflow(a, b, out);
    case SUB:
        return !__builtin_sub_overflow(a, b, out);
    case MUL:
        return !__builtin_mul_overflow(a, b, out);
    case DIV:
        *out = b == 0 || b == -1 ? 0 : a / b;
        return b == -1 ? whole_neg(out, a) : b != 0;
    case MOD:
        *out = b == 0 || b == -1 ? 0 : a % b;
        if (*out != 0 && !fmod_sign && (*out < 0) != (b < 0))
            *out += b;
        return b != 0;
    case POW:
        return power(out, a, b);
    case MIN:
        *out = a < b ? a : b;
        return true;
    case MAX:
        *out = a > b ? a : b;
        return true;
    case EQUAL:
        *out = a == b;
        return true;
    case LESS:
        *out = a < b;
        return true;
    case LESS_EQUAL:
        *out = a <= b;
        return true;
    case GREATER:
        *out = a > b;
        return true;
    case GREATER_EQUAL:
        *out = a >= b;
        return true;
    case AND:
        *out = a && b;
        return true;
    case OR:
        *out = a || b;
        return true;
    case XOR:
        *out = !a != !b;
        return true;
    default:
        return false;
    }
}

static bool real_of(double *out, arithmetic what, double a, double b)
{
    switch (what) {
    case ADD:
        *out = a + b;
        return true;
    case SUB:
        *out = a - b;
        return true;
    case MUL:
        *out = a * b;
        return true;
    case DIV:
        *out = b != 0 ? a / b : 0;
        return b != 0;
    case MIN:
        *out = a < b ? a : b;
        return true;
    case MAX:
        *out = a > b ? a : b;
        return true;
    case MEAN:
        *out = (a + b) / 2;
        return true;
    default:
        return false;
    }
}

static bool real_compared(int64_t *out, arithmetic what, double a, double b)
{
    switch (what) {
    case EQUAL:
        *out = a == b;
        return true;
    case LESS:
        *out = a < b;
        return true;
    case LESS_EQUAL:
        *out = a <= b;
        return true;
    case GREATER:
        *out = a > b;
        return true;
    case GREATER_EQUAL:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}

/* both operands laid out over the result's elements */
typedef struct pair {
    const ridge_opgraph_tensor *out, *a, *b;
    int64_t at[RIDGE_OPGRAPH_RANK];
} pair;

static bool one_whole(int64_t *out, const pair *p, arithmetic what, bool fmod_sign)
{
    size_t a = ridge_opset_place(p->a, p->out->rank, p->at), b = ridge_opset_place(p->b, p->out->rank, p->at);
    bool known = p->a->ints ? whole_of(out, what, p->a->ints[a], p->b->ints[b], fmod_sign)
                            : real_compared(out, what, p->a->reals[a], p->b->reals[b]);
    return known && ridge_opset_fits(*out, p->out->format);
}

static ridge_status fold_wholes(ridge_opgraph_call *call, pair *p, arithmetic what)
{
    size_t count = (size_t)p->out->elements;
    int64_t *ints = ridge_opgraph_room(call, 0);
    if (!ints)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < count; i++, ridge_opset_step(p->at, p->out))
        if (!one_whole(&ints[i], p, what, ridge_opgraph_whole(call->node, "fmod", 0) == 1))
            return RIDGE_OK;
    return ridge_opgraph_give_ints(call, 0, ints, count);
}

static ridge_status fold_reals(ridge_opgraph_call *call, pair *p, arithmetic what)
{
    size_t count = (size_t)p->out->elements;
    double *reals = ridge_opgraph_room(call, 0);
    if (!reals)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < count; i++, ridge_opset_step(p->at, p->out))
        if (!real_of(&reals[i], what, p->a->reals[ridge_opset_place(p->a, p->out->rank, p->at)],
                     p->b->reals[ridge_opset_place(p->b, p->out->rank, p->at)]) ||
            !ridge_opset_round(&reals[i], p->out->format))
            return RIDGE_OK;
    return ridge_opgraph_give_reals(call, 0, reals, count);
}

bool ridge_opset_fold_binary(ridge_opgraph_call *call, const char *op, const ridge_opgraph_tensor *a, const ridge_opgraph_tensor *b,
                             ridge_status *st)
{
    arithmetic what = arithmetic_of(op);
    if (what == NO_SUCH || !ridge_opgraph_holds(call, 0) || !ridge_opset_is_held(a) || !ridge_opset_is_held(b) || !a->ints != !b->ints)
        return false;
    pair p = {.out = call->out[0], .a = a, .b = b};
    *st = a->ints || what >= EQUAL ? fold_wholes(call, &p, what) : fold_reals(call, &p, what);
    return true;
}

/* ---- casts ---- */

/* towards zero; what does not fit in 64 bits is not known */
static bool whole_from(int64_t *out, double v)
{
    if (!(v > -9.2e18 && v < 9.2e18))
        return false;
    *out = (int64_t)v;
    return true;
}

static ridge_status cast_to_wholes(ridge_opgraph_call *call, const ridge_opgraph_tensor *from, const ridge_format *format)
{
    bool logical = strcmp(format->name, "bool") == 0;
    int64_t *ints = ridge_opgraph_room(call, 0);
    if (!ints)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < from->content_count; i++) {
        if (logical)
            ints[i] = from->ints ? from->ints[i] != 0 : from->reals[i] != 0;
        else if (from->ints)
            ints[i] = from->ints[i];
        else if (!whole_from(&ints[i], from->reals[i]))
            return RIDGE_OK;
        if (!ridge_opset_fits(ints[i], format))
            return RIDGE_OK;
    }
    return ridge_opgraph_give_ints(call, 0, ints, from->content_count);
}

static ridge_status cast_to_reals(ridge_opgraph_call *call, const ridge_opgraph_tensor *from, const ridge_format *format)
{
    double *reals = ridge_opgraph_room(call, 0);
    if (!reals)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < from->content_count; i++) {
        reals[i] = from->ints ? (double)from->ints[i] : from->reals[i];
        if (!ridge_opset_round(&reals[i], format))
            return RIDGE_OK;
    }
    return ridge_opgraph_give_reals(call, 0, reals, from->content_count);
}

ridge_status ridge_opset_fold_cast(ridge_opgraph_call *call, const ridge_opgraph_tensor *from)
{
    if (!ridge_opgraph_holds(call, 0) || !call->out[0]->format || !ridge_opset_is_held(from))
        return RIDGE_OK;
    const ridge_opgraph_tensor *out = call->out[0];
    return ridge_opset_is_whole(out->format) ? cast_to_wholes(call, from, out->format) : cast_to_reals(call, from, out->format);
}

/* ---- reductions ---- */
typedef struct reduction {
    const ridge_opgraph_tensor *from;
    const bool *axes;
    size_t kept; /* elements of the result */
} reduction;

/* the result's place of the input's element i */
static size_t reduced_place(const reduction *r, size_t i)
{
    size_t place = 0, factor = 1;
    for (uint32_t d = r->from->rank; d-- > 0; i /= (size_t)r->from->dims[d])
        if (!r->axes[d]) {
            place += factor * (i % (size_t)r->from->dims[d]);
            factor *= (size_t)r->from->dims[d];
        }
    return place;
}

static ridge_status reduce_wholes(ridge_opgraph_call *call, const reduction *r, arithmetic what)
{
    int64_t *ints = ridge_opgraph_room(call, 0);
    int64_t *begun = ridge_opgraph_room(call, 0);
    if (!ints || !begun)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < r->from->content_count; i++) {
        size_t at = reduced_place(r, i);
        if (!begun[at])
            ints[at] = r->from->ints[i];
        else if (!whole_of(&ints[at], what, ints[at], r->from->ints[i], false))
            return RIDGE_OK;
        begun[at] = true;
    }
    for (size_t i = 0; i < r->kept; i++)
        if (!begun[i] || !ridge_opset_fits(ints[i], call->out[0]->format))
            return RIDGE_OK;
    return ridge_opgraph_give_ints(call, 0, ints, r->kept);
}

static ridge_status reduce_reals(ridge_opgraph_call *call, const reduction *r, arithmetic what)
{
    double *reals = ridge_opgraph_room(call, 0);
    int64_t *begun = ridge_opgraph_room(call, 0);
    if (!reals || !begun)
        return ridge_no_memory(call->run->err);
    for (size_t i = 0; i < r->from->content_count; i++) {
        size_t at = reduced_place(r, i);
        if (!begun[at])
            reals[at] = r->from->reals[i];
        else if (!real_of(&reals[at], what, reals[at], r->from->reals[i]) || !ridge_opset_round(&reals[at], call->out[0]->format))
            return RIDGE_OK;
        begun[at] = true;
    }
    for (size_t i = 0; i < r->kept; i++)
        if (!begun[i])
            return RIDGE_OK;
    return ridge_opgraph_give_reals(call, 0, reals, r->kept);
}

ridge_status ridge_opset_fold_reduce(ridge_opgraph_call *call, const char *op, const bool *axes)
{
    static const struct {
        const char *op;
        arithmetic what;
    } folds[] = {{"ReduceProd", MUL}, {"ReduceSum", ADD}, {"ReduceMin", MIN}, {"ReduceMax", MAX}};
    const ridge_opgraph_tensor *from = call->in[0];
    if (!ridge_opgraph_holds(call, 0) || !ridge_opset_is_held(from))
        return RIDGE_OK;
    reduction r = {from, axes, (size_t)call->out[0]->elements};
    for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
        if (strcmp(op, folds[i].op) == 0)
            return from->ints ? reduce_wholes(call, &r, folds[i].what) : reduce_reals(call, &r, folds[i].what);
    return RIDGE_OK;
}
