/* json.c - fuzzes the JSON reader and writer: what was read is written, read again and compared. */
#include "fuzz.h"

#include "base/json.h"

static void write_value(ridge_json_writer *w, const ridge_json *v)
{
    switch (v->type) {
    case RIDGE_JSON_NULL:
        ridge_jw_null(w);
        break;
    case RIDGE_JSON_TRUE:
    case RIDGE_JSON_FALSE:
        ridge_jw_bool(w, v->type == RIDGE_JSON_TRUE);
        break;
    case RIDGE_JSON_NUMBER:
        ridge_jw_raw(w, v->u.text);
        break;
    case RIDGE_JSON_STRING:
        ridge_jw_str(w, v->u.text);
        break;
    case RIDGE_JSON_ARRAY:
        ridge_jw_array(w);
        for (uint32_t i = 0; i < v->count; i++)
            write_value(w, &v->u.items[i]);
        ridge_jw_end_array(w);
        break;
    case RIDGE_JSON_OBJECT:
        ridge_jw_object(w);
        for (uint32_t i = 0; i < v->count; i++) {
            ridge_jw_key_str(w, v->u.members[i].key);
            write_value(w, &v->u.members[i].value);
        }
        ridge_jw_end_object(w);
        break;
    }
}

static bool same(const ridge_json *a, const ridge_json *b)
{
    if (a->type != b->type || a->count != b->count)
        return false;
    if (a->type == RIDGE_JSON_NUMBER || a->type == RIDGE_JSON_STRING)
        return ridge_str_eq(a->u.text, b->u.text);
    for (uint32_t i = 0; a->type == RIDGE_JSON_ARRAY && i < a->count; i++)
        if (!same(&a->u.items[i], &b->u.items[i]))
            return false;
    for (uint32_t i = 0; a->type == RIDGE_JSON_OBJECT && i < a->count; i++)
        if (!ridge_str_eq(a->u.members[i].key, b->u.members[i].key) || !same(&a->u.members[i].value, &b->u.members[i].value))
            return false;
    return true;
}

static unsigned depth_of(const ridge_json *v)
{
    unsigned deepest = 0;
    for (uint32_t i = 0; (v->type == RIDGE_JSON_ARRAY || v->type == RIDGE_JSON_OBJECT) && i < v->count; i++) {
        unsigned d = depth_of(v->type == RIDGE_JSON_ARRAY ? &v->u.items[i] : &v->u.members[i].value);
        deepest = d > deepest ? d : deepest;
    }
    return deepest + 1;
}

/* positions and source text lie inside the input */
static void check_places(const ridge_json *v, const char *begin, const char *end)
{
    FUZZ_CHECK(v->line >= 1 && v->col >= 1 && v->begin >= begin && v->begin < v->end && v->end <= end);
    for (uint32_t i = 0; v->type == RIDGE_JSON_ARRAY && i < v->count; i++)
        check_places(&v->u.items[i], v->begin, v->end);
    for (uint32_t i = 0; v->type == RIDGE_JSON_OBJECT && i < v->count; i++)
        check_places(&v->u.members[i].value, v->begin, v->end);
}

static void round_trip(const ridge_json *first, ridge_arena *arena)
{
    ridge_buf buf = {0};
    ridge_json_writer w;
    ridge_json *second;
    ridge_err err = {0};
    ridge_jw_init(&w, &buf);
    write_value(&w, first);
    FUZZ_CHECK(!buf.failed);
    ridge_status st = ridge_json_parse(&second, (ridge_str){buf.p, buf.n}, "", (ridge_json_options){0}, arena, &err);
    FUZZ_CHECK(st == RIDGE_OK);
    FUZZ_CHECK(same(first, second));
    ridge_buf_free(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ridge_str text = {(const char *)data, size};
    for (int unique = 0; unique < 2; unique++) {
        ridge_arena arena;
        ridge_json *v;
        ridge_err err = {0};
        ridge_arena_init(&arena);
        ridge_status st = ridge_json_parse(&v, text, "input", (ridge_json_options){.unique_keys = unique != 0}, &arena, &err);
        fuzz_check_err(st, &err);
        FUZZ_CHECK(st != RIDGE_OK || size > 0);
        FUZZ_CHECK(st == RIDGE_OK || st == RIDGE_NOMEM || st == RIDGE_LIMIT || err.line >= 1);
        if (st == RIDGE_OK)
            check_places(v, text.p, text.p + text.n);
        if (st == RIDGE_OK && depth_of(v) < 60) /* the writer's limit */
            round_trip(v, &arena);
        ridge_arena_free(&arena);
    }
    return 0;
}
