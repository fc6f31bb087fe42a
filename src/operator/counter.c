#include "operator/counter.h"

#include <stdlib.h>

#include "report/record.h"

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
    ridge_op_shape_json(&w, record, shape);
    if (record->kind == RIDGE_OP_LAYER || record->kind == RIDGE_OP_MODEL) {
        ridge_jw_key(&w, "flops");
        ridge_op_parts_json(&w, record);
    }
    ridge_jw_end_object(&w);
}

/* *out: the object that the text is */
static ridge_status read_metadata(const ridge_json **out, const char *text, ridge_arena *arena, ridge_err *err)
{
    ridge_json *json;
    ridge_status st = ridge_json_parse(&json, ridge_str_of(text), "metadata", (ridge_json_options){0}, arena, err);
    if (st)
        return st;
    if (json->type != RIDGE_JSON_OBJECT)
        return ridge_fail(err, RIDGE_TYPE, "metadata is a JSON object, not %s", ridge_json_type_name(json->type));
    *out = json;
    return RIDGE_OK;
}

/* What the caller says, behind the shape; a name of the shape's stays the shape's. */
static ridge_status join_metadata(ridge_buf *own, const char *text, ridge_arena *arena, ridge_err *err)
{
    const ridge_json *given, *shape;
    ridge_status st = read_metadata(&given, text, arena, err);
    if (st || own->failed || (st = read_metadata(&shape, own->p, arena, err)))
        return st;
    if (given->count == 0)
        return RIDGE_OK;
    for (size_t i = 0; i < given->count; i++)
        if (ridge_json_get_str(shape, given->u.members[i].key))
            return ridge_fail(err, RIDGE_NAME, "metadata: '%.*s' is a name of the layer's shape", RIDGE_STR_ARG(given->u.members[i].key));
    own->n--; /* the brace */
    ridge_buf_addz(own, ", ");
    ridge_buf_add(own, (ridge_str){given->begin + 1, (size_t)(given->end - given->begin) - 1});
    return RIDGE_OK;
}

ridge_status ridge_layer_counter_add(ridge_layer_counter *c, const char *name, ridge_op_kind kind, const ridge_op_shape *shape,
                                     const char *given, ridge_err *err)
{
    ridge_arena scratch;
    ridge_buf metadata = {0};
    ridge_op_record record;
    ridge_arena_init(&scratch);
    ridge_status st = ridge_ops_count(&record, &c->ops, kind, shape, NULL, &scratch, err);
    if (st)
        goto done;
    write_metadata(&metadata, &record, shape);
    if (given && (st = join_metadata(&metadata, given, &scratch, err)))
        goto done;
    st = metadata.failed ? ridge_no_memory(err)
                         : append(c, name, ridge_op_kind_names[kind], &record.flops, (ridge_str){metadata.p, metadata.n}, err);
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

ridge_status ridge_layer_counter_add_layer(ridge_layer_counter *c, const char *name, const ridge_op_flops *flops, const char *metadata,
                                           ridge_err *err)
{
    ridge_op_flops own = *flops;
    ridge_arena scratch;
    const ridge_json *object;
    ridge_arena_init(&scratch);
    ridge_status st = check_total(&own, name, err);
    if (!st && metadata)
        st = read_metadata(&object, metadata, &scratch, err);
    ridge_arena_free(&scratch);
    return st ? st : append(c, name, CUSTOM, &own, ridge_str_of(metadata ? metadata : "{}"), err);
}

/* ---- reading ---- */

const ridge_layer_record *ridge_layer_counter_find(const ridge_layer_counter *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->layers[i].name, name) == 0)
            return &c->layers[i];
    return NULL;
}

static double percent_of(const ridge_layer_counter *c, ridge_int flops)
{
    return c->total.total ? 100 * (double)flops / (double)c->total.total : 0;
}

double ridge_layer_counter_percent(const ridge_layer_counter *c, const ridge_layer_record *layer)
{
    return percent_of(c, layer->flops.total);
}

