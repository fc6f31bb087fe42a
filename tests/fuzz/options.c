/* options.c - fuzzes the options of all commands, as words of a command line and as name=value: both ways give the same request or the same
 * refusal, whatever is written. Also the ranges of sweeps: what is read has as many values as it says, all within its limits.
 * Input: a line with the command ("machine show"), then a line per word; "name=value" is an option, other lines are operands. */
#include "fuzz.h"

#include <string.h>

#include "cli/argv.h"
#include "sweep/axis.h"

enum { SIZE_LIMIT = 4096, LINES = 24, VALUES_LOOKED_AT = 64 };

typedef struct words {
    char text[SIZE_LIMIT + 1]; /* the lines, each ended by NUL */
    char dashed[SIZE_LIMIT + 2 * LINES + 1];
    char *lines[LINES], *argv[LINES];
    const char *operands[LINES], *options[LINES];
    size_t count, operand_count, option_count;
} words;

static void split(words *r, const uint8_t *data, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        if (data[i] != '\0')
            r->text[n++] = (char)data[i];
    r->text[n] = '\0';
    for (char *at = r->text; at != NULL && r->count < LINES;) {
        r->lines[r->count++] = at;
        char *end = strchr(at, '\n');
        at = end != NULL ? end + 1 : NULL;
        if (end != NULL)
            *end = '\0';
    }
}

static bool is_option(const char *line)
{
    const char *equals = strchr(line, '=');
    return equals != NULL && equals != line && line[0] != '-';
}

/* A flag is written without a value on a command line: those lines are left out. */
static bool is_flag(const ridge_command *command, const char *line)
{
    const size_t n = (size_t)(strchr(line, '=') - line);
    for (const ridge_option_table *table = command->tables; table->options != NULL; table++)
        for (const ridge_option *option = table->options; option->name != NULL; option++) {
            bool same = strlen(option->name) == n;
            for (size_t i = 0; same && i < n; i++)
                same = option->name[i] == line[i] || (option->name[i] == '-' && line[i] == '_');
            if (same && option->argument == NULL)
                return true;
        }
    return false;
}

static void sort_lines(words *r, const ridge_command *command)
{
    char *dashed = r->dashed;
    for (size_t i = 1; i < r->count; i++) {
        char *line = r->lines[i];
        if (is_option(line) && !is_flag(command, line)) {
            r->options[r->option_count++] = line;
        } else if (!is_option(line) && line[0] != '-') {
            r->operands[r->operand_count++] = line;
        }
    }
    for (size_t i = 0; i < r->operand_count; i++)
        r->argv[i] = (char *)(uintptr_t)r->operands[i];
    for (size_t i = 0; i < r->option_count; i++) {
        r->argv[r->operand_count + i] = dashed;
        dashed += sprintf(dashed, "--%s", r->options[i]) + 1;
    }
}

static const ridge_command *find(char *line)
{
    const char *parts[4], *path;
    size_t n = 0, used;
    const ridge_command *command = NULL;
    ridge_arena arena;
    ridge_err err = {0};
    for (char *word = strtok(line, " "); word != NULL && n < 4; word = strtok(NULL, " "))
        parts[n++] = word;
    ridge_arena_init(&arena);
    if (n > 0)
        fuzz_check_err(ridge_command_find(&command, &path, &used, n, parts, &arena, &err), &err);
    ridge_arena_free(&arena);
    return command;
}

static void read_both(words *r, const ridge_command *command)
{
    ridge_call one, two;
    ridge_err first = {0}, second = {0};
    void *request;
    bool help = false;
    ridge_call_init(&one, NULL, NULL);
    ridge_call_init(&two, NULL, NULL);
    ridge_status st = ridge_command_request(&request, &one, command, &first);
    if (st == RIDGE_OK)
        st = ridge_argv_read(request, &help, &one, command, (int)(r->operand_count + r->option_count), r->argv, &first);
    const ridge_status other =
        ridge_command_read(&request, &two, command, r->operands, r->operand_count, r->options, r->option_count, &second);
    fuzz_check_err(st, &first);
    fuzz_check_err(other, &second);
    FUZZ_CHECK((st == RIDGE_OK) == (other == RIDGE_OK));
    ridge_call_free(&one);
    ridge_call_free(&two);
}

static void read_axis(const char *text)
{
    ridge_arena arena;
    ridge_sweep_axis axis;
    ridge_err err = {0};
    ridge_arena_init(&arena);
    const ridge_status st = ridge_sweep_axis_read(&axis, text, "batch", 1, (int64_t)1 << 40, &arena, &err);
    fuzz_check_err(st, &err);
    for (int64_t i = 0; st == RIDGE_OK && i < axis.count && i < VALUES_LOOKED_AT; i++) {
        const int64_t low = ridge_sweep_axis_at(&axis, i), high = ridge_sweep_axis_at(&axis, axis.count - 1 - i);
        FUZZ_CHECK(low >= 1 && low <= axis.most && high >= 1 && high <= axis.most);
    }
    ridge_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static words r; /* large */
    if (size > SIZE_LIMIT)
        return 0;
    memset(&r, 0, sizeof r);
    split(&r, data, size);
    for (size_t i = 1; i < r.count; i++) {
        const char *equals = strchr(r.lines[i], '=');
        read_axis(equals != NULL ? equals + 1 : r.lines[i]);
    }
    const ridge_command *command = find(r.lines[0]);
    if (command != NULL && command->run != NULL) {
        sort_lines(&r, command);
        read_both(&r, command);
    }
    return 0;
}
