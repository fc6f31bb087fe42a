/* The catalog as a database: what `ridge db check` says, what `add` leaves behind, what flat entries give. */
#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cost/flat.h"
#include "entries/db.h"
#include "entries/formula.h"

static char folder[64]; /* XDG_DATA_HOME of the test */
static ridge_arena arena;
static ridge_err err;
static ridge_registry *registry;
static ridge_check check;
static ridge_db_check_answer found;

static char *in_folder(const char *name)
{
    return ridge_arena_printf(&arena, "%s/%s", folder, name);
}

static const char *write_file(const char *name, const char *text)
{
    char *path = in_folder(name);
    assert_int_equal(ridge_file_write_atomic(path, ridge_str_of(text), NULL), RIDGE_OK);
    return path;
}

static int setup(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ridge-db-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_DATA_HOME", folder, 1);
    ridge_arena_init(&arena);
    ridge_err_clear(&err);
    if (ridge_registry_open(&registry, NULL, 0, false, &err))
        return 1;
    ridge_check_init(&check, registry, &arena, &err);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ridge_registry_close(registry);
    char *command = ridge_arena_printf(&arena, "rm -rf %s", folder);
    int rc = system(command);
    ridge_arena_free(&arena);
    return rc;
}

/* checks one text over the built-in catalog */
static void check_text(const char *text)
{
    check.only_user = true;
    assert_int_equal(ridge_check_load(&check, write_file("text.json", text)), RIDGE_OK);
    assert_int_equal(ridge_db_check(&found, &check), RIDGE_OK);
}

/* the problem whose message holds `part` */
static const ridge_finding *problem(const char *part)
{
    for (size_t i = 0; i < check.n; i++)
        if (strstr(check.findings[i].err.msg, part))
            return &check.findings[i];
    for (size_t i = 0; i < check.n; i++)
        print_error("  %s\n", check.findings[i].err.msg);
    fail_msg("no problem says '%s'", part);
    return NULL;
}

/* ---- check ---- */

static void builtin_is_clean(void **state)
{
    (void)state;
    assert_int_equal(ridge_db_check(&found, &check), RIDGE_OK);
    for (size_t i = 0; i < check.n; i++)
        print_error("%s:%u: %s\n", check.findings[i].err.file, check.findings[i].err.line, check.findings[i].err.msg);
    assert_int_equal(check.n, 0);
    assert_true(check.count > 400);
    assert_int_equal(found.count, 0);
    assert_int_equal(found.entries, check.count);
}

/* an entry that ships says in sentences what it is; a user's need not */
static void every_builtin_entry_explains_itself(void **state)
{
    (void)state;
    check_text(
        "{\"my.A\": {\"parameters\": []},\n\"my.B\": {\"parameters\": [], \"thinking\": \"adds the two things that it is given.\"},\n"
        "\"my.C\": {\"parameters\": [], \"thinking\": \"Adds two things.\"},\n"
        "\"my.D\": {\"parameters\": [], \"thinking\": \"Adds the two things that it is given\"},\n"
        "\"my.E\": {\"parameters\": [], \"thinking\": \"\"},\n"
        "\"my.F\": {\"parameters\": [], \"thinking\": \"Adds the two things that it is given.\"}}");
    assert_int_equal(check.n, 0);
    check.count = 0;
    check.only_user = false;
    for (size_t i = 0; i < registry->user_count; i++)
        registry->user[i]->origin = RIDGE_ORIGIN_BUILTIN;
    assert_int_equal(ridge_db_check(&found, &check), RIDGE_OK);
    assert_int_equal(found.errors, 5);
    for (size_t i = 0; i < found.count; i++) {
        assert_int_equal(found.problems[i].line, i + 1);
        assert_non_null(strstr(found.problems[i].message, "has a 'thinking' of whole sentences"));
    }
}

