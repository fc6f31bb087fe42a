# What torch offers beside its operators: context managers, facts about dtypes, functions that are made of others.
import torch
from torch import _dtype_facts


class _Context:
    """A context manager and a decorator without effect: nothing here computes gradients or casts by itself."""

    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False

    def __call__(self, function):
        return function


class no_grad(_Context):
    def __new__(cls, function=None):
        return function if callable(function) else object.__new__(cls)


class enable_grad(no_grad):
    pass


class inference_mode(_Context):
    def __new__(cls, mode=True):
        return mode if callable(mode) else object.__new__(cls)


class set_grad_enabled(_Context):
    pass


class autocast(_Context):
    pass


class device:
    of_host = False  # the model's tensors are on one device; what forward makes without saying where is on the host

    def __init__(self, type="cpu", index=None):
        if isinstance(type, device):
            index = type.index
            self.of_host = type.of_host
            type = type.type
        elif isinstance(type, int):
            index = type
            type = "cuda"
        elif ":" in type:
            parts = type.split(":")
            type = parts[0]
            index = int(parts[1])
        self.type = type
        self.index = index

    def __eq__(self, other):
        return isinstance(other, device) and self.type == other.type and self.index == other.index and self.of_host == other.of_host

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((self.type, self.index))

    def __str__(self):
        return self.type if self.index is None else self.type + ":" + str(self.index)

    def __repr__(self):
        return "device(type='" + self.type + "')"

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return False


_cpu = device("cpu")
_host = device("cpu")
_host.of_host = True


class Size(tuple):
    def numel(self):
        n = 1
        for i in self:
            n = n * i
        return n


class Generator:
    def __init__(self, device=None):
        self.device = device

    def manual_seed(self, seed):
        return self

    def seed(self):
        return 0

    def initial_seed(self):
        return 0


class Stream(_Context):
    pass


class Event(_Context):
    pass


_FLOATS = {
    16: (-65504.0, 0.0009765625, 6.103515625e-05),
    32: (-3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38),
    64: (-1.7976931348623157e308, 2.220446049250313e-16, 2.2250738585072014e-308),
    8: (-448.0, 0.125, 0.015625),
}


class finfo:
    def __init__(self, type=None):
        if type is None:
            type = torch.get_default_dtype()
        bits = _dtype_facts(type)[0]
        low, eps, tiny = _FLOATS[bits]
        if type == torch.bfloat16:
            low, eps, tiny = -3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38
        self.bits = bits
        self.min = low
        self.max = -low
        self.eps = eps
        self.tiny = tiny
        self.smallest_normal = tiny
        self.resolution = eps
        self.dtype = str(type)[6:]


class iinfo:
    def __init__(self, type):
        bits, _, signed = _dtype_facts(type)
        self.bits = bits
        self.min = -(1 << (bits - 1)) if signed else 0
        self.max = (1 << (bits - 1)) - 1 if signed else (1 << bits) - 1
        self.dtype = str(type)[6:]


def is_grad_enabled():
    return False


def is_inference_mode_enabled():
    return False


def is_autocast_enabled(device_type=None):
    return False


def is_autocast_cpu_enabled():
    return False


def is_autocast_cache_enabled():
    return True


def get_autocast_dtype(device_type=None):
    return torch.float16 if device_type == "cuda" else torch.bfloat16


def get_autocast_gpu_dtype():
    return torch.float16


def get_autocast_cpu_dtype():
    return torch.bfloat16


def get_default_device():
    return _cpu


def set_default_device(device):
    pass


def set_default_tensor_type(type):
    pass


def set_printoptions(*args, **kwargs):
    pass


def set_float32_matmul_precision(precision):
    pass


def get_float32_matmul_precision():
    return "highest"


def use_deterministic_algorithms(mode, warn_only=False):
    pass


def are_deterministic_algorithms_enabled():
    return False


def is_deterministic_algorithms_warn_only_enabled():
    return False


def manual_seed(seed):
    return Generator()


def seed():
    return 0


def initial_seed():
    return 0


def get_num_threads():
    return 1


def set_num_threads(n):
    pass


def compile(model=None, *args, **kwargs):
    if model is None:
        return lambda function: function
    return model


def is_complex(input):
    return input.dtype == torch.complex64 or input.dtype == torch.complex128


