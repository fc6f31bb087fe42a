/* no_memory.c - the program with memory that runs out at the n-th request: of malloc, calloc and realloc, by Ridge and by the libraries it
 * uses, or of an arena. For each command every STEP-th n up to MOST is tried, once with that request alone refused, once with all from it
 * on. Whatever n is: the answer is the one with enough memory, to the last byte, and the status 0; or the status is 1 and the message says
 * that memory ran out. Nothing in between: no crash, no blank cell, no other reason, and of the files that it writes all or nothing.
 *     no_memory [STEP [MOST [SPREAD [WITHOUT]]]]    1, 2000, 100 unless given; then SPREAD requests of those beyond MOST
 *     no_memory at N ridge COMMAND...               one run, for a debugger
 * One TAP line per command; run in the repository. WITHOUT: features that the program lacks, "sqlite" among them. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

enum { ARGUMENTS = 20, SECONDS = 30 };

int ridge_program(int argc, char **argv); /* src/cli/main.c's main */

/* ---- malloc and its kin, in place of the C library's ---- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *p, size_t n);

static volatile long requests;         /* so far */
static volatile long refused_from;     /* 0: none is refused */
static volatile bool refused_for_good; /* all from there on, else that one alone */

static __attribute__((noinline)) void refuse(void)
{
    errno = ENOMEM;
}

static bool is_refused(void)
{
    const long n = __atomic_add_fetch(&requests, 1, __ATOMIC_RELAXED);
    const bool refused = refused_from > 0 && (refused_for_good ? n >= refused_from : n == refused_from);
    if (refused)
        refuse();
    return refused;
}

void *malloc(size_t n)
{
    return is_refused() ? NULL : __libc_malloc(n);
}

void *calloc(size_t count, size_t n)
{
    return is_refused() ? NULL : __libc_calloc(count, n);
}

void *realloc(void *p, size_t n)
{
    return is_refused() ? NULL : __libc_realloc(p, n);
}

/* ---- the arena's, linked with --wrap: a block of it serves many of these ---- */

void *__real_ridge_arena_alloc(ridge_arena *arena, size_t bytes);
void *__wrap_ridge_arena_alloc(ridge_arena *arena, size_t bytes);
void *__real_ridge_arena_array(ridge_arena *arena, size_t count, size_t size);
void *__wrap_ridge_arena_array(ridge_arena *arena, size_t count, size_t size);
char *__real_ridge_arena_strdup(ridge_arena *arena, ridge_str text);
char *__wrap_ridge_arena_strdup(ridge_arena *arena, ridge_str text);
char *__wrap_ridge_arena_printf(ridge_arena *arena, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *__real_ridge_arena_grow(ridge_arena *arena, void *old, size_t count, size_t *cap, size_t want, size_t size);
void *__wrap_ridge_arena_grow(ridge_arena *arena, void *old, size_t count, size_t *cap, size_t want, size_t size);
bool __real_ridge_arena_more(ridge_arena *arena, void *array, size_t count, size_t *cap, size_t size);
bool __wrap_ridge_arena_more(ridge_arena *arena, void *array, size_t count, size_t *cap, size_t size);
char *__real_ridge_arena_take(ridge_arena *arena, ridge_buf *buf);
char *__wrap_ridge_arena_take(ridge_arena *arena, ridge_buf *buf);

/* as ridge_arena_alloc remembers it */
static bool is_refused_by(ridge_arena *arena)
{
    const bool refused = is_refused();
    arena->failed = arena->failed || refused;
    return refused;
}

void *__wrap_ridge_arena_alloc(ridge_arena *arena, size_t bytes)
{
    return is_refused_by(arena) ? NULL : __real_ridge_arena_alloc(arena, bytes);
}

void *__wrap_ridge_arena_array(ridge_arena *arena, size_t count, size_t size)
{
    return is_refused_by(arena) ? NULL : __real_ridge_arena_array(arena, count, size);
}

char *__wrap_ridge_arena_strdup(ridge_arena *arena, ridge_str text)
{
    return is_refused_by(arena) ? NULL : __real_ridge_arena_strdup(arena, text);
}

char *__wrap_ridge_arena_printf(ridge_arena *arena, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    char *text = n < 0 || is_refused_by(arena) ? NULL : __real_ridge_arena_alloc(arena, (size_t)n + 1);
    if (text != NULL)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    va_end(args);
    return text;
}

void *__wrap_ridge_arena_grow(ridge_arena *arena, void *old, size_t count, size_t *cap, size_t want, size_t size)
{
    const bool grows = old == NULL || want > *cap;
    return grows && is_refused_by(arena) ? NULL : __real_ridge_arena_grow(arena, old, count, cap, want, size);
}

/* those that call one of the others in their own file, where no --wrap reaches */
bool __wrap_ridge_arena_more(ridge_arena *arena, void *array, size_t count, size_t *cap, size_t size)
{
    const bool grows = count + 1 > *cap;
    return !(grows && is_refused_by(arena)) && __real_ridge_arena_more(arena, array, count, cap, size);
}

char *__wrap_ridge_arena_take(ridge_arena *arena, ridge_buf *buf)
{
    if (!is_refused_by(arena))
        return __real_ridge_arena_take(arena, buf);
    ridge_buf_free(buf);
    return NULL;
}

/* ---- one run, in a process of its own ---- */

typedef struct outcome {
    int status; /* as waitpid tells it */
    long requests;
    char *out, *err; /* what it printed */
    size_t out_size, err_size;
} outcome;

static char *read_all(int fd, size_t *size)
{
    struct stat info;
    char *text = NULL;
    *size = 0;
    if (fstat(fd, &info) == 0 && (text = malloc((size_t)info.st_size + 1)) != NULL) {
        ssize_t n = pread(fd, text, (size_t)info.st_size, 0);
        *size = n > 0 ? (size_t)n : 0;
        text[*size] = '\0';
    }
    return text;
}

static int count_words(const char *const *argv)
{
    int n = 0;
    while (argv[n] != NULL)
        n++;
    return n;
}

static outcome run(const char *const *argv, long from, bool for_good)
{
    outcome result = {0};
    const int out = memfd_create("out", 0), err = memfd_create("err", 0), count = memfd_create("count", 0);
    (void)fflush(stdout); /* the child has no copy of what is not written yet */
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(SECONDS);
        (void)dup2(out, STDOUT_FILENO);
        (void)dup2(err, STDERR_FILENO);
        requests = 0;
        refused_for_good = for_good;
        refused_from = from;
        const int status = ridge_program(count_words(argv), (char **)(uintptr_t)argv);
        const long made = requests;
        refused_from = 0;
        (void)fflush(NULL);
        _exit(pwrite(count, &made, sizeof made, 0) == sizeof made ? status : 99);
    }
    (void)waitpid(child, &result.status, 0);
    (void)pread(count, &result.requests, sizeof result.requests, 0);
    result.out = read_all(out, &result.out_size);
    result.err = read_all(err, &result.err_size);
    (void)close(out);
    (void)close(err);
    (void)close(count);
    return result;
}