static void every_fault_of_an_entry(void **state)
{
    (void)state;
    check_text("{\"my.A\": {\n\"parameters\": [\"n\"], \"paramters\": [],\n\"flops\": {\"matmul\": \"2*n*mm\", \"other\": \"n+\"},\n"
               "\"breakdown\": {\"a\": \"{torch.nn.Linaer}(n)\", \"b\": \"{torch.nn.Linear}(n, n)\", \"c\": \"{torch.nn.ReLU}(m=n)\"}}}");
    assert_int_equal(problem("unknown field 'paramters'; did you mean 'parameters'?")->err.line, 2);
    assert_int_equal(problem("undefined name 'mm'")->err.line, 3);
    assert_int_equal(problem("undefined name 'mm'")->err.col, 26);
    assert_string_equal(problem("undefined name 'mm'")->err.excerpt, "2*n*mm\n    ^~");
    assert_int_equal(problem("did you mean 'torch.nn.Linear'?")->err.line, 4);
    assert_int_equal(problem("'out_features' is missing")->err.col, 50);
    problem("torch.nn.ReLU has no parameter 'm': it takes (n)");
    problem("the formula ends where a value was expected");
    assert_int_equal(check.errors, check.n);
    assert_int_equal(found.errors, found.count);
    assert_int_equal(found.problems[0].line, 2);
    assert_string_equal(found.problems[0].severity, "error");
    assert_string_equal(found.problems[0].code, "NAME");
    assert_string_equal(found.problems[0].entry, "my.A");
}

static void cycles_are_printed(void **state)
{
    (void)state;
    check_text("{\"my.A\": {\"parameters\": [\"n\"], \"breakdown\": {\"b\": \"{my.B}(n)\"}},"
               "\"my.B\": {\"parameters\": [\"n\"], \"breakdown\": {\"c\": \"{my.C}(n)\"}},"
               "\"my.C\": {\"parameters\": [\"n\"], \"breakdown\": {\"a\": \"{my.A}(n)\"}},"
               "\"my.E\": {\"inherits\": \"my.F\"}, \"my.F\": {\"inherits\": \"my.E\"}}");
    assert_string_equal(problem("my.A ->")->err.msg, "dependency cycle: my.A -> my.B -> my.C -> my.A");
    problem("inheritance cycle: my.E -> my.F -> my.E");
    assert_int_equal(check.errors, 3);
}

static void examples_are_evaluated(void **state)
{
    (void)state;
    check_text("{\"my.A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"B*n\", \"matmul\": \"n\"}, \"examples\": ["
               "{\"arguments\": [3], \"flops\": 6}, {\"arguments\": {\"n\": 3}, \"flops\": 5}, {\"arguments\": [3], \"workload\": {\"B\": "
               "2}, \"flops\": 9},"
               "{\"arguments\": [3, 4], \"flops\": 9}]}}");
    problem("the example says 5 FLOPs, the formula gives 6");
    problem("takes (n), not 2 arguments");
    assert_int_equal(check.n, 2);
}

static void overrides_accept_every_call(void **state)
{
    (void)state;
    check_text("{\"torch.nn.Linear\": {\"parameters\": [\"rows\", \"in_features\", \"out_features\"], \"flops\": {\"matmul\": \"0\"}},"
               "\"torch.nn.ReLU\": {\"parameters\": [\"n\", \"more=1\"], \"flops\": {\"activation\": \"n*more\"}},"
               "\"torch.nn.SiLU\": {\"parameters\": [\"m\"], \"flops\": {\"activation\": \"m\"}},"
               "\"torch.nn.Tanh\": {\"parameters\": [\"n\", \"must\"], \"flops\": {\"activation\": \"n\"}}}");
    problem("torch__nn__Linear: does not accept every call the built-in accepts: parameter 1, 'rows', lacks the name 'batch_elements'");
    problem("parameter 4, 'bias', is missing");
    problem("torch__nn__SiLU: does not accept every call the built-in accepts: parameter 1, 'm', lacks the name 'n'");
    problem("parameter 2, 'must', is new and lacks a default");
    problem("undefined name 'n', in what torch__nn__SiLU inherits of the entry that it replaces");
}

/* the README beside the example says what is wrong with it */
static void flat_example(void **state)
{
    (void)state;
    const char *path = SOURCE_ROOT "/../shared/catalog-example/module_db_flat.json", *given = getenv("RIDGE_SHARED");
    if (given)
        path = ridge_arena_printf(&arena, "%s/catalog-example/module_db_flat.json", given);
    if (!ridge_file_exists(path)) {
        print_message("# %s is not here: nothing is checked\n", path);
        return;
    }
    check.only_user = true;
    assert_int_equal(ridge_check_load(&check, path), RIDGE_OK);
    assert_int_equal(ridge_db_check(&found, &check), RIDGE_OK);
    assert_true(problem("disagrees with module_path 'transformers.models.llama.modeling_llama.LlamaAttention'; the path wins")->warning);
    assert_int_equal(problem("3 arguments given, 'output_features' is missing")->err.line, 17);
    assert_int_equal(problem("one of the two attention products is missing")->err.line, 25);
    assert_int_equal(problem("undefined name 'num_heads'")->err.line, 39);
}

