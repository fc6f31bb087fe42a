/* operators.c - torch's functions: which ATen operators run, shapes and dtypes of results, FLOPs and bytes.
 * Expected values: PyTorch's documentation, its decompositions as the meta device shows them, and arithmetic by hand. */
#include "learn/python_text.h"

#include <stdio.h>

#include "formula/poly.h"

static void add_number(ridge_buf *out, const ridge_poly *poly)
{
    if (!poly)
        ridge_buf_addc(out, '?');
    else if (poly->count)
        ridge_poly_print(out, poly);
    else
        ridge_buf_addc(out, '0');
}

/* "aten.mm.default 48 80>24": FLOPs, bytes read and written */
static void add_operators(ridge_buf *out, const ridge_run_call *call)
{
    for (size_t i = 0; i < call->count; i++) {
        const ridge_run_operator *op = call->events[i].operator;
        if (call->events[i].call)
            add_operators(out, call->events[i].call);
        if (!op)
            continue;
        ridge_buf_addf(out, "%s ", op->operator->name);
        add_number(out, op->flops);
        ridge_buf_addc(out, ' ');
        add_number(out, op->reads);
        ridge_buf_addc(out, '>');
        add_number(out, op->writes);
        ridge_buf_addc(out, '\n');
    }
}

/* what f() returns as str() has it, then the operators that ran in it */
static void assert_runs(const char *text, const char *wanted)
{
    session s;
    ridge_py f = ridge_py_unset(), shown = ridge_py_unset();
    ridge_buf whole = {0}, got = {0};
    ridge_buf_addf(&whole, "import torch, math\nfrom torch import nn\nimport torch.nn.functional as F\n%s", text);
    ridge_status status = open_text(&s, whole.p);
    if (status == RIDGE_OK)
        status = ridge_py_getz(&f, s.module, "f", &s.in);
    if (status == RIDGE_OK) {
        ridge_run_of(&s.in)->recording = true;
        status = ridge_py_uncaught(ridge_py_call_value(&shown, f, NULL, 0, NULL, 0, &s.in), &s.in);
    }
    if (status == RIDGE_OK)
        status = ridge_py_to_str(&shown, shown, false, &s.in);
    if (status != RIDGE_OK)
        print_error("%s\n%s:%u: %s\n", text, s.err.file, s.err.line, message_of(&s.err));
    assert_int_equal(status, RIDGE_OK);
    ridge_buf_addf(&got, "%s\n", shown.u.s->text.p);
    add_operators(&got, ridge_run_of(&s.in)->root);
    assert_string_equal(got.p, wanted);
    ridge_buf_free(&whole);
    ridge_buf_free(&got);
    ridge_arena_free(&s.arena);
}

#define AB "a = torch.empty(2, 3, 4)\n"

static void products_are_folded_as_pytorch_folds_them(void **state)
{
    (void)state;
    assert_runs(AB "w = torch.empty(5, 4)\ndef f():\n    return tuple(F.linear(a, w).shape)\n", "(2, 3, 5)\naten.mm.default 240 176>120\n");
    assert_runs(AB "w = torch.empty(5, 4)\nb = torch.empty(5)\ndef f():\n    return tuple(F.linear(a, w, b).shape)\n",
                "(2, 3, 5)\naten.addmm.default 240 196>120\n");
    assert_runs(AB "def f():\n    return tuple((a @ a.transpose(1, 2)).shape)\n", "(2, 3, 3)\naten.bmm.default 144 192>72\n");
    /* [B, H, S, D] that was permuted is copied where B and S are more than 1 */
    assert_runs("q = torch.empty(2, 3, 5, 4).transpose(1, 2)\nk = torch.empty(2, 5, 3, 4)\ndef f():\n    return tuple((q @ k.mT).shape)\n",
                "(2, 5, 3, 3)\naten.clone.default 0 480>480\naten.bmm.default 720 960>360\n");
    assert_runs("def f():\n    return tuple((torch.empty(7, 4).t() @ torch.empty(7)).shape)\n", "(4,)\naten.mv.default 56 140>16\n");
}

static void numbers_do_not_raise_a_dtype(void **state)
{
    (void)state;
    assert_runs(
        "h = torch.empty(2, dtype=torch.bfloat16)\ni = torch.empty(2, dtype=torch.int64)\nz = torch.tensor(1.5)\n"
        "def f():\n    return [str(x.dtype)[6:] for x in (h * 2.0, h + z, i * 2, i * 2.0, i / 2, i + z, h.float() * h, i > 1, i // 2)]\n",
        "['bfloat16', 'bfloat16', 'int64', 'float32', 'float32', 'float32', 'float32', 'bool', 'int64']\n"
        "aten.mul.Tensor 2 4>4\naten.add.Tensor 2 8>4\naten.mul.Tensor 2 16>16\naten.mul.Tensor 2 16>8\naten.div.Tensor 2 16>8\n"
        "aten.add.Tensor 2 20>8\naten._to_copy.default 0 4>8\naten.mul.Tensor 2 12>8\naten.gt.Scalar 0 16>2\naten.floor_divide.default 2 "
        "16>16\n");
}

