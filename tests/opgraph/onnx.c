/* onnx.c - the rules of ONNX's operators against the *.case files of this folder, a node a line, made here without a file:
 *   OP@VERSION attribute=value ... : input ... -> output ... | CLASS FLOPS | view | reads I=N
 *   OP@VERSION ... : input ... !! what is wrong       (the message after the node)
 *   OP@VERSION ... : input ... ?? why it is unknown
 * A tensor is fp32[2,3], with content i64[2]{1,-1}; "-" is left out, or not wanted; fp32? has no known shape; a result of which the shape
 * is known and nothing else may be ?[2,3]. A content that is not said is not compared; {?} is none. onnx.case is by hand, FLOPs by
 * arithmetic; onnx_runtime.case has what ONNX Runtime 1.30 made of random inputs. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "catalog/registry.h"
#include "formula/expr.h"
#include "opgraph/run.h"

enum { MOST = 40, TEXT = 4096, LIMIT = 4 << 20 };

typedef struct setting {
    ridge_registry *registry;
    ridge_arena arena;
    ridge_err err;
    jmp_buf failed;
} setting;

typedef struct graph {
    setting *s;
    const char *file;
    unsigned line;
    ridge_opgraph_value values[MOST];
    uint32_t value_count, inputs[MOST], outputs[MOST];
    ridge_opgraph_argument arguments[MOST];
    ridge_opgraph_node node;
    ridge_opgraph g;
    ridge_opgraph_run run;
} graph;

/* a case that fails is told, and the next one runs */
#define CHECK(c, condition, ...)                                                                                                           \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            print_error("%s:%u: ", (c)->file, (c)->line);                                                                                  \
            print_error(__VA_ARGS__);                                                                                                      \
            print_error("\n");                                                                                                             \
            longjmp((c)->s->failed, 1);                                                                                                    \
        }                                                                                                                                  \
    } while (0)

/* ---- reading ---- */

/* "[1,-2]" or "{1.5,2}" from *at on; returns how many, *at is behind it */
static size_t read_list(const graph *c, const char **at, char close, double *reals, int64_t *ints)
{
    size_t n = 0;
    for (++*at; **at != close;) {
        char *end, *end_real;
        CHECK(c, n < RIDGE_OPGRAPH_CONTENT, "a long list");
        ints[n] = strtoll(*at, &end, 10);
        reals[n] = strtod(*at, &end_real);
        CHECK(c, end_real != *at, "a list with '%s'", *at);
        n++;
        *at = end_real + (*end_real == ',');
    }
    ++*at;
    return n;
}

static bool is_whole(const ridge_format *f)
{
    return f->integer || strcmp(f->name, "int8") == 0 || strcmp(f->name, "int4") == 0;
}

/* "fp32[2,3]{...}" */
static void read_value(graph *c, ridge_opgraph_value *v, const char *text)
{
    static double reals[RIDGE_OPGRAPH_CONTENT];
    static int64_t ints[RIDGE_OPGRAPH_CONTENT];
    size_t n = strcspn(text, "[?");
    const char *at = text + n;
    if (n)
        CHECK(c, (v->format = ridge_format_find((ridge_str){text, n})) != NULL, "no format '%s'", text);
    at += *at == '?' && at[1] == '[';
    v->ranked = *at == '[';
    if (!v->ranked)
        return;
    v->rank = (uint32_t)read_list(c, &at, ']', reals, ints);
    ridge_opgraph_dim *dims = ridge_arena_array(&c->s->arena, v->rank + 1, sizeof *dims);
    for (uint32_t i = 0; i < v->rank; i++)
        dims[i] = (ridge_opgraph_dim){ints[i], {"", 0}};
    v->dims = dims;
    if (*at != '{' || at[1] == '?')
        return;
    v->content_count = read_list(c, &at, '}', reals, ints);
    void *copy = ridge_arena_alloc(&c->s->arena, v->content_count * sizeof(double) + 8);
    memcpy(copy, is_whole(v->format) ? (void *)ints : (void *)reals, v->content_count * sizeof(double));
    v->ints = is_whole(v->format) ? copy : NULL;
    v->reals = is_whole(v->format) ? NULL : copy;
}

