/* ridge sweep: predictions over a grid of machines, formats and shapes. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/shown.h"
#include "base/units.h"
#include "command/model.h"
#include "measure/measure.h"
#include "sweep/rows.h"

enum { TABLE_MOST = 2000 }; /* points that a table for people has */

#define ESTIMATE_AFTER_S 0.5 /* a rate is measured for so long */

typedef struct request {
    ridge_sweep_request sweep;
    ridge_learn_options learn;
    ridge_catalog_options catalog;
    ridge_machines_options machines;
    bool summary;
} request;

static const ridge_option options[] = {
    RIDGE_FLAG(request, summary, "summary", 0, "the best points and the Pareto front instead of the rows"),
    RIDGE_OPTION_END,
};
static const ridge_option call_options[] = {
    RIDGE_FLAG(ridge_call, progress, "progress", 0, "progress on stderr even where that is no terminal"),
    RIDGE_OPTION_END,
};

/* ---- what happens with the points ---- */

typedef struct output {
    ridge_call *call;
    ridge_sweep sweep;
    bool silent;                    /* rows go to the terminal: progress would stand among them */
    double start, said;             /* seconds; when progress was said last */
    bool estimated;                 /* how long all of it takes was said */
    double written_bytes;           /* of rows */
    ridge_record_columns columns;   /* of CSV */
    ridge_sweep_summary *summaries; /* [threads] */
    ridge_sweep_entry *entries;     /* for a table */
    size_t entry_count;
    ridge_stop stop;
} output;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say_progress(output *o, int64_t done)
{
    double at = now(), elapsed = at - o->start;
    char points[RIDGE_INT_COMMA_CHARS], count[RIDGE_INT_COMMA_CHARS];
    if (o->silent || at - o->said < 0.2)
        return;
    o->said = at;
    ridge_int_print_comma(points, done);
    ridge_int_print_comma(count, o->sweep.count);
    ridge_call_progress(o->call, "%5.1f %%  %s of %s points, %.3g million/s ", 100.0 * (double)done / (double)o->sweep.count, points, count,
                        (double)done / elapsed / 1e6);
}

static void note(void *data, const char *text)
{
    output *o = data;
    ridge_call_warn(o->call, "%s", text);
}

static void warn_model(void *data, const ridge_analysis *exact)
{
    output *o = data;
    ridge_call_warn_choices(o->call, exact);
}

static void take_csv(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    const output *o = data;
    (void)thread;
    ridge_sweep_csv(text, &o->columns, block);
}

static void take_json(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)data;
    (void)thread;
    ridge_sweep_json(text, block);
}

static void take_summary(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    output *o = data;
    ridge_sweep_summary_add(&o->summaries[thread], block);
    text->failed = o->summaries[thread].failed; /* ends the sweep now, not after its last point */
}

/* on one thread: entries has room for all */
static void take_table(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *b)
{
    output *o = data;
    (void)thread;
    (void)text;
    for (size_t i = 0; i < b->n; i++)
        o->entries[o->entry_count++] = ridge_sweep_entry_of(b, i);
}

/* by the rate of the first points, after long enough to have one */
static void estimate(output *o, int64_t done)
{
    const double elapsed = now() - o->start, all = (double)o->sweep.count / (double)done;
    char points[RIDGE_INT_COMMA_CHARS], work[256];
    if (o->estimated || elapsed < ESTIMATE_AFTER_S)
        return;
    o->estimated = true;
    ridge_int_print_comma(points, o->sweep.count);
    if (o->written_bytes > 0)
        (void)snprintf(work, sizeof work, "%s points with %s of rows take", points,
                       ridge_units_scaled(&o->call->arena, o->written_bytes * all, "B"));
    else
        (void)snprintf(work, sizeof work, "%s points take", points);
    ridge_call_estimate(o->call, work, elapsed * all);
}

/* where nobody takes rows away, all of them must have room */
static ridge_status check_room(const output *o, int64_t done, ridge_err *err)
{
    const double all_bytes = o->written_bytes / (double)done * (double)o->sweep.count;
    char points[RIDGE_INT_COMMA_CHARS];
    if (o->call->front->flush || all_bytes <= (double)ridge_memory_available())
        return RIDGE_OK;
    ridge_int_print_comma(points, o->sweep.count);
    return ridge_fail(err, RIDGE_LIMIT, "the rows of %s points take %s, more than there is memory: " RIDGE_OPT("summary") " sums them up",
                      points, ridge_units_scaled(&o->call->arena, all_bytes, "B"));
}

