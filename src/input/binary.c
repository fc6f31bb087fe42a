#include "input/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

ridge_status ridge_binary_open(ridge_binary *out, const char *path, ridge_arena *arena, ridge_err *err)
{
    struct stat info;
    *out = (ridge_binary){.path = path, .fd = -1};
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) /* not even opened: whoever writes into a pipe would lose it */
        return ridge_fail(err, RIDGE_IO, "cannot read %s: not a regular file", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe that nobody writes would wait for ever */
    if (fd < 0)
        return ridge_file_fail(err, "read", path, errno);
    ridge_status st = RIDGE_OK;
    if (fstat(fd, &info) != 0)
        st = ridge_file_fail(err, "read", path, errno);
    else if (!S_ISREG(info.st_mode))
        st = ridge_fail(err, RIDGE_IO, "cannot read %s: not a regular file", path);
    else if (!(out->window = ridge_arena_alloc(arena, RIDGE_BINARY_WINDOW)))
        st = ridge_no_memory(err);
    if (st) {
        close(fd);
        return st;
    }
    out->fd = fd;
    out->size = out->here = (uint64_t)info.st_size;
    return RIDGE_OK;
}

void ridge_binary_memory(ridge_binary *out, const char *path, ridge_str bytes)
{
    ridge_binary_head(out, path, bytes, bytes.n);
}

void ridge_binary_head(ridge_binary *out, const char *path, ridge_str bytes, uint64_t size)
{
    *out = (ridge_binary){.path = path, .fd = -1, .size = size, .here = bytes.n, .memory_bytes = (const unsigned char *)bytes.p};
}

ridge_status ridge_binary_part(ridge_binary *out, const ridge_cursor *of, const char *path, ridge_arena *arena, ridge_err *err)
{
    const ridge_binary *file = of->file;
    const uint64_t before = of->at < file->here ? of->at : file->here, rest = file->here - before;
    *out = (ridge_binary){.path = path, .fd = file->fd, .size = of->end - of->at, .base = file->base + of->at};
    out->here = out->size < rest ? out->size : rest;
    if (file->memory_bytes) {
        out->memory_bytes = file->memory_bytes + before;
        return RIDGE_OK;
    }
    out->window = ridge_arena_alloc(arena, RIDGE_BINARY_WINDOW);
    return out->window ? RIDGE_OK : ridge_no_memory(err);
}

void ridge_binary_close(ridge_binary *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* as pread(2) for all n bytes; *got is less than n at the end of the file */
static ridge_status read_at(size_t *got, const ridge_binary *file, void *to, uint64_t offset, size_t n, ridge_err *err)
{
    for (*got = 0; *got < n;) {
        ssize_t more = pread(file->fd, (char *)to + *got, n - *got, (off_t)(file->base + offset + *got));
        if (more < 0 && errno != EINTR)
            return ridge_file_fail(err, "read", file->path, errno);
        if (more == 0)
            break;
        *got += more > 0 ? (size_t)more : 0;
    }
    return RIDGE_OK;
}

static ridge_status ends_early(const ridge_binary *file, uint64_t offset, size_t n, ridge_err *err)
{
    return ridge_fail(err, RIDGE_IO, "%s: %zu bytes are wanted at byte %" PRIu64 ", and the file ends at %" PRIu64, file->path, n, offset,
                      file->size);
}

enum { ELSEWHERE = 1 << 12 };

/* A small read comes out of the window, which is filled from its place on: a little of it where the read is somewhere else than the last
 * one, as behind bytes that were skipped, all of it where the reader goes on. */
static ridge_status read_window(ridge_binary *file, void *to, uint64_t offset, size_t n, ridge_err *err)
{
    const bool there = n <= file->window_size && offset >= file->window_at && offset - file->window_at <= file->window_size - n;
    if (!there) {
        const bool goes_on = offset >= file->window_at && offset - file->window_at <= file->window_size;
        const size_t room = goes_on || n > ELSEWHERE ? RIDGE_BINARY_WINDOW : ELSEWHERE;
        file->window_at = offset;
        ridge_status st = read_at(&file->window_size, file, file->window, offset, room, err);
        if (st || file->window_size < n) {
            file->window_size = 0;
            return st ? st : ends_early(file, offset, n, err);
        }
    }
    memcpy(to, file->window + (offset - file->window_at), n);
    return RIDGE_OK;
}

static bool is_here(const ridge_binary *file, uint64_t offset, size_t n)
{
    return offset <= file->here && n <= file->here - offset;
}

ridge_status ridge_binary_read(ridge_binary *file, void *to, uint64_t offset, size_t n, ridge_err *err)
{
    size_t got;
    ridge_status st = RIDGE_OK;
    if (offset > file->size || n > file->size - offset)
        return ends_early(file, offset, n, err);
    if (n == 0)
        return RIDGE_OK;
    if (!is_here(file, offset, n) && file->more && (st = file->more(file, offset + n, err)))
        return st;
    if (!is_here(file, offset, n))
        return ridge_fail(err, RIDGE_IO, "%s: %zu bytes are wanted at byte %" PRIu64 ", and only the first %" PRIu64 " are here",
                          file->path, n, offset, file->here);
    file->read_to = offset + n > file->read_to ? offset + n : file->read_to;
    if (file->memory_bytes) {
        memcpy(to, file->memory_bytes + offset, n);
        return RIDGE_OK;
    }
    if (n <= RIDGE_BINARY_WINDOW / 4)
        return read_window(file, to, offset, n, err);
    st = read_at(&got, file, to, offset, n, err);
    return st || got == n ? st : ends_early(file, offset, n, err);
}

/* ---- the cursor ---- */

ridge_cursor ridge_cursor_all(ridge_binary *file)
{
    return (ridge_cursor){file, 0, file->size};
}

uint64_t ridge_cursor_left(const ridge_cursor *c)
{
    return c->end - c->at;
}

static ridge_status need(const ridge_cursor *c, uint64_t n, const char *what, ridge_err *err)
{
    if (n <= ridge_cursor_left(c))
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_SYNTAX,
                      "%s: ends at byte %" PRIu64 " inside %s, which begins at byte %" PRIu64 " and has %" PRIu64 " bytes", c->file->path,
                      c->end, what, c->at, n);
}

