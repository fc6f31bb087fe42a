/* Times whole processes, several commands interleaved: median wall time, peak resident memory.
 * usage: bench-process ROUNDS 'command word word' ['command ...']...  A small program, so that the memory is the command's own. */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 8, WORDS = 16 };

typedef struct command {
    const char *text;
    char *words[WORDS];
    double *times;
    long peak_kb;
} command;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int run_once(command *c, int round)
{
    char *environment[] = {(char[]){"HOME=/nonexistent"}, NULL};
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    pid_t pid;
    int status;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    double start = now_ms();
    int failed = posix_spawn(&pid, c->words[0], &actions, NULL, c->words, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (failed || wait4(pid, &status, 0, &usage) != pid || status != 0)
        return 1;
    c->times[round] = now_ms() - start;
    c->peak_kb = usage.ru_maxrss > c->peak_kb ? usage.ru_maxrss : c->peak_kb;
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int prepare(command *c, const char *text, int rounds)
{
    char *copy = strdup(text);
    int n = 0;
    c->text = text;
    c->times = calloc((size_t)rounds, sizeof *c->times);
    for (char *word = copy ? strtok(copy, " ") : NULL; word && n < WORDS - 1; word = strtok(NULL, " "))
        c->words[n++] = word;
    return c->times && n ? 0 : 1;
}

int main(int argc, char **argv)
{
    static command commands[COMMANDS];
    int rounds = argc > 2 ? atoi(argv[1]) : 0, count = argc - 2;
    if (rounds < 1 || rounds > 100000 || count > COMMANDS) {
        fprintf(stderr, "usage: bench-process ROUNDS 'command'...\n");
        return 2;
    }
    for (int i = 0; i < count; i++)
        if (prepare(&commands[i], argv[i + 2], rounds))
            return 1;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++)
            if (run_once(&commands[i], round)) {
                fprintf(stderr, "bench-process: '%s' failed\n", commands[i].text);
                return 1;
            }
    for (int i = 0; i < count; i++) {
        qsort(commands[i].times, (size_t)rounds, sizeof(double), compare);
        const char *name = strrchr(commands[i].words[0], '/');
        printf("%6.2f ms  peak %5.1f MB  %s%s\n", commands[i].times[rounds / 2], (double)commands[i].peak_kb / 1e3,
               name ? name + 1 : commands[i].words[0], commands[i].text + strlen(commands[i].words[0]));
    }
    printf("second to first: %.2f\n", count > 1 ? commands[1].times[rounds / 2] / commands[0].times[rounds / 2] : 1.0);
    return 0;
}
