/* How a profile is told: records of its parts and of the whole, sentences around the table, a picture (profile.h). */
#include <math.h>

#include "machine/detect/detect.h"
#include "profile/profile.h"

#define SECONDS .unit = RIDGE_UNIT_SECONDS
#define PERCENT .unit = RIDGE_UNIT_PERCENT
#define RATIO   .unit = RIDGE_UNIT_RATIO
#define BYTES   .unit = RIDGE_UNIT_BYTES

/* ---- parts ---- */

#define OF ridge_profile_component
static const ridge_record_field component_fields[] = {
    RIDGE_R_TEXT(OF, name, "name", "component", RIDGE_IN_ALL, "what is run; of a model, its row", .csv = "component"),
    RIDGE_R_COUNT(OF, count, "count", NULL, RIDGE_IN_ALL, "how often in all that is profiled"),
    RIDGE_R_REAL(OF, time_s, "time_s", "time", RIDGE_IN_ALL, "of all of them", SECONDS),
    RIDGE_R_REAL(OF, low_s, "low_s", NULL, RIDGE_IN_JSON, "where the 95 % interval begins", SECONDS),
    RIDGE_R_REAL(OF, high_s, "high_s", NULL, RIDGE_IN_JSON, "where it ends", SECONDS),
    RIDGE_R_REAL(OF, percent, "percent", "%", RIDGE_IN_ALL, "of the total", PERCENT),
    RIDGE_R_REAL(OF, predicted_s, "predicted_s", "predicted", RIDGE_IN_ALL, "from the ceilings", SECONDS),
    RIDGE_R_WORD(OF, bound, ridge_side_names, "bound", NULL, RIDGE_IN_ALL, "the ceiling of which the larger fraction is reached"),
    RIDGE_R_REAL(OF, percent_of_ceiling, "percent_of_ceiling", "% of ceiling", RIDGE_IN_ALL, "how much of it is reached", PERCENT),
    RIDGE_R_BOOL(OF, beats_roofline, "beats_roofline", NULL, RIDGE_IN_JSON, "faster than it: then a ceiling or a byte count is wrong"),
    RIDGE_R_REAL(OF, error, "error", NULL, RIDGE_IN_JSON, "|predicted - measured| / measured", .unit = RIDGE_UNIT_SHARE),
    RIDGE_R_COUNT(OF, flops, "flops", NULL, RIDGE_IN_JSON, "FLOPs of all of them, by the catalog"),
    RIDGE_R_COUNT(OF, bytes, "bytes", NULL, RIDGE_IN_JSON, "bytes they move, by the catalog", BYTES),
    RIDGE_R_TEXT(OF, variant, "variant", "kernel", RIDGE_IN_ALL, "the implementation of its longest kernel"),
    RIDGE_R_REAL(OF, max_relative_error, "max_relative_error", NULL, RIDGE_IN_JSON, "of its worst kernel, against the reference"),
    RIDGE_R_REAL(OF, tolerance, "tolerance", NULL, RIDGE_IN_JSON, "the most that that may be"),
};
#undef OF
const ridge_record ridge_profile_component_record =
    RIDGE_RECORD(ridge_profile_component, "component", component_fields, "a part, timed inside the pass");

#define OF ridge_profile_group
static const ridge_record_field group_fields[] = {
    RIDGE_R_TEXT(OF, name, "name", NULL, RIDGE_IN_JSON, "the layer; empty outside of layers"),
    RIDGE_R_COUNT(OF, count, "count", NULL, RIDGE_IN_JSON, "layers like it"),
    RIDGE_R_REAL(OF, whole.median_s, "pass_s", NULL, RIDGE_IN_JSON, "one pass through it", SECONDS),
    RIDGE_R_REAL(OF, whole.low_s, "low_s", NULL, RIDGE_IN_JSON, "where the 95 % interval begins", SECONDS),
    RIDGE_R_REAL(OF, whole.high_s, "high_s", NULL, RIDGE_IN_JSON, "where it ends", SECONDS),
    RIDGE_R_UNSIGNED(OF, whole.kept, "kept", NULL, RIDGE_IN_JSON, "passes that nothing disturbed"),
    RIDGE_R_UNSIGNED(OF, whole.tried, "tried", NULL, RIDGE_IN_JSON, "passes timed"),
    RIDGE_R_UNSIGNED(OF, places, "places", NULL, RIDGE_IN_JSON, "copies of the weights that passes go through"),
};
#undef OF
static const ridge_record group_record = RIDGE_RECORD(ridge_profile_group, "group", group_fields, "what runs one after the other");

