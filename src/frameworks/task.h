/* task.h - what every framework computes: its operands, what it must come to, its FLOPs, bytes and least time.
 * In: a request. Out: a task, and data drawn for it, in descriptors that helpers read; the reference in double precision.
 * Internal to src/frameworks. Fails as ridge_frameworks_run says. */
#ifndef RIDGE_FRAMEWORKS_TASK_H
#define RIDGE_FRAMEWORKS_TASK_H

#include "frameworks/frameworks.h"

typedef enum ridge_framework_what { RIDGE_FRAMEWORK_GEMM, RIDGE_FRAMEWORK_ATTENTION, RIDGE_FRAMEWORK_LAYER } ridge_framework_what;
extern const char *const ridge_framework_whats[]; /* "gemm", "attention", "layer", NULL */

/* operands: of gemm A, W; of attention Q, K, V; of a layer all of them */
#define RIDGE_TENSOR_LIST(X)                                                                                                               \
    X(A, "A")                                                                                                                              \
    X(W, "W")                                                                                                                              \
    X(Q, "Q")                                                                                                                              \
    X(K, "K") /* of a layer: those of the past */                                                                                          \
    X(V, "V")                                                                                                                              \
    X(INPUT, "x")                                                                                                                          \
    X(NORM1, "norm1")                                                                                                                      \
    X(WQ, "Wq")                                                                                                                            \
    X(WK, "Wk")                                                                                                                            \
    X(WV, "Wv")                                                                                                                            \
    X(WO, "Wo")                                                                                                                            \
    X(NORM2, "norm2")                                                                                                                      \
    X(WGATE, "Wgate")                                                                                                                      \
    X(WUP, "Wup")                                                                                                                          \
    X(WDOWN, "Wdown")
typedef enum ridge_tensor_name {
#define X(code, name) RIDGE_TENSOR_##code,
    RIDGE_TENSOR_LIST(X) RIDGE_TENSORS
#undef X
} ridge_tensor_name;

/* rows x cols of numbers around `middle`, with a deviation; of K and V [batch, kv_heads, keys, head_dim] */
typedef struct ridge_framework_tensor {
    ridge_tensor_name name;
    int64_t dims[4];
    unsigned rank;
    int64_t rows, cols;
    float middle, deviation;
    uint64_t offset; /* bytes, in the data */
} ridge_framework_tensor;

typedef struct ridge_framework_task {
    ridge_framework_what what;
    ridge_problem problem; /* gemm, attention: the sizes; formats are filled in for each format. layer: batch, seq, past, heads, ... */
    int64_t hidden, intermediate;
    ridge_framework_tensor tensors[RIDGE_TENSORS];
    size_t tensor_count;
    uint64_t bytes;                   /* of all tensors as fp32 */
    int64_t output_rows, output_cols; /* of the result */
} ridge_framework_task;

/* sizes are in `problem`, hidden and intermediate; LIMIT where the data are too large */
ridge_status ridge_framework_task_tensors(ridge_framework_task *task, ridge_err *err);
const ridge_framework_tensor *ridge_framework_tensor_of(const ridge_framework_task *task, ridge_tensor_name name); /* NULL: it has none */
/* does the request name a model? */
bool ridge_framework_task_is_of_model(const ridge_bench_request *request);
/* the sizes of a request that names none. USAGE */
ridge_status ridge_framework_task_sizes(ridge_framework_task *task, const ridge_frameworks_request *request, ridge_err *err);
/* those of the layer that a model has most of; *layers: how many. UNKNOWN where it is not the layer that runs here (layer.h) */
ridge_status ridge_framework_task_model(ridge_framework_task *task, int64_t *layers, const ridge_frameworks_request *request,
                                        ridge_registry *registry, ridge_arena *arena, ridge_err *err);
const char *ridge_framework_shape_json(const ridge_framework_task *task, ridge_arena *arena);
const char *ridge_framework_shape_text(const ridge_framework_task *task, ridge_arena *arena);

/* FLOPs of the catalog; bytes that cannot be avoided: gemm and attention the catalog's, a layer's weights, K, V, input and output once.
 * The least time by the machine's ceilings. */
typedef struct ridge_framework_cost {
    ridge_int flops, bytes;
    ridge_compare_sides least;
} ridge_framework_cost;
ridge_status ridge_framework_cost_of(ridge_framework_cost *out, const ridge_framework_task *task, const ridge_format *format,
                                     const ridge_machine *machine, ridge_ops *ops, ridge_arena *arena, ridge_err *err);

/* ---- layer.c ---- */

/* A kernel of the layer: y = W x, attention, a norm, ... in the order they run. */
enum { RIDGE_LAYER_PROBLEMS = 16 };
size_t ridge_framework_layer_problems(ridge_problem out[RIDGE_LAYER_PROBLEMS], const ridge_framework_task *task,
                                      const ridge_format *format);

/* ---- data.c ---- */

/* The operands as fp32, all of which the format holds exactly. A file in memory that nobody can change or shorten any more. */
typedef struct ridge_framework_data {
    int fd;
    const float *map; /* of the whole; NULL: not mapped */
    size_t bytes;
} ridge_framework_data;
ridge_status ridge_framework_data_make(ridge_framework_data *out, const ridge_framework_task *task, const ridge_format *format,
                                       ridge_err *err);
void ridge_framework_data_free(ridge_framework_data *data);
/* numbers of a descriptor, from a byte on; false: it has not so many */
bool ridge_framework_read(float *out, int fd, uint64_t at, size_t count);
/* The map, which ridge_framework_data_unmap gives back: it counts as memory of whoever holds it. */
ridge_status ridge_framework_data_map(ridge_framework_data *data, ridge_err *err);
void ridge_framework_data_unmap(ridge_framework_data *data);
const float *ridge_framework_data_of(const ridge_framework_data *data, const ridge_framework_task *task, ridge_tensor_name name);

/* ---- reference.c ---- */

/* Some rows of the result, all their columns; both ends are among them. */
typedef struct ridge_framework_reference {
    int64_t *rows;
    size_t row_count;
    double *values; /* [row_count, output_cols] */
    double scale;   /* of errors: the root of the mean square; of a layer of what it adds to its input */
} ridge_framework_reference;
/* in the arena; stops, with rows missing and an error of IO, at Ctrl-C */
ridge_status ridge_framework_reference_make(ridge_framework_reference *out, const ridge_framework_task *task,
                                            const ridge_framework_data *data, ridge_arena *arena, ridge_err *err);
/* the largest difference of result[output_rows, output_cols] over the scale; infinite where any value of it is not finite */
double ridge_framework_difference(const ridge_framework_reference *reference, const ridge_framework_task *task, const float *result);
double ridge_framework_tolerance(const ridge_framework_task *task, const ridge_format *format);

/* ---- own.c: Ridge itself ---- */

typedef struct ridge_framework_own ridge_framework_own;
/* UNKNOWN where no kernel here takes a part. *variant: the kernel, in the arena */
ridge_status ridge_framework_own_make(ridge_framework_own **out, const char **variant, const ridge_framework_task *task,
                                      const ridge_format *format, const ridge_framework_data *data, unsigned threads, ridge_arena *arena,
                                      ridge_err *err);
void ridge_framework_own_free(ridge_framework_own *own);
ridge_work ridge_framework_own_work(ridge_framework_own *own);
/* the result as fp32, into out[output_rows * output_cols] */
bool ridge_framework_own_result(float *out, const ridge_framework_own *own);

#endif
