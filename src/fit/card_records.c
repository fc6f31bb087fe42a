/* A model on one screen, as text and as JSON. */
#include "base/shown.h"
#include "fit/card.h"
#include "model/records.h"
#include "report/text.h"

#define CARD ridge_card

static const ridge_record_field format_fields[] = {
    RIDGE_R_FORMAT(ridge_card_format, format, "format", NULL, RIDGE_IN_JSON, "number format"),
    RIDGE_R_COUNT(ridge_card_format, bytes, "bytes", NULL, RIDGE_IN_JSON, "the weights in it", .unit = RIDGE_UNIT_BYTES),
};
static const ridge_record format_record = RIDGE_RECORD(ridge_card_format, "format", format_fields, "the weights in one format");

static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(CARD, name, "model", NULL, RIDGE_IN_JSON, "the model as it was named"),
    RIDGE_R_TEXT(CARD, architecture, "architecture", NULL, RIDGE_IN_JSON, "the class that runs"),
    RIDGE_R_TEXT(CARD, model_type, "model_type", NULL, RIDGE_IN_JSON, "its config's model_type"),
    RIDGE_R_AT(CARD, parameters, &ridge_parameters_record, "parameters", RIDGE_IN_JSON, "numbers of parameters", .compact = true),
    RIDGE_R_COUNT(CARD, weights_bytes, "weights_bytes", NULL, RIDGE_IN_JSON, "the weights in the model's own formats",
                  .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_ARRAY(CARD, formats, format_count, &format_record, "formats", RIDGE_IN_JSON, "the weights in narrower formats",
                  .compact = true),
    RIDGE_R_COUNT(CARD, cache_bytes_per_token, "kv_bytes_per_token", NULL, RIDGE_IN_JSON,
                  "what a token more takes of the cache; null: the model keeps none", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(CARD, cache_bytes, "kv_bytes_at_maximum", NULL, RIDGE_IN_JSON,
                  "the cache of one sequence at the model's maximum, or at the context where it has none", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_COUNT(CARD, prompt_flops, "prompt_flops", NULL, RIDGE_IN_JSON, "FLOPs of the first piece of a prompt, or of one pass"),
    RIDGE_R_COUNT(CARD, token_flops, "flops_per_token", NULL, RIDGE_IN_JSON,
                  "FLOPs of a generated token at the end of the context; null: it generates none"),
    RIDGE_R_TEXT(CARD, machine, "machine", NULL, RIDGE_IN_JSON, "id of the machine; null: a size of memory alone was asked about"),
    RIDGE_R_TEXT(CARD, fits.here.known, "machine_known", NULL, RIDGE_IN_JSON,
                 "how the machine is known: named, kept ('this'), detected, or told (its memory alone)"),
    RIDGE_R_COUNT(CARD, fits.here.memory_bytes, "capacity_bytes", NULL, RIDGE_IN_JSON, "memory of the device", .unit = RIDGE_UNIT_BYTES),
    RIDGE_R_WHOLE(CARD, fits.context, "context", NULL, RIDGE_IN_JSON, "tokens of a sequence"),
    RIDGE_R_WHOLE(CARD, fits.model_context, "model_context", NULL, RIDGE_IN_JSON, "the model's own largest number of positions"),
    RIDGE_R_IN(CARD, row, &ridge_fits_row_record, "own", RIDGE_IN_JSON, "in the model's own formats"),
    RIDGE_R_IN(CARD, other, &ridge_fits_row_record, "would_fit", RIDGE_IN_JSON, "the widest narrower format of the weights that fits",
               RIDGE_KNOWN(CARD, would_fit)),
    RIDGE_R_TEXT(CARD, fits.here.note, "note", NULL, RIDGE_IN_JSON, "what a reader should know of the machine"),
    RIDGE_R_TEXTS(CARD, next, "next", NULL, RIDGE_IN_JSON, "commands to try next"),
};
const ridge_record ridge_card_record = RIDGE_RECORD(CARD, "ridge show", fields, "a model on one screen");

/* ---- text ---- */

static void label(ridge_buf *out, const char *name)
{
    ridge_buf_addf(out, "%-13s", name);
}

static void add_parameters(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    const ridge_parameter_counts *p = c->parameters;
    if (!p)
        return;
    label(out, "parameters");
    ridge_buf_addf(out, "%s (%s)", ridge_units_exact(a, p->total), ridge_units(a, p->total));
    if (p->active != p->total)
        ridge_buf_addf(out, ", %s of them run for a token", ridge_units(a, p->active));
    ridge_buf_addc(out, '\n');
}

static void add_weights(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    label(out, "weights");
    ridge_buf_addf(out, "%s in ", ridge_units_bytes(a, c->weights_bytes));
    ridge_workload_add_weights(out, &c->fits.model->workload);
    for (size_t i = 0; i < c->format_count; i++)
        ridge_buf_addf(out, "%s%s in %s", i == 0 ? "; would be " : ", ", ridge_units_bytes(a, c->formats[i].bytes),
                       c->formats[i].format->name);
    ridge_buf_addc(out, '\n');
}

static void add_cache(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    if (c->cache_bytes < 0)
        return;
    if (c->cache_bytes_per_token == 0) { /* a recurrent state */
        label(out, "state");
        ridge_buf_addf(out, "%s a sequence of any length, in %s\n", ridge_units_bytes(a, c->cache_bytes), c->row.kv->name);
        return;
    }
    label(out, "KV cache");
    ridge_buf_addf(out, "%s a token, %s at %s tokens%s, in %s\n", ridge_units_bytes(a, c->cache_bytes_per_token),
                   ridge_units_bytes(a, c->cache_bytes), ridge_units_exact(a, c->cache_tokens),
                   c->fits.model_context > 0 ? ", its maximum" : "", c->row.kv->name);
}

static void add_flops(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    label(out, "FLOPs");
    if (c->token_flops >= 0)
        ridge_buf_addf(out, "%s for a token after %s; ", ridge_units_scaled(a, (double)c->token_flops, "FLOP"),
                       ridge_units_exact(a, c->fits.context));
    ridge_buf_addf(out, "%s", ridge_units_scaled(a, (double)c->prompt_flops, "FLOP"));
    if (c->prompt_tokens > 0)
        ridge_buf_addf(out, " for a prompt of %s\n", ridge_units_exact(a, c->prompt_tokens));
    else
        ridge_buf_addz(out, " for a pass\n");
}

static void add_machine(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    const ridge_here *h = &c->fits.here;
    label(out, strcmp(h->known, "named") == 0 ? "machine" : h->machine ? "here" : "memory");
    if (h->machine)
        ridge_buf_addf(out, "%s%s%s%s, ", h->devices > 1 ? ridge_arena_printf(a, "one of %lld ", (long long)h->devices) : "",
                       h->machine->id, h->machine->name ? ": " : "", h->machine->name ? h->machine->name : "");
    ridge_buf_addf(out, "%s%s\n", h->memory_bytes < 0 ? "memory of unknown size" : ridge_units_capacity(a, h->memory_bytes),
                   h->machine && h->memory_bytes >= 0 ? " of memory" : "");
}

static void add_largest(ridge_buf *out, const CARD *c, const ridge_fits_row *r, ridge_arena *a)
{
    if (r->max_context > 0 && c->fits.model->workload.takes.tokens)
        ridge_buf_addf(out, "; context up to %s%s", ridge_units_exact(a, r->max_context),
                       r->max_context == c->fits.model_context ? ", the model's maximum" : "");
    if (r->max_batch > 0 && c->fits.model->workload.takes.tokens)
        ridge_buf_addf(out, "; up to %s sequences of %s", ridge_units_exact(a, r->max_batch), ridge_units_exact(a, c->fits.context));
    else if (r->max_batch > 0)
        ridge_buf_addf(out, "; batch up to %s", ridge_units_exact(a, r->max_batch));
}

static void add_fits(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    const ridge_fits_row *r = &c->row;
    const char *need = ridge_units_bytes(a, r->memory_bytes),
               *at = c->fits.model->workload.takes.tokens ? ridge_arena_printf(a, " at %s tokens", ridge_units_exact(a, c->fits.context))
                                                          : "";
    label(out, "fits");
    if (r->fits < 0)
        ridge_buf_addf(out, "not known: %s needed%s", need, at);
    else if (r->fits)
        ridge_buf_addf(out, "yes, in %s: %s needed%s", r->weights->name, need, at);
    else
        ridge_buf_addf(out, RIDGE_LOOK_ALARM "no" RIDGE_LOOK_PLAIN ", not in %s: %s needed%s", r->weights->name, need, at);
    add_largest(out, c, r, a);
    ridge_buf_addc(out, '\n');
    if (r->fits != 0)
        return;
    label(out, "");
    if (c->would_fit)
        ridge_buf_addf(out, "in %s it would: %s", c->would_fit->name, ridge_units_bytes(a, c->other.memory_bytes));
    else
        ridge_buf_addz(out, "nor in narrower formats: it takes several devices, or a smaller model");
    add_largest(out, c, &c->other, a);
    ridge_buf_addc(out, '\n');
}

static void add_speed(ridge_buf *out, const CARD *c, ridge_arena *a)
{
    const ridge_fits_row *r = c->would_fit ? &c->other : &c->row;
    const char *what = c->fits.model->workload.takes.tokens ? "tokens/s" : c->fits.model->ops ? "runs/s" : "images/s";
    if (r->prompt_tokens_per_s < 0 && r->generate_tokens_per_s < 0)
        return;
    label(out, "at best");
    if (r->prompt_tokens_per_s >= 0)
        ridge_buf_addf(out, "%s%s (%s-bound)", c->fits.generates ? "prompt " : "", ridge_units_scaled(a, r->prompt_tokens_per_s, what),
                       r->prompt_bound);
    if (r->generate_tokens_per_s >= 0)
        ridge_buf_addf(out, ", generation %s (%s-bound)", ridge_units_scaled(a, r->generate_tokens_per_s, what), r->bound);
    ridge_buf_addf(out, ", one %s%s%s%s\n", c->fits.model->workload.takes.tokens ? "sequence" : "at a time", c->would_fit ? ", in " : "",
                   c->would_fit ? c->would_fit->name : "", c->row.fits == 0 && !c->would_fit ? ", if it did fit" : "");
}

void ridge_card_print(ridge_buf *out, const CARD *c, size_t width, ridge_arena *a)
{
    const size_t from = out->n;
    ridge_buf_addf(out, RIDGE_LOOK_BOLD "%s" RIDGE_LOOK_PLAIN "  %s%s%s%s\n", c->name, c->architecture, c->model_type ? " (" : "",
                   c->model_type ? c->model_type : "", c->model_type ? ")" : "");
    add_parameters(out, c, a);
    add_weights(out, c, a);
    add_cache(out, c, a);
    add_flops(out, c, a);
    ridge_buf_addc(out, '\n');
    add_machine(out, c, a);
    add_fits(out, c, a);
    add_speed(out, c, a);
    if (c->fits.here.note) {
        label(out, "");
        ridge_buf_addf(out, "%s\n", c->fits.here.note);
    }
    ridge_text_fold(out, from, width);
    ridge_buf_addc(out, '\n');
    for (size_t i = 0; i < c->next.count; i++) {
        label(out, i == 0 ? "next" : "");
        ridge_buf_addf(out, "%s\n", c->next.items[i]);
    }
}
