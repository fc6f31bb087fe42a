/* ops.c - operators from their shapes. Expected values: FACTS' worked examples, or arithmetic done another way (loops, literals). */
#include "test.h"

#include "operator/ops.h"

static ridge_ops ops;
static ridge_arena arena;

static int open_ops(void **state)
{
    (void)state;
    ridge_arena_init(&arena);
    return ridge_ops_open(&ops, NULL) != RIDGE_OK;
}

static int close_ops(void **state)
{
    (void)state;
    ridge_ops_close(&ops);
    ridge_arena_free(&arena);
    return 0;
}

static ridge_op_record count_as(ridge_op_kind kind, const ridge_op_shape *shape, const char *activations, const char *weights,
                                const char *kv)
{
    ridge_op_formats formats = {ridge_format_find(ridge_str_of(activations)), ridge_format_find(ridge_str_of(weights)),
                                ridge_format_find(ridge_str_of(kv))};
    ridge_op_record record;
    ridge_err err = {0};
    ridge_status status = ridge_ops_count(&record, &ops, kind, shape, &formats, &arena, &err);
    assert_string_equal(message_of(&err), "");
    assert_int_equal(status, RIDGE_OK);
    return record;
}

static ridge_op_record count(ridge_op_kind kind, const ridge_op_shape *shape)
{
    return count_as(kind, shape, "bf16", "bf16", "bf16");
}

static ridge_int operand(const ridge_op_record *r, const char *name)
{
    for (size_t i = 0; i < r->operand_count; i++)
        if (strcmp(r->operands[i].name, name) == 0)
            return r->operands[i].bytes;
    fail_msg("no operand '%s'", name);
    return 0;
}

#define assert_number(value, text)                                                                                                         \
    do {                                                                                                                                   \
        char number_[RIDGE_INT_CHARS];                                                                                                     \
        ridge_int_print(number_, value);                                                                                                   \
        assert_string_equal(number_, text);                                                                                                \
    } while (0)

/* the classes and the dequantisation are the total, the operands are the bytes, and so are the parts with the operands of no part */
static void assert_consistent(const ridge_op_record *r)
{
    ridge_int flops = r->flops.dequantisation, bytes = 0, own = 0, parts = 0;
    for (int i = 0; i < RIDGE_FLOP_COUNT; i++)
        flops += r->flops.by_class[i];
    for (size_t i = 0; i < r->operand_count; i++) {
        bytes += r->operands[i].bytes;
        own += strchr(r->operands[i].name, '.') ? 0 : r->operands[i].bytes;
    }
    for (size_t i = 0; i < r->part_count; i++)
        parts += r->parts[i].bytes;
    assert_true(flops == r->flops.total);
    assert_true(bytes == r->bytes && bytes > 0 && own + parts == bytes);
    ridge_int kernel_flops = 0, kernel_bytes = 0;
    for (size_t i = 0; i < r->kernel_count; i++) {
        kernel_flops += r->kernels[i].calls * r->kernels[i].flops.total;
        kernel_bytes += r->kernels[i].calls * r->kernels[i].bytes;
    }
    assert_true(kernel_flops == flops && kernel_bytes == bytes);
}

static void test_gemm(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_M] = 4096, [RIDGE_OP_N] = 4096, [RIDGE_OP_K] = 4096}};
    ridge_op_record r = count(RIDGE_OP_GEMM, &shape);
    assert_number(r.flops.total, "137438953472");
    assert_number(r.flops.by_class[RIDGE_FLOP_MATMUL], "137438953472");
    assert_number(r.bytes, "100663296"); /* 3 matrices of 2^24 elements of 2 bytes */
    assert_consistent(&r);
    shape.flags[RIDGE_OP_QUANTISED] = true;
    r = count(RIDGE_OP_GEMM, &shape);
    assert_number(r.flops.total, "274877906944"); /* doubled */
    assert_number(r.flops.dequantisation, "137438953472");
    assert_number(r.flops.by_class[RIDGE_FLOP_MATMUL], "137438953472");
    assert_number(r.flops.by_class[RIDGE_FLOP_OTHER], "0");
    assert_number(r.bytes, "100663296");
    assert_consistent(&r);
}

