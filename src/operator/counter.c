#include "operator/counter.h"

#include <stdio.h>
#include <stdlib.h>

#define CUSTOM "custom"

ridge_status ridge_layer_counter_init(ridge_layer_counter *counter, ridge_err *err)
{
    *counter = (ridge_layer_counter){0};
    ridge_arena_init(&counter->arena);
    return ridge_ops_open(&counter->ops, err);
}

void ridge_layer_counter_clear(ridge_layer_counter *counter)
{
    ridge_arena_free(&counter->arena);
    counter->layers = NULL;
    counter->count = counter->cap = 0;
    counter->total = (ridge_op_flops){0};
}

void ridge_layer_counter_free(ridge_layer_counter *counter)
{
    ridge_layer_counter_clear(counter);
    ridge_ops_close(&counter->ops);
}

/* ---- adding ---- */

static bool add_flops(ridge_op_flops *sum, const ridge_op_flops *a)
{
    bool ok =
        ridge_int_add(&sum->total, sum->total, a->total) && ridge_int_add(&sum->dequantisation, sum->dequantisation, a->dequantisation);
    for (int i = 0; i < RIDGE_FLOP_COUNT && ok; i++)
        ok = ridge_int_add(&sum->by_class[i], sum->by_class[i], a->by_class[i]);
    return ok;
}

static ridge_status append(ridge_layer_counter *c, const char *name, const char *kind, const ridge_op_flops *flops, ridge_str metadata,
                           ridge_err *err)
{
    ridge_op_flops total = c->total;
    if (!add_flops(&total, flops))
        return ridge_fail(err, RIDGE_OVERFLOW, "overflow: with layer '%s' the total does not fit in 128 bits", name);
    ridge_layer_record r = {ridge_arena_strdup(&c->arena, ridge_str_of(name)), kind, *flops, ridge_arena_strdup(&c->arena, metadata)};
    ridge_layer_record *grown = ridge_arena_grow(&c->arena, c->layers, c->count, &c->cap, c->count + 1, sizeof *grown);
    if (!r.name || !r.metadata || !grown)
        return ridge_no_memory(err);
    c->layers = grown;
    c->layers[c->count++] = r;
    c->total = total;
    return RIDGE_OK;
}

/* the shape and, of a composite op, what each part costs: one JSON object */
static void write_metadata(ridge_buf *buf, const ridge_op_record *record, const ridge_op_shape *shape)
{
    ridge_json_writer w;
    ridge_jw_init(&w, buf);
    ridge_jw_object_compact(&w);
    ridge_op_shape_json(&w, record->kind, shape);
    if (record->kind == RIDGE_OP_LAYER || record->kind == RIDGE_OP_MODEL) {
        ridge_jw_key(&w, "flops");
        ridge_jw_object_compact(&w);
        for (size_t i = 0; i < record->part_count; i++) {
            ridge_jw_key(&w, record->parts[i].name);
            ridge_jw_int(&w, record->parts[i].flops.total);
        }
        ridge_jw_end_object(&w);
    }
    ridge_jw_end_object(&w);
}

ridge_status ridge_layer_counter_add(ridge_layer_counter *c, const char *name, ridge_op_kind kind, const ridge_op_shape *shape,
                                     ridge_err *err)
{
    ridge_arena scratch;
    ridge_buf metadata = {0};
    ridge_op_record record;
    ridge_arena_init(&scratch);
    ridge_status st = ridge_ops_count(&record, &c->ops, kind, shape, NULL, &scratch, err);
    if (st)
        goto done;
    write_metadata(&metadata, &record, shape);
    st = metadata.failed ? ridge_no_memory(err)
                         : append(c, name, ridge_op_kinds[kind].name, &record.flops, (ridge_str){metadata.p, metadata.n}, err);
done:
    ridge_buf_free(&metadata);
    ridge_arena_free(&scratch);
    return st;
}

static ridge_status check_total(ridge_op_flops *flops, const char *name, ridge_err *err)
{
    ridge_int sum = flops->dequantisation;
    bool ok = true, negative = flops->dequantisation < 0 || flops->total < 0;
    for (int i = 0; i < RIDGE_FLOP_COUNT && ok; i++) {
        negative = negative || flops->by_class[i] < 0;
        ok = ridge_int_add(&sum, sum, flops->by_class[i]);
    }
    if (negative)
        return ridge_fail(err, RIDGE_VALUE, "layer '%s': a negative number of FLOPs", name);
    if (!ok)
        return ridge_fail(err, RIDGE_OVERFLOW, "layer '%s': its FLOPs do not fit in 128 bits", name);
    if (flops->total != 0 && flops->total != sum) {
        char have[RIDGE_INT_CHARS], want[RIDGE_INT_CHARS];
        ridge_int_print(have, flops->total);
        ridge_int_print(want, sum);
        return ridge_fail(err, RIDGE_VALUE, "layer '%s': total %s is not the sum of its classes, %s", name, have, want);
    }
    flops->total = sum;
    return RIDGE_OK;
}

static ridge_status check_metadata(const char *text, ridge_err *err)
{
    ridge_arena scratch;
    ridge_json *json;
    ridge_arena_init(&scratch);
    ridge_status st = ridge_json_parse(&json, ridge_str_of(text), "metadata", (ridge_json_options){0}, &scratch, err);
    if (!st && json->type != RIDGE_JSON_OBJECT)
        st = ridge_fail(err, RIDGE_TYPE, "metadata is a JSON object, not %s", ridge_json_type_name(json->type));
    ridge_arena_free(&scratch);
    return st;
}

