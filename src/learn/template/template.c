/* A model's source to catalog entries: what its configuration teaches, what variants of it add, written down. */
#include "learn/template/template.h"

#include "learn/template/combine.h"
#include "learn/template/config.h"
#include "learn/template/variant.h"
#include "learn/template/write.h"

#define TIED "config.tie_word_embeddings"

enum { FORMULA_LIMIT = 65536 }; /* docs/formula.md */

typedef struct learner {
    ridge_lesson *base, *variants[RIDGE_VARIANTS];
    ridge_template_variant *flips; /* of the variants, in their order */
    size_t variant_count;
    ridge_algebra algebra;
    ridge_calc calc;
    ridge_draft *model;
    ridge_lesson_doubts doubts;
} learner;

static bool goes_on(char c)
{
    return c == '_' || c == '[' || c == '.' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* ---- conditions ---- */

static const ridge_sketch_condition *find(const ridge_lesson *l, const char *text)
{
    for (size_t i = 0; i < l->condition_count; i++)
        if (strcmp(l->conditions[i].text, text) == 0)
            return &l->conditions[i];
    return NULL;
}

/* a loop's count that the entries repeat by */
static bool is_counted(const ridge_sketch_condition *c, const ridge_lesson *l)
{
    for (size_t i = 0; i < l->field_count && c->loop; i++) {
        size_t n = strlen(l->fields[i].name);
        if (l->fields[i].counts && strncmp(c->text, l->fields[i].name, n) == 0 && strncmp(c->text + n, " == ", 4) == 0)
            return true;
    }
    return false;
}

/* Do the entries say what happens on both sides, or is there but one? */
static bool is_resolved(const ridge_sketch_condition *c, const ridge_lesson *l, const learner *all)
{
    if (c->pins)
        return false;
    if (c->both || c->separates || c->value.type == RIDGE_V_INT || c->value.type == RIDGE_V_BOOL || is_counted(c, l))
        return true;
    for (size_t i = 0; i < l->blocks.word_count; i++)
        if (l->blocks.words[i] == c)
            return true;
    for (size_t i = 0; i < all->variant_count; i++)
        if (strcmp(all->flips[i].condition, c->text) == 0)
            return true;
    return false;
}

static ridge_status add_need(learner *l, const ridge_sketch_condition *c, const char *that)
{
    const char *slash = c && c->file ? strrchr(c->file, '/') : NULL;
    const char *why = c ? ridge_arena_printf(l->calc.arena, "asked in %s:%u, and no run went the other way",
                                             slash     ? slash + 1
                                             : c->file ? c->file
                                                       : "the source",
                                             c->line)
                        : "each was tried alone, and what they do together was not seen";
    return ridge_draft_need_add(l->model, that, why, &l->calc);
}

static const char *as_held(const ridge_sketch_condition *c, const learner *l)
{
    const char *text = c->shown ? c->shown : c->text;
    return c->holds ? text : ridge_arena_printf(l->calc.arena, "not (%s)", text);
}

/* A condition that has the other truth where something was flipped must have it there. */
static ridge_status need_of_base(learner *l, const ridge_sketch_condition *c)
{
    const char *that = as_held(c, l);
    for (size_t i = 0; i < l->variant_count && that; i++) {
        const ridge_sketch_condition *other = find(l->variants[i], c->text);
        if (other && other->holds != c->holds)
            that = ridge_arena_printf(l->calc.arena, "(%s) if %s else (%s)", as_held(other, l), l->flips[i].when, that);
    }
    return add_need(l, c, that);
}

/* the same condition, asked before? */
static bool is_repeated(const ridge_lesson *l, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (l->conditions[i].value.type == RIDGE_V_SYM && l->conditions[at].value.type == RIDGE_V_SYM &&
            l->conditions[i].holds == l->conditions[at].holds && l->conditions[i].value.u.sym == l->conditions[at].value.u.sym)
            return true;
    return false;
}

static ridge_status needs(learner *l)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < l->base->condition_count && !st; i++)
        if (!is_resolved(&l->base->conditions[i], l->base, l) && !is_repeated(l->base, i))
            st = need_of_base(l, &l->base->conditions[i]);
    for (size_t k = 0; k < l->variant_count && !st; k++)
        for (size_t i = 0; i < l->variants[k]->condition_count && !st; i++) {
            const ridge_sketch_condition *c = &l->variants[k]->conditions[i];
            if (find(l->base, c->text) || is_resolved(c, l->variants[k], l) || is_repeated(l->variants[k], i))
                continue;
            st = add_need(l, c, ridge_arena_printf(l->calc.arena, "(%s) if %s else True", as_held(c, l), l->flips[k].when));
        }
    return st;
}