static ridge_status write_text(void *data, ridge_buf *text, int64_t done, ridge_err *err)
{
    output *o = data;
    const bool first = o->written_bytes <= 0 && text->n > 0;
    o->written_bytes += (double)text->n;
    if (first && check_room(o, done, err))
        return RIDGE_LIMIT;
    ridge_buf_add(&o->call->data, (ridge_str){text->p, text->n});
    estimate(o, done);
    say_progress(o, done);
    return text->n ? ridge_call_flush(o->call, err) : RIDGE_OK;
}

/* ---- the forms of the answer ---- */

static ridge_status run_sink(output *o, void (*take)(void *, unsigned, ridge_buf *, const ridge_sweep_block *), ridge_err *err)
{
    ridge_sweep_sink sink = {.data = o, .take = take, .write = write_text, .note = note, .model = warn_model, .stop = &o->stop};
    ridge_status st = ridge_sweep_run(&o->sweep, &sink, err);
    ridge_call_progress_end(o->call);
    return st;
}

static ridge_status as_csv(output *o, ridge_err *err)
{
    ridge_status st = ridge_record_columns_make(&o->columns, &ridge_sweep_record, RIDGE_FORM_CSV, &o->call->arena, err);
    if (st)
        return st;
    ridge_record_csv_head(&o->call->data, &o->columns);
    return run_sink(o, take_csv, err);
}

static ridge_status as_json(output *o, ridge_err *err)
{
    ridge_buf *out = &o->call->data;
    ridge_json_writer w;
    ridge_jw_answer(&w, out);
    ridge_jw_key(&w, "points");
    ridge_jw_int(&w, o->sweep.count);
    ridge_buf_addz(out, ",\n  \"rows\": [\n");
    ridge_status st = run_sink(o, take_json, err);
    if (st)
        return st;
    ridge_buf_addf(out, "\n  ],\n  \"complete\": %s,\n  \"notes\": ", o->sweep.stopped ? "false" : "true");
    ridge_jw_init(&w, out);
    ridge_jw_array(&w);
    for (size_t i = 0; i < o->sweep.notes.count; i++)
        ridge_jw_strz(&w, o->sweep.notes.items[i]);
    ridge_jw_end_array(&w);
    ridge_buf_addz(out, "\n}\n");
    return RIDGE_OK;
}

static ridge_status print_summary(output *o, double elapsed_s, ridge_err *err)
{
    ridge_sweep_told told;
    ridge_call *call = o->call;
    ridge_status st = ridge_sweep_tell(&told, &o->summaries[0], elapsed_s, &call->arena, err);
    if (st)
        return st;
    if (call->form == RIDGE_FORM_TEXT)
        return ridge_sweep_told_text(&call->data, &told, call->width, err);
    return ridge_call_rows(call, &ridge_sweep_summary_record, &told, &ridge_sweep_record, told.pareto, told.pareto_count, err);
}

static ridge_status as_summary(output *o, ridge_err *err)
{
    const unsigned threads = o->sweep.threads;
    ridge_status st = RIDGE_OK;
    unsigned made = 0;
    if (!(o->summaries = calloc(threads, sizeof *o->summaries)))
        return ridge_no_memory(err);
    while (made < threads && !st)
        st = ridge_sweep_summary_init(&o->summaries[made++], &o->sweep, err);
    if (!st)
        st = run_sink(o, take_summary, err);
    double elapsed = now() - o->start;
    for (unsigned i = 0; i < made && st; i++)
        if (o->summaries[i].full)
            st = ridge_sweep_summary_refuse(err);
    for (unsigned i = 1; i < threads && !st; i++)
        ridge_sweep_summary_merge(&o->summaries[0], &o->summaries[i]);
    if (!st)
        st = print_summary(o, elapsed, err);
    for (unsigned i = 0; i < made; i++)
        ridge_sweep_summary_free(&o->summaries[i]);
    free(o->summaries);
    return st;
}

