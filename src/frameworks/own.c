/* Ridge's own side: its best kernels, one after the other in one work, from and to buffers in the format (task.h). */
#include <stdlib.h>

#include "frameworks/task.h"
#include "kernel/codec/element.h"

/* STAGES: of a layer, RoPE once for each sequence; PHASES: of all stages together */
enum { PHASES_MOST = 4096, OPERANDS = RIDGE_PROBLEM_OPERANDS };

typedef struct buffer {
    void *p;
    size_t bytes;
    int64_t rows, cols;
} buffer;

/* what lies between the operands and the result of a layer */
#define BUFFER_LIST(X) X(H1) X(Q) X(K) X(V) X(QR) X(KR) X(KC) X(VC) X(O) X(P) X(X1) X(H2) X(GATE) X(UP) X(SILU) X(GATED) X(DOWN) X(RESULT)
typedef enum buffer_name {
    BUFFERS_OF_TENSORS = RIDGE_TENSORS - 1,
#define X(code) B_##code,
    BUFFER_LIST(X) BUFFERS
#undef X
} buffer_name;

typedef struct stage stage;
/* a kernel's run, or a function of our own */
struct stage {
    ridge_kernel_run run;
    bool open;
    void (*own)(const ridge_framework_own *own, unsigned thread);
};

struct ridge_framework_own {
    const ridge_framework_task *task;
    const ridge_format *format;
    unsigned threads;
    buffer buffers[BUFFERS];
    stage *stages;
    size_t stage_count, stage_cap;
    uint16_t stage_of[PHASES_MOST], phase_of[PHASES_MOST];
    unsigned phases;
    const char *variant;
    ridge_arena *arena;
    ridge_err *err;
};

/* ---- buffers ---- */

static bool is_bf16(const ridge_framework_own *own)
{
    return strcmp(own->format->name, "bf16") == 0;
}

static size_t element(const ridge_framework_own *own)
{
    return own->format->block_bits / 8;
}

static ridge_status make_buffer(ridge_framework_own *own, size_t at, int64_t rows, int64_t cols)
{
    buffer *b = &own->buffers[at];
    bool huge;
    *b = (buffer){.bytes = ((size_t)rows * (size_t)cols * element(own) + 63) / 64 * 64, .rows = rows, .cols = cols};
    if (!(b->p = ridge_buffer_make(b->bytes, &huge)))
        return ridge_fail(own->err, RIDGE_NOMEM, "no memory for %.4g GiB of operands", (double)b->bytes / (1 << 30));
    return RIDGE_OK;
}

/* Read, not mapped: a map would count as memory of this process. */
static ridge_status fill_operand(ridge_framework_own *own, const ridge_framework_tensor *t, int fd)
{
    float *row = malloc((size_t)t->cols * sizeof *row);
    const size_t bytes = (size_t)t->cols * element(own);
    ridge_status st = row ? make_buffer(own, t->name, t->rows, t->cols) : ridge_no_memory(own->err);
    for (int64_t r = 0; r < t->rows && !st; r++) {
        char *to = (char *)own->buffers[t->name].p + (size_t)r * bytes;
        if (!ridge_framework_read(row, fd, t->offset + (uint64_t)r * (uint64_t)t->cols * sizeof *row, (size_t)t->cols) ||
            !ridge_quantise_row(to, own->format, row, t->cols, 1))
            st = ridge_fail(own->err, RIDGE_IO, "the operands cannot be read");
    }
    free(row);
    return st;
}

/* ---- stages ---- */

static stage *add_stage(ridge_framework_own *own)
{
    if (own->stage_count == own->stage_cap)
        return NULL;
    stage *s = &own->stages[own->stage_count++];
    *s = (stage){.open = false};
    return s;
}

static ridge_status add_phases(ridge_framework_own *own, unsigned count)
{
    if (own->phases + count > PHASES_MOST)
        return ridge_fail(own->err, RIDGE_LIMIT, "too many steps for one run");
    for (unsigned i = 0; i < count; i++) {
        own->stage_of[own->phases] = (uint16_t)(own->stage_count - 1);
        own->phase_of[own->phases++] = (uint16_t)i;
    }
    return RIDGE_OK;
}

