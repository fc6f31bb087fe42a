/* How the answer of a validation is written. */
#include "learn/validate/validate.h"

#include "base/shown.h"
#include "base/units.h"

#define DIFFERENCE ridge_validate_difference
#define CASE       ridge_validate_case
#define ANSWER     ridge_validate_answer
static const ridge_record_field difference_fields[] = {
    RIDGE_R_TEXT(DIFFERENCE, path, "path", "module", RIDGE_IN_ALL, "where the module is, \"\" the model"),
    RIDGE_R_TEXT(DIFFERENCE, what, "what", NULL, RIDGE_IN_ALL, "what differs: module, class, parameters, FLOPs, order"),
    RIDGE_R_TEXT(DIFFERENCE, ours, "ours", NULL, RIDGE_IN_ALL, "what Ridge says, null where it has none"),
    RIDGE_R_TEXT(DIFFERENCE, theirs, "theirs", "PyTorch", RIDGE_IN_ALL, "what PyTorch says, null where it has none"),
};
const ridge_record ridge_validate_difference_record = RIDGE_RECORD(DIFFERENCE, "difference", difference_fields, "what two sides say otherwise");

static const ridge_record_field case_fields[] = {
    RIDGE_R_RAW(CASE, config, "config", NULL, RIDGE_IN_JSON, "fields of the config, or arguments of the class"),
    RIDGE_R_RAW(CASE, workload, "workload", NULL, RIDGE_IN_JSON, "batch B, length S, length D of a decoder"),
    RIDGE_R_TEXT(CASE, skipped, "skipped", NULL, RIDGE_IN_JSON, "why PyTorch did not run it, null where it did"),
    RIDGE_R_TEXT(CASE, failed, "failed", NULL, RIDGE_IN_JSON, "why Ridge has no answer to it, null where it has"),
    RIDGE_R_COUNT(CASE, modules, "modules", NULL, RIDGE_IN_JSON, "modules that PyTorch names"),
    RIDGE_R_COUNT(CASE, parameters, "parameters", NULL, RIDGE_IN_JSON, "parameters that PyTorch counts"),
    RIDGE_R_COUNT(CASE, flops, "flops", NULL, RIDGE_IN_JSON, "FLOPs of matrix products and attention that PyTorch runs"),
    RIDGE_R_SIZE(CASE, differing, "differing", NULL, RIDGE_IN_JSON, "how many rows differ"),
    RIDGE_R_LIST(CASE, differences, difference_count, &ridge_validate_difference_record, "differences", RIDGE_IN_JSON, "the first hundred of them"),
};
static const ridge_record case_record = RIDGE_RECORD(CASE, "case", case_fields, "a configuration, run by both");

static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, class_path, "class", NULL, RIDGE_IN_JSON, "the class"),
    RIDGE_R_TEXT(ANSWER, status, "status", NULL, RIDGE_IN_JSON, "validated, or failed"),
    RIDGE_R_TEXT(ANSWER, by, "by", NULL, RIDGE_IN_JSON, "where Ridge's numbers come from: the catalog or the source"),
    RIDGE_R_TEXT(ANSWER, validator, "validator", NULL, RIDGE_IN_JSON, "versions of PyTorch, the library and Python"),
    RIDGE_R_TEXT(ANSWER, date, "date", NULL, RIDGE_IN_JSON, "the day, in UTC"),
    RIDGE_R_TEXT(ANSWER, kept, "kept", NULL, RIDGE_IN_JSON, "the file that says so of the catalog's entry, null where none does"),
    RIDGE_R_SIZE(ANSWER, ran, "ran", NULL, RIDGE_IN_JSON, "cases that PyTorch ran"),
    RIDGE_R_LIST(ANSWER, cases, count, &case_record, "cases", RIDGE_IN_JSON, "the cases, those that PyTorch did not take among them"),
};
const ridge_record ridge_validate_record = RIDGE_RECORD(ANSWER, "ridge validate", fields, "a class held against the user's own PyTorch");

/* ---- for people ---- */

static void add_case(ridge_buf *out, const CASE *c, size_t number, ridge_arena *arena)
{
    ridge_buf_addf(out, "case %zu  %s   modules %s, parameters %s, FLOPs %s: ", number, ridge_shown(arena, c->workload ? c->workload : ""),
                   ridge_units_exact(arena, c->modules), ridge_units_exact(arena, c->parameters), ridge_units_exact(arena, c->flops));
    if (c->failed)
        ridge_buf_addf(out, "Ridge cannot say: %s\n", ridge_shown(arena, c->failed));
    else if (c->differing == 0)
        ridge_buf_addz(out, "equal\n");
    else
        ridge_buf_addf(out, "%zu row%s differ%s\n", c->differing, RIDGE_PLURAL(c->differing), c->differing == 1 ? "s" : "");
    for (size_t i = 0; i < c->difference_count && i < 10; i++) {
        const DIFFERENCE *d = &c->differences[i];
        ridge_buf_addf(out, "  %s  %s: %s, PyTorch %s\n", d->path[0] ? ridge_shown(arena, d->path) : "(model)", d->what,
                       d->ours ? ridge_shown(arena, d->ours) : "none", d->theirs ? ridge_shown(arena, d->theirs) : "none");
    }
}

void ridge_validate_text(ridge_buf *out, const ridge_validate_answer *a, ridge_arena *arena)
{
    size_t number = 0;
    ridge_buf_addf(out, "%s: %s\n%s, by %s   %zu case%s run, %zu that the class does not take\n\n", ridge_shown(arena, a->class_path), a->status,
                   ridge_shown(arena, a->validator), a->by, a->ran, RIDGE_PLURAL(a->ran), a->skipped);
    for (size_t i = 0; i < a->count; i++)
        if (!a->cases[i].skipped)
            add_case(out, &a->cases[i], ++number, arena);
}
