/* Every option of every command, written as words of a command line and as name=value: the same request, the same refusal. */
#include "test.h"

#include <stdio.h>

#include "cli/argv.h"

enum { MOST = 64 };

typedef struct tally {
    size_t options, taken, refused;
} tally;

/* one way of reading: its call, its request, what came of it */
typedef struct reading {
    ridge_call call;
    void *request;
    ridge_status st;
    ridge_err err;
} reading;

/* ---- values worth trying ---- */

static const char *const numbers[] = {
    "0", "1", "2",   "3",  "8",   "2k",    "1Ki", "4000000", "9223372036854775807", "99999999999999999999999", "-1", "1e3",
    "x", "",  "0x8", " 1", "1.5", "2.5us", "3ms", NULL};
static const char *const words[] = {"all",      "none",    "this", "a,b", "a,,b",     "1:8:*2",  "8:1", "1,2,1", "bf16",
                                    "fp8,q4_K", "batch=8", "50%",  "2G",  "nonsense", "prefill", "1",   "",      NULL};
static const char *const truths[] = {"true", "false", "maybe", "", NULL};

/* ---- the two ways ---- */

static void open_reading(reading *r, const ridge_command *command)
{
    *r = (reading){.st = RIDGE_OK};
    ridge_call_init(&r->call, NULL, NULL);
    assert_int_equal(ridge_command_request(&r->request, &r->call, command, &r->err), RIDGE_OK);
}

/* as many operands as the command needs */
static int operands_of(char **out, const ridge_command *command)
{
    static char model[] = "model";
    int n = 0;
    while (command->operands.usage && n < (int)command->operands.min)
        out[n++] = model;
    return n;
}

/* assignment: "--name=value" */
static void read_argv(reading *r, const ridge_command *command, const ridge_option *option, char *assignment)
{
    char *argv[MOST], name[MOST];
    bool help;
    int argc = operands_of(argv, command);
    (void)snprintf(name, sizeof name, "--%s", option->name);
    argv[argc++] = option->argument ? assignment : name;
    open_reading(r, command);
    r->st = ridge_argv_read(r->request, &help, &r->call, command, argc, argv, &r->err);
}

static void read_assignment(reading *r, const ridge_command *command, const char *assignment)
{
    char *operands[MOST];
    const int count = operands_of(operands, command);
    *r = (reading){.st = RIDGE_OK};
    ridge_call_init(&r->call, NULL, NULL);
    r->st = ridge_command_read(&r->request, &r->call, command, (const char *const *)operands, (size_t)count, &assignment, 1, &r->err);
}

/* ---- equal ---- */

static bool same_words(const ridge_words *a, const ridge_words *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = strcmp(a->items[i], b->items[i]) == 0;
    return same;
}

static bool same_formats(const ridge_formats *a, const ridge_formats *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->items, b->items, a->n * sizeof *a->items) == 0);
}

/* Requests hold numbers, words of the command line (the same bytes of memory, here) and what was made of them in the call's arena. */
static void assert_same_member(const ridge_command *command, const ridge_option *option, const void *a, const void *b)
{
    bool same = false;
    switch (option->kind) {
    case RIDGE_OPTION_FLAG:
        same = *(const bool *)a == *(const bool *)b;
        break;
    case RIDGE_OPTION_SET:
    case RIDGE_OPTION_CHOICE:
        same = *(const int *)a == *(const int *)b;
        break;
    case RIDGE_OPTION_STRING:
    case RIDGE_OPTION_FORMAT:
        same = *(const void *const *)a == *(const void *const *)b;
        break;
    case RIDGE_OPTION_FORMATS:
        same = same_formats(a, b);
        break;
    case RIDGE_OPTION_LIST:
        same = same_words(a, b);
        break;
    case RIDGE_OPTION_COUNT:
        same = *(const ridge_int *)a == *(const ridge_int *)b;
        break;
    case RIDGE_OPTION_INT:
        same = *(const int64_t *)a == *(const int64_t *)b;
        break;
    case RIDGE_OPTION_SECONDS:
    case RIDGE_OPTION_REAL:
        same = *(const double *)a == *(const double *)b;
        break;
    case RIDGE_OPTION_OTHER: /* its reader is the same; what it makes has no type here */
        same = true;
    }
    if (!same)
        fail_msg("%s: the two ways leave different values in '%s'", command->name, option->name);
}

