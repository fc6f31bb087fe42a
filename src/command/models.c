/* ridge models: the shipped examples, and the families and head classes of the catalog. */
#include <stdlib.h>

#include "command/command.h"
#include "input/embedded.h"
#include "input/hub/cache.h"
#include "model/analysis.h"
#include "report/text.h"

typedef struct request {
    const char *filter; /* NULL: none */
    ridge_catalog_options catalog;
} request;

/* a shipped example */
typedef struct example {
    const char *id, *architecture, *model_type;
    ridge_int parameters;
} example;

typedef struct family {
    const char *model_type, *config;
    ridge_words classes;
} family;

/* of CSV, which has one header: an example, or a class of a family */
typedef struct csv_row {
    const char *kind, *id, *model_type, *architecture;
    ridge_int parameters;
} csv_row;

typedef struct models_answer {
    const char *filter;
    ridge_arena *arena;
    example *examples;
    size_t example_count;
    ridge_words cached; /* ids in the cache of the hub */
    family *families;   /* configs with head classes */
    size_t family_count, class_count;
} models_answer;

/* ---- what is listed ---- */

static bool matches(const models_answer *l, const char *text)
{
    return !l->filter || strcasestr(text, l->filter);
}

static ridge_status add_example(models_answer *l, const char *id, ridge_registry *registry, ridge_err *err)
{
    ridge_model_request model;
    ridge_analysis *a = NULL;
    ridge_model_request_default(&model);
    model.model = id;
    ridge_status st = ridge_analysis_exact(&a, registry, &model, RIDGE_ROWS_NONE, err);
    if (!st) {
        example *e = &l->examples[l->example_count];
        *e = (example){id, ridge_arena_strdup(l->arena, ridge_str_of(a->architecture)),
                       ridge_arena_strdup(l->arena, a->config_entry->config->model_type), a->parameters.total};
        if (!e->architecture || !e->model_type)
            st = ridge_no_memory(err);
        else
            l->example_count += matches(l, id) || matches(l, e->architecture) || matches(l, e->model_type);
    }
    ridge_analysis_free(a);
    return st;
}

static ridge_status find_examples(models_answer *l, ridge_registry *registry, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (!(l->examples = ridge_arena_array(l->arena, ridge_embedded_models_count + 1, sizeof *l->examples)))
        return ridge_no_memory(err);
    for (unsigned i = 0; i < ridge_embedded_models_count && !st; i++)
        st = add_example(l, ridge_embedded_models[i].id, registry, err);
    return st;
}

static ridge_status add_family(models_answer *l, const ridge_entry *entry, ridge_err *err)
{
    const ridge_config_spec *spec = entry->config;
    family *f = &l->families[l->family_count];
    *f = (family){.model_type = ridge_arena_strdup(l->arena, spec->model_type), .config = entry->class_name};
    bool wanted = f->model_type && matches(l, f->model_type);
    ridge_status st = f->model_type ? RIDGE_OK : ridge_no_memory(err);
    for (size_t i = 0; i < spec->class_count && !st; i++) {
        const char *name = ridge_arena_strdup(l->arena, spec->classes[i].name);
        st = name ? ridge_words_add(&f->classes, name, l->arena, err) : ridge_no_memory(err);
        wanted = wanted || (!st && matches(l, name));
    }
    if (!st && wanted) {
        l->family_count++;
        l->class_count += spec->class_count;
    }
    return st;
}

static int by_model_type(const void *a, const void *b)
{
    return strcmp(((const family *)a)->model_type, ((const family *)b)->model_type);
}

