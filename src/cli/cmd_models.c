/* ridge models: the shipped examples, and the families and head classes of the catalog. */
#include <stdlib.h>

#include "model/analysis.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "cli/workload.h"
#include "input/embedded.h"
#include "report/table.h"

typedef struct models_args {
    ridge_words filter;
    ridge_output_args output;
    ridge_catalog_args catalog;
} models_args;

/* a shipped example */
typedef struct model {
    const char *id, *architecture, *model_type;
    ridge_int parameters;
} model;

typedef struct listing {
    ridge_io *io;
    ridge_registry *registry;
    const char *filter; /* NULL: none */
    model *models;
    size_t model_count;
    ridge_entry **families; /* config entries with head classes */
    size_t family_count;
} listing;

/* ---- what is listed ---- */

static bool matches(const listing *l, const char *text)
{
    return !l->filter || strcasestr(text, l->filter);
}

static ridge_status add_model(listing *l, const char *id, ridge_err *err)
{
    ridge_request request;
    ridge_analysis *a = NULL;
    model *m = &l->models[l->model_count];
    ridge_request_default(&request);
    request.model = id;
    request.no_rows = true;
    ridge_status st = ridge_analysis_make(&a, l->registry, &request, err);
    if (!st) {
        *m = (model){id, ridge_arena_strdup(&l->io->arena, ridge_str_of(a->architecture)),
                     ridge_arena_strdup(&l->io->arena, a->config_entry->config->model_type), a->parameters.total};
        if (!m->architecture || !m->model_type)
            st = ridge_no_memory(err);
        else
            l->model_count += matches(l, id) || matches(l, m->architecture) || matches(l, m->model_type);
    }
    ridge_analysis_free(a);
    return st;
}

static ridge_status find_models(listing *l, ridge_err *err)
{
    ridge_status st = RIDGE_OK;
    if (!(l->models = ridge_arena_array(&l->io->arena, ridge_embedded_models_count + 1, sizeof *l->models)))
        return ridge_no_memory(err);
    for (unsigned i = 0; i < ridge_embedded_models_count && !st; i++)
        st = add_model(l, ridge_embedded_models[i].id, err);
    return st;
}

static ridge_status family_matches(bool *out, const listing *l, const ridge_config_spec *spec, ridge_err *err)
{
    const char *type = ridge_arena_strdup(&l->io->arena, spec->model_type);
    if (!type)
        return ridge_no_memory(err);
    *out = matches(l, type);
    for (size_t i = 0; i < spec->class_count && !*out; i++) {
        const char *name = ridge_arena_strdup(&l->io->arena, spec->classes[i].name);
        if (!name)
            return ridge_no_memory(err);
        *out = matches(l, name);
    }
    return RIDGE_OK;
}

static int by_model_type(const void *a, const void *b)
{
    ridge_str x = (*(ridge_entry *const *)a)->config->model_type, y = (*(ridge_entry *const *)b)->config->model_type;
    int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return order != 0 ? order : (x.n > y.n) - (x.n < y.n);
}

static ridge_status find_families(listing *l, ridge_err *err)
{
    ridge_source **configs;
    size_t count = 0;
    ridge_status st = ridge_registry_configs(&configs, &count, l->registry, err);
    if (!st && !(l->families = ridge_arena_array(&l->io->arena, count + 1, sizeof(ridge_entry *))))
        st = ridge_no_memory(err);
    for (size_t i = 0; i < count && !st; i++) {
        ridge_entry *entry;
        bool wanted = false;
        st = ridge_registry_entry(&entry, l->registry, configs[i]->key, err);
        if (st || !entry->config || entry->config->class_count == 0) /* a nested config runs as no model */
            continue;
        if (!(st = family_matches(&wanted, l, entry->config, err)) && wanted)
            l->families[l->family_count++] = entry;
    }
    if (!st && l->family_count > 0)
        qsort(l->families, l->family_count, sizeof(ridge_entry *), by_model_type);
    return st;
}

