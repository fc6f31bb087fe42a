/* Einsum: an equation over labels ("bij,bjk->bik", "...ij,jk"), run pair by pair from the left, as ONNX Runtime does.
 * Each pair is a batch of matrix products: b of the labels that both have and a later one needs, m and n of those that one has, k of those
 * that both have and nobody needs any more. */
#include "opgraph/onnx.h"

enum { LETTERS = 52, LABELS = LETTERS + RIDGE_OPGRAPH_RANK, TERMS = 16 }; /* letters, then the dimensions of an ellipsis, from its end */

typedef struct term {
    uint32_t count;
    uint8_t labels[RIDGE_OPGRAPH_RANK];
} term;

typedef struct equation {
    ridge_opgraph_call *call;
    uint32_t terms;
    term in[TERMS], out;
    int64_t size[LABELS]; /* -1: not seen */
    uint32_t seen[LABELS];
    uint32_t ellipsis; /* dimensions of the longest */
} equation;

static int letter_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

static ridge_status malformed(const equation *e)
{
    ridge_str text = ridge_opgraph_text(e->call->node, "equation", "");
    int n = text.n > 80 ? 80 : (int)text.n;
    return ridge_opgraph_wrong(e->call, "the equation '%.*s' cannot be read", n, text.p);
}

/* one label of a term with its size */
static ridge_status add(equation *e, term *t, int label, int64_t size)
{
    if (t->count >= RIDGE_OPGRAPH_RANK)
        return malformed(e);
    t->labels[t->count++] = (uint8_t)label;
    e->seen[label]++;
    if (e->size[label] < 0 || e->size[label] == 1)
        e->size[label] = size;
    else if (size != e->size[label] && size != 1)
        return ridge_opgraph_wrong(e->call, "a label of the equation is %lld and %lld", (long long)e->size[label], (long long)size);
    return RIDGE_OK;
}

/* "bi...j": labels of input i against its dimensions */
static ridge_status read_input(equation *e, term *t, ridge_str text, const ridge_opgraph_tensor *x)
{
    uint32_t letters = 0, at = 0;
    bool dots = false;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < text.n; i++)
        letters += letter_of(text.p[i]) >= 0;
    for (size_t i = 0; !st && i < text.n; i++) {
        int label = letter_of(text.p[i]);
        if (text.p[i] == ' ')
            continue;
        if (label >= 0) {
            st = at < x->rank ? add(e, t, label, x->dims[at]) : malformed(e);
            at++;
        } else if (!dots && i + 2 < text.n && memcmp(text.p + i, "...", 3) == 0 && x->rank >= letters) {
            uint32_t n = x->rank - letters;
            for (uint32_t d = 0; !st && d < n; d++)
                st = add(e, t, LETTERS + (int)(n - 1 - d), x->dims[at++]);
            e->ellipsis = n > e->ellipsis ? n : e->ellipsis;
            dots = true;
            i += 2;
        } else {
            st = malformed(e);
        }
    }
    if (!st && at != x->rank)
        st = ridge_opgraph_wrong(e->call, "a term of the equation has %u label%s, its operand is %s", at, RIDGE_PLURAL(at),
                                 ridge_opgraph_shape_text(e->call, x));
    return st;
}

static ridge_status read_output(equation *e, ridge_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        int label = letter_of(text.p[i]);
        if (text.p[i] == ' ')
            continue;
        if (label >= 0 && e->size[label] >= 0 && e->out.count < RIDGE_OPGRAPH_RANK) {
            e->out.labels[e->out.count++] = (uint8_t)label;
        } else if (i + 2 < text.n && memcmp(text.p + i, "...", 3) == 0 && e->out.count + e->ellipsis <= RIDGE_OPGRAPH_RANK) {
            for (uint32_t d = e->ellipsis; d-- > 0;)
                e->out.labels[e->out.count++] = (uint8_t)(LETTERS + d);
            i += 2;
        } else {
            return malformed(e);
        }
    }
    return RIDGE_OK;
}

