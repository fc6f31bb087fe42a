/* modules.c - torch.nn as models use it: what is registered, under which names and shapes, and which calls a run leaves behind.
 * Expected values are what PyTorch's documentation says of these classes. */
#include "learn/python_text.h"

#include "learn/python/number.h"

#define SHAPES "def shapes(m):\n    return ' '.join(n + str(list(p.shape)) for n, p in m.named_parameters())\n"

static void what_is_assigned_is_registered(void **state)
{
    (void)state;
    assert_shown("class Block(nn.Module):\n"
                 "    def __init__(self):\n"
                 "        super().__init__()\n"
                 "        self.first = nn.Linear(4, 8, bias=False)\n"
                 "        self.scale = nn.Parameter(torch.zeros(4))\n"
                 "        self.absent = None\n"
                 "        self.register_parameter('bias', None)\n"
                 "        self.register_buffer('mask', torch.ones(3), persistent=False)\n"
                 "        self.register_buffer('kept', torch.ones(2))\n"
                 "        self.second = nn.LayerNorm(8)\n"
                 "        self.first = nn.Linear(4, 2, bias=False)\n"
                 "        self.plain = 3\n"
                 "m = Block()\n" SHAPES "shown = [shapes(m), [n for n, b in m.named_buffers()], [n for n, c in m.named_children()],\n"
                 "         list(m.state_dict().keys()), m.bias, m.plain, type(m.first).__name__, m.training]\n",
                 "['scale[4] first.weight[2, 4] second.weight[8] second.bias[8]', ['mask', 'kept'], ['first', 'second'], "
                 "['scale', 'kept', 'first.weight', 'second.weight', 'second.bias'], None, 3, 'Linear', False]");
}

static void names_move_between_registries(void **state)
{
    (void)state;
    assert_shown(
        "class M(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.a = nn.Linear(2, 2)\n"
        "        self.b = nn.Linear(2, 2)\n"
        "        self.a = None\n"
        "        del self.b\n"
        "        self.c = 1\n"
        "        self.c = nn.Parameter(torch.zeros(1))\n"
        "m = M()\n"
        "errors = []\n"
        "for name, value in (('c', 5), ('a', 5)):\n"
        "    try:\n"
        "        setattr(m, name, value)\n"
        "    except TypeError as e:\n"
        "        errors.append(str(e))\n"
        "try:\n"
        "    m.nothing\n"
        "except AttributeError as e:\n"
        "    errors.append(str(e))\n"
        "shown = [list(m._modules.items()), hasattr(m, 'b'), 'c' in m.__dict__, errors]\n",
        "[[('a', None)], False, False, [\"cannot assign 'int' as parameter 'c' (torch.nn.Parameter or None expected)\", "
        "\"cannot assign 'int' as child module 'a' (torch.nn.Module or None expected)\", \"'M' object has no attribute 'nothing'\"]]");
}

static void shared_modules_are_listed_once(void **state)
{
    (void)state;
    assert_shown("class M(nn.Module):\n"
                 "    def __init__(self):\n"
                 "        super().__init__()\n"
                 "        self.layers = nn.ModuleList([nn.Linear(2, 2, bias=False)] * 2)\n"
                 "        self.embed = nn.Embedding(5, 2)\n"
                 "        self.head = nn.Linear(2, 5, bias=False)\n"
                 "        self.head.weight = self.embed.weight\n"
                 "m = M()\n" SHAPES
                 "shown = [[n for n, _ in m.named_modules()], shapes(m), len(m.state_dict()), m.head.weight is m.embed.weight]\n",
                 "[['', 'layers', 'layers.0', 'embed', 'head'], 'layers.0.weight[2, 2] embed.weight[5, 2]', 4, True]");
}

static void containers_hold_as_lists_do(void **state)
{
    (void)state;
    assert_shown("l = nn.ModuleList([nn.Identity() for _ in range(3)])\n"
                 "l.append(nn.ReLU())\n"
                 "l.insert(1, nn.Tanh())\n"
                 "l.extend([nn.GELU()])\n"
                 "names = [type(x).__name__ for x in l]\n"
                 "d = nn.ModuleDict({'x': nn.ReLU(), 'y': nn.Tanh()})\n"
                 "s = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))\n"
                 "p = nn.ParameterList([nn.Parameter(torch.zeros(i)) for i in range(1, 3)])\n"
                 "shown = [names, len(l), type(l[-1]).__name__, [type(x).__name__ for x in l[1:3]], list(l[1:3]._modules), l[0] in l,\n"
                 "         list(d.keys()), 'x' in d, type(d['y']).__name__, len(s[1:]), list(s[1:]._modules),\n"
                 "         [n for n, _ in p.named_parameters()], len(p), list(p[-1].shape)]\n",
                 "[['Identity', 'Tanh', 'Identity', 'Identity', 'ReLU', 'GELU'], 6, 'GELU', ['Tanh', 'Identity'], ['0', '1'], True, "
                 "['x', 'y'], True, 'Tanh', 2, ['1', '2'], ['0', '1'], 2, [2]]");
}

