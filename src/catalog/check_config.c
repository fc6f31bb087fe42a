/* Config entries between each other: can a model find the heir of one, are nested configs there, does one nest itself. */
#include "catalog/check.h"
#include "catalog/compile.h"

/* ---- heirs ---- */

/* A model finds its config entry by what the entry itself says (ridge_registry_config); one that stands for
 * a built-in goes by that, and one without classes is only part of other configs. */
void ridge_check_config_heir(ridge_check *c, const ridge_ancestor *chain, const ridge_entry *e)
{
    const ridge_json *up = ridge_json_get(chain->json, "inherits");
    if (e->kind != RIDGE_KIND_CONFIG || !up || ridge_source_replaced(chain->source) || !e->config || !e->config->class_count)
        return;
    if (!ridge_json_get(chain->json, "kind") || !ridge_json_get(chain->json, "model_type"))
        ridge_check_at(c, false, RIDGE_VALUE, chain, up, "an entry that inherits a config entry gives 'kind' and 'model_type' itself");
}

/* ---- nested configs ---- */

typedef struct way {
    struct way_step {
        ridge_source *source;
        const ridge_config_spec *config;
        size_t at; /* the default looked at next */
    } * steps;
    size_t n, cap;
} way;

static void wrong_sub(ridge_check *c, const ridge_config_default *d, ridge_status code, const char *what)
{
    ridge_err e = {0};
    ridge_fail_at(&e, code, d->file, d->line, d->col, "nested config '%s': %s", d->name->text, what);
    ridge_check_add(c, false, &e);
}

/* "nested configs in a circle: a.A -> b.B -> a.A" */
static void report_circle(ridge_check *c, const way *w, const ridge_source *again, const ridge_config_default *d)
{
    ridge_buf text = {0};
    size_t i = w->n;
    while (i > 0 && w->steps[i - 1].source != again)
        i--;
    ridge_buf_addz(&text, "a circle, which has no end: ");
    for (i -= i > 0; i < w->n; i++)
        ridge_buf_addf(&text, "%s -> ", ridge_registry_path(c->registry, w->steps[i].source->key));
    ridge_buf_addz(&text, ridge_registry_path(c->registry, again->key));
    wrong_sub(c, d, RIDGE_CYCLE, text.p ? text.p : "a circle");
    ridge_buf_free(&text);
}

static ridge_status enter(ridge_check *c, way *w, ridge_source *s, const ridge_config_spec *config)
{
    if (!ridge_arena_more(c->arena, &w->steps, w->n, &w->cap, sizeof *w->steps))
        return ridge_no_memory(c->err);
    s->search = RIDGE_SEARCH_ON_THE_WAY;
    w->steps[w->n++] = (struct way_step){s, config, 0};
    return RIDGE_OK;
}

static ridge_status look_at_sub(ridge_check *c, way *w, const ridge_config_default *d)
{
    ridge_source *s = ridge_registry_find(c->registry, d->sub_key);
    if (!s) {
        ridge_err e = {0};
        if (ridge_registry_unknown(c->registry, d->sub_key, &e) == RIDGE_NOMEM)
            return ridge_no_memory(c->err);
        wrong_sub(c, d, RIDGE_UNKNOWN, e.msg);
        return RIDGE_OK;
    }
    if (s->search == RIDGE_SEARCH_ON_THE_WAY)
        report_circle(c, w, s, d);
    if (s->search != RIDGE_SEARCH_NEW)
        return RIDGE_OK;
    const ridge_entry *e = ridge_check_entry(c, d->sub_key);
    if (e && !e->config)
        wrong_sub(c, d, RIDGE_TYPE, "this is no config entry");
    return e && e->config ? enter(c, w, s, e->config) : RIDGE_OK;
}

/* depth first, with a stack of its own: a chain may be as long as the catalog */
ridge_status ridge_check_nested_configs(ridge_check *c, ridge_source *source, const ridge_entry *e)
{
    way w = {NULL, 0, 0};
    if (!e->config || source->search != RIDGE_SEARCH_NEW)
        return RIDGE_OK;
    ridge_status st = enter(c, &w, source, e->config);
    while (w.n && !st) {
        struct way_step *step = &w.steps[w.n - 1];
        if (step->at == step->config->default_count) {
            step->source->search = RIDGE_SEARCH_DONE;
            w.n--;
            continue;
        }
        const ridge_config_default *d = &step->config->defaults[step->at++];
        if (d->sub_key)
            st = look_at_sub(c, &w, d);
    }
    return st;
}