static void reflected_operators_are_those_of_aten(void **state)
{
    (void)state;
    assert_runs("a = torch.empty(2)\ndef f():\n    return len([1 - a, 2 * a, 2 / a, 2 ** a, 3 < a, -a, ~(a > 0)])\n",
                "7\naten.rsub.Scalar 2 8>8\naten.mul.Tensor 2 8>8\naten.reciprocal.default 2 8>8\naten.mul.Tensor 2 "
                "8>8\naten.pow.Tensor_Tensor 2 12>8\n"
                "aten.gt.Scalar 0 8>2\naten.neg.default 0 8>8\naten.gt.Scalar 0 8>2\naten.bitwise_not.default 0 2>2\n");
}

static void an_operand_is_read_once(void **state)
{
    (void)state;
    assert_runs("a = torch.empty(3)\ndef f():\n    return tuple((a * a).shape)\n", "(3,)\naten.mul.Tensor 3 12>12\n");
    assert_runs("a = torch.empty(3, 1)\ndef f():\n    return tuple(a.expand(3, 4).contiguous().shape)\n",
                "(3, 4)\naten.clone.default 0 12>48\n");
}

static void reductions_keep_what_they_are_told(void **state)
{
    (void)state;
    assert_runs(AB "def f():\n    return [tuple(x.shape) for x in (a.sum(), a.mean(-1), a.mean((0, 2), keepdim=True), a.amax(dim=1), "
                   "torch.max(a, 1)[0])]\n",
                "[(), (2, 3), (1, 3, 1), (2, 4), (2, 4)]\naten.sum.default 24 96>4\naten.mean.dim 24 96>24\naten.mean.dim 24 96>12\n"
                "aten.amax.default 24 96>32\naten.max.dim 24 96>96\n");
    assert_runs(
        AB "def f():\n    v, i = a.topk(2, dim=-1)\n    return tuple(v.shape), str(i.dtype), tuple(torch.max(a, dim=0).indices.shape)\n",
        "((2, 3, 2), 'torch.int64', (3, 4))\naten.topk.default 0 96>144\naten.max.dim 24 96>144\n");
}

static void softmax_casts_first(void **state)
{
    (void)state;
    assert_runs("a = torch.empty(2, 4, dtype=torch.bfloat16)\ndef f():\n    return str(F.softmax(a, dim=-1, dtype=torch.float32).dtype)\n",
                "torch.float32\naten._to_copy.default 0 16>32\naten._softmax.default 40 32>32\n");
}

static void norms_write_their_statistics(void **state)
{
    (void)state;
    assert_runs(AB "w = torch.empty(4)\ndef f():\n    return tuple(F.layer_norm(a, (4,), w, w).shape)\n",
                "(2, 3, 4)\naten.native_layer_norm.default 120 112>144\n");
    /* opt-125m in fp16, recorded: 4 bytes for each mean and deviation; so for batches, in PyTorch's decompositions for devices */
    assert_runs(
        "h = dict(dtype=torch.float16)\na = torch.empty(2, 3, 4, **h)\nw = torch.empty(4, **h)\nv = torch.empty(3, **h)\n"
        "def f():\n    return len([F.layer_norm(a, (4,), w, w), F.batch_norm(a, v, v, v, v), F.group_norm(a, 1, v, v), "
        "F.group_norm(a, 1, v.float(), v.float())])\n",
        "4\naten.native_layer_norm.default 120 56>96\naten.native_batch_norm.default 48 54>72\naten.native_group_norm.default 120 54>56\n"
        "aten._to_copy.default 0 6>12\naten._to_copy.default 0 6>12\naten.native_group_norm.default 120 72>64\n");
}

