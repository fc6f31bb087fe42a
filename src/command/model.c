#include "command/model.h"

void ridge_call_warn_model(ridge_call *call, const ridge_analysis *a)
{
    for (size_t i = 0; i < a->warnings.count; i++)
        ridge_call_warn(call, "%s", a->warnings.items[i]);
    for (size_t i = 0; i < a->unknown_count; i++)
        ridge_call_warn(call, "not counted: '%s' (needed by %s) is not in the catalog; 'ridge db add FILE' adds it", a->unknown[i].module,
                        a->unknown[i].needed_by);
}
