/* tensors.c - views, indices and copies of tensors: tensors.py against what PyTorch 1.13 prints for it (tensors.txt); sizes in symbols;
 * what is known of ranges; mixtures of experts. Expected formulas are arithmetic by hand. */
#include "learn/python_text.h"

#include "base/file.h"

static void like_pytorch(void **state)
{
    (void)state;
    session s;
    ridge_arena files;
    ridge_err err = {0};
    ridge_py shown;
    ridge_str text, wanted;
    ridge_arena_init(&files);
    assert_int_equal(ridge_file_read(&text, "tests/learn/tensors.py", SIZE_MAX, &files, &err), RIDGE_OK);
    assert_int_equal(ridge_file_read(&wanted, "tests/learn/tensors.txt", SIZE_MAX, &files, &err), RIDGE_OK);
    ridge_status status = open_text(&s, ridge_arena_strdup(&files, text));
    assert_string_equal(s.err.msg, "");
    assert_int_equal(status, RIDGE_OK);
    assert_int_equal(ridge_py_getz(&shown, s.module, "shown", &s.in), RIDGE_OK);
    const char *a = shown.u.s->text.p, *b = ridge_arena_strdup(&files, wanted);
    while (*a || *b) { /* line by line: the first that differs is what one wants to read */
        size_t la = strcspn(a, "\n"), lb = strcspn(b, "\n");
        assert_string_equal(ridge_arena_strdup(&files, (ridge_str){a, la}), ridge_arena_strdup(&files, (ridge_str){b, lb}));
        a += la + (a[la] != 0);
        b += lb + (b[lb] != 0);
    }
    ridge_arena_free(&files);
    ridge_arena_free(&s.arena);
}

#define NAMES                                                                                                                              \
    "import _ridge, torch\n"                                                                                                               \
    "B, S, past = _ridge.named('B', 3, 1), _ridge.named('S', 7, 1), _ridge.named('past', 5, 0)\n"                                          \
    "h, n = _ridge.named('config.h', 64, 1), _ridge.named('config.n', 4, 1)\n"                                                             \
    "x = torch.zeros(B, S, n * h)\n"

/* r as a formula, and the conditions that were asked, "not " before those that do not hold */
static void assert_formula(const char *text, const char *formula, const char *conditions)
{
    session s;
    ridge_py r;
    ridge_buf whole = {0}, asked = {0};
    ridge_buf_addf(&whole, "%s%s", NAMES, text);
    ridge_status status = open_text(&s, whole.p);
    assert_string_equal(s.err.msg, "");
    assert_int_equal(status, RIDGE_OK);
    assert_int_equal(ridge_py_getz(&r, s.module, "r", &s.in), RIDGE_OK);
    const char *shown = ridge_py_formula(r, &s.in);
    assert_string_equal(shown ? shown : "(none)", formula);
    ridge_buf_addz(&asked, "");
    for (size_t i = 0; i < s.in.condition_count; i++)
        ridge_buf_addf(&asked, "%s%s%s", i ? "; " : "", s.in.conditions[i].holds ? "" : "not ", s.in.conditions[i].text);
    assert_string_equal(asked.p ? asked.p : "", conditions);
    assert_int_equal(s.in.hole_count, 0);
    ridge_buf_free(&whole);
    ridge_buf_free(&asked);
    ridge_arena_free(&s.arena);
}

static void sizes_keep_their_symbols(void **state)
{
    (void)state;
    assert_formula("r = list(x.view(B, S, n, -1).transpose(1, 2).shape)\n", "[B, config.n, S, config.h]", "");
    assert_formula("r = list(x.view(-1, x.shape[-1]).shape)\n", "[B*S, config.h*config.n]", "");
    assert_formula("r = list(x.view(B, S, n, h).transpose(1, 2).reshape(B, S, -1).shape)\n", "[B, S, config.h*config.n]", "");
    assert_formula("r = list(x[:, :-1].shape)\n", "[B, S - 1, config.h*config.n]", "");
    assert_formula("r = list(x[:, -1:, None].shape)\n", "[B, 1, 1, config.h*config.n]", "");
    assert_formula("r = list(x[..., : x.shape[-1]].shape)\n", "[B, S, config.h*config.n]", "");
    assert_formula("r = [c.shape[-1] for c in x.view(B, S, n, h).flatten(2).split(h * n, -1)]\n", "[config.h*config.n]", "");
    assert_formula("r = x.repeat(1, 2, 1).shape[1]\n", "2*S", "");
    assert_formula("r = x.numel()\n", "B*S*config.h*config.n", "");
    assert_formula("r = list(torch.arange(past, past + S).shape)\n", "[S]", "");
    assert_formula("r = [S // -2, (4 * S + 2) // -2]\n", "[-S + (S//2), -2*S - 1]", "");
}

