/* Readers of weight files on bytes in memory: what comes out, place by place, and what a failure says. Whole files: tests/golden/files.py.
 */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "input/pickle.h"
#include "input/probe.h"
#include "input/shards.h"
#include "input/zip.h"

typedef struct place {
    char folder[64];
    ridge_arena arena;
    ridge_err err;
    ridge_binary file;
    ridge_weights weights;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return 1;
    snprintf(p->folder, sizeof p->folder, "/tmp/ridge-weights-XXXXXX");
    ridge_arena_init(&p->arena);
    *state = p;
    return mkdtemp(p->folder) == NULL;
}

static int close_place(void **state)
{
    place *p = *state;
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", p->folder);
    ridge_arena_free(&p->arena);
    int failed = system(command);
    free(p);
    return failed;
}

/* the bytes of a safetensors file: length, header, `data` zeros */
static ridge_str safetensors(place *p, const char *header, size_t data)
{
    const size_t n = strlen(header);
    char *bytes = ridge_arena_alloc(&p->arena, 8 + n + data);
    for (size_t i = 0; i < 8; i++)
        bytes[i] = (char)(unsigned char)(n >> (8 * i));
    memcpy(bytes + 8, header, n);
    return (ridge_str){bytes, 8 + n + data};
}

static ridge_status read_bytes(place *p, ridge_str bytes)
{
    ridge_err_clear(&p->err);
    ridge_binary_memory(&p->file, "in.safetensors", bytes);
    return ridge_probe_file(&p->weights, &p->file, &p->arena, &p->err);
}

static void test_safetensors(void **state)
{
    place *p = *state;
    const char *header = "{\"b\":{\"dtype\":\"BF16\",\"shape\":[2,3],\"data_offsets\":[8,20]},\"__metadata__\":{\"format\":\"pt\"},"
                         "\"a\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}}";
    assert_int_equal(read_bytes(p, safetensors(p, header, 20)), RIDGE_OK);
    const ridge_weights *w = &p->weights;
    assert_string_equal(w->kind, "safetensors");
    assert_int_equal(w->count, 2); /* in the header's order */
    assert_str(w->tensors[0].name, "b");
    assert_string_equal(w->tensors[0].format->name, "bf16");
    assert_string_equal(w->tensors[0].stored_as, "BF16");
    assert_int_equal(w->tensors[0].rank, 2);
    assert_int_equal(w->tensors[0].shape[1], 3);
    assert_int_equal(w->tensors[0].offset, 8 + strlen(header) + 8);
    assert_int_equal(w->tensors[1].rank, 0);
    assert_true(w->tensors[1].elements == 1 && w->tensors[1].bytes == 8);
    assert_true(w->bytes == 20 && w->elements == 7);
    assert_str(ridge_json_get(w->metadata, "format")->u.text, "pt");
}

/* the format's words and their bits (huggingface/safetensors, tensor.rs, Dtype::bitsize) */
static void test_every_dtype(void **state)
{
    place *p = *state;
    static const struct {
        const char *dtype;
        int bits;
    } all[] = {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},    {"F8_E5M2", 8},
               {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16}, {"BF16", 16}, {"I32", 32},
               {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},    {"I64", 64}, {"U64", 64}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int bytes = 16 * all[i].bits / 8;
        const char *header =
            ridge_arena_printf(&p->arena, "{\"t\":{\"dtype\":\"%s\",\"shape\":[4,4],\"data_offsets\":[0,%d]}}", all[i].dtype, bytes);
        assert_int_equal(read_bytes(p, safetensors(p, header, (size_t)bytes)), RIDGE_OK);
        assert_string_equal(p->weights.tensors[0].stored_as, all[i].dtype);
        assert_true(p->weights.bytes == bytes);
    }
}

static void test_a_table_of_names(void **state)
{
    place *p = *state;
    const char *header =
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}";
    ridge_weight_names names;
    assert_int_equal(read_bytes(p, safetensors(p, header, 2)), RIDGE_OK);
    assert_int_equal(ridge_weight_names_make(&names, &p->weights, &p->arena, &p->err), RIDGE_OK);
    assert_ptr_equal(ridge_weight_find(&names, &p->weights, RIDGE_STR("b")), &p->weights.tensors[1]);
    assert_null(ridge_weight_find(&names, &p->weights, RIDGE_STR("c")));
    p->weights.tensors[1].name = RIDGE_STR("a");
    assert_int_equal(ridge_weight_names_make(&names, &p->weights, &p->arena, &p->err), RIDGE_VALUE);
    assert_string_equal(p->err.msg, "in.safetensors: the tensor 'a' stands there twice");
}

