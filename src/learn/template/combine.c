/* Drafts of a variant into those of the first configuration: see combine.h.
 * A variant is held against the first configuration as it was (`pristine`), not against what other variants have made of it: each variant
 * flips one condition alone. Where two of them change the same formula, what holds with both flipped was never seen: the model refuses
 * that. */
#include "learn/template/combine.h"

typedef struct combiner {
    ridge_drafts *base;
    const ridge_drafts *variant;
    const char *when;
    const char **keys; /* [variant drafts]: under which key it stands now; NULL: not yet */
    /* A draft of the base says one thing where the condition holds: it stands for one draft of the variant, changed or as it is. */
    const ridge_draft **changed, **as_it_is;
    size_t changed_count, as_it_is_count;
    bool changes, grows; /* as in ridge_draft_flip */
    const ridge_calc *calc;
} combiner;

/* ---- texts of the variant, with the keys of now ---- */

/* every "{key}(" with the key it has now */
static const char *renamed(const char *text, const combiner *c)
{
    ridge_buf out = {0};
    if (!*text)
        return "";
    while (*text) {
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        size_t at = 0;
        while (end && at < c->variant->count &&
               (!c->keys[at] || strlen(c->variant->p[at]->key) != (size_t)(end - text - 1) ||
                strncmp(c->variant->p[at]->key, text + 1, (size_t)(end - text - 1)) != 0))
            at++;
        if (end && at < c->variant->count) {
            ridge_buf_addf(&out, "{%s}", c->keys[at]);
            text = end + 1;
        } else
            ridge_buf_addc(&out, *text++);
    }
    return ridge_arena_take(c->calc->arena, &out);
}

/* the variant's draft as it is now: with the keys of now */
static ridge_status translated(ridge_draft *out, const ridge_draft *v, const combiner *c)
{
    *out = *v;
    out->members = ridge_arena_array(c->calc->arena, v->member_count + 1, sizeof *out->members);
    out->formulas = ridge_arena_array(c->calc->arena, v->number_count + 1, sizeof *out->formulas);
    if (!out->members || !out->formulas)
        return ridge_no_memory(c->calc->err);
    for (size_t i = 0; i < v->member_count; i++) {
        out->members[i] = v->members[i];
        if (!(out->members[i].text = renamed(v->members[i].text, c)))
            return ridge_no_memory(c->calc->err);
    }
    for (size_t i = 0; i < v->number_count; i++)
        if (!(out->formulas[i] = renamed(v->formulas[i], c)))
            return ridge_no_memory(c->calc->err);
    return RIDGE_OK;
}

/* ---- equality ---- */

static const ridge_draft_member *member(const ridge_draft *d, const ridge_draft_member *like)
{
    for (size_t i = 0; i < d->member_count; i++)
        if (ridge_draft_same_text(d->members[i].section, like->section) && ridge_draft_same_text(d->members[i].key, like->key))
            return &d->members[i];
    return NULL;
}

static bool same_member(const ridge_draft *a, const ridge_draft_member *x, const ridge_draft *b, const ridge_draft_member *y)
{
    if (!ridge_draft_same_text(x->text, y->text) || !ridge_draft_same_text(x->extra, y->extra))
        return false;
    for (size_t i = 0; i < x->count; i++)
        if (!ridge_draft_same_text(a->formulas[x->first + i], b->formulas[y->first + i]))
            return false;
    return true;
}

static bool same_parameters(const ridge_draft *a, const ridge_draft *b)
{
    for (size_t i = 0; i < a->parameter_count && a->parameter_count == b->parameter_count; i++)
        if (!ridge_draft_same_text(a->parameters[i], b->parameters[i]))
            return false;
    return a->parameter_count == b->parameter_count;
}

static bool same_draft(const ridge_draft *a, const ridge_draft *b)
{
    if (!ridge_draft_same_text(a->class_path, b->class_path) || !same_parameters(a, b) || a->member_count != b->member_count)
        return false;
    for (size_t i = 0; i < a->member_count; i++) {
        const ridge_draft_member *y = member(b, &a->members[i]);
        if (!y || !same_member(a, &a->members[i], b, y))
            return false;
    }
    return true;
}

static const ridge_draft *before(const ridge_draft *d)
{
    return d->pristine ? d->pristine : d;
}