static void windows_move_as_documented(void **state)
{
    (void)state;
    assert_runs(
        "x = torch.empty(2, 3, 8, 9)\nw = torch.empty(6, 3, 3, 3)\ndef f():\n    return tuple(F.conv2d(x, w, stride=2, padding=1).shape)\n",
        "(2, 6, 4, 5)\naten.convolution.default 12960 2376>960\n");
    assert_runs(
        "x = torch.empty(2, 4, 10)\nw = torch.empty(4, 1, 3)\ndef f():\n    return tuple(F.conv1d(x, w, padding='same', groups=4).shape)\n",
        "(2, 4, 10)\naten.convolution.default 480 368>320\n");
    assert_runs(
        "x = torch.empty(2, 3, 5, 5)\nw = torch.empty(3, 4, 2, 2)\ndef f():\n    return tuple(F.conv_transpose2d(x, w, stride=2).shape)\n",
        "(2, 4, 10, 10)\naten.convolution.default 4800 792>3200\n");
    assert_runs("x = torch.empty(2, 3, 7, 7)\ndef f():\n    return tuple(F.max_pool2d(x, 3, 2, ceil_mode=True).shape), "
                "tuple(F.adaptive_avg_pool2d(x, 1).shape)\n",
                "((2, 3, 3, 3), (2, 3, 1, 1))\naten.max_pool2d_with_indices.default 486 1176>648\naten.mean.dim 294 1176>24\n");
    assert_runs("x = torch.empty(1, 3, 4, 4)\ndef f():\n    return tuple(F.interpolate(x, scale_factor=2.0, mode='bilinear').shape)\n",
                "(1, 3, 8, 8)\naten.upsample_bilinear2d.vec 1344 192>768\n");
}

/* docs/numbers.md: 8 per element of smooth activations, 1 of ReLU, 5 of softmax, 2 of batch norm, 1 per element summed */
static void elements_cost_by_convention(void **state)
{
    (void)state;
    assert_runs("x = torch.empty(6)\ndef f():\n    return len([F.gelu(x), F.silu(x), torch.tanh(x), x.sigmoid(), F.relu(x), F.softplus(x), "
                "F.elu(x)])\n",
                "7\naten.gelu.default 48 24>24\naten.silu.default 48 24>24\naten.tanh.default 48 24>24\naten.sigmoid.default 48 24>24\n"
                "aten.relu.default 6 24>24\naten.softplus.default 48 24>24\naten.elu.default 48 24>24\n");
    assert_runs("x = torch.empty(6)\ndef f():\n    return len([x.exp(), x.rsqrt(), x.cos(), x.pow(2), x.abs(), x.cumsum(0), torch.clamp(x, "
                "min=0)])\n",
                "7\naten.exp.default 6 24>24\naten.rsqrt.default 6 24>24\naten.cos.default 6 24>24\naten.pow.Tensor_Scalar 6 24>24\n"
                "aten.abs.default 6 24>24\naten.cumsum.default 6 24>24\naten.clamp.default 6 24>24\n");
    assert_runs("x = torch.empty(2, 3, 4)\nw = torch.empty(3)\ndef f():\n    return tuple(F.batch_norm(x, w, w, w, w).shape)\n",
                "(2, 3, 4)\naten.native_batch_norm.default 48 108>120\n");
}

static void dtypes_are_those_of_pytorch(void **state)
{
    (void)state;
    assert_runs(
        "i = torch.ones(3, dtype=torch.int32)\nx = torch.empty(3)\ndef f():\n"
        "    return [str(t.dtype)[6:] for t in (i.sum(), i.exp(), i.cumsum(0), x.argmax(), x > 0, x.isnan(), i.to(torch.bool).any(), "
        "x.topk(1)[1])]\n",
        "['int64', 'float32', 'int64', 'int64', 'bool', 'bool', 'bool', 'int64']\naten.sum.default 3 12>8\naten.exp.default 3 12>12\n"
        "aten.cumsum.default 3 12>24\naten.argmax.default 0 12>8\naten.gt.Scalar 0 12>3\naten.isnan.default 0 12>3\n"
        "aten._to_copy.default 0 12>3\naten.any.default 0 3>1\naten.topk.default 0 12>12\n");
}

static void writes_in_place_stay_in_place(void **state)
{
    (void)state;
    assert_runs(
        "x = torch.zeros(2, 3)\ndef f():\n    y = x.view(6)\n    x.add_(1).mul_(2)\n    return y.tolist(), F.relu(x, inplace=True) is x\n",
        "([2.0, 2.0, 2.0, 2.0, 2.0, 2.0], True)\naten.add_.Tensor 6 24>24\naten.mul_.Tensor 6 24>24\naten.relu_.default 6 24>24\n");
}

/* what NumPy does is none of PyTorch's work; what is made of an array is */
static void arrays_are_not_tensors(void **state)
{
    (void)state;
    assert_runs("import numpy as np\nx = torch.empty(4)\n"
                "def f():\n    a = np.arange(4) * 2 + 1\n    m = np.zeros((4, 4), dtype=np.float32)\n    m[1:, 0] = 3\n"
                "    m = np.concatenate([m, m]).astype(np.int64)\n    t = torch.from_numpy(a)\n"
                "    return [(t + t).tolist(), (x * a[1]).shape[0], m.sum().item(), float(np.mean(m))]\n",
                "[[2, 6, 10, 14], 4, 18, 0.5625]\naten.add.Tensor 4 32>32\naten.mul.Tensor 4 16>16\n");
}

