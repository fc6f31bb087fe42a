/* Modules of one class and one form become one draft; the smallest modules first, so that what a module calls has its draft. */
#include "learn/template/draft.h"

#include "learn/template/spread.h"

const char *ridge_draft_formula(ridge_value v, const ridge_calc *calc)
{
    ridge_buf text = {0};
    ridge_value_print(&text, v);
    return ridge_arena_take(calc->arena, &text);
}

const char *ridge_draft_filled(const ridge_draft *d, const ridge_draft_member *m, const ridge_calc *calc)
{
    ridge_buf out = {0};
    if (!*m->text)
        return "";
    size_t n = m->first;
    for (const char *p = m->text; *p; p++)
        if (*p == RIDGE_DRAFT_HOLE)
            ridge_buf_addz(&out, d->formulas[n++]);
        else
            ridge_buf_addc(&out, *p);
    return ridge_arena_take(calc->arena, &out);
}

ridge_status ridge_draft_need_add(ridge_draft *d, const char *that, const char *why, const ridge_calc *calc)
{
    if (!that || !why || !ridge_arena_more(calc->arena, &d->needs, d->need_count, &d->need_cap, sizeof *d->needs))
        return ridge_no_memory(calc->err);
    d->needs[d->need_count++] = (ridge_draft_need){that, why};
    return RIDGE_OK;
}

/* ---- form ---- */

bool ridge_draft_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* the same entry but for its numbers */
static bool same_form(const ridge_description *a, const ridge_description *b)
{
    if (a->member_count != b->member_count || a->number_count != b->number_count)
        return false;
    for (size_t i = 0; i < a->member_count; i++) {
        const ridge_draft_member *x = &a->members[i], *y = &b->members[i];
        if (!ridge_draft_same_text(x->section, y->section) || !ridge_draft_same_text(x->key, y->key) ||
            !ridge_draft_same_text(x->text, y->text) || !ridge_draft_same_text(x->extra, y->extra))
            return false;
    }
    for (size_t i = 0; i < a->number_count; i++) /* rules over an index are part of the form */
        if (!a->numbers[i].raw != !b->numbers[i].raw || (a->numbers[i].raw && !ridge_draft_same_text(a->numbers[i].raw, b->numbers[i].raw)))
            return false;
    return true;
}

/* ---- the head of a decoder ---- */

/* Scores of words are wanted at every position or at the last one alone, as the workload says: where nothing but the head itself runs on
 * them, its rows have that name. */
static ridge_status name_head_rows(ridge_sketch *s, const ridge_sketches *sketches, const ridge_calc *calc)
{
    const ridge_sketch *root = sketches->root;
    ridge_value b, tokens, rows;
    bool keeps = false;
    ridge_status st;
    for (size_t i = 0; i < sketches->count; i++)
        keeps |= sketches->p[i]->cache_count > 0;
    if (!s->draft->known || s->parent != root || !s->role || !s->way || !ridge_draft_same_text(s->role, "head") || !keeps ||
        root->flops.n + root->reads.n > 0)
        return RIDGE_OK;
    if ((st = ridge_sym_name(&b, "B", 1, calc)) || (st = ridge_sym_name(&tokens, "S", 1, calc)) ||
        (st = ridge_value_binary(&tokens, RIDGE_OP_MUL, b, tokens, calc)) || (st = ridge_sym_name(&rows, "head_rows", 1, calc)))
        return st;
    if (s->values[0].type == RIDGE_V_SYM && ridge_value_equal(s->values[0], tokens))
        s->values[0] = rows;
    return RIDGE_OK;
}

/* ---- drafts of one height ---- */

/* sketches of one height that have no draft yet, and what they say */
typedef struct level {
    ridge_sketch **sketches;
    ridge_description **descriptions;
    size_t count, cap;
} level;

static ridge_status gather(level *l, const ridge_sketches *sketches, uint32_t height, ridge_drafts *drafts)
{
    ridge_arena *arena = drafts->calc->arena;
    size_t room = sketches->count + 1;
    *l = (level){.sketches = ridge_arena_array(arena, room, sizeof *l->sketches),
                 .descriptions = ridge_arena_array(arena, room, sizeof *l->descriptions)};
    if (!l->sketches || !l->descriptions)
        return ridge_no_memory(drafts->calc->err);
    for (size_t i = 0; i < sketches->count; i++) {
        ridge_sketch *s = sketches->p[i];
        if (s->height != height || ridge_draft_folds(s))
            continue;
        ridge_status st = drafts->block ? drafts->block(&s->draft, &s->values, s, drafts->data) : RIDGE_OK;
        if (!st && s->draft) {
            if ((st = name_head_rows(s, sketches, drafts->calc)))
                return st;
            continue;
        }
        ridge_description *d = ridge_arena_alloc(arena, sizeof *d);
        if (!st && !d)
            st = ridge_no_memory(drafts->calc->err);
        if (st || (st = ridge_describe(d, s, drafts)))
            return st;
        l->sketches[l->count] = s;
        l->descriptions[l->count++] = d;
    }
    return RIDGE_OK;
}