static void layers_have_the_shapes_of_pytorch(void **state)
{
    (void)state;
    assert_shown(
        SHAPES "shown = '; '.join(shapes(m) for m in [nn.Conv1d(4, 6, 3, groups=2), nn.ConvTranspose2d(4, 6, (3, 5), bias=False),\n"
               "    nn.MultiheadAttention(4, 2), nn.LSTM(3, 2, bidirectional=True), nn.GRU(3, 2, bias=False), nn.Bilinear(2, 3, 4),\n"
               "    nn.BatchNorm2d(3), nn.GroupNorm(2, 4), nn.RMSNorm(4), nn.PReLU(), nn.EmbeddingBag(7, 2)])\n",
        "weight[6, 2, 3] bias[6]; weight[4, 6, 3, 5]; in_proj_weight[12, 4] in_proj_bias[12] out_proj.weight[4, 4] out_proj.bias[4]; "
        "weight_ih_l0[8, 3] weight_hh_l0[8, 2] bias_ih_l0[8] bias_hh_l0[8] weight_ih_l0_reverse[8, 3] weight_hh_l0_reverse[8, 2] "
        "bias_ih_l0_reverse[8] bias_hh_l0_reverse[8]; weight_ih_l0[6, 3] weight_hh_l0[6, 2]; weight[4, 2, 3] bias[4]; "
        "weight[3] bias[3]; weight[4] bias[4]; weight[4]; weight[1]; weight[7, 2]");
}

static void parametrizations_stand_in_the_tree(void **state)
{
    (void)state;
    assert_shown(SHAPES "class Half(nn.Module):\n"
                        "    def forward(self, w):\n"
                        "        return w * 0.5\n"
                        "a = nn.utils.weight_norm(nn.Conv1d(4, 6, 3))\n"
                        "b = nn.Conv1d(4, 6, 3, bias=False)\n"
                        "nn.utils.parametrize.register_parametrization(b, 'weight', Half())\n"
                        "shown = [shapes(a), shapes(b), [(n, type(m).__name__) for n, m in b.named_modules()], list(b.weight.shape),\n"
                        "         list(a(torch.zeros(1, 4, 9)).shape)]\n",
                 "['bias[6] weight_g[6, 1, 1] weight_v[6, 4, 3]', 'parametrizations.weight.original[6, 4, 3]', "
                 "[('', 'ParametrizedConv1d'), ('parametrizations', 'ModuleDict'), ('parametrizations.weight', 'ParametrizationList'), "
                 "('parametrizations.weight.0', 'Half')], [6, 4, 3], [1, 6, 7]]");
}

static void copies_have_parameters_of_their_own(void **state)
{
    (void)state;
    assert_shown("layer = nn.TransformerEncoderLayer(4, 2, 8)\n"
                 "encoder = nn.TransformerEncoder(layer, 2)\n"
                 "names = [n for n, _ in encoder.named_parameters()]\n"
                 "shown = [len(names), names[0], names[-1], encoder.layers[0].linear1.weight is layer.linear1.weight,\n"
                 "         list(encoder(torch.zeros(5, 1, 4)).shape)]\n",
                 "[24, 'layers.0.self_attn.in_proj_weight', 'layers.1.norm2.bias', False, [5, 1, 4]]");
}

static void hooks_stand_round_forward(void **state)
{
    (void)state;
    assert_shown("class M(nn.Module):\n"
                 "    def forward(self, x):\n"
                 "        return x + 1\n"
                 "m = M()\n"
                 "before = m.register_forward_pre_hook(lambda module, args: (args[0] * 10,))\n"
                 "m.register_forward_hook(lambda module, args, result: result + args[0])\n"
                 "first = m(2)\n"
                 "before.remove()\n"
                 "shown = [first, m(2)]\n",
                 "[41, 5]");
}

static void parameters_are_tensors(void **state)
{
    (void)state;
    assert_shown(
        "p = nn.Parameter(torch.zeros(2, 3))\n"
        "t = torch.zeros(2)\n"
        "shown = [isinstance(p, nn.Parameter), isinstance(p, torch.Tensor), isinstance(t, nn.Parameter), isinstance(t, torch.Tensor),\n"
        "         isinstance(nn.Linear(1, 1), nn.Module), issubclass(nn.Linear, nn.Module), p.requires_grad]\n",
        "[True, True, False, True, True, True, True]");
}