static void test_gemm_operands_in_their_formats(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_M] = 2, [RIDGE_OP_N] = 3, [RIDGE_OP_K] = 257}};
    ridge_op_record r = count_as(RIDGE_OP_GEMM, &shape, "fp32", "q4_K", "fp32");
    assert_number(operand(&r, "A"), "2056"); /* 2*257*4 */
    assert_number(operand(&r, "B"), "864");  /* 3 rows of 2 whole super-blocks of 144 bytes */
    assert_number(operand(&r, "C"), "24");
    assert_number(r.flops.total, "3084");
    assert_consistent(&r);
}

static void test_gemv_of_a_q4_K_weight(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_N] = 2560, [RIDGE_OP_K] = 2560}};
    ridge_op_record r = count_as(RIDGE_OP_GEMV, &shape, "bf16", "q4_K", "bf16");
    assert_number(r.flops.total, "13107200");   /* 13.1 MFLOP */
    assert_number(operand(&r, "W"), "3686400"); /* 3.7 MB: 2560 rows of 10 super-blocks of 144 bytes */
    assert_number(operand(&r, "x"), "5120");
    assert_number(operand(&r, "y"), "5120");
    assert_consistent(&r);
    shape.dims[RIDGE_OP_N] = shape.dims[RIDGE_OP_K] = 4096;
    r = count_as(RIDGE_OP_GEMV, &shape, "fp16", "nvfp4", "fp16");
    assert_number(operand(&r, "W"), "9437188"); /* 4096 x 256 blocks of 9 bytes and the fp32 scale; 33 us at 287 GB/s */
}

/* query-key pairs counted one by one */
static ridge_int visible_pairs(int seq, int kv)
{
    ridge_int n = 0;
    for (int q = 0; q < seq; q++)
        for (int k = 0; k < kv; k++)
            n += k <= kv - seq + q;
    return n;
}

static void test_attention_counts_exact_pairs(void **state)
{
    (void)state;
    static const int lengths[][2] = {{1, 1}, {1, 17}, {5, 5}, {7, 19}, {64, 64}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int seq = lengths[i][0], kv = lengths[i][1];
        ridge_op_shape shape = {.dims = {[RIDGE_OP_BATCH] = 3,
                                         [RIDGE_OP_SEQ_LEN] = seq,
                                         [RIDGE_OP_KV_LEN] = kv,
                                         [RIDGE_OP_HEADS] = 8,
                                         [RIDGE_OP_KV_HEADS] = 2,
                                         [RIDGE_OP_HEAD_DIM] = 6}};
        for (int causal = 0; causal < 2; causal++) {
            shape.flags[RIDGE_OP_CAUSAL] = causal;
            ridge_op_record r = count(RIDGE_OP_ATTENTION, &shape);
            ridge_int pairs = 24 * (causal ? visible_pairs(seq, kv) : (ridge_int)seq * kv); /* 3 sequences of 8 heads */
            assert_true(r.flops.by_class[RIDGE_FLOP_ATTENTION] == pairs * 12 + pairs * 12);
            assert_true(r.flops.by_class[RIDGE_FLOP_OTHER] == pairs + pairs + pairs + pairs + pairs);
            assert_true(operand(&r, "Q") == 288 * seq && operand(&r, "O") == 288 * seq); /* 3*8*6*2 */
            assert_true(operand(&r, "K") == 72 * kv && operand(&r, "V") == 72 * kv);     /* 3*2*6*2 */
            assert_consistent(&r);
        }
    }
}

