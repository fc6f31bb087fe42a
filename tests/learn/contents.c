/* contents.c - what is known of a tensor's elements although a run has no numbers. Expected values are PyTorch's on such tensors. */
#include "learn/python_text.h"

static void resampling_keeps_what_is_everywhere_the_same(void **state)
{
    (void)state;
    assert_shown("import torch.nn.functional as F\n"
                 "mask = F.interpolate(torch.ones(1, 1, 8, 8), size=(2, 4)).long()\n"
                 "shown = [mask[:, 0].sum(dim=1).tolist(), mask.nonzero().shape[0]]\n",
                 "[[[2, 2, 2, 2]], 8]");
}

static void a_number_is_written_to_known_places(void **state)
{
    (void)state;
    assert_shown("t = torch.full((2, 6), True)\n"
                 "rows, columns = zip(*torch.tensor([[0, 0], [0, 0], [1, 2], [1, -1]]))\n"
                 "t[rows, columns] = False\n"
                 "shown = [t.sum().item(), [x.shape[0] for x in [torch.zeros(2, 6, 3)[i][t[i]] for i in range(2)]]]\n",
                 "[9, [5, 4]]");
}

static void equal_numbers_in_a_row_are_one(void **state)
{
    (void)state;
    assert_shown("t = torch.unique_consecutive(torch.tensor([0, 4, 4, 8, 8, 8, 4]))\n"
                 "shown = t.tolist()\n",
                 "[0, 4, 8, 4]");
}

static void linspace_is_rounded_to_its_dtype(void **state)
{
    (void)state;
    assert_shown("half = torch.linspace(0, 0.1, 3, dtype=torch.float16)\n"
                 "brain = torch.linspace(0, 0.1, 3, dtype=torch.bfloat16)\n"
                 "shown = [half.tolist(), brain.tolist()]\n",
                 "[[0.0, 0.04998779296875, 0.0999755859375], [0.0, 0.050048828125, 0.10009765625]]");
}

/* what is computed is finite, and a picture is no padding */
static void data_are_ordinary(void **state)
{
    (void)state;
    assert_shown("import _ridge\n"
                 "pixels = _ridge.as_input(torch.empty(2, 3, 4, 4))\n"
                 "real = (pixels == 0.0).sum(dim=(-1, -2, -3)) != 48\n"
                 "shown = [bool(torch.isinf(pixels * 2).any() or torch.isnan(pixels).any()), pixels[real].shape[0],\n"
                 "         bool(torch.isinf(torch.tensor([1.0, float('inf')])).any())]\n",
                 "[False, 2, True]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resampling_keeps_what_is_everywhere_the_same),
        cmocka_unit_test(a_number_is_written_to_known_places),
        cmocka_unit_test(equal_numbers_in_a_row_are_one),
        cmocka_unit_test(linspace_is_rounded_to_its_dtype),
        cmocka_unit_test(data_are_ordinary),
    };
    return RUN_TESTS(tests);
}