/* Ridge's own variant that is expected best */
static ridge_status find_variant(const ridge_kernel_variant **out, ridge_framework_own *own, const ridge_problem *p)
{
    const ridge_kernel_variant *const *all;
    size_t count;
    ridge_status st = ridge_kernel_variants(&all, &count, p, own->arena, own->err);
    *out = NULL;
    for (size_t i = 0; i < count && !st && !*out; i++)
        if (strcmp(all[i]->provider, "ridge") == 0)
            *out = all[i];
    return st || *out
               ? st
               : ridge_fail(own->err, RIDGE_UNKNOWN, "no kernel here runs %s in %s", ridge_kernel_kind_names[p->kind], own->format->name);
}

/* a kernel on operands[], in the order of ridge_problem_operands */
static ridge_status add_kernel(ridge_framework_own *own, const ridge_problem *p, void *const operands[OPERANDS])
{
    const ridge_kernel_variant *v;
    ridge_status st = find_variant(&v, own, p);
    stage *s = st ? NULL : add_stage(own);
    if (st || !s)
        return st ? st : ridge_no_memory(own->err);
    s->run = (ridge_kernel_run){.variant = v, .problem = *p, .threads = own->threads, .phases = 1};
    memcpy(s->run.operands, operands, sizeof s->run.operands);
    for (size_t i = 0; i < OPERANDS; i++)
        s->run.tensor_scales[i] = 1;
    if ((st = v->open(&s->run, own->err)))
        return st;
    s->open = true;
    if (!own->variant || p->kind == RIDGE_KERNEL_KIND_ATTENTION)
        own->variant = v->name;
    return add_phases(own, s->run.phases);
}

static ridge_status add_own(ridge_framework_own *own, void (*f)(const ridge_framework_own *own, unsigned thread))
{
    stage *s = add_stage(own);
    if (!s)
        return ridge_no_memory(own->err);
    s->own = f;
    return add_phases(own, 1);
}

static void *at(const ridge_framework_own *own, size_t name)
{
    return own->buffers[name].p;
}

/* kernels with up to four operands */
static ridge_status add(ridge_framework_own *own, const ridge_problem *p, size_t a, size_t b, size_t c, size_t d)
{
    void *operands[OPERANDS] = {at(own, a), at(own, b), c < BUFFERS ? at(own, c) : NULL, d < BUFFERS ? at(own, d) : NULL};
    return add_kernel(own, p, operands);
}

/* ---- what no kernel does ---- */

static void share(int64_t *begin, int64_t *end, const ridge_framework_own *own, int64_t count, unsigned thread)
{
    *begin = count * thread / own->threads;
    *end = count * (thread + 1) / own->threads;
}

/* new keys (turned) and values [batch * seq, kv_heads * head_dim] to their places in the caches [batch, kv_heads, kept, head_dim] */
static void keep(const ridge_framework_own *own, unsigned thread)
{
    const ridge_problem *p = &own->task->problem;
    const size_t row = (size_t)p->head_dim * element(own);
    const int64_t kept = p->past + p->seq;
    int64_t begin, end;
    share(&begin, &end, own, p->batch * p->seq * p->kv_heads, thread);
    for (int64_t i = begin; i < end; i++) {
        const int64_t head = i % p->kv_heads, token = i / p->kv_heads % p->seq, sequence = i / p->kv_heads / p->seq;
        const size_t to = (size_t)((sequence * p->kv_heads + head) * kept + p->past + token) * row;
        memcpy((char *)at(own, B_KC) + to, (const char *)at(own, B_KR) + (size_t)i * row, row);
        memcpy((char *)at(own, B_VC) + to, (const char *)at(own, B_V) + (size_t)i * row, row);
    }
}

/* gate, after its SiLU, times up */
static void multiply(const ridge_framework_own *own, unsigned thread)
{
    int64_t begin, end;
    share(&begin, &end, own, own->buffers[B_GATED].rows * own->buffers[B_GATED].cols, thread);
    if (is_bf16(own)) {
        const uint16_t *a = at(own, B_SILU), *b = at(own, B_UP);
        uint16_t *out = at(own, B_GATED);
        for (int64_t i = begin; i < end; i++)
            out[i] = ridge_float_to_bf16(ridge_bf16_to_float(a[i]) * ridge_bf16_to_float(b[i]));
    } else {
        const float *a = at(own, B_SILU), *b = at(own, B_UP);
        float *out = at(own, B_GATED);
        for (int64_t i = begin; i < end; i++)
            out[i] = a[i] * b[i];
    }
}

/* ---- a layer ---- */

