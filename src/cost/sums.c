#include "cost/sums.h"

ridge_status ridge_cost_sums(ridge_flop_sums *f, ridge_byte_sums *b, const ridge_cost *c, ridge_err *err)
{
    bool ok = true;
    *f = (ridge_flop_sums){0};
    *b = (ridge_byte_sums){0};
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++) {
        ok = ok && ridge_value_as_int(&f->by_class[i], c->flops[i]) && ridge_int_add(&f->total, f->total, f->by_class[i]);
        if (i == RIDGE_FLOP_MATMUL || i == RIDGE_FLOP_ATTENTION)
            ok = ok && ridge_int_add(&f->torch, f->torch, f->by_class[i]);
    }
    for (int i = 0; i < RIDGE_BYTE_SCORES; i++) {
        ok = ok && ridge_value_as_int(&b->reads[i], c->reads[i]) && ridge_int_add(&b->reads_total, b->reads_total, b->reads[i]);
        ok = ok && ridge_value_as_int(&b->writes[i], c->writes[i]) && ridge_int_add(&b->writes_total, b->writes_total, b->writes[i]);
    }
    ok = ok && ridge_int_add(&b->total, b->reads_total, b->writes_total);
    return ok ? RIDGE_OK : ridge_overflow(err, "a total");
}

ridge_status ridge_cost_node_sums(ridge_flop_sums *f, ridge_byte_sums *b, ridge_coster *coster, const ridge_node *node)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, coster, node);
    return st ? st : ridge_cost_sums(f, b, cost, coster->graph->err);
}

double ridge_cost_intensity(const ridge_flop_sums *f, const ridge_byte_sums *b)
{
    return b->total > 0 ? (double)f->total / (double)b->total : -1;
}

/* ---- how they are written ---- */

#define FLOPS ridge_flop_sums
static const ridge_record_field flop_fields[] = {
    RIDGE_R_COUNT(FLOPS, total, "total", "FLOPs", RIDGE_IN_DATA, "FLOPs of all classes; a fused multiply-add is 2",
                  .unit = RIDGE_UNIT_COUNT),
#define X(code, name)                                                                                                                      \
    RIDGE_R_COUNT(FLOPS, by_class[RIDGE_FLOP_##code], #name, NULL, RIDGE_IN_DATA, "FLOPs of the class " #name, .unit = RIDGE_UNIT_COUNT),
    RIDGE_FLOP_LIST(X)
#undef X
        RIDGE_R_COUNT(FLOPS, torch, "torch", NULL, RIDGE_IN_DATA,
                      "matmul + attention: what PyTorch's FlopCounterMode counts where attention is full", .unit = RIDGE_UNIT_COUNT),
};
const ridge_record ridge_flop_record = RIDGE_RECORD(FLOPS, "FLOPs", flop_fields, "FLOPs by class");

/* the kinds whose traffic is shown; weights are never written */
#define BYTES ridge_byte_sums
#define BYTE(direction, code, name)                                                                                                        \
    RIDGE_R_COUNT(BYTES, direction[RIDGE_BYTE_##code], #name, NULL, RIDGE_IN_DATA, "bytes of " #name " in " #direction,                    \
                  .unit = RIDGE_UNIT_BYTES)
static const ridge_record_field read_fields[] = {
    BYTE(reads, WEIGHTS, weights),
    BYTE(reads, ACTIVATIONS, activations),
    BYTE(reads, KV, kv),
    BYTE(reads, INTERMEDIATES, intermediates),
};
static const ridge_record_field write_fields[] = {
    BYTE(writes, ACTIVATIONS, activations),
    BYTE(writes, KV, kv),
    BYTE(writes, INTERMEDIATES, intermediates),
};
static const ridge_record read_record = RIDGE_RECORD(BYTES, "bytes read", read_fields, "bytes read, by kind"),
                          write_record = RIDGE_RECORD(BYTES, "bytes written", write_fields, "bytes written, by kind");

/* both parts are the struct itself */
static const ridge_record_field byte_fields[] = {
    RIDGE_R_COUNT(BYTES, total, "total", "bytes", RIDGE_IN_DATA, "bytes read and written", .unit = RIDGE_UNIT_BYTES),
    {.key = "reads", .kind = RIDGE_RECORD_IN, .shown = RIDGE_IN_DATA, .record = &read_record, .csv = "reads", .doc = "bytes read, by kind"},
    {.key = "writes",
     .kind = RIDGE_RECORD_IN,
     .shown = RIDGE_IN_DATA,
     .record = &write_record,
     .csv = "writes",
     .doc = "bytes written, by kind"},
};
const ridge_record ridge_byte_record = RIDGE_RECORD(BYTES, "bytes", byte_fields, "bytes moved between the processor and main memory");
