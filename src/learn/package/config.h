/* config.h - a configuration as the model's code sees it.
 * In: config.json and the configuration's class. Out: its instance, made by interpreting __init__; every attribute is then bound anew to a
 * symbol of its own, `config.<attribute>`, with its value, and what it was before is kept: raw, default, derived from others.
 * Fails where the class cannot be interpreted. */
#ifndef RIDGE_LEARN_PACKAGE_CONFIG_H
#define RIDGE_LEARN_PACKAGE_CONFIG_H

#include "base/json.h"
#include "learn/python/interp.h"

/* An attribute of the configuration, nested ones included (text_config.hidden_size). */
typedef struct ridge_learn_field {
    const char *path;    /* "hidden_size", "text_config.hidden_size" */
    ridge_py raw;        /* what config.json has under that name; UNSET: nothing */
    ridge_py before;     /* what __init__ left, in symbols of raw values; its formula: ridge_py_formula */
    ridge_py value;      /* what the model sees: config.<path> */
    const char *formula; /* of `before`, over other fields: where it is not its own raw value; NULL: none, or a constant */
    bool is_default;     /* a constant of the class: config.json does not say it */
} ridge_learn_field;

typedef struct ridge_learn_config {
    ridge_py instance; /* an INSTANCE of the class; a DICT where a class takes its fields as arguments (diffusers) */
    ridge_py raw;      /* the DICT of config.json with its symbols */
    ridge_learn_field *fields;
    size_t count, cap;
    size_t first_condition, last_condition; /* of in->conditions: what __init__ asked of the raw values */
} ridge_learn_config;

/* a value of JSON as Python's, numbers named config.<path>; path "" is the config itself */
ridge_status ridge_learn_from_json(ridge_py *out, const ridge_json *json, const char *path, ridge_py_interp *in);
ridge_status ridge_learn_config_make(ridge_learn_config *out, ridge_py class, const ridge_json *json, ridge_py_interp *in);

#endif
