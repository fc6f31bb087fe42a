/* Sweeps of the public interface: the rows of a grid, handed out in order. */
#include "api/session.h"
#include "sweep/request.h"

typedef struct rows {
    ridge_sweep_fn *function;
    void *data;
    volatile sig_atomic_t stop;
} rows;

static ridge_sweep_row row_of(const ridge_sweep_block *b, const ridge_sweep_point *p)
{
    return (ridge_sweep_row){.model = b->model,
                             .machine = b->machine_id,
                             .phase = ridge_phase_names[b->phase],
                             .weights = b->weights,
                             .activations = b->activations,
                             .kv = b->kv,
                             .bound = ridge_bound_names[p->bound],
                             .batch = p->batch,
                             .seq = p->seq,
                             .past = p->past,
                             .flops = ridge_session_count(p->flops),
                             .bytes = ridge_session_count(p->bytes),
                             .memory = ridge_session_count(p->memory_bytes),
                             .time_s = p->time_s,
                             .tokens_per_s = p->tokens_per_s,
                             .fits = p->fits};
}

/* on a worker's thread: rows cross to the caller's as bytes */
static void take(void *data, unsigned thread, ridge_buf *text, const ridge_sweep_block *block)
{
    (void)data;
    (void)thread;
    for (size_t i = 0; i < block->n; i++) {
        const ridge_sweep_row row = row_of(block, &block->points[i]);
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

static void ignore_note(void *data, const char *text)
{
    (void)data;
    (void)text;
}

static ridge_status read_request(ridge_sweep_request *r, const char *model, const char *const *options, size_t count, ridge_arena *arena,
                                 ridge_err *err)
{
    ridge_sweep_words words = {0};
    ridge_status st = RIDGE_OK;
    *r = (ridge_sweep_request){0};
    ridge_predict_default(&r->predict);
    r->predict.model.model = model;
    for (size_t i = 0; i < count && !st; i++)
        st = ridge_sweep_request_set(r, &words, options[i], err);
    return st ? st : ridge_sweep_request_grid(r, &words, arena, err);
}

int ridge_model_sweep(ridge_session *s, const char *model, const char *const *options, size_t count, ridge_sweep_fn *function, void *data)
{
    rows r = {function, data, 0};
    ridge_sweep sweep = {0};
    ridge_sweep_request request;
    ridge_sweep_sink sink = {.data = &r, .take = take, .write = write_rows, .note = ignore_note, .stop = &r.stop};
    ridge_machines *machines = NULL;
    ridge_arena arena;
    ridge_status st = ridge_session_begin(s);
    ridge_arena_init(&arena);
    if (!st && !(st = read_request(&request, model, options, count, &arena, &s->err)) &&
        !(st = ridge_machines_open(&machines, NULL, 0, &s->err)) &&
        !(st = ridge_sweep_open(&sweep, s->registry, machines, &request, &s->err)))
        st = ridge_sweep_run(&sweep, &sink, &s->err);
    ridge_sweep_free(&sweep);
    ridge_machines_close(machines);
    ridge_arena_free(&arena);
    return ridge_session_finish(s, st);
}