static void test_attention_core_of_the_block_example(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_SEQ_LEN] = 2048, [RIDGE_OP_HEADS] = 32, [RIDGE_OP_HEAD_DIM] = 128}};
    ridge_op_record r = count_as(RIDGE_OP_ATTENTION, &shape, "bf16", "bf16", "q8_0");
    assert_number(ridge_op_part_find(&r, "scores")->flops.total, "34359738368"); /* FACTS: QK^T once */
    assert_number(ridge_op_part_find(&r, "weighted")->flops.total, "34359738368");
    assert_null(ridge_op_part_find(&r, "Q"));
    assert_number(operand(&r, "K"), "8912896"); /* 65536 rows of 4 blocks of 34 bytes */
}

static void test_elementwise(void **state)
{
    (void)state;
    static const struct {
        ridge_op_kind kind;
        ridge_flop_class class;
        const char *flops, *bytes;
    } cases[] = {
        {RIDGE_OP_LAYERNORM, RIDGE_FLOP_OTHER, "41943040", "33570816"}, /* FACTS; x, y and two vectors of 8192 bytes */
        {RIDGE_OP_SOFTMAX, RIDGE_FLOP_OTHER, "41943040", "33554432"},       {RIDGE_OP_SILU, RIDGE_FLOP_ACTIVATION, "67108864", "33554432"},
        {RIDGE_OP_GELU, RIDGE_FLOP_ACTIVATION, "67108864", "33554432"},     {RIDGE_OP_TANH, RIDGE_FLOP_ACTIVATION, "67108864", "33554432"},
        {RIDGE_OP_SIGMOID, RIDGE_FLOP_ACTIVATION, "67108864", "33554432"},  {RIDGE_OP_RELU, RIDGE_FLOP_ACTIVATION, "8388608", "33554432"},
        {RIDGE_OP_RMSNORM, RIDGE_FLOP_OTHER, "41943040", "33562624"}, /* one vector */
        {RIDGE_OP_ADDITION, RIDGE_FLOP_OTHER, "8388608", "50331648"}, /* two read, one written */
        {RIDGE_OP_MULTIPLICATION, RIDGE_FLOP_OTHER, "8388608", "50331648"},
    };
    ridge_op_shape shape = {.dims = {[RIDGE_OP_ROWS] = 2048, [RIDGE_OP_COLS] = 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ridge_op_record r = count(cases[i].kind, &shape);
        assert_number(r.flops.total, cases[i].flops);
        assert_number(r.flops.by_class[cases[i].class], cases[i].flops);
        assert_number(r.bytes, cases[i].bytes);
        assert_consistent(&r);
    }
}

/* a pair (a, b) becomes a cos - b sin, b cos + a sin: 4 products, 2 sums; a table line of 64 pairs for each of 2048 rows */
static void test_rope(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_ROWS] = 2048, [RIDGE_OP_HEADS] = 32, [RIDGE_OP_HEAD_DIM] = 128}};
    ridge_op_record r = count_as(RIDGE_OP_ROPE, &shape, "bf16", "q4_K", "bf16");
    assert_number(r.flops.total, "25165824"); /* 2048 * 32 * 64 pairs, 6 each */
    assert_number(r.flops.by_class[RIDGE_FLOP_OTHER], "25165824");
    assert_number(operand(&r, "x"), "16777216"); /* 2048 * 4096 * 2 */
    assert_number(operand(&r, "y"), "16777216");
    assert_number(operand(&r, "table"), "1048576"); /* 2048 * 64 cosines and sines of 4 bytes */
    assert_consistent(&r);
    r = count_as(RIDGE_OP_ROPE, &shape, "fp32", "fp32", "fp32");
    assert_number(operand(&r, "x"), "33554432");
    assert_number(operand(&r, "table"), "1048576"); /* fp32 whatever x is */
}

