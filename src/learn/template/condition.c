/* What the runs asked: which conditions hold in each of them, and what those that hold in all of them say of numbers. */
#include "learn/template/lesson.h"

/* ---- reading ---- */

/* the run in which the interpreter's condition was asked first; NULL: the model was built then. *left_out: a run that failed */
static const ridge_derive_run *asked_in(bool *left_out, size_t at, const ridge_lesson *l)
{
    *left_out = false;
    if (at < l->built_conditions)
        return NULL;
    for (size_t i = 0; i < l->run_count; i++)
        if (at >= l->derived[i].first_condition && at < l->derived[i].last_condition)
            return &l->derived[i];
    *left_out = true;
    return NULL;
}

/* Formats are the workload's, how outputs are packed costs nothing, and what our own stand-ins ask is how inputs are made. */
static bool is_beside(const ridge_condition *c)
{
    const char *slash = c->file ? strrchr(c->file, '/') : NULL;
    const char *file = slash ? slash + 1 : "";
    if (strcmp(file, "copy.py") == 0) /* deepcopy asks what it copies */
        return true;
    if (strcmp(file, "sparse.py") == 0 && strstr(c->text, "pad_token_id")) /* which row of a table stays 0 */
        return true;
    return strstr(c->text, "dtype") || strstr(c->text, "return_dict") || strncmp(file, "_ridge", 6) == 0;
}

/* which fields of the config it speaks of, and whether it says how often something is repeated */
static void note_fields(ridge_lesson *l, const ridge_sketch_condition *c)
{
    for (size_t i = 0; i < l->field_count; i++) {
        ridge_draft_field *f = &l->fields[i];
        size_t n = strlen(f->name);
        f->asked |= strstr(c->text, f->name) != NULL;
        if (!c->loop || f->file || strncmp(c->text, f->name, n) != 0 || strncmp(c->text + n, " == ", 4) != 0 ||
            f->value.type != RIDGE_V_INT)
            continue;
        f->file = c->file;
        f->line = c->line;
    }
}

/* Sizes of 1 and an empty cache make differences that nobody asks for: whether memory is in order, what is broadcast. */
static ridge_status add_sizes(ridge_lesson *l)
{
    static const struct {
        const char *name, *text;
        int least;
    } sizes[] = {{"B", "B == 1", 1}, {"S", "S == 1", 1}, {"past", "past == 0", 0}};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !st; i++) {
        ridge_sketch_condition *c = &l->conditions[l->condition_count++];
        ridge_value v;
        *c = (ridge_sketch_condition){.text = sizes[i].text, .separates = true};
        if (!(st = ridge_sym_name(&v, sizes[i].name, sizes[i].least, &l->calc)))
            st = ridge_value_binary(&c->value, RIDGE_OP_EQ, v, ridge_value_int(sizes[i].least), &l->calc);
    }
    return st;
}

static ridge_status read(ridge_lesson *l)
{
    const ridge_py_interp *in = &l->d.in;
    if (!(l->conditions = ridge_arena_array(l->calc.arena, in->condition_count + 4, sizeof *l->conditions)))
        return ridge_no_memory(l->calc.err);
    ridge_status st = add_sizes(l);
    for (size_t i = 0; i < in->condition_count && !st; i++) {
        const ridge_condition *from = &in->conditions[i];
        bool left_out;
        const ridge_derive_run *run = asked_in(&left_out, i, l);
        if (i >= l->d.config.first_condition && i < l->d.config.last_condition)
            continue; /* of what config.json says; the entries ask what the config has */
        if (left_out || is_beside(from))
            continue;
        ridge_translation t = {.calc = &l->calc};
        if (run)
            ridge_lesson_rename(&t, l, &run->workload);
        ridge_sketch_condition *c = &l->conditions[l->condition_count++];
        *c = (ridge_sketch_condition){.text = from->text, .file = from->file, .line = from->line, .holds = from->holds, .loop = from->loop};
        st = ridge_translate(&c->value, from->sym, &t);
        bool renamed = run && t.fixed_count > 0;
        if (!st && renamed && c->value.type == RIDGE_V_SYM && !(c->shown = ridge_draft_formula(c->value, &l->calc)))
            st = ridge_no_memory(l->calc.err);
        note_fields(l, c);
    }
    return st;
}

