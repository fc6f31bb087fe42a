"""Small calls for every rule of catalog/torch/operators.json, and what PyTorch 1.13 does in them: python3 rules.py > rules.txt

A case is what stands before a call, and the call. Of each are recorded the operators that ran with the bytes they move, the result, whose memory it is,
and the bytes that autograd keeps: where everything takes part in the backward pass, and where one tensor alone does. FLOPs are those of docs/numbers.md,
written here by hand. `HAND` has what PyTorch 1.13 lacks. tests/learn/rules.c holds `ridge learn` against it, and changes one rule after another.
"""
import itertools

CASES = r"""
x, y = t(2, 3), t(3, 4) | torch.mm(x, y)
x, y = h(2, 3), h(3, 4) | x.mm(y)
x, y, z = t(4), t(2, 3), t(3, 4) | torch.addmm(x, y, z)
x, y = t(5, 2, 3), t(5, 3, 4) | torch.bmm(x, y)
x, y, z = t(5, 2, 4), t(5, 2, 3), t(5, 3, 4) | torch.baddbmm(x, y, z)
x, y = t(2, 3), t(3) | torch.mv(x, y)
x, y = t(3), t(3) | torch.dot(x, y)
x, y = t(5, 2, 3), t(3, 4) | torch.matmul(x, y)
x, y, z = t(5, 2, 3), t(4, 3), t(4) | F.linear(x, y, z)
x, y, z = t(2, 3, 5, 4), t(2, 3, 7, 4), t(2, 3, 7, 6) | F.scaled_dot_product_attention(x, y, z)
x, y = t(3, 1), t(2, 1, 4) | torch.add(x, y)
x, y = h(3, 1), t(2, 1, 4) | torch.add(x, y)
x = h(3, 4) | x + 2.5
x, y = t(3, 4), t(4) | x.add_(y)
x, y = h(3, 1), t(2, 1, 4) | torch.sub(x, y)
x, y = h(3, 4), t(4) | x.sub_(y)
x, y = h(3, 1), t(2, 1, 4) | torch.rsub(x, y)
x = h(3, 4) | 1 - x
x, y = h(3, 1), t(2, 1, 4) | torch.mul(x, y)
x = h(3, 4) | x * 2.5
x, y = h(3, 4), t(4) | x.mul_(y)
x, y = h(3, 1), t(2, 1, 4) | torch.div(x, y)
x, y = i(3, 1), i(2, 1, 4) | torch.div(x, y)
x = h(3, 4) | x / 2.5
x, y = h(3, 1), t(2, 1, 4) | torch.div(x, y, rounding_mode='floor')
x, y = h(3, 4), t(4) | x.div_(y)
x, y = i(3, 1), i(2, 1, 4) | torch.floor_divide(x, y)
x, y = h(3, 1), t(2, 1, 4) | torch.floor_divide(x, y)
x, y = h(3, 4), t(4) | x.floor_divide_(y)
x, y = h(3, 1), t(2, 1, 4) | torch.remainder(x, y)
x = h(3, 4) | torch.remainder(x, 2)
x, y = h(3, 4), t(4) | x.remainder_(y)
x, y = t(3, 1), t(2, 1, 4) | torch.fmod(x, y)
x, y = i(3, 1), t(2, 1, 4) | torch.fmod(x, y)
x, y = h(3, 1), t(2, 1, 4) | torch.pow(x, y)
x = h(3, 4) | x ** 2
x = h(3, 4) | x ** 3
x, y = t(3, 4), t(4) | x.pow_(y)
x = h(3, 4) | torch.pow(2.0, x)
x, y = h(3, 1), t(2, 1, 4) | torch.maximum(x, y)
x, y = h(3, 1), t(2, 1, 4) | torch.minimum(x, y)
x, y = t(3, 1), t(2, 1, 4) | torch.atan2(x, y)
x, y = i(3, 1), i(2, 1, 4) | torch.atan2(x, y)
x, y, z = h(3, 1), t(2, 1, 4), t(4) | torch.addcmul(x, y, z)
x, y, z = h(3, 1), t(2, 1, 4), t(4) | torch.addcdiv(x, y, z)
x, y = t(3, 1), t(2, 1, 4) | torch.lerp(x, y, 0.5)
x, y = h(3, 1), t(2, 1, 4) | torch.eq(x, y)
x = h(3, 4) | x == 2
x, y = h(3, 1), t(2, 1, 4) | torch.ne(x, y)
x = h(3, 4) | x != 2
x, y = h(3, 1), t(2, 1, 4) | torch.lt(x, y)
x = h(3, 4) | x < 2
x, y = h(3, 1), t(2, 1, 4) | torch.le(x, y)
x = h(3, 4) | x <= 2
x, y = h(3, 1), t(2, 1, 4) | torch.gt(x, y)
x = h(3, 4) | x > 2
x, y = h(3, 1), t(2, 1, 4) | torch.ge(x, y)
x = h(3, 4) | x >= 2
x, y = b(3, 1), i(2, 1, 4) | x & y
x, y = b(3, 1), b(2, 1, 4) | x & y
x, y = b(3, 4), b(4) | x.bitwise_and_(y)
x, y = i(3, 1), i(2, 1, 4) | torch.logical_and(x, y)
x, y = b(3, 1), i(2, 1, 4) | x | y
x, y = b(3, 1), b(2, 1, 4) | x | y
x, y = i(3, 1) + 1, i(2, 1, 4) | x | y
x, y = b(3, 4), b(4) | x.bitwise_or_(y)
x, y = i(3, 1), i(2, 1, 4) | torch.logical_or(x, y)
x, y = b(3, 1), i(2, 1, 4) | x ^ y
x, y = b(3, 1), b(2, 1, 4) | x ^ y
x, y = b(3, 4), b(4) | x.bitwise_xor_(y)
x, y = i(3, 1), i(2, 1, 4) | torch.logical_xor(x, y)
x, y = i(3, 1).int(), i(2, 1, 4) | x << y
x, y = i(3, 1).int(), i(2, 1, 4) | x >> y
z, x, y = b(3, 1), t(4), t(2, 1, 1) | torch.where(z, x, y)
z, x, y = b(3, 1), h(4), t(2, 1, 1) | torch.where(z, x, y)
x, z = t(3, 1), b(2, 1, 4) | x.masked_fill(z, 0.0)
x, z = t(3, 4), b(4) | x.masked_fill_(z, 0.0)
x, y = i(3, 4), i(2) | torch.isin(x, y)
x = h(3, 4) | torch.neg(x)
x = h(3, 4) | x.neg_()
x = h(3, 4) | torch.isnan(x)
x = h(3, 4) | torch.isinf(x)
x = h(3, 4) | torch.isfinite(x)
x = i(3, 4) | torch.bitwise_not(x)
x = i(3, 4) | x.bitwise_not_()
x = i(3, 4) | torch.logical_not(x)
x = b(3, 4) | x.logical_not_()
x = c(3, 4) | torch.angle(x)
x = c(3, 4) | torch.conj_physical(x)
x = h(3, 4) | torch.clamp(x, min=0, max=1)
x, y = h(3, 1), t(2, 1, 4) | torch.clamp_min(x, y)
x = h(3, 4) | torch.clamp_min(x, 0.5)
x = h(3, 4) | torch.clamp_max(x, 0.5)
x = t(3, 4) | x.clamp_(min=0)
x = t(3, 4) | x.clamp_min_(0)
x, y = t(2, 3, 4), t(3) | F.prelu(x, y)
x = t(3, 4) | F.dropout(x, 0.5, False)
x = t(3, 4) | torch.softmax(x, -1)
x = h(3, 4) | torch.softmax(x, -1)
x = t(3, 4) | torch.log_softmax(x, -1)
x, y, z = t(3, 4), t(4), t(4) | F.layer_norm(x, (4,), y, z)
x, y, z = t(2, 6, 5), t(6), t(6) | F.group_norm(x, 3, y, z)
x, y, z, v, w = t(2, 3, 5), a(3), a(3), t(3), t(3) | F.batch_norm(x, y, z, v, w)
x = i(3, 4).int() | torch.sum(x, -1)
x = t(3, 4) | torch.sum(x, -1)
x = i(3, 4).int() | torch.sum(x)
x = t(3, 4) | torch.sum(x)
x = h(3, 4) | torch.sum(x, -1, dtype=torch.float32)
x = i(3, 4).int() | torch.cumsum(x, -1)
x = t(3, 4) | torch.cumsum(x, -1)
x = i(3, 4).int() | torch.cumprod(x, -1)
x = t(3, 4) | torch.cumprod(x, -1)
x = t(3, 4) | torch.logcumsumexp(x, -1)
x = t(3, 4) | torch.nansum(x)
x = i(3, 4).int() | torch.nansum(x)
x = t(3, 4) | torch.mean(x, -1)
x = t(3, 4) | torch.mean(x)
x = i(3, 4).int() | torch.prod(x, -1)
x = t(3, 4) | torch.prod(x, -1)
x = i(3, 4).int() | torch.prod(x)
x = t(3, 4) | torch.prod(x)
x = t(3, 4) | torch.amax(x, -1)
x = t(3, 4) | torch.amin(x, -1)
x = t(3, 4) | torch.logsumexp(x, -1)
x = h(3, 4) | torch.any(x, -1)
x = h(3, 4) | torch.any(x)
x = h(3, 4) | torch.all(x, -1)
x = h(3, 4) | torch.all(x)
x = t(3, 4) | torch.argmax(x, -1)
x = t(3, 4) | torch.argmin(x, -1)
x = t(3, 4) | torch.count_nonzero(x, -1)
x = t(3, 4) | torch.max(x, -1)
x = t(3, 4) | torch.max(x)
x = t(3, 4) | torch.min(x, -1)
x = t(3, 4) | torch.min(x)
x = t(3, 4) | torch.median(x, -1)
x = t(3, 4) | torch.mode(x, -1)
x = t(3, 4) | torch.kthvalue(x, 2, -1)
x = t(3, 4) | torch.var(x, -1)
x = t(3, 4) | torch.std(x, -1)
x = t(3, 4) | torch.norm(x, 3, -1)
x = t(3, 4) | torch.linalg.vector_norm(x, dim=-1)
x = t(3, 4) | torch.topk(x, 2, -1)
x = t(3, 4) | torch.sort(x, -1)
x = t(3, 4) | torch.cummax(x, -1)
x = t(3, 4) | torch.cummin(x, -1)
x, y = t(3, 4), t(3, 2) | torch.cat((x, y), -1)
x, y = h(3, 4), t(3, 4) | torch.cat((x, y), 0)
x, y = t(3, 4), t(3, 4) | torch.stack((x, y))
x, y = h(3, 4), t(3, 4) | torch.stack((x, y))
z, x = i(2, 3), t(9, 4) | F.embedding(z, x)
z = i(2, 3).int() | F.one_hot(z.long(), 9)
x = t(3, 4) | F.pad(x, (1, 2))
x = t(2, 3, 4) | F.pad(x, (1, 2), mode='reflect')
x = t(2, 3, 4) | F.pad(x, (1, 2, 0, 1), mode='reflect')
x = t(2, 3, 4, 4) | F.pad(x, (1, 2, 0, 1, 1, 0), mode='reflect')
x = t(2, 3, 4) | F.pad(x, (1, 2), mode='replicate')
x = t(2, 3, 4) | F.pad(x, (1, 2, 0, 1), mode='replicate')
x = t(2, 3, 4, 4) | F.pad(x, (1, 2, 0, 1, 1, 0), mode='replicate')
x = t(3, 4) | torch.triu(x)
x = t(3, 4) | torch.tril(x)
x = t(3, 4) | x.triu_()
x = t(3, 4) | x.tril_()
x, z = t(3, 4), i(2, 4) | torch.scatter(x, 0, z, 1.0)
x, z = t(3, 4), i(2, 4) | x.scatter_(0, z, 1.0)
x, z, y = t(3, 4), i(2, 4), t(2, 4) | torch.scatter(x, 0, z, y)
x, z, y = t(3, 4), i(2, 4), t(2, 4) | x.scatter_(0, z, y)
x, z, y = t(3, 4), i(2, 4), t(2, 4) | torch.scatter_add(x, 0, z, y)
x, z, y = t(3, 4), i(2, 4), t(2, 4) | x.scatter_add_(0, z, y)
x, z, y = t(3, 4), i(2, 4), t(2, 4) | torch.scatter_reduce(x, 0, z, y, 'sum')
x, z, y = t(3, 4), i(2, 4), t(2, 4) | x.scatter_reduce_(0, z, y, 'sum')
x, z, y = t(3, 4), i(2), t(2, 4) | torch.index_add(x, 0, z, y)
x, z, y = t(3, 4), i(2), t(2, 4) | x.index_add_(0, z, y)
x, z = t(3, 4), i(2) | torch.index_fill(x, 0, z, 1.0)
x, z = t(3, 4), i(2) | x.index_fill_(0, z, 1.0)
x, z, y = t(3, 4), p(2), t(2, 4) | torch.index_copy(x, 0, z, y)
x, z, y = t(3, 4), p(2), t(2, 4) | x.index_copy_(0, z, y)
x, z, y = t(3, 4), b(3, 4), t(3, 4) | torch.masked_scatter(x, z, y)
x, z, y = t(3, 4), b(3, 4), t(3, 4) | x.masked_scatter_(z, y)
x, y = t(3, 4), o(5) | torch.bucketize(x, y)
x, y = o(5), t(3, 4) | torch.searchsorted(x, y)
x = t(3, 4) | torch.multinomial(x, 2)
x, y, z = t(2, 4, 9), t(6, 2, 3), t(6) | F.conv1d(x, y, z, stride=2, padding=1, groups=2)
x, y = t(2, 4, 9), t(4, 3, 3) | F.conv_transpose1d(x, y, stride=2, groups=2)
x = t(2, 3, 9) | F.max_pool1d(x, 3, 2)
x = t(2, 3, 9) | F.avg_pool1d(x, 3, 2)
x = t(2, 3, 9) | F.adaptive_avg_pool1d(x, 3)
x = t(2, 3, 9) | F.adaptive_max_pool1d(x, 3)
x = t(2, 3, 9, 8) | F.max_pool2d(x, 3, 2)
x = t(2, 3, 9, 8) | F.avg_pool2d(x, 3, 2)
x = t(2, 3, 9, 8) | F.adaptive_avg_pool2d(x, 3)
x = t(2, 3, 9, 8) | F.adaptive_max_pool2d(x, 3)
x = t(2, 3, 6, 5, 4) | F.max_pool3d(x, 2)
x = t(2, 3, 6, 5, 4) | F.avg_pool3d(x, 2)
x = t(2, 3, 6, 5, 4) | F.adaptive_avg_pool3d(x, 2)
x = t(2, 3, 6, 5, 4) | F.adaptive_max_pool3d(x, 2)
x = t(2, 3, 4) | F.interpolate(x, size=8)
x = t(2, 3, 4, 4) | F.interpolate(x, size=(8, 6))
x = t(2, 3, 4, 4, 4) | F.interpolate(x, size=(8, 6, 4))
x = t(2, 3, 4) | F.interpolate(x, size=8, mode='nearest-exact')
x = t(2, 3, 4, 4) | F.interpolate(x, size=(8, 6), mode='nearest-exact')
x = t(2, 3, 4, 4, 4) | F.interpolate(x, size=(8, 6, 4), mode='nearest-exact')
x = t(2, 3, 4) | F.interpolate(x, size=8, mode='linear')
x = t(2, 3, 4, 4) | F.interpolate(x, size=(8, 6), mode='bilinear')
x = t(2, 3, 4, 4, 4) | F.interpolate(x, size=(8, 6, 4), mode='trilinear')
x = t(2, 3, 4, 4) | F.interpolate(x, size=(8, 6), mode='bicubic')
x = t(2, 3, 4, 4) | F.interpolate(x, size=(8, 6), mode='bilinear', antialias=True)
x = t(2, 3, 4, 4) | F.interpolate(x, size=(8, 6), mode='bicubic', antialias=True)
x, y = t(2, 3, 4, 4), t(2, 5, 6, 2) | F.grid_sample(x, y, align_corners=False)
x, y = t(2, 3, 4, 4, 4), t(2, 5, 6, 7, 3) | F.grid_sample(x, y, align_corners=False)
x = t(2, 3, 5, 6) | F.unfold(x, 2, stride=2)
x = t(2, 12, 6) | F.fold(x, (4, 6), 2, stride=2)
x = t(3, 4) | F.glu(x)
x, y = t(3, 1), t(2, 1, 4) | torch.polar(x, y)
x, y = t(3, 1), t(2, 1, 4) | torch.complex(x, y)
x = t(3, 8) | torch.fft.rfft(x)
x = c(3, 5) | torch.fft.irfft(x)
x = c(3, 4, 5) | torch.fft.irfft2(x)
x = c(3, 8) | torch.fft.fft(x)
x = t(3, 8) | torch.fft.fft(x)
x = t(3, 8) | torch.fft.fft2(x)
x, y = t(6, 4, 3), t(6, 1, 1) | torch._weight_norm(x, y, 0)
x, y = t(3, 1), t(3, 1) | F.mse_loss(x, y, reduction='none')
x, y = h(3, 1), t(3, 4) | F.mse_loss(x, y, reduction='none')
x, y = t(3, 4), t(3, 4) | F.mse_loss(x, y)
x = t(3, 4) | torch.bernoulli(x)
x = t(3, 4) | torch.bernoulli(x, 0.5)
x = t(3, 4) | x.bernoulli(0.5)
x, y = t(2, 3, 4), t(2, 5, 4) | torch.cdist(x, y)
x, y = t(2, 3, 4), t(2, 30, 4) | torch.cdist(x, y)
x = t(3, 4).t() | x.contiguous()
x = t(3, 4) | x.to(torch.bfloat16)
x, y = t(3, 4), t(4) | x.copy_(y)
x = t(3, 4) | x.fill_(1.0)
torch | put(torch.zeros(3, 4), 0, 1.0)
torch | put(torch.zeros(3, 4), (0, 1), 1.0)
z = b(3, 4) | put(torch.zeros(3, 4), z, 1.0)
x = t(3, 4) | x.zero_()
x, z, y = t(3, 4), i(2), t(2, 4) | put(x, z, y)
x = b(3, 4) | x.nonzero()
x, z = t(3, 4), b(3, 4) | torch.masked_select(x, z)
x = t(3, 4) | x.repeat(2, 1)
x = t(3, 4) | torch.flip(x, (0,))
x = t(3, 4) | torch.roll(x, 1, 0)
x = i(12) | torch.unique(x)
x = i(12) | torch.unique_consecutive(x)
x = i(12) | torch.bincount(x, minlength=9)
torch | torch.tensor([1.0, 2.0])
x, z = t(3, 4), i(3) | torch.repeat_interleave(x, z, 0)
x = t(2, 3, 4) | F.pad(x, (1, 2), mode='circular')
torch | torch.arange(5)
torch | torch.arange(2, 5)
torch | torch.arange(0, 9, 2)
torch | torch.zeros(3, 4)
torch | torch.ones(3, 4)
torch | torch.full((3, 4), 2.0)
torch | torch.empty(3, 4)
torch | torch.rand(3, 4)
torch | torch.randn(3, 4)
torch | torch.randint(0, 9, (3, 4))
torch | torch.randperm(6)
torch | torch.linspace(0, 1, 5)
torch | torch.eye(3)
torch | torch.scalar_tensor(2.0)
x = t(3, 4) | torch.zeros_like(x)
x = t(3, 4) | torch.ones_like(x)
x = t(3, 4) | torch.full_like(x, 2.0)
x = t(3, 4) | torch.empty_like(x)
x = t(3, 4) | x.new_zeros(2, 3)
x = t(3, 4) | x.new_ones(2, 3)
x = t(3, 4) | x.new_full((2, 3), 2.0)
x = t(3, 4) | x.new_empty(2, 3)
x = t(3, 4) | torch.rand_like(x)
x = t(3, 4) | torch.randn_like(x)
torch | torch.tril_indices(3, 4)
torch | torch.triu_indices(3, 4)
x = t(3, 4) | x.normal_()
x = t(3, 4) | x.uniform_()
x = t(3, 4) | x.bernoulli_(0.5)
x, z = t(9, 4), i(2, 3) | x[z]
x, z = t(9, 4), i(2, 4) | torch.gather(x, 0, z)
x, z = t(9, 4), i(2) | torch.index_select(x, 0, z)
x, z = t(9, 4), i(2, 4) | torch.take_along_dim(x, z, 0)
x, y, z, v = t(3, 4), t(3, 4), t(3, 4), t(3, 4) | D.StudentT(x, y, z).log_prob(v)
x, y, z = t(3, 4), t(3, 4), t(3, 4) | D.Normal(x, y).log_prob(z)
x, y = t(3, 4), t(3, 4) | D.Normal(x, y, validate_args=False).cdf(x)
x, y, z = t(3, 4), t(3, 4), t(3, 4) | D.TransformedDistribution(D.Normal(x, y), [D.AffineTransform(x, y)]).log_prob(z)
x = c(3, 4) | x * torch.conj(x)
x = c(3, 4) | torch.conj(x).abs()
x, y = c(3, 4), c(4, 5) | torch.conj(x) @ y
x = t(3, 4) | torch.conj(x)
x = t(3, 4) | torch.linalg.norm(x, dim=-1)
x = t(3, 4) | torch.repeat_interleave(x, 2, 0)
"""