static ridge_status as_table(output *o, ridge_err *err)
{
    char count[RIDGE_INT_COMMA_CHARS];
    ridge_call *call = o->call;
    ridge_int_print_comma(count, o->sweep.count);
    if (o->sweep.count > TABLE_MOST)
        return ridge_fail(err, RIDGE_USAGE,
                          "%s points are too many for a table: " RIDGE_OPT("csv") " and " RIDGE_OPT("json") " stream them, " RIDGE_OPT(
                              "summary") " sums them up",
                          count);
    o->sweep.threads = 1;
    if (!(o->entries = ridge_arena_array(&call->arena, (size_t)o->sweep.count + 1, sizeof *o->entries)))
        return ridge_no_memory(err);
    ridge_status st = run_sink(o, take_table, err);
    if (st)
        return st;
    if (call->form == RIDGE_FORM_TEXT)
        ridge_buf_addf(&call->data, "%s: %s point%s\n", ridge_shown(&call->arena, o->sweep.model ? o->sweep.model : ""), count,
                       RIDGE_PLURAL(o->sweep.count));
    return ridge_sweep_table(&call->data, o->entries, o->entry_count, call->form, call->width, err);
}

static ridge_status answer(output *o, bool summary, ridge_err *err)
{
    ridge_call *call = o->call;
    ridge_call_listen(call, &o->stop);
    o->start = now();
    o->silent = call->terminal && !summary && !call->progress;
    ridge_status st = summary                         ? as_summary(o, err)
                      : call->form == RIDGE_FORM_CSV  ? as_csv(o, err)
                      : call->form == RIDGE_FORM_JSON ? as_json(o, err)
                                                      : as_table(o, err);
    ridge_call_listen(call, NULL);
    call->interrupted = o->stop;
    return st;
}

static ridge_status run(ridge_call *call, const void *values, ridge_err *err)
{
    const request *r = values;
    output o = {.call = call};
    ridge_registry *registry;
    ridge_machines *machines;
    ridge_status st;
    if ((st = ridge_call_registry(&registry, call, &r->catalog, err)) || (st = ridge_call_machines(&machines, call, &r->machines, err)) ||
        (st = ridge_call_learn(call, registry, &r->learn, &r->sweep.predict.model, err)))
        return st;
    if (!(st = ridge_sweep_open(&o.sweep, registry, machines, &r->sweep, err)))
        st = answer(&o, r->summary, err);
    ridge_sweep_free(&o.sweep);
    return st;
}

const ridge_command ridge_cmd_sweep = {
    .name = "sweep",
    .group = "Models",
    .summary = "predictions over machines, batches, lengths and formats: every point, or the best ones",
    .example = "ridge sweep meta-llama/Llama-2-7b-hf --on h100-sxm-80,l4 --batch 1:256:*2 --seq 128:4096:*2 --weights bf16,q4_K --csv",
    .details =
        "RANGE is a:b:*f, a:b:+d or a list; they mix: 1,2,8:64:*2. Every combination is a point, with the numbers that 'ridge predict' "
        "has for it. Rows stream in a fixed order, whatever the number of threads; memory does not grow with them.",
    .operands = RIDGE_OPERAND_MODEL(request, sweep.predict.model, "MODEL", 1, RIDGE_MODEL_OPERAND),
    .tables = {RIDGE_SWEEP_TABLES(offsetof(request, sweep)),
               {RIDGE_TABLE(ridge_options_learn, offsetof(request, learn), "Source")},
               {RIDGE_TABLE(options, 0, "Grid")},
               {RIDGE_TABLE_OF_CALL(call_options, "Grid")},
               {RIDGE_TABLE_OF_CALL(ridge_options_output, "Output")},
               {RIDGE_TABLE(ridge_options_machines, offsetof(request, machines), "Machines")},
               {RIDGE_TABLE(ridge_options_catalog, offsetof(request, catalog), "Catalog")}},
    .request_size = sizeof(request),
    .defaults = ridge_predict_defaults,
    .heavy = true,
    .run = run,
    .records = {&ridge_sweep_streamed_record, &ridge_sweep_summary_record},
};
