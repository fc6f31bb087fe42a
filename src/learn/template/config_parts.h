/* config_parts.h - what the files that write a config's entry share (config.h). */
#ifndef RIDGE_LEARN_TEMPLATE_CONFIG_PARTS_H
#define RIDGE_LEARN_TEMPLATE_CONFIG_PARTS_H

#include "learn/template/config.h"

/* A config being written: the model's, or one that is nested in it. */
typedef struct ridge_config_scope {
    const char *prefix; /* "" or "text_config." */
    const char *key;
    ridge_derivation *d;
    const ridge_learn_config *config;
    const char *entries; /* the text of all entries */
    const struct ridge_config_alone *alone;
    const ridge_calc *calc;
} ridge_config_scope;

/* is config.<path> in the text? */
bool ridge_config_mentions(const char *path, const char *text);
/* positions, and what a model sees and hears where nobody asks for others: members of the entry */
ridge_status ridge_config_workload(ridge_json_writer *w, const ridge_config_scope *s, const ridge_derive_workload *used);
/* Has it an encoder and a decoder? So says the run, or the config where the encoder takes no tokens. */
bool ridge_config_is_encoder_decoder(const ridge_config_scope *s, const ridge_derive_workload *used);

#endif
