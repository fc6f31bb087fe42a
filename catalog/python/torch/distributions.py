# Distributions that models build in forward: they keep their parameters; what they compute is written out as PyTorch has it.
import math

import torch


# What arguments and samples are held against: each makes a tensor of truths, of which all() must hold.
def _positive(v):
    return v > 0


def _real(v):
    return v == v


def _at_least_0(v):
    return v >= 0


def _of_unit_interval(v):
    return (v >= 0) & (v < 1)


def _whole(v):
    return (v % 1 == 0) & (v >= 0)


class Distribution:
    _validate_args = True
    arg_constraints = {}
    _support = None

    def __init__(self, *args, validate_args=None):
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, check in self.arg_constraints.items():
                if self.__dict__.get(name) is not None:
                    check(self.__dict__[name]).all()

    def _validate_sample(self, value):
        if self._validate_args and self._support is not None:
            self.__class__._support(value).all()


def _broadcast(*values):
    """As tensors of one shape; a number takes the first tensor's dtype and device."""
    like = [v for v in values if isinstance(v, torch.Tensor)]
    if not like:
        return [torch.tensor(v) for v in values]
    tensors = [v if isinstance(v, torch.Tensor) else torch.tensor(v, dtype=like[0].dtype, device=like[0].device) for v in values]
    return torch.broadcast_tensors(*tensors)


class Normal(Distribution):
    arg_constraints = {"loc": _real, "scale": _positive}
    _support = _real

    def __init__(self, loc=None, scale=None, validate_args=None):
        self.loc, self.scale = _broadcast(loc, scale)
        super().__init__(validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def stddev(self):
        return self.scale

    def icdf(self, value):
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def cdf(self, value):
        self._validate_sample(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def rsample(self, sample_shape=()):
        return self.loc + torch.randn_like(self.loc) * self.scale

    sample = rsample

    def log_prob(self, value):
        self._validate_sample(value)
        var = self.scale**2
        log_scale = self.scale.log()
        return -((value - self.loc) ** 2) / (2 * var) - log_scale - math.log(math.sqrt(2 * math.pi))


class StudentT(Distribution):
    arg_constraints = {"df": _positive, "loc": _real, "scale": _positive}
    _support = _real

    def __init__(self, df=None, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = _broadcast(df, loc, scale)
        # its chi2, a gamma distribution of df / 2, checks that number doubled
        _positive(0.5 * self.df * 2).all()
        super().__init__(validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    def log_prob(self, value):
        self._validate_sample(value)
        y = (value - self.loc) / self.scale
        z = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - z


class NegativeBinomial(Distribution):
    arg_constraints = {"total_count": _at_least_0, "probs": _of_unit_interval, "logits": _real}
    _support = _whole

    def __init__(self, total_count=None, probs=None, logits=None, validate_args=None):
        self.total_count, given = _broadcast(total_count, logits if probs is None else probs)
        self.probs = None if probs is None else given
        self.logits = given if probs is None else None
        self.total_count = self.total_count.type_as(self.total_count)
        super().__init__(validate_args=validate_args)

    def log_prob(self, value):
        self._validate_sample(value)
        f = torch.nn.functional.logsigmoid
        unnormalized = self.total_count * f(-self.logits) + value * f(self.logits)
        normalization = -torch.lgamma(self.total_count + value) + torch.lgamma(1.0 + value) + torch.lgamma(self.total_count)
        normalization[self.total_count + value == 0.0] = 0.0
        return unnormalized - normalization


class Independent(Distribution):
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def log_prob(self, value):
        out = self.base_dist.log_prob(value)
        for _ in range(self.reinterpreted_batch_ndims):
            out = out.sum(-1)
        return out


class AffineTransform:
    def __init__(self, loc, scale, event_dim=0):
        self.loc = loc
        self.scale = scale
        self.event_dim = event_dim

    def inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        scale = self.scale
        out = torch.abs(scale).log() if isinstance(scale, torch.Tensor) else torch.full_like(x, math.log(abs(scale)))
        return out.expand(x.shape)


class TransformedDistribution(Distribution):
    _support = _real

    def __init__(self, base_distribution, transforms, validate_args=None):
        super().__init__(validate_args=validate_args)
        self.base_dist = base_distribution
        self.transforms = transforms if isinstance(transforms, list) else [transforms]

    def log_prob(self, value):
        self._validate_sample(value)
        out, y = 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inverse(y)
            out = out - transform.log_abs_det_jacobian(x, y)
            y = x
        return out + self.base_dist.log_prob(y)


class Categorical(Distribution):
    def __init__(self, probs=None, logits=None, validate_args=None):
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
            self.logits = None
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
            self.probs = None

    def entropy(self):
        logits = self.logits if self.logits is not None else self.probs.log()
        probs = self.probs if self.probs is not None else torch.softmax(logits, -1)
        return -(logits.clamp(min=torch.finfo(logits.dtype).min) * probs).sum(-1)


class Bernoulli(Distribution):
    pass


class Gumbel(Distribution):
    pass


class constraints:
    real = None
    positive = None
    simplex = None


class normal:
    Normal = Normal


class categorical:
    Categorical = Categorical