static uint32_t new_value(graph *c, ridge_opgraph_origin origin)
{
    CHECK(c, c->value_count < MOST, "too many tensors");
    ridge_opgraph_value *v = &c->values[c->value_count];
    *v = (ridge_opgraph_value){.name = ridge_str_of(ridge_arena_printf(&c->s->arena, "t%u", c->value_count)), .origin = origin};
    return c->value_count++;
}

/* "axis=1", "alpha=0.5", "pads=[1,1]", "scales=[1.0,2.0]", "value=i64[1]{3}", "mode=linear" */
static void read_argument(graph *c, ridge_opgraph_argument *a, const char *text)
{
    const char *is = strchr(text, '='), *value = is + 1;
    char *end;
    a->name = (ridge_str){text, (size_t)(is - text)};
    bool dotted = strchr(value, '.') != NULL && !strchr(value, '>');
    if (*value == '[') {
        double *reals = ridge_arena_array(&c->s->arena, RIDGE_OPGRAPH_CONTENT, sizeof *reals);
        int64_t *ints = ridge_arena_array(&c->s->arena, RIDGE_OPGRAPH_CONTENT, sizeof *ints);
        a->count = read_list(c, &value, ']', reals, ints);
        a->kind = dotted ? RIDGE_OPGRAPH_ARG_REALS : RIDGE_OPGRAPH_ARG_INTS;
        if (dotted)
            a->u.reals = reals;
        else
            a->u.ints = ints;
    } else if (strchr(value, '[')) {
        a->kind = RIDGE_OPGRAPH_ARG_VALUE;
        a->u.value = new_value(c, RIDGE_OPGRAPH_CONSTANT);
        read_value(c, &c->values[a->u.value], value);
    } else if (strtod(value, &end), end != value && *end == '\0') {
        a->kind = dotted ? RIDGE_OPGRAPH_ARG_REAL : RIDGE_OPGRAPH_ARG_INT;
        if (dotted)
            a->u.real = strtod(value, NULL);
        else
            a->u.whole = strtoll(value, NULL, 10);
    } else {
        a->kind = RIDGE_OPGRAPH_ARG_TEXT;
        a->u.text = ridge_str_of(value);
        for (char *p = (char *)(uintptr_t)value; *p; p++) /* blanks are written _ */
            *p = *p == '_' && strchr(value, '>') ? ' ' : *p;
    }
}

static void make_graph(graph *c, char *words, const char *op)
{
    char *version = strchr(op, '@');
    uint32_t arguments = 0;
    bool inputs = false;
    CHECK(c, version, "no version of the operator set");
    *version = '\0';
    c->node = (ridge_opgraph_node){.op = ridge_str_of(op), .name = RIDGE_STR("n"), .opset = atoi(version + 1)};
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
        if (strcmp(w, ":") == 0) {
            inputs = true;
        } else if (!inputs) {
            read_argument(c, &c->arguments[arguments++], w);
        } else if (strcmp(w, "-") == 0) {
            c->inputs[c->node.input_count++] = RIDGE_OPGRAPH_NONE;
        } else {
            c->inputs[c->node.input_count++] = new_value(c, RIDGE_OPGRAPH_INPUT);
            read_value(c, &c->values[c->value_count - 1], w);
        }
    c->node.arguments = c->arguments;
    c->node.argument_count = arguments;
    c->node.inputs = c->inputs;
    c->node.outputs = c->outputs;
}

static ridge_status run(graph *c)
{
    c->g = (ridge_opgraph){
        .kind = "ONNX", .path = "case", .values = c->values, .value_count = c->value_count, .main = {&c->node, 1, NULL, NULL, 0, 0}};
    ridge_err_clear(&c->s->err);
    return ridge_opgraph_run_graph(&c->run, &c->g, NULL, 0, c->s->registry, &c->s->arena, &c->s->err);
}

