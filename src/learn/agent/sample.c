/* A formula tried on random configurations: every name gets a number, the same each time this is run. */
#include "learn/agent/agent.h"

#include <stdio.h>

#include "learn/python/number.h"

typedef enum fault { FINE, NOT_KNOWN, BY_ZERO, TOO_LARGE } fault;

typedef struct sample {
    ridge_py_interp *in;
    struct worth {
        bool tried, read;
        fault fault;
        ridge_rational value;
    } * atoms; /* by id */
    uint64_t seed;
    bool here; /* the numbers of this run */
} sample;

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u); /* splitmix64, Steele et al. 2014 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static fault evaluate(ridge_rational *out, const ridge_poly *poly, sample *s);

/* small numbers often, else up to twice what it is in this run */
static ridge_rational draw(const ridge_atom *a, ridge_rational now, sample *s)
{
    if (s->here || a->any_rational || now.den != 1)
        return now;
    if (a->least <= 0 && now.num <= 1) /* perhaps a flag */
        return ridge_rational_of((ridge_int)(next_random(&s->seed) & 1));
    ridge_int least = a->least > 0 ? a->least : 1, range = 2 * now.num + 8;
    if (next_random(&s->seed) % 3 == 0)
        range = 4;
    return ridge_rational_of(least +
                             (ridge_int)(next_random(&s->seed) % (uint64_t)(range > 0 && range < (ridge_int)1 << 60 ? range : 1000)));
}

static fault name_of(ridge_rational *out, const ridge_atom *a, sample *s)
{
    const ridge_factor factor = {a, 1};
    const ridge_term term = {{1, 1}, 1, &factor};
    const ridge_poly alone = {.count = 1, .terms = &term};
    ridge_rational now;
    if (a->p || !ridge_py_evaluate(&now, &alone, s->in))
        return NOT_KNOWN;
    *out = draw(a, now, s);
    return FINE;
}

static fault parts_of(ridge_rational *out, const ridge_atom *a, sample *s)
{
    ridge_rational p, q = {0, 1};
    fault f = evaluate(&p, a->p, s);
    if (!f && a->q)
        f = evaluate(&q, a->q, s);
    if (f)
        return f;
    if ((a->kind == RIDGE_ATOM_FLOORDIV && q.num == 0) || (a->kind == RIDGE_ATOM_RECIPROCAL && p.num == 0))
        return BY_ZERO;
    return ridge_atom_value(out, a->kind, p, q) ? FINE : TOO_LARGE;
}

static fault atom(ridge_rational *out, const ridge_atom *a, sample *s)
{
    struct worth *w = &s->atoms[a->id];
    if (!w->tried) {
        w->tried = w->read = true;
        ridge_rational value = {0, 1};
        fault f = a->kind == RIDGE_ATOM_NAME ? name_of(&value, a, s) : parts_of(&value, a, s);
        w->fault = f;
        w->value = value;
    }
    *out = w->value;
    return w->fault;
}

static fault evaluate(ridge_rational *out, const ridge_poly *poly, sample *s)
{
    *out = ridge_rational_of(0);
    for (uint32_t i = 0; i < poly->count; i++) {
        ridge_rational product = poly->terms[i].coefficient, value;
        for (uint32_t k = 0; k < poly->terms[i].count; k++) {
            const ridge_factor *f = &poly->terms[i].factors[k];
            fault bad = atom(&value, f->atom, s);
            if (bad)
                return bad;
            for (uint32_t n = 0; n < f->power; n++)
                if (!ridge_rational_mul(&product, product, value))
                    return TOO_LARGE;
        }
        if (!ridge_rational_add(out, *out, product))
            return TOO_LARGE;
    }
    return FINE;
}

/* " where B = 1, S = 3" */
static const char *where(const sample *s, ridge_py_interp *in)
{
    ridge_buf text = {0};
    unsigned shown = 0;
    for (uint32_t i = 0; i < in->algebra.atom_count && shown < 6; i++) {
        const ridge_atom *a = in->algebra.atoms[i];
        char number[RIDGE_INT_CHARS];
        if (a->kind != RIDGE_ATOM_NAME || a->p || !s->atoms[i].read)
            continue;
        ridge_int_print(number, s->atoms[i].value.num);
        ridge_buf_addf(&text, "%s%s = %s", shown++ ? ", " : " where ", a->name, number);
    }
    const char *out = shown ? ridge_arena_take(in->arena, &text) : "";
    ridge_buf_free(&text);
    return out ? out : "";
}

static ridge_status judge(fault f, ridge_rational v, const ridge_rational *most, ridge_int limit, const char *role, const sample *s,
                          ridge_err *err)
{
    char number[RIDGE_INT_CHARS], other[RIDGE_INT_CHARS];
    ridge_int_print(number, v.num);
    if (f == BY_ZERO)
        return ridge_agent_refused(err, "%s: division by zero%s", role, where(s, s->in));
    if (f == TOO_LARGE)
        return ridge_agent_refused(err, "%s: a number beyond 128 bits%s", role, where(s, s->in));
    ridge_int_print(other, v.den);
    if (v.den != 1)
        return ridge_agent_refused(err, "%s: the fraction %s/%s%s, where a whole number is wanted", role, number, other, where(s, s->in));
    if (v.num < 0)
        return ridge_agent_refused(err, "%s: %s%s, below 0", role, number, where(s, s->in));
    if (most && ridge_rational_compare(v, *most) > 0) {
        ridge_int_print(other, most->num);
        return ridge_agent_refused(err, "%s: %s%s, more than the %s that there are", role, number, where(s, s->in), other);
    }
    if (s->here && v.num > limit)
        return ridge_agent_refused(err, "%s: %s%s, more than is plausible", role, number, where(s, s->in));
    return RIDGE_OK;
}

ridge_status ridge_agent_sample(const ridge_poly *poly, const ridge_poly *most, ridge_int limit, const char *role, ridge_py_interp *in,
                                ridge_err *err)
{
    sample s = {.in = in, .seed = 20261123, .here = true};
    unsigned tried = 0;
    const size_t atoms = in->algebra.atom_count + 1u;
    if (!(s.atoms = ridge_arena_array(in->arena, atoms, sizeof *s.atoms)))
        return ridge_no_memory(err);
    for (unsigned i = 0; i <= RIDGE_AGENT_SAMPLES; i++, s.here = false) {
        ridge_rational value = {0, 1}, bound = {0, 1};
        memset(s.atoms, 0, atoms * sizeof *s.atoms);
        fault f = evaluate(&value, poly, &s);
        if (f == NOT_KNOWN)
            continue;
        bool bounded = most && !evaluate(&bound, most, &s);
        ridge_status st = judge(f, value, bounded ? &bound : NULL, limit, role, &s, err);
        if (st)
            return st;
        tried++;
    }
    return tried > 0 ? RIDGE_OK : ridge_agent_refused(err, "%s: a formula that cannot be tried", role);
}
