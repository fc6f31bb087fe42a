# Distributions that models build in forward: they keep their parameters; what they compute is written out as PyTorch has it.
import math

import torch


class Distribution:
    def __init__(self, *args, **kwargs):
        self.parameters = args


class Normal(Distribution):
    def __init__(self, loc=None, scale=None, validate_args=None):
        self.loc = loc
        self.scale = scale
        self.mean = loc
        self.stddev = scale

    def icdf(self, value):
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def cdf(self, value):
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def rsample(self, sample_shape=()):
        return self.loc + torch.randn_like(self.loc) * self.scale

    sample = rsample

    def log_prob(self, value):
        var = self.scale**2
        return -((value - self.loc) ** 2) / (2 * var) - self.scale.log() - math.log(math.sqrt(2 * math.pi))


class StudentT(Distribution):
    def __init__(self, df=None, loc=0.0, scale=1.0, validate_args=None):
        self.df = df
        self.loc = loc
        self.scale = scale

    @property
    def mean(self):
        return self.loc

    def log_prob(self, value):
        y = (value - self.loc) / self.scale
        z = self.scale.log() if isinstance(self.scale, torch.Tensor) else math.log(self.scale)
        z = z + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - z


class NegativeBinomial(Distribution):
    def __init__(self, total_count=None, probs=None, logits=None, validate_args=None):
        self.total_count = total_count
        self.logits = logits

    def log_prob(self, value):
        f = torch.nn.functional.logsigmoid
        unnormalized = self.total_count * f(-self.logits) + value * f(self.logits)
        return unnormalized + torch.lgamma(self.total_count + value) - torch.lgamma(1.0 + value) - torch.lgamma(self.total_count)


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
    def __init__(self, base_distribution, transforms, validate_args=None):
        self.base_dist = base_distribution
        self.transforms = transforms if isinstance(transforms, list) else [transforms]

    def log_prob(self, value):
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
