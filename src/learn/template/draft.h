/* draft.h - entries of the catalog in the making: one per class and form of its modules.
 * In: the sketches of a model. Out: drafts, those of the smallest modules first, each with its parameters, its members (fields of the
 * entry) and the formula of every number in them. Every sketch gets its draft and the arguments that make the draft this module: what the
 * draft says with them is what the run said, term by term. Owned by the arena of `calc`. */
#ifndef RIDGE_LEARN_TEMPLATE_DRAFT_H
#define RIDGE_LEARN_TEMPLATE_DRAFT_H

#include "learn/template/sketch.h"

#define RIDGE_DRAFT_HOLE '\1' /* in a text: a number's formula comes here */

/* "weights": {"weight": "[\1, \1]"} */
typedef struct ridge_draft_member {
    const char *section, *key;
    const char *text;    /* an expression */
    const char *extra;   /* more members of a component, as JSON: ", \"calls\": \"2\""; "" where it is an expression alone */
    size_t first, count; /* its numbers */
} ridge_draft_member;

typedef struct ridge_draft_number {
    ridge_value value;
    const char *hint; /* how a parameter that is this number would be called */
    const char *raw;  /* its formula where it is none of a polynomial; or NULL */
} ridge_draft_number;

typedef struct ridge_draft_need {
    const char *that, *why;
} ridge_draft_need;

struct ridge_draft {
    const char *key, *class_path;
    bool known; /* an entry that the catalog has: it is invoked and not written */
    ridge_draft_member *members;
    size_t member_count;
    const char **formulas; /* of its numbers */
    size_t number_count;
    const char **parameters;
    size_t parameter_count, parameter_cap;
    ridge_sketch **instances;
    size_t instance_count, instance_cap;
    ridge_draft_need *needs;
    size_t need_count, need_cap;
    const char *unknown;                /* what of it is not known; NULL: nothing */
    const struct ridge_draft *pristine; /* as it was before variants were combined into it; NULL: none was */
};

/* A condition of a variant, and what it did to the drafts. */
typedef struct ridge_draft_flip {
    const char *when;
    bool changes; /* anything at all */
    bool grows;   /* something is there, or speaks of the config, that does not where it is not flipped */
} ridge_draft_flip;

/* What is known of the config: lists, and numbers that decide about layers. */
typedef struct ridge_draft_field {
    const char *name;  /* "config.layer_types" */
    ridge_value value; /* INT, BOOL, STRING, LIST of such */
    const char *file;  /* where its value was used as such (a loop counted to it); NULL: nowhere */
    uint32_t line;
    bool asked;  /* a condition speaks of it */
    bool counts; /* an entry repeats something as often as it says */
    bool rules;  /* a rule of a list says by it which elements differ */
    bool doubted; /* where it was another number, such a rule did not hold: none speaks of it */
} ridge_draft_field;

typedef struct ridge_drafts {
    const ridge_calc *calc;
    ridge_draft **p;
    size_t count, cap;
    ridge_draft_field *fields;
    size_t field_count;
    /* a module that the catalog knows as a block: fills known, key, and the sketch's values, or leaves draft NULL; may be NULL */
    ridge_status (*block)(ridge_draft **draft, ridge_value **values, const ridge_sketch *s, void *data);
    void *data;
    bool (*is_taken)(const char *key, void *data); /* does the catalog have another entry of this name? NULL: no */
    void *taken_data;
    struct ridge_draft_flip *flips; /* of the variants that were combined */
    size_t flip_count, flip_cap;
    const char **conflicts; /* conditions that combining variants asks for */
    size_t conflict_count, conflict_cap;
} ridge_drafts;

ridge_status ridge_drafts_make(ridge_drafts *out, const ridge_sketches *sketches);

/* ---- for the files of this folder ---- */

/* a sketch described: members and numbers as they are said */
typedef struct ridge_description {
    ridge_draft_member *members;
    size_t member_count, member_cap;
    ridge_draft_number *numbers;
    size_t number_count, number_cap;
    const char *unknown;
} ridge_description;

typedef struct ridge_describer {
    ridge_drafts *drafts;
    ridge_description *out;
    ridge_buf text; /* of the member being written */
    bool failed;    /* memory ran out */
} ridge_describer;

/* writes a number's place into the text */
void ridge_describe_number(ridge_describer *d, ridge_value v, const char *hint);
void ridge_describe_raw(ridge_describer *d, const char *formula);
/* "{key}(a, b)" of a module that has a draft */
void ridge_describe_call(ridge_describer *d, const ridge_sketch *s, const char *name);
/* "[{key}(a) for i in range(n)]" of a ModuleList; calls: ", \"calls\": .." of each element, or "". *extra: what else the component says. */
ridge_status ridge_describe_list(const char **extra, ridge_describer *d, const ridge_sketch *list, const char *name, const char *calls);
/* Do the modules of a list share rows evenly, the e-th of E getting (e+1)*rows//E - e*rows//E? Then its arguments, with `share` for what
 * one gets. */
ridge_status ridge_draft_spread(bool *spreads, ridge_value **values, ridge_value *rows, const ridge_sketch *list, const ridge_calc *calc);
/* a ModuleList that is said as one expression, and so has no draft */
bool ridge_draft_folds(const ridge_sketch *s);
/* the fields of a sketch */
ridge_status ridge_describe(ridge_description *out, const ridge_sketch *s, ridge_drafts *drafts);
/* the text of a member with every number's formula in its place; NULL when memory runs out */
const char *ridge_draft_filled(const ridge_draft *d, const ridge_draft_member *m, const ridge_calc *calc);
/* a value as a formula, in the arena; NULL when memory runs out */
const char *ridge_draft_formula(ridge_value v, const ridge_calc *calc);
/* texts of the drafts' own, which outlive them; `that` NULL: memory ran out while it was made */
ridge_status ridge_draft_need_add(ridge_draft *draft, const char *that, const char *why, const ridge_calc *calc);
bool ridge_draft_same_text(const char *a, const char *b); /* NULL is the same as NULL */
/* a formula over `i` that gives values[i] for every i < count, in the arena; *count_matters: only for this many. `why` may be NULL. */
ridge_status ridge_draft_rule(const char **out, bool *count_matters, const char *const *values, size_t count, const ridge_drafts *drafts);
/* parameters and formulas of a draft from its instances' numbers; sets their arguments */
ridge_status ridge_draft_generalise(ridge_draft *draft, ridge_description *const *descriptions, const ridge_calc *calc);

#endif