static void free_outcome(outcome *o)
{
    free(o->out);
    free(o->err);
}

/* ---- what must hold ---- */

static bool is_same(const outcome *a, const outcome *b)
{
    return WIFEXITED(a->status) && a->status == b->status && a->out_size == b->out_size && a->err_size == b->err_size &&
           memcmp(a->out, b->out, a->out_size) == 0 && memcmp(a->err, b->err, a->err_size) == 0;
}

/* of the answer a first part may have been printed: rows that are streamed */
static bool says_no_memory(const outcome *o, const outcome *whole)
{
    return WIFEXITED(o->status) && WEXITSTATUS(o->status) == 1 && o->out_size <= whole->out_size &&
           memcmp(o->out, whole->out, o->out_size) == 0 &&
           (strstr(o->err, "out of memory") != NULL || strstr(o->err, "Cannot allocate memory") != NULL);
}

/* the first `shown` faults are told */
static void tell(const char *name, long n, bool for_good, const outcome *o, long faults)
{
    enum { SHOWN = 8 };
    if (faults > SHOWN)
        return;
    printf("# %s, request %ld%s refused: ", name, n, for_good ? " and all after it" : "");
    if (WIFSIGNALED(o->status))
        printf("killed by signal %d\n", WTERMSIG(o->status));
    else
        printf("status %d, %zu bytes of answer, says: %.*s\n", WEXITSTATUS(o->status), o->out_size, (int)strcspn(o->err, "\n"), o->err);
}

/* ---- what runs: words that begin with '@' are files of a folder of the test's own ---- */

typedef struct command {
    const char *words[ARGUMENTS];
    const char *writes; /* NULL, or its file: whole after status 0, else absent */
    bool store;         /* needs SQLite */
} command;

static char folder[64] = "/tmp/ridge-no-memory-XXXXXX";

static char *in_folder(const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    if (path != NULL)
        (void)sprintf(path, "%s/%s", folder, name);
    return path;
}

static void find_words(const char **out, const command *c)
{
    size_t n = 0;
    for (; c->words[n] != NULL; n++)
        out[n] = c->words[n][0] == '@' ? in_folder(c->words[n] + 1) : c->words[n];
    out[n] = NULL;
}

