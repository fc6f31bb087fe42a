/* parts.h - what the readers of quantization configs share; private to the folder.
 * In: a reader. Out: schemes and rules of its ridge_quant. Fails with line and column. */
#ifndef RIDGE_INPUT_QUANT_PARTS_H
#define RIDGE_INPUT_QUANT_PARTS_H

#include "input/quant/quant.h"

typedef struct ridge_quant_reader {
    ridge_quant *q;
    const ridge_json *config; /* the model's */
    const ridge_json *root;   /* the quantization_config */
    const char *file;
    size_t rule_cap, exact_cap, scheme_cap;
    ridge_arena *arena;
    ridge_err *err;
} ridge_quant_reader;

ridge_status ridge_quant_fail(const ridge_quant_reader *r, const ridge_json *at, const char *what);

/* ---- values ---- */
bool ridge_quant_is_text(const ridge_json *object, const char *key, const char *text);
ridge_str ridge_quant_text(const ridge_json *object, const char *key); /* "" where there is none */
bool ridge_quant_is_true(const ridge_json *object, const char *key);
const ridge_json *ridge_quant_object(const ridge_json *object, const char *key); /* NULL: it is not there, or null */
ridge_status ridge_quant_whole(int64_t *out, const ridge_quant_reader *r, const ridge_json *object, const char *key, int64_t otherwise,
                               int64_t least, int64_t most);
/* two sizes; 0, 0 where there are none */
ridge_status ridge_quant_block(int64_t block[2], const ridge_quant_reader *r, const ridge_json *object, const char *key);
const ridge_format *ridge_quant_format(const char *name);
/* integers that are unpacked to 16 bits before they are multiplied */
const ridge_format *ridge_quant_weight_only(int64_t bits);
/* "int4_g128", "int4" where a scale is for a whole row */
const char *ridge_quant_int_name(const ridge_quant_reader *r, int64_t bits, int64_t group);

/* ---- schemes and rules ---- */
ridge_status ridge_quant_add_scheme(const ridge_scheme **out, ridge_quant_reader *r, ridge_scheme s);
ridge_status ridge_quant_add_rule(ridge_quant_reader *r, ridge_quant_match match, const ridge_json *at, ridge_str pattern,
                                  const ridge_scheme *scheme);
/* "re:..." is an expression, what has a '*' a glob, else `plain` says what the text means */
ridge_status ridge_quant_add_pattern(ridge_quant_reader *r, ridge_quant_match plain, const ridge_json *at, ridge_str text,
                                     const ridge_scheme *scheme);
/* one for each text of a list; scheme NULL: they stay as they are */
ridge_status ridge_quant_add_rules(ridge_quant_reader *r, ridge_quant_match match, const ridge_json *object, const char *key,
                                   const ridge_scheme *scheme);
/* paths, globs and "re:..." that stay as they are */
ridge_status ridge_quant_add_ignored(ridge_quant_reader *r, const char *key);
ridge_status ridge_quant_keep(ridge_quant_reader *r, const char *component);
/* What transformers leaves alone where the config names no modules in that list: the matrix onto the vocabulary. list NULL: always */
ridge_status ridge_quant_keep_head(ridge_quant_reader *r, const char *list);

/* what a search by whole paths needs, when all rules are there */
void ridge_quant_sort(ridge_quant *q);
/* the number that all paths of a pattern have first; -1: there is none, or it may go on */
int64_t ridge_quant_layer(ridge_str pattern);

/* ---- methods ---- */
ridge_status ridge_quant_read_gptq(ridge_quant_reader *r);
ridge_status ridge_quant_read_awq(ridge_quant_reader *r);
ridge_status ridge_quant_read_bitsandbytes(ridge_quant_reader *r);
ridge_status ridge_quant_read_fp8(ridge_quant_reader *r);
ridge_status ridge_quant_read_mxfp4(ridge_quant_reader *r);
ridge_status ridge_quant_read_quark(ridge_quant_reader *r);
ridge_status ridge_quant_read_torchao(ridge_quant_reader *r);
ridge_status ridge_quant_read_mlx(ridge_quant_reader *r);
ridge_status ridge_quant_read_compressed(ridge_quant_reader *r);
/* the layers that ModelOpt names one by one */
ridge_status ridge_quant_read_layers(ridge_quant_reader *r);
ridge_status ridge_quant_read_modelopt(ridge_quant_reader *r);

#endif