/* ---- flat entries ---- */

static const char flat_text[] =
    "{\"acme.Linear\": {\"flop_analysis\": {\"parameters\": [\"B\", \"S\", \"i\", \"o\"], \"formula_template\": \"2*${B}*${S}*${i}*${o}\"},"
    "\"memory_analysis\": {\"parameters\": [\"B\", \"S\", \"i\", \"o\", \"dtype_bytes\"], \"reads_template\": \"(${i}*${o} + "
    "${B}*${S}*${i})*${dtype_bytes}\","
    "\"writes_template\": \"${B}*${S}*${o}*${dtype_bytes}\", \"intermediates_template\": \"${nowhere}\"}},"
    "\"acme.MLP\": {\"flop_analysis\": {\"parameters\": [\"n\"], \"formula_template\": \"2*{acme.Linear}(1, n, n, n) + "
    "{torch.nn.Linear}(n, n, n)\"}},"
    "\"acme.Short\": {\"flop_analysis\": {\"parameters\": [\"n\"], \"formula_template\": \"{acme.Linear}(n, n, n)\"}},"
    "\"acme.Loop\": {\"flop_analysis\": {\"parameters\": [\"n\"], \"formula_template\": \"1 + {acme.Loop}(n)\"}}}";

static ridge_status flat_value(ridge_value *out, const char *name, ridge_context context, const ridge_int *numbers, size_t count)
{
    ridge_graph graph;
    ridge_coster coster;
    ridge_argument args[8];
    ridge_err_clear(&err);
    assert_int_equal(ridge_graph_init(&graph, registry, &arena, NULL, &err), RIDGE_OK);
    graph.globals[RIDGE_GLOBAL_act] = graph.globals[RIDGE_GLOBAL_kv] = graph.globals[RIDGE_GLOBAL_weights_format] =
        ridge_value_str(RIDGE_STR("bf16"));
    assert_int_equal(ridge_coster_init(&coster, &graph, RIDGE_KERNEL_EAGER), RIDGE_OK);
    for (size_t i = 0; i < count; i++)
        args[i] = (ridge_argument){NULL, ridge_value_int(numbers[i])};
    return ridge_flat_value(out, &coster, ridge_registry_key(registry, ridge_str_of(name)), context, args, count);
}

static void flat_entries_have_values(void **state)
{
    (void)state;
    ridge_value v;
    assert_int_equal(ridge_registry_add(registry, ridge_str_of(flat_text), "flat.json", &err), RIDGE_OK);
    assert_int_equal(flat_value(&v, "acme.Linear", RIDGE_CONTEXT_FLOPS, (ridge_int[]){2, 3, 4, 5}, 4), RIDGE_OK);
    assert_true(ridge_value_equal(v, ridge_value_int(240)));
    assert_int_equal(flat_value(&v, "acme.Linear", RIDGE_CONTEXT_READS, (ridge_int[]){2, 3, 4, 5, 2}, 5), RIDGE_OK);
    assert_true(ridge_value_equal(v, ridge_value_int((4 * 5 + 2 * 3 * 4) * 2)));
    assert_int_equal(flat_value(&v, "acme.MLP", RIDGE_CONTEXT_FLOPS, (ridge_int[]){3}, 1), RIDGE_OK);
    assert_true(ridge_value_equal(v, ridge_value_int(2 * 54 + 54)));
    assert_int_equal(flat_value(&v, "torch.nn.Linear", RIDGE_CONTEXT_PARAMS, (ridge_int[]){1, 3, 5}, 3), RIDGE_OK);
    assert_true(ridge_value_equal(v, ridge_value_int(15)));
}

