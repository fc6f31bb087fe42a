/* GGUF: what files have, in each version, and what is kept of them (ggml's docs/gguf.md). Sizes of blocks: sums of the structs of
 * ggml-common.h. Malformed files: tests/malformed/gguf.case; models: tests/gguf. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "input/gguf/choice.h"
#include "input/gguf/gguf.h"
#include "input/gguf/remote.h"

typedef struct place {
    ridge_arena arena;
    ridge_err err;
    ridge_buf bytes;
    uint32_t version;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return 1;
    ridge_arena_init(&p->arena);
    p->version = 3;
    *state = p;
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    ridge_arena_free(&p->arena);
    ridge_buf_free(&p->bytes);
    free(p);
    return 0;
}

/* ---- a writer ---- */

static void put(place *p, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ridge_buf_addc(&p->bytes, (char)(value >> 8 * i & 0xFF));
}

static void put_count(place *p, uint64_t value)
{
    put(p, value, p->version == 1 ? 4 : 8);
}

static void put_text(place *p, const char *text)
{
    put_count(p, strlen(text));
    ridge_buf_addz(&p->bytes, text);
}

static void begin(place *p, uint32_t version, uint64_t tensors, uint64_t pairs)
{
    p->version = version;
    p->bytes.n = 0;
    ridge_buf_addz(&p->bytes, "GGUF");
    put(p, version, 4);
    put_count(p, tensors);
    put_count(p, pairs);
}

static void put_pair(place *p, const char *key, ridge_gguf_type type, uint64_t value, size_t bytes)
{
    put_text(p, key);
    put(p, type, 4);
    put(p, value, bytes);
}

static void put_tensor(place *p, const char *name, uint32_t type, const uint64_t *shape, uint32_t rank, uint64_t offset)
{
    put_text(p, name);
    put(p, rank, 4);
    for (uint32_t i = 0; i < rank; i++)
        put_count(p, shape[i]);
    put(p, type, 4);
    put(p, offset, 8);
}

static void put_data(place *p, size_t alignment, size_t bytes)
{
    while (p->bytes.n % alignment != 0)
        ridge_buf_addc(&p->bytes, '\0');
    for (size_t i = 0; i < bytes; i++)
        ridge_buf_addc(&p->bytes, '\0');
}

static ridge_gguf read_it(place *p)
{
    ridge_binary file;
    ridge_gguf g;
    ridge_binary_memory(&file, "m.gguf", (ridge_str){p->bytes.p, p->bytes.n});
    const ridge_status st = ridge_gguf_read_one(&g, &file, &p->arena, &p->err);
    if (st)
        fail_msg("%s", message_of(&p->err));
    return g;
}

/* ---- tests ---- */

static void test_versions(void **state)
{
    place *p = *state;
    const uint64_t shape[] = {4, 3};
    for (uint32_t version = 1; version <= 3; version++) {
        begin(p, version, 1, 2);
        put_text(p, "general.architecture");
        put(p, RIDGE_GGUF_TEXT, 4);
        put_text(p, "llama");
        put_pair(p, "llama.block_count", RIDGE_GGUF_U32, 32, 4);
        put_tensor(p, "a.weight", 0, shape, 2, 0);
        const size_t table_end = p->bytes.n;
        put_data(p, 32, 48);
        ridge_gguf g = read_it(p);
        assert_int_equal(g.version, version);
        assert_int_equal(g.pair_count, 2);
        assert_str(ridge_gguf_text(&g, "general.architecture"), "llama");
        assert_int_equal((int64_t)ridge_gguf_find(&g, "llama.block_count")->numbers[0].whole, 32);
        assert_null(ridge_gguf_find(&g, "llama.block"));
        const ridge_weight *w = ridge_gguf_tensor(&g, RIDGE_STR("a.weight"));
        assert_non_null(w);
        assert_int_equal(w->rank, 2);
        assert_int_equal(w->shape[0], 3); /* turned: innermost last */
        assert_int_equal(w->shape[1], 4);
        assert_int_equal((int64_t)w->bytes, 48);
        assert_int_equal(w->offset, (table_end + 31) / 32 * 32);
        assert_null(ridge_gguf_tensor(&g, RIDGE_STR("general.architecture"))); /* a key */
    }
}