static void free_words(const char **words, const command *c)
{
    for (size_t i = 0; c->words[i] != NULL; i++)
        if (words[i] != c->words[i])
            free((char *)(uintptr_t)words[i]);
}

/* NULL: there is none */
static char *read_file(const char *path, size_t *size)
{
    const int fd = path != NULL ? open(path, O_RDONLY) : -1;
    char *text = fd >= 0 ? read_all(fd, size) : NULL;
    if (fd >= 0)
        (void)close(fd);
    return text;
}

typedef struct trial {
    const char *name, **words;
    char *path; /* of the file that it writes */
    outcome whole;
    char *written; /* with enough memory */
    size_t written_size;
    long faults, tried;
} trial;

static outcome run_afresh(const trial *t, long n, bool for_good)
{
    if (t->path != NULL)
        (void)unlink(t->path);
    return run(t->words, n, for_good);
}

static bool wrote_right(const trial *t, const outcome *o)
{
    size_t size = 0;
    char *text = read_file(t->path, &size);
    const bool whole = text != NULL && size == t->written_size && memcmp(text, t->written, size) == 0;
    const bool right = t->path == NULL || whole || (text == NULL && o->status != 0);
    free(text);
    return right;
}

static void try_request(trial *t, long n)
{
    for (int for_good = 0; for_good < 2; for_good++) {
        outcome o = run_afresh(t, n, for_good != 0);
        t->tried++;
        if ((!is_same(&o, &t->whole) && !says_no_memory(&o, &t->whole)) || !wrote_right(t, &o))
            tell(t->name, n, for_good != 0, &o, ++t->faults);
        free_outcome(&o);
    }
}

/* every step-th of the first `most` requests, then `spread` of all those after them */
static bool try_command(const char *name, const command *c, long step, long most, long spread)
{
    const char *words[ARGUMENTS];
    trial t = {.name = name, .words = words, .path = c->writes != NULL ? in_folder(c->writes) : NULL};
    find_words(words, c);
    t.whole = run_afresh(&t, 0, false);
    t.written = read_file(t.path, &t.written_size);
    if (!WIFEXITED(t.whole.status) || WEXITSTATUS(t.whole.status) != 0 || (t.path != NULL && t.written == NULL)) {
        printf("# %s: fails with all the memory it wants: %s\n", name, t.whole.err);
        t.faults++;
    }
    const long last = t.whole.requests, first = last < most ? last : most;
    for (long n = 1; n <= first; n += step)
        try_request(&t, n);
    for (long i = 0; i < spread && first + i < last; i++)
        try_request(&t, first + 1 + (last - first - 1) * i / (spread > 1 ? spread - 1 : 1));
    printf("# %s: %ld requests, %ld runs, %ld faults\n", name, last, t.tried, t.faults);
    free_words(words, c);
    free_outcome(&t.whole);
    free(t.written);
    free(t.path);
    return t.faults == 0;
}

/* ---- the folder: a home with a catalog and a store of its own ---- */

static bool write_file(const char *name, const char *text)
{
    char *path = in_folder(name);
    FILE *f = path != NULL ? fopen(path, "w") : NULL;
    const bool written = f != NULL && fputs(text, f) >= 0;
    free(path);
    return f != NULL && fclose(f) == 0 && written;
}

/* clang-format off */
#define RUN(number, digits) \
    "{\"run\": " number ", \"uuid\": \"" digits "\", \"started\": \"2026-11-20T09:00:00Z\", \"finished\": \"2026-11-20T09:00:12Z\", " \
    "\"ridge\": \"0.1.0\", \"build\": \"gcc\", \"machine\": \"5f0c11aa22bb33cc\", \"machine_text\": \"cpu: a\", " \
    "\"command\": \"ridge bench\", \"settings\": {}, \"row_count\": 1}"
#define ROW(number, median) \
    "{\"run\": " number ", \"kernel\": \"gemv\", \"variant\": \"avx2\", \"provider\": \"ridge\", \"shape\": {\"n\": 64, \"k\": 64}, " \
    "\"format\": \"q4_K\", \"activations\": \"fp32\", \"threads\": 1, \"cache\": \"cold\", " \
    "\"time_s\": {\"median\": " median ", \"low\": 0.003, \"high\": 0.006}, \"mad_s\": 1e-5, \"minimum_s\": 0.003, \"kept\": 9, " \
    "\"tried\": 10, \"calls_per_sample\": 1, \"stopped\": false, \"flops\": 8192, \"bytes\": 4096, \"flops_per_s\": 1e6, " \
    "\"bytes_per_s\": 1e6, \"percent_of_ceiling\": 80, \"predicted_s\": null, \"error\": null, \"bound\": \"memory\", " \
    "\"max_relative_error\": 1e-6, \"beats_roofline\": false}"
