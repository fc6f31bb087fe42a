/* card.h - a model on one screen: what it is, what it weighs, whether it runs here, how fast, and what to ask next.
 * In: a model and what `ridge fit` takes. Out: one struct, complete before it is written; docs/fit.md
 * Fails as an analysis does; what is not known of the machine is said. */
#ifndef RIDGE_FIT_CARD_H
#define RIDGE_FIT_CARD_H

#include "fit/fit.h"

enum { RIDGE_CARD_FORMATS = 4 };

/* the weights in one format */
typedef struct ridge_card_format {
    const ridge_format *format;
    ridge_int bytes;
} ridge_card_format;

typedef struct ridge_card {
    ridge_fits_answer fits; /* the model, the machine, the context; one row, the model's own formats */
    const char *name, *architecture, *model_type, *machine;
    const ridge_parameter_counts *parameters;
    ridge_int weights_bytes;
    ridge_card_format formats[RIDGE_CARD_FORMATS]; /* narrower ones */
    size_t format_count;
    ridge_int cache_bytes_per_token; /* what a token more takes; negative: the model keeps no cache */
    ridge_int cache_bytes;           /* at the model's own maximum, or at the context where it has none */
    int64_t cache_tokens;
    ridge_int prompt_flops, token_flops; /* of the first piece; of a generated token at the end of the context; negative: none */
    int64_t prompt_tokens;               /* of that piece; 0: no text goes in */
    ridge_fits_row row;                  /* the model's own formats at the context */
    const ridge_format *would_fit;       /* where they do not fit: the widest narrower format that does; NULL: none, or not asked */
    ridge_fits_row other;                /* in that format */
    ridge_words next;                    /* command lines */
} ridge_card;
extern const ridge_record ridge_card_record;

/* Free with ridge_card_free also after an error; the rest as in ridge_fits_make. */
ridge_status ridge_card_make(ridge_card *out, ridge_registry *registry, ridge_machines *machines, const ridge_fits_request *request,
                             ridge_arena *arena, ridge_err *err);
void ridge_card_free(ridge_card *card);
/* lines of at most `width` columns, 0: any; commands to copy stay whole */
void ridge_card_print(ridge_buf *out, const ridge_card *card, size_t width, ridge_arena *arena);

#endif