static ridge_status find_families(models_answer *l, ridge_registry *registry, ridge_err *err)
{
    ridge_source **configs;
    size_t count = 0;
    ridge_status st = ridge_registry_configs(&configs, &count, registry, err);
    if (!st && !(l->families = ridge_arena_array(l->arena, count + 1, sizeof *l->families)))
        st = ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++) {
        ridge_entry *entry;
        st = ridge_registry_config_entry(&entry, registry, configs[i]->key, err);
        if (!st && entry->config->class_count > 0) /* a nested config runs as no model */
            st = add_family(l, entry, err);
    }
    if (!st && l->family_count > 0)
        qsort(l->families, l->family_count, sizeof *l->families, by_model_type);
    return st;
}

static ridge_status find_cached(models_answer *l, ridge_err *err)
{
    const char **ids, *hub = ridge_hub_folder(l->arena);
    size_t count;
    ridge_status st = ridge_hub_cached_ids(&ids, &count, hub, l->arena, err);
    for (size_t i = 0; i < count && !st; i++)
        if (matches(l, ids[i]))
            st = ridge_words_add(&l->cached, ids[i], l->arena, err);
    return st;
}

/* ---- output ---- */

static const ridge_record_field example_fields[] = {
    RIDGE_R_TEXT(example, id, "id", "model", RIDGE_IN_ALL, "the id that names it"),
    RIDGE_R_TEXT(example, architecture, "architecture", NULL, RIDGE_IN_ALL, "the class that runs"),
    RIDGE_R_TEXT(example, model_type, "model_type", "model type", RIDGE_IN_ALL, "its config's model_type"),
    RIDGE_R_COUNT(example, parameters, "parameters", NULL, RIDGE_IN_ALL, "its parameters"),
};
static const ridge_record example_record = RIDGE_RECORD(example, "shipped model", example_fields, "a shipped config");

static const ridge_record_field family_fields[] = {
    RIDGE_R_TEXT(family, model_type, "model_type", "model type", RIDGE_IN_JSON | RIDGE_IN_MARKDOWN, "the model_type of its configs"),
    RIDGE_R_TEXT(family, config, "config", NULL, RIDGE_IN_JSON, "its config class"),
    RIDGE_R_TEXTS(family, classes, "classes", NULL, RIDGE_IN_JSON | RIDGE_IN_MARKDOWN, "the classes that run such a config"),
};
static const ridge_record family_record = RIDGE_RECORD(family, "model type", family_fields, "a family of models");

static const ridge_record_field csv_fields[] = {
    RIDGE_R_TEXT(csv_row, kind, "kind", NULL, RIDGE_IN_CSV, "model, cached or class"),
    RIDGE_R_TEXT(csv_row, id, "id", NULL, RIDGE_IN_CSV, "of a model, its id"),
    RIDGE_R_TEXT(csv_row, model_type, "model_type", NULL, RIDGE_IN_CSV, "its config's model_type"),
    RIDGE_R_TEXT(csv_row, architecture, "architecture", NULL, RIDGE_IN_CSV, "the class that runs"),
    RIDGE_R_COUNT(csv_row, parameters, "parameters", NULL, RIDGE_IN_CSV, "of a model, its parameters"),
};
static const ridge_record csv_record = RIDGE_RECORD(csv_row, "model or class", csv_fields, "a shipped config or a class");

static const ridge_record_field fields[] = {
    RIDGE_R_LIST(models_answer, examples, example_count, &example_record, "models", RIDGE_IN_JSON, "the shipped configs"),
    RIDGE_R_TEXTS(models_answer, cached, "cached", NULL, RIDGE_IN_JSON, "ids of models in the Hugging Face cache whose config is there"),
    RIDGE_R_LIST(models_answer, families, family_count, &family_record, "model_types", RIDGE_IN_JSON, "the families of the catalog"),
};
static const ridge_record record = RIDGE_RECORD(models_answer, "ridge models", fields, "what the catalog and the examples hold");

