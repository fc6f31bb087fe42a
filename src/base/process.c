#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_LIMIT ((size_t)256 << 20)
#define WORDS_LIMIT  4096

extern char **environ;

typedef struct process {
    int input;    /* holds all that the program reads: nothing is written while it runs, so no SIGPIPE */
    int out[2];   /* its standard output: read end, write end */
    int words[2]; /* its standard error */
    pid_t pid;    /* 0: not started */
    ridge_buf answer, said;
    const ridge_process_limits *limits;
    bool group; /* it has a process group of its own */
} process;

static ridge_status fail_start(ridge_err *err, const char *name)
{
    char reason[96];
    return ridge_fail(err, RIDGE_IO, "cannot run %s: %s", name, strerror_r(errno, reason, sizeof reason));
}

const char *ridge_process_find(const char *name, ridge_arena *arena)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 ? name : NULL;
    const char *path = getenv("PATH");
    for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
        n = strcspn(path, ":");
        const char *file = path[0] == '/' ? ridge_arena_printf(arena, "%.*s/%s", (int)n, path, name) : NULL;
        if (file && access(file, X_OK) == 0)
            return file;
    }
    return NULL;
}

static bool open_input(process *p, ridge_str text)
{
    p->input = memfd_create("ridge-input", MFD_CLOEXEC);
    for (size_t n = 0; p->input >= 0 && n < text.n;) {
        ssize_t wrote = write(p->input, text.p + n, text.n - n);
        if (wrote < 0 && errno != EINTR)
            return false;
        n += wrote > 0 ? (size_t)wrote : 0;
    }
    return p->input >= 0 && lseek(p->input, 0, SEEK_SET) == 0;
}

