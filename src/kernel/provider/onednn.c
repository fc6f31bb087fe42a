/* oneDNN's matmul: fp32; bf16; int8 with activations quantised here, one scale a row, and exact int32 sums. W is packed as the library
 * likes it when the run is opened. Built with its headers (Meson feature `onednn`), version 2. */
#include "kernel/provider/provider.h"

#include <stdio.h>

#ifdef RIDGE_ONEDNN
#include <dlfcn.h>
#include <math.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/codec/element.h"
#include "kernel/gemm/gemm.h"
#include "kernel/parts.h"

#define ONEDNN_FUNCTIONS(X)                                                                                                                \
    X(dnnl_version)                                                                                                                        \
    X(dnnl_set_max_cpu_isa)                                                                                                                \
    X(dnnl_engine_create)                                                                                                                  \
    X(dnnl_engine_destroy)                                                                                                                 \
    X(dnnl_stream_create)                                                                                                                  \
    X(dnnl_stream_destroy)                                                                                                                 \
    X(dnnl_stream_wait)                                                                                                                    \
    X(dnnl_memory_desc_init_by_strides)                                                                                                    \
    X(dnnl_memory_desc_init_by_tag)                                                                                                        \
    X(dnnl_memory_desc_get_size)                                                                                                           \
    X(dnnl_memory_create)                                                                                                                  \
    X(dnnl_memory_destroy)                                                                                                                 \
    X(dnnl_matmul_desc_init)                                                                                                               \
    X(dnnl_primitive_desc_create)                                                                                                          \
    X(dnnl_primitive_desc_destroy)                                                                                                         \
    X(dnnl_primitive_desc_query)                                                                                                           \
    X(dnnl_primitive_desc_query_md)                                                                                                        \
    X(dnnl_reorder_primitive_desc_create)                                                                                                  \
    X(dnnl_primitive_create)                                                                                                               \
    X(dnnl_primitive_destroy)                                                                                                              \
    X(dnnl_primitive_execute)

typedef struct onednn_library {
    void (*omp_set_num_threads)(int threads); /* libgomp's, which Debian's oneDNN runs on; NULL where it runs on something else */
#define X(name) __typeof__(&name) name;
    ONEDNN_FUNCTIONS(X)
#undef X
} onednn_library;

static const char library_name[] = "libdnnl.so.2";

/* the columns [from, to) of C, by one thread */
typedef struct onednn_part {
    int64_t from, to;
    dnnl_stream_t stream;
    dnnl_primitive_desc_t description;
    dnnl_primitive_t product;
    dnnl_memory_t a, w, c;
    void *packed; /* W as the library wants it */
    void *sums;   /* int32 [m][to - from], of int8 */
    float *row;   /* [k], of int8: a row of A on its way */
} onednn_part;

typedef struct onednn_state {
    onednn_library library;
    dnnl_engine_t engine;
    onednn_part *parts; /* [threads] */
    unsigned threads;
    bool int8;
    int8_t *a; /* int8: quantised activations [m][k] and their scales [m] */
    float *row_scales;
    ridge_gemm_matrix activations, c;
    char kernel[64];
} onednn_state;

static bool open_library(onednn_library *d)
{
    *d = (onednn_library){0};
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), *symbol;
    if (!library)
        return false;
    bool all = true;
#define X(name)                                                                                                                            \
    symbol = dlsym(library, #name);                                                                                                        \
    memcpy(&d->name, &symbol, sizeof symbol);                                                                                              \
    all = all && symbol;
    ONEDNN_FUNCTIONS(X)
#undef X
    symbol = dlsym(library, "omp_set_num_threads");
    memcpy(&d->omp_set_num_threads, &symbol, sizeof symbol);
    (void)dlclose(library); /* it stays: RTLD_NODELETE */
    return all && d->dnnl_version()->major == DNNL_VERSION_MAJOR;
}

/* The calling thread's calls run on it alone. */
static void one_thread(const onednn_library *d)
{
    if (d->omp_set_num_threads)
        d->omp_set_num_threads(1);
}

bool ridge_onednn_detail(char *out, size_t room, const ridge_kernel_run *run)
{
    onednn_library d;
    if (!open_library(&d)) {
        const char *why = dlerror();
        (void)snprintf(out, room, "%s", why ? why : "libdnnl.so.2 is of another version than it was built for");
        return false;
    }
    const dnnl_version_t *v = d.dnnl_version();
    const onednn_state *s = run ? run->state : NULL;
    (void)snprintf(out, room, "oneDNN %d.%d.%d%s%s", v->major, v->minor, v->patch, s ? ", " : "", s ? s->kernel : "");
    return true;
}

