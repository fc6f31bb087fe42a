/* Sweeps of the public interface: the rows of a grid, handed out in order. */
#include "api/session.h"
#include "sweep/sweep.h"

typedef struct rows {
    ridge_sweep_fn *function;
    void *data;
    ridge_call *call;
    ridge_stop stop;
} rows;

static ridge_sweep_row row_of(const ridge_sweep_shared *shared, const ridge_sweep_point *p)
{
    return (ridge_sweep_row){.model = shared->model,
                             .machine = shared->machine_id,
                             .phase = ridge_phase_names[shared->phase],
                             .weights = shared->weights->name,
                             .activations = shared->activations->name,
                             .kv = shared->kv ? shared->kv->name : NULL,
                             .bound = ridge_bound_names[p->bound],
                             .batch = p->batch,
                             .seq = p->seq,
                             .past = p->past,
                             .flops = ridge_session_count(p->flops),
                             .bytes = ridge_session_count(p->bytes),
                             .memory = ridge_session_count(p->memory_bytes),
                             .time_s = p->time_s,
                             .tokens_per_s = p->tokens_per_s,
                             .fits = p->fits != 0,
                             .images_per_s = p->images_per_s};
}

/* on a worker's thread: rows cross to the caller's as bytes */
static void take(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)data;
    (void)thread;
    for (size_t i = 0; i < block->n; i++) {
        const ridge_sweep_row row = row_of(&block->shared, &block->points[i]);
        ridge_buf_add(text, (ridge_str){(const char *)&row, sizeof row});
    }
}

static ridge_status write_rows(void *data, ridge_buf *text, int64_t done, ridge_err *err)
{
    rows *r = data;
    ridge_sweep_row row;
    (void)done;
    if (text->failed)
        return ridge_no_memory(err);
    for (size_t at = 0; at + sizeof row <= text->n && !r->stop; at += sizeof row) {
        memcpy(&row, text->p + at, sizeof row);
        if (r->function(r->data, &row))
            r->stop = 1;
    }
    return RIDGE_OK;
}

static void note(void *data, const char *text)
{
    rows *r = data;
    ridge_call_warn(r->call, "%s", text);
}

int ridge_model_sweep(ridge_session *s, const char *model, const char *const *options, size_t count, ridge_sweep_fn *function, void *data)
{
    static const ridge_option_table tables[] = {RIDGE_SWEEP_TABLES(0), {.options = NULL}};
    ridge_call call;
    ridge_sweep sweep = {0};
    ridge_sweep_request request = {.predict.model.model = model};
    rows r = {.function = function, .data = data, .call = &call};
    const ridge_sweep_sink sink = {.data = &r, .take = take, .write = write_rows, .note = note, .stop = &r.stop};
    ridge_status st = ridge_session_begin(&call, s);
    if (!st && !(st = ridge_session_options(&call, s, &request, tables, ridge_predict_defaults, options, count)) &&
        !(st = ridge_sweep_open(&sweep, s->registry, s->machines, &request, &s->err)))
        st = ridge_sweep_run(&sweep, &sink, &s->err);
    ridge_sweep_free(&sweep);
    return ridge_session_end(&call, s, st);
}