/* what forward makes without a device is on the host, and to(x.device) copies it: mpnet, xlnet, ctrl as recorded */
static void the_host_is_no_device(void **state)
{
    (void)state;
    assert_runs(
        "x = torch.empty(4)\ndef f():\n    h = torch.arange(4)\n    d = torch.arange(4, device=x.device)\n    w = h * 2\n"
        "    return len([h.to(x.device), d.to(x.device), w.to(x.device, torch.float32), w.to(x), w.to(h.device), h.device == x.device])\n",
        "6\naten.arange.default 0 0>32\naten.arange.default 0 0>32\naten.mul.Tensor 4 32>32\naten._to_copy.default 0 32>32\n"
        "aten._to_copy.default 0 32>16\naten._to_copy.default 0 32>16\n");
}

static void rows_are_looked_up(void **state)
{
    (void)state;
    assert_runs("i = torch.empty(2, 3, dtype=torch.int64)\nw = torch.empty(100, 4)\ndef f():\n    return tuple(F.embedding(i, w).shape)\n",
                "(2, 3, 4)\naten.embedding.default 0 144>96\n");
}

static void einsum_is_a_batched_product(void **state)
{
    (void)state;
    assert_runs(
        "a = torch.empty(2, 3, 4)\nb = torch.empty(2, 5, 4)\ndef f():\n    return tuple(torch.einsum('bik,bjk->bij', a, b).shape)\n",
        "(2, 3, 5)\naten.bmm.default 240 256>120\n");
    assert_runs("a = torch.empty(2, 3)\nb = torch.empty(3, 4)\ndef f():\n    return tuple(torch.einsum('ij,jk', a, b).shape)\n",
                "(2, 4)\naten.bmm.default 48 72>32\n");
}

static void what_is_not_known_is_a_hole(void **state)
{
    (void)state;
    /* what it costs is not known either: it is not left out of the sums */
    assert_runs("def f():\n    return len([torch.no_such_function(1)])\n", "1\ntorch.no_such_function ? ?>?\n");
}

/* 2*S numbers of 8 bytes; a floor division by -1 is one of what is negated by 1 */
static void ranges_run_backwards(void **state)
{
    (void)state;
    assert_runs("import _ridge\n"
                "def f():\n"
                "    n = _ridge.named('S', 6)\n"
                "    return torch.arange(n, -n, -1).tolist()[-1]\n",
                "-5\naten.arange.start_step 0 0>16*S\n");
}

static size_t holes_of(const char *text)
{
    session s;
    ridge_py f, result;
    assert_int_equal(open_text(&s, text), RIDGE_OK);
    assert_int_equal(ridge_py_getz(&f, s.module, "f", &s.in), RIDGE_OK);
    ridge_run_of(&s.in)->recording = true;
    assert_int_equal(ridge_py_uncaught(ridge_py_call_value(&result, f, NULL, 0, NULL, 0, &s.in), &s.in), RIDGE_OK);
    const size_t count = s.in.hole_count;
    ridge_arena_free(&s.arena);
    return count;
}

/* A check holds where the model works, and asks nothing; but rows that it took have been read, nobody knows how many. */
static void what_a_check_computed_is_told(void **state)
{
    (void)state;
    assert_int_equal(holes_of("import torch\n"
                              "mask = torch.empty(4) > 0\n"
                              "def f():\n"
                              "    if mask.sum() != 2:\n"
                              "        raise ValueError('two are wanted')\n"),
                     0);
    assert_int_equal(holes_of("import torch\n"
                              "mask, x = torch.empty(4) > 0, torch.empty(4, 3)\n"
                              "def f():\n"
                              "    if x[mask].numel() != 6:\n"
                              "        raise ValueError('two are wanted')\n"),
                     1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_folded_as_pytorch_folds_them),
        cmocka_unit_test(numbers_do_not_raise_a_dtype),
        cmocka_unit_test(reflected_operators_are_those_of_aten),
        cmocka_unit_test(an_operand_is_read_once),
        cmocka_unit_test(reductions_keep_what_they_are_told),
        cmocka_unit_test(softmax_casts_first),
        cmocka_unit_test(norms_write_their_statistics),
        cmocka_unit_test(windows_move_as_documented),
        cmocka_unit_test(elements_cost_by_convention),
        cmocka_unit_test(dtypes_are_those_of_pytorch),
        cmocka_unit_test(writes_in_place_stay_in_place),
        cmocka_unit_test(arrays_are_not_tensors),
        cmocka_unit_test(the_host_is_no_device),
        cmocka_unit_test(rows_are_looked_up),
        cmocka_unit_test(einsum_is_a_batched_product),
        cmocka_unit_test(what_is_not_known_is_a_hole),
        cmocka_unit_test(ranges_run_backwards),
        cmocka_unit_test(what_a_check_computed_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
