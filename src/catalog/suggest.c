/* Says that a name is not in the catalog, and which one was perhaps meant. */
#include "catalog/compile.h"
#include "catalog/embedded.h"

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

typedef struct candidate {
    ridge_str want; /* the last part of what is looked for */
    const char *best;
    unsigned distance;
} candidate;

/* of those that are equally near, the first by name; a variant of a learned class, which has a number for a name, nobody means */
static void offer(candidate *c, const char *key)
{
    ridge_str have = last_part(ridge_str_of(key));
    if (have.n > 0 && ridge_is_digit(have.p[0]))
        return;
    unsigned d = ridge_str_eq(c->want, have) ? 1 : ridge_str_distance(c->want, have, c->distance);
    if (d < c->distance || (c->best && d == c->distance && strcmp(key, c->best) < 0)) {
        c->distance = d;
        c->best = key;
    }
}

/* A file may name a hundred thousand entries that are not there: for the first of them it is told what was perhaps meant. */
static const char *nearest_key(ridge_registry *r, const ridge_symbol *key)
{
    candidate c = {last_part((ridge_str){key->text, key->len}), NULL, 4};
    size_t count = ridge_embedded_catalog_count + r->user_count;
    if (count > RIDGE_HINT_BUDGET - r->hints_spent)
        return NULL;
    r->hints_spent += count;
    for (unsigned i = 0; i < ridge_embedded_catalog_count; i++)
        offer(&c, ridge_embedded_key(&ridge_embedded_catalog[i]));
    for (size_t i = 0; i < r->user_count; i++)
        offer(&c, r->user[i]->key->text);
    return c.best;
}

ridge_status ridge_registry_unknown(ridge_registry *r, const ridge_symbol *key, ridge_err *err)
{
    const char *near_key, *near = NULL, *path = ridge_registry_path(r, key);
    if (!path || ridge_registry_failed(r))
        return ridge_no_memory(err);
    if ((near_key = nearest_key(r, key))) {
        const ridge_symbol *symbol = ridge_intern(&r->symbols, ridge_str_of(near_key));
        if (!symbol || !(near = ridge_registry_path(r, symbol)))
            return ridge_no_memory(err);
    }
    return ridge_fail(err, RIDGE_UNKNOWN, "'%s' is not in the catalog%s%s%s", path, RIDGE_MEANT(near));
}
