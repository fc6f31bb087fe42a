/* How the table of formats is written: JSON, CSV, Markdown and text from one list of fields. */
#include "fit/fit.h"

#define ROW ridge_fits_row

static const char *fits_text(ridge_arena *arena, const void *row)
{
    const int fits = ((const ROW *)row)->fits;
    (void)arena;
    return fits < 0 ? "-" : fits ? "yes" : "no";
}

static const char *weights_text(ridge_arena *arena, const void *row)
{
    const ROW *r = row;
    return r->own ? ridge_arena_printf(arena, "%s (own)", r->weights->name) : r->weights->name;
}

static const ridge_record_field row_fields[] = {
    RIDGE_R_FORMAT(ROW, weights, "weights", NULL, RIDGE_IN_ALL, "format of the weights", .text = weights_text),
    RIDGE_R_FORMAT(ROW, kv, "kv", "KV", RIDGE_IN_ALL, "format of the KV cache; null: the model keeps none"),
    RIDGE_R_COUNT(ROW, weights_bytes, "weights_bytes", "weights", RIDGE_IN_ALL, "the weights in that format", .unit = RIDGE_UNIT_BYTES,
                  .minor = true),
    RIDGE_R_COUNT(ROW, kv_bytes, "kv_bytes", "cache", RIDGE_IN_ALL, "the cache of one sequence at the context", .unit = RIDGE_UNIT_BYTES,
                  .minor = true),
    RIDGE_R_COUNT(ROW, memory_bytes, "memory_bytes", "memory", RIDGE_IN_ALL,
                  "weights, cache and activations of one sequence at the context", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_MAYBE(ROW, fits, "fits", NULL, RIDGE_IN_ALL, "into the memory; null: its size is not known", .text = fits_text),
    RIDGE_R_WHOLE(ROW, max_context, "max_context", "context", RIDGE_IN_ALL,
                  "tokens of one sequence that fit, at most the model's own maximum; null: not known", .unit = RIDGE_UNIT_NONE),
    RIDGE_R_WHOLE(ROW, max_batch, "max_batch", "batch", RIDGE_IN_ALL, "sequences of the context that fit; null: not known"),
    RIDGE_R_REAL(ROW, prompt_tokens_per_s, "prompt_tokens_per_s", "prompt", RIDGE_IN_ALL,
                 "tokens of one prompt a second, of a model without text its images, of a graph its runs; null: not known",
                 .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(ROW, generate_tokens_per_s, "generate_tokens_per_s", "generation", RIDGE_IN_ALL,
                 "tokens that one sequence generates a second at the end of the context; null: not known", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_TEXT(ROW, bound, "bound", NULL, RIDGE_IN_ALL, "what bounds generation, or the one pass: memory or compute"),
};
const ridge_record ridge_fits_row_record = RIDGE_RECORD(ROW, "format", row_fields, "a model in one choice of formats on a machine");

#define ANSWER ridge_fits_answer
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(ANSWER, name, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(ANSWER, machine, "machine", NULL, RIDGE_IN_JSON, "id of the machine; null: a size of memory alone was asked about"),
    RIDGE_R_TEXT(ANSWER, here.known, "machine_known", NULL, RIDGE_IN_JSON,
                 "how the machine is known: named, kept ('this'), detected, or told (its memory alone)"),
    RIDGE_R_COUNT(ANSWER, here.memory_bytes, "capacity_bytes", NULL, RIDGE_IN_JSON, "memory of the device", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_WHOLE(ANSWER, context, "context", NULL, RIDGE_IN_JSON, "tokens of a sequence"),
    RIDGE_R_WHOLE(ANSWER, model_context, "model_context", NULL, RIDGE_IN_JSON, "the model's own largest number of positions"),
    RIDGE_R_LIST(ANSWER, rows, row_count, &ridge_fits_row_record, "rows", RIDGE_IN_JSON, "a row per choice of formats", .open = true),
    RIDGE_R_TEXTS(ANSWER, notes, "notes", NULL, RIDGE_IN_JSON, "what a reader must know"),
};
const ridge_record ridge_fits_record = RIDGE_RECORD(ANSWER, "ridge fit", fields, "which formats of a model fit, how far and how fast");

/* ---- text ---- */

static void add_machine(ridge_buf *out, const ANSWER *a, ridge_arena *arena)
{
    const ridge_here *h = &a->here;
    if (h->machine)
        ridge_buf_addf(out, "  on %s (%s%s)", h->machine->id, h->machine->name ? h->machine->name : "no name",
                       strcmp(h->known, "detected") == 0 ? ", detected" : "");
    ridge_buf_addf(out, "\n%s of memory", h->memory_bytes < 0 ? "an unknown size" : ridge_units_capacity(arena, h->memory_bytes));
}

static void add_head(ridge_buf *out, const ANSWER *a, ridge_arena *arena)
{
    ridge_buf_addf(out, "%s  %s", a->name, a->model->architecture);
    add_machine(out, a, arena);
    if (a->model->workload.takes.tokens) {
        ridge_buf_addf(out, "; one sequence of %s tokens", ridge_units_exact(arena, a->context));
        if (a->model_context > 0)
            ridge_buf_addf(out, " (the model's own maximum: %s)", ridge_units_exact(arena, a->model_context));
        if (a->piece < a->context)
            ridge_buf_addf(out, ", its prompt in pieces of %s", ridge_units_exact(arena, a->piece));
    }
    ridge_buf_addz(out, "\n\n");
}

ridge_status ridge_fits_print(ridge_buf *out, const ANSWER *a, const ridge_record_style *style, ridge_arena *arena, ridge_err *err)
{
    const bool text = style->form == RIDGE_FORM_TEXT;
    if (text)
        add_head(out, a, arena);
    ridge_status st = ridge_record_print(out, &ridge_fits_row_record, style, a->rows, a->row_count, err);
    if (st || !text)
        return st;
    ridge_buf_addz(out,
                   "\nprompt, generation: tokens a second of one sequence, at best (the roofline); context, batch: the largest that fit\n");
    for (size_t i = 0; i < a->notes.count; i++)
        ridge_buf_addf(out, "note: %s\n", a->notes.items[i]);
    return RIDGE_OK;
}
