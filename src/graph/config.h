/* config.h - a model's config.json read with what its config class says: defaults, types, checks, derived values.
 * In: JSON and a config entry of the catalog. Out: an object formulas read, its assumed fields marked.
 * Fails on a wrong type, an absurd value or a failed check, naming key, file and line. */
#ifndef RIDGE_GRAPH_CONFIG_H
#define RIDGE_GRAPH_CONFIG_H

#include "base/json.h"
#include "catalog/entry.h"

/* file: the JSON's path for messages. run: a graph's. The object lives in run->calc.arena. */
ridge_status ridge_config_bind(ridge_object **out, ridge_registry *registry, const ridge_entry *entry, const ridge_json *json,
                               const char *file, ridge_evaluation *run);

/* a formula of the entry that the run's config was bound with */
ridge_status ridge_config_eval(ridge_value *out, const ridge_expr *expr, ridge_evaluation *run);

/* has the family a default for this key, or another name? */
bool ridge_config_knows(const ridge_config_spec *spec, const ridge_symbol *name);

/* "an integer", "a string", "a list", ... */
const char *ridge_config_type_name(const ridge_json *json);

/* adds a field the file does not give; inspect lists it among those assumed */
ridge_status ridge_config_assume(ridge_object *config, ridge_registry *registry, const char *name, ridge_value value,
                                 const ridge_calc *calc);

/* JSON as a formula's value; NaN and Infinity have no value */
ridge_status ridge_config_value(ridge_value *out, ridge_registry *registry, const ridge_json *json, const char *file,
                                const ridge_calc *calc);

#endif