# what computes each element alone: x.NAME() and x.NAME_(), of floats and, where PyTorch takes them, of integers
UNARY = """abs exp log sqrt rsqrt sin cos tan reciprocal expm1 log1p log2 log10 exp2 acos asin atan sinh cosh lgamma digamma erf erfc erfinv asinh acosh atanh
sinc floor ceil round trunc sign frac logit nan_to_num tanh sigmoid relu""".split()
WHOLE = "exp log sqrt rsqrt sin cos tan reciprocal expm1 log1p log2 log10 exp2 acos asin atan sinh cosh lgamma digamma erf erfc erfinv asinh acosh atanh sinc logit tanh sigmoid".split()
FUNCTIONS = "gelu silu elu celu leaky_relu hardtanh hardswish hardsigmoid mish softplus selu logsigmoid softshrink hardshrink".split()
IN_PLACE = "silu elu celu leaky_relu hardtanh hardswish hardsigmoid mish selu relu".split()


def cases():
    yield from (line for line in CASES.strip().split("\n"))
    for name in UNARY:
        yield f"x = t(3, 4) | x.{name}()"
        yield f"x = t(3, 4) | x.{name}_()"
    for name in WHOLE:
        yield f"x = i(3, 4) | x.{name}()"
    for name in FUNCTIONS:
        yield f"x = t(3, 4) | F.{name}(x)"
    for name in IN_PLACE:
        yield f"x = t(3, 4) | F.{name}(x, inplace=True)"
    yield "x = t(3, 4) | F.threshold(x, 0.5, 0.0)"
    yield "x = t(3, 4) | F.threshold(x, 0.5, 0.0, inplace=True)"


