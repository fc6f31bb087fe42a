/* The server from its start to its end: the address, the library's threads, signals. */
#include <arpa/inet.h>
#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/file.h"
#include "base/shown.h"
#include "kernel/provider/provider.h"
#include "serve/jobs.h"
#include "serve/serve.h"
#include "serve/server.h"

time_t ridge_serve_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- connections ---- */

void ridge_serve_deadline(ridge_serve_exchange *x, int seconds)
{
    (void)pthread_mutex_lock(&x->server->peers_lock);
    if (x->peer)
        x->peer->deadline = seconds > 0 ? ridge_serve_now() + seconds : 0;
    (void)pthread_mutex_unlock(&x->server->peers_lock);
}

static void on_connection(void *data, struct MHD_Connection *connection, void **socket_data, enum MHD_ConnectionNotificationCode what)
{
    ridge_server *s = data;
    ridge_peer *peer = *socket_data;
    (void)pthread_mutex_lock(&s->peers_lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED && (peer = calloc(1, sizeof *peer)) != NULL) {
        const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *peer = (ridge_peer){
            .fd = info ? info->connect_fd : -1, .deadline = ridge_serve_now() + RIDGE_HEAD_SECONDS, .link = &s->peers, .next = s->peers};
        if (peer->next)
            peer->next->link = &peer->next;
        s->peers = peer;
        *socket_data = peer;
    } else if (what == MHD_CONNECTION_NOTIFY_CLOSED && peer) {
        *peer->link = peer->next;
        if (peer->next)
            peer->next->link = peer->link;
        free(peer);
    }
    (void)pthread_mutex_unlock(&s->peers_lock);
}

/* who is too slow is cut off; the library then closes */
static void cut_off(ridge_server *s)
{
    const time_t now = ridge_serve_now();
    (void)pthread_mutex_lock(&s->peers_lock);
    for (ridge_peer *peer = s->peers; peer; peer = peer->next)
        if (peer->fd >= 0 && peer->deadline && now >= peer->deadline) {
            (void)shutdown(peer->fd, SHUT_RDWR);
            peer->deadline = 0;
        }
    (void)pthread_mutex_unlock(&s->peers_lock);
}

/* ---- exchanges ---- */

/* the first that the library says of a request: its target as it came */
static void *on_target(void *data, const char *target, struct MHD_Connection *connection)
{
    ridge_serve_exchange *x = calloc(1, sizeof *x);
    const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    if (!x)
        return NULL;
    *x = (ridge_serve_exchange){.server = data,
                                .connection = connection,
                                .peer = info ? info->socket_context : NULL,
                                .target = strdup(target),
                                .task = ridge_task_new()};
    (void)clock_gettime(CLOCK_MONOTONIC, &x->start);
    (void)atomic_fetch_add(&x->server->open, 1);
    return x;
}

static void write_log(const ridge_serve_exchange *x)
{
    struct timespec now;
    struct tm t;
    char when[32];
    const time_t clock = time(NULL);
    if (!x->server->log)
        return;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)gmtime_r(&clock, &t);
    (void)strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &t);
    /* the query may hold a token: the path alone */
    const int n = (int)strcspn(x->target ? x->target : "", "?#");
    const double ms = (double)(now.tv_sec - x->start.tv_sec) * 1e3 + (double)(now.tv_nsec - x->start.tv_nsec) / 1e6;
    ridge_arena arena;
    ridge_arena_init(&arena);
    const char *path = ridge_arena_strdup(&arena, (ridge_str){x->target ? x->target : "", (size_t)n});
    (void)fprintf(x->server->log, "%s %u %.1f ms %s %s\n", when, x->status, ms, x->method ? x->method : "-",
                  path ? ridge_shown(&arena, path) : "");
    (void)fflush(x->server->log);
    ridge_arena_free(&arena);
}

static void on_completed(void *data, struct MHD_Connection *connection, void **exchange, enum MHD_RequestTerminationCode why)
{
    ridge_serve_exchange *x = *exchange;
    (void)data;
    (void)connection;
    (void)why;
    if (!x)
        return;
    write_log(x);
    ridge_serve_deadline(x, RIDGE_IDLE_SECONDS);
    if (x->response) /* who asked went away before the reply was handed out */
        mhd.MHD_destroy_response(x->response);
    ridge_task_free(x->task);
    (void)atomic_fetch_sub(&x->server->open, 1);
    free(x->target);
    free(x);
    *exchange = NULL;
}

/* ---- requests ---- */

static enum MHD_Result send_reply(ridge_serve_exchange *x)
{
    if (!x->response)
        return MHD_NO;
    if (!x->closing && strcmp(x->method, "GET") != 0 && x->status >= 500)
        x->closing = true;
    const enum MHD_Result sent = mhd.MHD_queue_response(x->connection, x->status, x->response);
    mhd.MHD_destroy_response(x->response);
    x->response = NULL;
    return sent;
}

