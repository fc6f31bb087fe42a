# Only what models build in forward: a distribution keeps its parameters.


class Distribution:
    def __init__(self, *args, **kwargs):
        self.parameters = args


class Normal(Distribution):
    def __init__(self, loc=None, scale=None, validate_args=None):
        self.loc = loc
        self.scale = scale
        self.mean = loc
        self.stddev = scale


class StudentT(Distribution):
    def __init__(self, df=None, loc=0.0, scale=1.0, validate_args=None):
        self.df = df
        self.loc = loc
        self.scale = scale


class NegativeBinomial(Distribution):
    pass


class Independent(Distribution):
    pass


class TransformedDistribution(Distribution):
    pass


class AffineTransform:
    def __init__(self, loc, scale, event_dim=0):
        self.loc = loc
        self.scale = scale


class Categorical(Distribution):
    pass


class Bernoulli(Distribution):
    pass


class Gumbel(Distribution):
    pass


class constraints:
    real = None
    positive = None
    simplex = None
