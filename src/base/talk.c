#include "base/talk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

/* FDS_MOST: given to a program; FIRST_FREE: copies of descriptors lie from there on, out of the way of 0, 1, 2, 3, ... */
enum { FDS_MOST = 4, FIRST_FREE = 16, WORDS_KEPT = 2048, LOOK_MS = 100 };

extern char **environ;

struct ridge_talk {
    const char *name;
    ridge_talk_limits limits;
    pid_t pid; /* 0: it has ended */
    int line;  /* our end of its standard input and output; -1: closed */
    int words; /* of its standard error */
    ridge_buf heard;
    char said[WORDS_KEPT]; /* the last of its words */
    size_t said_n;
};

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static ridge_status fail_start(ridge_err *err, const char *name, int reason)
{
    char text[96];
    return ridge_fail(err, RIDGE_IO, "cannot run %s: %s", name, strerror_r(reason, text, sizeof text));
}

/* ---- starting ---- */

/* what its descriptors are made of: 0 and 1 are one socket, 2 a pipe, then the caller's */
typedef struct ends {
    int fds[3 + FDS_MOST];
    size_t count;
} ends;

static bool copy_ends(ends *e, int socket, int words, const int *fds, size_t fd_count)
{
    int from[3 + FDS_MOST] = {socket, socket, words};
    for (size_t i = 0; i < fd_count; i++)
        from[3 + i] = fds[i];
    for (e->count = 0; e->count < 3 + fd_count; e->count++)
        if ((e->fds[e->count] = fcntl(from[e->count], F_DUPFD_CLOEXEC, FIRST_FREE)) < 0)
            return false;
    return true;
}

static int spawn(pid_t *pid, const char *file, char *const argv[], const ends *e)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t own;
    int reason = posix_spawn_file_actions_init(&actions);
    if (reason)
        return reason;
    if ((reason = posix_spawnattr_init(&own)) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return reason;
    }
    for (size_t i = 0; i < e->count && !reason; i++)
        reason = posix_spawn_file_actions_adddup2(&actions, e->fds[i], (int)i);
    reason = reason ? reason : posix_spawnattr_setflags(&own, POSIX_SPAWN_SETPGROUP);
    reason = reason ? reason : posix_spawn(pid, file, &actions, &own, argv, environ);
    (void)posix_spawnattr_destroy(&own);
    (void)posix_spawn_file_actions_destroy(&actions);
    return reason;
}

static int start(ridge_talk *t, const char *file, char *const argv[], const int *fds, size_t fd_count)
{
    int line[2] = {-1, -1}, words[2] = {-1, -1}, reason = 0;
    ends e = {.count = 0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0 || pipe2(words, O_CLOEXEC) != 0 ||
        !copy_ends(&e, line[1], words[1], fds, fd_count))
        reason = errno;
    if (!reason && (reason = spawn(&t->pid, file, argv, &e)) != 0)
        t->pid = 0;
    for (size_t i = 0; i < e.count; i++)
        close_one(&e.fds[i]);
    close_one(&line[1]);
    close_one(&words[1]);
    t->line = line[0];
    t->words = words[0];
    return reason;
}

ridge_status ridge_talk_start(ridge_talk **out, char *const argv[], const int *fds, size_t fd_count, const char *name,
                              const ridge_talk_limits *limits, ridge_arena *arena, ridge_err *err)
{
    const char *file = ridge_process_find(argv[0], arena);
    *out = NULL;
    if (!file)
        return ridge_fail(err, RIDGE_UNKNOWN, strchr(argv[0], '/') ? "%s is no program that can be run" : "%s is not on PATH", argv[0]);
    ridge_talk *t = fd_count <= FDS_MOST ? calloc(1, sizeof *t) : NULL;
    if (!t)
        return ridge_no_memory(err);
    *t = (ridge_talk){.name = name, .limits = *limits, .line = -1, .words = -1};
    int reason = start(t, file, argv, fds, fd_count);
    if (reason) {
        ridge_talk_end(t);
        return fail_start(err, argv[0], reason);
    }
    *out = t;
    return RIDGE_OK;
}

