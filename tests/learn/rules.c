/* rules.c - every rule of catalog/torch/operators.json against PyTorch: small calls (rules.py) do what PyTorch 1.13 did in them
 * (rules.txt), and no longer do where a rule is changed. Each entry's own rules are changed one by one: its FLOPs and their class, its
 * traffic, its dtype, its shape, what it fuses with, which operator runs in its place. RIDGE_MUTATIONS=all tries every change; otherwise
 * each EVERY-th. */
#include "learn/python_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json.h"
#include "catalog/embedded.h"
#include "formula/poly.h"

enum { EVERY = 7 };

/* ---- what was recorded ---- */

typedef struct known {
    const char *setup, *call, *wanted, *keeps, *fuses; /* wanted: a line for each operator, then "= " and the results */
} known;

static ridge_arena files;
static known *cases;
static size_t case_count, case_cap;

static const char *line_of(const char **at)
{
    size_t n = strcspn(*at, "\n");
    const char *line = ridge_arena_strdup(&files, (ridge_str){*at, n});
    *at += n + ((*at)[n] != 0);
    return line;
}

/* "> setup | call", operators, "= results [fuses]", "keeps ..." */
static void read_case(const char **at)
{
    known k = {.fuses = ""};
    char *first = ridge_arena_strdup(&files, ridge_str_of(line_of(at) + 2));
    char *bar = strstr(first, " | ");
    assert_non_null(bar);
    *bar = '\0';
    k.setup = first;
    k.call = bar + 3;
    ridge_buf wanted = {0};
    while (**at && **at != '>') {
        char *line = ridge_arena_strdup(&files, ridge_str_of(line_of(at)));
        if (strncmp(line, "keeps ", 6) == 0) {
            k.keeps = line + 6;
            continue;
        }
        char *word = line[0] == '=' ? strrchr(line, ' ') : NULL;
        if (word && (word[1] == '\0' || strcmp(word, " elementwise") == 0 || strcmp(word, " reduction") == 0)) {
            k.fuses = word + 1;
            *word = '\0';
        }
        ridge_buf_addf(&wanted, "%s\n", line);
    }
    k.wanted = ridge_arena_take(&files, &wanted);
    assert_true(ridge_arena_more(&files, &cases, case_count, &case_cap, sizeof *cases));
    cases[case_count++] = k;
}

static int read_cases(void **state)
{
    (void)state;
    ridge_err err = {0};
    ridge_str text;
    ridge_arena_init(&files);
    assert_int_equal(ridge_file_read(&text, "tests/learn/rules.txt", SIZE_MAX, &files, &err), RIDGE_OK);
    for (const char *at = ridge_arena_strdup(&files, text); *at;)
        read_case(&at);
    return 0;
}

static int forget_cases(void **state)
{
    (void)state;
    ridge_arena_free(&files);
    return 0;
}

/* ---- what ridge says ---- */

/* rules.py has the same: floats, bf16, complex, whole numbers, truths; rows in some order; what has no gradient; an ordered range. Of the
 * first three all want a gradient, or one of them. */
static const char *const preamble = "import torch\nimport torch.nn.functional as F\nimport torch.distributions as D\n"
                                    "wanted, made = None, 0\n"
                                    "def want(which):\n    global wanted, made\n    wanted, made = which, 0\n"
                                    "def give(v):\n    global made\n    made += 1\n"
                                    "    return v.requires_grad_(wanted == -1 or wanted == made - 1)\n"
                                    "def t(*s):\n    return give(torch.empty(s))\n"
                                    "def h(*s):\n    return give(torch.empty(s, dtype=torch.bfloat16))\n"
                                    "def c(*s):\n    return give(torch.empty(s, dtype=torch.complex64))\n"
                                    "def i(*s):\n    return torch.ones(s, dtype=torch.int64)\n"
                                    "def b(*s):\n    return torch.ones(s, dtype=torch.bool)\n"
                                    "def p(n):\n    return torch.arange(n)\n"
                                    "def a(*s):\n    return torch.empty(s)\n"
                                    "def o(n):\n    return torch.arange(n) * 1.0\n"
                                    "def put(x, z, y):\n    x[z] = y\n    return x\n";

