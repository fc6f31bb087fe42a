/* words.h - the arguments of `ridge formula` as people type them; private to entries/.
 * In: words like "2048", "rows=2k", "attention=causal". Out: a module's arguments, the workload, the config.
 * Fails (USAGE) on a word that is no value of what it is given for, a name nothing has, and names given twice. */
#ifndef RIDGE_ENTRIES_WORDS_H
#define RIDGE_ENTRIES_WORDS_H

#include "entries/formula.h"

#define RIDGE_FORMULA_ARGUMENTS 64

typedef struct ridge_formula_word {
    ridge_str name; /* n == 0: positional */
    ridge_str value;
    bool used;
} ridge_formula_word;

typedef struct ridge_formula_words {
    ridge_formula *f;
    ridge_entry *entry;
    ridge_formula_word *p;
    size_t count;
    bool symbolic; /* what is missing stays a name */
    ridge_err *err;
} ridge_formula_words;

ridge_status ridge_formula_words_split(ridge_formula_words *words, const char *const *texts);
/* in this order: each takes the words that are its own */
ridge_status ridge_formula_words_arguments(ridge_formula_words *words, ridge_argument args[RIDGE_FORMULA_ARGUMENTS], size_t *count);
ridge_status ridge_formula_words_workload(ridge_formula_words *words);
ridge_status ridge_formula_words_config(ridge_formula_words *words);

#endif