/* rwkv_linear_attention_cpu of transformers, line by line, for one channel: its operators on one token */
static int wkv_operators(void)
{
    int n = 0;
    n += 2;     /* maximum(max_state, key + time_first) */
    n += 2 + 3; /* e1 = exp(max_state - max), e2 = exp(key + time_first - max) */
    n += 3 + 2; /* numerator = e1 * num_state + e2 * value, denominator = e1 * den_state + e2 */
    n += 1;     /* numerator / denominator */
    n += 2;     /* maximum(max_state + time_decay, key) */
    n += 3 + 2; /* e1 = exp(max_state + time_decay - max), e2 = exp(key - max) */
    n += 3 + 2; /* num_state = e1 * num_state + e2 * value, den_state = e1 * den_state + e2 */
    return n;
}

static void test_wkv(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_SEQ_LEN] = 5, [RIDGE_OP_COLS] = 768, [RIDGE_OP_BATCH] = 3}};
    ridge_op_record r = count_as(RIDGE_OP_WKV, &shape, "fp16", "fp16", "fp16");
    assert_true(r.flops.total == 3 * 5 * 768 * wkv_operators() + 2 * 768); /* -exp(time_decay) once */
    assert_true(r.flops.by_class[RIDGE_FLOP_OTHER] == r.flops.total);
    assert_number(operand(&r, "k"), "23040"); /* 15 * 768 * 2 */
    assert_number(operand(&r, "v"), "23040");
    assert_number(operand(&r, "y"), "23040");
    assert_number(operand(&r, "w"), "1536");
    assert_number(operand(&r, "u"), "1536");
    assert_consistent(&r);
    shape.dims[RIDGE_OP_BATCH] = 0;
    r = count(RIDGE_OP_WKV, &shape);
    assert_number(r.flops.total, "97536"); /* 25 * 5 * 768 + 2 * 768 */
}

/* places where a window fits on a padded line, one by one */
static int places(int length, int kernel, int stride, int padding, int dilation)
{
    int n = 0;
    for (int at = -padding; at + dilation * (kernel - 1) < length + padding; at += stride)
        n++;
    return n;
}

static void test_conv(void **state)
{
    (void)state;
    /* kernel, stride, padding, dilation: height, width; groups */
    static const int cases[][9] = {{7, 7, 2, 2, 3, 3, 1, 1, 1}, {3, 3, 1, 1, 1, 1, 1, 1, 4}, {3, 5, 2, 3, 0, 4, 2, 1, 2},
                                   {1, 1, 1, 1, 0, 0, 1, 1, 1}, {4, 2, 4, 2, 0, 0, 1, 3, 1}, {5, 5, 3, 1, 2, 0, 2, 2, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *c = cases[i];
        ridge_op_shape shape = {.dims = {[RIDGE_OP_BATCH] = 3,
                                         [RIDGE_OP_IN_CHANNELS] = 8,
                                         [RIDGE_OP_OUT_CHANNELS] = 12,
                                         [RIDGE_OP_HEIGHT] = 17,
                                         [RIDGE_OP_WIDTH] = 23,
                                         [RIDGE_OP_KERNEL_H] = c[0],
                                         [RIDGE_OP_KERNEL_W] = c[1],
                                         [RIDGE_OP_STRIDE_H] = c[2],
                                         [RIDGE_OP_STRIDE_W] = c[3],
                                         [RIDGE_OP_PADDING_H] = c[4],
                                         [RIDGE_OP_PADDING_W] = c[5],
                                         [RIDGE_OP_DILATION_H] = c[6],
                                         [RIDGE_OP_DILATION_W] = c[7],
                                         [RIDGE_OP_GROUPS] = c[8]}};
        ridge_int y = 3 * 12 * (ridge_int)places(17, c[0], c[2], c[4], c[6]) * places(23, c[1], c[3], c[5], c[7]);
        ridge_op_record r = count(RIDGE_OP_CONV, &shape);
        assert_true(y > 0 && operand(&r, "y") == 2 * y);
        assert_true(r.flops.by_class[RIDGE_FLOP_MATMUL] == 2 * y * (8 / c[8]) * c[0] * c[1]); /* FACTS */
        assert_true(r.flops.total == r.flops.by_class[RIDGE_FLOP_MATMUL]);
        assert_true(operand(&r, "x") == 3 * 8 * 17 * 23 * 2);
        assert_true(operand(&r, "weight") == 12 * (8 / c[8]) * c[0] * c[1] * 2);
        assert_consistent(&r);
    }
}

/* the first layer of a ResNet: 112 x 112 places, 118,013,952 multiply-adds (He 2015, table 1: 112 x 112, 7 x 7, 64, stride 2) */
static void test_first_conv_of_resnet(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_IN_CHANNELS] = 3,
                                     [RIDGE_OP_OUT_CHANNELS] = 64,
                                     [RIDGE_OP_HEIGHT] = 224,
                                     [RIDGE_OP_WIDTH] = 224,
                                     [RIDGE_OP_KERNEL_H] = 7,
                                     [RIDGE_OP_STRIDE_H] = 2,
                                     [RIDGE_OP_PADDING_H] = 3,
                                     [RIDGE_OP_PADDING_W] = 3}};
    ridge_op_record r = count(RIDGE_OP_CONV, &shape);
    assert_number(r.flops.total, "236027904");  /* 2 * 118,013,952 */
    assert_number(operand(&r, "y"), "1605632"); /* 64 * 112 * 112 * 2 */
}