/* ---- what it takes ---- */

static bool same(const ridge_format *a, const char *name)
{
    return ridge_format_is(a, name);
}

static bool takes(const ridge_problem *p)
{
    if (p->kind != RIDGE_KERNEL_KIND_GEMM)
        return false;
    onednn_library d;
    bool bf16 = same(p->weights, "bf16") && (ridge_isa_have() & RIDGE_ISA_AVX512) != 0; /* unimplemented below */
    return p->activations == p->weights && (same(p->weights, "fp32") || bf16) && open_library(&d);
}

/* |sum| <= 127 * 128 * k must fit in 31 bits */
static bool takes_int8(const ridge_problem *p)
{
    onednn_library d;
    return p->kind == RIDGE_KERNEL_KIND_GEMM && ridge_is_activation_format(p->activations) && same(p->weights, "int8") && p->k <= 1 << 17 &&
           open_library(&d);
}

/* ---- opening ---- */

typedef struct onednn_types {
    dnnl_data_type_t a, w, c;
} onednn_types;

static onednn_types types_of(const ridge_problem *p)
{
    if (same(p->weights, "int8"))
        return (onednn_types){dnnl_s8, dnnl_s8, dnnl_s32};
    dnnl_data_type_t type = same(p->weights, "bf16") ? dnnl_bf16 : dnnl_f32;
    return (onednn_types){type, type, type};
}

/* describes A, W (in any layout) and C of a part, and the product */
static dnnl_status_t describe(onednn_state *s, onednn_part *part, const ridge_problem *p, dnnl_memory_desc_t *a, dnnl_memory_desc_t *c)
{
    const onednn_library *d = &s->library;
    onednn_types types = types_of(p);
    int64_t columns = part->to - part->from;
    dnnl_memory_desc_t any;
    dnnl_matmul_desc_t matmul;
    dnnl_status_t status = d->dnnl_memory_desc_init_by_tag(a, 2, (dnnl_dims_t){p->m, p->k}, types.a, dnnl_ab);
    if (status == dnnl_success)
        status = d->dnnl_memory_desc_init_by_tag(&any, 2, (dnnl_dims_t){p->k, columns}, types.w, dnnl_format_tag_any);
    if (status == dnnl_success)
        status =
            d->dnnl_memory_desc_init_by_strides(c, 2, (dnnl_dims_t){p->m, columns}, types.c, (dnnl_dims_t){s->int8 ? columns : p->n, 1});
    if (status == dnnl_success)
        status = d->dnnl_matmul_desc_init(&matmul, a, &any, NULL, c);
    if (status == dnnl_success)
        status = d->dnnl_primitive_desc_create(&part->description, &matmul, NULL, s->engine, NULL);
    return status;
}

/* packs the part's rows of W into part->packed */
static dnnl_status_t pack_weights(onednn_state *s, onednn_part *part, const ridge_kernel_run *run, const dnnl_memory_desc_t *wanted)
{
    const onednn_library *d = &s->library;
    const ridge_problem *p = &run->problem;
    unsigned char *rows = (unsigned char *)run->operands[0] + (size_t)part->from * (size_t)p->k * (p->weights->block_bits / 8);
    dnnl_memory_desc_t plain;
    dnnl_memory_t from = NULL;
    dnnl_primitive_desc_t description = NULL;
    dnnl_primitive_t reorder = NULL;
    dnnl_status_t status = d->dnnl_memory_desc_init_by_tag(&plain, 2, (dnnl_dims_t){p->k, part->to - part->from}, types_of(p).w, dnnl_ba);
    if (status == dnnl_success)
        status = d->dnnl_memory_create(&from, &plain, s->engine, rows);
    if (status == dnnl_success)
        status = d->dnnl_memory_create(&part->w, wanted, s->engine, part->packed);
    if (status == dnnl_success)
        status = d->dnnl_reorder_primitive_desc_create(&description, &plain, s->engine, wanted, s->engine, NULL);
    if (status == dnnl_success)
        status = d->dnnl_primitive_create(&reorder, description);
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, part->w}};
    if (status == dnnl_success)
        status = d->dnnl_primitive_execute(reorder, part->stream, 2, arguments);
    if (status == dnnl_success)
        status = d->dnnl_stream_wait(part->stream);
    (void)d->dnnl_primitive_destroy(reorder);
    (void)d->dnnl_primitive_desc_destroy(description);
    (void)d->dnnl_memory_destroy(from);
    return status;
}