/* ---- variants ---- */

/* A variant that cannot be built or run teaches nothing: its condition stays one that must hold. */
static ridge_status take_variant(learner *l, const ridge_derive_request *request, const ridge_template_variant *flip)
{
    ridge_lesson *lesson = ridge_arena_alloc(l->calc.arena, sizeof *lesson);
    ridge_derive_request other = *request;
    ridge_status st = ridge_variant_config(&other.config, l->base->d.json, flip, &l->calc);
    if (!lesson)
        return ridge_no_memory(l->calc.err);
    if (st || (st = ridge_lesson_take(lesson, &other, &l->doubts, l->base->drafts.is_taken, l->base->drafts.taken_data, &l->calc)) ||
        lesson->run_count != l->base->run_count) {
        ridge_err_clear(l->calc.err);
        return st == RIDGE_NOMEM ? ridge_no_memory(l->calc.err) : RIDGE_OK;
    }
    const ridge_sketch_condition *c = find(lesson, flip->condition);
    if (!c || c->holds == flip->holds)
        return RIDGE_OK; /* it did not flip */
    bool fits;
    if ((st = ridge_drafts_combine(&fits, &l->base->drafts, &lesson->drafts, flip->when)) || !fits)
        return st;
    l->flips[l->variant_count] = *flip;
    l->variants[l->variant_count++] = lesson;
    return RIDGE_OK;
}

static const ridge_draft_field *field_of(const ridge_lesson *l, const char *name)
{
    for (size_t i = 0; i < l->field_count; i++)
        if (strcmp(l->fields[i].name, name) == 0)
            return &l->fields[i];
    return NULL;
}

/* Is a field what it was, because the config works it out of others, whatever is given? */
static bool is_unchanged(const ridge_lesson *lesson, const ridge_lesson *base, const char *path)
{
    for (size_t i = 0; i < base->field_count; i++) {
        const ridge_draft_field *f = &base->fields[i], *now = field_of(lesson, f->name);
        if (strcmp(f->name + strlen("config."), path) == 0)
            return now && now->value.type == f->value.type && ridge_value_equal(now->value, f->value);
    }
    return false;
}

/* Do the entries follow when the config is another? *tried false: the model takes no such config, or makes the same of it. */
static ridge_status follows(bool *follow, bool *tried, learner *l, const ridge_derive_request *request,
                            const ridge_template_variant *variant)
{
    ridge_lesson *lesson = ridge_arena_alloc(l->calc.arena, sizeof *lesson);
    ridge_derive_request other = *request;
    *follow = *tried = false;
    if (!lesson)
        return ridge_no_memory(l->calc.err);
    ridge_status st = ridge_variant_config(&other.config, l->base->d.json, variant, &l->calc);
    if (!st)
        st = ridge_lesson_take(lesson, &other, &l->doubts, l->base->drafts.is_taken, l->base->drafts.taken_data, &l->calc);
    if (st || lesson->run_count != l->base->run_count || is_unchanged(lesson, l->base, variant->path)) {
        ridge_err_clear(l->calc.err);
        return st == RIDGE_NOMEM ? ridge_no_memory(l->calc.err) : RIDGE_OK;
    }
    *tried = true;
    return ridge_drafts_agree(follow, &l->base->drafts, &lesson->drafts);
}

/* What is done once for each layer outside of a list of layers may be said as a number: one layer more shows it. */
static ridge_status count_holds(bool *holds, learner *l, const ridge_derive_request *request, const ridge_draft_field *field)
{
    ridge_template_variant longer;
    bool tried = false;
    ridge_status st = ridge_variant_longer(&longer, field, l->base);
    if (!st)
        st = follows(holds, &tried, l, request, &longer);
    *holds |= !tried;
    return st;
}

