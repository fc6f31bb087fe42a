/* Built with SQLite's headers (Meson feature `sqlite`); libsqlite3.so.0 is opened at run time, so that a program that stores nothing
 * does not load it. It stays loaded: it keeps memory of its own. */
#include "measure/store_sql.h"

#if __has_include("ridge_build.h") /* made by meson: RIDGE_SQLITE */
#include "ridge_build.h"
#endif

#ifdef RIDGE_SQLITE
#include <dlfcn.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LIBRARY "libsqlite3.so.0"
enum {
    WAIT_MS = 10000,
    LENGTH_MOST = 64 << 20, /* bytes of a value; what Ridge writes has a few kilobytes */
    STEPS = 10000           /* so often it is looked at them */
};
/* Some seconds of SQLite alone. Reading 100,000 runs of a row takes a tenth of it; a store whose index was taken away, hours. */
#define STEPS_MOST INT64_C(300000000)

#define SQLITE_FUNCTIONS(X)                                                                                                                \
    X(sqlite3_open_v2)                                                                                                                     \
    X(sqlite3_close)                                                                                                                       \
    X(sqlite3_limit)                                                                                                                       \
    X(sqlite3_progress_handler)                                                                                                            \
    X(sqlite3_busy_timeout)                                                                                                                \
    X(sqlite3_exec)                                                                                                                        \
    X(sqlite3_errmsg)                                                                                                                      \
    X(sqlite3_errcode)                                                                                                                     \
    X(sqlite3_system_errno)                                                                                                                \
    X(sqlite3_last_insert_rowid)                                                                                                           \
    X(sqlite3_changes)                                                                                                                     \
    X(sqlite3_prepare_v2)                                                                                                                  \
    X(sqlite3_finalize)                                                                                                                    \
    X(sqlite3_reset)                                                                                                                       \
    X(sqlite3_bind_text)                                                                                                                   \
    X(sqlite3_bind_int64)                                                                                                                  \
    X(sqlite3_bind_double)                                                                                                                 \
    X(sqlite3_bind_null)                                                                                                                   \
    X(sqlite3_step)                                                                                                                        \
    X(sqlite3_column_text)                                                                                                                 \
    X(sqlite3_column_bytes)                                                                                                                \
    X(sqlite3_column_int64)                                                                                                                \
    X(sqlite3_column_double)

struct ridge_sql {
    sqlite3 *db;
    char *path;
    bool busy;
    int64_t steps, most_steps; /* of SQLite's virtual machine, since it was opened */
#define X(name) __typeof__(&name) name;
    SQLITE_FUNCTIONS(X)
#undef X
    __typeof__(&sqlite3_serialize) serialize; /* NULL: it is too old, or was built without it */
    __typeof__(&sqlite3_free) free;
};

static void load_optional(ridge_sql *s, void *handle)
{
    void *serialize = dlsym(handle, "sqlite3_serialize"), *release = dlsym(handle, "sqlite3_free");
    memcpy(&s->serialize, &serialize, sizeof serialize);
    memcpy(&s->free, &release, sizeof release);
}