# ---- FLOPs, by docs/numbers.md: a class and a formula of n (elements of the result), m (of the first input) and the shapes ----

FLOPS = {}


def counts(flop_class, formula, names):
    for name in names.split():
        FLOPS[name] = (flop_class, formula)


def prod(shape):
    count = 1
    for size in shape:
        count *= size
    return count


counts("matmul", lambda n, m, a: 2 * n * a[0][-1], "mm bmm")
counts("matmul", lambda n, m, a: 2 * n * a[1][-1], "addmm baddbmm")
counts("other", lambda n, m, a: 2 * m, "mv dot")
counts("activation", lambda n, m, a: 8 * n, "gelu silu silu_ elu elu_ celu celu_ mish mish_ softplus selu selu_ hardswish hardswish_ hardsigmoid hardsigmoid_ "
       "log_sigmoid_forward tanh tanh_ sigmoid sigmoid_")
counts("activation", lambda n, m, a: n, "relu relu_ leaky_relu leaky_relu_ hardtanh hardtanh_ softshrink hardshrink threshold threshold_ _prelu_kernel")
counts("activation", lambda n, m, a: 9 * n, "glu")
counts("other", lambda n, m, a: n, "add add_ sub sub_ rsub mul mul_ div div_ floor_divide floor_divide_ remainder remainder_ fmod pow pow_ maximum minimum atan2 "
       "clamp clamp_ clamp_min clamp_min_ clamp_max angle cumsum cumprod "
       + " ".join(name + end for name in UNARY if name not in ("relu", "tanh", "sigmoid") for end in ("", "_")))
