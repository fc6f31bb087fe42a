#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

#include "kernel/codec/codec.h"
#include "kernel/parts.h"

const char *const ridge_kernel_kind_names[RIDGE_KERNEL_KIND_COUNT + 1] = {RIDGE_KERNEL_KIND_LIST(RIDGE_WORD_NAME)};

/* ---- the table: one line per group of variants ---- */
static const ridge_kernel_variant *const *const groups[] = {
    ridge_gemv_variants,
    ridge_gemm_variants,
    ridge_attention_variants,
    ridge_elementwise_variants,
};
enum { GROUPS = sizeof groups / sizeof *groups };

/* ---- operands ---- */

bool ridge_format_is(const ridge_format *format, const char *name)
{
    return format && strcmp(format->name, name) == 0;
}

bool ridge_is_activation_format(const ridge_format *format)
{
    return ridge_format_is(format, "fp32") || ridge_format_is(format, "bf16") || ridge_format_is(format, "fp16");
}

bool ridge_row_bytes(size_t *bytes, const ridge_format *format, int64_t cols)
{
    ridge_int whole;
    if (cols <= 0 || !ridge_format_bytes(&whole, format, 1, cols) || whole > (ridge_int)(SIZE_MAX / 4))
        return false;
    *bytes = (size_t)whole - format->tensor_bytes;
    return true;
}

/* what fills a problem's list of operands */
typedef struct listing {
    ridge_operand *out;
    size_t *count;
    const ridge_problem *problem;
} listing;

static void add(const listing *l, const char *name, const ridge_format *format, int64_t rows, int64_t cols)
{
    l->out[(*l->count)++] = (ridge_operand){.name = name, .format = format, .rows = rows, .cols = cols};
}
static void add_activations(const listing *l, const char *name, int64_t rows, int64_t cols)
{
    add(l, name, l->problem->activations, rows, cols);
}
static void add_output(const listing *l, const char *name, int64_t rows, int64_t cols)
{
    add_activations(l, name, rows, cols);
    l->out[*l->count - 1].written = true;
}
/* the operand that a cold run takes from elsewhere each time */
static void add_large(const listing *l, const char *name, const ridge_format *format, int64_t rows, int64_t cols)
{
    add(l, name, format, rows, cols);
    l->out[*l->count - 1].rotates = true;
}

/* a * b * c of sizes; -1 where one is missing or the product too large for 2^60 elements */
static int64_t sizes_product(int64_t a, int64_t b, int64_t c)
{
    int64_t ab, abc;
    if (a <= 0 || b <= 0 || c <= 0 || __builtin_mul_overflow(a, b, &ab) || __builtin_mul_overflow(ab, c, &abc) || abc > (int64_t)1 << 60)
        return -1;
    return abc;
}

static void list_matrix_product(const listing *l)
{
    const ridge_problem *p = l->problem;
    bool gemv = p->kind == RIDGE_KERNEL_KIND_GEMV;
    int64_t m = gemv ? 1 : p->m;
    add_large(l, "W", p->weights, p->n, p->k);
    add_activations(l, gemv ? "x" : "A", m, p->k);
    add_output(l, gemv ? "y" : "C", m, p->n);
}

static void list_attention(const listing *l)
{
    const ridge_problem *p = l->problem;
    int64_t kept;
    if (p->past < 0 || __builtin_add_overflow(p->past, p->seq, &kept))
        kept = -1;
    int64_t queries = sizes_product(p->batch, p->seq, p->heads);
    int64_t keys = sizes_product(p->batch, p->kv_heads, kept);
    add_activations(l, "Q", queries, p->head_dim);
    add_large(l, "K", p->weights, keys, p->head_dim);
    add_large(l, "V", p->weights, keys, p->head_dim);
    add_output(l, "O", queries, p->head_dim);
}

/* x in, y out, and a row of parameters for each name between */
static void list_rows(const listing *l, const char *first, const char *second)
{
    const ridge_problem *p = l->problem;
    add_large(l, "x", p->activations, p->rows, p->cols);
    if (first)
        add_activations(l, first, 1, p->cols);
    if (second)
        add_activations(l, second, 1, p->cols);
    add_output(l, "y", p->rows, p->cols);
}

/* x [rows,heads,head_dim]; row r stands at position past + r */
static void list_rope(const listing *l)
{
    const ridge_problem *p = l->problem;
    int64_t rows = sizes_product(p->rows, p->heads, 1);
    add_large(l, "x", p->activations, rows, p->head_dim);
    add_output(l, "y", rows, p->head_dim);
}

static void list_add(const listing *l)
{
    const ridge_problem *p = l->problem;
    add_large(l, "a", p->activations, p->rows, p->cols);
    add_activations(l, "b", p->rows, p->cols);
    add_output(l, "y", p->rows, p->cols);
}