#define OF ridge_profile_level
static const char *level_time(ridge_arena *arena, const void *level)
{
    const OF *l = level;
    return l->right ? ridge_units_seconds(arena, l->time_s) : "WRONG: not timed";
}

static const ridge_record_field level_fields[] = {
    RIDGE_R_UNSIGNED(OF, level, "level", NULL, RIDGE_IN_ALL, "of the option", .left = true),
    RIDGE_R_WORD(OF, level, ridge_profile_level_names, "name", "attention in one kernel", RIDGE_IN_ALL, "how the score matrix is treated"),
    RIDGE_R_TEXT(OF, variant, "variant", "kernel", RIDGE_IN_ALL, "the implementation"),
    RIDGE_R_BOOL(OF, right, "right", NULL, RIDGE_IN_DATA, "it matched the reference; else it is not timed"),
    RIDGE_R_REAL(OF, time_s, "time_s", "time", RIDGE_IN_ALL, "the median", SECONDS, .text = level_time),
    RIDGE_R_REAL(OF, low_s, "low_s", NULL, RIDGE_IN_DATA, "where its 95 % interval begins", SECONDS),
    RIDGE_R_REAL(OF, high_s, "high_s", NULL, RIDGE_IN_DATA, "where it ends", SECONDS),
    RIDGE_R_REAL(OF, speedup, "speedup", "gain", RIDGE_IN_ALL, "over level 0", RATIO),
    RIDGE_R_REAL(OF, max_relative_error, "max_relative_error", "error", RIDGE_IN_ALL, "the largest, against the reference", RATIO),
    RIDGE_R_REAL(OF, tolerance, "tolerance", "allowed", RIDGE_IN_ALL, "the most that that may be", RATIO),
};
#undef OF
static const ridge_record level_record = RIDGE_RECORD(ridge_profile_level, "level", level_fields, "attention as one kernel");

/* ---- the whole ---- */

#define OF ridge_profile_shape
static bool has_heads(const void *shape)
{
    return !((const OF *)shape)->rwkv;
}

static bool has_mlp(const void *shape)
{
    return ((const OF *)shape)->intermediate > 0;
}

static const ridge_record_field shape_fields[] = {
    RIDGE_R_WHOLE(OF, hidden, "hidden", NULL, RIDGE_IN_JSON, "length of the residual stream"),
    RIDGE_R_WHOLE(OF, heads, "heads", NULL, RIDGE_IN_JSON, "query heads", .given = has_heads),
    RIDGE_R_WHOLE(OF, kv_heads, "kv_heads", NULL, RIDGE_IN_JSON, "key and value heads", .given = has_heads),
    RIDGE_R_WHOLE(OF, head_dim, "head_dim", NULL, RIDGE_IN_JSON, "length of a head", .given = has_heads),
    RIDGE_R_WHOLE(OF, intermediate, "intermediate", NULL, RIDGE_IN_JSON, "length inside the MLP", .given = has_mlp),
};
#undef OF
static const ridge_record shape_record = RIDGE_RECORD(ridge_profile_shape, "shape", shape_fields, "sizes of the layer");