counts("other", lambda n, m, a: 2 * n, "addcmul addcdiv native_batch_norm")
counts("other", lambda n, m, a: 3 * n, "lerp logcumsumexp upsample_linear1d _weight_norm_interface")
counts("other", lambda n, m, a: 4 * n, "polar")
counts("other", lambda n, m, a: 5 * n, "_softmax _log_softmax native_layer_norm native_group_norm _fft_c2c _fft_c2r")
counts("other", lambda n, m, a: 5 * m, "_fft_r2c")
counts("other", lambda n, m, a: m, "sum nansum mean prod amax amin max min col2im _adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_max_pool2d adaptive_max_pool3d")
counts("other", lambda n, m, a: 2 * m, "norm linalg_vector_norm")
counts("other", lambda n, m, a: 3 * m, "logsumexp var std")
counts("other", lambda n, m, a: 7 * n, "upsample_bilinear2d _upsample_bilinear2d_aa grid_sampler_2d")  # linear in each direction: 2^d products and 2^d - 1 sums
counts("other", lambda n, m, a: 15 * n, "upsample_trilinear3d grid_sampler_3d")
counts("other", lambda n, m, a: 31 * n, "upsample_bicubic2d _upsample_bicubic2d_aa")
counts("other", lambda n, m, a: prod(a[2]) if len(a) > 2 else 0, "scatter_add scatter_add_ index_add index_add_")
counts("other", lambda n, m, a: 3 * n * a[0][-1], "_cdist_forward")
counts("other", lambda n, m, a: 2 * n * (a[0][-1] + 2), "_euclidean_dist")
counts("other", lambda n, m, a: m, "mse_loss")

