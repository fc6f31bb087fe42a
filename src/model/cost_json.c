#include "model/output.h"

ridge_status ridge_output_sums(ridge_flop_sums *f, ridge_byte_sums *b, const ridge_cost *c, ridge_err *err)
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
    return ok ? RIDGE_OK : ridge_fail(err, RIDGE_OVERFLOW, "overflow: a total does not fit in 128 bits");
}

ridge_status ridge_output_node_sums(ridge_flop_sums *f, ridge_byte_sums *b, ridge_analysis *a, const ridge_node *node)
{
    const ridge_cost *cost;
    ridge_status st = ridge_cost_of(&cost, &a->coster, node);
    return st ? st : ridge_output_sums(f, b, cost, a->graph.err);
}

double ridge_output_intensity(const ridge_flop_sums *f, const ridge_byte_sums *b)
{
    return b->total > 0 ? (double)f->total / (double)b->total : -1;
}

void ridge_output_json_flops(ridge_json_writer *w, const ridge_flop_sums *f)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "total");
    ridge_jw_int(w, f->total);
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++) {
        ridge_jw_key(w, ridge_flop_names[i]);
        ridge_jw_int(w, f->by_class[i]);
    }
    ridge_jw_key(w, "torch");
    ridge_jw_int(w, f->torch);
    ridge_jw_end_object(w);
}

static void write_kinds(ridge_json_writer *w, const ridge_int *kinds, int first)
{
    ridge_jw_object(w);
    for (int i = first; i < RIDGE_BYTE_SCORES; i++) {
        ridge_jw_key(w, ridge_byte_names[i]);
        ridge_jw_int(w, kinds[i]);
    }
    ridge_jw_end_object(w);
}

void ridge_output_json_bytes(ridge_json_writer *w, const ridge_byte_sums *b)
{
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "total");
    ridge_jw_int(w, b->total);
    ridge_jw_key(w, "reads");
    write_kinds(w, b->reads, RIDGE_BYTE_WEIGHTS);
    ridge_jw_key(w, "writes");
    write_kinds(w, b->writes, RIDGE_BYTE_ACTIVATIONS);
    ridge_jw_end_object(w);
}

void ridge_output_json_workload(ridge_json_writer *w, const ridge_workload *k)
{
    const struct {
        const char *key, *value;
    } words[] = {{"weights", k->weights},
                 {"activations", k->activations},
                 {"kv", k->kv},
                 {"attention", ridge_attention_names[k->causal]},
                 {"kernel", ridge_kernel_names[k->kernel]},
                 {"lm_head", ridge_lm_head_names[k->lm_head_last]},
                 {"optimizer", k->phase == RIDGE_PHASE_TRAIN ? ridge_optimizer_names[k->optimizer] : NULL},
                 {"recompute", k->phase == RIDGE_PHASE_TRAIN ? ridge_recompute_names[k->recompute] : NULL}};
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "phase", ridge_phase_names[k->phase]);
    ridge_jw_member_whole(w, "batch", k->batch);
    ridge_jw_member_whole(w, "seq", k->seq);
    ridge_jw_member_whole(w, "past", k->past);
    ridge_jw_member_whole(w, "decoder_seq", k->encoder_decoder ? k->decoder_seq : RIDGE_UNSET);
    ridge_jw_member_whole(w, "encoder_len", k->encoder_decoder || k->encoder_len ? k->encoder_len : RIDGE_UNSET);
    ridge_jw_member_whole(w, "image_size", k->image);
    ridge_jw_member_whole(w, "frames", k->frames);
    ridge_jw_member_whole(w, "samples", k->samples);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ridge_jw_member_text(w, words[i].key, words[i].value);
    }
    ridge_jw_end_object(w);
}

static void write_counts(ridge_json_writer *w, const char *const *keys, const ridge_int *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ridge_jw_key(w, keys[i]);
        ridge_jw_int(w, values[i]);
    }
}

static void write_parameters(ridge_json_writer *w, const ridge_parameter_counts *p)
{
    static const char *const keys[] = {"total", "active", "embedding"};
    ridge_jw_key(w, "parameters");
    ridge_jw_object_compact(w);
    write_counts(w, keys, (const ridge_int[]){p->total, p->active, p->embedding}, 3);
    ridge_jw_end_object(w);
}

void ridge_output_json_memory_members(ridge_json_writer *w, const ridge_memory *m)
{
    static const char *const keys[] = {"weights", "kv_cache", "activations_peak", "gradients", "optimizer", "total"};
    write_counts(w, keys, (const ridge_int[]){m->weights, m->kv_cache, m->activations_peak, m->gradients, m->optimizer, m->total}, 6);
}