/* ---- pickles ---- */

static ridge_pickle_value *pickle(place *p, ridge_str bytes)
{
    ridge_pickle_value *v = NULL;
    ridge_err_clear(&p->err);
    ridge_binary_memory(&p->file, "in.pkl", bytes);
    ridge_cursor c = ridge_cursor_all(&p->file);
    return ridge_pickle_read(&v, &c, &p->arena, &p->err) ? NULL : v;
}

/* Python's pickle.dumps of 1, -1, 300, -70000, 2**40, -2**63, True, None */
static void test_numbers(void **state)
{
    place *p = *state;
    static const struct {
        const char *bytes;
        size_t n;
        int64_t value;
    } all[] = {{"\x80\x02K\x01.", 5, 1},
               {"\x80\x02J\xff\xff\xff\xff.", 8, -1},
               {"\x80\x02M,\x01.", 6, 300},
               {"\x80\x02J\x90\xee\xfe\xff.", 8, -70000},
               {"\x80\x02\x8a\x06\x00\x00\x00\x00\x00\x01.", 11, INT64_C(1) << 40},
               {"\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.", 13, INT64_MIN},
               {"\x80\x02\x8a\x00.", 5, 0},
               {"I-12\n.", 6, -12},
               {"L9223372036854775799L\n.", 23, INT64_C(9223372036854775799)},
               {"I01\n.", 5, 1},
               {"\x80\x02\x88.", 4, 1}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const ridge_pickle_value *v = pickle(p, (ridge_str){all[i].bytes, all[i].n});
        assert_non_null(v);
        assert_true(v->u.whole == all[i].value && (v->kind == RIDGE_PICKLE_WHOLE || v->kind == RIDGE_PICKLE_BOOL));
    }
    assert_int_equal(pickle(p, RIDGE_STR("\x80\x02N."))->kind, RIDGE_PICKLE_NONE);
    assert_int_equal(pickle(p, RIDGE_STR("I99999999999999999999\n."))->kind, RIDGE_PICKLE_OTHER);
}

/* pickle.dumps({'a': (1, 'x'), 'b': [2, 3]}, 2) */
static void test_containers(void **state)
{
    place *p = *state;
    const ridge_pickle_value *v = pickle(p, RIDGE_STR("\x80\x02}q\x00(X\x01\x00\x00\x00"
                                                      "aq\x01K\x01X\x01\x00\x00\x00xq\x02\x86q\x03X\x01\x00\x00\x00"
                                                      "bq\x04]q\x05(K\x02K\x03"
                                                      "eu."));
    assert_non_null(v);
    assert_int_equal(v->kind, RIDGE_PICKLE_DICT);
    assert_int_equal(v->count, 4);
    const ridge_pickle_value *a = ridge_pickle_get(v, "a"), *b = ridge_pickle_get(v, "b");
    assert_int_equal(a->kind, RIDGE_PICKLE_TUPLE);
    assert_int_equal(a->count, 2);
    assert_str(a->items[1]->u.text, "x");
    assert_int_equal(b->kind, RIDGE_PICKLE_LIST);
    assert_int_equal(b->items[1]->u.whole, 3);
    assert_null(ridge_pickle_get(v, "c"));
}

/* a call stays a call: os.system("x") of protocols 2 and 4 */
static void test_calls(void **state)
{
    place *p = *state;
    const ridge_str both[] = {
        RIDGE_STR("\x80\x02"
                  "cposix\nsystem\nX\x01\x00\x00\x00x\x85R."),
        RIDGE_STR("\x80\x04\x95\x1f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x01x\x94\x85\x94R\x94.")};
    for (size_t i = 0; i < 2; i++) {
        const ridge_pickle_value *v = pickle(p, both[i]);
        assert_non_null(v);
        assert_int_equal(v->kind, RIDGE_PICKLE_OBJECT);
        assert_true(ridge_pickle_is_global(v->u.of.made_by, "posix.system"));
        assert_int_equal(v->u.of.arguments->count, 1);
    }
}

/* tuples of any length above marks, one inside another */
static void test_marks(void **state)
{
    place *p = *state;
    const ridge_pickle_value *v = pickle(p, RIDGE_STR("(K\x01(K\x02K\x03K\x04K\x05t(tK\x06t."));
    assert_non_null(v);
    assert_int_equal(v->count, 4);
    assert_int_equal(v->items[0]->u.whole, 1);
    assert_int_equal(v->items[1]->count, 4);
    assert_int_equal(v->items[1]->items[3]->u.whole, 5);
    assert_int_equal(v->items[2]->count, 0);
    assert_int_equal(v->items[3]->u.whole, 6);
}