# recorded by another name or of other parts in PyTorch 1.13 than in 2.x, or counted without what PyTorch calls inside: written by hand
HAND = {
    # the parameter is one number per channel, the whole one operator (2.x: _prelu_kernel)
    "x, y = t(2, 3, 4), t(3) | F.prelu(x, y)": "aten._prelu_kernel.default activation 24 108>96\n= float32 [2, 3, 4] elementwise\nkeeps 108 108 108",
    # devices other than the CPU write mean and deviation (24 bytes) in evaluation, too
    "x, y, z, v, w = t(2, 3, 5), a(3), a(3), t(3), t(3) | F.batch_norm(x, y, z, v, w)":
        "aten.native_batch_norm.default other 60 168>144\n= float32 [2, 3, 5] elementwise\nkeeps 180 180 180 180",
    # the CPU looks at the largest and the smallest first
    "z = i(2, 3).int() | F.one_hot(z.long(), 9)":
        "aten._to_copy.default - 0 24>48\naten.zeros.default - 0 0>432\naten.scatter_.value - 0 48>48\n= int64 [2, 3, 9]\nkeeps 0",
    # 2.x: an expanded view, copied
    "x = t(3, 4) | torch.repeat_interleave(x, 2, 0)": "aten.clone.default - 0 48>96\n= float32 [6, 4] elementwise\nkeeps 0",
    # the CPU keeps a buffer
    "x = t(3, 4) | F.logsigmoid(x)": "aten.log_sigmoid_forward.default activation 96 48>48\n= float32 [3, 4] elementwise\nkeeps 48",
    "x, y, z = t(2, 3, 5, 4), t(2, 3, 7, 4), t(2, 3, 7, 6) | F.scaled_dot_product_attention(x, y, z)":
        "aten.scaled_dot_product_attention attention 4200 2160>720\n= float32 [2, 3, 5, 6]\nkeeps 2880 2880 2880 2880",
}