/* without "->": the ellipsis, then the labels that stand once, in the order of ASCII */
static ridge_status imply_output(equation *e)
{
    for (uint32_t d = e->ellipsis; d-- > 0;)
        e->out.labels[e->out.count++] = (uint8_t)(LETTERS + d);
    for (int label = 0; label < LETTERS; label++)
        if (e->seen[label] == 1) {
            if (e->out.count >= RIDGE_OPGRAPH_RANK)
                return malformed(e);
            e->out.labels[e->out.count++] = (uint8_t)label;
        }
    return RIDGE_OK;
}

static ridge_status read_equation(equation *e)
{
    ridge_str text = ridge_opgraph_text(e->call->node, "equation", "");
    const char *at = text.p, *end = text.p + text.n, *arrow = NULL;
    for (const char *p = at; p + 1 < end && !arrow; p++)
        arrow = p[0] == '-' && p[1] == '>' ? p : NULL;
    const char *stop = arrow ? arrow : end;
    ridge_status st = RIDGE_OK;
    for (bool more = true; !st && more;) {
        const char *comma = stop > at ? memchr(at, ',', (size_t)(stop - at)) : NULL, *term_end = comma ? comma : stop;
        const ridge_opgraph_tensor *x = ridge_opgraph_in(e->call, e->terms);
        if (e->terms >= TERMS || !x)
            return malformed(e);
        st = read_input(e, &e->in[e->terms], (ridge_str){at, (size_t)(term_end - at)}, x);
        e->terms++;
        more = comma != NULL;
        at = term_end + 1;
    }
    if (!st && e->terms != e->call->in_count)
        st = ridge_opgraph_wrong(e->call, "the equation has %u term%s for %u operand%s", e->terms, RIDGE_PLURAL(e->terms),
                                 e->call->in_count, RIDGE_PLURAL(e->call->in_count));
    if (st)
        return st;
    return arrow ? read_output(e, (ridge_str){arrow + 2, (size_t)(end - arrow - 2)}) : imply_output(e);
}

static void mark(bool *has, const term *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        has[t->labels[i]] = true;
}

/* b*m*k*n of one pair is the product of all labels of both that are left once what only one has, and nobody needs, is summed away first */
static bool add_pair(ridge_int *sum, const equation *e, bool *left, uint32_t next)
{
    bool right[LABELS] = {false}, needed[LABELS] = {false};
    mark(right, &e->in[next]);
    mark(needed, &e->out);
    for (uint32_t i = next + 1; i < e->terms; i++)
        mark(needed, &e->in[i]);
    ridge_int pair = 1;
    for (int i = 0; i < LABELS; i++) {
        bool alone = left[i] != right[i];
        if ((left[i] || right[i]) && (!alone || needed[i]) && !ridge_int_mul(&pair, pair, e->size[i]))
            return false;
        left[i] = (left[i] || right[i]) && needed[i];
    }
    return ridge_int_add(sum, *sum, pair);
}

/* "p": the sum over the pairs */
ridge_status ridge_onnx_rule_einsum(ridge_opgraph_call *call)
{
    ridge_status st = ridge_opset_needs(call, call->in_count ? call->in_count : 1);
    equation e = {.call = call};
    for (int i = 0; i < LABELS; i++)
        e.size[i] = -1;
    if (st || (st = read_equation(&e)))
        return st;
    bool left[LABELS] = {false};
    ridge_int products = 0;
    mark(left, &e.in[0]);
    for (uint32_t i = 1; i < e.terms; i++)
        if (!add_pair(&products, &e, left, i))
            return ridge_overflow(call->run->err, "a product of Einsum");
    ridge_opgraph_size_is(call, "p", products);
    ridge_opset_dims out = {.rank = e.out.count};
    for (uint32_t i = 0; i < e.out.count; i++)
        out.at[i] = e.size[e.out.labels[i]];
    return ridge_opset_set(call, 0, ridge_opset_format_of(call, 0), &out);
}