/* how often a part is called cannot be told by a condition: both must say the same */
static bool can_combine(const ridge_draft *b, const ridge_draft *v)
{
    if (!ridge_draft_same_text(b->class_path, v->class_path) || !same_parameters(b, v))
        return false;
    for (size_t i = 0; i < v->member_count; i++) {
        const ridge_draft_member *x = member(b, &v->members[i]), *y = member(before(b), &v->members[i]);
        if ((x && !ridge_draft_same_text(x->extra, v->members[i].extra)) || (y && !ridge_draft_same_text(y->extra, v->members[i].extra)))
            return false;
    }
    return true;
}

/* ---- one draft into another ---- */

static ridge_status keep_pristine(ridge_draft *b, const combiner *c)
{
    if (b->pristine)
        return RIDGE_OK;
    ridge_draft *old = ridge_arena_alloc(c->calc->arena, sizeof *old);
    if (!old)
        return ridge_no_memory(c->calc->err);
    *old = *b;
    b->pristine = old;
    b->members = ridge_arena_array(c->calc->arena, old->member_count + 1, sizeof *b->members);
    b->formulas = ridge_arena_array(c->calc->arena, old->number_count + 1, sizeof *b->formulas);
    if (!b->members || !b->formulas)
        return ridge_no_memory(c->calc->err);
    memcpy(b->members, old->members, old->member_count * sizeof *b->members);
    memcpy(b->formulas, old->formulas, old->number_count * sizeof *b->formulas);
    return RIDGE_OK;
}

static ridge_status note_conflict(const char *when, combiner *c)
{
    ridge_drafts *b = c->base;
    if (!ridge_arena_more(c->calc->arena, &b->conflicts, b->conflict_count, &b->conflict_cap, sizeof *b->conflicts))
        return ridge_no_memory(c->calc->err);
    const char *text = ridge_arena_printf(c->calc->arena, "not ((%s) and (%s))", c->when, when);
    if (!text)
        return ridge_no_memory(c->calc->err);
    for (size_t i = 0; i < b->conflict_count; i++)
        if (ridge_draft_same_text(b->conflicts[i], text))
            return RIDGE_OK;
    b->conflicts[b->conflict_count++] = text;
    return RIDGE_OK;
}

/* the flips that made a formula what it is */
static ridge_status conflicts_in(const char *formula, combiner *c)
{
    ridge_status st = RIDGE_OK;
    bool found = false;
    for (size_t i = 0; i < c->base->flip_count && !st; i++)
        if (strstr(formula, c->base->flips[i].when)) {
            st = note_conflict(c->base->flips[i].when, c);
            found = true;
        }
    for (size_t i = 0; i < c->base->flip_count && !st && !found; i++)
        st = note_conflict(c->base->flips[i].when, c);
    return st;
}

static size_t count_of(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, what)); p++)
        n++;
    return n;
}

/* Does `then` invoke the same entries, as often? */
static bool same_entries(const char *then, const char *otherwise)
{
    const char *p = strchr(then, '{'), *q = strchr(otherwise, '{');
    for (; p && q; p = strchr(p + 1, '{'), q = strchr(q + 1, '{')) {
        size_t n = strcspn(p, "("), m = strcspn(q, "(");
        if (n != m || strncmp(p, q, n) != 0)
            return false;
    }
    return !p && !q;
}

static void note_change(const char *then, const char *otherwise, combiner *c)
{
    c->changes = true;
    c->grows |= !same_entries(then, otherwise) || count_of(then, "config.") > count_of(otherwise, "config.");
}

/* does it have an `if` outside of brackets, which would take over what follows it? */
static bool is_choice(const char *text)
{
    int depth = 0;
    for (const char *p = text; *p; p++) {
        depth += *p == '(' || *p == '[' || *p == '{';
        depth -= *p == ')' || *p == ']' || *p == '}';
        if (depth == 0 && strncmp(p, " if ", 4) == 0)
            return true;
    }
    return false;
}

static const char *choice(const char *then, const char *otherwise, const combiner *c)
{
    bool nested = is_choice(then);
    return ridge_arena_printf(c->calc->arena, "%s%s%s if %s else %s", nested ? "(" : "", then, nested ? ")" : "", c->when, otherwise);
}

/* the whole member as one formula */
static ridge_status replace(ridge_draft *b, ridge_draft_member *m, const char *formula, const combiner *c)
{
    const char **formulas = ridge_arena_array(c->calc->arena, b->number_count + 2, sizeof *formulas);
    if (!formulas || !formula)
        return ridge_no_memory(c->calc->err);
    memcpy(formulas, b->formulas, b->number_count * sizeof *formulas);
    formulas[b->number_count] = formula;
    m->text = "\1";
    m->first = b->number_count++;
    m->count = 1;
    b->formulas = formulas;
    return RIDGE_OK;
}