# overloads that cost what the other costs, and go by its name here
NAMES = {"aten.clamp_min.Tensor": "aten.clamp_min.default"}

GATHERS = {"embedding", "index", "gather", "index_select"}
SCATTERS = {"scatter", "scatter_", "scatter_reduce", "scatter_reduce_", "scatter_add", "scatter_add_", "index_add", "index_add_", "index_copy", "index_copy_",
            "index_put_"}
ADDS = {"scatter_add", "scatter_add_", "scatter_reduce", "scatter_reduce_", "index_add", "index_add_"}
# PyTorch 2.x keeps the sizes of their inputs alone (of embedding the indices)
SIZES_ALONE = {"mean", "_fft_r2c", "im2col", "embedding"}
OVERWRITES = {"copy_", "fill_", "zero_", "normal_", "uniform_", "bernoulli_"}  # what was there is not read
VIEWS = {"view", "_unsafe_view", "_reshape_alias", "alias", "as_strided", "detach", "diagonal", "expand", "permute", "select", "slice", "split", "t", "transpose",
         "squeeze", "unsqueeze", "unbind", "unfold", "view_as_real", "view_as_complex", "_conj", "empty", "empty_like", "new_empty", "lift_fresh", "resize_",
         "_local_scalar_dense", "empty_strided", "new_empty_strided", "is_same_size"}


