/* A profile's components and levels as rows of the store (profile.h). */
#include <string.h>

#include "profile/plan.h"

static double per_second(ridge_int amount, double time_s)
{
    return amount >= 0 && time_s > 0 ? ridge_rational_double(ridge_rational_of(amount)) / time_s : RIDGE_MEASURE_UNKNOWN;
}

/* variants have a name of their own; one that is in no table is Ridge's */
static const char *provider_of(const char *variant, const ridge_kernel_variant *const *table, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i]->name, variant) == 0)
            return table[i]->provider;
    return "ridge";
}

/* ---- shapes ---- */

static void add_size(ridge_json_writer *w, const char *name, int64_t value)
{
    if (value > 0)
        ridge_jw_member_whole(w, name, value);
}

static void add_flag(ridge_json_writer *w, const char *name, bool set)
{
    if (!set)
        return;
    ridge_jw_key(w, name);
    ridge_jw_bool(w, true);
}

static void add_sizes(ridge_json_writer *w, const ridge_profile_shape *s)
{
    add_size(w, "hidden", s->hidden);
    add_size(w, "heads", s->rwkv ? 0 : s->heads);
    add_size(w, "kv_heads", s->rwkv ? 0 : s->kv_heads);
    add_size(w, "head_dim", s->rwkv ? 0 : s->head_dim);
    add_size(w, "intermediate", s->intermediate);
    add_flag(w, "rwkv", s->rwkv);
    add_flag(w, "layernorm", s->layernorm);
    add_flag(w, "plain_mlp", s->plain_mlp);
}

/* {"batch": 1, "seq": 1, "past": 512, "hidden": 4096, ..., "attention": true, "decode": true}; NULL where memory runs out */
static const char *shape_of(const ridge_profile *p, const ridge_profile_component *c, ridge_arena *arena)
{
    const ridge_profile_request *q = &p->request;
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_jw_object_compact(&w);
    if (q->model && q->what != RIDGE_PROFILE_ATTENTION)
        ridge_jw_member_text(&w, "model", q->model);
    ridge_jw_member_whole(&w, "batch", q->batch);
    ridge_jw_member_whole(&w, "seq", q->seq);
    ridge_jw_member_whole(&w, "past", q->past);
    if (p->shape)
        add_sizes(&w, p->shape);
    ridge_jw_member_whole(&w, "count", c->count);
    add_flag(&w, ridge_profile_names[q->what], q->what != RIDGE_PROFILE_MODEL);
    add_flag(&w, ridge_phase_names[q->phase], true);
    ridge_jw_end_object(&w);
    return ridge_arena_take(arena, &text);
}

/* ---- rows ---- */

static ridge_measured_row a_row(const ridge_profile *p)
{
    ridge_measured_row row = ridge_measured_row_unknown();
    row.format = p->request.weights->name;
    row.activations = p->request.activations->name;
    row.threads = (unsigned)p->request.threads;
    row.cache = p->request.cache;
    row.machine = p->machine->fingerprint;
    return row;
}

/* mad_s and minimum_s are not told: 0, since the store has numbers there */
static void set_time(ridge_measured_row *row, double time_s, double low_s, double high_s)
{
    row->time = (ridge_sample_statistics){.median_s = time_s, .low_s = low_s, .high_s = high_s};
    row->flops_per_s = per_second(row->flops, time_s);
    row->bytes_per_s = per_second(row->bytes, time_s);
}

/* its samples are the passes of its group */
static void set_samples(ridge_measured_row *row, const ridge_profile *p, size_t component)
{
    for (size_t i = 0; i < p->group_count; i++) {
        const ridge_profile_group *g = &p->groups[i];
        if (component < g->first || component >= g->first + g->components)
            continue;
        row->time.kept = g->whole.kept;
        row->time.tried = g->whole.tried;
        row->time.calls_per_sample = 1;
        row->time.stopped = g->whole.stopped;
    }
}

static bool component_row(ridge_measured_row *row, const ridge_profile *p, size_t i, ridge_arena *arena)
{
    const ridge_profile_component *c = &p->components[i];
    *row = a_row(p);
    row->kernel = c->name;
    row->variant = c->variant;
    row->shape = shape_of(p, c, arena);
    row->flops = c->flops;
    row->bytes = c->bytes;
    set_time(row, c->time_s, c->low_s, c->high_s);
    set_samples(row, p, i);
    row->bound = c->bound;
    row->percent_of_ceiling = c->percent_of_ceiling;
    row->beats_roofline = c->beats_roofline;
    row->max_relative_error = c->max_relative_error;
    if (c->predicted_s > 0) {
        row->predicted_s = c->predicted_s;
        row->error = c->error;
    }
    return row->shape;
}

/* attention as one kernel, operands as they lie; its samples are not told */
static void level_row(ridge_measured_row *row, const ridge_profile *p, const ridge_profile_level *l, const ridge_bench_cost *cost,
                      const char *shape)
{
    *row = a_row(p);
    row->kernel = ridge_kernel_kind_names[RIDGE_KERNEL_KIND_ATTENTION];
    row->variant = l->variant;
    row->shape = shape;
    row->format = p->request.activations->name;
    row->cache = RIDGE_CACHE_HOT;
    row->flops = cost->record.flops.total;
    row->bytes = cost->record.bytes;
    set_time(row, l->time_s, l->low_s, l->high_s);
    row->max_relative_error = l->max_relative_error;
}

static ridge_status add_levels(ridge_measured_row *rows, size_t *count, const ridge_profile *p, ridge_ops *ops, ridge_arena *arena,
                               ridge_err *err)
{
    ridge_bench_cost cost;
    if (p->level_count == 0)
        return RIDGE_OK;
    const ridge_problem problem = ridge_profile_attention_problem(p);
    const char *shape = ridge_bench_shape_json(&problem, arena);
    ridge_status st = shape ? ridge_bench_cost_of(&cost, &problem, ops, arena, err) : ridge_no_memory(err);
    for (size_t i = 0; i < p->level_count && !st; i++)
        if (p->levels[i].right)
            level_row(&rows[(*count)++], p, &p->levels[i], &cost, shape);
    return st;
}

ridge_status ridge_profile_measured(ridge_measured_row **out, size_t *count, const ridge_profile *p, ridge_ops *ops, ridge_arena *arena,
                                    ridge_err *err)
{
    const ridge_kernel_variant *const *table;
    size_t variants;
    ridge_measured_row *rows = *out = ridge_arena_array(arena, p->component_count + p->level_count + 1, sizeof *rows);
    *count = 0;
    if (!rows)
        return ridge_no_memory(err);
    for (size_t i = 0; i < p->component_count; i++)
        if (p->components[i].variant && !component_row(&rows[(*count)++], p, i, arena))
            return ridge_no_memory(err);
    ridge_status st = add_levels(rows, count, p, ops, arena, err);
    if (st || (st = ridge_kernel_table(&table, &variants, arena, err)))
        return st;
    for (size_t i = 0; i < *count; i++)
        rows[i].provider = provider_of(rows[i].variant, table, variants);
    return RIDGE_OK;
}
