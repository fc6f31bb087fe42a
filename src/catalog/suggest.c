/* Says that a name is not in the catalog, and which one was perhaps meant. */
#include "catalog/compile.h"

static ridge_str last_part(ridge_str key)
{
    for (size_t i = key.n; i >= 2; i--)
        if (key.p[i - 1] == '_' && key.p[i - 2] == '_')
            return (ridge_str){key.p + i, key.n - i};
    return key;
}

const char *ridge_compile_nearest(ridge_str word, const char *const *words, size_t count)
{
    const char *best = NULL;
    unsigned limit = word.n > 5 ? 3 : 2; /* one past what counts as near */
    for (size_t i = 0; i < count; i++) {
        unsigned d = ridge_str_distance(word, ridge_str_of(words[i]), limit);
        if (d < limit) {
            limit = d;
            best = words[i];
        }
    }
    return best;
}

ridge_status ridge_registry_unknown(ridge_registry *r, const ridge_symbol *key, ridge_err *err)
{
    ridge_source **all, *best = NULL;
    size_t count;
    ridge_str want = {key->text, key->len}, want_last = last_part(want);
    unsigned best_distance = 4;
    if (ridge_registry_all(&all, &count, r, NULL) == RIDGE_OK)
        for (size_t i = 0; i < count && best_distance > 0; i++) {
            ridge_str have = {all[i]->key->text, all[i]->key->len};
            unsigned d = ridge_str_eq(want_last, last_part(have)) ? 1 : ridge_str_distance(want_last, last_part(have), best_distance);
            if (d < best_distance) {
                best_distance = d;
                best = all[i];
            }
        }
    if (best)
        return ridge_fail(err, RIDGE_UNKNOWN, "'%s' is not in the catalog; did you mean '%s'?", ridge_registry_path(r, key),
                          ridge_registry_path(r, best->key));
    return ridge_fail(err, RIDGE_UNKNOWN, "'%s' is not in the catalog", ridge_registry_path(r, key));
}
