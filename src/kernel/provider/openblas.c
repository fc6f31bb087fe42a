/* OpenBLAS's sgemm. Its kernels are forced by what the CPU can do: a release older than a CPU may not know its model number, take
 * kernels for another, and run at a fraction of the rate. The choice is read from the environment while the library is opened. */
#include "kernel/provider/provider.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char library_name[] = "libopenblas.so.0";
static const char core_variable[] = "OPENBLAS_CORETYPE", threads_variable[] = "OPENBLAS_NUM_THREADS";

/* cblas.h: CblasRowMajor, CblasNoTrans, CblasTrans */
enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };

typedef struct openblas_library {
    void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb,
                  float beta, float *c, int ldc);
    void (*set_threads)(int threads);
    char *(*config)(void);
    char *(*core)(void);
} openblas_library;

static void find(void *function, size_t bytes, void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, bytes);
}

/* A variable set while something runs, unless the user has set it; true: it was, and unset_variable is due. */
static bool set_variable(const char *name, const char *value)
{
    return value && !getenv(name) && setenv(name, value, 1) == 0;
}

static const char *core_type(void)
{
    unsigned have = ridge_isa_have();
    return (have & RIDGE_ISA_AVX512) != 0 ? "SkylakeX" : (have & RIDGE_ISA_AVX2) != 0 ? "Haswell" : NULL;
}

void ridge_provider_settle(void)
{
    (void)set_variable(core_variable, core_type());
    (void)set_variable(threads_variable, "1");
}

static bool open_library(openblas_library *b)
{
    bool core = set_variable(core_variable, core_type()), threads = set_variable(threads_variable, "1");
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (core)
        (void)unsetenv(core_variable);
    if (threads)
        (void)unsetenv(threads_variable);
    *b = (openblas_library){0};
    if (!library)
        return false;
    find(&b->sgemm, sizeof b->sgemm, library, "cblas_sgemm");
    find(&b->set_threads, sizeof b->set_threads, library, "openblas_set_num_threads");
    find(&b->config, sizeof b->config, library, "openblas_get_config");
    find(&b->core, sizeof b->core, library, "openblas_get_corename");
    (void)dlclose(library); /* it stays: RTLD_NODELETE */
    return b->sgemm && b->set_threads && b->config && b->core;
}

bool ridge_openblas_detail(char *out, size_t room, const ridge_kernel_run *run)
{
    openblas_library b;
    (void)run;
    if (!open_library(&b)) {
        const char *why = dlerror();
        (void)snprintf(out, room, "%s", why ? why : "libopenblas.so.0 lacks cblas_sgemm");
        return false;
    }
    const char *wanted = core_type();
    (void)snprintf(out, room, "%s; kernels for %s%s", b.config(), b.core(),
                   wanted && strcmp(wanted, b.core()) != 0 ? ", not as wanted: set or opened before" : "");
    return true;
}

static bool is_fp32(const ridge_format *format)
{
    return format && strcmp(format->name, "fp32") == 0;
}

static bool takes(const ridge_problem *p)
{
    openblas_library b;
    return p->kind == RIDGE_KERNEL_KIND_GEMM && is_fp32(p->weights) && is_fp32(p->activations) && p->m <= INT_MAX && p->n <= INT_MAX &&
           p->k <= INT_MAX && open_library(&b);
}

static void phase(const ridge_kernel_run *run, unsigned number, unsigned thread)
{
    const openblas_library *b = run->state;
    const ridge_problem *p = &run->problem;
    int64_t from, to;
    (void)number;
    ridge_provider_columns(&from, &to, p->n, thread, run->threads);
    if (from < to)
        b->sgemm(ROW_MAJOR, NO_TRANS, TRANS, (int)p->m, (int)(to - from), (int)p->k, 1.0F, run->operands[1], (int)p->k,
                 (const float *)run->operands[0] + from * p->k, (int)p->k, 0.0F, (float *)run->operands[2] + from, (int)p->n);
}

static ridge_status open_run(ridge_kernel_run *run, ridge_err *err)
{
    openblas_library *b = malloc(sizeof *b);
    if (!b)
        return ridge_fail(err, RIDGE_NOMEM, "openblas: no memory");
    if (!open_library(b)) {
        free(b);
        return ridge_fail(err, RIDGE_IO, "openblas: %s is not there, or not as expected", library_name);
    }
    b->set_threads(1);
    run->state = b;
    run->phases = 1;
    run->packed_bytes = 0;
    return RIDGE_OK;
}

static void close_run(ridge_kernel_run *run)
{
    free(run->state);
    run->state = NULL;
}

const ridge_kernel_variant ridge_gemm_openblas = {
    .kind = RIDGE_KERNEL_KIND_GEMM,
    .name = "sgemm",
    .provider = "openblas",
    .takes = takes,
    .open = open_run,
    .phase = phase,
    .close = close_run,
};
