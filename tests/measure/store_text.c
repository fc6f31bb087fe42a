/* Exported measurements: CSV and JSON say the same, read back to the last bit, and every slip is told with its place. */
#include "arena_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "measure/store_text.h"

#define HEAD                                                                                                                               \
    "uuid,started,finished,ridge,build,machine,machine_text,command,settings,row_count,kernel,variant,provider,shape,format,activations,"  \
    "threads,cache,time_median_s,time_low_s,time_high_s,mad_s,minimum_s,kept,tried,calls_per_sample,stopped,flops,bytes,flops_per_s,"      \
    "bytes_per_s,percent_of_ceiling,predicted_s,error,bound,max_relative_error,beats_roofline\n"
#define UUID "0123456789abcdef0123456789abcdef"
#define RUN  UUID ",2026-11-21T16:12:27Z,,0.1.0,gcc,00112233445566ff,\"cpu: \"\"A\"\"\ncores: 2\",,{},"
#define ROW  "gemv,avx2,ridge,\"{\"\"n\"\": 8}\",q4_K,,1,hot,0.5,0.25,0.75,0,0.25,9,10,1,false,16,,,,,,,,,false\n"
#define JRUN                                                                                                                               \
    "{\"run\": 4, \"uuid\": \"" UUID "\", \"started\": \"2026-11-21T16:12:27Z\", \"ridge\": \"0.1.0\", \"build\": \"gcc\", "               \
    "\"machine\": \"00112233445566ff\", \"machine_text\": \"cpu\", \"row_count\": 1}"
#define JROW                                                                                                                               \
    "{\"run\": 4, \"kernel\": \"gemv\", \"variant\": \"avx2\", \"provider\": \"ridge\", \"shape\": {\"n\": 8}, \"format\": \"q4_K\", "     \
    "\"threads\": 1, \"cache\": \"hot\", \"time_s\": {\"median\": 0.5, \"low\": 0.25, \"high\": 0.75}, \"mad_s\": 0, \"minimum_s\": "      \
    "0.25, "                                                                                                                               \
    "\"kept\": 9, \"tried\": 10, \"calls_per_sample\": 1, \"stopped\": false, \"beats_roofline\": false}"

static ridge_measurements m;

static void read_good(const char *text)
{
    if (ridge_measurements_read(&m, ridge_str_of(text), "f", &arena, &err) != RIDGE_OK)
        fail_msg("%u:%u: %s", err.line, err.col, err.msg);
}

static void check_example(void)
{
    assert_int_equal(m.run_count, 1);
    assert_int_equal(m.row_count, 1);
    assert_string_equal(m.runs[0].uuid, UUID);
    assert_null(m.runs[0].finished);
    assert_null(m.runs[0].command);
    assert_string_equal(m.runs[0].settings, "{}");
    const ridge_measured_row *row = &m.rows[0];
    assert_string_equal(row->shape, "{\"n\": 8}");
    assert_null(row->activations);
    assert_int_equal(row->bound, RIDGE_SIDE_UNKNOWN);
    assert_int_equal(row->run, m.runs[0].id);
    assert_int_equal(row->cache, RIDGE_CACHE_HOT);
    assert_true(row->time.median_s == 0.5 && row->time.low_s == 0.25 && row->time.high_s == 0.75);
    assert_true(row->bytes < 0 && row->flops_per_s < 0 && row->max_relative_error < 0 && !row->beats_roofline);
    assert_string_equal(row->machine, "00112233445566ff");
}

static void csv_is_read(void **state)
{
    (void)state;
    read_good(HEAD RUN "1," ROW);
    check_example();
    assert_true(m.rows[0].flops == 16);
    assert_string_equal(m.runs[0].machine_text, "cpu: \"A\"\ncores: 2");
    read_good("\xEF\xBB\xBF" HEAD);
    assert_int_equal(m.run_count, 0);
    read_good(HEAD RUN "0,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"); /* a run without rows */
    assert_int_equal(m.run_count, 1);
    assert_int_equal(m.row_count, 0);
    read_good(HEAD RUN "2," ROW RUN "2," ROW);
    assert_int_equal(m.runs[0].rows, 2);
}

static void json_is_read(void **state)
{
    (void)state;
    read_good("{\"ridge\": \"0.1.0\", \"runs\": [" JRUN "], \"rows\": [" JROW "]}");
    check_example();
    assert_true(m.rows[0].flops < 0);
}

/* line ends as other programs write them */
static void crlf_is_read(void **state)
{
    (void)state;
    const char *text = HEAD RUN "1," ROW;
    ridge_buf crlf = {0};
    bool quoted = false;
    for (const char *p = text; *p != '\0'; p++) {
        quoted ^= *p == '"';
        ridge_buf_addz(&crlf, *p == '\n' && !quoted ? "\r" : "");
        ridge_buf_addc(&crlf, *p);
    }
    read_good(crlf.p);
    check_example();
    ridge_buf_free(&crlf);
}

