#include "command/model.h"

/* choices whose default is the command's: that one was given only the call knows */
static void warn_choice(ridge_call *call, const ridge_analysis *a, bool taken, const char *name, const char *why)
{
    if (!taken && a->unknown_count == 0 && ridge_words_find(&call->given, name))
        ridge_call_warn(call, RIDGE_OPT("%s") ": %s %s; ignored", name, a->architecture, why);
}

void ridge_call_warn_choices(ridge_call *call, const ridge_analysis *a)
{
    const ridge_takes *takes = &a->workload.takes;
    warn_choice(call, a, takes->pairs, "attention", "has no causal attention");
    warn_choice(call, a, takes->head, "lm-head", "has no head that may leave positions out");
}

void ridge_call_warn_model(ridge_call *call, const ridge_analysis *a)
{
    ridge_call_warn_all(call, &a->warnings);
    for (size_t i = 0; i < a->unknown_count; i++)
        if (a->unknown[i].why)
            ridge_call_warn(call, "not counted: '%s' (%s): %s", a->unknown[i].module, a->unknown[i].needed_by, a->unknown[i].why);
        else
            ridge_call_warn(call, "not counted: '%s' (needed by %s) is not in the catalog; 'ridge db add FILE' adds it",
                            a->unknown[i].module, a->unknown[i].needed_by);
    if (!a->nothing_known)
        ridge_call_warn_choices(call, a);
}