static ridge_status load(ridge_sql *s, ridge_err *err)
{
    errno = 0;
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    bool all = true;
    const char *reason = handle ? NULL : dlerror();
    if (!handle && (!reason || errno == ENOMEM || strstr(reason, "memory")))
        return ridge_no_memory(err); /* it may well be installed */
    if (!handle)
        return ridge_fail(err, RIDGE_UNKNOWN, "cannot keep measurements in %s: SQLite is not installed (" LIBRARY ")", s->path);
#define X(name)                                                                                                                            \
    {                                                                                                                                      \
        void *symbol = dlsym(handle, #name);                                                                                               \
        memcpy(&s->name, &symbol, sizeof symbol);                                                                                          \
        all = all && symbol;                                                                                                               \
    }
    SQLITE_FUNCTIONS(X)
#undef X
    load_optional(s, handle);
    (void)dlclose(handle);
    return all ? RIDGE_OK : ridge_fail(err, RIDGE_UNKNOWN, "cannot keep measurements in %s: " LIBRARY " is too old", s->path);
}

/* The system's reason for a failed read or write. SQLite keeps it for sqlite3_exec() but not for sqlite3_step(): then errno has it, if
 * it is one that only a file gives. NULL: none is known. */
static const char *system_reason(const ridge_sql *s, int code, int last_errno)
{
    static const int of_files[] = {ENOSPC, EDQUOT, EFBIG, EROFS, EIO, EACCES, EPERM, EMFILE, ENFILE};
    int reason = s->sqlite3_system_errno(s->db);
    if (code != SQLITE_IOERR && code != SQLITE_CANTOPEN && code != SQLITE_FULL)
        return NULL;
    for (size_t i = 0; i < sizeof of_files / sizeof *of_files && reason == 0; i++)
        reason = last_errno == of_files[i] ? last_errno : 0;
    return reason != 0 ? strerrordesc_np(reason) : NULL;
}

/* what SQLite says of its last failure, with the path; to be called at once, errno is looked at */
static ridge_status failed(ridge_sql *s, ridge_err *err)
{
    int last_errno = errno;
    int code = s->db ? s->sqlite3_errcode(s->db) : SQLITE_NOMEM;
    s->busy = code == SQLITE_BUSY;
    if (code == SQLITE_NOMEM)
        return ridge_no_memory(err);
    if (code == SQLITE_INTERRUPT)
        return ridge_fail(err, RIDGE_LIMIT, "cannot use %s: it takes SQLite more than %lld steps to read, which no store of Ridge's does",
                          s->path, (long long)s->most_steps);
    if (code == SQLITE_BUSY)
        return ridge_fail(err, RIDGE_IO, "cannot use %s: another process holds it for more than %d s", s->path, WAIT_MS / 1000);
    const char *reason = system_reason(s, code, last_errno);
    ridge_status st = code == SQLITE_CONSTRAINT ? RIDGE_VALUE : code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? RIDGE_SYNTAX : RIDGE_IO;
    return ridge_fail(err, st, "cannot use %s: %s%s%s%s", s->path, s->sqlite3_errmsg(s->db), reason ? " (" : "", reason ? reason : "",
                      reason ? ")" : "");
}

/* "file:/home/me/a%20b.db?immutable=1" */
static void add_uri(ridge_buf *out, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
    ridge_buf_addz(out, "file:");
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path))
            ridge_buf_addc(out, *path);
        else
            ridge_buf_addf(out, "%%%02x", (unsigned char)*path);
    }
    ridge_buf_addz(out, "?immutable=1");
    ridge_buf_addc(out, '\0');
}

static bool has_log(const char *path)
{
    ridge_buf name = {0};
    struct stat info;
    ridge_buf_addf(&name, "%s-wal", path);
    bool has = name.failed || (stat(name.p, &info) == 0 && info.st_size > 0);
    ridge_buf_free(&name);
    return has;
}

static ridge_status open_to_read(ridge_sql *s, ridge_err *err)
{
    ridge_buf uri = {0};
    if (has_log(s->path))
        return ridge_fail(err, RIDGE_IO, "cannot use %s: it cannot be written, and %s-wal holds runs that are not in it yet", s->path,
                          s->path);
    add_uri(&uri, s->path);
    ridge_status st = uri.failed ? ridge_no_memory(err) : RIDGE_OK;
    if (!st && s->sqlite3_open_v2(uri.p, &s->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        st = failed(s, err);
    ridge_buf_free(&uri);
    return st;
}

/* every STEPS of them: ends the statement where they are too many */
static int count_steps(void *data)
{
    ridge_sql *s = data;
    s->steps += STEPS;
    return s->steps > s->most_steps;
}

void ridge_sql_limit(ridge_sql *s, int64_t steps)
{
    s->most_steps = steps;
}

ridge_status ridge_sql_open(ridge_sql **out, const char *path, ridge_sql_mode mode, ridge_err *err)
{
    ridge_sql *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s || !(s->path = strdup(path))) {
        free(s);
        return ridge_no_memory(err);
    }
    const int flags = SQLITE_OPEN_READWRITE | (mode == RIDGE_SQL_CREATE ? SQLITE_OPEN_CREATE : 0);
    ridge_status st = load(s, err);
    if (!st && mode == RIDGE_SQL_READ)
        st = open_to_read(s, err);
    else if (!st && s->sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK)
        st = failed(s, err);
    if (!st) {
        (void)s->sqlite3_busy_timeout(s->db, WAIT_MS);
        (void)s->sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, LENGTH_MOST);
        s->most_steps = STEPS_MOST;
        s->sqlite3_progress_handler(s->db, STEPS, count_steps, s);
        *out = s;
    } else {
        ridge_sql_close(s);
    }
    return st;
}