static void write_intensity(ridge_json_writer *w, const ridge_flop_sums *f, const ridge_byte_sums *b)
{
    ridge_jw_key(w, "arithmetic_intensity");
    if (b->total > 0)
        ridge_jw_double(w, ridge_output_intensity(f, b));
    else
        ridge_jw_null(w);
}

static ridge_status write_row(ridge_json_writer *w, const ridge_row *row, ridge_err *err)
{
    ridge_flop_sums f;
    ridge_byte_sums b;
    ridge_status st = ridge_output_sums(&f, &b, &row->cost, err);
    if (st)
        return st;
    ridge_jw_object_compact(w);
    ridge_jw_key(w, "path");
    ridge_jw_str(w, row->path);
    ridge_jw_member_text(w, "class", row->class_name);
    ridge_jw_key(w, "count");
    ridge_jw_int(w, row->count);
    if (row->calls != row->count) {
        ridge_jw_key(w, "calls");
        ridge_jw_int(w, row->calls);
    }
    ridge_jw_key(w, "flops");
    ridge_output_json_flops(w, &f);
    ridge_jw_key(w, "bytes");
    ridge_output_json_bytes(w, &b);
    write_intensity(w, &f, &b);
    ridge_jw_end_object(w);
    return RIDGE_OK;
}

static void write_unknown(ridge_json_writer *w, const ridge_analysis *a)
{
    ridge_jw_key(w, "unknown");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->unknown_count; i++) {
        ridge_jw_object_compact(w);
        ridge_jw_member_text(w, "module", a->unknown[i].module);
        ridge_jw_member_text(w, "needed_by", a->unknown[i].needed_by);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

void ridge_output_json_warnings(ridge_json_writer *w, const ridge_analysis *a)
{
    ridge_jw_key(w, "warnings");
    ridge_jw_array(w);
    for (size_t i = 0; i < a->warning_count; i++)
        ridge_jw_strz(w, a->warnings[i]);
    ridge_jw_end_array(w);
}

void ridge_output_json_head(ridge_json_writer *w, ridge_buf *out, const ridge_analysis *a)
{
    ridge_jw_answer(w, out);
    ridge_jw_member_text(w, "model", a->file.name);
    ridge_jw_member_text(w, "architecture", a->architecture);
}

static void write_nulls(ridge_json_writer *w, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ridge_jw_key(w, keys[i]);
        ridge_jw_null(w);
    }
}

static void write_empty_list(ridge_json_writer *w, const char *key)
{
    ridge_jw_key(w, key);
    ridge_jw_array_compact(w);
    ridge_jw_end_array(w);
}