/* ---- folders ---- */

static const char *write_file(place *p, const char *name, ridge_str bytes)
{
    const char *path = ridge_arena_printf(&p->arena, "%s/%s", p->folder, name);
    assert_int_equal(ridge_file_write_atomic(path, bytes, NULL), RIDGE_OK);
    return path;
}

static ridge_status read_path(place *p, const char *path, bool absent)
{
    ridge_err_clear(&p->err);
    return ridge_shards_read(&p->weights, path, (ridge_shards_options){.absent = absent}, &p->arena, &p->err);
}

static void test_shards(void **state)
{
    place *p = *state;
    const char *a = "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}",
               *b = "{\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}";
    write_file(p, "1.safetensors", safetensors(p, a, 3));
    write_file(p, "2.safetensors", safetensors(p, b, 4));
    assert_int_equal(read_path(p, p->folder, false), RIDGE_OK); /* no index: all of one kind */
    assert_int_equal(p->weights.file_count, 2);
    assert_true(p->weights.count == 2 && p->weights.bytes == 7);
    assert_int_equal(p->weights.tensors[1].file, 1);
    const char *index = write_file(p, "model.safetensors.index.json",
                                   RIDGE_STR("{\"weight_map\":{\"b\":\"2.safetensors\",\"c\":\"3.safetensors\",\"d\":\"3.safetensors\"}}"));
    assert_string_equal(ridge_shards_in(p->folder, &p->arena), index);
    assert_int_equal(read_path(p, p->folder, false), RIDGE_IO);
    assert_non_null(strstr(p->err.msg, "model.safetensors.index.json names /tmp/"));
    assert_non_null(strstr(p->err.msg, "/3.safetensors, which is not there"));
    assert_int_equal(read_path(p, index, true), RIDGE_OK);
    assert_int_equal(p->weights.count, 3);
    assert_int_equal(p->weights.unread, 2);
    assert_int_equal(p->weights.absent_files, 1);
    assert_true(!p->weights.tensors[0].unread && p->weights.tensors[2].unread && p->weights.bytes == 4);
    assert_str(p->weights.tensors[2].name, "d");
}

/* known names before others, safetensors before checkpoints */
static void test_what_a_folder_has(void **state)
{
    place *p = *state;
    static const char *const names[] = {"z.pth", "x.bin", "pytorch_model.bin", "model.safetensors.index.json", "model.safetensors"};
    assert_null(ridge_shards_in(p->folder, &p->arena));
    write_file(p, "config.json", RIDGE_STR("{}"));
    write_file(p, "tokenizer.model", RIDGE_STR("{}"));
    assert_null(ridge_shards_in(p->folder, &p->arena));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = write_file(p, names[i], RIDGE_STR("x"));
        assert_string_equal(ridge_shards_in(p->folder, &p->arena), path);
    }
}

/* ---- what is no weight file ---- */

static void test_other_files(void **state)
{
    place *p = *state;
    static const struct {
        const char *bytes, *says;
    } all[] = {{"version https://git-lfs.github.com/spec/v1\n",
                "in.safetensors: a pointer of Git LFS, not the file itself: 'git lfs pull' brings it"},
               {"<!DOCTYPE html>", "in.safetensors: a web page: the download went wrong"},
               {"", "in.safetensors: the file is empty"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_int_equal(read_bytes(p, ridge_str_of(all[i].bytes)), RIDGE_SYNTAX);
        assert_string_equal(p->err.msg, all[i].says);
    }
}

/* a file that is cut off while it is read ends in an error */
static void test_a_file_that_shrinks(void **state)
{
    place *p = *state;
    const char *a = "{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}";
    const char *path = write_file(p, "a.safetensors", safetensors(p, a, 3));
    ridge_binary file;
    assert_int_equal(ridge_binary_open(&file, path, &p->arena, &p->err), RIDGE_OK);
    assert_int_equal(truncate(path, 20), 0);
    assert_int_equal(ridge_probe_file(&p->weights, &file, &p->arena, &p->err), RIDGE_IO);
    assert_non_null(strstr(p->err.msg, "the file ends at"));
    ridge_binary_close(&file);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)
    const struct CMUnitTest tests[] = {
        TEST(test_safetensors),
        TEST(test_every_dtype),
        TEST(test_a_table_of_names),
        TEST(test_numbers),
        TEST(test_containers),
        TEST(test_calls),
        TEST(test_marks),
        TEST(test_shards),
        TEST(test_what_a_folder_has),
        TEST(test_other_files),
        TEST(test_a_file_that_shrinks),
    };
    return RUN_TESTS(tests);
}
