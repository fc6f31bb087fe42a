/* Modules of one form, which differ in numbers: the fewest parameters from which all of them follow.
 * Whatever is chosen, every module gets the arguments that make the entry say its own numbers: a choice may be unhandy, never wrong. */
#include "learn/template/draft.h"

enum { FACTORS = 3 }; /* of a product of parameters */

/* one number of every instance */
typedef struct column {
    ridge_value *values; /* [count] */
    size_t count;
    const char *name;
} column;

typedef struct generaliser {
    ridge_draft *draft;
    const ridge_calc *calc;
    column *parameters; /* as in draft->parameters */
    size_t parameter_count, parameter_cap;
    column *candidates;
    size_t candidate_count, candidate_cap;
} generaliser;

static bool all_equal(const column *c)
{
    for (size_t i = 1; i < c->count; i++)
        if (c->values[i].type != c->values[0].type || !ridge_value_equal(c->values[i], c->values[0]))
            return false;
    return true;
}

static bool equal_columns(const column *a, const column *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->values[i].type != b->values[i].type || !ridge_value_equal(a->values[i], b->values[i]))
            return false;
    return true;
}

static bool is_number(const column *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->values[i].type != RIDGE_V_INT && c->values[i].type != RIDGE_V_RATIONAL && c->values[i].type != RIDGE_V_SYM)
            return false;
    return true;
}

static bool has_zero(const column *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (ridge_value_is_zero(c->values[i]))
            return true;
    return false;
}

static ridge_status push(generaliser *g, column **list, size_t *count, size_t *cap, column c)
{
    if (!ridge_arena_more(g->calc->arena, list, *count, cap, sizeof c))
        return ridge_no_memory(g->calc->err);
    (*list)[(*count)++] = c;
    return RIDGE_OK;
}

/* ---- candidates: arguments of __init__, sizes of the input ---- */

static const ridge_sketch_argument *argument(const ridge_sketch *s, const char *name)
{
    for (size_t i = 0; i < s->argument_count; i++)
        if (strcmp(s->arguments[i].name, name) == 0)
            return &s->arguments[i];
    return NULL;
}

static ridge_status candidates(generaliser *g)
{
    const ridge_draft *d = g->draft;
    const ridge_sketch *first = d->instances[0];
    ridge_status st = RIDGE_OK;
    for (size_t k = 0; k < first->argument_count && !st; k++) {
        column c = {ridge_arena_array(g->calc->arena, d->instance_count, sizeof *c.values), d->instance_count, first->arguments[k].name};
        if (!c.values)
            return ridge_no_memory(g->calc->err);
        bool everywhere = argument(first, c.name) == &first->arguments[k];
        for (size_t i = 0; i < c.count && everywhere; i++) {
            const ridge_sketch_argument *a = argument(d->instances[i], c.name);
            everywhere = a != NULL;
            c.values[i] = a ? a->value : ridge_value_none();
        }
        if (everywhere && !all_equal(&c))
            st = push(g, &g->candidates, &g->candidate_count, &g->candidate_cap, c);
    }
    return st;
}

/* ---- parameters ---- */

static bool name_is_taken(const generaliser *g, const char *name)
{
    for (size_t i = 0; i < g->parameter_count; i++)
        if (strcmp(g->parameters[i].name, name) == 0)
            return true;
    return false;
}

/* a name that formulas can use: no workload name, no word of the language */
static const char *usable(const generaliser *g, const char *name)
{
    static const char *const words[] = {
        "B",      "S",  "T",    "past", "enc", "image", "frames", "samples", "phase",          "attention", "act", "kv",
        "config", "if", "else", "for",  "in",  "not",   "and",    "or",      "weights_format", "head_rows", "i"};
    const char *out = name;
    bool bad = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        bad |= strcmp(words[i], name) == 0;
    for (size_t i = 0; i < g->draft->member_count; i++) /* a weight's name stands for its shape */
        bad |= strcmp(g->draft->members[i].section, "weights") == 0 && strcmp(g->draft->members[i].key, name) == 0;
    if (bad)
        out = ridge_arena_printf(g->calc->arena, "%s_", name);
    for (unsigned n = 2; out && name_is_taken(g, out); n++)
        out = ridge_arena_printf(g->calc->arena, "%s%u", name, n);
    return out;
}