/* Does a rule by this field hold where the field is another? One that could not be tried does not. */
static ridge_status rule_holds(bool *holds, learner *l, const ridge_derive_request *request, const ridge_draft_field *field)
{
    bool tried = false;
    ridge_status st = RIDGE_OK;
    *holds = false;
    for (unsigned which = 0; which < 4 && !tried && !st; which++) {
        ridge_template_variant other;
        st = field->counts ? ridge_variant_longer(&other, field, l->base) : ridge_variant_other(&other, field, which, &l->calc);
        if (!st && other.value)
            st = follows(holds, &tried, l, request, &other);
    }
    return st;
}

/* A rule by a field may hold by chance: the last of three layers is another one, and config.num_feature_levels is 3, too. */
static ridge_status doubt_rules(bool *doubted, learner *l, const ridge_derive_request *request)
{
    ridge_lesson *b = l->base;
    ridge_status st = RIDGE_OK;
    *doubted = false;
    for (size_t i = 0; i < b->field_count && !st; i++) {
        const ridge_draft_field *f = &b->fields[i];
        bool holds;
        if (!f->rules || f->doubted || (st = rule_holds(&holds, l, request, f)) || holds)
            continue;
        if (!ridge_arena_more(l->calc.arena, &l->doubts.names, l->doubts.count, &l->doubts.cap, sizeof *l->doubts.names))
            return ridge_no_memory(l->calc.err);
        l->doubts.names[l->doubts.count++] = f->name;
        *doubted = true;
    }
    return st;
}

/* the given configuration's lesson, without rules that hold for it alone */
static ridge_status take_base(learner *l, const ridge_derive_request *request, bool (*is_taken)(const char *key, void *data), void *data)
{
    bool doubted = true;
    ridge_status st = RIDGE_OK;
    for (unsigned round = 0; round < 3 && doubted && !st; round++)
        if (!(st = ridge_lesson_take(l->base, request, &l->doubts, is_taken, data, &l->calc)))
            st = doubt_rules(&doubted, l, request);
    return st;
}

/* a number that the entries repeat by, and do not follow, must be what it was */
static ridge_status counts(learner *l, const ridge_derive_request *request)
{
    ridge_lesson *b = l->base;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < b->field_count && !st; i++) {
        const ridge_draft_field *f = &b->fields[i];
        bool holds = true;
        if (!f->counts || f->value.type != RIDGE_V_INT || (st = count_holds(&holds, l, request, f)) || holds)
            continue;
        st = ridge_draft_need_add(l->model, ridge_arena_printf(l->calc.arena, "%s == %lld", f->name, (long long)f->value.u.i),
                                  "with one more, something outside of the list is another, too", &l->calc);
    }
    return st;
}

static ridge_status variants(learner *l, const ridge_derive_request *request)
{
    ridge_template_variant *all;
    size_t count;
    ridge_status st = ridge_variants_choose(&all, &count, l->base);
    if (!st && !(l->flips = ridge_arena_array(l->calc.arena, count + 1, sizeof *l->flips)))
        st = ridge_no_memory(l->calc.err);
    for (unsigned pass = 0; pass < 2; pass++) /* what is tied comes first: one wants it of every model */
        for (size_t i = 0; i < count && l->variant_count < RIDGE_VARIANTS && !st; i++)
            if ((strcmp(all[i].condition, TIED) == 0) == (pass == 0))
                st = take_variant(l, request, &all[i]);
    return st;
}

/* Where weights were tied and where they were not: what is tied in both is whatever the config says. False: one of them was never seen. */
static bool lessons_of_ties(const ridge_lesson **tied, const ridge_lesson **untied, const learner *l)
{
    *tied = *untied = l->base;
    for (size_t i = 0; i < l->variant_count; i++)
        if (strcmp(l->flips[i].condition, TIED) == 0) {
            *(l->flips[i].holds ? untied : tied) = l->variants[i];
            return true;
        }
    return false;
}

