/* A profile as JSON (INTERFACE, "profile"), as a table, for people, as a picture. */
#include <math.h>

#include "profile/profile.h"
#include "machine/detect/detect.h"

/* one line; machine->text has several */
static const char *machine_name(const ridge_profile *p)
{
    return p->machine->detected->machine.name;
}

/* ---- JSON ---- */

static void write_sizes(ridge_json_writer *w, const ridge_profile *p)
{
    const ridge_profile_shape *s = &p->shape;
    ridge_jw_key(w, "shape");
    if (p->request->what == RIDGE_PROFILE_MODEL) {
        ridge_jw_null(w);
        return;
    }
    ridge_jw_object_compact(w);
    ridge_jw_member_whole(w, "hidden", s->hidden);
    if (!s->rwkv) {
        ridge_jw_member_whole(w, "heads", s->heads);
        ridge_jw_member_whole(w, "kv_heads", s->kv_heads);
        ridge_jw_member_whole(w, "head_dim", s->head_dim);
    }
    if (p->request->what == RIDGE_PROFILE_LAYER)
        ridge_jw_member_whole(w, "intermediate", s->intermediate);
    ridge_jw_end_object(w);
}

static void write_head(ridge_json_writer *w, const ridge_profile *p)
{
    ridge_jw_member_text(w, "what", ridge_profile_names[p->request->what]);
    ridge_jw_member_text(w, "model", p->request->model);
    ridge_jw_member_text(w, "phase", ridge_phase_names[p->request->phase]);
    ridge_jw_key(w, "workload");
    ridge_jw_object_compact(w);
    ridge_jw_member_whole(w, "batch", p->batch);
    ridge_jw_member_whole(w, "seq", p->seq);
    ridge_jw_member_whole(w, "past", p->past);
    ridge_jw_member_text(w, "weights", p->weights->name);
    ridge_jw_member_text(w, "activations", p->activations->name);
    ridge_jw_member_text(w, "kv", p->activations->name);
    ridge_jw_end_object(w);
    write_sizes(w, p);
    ridge_jw_member_whole(w, "threads", p->threads);
    ridge_jw_member_whole(w, "cpus", p->cpus);
    ridge_jw_member_text(w, "cache", ridge_cache_state_names[p->request->cache]);
    ridge_record_members(w, &ridge_bench_machine_record, p->machine);
}

static void write_component(ridge_json_writer *w, const ridge_profile_component *c)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", c->name);
    ridge_jw_member_whole(w, "count", c->count);
    ridge_jw_member_real(w, "time_s", c->time_s);
    ridge_jw_member_real(w, "low_s", c->low_s);
    ridge_jw_member_real(w, "high_s", c->high_s);
    ridge_jw_member_real(w, "percent", c->percent);
    ridge_jw_member_text(w, "bound", c->bound);
    ridge_jw_member_real(w, "percent_of_ceiling", c->percent_of_ceiling);
    ridge_jw_key(w, "beats_roofline");
    ridge_jw_bool(w, c->beats_roofline);
    ridge_jw_member_real(w, "predicted_s", c->predicted_s);
    ridge_jw_member_real(w, "error", ridge_compare_error(c->predicted_s, c->time_s));
    ridge_jw_member_whole(w, "flops", c->flops);
    ridge_jw_member_whole(w, "bytes", c->bytes);
    ridge_jw_member_text(w, "variant", c->variant);
    ridge_jw_member_real(w, "max_relative_error", c->max_relative_error);
    ridge_jw_member_real(w, "tolerance", c->tolerance);
    ridge_jw_end_object(w);
}

static void write_group(ridge_json_writer *w, const ridge_profile_group *g)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_text(w, "name", g->name);
    ridge_jw_member_whole(w, "count", g->count);
    ridge_jw_member_real(w, "pass_s", g->whole.tried > 0 ? g->whole.median_s : RIDGE_MEASURE_UNKNOWN);
    ridge_jw_member_real(w, "low_s", g->whole.tried > 0 ? g->whole.low_s : RIDGE_MEASURE_UNKNOWN);
    ridge_jw_member_real(w, "high_s", g->whole.tried > 0 ? g->whole.high_s : RIDGE_MEASURE_UNKNOWN);
    ridge_jw_member_whole(w, "kept", g->whole.kept);
    ridge_jw_member_whole(w, "tried", g->whole.tried);
    ridge_jw_member_whole(w, "places", g->places);
    ridge_jw_end_object(w);
}

