/* Two sides of a case, module by module. */
#include <stdlib.h>

#include "learn/validate/validate.h"

typedef struct comparison {
    ridge_validate_case *out;
    ridge_arena *arena;
    ridge_err *err;
} comparison;

static ridge_status differ(comparison *c, const char *path, const char *what, const char *ours, const char *theirs)
{
    ridge_validate_case *out = c->out;
    out->differing++;
    if (out->difference_count == RIDGE_VALIDATE_DIFFERENCES)
        return RIDGE_OK;
    if (!ridge_arena_more(c->arena, &out->differences, out->difference_count, &out->difference_cap, sizeof *out->differences))
        return ridge_no_memory(c->err);
    out->differences[out->difference_count++] = (ridge_validate_difference){path, what, ours, theirs};
    return RIDGE_OK;
}

static const char *number(comparison *c, ridge_int n)
{
    char text[RIDGE_INT_COMMA_CHARS];
    return n < 0 ? NULL : ridge_arena_strdup(c->arena, (ridge_str){text, ridge_int_print_comma(text, n)});
}

static ridge_status compare_numbers(comparison *c, const char *path, const char *what, ridge_int ours, ridge_int theirs)
{
    return ours == theirs ? RIDGE_OK : differ(c, path, what, number(c, ours), number(c, theirs));
}

static ridge_status compare_modules(comparison *c, const ridge_validate_module *ours, const ridge_validate_module *theirs)
{
    ridge_status st = RIDGE_OK;
    if (strcmp(ours->class_path, theirs->class_path) != 0)
        st = differ(c, ours->path, "class", ours->class_path, theirs->class_path);
    if (!st)
        st = compare_numbers(c, ours->path, "parameters", ours->parameters, theirs->parameters);
    /* a module that costs nothing may be called or not: hooks see it, sums don't */
    const bool nothing = (ours->flops < 0 && theirs->flops == 0) || (ours->flops == 0 && theirs->flops < 0);
    return st || nothing ? st : compare_numbers(c, ours->path, "FLOPs", ours->flops, theirs->flops);
}

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const ridge_validate_module *const *)a)->path, (*(const ridge_validate_module *const *)b)->path);
}

static const ridge_validate_module **sorted(const ridge_validate_side *side, ridge_arena *arena)
{
    const ridge_validate_module **out = ridge_arena_array(arena, side->count + 1, sizeof *out);
    for (size_t i = 0; out && i < side->count; i++)
        out[i] = &side->modules[i];
    if (out)
        qsort(out, side->count, sizeof *out, by_path);
    return out;
}

/* the first place where the order of named_modules() is another, of trees with the same paths */
static ridge_status compare_order(comparison *c, const ridge_validate_side *ours, const ridge_validate_side *theirs)
{
    for (size_t i = 0; i < ours->count && i < theirs->count; i++)
        if (strcmp(ours->modules[i].path, theirs->modules[i].path) != 0)
            return differ(c, ours->modules[i].path, "order", ours->modules[i].path, theirs->modules[i].path);
    return RIDGE_OK;
}

ridge_status ridge_validate_compare(ridge_validate_case *out, const ridge_validate_side *ours, const ridge_validate_side *theirs, ridge_arena *arena,
                                    ridge_err *err)
{
    comparison c = {out, arena, err};
    const ridge_validate_module **a = sorted(ours, arena), **b = sorted(theirs, arena);
    if (!a || !b)
        return ridge_no_memory(err);
    ridge_status st = RIDGE_OK;
    size_t i = 0, k = 0;
    while ((i < ours->count || k < theirs->count) && !st) {
        const int order = i == ours->count ? 1 : k == theirs->count ? -1 : strcmp(a[i]->path, b[k]->path);
        if (order < 0)
            st = differ(&c, a[i]->path, "module", a[i]->class_path, NULL);
        else if (order > 0)
            st = differ(&c, b[k]->path, "module", NULL, b[k]->class_path);
        else
            st = compare_modules(&c, a[i], b[k]);
        i += order <= 0;
        k += order >= 0;
    }
    return st || out->differing > 0 ? st : compare_order(&c, ours, theirs);
}