/* clang-format on */

static bool make_folder(bool store)
{
    static const char entry[] = "{\"my.A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"2 * n\"}}}";
    const char *import[] = {"ridge", "history", "import", "@runs.json", NULL},
               *baseline[] = {"ridge", "baseline", "set", "a", "--run", "1", NULL};
    if (mkdtemp(folder) == NULL || setenv("HOME", folder, 1) != 0 || setenv("XDG_DATA_HOME", folder, 1) != 0 ||
        setenv("LC_ALL", "C", 1) != 0 || !write_file("entry.json", entry) ||
        !write_file("runs.json",
                    "{\"runs\": [" RUN("1", "00000000000000000000000000000001") ", " RUN(
                        "2", "00000000000000000000000000000002") "], \"rows\": [" ROW("1", "0.004") ", " ROW("2", "0.005") "]}"))
        return false;
    if (!store)
        return true;
    char *runs = in_folder("runs.json");
    import[3] = runs;
    outcome imported = run(import, 0, false), set = run(baseline, 0, false);
    const bool made = imported.status == 0 && set.status == 0;
    if (!made)
        printf("# no store: %s%s\n", imported.err, set.err);
    free_outcome(&imported);
    free_outcome(&set);
    free(runs);
    return made;
}

static void remove_folder(void)
{
    char line[128];
    (void)snprintf(line, sizeof line, "rm -rf '%s'", folder);
    if (system(line) != 0)
        printf("# %s stays\n", folder);
}

/* one run of any command in this process, for a debugger: break at `refuse` */
static int run_here(int argc, char **argv)
{
    refused_from = strtol(argv[2], NULL, 10);
    return ridge_program(argc - 3, argv + 3);
}