/* ---- output ---- */

static void write_models(ridge_json_writer *w, const listing *l)
{
    ridge_jw_key(w, "models");
    ridge_jw_array(w);
    for (size_t i = 0; i < l->model_count; i++) {
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "id", l->models[i].id);
        ridge_jw_member_text(w, "architecture", l->models[i].architecture);
        ridge_jw_member_text(w, "model_type", l->models[i].model_type);
        ridge_jw_key(w, "parameters");
        ridge_jw_int(w, l->models[i].parameters);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void write_families(ridge_json_writer *w, const listing *l)
{
    ridge_jw_key(w, "model_types");
    ridge_jw_array(w);
    for (size_t i = 0; i < l->family_count; i++) {
        const ridge_config_spec *spec = l->families[i]->config;
        ridge_jw_object_compact(w);
        ridge_jw_key(w, "model_type");
        ridge_jw_str(w, spec->model_type);
        ridge_jw_member_text(w, "config", l->families[i]->class_name);
        ridge_jw_key(w, "classes");
        ridge_jw_array_compact(w);
        for (size_t k = 0; k < spec->class_count; k++)
            ridge_jw_str(w, spec->classes[k].name);
        ridge_jw_end_array(w);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

static void write_json(const listing *l)
{
    ridge_json_writer w;
    ridge_jw_answer(&w, &l->io->data);
    write_models(&w, l);
    write_families(&w, l);
    ridge_jw_end_object(&w);
    ridge_buf_addc(&l->io->data, '\n');
}

static const char *digits(const listing *l, ridge_int value)
{
    char text[RIDGE_INT_CHARS];
    (void)ridge_int_print(text, value);
    return ridge_arena_strdup(&l->io->arena, ridge_str_of(text));
}

/* one table for both, since CSV has one header: a row per example, then a row per head class */
static ridge_status write_csv(const listing *l)
{
    static const ridge_column columns[] = {{"kind", "kind", false},
                                           {"id", "id", false},
                                           {"model type", "model_type", false},
                                           {"architecture", "architecture", false},
                                           {"parameters", "parameters", true}};
    ridge_table table;
    ridge_table_init(&table, &l->io->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < l->model_count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells || !(cells[4] = digits(l, l->models[i].parameters)))
            return RIDGE_NOMEM;
        cells[0] = "model";
        cells[1] = l->models[i].id;
        cells[2] = l->models[i].model_type;
        cells[3] = l->models[i].architecture;
    }
    for (size_t i = 0; i < l->family_count; i++)
        for (size_t k = 0; k < l->families[i]->config->class_count; k++) {
            const char **cells = ridge_table_row(&table);
            if (!cells || !(cells[2] = ridge_arena_strdup(&l->io->arena, l->families[i]->config->model_type)) ||
                !(cells[3] = ridge_arena_strdup(&l->io->arena, l->families[i]->config->classes[k].name)))
                return RIDGE_NOMEM;
            cells[0] = "class";
        }
    ridge_output_table(l->io, &table, RIDGE_OUTPUT_CSV);
    return RIDGE_OK;
}

static ridge_status write_examples(const listing *l, ridge_output as)
{
    static const ridge_column columns[] = {{"model", "id", false},
                                           {"architecture", "architecture", false},
                                           {"model type", "model_type", false},
                                           {"parameters", "parameters", true}};
    ridge_table table;
    ridge_table_init(&table, &l->io->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < l->model_count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells || !(cells[3] = ridge_units_exact(&l->io->arena, l->models[i].parameters)))
            return RIDGE_NOMEM;
        cells[0] = l->models[i].id;
        cells[1] = l->models[i].architecture;
        cells[2] = l->models[i].model_type;
    }
    if (l->model_count > 0)
        ridge_output_table(l->io, &table, as);
    return RIDGE_OK;
}

/* "AlbertForMaskedLM, AlbertModel" */
static const char *class_names(const listing *l, const ridge_config_spec *spec)
{
    ridge_buf names = {0};
    for (size_t i = 0; i < spec->class_count; i++)
        ridge_buf_addf(&names, "%s%.*s", i > 0 ? ", " : "", RIDGE_STR_ARG(spec->classes[i].name));
    const char *kept = names.failed ? NULL : ridge_arena_strdup(&l->io->arena, (ridge_str){names.p, names.n});
    ridge_buf_free(&names);
    return kept;
}

static ridge_status write_family_table(const listing *l)
{
    static const ridge_column columns[] = {{"model type", "model_type", false}, {"classes", "classes", false}};
    ridge_table table;
    ridge_table_init(&table, &l->io->arena, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < l->family_count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells || !(cells[0] = ridge_arena_strdup(&l->io->arena, l->families[i]->config->model_type)) ||
            !(cells[1] = class_names(l, l->families[i]->config)))
            return RIDGE_NOMEM;
    }
    ridge_buf_addc(&l->io->data, '\n');
    ridge_output_table(l->io, &table, RIDGE_OUTPUT_MARKDOWN);
    return RIDGE_OK;
}