static bool key_is_taken(const ridge_drafts *drafts, const char *key)
{
    if (drafts->is_taken && drafts->is_taken(key, drafts->taken_data))
        return true;
    for (size_t i = 0; i < drafts->count; i++)
        if (ridge_draft_same_text(drafts->p[i]->key, key))
            return true;
    return false;
}

static const char *with_underscores(const char *path, ridge_arena *arena)
{
    ridge_buf text = {0};
    for (const char *p = path; *p; p++)
        if (*p == '.')
            ridge_buf_addz(&text, "__");
        else
            ridge_buf_addc(&text, *p);
    return ridge_arena_take(arena, &text);
}

/* the class path as a key; a container's is that of the class around it and its name there; "__2" where the class has another form already
 */
static ridge_status name_draft(ridge_draft *draft, const ridge_sketch *s, const ridge_drafts *drafts)
{
    ridge_arena *arena = drafts->calc->arena;
    const ridge_sketch *owner = s;
    while (owner->container && owner->parent)
        owner = owner->parent;
    const char *base = with_underscores(owner->class_path, arena);
    if (base && owner != s) {
        const char *below = with_underscores(s->path + (*owner->path ? strlen(owner->path) + 1 : 0), arena);
        base = below ? ridge_arena_printf(arena, "%s__%s", base, below) : NULL;
    }
    draft->key = base;
    if (base && drafts->is_taken && drafts->is_taken(base, drafts->taken_data)) /* the entry that is there stays as it is */
        draft->key = base = ridge_arena_printf(arena, "%s__learned", base);
    for (unsigned n = 2; draft->key && key_is_taken(drafts, draft->key); n++)
        draft->key = ridge_arena_printf(arena, "%s__%u", base, n);
    draft->class_path = s->class_path;
    return draft->key ? RIDGE_OK : ridge_no_memory(drafts->calc->err);
}

static ridge_status add_draft(ridge_drafts *drafts, ridge_draft *draft)
{
    if (!ridge_arena_more(drafts->calc->arena, &drafts->p, drafts->count, &drafts->cap, sizeof *drafts->p))
        return ridge_no_memory(drafts->calc->err);
    drafts->p[drafts->count++] = draft;
    return RIDGE_OK;
}

/* the draft of a sketch and of all after it that are like it */
static ridge_status draft_of(level *l, size_t at, ridge_drafts *drafts)
{
    ridge_arena *arena = drafts->calc->arena;
    ridge_draft *draft = ridge_arena_alloc(arena, sizeof *draft);
    ridge_description **of = ridge_arena_array(arena, l->count + 1, sizeof *of);
    const ridge_description *d = l->descriptions[at];
    ridge_status st;
    if (!draft || !of)
        return ridge_no_memory(drafts->calc->err);
    if ((st = name_draft(draft, l->sketches[at], drafts)) || (st = add_draft(drafts, draft)))
        return st;
    draft->members = d->members;
    draft->member_count = d->member_count;
    draft->number_count = d->number_count;
    for (size_t i = at; i < l->count; i++) {
        if (l->sketches[i]->draft || !ridge_draft_same_text(l->sketches[i]->class_path, draft->class_path) ||
            !same_form(d, l->descriptions[i]))
            continue;
        if (!ridge_arena_more(arena, &draft->instances, draft->instance_count, &draft->instance_cap, sizeof *draft->instances))
            return ridge_no_memory(drafts->calc->err);
        if (l->descriptions[i]->unknown)
            draft->unknown = l->descriptions[i]->unknown;
        l->sketches[i]->draft = draft;
        of[draft->instance_count] = l->descriptions[i];
        draft->instances[draft->instance_count++] = l->sketches[i];
    }
    return ridge_draft_generalise(draft, of, drafts->calc);
}

ridge_status ridge_drafts_make(ridge_drafts *out, const ridge_sketches *sketches)
{
    ridge_status st = RIDGE_OK;
    for (uint32_t height = 0; height <= sketches->root->height && !st; height++) {
        level l;
        st = gather(&l, sketches, height, out);
        for (size_t i = 0; i < l.count && !st; i++)
            if (!l.sketches[i]->draft)
                st = draft_of(&l, i, out);
    }
    for (size_t i = 0; i < out->count && !st; i++) /* the model's own entry is the last */
        if (out->p[i]->instance_count > 0)
            st = ridge_spread_needs(out->p[out->count - 1], out->p[i]->instances[0], out->calc);
    return st;
}