static void write_level(ridge_json_writer *w, const ridge_profile_level *l)
{
    ridge_jw_object_compact(w);
    ridge_jw_member_whole(w, "level", l->level);
    ridge_jw_member_text(w, "name", ridge_profile_level_names[l->level]);
    ridge_jw_member_text(w, "variant", l->variant);
    ridge_jw_key(w, "right");
    ridge_jw_bool(w, l->right);
    ridge_jw_member_real(w, "time_s", l->time_s);
    ridge_jw_member_real(w, "low_s", l->low_s);
    ridge_jw_member_real(w, "high_s", l->high_s);
    ridge_jw_member_real(w, "speedup", l->speedup);
    ridge_jw_member_real(w, "max_relative_error", l->max_relative_error);
    ridge_jw_member_real(w, "tolerance", l->tolerance);
    ridge_jw_end_object(w);
}

static void write_lists(ridge_json_writer *w, const ridge_profile *p)
{
    ridge_jw_key(w, "components");
    ridge_jw_array(w);
    for (size_t i = 0; i < p->component_count; i++)
        write_component(w, &p->components[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "groups");
    ridge_jw_array(w);
    for (size_t i = 0; i < p->group_count; i++)
        write_group(w, &p->groups[i]);
    ridge_jw_end_array(w);
    ridge_jw_key(w, "levels");
    ridge_jw_array(w);
    for (size_t i = 0; i < p->level_count; i++)
        write_level(w, &p->levels[i]);
    ridge_jw_end_array(w);
}

void ridge_profile_json(ridge_buf *out, const ridge_profile *p)
{
    bool whole = p->request->what == RIDGE_PROFILE_MODEL;
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    write_head(&w, p);
    write_lists(&w, p);
    ridge_jw_member_real(&w, "total_s", p->total_s);
    ridge_jw_member_real(&w, "predicted_s", p->predicted_s);
    ridge_jw_member_real(&w, "error", ridge_compare_error(p->predicted_s, p->total_s));
    ridge_jw_member_real(&w, "tokens_per_s", whole ? p->tokens_per_s : RIDGE_MEASURE_UNKNOWN);
    ridge_jw_member_real(&w, "predicted_tokens_per_s", whole ? p->predicted_tokens_per_s : RIDGE_MEASURE_UNKNOWN);
    ridge_jw_key(&w, "left_out");
    ridge_jw_array_compact(&w);
    for (size_t i = 0; i < p->left_out_count; i++)
        ridge_jw_strz(&w, p->left_out[i]);
    ridge_jw_end_array(&w);
    ridge_jw_member_real(&w, "left_out_predicted_s", whole ? p->left_out_predicted_s : RIDGE_MEASURE_UNKNOWN);
    ridge_jw_member_text(&w, "bottleneck", p->bottleneck);
    ridge_jw_member_text(&w, "recommendation", p->recommendation);
    ridge_jw_key(&w, "interrupted");
    ridge_jw_bool(&w, p->interrupted);
    ridge_jw_end_object(&w);
    ridge_buf_addc(out, '\n');
}

/* ---- the table ---- */

static const ridge_column columns[] = {
    {"component", "component", false},
    {"count", "count", true},
    {"time", "time_s", true},
    {"%", "percent", true},
    {"predicted", "predicted_s", true},
    {"bound", "bound", false},
    {"of ceiling", "percent_of_ceiling", true},
    {"kernel", "variant", false},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *number(ridge_arena *arena, double value)
{
    return value >= 0 ? ridge_arena_printf(arena, "%.17g", value) : "";
}

/* numbers in full for CSV, as people look at them otherwise */
static void fill_row(const char **cells, const ridge_profile_component *c, bool csv, ridge_arena *arena)
{
    cells[0] = c->name;
    cells[1] = csv ? ridge_arena_printf(arena, "%lld", (long long)c->count) : ridge_units_exact(arena, c->count);
    cells[2] = csv ? number(arena, c->time_s) : ridge_units_seconds(arena, c->time_s);
    cells[3] = csv ? number(arena, c->percent) : c->percent >= 0 ? ridge_arena_printf(arena, "%.1f", c->percent) : "-";
    cells[4] = csv ? number(arena, c->predicted_s) : ridge_units_seconds(arena, c->predicted_s);
    cells[5] = c->bound ? c->bound : csv ? "" : "-";
    cells[6] = csv                          ? number(arena, c->percent_of_ceiling)
               : c->percent_of_ceiling >= 0 ? ridge_arena_printf(arena, "%.0f %%", c->percent_of_ceiling)
                                            : "-";
    cells[7] = c->variant ? c->variant : "";
}

ridge_status ridge_profile_table(ridge_buf *out, const ridge_profile *p, ridge_form style, int width, ridge_arena *arena,
                                 ridge_err *err)
{
    ridge_table table;
    ridge_table_init(&table, arena, columns, COLUMNS);
    for (size_t i = 0; i < p->component_count; i++) {
        const char **cells = ridge_table_row(&table);
        if (!cells)
            return ridge_no_memory(err);
        fill_row(cells, &p->components[i], style == RIDGE_FORM_CSV, arena);
        for (size_t k = 0; k < COLUMNS; k++)
            if (!cells[k])
                return ridge_no_memory(err);
    }
    ridge_table_render(out, &table, style, width);
    return RIDGE_OK;
}

/* ---- for people ---- */

static void say_head(ridge_buf *out, const ridge_profile *p)
{
    const ridge_profile_shape *s = &p->shape;
    ridge_buf_addf(out, "%s%s%s on %s, %u thread%s, measured\n", ridge_profile_names[p->request->what], p->request->model ? " of " : "",
                   p->request->model ? p->request->model : "", machine_name(p), p->threads, p->threads == 1 ? "" : "s");
    ridge_buf_addf(
        out, "%s  batch %lld  seq %lld  past %lld   weights %s, activations and KV %s, random; %s\n", ridge_phase_names[p->request->phase],
        (long long)p->batch, (long long)p->seq, (long long)p->past, p->weights->name, p->activations->name,
        p->request->cache == RIDGE_CACHE_COLD ? "weights and KV from memory (cold)" : "weights and KV as the last pass left them");
    if (p->request->what != RIDGE_PROFILE_MODEL && !s->rwkv)
        ridge_buf_addf(out, "hidden %lld  heads %lld  KV heads %lld  head_dim %lld", (long long)s->hidden, (long long)s->heads,
                       (long long)s->kv_heads, (long long)s->head_dim);
    else if (p->request->what != RIDGE_PROFILE_MODEL)
        ridge_buf_addf(out, "RWKV-4  hidden %lld", (long long)s->hidden);
    if (p->request->what == RIDGE_PROFILE_LAYER)
        ridge_buf_addf(out, "  intermediate %lld", (long long)s->intermediate);
    ridge_buf_addz(out, p->request->what != RIDGE_PROFILE_MODEL ? "\n\n" : "\n");
}

static void say_groups(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    for (size_t i = 0; i < p->group_count; i++) {
        const ridge_profile_group *g = &p->groups[i];
        const char *name = g->name[0] != '\0' ? g->name : "(outside of layers)";
        if (g->whole.tried == 0)
            ridge_buf_addf(out, "%-24s %5lld x -   (not measured)\n", name, (long long)g->count);
        else
            ridge_buf_addf(out, "%-24s %5lld x %s   (%u of %u samples clean)\n", name, (long long)g->count,
                           ridge_units_seconds(arena, g->whole.median_s), g->whole.kept, g->whole.tried);
    }
    ridge_buf_addc(out, '\n');
}

/* by name, with what the prediction gives them together */
static void say_left_out(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    if (p->left_out_count == 0)
        return;
    ridge_buf_addf(out, "not run      %zu row%s without a kernel here, predicted %s%s:\n", p->left_out_count,
                   p->left_out_count == 1 ? "" : "s", ridge_units_seconds(arena, p->left_out_predicted_s),
                   p->left_out_count == 1 ? "" : " together");
    for (size_t i = 0; i < p->left_out_count; i++)
        ridge_buf_addf(out, "             %s\n", p->left_out[i]);
}

static void say_total(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    if (ridge_profile_unmeasured(p) > 0) {
        ridge_buf_addc(out, '\n');
        return;
    }
    bool part = p->left_out_count > 0;
    ridge_buf_addf(out, "\ntotal        %s measured, %s predicted from the ceilings%s\n", ridge_units_seconds(arena, p->total_s),
                   ridge_units_seconds(arena, p->predicted_s), part ? ", both without the rows not run" : "");
    if (p->request->what == RIDGE_PROFILE_MODEL && part)
        ridge_buf_addz(out, "tokens/s     -, since not all rows were run\n");
    else if (p->request->what == RIDGE_PROFILE_MODEL)
        ridge_buf_addf(out, "tokens/s     %s measured, %s predicted\n", ridge_units_ratio(arena, p->tokens_per_s),
                       ridge_units_ratio(arena, p->predicted_tokens_per_s));
    say_left_out(out, p, arena);
}

/* one line; samples of the group in flight are few, so its intervals are wide */
static void say_interrupted(ridge_buf *out, const ridge_profile *p)
{
    size_t missing = ridge_profile_unmeasured(p);
    if (!p->interrupted)
        return;
    if (missing > 0)
        ridge_buf_addf(out, "interrupted: %zu of %zu components were measured, so there is no total and no advice\n",
                       p->component_count - missing, p->component_count);
    else
        ridge_buf_addz(out, "interrupted: what stands here was done\n");
}

static void say_beaten(ridge_buf *out, const ridge_profile *p)
{
    size_t count = 0;
    for (size_t i = 0; i < p->component_count; i++)
        count += p->components[i].beats_roofline;
    if (count > 0)
        ridge_buf_addf(out,
                       "%zu component%s beat%s the ceilings of this run: the machine was busy when they were measured, or a byte count "
                       "is wrong\n",
                       count, count == 1 ? "" : "s", count == 1 ? "s" : "");
}

static void say_levels(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    if (p->level_count > 0)
        ridge_buf_addf(out, "\n%-26s  %-10s  %6s  %s\n", "attention in one kernel", "time", "gain",
                       "largest error (allowed), of the result's root mean square");
    for (size_t i = 0; i < p->level_count; i++) {
        const ridge_profile_level *l = &p->levels[i];
        ridge_buf_addf(out, "%u %-8s %-15s  %-10s  %6s  %.2g (%.2g)%s\n", l->level, ridge_profile_level_names[l->level], l->variant,
                       ridge_units_seconds(arena, l->time_s), l->speedup > 0 ? ridge_arena_printf(arena, "%.2fx", l->speedup) : "-",
                       l->max_relative_error, l->tolerance, l->right ? "" : "  WRONG: not timed");
    }
}

ridge_status ridge_profile_text(ridge_buf *out, const ridge_profile *p, int width, ridge_arena *arena, ridge_err *err)
{
    say_head(out, p);
    if (p->request->what == RIDGE_PROFILE_MODEL)
        say_groups(out, p, arena);
    ridge_status st = ridge_profile_table(out, p, RIDGE_FORM_TEXT, width, arena, err);
    if (st)
        return st;
    say_total(out, p, arena);
    say_beaten(out, p);
    say_levels(out, p, arena);
    if (p->bottleneck)
        ridge_buf_addf(out, "\nbottleneck   %s\nadvice       %s\n", p->bottleneck, p->recommendation);
    say_interrupted(out, p);
    return RIDGE_OK;
}

/* ---- the picture ---- */

enum { SERIES = 3 };

ridge_status ridge_profile_picture(ridge_plot *out, const ridge_profile *p, ridge_arena *arena, ridge_err *err)
{
    static const char *const series[SERIES] = {"memory-bound", "compute-bound", "bound not known"};
    ridge_plot_bar *bars = ridge_arena_array(arena, p->component_count + 1, sizeof *bars);
    double(*values)[SERIES] = ridge_arena_array(arena, p->component_count + 1, sizeof *values);
    const char *title = ridge_arena_printf(arena, "%s%s%s: where the time goes", ridge_profile_names[p->request->what],
                                           p->request->model ? " of " : "", p->request->model ? p->request->model : "");
    const char *subtitle = ridge_arena_printf(arena, "%s, batch %lld, seq %lld, past %lld, weights %s; %s, %u threads, measured",
                                              ridge_phase_names[p->request->phase], (long long)p->batch, (long long)p->seq,
                                              (long long)p->past, p->weights->name, machine_name(p), p->threads);
    if (!bars || !values || !title || !subtitle)
        return ridge_no_memory(err);
    for (size_t i = 0; i < p->component_count; i++) {
        const ridge_profile_component *c = &p->components[i];
        values[i][c->bound == NULL ? 2 : c->bound[0] == 'm' ? 0 : 1] = fmax(c->time_s, 0);
        bars[i] = (ridge_plot_bar){c->name, values[i]};
    }
    *out = (ridge_plot){.title = title, .subtitle = subtitle, .kind = RIDGE_PLOT_BARS};
    out->u.bars = (ridge_plot_bars){RIDGE_PLOT_SECONDS, series, SERIES, bars, p->component_count};
    return RIDGE_OK;
}