typedef struct ranked_layer {
    ridge_int flops;
    size_t index;
} ranked_layer;

static int compare_ranked(const void *a, const void *b)
{
    const ranked_layer *x = a, *y = b;
    if (x->flops != y->flops)
        return x->flops > y->flops ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

ridge_status ridge_layer_counter_sorted(size_t **order, const ridge_layer_counter *c, ridge_arena *arena, ridge_err *err)
{
    ranked_layer *list = ridge_arena_array(arena, c->count + 1, sizeof *list);
    *order = ridge_arena_array(arena, c->count + 1, sizeof **order);
    if (!list || !*order)
        return ridge_no_memory(err);
    for (size_t i = 0; i < c->count; i++)
        list[i] = (ranked_layer){c->layers[i].flops.total, i};
    qsort(list, c->count, sizeof *list, compare_ranked);
    for (size_t i = 0; i < c->count; i++)
        (*order)[i] = list[i].index;
    return RIDGE_OK;
}

/* ---- summary ---- */

/* a layer, or several that are summed up */
typedef struct layer_row {
    const char *name, *kind;
    ridge_int flops;
    double percent;
} layer_row;

static const ridge_record_field layer_fields[] = {
    RIDGE_R_TEXT(layer_row, name, "layer", NULL, RIDGE_IN_TEXT, "the layer's name"),
    RIDGE_R_TEXT(layer_row, kind, "kind", NULL, RIDGE_IN_TEXT, "what operator it is"),
    RIDGE_R_COUNT(layer_row, flops, "flops", "FLOPs", RIDGE_IN_TEXT, "its FLOPs"),
    RIDGE_R_REAL(layer_row, percent, "percent", "%", RIDGE_IN_TEXT, "of all FLOPs", .unit = RIDGE_UNIT_PERCENT),
};
static const ridge_record layer_record = RIDGE_RECORD(layer_row, "layer", layer_fields, "a layer's share");

/* the layers shown, what is left of the others, the total; *count of them */
static layer_row *summary_rows(size_t *count, const ridge_layer_counter *c, const size_t *order, size_t shown, ridge_arena *arena)
{
    layer_row *rows = ridge_arena_array(arena, shown + 2, sizeof *rows);
    ridge_int rest = c->total.total;
    for (*count = 0; rows && *count < shown; ++*count) {
        const ridge_layer_record *layer = &c->layers[order[*count]];
        rows[*count] = (layer_row){layer->name, layer->kind, layer->flops.total, percent_of(c, layer->flops.total)};
        rest -= layer->flops.total;
    }
    const char *others = ridge_arena_printf(arena, "(%zu)", c->count - shown);
    if (!rows || !others)
        return NULL;
    if (shown < c->count)
        rows[(*count)++] = (layer_row){"other layers", others, rest, percent_of(c, rest)};
    rows[(*count)++] = (layer_row){"total", "", c->total.total, percent_of(c, c->total.total)};
    return rows;
}

ridge_status ridge_layer_counter_summary(ridge_buf *out, const ridge_layer_counter *c, size_t top_n, ridge_err *err)
{
    const ridge_record_style style = {.form = RIDGE_FORM_TEXT};
    ridge_arena scratch;
    layer_row *rows = NULL;
    size_t *order, count = 0;
    ridge_arena_init(&scratch);
    ridge_status st = ridge_layer_counter_sorted(&order, c, &scratch, err);
    if (!st && !(rows = summary_rows(&count, c, order, top_n && top_n < c->count ? top_n : c->count, &scratch)))
        st = ridge_no_memory(err);
    if (!st && !(st = ridge_record_print(out, &layer_record, &style, rows, count, err)))
        ridge_buf_addf(out, "= %s in %zu layer%s\n", ridge_units_scaled(&scratch, (double)c->total.total, "FLOP"), c->count,
                       RIDGE_PLURAL(c->count));
    if (!st && (out->failed || scratch.failed))
        st = ridge_no_memory(err);
    ridge_arena_free(&scratch);
    return st;
}