/* 5 rows of 3 -> 7 -> 3: every multiply-add on its own */
static ridge_int ffn_matmul(bool gated)
{
    ridge_int n = 0;
    for (int row = 0; row < 5; row++)
        for (int hidden = 0; hidden < 3; hidden++)
            for (int inner = 0; inner < 7; inner++)
                n += 2 + 2 + (gated ? 2 : 0);
    return n;
}

static void test_ffn(void **state)
{
    (void)state;
    for (int flags = 0; flags < 4; flags++) {
        bool gated = flags & 1, quantised = flags & 2;
        ridge_op_shape shape = {.dims = {[RIDGE_OP_SEQ_LEN] = 5, [RIDGE_OP_HIDDEN] = 3, [RIDGE_OP_INTERMEDIATE] = 7},
                                .flags = {[RIDGE_OP_GATED] = gated, [RIDGE_OP_QUANTISED] = quantised}};
        ridge_op_record r = count(RIDGE_OP_FFN, &shape);
        assert_true(r.flops.by_class[RIDGE_FLOP_MATMUL] == ffn_matmul(gated));
        assert_true(r.flops.dequantisation == (quantised ? ffn_matmul(gated) : 0));
        assert_number(r.flops.by_class[RIDGE_FLOP_ACTIVATION], "280");
        assert_number(r.flops.by_class[RIDGE_FLOP_OTHER], gated ? "35" : "0");
        assert_true((ridge_op_part_find(&r, "gate") != NULL) == gated);
        assert_number(operand(&r, "up.A"), "30");
        assert_number(operand(&r, "down.B"), "42");
        assert_consistent(&r);
    }
}

static void test_embedding_is_an_accounting_unit(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_BATCH] = 2, [RIDGE_OP_SEQ_LEN] = 10, [RIDGE_OP_HIDDEN] = 16}};
    ridge_op_record r = count(RIDGE_OP_EMBEDDING, &shape);
    assert_number(r.flops.total, "320");
    assert_number(r.flops.by_class[RIDGE_FLOP_EMBEDDING], "320");
    assert_number(operand(&r, "ids"), "160");
    assert_number(operand(&r, "table"), "640");
    assert_number(operand(&r, "y"), "640");
    assert_consistent(&r);
}