ridge_status ridge_layer_counter_add_layer(ridge_layer_counter *c, const char *name, const ridge_op_flops *flops, const char *metadata,
                                           ridge_err *err)
{
    ridge_op_flops own = *flops;
    ridge_status st = check_total(&own, name, err);
    if (st || (metadata && (st = check_metadata(metadata, err))))
        return st;
    return append(c, name, CUSTOM, &own, ridge_str_of(metadata ? metadata : "{}"), err);
}

/* ---- reading ---- */

const ridge_layer_record *ridge_layer_counter_find(const ridge_layer_counter *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->layers[i].name, name) == 0)
            return &c->layers[i];
    return NULL;
}

static double as_double(ridge_int n)
{
    return ridge_rational_double(ridge_rational_of(n));
}

double ridge_layer_counter_percent(const ridge_layer_counter *c, const ridge_layer_record *layer)
{
    return c->total.total ? 100 * as_double(layer->flops.total) / as_double(c->total.total) : 0;
}

typedef struct ranked {
    ridge_int flops;
    size_t index;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->flops != y->flops)
        return x->flops > y->flops ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

ridge_status ridge_layer_counter_sorted(size_t **order, const ridge_layer_counter *c, ridge_arena *arena, ridge_err *err)
{
    ranked *list = ridge_arena_array(arena, c->count + 1, sizeof *list);
    *order = ridge_arena_array(arena, c->count + 1, sizeof **order);
    if (!list || !*order)
        return ridge_no_memory(err);
    for (size_t i = 0; i < c->count; i++)
        list[i] = (ranked){c->layers[i].flops.total, i};
    qsort(list, c->count, sizeof *list, compare_ranked);
    for (size_t i = 0; i < c->count; i++)
        (*order)[i] = list[i].index;
    return RIDGE_OK;
}

/* ---- summary ---- */

typedef struct widths {
    int name, kind, flops;
} widths;

static int at_least(int width, int n)
{
    return n > width ? n : width;
}

static int text_width(const char *z)
{
    size_t n = 0; /* characters, not bytes */
    for (; *z; z++)
        n += ((unsigned char)*z & 0xC0) != 0x80;
    return n > 1000 ? 1000 : (int)n;
}

static void print_row(ridge_buf *out, const widths *w, const char *name, const char *kind, const char *flops, double percent)
{
    ridge_buf_addf(out, "%s%*s  %-*s  %*s  %6.2f %%\n", name, w->name - text_width(name), "", w->kind, kind, w->flops, flops, percent);
}

static widths measure(const ridge_layer_counter *c, const size_t *order, size_t shown)
{
    char text[RIDGE_INT_COMMA_CHARS];
    widths w = {text_width("other layers"), text_width("kind"), (int)ridge_int_print_comma(text, c->total.total)};
    w.flops = at_least(w.flops, text_width("FLOPs"));
    for (size_t i = 0; i < shown; i++) {
        w.name = at_least(w.name, text_width(c->layers[order[i]].name));
        w.kind = at_least(w.kind, text_width(c->layers[order[i]].kind));
    }
    return w;
}

static void print_summary(ridge_buf *out, const ridge_layer_counter *c, const size_t *order, size_t shown)
{
    char text[RIDGE_INT_COMMA_CHARS];
    widths w = measure(c, order, shown);
    ridge_int rest = c->total.total;
    ridge_buf_addf(out, "%-*s  %-*s  %*s  %8s\n", w.name, "layer", w.kind, "kind", w.flops, "FLOPs", "share");
    for (size_t i = 0; i < shown; i++) {
        const ridge_layer_record *layer = &c->layers[order[i]];
        rest -= layer->flops.total;
        ridge_int_print_comma(text, layer->flops.total);
        print_row(out, &w, layer->name, layer->kind, text, ridge_layer_counter_percent(c, layer));
    }
    if (shown < c->count) {
        char kind[32];
        snprintf(kind, sizeof kind, "(%zu)", c->count - shown);
        ridge_int_print_comma(text, rest);
        print_row(out, &w, "other layers", kind, text, c->total.total ? 100 * as_double(rest) / as_double(c->total.total) : 0);
    }
    ridge_int_print_comma(text, c->total.total);
    print_row(out, &w, "total", "", text, c->total.total ? 100 : 0);
    ridge_buf_addf(out, "= %.6g GFLOP = %.6g TFLOP in %zu layer%s\n", as_double(c->total.total) / 1e9, as_double(c->total.total) / 1e12,
                   c->count, c->count == 1 ? "" : "s");
}

ridge_status ridge_layer_counter_summary(ridge_buf *out, const ridge_layer_counter *c, size_t top_n, ridge_err *err)
{
    ridge_arena scratch;
    size_t *order;
    ridge_arena_init(&scratch);
    ridge_status st = ridge_layer_counter_sorted(&order, c, &scratch, err);
    if (!st)
        print_summary(out, c, order, top_n && top_n < c->count ? top_n : c->count);
    if (!st && out->failed)
        st = ridge_no_memory(err);
    ridge_arena_free(&scratch);
    return st;
}