/* ---- comparing ---- */

static bool same_content(const ridge_opgraph_tensor *t, const ridge_opgraph_value *want)
{
    if (t->content_count != want->content_count || (t->ints != NULL) != (want->ints != NULL))
        return false;
    for (size_t i = 0; i < t->content_count; i++) {
        double difference = t->ints ? (double)(t->ints[i] - want->ints[i]) : t->reals[i] - want->reals[i];
        if (difference > 1e-6 || difference < -1e-6)
            return false;
    }
    return true;
}

static void compare_result(const graph *c, uint32_t i, const char *text)
{
    graph wanted = {.s = c->s, .file = c->file, .line = c->line};
    ridge_opgraph_value want = {0};
    const ridge_opgraph_tensor *t = &c->run.tensors[c->outputs[i]];
    const ridge_opgraph_call call = {.run = (ridge_opgraph_run *)(uintptr_t)&c->run};
    read_value(&wanted, &want, text);
    CHECK(c, t->known, "result %u is not known: %s", i, t->why ? t->why : "");
    bool same = t->rank == want.rank;
    for (uint32_t d = 0; same && d < t->rank; d++)
        same = t->dims[d] == want.dims[d].size;
    CHECK(c, same, "result %u is %s, not %s", i, ridge_opgraph_shape_text(&call, t), text);
    CHECK(c, *text == '?' || t->format == want.format, "result %u is of %s, not %s", i, t->format ? t->format->name : "-", text);
    if (strstr(text, "{?}"))
        CHECK(c, !t->ints && !t->reals, "result %u has a content", i);
    else if (strchr(text, '{'))
        CHECK(c, same_content(t, &want), "result %u holds other numbers than %s", i, text);
}

static ridge_int flops_of(const graph *c, const ridge_opgraph_step *step)
{
    ridge_arena *arena = &c->s->arena;
    ridge_symtab names;
    ridge_value slots[RIDGE_OPGRAPH_SIZES] = {0}, value;
    ridge_expr *expr;
    assert_true(ridge_symtab_init(&names, arena));
    ridge_scope scope = {.arena = arena, .symbols = &names};
    for (unsigned i = 0; i < step->size_count; i++) {
        ridge_scope_add(&scope, ridge_intern(&names, ridge_str_of(step->sizes[i].name)));
        slots[i] = ridge_value_int(step->sizes[i].value);
    }
    ridge_status st = ridge_expr_parse(&expr, ridge_str_of(step->spec->flops), "formula", 1, 1, &scope, &c->s->err);
    ridge_evaluation run = {.calc = {.arena = arena, .err = &c->s->err}, .slots = slots, .steps_left = 10000};
    if (!st)
        st = ridge_expr_eval(&value, expr, &run);
    CHECK(c, !st && value.type == RIDGE_V_INT, "its FLOPs: %s", c->s->err.msg);
    return value.u.i;
}

/* "matmul 128", "view", "reads 0=12" */
static void compare_cost(const graph *c, const char *text)
{
    const ridge_opgraph_step *step = &c->run.steps[0];
    char name[16];
    long long number, input;
    if (strcmp(text, "view") == 0) {
        CHECK(c, step->is_view, "it is no view");
    } else if (strcmp(text, "none") == 0) {
        CHECK(c, !step->spec->flops, "it has FLOPs");
    } else if (sscanf(text, "reads %lld=%lld", &input, &number) == 2) {
        ridge_int taken = input == 0 && step->gathered >= 0 ? step->gathered : step->taken ? step->taken[input] : -1;
        CHECK(c, taken == number, "it reads %lld elements of input %lld, not %lld", (long long)taken, input, number);
    } else {
        CHECK(c, sscanf(text, "%15s %lld", name, &number) == 2, "'%s'?", text);
        CHECK(c, step->spec->flops && strcmp(step->spec->flop_class, name) == 0, "its FLOPs are of no class %s", name);
        ridge_int flops = flops_of(c, step);
        CHECK(c, flops == number, "it has %lld FLOPs, not %lld", (long long)flops, number);
    }
}