/* Of what is tied nowhere but in a model that is said not to be: that cannot be written, so the model must be tied. */
static ridge_status ties(learner *l)
{
    const ridge_lesson *tied, *untied;
    if (!lessons_of_ties(&tied, &untied, l))
        return RIDGE_OK;
    const ridge_sketches *a = &tied->runs[0].sketches, *b = &untied->runs[0].sketches;
    bool all = true;
    for (size_t i = 0; i < b->tie_count && all; i++) {
        bool found = false;
        for (size_t k = 0; k < a->tie_count && !found; k++)
            found = strcmp(a->ties[k].path, b->ties[i].path) == 0 && strcmp(a->ties[k].target, b->ties[i].target) == 0;
        all = found;
    }
    return all ? RIDGE_OK : ridge_draft_need_add(l->model, TIED, "without it, other weights are tied", &l->calc);
}

/* a size that formulas use; how often something is repeated is none */
static bool is_size(const ridge_draft_field *f, const ridge_drafts *drafts)
{
    if (f->value.type != RIDGE_V_INT || f->value.u.i < 1 || f->counts)
        return false;
    size_t n = strlen(f->name);
    for (size_t i = 0; i < drafts->count; i++)
        for (size_t k = 0; k < drafts->p[i]->number_count; k++)
            for (const char *p = drafts->p[i]->formulas[k]; p && (p = strstr(p, f->name)); p += n)
                if (!goes_on(p[n]))
                    return true;
    return false;
}

/* Whether memory is in order depends on which sizes are 1, which nobody asks: they are where they were. */
static ridge_status sizes_of_one(learner *l)
{
    const ridge_lesson *b = l->base;
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < b->field_count && !st; i++) {
        const ridge_draft_field *f = &b->fields[i];
        if (!is_size(f, &b->drafts))
            continue;
        bool one = f->value.u.i == 1;
        const char *that = ridge_arena_printf(l->calc.arena, one ? "%s == 1" : "%s != 1", f->name);
        for (size_t k = 0; k < l->variant_count && that; k++) {
            const ridge_draft_field *other = field_of(l->variants[k], f->name);
            if (other && other->value.type == RIDGE_V_INT && (other->value.u.i == 1) != one)
                that = ridge_arena_printf(l->calc.arena, one ? "(%s != 1) if %s else (%s)" : "(%s == 1) if %s else (%s)", f->name,
                                          l->flips[k].when, that);
        }
        st = ridge_draft_need_add(l->model, that, "sizes of 1 change how tensors lie in memory, and no run went the other way", &l->calc);
    }
    return st;
}

/* A config of several hands on whether weights are tied: where a part of it must (not) say so, the whole must (not), too. */
static ridge_status ties_of_parts(learner *l)
{
    const ridge_draft_field *whole = field_of(l->base, TIED);
    static const char part[] = ".tie_word_embeddings";
    bool asked = false;
    for (size_t i = 0; i < l->model->need_count; i++) {
        const char *that = l->model->needs[i].that, *at = strstr(that, part), *whole_at = strstr(that, TIED);
        asked |= at && (!whole_at || at != whole_at + strlen("config") || (whole_at > that && goes_on(whole_at[-1])));
    }
    if (!asked || !whole || whole->value.type != RIDGE_V_BOOL)
        return RIDGE_OK;
    return ridge_draft_need_add(l->model, whole->value.u.b ? TIED : "not (" TIED ")", "a part of the config may take it from here",
                                &l->calc);
}

/* flips that change the same number, each alone */
static ridge_status conflicts(learner *l)
{
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < l->base->drafts.conflict_count && !st; i++)
        st = add_need(l, NULL, l->base->drafts.conflicts[i]);
    return st;
}

/* ---- all of it ---- */

/* an object's text, taken from its buffer; first: of its writer */
static ridge_status taken(const char **out, ridge_json_writer *w, ridge_buf *text, const ridge_calc *calc)
{
    ridge_jw_end_object(w);
    *out = ridge_arena_take(calc->arena, text);
    return *out ? RIDGE_OK : ridge_no_memory(calc->err);
}