static void flat_entries_never_guess(void **state)
{
    (void)state;
    ridge_value v;
    assert_int_equal(ridge_registry_add(registry, ridge_str_of(flat_text), "flat.json", &err), RIDGE_OK);
    assert_int_equal(flat_value(&v, "acme.Short", RIDGE_CONTEXT_FLOPS, (ridge_int[]){3}, 1), RIDGE_ARITY);
    assert_string_equal(message_of(&err), "acme.Linear misses its argument 'o': it takes (B, S, i, o)");
    assert_int_equal(flat_value(&v, "acme.Linear", RIDGE_CONTEXT_READS, (ridge_int[]){2, 3, 4, 5}, 4), RIDGE_ARITY);
    assert_string_equal(message_of(&err), "acme.Linear misses its argument 'dtype_bytes': it takes (B, S, i, o, dtype_bytes)");
    assert_int_equal(flat_value(&v, "acme.Linear", RIDGE_CONTEXT_INTERMEDIATES, (ridge_int[]){2, 3, 4, 5, 2}, 5), RIDGE_NAME);
    assert_string_equal(message_of(&err), "undefined name 'nowhere'");
    assert_int_equal(flat_value(&v, "acme.MLP", RIDGE_CONTEXT_READS, (ridge_int[]){3}, 1), RIDGE_UNKNOWN);
    assert_int_equal(flat_value(&v, "acme.Loop", RIDGE_CONTEXT_FLOPS, (ridge_int[]){3}, 1), RIDGE_CYCLE);
    assert_string_equal(message_of(&err), "dependency cycle: acme.Loop -> acme.Loop");
}

/* ---- names ---- */

static void names_and_paths(void **state)
{
    (void)state;
    ridge_source *s;
    ridge_db_entry e;
    const ridge_symbol *key = ridge_registry_key(registry, RIDGE_STR("torch.nn.Linear"));
    assert_string_equal(key->text, "torch__nn__Linear");
    assert_ptr_equal(key, ridge_registry_key(registry, RIDGE_STR("torch__nn__Linear")));
    assert_string_equal(ridge_registry_path(registry, key), "torch.nn.Linear");
    assert_int_equal(ridge_db_find(&s, registry, "torch.nn.modules.linear.Linear", &err), RIDGE_OK);
    assert_ptr_equal(s->key, key);
    assert_int_equal(ridge_db_describe(&e, registry, s, &err), RIDGE_OK);
    assert_str(e.library, "torch");
    assert_string_equal(e.name, "torch.nn.Linear");
    assert_int_equal(e.kind, RIDGE_KIND_MODULE);
    assert_int_equal(ridge_db_find(&s, registry, "torch.nn.Linaer", &err), RIDGE_UNKNOWN);
    assert_string_equal(message_of(&err), "'torch.nn.Linaer' is not in the catalog; did you mean 'torch.nn.Linear'?");
}

static void later_user_entries_count_once(void **state)
{
    (void)state;
    ridge_source **all;
    size_t before, after, mine = 0;
    assert_int_equal(ridge_registry_all(&all, &before, registry, &err), RIDGE_OK);
    assert_int_equal(ridge_registry_add(registry, RIDGE_STR("{\"my.A\": {\"parameters\": []}}"), "one.json", &err), RIDGE_OK);
    assert_int_equal(ridge_registry_add(registry, RIDGE_STR("{\"my.A\": {\"parameters\": [\"n=1\"]}}"), "two.json", &err), RIDGE_OK);
    assert_int_equal(ridge_registry_all(&all, &after, registry, &err), RIDGE_OK);
    assert_int_equal(after, before + 1);
    for (size_t i = 0; i < after; i++)
        mine += strcmp(all[i]->key->text, "my__A") == 0 && strcmp(all[i]->file, "two.json") == 0;
    assert_int_equal(mine, 1);
}

/* ---- list, show ---- */