void ridge_talk_end(ridge_talk *t)
{
    if (!t)
        return;
    close_one(&t->line);
    close_one(&t->words);
    if (t->pid > 0) {
        (void)kill(-t->pid, SIGKILL);
        while (waitpid(t->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    ridge_buf_free(&t->heard);
    free(t);
}

/* ---- its words ---- */

static void keep_words(ridge_talk *t, const char *text, size_t n)
{
    if (n > WORDS_KEPT) {
        text += n - WORDS_KEPT;
        n = WORDS_KEPT;
    }
    const size_t kept = t->said_n < WORDS_KEPT - n ? t->said_n : WORDS_KEPT - n;
    memmove(t->said, t->said + t->said_n - kept, kept);
    memcpy(t->said + kept, text, n);
    t->said_n = kept + n;
}

static void take_words(ridge_talk *t)
{
    char piece[4096];
    ssize_t got = read(t->words, piece, sizeof piece);
    if (got > 0)
        keep_words(t, piece, (size_t)got);
    else if (got == 0 || errno != EINTR)
        close_one(&t->words);
}

/* the last line of its words that says something; Python ends its complaints with the reason */
static ridge_str last_line(const ridge_talk *t)
{
    size_t end = t->said_n;
    while (end > 0 && (unsigned char)t->said[end - 1] <= ' ')
        end--;
    size_t from = end;
    while (from > 0 && t->said[from - 1] != '\n' && end - from < 300)
        from--;
    return (ridge_str){t->said + from, end - from};
}

/* It has closed its end: why, as far as it can be told. */
static ridge_status fail_ended(ridge_talk *t, ridge_err *err)
{
    int st = 0;
    const double until = now_s() + 1;
    while (t->words >= 0 && now_s() < until) {
        struct pollfd fd = {t->words, POLLIN, 0};
        if (poll(&fd, 1, LOOK_MS) > 0)
            take_words(t);
    }
    (void)kill(-t->pid, SIGKILL); /* one that lives on without a voice; of one that has ended this changes nothing */
    while (waitpid(t->pid, &st, 0) < 0 && errno == EINTR)
        ;
    t->pid = 0;
    const ridge_str why = last_line(t);
    if (WIFSIGNALED(st) && WTERMSIG(st) != SIGKILL)
        return ridge_fail(err, RIDGE_IO, "%s ended by signal %d%s%.*s", t->name, WTERMSIG(st), why.n ? ": " : "", RIDGE_STR_ARG(why));
    return ridge_fail(err, RIDGE_IO, "%s ended: %.*s", t->name, why.n ? (int)why.n : 18, why.n ? why.p : "it gave no reason");
}

/* ---- asking ---- */

static ridge_status write_all(ridge_talk *t, ridge_str text, double until, ridge_err *err)
{
    while (text.n > 0) {
        ssize_t wrote = send(t->line, text.p, text.n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote > 0) {
            text.p += wrote;
            text.n -= (size_t)wrote;
        } else if (wrote < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd fd = {t->line, POLLOUT, 0};
            (void)poll(&fd, 1, LOOK_MS);
            if (now_s() > until)
                return ridge_fail(err, RIDGE_LIMIT, "%s does not listen", t->name);
        } else if (wrote < 0 && errno != EINTR) {
            return fail_ended(t, err);
        }
    }
    return RIDGE_OK;
}

/* a whole line of what was heard; what follows it stays */
static bool take_line(ridge_str *answer, ridge_talk *t, ridge_arena *arena)
{
    const char *end = t->heard.n > 0 ? memchr(t->heard.p, '\n', t->heard.n) : NULL;
    if (!end)
        return false;
    const size_t n = (size_t)(end - t->heard.p);
    const char *copy = ridge_arena_strdup(arena, (ridge_str){t->heard.p, n});
    *answer = (ridge_str){copy, copy ? n : 0};
    memmove(t->heard.p, end + 1, t->heard.n - n - 1);
    t->heard.n -= n + 1;
    return true;
}

/* *ended: nothing more will come */
static ridge_status listen_once(bool *ended, ridge_talk *t, ridge_err *err)
{
    char piece[65536];
    ssize_t got = read(t->line, piece, sizeof piece);
    *ended = got == 0 || (got < 0 && errno != EINTR);
    if (got <= 0)
        return RIDGE_OK;
    if (t->heard.n + (size_t)got > t->limits.line)
        return ridge_fail(err, RIDGE_LIMIT, "%s answered more than %zu bytes", t->name, t->limits.line);
    ridge_buf_add(&t->heard, (ridge_str){piece, (size_t)got});
    return t->heard.failed ? ridge_no_memory(err) : RIDGE_OK;
}

static ridge_status wait_for(bool *ended, ridge_talk *t, double seconds, double until, ridge_err *err)
{
    struct pollfd fds[] = {{t->line, POLLIN, 0}, {t->words, POLLIN, 0}};
    if (t->limits.stop && *t->limits.stop)
        return ridge_fail(err, RIDGE_IO, "%s was interrupted", t->name);
    if (now_s() > until)
        return ridge_fail(err, RIDGE_LIMIT, "%s did not answer within %.3g s", t->name, seconds);
    if (poll(fds, 2, LOOK_MS) <= 0)
        return RIDGE_OK;
    if (fds[1].revents)
        take_words(t);
    return fds[0].revents ? listen_once(ended, t, err) : RIDGE_OK;
}

ridge_status ridge_talk_ask(ridge_str *answer, ridge_talk *t, ridge_str question, double seconds, ridge_arena *arena, ridge_err *err)
{
    const double until = now_s() + seconds;
    bool ended = false;
    ridge_status st = RIDGE_OK;
    if (t->line < 0 || t->pid == 0)
        return ridge_fail(err, RIDGE_IO, "%s has ended", t->name);
    if (question.n > 0 && ((st = write_all(t, question, until, err)) || (st = write_all(t, RIDGE_STR("\n"), until, err))))
        return st;
    while (!st && !take_line(answer, t, arena)) {
        if (ended)
            return fail_ended(t, err);
        st = wait_for(&ended, t, seconds, until, err);
    }
    return st ? st : answer->p ? RIDGE_OK : ridge_no_memory(err);
}