/* B=1, S=2048, hidden 4096, 32 heads, intermediate 11008 */
static void test_layer(void **state)
{
    (void)state;
    ridge_op_shape shape = {
        .dims = {[RIDGE_OP_SEQ_LEN] = 2048, [RIDGE_OP_HIDDEN] = 4096, [RIDGE_OP_HEADS] = 32, [RIDGE_OP_INTERMEDIATE] = 11008}};
    ridge_op_record r = count(RIDGE_OP_LAYER, &shape);
    /* 2 * 34,359,738,368 + 5 * 32 * 2^22; 2 * 184,683,593,728 + 8 * 22,544,384; 2 * 41,943,040 */
    assert_number(ridge_op_part_find(&r, "attention")->flops.total, "69390565376");
    assert_number(ridge_op_part_find(&r, "ffn")->flops.total, "369547542528");
    assert_number(ridge_op_part_find(&r, "layernorm")->flops.total, "83886080");
    assert_number(r.flops.total, "439021993984");
    assert_true(operand(&r, "layernorm.x") == 2 * 2048 * 4096 * 2); /* two norms */
    assert_consistent(&r);
    shape.flags[RIDGE_OP_CAUSAL] = true;
    r = count(RIDGE_OP_LAYER, &shape);
    assert_number(ridge_op_part_find(&r, "attention")->flops.total, "34695282688");
    assert_number(r.flops.total, "404326711296");
}

static void test_model(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_SEQ_LEN] = 2048,
                                     [RIDGE_OP_HIDDEN] = 4096,
                                     [RIDGE_OP_HEADS] = 32,
                                     [RIDGE_OP_INTERMEDIATE] = 11008,
                                     [RIDGE_OP_LAYERS] = 32,
                                     [RIDGE_OP_VOCAB] = 32000}};
    ridge_op_record r = count(RIDGE_OP_MODEL, &shape);
    assert_number(ridge_op_part_find(&r, "embedding")->flops.total, "8388608");
    assert_number(ridge_op_part_find(&r, "layers")->flops.total, "14048703807488"); /* 32 * 439,021,993,984 */
    assert_number(ridge_op_part_find(&r, "lm_head")->flops.total, "536870912000");
    assert_number(r.flops.total, "14585583108096");
    assert_consistent(&r);
    shape.flags[RIDGE_OP_QUANTISED] = true; /* the matmuls again: 32 * 369,367,187,456 + lm_head */
    r = count(RIDGE_OP_MODEL, &shape);
    assert_number(r.flops.dequantisation, "12356620910592");
    assert_consistent(&r);
}

/* 405e9 parameters on 15e12 tokens: 2 FLOPs each forward, and beyond 2^64 */
static void test_beyond_64_bits(void **state)
{
    (void)state;
    ridge_op_shape shape = {.dims = {[RIDGE_OP_M] = 15000000000000, [RIDGE_OP_N] = 405000, [RIDGE_OP_K] = 1000000}};
    ridge_op_record r = count(RIDGE_OP_GEMM, &shape);
    assert_number(r.flops.total, "12150000000000000000000000");
    assert_consistent(&r);
    shape.dims[RIDGE_OP_N] = shape.dims[RIDGE_OP_K] = (ridge_int)1 << 60;
    ridge_err err = {0};
    assert_int_equal(ridge_ops_count(&r, &ops, RIDGE_OP_GEMM, &shape, NULL, &arena, &err), RIDGE_OVERFLOW);
    assert_non_null(strstr(err.msg, "overflow"));
}

static void refuse(ridge_op_kind kind, const ridge_op_shape *shape, const char *message)
{
    ridge_op_record r;
    ridge_err err = {0};
    assert_int_equal(ridge_ops_count(&r, &ops, kind, shape, NULL, &arena, &err), RIDGE_USAGE);
    assert_string_equal(message_of(&err), message);
}

