/* record_read.c - what a record wrote is read back, member by member and as objects; what cannot be a value is told. */
#include "arena_test.h"

#include "report/record_read.h"

#include <math.h>

typedef enum fruit { FRUIT_UNKNOWN = -1, APPLE, PEAR } fruit;
static const char *const fruit_names[] = {"apple", "pear", NULL};

typedef struct pair {
    double low, high_s;
} pair;
typedef struct basket {
    const char *name, *shape;
    fruit fruit;
    bool ripe;
    int washed;
    ridge_int seeds;
    int64_t grams;
    unsigned count;
    size_t bytes;
    double price, change;
    pair time;
} basket;

static bool is_short(ridge_str text)
{
    return text.n < 4;
}

static const ridge_record_rule needed = {.needed = true}, short_name = {.needed = true, .is = is_short, .wanted = "a short word"};
static const ridge_record_field pair_fields[] = {
    RIDGE_R_REAL(pair, low, "low", NULL, RIDGE_IN_ALL, "", .rule = &needed),
    RIDGE_R_REAL(pair, high_s, "high", NULL, RIDGE_IN_ALL, ""),
};
static const ridge_record pair_record = RIDGE_RECORD(pair, "pair", pair_fields, "");
static const ridge_record_field more_fields[] = {
    RIDGE_R_WORD(basket, fruit, fruit_names, "fruit", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_BOOL(basket, ripe, "ripe", NULL, RIDGE_IN_ALL, "", .rule = &needed),
    RIDGE_R_MAYBE(basket, washed, "washed", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_COUNT(basket, seeds, "seeds", NULL, RIDGE_IN_ALL, ""),
};
static const ridge_record more_record = RIDGE_RECORD(basket, "more", more_fields, "");
static const ridge_record_field fields[] = {
    RIDGE_R_TEXT(basket, name, "name", NULL, RIDGE_IN_ALL, "", .rule = &short_name),
    RIDGE_R_RAW(basket, shape, "shape", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_ALSO(&more_record),
    RIDGE_R_WHOLE(basket, grams, "grams", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_UNSIGNED(basket, count, "count", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_SIZE(basket, bytes, "bytes", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_REAL(basket, price, "price", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_CHANGE(basket, change, "change", NULL, RIDGE_IN_ALL, ""),
    RIDGE_R_IN(basket, time, &pair_record, "time_s", RIDGE_IN_ALL, "", .csv = ""),
};
static const ridge_record record = RIDGE_RECORD(basket, "basket", fields, "");

static basket full(void)
{
    return (basket){"a,b", "{\"n\": 1}", PEAR, true, 0, RIDGE_INT_MAX, INT64_MAX, UINT32_MAX, 7, 5e-324, -0.25, {1.0 / 3, -1}};
}

static void assert_same(const basket *a, const basket *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->shape, b->shape);
    assert_true(a->fruit == b->fruit && a->ripe == b->ripe && a->washed == b->washed && a->seeds == b->seeds && a->grams == b->grams);
    assert_true(a->count == b->count && a->bytes == b->bytes && a->price == b->price && a->change == b->change);
    assert_true(a->time.low == b->time.low && a->time.high_s == b->time.high_s);
}

/* columns by the keys of JSON have their unit last, and those of CSV have names of their own */
static void names_of_columns(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {{"time_low_s", "low"}, {"time_high_s", "high"}};
    ridge_record_columns json, csv;
    assert_int_equal(ridge_record_columns_make(&json, &record, RIDGE_FORM_JSON, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_record_columns_make(&csv, &record, RIDGE_FORM_CSV, &arena, &err), RIDGE_OK);
    assert_int_equal(json.count, 13);
    assert_int_equal(csv.count, 13);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(json.items[11 + i].key, wanted[i][0]);
        assert_string_equal(csv.items[11 + i].key, wanted[i][1]);
    }
}

static void a_copy_is_the_same(void **state)
{
    (void)state;
    basket from = full(), copy;
    ridge_record_columns columns;
    assert_int_equal(ridge_record_columns_make(&columns, &record, RIDGE_FORM_JSON, &arena, &err), RIDGE_OK);
    assert_int_equal(ridge_record_copy(&copy, &record, &columns, &from, &arena, &err), RIDGE_OK);
    assert_same(&copy, &from);
    from.time.low = NAN;
    assert_int_equal(ridge_record_copy(&copy, &record, &columns, &from, &arena, &err), RIDGE_VALUE);
    assert_string_equal(err.msg, "time_low_s: missing; wanted a number of at least 0");
}

static ridge_status read(basket *out, const char *text)
{
    const ridge_record_source source = {ridge_str_of(text), "f", &arena, &err};
    ridge_json *object;
    ridge_err_clear(&err);
    assert_int_equal(ridge_json_parse(&object, source.text, "f", (ridge_json_options){0}, &arena, &err), RIDGE_OK);
    *out = (basket){0};
    ridge_status st = ridge_record_keys(&record, object, NULL, &source);
    return st ? st : ridge_record_read(out, &record, object, &source);
}

static void an_object_is_the_same(void **state)
{
    (void)state;
    basket from = full(), copy;
    ridge_buf text = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &text);
    ridge_record_object(&w, &record, &from, true);
    assert_int_equal(read(&copy, text.p), RIDGE_OK);
    assert_same(&copy, &from);
    ridge_buf_free(&text);
}

static void what_is_not_known(void **state)
{
    (void)state;
    basket b;
    assert_int_equal(read(&b, "{\"name\": \"x\", \"ripe\": false, \"count\": 0, \"bytes\": 0, \"time_s\": {\"low\": 0}, \"fruit\": null}"),
                     RIDGE_OK);
    assert_string_equal(b.shape, "{}");
    assert_true(b.fruit == FRUIT_UNKNOWN && b.washed < 0 && b.seeds < 0 && b.grams < 0 && b.price < 0 && isnan(b.change));
    assert_true(b.time.high_s < 0);
}

static void slips(void **state)
{
    (void)state;
    static const struct {
        const char *members, *says;
        unsigned col;
    } cases[] = {
        {"\"name\": \"long\"", "name: wanted a short word, found 'long'", 10},
        {"\"name\": 1", "name: wanted a string, found a number", 10},
        {"\"nam\": \"x\"", "unknown key 'nam'; did you mean 'name'?", 9},
        {"\"ripe\": true", "name: missing; wanted a short word", 1},
        {"\"name\": \"x\", \"fruit\": \"plum\"", "fruit: wanted apple or pear, found 'plum'", 24},
        {"\"name\": \"x\"", "ripe: missing; wanted true or false", 1},
        {"\"name\": \"x\", \"ripe\": 0", "ripe: wanted a boolean, found a number", 23},
        {"\"name\": \"x\", \"ripe\": true, \"grams\": 9223372036854775808", "grams: wanted a whole number of at least 0, found '922", 38},
        {"\"name\": \"x\", \"ripe\": true, \"count\": 1, \"bytes\": 1, \"change\": \"-\"", "change: wanted a number, found a string", 63},
        {"\"name\": \"x\", \"ripe\": true, \"count\": 1, \"bytes\": 1", "time_s.low: missing; wanted a number of at least 0", 1},
        {"\"name\": \"x\", \"ripe\": true, \"count\": 1, \"bytes\": 1, \"time_s\": 1", "time_s: wanted an object, found a number", 63},
        {"\"name\": \"x\", \"ripe\": true, \"count\": 1, \"bytes\": 1, \"time_s\": {\"hi\": 1}", "unknown key 'hi'", 70},
        /* a member of that name outside is no member of the object */
        {"\"low\": 1, \"name\": \"x\"", "unknown key 'low'", 9},
    };
    basket b;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_status st = read(&b, ridge_arena_printf(&arena, "{%s}", cases[i].members));
        if (!st || strncmp(err.msg, cases[i].says, strlen(cases[i].says)) != 0 || err.line != 1 || err.col != cases[i].col)
            fail_msg("slip %zu: %u:%u: %s, wanted %u: %s", i, err.line, err.col, err.msg, cases[i].col, cases[i].says);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)
    const struct CMUnitTest tests[] = {
        T(names_of_columns), T(a_copy_is_the_same), T(an_object_is_the_same), T(what_is_not_known), T(slips),
    };
    return RUN_TESTS(tests);
}
