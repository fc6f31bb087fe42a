/* An inventory beside the tree that its config means in the catalog: costs come from the catalog, so the module must be that one. */
#include "model/inventory.h"
#include "model/verify.h"

const ridge_format *ridge_inventory_format(const ridge_inventory *i)
{
    const ridge_format *best = NULL;
    ridge_int most = 0;
    size_t count;
    const ridge_format *table = ridge_format_table(&count);
    for (size_t f = 0; f < count; f++) {
        ridge_int bytes = 0;
        for (uint32_t m = 0; m < i->count; m++)
            for (uint32_t k = 0; k < i->modules[m].parameters; k++) {
                const ridge_weight *w = &i->weights.tensors[i->modules[m].first + k];
                bytes += w->format == &table[f] && !w->tied ? w->bytes : 0; /* no more than the table's sum */
            }
        if (bytes > most) {
            most = bytes;
            best = &table[f];
        }
    }
    return best && !best->integer ? best : NULL;
}

/* its parameters alone, as a table of weights; tied ones stay names of their own */
static ridge_status parameters_of(ridge_weights *out, const ridge_inventory *i, ridge_arena *arena, ridge_err *err)
{
    *out = i->weights;
    out->count = 0;
    if (!(out->tensors = ridge_arena_array(arena, i->weights.count + 1, sizeof *out->tensors)))
        return ridge_no_memory(err);
    for (uint32_t m = 0; m < i->count; m++)
        for (uint32_t k = 0; k < i->modules[m].parameters; k++) {
            out->tensors[out->count] = i->weights.tensors[i->modules[m].first + k];
            out->tensors[out->count++].tied = 0;
        }
    return RIDGE_OK;
}

/* "model.layers.0.mlp.up_proj.weight" and why it does not fit */
static ridge_status differs(const ridge_verify *v, const ridge_analysis *a, ridge_err *err)
{
    static const char *const what[] = {"is not in the inventory", "is not in the catalog's tree", "has another shape"};
    for (int i = RIDGE_VERIFY_MISSING; i <= RIDGE_VERIFY_RESHAPED; i++)
        if (v->of[i].count) {
            const ridge_verify_row *row = &v->of[i].items[0];
            return ridge_fail(err, RIDGE_CHECK,
                              "%s: the module is not the one that the catalog counts for its config: %zu parameter%s: %s, the first, %s",
                              a->file.name, v->unexplained, v->unexplained == 1 ? " differs" : "s differ",
                              row->tree ? row->tree : row->stored, what[i]);
        }
    return RIDGE_OK;
}

static ridge_status compare_totals(const ridge_analysis *a, const ridge_analysis *other, const ridge_verify *v, ridge_err *err)
{
    const ridge_int own = a->file.inventory->parameters;
    char found[RIDGE_INT_COMMA_CHARS], wanted[RIDGE_INT_COMMA_CHARS];
    if (own == other->parameters.total || v->of[RIDGE_VERIFY_QUANTISED].count)
        return RIDGE_OK;
    found[ridge_int_print_comma(found, own)] = '\0';
    wanted[ridge_int_print_comma(wanted, other->parameters.total)] = '\0';
    return ridge_fail(err, RIDGE_CHECK, "%s: the module has %s parameters, tied ones once, and the catalog's tree of its config %s",
                      a->file.name, found, wanted);
}

/* classes at paths that both have; other versions of a library have others for the same work */
static ridge_status compare_classes(ridge_analysis *a, const ridge_tree *tree, ridge_err *err)
{
    const ridge_inventory *i = a->file.inventory;
    const ridge_tree_module *first = NULL;
    const ridge_inventory_module *other = NULL;
    size_t differ = 0;
    ridge_symtab paths;
    if (!ridge_symtab_init(&paths, &a->arena))
        return ridge_no_memory(err);
    for (uint32_t m = 0; m < i->count; m++)
        if (!ridge_intern(&paths, i->modules[m].path))
            return ridge_no_memory(err);
    for (uint32_t m = 0; m < tree->count; m++) {
        const ridge_symbol *symbol = ridge_intern_find(&paths, tree->modules[m].path);
        if (!symbol || ridge_str_is(i->modules[symbol->id].class_name, tree->modules[m].node->class_name))
            continue;
        first = differ++ ? first : &tree->modules[m];
        other = differ > 1 ? other : &i->modules[symbol->id];
    }
    if (!differ)
        return RIDGE_OK;
    return ridge_analysis_warn(a, err,
                               "%zu module%s of another class than the catalog's, by whose formulas they count: '%s' is %s, there %s",
                               differ, differ == 1 ? " is" : "s are", ridge_weight_shown(&a->arena, first->path),
                               ridge_weight_shown(&a->arena, other->class_name), first->node->class_name);
}

static ridge_status warn_of_format(ridge_analysis *a, const ridge_analysis *other, ridge_err *err)
{
    const ridge_format *own = ridge_inventory_format(a->file.inventory);
    if (!own || own == other->dtype || other->dtype_assumed || other->quant)
        return RIDGE_OK;
    return ridge_analysis_warn(
        a, err,
        "the parameters of the inventory are %s, and its config says %s, in which they are counted; " RIDGE_OPT("dtype") " gives another",
        own->name, other->dtype->name);
}

static ridge_status compare(ridge_analysis *a, ridge_analysis *other, ridge_err *err)
{
    ridge_tree tree;
    ridge_weights weights;
    ridge_verify verify;
    ridge_status st;
    if (!ridge_str_is(a->file.inventory->class_name, other->class_name))
        return ridge_fail(err, RIDGE_CHECK, "%s: an inventory of %s, and the catalog has %s for its config", a->file.name,
                          ridge_weight_shown(&a->arena, a->file.inventory->class_name), other->class_name);
    other->graph.err = err;
    if ((st = ridge_tree_make(&tree, &other->graph, other->root)) ||
        (st = parameters_of(&weights, a->file.inventory, &other->arena, err)) ||
        (st = ridge_verify_make(&verify, &tree, &weights, &other->arena, err)) || (st = differs(&verify, a, err)) ||
        (st = compare_totals(a, other, &verify, err)) || (st = compare_classes(a, &tree, err)))
        return st;
    return warn_of_format(a, other, err);
}

/* The config by itself, with its usual workload: the tree depends on neither formats nor lengths. What is wrong with the config is told by
 * whoever goes on with it, with its place. */
ridge_status ridge_inventory_hold(bool *counted, ridge_analysis *a, ridge_err *err)
{
    ridge_model_request config;
    ridge_analysis *other;
    ridge_model_request_default(&config);
    config.model = a->file.name;
    config.config_text = a->file.text.p;
    config.config_length = a->file.text.n;
    config.head_class = ridge_arena_strdup(&a->arena, ridge_inventory_class(a->file.inventory));
    if (!config.head_class)
        return ridge_no_memory(err);
    ridge_status st = ridge_analysis_exact(&other, a->registry, &config, RIDGE_ROWS_NONE, err);
    *counted = !st;
    st = st ? st : compare(a, other, err);
    ridge_analysis_free(other);
    return st;
}