static void calls_are_traced(void **state)
{
    (void)state;
    session s;
    ridge_py run, ignored;
    assert_int_equal(open_text(&s, PREAMBLE "class M(nn.Module):\n"
                                            "    def __init__(self):\n"
                                            "        super().__init__()\n"
                                            "        self.up = nn.Linear(4, 8)\n"
                                            "        self.act = nn.ReLU()\n"
                                            "    def forward(self, x):\n"
                                            "        return self.act(self.up(x)) + self.up(x)\n"
                                            "m = M()\n"
                                            "def run():\n"
                                            "    return m(torch.zeros(3, 4))\n"),
                     RIDGE_OK);
    ridge_run_of(&s.in)->recording = true;
    assert_int_equal(ridge_py_getz(&run, s.module, "run", &s.in), RIDGE_OK);
    assert_int_equal(ridge_py_call_value(&ignored, run, NULL, 0, NULL, 0, &s.in), RIDGE_OK);
    const ridge_run_call *root = ridge_run_of(&s.in)->root, *model = NULL;
    for (size_t i = 0; i < root->count; i++)
        if (root->events[i].call)
            model = root->events[i].call;
    assert_non_null(model);
    assert_string_equal(model->module->class_path, "t.M");
    assert_int_equal(model->count, 4); /* up, act, up, + */
    assert_string_equal(model->events[0].call->module->class_path, "torch.nn.modules.linear.Linear");
    assert_ptr_equal(model->events[0].call->module, model->events[2].call->module);
    assert_string_equal(model->events[3].operator->operator->name, "aten.add.Tensor");
    const ridge_run_call *up = model->events[0].call;
    assert_int_equal(up->count, 1);
    assert_string_equal(up->events[0].operator->operator->name, "aten.addmm.default");
    assert_int_equal(up->module->arguments.u.list->count, 2);
    assert_int_equal(up->result.u.tensor->dims[1].u.i, 8);
    ridge_arena_free(&s.arena);
}

/* the FLOPs that PyTorch's counter counts, of a call and all in it */
static int64_t matmul_flops(const ridge_run_call *call, ridge_py_interp *in)
{
    int64_t sum = 0;
    for (size_t i = 0; i < call->count; i++) {
        const ridge_run_operator *operator= call->events[i].operator;
        ridge_rational value;
        if (!operator)
            sum += matmul_flops(call->events[i].call, in);
        else if (operator->operator->flop_class && strcmp(operator->operator->flop_class, "matmul") == 0 && operator->flops &&
                                                                                                            ridge_py_evaluate(
                                                                                                                &value, operator->flops,
                                                                                                                in))
            sum += (int64_t)value.num;
    }
    return sum;
}

/* gates*hidden*(input + hidden) products for each step, sequence and direction: 5*2*2*(8*3 + 8*2) */
static void recurrences_count_every_step(void **state)
{
    (void)state;
    session s;
    ridge_py run, result;
    assert_int_equal(open_text(&s, PREAMBLE "m = nn.LSTM(3, 2, bidirectional=True)\n"
                                            "def run():\n"
                                            "    out, (h, c) = m(torch.zeros(5, 2, 3))\n"
                                            "    return str([list(out.shape), list(h.shape), list(c.shape)])\n"),
                     RIDGE_OK);
    ridge_run_of(&s.in)->recording = true;
    assert_int_equal(ridge_py_getz(&run, s.module, "run", &s.in), RIDGE_OK);
    assert_int_equal(ridge_py_call_value(&result, run, NULL, 0, NULL, 0, &s.in), RIDGE_OK);
    assert_string_equal(result.u.s->text.p, "[[5, 2, 4], [2, 2, 2], [2, 2, 2]]");
    assert_int_equal(matmul_flops(ridge_run_of(&s.in)->root, &s.in), 2 * 5 * 2 * 2 * (8 * 3 + 8 * 2));
    ridge_arena_free(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_assigned_is_registered),
        cmocka_unit_test(names_move_between_registries),
        cmocka_unit_test(shared_modules_are_listed_once),
        cmocka_unit_test(containers_hold_as_lists_do),
        cmocka_unit_test(layers_have_the_shapes_of_pytorch),
        cmocka_unit_test(parametrizations_stand_in_the_tree),
        cmocka_unit_test(copies_have_parameters_of_their_own),
        cmocka_unit_test(hooks_stand_round_forward),
        cmocka_unit_test(parameters_are_tensors),
        cmocka_unit_test(calls_are_traced),
        cmocka_unit_test(recurrences_count_every_step),
    };
    return RUN_TESTS(tests);
}