/* 1/3 needs 16 digits, 2^127 - 1 is the largest count */
static void both_forms_keep_every_bit(void **state)
{
    (void)state;
    read_good(HEAD RUN "1," ROW);
    m.rows[0].time.median_s = 1.0 / 3;
    m.rows[0].flops_per_s = 5e-324;
    m.rows[0].flops = RIDGE_INT_MAX;
    m.rows[0].bound = RIDGE_SIDE_COMPUTE;
    m.rows[0].activations = "a, \"b\"\nc";
    for (int form = 0; form < 2; form++) {
        ridge_measurements first = m;
        ridge_buf text = {0};
        if (form == 0)
            ridge_measurements_csv(&text, &m);
        else
            ridge_record_answer(&text, &ridge_measurements_record, &m);
        read_good(text.p);
        assert_true(m.rows[0].time.median_s == 1.0 / 3 && m.rows[0].flops_per_s == 5e-324 && m.rows[0].flops == RIDGE_INT_MAX);
        assert_string_equal(m.rows[0].activations, "a, \"b\"\nc");
        assert_int_equal(m.rows[0].bound, RIDGE_SIDE_COMPUTE);
        assert_string_equal(m.runs[0].machine_text, first.runs[0].machine_text);
        ridge_buf_free(&text);
        m = first;
    }
}

typedef struct slip {
    const char *text;
    unsigned line, col;
    const char *says;
} slip;

static void check_slips(const slip *slips, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ridge_err_clear(&err);
        if (ridge_measurements_read(&m, ridge_str_of(slips[i].text), "f", &arena, &err) == RIDGE_OK)
            fail_msg("slip %zu was read: %s", i, slips[i].says);
        if (strstr(err.msg, slips[i].says) == NULL || err.line != slips[i].line || err.col != slips[i].col)
            fail_msg("slip %zu: %u:%u: %s, wanted %u:%u: %s", i, err.line, err.col, err.msg, slips[i].line, slips[i].col, slips[i].says);
    }
}

static void csv_slips_are_told(void **state)
{
    (void)state;
    static const slip slips[] = {
        {"", 1, 1, "column 1 is 'uuid' in an export of ridge history, found ''"},
        {"uuid,started\n", 1, 6, "the column 'finished' is missing"},
        {"uuid,begun,finished\n", 1, 6, "column 2 is 'started' in an export of ridge history, found 'begun'"},
        {HEAD "1,2\n", 2, 1, "2 columns, wanted 37"},
        {HEAD "\n", 2, 1, "1 column, wanted 37"},
        {HEAD "a\"b\n", 2, 1, "a quote inside a cell"},
        {HEAD "\"a\"b\n", 2, 1, "after a quoted cell comes a comma"},
        {HEAD "1,\"a\n\nb", 2, 3, "this cell's closing quote is missing"},
        {HEAD RUN "2," ROW, 4, 0, "run " UUID " has 1 row here but says it has 2"},
        {HEAD RUN "x," ROW, 3, 0, "row_count: wanted a whole number"},
        {HEAD RUN "0," ROW, 4, 0, "has 1 row here but says it has 0"},
    };
    /* the machine's text has two lines: columns of the second count from its beginning */
    slip known[sizeof slips / sizeof *slips];
    memcpy(known, slips, sizeof slips);
    known[8].line = known[10].line = 2;
    known[8].col = known[10].col = 1;
    known[9].col = (unsigned)strlen("cores: 2\",,{},") + 1;
    check_slips(known, sizeof slips / sizeof *slips);
}

static void json_slips_are_told(void **state)
{
    (void)state;
#define FILE_OF(runs, rows) "{\"runs\": [" runs "],\n\"rows\": [\n" rows "]}"
    static const slip slips[] = {
        {"{\"rows\": []}", 1, 1, "the key 'runs' is missing: this is no export of ridge history"},
        {"{\"runs\": {}, \"rows\": []}", 1, 10, "runs: wanted an array, found an object"},
        {FILE_OF("1", ""), 1, 11, "a run: wanted an object, found a number"},
        {FILE_OF("{\"uuid\": 1}", ""), 1, 11, "run: wanted a whole number"},
        {FILE_OF("{\"run\": 1, \"row_count\": 0, \"uuid\": 7}", ""), 1, 46, "uuid: wanted a string, found a number"},
        {FILE_OF("{\"uid\": 1}", ""), 1, 19, "unknown key 'uid'; did you mean 'uuid'?"},
        {FILE_OF(JRUN, ""), 2, 9, "has 0 rows here but says it has 1"},
        {FILE_OF(JRUN ", " JRUN, ""), 1, 0, "run " UUID " was here before"},
        {FILE_OF(JRUN, "{\"run\": 3}"), 3, 9, "run: there is no such run"},
        {FILE_OF(JRUN, "{\"run\": 4, \"kernel\": null}"), 3, 22, "kernel: missing"},
        {FILE_OF(JRUN, "{\"run\": 4, \"time\": 1}"), 3, 20, "unknown key 'time'"},
        {FILE_OF(JRUN, "{\"run\": 4, \"machine\": \"0\", \"flops\": 1e3}"), 3, 1, "kernel: missing"},
        {"{\"runs\": [], \"rows\": [", 1, 23, "end"},
    };
    slip known[sizeof slips / sizeof *slips];
    memcpy(known, slips, sizeof slips);
    known[7].col = (unsigned)strlen("{\"runs\": [" JRUN ", ") + 1;
    check_slips(known, sizeof slips / sizeof *slips);
}