static const char *nothing(const char *section)
{
    return ridge_draft_same_text(section, "flops") || ridge_draft_same_text(section, "reads") || ridge_draft_same_text(section, "writes")
               ? "0"
               : "None";
}

/* a member that the draft does not have, after the one that stands before it in the variant */
static ridge_status insert(ridge_draft_member **out, ridge_draft *b, const ridge_draft *v, const ridge_draft_member *like,
                           const combiner *c)
{
    size_t at = b->member_count;
    ridge_draft_member *members = ridge_arena_array(c->calc->arena, b->member_count + 2, sizeof *members);
    if (!members)
        return ridge_no_memory(c->calc->err);
    for (const ridge_draft_member *p = like; p-- > v->members && at == b->member_count;) {
        const ridge_draft_member *x = ridge_draft_same_text(p->section, like->section) ? member(b, p) : NULL;
        if (x)
            at = (size_t)(x - b->members) + 1;
    }
    memcpy(members, b->members, at * sizeof *members);
    memcpy(members + at + 1, b->members + at, (b->member_count - at) * sizeof *members);
    members[at] = (ridge_draft_member){like->section, like->key, "", like->extra, 0, 0};
    b->members = members;
    b->member_count++;
    *out = &members[at];
    return RIDGE_OK;
}

/* number by number, where the text is the same; else as a whole */
static ridge_status differ(ridge_draft *b, ridge_draft_member *now, const ridge_draft *v, const ridge_draft_member *other, combiner *c)
{
    const ridge_draft *old = b->pristine;
    const ridge_draft_member *was = member(old, now);
    ridge_status st = RIDGE_OK;
    if (other && was && ridge_draft_same_text(now->text, other->text) && ridge_draft_same_text(was->text, other->text)) {
        for (size_t i = 0; i < now->count && !st; i++) {
            const char **formula = &b->formulas[now->first + i], *then = v->formulas[other->first + i],
                       *first = old->formulas[was->first + i];
            if (ridge_draft_same_text(first, then))
                continue;
            if (!ridge_draft_same_text(*formula, first) && !ridge_draft_same_text(*formula, then))
                st = conflicts_in(*formula, c);
            note_change(then, first, c);
            if (!st && !(*formula = choice(then, *formula, c)))
                st = ridge_no_memory(c->calc->err);
        }
        return st;
    }
    const char *then = other ? ridge_draft_filled(v, other, c->calc) : nothing(now->section),
               *otherwise = ridge_draft_filled(b, now, c->calc);
    if (!then || !otherwise)
        return ridge_no_memory(c->calc->err);
    const char *first = was ? ridge_draft_filled(old, was, c->calc) : nothing(now->section);
    if (!first)
        return ridge_no_memory(c->calc->err);
    if (was ? !same_member(b, now, old, was) : *now->text != '\0')
        st = conflicts_in(otherwise, c);
    note_change(then, first, c);
    return st ? st : replace(b, now, choice(then, *now->text ? otherwise : nothing(now->section), c), c);
}

static ridge_status into(ridge_draft *b, const ridge_draft *v, combiner *c)
{
    ridge_status st = keep_pristine(b, c);
    if (v->unknown && !b->unknown)
        b->unknown = v->unknown;
    for (size_t i = 0; i < b->member_count && !st; i++) {
        const ridge_draft_member *was = member(b->pristine, &b->members[i]), *other = member(v, &b->members[i]);
        if (!was || (other && same_member(b->pristine, was, v, other)))
            continue;
        st = differ(b, &b->members[i], v, other, c);
    }
    for (size_t i = 0; i < v->member_count && !st; i++) {
        ridge_draft_member *now = (ridge_draft_member *)member(b, &v->members[i]);
        if (member(b->pristine, &v->members[i]))
            continue;
        if (!now && (st = insert(&now, b, v, &v->members[i], c)))
            return st;
        st = differ(b, now, v, &v->members[i], c);
    }
    return st;
}

/* ---- all drafts ---- */

static bool is_in(const ridge_draft *const *list, size_t count, const ridge_draft *d)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == d)
            return true;
    return false;
}

static ridge_draft *equal_draft(const combiner *c, const ridge_draft *v)
{
    for (size_t i = 0; i < c->base->count; i++)
        if (same_draft(before(c->base->p[i]), v) && !is_in(c->changed, c->changed_count, c->base->p[i]))
            return c->base->p[i];
    return NULL;
}

static ridge_draft *draft_of_key(const ridge_drafts *base, const char *key)
{
    for (size_t i = 0; i < base->count; i++)
        if (ridge_draft_same_text(base->p[i]->key, key))
            return base->p[i];
    return NULL;
}