static void lists_stand_by_library(void **state)
{
    (void)state;
    static const char text[] = "{\"aB.X\": {\"parameters\": []}, \"a.Y\": {\"parameters\": []}, \"aB.W\": {\"inherits\": \"a.Y\"}}";
    ridge_db_list_answer a;
    const ridge_db_list_request all = {0}, some = {.kind = RIDGE_KIND_MODULE + 1, .text = "_LINEAR", .library = "torch"}, configs = {.kind = RIDGE_KIND_CONFIG + 1};
    assert_int_equal(ridge_registry_add(registry, ridge_str_of(text), "a.json", &err), RIDGE_OK);
    assert_int_equal(ridge_db_list_answer_make(&a, registry, &all, &arena, &err), RIDGE_OK);
    assert_string_equal(a.rows[0].entry.name, "a.Y"); /* 'B' comes before '_' */
    assert_string_equal(a.rows[1].entry.name, "aB.W");
    assert_string_equal(a.rows[2].entry.name, "aB.X");
    assert_int_equal(a.user, 3);
    assert_int_equal(ridge_db_list_answer_make(&a, registry, &some, &arena, &err), RIDGE_OK);
    assert_int_equal(a.count, 1);
    assert_int_equal(a.validated, 1);
    assert_string_equal(a.rows[0].entry.key, "torch__nn__Linear");
    assert_int_equal(ridge_db_list_answer_make(&a, registry, &configs, &arena, &err), RIDGE_OK);
    assert_true(a.count > 30);
    assert_int_equal(a.by_kind[RIDGE_KIND_CONFIG], a.count);
}

/* a chain that is deeper than C's stack would be, twice; one that is not there, and one that calls itself */
static void trees_may_be_deep(void **state)
{
    (void)state;
    enum { DEPTH = 300 };
    ridge_buf text = {0};
    ridge_db_show_answer a;
    ridge_db_show_request request = {"deep.M0", true};
    ridge_buf_addz(&text, "{");
    for (int i = 0; i < DEPTH; i++)
        ridge_buf_addf(&text, "\"deep.M%d\": {\"parameters\": [], \"breakdown\": {\"a\": \"{deep.M%d}()\", \"b\": \"{deep.M%d}()\"}},\n", i,
                       i + 1, i < 2 ? 2 : 0);
    ridge_buf_addf(&text, "\"deep.M%d\": {\"parameters\": [], \"breakdown\": {\"a\": \"{deep.Gone}()\"}}}", DEPTH);
    assert_int_equal(ridge_registry_add(registry, (ridge_str){text.p, text.n}, "deep.json", &err), RIDGE_OK);
    assert_int_equal(ridge_db_show_answer_make(&a, registry, &request, &arena, &err), RIDGE_OK);
    const ridge_db_line *needs = &a.lines[a.first_need];
    assert_int_equal(a.needs.count, 2);
    assert_int_equal(a.all_needs.count, DEPTH + 1);
    assert_string_equal(needs[DEPTH].name, "deep.Gone");
    assert_string_equal(needs[DEPTH].value, "not in the catalog");
    assert_int_equal(needs[DEPTH].depth, DEPTH);
    assert_string_equal(needs[DEPTH + 1].name, "deep.M0");
    assert_string_equal(needs[DEPTH + 1].value, "a cycle");
    assert_string_equal(a.lines[a.first_user - 1].name, "deep.M2");
    assert_string_equal(a.lines[a.first_user - 1].value, "above");
    assert_int_equal(a.users.count, DEPTH - 2);
    request.recursive = false;
    assert_int_equal(ridge_db_show_answer_make(&a, registry, &request, &arena, &err), RIDGE_OK);
    assert_int_equal(a.first_user - a.first_need, 2);
    ridge_buf_free(&text);
}

/* ---- formula ---- */

static void decimals_of_a_config_keep_their_digits(void **state)
{
    (void)state;
    static const char text[] =
        "{\"my.configuration_a.AConfig\": {\"kind\": \"config\", \"model_type\": \"a\", \"defaults\": {\"x\": 0.5}, \"types\": "
        "{\"x\": \"number\"}}, \"my.modeling_a.A\": {\"kind\": \"formula\", \"parameters\": [], \"value\": \"config.x\"}}";
    static const char *const cases[][2] = {{"x=0.12345678901234567890123", "12345678901234567890123/100000000000000000000000"},
                                           {"x=0.5*3", "3/2"},
                                           {"x=+0.5", "1/2"},
                                           {"x=00.5", "1/2"},
                                           {"x=1e-3", "1/1000"}};
    assert_int_equal(ridge_registry_add(registry, ridge_str_of(text), "a.json", &err), RIDGE_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words[] = {"my.modeling_a.A", cases[i][0]};
        const ridge_formula_request request = {.words = {words, 2}};
        ridge_formula_answer a;
        assert_int_equal(ridge_formula_answer_make(&a, registry, &request, &arena, &err), RIDGE_OK);
        assert_string_equal(a.whole.result.text, cases[i][1]);
    }
}