static ridge_status add_parameter(generaliser *g, const column *c, const char *hint)
{
    ridge_draft *d = g->draft;
    column p = *c;
    if (!(p.name = usable(g, *hint >= '0' && *hint <= '9' ? ridge_arena_printf(g->calc->arena, "p%s", hint) : hint)))
        return ridge_no_memory(g->calc->err);
    if (!ridge_arena_more(g->calc->arena, &d->parameters, d->parameter_count, &d->parameter_cap, sizeof *d->parameters))
        return ridge_no_memory(g->calc->err);
    d->parameters[d->parameter_count++] = p.name;
    return push(g, &g->parameters, &g->parameter_count, &g->parameter_cap, p);
}

/* the parameter that is this column; with `make`, also a candidate that becomes one; NULL: none */
static ridge_status find(const column **out, generaliser *g, const column *c, bool make)
{
    *out = NULL;
    for (size_t i = 0; i < g->parameter_count && !*out; i++)
        if (equal_columns(&g->parameters[i], c))
            *out = &g->parameters[i];
    for (size_t i = 0; i < g->candidate_count && !*out && make; i++)
        if (equal_columns(&g->candidates[i], c)) {
            ridge_status st = add_parameter(g, c, g->candidates[i].name);
            *out = &g->parameters[g->parameter_count - 1];
            return st;
        }
    return RIDGE_OK;
}

/* ---- products ---- */

/* does it divide by something that is no number? */
static bool has_quotient(const ridge_poly *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->terms[i].count; k++)
            if (p->terms[i].factors[k].atom->kind == RIDGE_ATOM_RECIPROCAL)
                return true;
    return false;
}

/* a / b where b is a sum: one term of each tells what the quotient could be */
static ridge_status divide_by_sum(bool *fits, ridge_value *out, ridge_value a, ridge_value b, const ridge_calc *calc)
{
    *fits = false;
    for (uint32_t i = 0; a.type == RIDGE_V_SYM && i < a.u.sym->count && i < 8 && !*fits; i++) {
        ridge_value x, y, product;
        ridge_status st = ridge_value_of_term(&x, &a.u.sym->terms[i], calc);
        if (st || (st = ridge_value_of_term(&y, &b.u.sym->terms[0], calc)) || (st = ridge_value_binary(out, RIDGE_OP_DIV, x, y, calc)))
            return st;
        if (out->type == RIDGE_V_SYM && has_quotient(out->u.sym))
            continue;
        if ((st = ridge_value_binary(&product, RIDGE_OP_MUL, *out, b, calc)))
            return st;
        *fits = product.type == a.type && ridge_value_equal(product, a);
    }
    return RIDGE_OK;
}

/* a / b for every instance, where it comes out */
static ridge_status divide(bool *fits, column *out, const column *a, const column *b, const ridge_calc *calc)
{
    *fits = is_number(b) && !has_zero(b);
    *out = (column){ridge_arena_array(calc->arena, a->count, sizeof *out->values), a->count, NULL};
    if (!out->values)
        return ridge_no_memory(calc->err);
    for (size_t i = 0; i < a->count && *fits; i++) {
        bool sum = b->values[i].type == RIDGE_V_SYM && b->values[i].u.sym->count > 1;
        ridge_status st = sum ? divide_by_sum(fits, &out->values[i], a->values[i], b->values[i], calc)
                              : ridge_value_binary(&out->values[i], RIDGE_OP_DIV, a->values[i], b->values[i], calc);
        if (st)
            return st;
        *fits =
            *fits && (out->values[i].type == RIDGE_V_INT || (out->values[i].type == RIDGE_V_SYM && !has_quotient(out->values[i].u.sym)));
    }
    return RIDGE_OK;
}

static ridge_status product(const char **out, generaliser *g, const column *c, unsigned factors);