static const command commands[] = {
#define LLAMA "meta-llama/Llama-2-7b-hf"
#define GPT2  "openai-community/gpt2"
    {{"ridge", "cost", LLAMA, "--depth", "2"}, NULL, false},
    {{"ridge", "cost", LLAMA, "--explain", "lm_head"}, NULL, false},
    {{"ridge", "cost", LLAMA, "--explain", "model.layers.0.mlp", "--json"}, NULL, false},
    {{"ridge", "cost", GPT2, "--all", "--json"}, NULL, false},
    {{"ridge", "cost", GPT2, "--symbolic"}, NULL, false},
    {{"ridge", "cost", GPT2, "--catalog", "tests/cli/data/override.json"}, NULL, false},
    {{"ridge", "inspect", GPT2, "--json"}, NULL, false},
    {{"ridge", "inspect", "tests/malformed/gguf/split_fine-00002-of-00002.gguf", "--json"}, NULL, false},
    {{"ridge", "cost", "tests/malformed/gguf/layers_fewer.gguf"}, NULL, false},
    {{"ridge", "cost", GPT2, "--weights", "mlp=q4_K,lm_head=q8_0,other=bf16"}, NULL, false},
    {{"ridge", "inspect", GPT2, "--all"}, NULL, false},
    {{"ridge", "inspect", "tests/fuzz/corpus/safetensors/file", "--json"}, NULL, false},
    {{"ridge", "inspect", "tests/fuzz/corpus/checkpoint/zip64"}, NULL, false},
    {{"ridge", "inspect", "tests/fuzz/corpus/onnx/attributes", "--json"}, NULL, false},
    {{"ridge", "inspect", "tests/fuzz/corpus/onnx/tensors", "--json"}, NULL, false},
    {{"ridge", "inspect", "tests/cli/data/indexed_same", "--verify"}, NULL, false},
    {{"ridge", "inspect", "tests/inventory/recorded/shared.json", "--json"}, NULL, false},
    {{"ridge", "cost", "tests/inventory/recorded/tied.json"}, NULL, false},
    {{"ridge", "cost", "tests/fuzz/corpus/inventory/config"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--advice", "3"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--recommend"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--advice", "none", "--against", "weights=int8", "--against", "t4"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "h100-sxm-80", "--tensor-parallel", "2", "--json"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--prompt", "64", "--generate", "8"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--advice", "none", "--roofline"}, NULL, false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--advice", "none", "--plot", "@q.svg"}, "q.svg", false},
    {{"ridge", "predict", GPT2, "--on", "l4", "--html", "@p.html"}, "p.html", false},
    {{"ridge", "sweep", GPT2, "--on", "l4", "--batch", "1:8:*2", "--threads", "1", "--csv"}, NULL, false},
    {{"ridge", "sweep", GPT2, "--on", "l4", "--batch", "1:8:*2", "--threads", "1"}, NULL, false},
    {{"ridge", "sweep", GPT2, "--on", "l4,t4", "--batch", "1:8:*2", "--threads", "1", "--summary", "--csv"}, NULL, false},
    {{"ridge", "op", "gemm", "--m", "64", "--n", "64", "--k", "64", "--on", "l4", "--all-formats"}, NULL, false},
    {{"ridge", "op", "model", "--hidden", "64", "--heads", "4", "--intermediate", "128", "--vocab", "100", "--layers", "2", "--seq", "8",
      "--on", "l4"},
     NULL,
     false},
    {{"ridge", "formula", "torch.nn.Linear", "2", "4", "8", "--trace"}, NULL, false},
    {{"ridge", "db", "show", "torch.nn.Linear", "--json"}, NULL, false},
    {{"ridge", "generate", "c", "--out", "@g", "torch.nn.Linear"}, "g/index.c", false},
    {{"ridge", "generate", "python", "--out", "@p", "transformers.models.mixtral.modeling_mixtral.MixtralSparseMoeBlock"},
     "p/index.py",
     false},
    {{"ridge", "db", "list", "--csv"}, NULL, false},
    {{"ridge", "db", "check", "tests/cli/data/one_entry.json"}, NULL, false},
    {{"ridge", "db", "check", "tests/cli/data/override.json", "--builtin-only"}, NULL, false},
    {{"ridge", "db", "add", "@entry.json"}, "ridge/catalog/user.json", false},
    {{"ridge", "machine", "list"}, NULL, false},
    {{"ridge", "machine", "show", "h100-sxm-80", "--json"}, NULL, false},
    {{"ridge", "machine", "compare", "a100-sxm-80", "h100-sxm-80", "b200-sxm"}, NULL, false},
    {{"ridge", "machine", "check", "machines/h100-sxm-80.json"}, NULL, false},
    {{"ridge", "machine", "add", "machines/h100-sxm-80.json"}, "ridge/machines/h100-sxm-80.json", false},
    {{"ridge", "history"}, NULL, true},
    {{"ridge", "history", "--runs", "--json"}, NULL, true},
    {{"ridge", "history", "show", "1"}, NULL, true},
    {{"ridge", "history", "export"}, NULL, true},
    {{"ridge", "history", "export", "@out.csv"}, "out.csv", true},
    {{"ridge", "history", "import", "@runs.json"}, NULL, true},
    {{"ridge", "baseline", "list"}, NULL, true},
    {{"ridge", "baseline", "set", "a", "--run", "1"}, NULL, true},
    {{"ridge", "compare", "--run", "1"}, NULL, true},
    {{"ridge", "formats", "--markdown"}, NULL, false},
    {{"ridge", "models"}, NULL, false},
    {{"ridge", "models", "--json", "--catalog", "tests/cli/data/override_config.json"}, NULL, false},
    {{"ridge", "help", "predict"}, NULL, false},
    {{"ridge", "help", "predict", "--schema"}, NULL, false},
    {{"ridge", "--complete", "predict", "meta-llama/"}, NULL, false},
};

int main(int argc, char **argv)
{
    if (argc > 3 && strcmp(argv[1], "at") == 0)
        return run_here(argc, argv);
    const size_t count = sizeof commands / sizeof *commands;
    const long step = argc > 1 ? strtol(argv[1], NULL, 10) : 1, most = argc > 2 ? strtol(argv[2], NULL, 10) : 2000,
               spread = argc > 3 ? strtol(argv[3], NULL, 10) : 100;
    const bool store = argc < 5 || strstr(argv[4], "sqlite") == NULL;
    size_t failed = 0;
    printf("1..%zu\n", count);
    if (!make_folder(store)) {
        puts("Bail out! no folder for the test");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        char name[256] = "";
        for (const char *const *word = commands[i].words; *word != NULL; word++)
            (void)snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", word == commands[i].words ? "" : " ", *word);
        const bool skipped = commands[i].store && !store;
        const bool fine = skipped || try_command(name, &commands[i], step > 0 ? step : 1, most, spread);
        failed += !fine;
        printf("%s %zu - %s%s\n", fine ? "ok" : "not ok", i + 1, name, skipped ? " # SKIP built without SQLite" : "");
        (void)fflush(stdout);
    }
    remove_folder();
    return failed > 0;
}