/* The file's header says at 18 and 19 how it is written and read: 2 is by a write-ahead log (SQLite, "Database File Format", 1.3.3). */
ridge_status ridge_sql_image(ridge_buf *out, ridge_sql *s, ridge_err *err)
{
    enum { WRITE_VERSION = 18, READ_VERSION = 19, LOGGED = 2 };
    sqlite3_int64 size = 0;
    unsigned char *image = s->serialize && s->free ? s->serialize(s->db, "main", &size, 0) : NULL;
    if (!s->serialize || !s->free)
        return ridge_fail(err, RIDGE_UNKNOWN, "cannot make %s: " LIBRARY " is too old", s->path);
    if (!image || size <= READ_VERSION)
        return ridge_no_memory(err);
    image[WRITE_VERSION] = image[READ_VERSION] = LOGGED;
    ridge_buf_add(out, (ridge_str){(const char *)image, (size_t)size});
    s->free(image);
    return out->failed ? ridge_no_memory(err) : RIDGE_OK;
}

void ridge_sql_close(ridge_sql *s)
{
    if (!s)
        return;
    if (s->db)
        (void)s->sqlite3_close(s->db);
    free(s->path);
    free(s);
}

const char *ridge_sql_path(const ridge_sql *s)
{
    return s->path;
}

bool ridge_sql_was_busy(const ridge_sql *s)
{
    return s->busy;
}

int64_t ridge_sql_last_id(const ridge_sql *s)
{
    return s->sqlite3_last_insert_rowid(s->db);
}

int64_t ridge_sql_changes(const ridge_sql *s)
{
    return s->sqlite3_changes(s->db);
}

ridge_status ridge_sql_run(ridge_sql *s, const char *text, ridge_err *err)
{
    s->busy = false;
    errno = 0;
    return s->sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK ? RIDGE_OK : failed(s, err);
}

/* ---- queries ---- */

ridge_status ridge_query_open(ridge_query *q, ridge_sql *s, const char *text, ridge_err *err)
{
    sqlite3_stmt *statement = NULL;
    *q = (ridge_query){.sql = s};
    s->busy = false;
    if (s->sqlite3_prepare_v2(s->db, text, -1, &statement, NULL) != SQLITE_OK)
        return failed(s, err);
    q->statement = statement;
    return RIDGE_OK;
}

void ridge_query_close(ridge_query *q)
{
    if (q->statement)
        (void)q->sql->sqlite3_finalize(q->statement);
    *q = (ridge_query){0};
}

void ridge_query_reset(ridge_query *q)
{
    (void)q->sql->sqlite3_reset(q->statement);
    q->failed = false;
}

void ridge_query_bind_text(ridge_query *q, int at, const char *text)
{
    q->failed |= (text ? q->sql->sqlite3_bind_text(q->statement, at, text, -1, SQLITE_STATIC)
                       : q->sql->sqlite3_bind_null(q->statement, at)) != SQLITE_OK;
}

void ridge_query_bind_integer(ridge_query *q, int at, int64_t value)
{
    q->failed |= q->sql->sqlite3_bind_int64(q->statement, at, value) != SQLITE_OK;
}

void ridge_query_bind_double(ridge_query *q, int at, double value)
{
    q->failed |= q->sql->sqlite3_bind_double(q->statement, at, value) != SQLITE_OK;
}

ridge_status ridge_query_step(bool *row, ridge_query *q, ridge_err *err)
{
    *row = false;
    q->sql->busy = false;
    if (q->failed)
        return failed(q->sql, err);
    errno = 0;
    int code = q->sql->sqlite3_step(q->statement);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? RIDGE_OK : failed(q->sql, err);
}