static void add_number(ridge_buf *out, const ridge_poly *poly)
{
    if (!poly)
        ridge_buf_addc(out, '?');
    else if (poly->count)
        ridge_poly_print(out, poly);
    else
        ridge_buf_addc(out, '0');
}

/* "aten.mm.default matmul 48 72>32": class and number of FLOPs, bytes read and written */
static void add_operator(ridge_buf *out, const ridge_run_operator *op)
{
    ridge_buf_addf(out, "%s %s ", op->operator->name, op->operator->flops ? op->operator->flop_class : "-");
    add_number(out, op->flops);
    ridge_buf_addc(out, ' ');
    add_number(out, op->reads);
    ridge_buf_addc(out, '>');
    add_number(out, op->writes);
    ridge_buf_addc(out, '\n');
}

/* "float32 [2, 4] of x", of each tensor */
static void add_result(ridge_buf *out, ridge_py result, ridge_py x, bool *first, ridge_py_interp *in)
{
    if (result.type == RIDGE_PY_T_INSTANCE)
        result = result.u.instance->base;
    if (result.type == RIDGE_PY_T_TUPLE || result.type == RIDGE_PY_T_LIST)
        for (size_t i = 0; i < result.u.list->count; i++)
            add_result(out, result.u.list->items[i], x, first, in);
    if (result.type != RIDGE_PY_T_TENSOR)
        return;
    const ridge_tensor *t = result.u.tensor;
    ridge_buf_addf(out, "%s%s [", *first ? "= " : "; ", ridge_dtype_name(t->dtype));
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i].type == RIDGE_PY_T_INT)
            ridge_buf_addf(out, "%s%lld", i ? ", " : "", (long long)t->dims[i].u.i);
        else
            ridge_buf_addf(out, "%s?", i ? ", " : "");
    ridge_buf_addf(out, "]%s", x.type == RIDGE_PY_T_TENSOR && x.u.tensor->storage == t->storage ? " of x" : "");
    *first = false;
}

typedef struct said {
    char *text;            /* as `wanted` has it; NULL: it failed */
    const char *operators; /* " aten.mm.default aten.add.Tensor " */
    bool fuses, keeps;     /* as it was recorded */
} said;

/* case `at`, a function of the session's module: the operators that ran from event *first on */
static ridge_status run_case(ridge_py *result, ridge_py *x, size_t *first, size_t at, session *s)
{
    char name[32];
    ridge_py function, pair;
    ridge_trace *run = ridge_run_of(&s->in);
    snprintf(name, sizeof name, "c%zu", at);
    run->recording = false;
    *first = run->root->count;
    ridge_status st = ridge_py_getz(&function, s->module, name, &s->in);
    if (st == RIDGE_OK)
        st = ridge_py_uncaught(ridge_py_call_value(&pair, function, NULL, 0, NULL, 0, &s->in), &s->in);
    run->recording = true;
    if (st != RIDGE_OK)
        return st;
    *x = pair.u.list->items[1];
    return ridge_py_uncaught(ridge_py_call_value(result, pair.u.list->items[0], NULL, 0, NULL, 0, &s->in), &s->in);
}

static long elements_of(const ridge_tensor *t)
{
    long n = 1;
    for (uint32_t i = 0; i < t->rank; i++)
        n *= (long)t->dims[i].u.i;
    return n;
}

/* bytes of the memory that the operators from event `first` on keep: each storage once, copies besides */
static long kept_bytes(const ridge_run_call *call, size_t first)
{
    const ridge_storage *seen[64];
    size_t count = 0;
    long bytes = 0;
    for (size_t i = first; i < call->count; i++) {
        const ridge_run_operator *op = call->events[i].operator;
        for (uint32_t k = 0; k < op->kept_count; k++) {
            const ridge_storage *storage = op->kept[k].tensor->storage;
            bool fresh = true;
            for (size_t n = 0; n < count && !op->kept[k].copied; n++)
                fresh &= seen[n] != storage;
            if (fresh && !op->kept[k].copied)
                seen[count++] = storage;
            bytes += fresh ? elements_of(storage->owner) * (long)ridge_dtype_bytes(storage->owner->dtype) : 0;
        }
    }
    return bytes;
}