static void test_values(void **state)
{
    place *p = *state;
    static const struct {
        ridge_gguf_type type;
        uint64_t bits;
        size_t bytes;
        int64_t whole;
        double real;
    } rows[] = {
        {RIDGE_GGUF_U8, 0xFF, 1, 255, 0},
        {RIDGE_GGUF_I8, 0xFF, 1, -1, 0},
        {RIDGE_GGUF_U16, 0xFFFE, 2, 65534, 0},
        {RIDGE_GGUF_I16, 0xFFFE, 2, -2, 0},
        {RIDGE_GGUF_U32, 0xFFFFFFFF, 4, 4294967295, 0},
        {RIDGE_GGUF_I32, 0x80000000, 4, INT32_MIN, 0},
        {RIDGE_GGUF_F32, 0x3FC00000, 4, 0, 1.5},
        {RIDGE_GGUF_BOOL, 1, 1, 1, 0},
        {RIDGE_GGUF_U64, 0x7FFFFFFFFFFFFFFF, 8, INT64_MAX, 0},
        {RIDGE_GGUF_I64, 0xFFFFFFFFFFFFFFFF, 8, -1, 0},
        {RIDGE_GGUF_F64, 0x400921FB54442D18, 8, 0, 3.141592653589793},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    char key[] = "a";
    begin(p, 3, 0, ROWS);
    for (size_t i = 0; i < ROWS; i++, key[0]++)
        put_pair(p, key, rows[i].type, rows[i].bits, rows[i].bytes);
    ridge_gguf g = read_it(p);
    for (size_t i = 0; i < ROWS; i++) {
        const ridge_gguf_pair *pair = &g.pairs[i];
        assert_int_equal(pair->type, rows[i].type);
        assert_false(pair->array);
        if (ridge_gguf_is_float(pair->type))
            assert_true(pair->numbers[0].real == rows[i].real);
        else
            assert_int_equal((int64_t)pair->numbers[0].whole, rows[i].whole);
    }
}

static void test_arrays(void **state)
{
    place *p = *state;
    begin(p, 3, 0, 4);
    put_text(p, "few");
    put(p, RIDGE_GGUF_ARRAY, 4);
    put(p, RIDGE_GGUF_I16, 4);
    put_count(p, 3);
    put(p, 0xFFFF000200010000 >> 16, 6); /* 1, 2, -1 */
    put_text(p, "many");
    put(p, RIDGE_GGUF_ARRAY, 4);
    put(p, RIDGE_GGUF_F32, 4);
    put_count(p, RIDGE_GGUF_KEPT + 1);
    put_data(p, 1, 4 * (RIDGE_GGUF_KEPT + 1));
    put_text(p, "texts");
    put(p, RIDGE_GGUF_ARRAY, 4);
    put(p, RIDGE_GGUF_TEXT, 4);
    put_count(p, 2);
    put_text(p, "one");
    put_text(p, "");
    put_text(p, "arrays");
    put(p, RIDGE_GGUF_ARRAY, 4);
    put(p, RIDGE_GGUF_ARRAY, 4);
    put_count(p, 1);
    put(p, RIDGE_GGUF_U8, 4);
    put_count(p, 2);
    put(p, 0x0201, 2);
    ridge_gguf g = read_it(p);
    assert_int_equal(g.pair_count, 4);
    assert_int_equal((int64_t)g.pairs[0].numbers[2].whole, -1);
    assert_int_equal(g.pairs[1].count, RIDGE_GGUF_KEPT + 1);
    assert_null(g.pairs[1].numbers); /* a vocabulary's scores: counted alone */
    assert_int_equal(g.pairs[2].count, 2);
    assert_int_equal(g.pairs[3].count, 1);
    assert_int_equal(ridge_gguf_text(&g, "texts").n, 0);
}

static void test_alignment(void **state)
{
    place *p = *state;
    const uint64_t shape[] = {4};
    begin(p, 3, 2, 1);
    put_pair(p, "general.alignment", RIDGE_GGUF_U32, 128, 4);
    put_tensor(p, "a", 0, shape, 1, 0);
    put_tensor(p, "b", 0, shape, 1, 128);
    put_data(p, 128, 144);
    ridge_gguf g = read_it(p);
    assert_int_equal(g.weights.tensors[0].offset % 128, 0);
    assert_int_equal(g.weights.tensors[1].offset, g.weights.tensors[0].offset + 128);
    assert_int_equal((int64_t)g.weights.bytes, 32);
}

/* ggml's number, elements and bytes of a block */
static void test_types(void **state)
{
    place *p = *state;
    static const struct {
        uint32_t type, elements, bytes;
        const char *word;
    } rows[] = {
        {0, 1, 4, "F32"},         {1, 1, 2, "F16"},         {2, 32, 18, "Q4_0"},    {3, 32, 20, "Q4_1"},      {6, 32, 22, "Q5_0"},
        {7, 32, 24, "Q5_1"},      {8, 32, 34, "Q8_0"},      {9, 32, 36, "Q8_1"},    {10, 256, 84, "Q2_K"},    {11, 256, 110, "Q3_K"},
        {12, 256, 144, "Q4_K"},   {13, 256, 176, "Q5_K"},   {14, 256, 210, "Q6_K"}, {15, 256, 292, "Q8_K"},   {16, 256, 66, "IQ2_XXS"},
        {17, 256, 74, "IQ2_XS"},  {18, 256, 98, "IQ3_XXS"}, {19, 256, 50, "IQ1_S"}, {20, 32, 18, "IQ4_NL"},   {21, 256, 110, "IQ3_S"},
        {22, 256, 82, "IQ2_S"},   {23, 256, 136, "IQ4_XS"}, {24, 1, 1, "I8"},       {26, 1, 4, "I32"},        {27, 1, 8, "I64"},
        {28, 1, 8, "F64"},        {29, 256, 56, "IQ1_M"},   {30, 1, 2, "BF16"},     {31, 32, 18, "Q4_0_4_4"}, {32, 32, 18, "Q4_0_4_8"},
        {33, 32, 18, "Q4_0_8_8"}, {34, 256, 54, "TQ1_0"},   {35, 256, 66, "TQ2_0"}, {39, 32, 17, "MXFP4"},    {40, 64, 36, "NVFP4"},
        {41, 128, 18, "Q1_0"},    {42, 64, 18, "Q2_0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t shape[] = {3 * (uint64_t)rows[i].elements, 5};
        begin(p, 3, 1, 0);
        put_tensor(p, "a", rows[i].type, shape, 2, 0);
        put_data(p, 32, (size_t)15 * rows[i].bytes);
        ridge_gguf g = read_it(p);
        assert_string_equal(g.weights.tensors[0].stored_as, rows[i].word);
        assert_int_equal((int64_t)g.weights.bytes, 15 * rows[i].bytes);
        assert_int_equal((int64_t)g.weights.elements, 15 * rows[i].elements);
    }
}

/* Files of other programs: version, pairs and tensors as another reader counts them; -1: it refuses them too. Those of ggml-vocab-* that
 * are refused are damaged: their bytes above 0x7F became U+FFFD. */
static void test_files_of_others(void **state)
{
    place *p = *state;
    static const struct {
        const char *name;
        int version, pairs, tensors;
    } rows[] = {
        {"ggml-vocab-falcon.gguf", 3, 18, 0},
        {"ggml-vocab-llama-spm-old.gguf", 3, 22, 0},
        {"gridcore__fixtures__vocab-bpe-gpt4o.gguf", 3, 9, 0},
        {"gridcore__fixtures__vocab-bpe-llama3.gguf", 3, 9, 0},
        {"gridcore__fixtures__vocab-bpe-qwen2.gguf", 3, 9, 0},
        {"gridcore__fixtures__vocab-bpe-qwen35.gguf", 3, 9, 0},
        {"gridcore__fixtures__vocab-bpe-smollm.gguf", 3, 9, 0},
        {"gridcore__fixtures__vocab-bpe-spm-gemma4.gguf", 3, 9, 0},
        {"gridcore__fixtures__vocab-spm.gguf", 3, 9, 0},
        {"tensorhawk__fixtures__model.gguf", 3, 2, 0},
        {"weight-inspect__fixtures__empty.gguf", 3, 1, 0},
        {"wimpy__fixtures__lowctx.gguf", 3, 6, 0},
        {"wimpy__fixtures__moe.gguf", 3, 6, 0},
        {"wimpy__fixtures__tiny.gguf", 3, 6, 0},
        {"fuzz/bad-version.bin", 1, 0, 0}, /* 24 bytes that are a file of version 1 */
        {"fuzz/v3-empty.bin", 3, 0, 0},
        {"fuzz/valid-small.gguf", 3, 9, 0},
        {"weight-inspect__fixtures__tiny.gguf", -1, 0, 0}, /* its tensor's bytes are not there */
        {"ggml-vocab-baichuan.gguf", -1, 0, 0},
        {"ggml-vocab-bert-bge.gguf", -1, 0, 0},
        {"ggml-vocab-deepseek-coder.gguf", -1, 0, 0},
        {"ggml-vocab-gpt-2.gguf", -1, 0, 0},
        {"ggml-vocab-gpt-neox.gguf", -1, 0, 0},
        {"ggml-vocab-llama-spm.gguf", -1, 0, 0},
        {"ggml-vocab-phi-3.gguf", -1, 0, 0},
        {"ggml-vocab-starcoder.gguf", -1, 0, 0},
        {"fuzz/hdr-suppress-eos.gguf", -1, 0, 0},
        {"fuzz/hdr-wrap-first-offset.gguf", -1, 0, 0}, /* an offset that is no multiple of 32 */
        {"fuzz/hdr-zero-first-dim.gguf", -1, 0, 0},    /* a dimension of 0 */
        {"fuzz/huge-counts.bin", -1, 0, 0},
        {"fuzz/kv-arr-huge-n.bin", -1, 0, 0},
        {"fuzz/kv-huge-strlen.bin", -1, 0, 0},
        {"fuzz/magic-only.bin", -1, 0, 0},
        {"fuzz/tensor-huge-dims.bin", -1, 0, 0},
        {"fuzz/trunc-magic.bin", -1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *path = ridge_arena_printf(&p->arena, SOURCE_ROOT "/../shared/files/gguf/%s", rows[i].name);
        FILE *there = fopen(path, "rb");
        ridge_gguf g;
        if (!there) {
            print_message("%s is not here\n", path);
            continue;
        }
        fclose(there);
        ridge_err err = {0};
        const ridge_status st = ridge_gguf_read(&g, path, &p->arena, &err);
        if ((st != RIDGE_OK) != (rows[i].version < 0))
            fail_msg("%s: %s", rows[i].name, st ? message_of(&err) : "was read");
        if (st)
            continue;
        assert_int_equal(g.version, rows[i].version);
        assert_int_equal(g.pair_count, rows[i].pairs);
        assert_int_equal(g.weights.count, rows[i].tensors);
    }
}

/* names as they are published, and the quantisation that they end in */
static void test_tags(void **state)
{
    place *p = *state;
    static const struct {
        const char *file, *tag;
    } rows[] = {
        {"llama-2-7b-chat.Q4_K_M.gguf", "Q4_K_M"},
        {"Phi-3-mini-4k-instruct-q4.gguf", "q4"},
        {"Phi-3-mini-4k-instruct-fp16.gguf", "fp16"},
        {"qwen2.5-0.5b-instruct-q4_k_m.gguf", "q4_k_m"},
        {"Qwen3-8B-IQ4_XS.gguf", "IQ4_XS"},
        {"UD-IQ1_S/DeepSeek-R1-UD-IQ1_S-00002-of-00003.gguf", "UD-IQ1_S"},
        {"Llama-3.1-8B.i1-IQ2_XXS.gguf", "IQ2_XXS"},
        {"gpt-oss-20b-mxfp4.gguf", "mxfp4"},
        {"BF16/Qwen3-235B-BF16-00001-of-00002.gguf", "BF16"},
        {"bitnet-TQ2_0.gguf", "TQ2_0"},
        {"model_f16.gguf", "f16"},
        {"Q4_K_M.gguf", "Q4_K_M"},
        {"ggml-vocab-llama-bpe.gguf", "ggml-vocab-llama-bpe"},
        {"mmproj-model-f16.gguf", "mmproj-model-f16"},
        {"a/model.gguf", "model"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ridge_gguf_choices all = {0};
        assert_int_equal(ridge_gguf_choices_add(&all, rows[i].file, 1, &p->arena, &p->err), RIDGE_OK);
        const ridge_str tag = ridge_gguf_choice_tag(&all.items[0]);
        if (!ridge_str_is(tag, rows[i].tag))
            fail_msg("%s: %.*s", rows[i].file, RIDGE_STR_ARG(tag));
    }
}

static void test_ids(void **state)
{
    place *p = *state;
    static const struct {
        const char *text, *id, *revision, *tag, *file; /* id NULL: it is none */
    } rows[] = {
        {"org/name", "org/name", "main", NULL, NULL},
        {"org/name:Q4_K_M", "org/name", "main", "Q4_K_M", NULL},
        {"org/name@v1:Q4_K_M", "org/name", "v1", "Q4_K_M", NULL},
        {"org/name/a/b.gguf", "org/name", "main", NULL, "a/b.gguf"},
        {"org/name@v1/b.gguf", "org/name", "v1", NULL, "b.gguf"},
        {"org/name:b.gguf", "org/name", "main", "b.gguf", NULL},
        {"org/name/../b.gguf", NULL, NULL, NULL, NULL},
        {"org//b.gguf", NULL, NULL, NULL, NULL},
        {"./name/b.gguf", NULL, NULL, NULL, NULL},
        {"/org/name/b.gguf", NULL, NULL, NULL, NULL},
        {"org/name:", NULL, NULL, NULL, NULL},
        {"org/name:a/b", NULL, NULL, NULL, NULL},
        {"org/name:a b", NULL, NULL, NULL, NULL},
        {"name:Q4_K_M", NULL, NULL, NULL, NULL},
        {"http://host:80", NULL, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ridge_gguf_id id;
        const bool is_id = ridge_gguf_id_read(&id, rows[i].text, &p->arena);
        if (is_id != (rows[i].id != NULL))
            fail_msg("%s", rows[i].text);
        if (!is_id)
            continue;
        assert_string_equal(id.name.id, rows[i].id);
        assert_string_equal(id.name.revision, rows[i].revision);
        assert_string_equal(id.tag ? id.tag : "-", rows[i].tag ? rows[i].tag : "-");
        assert_string_equal(id.file ? id.file : "-", rows[i].file ? rows[i].file : "-");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_versions, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_values, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_arrays, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_alignment, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_types, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_tags, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_ids, open_place, close_place),
        cmocka_unit_test_setup_teardown(test_files_of_others, open_place, close_place),
    };
    return RUN_TESTS(tests);
}
