# Fourier transforms: their shapes and dtypes, one operator each.
import torch

_ops = torch.ops.aten


def _resized(input, n, dim):
    size = input.shape[dim]
    if n is None or n == size:
        return input
    if n < size:
        return input.narrow(dim, 0, n)
    pad = [0, 0] * input.dim()
    pad[2 * (input.dim() - 1 - dim % input.dim()) + 1] = n - size
    return _ops.constant_pad_nd.default(input, pad)


def rfft(input, n=None, dim=-1, norm=None):
    input = _resized(input, n, dim)
    return _ops._fft_r2c.default(input, dim, input.shape[dim])


def irfft(input, n=None, dim=-1, norm=None):
    if n is None:
        n = 2 * (input.shape[dim] - 1)
    return _ops._fft_c2r.default(_resized(input, n // 2 + 1, dim), dim, n)


def fft(input, n=None, dim=-1, norm=None):
    input = _resized(input, n, dim)
    transform = _ops._fft_c2c.default if input.is_complex() else _ops._fft_r2c.whole
    return transform(input, dim, input.shape[dim])


ifft = fft


def _dims(input, dim):
    return range(input.dim()) if dim is None else [dim] if isinstance(dim, int) else dim


def fftn(input, s=None, dim=None, norm=None):
    dims = list(_dims(input, dim))
    for i, d in enumerate(dims):
        input = _resized(input, None if s is None else s[i], d)
    if not input.is_complex():
        input = input.to(torch.complex128 if input.dtype == torch.float64 else torch.complex64)
    return _ops._fft_c2c.default(input, dims[-1], input.shape[dims[-1]])


ifftn = fftn


def fft2(input, s=None, dim=(-2, -1), norm=None):
    return fftn(input, s, dim, norm)


ifft2 = fft2


def rfftn(input, s=None, dim=None, norm=None):
    dims = list(_dims(input, dim))
    for i, d in enumerate(dims):
        input = _resized(input, None if s is None else s[i], d)
    return _ops._fft_r2c.default(input, dims[-1], input.shape[dims[-1]])


def rfft2(input, s=None, dim=(-2, -1), norm=None):
    return rfftn(input, s, dim, norm)


def irfftn(input, s=None, dim=None, norm=None):
    dims = list(_dims(input, dim))
    for i, d in enumerate(dims[:-1]):
        input = _resized(input, None if s is None else s[i], d)
    return irfft(input, None if s is None else s[-1], dims[-1])


def irfft2(input, s=None, dim=(-2, -1), norm=None):
    return irfftn(input, s, dim, norm)


def fftshift(input, dim=None):
    dims = list(_dims(input, dim))
    return torch.roll(input, [input.shape[d] // 2 for d in dims], dims)


def ifftshift(input, dim=None):
    dims = list(_dims(input, dim))
    return torch.roll(input, [(input.shape[d] + 1) // 2 for d in dims], dims)


def fftfreq(n, d=1.0, *, dtype=None, device=None, **kwargs):
    return torch.empty(n, dtype=dtype)


def rfftfreq(n, d=1.0, *, dtype=None, device=None, **kwargs):
    return torch.empty(n // 2 + 1, dtype=dtype)