/* "72 48 24": what is kept where all want a gradient, where the first does, ...; "-": PyTorch refuses */
static bool keeps_as_recorded(session *s, size_t at)
{
    int which = -1;
    ridge_py want, result, x;
    size_t first;
    for (const char *word = cases[at].keeps; word && *word; word += strspn(word, " "), which++) {
        const ridge_py number = ridge_py_int(which);
        size_t n = strcspn(word, " ");
        if (*word != '-' &&
            (ridge_py_getz(&want, s->module, "want", &s->in) || ridge_py_call_value(&result, want, &number, 1, NULL, 0, &s->in) ||
             run_case(&result, &x, &first, at, s) || kept_bytes(ridge_run_of(&s->in)->root, first) != strtol(word, NULL, 10)))
            return false;
        word += n;
    }
    return true;
}

static said say(session *s, size_t at)
{
    ridge_buf text = {0}, operators = {0};
    ridge_py x, result;
    said answer = {.fuses = true};
    size_t before;
    if (run_case(&result, &x, &before, at, s) != RIDGE_OK)
        return answer;
    const ridge_run_call *root = ridge_run_of(&s->in)->root;
    ridge_buf_addc(&operators, ' ');
    for (size_t i = before; i < root->count; i++) {
        const ridge_run_operator *op = root->events[i].operator;
        add_operator(&text, op);
        ridge_buf_addf(&operators, "%s ", op->operator->name);
        const char *fuses = op->operator->fuses;
        answer.fuses &= !fuses || !*cases[at].fuses || root->count != before + 1 || strcmp(fuses, cases[at].fuses) == 0;
    }
    if (root->count == before)
        ridge_buf_addz(&text, "nothing\n");
    bool first = true;
    add_result(&text, result, x, &first, &s->in);
    ridge_buf_addc(&text, '\n');
    answer.text = ridge_arena_take(&s->arena, &text);
    answer.operators = ridge_arena_take(&s->arena, &operators);
    answer.keeps = keeps_as_recorded(s, at);
    return answer;
}

/* a module with these cases, and with `operators` in the place of the built-in ones */
static ridge_status open_cases(session *s, const size_t *list, size_t count, const char *operators)
{
    static ridge_buf text; /* the session reads it until it ends */
    text.n = 0;
    ridge_buf_addz(&text, preamble);
    for (size_t i = 0; i < count; i++) {
        const known *k = &cases[list[i]];
        bool has_x = strchr(k->setup, 'x') != NULL;
        ridge_buf_addf(&text, "def c%zu():\n    %s\n    return (lambda: %s), %s\n", list[i], k->setup, k->call, has_x ? "x" : "None");
    }
    return open_text_with(s, text.p, operators);
}

static size_t *all_cases(void)
{
    size_t *list = ridge_arena_array(&files, case_count, sizeof *list);
    for (size_t i = 0; i < case_count; i++)
        list[i] = i;
    return list;
}

static bool is_as_recorded(said answer, size_t at)
{
    return answer.text && strcmp(answer.text, cases[at].wanted) == 0 && answer.fuses && answer.keeps;
}

static void calls_do_what_pytorch_does(void **state)
{
    (void)state;
    session s;
    size_t wrong = 0;
    assert_int_equal(open_cases(&s, all_cases(), case_count, NULL), RIDGE_OK);
    for (size_t i = 0; i < case_count; i++) {
        said answer = say(&s, i);
        if (is_as_recorded(answer, i))
            continue;
        wrong++;
        print_error("%s | %s\n%s%s-- recorded (%s):\n%s", cases[i].setup, cases[i].call, answer.text ? answer.text : message_of(&s.err),
                    answer.keeps ? "" : cases[i].keeps, cases[i].fuses, cases[i].wanted);
    }
    ridge_arena_free(&s.arena);
    assert_int_equal(wrong, 0);
}

