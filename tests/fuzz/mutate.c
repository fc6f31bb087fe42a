/* mutate.c - changes an input so that it stays JSON: a value becomes another one, moves, doubles, is wrapped, cut or repeated many times.
 * Of an input with several files (files.h) one file changes. What is no JSON, and every fourth input, changes as bytes do.
 * libFuzzer calls it; replay.c does too, so that the ordinary test tries neighbours of its corpus. */
#include "fuzz.h"

#include <string.h>

#include "base/json.h"
#include "files.h"

enum { VALUES = 4096, DEEPEST = 400 };

typedef struct mutation {
    uint32_t state; /* of the random numbers */
    size_t room;    /* bytes that the file may have afterwards */
    const ridge_json *values[VALUES];
    size_t count;
    ridge_buf out; /* the file, changed */
} mutation;

/* xorshift32 (Marsaglia 2003); 0 .. n-1 */
static size_t below(mutation *m, size_t n)
{
    m->state ^= m->state << 13;
    m->state ^= m->state >> 17;
    m->state ^= m->state << 5;
    return n == 0 ? 0 : m->state % n;
}

static ridge_str source(const ridge_json *v)
{
    return (ridge_str){v->begin, (size_t)(v->end - v->begin)};
}

static void collect(mutation *m, const ridge_json *v)
{
    if (m->count < VALUES)
        m->values[m->count++] = v;
    for (uint32_t i = 0; v->type == RIDGE_JSON_ARRAY && i < v->count; i++)
        collect(m, &v->u.items[i]);
    for (uint32_t i = 0; v->type == RIDGE_JSON_OBJECT && i < v->count; i++)
        collect(m, &v->u.members[i].value);
}

/* ---- what a value becomes ---- */

static void another(mutation *m, const ridge_json *v)
{
    (void)v;
    ridge_buf_add(&m->out, source(m->values[below(m, m->count)]));
}

static void edge(mutation *m, const ridge_json *v)
{
    static const char *const literals[] = {
        "0",
        "1",
        "-1",
        "2",
        "3",
        "7",
        "64",
        "65536",
        "1000000",
        "9223372036854775807",
        "170141183460469231731687303715884105727",
        "1e38",
        "-0.5",
        "0.1",
        "{}",
        "[]",
        "[[]]",
        "\"\"",
        "null",
        "true",
        "9223372036854775808",
        "-170141183460469231731687303715884105728",
        "1e-9",
        "1e400",
        "[[1]]",
        "\"*\"",
        "\"a\"",
        "\"S\"",
        "false",
        "4294967296",
        "\"../x\"",
        "\"\\u0000\"",
        "\"\\u001b[2J\\u202e\"",
    };
    (void)v;
    ridge_buf_addz(&m->out, literals[below(m, sizeof literals / sizeof *literals)]);
}

/* a number a little or a lot different, a text with some of it changed */
static void nearby(mutation *m, const ridge_json *v)
{
    if (v->type == RIDGE_JSON_NUMBER) {
        static const char *const changes[] = {"0", "1", "00", "e1", "e3", ".5", "9"};
        ridge_buf_add(&m->out, v->u.text);
        ridge_buf_addz(&m->out, changes[below(m, sizeof changes / sizeof *changes)]);
        return;
    }
    uint8_t text[256];
    const ridge_str old = source(v);
    if (old.n == 0 || old.n > sizeof text) {
        another(m, v);
        return;
    }
    memcpy(text, old.p, old.n);
    const size_t n = LLVMFuzzerMutate(text, old.n, sizeof text);
    ridge_buf_add(&m->out, (ridge_str){(const char *)text, n});
}

/* in one more container, or in very many */
static void wrapped(mutation *m, const ridge_json *v)
{
    const bool object = below(m, 2) == 0;
    const size_t levels = below(m, 8) == 0 ? below(m, DEEPEST) + 1 : 1;
    for (size_t i = 0; i < levels; i++)
        ridge_buf_addz(&m->out, object ? "{\"a\":" : "[");
    ridge_buf_add(&m->out, source(v));
    for (size_t i = 0; i < levels; i++)
        ridge_buf_addc(&m->out, object ? '}' : ']');
}

/* ---- containers ---- */

static void write_item(mutation *m, const ridge_json *v, uint32_t i, const char *suffix)
{
    if (v->type == RIDGE_JSON_ARRAY) {
        ridge_buf_add(&m->out, source(&v->u.items[i]));
        return;
    }
    ridge_buf key = {0};
    ridge_json_writer w;
    ridge_jw_init(&w, &m->out);
    ridge_buf_add(&key, v->u.members[i].key);
    ridge_buf_addz(&key, suffix);
    ridge_jw_str(&w, (ridge_str){key.p, key.n});
    ridge_buf_addc(&m->out, ':');
    ridge_buf_add(&m->out, source(&v->u.members[i].value));
    ridge_buf_free(&key);
}