def is_floating_point(input):
    return _dtype_facts(input.dtype)[1]


def is_storage(obj):
    return False


def resolve_neg(input):
    return input


def diag(input, diagonal=0):
    if input.dim() == 2:
        return input.diagonal(diagonal)
    return diag_embed(input, diagonal)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    size = input.shape[-1] + abs(offset)
    out = torch.zeros(list(input.shape[:-1]) + [size, size], dtype=input.dtype)
    out.diagonal(offset, -2, -1).copy_(input)
    return out


def unravel_index(indices, shape):
    parts = []
    for size in reversed(shape):
        parts.append(indices % size)
        indices = indices // size
    return tuple(reversed(parts))


def randint_like(input, low, high=None, *, dtype=None, **kwargs):
    return torch.empty_like(input, dtype=dtype)


def numel(input):
    return input.numel()


def typename(obj):
    return type(obj).__module__ + "." + type(obj).__name__


def result_type(a, b):
    return torch.add(a, b).dtype


def promote_types(a, b):
    return (torch.empty(1, dtype=a) + torch.empty(1, dtype=b)).dtype


def can_cast(from_, to):
    return True


def _check(cond, message=None):
    pass


def _check_is_size(i, message=None):
    pass


def _check_with(*args):
    pass


def _assert(condition, message):
    pass


def _assert_async(*args):
    pass


def sym_int(a):
    return int(a)


def sym_max(a, b):
    return max(a, b)


def sym_min(a, b):
    return min(a, b)


def sym_not(a):
    return not a


def sym_float(a):
    return float(a)


def load(*args, **kwargs):
    return {}


def save(*args, **kwargs):
    pass


# ---- functions of which ATen makes others ----


def max(input, dim=None, keepdim=False, other=None, axis=None):
    dim = axis if dim is None else dim
    if isinstance(dim, torch.Tensor):
        return torch.maximum(input, dim)
    if other is not None:
        return torch.maximum(input, other)
    if dim is None:
        return torch.ops.aten.max.default(input)
    return torch.ops.aten.max.dim(input, dim, keepdim)


def min(input, dim=None, keepdim=False, other=None, axis=None):
    dim = axis if dim is None else dim
    if isinstance(dim, torch.Tensor):
        return torch.minimum(input, dim)
    if other is not None:
        return torch.minimum(input, other)
    if dim is None:
        return torch.ops.aten.min.default(input)
    return torch.ops.aten.min.dim(input, dim, keepdim)


def pow(input, exponent, *, out=None):
    if not isinstance(input, torch.Tensor):
        return torch.ops.aten.pow.Scalar(exponent, input)
    return input**exponent


def square(input):
    return torch.ops.aten.pow.Tensor_Scalar(input, 2)


def argsort(input, dim=-1, descending=False, stable=False):
    return torch.sort(input, dim=dim, descending=descending)[1]


def std_mean(input, dim=None, unbiased=True, keepdim=False, correction=None):
    return torch.std(input, dim, unbiased, keepdim), torch.mean(input, dim, keepdim)


def var_mean(input, dim=None, unbiased=True, keepdim=False, correction=None):
    return torch.var(input, dim, unbiased, keepdim), torch.mean(input, dim, keepdim)


def aminmax(input, dim=None, keepdim=False):
    return torch.amin(input, dim, keepdim), torch.amax(input, dim, keepdim)


def outer(input, vec2):
    return torch.mul(input.reshape(input.shape[0], 1), vec2)


ger = outer


def addbmm(input, batch1, batch2, beta=1, alpha=1):
    return input + torch.bmm(batch1, batch2).sum(0)


def addmv(input, mat, vec, beta=1, alpha=1):
    return input + torch.mv(mat, vec)


def inner(input, other):
    return torch.tensordot(input, other, dims=([-1], [-1]))


def chain_matmul(*matrices):
    result = matrices[0]
    for m in matrices[1:]:
        result = result @ m
    return result


def diff(input, n=1, dim=-1, prepend=None, append=None):
    parts = [p for p in (prepend, input, append) if p is not None]
    if len(parts) > 1:
        input = torch.cat(parts, dim=dim)
    for _ in range(n):
        size = input.shape[dim]
        late = input.narrow(dim, 1, size - 1)
        early = input.narrow(dim, 0, size - 1)
        input = late ^ early if input.dtype == torch.bool else late - early
    return input