/* n bytes as a little-endian number */
static ridge_status number(uint64_t *out, ridge_cursor *c, size_t n, const char *what, ridge_err *err)
{
    unsigned char bytes[8];
    ridge_status st = need(c, n, what, err);
    if (st || (st = ridge_binary_read(c->file, bytes, c->at, n, err)))
        return st;
    *out = 0;
    for (size_t i = n; i-- > 0;)
        *out = *out << 8 | bytes[i];
    c->at += n;
    return RIDGE_OK;
}

ridge_status ridge_cursor_u8(uint8_t *out, ridge_cursor *c, const char *what, ridge_err *err)
{
    uint64_t v = 0;
    ridge_status st = number(&v, c, 1, what, err);
    *out = (uint8_t)v;
    return st;
}

ridge_status ridge_cursor_u16(uint16_t *out, ridge_cursor *c, const char *what, ridge_err *err)
{
    uint64_t v = 0;
    ridge_status st = number(&v, c, 2, what, err);
    *out = (uint16_t)v;
    return st;
}

ridge_status ridge_cursor_u32(uint32_t *out, ridge_cursor *c, const char *what, ridge_err *err)
{
    uint64_t v = 0;
    ridge_status st = number(&v, c, 4, what, err);
    *out = (uint32_t)v;
    return st;
}

ridge_status ridge_cursor_u64(uint64_t *out, ridge_cursor *c, const char *what, ridge_err *err)
{
    *out = 0;
    return number(out, c, 8, what, err);
}

ridge_status ridge_cursor_text(ridge_str *out, ridge_cursor *c, uint64_t n, size_t limit, const char *what, ridge_arena *arena,
                               ridge_err *err)
{
    ridge_status st = need(c, n, what, err);
    if (st)
        return st;
    if (n > limit)
        return ridge_fail(err, RIDGE_LIMIT, "%s: %s at byte %" PRIu64 " has %" PRIu64 " bytes; at most %zu are read", c->file->path, what,
                          c->at, n, limit);
    char *text = ridge_arena_alloc(arena, (size_t)n + 1);
    if (!text)
        return ridge_no_memory(err);
    if ((st = ridge_binary_read(c->file, text, c->at, (size_t)n, err)))
        return st;
    *out = (ridge_str){text, (size_t)n};
    c->at += n;
    return RIDGE_OK;
}

ridge_status ridge_cursor_skip(ridge_cursor *c, uint64_t n, const char *what, ridge_err *err)
{
    ridge_status st = need(c, n, what, err);
    c->at += st ? 0 : n;
    return st;
}

ridge_status ridge_cursor_part(ridge_cursor *out, ridge_cursor *c, uint64_t n, const char *what, ridge_err *err)
{
    ridge_status st = need(c, n, what, err);
    if (st)
        return st;
    *out = (ridge_cursor){c->file, c->at, c->at + n};
    c->at += n;
    return RIDGE_OK;
}