#define OF ridge_profile
static const ridge_record_field workload_fields[] = {
    RIDGE_R_WHOLE(OF, request.batch, "batch", NULL, RIDGE_IN_JSON, "sequences at once"),
    RIDGE_R_WHOLE(OF, request.seq, "seq", NULL, RIDGE_IN_JSON, "new tokens of each; null where the model takes none"),
    RIDGE_R_WHOLE(OF, request.past, "past", NULL, RIDGE_IN_JSON, "tokens before them; null where the model keeps no cache"),
    RIDGE_R_FORMAT(OF, request.weights, "weights", NULL, RIDGE_IN_JSON, "number format of the weights"),
    RIDGE_R_FORMAT(OF, request.activations, "activations", NULL, RIDGE_IN_JSON, "... of activations"),
    RIDGE_R_FORMAT(OF, request.activations, "kv", NULL, RIDGE_IN_JSON, "... of K and V"),
};
static const ridge_record workload_record = RIDGE_RECORD(OF, "workload", workload_fields, "what goes through it");

static const ridge_record_field fields[] = {
    RIDGE_R_WORD(OF, request.what, ridge_profile_names, "what", NULL, RIDGE_IN_JSON, "attention, layer or model"),
    RIDGE_R_TEXT(OF, request.model, "model", NULL, RIDGE_IN_JSON, "whose it is"),
    RIDGE_R_WORD(OF, request.phase, ridge_phase_names, "phase", NULL, RIDGE_IN_JSON, "prefill or decode"),
    RIDGE_R_GROUP(&workload_record, "workload", RIDGE_IN_JSON, "what goes through it", .compact = true),
    RIDGE_R_AT(OF, shape, &shape_record, "shape", RIDGE_IN_JSON, "sizes of the layer; a model's layers have their own", .compact = true),
    RIDGE_R_WHOLE(OF, request.threads, "threads", NULL, RIDGE_IN_JSON, "threads that shared the work"),
    RIDGE_R_UNSIGNED(OF, cpus, "cpus", NULL, RIDGE_IN_JSON, "CPUs that the process may use"),
    RIDGE_R_WORD(OF, request.cache, ridge_cache_state_names, "cache", NULL, RIDGE_IN_JSON, "where weights, K and V come from"),
    RIDGE_R_THROUGH(OF, machine, &ridge_bench_machine_record, RIDGE_IN_ALL),
    RIDGE_R_LIST(OF, components, component_count, &ridge_profile_component_record, "components", RIDGE_IN_JSON, "its parts",
                 .compact = true),
    RIDGE_R_LIST(OF, groups, group_count, &group_record, "groups", RIDGE_IN_JSON, "what ran in a pass", .compact = true),
    RIDGE_R_LIST(OF, levels, level_count, &level_record, "levels", RIDGE_IN_JSON, "attention as one kernel", .compact = true),
    RIDGE_R_REAL(OF, total_s, "total_s", NULL, RIDGE_IN_JSON, "the sum of the components", SECONDS),
    RIDGE_R_REAL(OF, predicted_s, "predicted_s", NULL, RIDGE_IN_JSON, "the same, from the ceilings", SECONDS),
    RIDGE_R_REAL(OF, error, "error", NULL, RIDGE_IN_JSON, "|predicted - measured| / measured", .unit = RIDGE_UNIT_SHARE),
    RIDGE_R_REAL(OF, tokens_per_s, "tokens_per_s", NULL, RIDGE_IN_JSON, "of a model", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(OF, predicted_tokens_per_s, "predicted_tokens_per_s", NULL, RIDGE_IN_JSON, "... as predicted", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(OF, images_per_s, "images_per_s", NULL, RIDGE_IN_JSON, "of a model that takes images", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_REAL(OF, predicted_images_per_s, "predicted_images_per_s", NULL, RIDGE_IN_JSON, "... as predicted", .unit = RIDGE_UNIT_PER_S),
    RIDGE_R_TEXTS(OF, left_out, "left_out", NULL, RIDGE_IN_JSON, "rows that no kernel here runs", .compact = true),
    RIDGE_R_REAL(OF, left_out_predicted_s, "left_out_predicted_s", NULL, RIDGE_IN_JSON, "what they are predicted to take", SECONDS),
    RIDGE_R_TEXT(OF, bottleneck, "bottleneck", NULL, RIDGE_IN_JSON, "the component that takes longest"),
    RIDGE_R_TEXT(OF, recommendation, "recommendation", NULL, RIDGE_IN_JSON, "what to do about it"),
    RIDGE_R_BOOL(OF, interrupted, "interrupted", NULL, RIDGE_IN_JSON, "Ctrl-C ended it"),
    RIDGE_R_WHOLE(OF, run, "run", NULL, RIDGE_IN_JSON, "its number in the store"),
};
const ridge_record ridge_profile_record = RIDGE_RECORD(OF, "ridge profile", fields, "where the time goes on this machine");

/* ---- sentences ---- */

/* one line; machine->text has several */
static const char *machine_name(const ridge_profile *p)
{
    return p->machine->detected->machine.name;
}

/* those that the model takes */
static void add_lengths(ridge_buf *out, const ridge_profile *p, const char *separator)
{
    if (p->takes.tokens)
        ridge_buf_addf(out, "%sseq %lld", separator, (long long)p->request.seq);
    if (p->takes.cache)
        ridge_buf_addf(out, "%spast %lld", separator, (long long)p->request.past);
}

static void say_what(ridge_buf *out, const ridge_profile *p)
{
    const ridge_profile_shape *s = &p->request.shape;
    ridge_buf_addf(out, "%s%s%s on %s, %lld thread%s, measured\n", ridge_profile_names[p->request.what], p->request.model ? " of " : "",
                   p->request.model ? p->request.model : "", machine_name(p), (long long)p->request.threads,
                   RIDGE_PLURAL(p->request.threads));
    const char *kv = p->takes.cache ? " and KV" : "";
    ridge_buf_addf(out, "%s  batch %lld", ridge_phase_names[p->request.phase], (long long)p->request.batch);
    add_lengths(out, p, "  ");
    ridge_buf_addf(out, "   weights %s, activations%s %s, random; weights%s %s\n", p->request.weights->name, kv,
                   p->request.activations->name, kv,
                   p->request.cache == RIDGE_CACHE_COLD ? "from memory (cold)" : "as the last pass left them");
    if (p->request.what != RIDGE_PROFILE_MODEL && !s->rwkv)
        ridge_buf_addf(out, "hidden %lld  heads %lld  KV heads %lld  head_dim %lld", (long long)s->hidden, (long long)s->heads,
                       (long long)s->kv_heads, (long long)s->head_dim);
    else if (p->request.what != RIDGE_PROFILE_MODEL)
        ridge_buf_addf(out, "RWKV-4  hidden %lld", (long long)s->hidden);
    if (p->request.what == RIDGE_PROFILE_LAYER)
        ridge_buf_addf(out, "  intermediate %lld", (long long)s->intermediate);
    ridge_buf_addz(out, p->request.what != RIDGE_PROFILE_MODEL ? "\n\n" : "\n");
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
    if (p->left_out.count == 0)
        return;
    ridge_buf_addf(out, "not run      %zu row%s without a kernel here, predicted %s%s:\n", p->left_out.count,
                   RIDGE_PLURAL(p->left_out.count), ridge_units_seconds(arena, p->left_out_predicted_s),
                   p->left_out.count == 1 ? "" : " together");
    for (size_t i = 0; i < p->left_out.count; i++)
        ridge_buf_addf(out, "             %s\n", p->left_out.items[i]);
}

static void say_rates(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    if (p->images_per_s >= 0)
        ridge_buf_addf(out, "images/s     %s measured, %s predicted\n", ridge_units_ratio(arena, p->images_per_s),
                       ridge_units_ratio(arena, p->predicted_images_per_s));
    if (p->tokens_per_s >= 0)
        ridge_buf_addf(out, "tokens/s     %s measured, %s predicted\n", ridge_units_ratio(arena, p->tokens_per_s),
                       ridge_units_ratio(arena, p->predicted_tokens_per_s));
}

static void say_total(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    if (p->unmeasured > 0) {
        ridge_buf_addc(out, '\n');
        return;
    }
    bool part = p->left_out.count > 0;
    ridge_buf_addf(out, "\ntotal        %s measured, %s predicted from the ceilings%s\n", ridge_units_seconds(arena, p->total_s),
                   ridge_units_seconds(arena, p->predicted_s), part ? ", both without the rows not run" : "");
    if (p->request.what == RIDGE_PROFILE_MODEL && part)
        ridge_buf_addz(out,
                       p->takes.tokens ? "tokens/s     -, since not all rows were run\n" : "images/s     -, since not all rows were run\n");
    else if (p->request.what == RIDGE_PROFILE_MODEL)
        say_rates(out, p, arena);
    say_left_out(out, p, arena);
}

/* one line; samples of the group in flight are few, so its intervals are wide */
static void say_interrupted(ridge_buf *out, const ridge_profile *p)
{
    size_t missing = p->unmeasured;
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
    if (p->beaten > 0)
        ridge_buf_addf(out,
                       "%zu component%s beat%s the ceilings of this run: the machine was busy when they were measured, or a byte count "
                       "is wrong\n",
                       p->beaten, RIDGE_PLURAL(p->beaten), p->beaten == 1 ? "s" : "");
}

void ridge_profile_head(ridge_buf *out, const ridge_profile *p, ridge_arena *arena)
{
    say_what(out, p);
    if (p->request.what == RIDGE_PROFILE_MODEL)
        say_groups(out, p, arena);
}

ridge_status ridge_profile_below(ridge_buf *out, const ridge_profile *p, int width, ridge_arena *arena, ridge_err *err)
{
    const ridge_record_style style = {.form = RIDGE_FORM_TEXT, .width = width};
    ridge_status st = RIDGE_OK;
    say_total(out, p, arena);
    say_beaten(out, p);
    if (p->level_count > 0) {
        ridge_buf_addc(out, '\n');
        st = ridge_record_print(out, &level_record, &style, p->levels, p->level_count, err);
        ridge_buf_addz(out, "errors are parts of the root mean square of the result\n");
    }
    if (p->bottleneck)
        ridge_buf_addf(out, "\nbottleneck   %s\nadvice       %s\n", p->bottleneck, p->recommendation);
    say_interrupted(out, p);
    return st;
}

/* ---- the picture ---- */

enum { SERIES = 3 };

ridge_status ridge_profile_picture(ridge_plot *out, const ridge_profile *p, ridge_arena *arena, ridge_err *err)
{
    static const char *const series[SERIES] = {"memory-bound", "compute-bound", "bound not known"};
    ridge_plot_bar *bars = ridge_arena_array(arena, p->component_count + 1, sizeof *bars);
    double(*values)[SERIES] = ridge_arena_array(arena, p->component_count + 1, sizeof *values);
    const char *title = ridge_arena_printf(arena, "%s%s%s: where the time goes", ridge_profile_names[p->request.what],
                                           p->request.model ? " of " : "", p->request.model ? p->request.model : "");
    ridge_buf text = {0};
    add_lengths(&text, p, ", ");
    const char *lengths = ridge_arena_take(arena, &text);
    const char *subtitle = ridge_arena_printf(arena, "%s, batch %lld%s, weights %s; %s, %lld threads, measured",
                                              ridge_phase_names[p->request.phase], (long long)p->request.batch, lengths ? lengths : "",
                                              p->request.weights->name, machine_name(p), (long long)p->request.threads);
    if (!bars || !values || !title || !lengths || !subtitle)
        return ridge_no_memory(err);
    for (size_t i = 0; i < p->component_count; i++) {
        const ridge_profile_component *c = &p->components[i];
        values[i][c->bound == RIDGE_SIDE_UNKNOWN ? 2 : c->bound] = fmax(c->time_s, 0);
        bars[i] = (ridge_plot_bar){c->name, values[i]};
    }
    *out = (ridge_plot){.title = title, .subtitle = subtitle, .kind = RIDGE_PLOT_BARS};
    out->u.bars = (ridge_plot_bars){RIDGE_PLOT_SECONDS, series, SERIES, bars, p->component_count};
    return RIDGE_OK;
}
