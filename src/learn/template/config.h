/* config.h - a config class as an entry of the catalog (docs/catalog.md, `config`).
 * In: the config of a derivation. Out: its entry, written into an object that is open: defaults, types, derived fields, head classes. */
#ifndef RIDGE_LEARN_TEMPLATE_CONFIG_H
#define RIDGE_LEARN_TEMPLATE_CONFIG_H

#include "learn/derive/derive.h"

/* model: the key of the entry for the class that was derived; entries: the text of all entries, which mention the fields that they use;
 * workload: of the first run, with an image's side and a decoder's length where there are such */
ridge_status ridge_template_config(ridge_json_writer *w, ridge_derivation *d, const char *model, const char *entries,
                                   const ridge_derive_workload *workload, const ridge_calc *calc);

#endif