static void compare_all(graph *c, char *wanted)
{
    char *costs = strchr(wanted, '|');
    if (costs)
        *costs++ = '\0';
    uint32_t i = 0;
    CHECK(c, run(c) == RIDGE_OK, "%s", c->s->err.msg);
    CHECK(c, !c->run.steps[0].unknown, "it is unknown: %s", c->run.steps[0].unknown);
    for (char *w = strtok(wanted, " "); w; w = strtok(NULL, " "), i++)
        if (strcmp(w, "-") != 0)
            compare_result(c, i, w);
    for (char *w = costs ? strtok(costs, "|") : NULL; w; w = strtok(NULL, "|")) {
        w += strspn(w, " ");
        for (size_t n = strlen(w); n && w[n - 1] == ' '; n--)
            w[n - 1] = '\0';
        compare_cost(c, w);
    }
}

static void compare_wrong(graph *c, const char *message)
{
    ridge_status st = run(c);
    CHECK(c, st == RIDGE_VALUE, "it is not refused");
    const char *found = strstr(c->s->err.msg, "): ");
    CHECK(c, strncmp(c->s->err.msg, "case: node 'n' (", 16) == 0 && found && strcmp(found + 3, message) == 0, "it says: %s", c->s->err.msg);
}

static void compare_unknown(graph *c, const char *why)
{
    CHECK(c, run(c) == RIDGE_OK, "%s", c->s->err.msg);
    const char *unknown = c->run.steps[0].unknown;
    CHECK(c, unknown && strcmp(unknown, why) == 0, "it says: %s", unknown ? unknown : "(it is known)");
}

/* ---- a line ---- */

static void count_outputs(graph *c, const char *wanted)
{
    static const char *const ends = "|";
    char copy[TEXT];
    snprintf(copy, sizeof copy, "%s", wanted);
    copy[strcspn(copy, ends)] = '\0';
    for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
        c->outputs[c->node.output_count++] = strcmp(w, "-") == 0 ? RIDGE_OPGRAPH_NONE : new_value(c, RIDGE_OPGRAPH_RESULT);
}

static void run_case(setting *s, const char *file, unsigned number, char *line)
{
    static const char *const marks[] = {" -> ", " !! ", " ?? "};
    static graph c;
    c = (graph){.s = s, .file = file, .line = number};
    char *mark = NULL;
    size_t which = 0;
    for (; which < 3 && !(mark = strstr(line, marks[which])); which++)
        ;
    CHECK(&c, mark, "no result");
    *mark = '\0';
    char *wanted = mark + 4, *words = strchr(line, ' ');
    CHECK(&c, words, "no inputs");
    *words++ = '\0';
    make_graph(&c, words, line);
    if (which == 0)
        count_outputs(&c, wanted);
    else
        c.outputs[c.node.output_count++] = new_value(&c, RIDGE_OPGRAPH_RESULT);
    if (which == 0)
        compare_all(&c, wanted);
    else if (which == 1)
        compare_wrong(&c, wanted);
    else
        compare_unknown(&c, wanted);
}

static void run_file(setting *s, const char *path)
{
    ridge_str text;
    static unsigned number, cases, failures; /* they outlive a jump */
    ridge_arena held;
    ridge_arena_init(&held);
    number = cases = failures = 0;
    assert_int_equal(ridge_file_read(&text, path, LIMIT, &held, &s->err), RIDGE_OK);
    static const char *at, *end;
    for (at = text.p, end = text.p + text.n; at < end; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        char line[TEXT];
        size_t n = (size_t)((stop ? stop : end) - at);
        assert_true(n < sizeof line);
        memcpy(line, at, n);
        line[n] = '\0';
        at += n + 1;
        if (!n || *line == '#')
            continue;
        if (setjmp(s->failed) == 0)
            run_case(s, path, number + 1, line);
        else
            failures++;
        ridge_arena_free(&s->arena);
        cases++;
    }
    assert_true(cases > 0);
    assert_int_equal(failures, 0);
    ridge_arena_free(&held);
}

