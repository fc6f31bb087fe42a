# Optimisers have names only: nothing is trained here.


class Optimizer:
    def __init__(self, params, *args, **kwargs):
        self.param_groups = []


class SGD(Optimizer):
    pass


class Adam(Optimizer):
    pass


class AdamW(Optimizer):
    pass
