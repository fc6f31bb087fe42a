# torch.einsum as PyTorch computes it: from left to right, each pair one batched product (sumproduct_pair) over permuted views.
import torch


def _letters(equation, operands):
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    rank = 0
    for term, operand in zip(terms, operands):
        if "..." in term:
            rank = max(rank, operand.dim() - (len(term) - 3))
    dots = "0123456789"[:rank]
    expanded = []
    for term, operand in zip(terms, operands):
        own = operand.dim() - (len(term) - 3) if "..." in term else 0
        expanded.append(term.replace("...", dots[rank - own:]) if "..." in term else term)
    if arrow:
        result = right.replace("...", dots)
    else:
        all_letters = "".join(expanded)
        result = dots + "".join(sorted(c for c in set(all_letters) if all_letters.count(c) == 1 and c not in dots))
    return expanded, result


def _aligned(operand, term, order):
    """The operand with all letters of `order` as dimensions: 1 where it lacks one."""
    seen = ""
    for i, c in enumerate(term):
        if c in seen:
            at = seen.index(c)
            operand = operand.diagonal(dim1=at, dim2=len(seen)).movedim(-1, at)
        else:
            seen = seen + c
    present = [c for c in order if c in seen]
    places = [seen.index(c) for c in present]
    if places != list(range(len(places))):
        operand = operand.permute(places)
    for i, c in enumerate(order):
        if c not in present:
            operand = operand.unsqueeze(i)
    return operand


def _product(values):
    n = 1
    for v in values:
        n = n * v
    return n


def _is_one(size):
    return isinstance(size, int) and size == 1


def _pair(left, right, summed):
    """Both have the same rank; the dimensions in `summed` go (they stay as 1)."""
    lro = []
    lo = []
    ro = []
    both = []
    size_both = 1
    for i in range(left.dim()):
        in_left = not _is_one(left.shape[i])
        in_right = not _is_one(right.shape[i])
        if i in summed:
            both.append(i)
            if in_left and in_right:
                size_both = size_both * left.shape[i]
            elif in_left:
                left = left.sum(i, keepdim=True)
            elif in_right:
                right = right.sum(i, keepdim=True)
        elif in_left and in_right:
            lro.append(i)
        elif in_left:
            lo.append(i)
        else:
            ro.append(i)
    sizes_lro = [left.shape[i] for i in lro]
    size_lro = _product(sizes_lro)
    size_lo = _product([left.shape[i] for i in lo])
    size_ro = _product([right.shape[i] for i in ro])
    rank = left.dim()
    l = left.permute(lro + lo + both + ro).reshape(size_lro, size_lo, size_both)
    r = right.permute(lro + both + ro + lo).reshape(size_lro, size_both, size_ro)
    out_sizes = sizes_lro + [left.shape[i] for i in lo] + [1] * len(both) + [right.shape[i] for i in ro]
    out_order = lro + lo + both + ro
    back = [0] * rank
    for place, i in enumerate(out_order):
        back[i] = place
    return torch.bmm(l, r).view(out_sizes).permute(back)


def einsum(equation, operands):
    operands = list(operands)
    terms, result = _letters(equation, operands)
    summed = []
    for term in terms:
        for c in term:
            if c not in result and c not in summed:
                summed.append(c)
    summed = sorted(summed)
    order = list(result) + summed
    aligned = [_aligned(o, t, order) for o, t in zip(operands, terms)]
    places = [order.index(c) for c in summed]
    # how many operands still have the dimension; those of size 1 do not count
    left = {i: len([o for o in aligned if not _is_one(o.shape[i])]) for i in places}
    total = aligned[0]
    if len(aligned) == 1 and places:
        return total.sum(places)
    for other in aligned[1:]:
        gone = []
        of_total = []
        of_other = []
        for i in places:
            in_total = not _is_one(total.shape[i])
            in_other = not _is_one(other.shape[i])
            if in_total and in_other:
                left[i] -= 1
                if left[i] == 1:
                    gone.append(i)
                    left[i] = 0
            elif left[i] == 1 and in_total:
                of_total.append(i)
                left[i] = 0
            elif left[i] == 1 and in_other:
                of_other.append(i)
                left[i] = 0
        if of_total:
            total = total.sum(of_total, keepdim=True)
        if of_other:
            other = other.sum(of_other, keepdim=True)
        total = _pair(total, other, gone) if gone else total.mul(other)
    for _ in summed:
        total = total.squeeze(-1)
    return total