static void test_by_hand(void **state)
{
    run_file(*state, "tests/opgraph/onnx.case");
}

static void test_runtime(void **state)
{
    run_file(*state, "tests/opgraph/onnx_runtime.case");
}

/* ---- contents that are too many ---- */

/* Neg of 4,096 numbers, again and again: after 4 Mi elements none is kept; Identity shares its input's list, and short ones are kept. */
static ridge_opgraph_run chain(setting *s, const char *op, int64_t size, uint32_t count)
{
    ridge_opgraph_value *values = ridge_arena_array(&s->arena, count + 1, sizeof *values);
    ridge_opgraph_node *nodes = ridge_arena_array(&s->arena, count, sizeof *nodes);
    uint32_t *numbers = ridge_arena_array(&s->arena, count + 1, sizeof *numbers);
    ridge_opgraph_dim *dim = ridge_arena_alloc(&s->arena, sizeof *dim);
    ridge_opgraph *g = ridge_arena_alloc(&s->arena, sizeof *g);
    ridge_opgraph_run run;
    *dim = (ridge_opgraph_dim){size, {"", 0}};
    for (uint32_t i = 0; i <= count; i++) {
        values[i] = (ridge_opgraph_value){.name = RIDGE_STR("t"), .origin = RIDGE_OPGRAPH_RESULT};
        numbers[i] = i;
        if (i < count)
            nodes[i] = (ridge_opgraph_node){.op = ridge_str_of(op),
                                            .inputs = &numbers[i],
                                            .outputs = &numbers[i + 1],
                                            .input_count = 1,
                                            .output_count = 1,
                                            .opset = 13};
    }
    values[0] = (ridge_opgraph_value){.name = RIDGE_STR("t"),
                                      .origin = RIDGE_OPGRAPH_CONSTANT,
                                      .format = ridge_format_find(RIDGE_STR("i64")),
                                      .ranked = true,
                                      .rank = 1,
                                      .dims = dim,
                                      .ints = ridge_arena_array(&s->arena, (size_t)size, sizeof(int64_t)),
                                      .content_count = (size_t)size};
    *g = (ridge_opgraph){
        .kind = "ONNX", .path = "case", .values = values, .value_count = count + 1, .main = {nodes, count, NULL, NULL, 0, 0}};
    ridge_err_clear(&s->err);
    assert_int_equal(ridge_opgraph_run_graph(&run, g, NULL, 0, s->registry, &s->arena, &s->err), RIDGE_OK);
    return run;
}

static void test_long_contents(void **state)
{
    setting *s = *state;
    ridge_opgraph_run run = chain(s, "Neg", 4096, 1100);
    assert_non_null(run.tensors[1024].ints);
    assert_null(run.tensors[1025].ints);
    assert_true(run.tensors[1100].known);
    run = chain(s, "Identity", 4096, 1100);
    assert_ptr_equal(run.tensors[1100].ints, run.tensors[0].ints);
    run = chain(s, "Neg", 64, 70000);
    assert_non_null(run.tensors[70000].ints);
    ridge_arena_free(&s->arena);
}

static int open_setting(void **state)
{
    setting *s = calloc(1, sizeof *s);
    if (!s)
        return 1;
    ridge_arena_init(&s->arena);
    *state = s;
    return ridge_registry_open(&s->registry, NULL, 0, false, NULL) != RIDGE_OK;
}

static int close_setting(void **state)
{
    setting *s = *state;
    ridge_registry_close(s->registry);
    ridge_arena_free(&s->arena);
    free(s);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_runtime),
                                       cmocka_unit_test(test_long_contents)};
    return cmocka_run_group_tests_name(__FILE__, tests, open_setting, close_setting);
}
