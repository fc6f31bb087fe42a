/* driver.c - the library behind a pipe, for tests in Python: one process answers thousands of requests.
 * In, one line each: "inspect|cost|symbolic|config|formula key=value ...", `text=N` is followed by N bytes of a config.json (or a formula),
 * `at=` (symbolic) may be repeated and gives B,S,past,enc. Out: "ok N" or "error N", a line end, then N bytes. Values hold no spaces; paths
 * of this project's tests have none. */
#include <stdio.h>
#include <stdlib.h>

#include "formula/program.h"
#include "formula/poly.h"
#include "model/cost.h"
#include "model/inspect.h"

enum { LINE_LIMIT = 65536, POINT_LIMIT = 64, OUTPUTS = RIDGE_FLOP_COUNT + 2 * RIDGE_BYTE_SCORES };

typedef struct job {
    ridge_cost_request request;
    ridge_arena arena;
    const char *mode;
    char *text; /* malloc */
    long long points[POINT_LIMIT][4];
    size_t point_count;
} job;

static int word_of(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return i;
    fprintf(stderr, "driver: unknown word '%s'\n", word);
    exit(2);
}

static void read_text(job *j, const char *value)
{
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    if (*end != '\0' || n > (1u << 28) || (j->text = malloc(n + 1)) == NULL || fread(j->text, 1, n, stdin) != n) {
        fprintf(stderr, "driver: bad text\n");
        exit(2);
    }
    j->text[n] = '\0';
    j->request.model.config_text = j->text;
    j->request.model.config_length = n;
}

static void add_point(job *j, const char *value)
{
    long long *p = j->points[j->point_count];
    if (j->point_count >= POINT_LIMIT || sscanf(value, "%lld,%lld,%lld,%lld", &p[0], &p[1], &p[2], &p[3]) != 4) {
        fprintf(stderr, "driver: bad point '%s'\n", value);
        exit(2);
    }
    j->point_count++;
}

/* an option of `ridge cost` */
static void set_option(job *j, const char *key, const char *value)
{
    static const ridge_option_table tables[] = {{.options = ridge_options_cost},
                                                {.options = ridge_options_workload, .offset = offsetof(ridge_cost_request, model)},
                                                {.options = ridge_options_class, .offset = offsetof(ridge_cost_request, model)},
                                                {.options = NULL}};
    const ridge_option_places places = {.request = &j->request};
    const char *text = ridge_arena_printf(&j->arena, "%s=%s", key, value);
    ridge_err err = {0};
    if (text == NULL || ridge_options_set(&places, tables, text, &j->arena, &err) != RIDGE_OK) {
        fprintf(stderr, "driver: %s\n", err.msg);
        exit(2);
    }
}

static void set(job *j, const char *key, char *value)
{
    bool is_set = value[0] == '1';
    if (strcmp(key, "model") == 0)
        j->request.model.model = value;
    else if (strcmp(key, "text") == 0)
        read_text(j, value);
    else if (strcmp(key, "at") == 0)
        add_point(j, value);
    else if (strcmp(key, "no_rows") == 0)
        j->request.depth = is_set ? 0 : RIDGE_UNSET;
    else if (strcmp(key, "all") == 0 || strcmp(key, "partial") == 0)
        set_option(j, key, is_set ? "true" : "false");
    else if (strcmp(key, "causal") == 0)
        set_option(j, "attention", ridge_pairs_names[is_set]);
    else if (strcmp(key, "lm_head_last") == 0)
        set_option(j, "lm-head", ridge_head_names[is_set]);
    else
        set_option(j, strcmp(key, "image") == 0 ? "image-size" : key, value);
}

/* ---- symbolic: the residual program of every FLOP class and byte kind, run at each point ---- */

static void fill_inputs(ridge_int *inputs, const ridge_analysis *a, const long long *point)
{
    static const char *const names[] = {"B", "S", "past", "enc"};
    for (uint32_t i = 0; i < a->algebra.atom_count; i++) {
        const ridge_atom *atom = a->algebra.atoms[i];
        if (atom->kind == RIDGE_ATOM_NAME)
            inputs[atom->input] = point[word_of(atom->name, names, 4)];
    }
}