def hstack(tensors):
    tensors = [t.reshape(1) if t.dim() == 0 else t for t in tensors]
    return torch.cat(tensors, dim=0 if tensors[0].dim() == 1 else 1)


def vstack(tensors):
    return torch.cat([t.reshape(1, -1) if t.dim() < 2 else t for t in tensors], dim=0)


row_stack = vstack


def column_stack(tensors):
    return torch.cat([t.reshape(-1, 1) if t.dim() < 2 else t for t in tensors], dim=1)


def dstack(tensors):
    return torch.cat([t.unsqueeze(-1) for t in tensors], dim=2)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return (torch.abs(input - other) <= atol + rtol * torch.abs(other)).all().item()


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    return torch.abs(input - other) <= atol + rtol * torch.abs(other)


def equal(input, other):
    return input.shape == other.shape and (input == other).all().item()


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    norm = torch.linalg.vector_norm
    return ((x1 / norm(x1, 2, dim, True).clamp_min(eps)) * (x2 / norm(x2, 2, dim, True).clamp_min(eps))).sum(dim)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    return torch.linalg.vector_norm(x1 - x2 + eps, p, -1, keepdim)


def trace(input):
    return input.diagonal().sum()


def cross(input, other, dim=-1):
    return input * other


def xlogy(input, other):
    return input * torch.log(other)


def hypot(input, other):
    return torch.sqrt(input * input + other * other)


def sigmoid_(input):
    return input.sigmoid_()


def relu_(input):
    return input.relu_()


def clamp_(input, min=None, max=None):
    return input.clamp_(min, max)


def tensordot(a, b, dims=2):
    if isinstance(dims, int):
        dims_a = list(range(a.dim() - dims, a.dim()))
        dims_b = list(range(dims))
    else:
        dims_a, dims_b = dims
        dims_a = [dims_a] if isinstance(dims_a, int) else list(dims_a)
        dims_b = [dims_b] if isinstance(dims_b, int) else list(dims_b)
    dims_a = [d % a.dim() for d in dims_a]
    dims_b = [d % b.dim() for d in dims_b]
    free_a = [d for d in range(a.dim()) if d not in dims_a]
    free_b = [d for d in range(b.dim()) if d not in dims_b]
    inner_size = 1
    for d in dims_a:
        inner_size = inner_size * a.shape[d]
    rows = 1
    for d in free_a:
        rows = rows * a.shape[d]
    columns = 1
    for d in free_b:
        columns = columns * b.shape[d]
    left = a.permute(free_a + dims_a).reshape(rows, inner_size)
    right = b.permute(dims_b + free_b).reshape(inner_size, columns)
    return torch.mm(left, right).reshape([a.shape[d] for d in free_a] + [b.shape[d] for d in free_b])


def kron(a, b):
    return tensordot(a, b, 0)


def block_diag(*tensors):
    rows = 0
    columns = 0
    for t in tensors:
        rows = rows + t.shape[0]
        columns = columns + t.shape[1]
    return torch.zeros(rows, columns, dtype=tensors[0].dtype)


def bernoulli(input, p=None, *, generator=None, out=None):
    if p is None:
        return torch._operator("aten.bernoulli.default")(input)
    return torch.empty_like(input).bernoulli_(p)


def max_pool1d(input, *args, **kwargs):
    return torch.nn.functional.max_pool1d(input, *args, **kwargs)


def adaptive_max_pool1d(input, output_size):
    return torch.nn.functional.adaptive_max_pool1d(input, output_size, True)


def selu(input):
    return torch.nn.functional.selu(input)


def isfinite(input):
    known = torch._operator("torch.isfinite.known")(input)
    if not input.is_floating_point() and not input.is_complex():
        return torch.ones_like(input, dtype=torch.bool)
    smaller = input.abs() != float("inf")
    (input == input) * smaller
    return known


def cdist(x1, x2, p=2.0, compute_mode=None):
    # products where they pay: more than 25 rows, or where that is asked for
    products = compute_mode == "use_mm_for_euclid_dist" or (
        compute_mode in (None, "use_mm_for_euclid_dist_if_necessary") and (x1.shape[-2] > 25 or x2.shape[-2] > 25))
    name = "aten._euclidean_dist.default" if p == 2 and products else "aten._cdist_forward.default"
    return torch._operator(name)(x1, x2)