/* the last of elements that are known one by one is that of this length alone; the first is the same whatever the length */
static void places_from_the_end_ask_for_the_length(void **state)
{
    (void)state;
    assert_formula("q = torch.arange(S) * torch.arange(S)\nr = [int(q[0]), int(q[1:][1])]\n", "[0, 4]", "");
    assert_formula("q = torch.arange(S) * torch.arange(S)\nr = int(q[-1])\n", "36", "S == 7");
    assert_formula("q = torch.arange(S) * torch.arange(S)\nr = int(q[-2:][0])\n", "25", "max(S - 2, 0) == 5");
}

static void ranges_are_known(void **state)
{
    (void)state;
    assert_formula("p = torch.arange(past, past + S)\nr = [p[0].item(), (p[-1] + 1).item(), p.max().item() + 1]\n",
                   "[past, S + past, S + past]", "");
    assert_formula("p = torch.arange(S).unsqueeze(0) + past\nr = p[:, -1].item()\n", "S + past - 1", "");
    assert_formula("m = torch.ones(B, S)\nr = [int(m.sum()), bool((m == 1).all()), m.cumsum(-1).long()[0, -1].item()]\n", "[B*S, True, S]",
                   "");
    assert_formula("p = torch.arange(S)\nr = bool((torch.diff(p) != 1).any())\n", "False", "");
}

/* 7 tokens of 3 sequences choose 2 of 4 experts each: 42 rows, 10 or 11 for an expert */
static void experts_share_the_rows(void **state)
{
    (void)state;
    static const char *const routing = "_, chosen = torch.topk(torch.rand(B * S, 4), 2, dim=-1)\n"
                                       "mask = torch.nn.functional.one_hot(chosen, num_classes=4).permute(2, 1, 0)\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", routing, "k, t = torch.where(mask[3])\nr = t.shape[0]\n");
    assert_formula(text, "B*S - ((2*B*S)//4)", "");
    snprintf(text, sizeof text, "%s%s", routing,
             "r = [len(torch.where(mask[e])[0]) == c for e, c in enumerate([10, 11, 10, 11])]\n"
             "r = all(r) and mask.sum(dim=(-1, -2)).tolist() == [10, 11, 10, 11]\n");
    session s;
    ridge_buf whole = {0};
    ridge_py r;
    ridge_buf_addf(&whole, "%s%s", NAMES, text);
    assert_int_equal(open_text(&s, whole.p), RIDGE_OK);
    assert_int_equal(ridge_py_getz(&r, s.module, "r", &s.in), RIDGE_OK);
    assert_true(r.u.b);
    ridge_buf_free(&whole);
    ridge_arena_free(&s.arena);
    snprintf(text, sizeof text, "%s%s", routing, "hit = torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero()\nr = [e.item() for e in hit]\n");
    assert_formula(text, "[0, 1, 2, 3]", "not 3 >= 2*B*S");
}

/* which expert a token has stands in a table that a checkpoint fills, or is changed after the choice: 21 tokens, two of 512 experts each */
static void experts_of_a_table_share_the_rows(void **state)
{
    (void)state;
    static const char *const after = "mask = torch.nn.functional.one_hot(chosen, num_classes=512).permute(2, 1, 0)\n"
                                     "hit = torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero()\n"
                                     "r = [len(hit), sum(torch.where(mask[e])[0].shape[0] for e in range(512))]\n";
    static const char *const before[] = {
        "chosen = torch.zeros(100, 2, dtype=torch.long)[torch.randint(100, (B * S,))]\n",
        "_, chosen = torch.topk(torch.rand(B * S, 513), 2, dim=-1)\nchosen = chosen.masked_fill(chosen == 512, 0)\n",
    };
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        session s;
        ridge_buf whole = {0};
        ridge_py r;
        ridge_buf_addf(&whole, "%s%s%s", NAMES, before[i], after);
        assert_int_equal(open_text(&s, whole.p), RIDGE_OK);
        assert_int_equal(ridge_py_getz(&r, s.module, "r", &s.in), RIDGE_OK);
        assert_int_equal(s.in.hole_count, 0);
        assert_int_equal(r.u.list->items[0].u.i, 42);
        assert_int_equal(r.u.list->items[1].u.i, 42);
        ridge_buf_free(&whole);
        ridge_arena_free(&s.arena);
    }
}

static void data_leave_a_hole(void **state)
{
    (void)state;
    session s;
    assert_int_equal(open_text(&s, "import torch\nx = torch.rand(4, 5)\ny = x[x > 0.5]\nr = y.shape[0]\n"), RIDGE_OK);
    assert_int_equal(s.in.hole_count, 1);
    assert_string_equal(s.in.holes[0]->kind, "shape from data");
    ridge_arena_free(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_pytorch),
        cmocka_unit_test(sizes_keep_their_symbols),
        cmocka_unit_test(places_from_the_end_ask_for_the_length),
        cmocka_unit_test(ranges_are_known),
        cmocka_unit_test(experts_share_the_rows),
        cmocka_unit_test(experts_of_a_table_share_the_rows),
        cmocka_unit_test(data_leave_a_hole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