/* ---- truths ---- */

/* S == 7: something counted to the number of tokens, or computed with it as such. Sizes of 1 and 0 are not meant: runs are on both sides of
 * them. */
static bool is_pin(const ridge_sketch_condition *c)
{
    const ridge_poly *p = c->value.type == RIDGE_V_SYM ? c->value.u.sym : NULL;
    const ridge_atom *a = p && p->count == 1 && p->terms[0].count == 1 ? p->terms[0].factors[0].atom : NULL;
    if (!a || a->kind != RIDGE_ATOM_ZERO || c->separates || !c->holds)
        return false;
    bool constant = false, large = false;
    for (uint32_t i = 0; i < a->p->count; i++) {
        const ridge_term *t = &a->p->terms[i];
        if (t->count == 0) {
            constant = true;
            large = t->coefficient.num > 1 || t->coefficient.num < -1;
        }
        for (uint32_t k = 0; k < t->count; k++)
            if (t->factors[k].atom->kind == RIDGE_ATOM_NAME && strncmp(t->factors[k].atom->name, "config.", 7) == 0)
                return false; /* not the workload's number alone */
    }
    return constant && large;
}

static ridge_status truths(ridge_sketch_condition *c, const ridge_lesson *l)
{
    bool yes = false, no = false;
    c->known = c->value.type == RIDGE_V_SYM;
    for (size_t r = 0; r < l->run_count && c->known; r++) {
        ridge_translation t = {.calc = &l->calc, .fixed = l->runs[r].names, .fixed_count = l->runs[r].name_count};
        ridge_value v;
        ridge_status st = ridge_translate(&v, c->value.u.sym, &t);
        if (st == RIDGE_NOMEM)
            return st;
        if (st) { /* a division by 0: this run never came to ask */
            ridge_err_clear(l->calc.err);
            c->known = false;
            break;
        }
        c->known = v.type == RIDGE_V_INT || v.type == RIDGE_V_BOOL;
        c->truth[r] = v.type == RIDGE_V_INT ? v.u.i != 0 : v.u.b;
        yes |= c->truth[r];
        no |= !c->truth[r];
    }
    c->both = c->known && yes && no;
    c->pins = is_pin(c);
    return RIDGE_OK;
}

/* A condition in the light of the facts so far: many follow from them. */
static ridge_status in_the_light(ridge_sketch_condition *c, const ridge_lesson *l)
{
    ridge_translation t = {.calc = &l->calc, .facts = l->facts, .fact_count = l->fact_count};
    ridge_value old = c->value;
    if (c->is_fact || c->separates || old.type != RIDGE_V_SYM || l->fact_count == 0)
        return RIDGE_OK;
    ridge_status st = ridge_translate(&c->value, old.u.sym, &t);
    if (st || c->value.type != RIDGE_V_SYM || ridge_value_equal(old, c->value))
        return st;
    c->shown = ridge_draft_formula(c->value, &l->calc);
    return c->shown ? truths(c, l) : ridge_no_memory(l->calc.err);
}

/* ---- facts ---- */

/* the one atom that the value is; NULL: it is more, or a number */
static const ridge_atom *only_atom(ridge_value v)
{
    const ridge_poly *p = v.type == RIDGE_V_SYM ? v.u.sym : NULL;
    if (!p || p->count != 1 || p->terms[0].count != 1 || p->terms[0].factors[0].power != 1 || p->terms[0].coefficient.num != 1 ||
        p->terms[0].coefficient.den != 1)
        return NULL;
    return p->terms[0].factors[0].atom;
}

static ridge_value value_of(const ridge_poly *p)
{
    ridge_value v = {.type = RIDGE_V_SYM};
    v.u.sym = p;
    if (p->count == 0)
        return ridge_value_int(0);
    if (p->count == 1 && p->terms[0].count == 0 && p->terms[0].coefficient.den == 1)
        return ridge_value_int(p->terms[0].coefficient.num);
    return v;
}