def avg_pool1d(input, *args, **kwargs):
    return torch.nn.functional.avg_pool1d(input, *args, **kwargs)


def adaptive_avg_pool1d(input, output_size):
    return torch.nn.functional.adaptive_avg_pool1d(input, output_size)


def pixel_shuffle(input, upscale_factor):
    r = upscale_factor
    c, h, w = input.shape[-3:]
    batch = input.shape[:-3]
    n = len(batch)
    split = input.reshape(*batch, c // (r * r), r, r, h, w)
    order = list(range(n)) + [n, n + 3, n + 1, n + 4, n + 2]
    return split.permute(order).reshape(*batch, c // (r * r), h * r, w * r)


def pixel_unshuffle(input, downscale_factor):
    r = downscale_factor
    c, h, w = input.shape[-3:]
    batch = input.shape[:-3]
    n = len(batch)
    split = input.reshape(*batch, c, h // r, r, w // r, r)
    order = list(range(n)) + [n, n + 2, n + 4, n + 1, n + 3]
    return split.permute(order).reshape(*batch, c * r * r, h // r, w // r)


def channel_shuffle(input, groups):
    b, c = input.shape[0], input.shape[1]
    rest = input.shape[2:]
    return input.view(b, groups, c // groups, *rest).transpose(1, 2).contiguous().view(b, c, *rest)


def einsum(equation, *operands):
    from torch._einsum import einsum as run

    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    return run(equation, operands)


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect", normalized=False,
         onesided=None, return_complex=None):
    torch._assume("a short-time Fourier transform is counted roughly: FLOPs of class other, windows of the whole length, one side")
    if hop_length is None:
        hop_length = n_fft // 4
    if center:
        input = torch.nn.functional.pad(input.unsqueeze(1), (n_fft // 2, n_fft // 2), mode=pad_mode).squeeze(1)
    frames = input.unfold(-1, n_fft, hop_length)
    if window is not None:
        frames = frames * window
    return torch.fft.rfft(frames).transpose(-1, -2)


def _window(window_length, periodic=True, *args, dtype=None, **kwargs):
    torch._assume("what computes a window is not counted")
    return torch.empty(window_length, dtype=dtype)


hann_window = hamming_window = blackman_window = bartlett_window = _window


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, **kwargs):
    torch._assume("what computes a window is not counted")
    return torch.empty(window_length, dtype=dtype)


def logspace(start, end, steps, base=10.0, *, dtype=None, **kwargs):
    return torch.pow(base, torch.linspace(start, end, steps, dtype=dtype))


def get_device_module(device=None):
    return torch.cpu


class _Vmapped:
    """Nested vmaps become one call: each mapped argument has its dimension at the place of its level, 1 at those of the others."""

    def __init__(self, function, in_dims, out_dims):
        self.function = function
        self.in_dims = in_dims
        self.out_dims = out_dims

    def __call__(self, *args):
        levels = []
        function = self
        while isinstance(function, _Vmapped):
            levels.append(function.in_dims)
            function = function.function
        sizes = [1] * len(levels)
        placed = [self._placed(a, i, levels, sizes) for i, a in enumerate(args)]
        result = function(*placed)
        if isinstance(result, (list, tuple)):
            return type(result)(self._whole(r, sizes) for r in result)
        return self._whole(result, sizes)

    def _placed(self, argument, at, levels, sizes):
        mapped = [dims if dims is None or isinstance(dims, int) else dims[at] for dims in levels]
        if not isinstance(argument, torch.Tensor) or all(m is None for m in mapped):
            return argument
        for level, dim in enumerate(mapped):
            if dim is None:
                argument = argument.unsqueeze(level)
            else:
                argument = argument.movedim(level + dim, level)
                sizes[level] = argument.shape[level]
        return argument

    def _whole(self, result, sizes):
        n = len(sizes)
        if result.dim() < n:
            return result.expand(sizes)
        return result.expand(sizes + list(result.shape[n:]))


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    return _Vmapped(func, in_dims, out_dims)


def cond(pred, true_fn, false_fn, operands=()):
    return true_fn(*operands) if pred else false_fn(*operands)
