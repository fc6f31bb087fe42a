/* --partial of an architecture that is not in the catalog: the nested configs that are (a vision tower, a language model) are counted,
 * the rest is listed as unknown and has no number. */
#include "model/analysis.h"
#include "graph/config.h"

typedef struct part {
    const ridge_json_member *member;
    const ridge_entry *config;
    const ridge_symbol *head;
} part;

/* the class a nested config is counted as: its own architecture, else its family's usual one */
static const ridge_symbol *head_of(const ridge_config_spec *spec, const ridge_json *json)
{
    const ridge_json *list = ridge_json_get(json, "architectures");
    ridge_str name = list && list->type == RIDGE_JSON_ARRAY && list->count && list->u.items[0].type == RIDGE_JSON_STRING
                         ? list->u.items[0].u.text
                         : spec->default_class;
    for (size_t i = 0; i < spec->class_count; i++)
        if (ridge_str_eq(spec->classes[i].name, name) && !spec->classes[i].encoder_decoder)
            return spec->classes[i].entry;
    return spec->class_count ? spec->classes[0].entry : NULL;
}

/* "model_type llama" of a config; NULL: it has none */
static const char *type_text(ridge_analysis *a, const ridge_json *config)
{
    const ridge_json *type = ridge_json_get(config, "model_type");
    return type && type->type == RIDGE_JSON_STRING ? ridge_arena_printf(&a->arena, "model_type %.*s", RIDGE_STR_ARG(type->u.text)) : NULL;
}

static ridge_status note_unknown(ridge_analysis *a, const ridge_json_member *m, ridge_err *err)
{
    const char *type = type_text(a, &m->value), *name = ridge_arena_strdup(&a->arena, m->key);
    if (!type)
        return RIDGE_OK;
    return name ? ridge_analysis_note_unknown(a, name, type, NULL, err) : ridge_no_memory(err);
}

/* *known false: no nested config, or one of an unknown family, which is noted */
static ridge_status find_part(part *out, bool *known, ridge_analysis *a, const ridge_json_member *m, ridge_err *err)
{
    const ridge_json *type = ridge_json_get(&m->value, "model_type");
    ridge_source *source = type && type->type == RIDGE_JSON_STRING ? ridge_registry_config(a->registry, type->u.text, RIDGE_STR("")) : NULL;
    ridge_entry *entry;
    *known = false;
    if (ridge_registry_failed(a->registry))
        return ridge_no_memory(err);
    if (!source)
        return note_unknown(a, m, err);
    ridge_status st = ridge_registry_config_entry(&entry, a->registry, source->key, err);
    if (st)
        return st;
    *out = (part){m, entry, head_of(entry->config, &m->value)};
    *known = out->head;
    return RIDGE_OK;
}

static ridge_status part_positions(int64_t *most, bool *learned, ridge_analysis *a, const part *p)
{
    ridge_object *outer = a->config;
    int64_t of_part;
    bool table;
    ridge_status st = ridge_config_bind(&a->config, a->registry, p->config, &p->member->value, a->file.path, &a->graph.run);
    if (!st && !(st = ridge_analysis_positions(&of_part, &table, a, p->config->config)) && of_part != RIDGE_UNSET &&
        (*most == RIDGE_UNSET || of_part < *most)) {
        *most = of_part;
        *learned = table;
    }
    a->config = outer;
    return st;
}

ridge_status ridge_analysis_partial_positions(int64_t *most, bool *learned, ridge_analysis *a, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    *most = RIDGE_UNSET;
    *learned = false;
    for (uint32_t i = 0; i < a->file.json->count && !st; i++) {
        part p;
        bool known;
        if (!(st = find_part(&p, &known, a, &a->file.json->u.members[i], err)) && known)
            st = part_positions(most, learned, a, &p);
    }
    return st;
}

static ridge_status image_size(ridge_analysis *a, const part *p)
{
    if (!p->config->config->image || ridge_image_size_given(&a->workload.image))
        return RIDGE_OK;
    ridge_status st = ridge_analysis_image_size(&a->workload.image, a, p->config->config->image);
    if (!st)
        ridge_analysis_set_image(a);
    return st;
}

static ridge_status add_part(ridge_analysis *a, ridge_node *root, const part *p, ridge_err *err)
{
    ridge_object *config;
    ridge_value v;
    size_t cap = root->child_count;
    ridge_graph *g = &a->graph;
    ridge_status st = ridge_config_bind(&config, a->registry, p->config, &p->member->value, a->file.path, &g->run);
    if (st)
        return st;
    g->run.config = config;
    if ((st = image_size(a, p)) || (st = ridge_graph_invoke(&v, g, p->head, NULL, 0)))
        return st;
    if (v.type != RIDGE_V_NODE)
        return ridge_fail(err, RIDGE_TYPE, "%s is not a module", ridge_registry_path(a->registry, p->head));
    if (!ridge_arena_more(&a->arena, &root->children, root->child_count, &cap, sizeof *root->children))
        return ridge_no_memory(err);
    root->children[root->child_count++] =
        (ridge_child){.name = p->member->key, .node = v.u.node, .calls = ridge_value_int(1), .flop_class = -1};
    return RIDGE_OK;
}

ridge_status ridge_analysis_partial(ridge_analysis *a, ridge_err *err)
{
    ridge_node *root = ridge_arena_alloc(&a->arena, sizeof *root);
    const char *type = type_text(a, a->file.json), *needed_by = type ? type : a->file.path;
    ridge_object *none = ridge_arena_alloc(&a->arena, sizeof *none);
    ridge_status st = RIDGE_OK;
    if (!root || !none || !needed_by)
        return ridge_no_memory(err);
    *none = (ridge_object){.what = "a config of unknown class", .file = a->file.path};
    root->class_name = a->class_name = a->architecture;
    root->called = true;
    root->id = a->graph.node_count++;
    for (uint32_t i = 0; i < a->file.json->count && !st; i++) {
        part p;
        bool known;
        if (!(st = find_part(&p, &known, a, &a->file.json->u.members[i], err)) && known)
            st = add_part(a, root, &p, err);
    }
    a->root = root;
    a->config = none;
    a->nothing_known = root->child_count == 0;
    return st ? st : ridge_analysis_note_unknown(a, a->architecture, needed_by, NULL, err);
}