/* a number is written as text when that is asked for, a number in text read: for either SQLite may have no memory */
static void note_failure(ridge_query *q)
{
    q->failed |= q->sql->sqlite3_errcode(q->sql->db) == SQLITE_NOMEM;
}

ridge_str ridge_query_text(ridge_query *q, int column)
{
    const char *text = (const char *)q->sql->sqlite3_column_text(q->statement, column);
    note_failure(q);
    return (ridge_str){text, text ? (size_t)q->sql->sqlite3_column_bytes(q->statement, column) : 0};
}

int64_t ridge_query_integer(ridge_query *q, int column)
{
    return q->sql->sqlite3_column_int64(q->statement, column);
}

double ridge_query_double(ridge_query *q, int column)
{
    return q->sql->sqlite3_column_double(q->statement, column);
}

#else /* no headers: opening says so, and nothing else is ever called */

ridge_status ridge_sql_open(ridge_sql **out, const char *path, ridge_sql_mode mode, ridge_err *err)
{
    (void)mode;
    *out = NULL;
    return ridge_fail(err, RIDGE_UNKNOWN, "cannot keep measurements in %s: this ridge was built without SQLite (libsqlite3-dev)", path);
}

void ridge_sql_close(ridge_sql *s)
{
    (void)s;
}

void ridge_sql_limit(ridge_sql *s, int64_t steps)
{
    (void)s;
    (void)steps;
}

ridge_status ridge_sql_image(ridge_buf *out, ridge_sql *s, ridge_err *err)
{
    (void)out;
    return ridge_sql_run(s, "image", err);
}

const char *ridge_sql_path(const ridge_sql *s)
{
    (void)s;
    return "";
}

bool ridge_sql_was_busy(const ridge_sql *s)
{
    (void)s;
    return false;
}

int64_t ridge_sql_last_id(const ridge_sql *s)
{
    (void)s;
    return 0;
}

int64_t ridge_sql_changes(const ridge_sql *s)
{
    (void)s;
    return 0;
}

ridge_status ridge_sql_run(ridge_sql *s, const char *text, ridge_err *err)
{
    (void)s;
    return ridge_fail(err, RIDGE_UNKNOWN, "no SQLite for '%s'", text);
}

ridge_status ridge_query_open(ridge_query *q, ridge_sql *s, const char *text, ridge_err *err)
{
    *q = (ridge_query){.sql = s};
    return ridge_sql_run(s, text, err);
}

void ridge_query_close(ridge_query *q)
{
    (void)q;
}

void ridge_query_reset(ridge_query *q)
{
    (void)q;
}

void ridge_query_bind_text(ridge_query *q, int at, const char *text)
{
    (void)q, (void)at, (void)text;
}

void ridge_query_bind_integer(ridge_query *q, int at, int64_t value)
{
    (void)q, (void)at, (void)value;
}

void ridge_query_bind_double(ridge_query *q, int at, double value)
{
    (void)q, (void)at, (void)value;
}

ridge_status ridge_query_step(bool *row, ridge_query *q, ridge_err *err)
{
    *row = false;
    return ridge_sql_run(q->sql, "step", err);
}

ridge_str ridge_query_text(ridge_query *q, int column)
{
    (void)q, (void)column;
    return (ridge_str){NULL, 0};
}

int64_t ridge_query_integer(ridge_query *q, int column)
{
    (void)q, (void)column;
    return 0;
}

double ridge_query_double(ridge_query *q, int column)
{
    (void)q, (void)column;
    return 0;
}
#endif

ridge_status ridge_query_run(ridge_query *q, ridge_err *err)
{
    bool row;
    ridge_status st = ridge_query_step(&row, q, err);
    ridge_query_reset(q);
    return st;
}

ridge_status ridge_sql_integer(int64_t *out, ridge_sql *s, const char *text, ridge_err *err)
{
    ridge_query q;
    bool row = false;
    *out = 0;
    ridge_status st = ridge_query_open(&q, s, text, err);
    if (!st && !(st = ridge_query_step(&row, &q, err)) && row)
        *out = ridge_query_integer(&q, 0);
    ridge_query_close(&q);
    return st;
}
