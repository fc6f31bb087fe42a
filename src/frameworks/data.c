/* The operands, drawn once and read by all (task.h). */
#include "frameworks/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* numbers at a time, a multiple of every block */
enum { PIECE = 1 << 16 };

static ridge_status fail(ridge_err *err)
{
    char reason[96];
    return ridge_fail(err, errno == ENOMEM || errno == ENOSPC ? RIDGE_NOMEM : RIDGE_IO, "no memory for the operands: %s",
                      strerror_r(errno, reason, sizeof reason));
}

static bool write_all(int fd, const void *from, size_t bytes, uint64_t at)
{
    for (const char *p = from; bytes > 0;) {
        ssize_t wrote = pwrite(fd, p, bytes, (off_t)at);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        p += wrote;
        at += (uint64_t)wrote;
        bytes -= (size_t)wrote;
    }
    return true;
}

bool ridge_framework_read(float *out, int fd, uint64_t at, size_t count)
{
    const size_t bytes = count * sizeof *out;
    for (size_t n = 0; n < bytes;) {
        ssize_t got = pread(fd, (char *)out + n, bytes - n, (off_t)(at + n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        n += (size_t)got;
    }
    return true;
}

/* One piece: normal numbers, moved and stretched, then rounded to the format, so that all frameworks begin with equal ones. */
static bool write_piece(int fd, const ridge_framework_tensor *t, const ridge_format *f, float *values, void *coded, size_t count,
                        uint64_t at)
{
    ridge_fill_normal(values, count, (uint64_t)t->name * 0x9e3779b97f4a7c15u + at);
    for (size_t i = 0; i < count; i++)
        values[i] = t->middle + t->deviation * values[i];
    if (!ridge_quantise_row(coded, f, values, (int64_t)count, 1) || !ridge_dequantise_row(values, f, coded, (int64_t)count, 1))
        return false;
    return write_all(fd, values, count * sizeof *values, t->offset + at * sizeof *values);
}

static bool write_tensor(int fd, const ridge_framework_tensor *t, const ridge_format *f, float *values, void *coded)
{
    const uint64_t count = (uint64_t)t->rows * (uint64_t)t->cols;
    for (uint64_t at = 0; at < count && ridge_measure_interrupted == 0; at += PIECE)
        if (!write_piece(fd, t, f, values, coded, count - at < PIECE ? (size_t)(count - at) : PIECE, at))
            return false;
    return true;
}

ridge_status ridge_framework_data_make(ridge_framework_data *out, const ridge_framework_task *task, const ridge_format *f, ridge_err *err)
{
    float *values = malloc(PIECE * sizeof *values);
    void *coded = malloc(PIECE * sizeof *values);
    *out = (ridge_framework_data){.fd = -1, .bytes = task->bytes};
    bool ok = values && coded && (out->fd = memfd_create("ridge-operands", MFD_CLOEXEC | MFD_ALLOW_SEALING)) >= 0 &&
              ftruncate(out->fd, (off_t)task->bytes) == 0;
    for (size_t i = 0; i < task->tensor_count && ok; i++)
        ok = write_tensor(out->fd, &task->tensors[i], f, values, coded);
    ok = ok && fcntl(out->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
    ridge_status st = ok ? RIDGE_OK : fail(err);
    free(values);
    free(coded);
    if (st)
        ridge_framework_data_free(out);
    return st;
}

ridge_status ridge_framework_data_map(ridge_framework_data *data, ridge_err *err)
{
    void *map = mmap(NULL, data->bytes, PROT_READ, MAP_PRIVATE, data->fd, 0);
    if (map == MAP_FAILED)
        return fail(err);
    data->map = map;
    return RIDGE_OK;
}

void ridge_framework_data_unmap(ridge_framework_data *data)
{
    if (data->map)
        (void)munmap((void *)(uintptr_t)data->map, data->bytes);
    data->map = NULL;
}

void ridge_framework_data_free(ridge_framework_data *data)
{
    ridge_framework_data_unmap(data);
    if (data->fd >= 0)
        (void)close(data->fd);
    data->fd = -1;
}

const float *ridge_framework_data_of(const ridge_framework_data *data, const ridge_framework_task *task, ridge_tensor_name name)
{
    const ridge_framework_tensor *t = ridge_framework_tensor_of(task, name);
    return t ? data->map + t->offset / sizeof(float) : NULL;
}