/* a text that outlives the request */
static const char *method_of(const char *method)
{
    static const char *const methods[] = {"GET", "HEAD", "POST", "DELETE"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(method, methods[i]) == 0)
            return methods[i];
    return "other";
}

static bool body_fits(ridge_serve_exchange *x)
{
    const char *length = ridge_request_header(x, "Content-Length");
    const unsigned long long bytes = length ? strtoull(length, NULL, 10) : 0;
    if (bytes <= RIDGE_BODY_MOST)
        return true;
    x->closing = true;
    ridge_reply_fail(x, 413, RIDGE_LIMIT, "the body has more than %d bytes", RIDGE_BODY_MOST);
    return false;
}

/* the head is there: what it alone says is replied before a body is read */
static enum MHD_Result begin(ridge_serve_exchange *x, const char *method)
{
    x->begun = true;
    x->method = method_of(method);
    x->accept = ridge_request_header(x, "Accept");
    x->type = ridge_request_header(x, "Content-Type");
    x->for_terminal = ridge_request_header(x, "Ridge-View") != NULL;
    ridge_serve_deadline(x, RIDGE_BODY_SECONDS);
    if (atomic_load(&x->server->stopping)) {
        x->closing = true;
        ridge_reply_fail(x, 503, RIDGE_USAGE, "the server is about to end");
    } else if (ridge_asked_target(&x->task->asked, x->target, &x->task->arena, &x->task->err)) {
        ridge_reply_err(x, 400, &x->task->err);
    } else if (ridge_guard(x) && body_fits(x)) {
        return MHD_YES;
    }
    return send_reply(x);
}

/* of a body without a length, what is too much is read away, up to twice as much */
static enum MHD_Result take_body(ridge_serve_exchange *x, const char *data, size_t *size)
{
    ridge_buf *body = &x->task->body;
    const size_t n = *size;
    *size = 0;
    if (body->n + n > RIDGE_BODY_MOST) {
        x->closing = true;
        return MHD_NO;
    }
    ridge_buf_add(body, (ridge_str){data, n});
    return body->failed ? MHD_NO : MHD_YES;
}

static enum MHD_Result on_request(void *server, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
                                  const char *data, size_t *size, void **exchange)
{
    ridge_serve_exchange *x = *exchange;
    (void)server;
    (void)connection;
    (void)url;
    (void)version;
    if (!x || !x->target || (!x->task && !x->asked))
        return MHD_NO;
    if (!x->begun)
        return begin(x, method);
    if (*size > 0)
        return take_body(x, data, size);
    if (x->asked) { /* a worker has made the reply, or a stream, which has the task and a deadline of its own */
        if (x->task)
            ridge_serve_deadline(x, RIDGE_REPLY_SECONDS);
        return send_reply(x);
    }
    x->asked = true;
    ridge_serve_deadline(x, RIDGE_REPLY_SECONDS);
    if (ridge_route_at_once(x))
        return send_reply(x);
    ridge_serve_deadline(x, 0);
    if (ridge_workers_give(x->server, x))
        return MHD_YES;
    ridge_reply_fail(x, 503, RIDGE_LIMIT, "too many requests wait");
    return send_reply(x);
}

static void on_words(void *data, const char *format, va_list args)
{
    (void)data;
    (void)format;
    (void)args;
}

/* ---- the address ---- */

typedef union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_storage room;
} address;

static ridge_status read_address(address *out, ridge_server *s, ridge_err *err)
{
    const char *text = strcasecmp(s->request->listen, "localhost") == 0 ? "127.0.0.1" : s->request->listen;
    *out = (address){.four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)s->request->port)}};
    s->listen = text;
    if (inet_pton(AF_INET, text, &out->four.sin_addr) == 1) {
        s->any_address = out->four.sin_addr.s_addr == htonl(INADDR_ANY);
        return RIDGE_OK;
    }
    *out = (address){.six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)s->request->port)}};
    if (inet_pton(AF_INET6, text, &out->six.sin6_addr) != 1)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("listen") ": '%s' is no address: write 127.0.0.1, ::1, 0.0.0.0, ...", text);
    s->any_address = memcmp(&out->six.sin6_addr, &in6addr_any, sizeof in6addr_any) == 0;
    return RIDGE_OK;
}

