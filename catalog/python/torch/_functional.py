# Functions of torch.nn.functional that PyTorch makes of others.
import math

import torch

_ops = torch.ops.aten


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return torch.softmax(input, dim if dim is not None else _implicit_dim(input), dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    return torch.log_softmax(input, dim if dim is not None else _implicit_dim(input), dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    return torch.softmax(-input, dim if dim is not None else _implicit_dim(input), dtype)


def _implicit_dim(input):
    return 0 if input.dim() in (0, 1, 3) else 1


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    noise = -torch.empty_like(logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = torch.max(soft, dim, keepdim=True)[1]
    return torch.zeros_like(logits).scatter_(dim, index, 1.0) - soft.detach() + soft


def relu6(input, inplace=False):
    return hardtanh(input, 0.0, 6.0, inplace)


hardtanh = torch.nn.functional.hardtanh


def relu_(input):
    return input.relu_()


def elu_(input, alpha=1.0):
    return torch.nn.functional.elu(input, alpha)


def selu(input, inplace=False):
    return torch.nn.functional.elu(input, 1.6732632423543772, inplace)


def leaky_relu_(input, negative_slope=0.01):
    return torch.nn.functional.leaky_relu(input, negative_slope)


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    return torch.nn.functional.leaky_relu(input, (lower + upper) / 2)


def softsign(input):
    return input / (input.abs() + 1)


def tanhshrink(input):
    return input - input.tanh()


def log_sigmoid(input):
    return torch.nn.functional.logsigmoid(input)


def swish(input, inplace=False):
    return torch.nn.functional.silu(input)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    if eps is None:
        eps = torch.finfo(input.dtype).eps
    dims = [-1 - i for i in range(len(normalized_shape))]
    result = input * torch.rsqrt(input.pow(2).mean(dims, keepdim=True) + eps)
    if weight is not None:
        result = result.mul(weight)
    return result


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):
    b, c = input.shape[0], input.shape[1]
    if weight is not None:
        weight = weight.repeat(b)
    if bias is not None:
        bias = bias.repeat(b)
    flat = input.contiguous().view(1, b * c, *input.shape[2:])
    out = torch.nn.functional.batch_norm(flat, None, None, weight, bias, True, momentum, eps)
    return out.view(input.shape)


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    div = input.mul(input)
    dim = input.dim()
    div = div.unsqueeze(1)
    if dim == 3:
        div = pad(div, (0, 0, size // 2, (size - 1) // 2))
        div = torch.nn.functional.avg_pool2d(div, (size, 1), stride=1).squeeze(1)
    else:
        div = pad(div, (0, 0, 0, 0, size // 2, (size - 1) // 2))
        div = torch.nn.functional.avg_pool3d(div, (size, 1, 1), stride=1).squeeze(1)
    div = div.mul(alpha).add(k).pow(beta)
    return input / div


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    denominator = torch.norm(input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / denominator


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    return torch.cosine_similarity(x1, x2, dim, eps)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    return torch.pairwise_distance(x1, x2, p, eps, keepdim)


def pad(input, pad, mode="constant", value=None):
    if mode == "constant":
        return _ops.constant_pad_nd.default(input, pad, 0 if value is None else value)
    n = len(pad) // 2
    if mode == "reflect":
        f = (_ops.reflection_pad1d, _ops.reflection_pad2d, _ops.reflection_pad3d)[n - 1]
    elif mode == "replicate":
        f = (_ops.replication_pad1d, _ops.replication_pad2d, _ops.replication_pad3d)[n - 1]
    elif mode == "circular":
        return _circular(input, pad)
    else:
        raise NotImplementedError("Unrecognised padding mode " + mode)
    return f.default(input, pad)


def _circular(input, pad):
    """The input in the middle, then each border from the opposite side."""
    shape = list(input.shape)
    n = len(pad) // 2
    for i in range(n):
        shape[-1 - i] = shape[-1 - i] + pad[2 * i] + pad[2 * i + 1]
    out = input.new_empty(shape)
    middle = out
    for i in range(n):
        middle = middle.narrow(-1 - i, pad[2 * i], input.shape[-1 - i])
    middle.copy_(input)
    for i in range(n):
        before, after, size = pad[2 * i], pad[2 * i + 1], shape[-1 - i]
        if before > 0:
            out.narrow(-1 - i, 0, before).copy_(out.narrow(-1 - i, size - after - before, before))
        if after > 0:
            out.narrow(-1 - i, size - after, after).copy_(out.narrow(-1 - i, before, after))
    return out


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):
    dim = input.dim() - 2
    if size is not None:
        size = list(size) if isinstance(size, (list, tuple)) else [size] * dim
    elif scale_factor is not None:
        factors = list(scale_factor) if isinstance(scale_factor, (list, tuple)) else [scale_factor] * dim
        size = [_scaled(input.shape[i + 2], factors[i]) for i in range(dim)]
    else:
        raise ValueError("either size or scale_factor should be defined")
    if mode == "nearest":
        f = (_ops.upsample_nearest1d, _ops.upsample_nearest2d, _ops.upsample_nearest3d)[dim - 1]
    elif mode == "nearest-exact":
        f = (_ops._upsample_nearest_exact1d, _ops._upsample_nearest_exact2d, _ops._upsample_nearest_exact3d)[dim - 1]
    elif mode == "linear":
        f = _ops.upsample_linear1d
    elif mode == "bilinear":
        f = _ops._upsample_bilinear2d_aa if antialias else _ops.upsample_bilinear2d
    elif mode == "bicubic":
        f = _ops._upsample_bicubic2d_aa if antialias else _ops.upsample_bicubic2d
    elif mode == "trilinear":
        f = _ops.upsample_trilinear3d
    elif mode == "area":
        pools = (torch.nn.functional.adaptive_avg_pool1d, torch.nn.functional.adaptive_avg_pool2d, torch.nn.functional.adaptive_avg_pool3d)
        return pools[dim - 1](input, size)
    else:
        raise NotImplementedError("Input Error: mode " + mode)
    return f.vec(input, size)


def _scaled(size, factor):
    if isinstance(factor, int) or factor == int(factor):
        return size * int(factor)
    return int(math.floor(size * factor))


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    f = _ops.grid_sampler_2d if input.dim() == 4 else _ops.grid_sampler_3d
    return f.default(input, grid)


def affine_grid(theta, size, align_corners=None):
    torch._assume("the grid of affine_grid is counted roughly, but for its product")
    n, h, w = size[0], size[-2], size[-1]
    base = torch.empty(n, h, w, 3, dtype=theta.dtype)
    return base.view(n, h * w, 3).bmm(theta.transpose(1, 2)).view(n, h, w, 2)


def pixel_shuffle(input, upscale_factor):
    return torch.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input, downscale_factor):
    return torch.pixel_unshuffle(input, downscale_factor)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    k = _one(kernel_size)
    s = k if stride is None else _one(stride)
    pooled = torch.nn.functional.max_pool2d(input.unsqueeze(-2), (1, k), (1, s), (0, _one(padding)), (1, _one(dilation)), ceil_mode, return_indices)
    return tuple(v.squeeze(-2) for v in pooled) if return_indices else pooled.squeeze(-2)


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def adaptive_max_pool1d(input, output_size, return_indices=False):
    pooled = torch.nn.functional.adaptive_max_pool2d(input.unsqueeze(-2), (1, _one(output_size)), return_indices)
    return tuple(v.squeeze(-2) for v in pooled) if return_indices else pooled.squeeze(-2)


def _one(v):
    return v[0] if isinstance(v, (list, tuple)) else v


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    k = _one(kernel_size)
    s = k if stride is None else _one(stride)
    pooled = torch.nn.functional.avg_pool2d(input.unsqueeze(-2), (1, k), (1, s), (0, _one(padding)), ceil_mode, count_include_pad)
    return pooled.squeeze(-2)


def adaptive_avg_pool1d(input, output_size):
    return torch.nn.functional.adaptive_avg_pool2d(input.unsqueeze(-2), (1, _one(output_size))).squeeze(-2)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    out = torch.nn.functional.avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return out.mul(1.0).pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    out = torch.nn.functional.avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return out.mul(1.0).pow(1.0 / norm_type)


def bilinear(input1, input2, weight, bias=None):
    # PyTorch runs _trilinear: products and sums of elements, which its counter takes for no product
    result = (input1.unsqueeze(-2).unsqueeze(-1) * weight).sum(-2)
    result = (result * input2.unsqueeze(-2)).sum(-1)
    return result if bias is None else result + bias


def embedding_bag(input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
                  per_sample_weights=None, include_last_offset=False, padding_idx=None):
    rows = torch.nn.functional.embedding(input, weight)
    return rows.sum(1) if mode == "sum" else rows.mean(1) if mode == "mean" else rows.amax(1)


# ---- losses: one number, or one per element ----


def _reduced(loss, reduction):
    torch._assume("a loss is counted roughly: elementwise operators of class other")
    return loss.mean() if reduction == "mean" else loss.sum() if reduction == "sum" else loss


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    return nll_loss(torch.log_softmax(input, 1 if input.dim() > 1 else 0), target, reduction=reduction)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    picked = input.select(1, 0) if input.dim() > 1 else input.select(0, 0)
    return _reduced(-picked, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    input, target = torch.broadcast_tensors(input, target)
    return _ops.mse_loss.default(input, target) if reduction == "none" else _ops.mse_loss.reduced(input, target)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _reduced((input - target).abs(), reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    return _reduced((input - target).abs(), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    return _reduced((input - target).abs(), reduction)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    return _reduced(-(target * input.log() + (1 - target) * (1 - input).log()), reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
    return _reduced((1 - target) * input - torch.nn.functional.logsigmoid(input), reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    return _reduced(target * (target.log() - input), reduction)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    return _reduced(log_probs.select(0, 0).select(-1, 0), reduction)


# ---- torch.nn.MultiheadAttention ----


def _in_projection_packed(q, k, v, w, b=None):
    linear = torch.nn.functional.linear
    e = q.size(-1)
    if k is v:
        if q is k:
            return linear(q, w, b).chunk(3, dim=-1)
        w_q, w_kv = w.split([e, e * 2])
        b_q, b_kv = (None, None) if b is None else b.split([e, e * 2])
        return (linear(q, w_q, b_q),) + linear(k, w_kv, b_kv).chunk(2, dim=-1)
    w_q, w_k, w_v = w.chunk(3)
    b_q, b_k, b_v = (None, None, None) if b is None else b.chunk(3)
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                                 add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                                 need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,
                                 k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                                 is_causal=False):
    F = torch.nn.functional
    is_batched = query.dim() == 3
    if not is_batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    src_len = key.shape[0]
    head_dim = embed_dim // num_heads
    if not use_separate_proj_weight:
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    else:
        b_q, b_k, b_v = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
        q, k, v = F.linear(query, q_proj_weight, b_q), F.linear(key, k_proj_weight, b_k), F.linear(value, v_proj_weight, b_v)
    if attn_mask is not None and attn_mask.dim() == 2:
        attn_mask = attn_mask.unsqueeze(0)
    if bias_k is not None and bias_v is not None:
        k = torch.cat([k, bias_k.repeat(1, bsz, 1)])
        v = torch.cat([v, bias_v.repeat(1, bsz, 1)])
        if attn_mask is not None:
            attn_mask = F.pad(attn_mask, (0, 1))
        if key_padding_mask is not None:
            key_padding_mask = F.pad(key_padding_mask, (0, 1))
    q = q.contiguous().view(tgt_len, bsz * num_heads, head_dim).transpose(0, 1)
    k = k.contiguous().view(k.shape[0], bsz * num_heads, head_dim).transpose(0, 1)
    v = v.contiguous().view(v.shape[0], bsz * num_heads, head_dim).transpose(0, 1)
    if add_zero_attn:
        k = torch.cat([k, torch.zeros(bsz * num_heads, 1, head_dim, dtype=k.dtype)], dim=1)
        v = torch.cat([v, torch.zeros(bsz * num_heads, 1, head_dim, dtype=v.dtype)], dim=1)
        if attn_mask is not None:
            attn_mask = F.pad(attn_mask, (0, 1))
        if key_padding_mask is not None:
            key_padding_mask = F.pad(key_padding_mask, (0, 1))
    src_len = k.size(1)
    if key_padding_mask is not None:
        key_padding_mask = key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1).reshape(bsz * num_heads, 1, src_len)
        if attn_mask is None:
            attn_mask = key_padding_mask
        elif attn_mask.dtype == torch.bool:
            attn_mask = attn_mask.logical_or(key_padding_mask)
        else:
            attn_mask = attn_mask.masked_fill(key_padding_mask, float("-inf"))
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill_(attn_mask, float("-inf"))
    q = q / math.sqrt(head_dim)
    if attn_mask is not None:
        weights = torch.baddbmm(attn_mask, q, k.transpose(-2, -1))
    else:
        weights = torch.bmm(q, k.transpose(-2, -1))
    weights = F.softmax(weights, dim=-1)
    output = torch.bmm(weights, v)
    output = output.transpose(0, 1).contiguous().view(tgt_len * bsz, embed_dim)
    output = F.linear(output, out_proj_weight, out_proj_bias)
    output = output.view(tgt_len, bsz, output.size(1))
    if not need_weights:
        return (output if is_batched else output.squeeze(1)), None
    weights = weights.view(bsz, num_heads, tgt_len, src_len)
    if average_attn_weights:
        weights = weights.sum(dim=1) / num_heads
    if not is_batched:
        output, weights = output.squeeze(1), weights.squeeze(0)
    return output, weights