static size_t round_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static dnnl_status_t open_part(onednn_state *s, onednn_part *part, ridge_kernel_run *run)
{
    const onednn_library *d = &s->library;
    const ridge_problem *p = &run->problem;
    dnnl_memory_desc_t a, c;
    dnnl_status_t status = d->dnnl_stream_create(&part->stream, s->engine, dnnl_stream_default_flags);
    if (status != dnnl_success || (status = describe(s, part, p, &a, &c)) != dnnl_success)
        return status;
    const dnnl_memory_desc_t *w = d->dnnl_primitive_desc_query_md(part->description, dnnl_query_weights_md, 0);
    size_t bytes = d->dnnl_memory_desc_get_size(w);
    part->packed = aligned_alloc(64, round_up(bytes));
    if (s->int8)
        part->sums = aligned_alloc(64, round_up(d->dnnl_memory_desc_get_size(&c)));
    if (!part->packed || (s->int8 && !part->sums))
        return dnnl_out_of_memory;
    run->packed_bytes += bytes;
    void *to = s->int8 ? part->sums : s->c.data + (size_t)part->from * s->c.block_bytes;
    status = pack_weights(s, part, run, w);
    if (status == dnnl_success)
        status = d->dnnl_memory_create(&part->a, &a, s->engine, s->int8 ? (void *)s->a : run->operands[1]);
    if (status == dnnl_success)
        status = d->dnnl_memory_create(&part->c, &c, s->engine, to);
    if (status == dnnl_success)
        status = d->dnnl_primitive_create(&part->product, part->description);
    return status;
}

static ridge_gemm_matrix plain_matrix(const ridge_kernel_run *run, size_t operand, int64_t cols)
{
    const ridge_format *format = run->problem.activations;
    size_t bytes = format->block_bits / 8;
    return (ridge_gemm_matrix){run->operands[operand], (size_t)cols * bytes, format, ridge_gemm_layout_of(format), cols, bytes, 1.0F};
}

static dnnl_status_t open_parts(onednn_state *s, ridge_kernel_run *run)
{
    dnnl_status_t status = s->library.dnnl_engine_create(&s->engine, dnnl_cpu, 0);
    for (unsigned t = 0; status == dnnl_success && t < s->threads; t++) {
        onednn_part *part = &s->parts[t];
        part->row = s->int8 ? malloc((size_t)run->problem.k * sizeof *part->row) : NULL;
        if (s->int8 && !part->row)
            return dnnl_out_of_memory;
        ridge_provider_columns(&part->from, &part->to, run->problem.n, t, s->threads);
        if (part->from < part->to)
            status = open_part(s, part, run);
        const char *name;
        if (status == dnnl_success && part->from < part->to && s->kernel[0] == '\0' &&
            s->library.dnnl_primitive_desc_query(part->description, dnnl_query_impl_info_str, 0, (void *)&name) == dnnl_success)
            (void)snprintf(s->kernel, sizeof s->kernel, "%s", name);
    }
    return status;
}

static void close_run(ridge_kernel_run *run)
{
    onednn_state *s = run->state;
    if (!s)
        return;
    const onednn_library *d = &s->library;
    for (unsigned t = 0; s->parts && t < s->threads; t++) {
        onednn_part *part = &s->parts[t];
        (void)d->dnnl_primitive_destroy(part->product);
        (void)d->dnnl_primitive_desc_destroy(part->description);
        (void)d->dnnl_memory_destroy(part->a);
        (void)d->dnnl_memory_destroy(part->w);
        (void)d->dnnl_memory_destroy(part->c);
        (void)d->dnnl_stream_destroy(part->stream);
        free(part->packed);
        free(part->sums);
        free(part->row);
    }
    (void)d->dnnl_engine_destroy(s->engine);
    free(s->parts);
    free(s->a);
    free(s->row_scales);
    free(s);
    run->state = NULL;
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    const ridge_problem *p = &run->problem;
    onednn_state *s = calloc(1, sizeof *s);
    run->state = s;
    run->packed_bytes = 0;
    if (!s || !open_library(&s->library)) {
        free(s);
        run->state = NULL;
        return ridge_fail(err, !s ? RIDGE_NOMEM : RIDGE_IO, "onednn: %s", !s ? "no memory" : "libdnnl.so.2 is not there");
    }
    s->int8 = same(p->weights, "int8");
    s->threads = run->threads > 0 ? run->threads : 1;
    s->activations = plain_matrix(run, 1, p->k);
    s->c = plain_matrix(run, 2, p->n);
    s->parts = calloc(s->threads, sizeof *s->parts);
    s->a = s->int8 ? malloc((size_t)p->m * (size_t)p->k) : NULL;
    s->row_scales = s->int8 ? malloc((size_t)p->m * sizeof(float)) : NULL;
    bool room = s->parts && (!s->int8 || (s->a && s->row_scales));
    if ((ridge_isa_have() & RIDGE_ISA_AVX512) == 0)
        (void)s->library.dnnl_set_max_cpu_isa((ridge_isa_have() & RIDGE_ISA_AVX2) != 0 ? dnnl_cpu_isa_avx2 : dnnl_cpu_isa_sse41);
    one_thread(&s->library);
    dnnl_status_t status = room ? open_parts(s, run) : dnnl_out_of_memory;
    run->phases = s->int8 ? 2 : 1;
    if (status == dnnl_success)
        return RIDGE_OK;
    close_run(run);
    return ridge_fail(err, status == dnnl_out_of_memory ? RIDGE_NOMEM : RIDGE_VALUE, "onednn: gemm %lldx%lldx%lld %s: its status is %d",
                      (long long)p->m, (long long)p->n, (long long)p->k, p->weights->name, (int)status);
}

