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

/* list == list asks each pair and takes the truth of what it gives */
static void lists_with_tensors_are_compared(void **state)
{
    (void)state;
    assert_shown("t = torch.empty(3)\n"
                 "shown = [[2, torch.tensor(3)] == [2, 3], [2, torch.tensor(3)] == [2, 4], [t, 1] == [t, 1]]\n",
                 "[True, False, True]");
}

static void what_is_everywhere_the_same_is_one_run(void **state)
{
    (void)state;
    assert_shown("values, counts = torch.unique_consecutive(2 * torch.ones(20000), return_counts=True)\n"
                 "shown = [values.tolist(), counts.tolist()]\n",
                 "[[2.0], [20000]]");
}

static void a_range_that_is_repeated_stays_one(void **state)
{
    (void)state;
    assert_shown("t = torch.arange(9000).unsqueeze(0).repeat((3, 1))\n"
                 "shown = [t.max().item(), t.min().item(), list(t.shape)]\n",
                 "[8999, 0, [3, 9000]]");
}

/* a single expert gets every row, wherever its axis of size 1 stands */
static void one_expert_gets_all_rows(void **state)
{
    (void)state;
    assert_shown("chosen = torch.topk(torch.empty(6, 1), 1, dim=-1).indices\n"
                 "mask = torch.nn.functional.one_hot(chosen, num_classes=1).permute(2, 1, 0)\n"
                 "shown = [torch.where(mask[hit].squeeze(0))[1].shape[0] for hit in mask.sum(dim=(-1, -2)).nonzero()]\n",
                 "[6]");
}

/* x and False is false, whatever x holds; of what has effects nothing is read */
static void data_may_not_matter(void **state)
{
    (void)state;
    assert_shown("class Switch:\n"
                 "    training = False\n"
                 "x, on, self = torch.empty(3), True, Switch()\n"
                 "shown = [1 if x.any() and self.training else 2, 3 if x.any() or on else 4, 5 if not (x.sum() > 0 and False) else 6]\n",
                 "[2, 3, 5]");
}

/* rows of which nobody knows how many there are go through a matrix: what follows is not wrong for that */
static void unknown_sizes_are_viewed(void **state)
{
    (void)state;
    assert_shown("import torch.nn.functional as F\n"
                 "n = (torch.empty(16) > 0).sum().item()\n"
                 "y = F.linear(torch.zeros((2, n, 8)), torch.zeros(5, 8))\n"
                 "shown = [y.dim(), y.shape[0], y.shape[2], y.view(2 * n, 5).dim()]\n",
                 "[3, 2, 5, 2]");
}

/* NumPy 1.24 */
static void numbers_of_numpy_become_others(void **state)
{
    (void)state;
    assert_shown("import numpy as np\n"
                 "from operator import __add__\n"
                 "from functools import reduce\n"
                 "shown = [np.ceil(np.log1p(24)).astype(\"int\").item(), np.floor(2.5) + 1, list(np.cumprod([2, 3, 4])),\n"
                 "         np.einsum(\"m,d->md\", np.arange(2), np.arange(3)).tolist(), reduce(__add__, [[1], [2]])]\n",
                 "[4, 3.0, [2, 6, 24], [[0, 0, 0], [0, 1, 2]], [1, 2]]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resampling_keeps_what_is_everywhere_the_same),
        cmocka_unit_test(a_number_is_written_to_known_places),
        cmocka_unit_test(equal_numbers_in_a_row_are_one),
        cmocka_unit_test(linspace_is_rounded_to_its_dtype),
        cmocka_unit_test(data_are_ordinary),
        cmocka_unit_test(lists_with_tensors_are_compared),
        cmocka_unit_test(what_is_everywhere_the_same_is_one_run),
        cmocka_unit_test(a_range_that_is_repeated_stays_one),
        cmocka_unit_test(one_expert_gets_all_rows),
        cmocka_unit_test(data_may_not_matter),
        cmocka_unit_test(unknown_sizes_are_viewed),
        cmocka_unit_test(numbers_of_numpy_become_others),
    };
    return RUN_TESTS(tests);
}