/* a class that cannot be told by conditions, under a key of its own, before the model */
static ridge_status add(const char **key, const ridge_draft *v, combiner *c)
{
    ridge_drafts *b = c->base;
    ridge_draft *copy = ridge_arena_alloc(c->calc->arena, sizeof *copy);
    if (!copy || !ridge_arena_more(c->calc->arena, &b->p, b->count, &b->cap, sizeof *b->p))
        return ridge_no_memory(c->calc->err);
    *copy = *v;
    for (unsigned n = 2; copy->key && draft_of_key(b, copy->key); n++)
        copy->key = ridge_arena_printf(c->calc->arena, "%s__%u", v->key, n);
    if (!copy->key)
        return ridge_no_memory(c->calc->err);
    b->p[b->count] = b->p[b->count - 1]; /* the model stays the last */
    b->p[b->count - 1] = copy;
    b->count++;
    c->as_it_is[c->as_it_is_count++] = copy; /* another draft of the variant may have this key in the variant */
    *key = copy->key;
    return RIDGE_OK;
}

static ridge_status combine_one(size_t at, combiner *c)
{
    const bool is_model = at + 1 == c->variant->count;
    ridge_draft v;
    ridge_status st = translated(&v, c->variant->p[at], c);
    if (st)
        return st;
    ridge_draft *b = is_model ? c->base->p[c->base->count - 1] : equal_draft(c, &v);
    if (b && !is_model) {
        c->keys[at] = b->key;
        c->as_it_is[c->as_it_is_count++] = b;
        return RIDGE_OK;
    }
    if (!is_model)
        b = draft_of_key(c->base, v.key);
    bool taken = b && (is_in(c->changed, c->changed_count, b) || is_in(c->as_it_is, c->as_it_is_count, b));
    if (!b || taken || !can_combine(b, &v))
        return add(&c->keys[at], &v, c);
    c->keys[at] = b->key;
    c->changed[c->changed_count++] = b;
    return into(b, &v, c);
}

/* What a flip brings was seen without all other flips: where one brings something new, others may change that, too. */
static ridge_status add_flip(combiner *c)
{
    ridge_drafts *b = c->base;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < b->flip_count && !st; i++)
        if (c->changes && b->flips[i].changes && (c->grows || b->flips[i].grows))
            st = note_conflict(b->flips[i].when, c);
    if (st || !ridge_arena_more(c->calc->arena, &b->flips, b->flip_count, &b->flip_cap, sizeof *b->flips))
        return st ? st : ridge_no_memory(c->calc->err);
    b->flips[b->flip_count++] = (ridge_draft_flip){c->when, c->changes, c->grows};
    return RIDGE_OK;
}

ridge_status ridge_drafts_combine(bool *fits, ridge_drafts *base, const ridge_drafts *variant, const char *when)
{
    combiner c = {.base = base, .variant = variant, .when = when, .calc = base->calc};
    ridge_arena *arena = base->calc->arena;
    ridge_status st = RIDGE_OK;
    *fits = can_combine(base->p[base->count - 1], variant->p[variant->count - 1]);
    if (!*fits)
        return RIDGE_OK;
    c.keys = ridge_arena_array(arena, variant->count + 1, sizeof *c.keys);
    c.changed = ridge_arena_array(arena, variant->count + 1, sizeof *c.changed);
    c.as_it_is = ridge_arena_array(arena, variant->count + 1, sizeof *c.as_it_is);
    if (!c.keys || !c.changed || !c.as_it_is)
        return ridge_no_memory(base->calc->err);
    for (size_t i = 0; i < variant->count && !st; i++)
        st = combine_one(i, &c);
    return st ? st : add_flip(&c);
}

ridge_status ridge_drafts_agree(bool *agree, const ridge_drafts *base, const ridge_drafts *variant)
{
    combiner c = {.base = (ridge_drafts *)(uintptr_t)base, .variant = variant, .calc = base->calc};
    ridge_draft v;
    ridge_status st = RIDGE_OK;
    *agree = base->count == variant->count;
    if (!(c.keys = ridge_arena_array(base->calc->arena, variant->count + 1, sizeof *c.keys)))
        return ridge_no_memory(base->calc->err);
    for (size_t i = 0; i < variant->count && *agree && !st; i++) {
        if ((st = translated(&v, variant->p[i], &c)))
            break;
        const ridge_draft *same = equal_draft(&c, &v);
        *agree = same != NULL;
        c.keys[i] = same ? same->key : NULL;
    }
    return st;
}