static ridge_status write_csv(ridge_call *call, const models_answer *l, ridge_err *err)
{
    csv_row *rows = ridge_arena_array(&call->arena, l->example_count + l->cached.count + l->class_count + 1, sizeof *rows);
    size_t count = 0;
    if (!rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < l->example_count; i++) {
        const example *e = &l->examples[i];
        rows[count++] = (csv_row){"model", e->id, e->model_type, e->architecture, e->parameters};
    }
    for (size_t i = 0; i < l->cached.count; i++)
        rows[count++] = (csv_row){"cached", l->cached.items[i], NULL, NULL, -1};
    for (size_t i = 0; i < l->family_count; i++)
        for (size_t k = 0; k < l->families[i].classes.count; k++)
            rows[count++] = (csv_row){"class", NULL, l->families[i].model_type, l->families[i].classes.items[k], -1};
    return ridge_call_table(call, &csv_record, rows, count, err);
}

static ridge_status write_markdown(ridge_call *call, const models_answer *l, ridge_err *err)
{
    ridge_status st = l->example_count > 0 ? ridge_call_table(call, &example_record, l->examples, l->example_count, err) : RIDGE_OK;
    ridge_buf_addc(&call->data, '\n');
    return st ? st : ridge_call_table(call, &family_record, l->families, l->family_count, err);
}

static ridge_status write_text(ridge_call *call, const models_answer *l, ridge_err *err)
{
    size_t gap = 0;
    ridge_buf *out = &call->data;
    ridge_status st = l->example_count > 0 ? ridge_call_table(call, &example_record, l->examples, l->example_count, err) : RIDGE_OK;
    for (size_t i = 0; i < l->family_count; i++)
        if (strlen(l->families[i].model_type) + 4 > gap)
            gap = strlen(l->families[i].model_type) + 4;
    if (l->cached.count > 0)
        ridge_buf_addf(out, "%sIn the Hugging Face cache:\n", l->example_count > 0 ? "\n" : "");
    for (size_t i = 0; i < l->cached.count; i++)
        ridge_buf_addf(out, "  %s\n", l->cached.items[i]);
    if (l->family_count > 0)
        ridge_buf_addf(out, "%sModel types and their classes (" RIDGE_OPT("class") "):\n",
                       l->example_count + l->cached.count > 0 ? "\n" : "");
    for (size_t i = 0; i < l->family_count; i++)
        ridge_text_row(out, l->families[i].model_type, ridge_words_joined(&l->families[i].classes, l->arena), gap, (size_t)call->line);
    ridge_buf_addf(out, "%s%zu shipped %s, %zu model %s\n", l->example_count + l->family_count > 0 ? "\n" : "", l->example_count,
                   l->example_count == 1 ? "model" : "models", l->family_count, l->family_count == 1 ? "type" : "types");
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    models_answer l = {.filter = r->filter, .arena = &call->arena};
    ridge_registry *registry;
    ridge_status st;
    if ((st = ridge_call_registry(&registry, call, &r->catalog, err)) || (st = find_examples(&l, registry, err)) ||
        (st = find_cached(&l, err)) || (st = find_families(&l, registry, err)))
        return st;
    switch (call->form) {
    case RIDGE_FORM_JSON:
        return ridge_call_answer(call, &record, &l);
    case RIDGE_FORM_CSV:
        return write_csv(call, &l, err);
    case RIDGE_FORM_MARKDOWN:
        return write_markdown(call, &l, err);
    case RIDGE_FORM_TEXT:
        break;
    }
    return write_text(call, &l, err);
}

const ridge_command ridge_cmd_models = {
    .name = "models",
    .group = "Models",
    .summary = "shipped examples, what the cache has, and the model types and classes the catalog knows",
    .example = "ridge models llama",
    .details = "Any config.json of one of these model types works, not only the shipped ones.",
    .operands = RIDGE_OPERAND(request, filter, "[FILTER]", 0, "part of an id, a model type or a class; upper and lower case are the same"),
    .tables = {{RIDGE_TABLE_OF_CALL(ridge_options_output, NULL)},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .run = run,
    .records = {&record},
};