/* ---- running ---- */

/* nearest, ties to even, for |value| <= 127: 1.5 * 2^23 leaves no bits for a fraction */
static int8_t nearest_byte(float value)
{
    return (int8_t)(uint8_t)(ridge_float_bits(value + 12582912.0F) & 255U);
}

/* rows [from, to) of A as bytes with a scale each */
static void quantise_rows(onednn_state *s, float *room, const ridge_problem *p, int64_t from, int64_t to)
{
    for (int64_t row = from; row < to; row++) {
        const float *values = ridge_gemm_values(room, &s->activations, row, 0, p->k);
        float largest = 0.0F;
        for (int64_t k = 0; k < p->k; k++)
            largest = fabsf(values[k]) > largest ? fabsf(values[k]) : largest;
        float inverse = largest > 0.0F ? 127.0F / largest : 0.0F;
        for (int64_t k = 0; k < p->k; k++)
            s->a[row * p->k + k] = nearest_byte(values[k] * inverse);
        s->row_scales[row] = largest / 127.0F;
    }
}

/* the part's int32 sums to C */
static void scale_sums(const onednn_state *s, const onednn_part *part, const ridge_kernel_run *run)
{
    int64_t columns = part->to - part->from;
    for (int64_t row = 0; row < run->problem.m; row++) {
        float scale = s->row_scales[row] * run->tensor_scales[0], *values = (float *)part->sums + row * columns;
        const int32_t *sums = (const int32_t *)part->sums + row * columns;
        for (int64_t i = 0; i < columns; i++) {
            float value = (float)sums[i] * scale;
            memcpy(&values[i], &value, sizeof value);
        }
        ridge_gemm_store(&s->c, row, part->from, values, columns);
    }
}

static void phase(const ridge_kernel_run *run, unsigned number, unsigned thread)
{
    onednn_state *s = run->state;
    onednn_part *part = &s->parts[thread];
    if (s->int8 && number == 0) {
        int64_t from, to;
        ridge_kernel_share(&from, &to, run->problem.m, thread, s->threads);
        quantise_rows(s, part->row, &run->problem, from, to);
        return;
    }
    if (part->from >= part->to)
        return;
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, part->a}, {DNNL_ARG_WEIGHTS, part->w}, {DNNL_ARG_DST, part->c}};
    one_thread(&s->library);
    (void)s->library.dnnl_primitive_execute(part->product, part->stream, 3, arguments);
    (void)s->library.dnnl_stream_wait(part->stream);
    if (s->int8)
        scale_sums(s, part, run);
}
#else
bool ridge_onednn_detail(char *out, size_t room, const ridge_kernel_run *run)
{
    (void)run;
    (void)snprintf(out, room, "built without oneDNN's headers (Meson feature onednn)");
    return false;
}

static bool takes(const ridge_problem *problem)
{
    (void)problem;
    return false;
}

static bool takes_int8(const ridge_problem *problem)
{
    return takes(problem);
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    (void)run;
    return ridge_fail(err, RIDGE_IO, "onednn: built without its headers");
}

static void phase(const ridge_kernel_run *run, unsigned number, unsigned thread)
{
    (void)run, (void)number, (void)thread;
}

static void close_run(ridge_kernel_run *run)
{
    (void)run;
}
#endif

const ridge_kernel_variant ridge_gemm_onednn = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "matmul",
    .provider = "onednn",
    .takes = takes,
    .open = open_run,
    .phase = phase,
    .close = close_run,
};

const ridge_kernel_variant ridge_gemm_onednn_int8 = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "matmul-int8",
    .provider = "onednn",
    .isa = RIDGE_ISA_AVX512_VNNI, /* without it, sums of two products saturate */
    .activation_bits = 8,
    .takes = takes_int8,
    .open = open_run,
    .phase = phase,
    .close = close_run,
};
