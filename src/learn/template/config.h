/* config.h - a config class as an entry of the catalog (docs/catalog.md, `config`).
 * In: the config of a derivation. Out: its entry, written into an object that is open: defaults, types, derived fields, head classes. */
#ifndef RIDGE_LEARN_TEMPLATE_CONFIG_H
#define RIDGE_LEARN_TEMPLATE_CONFIG_H

#include "learn/derive/derive.h"

/* model: the key of the entry for the class that was derived; entries: the text of all entries, which mention the fields that they use;
 * side: of the images in the runs, less than 1: there were none */
ridge_status ridge_template_config(ridge_json_writer *w, ridge_derivation *d, const char *model, const char *entries, int64_t side,
                                   const ridge_calc *calc);

#endif