/* each value of a good row in turn made a bad one */
static void bad_values_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *good, *bad, *says;
    } changes[] = {
        {"\"cache\": \"hot\"", "\"cache\": \"warm\"", "cache: wanted hot or cold, found 'warm'"},
        {"\"threads\": 1", "\"threads\": -1", "threads: wanted a whole number from 0 to 4294967295, found '-1'"},
        {"\"threads\": 1", "\"threads\": 4294967296", "threads: wanted a whole number"},
        {"\"median\": 0.5", "\"median\": NaN", "time_s.median: wanted a number of at least 0, found 'NaN'"},
        {"\"median\": 0.5", "\"median\": 1e999", "time_s.median: wanted a number"},
        {"\"median\": 0.5", "\"median\": 0.8", "the median 0.8 s is not in its interval, 0.25 to 0.75 s"},
        {"\"median\": 0.5", "\"middle\": 0.5", "unknown key 'middle'"},
        {"\"stopped\": false", "\"bound\": \"heat\", \"stopped\": false", "bound: wanted memory or compute, found 'heat'"},
        {"\"stopped\": false", "\"stopped\": 0", "stopped: wanted a boolean, found a number"},
        {"{\"n\": 8}", "{\"n\": [8]}", "shape: wanted a JSON object of sizes"},
        {"{\"n\": 8}", "{\"n\": 8, \"n\": 9}", "n"},
        {"{\"n\": 8}", "{}", "shape: wanted a JSON object of sizes"},
        {"\"variant\": \"avx2\"", "\"variant\": \"a\\u0000b\"", "variant: wanted text in UTF-8 without control characters"},
        {"\"machine\": \"00112233445566ff\"", "\"machine\": \"00112233445566FF\"", "machine: wanted 16 hexadecimal digits"},
        {"16:12:27Z", "16:12:27", "started: wanted a time like"},
    };
    static const char good[] = "{\"runs\": [" JRUN "], \"rows\": [" JROW "]}";
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *at = strstr(good, changes[i].good);
        assert_non_null(at);
        const char *text = ridge_arena_printf(&arena, "%.*s%s%s", (int)(at - good), good, changes[i].bad, at + strlen(changes[i].good));
        ridge_err_clear(&err);
        assert_int_not_equal(ridge_measurements_read(&m, ridge_str_of(text), "f", &arena, &err), RIDGE_OK);
        if (strstr(err.msg, changes[i].says) == NULL || err.line != 1 || err.col < 11)
            fail_msg("%u:%u: '%s' does not say '%s'", err.line, err.col, err.msg, changes[i].says);
    }
}

/* 100,000 runs were compared with each other one by one: minutes, where seconds are enough */
static void many_runs_take_linear_time(void **state)
{
    (void)state;
    enum { MANY = 100000, LIMIT_S = 30 };
    ridge_buf text = {0};
    ridge_buf_addz(&text, HEAD);
    for (int i = 0; i < MANY; i++)
        ridge_buf_addf(&text, "%032x,2026-11-21T16:12:27Z,,0.1.0,gcc,00112233445566ff,cpu,,{},0,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", i);
    assert_false(text.failed);
    (void)alarm(LIMIT_S);
    assert_int_equal(ridge_measurements_read(&m, (ridge_str){text.p, text.n}, "f", &arena, &err), RIDGE_OK);
    (void)alarm(0);
    assert_int_equal(m.run_count, MANY);
    /* the first again at the end */
    ridge_buf_addf(&text, "%032x,2026-11-21T16:12:27Z,,0.1.0,gcc,00112233445566ff,cpu,,{},0,,,,,,,,,,,,,,,,,,,,,,,,,,,\n", 0);
    assert_int_equal(ridge_measurements_read(&m, (ridge_str){text.p, text.n}, "f", &arena, &err), RIDGE_VALUE);
    assert_int_equal(err.line, MANY + 2);
    ridge_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
        T(csv_is_read),        T(json_is_read),        T(crlf_is_read),        T(both_forms_keep_every_bit),
        T(csv_slips_are_told), T(json_slips_are_told), T(bad_values_are_told), T(many_runs_take_linear_time),
#undef T
    };
    return RUN_TESTS(tests);
}