/* the container with item `at` left out, or `repeats` times more in it */
static void rewrite(mutation *m, const ridge_json *v, uint32_t at, size_t repeats, bool cut)
{
    const bool object = v->type == RIDGE_JSON_OBJECT;
    const char *between = "";
    ridge_buf_addc(&m->out, object ? '{' : '[');
    for (uint32_t i = 0; i < v->count; i++) {
        const size_t times = i != at ? 1 : cut ? 0 : repeats + 1;
        for (size_t k = 0; k < times && m->out.n < m->room; k++) {
            char suffix[24] = "";
            if (k > 0)
                (void)snprintf(suffix, sizeof suffix, "%zu", k);
            ridge_buf_addz(&m->out, between);
            write_item(m, v, i, suffix);
            between = ",\n";
        }
    }
    ridge_buf_addc(&m->out, object ? '}' : ']');
}

static bool is_container(const ridge_json *v)
{
    return (v->type == RIDGE_JSON_OBJECT || v->type == RIDGE_JSON_ARRAY) && v->count > 0;
}

static void cut(mutation *m, const ridge_json *v)
{
    if (is_container(v))
        rewrite(m, v, (uint32_t)below(m, v->count), 0, true);
    else
        edge(m, v);
}

static void repeated(mutation *m, const ridge_json *v)
{
    if (is_container(v))
        rewrite(m, v, (uint32_t)below(m, v->count), below(m, 4) ? 1 : (size_t)1 << below(m, 13), false);
    else
        wrapped(m, v);
}

/* an item of the container becomes a value from elsewhere: a member under a name that means something */
static void grafted(mutation *m, const ridge_json *v)
{
    if (!is_container(v) || v->type != RIDGE_JSON_OBJECT) {
        another(m, v);
        return;
    }
    const ridge_json *from = m->values[below(m, m->count)];
    ridge_buf_addc(&m->out, '{');
    for (uint32_t i = 0; i < v->count; i++) {
        write_item(m, v, i, "");
        ridge_buf_addc(&m->out, ',');
    }
    if (is_container(from) && from->type == RIDGE_JSON_OBJECT)
        write_item(m, from, (uint32_t)below(m, from->count), "");
    else
        write_item(m, v, (uint32_t)below(m, v->count), "");
    ridge_buf_addc(&m->out, '}');
}

/* ---- a file, an input ---- */

/* false: it is no JSON, or what came of it is too large */
static bool mutate_json(mutation *m, ridge_str text)
{
    static void (*const ways[])(mutation *, const ridge_json *) = {another, edge,    edge, nearby,   nearby,
                                                                   nearby,  wrapped, cut,  repeated, grafted};
    ridge_arena arena;
    ridge_json *json;
    bool done = false;
    ridge_arena_init(&arena);
    if (ridge_json_parse(&json, text, "", (ridge_json_options){0}, &arena, NULL) == RIDGE_OK) {
        collect(m, json);
        const ridge_json *at = m->values[below(m, m->count)];
        ways[below(m, sizeof ways / sizeof *ways)](m, at);
        ridge_buf changed = m->out;
        m->out = (ridge_buf){0};
        ridge_buf_add(&m->out, (ridge_str){text.p, (size_t)(at->begin - text.p)});
        ridge_buf_add(&m->out, (ridge_str){changed.p, changed.n});
        ridge_buf_add(&m->out, (ridge_str){at->end, (size_t)(text.p + text.n - at->end)});
        ridge_buf_free(&changed);
        done = !m->out.failed && m->out.n <= m->room;
    }
    ridge_arena_free(&arena);
    return done;
}

/* one of the input's files, the text after its mark; the whole input where it has none */
static ridge_str choose_file(mutation *m, ridge_str input)
{
    const char *end = input.p + input.n, *starts[FUZZ_FILES];
    size_t n = 0;
    for (const char *at = fuzz_next_mark(input.p, input.p, end); at < end && n < FUZZ_FILES; at = fuzz_next_mark(at + 3, input.p, end))
        starts[n++] = at + 3;
    if (n == 0)
        return input;
    const size_t i = below(m, n);
    return (ridge_str){starts[i], (size_t)((i + 1 < n ? starts[i + 1] - 3 : end) - starts[i])};
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    mutation m = {.state = seed * 2654435761u + 1};
    const ridge_str input = {(const char *)data, size};
    if (size == 0 || below(&m, 4) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    const ridge_str file = choose_file(&m, input);
    const size_t before = (size_t)(file.p - input.p), after = size - before - file.n;
    m.room = max_size - before - after;
    size_t n = 0;
    if (mutate_json(&m, file)) {
        memmove(data + before + m.out.n, data + before + file.n, after);
        if (m.out.n > 0)
            memcpy(data + before, m.out.p, m.out.n);
        n = before + m.out.n + after;
    }
    ridge_buf_free(&m.out);
    return n > 0 ? n : LLVMFuzzerMutate(data, size, max_size);
}