static void close_one(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static bool start(process *p, const char *file, char *const argv[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t own;
    if (pipe2(p->out, O_CLOEXEC) != 0 || pipe2(p->words, O_CLOEXEC) != 0 || posix_spawn_file_actions_init(&actions) != 0 ||
        posix_spawnattr_init(&own) != 0)
        return false;
    int reason = posix_spawn_file_actions_adddup2(&actions, p->input, STDIN_FILENO);
    reason = reason ? reason : posix_spawn_file_actions_adddup2(&actions, p->out[1], STDOUT_FILENO);
    reason = reason ? reason : posix_spawn_file_actions_adddup2(&actions, p->words[1], STDERR_FILENO);
    if (p->group) /* 0: its own number */
        reason = reason ? reason : posix_spawnattr_setflags(&own, POSIX_SPAWN_SETPGROUP);
    reason = reason ? reason : posix_spawn(&p->pid, file, &actions, p->group ? &own : NULL, argv, environ);
    (void)posix_spawnattr_destroy(&own);
    (void)posix_spawn_file_actions_destroy(&actions);
    close_one(&p->out[1]);
    close_one(&p->words[1]);
    if (reason) {
        p->pid = 0;
        errno = reason;
    }
    return reason == 0;
}

static int64_t now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* one piece of what is there; the end closes the pipe. false: more than `limit` */
static bool take(int *fd, ridge_buf *buf, size_t limit)
{
    char piece[65536];
    ssize_t got = read(*fd, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0) {
        close_one(fd);
        return true;
    }
    if (buf->n + (size_t)got > limit)
        return false;
    ridge_buf_add(buf, (ridge_str){piece, (size_t)got});
    return true;
}

/* what it says beyond the limit is dropped, where nobody minds */
static bool take_words(process *p)
{
    return take(&p->words[0], &p->said, WORDS_LIMIT) || p->group;
}

/* Reads both pipes to their ends. */
static ridge_status listen_to(process *p, ridge_err *err)
{
    const char *name = p->limits->name;
    const unsigned seconds = p->limits->seconds;
    int64_t deadline = now_ms() + (int64_t)seconds * 1000;
    while (p->out[0] >= 0 || p->words[0] >= 0) {
        struct pollfd fds[] = {{p->out[0], POLLIN, 0}, {p->words[0], POLLIN, 0}};
        int64_t left = deadline - now_ms();
        if (left <= 0)
            return ridge_fail(err, RIDGE_LIMIT, "%s did not finish within %u s", name, seconds);
        const int ready = poll(fds, 2, (int)(p->limits->stop && left > 200 ? 200 : left));
        if (p->limits->stop && *p->limits->stop)
            return ridge_fail(err, RIDGE_IO, "%s was interrupted", name);
        if (ready < 0 && errno != EINTR)
            return fail_start(err, name);
        if (ready <= 0)
            continue;
        if (fds[0].revents && !take(&p->out[0], &p->answer, p->limits->output))
            return ridge_fail(err, RIDGE_LIMIT, "%s answered more than %zu bytes", name, p->limits->output);
        if (fds[1].revents && !take_words(p))
            return ridge_fail(err, RIDGE_IO, "%s: %.*s", name, 300, p->said.p);
    }
    return RIDGE_OK;
}

/* Waits for the end of a program whose output has ended; its exit st, -1 where a signal ended it */
static int end(process *p, bool killing)
{
    int st = 0;
    if (killing)
        (void)kill(p->group ? -p->pid : p->pid, SIGKILL);
    while (waitpid(p->pid, &st, 0) < 0)
        if (errno != EINTR)
            return 0; /* SIGCHLD is ignored here: nobody knows */
    p->pid = 0;
    return WIFEXITED(st) ? WEXITSTATUS(st) : -1;
}

/* the program's complaint in one line */
static ridge_status fail_said(ridge_err *err, const char *name, const ridge_buf *said)
{
    char line[301];
    size_t n = 0;
    for (size_t i = 0; i < said->n && n + 1 < sizeof line; i++) {
        char c = (unsigned char)said->p[i] < 0x20 ? ' ' : said->p[i];
        if (c != ' ' || (n && line[n - 1] != ' '))
            line[n++] = c;
    }
    n -= n && line[n - 1] == ' ';
    line[n] = '\0';
    return ridge_fail(err, RIDGE_IO, "%s failed: %s", name, n ? line : "it gave no reason");
}

static ridge_status run(ridge_str *output, char *const argv[], ridge_str input, const ridge_process_limits *limits, bool group,
                        ridge_arena *arena, ridge_err *err)
{
    process p = {.input = -1, .out = {-1, -1}, .words = {-1, -1}, .limits = limits, .group = group};
    const char *file = ridge_process_find(argv[0], arena);
    if (!file)
        return ridge_fail(err, RIDGE_UNKNOWN, strchr(argv[0], '/') ? "%s is no program that can be run" : "%s is not on PATH", argv[0]);
    ridge_status st = open_input(&p, input) && start(&p, file, argv) ? RIDGE_OK : fail_start(err, argv[0]);
    if (!st)
        st = listen_to(&p, err);
    int code = p.pid ? end(&p, st) : 0;
    if (!st && code != 0)
        st = fail_said(err, limits->name, &p.said);
    char *copy = !st && !p.answer.failed ? ridge_arena_alloc(arena, p.answer.n + 1) : NULL;
    if (copy) {
        memcpy(copy, p.answer.n ? p.answer.p : "", p.answer.n);
        *output = (ridge_str){copy, p.answer.n};
    } else if (!st) {
        st = ridge_no_memory(err);
    }
    if (!st && p.answer.n == 0)
        st = fail_said(err, limits->name, &p.said);
    ridge_buf_free(&p.answer);
    ridge_buf_free(&p.said);
    for (int i = 0; i < 2; i++) {
        close_one(&p.out[i]);
        close_one(&p.words[i]);
    }
    close_one(&p.input);
    return st;
}

ridge_status ridge_process_run(ridge_str *output, char *const argv[], ridge_str input, unsigned seconds, ridge_arena *arena, ridge_err *err)
{
    return run(output, argv, input, &(ridge_process_limits){.seconds = seconds, .output = OUTPUT_LIMIT, .name = argv[0]}, false, arena,
               err);
}

ridge_status ridge_process_ask(ridge_str *output, char *const argv[], ridge_str input, const ridge_process_limits *limits,
                               ridge_arena *arena, ridge_err *err)
{
    return run(output, argv, input, limits, true, arena, err);
}