static bool is_loopback(const address *a)
{
    if (a->any.sa_family == AF_INET)
        return ntohl(a->four.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
}

/* ---- the token ---- */

static ridge_status read_token(ridge_server *s, ridge_err *err)
{
    const ridge_serve_request *r = s->request;
    ridge_str text;
    ridge_status st;
    if (r->token && r->token_file)
        return ridge_fail(err, RIDGE_USAGE, RIDGE_OPT("token") " and " RIDGE_OPT("token-file") " exclude each other");
    s->token = r->token;
    if (r->token_file) {
        if ((st = ridge_file_read(&text, r->token_file, 64 << 10, &s->arena, err)))
            return st;
        const char *end = memchr(text.p, '\n', text.n);
        s->token = ridge_arena_strdup(&s->arena, (ridge_str){text.p, end ? (size_t)(end - text.p) : text.n});
        if (!s->token)
            return ridge_no_memory(err);
    }
    const char *allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/=";
    if (s->token && (s->token[0] == '\0' || s->token[strspn(s->token, allowed)] != '\0'))
        return ridge_fail(err, RIDGE_USAGE, "a token is made of letters, digits and -._~+/=");
    return RIDGE_OK;
}

static ridge_status check_strangers(const ridge_server *s, const address *a, ridge_err *err)
{
    if (is_loopback(a) || s->token || s->request->insecure)
        return RIDGE_OK;
    return ridge_fail(err, RIDGE_USAGE,
                      "%s is reached from other computers: it wants " RIDGE_OPT("token-file") " or " RIDGE_OPT("token") ", or " RIDGE_OPT(
                          "insecure") " to let everybody in",
                      s->listen);
}

/* ---- listening ---- */

/* a socket of our own: its errors have words, and port 0 has a number */
static ridge_status open_socket(int *out, ridge_server *s, address *a, ridge_err *err)
{
    const int on = 1, fd = *out = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t length = a->any.sa_family == AF_INET ? sizeof a->four : sizeof a->six;
    const bool six_only = a->any.sa_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0;
    if (fd < 0 || six_only || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 || bind(fd, &a->any, length) != 0 ||
        listen(fd, 512) != 0 || getsockname(fd, &a->any, &length) != 0) {
        char reason[96];
        return ridge_fail(err, RIDGE_IO, "cannot listen on %s, port %lld: %s", s->listen, (long long)s->request->port,
                          strerror_r(errno, reason, sizeof reason));
    }
    s->port = ntohs(a->any.sa_family == AF_INET ? a->four.sin_port : a->six.sin6_port);
    return RIDGE_OK;
}

static unsigned reading_threads(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    return cpus < 4 ? 2 : cpus > 16 ? 8 : (unsigned)cpus / 2;
}

static ridge_status start_daemon(ridge_server *s, int socket_fd, ridge_err *err)
{
    /* not epoll: libmicrohttpd 0.9.75 then misses the end of a connection on a loaded machine, and keeps it until its timeout */
    const unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    const unsigned threads = reading_threads();
    unsigned most = (unsigned)s->request->connections;
    most = most < threads ? threads : most;
    s->daemon = mhd.MHD_start_daemon(
        flags, 0, NULL, NULL, on_request, s, MHD_OPTION_EXTERNAL_LOGGER, on_words, NULL, MHD_OPTION_LISTEN_SOCKET, socket_fd,
        MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_PER_IP_CONNECTION_LIMIT, most < 8 ? most : most / 2, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)RIDGE_IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)RIDGE_HEADERS_MOST, MHD_OPTION_THREAD_POOL_SIZE, threads,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, s, MHD_OPTION_END);
    return s->daemon ? RIDGE_OK : ridge_fail(err, RIDGE_IO, "libmicrohttpd does not start");
}

static ridge_status open_log(ridge_server *s, ridge_err *err)
{
    const char *log = s->request->log;
    if (!log)
        return RIDGE_OK;
    s->log = strcmp(log, "-") == 0 ? stderr : fopen(log, "ae");
    return s->log ? RIDGE_OK : ridge_fail(err, RIDGE_IO, RIDGE_OPT("log") ": %s cannot be written", log);
}

/* ---- until the end ---- */

static ridge_stop hurry; /* a second signal: what runs is cancelled at once */

static void on_second_signal(int number)
{
    (void)number;
    hurry = 1;
}

static void tell_address(const ridge_server *s, void (*say)(void *data, const char *line), void *data)
{
    const bool six = strchr(s->listen, ':') != NULL;
    const char *host = s->any_address ? "localhost" : s->listen;
    char line[1024];
    (void)snprintf(line, sizeof line, "serving on http://%s%s%s:%u/%s%s", six && !s->any_address ? "[" : "", host,
                   six && !s->any_address ? "]" : "", s->port, s->token ? "?token=" : "", s->token ? s->token : "");
    say(data, line);
}