static void assert_same(const ridge_command *command, const reading *a, const reading *b, const char *assignment)
{
    if (a->st != b->st || strcmp(a->err.msg, b->err.msg) != 0)
        fail_msg("%s, %s: \"%s\" (%s) and \"%s\" (%s)", command->name, assignment, a->err.msg, ridge_status_name(a->st), b->err.msg,
                 ridge_status_name(b->st));
    for (const ridge_option_table *table = command->tables; table->options && !a->st; table++)
        for (const ridge_option *option = table->options; option->name; option++) {
            const size_t offset = table->offset + option->offset;
            assert_same_member(command, option, (const char *)(table->of_call ? (const void *)&a->call : a->request) + offset,
                               (const char *)(table->of_call ? (const void *)&b->call : b->request) + offset);
        }
}

static void try_value(tally *t, const ridge_command *command, const ridge_option *option, const char *value)
{
    char assignment[2 * MOST];
    reading as_argv, as_assignment;
    (void)snprintf(assignment, sizeof assignment, "--%s=%s", option->name, value);
    read_argv(&as_argv, command, option, assignment);
    read_assignment(&as_assignment, command, assignment + 2);
    assert_same(command, &as_argv, &as_assignment, assignment);
    t->taken += !as_argv.st;
    t->refused += as_argv.st != RIDGE_OK;
    ridge_call_free(&as_argv.call);
    ridge_call_free(&as_assignment.call);
}

static void try_option(tally *t, const ridge_command *command, const ridge_option *option)
{
    t->options++;
    if (!option->argument) { /* --name alone is name=true */
        try_value(t, command, option, truths[0]);
        return;
    }
    for (const char *const *value = numbers; *value; value++)
        try_value(t, command, option, *value);
    for (const char *const *value = words; *value; value++)
        try_value(t, command, option, *value);
    for (size_t i = 0; option->words && option->words[i]; i++)
        try_value(t, command, option, option->words[i]);
}

static void try_commands(tally *t, const ridge_command *const *commands)
{
    for (; *commands; commands++) {
        const ridge_command *command = *commands;
        for (const ridge_option_table *table = command->tables; command->run && table->options; table++)
            for (const ridge_option *option = table->options; option->name; option++)
                if (ridge_options_offered(command->tables, table, option))
                    try_option(t, command, option);
        if (command->commands)
            try_commands(t, command->commands);
    }
}

static void test_every_option_both_ways(void **state)
{
    (void)state;
    tally t = {0};
    try_commands(&t, ridge_commands);
    print_message("# %zu options, %zu values taken, %zu refused\n", t.options, t.taken, t.refused);
    assert_true(t.options > 200 && t.taken > t.options && t.refused > t.options);
}

/* what the command line takes, name=value takes, and the other way round */
static void test_values_of_the_command_line(void **state)
{
    (void)state;
    static const struct {
        const char *command, *assignment;
        ridge_status st;
    } cases[] = {
        {"cost", "batch=2k", RIDGE_OK},          {"cost", "image-size=4000000", RIDGE_USAGE}, {"predict", "prompt=1k", RIDGE_OK},
        {"predict", "reserve=10%", RIDGE_OK},    {"predict", "against=batch=8", RIDGE_OK},    {"predict", "advice=3", RIDGE_OK},
        {"predict", "recommend=true", RIDGE_OK}, {"sweep", "batch=1:1k:*2", RIDGE_OK},        {"cost", "all=maybe", RIDGE_USAGE},
        {"cost", "lm_head=last", RIDGE_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const ridge_command *command;
        const char *path;
        size_t used;
        reading r;
        ridge_call call;
        ridge_err err = {0};
        ridge_call_init(&call, NULL, NULL);
        assert_int_equal(ridge_command_find(&command, &path, &used, 1, &cases[i].command, &call.arena, &err), RIDGE_OK);
        read_assignment(&r, command, cases[i].assignment);
        if (r.st != cases[i].st)
            fail_msg("%s %s: %s", cases[i].command, cases[i].assignment, r.err.msg);
        ridge_call_free(&r.call);
        ridge_call_free(&call);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_option_both_ways),
        cmocka_unit_test(test_values_of_the_command_line),
    };
    return RUN_TESTS(tests);
}
