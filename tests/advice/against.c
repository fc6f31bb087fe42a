/* against.c - what if: changes as people write them, differences of two predictions. Expected values: arithmetic by hand from the shapes of
 * Llama-2-7B and the published rates of the machines. */
#include "predict/predicting.h"

/* Llama-2-7B: 32 layers of 4 h x h and 3 h x f matrices, h = 4096, f = 11008; lm_head 32000 x h; 65 norms of h */
static const double matrices = 32.0 * (4 * 4096.0 * 4096 + 3 * 4096.0 * 11008) + 32000.0 * 4096;
static const double h100_bytes_per_s = 3350e9, a100_bytes_per_s = 2039e9;

static ridge_against *against(ridge_predict_request *r, ridge_prediction **now, const char **texts, size_t count)
{
    const ridge_predict_view view = {.depth = RIDGE_UNSET};
    const ridge_words words = {texts, count};
    ridge_err err = {0};
    *now = predict(r);
    ridge_against *a = ridge_arena_alloc(&(*now)->timed->arena, sizeof *a);
    ridge_status st = ridge_against_make(a, *now, &words, &view, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(st, RIDGE_OK);
    return a;
}

/* ---- the changes ---- */

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *variants[3];
    } cases[] = {
        {"weights=q4_k", {"weights=q4_K"}},
        {"q4_K", {"weights=q4_K"}},
        {"a100_sxm_80", {"on=a100-sxm-80"}},
        {"on=h200-sxm-141+batch=2k", {"on=h200-sxm-141, batch=2000"}},
        {"weights=fp8,activations=fp8,kv=fp8", {"weights=fp8_e4m3, activations=fp8_e4m3, kv=fp8_e4m3"}},
        {"int8,q4_K,mxfp4", {"weights=int8", "weights=q4_K", "weights=mxfp4"}},
        {"a100-sxm-80+int8,h200-sxm-141", {"on=a100-sxm-80, weights=int8", "on=h200-sxm-141"}},
        {"eager,full", {"kernel=eager, attention=full"}},
        {"lm_head=all", {"lm-head=all"}},
        {"estimate", {"method=estimate"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_changes *variants;
        size_t count;
        ridge_err err = {0};
        ridge_status st = ridge_changes_parse(&variants, &count, cases[i].text, machines, &arena, &err);
        assert_string_equal(message_of(&err), "");
        assert_int_equal(st, RIDGE_OK);
        for (size_t k = 0; k < count; k++)
            assert_string_equal(ridge_changes_text(&variants[k], &arena), k < 3 && cases[i].variants[k] ? cases[i].variants[k] : "");
        assert_true(count == 3 || !cases[i].variants[count]);
    }
}

static void test_parse_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"wieghts=q4_K", "against: unknown key 'wieghts'; did you mean 'weights'?"},
        {"weights=q4k", "weights: unknown number format 'q4k'; did you mean 'q4_K'? (against)"},
        {"kv=fp8_e4m2", "kv: unknown number format 'fp8_e4m2'; did you mean 'fp8_e4m3'? (against)"},
        {"weights", "against: 'weights' needs a value: weights=VALUE"},
        {"weights=", "against: 'weights' needs a value: weights=VALUE"},
        {"h100-sxm-8", "against: 'h100-sxm-8' is no KEY=VALUE, machine or number format; did you mean 'h100-sxm-80'?"},
        {"batch=many", "batch: 'many' is not an integer (write 1000 or 1k, 1024 or 1Ki) (against)"},
        {"batch=9999999999999999", "batch: 9999999999999999 is out of range: it must be from 1 to 1099511627776 (against)"},
        {"", "against: a change is missing: want KEY=VALUE, a machine or a number format"},
        {"kv=fp8,", "against: a change is missing: want KEY=VALUE, a machine or a number format"},
        {"kv=fp8+kv=int8", "against: 'kv' is given twice in one variant"},
        {"weights=i64", "weights: 'i64' is a format of indices and masks (against)"},
        {"attention=half", "attention: unknown word 'half'; it takes full or causal (against)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_changes *variants;
        size_t count;
        ridge_err err = {0};
        assert_int_equal(ridge_changes_parse(&variants, &count, cases[i].text, machines, &arena, &err), RIDGE_USAGE);
        assert_string_equal(message_of(&err), cases[i].message);
    }
}

/* ---- against ---- */

/* decode of one token at past 2047 on an H100 in fp16: every kernel waits for memory, so bytes and bandwidth say it all */
static void test_against_by_hand(void **state)
{
    (void)state;
    static const char *texts[] = {"int8", "kv=fp8", "a100-sxm-80"};
    const double kv = 32 * 2 * 32 * 128 * 2048.0 * 2; /* bytes of K and V of 2048 tokens in fp16, which the core reads */
    ridge_prediction *now;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    ridge_against *a = against(&r, &now, texts, 3);
    const ridge_variant *v = a->variants;
    assert_int_equal(a->count, 3);
    /* int8 halves the weights: 65 norms of 4096 too, and the one row of the embedding that is read */
    assert_close(now->time_s - v[0].then->time_s, (matrices + 66 * 4096.0) / h100_bytes_per_s, 1e-9);
    /* the cache is read by the core; the new token's K and V are written to it once */
    assert_close(now->time_s - v[1].then->time_s, (kv / 2 + 32 * 2 * 4096.0) / h100_bytes_per_s, 1e-3);
    assert_true(now->time_s - v[1].then->time_s >= kv / 2 / h100_bytes_per_s);
    /* all but the norms (0.01 % of the time) wait for memory on both */
    assert_close(v[2].then->time_s / now->time_s, h100_bytes_per_s / a100_bytes_per_s, 1e-5);
    ridge_against_free(a);
    ridge_prediction_free(now);
}