/* What a request took for itself goes back to the system: glibc keeps large pieces once it has seen them freed, in each thread's heap. */
static void give_memory_back(bool first)
{
#ifdef __GLIBC__
    enum { LARGE = 256 << 10 };
    if (first) {
        (void)mallopt(M_MMAP_THRESHOLD, LARGE);
        (void)mallopt(M_TRIM_THRESHOLD, 4 * LARGE);
    } else {
        (void)malloc_trim(LARGE);
    }
#else
    (void)first;
#endif
}

/* waits for the signal to end, a second at a time */
static void wait_for_end(ridge_server *s, const sigset_t *signals)
{
    enum { TRIM_SECONDS = 10 };
    const struct timespec second = {.tv_sec = 1};
    for (unsigned n = 1; sigtimedwait(signals, NULL, &second) < 0; n++) {
        cut_off(s);
        ridge_jobs_beat(s);
        if (n % TRIM_SECONDS == 0)
            give_memory_back(false);
    }
}

static void wait_for_exchanges(ridge_server *s, double seconds)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    const time_t end = ridge_serve_now() + (time_t)seconds + 1;
    while (atomic_load(&s->open) > 0 && ridge_serve_now() < end)
        (void)nanosleep(&moment, NULL);
}

/* Something does not end: the system takes all that the process has. What was measured before is kept already. */
static _Noreturn void leave(const ridge_server *s)
{
    if (s->log)
        (void)fflush(s->log);
    _exit(0);
}

static void stop(ridge_server *s, const sigset_t *signals)
{
    const struct sigaction again = {.sa_handler = on_second_signal};
    (void)sigaction(SIGINT, &again, NULL);
    (void)sigaction(SIGTERM, &again, NULL);
    (void)pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    atomic_store(&s->stopping, true);
    const int listening = mhd.MHD_quiesce_daemon(s->daemon);
    if (listening >= 0)
        (void)close(listening);
    ridge_streams_stop(s);
    if (!ridge_jobs_drain(s, s->request->grace_s, &hurry))
        leave(s);
    ridge_streams_stop(s);
    wait_for_exchanges(s, 5);
}

/* threads of streams point into the server */
static bool streams_have_ended(ridge_server *s)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    bool ended = false;
    for (int i = 0; i < 100 && !ended; i++) {
        (void)pthread_mutex_lock(&s->streams_lock);
        ended = s->stream_count == 0;
        (void)pthread_mutex_unlock(&s->streams_lock);
        if (!ended)
            (void)nanosleep(&moment, NULL);
    }
    return ended;
}

static ridge_status run(ridge_server *s, int socket_fd, void (*say)(void *data, const char *line), void *data, ridge_err *err)
{
    sigset_t signals, before;
    ridge_status st;
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &signals, &before);
    if (!(st = ridge_jobs_open(s, err)) && !(st = ridge_workers_start(s, err)) && !(st = start_daemon(s, socket_fd, err))) {
        tell_address(s, say, data);
        wait_for_end(s, &signals);
        stop(s, &signals);
    }
    if (!ridge_workers_stop(s) || !streams_have_ended(s))
        leave(s);
    if (s->daemon)
        mhd.MHD_stop_daemon(s->daemon);
    ridge_jobs_close(s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return st;
}

/* what is written and read by a relative path is found before the working folder changes */
static ridge_status prepare(ridge_server *s, address *a, ridge_err *err)
{
    ridge_status st;
    if ((st = ridge_mhd_open(err)) || (st = read_address(a, s, err)) || (st = read_token(s, err)) || (st = check_strangers(s, a, err)) ||
        (st = open_log(s, err)) || (st = ridge_reach_enter(&s->policy, s->request->files, &s->arena, err)))
        return st;
    if (!s->request->hub)
        (void)setenv("HF_HUB_OFFLINE", "1", 1);
    ridge_provider_settle(); /* there are no threads yet */
    return RIDGE_OK;
}

ridge_status ridge_serve(const ridge_serve_request *request, void (*say)(void *data, const char *line), void *data, ridge_err *err)
{
    ridge_server s = {.request = request, .started = ridge_serve_now(), .policy = {.fd = -1}};
    address a;
    int fd = -1;
    give_memory_back(true);
    ridge_arena_init(&s.arena);
    (void)pthread_mutex_init(&s.streams_lock, NULL);
    (void)pthread_mutex_init(&s.peers_lock, NULL);
    ridge_status st = prepare(&s, &a, err);
    if (!st)
        st = open_socket(&fd, &s, &a, err);
    if (!st)
        st = run(&s, fd, say, data, err);
    else if (fd >= 0)
        (void)close(fd);
    if (s.log && s.log != stderr)
        (void)fclose(s.log);
    if (s.policy.fd >= 0)
        (void)close(s.policy.fd);
    ridge_arena_free(&s.arena);
    return st;
}