def main():
    import torch
    import torch.nn.functional as F
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_flatten

    def tensors(values):
        return [v for v in tree_flatten(values)[0] if isinstance(v, torch.Tensor)]

    def stored(v):
        """elements in memory: an expanded dimension has one"""
        return prod(size for size, step in zip(v.shape, v.stride()) if step != 0 or size == 0)

    def distinct(values):
        seen = {}
        for v in values:
            seen.setdefault((v.storage().data_ptr(), v.storage_offset(), tuple(v.stride()), tuple(v.shape), v.dtype), v)
        return list(seen.values())

    def size(values):
        return sum(stored(v) * v.element_size() for v in distinct(values))

    class Recorder(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.lines = []

        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            before = [tuple(v.shape) for v in tensors((args, kwargs))]
            reads = [v for v in tensors((args, kwargs)) if not (v.dim() == 0 and v.dtype == torch.float64)]  # numbers
            result = function(*args, **(kwargs or {}))
            name = str(function)
            base = name.split(".")[1]
            if base in VIEWS:
                return result
            writes = tensors(result)
            if base in OVERWRITES:
                reads = reads[1:]
            read, written = size(reads), size(writes)
            if base in GATHERS:
                first = args[1] if base == "embedding" else reads[0]
                first = reads[0]
                read = sum(w.numel() for w in writes[:1]) * first.element_size() + size(reads[1:])
            if base in SCATTERS:
                first, rest = reads[0], reads[1:]
                places = first.numel() if rest[0].dtype == torch.bool else rest[-1].numel()  # of a mask: all of them
                changed = places * first.element_size()
                read, written = size(rest) + (changed if base in ADDS else 0), changed
                if not base.endswith("_"):
                    read, written = read + size([first]), written + size([first])
            self.lines.append(f"{name} {self.flops(base, args, before, writes)} {read}>{written}")
            return result

        def flops(self, base, args, shapes, writes):
            if base == "convolution":
                transposed = args[6]
                taps = prod(shapes[1][2:])
                channels = shapes[1][1]  # of a group: in where it goes forwards, out where it is transposed
                return f"matmul {2 * (prod(shapes[0]) if transposed else writes[0].numel()) * channels * taps}"
            if "pool" in base and "adaptive" not in base:
                return f"other {writes[0].numel() * prod(args[1])}"  # 1 for each place of the windows
            if base not in FLOPS:
                return "- 0"
            flop_class, formula = FLOPS[base]
            return f"{flop_class} {formula(writes[0].numel() if writes else 0, prod(shapes[0]) if shapes else 0, shapes)}"

    def put(x, z, y):
        x[z] = y
        return x

    def names(grads):
        """what a case may call; `grads`: True, False, or how many of the tensors so far stay out of the backward pass, counted"""
        made = itertools.count()

        def wanted():
            here = next(made)
            return grads is True or (grads is not False and grads == here)

        def give(v):
            return v.requires_grad_() * 1 if wanted() else v

        torch.manual_seed(1)
        return {"torch": torch, "F": F, "D": torch.distributions, "t": lambda *s: give(torch.rand(s) * 0.8 + 0.1), "h": lambda *s: give((torch.rand(s) * 0.8 + 0.1).bfloat16()),
                "c": lambda *s: give(torch.complex(torch.rand(s), torch.rand(s))), "i": lambda *s: torch.ones(s, dtype=torch.int64), "p": lambda n: torch.randperm(n),
                "b": lambda *s: torch.ones(s, dtype=torch.bool), "a": lambda *s: torch.rand(s), "o": lambda n: torch.arange(n) * 1.0, "put": put}

    def run(setup, call, grads):
        space, kept = names(grads), []
        exec(setup, space)
        with Recorder() as recorder, torch.autograd.graph.saved_tensors_hooks(lambda v: kept.append(v) or v, lambda v: v):
            result = eval(call, space)
        kept = [v for v in kept if not (v.dim() == 0 and v.dtype in (torch.float64, torch.int64))]  # numbers
        return recorder.lines, result, space, sum({v.storage().data_ptr(): v.storage().nbytes() for v in kept}.values())

    def shown(result, space):
        words = []
        for v in tensors(result):
            same = "x" in space and isinstance(space["x"], torch.Tensor) and v.storage().data_ptr() == space["x"].storage().data_ptr()
            words.append(f"{str(v.dtype)[6:]} {list(v.shape)}{' of x' if same else ''}")
        return "; ".join(words)

    def reach(setup, call):
        """how one element of x reaches the result: elementwise, reduction or neither; from x as it is and from zeros, up and down"""
        words = {reach_from(setup, call, *how) for how in itertools.product((1, 0), (50, -50, 0.2, 0))} - {"", None}
        return "reduction" if "reduction" in words else words.pop() if words else ""

    def reach_from(setup, call, factor, value):
        space = names(False)
        exec(setup, space)
        x = space.get("x")
        if not isinstance(x, torch.Tensor) or x.is_complex() or x.numel() > 200 or not x.is_contiguous() or x.dim() == 0:
            return None

        def result(change):
            torch.manual_seed(2)
            fresh = names(False)
            exec(setup, fresh)
            fresh["x"] = fresh["x"] * factor if x.is_floating_point() else fresh["x"].clone()
            if change is not None:
                fresh["x"].view(-1)[change] = value
            out = tensors(eval(call, fresh))
            return out[0].clone().reshape(-1) if out and not out[0].is_complex() else None

        try:
            base = result(None)
            others = [result(at) for at in range(x.numel())]
        except (RuntimeError, IndexError, ValueError):  # no such index, no probability
            return None
        if base is None or base.numel() == 0 or any(other.numel() != base.numel() for other in others):
            return None
        same = lambda a, b: torch.equal(a, b) or bool(a != a) and bool(b != b)
        first = {at for at, other in enumerate(others) if not same(other[0], base[0])}
        last = {at for at, other in enumerate(others) if not same(other[-1], base[-1])}
        if len(first) > 1:
            return "reduction"
        return "elementwise" if first | last and first <= {0} and last <= {x.numel() - 1} else ""

    for case in cases():
        setup, call = (part.strip() for part in case.split(" | ", 1))
        print(f"> {case}")
        if case in HAND:
            print(HAND[case])
            continue
        try:
            lines, result, space, _ = run(setup, call, False)
            lines = [NAMES.get(line.split()[0], line.split()[0]) + line[line.index(" "):] for line in lines]
            print("\n".join(lines) if lines else "nothing")
            print("= " + shown(result, space), reach(setup, call))
            keeps = []
            count = setup.count("t(") + setup.count("h(") + setup.count("c(")
            for grads in [True] + (list(range(count)) if count > 1 else []):
                try:
                    keeps.append(str(run(setup, call, grads)[3]))
                except RuntimeError as error:  # an integer, a result without gradient
                    keeps.append("-")
            if any(line.split(".")[1] in SIZES_ALONE for line in lines):
                keeps = [str(48) if "embedding" in lines[0] else "0"] * len(keeps)
            if "torch.conj(x)" not in call or "@" in call:  # a copy beneath the view that autograd sees
                print("keeps", *keeps)
        except Exception as error:
            print("FAILED", type(error).__name__, str(error)[:200])


if __name__ == "__main__":
    main()