/* ---- add ---- */

/* `ridge db add`, with a registry of its own */
static ridge_status add(const char *file, bool replace, ridge_db_change *first)
{
    ridge_arena own;
    ridge_err own_err = {0};
    ridge_registry *r;
    ridge_check c;
    ridge_db_add_request request = {file, replace};
    ridge_db_add_answer answer;
    ridge_arena_init(&own);
    ridge_status st = ridge_registry_open(&r, NULL, 0, false, &own_err);
    if (st)
        return st;
    ridge_check_init(&c, r, &own, &own_err);
    st = ridge_db_add(&answer, &c, &request);
    if (!st && first && answer.count)
        *first = answer.entries[0].change;
    ridge_registry_close(r);
    ridge_arena_free(&own);
    return st;
}

static ridge_str user_file(void)
{
    ridge_str text = {"", 0};
    ridge_file_read(&text, in_folder("ridge/catalog/user.json"), 1 << 24, &arena, NULL);
    return text;
}

static void add_says_what_it_did(void **state)
{
    (void)state;
    ridge_db_change change;
    const char *one = write_file("one.json", "{\"my.A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"n\"}}}");
    const char *two = write_file("two.json", "{\"my.A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"2*n\"}}}");
    const char *relu = write_file("relu.json", "{\"torch.nn.ReLU\": {\"parameters\": [\"n\"], \"flops\": {\"activation\": \"2*n\"}}}");
    const char *bad = write_file("bad.json", "{\"my.B\": {\"parameters\": [\"n\"]}, \"my.C\": {\"flops\": {\"other\": \"nn\"}}}");
    assert_int_equal(add(one, false, &change), RIDGE_OK);
    assert_int_equal(change, RIDGE_CHANGE_ADDED);
    assert_int_equal(add(one, false, &change), RIDGE_OK);
    assert_int_equal(change, RIDGE_CHANGE_UNCHANGED);
    ridge_str before = user_file();
    assert_int_equal(add(two, false, NULL), RIDGE_VALUE);
    assert_int_equal(add(bad, false, NULL), RIDGE_CHECK);
    assert_true(ridge_str_eq(before, user_file()));
    assert_int_equal(add(two, true, &change), RIDGE_OK);
    assert_int_equal(change, RIDGE_CHANGE_REPLACED);
    assert_int_equal(add(relu, false, &change), RIDGE_OK);
    assert_int_equal(change, RIDGE_CHANGE_OVERRIDDEN);
    assert_str(user_file(), "{\n  \"my__A\": {\"parameters\": [\"n\"], \"flops\": {\"other\": \"2*n\"}},\n"
                            "  \"torch__nn__ReLU\": {\"parameters\": [\"n\"], \"flops\": {\"activation\": \"2*n\"}}\n}\n");
}

/* an entry in a file of the user's own making is replaced where it stands */
static void add_replaces_in_place(void **state)
{
    (void)state;
    ridge_str text;
    assert_int_equal(ridge_file_make_folders(in_folder("ridge/catalog"), NULL), RIDGE_OK);
    write_file("ridge/catalog/mine.json", "{\"my.A\": {\"parameters\": []}, \"my.B\": {\"parameters\": []}}");
    assert_int_equal(add(write_file("new.json", "{\"my.B\": {\"parameters\": [\"n=1\"]}}"), true, NULL), RIDGE_OK);
    assert_int_equal(ridge_file_read(&text, in_folder("ridge/catalog/mine.json"), 1 << 20, &arena, NULL), RIDGE_OK);
    assert_str(text, "{\n  \"my__A\": {\"parameters\": []},\n  \"my__B\": {\"parameters\": [\"n=1\"]}\n}\n");
    assert_false(ridge_file_exists(in_folder("ridge/catalog/user.json")));
}

enum { WRITERS = 8 };