static ridge_status make_between(ridge_framework_own *own)
{
    const ridge_framework_task *t = own->task;
    const ridge_problem *p = &t->problem;
    const int64_t rows = p->batch * p->seq, q = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim, kept = p->past + p->seq;
    const struct {
        buffer_name name;
        int64_t rows, cols;
    } list[] = {{B_H1, rows, t->hidden},
                {B_Q, rows, q},
                {B_K, rows, kv},
                {B_V, rows, kv},
                {B_QR, rows, q},
                {B_KR, rows, kv},
                {B_KC, p->batch * kept, kv},
                {B_VC, p->batch * kept, kv},
                {B_O, rows, q},
                {B_P, rows, t->hidden},
                {B_X1, rows, t->hidden},
                {B_H2, rows, t->hidden},
                {B_GATE, rows, t->intermediate},
                {B_UP, rows, t->intermediate},
                {B_SILU, rows, t->intermediate},
                {B_GATED, rows, t->intermediate},
                {B_DOWN, rows, t->hidden},
                {B_RESULT, rows, t->hidden}};
    ridge_status st = RIDGE_OK;
    for (size_t i = 0; i < sizeof list / sizeof *list && !st; i++)
        st = make_buffer(own, list[i].name, list[i].rows, list[i].cols);
    return st;
}

/* the caches begin with the past */
static void copy_past(ridge_framework_own *own)
{
    const ridge_problem *p = &own->task->problem;
    const size_t row = (size_t)p->head_dim * element(own), past = (size_t)p->past * row, kept = past + (size_t)p->seq * row;
    for (int64_t i = 0; i < p->batch * p->kv_heads && past > 0; i++) {
        memcpy((char *)at(own, B_KC) + (size_t)i * kept, (const char *)at(own, RIDGE_TENSOR_K) + (size_t)i * past, past);
        memcpy((char *)at(own, B_VC) + (size_t)i * kept, (const char *)at(own, RIDGE_TENSOR_V) + (size_t)i * past, past);
    }
    for (unsigned i = RIDGE_TENSOR_K; i <= RIDGE_TENSOR_V && past > 0; i++) {
        ridge_buffer_free(own->buffers[i].p, own->buffers[i].bytes);
        own->buffers[i].p = NULL;
    }
}

/* positions count anew in each sequence */
static ridge_status add_rope(ridge_framework_own *own, const ridge_problem *whole, buffer_name from, buffer_name to)
{
    const ridge_problem *p = &own->task->problem;
    const size_t each = (size_t)(p->seq * whole->heads * whole->head_dim) * element(own);
    ridge_problem one = *whole;
    ridge_status st = RIDGE_OK;
    one.rows = p->seq;
    if (p->batch > 1 && each % 64 != 0)
        return ridge_fail(own->err, RIDGE_UNKNOWN, "no kernel here turns heads of sequences that are no multiple of 64 bytes");
    for (int64_t i = 0; i < p->batch && !st; i++) {
        void *operands[OPERANDS] = {(char *)at(own, from) + (size_t)i * each, (char *)at(own, to) + (size_t)i * each};
        st = add_kernel(own, &one, operands);
    }
    return st;
}

/* which operands the kernels of ridge_framework_layer_problems have; RoPE and the product of gate and up are added otherwise */
static const struct layer_step {
    size_t a, b, c, d;
} layer_steps[RIDGE_LAYER_PROBLEMS] = {
    {RIDGE_TENSOR_INPUT, RIDGE_TENSOR_NORM1, B_H1, BUFFERS},
    {RIDGE_TENSOR_WQ, B_H1, B_Q, BUFFERS},
    {RIDGE_TENSOR_WK, B_H1, B_K, BUFFERS},
    {RIDGE_TENSOR_WV, B_H1, B_V, BUFFERS},
    {B_Q, B_QR, BUFFERS, BUFFERS},
    {B_K, B_KR, BUFFERS, BUFFERS},
    {B_QR, B_KC, B_VC, B_O},
    {RIDGE_TENSOR_WO, B_O, B_P, BUFFERS},
    {RIDGE_TENSOR_INPUT, B_P, B_X1, BUFFERS},
    {B_X1, RIDGE_TENSOR_NORM2, B_H2, BUFFERS},
    {RIDGE_TENSOR_WGATE, B_H2, B_GATE, BUFFERS},
    {RIDGE_TENSOR_WUP, B_H2, B_UP, BUFFERS},
    {B_GATE, B_SILU, BUFFERS, BUFFERS},
    {B_SILU, B_UP, B_GATED, BUFFERS},
    {RIDGE_TENSOR_WDOWN, B_GATED, B_DOWN, BUFFERS},
    {B_X1, B_DOWN, B_RESULT, BUFFERS},
};