static ridge_status run_points(ridge_buf *out, ridge_analysis *a, const job *j, ridge_err *err)
{
    ridge_value values[OUTPUTS];
    ridge_int inputs[8] = {0}, results[OUTPUTS];
    ridge_program *program;
    ridge_json_writer w;
    ridge_status st;
    memcpy(values, a->total.flops, sizeof a->total.flops);
    memcpy(values + RIDGE_FLOP_COUNT, a->total.reads, sizeof a->total.reads);
    memcpy(values + RIDGE_FLOP_COUNT + RIDGE_BYTE_SCORES, a->total.writes, sizeof a->total.writes);
    if ((st = ridge_program_make(&program, values, OUTPUTS, &a->graph.run.calc)))
        return st;
    ridge_jw_init(&w, out);
    ridge_jw_array(&w);
    for (size_t i = 0; i < j->point_count; i++) {
        fill_inputs(inputs, a, j->points[i]);
        if ((st = ridge_program_run(results, program, inputs)))
            return ridge_fail(err, st, "the residual program fails at B=%lld S=%lld past=%lld enc=%lld", j->points[i][0], j->points[i][1],
                              j->points[i][2], j->points[i][3]);
        ridge_jw_array_compact(&w);
        for (int k = 0; k < OUTPUTS; k++)
            ridge_jw_int(&w, results[k]);
        ridge_jw_end_array(&w);
    }
    ridge_jw_end_array(&w);
    return RIDGE_OK;
}

static ridge_status inspect(ridge_buf *out, const job *j, ridge_registry *registry, ridge_err *err)
{
    const ridge_inspect_request request = {.model = j->request.model, .depth = RIDGE_UNSET};
    ridge_inspect_answer answer;
    ridge_status st = ridge_inspect_answer_make(&answer, registry, &request, err);
    if (st == RIDGE_OK)
        ridge_record_answer(out, &ridge_inspect_record, &answer);
    ridge_inspect_answer_free(&answer);
    return st;
}

static ridge_status cost(ridge_buf *out, const job *j, ridge_registry *registry, ridge_err *err)
{
    ridge_cost_answer answer;
    ridge_status st = ridge_cost_answer_make(&answer, registry, &j->request, err);
    if (st == RIDGE_OK)
        ridge_record_answer(out, &ridge_cost_record, &answer);
    ridge_cost_answer_free(&answer);
    return st;
}

static ridge_status symbolic(ridge_buf *out, const job *j, ridge_registry *registry, ridge_err *err)
{
    ridge_analysis *a;
    ridge_status st = ridge_analysis_forms(&a, registry, &j->request.model, RIDGE_SYMBOLS_ALL, false, err);
    if (st == RIDGE_OK)
        st = run_points(out, a, j, err);
    ridge_analysis_free(a);
    return st;
}

static ridge_status answer(ridge_buf *out, const job *j, ridge_registry *registry, ridge_err *err)
{
    if (strcmp(j->mode, "inspect") == 0)
        return inspect(out, j, registry, err);
    return strcmp(j->mode, "cost") == 0 ? cost(out, j, registry, err) : symbolic(out, j, registry, err);
}

static void reply(const char *word, const char *p, size_t n)
{
    printf("%s %zu\n", word, n);
    if (n != 0)
        (void)fwrite(p, 1, n, stdout);
    fflush(stdout);
}

static void serve(char *line, ridge_registry *registry)
{
    job j = {.mode = strtok(line, " \n")};
    ridge_buf out = {0};
    ridge_err err = {0};
    char message[2048];
    ridge_model_request_default(&j.request.model);
    j.request.depth = RIDGE_UNSET;
    ridge_arena_init(&j.arena);
    for (char *word; (word = strtok(NULL, " \n")) != NULL;) {
        char *equals = strchr(word, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        set(&j, word, equals + 1);
    }
    ridge_status st = answer(&out, &j, registry, &err);
    if (st == RIDGE_OK) {
        reply("ok", out.p, out.n);
    } else {
        int n = snprintf(message, sizeof message, "%s ", ridge_status_name(st));
        (void)ridge_err_format(message + n, sizeof message - (size_t)n, &err, "");
        reply("error", message, strlen(message));
    }
    ridge_buf_free(&out);
    ridge_arena_free(&j.arena);
    free(j.text);
}

int main(int argc, char **argv)
{
    static char line[LINE_LIMIT];
    ridge_registry *registry;
    ridge_err err = {0};
    if (ridge_registry_open(&registry, (const char *const *)(argv + 1), (size_t)(argc - 1), false, &err)) {
        char message[1024];
        (void)ridge_err_format(message, sizeof message, &err, "");
        fprintf(stderr, "driver: %s\n", message);
        return 1;
    }
    while (fgets(line, sizeof line, stdin) != NULL)
        serve(line, registry);
    ridge_registry_close(registry);
    return 0;
}