static ridge_status write_entries(const char **out, learner *l, const char *answered)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_lesson *b = l->base;
    ridge_template_text about = {
        .package = &b->d.package, .library = b->d.library, .version = b->d.version, .answered = answered, .calc = &l->calc};
    const ridge_lesson *tied, *untied;
    about.model = l->model;
    about.tied_when = lessons_of_ties(&tied, &untied, l) ? TIED : NULL;
    about.ties = tied->runs[0].sketches.ties;
    about.tie_count = tied->runs[0].sketches.tie_count;
    about.always = &untied->runs[0].sketches;
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    ridge_status st = ridge_template_write(&w, &b->drafts, &about);
    return st ? st : taken(out, &w, &text, &l->calc);
}

/* the config's entry says which fields there are: those that the entries use */
static ridge_status write(ridge_template_answer *out, learner *l, const char *answered)
{
    ridge_buf text = {0};
    ridge_json_writer w;
    const char *entries, *config;
    ridge_status st = write_entries(&entries, l, answered);
    ridge_jw_init(&w, &text);
    ridge_jw_object(&w);
    if (!st)
        st = ridge_template_config(&w, &l->base->d, out->model, entries, &l->base->derived[0].workload, &l->calc);
    if (st || (st = taken(&config, &w, &text, &l->calc)))
        return st;
    size_t n = strlen(config);
    while (n > 0 && (config[n - 1] == '}' || config[n - 1] == '\n') && config[n - 1] != '{')
        if (config[--n] == '}')
            break;
    bool alone = n < 3; /* no config of a library */
    out->text = ridge_arena_printf(l->calc.arena, "%.*s%s%s\n", alone ? 0 : (int)n, config, alone ? "{" : ",", entries + 1);
    return out->text ? RIDGE_OK : ridge_no_memory(l->calc.err);
}

static ridge_status learn(ridge_template_answer *out, const ridge_derive_request *request, bool (*is_taken)(const char *key, void *data),
                          void *data, ridge_arena *arena, ridge_err *err)
{
    learner *l = ridge_arena_alloc(arena, sizeof *l);
    *out = (ridge_template_answer){0};
    if (!l || !(l->base = ridge_arena_alloc(arena, sizeof *l->base)) || !ridge_algebra_init(&l->algebra, arena))
        return ridge_no_memory(err);
    l->algebra.divisors_hold = true;
    l->calc = (ridge_calc){arena, &l->algebra, err};
    static const char *const first[] = {"B", "S", "past", "enc"}; /* formulas name them in this order, before the config's fields */
    ridge_value ignored;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (ridge_sym_name(&ignored, first[i], i == 2 ? 0 : 1, &l->calc))
            return ridge_no_memory(err);
    ridge_status st = take_base(l, request, is_taken, data);
    if (st)
        return st;
    ridge_drafts *drafts = &l->base->drafts;
    l->model = drafts->p[drafts->count - 1];
    if ((st = counts(l, request)) || (st = variants(l, request)) || (st = needs(l)) || (st = conflicts(l)) || (st = sizes_of_one(l)) ||
        (st = ties(l)) || (st = ties_of_parts(l)))
        return st;
    out->model = l->model->key;
    out->entries = drafts->count;
    for (size_t i = 0; i < drafts->count; i++)
        out->unknown += drafts->p[i]->unknown != NULL;
    return write(out, l, request->answered);
}

/* Is a formula among the entries longer than formulas may be? */
static bool is_too_long(const char *entries)
{
    const char *begin = NULL;
    for (const char *p = entries; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else if (*p == '"' && begin && p - begin > FORMULA_LIMIT)
            return true;
        else if (*p == '"')
            begin = begin ? NULL : p;
    }
    return false;
}

ridge_status ridge_template_learn(ridge_template_answer *out, const ridge_derive_request *request,
                                  bool (*is_taken)(const char *key, void *data), void *data, ridge_arena *arena, ridge_err *err)
{
    ridge_derive_request square = *request;
    ridge_template_answer shorter;
    const ridge_status st = learn(out, request, is_taken, data, arena, err);
    if (st || !is_too_long(out->text))
        return st;
    square.square_images = true;
    if (learn(&shorter, &square, is_taken, data, arena, err))
        ridge_err_clear(err); /* the long ones are refused where they are used */
    else
        *out = shorter;
    return RIDGE_OK;
}