/* ---- one rule changed ---- */

typedef struct mutant {
    const char *key, *what, *text; /* of the operators' file */
} mutant;

static mutant *mutants;
static size_t mutant_count, mutant_cap;

static void add_mutant(const char *key, const char *what, const char *change)
{
    const char *text = ridge_arena_printf(&files, "{\"%s\": {\"kind\": \"operator\", \"inherits\": \"%s\", %s}}", key, key, change);
    assert_non_null(text);
    assert_true(ridge_arena_more(&files, &mutants, mutant_count, &mutant_cap, sizeof *mutants));
    mutants[mutant_count++] = (mutant){key, ridge_arena_printf(&files, "%s: %s", what, change), text};
}

static bool is(const ridge_json *v, const char *text)
{
    return v && v->type == RIDGE_JSON_STRING && ridge_str_is(v->u.text, text);
}

static void change_flops(const char *key, const ridge_json *flops)
{
    if (!flops)
        return;
    ridge_str word = flops->u.members[0].key, formula = flops->u.members[0].value.u.text;
    add_mutant(key, "flops",
               ridge_arena_printf(&files, "\"flops\": {\"%.*s\": \"2*(%.*s)\"}", RIDGE_STR_ARG(word), RIDGE_STR_ARG(formula)));
    const char *other = ridge_str_is(word, "other") ? "activation" : "other";
    add_mutant(key, "class", ridge_arena_printf(&files, "\"flops\": {\"%s\": \"%.*s\"}", other, RIDGE_STR_ARG(formula)));
}

static void change_dtype(const char *key, const ridge_json *dtype)
{
    if (!dtype)
        return;
    add_mutant(key, "dtype", is(dtype, "int64") ? "\"dtype\": \"bool\"" : "\"dtype\": \"int64\"");
    if (!is(dtype, "same"))
        add_mutant(key, "dtype", "\"dtype\": \"same\"");
}

/* the far end of each kind of traffic, and the nearest other kind */
static void change_bytes(const char *key, const ridge_json *entry)
{
    const ridge_json *bytes = ridge_json_get(entry, "bytes");
    bool root = !ridge_json_get(entry, "inherits");
    if (bytes || root)
        add_mutant(key, "bytes", is(bytes, "view") ? "\"bytes\": \"each\"" : "\"bytes\": \"view\"");
    if (is(bytes, "gather") || is(bytes, "scatter"))
        add_mutant(key, "bytes", "\"bytes\": \"each\"");
    if (is(bytes, "scatter_add"))
        add_mutant(key, "bytes", "\"bytes\": \"scatter\"");
}

static void change_words(const char *key, const ridge_json *entry)
{
    const ridge_json *fuses = ridge_json_get(entry, "fuses");
    static const char *const others[] = {"scalar", "whole", "mode"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const ridge_json *other = ridge_json_get(entry, others[i]);
        if (other && other->u.text.n)
            add_mutant(key, others[i], ridge_arena_printf(&files, "\"%s\": \"\"", others[i]));
    }
    if (fuses)
        add_mutant(key, "fuses", is(fuses, "reduction") ? "\"fuses\": \"elementwise\"" : "\"fuses\": \"reduction\"");
    if (ridge_json_get(entry, "in_place"))
        add_mutant(key, "in_place", "\"in_place\": false");
}

/* each name of `saved` left out; something kept where nothing is */
static void change_saved(const char *key, const ridge_json *entry)
{
    const ridge_json *saved = ridge_json_get(entry, "saved");
    if (!saved)
        return;
    const char *text = ridge_arena_strdup(&files, saved->u.text);
    if (!*text)
        add_mutant(key, "saved", "\"saved\": \"result\"");
    for (const char *at = text; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        const char *rest = at + n + strspn(at + n, " ");
        add_mutant(key, "saved", ridge_arena_printf(&files, "\"saved\": \"%.*s%s\"", (int)(at - text), text, rest));
        at += n;
    }
}