static void adds_at_once_all_land(void **state)
{
    (void)state;
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        const char *file =
            write_file(ridge_arena_printf(&arena, "in%d.json", i), ridge_arena_printf(&arena, "{\"my.M%d\": {\"parameters\": []}}", i));
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(add(file, false, NULL) == RIDGE_OK ? 0 : 1);
    }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    ridge_str text = user_file();
    for (int i = 0; i < WRITERS; i++) {
        const char *key = ridge_arena_printf(&arena, "\"my__M%d\"", i);
        assert_non_null(memmem(text.p, text.n, key, strlen(key)));
    }
}

/* an entry of about a megabyte, so that a kill can fall into the writing */
static const char *large_file(const char *name, char mark)
{
    ridge_buf text = {0};
    ridge_buf_addf(&text, "{\"my.Large\": {\"parameters\": [], \"thinking\": \"");
    for (int i = 0; i < 1 << 20; i++)
        ridge_buf_addc(&text, mark);
    ridge_buf_addz(&text, "\"}}");
    const char *path = write_file(name, text.p);
    ridge_buf_free(&text);
    return path;
}

static void a_kill_leaves_old_or_new(void **state)
{
    (void)state;
    const char *files[2] = {large_file("a.json", 'a'), large_file("b.json", 'b')};
    ridge_str whole[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(add(files[i], true, NULL), RIDGE_OK);
        whole[i] = user_file();
    }
    unsigned seed = 12345, killed = 0;
    for (int round = 0; round < 60; round++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (int i = 0;; i++)
                add(files[i & 1], true, NULL);
        seed = seed * 1103515245u + 12345u;
        nanosleep(&(struct timespec){0, (long)(seed >> 8) % 30000000}, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        killed += WIFSIGNALED(status) != 0;
        ridge_str now = user_file();
        assert_true(ridge_str_eq(now, whole[0]) || ridge_str_eq(now, whole[1]));
    }
    assert_int_equal(killed, 60);
    assert_int_equal(add(files[0], true, NULL), RIDGE_OK); /* the lock went with its holder */
}

/* ---- export ---- */

static void export_reads_back_clean(void **state)
{
    (void)state;
    ridge_buf text = {0};
    assert_int_equal(ridge_registry_add(registry, RIDGE_STR("{\"my.A\": {\"parameters\": []}}"), "one.json", &err), RIDGE_OK);
    assert_int_equal(ridge_db_export(&text, registry, &err), RIDGE_OK);
    ridge_registry_close(registry);
    assert_int_equal(ridge_registry_open(&registry, NULL, 0, false, &err), RIDGE_OK);
    ridge_check_init(&check, registry, &arena, &err);
    check_text(text.p);
    ridge_buf_free(&text);
    assert_int_equal(check.n, 0);
    assert_true(check.count > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(builtin_is_clean, setup, teardown),
        cmocka_unit_test_setup_teardown(every_builtin_entry_explains_itself, setup, teardown),
        cmocka_unit_test_setup_teardown(every_fault_of_an_entry, setup, teardown),
        cmocka_unit_test_setup_teardown(cycles_are_printed, setup, teardown),
        cmocka_unit_test_setup_teardown(examples_are_evaluated, setup, teardown),
        cmocka_unit_test_setup_teardown(overrides_accept_every_call, setup, teardown),
        cmocka_unit_test_setup_teardown(flat_example, setup, teardown),
        cmocka_unit_test_setup_teardown(flat_entries_have_values, setup, teardown),
        cmocka_unit_test_setup_teardown(flat_entries_never_guess, setup, teardown),
        cmocka_unit_test_setup_teardown(names_and_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(later_user_entries_count_once, setup, teardown),
        cmocka_unit_test_setup_teardown(lists_stand_by_library, setup, teardown),
        cmocka_unit_test_setup_teardown(trees_may_be_deep, setup, teardown),
        cmocka_unit_test_setup_teardown(decimals_of_a_config_keep_their_digits, setup, teardown),
        cmocka_unit_test_setup_teardown(add_says_what_it_did, setup, teardown),
        cmocka_unit_test_setup_teardown(add_replaces_in_place, setup, teardown),
        cmocka_unit_test_setup_teardown(adds_at_once_all_land, setup, teardown),
        cmocka_unit_test_setup_teardown(a_kill_leaves_old_or_new, setup, teardown),
        cmocka_unit_test_setup_teardown(export_reads_back_clean, setup, teardown),
    };
    return RUN_TESTS(tests);
}