static ridge_status add_layer(ridge_framework_own *own)
{
    ridge_problem problems[RIDGE_LAYER_PROBLEMS];
    const size_t n = ridge_framework_layer_problems(problems, own->task, own->format);
    ridge_status st = make_between(own);
    if (!st)
        copy_past(own);
    for (size_t i = 0; i < n && !st; i++) {
        const struct layer_step *s = &layer_steps[i];
        if (problems[i].kind == RIDGE_KERNEL_KIND_ROPE)
            st = add_rope(own, &problems[i], (buffer_name)s->a, (buffer_name)s->b);
        else if (s->c == B_GATED)
            st = add_own(own, multiply);
        else if (problems[i].kind == RIDGE_KERNEL_KIND_ATTENTION && (st = add_own(own, keep)))
            break;
        else
            st = add(own, &problems[i], s->a, s->b, s->c, s->d);
    }
    return st;
}

static ridge_status add_single(ridge_framework_own *own)
{
    ridge_problem p = own->task->problem;
    ridge_status st = make_buffer(own, B_RESULT, own->task->output_rows, own->task->output_cols);
    p.weights = p.activations = own->format;
    if (st)
        return st;
    return own->task->what == RIDGE_FRAMEWORK_GEMM ? add(own, &p, RIDGE_TENSOR_W, RIDGE_TENSOR_A, B_RESULT, BUFFERS)
                                                   : add(own, &p, RIDGE_TENSOR_Q, RIDGE_TENSOR_K, RIDGE_TENSOR_V, B_RESULT);
}

/* ---- the whole ---- */

ridge_status ridge_framework_own_make(ridge_framework_own **out, const char **variant, const ridge_framework_task *task,
                                      const ridge_format *format, const ridge_framework_data *data, unsigned threads, ridge_arena *arena,
                                      ridge_err *err)
{
    ridge_framework_own *own = *out = calloc(1, sizeof *own);
    if (!own)
        return ridge_no_memory(err);
    own->task = task;
    own->format = format;
    own->threads = threads;
    own->arena = arena;
    own->err = err;
    /* a variant may remember where its run is: they never move */
    own->stage_cap = RIDGE_LAYER_PROBLEMS + 2 + 2 * (size_t)task->problem.batch;
    own->stages = ridge_arena_array(arena, own->stage_cap, sizeof *own->stages);
    ridge_status st = own->stages ? RIDGE_OK : ridge_no_memory(err);
    for (size_t i = 0; i < task->tensor_count && !st; i++)
        st = fill_operand(own, &task->tensors[i], data->fd);
    if (!st)
        st = task->what == RIDGE_FRAMEWORK_LAYER ? add_layer(own) : add_single(own);
    *variant = own->variant ? own->variant : "";
    if (st) {
        ridge_framework_own_free(own);
        *out = NULL;
    }
    return st;
}

void ridge_framework_own_free(ridge_framework_own *own)
{
    if (!own)
        return;
    for (size_t i = 0; i < own->stage_count; i++)
        if (own->stages[i].open && own->stages[i].run.variant->close)
            own->stages[i].run.variant->close(&own->stages[i].run);
    for (size_t i = 0; i < BUFFERS; i++)
        if (own->buffers[i].p)
            ridge_buffer_free(own->buffers[i].p, own->buffers[i].bytes);
    free(own);
}

static void run_phase(void *context, unsigned phase, unsigned thread, uint64_t call)
{
    const ridge_framework_own *own = context;
    const stage *s = &own->stages[own->stage_of[phase]];
    (void)call;
    if (s->own)
        s->own(own, thread);
    else
        s->run.variant->phase(&s->run, own->phase_of[phase], thread);
}

ridge_work ridge_framework_own_work(ridge_framework_own *own)
{
    return (ridge_work){run_phase, own, own->phases};
}

bool ridge_framework_own_result(float *out, const ridge_framework_own *own)
{
    const buffer *b = &own->buffers[B_RESULT];
    bool ok = true;
    for (int64_t r = 0; r < b->rows && ok; r++)
        ok = ridge_dequantise_row(out + r * b->cols, own->format, (const char *)b->p + (size_t)r * (size_t)b->cols * element(own), b->cols,
                                  1);
    return ok;
}