static void test_refuses_bad_shapes(void **state)
{
    (void)state;
    ridge_op_shape gemm = {.dims = {[RIDGE_OP_M] = 1, [RIDGE_OP_N] = 1}};
    refuse(RIDGE_OP_GEMM, &gemm, "gemm wants k: at least 1");
    gemm.dims[RIDGE_OP_K] = -1;
    refuse(RIDGE_OP_GEMM, &gemm, "gemm wants k: at least 1");
    gemm.dims[RIDGE_OP_K] = gemm.dims[RIDGE_OP_HEADS] = 1;
    refuse(RIDGE_OP_GEMM, &gemm, "gemm takes no heads");
    gemm.dims[RIDGE_OP_HEADS] = 0;
    gemm.flags[RIDGE_OP_CAUSAL] = true;
    refuse(RIDGE_OP_GEMM, &gemm, "gemm cannot be causal");
    ridge_op_shape attention = {.dims = {[RIDGE_OP_SEQ_LEN] = 4, [RIDGE_OP_HEADS] = 8, [RIDGE_OP_KV_HEADS] = 3, [RIDGE_OP_HEAD_DIM] = 2}};
    refuse(RIDGE_OP_ATTENTION, &attention, "attention: heads must be a multiple of kv_heads");
    attention.dims[RIDGE_OP_KV_HEADS] = 8;
    attention.dims[RIDGE_OP_KV_LEN] = 3;
    attention.flags[RIDGE_OP_CAUSAL] = true;
    refuse(RIDGE_OP_ATTENTION, &attention, "attention: causal queries stand at the end of the keys, so kv_len is at least seq_len");
    ridge_op_shape conv = {.dims = {[RIDGE_OP_IN_CHANNELS] = 4,
                                    [RIDGE_OP_OUT_CHANNELS] = 6,
                                    [RIDGE_OP_HEIGHT] = 5,
                                    [RIDGE_OP_WIDTH] = 5,
                                    [RIDGE_OP_KERNEL_H] = 3,
                                    [RIDGE_OP_GROUPS] = 4}};
    refuse(RIDGE_OP_CONV, &conv, "conv: in_channels and out_channels must be multiples of groups");
    conv.dims[RIDGE_OP_GROUPS] = 2;
    conv.dims[RIDGE_OP_DILATION_H] = 3;
    refuse(RIDGE_OP_CONV, &conv, "conv: a kernel of 3 (dilation 3) does not fit in a height of 5 with padding 0");
    conv.dims[RIDGE_OP_PADDING_H] = 1;
    refuse(RIDGE_OP_CONV, &conv, "conv: a kernel of 3 (dilation 3) does not fit in a width of 5 with padding 0");
    ridge_op_shape rope = {.dims = {[RIDGE_OP_ROWS] = 1, [RIDGE_OP_HEADS] = 1, [RIDGE_OP_HEAD_DIM] = 7}};
    refuse(RIDGE_OP_ROPE, &rope, "rope: head_dim is odd; pairs are rotated");
    ridge_op_shape layer = {.dims = {[RIDGE_OP_SEQ_LEN] = 1, [RIDGE_OP_HIDDEN] = 10, [RIDGE_OP_HEADS] = 3, [RIDGE_OP_INTERMEDIATE] = 1}};
    refuse(RIDGE_OP_LAYER, &layer, "layer: hidden is not a multiple of heads: give head_dim");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gemm),
        cmocka_unit_test(test_gemm_operands_in_their_formats),
        cmocka_unit_test(test_gemv_of_a_q4_K_weight),
        cmocka_unit_test(test_attention_counts_exact_pairs),
        cmocka_unit_test(test_attention_core_of_the_block_example),
        cmocka_unit_test(test_elementwise),
        cmocka_unit_test(test_rope),
        cmocka_unit_test(test_wkv),
        cmocka_unit_test(test_ffn),
        cmocka_unit_test(test_embedding_is_an_accounting_unit),
        cmocka_unit_test(test_layer),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_beyond_64_bits),
        cmocka_unit_test(test_conv),
        cmocka_unit_test(test_first_conv_of_resnet),
        cmocka_unit_test(test_refuses_bad_shapes),
    };
    return cmocka_run_group_tests_name(__FILE__, tests, open_ops, close_ops);
}