static void change_entry(const char *key, const ridge_json *entry)
{
    const ridge_json *flops = ridge_json_get(entry, "flops"), *shape = ridge_json_get(entry, "shape");
    /* what only calls others, or nothing, is never written down */
    bool calls = is(shape, "matmul") || is(shape, "linear") || is(shape, "identity");
    bool root = !calls && !ridge_json_get(entry, "inherits"), moves = !is(ridge_json_get(entry, "bytes"), "view");
    change_flops(key, flops);
    if (root && !flops && moves)
        add_mutant(key, "flops", "\"flops\": {\"other\": \"n + 1\"}");
    if (!calls)
        change_bytes(key, entry);
    change_dtype(key, ridge_json_get(entry, "dtype"));
    if (shape)
        add_mutant(key, "shape", is(shape, "same") ? "\"shape\": \"reduce\"" : "\"shape\": \"same\"");
    change_words(key, entry);
    change_saved(key, entry);
}

static void change_all(void)
{
    ridge_err err = {0};
    for (unsigned i = 0; i < ridge_embedded_catalog_count; i++) {
        const ridge_embedded_entry *e = &ridge_embedded_catalog[i];
        ridge_json *entry;
        if (strcmp(ridge_embedded_file(e), "catalog/torch/operators.json") != 0)
            continue;
        assert_int_equal(
            ridge_json_parse(&entry, (ridge_str){ridge_embedded_text(e), e->length}, "", (ridge_json_options){0}, &files, &err), RIDGE_OK);
        change_entry(ridge_arena_strdup(&files, ridge_str_of(ridge_embedded_key(e))), entry);
    }
}

/* does one of these cases differ? */
static bool notices(const mutant *m, const said *answers, const size_t *list, size_t count)
{
    session s;
    bool seen = open_cases(&s, list, count, m->text) != RIDGE_OK;
    for (size_t i = 0; i < count && !seen; i++)
        seen = is_as_recorded(answers[list[i]], list[i]) && !is_as_recorded(say(&s, list[i]), list[i]);
    ridge_arena_free(&s.arena);
    return seen;
}

/* the cases in which an operator of this entry runs come first; where they see nothing, all are asked */
static bool is_noticed(const mutant *m, const said *answers, const size_t *all)
{
    size_t *list = ridge_arena_array(&files, case_count, sizeof *list), count = 0;
    const char *key = m->key;
    char name[128] = " ";
    for (size_t n = 1; *key && n < sizeof name - 2; n++) { /* __ is a dot */
        bool dot = key[0] == '_' && key[1] == '_' && n > 1;
        name[n] = dot ? '.' : *key;
        name[n + 1] = '\0';
        key += dot ? 2 : 1;
    }
    strcat(name, " ");
    for (size_t i = 0; i < case_count && count < 4; i++)
        if (is_as_recorded(answers[i], i) && strstr(answers[i].operators, name))
            list[count++] = i;
    return (count && notices(m, answers, list, count)) || notices(m, answers, all, case_count);
}

static void a_changed_rule_is_noticed(void **state)
{
    (void)state;
    const char *wanted = getenv("RIDGE_MUTATIONS");
    size_t every = wanted && strcmp(wanted, "all") == 0 ? 1 : EVERY, unnoticed = 0, tried = 0;
    size_t *all = all_cases();
    said *answers = ridge_arena_array(&files, case_count, sizeof *answers);
    session s;
    change_all();
    assert_int_equal(open_cases(&s, all, case_count, NULL), RIDGE_OK);
    for (size_t i = 0; i < case_count; i++)
        answers[i] = say(&s, i);
    for (size_t i = 0; i < mutant_count; i += every, tried++)
        if (!is_noticed(&mutants[i], answers, all)) {
            unnoticed++;
            print_error("unnoticed: %s %s\n", mutants[i].key, mutants[i].what);
        }
    ridge_arena_free(&s.arena);
    print_message("# %zu of %zu changes tried, %zu cases, %zu unnoticed\n", tried, mutant_count, case_count, unnoticed);
    assert_int_equal(unnoticed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_do_what_pytorch_does), cmocka_unit_test(a_changed_rule_is_noticed)};
    return cmocka_run_group_tests(tests, read_cases, forget_cases);
}