static void list_embedding(const listing *l)
{
    const ridge_problem *p = l->problem;
    add_large(l, "table", p->weights, p->n, p->cols);
    add(l, "ids", ridge_format_find(ridge_str_of("i32")), 1, p->rows);
    add_output(l, "y", p->rows, p->cols);
}

/* RWKV-4: w (decay, before -exp), u (bonus) per channel, k and v per token and channel */
static void list_wkv(const listing *l)
{
    const ridge_problem *p = l->problem;
    add_activations(l, "w", 1, p->cols);
    add_activations(l, "u", 1, p->cols);
    add_large(l, "k", p->activations, p->seq, p->cols);
    add_activations(l, "v", p->seq, p->cols);
    add_output(l, "y", p->seq, p->cols);
}

static void list_operands(const listing *l)
{
    switch (l->problem->kind) {
    case RIDGE_KERNEL_KIND_GEMV:
    case RIDGE_KERNEL_KIND_GEMM:
        list_matrix_product(l);
        break;
    case RIDGE_KERNEL_KIND_ATTENTION:
        list_attention(l);
        break;
    case RIDGE_KERNEL_KIND_LAYERNORM:
        list_rows(l, "gamma", "beta");
        break;
    case RIDGE_KERNEL_KIND_RMSNORM:
        list_rows(l, "gamma", NULL);
        break;
    case RIDGE_KERNEL_KIND_SOFTMAX:
    case RIDGE_KERNEL_KIND_SILU:
    case RIDGE_KERNEL_KIND_GELU:
        list_rows(l, NULL, NULL);
        break;
    case RIDGE_KERNEL_KIND_ROPE:
        list_rope(l);
        break;
    case RIDGE_KERNEL_KIND_ADD:
        list_add(l);
        break;
    case RIDGE_KERNEL_KIND_EMBEDDING:
        list_embedding(l);
        break;
    case RIDGE_KERNEL_KIND_WKV:
        list_wkv(l);
        break;
    case RIDGE_KERNEL_KIND_COUNT:
        break;
    }
}

static ridge_status check_operand(const ridge_problem *problem, const ridge_operand *o, ridge_err *err)
{
    const char *kind = ridge_kernel_kind_names[problem->kind];
    if (!o->format)
        return ridge_fail(err, RIDGE_VALUE, "%s: '%s' has no number format", kind, o->name);
    if (o->rows <= 0 || o->cols <= 0)
        return ridge_fail(err, RIDGE_VALUE, "%s: the size of '%s' is missing, below 1, or too large", kind, o->name);
    if (o->cols % o->format->block_elements != 0)
        return ridge_fail(err, RIDGE_VALUE, "%s: '%s' has rows of %lld elements, not a multiple of %s's block of %u", kind, o->name,
                          (long long)o->cols, o->format->name, o->format->block_elements);
    if (!o->format->integer && !ridge_has_codec(o->format))
        return ridge_fail(err, RIDGE_VALUE, "%s: '%s' cannot be %s; nothing here reads that format", kind, o->name, o->format->name);
    size_t bytes;
    return ridge_operand_bytes(&bytes, o, err);
}

ridge_status ridge_problem_operands(ridge_operand out[RIDGE_PROBLEM_OPERANDS], size_t *count, const ridge_problem *problem, ridge_err *err)
{
    *count = 0;
    if ((unsigned)problem->kind >= RIDGE_KERNEL_KIND_COUNT)
        return ridge_fail(err, RIDGE_VALUE, "no such kind of kernel: %d", (int)problem->kind);
    const char *kind = ridge_kernel_kind_names[problem->kind];
    if (!ridge_is_activation_format(problem->activations))
        return ridge_fail(err, RIDGE_VALUE, "%s: activations are fp32, bf16 or fp16, not %s", kind,
                          problem->activations ? problem->activations->name : "missing");
    list_operands(&(listing){out, count, problem});
    for (size_t i = 0; i < *count; i++)
        if (check_operand(problem, &out[i], err) != RIDGE_OK)
            return RIDGE_VALUE;
    if (problem->kind == RIDGE_KERNEL_KIND_ATTENTION && problem->heads % problem->kv_heads != 0)
        return ridge_fail(err, RIDGE_VALUE, "%s: %lld heads do not share %lld key-value heads evenly", kind, (long long)problem->heads,
                          (long long)problem->kv_heads);
    if (problem->kind == RIDGE_KERNEL_KIND_ROPE && problem->head_dim % 2 != 0)
        return ridge_fail(err, RIDGE_VALUE, "%s: head_dim %lld is odd; its halves are rotated", kind, (long long)problem->head_dim);
    return RIDGE_OK;
}