static ridge_status add_fact(ridge_lesson *l, ridge_sketch_condition *c, ridge_value low, ridge_value high)
{
    ridge_value *fact = &l->facts[l->fact_count];
    ridge_status st = ridge_value_binary(fact, RIDGE_OP_SUB, high, low, &l->calc);
    if (st || fact->type != RIDGE_V_SYM)
        return st;
    l->fact_count++;
    c->is_fact = true;
    const char *a = ridge_draft_formula(low, &l->calc), *b = ridge_draft_formula(high, &l->calc);
    c->shown = a && b ? ridge_arena_printf(l->calc.arena, "%s <= %s", a, b) : NULL;
    return c->shown ? RIDGE_OK : ridge_no_memory(l->calc.err);
}

/* min(p, q) == p says p <= q */
static ridge_status fact_of_minimum(ridge_lesson *l, ridge_sketch_condition *c, const ridge_poly *difference)
{
    for (uint32_t i = 0; i < difference->count && !c->is_fact; i++) {
        const ridge_term *t = &difference->terms[i];
        const ridge_atom *a = t->count == 1 && t->factors[0].power == 1 ? t->factors[0].atom : NULL;
        if (!a || (a->kind != RIDGE_ATOM_MIN && a->kind != RIDGE_ATOM_MAX) || t->coefficient.den != 1 ||
            (t->coefficient.num != 1 && t->coefficient.num != -1))
            continue;
        bool maximum = a->kind == RIDGE_ATOM_MAX;
        ridge_value p = value_of(a->p), q = value_of(a->q), is, rest = value_of(difference);
        ridge_value one = {.type = RIDGE_V_SYM};
        ridge_status st = ridge_value_rational(&one, t->coefficient, &l->calc);
        /* difference = s*atom + R = 0, so atom = atom - difference/s */
        ridge_value atom;
        if (st || (st = ridge_sym_min_max(&atom, maximum, p, q, &l->calc)) ||
            (st = ridge_value_binary(&rest, RIDGE_OP_MUL, rest, one, &l->calc)) ||
            (st = ridge_value_binary(&is, RIDGE_OP_SUB, atom, rest, &l->calc)))
            return st;
        if (ridge_value_equal(is, p))
            st = add_fact(l, c, maximum ? q : p, maximum ? p : q);
        else if (ridge_value_equal(is, q))
            st = add_fact(l, c, maximum ? p : q, maximum ? q : p);
        if (st)
            return st;
    }
    return RIDGE_OK;
}

/* what a condition that has one truth in all runs says */
static ridge_status fact_of(ridge_lesson *l, ridge_sketch_condition *c)
{
    const ridge_atom *a = only_atom(c->value);
    if (!a || !c->known || c->both || c->separates || c->loop || c->is_fact || c->truth[0] != c->holds)
        return RIDGE_OK;
    if (a->kind == RIDGE_ATOM_ZERO && c->holds)
        return fact_of_minimum(l, c, a->p);
    if (a->kind != RIDGE_ATOM_NOT_NEGATIVE)
        return RIDGE_OK;
    ridge_value p = value_of(a->p), fact = p;
    ridge_status st = c->holds ? RIDGE_OK : ridge_value_binary(&fact, RIDGE_OP_SUB, ridge_value_int(-1), p, &l->calc);
    if (!st && fact.type == RIDGE_V_SYM) {
        l->facts[l->fact_count++] = fact;
        c->is_fact = true;
    }
    return st;
}

ridge_status ridge_lesson_conditions(ridge_lesson *l)
{
    l->condition_count = l->fact_count = 0;
    ridge_status st = read(l);
    if (!st && !(l->facts = ridge_arena_array(l->calc.arena, l->condition_count + 1, sizeof *l->facts)))
        st = ridge_no_memory(l->calc.err);
    for (size_t i = 0; i < l->condition_count && !st; i++)
        if (!(st = truths(&l->conditions[i], l)) && !(st = in_the_light(&l->conditions[i], l)))
            st = fact_of(l, &l->conditions[i]);
    for (size_t i = 0; i < l->condition_count && !st; i++)
        st = in_the_light(&l->conditions[i], l);
    return st;
}