/* --partial where no part is known: unknown is null, not 0 */
static void write_nothing_known(ridge_buf *out, const ridge_analysis *a, const char *const *keys, size_t count, const char *list)
{
    ridge_json_writer w;
    ridge_output_json_head(&w, out, a);
    write_nulls(&w, keys, count);
    write_empty_list(&w, list);
    write_unknown(&w, a);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

ridge_status ridge_output_cost_json(ridge_buf *out, ridge_analysis *a, ridge_err *err)
{
    static const char *const keys[] = {"workload", "parameters", "flops", "bytes", "arithmetic_intensity", "memory"};
    ridge_json_writer w;
    ridge_flop_sums f;
    ridge_byte_sums b;
    if (a->nothing_known) {
        write_nothing_known(out, a, keys, sizeof keys / sizeof *keys, "rows");
        return RIDGE_OK;
    }
    ridge_status st = ridge_output_sums(&f, &b, &a->total, err);
    if (st)
        return st;
    ridge_output_json_head(&w, out, a);
    ridge_jw_key(&w, "workload");
    ridge_output_json_workload(&w, &a->workload);
    write_parameters(&w, &a->parameters);
    ridge_jw_key(&w, "flops");
    ridge_output_json_flops(&w, &f);
    ridge_jw_key(&w, "bytes");
    ridge_output_json_bytes(&w, &b);
    write_intensity(&w, &f, &b);
    ridge_jw_key(&w, "memory");
    ridge_jw_object_compact(&w);
    ridge_output_json_memory_members(&w, &a->memory);
    ridge_jw_end_object(&w);
    ridge_jw_key(&w, "rows");
    ridge_jw_array(&w);
    for (size_t i = 0; i < (a->shown ? a->shown_count : a->rows.n) && !st; i++)
        st = write_row(&w, a->shown ? a->shown[i] : &a->rows.p[i], err);
    ridge_jw_end_array(&w);
    write_unknown(&w, a);
    ridge_output_json_warnings(&w, a);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return st;
}

/* ---- inspect ---- */

void ridge_output_json_value(ridge_json_writer *w, ridge_value v)
{
    ridge_rational r;
    switch (v.type) {
    case RIDGE_V_BOOL:
        ridge_jw_bool(w, v.u.b);
        break;
    case RIDGE_V_INT:
        ridge_jw_int(w, v.u.i);
        break;
    case RIDGE_V_RATIONAL:
        ridge_value_as_rational(&r, v);
        ridge_jw_double(w, ridge_rational_double(r));
        break;
    case RIDGE_V_STRING:
        ridge_jw_str(w, v.u.s);
        break;
    case RIDGE_V_LIST:
        ridge_jw_array_compact(w);
        for (size_t i = 0; i < v.u.list->count; i++)
            ridge_output_json_value(w, v.u.list->items[i]);
        ridge_jw_end_array(w);
        break;
    case RIDGE_V_OBJECT:
        ridge_jw_object_compact(w);
        for (size_t i = 0; i < v.u.object->count; i++) {
            ridge_jw_key(w, v.u.object->fields[i].name->text);
            ridge_output_json_value(w, v.u.object->fields[i].value);
        }
        ridge_jw_end_object(w);
        break;
    default:
        ridge_jw_null(w);
        break;
    }
}

/* the default as it was taken, not what was derived from it later */
static void write_assumed(ridge_json_writer *w, const ridge_object *config, const char *prefix, ridge_arena *arena)
{
    for (size_t i = 0; i < config->count; i++) {
        const ridge_field *f = &config->fields[i];
        const char *key = prefix[0] ? ridge_arena_printf(arena, "%s.%s", prefix, f->name->text) : f->name->text;
        if (f->value.type == RIDGE_V_OBJECT && f->value.u.object->what && strcmp(f->value.u.object->what, "an object") != 0) {
            write_assumed(w, f->value.u.object, key, arena);
        } else if (f->assumed && key) {
            ridge_jw_key(w, key);
            ridge_output_json_value(w, f->given);
        }
    }
}

static void write_tensors(ridge_json_writer *w, const ridge_tree *tree, uint32_t at)
{
    const ridge_tensors *t = &tree->modules[at].node->weights;
    ridge_jw_object(w);
    for (size_t i = 0; i < t->n; i++) {
        ridge_str tied = ridge_tree_tied_to(tree, at, t->p[i].name);
        ridge_jw_key(w, t->p[i].name->text);
        ridge_jw_object(w);
        ridge_jw_key(w, "shape");
        ridge_jw_array(w);
        for (size_t k = 0; k < t->p[i].rank; k++)
            ridge_jw_int(w, t->p[i].dims[k]);
        ridge_jw_end_array(w);
        ridge_jw_key(w, "tied_to");
        if (tied.p)
            ridge_jw_str(w, tied);
        else
            ridge_jw_null(w);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_object(w);
}

static void write_modules(ridge_json_writer *w, const ridge_tree *tree)
{
    ridge_jw_key(w, "modules");
    ridge_jw_array(w);
    for (uint32_t i = 0; i < tree->count; i++) {
        const ridge_tree_module *m = &tree->modules[i];
        ridge_jw_object_compact(w);
        ridge_jw_key(w, "path");
        ridge_jw_str(w, m->path);
        ridge_jw_member_text(w, "class", m->node->class_name);
        ridge_jw_key(w, "parameters");
        ridge_jw_int(w, m->parameters);
        ridge_jw_key(w, "parameters_total");
        ridge_jw_int(w, m->parameters_total);
        ridge_jw_key(w, "tensors");
        write_tensors(w, tree, i);
        ridge_jw_end_object(w);
    }
    ridge_jw_end_array(w);
}

ridge_status ridge_output_inspect_json(ridge_buf *out, ridge_analysis *a, ridge_err *err)
{
    static const char *const keys[] = {"class", "parameters", "weights_bytes", "buffers_bytes", "assumed"};
    ridge_json_writer w;
    ridge_tree tree;
    (void)err;
    if (a->nothing_known) {
        write_nothing_known(out, a, keys, sizeof keys / sizeof *keys, "modules");
        return RIDGE_OK;
    }
    ridge_status st = ridge_tree_make(&tree, &a->graph, a->root);
    if (st)
        return st;
    ridge_output_json_head(&w, out, a);
    ridge_jw_member_text(&w, "class", a->class_name);
    write_parameters(&w, &a->parameters);
    ridge_jw_key(&w, "weights_bytes");
    ridge_jw_int(&w, a->memory.weights);
    ridge_jw_key(&w, "buffers_bytes");
    ridge_jw_int(&w, tree.buffer_bytes);
    ridge_jw_key(&w, "assumed");
    ridge_jw_object_compact(&w);
    write_assumed(&w, a->config, "", &a->arena);
    ridge_jw_end_object(&w);
    write_modules(&w, &tree);
    write_unknown(&w, a);
    ridge_output_json_warnings(&w, a);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
    return RIDGE_OK;
}