/* rows are matched by path; what only one side has stands on that side; both sides add up */
static void test_against_rows(void **state)
{
    (void)state;
    static const char *texts[] = {"eager"};
    ridge_prediction *now;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    ridge_against *a = against(&r, &now, texts, 1);
    const ridge_variant *v = &a->variants[0];
    double was = 0, is = 0;
    size_t only_now = 0, only_then = 0, rows_now = 0, rows_then = 0;
    for (size_t i = 0; i < v->row_count; i++) {
        const ridge_against_row *row = &v->rows[i];
        assert_true(row->now || row->then);
        if (row->now && row->then)
            assert_true(ridge_str_eq(row->now->row->path, row->then->row->path));
        was += row->now && row->now->row->leaf ? row->now->time_s : 0;
        is += row->then && row->then->row->leaf ? row->then->time_s : 0;
        only_now += !row->then;
        only_then += !row->now;
        rows_now += row->now != NULL;
        rows_then += row->then != NULL;
    }
    assert_int_equal(rows_now, now->timed->rows.n);
    assert_int_equal(rows_then, v->then->timed->rows.n);
    assert_true(only_now > 0 && only_then > 0);
    assert_close(was, now->time_s, 1e-12);
    assert_close(is, v->then->time_s, 1e-12);
    ridge_against_free(a);
    ridge_prediction_free(now);
}

/* another phase or prompt brings its own lengths, unless they are given */
static void test_against_lengths(void **state)
{
    (void)state;
    static const char *texts[] = {"decode", "decode,past=7"};
    ridge_prediction *now;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_PREFILL);
    r.model.seq = 512;
    ridge_against *a = against(&r, &now, texts, 2);
    assert_int_equal(now->model->workload.seq, 512);
    assert_int_equal(a->variants[0].then->model->workload.seq, 1);
    assert_int_equal(a->variants[0].then->model->workload.past, 2047);
    assert_int_equal(a->variants[1].then->model->workload.past, 7);
    ridge_against_free(a);
    ridge_prediction_free(now);
    static const char *longer[] = {"prompt=2000"};
    r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_PREFILL);
    r.prompt = 1000;
    r.generate = 10;
    a = against(&r, &now, longer, 1);
    assert_int_equal(now->model->workload.seq, 1000);
    assert_int_equal(a->variants[0].then->model->workload.seq, 2000);
    assert_true(a->variants[0].then->generation.ttft_s > now->generation.ttft_s);
    ridge_against_free(a);
    ridge_prediction_free(now);
}

static void test_against_outputs(void **state)
{
    (void)state;
    static const char *texts[] = {"int8", "eager"};
    ridge_predict_answer now;
    ridge_predict_request r = request_of(LLAMA, "h100-sxm-80", RIDGE_PHASE_DECODE);
    answer(&now, &r, (ridge_advice_request){.against = {texts, 2}}, RIDGE_FORM_CSV);
    const ridge_against *a = &now.against;
    ridge_buf out = {0}, csv = table_of(&now, RIDGE_FORM_CSV);
    const ridge_json *variants = member(json_of(&now, &out), "against");
    size_t line = 2; /* after the titles and now */
    assert_int_equal(variants->count, 2);
    for (size_t i = 0; i < 2; i++) {
        const ridge_variant *v = &a->variants[i];
        const ridge_json *rows = member(&variants->u.items[i], "rows");
        assert_true(number_of(&variants->u.items[i], "time_s") == v->then->time_s);
        assert_int_equal(rows->count, v->row_count);
        for (size_t k = 0; k < v->row_count; k++, line++) {
            const ridge_against_row *row = &v->rows[k];
            const ridge_json *time = member(&rows->u.items[k], "time_s"), *was = member(&rows->u.items[k], "now_s");
            assert_true((time->type == RIDGE_JSON_NULL) == !row->then && (was->type == RIDGE_JSON_NULL) == !row->now);
            assert_string_equal(field(&csv, line, 0), v->text);
            assert_true(!row->then || (number_of(&rows->u.items[k], "time_s") == row->then->time_s &&
                                       strtod(field(&csv, line, 4), NULL) == row->then->time_s));
            assert_true(!row->now || strtod(field(&csv, line, 3), NULL) == row->now->time_s);
        }
    }
    ridge_buf_free(&csv);
    ridge_buf_free(&out);
    ridge_predict_answer_free(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),        cmocka_unit_test(test_parse_errors),    cmocka_unit_test(test_against_by_hand),
        cmocka_unit_test(test_against_rows), cmocka_unit_test(test_against_lengths), cmocka_unit_test(test_against_outputs),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_all, close_all);
}