ridge_status ridge_operand_bytes(size_t *bytes, const ridge_operand *operand, ridge_err *err)
{
    size_t row, all;
    if (!ridge_row_bytes(&row, operand->format, operand->cols) || __builtin_mul_overflow(row, (size_t)operand->rows, &all) ||
        all > SIZE_MAX / 4)
        return ridge_fail(err, RIDGE_VALUE, "'%s' of %lld x %lld %s is too large", operand->name, (long long)operand->rows,
                          (long long)operand->cols, operand->format->name);
    *bytes = (all + operand->format->tensor_bytes + 63) / 64 * 64;
    return RIDGE_OK;
}

/* ---- variants ---- */

/* the variants of the table that `wanted` takes, or all */
static ridge_status collect(const ridge_kernel_variant *const **out, size_t *count, const ridge_problem *wanted, ridge_arena *arena,
                            ridge_err *err)
{
    unsigned have = ridge_isa_have();
    size_t room = 0;
    const ridge_kernel_variant **found = NULL;
    *count = 0;
    for (size_t g = 0; g < GROUPS; g++)
        for (const ridge_kernel_variant *const *v = groups[g]; *v; v++) {
            if (wanted && ((*v)->kind != wanted->kind || ((*v)->isa & ~have) != 0 || !(*v)->takes(wanted)))
                continue;
            if (*count == room && !(found = ridge_arena_grow(arena, found, *count, &room, *count + 1, sizeof *found)))
                return ridge_no_memory(err);
            found[(*count)++] = *v;
        }
    *out = found;
    return RIDGE_OK;
}

ridge_status ridge_kernel_variants(const ridge_kernel_variant *const **out, size_t *count, const ridge_problem *problem, ridge_arena *arena,
                                   ridge_err *err)
{
    ridge_operand operands[RIDGE_PROBLEM_OPERANDS];
    *count = 0;
    ridge_status st = ridge_isa_check(err);
    if (!st)
        st = ridge_problem_operands(operands, count, problem, err);
    return !st ? collect(out, count, problem, arena, err) : st;
}

ridge_status ridge_kernel_table(const ridge_kernel_variant *const **out, size_t *count, ridge_arena *arena, ridge_err *err)
{
    return collect(out, count, NULL, arena, err);
}

/* ---- what a right variant may differ by (docs/kernels.md, "Tolerance") ---- */

/* half a unit in the last place of the output format, relative */
static double output_rounding(const ridge_format *activations)
{
    return ridge_format_is(activations, "bf16") ? 0x1p-8 : ridge_format_is(activations, "fp16") ? 0x1p-11 : 0x1p-24;
}

/* the largest output over the root of the mean square, for standard normal inputs: what rounding the output is multiplied with */
static double peak_over_scale(ridge_kernel_kind kind)
{
    return kind == RIDGE_KERNEL_KIND_SOFTMAX ? 64 : kind == RIDGE_KERNEL_KIND_ATTENTION ? 16 : 8; /* weights may gather on few keys */
}

/* rounding of single precision along the longest sum of a kind, relative to the result's scale */
static double accumulation(const ridge_problem *p)
{
    const double unit = 0x1p-24;
    switch (p->kind) {
    case RIDGE_KERNEL_KIND_GEMV:
    case RIDGE_KERNEL_KIND_GEMM:
        return 8 * unit * sqrt((double)p->k);
    case RIDGE_KERNEL_KIND_ATTENTION:
        return 32 * unit * sqrt((double)(p->past + p->seq)) + 32 * unit * sqrt((double)p->head_dim);
    case RIDGE_KERNEL_KIND_WKV:
        return 32 * unit * sqrt((double)p->seq);
    case RIDGE_KERNEL_KIND_ROPE: /* the angle, a product with the position, is reduced in single precision at best */
        return unit * (32 + 4 * (double)(p->past + p->rows));
    default:
        return 64 * unit * sqrt((double)(p->cols > 0 ? p->cols : 1));
    }
}

/* Activations as int8 with a scale per block are off by at most half a step, largest / 127, evenly: a deviation of largest / 127 /
 * sqrt(12). The largest of 256 normal values is below 5 deviations of theirs, so a result is off by 5 / 440 = 1.1 % of its scale. As 16
 * bits (14-bit activations, 13-bit nf4 levels, at 0.4 of their largest on average) by 2e-4. Six times that is exceeded once in 5e8. */
static double activation_rounding(unsigned bits)
{
    return bits == 8 ? 6 * 5 / (127 * sqrt(12)) : bits == 16 ? 6 * hypot(4.0 / (8191 * sqrt(12)), 1 / (0.4 * 4095 * sqrt(12))) : 0;
}

double ridge_kernel_tolerance(const ridge_problem *problem, const ridge_kernel_variant *variant)
{
    double tolerance = accumulation(problem) + peak_over_scale(problem->kind) * output_rounding(problem->activations);
    double few = 1; /* the scale of few results says little of how large their terms are */
    if (problem->kind == RIDGE_KERNEL_KIND_GEMV && problem->n < 16)
        few = 16 / (double)problem->n;
    return few * (tolerance + activation_rounding(variant->activation_bits));
}