static ridge_status write_family_rows(const listing *l)
{
    size_t gap = 0;
    for (size_t i = 0; i < l->family_count; i++)
        if (l->families[i]->config->model_type.n + 4 > gap)
            gap = l->families[i]->config->model_type.n + 4;
    if (l->family_count > 0)
        ridge_buf_addf(&l->io->data, "%sModel types and their classes (--class):\n", l->model_count > 0 ? "\n" : "");
    for (size_t i = 0; i < l->family_count; i++) {
        const char *type = ridge_arena_strdup(&l->io->arena, l->families[i]->config->model_type),
                   *names = class_names(l, l->families[i]->config);
        if (!type || !names)
            return RIDGE_NOMEM;
        ridge_text_row(&l->io->data, type, names, gap, (size_t)l->io->width);
    }
    ridge_buf_addf(&l->io->data, "%s%zu shipped %s, %zu model %s\n", l->model_count + l->family_count > 0 ? "\n" : "", l->model_count,
                   l->model_count == 1 ? "model" : "models", l->family_count, l->family_count == 1 ? "type" : "types");
    return RIDGE_OK;
}

static ridge_status print(const listing *l, ridge_output as)
{
    ridge_status st;
    if (as == RIDGE_OUTPUT_JSON) {
        write_json(l);
        return RIDGE_OK;
    }
    if (as == RIDGE_OUTPUT_CSV)
        return write_csv(l);
    if ((st = write_examples(l, as)))
        return st;
    return as == RIDGE_OUTPUT_MARKDOWN ? write_family_table(l) : write_family_rows(l);
}

static ridge_status run(ridge_io *io, const void *values, ridge_err *err)
{
    const models_args *args = values;
    listing l = {.io = io, .filter = args->filter.count > 0 ? args->filter.items[0] : NULL};
    ridge_status st = ridge_catalog_open(&l.registry, &args->catalog, err);
    if (st)
        return st;
    if (!(st = find_models(&l, err)) && !(st = find_families(&l, err)) && (st = print(&l, args->output.as)))
        st = ridge_fail(err, st, NULL);
    ridge_registry_close(l.registry);
    return st;
}

const ridge_command ridge_cmd_models = {
    .name = "models",
    .group = "Models",
    .summary = "shipped examples, and the model types and classes the catalog knows",
    .example = "ridge models llama",
    .details = "Any config.json of one of these model types works, not only the shipped ones.",
    .operands =
        RIDGE_OPERANDS(models_args, filter, "[FILTER]", 0, 1, "part of an id, a model type or a class; upper and lower case are the same"),
    .tables = {{ridge_options_output, offsetof(models_args, output), NULL},
               {ridge_options_catalog, offsetof(models_args, catalog), "Catalog"}},
    .args_size = sizeof(models_args),
    .run = run,
};