/* c as candidate times something */
static ridge_status with_factor(const char **out, generaliser *g, const column *c, const column *factor, unsigned factors)
{
    column rest;
    bool fits;
    const char *text;
    const column *named;
    *out = NULL;
    ridge_status st = divide(&fits, &rest, c, factor, g->calc);
    if (st || !fits)
        return st;
    if ((st = product(&text, g, &rest, factors - 1)) || !text)
        return st;
    if ((st = find(&named, g, factor, true)))
        return st;
    *out = strcmp(text, "1") == 0 ? named->name : ridge_arena_printf(g->calc->arena, "%s*%s", text, named->name);
    return *out ? RIDGE_OK : ridge_no_memory(g->calc->err);
}

/* a constant formula, a parameter, or a product of such; NULL: none of at most `factors` */
static ridge_status product(const char **out, generaliser *g, const column *c, unsigned factors)
{
    const column *named;
    ridge_status st;
    *out = NULL;
    if (all_equal(c)) {
        const char *text = ridge_draft_formula(c->values[0], g->calc);
        bool sum = text && (strchr(text, '+') || strchr(text, '-') || strchr(text, '/')) && text[0] != '(';
        *out = sum ? ridge_arena_printf(g->calc->arena, "(%s)", text) : text;
        return *out ? RIDGE_OK : ridge_no_memory(g->calc->err);
    }
    if ((st = find(&named, g, c, true)) || named) {
        *out = named ? named->name : NULL;
        return st;
    }
    if (!is_number(c))
        return RIDGE_OK;
    for (size_t i = 0; i < g->parameter_count && factors > 0 && !*out && !st; i++)
        st = with_factor(out, g, c, &g->parameters[i], factors);
    for (size_t i = 0; i < g->candidate_count && factors > 0 && !*out && !st; i++)
        st = with_factor(out, g, c, &g->candidates[i], factors);
    return st;
}

/* ---- formulas ---- */

static ridge_status formula(const char **out, generaliser *g, const column *c, const ridge_draft_number *n)
{
    ridge_status st;
    if (n->raw) {
        *out = n->raw;
        return RIDGE_OK;
    }
    for (size_t i = 0; i < c->count; i++)
        if (c->values[i].type == RIDGE_V_UNSET) {
            *out = "None";
            return RIDGE_OK;
        }
    if (all_equal(c)) {
        *out = ridge_draft_formula(c->values[0], g->calc);
        return *out ? RIDGE_OK : ridge_no_memory(g->calc->err);
    }
    if ((st = product(out, g, c, FACTORS)) || *out)
        return st;
    st = add_parameter(g, c, n->hint);
    *out = st ? NULL : g->parameters[g->parameter_count - 1].name;
    return st;
}

static ridge_status arguments(const generaliser *g)
{
    for (size_t i = 0; i < g->draft->instance_count; i++) {
        ridge_value *values = ridge_arena_array(g->calc->arena, g->parameter_count + 1, sizeof *values);
        if (!values)
            return ridge_no_memory(g->calc->err);
        for (size_t k = 0; k < g->parameter_count; k++)
            values[k] = g->parameters[k].values[i];
        g->draft->instances[i]->values = values;
    }
    return RIDGE_OK;
}

ridge_status ridge_draft_generalise(ridge_draft *draft, ridge_description *const *descriptions, const ridge_calc *calc)
{
    generaliser g = {.draft = draft, .calc = calc};
    ridge_status st = candidates(&g);
    if (!(draft->formulas = ridge_arena_array(calc->arena, draft->number_count + 1, sizeof *draft->formulas)))
        return ridge_no_memory(calc->err);
    for (size_t j = 0; j < draft->number_count && !st; j++) {
        column c = {ridge_arena_array(calc->arena, draft->instance_count, sizeof *c.values), draft->instance_count, NULL};
        if (!c.values)
            return ridge_no_memory(calc->err);
        for (size_t i = 0; i < c.count; i++)
            c.values[i] = descriptions[i]->numbers[j].value;
        st = formula(&draft->formulas[j], &g, &c, &descriptions[0]->numbers[j]);
    }
    return st ? st : arguments(&g);
}
